"""Flags about the two macro F1s, and about the classes they average over."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from audit.domain import Severity

from .campaigns import Oracle, evaluated, flag_of, naive_ranks, of_confusions, printed, swaps, texts
from .cases import CASES, EVEN, LEVEL, SKEWED, SLANTED

THREE_CLASSES = {
    "X": [[6, 2, 2], [3, 5, 2], [1, 3, 6]],
    "Y": [[9, 1, 0], [7, 3, 0], [3, 0, 7]],
    "Z": [[10, 0, 0], [0, 10, 0], [0, 0, 10]],
    "W": [[10, 0, 0], [8, 2, 0], [7, 0, 3]],
    "V": [[4, 3, 3], [3, 4, 3], [3, 2, 5]],
    "U": [[3, 7, 0], [0, 10, 0], [0, 7, 3]],
}


def gap_terms(gold, given):
    """The terms of Δ by the papers' formula, from scikit-learn's precision and recall."""
    precision, recall, _ = Oracle(gold, given).classwise()
    sums = precision + recall
    cross = np.outer(precision, recall) - np.outer(recall, precision)
    return cross**2 / np.outer(sums, sums) / (len(sums) * sums.sum())


def test_the_papers_tables_crown_different_winners():
    """Opitz & Burst's example: .486 and .500 against .479 and .555."""
    evaluation = CASES["winner-depends-on-macro-f1"].fires()
    gold, given = texts({"X": EVEN, "Y": SKEWED})
    scores = {team: Oracle(gold, text).scores() for team, text in given.items()}
    flag = flag_of(evaluation, "winner-depends-on-macro-f1")
    assert [each["teams"] for each in flag.evidence["winners"]] == [["X"], ["Y"]]
    assert f"X ({printed(scores['X']['averaged_f1'])})" in flag.sentence
    assert f"Y ({printed(scores['Y']['f1_of_averages'])})" in flag.sentence
    assert scores["Y"]["f1_of_averages"] == pytest.approx(231 / 416)
    assert evaluation.flags[0] is flag


def test_a_joint_winner_by_one_macro_f1_only_is_another_winner():
    """X and Y share first place by macro-averaged F1 (7/12), ahead of W; X has it alone by F1 of averages (12/17)."""
    behind = [[1, 1], [2, 1]]
    flag = flag_of(
        of_confusions({"X": SLANTED, "Y": LEVEL, "W": behind}), "winner-depends-on-macro-f1"
    )
    assert flag.evidence["winners"] == [
        {"teams": ["X", "Y"], "metrics": ["averaged_f1"], "state": {}},
        {"teams": ["X"], "metrics": ["f1_of_averages"], "state": {"f1_of_averages": "not-tested"}},
    ]
    assert (
        "X and Y together (.583) by macro-averaged F1; X (.706) by F1 of averages (not tested)."
        in flag.sentence
    )


def test_a_score_that_all_share_crowns_nobody():
    """X and Y alone: by macro-averaged F1 neither is ahead, so that no winner changes."""
    assert flag_of(of_confusions({"X": SLANTED, "Y": LEVEL}), "winner-depends-on-macro-f1") is None


def test_an_order_that_changes_below_the_winner_leaves_the_winner_alone():
    """A perfect third team wins by both, and the others swap."""
    perfect = [[10, 0], [0, 20]]
    evaluation = of_confusions({"X": EVEN, "Y": SKEWED, "Z": perfect})
    assert flag_of(evaluation, "winner-depends-on-macro-f1") is None
    flag = flag_of(evaluation, "order-depends-on-macro-f1")
    assert flag.severity is Severity.ORDER
    assert (flag.evidence["teams_moved"], flag.evidence["pairs_swapped"]) == (2, 1)
    assert "2 teams have another rank" in flag.sentence
    assert "from 2 to 3, 1 other as far." in flag.sentence


def test_swaps_their_widths_and_their_class_pairs_are_those_of_the_formula():
    """With three classes and six teams, against scikit-learn's scores and the terms of Δ computed here."""
    gold, given = texts(THREE_CLASSES)
    teams = list(given)
    scores = [Oracle(gold, text).scores() for text in given.values()]
    averaged, of_averages = (
        [team[slug] for team in scores] for slug in ("averaged_f1", "f1_of_averages")
    )
    order = {
        name: rank
        for name, *rank in zip(teams, naive_ranks(averaged), naive_ranks(of_averages), strict=True)
    }
    evidence = flag_of(evaluated(gold, given), "order-depends-on-macro-f1").evidence
    expected = swaps(teams, averaged, of_averages)
    assert len(expected) > 1
    assert evidence["pairs_swapped"] == len(expected)
    assert evidence["teams_moved"] == sum(first != second for first, second in order.values())
    farthest = evidence["farthest"]
    assert [farthest["rank_by_averaged_f1"], farthest["rank_by_f1_of_averages"]] == order[
        farthest["team"]
    ]
    assert max(abs(first - second) for first, second in order.values()) == abs(
        np.subtract(*order[farthest["team"]])
    )
    pairs = {
        (pair["ahead_by_averaged_f1"], pair["ahead_by_f1_of_averages"]): pair
        for pair in evidence["pairs"]
    }
    assert pairs.keys() == expected
    for (ahead, behind), pair in pairs.items():
        a, b = teams.index(ahead), teams.index(behind)
        assert pair["lead_by_averaged_f1"] == pytest.approx(averaged[a] - averaged[b])
        assert pair["lead_by_f1_of_averages"] == pytest.approx(of_averages[b] - of_averages[a])
        terms = 2 * np.triu(gap_terms(gold, given[behind]) - gap_terms(gold, given[ahead]))
        first, second = ("abc".index(label) for label in pair["class_pair"])
        assert pair["contribution_of_class_pair"] == pytest.approx(terms.max())
        assert terms[first, second] == pytest.approx(terms.max())
        assert pair["difference_of_gaps"] == pytest.approx(
            pair["lead_by_averaged_f1"] + pair["lead_by_f1_of_averages"]
        )
    widths = [
        min(pair["lead_by_averaged_f1"], pair["lead_by_f1_of_averages"])
        for pair in evidence["pairs"]
    ]
    assert widths == sorted(widths, reverse=True)


