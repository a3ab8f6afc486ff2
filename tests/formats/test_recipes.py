"""docs/kinds.md: every recipe reads as the page says."""

import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv

from audit.formats.campaign.campaigns import read_campaign
from audit.formats.settings.layout import FORMATS
from audit.formats.settings.parsing import parse_settings

from .campaigns import write
from .tables import parquet_table, rows_of, workbook

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "kinds.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+) ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KINDS_OF_FILES, _, SAID = PAGE.partition("\n## Kinds of files\n")[2].partition(
    "\n## What files do not say\n"
)
RECIPES = {
    section.partition("\n")[0]: BLOCK.findall(section)
    for section in KINDS_OF_FILES.split("\n### ")[1:]
}
OF_WHAT_IS_SAID = {
    section.partition("\n")[0]: BLOCK.findall(section)
    for section in SAID.split("\n### ")[1:]
    if "```text read" in section
}


def sheets(text):
    """The sheets of a workbook that a page shows, each behind its name in brackets; cells are text."""
    parts = re.split(r"^\[(.+)\]\n", text, flags=re.MULTILINE)[1:]
    return workbook(
        {name: rows_of(rows) for name, rows in zip(parts[::2], parts[1::2], strict=True)}
    )


def table(text):
    """The Parquet table that a page shows."""
    read = csv.read_csv(pa.BufferReader(text.encode()))
    return parquet_table(**{name: read[name] for name in read.column_names})


def campaign_of(recipe, root):
    """The campaign of a recipe."""
    made = {"xlsx": sheets, "parquet": table}
    return read_campaign(
        write(
            root, {path: made.get(kind, str)(text) for kind, path, text in recipe if path != "read"}
        )
    )


@pytest.mark.parametrize("name", [*RECIPES, *OF_WHAT_IS_SAID])
def test_a_recipe_reads_what_the_page_says(name, tmp_path):
    """Every answer of every item, with nothing about the readings left to assume where all is stated."""
    recipe = {**RECIPES, **OF_WHAT_IS_SAID}[name]
    campaign = campaign_of(recipe, tmp_path)
    (expected,) = (text.splitlines() for _, path, text in recipe if path == "read")
    (submission,) = campaign.submissions
    shown = [*campaign.task.label_set, "–", "?"]
    ids = [
        f"{item_id} ".replace("\t", ", ")
        for item_id in campaign.gold.item_ids or [""] * len(expected)
    ]
    assert [
        (item_id + shown[code]).strip() for item_id, code in zip(ids, submission.codes, strict=True)
    ] == expected
    assert not campaign.ignored


def test_there_is_a_recipe_for_every_format():
    """In gold or in submissions; and for a wide file of text."""
    texts = [text for recipe in RECIPES.values() for _, path, text in recipe if path == "task.toml"]
    settings = [parse_settings(text.encode()) for text in texts]
    stated = [each.gold_layout.format for each in settings]
    stated += [each.submission_layout.format for each in settings]
    assert set(stated) >= set(FORMATS)
    wide = {Path(each.toml.wide.path).suffix for each in settings if each.toml.wide is not None}
    assert wide == {".csv"}
