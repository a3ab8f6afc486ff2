"""Whether the table of contents of a zip names everything in it, with the sizes that the entries have.

Every reader of zips trusts the table at the end. In zips that were put together it knows of the last one only, and an
entry can be longer than it says: what is then read is a part, and looks like the whole.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import IO

_ENTRY = b"PK\3\4"
_HEADER = struct.Struct("<4s2xHH4xIIIHH")  # signature, flags, method, check sum, both sizes, lengths of name and extra
_DESCRIPTOR = b"PK\7\x08"
_IS_STREAMED = 0x8
_END_SIGNATURE = b"PK\5\6"
_END = struct.Struct("<4s16xH")  # signature, length of the comment
_MOST_OF_END = _END.size + 2**16
_PROGRAMS = (b"MZ", b"#!")
"""How a program begins that unpacks itself: of Windows, and a script."""
_LARGE = 0xFFFFFFFF
_ZIP64 = 1
_SLICE = 2**20
_RAW = -15  # deflate without a header


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry as the bytes before its content have it.

    ``sizes`` are the check sum, the packed and the unpacked size; ``start`` and ``end`` the places of the content.
    """

    info: zipfile.ZipInfo
    sizes: tuple[int, int, int]
    is_streamed: bool
    start: int

    @classmethod
    def of(cls, info: zipfile.ZipInfo, file: IO[bytes]) -> "_Entry":
        file.seek(info.header_offset)
        signature, flags, _, check, packed, size, n_name, n_extra = _HEADER.unpack(file.read(_HEADER.size))
        if signature != _ENTRY:
            raise zipfile.BadZipFile("its table of contents names an entry that is not there")
        file.seek(n_name, 1)
        packed, size = _large(file.read(n_extra), packed, size)
        start = info.header_offset + _HEADER.size + n_name + n_extra
        return cls(info, (check, packed, size), bool(flags & _IS_STREAMED), start)

    @property
    def end(self) -> int:
        return self.start + self.info.compress_size

    def descriptor(self, behind: bytes) -> int:
        """How many bytes behind the content repeat the sizes, which a stream knows only there."""
        of_directory = (self.info.CRC, self.info.compress_size, self.info.file_size)
        if self.is_streamed:
            forms = (struct.pack(form, *of_directory) for form in ("<III", "<IQQ"))
            for text in (text for form in forms for text in (_DESCRIPTOR + form, form)):
                if behind.startswith(text):
                    return len(text)
        if self.sizes != of_directory:
            raise zipfile.BadZipFile("an entry has other sizes than the table of contents says")
        return 0


def _large(extra: bytes, packed: int, size: int) -> tuple[int, int]:
    """Both sizes, taken from the extra field for large sizes where they stand in it."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        values = list(struct.unpack_from(f"<{length // 8}Q", extra, at + 4)) if kind == _ZIP64 else []
        if values and size == _LARGE:
            size = values.pop(0)
        if values and packed == _LARGE:
            packed = values.pop(0)
        at += 4 + length
    return packed, size


def check_contents(content: zipfile.ZipFile, file: IO[bytes]) -> None:
    """Refuse a zip with entries that its table of contents leaves out, or has otherwise than they are."""
    infos = sorted(content.infolist(), key=lambda info: info.header_offset)
    entries = [_Entry.of(info, file) for info in infos]
    limits = [*(info.header_offset for info in infos), content.start_dir]
    for entry, (_, limit) in zip(entries, pairwise(limits), strict=True):
        if entry.end > limit:
            raise zipfile.BadZipFile("its entries overlap")
        file.seek(entry.end)
        behind = file.read(min(limit - entry.end, _SLICE))
        behind = behind[entry.descriptor(behind) :]
        if behind.strip(b"\0"):
            raise zipfile.BadZipFile("it holds bytes between its entries that its table of contents does not name")
    before, after = (0, limits[0]), (content.start_dir, file.seek(0, 2))
    if any(_ENTRY in part for span in (before, after) for part in _parts(file, *span)):
        raise zipfile.BadZipFile(
            "it holds entries that its table of contents does not name, as where two were put together"
        )
    _check_ends(file, limits[0])


def _check_ends(file: IO[bytes], start: int) -> None:
    """Refuse a zip that stands behind or before something else, such as the last member of a tar.

    A program before it, which unpacks it, is part of it.
    """
    file.seek(0)
    first = file.read(min(start, len(_PROGRAMS[0])))
    if start and first not in _PROGRAMS and any(part.strip(b"\0") for part in _parts(file, 0, start)):
        raise zipfile.BadZipFile("something stands before its first entry, as where it is the last file of a tar")
    size = file.seek(0, 2)
    file.seek(max(0, size - _MOST_OF_END))
    tail = file.read()
    at = len(tail) - _END.size if tail[-_END.size :].startswith(_END_SIGNATURE) else tail.rfind(_END_SIGNATURE)
    _, n_comment = _END.unpack_from(tail, at)
    if tail[at + _END.size + n_comment :].strip(b"\0\r\n"):
        raise zipfile.BadZipFile("something stands behind its end, as where a file was put behind it")


def _parts(file: IO[bytes], start: int, stop: int) -> Iterator[bytes]:
    """The bytes from one place to another, in pieces that overlap by a signature."""
    for at in range(start, stop, _SLICE):
        file.seek(at)
        yield file.read(min(_SLICE + len(_ENTRY) - 1, stop - at))


def inflated(file: IO[bytes], info: zipfile.ZipInfo) -> bytes:
    """The bytes of a deflated entry, which have to be all that its packed bytes unpack to."""
    file.seek(_Entry.of(info, file).start)
    stream = zlib.decompressobj(_RAW)
    data = stream.decompress(file.read(info.compress_size), info.file_size + 1)
    if len(data) != info.file_size or not stream.eof or stream.unused_data or zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile("an entry is not as long as it says, or damaged")
    return data
