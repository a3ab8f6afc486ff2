"""Headings of published columns: what they can mean, and what they cannot."""

import pytest

from audit.domain import LabelSet
from audit.metrics import parse_reading
from audit.readings.headings import read_heading

LABELS = LabelSet(("negative", "neutral", "positive", "3"))
BOTH = {"averaged_f1", "f1_of_averages"}
ANY_F1 = {*BOTH, "f1", "weighted_f1"}


@pytest.mark.parametrize(
    ("heading", "slugs"),
    [
        *(
            (heading, BOTH)
            for heading in (
                "macro F1",
                "Macro-F1",
                "F1 (macro)",
                "F1_macro",
                "MACRO F-score",
                "Avg. F1",
            )
        ),
        *(
            (heading, BOTH)
            for heading in (
                "macro-averaged F-score",
                "mean F1",
                "macroF1",
                "F-1 macro",
                "\uff4dacro F1",
            )
        ),
        *((heading, ANY_F1) for heading in ("F1", "F-score", "F", "F1 score", "f-measure")),
        *((heading, {"weighted_f1"}) for heading in ("weighted F1", "F1 (weighted)", "weightedF1")),
        *((heading, {"accuracy"}) for heading in ("Accuracy", "acc.")),
        *((heading, {"accuracy", "micro_f1"}) for heading in ("micro F1", "Micro-F1", "F1 micro")),
        *((heading, {"accuracy", "micro_recall"}) for heading in ("weighted recall", "micro R")),
        *((heading, {"macro_jaccard", "jaccard"}) for heading in ("Jaccard", "IoU")),
        *((heading, {"averaged_f2", "f2"}) for heading in ("F2", "F2 score")),
        ("mIoU", {"macro_jaccard"}),
        ("macro specificity", {"macro_specificity"}),
        *(
            (heading, {"macro_recall"})
            for heading in ("AvgRec", "macro recall", "UAR", "Balanced accuracy", "avg. R")
        ),
        ("balanced accuracy (recall)", {"macro_recall"}),
        *(
            (heading, {"macro_recall", "recall"})
            for heading in ("Recall", "R", "Rec.", "sensitivity")
        ),
        *((heading, {"macro_precision", "precision"}) for heading in ("Precision", "P", "prec")),
        *(
            (heading, {"macro_precision"})
            for heading in ("macro-P", "Macro Precision", "AvgPrec", "macro-averaged precision")
        ),
        *(
            (heading, {"macro_precision", "average_precision"})
            for heading in ("average precision", "Avg. precision", "Average Precision Score")
        ),
        *((heading, {"average_precision"}) for heading in ("AP", "PR-AUC", "AUPRC", "AUC (PR)")),
        *(
            (heading, {"auc"})
            for heading in ("AUC", "ROC-AUC", "AUROC", "Area under the ROC curve", "AUC positive")
        ),
        *((heading, {"brier"}) for heading in ("Brier", "Brier score")),
        *((heading, {"c_at_1"}) for heading in ("c@1", "C@1 score")),
        *((heading, {"coverage"}) for heading in ("Coverage", "cov.", "% answered", "attempted")),
        *(
            (heading, {"answered_averaged_f1", "answered_f1_of_averages"})
            for heading in ("F1 (answered)", "answered macro-F1", "F1 of attempted")
        ),
        ("Accuracy (answered)", {"answered_accuracy"}),
        *(
            (heading, {"averaged_f0.5", "f0.5"})
            for heading in ("F0.5", "F 0.5", "F_0,5", "Fβ=0.5", "F-beta (β = 0.5)", "Fbeta(0.5)")
        ),
        *(
            (heading, {"averaged_f2"})
            for heading in ("macro F2", "F2 (macro)", "macro-averaged F_2")
        ),
        *((heading, {"averaged_f3", "f3"}) for heading in ("F3", "F-beta 3")),
        *(
            (heading, {"macro_informedness", "informedness"})
            for heading in ("Informedness", "Youden’s J")
        ),
        *((heading, {"macro_specificity", "specificity"}) for heading in ("Specificity", "TNR")),
        ("Jaccard index", {"macro_jaccard", "jaccard"}),
        ("MCC", {"mcc"}),
        ("Cohen’s κ", {"kappa"}),
        ("Matthews correlation coefficient", {"mcc"}),
        *(
            (heading, set())
            for heading in (
                "rank",
                "score",
                "",
                "MAP",
                "BLEU",
                "ρ",
                "P/R",
                "MRR",
                "AP positive",
                "F0",
                "f1,f2",
                "accuracy / recall",
            )
        ),
    ],
)
def test_a_heading_of_the_field_names_its_metrics(heading, slugs):
    """Macro F1 is two metrics; F1 alone is four; what is no metric is none."""
    assert read_heading(heading, LABELS).slugs == slugs


@pytest.mark.parametrize(
    ("heading", "metric", "codes"),
    [
        ("Recall (positive)", "recall", (2,)),
        ("F1_NEG­ative", "f1", (0,)),
        ("P 3", "precision", (3,)),
        ("F_3", "f1", (3,)),
        ("F0.5 positive", "f0.5", (2,)),
        ("Specificity (neutral)", "specificity", (1,)),
        ("precision of neutral", "precision", (1,)),
    ],
)
def test_a_heading_can_name_a_class(heading, metric, codes):
    """In any case and place, invisible characters left out."""
    found = read_heading(heading, LABELS)
    assert (found.slugs, found.codes) == ({metric}, codes)


