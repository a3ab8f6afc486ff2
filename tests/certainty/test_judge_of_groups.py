"""The judge of claims on items in groups draws teams that are equally good, and counts every test set once."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.judge.groups import (
    COMPARED,
    SHARES,
    GroupCell,
    GroupOutcome,
    group_cells,
    group_tables,
    judge_groups,
)

SMALL = GroupCell(3, 8, n_items=25, n_repetitions=2)


@pytest.mark.parametrize(
    "cell", [GroupCell(4, 400), GroupCell(4, 400, is_even=False), GroupCell(4, 400, shy=0.7)]
)
def test_teams_are_equally_good(cell):
    """Right answers of any two differ by no more than groups scatter; classes have the shares that are said."""
    gold, answers, groups = cell.draw(np.random.default_rng(5))
    share = np.bincount(gold, minlength=len(SHARES)) / gold.size
    assert share == pytest.approx(SHARES, abs=0.06)
    right = answers == gold
    for first, second in ((0, 1), (1, 2), (2, 3), (0, 3)):
        by_group = np.bincount(groups, right[first] * 1.0 - right[second])
        assert abs(by_group.sum()) < 4 * np.sqrt((by_group**2).sum())


def test_parts_are_the_whole_cell():
    """Every test set is drawn once, and each part draws its own."""
    for name in {cell.name for cell in group_cells()}:
        parts = [cell for cell in group_cells(0.25) if cell.name == name]
        whole = sum(cell.n_repetitions for cell in group_cells(1.0) if cell.name == name)
        assert sum(part.n_repetitions for part in parts) == pytest.approx(whole / 4, abs=1)
        assert [part.part for part in parts] == list(range(len(parts)))


def test_the_table_counts_the_test_sets_of_all_parts():
    """3 of 50 and 1 of 30 are 4 of 80: 5.0%."""
    parts = [
        replace(SMALL, part=number, n_repetitions=count) for number, count in enumerate((50, 30))
    ]
    found = [
        GroupOutcome(part, dict.fromkeys(COMPARED, false), dict.fromkeys(COMPARED, 0))
        for part, false in zip(parts, (3, 1), strict=True)
    ]
    other = GroupOutcome(
        GroupCell(3, 9, n_repetitions=20), dict.fromkeys(COMPARED, 6), dict.fromkeys(COMPARED, 2)
    )
    lines = group_tables([*found, other]).split("\n")
    assert lines[2] == "| test sets | 80 | 20 | 100 |  |"
    assert lines[3].startswith("| `accuracy` | 5.0 (0.0) | 30.0 (10.0) | 10.0 [")
    assert "] | 30.0 [" in lines[3], "the highest of a cell is not hidden among all"
    assert len(lines) == 3 + len(COMPARED)


def test_it_asks_the_program():
    """A score of every kind is compared on every test set."""
    outcome = judge_groups(SMALL, 1)
    assert set(outcome.false) == set(COMPARED)
    assert all(0 <= count <= SMALL.n_repetitions for count in outcome.false.values())
