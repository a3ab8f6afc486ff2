"""A certainty, and what the test set can tell, as plain data for JSON: one form for store, export and scripts.

Scores and entries stand under their names. A number that is undefined is None. Of a symmetric matrix the upper triangle
stands, with its diagonal: row i has the pairs of entry i with the entries i, i + 1, and so on.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.domain import MARKS, Certainty, Comparison, Intervals, Power, Resampled, ScoreKey, WinnerChange
from audit.domain.arrays import Floats

Document = dict[str, Any]

_ENTRIES = frozenset({"first", "second", "rival"})
"""Fields of `Power` and its parts that number an entry; in a document they name it."""


def certainty_document(
    certainty: Certainty, keys: Sequence[ScoreKey], names: Sequence[str], *, with_pairs: bool = True
) -> Document:
    """A certainty as plain data, which `json.dumps(…, allow_nan=False)` takes as it stands."""
    names_of = _Names(tuple(keys), tuple(names))
    return {
        "seed": certainty.seed,
        "groups": certainty.n_groups,
        "groups_of_one_size": certainty.even_groups,
        "stratified": certainty.stratified,
        "intervals": _intervals_document(certainty.intervals, names_of),
        "ungrouped": None if certainty.ungrouped is None else _intervals_document(certainty.ungrouped, names_of),
        "comparisons": [
            _comparison_document(comparison, names_of, with_pairs=with_pairs) for comparison in certainty.comparisons
        ],
        "changes": [_change_document(change, names_of) for change in certainty.changes],
        "resampled": certainty.resampled and _resampled_document(certainty.resampled, names_of, with_pairs=with_pairs),
    }


def power_document(power: Sequence[Power], names: Sequence[str]) -> list[Document]:
    """The power of the test set by each metric as plain data; entries stand under their names."""
    return [_record_document(each, _Names((), tuple(names))) for each in power]


@dataclass(frozen=True)
class _Names:
    """The names of scores and entries in the document of an evaluation."""

    keys: tuple[ScoreKey, ...]
    entries: tuple[str, ...]

    def name(self, entry: int) -> str:
        """The name of an entry."""
        return self.entries[entry]

    def by_entry(self, values: Iterable[Any]) -> Document:
        """A value for each entry, under its name."""
        return dict(zip(self.entries, values, strict=True))

    def by_key(self, values: Iterable[Any]) -> Document:
        """A value for each score, under its name."""
        return dict(zip(map(str, self.keys), values, strict=True))


# Intervals


def _intervals_document(intervals: Intervals, names: _Names) -> Document:
    ends = _with_none(np.stack([intervals.lower, intervals.upper], axis=-1))
    marks = names.by_key(_marks_document(row, names) for row in intervals.marks)
    if_never = names.by_key(_those_there(row, names) for row in intervals.upper_if_never)
    return {
        "scores": names.by_key(map(names.by_entry, ends)),
        "upper_if_never": {key: ends for key, ends in if_never.items() if ends},
        "marks": {key: marked for key, marked in marks.items() if marked},
        "gap_upper": names.by_entry(_with_none(intervals.gap_upper)),
        "gap_marks": _marks_document(intervals.gap_marks, names),
    }


def _marks_document(marks: NDArray[np.uint8], names: _Names) -> Document:
    """Why entries have no interval, or a rough one, of those for which there is a reason."""
    return {names.name(entry): MARKS[marks[entry]].value for entry in np.flatnonzero(marks).tolist()}


def _those_there(values: Floats, names: _Names) -> Document:
    """Numbers of the entries that have one."""
    return {names.name(entry): float(values[entry]) for entry in np.flatnonzero(~np.isnan(values)).tolist()}


# Comparisons, and what the first place depends on


def _comparison_document(comparison: Comparison, names: _Names, *, with_pairs: bool) -> Document:
    leader = comparison.leader
    ahead, given = (
        [np.flatnonzero(row).tolist() for row in pairs] for pairs in (comparison.ahead, comparison.ahead_given)
    )
    return {
        "metric": str(comparison.key),
        "draws": comparison.n_draws,
        "critical_value": _number(comparison.critical_value),
        "leader": None if leader is None else names.name(leader),
        "corrected_intervals": {
            names.name(entry): [_number(comparison.chosen_lower[entry]), _number(comparison.chosen_upper[entry])]
            for entry in np.flatnonzero(~np.isnan(comparison.chosen_lower)).tolist()
        },
        "could_be_best": [names.name(entry) for entry in comparison.contenders],
        "possible_ranks": names.by_entry(ranks if ranks[0] else None for ranks in comparison.possible_ranks.tolist()),
        "tiers": names.by_entry(tier or None for tier in comparison.tiers.tolist()),
        "standard_error": _triangle(comparison.standard_error) if with_pairs else None,
        "adjusted_p": _triangle(comparison.adjusted_p) if with_pairs else None,
        "uncertain": list(map(names.name, np.flatnonzero(comparison.uncertain).tolist())),
        "ahead_of": names.by_entry(ahead) if with_pairs else None,
        "ahead_given_never_predicted": names.by_entry(given) if with_pairs else None,
    }


def _change_document(change: WinnerChange, names: _Names) -> Document:
    sides = zip(change.keys, change.winners, strict=True)
    return {
        "kind": change.kind,
        "sides": [{"metric": str(key), "first": list(map(names.name, winners))} for key, winners in sides],
        "state": change.state.value,
        "could_be_best": list(map(names.name, change.could_be_best)),
    }


# Records: dataclasses of numbers, scores, entries, and further records, by the types of their fields


def _record_document(record: object, names: _Names) -> Document:
    own = [(field.name, getattr(record, field.name)) for field in fields(record)]  # type: ignore[arg-type]
    return {
        name: names.name(value) if name in _ENTRIES and value is not None else _plain(value, names)
        for name, value in own
    }


def _plain(value: object, names: _Names) -> Any:  # noqa: ANN401 - plain data is of any shape
    if isinstance(value, ScoreKey):
        return str(value)
    if is_dataclass(value):
        return _record_document(value, names)
    if isinstance(value, tuple):
        return [_plain(part, names) for part in value]
    return _number(value) if isinstance(value, float) else value


# What was resampled


def _resampled_document(resampled: Resampled, names: _Names, *, with_pairs: bool) -> Document:
    ends = _with_none(np.stack([resampled.lower, resampled.upper], axis=-1))
    shares = (names.by_entry(_with_none(rows)) for rows in resampled.rank_shares)
    return {
        "replicates": resampled.n_replicates,
        "seed": resampled.seed,
        "usable": resampled.n_usable,
        "intervals": names.by_key(map(names.by_entry, ends)),
        "metrics": list(map(str, resampled.keys)),
        "rank_shares": list(shares) if with_pairs else None,
        "macro_f1_disagreement": _number(resampled.macro_f1_disagreement),
        "prevalence_disagreement": _number(resampled.prevalence_disagreement),
        "spearman_lower": _with_none(resampled.spearman_lower),
        "spearman_upper": _with_none(resampled.spearman_upper),
        "spearman_replicates": resampled.n_spearman,
    }


# Numbers


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _with_none(values: Floats) -> list[Any]:
    """Numbers as lists, None where they are undefined."""
    plain = values.astype(object)
    plain[np.isnan(values)] = None
    return list(plain.tolist())


def _triangle(symmetric: Floats) -> list[list[float | None]]:
    return [row[entry:] for entry, row in enumerate(_with_none(symmetric))]
