"""How alike the metrics rank the teams: one matrix for ρ, one for τ-b."""

import numpy as np

from audit.domain.arrays import Floats
from audit.metrics import AGGREGATES, phrase
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import SHADES, Printing, metric_column
from audit.sentences import say
from audit.text import number

Ends = tuple[Floats, Floats]


def spearman_table(show: Printing) -> Table:
    """Spearman's ρ between the metrics."""
    rho, certainty = show.evaluation.agreement.spearman, show.evaluation.certainty
    resampled = certainty.resampled if certainty else None
    ends = (resampled.spearman_lower, resampled.spearman_upper) if resampled else None
    return _matrix(show, rho, "table-spearman", _agreement_caption(show, rho), ends)


def kendall_table(show: Printing) -> Table:
    """Kendall's τ-b between the metrics."""
    return _matrix(show, show.evaluation.agreement.kendall, "table-kendall", "Kendall’s τ-b between the same metrics.")


def _matrix(show: Printing, values: Floats, anchor: str, caption: str, ends: Ends | None = None) -> Table:
    evaluation, agreement = show.evaluation, show.evaluation.agreement
    heads = [metric_column(key, evaluation) for key in agreement.keys]
    rows = tuple(
        (Cell(heads[row].label, title=heads[row].title, href=heads[row].href), *_matrix_row(show, values, row, ends))
        for row in range(len(heads))
    )
    return Table(anchor, caption, (Column("Metric", numeric=False), *heads), rows, sortable=False, upright=True)


def _matrix_row(show: Printing, values: Floats, row: int, ends: Ends | None) -> list[Cell]:
    identical = show.evaluation.agreement.identical[row]
    return [
        Cell("", style="self")
        if column == row
        else Cell(
            "≡" if identical[column] and not np.isnan(value) else number(value, 2),
            style=_correlation_shade(value),
            title=_range(ends, row, column) if ends and not identical[column] else "",
        )
        for column, value in enumerate(values[row].tolist())
    ]


def _range(ends: Ends, row: int, column: int) -> str:
    lower, upper = ends[0][row, column], ends[1][row, column]
    return "" if np.isnan(lower) else say("middle-of-replicates", lower=number(lower, 2), upper=number(upper, 2))


def _correlation_shade(value: float) -> str:
    if np.isnan(value):
        return ""
    return f"{'p' if value >= 0 else 'm'}{round(abs(value) * (SHADES - 1))}"


def _agreement_caption(show: Printing, rho: Floats) -> str:
    aggregates = len(AGGREGATES)
    block = np.where(np.isnan(rho[:aggregates, :aggregates]), np.inf, rho[:aggregates, :aggregates])
    first, second = np.unravel_index(int(block.argmin()), block.shape)
    if not np.isfinite(block[first, second]):
        return "Spearman’s ρ between metrics is undefined: there are fewer than three teams, or none differ."
    keys, labels = show.evaluation.agreement.keys, show.evaluation.task.label_set
    least = f"{phrase(keys[int(first)], labels)} and {phrase(keys[int(second)], labels)}"
    return (
        f"Spearman’s ρ between metrics over the teams: of the aggregate metrics, {least} agree least "
        f"({number(float(block[first, second]), 2)})."
    )
