"""The made-up campaign tells the story on its page, by scikit-learn and by the audit."""

import json
import re

import numpy as np
import pytest
from scipy.stats import gmean, hmean
from sklearn import metrics
from sklearn.utils.class_weight import compute_sample_weight

from audit.domain import Role, ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples

FOLDER = samples() / "flood-posts"
LABELS = ["not_relevant", "sympathy", "damage", "help_needed", "missing_person"]
AGGREGATES = (
    *(
        "accuracy",
        "macro_recall",
        "geometric_macro_recall",
        "harmonic_macro_recall",
        "macro_precision",
    ),
    *("averaged_f1", "f1_of_averages", "weighted_f1", "kappa", "mcc"),
)
EXPECTED_FLAGS = {
    "winner-depends-on-macro-f1",
    "order-depends-on-macro-f1",
    "winner-depends-on-metric",
    "winner-depends-on-prevalence",
    "class-never-predicted",
    "rare-class",
    "unanswered-items",
    "identical-submissions",
    "class-set-matters",
    "tie-only-after-rounding",
}
SILENT_FLAGS = {
    *("tied-winners", "class-without-gold", "no-official-metric"),
    *("at-or-below-chance", "team-not-above-baseline"),  # nobody expects more of a baseline
}


@pytest.fixture(scope="module")
def items():
    """Gold: item id → label."""
    rows = (FOLDER / "gold.csv").read_text(encoding="utf-8").splitlines()[1:]
    return dict(row.split(",") for row in rows)


@pytest.fixture(scope="module")
def gold(items):
    return np.array(list(items.values()))


@pytest.fixture(scope="module")
def predicted(items):
    """Every team's labels in the order of gold, empty where it gave none."""
    files = sorted((FOLDER / "submissions").iterdir())
    return {file.stem: read_answers(file, items) for file in files if file.name != "README.txt"}


@pytest.fixture(scope="module")
def scores(gold, predicted):
    return {team: score(gold, answers) for team, answers in predicted.items()}


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(read_campaign(FOLDER))


@pytest.fixture(scope="module")
def page():
    return " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())


def read_answers(file, items):
    """The labels of a file of any of the shapes in the folder, by first and last column."""
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    if file.suffix == ".jsonl":
        rows = [tuple(json.loads(line).values()) for line in lines]
    else:
        rows = [re.split(r"[,;\t ]", line) for line in lines if not line.startswith("#")]
    by_position = len(rows[0]) == 1
    answers = (
        dict(zip(items, lines, strict=True)) if by_position else {row[0]: row[-1] for row in rows}
    )
    return np.array([answers.get(item, "") for item in items])


def score(gold, answers, weights=None):
    """The aggregate metrics by scikit-learn; an unanswered item is a label outside the averages."""
    options = {"labels": LABELS, "zero_division": 0, "sample_weight": weights}
    precision, recall, averaged_f1, _ = metrics.precision_recall_fscore_support(
        gold, answers, average="macro", **options
    )
    recalls = metrics.recall_score(gold, answers, average=None, **options)
    return {
        "accuracy": metrics.accuracy_score(gold, answers, sample_weight=weights),
        "macro_recall": recall,
        "geometric_macro_recall": gmean(recalls) if recalls.all() else 0.0,
        "harmonic_macro_recall": hmean(recalls),
        "macro_precision": precision,
        "averaged_f1": averaged_f1,
        "f1_of_averages": hmean([precision, recall]),
        "weighted_f1": metrics.f1_score(gold, answers, average="weighted", **options),
        "kappa": metrics.cohen_kappa_score(gold, answers, sample_weight=weights),
        "mcc": metrics.matthews_corrcoef(gold, answers, sample_weight=weights),
    }


def ranking(scores, metric):
    """Teams from best to worst."""
    return sorted(scores, key=lambda team: -scores[team][metric])


def printed(number, decimals=3):
    """A score as the page prints it."""
    return f"{number:.{decimals}f}".lstrip("0")


def test_the_generator_writes_the_committed_bytes(regenerate, assert_same_bytes):
    """Whoever runs the generator gets the files that are here."""
    assert_same_bytes(regenerate("generate_flood_posts.py"), FOLDER)


def test_gold_is_as_skewed_as_the_page_says(gold, page):
    """Five classes, the rarest below twenty posts."""
    counts = {label: int(np.sum(gold == label)) for label in LABELS}
    assert sum(counts.values()) == gold.size
    assert f"classify {gold.size:,} posts" in page
    assert all(f"*{label}* ({count})" in page for label, count in counts.items())
    assert counts["missing_person"] < 20
    assert f"recall of it by {1 / counts['missing_person']:.0%}" in page.replace(" points", "%")


