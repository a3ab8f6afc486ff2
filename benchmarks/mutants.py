"""Counts which small faults the tests find: `python -m benchmarks.mutants 60` tries so many more of mutants.md's list.

The list is drawn by a seed: comparisons, arithmetic, conditions, numbers and returned values of the package, each
named by its function and expression, so that it is found again after lines have moved. A mutant lives in a copy of the
checkout. It is tried by the tests that go its lines, the quickest first; which they are, a run of all tests says, with
everything measured (`tests/same_ways.py`): a quarter of an hour, once for each state of the package.
"""

import argparse
import ast
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests import same_ways

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("mutants.md")
N_MUTANTS, SEED = 300, 20
SECONDS, N_TESTS = 60.0, 200
"""How long the tests of one mutant take, as they were measured, and how many there are at most."""
ENDLESS = 600
"""After how many seconds a mutant that has not ended is taken to be endless."""
_OPPOSITE = {ast.Lt: ast.LtE, ast.Gt: ast.GtE, ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = _OPPOSITE | {after: before for before, after in _OPPOSITE.items()}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


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
            yield ast.unparse(ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values))
        case ast.UnaryOp(ast.Not(), operand):
            yield ast.unparse(operand)
        case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC and not is_text(left, right):
            yield ast.unparse(ast.BinOp(left, ARITHMETIC[type(operator)](), right))
        case ast.Constant(bool() as value):
            yield repr(not value)
        case ast.Constant(int() | float() as value):
            yield repr(value + 1)


def is_text(*operands: ast.AST) -> bool:
    """Whether one of them is text, with which nobody calculates."""
    return any(isinstance(each, ast.JoinedStr) or isinstance(getattr(each, "value", 0), str) for each in operands)


def span_of(lines: list[bytes], place: ast.expr) -> slice:
    """Where an expression stands in a module."""
    start, end = (sum(map(len, lines[: number - 1])) for number in (place.lineno, place.end_lineno or place.lineno))
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
            found = [(node, after) for after in mutations(node)] if isinstance(node, ast.expr) else []
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
            if not isinstance(child, ast.AST) or name in ("annotation", "returns", "decorator_list"):
                continue
            function = inside
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                function = ".".join(filter(None, (inside, child.name)))
            yield function, child
            yield from places(child, function)


def read_list() -> dict[Mutant, str]:
    """The kept list, and what became of each; what is gone with its function makes room for others, which are drawn."""
    rows = re.findall(
        r"^\| (audit/\S+) \| (.*) \| (.*) \| (.*) \| (\d+) \| ?(.*?) ?\|$", LIST.read_text("utf-8"), re.MULTILINE
    )
    plain = [[cell.replace(BAR, "|") for cell in row] for row in rows]
    became = {Mutant(path, name, before, after, int(nth)): word for path, name, before, after, nth, word in plain}
    every = {mutant: "" for path in sorted((ROOT / "audit").rglob("*.py")) for mutant, _ in mutants_of(ROOT, path)}
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

    @classmethod
    def of(cls, ways: Path) -> "Measured":
        """What a file holds, which is made where there is none; beside it stand the times."""
        times = ways.with_name("times.xml")
        if not ways.exists():
            same_ways.measure(ways, times)
        return cls(sqlite3.connect(ways), same_ways.seconds_of(times))

    def tests_for(self, root: Path, mutant: Mutant, place: ast.expr) -> list[str]:
        """The quickest tests that go its lines; where none does, its function's, and last its module's."""
        tree = ast.parse((root / mutant.path).read_text(encoding="utf-8"))
        around = [node for name, node in places(tree) if name == mutant.function and isinstance(node, ast.stmt)]
        parts: list[ast.expr | ast.stmt | ast.Module] = [place, *around[:1], tree]
        names = next(filter(None, (self._going(mutant.path, part) for part in parts)), [])
        modules, left = {f"{path.parent.name}/{path.stem}": path for path in root.rglob("*.[pm]*")}, SECONDS
        chosen: dict[Path, list[str]] = {}  # of one module together, whose fixtures are then made once
        for name in names[:N_TESTS]:
            module, _, test = name.partition("::")
            left -= self.seconds.get(name, 0)
            if module in modules and (left > 0 or not chosen):
                chosen.setdefault(modules[module].relative_to(root), []).append(test)
        return [f"{module}::{test}" for module, tests in chosen.items() for test in tests]

    def _going(self, path: str, part: ast.expr | ast.stmt | ast.Module) -> list[str]:
        """The tests that go to or from the lines of a part other than in importing it, the quickest first."""
        first, last = (1, sys.maxsize) if isinstance(part, ast.Module) else (part.lineno, part.end_lineno)
        rows = self.ways.execute(
            "SELECT DISTINCT context FROM arc JOIN file ON file.id = file_id JOIN context ON context.id = context_id"
            " WHERE path LIKE '%/' || ? AND context <> '' AND (fromno BETWEEN ? AND ? OR tono BETWEEN ? AND ?)",
            (path, first, last, first, last),
        )
        return sorted((name for (name,) in rows), key=lambda name: (self.seconds.get(name, 0), name))


def run_tests(root: Path, tests: list[str]) -> str:
    """The first test that fails, or nothing where all pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n", "0", *tests]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=ENDLESS, check=False
        )
    except subprocess.TimeoutExpired:
        return "taking no end"
    failed = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+::[^\s\[]+)", done.stdout, re.MULTILINE)
    return failed[1] if failed else "" if done.returncode == 0 else "being imported"


def tried(root: Path, mutant: Mutant, measured: Measured) -> str:
    """What becomes of a mutant; a test that fails without it, too, has not found it."""
    path = root / mutant.path
    place = dict(mutants_of(root, path)).get(mutant) if path.exists() else None
    if place is None:
        return "gone"
    tests, source = measured.tests_for(root, mutant, place), path.read_bytes()
    span = span_of(source.splitlines(keepends=True), place)
    while tests:
        path.write_bytes(source[: span.start] + f"({mutant.after})".encode() + source[span.stop :])
        found = run_tests(root, tests)
        path.write_bytes(source)
        if not found:
            break
        failed = [found] if found in tests else tests
        if not run_tests(root, failed):
            return f"killed by {found}"
        tests = [test for test in tests if test not in failed]
    return "survived"


def main() -> None:
    """Try so many of the list that were not tried yet, and write what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, help="how many mutants are tried")
    parser.add_argument("--again", default="", metavar="WORD", help="those that became so: killed, survived, …")
    parser.add_argument("--measured", type=Path, default=ROOT / ".checks/ways", help="where is kept who goes which way")
    asked = parser.parse_args()
    found, measured = read_list(), Measured.of(asked.measured)
    wanted = [each for each, became in found.items() if word_of(became) == asked.again]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "checkout")
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".venv", ".git", ".*_cache", ".checks"))
        for mutant in wanted[: asked.number]:
            found[mutant] = tried(root, mutant, measured)
            LIST.write_text(written(found), encoding="utf-8")
            print(found[mutant], mutant.row, flush=True)


if __name__ == "__main__":
    main()
