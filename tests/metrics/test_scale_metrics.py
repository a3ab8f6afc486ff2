"""Metrics of labels on a scale: oracles, laws and slopes; and the scale cut in two."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    f1_score,
    matthews_corrcoef,
    mean_absolute_error,
)

import audit
from audit.domain import BALANCED, OBSERVED, LabelSet, ScoreKey
from audit.errors import MetricNameError, UsageError
from audit.metrics import (
    SCALE_METRICS,
    Cells,
    Margins,
    aggregates_on,
    count_answers,
    count_confusions,
    gradient_of,
    influence,
    margins_at,
    named_metric,
    parse_reading,
    parse_score_key,
    phrase,
    prevalence_shares,
    row_scale,
    scale_of,
    score,
    score_margins,
    score_readings,
)
from audit.store import open_store
from audit.workflow import load, read_evaluation

SLUGS = list(SCALE_METRICS)
# no two as far
VALUES = st.sampled_from([(0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 2.0, 5.0), (-1.5, 0.0, 0.25, 9.0)])
NAMES = [
    *SLUGS,
    "kappa[0|123]",
    "averaged_f1[01|23]",
    "mcc[012|3]",
    "mae[01|23]",
    "f1_of_averages[0|123]",
]


def scale(values=(0.0, 1.0, 2.0, 3.0)):
    """Four labels on a scale."""
    return LabelSet(tuple("0123"), declared=True, scale=values)


@st.composite
def confusions(draw, *, answered=False):
    """One confusion of four labels, of which gold and predictions may lack some."""
    cells = draw(
        arrays(np.int64, (1, 4, 5), elements=st.integers(0, draw(st.sampled_from([2, 400]))))
    )
    cells[:, :, draw(st.sets(st.integers(0, 4), max_size=3).map(sorted))] = 0
    cells[:, draw(st.sets(st.integers(0, 3), max_size=2).map(sorted))] = 0
    cells[..., -1] *= not answered
    assume(cells.sum() > 0)
    return cells


def one(name, confusion, labels, prevalence=OBSERVED):
    """The score of one confusion, or of a stack."""
    return score(confusion, [ScoreKey(name, prevalence.name)], [prevalence], labels)[0]


def items_of(confusion, values=(0.0, 1.0, 2.0, 3.0)):
    """Gold and answers, item by item; an unanswered item is answered as far from gold as can be."""
    gold, answers = np.indices(confusion.shape)
    gold, answers = (
        np.repeat(gold.ravel(), confusion.ravel()),
        np.repeat(answers.ravel(), confusion.ravel()),
    )
    farthest = np.abs(np.subtract.outer(values, values)).argmax(axis=1)
    return gold, np.where(answers == 4, farthest[gold], answers)


# Oracles


def _closeness(gold, answers, _):
    """Amigó et al. 2020, from its definition."""
    counts, total = np.bincount(gold, minlength=4), len(gold)

    def closeness(answer, right):
        between = range(min(answer, right), max(answer, right) + 1)
        return -math.log2(
            (counts[answer] / 2 + sum(counts[c] for c in between if c != answer)) / total
        )

    return sum(map(closeness, answers, gold)) / sum(map(closeness, gold, gold))


def _macro_mae(gold, answers, values):
    return np.mean(
        [
            mean_absolute_error(values[gold[gold == c]], values[answers[gold == c]])
            for c in np.unique(gold)
        ]
    )


ORACLES = {
    "ordinal_alpha": lambda gold, answers, _: pytest.importorskip("krippendorff").alpha(
        np.stack([gold, answers]), level_of_measurement="ordinal"
    ),
    "mae": lambda gold, answers, values: mean_absolute_error(values[gold], values[answers]),
    "macro_mae": _macro_mae,
    "within_one": lambda gold, answers, _: np.mean(np.abs(gold - answers) <= 1),
    "cem": _closeness,
    "tau_b": lambda gold, answers, _: kendalltau(gold, answers).statistic,
    "spearman_labels": lambda gold, answers, _: spearmanr(gold, answers).statistic,
    "kappa[01|23]": lambda gold, answers, _: cohen_kappa_score(gold > 1, answers > 1),
    "mcc[0|123]": lambda gold, answers, _: matthews_corrcoef(gold > 0, answers > 0),
    "averaged_f1[012|3]": lambda gold, answers, _: f1_score(gold > 2, answers > 2, average="macro"),
    "accuracy[01|23]": lambda gold, answers, _: accuracy_score(gold > 1, answers > 1),
}


@pytest.mark.parametrize("name", ORACLES)
def test_scores_are_those_of_other_programs(name):
    @given(confusions(answered=name == "within_one" or "[" in name), VALUES)
    def holds(confusion, values):
        gold, answers = items_of(confusion[0], values)
        assume(len(set(gold)) > 1 and len(set(answers)) > 1)
        assume("[" not in name or len(set(gold)) == 4)
        oracle = ORACLES[name](gold, answers, np.array(values))
        assert one(name, confusion, scale(values))[0] == pytest.approx(oracle, abs=1e-12)

    holds()


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@given(confusions())
def test_weighted_kappas_are_those_of_scikit_learn(weights, confusion):
    gold, answers = items_of(confusion[0])
    assume(len(set(gold) | set(answers)) > 1)
    oracle = cohen_kappa_score(gold, answers, labels=range(4), weights=weights)
    assert one(f"{weights}_kappa", confusion, scale())[0] == pytest.approx(oracle, abs=1e-12)


# Laws


@given(confusions(), VALUES)
def test_a_scale_upside_down_gives_the_same(confusion, values):
    turned = np.concatenate([confusion[:, ::-1, 3::-1], confusion[:, ::-1, 4:]], axis=-1)
    upside_down = scale(tuple(-value for value in reversed(values)))
    for name, prevalence in product(SLUGS, (OBSERVED, BALANCED)):
        expected = one(name, confusion, scale(values), prevalence)
        assert one(name, turned, upside_down, prevalence) == pytest.approx(
            expected, abs=1e-12, nan_ok=True
        )


@given(confusions(), VALUES)
def test_scores_stay_in_their_range_and_right_answers_are_best(confusion, values):
    labels, perfect = scale(values), np.zeros((1, 4, 5), dtype=int)
    perfect[0, range(4), range(4)] = confusion[0].sum(axis=-1)
    for name in NAMES:
        range_of, found, best = (
            scale_of(name, labels),
            one(name, confusion, labels)[0],
            one(name, perfect, labels)[0],
        )
        assert np.isnan(found) or range_of.lower - 1e-12 <= found <= range_of.upper + 1e-12
        assert np.isnan(best) or range_of.goodness(best) == pytest.approx(range_of.upper, abs=1e-12)


def test_an_unanswered_item_is_as_wrong_as_can_be():
    """Of the middle of three labels half of it counts as each end."""
    labels, confusion = (
        LabelSet(("low", "middle", "high"), scale=(0.0, 1.0, 2.0)),
        np.zeros((1, 3, 4), dtype=int),
    )
    confusion[0, :, 3] = 2
    filled = np.array([[[0, 0, 2, 0], [1, 0, 1, 0], [2, 0, 0, 0]]])
    for name in SLUGS:
        expected = 0.0 if name == "within_one" else one(name, filled, labels)[0]
        assert one(name, confusion, labels)[0] == expected
    assert one("mae", confusion, labels)[0] == pytest.approx(5 / 3)


def test_margins_alone_give_no_score_that_looks_at_cells():
    """How far answers are from gold stands in the cells; what margins decide is the same without these."""
    confusion = np.array([[[4, 1, 0, 0, 1], [1, 5, 2, 0, 0], [0, 1, 6, 1, 0], [1, 0, 1, 3, 2]]])
    margins = replace(Margins.of(confusion), made=None)
    for name in SLUGS:
        assert math.isnan(score_margins(name, margins, scale())[0]) == (
            named_metric(name, scale()).metric.over != "margins"
        )
    assert score_margins("kappa", margins, scale())[0] == one("kappa", confusion, scale())[0]


def test_two_halves_of_a_scale_are_two_classes():
    confusion = np.array([[[5, 1, 2, 0, 1], [1, 4, 0, 0, 0], [0, 2, 3, 3, 0], [1, 0, 0, 2, 2]]])
    halves = np.array([[[11, 2, 1], [3, 8, 2]]])
    two = LabelSet(("low", "high"), scale=(0.0, 1.0))
    for name in (
        "accuracy",
        "kappa",
        "averaged_f1",
        "f1_of_averages",
        "mcc",
        "macro_recall",
        *SLUGS,
    ):
        assert one(f"{name}[01|23]", confusion, scale())[0] == one(name, halves, two)[0]


def test_undefined_where_nothing_varies():
    constant = np.zeros((2, 4, 5), dtype=int)
    constant[0, 1, 1], constant[1, :, 2] = 5, 3  # one label in all; and a constant team
    labels = scale()
    undefined = {name: np.isnan(one(name, constant, labels)).tolist() for name in SLUGS}
    assert [name for name, (first, _) in undefined.items() if first] == [
        *("linear_kappa", "quadratic_kappa", "ordinal_alpha", "cem", "tau_b", "spearman_labels")
    ]
    assert [name for name, (_, second) in undefined.items() if second] == [
        "tau_b",
        "spearman_labels",
    ]
    assert one("quadratic_kappa", constant, labels)[1] == 0


@pytest.mark.parametrize("name", SLUGS)
def test_integers_do_not_overflow(name):
    confusion = np.array([[[5, 1, 2, 0, 1], [1, 4, 0, 0, 0], [0, 2, 3, 3, 0], [1, 0, 0, 2, 2]]])
    assert one(name, confusion * 10**8, scale()) == pytest.approx(
        one(name, confusion, scale()), abs=0.02
    )


# Slopes


def _is_smooth(name, confusion):
    """Whether cells can be moved without a class that comes or goes; macro F1 has a kink where nothing is correct."""
    return name != "f1_of_averages[0|123]" or (confusion[0, 0, 0] and confusion[0, 1:, 1:4].any())


@given(confusions(), VALUES)
def test_influence_is_the_slope_from_cell_to_cell(confusion, values):
    """Central differences of the fourth order, between two cells, so that the number of items stays.

    Krippendorff's alpha takes one value less than there are, which is held.
    """
    for name, prevalence in product(NAMES, (OBSERVED, BALANCED)):
        if not np.isnan(one(name, confusion, scale(values), prevalence)[0]) and _is_smooth(
            name, confusion
        ):
            _assert_slopes(name, confusion, scale(values), prevalence)


def _assert_slopes(name, confusion, labels, prevalence):
    cells, factors = Cells.of(confusion), None
    if prevalence is BALANCED:
        counts = confusion.sum(axis=-1)
        factors = row_scale(counts, prevalence_shares(prevalence, counts[0], labels))
    slopes = influence(
        gradient_of(name, margins_at(cells, prevalence, labels), labels), cells, factors
    )
    gold, answers = np.nonzero(confusion[0])
    counts = confusion[0][gold, answers].astype(float)
    found, step = slopes.at(gold, answers)[0], 1e-3 * min(counts[0], counts.min())

    def moved(size):
        stack = np.repeat(confusion.astype(float), len(gold), axis=0)
        stack[range(len(gold)), gold, answers] += size
        stack[:, gold[0], answers[0]] -= size
        return one(name, stack, labels, prevalence)

    near, far = (moved(size) - moved(-size) for size in (step, 2 * step))
    assert counts * (found - found[0]) == pytest.approx(
        counts * (8 * near - far) / (12 * step), abs=1e-7
    )
    assert (counts * found).sum() == pytest.approx(0, abs=1e-9)


# Names


def test_names_of_scales_and_cuts():
    labels = scale()
    assert [metric.slug for metric in aggregates_on(labels)][-9:] == SLUGS
    for written in ("kappa[0|123]", "kappa[ 0 | 1 2 3 ]"):
        assert parse_score_key(written, labels).metric == "kappa[0|123]"
    assert phrase(ScoreKey("kappa[0|123]", "balanced"), labels) == (
        "Cohen’s kappa of the scale cut “0|123” with balanced classes"
    )
    words = LabelSet(("strongly disagree", "5,0", "agree"), scale=(0.0, 1.0, 2.0))
    assert str(parse_score_key('averaged_f1[strongly disagree|"5,0",agree]~', words)) == (
        'averaged_f1[strongly disagree|"5,0",agree]~'
    )
    assert named_metric("mae", scale((0.0, 1.0, 2.0, 5.0))).metric.upper == 5


@pytest.mark.parametrize(
    ("name", "labels", "words"),
    [
        ("mae", LabelSet(("a", "b")), "write scale = true beside labels"),
        ("kappa[0|123]", LabelSet(tuple("0123")), "is not defined over named classes"),
        ("kappa[01|3]", scale(), "is not defined over named classes"),
        ("recall[0|123]", scale(), "is not in the label set"),
        ("averaged_f1(declared)[0|123]", scale(), "a score of a cut leaves no choice"),
        ("kappa(missing=dropped)[0|123]", scale(), "write missing = "),
        (
            "mae(outside=clipped)",
            scale(),
            "labels outside the scale are counted alike by every score",
        ),
    ],
)
def test_what_has_no_sense_is_refused(name, labels, words):
    with pytest.raises(MetricNameError, match=words.replace("|", r"\|")):
        parse_score_key(name, labels)


def test_labels_outside_the_scale_are_left_out_or_clipped():
    """As if the files had none of these items, or each the label at the end next to it, whichever end that is."""
    rng = np.random.default_rng(7)
    labels, gold, codes = scale(), rng.integers(0, 4, 200), rng.integers(0, 4, (4, 200))
    outside = rng.random(codes.shape) < [[0.2], [0.2], [0.3], [0]]
    is_below = outside & (rng.random(codes.shape) < [[0], [1], [0.4], [0]])
    given_ = np.where(is_below, 6, np.where(outside, 5, codes))
    given_[:, :9] = 4  # missing
    answers = count_answers(gold, list(given_), 4, [("7", "1e3"), ("-1",), ("-1", "7"), ()])
    for name, rule in product(
        (*SLUGS, "kappa", "kappa[01|23]", "averaged_f1"), ("wrong", "dropped")
    ):
        slug, bracket, cut = name.partition("[")
        texts = [
            f"{slug}(missing={rule},outside={each}){bracket}{cut}"
            for each in ("dropped", "clipped")
        ]
        dropped, clipped = score_readings(
            answers, [parse_reading(text, labels) for text in texts], [OBSERVED], labels
        )
        for team, answered in enumerate(given_):
            missing, kept = answered == 4, answered < 5
            counted = ~missing | (rule == "wrong")
            alone = count_confusions(gold[kept & counted], [answered[kept & counted]], 4)
            assert dropped[team] == pytest.approx(one(name, alone, labels)[0], abs=1e-12)
            at_end = np.where(answered == 6, 0, np.where(answered == 5, 3, answered))[counted]
            assert clipped[team] == pytest.approx(
                one(name, count_confusions(gold[counted], [at_end], 4), labels)[0]
            )


@pytest.mark.parametrize("from_files", [True, False])
def test_strays_beyond_both_ends_go_to_the_end_next_to_them(tmp_path, from_files):
    """Of a file and of arrays, through the store too: as scikit-learn has it of what is clipped before."""
    rng = np.random.default_rng(3)
    gold, said = rng.integers(1, 6, 120), rng.integers(-1, 8, (3, 120))
    said[2] = np.clip(said[2], 1, 5)
    kept = {}
    if from_files:
        (tmp_path / "c" / "submissions").mkdir(parents=True)
        files = {
            "gold.csv": gold,
            **{f"submissions/t{team}.csv": row for team, row in enumerate(said)},
        }
        for name, row in files.items():
            lines = (f"i{place},{label}\n" for place, label in enumerate(row.tolist()))
            (tmp_path / "c" / name).write_text("id,label\n" + "".join(lines), encoding="utf-8")
        settings = (
            "labels = ['1', '2', '3', '4', '5']\nscale = true\n[policies]\nunusable = 'wrong'\n"
        )
        (tmp_path / "c" / "task.toml").write_text(settings, encoding="utf-8")
        load(tmp_path / "c", tmp_path / "s.db")
        evaluation = read_evaluation("c", tmp_path / "s.db")
        with open_store(tmp_path / "s.db") as store:
            kept = {each.team: (each.n_missing, each.n_unusable) for each in store.submissions("c")}
    else:
        teams = {f"t{team}": list(map(str, row)) for team, row in enumerate(said.tolist())}
        evaluation = audit.evaluate(list(map(str, gold)), teams, labels=list("12345"), scale=True)
    strays = [(each.n_missing, each.n_unusable) for each in evaluation.entries]
    assert strays == [(0, int(((row < 1) | (row > 5)).sum())) for row in said]
    assert list(kept.values()) in ([], strays)
    readings = [
        parse_reading(f"{slug}(outside=clipped)", evaluation.task.label_set)
        for slug in ("kappa", "mae")
    ]
    label_set = evaluation.task.label_set
    kappa, mae = score_readings(evaluation.answers, readings, [OBSERVED], label_set)
    clipped = np.clip(said, 1, 5)
    assert kappa == pytest.approx([cohen_kappa_score(gold, row) for row in clipped])
    assert mae == pytest.approx([mean_absolute_error(gold, row) for row in clipped])


def test_labels_that_are_no_numbers_are_clipped_nowhere():
    """Of words, and of numbers within the scale, nobody knows which is next; a team without any has its score."""
    labels = LabelSet(("1", "2"), scale=(1.0, 2.0))
    given = [np.array([0, 3]), np.array([3, 4]), np.array([0, 1])]
    answers = count_answers(np.array([0, 1]), given, 2, [("middle",), ("1.5", "0"), ()])
    readings = [parse_reading("mae(outside=clipped)", labels)]
    found = score_readings(answers, readings, [OBSERVED], labels)[0].tolist()
    assert found == pytest.approx([np.nan, np.nan, 0], nan_ok=True)


@pytest.mark.parametrize(
    "changes",
    [{"scale": (0.0, 1.0)}, {"scale": (0.0, 0.0, 1.0)}, {"scale": (0.0, 1.0, 2.0), "rest": "b"}],
)
def test_a_scale_has_a_value_for_each_label(changes):
    with pytest.raises(UsageError, match="scale"):
        LabelSet(("a", "b", "c"), **changes)


def test_a_mean_of_scores_on_a_scale():
    """Its range is that of its parts."""
    labels = scale((0.0, 1.0, 2.0, 5.0))
    assert scale_of("mean(mae,macro_mae)", labels).upper == 5
    with pytest.raises(MetricNameError, match="two directions"):
        parse_score_key("mean(mae,kappa)", labels)
    confusion = np.array([[[5, 1, 2, 0, 1], [1, 4, 0, 0, 0], [0, 2, 3, 3, 0], [1, 0, 0, 2, 2]]])
    parts = [
        Fraction(*float(one(name, confusion, labels)[0]).as_integer_ratio())
        for name in ("mae", "macro_mae")
    ]
    assert one("mean(mae,macro_mae)", confusion, labels)[0] == pytest.approx(
        float(sum(parts) / 2), abs=1e-15
    )


def test_labels_on_a_scale_are_handed_over_in_memory():
    """With their values, which say how far a label is from another."""
    gold, answers = ["1", "2", "3", "3"], {"A": ["1", "2", "2", "1"], "B": ["1", "3", "3", None]}
    evaluation = audit.evaluate(
        gold, answers, labels=["1", "2", "3"], scale=[1, 2, 5], official_metric="mae"
    )
    assert evaluation.scores["mae"].tolist() == [1.75, 1.75]
    assert evaluation.scores["within_one"].tolist() == [0.75, 0.75]
    with pytest.raises(UsageError, match="needs the labels in their order"):
        audit.evaluate(["low", "high"], {"A": ["low", "low"]}, scale=True)
