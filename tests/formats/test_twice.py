"""What stands twice under one name is never chosen between: columns, fields, sheets and keys of every format."""

import json
import zipfile
from io import BytesIO

import pyarrow as pa
import pytest
from pyarrow import parquet

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign

from .campaigns import ANSWERS, GOLD, GOOD, refusal, write
from .tables import workbook

ITEMS = ["1", "2", "3", "4"]
NO_YES = ["no", "yes", "no", "yes"]
OTHERS = ["yes", "yes", "no", "no"]


def delimited(names, *columns):
    """Comma-separated text."""
    return "\n".join(",".join(row) for row in [names, *zip(*columns, strict=True)]).encode()


def sheet(names, *columns):
    """A workbook."""
    return workbook([names, *zip(*columns, strict=True)])


def table(names, *columns):
    """A Parquet table."""
    file = BytesIO()
    parquet.write_table(pa.table(list(map(pa.array, columns)), names=names), file)
    return file.getvalue()


FORMS = {"csv": delimited, "xlsx": sheet, "parquet": table}
TWICE = {
    "ids": (["id", "id", "label"], ITEMS, ITEMS[::-1], NO_YES),
    "ids of another kind": (["id", "id", "label"], ITEMS, ["x", "x", "y", "z"], NO_YES),
    "labels": (["id", "label", "label"], ITEMS, NO_YES, OTHERS),
    "labels of another kind": (["id", "label", "label"], ITEMS, NO_YES, ["a", "b", "c", "d"]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", TWICE)
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("is_gold", [True, False])
def test_two_columns_of_one_name_are_ambiguous(form, what, order, is_gold, tmp_path):
    """Whichever of them stands first, in gold and in submissions; the message says how to decide."""
    names, *columns = TWICE[what]
    content = FORMS[form](names[::order], *columns[::order])
    files = (
        {f"gold.{form}": content, "submissions/A.csv": ANSWERS}
        if is_gold
        else {"gold.csv": GOLD, f"submissions/A.{form}": content}
    )
    (issue,) = refusal(tmp_path, files)
    assert issue.slug == "ambiguous-reading"
    assert " = 1" in issue.remedy or " = 2" in issue.remedy


@pytest.mark.parametrize("form", FORMS)
def test_two_columns_that_say_the_same_are_one(form, tmp_path):
    """There is nothing to choose."""
    content = FORMS[form](["id", "id", "label", "label"], ITEMS, ITEMS, OTHERS, OTHERS)
    campaign = read_campaign(write(tmp_path, {"gold.csv": GOLD, f"submissions/A.{form}": content}))
    assert campaign.submissions[0].codes.tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("form", FORMS)
def test_a_column_of_a_name_that_stands_twice_is_chosen_by_its_number(form, tmp_path):
    """As the message says: the one or the other."""
    content = FORMS[form](["id", "label", "label"], ITEMS, NO_YES, OTHERS)
    for number, codes in ((2, [0, 1, 0, 1]), (3, [1, 1, 0, 0])):
        settings = f"[submissions]\nid = 1\nlabel = {number}\n"
        files = {"gold.csv": GOLD, f"submissions/A.{form}": content, "task.toml": settings}
        assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == codes


NESTED = [
    {"id": "{}", "m": {"label": "no"}, "m.label": "yes"},
    {"m.label": "no", "id": "{}", "m": {"label": "yes"}},
    {"id": "{}", "a": {"b.label": "no"}, "a.b": {"label": "yes"}},
]


@pytest.mark.parametrize("fields", NESTED)
@pytest.mark.parametrize(
    "name", ["submissions/A.jsonl", "submissions/A.json", "gold.jsonl", "gold.json"]
)
def test_two_fields_of_one_dotted_name_are_refused(fields, name, tmp_path):
    """Also where one of them is nested, and only one object has both."""
    objects = [
        {"id": item, "m": {"label": label}} for item, label in zip(ITEMS, NO_YES, strict=True)
    ]
    objects[2] = {**fields, "id": "3"}
    texts = list(map(json.dumps, objects))
    content = "\n".join(texts) if name.endswith("l") else f"[{', '.join(texts)}]"
    files = {
        **({"gold.csv": GOLD} if "/" in name else {"submissions/A.csv": ANSWERS}),
        name: content,
    }
    with pytest.raises(InputError, match="label” is there twice"):
        read_campaign(write(tmp_path, files))


def test_a_dotted_field_is_found_at_any_depth(tmp_path):
    """Also below a field whose own name has a dot."""
    texts = [
        json.dumps({"id": item, "a.b": {"label": label}})
        for item, label in zip(ITEMS, OTHERS, strict=True)
    ]
    files = {"gold.csv": GOLD, "submissions/A.jsonl": "\n".join(texts)}
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == [1, 1, 0, 0]


def test_two_sheets_of_one_name_are_refused(tmp_path):
    """Excel makes none; one would hide the other."""
    with zipfile.ZipFile(
        BytesIO(workbook({"One": [["id", "label"]], "Two": [["id", "label"]]}))
    ) as book:
        parts = {
            name: book.read(name).replace(b'name="Two"', b'name="One"') for name in book.namelist()
        }
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        for name, part in parts.items():
            book.writestr(name, part)
    with pytest.raises(InputError, match=r"damaged-file: .*two sheets are called “One”"):
        read_campaign(write(tmp_path, {**GOOD, "submissions/A.csv": file.getvalue()}))


@pytest.mark.parametrize("key", ["group", "slices"])
def test_a_column_that_stands_twice_is_named_by_its_own_setting(key, tmp_path):
    """The way on is its number, under the same name."""
    rows = "id,label,who,who\n" + "".join(f"{n},{'ab'[n % 2]},{n % 3},{n % 4}\n" for n in range(12))
    files = {"gold.csv": rows, "submissions/A.csv": rows, "task.toml": f'[gold]\n{key} = "who"\n'}
    assert [f"{key} = …" in issue.remedy for issue in refusal(tmp_path, files)] == [True]
