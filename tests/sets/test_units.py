"""Means over units: their values, the rules for empty sets, and what is sure of them."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, hamming_loss, jaccard_score

from audit.domain import MARKS, Empty, Mark, Policies, Reading, ScoreKey, Severity
from audit.domain.sets import Pool, UnitCounts
from audit.errors import MetricNameError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.inference.differences import differences
from audit.inference.items import items_of
from audit.metrics import parse_reading, parse_score_key, phrase, score_units
from tests.sets.drawn import LABELS, in_cell, matrices, of_matrix, written

MEANS = ("example_f1", "example_jaccard", "subset_accuracy", "hamming")
RULES = ("zero", "dropped", "gold-empty-dropped", "either-empty-dropped")


def scored(folder, gold, teams, official="example_f1", also=()):
    """The evaluation of a folder that is written anew, of a closed set of labels."""
    written(folder, gold, teams, in_cell(","))
    labels = f"labels = {list(LABELS)!r}"
    (folder / "task.toml").write_text(
        f'kind = "sets"\nofficial_metric = "{official}"\n{labels}\n[policies]\ngold_copy = "accept"\n',
        encoding="utf-8",
    )
    return evaluate(read_campaign(folder), also=also)


def counts_of(gold, teams):
    """The counts of matrices."""
    every = [of_matrix(matrix) for matrix in (gold, *teams)]
    pool = Pool.of(every, "abcdefgh"[: gold.shape[1]])
    first, *others = map(pool.codes, every)
    return UnitCounts.of(first, pool.units, others, gold.shape[1])


def test_all_means_are_those_of_scikit_learn(tmp_path):
    """Of samples, of equal sets, and of wrong labels; two empty sets count as 1."""
    gold, teams = matrices(7)
    evaluation = scored(tmp_path, gold, teams, also=MEANS)
    for number, team in enumerate(teams):
        expected = (
            f1_score(gold, team, average="samples", zero_division=1),
            jaccard_score(gold, team, average="samples", zero_division=1),
            accuracy_score(gold, team),
            hamming_loss(gold, team),
        )
        found = [evaluation.scores_of(ScoreKey(name))[number] for name in MEANS]
        assert found == pytest.approx(expected, abs=1e-12)
    losses = evaluation.scores_of(ScoreKey("hamming"))
    assert evaluation.winners(ScoreKey("hamming")) == (int(losses.argmin()),)


def test_each_rule_for_empty_sets_is_a_name():
    """Two units, one of them empty in both, one in gold alone, and one full."""
    gold, teams = np.array([[0, 0], [0, 0], [1, 1]]), np.array([[[0, 0], [1, 0], [1, 0]]])
    counts = counts_of(gold, teams)
    found = {
        rule: score_units(Reading("example_f1", empty=Empty(rule)), counts)[0]
        for rule in ("one", *RULES)
    }
    two_thirds = 2 / 3
    assert found == pytest.approx(
        {
            "one": (1 + 0 + two_thirds) / 3,
            "zero": two_thirds / 3,
            "dropped": two_thirds / 2,
            "gold-empty-dropped": two_thirds,
            "either-empty-dropped": two_thirds,
        }
    )


def test_labels_that_gold_lacks_can_be_left_out(tmp_path):
    """The last label is in no set of gold: its false alarms count, unless a reading leaves them out."""
    gold, teams = matrices(7)
    names = ("micro_f1(unknown=dropped)", "example_f1(unknown=dropped)")
    evaluation = scored(tmp_path, gold, teams, also=names)
    known = gold.any(axis=0)
    for number, team in enumerate(teams):
        micro, example = (evaluation.scores_of(ScoreKey(name))[number] for name in names)
        assert micro == pytest.approx(f1_score(gold[:, known], team[:, known], average="micro"))
        expected = f1_score(gold[:, known], team[:, known], average="samples", zero_division=1)
        assert example == pytest.approx(expected)


def test_a_unit_that_is_left_out_has_no_answer():
    """It is 0 even where gold is empty; by the policy that drops what is missing it is no part of the mean."""
    gold, team = np.array([[0, 0], [1, 1]]), np.array([[0, 0], [1, 1]])
    things, part = of_matrix(gold), replace(of_matrix(team), answered=np.array([False, True]))
    pool = Pool.of([things, part], "ab")
    codes = pool.codes(things), pool.units, [pool.codes(part)], 2
    assert score_units(Reading("example_f1"), UnitCounts.of(*codes)) == [0.5]
    assert score_units(Reading("example_f1"), UnitCounts.of(*codes, drops_missing=True)) == [1.0]
    assert score_units(Reading("example_f1"), UnitCounts.of(*codes).of_items(pool.units == 0)) == [
        0.0
    ]


def test_a_dropped_unit_counts_as_wrong_beside_it(tmp_path):
    """The finding on scores of fewer units says what they would be with all of them."""
    gold, teams = matrices(7)
    written(tmp_path, gold, teams, in_cell(","))
    path = tmp_path / "submissions" / "t1.csv"
    path.write_text(
        "\n".join(path.read_text(encoding="utf-8").splitlines()[:-5]) + "\n", encoding="utf-8"
    )
    (tmp_path / "task.toml").write_text(
        'kind = "sets"\nofficial_metric = "example_f1"\n[policies]\nmissing = "drop"\n',
        encoding="utf-8",
    )
    evaluation = evaluate(read_campaign(tmp_path))
    flag = next(flag for flag in evaluation.flags if flag.slug == "scores-on-fewer-items")
    full = f1_score(
        gold, np.vstack([teams[1][:-5], np.zeros((5, 4), int)]), average="samples", zero_division=1
    )
    empty = (gold[-5:].sum(axis=1) == 0).sum() / len(gold)
    assert f"{full - empty:.3f}".lstrip("0") in flag.sentence
    assert evaluation.task.policies == Policies(
        missing="drop", gold_copy=evaluation.task.policies.gold_copy
    )


def test_the_variance_is_that_of_the_units(tmp_path):
    """Of a difference: the squares of what each unit, a group of its own, adds to it, its share of it included."""
    gold, teams = matrices(11, n_units=200)
    evaluation = scored(tmp_path, gold, teams)
    key = ScoreKey("example_f1")
    of_units = np.stack([sample_f1(gold, team) for team in teams])
    found = differences(
        evaluation,
        key,
        items_of(evaluation, read_campaign(tmp_path).predictions_of(evaluation.entries)),
    )
    moved = of_units[0] - of_units[1]
    n_units = len(gold)
    assert found.error[0, 1] ** 2 == pytest.approx((moved**2).sum() / n_units**2)
    intervals, row = evaluation.certainty.intervals, evaluation.row(key)
    assert (intervals.lower[row] < evaluation.values[row]).all()
    assert (evaluation.values[row] < intervals.upper[row]).all()
    half = 1.96 * of_units.std(axis=1) / np.sqrt(n_units)
    assert (intervals.upper[row] - intervals.lower[row]) / 2 == pytest.approx(half, rel=0.05)


def sample_f1(gold, team):
    """The F1 of each unit."""
    both = gold.sum(axis=1) + team.sum(axis=1)
    return np.where(both > 0, 2 * (gold & team).sum(axis=1) / np.maximum(both, 1), 1.0)


def test_a_mean_of_both_kinds_has_an_interval(tmp_path):
    """Of a sum of sets and a mean over units, as correlated as what units add to both."""
    gold, teams = matrices(11, n_units=200)
    name = "mean(example_f1,micro_f1)"
    evaluation = scored(tmp_path, gold, teams, also=(name,))
    intervals, rows = (
        evaluation.certainty.intervals,
        [evaluation.row(ScoreKey(each)) for each in (name, "micro_f1")],
    )
    mean, micro = (intervals.upper[row] - intervals.lower[row] for row in rows)
    assert evaluation.values[rows[0]] == pytest.approx(
        (evaluation.scores_of(ScoreKey("example_f1")) + evaluation.values[rows[1]]) / 2
    )
    assert (mean < 1.6 * micro).all()
    assert (mean > 0).all()


def test_differences_by_a_mean_with_two_sums_are_those_of_its_parts(tmp_path):
    """Under no difference the sums vary as their mean does, of which the evaluation has no score of its own."""
    gold, teams = matrices(11, n_units=200)
    names = ("mean(example_f1,micro_recall,micro_f1)", "mean(micro_recall,micro_f1)", "example_f1")
    evaluation = scored(tmp_path, gold, teams, also=names[:1])
    items = items_of(evaluation, read_campaign(tmp_path).predictions_of(evaluation.entries))
    whole = differences(evaluation, ScoreKey(names[0]), items)
    other = scored(tmp_path / "other", gold, teams, also=names[1:])
    parts = [differences(other, ScoreKey(name), items) for name in names[1:]]
    # sums of sets and means over units nearly err together
    together = (2 * parts[0].error + parts[1].error) / 3
    assert whole.error == pytest.approx(together, rel=0.1)


def test_a_rule_is_told_in_words(tmp_path):
    """Inside a sentence, behind the score."""
    gold, teams = matrices(7)
    labels = scored(tmp_path, gold, teams).task.label_set
    name = parse_score_key("micro_f1(unknown=dropped)", labels)
    assert phrase(name, labels).endswith("where things of labels that gold lacks are left out")
    rule = parse_score_key("example_f1(empty=zero)", labels)
    assert phrase(rule, labels) == "example F1, where units with two empty sets count as 0"


def test_many_empty_sets_are_a_finding(tmp_path):
    """Where more than 10% of the units are empty in both, with who is first by another rule; else there is none."""
    gold = np.zeros((40, 4), int)
    gold[:20, :2] = 1
    quiet, loud = np.zeros_like(gold), np.ones_like(gold)
    quiet[:8, :2], loud[:20] = 1, gold[:20]
    many = scored(tmp_path / "many", gold, [quiet, loud])
    flag = next(flag for flag in many.flags if flag.slug == "empty-sets")
    assert "first would be t1 with units with two empty sets as 0" in flag.sentence
    assert flag.severity is Severity.WINNER
    same = scored(tmp_path / "same", gold, [gold, np.roll(gold, 1, axis=1)])
    assert (
        "the same is first"
        in next(flag for flag in same.flags if flag.slug == "empty-sets").sentence
    )
    few = scored(tmp_path / "few", gold[:21], [quiet[:21], gold[:21]])
    other = scored(tmp_path / "other", gold, [quiet, loud], official="hamming")
    sums = scored(tmp_path / "sums", gold, [quiet, loud], official="micro_f1")
    assert "empty-sets" not in {flag.slug for each in (few, other, sums) for flag in each.flags}


def test_one_or_two_units_with_all_errors_have_no_interval(tmp_path):
    """A burst: nearly all errors of a team are in one unit; and a team of four things."""
    gold = np.zeros((60, 4), int)
    gold[:, 0] = 1
    burst, few, usual = gold.copy(), np.zeros_like(gold), gold.copy()
    burst[0] = 0, 1, 1, 1
    few[:4, 0] = 1
    usual[:12] = 0, 1, 0, 0
    evaluation = scored(tmp_path, gold, [burst, few, usual], official="micro_f1")
    intervals, row = evaluation.certainty.intervals, evaluation.row(ScoreKey("micro_f1"))
    assert [MARKS[mark] for mark in intervals.marks[row]] == [
        Mark.FEW_UNITS,
        Mark.FEW_THINGS,
        Mark.NONE,
    ]
    assert np.isnan(intervals.lower[row]).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("example_f1(empty=none)", "is no choice"),
        ("micro_f1(empty=zero)", "no mean over units"),
        ("hamming(empty=zero)", "no mean over units"),
        ("averaged_f1(unknown=dropped)", "add nothing to averaged_f1"),
    ],
)
def test_a_choice_that_changes_nothing_is_refused(tmp_path, name, reason):
    """With the reason."""
    gold, teams = matrices(7)
    labels = scored(tmp_path, gold, teams).task.label_set
    with pytest.raises(MetricNameError, match=reason):
        parse_score_key(name, labels)
    assert (
        str(parse_reading("example_f1(unknown=dropped,empty=zero)", labels))
        == "example_f1(empty=zero,unknown=dropped)"
    )


def test_labels_of_items_and_open_sets_have_reasons(tmp_path):
    """A mean over units needs sets, and Hamming loss a closed set of labels."""
    gold, teams = matrices(7)
    written(tmp_path, gold, teams, in_cell(","))
    (tmp_path / "task.toml").write_text(
        'kind = "sets"\nofficial_metric = "micro_f1"\n', encoding="utf-8"
    )
    labels = read_campaign(tmp_path).task.label_set
    with pytest.raises(MetricNameError, match="closed set of labels"):
        parse_score_key("hamming", labels)
    with pytest.raises(MetricNameError, match="units with sets"):
        parse_score_key("example_f1", type(labels)(("a", "b")))


def test_published_means_are_identified_with_their_rule(tmp_path):
    """A column of means without the units that are empty in both."""
    gold, teams = matrices(7, n_teams=6)
    values = score_units(Reading("example_f1", empty=Empty.DROPPED), counts_of(gold, teams))
    written(tmp_path, gold, teams, in_cell(","))
    rows = "".join(f"t{number},{value:.4f}\n" for number, value in enumerate(values))
    (tmp_path / "published.csv").write_text(f"team,Example F1\n{rows}", encoding="utf-8")
    (tmp_path / "task.toml").write_text(
        'kind = "sets"\nofficial_metric = "micro_f1"\n[published]\npath = "published.csv"\n',
        encoding="utf-8",
    )
    (column,) = evaluate(read_campaign(tmp_path)).published.columns
    assert "example_f1(empty=dropped)" in {
        str(reading) for match in column.matches for reading in match.readings
    }
