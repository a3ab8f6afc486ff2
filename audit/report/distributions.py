"""Does the winner change with the class distribution? Who would win where, and how small a change is enough."""

import math
from collections.abc import Iterator, Sequence

from audit.document import Block, Cell, Column, Paragraph, Table, row_names
from audit.domain import OBSERVED, Evaluation, Feature, ScoreKey, WinnerMap
from audit.findings.distributions import class_changes, items_moved
from audit.findings.wording import NAME_LIMIT, entrant, entrants, names, of, shown_name
from audit.metrics import named_metric
from audit.ranking.nearest import monte_carlo_interval
from audit.ranking.ranks import printed_ranks
from audit.report.printing import Printing, heading, plain_table, printing, rank_change
from audit.sentences import say
from audit.text import distinct, listed, number, range_text, sentence_case


def map_statements(evaluation: Evaluation, winner_map: WinnerMap) -> tuple[str, ...]:
    """Statements on the nearest other winner, and on the share that each winner holds."""
    by = of(evaluation, winner_map.key)
    if not named_metric(winner_map.key.metric, evaluation.task.label_set).moves_with(
        int(evaluation.present.sum())
    ):
        who = names_of(evaluation, winner_map.winners)
        return (
            f"By {by} {who} wins under every class distribution: the metric does not depend on it.",
        )
    if winner_map.key.prevalence != OBSERVED.name:
        premise = (
            f"The ranking is by {by}, which states its class distribution. What follows is "
            "the metric under others."
        )
        return premise, _nearest(evaluation, winner_map), _holds(evaluation, winner_map)
    return _nearest(evaluation, winner_map), _holds(evaluation, winner_map)


def names_of(evaluation: Evaluation, winners: Sequence[int]) -> str:
    """The names of the winners, in words."""
    return listed([shown_name(evaluation, team) for team in winners], limit=3) or "nobody"


def _holds(evaluation: Evaluation, winner_map: WinnerMap) -> str:
    """A statement on the shares of class distributions that the winner wins: of all, and of those close to this one."""
    by = of(evaluation, ScoreKey(winner_map.key.metric))
    most = int(winner_map.uniform.argmax())
    share = number(float(winner_map.uniform[most]))
    others = f" {names_of(evaluation, (most,))} wins under most of all: {share}."
    return (
        f"With all class distributions equally likely, {one_of(evaluation, winner_map)} wins by {by} under "
        f"{number(winner_map.holds_uniform)} of them "
        f"({interval(winner_map.holds_uniform, winner_map.n_draws)}), and under "
        f"{number(winner_map.holds_nearby)} of those close to this one "
        f"({interval(winner_map.holds_nearby, winner_map.n_draws)}).{'' if most in winner_map.winners else others}"
    )


def one_of(evaluation: Evaluation, winner_map: WinnerMap) -> str:
    """The name of the winner; of several, each with the share of all class distributions under which it wins."""
    winners = winner_map.winners
    if len(winners) < 2:  # noqa: PLR2004 - one alone
        return names_of(evaluation, winners)
    each = [
        f"{names_of(evaluation, (team,))} {number(float(winner_map.uniform[team]))}"
        for team in winners
    ]
    return f"one of {names_of(evaluation, winners)} ({listed(each, limit=3)})"


def _nearest(evaluation: Evaluation, winner_map: WinnerMap) -> str:
    if winner_map.nearest is None:
        return "No class distribution was found under which another team wins."
    shift = winner_map.nearest
    return (
        f"The smallest change found after which {names_of(evaluation, shift.winners)} ranks first instead: "
        f"{class_changes(evaluation, winner_map.reference, shift.shares)}; "
        f"{items_moved(evaluation, shift.distance)} would have another class (total variation distance "
        f"{number(shift.distance)})."
    )


def interval(share: float, n_draws: int) -> str:
    """The Monte Carlo interval of a share, as printed."""
    return range_text(*monte_carlo_interval(share, n_draws))


