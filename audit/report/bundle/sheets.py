"""Ranks, correlations and pairs of teams as CSV: numbers in full, undefined ones empty."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

import numpy as np

from audit.domain import Comparison, Evaluation, ScoreKey
from audit.report.export import csv_line, csv_number, csv_text, ranks_taken

_PAIRS = ("metric", "first", "second", "difference", "standard_error", "adjusted_p", "separable")
_CORRELATIONS = (
    *("metric", "other_metric", "spearman", "spearman_lower", "spearman_upper", "kendall_tau_b"),
    "equal_by_identity",
)


def ranks_csv(evaluation: Evaluation) -> str:
    """Ranks as CSV: a row for each entry in the order of the ranking, a column for each metric.

    What takes no rank, or has no defined score, has an empty cell.
    """
    names = [csv_text(entry.name) for entry in evaluation.entries]
    roles = [entry.role.value for entry in evaluation.entries]
    columns = [_printed(ranks_taken(evaluation, key)) for key in evaluation.keys]
    rows = list(zip(names, *columns, roles, strict=True))
    order = evaluation.order(evaluation.task.ranking_metric)
    return _table(("team", *_heads(evaluation.keys), "role"), (rows[team] for team in order))


def correlations_csv(evaluation: Evaluation) -> str:
    """Rank correlations as CSV: a row for each pair of metrics, with the interval of ρ where it was resampled."""
    agreement, uncertainty = evaluation.agreement, evaluation.uncertainty
    upper = np.triu_indices(len(agreement.keys), k=1)
    nothing = np.full(agreement.spearman.shape, np.nan)
    ends = (uncertainty.spearman_lower, uncertainty.spearman_upper) if uncertainty else (nothing, nothing)
    names = np.array(_heads(agreement.keys), dtype=object)
    columns = (
        *(names[side].tolist() for side in upper),
        *(map(csv_number, matrix[upper].tolist()) for matrix in (agreement.spearman, *ends, agreement.kendall)),
        _yes_or_no(agreement.identical[upper].tolist()),
    )
    return _table(_CORRELATIONS, zip(*columns, strict=True))


def pairs_csv(evaluation: Evaluation) -> str:
    """Every pair of comparable entries as CSV, the better one first, by each metric for which pairs were compared.

    The adjusted p is that of the first being better than the second. Where nothing was resampled, the pairs are those
    of the ranking metric, and only their difference is known.
    """
    if evaluation.uncertainty is None:
        return _table(_PAIRS, _pairs(evaluation, evaluation.task.ranking_metric, None))
    comparisons = evaluation.uncertainty.comparisons
    return _table(_PAIRS, (row for each in comparisons for row in _pairs(evaluation, each.key, each)))


def _pairs(evaluation: Evaluation, key: ScoreKey, comparison: Comparison | None) -> Iterator[tuple[str, ...]]:
    order = np.array([team for team in evaluation.order(key) if evaluation.comparable[team]], dtype=np.int64)
    first, second = (order[side] for side in np.triu_indices(len(order), k=1))
    names = np.array(list(map(csv_text, evaluation.names)), dtype=object)
    scores = evaluation.scores_of(key)
    differences = map(csv_number, (scores[first] - scores[second]).tolist())
    sure: Iterable[Iterable[str]] = ([""] * len(first),) * 3
    if comparison is not None:
        sure = (
            map(csv_number, comparison.standard_error[first, second].tolist()),
            map(csv_number, comparison.adjusted_p[first, second].tolist()),
            _yes_or_no(comparison.separable[first, second].tolist()),
        )
    metric = repeat(csv_text(str(key)), len(first))
    return zip(metric, names[first].tolist(), names[second].tolist(), differences, *sure, strict=True)


def _heads(keys: Sequence[ScoreKey]) -> list[str]:
    return [csv_text(str(key)) for key in keys]


def _printed(ranks: Sequence[int | None]) -> list[str]:
    return ["" if rank is None else str(rank) for rank in ranks]


def _yes_or_no(values: Iterable[bool]) -> list[str]:
    return ["true" if value else "false" for value in values]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join((csv_line(heads), *map(csv_line, rows)))
