"""Parquet tables: every value as text, none of it changed."""

import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from audit.formats.campaign.campaigns import read_campaign
from audit.formats.files import limits
from audit.formats.readers import parquet

from .campaigns import ANSWERS, GOLD, refusal, write
from .tables import parquet_table

IDS, LABELS = ["1", "2", "3", "4"], ["no", "no", "no", "yes"]
AS_ANSWERED = [0, 0, 0, 1]


SAME_ANSWERS = {
    "text": parquet_table(id=IDS, label=LABELS),
    "whole numbers": parquet_table(id=[1, 2, 3, 4], label=LABELS),
    "small numbers": parquet_table(id=pa.array([1, 2, 3, 4], pa.uint8()), label=LABELS),
    "dictionaries": parquet_table(
        id=pa.array(IDS).dictionary_encode(), label=pa.array(LABELS).dictionary_encode()
    ),
    "large text": parquet_table(
        id=pa.array(IDS, pa.large_string()), label=pa.array(LABELS, pa.large_string())
    ),
    "bytes that are text": parquet_table(id=[b"1", b"2", b"3", b"4"], label=LABELS),
    "another order": parquet_table(label=LABELS[::-1], id=IDS[::-1]),
    "columns beside": parquet_table(
        id=IDS,
        scores=[[0.5, 0.5]] * 4,
        time=pa.array([1, 2, 3, 4], pa.timestamp("s")),
        label=LABELS,
    ),
    "fields of a struct": parquet_table(
        meta=[{"id": item, "n": 1} for item in IDS], answer=[{"label": label} for label in LABELS]
    ),
    "labels alone": parquet_table(label=LABELS),
}


@pytest.mark.parametrize("how", SAME_ANSWERS)
def test_the_same_answers_are_read_however_the_table_keeps_them(how, tmp_path):
    """None needs a setting."""
    campaign = read_campaign(
        write(tmp_path, {"gold.csv": GOLD, "submissions/A.parquet": SAME_ANSWERS[how]})
    )
    assert campaign.submissions[0].codes.tolist() == AS_ANSWERED
    assert not campaign.issues


def test_what_pandas_writes_is_read(tmp_path):
    """With its index as a column beside, and what is missing as null."""
    frame = pd.DataFrame({"id": IDS, "label": pd.Categorical(LABELS)}, index=["w", "x", "y", "z"])
    frame.loc["y", "label"] = np.nan
    frame.to_parquet(tmp_path / "A.parquet")
    files = {"gold.csv": GOLD, "submissions/A.parquet": (tmp_path / "A.parquet").read_bytes()}
    campaign = read_campaign(write(tmp_path / "campaign", files))
    assert campaign.submissions[0].codes.tolist() == [0, 0, 2, 1]
    assert [(issue.slug, issue.found) for issue in campaign.issues] == [
        ("missing-label", "row 3: 1 row without a label")
    ]


