"""Flags about who wins: by which metric, at which prevalence, alone or together."""

import pytest

from audit.domain import ScoreKey, Severity
from audit.findings.first_place import first_place
from audit.metrics import AGGREGATES

from .campaigns import Oracle, evaluated, flag_of, naive_winners, of_confusions, printed, texts
from .cases import CASES, MAJORITY


def test_winners_by_every_metric_are_those_of_scikit_learn():
    """Of the ten metrics without the other macro F1, which is a finding of its own, and without class scores."""
    gold, given = texts({"X": MAJORITY, "Y": [[12, 8], [4, 6]]})
    scores = {team: Oracle(gold, text).scores() for team, text in given.items()}
    groups = flag_of(evaluated(gold, given), "winner-depends-on-metric").evidence["winners"]
    found = {metric: group["teams"] for group in groups for metric in group["metrics"]}
    assert found == {
        metric.slug: naive_winners("XY", [scores[team][metric.slug] for team in "XY"])
        for metric in AGGREGATES
        if metric.slug != "f1_of_averages"
    }
    assert found["accuracy"] == ["X"]
    assert found["kappa"] == ["Y"]


def test_the_sentence_says_who_wins_under_what():
    """Metrics are named as in prose, the winner by the ranking metric first."""
    sentence = flag_of(
        CASES["winner-depends-on-metric"].fires(), "winner-depends-on-metric"
    ).sentence
    assert "X by accuracy" in sentence
    assert sentence.index("Y by macro-averaged F1, macro recall") < sentence.index("X by accuracy")


def test_only_a_change_of_winner_is_said_to_be_shown_or_not():
    """The metric that ranks and those that agree with it stand without a state; those that crown another have one."""
    evaluation = evaluated(
        "aaab", {"X": "aaaa", "Y": "babb", "Z": "bbba"}, official_metric="accuracy", certainty=True
    )
    sentence = flag_of(evaluation, "winner-depends-on-metric").sentence
    by_winner = {clause.strip()[0]: clause for clause in sentence.partition(":")[2].split(";")}
    assert "(" not in by_winner["X"]
    assert by_winner["Y"].count("(different winner, not significant)") == 1


def test_another_first_under_one_metric_is_another_winner():
    """X leads by accuracy, Y by macro recall: the winner depends on the metric."""
    evaluation = evaluated("aaab", {"X": "aaaa", "Y": "babb", "Z": "bbba"})
    groups = flag_of(evaluation, "winner-depends-on-metric").evidence["winners"]
    teams = {metric: group["teams"] for group in groups for metric in group["metrics"]}
    assert teams["accuracy"] == ["X"]
    assert teams["macro_recall"] == ["Y"]


@pytest.mark.parametrize(
    "metric", ["recall[b]", "f1[b]", "precision[b]", "geometric_macro_recall", "kappa"]
)
def test_a_winner_of_nothing_is_no_finding(metric):
    """By a score of which nobody has anything, nobody wins, nothing is tied and nothing depends on anything."""
    evaluation = evaluated(
        "aaab", {"X": "aaaa", "Y": "aaba", "Z": "baaa"}, official_metric=metric, certainty=True
    )
    slugs = {flag.slug for flag in evaluation.flags}
    assert not slugs & {"tied-winners", "winner-depends-on-prevalence"}
    assert first_place(evaluation) == ()


def test_a_metric_by_which_all_are_level_crowns_nobody():
    """Geometric macro recall is 0 for all, and joins neither winners nor clauses."""
    evaluation = evaluated("aaab", {"X": "aaaa", "Y": "bbba"})
    assert flag_of(evaluation, "winner-depends-on-metric") is None


def test_class_scores_do_not_make_the_winner_depend_on_the_metric():
    """Y has the better recall of a and nothing else, and the rule stays silent."""
    evaluation = of_confusions({"X": [[9, 1], [0, 10]], "Y": [[10, 0], [9, 1]]})
    assert evaluation.winners(ScoreKey("recall[a]")) == (1,)
    assert flag_of(evaluation, "winner-depends-on-metric") is None


def test_one_team_wins_under_every_metric():
    """With a single submission nothing can depend on anything."""
    slugs = {flag.slug for flag in evaluated("aabb", {"X": "abab"}).flags}
    assert not slugs & {"winner-depends-on-metric", "winner-depends-on-prevalence", "tied-winners"}


def test_balancing_prevalence_changes_the_winner_by_the_official_metric():
    """Only the official metric is compared, with scores that scikit-learn gives under balanced weights."""
    gold, given = texts({"X": MAJORITY, "Y": [[12, 8], [4, 6]]})
    flag = flag_of(
        evaluated(gold, given, official_metric="accuracy"), "winner-depends-on-prevalence"
    )
    assert flag.evidence["winners"] == [
        {"teams": ["X"], "metrics": ["accuracy"], "state": {}},
        {"teams": ["Y"], "metrics": ["accuracy~"], "state": {"accuracy~": "not-tested"}},
    ]
    observed, balanced = Oracle(gold, given["X"]), Oracle(gold, given["Y"], balanced=True)
    assert f"X ({printed(observed.scores()['accuracy'])}) by accuracy; " in flag.sentence
    assert (
        f"Y ({printed(balanced.scores()['accuracy'])}) by accuracy with balanced classes"
        in flag.sentence
    )


def test_in_a_balanced_gold_prevalence_changes_nothing():
    """Every class has the same mass already."""
    gold, given = texts({"X": [[18, 2], [9, 11]], "Y": [[12, 8], [2, 18]], "Z": [[20, 0], [20, 0]]})
    assert flag_of(evaluated(gold, given), "winner-depends-on-prevalence") is None


def test_tied_winners_by_the_metric_that_ranks():
    """X and Y have the same accuracy, and only where accuracy is official do they share first place."""
    confusions = {"X": MAJORITY, "Y": [[13, 7], [4, 6]]}
    assert flag_of(of_confusions(confusions), "tied-winners") is None
    flag = flag_of(of_confusions(confusions, official_metric="accuracy"), "tied-winners")
    assert flag.severity is Severity.WINNER
    assert flag.evidence == {
        "metric": "accuracy",
        "score": pytest.approx(19 / 30),
        "teams": ["X", "Y"],
    }
    assert "X and Y" in flag.sentence
    assert "accuracy (.633)" in flag.sentence


def test_no_official_metric_says_what_the_ranking_is_shown_by():
    """Macro-averaged F1 stands in, and the flag says so."""
    flag = flag_of(evaluated("aabb", {"X": "aaba"}), "no-official-metric")
    assert flag.severity is Severity.NOTE
    assert flag.evidence == {"shown_by": "averaged_f1"}
    assert "macro-averaged F1" in flag.sentence
