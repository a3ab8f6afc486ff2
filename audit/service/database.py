"""The way to the control tables: SQLite in the data folder, or PostgreSQL.

The tables belong to one data folder. They have a revision, which Alembic upgrades after a copy was made, and a mark of
how they are declared, by which tables that no release made are told apart.
"""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Text,
    column,
    create_engine,
    event,
    insert,
    inspect,
    make_url,
    select,
    table,
    update,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.schema import CreateIndex, CreateTable

from audit.errors import UsageError
from audit.extras import require
from audit.resources import migrations
from audit.service.control_tables import CAMPAIGN, METADATA, SERVICE
from audit.service.credentials import new_id
from audit.text import quoted, visible

BUSY_SECONDS = 30.0
FILE_NAME = "control.db"
FOLDER_ID = "folder.id"
MARKS = {"h0001": "33d08e68ca3cf9ad", "h0002": "8f4ad25d59e2d061"}
"""The mark of the tables at each revision, in their order."""
HEAD = list(MARKS)[-1]  # the revision that this program reads
# PostgreSQL's advisory lock under which the schema is made: one process at a time
_LOCK = 0x5354_4175


class ControlDatabase:
    """An engine on the control tables."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is a file that one machine uses."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the tables."""
        if self.is_sqlite:
            options = {}
        else:
            options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        with self.engine.execution_options(**options).begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is kept whole or not at all; on SQLite one at a time, which others wait for."""
        with self.engine.execution_options(begin="IMMEDIATE").begin() as connection:
            yield connection

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def open_database(data: Path, url: str | None = None) -> ControlDatabase:
    """Open the control tables, and make or upgrade them where that is due."""
    database = ControlDatabase(_sqlite(data / FILE_NAME) if url is None else _postgresql(url))
    try:
        _prepare(database, data)
    except DBAPIError as error:
        database.close()
        raise UsageError(
            f"The database cannot be used: {visible(str(error.orig).strip(), 400)}"
        ) from error
    except BaseException:
        database.close()
        raise
    return database


def lock_campaign(connection: Connection, campaign: str) -> None:
    """Let nobody else change anything of a campaign until the transaction ends; SQLite has one writer anyhow."""
    connection.execute(
        select(CAMPAIGN.c.id).where(CAMPAIGN.c.id == campaign).with_for_update(key_share=True)
    )


# Engines

_POSTGRESQL = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,  # milliseconds
}  # a server that went away without a word is noticed within half a minute
_IDLE = "SET SESSION idle_in_transaction_session_timeout = '60s'"
"""A machine that went away in the middle of a transaction keeps nobody waiting for its locks. It is no option of the
connection: those are the address's own, and a pooler in between refuses them."""


def _postgresql(url: str) -> Engine:
    which = "--database takes postgresql+psycopg://USER@HOST/NAME."
    try:
        address = make_url(url)
    except ArgumentError as error:
        raise UsageError(which) from error
    if address.drivername not in {"postgresql", "postgresql+psycopg"}:
        raise UsageError(which)
    require("postgresql", "--database")
    address = address.set(drivername="postgresql+psycopg")
    engine = create_engine(
        address, pool_pre_ping=True, pool_size=10, max_overflow=40, connect_args=_POSTGRESQL
    )
    event.listen(engine, "connect", _set_up_postgresql)
    return engine


def _sqlite(path: Path) -> Engine:
    address = URL.create("sqlite", database=str(path.absolute()))
    engine = create_engine(
        address, pool_size=10, max_overflow=40, connect_args={"timeout": BUSY_SECONDS}
    )
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    check = _File(path).check
    event.listen(engine, "do_connect", check)
    event.listen(engine, "checkout", check)
    return engine


