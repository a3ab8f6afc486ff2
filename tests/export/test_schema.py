"""evaluation.json keeps to its published schema, and the schema refuses what does not."""

import copy
import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import audit
from audit.domain import Options, State
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.writers.bundle.archive import evaluation_document, schema_text
from audit.writers.bundle.sheets import items_of
from audit.writers.data.export import to_json
from tests.formats.campaigns import write
from tests.nightly import ALL

from .conftest import with_power

SCHEMA = json.loads(schema_text())
VALIDATOR = Draft202012Validator(SCHEMA)


def document(case, **options):
    return json.loads(to_json(evaluation_document(case.evaluation, **options)))


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


def test_the_docs_publish_the_schema_of_the_package():
    published = Path(__file__).parents[2] / "docs" / "evaluation.schema.json"
    assert published.read_text(encoding="utf-8") == schema_text(), "run: python docs/generate.py"


def test_what_is_exported_keeps_to_the_schema(case):
    """Plain, hostile, with every role and policy, and with the certainty left out."""
    VALIDATOR.validate(json.loads(case.files["evaluation.json"]))


def test_items_keep_to_the_schema(case):
    """With ids where the campaign has them, and without where items are known by position."""
    listed = document(case, items=items_of(case.evaluation, case.campaign))
    VALIDATOR.validate(listed)
    assert len(listed["per_item"]["gold"]) == listed["items"]


def test_an_evaluation_from_memory_keeps_to_the_schema():
    """A label without gold, a metric that nobody has a score by, a team that never answers."""
    evaluation = audit.evaluate(
        ["a", "b"] * 30,
        {"X": ["a", "b"] * 30, "Y": [None] * 60},
        labels=["a", "b", "c"],
        official_metric="f1[c]",
    )
    VALIDATOR.validate(json.loads(to_json(evaluation_document(evaluation))))


@pytest.mark.usefixtures("copies_accepted")
def test_published_ranks_and_means_of_ranks_keep_to_the_schema(tmp_path):
    """Beside columns of scores, and alone."""
    rows = {"A": "aabbab", "B": "aabaab", "C": "abbbaa", "D": "bbaabb"}
    gold = "\n".join(
        ["id,label", *(f"{place},{label}" for place, label in enumerate("aabbab" * 5)), ""]
    )
    answers = {
        f"submissions/{team}.csv": "\n".join(
            ["id,label", *(f"{n},{label}" for n, label in enumerate(row * 5)), ""]
        )
        for team, row in rows.items()
    }
    for number, head in enumerate(
        (
            "team,Acc,Rank,Avg. rank\nA,1.0,1,1\nB,.67,2,2.5\nC,.67,2,2.5\nD,.17,4,4\n",
            "team,Rank,Rank 2,Avg. rank\nA,1,1,1\nB,2,3,2.5\nC,2,2,2\nD,4,4,4\n",
        )
    ):
        files = {
            "gold.csv": gold,
            "published.csv": head,
            "task.toml": '[published]\npath = "published.csv"\n',
            **answers,
        }
        evaluation = evaluate(
            read_campaign(write(tmp_path / str(number), files)), Options(certainty=False)
        )
        written = json.loads(to_json(evaluation_document(evaluation)))
        VALIDATOR.validate(written)
        assert [ranks["heading"] for ranks in written["published"]["tables"][0]["ranks"]][
            -1
        ] == "Avg. rank"
        assert len(written["published"]["tables"][0]["ranks"]) == number + 2


def fitting(schema, value):
    """What a schema says of a value: references followed, and of several alternatives the first that it keeps to."""
    while "$ref" in schema or "anyOf" in schema:
        options = [schema] if "$ref" in schema else schema["anyOf"]
        resolved = [
            SCHEMA["$defs"][each["$ref"].rpartition("/")[2]] if "$ref" in each else each
            for each in options
        ]
        schema = next(
            each
            for each in resolved
            if Draft202012Validator({"$defs": SCHEMA["$defs"], **each}).is_valid(value)
        )
    return schema


def closed(schema, value, path=()):
    """Every object of a document that the schema lists the fields of, with those fields; lists by their first entry."""
    schema = fitting(schema, value)
    if isinstance(value, dict):
        if schema.get("additionalProperties") is False:
            yield path, tuple(schema["required"])
        properties, other = schema.get("properties", {}), schema.get("additionalProperties")
        for name, child in value.items():
            below = properties.get(name, other)
            if isinstance(below, dict):
                yield from closed(below, child, (*path, name))
    elif isinstance(value, list) and value and "items" in schema:
        yield from closed(schema["items"], value[0], (*path, 0))


def at(value, path):
    for step in path:
        value = value[step]
    return value


@pytest.fixture(scope="module")
def sample(flood):
    """A document with something in every part."""
    full = with_power(flood.evaluation)
    full = full.given(certainty=replace(full.certainty, ungrouped=full.certainty.intervals))
    made = document(
        replace(flood, evaluation=full), items=items_of(flood.evaluation, flood.campaign)
    )
    made["journal"] = [{"action": "read", "subject": "gold.csv", "text": "read", "count": 1}]
    made["uncounted_runs"] = [
        {"team": "X", "run": None, "file": None, "role": "withdrawn", "reason": "withdrawn"}
    ]
    made["chosen_runs"] = [{"team": "X", "run": "1", "reason": "the organiser’s choice"}]
    VALIDATOR.validate(made)
    return made


