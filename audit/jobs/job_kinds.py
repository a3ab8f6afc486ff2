"""What workers are asked to do, and what a child process is told of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from audit.hosting.file_revisions import READ

__all__ = ["ANONYMISE", "ASK", "DIFFER", "EVALUATE", "EXPORT", "READ", "UNPACKED_VARIABLE", "Limits", "Work"]

EVALUATE = "evaluate"
"""Evaluate a revision, and make a release of it."""
ANONYMISE = "anonymise"
"""Write the reports of a release with numbers for teams."""
EXPORT = "export"
"""Write what papers and programs take of a release."""
DIFFER = "differ"
"""Say what changed since an earlier release, and what became of it."""
ASK = "ask"
"""Ask a release a question, as a command of the command line does."""


UNPACKED_VARIABLE = "AUDIT_MOST_BYTES"
"""The environment variable that tells a child, and the processes that read for it, how much may be unpacked."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a child process."""

    memory: int = 8 << 30
    """Bytes of memory that it may ask for."""
    unpacked: int = 8 << 30
    """Bytes that an archive may unpack to, and that one file may have."""


@dataclass(frozen=True, slots=True)
class Work:
    """The order to a child process: plain values, written as JSON."""

    kind: str
    """The kind of work."""
    slug: str
    """The name of the campaign's folder, from which its tasks have their names where nothing states them."""
    content: str
    """The folder of the files by their digests."""
    place: str
    """A new folder, in which everything is written that is kept."""
    arguments: Mapping[str, Any]
    """The arguments of the job."""
    limits: Limits
    """The limits of the child process."""

    def data(self) -> dict[str, Any]:
        """The order as plain data for JSON."""
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """The order read from plain data."""
        return cls(**{**data, "limits": Limits(**data["limits"])})
