"""The values that pass between the rooms: frozen, with no behaviour but checks and look-ups."""

from audit.domain.campaign import MOST_SLICES, Campaign, Gold, JournalEntry, Rejection, SliceColumn, code_dtype
from audit.domain.cells import Cells
from audit.domain.certainty import (
    FAMILY_WISE_ERROR,
    MARKS,
    ONE_PAIR,
    POWER,
    CarriedBy,
    Certainty,
    Comparison,
    Intervals,
    LabelNoise,
    Mark,
    NeededItems,
    PairComparison,
    Plan,
    Power,
    Resampled,
    State,
    WinnerChange,
    detectable,
)
from audit.domain.evaluation import Agreement, Analyses, Evaluation, Given, UncountedRun
from audit.domain.findings import (
    MOST_PAIRED,
    Addition,
    Baseline,
    Demonstration,
    Flag,
    Outcome,
    Pairs,
    Severity,
    Shift,
    WinnerMap,
    Witness,
)
from audit.domain.options import NOTHING_STATED, Options, StatedOptions, options_from
from audit.domain.published import (
    Identification,
    IdentifiedColumn,
    IdentifiedRanks,
    Match,
    Miss,
    Order,
    PrintedScore,
    Published,
    PublishedColumn,
)
from audit.domain.reading import (
    Answers,
    ClassSet,
    F1Undefined,
    MacroF1Audit,
    Missing,
    Named,
    Reading,
    ReadingGroup,
    Undefined,
)
from audit.domain.submitted_runs import (
    CodeRows,
    CodesFile,
    Entry,
    ItemScores,
    Origin,
    Role,
    SourceFile,
    Submission,
    can_be_data,
    temporary_file,
)
from audit.domain.task import (
    BALANCED,
    DEFAULT_POLICIES,
    OBSERVED,
    OVERALL_RULES,
    POLICY_KINDS,
    SHARE,
    STRICT_POLICIES,
    ChosenRun,
    LabelSet,
    Policies,
    PolicyKind,
    Prevalence,
    Scale,
    ScoreKey,
    Task,
)
from audit.domain.verdict import Claim, Dependence, Slice, Sliced, ToDo, Verdict, find_slice
