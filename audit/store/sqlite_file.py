"""The file of a store: engines, transactions, SQLite's complaints in the words of the catalogue, and its schema."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from runpy import run_path
from typing import Any
from weakref import WeakSet

from sqlalchemy import (
    Connection,
    Engine,
    NullPool,
    Text,
    column,
    create_engine,
    event,
    select,
    table,
)
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from audit import resources
from audit.errors import Issue, StoreError, UsageError
from audit.store.column_types import stored_types
from audit.store.tables import Base, ItemRow
from audit.text import listed, quoted, visible

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
# (`check_types`), so that any other error is a bug of ours and not to be taken for damage.
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
    connection = sqlite3.connect(
        uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, factory=_Connection
    )
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
    complaint = connection.exec_driver_sql(
        f"PRAGMA {'integrity_check' if indices else 'quick_check'}(1)"
    ).scalar()
    if complaint != "ok":
        raise corrupt(path, str(complaint))


def check_types(connection: Connection, path: Path) -> None:
    """Columns hold what they say: SQLite's hold any type, and a store from elsewhere is data.

    The types of items, of which there may be millions, are checked as they are read.
    """
    for rows in Base.metadata.tables.values():
        if rows.name != ItemRow.__tablename__:
            kinds = {each.name: ", ".join(map(repr, stored_types(each))) for each in rows.columns}
            is_other = (
                f"max(typeof({rows.name}.{name}) NOT IN ({types}))" for name, types in kinds.items()
            )
            found = connection.exec_driver_sql(
                f"SELECT {', '.join(is_other)} FROM {rows.name}"  # noqa: S608 - our own names
            ).one()
            for each, is_wrong in zip(rows.columns, found, strict=True):
                if is_wrong:
                    raise corrupt(
                        path, f"{each} holds a value that is no {' or '.join(stored_types(each))}"
                    )


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
    except UnicodeDecodeError as error:
        # SQLite quotes what it stumbles over, and Python takes its words for UTF-8
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
        raise corrupt(
            path, f"its content contradicts itself ({type(error).__name__}: {error})"
        ) from error


def _from_sqlite(path: Path, error: BaseException | None) -> StoreError:
    detailed = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    code = detailed & 0xFF
    if code == sqlite3.SQLITE_CANTOPEN:
        return store_error(
            "unreadable-file" if path.exists() else "store-read-only", path, str(error)
        )
    return store_error(_SLUGS.get(detailed) or _SLUGS.get(code, "store-corrupt"), path, str(error))


MARKS = {"0001": 1565426697}
"""The revisions that this program knows, the oldest first, each with the mark in the header of its stores.

The mark is a checksum of the schema: until the first release it changes with every change of the schema, so that a
store that was made before is told apart. Known here so that Alembic is imported only where it has work.
"""

# the revision that a new file gets first, and the one that is read
FIRST = next(iter(MARKS))
HEAD = list(MARKS)[-1]

APPLICATION_ID = int.from_bytes(b"STAu")
"""Stands in the header of every store, so that another program's database is never taken for one."""


def ready(path: Path, *, create: bool) -> None:
    """Make sure that the file is a store of revision HEAD: create it, or upgrade it, where need be."""
    with complaints_about(path):
        _check_place(path, create=create)
        with engine_for(path, create=create).begin() as connection:
            revision = _checked_revision(connection, path)
        if revision is None and not create:
            raise _no_store(path, "an empty file")
        if revision != HEAD:
            _bring_up(path, revision)


def _check_place(path: Path, *, create: bool) -> None:
    remedy = "name another store: --store PATH, or AUDIT_STORE"
    if path.is_dir():
        raise store_error(
            "missing-file", path, "a directory", expected="a store that audit wrote", remedy=remedy
        )
    if path.exists() and not path.is_file():
        raise store_error("store-corrupt", path, "a device or a pipe", remedy=remedy)
    if not path.parent.is_dir():
        defect = f"there is no folder {quoted(str(path.parent), 200)}"
        raise store_error(
            "no-folder",
            path,
            defect,
            expected="an existing folder",
            remedy=f"create it, or {remedy}",
        )
    if not path.exists() and not create:
        raise _no_store(path, "no such file")


