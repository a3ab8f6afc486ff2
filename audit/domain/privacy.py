"""What a report must not give away: the item ids of a test set that may still be in use.

A message quotes what stands in a file. Where a team's file has an id in place of a label, or of a column's name, the
message would quote that.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from audit.domain.campaign import Campaign, JournalEntry, Rejection
from audit.domain.submitted_runs import Submission
from audit.errors import Issue
from audit.text import quoted, spelling_of, spelling_places, visible

# what stands in place of an id, and of a text that was cut through
WITHHELD = "an item id"
CUT = "a long text"
_QUOTED = re.compile("“([^“”]*)”")
_ELLIPSIS = "…"
_WHOLE = 10_000
_BEGINNING = 2  # characters by which places where an id may begin are told from others
# characters of an id that is known as such inside other text
_FEWEST = 4
_MANY = 8
_LONG_NUMBER = 6


def ids_tell_labels(item_ids: Sequence[str] | None, labels: Sequence[str]) -> bool:
    """Whether most ids name their own label, as the paths of files do that are sorted by it (test/yes/17.jpg)."""
    pairs = zip(item_ids or (), labels, strict=False)
    n_telling = sum(
        label.casefold() in _PARTS.split(item_id.casefold()) for item_id, label in pairs
    )
    return bool(item_ids) and 2 * n_telling > len(item_ids or ())


_PARTS = re.compile(r"[/\\_.:\s-]+")


def without_item_ids(campaign: Campaign) -> Campaign:
    """The campaign as far as it may be reported: no message, and no unusable label, holds an item id of gold.

    An id is found inside longer texts too, with what is quoted around it, and in writing that looks the same: with
    another hyphen, with characters that have no width, and between quotes with blanks in it. Predictions, digests and
    gold stay as they are. Labels of the label set are no secret, and neither are ids that only count the items.
    """
    ids = ItemIds.of(campaign.gold.item_ids, campaign.task.label_set)
    if not ids.secret:
        return campaign
    return replace(
        campaign,
        task=replace(
            campaign.task, assumptions=tuple(map(ids.withheld, campaign.task.assumptions))
        ),
        submissions=tuple(ids.of_submission(submission) for submission in campaign.submissions),
        rejections=tuple(
            Rejection(rejection.path, ids.of_issues(rejection.issues))
            for rejection in campaign.rejections
        ),
        journal=ids.of_journal(campaign.journal),
    )


@dataclass(frozen=True, eq=False)
class ItemIds:
    """The ids of a campaign that must not leave the house, as messages would show them."""

    secret: frozenset[str]  # the ids that say something

    @classmethod
    def of(cls, item_ids: Sequence[str] | None, labels: Iterable[str]) -> "ItemIds":
        """The ids to be withheld: all but those that are labels or that anybody could guess."""
        ids = item_ids or ()
        return cls(
            frozenset(item_id for item_id in ids if not _counts(item_id, len(ids)))
            - frozenset(labels)
        )

    def withheld(self, text: str) -> str:
        """A message without ids: with one goes all that is quoted around it."""
        for shown in self._with_quotes:
            text = text.replace(shown, quoted(WITHHELD))
        text = _QUOTED.sub(self._without_ids, text)
        places = list(self._shown.places_in(spelling_of(text), inside_quotes=False))
        if not places:
            return text
        places_of = spelling_places(text)
        for start, stop in reversed(places):
            text = text[: places_of[start]] + WITHHELD + text[places_of[stop] :]
        return text

    def of_values(self, values: Sequence[str]) -> tuple[str, ...]:
        """Different texts of a user's, each without ids, and still different."""
        texts = []
        for place, value in enumerate(values, start=1):
            if value in self.secret or self._tells(value):
                texts.append(f"{WITHHELD} ({place})")
            else:
                texts.append(value)
        return tuple(texts)

    def of_issues(self, issues: Iterable[Issue]) -> tuple[Issue, ...]:
        """Issues without ids."""
        return tuple(
            replace(
                issue,
                found=self.withheld(issue.found),
                expected=self.withheld(issue.expected),
                remedy=self.withheld(issue.remedy),
                items="",
            )
            for issue in issues
        )

    def of_journal(self, journal: Iterable[JournalEntry]) -> tuple[JournalEntry, ...]:
        """Entries of a journal without ids."""
        return tuple(replace(entry, text=self.withheld(entry.text)) for entry in journal)

    def of_submission(self, submission: Submission) -> Submission:
        """A submission whose messages and unusable labels have no ids."""
        if not submission.issues and not submission.unusable_labels:
            return submission
        counts: dict[str, int] = {}
        for label, count in submission.unusable_labels:
            if label in self.secret or self._tells(label):
                shown = WITHHELD
            else:
                shown = label
            counts[shown] = counts.get(shown, 0) + count
        return replace(
            submission,
            issues=self.of_issues(submission.issues),
            unusable_labels=tuple(counts.items()),
        )

    # Where ids stand

    @cached_property
    def _shown(self) -> "_Spellings":
        """The ids as messages show them, without blanks around them, folded as they look."""
        return _Spellings(frozenset(_spellings(self.secret)))

    @cached_property
    def _joined(self) -> "_Spellings":
        """The same without blanks in them."""
        return _Spellings(frozenset("".join(text.split()) for text in self._shown.texts))

    @cached_property
    def _with_quotes(self) -> tuple[str, ...]:
        shown = (
            visible(item_id, _WHOLE) for item_id in self.secret if "“" in item_id or "”" in item_id
        )
        return tuple(quoted(text, _WHOLE) for text in sorted(shown))

    def _tells(self, text: str) -> bool:
        """Whether a quoted text is, or holds, an id."""
        spelling = spelling_of(text).strip()
        return self._shown.are_in(spelling) or self._joined.are_in("".join(spelling.split()))

    def _without_ids(self, quote: re.Match[str]) -> str:
        """A quotation; none of a text that was cut in its middle, perhaps through an id."""
        if self._tells(quote[1]):
            return quoted(WITHHELD)
        start, cut, end = quote[1].partition(_ELLIPSIS)
        if cut and start and end:
            return quoted(CUT)
        return quote[0]


