"""Counts which small faults the tests find: `python benchmarks/mutants.py 60` tries so many more of mutants.md's list.

The list is drawn once, by a seed: comparisons, arithmetic, conditions, numbers and returned values of the package, each
named by its function and expression, so that it is found again after lines have moved. A mutant lives in a copy of the
checkout. Tests that name its function run first, then those that name its module, and those of its room.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("mutants.md")
N_MUTANTS, SEED = 300, 20
SECONDS = 240
"""How long the tests of one mutant may take; what is not found by then is tried again another time."""
ROOMS = {
    "cli": ("cli",),
    "domain": ("formats", "evaluation", "sets"),
    "execution": ("execution",),
    "formats": ("formats",),
    "inference": ("inference",),
    "metrics": ("metrics",),
    "notebook": ("notebook", "evaluation"),
    "questions": ("flags", "report", "revision", "paper", "figures", "readings"),
    "ranking": ("ranking",),
    "readings": ("readings",),
    "service": ("hosting", "jobs"),
    "store": ("store",),
    "verification": ("export",),
    "web": ("web",),
    "workflow": ("platforms", "export", "cli"),
    "writers": ("report", "export", "paper", "figures"),
}
"""The folders of tests in which a mutant of a room is looked for after those that name it."""
COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
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


def mutants_of(root: Path, path: Path) -> Iterator[tuple[Mutant, ast.expr]]:
    """Each mutant of a module, with the expression that it changes."""
    source = path.read_text(encoding="utf-8")
    alike: Counter[tuple[str, str, str]] = Counter()
    for function, node in places(ast.parse(source)):
        if isinstance(node, ast.Return) and node.value is not None:
            found: list[tuple[ast.expr, str]] = [(node.value, "None")]
        else:
            found = [(node, after) for after in mutations(node)] if isinstance(node, ast.expr) else []
        for place, after in found:
            before = " ".join((ast.get_source_segment(source, place) or "").split())
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


def drawn() -> list[Mutant]:
    """The list, drawn by its seed from every mutant of the package."""
    every = [each for path in sorted((ROOT / "audit").rglob("*.py")) for each, _ in mutants_of(ROOT, path)]
    return random.Random(SEED).sample(every, N_MUTANTS)  # noqa: S311 - nothing secret


def read_list() -> dict[Mutant, str]:
    """The kept list, and what became of each: nothing yet, killed by a test, survived, or gone with its function."""
    if not LIST.exists():
        return dict.fromkeys(drawn(), "")
    rows = re.findall(
        r"^\| (audit/\S+) \| (.*) \| (.*) \| (.*) \| (\d+) \| ?(.*?) ?\|$", LIST.read_text("utf-8"), re.MULTILINE
    )
    plain = [[cell.replace(BAR, "|").strip("`") for cell in row] for row in rows]
    return {
        Mutant(path, function, before, after, int(nth)): became for path, function, before, after, nth, became in plain
    }


def written(found: dict[Mutant, str]) -> str:
    """The list as a page."""
    counted = Counter(became.partition(" ")[0] for became in found.values() if became)
    head = (
        "# Mutants\n\nSmall faults put into `audit/`, and the test that found each: by `benchmarks/mutants.py`, which "
        f"draws the list once. Tried: {sum(counted.values())} of {len(found)}; "
        f"{', '.join(f'{number} {word}' for word, number in sorted(counted.items()))}.\n\n"
        "| module | function | in place of | stands | place | became |\n| --- | --- | --- | --- | --- | --- |\n"
    )
    return head + "".join(f"{mutant.row}| {became} |\n" for mutant, became in found.items())


def put(root: Path, mutant: Mutant) -> str | None:
    """Put a fault into a copy of the checkout; what the module was before, or None where the place is gone."""
    path = root / mutant.path
    place = dict(mutants_of(root, path)).get(mutant) if path.exists() else None
    if place is None:
        return None
    source = path.read_text(encoding="utf-8")
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    start = sum(map(len, lines[: place.lineno - 1])) + place.col_offset
    end = sum(map(len, lines[: (place.end_lineno or place.lineno) - 1])) + (place.end_col_offset or 0)
    whole = source.encode()
    path.write_bytes(whole[:start] + f"({mutant.after})".encode() + whole[end:])
    return source


def tests_for(root: Path, mutant: Mutant) -> list[list[str]]:
    """The tests that name the function, the others that name the module, and the rest of those of the room."""
    room, module = Path(mutant.path).parts[1].removesuffix(".py"), Path(mutant.path).stem
    names = [name for name in mutant.function.split(".") if name] or [module]
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(root.glob("tests/**/test_*.py"))}
    folders = ROOMS.get(room, ("evaluation", "report", "cli"))

    def near(path: Path) -> bool:
        return path.relative_to(root / "tests").parts[0] in folders

    naming = [path for path, text in texts.items() if any(re.search(rf"\b{name}\b", text) for name in names)]
    of_module = [path for path, text in texts.items() if re.search(rf"\b{module}\b", text) or module in path.stem]
    of_room = [path for path in texts if near(path)]
    groups, seen = [], set[Path]()
    for group in (sorted(naming, key=near, reverse=True)[:6], sorted(of_module, key=near, reverse=True)[:6], of_room):
        new = [str(path) for path in group if path not in seen]
        seen |= set(group)
        groups += [new] if new else []
    return groups


def run_tests(root: Path, tests: list[str], seconds: float) -> str | None:
    """The first test that fails, or None: where all pass, or time is up."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n", "0", *tests]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=max(seconds, 1), check=False
        )
    except subprocess.TimeoutExpired:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return failed[1] if failed else None


def tried(root: Path, mutant: Mutant) -> str:
    """What becomes of a mutant; a test that fails without it, too, has not found it."""
    until = time.monotonic() + SECONDS
    for tests in tests_for(root, mutant):
        before = put(root, mutant)
        if before is None:
            return "gone"
        found = run_tests(root, tests, until - time.monotonic())
        (root / mutant.path).write_text(before, encoding="utf-8")
        if found is not None and run_tests(root, [found], SECONDS) is None:
            return f"killed by {found}"
    return "survived" if time.monotonic() < until else "unfinished"


def main() -> None:
    """Try so many of the list that were not tried yet, and write what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, help="how many mutants are tried")
    parser.add_argument("--again", action="store_true", help="those that were killed, on the code as it is now")
    asked = parser.parse_args()
    found = read_list()
    wanted = [each for each, became in found.items() if became.startswith("killed") == asked.again and became != "gone"]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "checkout")
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".venv", ".git", ".*_cache", ".checks"))
        for mutant in wanted[: asked.number]:
            found[mutant] = tried(root, mutant)
            LIST.write_text(written(found), encoding="utf-8")
            print(found[mutant], mutant.row, flush=True)


if __name__ == "__main__":
    main()
