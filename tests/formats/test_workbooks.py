"""Excel workbooks: ids and labels as text, and nothing that Excel has rounded or not computed."""

import zipfile
from datetime import date, datetime, time
from io import BytesIO
from time import process_time

import pytest

from audit.formats.campaign.campaigns import read_campaign
from audit.formats.files import limits
from audit.formats.readers import excel
from tests.nightly import by_day, whole_or

from .campaigns import ANSWERS, GOLD, GOOD, refusal, write
from .tables import rows_of, with_shared_strings, workbook

AS_ANSWERED = [0, 0, 0, 1]
NUMBERS = [["id", "label"], [1, "no"], [2, "no"], [3, "no"], [4, "yes"]]


SAME_ANSWERS = {
    "text": rows_of(ANSWERS),
    "numbers": NUMBERS,
    "floats": [["id", "label"], [1.0, "no"], [2.0, "no"], [3.0, "no"], [4.0, "yes"]],
    "no header": NUMBERS[1:],
    "another order": [NUMBERS[0], *NUMBERS[:0:-1]],
    "an empty column and empty rows": [
        [],
        [None, *NUMBERS[0]],
        [],
        *([None, *row] for row in NUMBERS[1:]),
        [None],
        [],
    ],
    "notes beside": [
        [*NUMBERS[0], "remark"],
        *([*row, None] for row in NUMBERS[1:4]),
        [4, "yes", "not sure"],
    ],
    "a second sheet that is none": {"About": [["Team", "A"], ["Run", 1]], "Answers": NUMBERS},
    "labels alone": [["prediction"], ["no"], ["no"], ["no"], ["yes"]],
    "the same twice": {"Answers": NUMBERS, "Copy": NUMBERS},
}


def test_texts_can_stand_in_a_table_of_their_own(tmp_path):
    """As Excel itself writes them."""
    files = {"gold.csv": GOLD, "submissions/A.xlsx": with_shared_strings(rows_of(ANSWERS))}
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == AS_ANSWERED


@pytest.mark.parametrize("how", SAME_ANSWERS)
@pytest.mark.parametrize("ending", ["xlsx", "xlsm"])
def test_the_same_answers_are_read_however_the_workbook_keeps_them(how, ending, tmp_path):
    """None needs a setting."""
    files = {"gold.csv": GOLD, f"submissions/A.{ending}": workbook(SAME_ANSWERS[how])}
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.submissions[0].codes.tolist() == AS_ANSWERED
    assert not campaign.issues
    assert "of a workbook" in campaign.task.assumptions[-1]


def test_gold_can_be_a_workbook(tmp_path):
    """Recognised as any other table is."""
    campaign = read_campaign(
        write(tmp_path, {"gold.xlsx": workbook(rows_of(GOLD)), "submissions/A.csv": ANSWERS})
    )
    assert campaign.gold.item_ids == ("1", "2", "3", "4")


def test_cells_are_the_text_that_excel_shows(tmp_path):
    """Whole numbers without a point, truth values in capitals, dates in ISO 8601."""
    cells = [
        7,
        7.0,
        0.25,
        True,
        datetime(2031, 5, 1),  # noqa: DTZ001 - Excel knows no time zones
        datetime(2031, 5, 1, 9, 30),  # noqa: DTZ001 - likewise
        date(2031, 5, 2),
        time(9, 30),
        "007",
    ]
    rows = [
        ["id", "label"],
        *([cell, "no" if number % 2 else "yes"] for number, cell in enumerate(cells)),
    ]
    files = {
        "gold.csv": "id,label\n7,yes\n0.25,no\nTRUE,no\n2031-05-01,yes\n2031-05-01T09:30:00,no\n2031-05-02,yes\n"
        "09:30:00,no\n007,yes\n",
        "submissions/A.xlsx": workbook([rows[0], *rows[2:]]),
    }
    campaign = read_campaign(write(tmp_path, files))
    assert not campaign.issues
    assert campaign.submissions[0].codes.tolist() == [0, 1, 0, 1, 0, 1, 0, 1]


@pytest.mark.usefixtures("copies_accepted")
def test_an_id_that_excel_has_rounded_is_doubtful(tmp_path):
    """As text the same id is exact, and 15 digits are."""
    gold = "id,label\n123456789012345678,no\n999999999999999,yes\n"
    answers = [["id", "label"], [123456789012345678, "no"], [999999999999999, "yes"]]
    root = write(tmp_path, {"gold.csv": gold, "submissions/A.xlsx": workbook(answers)})
    doubtful, unknown = refusal(root)[:2]
    assert (doubtful.slug, doubtful.lines, doubtful.count) == ("doubtful-id", (), 1)
    assert doubtful.found.startswith("row 2: 1 id kept as a number of more than 15 digits")
    assert unknown.slug in {"unknown-item", "missing-item"}
    answers[1][0] = "123456789012345678"
    write(root, {"submissions/A.xlsx": workbook(answers)})
    assert read_campaign(root).submissions[0].codes.tolist() == [0, 1]


