"""Counts which small faults the tests find: `python -m benchmarks.mutants 60` tries so many more of mutants.md's list.

The list is drawn by a seed: comparisons, arithmetic, conditions, numbers and returned values of the package, each
named by its function and expression, so that it is found again after lines have moved. A mutant lives in a copy of the
checkout. It is tried by the tests that go its lines, the quickest first; which they are, a run of all tests says, with
coverage of each test noted: a quarter of an hour, once for each state of the package. What survives is
read: it is held by a further test, or the code is simplified, or the list says why it is equivalent or immaterial.
"""

import argparse
import ast
import importlib
import multiprocessing
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("mutants.md")
N_MUTANTS, SEED = 300, 20
IMPORTED = (
    "fastapi.testclient",
    "matplotlib.pyplot",
    "pandas",
    "schemathesis",
    "scipy.stats",
    "sqlalchemy.orm",
)
SECONDS, N_TESTS, N_NAMING = 60.0, 200, 4
"""How long the tests that go a mutant's lines take, how many they are, and how many modules that name it, at most."""
GOLDEN = Path("tests/golden/test_golden.py")
ENDLESS = 600
"""After how many seconds a mutant that has not ended is taken to be endless."""
_OPPOSITE = {
    ast.Lt: ast.LtE,
    ast.Gt: ast.GtE,
    ast.Eq: ast.NotEq,
    ast.Is: ast.IsNot,
    ast.In: ast.NotIn,
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = _OPPOSITE | {
    after: before for before, after in _OPPOSITE.items()
}
ARITHMETIC = dict[type[ast.operator], type[ast.operator]](
    {
        ast.Add: ast.Sub,
        ast.Sub: ast.Add,
        ast.Mult: ast.Add,
        ast.BitOr: ast.BitAnd,
        ast.BitAnd: ast.BitOr,
    }
    | dict.fromkeys((ast.Div, ast.FloorDiv, ast.Mod, ast.Pow), ast.Mult)
)


@dataclass(frozen=True)
class Mutant:
    """One fault: the place of an expression, what stands there, and what is to stand there."""

    path: str
    function: str
    before: str
    after: str
    nth: int
    """Which of the places in the function that read alike."""

    @property
    def row(self) -> str:
        """The beginning of its line in the list."""
        cells = (self.path, self.function, self.before, self.after, str(self.nth))
        return "".join(f"| {cell.replace('|', BAR)} " for cell in cells)


BAR = "&#124;"
"""A vertical bar in a cell of the list."""


def mutations(node: ast.AST) -> Iterator[str]:
    """What may stand in place of an expression."""
    match node:
        case ast.Compare(left, [operator], [right]) if type(operator) in COMPARISONS:
            yield ast.unparse(ast.Compare(left, [COMPARISONS[type(operator)]()], [right]))
        case ast.BoolOp(operator, values):
            yield ast.unparse(
                ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
            )
        case ast.UnaryOp(ast.Not(), operand):
            yield ast.unparse(operand)
        case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC and not is_text(
            left, right
        ):
            yield ast.unparse(ast.BinOp(left, ARITHMETIC[type(operator)](), right))
        case ast.Constant(bool() as value):
            yield repr(not value)
        case ast.Constant(int() | float() as value):
            yield repr(value + 1)


def is_text(*operands: ast.AST) -> bool:
    """Whether one of them is text, with which nobody calculates."""
    return any(
        isinstance(each, ast.JoinedStr) or isinstance(getattr(each, "value", 0), str)
        for each in operands
    )


def span_of(lines: list[bytes], place: ast.expr) -> slice:
    """Where an expression stands in a module."""
    start, end = (
        sum(map(len, lines[: number - 1]))
        for number in (place.lineno, place.end_lineno or place.lineno)
    )
    return slice(start + place.col_offset, end + (place.end_col_offset or 0))


def mutants_of(root: Path, path: Path) -> Iterator[tuple[Mutant, ast.expr]]:
    """Each mutant of a module, with the expression that it changes."""
    source = path.read_bytes()
    lines = source.splitlines(keepends=True)
    alike: Counter[tuple[str, str, str]] = Counter()
    for function, node in places(ast.parse(source)):
        if isinstance(node, ast.Return) and node.value is not None:
            found: list[tuple[ast.expr, str]] = [(node.value, "None")]
        else:
            found = (
                [(node, after) for after in mutations(node)] if isinstance(node, ast.expr) else []
            )
        for place, after in found:
            before = " ".join(source[span_of(lines, place)].decode().split())
            if before != after:
                alike[function, before, after] += 1
                nth = alike[function, before, after]
                yield Mutant(path.relative_to(root).as_posix(), function, before, after, nth), place


def places(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every node but annotations, with the name of the function that it stands in."""
    for name, value in ast.iter_fields(tree):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or name in (
                "annotation",
                "returns",
                "decorator_list",
            ):
                continue
            function = inside
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                function = ".".join(filter(None, (inside, child.name)))
            yield function, child
            yield from places(child, function)


def read_list() -> dict[Mutant, str]:
    """The kept list, and what became of each; what is gone with its function makes room for others, which are drawn."""
    rows = re.findall(
        r"^\| (audit/\S+) \| (.*) \| (.*) \| (.*) \| (\d+) \| ?(.*?) ?\|$",
        LIST.read_text("utf-8"),
        re.MULTILINE,
    )
    plain = [[cell.replace(BAR, "|") for cell in row] for row in rows]
    became = {
        Mutant(path, name, before, after, int(nth)): word
        for path, name, before, after, nth, word in plain
    }
    every = {
        mutant: ""
        for path in sorted((ROOT / "audit").rglob("*.py"))
        for mutant, _ in mutants_of(ROOT, path)
    }
    kept = [mutant for mutant in became if mutant in every]
    others = [mutant for mutant in every if mutant not in became]
    more = random.Random(SEED).sample(others, N_MUTANTS - len(kept))  # noqa: S311 - nothing secret
    return {mutant: became.get(mutant, "") for mutant in (*kept, *more)}


def word_of(became: str) -> str:
    """What became of a mutant, in one word; a reason may follow."""
    return re.split(r"\W", became, maxsplit=1)[0]


def written(found: dict[Mutant, str]) -> str:
    """The list as a page."""
    counted = Counter(map(word_of, filter(None, found.values())))
    head = (
        "# Mutants\n\nSmall faults put into `audit/`, and the test that found each: by `benchmarks/mutants.py`, which "
        f"draws them. Tried: {sum(counted.values())} of {len(found)}; "
        f"{', '.join(f'{number} {word}' for word, number in sorted(counted.items()))}.\n\n"
        "| module | function | in place of | stands | place | became |\n| --- | --- | --- | --- | --- | --- |\n"
    )
    return head + "".join(f"{mutant.row}| {became} |\n" for mutant, became in found.items())


@dataclass(frozen=True)
class Measured:
    """Which test goes which lines of the package, and how long it takes."""

    ways: sqlite3.Connection
    seconds: dict[str, float]

    def tests_for(self, root: Path, mutant: Mutant, place: ast.expr) -> list[str]:
        """The quickest tests that go its lines; where none does, its function's, or its module's; then who names it."""
        tree = ast.parse((root / mutant.path).read_text(encoding="utf-8"))
        around = [
            node
            for name, node in places(tree)
            if name == mutant.function and isinstance(node, ast.stmt)
        ]
        nodes: list[ast.expr | ast.stmt] = [place, *around[:1]]
        spans = [*((node.lineno, node.end_lineno or 0) for node in nodes), (1, sys.maxsize)]
        ways = self.ways.execute(  # without those of importing
            "SELECT context, fromno, tono FROM arc JOIN file ON file.id = file_id JOIN context ON context.id ="
            " context_id WHERE path LIKE '%/' || ? AND context <> ''",
            (mutant.path,),
        ).fetchall()
        going = (
            {
                test_name(context)
                for context, *ends in ways
                if any(first <= at <= last for at in ends)
            }
            for first, last in spans
        )
        names = sorted(
            next(filter(None, going), ()), key=lambda name: (self.seconds.get(name, 0), name)
        )
        paths = [path for kind in ("py", "md") for path in sorted(root.rglob(f"*.{kind}"))]
        texts = {path.relative_to(root): path.read_text(encoding="utf-8") for path in paths}
        modules, left = {f"{path.parent.name}/{path.stem}": path for path in texts}, SECONDS
        # of one module together, whose fixtures are then made once
        chosen: dict[Path, list[str]] = {}
        for name in names[:N_TESTS]:
            module, _, test = name.partition("::")
            left -= self.seconds.get(name, 0)
            if left > 0 and test.rpartition(".")[2] in texts.get(modules.get(module, Path()), ""):
                chosen.setdefault(modules[module], []).append(f"::{test}")
        word = re.compile(rf"\b{mutant.function.rpartition('.')[2] or Path(mutant.path).stem}\b")
        naming = [
            path for path, text in texts.items() if path.match("test_*.py") and word.search(text)
        ]
        for path in (*naming[:N_NAMING], GOLDEN):
            # all of its tests: what fixtures go, which tests share, is not measured
            chosen[path] = [""]
        return [f"{module}{test}" for module, of_module in chosen.items() for test in of_module]


def measure(data: Path, times: Path) -> None:
    """Run the tests; note for each test which lines it runs, and how long it takes."""
    options = [
        "-q",
        "-n",
        "auto",
        "--cov",
        "--cov-report=",
        "--cov-context=test",
        f"--junitxml={times}",
    ]
    environment = {**os.environ, "COVERAGE_FILE": str(data)}
    subprocess.run(
        [sys.executable, "-m", "pytest", *options], env=environment, cwd=ROOT, check=True
    )


def test_name(context: str) -> str:
    """The name of a test as pytest-cov notes it, shortened to folder, module and function.

    >>> test_name("tests/metrics/test_laws.py::test_ranges[kappa]|run")
    'metrics/test_laws::test_ranges'
    """
    path, _, function = context.partition("|")[0].partition("[")[0].partition("::")
    return f"{Path(path).parent.name}/{Path(path).stem}::{function}"


def seconds_of(times: Path) -> dict[str, float]:
    """How long all cases of each test take, by its short name."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for case in ET.parse(times).iter("testcase"):  # noqa: S314 - our own
        path = case.attrib["classname"].replace(".", "/")
        seconds[test_name(f"{path}.py::{case.attrib['name']}")] += float(case.attrib["time"])
    return dict(seconds)


def run_tests(root: Path, tests: list[str]) -> str:
    """The first test that fails, or nothing where all pass: in a child, which begins with all but ours imported."""
    output = root.with_name("output")
    child = multiprocessing.get_context("fork").Process(target=_pytest, args=(root, tests, output))
    child.start()
    child.join(ENDLESS)
    if child.exitcode is None:
        child.kill()
        return "taking no end"
    failed = re.search(
        r"^(?:FAILED|ERROR) ([^\s\[]+::[^\s\[]+)",
        output.read_text("utf-8", "replace"),
        re.MULTILINE,
    )
    return failed[1] if failed else "" if child.exitcode == 0 else "being imported"


def _pytest(root: Path, tests: list[str], output: Path) -> None:
    """What the child does: the tests of a checkout on its package."""
    with output.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "benchmarks")]:
        del sys.modules[name]
    sys.path[:0] = [str(root)]
    os.chdir(root)
    os.environ["PYTHONPATH"] = str(root)
    options = [
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-n",
        "0",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    ]
    unshrunk = settings(settings.get_profile("day"), phases=(Phase.explicit, Phase.generate))
    settings.register_profile("unshrunk", unshrunk)
    os._exit(pytest.main([*options, "--hypothesis-profile=unshrunk", *tests]))