def _spellings(item_ids: Iterable[str]) -> Iterator[str]:
    """Each id as a message spells it; one of which nothing would be left as it is."""
    for item_id in item_ids:
        if item_id.isprintable():
            shown = item_id
        else:
            shown = visible(item_id, _WHOLE)
        if spelling := spelling_of(shown).strip() or shown.strip():
            yield spelling


@dataclass(frozen=True, eq=False)
class _Spellings:
    """Texts that are searched for in others, all of them at once."""

    texts: frozenset[str]  # the texts, folded

    @cached_property
    def _lengths(self) -> Mapping[str, Sequence[int]]:
        """How long the texts are that begin with some characters, the longest first."""
        lengths: dict[str, set[int]] = {}
        for text in self.texts:
            lengths.setdefault(text[:_BEGINNING], set()).add(len(text))
        return {beginning: sorted(sizes, reverse=True) for beginning, sizes in lengths.items()}

    def are_in(self, quote: str) -> bool:
        """Whether a folded text from between quotes is one of them, or holds one."""
        return (
            quote in self.texts or next(self.places_in(quote, inside_quotes=True), None) is not None
        )

    def places_in(self, folded: str, *, inside_quotes: bool) -> Iterator[tuple[int, int]]:
        """Their places in a folded text, from left to right, none inside another; in time linear in its length."""
        place = 0
        while place < len(folded):
            lengths = list(self._lengths.get(folded[place : place + _BEGINNING], ()))
            if place + 1 < len(folded):
                lengths += self._lengths.get(folded[place], ())
            for length in lengths:
                stop = place + length
                if folded[place:stop] in self.texts and _stands_out(
                    folded, place, stop, inside_quotes=inside_quotes
                ):
                    yield place, stop
                    place = stop - 1
                    break
            place += 1


def _stands_out(text: str, start: int, stop: int, *, inside_quotes: bool) -> bool:
    """Whether text spelt like an id is one here: no part of a longer number or word, and no word of the message."""
    piece = text[start:stop]
    before = text[start - 1 : start]
    after = text[stop : stop + 1]
    if piece.isdigit():
        apart = not (before.isdigit() or after.isdigit())
        return apart and (inside_quotes or len(piece) >= _LONG_NUMBER)
    if len(piece) >= _FEWEST and any(map(str.isdigit, piece)):
        return not (piece[-1].isdigit() and after.isdigit()) and not (
            piece[0].isdigit() and before.isdigit()
        )
    apart = not (piece[0].isalnum() and before.isalnum()) and not (
        piece[-1].isalnum() and after.isalnum()
    )
    return apart and (inside_quotes or (len(piece) >= _MANY and not piece.isalpha()))


def _counts(item_id: str, n_items: int) -> bool:
    """Whether an id is a number from 0 to the number of items, which anybody could have guessed."""
    return (
        item_id.isascii()
        and item_id.isdigit()
        and len(item_id) <= len(str(n_items))
        and int(item_id) <= n_items
    )
