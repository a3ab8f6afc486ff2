"""What is received is kept by its digest or not at all, and a name never leads out of a campaign."""

import errno
import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.service import files as received_files
from audit.service.files import ContentFolder, Stored, checked_path, without_wrapper
from audit.service.rules import HostingError, NoRoomError, RefusedError


@pytest.fixture
def content(tmp_path):
    return ContentFolder(tmp_path / "campaign").make()


def receive(content, data):
    with content.receiving() as receiver:
        for start in range(0, len(data), 7):
            receiver.write(data[start : start + 7])
        return receiver.complete()


def files_in(content):
    return sorted(path.name for path in content.root.rglob("*") if path.is_file())


def test_bytes_are_kept_once_by_their_digest_and_cannot_be_changed(content):
    data = b"some bytes" * 100
    first, again = receive(content, data), receive(content, data)
    assert first == again == Stored(hashlib.sha256(data).hexdigest(), len(data))
    assert content.path_of(first.sha256).read_bytes() == data
    assert content.path_of(first.sha256).stat().st_mode & 0o777 == 0o444
    assert files_in(content) == [first.sha256]


def test_stored_bytes_are_counted_once_and_no_more_when_they_are_gone(content):
    assert ContentFolder(content.root / "not made").n_bytes() == 0
    for data in (b"12345", b"12345", b"67"):
        with content.receiving() as receiver:
            receiver.write(data)
            stored = receiver.complete()
    assert content.n_bytes() == 7
    content.forget([stored.sha256, "0" * 64])
    assert content.n_bytes() == 5


def test_what_is_not_completed_leaves_nothing(content):
    with content.receiving() as receiver:
        receiver.write(b"half")
    assert files_in(content) == []


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_is_full_at_the_end_keeps_nothing(call, content, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(
        *((os, "fsync") if call == "fsync" else (received_files.Path, "replace")), full
    )
    with pytest.raises(OSError, match="No space left"):
        receive(content, b"some bytes")
    assert files_in(content) == []


def test_file_and_name_are_on_the_disk_when_it_is_confirmed(content, monkeypatch):
    synced, fsync = [], os.fsync
    monkeypatch.setattr(
        os,
        "fsync",
        lambda file: synced.append(str(Path(f"/proc/self/fd/{file}").readlink())) or fsync(file),
    )
    stored = receive(content, b"some bytes")
    assert [
        name.endswith(end) for name, end in zip(synced, (".part", stored.sha256[:2]), strict=True)
    ] == [True, True]


def test_room_is_asked_for_before_anything_is_received(content, monkeypatch):
    free = received_files.shutil.disk_usage(content.root)
    content.check_room(0)
    monkeypatch.setattr(
        received_files.shutil, "disk_usage", lambda _: free._replace(free=(64 << 20) + 99)
    )
    content.check_room(99)
    with pytest.raises(NoRoomError, match="no room left"):
        content.check_room(100)


def test_what_a_killed_server_was_receiving_is_forgotten(content):
    stored = receive(content, b"whole")
    (content.root / "incoming" / "x.part").write_bytes(b"half")
    content.forget_incoming()
    assert files_in(content) == [stored.sha256]


@pytest.mark.parametrize("links", [True, False])
def test_a_folder_is_laid_out_with_links_or_without(links, content, tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    if not links:
        monkeypatch.setattr(received_files.os, "link", refused)
    stored = receive(content, b"gold")
    content.lay_out({"gold.csv": stored, "a/b/c.csv": stored}, tmp_path / "laid")
    for path in ("gold.csv", "a/b/c.csv"):
        assert (tmp_path / "laid" / path).read_bytes() == b"gold"
        assert (tmp_path / "laid" / path).samefile(content.path_of(stored.sha256)) == links


def test_a_data_folder_whose_disk_is_away_is_not_made_anew(tmp_path):
    """What came would stand under the place where the disk belongs, and be hidden when it is back."""
    away = ContentFolder(tmp_path / "data" / "campaigns" / "one")
    with pytest.raises(FileNotFoundError):
        away.make()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_gone_from_the_disk_is_named_with_what_to_do(content, tmp_path):
    stored = receive(content, b"gold")
    content.path_of(stored.sha256).unlink()
    with pytest.raises(
        HostingError,
        match=r"“data/gold.csv” was received, and is no longer .* Upload the same file",
    ):
        content.lay_out({"data/gold.csv": stored}, tmp_path / "laid")
    assert receive(content, b"gold") == stored
    content.lay_out({"data/gold.csv": stored}, tmp_path / "again")


# Names


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("..", "leads out"),
        ("a/../../b", "leads out"),
        ("..\\b", "leads out"),
        ("", "no name"),
        ("/", "no name"),
        ("./.", "no name"),
        ("a\0b", "no name"),
        ("a\x7f", "no name"),
        ("a\ud800", "not Unicode"),
        ("x" * 201, "too long"),
        ("é" * 101, "too long"),
        ("/".join("x" * 13), "too long"),
        ("/".join(["x" * 100] * 11), "too long"),
    ],
)
def test_what_is_no_path_in_a_campaign_is_refused(path, says):
    with pytest.raises(RefusedError, match=says):
        checked_path(path)


@given(st.text(alphabet=st.sampled_from("ab./\\ .\0é\ud800:"), max_size=30))
def test_a_path_is_inside_its_folder_and_spelt_in_one_way(text):
    try:
        found = checked_path(text)
    except RefusedError:
        return
    assert checked_path(found) == found
    assert ".." not in found.split("/")
    assert not found.startswith("/")
    assert os.path.normpath(os.path.join("/campaign", found)) == f"/campaign/{found}"  # noqa: PTH118 - as the system has it


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([], []),
        (["a.csv"], ["a.csv"]),
        (["x/a.csv", "b.csv"], ["x/a.csv", "b.csv"]),
        (["x/a.csv", "x/y/b.csv"], ["a.csv", "y/b.csv"]),
        (["submissions/a.csv"], ["submissions/a.csv"]),
    ],
)
def test_a_folder_around_everything_is_left_out(paths, expected):
    assert list(without_wrapper(paths).values()) == expected


def test_a_disk_that_takes_two_names_for_one_loses_no_file(tmp_path, monkeypatch):
    """As those do that know no capital letters: it is said, and the one does not take the other's place."""
    content = ContentFolder(tmp_path / "campaign").make()
    with content.receiving() as receiver:
        receiver.write(b"1")
        stored = receiver.complete()
    exists = Path.exists

    def without_case(path, **named):
        there = (
            {each.name.lower() for each in path.parent.glob("*")} if path.parent.is_dir() else set()
        )
        return exists(path, **named) or path.name.lower() in there

    monkeypatch.setattr(Path, "exists", without_case)
    with pytest.raises(RefusedError, match=r"takes “a\.csv” and another file for one"):
        content.lay_out({"A.csv": stored, "a.csv": stored}, tmp_path / "laid")


def test_an_upload_that_ends_while_bytes_are_counted_is_no_error(hosting, monkeypatch):
    """Of twenty uploads beside fifty readers one was refused: another had come to its end between list and look."""
    content = hosting.data.content_of(hosting.campaign(hosting.person()).id)
    with content.receiving() as receiver:
        receiver.write(b"kept")
        receiver.complete()
    plain = Path.glob

    def with_one_that_is_gone(folder, pattern):
        return [*plain(folder, pattern), folder / "gone.part"]

    monkeypatch.setattr(Path, "glob", with_one_that_is_gone)
    assert content.n_bytes() == 4
