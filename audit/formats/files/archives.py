"""Archives, read as they stand: which files are in them, and the bytes of each. Nothing is ever written to a disk.

What could reach beyond the archive, or stand for two things, refuses it as a whole: paths that are absolute or lead
upwards, links, devices, a name twice, encrypted entries, and more than the limits allow. Of a zip, the table at its end
has to name everything in it.
"""

import posixpath
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import IO

from audit.domain import can_be_data
from audit.errors import InputError, Issue
from audit.formats.files import limits
from audit.formats.files.content import BROKEN_STREAM, damaged, unpacking
from audit.text import composed, plural, quoted

_ENTRY = b"PK\3\4"
_HEADER = struct.Struct("<4s22xHH")  # signature, lengths of name and extra
_DESCRIPTOR = b"PK\7\x08"
_END_SIGNATURE = b"PK\5\6"
# signature, bytes of the table of contents, length of the comment
_END = struct.Struct("<4s8xI4xH")
_MOST_OF_END = _END.size + 2**16  # bytes: the record at the end of a zip, and the comment in it
_SLICE = 2**20
_RAW = -15  # deflate without a header


def _start_of(info: zipfile.ZipInfo, file: IO[bytes]) -> int:
    """Where the content of an entry begins."""
    file.seek(info.header_offset)
    signature, n_name, n_extra = _HEADER.unpack(file.read(_HEADER.size))
    if signature != _ENTRY:
        raise zipfile.BadZipFile("its table of contents names an entry that is not there")
    return info.header_offset + _HEADER.size + int(n_name) + int(n_extra)


def _check_contents(content: zipfile.ZipFile, file: IO[bytes]) -> None:
    """Refuse a zip with entries that its table of contents leaves out, or has otherwise than they are."""
    infos = sorted(content.infolist(), key=lambda info: info.header_offset)
    limits = [*(info.header_offset for info in infos), content.start_dir]
    if limits[0]:
        raise zipfile.BadZipFile(
            "something stands before its first entry, as where two were put together"
        )
    for info, limit in zip(infos, limits[1:], strict=True):
        end = _start_of(info, file) + info.compress_size
        if end > limit:
            raise zipfile.BadZipFile("its entries overlap")
        file.seek(end)
        behind = file.read(min(limit - end, _SLICE))
        # which a stream repeats behind the content
        sizes = (info.CRC, info.compress_size, info.file_size)
        repeated = (
            mark + struct.pack(form, *sizes)
            for form in ("<III", "<IQQ")
            for mark in (_DESCRIPTOR, b"")
        )
        if behind[next((len(text) for text in repeated if behind.startswith(text)), 0) :].strip(
            b"\0"
        ):
            raise zipfile.BadZipFile(
                "it holds bytes between its entries that its table of contents does not name"
            )


def _inflated(file: IO[bytes], info: zipfile.ZipInfo) -> bytes:
    """The bytes of a deflated entry, which have to be all that its packed bytes unpack to."""
    file.seek(_start_of(info, file))
    stream = zlib.decompressobj(_RAW)
    data = stream.decompress(file.read(info.compress_size), info.file_size + 1)
    if (
        len(data) != info.file_size
        or not stream.eof
        or stream.unused_data
        or zlib.crc32(data) != info.CRC
    ):
        raise zipfile.BadZipFile("an entry is not as long as it says, or damaged")
    return data


_ENDING = re.compile(r"\.(?:zip|tgz|tar(?:\.(?:gz|zst|bz2|xz))?)$", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
BROKEN_ARCHIVE = (*BROKEN_STREAM, tarfile.TarError, zipfile.BadZipFile, struct.error, RuntimeError)
"""The exceptions that a damaged archive raises."""

_ENCRYPTED = 0x1
_UTF_8 = 0x800
_UNIX = 3
_MOST_DIRECTORY = 2**24  # bytes of a zip's table of contents: 10,000 entries with long names
_MOST_HEADER = 2**20  # bytes that a tar's header may take
_HEADERS_OF_ONE = 3  # a name, a link or records, and the member's own
_PADDING = 2**16  # bytes read at a time behind the end of a tar, of which there are
_MOST_PADDING = 2**24  # at most so many
_EXTENSIONS = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE)
_REGULAR = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_MOST_HELD = 2**28  # bytes of a compressed tar's members kept in memory, deflated


