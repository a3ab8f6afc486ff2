"""Scores of the answered items: scikit-learn's on these, coverage beside them, and who gains by leaving items open."""

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn import metrics as sklearn_metrics

import audit
from audit.domain import Policies, ScoreKey, Severity
from audit.errors import InputError, MetricNameError, UsageError
from audit.formats.campaign.campaigns import read_campaign
from audit.metrics import named_metric
from tests.flags.campaigns import evaluated, flag_of, of_runs

GOLD = "aaaabbbbcc"
TEAMS = {
    "Sure": "aa..bb....",  # right on all four items that it answers
    "Whole": "aaaabbbbca",
    "Other": "aaabbbbac.",
    "Nobody": "..........",
}
METRICS = {
    "answered_averaged_f1": lambda gold, given: sklearn_metrics.f1_score(
        gold, given, labels=list("abc"), average="macro", zero_division=0
    ),
    "answered_accuracy": sklearn_metrics.accuracy_score,
}


@pytest.mark.parametrize("name", METRICS)
def test_a_campaign_is_ranked_by_scikit_learn_on_the_answered_items(name):
    """The same classes for every team; who answered nothing has no score and stands last."""
    found = evaluated(GOLD, TEAMS, official_metric=name)
    scores = dict(zip(found.names, found.scores_of(ScoreKey(name)), strict=True))
    coverage = dict(zip(found.names, found.scores_of(ScoreKey("coverage")), strict=True))
    for team, text in TEAMS.items():
        pairs = [(one, other) for one, other in zip(GOLD, text, strict=True) if other != "."]
        assert coverage[team] == pytest.approx(len(pairs) / len(GOLD))
        if pairs:
            assert scores[team] == pytest.approx(
                METRICS[name](*map(list, zip(*pairs, strict=True)))
            )
    assert np.isnan(scores["Nobody"])
    assert found.names[found.order(ScoreKey(name))[-1]] == "Nobody"


def test_all_teams_are_comparable_by_the_one_rule():
    """Unlike items that a policy drops: every team takes part in comparisons, and a class left open costs its share."""
    found = evaluated(GOLD, TEAMS, official_metric="answered_averaged_f1", certainty=True)
    assert found.comparable.all()
    scores = dict(zip(found.names, found.scores_of(ScoreKey("answered_averaged_f1")), strict=True))
    # nothing of “c” is answered: 0 of the three classes
    assert scores["Sure"] == pytest.approx(2 / 3)
    dropped = audit.evaluate(
        list(GOLD), {"Sure": [None if x == "." else x for x in TEAMS["Sure"]]}, certainty=False,
        official_metric="answered_averaged_f1(undefined=dropped)",
    )  # fmt: skip
    assert dropped.scores_of(dropped.task.ranking_metric)[0] == pytest.approx(1.0)


def test_who_wins_by_leaving_items_open_is_said():
    """By accuracy of the answered items Sure is first; with the others as wrong it is not, and the flag says so."""
    found = evaluated(GOLD, TEAMS, official_metric="answered_accuracy")
    flag = flag_of(found, "answered-items-alone")
    assert flag.severity is Severity.WINNER
    assert "makes Whole first" in flag.sentence
    rows = {row["team"]: row for row in flag.evidence["submissions"]}
    assert set(rows) == {"Sure", "Other", "Nobody"}
    assert rows["Sure"]["coverage"] == pytest.approx(0.4)
    assert (rows["Sure"]["score"], rows["Sure"]["score_with_unanswered_as_wrong"]) == (
        1.0,
        pytest.approx(0.4),
    )
    assert rows["Nobody"]["score"] is None
    asked = {each.about: each.text for each in found.verdict.to_do}
    assert asked["unanswered-items"].startswith("Print how many items each team left unanswered")


def test_shares_of_items_have_wilsons_interval():
    """Of the answered items, and of all of them, as statsmodels has it; but for the leader, who was chosen."""
    proportion = pytest.importorskip(
        "statsmodels.stats.proportion", reason="statsmodels is the oracle"
    )
    found = evaluated(GOLD * 6, {team: text * 6 for team, text in TEAMS.items()}, certainty=True,
                      official_metric="answered_accuracy")  # fmt: skip
    ends = found.certainty.intervals
    for name, of_team in (
        ("answered_accuracy", {"Other": (42, 54)}),
        ("coverage", {"Other": (54, 60), "Sure": (24, 60)}),
    ):
        row = found.keys.index(ScoreKey(name))
        for team, counts in of_team.items():
            place = found.names.index(team)
            expected = proportion.proportion_confint(*counts, method="wilson")
            assert (ends.lower[row, place], ends.upper[row, place]) == pytest.approx(
                expected, abs=1e-6
            )


