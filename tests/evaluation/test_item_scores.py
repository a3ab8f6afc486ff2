"""AUC, average precision and Brier score as scores like any other: ranked, official, cut into parts, told apart."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, f1_score, roc_auc_score

from audit.domain import (
    Campaign,
    Gold,
    LabelSet,
    Policies,
    Prevalence,
    ScoreKey,
    SliceColumn,
    Submission,
    Task,
)
from audit.errors import MetricNameError, UsageError
from audit.evaluation import evaluate
from audit.findings.revision.changed_inputs import difference_of
from audit.ranking.prevalence_shift import scenario
from audit.writers.data.export import evaluation_data, scores_csv
from audit.writers.html import render_html

LABELS = LabelSet(("no", "yes"))
ORACLES = {
    "auc": roc_auc_score,
    "average_precision": average_precision_score,
    "brier": brier_score_loss,
}


def campaign(official=None, *, n_items=120, without=("C",), cut=False, **task):
    """Four teams of two classes: A is best by its scores, B by its labels; those without scores have labels alone."""
    some = np.random.default_rng(8)
    positive = some.random(n_items) < 0.4
    teams = []
    for team, distance in zip("ABCD", (3.0, 2.0, 2.5, 1.0), strict=True):
        scores = 1 / (1 + np.exp(-(some.normal(size=n_items) + distance * (positive - 0.5))))
        codes = (scores > (0.9 if team == "A" else 0.5)).astype(np.uint8)
        teams.append(Submission(team, codes, scores=None if team in without else scores))
    slices = (
        (SliceColumn("half", ("first", "second"), np.arange(n_items) * 2 // n_items),)
        if cut
        else ()
    )
    gold = Gold(LABELS, positive.astype(np.uint8), slices=slices)
    told = {"official_metric": official and ScoreKey(official), "scored_labels": ("yes",)} | task
    return Campaign(Task("t", "T", LABELS, **told), gold, tuple(teams))


@pytest.mark.parametrize("name", ORACLES)
def test_every_evaluation_of_scores_has_them(name):
    """At the observed prevalence as scikit-learn has it, at others with weights; a team without scores has none."""
    made = campaign(prevalences=(Prevalence("rare", (("no", 0.9), ("yes", 0.1))),))
    evaluation, positive = evaluate(made, also=[f"{name}~", f"{name}@rare"]), made.gold.codes == 1
    for prevalence, share in (("observed", positive.mean()), ("balanced", 0.5), ("rare", 0.1)):
        weights = np.where(positive, share / positive.sum(), (1 - share) / (~positive).sum())
        found = evaluation.scores_of(ScoreKey(name, prevalence))
        expected = [
            ORACLES[name](positive, made.submissions[team].scores, sample_weight=weights)
            for team in (0, 1, 3)
        ]
        assert found[[0, 1, 3]] == pytest.approx(expected)
        assert np.isnan(found[2])


def test_what_no_class_distribution_moves_stands_once():
    """AUC has no calibrated column, no comparison beside its own and no other first place, unless it is asked for."""
    named = (Prevalence("rare", (("no", 0.9), ("yes", 0.1))),)
    evaluation = evaluate(campaign("auc", prevalences=named)).settled()
    assert [str(key) for key in evaluation.keys if key.metric == "auc"] == ["auc"]
    assert {"average_precision~", "brier@rare"} <= set(map(str, evaluation.keys))
    assert [
        str(each.key) for each in evaluation.certainty.comparisons if each.key.metric == "auc"
    ] == ["auc"]
    assert "prevalence" not in {change.kind for change in evaluation.certainty.changes}
    said = [each.sentence for each in evaluation.verdict.depends_on if each.choice == "prevalence"]
    assert said == [
        "Class distribution: same winner, not significant: A wins under every one: AUC does not depend on it."
    ]
    html = render_html(evaluation)
    assert "AUC~" not in html
    assert "AUC at balanced" not in html
    assert "auc~" not in html
    header = scores_csv(evaluation, evaluation.keys, ScoreKey("auc")).splitlines()[0].split(",")
    assert {"auc", "average_precision~"} <= set(header)
    assert "auc~" not in header


@pytest.mark.parametrize("official", ["auc~", "auc@rare"])
def test_where_it_is_asked_for_it_stands_twice(official):
    """As the official metric, with its prevalence in its name; the ranking is the same."""
    named = (Prevalence("rare", (("no", 0.9), ("yes", 0.1))),)
    metric, prevalence = ("auc", "balanced") if official == "auc~" else ("auc", "rare")
    made = campaign(prevalences=named)
    key = ScoreKey(metric, prevalence)
    evaluation = evaluate(replace(made, task=replace(made.task, official_metric=key)))
    assert evaluation.scores_of(key) == pytest.approx(
        evaluation.scores_of(ScoreKey("auc")), nan_ok=True
    )
    assert evaluation.order(key) == evaluation.order(ScoreKey("auc"))
    assert evaluation.verdict.sentence
    assert "A ranks first with an AUC " in render_html(evaluation)


@pytest.mark.parametrize("name", ORACLES)
def test_other_class_distributions_have_other_scores(name):
    """What `audit whatif` asks: each class with another mass, as scikit-learn has it with weights."""
    made = campaign(name)
    evaluation, positive = evaluate(made), made.gold.codes == 1
    found = scenario(evaluation, Prevalence("rare", (("no", 0.9), ("yes", 0.1))))
    weights = np.where(positive, 0.1 / positive.sum(), 0.9 / (~positive).sum())
    expected = [
        ORACLES[name](positive, made.submissions[team].scores, sample_weight=weights)
        for team in (0, 1, 3)
    ]
    assert found.scores_of(ScoreKey(name, "rare"))[[0, 1, 3]] == pytest.approx(expected)


@pytest.mark.parametrize("name", ORACLES)
def test_any_of_them_ranks(name):
    """The best first, lower Brier scores too; who has no scores is last, and never 0."""
    evaluation = evaluate(campaign(name))
    key = ScoreKey(name)
    assert evaluation.winners(key) == (0,)
    assert evaluation.order(key) == [0, 1, 3, 2]
    assert evaluation.ranks_of(key).tolist() == [1, 2, 4, 3]
    assert evaluation.verdict.sentence.startswith("A ranks first with ")
    assert evaluation.certainty.comparisons[0].key == key


def test_scores_that_are_no_probabilities_have_no_brier_score():
    """And an order all the same."""
    made = campaign(without=())
    teams = (
        replace(made.submissions[0], scores=made.submissions[0].scores * 8 - 4),
        *made.submissions[1:],
    )
    before, after = evaluate(made), evaluate(replace(made, submissions=teams))
    for name in ("auc", "average_precision"):
        assert after.scores_of(ScoreKey(name))[0] == pytest.approx(
            before.scores_of(ScoreKey(name))[0]
        )
    assert np.isnan(after.scores_of(ScoreKey("brier"))).tolist() == [True, False, False, False]


def test_a_finding_says_that_they_crown_another():
    """B wins by labels, which A gives too rarely, and A by the order of its scores."""
    evaluation = evaluate(campaign())
    flag = next(flag for flag in evaluation.flags if flag.slug == "winner-depends-on-metric")
    metrics = {tuple(each["teams"]): each["metrics"] for each in flag.evidence["winners"]}
    assert {"auc", "average_precision", "brier"} <= set(metrics["A",])
    changes = [
        change.keys[1].metric for change in evaluation.certainty.changes if change.kind == "metric"
    ]
    assert changes[-3:] == ["auc", "average_precision", "brier"]


def test_nothing_else_changes():
    """Every other score, rank, interval, flag and byte is that of the campaign without scores."""
    made = campaign(official="accuracy")
    plain = replace(
        made,
        task=replace(made.task, scored_labels=()),
        submissions=tuple(replace(each, scores=None) for each in made.submissions),
    )
    with_scores, without = evaluate(made), evaluate(plain)
    n_plain = len(without.keys)
    assert with_scores.keys[:n_plain] == without.keys
    assert np.array_equal(with_scores.values[:n_plain], without.values, equal_nan=True)
    assert np.array_equal(with_scores.rank_values[:n_plain], without.rank_values)
    assert np.array_equal(
        with_scores.certainty.intervals.lower[:n_plain],
        without.certainty.intervals.lower,
        equal_nan=True,
    )
    assert "scores:" in with_scores.signature
    assert "|scores:" not in without.signature
    added = {f"{name}{at}" for name in ORACLES for at in ("", "~")} - {"auc~"}
    assert {str(key) for key in with_scores.keys[n_plain:]} == added


def test_the_signature_says_whose_scores_for_which_label():
    """Other scores, and another label that they speak for, are other data."""
    made = campaign()
    other = replace(
        made,
        submissions=(replace(made.submissions[0], scores=np.zeros(120)), *made.submissions[1:]),
    )
    turned = replace(made, task=replace(made.task, scored_labels=("no",)))
    signatures = {evaluate(each).signature for each in (made, other, turned)}
    assert len(signatures) == 3
    assert "|scores:3:yes:" in evaluate(made).signature


def test_each_part_is_scored_by_its_items():
    """As a campaign of them alone; a part that lacks a class has no such score."""
    made = campaign("auc", cut=True)
    evaluation = evaluate(made)
    row = evaluation.keys.index(ScoreKey("auc"))
    for number, part in enumerate(evaluation.slices[0].slices):
        inside = made.gold.slices[0].codes == number
        teams = tuple(
            replace(
                each,
                given=each.codes[inside],
                scores=None if each.scores is None else each.scores[inside],
            )
            for each in made.submissions
        )
        alone = evaluate(replace(made, gold=made.gold.of_items(inside), submissions=teams))
        assert np.array_equal(part.values[row], alone.values[row], equal_nan=True)
        assert np.array_equal(
            part.upper, alone.certainty.intervals.upper[row], equal_nan=True
        ) or part.corrected == (0,)
    positive = made.gold.codes == 1
    by_class = replace(
        made.gold, slices=(SliceColumn("class", ("no", "yes"), positive.astype(np.uint8)),)
    )
    cut = evaluate(replace(made, gold=by_class))
    assert np.isnan(cut.slices[0].slices[0].values[row]).all()


def test_the_run_that_counts_is_the_best_by_them():
    """Where the policy takes the best one, that of the better scores counts, whatever the labels say."""
    made = campaign("auc", without=(), policies=Policies(runs="best"))
    good, bad, *_ = made.submissions
    runs = (
        replace(bad, team="X", run="1"),
        replace(good, team="X", run="2"),
        *made.submissions[2:],
    )
    evaluation = evaluate(replace(made, submissions=runs))
    assert [entry.run for entry in evaluation.entries if entry.team == "X"] == ["2"]


@pytest.mark.parametrize("official", ["auc", "brier", "average_precision"])
def test_every_exit_has_them(official):
    """Page, JSON and CSV; – where undefined."""
    evaluation = evaluate(campaign(official, cut=True)).settled()
    html, data = render_html(evaluation), evaluation_data(evaluation)
    label = {
        "auc": "an AUC",
        "brier": "a Brier score",
        "average_precision": "an average precision",
    }[official]
    assert f"A ranks first with {label} of " in html
    scores = data["scores"]
    for name in ORACLES:
        assert scores[name]["C"] is None
        assert scores[name]["A"] == evaluation.scores_of(ScoreKey(name))[0]
    header, first, *_ = scores_csv(evaluation, evaluation.keys, ScoreKey(official)).splitlines()
    column = header.split(",").index(official)
    assert float(first.split(",")[column]) == scores[official]["A"]


def test_they_are_refused_where_no_scores_are_kept():
    """With what to write; and readings have none of them."""
    made = campaign()
    plain = replace(made, task=replace(made.task, scored_labels=()))
    with pytest.raises(
        UsageError,
        match=r"“auc” is of scores of single items, and none are kept\. Write into task.toml",
    ):
        evaluate(plain, also=["auc"])
    with pytest.raises(UsageError, match="none are kept"):
        evaluate(replace(plain, task=replace(plain.task, official_metric=ScoreKey("brier"))))
    with pytest.raises(MetricNameError):
        evaluate(made, also=["auc(declared)"])


def test_other_scores_are_other_answers_to_a_comparison_of_loads():
    """Labels alike, one submission's scores another's, and then the other label: each change is named."""
    made = campaign("auc", without=())
    first = made.submissions[0]
    resubmitted = replace(
        made, submissions=(replace(first, scores=1 - first.scores), *made.submissions[1:])
    )
    before, after = evaluate(made), evaluate(resubmitted)
    (change,) = difference_of(before, after).submissions
    assert change.name == "A"
    turned = evaluate(replace(made, task=replace(made.task, scored_labels=("no",))))
    assert "scored_labels" in {each.slug for each in difference_of(before, turned).settings}


# Means with scores of labels


WITH_LABELS = "mean(averaged_f1,auc)"


def by_scikit_learn(made, team, *, weights=None):
    """The mean of macro-averaged F1 and AUC of one team."""
    positive, submission = made.gold.codes == 1, made.submissions[team]
    f1 = f1_score(made.gold.codes, submission.codes, average="macro", sample_weight=weights)
    return (f1 + roc_auc_score(positive, submission.scores, sample_weight=weights)) / 2


def test_a_mean_of_scores_of_labels_and_of_items_ranks():
    """As scikit-learn has each of them; who has no scores has no mean, and is last; no baseline has one."""
    made = campaign(WITH_LABELS)
    evaluation = evaluate(made)
    key = ScoreKey(WITH_LABELS)
    found = evaluation.scores_of(key)
    assert found[[0, 1, 3]] == pytest.approx([by_scikit_learn(made, team) for team in (0, 1, 3)])
    assert np.isnan(found[2])
    assert evaluation.ranks_of(key)[2] == 4
    row = evaluation.keys.index(key)
    assert all(np.isnan(baseline.values[row]) for baseline in evaluation.baselines)
    assert evaluation.certainty.comparison(key).adjusted_p[0, 1] <= 1
    assert not np.isnan(evaluation.certainty.intervals.lower[row, [0, 1, 3]]).any()


@pytest.mark.parametrize("prevalence", ["balanced", "rare"])
def test_all_its_scores_are_at_one_class_distribution(prevalence):
    """In the campaign and in a what-if."""
    rare = Prevalence("rare", (("no", 0.9), ("yes", 0.1)))
    made = campaign(WITH_LABELS, prevalences=(rare,))
    evaluation, positive = evaluate(made), made.gold.codes == 1
    share = {"balanced": 0.5, "rare": 0.1}[prevalence]
    weights = np.where(positive, share / positive.sum(), (1 - share) / (~positive).sum())
    expected = [by_scikit_learn(made, team, weights=weights) for team in (0, 1, 3)]
    assert evaluation.scores_of(ScoreKey(WITH_LABELS, prevalence))[[0, 1, 3]] == pytest.approx(
        expected
    )
    there = scenario(evaluation, Prevalence("new", (("no", 1 - share), ("yes", share))))
    assert there.scores_of(ScoreKey(WITH_LABELS, "new"))[[0, 1, 3]] == pytest.approx(expected)
    row = evaluation.keys.index(ScoreKey(WITH_LABELS, prevalence))
    assert not np.isnan(evaluation.certainty.intervals.lower[row, [0, 1, 3]]).any()


def test_parts_of_the_test_set_have_it_too():
    """With intervals of their own."""
    made = campaign(WITH_LABELS, cut=True, n_items=240)
    evaluation = evaluate(made)
    row, (cut,) = evaluation.keys.index(ScoreKey(WITH_LABELS)), evaluation.slices
    half = np.arange(240) < 120
    expected = (
        f1_score(made.gold.codes[half], made.submissions[1].codes[half], average="macro")
        + roc_auc_score(made.gold.codes[half], made.submissions[1].scores[half])
    ) / 2
    assert cut.slices[0].values[row, 1] == pytest.approx(expected)
    assert cut.slices[0].lower[1] < expected < cut.slices[0].upper[1]


def test_page_and_document_have_it():
    """The page says what its variance is made of."""
    evaluation = evaluate(campaign(WITH_LABELS)).settled()
    html = render_html(evaluation)
    assert "mean of macro-averaged F1 and AUC" in html
    assert "What an item adds to a mean of scores of labels and of single items" in html
    assert evaluation_data(evaluation)["official_metric"] == WITH_LABELS


def test_lower_and_higher_are_not_averaged_nor_asked_of_labels_alone():
    """The Brier score is better the lower; and a task without scores of items has no AUC to average."""
    with pytest.raises(MetricNameError, match="scores of two directions"):
        evaluate(campaign(), also=["mean(accuracy,brier)"])
    with pytest.raises(UsageError, match="none are kept"):
        evaluate(campaign(WITH_LABELS, scored_labels=()))
