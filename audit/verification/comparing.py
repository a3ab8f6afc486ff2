"""Compare two evaluation documents, value by value."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from audit.text import plural

Place = tuple[str, ...]
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is not what the bundle says.

    Parameters
    ----------
    place : tuple of str
        The place of the value in ``evaluation.json``.
    bundle, here : object
        What the bundle says, and what was computed here; None also where one of them lacks it.
    size : float
        How far apart two numbers are; infinite for what are not two numbers.
    """

    place: Place
    bundle: Any
    here: Any
    size: float


def differences(theirs: object, ours: object, place: Place = ()) -> Iterator[Difference]:
    """Every value that is not the same in both; 1, 1.0 and true are three values.

    Examples
    --------
    >>> [each.place for each in differences({"a": 1, "b": [0.5]}, {"a": True, "b": [0.5]})]
    [('a',)]
    """
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in dict.fromkeys([*theirs, *ours]):
            yield from differences(theirs.get(name, _ABSENT), ours.get(name, _ABSENT), (*place, name))
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, (one, other) in enumerate(zip(theirs, ours, strict=True)):
            yield from differences(one, other, (*place, str(index)))
    elif type(theirs) is not type(ours) or theirs != ours or repr(theirs) != repr(ours):
        both = type(theirs) is type(ours) and _is_number(theirs)
        size = abs(theirs - ours) if both else math.inf  # type: ignore[operator]  # both are numbers
        yield Difference(place, _shown(theirs), _shown(ours), size)


def _shown(value: object) -> Any:  # noqa: ANN401 - a plain value
    """A value as a difference carries it: a list or object by its size."""
    if isinstance(value, (dict, list)):
        return plural(len(value), "value")
    return None if value is _ABSENT else value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_within(difference: Difference, tolerance: float) -> bool:
    """Whether two numbers are as near to each other as the tolerance allows, relative for those beyond 1."""
    return math.isfinite(difference.size) and difference.size <= tolerance * max(1.0, abs(difference.bundle))


def count_numbers(value: object) -> int:
    """How many numbers stand in a document."""
    if isinstance(value, dict):
        return sum(map(count_numbers, value.values()))
    if isinstance(value, list):
        return sum(map(count_numbers, value))
    return int(_is_number(value))
