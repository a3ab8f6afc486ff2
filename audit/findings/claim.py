"""The verdict: who may be called the winner, in one sentence of a small closed set."""

from dataclasses import dataclass, replace

import numpy as np

from audit.domain import Claim, Comparison, Evaluation, Verdict
from audit.domain.analyses import analysis
from audit.findings.against_baselines import baseline_ahead
from audit.findings.comparisons import comparison_of, family_of, undecided
from audit.findings.first_place import first_place
from audit.findings.handed_in import equal_to_gold
from audit.findings.numbers_in_words import NO_BOUND, difference_ends, p_phrase
from audit.findings.power_sentences import short
from audit.findings.to_do import groups_are_open, runs_are_rivals, to_do
from audit.findings.wording import (
    beyond,
    entrant,
    name,
    names,
    of,
    score_of,
    scored_things,
    winners_by,
)
from audit.ranking.ranks import TIE_TOLERANCE
from audit.sentences import say
from audit.text import agreeing, in_words, number, sentence_case
from audit.vocabulary import (
    GOLD_COPIES,
    GOLD_COPY_FIRST,
    IF_INDEPENDENT,
    LEAD,
    MARKED_IF_INDEPENDENT,
    MARKED_SET,
    MAY_BE_BETTER,
    MAY_BE_BETTER_IF_INDEPENDENT,
    NEAR_BASELINE,
    NO_METRIC,
    NOT_ABOVE_BASELINE,
    RUNS_AS_TEAMS,
    VERDICTS,
)

_NAMED = 5


@analysis("verdict")
def verdict_of(evaluation: Evaluation) -> Verdict:
    """The verdict: who may be called the winner, what that depends on, and what to do before publication."""
    verdict = claim_of(evaluation)
    unstated = say(NO_METRIC, metric=of(evaluation, evaluation.task.ranking_metric))
    if evaluation.task.official_metric:
        without_metric = ""
    else:
        without_metric = unstated
    if runs_are_rivals(evaluation):
        as_teams = say(RUNS_AS_TEAMS)
    else:
        as_teams = ""
    more = " ".join(
        filter(None, (verdict.more, as_teams, near_the_first(evaluation, verdict), without_metric))
    )
    sentence = _headline(evaluation, verdict)
    return replace(
        verdict,
        sentence=sentence,
        more=more,
        depends_on=lambda _: first_place(evaluation),
        to_do=lambda _: to_do(evaluation),
    )


def _headline(evaluation: Evaluation, verdict: Verdict) -> str:
    """The claim; in its place, or before it, what destroys it: a suspected copy of gold, or a baseline ahead."""
    asked = gold_copy(evaluation)
    not_above = not_above_baseline(evaluation)
    suspected = _suspected(evaluation)
    if len(suspected) == 1 and verdict.winners == tuple(suspected) and not not_above:
        leader = name(evaluation, suspected[0])
        items = _all_items(evaluation)
        return say(GOLD_COPY_FIRST, leader=leader, score=_best_score(evaluation), items=items)
    return " ".join(filter(None, (asked, not_above or verdict.sentence)))


