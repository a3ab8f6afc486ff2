"""Flags about printed scores: ties that rounding makes, and orders that it hides."""

import numpy as np

from audit.domain import Evaluation, Severity
from audit.findings.flag_kind import Fired, flag
from audit.findings.wording import as_shown, names, of, plain_names
from audit.metrics import metric_of
from audit.ranking.ranks import published_scores, ranks_among
from audit.text import agreeing, decimals_to_tell_apart, number, plural

RULES_PLACE = 40
_SHOWN = 3  # groups


@flag("tie-only-after-rounding", "Ties that exist only after rounding", Severity.WINNER, "ranking")
def tie_only_after_rounding(evaluation: Evaluation) -> Fired | None:
    """Whether teams with different scores share a published rank.

    Fires when official_decimals is set and teams whose scores differ on full precision share a published rank.
    """
    groups = _printed_alike(evaluation)
    decimals = evaluation.task.official_decimals
    if decimals is None or not groups:
        return None
    of_ranks = metric_of(evaluation.task.ranking_metric.metric, evaluation.task.label_set).of_ranks
    printed = number(published_scores(evaluation)[groups[0][0]], decimals)
    return _fired(
        evaluation,
        groups,
        how="of scores rounded to" if of_ranks else "rounded to",
        apart="on full precision their scores differ",
        remedy=f"{{}} have the same score to {plural(decimals, 'decimal')} ({printed}){{}}: give them the same rank.",
        paper=f"In the published ranking, teams whose scores agree to {plural(decimals, 'decimal')} share a rank; "
        "otherwise ranks are on full precision.",
    )


@flag(
    "order-beyond-printed-decimals",
    "An order that the printed decimals do not show",
    Severity.WINNER,
    "ranking",
)
def order_beyond_printed_decimals(evaluation: Evaluation) -> Fired | None:
    """Whether the order of some teams cannot be seen in three printed decimals.

    Fires when official_decimals is not set and teams with different ranks have scores that print alike with three
    decimals, so that a reader of the table cannot see why one stands above the other.
    """
    groups = _printed_alike(evaluation)
    decimals = evaluation.task.printed_decimals
    if evaluation.task.official_decimals is not None or not groups:
        return None
    pairs = all(len(group) == 2 for group in groups)  # noqa: PLR2004 - a pair
    if len(groups) == 1:
        order = "their order"
    else:
        order = f"the order within each {'pair' if pairs else 'group'}"
    return _fired(
        evaluation,
        groups,
        how="with",
        apart=f"{order} is decided by later decimals",
        remedy=f"{{}} have the same score to {plural(decimals, 'decimal')}{{}}: give them the same rank, or print more "
        "decimals.",
        paper=f"Ranks are computed on full precision; scores are printed with {decimals} decimals.",
    )


def _printed_alike(evaluation: Evaluation) -> list[list[int]]:
    """Groups of competing teams whose rounded scores are equal and whose scores are not, best first."""
    key = evaluation.task.ranking_metric
    scores = evaluation.scores_of(key)
    ranks = evaluation.ranks_of(key)
    rounded = evaluation.goodness(key, published_scores(evaluation))
    published = ranks_among(rounded[None], evaluation.competing)[0]
    ranked = evaluation.competing & ~np.isnan(scores)
    together = [np.flatnonzero((published == rank) & ranked) for rank in np.unique(published)]
    by_rank = [teams[np.argsort(ranks[teams], kind="stable")] for teams in together]
    return [teams.tolist() for teams in by_rank if len(np.unique(ranks[teams])) > 1]


def _fired(  # noqa: PLR0913 - who prints alike, and what is said of it
    evaluation: Evaluation,
    groups: list[list[int]],
    *,
    how: str,
    apart: str,
    remedy: str,
    paper: str,
) -> Fired:
    """What is said of groups that print alike; a tie for first place changes the winner."""
    key = evaluation.task.ranking_metric
    decimals = evaluation.task.printed_decimals
    scores = evaluation.scores_of(key)
    printed = published_scores(evaluation)
    shown = [
        f"{names(evaluation, group)} have {number(printed[group[0]], decimals)}"
        for group in groups[:_SHOWN]
    ]
    if len(groups) > _SHOWN:
        more = f" (and {plural(len(groups) - _SHOWN, 'more group')})"
    else:
        more = ""
    n_others = len(groups) - 1
    if n_others:
        others = f" ({plural(n_others, 'further group')} of teams {agreeing(n_others, 'is', 'are')} alike)"
    else:
        others = ""
    is_of_winners = any(team in evaluation.winners(key) for team in groups[0])
    return Fired(
        severity=Severity.WINNER if is_of_winners else Severity.ORDER,
        sentence=f"By {of(evaluation, key)}, {how} {as_shown(evaluation)}, {'; '.join(shown)}{more}; {apart}.",
        remedy=remedy.format(names(evaluation, groups[0], limit=3), others),
        paper=paper,
        evidence={
            "metric": str(key),
            "decimals": decimals,
            "groups": [
                {
                    "printed": number(printed[group[0]], decimals),
                    "teams": plain_names(evaluation, group),
                    "scores": scores[group].tolist(),
                    "decimals_that_tell_them_apart": decimals_to_tell_apart(
                        scores[group].tolist(), decimals, 15
                    ),
                }
                for group in groups
            ],
        },
    )
