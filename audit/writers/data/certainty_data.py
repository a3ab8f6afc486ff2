"""A certainty, and what the test set can tell, as plain data for JSON: one form for store, export and scripts.

Scores and entries stand under their names. A number that is undefined is None. Of a symmetric matrix the upper triangle
stands, with its diagonal: row i has the pairs of entry i with the entries i, i + 1, and so on.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.domain import MARKS, Certainty, Comparison, Intervals, Power, ScoreKey, WinnerChange
from audit.domain.arrays import Floats
from audit.writers.data.plain import by_name, picked, plain

Document = dict[str, Any]

_ENTRIES = frozenset({"first", "second", "rival"})
"""Fields of `Power` and its parts that number an entry; in a document they name it."""


def certainty_document(
    certainty: Certainty, keys: Sequence[ScoreKey], names: Sequence[str], *, with_pairs: bool = True
) -> Document:
    """A certainty as plain data, which `json.dumps(…, allow_nan=False)` takes as it stands."""
    return {
        **picked(
            certainty,
            "seed",
            groups="n_groups",
            groups_of_one_size="even_groups",
            stratified="stratified",
        ),
        "intervals": _intervals_document(certainty.intervals, keys, names),
        "ungrouped": certainty.ungrouped and _intervals_document(certainty.ungrouped, keys, names),
        "comparisons": [
            _comparison_document(each, names, with_pairs=with_pairs)
            for each in certainty.comparisons
        ],
        "changes": [_change_document(change, names) for change in certainty.changes],
    }


def power_document(power: Sequence[Power], names: Sequence[str]) -> list[Document]:
    """The power of the test set by each metric as plain data; entries stand under their names."""
    return [_with_names(plain(each), names) for each in power]


def _with_names(record: Document, names: Sequence[str]) -> Document:
    """A record with the names of the entries that it numbers."""
    for name, value in record.items():
        if isinstance(value, dict):
            _with_names(value, names)
        elif name in _ENTRIES and value is not None:
            record[name] = names[value]
    return record


# Intervals


def _intervals_document(
    intervals: Intervals, keys: Sequence[ScoreKey], names: Sequence[str]
) -> Document:
    ends = plain(np.stack([intervals.lower, intervals.upper], axis=-1))
    marks = by_name(keys, (_marks_document(row, names) for row in intervals.marks))
    if_never = by_name(keys, (_those_there(row, names) for row in intervals.upper_if_never))
    return {
        "scores": by_name(keys, (by_name(names, row) for row in ends)),
        "upper_if_never": {key: ends for key, ends in if_never.items() if ends},
        "marks": {key: marked for key, marked in marks.items() if marked},
        "gap_upper": by_name(names, plain(intervals.gap_upper)),
        "gap_marks": _marks_document(intervals.gap_marks, names),
    }


def _marks_document(marks: NDArray[np.uint8], names: Sequence[str]) -> Document:
    """Why entries have no interval, or a rough one, of those for which there is a reason."""
    return {names[entry]: MARKS[marks[entry]].value for entry in np.flatnonzero(marks).tolist()}


def _those_there(values: Floats, names: Sequence[str]) -> Document:
    """Numbers of the entries that have one, or pairs of them."""
    has_one = ~np.isnan(values.reshape(len(values), -1)[:, 0])
    return {names[entry]: plain(values[entry]) for entry in np.flatnonzero(has_one).tolist()}


# Comparisons, and what the first place depends on


def _comparison_document(
    comparison: Comparison, names: Sequence[str], *, with_pairs: bool
) -> Document:
    ahead, given = (
        [np.flatnonzero(row).tolist() for row in pairs]
        for pairs in (comparison.ahead, comparison.ahead_given)
    )
    return {
        **picked(comparison, metric="key", draws="n_draws", critical_value="critical_value"),
        "leader": None if comparison.leader is None else names[comparison.leader],
        "corrected_intervals": _those_there(
            np.stack([comparison.chosen_lower, comparison.chosen_upper], axis=-1), names
        ),
        "could_be_best": [names[entry] for entry in comparison.contenders],
        "possible_ranks": by_name(
            names, (ranks if ranks[0] else None for ranks in comparison.possible_ranks.tolist())
        ),
        "standard_error": _triangle(comparison.standard_error) if with_pairs else None,
        "adjusted_p": _triangle(comparison.adjusted_p) if with_pairs else None,
        "difference_lower": _triangle(comparison.difference_lower) if with_pairs else None,
        "difference_upper": _triangle(comparison.difference_upper) if with_pairs else None,
        "against_best": [
            names[entry] for entry in np.flatnonzero(comparison.against_best.any(axis=0)).tolist()
        ],
        "uncertain": [names[entry] for entry in np.flatnonzero(comparison.uncertain).tolist()],
        "ahead_of": by_name(names, ahead) if with_pairs else None,
        "ahead_given_never_predicted": by_name(names, given) if with_pairs else None,
    }


def _change_document(change: WinnerChange, names: Sequence[str]) -> Document:
    sides = zip(change.keys, change.winners, strict=True)
    return {
        "kind": change.kind,
        "sides": [
            {"metric": str(key), "first": [names[entry] for entry in winners]}
            for key, winners in sides
        ],
        "state": change.state.value,
        "could_be_best": [names[entry] for entry in change.could_be_best],
        "adjusted_p": change.adjusted_p,
    }


def _triangle(symmetric: Floats) -> list[list[float | None]]:
    return [row[entry:] for entry, row in enumerate(plain(symmetric))]
