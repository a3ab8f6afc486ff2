"""Compare two evaluations of one task: what was changed, what became of it, and the words for an erratum."""

from audit.questions.revision.comparing_evaluations import difference_of
from audit.questions.revision.difference import (
    BoardRow,
    Conclusion,
    Difference,
    FindingChange,
    GoldChange,
    Relabelling,
    SettingChange,
    Standing,
    SubmissionChange,
    SubmissionFate,
)

__all__ = [
    "BoardRow",
    "Conclusion",
    "Difference",
    "FindingChange",
    "GoldChange",
    "Relabelling",
    "SettingChange",
    "Standing",
    "SubmissionChange",
    "SubmissionFate",
    "difference_of",
]
