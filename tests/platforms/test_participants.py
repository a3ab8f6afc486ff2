"""What participants see of a check and of one submission's score, and the kit that they check with: nothing of gold."""

import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest
import yaml
from typer.testing import CliRunner

from audit.cli import app
from audit.errors import ISSUE_KINDS
from audit.resources import samples
from tests.formats.campaigns import write
from tests.formats.test_catalogue import BROKEN
from tests.nightly import by_day

ITEMS = 97  # of gold: a number that stands nowhere else
SECRETS = re.compile(r"zq|97")
OF_CAMPAIGNS = {"no-submissions", "duplicate-team", "unreadable-file", "too-large"}
"""Issues of several files, of a pipe, and of 70 MB."""


@pytest.fixture
def run():
    def invoke(*arguments):
        result = CliRunner().invoke(app, list(map(str, arguments)))
        assert isinstance(result.exception, SystemExit | type(None)), result.exception
        return result

    return invoke


def marked(name, content, further=93):
    """A broken sample's file with ids that are secrets, and further items; other files as they are."""
    if not isinstance(content, str) or name.endswith(".toml"):
        return content
    by_id = re.sub(r"(?m)^(\d+),", r"zqitem\1,", content)
    if by_id != content:
        cells = by_id.rstrip("\n").rpartition("\n")[2].partition(",")[2]
        return by_id + "".join(f"zqitem{number},{cells}\n" for number in range(101, 101 + further))
    return content + "no\n" * 93 if re.fullmatch(r"(?:(?:no|yes)\n)+", content) else content


def planted(slug, root):
    """The broken campaign with markers in the ids of gold and in its path; its broken file stands beside it."""
    broken = BROKEN[slug]
    of_gold = {
        name: 93 if name != broken.file or slug in {"gold-copy", "extra-item"} else 89
        for name in broken.files
    }
    files = {name: marked(name, content, of_gold[name]) for name, content in broken.files.items()}
    handed_in = files.pop(broken.file)
    if slug == "gold-copy":
        handed_in = files["gold.csv"]
    write(root / "zqcampaign", files)
    write(root, {(name := broken.file.partition("/")[2]): handed_in})
    return root / name, root / "zqcampaign"


ISSUES_OF_ONE_FILE = sorted(
    slug
    for slug, broken in BROKEN.items()
    if broken.file.startswith("submissions/") and slug not in OF_CAMPAIGNS
)


@by_day(12)
@pytest.mark.parametrize("slug", ISSUES_OF_ONE_FILE)
def test_no_kind_of_issue_tells_participants_of_gold(slug, run, tmp_path):
    """Neither ids nor size nor path, in text, in JSON, as annotations and on the page of a submission."""
    file, campaign = planted(slug, tmp_path)
    out = tmp_path / "out"
    told = []
    for form in ([], ["--json"], ["--format", "github"]):
        result = run("check", file, "--campaign", campaign, "--for", "participants", *form)
        told.append(result.stdout + result.stderr)
    scored = run("score-one", file, "--campaign", campaign, "--out", out)
    told += [scored.stdout, scored.stderr, *(path.read_text() for path in out.iterdir())]
    for text in told:
        assert not SECRETS.search(text.replace(str(tmp_path), "")), text
    organisers = run("check", file, "--campaign", campaign, "--json")
    slugs = {issue["slug"] for issue in json.loads(organisers.stdout)["issues"]}
    assert slug in slugs
    assert slugs == {issue["slug"] for issue in json.loads(run_json(run, file, campaign))["issues"]}
    assert ISSUE_KINDS[slug].title in told[0]


def run_json(run, file, campaign):
    return run("check", file, "--campaign", campaign, "--for", "participants", "--json").stdout


