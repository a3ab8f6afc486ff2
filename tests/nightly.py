"""What the gate samples and the night runs whole: ``AUDIT_TESTS=all`` takes every case of what is expensive.

A quick run takes a part that is the same each time, so that what fails can be run again.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

Case = TypeVar("Case")

ALL = os.environ.get("AUDIT_TESTS") == "all"


def whole_or(quick: int, whole: int) -> int:
    """How many examples, kills, rows or teams: few, or as many as a night has time for."""
    return whole if ALL else quick


def sampled(cases: Sequence[Case], step: int) -> Sequence[Case]:
    """The first of every so many cases; or all of them."""
    return cases if ALL else cases[::step]


by_night = pytest.mark.skipif(not ALL, reason="of the night: AUDIT_TESTS=all")
"""For a test that takes long, and of which the day has a quicker like."""

by_day = pytest.mark.by_day
"""``@by_day(4)``: of all cases of a test, four run by day, always the same ones; by night all."""

long = pytest.mark.long
"""For a test that takes most of a second or more: one in three runs by day, always the same ones; by night all."""

untraced = pytest.mark.untraced
"""For a test that computes much: measuring coverage doubles its time, and quicker tests go the same ways.

Whether they still do is seen at once, since a branch that no measured test takes fails the run.
"""