def archive_ending(path: str) -> str | None:
    """The ending that makes a file an archive; None where it is none. A workbook, which is a zip too, is none."""
    match = _ENDING.search(path)
    if match is None:
        return None
    return match[0].lower()


Member = Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of one folder, sorted by name: files and folders apart."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def listings_of(paths: Iterable[str]) -> dict[str, Listing]:
    """Every folder that paths lead through with its entries; an archive is among the folders."""
    files: dict[str, set[str]] = {"": set()}
    folders: dict[str, set[str]] = {"": set()}
    for path in paths:
        *above, _ = parts = path.split("/")
        (folders if archive_ending(path) else files).setdefault("/".join(above), set()).add(path)
        for depth in range(len(above)):
            folders.setdefault("/".join(parts[:depth]), set()).add("/".join(parts[: depth + 1]))
    every = files.keys() | folders.keys()
    return {
        folder: Listing(
            tuple(sorted(files.get(folder, ()))), tuple(sorted(folders.get(folder, ())))
        )
        for folder in every
    }


@dataclass(frozen=True, eq=False)
class Archive:
    """An open archive that was found to be safe, its wrapping folder seen through."""

    file: IO[bytes]
    members: Mapping[str, Member]
    """A way to the bytes of each file that the user packed, by its path with forward slashes below what wraps all."""
    wrapper: str = ""
    """The folder, or folders, that hold everything in it; empty where there is none."""
    n_bytes: int = 0  # bytes of all its entries, unpacked

    @cached_property
    def listings(self) -> dict[str, Listing]:
        """Every folder in it with its entries."""
        return listings_of(self.members)

    def shown(self, path: str) -> str:
        """A path in it as it is shown, whether it names the wrapping folder or not."""
        if self.wrapper and path not in self.members:
            return path.removeprefix(f"{self.wrapper}/")
        return path


def open_archive(path: str, file: IO[bytes]) -> Archive:
    """The archive in a file that stays open for as long as its members are read."""
    ending = archive_ending(path)
    guard = ArchiveGuard(path, file.seek(0, 2))
    try:
        every = dict(_zip(guard, file) if ending == ".zip" else _tar(guard, file, ending or ""))
    except BROKEN_ARCHIVE as error:
        raise InputError([damaged(path, error)]) from None
    members = {path: member for path, member in every.items() if not is_system_file(path)}
    if members:
        wrapper = posixpath.commonpath([path.rpartition("/")[0] for path in members])
    else:
        wrapper = ""
    skipped = len(wrapper) + bool(wrapper)
    return Archive(
        file, {path[skipped:]: member for path, member in members.items()}, wrapper, guard.n_bytes
    )


def check_together(path: str, n_bytes: int, outer: str, size: int) -> None:
    """Refuse an archive in another one, with which all that was opened in that unpacks to more than it may itself."""
    if n_bytes > min(limits.MOST_BYTES, limits.most_unpacked(size)):
        defect = (
            f"with what else was opened in {quoted(outer, 120)}, whose bytes are {size:,}, it "
            f"unpacks to {n_bytes:,}"
        )
        raise InputError([Issue.of("too-large", path, defect)])


def is_system_file(path: str) -> bool:
    """Whether an operating system put it there, beside what the user packed."""
    parts = path.split("/")
    return (
        parts[0] == "__MACOSX"
        or parts[-1] in {".DS_Store", "Thumbs.db", "desktop.ini"}
        or parts[-1][:2] == "._"
    )