def test_lines_counts_and_own_labels_are_told(run, tmp_path):
    """What helps to mend the file: where, how many, and which labels of theirs are none."""
    write(
        tmp_path,
        {
            "gold.csv": "id,label\n"
            + "".join(f"i{n},{'no' if n % 2 else 'yes'}\n" for n in range(9))
        },
    )
    write(tmp_path, {"task.toml": 'labels = ["no", "yes"]\n'})
    write(tmp_path, {"mine.csv": "id,label\ni0,yse\ni1,no\ni2,yse\ni3,nein\n"})
    result = run("check", tmp_path / "mine.csv", "--campaign", tmp_path, "--for", "participants")
    assert result.exit_code == 0
    assert (
        "mine.csv:2: unusable-label: A label outside the label set: “yse” and “nein” (3 lines: 2, 4, 5)"
        in result.stderr
    )
    assert "expected: one of “no” and “yes”" in result.stderr
    assert "Gold items without an answer\n" in result.stderr
    assert result.stdout.splitlines()[2:] == [
        "    1 answered, 3 unusable",
        "    1  no",
        "    0  yes",
    ]


def test_what_participants_see_is_the_same_however_large_gold_is(run, tmp_path):
    """A file that answers three items of six, of 60 or of 6,000: how many it leaves out would tell gold's size."""
    mine = write(tmp_path, {"mine.csv": "id,label\ni0,yes\ni1,no\ni2,what\n"}) / "mine.csv"
    told = []
    for size in (6, 60, 6000):
        root = tmp_path / str(size)
        write(
            root,
            {
                "gold.csv": "id,label\n"
                + "".join(f"i{n},{'no' if n % 2 else 'yes'}\n" for n in range(size))
            },
        )
        seen = []
        for form in ([], ["--json"], ["--format", "github"]):
            result = run("check", mine, "--campaign", root, "--for", "participants", *form)
            seen.append((result.exit_code, result.stdout, result.stderr))
        result = run("score-one", mine, "--campaign", root, "--out", root / "out", "--fewest", "0")
        page = (root / "out" / "detailed_results.html").read_text()
        told.append(
            (
                seen,
                result.stderr,
                [line for line in page.splitlines() if not re.search(r"0\.\d+", line)],
            )
        )
    assert told[0] == told[1] == told[2]
    assert "Gold items without an answer" in str(told[0])


def test_how_many_published_items_are_left_out_is_told(run, tmp_path):
    """Participants have them, so that it helps and tells nothing."""
    write(
        tmp_path, {"gold.csv": "id,label\n1,no\n2,yes\n3,no\n", "items.csv": "id\n1\n2\n3\n4\n5\n"}
    )
    mine = write(tmp_path, {"mine.csv": "id,label\n1,no\n2,yes\n"}) / "mine.csv"
    result = run("check", mine, "--campaign", tmp_path, "--for", "participants")
    assert "Gold items without an answer (3)" in result.stderr
    assert "2 answered, 3 missing" in result.stdout


def test_labels_that_only_gold_tells_are_not_listed(run, tmp_path):
    """Where task.toml does not state the labels, those that nobody has handed in are gold's secret."""
    write(
        tmp_path,
        {
            "gold.csv": "id,label\n1,no\n2,yes\n3,zqrare\n",
            "mine.csv": "id,label\n1,no\n2,yes\n3,what\n",
        },
    )
    for form in ([], ["--json"]):
        result = run(
            "check",
            tmp_path / "mine.csv",
            "--gold",
            tmp_path / "gold.csv",
            "--for",
            "participants",
            *form,
        )
        assert "zq" not in result.stdout + result.stderr
        assert "yes" in result.stdout


def test_of_sets_no_hit_is_counted(run, tmp_path):
    """Two answers as often, one of them right everywhere and the other nowhere, look alike."""
    write(
        tmp_path, {"task.toml": 'kind = "sets"\n', "gold.csv": "id,label\n" + "1,a\n2,b\n3,\n4,a\n"}
    )
    for name, text in (("right.csv", "4,a\n1,a\n2,b\n3,\n"), ("wrong.csv", "1,b\n2,a\n3,a\n4,\n")):
        write(tmp_path, {name: "id,label\n" + text})
    told = [
        run(
            "check", tmp_path / name, "--campaign", tmp_path, "--for", "participants"
        ).stdout.partition("\n")[2]
        for name in ("right.csv", "wrong.csv")
    ]
    assert told[0] == told[1] != ""


