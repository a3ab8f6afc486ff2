"""Flags about certainty: what they claim is what the comparison says, in words that claim no more."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

import audit
from audit.domain import ONE_PAIR, Evaluation, ScoreKey, Severity, State, detectable
from audit.findings.catalogue import find_flags
from audit.findings.comparisons import family_of, state_between, undecided, why_untested
from audit.findings.first_place import first_place
from audit.findings.power_sentences import short
from audit.vocabulary import STATES

from .campaigns import compared, flag_of, of_confusions
from .cases import BLIND, EAGER, EVEN, SKEWED, TURNING

OURS = (
    *("macro-f1-flip-supported", "prevalence-flip-supported", "decimals-below-detection"),
    *("too-few-gold-items", "few-groups"),
)
AVERAGED, AVERAGES, ACCURACY = (
    ScoreKey("averaged_f1"),
    ScoreKey("f1_of_averages"),
    ScoreKey("accuracy"),
)


def noisy(
    seed: int, n_items: int, recalls: list[float], n_classes: int = 2, **settings: object
) -> Evaluation:
    """Teams whose errors are correlated by the items' difficulty, and which answer with any class when wrong."""
    rng = np.random.default_rng(seed)
    gold, difficulty = rng.choice(n_classes, n_items), rng.random(n_items)
    teams = {}
    for number, recall in enumerate(recalls):
        uniform = np.where(rng.random(n_items) < 0.5, difficulty, rng.random(n_items))
        wrong = (gold + rng.integers(1, n_classes, n_items)) % n_classes
        teams[f"team {number}"] = np.where(uniform < recall, gold, wrong).tolist()
    return audit.evaluate(gold.tolist(), teams, **settings)


def fired(evaluation: Evaluation) -> set[str]:
    return {flag.slug for flag in evaluation.flags} & {*OURS}


@pytest.fixture(scope="module")
def close() -> Evaluation:
    """Four teams, of which the first three are close and the last is far behind."""
    return noisy(31, 600, [0.74, 0.73, 0.7, 0.4], 3)


@pytest.fixture(scope="module")
def clear() -> Evaluation:
    """Three teams that are far apart."""
    return noisy(32, 6000, [0.9, 0.7, 0.5], official_decimals=1)


def test_nothing_is_said_where_the_certainty_was_left_out():
    """Every rule needs it."""
    assert not fired(of_confusions({"X": EVEN, "Y": SKEWED}))


def test_a_clear_field_is_left_in_peace(clear):
    """Teams far apart, many items, one decimal: nothing to say."""
    assert fired(clear) == set()


# Changes of winner


def test_a_change_of_winner_and_whether_it_is_shown_are_one_finding():
    """X is significantly ahead of Y by macro-averaged F1, Y of X by F1 of averages: the change is shown."""
    evaluation = compared({"X": BLIND, "Y": EAGER})
    by = {key: evaluation.comparison(str(key)).ahead.tolist() for key in (AVERAGED, AVERAGES)}
    assert by == {
        AVERAGED: [[False, True], [False, False]],
        AVERAGES: [[False, False], [True, False]],
    }
    flag = flag_of(evaluation, "winner-depends-on-macro-f1")
    assert flag.evidence["winners"][1]["state"] == {"f1_of_averages": "other-shown"}
    assert flag.sentence.endswith(
        " by F1 of averages (different winner, each significant under its own metric)."
    )
    assert flag_of(evaluation, "macro-f1-flip-supported") is None


def test_a_change_that_the_test_set_does_not_show_is_said_so():
    """On thirty items the papers' flip is open, which is no evidence of agreement."""
    evaluation = compared({"X": EVEN, "Y": SKEWED})
    flag = flag_of(evaluation, "winner-depends-on-macro-f1")
    assert flag.evidence["winners"][1]["state"] == {"f1_of_averages": "other-not-shown"}
    assert flag.sentence.endswith(" by F1 of averages (different winner, not significant).")


def test_a_change_that_nobody_compared_is_not_tested():
    """Without certainty nothing was compared."""
    evaluation = of_confusions({"X": EVEN, "Y": SKEWED})
    flag = flag_of(evaluation, "winner-depends-on-macro-f1")
    assert flag.evidence["winners"][1]["state"] == {"f1_of_averages": "not-tested"}
    assert "(not tested)" in flag.sentence


