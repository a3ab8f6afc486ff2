"""Control tables for tests, on SQLite and on PostgreSQL: each module has a database of its own, each test clean tables.

PostgreSQL is looked for at ``AUDIT_TEST_POSTGRESQL``, on this machine's port 5432, and behind its socket. Where none
answers, what needs one is skipped.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import delete, insert, select

from audit.service import hosted_campaigns
from audit.service.control_tables import METADATA, PERSON
from audit.service.credentials import new_id, now
from audit.service.database import FILE_NAME, FOLDER_ID, ControlDatabase, open_database
from audit.service.files import DataFolder
from audit.service.hosted_campaigns import Hosted
from audit.service.people import Person

KINDS = ("sqlite", "postgresql")
CANDIDATES = ("postgresql://postgres@127.0.0.1:5432/postgres", "postgresql:///postgres")


@cache
def server():
    """The address of a PostgreSQL server on which databases can be made, and why there is none."""
    tried = []
    for address in filter(None, (os.environ.get("AUDIT_TEST_POSTGRESQL"), *CANDIDATES)):
        try:
            with psycopg.connect(address, connect_timeout=3):
                return address, ""
        except psycopg.Error as error:
            tried.append(str(error).splitlines()[0])
    return None, f"no PostgreSQL answers: {'; '.join(tried)}"


def act(statement):
    """Have the server do something about its databases."""
    address, why = server()
    if address is None:
        pytest.skip(why)
    with psycopg.connect(address, autocommit=True) as connection:
        return connection.execute(statement)


def cut(url):
    """End every connection to a database, as an administrator does."""
    name = url.rpartition("/")[2]
    act(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")  # noqa: S608 - our own name


@contextmanager
def postgresql():
    """The address of a new database, which is dropped afterwards."""
    name = f"audit_test_{uuid4().hex[:12]}"
    act(f"CREATE DATABASE {name}")
    try:
        address, _ = server()
        yield f"{address.rpartition('/')[0]}/{name}".replace("postgresql:", "postgresql+psycopg:")
    finally:
        act(f"DROP DATABASE {name} WITH (FORCE)")


@dataclass
class Hosting:
    """A data folder, its control tables, and what tests do to both."""

    data: DataFolder
    database: ControlDatabase
    url: str | None

    def person(self, name: str = "Ada") -> Person:
        with self.database.writing() as connection:
            person = Person(new_id(), name, may_begin=True)
            connection.execute(
                insert(PERSON).values(
                    id=person.id, name=name, is_host=0, may_begin=1, created_at=now()
                )
            )
            return person

    def campaign(self, person: Person, title: str = "Flood posts") -> Hosted:
        with self.database.writing() as connection:
            return hosted_campaigns.begin_campaign(connection, person, title)


def empty(database: ControlDatabase) -> None:
    """Remove every row but those of the service itself."""
    names = ", ".join(
        f'"{table.name}"' for table in METADATA.sorted_tables if table.name != "service"
    )
    with database.writing() as connection:
        # no trigger keeps what is a test's
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
        connection.exec_driver_sql(f"TRUNCATE {names} RESTART IDENTITY")


@contextmanager
def postgresql_with_rows_of(source: ControlDatabase, empty_folder: Path) -> Iterator[str]:
    """The address of a new database with every row of another one, which belongs to the same data folder."""
    with postgresql() as url:
        target = open_database(empty_folder, url)
        with source.reading() as rows, target.writing() as made:
            made.execute(delete(METADATA.tables["service"]))
            for table in METADATA.sorted_tables:
                if found := [dict(row._mapping) for row in rows.execute(select(table))]:
                    made.execute(insert(table), found)
            for table in ("job", "event"):  # numbers go on where they were
                count = f"pg_get_serial_sequence('{table}', 'number'), (SELECT max(number) FROM {table})"  # noqa: S608 - ours
                made.exec_driver_sql(f"SELECT setval({count})")
        target.close()
        yield url


@contextmanager
def module_database(
    kind: str, folder: Path
) -> Iterator[tuple[Path, ControlDatabase | None, str | None]]:
    """The tables of a module of tests: a file to copy, or a database to empty; with the folder that belongs to it."""
    if kind == "sqlite":
        open_database(folder).close()
        yield folder, None, None
        return
    with postgresql() as url:
        database = open_database(folder, url)
        try:
            yield folder, database, url
        finally:
            database.close()


@contextmanager
def hosting_of(
    made: tuple[Path, ControlDatabase | None, str | None], root: Path
) -> Iterator[Hosting]:
    """A data folder of a test's own, with tables without rows."""
    template, database, url = made
    data = DataFolder.at(root)
    shutil.copyfile(template / FOLDER_ID, root / FOLDER_ID)
    if database is not None:
        empty(database)
        yield Hosting(data, database, url)
        return
    shutil.copyfile(template / FILE_NAME, root / FILE_NAME)
    database = open_database(root)
    try:
        yield Hosting(data, database, None)
    finally:
        database.close()
