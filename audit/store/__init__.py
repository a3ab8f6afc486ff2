"""The store: campaigns and their evaluations in one SQLite file."""

from typing import TYPE_CHECKING

from audit.on_first_use import imported_on_first_use

if TYPE_CHECKING:
    from audit.store.history import Change, EvaluationEvent, LoadEvent
    from audit.store.repository import Store, open_store
    from audit.store.summaries import LoadSummary, SubmissionSummary, TaskSummary

__all__ = [
    "Change",
    "EvaluationEvent",
    "LoadEvent",
    "LoadSummary",
    "Store",
    "SubmissionSummary",
    "TaskSummary",
    "open_store",
]

_HOME = {
    "Change": "audit.store.history",
    "EvaluationEvent": "audit.store.history",
    "LoadEvent": "audit.store.history",
    "LoadSummary": "audit.store.summaries",
    "Store": "audit.store.repository",
    "SubmissionSummary": "audit.store.summaries",
    "TaskSummary": "audit.store.summaries",
    "open_store": "audit.store.repository",
}

__getattr__ = imported_on_first_use(__name__, _HOME)
