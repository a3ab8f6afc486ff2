"""The flag about teams that are not above a baseline."""

from collections.abc import Callable
from itertools import groupby

import numpy as np

from audit.domain import Evaluation, Flag, Role, Severity
from audit.flags.rules.data_rules import chance_levels
from audit.flags.wording import beyond, entrants, names, of, plain_names
from audit.metrics import BASELINE_KINDS, metric_of
from audit.ranking import TIE_TOLERANCE
from audit.text import agreeing, listed, number, quoted


def _quoted(title: str) -> str:
    return quoted(title, 40)


def team_not_above_baseline(evaluation: Evaluation) -> Flag | None:
    """Which teams are not above a baseline by the ranking metric."""
    key = evaluation.task.ranking_metric
    goodness = evaluation.goodness_of(key)
    levels = _levels(evaluation, computed=not _chance_is_told(evaluation))
    not_above = {
        title: evaluation.contending & (goodness <= evaluation.goodness(key, level) + TIE_TOLERANCE)
        for title, level in levels.items()
    }
    baselines = {
        title: (levels[title], np.flatnonzero(teams).tolist()) for title, teams in not_above.items() if teams.any()
    }
    if not baselines:
        return None
    digits = evaluation.task.printed_decimals
    together = groupby(baselines.items(), lambda item: item[1][1])
    clauses = [
        f"{entrants(evaluation, len(teams))} {agreeing(len(teams), 'is', 'are')} not {beyond(evaluation, key)} "
        f"{listed([f'{quoted(title, 40)} ({number(level, digits)})' for title, (level, _) in beaten], 'or')}: "
        f"{names(evaluation, teams, limit=3)}"
        for teams, beaten in together
    ]
    return Flag(
        slug="team-not-above-baseline",
        severity=Severity.NOTE,
        sentence=f"By {of(evaluation, key)}, {'; '.join(clauses[:3])}.",
        remedy="Say so in the paper, and show the baseline beside the teams.",
        paper=f"By {of(evaluation, key)}, {'; '.join(clauses)}.",
        evidence={
            "metric": str(key),
            "baselines": [
                {"baseline": title, "score": float(level), "teams": plain_names(evaluation, teams)}
                for title, (level, teams) in baselines.items()
            ],
        },
    )


def baseline_ahead(evaluation: Evaluation, set_name: Callable[[str], str] = _quoted) -> tuple[str, float] | None:
    """What the best baseline is, submitted or computed, and its score, where nobody who can be first is above it."""
    key = evaluation.task.ranking_metric
    best = next(iter(_levels(evaluation, computed=True).items()), None)
    winners = evaluation.winners(key)
    if best is None or not winners:
        return None
    title, score = best
    if evaluation.goodness_of(key)[winners[0]] > evaluation.goodness(key, score) + TIE_TOLERANCE:
        return None
    if title != BASELINE_KINDS["majority"].title:
        return f"the baseline {set_name(title)}", score
    labels = evaluation.task.label_set.named
    return f"always answering {set_name(labels[int(evaluation.prevalence_counts.argmax())])}", score


def _chance_is_told(evaluation: Evaluation) -> bool:
    """Whether `at-or-below-chance` says who is not above chance by the ranking metric."""
    return not np.isnan(chance_levels(evaluation, evaluation.task.ranking_metric)).all()


def _levels(evaluation: Evaluation, *, computed: bool) -> dict[str, float]:
    """Every baseline's score by the ranking metric, the best first; no oracle, which is none.

    Computed ones are left out by recall of a class, which an answer that is always this class has in full.
    """
    key = evaluation.task.ranking_metric
    row, scores = evaluation.row(key), evaluation.scores_of(key)
    submitted = {
        entry.name: float(scores[place])
        for place, entry in enumerate(evaluation.entries)
        if entry.role == Role.BASELINE and not entry.n_dropped
    }
    with_computed = computed and not metric_of(key.metric, evaluation.task.label_set).is_share_of_gold
    built_in = {
        baseline.title: float(baseline.values[row])
        for baseline in evaluation.baselines
        if baseline.slug != "oracle" and with_computed
    }
    levels = {title: level for title, level in {**built_in, **submitted}.items() if not np.isnan(level)}
    return dict(sorted(levels.items(), key=lambda item: -evaluation.goodness(key, item[1])))
