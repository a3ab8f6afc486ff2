"""The audit rules: an evaluation in, flags out, and the catalogue of both."""

from audit.domain import Evaluation, Flag
from audit.flags.catalogue import FLAG_KINDS, FlagKind
from audit.flags.rules.verdict_rules import verdict_of

__all__ = ["FLAG_KINDS", "FlagKind", "find_flags", "verdict_of"]


def find_flags(evaluation: Evaluation) -> tuple[Flag, ...]:
    """Every flag that an evaluation raises, the most consequential first."""
    flags = (kind.rule(evaluation) for kind in FLAG_KINDS.values())
    return tuple(sorted((flag for flag in flags if flag), key=lambda flag: flag.severity))
