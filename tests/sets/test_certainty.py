"""Intervals and comparisons of sets: by unit, of gold and one team alone, and those of the definition."""

import json

import numpy as np
import pytest

from audit.domain import MARKS, Cells, LabelSet, Mark, ScoreKey
from audit.domain.task import Kind
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.inference.smoothing import SmoothedSets
from audit.metrics import Margins, gradient_of, influence
from audit.report.printing import WHY_MARKED, interval_notes
from tests.sets.drawn import in_cell, matrices, written

LABELS = LabelSet(("a", "b", "nothing"), rest="nothing", kind=Kind.LABELS)
SCORES = (
    "micro_precision",
    "micro_recall",
    "micro_f1",
    "averaged_f1",
    "f1_of_averages",
    "weighted_f1",
    "macro_recall",
)


def certain(folder, teams, gold, options=None):
    """The evaluation of a folder that is written anew."""
    written(folder, gold, teams, in_cell(","))
    (folder / "task.toml").write_text(
        'kind = "sets"\nofficial_metric = "micro_f1"\n[policies]\ngold_copy = "accept"\n',
        encoding="utf-8",
    )
    return evaluate(read_campaign(folder), options)


def test_what_others_find_changes_no_interval(tmp_path):
    """A further team adds items to the pool: intervals, standard errors and who is ahead of whom stay."""
    gold, teams = matrices(4)
    rng = np.random.default_rng(1)
    two, three = (
        certain(tmp_path / name, some, gold)
        for name, some in (
            ("two", teams[:2]),
            ("three", [*teams[:2], rng.integers(0, 2, gold.shape)]),
        )
    )
    assert three.gold.n_items > two.gold.n_items
    for slug in SCORES:
        key = ScoreKey(slug)
        for end in ("lower", "upper"):
            ends = [
                getattr(each.certainty.intervals, end)[each.row(key), :2] for each in (two, three)
            ]
            assert ends[0] == pytest.approx(ends[1], abs=1e-12)
    for slug in ("micro_f1", "averaged_f1", "f1_of_averages"):
        one, other = (
            each.certainty.comparison(ScoreKey(slug)).standard_error[0, 1] for each in (two, three)
        )
        assert one == pytest.approx(other, abs=1e-12)


def counts_of(hits, missed, alarms):
    """Cells of one team from its hits, misses and false alarms of two labels."""
    confusion = np.zeros((1, 3, 4))
    confusion[0, [0, 1], [0, 1]] = hits
    confusion[0, [0, 1], 2] = missed
    confusion[0, 2, [0, 1]] = alarms
    confusion[0, 2, 2] = 17
    return Cells.of(confusion)


@pytest.mark.parametrize("slug", ["averaged_f1", "f1_of_averages", "macro_recall", "weighted_f1"])
def test_the_variance_is_that_of_the_definition(slug):
    """Σ f (t ψ² + m ψ² + a ψ²) at the smoothed margins, with slopes as differences of the score."""
    hits, missed, alarms = np.array([9.0, 4.0]), np.array([3.0, 6.0]), np.array([2.0, 5.0])
    smoothed = SmoothedSets.of(counts_of(hits, missed, alarms))
    gold = hits + missed
    pseudo = 1 + 4 * (1 / gold) / (1 / gold).sum()
    grown = 1 + 0.75 * pseudo / gold
    parts = [
        (hits + pseudo / 2) / grown,
        (missed + pseudo / 4) / grown,
        (alarms + pseudo / 4) / grown,
    ]

    def score(things):
        t, m, a = things
        precision, recall, f1 = t / (t + a), t / (t + m), 2 * t / (2 * t + m + a)
        both = precision.mean(), recall.mean()
        return {
            "averaged_f1": f1.mean(),
            "macro_recall": recall.mean(),
            "f1_of_averages": 2 * both[0] * both[1] / sum(both),
            "weighted_f1": (f1 * (t + m)).sum() / (t + m).sum(),
        }[slug]

    expected = 0.0
    for part in range(3):
        for label in range(2):
            moved = [np.array(each) for each in parts]
            moved[part][label] += 1e-6
            less = [np.array(each) for each in parts]
            less[part][label] -= 1e-6
            slope = (score(moved) - score(less)) / 2e-6
            expected += grown[label] * parts[part][label] * slope**2
    margins = smoothed.margins()
    slopes = influence(gradient_of(slug, margins, LABELS), counts_of(hits, missed, alarms))
    assert smoothed.sum_of_squares(slopes) == pytest.approx([expected], rel=1e-6)


def test_a_label_that_is_never_predicted_grows_only_where_all_are_to():
    """What nobody says of it, no pseudo-things say, unless a team that may answer otherwise is asked about."""
    cells = counts_of([9, 0], [3, 10], [2, 0])
    assert (SmoothedSets.of(cells).grown[0, :2] > 1).tolist() == [True, False]
    assert (SmoothedSets.of(cells, everywhere=True).grown[0, :2] > 1).tolist() == [True, True]