def test_a_large_number_that_is_no_id_is_no_matter(tmp_path):
    """Only ids have to be exact."""
    rows = [[*NUMBERS[0], "time"], *([*row, 10**17 + 1] for row in NUMBERS[1:])]
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": workbook(rows)})
    assert read_campaign(root).submissions[0].codes.tolist() == AS_ANSWERED


@pytest.mark.parametrize(
    "rows",
    [
        [*NUMBERS[:3], [3, '=IF(1,"no")'], [4, "yes"]],
        [[1, '="no"'], [2, "no"], [3, "no"], [4, '="yes"']],
    ],
)
def test_a_formula_without_a_stored_value_is_named(rows, tmp_path):
    """It is not computed, and not taken for an unanswered item."""
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": workbook(rows)})
    assert "formula-without-value" in {issue.slug for issue in refusal(root)}


def test_a_formula_without_a_stored_value_is_named_with_its_row(tmp_path):
    """Also where only the last label is one, in a sheet of labels alone."""
    answers = [
        [*NUMBERS[0]],
        *([row[0], '=LOWER("NO")' if row[0] == 3 else row[1]] for row in NUMBERS[1:]),
    ]
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": workbook(answers)})
    assert "row 4: 1 formula without a value" in [issue.found for issue in refusal(root)]
    labels = workbook([["no"], ["yes"], ["no"], ['="yes"']])
    root = write(tmp_path / "labels", {"gold.xlsx": labels, "submissions/A.csv": ANSWERS})
    assert "formula-without-value" in {issue.slug for issue in refusal(root)}


def test_a_text_that_pandas_took_for_a_formula_is_no_matter(tmp_path):
    """In a column that nobody reads."""
    rows = [
        ["id", "text", "label"],
        *([number, "=) ok" if number % 2 else "ok", label] for number, label in NUMBERS[1:]),
    ]
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": workbook(rows)})
    assert read_campaign(root).submissions[0].codes.tolist() == AS_ANSWERED


@pytest.mark.parametrize(
    "text", [b"<c " * 500_000, b"<row " * 500_000, b"<c><f>1</f>" + b" " * 1_000_000]
)
def test_a_sheet_is_looked_through_in_a_time_as_long_as_it_is(text, tmp_path):
    """Half a million openings of cells in a comment, which are some kilobytes in a workbook, took hours."""
    data = with_part(
        workbook(NUMBERS),
        SHEET,
        lambda xml: xml.replace(b"<sheetData>", b"<!--" + text + b"--><sheetData>"),
    )
    started = process_time()
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": data})
    assert read_campaign(root).submissions[0].codes.tolist() == AS_ANSWERED
    assert process_time() - started < 20


def with_part(data, name, replace):
    """The workbook with one of its parts changed."""
    file = BytesIO()
    with (
        zipfile.ZipFile(BytesIO(data)) as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for entry in old.infolist():
            content = old.read(entry)
            new.writestr(entry.filename, replace(content) if entry.filename == name else content)
    return file.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


def test_the_stored_value_of_a_formula_is_read(tmp_path):
    """As the program that wrote the workbook computed it."""
    data = workbook([*NUMBERS[:4], [4, '=LOWER("YES")']])
    stored = with_part(
        data,
        SHEET,
        lambda xml: (
            xml.replace(b"<v></v>", b"<v>yes</v>")
            .replace(b"<v />", b"<v>yes</v>")
            .replace(b'<c r="B5">', b'<c r="B5" t="str">')
        ),
    )
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": stored})
    assert read_campaign(root).submissions[0].codes.tolist() == AS_ANSWERED


def test_two_sheets_with_different_answers_have_to_be_decided(tmp_path):
    """By name or by number, and the line that decides does."""
    other = [NUMBERS[0], [1, "yes"], *NUMBERS[2:]]
    files = {"gold.csv": GOLD, "submissions/A.xlsx": workbook({"Run 1": NUMBERS, "Run 2": other})}
    (issue,) = refusal(tmp_path, files)
    assert issue.slug == "ambiguous-reading"
    assert 'sheet = "Run 1" · or · sheet = "Run 2"' in issue.remedy
    assert "row 2: id “1”, label “no”" in issue.found
    for sheet, first in (('"Run 1"', 0), ('"Run 2"', 1), ("1", 0), ("2", 1)):
        write(tmp_path, {"task.toml": f"[submissions]\nsheet = {sheet}\n"})
        assert read_campaign(tmp_path).submissions[0].codes[0] == first


@pytest.mark.parametrize("sheet", ['"Run"', "3"])
def test_a_sheet_that_is_not_there_is_named_with_those_that_are(sheet, tmp_path):
    """By name or by number."""
    files = {
        **GOOD,
        "submissions/A.xlsx": workbook({"Run 1": NUMBERS}),
        "task.toml": f"[submissions]\nsheet = {sheet}\n",
    }
    issue = next(issue for issue in refusal(tmp_path, files) if issue.file.endswith("xlsx"))
    assert issue.slug == "no-such-column"
    assert "“Run 1”" in issue.found


def test_rows_above_the_header_can_be_skipped(tmp_path):
    """A title, a date, and whatever else stands there."""
    rows = [["Results of team A"], ["handed in", date(2031, 5, 1)], [], *NUMBERS]
    toml = '[submissions]\nformat = "excel"\nskip = 3\nheader = true\nid = "id"\nlabel = "label"\n'
    files = {"gold.csv": GOLD, "submissions/A.xlsx": workbook(rows), "task.toml": toml}
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == AS_ANSWERED


def test_a_text_file_where_a_workbook_is_stated_is_refused_and_the_other_way_round(tmp_path):
    """Each says what it is instead."""
    files = {**GOOD, "submissions/B.xlsx": workbook(NUMBERS)}
    root = write(tmp_path, files)
    for name, file, found in (("excel", "A.csv", "it is text"), ("delimited", "B.xlsx", "“excel”")):
        write(root, {"task.toml": f'[submissions]\nformat = "{name}"\n'})
        (issue,) = refusal(root)
        assert (issue.slug, issue.file) == ("unrecognised", f"submissions/{file}")
        assert found in issue.found


# What could harm


BILLION = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "no"><!ENTITY c "&b;&b;&b;">]>'


