"""Cells that are judged by themselves, with a section of their own on the page: sets of labels, ratings on a scale."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from audit.domain import ScoreKey
from audit.domain.arrays import Floats, Ints
from benchmarks.judge.judging import monte_carlo_interval

TOLERANCE = 1e-9
LOWER_IS_BETTER = frozenset({"mae", "macro_mae"})


class SectionCell(Protocol):
    """One population, and what is judged of it."""

    @property
    def name(self) -> str:
        """The cell in words."""

    @property
    def n_teams(self) -> int:
        """Teams, T."""

    @property
    def n_repetitions(self) -> int:
        """Test sets that are drawn."""

    @property
    def scores(self) -> Sequence[str]:
        """The scores whose intervals are judged, K."""

    @property
    def compared(self) -> Sequence[str]:
        """The metrics by which teams are compared, M."""

    def truth(self) -> Mapping[str, Floats]:
        """The true scores of every team, shape (T,) each."""

    def evaluated(self, rng: np.random.Generator) -> Any:  # noqa: ANN401 - a black box
        """What the program says of a test set, whose teams have names in their order."""


@dataclass(frozen=True, eq=False)
class SectionOutcome:
    """Counts over the test sets of one cell."""

    cell: SectionCell
    given: Ints  # (K,): intervals that are given
    held: Ints  # (K,): those that hold the truth
    lowest: Floats  # (K,): the lowest share that any team's intervals hold
    false: Ints  # (M,): test sets in which a team is called ahead of one that is as good


def judge_cell(cell: SectionCell, seed: int) -> SectionOutcome:
    """How often the claims on one cell are true."""
    rng, truth = np.random.default_rng([seed, zlib.crc32(repr(cell).encode())]), cell.truth()
    given, held = np.zeros((2, len(cell.scores), cell.n_teams), dtype=int)
    false = np.zeros(len(cell.compared), dtype=int)
    for _ in range(cell.n_repetitions):
        evaluation = cell.evaluated(rng)
        certainty, order = evaluation.certainty, np.argsort(evaluation.names)
        for row, slug in enumerate(cell.scores):
            at = list(evaluation.keys).index(ScoreKey(slug))
            lower, upper = (
                certainty.intervals.lower[at][order],
                certainty.intervals.upper[at][order],
            )
            given[row] += ~np.isnan(lower)
            held[row] += (lower <= truth[slug] + TOLERANCE) & (truth[slug] - TOLERANCE <= upper)
        for place, slug in enumerate(cell.compared):
            goodness = truth[slug] * (-1 if slug in LOWER_IS_BETTER else 1)
            better = goodness[:, None] > goodness + TOLERANCE
            ahead = np.asarray(certainty.comparison(ScoreKey(slug)).ahead)[np.ix_(order, order)]
            false[place] += bool((ahead & ~better).any())
    lowest = np.where(given > 0, held / np.maximum(given, 1), np.nan).min(axis=1)
    return SectionOutcome(cell, given.sum(axis=1), held.sum(axis=1), lowest, false)


def tables(outcomes: Sequence[SectionOutcome]) -> str:
    """The tables of all cells, in Markdown."""
    scores, compared = outcomes[0].cell.scores, outcomes[0].cell.compared
    lines = ["Percent of intervals that hold the true score, in brackets the lowest of a team:", ""]
    lines += _head(["cell", "teams", "test sets", *(f"`{slug}`" for slug in scores)])
    for outcome in outcomes:
        shares = [
            "marked" if not n else f"{100 * k / n:.0f} ({100 * low:.0f})"
            for n, k, low in zip(outcome.given, outcome.held, outcome.lowest, strict=True)
        ]
        lines.append(
            _row(
                [
                    outcome.cell.name,
                    str(outcome.cell.n_teams),
                    str(outcome.cell.n_repetitions),
                    *shares,
                ]
            )
        )
    lines += [
        "",
        "Percent of test sets in which a team is called ahead of one that is as good:",
        "",
    ]
    lines += _head(["cell", "teams", *(f"`{slug}`" for slug in compared)])
    for outcome in outcomes:
        shares = [f"{100 * count / outcome.cell.n_repetitions:.1f}" for count in outcome.false]
        lines.append(_row([outcome.cell.name, str(outcome.cell.n_teams), *shares]))
    n_sets = np.array([outcome.cell.n_repetitions for outcome in outcomes]).sum()
    total = np.array([outcome.false for outcome in outcomes]).sum(axis=0)
    ends = [monte_carlo_interval(count / n_sets, np.array(float(n_sets))) for count in total]
    pooled = [
        f"{100 * k / n_sets:.1f} [{100 * a:.1f}, {100 * b:.1f}]"
        for k, (a, b) in zip(total, ends, strict=True)
    ]
    return "\n".join([*lines, _row(["all, with the 99% Monte Carlo interval", "", *pooled])])


def _head(heads: Sequence[str]) -> list[str]:
    return [_row(heads), _row(["---"] * len(heads))]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
