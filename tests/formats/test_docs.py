"""docs/task-toml.md says what the program does: it is written from the schema, which is held to itself here."""

import re
from pathlib import Path

import pytest

from audit.errors import InputError
from audit.formats.settings.layout import StatedLayout
from audit.formats.settings.parsing import parse_parts, parse_settings
from audit.formats.settings.task_toml import (
    TABLES,
    AnswerSettings,
    ChosenTable,
    FileSettings,
    GoldSettings,
    TaskToml,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "task-toml.md").read_text(encoding="utf-8")
BLOCKS = [
    block
    for path in sorted(DOCS.glob("*.md"))
    for block in re.findall(
        r"^```toml[^\n]*\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
]
MODELS = {"": TaskToml, **TABLES}
FIELDS = [
    (table, name, field)
    for table, model in MODELS.items()
    for name, field in model.model_fields.items()
    if table or name not in TABLES
]


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_of_settings_is_valid(block):
    """And says something."""
    assert all(settings.toml.stated for settings in parse_parts(block.encode()))


@pytest.mark.parametrize(
    ("table", "name", "field"), FIELDS, ids=[f"{table}.{name}" for table, name, _ in FIELDS]
)
def test_every_setting_says_what_it_is_and_has_an_example(table, name, field):
    """The example sets this one, by itself; the page has them all."""
    assert field.description
    assert field.json_schema_extra["missing"]
    assert f"| `{name}` | {field.description} | {field.json_schema_extra['missing']} | `" in PAGE
    assert field.examples
    for example in field.examples:
        beside = dict.fromkeys(ChosenTable.model_fields, "x") if table == "chosen" else {}
        beside |= {"labels": ["0", "1", "2", "5"]} if name == "scale" else {}
        beside |= {"labels": ["1", "2", "3"], "scale": True} if name == "order" else {}
        stated = MODELS[table].model_validate({**beside, name: example}).stated
        assert set(stated) == {*beside, name}
        assert stated[name] != field.default


@pytest.mark.parametrize(("table", "name"), [(table, name) for table, name, _ in FIELDS])
def test_a_setting_that_is_misspelt_is_found_again(table, name):
    """In its table, with its line."""
    misspelt = f"{name}{name[-1]}"
    heading = f"[[{table}]]" if table == "chosen" else f"[{table}]" if table else "# at the top"
    heading = "[columns.BLEU]" if table == "columns" else heading
    with pytest.raises(InputError) as caught:
        parse_settings(f"{heading}\n{misspelt} = 3\n".encode())
    issue = next(issue for issue in caught.value.issues if misspelt in issue.found)
    assert issue.lines == (2,)
    assert f"Did you mean “{name}”?" in issue.found


def test_the_page_is_short():
    """A table is looked up, and a page of it is read."""
    words = re.findall(r"[^\s|]*\w[^\s|]*", PAGE)
    assert len(words) < 2_600


def test_the_reading_settings_are_the_fields_of_keys():
    """A new one is added in both places; what is said of scores and spellings becomes fields of their own."""
    of_answers = {"rule", "spelling", "score", "score_by_name", "above"}
    settings = {*FileSettings.model_fields, *GoldSettings.model_fields, "label", "id_pattern"} - {
        "stratified",
        "weight",
    }
    assert set(StatedLayout.__dataclass_fields__) - of_answers == settings
    assert of_answers & set(AnswerSettings.model_fields) == {"score", "above"}
