r"""A cell of labels or spans → its members: the one grammar of docs/kinds.md, anchored at both ends.

::

    cell      = [ list | parted ]
    parted    = [ member ] { separator [ member ] }
    member    = quoted | bare
    list      = "[" values "]" | "(" values ")" | "{" values "}"
              | ("set" | "frozenset") "(" [ list ] ")" | ["np." | "numpy."] "array" "(" list ["," "dtype" "=" type] ")"
    values    = [ value { "," value } [ "," ] ]     or, in square brackets, values with blanks between, as NumPy writes
    value     = quoted | number | null | true | false | list | object | NumPy's scalar, such as np.str_("joy")
    object    = "{" quoted ":" value { "," quoted ":" value } "}"
    quoted    = a text in ' or ", with the escapes of JSON and Python

A bare member is any text without the separator, a line's end, a tab, a double quote, square brackets or braces, that
neither begins nor ends with a quote, does not begin with a bracket, and is no word for a missing value. In braces no
list or object stands. Nothing is evaluated, and nothing outside of the grammar is read.
"""

import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from unicodedata import category

from audit.formats.files.limits import MOST_DEPTH
from audit.text import quoted

SHOWN = 80  # characters of a cell in a message
SEPARATORS = (",", ";", "|")
NO_LABELS = frozenset(
    {"null", "NULL", "None", "nan", "NaN", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaT"}
)
"""Words by which programs write a missing value: whether one is a label or an empty set has to be said."""

_SIMILAR = (
    "/",
    "+",
    "&",
    "\uff0c",
    "\u3001",
    "\uff1b",
    "\uff5c",
    "\u00b7",
    "\u2022",
)  # what may part labels, and is never taken to
_QUOTES = frozenset("\"'`“”„«»\u2018\u2019\u201a")
_IN_QUOTES = frozenset('"[]{}')  # what only a quoted label has
_TEXT = r"""[uU]?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_QUOTED = re.compile(_TEXT, re.DOTALL)
_LIST = re.compile(r"[\[({]|(?:(?:np|numpy)\.)?(?:frozenset|set|array)\s*\(")
_TOKEN = re.compile(
    rf"""
    (?P<text>{_TEXT})
    | (?P<number>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.]))
    | (?P<name>[A-Za-z_][\w.]*)
    | (?P<mark>[\]\[(){{}},:=])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_PLAIN_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    '"': '"',
    "'": "'",
    "\\": "\\",
    "/": "/",
}
_CONSTANTS = {
    "null": None,
    "None": None,
    "true": True,
    "True": True,
    "false": False,
    "False": False,
}
_SCALAR = re.compile(r"(?:np|numpy)\.(?:str_|u?int[0-9]*|float[0-9]*)")
_ARRAYS = frozenset({"array", "np.array", "numpy.array"})
_CLOSES = {"[": "]", "(": ")", "{": "}"}


class Number(str):
    """A number as it is written, apart from a text that says the same."""

    __slots__ = ()


class Bare(str):
    """A member without quotes around it."""

    __slots__ = ()


def trimmed(label: str) -> str:
    r"""A label without blanks, and characters that nobody sees, at its ends.

    >>> trimmed(" joy\u200b"), trimmed("\ufeff")
    ('joy', '')
    """
    label = label.strip()
    if label.isascii():  # which has nothing that is neither a blank nor seen
        return label
    start = 0
    end = len(label)
    while start < end and _is_unseen(label[start]):
        start += 1
    while start < end and _is_unseen(label[end - 1]):
        end -= 1
    return label[start:end]


def _is_unseen(character: str) -> bool:
    return character.isspace() or category(character) == "Cf"


def members_of(cell: str, separator: str | None) -> list[Any]:
    """The members of a cell: texts, `Number`, objects and lists, and None, True and False where a list has them.

    Without a separator a cell that is no list is one member. Raises ValueError, with the cell, for all that is no cell
    of the grammar.
    """
    text = trimmed(cell)
    if not text:
        return []
    if _LIST.match(text) is None:
        return list(_parted(text, separator))
    with suppress(ValueError, RecursionError):
        found = _JSON.decode(text)
        if isinstance(found, list):
            return found
    try:
        return _Values(text).whole()
    except (ValueError, RecursionError) as error:
        if isinstance(error, ValueError):
            reason = str(error)
        else:
            reason = "it is nested too deeply"
        raise ValueError(f"{quoted(cell, SHOWN)} is no list of labels: {reason}") from None


