"""The way to the file: engines, transactions, and SQLite's complaints in the words of the catalogue."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakSet

from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from audit.errors import Issue, StoreError, UsageError

BUSY_SECONDS = 30.0  # the seconds that a process waits for another one that is writing

PRAGMAS: tuple[str, ...] = (
    "trusted_schema = OFF",  # a store from elsewhere is data
    "cell_size_check = ON",  # damaged pages are found where they are read
)  # the PRAGMAs set on each connection, besides the one for foreign keys

_SLUGS = {
    sqlite3.SQLITE_BUSY: "store-busy",
    sqlite3.SQLITE_LOCKED: "store-busy",
    sqlite3.SQLITE_PROTOCOL: "store-busy",
    sqlite3.SQLITE_READONLY: "store-read-only",
    sqlite3.SQLITE_FULL: "disk-full",
    sqlite3.SQLITE_PERM: "unreadable-file",
    sqlite3.SQLITE_AUTH: "unreadable-file",
    sqlite3.SQLITE_IOERR: "unreadable-file",
    sqlite3.SQLITE_IOERR_WRITE: "disk-full",  # a quota that is used up
}
_OS_SLUGS = {errno.ENOSPC: "disk-full", errno.EDQUOT: "disk-full", errno.EROFS: "store-read-only"}
# What the domain and the unpacking say of rows that this program has not written. Columns hold the types that they say
# (audit/store/column_types.py), so that any other error is a bug of ours and not to be taken for damage.
_DAMAGE = (UsageError, ValueError)


class _Connection(sqlite3.Connection):
    """A connection whose closing ends what is under way.

    SQLite keeps a closed connection, and its locks, as long as a statement of it is unfinished. After Ctrl-C in a
    notebook, the traceback that is kept would keep the cursor, and the cursor the lock.
    """

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - what sqlite3 takes
        super().__init__(*args, **options)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()

    def cursor(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - what sqlite3 takes
        """A cursor that is closed with the connection."""
        cursor = super().cursor(*args, **options)
        self._cursors.add(cursor)
        return cursor

    def close(self) -> None:
        """End every statement, and close."""
        for cursor in self._cursors:
            cursor.close()
        super().close()


def engine_for(path: Path, *, create: bool = False, foreign_keys: bool = True) -> Engine:
    """An engine on the file that connects by :func:`connect`; each use opens a connection of its own and closes it."""
    creator = partial(connect, path, create=create, foreign_keys=foreign_keys)
    engine = create_engine("sqlite+pysqlite://", creator=creator, poolclass=NullPool)
    event.listen(engine, "begin", _begin)
    return engine


def for_writing(engine: Engine) -> Engine:
    """An engine whose transactions take the write lock at once.

    A transaction that reads first and writes later fails without waiting when another process writes meanwhile.
    """
    return engine.execution_options(begin="IMMEDIATE")


def connect(path: Path, *, create: bool = False, foreign_keys: bool = True) -> sqlite3.Connection:
    """A connection that begins no transaction of its own accord (SQLAlchemy's begin event does)."""
    uri = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, factory=_Connection)
    try:
        for pragma in (f"foreign_keys = {'ON' if foreign_keys else 'OFF'}", *PRAGMAS):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _begin(connection: Connection) -> None:
    mode = connection.get_execution_options().get("begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {mode}")


def store_error(
    slug: str, path: Path, defect: str, *, expected: str | None = None, remedy: str | None = None
) -> StoreError:
    """A store error from its entry in the catalogue."""
    return StoreError(Issue.of(slug, str(path), defect, expected=expected, remedy=remedy))


def corrupt(path: Path, defect: str) -> StoreError:
    """The error of a damaged store."""
    return store_error("store-corrupt", path, defect)


def check_pages(connection: Connection, path: Path, *, indices: bool = False) -> None:
    """SQLite's own check of the whole file: a second for a gigabyte, hence only before it is written to."""
    complaint = connection.exec_driver_sql(f"PRAGMA {'integrity_check' if indices else 'quick_check'}(1)").scalar()
    if complaint != "ok":
        raise corrupt(path, str(complaint))


@contextmanager
def complaints_about(path: Path) -> Iterator[None]:
    """Turn what SQLite or the operating system refuses into a StoreError about this path."""
    try:
        yield
    except DBAPIError as error:
        raise _from_sqlite(path, error.orig) from error
    except SQLAlchemyError as error:
        raise corrupt(path, str(error)) from error
    except sqlite3.Error as error:
        raise _from_sqlite(path, error) from error
    except UnicodeDecodeError as error:  # SQLite quotes what it stumbles over, and Python takes its words for UTF-8
        raise corrupt(path, error.object.decode("utf-8", "backslashreplace")) from error
    except OSError as error:
        slug = _OS_SLUGS.get(error.errno or 0, "unreadable-file")
        raise store_error(slug, path, error.strerror or str(error)) from error


@contextmanager
def damage_in(path: Path) -> Iterator[None]:
    """Turn what is wrong with values that are built from rows into a StoreError."""
    try:
        yield
    except _DAMAGE as error:
        raise corrupt(path, f"its content contradicts itself ({type(error).__name__}: {error})") from error


def _from_sqlite(path: Path, error: BaseException | None) -> StoreError:
    detailed = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    code = detailed & 0xFF
    if code == sqlite3.SQLITE_CANTOPEN:
        return store_error("unreadable-file" if path.exists() else "store-read-only", path, str(error))
    return store_error(_SLUGS.get(detailed) or _SLUGS.get(code, "store-corrupt"), path, str(error))