def test_a_change_of_prevalence_has_its_state():
    """Accuracies .95 and .865, balanced .75 and .925, on 2,000 items: shown; on twenty: not."""
    shown = flag_of(compared(TURNING, official_metric="accuracy"), "winner-depends-on-prevalence")
    few = {"X": [[18, 0], [1, 1]], "Y": [[15, 3], [0, 2]]}
    unsure = flag_of(compared(few, official_metric="accuracy"), "winner-depends-on-prevalence")
    states = [flag.evidence["winners"][1]["state"]["accuracy~"] for flag in (shown, unsure)]
    assert states == ["other-shown", "other-not-shown"]
    said = f"X (.950) by accuracy; Y (.925) by accuracy with balanced classes ({STATES[State.OTHER_SHOWN]})"
    assert said in shown.sentence


def test_every_metric_that_crowns_another_has_its_state(close):
    """In the evidence, and in the sentence behind those metrics that crown another than the ranking metric does."""
    found = [
        flag_of(evaluation, "winner-depends-on-metric") for evaluation in (compared(TURNING), close)
    ]
    for flag, evaluation in zip(found, (compared(TURNING), close), strict=True):
        if flag is None:
            continue
        first = [evaluation.names[team] for team in evaluation.winners(AVERAGED)]
        for group in flag.evidence["winners"]:
            changed = group["teams"] != first
            assert {
                State(each).is_same for each in group["state"].values() if each != "not-tested"
            } <= {not changed}
    assert found[0] is not None
    assert re.search(r"\(different winner, (not |each )?significant", found[0].sentence)


def test_a_first_place_shared_on_one_side_is_another_and_not_shown():
    """X wins F1 of averages alone, and macro-averaged F1 together with Y, ahead of W."""
    slanted, level, behind = [[2, 0], [2, 1]], [[1, 1], [1, 2]], [[1, 1], [2, 1]]
    teams = {"X": slanted, "Y": level, "W": behind}
    assert state_between(compared(teams), AVERAGED, AVERAGES) is State.OTHER_NOT_SHOWN
    # who wins is first there, too: the tie is no loss
    alone = compared(teams, official_metric="f1_of_averages")
    assert state_between(alone, AVERAGED, AVERAGES) is State.SAME_NOT_SHOWN


@pytest.mark.parametrize(
    ("slug", "z", "settings"),
    [
        ("macro-f1-flip-supported", [[399, 1], [1, 3999]], {}),
        ("prevalence-flip-supported", [[1800, 0], [0, 200]], {"official_metric": "accuracy"}),
    ],
)
def test_a_pair_that_turns_round_behind_the_first_place_changes_the_order(slug, z, settings):
    """Z is first by both; X and Y behind it are each ahead of the other by one score."""
    pair = {"X": BLIND, "Y": EAGER} if "macro" in slug else TURNING
    flag = flag_of(compared({**pair, "Z": z}, **settings), slug)
    assert flag.evidence["pairs"] == [["X", "Y"]]
    assert flag.severity is Severity.ORDER
    assert "X is significantly ahead of Y" in flag.sentence


def test_several_pairs_that_turn_round_are_told_pair_by_pair():
    """Two teams like X and four like Y behind Z: five of the eight pairs are shown, so that each can be read as one."""
    x, y = TURNING["X"], TURNING["Y"]
    teams = {
        **{f"X{n}": x for n in range(2)},
        **{f"Y{n}": y for n in range(4)},
        "Z": [[1800, 0], [0, 200]],
    }
    flag = flag_of(compared(teams, official_metric="accuracy"), "prevalence-flip-supported")
    assert "8 pairs change order" in flag.sentence
    assert "(X0 – Y0; X0 – Y1; X0 – Y2; X0 – Y3; X1 – Y0; and 3 more)" in flag.sentence


# What the first place depends on


