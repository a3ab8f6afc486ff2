"""States of a first place that other choices than a score make: the class set, missing items, the mean of slices."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from audit.domain import Comparison, Evaluation, Feature, State
from audit.domain.analyses import analysis
from audit.domain.arrays import Codes, Floats
from audit.findings.comparisons import comparison_of
from audit.findings.macro_f1 import union_sizes
from audit.findings.policies import cells_as_wrong, scores_as_wrong
from audit.findings.wording import winners_by
from audit.inference.comparison import compare, compare_by
from audit.inference.differences import Differences, combined_differences, differences
from audit.inference.items import items_of
from audit.inference.relation import AVERAGED, MOST_TESTED, state_of
from audit.ranking.ranks import ranks_among


@analysis("states_of_choices", takes=("predictions",), needs=frozenset({Feature.CLASSES}))
def states_of_choices(evaluation: Evaluation, predictions: Sequence[Codes]) -> Mapping[str, State]:
    """What becomes of the first place over the union of labels, and with missing items as wrong, where that differs."""
    key = evaluation.task.ranking_metric
    states = dict[str, State]()
    if not is_tested(evaluation):
        return states
    if key == AVERAGED:
        weights = evaluation.averaged.sum() / union_sizes(evaluation)
        if (weights < 1).any():
            part = differences(evaluation, key, items_of(evaluation, predictions))
            states["class-set"] = state_of_sum(
                evaluation, evaluation.scores_of(key) * weights, [(part, weights)]
            )
    if not evaluation.whole.all() and evaluation.task.label_set.supports(Feature.CLASSES):
        other = replace(
            _with_scores(evaluation, scores_as_wrong(evaluation)),
            task=replace(
                evaluation.task, policies=replace(evaluation.task.policies, missing="wrong")
            ),
            entries=tuple(replace(entry, n_dropped=0) for entry in evaluation.entries),
            cells=cells_as_wrong(evaluation),
        )
        items = items_of(other, predictions)
        states["missing-items"] = _state(
            evaluation, other, compare(other, key, items, evaluation.options.seed)
        )
    return states


def is_tested(evaluation: Evaluation) -> bool:
    """Whether pairs are compared by another choice than a score: where that is asked for, possible and quick."""
    return evaluation.certainty is not None and int(evaluation.comparable.sum()) <= MOST_TESTED


def state_of_sum(
    evaluation: Evaluation, scores: Floats, parts: Sequence[tuple[Differences, Floats]]
) -> State:
    """What becomes of the first place by sums of independent scores, each times the entries' weights."""
    key = evaluation.task.ranking_metric
    certainty = evaluation.certainty
    other = _with_scores(evaluation, scores)
    n_groups = (certainty.n_groups if certainty else None) or 0
    among = combined_differences(parts, evaluation.goodness(key, scores))
    return _state(
        evaluation, other, compare_by(other, key, among, n_groups, evaluation.options.seed)
    )


def _with_scores(evaluation: Evaluation, scores: Floats) -> Evaluation:
    """The evaluation with other scores by the ranking metric, and no others."""
    key = evaluation.task.ranking_metric
    ranks = ranks_among(evaluation.goodness(key, scores)[None], evaluation.competing)
    return replace(evaluation, keys=(key,), values=scores[None], rank_values=ranks, analyses={})


def _state(evaluation: Evaluation, other: Evaluation, comparison: Comparison) -> State:
    key = evaluation.task.ranking_metric
    return state_of(
        (winners_by(evaluation, key), winners_by(other, key)),
        (comparison_of(evaluation, key), comparison),
    )
