"""JSON: lists, mappings, and what stands inside of objects."""

import json

import pytest

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign

from .campaigns import ANSWERS, GOLD, GOOD, refusal, write

LABELS = ["no", "no", "no", "yes"]
OBJECTS = [{"id": str(number), "label": label} for number, label in enumerate(LABELS, start=1)]
AS_ANSWERED = [0, 0, 0, 1]


def by_id(value):
    """A mapping from the ids."""
    return {entry["id"]: value(entry) for entry in OBJECTS}


SAME_ANSWERS = {
    "a list of objects": OBJECTS,
    "a list of objects with numbers": [{**entry, "id": int(entry["id"])} for entry in OBJECTS],
    "a list of nested objects": [
        {"meta": {"id": e["id"], "n": 1}, "prediction": {"label": e["label"]}} for e in OBJECTS
    ],
    "a list of labels": LABELS,
    "a mapping to labels": by_id(lambda entry: entry["label"]),
    "a mapping to objects": by_id(lambda entry: {"label": entry["label"], "score": 0.5}),
    "a mapping to nested objects": by_id(lambda entry: {"answer": {"label": entry["label"]}}),
    "a list inside": {"team": "A", "run": 1, "predictions": OBJECTS},
    "a list deep inside": {"team": {"name": "A"}, "data": {"date": "2031", "predictions": OBJECTS}},
    "a mapping inside": {"team": "A", "answers": by_id(lambda entry: entry["label"])},
    "labels inside": {"team": "A", "labels": LABELS},
    "columns": {
        "id": [entry["id"] for entry in OBJECTS],
        "label": LABELS,
        "score": [1, 0.5, None, True],
    },
    "rows apart from the names of columns": {
        "columns": ["id", "score", "label"],
        "index": [0, 1, 2, 3],
        "data": [[entry["id"], 0.5, entry["label"]] for entry in OBJECTS],
    },
    "columns in another order": {"id": ["4", "3", "2", "1"], "label": LABELS[::-1]},
    "columns inside": {"team": "A", "answers": {"id": ["1", "2", "3", "4"], "label": LABELS}},
    "an object per line": None,
}


@pytest.mark.parametrize("how", SAME_ANSWERS)
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("ending", ["json", "txt"])
def test_the_same_answers_are_read_however_json_holds_them(how, indent, ending, tmp_path):
    """On one line or on many, whatever the file is called; none needs a setting."""
    value = SAME_ANSWERS[how]
    text = (
        "\n".join(map(json.dumps, OBJECTS)) if value is None else json.dumps(value, indent=indent)
    )
    campaign = read_campaign(write(tmp_path, {"gold.csv": GOLD, f"submissions/A.{ending}": text}))
    assert campaign.submissions[0].codes.tolist() == AS_ANSWERED
    assert not campaign.issues


GOLD_LABELS = ["no", "yes", "no", "yes"]
SAME_GOLD = {
    "a list of objects": [
        {"id": number, "label": label} for number, label in enumerate(GOLD_LABELS, start=1)
    ],
    "a mapping to labels": {
        str(number): label for number, label in enumerate(GOLD_LABELS, start=1)
    },
    "a mapping to objects": {
        str(n): {"label": label, "by": f"x{n}"} for n, label in enumerate(GOLD_LABELS, start=1)
    },
    "a list inside": {
        "version": 2,
        "items": [{"uid": n, "gold": x} for n, x in enumerate(GOLD_LABELS, start=1)],
    },
}


@pytest.mark.parametrize("how", SAME_GOLD)
def test_gold_is_recognised_in_json(how, tmp_path):
    """Likewise for gold, of which nothing is known beforehand."""
    campaign = read_campaign(
        write(tmp_path, {"gold.json": json.dumps(SAME_GOLD[how]), "submissions/A.csv": ANSWERS})
    )
    assert campaign.gold.item_ids == ("1", "2", "3", "4")
    assert campaign.gold.codes.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("ending", "inside", "records"),
    [("json", "{}", ""), ("json", '{{"items": {}}}', 'records = "items"\n'), ("jsonl", "", "")],
    ids=["a list", "a list inside", "an object per line"],
)
def test_nothing_is_assumed_of_a_layout_that_is_stated(ending, inside, records, tmp_path):
    """Format, id and label, and where the list stands unless it is the whole."""
    stated = f'format = "{ending}"\n{records}id = "id"\nlabel = "label"\n'
    settings = f"[gold]\n{stated}[submissions]\n{stated}"
    golds = SAME_GOLD["a list of objects"]
    texts = [
        inside.format(json.dumps(each)) or "\n".join(map(json.dumps, each))
        for each in (golds, OBJECTS)
    ]
    files = {f"gold.{ending}": texts[0], f"submissions/A.{ending}": texts[1], "task.toml": settings}
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.submissions[0].codes.tolist() == AS_ANSWERED
    assert not [
        sentence
        for sentence in campaign.task.assumptions
        if f".{ending}" in sentence or "submission" in sentence
    ]
    less = read_campaign(
        write(tmp_path / "less", files | {"task.toml": settings.replace('label = "label"\n', "")})
    )
    assert any(f"gold.{ending}" in sentence for sentence in less.task.assumptions)


