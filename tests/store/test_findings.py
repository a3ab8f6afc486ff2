"""What an evaluation shows beyond its scores: kept as the report and the JSON have it, and taken away with it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from audit.domain import NO_RESAMPLING, ClassSet, F1Undefined, Missing, Named, Reading, Role, Undefined
from audit.evaluation import evaluate
from audit.metrics import score_readings
from audit.ranking import RULES
from audit.readings import audit_macro_f1
from audit.report import briefs_of, evaluation_data, macro_f1_data

from .campaigns import beside, campaign, evaluation, published, submission

SOME = np.random.default_rng(5)
GOLD = tuple(SOME.integers(0, 3, 40).tolist())
TEAMS = [
    submission(f"team {team}", np.where(SOME.random(40) < 0.6, GOLD, SOME.integers(0, 5, 40))) for team in range(4)
]
CAMPAIGNS = {
    "one team": campaign(submissions=TEAMS[:1], gold=GOLD, resampling=NO_RESAMPLING),
    "four teams": campaign(submissions=tuple(TEAMS), gold=GOLD, resampling=NO_RESAMPLING),
    "undefined": campaign(gold=(1,) * 4, prevalences=(), resampling=NO_RESAMPLING),
    "published": published(resampling=NO_RESAMPLING),
}
TABLES = (
    *("reading_group", "reading", "reading_score", "winner_map", "winner_map_share", "winner_map_class"),
    *("election", "election_voter", "election_value", "metric_property", "witness", "witness_addition"),
    *("identified_column", "identified_match", "identified_miss"),
)


@pytest.fixture(params=CAMPAIGNS)
def made(request, store):
    """An evaluation of the engine, kept in a store."""
    store.save_campaign(CAMPAIGNS[request.param])
    found = evaluate(store.load_campaign("task"))
    store.save_evaluation(found)
    return found


@pytest.fixture
def data(made):
    """The same as the JSON has it."""
    return evaluation_data(made)


NAME = "iif(run IS NULL, team, team || '/' || run)"


def grouped(found):
    """Rows by their first value; the rest of each as a value or a tuple."""
    groups = {}
    for key, name, *rest in found:
        groups.setdefault(key, {})[name] = rest[0] if len(rest) == 1 else tuple(rest)
    return groups


def test_readings_come_back_with_every_score(made, data, rows):
    """Each group with its readings in their order, and every team's score and rank."""
    audit = audit_macro_f1(made)
    whole = macro_f1_data(audit, made, whole=True)["groups"]
    scores = grouped(
        rows(f"SELECT group_position, {NAME}, value, rank FROM reading_score JOIN submission ON id = submission_id")  # noqa: S608 - our own words
    )
    found = rows("SELECT position, reading, n_changes FROM reading_group ORDER BY position")
    assert found == [(at, group["reading"], len(group["changed"])) for at, group in enumerate(whole)]
    for at, group in enumerate(whole):
        names = rows("SELECT reading FROM reading WHERE group_position = ? ORDER BY position", at)
        assert [name for (name,) in names] == group["readings"]
        assert {name: value for name, (value, _) in scores[at].items()} == group["scores"]
        assert {name: None if value is None else rank for name, (value, rank) in scores[at].items()} == group["ranks"]
    assert len(rows("SELECT reading FROM reading")) == data["macro_f1"]["readings_tried"]


def test_a_reading_can_be_scored_again_from_its_columns(made, rows):
    """Each choice is a column: put together they are the reading, and give the group's scores."""
    query = """SELECT reading.reading, metric, class_set, named, undefined, f1_undefined, missing, prevalence, value
               FROM reading JOIN reading_score USING (evaluation_id, group_position)
               JOIN submission ON submission.id = submission_id ORDER BY submission.position, 1"""
    found = {}
    for signature, metric, class_set, named, undefined, f1_undefined, missing, prevalence, value in rows(query):
        choices = ClassSet(class_set), Named(named), Undefined(undefined), F1Undefined(f1_undefined), Missing(missing)
        reading = Reading(metric, *choices, prevalence)
        assert str(reading) == signature
        found.setdefault(reading, []).append(np.nan if value is None else value)
    scored = score_readings(made.answers, tuple(found), made.prevalences, made.task.label_set)
    np.testing.assert_allclose(list(found.values()), scored, rtol=0, atol=1e-11)


def test_the_winner_map_comes_back(made, data, rows):
    """Whole, and no row where nobody else could win."""
    wanted = data["class_distributions"]
    found = rows(
        "SELECT holds_uniform, holds_nearby, n_draws, seed, concentration, mean_total_variation_nearby,"
        " nearest_total_variation FROM winner_map"
    )
    assert bool(found) == (wanted is not None)
    if wanted is None:
        assert rows("SELECT * FROM winner_map_share") == rows("SELECT * FROM winner_map_class") == []
        return
    nearest = wanted["nearest_change"] or {"total_variation": None, "winners": None, "shares": None}
    assert found == [
        (
            *(wanted[name]["share"] for name in ("holds_uniform", "holds_nearby")),
            *(wanted[name] for name in ("draws", "seed", "concentration", "mean_total_variation_nearby")),
            nearest["total_variation"],
        )
    ]
    shares = rows(
        f"SELECT {NAME}, uniform, nearby, is_first, is_first_at_nearest FROM winner_map_share"  # noqa: S608 - our own words
        " JOIN submission ON id = submission_id"
    )
    for name, uniform, nearby, is_first, is_first_at_nearest in shares:
        assert (uniform, nearby) == (wanted["uniform"][name], wanted["nearby"][name])
        assert is_first == (name in wanted["winners"])
        assert is_first_at_nearest == (None if nearest["winners"] is None else name in nearest["winners"])
    assert {name for name, *_ in shares} == set(data["teams"])
    classes = rows("SELECT label, share, share_at_nearest FROM winner_map_class ORDER BY position")
    assert {label: share for label, share, _ in classes} == wanted["reference"]
    assert {label: moved for label, _, moved in classes} == (nearest["shares"] or dict.fromkeys(wanted["reference"]))
    assert made.winner_map is not None


