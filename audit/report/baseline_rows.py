"""Is somebody above the baselines? Those submitted and those computed, as rows, and who is not above the best."""

from collections.abc import Sequence

import numpy as np

from audit.document import Cell
from audit.domain import Baseline, Evaluation, ScoreKey
from audit.ranking.ranks import would_be_rank
from audit.report.printing import Printing
from audit.text import number, visible

COMPUTED = "computed"
COMPUTED_NOTE = "Rows marked “computed” are built-in baselines, not submissions."


def baseline_name(baseline: Baseline) -> Cell:
    """A built-in baseline at the head of its row, marked as computed."""
    return Cell(
        f"{baseline.title} ({COMPUTED})", style="beside", title=visible(baseline.explanation, 1000)
    )


def baseline_score(baseline: Baseline, row: int, decimals: int) -> str:
    """A score with its Monte Carlo error at a digit more, where it has one that this digit shows."""
    value = baseline.values[row]
    error = number(baseline.standard_errors[row], decimals + 1)
    if np.isnan(value) or not float(error):
        return number(value, decimals)
    return f"{number(value, decimals)} ± {error}"


def baseline_cells(show: Printing, baseline: Baseline, keys: Sequence[ScoreKey]) -> list[Cell]:
    """A built-in baseline's scores; their Monte Carlo errors where the pointer rests."""
    rows = [show.evaluation.row(key) for key in keys]
    cells = ((row, number(baseline.values[row], show.decimals)) for row in rows)
    titles = {row: baseline_score(baseline, row, show.decimals) for row in rows}
    return [
        Cell(text, style="beside", title=titles[row] if titles[row] != text else "")
        for row, text in cells
    ]


def baseline_rank(evaluation: Evaluation, baseline: Baseline, key: ScoreKey) -> str:
    """The rank that a built-in baseline would take, in parentheses; – for the oracle, which knows gold."""
    value = float(baseline.values[evaluation.row(key)])
    if baseline.slug == "oracle" or np.isnan(value):
        return "–"
    others = evaluation.goodness_of(key)[evaluation.competing]
    return f"({would_be_rank(others, evaluation.goodness(key, value))})"