def test_what_files_are_checked_against_is_not_shown_where_it_is_broken(run, tmp_path):
    """The organisers' own mistake is theirs to see."""
    write(
        tmp_path, {"zq/task.toml": '[gold]\npath = "zqgold.csv"\n', "mine.csv": "id,label\nx,no\n"}
    )
    for arguments in (["check", "--for", "participants"], ["score-one", "--out", tmp_path / "out"]):
        result = run(*arguments, tmp_path / "mine.csv", "--campaign", tmp_path / "zq")
        assert result.exit_code != 0
        assert "write to the organisers" in result.stderr
        assert "zq" not in result.stdout + result.stderr


# Items that were published and are not scored


@pytest.fixture
def decoys(tmp_path, run):
    """A task whose test set has three items that are not scored; the kit that is made of it."""
    published = [f"p{number}" for number in range(40)]
    scored = [item for item in published if item not in {"p3", "p20", "p39"}]
    labels = {item: "no" if at % 3 else "yes" for at, item in enumerate(published)}
    write(
        tmp_path,
        {
            "task/gold.csv": "id,label\n" + "".join(f"{item},{labels[item]}\n" for item in scored),
            "task/task.toml": 'slug = "t"\npolicies.extra = "ignore"\nteams.A = "zqteam"\nroles.B = "baseline"\n',
            "task/submissions/A.csv": "id,label\n"
            + "".join(f"{item},{labels[item]}\n" for item in published),
            "task/submissions/B.csv": "id,label\n" + "".join(f"{item},no\n" for item in published),
            "test.csv": "id,text\n" + "".join(f'{item},"what, is it"\n' for item in published),
        },
    )
    store = tmp_path / "s.db"
    assert run("load", tmp_path / "task", "--store", store).exit_code == 0
    made = run(
        "participants", "t", tmp_path / "kit", "--items", tmp_path / "test.csv", "--store", store
    )
    assert made.exit_code == 0, made.stderr
    return tmp_path, published, labels


def test_a_kit_tells_which_items_were_published_and_not_which_are_scored(decoys):
    """No gold, no team, no score."""
    root, published, _ = decoys
    assert sorted(path.name for path in (root / "kit").iterdir()) == [
        *("README.md", "SHA256SUMS", "action.yml", "items.csv", "task.toml")
    ]
    rows = list(csv.reader(io.StringIO((root / "kit" / "items.csv").read_text())))
    assert rows == [["id"], *([item] for item in published)]
    assert "zqteam" not in "".join(path.read_text() for path in (root / "kit").iterdir())


def test_a_check_by_the_kit_does_not_tell_which_items_are_scored(decoys, run):
    """A file that lacks a scored item and one that lacks another are told the same."""
    root, published, labels = decoys
    told = []
    for left_out in ("p3", "p4"):
        write(
            root,
            {
                "x.csv": "id,label\n"
                + "".join(f"{i},{labels[i]}\n" for i in published if i != left_out)
            },
        )
        result = run("check", root / "x.csv", "--kit", root / "kit")
        assert result.exit_code == 0
        told.append(re.sub(r"\d+  (?:no|yes)", "", result.stdout + result.stderr))
    assert told[0] == told[1]
    assert "1 missing" in told[0]


