"""Audits leaderboards of any shared task, in most detail for classification.

The Python door:

>>> import audit
>>> evaluation = audit.evaluate(["a", "b", "b"], {"X": ["a", "b", "a"], "Y": ["b", "b", "b"]})
>>> evaluation.scores.loc["X", "accuracy"].round(3)
np.float64(0.667)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from audit.errors import AuditError, InputError, MetricNameError, StoreError, UsageError
from audit.version import __version__

if TYPE_CHECKING:
    from audit.domain import Evaluation, Flag, ScoreKey
    from audit.notebook import (
        diff,
        evaluate,
        evaluate_ratings,
        evaluate_scores,
        load,
        read_scores,
        score,
    )
    from audit.workflow import write_report

__all__ = [
    "AuditError",
    "Evaluation",
    "Flag",
    "InputError",
    "MetricNameError",
    "ScoreKey",
    "StoreError",
    "UsageError",
    "__version__",
    "diff",
    "evaluate",
    "evaluate_ratings",
    "evaluate_scores",
    "load",
    "read_scores",
    "score",
    "write_report",
]

_LATER = {
    "audit.domain": ("Evaluation", "Flag", "ScoreKey"),
    "audit.notebook": (
        "diff",
        "evaluate",
        "evaluate_ratings",
        "evaluate_scores",
        "load",
        "read_scores",
        "score",
    ),
    "audit.workflow": ("write_report",),
}


def __dir__() -> list[str]:
    """The public names, before they are imported too: what a notebook completes."""
    return __all__


def __getattr__(name: str) -> Any:  # noqa: ANN401 - an attribute of a module is of any type
    """A public name that is imported when it is first asked for: who needs one does not wait for the others."""
    for home, names in _LATER.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
