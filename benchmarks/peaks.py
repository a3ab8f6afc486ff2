"""The memory that a process takes at most, asked of itself.

What the system tells a parent of its children begins with the memory of the parent, and of the largest child so far.
"""

import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_COMMAND = """
import runpy, sys
from benchmarks.peaks import own_peak
try:
    runpy.run_module("audit", run_name="__main__", alter_sys=True)
finally:
    print(own_peak(), file=sys.stderr)
"""


def own_peak() -> int:
    """MB that this process took at most, it or a process that it began; Linux alone says so."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return (
        max(int(status["VmHWM"].split()[0]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        // 1024
    )


def peak_of_command(
    *arguments: str, environment: Mapping[str, str], folder: Path | None = None
) -> int:
    """MB that a command of `audit` takes at most; it must succeed."""
    here = str(Path(__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {here!r})\n{_COMMAND}", *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=dict(environment),
        cwd=folder,
    )
    return int(done.stderr.split()[-1])
