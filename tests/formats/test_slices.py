"""Columns of gold that cut the test set: read from every kind of table, refused where they cannot cut it."""

import json

import pytest

from audit.domain import MOST_SLICES
from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign, read_campaigns

from .campaigns import refusal, write
from .tables import parquet_table, rows_of, workbook

GOLD = "id,label,language,year\n1,no,es,10\n2,yes,en,9\n3,no,es,9\n4,yes,en,10\n"
ANSWERS = "id,label\n1,no\n2,yes\n3,yes\n4,yes\n"
STATED = '[gold]\nslices = ["language"]\n'
ITEMS = [
    dict(zip(GOLD.splitlines()[0].split(","), line.split(","), strict=True))
    for line in GOLD.splitlines()[1:]
]
TABLES = {
    "gold.csv": GOLD,
    "gold.tsv": GOLD.replace(",", "\t"),
    "gold.xlsx": workbook(rows_of(GOLD)),
    "gold.parquet": parquet_table(**{name: [item[name] for item in ITEMS] for name in ITEMS[0]}),
    "gold.json": json.dumps(ITEMS),
    "gold.jsonl": "\n".join(map(json.dumps, ITEMS)),
}


def read(root, gold=GOLD, settings=STATED, name="gold.csv"):
    """The campaign of a gold file and what task.toml says of it."""
    return read_campaign(
        write(root, {name: gold, "submissions/A.csv": ANSWERS, "task.toml": settings})
    )


def refused(root, gold=GOLD, settings=STATED):
    """The issues that refuse the campaign."""
    with pytest.raises(InputError) as caught:
        read(root, gold, settings)
    return caught.value.issues


def said(campaign):
    """What gold says of its slices."""
    return [(column.name, column.values, column.codes.tolist()) for column in campaign.gold.slices]


LANGUAGE = ("language", ("en", "es"), [1, 0, 1, 0])


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_of_table_has_columns_that_cut(name, tmp_path):
    """By name or number, one or several; the layout and the journal say so, and a draft leaves gold as it is."""
    campaign = read(tmp_path, TABLES[name], name=name)
    assert said(campaign) == [LANGUAGE]
    assert campaign.journal[0].text.endswith(
        "column “language” the slices; cut by “language” into 2 parts."
    ) or (
        "field “language” the slices; cut by “language” into 2 parts." in campaign.journal[0].text
    )
    assert campaign.submissions[0].codes.tolist() == [0, 1, 1, 1]
    both = read(tmp_path, TABLES[name], '[gold]\nslices = ["language", "year"]\n', name)
    assert said(both) == [LANGUAGE, ("year", ("9", "10"), [1, 0, 0, 1])]


def test_a_column_may_be_a_text_or_a_number(tmp_path):
    """As any column may; without a header it is called by its number."""
    assert said(read(tmp_path, settings='[gold]\nslices = "language"\n')) == [LANGUAGE]
    assert said(read(tmp_path, settings="[gold]\nslices = 3\n")) == [LANGUAGE]
    headless = "[gold]\nheader = false\nid = 1\nlabel = 2\nslices = 3\n"
    assert said(read(tmp_path, GOLD.split("\n", 1)[1], headless)) == [("column 3", *LANGUAGE[1:])]


def test_a_wide_table_has_them_too(tmp_path):
    """Such a column is no system."""
    wide = "id,gold,A,language\n1,no,no,es\n2,yes,no,en\n3,no,yes,es\n4,yes,yes,en\n"
    root = write(tmp_path, {"all.csv": wide, "task.toml": '[wide]\nslices = ["language"]\n'})
    campaign = read_campaign(root)
    assert said(campaign) == [LANGUAGE]
    assert [submission.team for submission in campaign.submissions] == ["A"]


def test_a_system_cuts_nothing(tmp_path):
    """A column is one of the two, where task.toml names both."""
    wide = "id,gold,A,B\n1,no,no,no\n2,yes,no,yes\n3,no,yes,no\n4,yes,yes,no\n"
    root = write(
        tmp_path, {"all.csv": wide, "task.toml": '[wide]\nsystems = ["A", "B"]\nslices = ["B"]\n'}
    )
    issues = refusal(root)
    assert [(issue.slug, issue.found) for issue in issues] == [
        ("gold-bad-slices", "slices names “B”, which systems names too")
    ]


@pytest.mark.usefixtures("copies_accepted")
def test_tokens_have_columns_that_cut(tmp_path):
    """Each token has its value."""
    gold = "es\tw\tO\nes\tw\tB\n\nen\tw\tO\nen\tw\tB\n"
    settings = '[submissions]\nformat = "tokens"\n[gold]\nformat = "tokens"\nslices = 1\n'
    root = write(tmp_path, {"gold.txt": gold, "submissions/A.txt": gold, "task.toml": settings})
    assert said(read_campaign(root)) == [("column 1", ("en", "es"), [1, 1, 0, 0])]


