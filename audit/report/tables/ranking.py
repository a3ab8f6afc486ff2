"""The official ranking: the table a reader would paste into the paper."""

from audit.domain import Evaluation, ScoreKey
from audit.metrics import phrase
from audit.ranking import as_published, competition_ranks
from audit.report.page import Cell, Column, Table
from audit.report.printing import AVERAGED, OF_AVERAGES, Printing, best_of, metric_column, sentence_case, shared
from audit.text import number


def ranking_table(show: Printing) -> Table:
    """The official ranking, with both macro F1s beside it."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    scores, ranks = evaluation.scores_of(key), shared(evaluation.ranks_of(key))
    best = float(best_of(scores))
    beside = [other for other in (AVERAGED, OF_AVERAGES, ScoreKey("accuracy")) if other != key]
    published = _published_ranks(evaluation)
    columns = [
        Column("Rank", title="On full precision; shared ranks carry ="),
        *([Column("As published", title="Rank on scores rounded as published")] if published else []),
        Column("Team", numeric=False),
        metric_column(key, evaluation, sentence_case(phrase(key, evaluation.task.label_set))),
        Column("Behind", title="Distance to the best score"),
    ]
    for other in beside:
        columns += [metric_column(other, evaluation, sentence_case(phrase(other, evaluation.task.label_set)))]
        columns += [Column("rank", title=f"Rank by {phrase(other, evaluation.task.label_set)}")]
    columns.append(Column("Unanswered", title="Items without a usable label; they count as wrong"))
    others = [(evaluation.scores_of(other), shared(evaluation.ranks_of(other))) for other in beside]
    rows = []
    for team in show.order:
        row = [Cell(ranks[team])]
        row += [Cell(published[team])] if published else []
        row += [show.name(team), Cell(show.score(scores[team]), style="best" if scores[team] == best else "")]
        row += [Cell(number(best - scores[team], show.decimals) if scores[team] < best else "")]
        for values, places in others:
            row += [Cell(show.score(values[team]), style="best" if places[team] in ("1", "1=") else "")]
            row += [Cell(places[team], style="quiet")]
        row += [Cell(f"{evaluation.entries[team].n_unanswered:,}" if evaluation.entries[team].n_unanswered else "")]
        rows.append(tuple(row))
    return Table("table-ranking", f"Ranking by {phrase(key, evaluation.task.label_set)}.", tuple(columns), tuple(rows))


def _published_ranks(evaluation: Evaluation) -> list[str]:
    decimals = evaluation.task.official_decimals
    if decimals is None:
        return []
    scores = evaluation.scores_of(evaluation.task.ranking_metric)
    return shared(competition_ranks(as_published(scores, decimals)))
