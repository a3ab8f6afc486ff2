"""What programs that look for weaknesses find: nothing, or what is explained where it stands."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.nightly import slow

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = {"B404": "audit/service/child.py", "B405": "audit/report/figures/style.py"}
"""Who may import subprocess, and who a reader of XML: each call of them is explained in its place."""


@slow("ruff check, whose rules S are bandit's")
def test_bandit_finds_nothing_that_is_not_explained_in_place():
    """Ruff's rules S are bandit's B: the mark beside the line says why it is right."""
    pytest.importorskip("bandit")
    command = [sys.executable, "-m", "bandit", "-q", "-f", "json", "-r", "audit"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    assert not found["errors"]
    assert found["metrics"]["_totals"]["loc"] > 2000
    unexplained = [each for each in found["results"] if not explained(each)]
    assert not unexplained, [
        (each["filename"], each["line_number"], each["issue_text"]) for each in unexplained
    ]


def explained(finding):
    if finding["test_id"] in IMPORTS:
        return finding["filename"] == IMPORTS[finding["test_id"]]
    lines = (ROOT / finding["filename"]).read_text(encoding="utf-8").splitlines()
    first, last = min(finding["line_range"]), max(finding["line_range"])
    text = "\n".join(lines[first - 1 : last])
    return f"noqa: S{finding['test_id'][1:]} - " in text


@slow("nothing else: an index of packages is asked for each library")
def test_no_library_has_a_known_weakness():
    if importlib.util.find_spec("pip_audit") is None:
        pytest.skip("pip-audit is not installed: pip install pip-audit")
    command = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "-f", "json"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    if not done.stdout.strip():
        pytest.skip(f"no index of packages answers here: {done.stderr[-200:]}")
    asked = [each for each in json.loads(done.stdout)["dependencies"] if "skip_reason" not in each]
    if not asked:
        pytest.skip("the index of packages that is reached here knows of no weaknesses")
    assert not [each for each in asked if each["vulns"]]