def tried(root: Path, mutant: Mutant, measured: Measured) -> str:
    """What becomes of a mutant."""
    path = root / mutant.path
    place = dict(mutants_of(root, path))[mutant]
    tests, source = measured.tests_for(root, mutant, place), path.read_bytes()
    span = span_of(source.splitlines(keepends=True), place)
    path.write_bytes(source[: span.start] + f"({mutant.after})".encode() + source[span.stop :])
    found = run_tests(root, tests)
    path.write_bytes(source)
    if not found:
        return "survived"
    fails_anyway = run_tests(root, [found] if "::" in found else tests)
    return f"undecided, as {found} fails without it" if fails_anyway else f"killed by {found}"


def main() -> None:
    """Try so many of the list that were not tried yet, and write what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, help="how many mutants are tried")
    parser.add_argument(
        "--again", default="", metavar="WORD", help="those that became so: killed, survived, …"
    )
    parser.add_argument(
        "--measured",
        type=Path,
        default=ROOT / ".checks/ways",
        help="where is kept who goes which way",
    )
    asked = parser.parse_args()
    times = asked.measured.with_name("times.xml")
    if not asked.measured.exists():
        asked.measured.parent.mkdir(exist_ok=True)
        measure(asked.measured, times)
    found, measured = read_list(), Measured(sqlite3.connect(asked.measured), seconds_of(times))
    wanted = [each for each, became in found.items() if word_of(became) == asked.again]
    list(map(importlib.import_module, IMPORTED))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "checkout")
        shutil.copytree(
            ROOT, root, ignore=shutil.ignore_patterns(".venv", ".git", ".*_cache", ".checks")
        )
        for mutant in wanted[: asked.number]:
            found[mutant] = tried(root, mutant, measured)
            LIST.write_text(written(found), encoding="utf-8")
            print(found[mutant], mutant.row, flush=True)


if __name__ == "__main__":
    main()
