"""The values that pass between the rooms: frozen, with no behaviour but checks and look-ups."""

from audit.domain.campaign import Campaign, Gold, Rejection, SourceFile, Submission, code_dtype
from audit.domain.evaluation import Agreement, Entry, Evaluation
from audit.domain.flag import Flag, Severity
from audit.domain.task import (
    BALANCED,
    DEFAULT_RESAMPLING,
    NO_RESAMPLING,
    OBSERVED,
    LabelSet,
    Prevalence,
    Resampling,
    ScoreKey,
    Task,
)
from audit.domain.uncertainty import Comparison, Uncertainty

__all__ = [
    "BALANCED",
    "DEFAULT_RESAMPLING",
    "NO_RESAMPLING",
    "OBSERVED",
    "Agreement",
    "Campaign",
    "Comparison",
    "Entry",
    "Evaluation",
    "Flag",
    "Gold",
    "LabelSet",
    "Prevalence",
    "Rejection",
    "Resampling",
    "ScoreKey",
    "Severity",
    "SourceFile",
    "Submission",
    "Task",
    "Uncertainty",
    "code_dtype",
]
