"""The store: campaigns and their evaluations in one SQLite file."""

from audit.store.history import Change, EvaluationEvent, LoadEvent, SubmissionSummary, TaskSummary
from audit.store.repository import Store, open_store
from audit.store.saving import LoadSummary
