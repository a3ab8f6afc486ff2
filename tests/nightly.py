"""Every property is held by day; ``AUDIT_TESTS=all`` adds examples, and what is slow and held by a faster test, too.

Hypothesis' examples are a profile's: ``--hypothesis-profile=night`` draws more of them, and runs nothing that is slow.
"""

import os
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, settings

ALL = os.environ.get("AUDIT_TESTS") == "all"

_EITHER = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# what fails, fails for everybody
settings.register_profile("day", max_examples=10, derandomize=True, **_EITHER)
settings.register_profile("night", max_examples=60, print_blob=True, **_EITHER)
settings.load_profile("night" if ALL else "day")


def examples(by_day: int) -> settings:
    """Another number of examples than the ten of the day; by night six times as many."""
    return settings(max_examples=by_day * settings.default.max_examples // 10)


def whole_or(quick: int, whole: int) -> int:
    """The number of kills, rows or teams: few by day, or as many as a night has time for."""
    return whole if ALL else quick


slow = pytest.mark.slow
"""``@slow("test_that_holds_it")``: what takes seconds and a faster test, which is named, holds by day, too."""

by_day = pytest.mark.by_day
"""``@by_day(4)``: of many alike cases, which hold the same, four run by day, evenly spread; the others are slow."""


def some_slow(cases: Iterable[object], step: int) -> list[object]:
    """Alike cases, of which the first of every so many run by day; the others are slow."""
    return [
        pytest.param(each, marks=[] if at % step == 0 else slow(ALIKE))
        for at, each in enumerate(cases)
    ]


ALIKE = "the same test of other cases"