GRADES = LabelSet(("0", "1", "2", "3"), scale=(0.0, 1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    ("heading", "slugs"),
    [
        *(
            (heading, {"ordinal_alpha"})
            for heading in ("alpha", "Krippendorff's alpha", "Krippendorff’s α", "α")
        ),
        *(
            (heading, {"linear_kappa"})
            for heading in ("linear kappa", "Kappa (linearly weighted)", "LWK")
        ),
        *(
            (heading, {"quadratic_kappa"})
            for heading in ("QWK", "Quadratic weighted kappa", "κ, quadratic")
        ),
        ("weighted kappa", {"linear_kappa", "quadratic_kappa"}),
        ("Cohen's kappa", {"kappa"}),
        *((heading, {"mae"}) for heading in ("MAE", "Mean absolute error")),
        *(
            (heading, {"macro_mae"})
            for heading in ("macro MAE", "macro-averaged mean absolute error", "MAE (macro)")
        ),
        *((heading, {"within_one"}) for heading in ("within one", "Adjacent accuracy")),
        ("CEM", {"cem"}),
        *((heading, {"tau_b"}) for heading in ("Kendall's tau", "τ", "Kendall correlation")),
        *(
            (heading, {"spearman_labels"})
            for heading in ("Spearman", "Spearman's rho", "ρ", "Spearman correlation")
        ),
        *((heading, {"accuracy"}) for heading in ("Accuracy", "accuracy linear")),
    ],
)
def test_where_labels_are_on_a_scale_headings_name_its_metrics(heading, slugs):
    """A weighted kappa has either weights, unless it says which."""
    assert read_heading(heading, GRADES).slugs == slugs


@pytest.mark.parametrize("heading", ["alpha", "QWK", "MAE", "tau", "Spearman", "kappa 0|123"])
def test_of_names_that_are_no_scale_they_name_none_of_them(heading):
    found = read_heading(heading, LABELS)
    assert (found.slugs - {"kappa"}, found.cut) == (set(), "")


@pytest.mark.parametrize(
    ("heading", "slugs"),
    [
        *(
            (heading, {"kappa"})
            for heading in ("kappa 0|123", "Kappa (0 | 123)", "0|123 κ", "κ: 0|123")
        ),
        ("macro F1 0|123", BOTH),
    ],
)
def test_a_heading_can_name_a_cut_of_the_scale(heading, slugs):
    """And allows the scores of that cut alone, not of another or of the whole scale."""
    found = read_heading(heading, GRADES)
    assert (found.text, found.slugs, found.cut) == (heading, slugs, "0|123")
    slug = min(slugs)
    allowed = [
        found.allows(parse_reading(f"{slug}{cut}", GRADES), GRADES)
        for cut in ("[0|123]", "[01|23]", "")
    ]
    assert allowed == [True, False, False]
    whole = read_heading("Cohen kappa", GRADES)
    assert [
        whole.allows(parse_reading(f"kappa{cut}", GRADES), GRADES) for cut in ("[0|123]", "")
    ] == [False, True]


def test_what_only_looks_like_a_cut_is_none():
    """Not all labels, or more than these."""
    assert {
        read_heading(text, GRADES).cut for text in ("kappa 0|12", "kappa 0|1234", "kappa 10|123")
    } == {""}


def test_labels_of_several_characters_are_cut_between_commas():
    words = LabelSet(("low", "middle", "high"), scale=(0.0, 1.0, 2.0))
    assert read_heading("Accuracy low, middle | high", words).cut == "low,middle|high"


def test_a_heading_in_this_programs_words_means_one_score():
    """With its classes, prevalence and choices; choices it leaves out stay open."""
    heading = read_heading("averaged_f1[negative,positive]~", LABELS)
    allowed = "averaged_f1[negative,positive]~", "averaged_f1(undefined=1)[negative,positive]~"
    refused = "averaged_f1[negative,positive]", "averaged_f1~", "f1_of_averages[negative,positive]~"
    assert all(heading.allows(parse_reading(text, LABELS), LABELS) for text in allowed)
    assert not any(heading.allows(parse_reading(text, LABELS), LABELS) for text in refused)


def test_a_heading_with_a_class_does_not_allow_all_others():
    """“F1 positive” is not the average over all but positive."""
    heading = read_heading("macro F1 positive", LABELS)
    assert heading.codes == (2,)
    assert not heading.allows(parse_reading("averaged_f1(all-but)[positive]", LABELS), LABELS)


def test_a_label_is_no_word_for_answered_items():
    """“F1 answered” is the F1 of the class that is called so."""
    heading = read_heading("F1 answered", LabelSet(("answered", "open")))
    assert (heading.slugs, heading.codes) == ({"f1"}, (0,))


@pytest.mark.parametrize(
    ("text", "is_mean_rank"),
    [
        *(
            (text, True)
            for text in ("Avg. rank", "Mean rank", "average ranking", "Overall (avg. rank)")
        ),
        *(
            (text, False)
            for text in (
                "Rank",
                "Mean",
                "mean reciprocal rank",
                "avg. rank correlation",
                "Rank AUC avg",
            )
        ),
    ],
)
def test_a_mean_of_ranks_is_no_mean_of_scores(text, is_mean_rank):
    """Nor is a rank, or what only has the word in it."""
    heading = read_heading(text, LABELS)
    assert heading.is_mean_rank == is_mean_rank
    assert not (heading.is_mean_rank and heading.is_overall)
