"""The way to the control tables: SQLite in the data folder, or PostgreSQL."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from audit.errors import UsageError
from audit.resources import migrations

BUSY_SECONDS = 30.0
FILE_NAME = "control.db"
_LOCK = 0x5354_4175  # PostgreSQL's advisory lock under which the schema is made: one process at a time


class ControlDatabase:
    """An engine on the control tables.

    Parameters
    ----------
    engine : Engine
        Of SQLite or PostgreSQL.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file that one machine uses."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the tables."""
        with self.engine.begin() as connection:
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
    """Open the control tables, and make or upgrade them where that is due.

    Parameters
    ----------
    data : Path
        The data folder, in which ``control.db`` stands where no database is named.
    url : str, optional
        ``postgresql+psycopg://…``, or ``sqlite:///…``.

    Raises
    ------
    UsageError
        When the database cannot be used.
    """
    database = ControlDatabase(_engine(url or f"sqlite:///{(data / FILE_NAME).absolute()}"))
    try:
        _upgrade(database)
    except DBAPIError as error:
        raise UsageError(f"The database cannot be used: {str(error.orig).strip()}") from error
    return database


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "postgresql":
            return create_engine(parsed, pool_pre_ping=True)  # a server that was restarted is connected to again
        if parsed.get_backend_name() != "sqlite":
            raise UsageError("--database takes postgresql+psycopg://… or sqlite:///…")
    except (ArgumentError, NoSuchModuleError) as error:
        raise UsageError(f"--database takes postgresql+psycopg://… or sqlite:///…: {error}") from error
    except ModuleNotFoundError as error:
        raise UsageError("PostgreSQL needs one more library: pip install 'shared-task-auditor[postgresql]'") from error
    engine = create_engine(parsed, poolclass=NullPool, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: Any, _: object) -> None:  # noqa: ANN401 - of the driver
    if isinstance(connection, sqlite3.Connection):
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # what was confirmed is there after a power cut


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('begin', 'DEFERRED')}")


def _upgrade(database: ControlDatabase) -> None:
    config = Config()
    config.set_main_option("script_location", str(migrations() / "hosting"))
    config.set_main_option("path_separator", "os")
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
