"""A campaign may be ranked by any reading: ranking, certainty, findings, page and paper follow it."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

import audit
from audit.domain import ClassSet, ScoreKey, Undefined
from audit.errors import MetricNameError, UsageError
from audit.readings.space import base_reading

LABELS = ("a", "b", "c", "spare")


def campaign(seed=3, n_items=400):
    """Gold without the class “spare”, which the best team gives a few times."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(LABELS[:3], n_items, p=[0.5, 0.3, 0.2]).tolist()

    def team(right, labels):
        return [label if rng.random() < right else rng.choice(labels) for label in gold]

    return gold, {
        "Best": team(0.85, LABELS),
        "Next": team(0.8, LABELS[:3]),
        "Last": team(0.4, LABELS[:2]),
    }


def by(metric, **options):
    """An evaluation that is ranked by a reading."""
    gold, teams = campaign()
    return audit.evaluate(gold, teams, labels=LABELS, official_metric=metric, **options)


def test_scikit_learns_default_ranks_as_scikit_learn_does():
    """The union of gold and predictions, for each team: another team is first than over the classes in gold."""
    gold, teams = campaign()
    evaluation = by("averaged_f1(union-per-team)")
    key = evaluation.task.ranking_metric
    expected = [f1_score(gold, teams[name], average="macro") for name in evaluation.names]
    np.testing.assert_allclose(evaluation.scores_of(key), expected, atol=1e-12)
    assert next(evaluation.names[entry] for entry in evaluation.order(key)) == "Next"
    assert evaluation.names[evaluation.winners(ScoreKey("averaged_f1"))[0]] == "Best"
    assert evaluation.verdict.winners == evaluation.winners(key)
    assert evaluation.macro_f1.base == base_reading(evaluation.task)
    assert evaluation.macro_f1.base.classes is ClassSet.UNION_PER_TEAM


@pytest.mark.parametrize(
    "metric",
    [
        "averaged_f1(union-per-team)",
        "averaged_f1(declared)~",
        "macro_recall(declared,undefined=dropped)",
        "f1_of_averages(all-but)[c]",
        "averaged_f1(undefined=whole,f1-undefined=none-correct)",
        "macro_precision(declared,undefined=1)",
        "micro_f1(all-but)[a]",
    ],
)
def test_certainty_and_what_follows_stand_on_the_reading(metric):
    """An interval or a reason, a comparison, what carries the first place; and nothing fails on the way to the page."""
    evaluation = by(metric)
    key = evaluation.task.ranking_metric
    row = evaluation.keys.index(key)
    intervals, scores = evaluation.certainty.intervals, evaluation.scores_of(key)
    shown = intervals.marks[row] == 0
    defined = ~np.isnan(scores)
    assert (np.isnan(intervals.lower[row]) == ~(shown & defined)).all()
    inside = shown & defined
    assert (intervals.lower[row][inside] <= scores[inside]).all()
    assert (scores[inside] <= intervals.upper[row][inside]).all()
    assert evaluation.comparison(key).standard_error[0, 1] > 0
    assert evaluation.power[0].key == key
    assert evaluation.baselines[0].values[row] >= 0 or np.isnan(evaluation.baselines[0].values[row])
    assert str(key) in evaluation.signature


def test_an_unsure_class_set_widens_the_interval():
    """A label that a team gives less than five times is in its average by chance; without it the mean is higher."""
    gold, teams = campaign()
    teams["Next"] = ["spare", *teams["Next"][1:]]
    evaluation = audit.evaluate(
        gold, teams, labels=LABELS, official_metric="macro_recall(union-per-team)"
    )
    upper = evaluation.intervals.xs("upper", axis="columns", level=1).loc["Next"]
    assert upper["macro_recall(union-per-team)"] >= evaluation.scores.loc["Next", "macro_recall"]
    assert not evaluation.marks.to_numpy().any()


def test_the_page_and_its_links_have_the_reading(tmp_path):
    """In the head of the table, in words, and with the formula of its metric."""
    page = audit.write_report(
        by("averaged_f1(union-per-team)"), tmp_path / "report.html"
    ).read_text(encoding="utf-8")
    assert "macro-averaged F1 over the classes in gold or predicted by the team itself" in page
    assert "averaged_f1(union-per-team)" in page


def test_a_baseline_of_chance_is_drawn_for_it():
    """Closed forms are those of the plain score alone."""
    evaluation = by("averaged_f1(declared)", certainty=False)
    uniform = next(each for each in evaluation.baselines if each.slug == "uniform")
    plain, declared = (
        uniform.values[evaluation.keys.index(ScoreKey(name))]
        for name in ("averaged_f1", "averaged_f1(declared)")
    )
    assert declared == pytest.approx(plain * 3 / 4, abs=0.01)


def test_labels_outside_the_label_set_are_to_be_declared():
    """Each is then a class that gold lacks, and the score is scikit-learn's."""
    gold, teams = campaign()
    with pytest.raises(UsageError, match="Declare them as labels too") as caught:
        audit.evaluate(gold, teams, official_metric="averaged_f1(union-per-team)")
    assert "“spare”" in str(caught.value)
    # no team decides its classes
    audit.evaluate(gold, teams, official_metric="averaged_f1(declared)", certainty=False)


@pytest.mark.parametrize(
    "metric", ["averaged_f1(missing=dropped)", "averaged_f1(union)", "mcc(declared)"]
)
def test_what_cannot_rank_is_refused(metric):
    """With what to write in its place."""
    with pytest.raises(MetricNameError):
        by(metric)


def test_a_chance_level_follows_the_class_set():
    """What chance reaches over the classes that are averaged; none where an undefined score counts as 1."""
    from audit.findings.handed_in import chance_levels  # noqa: PLC0415 - of one test

    levels = {}
    for name in (
        "averaged_f1",
        "averaged_f1(declared)",
        "averaged_f1(union-per-team)",
        "averaged_f1(all-but)[a]",
    ):
        evaluation = by(name, certainty=False)
        levels[name] = float(chance_levels(evaluation, evaluation.task.ranking_metric)[0])
    # of gold in the two classes that are averaged
    share = 1 - evaluation.prevalence_counts[0] / evaluation.gold.n_items
    left_out = 2 * share / (1 + share) / 2
    assert list(levels.values()) == pytest.approx([1 / 3, 1 / 4, 1 / 3, left_out])
    one = by(f"averaged_f1(declared,undefined={Undefined.ONE})", certainty=False)
    assert np.isnan(chance_levels(one, one.task.ranking_metric)).all()
