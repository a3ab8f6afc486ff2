"""The parts of a test set as plain data."""

from typing import Any

from audit.domain import Evaluation, Slice, Sliced
from audit.domain.arrays import Floats, Ints
from audit.writers.data.plain import by_entry, claim_data, nullable, ranks_among_all, reasons, rows_of_parts


def slices_data(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Each column that cuts the test set, with all that is known of its parts, as plain data."""
    return [sliced_data(evaluation, sliced) for sliced in evaluation.slices]


def sliced_data(evaluation: Evaluation, sliced: Sliced) -> dict[str, Any]:
    """One column's parts, and the mean over them, as plain data."""
    return {
        "column": sliced.column,
        "slices": [slice_data(evaluation, part) for part in sliced.slices],
        "macro": _scores_and_ranks(evaluation, sliced.macro, sliced.macro_ranks),
    }


def slice_data(evaluation: Evaluation, part: Slice) -> dict[str, Any]:
    """One part as plain data; intervals are those of the ranking metric."""
    sure = zip(evaluation.names, part.lower.tolist(), part.upper.tolist(), part.marks, strict=True)
    return {
        "slice": part.value,
        "items": part.n_items,
        "gold_items": dict(zip(evaluation.task.label_set, part.class_counts.tolist(), strict=True)),
        **claim_data(evaluation, part.verdict),
        "state": None if part.state is None else part.state.value,
        **_scores_and_ranks(evaluation, part.values, part.rank_values),
        "intervals": {
            name: {"interval": [nullable(lower), nullable(upper)], **reasons(lower, mark)}
            for name, lower, upper, mark in sure
        },
        "corrected_intervals": [evaluation.names[entry] for entry in part.corrected],
    }


def _scores_and_ranks(evaluation: Evaluation, values: Floats, ranks: Ints) -> dict[str, Any]:
    rows = [(str(evaluation.keys[row]), values[row], ranks[row]) for row in rows_of_parts(evaluation)]
    return {
        "scores": {key: by_entry(evaluation, map(nullable, scores.tolist())) for key, scores, _ in rows},
        "ranks": {key: by_entry(evaluation, ranks_among_all(evaluation, *both)) for key, *both in rows},
    }
