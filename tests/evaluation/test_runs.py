"""Which runs count: by policy, by choice, and what stands beside them without a rank."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.domain import ChosenRun, Policies, Role, ScoreKey
from audit.errors import UsageError
from audit.evaluation import evaluate, score_campaign
from audit.ranking.ranks import ranks_among
from tests.nightly import examples

from .campaigns import campaign, naive_ranks, submission

GOLD = [0, 0, 0, 1, 1, 1, 2, 2]
ACCURACY = ScoreKey("accuracy")


def right(n):
    """Predictions of which the first n are right, or the last -n."""
    places = range(8)[:n] if n > 0 else range(8)[n:]
    return [code if place in places else (code + 1) % 3 for place, code in enumerate(GOLD)]


def made(runs, /, **policies):
    """A campaign of runs, TEAM/RUN → (role, number of items right)."""
    empty = campaign(GOLD, {}, official_metric=ACCURACY, policies=Policies(**policies))
    labels = empty.task.label_set
    given = (submission(name, right(n), labels, role=role) for name, (role, n) in runs.items())
    return replace(empty, submissions=tuple(given))


RUNS = {
    "A/run1": (Role.CONTRASTIVE, 7),
    "A/run2": (Role.PRIMARY, 5),
    "A/run10": (Role.CONTRASTIVE, 4),
    "B/only": (Role.CONTRASTIVE, 6),
    "C/x": (Role.CONTRASTIVE, 3),
    "C/y": (Role.CONTRASTIVE, -3),
    "D/late": (Role.LATE, 8),
    "E/primary": (Role.PRIMARY, 6),
    "E/after": (Role.LATE, 8),
    "E/extra": (Role.UNOFFICIAL, 4),
    "F/gone": (Role.WITHDRAWN, 8),
    "base/majority": (Role.BASELINE, 5),
}


def shown(evaluation):
    """(team, run) → whether it competes."""
    return {f"{entry.team}/{entry.run}": entry.competes for entry in evaluation.entries}


BESIDE = {"E/after": False, "E/extra": False, "base/majority": False}


@pytest.mark.parametrize(
    ("policy", "counting"),
    [
        ("primary", ["A/run2", "B/only", "C/y", "D/late", "E/primary"]),
        ("last", ["A/run10", "B/only", "C/y", "D/late", "E/primary"]),
        ("best", ["A/run1", "B/only", "C/x", "D/late", "E/primary"]),
    ],
)
def test_a_policy_picks_among_the_runs_that_came_in_time(policy, counting):
    """Of a team without any, its late ones; of equally good ones the first by name; without a primary one, the last."""
    evaluation = evaluate(made(RUNS, runs=policy))
    assert shown(evaluation) == {**dict.fromkeys(counting, True), **BESIDE}


def test_without_a_policy_every_run_is_a_row():
    """Late ones compete; unofficial ones, baselines and what is contrastive to a primary run stand beside."""
    evaluation = evaluate(made(RUNS))
    beside = ("E/extra", "base/majority", "A/run1", "A/run10")
    competing = {name: name not in beside for name in RUNS if name != "F/gone"}
    assert shown(evaluation) == competing
    assert [entry.role for entry in evaluation.entries if entry.run == "late"] == [Role.LATE]


@pytest.mark.parametrize("policy", ["all", "primary", "last", "best"])
def test_a_chosen_run_counts_whatever_the_policy(policy):
    """And no other of its team, but for what stands beside."""
    chosen = (
        ChosenRun("A", "run10", "The team asked for it."),
        ChosenRun("E", "after", "The server was down."),
    )
    found = shown(evaluate(made(RUNS, runs=policy, chosen=chosen)))
    assert {name: competes for name, competes in found.items() if name[0] == "A"} == {
        "A/run10": True,
        **({"A/run1": False} if policy == "all" else {}),
    }
    assert {name: competes for name, competes in found.items() if name[0] == "E"} == {
        "E/after": True,
        "E/extra": False,
    }


def test_a_chosen_unofficial_run_stays_unofficial():
    """It is the one that is shown, and takes no rank."""
    found = shown(evaluate(made(RUNS, chosen=(ChosenRun("E", "extra", "A demonstration."),))))
    assert {name: competes for name, competes in found.items() if name[0] == "E"} == {
        "E/extra": False,
        "E/after": False,
    }


@pytest.mark.parametrize(
    ("team", "run", "said"),
    [
        ("A", "run3", "It has “run1”, “run2” and “run10”."),
        ("F", "gone", "It has none that could count."),
        ("Nobody", "run1", "It has none that could count."),
        ("base", "majority", "It has none that could count."),
    ],
)
def test_a_choice_of_a_run_that_cannot_count_is_refused(team, run, said):
    """One that does not exist, is withdrawn, or is a baseline's."""
    with pytest.raises(UsageError) as caught:
        evaluate(made(RUNS, chosen=(ChosenRun(team, run, "A mistake."),)))
    assert f"“{run}” is chosen for “{team}”" in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("policies", "reasons"),
    [
        (
            {"runs": "primary"},
            {"A/run1": "not primary", "A/run10": "not primary", "C/x": "not the last by name"},
        ),
        (
            {"runs": "best"},
            {"A/run2": "not the best", "A/run10": "not the best", "C/y": "not the best"},
        ),
        (
            {"runs": "last", "chosen": (ChosenRun("A", "run2", "."),)},
            {"A/run1": "another run was chosen"},
        ),
        ({}, {}),
    ],
)
def test_what_is_not_shown_is_listed_with_the_reason(policies, reasons):
    """Nothing is lost: every run is an entry, or is uncounted."""
    evaluation = evaluate(made(RUNS, **policies))
    uncounted = {f"{run.team}/{run.run}": run.reason for run in evaluation.uncounted}
    assert {"F/gone": "withdrawn", **reasons}.items() <= uncounted.items()
    assert sorted([*uncounted, *shown(evaluation)]) == sorted(RUNS)


