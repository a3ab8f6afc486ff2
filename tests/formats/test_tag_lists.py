"""Several tags a line are never taken for one label a line unasked, nor labels of several words for tags."""

import json

import pytest

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.settings.answers import are_tag_lists

from .campaigns import refusal, write
from .tables import parquet_table, workbook

SENTENCES = ["OK BAD OK", "OK OK", "BAD OK", "OK BAD OK", "OK OK", "OK BAD", "BAD OK", "OK BAD OK"]
ONE_CLASS_EACH = [
    ["very good", "good", "very bad", "bad"],
    ["strongly agree", "agree", "disagree", "strongly disagree"],
    ["New York", "York", "New England", "England", "Old England"],
    ["non", "oui"],
]


@pytest.mark.usefixtures("copies_accepted")
def test_two_readings_of_gold_are_both_shown(tmp_path):
    """With the settings that decide, each of which does."""
    text = "\n".join(SENTENCES) + "\n"
    files = {"gold.txt": text, "submissions/A.txt": text}
    (issue,) = refusal(tmp_path / "silent", files)
    assert issue.slug == "ambiguous-reading"
    assert (
        issue.remedy
        == 'write into task.toml, under [gold]: format = "lines" · or · format = "sequences"'
    )
    assert "one label per line" in issue.found
    assert "a sequence of tags per line" in issue.found
    sizes = {"lines": len(SENTENCES), "sequences": " ".join(SENTENCES).count(" ") + 1}
    for name, size in sizes.items():
        campaign = read_campaign(
            write(tmp_path / name, {**files, "task.toml": f'[gold]\nformat = "{name}"\n'})
        )
        assert campaign.gold.n_items == size


@pytest.mark.usefixtures("copies_accepted")
def test_a_declared_label_set_decides(tmp_path):
    """It has the tags, or the lists."""
    text = "\n".join(SENTENCES) + "\n"
    for number, labels in enumerate((["OK", "BAD"], sorted(set(SENTENCES)))):
        files = {
            "gold.txt": text,
            "submissions/A.txt": text,
            "task.toml": f"labels = {json.dumps(labels)}\n",
        }
        assert read_campaign(write(tmp_path / str(number), files)).task.label_set.labels == tuple(
            labels
        )


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("labels", ONE_CLASS_EACH)
def test_labels_of_several_words_are_labels(labels, tmp_path):
    """Their words neither repeat nor change their order."""
    text = "\n".join(labels * 4) + "\n"
    campaign = read_campaign(write(tmp_path, {"gold.txt": text, "submissions/A.txt": text}))
    assert campaign.task.label_set.labels == tuple(sorted(labels))


FORMS = {
    "csv": lambda rows: "\n".join(",".join(row) for row in rows),
    "xlsx": workbook,
    "json": lambda rows: json.dumps([dict(zip(rows[0], row, strict=True)) for row in rows[1:]]),
    "jsonl": lambda rows: "\n".join(
        json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:]
    ),
    "parquet": lambda rows: parquet_table(
        **dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    ),
}


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("form", FORMS)
def test_lists_of_tags_in_a_column_are_no_classes_unasked(form, tmp_path):
    """In every format; declared, each is a class."""
    rows = [["id", "label"], *([str(number), text] for number, text in enumerate(SENTENCES))]
    files = {f"gold.{form}": FORMS[form](rows), f"submissions/A.{form}": FORMS[form](rows)}
    with pytest.raises(
        InputError, match=r"ambiguous-reading: .*4 of 4 labels look like several labels in one"
    ):
        read_campaign(write(tmp_path / "silent", files))
    declared = {**files, "task.toml": f"labels = {json.dumps(sorted(set(SENTENCES)))}\n"}
    assert len(read_campaign(write(tmp_path / "declared", declared)).task.label_set) == len(
        set(SENTENCES)
    )


@pytest.mark.parametrize("labels", ONE_CLASS_EACH)
def test_what_lists_of_tags_are(labels):
    """A tag that repeats in one, or two that have the same in another order; fewer tags than lists."""
    assert not are_tag_lists(labels)
    assert are_tag_lists(SENTENCES)
    assert are_tag_lists(["A B", "B A", "A", "B A A"])
    assert not are_tag_lists(["ha ha", "no"])