def test_the_platform_checks_by_the_published_items_and_scores_by_gold(decoys, run):
    """The list stands beside gold; without it nothing is said, as that would tell the decoys."""
    root, published, labels = decoys
    mine = (
        write(root, {"x.csv": "id,label\n" + "".join(f"{i},{labels[i]}\n" for i in published)})
        / "x.csv"
    )
    refused = run("score-one", mine, "--campaign", root / "task", "--out", root / "out")
    assert refused.exit_code != 0
    assert "write to the organisers" in refused.stderr
    write(root, {"task/items.csv": (root / "kit" / "items.csv").read_text()})
    done = run("score-one", mine, "--campaign", root / "task", "--out", root / "out")
    assert done.exit_code == 0, done.stderr
    assert json.loads((root / "out" / "scores.json").read_text())["accuracy"] == 1
    assert "    40 answered\n" in done.stdout
    write(root, {"x.csv": "id,label\n" + "".join(f"{i},no\n" for i in ("p3", "p20"))})
    few = run("score-one", mine, "--campaign", root / "task", "--out", root / "none")
    assert "Fewer than 50% of the items" in few.stderr
    nothing = run(
        "score-one", mine, "--campaign", root / "task", "--out", root / "none", "--fewest", "0"
    )
    assert "No answer in the file can be scored." in nothing.stderr
    assert not (root / "none" / "scores.json").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test.tsv", "tweet\tid\nit's, \"so\tp1\nx\tp2\n"),
        ("test.tsv", '"so\tp1\nx\tp2\n'),
        ("test.txt", "p1\np2\n"),
        ("test.jsonl", '{"text": "a", "id": "p1"}\n{"text": "b", "id": "p2"}\n'),
        ("test.csv", 'text,number\n"a\nb",p1\nx,p2\n'),
    ],
)
def test_published_items_are_found_in_the_files_that_participants_got(name, text, run, tmp_path):
    """By the column that holds all of gold's ids."""
    files = {
        "t/gold.csv": "id,label\np1,no\np2,yes\n",
        "t/submissions/A.csv": "id,label\np1,no\np2,no\n",
        name: text,
    }
    write(tmp_path, files)
    store = tmp_path / "s.db"
    run("load", tmp_path / "t", "--store", store)
    made = run("participants", "t", tmp_path / "kit", "--items", tmp_path / name, "--store", store)
    assert made.exit_code == 0, made.stderr
    assert (tmp_path / "kit" / "items.csv").read_text() == "id\np1\np2\n"


def test_a_kit_is_refused_where_it_would_tell_of_gold(run, tmp_path):
    """Without the published items, with others, of sequences and of tags."""
    write(
        tmp_path,
        {
            "t/gold.csv": "id,label\np1,no\np2,yes\n",
            "t/submissions/A.csv": "id,label\np1,no\np2,no\n",
        },
    )
    write(
        tmp_path,
        {
            "s/gold.csv": "id,label\np1,\np2,yes\n",
            "s/submissions/A.csv": "id,label\np1,no\np2,yes\n",
        },
    )
    tags = "Ann B-PER\nran O\n\nBob B-PER\n"
    write(tmp_path, {"g/gold.txt": tags, "g/submissions/A.txt": tags.replace("Ann B-PER", "Ann O")})
    write(tmp_path, {"g/task.toml": 'kind = "sets"\n'})
    write(tmp_path, {"q/gold.txt": "A B\nB A\nA\n", "q/submissions/A.txt": "A B\nB B\nA\n"})
    write(
        tmp_path,
        {
            "s/task.toml": 'kind = "sets"\n',
            "other.csv": "id,text\np1,a\np3,b\n",
            "bad.jsonl": "{1",
            "long.csv": "x" * 200_000,
        },
    )
    store = tmp_path / "s.db"
    for name in "tsqg":
        assert run("load", tmp_path / name, "--store", store).exit_code == 0
    for task, items, why in (
        ("t", [], "--items FILE"),
        ("t", ["--items", tmp_path / "other.csv"], "no column has all ids of gold"),
        ("t", ["--items", tmp_path / "long.csv"], "no column has all ids of gold"),
        ("t", ["--items", tmp_path / "bad.jsonl"], "bad-json"),
        ("s", [], "--items FILE"),
        ("s", ["--items", tmp_path / "other.csv"], "no column has all ids of gold"),
        ("q", [], "to check sequences takes gold"),
        ("g", [], "to check tags of tokens takes gold"),
    ):
        result = run("participants", task, tmp_path / "kit", *items, "--store", store)
        assert result.exit_code != 0
        assert why in result.stderr
    assert not (tmp_path / "kit").exists()


def test_items_without_ids_are_counted(run, tmp_path):
    """And a kit that is none is refused."""
    write(
        tmp_path,
        {
            "t/gold.txt": "no\nyes\nno\n",
            "t/submissions/A.txt": "no\nno\nno\n",
            "x.txt": "no\nyes\n",
        },
    )
    store = tmp_path / "s.db"
    assert run("load", tmp_path / "t", "--store", store).exit_code == 0
    assert run("participants", "t", tmp_path / "kit", "--store", store).exit_code == 0
    assert "line-count" in run("check", tmp_path / "x.txt", "--kit", tmp_path / "kit").stderr
    (tmp_path / "kit" / "items.csv").write_text("what\n1\n")
    assert (
        "the heading “what”" in run("check", tmp_path / "x.txt", "--kit", tmp_path / "kit").stderr
    )
    (tmp_path / "kit" / "task.toml").write_text("")
    assert "no labels" in run("check", tmp_path / "x.txt", "--kit", tmp_path / "kit").stderr


