"""Every property is held by day; ``AUDIT_TESTS=all`` adds examples, and what is slow and held by a faster test, too.

Hypothesis' examples are a profile's: ``--hypothesis-profile=night`` draws more of them, and runs nothing that is slow.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings

Case = TypeVar("Case")
ALL = os.environ.get("AUDIT_TESTS") == "all"

_EITHER = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("day", max_examples=10, derandomize=True, **_EITHER)  # what fails, fails for everybody
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

untraced = pytest.mark.untraced
"""For a test that computes much: measuring coverage doubles its time, and quicker tests go the same ways.

Whether they still do is seen at once, since a branch that no measured test takes fails the run.
"""


# Until report, figures, export, paper and cli are written anew:


def sampled(cases: Sequence[Case], step: int) -> Sequence[Case]:
    """The first of every so many cases; or all of them."""
    return cases if ALL else cases[::step]


by_night = pytest.mark.skipif(not ALL, reason="of the night: AUDIT_TESTS=all")
by_day = pytest.mark.by_day
long = pytest.mark.long
