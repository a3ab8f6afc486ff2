"""Flags about what was decided where the files leave something open, and about scores on dropped items."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from audit.domain import (
    COUNTED_AS,
    POLICY_KINDS,
    Cells,
    Empty,
    Evaluation,
    Feature,
    Reading,
    ScoreKey,
    Severity,
)
from audit.domain.arrays import Floats
from audit.domain.numbers import Numbers
from audit.domain.sets import UnitCounts
from audit.findings.flag_kind import Fired, flag
from audit.findings.wording import have, name, names, of, plain_names
from audit.metrics import (
    counting_unanswered,
    mean_of_terms,
    metric_of,
    named_metric,
    rule_nouns,
    score_numbers,
    score_units,
    terms_of,
)
from audit.ranking.prevalence_shift import ScoreSources
from audit.ranking.ranks import mean_ranks_of, ranks_among
from audit.text import agreeing, listed, number, plural, sentence_case

RULES_PLACE = 50

_SHOWN = 5
_ASKED = 3
_MANY_EMPTY = 0.1  # of the units


@flag("empty-sets", "Units whose sets are both empty", Severity.WINNER, "ranking")
def empty_sets(evaluation: Evaluation) -> Fired | None:
    """How a mean over units counts those whose two sets are empty, and who is first by another rule.

    Fires when the ranking metric is a mean over units and both sets, gold’s and an entry’s, are empty in more than 10%
    of the units. Scorers count such a unit as 1, as 0 or not at all, and leave the rule unsaid.
    """
    key = evaluation.task.ranking_metric
    counts = evaluation.item_scores
    named = named_metric(key.metric, evaluation.task.label_set)
    if not isinstance(counts, UnitCounts) or named.metric.over != "units" or named.parts:
        return None
    both = (counts.gold == 0) & (counts.predicted == 0) & counts.answered
    share = float(both.mean(axis=1).max())
    if share <= _MANY_EMPTY or named.metric.slug == "hamming":
        return None
    reading = named.reading
    scores = {rule: score_units(replace(reading, empty=rule), counts) for rule in Empty}
    winners = {rule: first_by_scores(evaluation, values) for rule, values in scores.items()}
    others = [rule for rule in Empty if winners[rule] and winners[rule] != winners[reading.empty]]
    other_firsts = [f"{names(evaluation, winners[rule])} with {_noun(rule)}" for rule in others]
    if others:
        consequence = f"first would be {listed(other_firsts)}"
    else:
        consequence = "by the other rules the same is first"
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


def first_by_scores(evaluation: Evaluation, scores: Floats) -> tuple[int, ...]:
    """Who is first by some scores of the ranking metric's kind."""
    turned = evaluation.goodness(evaluation.task.ranking_metric, scores)
    ranks = ranks_among(turned[None], evaluation.competing)[0]
    return evaluation.first_by(np.where(np.isnan(scores), 0, ranks))


@flag("scores-on-fewer-items", "Scores that leave missing items out", Severity.WINNER, "ranking")
def scores_on_fewer_items(evaluation: Evaluation) -> Fired | None:
    """The scores that leave missing items out, and what they would be with these counted as wrong.

    Fires when, by the policy missing = "drop", a submission’s missing items are left out of its scores. Counts them
    as wrong beside it, and is as severe as what that changes by the ranking metric.
    """
    entries = evaluation.entries
    n_items = evaluation.gold.n_units
    key = evaluation.task.ranking_metric
    named = named_metric(key.metric, evaluation.task.label_set)
    teams = sorted(
        np.flatnonzero(~evaluation.whole).tolist(), key=lambda team: -entries[team].n_dropped
    )
    # which leave no item out
    of_single_items = named.metric.over == "item scores" and not named.parts
    other = evaluation.task.label_set.kind.traits.missing[0]
    as_what = COUNTED_AS[other]
    if not teams or of_single_items:
        return None
    scores = evaluation.scores_of(key)
    as_wrong = scores_as_wrong(evaluation)
    digits = evaluation.task.printed_decimals
    is_known = bool(np.isfinite(as_wrong[teams]).all())
    clauses = []
    for team in teams:
        with_others = ""
        if is_known:
            with_others = f", {number(as_wrong[team], digits)} with the others as {as_what}"
        n_scored = n_items - entries[team].n_dropped
        clauses.append(
            f"{name(evaluation, team)} on {n_scored:,} of {n_items:,} "
            f"({number(scores[team], digits)}{with_others})"
        )
    severity, consequence, both_ways = _as_wrong(evaluation, as_wrong, teams, "missing")
    counting = f"; counting missing items as {as_what} {consequence}"
    if not is_known:
        severity, counting = Severity.NOTE, ""
    return Fired(
        severity=severity,
        sentence=f"{have(len(teams), 'submission')} scores that leave missing items out, by {of(evaluation, key)}: "
        f"{listed(clauses, limit=_SHOWN)}. They are of other items than the others’ and are not compared with "
        f"them{counting}.",
        remedy=f"{names(evaluation, teams, _ASKED)} {agreeing(len(teams), 'is', 'are')} scored on fewer items: ask, or "
        f'count them as {as_what}, by missing = "{other}" under [policies].',
        evidence={
            "metric": str(key),
            "submissions": [
                {
                    "team": entries[team].name,
                    "items_scored": n_items - entries[team].n_dropped,
                    "items_dropped": entries[team].n_dropped,
                    **of_team,
                }
                for team, of_team in zip(teams, both_ways, strict=True)
            ],
        },
    )


