"""Uncertainty: what was found out once is kept, in columns for SQL and to the last bit for the program."""

from dataclasses import replace

import numpy as np
import pytest

import audit.evaluation
from audit import workflow
from audit.domain import NO_RESAMPLING, Resampling, ScoreKey
from audit.errors import UsageError
from audit.evaluation import evaluate

from .campaigns import campaign, evaluation, known, resampled, submission

SOME = np.random.default_rng(5)
GOLD = tuple(SOME.integers(0, 3, 40).tolist())
TEAMS = [
    submission(f"team {team}", np.where(SOME.random(40) < 0.6, GOLD, SOME.integers(0, 5, 40))) for team in range(4)
]
CONSTANT = submission("constant", [1] * 40)


B = 60
FEW = Resampling(B, seed=3)


def made_of(*submissions, gold=GOLD, resampling=FEW, **task):
    """A campaign of these submissions that asks for a few replicates."""
    return campaign(submissions=tuple(submissions), gold=gold, resampling=resampling, **task)


ENGINE = {
    "one team": made_of(TEAMS[0]),
    "two teams": made_of(*TEAMS[:2]),
    "four teams": made_of(*TEAMS),
    "identical teams": made_of(TEAMS[0], replace(TEAMS[0], team="again")),
    "undefined": made_of(TEAMS[0], CONSTANT, gold=(1,) * 40, official_metric=ScoreKey("kappa"), prevalences=()),
    "a rare class": made_of(*TEAMS[:3], gold=(0, *[1, 2] * 19, 1)),
    "no resampling": made_of(*TEAMS[:2], resampling=NO_RESAMPLING),
    "by the rule": made_of(*TEAMS[:2], resampling=Resampling()),
}


@pytest.mark.parametrize("name", ENGINE)
def test_what_the_engine_finds_out_comes_back_to_the_last_bit(store, name):
    """Undefined numbers included; and the same evaluation again changes no byte of the file."""
    store.save_campaign(ENGINE[name])
    made = evaluate(store.load_campaign("task"))
    store.save_evaluation(made)
    before = store.path.read_bytes()
    loaded = store.load_uncertainty("task", made.signature)
    assert (loaded is None) == (made.uncertainty is None) == (name == "no resampling")
    assert loaded is None or known(loaded) == known(made.uncertainty)
    store.save_evaluation(evaluate(store.load_campaign("task")))
    assert store.path.read_bytes() == before