def test_the_choices_come_in_their_order_with_one_state_each(close):
    """Formula, metric, distribution, rounding; the class set and missing items where they bite."""
    found = first_place(close)
    order = ["macro-f1", "metric", "prevalence", "class-set", "missing-items", "rounding"]
    choices = [each.choice for each in found]
    assert choices == sorted(choices, key=order.index)
    assert {"macro-f1", "metric", "prevalence", "rounding"} <= set(choices)
    for each in found:
        because = f" ({each.reason})" if each.reason else ""
        assert each.sentence == f"{each.title}: {STATES[each.state]}{because}: {each.first}."
        assert bool(each.reason) == (each.state is State.NOT_TESTED)


@pytest.mark.parametrize("certainty", [True, False])
def test_states_are_those_of_the_certainty(certainty):
    """Without it nothing is tested."""
    evaluation = of_confusions({"X": BLIND, "Y": EAGER}, certainty=certainty)
    (found,) = [each for each in first_place(evaluation) if each.choice == "macro-f1"]
    assert found.state is (State.OTHER_SHOWN if certainty else State.NOT_TESTED)
    assert found.sentence.startswith("Macro F1 formula: ")
    p = " (adjusted p < .001)" if certainty else ""
    assert found.sentence.endswith(f": Y wins under F1 of averages (.550), .050 ahead of X{p}.")


def test_a_shared_first_place_is_named_as_such():
    """X and Y have the same accuracy; and where rounding makes the tie, it is of the rounded scores."""
    shared = of_confusions(
        {"X": [[9, 1], [2, 8]], "Y": [[8, 2], [1, 9]], "Z": EVEN_TEN}, official_metric="accuracy"
    )
    assert (
        first_place(shared)[-1].first
        == "X and Y tie for first place with scores rounded to 3 decimals, too"
    )
    close = {
        "X": [[500, 500], [500, 500]],
        "Y": [[501, 499], [499, 501]],
        "Z": [[400, 600], [500, 500]],
    }
    rounded = of_confusions(close, official_metric="accuracy", official_decimals=2)
    assert (
        first_place(rounded)[-1].first
        == "X and Y tie for first place with scores rounded to 2 decimals"
    )


EVEN_TEN = [[5, 5], [5, 5]]


def test_the_class_set_and_missing_items_stand_there_where_they_bite():
    """A stray label of X puts Y first over the union; counting dropped items as wrong puts Y first, too."""
    stray = audit.evaluate(list("aabb"), {"X": list("aabb"), "Y": list("aaba")}, labels=list("abc"))
    assert "class-set" not in {each.choice for each in first_place(stray)}
    moved = audit.evaluate(list("aaabbb"), {"X": list("aaabbz"), "Y": list("aaabba")})
    found = {each.choice: each for each in first_place(moved)}
    assert found["class-set"].state is State.OTHER_NOT_SHOWN
    assert found["class-set"].sentence == (
        "Class set: different winner, not significant: Y wins over the union of gold and predicted labels."
    )
    many = audit.evaluate(
        list("aaabbb") * 200, {"X": list("aaabbz") * 200, "Y": list("ababab") * 200}
    )
    (shown,) = (each for each in first_place(many) if each.choice == "class-set")
    assert shown.state is State.OTHER_SHOWN
    untested = audit.evaluate(
        list("aaabbb"), {"X": list("aaabbz"), "Y": list("aaabba")}, certainty=False
    )
    (found,) = (each for each in first_place(untested) if each.choice == "class-set")
    assert (found.state, found.reason) == (State.NOT_TESTED, "the certainty was left out")


def test_nobody_is_first_where_nobody_has_anything():
    """By recall of b all have 0."""
    evaluation = audit.evaluate(
        list("aaab"), {"X": list("aaaa"), "Y": list("aaba")}, official_metric="recall[b]"
    )
    assert first_place(evaluation) == ()


# No decision without support


def test_one_comparable_entry_decides_nothing():
    """It is not "the only one that could be best"."""
    evaluation = compared({"X": EVEN})
    comparison = evaluation.comparison("averaged_f1")
    assert comparison.contenders == (0,)
    assert undecided(evaluation, comparison) == "there is 1 team to compare"


def test_one_group_decides_nothing():
    """All items of one document: no interval, no comparison, and a flag that says so."""
    evaluation = compared({"X": EVEN, "Y": SKEWED}, groups=[0] * 30)
    assert (
        undecided(evaluation, evaluation.comparison("averaged_f1")) == "all items are of one group"
    )
    assert fired(evaluation) == {"few-groups"}
    assert flag_of(evaluation, "few-groups").sentence.startswith("All items are of one group")


