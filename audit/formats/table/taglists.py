"""Whether texts are lists of tags or labels, as a sentence or an item with several has them, rather than one label."""

from collections import Counter
from collections.abc import Iterable, Sequence


def are_tag_lists(texts: Iterable[str]) -> bool:
    """Whether texts are rather lists of tags than labels.

    There are fewer different tags than texts; and in one of them a tag repeats, or two differ in the order of their
    tags alone. The words of labels do neither.

    Examples
    --------
    >>> are_tag_lists(["OK BAD OK", "OK OK", "BAD OK"]), are_tag_lists(["very good", "good", "very bad", "bad"])
    (True, False)
    """
    lists = [tuple(text.split()) for text in set(texts)]
    tags = set().union(*lists)
    if len(tags) >= len(set(lists)):
        return False
    return any(len(set(each)) < len(each) for each in lists) or len(set(map(frozenset, lists))) < len(set(lists))


_PARTED_BY = (",", ";", "|")
_AROUND = " \t[](){}'\""


def labels_in_one(labels: Iterable[str]) -> list[str]:
    """The labels that are rather several in one cell, as tasks have them where an item has any number of labels.

    All of what a character parts them into are labels by themselves, or stand in several such cells; and the parts are
    fewer than the labels. Of “Albany, NY” and “Boston, MA” that is not so.

    Examples
    --------
    >>> labels_in_one(["0", "2", "0,2", "14"]), labels_in_one(["Albany, NY", "Boston, MA", "Buffalo, NY"])
    (['0,2'], [])
    >>> labels_in_one(["['joy']", "['fear', 'joy']", "['fear']"])
    ["['fear', 'joy']"]
    """
    distinct = sorted(set(labels))
    found = (_joined_by(character, distinct) for character in _PARTED_BY)
    return next((joined for joined in found if joined), [])


def _joined_by(character: str, labels: Sequence[str]) -> list[str]:
    """The labels that are several, with one character between them."""
    parts_of = {label: [part.strip(_AROUND) for part in label.strip(_AROUND).split(character)] for label in labels}
    joined = {label: parts for label, parts in parts_of.items() if len(parts) > 1}
    alone = {parts[0] for label, parts in parts_of.items() if label not in joined}
    n_cells = Counter(part for parts in joined.values() for part in set(parts))
    parts = alone.union(*joined.values())
    are_labels = all(part and (part in alone or n_cells[part] > 1) for each in joined.values() for part in each)
    return list(joined) if are_labels and len(parts) < len(labels) else []
