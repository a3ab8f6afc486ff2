"""Coverage, measured of what goes ways of its own: it doubles a test's time, and most tests go ways that others go.

By day nothing is measured of the modules that same_ways.txt lists (``python -m tests.same_ways`` chooses them anew), of
further cases of one test, of fixtures that several tests share, and of collecting, before which every module of the
package is imported. By night all is measured.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from coverage import Coverage

from tests.nightly import ALL, untraced

_RULES = (
    "against_baselines",
    "claim",
    "comparisons",
    "distributions",
    "first_place",
    "handed_in",
    "macro_f1",
    "metrics",
    "policies",
    "power_sentences",
    "published",
    "rounding",
    "runs",
    "scale",
    "shown_intervals",
    "slices",
    "spans_beside_tokens",
    "to_do",
    "winner_changes",
    "wording",
)
CORE = (
    "audit/metrics/*",
    "audit/inference/*",
    "audit/ranking/*",
    "audit/evaluation.py",
    *(f"audit/questions/{name}.py" for name in _RULES),
)
"""What is covered branch by branch, or the run fails."""
LIST = Path(__file__).with_name("same_ways.txt")
WHOLE = (
    "test_measures",
    "test_sentences",
    "test_compiled",
    "test_readme",
    "test_reference",
    "test_further_metric",
    "test_names",
)
"""Modules of whose cases none goes a way of another's."""
MEASURED_CASES = 12
"""Of how many cases of one test coverage is measured by day."""
SAME_WAYS = frozenset(LIST.read_text(encoding="utf-8").split())
"""Modules, and tests of others, of which nothing is measured by day: others go the same ways."""


class Measuring:
    """Whether coverage is measured at this moment."""

    def __init__(self, coverage: Coverage | None) -> None:
        self.coverage = coverage
        self.is_on = coverage is not None

    @classmethod
    def of(cls, config: pytest.Config) -> "Measuring":
        """Of a run: its own measuring, or none where none was asked for."""
        if _MEASURING not in config.stash:
            controller = getattr(config.pluginmanager.getplugin("_cov"), "cov_controller", None)
            config.stash[_MEASURING] = cls(getattr(controller, "cov", None))
        return config.stash[_MEASURING]

    def switch(self, *, is_on: bool) -> None:
        """Measure from here on, or no more."""
        if self.coverage is None or is_on == self.is_on:
            return
        self.is_on = is_on
        if is_on:
            self.coverage.start()
            return
        self.coverage.stop()
        while (other := Coverage.current()) is not None:  # a process of several has a second one, which nobody reads
            other.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Measure nothing meanwhile."""
        before = self.is_on
        self.switch(is_on=False)
        try:
            yield
        finally:
            self.switch(is_on=before)


_MEASURING = pytest.StashKey[Measuring]()


def import_everything() -> None:
    """Every module of the package, so that its definitions are measured whoever imports it first."""
    import audit  # noqa: PLC0415 - after coverage has begun

    for module in pkgutil.walk_packages(audit.__path__, "audit."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def is_measured(item: pytest.Item | None) -> bool:
    """Whether a test is measured; what comes after the last one is."""
    return item is None or item.get_closest_marker("untraced") is None


def mark_untraced(tests: dict[str, list[pytest.Item]]) -> None:
    """Mark the tests that go the ways of others."""
    for cases in tests.values():
        for item in _untraced_of(cases):
            item.add_marker(untraced)


def _untraced_of(cases: list[pytest.Item]) -> list[pytest.Item]:
    """The cases of a test of which no coverage is measured."""
    module = cases[0].path
    if ALL or module.stem in WHOLE:
        return []
    name = name_of(cases[0])
    if {name, name.partition("::")[0]} & SAME_WAYS:
        return cases
    measured = spread(cases, MEASURED_CASES)
    return [item for item in cases if item not in measured]


def name_of(item: pytest.Item) -> str:
    """The name of a test: folder, module and function."""
    return f"{item.path.parent.name}/{item.path.stem}::{item.name.partition('[')[0]}"


def by_test(items: list[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """The cases of each test, in their order."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return cases


def spread(cases: list[pytest.Item], number: int) -> list[pytest.Item]:
    """So many of them, evenly spread; all, where there are no more."""
    return cases if len(cases) <= number else [cases[at * len(cases) // number] for at in range(number)]