# Sets

_LABELS = ("zqfire", "zqflood", "zqstorm")
SETS = {  # a form: its settings, its heading, and cells of gold that give labels
    "list": ("", "id,label", ['"zqfire, zqstorm"', "", "zqflood", '"zqfire,zqflood,zqstorm"']),
    "separator": (
        '[sets]\nseparator = "+"\n',
        "id,label",
        ["zqfire+zqstorm", "", "zqflood", "zqstorm"],
    ),
    "rows": ('[sets]\nform = "rows"\n', "id,label", ["zqfire", "", "zqflood", "zqstorm"]),
    "spans": (
        '[sets]\nform = "spans"\n',
        "id,spans",
        ['"[[""zqfire"", 3, 17]]"', "[]", '"[[""zqflood"", 0, 9]]"', '"[[""zqstorm"", 2, 5]]"'],
    ),
    "columns": (
        '[gold]\nlabel = ["a", "b", "c"]\n',
        "id,a,b,c",
        ["1,0,1", "0,0,0", "0,1,0", "1,1,1"],
    ),
}
DECLARED = f"labels = {json.dumps(_LABELS)}\n"


def kit_of_sets(run, root, form, *, cells=None, declared=""):
    """The kit of a task of sets, of which some published items are not scored; and the lines of its gold."""
    stated, heading, of_gold = SETS[form]
    lines = [heading, *(f"u{at},{cell}" for at, cell in enumerate(cells or of_gold))]
    gold = "".join(f"{line}\n" for line in lines)
    columns = stated.replace("[gold]", "[submissions]") if form == "columns" else ""
    answer = f"{heading}\n" + "".join(f"u{at},{of_gold[3]}\n" for at in range(4))
    settings = f'kind = "sets"\n{declared}policies.extra = "ignore"\n{stated}{columns}'
    write(
        root,
        {
            "t/gold.csv": gold,
            "t/task.toml": f'slug = "t"\n{settings}',
            "t/submissions/A.csv": answer,
        },
    )
    write(root, {"test.csv": "text,id\n" + "".join(f"x,u{at}\n" for at in (0, 1, 2, 3, 9))})
    loaded = run("load", root / "t", "--store", root / "s.db")
    assert loaded.exit_code == 0, loaded.stderr
    made = run(
        "participants", "t", root / "kit", "--items", root / "test.csv", "--store", root / "s.db"
    )
    assert made.exit_code == 0, made.stderr
    return root / "kit", lines


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("form", SETS)
def test_a_kit_of_sets_is_the_same_whatever_gold_answers(form, run, tmp_path):
    """Other answers to the same items change no byte of it; labels stand in it only where task.toml has them."""
    cells = SETS[form][2]
    kit, lines = kit_of_sets(run, tmp_path / "one", form)
    other, _ = kit_of_sets(
        run, tmp_path / "two", form, cells=[cells[3], cells[2], cells[1], cells[0]]
    )
    assert bytes_of(kit) == bytes_of(other)
    assert (kit / "items.csv").read_text() == "id\nu0\nu1\nu2\nu3\nu9\n"
    everything = b"".join(bytes_of(kit).values())
    assert b"zq" not in everything
    assert not any(line.encode() in everything for line in lines[1:])
    declared, lines = kit_of_sets(
        run, tmp_path / "three", form, declared=DECLARED if form != "columns" else ""
    )
    everything = b"".join(bytes_of(declared).values())
    assert not any(line.encode() in everything for line in lines[1:])
    assert all(everything.count(label.encode()) == (form != "columns") for label in _LABELS)


