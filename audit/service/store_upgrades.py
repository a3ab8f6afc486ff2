"""The campaigns' stores brought to this version's schema when the service starts, each after a copy."""

import logging
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from sqlalchemy import select

from audit.resources import migrations
from audit.service.child import STORE
from audit.service.control_tables import CAMPAIGN
from audit.service.database import ControlDatabase
from audit.service.files import DataFolder
from audit.service.releases import releases_of

_LOG = logging.getLogger("audit.service")


def upgrade_stores(database: ControlDatabase, data: DataFolder) -> int:
    """Have a process upgrade the store of every release that an older version made; the number of those stores.

    A copy stands beside each. A store that cannot be upgraded keeps nobody from starting: it is named in the log.
    """
    head = newest_schema()
    old = [path for path in _stores(database, data) if _revision_of(path, head) < head]
    for start in range(0, len(old), _AT_ONCE):
        for complaint in _complaints(old[start : start + _AT_ONCE]):
            _LOG.error("A store could not be upgraded: %s", complaint)
    return len(old)


_AT_ONCE = 200  # paths that one command takes


def _complaints(paths: list[Path]) -> list[str]:
    command = [sys.executable, "-m", "audit.service.store_program", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    return [*done.stdout.splitlines(), *done.stderr.splitlines()[-1:]]


def _stores(database: ControlDatabase, data: DataFolder) -> list[Path]:
    with database.reading() as connection:
        campaigns = connection.execute(select(CAMPAIGN.c.id)).scalars().all()
        folders = [
            (each, release.folder)
            for each in campaigns
            for release in releases_of(connection, each)
        ]
    paths = [
        data.of_campaign(campaign) / "releases" / folder / STORE for campaign, folder in folders
    ]
    return [path for path in paths if path.is_file()]


def newest_schema() -> str:
    """The newest revision of a store's schema, by the numbers in the names of the migrations."""
    return max(path.name[:4] for path in (migrations() / "versions").glob("[0-9]*.py"))


def _revision_of(path: Path, newest: str) -> str:
    """The revision of a store; of what is damaged the newest, as its next reader says what is wrong."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as store:
            return str(store.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    except (sqlite3.Error, TypeError):
        return newest