def test_page_has_coverage_beside_the_score(tmp_path):
    """Every table that has the score has its coverage, and the page says what such a score rewards."""
    found = evaluated(GOLD * 3, {team: text * 3 for team, text in TEAMS.items()}, certainty=True,
                      official_metric="answered_f1_of_averages")  # fmt: skip
    page = audit.write_report(found, tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'id="metric-coverage"' in page
    assert (
        "Scores of the answered items alone" in page or "an unanswered item costs nothing" in page
    )
    assert "which F1 of averages of the answered items leaves out" in page


def test_c_at_1_counts_unanswered_items_in_its_own_way():
    """So says the finding, which does not call them wrong."""
    flag = flag_of(evaluated(GOLD, TEAMS, official_metric="c_at_1"), "unanswered-items")
    assert "which c@1 counts in its own way" in flag.sentence
    assert flag_of(evaluated(GOLD, TEAMS, official_metric="c_at_1"), "answered-items-alone") is None


def test_coverage_may_be_part_of_an_official_mean():
    """The rule that weighs both is a composite like any other, with coverage beside it."""
    found = evaluated(GOLD, TEAMS, official_metric="mean(answered_averaged_f1,coverage)")
    keys = ScoreKey("answered_averaged_f1[a,b,c]"), ScoreKey("coverage")
    parts = evaluated(GOLD, TEAMS, metrics=[str(key) for key in keys])
    expected = np.mean([parts.scores_of(key) for key in keys], axis=0)
    np.testing.assert_allclose(found.scores_of(found.task.ranking_metric), expected, atol=1e-15)
    assert ScoreKey("coverage") in found.keys


def of_answered(gold, given):
    """The answered items' gold and answers."""
    return list(
        zip(
            *((one, other) for one, other in zip(gold, given, strict=True) if other != "."),
            strict=True,
        )
    )


MEANS = {
    "mean(answered_accuracy,coverage)": ([1, 1], ["accuracy", "coverage"]),
    "mean(3*answered_accuracy,coverage)": ([3, 1], ["accuracy", "coverage"]),
    "mean(answered_accuracy,accuracy)": ([1, 1], ["accuracy", "accuracy"]),
    "mean(answered_accuracy,answered_averaged_f1)": ([1, 1], ["accuracy", "macro F1"]),
    "mean_rank(answered_accuracy,accuracy)": ([1, 1], ["accuracy", "accuracy"]),
    "mean_rank(answered_averaged_f1,coverage)": ([1, 1], ["macro F1", "coverage"]),
}
AS_WRONG = {
    "accuracy": lambda gold, given: np.mean(
        [one == other for one, other in zip(gold, given, strict=True)]
    ),
    "coverage": lambda _, given: 1 - given.count(".") / len(given),
    "macro F1": lambda gold, given: sklearn_metrics.f1_score(
        list(gold), list(given), labels=list("abc"), average="macro", zero_division=0
    ),
}


@pytest.mark.parametrize("name", MEANS)
def test_a_mean_that_contains_a_score_of_the_answered_items_is_said_so(name):
    """Each part as scikit-learn has it with unanswered items as wrong; ranks as SciPy has them."""
    teams = {team: text for team, text in TEAMS.items() if team != "Nobody"} | {
        "Some": "aaaabb...."
    }
    found = evaluated(GOLD, teams, official_metric=name)
    flag = flag_of(found, "answered-items-alone")
    weights, parts = MEANS[name]
    scores = np.array(
        [[AS_WRONG[part](GOLD, teams[team]) for team in found.names] for part in parts]
    )
    if name.startswith("mean_rank"):
        scores = np.array([rankdata(-row.round(12)) for row in scores])
    expected = dict(zip(found.names, np.average(scores, axis=0, weights=weights), strict=True))
    rows = {
        row["team"]: row["score_with_unanswered_as_wrong"] for row in flag.evidence["submissions"]
    }
    assert rows == {
        team: pytest.approx(expected[team]) for team, text in teams.items() if "." in text
    }
    assert "which the " in flag.sentence
    assert "an unanswered item costs nothing" in flag.sentence
    best = min if name.startswith("mean_rank") else max
    first = {team for team in expected if expected[team] == pytest.approx(best(expected.values()))}
    winners = {found.names[team] for team in found.winners(found.task.ranking_metric)}
    assert (flag.severity is Severity.WINNER) == (first != winners)


def test_scores_of_items_stand_beside_those_of_the_answered_items_in_a_mean():
    """They are what they are; who leaves nothing open, or a mean without such a score, raises no flag."""
    gold, teams = "aabbaabb", {"X": "aab.aab.", "Y": "aabaabbb"}
    given = {
        "X": [0.1, 0.4, 0.6, 0.9, 0.2, 0.3, 0.8, 0.4],
        "Y": [0.3, 0.2, 0.5, 0.6, 0.2, 0.7, 0.8, 0.9],
    }
    said = {
        "item_scores": given,
        "scored_label": "b",
        "certainty": False,
        "official_metric": "mean(answered_accuracy,auc)",
    }
    labels = {
        team: [None if label == "." else label for label in text] for team, text in teams.items()
    }
    found = audit.evaluate(list(gold), labels, **said)
    (row,) = flag_of(found, "answered-items-alone").evidence["submissions"]
    auc = sklearn_metrics.roc_auc_score([label == "b" for label in gold], given["X"])
    assert row["score_with_unanswered_as_wrong"] == pytest.approx((6 / 8 + auc) / 2)
    whole = evaluated(gold, {"Y": teams["Y"]}, official_metric="mean(answered_accuracy,coverage)")
    assert flag_of(whole, "answered-items-alone") is None
    assert (
        flag_of(
            evaluated(gold, teams, official_metric="mean(accuracy,coverage)"),
            "answered-items-alone",
        )
        is None
    )


@pytest.mark.parametrize(
    "name", ["c_at_1", "coverage", "answered_accuracy", "mean(answered_averaged_f1,accuracy)"]
)
def test_it_is_refused_where_missing_items_are_dropped_before(name):
    """Else coverage would be 1 for everybody, in silence."""
    runs = {("X", "1"): "aab.", ("Y", "1"): "aabb"}
    with pytest.raises(UsageError, match='missing = "wrong"'):
        of_runs("aabb", runs, policies=Policies(missing="drop"), official_metric=ScoreKey(name))


def test_task_toml_is_told_where_both_are_stated(tmp_path):
    """With file and line."""
    (tmp_path / "gold.csv").write_text("id,label\n1,a\n2,b\n", encoding="utf-8")
    folder = tmp_path / "submissions"
    folder.mkdir()
    (folder / "X.csv").write_text("id,label\n1,a\n", encoding="utf-8")
    text = 'official_metric = "answered_averaged_f1"\n[policies]\nmissing = "drop"\n'
    (tmp_path / "task.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_campaign(tmp_path)
    (issue,) = [issue for issue in caught.value.issues if issue.slug == "bad-metric"]
    assert "task.toml" in str(issue)
    assert "missing" in issue.expected


def test_a_metric_of_every_cell_has_a_limit_of_labels(monkeypatch):
    """It is refused before memory is taken."""
    monkeypatch.setattr("audit.evaluation.MOST_WHOLE_CELLS", 30)
    evaluated("abc", {"X": "abc", "Y": "ab."}, official_metric="answered_averaged_f1")
    with pytest.raises(InputError) as caught:
        evaluated(
            "abc", {"X": "abc", "Y": "ab.", "Z": "a.c"}, official_metric="answered_averaged_f1"
        )
    assert caught.value.issues[0].slug == "too-many-labels"


@pytest.mark.parametrize("typed", ["macro_f1_answered", "answered macro-F1"])
def test_macro_f1_of_the_answered_items_is_two_metrics(typed):
    """As it is of all items."""
    labels = evaluated("ab", {"X": "ab"}).task.label_set
    with pytest.raises(MetricNameError, match="answered_averaged_f1 or answered_f1_of_averages"):
        named_metric(typed, labels)


def test_intervals_hold_where_teams_leave_items_open():
    """A simulation: the score that the answered items estimate lies in at least 9 of 10 intervals of 95%."""
    rng = np.random.default_rng(5)
    gold = rng.choice(3, (40, 400), p=[0.5, 0.3, 0.2])
    right, open_ = (
        rng.random(gold.shape) < 0.75,
        rng.random(gold.shape) < np.array([0.5, 0.2, 0.35])[gold],
    )
    given = np.where(right, gold, (gold + rng.integers(1, 3, gold.shape)) % 3)
    mass = np.array([0.5, 0.3, 0.2]) * np.array([0.5, 0.8, 0.65])
    confusion = 0.125 * np.repeat(mass[:, None], 3, axis=1) + np.diag(0.625 * mass)
    truth = (2 * np.diag(confusion) / (confusion.sum(axis=0) + confusion.sum(axis=1))).mean()
    inside = 0
    for row in range(len(gold)):
        answers = [
            None if left else f"c{code}"
            for left, code in zip(open_[row], given[row].tolist(), strict=True)
        ]
        found = audit.evaluate(
            [f"c{code}" for code in gold[row]],
            {"X": answers},
            official_metric="answered_averaged_f1",
        )
        place = found.keys.index(found.task.ranking_metric)
        ends = found.certainty.intervals
        inside += ends.lower[place, 0] <= truth <= ends.upper[place, 0]
    assert inside >= 36
