"""A child process: takes its work as a line of JSON, says how far it is, writes a result, and dies with its parent."""

import ctypes
import json
import os
import resource
import signal
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from audit.errors import AuditError, InputError, StoreError, causes_of
from audit.service.child import NO_ROOM, Limits, Work

_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """The parent holds the other end of standard input; when that is gone, so is the parent.

    A thread cannot end a process that is within one long call of a library: on Linux, the system itself does.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def wait() -> None:
        while os.read(0, 1):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def limit_process(limits: Limits) -> None:
    """Limit what this process may take of memory and disk."""
    for kind, most in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.unpacked),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hardest = resource.getrlimit(kind)
        with suppress(ValueError):  # macOS does not limit memory
            resource.setrlimit(
                kind, (most if hardest == resource.RLIM_INFINITY else min(most, hardest), hardest)
            )


def tell(step: str, done: int, total: int) -> None:
    """Tell the parent how far a step is, in a line of JSON."""
    sys.stdout.write(json.dumps({"step": step, "done": done, "total": total}) + "\n")
    sys.stdout.flush()


def outcome_of(work: Work) -> dict[str, Any]:
    """The result of the work, or what went wrong in words."""
    from audit.service.stages import STAGES  # noqa: PLC0415 - after the limits

    try:
        Path(work.place).mkdir(parents=True, exist_ok=True)
        return {"result": STAGES[work.kind](work, tell)}
    except InputError as error:
        return {
            "error": "The files cannot be used as they are.",
            "issues": [cause.data() for cause in causes_of(error.issues)],
        }
    except StoreError as error:
        return {"error": "The campaign's store cannot be used.", "issues": [error.issue.data()]}
    except Exception as error:  # noqa: BLE001 - whatever it is, the job ends with it, and is not tried again
        return {"error": reason_of(error, work.limits)}


def reason_of(error: Exception, limits: Limits) -> str:
    """What went wrong, in words that quote no gold."""
    match error:
        case AuditError():
            return str(error)
        case MemoryError():
            return f"The work needs more than the {limits.memory >> 30:,} GiB of memory that it may use."
        case OSError():
            return f"The service cannot use its disk: {error.strerror or error}. Nothing was lost: repeat it later."
        case _:
            traceback.print_exception(error)  # for whoever runs the service: it may quote gold
            kind = type(error).__name__
            return f"The program itself is at fault ({kind}). Nothing was lost: please report it."


def main() -> None:
    """Do the work of one order."""
    # whoever stops the service ends this by its parent
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    work = Work.of(json.loads(sys.stdin.buffer.readline()))
    _die_with_parent()
    limit_process(work.limits)
    outcome = outcome_of(work)
    path = Path(sys.argv[1])
    beside = path.with_suffix(".part")
    try:
        beside.write_text(json.dumps(outcome, ensure_ascii=True), encoding="utf-8")
        beside.replace(path)
    except OSError:
        sys.exit(NO_ROOM)


if __name__ == "__main__":
    main()
