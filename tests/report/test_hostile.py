"""A campaign whose names, labels, paths and texts all try to be something else: it stays text everywhere."""

import csv
import io
import json
import unicodedata

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import audit
from audit.domain import ScoreKey
from audit.text import escape, without_marks
from audit.workflow import default_report, write_report
from audit.writers.data.export import (
    csv_text,
    evaluation_data,
    flag_data,
    ranking_data,
    scores_csv,
    to_json,
)
from tests.nightly import examples

from .campaigns import HOSTILE, HOSTILE_FILES, LONE_SURROGATE
from .document import read

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def test_no_markup_of_the_campaign_is_markup_of_the_page(hostile_html, flood_page):
    """The elements of the page are those that a harmless campaign has, attributes included."""
    tags = {element.tag for element in read(hostile_html)}
    assert tags <= {element.tag for element in flood_page}
    scripts = [element.attributes for element in read(hostile_html).all("script")]
    assert scripts == [
        {"type": "application/json", "id": f"{part}-data"} for part in ("matrices", "pairs")
    ] + [{}]
    assert len(read(hostile_html).all("style")) == 1
    for text in ("<script>alert", "</style></title>", "<!--"):
        assert text not in hostile_html


def test_no_template_of_the_campaign_is_evaluated(hostile_html):
    """What looks like a template stands there as it is."""
    assert "{{ 7*7 }}{% raw %}" in hostile_html
    assert "%s%(a)s%" in hostile_html


def test_no_control_or_direction_character_reaches_the_page(hostile_html):
    """They are shown as escapes; only line feeds are left, and the joiners that shape letters."""
    categories = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    raw = {hex(ord(sign)) for sign in hostile_html if unicodedata.category(sign) in categories} - {
        "0xa"
    }
    assert raw == set()


def test_every_hostile_name_can_be_read(hostile_html):
    """Nothing is dropped: each team is in the ranking, by a text that tells it from the others."""
    names = read(hostile_html).by_id("table-ranking").one("tbody").all("th")
    rows = [row for row in names if not row.text.endswith("(computed)")]
    assert len({row.text for row in rows}) == len(HOSTILE_FILES)
    assert "caf\\udce9" in {row.text for row in rows}
    full = {row.attributes.get("title", row.text) for row in rows}
    assert "x" * 300 in full


def test_the_page_can_be_written(hostile, tmp_path):
    """As UTF-8, at the path that was asked for and nowhere else."""
    (tmp_path / "inside").mkdir()
    path = write_report(hostile, tmp_path / "inside" / "report.html")
    assert path.read_bytes().decode("utf-8").startswith("<!DOCTYPE html>")
    assert [file.relative_to(tmp_path).as_posix() for file in sorted(tmp_path.rglob("*"))] == [
        "inside",
        "inside/report.html",
    ]


@pytest.mark.parametrize(
    "slug", [*HOSTILE_FILES, "", ".", "..", "/etc/passwd", "a/b\\c", "𐌰" * 300, "CON", "~"]
)
def test_a_slug_never_leads_out_of_the_folder(slug, tmp_path, monkeypatch, spotless):
    """The report that nobody named goes into the current folder, under a name that the system takes."""
    monkeypatch.chdir(tmp_path)
    # where it goes is asked
    monkeypatch.setattr("audit.writers.html.render_html", lambda *_: "<!DOCTYPE html>")
    path = write_report(spotless, default_report(slug))
    assert path.parent.resolve() == tmp_path
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.name.startswith("audit-")
    assert path.suffix == ".html"


def test_the_json_is_valid_and_says_everything_exactly(hostile):
    """Read back, the names and labels are those that were given, lone surrogates included; there is no NaN."""

    def refuse(constant):
        raise AssertionError(constant)

    data = json.loads(to_json(evaluation_data(hostile)), parse_constant=refuse)
    assert data["teams"] == list(HOSTILE_FILES)
    assert data["labels"] == list(HOSTILE)
    assert data["title"] == "".join(HOSTILE)
    assert data["rejected"] == data["ignored"] == list(HOSTILE_FILES)
    ranking = json.loads(
        to_json(ranking_data(hostile, ScoreKey("accuracy"))), parse_constant=refuse
    )
    assert {row["team"] for row in ranking["ranking"]} == set(HOSTILE_FILES)
    assert [flag["slug"] for flag in ranking["flags"]] == [flag.slug for flag in hostile.flags]


def test_the_evidence_of_every_flag_is_plain_data(flood, hostile, spotless):
    """It goes through JSON and comes back the same: no NumPy value, no tuple, no NaN."""
    for flag in (*flood.flags, *hostile.flags, *spotless.flags):
        data = flag_data(flag)
        assert json.loads(to_json(data)) == data


def test_the_csv_is_valid_and_no_cell_is_a_formula(hostile):
    """Every team has one row, and no text begins as a spreadsheet's formula does."""
    keys = [key for key in hostile.keys if key.prevalence == "observed"]
    text = scores_csv(hostile, keys, by=ScoreKey("accuracy"))
    head, *lines = csv.reader(io.StringIO(text, newline=""))
    rows = [row for row in lines if row[head.index("role")] != "computed"]
    assert len(rows) == len(HOSTILE_FILES)
    assert {len(row) for row in rows} == {len(head)}
    assert {row[1] for row in rows} == set(map(csv_text, HOSTILE_FILES))
    hidden = {"Cc", "Cf", "Zl", "Zp"}
    assert not [
        sign for sign in text if unicodedata.category(sign) in hidden and sign not in "\t\r\n"
    ]
    assert not [
        cell for cell in (*head, *(row[1] for row in rows)) if cell.startswith(FORMULA_STARTS)
    ]
    table = pd.read_csv(io.BytesIO(text.encode(errors="backslashreplace")), keep_default_na=False)
    assert len(table) == len(lines) == len(HOSTILE_FILES) + len(hostile.baselines)


@examples(18)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=()), max_size=12),
        min_size=1,
        max_size=4,
        unique=True,
    )
)
def test_any_team_name_survives_the_csv(names):
    """Whatever a team is called, its row is one row, and its name comes back."""
    gold = ["a", "b"] * 2
    evaluation = audit.evaluate(gold, dict.fromkeys(names, gold), certainty=False)
    text = scores_csv(evaluation, [ScoreKey("accuracy")], by=ScoreKey("accuracy"))
    head, *lines = csv.reader(io.StringIO(text, newline=""))
    rows = [row for row in lines if row[head.index("role")] == "primary"]
    assert [row[1] for row in rows] == [csv_text(name) for name in evaluation.names]
    assert all(len(row) == len(head) and float(row[2]) == 1 for row in rows)


@given(st.text(st.characters(exclude_categories=())))
def test_a_csv_text_is_no_formula_and_loses_nothing(text):
    """An apostrophe goes before what would be a formula, control characters are shown; everything else stays."""
    safe = csv_text(text)
    assert not safe.startswith(FORMULA_STARTS)
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    shown = "".join(
        escape(sign) if unicodedata.category(sign) in hidden and sign not in "\t\r\n" else sign
        for sign in text
    )
    # a joiner stays where it shapes letters
    assume(shown.count("\\u200") == without_marks(text).count("\\u200"))
    assert safe in {shown, f"'{shown}"}


def test_a_lone_surrogate_is_in_the_campaign(hostile):
    """The laws above have met a name that is no Unicode text."""
    assert LONE_SURROGATE in hostile.names
    assert any(entry.path and LONE_SURROGATE in entry.path for entry in hostile.entries)