def test_each_test_set_may_be_cut(tmp_path):
    """What stands at the top holds for all."""
    files = {f"{part}/gold.csv": GOLD for part in "ab"} | {
        f"{part}/subs/A.csv": ANSWERS for part in "ab"
    }
    parts = "".join(
        f'[subtask.{part}.gold]\npath = "{part}/gold.csv"\n'
        f'[subtask.{part}.submissions]\nfiles = "{part}/subs/{{team}}.csv"\n'
        for part in "ab"
    )
    campaigns = read_campaigns(write(tmp_path, {**files, "task.toml": STATED + parts}))
    assert [said(campaign) for campaign in campaigns] == [[LANGUAGE], [LANGUAGE]]


def many(n_values):
    """Gold with a column of so many values."""
    rows = (
        f"{number},{'no' if number % 2 else 'yes'},v{number % n_values}\n"
        for number in range(2 * n_values)
    )
    return "id,label,language\n" + "".join(rows)


REFUSED = {
    "an empty cell": (
        GOLD.replace("2,yes,en", "2,yes,"),
        STATED,
        "gold-bad-slices",
        "1 item without a value",
        (3,),
    ),
    "a blank cell": (
        GOLD.replace("2,yes,en", "2,yes, "),
        STATED,
        "gold-bad-slices",
        "1 item without a value",
        (3,),
    ),
    "one value": (
        GOLD.replace("en", "es"),
        STATED,
        "gold-bad-slices",
        "has one value for all items",
        (),
    ),
    "many values": (
        many(MOST_SLICES + 1),
        STATED,
        "gold-bad-slices",
        "has 31 different values",
        (),
    ),
    "another case": (
        GOLD.replace("3,no,es", "3,no,ES"),
        STATED,
        "gold-bad-slices",
        "“ES” and “es” in the",
        (2,),
    ),
    "a blank at the end": (
        GOLD.replace("3,no,es", '3,no,"es "'),
        STATED,
        "gold-bad-slices",
        "look alike",
        (4,),
    ),
    "composed otherwise": (
        GOLD.replace("3,no,es", "3,no,e\u0301s").replace("1,no,es", "1,no,\u00e9s"),
        STATED,
        "gold-bad-slices",
        "look alike",
        (2,),
    ),
    "the labels": (
        GOLD,
        '[gold]\nslices = ["label"]\n',
        "gold-bad-slices",
        "“label”, which holds the labels",
        (),
    ),
    "the ids": (
        GOLD,
        '[gold]\nslices = ["id"]\n',
        "gold-bad-slices",
        "“id”, which holds the ids",
        (),
    ),
    "one column twice": (
        GOLD,
        '[gold]\nslices = ["language", 3]\n',
        "gold-bad-slices",
        "names “language” twice",
        (),
    ),
    "no such column": (
        GOLD,
        '[gold]\nslices = ["langage"]\n',
        "no-such-column",
        "Did you mean “language”?",
        (),
    ),
    "no columns at all": (
        "no\nyes\nno\nyes\n",
        STATED,
        "no-such-column",
        "no column of slices",
        (),
    ),
    "a number in quotes": (GOLD, "[gold]\nslices = [true]\n", "bad-setting", "slices = ", (2,)),
    "six columns": (
        GOLD,
        "[gold]\nslices = [1, 2, 3, 4, 5, 6]\n",
        "bad-setting",
        "slices = ",
        (2,),
    ),
    "of submissions": (
        GOLD,
        '[submissions]\nslices = ["language"]\n',
        "bad-setting",
        "“slices”",
        (2,),
    ),
    "beside lines": (
        GOLD,
        '[gold]\nformat = "lines"\nslices = ["language"]\n',
        "bad-setting",
        "beside format",
        (3,),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_cut_is_refused(case, tmp_path):
    """With the line, what was found, and what to do."""
    gold, settings, slug, found, lines = REFUSED[case]
    (issue,) = refused(tmp_path, gold, settings)
    assert (issue.slug, issue.lines) == (slug, lines)
    assert found in issue.found
    assert issue.remedy


def test_as_many_values_as_allowed_cut(tmp_path):
    """Thirty, in natural order."""
    gold = many(MOST_SLICES)
    answers = "id,label\n" + "".join(
        f"{line.rsplit(',', 1)[0]}\n" for line in gold.splitlines()[1:]
    )
    root = write(tmp_path, {"gold.csv": gold, "submissions/A.csv": answers, "task.toml": STATED})
    (column,) = read_campaign(root).gold.slices
    assert column.values == tuple(f"v{number}" for number in range(MOST_SLICES))
