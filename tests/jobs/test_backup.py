"""A backup of a service that runs holds every byte that matters, and a service begins with it."""

import re
import shlex
import shutil
import sqlite3
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import select

from audit.errors import UsageError
from audit.service import backup, releases
from audit.service.backup import back_up
from audit.service.control_tables import METADATA
from audit.service.database import FILE_NAME, FOLDER_ID, open_database
from audit.service.files import DataFolder
from tests.control_databases import postgresql

from .fakes import Site, until
from .test_worker import GOLD, do_all


@pytest.fixture
def site(hosting):
    """A campaign with a release, something received meanwhile, and something under way."""
    found = Site(hosting)
    found.change(GOLD)
    found.worker().do_next()
    found.evaluate()
    do_all(found.worker())
    (found.folder / "incoming" / "x.part").write_bytes(b"half")
    (found.folder / "work" / "9-1").mkdir(parents=True)
    (found.folder / "releases" / "9-1").mkdir()
    (found.folder / "releases" / "9-1" / "half").write_bytes(b"half")
    return found


def files_of(root):
    """Everything that is kept, by its path."""
    folders = [*root.glob("campaigns/*/content"), *root.glob("campaigns/*/releases")]
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def rows_of(database):
    with database.reading() as connection:
        return {
            table.name: connection.execute(select(table)).all() for table in METADATA.sorted_tables
        }


def test_a_backup_has_every_row_and_every_byte(site, tmp_path):
    target = tmp_path / "backups" / "monday"
    copied = back_up(site.data.root, target, site.hosting.url)
    expected = {
        path: content for path, content in files_of(site.data.root).items() if "9-1" not in path
    }
    assert files_of(target) == expected
    assert copied == (1, len(expected), sum(map(len, expected.values())))
    assert (target / FOLDER_ID).read_bytes() == (site.data.root / FOLDER_ID).read_bytes()
    assert sorted(path.name for path in tmp_path.glob("backups/*")) == ["monday"]
    assert (target / FILE_NAME).exists() == site.database.is_sqlite
    restored = open_database(target, site.hosting.url)
    try:
        assert rows_of(restored) == rows_of(site.database)
    finally:
        restored.close()


def test_a_service_goes_on_from_a_backup(site, tmp_path):
    """Evaluated anew, the campaign has a second release; the original is as it was.

    The tables of PostgreSQL are dumped before, and read back into an empty database, as the documentation says.
    """
    with ExitStack() as opened:
        url = None if site.database.is_sqlite else opened.enter_context(postgresql())
        if url is not None:
            typed("pg_dump", tmp_path / "monday.dump", site.hosting.url)
        back_up(site.data.root, tmp_path / "copy", site.hosting.url)
        if url is not None:
            typed("pg_restore", tmp_path / "monday.dump", url)
        go_on_from(tmp_path / "copy", url, site)


DOCS = Path(__file__).resolve().parents[2] / "docs" / "service.md"


def typed(program, dump, url):
    """Run a command as the documentation has it, on this dump and this database."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    line = re.search(rf"({program} [^`#\n]+)", DOCS.read_text(encoding="utf-8"))[1]
    words = shlex.split(line.replace("/backups/monday.dump", str(dump)))
    address = url.replace("+psycopg", "")
    words = [address if word == "audit" else word for word in words]
    subprocess.run(words, check=True, capture_output=True)


def go_on_from(folder, url, site):
    """Begin with a backup: what it has is evaluated again, and the original stays."""
    before = files_of(site.data.root)
    restored = open_database(folder, url)
    try:
        site.hosting.database = restored
        site.hosting.data = DataFolder.at(folder)
        again = object.__new__(Site)
        again.__dict__ |= {**site.__dict__, "database": restored, "data": site.hosting.data}
        again.evaluate()
        assert do_all(again.worker()) == 3
        assert [
            each.number for each in again.ask_database(releases.releases_of, site.hosted.id)
        ] == [2, 1]
    finally:
        restored.close()
    assert files_of(site.data.root) == before


def test_a_backup_of_a_service_at_work_is_of_one_moment(site, tmp_path):
    """Files come in and revisions are made all the while: every file that a row of the copy names is in it."""
    stop, made = threading.Event(), []

    def works():
        while not stop.is_set():
            base = len(made) + 1
            job = site.change({f"{base}.csv": f"content {base}".encode()}, base=base)
            do_all(site.worker())
            made.append(job)

    thread = threading.Thread(target=works)
    thread.start()
    try:
        for number in range(3):
            n_made = len(made)
            until(lambda n=n_made: len(made) > n)
            target = tmp_path / f"copy{number}"
            back_up(site.data.root, target, site.hosting.url)
            if site.database.is_sqlite:
                restored = open_database(target)
                with restored.reading() as connection:
                    digests = (
                        connection.execute(select(METADATA.tables["upload"].c.sha256))
                        .scalars()
                        .all()
                    )
                    kept = releases.kept_folders(connection, site.hosted.id)
                restored.close()
                content = DataFolder(target).content_of(site.hosted.id)
                assert all(content.path_of(digest).is_file() for digest in digests)
                assert all(
                    (target / "campaigns" / site.hosted.id / "releases" / name).is_dir()
                    for name in kept
                )
    finally:
        stop.set()
        thread.join()


def test_what_is_no_data_folder_is_not_backed_up_and_not_made_one(tmp_path):
    with pytest.raises(UsageError, match="no data folder"):
        back_up(tmp_path / "nothing", tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_overwrites_nothing(site, tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(UsageError, match="is written into a new folder"):
        back_up(site.data.root, tmp_path / "there", site.hosting.url)


@pytest.mark.parametrize(
    "fault", [OSError(28, "No space left on device"), sqlite3.OperationalError("disk I/O error")]
)
def test_a_backup_that_fails_leaves_nothing(fault, site, tmp_path, monkeypatch):
    def fails(*_):
        raise fault

    monkeypatch.setattr(backup.shutil, "copytree", fails)
    with pytest.raises(UsageError, match="The backup could not be made"):
        back_up(site.data.root, tmp_path / "copy", site.hosting.url)
    assert not list(tmp_path.glob("copy*"))


def test_a_folder_that_was_copied_by_hand_without_its_id_is_refused(site, tmp_path):
    """With PostgreSQL, the folder alone is half of it."""
    back_up(site.data.root, tmp_path / "copy", site.hosting.url)
    (tmp_path / "copy" / FOLDER_ID).unlink()
    with pytest.raises(UsageError, match="does not belong"):
        open_database(tmp_path / "copy", site.hosting.url)
    shutil.copy(site.data.root / FOLDER_ID, tmp_path / "copy")
    open_database(tmp_path / "copy", site.hosting.url).close()
