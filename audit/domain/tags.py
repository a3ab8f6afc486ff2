"""Tags of tokens, in IOB1, IOB2, IOBES, BILOU or BMEWO, and the spans that they mark."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from audit.domain.sets import Thing

NO_TAG = frozenset({"", "O", "o", "_", "-"})  # a token outside of spans
# of a token in its span: begin, inside or middle, end or last, single, unit or whole
_PLACES = frozenset("BIESLUMW")


def are_tags(labels: Collection[str]) -> bool:
    """Whether labels are tags of tokens: all begin with B-, I-, E-, S-, L-, U-, M- or W-, or are no span."""
    parts = [label.partition("-") for label in labels if label not in NO_TAG]
    return bool(parts) and all(first in _PLACES and label for first, _, label in parts)


@dataclass(frozen=True, slots=True)
class TagScheme:
    """How tags join the place of a token in a span, such as B or I, and the type of the span."""

    separator: str = "-"
    is_suffix: bool = False  # whether the place stands behind the type, as in PER-B

    def standard(self, tag: str) -> str:
        """The tag as ``B-PER`` writes it; one that is not of the scheme as it stands.

        >>> TagScheme("_").standard("B_PER"), TagScheme(is_suffix=True).standard("PER-B"), TagScheme("_").standard("O")
        ('B-PER', 'B-PER', 'O')
        """
        if self == STANDARD or tag in NO_TAG:
            return tag
        if self.is_suffix:
            label, _, place = tag.rpartition(self.separator)
        else:
            place, _, label = tag.partition(self.separator)
        if place in _PLACES and label:
            return f"{place}-{label}"
        return tag


STANDARD = TagScheme()
_SEPARATORS = "-_:./|"


def scheme_of(tags: Collection[str]) -> TagScheme | None:
    """The scheme that all tags are of; None where they are of none.

    Other than in the usual scheme, B-PER and I-PER, a type has to be there with two places: labels such as B_cell are
    no tags. More than one such scheme is none.

    >>> scheme_of({"O", "B_PER", "I_PER"}), scheme_of({"B_cell", "I_band"})
    (TagScheme(separator='_', is_suffix=False), None)
    """
    if are_tags(tags):
        return STANDARD
    schemes = [
        TagScheme(separator, is_suffix=is_suffix)
        for separator in _SEPARATORS
        for is_suffix in (False, True)
    ]
    found = [scheme for scheme in schemes if scheme != STANDARD and _is_of(tags, scheme)]
    if len(found) == 1:
        return found[0]
    return None


def _is_of(tags: Collection[str], scheme: TagScheme) -> bool:
    places_of: defaultdict[str, set[str]] = defaultdict(set)
    for tag in tags:
        if tag in NO_TAG:
            continue
        standard = scheme.standard(tag)
        if standard == tag:
            return False
        place, _, label = standard.partition("-")
        places_of[label].add(place)
    return any(len(places) > 1 for places in places_of.values())


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
    """The prefix of a tag, that of BILOU or BMEWO as IOBES has it, and its type; both empty outside of spans."""
    if tag in NO_TAG:
        return "", ""
    prefix, _, label = tag.partition("-")
    prefix = {"L": "E", "U": "S", "M": "I", "W": "S"}.get(prefix.upper(), prefix.upper())
    if prefix in {"B", "I", "E", "S"}:
        return (prefix, label or "span")
    return ("I", tag)


def _ends(before: tuple[str, str], now: tuple[str, str]) -> bool:
    return before[0] in {"E", "S"} or now[0] in {"", "B", "S"} or before[1] != now[1]


def _opens(before: tuple[str, str], now: tuple[str, str], repair: str) -> bool:
    if now[0] in {"B", "S"}:
        return True
    continues = before[0] in {"B", "I"} and before[1] == now[1]
    return repair == "conll" and now[0] != "" and not continues