def test_both_winners_scores_have_the_same_decimals():
    """Macro-averaged F1s of .5344 and .4947 would do with three, F1s of averages of .5592 and .5595 need four."""
    flag = flag_of(
        of_confusions({"X": [[5, 3], [8, 8]], "Y": [[1, 7], [1, 15]]}), "winner-depends-on-macro-f1"
    )
    assert "X (.5344)" in flag.sentence
    assert "Y (.5595)" in flag.sentence


def test_a_tie_that_one_macro_f1_breaks_moves_a_team_without_a_swap():
    """Ranks differ, no pair changes places, and no pair is listed."""
    flag = flag_of(of_confusions({"X": SLANTED, "Y": LEVEL}), "order-depends-on-macro-f1")
    assert (
        flag.evidence["teams_moved"],
        flag.evidence["pairs_swapped"],
        flag.evidence["pairs"],
    ) == (1, 0, [])


def over_union(gold, given):
    """Macro-averaged F1 as scikit-learn computes it by default, empty answers being no class."""
    labels = sorted({*gold, *given} - {"."})
    return f1_score(list(gold), list(given), labels=labels, average="macro", zero_division=0)


def test_scores_over_the_union_are_scikit_learns_default():
    """One stray label takes X from first to second."""
    gold, given = "aabb", {"X": "aabc", "Y": "aaba", "Z": "abab"}
    flag = flag_of(evaluated(gold, given), "class-set-matters")
    assert flag.severity is Severity.WINNER
    assert "X uses labels that gold lacks" in flag.sentence
    assert "the winner changes" in flag.sentence
    union = {team: over_union(gold, text) for team, text in given.items()}
    ranks = dict(zip(union, naive_ranks(list(union.values())), strict=True))
    found = {row["team"]: row for row in flag.evidence["teams"]}
    assert set(found) == {"X", "Y"}
    for team, row in found.items():
        assert row["averaged_f1_over_union"] == pytest.approx(union[team])
        assert row["averaged_f1_in_gold"] == pytest.approx(
            Oracle(gold, given[team]).scores()["averaged_f1"]
        )
        assert row["rank_over_union"] == ranks[team]
    assert (found["X"]["classes_in_union"], found["Y"]["classes_in_union"]) == (3, 2)


def test_a_stray_label_below_the_winner_changes_the_order():
    """Z wins either way."""
    flag = flag_of(evaluated("aabb", {"X": "aabc", "Y": "aaba", "Z": "aabb"}), "class-set-matters")
    assert flag.severity is Severity.ORDER
    assert "winner" not in flag.sentence


@pytest.mark.parametrize(
    ("predictions", "labels"),
    [
        ({"X": "aabb", "Y": "acbc"}, None),  # the last team is last over the union too
        ({"X": "aabc", "Y": "abac"}, None),  # every team strays to one further label
        ({"X": "aab.", "Y": "aaba"}, None),  # an empty answer is no class
        ({"X": "aabb", "Y": "aaba"}, "abc"),  # a declared class that nobody predicts is in no union
    ],
)
def test_a_union_that_ranks_alike_is_no_matter(predictions, labels):
    """The flag is about ranks, not about scores."""
    assert flag_of(evaluated("aabb", predictions, labels=labels), "class-set-matters") is None


def test_a_declared_class_without_gold_joins_the_union_where_it_is_predicted():
    """Whether a label is declared makes no difference to scikit-learn, nor here."""
    predictions = {"X": "aabc", "Y": "aaba"}
    declared, stray = (evaluated("aabb", predictions, labels=labels) for labels in ("abc", None))
    assert (
        flag_of(declared, "class-set-matters").evidence
        == flag_of(stray, "class-set-matters").evidence
    )


def test_each_stray_label_is_a_class_of_its_own():
    """Two stray labels cost more than one twice."""
    gold, given = "aaabbb", {"X": "aaabcd", "Y": "aaabcc", "Z": "aaabaa"}
    found = flag_of(evaluated(gold, given), "class-set-matters").evidence["teams"]
    assert {row["team"]: row["classes_in_union"] for row in found} == {"X": 4, "Y": 3, "Z": 2}
    assert {row["team"]: row["averaged_f1_over_union"] for row in found} == pytest.approx(
        {team: over_union(gold, text) for team, text in given.items()}
    )