def test_a_list_of_labels_is_in_gold_order_and_as_long(tmp_path):
    """Beside gold with ids or without; entries are counted, not lines."""
    for gold in (GOLD, "no\nyes\nno\nyes\n"):
        root = write(tmp_path, {"gold.csv": gold, "submissions/A.json": json.dumps(LABELS)})
        assert read_campaign(root).submissions[0].codes.tolist() == AS_ANSWERED
        write(root, {"submissions/A.json": json.dumps([*LABELS, "no"])})
        (issue,) = refusal(root)
        assert (issue.slug, issue.found) == ("line-count", "5 entries with labels for 4 gold items")


def test_ids_without_gold_ids_are_refused(tmp_path):
    """A mapping has no order that could be gold's."""
    answers = json.dumps(SAME_ANSWERS["a mapping to labels"])
    (issue,) = refusal(tmp_path, {"gold.csv": "no\nyes\nno\nyes\n", "submissions/A.json": answers})
    assert issue.slug == "unrecognised"
    assert "gold is known by position only" in issue.found


def test_18_digits_are_exact(tmp_path):
    """Numbers stay the text they are written as."""
    gold = "id,label\n123456789012345678,1.0\n123456789012345679,1\n"
    text = '[{"id": 123456789012345679, "label": 1}, {"id": 123456789012345678, "label": 1.0}]'
    files = {"gold.csv": gold, "submissions/A.json": text, "task.toml": 'labels = ["1", "1.0"]\n'}
    campaign = read_campaign(write(tmp_path, files))
    assert (campaign.submissions[0].codes == campaign.gold.codes).all()


def test_two_lists_that_fit_have_to_be_decided(tmp_path):
    """By the names on the way to them, and the line that decides does."""
    runs = {"run1": OBJECTS, "run2": [{**entry, "label": "yes"} for entry in OBJECTS]}
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.json": json.dumps({"runs": runs})})
    (issue,) = refusal(root)
    assert issue.slug == "ambiguous-reading"
    assert 'records = "runs.run1" · or · records = "runs.run2"' in issue.remedy
    for run, codes in (("run1", AS_ANSWERED), ("run2", [1, 1, 1, 1])):
        write(root, {"task.toml": f'[submissions]\nformat = "json"\nrecords = "runs.{run}"\n'})
        assert read_campaign(root).submissions[0].codes.tolist() == codes


def test_a_dotted_name_is_a_field_inside_or_one_of_this_name(tmp_path):
    """In JSON and JSON Lines alike; an object that has both is refused (test_twice)."""
    entries = [{"a.b": entry["label"], "x": {"id": entry["id"]}} for entry in OBJECTS]
    toml = '[submissions]\nid = "x.id"\nlabel = "a.b"\n'
    for name, text in (
        ("A.json", json.dumps(entries)),
        ("B.jsonl", "\n".join(map(json.dumps, entries))),
    ):
        root = write(
            tmp_path / name, {"gold.csv": GOLD, f"submissions/{name}": text, "task.toml": toml}
        )
        assert read_campaign(root).submissions[0].codes.tolist() == AS_ANSWERED


BAD = {
    "a field twice": ('[{"id": 1, "id": 2, "label": "no"}]', "the field “id” is there twice"),
    "an id twice": ('{"1": "no", "2": "no", "1": "yes"}', "the field “1” is there twice"),
    "not a number": ('[{"id": 1, "label": NaN}]', "NaN is not JSON"),
    "infinity": ('{"1": -Infinity}', "-Infinity is not JSON"),
    "too deep": ('{"a":' * 100 + "1" + "}" * 100, "nested too deeply"),
    "far too deep": ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    "not closed": ('[{"id": 1, "label": "no"},\n {"id": 2', "line 2"),
    "nothing in it": ("[]", "a JSON array of 0 entries holds no list or mapping of items"),
    "lists of lists": ("[[1, 2, 3], [4, 5, 6]]", "a JSON array of 2 entries holds no list"),
}


