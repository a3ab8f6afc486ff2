"""The values that pass between the rooms: frozen, with no behaviour but checks and look-ups."""

from audit.domain.campaign import Campaign, Gold, Rejection, SourceFile, Submission, code_dtype
from audit.domain.evaluation import Agreement, Entry, Evaluation
from audit.domain.flag import Flag, Severity
from audit.domain.task import BALANCED, OBSERVED, LabelSet, Prevalence, ScoreKey, Task

__all__ = [
    "BALANCED",
    "OBSERVED",
    "Agreement",
    "Campaign",
    "Entry",
    "Evaluation",
    "Flag",
    "Gold",
    "LabelSet",
    "Prevalence",
    "Rejection",
    "ScoreKey",
    "Severity",
    "SourceFile",
    "Submission",
    "Task",
    "code_dtype",
]