def label_of(member: str, cell: str, known: Collection[str] = ()) -> str:
    """The label that a text of a cell is, empty for none; raises ValueError where it is rather something else."""
    label = trimmed(member)
    odd = None
    if not label.isprintable():
        odd = next(
            (character for character in label if category(character) in {"Cc", "Cs", "Zl", "Zp"}),
            None,
        )
    if odd is not None:
        raise ValueError(
            f"{quoted(cell, SHOWN)} is no list of labels: there is {quoted(odd)} in a label"
        )
    if label[:1] in {"[", "{"} and label not in known:
        raise ValueError(f"{quoted(cell, SHOWN)} is no list of labels: it has a list in quotes")
    return label


def is_missing(member: object, known: Collection[str]) -> bool:
    """Whether a member is a word for a missing value without quotes, and no label that is known."""
    return member is None or (
        isinstance(member, Bare) and member in NO_LABELS and member not in known
    )


def _parted(text: str, separator: str | None) -> Iterator[str]:
    """The members of a cell that is no list."""
    for piece in _pieces(text, separator):
        member = trimmed(piece)
        if _QUOTED.fullmatch(member) and member[0] not in "uU":
            yield _unquoted(member)
        elif (
            member[:1] in _QUOTES | {"("}
            or member[-1:] in _QUOTES
            or not _IN_QUOTES.isdisjoint(member)
        ):
            raise ValueError(
                f"{quoted(text, SHOWN)} is no list of labels: {quoted(member)} is no label"
            )
        elif member:
            yield Bare(member)


def _pieces(text: str, separator: str | None) -> list[str]:
    """What stands between separators, those in quoted members left alone."""
    if separator is None:
        return [text]
    if separator == " ":
        between = r"\s+"
    else:
        between = re.escape(separator)
    if not _QUOTES.intersection(text):
        return re.split(between, text)
    pieces = []
    start = 0
    piece = re.compile(rf"\s*{_TEXT}\s*(?={between}|$)|.*?(?={between}|$)", re.DOTALL)
    separates = re.compile(between)
    while True:
        found = piece.match(text, start)
        if found is None:
            end = len(text)
        else:
            end = found.end()
        pieces.append(text[start:end])
        after = separates.match(text, end)
        if after is None:
            return pieces
        start = after.end()


def _unquoted(literal: str) -> str:
    """The text that a literal of JSON or Python stands for."""
    inner = literal.lstrip("uU")[1:-1]
    if "\\" not in inner:
        return inner
    text = _ESCAPE.sub(_character, inner)
    # two halves are a character
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _character(escape: re.Match[str]) -> str:
    sign = escape[1]
    if sign in _PLAIN_ESCAPES:
        return _PLAIN_ESCAPES[sign]
    if len(sign) > 1 and int(sign[1:], 16) <= sys.maxunicode:
        return chr(int(sign[1:], 16))
    raise ValueError(f"{quoted(escape[0])} is no escape")


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is there twice")
    return fields


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{quoted(name)} is no label")


_JSON = json.JSONDecoder(
    parse_int=Number,
    parse_float=Number,
    parse_constant=_refuse_constant,
    object_pairs_hook=_object_of,
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # text, number, name or mark; end behind the last
    text: str
    follows_blank: bool


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while True:
        start = at
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return [*tokens, _Token("end", "", follows_blank=at > start)]
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"{quoted(text[at : at + 20])} is no value")
        tokens.append(_Token(str(found.lastgroup), found[0], follows_blank=at > start))
        at = found.end()


