"""Tags of tokens, in IOB1, IOB2, IOBES or BILOU, and the spans that they mark."""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from audit.domain.sets import Thing

NO_TAG = frozenset({"", "O", "o", "_", "-"})  # a token outside of spans


def are_tags(labels: Collection[str]) -> bool:
    """Whether labels are tags of tokens: all begin with B-, I-, E-, S-, L- or U-, or stand for no span."""
    parts = [label.partition("-") for label in labels if label not in NO_TAG]
    return bool(parts) and all(first in set("BIESLU") and label for first, _, label in parts)


def mark_ends(tags: Iterable[str]) -> bool:
    """Whether tags mark the last token of a span, as IOBES and BILOU do.

    >>> mark_ends(["B-PER", "I-PER", "O"]), mark_ends(["B-PER", "L-PER", "O"])
    (False, True)
    """
    return any(prefix in {"E", "S"} for prefix, _ in map(_parted, set(tags)))


def spans_of(tags: Sequence[str], repair: str, *, closed: bool) -> list[Thing]:
    """The spans of one sequence of tags, with first and last token from 0.

    Parameters
    ----------
    tags
        The tags of one sequence.
    repair
        ``conll`` reads broken spans as conlleval and seqeval do; ``strict`` drops them, as seqeval's strict mode does.
    closed
        Whether the scheme marks the last token of a span (:func:`mark_ends`). It is the scheme of a whole file: in a
        sequence alone nothing may tell that its span lacks an end.

    """
    parted = list(map(_parted, tags))
    spans: list[Thing] = []
    start: int | None = None
    before = ("", "")
    for place, now in enumerate([*parted, ("", "")]):
        if start is not None and _ends(before, now):
            is_whole = repair == "conll" or not closed or before[0] in {"E", "S"}
            if is_whole:
                spans.append((before[1], (start, place - 1)))
            start = None
        if _opens(before, now, repair):
            start = place
        before = now
    return spans


@lru_cache(maxsize=1024)
def _parted(tag: str) -> tuple[str, str]:
    """The prefix of a tag, BILOU's as IOBES has it, and its type; both empty outside of spans."""
    if tag in NO_TAG:
        return "", ""
    prefix, _, label = tag.partition("-")
    prefix = {"L": "E", "U": "S"}.get(prefix.upper(), prefix.upper())
    return (prefix, label or "span") if prefix in {"B", "I", "E", "S"} else ("I", tag)


def _ends(before: tuple[str, str], now: tuple[str, str]) -> bool:
    return before[0] in {"E", "S"} or now[0] in {"", "B", "S"} or before[1] != now[1]


def _opens(before: tuple[str, str], now: tuple[str, str], repair: str) -> bool:
    if now[0] in {"B", "S"}:
        return True
    continues = before[0] in {"B", "I"} and before[1] == now[1]
    return repair == "conll" and now[0] != "" and not continues
