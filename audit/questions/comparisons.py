"""Flags about what the test set can tell: who could be best, who is separable from whom, and what is too uncertain."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from audit.domain import Comparison, Evaluation, ScoreKey, Severity, State, WinnerChange
from audit.inference.relation import MOST_TESTED, winner_changes
from audit.metrics import metric_of
from audit.questions.flag_kind import Fired, flag
from audit.questions.wording import beyond, entrant, entrants, groups_of, names, of
from audit.ranking.ranks import TIE_TOLERANCE
from audit.sentences import say
from audit.text import agreeing, listed

RULES_PLACE = 60


def changes_of(evaluation: Evaluation) -> tuple[WinnerChange, ...]:
    """The changes of winner by each other choice; untested where the certainty was left out."""
    if evaluation.certainty is not None:
        return evaluation.certainty.changes
    return winner_changes(evaluation, lambda _: None)


def state_between(evaluation: Evaluation, one: ScoreKey, other: ScoreKey) -> State:
    """What the choice between two scores makes of the first place."""
    states = (change.state for change in changes_of(evaluation) if set(change.keys) == {one, other})
    return next(states, State.NOT_TESTED)


def firsts_of(evaluation: Evaluation, changes: Iterable[WinnerChange], limit: int) -> list[str]:
    """Who is first by which of the other scores, those with the same winners together."""
    keys_of: dict[tuple[int, ...], dict[ScoreKey, None]] = defaultdict(dict)
    for change in changes:
        keys_of[change.winners[1]][change.keys[1]] = None
    return [
        f"{names(evaluation, winners, limit=3)} by {listed([of(evaluation, key) for key in keys], limit=limit)}"
        for winners, keys in keys_of.items()
    ]


def why_untested(evaluation: Evaluation, *keys: ScoreKey) -> str:
    """Why the choice between scores was not tested, in words."""
    if evaluation.certainty is None:
        return "the certainty was left out"
    if any(metric_of(key.metric, evaluation.task.label_set).of_ranks for key in keys):
        return "a mean of ranks is compared with none"
    if int(evaluation.comparable.sum()) > MOST_TESTED:
        return f"of more than {MOST_TESTED} {entrant(evaluation)}s only the official metric is compared"
    return "one of the first is compared with nobody by this score"


FEWEST_GROUPS = 20


def comparison_of(evaluation: Evaluation, key: ScoreKey | None = None) -> Comparison | None:
    """The comparison of all pairs by a metric, or the ranking metric, where it was made and can decide anything."""
    certainty = evaluation.certainty
    comparison = certainty.comparison(key or evaluation.task.ranking_metric) if certainty else None
    return comparison if comparison and not undecided(evaluation, comparison) else None


def family_of(evaluation: Evaluation, comparison: Comparison) -> list[int]:
    """The entries that were compared in pairs, best first: those comparable, with an influence function."""
    is_compared = evaluation.comparable & ~np.isnan(np.diagonal(comparison.standard_error))
    return [team for team in evaluation.order(comparison.key) if is_compared[team]]


def undecided(evaluation: Evaluation, comparison: Comparison) -> str:
    """Why a comparison decides nothing, in words; nothing where it can."""
    n_comparable = int(evaluation.comparable.sum())
    if n_comparable < 2:  # noqa: PLR2004 - a pair
        return f"there {agreeing(n_comparable, 'is', 'are')} {entrants(evaluation, n_comparable)} to compare"
    if evaluation.certainty is not None and evaluation.certainty.n_groups == 1:
        return "all items are of one group"
    goodness = evaluation.goodness_of(comparison.key)[evaluation.comparable]
    goodness = goodness[~np.isnan(goodness)]
    if len(goodness) < 2:  # noqa: PLR2004 - a pair
        return "fewer than two have a defined score"
    if goodness.max() <= TIE_TOLERANCE:
        return f"nobody has a score {beyond(evaluation, comparison.key)} {evaluation.goodness(comparison.key, 0.0):g}"
    if len(family_of(evaluation, comparison)) < 2:  # noqa: PLR2004 - a pair
        return "a product of recalls that is 0 has no influence function"
    return "no answer can move any difference" if np.isnan(comparison.critical_value) else ""


@flag("few-groups", "Too few groups", Severity.NOTE, "ranking", say("rule-few-groups"))
def few_groups(evaluation: Evaluation) -> Fired | None:
    """Whether groups are too few, or too unequal, for intervals and comparisons to be exact."""
    n_groups = evaluation.certainty.n_groups if evaluation.certainty else None
    even_groups = evaluation.certainty.even_groups if evaluation.certainty else None
    if n_groups is None or even_groups is None or round(even_groups) >= FEWEST_GROUPS:
        return None
    groups, alone = groups_of(evaluation, n_groups), n_groups == 1
    if round(even_groups) < n_groups:
        groups += f", which tell as much as {max(1, round(even_groups))} of one size"
    return Fired(
        sentence=say("one-group") if alone else say("few-groups", groups=groups, fewest=FEWEST_GROUPS),
        remedy=say("remedy-few-groups"),
        evidence={"groups": n_groups, "groups_of_one_size": even_groups},
    )
