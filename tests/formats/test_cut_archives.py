"""Archives that were cut, put together, or that contradict themselves: never a part of one is taken for the whole."""

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from itertools import product

import pytest

from audit.errors import InputError
from audit.extras import require
from audit.formats.campaign.campaigns import read_campaign
from tests.nightly import by_day

from .campaigns import ANSWERS, GOLD, GOOD, tarred, write, zipped
from .tables import parquet_table, workbook

COMPRESSED = {
    ".tar": bytes,
    ".tar.gz": gzip.compress,
    ".tar.bz2": bz2.compress,
    ".tar.xz": lzma.compress,
    ".tar.zst": require("zst", "").compress,
}
FIRST, SECOND = {"A.csv": ANSWERS, "B.csv": ANSWERS}, {"C.csv": ANSWERS}
MEMBER = 2 * tarfile.BLOCKSIZE  # a header, and a short file


def slugs(root, files):
    """The issues of a campaign, by their slugs; none where it is read."""
    try:
        campaign = read_campaign(write(root, {"gold.csv": GOLD, **files}))
    except InputError as error:
        return {issue.slug for issue in error.issues}
    return sorted(submission.team for submission in campaign.submissions)


@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize(
    "length", [MEMBER, 2 * MEMBER, MEMBER + tarfile.BLOCKSIZE, 2 * MEMBER + 100]
)
def test_a_tar_that_was_cut_is_damaged(ending, length, tmp_path):
    """Also between two members, and behind the last one: a tar ends with a block of zeros."""
    cut = COMPRESSED[ending](tarred(FIRST)[:length])
    assert slugs(tmp_path, {f"submissions{ending}": cut}) == {"damaged-file"}


@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize("is_compressed_before", [True, False])
def test_two_tars_in_one_file_are_damaged(ending, is_compressed_before, tmp_path):
    """Put together packed or unpacked: what stands behind the end would be lost."""
    pack = COMPRESSED[ending]
    both = (
        pack(tarred(FIRST)) + pack(tarred(SECOND))
        if is_compressed_before
        else pack(tarred(FIRST) + tarred(SECOND))
    )
    assert slugs(tmp_path, {f"submissions{ending}": both}) == {"damaged-file"}


@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize(
    "n_zeros", [tarfile.BLOCKSIZE, 2 * tarfile.BLOCKSIZE, 10 * tarfile.RECORDSIZE]
)
def test_a_tar_with_little_or_much_behind_its_end_is_whole(ending, n_zeros, tmp_path):
    """As long as it is nothing but zeros."""
    content = COMPRESSED[ending](tarred(FIRST)[: 2 * MEMBER] + bytes(n_zeros))
    assert slugs(tmp_path, {f"submissions{ending}": content}) == ["A", "B"]


def test_a_tar_of_too_many_headers_is_damaged(tmp_path, monkeypatch):
    """Those behind the last that is looked at would be lost."""
    monkeypatch.setattr("audit.formats.files.limits.MOST_ENTRIES", 2)
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in ("A" * 200, "B" * 200):
            header = tarfile.TarInfo(f"{name}.csv")
            header.size = len(ANSWERS)
            archive.addfile(header, io.BytesIO(ANSWERS.encode()))
    long_link = tarfile.TarInfo("x")
    long_link.type = tarfile.GNUTYPE_LONGLINK
    content = 3 * long_link.tobuf() + file.getvalue()
    assert slugs(tmp_path, {"submissions.tar": content}) == {"damaged-file"}


# Zip


@pytest.mark.parametrize("tail", [b"", b"a comment, or the end of a mail"])
def test_two_zips_in_one_file_are_damaged(tail, tmp_path):
    """Only the table of contents at the end counts, and the other's files would be lost."""
    both = zipped(FIRST) + zipped(SECOND) + tail
    assert slugs(tmp_path, {"submissions.zip": both}) == {"damaged-file"}


def test_a_zip_before_one_that_was_cut_is_damaged(tmp_path):
    """The second has lost its table of contents."""
    assert slugs(tmp_path, {"submissions.zip": zipped(FIRST) + zipped(SECOND)[:60]}) == {
        "damaged-file"
    }


