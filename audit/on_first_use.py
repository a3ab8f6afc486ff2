"""Packages whose public names are imported on first use: who needs one of them does not wait for the others."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def imported_on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package, which imports a public name when it is first asked for.

    >>> imported_on_first_use("a_package", {"decimal_text": "audit.text"})("decimal_text")(0.5)
    '0.5'
    """

    def from_its_home(name: str) -> Any:  # noqa: ANN401 - an attribute of a module is of any type
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return from_its_home
