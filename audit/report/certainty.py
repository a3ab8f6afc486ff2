"""The section on how sure the ranking is: sentences and tables from an evaluation's uncertainty."""

import math

import numpy as np

from audit.domain import Comparison, Evaluation, Uncertainty
from audit.flags.uncertainty import rivals_of
from audit.flags.wording import share_of_replicates
from audit.metrics import phrase
from audit.report.page import Certainty
from audit.report.printing import NAME_LIMIT, Printing, range_text
from audit.report.tables import certainty_table, rank_shares_table, separable_table
from audit.report.tables.certainty import MOST_TEAMS
from audit.text import listed, number, plural, visible

_HALF_WIDTH = 1.96  # standard errors in half a 95% interval of a normal distribution


def certainty_of(show: Printing) -> Certainty | None:
    """The section; None where nothing was resampled."""
    uncertainty = show.evaluation.uncertainty
    if uncertainty is None:
        return None
    comparison = uncertainty.comparisons[0]
    return Certainty(
        statements=(*_statements(show, comparison), _disagreements(show.evaluation, uncertainty)),
        method=_method(show.evaluation, uncertainty),
        table=certainty_table(show, uncertainty),
        separable=separable_table(show, comparison),
        rank_shares=rank_shares_table(show, comparison),
        left_out="The map of separable pairs is left out for so many teams; audit show --json has them."
        if len(show.comparable) > MOST_TEAMS
        else "",
    )


def support(show: Printing) -> str:
    """Whether the data support the winner, in a sentence for the first page; nothing where it is not known."""
    evaluation = show.evaluation
    if evaluation.uncertainty is None:
        return ""
    comparison = evaluation.uncertainty.comparisons[0]
    winners, leader = evaluation.winners(comparison.key), evaluation.leader(comparison.key)
    if not winners:
        return ""
    if leader is None or leader not in winners:
        return "The winner is scored on fewer items than the others, and is compared with none of them."
    if len(show.comparable) == 1:
        return ""
    rivals = len(rivals_of(evaluation, comparison, leader))
    if not rivals:
        return "The test set separates the winner from every other team."
    n_possible = len(comparison.possible_winners)
    return (
        f"The test set does not separate the winner from {plural(rivals, 'other team')}; "
        f"{plural(n_possible, 'team')} {'is a possible winner' if n_possible == 1 else 'are possible winners'}."
    )


def _statements(show: Printing, comparison: Comparison) -> tuple[str, ...]:
    """What the test set supports, most important first."""
    if len(show.comparable) < 2:  # noqa: PLR2004 - a pair
        n_compared = plural(len(show.comparable), "submission")
        return (f"There {'is' if len(show.comparable) == 1 else 'are'} {n_compared} to compare, which makes no pair.",)
    found = (
        _who_may_win(show, comparison),
        _how_many_pairs(show, comparison),
        _left_aside(show),
        _resolution(comparison),
        _lead(show, comparison),
    )
    return tuple(statement for statement in found if statement)


def _who_may_win(show: Printing, comparison: Comparison) -> str:
    possible = [team for team in show.order if team in comparison.possible_winners]
    names = listed([visible(show.evaluation.names[team], NAME_LIMIT) for team in possible], limit=8)
    by = phrase(comparison.key, show.evaluation.task.label_set)
    if len(possible) == 1:
        return f"{names} is the only possible winner by {by}: no other rank set holds rank 1."
    return f"{plural(len(possible), 'team')} are possible winners by {by}, as their rank sets hold rank 1: {names}."


def _how_many_pairs(show: Printing, comparison: Comparison) -> str:
    order = list(show.comparable)
    n_pairs = len(order) * (len(order) - 1) // 2
    n_adjacent = int(comparison.separable[order[:-1], order[1:]].sum())
    return (
        f"{int(comparison.separable.sum()):,} of {plural(n_pairs, 'pair')} of teams are separable, and {n_adjacent:,} "
        f"of the {len(order) - 1:,} that stand next to each other."
    )


def _left_aside(show: Printing) -> str:
    """Who takes no part in the comparisons, and why."""
    fewer = [team for team in show.ranked if team not in show.comparable]
    beside = [team for team in show.order if team not in show.ranked]
    names = [
        listed([visible(show.evaluation.names[team], NAME_LIMIT) for team in teams], limit=5)
        for teams in (fewer, beside)
    ]
    said = (
        f"{names[0]} {'is' if len(fewer) == 1 else 'are'} scored on fewer items" if fewer else "",
        f"{names[1]} {'takes' if len(beside) == 1 else 'take'} no rank" if beside else "",
    )
    found = "; ".join(filter(None, said))
    return f"Not compared in pairs: {found}." if found else ""


