"""Labels that look alike and are not: refused in gold unless declared, and told apart by code points in messages."""

import json

import pytest

from audit.formats.campaign.campaigns import read_campaign
from audit.text import look_of, told_apart
from tests.nightly import by_day

from .campaigns import refusal, write
from .tables import parquet_table, workbook

PAIRS = {
    "composed and decomposed": ("caf\u00e9", "cafe\u0301", "U+00E9"),
    "a character without width": ("ab", "a\u200bb", "U+200B"),
    "a joiner": ("ab", "ab\u2060", "U+2060"),
    "a soft hyphen": ("ab", "a\u00adb", "U+00AD"),
    "a byte order mark": ("ab", "\ufeffab", "U+FEFF"),
    "a no-break space": ("not hate", "not\u00a0hate", "U+00A0"),
    "two blanks": ("not hate", "not  hate", "U+0020"),
    "a tab": ("not hate", "not\thate", "U+0009"),
    "a full-width letter": ("A1", "\uff21\uff11", "U+FF21 U+FF11"),
    "a Cyrillic letter": ("pos", "p\u043es", "U+043E"),
    "a Greek letter": ("A", "\u0391", "U+0391"),
    "another hyphen": ("non-hate", "non\u2011hate", "U+2011"),
    "another apostrophe": ("don't", "don\u2019t", "U+2019"),
    "a heart as text and as a picture": ("\u2764", "\u2764\ufe0f", "U+FE0F"),
    "a filler that is a letter by name": ("ab", "ab\u3164", "U+3164"),
    "a Braille cell without dots": ("ab", "\u2800ab", "U+2800"),
    "a joiner of marks": ("ab", "a\u034fb", "U+034F"),
    "quotes": ("pos", '"pos"', '“"pos"”'),
    "a number with an exponent": ("1000", "1e3", "“1e3”"),
    "a digit of another script": ("1", "\u0661", "“\u0661”"),
    "a number with a point": ("1", "1.0", "“1.0”"),
    "a number with a sign": ("1", "+1", "“+1”"),
    "a number with a comma": ("0.5", "0,5", "“0,5”"),
    "upper case": ("pos", "Pos", "“Pos”"),
    "a blank at the end": ("pos", "pos ", "U+0020"),
}
APART = [
    ("C", "C++"),
    ("1", "10"),
    ("1", "-1"),
    ("yes", "no"),
    ("\U0001f602", "\U0001f923"),
    ("a", "á"),
    ("x", "x²"),
]
QUOTE = '"'
FORMS = {
    "csv": lambda rows: "\n".join(
        "\t".join(f'"{cell.replace(QUOTE, QUOTE * 2)}"' for cell in row) for row in rows
    ),
    "xlsx": workbook,
    "json": lambda rows: json.dumps([dict(zip(rows[0], row, strict=True)) for row in rows[1:]]),
    "parquet": lambda rows: parquet_table(
        **dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    ),
}


def campaign_files(form, labels, **more):
    """Gold with these labels and a third, and the same answers."""
    given = [*labels, "other"] * 3
    rows = [["id", "label"], *([f"i{number}", label] for number, label in enumerate(given))]
    return {f"gold.{form}": FORMS[form](rows), f"submissions/A.{form}": FORMS[form](rows), **more}


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("pair", PAIRS)
@by_day(34)
def test_gold_labels_that_look_alike_are_refused_unless_declared(form, pair, tmp_path):
    """In any format; the message says in what they differ."""
    *labels, shown = PAIRS[pair]
    (issue,) = refusal(tmp_path / "silent", campaign_files(form, labels))
    assert issue.slug == "ambiguous-reading"
    assert shown in issue.found
    toml = f"labels = {json.dumps([*labels, 'other'])}\n"
    declared = read_campaign(
        write(tmp_path / "declared", campaign_files(form, labels, **{"task.toml": toml}))
    )
    assert len(declared.task.label_set) == 3


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("pair", APART)
def test_labels_that_look_different_are_two(pair, tmp_path):
    """No letter is taken for another."""
    assert len(read_campaign(write(tmp_path, campaign_files("json", pair))).task.label_set) == 3