@pytest.mark.parametrize("n_teams", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_any_numbers_come_back_to_the_last_bit(store, n_teams, seed):
    """Undefined, infinite, tiny, and negative nothing."""
    loaded = campaign(submissions=campaign().submissions[:n_teams])
    store.save_campaign(loaded)
    made = resampled(evaluation(loaded), seed)
    store.save_evaluation(made)
    assert known(store.load_uncertainty("task", made.signature)) == known(made.uncertainty)


@pytest.fixture
def loaded(store):
    """A store with one campaign."""
    store.save_campaign(campaign())
    return store


def test_what_is_loaded_cannot_be_changed(loaded):
    """Like every domain value."""
    loaded.save_evaluation(resampled(evaluation(campaign())))
    found = loaded.load_uncertainty("task", "signature")
    arrays = [each for part in (found, *found.comparisons) for each in vars(part).values() if hasattr(each, "flags")]
    assert len(arrays) == 6 + 10 * len(found.comparisons)
    assert not any(array.flags.writeable for array in arrays)


def test_intervals_stand_beside_their_scores(loaded, rows):
    """NULL where undefined, or where nothing was resampled."""
    made = resampled(evaluation(campaign()))
    loaded.save_evaluation(made)
    loaded.save_evaluation(evaluation(campaign(), signature="without"))
    query = """SELECT score.lower, score.upper FROM score JOIN submission ON submission.id = submission_id
               WHERE evaluation_id = ? AND metric = ? AND prevalence = ? ORDER BY position"""
    for row, key in enumerate(made.keys):
        found = np.array(rows(query, 1, key.metric, key.prevalence), dtype=float)
        np.testing.assert_array_equal(found.T, [made.uncertainty.lower[row], made.uncertainty.upper[row]])
        assert set(rows(query, 2, key.metric, key.prevalence)) == {(None, None)}


def test_comparisons_and_rank_sets_are_rows(loaded, rows):
    """With NULL for what is undefined."""
    made = resampled(evaluation(campaign()))
    loaded.save_evaluation(made)
    query = """SELECT first, last, tier, share_first, behind_lower, behind_upper, randomization_p FROM rank_set
               JOIN submission ON submission.id = submission_id
               WHERE metric = ? AND prevalence = ? ORDER BY position"""
    compared = rows("SELECT metric, prevalence, critical_value, resolution FROM comparison ORDER BY position")
    for (metric, prevalence, *numbers), each in zip(compared, made.uncertainty.comparisons, strict=True):
        assert ScoreKey(metric, prevalence) == each.key
        np.testing.assert_array_equal(np.array(numbers, dtype=float), [each.critical_value, each.resolution])
        ends = (each.behind_lower, each.behind_upper, each.randomization_p)
        wanted = np.column_stack([each.rank_sets, each.tiers, each.rank_shares[:, 0], *ends])
        np.testing.assert_array_equal(np.array(rows(query, metric, prevalence), dtype=float), wanted)


def test_an_uncertainty_that_differs_takes_the_place_of_the_other(loaded, counts):
    """Under the same signature, all else being equal."""
    loaded.save_evaluation(resampled(evaluation(campaign()), 1))
    before = counts()
    loaded.save_evaluation(resampled(evaluation(campaign()), 2))
    assert counts() == before
    assert loaded.load_uncertainty("task", "signature").seed == 2
    loaded.save_evaluation(evaluation(campaign()))
    assert loaded.load_uncertainty("task", "signature") is None
    assert {counts()[table] for table in ("uncertainty", "comparison", "rank_set", "packed_array")} == {0}


def test_only_the_latest_load_and_the_same_signature_count(loaded):
    """Another signature is another evaluation, and another load is of another campaign."""
    loaded.save_evaluation(resampled(evaluation(campaign())))
    assert loaded.load_uncertainty("task", "another") is None
    loaded.save_campaign(campaign(title="New"))
    assert loaded.load_uncertainty("task", "signature") is None
    with pytest.raises(UsageError, match="no task"):
        loaded.load_uncertainty("another", "signature")


# Evaluations that are read


@pytest.fixture
def evaluated(store):
    """A store with an evaluation, and the evaluation."""
    store.save_campaign(ENGINE["four teams"])
    return workflow.evaluate_task("task", store.path)


@pytest.fixture
def quantified(monkeypatch):
    """How often something was resampled."""
    calls = []
    quantify = audit.evaluation.quantify
    monkeypatch.setattr(
        audit.evaluation, "quantify", lambda *args, **options: calls.append(1) or quantify(*args, **options)
    )
    return calls


@pytest.mark.parametrize("metric", [None, "averaged_f1"])
def test_what_the_store_knows_is_not_resampled_again(evaluated, store, quantified, metric):
    """Numbers and flags are those of the evaluation that was kept, and the store is left as it was."""
    before = store.path.read_bytes()
    read = workflow.read_evaluation("task", store.path, metric=metric)
    assert quantified == []
    assert known(read.uncertainty) == known(evaluated.uncertainty)
    assert (read.keys, read.flags, read.signature) == (evaluated.keys, evaluated.flags, evaluated.signature)
    assert store.path.read_bytes() == before


@pytest.mark.parametrize("metric", ["kappa~", "averaged_f1[negative,positive]"])
def test_only_what_the_store_lacks_is_resampled(evaluated, store, quantified, metric):
    """What is added, intervals of a further metric or a comparison, is to the last bit what a full run gives."""
    read = workflow.read_evaluation("task", store.path, metric=metric)
    assert quantified == []
    full = evaluate(store.load_campaign("task"), compare=[metric])
    assert read.signature == evaluated.signature
    assert read.keys == full.keys
    assert known(read.uncertainty) == known(full.uncertainty)
    assert len(read.uncertainty.comparisons) == len(evaluated.uncertainty.comparisons) + 1


@pytest.mark.usefixtures("evaluated")
def test_what_the_store_knows_of_further_metrics_too_does_not_fit(store, quantified):
    """Somebody may have kept an evaluation with more metrics under the same signature."""
    store.save_evaluation(evaluate(store.load_campaign("task"), also=["averaged_f1[negative,positive]"]))
    quantified.clear()
    read = workflow.read_evaluation("task", store.path)
    assert quantified == [1]
    assert read.uncertainty.lower.shape == read.values.shape


def test_what_the_store_does_not_know_is_found_out(store, quantified):
    """Before the first evaluation, or where the campaign says another seed."""
    for resampling in (Resampling(B), Resampling(B, seed=2)):
        store.save_campaign(made_of(*TEAMS[:2], resampling=resampling))
        assert workflow.read_evaluation("task", store.path).uncertainty.seed == resampling.seed
        workflow.evaluate_task("task", store.path)
        workflow.read_evaluation("task", store.path)
    assert len(quantified) == 4


def test_nothing_is_resampled_where_the_campaign_says_so(store, quantified):
    """Nor looked for."""
    store.save_campaign(ENGINE["no resampling"])
    workflow.evaluate_task("task", store.path)
    assert workflow.read_evaluation("task", store.path).uncertainty is None
    assert quantified == []
