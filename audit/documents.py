"""A certainty as plain data for JSON, and back to the last bit: one form for the store, the export and scripts.

Scores and entries stand under their names. A number that is undefined is None. Of a symmetric matrix the upper triangle
stands, with its diagonal: row i has the pairs of entry i with the entries i, i + 1, and so on.
"""

import math
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from audit.domain import (
    MARKS,
    Certainty,
    Comparison,
    Intervals,
    Mark,
    Power,
    Resampled,
    ScoreKey,
    Support,
    WinnerChange,
)

Floats = NDArray[np.float64]
Document = dict[str, Any]

_ENTRIES = frozenset({"first", "second", "rival"})
"""Fields of `Power` and its parts that number an entry; in a document they name it."""


def certainty_document(
    certainty: Certainty, keys: Sequence[ScoreKey], names: Sequence[str], *, with_pairs: bool = True
) -> Document:
    """A certainty as plain data, which `json.dumps(…, allow_nan=False)` takes as it stands.

    Parameters
    ----------
    certainty : Certainty
        What is known of an evaluation.
    keys : sequence of K ScoreKey
        The evaluation's scores.
    names : sequence of T str
        Its entries' names.
    with_pairs : bool
        Whether matrices of all pairs are in it. Without them they are None, and nothing can be read back.

    Returns
    -------
    dict
        Dicts, lists, text, numbers, booleans and None.

    Examples
    --------
    >>> ends = np.array([[0.5, 0.25]]), np.array([[0.75, np.nan]])
    >>> marks, gap = np.array([[0, 1]], dtype=np.uint8), np.array([0.125, np.nan])
    >>> intervals = Intervals(*ends, marks, gap, marks[0])
    >>> certainty = Certainty(intervals, None, None, False, (), (), (), 1)
    >>> document = certainty_document(certainty, [ScoreKey("kappa", "balanced")], ["A", "B"])
    >>> document["intervals"]["scores"], document["intervals"]["marks"]
    ({'kappa~': {'A': [0.5, 0.75], 'B': [0.25, None]}}, {'kappa~': {'B': 'rare-class'}})
    """
    names_of = _Names(tuple(keys), tuple(names))
    return {
        "seed": certainty.seed,
        "groups": certainty.n_groups,
        "stratified": certainty.stratified,
        "intervals": _intervals_document(certainty.intervals, names_of),
        "ungrouped": None if certainty.ungrouped is None else _intervals_document(certainty.ungrouped, names_of),
        "comparisons": [
            _comparison_document(comparison, names_of, with_pairs=with_pairs) for comparison in certainty.comparisons
        ],
        "changes": [_change_document(change, names_of) for change in certainty.changes],
        "power": [_record_document(power, names_of) for power in certainty.power],
        "resampled": certainty.resampled and _resampled_document(certainty.resampled, names_of, with_pairs=with_pairs),
    }


def certainty_from_document(document: Mapping[str, Any], keys: Sequence[ScoreKey], names: Sequence[str]) -> Certainty:
    """The certainty whose document this is, with the same bits in every number.

    Parameters
    ----------
    document : mapping
        As `certainty_document` gives it, with matrices of all pairs, perhaps through JSON.
    keys, names : sequences
        The evaluation's scores and its entries' names, as they were given there.

    Raises
    ------
    ValueError
        When it is no such document, or one of other scores or entries.
    """
    names_of = _Names(tuple(keys), tuple(names))
    try:
        return Certainty(
            intervals=_intervals_from(document["intervals"], names_of),
            ungrouped=document["ungrouped"] and _intervals_from(document["ungrouped"], names_of),
            n_groups=document["groups"],
            stratified=document["stratified"],
            comparisons=tuple(_comparison_from(part, names_of) for part in document["comparisons"]),
            changes=tuple(_change_from(part, names_of) for part in document["changes"]),
            power=tuple(_record_from(Power, part, names_of) for part in document["power"]),
            seed=document["seed"],
            resampled=document["resampled"] and _resampled_from(document["resampled"], names_of),
        )
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"no document of a certainty: {error!r}") from error