def claim_of(evaluation: Evaluation) -> Verdict:
    """The claim about the winner, without what it depends on; enough for a part of a test set."""
    key = evaluation.task.ranking_metric
    claim = _claim(evaluation)
    comparison = comparison_of(evaluation, key)
    if comparison is None:
        best = []
    else:
        best = [team for team in evaluation.order(key) if comparison.could_be_best[team]]
    return Verdict(
        claim=claim,
        sentence=_sentence(evaluation, claim, comparison),
        more=_further_sentences(evaluation, claim, comparison),
        winners=winners_by(evaluation, key),
        could_be_best=tuple(best),
        uncertain=()
        if comparison is None
        else tuple(team for team in best if comparison.uncertain[team]),
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
        if evaluation.certainty is None:
            return Claim.NOT_TESTED
        return Claim.UNDECIDED
    if comparison.contenders == (winner,):
        return Claim.BEST
    return Claim.OPEN


def _sentence(evaluation: Evaluation, claim: Claim, comparison: Comparison | None) -> str:
    key = evaluation.task.ranking_metric
    winners = evaluation.winners(key)
    if claim is Claim.NOBODY:
        return _unranked(evaluation)
    score = _best_score(evaluation)
    if claim is Claim.LEVEL:
        return _level(evaluation, score)
    if claim is Claim.SHARED:
        return say(VERDICTS[claim], leader=names(evaluation, winners, _NAMED), score=score)
    leader = name(evaluation, winners[0])
    others = others_compared(evaluation, comparison)
    if groups_are_open(evaluation):
        others += say(IF_INDEPENDENT)
    return say(
        VERDICTS[claim], leader=leader, score=score, others=others, entrant=entrant(evaluation)
    )


def _unranked(evaluation: Evaluation) -> str:
    """Why there is no ranking, and what to do."""
    noun = entrant(evaluation)
    if not evaluation.contending.any():
        return say(
            f"The teams cannot be ranked: no {noun} competes. Give those that compete the role “primary”."
        )
    by = of(evaluation, evaluation.task.ranking_metric)
    return say(
        f"The teams cannot be ranked: by {by} no {noun} has a defined score. State another official metric."
    )


def _level(evaluation: Evaluation, score: str) -> str:
    """That all have the same score, or that nobody has one that could be a winner's."""
    key = evaluation.task.ranking_metric
    noun = entrant(evaluation)
    n_first = len(evaluation.winners(key))
    if n_first < int((evaluation.contending & ~np.isnan(evaluation.scores_of(key))).sum()):
        return say(f"The teams cannot be ranked: no {noun} does better than {score}.")
    return say(f"The teams cannot be ranked: {_all(n_first)} {noun}s have {score}.")


def _best_score(evaluation: Evaluation) -> str:
    """The best score by the ranking metric as a noun: “an accuracy of .850”."""
    key = evaluation.task.ranking_metric
    best = float(evaluation.scores_of(key)[evaluation.winners(key)[0]])
    return score_of(evaluation, key, number(best, evaluation.task.printed_decimals))


def others_compared(evaluation: Evaluation, comparison: Comparison | None) -> str:
    """All that were compared with the first, as a noun."""
    if comparison is None:
        n_others = 0
    else:
        n_others = len(family_of(evaluation, comparison)) - 1
    if n_others + 1 < int(evaluation.contending.sum()):
        compared = " that was compared"
    else:
        compared = ""
    if n_others == 1:
        return f"the only other {entrant(evaluation)}{compared}"
    return f"{_all(n_others)} other {entrant(evaluation)}s{compared.replace('was', 'were')}"


def _all(count: int) -> str:
    return "both" if count == 2 else f"all {in_words(count)}"  # noqa: PLR2004 - two


def _suspected(evaluation: Evaluation) -> list[int]:
    """Entries that may have had the gold file, unless somebody has said that this is accepted."""
    if evaluation.task.policies.gold_copy == "accept":
        return []
    return [team for team in equal_to_gold(evaluation) if evaluation.contending[team]]


def gold_copy(evaluation: Evaluation) -> str:
    """A first place that may be none: who could be first and has every label right may have had the gold file."""
    teams = _suspected(evaluation)
    if not teams:
        return ""
    if len(teams) == 1:
        agree = "agrees"
        copy = "it is a copy"
    else:
        agree = "agree"
        copy = "they are copies"
    named = names(evaluation, teams, _NAMED)
    items = _all_items(evaluation)
    return say(GOLD_COPIES, teams=named, agree=agree, items=items, copy=copy)


def _all_items(evaluation: Evaluation) -> str:
    return f"all {evaluation.gold.n_items:,} {scored_things(evaluation.task.label_set)}"


def not_above_baseline(evaluation: Evaluation) -> str:
    """A first place that says little: an answer that does not look at the items is as good."""
    baseline = baseline_ahead(evaluation)
    if baseline is None:
        return ""
    key = evaluation.task.ranking_metric
    decimals = evaluation.task.printed_decimals
    winners = evaluation.winners(key)
    score, best = (
        number(value, decimals)
        for value in (baseline[1], float(evaluation.scores_of(key)[winners[0]]))
    )
    reach = agreeing(len(winners), "reaches", "reach")
    return say(
        NOT_ABOVE_BASELINE,
        entrant=entrant(evaluation),
        baseline=baseline[0],
        level=score,
        leader=names(evaluation, winners, _NAMED),
        reach=reach,
        score=best,
    )


def near_the_first(evaluation: Evaluation, verdict: Verdict) -> str:
    """The best baseline, where the first is above it and the first's interval is not."""
    if verdict.claim in {Claim.BEST, Claim.OPEN}:
        comparison = comparison_of(evaluation)
    else:
        comparison = None
    if comparison is None or comparison.leader is None or baseline_ahead(evaluation):
        return ""
    lower_is_better = evaluation.task.ranking_metric.metric in evaluation.scales
    # the other ones are not asked for
    if lower_is_better:
        ends = comparison.chosen_upper
    else:
        ends = comparison.chosen_lower
    end = float(ends[comparison.leader])
    if np.isnan(end):
        baseline = None
    else:
        baseline = baseline_ahead(evaluation, end)
    if baseline is None:
        return ""
    score, reaches = (
        number(value, evaluation.task.printed_decimals) for value in (baseline[1], end)
    )
    leader = name(evaluation, comparison.leader)
    better = beyond(evaluation, evaluation.task.ranking_metric)
    return say(
        NEAR_BASELINE, leader=leader, better=better, baseline=baseline[0], level=score, end=reaches
    )


def _further_sentences(evaluation: Evaluation, claim: Claim, comparison: Comparison | None) -> str:
    """The lead, and who may be as good; or why nothing is compared."""
    key = evaluation.task.ranking_metric
    if claim is Claim.UNDECIDED:
        if evaluation.certainty:
            by_ranking = evaluation.certainty.comparison(key)
        else:
            by_ranking = None
        if by_ranking is None:
            return ""
        return say(f"No two teams are compared: {undecided(evaluation, by_ranking)}.")
    if comparison is None or claim not in {Claim.BEST, Claim.OPEN, Claim.SHARED}:
        return ""
    if claim is Claim.SHARED:
        lead = ""
    else:
        lead = _lead_sentence(evaluation, comparison)
    return " ".join(filter(None, (lead, _may_be_better(evaluation, comparison))))


def _lead_sentence(evaluation: Evaluation, comparison: Comparison) -> str:
    lead = lead_of(evaluation, comparison)
    if lead is None:
        return ""
    second = name(evaluation, lead.second)
    return say(LEAD, second=second, size=lead.size, interval=lead.interval, p=lead.p)


@dataclass(frozen=True)
class Lead:
    """The lead of the first over the second as printed, by the test that decides this pair."""

    second: int
    size: str
    interval: str
    p: str


def lead_of(evaluation: Evaluation, comparison: Comparison) -> Lead | None:
    """The lead of the first, of several that are second over the least clearly behind; None where not compared."""
    goodness = evaluation.goodness_of(comparison.key)
    first, *behind = family_of(evaluation, comparison)
    second_best = goodness[behind[0]]
    between = evaluation.contending & (goodness > second_best + TIE_TOLERANCE)
    between[first] = False
    if between.any():
        return None
    p, lower, upper = (
        each[first]
        for each in (
            comparison.adjusted_p,
            comparison.difference_lower,
            comparison.difference_upper,
        )
    )
    sharing = [team for team in behind if goodness[team] >= second_best - TIE_TOLERANCE]
    second = max(sharing, key=lambda team: (p[team], -lower[team]))
    ends = difference_ends(
        float(lower[second]), float(upper[second]), evaluation.task.printed_decimals
    )
    if comparison.against_best[first, second]:
        against = " against the best"
    else:
        against = ""
    return Lead(
        second=second,
        size=short(float(goodness[first] - goodness[second])),
        interval="no 95% CI" if ends in {"–", NO_BOUND} else f"95% CI {ends}",
        p=f"{p_phrase(float(p[second]))}{against}",
    )


def _may_be_better(evaluation: Evaluation, comparison: Comparison) -> str:
    """How many others belong to the 95% confidence set, who it is where it is one; nothing where there are none."""
    who = others_in_set(evaluation, comparison)
    noun = entrant(evaluation)
    if not who:
        return ""
    if groups_are_open(evaluation):
        return say(MAY_BE_BETTER_IF_INDEPENDENT, who=who, entrant=noun)
    return say(MAY_BE_BETTER, who=sentence_case(who), entrant=noun)


def others_in_set(evaluation: Evaluation, comparison: Comparison) -> str:
    """Who beside the first is in the 95% confidence set: “only X”, or how many; nothing where nobody is."""
    first = set(evaluation.winners(comparison.key))
    others = [team for team in comparison.contenders if team not in first]
    if not others:
        return ""
    if len(others) == 1:
        return f"only {name(evaluation, others[0])}"
    return f"{in_words(len(others))} other {entrant(evaluation)}s"


def sentence_with_mark(evaluation: Evaluation) -> str:
    """The verdict for a ranking in which ● marks the 95% confidence set: who else is in it follows in one sentence."""
    verdict = evaluation.verdict
    comparison = comparison_of(evaluation)
    if comparison is None:
        who = ""
    else:
        who = others_in_set(evaluation, comparison)
    if (
        not who
        or verdict.claim is not Claim.OPEN
        or not_above_baseline(evaluation)
        or _suspected(evaluation)
    ):
        return verdict.sentence
    leader = name(evaluation, verdict.winners[0])
    score = _best_score(evaluation)
    if groups_are_open(evaluation):
        return say(MARKED_IF_INDEPENDENT, leader=leader, score=score, who=who)
    return say(MARKED_SET, leader=leader, score=score, who=who)