@pytest.mark.parametrize("declared", ["", DECLARED])
@pytest.mark.parametrize("form", SETS)
def test_a_kit_of_sets_accepts_what_can_be_scored_and_tells_no_hit(form, declared, run, tmp_path):
    """Gold itself, another answer and one of empty sets alike: accepted, and nothing said of what is right."""
    kit, lines = kit_of_sets(run, tmp_path, form, declared="" if form == "columns" else declared)
    heading, *rows = [*lines, f"u9,{SETS[form][2][1]}"]
    cells = [row.partition(",")[2] for row in rows]
    for name, answers in (("same", cells), ("turned", cells[::-1]), ("empty", [cells[1]] * 5)):
        text = "".join(f"u{at},{cell}\n" for at, cell in zip((0, 1, 2, 3, 9), answers, strict=True))
        write(tmp_path, {f"{name}.csv": f"{heading}\n{text}"})
    told = []
    for name in ("same", "turned", "empty"):
        for reader in ("participants", "organisers"):
            result = run("check", tmp_path / f"{name}.csv", "--kit", kit, "--for", reader, "--json")
            told.append(json.loads(result.stdout))
    assert all(each["accepted"] and not each["issues"] for each in told), told
    assert all(
        set(each) == {"file", "accepted", "read_as", "assumed", "labels", "issues"} for each in told
    )
    assert told[0]["labels"] == told[2]["labels"]
    assert not any(told[4]["labels"].values())


@pytest.mark.parametrize(
    ("task", "lines", "slug"),
    [
        (("list", ""), ["u0,a", "u1,", "u2,b", "u3,"], "missing-item"),
        (("list", ""), ["u0,a", "u1,", "u2,b", "u3,", "u9,", "u10,a"], "extra-item"),
        (("list", ""), ["u0,a", "u1,", "u2,b", "u3,", "u9,", "u0,b"], "duplicate-item"),
        (("list", ""), ["u0,[1", "u1,", "u2,b", "u3,", "u9,"], "bad-set"),
        (("spans", ""), ['u0,"[[""a"", 3]]"', "u1,[]", "u2,[]", "u3,[]", "u9,[]"], "bad-set"),
        (("columns", ""), ["u0,1,0,2", "u1,0,0,0", "u2,0,0,0", "u3,0,0,0", "u9,0,0,1"], "bad-set"),
        (("list", DECLARED), ["u0,zqfire", "u1,", "u2,zqwind", "u3,", "u9,"], "unusable-label"),
        (
            ("rows", DECLARED),
            ["u0,zqfire", "u0,zqwind", "u1,", "u2,", "u3,", "u9,"],
            "unusable-label",
        ),
        (("list", DECLARED), ["u0,zqfire+zqstorm", "u1,", "u2,zqfire", "u3,", "u9,"], "bad-set"),
        (("list", DECLARED), ["u0,yes", "u1,", "u2,no", "u3,", "u9,"], "no-usable-answer"),
    ],
)
def test_a_kit_of_sets_finds_each_defect(task, lines, slug, run, tmp_path):
    """Ids that are missing, unknown or repeated, cells outside of the grammar, and labels outside of the declared."""
    form, declared = task
    accepted = slug in {"missing-item", "unusable-label"}
    kit, _ = kit_of_sets(run, tmp_path, form, declared=declared)
    settings = (kit / "task.toml").read_text()
    (kit / "task.toml").write_text(settings.replace('extra = "ignore"', 'extra = "reject"'))
    write(tmp_path, {"x.csv": "".join(f"{line}\n" for line in (SETS[form][1], *lines))})
    result = run("check", tmp_path / "x.csv", "--kit", kit, "--json")
    told = json.loads(result.stdout)
    assert told["issues"][0]["slug"] == slug
    assert told["accepted"] == accepted
    assert result.exit_code == (0 if accepted else 1)
    if slug == "unusable-label":
        assert "zqwind" in told["issues"][0]["found"]
        assert told["issues"][0]["expected"] == "one of “zqfire”, “zqflood” and “zqstorm”"


