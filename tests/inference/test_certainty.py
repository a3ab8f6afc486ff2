"""The whole of a certainty, as an evaluation holds it: what is in it, what its doors say, that nothing breaks it."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.domain import MARKS, CarriedBy, Comparison, Intervals, Mark, Options, Role, ScoreKey
from audit.errors import UsageError
from audit.evaluation import evaluate

from .campaigns import (
    campaign_of,
    field_of,
    made_certain,
    named_prevalence,
    noisy,
    scored_with_items,
)

ENDS = ("lower", "upper")


@pytest.fixture(scope="module")
def certain():
    """Eight teams of every kind, three classes, in groups."""
    gold, teams = field_of(61, 3)
    return made_certain(
        gold, teams, 3, groups=np.arange(len(gold)) % 30, official_metric=ScoreKey("averaged_f1")
    )


# What is in it


def test_the_ranking_metric_is_compared_first_then_both_macro_f1s():
    """Then the ranking metric at the other prevalence, and every contested metric; each once."""
    gold, teams = field_of(62, 3)
    evaluation = made_certain(
        gold, teams, 3, official_metric=ScoreKey("mcc", "balanced"), compare=("recall[c1]",)
    )
    made = [str(comparison.key) for comparison in evaluation.certainty.comparisons]
    assert made[:4] == ["mcc~", "averaged_f1", "f1_of_averages", "mcc"]
    assert made[-1] == "recall[c1]"
    assert len(set(made)) == len(made)


def test_intervals_without_groups_stand_beside_those_with(certain):
    """What they would be if items were independent; nothing where items are taken to be."""
    found = certain.certainty
    assert found.n_groups == 30
    assert found.ungrouped is not None
    width = [each.upper - each.lower for each in (found.intervals, found.ungrouped)]
    there = ~np.isnan(width[0]) & (width[1] > 0)
    assert (width[0] >= width[1] - 1e-12)[there].all()
    gold, teams = field_of(61, 3)
    alone = made_certain(gold, teams, 3)
    assert alone.certainty.ungrouped is None
    assert alone.certainty.n_groups is None
    np.testing.assert_array_equal(alone.certainty.intervals.lower, found.ungrouped.lower)


def test_what_was_assumed_is_said():
    """The seed, and whether class counts are fixed."""
    gold, teams = field_of(63, 2)
    found = made_certain(gold, teams, 2, stratified=True, seed=7).certainty
    assert (found.seed, found.stratified) == (7, True)


def test_class_counts_fixed_by_design_leave_no_more_variance():
    """Within classes alone: macro recall is the same, what moves with the class counts is less uncertain."""
    gold, teams = field_of(64, 3, 300)
    free, fixed = (
        made_certain(gold, teams, 3, stratified=stratified).certainty.intervals
        for stratified in (False, True)
    )
    evaluation = made_certain(gold, teams, 3)
    row = evaluation.keys.index(ScoreKey("macro_recall"))
    np.testing.assert_allclose(free.lower[row], fixed.lower[row], atol=1e-12)
    for name in ("averaged_f1", "macro_precision", "kappa", "mcc", "weighted_f1"):
        row = evaluation.keys.index(ScoreKey(name))
        width = [(each.upper - each.lower)[row] for each in (free, fixed)]
        # one answer varies by its pseudo-items alone
        known = (evaluation.cells.answers[:, :-1] > 0).sum(axis=1) > 1
        assert (width[1] <= width[0] + 1e-12)[known].all(), name
        assert (width[1] < width[0] - 1e-4)[known].any(), name


@pytest.mark.parametrize("missing", ["wrong", "drop"])
def test_items_are_the_answers_that_were_scored(missing):
    """With their groups; missing ones left out where the policy says so."""
    gold, teams = field_of(65, 3)
    groups = np.arange(len(gold)) % 7
    evaluation, items = scored_with_items(gold, teams, 3, groups=groups, missing=missing)
    assert items.n_groups == 7
    assert items.sample.n_teams == len(evaluation.entries)
    dropped = (items.sample.predictions > 3).sum(axis=1)
    assert dropped.tolist() == [entry.n_dropped for entry in evaluation.entries]


# Doors of an evaluation


def test_intervals_and_marks_are_tables(certain):
    """A row for each entry, the columns of the scores; slugs where there is no interval."""
    table, marks = certain.intervals, certain.marks
    assert table.shape == (8, 2 * len(certain.keys))
    assert list(table.columns[:2]) == [("accuracy", "lower"), ("accuracy", "upper")]
    for row, key in enumerate(certain.keys):
        for end in ENDS:
            expected = getattr(certain.certainty.intervals, end)[row]
            np.testing.assert_array_equal(table[str(key), end].to_numpy(), expected)
        slugs = [MARKS[mark].value for mark in certain.certainty.intervals.marks[row]]
        assert marks[str(key)].tolist() == slugs
    assert set(marks.to_numpy().ravel()) <= {mark.value for mark in Mark}
    assert set(marks["averaged_f1"]) == {""}


def test_comparisons_are_asked_for_by_key_or_name(certain):
    """What was not compared says by what teams were, and how to ask."""
    found = certain.comparison("averaged_f1")
    assert isinstance(found, Comparison)
    assert certain.comparison(ScoreKey("averaged_f1")) is found
    assert certain.certainty.comparison(ScoreKey("averaged_f1")) is found
    assert certain.certainty.comparison(ScoreKey("recall[c0]")) is None
    with pytest.raises(
        UsageError, match=r"not compared by “recall\[c0\]”, but by averaged_f1, .*compare=…"
    ):
        certain.comparison("recall[c0]")


@pytest.mark.parametrize(
    "ask", [lambda e: e.comparison("accuracy"), lambda e: e.intervals, lambda e: e.marks]
)
def test_what_was_left_out_is_said(ask):
    """Rather than a table of nothing."""
    gold, teams = field_of(66, 2)
    evaluation, _ = scored_with_items(gold, teams, 2)
    assert evaluation.certainty is None
    with pytest.raises(UsageError, match="The certainty was left out"):
        ask(evaluation)


def test_an_evaluation_may_leave_certainty_out():
    """All else is the same."""
    gold, teams = field_of(67, 2)
    campaign = campaign_of(gold, teams, 2)
    without = evaluate(campaign, Options(certainty=False))
    assert without.certainty is None
    np.testing.assert_array_equal(without.values, evaluate(campaign).values)


def test_no_mark_is_0():
    """As arrays hold them."""
    assert MARKS[0] is Mark.NONE
    assert Mark.NONE.value == ""
    assert len(MARKS) == len(Mark)


def test_items_that_carry_the_first_place_are_counted():
    """Over the cells of gold, leader's and rival's answer."""
    assert CarriedBy(2, ((0, 0, 1, 5), (1, 1, 3, 2))).n_items == 7
    assert CarriedBy(2, ()).n_items == 0


def test_values_of_certainty_cannot_be_changed(certain):
    """Each is frozen."""
    found = certain.certainty
    for value, field in (
        (found, "seed"),
        (found.intervals, "lower"),
        (found.comparisons[0], "leader"),
    ):
        with pytest.raises(AttributeError):
            setattr(value, field, None)


# Whatever the campaign


@st.composite
def odd_campaigns(draw):
    """Few items, few classes, teams of any kind, groups or none, items left out, teams that do not compete."""
    n_classes, n_items = draw(st.integers(1, 3)), draw(st.integers(1, 12))
    code = st.integers(0, n_classes - 1)
    gold = np.array(draw(st.lists(code, min_size=n_items, max_size=n_items)))
    answers = st.lists(st.integers(0, n_classes + 1), min_size=n_items, max_size=n_items)
    kinds = st.one_of(answers, st.just(gold.tolist()), code.map(lambda answer: [answer] * n_items))
    teams = draw(st.lists(kinds, min_size=1, max_size=4))
    groups = draw(
        st.none() | st.lists(st.integers(0, 3), min_size=n_items, max_size=n_items).map(np.array)
    )
    role = st.sampled_from([Role.PRIMARY, Role.PRIMARY, Role.BASELINE])
    return {
        "gold": gold,
        "predictions": teams,
        "n_classes": n_classes,
        "groups": groups,
        "stratified": draw(st.booleans()),
        "missing": draw(st.sampled_from(["wrong", "drop"])),
        "roles": {f"team {number:03}": draw(role) for number in range(len(teams))},
        "official_metric": ScoreKey(
            draw(
                st.sampled_from(
                    ["accuracy", "averaged_f1", "geometric_macro_recall", "kappa", "f1[c0]"]
                )
            ),
            draw(st.sampled_from(["observed", "balanced"])),
        ),
        "prevalences": (named_prevalence(gold, n_classes),),
    }


@settings(suppress_health_check=list(HealthCheck))
@given(odd_campaigns())
def test_no_campaign_breaks_it(settings_of):
    """However small, constant, perfect, or full of holes: no warning, and every interval holds its score."""
    evaluation = made_certain(
        settings_of.pop("gold"), settings_of.pop("predictions"), **settings_of
    )
    for intervals in (evaluation.certainty.intervals, evaluation.certainty.ungrouped):
        if isinstance(intervals, Intervals):
            there = ~np.isnan(intervals.lower)
            assert (there | np.isnan(evaluation.values) | (intervals.marks > 0)).all()
            assert (intervals.lower[there] <= evaluation.values[there] + 1e-12).all()
            assert (evaluation.values[there] <= intervals.upper[there] + 1e-12).all()
    for comparison in evaluation.certainty.comparisons:
        leader = comparison.leader
        assert leader == evaluation.leader(comparison.key)
        if leader is not None and not np.isnan(comparison.leader_interval[0]):
            score = evaluation.scores_of(comparison.key)[leader]
            assert comparison.leader_interval[0] <= score + 1e-12
            assert score <= comparison.leader_interval[1] + 1e-12
        scores = evaluation.scores_of(comparison.key)
        separable = comparison.ahead
        assert (np.subtract.outer(scores, scores)[separable] > 0).all()
        assert not (separable & separable.T).any()


def test_many_classes_and_a_class_for_each_item():
    """A hundred classes of one item each: scores that average over rare classes have rough intervals."""
    gold = np.arange(100)
    rng = np.random.default_rng(1)
    teams = [np.where(rng.random(100) < recall, gold, (gold + 1) % 100) for recall in (0.9, 0.5)]
    evaluation = made_certain(gold, teams, 100, official_metric=ScoreKey("averaged_f1"))
    assert (evaluation.marks["averaged_f1"] == "rare-class").all()
    assert (evaluation.marks["accuracy"] == "").all()
    comparison = evaluation.comparison("averaged_f1")
    lower, upper = comparison.leader_interval
    assert (
        0 <= lower < evaluation.scores_of(ScoreKey("averaged_f1"))[comparison.leader] < upper <= 1
    )


def test_the_seed_of_a_task_reaches_the_draws():
    """Another one, other draws."""
    gold = np.tile([0, 1, 2], 60)
    teams = noisy(np.random.default_rng(2), gold, 3, [0.8, 0.75, 0.7])
    first, other = (
        made_certain(gold, teams, 3, seed=seed).certainty.comparisons[0] for seed in (1, 2)
    )
    assert first.critical_value != other.critical_value