@flag(
    "answered-items-alone",
    "Scores of the answered items alone",
    Severity.WINNER,
    "ranking",
    needs=Feature.CLASSES,
)
def answered_items_alone(evaluation: Evaluation) -> Fired | None:
    """Teams that gain by leaving items unanswered, where the ranking is by a score of the answered ones.

    Fires when the ranking is by a score of the answered items, like answered_averaged_f1, or by a mean that
    contains one, and a submission leaves items unanswered. Such a score rewards a team that answers only what it is
    sure of. Counts unanswered items as wrong beside it, and is as severe as what that changes.
    """
    key = evaluation.task.ranking_metric
    coverage = (
        1 - np.array([entry.n_unanswered for entry in evaluation.entries]) / evaluation.gold.n_units
    )
    teams = sorted(np.flatnonzero(coverage < 1).tolist(), key=lambda team: coverage[team])
    keys = [replace(key, metric=term.name) for term in terms_of(key.metric)]
    of_answered = [
        each for each in keys if metric_of(each.metric, evaluation.task.label_set).with_abstained
    ]
    if not of_answered or not teams:
        return None
    scores = evaluation.scores_of(key)
    as_wrong = _with_unanswered(evaluation, key)
    digits = evaluation.task.printed_decimals
    clauses = [
        f"{name(evaluation, team)} ({number(coverage[team], 2)} of the items; {number(scores[team], digits)}, "
        f"with the others as wrong {number(as_wrong[team], digits)})"
        for team in teams
    ]
    severity, consequence, both_ways = _as_wrong(evaluation, as_wrong, teams, "unanswered")
    return Fired(
        severity=severity,
        sentence=f"{_by_which(evaluation, of_answered)} an unanswered item costs nothing, and "
        f"{plural(len(teams), 'submission')} "
        f"{agreeing(len(teams), 'answers', 'answer')} only some: {listed(clauses, limit=_SHOWN)}. Counting unanswered "
        f"items as wrong {consequence}.",
        remedy="Print coverage beside every score: whoever answers only what is certain scores high. A score that "
        "weighs both is c@1, or a mean with coverage.",
        paper=f"{sentence_case(listed([of(evaluation, each) for each in of_answered]))} "
        f"{agreeing(len(of_answered), 'leaves', 'leave')} unanswered items out; the least that a team answered was "
        f"{number(float(coverage.min()), 2)} of the items.",
        evidence={
            "metric": str(key),
            "as_wrong": str(
                replace(key, metric=counting_unanswered(key.metric, evaluation.task.label_set))
            ),
            "submissions": [
                {"team": evaluation.names[team], "coverage": float(coverage[team]), **of_team}
                for team, of_team in zip(teams, both_ways, strict=True)
            ],
        },
    )


@flag("policy-differs", "A policy that is not the default", Severity.NOTE, "method")
def policy_differs(evaluation: Evaluation) -> Fired | None:
    """The policies that are not the default.

    Fires when a policy of task.toml is not the default, and says for each what is done.
    """
    policies = evaluation.task.policies
    differing = {
        slug: (POLICY_KINDS[slug], getattr(policies, slug)) for slug in policies.differences
    }
    if not differing:
        return None
    clauses = "; ".join(
        f"{kind.title}: {kind.values[value].split(':')[0]}" for kind, value in differing.values()
    )
    return Fired(
        sentence=f"{plural(len(differing), 'policy', 'policies')} {agreeing(len(differing), 'differs', 'differ')} from "
        f"the default: {clauses}.",
        remedy="State each in the paper: scores by other policies are other scores.",
        evidence={
            "policies": [
                {"policy": slug, "value": value, "default": kind.default}
                for slug, (kind, value) in differing.items()
            ]
        },
    )


