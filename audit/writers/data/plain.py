"""Parts of an evaluation as plain data, which the whole and each slice of it share."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from audit.domain import Cells, Evaluation, Mark, Reading, ScoreKey, Slice, Sliced, Verdict
from audit.domain.arrays import Floats, Ints
from audit.metrics import aggregates_of

MOST_IN_MATRIX = 200  # labels up to which a confusion is written as a matrix


def claim_data(evaluation: Evaluation, verdict: Verdict) -> dict[str, Any]:
    """The claim about the first place, of all items or of a part of them, as plain data."""
    return {
        **picked(verdict, "claim", "sentence", "more"),
        "winners": [evaluation.names[entry] for entry in verdict.winners],
        "could_be_best": [evaluation.names[entry] for entry in verdict.could_be_best],
    }


def plain(value: Any) -> Any:  # noqa: ANN401 - data of any shape
    """A value as JSON has it: undefined numbers are None, scores and readings their names, arrays lists."""
    if isinstance(value, (float, np.floating)):
        return nullable(float(value))
    if isinstance(value, (ScoreKey, Reading)):
        return str(value)
    if isinstance(value, np.ndarray):
        values = value.astype(object)
        if value.dtype.kind == "f":
            values[~np.isfinite(value)] = None
        return values.tolist()
    if isinstance(value, (list, tuple)):
        return list(map(plain, value))
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    return value


def picked(value: object, *names: str, **renamed: str) -> dict[str, Any]:
    """Some attributes of an object as plain data, under their own names, and under others."""
    attributes = {**dict(zip(names, names, strict=True)), **renamed}
    return {name: plain(getattr(value, attribute)) for name, attribute in attributes.items()}


def by_name(names: Iterable[object], values: Iterable[Any]) -> dict[str, Any]:
    """Values, each under its name."""
    return dict(zip(map(str, names), values, strict=True))


def ranks_among_all(evaluation: Evaluation, scores: Floats, ranks: Ints) -> list[int | None]:
    """Ranks of the entries by some scores of theirs; None where one is undefined or the entry takes none."""
    without = np.isnan(scores) | ~evaluation.competing
    return [
        None if none else rank for rank, none in zip(ranks.tolist(), without.tolist(), strict=True)
    ]


def reasons(lower: float, mark: Mark) -> dict[str, str | None]:
    """Why a score has no interval, or why the one that it has is rough."""
    is_missing = math.isnan(lower)
    reason = mark.value or None
    return {
        "no_interval_because": reason if is_missing else None,
        "rough_because": None if is_missing else reason,
    }


def nullable(value: float) -> float | None:
    """A number as JSON has it; None where it is undefined, or has no bound."""
    if math.isfinite(value):
        return value
    return None


MOST_PART_SCORES = 1_000_000
"""Scores of all parts together up to which every metric of each part leaves the house; beyond, the main metrics do."""


def rows_of_parts(evaluation: Evaluation) -> Sequence[int]:
    """The scores of parts of the test set that leave the house, as rows of the evaluation's keys."""
    n_parts = sum(len(sliced.slices) + 1 for sliced in evaluation.slices)
    every = range(len(evaluation.keys))
    if n_parts * len(evaluation.keys) * len(evaluation.entries) <= MOST_PART_SCORES:
        return every
    main = {
        evaluation.task.ranking_metric.metric,
        *(metric.slug for metric in aggregates_of(evaluation)),
    }
    return [row for row in every if evaluation.keys[row].metric in main]


def confusion_rows(cells: Cells) -> list[Any]:
    """One confusion as rows of a matrix; of many labels as gold, predicted and items of each cell that is not empty."""
    if cells.n_classes <= MOST_IN_MATRIX:
        return list(cells.dense()[0].tolist())
    return [
        list(row)
        for row in zip(
            cells.gold.tolist(), cells.predicted.tolist(), cells.counts[0].tolist(), strict=True
        )
    ]


# Parts of the test set


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
        "gold_items": by_name(evaluation.task.label_set, part.class_counts.tolist()),
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
    rows = [
        (str(evaluation.keys[row]), values[row], ranks[row]) for row in rows_of_parts(evaluation)
    ]
    return {
        "scores": {key: by_name(evaluation.names, plain(scores)) for key, scores, _ in rows},
        "ranks": {
            key: by_name(evaluation.names, ranks_among_all(evaluation, *both))
            for key, *both in rows
        },
    }