def held_by_team_table(show: Printing, winner_map: WinnerMap) -> Table:
    """The share of class distributions that each team wins by the ranking metric; teams that win none are left out."""
    holding = [team for team in show.order if winner_map.uniform[team] or winner_map.nearby[team]]
    rows = tuple(
        (
            show.name(team),
            *_share(float(winner_map.uniform[team]), winner_map.n_draws),
            *_share(float(winner_map.nearby[team]), winner_map.n_draws),
        )
        for team in holding
    )
    monte_carlo = say("Monte Carlo interval (Wilson)")
    columns = (
        row_names("Team"),
        Column(
            "All distributions",
            title="Share of class distributions, all equally likely, that the team wins",
        ),
        Column("95%", title=monte_carlo),
        Column(
            "Close to this one",
            title="Share of class distributions close to this one that the team wins",
        ),
        Column("95%", title=monte_carlo),
    )
    by = of(show.evaluation, winner_map.key)
    n_holding = entrants(show.evaluation, len(holding))
    caption = f"{n_holding} win by {by} under some of the class distributions drawn at random."
    if len(holding) == 1:
        caption = f"One {entrant(show.evaluation)} wins by {by} under every class distribution drawn at random."
    return Table("table-held-by-team", caption, columns, rows)


def _share(share: float, n_draws: int) -> tuple[Cell, Cell]:
    return Cell(number(share), style="best" if share > 0.5 else ""), Cell(  # noqa: PLR2004 - more than half
        interval(share, n_draws), style="quiet"
    )


# For a command


def map_blocks(
    evaluation: Evaluation,
    key: ScoreKey,
    scenarios: Sequence[Evaluation],
    winner_map: WinnerMap | None,
) -> tuple[Block, ...]:
    """The winner at every named prevalence, and the share of class distributions that each team would win."""
    rows = []
    for each in scenarios:
        there = ScoreKey(key.metric, each.prevalences[0].name)
        first = each.winners(there)
        if first:
            best = float(each.scores_of(there)[first[0]])
        else:
            best = math.nan
        printed = number(best, evaluation.task.printed_decimals)
        rows.append((Cell(there.prevalence), Cell(names(evaluation, first) or "–"), Cell(printed)))
    columns = (
        row_names("prevalence"),
        Column("first", numeric=False),
        Column(str(ScoreKey(key.metric))),
    )
    blocks = (
        Paragraph(heading(evaluation, key), "heading"),
        Table("table-prevalences", "", columns, tuple(rows)),
    )
    if winner_map is None:
        return *blocks, Paragraph(_no_map(evaluation, key), "lead")
    statements = (
        Paragraph(statement, "lead") for statement in map_statements(evaluation, winner_map)
    )
    return *blocks, *statements, held_by_team_table(printing(evaluation), winner_map)


def _no_map(evaluation: Evaluation, key: ScoreKey) -> str:
    """Why nobody else could win."""
    label_set = evaluation.task.label_set
    if not label_set.supports(Feature.PREVALENCES):
        return f"Another class distribution {label_set.kind.traits.undefined}"
    named = named_metric(key.metric, evaluation.task.label_set)
    if not named.moves_with(int(evaluation.present.sum())):
        return f"{sentence_case(of(evaluation, key))} does not depend on the class distribution."
    if named.metric.of_ranks:
        return "Who would win under other class distributions is not computed for a mean of ranks."
    if named.metric.of_item_scores:
        return "Who would win under other class distributions is not computed for a score of single items."
    return "Nobody else could win: there is one team, one class, or no defined score."


def scenario_blocks(
    evaluation: Evaluation, key: ScoreKey, scenarios: Sequence[Evaluation]
) -> Iterator[Block]:
    """The ranking under each class distribution beside the one at hand."""
    decimals = evaluation.task.printed_decimals
    here = evaluation.scores_of(key)
    ranks_here = evaluation.ranks_of(key)
    printed_here = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
    for each in scenarios:
        there = ScoreKey(key.metric, each.prevalences[0].name)
        scores = each.scores_of(there)
        ranks = each.ranks_of(there)
        columns = {
            "rank": printed_ranks(each.goodness_of(there), evaluation.competing),
            "team": distinct(evaluation.names, NAME_LIMIT),
            "there": [number(score, decimals) for score in scores.tolist()],
            "here": [number(score, decimals) for score in here.tolist()],
            "rank here": printed_here,
            "moves": [rank_change(moved) for moved in (ranks_here - ranks).tolist()],
        }
        yield Paragraph(heading(evaluation, there), "heading")
        yield plain_table(
            "table-scenario", columns, (team for team in each.order(there) if ranks[team])
        )
