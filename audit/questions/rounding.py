"""Flags about printed scores: ties that rounding makes, and orders that it hides."""

import numpy as np

from audit.domain import Evaluation, Severity
from audit.metrics import metric_of
from audit.questions.flag_kind import Fired, flag
from audit.questions.wording import as_shown, names, of, plain_names
from audit.ranking.ranks import published_scores, ranks_among
from audit.text import decimals_to_tell_apart, number, plural

RULES_PLACE = 40


@flag("tie-only-after-rounding", "Ties that exist only after rounding", Severity.WINNER, "ranking")
def tie_only_after_rounding(evaluation: Evaluation) -> Fired | None:
    """Whether teams with different scores share a published rank.

    Fires when official_decimals is set and teams whose scores differ on full precision share a published rank.
    """
    decimals = evaluation.task.official_decimals
    if decimals is None:
        return None
    groups = _printed_alike(evaluation)
    if not groups:
        return None
    who, more = _first_of(evaluation, groups)
    printed = number(published_scores(evaluation)[groups[0][0]], decimals)
    return Fired(
        severity=_severity(groups, evaluation),
        sentence=f"By {of(evaluation, evaluation.task.ranking_metric)}, {_rounded(evaluation)} {as_shown(evaluation)}, "
        f"{_groups(groups, evaluation, decimals)}; on full precision their scores differ.",
        remedy=f"Let {who} share a rank: {printed} in print{more}.",
        paper=f"In the published ranking, teams whose scores agree to {plural(decimals, 'decimal')} share a rank; "
        "otherwise ranks are on full precision.",
        evidence=_evidence(groups, evaluation, decimals),
    )


@flag("order-beyond-printed-decimals", "An order that the printed decimals do not show", Severity.WINNER, "ranking")
def order_beyond_printed_decimals(evaluation: Evaluation) -> Fired | None:
    """Whether the order of some teams cannot be seen in three printed decimals.

    Fires when official_decimals is not set and teams with different ranks have scores that print alike with three
    decimals, so that a reader of the table cannot see why one stands above the other.
    """
    if evaluation.task.official_decimals is not None:
        return None
    decimals = evaluation.task.printed_decimals
    groups = _printed_alike(evaluation)
    if not groups:
        return None
    who, more = _first_of(evaluation, groups)
    return Fired(
        severity=_severity(groups, evaluation),
        sentence=f"By {of(evaluation, evaluation.task.ranking_metric)}, with {as_shown(evaluation)}, "
        f"{_groups(groups, evaluation, decimals)}; {_their_order(groups)} is decided by later decimals.",
        remedy=f"Share ranks on rounded scores: {who} print alike{more}.",
        paper=f"Ranks are computed on full precision; scores are printed with {decimals} decimals.",
        evidence=_evidence(groups, evaluation, decimals),
    )


def _printed_alike(evaluation: Evaluation) -> list[list[int]]:
    """Groups of competing teams whose rounded scores are equal and whose scores are not, best first."""
    key = evaluation.task.ranking_metric
    scores, ranks = evaluation.scores_of(key), evaluation.ranks_of(key)
    rounded = evaluation.goodness(key, published_scores(evaluation))
    published = ranks_among(rounded[None], evaluation.competing)[0]
    ranked = evaluation.competing & ~np.isnan(scores)
    together = [np.flatnonzero((published == rank) & ranked) for rank in np.unique(published)]
    by_rank = [teams[np.argsort(ranks[teams], kind="stable")] for teams in together]
    return [teams.tolist() for teams in by_rank if len(np.unique(ranks[teams])) > 1]


def _first_of(evaluation: Evaluation, groups: list[list[int]]) -> tuple[str, str]:
    """The first group by its names, and how many more there are."""
    more = f", and {plural(len(groups) - 1, 'other group')}" if len(groups) > 1 else ""
    return names(evaluation, groups[0], limit=3), more


def _severity(groups: list[list[int]], evaluation: Evaluation) -> Severity:
    """A tie for first place changes the winner."""
    winners = evaluation.winners(evaluation.task.ranking_metric)
    return Severity.WINNER if any(team in winners for team in groups[0]) else Severity.ORDER


def _rounded(evaluation: Evaluation) -> str:
    """What is rounded: the score, or the scores of which it is a mean of ranks."""
    of_ranks = metric_of(evaluation.task.ranking_metric.metric, evaluation.task.label_set).of_ranks
    return "of scores rounded to" if of_ranks else "rounded to"


def _groups(groups: list[list[int]], evaluation: Evaluation, decimals: int) -> str:
    printed = published_scores(evaluation)
    shown = [f"{names(evaluation, group)} have {number(printed[group[0]], decimals)}" for group in groups[:3]]
    more = f" (and {plural(len(groups) - 3, 'more group')})" if len(groups) > 3 else ""  # noqa: PLR2004 - three shown
    return f"{'; '.join(shown)}{more}"


def _their_order(groups: list[list[int]]) -> str:
    if len(groups) == 1:
        return "their order"
    pairs = all(len(group) == 2 for group in groups)  # noqa: PLR2004 - a pair
    return f"the order within each {'pair' if pairs else 'group'}"


def _evidence(groups: list[list[int]], evaluation: Evaluation, decimals: int) -> dict[str, object]:
    scores, printed = evaluation.scores_of(evaluation.task.ranking_metric), published_scores(evaluation)
    return {
        "metric": str(evaluation.task.ranking_metric),
        "decimals": decimals,
        "groups": [
            {
                "printed": number(printed[group[0]], decimals),
                "teams": plain_names(evaluation, group),
                "scores": scores[group].tolist(),
                "decimals_that_tell_them_apart": decimals_to_tell_apart(scores[group].tolist(), decimals, 15),
            }
            for group in groups
        ],
    }
