"""Campaigns as they were downloaded, each read in both ways: the table of door.md.

Run `python benchmarks/door.py`; it needs the campaigns of `../shared/data`, and takes some minutes. Every row is the
product as its users have it: `audit run`, in a process of its own, with the files as they are. Where it asks, its
printed command is run. What it said is compared with what stands in the store and with the right reading.
"""

import argparse
import contextlib
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from audit.store import open_store

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
MOST_COMMANDS = 4
CQA = "semeval2016-task3-cqa/SemEval2016_task3_submissions_and_scores"
HIPE = {
    "newseye-sv": (3, 2),
    "newseye-fi": (3, 2),
    "ajmc-fr": (9, 4),
    "hipe2020-en": (10, 5),
    "topres19th-en": (6, 4),
}
CQA_GOLD = {
    "A": ("SemEval2016-Task3-CQA-QL-test-subtaskA.xml.subtaskA.relevancy", (32, 13)),
    "B": ("SemEval2016-Task3-CQA-QL-test.xml.subtaskB.relevancy", (28, 12)),
    "C": ("SemEval2016-Task3-CQA-QL-test.xml.subtaskC.relevancy", (13, 11)),
    "D": ("SemEval2016-Task3-CQA-MD-test.xml.subtaskD.relevancy", (16, 6)),
}


@dataclass(frozen=True)
class Case:
    """One campaign: where it stands, which file is gold, and the right reading by its SOURCE.md."""

    name: str
    folder: str  # below the data, or in an unpacked repository
    gold: str
    submissions: Sequence[str]
    sizes: Sequence[tuple[int, int]]  # submissions and teams of each test set
    options: Sequence[str] = ()
    ways: str = "AB"


CASES = (
    Case(
        "swisstext",
        "swisstext2024-sdg",
        "data/testdata_results.jsonl",
        ["data/participant_submissions"],
        [(15, 7)],
    ),
    Case(
        "IronITA A",
        "evalita2018-ironita",
        "IronITA/evaluation_ironita2018/test_gold_ironita2018.xlsx",
        ["IronITA/results"],
        [(19, 9)],
    ),
    Case(
        "IronITA B",
        "evalita2018-ironita",
        "IronITA/evaluation_ironita2018/test_gold_ironita2018.xlsx",
        ["IronITA/results"],
        [(9, 6)],
        ["--label", "sarcasm"],
    ),
    Case("dstc9", "dstc9-track1", "data_eval/test/labels.json", ["results"], [(83, 19)]),
    *(
        Case(
            f"HIPE {name}",
            "hipe2022-nerc",
            "data/HIPE-2022-v2.1-{}-test-{}.tsv".format(*name.split("-")),
            ["evaluation/submitted/*_{}_{}_*".format(*name.split("-"))],
            [sizes],
            ways="A",
        )
        for name, sizes in HIPE.items()
    ),
    Case("HIPE, five sets", "hipe2022-nerc", "", [], list(HIPE.values()), ways="B"),
    Case(
        "arct",
        "semeval2018-task12-arct",
        "data/gold/truth.txt",
        ["data/submissions"],
        [(23, 23)],
    ),
    Case(
        "emoji",
        "semeval2018-task2-emoji-en",
        "tools/detailed_results/us_test.labels",
        ["results/teams"],
        [(48, 48)],
    ),
    Case(
        "llmjudge, teams by --name",
        "llmjudge-2024",
        "gold/llmjudge_test_qrel_idx.txt",
        ["submissions"],
        [(33, 7)],
        ["--name", "{team}-{run}"],
    ),
    Case(
        "wnut", "wnut2017-emerging-entities", "emerging.test.annotated", ["submissions"], [(7, 7)]
    ),
    Case("dstc11", "dstc11-track5", "data/test/labels.json", ["results.zip"], [(48, 15)]),
    Case("compstats", "compstats-six-systems", "", ["CompStats/tests/data.csv"], [(6, 6)]),
    *(
        Case(
            f"cqa {part}",
            CQA,
            f"_gold/{gold}",
            [f"*/subtask_{part}_*.txt"],
            [sizes],
            ways="A",
        )
        for part, (gold, sizes) in CQA_GOLD.items()
    ),
    Case("cqa, four tracks", CQA, "", [], [sizes for _, sizes in CQA_GOLD.values()], ways="B"),
    *(
        Case(
            f"wmt {pair}",
            f"wmt-qe2022/{pair}",
            f"gold/{gold}",
            ["submissions"],
            [(n_files, n_files)],
            ["--kind", "ratings"],
        )
        for pair, gold, n_files in (
            ("km-en", "test2022.km-en.da_score", 8),
            ("en-cs", "test.2022.en-cs.da_score", 9),
            ("en-mr", "test.2022.en-mr.da_score", 9),
        )
    ),
)


@dataclass
class Result:
    """What came of one campaign read in one way."""

    commands: int = 0
    sizes: list[tuple[int, int]] = field(default_factory=list)
    false: list[str] = field(default_factory=list)  # statements that the store or the truth denies
    seconds: float = 0.0  # of the processor, of the command that made the report
    last: str = ""  # what the last command printed


@contextlib.contextmanager
def unpacked(case: Case) -> Iterator[Path]:
    """The folder of a campaign; a downloaded repository is unpacked."""
    archive = DATA / "downloads" / f"{case.folder}.zip"
    if not archive.exists():
        yield DATA / case.folder
        return
    with tempfile.TemporaryDirectory() as place:
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(place)
        (folder,) = Path(place).iterdir()
        yield folder


def arguments(case: Case, folder: Path, way: str) -> list[str]:
    """The command line behind `audit run`."""
    if way == "B":
        return [str(folder), *case.options]
    submissions = [str(folder / each) for each in case.submissions]
    if not case.gold:
        return [*submissions, *case.options]
    return ["--gold", str(folder / case.gold), *submissions, *case.options]


