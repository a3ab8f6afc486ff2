"""Databases of every released version, upgraded when the service starts, after a copy."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import select, text

from audit import resources
from audit.errors import UsageError
from audit.service import database as database_module
from audit.service import people, store_program, store_upgrades
from audit.service.control_tables import (
    API_TOKEN,
    EVENT,
    METADATA,
    PERSON,
    RELEASE,
    SERVICE,
    SESSION,
)
from audit.service.database import FILE_NAME, FOLDER_ID, HEAD, MARKS, mark, open_database
from audit.service.files import DataFolder
from audit.store import open_store, sqlite_file
from tests.control_databases import KINDS, postgresql

RELEASED = Path(__file__).parent / "released"
VERSIONS = sorted(
    path.name.split("-")[1].removesuffix(".sqlite.sql")
    for path in RELEASED.glob("control-*.sqlite.sql")
)


def read_back(path, name):
    """Make a database of SQLite again from its dump."""
    with closing(sqlite3.connect(path)) as made:
        made.executescript((RELEASED / name).read_text("utf-8"))


@pytest.fixture(params=VERSIONS)
def version(request):
    return request.param


@pytest.fixture(params=KINDS)
def old(request, version, tmp_path):
    """A data folder of a released version, and the address of its tables."""
    data = tmp_path / "data"
    (data / "campaigns").mkdir(parents=True)
    if request.param == "sqlite":
        read_back(data / FILE_NAME, f"control-{version}.sqlite.sql")
        with closing(sqlite3.connect(data / FILE_NAME)) as tables:
            (folder,) = tables.execute("SELECT value FROM service WHERE name = 'folder'").fetchone()
        (data / FOLDER_ID).write_text(f"{folder}\n")
        yield data, None
        return
    with postgresql() as url:
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            connection.execute((RELEASED / f"control-{version}.postgresql.sql").read_text("utf-8"))
            connection.execute("SET search_path TO public")
            (folder,) = connection.execute(
                "SELECT value FROM service WHERE name = 'folder'"
            ).fetchone()
        (data / FOLDER_ID).write_text(f"{folder}\n")
        yield data, url


def rows_of(data, url, *tables):
    with closing(open_database(data, url)) as opened, opened.reading() as connection:
        return [connection.execute(select(table)).mappings().all() for table in tables]


def test_tables_of_a_release_are_upgraded_and_their_people_are_still_there(old):
    """The docs said: back up, install, start. The program refused whenever tables differed."""
    data, url = old
    persons, tokens, releases, events, sessions = rows_of(
        data, url, PERSON, API_TOKEN, RELEASE, EVENT, SESSION
    )
    assert [each["name"] for each in persons] == ["Ada"]
    assert [each["label"] for each in tokens] == ["nightly"]
    assert [each["number"] for each in releases] == [1]
    assert {"published", "made a link"} <= {each["act"] for each in events}
    assert sessions
    assert all(each["by_link"] == 0 for each in sessions)
    with closing(open_database(data, url)) as opened:
        assert people.sign_in(opened, "ada", "correct horse battery").is_host
        with opened.writing() as connection:
            assert people.sessions_of(connection, people.host_of(connection))
            assert (
                connection.execute(text("SELECT version_num FROM hosting_version")).scalar_one()
                == HEAD
            )
        with pytest.raises(Exception, match="kept as it is"), opened.writing() as connection:
            connection.execute(EVENT.delete())


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection", "ignore:autogenerate skipping")
def test_the_upgraded_tables_are_those_that_are_declared(old):
    data, url = old
    with closing(open_database(data, url)) as opened, opened.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "hosting_version"})
        differences = [
            each for each in compare_metadata(context, METADATA) if "_index" not in each[0]
        ]
    assert differences == []  # but for an index on an expression, which Alembic never finds alike
    assert MARKS[HEAD] == mark()


def test_a_copy_is_made_once_with_which_the_former_version_can_be_started(old, version):
    data, url = old
    for _ in range(2):
        open_database(data, url).close()
    (copy,) = data.glob(f"{FILE_NAME}.before-*")
    assert copy.name == f"{FILE_NAME}.before-{HEAD}"
    assert copy.stat().st_mode & 0o077 == 0
    expected = sqlite3.connect(":memory:")
    expected.executescript((RELEASED / f"control-{version}.sqlite.sql").read_text("utf-8"))
    with closing(expected), closing(sqlite3.connect(copy)) as copied:
        names = [
            name
            for (name,) in expected.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        for name in names:
            columns = [
                [row[1] for row in each.execute(f"PRAGMA table_info({name})")]
                for each in (expected, copied)
            ]
            assert sorted(columns[0]) == sorted(columns[1]), name
            if url is None:
                count = f"SELECT * FROM {name}"  # noqa: S608 - of our own tables
                assert sorted(expected.execute(count), key=str) == sorted(
                    copied.execute(count), key=str
                ), name
        assert copied.execute("SELECT version_num FROM hosting_version").fetchone() == ("h0001",)
        assert copied.execute("SELECT name FROM person").fetchall() == [("Ada",)]


def test_an_upgrade_that_fails_leaves_the_tables_as_they_were(old, monkeypatch):
    data, url = old

    def fail(connection, revision):
        plain(connection, revision)
        raise UsageError("failed")

    plain = database_module.upgrade_tables
    monkeypatch.setattr(database_module, "copy_tables", lambda *_: None)
    monkeypatch.setattr(database_module, "upgrade_tables", fail)
    with pytest.raises(UsageError, match="failed"):
        open_database(data, url)
    monkeypatch.undo()
    assert rows_of(data, url, PERSON)[0][0]["name"] == "Ada"


def test_no_upgrade_is_made_without_a_copy(old, monkeypatch):
    data, url = old

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "touch", full)
    with pytest.raises(OSError, match="No space"):
        open_database(data, url)
    monkeypatch.undo()
    (service,) = rows_of(data, url, SERVICE)
    assert {each["name"]: each["value"] for each in service}["mark"] == MARKS[HEAD]


def test_tables_of_a_newer_version_are_refused_with_what_to_do(old):
    data, url = old
    with closing(open_database(data, url)) as opened, opened.writing() as connection:
        connection.execute(text("UPDATE hosting_version SET version_num = 'h9999'"))
    with pytest.raises(
        UsageError, match="A newer version of the program made the service's tables"
    ):
        open_database(data, url)


# The campaigns' own stores


@pytest.fixture
def old_store(version, tmp_path):
    """The store of the one release of a service of this version, in its data folder."""
    data = DataFolder.at(tmp_path / "data")
    read_back(data.root / FILE_NAME, f"control-{version}.sqlite.sql")
    with closing(sqlite3.connect(data.root / FILE_NAME)) as tables:
        (folder,) = tables.execute("SELECT value FROM service WHERE name = 'folder'").fetchone()
        campaign, release = tables.execute("SELECT campaign, folder FROM release").fetchone()
    (data.root / FOLDER_ID).write_text(f"{folder}\n")
    place = data.of_campaign(campaign) / "releases" / release
    place.mkdir(parents=True)
    read_back(place / "audit.db", f"store-{version}.sqlite.sql")
    with closing(open_database(data.root)) as database:
        yield data, database, place / "audit.db"


def test_the_store_of_a_release_is_read_by_this_version(old_store):
    data, database, path = old_store
    store_upgrades.upgrade_stores(database, data)
    with open_store(path, create=False) as store:
        assert [each.slug for each in store.tasks()] == ["small"]


NEXT_MIGRATION = """
from alembic import op