class _File:
    """The file of the tables, which stays the one that was opened.

    SQLite goes on with a file that was moved, replaced or deleted: what it then writes, nobody finds again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._identity: tuple[int, int] | None = None

    def check(self, *_: object) -> None:
        """Refuse to go on with another file, and to make a new one, once there is one."""
        now = self._now()
        if self._identity is None:
            self._identity = now
        elif now != self._identity:
            raise sqlite3.OperationalError(_NOT_THE_FILE.format(visible(str(self._path), 200)))

    def _now(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino


_NOT_THE_FILE = (
    "{} was moved, replaced or deleted while the service runs. Put it back; or end the service, restore a backup, and "
    "start it again."
)


def _set_up_postgresql(connection: Any, _: object) -> None:  # noqa: ANN401 - of the driver
    connection.execute(_IDLE)
    connection.commit()


def _set_up(connection: Any, _: object) -> None:  # noqa: ANN401 - of the driver
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # what was confirmed is there after a power cut


def _begin(connection: Connection) -> None:
    mode = connection.get_execution_options().get("begin", "DEFERRED")
    connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if mode == 'IMMEDIATE' else 'ON'}")
    connection.exec_driver_sql(f"BEGIN {mode}")


def mark() -> str:
    """A checksum of the tables as they are declared."""
    tables = METADATA.sorted_tables
    declared = [str(CreateTable(each).compile(dialect=sqlite.dialect())) for each in tables]
    declared += sorted(
        str(CreateIndex(index).compile(dialect=sqlite.dialect()))
        for each in tables
        for index in each.indexes
    )
    return hashlib.sha256("\n".join(declared).encode()).hexdigest()[:16]


def _prepare(database: ControlDatabase, data: Path) -> None:
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        revision = _checked_revision(connection)
        if revision is not None and revision != HEAD:
            copy_tables(connection, revision, data)
        if revision != HEAD:
            upgrade_tables(connection, HEAD)
        if revision is None:
            connection.execute(insert(SERVICE).values(name="mark", value=MARKS[HEAD]))
        else:
            connection.execute(
                update(SERVICE).where(SERVICE.c.name == "mark").values(value=MARKS[HEAD])
            )
        check_folder(connection, data)


def upgrade_tables(connection: Connection, revision: str) -> None:
    """Bring the control tables to a revision of their schema."""
    config = Config()
    config.set_main_option("script_location", str(migrations() / "hosting").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _checked_revision(connection: Connection) -> str | None:
    """The revision of the tables; None where there are none yet. Tables that no release made are refused."""
    if not inspect(connection).has_table(_VERSION.name):
        return None
    revision = str(connection.execute(select(_VERSION.c.version_num)).scalar_one())
    if revision not in MARKS:
        raise UsageError(
            f"A newer version of the program made the service's tables (revision {quoted(visible(revision, 40))}; this "
            f"one reads {HEAD}). Install that version, or restore the copy that it made before its upgrade."
        )
    if (
        not inspect(connection).has_table(SERVICE.name)
        or _value(connection, "mark") != MARKS[revision]
    ):
        raise UsageError(
            "The service's tables were made by another version of the program, and there is no upgrade between the "
            "two. Use the version that made them, or another --data and database."
        )
    return revision


_VERSION = table("hosting_version", column("version_num", Text))


def copy_tables(connection: Connection, revision: str, data: Path) -> None:
    """Keep the tables as they were in ``control.db.before-HEAD``, with which the former version can be started.

    The copy of tables in PostgreSQL is a file of SQLite, too: pg_dump need not be installed on this machine.
    """
    first = data / f"{FILE_NAME}.before-{HEAD}"
    names = (
        first if number == 1 else first.with_name(f"{first.name}.{number}") for number in count(1)
    )
    copy = next(each for each in names if not each.exists())
    part = copy.with_name(f"{copy.name}.part")
    part.unlink(missing_ok=True)
    part.touch(0o600)
    engine = create_engine(URL.create("sqlite", database=str(part.absolute())))
    try:
        with engine.begin() as target:
            upgrade_tables(target, revision)
            for name in sorted(inspect(target).get_table_names()):
                _copy_rows(connection, target, name)
        part.rename(copy)
    finally:
        engine.dispose()
        part.unlink(missing_ok=True)


def _copy_rows(source: Connection, target: Connection, name: str) -> None:
    names = [each["name"] for each in inspect(target).get_columns(name)]
    same = table(name, *map(column, names))
    target.execute(same.delete())  # a new database says its revision itself
    for rows in source.execute(select(same)).mappings().partitions(1000):
        target.execute(same.insert(), [dict(row) for row in rows])


def _value(connection: Connection, name: str) -> str | None:
    return connection.execute(
        select(SERVICE.c.value).where(SERVICE.c.name == name)
    ).scalar_one_or_none()


def check_folder(connection: Connection, data: Path) -> None:
    """Tie database and data folder to each other, on first use of both."""
    path = data / FOLDER_ID
    if path.exists():
        here = path.read_text("utf-8").strip()
    else:
        here = None
    its = _value(connection, "folder")
    if its is None and (here is None or not any((data / "campaigns").glob("*"))):
        its = here = here or new_id()
        path.write_text(f"{here}\n", "utf-8")
        connection.execute(insert(SERVICE).values(name="folder", value=its))
    if its != here:
        where = quoted(visible(str(data), 200))
        raise UsageError(
            f"The database does not belong to the data folder {where}: one of the two was replaced, or this machine "
            "does not share the folder under this path. Name the pair that belongs together: --data, --database."
        )