def shortened(schema, value):
    """A document with two objects in each list, one in each map, and four numbers or texts in each list."""
    schema = fitting(schema, value)
    if isinstance(value, dict):
        properties, other = schema.get("properties", {}), schema.get("additionalProperties")
        kept = [name for name in value if name in properties or not is_object(value[name])]
        kept += [name for name in value if name not in kept][:1]
        below = {name: properties.get(name, other) for name in value if name in kept}
        return {
            name: shortened(each, value[name]) if isinstance(each, dict) else value[name]
            for name, each in below.items()
        }
    if isinstance(value, list) and value and "items" in schema:
        return [
            shortened(schema["items"], child) for child in value[: 2 if is_object(value[0]) else 4]
        ]
    return value


def is_object(value):
    return isinstance(value, dict)


def test_every_object_of_fixed_fields_is_closed_and_complete(sample):
    """No object lets an unknown field pass, or a field be missing: in the gate, every sixth."""
    objects = dict(closed(SCHEMA, sample))
    sample = shortened(SCHEMA, sample)
    VALIDATOR.validate(sample)
    assert dict(closed(SCHEMA, sample)) == objects
    of_definitions = {name for name, each in SCHEMA["$defs"].items() if "required" in each}
    assert len(objects) >= len(of_definitions) + 1
    for path, fields in list(objects.items())[:: 1 if ALL else 6]:
        changed = at(sample, path)
        assert set(changed) == set(fields)
        changed["unheard_of"] = 1
        assert not VALIDATOR.is_valid(sample), path
        del changed["unheard_of"]
        for field in fields:
            value = changed.pop(field)
            assert not VALIDATOR.is_valid(sample), (path, field)
            changed[field] = value
    VALIDATOR.validate(sample)


@pytest.mark.parametrize("name", ["change", "verdict", "slice"])
def test_the_states_of_a_choice_are_those_of_the_program(name):
    """The worst first, wherever one stands."""
    part = SCHEMA["$defs"][name]["properties"]
    part = part["depends_on"]["items"]["properties"] if name == "verdict" else part
    assert [state for state in part["state"]["enum"] if state] == [state.value for state in State]


def test_every_schema_of_fields_is_closed():
    """Wherever the schema names fields of an object it requires some of them and allows no others."""

    def schemas(part):
        if isinstance(part, dict):
            if part.get("type") == "object" and "properties" in part:
                yield part
            part = list(part.values())
        if isinstance(part, list):
            for each in part:
                yield from schemas(each)

    found = list(schemas(SCHEMA))
    assert len(found) > 20
    for each in found:
        assert each.get("additionalProperties") is False, each
        assert set(each["required"]) <= set(each["properties"]), each


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), 2),
        (("items",), 0),
        (("labels",), [1]),
        (("teams",), ["X", "X"]),
        (("scores", "accuracy", "Heron"), "0.5"),
        (("ranks", "accuracy", "Heron"), 0),
        (("ranks", "accuracy", "Heron"), 1.5),
        (("flags", 0, "severity"), "fatal"),
        (("entries", 0, "role"), "king"),
        (("agreement", "spearman", 0, 0), "1"),
        (("certainty", "comparisons", 0, "possible_ranks", "Heron"), [1]),
        (("certainty", "comparisons", 0, "leader"), 3),
        (("certainty", "comparisons", 0, "ahead_of", "Heron"), ["Spate"]),
        (("certainty", "intervals", "scores", "accuracy", "Heron"), [0.1, 0.2, 0.3]),
        (("certainty", "intervals", "gap_upper", "Heron"), -0.1),
        (("certainty", "intervals", "gap_marks", "Heron"), "because"),
        (("certainty", "changes", 0, "state"), "perhaps"),
        (("power", 0, "carried_by", "cells", 0), [1, 2, 3]),
        (("confusions", "Heron", 0, 0), -1),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(sample, path, value):
    changed = copy.deepcopy(sample)
    at(changed, path[:-1])[path[-1]] = value
    assert not VALIDATOR.is_valid(changed)


def test_the_spread_over_classes_stands_beside_every_macro_score(sample):
    """Of the means over classes, at each prevalence, by entry."""
    spreads = {each["metric"]: each for each in sample["spread_over_classes"]}
    means = ("averaged_f1", "macro_precision", "macro_recall")
    assert set(spreads) == {f"{slug}{mark}" for slug in means for mark in ("", "~")}
    for name, each in spreads.items():
        for team, score in sample["scores"][name].items():
            assert each["lowest"][team] <= score <= each["highest"][team]
            assert (
                0
                <= each["standard_deviation"][team]
                <= (each["highest"][team] - each["lowest"][team]) / 2 + 1e-12
            )