def _no_store(path: Path, defect: str) -> Exception:
    return store_error(
        "missing-file",
        path,
        defect,
        expected="a store that audit wrote",
        remedy="load a campaign first (audit run --gold GOLD SUBMISSIONS…, or audit run FOLDER), or name the store: "
        "--store PATH",
    )


def _checked_revision(connection: Connection, path: Path) -> str | None:
    """The file's revision; None where nothing is in it yet."""
    kinds = {name: kind for kind, name in connection.execute(_MASTER)}
    application = connection.exec_driver_sql("PRAGMA application_id").scalar()
    if not kinds and not application:
        if path.stat().st_size and not connection.exec_driver_sql("PRAGMA page_count").scalar():
            # to SQLite an empty one, to be written over
            raise corrupt(path, "a file too short for a database")
        return None
    if application != APPLICATION_ID:
        raise corrupt(path, "a database of another program")
    if "alembic_version" in kinds:
        revisions = connection.execute(_REVISION).scalars().all()
    else:
        revisions = []
    if len(revisions) != 1:
        raise corrupt(path, f"{len(revisions)} schema revisions in place of one")
    revision = str(revisions[0])
    _check_mark(path, revision, connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if revision == HEAD:
        _check_tables(kinds, path)
    return revision


def _check_mark(path: Path, revision: str, mark: int) -> None:
    """Refuse a store of a newer version, and one that was made before the first release by another schema."""
    if MARKS.get(revision) == mark:
        return
    if mark and revision not in MARKS:
        defect = f"its schema has revision {quoted(revision)}, this program's has {HEAD}"
        raise store_error("store-version", path, defect)
    file = visible(str(path), 1000)
    raise store_error(
        "store-version",
        path,
        f"its schema is a draft of revision {quoted(revision)}",
        remedy=f"move the file away, and load the campaigns again: audit load FOLDER --store {file}",
    )


_MASTER = select(column("type", Text), column("name", Text)).select_from(table("sqlite_master"))
_REVISION = select(column("version_num", Text)).select_from(table("alembic_version"))


def _check_tables(kinds: dict[str, str], path: Path) -> None:
    """Our tables are tables, not views, and nothing in the file acts by itself."""
    wrong = [name for name in Base.metadata.tables if kinds.get(name) != "table"]
    if wrong:
        raise corrupt(path, f"without the table {listed(sorted(wrong), limit=3)}")
    if "trigger" in kinds.values():
        raise corrupt(path, "a trigger, which audit never writes")


def _bring_up(path: Path, revision: str | None) -> None:
    """Upgrade to HEAD in one transaction, under the write lock, after copying what is there."""
    with for_writing(engine_for(path, foreign_keys=False)).begin() as connection:
        # again: another process may have been quicker
        revision = _checked_revision(connection, path)
        if revision == HEAD:
            return
        if revision is None:
            _create(connection)
        else:
            check_pages(connection, path)
            _copy_beside(path)
        if (revision or FIRST) != HEAD:
            _migrate(connection)
        if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
            raise corrupt(path, "rows that refer to rows which do not exist")


def _create(connection: Connection) -> None:
    """Make the first schema, which takes no Alembic, and say so in Alembic's own table."""
    first = run_path(str(resources.migrations() / "versions" / "0001_first_schema.py"))
    first["create"](connection)
    key = "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)"
    connection.exec_driver_sql(
        f"CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, {key})"
    )
    connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (FIRST,))


def _migrate(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - an eighth of a second that only an old store needs
    from alembic.config import Config  # noqa: PLC0415 - an eighth of a second that only an old store needs

    config = Config()
    config.set_main_option("script_location", str(resources.migrations()).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def _copy_beside(path: Path) -> None:
    """Copy the store to ``NAME.before-HEAD``, or ``.2``, ``.3``, … of it, by SQLite's own means.

    Opening the file as any other would drop its locks.
    """
    first = path.with_name(f"{path.name}.before-{HEAD}")
    names = (
        first if number == 1 else first.with_name(f"{first.name}.{number}") for number in count(1)
    )
    copy = next(name for name in names if not name.exists())
    with (
        complaints_about(copy),
        closing(connect(path)) as source,
        closing(connect(copy, create=True)) as target,
    ):
        try:
            source.backup(target)
        except BaseException:
            copy.unlink()
            raise
