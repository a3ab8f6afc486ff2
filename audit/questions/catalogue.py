"""Every flag, collected from the questions that it belongs to."""

from collections.abc import Mapping

from audit.domain import Evaluation, Flag
from audit.questions import (
    against_baselines,
    comparisons,
    distributions,
    handed_in,
    macro_f1,
    metrics,
    policies,
    published,
    rounding,
    runs,
    slices,
)
from audit.questions.flag_kind import FlagKind

_QUESTIONS = (
    macro_f1,
    metrics,
    slices,
    rounding,
    policies,
    comparisons,
    distributions,
    published,
    runs,
    against_baselines,
    handed_in,
)

FLAG_KINDS: Mapping[str, FlagKind] = {
    kind.slug: kind for module in _QUESTIONS for kind in vars(module).values() if isinstance(kind, FlagKind)
}
"""Every flag, by slug, in the order of the questions."""


def find_flags(evaluation: Evaluation) -> tuple[Flag, ...]:
    """Every flag that an evaluation raises, the most consequential first."""
    flags = (kind(evaluation) for kind in FLAG_KINDS.values())
    return tuple(sorted((flag for flag in flags if flag), key=lambda flag: flag.severity))