@pytest.mark.parametrize("pair", PAIRS)
def test_what_looks_alike_is_told_apart_in_a_submission_too(pair, tmp_path):
    """Its label is not in the label set, and what it is taken for is said with the difference."""
    label, strange, shown = PAIRS[pair]
    files = {
        "gold.json": FORMS["json"]([["id", "label"], ["1", label], ["2", "other"]]),
        "submissions/A.json": FORMS["json"]([["id", "label"], ["1", strange], ["2", "other"]]),
    }
    (issue,) = read_campaign(write(tmp_path, files)).issues
    assert issue.slug == "unusable-label"
    assert shown in issue.found or "It ends with a blank" in issue.found
    assert "Did you mean" in issue.found


def test_texts_are_shown_with_code_points_only_where_they_look_the_same():
    """In the place where they differ."""
    assert told_apart(["caf\u00e9", "cafe\u0301"]) == [
        "“caf\u00e9” (U+00E9)",
        "“cafe\u0301” (U+0065 U+0301)",
    ]
    assert told_apart(["pos", "Pos"]) == ["“pos”", "“Pos”"]
    assert look_of("\u200b\u00a0 Stra\u00dfe  1") == "strasse 1"


@pytest.mark.parametrize("second_file", [False, True])
def test_groups_that_look_the_same_are_refused(second_file, tmp_path):
    """One spelling more is one group more, and another interval; those that differ in case are two authors."""
    names = ["d\u00e9", "b", "de\u0301", "B", "c", "c"]
    gold = "id,label,who\n" + "".join(f"{n},{'ab'[n % 2]},{name}\n" for n, name in enumerate(names))
    group = '{ path = "groups.txt" }' if second_file else '"who"'
    files = {
        "gold.csv": gold,
        "groups.txt": "\n".join(names),
        "task.toml": f"[gold]\ngroup = {group}\n",
    }
    files["submissions/A.csv"] = gold.replace(",who", ",x")
    (issue,) = refusal(tmp_path / "alike", files)
    assert issue.slug == "gold-bad-groups"
    assert "U+00E9" in issue.found
    same = {name: text.replace("e\u0301", "\u00e9") for name, text in files.items()}
    assert read_campaign(write(tmp_path / "same", same)).gold.groups.max() == 3


@pytest.mark.parametrize("changed", [range(3), range(17, 20), range(20)])
def test_ids_that_look_like_golds_are_told_apart_by_code_points(changed, tmp_path):
    """Be they first, where lines above the items would be left out, last, or all."""
    ids = [f"caf\u00e9-{number}" for number in range(20)]
    given = [
        item_id.replace("\u00e9", "e\u0301") if n in changed else item_id
        for n, item_id in enumerate(ids)
    ]
    gold, answers = (
        "id,label\n" + "".join(f"{i},{'ab'[n % 2]}\n" for n, i in enumerate(each))
        for each in (ids, given)
    )
    issues = [
        issue
        for issue in refusal(tmp_path, {"gold.csv": gold, "submissions/A.csv": answers})
        if issue.slug == "unknown-item"
    ]
    assert not any("skip" in issue.remedy for issue in issues)
    if len(changed) == 20:
        assert "letters that look the same" in issues[0].found
    else:
        assert all("U+00E9" in issue.items and "U+0065 U+0301" in issue.items for issue in issues)


def test_groups_of_two_columns_differ_where_their_cells_do(tmp_path):
    """“p 1” and “2” are not “p” and “1 2”."""
    cells = [("p 1", "2"), ("p", "1 2"), ("q", "3")]
    gold = "id,label,a,b\n" + "".join(
        f"{n},{'xy'[n % 2]},{','.join(cells[n % 3])}\n" for n in range(12)
    )
    files = {"gold.csv": gold, "submissions/A.csv": gold.replace(",a,b", ",c,d")}
    campaign = read_campaign(
        write(tmp_path, {**files, "task.toml": '[gold]\ngroup = ["a", "b"]\n'})
    )
    assert campaign.gold.groups.max() == 2
