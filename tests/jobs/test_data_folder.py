"""The data folder is used by one server, on a file system that keeps what it promises."""

import errno
import fcntl
import os
import subprocess
import sys

import pytest

from audit.errors import UsageError
from audit.service import files as data_folder
from audit.service.files import ContentFolder, DataFolder, file_system_of


def test_a_folder_is_made_for_its_owner_alone(tmp_path):
    folder = DataFolder.at(tmp_path / "a" / "b")
    assert folder.root.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in folder.root.iterdir()) == [".lock", "campaigns"]
    assert folder.content_of("x").root == folder.root / "campaigns" / "x"


def test_a_folder_with_other_things_is_left_as_it_is(tmp_path):
    """Somebody's folder is not closed to others because a service was started in it by mistake."""
    (tmp_path / "thesis.tex").touch()
    tmp_path.chmod(0o755)
    with pytest.raises(UsageError, match=r"holds “thesis.tex”: .* a new or an empty one"):
        DataFolder.at(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("there", ["lost+found", "campaigns", "control.db"])
def test_an_empty_folder_and_a_services_own_are_taken(there, tmp_path):
    (tmp_path / there).mkdir()
    first = DataFolder.at(tmp_path)
    (tmp_path / "uploads").touch()
    assert DataFolder.at(tmp_path) == first


@pytest.mark.parametrize("name", ["link", "replace"])
def test_a_file_system_without_links_is_refused(name, tmp_path, monkeypatch):
    def fails(*_):
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(
        *((data_folder.os, "link") if name == "link" else (data_folder.Path, "replace")), fails
    )
    with pytest.raises(
        UsageError, match=r"Operation not supported\. It needs a file system with locks"
    ):
        DataFolder.at(tmp_path / "data")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["campaigns"]


@pytest.mark.parametrize("lock", ["flock", "lockf"])
def test_a_file_system_without_locks_is_refused(lock, tmp_path, monkeypatch):
    """Those of this program, and those that SQLite takes."""

    def fails(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, lock, fails)
    with pytest.raises(UsageError, match="No locks available"):
        DataFolder.at(tmp_path / "data")


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "data").write_text("")
    with pytest.raises(UsageError, match="cannot be used"):
        DataFolder.at(tmp_path / "data")


def test_a_lock_of_somebody_else_is_told(tmp_path):
    """As one that was left by a start as another user."""
    (DataFolder.at(tmp_path).root / ".lock").unlink()
    (tmp_path / ".lock").mkdir()  # for root, who runs some tests, no file is closed
    with pytest.raises(UsageError, match=r"cannot be used: .* everything in it must belong"):
        DataFolder.at(tmp_path)


def test_one_server_uses_a_folder_at_a_time(tmp_path):
    folder = DataFolder.at(tmp_path)
    with (
        folder.alone(),
        pytest.raises(UsageError, match="Another audit serve uses"),
        DataFolder.at(tmp_path).alone(),
    ):
        pass
    with folder.alone():
        pass


def test_a_server_that_was_killed_locks_nobody_out(tmp_path):
    """Its lock is the system's, and ends with it; a child that it started does not hold it."""
    program = (
        "import pathlib, subprocess, sys, time; from audit.service.files import DataFolder\n"
        "with DataFolder.at(pathlib.Path(sys.argv[1])).alone():\n"
        "    child = subprocess.Popen(['sleep', '60']); print(child.pid, flush=True); time.sleep(60)"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", program, tmp_path], stdout=subprocess.PIPE, text=True
    )
    child = int(server.stdout.readline())
    try:
        with pytest.raises(UsageError), DataFolder.at(tmp_path).alone():
            pass
        server.kill()
        server.wait()
        with DataFolder.at(tmp_path).alone():
            pass
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
        os.kill(child, 9)


MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:25 / /srv/shared rw - nfs4 server:/x rw
31 22 0:26 / /srv/with\\040blank rw - fuse.sshfs server:/y rw
32 22 0:27 / /srv/shared/local rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/srv/data", "ext4"),
        ("/srv/shared", "nfs4"),
        ("/srv/shared/a/b", "nfs4"),
        ("/srv/sharedness", "ext4"),
        ("/srv/with blank/a", "fuse.sshfs"),
        ("/srv/shared/local/a", "tmpfs"),
    ],
)
def test_the_file_system_of_a_folder_is_that_of_the_nearest_mount(
    folder, kind, tmp_path, monkeypatch
):
    (tmp_path / "mounts").write_text(MOUNTS)
    monkeypatch.setattr(data_folder, "_MOUNTS", tmp_path / "mounts")
    assert file_system_of(data_folder.Path(folder)) == kind


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_sqlite_is_not_kept_on_another_machines_disk(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(data_folder, "file_system_of", lambda _: kind)
    with pytest.raises(UsageError, match=f"another machine \\({kind}\\)"):
        DataFolder.at(tmp_path).check_local()


def test_a_disk_of_this_machine_is_fine_and_so_is_one_of_which_nothing_is_said(
    tmp_path, monkeypatch
):
    DataFolder.at(tmp_path).check_local()
    monkeypatch.setattr(data_folder, "_MOUNTS", tmp_path / "no such file")
    assert file_system_of(tmp_path) == ""
    DataFolder.at(tmp_path).check_local()


def test_a_file_that_is_there_is_not_written_again(tmp_path, monkeypatch):
    """Of an archive that is uploaded again with one file changed, the disk is waited for once."""
    content = ContentFolder(tmp_path).make()
    stored = content.keep_bytes(b"id,label")
    monkeypatch.setattr(data_folder.os, "fsync", lambda _: pytest.fail("it waited for the disk"))
    assert content.keep_bytes(b"id,label") == stored
    assert content.path_of(stored.sha256).read_bytes() == b"id,label"
