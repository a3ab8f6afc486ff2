"""Is somebody above the baselines? Those submitted and those computed, and who is not above the best."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from audit.domain import Baseline, Evaluation, Feature, Role, Severity
from audit.findings.flag_kind import Fired, flag
from audit.findings.handed_in import chance_levels
from audit.findings.wording import entrants, names, of, plain_names
from audit.metrics import BASELINE_KINDS, baseline_order, metric_of
from audit.ranking.ranks import TIE_TOLERANCE
from audit.text import agreeing, listed, number, quoted

RULES_PLACE = 100


@flag("team-not-above-baseline", "Teams that are not above a baseline", Severity.NOTE, "ranking")
def team_not_above_baseline(evaluation: Evaluation) -> Fired | None:
    """The teams that are not above a baseline by the ranking metric.

    Fires when a team’s score by the ranking metric is not above that of a submitted baseline, or of a computed one:
    one answer to all, or answers at random. Those that are not above chance are left to
    at-or-below-chance where chance has a known level by the metric; computed ones are no measure for recall of a
    class, of which always answering this class has all.
    """
    key = evaluation.task.ranking_metric
    goodness = evaluation.goodness_of(key)
    chance = chance_levels(evaluation, key)
    levels = _levels(evaluation, computed=bool(np.isnan(chance).all()))
    if not np.isnan(chance).all():  # who is not above chance is told by at-or-below-chance
        most = np.nanmin(evaluation.goodness(key, chance)) + TIE_TOLERANCE
        levels = {
            title: level
            for title, level in levels.items()
            if evaluation.goodness(key, level) > most
        }
    not_above = {
        title: evaluation.contending & (goodness <= evaluation.goodness(key, level) + TIE_TOLERANCE)
        for title, level in levels.items()
    }
    baselines = {
        title: (levels[title], np.flatnonzero(teams).tolist())
        for title, teams in not_above.items()
        if teams.any()
    }
    if not baselines:
        return None
    (best, (_, behind)), *_ = baselines.items()
    digits = evaluation.task.printed_decimals
    together = groupby(baselines.items(), lambda item: item[1][1])
    clauses = [
        f"{_do_not_outperform(evaluation, teams)} "
        f"{listed([f'{quoted(title, 40)} ({number(level, digits)})' for title, (level, _) in beaten], 'or')}"
        for teams, beaten in together
    ]
    return Fired(
        sentence=f"By {of(evaluation, key)}, {'; '.join(clauses[:3])}.",
        remedy=f"{names(evaluation, behind, limit=3)} {agreeing(len(behind), 'does', 'do')} not outperform the "
        f"baseline {quoted(best, 40)} ({number(baselines[best][0], digits)}). Say so in the paper.",
        evidence={
            "metric": str(key),
            "baselines": [
                {"baseline": title, "score": float(level), "teams": plain_names(evaluation, teams)}
                for title, (level, teams) in baselines.items()
            ],
        },
    )


def _do_not_outperform(evaluation: Evaluation, teams: Sequence[int]) -> str:
    """That some teams do not outperform something, or that none of all does."""
    if len(teams) == int(evaluation.contending.sum()):
        return f"none of {entrants(evaluation, len(teams))} outperforms"
    return (
        f"{names(evaluation, teams, limit=3)} {agreeing(len(teams), 'does', 'do')} not outperform"
    )


def baseline_ahead(evaluation: Evaluation, score: float | None = None) -> tuple[str, float] | None:
    """What the best baseline is, submitted or computed, and its score, where a score is not above it: the winner's."""
    key = evaluation.task.ranking_metric
    winners = evaluation.winners(key)
    if not winners:
        return None
    goodness = evaluation.goodness(
        key, float(evaluation.scores_of(key)[winners[0]]) if score is None else score
    )
    computed = not evaluation.task.label_set.supports(Feature.CHANCE)
    # computed ones say nothing of a score above all that can be expected without a look at the items
    if not computed:
        computed = (
            not goodness
            > evaluation.goodness(key, chance_levels(evaluation, key)[winners[0]]) + TIE_TOLERANCE
        )
    best = next(iter(_levels(evaluation, computed=computed).items()), None)
    if best is None:
        return None
    title, score = best
    if goodness > evaluation.goodness(key, score) + TIE_TOLERANCE:
        return None
    if title != BASELINE_KINDS["majority"][0]:
        return f"the baseline {quoted(title, 40)}", score
    labels = evaluation.task.label_set.named
    return f"always answering {quoted(labels[int(baseline_order(evaluation)[0])], 40)}", score


def _levels(evaluation: Evaluation, *, computed: bool) -> dict[str, float]:
    """Every baseline's score by the ranking metric, the best first; no oracle, which is none.

    Computed ones are left out by recall of a class, which an answer that is always this class has in full.
    """
    key = evaluation.task.ranking_metric
    row = evaluation.row(key)
    scores = evaluation.scores_of(key)
    submitted = {
        entry.name: float(scores[place])
        for place, entry in enumerate(evaluation.entries)
        if entry.role == Role.BASELINE and not entry.n_dropped
    }
    with_computed = (
        computed and not metric_of(key.metric, evaluation.task.label_set).is_share_of_gold
    )
    built_in = {
        baseline.title: float(baseline.values[row])
        for baseline in (evaluation.baselines if with_computed else ())
        if baseline.slug != "oracle"
    }
    levels = {
        title: level for title, level in {**built_in, **submitted}.items() if not np.isnan(level)
    }
    return dict(sorted(levels.items(), key=lambda item: -evaluation.goodness(key, item[1])))


def by_score(evaluation: Evaluation) -> list[Baseline]:
    """The built-in baselines from best to worst by the ranking metric, undefined ones last."""
    key = evaluation.task.ranking_metric
    row = evaluation.row(key)

    def goodness(baseline: Baseline) -> float:
        return float(np.nan_to_num(evaluation.goodness(key, baseline.values[row]), nan=-np.inf))

    return sorted(evaluation.baselines, key=goodness, reverse=True)
