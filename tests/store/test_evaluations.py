"""Evaluations: scores, ranks and flags beside the load that they evaluate."""

import json
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from audit.domain import Flag, Severity
from audit.errors import UsageError

from .campaigns import beside, campaign, evaluation, submission


@pytest.fixture
def loaded(store):
    """A store with one campaign."""
    store.save_campaign(campaign())
    return store


def test_scores_have_two_coordinates_a_value_and_a_rank(loaded, rows):
    """Undefined is NULL, and comes back as NaN."""
    made = evaluation(campaign())
    loaded.save_evaluation(made)
    query = """SELECT coalesce(s.value, 'undefined'), s.rank FROM score AS s JOIN submission USING (id)
               WHERE metric = ? AND prevalence = ? ORDER BY position"""
    query = query.replace("submission USING (id)", "submission ON submission.id = s.submission_id")
    for key, values, ranks in zip(made.keys, made.values, made.rank_values, strict=True):
        found = rows(query, key.metric, key.prevalence)
        np.testing.assert_array_equal([np.nan if value == "undefined" else value for value, _ in found], values)
        assert [rank for _, rank in found] == ranks.tolist()


def test_scores_come_back_to_the_last_bit(loaded, rows):
    """SQLite's REAL is the same 64 bits."""
    values = np.array([[1 / 3, np.nextafter(0.5, 1), 5e-324], [-1.0, np.nan, 1e-17]])
    loaded.save_evaluation(evaluation(campaign(), values=values))
    found = {value for (value,) in rows("SELECT value FROM score")}
    assert found == {1 / 3, np.nextafter(0.5, 1), 5e-324, -1.0, None, 1e-17}


def test_flags_come_with_their_evidence_as_json(loaded, rows):
    """Whatever mappings, arrays and undefined numbers it holds."""
    evidence = MappingProxyType(
        {"swap": (("A", "B"),), "by": np.float64(0.25), "rho": np.nan, 1: np.array([1, 2]), "n": None}
    )
    flag = Flag("order-depends", Severity.ORDER, "s", "r", "p", evidence)
    loaded.save_evaluation(evaluation(campaign(), flags=(flag, replace(flag, slug="note", severity=Severity.NOTE))))
    first, second = rows("SELECT slug, severity, sentence, remedy, paper, evidence FROM flag ORDER BY position")
    assert first[:5] == ("order-depends", 2, "s", "r", "p")
    assert json.loads(first[5]) == {"swap": [["A", "B"]], "by": 0.25, "rho": None, "1": [1, 2], "n": None}
    assert second[:2] == ("note", 3)


def test_the_same_evaluation_again_changes_no_byte(loaded):
    """Also where scores are undefined."""
    loaded.save_evaluation(evaluation(campaign()))
    before = loaded.path.read_bytes()
    loaded.save_evaluation(evaluation(campaign()))
    assert loaded.path.read_bytes() == before


def test_other_numbers_under_the_same_signature_take_its_place(loaded, counts, rows):
    """So that a signature has one evaluation."""
    loaded.save_evaluation(evaluation(campaign()))
    loaded.save_evaluation(evaluation(campaign(), values=np.full((2, 3), 0.5), flags=()))
    assert (counts()["evaluation"], counts()["score"], counts()["flag"]) == (1, 6, 0)
    assert rows("SELECT DISTINCT value FROM score") == [(0.5,)]


def test_another_signature_stands_beside_it(loaded, counts):
    """Another version of the program, say."""
    for signature in ("one", "two"):
        loaded.save_evaluation(evaluation(campaign(), signature=signature))
    assert (counts()["evaluation"], counts()["score"]) == (2, 12)


def test_an_evaluation_stays_with_the_load_it_is_of(loaded, rows):
    """The next load has its own."""
    loaded.save_evaluation(evaluation(campaign()))
    changed = campaign(submissions=(submission("Ada", [0, 0, 0, 0]),))
    loaded.save_campaign(changed)
    loaded.save_evaluation(evaluation(changed))
    assert rows("SELECT load_id, count(*) FROM score JOIN evaluation ON id = evaluation_id GROUP BY 1") == [
        (1, 6),
        (2, 2),
    ]


