"""Whether several teams share the first place, and whether a metric is stated."""

from audit.domain import Evaluation, Feature, Severity
from audit.findings.flag_kind import Fired, flag
from audit.findings.wording import NAME_LIMIT, names, of
from audit.ranking.ranks import TIE_TOLERANCE
from audit.text import listed, number, visible

RULES_PLACE = 20


@flag("tied-winners", "Several teams share first place", Severity.WINNER, "ranking")
def tied_winners(evaluation: Evaluation) -> Fired | None:
    """Whether several teams have the best score; runs of one team are not tied with each other.

    Fires when more than one team has the best score by the official metric (by macro-averaged F1 where none is stated),
    compared on full precision, and that score is above 0.
    """
    key = evaluation.task.ranking_metric
    winners = evaluation.winners(key)
    teams = sorted({evaluation.entries[place].team for place in winners})
    if len(teams) < 2:  # noqa: PLR2004 - one team is not tied with itself
        return None
    best = evaluation.scores_of(key)[winners[0]]
    has_zero = evaluation.task.label_set.supports(Feature.CLASSES)
    if has_zero and evaluation.goodness_of(key)[winners[0]] <= TIE_TOLERANCE:
        return None  # where nobody gets anything right nobody wins
    return Fired(
        sentence=f"{names(evaluation, winners)} share first place by {of(evaluation, key)} ({number(best)}).",
        remedy=f"Announce {listed([visible(team, NAME_LIMIT) for team in teams], limit=3)} as joint winners.",
        evidence={"metric": str(key), "score": float(best), "teams": teams},
    )


@flag("no-official-metric", "No official metric is stated", Severity.NOTE, "method")
def no_official_metric(evaluation: Evaluation) -> Fired | None:
    """Whether nobody has said what the official metric is.

    Fires when task.toml names no official_metric. The ranking is then shown by macro-averaged F1; of ratings by
    Spearman’s ρ.
    """
    if evaluation.task.official_metric:
        return None
    ranking = of(evaluation, evaluation.task.ranking_metric)
    return Fired(
        sentence=f"No official metric is stated; the ranking is shown by {ranking}.",
        remedy='State the official metric: official_metric = "…" in task.toml.',
        evidence={"shown_by": str(evaluation.task.ranking_metric)},
    )