def test_labels_that_are_pooled_are_one_label():
    """The pool of two labels has their sums, and the five pseudo-things of one."""
    cells = counts_of([9, 4], [3, 6], [2, 5])
    pooled = SmoothedSets.of(cells, pooled=True).margins()
    plain = Margins.of_cells(cells)
    assert pooled.prevalence[0].tolist() == pytest.approx([22, 0, 0])
    assert pooled.correct[0, 0] == pytest.approx((13 + 2.5) / (1 + 3.75 / 22))
    assert plain.prevalence[0].tolist() == [12, 10, 24]


def test_a_perfect_team_and_one_that_says_nothing_have_intervals(tmp_path):
    """1 and nearly 0, with a range below and above; by labels that are never predicted, too."""
    gold, teams = matrices(4)
    silent = np.zeros_like(gold)
    silent[:20, 1] = 1
    evaluation = certain(tmp_path, [gold, silent, teams[1]], gold)
    intervals = evaluation.certainty.intervals
    row = evaluation.row(ScoreKey("micro_f1"))
    assert evaluation.values[row, 0] == 1
    assert intervals.lower[row, 0] < 1
    assert intervals.upper[row, 1] > evaluation.values[row, 1]
    assert (intervals.lower[row] <= evaluation.values[row]).all()


TYPES = ("LOC", "ORG", "PER")


def documents(folder, seed):
    """A campaign of spans in documents of uneven sizes, and its things of gold, of the team and hits, (G, L) each."""
    rng = np.random.default_rng(seed)
    n_documents = int(rng.integers(6, 15))
    sizes = np.maximum(1, (rng.pareto(1.2, n_documents) * 4).astype(int))
    gold_counts, team_counts, hits = np.zeros((3, n_documents, len(TYPES)))
    lines = {"gold": [], "submissions/t": []}
    for document in np.repeat(np.arange(n_documents), sizes).tolist():
        gold, team = [], []
        for place in np.flatnonzero(rng.random(12) < 0.3).tolist():
            code = int(rng.choice(len(TYPES), p=(0.6, 0.1, 0.3)))
            gold.append([place, place + 1, TYPES[code]])
            gold_counts[document, code] += 1
            if rng.random() < 0.8:
                team.append(gold[-1])
                team_counts[document, code] += 1
                hits[document, code] += 1
        if rng.random() < 0.2:
            team.append([20, 21, TYPES[0]])
            team_counts[document, 0] += 1
        for name, spans in (("gold", gold), ("submissions/t", team)):
            unit = {"id": str(len(lines[name])), "doc": f"d{document}", "spans": spans}
            lines[name].append(json.dumps(unit))
    (folder / "submissions").mkdir(parents=True)
    for name, of_file in lines.items():
        (folder / f"{name}.jsonl").write_text("\n".join(of_file), encoding="utf-8")
    stated = '[gold]\nlabel = "spans"\ngroup = "doc"\n[submissions]\nlabel = "spans"\n[sets]\nform = "spans"\n'
    settings = f'kind = "sets"\nofficial_metric = "micro_f1"\n{stated}'
    (folder / "task.toml").write_text(settings, encoding="utf-8")
    return gold_counts, team_counts, hits


@pytest.mark.parametrize(
    ("seed", "n_carrying", "mark"),
    [(2, 3.24, Mark.NONE), (29, 3.31, Mark.NONE), (31, 3.92, Mark.NONE), (34, 1.9, Mark.FEW_UNITS)],
)
def test_an_interval_of_spans_is_withheld_where_fewer_than_three_documents_carry_it(
    tmp_path, seed, n_carrying, mark
):
    """E = (Σψ²)² / Σψ⁴ of what documents add to micro F1, however large one of them is; the note says this reason."""
    gold, team, hits = documents(tmp_path, seed)
    evaluation = evaluate(read_campaign(tmp_path))
    total = gold.sum() + team.sum()
    added = (2 * hits / total - 2 * hits.sum() * (gold + team) / total**2).sum(axis=1)
    assert (added**2).sum() ** 2 / (added**4).sum() == pytest.approx(n_carrying, abs=0.01)
    intervals, row = evaluation.certainty.intervals, evaluation.row(ScoreKey("micro_f1"))
    assert MARKS[intervals.marks[row, 0]] is mark
    assert np.isnan(intervals.lower[row, 0]) == (mark is Mark.FEW_UNITS)
    notes = " ".join(interval_notes(evaluation, ScoreKey("micro_f1"), [0]))
    assert (WHY_MARKED[Mark.FEW_UNITS] in notes) == (mark is Mark.FEW_UNITS)
    assert "all errors" not in notes
