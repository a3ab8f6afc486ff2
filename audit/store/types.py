"""Column types that check what they read: SQLite's columns hold any type, and a store from elsewhere is data.

What a column says it holds is what the rest of the program gets, so that damage is an error of SQLite's kind where it
is read, and no TypeError later.
"""

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

from sqlalchemy import Boolean, Column, ColumnElement, Dialect, Integer, LargeBinary, Text, type_coerce
from sqlalchemy.types import TypeDecorator, TypeEngine

from audit.store.plain_data import data_of_json, json_text

Processor = Callable[[Any], Any]


class CheckedColumn(TypeDecorator[Any]):
    """The base of the checked types of columns.

    Parameters
    ----------
    nullable : bool
        Whether NULL is a value.
    """

    impl: type[TypeEngine[Any]] = Text
    cache_ok = True
    kinds: ClassVar[frozenset[type]] = frozenset({str})
    """The types of Python that SQLite's values come in."""

    def __init__(self, *, nullable: bool = True) -> None:
        super().__init__()
        self.nullable = nullable

    def copied(self, *, nullable: bool) -> Self:
        """A type like this one, with NULL or without."""
        return type(self)(nullable=nullable)

    def result_processor(self, dialect: Dialect, coltype: object) -> Processor:  # noqa: ARG002 - SQLAlchemy's signature
        """A function that checks what SQLite stores and makes a value of this type of it."""
        kinds, read, nullable = self.kinds, self.read, self.nullable

        def checked(value: Any) -> Any:  # noqa: ANN401 - whatever stands in the column
            if type(value) in kinds:
                return read(value)
            if value is None and nullable:
                return None
            expected = " or ".join(sorted(kind.__name__ for kind in kinds))
            raise sqlite3.DatabaseError(f"a column of {expected} holds {type(value).__name__}")

        return checked

    @staticmethod
    def read(value: Any) -> Any:  # noqa: ANN401 - any value
        """A value of one of the kinds → what the program gets."""
        return value


class WholeNumber(CheckedColumn):
    """An integer of 64 bits."""

    impl = Integer
    cache_ok = True
    kinds = frozenset({int})


class Truth(CheckedColumn):
    """0 or 1."""

    impl = Boolean
    cache_ok = True
    kinds = frozenset({int})

    @staticmethod
    def read(value: int) -> bool:
        """A stored value as bool."""
        return bool(value)


class Bytes(CheckedColumn):
    """Bytes, where SQLAlchemy's own type makes as many zeros of a number as it says."""

    impl = LargeBinary
    cache_ok = True
    kinds = frozenset({bytes})


class PlainText(CheckedColumn):
    """Text that is valid Unicode."""

    cache_ok = True


class Json(CheckedColumn):
    """Plain data as JSON."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002 - SQLAlchemy's signature
        """Plain data → what SQLite stores."""
        return None if value is None else json_text(value)

    @staticmethod
    def read(value: str) -> Any:  # noqa: ANN401 - plain data is of any shape
        """A stored value as plain data."""
        try:
            return data_of_json(value)
        except ValueError as error:
            raise sqlite3.DatabaseError(f"a column of JSON holds none: {error}") from error


class AnyText(CheckedColumn):
    """Text that may hold lone surrogates, as file names of other encodings do.

    SQLite's text is valid Unicode; a text that is not stands as a BLOB of its code points instead.
    """

    cache_ok = True
    kinds = frozenset({str, bytes})

    def process_bind_param(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401, ARG002 - SQLAlchemy's signature
        """Text → what SQLite stores."""
        if value is None or value.isascii():
            return value
        stored = value.encode("utf-8", "surrogatepass")
        return stored if stored.decode("utf-8", "replace") != value else value

    @staticmethod
    def read(value: str | bytes) -> str:
        """A stored value as text."""
        try:
            return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError(f"a text is damaged: {error}") from error


def optional(column: Any) -> ColumnElement[Any]:  # noqa: ANN401 - SQLAlchemy's attributes of a row
    """A column of an outer join, which is NULL where there is no row."""
    return type_coerce(column, column.type.copied(nullable=True))


def check_while_reading(columns: Iterable[Column[Any]]) -> None:
    """Tell the columns' types whether NULL is a value."""
    for column in columns:
        if isinstance(column.type, CheckedColumn):
            column.type = column.type.copied(nullable=bool(column.nullable))
