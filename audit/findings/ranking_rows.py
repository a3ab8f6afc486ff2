"""A row of the ranking as one value, which page, paper, terminal, DataFrame and JSON lay out."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from audit.domain import Comparison, Evaluation, Mark, ScoreKey
from audit.findings.comparisons import comparison_of
from audit.findings.shown_intervals import ShownIntervals, possible_ranks_text, shown_intervals
from audit.metrics import BOTH_MACRO_F1
from audit.ranking.ranks import printed_ranks, published_ranks

SCORES_BESIDE = (*BOTH_MACRO_F1, "accuracy")
"""The metrics whose scores stand beside a ranking where there is room."""


@dataclass(frozen=True)
class RankingRow:
    """One entry in the ranking by one score."""

    entry: int  # its place among the evaluation's entries
    name: str
    takes_rank: bool
    rank: int | None  # the rank that it takes or would take; None where its score is undefined
    printed_rank: str  # with = where it is shared, in parentheses where it is not taken
    score: float
    lower: float  # the 95% interval as it is shown; NaN where there is none
    upper: float
    mark: Mark | None  # why there is none, or why it is rough; None where nothing was computed
    is_corrected: bool  # the interval, for selection
    is_compared: bool  # with the other entries, where that can decide anything
    could_be_best: bool  # in the 95% confidence set for the best team
    possible_ranks: tuple[int, int] | None
    printed_possible_ranks: str  # empty where nothing can be decided
    published_rank: str  # on scores rounded as published; empty where no rounding is stated
    n_unanswered: int
    further: tuple[float, ...]  # what FURTHER_COLUMNS compute, in their order

    @property
    def taken_rank(self) -> int | None:
        """The rank, where it is taken."""
        if self.takes_rank:
            return self.rank
        return None

    @property
    def printed_unanswered(self) -> str:
        """How many items have no usable answer; nothing for none."""
        if self.n_unanswered:
            return f"{self.n_unanswered:,}"
        return ""


@dataclass(frozen=True)
class FurtherColumn:
    """A column that every exit shows behind its own: a number of each entry."""

    slug: str  # its name in JSON and in a DataFrame
    head: str
    title: str  # what it is, for readers
    values: Callable[[Evaluation], np.ndarray]  # shape (T,)


FURTHER_COLUMNS: tuple[FurtherColumn, ...] = ()
"""Whoever adds a column to the ranking declares it here, and nowhere else."""


def ranking_rows(evaluation: Evaluation, key: ScoreKey) -> tuple[RankingRow, ...]:
    """The rows of all entries by one score, in the order of the evaluation's entries.

    ``evaluation.order(key)`` says in which order they are shown.
    """
    if evaluation.certainty is None:
        made = None
    else:
        made = evaluation.certainty.comparison(key)
    comparison = comparison_of(evaluation, key)
    shown = shown_intervals(evaluation, key)
    scores = evaluation.scores_of(key)
    ranks = evaluation.ranks_of(key)
    printed = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
    is_ranking = key == evaluation.task.ranking_metric
    if is_ranking:
        published = published_ranks(evaluation)
    else:
        published = None
    further = [column.values(evaluation) for column in FURTHER_COLUMNS]
    rows = []
    for place, entry in enumerate(evaluation.entries):
        score = float(scores[place])
        lower, upper = _ends(shown, place)
        row = RankingRow(
            entry=place,
            name=entry.name,
            takes_rank=entry.competes,
            rank=None if np.isnan(score) else int(ranks[place]),
            printed_rank=printed[place],
            score=score,
            lower=lower,
            upper=upper,
            mark=None if shown is None else shown.marks[place],
            is_corrected=shown is not None and place in shown.corrected,
            is_compared=comparison is not None and entry.is_comparable,
            could_be_best=made is not None and bool(made.could_be_best[place]),
            possible_ranks=_possible_ranks(made, place),
            printed_possible_ranks=""
            if comparison is None
            else possible_ranks_text(comparison, place),
            published_rank="" if published is None else published[place],
            n_unanswered=entry.n_unanswered,
            further=tuple(float(values[place]) for values in further),
        )
        rows.append(row)
    return tuple(rows)


def _ends(shown: ShownIntervals | None, entry: int) -> tuple[float, float]:
    if shown is None:
        return float("nan"), float("nan")
    return float(shown.lower[entry]), float(shown.upper[entry])


def _possible_ranks(comparison: Comparison | None, entry: int) -> tuple[int, int] | None:
    """The first and the last rank that the claims leave open; None for who is in no pair."""
    if comparison is None:
        return None
    first, last = comparison.possible_ranks[entry].tolist()
    if first:
        return (first, last)
    return None
