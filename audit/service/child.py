"""What a child process is told, and its parent's side: begun with limits, asked how far it is, ended with all of it."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Self

STORE = "audit.db"  # the store of a release
UNPACKED_VARIABLE = "AUDIT_MOST_BYTES"
"""The environment variable that tells a child, and the processes that read for it, how much may be unpacked."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of what may be received and unpacked, and of a child process."""

    memory: int = 8 << 30  # bytes of memory that a child process may ask for
    unpacked: int = 8 << 30  # bytes that an archive may unpack to, and that one file may have
    packed: int = 2 << 30  # bytes of one upload
    of_campaign: int = 20 << 30  # bytes of all uploads of a campaign together


@dataclass(frozen=True, slots=True)
class Work:
    """The order to a child process: plain values, written as JSON."""

    kind: str  # the kind of work
    slug: str
    """The name of the campaign's folder, from which its tasks have their names where nothing states them."""
    content: str  # the folder of the files by their digests
    place: str  # a new folder, in which everything is written that is kept
    arguments: Mapping[str, Any]  # the arguments of the job
    limits: Limits  # the limits of the child process

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """The order read from plain data."""
        return cls(**{**data, "limits": Limits(**data["limits"])})


RESULT = "result.json"
ERRORS = "errors.txt"
_LONGEST_LINE = 4096
_SHOWN = 2000
_PATIENCE = 5.0  # seconds for what a process that has ended left in its pipe
NO_ROOM = os.EX_IOERR  # how a child ends that could not write its result
_FROM_OUTSIDE = frozenset({-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT})


@dataclass(frozen=True, slots=True)
class ChildProgress:
    """The progress of a child process."""

    step: str | None = None  # the step that is under way
    done: int = 0  # pieces of the step that are done
    total: int = 0  # pieces of the step


class ChildProcess:
    """A process of its own that does one piece of work.

    It ends when its parent does: what it reads from the parent then ends.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", scratch: Path) -> None:
        self._process, self._scratch = process, scratch
        self.progress = ChildProgress()
        assert process.stdout is not None  # noqa: S101 - it was asked for
        self._reader = threading.Thread(target=self._follow, args=(process.stdout,), daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The number by which the system knows the process."""
        return self._process.pid

    @classmethod
    def start(cls, work: Work, scratch: Path) -> Self:
        """Start it; the scratch folder is there, and its own."""
        with (scratch / ERRORS).open("wb") as errors:
            process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", "-m", "audit.service.child_program", str(scratch / RESULT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                env=_environment(work),
            )
        assert process.stdin is not None  # noqa: S101 - it was asked for
        with suppress(BrokenPipeError):  # it ended at once: waiting says so
            process.stdin.write(json.dumps(asdict(work)).encode() + b"\n")
            process.stdin.flush()
        return cls(process, scratch)

    def _follow(self, lines: IO[bytes]) -> None:
        while line := lines.readline(_LONGEST_LINE):
            with suppress(ValueError, TypeError, KeyError):
                message = json.loads(line)
                self.progress = ChildProgress(
                    str(message["step"]), int(message["done"]), int(message["total"])
                )

    def wait(self, seconds: float) -> bool:
        """Wait for its end, at most so long; whether it has ended."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """End it and all that it started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def result(self) -> Mapping[str, Any] | None:
        """The result that the process wrote; None where it ended without one."""
        self.kill()  # what it may have started
        self._reader.join(_PATIENCE)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        try:
            outcome = json.loads((self._scratch / RESULT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if isinstance(outcome, dict):
            return outcome
        return None

    @property
    def was_killed(self) -> bool:
        """Whether something outside ended it, as a machine does that is short of memory."""
        return self._process.returncode in _FROM_OUTSIDE

    @property
    def had_no_room(self) -> bool:
        """Whether the process could not write its result."""
        return self._process.returncode == NO_ROOM

    def last_words(self) -> str:
        """The end of what it wrote to its error stream: for whoever runs the service, never for users."""
        with suppress(OSError):
            return (self._scratch / ERRORS).read_text(encoding="utf-8", errors="replace")[-_SHOWN:]
        return ""


def _environment(work: Work) -> dict[str, str]:
    """The environment without the database's password: a child reads files of strangers, and needs no database."""
    ours = {
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        UNPACKED_VARIABLE: str(work.limits.unpacked),
    }
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("AUDIT_", "PG"))
    } | ours