def test_the_best_run_is_the_best_by_the_official_metric_with_missing_items_dropped():
    """As it is scored, so it is picked: by any metric and prevalence; an undefined score is the worst."""
    labels = campaign(GOLD, {}).task.label_set
    runs = {"A/1": right(6), "A/2": [0, 0, 0, 1, 3, 3, 3, 3], "A/3": [3] * 8}
    given = tuple(submission(name, codes, labels) for name, codes in runs.items())
    for missing, metric, best in (
        ("wrong", "accuracy", "1"),
        ("drop", "accuracy", "2"),  # four of four
        ("drop", "macro_recall~", "1"),  # the second one has dropped every item of a class
    ):
        key = ScoreKey(metric.rstrip("~"), "balanced" if metric.endswith("~") else "observed")
        policies = Policies(missing=missing, runs="best")
        evaluation = evaluate(
            replace(campaign(GOLD, {}, official_metric=key, policies=policies), submissions=given)
        )
        assert [entry.run for entry in evaluation.entries] == [best]


def test_entries_are_named_by_the_runs_that_are_shown():
    """TEAM/RUN only where a team has several rows."""
    assert evaluate(made(RUNS, runs="last")).names == (
        "A",
        "B",
        "C",
        "D",
        "E/primary",
        "E/after",
        "E/extra",
        "base",
    )


def test_withdrawn_runs_alone_are_nothing_to_evaluate():
    """As is a campaign without any."""
    with pytest.raises(UsageError, match="no submission"):
        evaluate(made({"F/gone": (Role.WITHDRAWN, 8)}))


# Ranks


def test_baselines_take_a_rank_only_where_they_are_ranked():
    """Beside the others they have the rank that they would take, and the others have theirs without them."""
    runs = {
        "A": (Role.PRIMARY, 7),
        "B": (Role.BASELINE, 6),
        "C": (Role.PRIMARY, 5),
        "D": (Role.BASELINE, 5),
    }
    beside, ranked = evaluate(made(runs)), evaluate(made(runs, baselines="ranked"))
    assert beside.ranks_of(ACCURACY).tolist() == [1, 2, 2, 2]
    assert ranked.ranks_of(ACCURACY).tolist() == [1, 2, 3, 3]
    assert [beside.names[entry] for entry in beside.order(ACCURACY)] == ["A", "B", "C", "D"]
    assert beside.winners(ACCURACY) == ranked.winners(ACCURACY) == (0,)