@dataclass(frozen=True)
class _Names:
    """What the scores and entries of an evaluation are called in its document."""

    keys: tuple[ScoreKey, ...]
    entries: tuple[str, ...]

    @cached_property
    def _key_of(self) -> dict[str, ScoreKey]:
        return {str(key): key for key in self.keys}

    @cached_property
    def _entry_of(self) -> dict[str, int]:
        return {name: entry for entry, name in enumerate(self.entries)}

    def key(self, name: str) -> ScoreKey:
        """The score of this name."""
        return self._key_of[name]

    def entry(self, name: str) -> int:
        """The number of the entry of this name."""
        return self._entry_of[name]

    def name(self, entry: int) -> str:
        """The name of an entry."""
        return self.entries[entry]

    def by_entry(self, values: Iterable[Any]) -> Document:
        """A value for each entry, under its name."""
        return dict(zip(self.entries, values, strict=True))

    def by_key(self, values: Iterable[Any]) -> Document:
        """A value for each score, under its name."""
        return dict(zip(self._key_of, values, strict=True))

    def of_entries(self, document: Mapping[str, Any]) -> list[Any]:
        """The values of all entries, in their order."""
        self._expect(document, self._entry_of)
        return [document[name] for name in self.entries]

    def of_keys(self, document: Mapping[str, Any]) -> list[Any]:
        """The values of all scores, in their order."""
        self._expect(document, self._key_of)
        return [document[name] for name in self._key_of]

    @staticmethod
    def _expect(document: Mapping[str, Any], names: Mapping[str, Any]) -> None:
        if document.keys() != names.keys():
            raise ValueError("a document of other scores or entries")


# Intervals


def _intervals_document(intervals: Intervals, names: _Names) -> Document:
    ends = _with_none(np.stack([intervals.lower, intervals.upper], axis=-1))
    marks = names.by_key(_marks_document(row, names) for row in intervals.marks)
    return {
        "scores": names.by_key(map(names.by_entry, ends)),
        "marks": {key: marked for key, marked in marks.items() if marked},
        "gap_upper": names.by_entry(_with_none(intervals.gap_upper)),
        "gap_marks": _marks_document(intervals.gap_marks, names),
    }


def _marks_document(marks: NDArray[np.uint8], names: _Names) -> Document:
    """Why entries have no interval, of those that a reason keeps from it."""
    return {names.name(entry): MARKS[marks[entry]].value for entry in np.flatnonzero(marks).tolist()}


def _intervals_from(document: Mapping[str, Any], names: _Names) -> Intervals:
    shape = len(names.keys), len(names.entries)
    ends = _floats([names.of_entries(row) for row in names.of_keys(document["scores"])], (*shape, 2))
    marks = np.zeros(shape, dtype=np.uint8)
    for key, marked in document["marks"].items():
        marks[names.keys.index(names.key(key))] = _marks_from(marked, names)
    return Intervals(
        lower=ends[..., 0].copy(),
        upper=ends[..., 1].copy(),
        marks=marks,
        gap_upper=_floats(names.of_entries(document["gap_upper"]), shape[1:]),
        gap_marks=_marks_from(document["gap_marks"], names),
    )


def _marks_from(document: Mapping[str, str], names: _Names) -> NDArray[np.uint8]:
    marks = np.zeros(len(names.entries), dtype=np.uint8)
    for name, slug in document.items():
        marks[names.entry(name)] = MARKS.index(Mark(slug))
    return marks


# Comparisons, and what the first place depends on


def _comparison_document(comparison: Comparison, names: _Names, *, with_pairs: bool) -> Document:
    leader = comparison.leader
    ahead = (np.flatnonzero(row).tolist() for row in comparison.separable)
    return {
        "metric": str(comparison.key),
        "draws": comparison.n_draws,
        "critical_value": _number(comparison.critical_value),
        "leader": None if leader is None else names.name(leader),
        "leader_interval": [_number(comparison.leader_lower), _number(comparison.leader_upper)],
        "could_be_best": [names.name(entry) for entry in comparison.could_be_best],
        "possible_ranks": names.by_entry(ranks if ranks[0] else None for ranks in comparison.rank_sets.tolist()),
        "tiers": names.by_entry(tier or None for tier in comparison.tiers.tolist()),
        "standard_error": _triangle(comparison.standard_error) if with_pairs else None,
        "adjusted_p": _triangle(comparison.adjusted_p) if with_pairs else None,
        "separably_ahead_of": names.by_entry(ahead) if with_pairs else None,
    }