@pytest.mark.parametrize("name", [SHEET, "xl/workbook.xml", "[Content_Types].xml"])
def test_entities_are_never_expanded(name, tmp_path):
    """A workbook that declares any is damaged."""
    hostile = with_part(
        workbook(rows_of(ANSWERS)),
        name,
        lambda xml: (
            BILLION + xml.partition(b"?>")[2] if xml.startswith(b"<?xml") else BILLION + xml
        ),
    )
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": hostile})
    assert issue.slug == "damaged-file"
    assert "EntitiesForbidden" in issue.found


def test_an_external_entity_reads_no_file(tmp_path):
    """Nothing of it reaches a label or a message."""
    (tmp_path / "secret").write_text("SECRET")
    doctype = f'<!DOCTYPE a [<!ENTITY b SYSTEM "{(tmp_path / "secret").as_uri()}">]>'
    rows = [[cell.replace("yes", "&b;") for cell in row] for row in rows_of(ANSWERS)]
    hostile = with_shared_strings(rows, doctype)
    (issue,) = refusal(tmp_path / "campaign", {"gold.csv": GOLD, "submissions/A.xlsx": hostile})
    assert issue.slug == "damaged-file"
    assert "EntitiesForbidden" in issue.found
    assert "SECRET" not in str(issue)


def bomb(size):
    """A workbook with a part that is nothing but blanks."""
    file = BytesIO(workbook(NUMBERS))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/blanks.xml", b" " * size)
    return file.getvalue()


def test_a_workbook_that_is_small_only_while_packed_is_not_unpacked(tmp_path, monkeypatch):
    """Nor one with more parts than any has."""
    monkeypatch.setattr(limits, "MOST_ENTRIES", whole_or(100, limits.MOST_ENTRIES))
    file = BytesIO(workbook(NUMBERS))
    with zipfile.ZipFile(file, "a") as archive:
        for number in range(limits.MOST_ENTRIES):
            archive.writestr(f"xl/{number}.xml", b"")
    for data in (bomb(limits.ANY_RATIO + 1), file.getvalue()):
        (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": data})
        assert issue.slug == "too-large"


@pytest.mark.parametrize("place", [b'<row r="2000000"', b'<row r="99999999999"'])
@by_day(1)
def test_a_row_far_away_is_refused_in_time(place, tmp_path):
    """The rows between are not made up one by one for ever."""
    data = with_part(workbook(NUMBERS), SHEET, lambda xml: xml.replace(b'<row r="5"', place))
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": data})
    assert issue.slug == "too-large"


@pytest.mark.parametrize("limit", [5, 9])
def test_a_sheet_of_too_many_cells_is_refused(limit, tmp_path, monkeypatch):
    """Counted while they are read, and again with the cells that fill up the rows."""
    monkeypatch.setattr(excel, "MOST_CELLS", limit)
    rows = [["id", "label"], [1, "no", "x"], [2], [3]]
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": workbook(rows)})
    assert issue.slug == "too-large"


DAMAGE = {
    "cut off": lambda data: data[: len(data) // 2],
    "no sheet": lambda data: with_part(data, SHEET, lambda _: b""),
    "a shared string that is not there": lambda data: with_part(
        data, SHEET, lambda xml: xml.replace(b'r="A2" t="n"', b'r="A2" t="s"')
    ),
    "no number": lambda data: with_part(
        data, SHEET, lambda xml: xml.replace(b"<v>1</v>", b"<v>one</v>")
    ),
    "a column beyond the last": lambda data: with_part(
        data, SHEET, lambda xml: xml.replace(b'r="A2"', b'r="AAAAAA2"')
    ),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_workbook_is_an_issue(how, tmp_path):
    """Whatever openpyxl makes of it."""
    data = DAMAGE[how](workbook(NUMBERS))
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": data})
    assert issue.slug == "damaged-file"


def test_a_zip_archive_that_is_no_workbook_is_said_to_be_one(tmp_path):
    """A workbook is known by its parts, not by its ending."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("answers.csv", ANSWERS)
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.xlsx": file.getvalue()})
    assert (issue.slug, issue.found) == ("binary-file", "it looks like a ZIP archive")
