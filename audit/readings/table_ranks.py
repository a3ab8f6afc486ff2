"""What the columns of a published table that hold ranks, or means of ranks, are by."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from audit.domain import (
    OBSERVED,
    Evaluation,
    IdentifiedColumn,
    IdentifiedRanks,
    LabelSet,
    Published,
    PublishedColumn,
    Reading,
    ScoreKey,
)
from audit.metrics import BOTH_MACRO_F1, aggregate_keys, metric_of, phrase, reading_phrase, scale_of
from audit.ranking import published_scores
from audit.readings.headings import read_heading
from audit.readings.printed_ranks import ScoredColumn, identify_mean_ranks, identify_ranks, tried_means
from audit.readings.tried_readings import TableRows, TriedReadings
from audit.text import plural, quoted


def columns_of_scores(published: Published, label_set: LabelSet) -> list[PublishedColumn]:
    """The columns that hold neither ranks nor means of ranks."""
    return [each for each in published.columns if not each.is_of_ranks and not _is_of_mean_ranks(each, label_set)]


def _is_of_mean_ranks(column: PublishedColumn, label_set: LabelSet) -> bool:
    """Whether a column is called so, and its numbers can be that: none is below 1."""
    values = [cell.value for cell in column.scores if cell is not None]
    is_called_so = read_heading(column.heading, label_set).is_mean_rank
    return not column.is_of_ranks and is_called_so and min(values, default=0) >= 1


def identified_ranks(
    published: Published,
    identified: Sequence[IdentifiedColumn],
    rows: TableRows,
    tried: TriedReadings,
    evaluation: Evaluation,
) -> tuple[IdentifiedRanks, ...]:
    """The order of each column of ranks: a column beside it, a reading, or else a score computed here."""
    label_set = tried.label_set
    scores = columns_of_scores(published, label_set)
    of_scores = [_as_printed(column, of_column, tried) for column, of_column in zip(scores, identified, strict=True)]
    of_means = [column for column in published.columns if _is_of_mean_ranks(column, label_set)]
    of_ranks = [column for column in published.columns if column.is_of_ranks]
    printed = [*of_scores, *map(_as_ranks, of_means)] or _own_scores(evaluation, rows)
    computed = partial(tried.computed, rows)
    rank_columns = [identify_ranks(column, published.teams, printed, computed) for column in of_ranks]
    if of_means:
        ours = _named_scores([column.heading for column in scores], tried, rows)
        competing = rows.of(evaluation.competing, elsewhere=True)
        means = tried_means(of_scores, list(map(_as_ranks, of_ranks)), ours, competing)
        means = [*_official_mean_rank(evaluation, rows), *means]
        rank_columns += [identify_mean_ranks(column, means) for column in of_means]
    return tuple(rank_columns)


def _as_ranks(column: PublishedColumn) -> ScoredColumn:
    """A column's printed ranks, or means of ranks."""
    values = np.array([np.nan if cell is None else cell.value for cell in column.scores])
    return ScoredColumn(quoted(column.heading), values, greater_is_better=False, is_mean=not column.is_of_ranks)


def _as_printed(column: PublishedColumn, identified: IdentifiedColumn, tried: TriedReadings) -> ScoredColumn:
    """A column's printed scores as fractions; lower is better where they are told to be of such a metric."""
    falls = identified.beats_chance and bool(identified.matches) and not tried.rises(identified.matches[0].reading)
    unit = 100.0 if identified.percent else 1.0
    scores = np.array([np.nan if score is None else score.value / unit for score in column.scores])
    return ScoredColumn(quoted(column.heading), scores, greater_is_better=not falls)


def _named_scores(headings: Sequence[str], tried: TriedReadings, rows: TableRows) -> list[ScoredColumn]:
    """Scores of the rows by the metrics that the headings name and that are of whole submissions."""
    labels = tried.label_set
    slugs = dict.fromkeys(slug for heading in headings for slug in sorted(read_heading(heading, labels).slugs))
    named = [reading for reading in map(Reading, slugs) if reading in tried.readings]
    return [
        rows.column(
            f"{reading_phrase(reading, labels)} (computed here)",
            tried.scores[tried.readings.index(reading)],
            rises=tried.rises(reading),
        )
        for reading in named
        if metric_of(reading.metric, labels).takes != "class"
    ]


def _official_mean_rank(evaluation: Evaluation, rows: TableRows) -> list[ScoredColumn]:
    """The mean rank that is the campaign's official score, where it is one, and that by its rounded scores."""
    key, decimals = evaluation.task.ranking_metric, evaluation.task.official_decimals
    if not metric_of(key.metric, evaluation.task.label_set).of_ranks:
        return []
    name = f"the official {phrase(key, evaluation.task.label_set)}"
    by_name = {name: evaluation.scores_of(key)}
    if decimals is not None:
        by_name[f"{name} (of scores rounded to {plural(decimals, 'decimal')})"] = published_scores(evaluation)
    return [rows.column(each, scores, rises=False) for each, scores in by_name.items()]


def _own_scores(evaluation: Evaluation, rows: TableRows) -> list[ScoredColumn]:
    """Scores of the rows by the metrics of every table, the ranking metric and both macro F1s first."""
    labels, first = evaluation.task.label_set, [*map(ScoreKey, BOTH_MACRO_F1), ScoreKey("accuracy")]
    keys = dict.fromkeys((evaluation.task.ranking_metric, *first, *aggregate_keys(evaluation, OBSERVED.name)))
    return [
        rows.column(
            f"{phrase(key, labels)} (computed here)",
            evaluation.scores_of(key),
            rises=scale_of(key.metric, labels).greater_is_better,
        )
        for key in keys
    ]