def test_identical_teams_decide_nothing():
    """No pair ever differs."""
    evaluation = compared({"X": EVEN, "Y": EVEN})
    assert (
        undecided(evaluation, evaluation.comparison("averaged_f1"))
        == "no answer can move any difference"
    )
    assert "decimals-below-detection" not in fired(evaluation)


def test_who_has_no_influence_function_is_in_no_family():
    """A team that misses a class has a geometric macro recall of 0: it is in no pair, and could not be best."""
    teams = {"X": [[40, 20], [20, 40]], "Y": [[38, 22], [20, 40]], "Z": [[60, 0], [60, 0]]}
    evaluation = compared(teams, official_metric="geometric_macro_recall")
    comparison = evaluation.comparison("geometric_macro_recall")
    assert [evaluation.names[team] for team in family_of(evaluation, comparison)] == ["X", "Y"]
    alone = compared({"X": teams["X"], "Z": teams["Z"]}, official_metric="geometric_macro_recall")
    reason = undecided(alone, alone.comparison("geometric_macro_recall"))
    assert reason == "a product of recalls that is 0 has no influence function"


def test_undefined_scores_decide_nothing():
    """Recall of a class that gold lacks."""
    evaluation = audit.evaluate(
        list("aabb"),
        {"X": list("aabb"), "Y": list("abab")},
        labels=list("abc"),
        official_metric="recall[c]",
    )
    assert (
        undecided(evaluation, evaluation.comparison("recall[c]"))
        == "fewer than two have a defined score"
    )


# What the test set detects


@pytest.mark.parametrize("decimals", [None, 0, 1, 2, 3, 4])
def test_printed_decimals_are_held_against_what_the_test_set_detects(decimals):
    """Neighbours that print differently and differ by less than a tenth of what it detects, by hand from the scores."""
    evaluation = noisy(34, 3000, [0.8, 0.8, 0.8, 0.79, 0.5], official_decimals=decimals)
    comparison, scores = evaluation.comparison("averaged_f1"), evaluation.scores_of(AVERAGED)
    median = np.median([comparison.standard_error[a, b] for a in range(5) for b in range(a)])
    likely = detectable(comparison.critical_value, median)
    order, digits = np.argsort(-scores), 3 if decimals is None else decimals
    expected = [
        [evaluation.names[above], evaluation.names[below]]
        for above, below in itertools.pairwise(order)
        if scores[above] - scores[below] < likely / 10
        and f"{scores[above]:.{digits}f}" != f"{scores[below]:.{digits}f}"
    ]
    flag = flag_of(evaluation, "decimals-below-detection")
    assert bool(expected) == (digits > 2)
    assert (flag is not None) == bool(expected)
    if flag:
        assert [pair["teams"] for pair in flag.evidence["neighbours"]] == expected
        assert flag.evidence["found_80_percent_of_the_time"] == pytest.approx(likely)
        assert flag.evidence["found_half_the_time"] == pytest.approx(
            comparison.critical_value * median
        )
        assert flag.evidence["decimals"] == digits
        assert short(likely) in flag.sentence


def test_a_fine_detection_is_not_printed_as_nothing():
    """Two teams that err on 21 and 20 of 20,000 items: what is detected is less than .001, and nothing says .000."""
    gold = np.arange(20_000) % 2
    one, other = gold.copy(), gold.copy()
    one[:21], other[20:40] = 1 - gold[:21], 1 - gold[20:40]
    evaluation = audit.evaluate(
        gold.tolist(), {"X": one.tolist(), "Y": other.tolist()}, official_decimals=6
    )
    flag = flag_of(evaluation, "decimals-below-detection")
    likely = flag.evidence["found_80_percent_of_the_time"]
    assert likely < 1e-3
    assert likely == pytest.approx(
        detectable(ONE_PAIR, evaluation.comparison("averaged_f1").standard_error[0, 1])
    )
    assert not re.search(r"\.0+ ", flag.sentence)


