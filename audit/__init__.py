"""Audits the leaderboard of a classification shared task.

The Python door:

>>> import audit
>>> evaluation = audit.evaluate(["a", "b", "b"], {"X": ["a", "b", "a"], "Y": ["b", "b", "b"]})
>>> evaluation.scores.loc["X", "accuracy"].round(3)
np.float64(0.667)
"""

from typing import TYPE_CHECKING

from audit.on_first_use import imported_on_first_use
from audit.version import __version__

if TYPE_CHECKING:
    from audit.domain import Evaluation, Flag, ScoreKey
    from audit.errors import AuditError, InputError, MetricNameError, StoreError, UsageError
    from audit.notebook import diff, evaluate, score
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
    "score",
    "write_report",
]

_HOME = {
    "Evaluation": "audit.domain",
    "Flag": "audit.domain",
    "ScoreKey": "audit.domain",
    "AuditError": "audit.errors",
    "InputError": "audit.errors",
    "MetricNameError": "audit.errors",
    "StoreError": "audit.errors",
    "UsageError": "audit.errors",
    "diff": "audit.notebook",
    "evaluate": "audit.notebook",
    "score": "audit.notebook",
    "write_report": "audit.workflow",
}


def __dir__() -> list[str]:
    """The public names, before they are imported too: what a notebook completes."""
    return __all__


__getattr__ = imported_on_first_use(__name__, _HOME)
