"""Calls from a notebook: what is wrong with one is said in its own terms."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from audit.errors import AuditError, UsageError
from audit.text import did_you_mean, listed, quoted

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def checked(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """The function, with an error that teaches where an argument does not exist.

    What the program itself raises comes without the lines inside it that raised it: the message is meant for the
    caller, who can do nothing about those.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        try:
            _check(function.__name__, signature, args, named)
            return function(*args, **named)
        except AuditError as error:
            raise error.with_traceback(None) from None

    return call


def _check(name: str, signature: inspect.Signature, args: tuple[object, ...], named: dict[str, object]) -> None:
    parameters = [parameter for parameter in signature.parameters if parameter != "self"]
    for argument in named:
        if argument not in parameters:
            near = did_you_mean(argument, parameters)
            arguments = f"It takes {listed(parameters)}." if parameters else "It takes none."
            raise UsageError(f"{name}() has no argument {quoted(argument)}.{near} {arguments}")
    try:
        signature.bind(*args, **named)
    except TypeError as error:
        raise UsageError(f"{name}(): {error}. It is called as {name}{_shown(signature)}.") from None


def _shown(signature: inspect.Signature) -> str:
    """The arguments of a function, without their types."""
    shown = [
        parameter.name if parameter.default is parameter.empty else f"{parameter.name}=…"
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    return f"({', '.join(shown)})"
