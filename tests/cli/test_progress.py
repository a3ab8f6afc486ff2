"""The bar of a long command: on a terminal alone, through every step in its order."""

import os
import pty
import subprocess
import sys

from audit import workflow
from audit.cli.output import progress_bar

from .conftest import FLOOD


def test_a_run_goes_through_every_step(tmp_path):
    """Each from its first piece to its last."""
    told = []

    def tell(step, done, total):
        told.append((step, done, total))

    (loaded,) = workflow.load(FLOOD, tmp_path / "audit.db", on_step=tell)
    evaluation = workflow.evaluate_task(loaded.task.slug, tmp_path / "audit.db", on_step=tell)
    workflow.write_report(evaluation, tmp_path / "report.html", on_step=tell)
    steps = list(dict.fromkeys(step for step, *_ in told))
    # a campaign of one block is scored at once
    assert steps == ["reading", "comparing", "drawing", "writing"]
    for step in steps:
        counts = [(done, total) for name, done, total in told if name == step]
        assert counts == [(done, len(counts)) for done in range(1, len(counts) + 1)]


def test_no_bar_is_drawn_where_nobody_looks():
    """Standard error of a test is no terminal."""
    with progress_bar() as on_step:
        assert on_step is None


def test_a_terminal_sees_the_steps(tmp_path, campaign):
    """By their names; the bar is gone when the command ends."""
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "audit",
        "run",
        str(campaign()),
        "--store",
        "audit.db",
        "-o",
        "report.html",
    ]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    assert process.communicate()[0]
    assert process.returncode == 0
    assert b"Drawing" in seen
    assert not any(
        step in seen.split(b"\x1b[2K")[-1] for step in (b"Starting", b"Drawing", b"Writing")
    )