def test_gold_can_be_a_parquet_table_with_groups(tmp_path):
    """Recognised as any other table is."""
    gold = parquet_table(id=IDS, label=["no", "yes", "no", "yes"], author=["x", "y", "x", "z"])
    files = {
        "gold.parquet": gold,
        "submissions/A.csv": ANSWERS,
        "task.toml": '[gold]\ngroup = "author"\n',
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.gold.item_ids == tuple(IDS)
    assert campaign.gold.groups.tolist() == [0, 1, 0, 2]


VALUES = {
    "a float keeps its point": ([1.0, 0.5], ["1.0", "0.5"]),
    "a short float is as short": (pa.array([0.1, 2], pa.float32()), ["0.1", "2.0"]),
    "a truth value is a word": ([True, False], ["true", "false"]),
    "18 digits are exact": (
        [123456789012345678, 123456789012345679],
        ["123456789012345678", "123456789012345679"],
    ),
    "a decimal keeps its zeros": (
        [decimal.Decimal("1.50"), decimal.Decimal("2.00")],
        ["1.50", "2.00"],
    ),
    "NA is a text": (["NA", "null"], ["NA", "null"]),
}


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("case", VALUES)
def test_a_value_is_one_text(case, tmp_path):
    """Whether it is an id or a label."""
    values, texts = VALUES[case]
    gold = "id,label\n" + "".join(f"{text},{text}\n" for text in texts)
    files = {"gold.csv": gold, "submissions/A.parquet": parquet_table(id=values, label=values)}
    campaign = read_campaign(write(tmp_path, files))
    np.testing.assert_array_equal(campaign.submissions[0].codes, campaign.gold.codes)


def test_an_id_that_a_float_has_rounded_is_doubtful(tmp_path):
    """Below 2⁵³ every whole number is exact."""
    gold = "id,label\n123456789012345678,no\n1,yes\n"
    files = {
        "gold.csv": gold,
        "submissions/A.parquet": parquet_table(id=[123456789012345678.0, 1.0], label=["no", "yes"]),
    }
    assert refusal(tmp_path, files)[0].slug == "doubtful-id"


GOOD_TABLE = parquet_table(id=IDS, label=LABELS)
DAMAGE = {
    "metadata cut": GOOD_TABLE[:-100] + GOOD_TABLE[-4:],
    "nothing between": b"PAR1PAR1",
    "a length beyond the file": GOOD_TABLE[:-8] + b"\xff\xff\xff\x7fPAR1",
    "bytes of the data changed": GOOD_TABLE[:4] + bytes(200) + GOOD_TABLE[204:],
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_table_is_an_issue(how, tmp_path):
    """Whatever pyarrow makes of it."""
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.parquet": DAMAGE[how]})
    assert issue.slug == "damaged-file"
    assert "\n" not in issue.found


def test_a_table_of_too_many_rows_is_not_unpacked(tmp_path):
    """A column of one repeated value is small however long it is."""
    table = parquet_table(label=pa.repeat("no", limits.MOST_ITEMS + 1).dictionary_encode())
    assert len(table) < 100_000
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.parquet": table})
    assert issue.slug == "too-large"


@pytest.mark.parametrize(("limit", "most"), [("MOST_COLUMNS", 1), ("MOST_BYTES", 10)])
def test_a_table_of_too_many_columns_or_bytes_is_not_unpacked(limit, most, tmp_path, monkeypatch):
    """By what its metadata say."""
    monkeypatch.setattr(parquet, limit, most)
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.parquet": GOOD_TABLE})
    assert issue.slug == "too-large"


def test_columns_that_cannot_be_told_are_named(tmp_path):
    """As in any other table."""
    files = {
        "gold.csv": GOLD,
        "submissions/A.parquet": parquet_table(a=["x", "y"], b=["u", "v"], c=[1.5, 2.5]),
    }
    (issue,) = refusal(tmp_path, files)
    assert issue.slug == "no-such-column"


@pytest.mark.parametrize("odd", [[], ["no", "yes"], None])
def test_a_column_of_lists_is_read_only_where_each_has_one_value(odd, tmp_path):
    """Nothing is dropped, and nothing made up; the message says what the column holds."""
    labels = [["no"], ["no"], odd, ["yes"]]
    files = {"gold.csv": GOLD, "submissions/A.parquet": parquet_table(id=IDS, label=labels)}
    assert any("holds a list in each row" in issue.found for issue in refusal(tmp_path, files))


LISTS = {
    "lists": ("label", [[label] for label in LABELS]),
    "lists of several": ("label", [[label, "x"] for label in LABELS]),
    "lists in a struct": ("answer.labels", [{"labels": [label], "why": ["a"]} for label in LABELS]),
    "large lists of a dictionary": (
        "label",
        pa.array(
            [[label] for label in LABELS], pa.large_list(pa.dictionary(pa.int8(), pa.string()))
        ),
    ),
}


@pytest.mark.parametrize("case", LISTS)
def test_the_first_entry_of_a_list_is_read_where_task_toml_says_so(case, tmp_path):
    """By the name of its column, and the layout says so."""
    name, column = LISTS[case]
    table = parquet_table(**{"id": IDS, name.partition(".")[0]: column, "other": [["x"]] * 4})
    toml = f'[submissions]\nlabel = "{name}[0]"\n'
    campaign = read_campaign(
        write(tmp_path, {"gold.csv": GOLD, "submissions/A.parquet": table, "task.toml": toml})
    )
    assert campaign.submissions[0].codes.tolist() == AS_ANSWERED
    assert any(f"“{name}[0]” the labels" in sentence for sentence in campaign.task.assumptions)


def test_a_plain_column_may_have_the_name_of_a_list(tmp_path):
    """It is that column then."""
    table = parquet_table(**{"id": IDS, "label[0]": LABELS, "label": [["no"]] * 4})
    toml = '[submissions]\nlabel = "label[0]"\n'
    campaign = read_campaign(
        write(tmp_path, {"gold.csv": GOLD, "submissions/A.parquet": table, "task.toml": toml})
    )
    assert campaign.submissions[0].codes.tolist() == AS_ANSWERED