def _resolution(comparison: Comparison) -> str:
    if math.isnan(comparison.resolution):
        return ""
    return (
        f"What this test set can resolve: two teams must differ by about {number(comparison.resolution)} to be "
        "separable (critical value × standard error of the paired difference, median over the pairs)."
    )


def _lead(show: Printing, comparison: Comparison) -> str:
    first, second = show.comparable[:2]
    lower, upper = comparison.behind_lower[second], comparison.behind_upper[second]
    if math.isnan(lower):
        return ""
    scores = show.evaluation.scores_of(comparison.key)
    names = [visible(show.evaluation.names[team], NAME_LIMIT) for team in (first, second)]
    return (
        f"{names[0]} leads {names[1]} by {show.score(scores[first] - scores[second])}; the 95% interval of the paired "
        f"difference, for this pair alone, is {range_text(show, lower, upper)}."
    )


def _disagreements(evaluation: Evaluation, uncertainty: Uncertainty) -> str:
    key = phrase(evaluation.task.ranking_metric, evaluation.task.label_set)
    return (
        f"The two macro F1s have different winners in {share_of_replicates(uncertainty.macro_f1_disagreement)} of the "
        f"replicates, and {key} at observed and at balanced prevalence in "
        f"{share_of_replicates(uncertainty.prevalence_disagreement)} of them: this describes the bootstrap, and is no "
        "probability of being right."
    )


def _method(evaluation: Evaluation, uncertainty: Uncertainty) -> tuple[str, ...]:
    """What was resampled, what the family of comparisons is, and what the numbers do not cover."""
    n_teams, n_replicates = int(evaluation.comparable.sum()), f"{uncertainty.n_replicates:,}"
    pairs = plural(n_teams * (n_teams - 1), "ordered pair")
    intervals = (
        f"Intervals: paired percentile bootstrap over {_drawn(uncertainty)}, {n_replicates} replicates, seed "
        f"{uncertainty.seed}, shared by all teams and metrics.{_left_out(uncertainty)}{_repaired(uncertainty)}"
    )
    procedure = (
        "Separable, tiers, rank sets and possible winners come from one procedure: stepdown max-t on studentised "
        f"paired differences over all {pairs} of teams, family-wise error 5%. Whether intervals overlap says nothing "
        "about a pair. Tier 1 is the first team and all not separable from it; that this anchor was chosen after "
        "seeing the data is not corrected for. Who may be best is answered by the rank sets."
    )
    randomization = (
        f"p: approximate randomization against the first team, {n_replicates} randomizations, two-sided, unadjusted. "
        "Its null hypothesis is that the two teams’ answers are exchangeable, which is more than equal scores."
    )
    limits = "Not covered: errors in the gold labels, and test sets that are not samples like this one."
    return tuple(filter(None, (intervals, procedure, randomization, _cross_check(evaluation, uncertainty), limits)))


def _cross_check(evaluation: Evaluation, uncertainty: Uncertainty) -> str:
    """How the delta method's standard errors stand to the intervals; nothing where it has none."""
    comparison = uncertainty.comparisons[0]
    row, errors = evaluation.keys.index(comparison.key), comparison.delta_error
    there = errors > 0
    if not there.any():
        return ""
    widths = (uncertainty.upper[row] - uncertainty.lower[row])[there] / (2 * _HALF_WIDTH)
    ratio = float(np.nanmedian(widths / errors[there]))
    ends = [number(float(end), 4) for end in (errors[there].min(), errors[there].max())]
    return (
        f"Cross-check: by the delta method, which resamples nothing, the standard errors of "
        f"{phrase(comparison.key, evaluation.task.label_set)} are {ends[0]} to {ends[1]}; half of the median team’s "
        f"interval, divided by 1.96, is {ratio:.2f} times that."
    )


def _drawn(uncertainty: Uncertainty) -> str:
    return "items" if uncertainty.n_groups is None else plural(uncertainty.n_groups, "group")


def _left_out(uncertainty: Uncertainty) -> str:
    share = uncertainty.share_left_out
    return f" {number(share)} of the replicates have no item of some class and are left out." if share else ""


def _repaired(uncertainty: Uncertainty) -> str:
    n_rows = uncertainty.n_repaired
    if not n_rows:
        return ""
    draw = "draws its" if n_rows == 1 else "draw their"
    return (
        f" {plural(n_rows, 'gold row')} with a recall of exactly 0 or 1, which resampling cannot move, {draw} recall "
        "from Beta(correct + ½, prevalence − correct + ½)."
    )
