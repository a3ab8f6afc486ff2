"""Evaluate each slice of a test set by itself, as columns of gold cut it: by language, domain or the like.

A part is evaluated as a campaign that has its items alone, by the same engine, one part after the other, and only what
readers ask of it is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from audit.domain import Evaluation, Gold, ItemScores, Mark, Slice, SliceColumn, Sliced, State
from audit.domain.analyses import analysis
from audit.domain.arrays import Codes, Floats
from audit.domain.numbers import Numbers
from audit.domain.privacy import ItemIds
from audit.domain.sets import UnitCounts
from audit.findings.claim import claim_of
from audit.findings.comparisons import comparison_of
from audit.findings.other_choices import is_tested, state_of_sum
from audit.findings.shown_intervals import shown_intervals
from audit.findings.wording import winners_by
from audit.inference.certainty_analysis import certainty_by
from audit.inference.differences import differences
from audit.inference.items import items_of
from audit.inference.relation import MOST_TESTED, state_of
from audit.metrics import goodness
from audit.ranking.ranks import ranks_among

Score = Callable[[Gold, Sequence[Codes], ItemScores | UnitCounts | Numbers | None], Evaluation]
"""Scores and ranks of the same entries over other items."""


@analysis("slices", takes=("predictions", "score"))
def slices_of(
    evaluation: Evaluation, predictions: Sequence[Codes], score: Score
) -> tuple[Sliced, ...]:
    """Every part of the test set, by each column that cuts it."""
    columns = evaluation.gold.slices
    if not columns:
        return ()
    ids = ItemIds.of(evaluation.gold.item_ids, evaluation.task.label_set)
    names = ids.of_values([column.name for column in columns])
    return tuple(
        _sliced(
            evaluation,
            replace(column, name=name, values=ids.of_values(column.values)),
            predictions,
            score,
        )
        for name, column in zip(names, columns, strict=True)
    )


def _sliced(
    evaluation: Evaluation, column: SliceColumn, predictions: Sequence[Codes], score: Score
) -> Sliced:
    parts = tuple(
        _slice(evaluation, value, column.codes == code, predictions, score)
        for code, value in enumerate(column.values)
    )
    macro = reduce(np.add, (part.values for part in parts)) / len(parts)
    turned = goodness(macro, [key.metric for key in evaluation.keys], evaluation.task.label_set)
    state = _state_of_mean(evaluation, column, macro, predictions, score)
    return Sliced(column.name, parts, macro, ranks_among(turned, evaluation.competing), state)


def _state_of_mean(
    evaluation: Evaluation,
    column: SliceColumn,
    macro: Floats,
    predictions: Sequence[Codes],
    score: Score,
) -> State | None:
    """What becomes of the first place by the mean of the parts; None where a group of items is in several of them."""
    groups = evaluation.gold.groups
    key = evaluation.task.ranking_metric
    in_one_part = groups is None or len(
        np.unique(np.stack([groups, column.codes]), axis=1).T
    ) == len(np.unique(groups))
    if not (is_tested(evaluation) and in_one_part):
        return None
    n_parts = len(column.values)
    parts = []
    for code in range(n_parts):
        selected = column.codes == code
        part, answers = _scored(evaluation, selected, predictions, score)
        shares = np.full(len(part.entries), 1 / n_parts)
        parts.append((differences(part, key, items_of(part, answers)), shares))
    return state_of_sum(evaluation, macro[evaluation.row(key)], parts)


def _scored(
    evaluation: Evaluation, selected: NDArray[np.bool_], predictions: Sequence[Codes], score: Score
) -> tuple[Evaluation, Sequence[Codes]]:
    answers = [codes[selected] for codes in predictions]
    if evaluation.item_scores is None:
        item_scores = None
    else:
        item_scores = evaluation.item_scores.of_items(selected)
    return score(evaluation.gold.of_items(selected), answers, item_scores), answers


def _slice(
    evaluation: Evaluation,
    value: str,
    selected: NDArray[np.bool_],
    predictions: Sequence[Codes],
    score: Score,
) -> Slice:
    """One part, with what its items show by the ranking metric."""
    scored, answers = _scored(evaluation, selected, predictions, score)
    part = _tested(_by_ranking_metric(scored), answers)
    intervals = shown_intervals(part, *part.keys)
    nothing = np.full(len(part.entries), np.nan)
    key = evaluation.task.ranking_metric
    winners = winners_by(evaluation, key), winners_by(part, key)
    compared = comparison_of(evaluation, key), comparison_of(part, key)
    return Slice(
        value=value,
        n_items=scored.gold.n_units,
        class_counts=scored.prevalence_counts,
        values=scored.values,
        rank_values=scored.rank_values,
        lower=nothing if intervals is None else intervals.lower,
        upper=nothing if intervals is None else intervals.upper,
        marks=(Mark.NONE,) * len(part.entries) if intervals is None else intervals.marks,
        corrected=() if intervals is None else intervals.corrected,
        verdict=claim_of(part),
        state=state_of(winners, compared) if all(winners) else None,
        crowns_another=all(winners) and set(winners[0]) != set(winners[1]),
    )


def _by_ranking_metric(scored: Evaluation) -> Evaluation:
    """The evaluation with the ranking metric alone, whose claim is wanted."""
    row = scored.keys.index(scored.task.ranking_metric)
    return replace(
        scored,
        keys=scored.keys[row : row + 1],
        values=scored.values[[row]],
        rank_values=scored.rank_values[[row]],
    )


def _tested(part: Evaluation, answers: Sequence[Codes]) -> Evaluation:
    """The part with its certainty, where that is asked for, quick to find, and of something."""
    is_tested = (
        part.options.certainty
        and int(part.comparable.sum()) <= MOST_TESTED
        and not np.isnan(part.values).all()
    )
    if not is_tested:
        return part.given(certainty=None)
    return part.given(
        certainty=certainty_by(part, items_of(part, answers), part.keys, seed=part.options.seed)
    )
