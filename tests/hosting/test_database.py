"""The tables are opened by the program that made them, for the folder that they belong to, or refused in words."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import insert, select, text, update
from sqlalchemy.exc import DBAPIError, OperationalError

from audit.errors import MissingLibraryError, UsageError
from audit.service import database as database_module
from audit.service import queue
from audit.service.control_tables import CAMPAIGN, METADATA, SERVICE
from audit.service.database import FILE_NAME, FOLDER_ID, mark, open_database
from tests.control_databases import KINDS, cut, postgresql


@pytest.fixture(params=KINDS)
def fresh(request, tmp_path):
    """A folder, and the address of tables that nobody has made yet."""
    folder = tmp_path / "data"
    folder.mkdir()
    if request.param == "sqlite":
        yield folder, None
        return
    with postgresql() as url:
        yield folder, url


def opened(folder, url):
    return open_database(folder, url)


def test_tables_are_made_once_and_opened_again(fresh):
    folder, url = fresh
    for _ in range(2):
        database = opened(folder, url)
        with database.reading() as connection:
            rows = {row.name: row.value for row in connection.execute(select(SERVICE))}
        database.close()
        assert rows == {"mark": mark(), "folder": (folder / FOLDER_ID).read_text().strip()}


def test_several_processes_that_begin_at_once_make_the_tables_once(fresh):
    folder, url = fresh
    program = (
        "import sys, pathlib; from audit.service.database import open_database;"
        "open_database(pathlib.Path(sys.argv[1]), sys.argv[2] or None).close()"
    )
    begun = [
        subprocess.Popen([sys.executable, "-c", program, folder, url or ""], stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for process in begun:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors


def test_options_of_an_address_hold_beside_what_the_service_sets(fresh):
    """Such as the schema that the tables are in."""
    folder, url = fresh
    if url is None:
        pytest.skip("SQLite has no server")
    database = opened(
        folder, f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3Dpublic,other"
    )
    names = ("search_path", "idle_in_transaction_session_timeout")
    with database.reading() as connection:
        shown = [connection.exec_driver_sql(f"SHOW {name}").scalar() for name in names]
    database.close()
    assert shown == ["public,other", "1min"]


def test_tables_of_another_version_are_refused(fresh):
    folder, url = fresh
    database = opened(folder, url)
    with database.writing() as connection:
        connection.execute(update(SERVICE).where(SERVICE.c.name == "mark").values(value="another"))
    database.close()
    with pytest.raises(UsageError, match="made by another version of the program"):
        opened(folder, url)


def test_tables_from_before_there_were_marks_are_refused(fresh):
    folder, url = fresh
    database = opened(folder, url)
    with database.writing() as connection:
        connection.execute(text("DROP TABLE service"))
    database.close()
    with pytest.raises(UsageError, match="made by another version of the program"):
        opened(folder, url)


def test_the_mark_changes_with_the_tables(monkeypatch):
    """With a column, and with an index."""
    before = mark()
    monkeypatch.setattr(CAMPAIGN.c.title, "nullable", True)
    assert mark() != before
    monkeypatch.undo()
    assert mark() == before
    monkeypatch.setattr(METADATA.tables["job"], "indexes", set())
    assert mark() != before


def test_database_and_data_folder_belong_together(fresh, tmp_path):
    """A worker whose folder is not the shared one would do jobs without files."""
    folder, url = fresh
    opened(folder, url).close()
    other = tmp_path / "other"
    other.mkdir()
    if url is None:
        (other / FILE_NAME).symlink_to(folder / FILE_NAME)
    with pytest.raises(UsageError, match="does not belong to the data folder"):
        open_database(other, url)
    (other / FOLDER_ID).write_text("another\n")
    with pytest.raises(UsageError, match="does not belong to the data folder"):
        open_database(other, url)
    (other / FOLDER_ID).write_text((folder / FOLDER_ID).read_text())
    open_database(other, url).close()


def test_new_tables_are_not_made_for_a_folder_with_campaigns(fresh):
    """A mistyped --database must not hide what is there."""
    folder, url = fresh
    (folder / FOLDER_ID).write_text("mine\n")
    (folder / "campaigns" / "one").mkdir(parents=True)
    with pytest.raises(UsageError, match="does not belong to the data folder"):
        opened(folder, url)
    # a first start that was killed between folder and tables
    (folder / "campaigns" / "one").rmdir()
    opened(folder, url).close()
    assert (folder / FOLDER_ID).read_text() == "mine\n"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("nonsense", "--database takes"),
        ("mysql://somewhere/x", "--database takes"),
        ("postgresql+nonsense://somewhere/x", "--database takes"),
        ("nonsense://somewhere/x", "--database takes"),
        ("postgresql://127.0.0.1:1/x", "The database cannot be used: connection"),
        ("sqlite:////no/such/folder/x.db", "--database takes"),
    ],
)
def test_an_address_that_is_none_is_refused_in_words(url, says, tmp_path):
    with pytest.raises(UsageError, match=says):
        open_database(tmp_path, url)


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"something else" * 1000)
    with pytest.raises(UsageError, match="file is not a database"):
        open_database(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == b"something else" * 1000


def test_without_the_driver_the_way_to_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(
        MissingLibraryError, match=r"pip install 'shared-task-auditor\[postgresql\]'"
    ):
        open_database(tmp_path, "postgresql://127.0.0.1/x")


def test_another_driver_is_refused_whether_it_is_there_or_not(tmp_path):
    with pytest.raises(UsageError, match=r"--database takes postgresql\+psycopg"):
        open_database(tmp_path, "postgresql+pg8000://127.0.0.1/x")


def test_a_fault_while_tables_are_made_leaves_none(fresh, monkeypatch):
    folder, url = fresh

    def fails(*_):
        raise ValueError("a fault")

    with monkeypatch.context() as patch:
        patch.setattr(database_module, "check_folder", fails)
        with pytest.raises(ValueError, match="a fault"):
            opened(folder, url)
    database = opened(folder, url)
    database.close()


# Transactions


def test_a_reader_sees_one_state_of_the_tables_and_writes_nothing(hosting):
    person = hosting.person()
    with hosting.database.reading() as connection:
        before = connection.execute(select(CAMPAIGN.c.id)).all()
        hosting.campaign(person)
        assert connection.execute(select(CAMPAIGN.c.id)).all() == before
    with hosting.database.reading() as connection:
        assert len(connection.execute(select(CAMPAIGN.c.id)).all()) == 1
    with hosting.database.reading() as connection, pytest.raises(DBAPIError):
        connection.execute(insert(SERVICE).values(name="x", value="y"))


def test_a_fault_keeps_nothing_of_a_transaction(hosting):
    class FaultError(Exception): ...

    def fails():
        with hosting.database.writing() as connection:
            connection.execute(insert(SERVICE).values(name="x", value="y"))
            raise FaultError

    with pytest.raises(FaultError):
        fails()
    with hosting.database.reading() as connection:
        assert (
            connection.execute(select(SERVICE.c.value).where(SERVICE.c.name == "x")).first() is None
        )


def test_writers_wait_for_each_other(hosting):
    """Read, then write what follows from it: no step of twenty gets lost."""
    with hosting.database.writing() as connection:
        connection.execute(insert(SERVICE).values(name="count", value="0"))
    campaign = hosting.campaign(hosting.person())

    def one_more(_):
        with hosting.database.writing() as connection:
            database_module.lock_campaign(connection, campaign.id)
            count = select(SERVICE.c.value).where(SERVICE.c.name == "count")
            more = str(int(connection.execute(count).scalar_one()) + 1)
            connection.execute(update(SERVICE).where(SERVICE.c.name == "count").values(value=more))

    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(one_more, range(20)))
        with hosting.database.reading() as connection:
            assert (
                connection.execute(
                    select(SERVICE.c.value).where(SERVICE.c.name == "count")
                ).scalar_one()
                == "20"
            )
    finally:
        with hosting.database.writing() as connection:
            connection.execute(SERVICE.delete().where(SERVICE.c.name.in_(["count", "x"])))


def test_connections_that_the_server_ended_are_made_again(hosting):
    """As after a restart of PostgreSQL: the next transaction does not notice."""
    if hosting.database.is_sqlite:
        pytest.skip("SQLite has no server")
    person = hosting.person()
    with ThreadPoolExecutor(4) as pool:  # several connections in the pool
        barrier = threading.Barrier(4)

        def touch(_):
            with hosting.database.reading():
                barrier.wait(10)

        list(pool.map(touch, range(4)))
    cut(hosting.url)
    campaign = hosting.campaign(person)
    with hosting.database.writing() as connection:
        queue.ask_for(connection, campaign.id, person.id, "read", revision=1)


def test_a_transaction_that_was_cut_is_kept_not_at_all(hosting):
    if hosting.database.is_sqlite:
        pytest.skip("SQLite has no server")
    person = hosting.person()

    def begun():
        with hosting.database.writing() as connection:
            connection.execute(
                insert(CAMPAIGN).values(id="half", title="half", created_at="", head=0)
            )
            cut(hosting.url)

    with pytest.raises(DBAPIError):
        begun()
    with hosting.database.reading() as connection:
        assert connection.execute(select(CAMPAIGN.c.id)).all() == []
    assert hosting.campaign(person).head == 0


def _moved(path):
    path.rename(path.with_name("elsewhere.db"))


def _replaced(path):
    """As by somebody who restores a backup without ending the service."""
    _moved(path)
    path.with_name("elsewhere.db").write_bytes(path.with_name("elsewhere.db").read_bytes())
    path.write_bytes(path.with_name("elsewhere.db").read_bytes())


@pytest.mark.parametrize("act", [_moved, _replaced])
def test_a_file_of_tables_that_is_no_longer_the_one_is_neither_written_nor_made_anew(act, tmp_path):
    """SQLite would go on with the one that it has open, and what it writes would be lost with it."""
    database, path = open_database(tmp_path), tmp_path / FILE_NAME
    try:
        act(path)
        before = path.read_bytes() if path.exists() else None
        for transaction in (database.reading, database.writing, database.writing):
            with (
                pytest.raises(OperationalError, match="moved, replaced or deleted while"),
                transaction(),
            ):
                pass
            database.engine.dispose()  # a connection of the pool, and fresh ones
        assert (path.read_bytes() if path.exists() else None) == before
        path.with_name("elsewhere.db").rename(path)
        with database.writing() as connection:
            connection.execute(insert(SERVICE).values(name="back", value="again"))
    finally:
        database.close()


def test_the_folder_is_the_owners_alone(hosting):
    assert hosting.data.root.stat().st_mode & 0o777 == 0o700
