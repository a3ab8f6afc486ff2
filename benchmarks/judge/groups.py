"""Items in groups, of one size or very unequal ones: teams that are equally good, whatever is claimed of them.

A team fails an item where its difficulty, of which the group has a part, for all teams and for each by itself, is above
a threshold; classes differ by group. All teams are drawn alike, so that their true scores are the same.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

import audit
from audit.domain import ScoreKey
from audit.domain.arrays import Floats, Ints
from benchmarks.judge.judging import monte_carlo_interval

LABELS = tuple("abcd")
SHARES = np.array([0.5, 0.3, 0.15, 0.05])
COMPARED = (
    *(
        "accuracy",
        "averaged_f1",
        "f1_of_averages",
        "macro_precision",
        "macro_recall",
        "geometric_macro_recall",
    ),
    *(
        "harmonic_macro_recall",
        "weighted_f1",
        "kappa",
        "mcc",
        "accuracy~",
        "averaged_f1~",
        "macro_precision~",
    ),
    *("mean(accuracy,averaged_f1)", "f1[a]", "f1[d]"),  # of the commonest and of the rarest class
)
_THRESHOLD = 0.7  # of difficulty, above which an item is failed
_PARETO = 1.2
_AT_ONCE = 50  # test sets that one process draws


@dataclass(frozen=True)
class GroupCell:
    """One population, and how many groups are drawn of it."""

    n_teams: int
    n_groups: int
    is_even: bool = True  # whether groups have one size; else they are Pareto-sized
    n_items: int = 20  # of a group; where sizes differ, about
    shared: float = 0.2  # the part of an item's difficulty that is its group's
    shy: float = 0.0  # how often a team says another label in place of the rarest
    n_repetitions: int = 500
    part: int = 0  # which part of the cell's test sets these are

    @property
    def name(self) -> str:
        """The cell in words."""
        sizes = f"of {self.n_items}" if self.is_even else "of Pareto sizes"
        return f"{self.n_groups} groups {sizes}{', rarest class seldom said' if self.shy else ''}"

    def draw(self, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
        """Gold, shape (N,), answers, shape (T, N), and groups; again where gold lacks a class."""
        sizes = np.full(self.n_groups, self.n_items)
        if not self.is_even:
            sizes = np.maximum(
                1, np.round((rng.pareto(_PARETO, self.n_groups) + 1) * self.n_items / 3)
            ).astype(int)
        groups = np.repeat(np.arange(self.n_groups), sizes)
        in_group = rng.dirichlet(SHARES * 8, self.n_groups)
        gold = (rng.random(groups.size)[:, None] > in_group[groups].cumsum(axis=1)[:, :-1]).sum(
            axis=1
        )
        difficulty = np.stack([self._difficulty(rng, groups) for _ in range(self.n_teams + 1)])
        failed = (difficulty[:-1] + difficulty[-1]) / np.sqrt(2) > _THRESHOLD
        answers = np.where(failed, rng.choice(len(SHARES), failed.shape, p=SHARES), gold)
        answers[(answers == len(SHARES) - 1) & (rng.random(answers.shape) < self.shy)] = 0
        return (gold, answers, groups) if len(set(gold.tolist())) == len(SHARES) else self.draw(rng)

    def in_parts(self) -> "Iterator[GroupCell]":
        """The cell in parts of so few test sets that processes share it evenly."""
        for part, start in enumerate(range(0, self.n_repetitions, _AT_ONCE)):
            yield replace(self, part=part, n_repetitions=min(_AT_ONCE, self.n_repetitions - start))

    def _difficulty(self, rng: np.random.Generator, groups: Ints) -> Floats:
        of_group = rng.normal(size=self.n_groups)[groups]
        return np.asarray(
            np.sqrt(self.shared) * of_group
            + np.sqrt(1 - self.shared) * rng.normal(size=groups.size)
        )


@dataclass(frozen=True, eq=False)
class GroupOutcome:
    """Counts over the test sets of a cell, or of a part of it, by metric."""

    cell: GroupCell
    false: Mapping[str, int]  # test sets in which any team is called ahead of another
    apart: Mapping[str, int]  # in which the interval of any difference leaves out 0

    @classmethod
    def of_parts(cls, parts: "Sequence[GroupOutcome]") -> "GroupOutcome":
        """What was found in all parts of a cell."""
        cell = replace(
            parts[0].cell, part=0, n_repetitions=sum(each.cell.n_repetitions for each in parts)
        )
        false, apart = Counter[str](), Counter[str]()
        for each in parts:
            false.update(each.false)
            apart.update(each.apart)
        return cls(cell, false, apart)


def judge_groups(cell: GroupCell, seed: int) -> GroupOutcome:
    """How often something is claimed of teams that are equally good."""
    rng, texts = np.random.default_rng([seed, cell.part, *cell.name.encode()]), np.array(LABELS)
    false, apart = dict.fromkeys(COMPARED, 0), dict.fromkeys(COMPARED, 0)
    for _ in range(cell.n_repetitions):
        gold, answers, groups = cell.draw(rng)
        certainty: Any = audit.evaluate(
            texts[gold],
            {f"team {number:02}": texts[row] for number, row in enumerate(answers)},
            groups=groups,
            official_metric=COMPARED[0],
            compare=COMPARED[1:],
        ).certainty
        for metric in COMPARED:
            slug, tilde, _ = metric.partition("~")
            found = certainty.comparison(ScoreKey(slug, "balanced" if tilde else "observed"))
            false[metric] += bool(found.ahead.any())
            apart[metric] += bool((found.difference_lower > 0).any())
    return GroupOutcome(cell, false, apart)


def group_tables(outcomes: Sequence[GroupOutcome]) -> str:
    """False claims and intervals that leave out 0, in percent, in Markdown; parts of a cell follow each other."""
    by_cell = groupby(outcomes, key=lambda each: replace(each.cell, part=0, n_repetitions=0))
    cells = [GroupOutcome.of_parts(list(parts)) for _, parts in by_cell]
    total = sum(each.cell.n_repetitions for each in cells)
    numbers = ["test sets", *(f"{each.cell.n_repetitions:,}" for each in cells), f"{total:,}", ""]
    heads = [
        "metric",
        *(f"{each.cell.n_teams} teams, {each.cell.name}" for each in cells),
        "all",
        "highest of a cell",
    ]
    rows = [
        heads,
        ["---"] * len(heads),
        numbers,
        *(_row(metric, cells, total) for metric in COMPARED),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(metric: str, cells: Sequence[GroupOutcome], total: int) -> list[str]:
    shares = [
        _percent(each.false[metric], each.apart[metric], each.cell.n_repetitions) for each in cells
    ]
    pooled = _with_interval(sum(each.false[metric] for each in cells), total)
    worst = max(cells, key=lambda each: each.false[metric] / each.cell.n_repetitions)
    return [
        f"`{metric}`",
        *shares,
        pooled,
        _with_interval(worst.false[metric], worst.cell.n_repetitions),
    ]


def _with_interval(false: int, total: int) -> str:
    lower, upper = monte_carlo_interval(np.array(false / total), np.array(float(total)))
    return f"{100 * false / total:.1f} [{100 * float(lower):.1f}, {100 * float(upper):.1f}]"


def _percent(false: int, apart: int, total: int) -> str:
    return f"{100 * false / total:.1f} ({100 * apart / total:.1f})"


def group_cells(scale: float = 1.0) -> list[GroupCell]:
    """Cells of few and of many groups, even and uneven, in parts."""
    scaled = [
        replace(cell, n_repetitions=max(4, round(scale * cell.n_repetitions))) for cell in _cells()
    ]
    return [part for cell in scaled for part in cell.in_parts()]


def _cells() -> Iterator[GroupCell]:
    yield GroupCell(5, 10, n_repetitions=1000)
    yield GroupCell(5, 20, is_even=False, n_items=10)
    yield GroupCell(5, 12, shy=0.7)