@pytest.mark.parametrize("case", BAD)
def test_json_that_cannot_be_read_is_an_issue(case, tmp_path):
    """That says what is wrong with it."""
    text, found = BAD[case]
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.json": text})
    assert issue.slug == "bad-json"
    assert found in issue.found


def test_brackets_in_strings_are_no_levels(tmp_path):
    """Escaped quotes do not end a string."""
    entries = [{**entry, "text": '"' + "[" * 200 + '\\"'} for entry in OBJECTS]
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.json": json.dumps(entries)})
    assert read_campaign(root).submissions[0].codes.tolist() == AS_ANSWERED


def test_entries_that_are_no_items_are_named_by_their_number(tmp_path):
    """No line is blamed: all may stand on one."""
    entries = [
        OBJECTS[0],
        "no",
        {"id": "3", "label": ["no"]},
        {"label": "yes"},
        {"id": "2", "label": "no"},
    ]
    issues = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.json": json.dumps(entries)})
    assert [(issue.slug, issue.lines, issue.found) for issue in issues] == [
        ("bad-json", (), "entry 2: it is no object: no"),
        ("bad-json", (), "entry 4: the field “id” is missing"),
        ("bad-json", (), "entry 3: the field “label” is no plain value"),
    ]


def test_a_null_label_is_a_missing_answer(tmp_path):
    """In a mapping and in a list alike."""
    root = write(
        tmp_path,
        {"gold.csv": GOLD, "submissions/A.json": '{"1": "no", "2": null, "3": "no", "4": "yes"}'},
    )
    assert read_campaign(root).submissions[0].codes.tolist() == [0, 2, 0, 1]


def test_a_place_that_is_not_there_is_named(tmp_path):
    """The records that task.toml names are not in the file."""
    files = {
        **GOOD,
        "submissions/A.json": json.dumps(OBJECTS),
        "task.toml": '[submissions]\nrecords = "data"\n',
    }
    files.pop("submissions/A.csv")
    (issue,) = refusal(tmp_path, files)
    assert (issue.slug, issue.found) == (
        "bad-json",
        "a JSON array of 4 entries holds no list or mapping of items at “data”",
    )


ONES = [("1", ["no"]), ("2", ["yes"]), ("3", ["no"]), ("4", ["yes"])]


@pytest.mark.parametrize("name", ["A.jsonl", "A.json"])
def test_a_list_of_one_value_is_read_where_task_toml_says_so(name, tmp_path):
    """The column is called by the field with [0] behind it; nested fields too."""
    objects = [{"id": number, "output": {"labels": one}} for number, one in ONES]
    text = (
        json.dumps(objects)
        if name.endswith("json")
        else "".join(f"{json.dumps(each)}\n" for each in objects)
    )
    root = write(tmp_path, {"gold.csv": GOLD, f"submissions/{name}": text})
    assert 'label = "output.labels[0]"' in refusal(root)[0].remedy
    campaign = read_campaign(
        write(root, {"task.toml": '[submissions]\nlabel = "output.labels[0]"\n'})
    )
    assert campaign.submissions[0].codes.tolist() == [0, 1, 0, 1]
    assert any(
        "“output.labels[0]” the labels" in sentence for sentence in campaign.task.assumptions
    )


def test_a_list_of_two_is_no_single_value(tmp_path):
    """Wherever it stands: nothing is dropped."""
    objects = [{"id": number, "label": one} for number, one in ONES]
    objects[2]["label"] = ["no", "yes"]
    text = "".join(f"{json.dumps(each)}\n" for each in objects)
    with pytest.raises(InputError, match="“label” holds a list"):
        read_campaign(write(tmp_path, {"gold.csv": GOLD, "submissions/A.jsonl": text}))


def test_a_field_may_be_called_so(tmp_path):
    """It is that field then."""
    objects = [{"id": number, "label[0]": one[0], "label": ["yes"]} for number, one in ONES]
    toml = '[submissions]\nlabel = "label[0]"\n'
    text = "".join(f"{json.dumps(each)}\n" for each in objects)
    files = {"gold.csv": GOLD, "submissions/A.jsonl": text, "task.toml": toml}
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == [0, 1, 0, 1]


def test_where_every_object_lacks_a_part_of_the_id_the_issues_say_so(tmp_path):
    """And no row is left that could be told."""
    toml = '[gold]\npath = "gold.jsonl"\nid = ["a", "b"]\nlabel = "label"\n'
    gold = '{"a": "1", "label": "no"}\n{"b": "2", "label": "yes"}\n'
    with pytest.raises(InputError, match="the field “a” is missing"):
        read_campaign(
            write(tmp_path, {"gold.jsonl": gold, "task.toml": toml, "submissions/A.csv": ANSWERS})
        )
