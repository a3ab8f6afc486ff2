"""Data on standard output, messages on standard error, and nothing in either that a terminal would obey."""

import json
import os
import pty
import subprocess
import sys
import unicodedata

import pytest

from tests.nightly import by_day

HOSTILE_NAMES = (
    "<script>alert(1)<_script>",
    "\u202eevil",
    "al\u200dice",
    "one\u2028two",
    "a\x1b[31mred",
    "=1+1",
    "%s%n",
    "{{ 7*7 }}",
    "x" * 200,
    "😀",
)
HOSTILE_LABELS = ("no\u202e", "\x1b[31myes", "</style><script>alert(1)</script>")


def controls(text):
    """What a terminal would obey: control, direction and invisible characters, line feeds aside."""
    wanted = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return {hex(ord(sign)) for sign in text if unicodedata.category(sign) in wanted} - {"0xa"}


@pytest.fixture
def hostile(campaign):
    """A campaign on disk whose file names, labels, ids, title and settings are hostile."""
    labels = [HOSTILE_LABELS[i % 3] for i in range(60)]
    rows = "".join(f"id{i}\x1b]0\u202e\t{label}\n" for i, label in enumerate(labels))
    wrong = rows.replace(f"\t{HOSTILE_LABELS[0]}\n", "\tna\u202e\x07no\n", 7)
    short = "".join(rows.splitlines(keepends=True)[:50])
    official = json.dumps(f"recall[{HOSTILE_LABELS[0]}]")
    settings = (
        f'title = "\\u001b[31mtitle\\u202e<b>"\nslug = "hostile"\nofficial_metric = {official}\n'
    )
    files = {f"submissions/{name}.tsv": rows for name in HOSTILE_NAMES}
    files |= {
        "submissions/w\u202erong.tsv": wrong,
        "submissions/short.tsv": short,
        "gold.tsv": rows,
        "task.toml": settings,
    }
    root = campaign(**files, **{"no\x1bte\u202e.md": "x"})
    for name in ("gold.csv", "submissions/A.csv", "submissions/B.csv"):
        (root / name).unlink()
    return root


@pytest.mark.usefixtures("copies_accepted")
def test_a_hostile_campaign_prints_and_reports_as_text(run, folder, hostile):
    """From files to terminal and page: no control or direction character, no markup, nothing outside the folder."""
    result = run("run", hostile, "-o", "report.html")
    assert result.exit_code == 0, result.stderr
    assert controls(result.stdout) == controls(result.stderr) == set()
    assert "unusable-label" in result.stderr
    assert "missing-item" in result.stderr
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert controls(report) == set()
    assert "<script>alert" not in report
    assert "<b>" not in report
    for command in (["tasks"], ["submissions", "hostile"], ["show", "hostile"]):
        printed = run(*command)
        assert printed.exit_code == 0
        assert controls(printed.stdout) == set()
    exported = run("export", "hostile", "out", "--figures", "none", "--engine", "lualatex")
    assert exported.exit_code == 0, exported.stderr
    sheets = sorted((folder / "out").glob("*.csv"))
    assert {"scores.csv", "ranks.csv", "confusions.csv"} <= {sheet.name for sheet in sheets}
    for sheet in sheets:
        assert controls(sheet.read_text(encoding="utf-8")) == set(), sheet.name
    assert sorted(path.name for path in folder.iterdir()) == [
        "audit.db",
        "out",
        "report.html",
        "small",
    ]


@pytest.mark.usefixtures("copies_accepted")
def test_a_hostile_campaign_is_exact_as_json(run, hostile):
    """Data keeps every character, as escapes where need be."""
    assert run("load", hostile).exit_code == 0
    printed = run("evaluate", "hostile", "--json").stdout
    assert controls(printed) == set()
    data = json.loads(printed)
    assert set(HOSTILE_NAMES) < set(data["teams"])
    assert data["labels"] == sorted(HOSTILE_LABELS)
    assert data["title"] == "\x1b[31mtitle\u202e<b>"


def test_broken_hostile_files_are_described_without_their_characters(run, hostile):
    """Messages show what was found as text, in the settings as in the files."""
    (hostile / "submissions" / "z\u202e.tsv").write_text("id0\u202e\x1b\t?\n\x1b[2J\u202e\t\x07\n")
    (hostile / "gold.tsv").write_text(
        (hostile / "gold.tsv").read_text() + "id0\x1b]0\u202e\tno\u202e\n"
    )
    result = run("load", hostile)
    assert result.exit_code == 1
    assert controls(result.stderr) == set()
    (hostile / "task.toml").write_text(
        '"un\\u202eknown" = 1\nofficial_metric = "re\\u001bcall[\\u202e]"\n'
    )
    result = run("load", hostile)
    assert result.exit_code == 1
    assert controls(result.stderr) == set()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@by_day(1)
def test_any_encoding_of_the_terminal_will_do(run, process, campaign, encoding):
    """What the encoding lacks is shown as an escape; there is no traceback."""
    run("load", campaign(**{"task.toml": 'title = "Größe → ½"\n'}))
    done = process("show", "small", PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert done.stderr == b""
    assert "averaged" in done.stdout.decode(encoding)
    assert b"\x1b" not in done.stdout


@pytest.mark.usefixtures("copies_accepted")
def test_a_terminal_gets_colours_and_nothing_that_the_campaign_says(run, folder, hostile):
    """On a terminal the only escapes are our own colours, and the progress bar returns to the start of its line."""
    run("load", hostile)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "audit", "show", "hostile"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "200"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as running:
        os.close(theirs)
        printed = b""
        while chunk := read(ours):
            printed += chunk
    os.close(ours)
    assert running.returncode == 0
    text = printed.decode().replace("\r\n", "\n")
    assert "\x1b[1m" in text
    assert "\x1b[31m" not in text.replace("\x1b[1;31m", "")
    assert controls(text) == {"0x1b", "0xd"}


def read(descriptor):
    """What a terminal was sent, nothing once the program is gone."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def test_a_reader_that_leaves_early_is_no_error_of_ours(run, folder, campaign):
    """``audit show … --csv | head -1`` prints a line and no traceback."""
    run("load", campaign())
    command = f"{sys.executable} -m audit show small --csv | head -n 1"
    done = subprocess.run(  # noqa: S602 - the pipe is the point
        command, shell=True, cwd=folder, capture_output=True, check=True, text=True
    )
    assert done.stdout.startswith("rank,team,")
    assert "Traceback" not in done.stderr