def test_classes_are_named_whose_recall_is_uncertain():
    """Those with a median interval wider than .3, the widest first, with their gold items."""
    rng = np.random.default_rng(35)
    gold = rng.permutation(np.repeat([0, 1, 2], [150, 16, 24]))
    teams = {
        name: np.where(rng.random(190) < recall, gold, rng.integers(0, 3, 190)).tolist()
        for name, recall in (("A", 0.7), ("B", 0.6), ("C", 0.5))
    }
    evaluation = audit.evaluate(gold.tolist(), teams)
    ends = evaluation.intervals
    found = {
        str(code): np.median(ends[f"recall[{code}]", "upper"] - ends[f"recall[{code}]", "lower"])
        for code in range(3)
    }
    named = flag_of(evaluation, "too-few-gold-items").evidence["classes"]
    assert {entry["label"]: entry["width"] for entry in named} == {
        label: pytest.approx(width) for label, width in found.items() if width > 0.3
    }
    assert [entry["width"] for entry in named] == sorted(
        (entry["width"] for entry in named), reverse=True
    )
    assert {entry["label"]: entry["gold_items"] for entry in named}.items() <= {
        "1": 16,
        "2": 24,
    }.items()


@pytest.mark.parametrize(("n_groups", "fires"), [(2, True), (19, True), (20, False), (60, False)])
def test_fewer_than_twenty_groups_are_few(n_groups, fires):
    """And items alone are never groups."""
    teams = {"X": [[42, 18], [18, 42]], "Y": [[41, 19], [18, 42]]}
    flag = flag_of(compared(teams, groups=np.arange(120) % n_groups), "few-groups")
    assert (flag is not None) == fires
    if fires:
        sizes = np.bincount(np.arange(120) % n_groups)
        assert flag.evidence["groups"] == n_groups
        assert flag.evidence["groups_of_one_size"] == pytest.approx(120**2 / (sizes**2).sum())
        assert f"{n_groups} groups" in flag.sentence
    assert flag_of(compared(teams), "few-groups") is None


def test_many_groups_of_very_unequal_size_are_few():
    """Fifty groups, of which one has half of the items, tell hardly more than four of one size would."""
    groups = np.minimum(np.arange(120), 60) % 61
    flag = flag_of(
        compared({"X": [[42, 18], [18, 42]], "Y": [[41, 19], [18, 42]]}, groups=groups),
        "few-groups",
    )
    assert flag.evidence["groups"] == 61
    assert flag.evidence["groups_of_one_size"] == pytest.approx(120**2 / (60**2 + 60))
    assert "61 groups, which tell as much as 4 of one size" in flag.sentence


def test_groups_have_the_name_that_the_gold_gives_them():
    """Sequences and documents are words; any other unit is a column."""
    evaluation = compared({"X": EVEN, "Y": SKEWED}, groups=np.arange(30) % 5)
    for unit, words in (
        (None, "5 groups."),
        ("sequence", "5 sequences."),
        ("thread id", "5 groups by “thread id”."),
    ):
        named = replace(evaluation, gold=replace(evaluation.gold, unit=unit))
        (flag,) = [flag for flag in find_flags(named) if flag.slug == "few-groups"]
        assert words in flag.sentence


def test_what_is_not_tested_says_why(close):
    """In parentheses behind the state."""
    without = of_confusions({"X": BLIND, "Y": EAGER}, certainty=False)
    assert {each.reason for each in first_place(without)} == {"the certainty was left out"}
    ranks = ScoreKey("mean_rank(averaged_f1,kappa)")
    assert why_untested(close, ranks) == "a mean of ranks is compared with none"


def test_metrics_by_which_nobody_is_ahead_are_no_choice():
    """Y finds more of a, X more of b: level by every other metric."""
    evaluation = of_confusions(
        {"X": [[6, 4], [2, 8]], "Y": [[8, 2], [4, 6]]}, official_metric="f1[a]"
    )
    assert "metric" not in {each.choice for each in first_place(evaluation)}


def test_of_very_many_teams_other_metrics_are_not_tested(monkeypatch, close):
    """What a comparison more would take is the reason."""
    monkeypatch.setattr("audit.findings.comparisons.MOST_TESTED", 2)
    assert (
        why_untested(close, AVERAGED) == "of more than 2 teams only the official metric is compared"
    )
