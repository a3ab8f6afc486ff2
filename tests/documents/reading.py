"""A certainty read back from its document: that nothing is lost on the way is a law of documents.

Nothing of the program reads a document; whoever wants an evaluation computes it.
"""

import math

import numpy as np

from audit.domain import MARKS, Certainty, Comparison, Intervals, Mark, State, WinnerChange


class Names:
    """What scores and entries are called in a document."""

    def __init__(self, keys, entries):
        self.keys, self.entries = keys, entries
        self._key_of = {str(key): key for key in keys}

    def key(self, name):
        return self._key_of[name]

    def entry(self, name):
        return self.entries.index(name)

    def of_entries(self, document):
        assert list(document) == list(self.entries)
        return list(document.values())

    def of_keys(self, document):
        assert list(document) == list(self._key_of)
        return list(document.values())


def certainty_from(document, keys, names):
    """The certainty whose document this is, with the same bits in every number."""
    names_of = Names(tuple(keys), tuple(names))
    return Certainty(
        intervals=_intervals_from(document["intervals"], names_of),
        ungrouped=document["ungrouped"] and _intervals_from(document["ungrouped"], names_of),
        n_groups=document["groups"],
        stratified=document["stratified"],
        comparisons=tuple(_comparison_from(part, names_of) for part in document["comparisons"]),
        changes=tuple(_change_from(part, names_of) for part in document["changes"]),
        seed=document["seed"],
        even_groups=document["groups_of_one_size"],
    )


def _intervals_from(document, names):
    shape = len(names.keys), len(names.entries)
    ends = _floats(
        [names.of_entries(row) for row in names.of_keys(document["scores"])], (*shape, 2)
    )
    marks = np.zeros(shape, dtype=np.uint8)
    for key, marked in document["marks"].items():
        marks[names.keys.index(names.key(key))] = _marks_from(marked, names)
    return Intervals(
        lower=ends[..., 0].copy(),
        upper=ends[..., 1].copy(),
        upper_if_never=_if_never_from(document["upper_if_never"], names, shape),
        marks=marks,
        gap_upper=_floats(names.of_entries(document["gap_upper"]), shape[1:]),
        gap_marks=_marks_from(document["gap_marks"], names),
    )


def _if_never_from(document, names, shape):
    upper = np.full(shape, np.nan)
    for key, ends in document.items():
        for name, end in ends.items():
            upper[names.keys.index(names.key(key)), names.entry(name)] = end
    return upper


def _marks_from(document, names):
    marks = np.zeros(len(names.entries), dtype=np.uint8)
    for name, slug in document.items():
        marks[names.entry(name)] = MARKS.index(Mark(slug))
    return marks


def _lower_ends(lower, upper, n_entries):
    """Lower ends of all pairs: below the diagonal, the upper ends above it with the other sign."""
    above, turned = _full(lower, n_entries), -_full(upper, n_entries)
    below = np.where(np.isnan(turned), np.nan, turned)
    return np.where(np.tri(n_entries, k=-1, dtype=bool), below, above)


def _comparison_from(document, names):
    n_entries = len(names.entries)
    leader = document["leader"]
    chosen = np.full((2, n_entries), np.nan)
    for entry, ends in document["corrected_intervals"].items():
        chosen[:, names.entry(entry)] = _floats(ends, (2,))
    ranks = [each or (0, 0) for each in names.of_entries(document["possible_ranks"])]
    against_best = np.zeros((n_entries, n_entries), dtype=bool)
    if leader is not None:
        against_best[names.entry(leader)] = _chosen(document["against_best"], names)
    return Comparison(
        key=names.key(document["metric"]),
        against_best=against_best,
        difference_lower=_lower_ends(
            document["difference_lower"], document["difference_upper"], n_entries
        ),
        standard_error=_full(document["standard_error"], n_entries),
        adjusted_p=_full(document["adjusted_p"], n_entries),
        critical_value=_float(document["critical_value"]),
        ahead=_pairs(document["ahead_of"], names),
        ahead_given=_pairs(document["ahead_given_never_predicted"], names),
        possible_ranks=np.array(ranks, dtype=np.int64).reshape(n_entries, 2),
        could_be_best=_chosen(document["could_be_best"], names),
        uncertain=_chosen(document["uncertain"], names),
        leader=None if leader is None else names.entry(leader),
        chosen_lower=chosen[0],
        chosen_upper=chosen[1],
        n_draws=document["draws"],
    )


def _chosen(chosen, names):
    """Which entries are among those named."""
    return np.array([entry in chosen for entry in names.entries], dtype=bool)


def _pairs(document, names):
    """Which pairs of entries are among those that stand under the name of the first."""
    rows = names.of_entries(document)
    pairs = np.zeros((len(rows), len(rows)), dtype=bool)
    for entry, others in enumerate(rows):
        pairs[entry, others] = True
    return pairs


def _change_from(document, names):
    one, other = document["sides"]
    return WinnerChange(
        kind=document["kind"],
        keys=(names.key(one["metric"]), names.key(other["metric"])),
        winners=(tuple(map(names.entry, one["first"])), tuple(map(names.entry, other["first"]))),
        state=State(document["state"]),
        could_be_best=tuple(map(names.entry, document["could_be_best"])),
        adjusted_p=document["adjusted_p"],
    )


def _float(value):
    return math.nan if value is None else float(value)


def _floats(values, shape):
    """Lists as numbers, NaN for None."""
    return np.array(values, dtype=np.float64).reshape(shape)


def _full(triangle, n_entries):
    if [len(row) for row in triangle] != list(range(n_entries, 0, -1)):
        raise ValueError("no upper triangle of a matrix of all pairs")
    full = np.empty((n_entries, n_entries))
    first, second = np.triu_indices(n_entries)
    full[first, second] = full[second, first] = [_float(value) for row in triangle for value in row]
    return full
