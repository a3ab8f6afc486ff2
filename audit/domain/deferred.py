"""Values that are made when somebody asks for them: fields of frozen dataclasses, and members of a sequence."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import is_dataclass
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")
_REQUIRED = object()


class Deferred(Generic[Value]):
    """A field of a dataclass that may be given as a function, which makes it once when it is first asked for.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Table:
    ...     rows: Deferred[int] = Deferred()
    >>> Table(lambda: 3) == Table(3)
    True
    """

    def __init__(self, default: Any = _REQUIRED) -> None:  # noqa: ANN401 - a value of any type
        self._default = default

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, record: object | None, _: type) -> Value:
        if record is None:
            if self._default is _REQUIRED:
                raise AttributeError(self._name)  # so that the field has no default
            value: Value = self._default
            return value
        value = vars(record)[self._name]
        if callable(value):
            value = vars(record)[self._name] = value()
        return value

    def __set__(self, record: object, value: Value | Callable[[], Value]) -> None:
        vars(record)[self._name] = value


class InTurn(Sequence[Value]):
    """A sequence whose members are made one after the other, as far as somebody asks.

    >>> def squares():
    ...     for number in (2, 3):
    ...         print("making", number)
    ...         yield number**2
    >>> numbers = InTurn(squares())
    >>> numbers[0], numbers[0]
    making 2
    (4, 4)
    """

    def __init__(self, members: Iterable[Value]) -> None:
        self._further, self._made = iter(members), list[Value]()

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - a member, or of a slice several
        if isinstance(place, slice) or place < 0:
            self._made.extend(self._further)
            return tuple(self._made)[place]
        while place >= len(self._made):
            try:
                self._made.append(next(self._further))
            except StopIteration:
                raise IndexError(place) from None
        return self._made[place]

    def __len__(self) -> int:
        return len(self[:])


def settled(value: Any) -> Any:  # noqa: ANN401 - of any type
    """The same value with everything made that is deferred in it."""
    if isinstance(value, InTurn):
        return tuple(map(settled, value))
    if isinstance(value, tuple):
        for member in value:
            settled(member)
    elif is_dataclass(value):
        kept = getattr(value, "__dict__", {})
        fields_of = vars(type(value))
        for name in kept:
            if isinstance(fields_of.get(name), Deferred) or isinstance(kept[name], InTurn):
                kept[name] = settled(getattr(value, name))
    return value
