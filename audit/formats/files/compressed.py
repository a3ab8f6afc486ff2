"""Compressed files, read through: gzip, Zstandard, bzip2 and xz, within the limits, and never written anywhere."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from typing import IO, Protocol

from audit.errors import InputError, Issue
from audit.extras import require
from audit.formats.files import limits
from audit.text import visible

BROKEN_STREAM = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
"""The exceptions that a damaged stream raises, whichever compression it is of."""

_SLICE = 1024  # packed bytes at a time: even a bomb's slice unpacks to some megabytes only,
_SLICE_OF_BZIP2 = 64  # of which bzip2 needs less
_MOST_DICTIONARY = 2**27  # bytes that an xz file may ask for to be unpacked: 128 MiB, as zstd itself has it


class Decompressor(Protocol):
    """The interface that the four decompressors share."""

    def decompress(self, data: bytes, /) -> bytes:
        """Unpack more data."""

    @property
    def eof(self) -> bool:
        """Whether the end of the compressed data was reached."""

    @property
    def unused_data(self) -> bytes:
        """The bytes behind the end of the compressed data."""


class _Zstandard:
    """A Zstandard frame, whose defects are OSErrors as those of bzip2 are."""

    def __init__(self, path: str) -> None:
        self._zstd = require("zst", path)
        window = {self._zstd.DecompressionParameter.window_log_max: _MOST_DICTIONARY.bit_length() - 1}
        self._frame: Decompressor = self._zstd.ZstdDecompressor(options=window)

    def decompress(self, data: bytes) -> bytes:
        try:
            return self._frame.decompress(data)
        except self._zstd.ZstdError as error:
            raise OSError(str(error)) from None

    @property
    def eof(self) -> bool:
        return self._frame.eof

    @property
    def unused_data(self) -> bytes:
        return self._frame.unused_data


_DECOMPRESSORS: Mapping[str, Callable[[str], Decompressor]] = {
    ".gz": lambda _: zlib.decompressobj(wbits=31),
    ".zst": _Zstandard,
    ".bz2": lambda _: bz2.BZ2Decompressor(),
    ".xz": lambda _: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_DICTIONARY),
}


class Unpacked:
    """A stream of what is unpacked, front to back; one that ends too early raises an EOFError."""

    def __init__(self, packed: IO[bytes], ending: str, path: str) -> None:
        self._packed = packed
        self._new = partial(_DECOMPRESSORS[ending], path)
        self._slice = _SLICE_OF_BZIP2 if ending == ".bz2" else _SLICE
        self._frame: Decompressor | None = None
        self._rest = b""  # packed bytes behind the end of a frame
        self._ready, self._at = b"", 0

    def read(self, size: int) -> bytes:
        """The next bytes: as many as asked for, or all that are left."""
        parts: list[bytes] = []
        while size > 0:
            if self._at == len(self._ready):
                self._ready, self._at = self._more(), 0
            if not self._ready:
                break
            parts.append(self._ready[self._at : self._at + size])
            self._at += len(parts[-1])
            size -= len(parts[-1])
        return b"".join(parts)

    def _more(self) -> bytes:
        """The next unpacked bytes; none at the end."""
        while data := self._rest or self._packed.read(self._slice):
            self._rest = b""
            if self._frame is None:
                data = data.lstrip(b"\0")  # gzip files may be padded
                self._frame = self._new() if data else None
            if self._frame is not None and (text := self._of_frame(self._frame, data)):
                return text
        if self._frame is not None:
            raise EOFError("it ends too early")
        return b""

    def _of_frame(self, frame: Decompressor, data: bytes) -> bytes:
        text = frame.decompress(data)
        if frame.eof:
            self._rest, self._frame = frame.unused_data, None
        return text


def compression(path: str) -> str | None:
    """The ending that says how a file is compressed; None where none does.

    >>> compression("A.csv.gz"), compression("A.csv")
    ('.gz', None)
    """
    ending = path[path.rindex(".") :].lower() if "." in path else ""
    return ending if ending in _DECOMPRESSORS else None


def inner_name(path: str) -> str:
    """The path without the ending of a compression.

    >>> inner_name("submissions/A.csv.gz"), inner_name("A.csv")
    ('submissions/A.csv', 'A.csv')
    """
    ending = compression(path)
    return path if ending is None else path[: -len(ending)]


def unpacked(path: str, data: bytes) -> bytes:
    """The bytes of a file, unpacked where its ending says that it is compressed.

    >>> unpacked("A.txt.bz2", bz2.compress(b"yes"))
    b'yes'
    """
    ending = compression(path)
    if ending is None:
        return data
    most = min(limits.MOST_BYTES, limits.most_unpacked(len(data)))
    try:
        text = Unpacked(BytesIO(data), ending, path).read(most + 1)
    except BROKEN_STREAM as error:
        raise InputError([damaged(path, error)]) from None
    if len(text) > most:
        raise InputError([Issue.of("too-large", path, f"{len(data):,} bytes unpack to more than {most:,}")])
    return text


def damaged(path: str, error: Exception) -> Issue:
    """The issue for a file that is not what its ending says."""
    return Issue.of("damaged-archive", path, visible(str(error), 120) or type(error).__name__)
