"""The store: campaigns and their evaluations in one SQLite file."""

from audit.store.repository import Store, open_store
from audit.store.summaries import LoadSummary, SubmissionSummary, TaskSummary

__all__ = ["LoadSummary", "Store", "SubmissionSummary", "TaskSummary", "open_store"]