def test_elections_come_back(data, rows):
    """Every rule with what it assumes, its value for every team, and whom it crowns."""
    values = grouped(
        rows(f"SELECT rule, {NAME}, value, is_winner FROM election_value JOIN submission ON id = submission_id")  # noqa: S608 - our own words
    )
    stored = [
        {
            "rule": rule,
            "assumes": assumes,
            "winners": sorted(name for name, (_, is_winner) in values[rule].items() if is_winner),
            "unit": unit,
            "values": {name: value for name, (value, _) in values[rule].items()},
        }
        for rule, assumes, unit in rows("SELECT rule, assumes, unit FROM election ORDER BY position")
    ]
    assert stored == [{**rule, "winners": sorted(rule["winners"])} for rule in data["elections"]["rules"]]
    voters = rows("SELECT metric FROM election_voter WHERE prevalence = 'observed' ORDER BY position")
    assert [metric for (metric,) in voters] == data["elections"]["metrics"]


def test_properties_come_back_with_their_witnesses(data, rows):
    """Confusions, scores and what was added."""
    stored = {
        (metric, name): holds for metric, name, holds in rows("SELECT metric, property, holds FROM metric_property")
    }
    assert stored == {(each["metric"], each["property"]): each["holds"] for each in data["properties"]}
    for each in data["properties"]:
        of = each["metric"], each["property"]
        found = rows(
            f"SELECT witness.position, {NAME}, balanced, score, confusion FROM witness LEFT JOIN submission"  # noqa: S608 - our own words
            " ON id = submission_id WHERE metric = ? AND property = ? ORDER BY witness.position",
            *of,
        )
        added = "SELECT gold, predicted, n_items FROM witness_addition WHERE metric = ? AND property = ?"
        compared = [
            {
                "team": name,
                "added": [
                    {"gold": gold, "predicted": predicted, "items": items}
                    for gold, predicted, items in rows(f"{added} AND witness_position = ? ORDER BY position", *of, at)
                ],
                "balanced": bool(balanced),
                "confusion": json.loads(confusion),
                "score": score,
            }
            for at, name, balanced, score, confusion in found
        ]
        assert compared == ([] if each["witness"] is None else each["witness"]["compared"])


def test_what_was_published_comes_back(data, rows):
    """Every column with its matches, and who is off by each."""
    columns = rows("SELECT position, heading, n_teams, percent, heading_says FROM identified_column ORDER BY position")
    wanted = data["published"]["columns"] if data["published"] else []
    assert len(columns) == len(wanted)
    for (at, *said), column in zip(columns, wanted, strict=True):
        is_percent = column["scale"] == "percentages"
        assert said == [column["heading"], column["teams"], is_percent, column["heading_names_the_numbers"]]
        query = "SELECT position, reading, n_readings, n_matched, rounding, decimals FROM identified_match"
        matches = rows(f"{query} WHERE column_position = ? ORDER BY position", at)
        for (position, reading, n_readings, *rest), match in zip(matches, column["matches"], strict=True):
            assert (reading, n_readings) == (match["reading"], 1 + len(match["cannot_be_told_from"]))
            assert rest == [match["matched"], match["rounding"], match["decimals"]]
            misses = rows(
                f"SELECT {NAME}, printed, computed, difference, reading_that_gives_it FROM identified_miss"  # noqa: S608 - our own words
                " JOIN submission ON id = submission_id WHERE column_position = ? AND match_position = ?",
                *(at, position),
            )
            assert sorted(misses, key=repr) == sorted((tuple(off.values()) for off in match["off"]), key=repr)


@pytest.mark.usefixtures("made")
def test_the_same_evaluation_again_changes_no_byte(store):
    """All of this included."""
    before = store.path.read_bytes()
    store.save_evaluation(evaluate(store.load_campaign("task")))
    assert store.path.read_bytes() == before


def test_all_of_it_goes_with_the_evaluation(explored, counts):
    """An evaluation of the same signature without any takes its place; a task takes everything with it."""
    assert all(counts()[table] for table in TABLES)
    loaded = explored.load_campaign("published")
    made = evaluate(loaded)
    explored.save_evaluation(replace(made, answers=None, winner_map=None, published=None))
    assert not any(counts()[table] for table in TABLES)


def test_an_evaluation_put_together_by_hand_has_none_of_it(store, counts):
    """It lacks the answers that readings are scored from."""
    store.save_campaign(campaign())
    store.save_evaluation(beside(evaluation(campaign())))
    assert not any(counts()[table] for table in TABLES)


def test_where_nobody_takes_a_rank_there_is_no_winner_to_keep(store, counts, rows):
    """Baselines beside nobody: no reading is tried, and every rule crowns nobody."""
    alone = campaign(submissions=(replace(TEAMS[0], role=Role.BASELINE),), gold=GOLD, resampling=NO_RESAMPLING)
    store.save_campaign(alone)
    made = evaluate(alone)
    store.save_evaluation(made)
    assert (counts()["reading_group"], counts()["winner_map"], counts()["election_value"]) == (0, 0, 0)
    assert rows("SELECT rule FROM election ORDER BY position") == [(slug,) for slug in RULES]
    assert [each.title for each in briefs_of(made)] == [
        "Several winners, by named rules",
        "Properties of the metrics, shown here",
    ]