class ArchiveGuard:
    """Checks every entry of an archive before anything of it is unpacked; whatever is unsafe refuses the archive."""

    def __init__(self, archive: str, size: int) -> None:
        self.archive = archive
        self._size = size
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._entries = 0
        self.n_bytes = 0

    def path_of(self, name: str) -> str:
        """The path of an entry, without empty parts and with its letters composed."""
        parts = [part for part in name.split("/") if part not in {"", "."}]
        if name.startswith("/") or ".." in parts or _DRIVE.match(name):
            self.refuse("unsafe-archive", f"the path {quoted(name, 120)} leads out of the archive")
        return composed("/".join(parts))

    def count(self, size: int = 0, packed: int | None = None) -> None:
        """Count an entry, with its unpacked and packed bytes, against the limits."""
        self._entries += 1
        self.n_bytes += size
        if self._entries > limits.MOST_ENTRIES:
            self.refuse("too-large", f"more than {plural(limits.MOST_ENTRIES, 'entry', 'entries')}")
        if self.n_bytes > limits.MOST_BYTES:
            self.refuse("too-large", f"its entries unpack to more than {limits.MOST_BYTES:,} bytes")
        if self.n_bytes > limits.most_unpacked(self._size):
            self.refuse("too-large", f"its {self._size:,} bytes unpack to {self.n_bytes:,} or more")
        if packed is not None and size > limits.most_unpacked(packed):
            self.refuse("too-large", f"an entry of {packed:,} bytes unpacks to {size:,}")

    def admit(self, path: str) -> None:
        """Take in a file, unless its name is that of another or of a folder; of what is never data one is enough."""
        if path in self._files and not can_be_data(path):
            return
        parts = path.split("/")
        folders = {"/".join(parts[:depth]) for depth in range(1, len(parts))}
        if path in self._files or path in self._folders or folders & self._files:
            self.refuse("unsafe-archive", f"{quoted(path, 120)} is in it twice")
        self._files.add(path)
        self._folders |= folders

    def refuse(self, slug: str, defect: str) -> None:
        """Refuse the archive as a whole."""
        raise InputError([Issue.of(slug, self.archive, defect)])


# Zip


def zip_members(path: str, file: IO[bytes]) -> Iterator[tuple[str, Member]]:
    """The files in a zip, each with a way to its bytes, once all before it were found to be safe."""
    return _zip(ArchiveGuard(path, file.seek(0, 2)), file)


def _zip(guard: ArchiveGuard, file: IO[bytes]) -> Iterator[tuple[str, Member]]:
    n_bytes, behind = _end_of(file)
    if n_bytes > _MOST_DIRECTORY:
        guard.refuse("too-large", f"a table of contents beyond {_MOST_DIRECTORY:,} bytes")
    if behind.strip(b"\0\r\n"):
        raise zipfile.BadZipFile(
            "something stands behind its end, as where a file was put behind it"
        )
    content = zipfile.ZipFile(file)
    for info in content.infolist():
        guard.count(info.file_size, info.compress_size)
        name = guard.path_of(_zip_name(info))
        if info.create_system == _UNIX:
            kind = stat.S_IFMT(info.external_attr >> 16)
        else:
            kind = 0
        if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
            guard.refuse("unsafe-archive", f"{quoted(name, 120)} is a link or a device")
        # a nameless entry cannot say whether it is a folder
        if not name or info.is_dir() or kind == stat.S_IFDIR:
            if info.file_size:
                guard.refuse(
                    "unsafe-archive",
                    f"{quoted(name, 120)} is a folder, or has no name, and holds bytes",
                )
            continue
        if info.flag_bits & _ENCRYPTED:
            guard.refuse("damaged-file", f"{quoted(name, 120)} is encrypted")
        guard.admit(name)
        yield name, partial(_zip_member, guard.archive, content, info)
    _check_contents(content, file)


