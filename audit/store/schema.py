"""The store's schema: which revision a file has, whether it is ours at all, and how it is brought up to date."""

from contextlib import closing
from itertools import count
from pathlib import Path

from sqlalchemy import Connection, Text, column, select, table

from audit import resources
from audit.store.connection import check_pages, complaints_about, connect, corrupt, engine_for, for_writing, store_error
from audit.store.tables import Base
from audit.text import listed, quoted, visible

MARKS = {"0001": 913857269}
"""The revisions that this program knows, the oldest first, each with the mark in the header of its stores.

The mark is a checksum of the schema: until the first release it changes with every change of the schema, so that a
store that was made before is told apart. Known here so that Alembic is imported only where it has work.
"""

HEAD = list(MARKS)[-1]  # the revision that this program reads and writes

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
        raise store_error("directory", path, "a directory", expected="a store that audit wrote", remedy=remedy)
    if path.exists() and not path.is_file():
        raise store_error("store-corrupt", path, "a device or a pipe", remedy=remedy)
    if not path.parent.is_dir():
        defect = f"there is no folder {quoted(str(path.parent), 200)}"
        raise store_error("no-folder", path, defect, expected="an existing folder", remedy=f"create it, or {remedy}")
    if not path.exists() and not create:
        raise _no_store(path, "no such file")


def _no_store(path: Path, defect: str) -> Exception:
    return store_error(
        "missing-file",
        path,
        defect,
        expected="a store that audit wrote",
        remedy="start with a campaign’s folder (audit run FOLDER), or name the store: --store PATH",
    )


def _checked_revision(connection: Connection, path: Path) -> str | None:
    """The file's revision; None where nothing is in it yet."""
    kinds = {name: kind for kind, name in connection.execute(_MASTER)}
    application = connection.exec_driver_sql("PRAGMA application_id").scalar()
    if not kinds and not application:
        if path.stat().st_size and not connection.exec_driver_sql("PRAGMA page_count").scalar():
            raise corrupt(
                path, "a file too short for a database"
            )  # SQLite takes it for an empty one, and writes over it
        return None
    if application != APPLICATION_ID:
        raise corrupt(path, "a database of another program")
    revisions = connection.execute(_REVISION).scalars().all() if "alembic_version" in kinds else []
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
        raise store_error("store-newer", path, defect)
    file = visible(str(path), 1000)
    raise store_error(
        "store-unreleased",
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
        revision = _checked_revision(connection, path)  # again: another process may have been quicker
        if revision == HEAD:
            return
        if revision is not None:
            check_pages(connection, path)
            _copy_beside(path)
        _migrate(connection)
        if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
            raise corrupt(path, "rows that refer to rows which do not exist")


def _migrate(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - an eighth of a second that only a new or old store needs
    from alembic.config import Config  # noqa: PLC0415 - an eighth of a second that only a new or old store needs

    config = Config()
    config.set_main_option("script_location", str(resources.migrations()).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def _copy_beside(path: Path) -> None:
    """Copy the store to ``NAME.before-HEAD`` by SQLite's own means: opening the file as one would drop its locks."""
    copy = _free_name(path.with_name(f"{path.name}.before-{HEAD}"))
    with complaints_about(copy), closing(connect(path)) as source, closing(connect(copy, create=True)) as target:
        try:
            source.backup(target)
        except BaseException:
            copy.unlink()
            raise


def _free_name(path: Path) -> Path:
    """The path, or the first of ``PATH.2``, ``PATH.3``, … that is free."""
    names = (path if number == 1 else path.with_name(f"{path.name}.{number}") for number in count(1))
    return next(name for name in names if not name.exists())
