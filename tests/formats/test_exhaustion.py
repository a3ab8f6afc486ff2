"""What could exhaust the machine, or stop the program, is an issue of its file; limits are stated."""

from io import BytesIO

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet as tables

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.files import limits
from audit.formats.files.content import decode
from audit.formats.readers import parquet

GOLD = "id,label\n" + "".join(
    f"q{number},{'yes' if number % 3 else 'no'}\n" for number in range(30)
)


def rejected(tmp_path, name, content):
    """The issue for which one of two submissions is not accepted."""
    (tmp_path / "submissions").mkdir()
    (tmp_path / "gold.csv").write_text(GOLD, encoding="utf-8")
    (tmp_path / "submissions" / "A.csv").write_text(GOLD, encoding="utf-8")
    (tmp_path / "submissions" / name).write_bytes(content)
    campaign = read_campaign(tmp_path, skip_rejected=True)
    assert [submission.team for submission in campaign.submissions] == ["A"]
    ((issue,),) = (rejection.issues for rejection in campaign.rejections)
    return issue


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_cell_without_end_is_refused_before_it_is_read(tmp_path, end):
    """A cell of 100 MB took 4.5 GB."""
    lines = ["id,label", "q0,no", "q1," + "x" * limits.MOST_OF_LINE, "q2,yes"]
    issue = rejected(tmp_path, "B.csv", end.join(lines).encode())
    assert (issue.slug, issue.lines) == ("too-large", (3,))
    assert issue.found == "a line of more than 4,194,304 characters"


def test_many_lines_are_no_endless_line():
    """As long as one may be each, and one of JSON that holds a whole file."""
    line = "x" * (limits.MOST_OF_LINE - 1)
    assert len(decode("a.txt", f"{line}\n{line}\r{line}".encode()).lines) == 3
    assert len(decode("a.json", f' ["{line}{line}"]'.encode()).lines) == 1


@pytest.mark.usefixtures("copies_accepted")
def test_columns_of_different_length_are_a_damaged_file(tmp_path, monkeypatch):
    """A damaged Parquet table may hold more rows of one column than of another."""
    target = BytesIO()
    tables.write_table(pa.table({"id": ["q1", "q2"], "label": ["yes", "no"]}), target)
    original = parquet._column

    def shorter(content, name, n_before, limit):
        cells, rounded = original(content, name, n_before, limit)
        return cells[: 1 if name == "label" else None], rounded

    monkeypatch.setattr(parquet, "_column", shorter)
    issue = rejected(tmp_path, "B.parquet", target.getvalue())
    assert (issue.slug, issue.found) == ("damaged-file", "ValueError: its columns have 1 to 2 rows")


@pytest.mark.usefixtures("copies_accepted")
def test_a_nameless_entry_stops_nothing(tmp_path):
    """In a workbook, which is an archive too: it is refused, as nobody knows what the entry is."""
    from zipfile import ZipFile, ZipInfo  # noqa: PLC0415 - beside what it is for

    book, target = openpyxl.Workbook(), BytesIO()
    for line in GOLD.splitlines():
        book.active.append(line.split(","))
    book.save(target)
    with ZipFile(target, "a") as archive:
        entry = ZipInfo("x")
        entry.filename = ""
        with archive.open(entry, "w") as member:
            member.write(b"nameless")
    issue = rejected(tmp_path, "B.xlsx", target.getvalue())
    assert (issue.slug, issue.file) == ("unsafe-archive", "submissions/B.xlsx")


def test_a_line_without_end_in_gold_is_refused_too(tmp_path):
    (tmp_path / "gold.csv").write_text(GOLD + "x" * (limits.MOST_OF_LINE + 1), encoding="utf-8")
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "A.csv").write_text(GOLD, encoding="utf-8")
    with pytest.raises(InputError, match="a line of more than"):
        read_campaign(tmp_path)
