"""A preset gives what its scorer gives: the scorer itself where it installs, its rule written out where it does not."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    balanced_accuracy_score,
    classification_report,
    precision_recall_fscore_support,
)

from audit.domain import LabelSet, Reading
from audit.metrics import PRESETS, parse_reading
from tests.nightly import whole_or

from .vectors import N_VECTORS, answers_of, label_vectors, scores_by, scores_by_preset

LABELS = ("a", "b", "c", "d")
FEW = 80  # vectors for which the public call is made one by one; it is slow
PRF = {"precision": 0, "recall": 1, "f1": 2}


@pytest.fixture(scope="module")
def vectors():
    return label_vectors(LABELS)


# scikit-learn


def by_scikit_learn(gold, given, score, *, declared, zero_division):
    """Macro scores of all vectors by one call: each vector has labels of its own, of which the means are taken."""
    offset = len(LABELS) * np.arange(len(gold))[:, None]
    true, predicted = (gold + offset).ravel(), (given + offset).ravel()
    labels = np.arange(len(LABELS) * len(gold)) if declared else np.union1d(true, predicted)
    scores = precision_recall_fscore_support(
        true, predicted, labels=labels, average=None, zero_division=zero_division
    )[PRF[score]]
    rows, known = labels // len(LABELS), ~np.isnan(scores)
    total = np.bincount(rows[known], scores[known], minlength=len(gold))
    return total / np.bincount(rows[known], minlength=len(gold))


SCIKIT_LEARN = {
    "scikit-learn-f1-macro": ("f1", False, 0),
    "scikit-learn-f1-macro-labels": ("f1", True, 0),
    "scikit-learn-f1-macro-zero-division-1": ("f1", True, 1),
    "scikit-learn-f1-macro-zero-division-nan": ("f1", True, np.nan),
    "scikit-learn-precision-macro": ("precision", False, 0),
    "scikit-learn-precision-macro-zero-division-1": ("precision", False, 1),
    "scikit-learn-recall-macro": ("recall", False, 0),
}


@pytest.mark.parametrize("slug", SCIKIT_LEARN)
def test_a_preset_is_scikit_learn_on_thousands_of_vectors(slug, vectors):
    """By scikit-learn's class scores of all vectors in one call."""
    score, declared, zero_division = SCIKIT_LEARN[slug]
    theirs = by_scikit_learn(*vectors, score, declared=declared, zero_division=zero_division)
    assert len(theirs) == N_VECTORS
    assert scores_by_preset(slug, *vectors, LABELS) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("slug", SCIKIT_LEARN)
def test_a_preset_is_scikit_learns_macro_average(slug, vectors):
    """By the public call with ``average="macro"``, one vector at a time."""
    score, declared, zero_division = SCIKIT_LEARN[slug]
    gold, given = (part[:FEW] for part in vectors)
    labels = range(len(LABELS)) if declared else None
    theirs = [
        precision_recall_fscore_support(
            *pair, labels=labels, average="macro", zero_division=zero_division
        )[PRF[score]]
        for pair in zip(gold, given, strict=True)
    ]
    assert scores_by_preset(slug, gold, given, LABELS) == pytest.approx(np.array(theirs), abs=1e-12)


def test_balanced_accuracy_is_macro_recall_over_the_classes_in_gold(vectors):
    """scikit-learn warns of a predicted class that gold lacks, and leaves it out."""
    gold, given = (part[:300] for part in vectors)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        theirs = [balanced_accuracy_score(*pair) for pair in zip(gold, given, strict=True)]
    ours = scores_by_preset("scikit-learn-balanced-accuracy", gold, given, LABELS)
    assert ours == pytest.approx(np.array(theirs), abs=1e-12)