def _comparison_from(document: Mapping[str, Any], names: _Names) -> Comparison:
    n_entries = len(names.entries)
    leader = document["leader"]
    lower, upper = _floats(document["leader_interval"], (2,)).tolist()
    best, separable = np.zeros(n_entries, dtype=bool), np.zeros((n_entries, n_entries), dtype=bool)
    best[[names.entry(name) for name in document["could_be_best"]]] = True
    for entry, behind in enumerate(names.of_entries(document["separably_ahead_of"])):
        separable[entry, behind] = True
    ranks = [each or (0, 0) for each in names.of_entries(document["possible_ranks"])]
    return Comparison(
        key=names.key(document["metric"]),
        standard_error=_full(document["standard_error"], n_entries),
        adjusted_p=_full(document["adjusted_p"], n_entries),
        critical_value=_float(document["critical_value"]),
        separable=separable,
        rank_sets=np.array(ranks, dtype=np.int64).reshape(n_entries, 2),
        tiers=np.array([tier or 0 for tier in names.of_entries(document["tiers"])], dtype=np.int64),
        best_set=best,
        leader=None if leader is None else names.entry(leader),
        leader_lower=lower,
        leader_upper=upper,
        n_draws=document["draws"],
    )


def _change_document(change: WinnerChange, names: _Names) -> Document:
    sides = zip(change.keys, change.winners, strict=True)
    return {
        "kind": change.kind,
        "sides": [{"metric": str(key), "first": list(map(names.name, winners))} for key, winners in sides],
        "support": change.support.value,
    }


def _change_from(document: Mapping[str, Any], names: _Names) -> WinnerChange:
    one, other = document["sides"]
    return WinnerChange(
        kind=document["kind"],
        keys=(names.key(one["metric"]), names.key(other["metric"])),
        winners=(tuple(map(names.entry, one["first"])), tuple(map(names.entry, other["first"]))),
        support=Support(document["support"]),
    )


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


def _record_from(kind: type[Any], document: Mapping[str, Any], names: _Names) -> Any:  # noqa: ANN401 - of that kind
    hints = get_type_hints(kind)
    return kind(
        **{
            name: names.entry(value) if name in _ENTRIES and value is not None else _typed(hints[name], value, names)
            for name, value in document.items()
        }
    )


def _typed(kind: Any, value: Any, names: _Names) -> Any:  # noqa: ANN401 - a type, and what is to become of that type
    """Plain data as a value of a field's type."""
    if get_origin(kind) is types.UnionType:  # an optional field
        kept = next(part for part in get_args(kind) if part is not types.NoneType)
        return None if value is None else _typed(kept, value, names)
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        kinds = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return tuple(_typed(each, part, names) for each, part in zip(kinds, value, strict=True))
    if kind is ScoreKey:
        return names.key(value)
    if is_dataclass(kind):
        return _record_from(kind, value, names)  # type: ignore[arg-type]
    return _float(value) if kind is float else value


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


def _resampled_from(document: Mapping[str, Any], names: _Names) -> Resampled:
    shape, n_metrics = (len(names.keys), len(names.entries)), len(document["spearman_lower"])
    ends = _floats([names.of_entries(row) for row in names.of_keys(document["intervals"])], (*shape, 2))
    keys = tuple(map(names.key, document["metrics"]))
    shares = [names.of_entries(rows) for rows in document["rank_shares"]]
    return Resampled(
        n_replicates=document["replicates"],
        seed=document["seed"],
        n_usable=document["usable"],
        lower=ends[..., 0].copy(),
        upper=ends[..., 1].copy(),
        keys=keys,
        rank_shares=_floats(shares, (len(keys), shape[1], shape[1])),
        macro_f1_disagreement=_float(document["macro_f1_disagreement"]),
        prevalence_disagreement=_float(document["prevalence_disagreement"]),
        spearman_lower=_floats(document["spearman_lower"], (n_metrics, n_metrics)),
        spearman_upper=_floats(document["spearman_upper"], (n_metrics, n_metrics)),
        n_spearman=document["spearman_replicates"],
    )


# Numbers


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _with_none(values: Floats) -> list[Any]:
    """Numbers as lists, None where they are undefined."""
    plain = values.astype(object)
    plain[np.isnan(values)] = None
    return list(plain.tolist())


def _floats(values: Sequence[Any], shape: tuple[int, ...]) -> Floats:
    """Lists as numbers, NaN for None."""
    return np.array(values, dtype=np.float64).reshape(shape)


def _triangle(symmetric: Floats) -> list[list[float | None]]:
    return [row[entry:] for entry, row in enumerate(_with_none(symmetric))]


def _full(triangle: Sequence[Sequence[float | None]], n_entries: int) -> Floats:
    if [len(row) for row in triangle] != list(range(n_entries, 0, -1)):
        raise ValueError("no upper triangle of a matrix of all pairs")
    full = np.empty((n_entries, n_entries))
    first, second = np.triu_indices(n_entries)
    full[first, second] = full[second, first] = [_float(value) for row in triangle for value in row]
    return full
