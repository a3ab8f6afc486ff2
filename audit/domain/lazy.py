"""Lazy values: fields of frozen records, and members of sequences, each computed once when it is first read."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import is_dataclass
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")
_REQUIRED = object()


class LazyField(Generic[Value]):
    """A field that holds a value, or a function of the record, which computes it when it is first read.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Table:
    ...     width: int
    ...     area: LazyField[int] = LazyField()
    >>> Table(3, lambda table: table.width**2) == Table(3, 9)
    True
    """

    def __init__(self, default: Any = _REQUIRED, about: str = "") -> None:  # noqa: ANN401 - a value of any type
        self._default = default
        self.__doc__ = about

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, record: object | None, _: type) -> Value:
        if record is None:
            if self._default is _REQUIRED:
                raise AttributeError(self._name)  # a dataclass then takes the field as required
            return self._default  # type: ignore[no-any-return]
        stored = vars(record).get(self._name, self._default)
        if callable(stored):
            stored = vars(record)[self._name] = stored(record)
        value: Value = stored
        return value

    def __set__(self, record: object, value: Value | Callable[[Any], Value]) -> None:
        vars(record)[self._name] = value


class LazySequence(Sequence[Value]):
    """A sequence whose members are computed in their order, up to the last one that was read.

    >>> def squares():
    ...     for number in (2, 3):
    ...         print("computing", number)
    ...         yield number**2
    >>> numbers = LazySequence(squares())
    >>> numbers[0], numbers[0]
    computing 2
    (4, 4)
    """

    def __init__(self, members: Iterable[Value]) -> None:
        self._remaining = iter(members)
        self._computed = list[Value]()

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - a member, or of a slice several
        if isinstance(place, slice) or place < 0:
            self._computed.extend(self._remaining)
            return tuple(self._computed)[place]
        while place >= len(self._computed):
            try:
                self._computed.append(next(self._remaining))
            except StopIteration:
                raise IndexError(place) from None
        return self._computed[place]

    def __len__(self) -> int:
        return len(self[:])


def materialized(value: Any) -> Any:  # noqa: ANN401 - of any type
    """The same value, with every lazy field and member in it computed."""
    if isinstance(value, LazySequence):
        return tuple(map(materialized, value))
    if isinstance(value, tuple):
        for member in value:
            materialized(member)
    elif is_dataclass(value):
        stored = getattr(value, "__dict__", {})
        attributes = vars(type(value))
        for name in stored:
            is_lazy = isinstance(attributes.get(name), LazyField)
            if is_lazy or isinstance(stored[name], LazySequence):
                stored[name] = materialized(getattr(value, name))
    return value