def test_the_winner_flips_between_the_two_macro_f1s(scores, page):
    """Kingfisher is first by one macro F1, Plumbline by the other, each by more than a hundredth."""
    first, second, *_ = averaged = ranking(scores, "averaged_f1")
    assert (first, second, averaged.index("Plumbline")) == ("Kingfisher", "Estuary", 4)
    f1 = {team: scores[team]["averaged_f1"] for team in scores}
    assert f1[first] - f1[second] > 0.01
    assert f"wins with {printed(f1[first])} before Estuary with {printed(f1[second])}" in page
    assert f"Plumbline is fifth with {printed(f1['Plumbline'])}." in page

    first, second, *_ = ranking(scores, "f1_of_averages")
    assert (first, second) == ("Plumbline", "Kingfisher")
    f1 = {team: scores[team]["f1_of_averages"] for team in scores}
    assert f1[first] - f1[second] > 0.01
    assert f"wins with {printed(f1[first])} before Kingfisher with {printed(f1[second])}" in page


def test_plumbline_is_precise_on_the_rare_classes_and_the_reverse_elsewhere(gold, predicted, page):
    """The cause of the flip: precision and recall are high in different classes."""
    precision, recall, _, _ = metrics.precision_recall_fscore_support(
        gold, predicted["Plumbline"], labels=LABELS
    )
    higher = dict(zip(LABELS, precision > recall, strict=True))
    assert higher["help_needed"]
    assert higher["missing_person"]
    assert not higher["sympathy"]
    assert not higher["damage"]
    assert precision[-1] == 1
    assert f"it finds {recall[-1]:.0%} of them" in page


def test_spate_finds_most_missing_people_with_many_false_alarms(gold, predicted, page):
    """The recall-hungry system answers the rarest class several times too often."""
    named = predicted["Spate"] == "missing_person"
    real = gold == "missing_person"
    assert named.sum() > 3 * real.sum()
    assert (
        f"**Spate** finds {named[real].mean():.0%} of them, with {1 - real[named].mean():.0%} false alarms"
        in page
    )


def test_the_winner_depends_on_the_metric_as_the_page_says(scores):
    """Each of the three tempers wins by some metrics."""
    winners = {metric: ranking(scores, metric)[0] for metric in AGGREGATES}
    assert {metric for metric in winners if winners[metric] == "Kingfisher"} == {
        "averaged_f1",
        "weighted_f1",
    }
    assert {metric for metric in winners if winners[metric] == "Spate"} == {
        metric for metric in AGGREGATES if metric.endswith("macro_recall")
    }
    assert {metric for metric in winners if winners[metric] == "Plumbline"} == {
        *("f1_of_averages", "accuracy", "macro_precision", "kappa", "mcc")
    }


def test_balanced_prevalence_crowns_spate(gold, predicted):
    """With the same share of posts in every class the recall-hungry system is first by the official metric."""
    weights = compute_sample_weight("balanced", gold)
    assert ranking(
        {team: score(gold, answers, weights) for team, answers in predicted.items()}, "averaged_f1"
    )[0] == ("Spate")


def test_spate_and_heron_are_level_on_rank_8_only_after_rounding(scores):
    """They are level at three decimals and not at four, and no two others but the twins are."""
    full = {team: scores[team]["averaged_f1"] for team in scores}
    rounded = {team: round(value, 3) for team, value in full.items()}
    level = [{a, b} for a in full for b in full if a < b and rounded[a] == rounded[b]]
    assert level == [{"Heron", "Spate"}, {"Millrace", "Watershed"}]
    assert round(full["Heron"], 4) > round(full["Spate"], 4)
    assert sum(value > rounded["Heron"] for value in rounded.values()) == 7


def test_taking_classes_from_predictions_costs_oxbow_eight_places(gold, predicted, scores):
    """scikit-learn's default averages over the misspelt label as well."""
    by_default = metrics.f1_score(gold, predicted["Oxbow"], average="macro")
    others = [scores[team]["averaged_f1"] for team in scores if team != "Oxbow"]
    assert 1 + sum(value > scores["Oxbow"]["averaged_f1"] for value in others) == 3
    assert 1 + sum(value > by_default for value in others) == 11


