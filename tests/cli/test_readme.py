"""The README’s first command and the tour, as a new user types them: each prints what the page shows of it."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

from tests.nightly import ALL

from .conftest import FLOOD

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
OUTPUT = re.search(r"<!-- output: run -->\n```text\n(.*?)\n```", README, re.DOTALL)[1]
PAGE = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```sh\n(.*?)\n```(?:\n\n```text\n(.*?)\n```)?", PAGE, re.DOTALL)
"""Each block of commands of the tour's page, and what it shows below."""


def is_shown(excerpt, printed):
    """Whether an excerpt is what was printed: “…” stands for whatever is left out, blanks do not count."""
    parts = [re.escape(" ".join(part.split())) for part in excerpt.split("…")]
    return re.search(".*?".join(parts), " ".join(printed.split())) is not None


def test_the_tour_runs_from_top_to_bottom(run, folder, monkeypatch):
    """In one folder, each command after the other, without an error, and with what its page shows of it."""
    if not ALL:
        monkeypatch.setattr("audit.writers.bundle.folder.pdf_bytes", lambda _: b"%PDF-")
    shutil.copytree(FLOOD, folder / "sample_submissions" / "flood-posts")
    pier = ROOT / "sample_submissions" / "pier-notices"
    shutil.copytree(pier, folder / "sample_submissions" / "pier-notices")
    said = {}
    for lines, excerpt in SHOWN:
        for line in lines.splitlines():
            program, *arguments = shlex.split(line)
            if program != "audit":
                subprocess.run(["sh", "-c", line], cwd=folder, check=True)
                continue
            result = run(*arguments)
            assert result.exit_code == 0, line
            said[arguments[0]] = result.stdout
        assert is_shown(excerpt, said[arguments[0]].replace("─", "")), lines
    assert all(said.values())
    assert "Plumbline ranks first" in said["readings"]
    assert "are macro-averaged F1" in said["identify"]
    assert (folder / "flood-posts-paper" / "bundle.zip").is_file()


def test_the_readme_shows_what_its_first_command_prints(run, folder):
    """Line by line, and fewer than the command prints."""
    shutil.copytree(FLOOD, folder / "sample_submissions" / "flood-posts")
    result = run("run", "sample_submissions/flood-posts")
    assert is_shown(OUTPUT, result.stdout)
    assert len(OUTPUT.splitlines()) < len(result.stdout.splitlines())


def test_the_tour_begins_with_the_command_of_the_readme():
    """And shows something of what each block prints."""
    first = SHOWN[0][0]
    assert f"/audit {first.removeprefix('audit ')}\n" in README
    assert all(excerpt for _, excerpt in SHOWN)


def test_the_tour_names_every_kind_of_question():
    """Readings, a published table, other class distributions, other rules, the paper, and a second computation."""
    lines = [line for commands, _ in SHOWN for line in commands.splitlines()]
    commands = {shlex.split(line)[1] for line in lines if line.startswith("audit ")}
    assert commands >= {
        "show",
        "readings",
        "identify",
        "whatif",
        "winners",
        "compare",
        "export",
        "verify",
    }