@pytest.mark.parametrize(
    "other",
    [
        campaign(gold=(0, 0, 0, 1)),
        campaign(submissions=(submission("Zoe", [0, 0, 0, 0]),)),
        campaign(submissions=(submission("Ada", [0, 0, 0, 0], content=b"other"),)),
    ],
    ids=["gold", "team", "file"],
)
def test_an_evaluation_of_something_else_is_refused(loaded, counts, other):
    """Somebody may have loaded another version meanwhile."""
    with pytest.raises(UsageError, match="not of what the store holds of “task”"):
        loaded.save_evaluation(evaluation(other))
    assert counts()["evaluation"] == 0


def test_an_evaluation_of_a_task_that_is_not_there_is_refused(store):
    """Load first."""
    with pytest.raises(UsageError, match="no task “task”"):
        store.save_evaluation(evaluation(campaign()))


def test_what_the_engine_computes_is_kept(loaded, rows):
    """Every score of a real evaluation, with the labels of its class-wise metrics."""
    engine = pytest.importorskip("audit.evaluation", reason="the engine is not there")
    made = engine.evaluate(loaded.load_campaign("task"))
    loaded.save_evaluation(made)
    found = rows("SELECT metric, prevalence, team, run, value, rank FROM score JOIN submission ON id = submission_id")
    assert len(found) == made.values.size
    known = {
        (str(key), name): (value, rank)
        for key, values, ranks in zip(made.keys, made.values, made.rank_values, strict=True)
        for name, value, rank in zip(made.names, values, ranks, strict=True)
    }
    for metric, prevalence, team, run, value, rank in found:
        key = next(key for key in made.keys if (key.metric, key.prevalence) == (metric, prevalence))
        score, place = known[str(key), team if run is None else f"{team}/{run}"]
        assert rank == place
        assert value == score or (value is None and np.isnan(score))
    before = loaded.path.read_bytes()
    loaded.save_evaluation(engine.evaluate(loaded.load_campaign("task")))
    assert loaded.path.read_bytes() == before


def test_entries_say_who_competes_and_what_was_dropped(loaded, rows):
    """One for each submission that is ranked."""
    loaded.save_evaluation(beside(evaluation(campaign())))
    found = rows("SELECT position, competes, n_dropped FROM entry JOIN submission ON id = submission_id ORDER BY 1")
    assert found == [(0, 0, 0), (1, 1, 2), (2, 1, 2)]


def test_baselines_have_a_score_for_each_key(loaded, rows):
    """With its Monte Carlo error, 0 where it is exact, and NULL where it is undefined."""
    made = beside(evaluation(campaign()))
    loaded.save_evaluation(made)
    found = rows("SELECT slug, title, explanation FROM baseline ORDER BY position")
    assert found == [(each.slug, each.title, each.explanation) for each in made.baselines]
    for each in made.baselines:
        for key, value, error in zip(made.keys, each.values.tolist(), each.standard_errors.tolist(), strict=True):
            (score,) = rows(
                "SELECT value, standard_error FROM baseline_score WHERE slug = ? AND metric = ? AND prevalence = ?",
                *(each.slug, key.metric, key.prevalence),
            )
            assert score == (None if np.isnan(value) else value, error)


@pytest.mark.parametrize(
    "other",
    [
        lambda made: replace(made, baselines=made.baselines[:1]),
        lambda made: replace(made, baselines=(replace(made.baselines[0], title="Other"), *made.baselines[1:])),
        lambda made: replace(made, baselines=(replace(made.baselines[0], values=np.ones(2)), *made.baselines[1:])),
        lambda made: replace(made, entries=(replace(made.entries[0], competes=True), *made.entries[1:])),
        lambda made: replace(made, entries=(*made.entries[:2], replace(made.entries[2], n_dropped=1))),
    ],
)
def test_other_baselines_or_entries_take_the_place_of_the_former(loaded, counts, other):
    """Under the same signature; the same ones again change no byte."""
    made = beside(evaluation(campaign()))
    loaded.save_evaluation(other(made))
    loaded.save_evaluation(made)
    before = loaded.path.read_bytes()
    loaded.save_evaluation(made)
    assert loaded.path.read_bytes() == before
    assert [counts()[table] for table in ("evaluation", "entry", "baseline", "baseline_score")] == [1, 3, 2, 4]
