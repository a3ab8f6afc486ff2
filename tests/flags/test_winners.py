"""Flags about who wins: by which metric, at which prevalence, alone or together."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from audit.domain import ScoreKey, Severity
from audit.metrics import AGGREGATES
from audit.questions.catalogue import FLAG_KINDS
from audit.questions.first_place import first_place
from tests.nightly import untraced

from .campaigns import Oracle, evaluated, flag_of, naive_winners, of_confusions, printed, texts
from .cases import CASES, MAJORITY, RISING

pytestmark = untraced


def test_winners_by_every_metric_are_those_of_scikit_learn():
    """The evidence names the winners of each of the ten metrics; class scores are not compared."""
    gold, given = texts({"X": MAJORITY, "Y": [[12, 8], [4, 6]]})
    scores = {team: Oracle(gold, text).scores() for team, text in given.items()}
    groups = flag_of(evaluated(gold, given), "winner-depends-on-metric").evidence["winners"]
    found = {metric: group["teams"] for group in groups for metric in group["metrics"]}
    assert found == {
        metric.slug: naive_winners("XY", [scores[team][metric.slug] for team in "XY"]) for metric in AGGREGATES
    }
    assert found["accuracy"] == ["X"]
    assert found["kappa"] == ["Y"]


def test_the_sentence_says_who_wins_under_what():
    """Metrics are named as in prose, the winner by the ranking metric first."""
    sentence = flag_of(CASES["winner-depends-on-metric"].fires(), "winner-depends-on-metric").sentence
    assert "X by accuracy" in sentence
    assert sentence.index("Y by averaged F1, macro recall") < sentence.index("X by accuracy")


def test_only_a_change_of_winner_is_said_to_be_shown_or_not():
    """The metric that ranks and those that agree with it stand without a state; those that crown another have one."""
    evaluation = evaluated("aaab", {"X": "aaaa", "Y": "babb", "Z": "bbba"}, official_metric="accuracy", certainty=True)
    sentence = flag_of(evaluation, "winner-depends-on-metric").sentence
    by_winner = {clause.strip()[0]: clause for clause in sentence.partition(":")[2].split(";")}
    assert "(" not in by_winner["X"]
    assert by_winner["Y"].count("(another first, not shown)") == 1


def test_another_first_under_one_metric_is_another_winner():
    """X leads by accuracy, Y by macro recall: the winner depends on the metric."""
    evaluation = evaluated("aaab", {"X": "aaaa", "Y": "babb", "Z": "bbba"})
    groups = flag_of(evaluation, "winner-depends-on-metric").evidence["winners"]
    teams = {metric: group["teams"] for group in groups for metric in group["metrics"]}
    assert teams["accuracy"] == ["X"]
    assert teams["macro_recall"] == ["Y"]


@pytest.mark.parametrize("metric", ["recall[b]", "f1[b]", "precision[b]", "geometric_macro_recall", "kappa"])
def test_a_winner_of_nothing_is_no_finding(metric):
    """By a score of which nobody has anything, nobody wins, nothing is tied and nothing depends on anything."""
    evaluation = evaluated("aaab", {"X": "aaaa", "Y": "aaba", "Z": "baaa"}, official_metric=metric, certainty=True)
    slugs = {flag.slug for flag in evaluation.flags}
    assert not slugs & {"tied-winners", "several-could-be-best", "winner-depends-on-prevalence"}
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
    assert not slugs & {"winner-depends-on-metric", "winner-depends-on-prevalence", "tied-winners", "outlier-metric"}


def test_balancing_prevalence_changes_the_winner_by_the_official_metric():
    """Only the official metric is compared, with scores that scikit-learn gives under balanced weights."""
    gold, given = texts({"X": MAJORITY, "Y": [[12, 8], [4, 6]]})
    flag = flag_of(evaluated(gold, given, official_metric="accuracy"), "winner-depends-on-prevalence")
    assert flag.evidence["metrics"] == [
        {"metric": "accuracy", "observed": ["X"], "balanced": ["Y"], "state": "not-tested"}
    ]
    observed, balanced = Oracle(gold, given["X"]), Oracle(gold, given["Y"], balanced=True)
    assert f"by accuracy from X ({printed(observed.scores()['accuracy'])})" in flag.sentence
    assert f"to Y ({printed(balanced.scores()['accuracy'])})" in flag.sentence


def test_without_official_metric_all_aggregates_are_compared():
    """The evidence lists exactly the metrics whose winner scikit-learn sees change."""
    gold, given = texts({"X": MAJORITY, "Y": [[12, 8], [4, 6]]})
    observed, balanced = (
        [Oracle(gold, text, balanced=balanced).scores() for text in given.values()] for balanced in (False, True)
    )
    changed = [
        {"metric": slug, "observed": before, "balanced": after, "state": "not-tested"}
        for slug in observed[0]
        if (before := naive_winners("XY", [team[slug] for team in observed]))
        != (after := naive_winners("XY", [team[slug] for team in balanced]))
    ]
    assert changed
    assert flag_of(evaluated(gold, given), "winner-depends-on-prevalence").evidence["metrics"] == changed


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
    assert flag.evidence == {"metric": "accuracy", "score": pytest.approx(19 / 30), "teams": ["X", "Y"]}
    assert "X and Y" in flag.sentence
    assert "accuracy (.633)" in flag.sentence


def test_no_official_metric_says_what_the_ranking_is_shown_by():
    """Averaged F1 stands in, and the flag says so."""
    flag = flag_of(evaluated("aabb", {"X": "aaba"}), "no-official-metric")
    assert flag.severity is Severity.NOTE
    assert flag.evidence == {"shown_by": "averaged_f1"}
    assert "averaged F1" in flag.sentence


def with_spearman(rho, n_metrics=3):
    """Five teams whose first metric has this largest correlation with the others, which agree completely."""
    evaluation = of_confusions(RISING)
    matrix = np.ones((n_metrics, n_metrics))
    matrix[0, 1:] = matrix[1:, 0] = [rho, *[min(rho, 0.1)] * (n_metrics - 2)] if rho == rho else np.nan  # noqa: PLR0124
    keys = tuple(ScoreKey(metric.slug) for metric in AGGREGATES[:n_metrics])
    identical = np.eye(n_metrics, dtype=bool)
    return replace(evaluation, agreement=replace(evaluation.agreement, keys=keys, spearman=matrix, identical=identical))


@pytest.mark.parametrize(
    ("rho", "fires"),
    [(0.5, False), (np.nextafter(0.5, 0), True), (np.nextafter(0.5, 1), False), (-1.0, True), (np.nan, False)],
)
def test_a_metric_is_an_outlier_below_one_half(rho, fires):
    """The largest correlation counts, one half is enough, and an undefined one says nothing."""
    flag = FLAG_KINDS["outlier-metric"].rule(with_spearman(rho))
    assert (flag is not None) == fires
    if fires:
        assert flag.evidence == {"metrics": [{"metric": "accuracy", "largest_spearman": rho}]}
        assert "accuracy" in flag.sentence


def test_an_outlier_is_one_by_scipy_too():
    """Recall of c falls where every other score rises."""
    gold, given = texts(RISING)
    scores = [Oracle(gold, text) for text in given.values()]
    aggregates = np.array([list(team.scores().values()) for team in scores])
    recalls = np.array([team.classwise()[1] for team in scores])
    rho = spearmanr(np.column_stack([aggregates, recalls])).statistic
    np.fill_diagonal(rho, -1)
    names = [*scores[0].scores(), "recall[a]", "recall[b]", "recall[c]"]
    expected = {name: value for name, value in zip(names, rho.max(axis=0), strict=True) if value < 0.5}
    flag = flag_of(of_confusions(RISING), "outlier-metric")
    assert {found["metric"]: found["largest_spearman"] for found in flag.evidence["metrics"]} == pytest.approx(expected)
    assert set(expected) == {"recall[c]"}
    assert "recall of “c”" in flag.sentence
    assert "−1.00" in flag.sentence


def test_only_observed_prevalence_counts_for_outliers():
    """A calibrated metric of another mind is no outlier, and saves none."""
    evaluation = with_spearman(0.2)
    keys = (ScoreKey("accuracy"), ScoreKey("kappa", "balanced"), ScoreKey("mcc", "balanced"))
    silent = replace(evaluation, agreement=replace(evaluation.agreement, keys=keys))
    assert FLAG_KINDS["outlier-metric"].rule(silent) is None
