"""What attempts left behind that did not come to their end: removed, so that nothing half-made stays."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from audit.hosting.database import ControlDatabase
from audit.hosting.queue import running_attempts
from audit.hosting.received_files import ContentFolder
from audit.hosting.releases import kept_folders
from audit.jobs.data_folder import DataFolder


def tidy(database: ControlDatabase, data: DataFolder) -> None:
    """Remove what a server that was killed left in every campaign: for one that begins, and alone receives files."""
    for folder in sorted((data.root / "campaigns").iterdir()):
        ContentFolder(folder).forget_incoming()
        forget_attempts(database, data, folder.name)


def forget_attempts(database: ControlDatabase, data: DataFolder, campaign: str) -> None:
    """Remove the folders of a campaign's attempts that neither count nor gave anything that is kept."""
    folder = data.of_campaign(campaign)
    there = [*_folders(folder / "work"), *_folders(folder / "releases")]  # before the tables: an attempt may end now
    with database.reading() as connection:
        running, kept = running_attempts(connection, campaign), kept_folders(connection, campaign)
    for each in there:
        if each.name not in running and not (each.parent.name == "releases" and each.name in kept):
            shutil.rmtree(each, ignore_errors=True)


def _folders(parent: Path) -> Iterator[Path]:
    return parent.iterdir() if parent.is_dir() else iter(())
