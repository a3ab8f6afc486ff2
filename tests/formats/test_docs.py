"""docs/task-toml.md says what the program does."""

import re
from pathlib import Path

import pytest

from audit.formats import read_campaign
from audit.formats.settings.keys import Keys
from audit.formats.settings.parsing import parse_parts, parse_settings
from audit.formats.settings.schema import TABLES, TaskToml

from .campaigns import write

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "task-toml.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```toml[^\n]*\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLES = {
    section.partition("\n")[0]: dict(re.findall(r"^```\w+ ([^\n]+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL))
    for section in PAGE.partition("## Examples")[2].split("\n### ")[1:]
}


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_of_settings_is_valid(block):
    """And says something."""
    assert all(settings.toml.stated for settings in parse_parts(block.encode()))


def test_every_setting_is_documented():
    """Each one stands in a table of the page and in a block of settings."""
    own_keys = {"teams", "label_names", "latex_names", "roles", "prevalence", "aliases", "combinations"}
    top = set(TaskToml.model_fields) - set(TABLES) - own_keys
    settings = {*top, *(key for table in TABLES.values() for key in table.model_fields)}
    assert {key for key in settings if f"`{key}`" not in PAGE} == set()
    assert {
        key for key in settings if not any(re.search(rf"^{key} = ", block, re.MULTILINE) for block in BLOCKS)
    } == set()


def test_there_is_an_example_of_every_format():
    """One for each format, and one for the wide file."""
    formats = {parse_settings(files["task.toml"].encode()).submissions.format for files in EXAMPLES.values()}
    assert len(EXAMPLES) == 4
    assert formats == {None, "jsonl", "lines"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_read_as_it_stands(name, tmp_path):
    """A campaign with nothing but unanswered items to remark on, and nothing about the readings left to assume."""
    campaign = read_campaign(write(tmp_path, EXAMPLES[name]))
    assert campaign.submissions[0].codes.size == campaign.gold.n_items
    assert {issue.slug for issue in campaign.issues} <= {"missing-label"}
    assert not campaign.ignored
    assert not [sentence for sentence in campaign.task.assumptions if re.search(r"^\d+ submission|^[\w.-]+:", sentence)]


def test_the_examples_give_the_labels_that_they_show(tmp_path):
    """By column number, by field, by position and by column name."""
    told = {}
    for number, (name, files) in enumerate(EXAMPLES.items()):
        campaign = read_campaign(write(tmp_path / str(number), files))
        submission = campaign.submissions[-1]
        labels = [*campaign.task.label_set, None]
        told[name] = (submission.team, submission.run, [labels[code] for code in submission.codes])
    assert told == {
        "Delimited text": ("uni x", "primary", ["spam", "spam", "ham"]),
        "JSON Lines": ("uni x", None, [None, "ham"]),
        "One label per line": ("uni x", None, ["0", None, "10"]),
        "A wide file": ("University of X", None, ["spam", "ham"]),
    }


def test_the_reading_settings_are_the_fields_of_keys():
    """A new one is added in both places; what is said of scores and spellings becomes one field each."""
    of_scores, of_gold = {"score", "threshold", "above", "below", "abstain"}, {"path", "stratified"}
    assert (
        set(Keys.__dataclass_fields__) - {"rule", "spelling", "score", "score_by_name", "above"}
        == set(TABLES["gold"].model_fields) - of_gold - of_scores
    )
    assert of_scores < set(TABLES["submissions"].model_fields)
