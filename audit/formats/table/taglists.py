"""Whether texts are lists of tags, as a line for each sentence has them, rather than labels of several words."""

from collections.abc import Iterable


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