def _end_of(file: IO[bytes]) -> tuple[int, bytes]:
    """Bytes of the table of contents, as the end of a zip says, before anything parses it; and what stands behind."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _MOST_OF_END))
    tail = file.read()
    at = tail.rfind(_END_SIGNATURE)
    if not 0 <= at <= len(tail) - _END.size:
        return 0, b""
    _, n_bytes, n_comment = _END.unpack_from(tail, at)
    return int(n_bytes), tail[at + _END.size + n_comment :]


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name of an entry; macOS writes UTF-8 and does not say so, and some programs write backslashes."""
    name = info.filename
    if not info.flag_bits & _UTF_8 and not name.isascii():
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _zip_member(path: str, content: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry: never more than it says, and an error where it says otherwise."""
    try:
        if info.compress_type == zipfile.ZIP_DEFLATED and content.fp is not None:
            return _inflated(content.fp, info)
        with content.open(info) as member:
            data = member.read(info.file_size + 1)
        if len(data) != info.file_size:
            raise EOFError("it is not as long as it says")
    except (*BROKEN_ARCHIVE, AssertionError) as error:
        raise InputError([damaged(f"{path}/{_zip_name(info)}", error)]) from None
    return data


# Tar


def _tar(guard: ArchiveGuard, file: IO[bytes], ending: str) -> Iterator[tuple[str, Member]]:
    file.seek(0)
    compression = ".gz" if ending == ".tgz" else ending.removeprefix(".tar")
    stream = file if ending == ".tar" else unpacking(file, compression, guard.archive)
    held = 0
    for header in _headers(stream):
        guard.count(header.size)
        name = guard.path_of(header.name)
        if header.isdir():
            continue
        if header.type not in _REGULAR or header.pax_headers:
            guard.refuse(
                "unsafe-archive", f"{quoted(name, 120)} is a link, a device or a sparse file"
            )
        member = (
            _read_later(file, header.size)
            if stream is file
            else _deflated(stream.read(header.size), header.size)
        )
        stream.read(-header.size % tarfile.BLOCKSIZE)
        held += 0 if stream is file else len(member.args[0])
        if held > _MOST_HELD:
            guard.refuse(
                "too-large", "it is compressed as a whole and too large for that: pack it as a zip"
            )
        if not name and header.size:
            guard.refuse("unsafe-archive", "an entry has no name, and holds bytes")
        if name:
            guard.admit(name)
            yield name, member


def _read_later(file: IO[bytes], size: int) -> "partial[bytes]":
    """The bytes from here, read when they are asked for."""
    start = file.tell()
    if file.seek(0, 2) < start + size:
        raise EOFError("it ends too early")
    file.seek(start + size)
    return partial(_slice, file, start, size)


def _slice(file: IO[bytes], start: int, size: int) -> bytes:
    file.seek(start)
    return file.read(size)


def _deflated(data: bytes, size: int) -> "partial[bytes]":
    """The bytes, deflated: what is compressed as a whole cannot be read from the middle."""
    if len(data) < size:
        raise EOFError("it ends too early")
    return partial(zlib.decompress, zlib.compress(data, 1))


def _headers(stream: IO[bytes]) -> Iterator[tarfile.TarInfo]:
    """The headers of a tar, each with its long name; whoever takes one reads the member before the next.

    The library's own reader cannot be made safe on every Python that is supported: it takes a header's word for how
    much to read, needs a time quadratic in the length of an extended header (CVE-2024-6232; 40 s for 128 KiB), and
    does not end where a size is negative (CVE-2025-8194). Only its parser of one 512-byte header is used.
    """
    records: dict[str, str] = {}
    for _ in range(_HEADERS_OF_ONE * limits.MOST_ENTRIES + 1):
        block = stream.read(tarfile.BLOCKSIZE)
        if not block.strip(b"\0"):
            _check_end(stream, block)
            return
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if header.type in _EXTENSIONS:
            records |= _extension(stream, header)
            continue
        header.name = records.get("path", header.name)
        if header.isdir():
            header.size = 0
        else:
            header.size = int(records.get("size", header.size))
        header.pax_headers = {
            key: value for key, value in records.items() if key.startswith("GNU.sparse")
        }
        if header.size < 0:
            raise tarfile.ReadError("a member of negative size")
        records = {}
        yield header
    raise tarfile.ReadError("too many headers")


def _check_end(stream: IO[bytes], block: bytes) -> None:
    """Refuse a tar without its last block of zeros, which was cut, or with more than zeros behind it."""
    if len(block) < tarfile.BLOCKSIZE:
        raise tarfile.ReadError("it ends without the mark that ends a tar: it was cut")
    for _ in range(_MOST_PADDING // _PADDING):
        more = stream.read(_PADDING)
        if more.strip(b"\0"):
            raise tarfile.ReadError(
                "something stands behind its end, as where two were put together"
            )
        if not more:
            return
    raise tarfile.ReadError(f"more than {_MOST_PADDING:,} bytes of zeros stand behind its end")


def _extension(stream: IO[bytes], header: tarfile.TarInfo) -> dict[str, str]:
    """The extension that a header gives the next one: a long name, or records of keys and values."""
    if not 0 <= header.size <= _MOST_HEADER:
        raise tarfile.ReadError("a header is too long")
    data = stream.read(header.size + -header.size % tarfile.BLOCKSIZE)[: header.size]
    if header.type == tarfile.GNUTYPE_LONGNAME:
        return {"path": _text(data.rstrip(b"\0"))}
    if header.type == tarfile.XHDTYPE:
        return dict(_records(data))
    return {}


def _records(data: bytes) -> Iterator[tuple[str, str]]:
    """Keys and values, each behind its length."""
    while data:
        length = data.partition(b" ")[0]
        key, _, value = data[len(length) + 1 : int(length) - 1].partition(b"=")
        yield _text(key), _text(value)
        data = data[max(1, int(length)) :]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
