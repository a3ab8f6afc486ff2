"""The program that is judged, as a black box: labels in, claims out. Nothing else of the judge imports it."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import audit
from audit.domain.arrays import Bools, Floats
from benchmarks.judge.populations import TestSet
from benchmarks.judge.truths import GAP

MARKS = ("", "rare-class", "few-hits", "few-groups")
"""Why a score has no interval, by the numbers that stand for it."""


@dataclass(frozen=True, eq=False)
class Decisions:
    """What is claimed about the teams by one metric.

    Parameters
    ----------
    ahead : ndarray of bool, shape (T, T)
        Whether the row's team is said to be ahead of the column's.
    could_be_best : ndarray of bool, shape (T,)
        Which teams could be best.
    leader : int
        The first team.
    leader_lower, leader_upper : float
        Its corrected interval; NaN where there is none.
    """

    ahead: Bools
    could_be_best: Bools
    leader: int
    leader_lower: float
    leader_upper: float


@dataclass(frozen=True, eq=False)
class Claims:
    """What is claimed about one test set, teams in the order in which they were handed in.

    Parameters
    ----------
    scores, lower, upper : ndarray, shape (K, T)
        NaN where there is none.
    marked : ndarray of str, shape (K, T)
        Why a score has no interval.
    decisions : mapping of str to Decisions
        By metric.
    """

    scores: Floats
    lower: Floats
    upper: Floats
    marked: NDArray[np.str_]
    decisions: Mapping[str, Decisions]


Program = Callable[[TestSet, Sequence[str], Sequence[str], Sequence[str], bool], Claims]
"""Test set, labels, names of scores, metrics that compare (the first one official), stratified → what is claimed."""


def ask(
    test_set: TestSet,
    labels: Sequence[str],
    names: Sequence[str],
    compared: Sequence[str],
    stratified: bool,  # noqa: FBT001 - positional in every program that can be judged
) -> Claims:
    """What `audit.evaluate` claims of a test set.

    Parameters
    ----------
    test_set : TestSet
        Gold and answers, and groups if any.
    labels : sequence of C str
        The names of the classes.
    names : sequence of K str
        The scores whose intervals are asked for.
    compared : sequence of str
        The metrics by which teams are compared; the first is the official one.
    stratified : bool
        Whether class counts were fixed by design.

    Returns
    -------
    Claims
    """
    texts = np.array([*labels, None], dtype=object)
    teams = [f"team {team:03}" for team in range(len(test_set.answers))]
    predictions = {team: texts[codes] for team, codes in zip(teams, test_set.answers, strict=True)}
    options: dict[str, Any] = {"stratified": True} if stratified else {}
    evaluation: Any = audit.evaluate(
        texts[test_set.gold],
        predictions,
        labels=list(labels),
        official_metric=compared[0],
        compare=list(compared[1:]),
        groups=test_set.groups,
        seed=1,
        **options,
    )
    place = [list(evaluation.names).index(team) for team in teams]
    intervals = evaluation.certainty.intervals
    tables = {"scores": evaluation.scores, "marks": evaluation.marks}
    tables |= {
        side: evaluation.intervals.xs(side, axis="columns", level=1) for side in ("lower", "upper")
    }
    frames = {name: table.loc[teams] for name, table in tables.items()}
    gap_upper = np.asarray(intervals.gap_upper)[place]
    gap = {
        "scores": (frames["scores"]["f1_of_averages"] - frames["scores"]["averaged_f1"]).to_numpy(),
        "lower": np.where(np.isnan(gap_upper), np.nan, 0),
        "upper": gap_upper,
        "marks": np.array(MARKS)[np.asarray(intervals.gap_marks)[place]],
    }
    found = {
        name: np.array([gap[name] if key == GAP else frame[key].to_numpy() for key in names])
        for name, frame in frames.items()
    }
    return Claims(
        found["scores"].astype(float),
        found["lower"].astype(float),
        found["upper"].astype(float),
        found["marks"].astype(str),
        {metric: _decisions(evaluation.comparison(metric), place) for metric in compared},
    )


def _decisions(comparison: Any, place: Sequence[int]) -> Decisions:  # noqa: ANN401 - a black box
    order = np.array(place)
    return Decisions(
        np.asarray(comparison.ahead)[np.ix_(order, order)],
        np.asarray(comparison.could_be_best)[order],
        place.index(comparison.leader),
        *comparison.leader_interval,
    )


def offers_strata() -> bool:
    """Whether class counts that are fixed by design can be said."""
    return "stratified" in inspect.signature(audit.evaluate).parameters