revision = "9999"
down_revision = "{former}"
branch_labels = None
depends_on = None


def upgrade():
    op.execute("PRAGMA user_version = 2")
"""


def test_stores_are_upgraded_at_the_start_after_a_copy(old_store, tmp_path, monkeypatch):
    """By a migration that is made here, as there is none yet."""
    data, database, path = old_store
    folder = shutil.copytree(resources.migrations(), tmp_path / "migrations")
    migration = NEXT_MIGRATION.format(former=sqlite_file.HEAD)
    (folder / "versions" / "9999_next.py").write_text(migration)
    monkeypatch.setattr(resources, "migrations", lambda: folder)
    monkeypatch.setattr(store_upgrades, "migrations", lambda: folder)
    monkeypatch.setattr(
        store_upgrades, "_complaints", lambda paths: list(store_program.upgrade(paths))
    )
    monkeypatch.setattr(sqlite_file, "MARKS", {**sqlite_file.MARKS, "9999": 2})
    monkeypatch.setattr(sqlite_file, "HEAD", "9999")
    assert store_upgrades.upgrade_stores(database, data) == 1
    assert path.with_name("audit.db.before-9999").exists()
    assert store_upgrades.upgrade_stores(database, data) == 0


def test_a_store_that_is_damaged_keeps_no_service_from_starting(old_store, monkeypatch, caplog):
    data, database, path = old_store
    monkeypatch.setattr(store_upgrades, "newest_schema", lambda: "9999")
    with closing(sqlite3.connect(path)) as store:
        store.execute("PRAGMA application_id = 1")
    assert store_upgrades.upgrade_stores(database, data) == 1
    assert "could not be upgraded" in caplog.text
    assert path.name in caplog.text
    path.write_bytes(b"nothing of the kind")
    assert store_upgrades.upgrade_stores(database, data) == 0
