"""The table of who is first, and who is next, by the metrics that most campaigns are ranked by."""

import math

from audit.domain import Evaluation, ScoreKey
from audit.flags.wording import entrant, entrants, shown_name
from audit.metrics import phrase, triggers_of
from audit.ranking import printed_ranks
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import Printing, metric_href, usual_keys
from audit.text import listed, sentence_case

_HEAD_LIMIT = 20


def winners_table(show: Printing) -> Table:
    """The table of who is first, and who is next, by each of the metrics that most campaigns are ranked by."""
    evaluation = show.evaluation
    leader = evaluation.leader(evaluation.task.ranking_metric)
    own = () if leader is None else (Column(f"Rank of {shown_name(evaluation, leader, _HEAD_LIMIT)}"),)
    columns = (
        Column("Metric", numeric=False),
        Column("First", numeric=False),
        Column("Score"),
        Column("Next", numeric=False),
        Column("Score"),
        Column("Lead", title="Difference of the two scores"),
        *own,
    )
    rows = tuple(_row(show, key, leader) for key in _keys(evaluation))
    return Table("table-winners", _caption(evaluation), columns, rows, sortable=False)


def _keys(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """The usual metrics, and each other one that has a say in who is first and crowns another."""
    ranking, winners = evaluation.task.ranking_metric, evaluation.winners(evaluation.task.ranking_metric)
    others = (ScoreKey(metric.slug, ranking.prevalence) for metric in triggers_of(evaluation))
    crowning = (key for key in others if key in evaluation.keys and evaluation.winners(key) not in {(), winners})
    return tuple(dict.fromkeys((*usual_keys(evaluation), *crowning)))


def _row(show: Printing, key: ScoreKey, leader: int | None) -> tuple[Cell, ...]:
    evaluation = show.evaluation
    scores, goodness, first = evaluation.scores_of(key), evaluation.goodness_of(key), evaluation.winners(key)
    following = next(
        (team for team in evaluation.order(key) if team not in first and evaluation.contending[team]), None
    )
    named = Cell(sentence_case(phrase(key, evaluation.task.label_set)), href=metric_href(key, evaluation))
    rank = () if leader is None else (Cell(printed_ranks(goodness, evaluation.competing)[leader]),)
    best = float(scores[first[0]]) if first else math.nan
    other = math.nan if following is None else float(scores[following])
    return (
        named,
        Cell(_names(evaluation, first), style="best"),
        Cell(show.score(best)),
        Cell("–" if math.isnan(other) or following is None else _names(evaluation, (following,))),
        Cell(show.score(other)),
        Cell(show.score(evaluation.goodness(key, best) - evaluation.goodness(key, other))),
        *rank,
    )


def _names(evaluation: Evaluation, teams: tuple[int, ...]) -> str:
    return listed([shown_name(evaluation, team) for team in teams], limit=3) or "–"


def _caption(evaluation: Evaluation) -> str:
    leaders = {team for key in _keys(evaluation) for team in evaluation.winners(key)}
    if not leaders:
        return f"No {entrant(evaluation)} has a defined score by any of these metrics."
    if len(leaders) == 1:
        return f"{_names(evaluation, tuple(leaders))} is first by each of these metrics."
    return f"{entrants(evaluation, len(leaders))} are first by one of these metrics or more."
