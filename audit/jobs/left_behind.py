"""What attempts left behind that did not come to their end: removed, so that nothing half-made stays."""

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

from audit.hosting.credentials import new_id
from audit.hosting.database import ControlDatabase
from audit.hosting.queue import begun_attempts, running_attempts
from audit.hosting.received_files import ContentFolder
from audit.hosting.releases import kept_folders
from audit.jobs.data_folder import DataFolder

_LOG = logging.getLogger("audit.jobs")


def tidy(database: ControlDatabase, data: DataFolder) -> None:
    """Remove what a server that was killed left in every campaign: for one that begins, and alone receives files."""
    for folder in sorted((data.root / "campaigns").iterdir()):
        ContentFolder(folder).forget_incoming()
        forget_attempts(database, data, folder.name)


def forget_attempts(database: ControlDatabase, data: DataFolder, campaign: str) -> None:
    """Remove the folders of a campaign's attempts that neither count nor gave anything that is kept.

    What was kept of an attempt that the tables do not know is put aside: the tables may be an older copy, which
    somebody restored, and releases that were made since then are nowhere else.
    """
    folder = data.of_campaign(campaign)
    work, releases = (sorted(_folders(folder / name)) for name in ("work", "releases"))  # before the tables are read
    with database.reading() as connection:
        running, kept = running_attempts(connection, campaign), kept_folders(connection, campaign)
        begun = begun_attempts(connection, campaign)
    for each in work:
        if each.name not in running:
            shutil.rmtree(each, ignore_errors=True)
    for each in releases:
        if each.name in begun - running - kept:
            shutil.rmtree(each, ignore_errors=True)
        elif each.name not in begun:
            _put_aside(each, folder / "unknown")


def _put_aside(release: Path, place: Path) -> None:
    place.mkdir(exist_ok=True)
    aside = place / f"{release.name}-{new_id()}"
    release.rename(aside)
    _LOG.warning("%s is of no job that the database knows: it may be an older copy. Put aside as %s", release, aside)


def _folders(parent: Path) -> Iterator[Path]:
    return parent.iterdir() if parent.is_dir() else iter(())
