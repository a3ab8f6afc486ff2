"""What a finding is: the rule that looks for it, when it fires, and where its evidence stands."""

from collections.abc import Callable
from dataclasses import dataclass

from audit.domain import Evaluation, Flag, Severity


@dataclass(frozen=True)
class FlagKind:
    """One audit rule."""

    slug: str
    """The public name."""
    title: str
    """What it finds, in a few words."""
    severity: Severity
    """The most it can change; a flag that fires may be less severe."""
    evidence: str
    """The anchor in the report where the rows behind it stand."""
    explanation: str
    """When it fires, exactly, and why that matters."""
    rule: Callable[[Evaluation], Flag | None]
    """Evaluation → the flag, or None where it stays silent."""
