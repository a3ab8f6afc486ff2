"""The flag on units whose sets are both empty, which a mean over units counts by a rule of its own."""

from dataclasses import replace

import numpy as np

from audit.domain import Empty, Evaluation, Reading, Severity
from audit.domain.arrays import Floats
from audit.domain.sets import UnitCounts
from audit.metrics import named_metric, rule_nouns, score_units
from audit.questions.flag_kind import Fired, flag
from audit.questions.wording import names, of, plain_names
from audit.ranking.ranks import ranks_among
from audit.text import listed, sentence_case

RULES_PLACE = 45
_MANY = 0.1  # of the units


@flag("empty-sets", "Units whose sets are both empty", Severity.WINNER, "ranking")
def empty_sets(evaluation: Evaluation) -> Fired | None:
    """How a mean over units counts those whose two sets are empty, and who is first by another rule.

    Fires when the ranking metric is a mean over units and both sets, gold’s and an entry’s, are empty in more than 10%
    of the units. Scorers count such a unit as 1, as 0 or not at all, and leave the rule unsaid.
    """
    key, counts = evaluation.task.ranking_metric, evaluation.item_scores
    named = named_metric(key.metric, evaluation.task.label_set)
    if not isinstance(counts, UnitCounts) or named.metric.over != "units" or named.parts:
        return None
    both = (counts.gold == 0) & (counts.predicted == 0) & counts.answered
    share = float(both.mean(axis=1).max())
    if share <= _MANY or named.metric.slug == "hamming":
        return None
    reading = named.as_reading
    scores = {rule: score_units(replace(reading, empty=rule), counts) for rule in Empty}
    winners = {rule: _first(evaluation, values) for rule, values in scores.items()}
    others = [rule for rule in Empty if winners[rule] and winners[rule] != winners[reading.empty]]
    other_firsts = [f"{names(evaluation, winners[rule])} with {_noun(rule)}" for rule in others]
    consequence = f"first would be {listed(other_firsts)}" if others else "by the other rules the same is first"
    return Fired(
        severity=Severity.WINNER if others else Severity.NOTE,
        sentence=f"{sentence_case(of(evaluation, key))} takes {_noun(reading.empty)}, and up to "
        f"{100 * share:.0f}% of the units are such for a team; {consequence}.",
        remedy="Say in the paper how units with two empty sets count; the score of another rule is named "
        f"{named.metric.slug}(empty=…).",
        paper=f"Scores take {_noun(reading.empty)}.",
        evidence={
            "metric": str(key),
            "rule": reading.empty.value,
            "share": share,
            "first": {rule.value: plain_names(evaluation, winners[rule]) for rule in Empty},
        },
    )


def _noun(rule: Empty) -> str:
    return rule_nouns(Reading("", empty=rule))["empty sets"]


def _first(evaluation: Evaluation, scores: Floats) -> tuple[int, ...]:
    """Who is first by some scores of the ranking metric's kind."""
    turned = evaluation.goodness(evaluation.task.ranking_metric, scores)
    ranks = ranks_among(turned[None], evaluation.competing)[0]
    return evaluation.first_by(np.where(np.isnan(scores), 0, ranks))
