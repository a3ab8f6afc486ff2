"""The blocks of a document by what a test looks for, and every text in them."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import count

from audit.document import (
    BoardRow,
    Cell,
    Chooser,
    Column,
    Copyable,
    Fold,
    Listing,
    Paragraph,
    Section,
    Shape,
    Span,
    Table,
    Term,
    Text,
)

FORMS = {
    *((Span, "style"), (Paragraph, "style"), (Term, "formula"), (Shape, "kind")),
    *((BoardRow, "kind"), (BoardRow, "off_scale"), (BoardRow, "confidence")),
    *((Cell, "chip"), (Copyable, "style")),
}
"""Fields whose text is not rendered as it stands: which element a text becomes, and formulas."""


def is_drawn(value: object) -> bool:
    """Whether a cell has shapes in place of its text, or a column the numbers of an axis in place of its label."""
    return (isinstance(value, Cell) and bool(value.shapes)) or (
        isinstance(value, Column) and value.axis is not None
    )


def plain(text: Text) -> str:
    """A text without its links and styles."""
    return (
        text
        if isinstance(text, str)
        else "".join(part if isinstance(part, str) else part.text for part in text)
    )


def parts_of(value: object) -> Iterator[object]:
    """A value and everything below it that is a dataclass, in the order in which it is read."""
    if isinstance(value, tuple):
        for item in value:
            yield from parts_of(item)
    elif is_dataclass(value):
        yield value
        for each in fields(value):
            yield from parts_of(getattr(value, each.name))


def every(whole: object, kind: type) -> list:
    """All parts of a kind in a document, a section or a fold."""
    return [part for part in parts_of(whole) if isinstance(part, kind)]


def _with_id(whole: object, kind: type, id_: str):
    found = [part for part in every(whole, kind) if part.id == id_]
    assert len(found) <= 1, id_
    return found[0] if found else None


def section_of(whole: object, id_: str) -> Section | None:
    """The section with this id; None where there is none, as for all below."""
    return _with_id(whole, Section, id_)


def fold_of(whole: object, id_: str) -> Fold | None:
    """The fold with this id."""
    return _with_id(whole, Fold, id_)


def table_of(whole: object, id_: str) -> Table | None:
    """The table with this id."""
    return _with_id(whole, Table, id_)


def chooser_of(whole: object, id_: str) -> Chooser | None:
    """The choice with this id."""
    return _with_id(whole, Chooser, id_)


def sentences(part: Section | Fold) -> list[str]:
    """What a section or fold says outside its tables, and its own folds: paragraphs and items, links as plain text."""
    said: list[str] = []
    for block in part.blocks:
        if isinstance(block, Paragraph):
            said.append(plain(block.text))
        elif isinstance(block, Listing):
            said += map(plain, block.items)
    return said


def terms_of(part: Section | Fold) -> dict[str, str]:
    """Each term of a section or fold with what is said of it."""
    return {plain(term.term): " ".join(map(plain, term.about)) for term in every(part, Term)}


# Every text


def texts(value: object, path: str = "document") -> Iterator[tuple[str, str]]:
    """Every text in a value that is rendered as it stands, with the way to it."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from texts(item, f"{path}[]")
    elif isinstance(value, Mapping):
        for pair in value.items():
            yield from texts(pair, f"{path}{{}}")
    elif is_dataclass(value) and not is_drawn(value):
        for each in fields(value):
            if (type(value), each.name) not in FORMS:
                yield from texts(
                    getattr(value, each.name), f"{path}.{type(value).__name__}.{each.name}"
                )


def marked(value: object, number: Iterator[int] | None = None):
    """The same value with every such text replaced by one that stands nowhere else, empty ones too."""
    number = count() if number is None else number
    if isinstance(value, str):
        return f"text-{next(number)}-"
    if isinstance(value, tuple | list):
        return type(value)(marked(item, number) for item in value)
    if isinstance(value, Mapping):
        return {marked(name, number): marked(item, number) for name, item in value.items()}
    if is_dataclass(value) and not is_drawn(value):
        named = [each.name for each in fields(value) if (type(value), each.name) not in FORMS]
        return replace(value, **{name: marked(getattr(value, name), number) for name in named})
    return value


def changed(value: object, kind: type, name: str, change):
    """The same value with one field of every part of a kind changed."""
    if isinstance(value, tuple):
        return tuple(changed(item, kind, name, change) for item in value)
    if is_dataclass(value):
        given = {
            each.name: changed(getattr(value, each.name), kind, name, change)
            for each in fields(value)
        }
        if type(value) is kind:
            given[name] = change(getattr(value, name))
        return replace(value, **given)
    return value