def test_germeval_2021_is_the_f1_of_a_classification_reports_averages(vectors):
    """Its program takes macro precision and recall from scikit-learn's report, and their F1; 0 where their sum is."""
    gold, given = (part[:FEW] for part in vectors)
    theirs = []
    for pair in zip(gold, given, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            average = classification_report(*pair, output_dict=True)["macro avg"]
        precision, recall = average["precision"], average["recall"]
        theirs.append(2 * precision * recall / (precision + recall) if precision + recall else 0.0)
    assert scores_by_preset("germeval-2021", gold, given, LABELS) == pytest.approx(
        np.array(theirs), abs=1e-12
    )


def test_germeval_2021_agrees_on_thousands_of_vectors(vectors):
    """By scikit-learn's class scores of all vectors in one call."""
    precision, recall = (
        by_scikit_learn(*vectors, score, declared=False, zero_division=0)
        for score in ("precision", "recall")
    )
    some = precision + recall > 0
    theirs = np.divide(
        2 * precision * recall, precision + recall, out=np.zeros(N_VECTORS), where=some
    )
    assert scores_by_preset("germeval-2021", *vectors, LABELS) == pytest.approx(theirs, abs=1e-12)


# Peers that install, where they are installed


def test_pycm_agrees_on_thousands_of_vectors(vectors):
    """Its macro scores are the text “None” where ours are undefined. By day, on every fifth of them.

    Where gold and predictions are all one class it adds a second, which is empty: no campaign has such a gold.
    """
    pycm = pytest.importorskip("pycm", reason="PyCM is not installed: pip install -e .[dev]")
    several = np.array([len({*gold, *given}) > 1 for gold, given in zip(*vectors, strict=True)])
    vectors = [part[several][:: whole_or(5, 1)] for part in vectors]
    matrices = [
        pycm.ConfusionMatrix(*pair) for pair in zip(*map(np.ndarray.tolist, vectors), strict=True)
    ]
    for slug, name in (("f1", "F1_Macro"), ("precision", "PPV_Macro"), ("recall", "TPR_Macro")):
        theirs = [getattr(matrix, name) for matrix in matrices]
        theirs = np.array([np.nan if score == "None" else score for score in theirs], dtype=float)
        ours = scores_by_preset(f"pycm-{slug}-macro", *vectors, LABELS)
        assert ours == pytest.approx(theirs, abs=1e-12, nan_ok=True)
        assert np.isnan(ours).any() == (slug != "f1")


def test_seqeval_agrees_on_thousands_of_vectors():
    """Each item is a sequence of one token; O is no entity type. By day, on every fifth of them."""
    seqeval = pytest.importorskip(
        "seqeval.metrics", reason="seqeval is not installed: pip install -e .[dev]"
    )
    labels = ("O", "PER", "LOC", "ORG")
    gold, given = label_vectors(labels)
    tags = np.array(["O", "B-PER", "B-LOC", "B-ORG"])
    some = ((gold > 0) | (given > 0)).any(axis=1)  # seqeval has no score where nothing is an entity
    gold, given = (part[some][:: whole_or(5, 1)] for part in (gold, given))
    theirs = [
        seqeval.f1_score(
            *(tags[part][:, None].tolist() for part in pair), average="macro", zero_division=0
        )
        for pair in zip(gold, given, strict=True)
    ]
    ours = scores_by_preset("seqeval-f1-macro", gold, given, labels)
    assert ours == pytest.approx(np.array(theirs), abs=1e-12)


def test_pyevall_agrees_on_thousands_of_vectors(vectors):
    """Its metrics ask a comparator for counts; this one has those of a vector.

    It pins a NumPy before 2, beside which audit cannot be installed: its rules are written out below as well.
    """
    reason = "PyEvALL is not installed: pip install --no-deps pyevall jsbeautifier editorconfig tabulate jsonschema"
    metrics = pytest.importorskip("pyevall.metrics.metrics", reason=reason)
    for slug, metric in (("f1", metrics.FMeasure), ("precision", metrics.Precision)):
        theirs = [_by_pyevall(metric, *pair) for pair in zip(*vectors, strict=True)]
        ours = scores_by_preset(f"pyevall-{slug}", *vectors, LABELS)
        assert ours == pytest.approx(np.array(theirs, dtype=float), abs=1e-12, nan_ok=True)


class _Comparator:
    """The counts that PyEvALL's metrics ask for."""

    hierarchy = None

    def __init__(self, gold, given):
        self.gold, self.given = gold, given
        self.proporties = _Always()

    def get_testcase(self):
        return "0"

    def get_classes_gold(self):
        return [str(code) for code in np.unique(self.gold)]

    def get_true_positive_per_class(self, label):
        return int(((self.gold == int(label)) & (self.given == int(label))).sum())

    def get_num_instances_gold_per_category_in_value(self, label):
        return int((self.gold == int(label)).sum())

    def get_num_instances_pred_per_category_in_value(self, label):
        return int((self.given == int(label)).sum())


class _Always(dict):
    def __missing__(self, key):
        return True


def _by_pyevall(metric, gold, given):
    computed = metric("evaluation")
    computed.logger.disabled = True
    computed.evaluate(_Comparator(gold, given))
    average = computed.result["average"]
    return np.nan if average is None else average


# Scorers that do not install here: their rules, written out from their sources


def counts(gold, given, code):
    """Correct, predicted and gold items of a class."""
    pairs = list(zip(gold, given, strict=True))
    return (
        sum(a == b == code for a, b in pairs),
        sum(b == code for _, b in pairs),
        sum(a == code for a, _ in pairs),
    )


def mean(values):
    return sum(values) / len(values) if values else np.nan


def ratio(part, whole, otherwise):
    return part / whole if whole else otherwise


def harmonic(precision, recall, otherwise):
    return 2 * precision * recall / (precision + recall) if precision + recall else otherwise


def torchmetrics_macro(gold, given, of):
    """Mean over the classes with any of tp, fp, fn; a division by 0 is 0 (utilities/compute.py)."""
    rows = [row for row in (counts(gold, given, code) for code in range(4)) if any(row)]
    return mean([of(*row) for row in rows])


def torchmetrics_f1(gold, given):
    return torchmetrics_macro(gold, given, lambda hit, said, true: 2 * hit / (said + true))


def torchmetrics_accuracy(gold, given):
    return torchmetrics_macro(gold, given, lambda hit, _, true: ratio(hit, true, 0.0))


def pyevall_f1(gold, given):
    """Over the classes in gold; 0 where one is never predicted, or precision or recall is 0 (metrics.py, FMeasure)."""
    scores = []
    for code in sorted(set(gold)):
        hit, said, true = counts(gold, given, code)
        scores.append(1 / (0.5 / (hit / said) + 0.5 / (hit / true)) if hit else 0.0)
    return mean(scores)


def pyevall_precision(gold, given):
    """Over those classes in gold that were predicted; none where there is no such class (metrics.py, Precision)."""
    rows = [counts(gold, given, code) for code in sorted(set(gold))]
    return mean([hit / said for hit, said, _ in rows if said])


def yardstick(gold, given):
    """NA where precision or recall is undefined, 0 where both are 0; NA is removed from the mean (class-f_meas.R)."""
    scores = []
    for code in range(4):
        hit, said, true = counts(gold, given, code)
        if said and true:
            scores.append(harmonic(hit / said, hit / true, 0.0))
    return mean(scores)


def caret(gold, given):
    """2PR/(P + R) of every level, NaN for 0/0, which colMeans keeps (precision_recall.R, postResample.R)."""
    scores = []
    for code in range(4):
        hit, said, true = counts(gold, given, code)
        scores.append(harmonic(ratio(hit, said, np.nan), ratio(hit, true, np.nan), np.nan))
    return mean(scores)


def weka(gold, given, never_predicted):
    """Mean over the classes with gold items (Evaluation.java)."""
    scores = []
    for code in range(4):
        hit, said, true = counts(gold, given, code)
        if true:
            scores.append(harmonic(ratio(hit, said, never_predicted), hit / true, 0.0))
    return mean(scores)


def weka_36(gold, given):
    return weka(gold, given, 0.0)


def weka_38(gold, given):
    return weka(gold, given, np.nan)


def germeval_2018(gold, given):
    """F1 of the averages over the labels of the task; every division by 0 is 0 (evaluationScriptGermeval2018.pl)."""
    rows = [counts(gold, given, code) for code in range(4)]
    precision = mean([ratio(hit, said, 0.0) for hit, said, _ in rows])
    recall = mean([ratio(hit, true, 0.0) for hit, _, true in rows])
    return harmonic(precision, recall, 0.0)


def over(codes, gold, given):
    """Mean F1 of these classes; every division by 0 is 0."""
    rows = [counts(gold, given, code) for code in codes]
    return mean(
        [harmonic(ratio(hit, said, 0.0), ratio(hit, true, 0.0), 0.0) for hit, said, true in rows]
    )


def semeval_2018_task_2(gold, given):
    """The sum of the F1s over the classes in gold, by their number (scorer_semeval18.py)."""
    return over(sorted(set(gold)), gold, given)


def semeval_2010(gold, given):
    """Over the labels of the answer key but Other, which is the last (semeval2010_task8_scorer-v1.2.pl)."""
    return over(sorted(set(gold) - {3}), gold, given)


def first_two(gold, given):
    """Half the sum of two F1s, whether or not gold has both classes (score-semeval2016-task4-subtaskA.pl, eval.pl)."""
    return over((0, 1), gold, given)


WRITTEN_OUT = {
    "torchmetrics-f1-macro": (torchmetrics_f1, LABELS, False),
    "torchmetrics-accuracy-macro": (torchmetrics_accuracy, LABELS, False),
    "pyevall-f1": (pyevall_f1, LABELS, False),
    "pyevall-precision": (pyevall_precision, LABELS, False),
    "yardstick-f-macro": (yardstick, LABELS, True),
    "caret-mean-f1": (caret, LABELS, True),
    "weka-3.6-macro-f": (weka_36, LABELS, False),
    "weka-3.8-macro-f": (weka_38, LABELS, False),
    "germeval-2018": (germeval_2018, LABELS, False),
    "semeval-2018-task-2": (semeval_2018_task_2, LABELS, False),
    "semeval-2010-task-8": (semeval_2010, ("Cause", "Part", "Origin", "Other"), False),
    "semeval-2013-2016-sentiment": (
        first_two,
        ("negative", "positive", "neutral", "objective"),
        False,
    ),
    "semeval-2016-task-6": (first_two, ("AGAINST", "FAVOR", "NONE", "UNKNOWN"), False),
}


@pytest.mark.parametrize("slug", WRITTEN_OUT)
def test_a_preset_is_its_scorers_rule_on_thousands_of_vectors(slug):
    """Item by item, in plain Python, as the scorer's source has it; missing items are removed where it removes them."""
    rule, labels, drops = WRITTEN_OUT[slug]
    gold, given = label_vectors(labels, unanswered=drops)
    kept = [
        ([a for a, b in pairs if b < len(labels)], [b for _, b in pairs if b < len(labels)])
        for pairs in (
            list(zip(*pair, strict=True))
            for pair in zip(gold.tolist(), given.tolist(), strict=True)
        )
    ]
    theirs = np.array([rule(*pair) if pair[0] else np.nan for pair in kept])
    ours = scores_by_preset(slug, gold, given, labels)
    assert ours == pytest.approx(theirs, abs=1e-12, nan_ok=True)


# Worked tables: what sets the scorers apart, in fractions

CONSTANT = ([0, 0, 1, 2], [0, 0, 0, 0])  # gold a a b c; a for everything; nobody says d
STRAY = ([0, 0, 1, 1], [0, 0, 1, 2])  # gold a a b b; one c, which gold lacks

WORKED = [
    # precisions 1/2 and two undefined, recalls 1, 0 and 0, F1s 2/3, 0 and 0
    ("scikit-learn-f1-macro", CONSTANT, Fraction(2, 9)),
    ("scikit-learn-f1-macro-labels", CONSTANT, Fraction(2, 12)),
    ("scikit-learn-f1-macro-zero-division-1", CONSTANT, Fraction(5, 12)),
    ("scikit-learn-f1-macro-zero-division-nan", CONSTANT, Fraction(2, 9)),
    ("scikit-learn-precision-macro", CONSTANT, Fraction(1, 6)),
    ("scikit-learn-precision-macro-zero-division-1", CONSTANT, Fraction(5, 6)),
    ("pycm-precision-macro", CONSTANT, None),
    ("pyevall-precision", CONSTANT, Fraction(1, 2)),
    ("yardstick-f-macro", CONSTANT, Fraction(2, 3)),
    ("caret-mean-f1", CONSTANT, None),
    ("weka-3.6-macro-f", CONSTANT, Fraction(2, 9)),
    ("weka-3.8-macro-f", CONSTANT, None),
    ("germeval-2018", CONSTANT, Fraction(1, 6)),
    ("germeval-2021", CONSTANT, Fraction(2, 9)),
    # precisions 1, 1 and 0, recalls 1, 1/2 and one undefined, F1s 1, 2/3 and 0
    ("scikit-learn-f1-macro", STRAY, Fraction(5, 9)),
    ("torchmetrics-f1-macro", STRAY, Fraction(5, 9)),
    ("pyevall-f1", STRAY, Fraction(5, 6)),
    ("semeval-2018-task-2", STRAY, Fraction(5, 6)),
    ("scikit-learn-balanced-accuracy", STRAY, Fraction(3, 4)),
    ("torchmetrics-accuracy-macro", STRAY, Fraction(1, 2)),
    ("pycm-recall-macro", STRAY, None),
    ("yardstick-f-macro", STRAY, Fraction(5, 6)),
    ("germeval-2021", STRAY, Fraction(4, 7)),
    ("germeval-2018", STRAY, Fraction(3, 7)),
]


@pytest.mark.parametrize(("slug", "vector", "score"), WORKED)
def test_a_worked_table_sets_the_scorers_apart(slug, vector, score):
    """A constant predictor scores 2/9, 2/3 or nothing at all; one stray label costs a third."""
    (ours,) = scores_by_preset(slug, *(np.array([part]) for part in vector), LABELS)
    assert np.isnan(ours) if score is None else ours == pytest.approx(float(score), abs=1e-15)


# The registry


def test_every_preset_is_tested_here():
    """By its scorer, or by its rule."""
    by_peer = {"scikit-learn-balanced-accuracy", "germeval-2021", "seqeval-f1-macro"}
    by_peer |= {f"pycm-{score}-macro" for score in PRF}
    by_data = {"semeval-2016-task-3-f1"}  # tests/readings/test_real_campaigns.py
    assert set(PRESETS) == {*SCIKIT_LEARN, *WRITTEN_OUT, *by_peer, *by_data}


@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_a_presets_signature_is_canonical(preset):
    """It is parsed, and written again as it stands; and it says where the rule is from."""
    assert str(parse_reading(preset.signature, preset.labels)) == preset.signature
    assert preset.source.startswith("http")
    assert preset.rule.endswith((".", ")"))


def test_a_preset_does_not_apply_to_a_task_without_its_labels():
    assert PRESETS["semeval-2016-task-6"].reading(LabelSet(("yes", "no"))) is None
    assert PRESETS["semeval-2018-task-2"].reading(LabelSet(("yes", "no"))) == Reading("averaged_f1")


# The default


def test_every_undefined_rule_is_one_score_where_nothing_is_undefined(vectors):
    """Where every class is in gold and predicted, class set and rule decide nothing."""
    gold, given = vectors
    full = answers_of(gold, given, 4)
    all_there = (full.in_gold & (full.cells.answers[:, :4] > 0)).all(axis=1)
    gold, given = gold[all_there], given[all_there]
    assert len(gold) > 100
    plain = scores_by("averaged_f1", gold, given, LABELS)
    for classes in ("", "declared,", "union-per-team,"):
        for rule in ("undefined=1", "undefined=dropped", "undefined=whole"):
            other = scores_by(f"averaged_f1({classes}{rule})", gold, given, LABELS)
            assert other == pytest.approx(plain, abs=1e-15)
