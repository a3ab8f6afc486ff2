"""Choose the tests of which the day measures nothing: ``python -m tests.same_ways``, which takes most of an hour.

The tests of the day run with everything measured, and which test goes which way is noted. Tests are then taken, first
those that go most ways a second, until every branch of the core that can be is gone by two of them, and then until
nearly every other branch is by one. Modules of which none is taken are written to same_ways.txt, and of the others what
takes long.
"""

import heapq
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from defusedxml import ElementTree

from tests import measuring

Way = tuple[str, int, int]
"""A file, the line from which, and the line to which."""
ENOUGH = 0.985
"""Which share of the ways outside the core is gone by what is measured."""
LONG = 0.05
"""From how many seconds on a test is named that is not taken, where others of its module are."""
ROOT = Path(__file__).parents[1]

if os.environ.get("AUDIT_SAME_WAYS"):  # as a plugin of the run below
    measuring.SAME_WAYS = frozenset()
    _noted: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
        """Begin a context of coverage's with each test."""
        measured, name = measuring.Measuring.of(item.config), measuring.name_of(item)
        if measured.is_on and _noted[-1:] != [name]:
            _noted.append(name)
            measured.coverage.switch_context(name)
        return (yield)


def main() -> None:
    """Run the tests, choose, and write the list."""
    with tempfile.TemporaryDirectory() as folder:
        data, times = Path(folder, "coverage"), Path(folder, "times.xml")
        measure(data, times)
        ways, seconds = ways_of(data), seconds_of(times)
    unmeasured = left_out(chosen(ways, seconds), seconds)
    measuring.LIST.write_text("".join(f"{name}\n" for name in unmeasured), encoding="utf-8")


def measure(data: Path, times: Path) -> None:
    """Run the tests of the day, and note who goes which way and takes how long."""
    options = ["-q", "-n", "auto", "--cov", "--cov-report=", "-p", "tests.same_ways", f"--junitxml={times}"]
    subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        env={**os.environ, "COVERAGE_FILE": str(data), "AUDIT_SAME_WAYS": "1"},
        cwd=ROOT,
        check=True,
    )


def left_out(measured: set[str], seconds: dict[str, float]) -> list[str]:
    """Modules without a measured test, and of the others the long tests that are not.

    >>> seconds = {"a/one::long": 3.0, "a/one::short": 0.01, "a/two::other": 0.1, "a/one::taken": 0.1}
    >>> left_out({"a/one::taken"}, seconds)
    ['a/one::long', 'a/two']
    """
    whole = {module_of(name) for name in seconds} - {module_of(name) for name in measured}
    long = {name for name, took in seconds.items() if took >= LONG and name not in measured}
    return sorted(whole | {name for name in long if module_of(name) not in whole})


def module_of(name: str) -> str:
    """The module of a test."""
    return name.partition("::")[0]


def ways_of(data: Path) -> dict[str, set[Way]]:
    """By test, what it goes; what importing the package goes is nobody's."""
    ways: dict[str, set[Way]] = defaultdict(set)
    with sqlite3.connect(data) as connection:
        rows = connection.execute(
            "SELECT context, path, fromno, tono FROM arc JOIN context ON context.id = context_id"
            " JOIN file ON file.id = file_id"
        )
        for test, path, before, after in rows:
            ways[test].add((path, before, after))
    imported = ways.pop("", set())
    return {test: found - imported for test, found in ways.items()}


def seconds_of(times: Path) -> dict[str, float]:
    """By test, how long all its cases take; of the tests in the folder of tests."""
    seconds: Counter[str] = Counter()
    for case in ElementTree.parse(times).iter("testcase"):
        *folders, folder, stem = case.attrib["classname"].split(".") if "." in case.attrib["classname"] else ("", "")
        if "tests" in (*folders, folder):
            seconds[f"{folder}/{stem}::{case.attrib['name'].partition('[')[0]}"] += float(case.attrib["time"])
    return dict(seconds)


def chosen(ways: dict[str, set[Way]], seconds: dict[str, float]) -> set[str]:
    """The tests that are to be measured.

    >>> ways = {"a::quick": {("x.py", 1, 2)}, "a::slow": {("x.py", 1, 2)}, "a::other": {("x.py", 3, 4)}}
    >>> sorted(chosen(ways, {"a::quick": 0.1, "a::slow": 9.0, "a::other": 9.0}))
    ['a::other', 'a::quick']
    """
    gone = Counter(way for found in ways.values() for way in found)
    is_core = {path: any(fnmatch(path, f"*/{part}") for part in measuring.CORE) for path, *_ in gone}
    core = {way: min(times, 2) for way, times in gone.items() if is_core[way[0]]}
    measured = taken(core, 0, ways, seconds)
    others = dict.fromkeys(gone.keys() - core.keys(), 1)
    left = {way: 1 for way in others if not any(way in ways[name] for name in measured)}
    return measured | taken(left, (1 - ENOUGH) * len(others), ways, seconds)


def taken(left: dict[Way, int], may_stay: float, ways: dict[str, set[Way]], seconds: dict[str, float]) -> set[str]:
    """The tests that go what is left, each way so often, until so few ways may stay."""
    measured: set[str] = set()

    def worth(name: str) -> tuple[float, str]:
        """What sorts the tests, the best first: ways that are still to go, a second."""
        return -len(ways[name] & left.keys()) / (seconds.get(name, 0) + 0.1), name

    queue = sorted(map(worth, ways))  # which is a heap
    while len(left) > may_stay:
        _, best = heapq.heappop(queue)
        now = worth(best)
        if queue and now > queue[0]:  # it was worth more when fewer were taken, as all of them were: none gets better
            heapq.heappush(queue, now)
            continue
        measured.add(best)
        for way in ways[best] & left.keys():
            left[way] -= 1
        left = {way: times for way, times in left.items() if times}
    return measured


if __name__ == "__main__":
    main()