def test_the_sample_of_sets_passes_its_own_kit(run, tmp_path):
    """Each file is accepted and read as beside gold; its labels, which only gold tells, stand in no file of the kit."""
    harbour, store, kit = samples() / "harbour-messages", tmp_path / "s.db", tmp_path / "kit"
    assert run("load", harbour, "--store", store).exit_code == 0
    made = run(
        "participants", "harbour-messages", kit, "--items", harbour / "gold.csv", "--store", store
    )
    assert "600 published items" in made.stdout
    files = sorted((harbour / "submissions").iterdir())
    by_kit = json.loads(run("check", *files, "--kit", kit, "--json").stdout)["files"]
    by_gold = json.loads(
        run("check", *files, "--campaign", harbour, "--for", "participants", "--json").stdout
    )["files"]
    for one, other in zip(by_kit, by_gold, strict=True):
        assert {key: one[key] for key in ("accepted", "read_as", "assumed")} == {
            key: other[key] for key in ("accepted", "read_as", "assumed")
        }
        assert [issue["slug"] for issue in one["issues"]] == [
            issue["slug"] for issue in other["issues"]
        ]
    assert all(each["accepted"] for each in by_kit)
    of_gold = (harbour / "gold.csv").read_text().splitlines()[1:]
    held = b"".join(bytes_of(kit).values())
    labels = {
        label.strip() for line in of_gold for label in line.partition(",")[2].strip('"').split(",")
    } - {""}
    assert len(labels) == 6
    assert not any(
        f'"{label}"'.encode() in held or f",{label}".encode() in held for label in labels
    )
    assert not any(line.encode() in held for line in of_gold)


