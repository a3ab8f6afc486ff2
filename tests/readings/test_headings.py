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
            for heading in ("macro F1", "Macro-F1", "F1 (macro)", "F1_macro", "MACRO F-score", "Avg. F1")
        ),
        *(
            (heading, BOTH)
            for heading in ("macro-averaged F-score", "mean F1", "macroF1", "F-1 macro", "\uff4dacro F1")
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
        *((heading, {"macro_recall"}) for heading in ("AvgRec", "macro recall", "UAR", "Balanced accuracy", "avg. R")),
        *((heading, {"macro_recall", "recall"}) for heading in ("Recall", "R", "Rec.", "sensitivity")),
        *((heading, {"macro_precision", "precision"}) for heading in ("Precision", "P", "prec")),
        *((heading, {"macro_precision"}) for heading in ("macro-P", "Macro Precision", "avg precision")),
        ("MCC", {"mcc"}),
        ("Cohen’s κ", {"kappa"}),
        ("Matthews correlation coefficient", {"mcc"}),
        *((heading, set()) for heading in ("rank", "score", "", "MAP", "BLEU", "ρ", "P/R")),
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
        ("precision of neutral", "precision", (1,)),
    ],
)
def test_a_heading_can_name_a_class(heading, metric, codes):
    """In any case and place, invisible characters left out."""
    found = read_heading(heading, LABELS)
    assert (found.slugs, found.codes) == ({metric}, codes)


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
