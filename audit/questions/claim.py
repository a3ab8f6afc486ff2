"""The verdict: who may be called the winner, in one sentence of a small closed set."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from audit.domain import Claim, Comparison, Evaluation, Verdict
from audit.questions.against_baselines import baseline_ahead
from audit.questions.comparisons import comparison_of, family_of, undecided
from audit.questions.first_place import first_place
from audit.questions.handed_in import equal_to_gold
from audit.questions.power_sentences import needed, power_of
from audit.questions.to_do import to_do
from audit.questions.wording import beyond, entrant, entrants, name, names, of, winners_by
from audit.sentences import say
from audit.text import number

_NAMED = 5

_CLAIMS: Mapping[Claim, str] = {
    Claim.BEST: "{leader} is first by {metric} ({score}), and the data support it as the best of {n}.",
    Claim.OPEN: "{leader} is first by {metric} ({score}). {others} could be best, too.",
    Claim.FEWER_ITEMS: (
        "{leader} is first by {metric} ({score}), but is scored on fewer items than the others and compared with "
        "none of them."
    ),
    Claim.UNDECIDED: "{leader} is first by {metric} ({score}). Whether the test set shows that cannot be tested.",
    Claim.NOT_TESTED: "{leader} is first by {metric} ({score}). Whether the test set shows that was not tested.",
    Claim.ALONE: "{leader} is the only entry that is ranked: {score} by {metric}.",
}
"""What may be said of an entry that is first alone."""


def verdict_of(evaluation: Evaluation) -> Verdict:
    """The verdict: who may be called the winner, what that depends on, and what to do before publication."""
    verdict = claim_of(evaluation)
    asked = gold_copy(evaluation)
    claim = say(f"If not: {verdict.sentence}") if asked and verdict.winners else verdict.sentence
    sentence = " ".join(filter(None, (asked, not_above_baseline(evaluation), claim)))
    unstated = say("No official metric is stated: the ranking is by averaged F1 until one is.")
    without_metric = "" if evaluation.task.official_metric else unstated
    more = " ".join(filter(None, (verdict.more, near_the_first(evaluation, verdict), without_metric)))
    depends_on, requests = partial(first_place, evaluation), partial(to_do, evaluation)
    return replace(verdict, sentence=sentence, more=more, depends_on=depends_on, to_do=requests)


def claim_of(evaluation: Evaluation) -> Verdict:
    """The claim about the winner, without what it depends on; enough for a part of a test set."""
    key = evaluation.task.ranking_metric
    claim = _claim(evaluation)
    comparison = comparison_of(evaluation, key)
    best = [] if comparison is None else [team for team in evaluation.order(key) if comparison.could_be_best[team]]
    return Verdict(
        claim=claim,
        sentence=_sentence(evaluation, claim, comparison),
        more=_further_sentence(evaluation, claim),
        winners=winners_by(evaluation, key),
        could_be_best=tuple(best),
        uncertain=() if comparison is None else tuple(team for team in best if comparison.uncertain[team]),
    )


def _claim(evaluation: Evaluation) -> Claim:
    key = evaluation.task.ranking_metric
    winners = evaluation.winners(key)
    if not winners:
        return Claim.NOBODY
    if int(evaluation.contending.sum()) == 1:
        return Claim.ALONE
    if not winners_by(evaluation, key):
        return Claim.LEVEL
    if len(winners) > 1:
        return Claim.SHARED
    return _of_one(evaluation, winners[0], comparison_of(evaluation, key))


def _of_one(evaluation: Evaluation, winner: int, comparison: Comparison | None) -> Claim:
    """The claim about an entry that is first alone."""
    if not evaluation.whole[winner]:
        return Claim.FEWER_ITEMS
    if comparison is None:
        return Claim.NOT_TESTED if evaluation.certainty is None else Claim.UNDECIDED
    return Claim.BEST if comparison.contenders == (winner,) else Claim.OPEN


def _sentence(evaluation: Evaluation, claim: Claim, comparison: Comparison | None) -> str:
    n_best = 0 if comparison is None else len(comparison.contenders)
    key = evaluation.task.ranking_metric
    winners, by = evaluation.winners(key), of(evaluation, key)
    if claim is Claim.NOBODY:
        lacking = "has a defined score" if evaluation.contending.any() else "competes"
        return say(f"By {by} no {entrant(evaluation)} {lacking}.")
    score = number(float(evaluation.scores_of(key)[winners[0]]), evaluation.task.printed_decimals)
    if claim is Claim.LEVEL:
        return say(f"By {by} nobody is ahead: {entrants(evaluation, len(winners))} have {score}.")
    if claim is Claim.SHARED:
        shared = say(f"{names(evaluation, winners, _NAMED)} share first place by {by} ({score}).")
        open_among = say(f" The test set cannot tell which of {entrants(evaluation, n_best)} is the best.")
        return shared + open_among if n_best > 1 else shared
    n_compared = 0 if comparison is None else len(family_of(evaluation, comparison))
    n_others = f"{n_best - 1:,} others" if n_best > 2 else "One other"  # noqa: PLR2004 - the first and one more
    leader = name(evaluation, winners[0])
    return say(_CLAIMS[claim], metric=by, score=score, leader=leader, others=n_others, n=n_compared)


def gold_copy(evaluation: Evaluation) -> str:
    """A first place that may be none: who could be first and has every label right may have had the gold file."""
    if evaluation.task.policies.gold_copy == "accept":  # somebody has said that this is accepted
        return ""
    teams = [team for team in equal_to_gold(evaluation) if evaluation.contending[team]]
    have, file = ("has", "its file") if len(teams) == 1 else ("have", "one of their files")
    return (
        say(f"{names(evaluation, teams, _NAMED)} {have} the gold label of every item: is {file} a copy of gold?")
        if teams
        else ""
    )


def not_above_baseline(evaluation: Evaluation) -> str:
    """A first place that says little: an answer that does not look at the items is as good."""
    baseline = baseline_ahead(evaluation)
    if baseline is None:
        return ""
    score = number(baseline[1], evaluation.task.printed_decimals)
    return say(f"No {entrant(evaluation)} outperforms {baseline[0]} ({score}).")


def near_the_first(evaluation: Evaluation, verdict: Verdict) -> str:
    """The best baseline, where the first is above it and the first's interval is not."""
    comparison = comparison_of(evaluation) if verdict.claim in {Claim.BEST, Claim.OPEN} else None
    if comparison is None or comparison.leader is None or baseline_ahead(evaluation):
        return ""
    lower_is_better = evaluation.task.ranking_metric.metric in evaluation.scales
    ends = comparison.chosen_upper if lower_is_better else comparison.chosen_lower  # the other ones are not asked for
    end = float(ends[comparison.leader])
    baseline = None if np.isnan(end) else baseline_ahead(evaluation, end)
    if baseline is None:
        return ""
    score, reaches = (number(value, evaluation.task.printed_decimals) for value in (baseline[1], end))
    leader, better = name(evaluation, comparison.leader), beyond(evaluation, evaluation.task.ranking_metric)
    return say(
        f"{leader} is not significantly {better} {baseline[0]} ({score}), which its 95% interval, reaching {reaches}, "
        "contains."
    )


def _further_sentence(evaluation: Evaluation, claim: Claim) -> str:
    """A sentence on what would tell more, or on what the verdict does not say."""
    if claim is Claim.UNDECIDED:
        by_ranking = evaluation.certainty.comparison(evaluation.task.ranking_metric) if evaluation.certainty else None
        return "" if by_ranking is None else say(f"In pairs nothing is compared: {undecided(evaluation, by_ranking)}.")
    power = power_of(evaluation, evaluation.task.ranking_metric)
    return needed(evaluation, power) if claim is Claim.OPEN and power is not None else ""
