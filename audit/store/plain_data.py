"""Frozen values of the domain ⇄ plain data ⇄ JSON, as a column has it."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from itertools import repeat
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from audit.domain import Options, options_from

Plain = TypeVar("Plain")


def plain(value: object) -> Any:  # noqa: ANN401 - plain data is of any shape
    """A value as plain data: a record as a dict of the fields by which it is compared, an undefined number as None.

    Examples
    --------
    >>> plain((Options(seed=7), math.nan))
    [{'replicates': 0, 'seed': 7, 'certainty': True, 'compare': []}, None]
    """
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value) if each.compare}
    if isinstance(value, (tuple, list)):
        return list(map(plain, value))
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


def value_of(kind: Any, data: Any) -> Any:  # noqa: ANN401 - a type, and plain data for it
    """The value of a type that plain data stand for.

    Parameters
    ----------
    kind : type
        A record, a tuple, text, a number, or one of these or None. A field that the data lack has its default.
    data : object
        What `plain` made of the value, or what has taken its place.

    Raises
    ------
    ValueError, UsageError
        Where the data are of another type, or the value refuses them.

    Examples
    --------
    >>> value_of(tuple[int, ...], [3, 14])
    (3, 14)
    >>> value_of(tuple[str | None, float], [None, None])
    (None, nan)
    """
    if is_dataclass(kind):
        return _record_of(kind, data)
    parts = get_args(kind)
    if get_origin(kind) is tuple:
        kinds = repeat(parts[0], len(of_type(list, data))) if parts[-1] is Ellipsis else parts
        return tuple(value_of(*each) for each in zip(kinds, of_type(list, data), strict=True))
    if parts:
        return None if data is None else value_of(parts[0], data)
    if kind is float and (data is None or type(data) is int):
        data = math.nan if data is None else float(data)
    return of_type(kind, data)


def _record_of(kind: Any, data: Any) -> Any:  # noqa: ANN401 - a dataclass, and plain data for it
    parts = _parts_of(kind)
    required = {name for name, (field, _) in parts.items() if field.default is MISSING is field.default_factory}
    if not required <= of_type(dict, data).keys() <= parts.keys():
        raise ValueError(f"not the fields of {kind.__name__}")
    return kind(**{name: value_of(parts[name][1], part) for name, part in data.items()})


@cache
def _parts_of(kind: Any) -> Mapping[str, tuple[Field[Any], Any]]:  # noqa: ANN401 - a dataclass
    """The fields of a record that are stored, each with its type."""
    kinds = get_type_hints(kind)
    return {each.name: (each, kinds[each.name]) for each in fields(kind) if each.compare}


def of_type(kind: type[Plain], data: object) -> Plain:
    """The data, which are of this very type.

    Raises
    ------
    ValueError
        When they are not.
    """
    if type(data) is not kind:
        raise ValueError(f"{type(data).__name__} in place of {kind.__name__}")
    return data


def options_of(data: Any) -> Options:  # noqa: ANN401 - plain data
    """The options that plain data say, each by itself, as no fingerprint covers them.

    Raises
    ------
    ValueError, UsageError
        When they are none.
    """
    try:
        return options_from(data)
    except (KeyError, TypeError) as error:
        raise ValueError("no options") from error


def json_text(data: object) -> str:
    r"""Plain data as JSON, without blanks; lone surrogates, which SQLite's text cannot hold, as escapes.

    Examples
    --------
    >>> json_text({"team": "é\udce9"})
    '{"team":"é\\udce9"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def data_of_json(text: str) -> Any:  # noqa: ANN401 - plain data is of any shape
    r"""The plain data of JSON that `json_text` wrote.

    Two lone surrogates may stand beside each other, of which Python would make one character.

    Raises
    ------
    ValueError
        Where the text is no JSON, or too deep.

    Examples
    --------
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