def test_an_entry_that_the_table_of_contents_leaves_out_is_a_damage(tmp_path):
    """Of three, the second."""
    content = zipped({"A.csv": ANSWERS, "B.csv": ANSWERS, "C.csv": ANSWERS})
    first = content.index(b"PK\1\2")
    second, third = content.index(b"PK\1\2", first + 4), content.rindex(b"PK\1\2")
    end = bytearray(content[content.index(b"PK\5\6") :])
    size = struct.unpack_from("<I", end, 12)[0] - (third - second)
    struct.pack_into("<HHI", end, 8, 2, 2, size)
    hidden = content[:second] + content[third : content.index(b"PK\5\6")] + bytes(end)
    assert len(zipfile.ZipFile(io.BytesIO(hidden)).namelist()) == 2
    assert slugs(tmp_path, {"submissions.zip": hidden}) == {"damaged-file"}


def shortened(content, size, *, everywhere, packed):
    """A zip whose only entry is said to be shorter than it is, with the check sum of its beginning."""
    changed = bytearray(content)
    check = zlib.crc32(ANSWERS.encode()[:size])
    central = content.index(b"PK\1\2")
    for at in [central + 16, 14] if everywhere else [central + 16]:
        struct.pack_into("<I", changed, at, check)
        struct.pack_into("<I", changed, at + 8, size)
        if packed:
            struct.pack_into("<I", changed, at + 4, size)
    return bytes(changed)


def streamed(members, method):
    """A zip as a stream writes it, with the sizes behind each entry."""

    class _Stream(io.RawIOBase):
        def __init__(self):
            self.parts = []

        def writable(self):
            return True

        def write(self, data):
            self.parts.append(bytes(data))
            return len(data)

    stream = _Stream()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return b"".join(stream.parts)


@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("is_streamed", [True, False])
def test_a_member_that_is_said_to_be_shorter_is_damaged(everywhere, method, is_streamed, tmp_path):
    """Its beginning is another submission: the last items would be unanswered."""
    if is_streamed:
        content = streamed({"A.csv": ANSWERS}, method)
    else:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.writestr("A.csv", ANSWERS)
        content = file.getvalue()
    short = shortened(
        content,
        len("id,label\n1,no\n2,no\n"),
        everywhere=everywhere,
        packed=method == zipfile.ZIP_STORED,
    )
    assert zipfile.ZipFile(io.BytesIO(short)).read("A.csv") == b"id,label\n1,no\n2,no\n"
    assert slugs(tmp_path, {"submissions.zip": short}) == {"damaged-file"}


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
@pytest.mark.parametrize("make", ["plain", "streamed", "large"])
def test_a_zip_of_any_kind_is_read(method, make, tmp_path):
    """Whatever the compression; streamed, or with 64-bit sizes."""
    if make == "streamed":
        content = streamed(FIRST, method)
    else:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            for name, text in FIRST.items():
                with archive.open(name, "w", force_zip64=make == "large") as member:
                    member.write(text.encode())
        content = file.getvalue()
    assert slugs(tmp_path, {"submissions.zip": content}) == ["A", "B"]


def test_a_folder_with_content_is_no_folder(tmp_path):
    """A file whose entry says that it is one would be lost."""
    content = bytearray(zipped(FIRST))
    content[content.index(b"PK\1\2") + 38] |= 0x10  # the mark of a folder on DOS
    struct.pack_into("<H", content, content.index(b"PK\1\2") + 40, stat.S_IFDIR)
    assert slugs(tmp_path, {"submissions.zip": bytes(content)}) == {"unsafe-archive"}


@pytest.mark.parametrize("name", ["", ".", "./"])
def test_an_entry_without_a_name_and_with_content_is_refused(name, tmp_path):
    """Nobody would know whose it is; without content it is nothing."""
    header = tarfile.TarInfo(name or ".")
    header.size = len(ANSWERS)
    block = header.tobuf() if name else header.tobuf().replace(b".", b"\0", 1)
    packed = bytearray(block + ANSWERS.encode().ljust(tarfile.BLOCKSIZE, b"\0") + tarred(SECOND))
    packed[148:156] = b"%06o\0 " % (sum(packed[:148]) + 8 * 32 + sum(packed[156:512]))
    assert slugs(tmp_path, {"submissions.tar": bytes(packed)}) == {"unsafe-archive"}
    assert slugs(tmp_path / "zip", {"submissions.zip": zipped({"x/./": "", **SECOND})}) == ["C"]


