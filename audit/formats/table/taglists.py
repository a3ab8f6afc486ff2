"""Whether texts are lists of tags or labels, as a sentence or an item with several has them, rather than one label."""

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Sequence


def are_tag_lists(texts: Iterable[str]) -> bool:
    """Whether texts are rather lists of tags than labels.

    There are fewer different tags than texts; and in one of them a tag repeats, or two differ in the order of their
    tags alone. The words of labels do neither.

    >>> are_tag_lists(["OK BAD OK", "OK OK", "BAD OK"]), are_tag_lists(["very good", "good", "very bad", "bad"])
    (True, False)
    """
    lists = [tuple(text.split()) for text in set(texts)]
    tags = set().union(*lists)
    if len(tags) >= len(set(lists)):
        return False
    return any(len(set(each)) < len(each) for each in lists) or len(set(map(frozenset, lists))) < len(set(lists))


_PARTED_BY = (",", ";", "|")
_AROUND = " \t[](){}'\","
_SET = re.compile(r"^(?:frozen)?set(?=\()|\bfrozenset(?=\()")
_FRACTIONS = frozenset({"0", "00", "25", "5", "50", "75"})


def labels_in_one(labels: Iterable[str]) -> list[str]:
    """The labels that are rather several in one cell, as tasks have them where an item has any number of labels.

    Half or more of what one character parts into pieces has nothing but labels for pieces; or nothing but labels and
    pieces of several cells, and the pieces are fewer than the labels. No such cells are towns with their states,
    numbers with a decimal comma, and classes of two parts, of which the second is no label.

    >>> labels_in_one(["0", "2", "0,2", "14"]), labels_in_one(["Albany, NY", "Boston, MA", "Buffalo, NY"])
    (['0,2'], [])
    >>> labels_in_one(["['joy']", "['fear', 'joy']", "['fear']"])
    ["['fear', 'joy']"]
    >>> labels_in_one(["1", "1,5", "2", "2,5", "3"]), labels_in_one(["favor|high", "favor|low", "against|low"])
    ([], [])
    """
    distinct = sorted(set(labels))
    by_character = (_joined_by(character, distinct) for character in _PARTED_BY)
    return next((joined for joined in by_character if joined), [])


def _joined_by(character: str, labels: Sequence[str]) -> list[str]:
    """The labels that are several, with one character between them."""
    pieces_of = {label: _pieces(label, character) for label in labels}
    joined = {label: pieces for label, pieces in pieces_of.items() if len(pieces) > 1}
    alone = {pieces[0] for label, pieces in pieces_of.items() if label not in joined}
    if not joined or _have_two_parts(joined.values(), alone) or (character == "," and _are_decimals(joined.values())):
        return []
    n_cells = Counter(piece for pieces in joined.values() for piece in set(pieces))
    of_labels = [label for label, pieces in joined.items() if alone.issuperset(pieces)]
    of_either = [
        label for label, pieces in joined.items() if all(piece in alone or n_cells[piece] > 1 for piece in pieces)
    ]
    is_sure = 2 * len(of_labels) >= len(joined)
    is_likely = 2 * len(of_either) >= len(joined) and len(alone.union(*joined.values())) < len(labels)
    return list(joined) if is_sure or is_likely else []


def _pieces(label: str, character: str) -> list[str]:
    """What a character parts a label into, without the marks of a list; the label itself where it has nothing else."""
    bare = _SET.sub("", label).strip(_AROUND)
    pieces = [piece.strip(_AROUND) for piece in bare.split(character)]
    return pieces if all(pieces) else [label]


def _have_two_parts(joined: Collection[Sequence[str]], alone: Container[str]) -> bool:
    """Whether all are classes of two parts, as of a tag and its number: no second one is a first one, or a label."""
    first = {pieces[0] for pieces in joined}
    behind = {piece for pieces in joined for piece in pieces[1:]}
    return first.isdisjoint(behind) and not any(piece in alone for piece in behind)


def _are_decimals(joined: Collection[Sequence[str]]) -> bool:
    """Whether all are numbers with a decimal comma, of which several have the same part behind it."""
    are_numbers = all(len(pieces) == 2 and all(map(str.isdecimal, pieces)) for pieces in joined)  # noqa: PLR2004
    return are_numbers and len(joined) > 1 and {pieces[1] for pieces in joined} <= _FRACTIONS
