"""The bytes of a file, unpacked where they are compressed, and its text, decoded once."""

import bz2
import codecs
import lzma
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from io import BufferedReader, BytesIO, RawIOBase
from typing import IO, Any, TypeVar

from audit.errors import InputError, Issue
from audit.extras import require
from audit.formats.files import limits
from audit.formats.files.numpy_array import SIGNATURE, array_as_text
from audit.text import plural, quoted, visible

BROKEN_STREAM = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
"""The exceptions that a damaged stream raises, whichever compression it is of."""

_SLICE = 1024  # packed bytes at a time: even a bomb's slice unpacks to some megabytes only,
_SLICE_OF_BZIP2 = 64  # of which bzip2 needs less
# bytes that an xz file may ask for to be unpacked: 128 MiB, as zstd itself has it
_MOST_DICTIONARY = 2**27


Decompressor = Any  # that of a library: decompress(data), eof and unused_data


def _zstandard(path: str) -> Decompressor:
    zstd = require("zst", path)
    window = {zstd.DecompressionParameter.window_log_max: _MOST_DICTIONARY.bit_length() - 1}
    return zstd.ZstdDecompressor(options=window)


_DECOMPRESSORS: Mapping[str, Callable[[str], Decompressor]] = {
    ".gz": lambda _: zlib.decompressobj(wbits=31),
    ".zst": _zstandard,
    ".bz2": lambda _: bz2.BZ2Decompressor(),
    ".xz": lambda _: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_DICTIONARY),
}


def _pieces(packed: IO[bytes], ending: str, path: str) -> Iterator[bytes]:
    """What is unpacked, front to back, of one frame after another; an EOFError where the last one ends too early."""
    frame: Decompressor | None = None
    while data := packed.read(_SLICE_OF_BZIP2 if ending == ".bz2" else _SLICE):
        while data:
            if frame is None and not (data := data.lstrip(b"\0")):  # gzip files may be padded
                break
            frame = frame or _DECOMPRESSORS[ending](path)
            try:
                yield frame.decompress(data)
            except MemoryError:  # it says nothing of the file
                raise
            except Exception as error:  # noqa: BLE001 - each library has an exception of its own
                raise OSError(str(error) or type(error).__name__) from None
            if frame.eof:
                data = frame.unused_data
                frame = None
            else:
                data = b""
    if frame is not None:
        raise EOFError("it ends too early")


class _Unpacked(RawIOBase):
    """A stream of pieces."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._further, self._piece = filter(None, pieces), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - of bytes
        self._piece = self._piece or memoryview(next(self._further, b""))
        size = min(len(buffer), len(self._piece))
        buffer[:size], self._piece = self._piece[:size], self._piece[size:]
        return size


def unpacking(packed: IO[bytes], ending: str, path: str) -> BufferedReader:
    """A stream of what is unpacked."""
    return BufferedReader(_Unpacked(_pieces(packed, ending, path)))


def compression(path: str) -> str | None:
    """The ending that says how a file is compressed; None where none does."""
    if "." in path:
        ending = path[path.rindex(".") :].lower()
    else:
        ending = ""
    if ending in _DECOMPRESSORS:
        return ending
    return None


def inner_name(path: str) -> str:
    """The path without the ending of a compression."""
    ending = compression(path)
    if ending is None:
        return path
    return path[: -len(ending)]


def unpacked(path: str, data: bytes) -> bytes:
    """The bytes of a file, unpacked where its ending says that it is compressed."""
    ending = compression(path)
    if ending is None:
        return data
    most = min(limits.MOST_BYTES, limits.most_unpacked(len(data)))
    # which grows: a stream that is asked for so many bytes makes room for all of them first
    text = BytesIO()
    try:
        for piece in _pieces(BytesIO(data), ending, path):
            if text.tell() + len(piece) > most:
                raise InputError(
                    [
                        Issue.of(
                            "too-large", path, f"{len(data):,} bytes unpack to more than {most:,}"
                        )
                    ]
                )
            text.write(piece)
    except BROKEN_STREAM as error:
        raise InputError([damaged(path, error)]) from None
    return text.getvalue()


@contextmanager
def refusing_damage(content: "Content", extra: str) -> Iterator[None]:
    """Refuse a file where the libraries of an extra are missing, or fail to read it."""
    require(extra, content.path)
    try:
        yield
    except InputError:
        raise
    except (Exception, MemoryError) as error:  # noqa: BLE001 - whatever a damaged file makes a library raise
        cause = error.__cause__ or error
        defect = f"{type(cause).__name__}: {visible(str(cause).partition(chr(10))[0], 160)}"
        raise InputError([Issue.of("damaged-file", content.path, defect)]) from None


def damaged(path: str, error: Exception) -> Issue:
    """The issue for a file that is not what its ending says."""
    return Issue.of("damaged-file", path, visible(str(error), 120) or type(error).__name__)


Parsed = TypeVar("Parsed")

_SIGNATURES = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh91AY&SY", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\xd0\xcf\x11\xe0", "an old Office document, or one with a password"),
)
_ZIP = b"PK\x03\x04"
_WORKBOOK_PART = b"xl/"
_PARQUET = b"PAR1"
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WITHOUT_MARK = (
    "save it as UTF-8 text; or, where all files of its kind are UTF-16 without the byte order mark that would say so, "
    'write into task.toml, under [gold] or [submissions]: encoding = "utf-16-le"'
)
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Content:
    """The decoded text of a file, or the bytes of one in a format that is no text."""

    path: str  # relative to the campaign folder
    text: str
    """The text without its byte order mark, line ends as they stand; empty where the file is no text."""
    data: bytes = b""  # the bytes where the file is no text
    binary_format: str | None = None  # `excel` or `parquet` where the bytes begin so; None for text
    _parsed: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def parsed(self, key: str, parse: Callable[["Content"], Parsed]) -> Parsed:
        """The result of parsing the whole content, made once however many layouts are tried."""
        if key not in self._parsed:
            self._parsed[key] = parse(self)
        value: Parsed = self._parsed[key]
        return value

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends: LF, CRLF or CR; a final line end ends the last line."""
        if "\r" in self.text:
            text = self.text.replace("\r\n", "\n").replace("\r", "\n")
        else:
            text = self.text
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        return lines