def test_a_baseline_in_front_is_no_winner():
    """The first team is, and leads."""
    evaluation = evaluate(made({"A": (Role.BASELINE, 8), "B": (Role.PRIMARY, 5)}))
    assert evaluation.ranks_of(ACCURACY).tolist() == [1, 1]
    assert (evaluation.winners(ACCURACY), evaluation.leader(ACCURACY)) == ((1,), 1)
    assert evaluation.order(ACCURACY) == [0, 1]


@examples(35)
@given(
    st.lists(
        st.tuples(st.sampled_from([*np.arange(5) / 4, np.nan]), st.booleans()),
        min_size=1,
        max_size=8,
    )
)
def test_ranks_beside_are_those_that_would_be_taken(field):
    """One entry at a time beside those that compete, by counting who is better."""
    scores, competing = (
        np.array([score for score, _ in field]),
        np.array([takes for _, takes in field]),
    )
    ranks = ranks_among(scores[None], competing)[0]
    for entry, rank in enumerate(ranks.tolist()):
        others = [other for other in range(len(field)) if competing[other] and other != entry]
        assert rank == naive_ranks(scores[[entry, *others]])[0]


def test_nobody_competes():
    """Baselines alone are scored and reported, with no winner and nobody in front."""
    runs = {"A": (Role.BASELINE, 8), "B": (Role.UNOFFICIAL, 5), "C": (Role.BASELINE, 4)}
    campaign_of = made(runs)
    evaluation = evaluate(campaign_of)
    assert (evaluation.winners(ACCURACY), evaluation.leader(ACCURACY)) == ((), None)
    assert evaluation.ranks_of(ACCURACY).tolist() == [1, 1, 1]
    assert evaluation.order(ACCURACY) == [0, 1, 2]
    comparison = evaluation.certainty.comparisons[0]
    assert not comparison.ahead.any()
    assert comparison.contenders == ()
    assert comparison.possible_ranks.tolist() == [[0, 0]] * 3
    assert (comparison.leader, np.isnan(comparison.chosen_lower).all()) == (None, True)
    assert not np.isnan(evaluation.certainty.intervals.lower[evaluation.keys.index(ACCURACY)]).any()
    assert {baseline.slug for baseline in evaluation.baselines} == {
        "majority",
        "uniform",
        "prevalence",
    }


def test_metrics_agree_over_those_that_compete():
    """A baseline changes no correlation."""
    runs = {"A": (Role.PRIMARY, 7), "B": (Role.PRIMARY, 6), "C": (Role.PRIMARY, 3)}
    alone, beside = evaluate(made(runs)), evaluate(made({**runs, "Z": (Role.BASELINE, 1)}))
    np.testing.assert_array_equal(alone.agreement.spearman, beside.agreement.spearman)
    np.testing.assert_array_equal(alone.agreement.kendall, beside.agreement.kendall)
    ranked = evaluate(made({**runs, "Z": (Role.BASELINE, 1)}, baselines="ranked"))
    assert not np.array_equal(ranked.agreement.spearman, alone.agreement.spearman, equal_nan=True)


def test_the_signature_tells_what_competes():
    """By policy, by role and by choice."""
    signatures = [
        evaluate(made(RUNS, **policies)).signature
        for policies in (
            {},
            {"baselines": "ranked"},
            *({"runs": policy} for policy in ("primary", "last", "best")),
            {"chosen": (ChosenRun("A", "run1", "."),)},
        )
    ]
    assert len(set(signatures)) == len(signatures)
    later = {**RUNS, "E/extra": (Role.LATE, 8)}
    assert evaluate(made(later)).signature not in signatures


def test_predictions_are_those_of_the_rows():
    """In their order, whatever runs were left out."""
    campaign_of = made(RUNS, runs="last")
    evaluation = score_campaign(campaign_of)
    by_name = {(given.team, given.run): given.codes for given in campaign_of.submissions}
    for entry, codes in zip(
        evaluation.entries, campaign_of.predictions_of(evaluation.entries), strict=True
    ):
        assert codes is by_name[entry.team, entry.run]


def test_an_entry_that_does_not_exist_has_no_number():
    """With the nearest name."""
    evaluation = evaluate(made(RUNS, runs="last"))
    assert evaluation.entry_number("E/after") == 5
    with pytest.raises(UsageError, match="Did you mean “E/after”"):
        evaluation.entry_number("E/aftr")
