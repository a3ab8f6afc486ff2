"""What became of the items and their gold labels."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from audit.domain import Gold
from audit.questions.revision.difference import GoldChange, Relabelling

Places = NDArray[np.int64]


def gold_change(before: Gold, after: Gold) -> GoldChange:
    """The change of the items and their labels.

    Examples
    --------
    >>> from audit.domain import LabelSet
    >>> labels = LabelSet(("a", "b"))
    >>> before = Gold(labels, np.array([0, 0, 1], np.uint8), ("x", "y", "z"))
    >>> after = Gold(labels, np.array([1, 1, 0], np.uint8), ("z", "y", "new"))
    >>> found = gold_change(before, after)
    >>> found.relabelled, found.n_added, found.n_removed
    ((Relabelling(before='a', after='b', count=1),), 1, 1)
    """
    places = _common(before, after)
    if places is None:
        return GoldChange(before.n_items, after.n_items, None)
    return GoldChange(before.n_items, after.n_items, len(places[0]), _relabelled(before, after, *places))


def has_same_items(before: Gold, after: Gold) -> bool:
    """Whether both have the same items in the same order."""
    return before.n_items == after.n_items and before.item_ids == after.item_ids


def _common(before: Gold, after: Gold) -> tuple[Places, Places] | None:
    """The places of the items of both, in either gold; None where nothing says which items are the same."""
    if has_same_items(before, after):
        return np.arange(before.n_items), np.arange(before.n_items)
    if before.item_ids is None or after.item_ids is None:
        return None
    place_of = {item_id: place for place, item_id in enumerate(before.item_ids)}
    pairs = [(place_of[item_id], place) for place, item_id in enumerate(after.item_ids) if item_id in place_of]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _relabelled(before: Gold, after: Gold, old_places: Places, new_places: Places) -> tuple[Relabelling, ...]:
    """Labels are the same where their texts are, whatever place they have in the label set."""
    labels = np.array(before.label_set.labels, dtype=object), np.array(after.label_set.labels, dtype=object)
    old, new = labels[0][before.codes[old_places]], labels[1][after.codes[new_places]]
    other = old != new
    counts = Counter(zip(old[other].tolist(), new[other].tolist(), strict=True))
    return tuple(Relabelling(*pair, count) for pair, count in sorted(counts.items(), key=lambda each: (-each[1], each)))