@pytest.mark.parametrize("declared", ["", DECLARED])
def test_the_platform_checks_sets_by_the_published_items_and_scores_by_gold(
    declared, run, tmp_path
):
    """With the kit's list beside gold each set is read as a set, and what is not scored changes no score."""
    kit, lines = kit_of_sets(run, tmp_path, "list", declared=declared)
    write(tmp_path, {"t/items.csv": (kit / "items.csv").read_text()})
    mine = (
        write(tmp_path, {"x.csv": "".join(f"{line}\n" for line in (*lines, "u9,zqfire"))}) / "x.csv"
    )
    by_folder = run("check", mine, "--campaign", tmp_path / "t", "--for", "participants", "--json")
    assert json.loads(by_folder.stdout) == json.loads(
        run("check", mine, "--kit", kit, "--json").stdout
    )
    done = run("score-one", mine, "--campaign", tmp_path / "t", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert set(json.loads((tmp_path / "out" / "scores.json").read_text()).values()) == {1}
    assert ("zqfire" in done.stdout) == bool(declared)
    arguments = (
        "--image",
        "me/x:1",
        "--start",
        "2027-01-10",
        "--end",
        "2027-01-20",
        "--store",
        tmp_path / "s.db",
    )
    made = run(
        "platform", "codabench", "t", tmp_path / "up", *arguments, "--items", tmp_path / "test.csv"
    )
    assert made.exit_code == 0, made.stderr


def test_sets_without_ids_are_counted(run, tmp_path):
    """By their units, not by the labels that gold has."""
    files = {"t/gold.txt": "label\na;b\na\nb;c\n", "t/submissions/A.txt": "label\na\na\nb;c\n"}
    write(
        tmp_path, {**files, "t/task.toml": 'slug = "t"\nkind = "sets"\n', "x.txt": "label\na\nb\n"}
    )
    store = tmp_path / "s.db"
    loaded = run("load", tmp_path / "t", "--store", store)
    assert loaded.exit_code == 0, loaded.stderr
    made = run("participants", "t", tmp_path / "kit", "--store", store)
    assert "3 published items" in made.stdout, made.stderr
    assert "line-count" in run("check", tmp_path / "x.txt", "--kit", tmp_path / "kit").stderr
    assert run("check", tmp_path / "t/submissions/A.txt", "--kit", tmp_path / "kit").exit_code == 0


# On pull requests


def test_annotations_hold_what_a_runner_takes(run, tmp_path, monkeypatch):
    """At most ten of a kind, all in the summary; a file's name starts no command."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    write(tmp_path, {"gold.csv": "id,label\n1,no\n2,yes\n"})
    names = [f"a{at}%,:\n::error::<b>##[x.csv" for at in range(12)]
    write(tmp_path, dict.fromkeys(names, "id,label\n1,no\n1,no\n"))
    result = run(
        "check",
        *(tmp_path / name for name in names),
        "--gold",
        tmp_path / "gold.csv",
        "--format",
        "github",
    )
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    commands = [line for line in lines if line.startswith("::")]
    assert [line[:7] for line in commands] == ["::error"] * 10 + ["::warni"] * 10
    place = r"[^,:]*%25%2C%3A%0A%3A%3Aerror%3A%3A<b>##\[x.csv,line=\d,title=duplicate-item"
    pattern = rf"::error file={place}::[^\n]*%0A    expected.*"
    assert all(re.fullmatch(pattern, line) for line in commands[:10]), commands[0]
    assert not any("##[" in line for line in lines if not line.startswith("::"))
    summary = (tmp_path / "summary.md").read_text()
    assert summary.count("duplicate-item") == 12
    assert "<b>" not in summary


def test_several_files_are_checked_at_once(run, tmp_path):
    """One that is not there is said as an issue, and the others are checked."""
    write(tmp_path, {"gold.csv": "id,label\n1,no\n2,yes\n", "a.csv": "id,label\n1,no\n2,no\n"})
    result = run(
        "check", tmp_path / "a.csv", tmp_path / "b.csv", "--gold", tmp_path / "gold.csv", "--json"
    )
    assert result.exit_code == 1
    assert [each["accepted"] for each in json.loads(result.stdout)["files"]] == [True, False]
    refused = run(
        "check",
        tmp_path / "a.csv",
        "--gold",
        tmp_path / "gold.csv",
        "--for",
        "participants",
        "--as",
        "x",
    )
    assert refused.exit_code == 2


def test_the_action_of_a_kit_checks_the_files_it_is_given(decoys, tmp_path):
    """Its script by hand, with an interpreter that stands for the runner's."""
    root, published, labels = decoys
    action = yaml.safe_load((root / "kit" / "action.yml").read_text())
    (step,) = action["runs"]["steps"]
    assert (action["runs"]["using"], step["shell"]) == ("composite", "bash")
    assert "${{" not in step["run"]
    tools = tmp_path / "runner" / "audit" / "bin"
    write(tools, {"python3": "#!/bin/sh\n", "pip": "#!/bin/sh\n"})
    write(tools, {"audit": f'#!/bin/sh\nexec "{sys.executable}" -m audit "$@"\n'})
    for tool in tools.iterdir():
        tool.chmod(0o755)
    good = "id,label\n" + "".join(f"{item},{labels[item]}\n" for item in published)
    write(root, {"in/-good one.csv": good, "in/$(touch x).csv": "id,label\np1,maybe\n"})
    for files, code, said in (
        ("in/*one.csv", 0, "Accepted: in/-good one.csv"),
        ("in/*.csv", 1, "::error file=in/$(touch x).csv"),
        ("none/*", 1, "::error::no file is called like none/*"),
    ):
        given = {"FILES": files, "KIT": str(root / "kit"), "RUNNER_TEMP": str(tmp_path / "runner")}
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=root,
            env={**os.environ, **given, "PATH": f"{tools}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert said in done.stdout
    assert not (root / "x").exists()


def test_the_sample_passes_its_own_kit(run, tmp_path):
    """Every file that a load accepts is accepted by the kit, and every one that it reads is read alike."""
    flood, store = samples() / "flood-posts", tmp_path / "s.db"
    assert run("load", flood, "--store", store).exit_code == 0
    kit = tmp_path / "kit"
    assert (
        run(
            "participants", "flood-posts", kit, "--items", flood / "gold.csv", "--store", store
        ).exit_code
        == 0
    )
    files = [
        path for path in sorted((flood / "submissions").iterdir()) if path.name != "README.txt"
    ]
    by_kit = json.loads(run("check", *files, "--kit", kit, "--json").stdout)["files"]
    by_gold = json.loads(
        run("check", *files, "--campaign", flood, "--for", "participants", "--json").stdout
    )["files"]
    # the published items are known, and so is how many of them a file leaves out
    for each in by_kit:
        each.pop("missing")
        for issue in each["issues"]:
            if issue["slug"] == "missing-item":
                issue |= {"count": 1, "found": issue["found"].partition(" (")[0]}
    assert by_kit == by_gold
    assert all(each["accepted"] for each in by_kit)
