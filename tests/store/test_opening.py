"""Opening a store: what is no store, or cannot be used, is refused with an issue of the catalogue."""

import errno
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import InvalidRequestError

from audit.errors import StoreError
from audit.store import open_store, sqlite_file

from .campaigns import campaign, contents, document, evaluation

ROOT = Path(__file__).resolve().parents[2]


def refused(path, **options):
    """The issue with which opening fails."""
    with pytest.raises(StoreError) as caught:
        open_store(path, **options)
    assert caught.value.issue.file == str(path)
    return caught.value.issue


@pytest.mark.parametrize(
    "name",
    [
        "100%.db",
        "%41.db",
        "a b.db",
        "what?mode=ro",
        "what#now.db",
        "é😀.db",
        ":memory:",
        "file:x.db",
        "'\".db",
        "a\\b.db",
        "caf\udce9.db",
        "-rf",
        "a&vfs=none",
    ],
)
def test_a_store_may_have_any_name(tmp_path, name):
    """The name is never part of a text that somebody parses."""
    path = tmp_path / name
    with open_store(path) as store:
        store.save_campaigns(campaign())
    assert [each.name for each in tmp_path.iterdir()] == [name]
    with open_store(path, create=False) as store:
        assert contents(store.load_campaign("task")) == contents(campaign())


def test_a_relative_path_is_taken_from_the_current_folder(tmp_path, monkeypatch):
    """As the default, audit.db, is."""
    monkeypatch.chdir(tmp_path)
    open_store(Path("audit.db")).save_campaigns(campaign())
    assert (tmp_path / "audit.db").stat().st_size > 0


def test_reading_makes_no_store(path):
    """Nor leaves a file behind."""
    issue = refused(path, create=False)
    assert (issue.slug, issue.found) == ("missing-file", "no such file")
    assert "audit run FOLDER" in issue.remedy
    assert not path.exists()


def test_an_empty_file_becomes_a_store_but_is_none(path):
    """As mktemp makes it, or a process that was killed too early leaves it."""
    path.touch()
    assert refused(path, create=False).slug == "missing-file"
    assert open_store(path).tasks() == ()


def test_a_folder_is_no_store(tmp_path):
    """Named in its place."""
    assert refused(tmp_path).slug == "missing-file"


def test_a_store_needs_a_folder(tmp_path):
    """Which is not made, since its name may be misspelt; a file is none."""
    assert refused(tmp_path / "no" / "audit.db").slug == "no-folder"
    (tmp_path / "file").touch()
    assert refused(tmp_path / "file" / "audit.db").slug == "no-folder"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_no_store(path):
    """Reading it would wait for ever."""
    os.mkfifo(path)
    assert refused(path).slug == "store-corrupt"


def test_a_name_that_is_too_long_is_refused(tmp_path):
    """By the operating system, whose word is handed on."""
    issue = refused(tmp_path / ("x" * 5000))
    assert issue.slug == "unreadable-file"
    assert issue.found == os.strerror(errno.ENAMETOOLONG)


@pytest.mark.parametrize(
    "content",
    [b"id,label\n1,a\n" * 100, b"\x00" * 5000, b"SQLite format 3\x00" + b"\xff" * 5000, b"x"],
)
def test_a_file_that_is_no_database_is_corrupt_and_untouched(path, content):
    """A gold file, say, named by mistake."""
    path.write_bytes(content)
    assert refused(path).slug == "store-corrupt"
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE stars (name TEXT)",
        "CREATE TABLE alembic_version (version_num TEXT); INSERT INTO alembic_version VALUES ('0001')",
        "PRAGMA application_id = 1; CREATE TABLE task (slug TEXT)",
        f"PRAGMA application_id = {sqlite_file.APPLICATION_ID}; CREATE TABLE task (slug TEXT)",
        f"PRAGMA application_id = {sqlite_file.APPLICATION_ID}",
    ],
)
def test_another_database_is_corrupt_and_untouched(path, script):
    """Whatever tables it has."""
    with closing(sqlite3.connect(path)) as other:
        other.executescript(script)
    content = path.read_bytes()
    assert refused(path).slug == "store-corrupt"
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "script",
    [
        "DROP TABLE item",
        "DROP TABLE item; CREATE VIEW item AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON load BEGIN DELETE FROM task; END",
        "DELETE FROM alembic_version",
        "INSERT INTO alembic_version VALUES ('0000')",
    ],
)
@pytest.mark.usefixtures("store")
def test_a_store_whose_schema_was_tampered_with_is_corrupt(path, script):
    """A store from elsewhere is data: its tables are tables, and nothing in it acts by itself."""
    with closing(sqlite3.connect(path)) as other:
        other.executescript(script)
    assert refused(path).slug == "store-corrupt"


def test_what_readers_add_is_let_be(store, path):
    """Views and indices for one's own queries."""
    with closing(sqlite3.connect(path)) as other:
        other.executescript(
            "CREATE VIEW mine AS SELECT * FROM team_score; CREATE INDEX i ON item (code); ANALYZE"
        )
    store.save_campaigns(campaign())
    assert contents(open_store(path).load_campaign("task")) == contents(campaign())


