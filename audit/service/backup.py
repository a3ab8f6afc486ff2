"""A copy of a data folder, made while the service runs: the tables first, and then every file that they name.

Files that are received are never changed and never removed, and neither are releases: a copy of the tables at one
moment, and of the files after it, belong together.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import select

from audit.errors import UsageError
from audit.service.control_tables import CAMPAIGN
from audit.service.database import BUSY_SECONDS, FILE_NAME, FOLDER_ID, open_database
from audit.service.releases import kept_folders
from audit.text import quoted, visible


def back_up(root: Path, target: Path, database: str | None = None) -> tuple[int, int, int]:
    """Copy a data folder into a new folder, which is a data folder, too.

    The numbers of campaigns, removed ones among them, of files beside the tables, and of the bytes of those.
    """
    if not (root / FOLDER_ID).is_file():
        raise UsageError(f"{quoted(visible(str(root), 200))} is no data folder of audit serve.")
    if target.exists():
        raise UsageError(
            f"{quoted(visible(str(target), 200))} exists: a backup is written into a new folder."
        )
    part = target.with_name(f"{target.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True, mode=0o700)
        copied = _copied(root, part, database)
        part.rename(target)
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"The backup could not be made: {error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return copied


def _copied(root: Path, part: Path, database: str | None) -> tuple[int, int, int]:
    shutil.copyfile(root / FOLDER_ID, part / FOLDER_ID)
    if database is None:
        existing = f"{(root / FILE_NAME).absolute().as_uri()}?mode=rw"
        with (
            closing(sqlite3.connect(existing, uri=True, timeout=BUSY_SECONDS)) as tables,
            closing(sqlite3.connect(part / FILE_NAME)) as copy,
        ):
            tables.backup(copy)
    with closing(open_database(part, database)) as opened, opened.reading() as connection:
        campaigns = list(connection.execute(select(CAMPAIGN.c.id)).scalars())
        named = [f"{each}/content" for each in campaigns]
        named += [
            f"{each}/releases/{name}"
            for each in campaigns
            for name in kept_folders(connection, each)
        ]
    (part / "campaigns").mkdir(exist_ok=True)
    for name in named:  # and nothing that is under way
        if (folder := root / "campaigns" / name).is_dir():
            shutil.copytree(folder, part / "campaigns" / name)
    files = [path for path in (part / "campaigns").rglob("*") if path.is_file()]
    return len(campaigns), len(files), sum(path.stat().st_size for path in files)
