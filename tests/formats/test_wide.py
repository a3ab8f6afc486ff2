"""One table with gold and a column for each system, in every format whose columns have names."""

import json

import pytest

from audit.formats.campaign.campaigns import read_campaign

from .campaigns import init, refusal, write
from .tables import parquet_table, rows_of, workbook
from .test_folder import WIDE, caught_issues

WIDE_COLUMNS = {
    "id": ["1", "2", "3"],
    "gold": ["no", "yes", "no"],
    "B": ["no", "", "maybe"],
    "A": ["yes", "yes", "no"],
}
WIDE_ITEMS = [
    dict(zip(WIDE_COLUMNS, row, strict=True)) for row in zip(*WIDE_COLUMNS.values(), strict=True)
]
WIDE_TABLES = {
    "all.xlsx": workbook({"read me": [["one line for each item"]], "answers": rows_of(WIDE)}),
    "all.parquet": parquet_table(**WIDE_COLUMNS),
    "all.json": json.dumps(WIDE_ITEMS),
    "all.jsonl": "\n".join(map(json.dumps, WIDE_ITEMS)),
    "columns.json": json.dumps(WIDE_COLUMNS),
    "mapping.json": json.dumps({"items": {item.pop("id"): item for item in map(dict, WIDE_ITEMS)}}),
}


@pytest.mark.parametrize("name", WIDE_TABLES)
@pytest.mark.parametrize("settings", ["", "[wide]\n", '[wide]\nsystems = ["A", "B"]\n'])
def test_a_wide_table_of_any_format_is_read_like_a_delimited_one(name, settings, tmp_path):
    """Recognised where it stands alone, named in task.toml, and drafted so that the draft reads the same."""
    root = write(
        tmp_path / "c", {name: WIDE_TABLES[name], **({"task.toml": settings} if settings else {})}
    )
    expected = read_campaign(write(tmp_path / "csv", {"all.csv": WIDE}))
    campaign = read_campaign(root)
    assert campaign.gold.item_ids == expected.gold.item_ids
    assert seen(campaign) == seen(expected)
    init(root)
    assert seen(read_campaign(root)) == seen(expected)


def seen(campaign):
    """Each team with its codes and labels that are none."""
    return [(each.team, each.codes.tolist(), each.unusable_labels) for each in campaign.submissions]


TITLES = {
    "all.xlsx": workbook([["Answers of 2031", "", "", ""], [], *rows_of(WIDE)]),
    "all.csv": f"Answers of 2031\n\n# made by hand\n{WIDE}",
    "padded.csv": f"Answers of 2031,,,\n{WIDE}",
    "semicolons.csv": f"Answers of 2031\n{WIDE.replace(',', ';')}",
}


@pytest.mark.parametrize("name", TITLES)
def test_a_title_above_the_names_is_none_of_them(name, tmp_path):
    """One cell is not the names of several columns; how much is left out is among the assumptions."""
    expected = read_campaign(write(tmp_path / "csv", {"all.csv": WIDE}))
    campaign = read_campaign(write(tmp_path / "c", {name: TITLES[name]}))
    assert (campaign.gold.item_ids, seen(campaign)) == (expected.gold.item_ids, seen(expected))
    assert "left out" in campaign.task.assumptions[-1]


DAMAGED_WIDE = {
    "an id that Excel rounded": (
        workbook([["id", "gold", "A"], [10**17, "no", "no"], [10**17, "yes", "no"]]),
        "doubtful-id",
    ),
    "a formula without a value": (
        workbook([["id", "gold", "A"], [1, "no", "=1+1"], [2, "yes", "no"]]),
        "formula-without-value",
    ),
    "two sheets": (workbook({"x": rows_of(WIDE), "y": rows_of(WIDE)}), "ambiguous-reading"),
    "two lines of names": (
        workbook([["Answers", "", "A team", "A"], *rows_of(WIDE)]),
        "no-such-column",
    ),
    "floats as ids": (
        parquet_table(id=[1e17, 1e17], gold=["no", "yes"], A=["no", "no"]),
        "doubtful-id",
    ),
    "no columns": (parquet_table(gold=["no", "yes"]), "unrecognised"),
    "two places": (json.dumps({"x": WIDE_ITEMS, "y": WIDE_ITEMS}), "ambiguous-reading"),
    "an item without an id": (json.dumps([*WIDE_ITEMS, {"gold": "no"}]), "bad-json"),
    "JSON Lines with a line that is none": (
        "\n".join([*map(json.dumps, WIDE_ITEMS), "x"]),
        "bad-json",
    ),
}


@pytest.mark.parametrize("case", DAMAGED_WIDE)
def test_a_wide_table_that_is_damaged_or_open_is_refused(case, tmp_path):
    """With the issue that the same defect has in a file of one team."""
    content, slug = DAMAGED_WIDE[case]
    root = write(tmp_path, {"task.toml": "[wide]\n", "all.data": content})
    assert {found for found, _ in caught_issues(root)} == {slug}


def test_of_two_wide_tables_in_one_file_the_issue_names_both(tmp_path):
    """Each with the line for task.toml that decides; and with it, it is read."""
    for content, settings in (
        (DAMAGED_WIDE["two sheets"][0], ['sheet = "x"', 'sheet = "y"']),
        (DAMAGED_WIDE["two places"][0], ['records = "x"', 'records = "y"']),
    ):
        root = write(tmp_path, {"task.toml": "[wide]\n", "all.data": content})
        assert all(setting in refusal(root)[0].remedy for setting in settings)
        write(root, {"task.toml": f"[wide]\n{settings[1]}\n"})
        assert len(read_campaign(root).submissions) == 2
