"""Orders of classes and entries that follow from gold and answers alone, so that no result depends on a name.

Whatever is drawn at random class by class or entry by entry is drawn in these orders, and ties are broken by them.
"""

from collections.abc import Sequence

import numpy as np

from audit.domain.arrays import Codes, Counts
from audit.domain.cells import Cells


def class_order(gold: Codes, cells: Cells) -> Counts:
    """The class codes in an order that renaming labels does not change, shape (C,).

    The largest gold class comes first. Classes of one size stand in the order of the answers that they get and of
    those that are correct, then as they first appear in gold.
    """
    n_classes = cells.n_classes
    in_gold, places = np.unique(gold, return_index=True)
    first_place = np.full(n_classes, gold.size)
    first_place[in_gold] = places
    n_gold = np.bincount(gold, minlength=n_classes)
    n_answers = cells.answers[:, :n_classes].sum(axis=0)
    n_correct = cells.correct.sum(axis=0)
    return np.lexsort((first_place, n_correct, n_answers, -n_gold))


def numbers_in(order: Counts) -> Counts:
    """The place of each class in an order of all C, shape (C + 2,); *unanswered* and *unusable* stay last."""
    n_classes = len(order)
    numbers = np.arange(n_classes + 2)
    numbers[order] = np.arange(n_classes)
    return numbers


def entry_order(cells: Cells, classes: Counts, digests: Sequence[str]) -> Counts:
    """The entries in an order that renaming teams, files or labels does not change, shape (T,).

    They are sorted by their confusions, whose classes stand in the order given, and entries with the same confusion by
    the digests of their answers. Only entries with the same answers are left as they stand.
    """
    numbers = numbers_in(classes)
    columns = np.lexsort((numbers[cells.predicted], numbers[cells.gold]))
    # as bytes, these sort like numbers
    rows = np.ascontiguousarray(cells.counts[:, columns], dtype=">i8")
    confusion_of = np.zeros(len(rows), dtype=np.int64)
    if rows.size:
        as_bytes = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
        confusion_of = np.unique(as_bytes, return_inverse=True)[1]
    return np.lexsort((np.array(digests, dtype=np.str_), confusion_of))


def places_among(some: Counts, order: Counts) -> Counts:
    """The places of some entries among these, in an order of all, shape (t,).

    >>> places_among(np.array([2, 5, 7]), np.array([7, 0, 1, 2, 3, 4, 5, 6])).tolist()
    [2, 0, 1]
    """
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return np.argsort(rank[some])
