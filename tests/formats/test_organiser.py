"""An organiser who follows nothing but the messages comes from the first command to a report in three steps."""

import re
import tomllib
from pathlib import Path

import pytest

from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaigns

from .campaigns import ANSWERS, GOLD, write, zipped
from .tables import workbook
from .test_recipes import RECIPES, sheets, table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "kinds.md"
MOST_STEPS = 3
_NAMED = re.compile(r"\b([a-z_]+) = ")
TOP = ("labels", "fold_case")


def of_recipe(name):
    """The files of a recipe without its task.toml, and what that says, which the organiser knows of the files."""
    made = {"xlsx": sheets, "parquet": table}
    files = {
        path: made.get(kind, str)(text)
        for kind, path, text in RECIPES[name]
        if path not in {"read", "task.toml"}
    }
    stated = [tomllib.loads(text) for _, path, text in RECIPES[name] if path == "task.toml"]
    return files, stated[0] if stated else {}


MULTI = "id,anger,joy\n" + "".join(
    f"{number},{number % 2},{int(number % 3 == 0)}\n" for number in range(12)
)
TAGS = "OK BAD OK\nOK OK\nBAD OK\n" * 4
LONG = [str(10**17 + 1000 * number + 7) for number in range(4)]
MANGLED = [str(int(item_id) // 1000 * 1000) for item_id in LONG]
TABBED = ANSWERS.replace(",", "\t")

OWN = {
    "A zip with reference.csv": (
        {"reference.zip": zipped({"reference.csv": GOLD}), "submissions/A.csv": ANSWERS},
        {"gold": {"path": "reference.zip/reference.csv"}},
    ),
    "Uploads of a form, with its sheet": (
        {
            "gold.csv": GOLD,
            "in/run - Ann.csv": ANSWERS,
            "in/run (2) - Ben.tsv": TABBED,
            "in/run (3) - Cem.csv": ANSWERS,
        },
        {"submissions": {"files": "in/run* - {team}.*"}},
    ),
    "Several labels for each item": (
        {"gold.csv": MULTI, "submissions/A.csv": MULTI.replace("1,1,0", "1,0,0")},
        {"gold": {"label": "anger"}, "submissions": {"label": "anger"}},
    ),
    "Sentences of tags that repeat": (
        {"gold.txt": TAGS, "submissions/A.txt": TAGS.replace("BAD OK\n", "OK OK\n")},
        {"gold": {"format": "sequences"}},
    ),
    "Labels that look alike": (
        {
            "gold.csv": GOLD.replace("2,yes", "2,caf\u00e9").replace("4,yes", "4,cafe\u0301"),
            "submissions/A.csv": ANSWERS,
        },
        {"labels": ["no", "caf\u00e9", "cafe\u0301"]},
    ),
    "A column that stands twice": (
        {
            "gold.csv": "id,label,label\n1,no,a\n2,yes,b\n3,no,a\n4,yes,a\n",
            "submissions/A.csv": ANSWERS,
        },
        {"gold": {"label": 2}},
    ),
    "Long ids that a spreadsheet changed": (
        {
            "gold.csv": "id,label\n"
            + "".join(f"{item_id},{'ny'[n % 2]}\n" for n, item_id in enumerate(LONG)),
            "submissions/A.xlsx": workbook(
                [["id", "label"], *([item_id, "n"] for item_id in MANGLED)]
            ),
        },
        {},
    ),
    "Lines of further items": (
        {"gold.csv": GOLD, "submissions/A.csv": ANSWERS + "5,no\n"},
        {"policies": {"extra": "ignore"}},
    ),
    "A submission that is a copy of gold": (
        {"gold.csv": GOLD, "submissions/A.csv": ANSWERS, "submissions/copy.csv": GOLD},
        {"policies": {"gold_copy": "accept"}},
    ),
    "A test set that a team left out": (
        {
            "gold.csv": GOLD,
            "submissions/A.csv": ANSWERS,
            "submissions/B.csv": "id,label\n1,\n2,\n3,\n4,\n",
        },
        {"submissions": {"ignore": ["submissions/B.csv"]}},
    ),
    "A folder with names of its own": (
        {"data/truth.csv": GOLD, "runs/A.csv": ANSWERS, "runs/B.csv": ANSWERS},
        {"gold": {"path": "data/truth.csv"}, "submissions": {"files": "runs/{team}.csv"}},
    ),
}
KINDS = {**{name: of_recipe(name) for name in RECIPES}, **OWN}


def toml_value(value):
    """A value as task.toml writes it."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{quoted(key)} = {toml_value(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    return quoted(value) if isinstance(value, str) else str(value).lower()


def quoted(text):
    """Text in quotes; those in it, backslashes and whatever is no ASCII as they stand."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def written(tree):
    """A task.toml of tables one deep."""
    top = [
        f"{key} = {toml_value(value)}" for key, value in tree.items() if not isinstance(value, dict)
    ]
    tables = [
        line
        for name, inner in tree.items()
        if isinstance(inner, dict)
        for line in (
            f"[{name}]",
            *(f"{quoted(key)} = {toml_value(value)}" for key, value in inner.items()),
        )
    ]
    return "\n".join([*top, *tables]) + "\n"


def named_in(message, known):
    """What of an organiser's knowledge a message asks for: settings that it names, whole tables of spellings too."""
    keys = set(_NAMED.findall(message))
    found = {key: value for key, value in known.items() if key in TOP and key in keys}
    for name, inner in known.items():
        if isinstance(inner, dict) and f"[{name}]" in message:
            of_table = (
                inner
                if name in {"aliases", "combinations", "roles"}
                else {k: v for k, v in inner.items() if k in keys}
            )
            found |= {name: of_table} if of_table else {}
    return found


def merged(tree, more):
    """Settings with further ones."""
    return {
        **tree,
        **{
            key: {**tree.get(key, {}), **value} if isinstance(value, dict) else value
            for key, value in more.items()
        },
    }


def played(files, known, root):
    """The steps from the first command to a report: which settings were written after each message."""
    files = dict(files)
    tree = {}
    if "task.toml" in files:  # the organiser has said where the files are, and no more
        tree = {"submissions": {"files": known["submissions"]["files"]}}
        files["task.toml"] = written(tree)
    write(root, files)
    steps = []
    for _ in range(MOST_STEPS + 1):
        try:
            campaigns = read_campaigns(root)
        except InputError as error:
            message = "\n".join(str(issue) for issue in error.issues if issue.fatal)
        else:
            assert all(evaluate(campaign).entries for campaign in campaigns)
            return steps
        if "audit run --gold" in message and not steps:
            tree = merged(
                tree, {name: known[name] for name in ("gold", "submissions") if name in known}
            )
            steps.append("audit run --gold, with what is known of the files")
            write(root, {"task.toml": written(tree)})
            continue
        more = named_in(message, known)
        new = merged(tree, more)
        assert new != tree, f"nothing to do after:\n{message}"
        tree = new
        steps.append("; ".join(sorted(in_words(name, settings) for name, settings in more.items())))
        write(root, {"task.toml": written(tree)})
    raise AssertionError(f"no report after {steps}:\n{message}")


def in_words(name, settings):
    """What is written of a table, as the page has it: its settings, or all of it where the keys are of the data."""
    if not isinstance(settings, dict):
        return name
    if name in {"aliases", "combinations", "roles"}:
        return f"all of [{name}]"
    return f"[{name}] {', '.join(settings)}"


@pytest.mark.parametrize("kind", KINDS)
def test_the_messages_lead_to_a_report_in_three_steps(kind, tmp_path):
    """Each step writes nothing but settings that the message before names."""
    steps = played(*KINDS[kind], tmp_path)
    assert len(steps) <= MOST_STEPS