def _by_which(evaluation: Evaluation, of_answered: Sequence[ScoreKey]) -> str:
    """The start of a sentence: the scores by which an unanswered item costs nothing."""
    key = evaluation.task.ranking_metric
    if list(of_answered) == [key]:
        return f"By {of(evaluation, key)}"
    return f"By {listed([of(evaluation, each) for each in of_answered])}, which the {of(evaluation, key)} contains,"


def _with_unanswered(evaluation: Evaluation, key: ScoreKey) -> Floats:
    """Every score by a key, shape (T,), with unanswered items as wrong in each score of the answered ones."""
    labels = evaluation.task.label_set
    sources = _sources(evaluation, evaluation.cells)

    def scores(keys: Sequence[ScoreKey]) -> Floats:
        counted = [replace(each, metric=counting_unanswered(each.metric, labels)) for each in keys]
        return sources.scores(counted, evaluation.prevalences)

    if metric_of(key.metric, labels).of_ranks:
        return mean_ranks_of(key, scores, evaluation.ranked, labels)
    return scores([key])[0] if len(terms_of(key.metric)) == 1 else mean_of_terms(key, scores)


def _sources(evaluation: Evaluation, cells: Cells) -> ScoreSources:
    gold = evaluation.prevalence_counts
    item_scores = evaluation.item_scores
    if isinstance(item_scores, UnitCounts):
        item_scores = replace(item_scores, drops_missing=False)
    return ScoreSources(evaluation.task, gold, cells, item_scores, evaluation.ranked)


def cells_as_wrong(evaluation: Evaluation) -> Cells:
    """The confusions with dropped items counted as unanswered."""
    return evaluation.cells.with_unanswered(
        evaluation.prevalence_counts - evaluation.cells.prevalence
    )


def scores_as_wrong(evaluation: Evaluation) -> Floats:
    """Every score by the ranking metric with dropped items counted as unanswered, shape (T,).

    Numbers count as the policy that comes before all others has it; NaN where that cannot be computed.
    """
    item_scores = evaluation.item_scores
    if isinstance(item_scores, Numbers):
        scale = metric_of(evaluation.task.ranking_metric.metric, evaluation.task.label_set).scale
        filled = item_scores.with_means()
        if filled.gold is None:
            filled = item_scores.with_value(scale.worst if np.isfinite(scale.worst) else np.nan)
            without = ~evaluation.whole & ~np.isfinite(scale.worst)
            scores = score_numbers(evaluation.task.ranking_metric.metric, filled)
            return np.where(without, np.nan, scores)
        return score_numbers(evaluation.task.ranking_metric.metric, filled)
    sources = _sources(evaluation, cells_as_wrong(evaluation))
    return np.asarray(sources.scores([evaluation.task.ranking_metric], evaluation.prevalences)[0])


def _as_wrong(
    evaluation: Evaluation, as_wrong: Floats, teams: Sequence[int], what: str
) -> tuple[Severity, str, list[dict[str, object]]]:
    """What it changes that left-out items count as wrong, and each team's score and rank both ways, as evidence."""
    key = evaluation.task.ranking_metric
    scores = evaluation.scores_of(key)
    turned = np.stack([evaluation.goodness(key, each) for each in (scores, as_wrong)])
    ranks, ranks_as_wrong = ranks_among(turned, evaluation.competing)
    first = evaluation.first_by(ranks_as_wrong)
    n_moved = int((ranks != ranks_as_wrong)[evaluation.competing].sum())
    if first != evaluation.first_by(ranks):
        severity = Severity.WINNER
        consequence = f"makes {names(evaluation, first)} first"
    elif n_moved:
        severity = Severity.ORDER
        consequence = f"changes {plural(n_moved, 'rank')}"
    else:
        severity = Severity.NOTE
        consequence = "changes no rank"
    evidence: list[dict[str, object]] = [
        {
            "score": None if np.isnan(scores[team]) else float(scores[team]),
            "rank": int(ranks[team]),
            f"score_with_{what}_as_wrong": None
            if np.isnan(as_wrong[team])
            else float(as_wrong[team]),
            f"rank_with_{what}_as_wrong": int(ranks_as_wrong[team]),
        }
        for team in teams
    ]
    return severity, consequence, evidence