def decode(path: str, data: bytes, encoding: str | None = None) -> Content:
    """The text of a file: by its byte order mark, UTF-8 or UTF-16; or the encoding that task.toml names, or UTF-8."""
    binary_format = _binary_format(data)
    if binary_format is not None:
        return Content(path, "", data, binary_format)
    if data.startswith(SIGNATURE):
        data = array_as_text(path, data).encode()
    for signature, looks_like in _SIGNATURES:
        if data.startswith(signature):
            raise InputError([Issue.of("binary-file", path, f"it looks like {looks_like}")])
    # A mark says more of its file than task.toml, which says the same of all.
    codec = next(
        (name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), encoding or "utf-8"
    )
    try:
        text = data.decode(codec)
        # UTF-7 can smuggle in half a surrogate pair, which no store and no page can hold
        text.encode("utf-8")
    except UnicodeError as error:
        raise InputError([_undecodable(path, data, codec, error)]) from None
    if "\0" in text:
        line = Content(path, text[: text.index("\0")] + "|").lines
        defect = "it contains a NUL character"
        raise InputError(
            [Issue.of("binary-file", path, defect, lines=[len(line)], remedy=_WITHOUT_MARK)]
        )
    content = Content(path, text.removeprefix("\ufeff"))
    if not content.text or content.text.isspace():
        defect = "only blanks" if content.text else "no content"
        raise InputError([Issue.of("empty-file", path, f"{plural(len(data), 'byte')}, {defect}")])
    if (n_lines := max(text.count("\n"), text.count("\r"))) > limits.MOST_ITEMS:
        defect = f"{n_lines:,} lines, and at most {limits.MOST_ITEMS:,} are read"
        raise InputError([Issue.of("too-large", path, defect)])
    endless = _endless_line(content.text)
    if endless is not None:
        defect = f"a line of more than {limits.MOST_OF_LINE:,} characters"
        raise InputError([Issue.of("too-large", path, defect, lines=[endless])])
    return content


def _endless_line(text: str) -> int | None:
    """The first line that is longer than a line may be; JSON may have all of its text on one."""
    start = 0
    while len(text) - start > limits.MOST_OF_LINE:
        stop = start + limits.MOST_OF_LINE + 1
        end = max(text.rfind("\n", start, stop), text.rfind("\r", start, stop))
        if end < 0:
            if text.lstrip()[:1] in {"[", "{"}:
                return None
            return len(_LINE_END.findall(text, 0, start)) + 1
        start = end + 1
    return None


def _binary_format(data: bytes) -> str | None:
    """The format that is no text and can be read."""
    if data.startswith(_ZIP) and _WORKBOOK_PART in data:
        return "excel"
    if data.startswith(_PARQUET) and data.endswith(_PARQUET):
        return "parquet"
    return None


def _undecodable(path: str, data: bytes, codec: str, error: UnicodeError) -> Issue:
    if b"\0" in data and codec in {"utf-8", "utf-8-sig"}:
        return Issue.of(
            "binary-file", path, "it contains NUL bytes and is no UTF-8 text", remedy=_WITHOUT_MARK
        )
    if not isinstance(error, UnicodeDecodeError):
        return Issue.of("wrong-encoding", path, f"the bytes are not {codec} text")
    before = data[: error.start].decode(codec, errors="replace")
    line = 1 + len(_LINE_END.findall(before))
    if codec.startswith("utf-8"):
        name = "UTF-8"
    else:
        name = codec
    defect = f"byte 0x{data[error.start]:02x} behind {quoted(_LINE_END.split(before)[-1][-20:])} is not {name}"
    return Issue.of("wrong-encoding", path, defect, lines=[line])
