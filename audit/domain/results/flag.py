"""A flag: one finding of the audit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Any


class Severity(IntEnum):
    """The severity of a finding by what it changes, most consequential first."""

    WINNER = 1
    ORDER = 2
    NOTE = 3

    @property
    def label(self) -> str:
        """The severity in words."""
        return {1: "changes the winner", 2: "changes the order", 3: "note"}[self.value]


@dataclass(frozen=True)
class Flag:
    """One finding of the audit."""

    slug: str
    """The rule that fired, as ``audit flags`` lists it."""
    severity: Severity
    """What the finding changes."""
    sentence: str
    """The finding in one sentence, with its numbers."""
    remedy: str
    """What the organiser can do about it."""
    paper: str
    """A sentence for the paper."""
    evidence: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """The finding as plain data: strings, numbers, lists and mappings of them."""
