"""The values that pass between the rooms: frozen, with no behaviour but checks and look-ups."""

from audit.domain.campaign import (
    Campaign,
    Gold,
    JournalEntry,
    Origin,
    Rejection,
    Role,
    SourceFile,
    Submission,
    code_dtype,
)
from audit.domain.evaluation import Agreement, Baseline, Entry, Evaluation
from audit.domain.flag import Flag, Severity
from audit.domain.policy import DEFAULT_POLICIES, POLICY_KINDS, STRICT_POLICIES, ChosenRun, Policies, PolicyKind
from audit.domain.reading import ClassSet, F1Undefined, MacroF1Audit, Missing, Named, Reading, ReadingGroup, Undefined
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
    "DEFAULT_POLICIES",
    "DEFAULT_RESAMPLING",
    "NO_RESAMPLING",
    "OBSERVED",
    "POLICY_KINDS",
    "STRICT_POLICIES",
    "Agreement",
    "Baseline",
    "Campaign",
    "ChosenRun",
    "ClassSet",
    "Comparison",
    "Entry",
    "Evaluation",
    "F1Undefined",
    "Flag",
    "Gold",
    "JournalEntry",
    "LabelSet",
    "MacroF1Audit",
    "Missing",
    "Named",
    "Origin",
    "Policies",
    "PolicyKind",
    "Prevalence",
    "Reading",
    "ReadingGroup",
    "Rejection",
    "Resampling",
    "Role",
    "ScoreKey",
    "Severity",
    "SourceFile",
    "Submission",
    "Task",
    "Uncertainty",
    "Undefined",
    "code_dtype",
]
