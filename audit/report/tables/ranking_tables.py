"""The official ranking: the table a reader would paste into the paper."""

import math

from audit.domain import Baseline, Entry, Evaluation, ScoreKey
from audit.flags.certainty_rules import comparison_of
from audit.metrics import phrase
from audit.ranking import printed_ranks, published_ranks
from audit.report.interval_reasons import possible_ranks_text
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import (
    AVERAGED,
    OF_AVERAGES,
    Printing,
    best_text,
    interval_notes,
    interval_texts,
    metric_column,
    score_and_rank,
    score_cells,
    tier_text,
)
from audit.report.tables.baselines_tables import (
    baseline_cells,
    baseline_name,
    baseline_rank,
    baseline_score,
    by_score,
    with_computed,
)
from audit.sentences import say
from audit.text import sentence_case


def ranking_table(show: Printing) -> Table:
    """The official ranking, with both macro F1s and accuracy beside it."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    beside = [other for other in (AVERAGED, OF_AVERAGES, ScoreKey("accuracy")) if other != key]
    ranks = [[Cell(rank)] for rank in printed_ranks(evaluation.scores_of(key), evaluation.competing)]
    official = zip(score_cells(show, key), _behind(show), strict=True)
    others = zip(*(score_and_rank(show, other) for other in beside), strict=True)
    cells = [
        (
            *rank,
            show.name(team),
            *scores,
            *sure,
            *published,
            *(cell for pair in other for cell in pair),
            _unanswered(entry),
        )
        for team, (rank, published, scores, sure, other, entry) in enumerate(
            zip(ranks, _published(evaluation), official, _certainty(show), others, evaluation.entries, strict=True)
        )
    ]
    computed = [_computed(show, baseline, beside) for baseline in by_score(evaluation)]
    caption = f"Ranking by {phrase(key, evaluation.task.label_set)}."
    rows = (*(cells[team] for team in show.order), *computed)
    note = " ".join(interval_notes(evaluation, key))
    table = Table("table-ranking", caption, _columns(evaluation, beside), rows, note=note)
    return with_computed(show.with_legend(table), evaluation)


def _computed(show: Printing, baseline: Baseline, beside: list[ScoreKey]) -> tuple[Cell, ...]:
    """A built-in baseline as a row of the ranking, below the teams."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    row = evaluation.keys.index(key)
    value, best = float(baseline.values[row]), best_score(evaluation)
    blank = Cell("–", style="quiet")
    published = (blank,) if evaluation.task.official_decimals is not None else ()
    scores = zip(baseline_cells(show, baseline, beside), beside, strict=True)
    return (
        Cell(baseline_rank(evaluation, baseline, key)),
        baseline_name(baseline),
        Cell(baseline_score(baseline, row, show.decimals), style="beside"),
        Cell(show.score(best - value), style="beside"),
        *([blank] * len(_certainty_columns(evaluation))),
        *published,
        *(
            cell
            for score, other in scores
            for cell in (score, Cell(baseline_rank(evaluation, baseline, other), style="quiet"))
        ),
        Cell(""),
    )


def best_score(evaluation: Evaluation) -> float:
    """The winner's score by the ranking metric; NaN where nobody has one."""
    key = evaluation.task.ranking_metric
    return max(evaluation.scores_of(key)[list(evaluation.winners(key))].tolist(), default=math.nan)


def _columns(evaluation: Evaluation, beside: list[ScoreKey]) -> tuple[Column, ...]:
    key, labels = evaluation.task.ranking_metric, evaluation.task.label_set
    published = evaluation.task.official_decimals is not None
    others = [
        (metric_column(other, evaluation, sentence_case(phrase(other, labels))), Column("rank")) for other in beside
    ]
    return (
        Column("Rank", title="On full precision; shared ranks carry =, in parentheses a rank that is not taken"),
        Column("Team", numeric=False),
        metric_column(key, evaluation, sentence_case(phrase(key, labels))),
        Column("Behind", title="Distance to the best score"),
        *_certainty_columns(evaluation),
        *((Column("As published", title="Rank on scores rounded as published"),) if published else ()),
        *(column for pair in others for column in pair),
        Column("Unanswered", title=_unanswered_title(evaluation)),
    )


def _behind(show: Printing) -> list[Cell]:
    """Each team's distance to the best score, nothing for the best."""
    scores = show.evaluation.scores_of(show.evaluation.task.ranking_metric)
    first = set(show.evaluation.winners(show.evaluation.task.ranking_metric))
    best = best_score(show.evaluation)
    return [Cell("" if team in first else show.score(best - value)) for team, value in enumerate(scores.tolist())]


_INTERVAL = Column("95% interval", title=say("column-interval"), href="#certainty")
_COMPARED = (
    Column("Could be best", title=say("column-could-be-best"), href="#certainty"),
    Column("Tier", title=say("column-tier"), href="#certainty"),
    Column("Possible ranks", title=say("column-possible-ranks"), href="#certainty"),
)


def _certainty_columns(evaluation: Evaluation) -> tuple[Column, ...]:
    """Heads of what is known of how sure the ranking is."""
    if evaluation.certainty is None:
        return ()
    return (_INTERVAL, *(_COMPARED if comparison_of(evaluation, evaluation.task.ranking_metric) else ()))


def _certainty(show: Printing) -> list[tuple[Cell, ...]]:
    """Each team's interval, whether it could be best, its tier and possible ranks, where they are known."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    if evaluation.certainty is None:
        return [()] * len(evaluation.entries)
    comparison = comparison_of(evaluation, key)
    texts = (best_text, tier_text, possible_ranks_text) if comparison else ()
    return [
        (Cell(interval), *(Cell(text(comparison, team)) for text in texts if comparison))
        for team, interval in enumerate(interval_texts(show, key))
    ]


def _unanswered_title(evaluation: Evaluation) -> str:
    if evaluation.whole.all():
        return "Items without a usable label; they count as wrong"
    return "Items without a usable label: missing ones are left out of the scores, others count as wrong"


def _unanswered(entry: Entry) -> Cell:
    return Cell(f"{entry.n_unanswered:,}" if entry.n_unanswered else "")


def _published(evaluation: Evaluation) -> list[tuple[Cell, ...]]:
    """Each team's published rank, where the task says how the ranking was published."""
    ranks = published_ranks(evaluation)
    return [(Cell(rank),) for rank in ranks] if ranks else [()] * len(evaluation.entries)