def test_unanswered_items_are_where_the_page_says(predicted):
    """Sandbag lacks 38 posts, Oxbow misspells seven labels, and everybody else answers everything."""
    unusable = {
        team: answers[~np.isin(answers, LABELS)].tolist() for team, answers in predicted.items()
    }
    assert {team: labels for team, labels in unusable.items() if labels} == {
        "Oxbow": ["help-needed"] * 7,
        "Sandbag": [""] * 38,
    }


def test_only_delta4_and_the_baseline_never_predict_some_class(predicted):
    """Delta4 never answers the rarest class; the baseline answers one class only."""
    lacking = {team: set(LABELS) - set(answers) for team, answers in predicted.items()}
    assert {team: labels for team, labels in lacking.items() if labels} == {
        "Delta4": {"missing_person"},
        "baseline-majority": set(LABELS) - {"not_relevant"},
    }


def test_only_the_baseline_is_at_chance(gold, scores):
    """Accuracy not above the largest class's share, or kappa not above zero."""
    largest = max(np.mean(gold == label) for label in LABELS)
    low = [
        team for team in scores if scores[team]["accuracy"] <= largest or scores[team]["kappa"] <= 0
    ]
    assert low == ["baseline-majority"]


def test_the_baseline_takes_no_rank(evaluation):
    """Eleven teams have the ranks; the twelfth submission stands beside them."""
    beside = {entry.name: entry.role for entry in evaluation.entries if not entry.competes}
    assert beside == {"baseline-majority": Role.BASELINE}
    assert evaluation.ranks_of(ScoreKey("averaged_f1"))[evaluation.competing].max() == 11


def test_watershed_and_millrace_are_the_only_twins(predicted):
    """Two teams gave the same labels in files that differ."""
    twins = [
        {a, b}
        for a in predicted
        for b in predicted
        if a < b and np.array_equal(predicted[a], predicted[b])
    ]
    assert twins == [{"Millrace", "Watershed"}]
    files = [FOLDER / "submissions" / name for name in ("Watershed.csv", "Millrace.jsonl")]
    assert len({file.read_bytes() for file in files}) == 2


def test_errors_coincide_as_the_page_says(gold, predicted, page):
    """The correctness of answers correlates between the systems."""
    systems = [
        predicted[team]
        for team in predicted
        if team not in {"Millrace", "Oxbow", "Sandbag", "baseline-majority"}
    ]
    correct = np.array(systems) == gold
    mean = np.corrcoef(correct)[np.triu_indices(len(correct), 1)].mean()
    assert f"correlates at {printed(mean, 2)} on average" in page


def test_every_file_is_read_without_settings_for_it(evaluation, predicted):
    """Twelve shapes of file, twelve entries; nothing is rejected, and what is no submission is ignored."""
    assert set(evaluation.names) == set(predicted)
    assert not evaluation.rejections
    assert {"README.md", "submissions/README.txt"} <= set(evaluation.ignored)


def test_the_audit_and_scikit_learn_agree(evaluation, scores):
    """Every aggregate metric of every team, unanswered items included."""
    audited = [evaluation.scores_of(ScoreKey(metric)) for metric in AGGREGATES]
    expected = [[scores[team][metric] for team in evaluation.names] for metric in AGGREGATES]
    np.testing.assert_allclose(audited, expected, rtol=0, atol=1e-12)


def test_the_flags_of_the_story_fire(evaluation):
    """What the page lists as findings is found, and what is in order is not flagged."""
    fired = {flag.slug for flag in evaluation.flags}
    assert fired >= EXPECTED_FLAGS
    assert not fired & SILENT_FLAGS


def test_how_sure_the_ranking_is_stands_on_the_page(evaluation, page):
    """Who could be best, how many pairs are decided, that no change of winner is shown; all scores have intervals."""
    comparison, changes = evaluation.comparison("averaged_f1"), evaluation.certainty.changes
    assert len(comparison.contenders) == 9
    assert "nine of the eleven teams could be" in page
    assert f"in only {comparison.ahead.sum()} of 55 pairs" in page
    assert {change.state.value for change in changes} == {"same-not-shown", "other-not-shown"}
    carried = evaluation.power[0].carried_by
    assert (
        f"Without {carried.n_items} of the 1,024 posts {evaluation.names[carried.rival]} would be first"
        in page
    )
    assert not evaluation.marks.to_numpy().any()
    assert evaluation.intervals.notna().all(axis=None)
    # the page of the method has these two, from another program
    assert evaluation.intervals.loc["Delta4", "averaged_f1"].round(3).tolist() == [0.602, 0.702]
    assert evaluation.intervals.loc["Plumbline", "averaged_f1"].round(3).tolist() == [0.658, 0.789]