def run(case: Case, folder: Path, way: str) -> Result:
    """One campaign read in one way: its command, and those that it printed where it asked."""
    result = Result()
    words = arguments(case, folder, way)
    with tempfile.TemporaryDirectory() as place:
        for _ in range(MOST_COMMANDS):
            store = Path(place, "a.db")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [sys.executable, "-m", "audit", "run", *words, "--store", str(store)]
            done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            result.commands += 1
            result.last = done.stderr or done.stdout
            result.seconds = sum(after[:2]) - sum(before[:2])
            if done.returncode == 0:
                check(case, done.stderr, store, result)
                return result
            words = printed_command(case, folder, done.stderr)
            if not words:
                break
    result.sizes = []
    return result


def printed_command(case: Case, folder: Path, text: str) -> list[str]:
    """The command that a question prints for the file that is gold; empty where it names none."""
    flat = " ".join(text.split())
    asked = re.search(r"audit run (\S+) --gold", flat)
    golds = re.findall(r"--gold (\S+)", flat)
    truth = str(folder / case.gold)
    if asked is None or truth not in map(unquoted, golds):
        return []
    return [unquoted(asked[1]), "--gold", truth]


def unquoted(word: str) -> str:
    """A word as the shell reads it."""
    return "".join(shlex.split(word))


def check(case: Case, said: str, store: Path, result: Result) -> None:
    """Compare what was said with the store, and both with the right reading."""
    with open_store(store) as opened:
        for task in opened.tasks():
            runs = opened.submissions(task.slug)
            result.sizes.append((len(runs), len({each.team for each in runs})))
    flat = " ".join(said.split())
    told_runs = [int(n) for n in re.findall(r"(?<=[.)] )(\d+) submissions?, matched", flat)]
    parties = r"(\d+) (?:team|baseline)s?(?: and (\d+) baselines?)? by "
    told_teams = [sum(int(n or 0) for n in found) for found in re.findall(parties, flat)]
    if told_runs and sorted(told_runs) != sorted(runs for runs, _ in result.sizes):
        result.false.append(f"{told_runs} submissions")
    if told_teams and sorted(told_teams) != sorted(teams for _, teams in result.sizes):
        result.false.append(f"{told_teams} teams")
    if sorted(result.sizes) != sorted(case.sizes):
        result.false.append(f"{result.sizes} for {list(case.sizes)}")
    if "IronITA A" in case.name and "9 of the submissions have it" not in flat:
        result.false.append("how many have sarcasm")


def shown(sizes: Sequence[tuple[int, int]]) -> str:
    """Submissions and teams of each test set."""
    return " · ".join(f"{runs}/{teams}" for runs, teams in sorted(sizes)) or "–"


# A folder of many files


def write_folder(place: Path, ending: str, n_files: int = 300, n_items: int = 1000) -> None:
    """Gold and the answers of a hundred teams, three runs each."""
    draw = random.Random(1)  # noqa: S311 - answers, no secret
    gold = [draw.choice(["neg", "neu", "pos"]) for _ in range(n_items)]
    write_file(place / f"gold.{ending}", gold)
    for number in range(n_files):
        right = 0.5 + number / (3 * n_files)
        labels = [
            label if draw.random() < right else draw.choice(["neg", "neu", "pos"]) for label in gold
        ]
        write_file(place / "runs" / f"team{number // 3:03}_run{number % 3 + 1}.{ending}", labels)


def write_file(path: Path, labels: Sequence[str]) -> None:
    """A file of ids, texts and labels."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [(f"item{n:05}", f"some words of item {n}", label) for n, label in enumerate(labels)]
    if path.suffix == ".json":
        cells = ['{"id": "%s", "text": "%s", "label": "%s"}' % row for row in rows]  # noqa: UP031
        path.write_text(f"[{','.join(cells)}]", encoding="utf-8")
        return
    separator = {".csv": ",", ".tsv": "\t"}[path.suffix]
    lines = [separator.join(row) for row in [("id", "text", "label"), *rows]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def seconds_of_folder(ending: str, way: str) -> float:
    """Processor time of `audit load` on 300 files of 1,000 items."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write_folder(place / "campaign", ending)
        words = [str(place / "campaign")]
        if way == "A":
            runs = str(place / "campaign" / "runs")
            words = ["--gold", str(place / "campaign" / f"gold.{ending}"), runs]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "audit", "load", *words, "--store", str(place / "a.db")]
        subprocess.run(command, cwd=place, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return sum(after[:2]) - sum(before[:2])


def main() -> None:
    """Print the rows of both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="campaigns whose name holds this")
    parser.add_argument("--said", action="store_true", help="print what each command said, too")
    stated = parser.parse_args()
    print("| campaign | way | commands | submissions/teams | false statements | seconds |")
    print("|---|---|---|---|---|---|")
    for case in CASES:
        if stated.only not in case.name:
            continue
        for way in case.ways:
            with unpacked(case) as folder:
                found = run(case, folder, way)
            commands = found.commands if found.sizes else "none"
            false = "; ".join(found.false) or "0"
            cells = [case.name, way, commands, shown(found.sizes), false, f"{found.seconds:.1f}"]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
            if stated.said or not found.sizes:
                print(found.last)
    if not stated.only:
        print("\n| 300 files of 1,000 items | A | B |\n|---|---|---|")
        for ending in ("csv", "tsv", "json"):
            both = [f"{seconds_of_folder(ending, way):.1f} s" for way in "AB"]
            print(f"| {ending} | {' | '.join(both)} |", flush=True)


if __name__ == "__main__":
    main()
