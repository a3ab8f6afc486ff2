"""Names of scores: every slug is accepted, macro F1 refused in every spelling, and what is written is read back."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.domain import BALANCED, OBSERVED, LabelSet, ScoreKey
from audit.errors import MetricNameError, UsageError
from audit.metrics import (
    AGGREGATES,
    AMBIGUOUS_MACRO_F1,
    CLASS_METRICS,
    METRICS,
    STANDARD,
    TRIGGERS,
    VOTERS,
    metric_name,
    named_metric,
    parse_score_key,
    phrase,
    score,
)
from audit.text import quoted

from .strategies import TRIED

LABELS = LabelSet(("negative", "neutral", "positive"))

MACRO_F1 = """
macro_f1 | f1_macro | macro-f1 | f1-macro | Macro F1 | MacroF1 | F1Macro | MACRO_F1 | macro.f1 | Macro  F1 | macro F 1
macro-averaged F1 | macro averaged f1 | macro_avg_f1 | macro average F1 | F1 (macro) | f1(macro) | F1/macro | mF1 | m-F1
macro_f1_score | f1_score_macro | f1-score macro avg | macro F-score | macro F-measure | macro F1 measure
f_macro | macro_f | fscore_macro | f_measure_macro | macF1 | macF1' | macro F1′ | macro F₁ | f1_score(average='macro')
avg_macro_f1 | averaged macro F1 | macro_f1_avg | macro-averaging F1 | mean macro F1 | macro\u2011F1 | macro\u2013F1
macro\u00a0F1 | \uff2d\uff41\uff43\uff52\uff4f\uff0d\uff26\uff11 | macro_f1~ | f1-macro~ | macro_f1@uniform | macro_f1[
macro_f1[negative,positive] | macro-F1[negative]~ | macro_f1[] | macro_f1] | macro_f1~~ | macro_f1@ | ~macro_f1
macro_f1[negative | macro F-scores
"""
MACRO_F1_SPELLINGS = [name for line in MACRO_F1.strip().splitlines() for name in line.split(" | ")]


@pytest.mark.parametrize("name", MACRO_F1_SPELLINGS)
def test_macro_f1_is_refused_in_every_spelling(name):
    """It means two formulas, and the error explains both."""
    with pytest.raises(MetricNameError) as caught:
        parse_score_key(name, LABELS)
    assert str(caught.value).endswith(AMBIGUOUS_MACRO_F1)
    assert str(caught.value).startswith(quoted(name))


def test_the_explanation_says_what_is_needed_to_choose():
    """Both candidates, what scikit-learn computes, who computes the other, and that it matters."""
    for words in (
        "averaged_f1",
        "f1_of_averages",
        "scikit-learn",
        'average="macro"',
        "GermEval 2018",
        "2021",
        "0.5",
    ):
        assert words in AMBIGUOUS_MACRO_F1


@pytest.mark.parametrize("slug", METRICS)
def test_no_slug_is_a_spelling_of_macro_f1(slug):
    """Every slug is accepted, with ~, with @name, and with blanks around it."""
    brackets = "[neutral]" if METRICS[slug].takes == "class" else ""
    assert parse_score_key(slug + brackets, LABELS) == ScoreKey(slug + brackets)
    assert parse_score_key(f" {slug}{brackets}~ ", LABELS) == ScoreKey(slug + brackets, "balanced")
    assert parse_score_key(f"{slug}{brackets}@few-2", LABELS) == ScoreKey(slug + brackets, "few-2")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("averaged_f1[positive,negative]", ScoreKey("averaged_f1[negative,positive]")),
        (
            "averaged_f1[ positive , negative ]~",
            ScoreKey("averaged_f1[negative,positive]", "balanced"),
        ),
        ('macro_recall["neutral"]', ScoreKey("macro_recall[neutral]")),
        ("kappa@balanced", ScoreKey("kappa", "balanced")),
        ("kappa@observed", ScoreKey("kappa")),
        ("averaged_f1 [neutral]", ScoreKey("averaged_f1[neutral]")),
    ],
)
def test_a_name_has_one_canonical_spelling(name, key):
    """Classes in the order of the label set, without blanks, quotes only where needed, ~ for balanced."""
    assert parse_score_key(name, LABELS) == key


def test_the_order_of_the_classes_is_that_of_the_label_set():
    """However they are named or given."""
    assert metric_name("averaged_f1", (2, 0), LABELS) == "averaged_f1[negative,positive]"
    assert named_metric("averaged_f1[positive,negative]", LABELS).codes == (0, 2)


NOT_OVER_CLASSES = [metric.slug for metric in METRICS.values() if metric.takes == "nothing"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "acuracy",
            (
                r"“acuracy” is no metric\. Did you mean “accuracy”\? The metrics are accuracy, macro_recall, .* and "
                r"informedness; with any number averaged_fβ, fβ\[label\] and macro_recall_pp; where files give scores "
                r"of single items, auc, average_precision and brier; where labels are on a scale, linear_kappa, .*\.$"
            ),
        ),
        ("Averaged_F1", r"is no metric\. Did you mean “averaged_f1”\?"),
        ("qqqq", r"“qqqq” is no metric\. The metrics are accuracy"),
        ("", r"“” is no metric\. The metrics are accuracy"),
        ("[neutral]", r"is no metric\. The metrics are"),
        ("kappa@", r"“kappa@” is no metric\. Did you mean “kappa”\?"),
        ("kappa~~", r"“kappa~~” is no metric\. Did you mean “kappa”\?"),
        ("recall[neutral", r"“recall\[neutral” is no metric"),
        ("kappa~@few", r"names two prevalences\. Write ~ \(balanced\) or @name, not both"),
        ("micro-F1", r"“micro-F1” is called micro_f1 here"),
        ("weighted recall", r"is called micro_recall here"),
        ("averaged_f1.0", r"is called averaged_f1 here"),
        ("macro_recall_p-1", r"is called harmonic_macro_recall here"),
        ("macro_recall_p0", r"is called geometric_macro_recall here"),
        ("averaged_f02", r"“averaged_f02” is no metric\. Did you mean “averaged_f2”\?"),
        ("averaged_f0", r"“averaged_f0” is no metric"),
        ("f1000[neutral]", r"“f1000\[neutral\]” is no metric"),
        ("Cohen's kappa", r"is called kappa here"),
        ("balanced accuracy", r"is called macro_recall here"),
        ("AvgRec", r"is called macro_recall here"),
        ("sensitivity[neutral]", r"is called recall here"),
        (
            "averaged_f1[positve]",
            r"“positve” is not in the label set\. Did you mean “positive”\? The labels are “negative”, ",
        ),
        (
            "averaged_f1[]",
            r"“” is not in the label set\. The labels are “negative”, “neutral” or “positive”\.$",
        ),
        ("averaged_f1[negative,]", r"“” is not in the label set"),
        ("averaged_f1[neutral, neutral]", r"names a class twice"),
        ("averaged_f1[a\nb,c]", r"“a\\x0ab,c” is not in the label set"),
        ("averaged_f1[a\rb]", r"“a\\x0db” is not in the label set"),
        ('averaged_f1["neutral]', r"is not in the label set"),
        (
            "recall",
            r"“recall” is a score of one class\. Name the class, like recall\[negative\]\.$",
        ),
        ("recall[negative,positive]", r"recall is a score of one class, and 2 are named"),
        *(
            (f"{slug}[neutral]", f"{slug} is not defined over named classes")
            for slug in NOT_OVER_CLASSES
        ),
    ],
)
def test_a_wrong_name_is_refused_with_what_is_right(name, message):
    """Never a traceback, always the next step; in the same words whether a user or a stored key names it."""
    with pytest.raises(MetricNameError, match=message):
        parse_score_key(name, LABELS)


@pytest.mark.parametrize(
    "name", ["recall[neutral", "macro_f1", "recall", "kappa[neutral]", "recall[nobody]"]
)
def test_a_stored_name_is_checked_like_a_typed_one(name):
    """A key that no metric has is refused where it is scored, too."""
    with pytest.raises(MetricNameError):
        named_metric(name, LABELS)
    with pytest.raises(MetricNameError):
        score(np.eye(3, 4, dtype=int), [ScoreKey(name)], [OBSERVED], LABELS)


hostile_label = st.one_of(
    st.text(max_size=6),
    st.text(alphabet=",\"[]~@ ab\n\r\t\\'", max_size=6),
    st.sampled_from(
        [
            "",
            " ",
            '"',
            '""',
            "a",
            "b",
            "a,b",
            '"a,b"',
            "a],recall[b",
            "~",
            "@x",
            "a]~",
            "nan",
            "\x00",
            "NULL",
        ]
    ),
)
hostile_label_sets = (
    st.lists(hostile_label, min_size=1, max_size=6, unique=True).map(tuple).map(LabelSet)
)


@given(label_set=hostile_label_sets, data=st.data())
@example(label_set=LabelSet(("a", "b", "a,b")), data=None)
@example(label_set=LabelSet(("", '""')), data=None)
def test_what_is_written_is_read_back(label_set, data):
    """A key in words gives the same key, whatever the labels; ``averaged_f1[a,b]`` is not the class ``a,b``."""
    subsets = (
        [data.draw(st.sets(st.integers(0, len(label_set) - 1), min_size=1))]
        if data
        else [{0}, {len(label_set) - 1}]
    )
    for metric, subset in product(TRIED, subsets if data else [*subsets, {0, 1}]):
        codes = {"nothing": None, "class": (min(subset),), "classes": tuple(sorted(subset))}[
            metric.takes
        ]
        name = metric_name(metric.slug, codes, label_set)
        assert named_metric(name, label_set).metric is metric
        assert named_metric(name, label_set).codes == codes
        for prevalence in ("observed", "balanced", "few-2"):
            key = ScoreKey(name, prevalence)
            assert parse_score_key(str(key), label_set) == key


@given(label_set=hostile_label_sets)
def test_different_classes_have_different_names(label_set):
    """No two subsets of a label set are written alike."""
    subsets = [
        [code for code in range(len(label_set)) if mask >> code & 1]
        for mask in range(1, 2 ** len(label_set))
    ]
    names = {metric_name("averaged_f1", subset, label_set) for subset in subsets}
    assert len(names) == len(subsets)


@pytest.mark.parametrize(
    ("typed", "label"),
    [("a,b", "a,b"), ('say "a"', 'say "a"'), ('"a', '"a'), ("a\nb", "a\nb"), (" a ", "a")],
)
def test_a_label_may_be_typed_as_it_stands_where_nothing_else_is_meant(typed, label):
    """Quotes are needed only where the commas could also separate labels."""
    assert named_metric(f"recall[{typed}]", LabelSet(("x", label))).codes == (1,)


def test_a_label_longer_than_any_table_cell_is_only_long():
    """The csv module refuses cells beyond 131,072 characters; a label set need not."""
    label = "x" * 200_000
    assert named_metric(f"recall[{label}]", LabelSet(("a", label))).codes == (1,)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kappa", "Cohen’s kappa"),
        ("averaged_f1~", "macro-averaged F1 with balanced classes"),
        ("averaged_f1[positive,negative]", "macro-averaged F1 over “negative” and “positive”"),
        ("recall[neutral]~", "recall of “neutral” with balanced classes"),
        ("mcc@few-2", "MCC at the class distribution “few-2”"),
    ],
)
def test_a_score_has_a_name_inside_a_sentence(name, words):
    """Metric, classes and prevalence, in this order."""
    assert phrase(parse_score_key(name, LABELS), LABELS) == words


@pytest.mark.parametrize(
    "slug", [metric.slug for metric in METRICS.values() if metric.takes == "classes"]
)
def test_named_over_all_classes_is_the_plain_metric(slug):
    """Brackets with every class change nothing."""
    confusion = np.array([[5, 2, 1, 1], [0, 3, 4, 0], [2, 0, 6, 1]])
    keys = [ScoreKey(slug), ScoreKey(f"{slug}[negative,neutral,positive]")]
    plain, named = score(confusion, keys, [OBSERVED], LABELS)
    assert plain == named


def test_the_registry_names_every_metric_once():
    """Slugs, labels and phrases are different; ten aggregates and three class metrics stand in every evaluation."""
    assert (len(AGGREGATES), len(CLASS_METRICS)) == (10, 3)
    assert {*AGGREGATES, *CLASS_METRICS} == set(STANDARD)
    assert set(VOTERS) | set(TRIGGERS) <= set(STANDARD)
    for name in ("slug", "label", "phrase", "formula", "explanation"):
        assert len({getattr(metric, name) for metric in METRICS.values()}) == len(METRICS)
    of_answered = {
        "coverage",
        "answered_accuracy",
        "answered_averaged_f1",
        "answered_f1_of_averages",
    }
    for metric in METRICS.values():  # Opitz 2024 knows no unanswered items
        assert (metric.properties is None) == (
            metric.takes == "class" or metric.slug in of_answered
        )


@pytest.mark.parametrize(
    "name", ["averaged_f3", "f1.5[neutral]", "macro_recall_p-0.25", "averaged_f0.01"]
)
def test_a_family_has_a_metric_for_any_number(name):
    """It is made once, by the number as it is written, and is in no list of metrics."""
    metric = named_metric(name, LABELS).metric
    assert metric is named_metric(name, LABELS).metric
    assert metric.slug == name.partition("[")[0]
    assert metric.slug not in list(METRICS)
    assert str(parse_score_key(f"{name}~", LABELS)) == f"{name}~"


def test_the_errors_are_usage_errors():
    """A wrong name is wrong usage: exit code 2."""
    assert issubclass(MetricNameError, UsageError)
    assert str(ScoreKey("kappa", BALANCED.name)) == "kappa~"
