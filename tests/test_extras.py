"""What a plain installation does without: a file that needs an optional library says so, and no number changes."""

import importlib.metadata
import os
import re
import shlex
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from audit.cli import app
from audit.errors import MissingLibraryError
from audit.extras import LIBRARIES, require
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.single_file import AnswerKey, check_submission
from tests.formats.campaigns import ANSWERS, GOLD, GOOD, tarred, write
from tests.formats.tables import parquet_table, rows_of, workbook
from tests.nightly import slow

ROOT = Path(__file__).resolve().parents[1]
FLOOD = ROOT / "sample_submissions" / "flood-posts"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
OF_ALL = ("excel", "parquet", "web", "zst")

WIDE = "id,gold,A,B\n1,no,no,no\n2,yes,no,yes\n3,no,no,no\n4,yes,yes,yes\n"


def as_parquet(csv):
    header, *rows = rows_of(csv)
    return parquet_table(
        **{name: list(column) for name, column in zip(header, zip(*rows, strict=True), strict=True)}
    )


def zst(data):
    return require("zst", "").compress(data.encode() if isinstance(data, str) else data)


NEEDING = {
    "submissions/A.parquet": (
        "parquet",
        {"gold.csv": GOLD, "submissions/A.parquet": as_parquet(ANSWERS)},
    ),
    "gold.parquet": ("parquet", {"gold.parquet": as_parquet(GOLD), "submissions/A.csv": ANSWERS}),
    "all.parquet": ("parquet", {"all.parquet": as_parquet(WIDE)}),
    "submissions/A.xlsx": (
        "excel",
        {"gold.csv": GOLD, "submissions/A.xlsx": workbook(rows_of(ANSWERS))},
    ),
    "all.xlsx": ("excel", {"all.xlsx": workbook(rows_of(WIDE))}),
    "submissions/A.csv.zst": ("zst", {"gold.csv": GOLD, "submissions/A.csv.zst": zst(ANSWERS)}),
    "gold.csv.zst": ("zst", {"gold.csv.zst": zst(GOLD), "submissions/A.csv": ANSWERS}),
    "submissions.tar.zst": (
        "zst",
        {
            "gold.csv": GOLD,
            "submissions.tar.zst": zst(tarred({"A.csv": ANSWERS, "B.csv": ANSWERS}, "w")),
        },
    ),
}
"""Good files, each with the extra that reads it and the campaign that it is in."""

LACKING = [
    (extra, library, path) for path, (extra, _) in NEEDING.items() for library in LIBRARIES[extra]
]


@pytest.fixture
def lacking(monkeypatch):
    """A function after which a library cannot be imported."""
    return lambda library: monkeypatch.setitem(sys.modules, library, None)


@pytest.mark.parametrize("path", NEEDING)
def test_with_its_library_each_file_is_good(path, tmp_path):
    assert read_campaign(write(tmp_path / "task", NEEDING[path][1])).submissions


@pytest.mark.parametrize(("extra", "library", "path"), LACKING)
def test_without_its_library_a_good_file_names_the_extra(extra, library, path, tmp_path, lacking):
    """Nothing says that the file is damaged, nor that there is none; and it is not left out as a rejected one is."""
    root = write(tmp_path / "task", NEEDING[path][1])
    lacking(library)
    with pytest.raises(MissingLibraryError) as caught:
        read_campaign(root, skip_rejected=True)
    issue = caught.value.issue
    assert (issue.slug, issue.file) == ("missing-library", path)
    assert library in issue.found
    assert issue.remedy == f"pip install 'shared-task-auditor[{extra}]'"


@pytest.mark.parametrize("case", LACKING, ids="-".join)
def test_a_run_says_so_and_ends_with_1(case, tmp_path, lacking, monkeypatch):
    extra, library, path = case
    files = NEEDING[path][1]
    root = write(tmp_path / "task", files)
    monkeypatch.chdir(tmp_path)
    lacking(library)
    result = CliRunner().invoke(app, ["run", str(root)])
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.startswith(f"{path}: missing-library: ")
    assert f"to do: pip install 'shared-task-auditor[{extra}]'" in result.stderr
    assert {each.name for each in root.iterdir()} == {name.split("/")[0] for name in files}


