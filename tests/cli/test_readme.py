"""The tour of the README, as a new user types it: every command does what its comment says."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.nightly import ALL

from .conftest import FLOOD

pytestmark = pytest.mark.no_cover  # every command of the tour has tests of its own, and tracing doubles the time

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
TOUR = re.search(r"<!-- commands: tour -->\n```sh\n(.*?)\n```", README, re.DOTALL)[1].splitlines()


def test_the_tour_runs_from_top_to_bottom(run, folder, monkeypatch):
    """In one folder, each command after the other, without an error and with something to read."""
    if not ALL:
        monkeypatch.setattr("audit.report.bundle.folder.pdf_bytes", lambda _: b"%PDF-")
    shutil.copytree(FLOOD, folder / "sample_submissions" / "flood-posts")
    assert run("run", "sample_submissions/flood-posts").exit_code == 0
    said = {}
    for line in TOUR:
        program, *arguments = shlex.split(line.partition("  #")[0])
        if program != "audit":
            subprocess.run(["sh", "-c", line], cwd=folder, check=True)
            continue
        result = run(*arguments)
        assert result.exit_code == 0, line
        said[arguments[0]] = result.stdout
    assert all(said.values())
    assert "Plumbline is first" in said["readings"]
    assert "are averaged F1" in said["identify"]
    assert (folder / "flood-posts-paper" / "bundle.zip").is_file()


def test_the_tour_names_every_kind_of_question():
    """Readings, a published table, other class distributions, other rules, the paper, and a second computation."""
    commands = {shlex.split(line)[1] for line in TOUR if line.startswith("audit ")}
    assert commands >= {"show", "readings", "identify", "whatif", "winners", "compare", "export", "verify"}
