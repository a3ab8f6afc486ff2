"""The command line in a folder of its own, with or without a store in it."""

import atexit
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from audit.cli import app
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples

FLOOD = Path(tempfile.mkdtemp()) / "flood-posts"
"""The sample campaign."""

shutil.copytree(samples() / "flood-posts", FLOOD)
atexit.register(shutil.rmtree, FLOOD.parent, ignore_errors=True)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The current folder: empty, with no store named anywhere else."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUDIT_STORE", raising=False)
    return tmp_path


@pytest.fixture(scope="session")
def evaluation():
    """The sample through the Python interface, without a store."""
    return evaluate(read_campaign(FLOOD))


@pytest.fixture
def run():
    """A command line, run in this process: arguments in, exit code and both streams out."""

    def invoke(*arguments, **environment):
        result = CliRunner().invoke(app, list(map(str, arguments)), env=environment)
        expected = (SystemExit, type(None))
        assert isinstance(result.exception, expected), result.exception
        assert "Traceback" not in result.output
        return result

    return invoke


@pytest.fixture
def process(folder):
    """A command line, run in a process of its own."""

    def start(*arguments, program=("-m", "audit"), **environment):
        command = [sys.executable, *program, *map(str, arguments)]
        return subprocess.run(
            command, cwd=folder, env={**os.environ, **environment}, capture_output=True, check=False
        )

    return start


@pytest.fixture(scope="session")
def _loaded(tmp_path_factory):
    store = tmp_path_factory.mktemp("store") / "audit.db"
    result = CliRunner().invoke(app, ["load", str(FLOOD), "--store", str(store)])
    assert result.exit_code == 0, result.output
    return store


@pytest.fixture
def store(folder, _loaded):
    """A store in the current folder that holds the sample campaign."""
    return shutil.copy(_loaded, folder / "audit.db")


@pytest.fixture
def campaign(folder):
    """A small campaign in a folder beside the store: two good files, and whatever is written over them."""

    def write(**files):
        root = folder / "small"
        good = {
            "gold.csv": "id,label\n"
            + "".join(f"{i},{'yes' if i % 3 else 'no'}\n" for i in range(60)),
            "submissions/A.csv": "id,label\n"
            + "".join(f"{i},{'yes' if i % 4 else 'no'}\n" for i in range(60)),
            "submissions/B.csv": "id,label\n"
            + "".join(f"{i},{'yes' if i % 2 else 'no'}\n" for i in range(60)),
        }
        for name, content in {**good, **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return write


@pytest.fixture
def contents():
    """Everything that a store holds, as SQL."""

    def dump(path):
        with closing(sqlite3.connect(path)) as connection:
            return list(connection.iterdump())

    return dump


@pytest.fixture
def closed_folder():
    """A folder that one may enter and not write to, whoever runs the tests."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o555)
        user = os.geteuid()
        # what commands import late, nobody may be allowed to read
        CliRunner().invoke(app, ["sample", "none"])
        if user == 0:
            os.seteuid(65534)
        try:
            yield place
        finally:
            os.seteuid(user)
            place.chmod(0o755)
