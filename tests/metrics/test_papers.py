"""Every number that the two papers print, typed in as printed: predicted × gold, transposed at the door."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from audit.domain import BALANCED, OBSERVED, LabelSet
from audit.metrics import BOTH_MACRO_F1, METRICS, Margins, macro_f1_gap, parse_score_key, score

from .strategies import by_kernel, from_paper

TABLE_6 = Path(__file__).resolve().parents[3] / "shared" / "data" / "semeval2017-task4a-table"

ANY_CLASSIFIER = from_paper([[5, 10], [5, 10]])
BIASED_CLASSIFIER = from_paper([[1, 1], [9, 19]])


@pytest.mark.parametrize(
    ("table", "f1_of_averages", "averaged_f1", "delta"),
    [
        ([[100, 10000], [0, 100]], 0.504950495049505, 1.96078431372549e-2, 0.48534265191225007),
        ([[100, 5000], [5000, 100]], 1.96078431372549e-2, 1.96078431372549e-2, 0.0),
    ],
)
def test_the_reference_program_prints_these_numbers(table, f1_of_averages, averaged_f1, delta):
    """Opitz & Burst 2019, appendix D: what ``mf1`` prints, to its last digit but rounding."""
    confusion = from_paper(table)
    found = by_kernel("f1_of_averages", confusion), by_kernel("averaged_f1", confusion)
    exact = {"rel": 1e-15, "abs": 1e-17}
    assert found == (pytest.approx(f1_of_averages, **exact), pytest.approx(averaged_f1, **exact))
    assert found[0] - found[1] == pytest.approx(delta, **exact)
    assert macro_f1_gap(Margins.of(confusion)) == pytest.approx(delta, **exact)


def test_both_classes_of_the_reference_table_have_one_f1():
    """Opitz & Burst 2019, table 3: "individual F1 score=0.0196 for both classes"."""
    assert [f"{f1:.4f}" for f1 in by_kernel("f1", from_paper([[100, 10000], [0, 100]]))] == [
        "0.0196",
        "0.0196",
    ]


@pytest.mark.parametrize(
    ("confusion", "f1_of_averages", "averaged_f1"),
    [(ANY_CLASSIFIER, "0.50", "0.49"), (BIASED_CLASSIFIER, "0.56", "0.48")],
)
def test_the_worked_tables_of_the_note(confusion, f1_of_averages, averaged_f1):
    """Opitz & Burst 2019, tables 1 and 2; of 231/416 = 0.5553 the paper prints the first two decimals."""
    assert [f"{by_kernel(slug, confusion):.2f}" for slug in BOTH_MACRO_F1] == [
        averaged_f1,
        f1_of_averages,
    ]


def test_the_worked_tables_as_fractions():
    """F1 of averages is 1/2 and then 231/416, macro-averaged F1 17/35 and then 0.479: the ranking flips."""
    tables = np.stack([ANY_CLASSIFIER, BIASED_CLASSIFIER])
    benevolent, strict = by_kernel("f1_of_averages", tables), by_kernel("averaged_f1", tables)
    assert benevolent.tolist() == pytest.approx([Fraction(1, 2), Fraction(231, 416)], rel=1e-15)
    assert [f"{score:.4f}"[:4] for score in benevolent] == ["0.50", "0.55"]
    assert f"{strict[1]:.3f}" == "0.479"
    assert benevolent[0] < benevolent[1]
    assert strict[0] > strict[1]


def test_a_gap_without_a_correct_item_in_every_class():
    """METRICS.md, section 4: P_i ≠ R_i in a class, and yet both scores are .3125."""
    confusion = np.array([[5, 5, 0], [1, 0, 0]])
    assert by_kernel("precision", confusion).tolist() == [pytest.approx(5 / 6), 0]
    assert by_kernel("recall", confusion).tolist() == [0.5, 0]
    assert [by_kernel(slug, confusion) for slug in BOTH_MACRO_F1] == [
        0.3125,
        pytest.approx(0.3125, rel=1e-15),
    ]


def test_macro_precision_depends_on_prevalence():
    """Opitz 2024, tables 2 to 4: 5/8 and 19/30, with macro recall unchanged; the tables differ by λ = (1, 2)."""
    before, after = from_paper([[15, 5], [10, 10]]), from_paper([[15, 10], [10, 20]])
    np.testing.assert_array_equal(after, before * [[1], [2]])
    assert by_kernel("macro_precision", before) == pytest.approx(Fraction(5, 8), rel=1e-15)
    assert by_kernel("macro_precision", after) == pytest.approx(Fraction(19, 30), rel=1e-15)
    assert by_kernel("macro_recall", before) == by_kernel("macro_recall", after)


def test_ten_more_errors_raise_mcc_and_kappa():
    """Opitz 2024, tables 7 and 8: MCC 0.00 → 0.07 and kappa 0.00 → 0.02."""
    before = from_paper([[10, 43, 0], [1, 1, 0], [0, 0, 1]])
    after = from_paper([[10, 43, 0], [1, 1, 0], [0, 10, 1]])
    assert (after - before).tolist() == [[0, 0, 0, 0], [0, 0, 10, 0], [0, 0, 0, 0]]
    tables = np.stack([before, after])
    assert [f"{value:.2f}" for value in by_kernel("mcc", tables)] == ["0.00", "0.07"]
    assert [f"{value:.2f}" for value in by_kernel("kappa", tables)] == ["0.00", "0.02"]


def test_one_stray_label_would_cut_macro_f1_by_a_third():
    """METRICS.md, section 2: over the union with what is predicted, 1 label in 12,000 costs the factor k/(k + 1)."""
    confusion = np.array([[5999, 0, 1, 0], [0, 6000, 0, 0], [0, 0, 0, 0]])
    union = Margins.of(confusion, averaged=np.ones(3, dtype=bool))
    gold_classes = Margins.of(confusion)
    assert gold_classes.n_averaged == 2
    for slug in ("averaged_f1", "macro_recall", "macro_precision"):
        kernel = METRICS[slug].kernel
        assert kernel(union) == pytest.approx(kernel(gold_classes) * 2 / 3, rel=1e-12)


@pytest.mark.skipif(
    not TABLE_6.is_dir(), reason="the published tables stand beside the checkout, not in it"
)
def test_table_6_comes_out_to_the_printed_digit():
    """Opitz 2024, table 6: seventeen scores of eight systems, from confusions that are consistent with it."""
    found = json.loads((TABLE_6 / "consistent_confusions.json").read_text(encoding="utf-8"))
    label_set = LabelSet(tuple(found["labels"]))
    confusions = np.stack(
        [np.hstack([cells, np.zeros((3, 1), dtype=int)]) for cells in found["confusions"].values()]
    )
    with (TABLE_6 / "published_scores.tsv").open(encoding="utf-8", newline="") as file:
        published = {row.pop("system"): row for row in csv.DictReader(file, delimiter="\t")}
    columns = [column for column in published["A"] if column != "official_rank"]
    assert (len(published), len(columns)) == (8, 17)
    keys = [parse_score_key(column, label_set) for column in columns]
    scores = score(confusions, keys, [OBSERVED, BALANCED], label_set)
    for system, values in zip(found["confusions"], scores.T, strict=True):
        assert [f"{100 * value:.1f}" for value in values] == [
            published[system][column] for column in columns
        ]