# Workbooks and tables


def test_two_workbooks_in_one_file_are_damaged(tmp_path):
    """They are zips."""
    rows = [["id", "label"], *([str(item), "no"] for item in range(1, 5))]
    both = workbook(rows) + workbook(rows)
    assert slugs(tmp_path, {"submissions/A.xlsx": both}) == {"damaged-file"}


def test_two_parquet_tables_in_one_file_are_damaged(tmp_path):
    """The second's places would be looked up in the first."""
    one, other = (
        parquet_table(id=["1", "2", "3", "4"], label=[label] * 4) for label in ("no", "yes")
    )
    assert slugs(tmp_path / "b", {**GOOD, "submissions/A.csv": one}) == ["A"]
    assert slugs(tmp_path / "a", {**GOOD, "submissions/A.csv": one + other}) == {"damaged-file"}


ONE = zipped({"C.csv": ANSWERS})
BESIDE_A_ZIP = {
    "the last member of a tar": tarred(
        {"A.tar.gz": gzip.compress(tarred({"A.csv": ANSWERS})), "C.zip": ONE}
    ),
    "behind a program that unpacks it": b"MZ\x90 a program" + ONE,
    "behind a table": ANSWERS.encode() + ONE,
    "behind a tar": tarred(FIRST) + ONE,
    "before a table": ONE + ANSWERS.encode(),
    "before a packed tar": ONE + gzip.compress(tarred(FIRST)),
    "before a tar": ONE + tarred(FIRST),
}


@pytest.mark.parametrize("case", BESIDE_A_ZIP)
def test_a_zip_that_stands_beside_something_else_is_damaged(case, tmp_path):
    """Its readers find its end and its entries, and would leave out the rest."""
    assert zipfile.ZipFile(io.BytesIO(BESIDE_A_ZIP[case])).namelist() == ["C.csv"]
    assert slugs(tmp_path, {"submissions.zip": BESIDE_A_ZIP[case]}) == {"damaged-file"}


@pytest.mark.parametrize("behind", [b"\r\n", bytes(99)])
def test_empty_bytes_behind_a_zip_lose_nothing(behind, tmp_path):
    """So it is read."""
    assert slugs(tmp_path, {"submissions.zip": ONE + behind}) == ["C"]


PACKED = {
    ".csv": bytes,
    ".zip": lambda text: zipped({"A.csv": text}),
    **{
        f".tar{ending[4:]}": lambda text, pack=pack: pack(tarred({"A.csv": text}))
        for ending, pack in COMPRESSED.items()
    },
    ".csv.gz": gzip.compress,
    ".csv.bz2": bz2.compress,
    ".csv.xz": lzma.compress,
    ".csv.zst": require("zst", "").compress,
}
PARTS = {**PACKED, "zeros": lambda _: bytes(1024), "a line end": lambda _: b"\n"}


@pytest.mark.parametrize("called", PACKED)
@by_day(2)
def test_of_two_files_in_one_none_is_lost(called, tmp_path):
    """Whatever is put behind whatever, under whatever ending: it is refused, or one of the two holds nothing."""
    texts = ANSWERS.encode(), ANSWERS.replace("4,yes", "4,no").encode()
    answers = [0, 0, 0, 1], [0, 0, 0, 0]
    for number, (first, second) in enumerate(product(PARTS, PARTS)):
        place = "submissions/A" if called.startswith(".csv") else "submissions"
        data = PARTS[first](texts[0]) + PARTS[second](texts[1])
        root = write(tmp_path / str(number), {"gold.csv": GOLD, f"{place}{called}": data})
        try:
            (submission,) = read_campaign(root).submissions
        except InputError:
            assert (first, second) != (called, "zeros") or called == ".csv"
            continue
        assert {first, second} & {"zeros", "a line end"}
        assert submission.codes.tolist() == answers[second not in {"zeros", "a line end"}]
