"""How alike the metrics rank the teams: one matrix for ρ, one for τ-b."""

import numpy as np

from audit.domain.evaluation import Floats
from audit.metrics import AGGREGATES, phrase
from audit.report.page import Cell, Column, Table
from audit.report.printing import SHADES, Printing, metric_column
from audit.text import number


def spearman_table(show: Printing) -> Table:
    """Spearman's ρ between the metrics."""
    rho = show.evaluation.agreement.spearman
    return _matrix(show, rho, "table-spearman", _agreement_caption(show, rho))


def kendall_table(show: Printing) -> Table:
    """Kendall's τ-b between the metrics."""
    return _matrix(show, show.evaluation.agreement.kendall, "table-kendall", "Kendall’s τ-b between the same metrics.")


def _matrix(show: Printing, values: Floats, anchor: str, caption: str) -> Table:
    evaluation, agreement = show.evaluation, show.evaluation.agreement
    heads = [metric_column(key, evaluation) for key in agreement.keys]
    rows = tuple(
        (Cell(heads[row].label, title=heads[row].title, href=heads[row].href), *_matrix_row(show, values, row))
        for row in range(len(heads))
    )
    return Table(anchor, caption, (Column("Metric", numeric=False), *heads), rows, sortable=False, upright=True)


def _matrix_row(show: Printing, values: Floats, row: int) -> list[Cell]:
    identical = show.evaluation.agreement.identical[row]
    return [
        Cell("", style="self")
        if column == row
        else Cell(
            "≡" if identical[column] and not np.isnan(value) else number(value, 2), style=_correlation_shade(value)
        )
        for column, value in enumerate(values[row].tolist())
    ]


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
    return (
        f"Spearman’s ρ between metrics over the teams: of the ten, {phrase(keys[int(first)], labels)} and "
        f"{phrase(keys[int(second)], labels)} agree least ({number(float(block[first, second]), 2)})."
    )
