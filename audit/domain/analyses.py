"""What makes the analyses of an evaluation: functions that are registered by the names of its attributes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from audit.domain.kinds import NO_NEEDS, Kind, Needs

Function = TypeVar("Function", bound=Callable[..., Any])

_DECIDING = "audit.findings.analyses"
"""The module that registers what findings add. It stands above the engine, which therefore finds it by its name."""


@dataclass(frozen=True)
class AnalysisMaker:
    """A function that makes an analysis of an evaluation, and what it takes beside it."""

    name: str  # the attribute of the evaluation
    make: Callable[..., Any]
    takes: tuple[str, ...]  # its keyword arguments
    needs: Needs  # what a task must have

    def is_possible(self, kind: Kind, inputs: Mapping[str, object]) -> bool:
        """Whether a kind of task has the analysis, and all that it takes is at hand."""
        return kind.supports(*self.needs) and inputs.keys() >= set(self.takes)


_MAKERS: dict[str, AnalysisMaker] = {}


def analysis(
    name: str, *, takes: tuple[str, ...] = (), needs: Needs = NO_NEEDS
) -> Callable[[Function], Function]:
    """Register a function as what makes an analysis.

    Parameters
    ----------
    name : str
        The attribute of the evaluation, which declares its type and what it is where nothing makes it.
    takes : tuple of str
        The keyword arguments that the function has beside the evaluation, such as ``predictions``.
    needs : frozenset of Feature
        What a task must have.
    """

    def registered(make: Function) -> Function:
        _MAKERS[name] = AnalysisMaker(name, make, takes, needs)
        return make

    return registered


def makers_of(kind: Kind, inputs: Mapping[str, object]) -> dict[str, Callable[..., Any]]:
    """What makes each analysis that a task of some kind can have with these inputs, by name.

    An analysis that is not among them is what its attribute has by default.
    """
    import_module(_DECIDING)
    possible = [maker for maker in _MAKERS.values() if maker.is_possible(kind, inputs)]
    return {
        maker.name: partial(maker.make, **{name: inputs[name] for name in maker.takes})
        for maker in possible
    }
