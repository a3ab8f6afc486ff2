"""The section on other class distributions: sentences and tables from the winner maps."""

from audit.domain import OBSERVED, Evaluation, ScoreKey, WinnerMap
from audit.flags.rules.distribution_rules import class_changes, items_moved
from audit.metrics import AGGREGATES, named_metric, phrase
from audit.ranking import winner_maps
from audit.report.figures.distributions_figures import names_of
from audit.report.page import Distributions
from audit.report.table_printing import Printing
from audit.report.tables.distributions_tables import held_by_metric_table, held_by_team_table, interval
from audit.sentences import say
from audit.text import listed, number


def distributions_of(show: Printing) -> Distributions | None:
    """The section on class distributions; None where none could change the winner, for want of teams or classes."""
    evaluation = show.evaluation
    winner_map = evaluation.winner_map
    if winner_map is None:
        return None
    maps = winner_maps(evaluation, [ScoreKey(metric.slug) for metric in AGGREGATES])
    return Distributions(
        statements=map_statements(evaluation, winner_map)[1:],
        teams=held_by_team_table(show, winner_map),
        metrics=held_by_metric_table(show, maps),
        method=_method(winner_map),
    )


def map_statements(evaluation: Evaluation, winner_map: WinnerMap) -> tuple[str, ...]:
    """Statements on the share that each winner holds, and on the nearest other winner."""
    by = phrase(winner_map.key, evaluation.task.label_set)
    if not named_metric(winner_map.key.metric, evaluation.task.label_set).moves_with(int(evaluation.present.sum())):
        who = names_of(evaluation, winner_map.winners)
        return (f"By {by} {who} is first whatever the class distribution: the metric is prevalence-invariant.",)
    if winner_map.key.prevalence != OBSERVED.name:
        premise = f"The ranking is by {by}, which states its prevalence. What follows is the metric elsewhere."
        return premise, _holds(evaluation, winner_map), _nearest(evaluation, winner_map)
    return _holds(evaluation, winner_map), _nearest(evaluation, winner_map)


def _holds(evaluation: Evaluation, winner_map: WinnerMap) -> str:
    """A statement on who wins how much of the simplex, and how much of it nearby."""
    by, most = phrase(ScoreKey(winner_map.key.metric), evaluation.task.label_set), int(winner_map.uniform.argmax())
    share = number(float(winner_map.uniform[most]))
    others = f" {names_of(evaluation, (most,))} is first on the largest part of it: {share}."
    return (
        f"Over all class distributions alike, {one_of(evaluation, winner_map)} would be first by {by} on "
        f"{number(winner_map.holds_uniform)} of the simplex "
        f"({interval(winner_map.holds_uniform, winner_map.n_draws)}), and on "
        f"{number(winner_map.holds_nearby)} of the distributions around this one "
        f"({interval(winner_map.holds_nearby, winner_map.n_draws)}).{'' if most in winner_map.winners else others}"
    )


def one_of(evaluation: Evaluation, winner_map: WinnerMap) -> str:
    """The name of the winner; where several share first place, the share that each would hold."""
    winners = winner_map.winners
    if len(winners) < 2:  # noqa: PLR2004 - one alone
        return names_of(evaluation, winners)
    each = [f"{names_of(evaluation, (team,))} {number(float(winner_map.uniform[team]))}" for team in winners]
    return f"one of {names_of(evaluation, winners)} ({listed(each, limit=3)})"


def _nearest(evaluation: Evaluation, winner_map: WinnerMap) -> str:
    if winner_map.nearest is None:
        return "No class distribution was found at which another team is first."
    shift = winner_map.nearest
    return (
        f"The nearest class distribution found at which {names_of(evaluation, shift.winners)} is first instead: "
        f"{class_changes(evaluation, winner_map)}; {items_moved(evaluation, shift.distance)} would have another class "
        f"(total variation distance {number(shift.distance)})."
    )


def _method(winner_map: WinnerMap) -> tuple[str, ...]:
    assumed = (
        "A class distribution scales the gold rows of every confusion (Opitz 2024, equation 5): how a team answers the "
        "items of a class stays as it is. Data that differ in more than their classes are not covered."
    )
    computed = (
        f"Shares: {winner_map.n_draws:,} distributions drawn uniformly from the simplex, and {winner_map.n_draws:,} "
        f"from a Dirichlet distribution around this one with parameters that sum to {winner_map.concentration:g} "
        f"(mean total variation distance {number(winner_map.spread)}), seed {winner_map.seed}; "
        f"{say('monte-carlo-method')} The nearest distribution is found by search: for accuracy it is exact, for other "
        "metrics a nearer one may exist."
    )
    return assumed, computed
