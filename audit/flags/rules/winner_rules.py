"""Flags about who wins: by which metric, at which prevalence, alone or together."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from audit.domain import BALANCED, OBSERVED, Evaluation, Flag, ScoreKey, Severity
from audit.flags.winner_changes import change_clause, state_between
from audit.flags.wording import names, of, plain_names, winner_clause, winners_by
from audit.metrics import triggers_of
from audit.ranking import TIE_TOLERANCE
from audit.sentences import say
from audit.text import agreeing, decimals_to_tell_apart, listed, number, plural

FEWEST_TEAMS_FOR_OUTLIER = 5
OUTLIER_BELOW = 0.5


def winner_depends_on_metric(evaluation: Evaluation) -> Flag | None:
    """Whether the aggregate metrics have different winners, and whether the test set shows it."""
    metrics_of: dict[tuple[int, ...], list[ScoreKey]] = defaultdict(list)
    for metric in triggers_of(evaluation):
        key = ScoreKey(metric.slug)
        if winners := winners_by(evaluation, key):
            metrics_of[winners].append(key)
    if len(metrics_of) < 2:  # noqa: PLR2004 - one group of winners agrees with itself
        return None
    groups = sorted(metrics_of.items(), key=lambda group: -len(group[1]))
    clauses = [f"{names(evaluation, winners)} by {_metrics(evaluation, keys)}" for winners, keys in groups]
    return Flag(
        slug="winner-depends-on-metric",
        severity=Severity.WINNER,
        sentence=f"The winner depends on the metric: {'; '.join(clauses)}.",
        remedy="Say why the official metric is the one that fits the task, and show the other columns.",
        paper=f"Which system leads depends on the metric: {'; '.join(clauses)}.",
        evidence={
            "winners": [
                {
                    "teams": plain_names(evaluation, winners),
                    "metrics": [str(key) for key in keys],
                    "state": {
                        str(key): state_between(evaluation, evaluation.task.ranking_metric, key).value
                        for key in keys
                        if key != evaluation.task.ranking_metric
                    },
                }
                for winners, keys in groups
            ]
        },
    )


def _metrics(evaluation: Evaluation, keys: Sequence[ScoreKey]) -> str:
    """Metrics with the same winners; where these are not the winners of the ranking metric, whether that is shown."""
    ranking, clauses = evaluation.task.ranking_metric, defaultdict(list)
    for key in keys:
        changed = winners_by(evaluation, key) != winners_by(evaluation, ranking)
        clauses[f" ({say(f'state-{state_between(evaluation, ranking, key)}')})" if changed else ""].append(key)
    return " and by ".join(f"{listed([of(evaluation, key) for key in by])}{state}" for state, by in clauses.items())


def winner_depends_on_prevalence(evaluation: Evaluation) -> Flag | None:
    """Whether another team wins once all classes have equal mass, and whether the test set shows it."""
    official = evaluation.task.official_metric
    metrics = [official.metric] if official else [metric.slug for metric in triggers_of(evaluation)]
    moving = (metric for metric in metrics if _observed_and_balanced(metric)[1] in evaluation.keys)
    changed = [metric for metric in moving if _differ(*_winners_at(evaluation, metric))]
    if not changed:
        return None
    clauses = [_change(evaluation, metric, brief=len(changed) > 1) for metric in changed]
    return Flag(
        slug="winner-depends-on-prevalence",
        severity=Severity.WINNER,
        sentence=f"The winner changes when prevalence is balanced: {'; '.join(clauses)}.",
        remedy="Say that the ranking holds for the class distribution of this test set, and show the balanced scores.",
        paper=f"With all classes given equal mass (prevalence calibration), the winner changes: {'; '.join(clauses)}.",
        evidence={
            "metrics": [
                {
                    "metric": metric,
                    "observed": plain_names(evaluation, _winners_at(evaluation, metric)[0]),
                    "balanced": plain_names(evaluation, _winners_at(evaluation, metric)[1]),
                    "state": state_between(evaluation, *_observed_and_balanced(metric)).value,
                }
                for metric in changed
            ]
        },
    )


def _observed_and_balanced(metric: str) -> tuple[ScoreKey, ScoreKey]:
    return ScoreKey(metric, OBSERVED.name), ScoreKey(metric, BALANCED.name)


def _winners_at(evaluation: Evaluation, metric: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    observed, balanced = _observed_and_balanced(metric)
    return winners_by(evaluation, observed), winners_by(evaluation, balanced)


def _differ(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return bool(one and other) and one != other


def _change(evaluation: Evaluation, metric: str, *, brief: bool) -> str:
    teams = sorted({team for winners in _winners_at(evaluation, metric) for team in winners})
    keys = _observed_and_balanced(metric)
    digits = max(decimals_to_tell_apart(evaluation.scores_of(key)[teams].tolist()) for key in keys)
    before, after = (winner_clause(evaluation, key, digits) for key in keys)
    state = say(f"state-{state_between(evaluation, *keys)}") if brief else change_clause(evaluation, *keys)
    suffix = f" ({state})" if brief else f"; {state}"
    return f"by {of(evaluation, keys[0])} from {before} to {after}{suffix}"


def tied_winners(evaluation: Evaluation) -> Flag | None:
    """Whether several teams have the best score; runs of one team are not tied with each other."""
    key = evaluation.task.ranking_metric
    winners = evaluation.winners(key)
    teams = sorted({evaluation.entries[place].team for place in winners})
    if len(teams) < 2:  # noqa: PLR2004 - one team is not tied with itself
        return None
    best = evaluation.scores_of(key)[winners[0]]
    if evaluation.goodness_of(key)[winners[0]] <= TIE_TOLERANCE:  # where nobody gets anything right nobody wins
        return None
    return Flag(
        slug="tied-winners",
        severity=Severity.WINNER,
        sentence=f"{names(evaluation, winners)} share first place by {of(evaluation, key)} ({number(best)}).",
        remedy="Announce them as joint winners; a tie-break needs a rule that was stated before the results.",
        paper=f"{names(evaluation, winners, limit=None)} are tied for first place by {of(evaluation, key)}.",
        evidence={"metric": str(key), "score": float(best), "teams": teams},
    )


def no_official_metric(evaluation: Evaluation) -> Flag | None:
    """Whether nobody has said what the official metric is."""
    if evaluation.task.official_metric:
        return None
    return Flag(
        slug="no-official-metric",
        severity=Severity.NOTE,
        sentence="No official metric is stated; the ranking is shown by averaged F1.",
        remedy='Write official_metric = "…" into task.toml: the metric that was announced to the teams.',
        paper="No official metric was announced; systems are ranked by averaged F1, the mean of the class F1s.",
        evidence={"shown_by": str(evaluation.task.ranking_metric)},
    )


def outlier_metric(evaluation: Evaluation) -> Flag | None:
    """Whether a metric ranks the teams unlike every other."""
    if evaluation.competing.sum() < FEWEST_TEAMS_FOR_OUTLIER:
        return None
    agreement = evaluation.agreement
    observed = [row for row, key in enumerate(agreement.keys) if key.prevalence == OBSERVED.name]
    rho = agreement.spearman[np.ix_(observed, observed)].copy()
    np.fill_diagonal(rho, np.nan)
    nearest = np.where(np.isnan(rho), -np.inf, rho).max(axis=1)
    rows = np.flatnonzero((nearest < OUTLIER_BELOW) & np.isfinite(nearest)).tolist()
    if not rows:
        return None
    outliers = [(agreement.keys[observed[row]], float(nearest[row])) for row in rows]
    clauses = [f"{of(evaluation, key)} (largest ρ {number(rho_max, 2)})" for key, rho_max in outliers]
    return Flag(
        slug="outlier-metric",
        severity=Severity.NOTE,
        sentence=f"{plural(len(outliers), 'metric')} {agreeing(len(outliers), 'ranks', 'rank')} the teams unlike all "
        f"others: {listed(clauses, limit=5)}.",
        remedy="Look at what this metric sees that the others do not, before choosing or dropping it.",
        paper=f"The ranking by {listed([of(evaluation, key) for key, _ in outliers])} differs from all others.",
        evidence={"metrics": [{"metric": str(key), "largest_spearman": rho_max} for key, rho_max in outliers]},
    )