@pytest.mark.parametrize("revision", ["0002", "9999", "abcdef012345"])
@pytest.mark.usefixtures("store")
def test_a_newer_store_is_refused_and_untouched(path, revision):
    """With the command that helps."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        other.execute("PRAGMA user_version = 7")
        other.commit()
    content = path.read_bytes()
    issue = refused(path)
    assert issue.slug == "store-version"
    assert revision in issue.found
    assert "pip install --upgrade" in issue.remedy
    assert path.read_bytes() == content


@pytest.mark.parametrize(("revision", "mark"), [("0004", 0), ("0003", 0), ("0001", 0), ("0001", 7)])
@pytest.mark.usefixtures("store")
def test_a_store_from_before_the_first_release_is_refused_and_untouched(path, revision, mark):
    """With the command that loads the campaigns again. Drafts of the schema had no mark, or another one."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        other.execute(f"PRAGMA user_version = {mark}")
        other.commit()
    content = path.read_bytes()
    for create in (True, False):
        issue = refused(path, create=create)
        assert issue.slug == "store-version"
        assert revision in issue.found
        assert f"audit load FOLDER --store {path}" in issue.remedy
    assert path.read_bytes() == content
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.fixture
def read_only(public_folder):
    """A store with a campaign, in a folder, neither of which can be written."""
    path = public_folder / "audit.db"
    open_store(path).save_campaigns(campaign())
    path.chmod(0o444)
    public_folder.chmod(0o555)
    return path


def test_a_read_only_store_is_read(read_only, unprivileged):
    """Every reading command works."""
    with unprivileged(), open_store(read_only, create=False) as store:
        assert contents(store.load_campaign("task")) == contents(campaign())
        assert len(store.tasks()) == 1
        assert len(store.submissions("task")) == 3


@pytest.mark.parametrize("writable", [None, "file", "folder"])
def test_a_read_only_store_is_not_written(read_only, unprivileged, writable):
    """Whether its file, its folder, or both are read-only."""
    if writable == "file":
        read_only.chmod(0o666)
    elif writable == "folder":
        read_only.parent.chmod(0o777)
    with unprivileged(), open_store(read_only) as store:
        made = evaluation(campaign())
        for call, *values in (
            ("save_campaigns", campaign(title="New")),
            ("save_evaluation", made, document(made)),
        ):
            with pytest.raises(StoreError) as caught:
                getattr(store, call)(*values)
            assert caught.value.issue.slug == "store-read-only"
    assert contents(open_store(read_only).load_campaign("task")) == contents(campaign())


def test_no_store_is_made_in_a_read_only_folder(public_folder, unprivileged):
    """Nor is any file."""
    public_folder.chmod(0o555)
    with unprivileged():
        assert refused(public_folder / "audit.db").slug == "store-read-only"


@pytest.mark.parametrize("closed", ["file", "folder"])
def test_a_store_that_may_not_be_read_is_refused(read_only, unprivileged, closed):
    """The file, or the folder that it is in."""
    (read_only if closed == "file" else read_only.parent).chmod(0)
    with unprivileged():
        assert refused(read_only).slug == "unreadable-file"


@pytest.mark.parametrize(
    ("number", "slug"),
    [
        (errno.ENOSPC, "disk-full"),
        (errno.EDQUOT, "disk-full"),
        (errno.EROFS, "store-read-only"),
        (errno.EIO, "unreadable-file"),
    ],
)
def test_what_the_operating_system_refuses_has_a_slug(path, number, slug):
    """Wherever it is met."""
    with pytest.raises(StoreError) as caught, sqlite_file.complaints_about(path):
        raise OSError(number, os.strerror(number))
    assert caught.value.issue.slug == slug


@pytest.mark.parametrize(
    "error", [sqlite3.DatabaseError("strange"), InvalidRequestError("strange")], ids=repr
)
def test_what_sqlite_and_sqlalchemy_say_is_a_store_error(path, error):
    """Wherever in them it arises."""
    with pytest.raises(StoreError) as caught, sqlite_file.complaints_about(path):
        raise error
    assert caught.value.issue.slug == "store-corrupt"


def test_a_connection_that_cannot_be_set_up_is_closed(path, monkeypatch):
    """A warning about an open one would fail this test."""
    path.write_bytes(b"no database" * 100)
    monkeypatch.setattr(sqlite_file, "PRAGMAS", ("user_version",))
    assert refused(path).slug == "store-corrupt"


def test_making_and_opening_a_store_imports_no_alembic(path):
    """It would take an eighth of a second of every command."""
    script = """import sys; from pathlib import Path; from audit.store import open_store
open_store(Path(sys.argv[1])).tasks(); open_store(Path(sys.argv[1]), create=False).tasks()
sys.exit('alembic' in sys.modules)"""
    done = subprocess.run(
        [sys.executable, "-c", script, path],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0


def test_importing_the_store_imports_no_engine():
    """It computes nothing: no SciPy, no metrics, and no Alembic until a store is made."""
    script = """import sys; from audit.store import open_store
names = {".".join(name.split(".")[:2]) for name in sys.modules}
engine = {"scipy", "pandas", "alembic", "audit.metrics", "audit.ranking", "audit.writers"}
sys.exit(", ".join(names & engine) or None)"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
