"""Columns: frozen values of the domain as plain data, texts of any kind, and what SQLite may hold in each."""

import json
import math
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from sqlalchemy import Boolean, Column, Dialect, Integer, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

from audit.domain import Options, options_from

Plain = TypeVar("Plain")


_INFINITE = ("inf", "-inf")


def plain(value: object) -> Any:  # noqa: ANN401 - plain data is of any shape
    """A value as plain data: a record as a dict of the fields by which it is compared, an undefined number as None.

    An infinite number is a text, as JSON has none.

    >>> plain((Options(seed=7), math.nan))
    [{'seed': 7, 'certainty': True, 'compare': []}, None]
    """
    if is_dataclass(value):
        return {
            each.name: plain(getattr(value, each.name)) for each in fields(value) if each.compare
        }
    if isinstance(value, (tuple, list)):
        return list(map(plain, value))
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


def value_of(kind: Any, data: Any) -> Any:  # noqa: ANN401 - a type, and plain data for it
    """The value of a type that plain data stand for.

    >>> value_of(tuple[int, ...], [3, 14])
    (3, 14)
    >>> value_of(tuple[str | None, float], [None, None])
    (None, nan)
    """
    if is_dataclass(kind):
        return _record_of(kind, data)
    parts = get_args(kind)
    if get_origin(kind) is tuple:
        members = of_type(list, data)
        kinds = parts
        if parts[-1] is Ellipsis:
            kinds = (parts[0],) * len(members)
        return tuple(value_of(*each) for each in zip(kinds, members, strict=True))
    if parts:
        if data is None:
            return None
        return value_of(parts[0], data)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(of_type(str, data))
    if kind is float and data is None:
        data = math.nan
    elif kind is float and (type(data) is int or data in _INFINITE):
        data = float(data)
    return of_type(kind, data)


def _record_of(kind: Any, data: Any) -> Any:  # noqa: ANN401 - a dataclass, and plain data for it
    parts = _parts_of(kind)
    required = set()
    for name, (field, _) in parts.items():
        if field.default is MISSING and field.default_factory is MISSING:
            required.add(name)
    if not required <= of_type(dict, data).keys() <= parts.keys():
        raise ValueError(f"not the fields of {kind.__name__}")
    values = {}
    for name, part in data.items():
        _, kind_of_field = parts[name]
        values[name] = value_of(kind_of_field, part)
    return kind(**values)


@cache
def _parts_of(kind: Any) -> Mapping[str, tuple[Field[Any], Any]]:  # noqa: ANN401 - a dataclass
    """The fields of a record that are stored, each with its type."""
    kinds = get_type_hints(kind)
    return {each.name: (each, kinds[each.name]) for each in fields(kind) if each.compare}


def of_type(kind: type[Plain], data: object) -> Plain:
    """The data, which are of this very type."""
    if type(data) is not kind:
        raise ValueError(f"{type(data).__name__} in place of {kind.__name__}")
    return data


def options_of(data: Any) -> Options:  # noqa: ANN401 - plain data
    """The options that plain data say, each by itself, as no fingerprint covers them."""
    try:
        return options_from(data)
    except (KeyError, TypeError) as error:
        raise ValueError("no options") from error


def json_text(data: object) -> str:
    r"""Plain data as JSON, without blanks; lone surrogates, which SQLite's text cannot hold, as escapes.

    >>> json_text({"team": "é\udce9"})
    '{"team":"é\\udce9"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def data_of_json(text: str) -> Any:  # noqa: ANN401 - plain data is of any shape
    r"""The plain data of JSON that `json_text` wrote.

    Two lone surrogates may stand beside each other, of which Python would make one character.

    >>> data_of_json(json_text("\ud83d\ude00")) == "\ud83d\ude00"
    True
    """
    if r"\ud" in text:
        text = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)) if escape[1] else escape[0], text)
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("JSON that is too deep") from error


_ESCAPE = re.compile(r"\\(?:u(d[89a-f][0-9a-f]{2})|.)", re.DOTALL)
"""An escape of JSON, and which lone surrogate it stands for, if any."""


class Json(TypeDecorator[Any]):
    """Plain data as JSON."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002 - SQLAlchemy's signature
        """Plain data → what SQLite stores."""
        if value is None:
            return None
        return json_text(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401, ARG002 - SQLAlchemy's signature
        """A stored value as plain data."""
        try:
            if value is None:
                return None
            return data_of_json(value)
        except ValueError as error:
            raise sqlite3.DatabaseError(f"a column of JSON holds none: {error}") from error


class PlainText(TypeDecorator[str]):
    """Text. What another page in the place of an index gives is told as damage."""

    impl = Text
    cache_ok = True

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """A stored value as text."""
        if value is not None and type(value) is not str:
            raise sqlite3.DatabaseError(f"{type(value).__name__} in place of text")
        return value


class AnyText(PlainText):
    """Text that may hold lone surrogates, as file names of other encodings do.

    SQLite's text is valid Unicode; a text that is not stands as a BLOB of its code points instead.
    """

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401, ARG002 - SQLAlchemy's signature
        """Text → what SQLite stores."""
        if value is None or value.isascii():
            return value
        stored = value.encode("utf-8", "surrogatepass")
        if stored.decode("utf-8", "replace") != value:
            return stored
        return value

    def process_result_value(self, value: str | bytes | None, dialect: Dialect) -> str | None:
        """A stored value as text."""
        try:
            text = value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError(f"a text is damaged: {error}") from error
        return super().process_result_value(text, dialect)


_STORED = (
    (AnyText, ("text", "blob")),
    (Json | PlainText, ("text",)),
    (Integer | Boolean, ("integer",)),
    (LargeBinary, ("blob",)),
)


def stored_types(column: Column[Any]) -> tuple[str, ...]:
    """What SQLite's ``typeof`` says of the values that a column may hold.

    >>> stored_types(Column("team", AnyText, nullable=True)), stored_types(Column("size", Integer, nullable=False))
    (('text', 'blob', 'null'), ('integer',))
    """
    stored = next(names for kind, names in _STORED if isinstance(column.type, kind))
    if column.nullable:
        return (*stored, "null")
    return stored