@dataclass(slots=True)
class _Values:
    """A parser of lists by recursive descent."""

    text: str
    tokens: Sequence[_Token] = field(init=False)
    at: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        self.tokens = _tokens(self.text)

    def whole(self) -> list[Any]:
        """The members of the list that the text is."""
        members = self._list()
        if self._now.kind != "end":
            raise ValueError(f"{quoted(self._now.text)} stands behind the list")
        return members

    @property
    def _now(self) -> _Token:
        return self.tokens[self.at]

    def _take(self, text: str | None = None) -> _Token:
        token = self._now
        if text is not None and token.text != text:
            if token.text:
                found = quoted(token.text)
            else:
                found = "the end"
            raise ValueError(f"{found} in place of {quoted(text)}")
        if token.kind == "end":
            raise ValueError("it ends too early")
        self.at += 1
        return token

    def _list(self) -> list[Any]:
        name = self._now.text
        if name in {"set", "frozenset"}:
            self._take()
            self._take("(")
            if self._now.text == ")":
                members = []
            else:
                members = self._list()
            self._take(")")
            return members
        if name in _ARRAYS:
            return self._array()
        found = self._bracketed()
        if isinstance(found, dict):
            if found:
                raise ValueError("it is an object")
            return []
        return found

    def _array(self) -> list[Any]:
        self._take()
        self._take("(")
        members = self._list()
        if self._now.text == ",":
            self._take()
            self._take("dtype")
            self._take("=")
            if self._take().kind not in {"text", "name"}:
                raise ValueError("dtype names no type")
        self._take(")")
        return members

    def _bracketed(self) -> list[Any] | dict[str, Any]:
        """A list, or an object in braces; `{}` is an empty object to JSON and Python, and an empty set to people."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise ValueError("it is nested too deeply")
        if self._now.kind != "mark" or self._now.text not in _CLOSES:
            raise ValueError(
                f"{quoted(self._now.text)} is no list" if self._now.text else "it ends too early"
            )
        opens = self._take().text
        closes = _CLOSES[opens]
        is_object = (
            opens == "{"
            and self.tokens[self.at + 1 : self.at + 2]
            and self.tokens[self.at + 1].text == ":"
        )
        found = self._fields() if is_object else self._members(closes, may_be_blank=opens == "[")
        self._take(closes)
        self.depth -= 1
        return found

    def _members(self, closes: str, *, may_be_blank: bool) -> list[Any]:
        members: list[Any] = []
        by_blank = None  # whether blanks part the members, known from the second on
        while self._now.text != closes or self._now.kind != "mark":
            if members:
                if self._now.kind == "end":
                    raise ValueError("it ends too early")
                is_comma = self._now.text == "," and self._now.kind == "mark"
                if by_blank is None:
                    by_blank = not is_comma
                if is_comma == by_blank or (
                    by_blank and not (may_be_blank and self._now.follows_blank)
                ):
                    raise ValueError(f"no comma before {quoted(self._now.text)}")
                if is_comma:
                    self._take()
                    if self._now.text == closes and self._now.kind == "mark":
                        break
            if closes == "}" and self._now.kind == "mark" and self._now.text in {"[", "{"}:
                raise ValueError("a list or object in braces")
            members.append(self._value())
        return members

    def _fields(self) -> dict[str, Any]:
        pairs: list[tuple[str, Any]] = []
        while True:
            key = self._take()
            if key.kind != "text":
                raise ValueError(f"{quoted(key.text)} is no name of a field")
            self._take(":")
            pairs.append((_unquoted(key.text), self._value()))
            if self._now.text != ",":
                return _object_of(pairs)
            self._take()

    def _value(self) -> Any:  # noqa: ANN401 - any value of the grammar
        token = self._now
        if token.kind == "text":
            return _unquoted(self._take().text)
        if token.kind == "number":
            return Number(self._take().text)
        if token.kind == "name" and token.text in _CONSTANTS:
            return _CONSTANTS[self._take().text]
        if token.kind == "name" and _SCALAR.fullmatch(token.text):
            self._take()
            self._take("(")
            value = self._value()
            self._take(")")
            return value
        if token.kind == "mark" and token.text in _CLOSES:
            return self._bracketed()
        raise ValueError(
            f"{quoted(token.text)} is no label in quotes" if token.text else "it ends too early"
        )


class UnclearSeparatorError(ValueError):
    """Cells that may be parted in several ways, with the separators that would decide."""

    def __init__(self, defect: str, separators: Sequence[str]) -> None:
        super().__init__(defect)
        self.separators = separators


def separator_of(cells: Iterable[str], known: Collection[str] = ()) -> str:
    """What parts the labels of gold's cells: the only one of `,` `;` `|` that stands in any, else a comma.

    Whatever else may part labels is asked about, unless it stands in labels that are known: another one of the three,
    a sign that is like them, blanks and `and` between words that are cells by themselves. Raises
    `UnclearSeparatorError`.
    """
    plain = sorted(
        {_without_quoted(cell) for cell in cells if _LIST.match(trimmed(cell)) is None} - set(known)
    )
    found = [mark for mark in SEPARATORS if any(mark in cell for cell in plain)]
    if len(found) > 1:
        found = _explaining(plain, found, known)
    if len(found) > 1:
        shown = " beside ".join(
            quoted(next(cell for cell in plain if mark in cell), SHOWN) for mark in found[:2]
        )
        raise UnclearSeparatorError(f"{shown}: by what are labels parted?", found)
    if found:
        separator = found[0]
    else:
        separator = SEPARATORS[0]
    labels = {trimmed(piece) for cell in plain for piece in cell.split(separator)} - {"", *known}
    signs = [rf"\s*{re.escape(sign)}\s*" for sign in _SIMILAR]
    for pattern in (*signs, r"\s+and\s+", r"\s+"):
        are_asked = not found and pattern in signs  # whatever the pieces are
        joined = sorted(
            label
            for label in labels
            if _is_joined(label, pattern, labels | set(known), always=are_asked)
        )
        if joined:
            sign = pattern.replace(r"\s*", "").replace(r"\s+", " ").replace("\\", "")
            defect = f"{quoted(joined[0], SHOWN)}, {len(joined):,} of {len(labels):,} labels: one label, or several?"
            raise UnclearSeparatorError(defect, [sign, separator])
    return separator


def _without_quoted(cell: str) -> str:
    if _QUOTES.intersection(cell[:1]):
        return trimmed(_QUOTED.sub("", cell))
    return trimmed(cell)


def _explaining(plain: Sequence[str], found: Sequence[str], known: Collection[str]) -> list[str]:
    """The separators by which every piece of every cell is a label that is known; all, where there is none."""
    fitting = [
        mark
        for mark in found
        if all(
            trimmed(piece) in known or not trimmed(piece)
            for cell in plain
            for piece in cell.split(mark)
        )
    ]
    return fitting or list(found)


def _is_joined(label: str, pattern: str, labels: Collection[str], *, always: bool) -> bool:
    """Whether a pattern parts a label into several: any, or such as are labels by themselves."""
    pieces = [piece for piece in re.split(pattern, label) if piece]
    return len(pieces) > 1 and (always or all(piece in labels for piece in pieces))


def has_known_piece(label: str, known: Collection[str]) -> bool:
    """Whether a label that is not known has a known one in it, parted by whatever may part labels."""
    signs = "".join(map(re.escape, (*SEPARATORS, *_SIMILAR)))
    patterns = (rf"\s*[{signs}]\s*", rf"\s*[{signs}\s]\s*(?:and\s+)?")
    by_signs, by_blanks = (
        [piece for piece in re.split(pattern, label) if piece] for pattern in patterns
    )
    has_some = len(by_signs) > 1 and any(piece in known for piece in by_signs)
    return has_some or (len(by_blanks) > 1 and all(piece in known for piece in by_blanks))


def is_vector(cells: Iterable[Sequence[object]]) -> bool:
    """Whether lists are rather a 0 or 1 for each label: of one length, and of nothing else.

    >>> is_vector([["0", "1", "1"], ["1", "0", "0"]]), is_vector([["0"], ["1"]]), is_vector([["0", "1"], ["0"]])
    (True, False, False)
    """
    distinct = {tuple(map(str, members)) for members in cells}
    lengths = set(map(len, distinct))
    values = {member for members in distinct for member in members}
    return (
        len(distinct) > 1
        and len(lengths) == 1
        and lengths != {1}
        and values <= {"0", "1", "0.", "1.", "0.0", "1.0"}
    )