def test_a_check_says_so(tmp_path, lacking):
    gold = read_campaign(write(tmp_path, GOOD)).gold
    data = as_parquet(ANSWERS)
    assert check_submission("A.parquet", data, AnswerKey(gold)).is_accepted
    lacking("pyarrow")
    with pytest.raises(MissingLibraryError, match=r"A\.parquet: missing-library"):
        check_submission("A.parquet", data, AnswerKey(gold))


@pytest.mark.parametrize("library", LIBRARIES["web"])
@pytest.mark.parametrize("command", ["serve", "worker"])
def test_the_service_names_its_extra_before_it_writes_anything(
    command, library, tmp_path, lacking, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    lacking(library)
    result = CliRunner().invoke(app, [command])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"audit {command}: missing-library: ")
    assert "to do: pip install 'shared-task-auditor[web]'" in result.stderr
    assert not list(tmp_path.iterdir())


# What pyproject.toml says


def names_of(requirements):
    return {canonicalize_name(Requirement(each).name) for each in requirements}


def test_each_extra_brings_its_libraries_and_the_core_brings_none_of_them():
    homes = importlib.metadata.packages_distributions()
    core = names_of(PROJECT["dependencies"])
    for extra, libraries in LIBRARIES.items():
        brought = {
            canonicalize_name(home)
            for name in libraries
            for home in homes.get(name.partition(".")[0], ())
        }
        assert brought & names_of(EXTRAS[extra]), extra
        assert not names_of(EXTRAS[extra]) & core, extra


def test_all_and_dev_name_the_extras_that_they_are():
    (everything,) = map(Requirement, EXTRAS["all"])
    assert (everything.name, everything.extras) == (PROJECT["name"], set(OF_ALL))
    tests_need, development_needs = (
        next(each for each in map(Requirement, EXTRAS[extra]) if each.name == PROJECT["name"])
        for extra in ("test", "dev")
    )
    assert tests_need.extras == set(EXTRAS) - {"dev", "test", *OF_ALL}
    assert development_needs.extras == {"test"}


# In an environment of its own

ASKED = """
import subprocess, sys, urllib.request

server = subprocess.Popen(["audit", "serve", "--port", "0", "--no-browser"], stdout=subprocess.PIPE, text=True)
link = next((line.strip() for line in server.stdout if "http://" in line), None)
if link is None:
    sys.exit(server.wait())
assert urllib.request.urlopen(link).status == 200
server.terminate()
"""
"""Starts the service, opens its link, and ends it."""


@slow("test_without_its_library_a_good_file_names_the_extra, which installs nothing")
def test_each_printed_command_installs_what_is_missing(tmp_path):
    """In a fresh environment: the README's first command, then a file of each kind, and the service."""
    venv.create(tmp_path / "venv", with_pip=True)
    home = tmp_path / "venv" / "bin"
    environment = {
        "PATH": f"{home}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "PIP_COMPILE": "0",
        "NO_COLOR": "1",
    }
    environment |= {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_"))
    }

    def sh(command):
        return subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def ends_well_at_last(command):
        """How many of the commands that it prints it takes; each is run as it is printed."""
        for n_installed in range(len(OF_ALL)):
            done = sh(command)
            if done.returncode == 0:
                return n_installed
            assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
            installed = sh(re.search(r"to do: (pip install .+)", done.stderr)[1])
            assert installed.returncode == 0, installed.stderr
        return None

    assert sh(f"pip install -q {shlex.quote(str(ROOT))}").returncode == 0
    for library in (name for names in LIBRARIES.values() for name in names):
        assert sh(f"python -c 'import {library}'").returncode == 1, library
    assert ends_well_at_last(f"audit run {shlex.quote(str(FLOOD))}") == 0
    files = {
        f"submissions/{ending[:3]}.{ending}": _answers(ending)
        for ending in ("parquet", "xlsx", "csv.zst")
    }
    write(tmp_path / "task", {"gold.csv": GOLD, **files})
    assert ends_well_at_last("audit run task") == len(files)
    (tmp_path / "asked.py").write_text(ASKED, encoding="utf-8")
    assert ends_well_at_last("python asked.py") == 1


def _answers(ending):
    path = f"submissions/A.{ending}"
    return NEEDING[path][1][path]
