"""The metrics that an evaluation has where they are official or asked for, and families of them by a number."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from audit.metrics import gradients, kernels
from audit.metrics.confusion import over_classes
from audit.metrics.gradients import slopes_of_answered
from audit.metrics.kernels import (
    F1,
    INFORMEDNESS,
    JACCARD,
    PRECISION,
    RECALL,
    SPECIFICITY,
    Quotient,
    f_beta,
    of_answered,
)
from audit.metrics.metric import (
    OF_LABELS,
    Metric,
    Names,
    mean_over_classes,
    of_one_class,
    properties_of,
    weighted_mean,
)

_JACCARD = (
    r"\frac{\mathrm{correct}_i}{\mathrm{prevalence}_i + \mathrm{bias}_i - \mathrm{correct}_i}"
)
_ANSWERED = (
    "A team that answers only what it is sure of scores high, so coverage belongs beside it; undefined for a "
    "team that answers nothing."
)
_SAME_CLASSES = "A class of which a team answers no item adds 0, as the same classes are averaged for every team."
_SPECIFICITY = (
    r"\left( 1 - \frac{\mathrm{bias}_i - \mathrm{correct}_i}{|S| - \mathrm{prevalence}_i} \right)"
)


def _averaged_f(text: str) -> Metric:
    return mean_over_classes(
        f_beta(float(text)),
        (f"averaged_f{text}", f"Macro F{text}", f"macro-averaged F{text}", f"F{text}"),
        formula=rf"\frac{{1}}{{k}} \sum_{{i}} {_f_formula(text)}",
        explanation=f"The mean of the class F{text}s, in which recall counts {text} times as much as precision.",
        baseline="≤ 1/k",
        source="van Rijsbergen 1979, chapter 7",
        properties=properties_of("✓✓✓~✓"),
        terms="precisions",
        averages_f=True,
    )


def _class_f(text: str) -> Metric:
    return of_one_class(
        f_beta(float(text)),
        (f"f{text}", f"F{text}", f"F{text}", f"F{text}"),
        formula=rf"F{text}_i = {_f_formula(text)}",
        explanation=f"A class’s precision and recall in one score, recall counting {text} times as much as precision. "
        "Undefined for a class that gold lacks.",
        baseline="depends on prevalence",
        source="van Rijsbergen 1979, chapter 7",
        divides_by_answers=True,
        averages_f=True,
    )


def _f_formula(beta: str) -> str:
    return (
        rf"\frac{{(1 + {beta}^2)\, \mathrm{{correct}}_i}}"
        rf"{{{beta}^2\, \mathrm{{prevalence}}_i + \mathrm{{bias}}_i}}"
    )


def _power_macro_recall(text: str) -> Metric:
    exponent = float(text)
    return Metric(
        *(
            f"macro_recall_p{text}",
            f"Macro recall, p = {text}",
            f"macro recall with exponent {text}",
            f"MacR^{text}",
        ),
        formula=rf"\left( \frac{{1}}{{k}} \sum_{{i}} R_i^p \right)^{{1/p}}, \quad p = {text}",
        explanation=f"The generalised mean of the class recalls with exponent {text}: the lower the exponent, the more "
        "the worst class counts.",
        baseline="≤ 1/k" if exponent < 1 else "≥ 1/k",
        source="Opitz 2024, section 5.1, equation 4",
        kernel=kernels.power_macro_recall(exponent),
        gradient=gradients.power_macro_recall(exponent),
        properties=properties_of("✓✓✓✓✓" if exponent < 1 else "✓✓✓✓✗"),
        terms="product of recalls" if exponent < 1 else "recalls",
        moves_with_classes=False,
    )


def _sum_over_classes(score: Quotient, names: Names, **declared: Any) -> Metric:  # noqa: ANN401 - fields
    """A class score of all items of the classes together."""
    return Metric(
        *names,
        baseline="depends on prevalence",
        source="Sokolova & Lapalme 2009, table 3",
        kernel=kernels.sum_of(score),
        gradient=gradients.sum_of(score),
        properties=properties_of("✓~~~~"),
        takes="classes",
        sums=True,
        needs=OF_LABELS,
        **declared,
    )


@dataclass(frozen=True, eq=False)
class MetricFamily:
    """Metrics that differ in a number, which stands behind their common stem."""

    stem: str  # what their slugs begin with
    make: Callable[[str], Metric]  # the number, as it stands in the slug → the metric
    symbol: str  # how the number and the classes are written where the family is named
    brackets: str
    lower: float  # which numbers there are
    upper: float
    special: Mapping[float, str]  # numbers whose metrics have names of their own

    def number(self, slug: str) -> float | None:
        """The number in a slug of this family, be it one that it has or not; None in any other slug."""
        text = slug.removeprefix(self.stem)
        if text != slug and _NUMBER.fullmatch(text):
            return float(text)
        return None

    def special_name(self, slug: str) -> str | None:
        """The metric that has a name of its own and would have this slug here; None for any other slug."""
        number = self.number(slug)
        if number is None:
            return None
        return self.special.get(number)

    def metric(self, slug: str) -> Metric | None:
        """The metric of this slug; None where the family has none, or writes its number in another way."""
        number = self.number(slug)
        if number is None or number in self.special or not self.lower <= number <= self.upper:
            return None
        text = f"{number:g}"
        if slug == self.stem + text:
            return replace(self.make(text), standard=False)
        return None


_NUMBER = re.compile(r"-?\d{1,3}(\.\d{1,3})?")

FAMILIES = (
    MetricFamily("averaged_f", _averaged_f, "β", "", 0.01, 100, {1.0: "averaged_f1"}),
    MetricFamily("f", _class_f, "β", "[label]", 0.01, 100, {1.0: "f1"}),
    MetricFamily(
        "macro_recall_p",
        _power_macro_recall,
        "p",
        "",
        -100,
        100,
        {1.0: "macro_recall", 0.0: "geometric_macro_recall", -1.0: "harmonic_macro_recall"},
    ),
)
"""The metrics that have a number in their names: any β, any exponent."""


@cache
def of_families(slug: str) -> Metric | None:
    """The metric of a family by its slug; None where no family has one of this name."""
    return next(filter(None, (family.metric(slug) for family in FAMILIES)), None)


_FURTHER = (
    Metric(
        *("c_at_1", "c@1", "c@1", "c@1"),
        formula=r"\frac{1}{|S|} \left( n_c + n_u \frac{n_c}{|S|} \right), \quad n_c = \sum_{i} \mathrm{correct}_i",
        explanation="Accuracy where leaving an item unanswered is better than answering it wrong: each of the n_u "
        "unanswered items counts as right as often as all items are. With every item answered it is accuracy.",
        baseline="depends on prevalence",
        source="Peñas & Rodrigo 2011",
        kernel=kernels.c_at_1,
        gradient=gradients.c_at_1,
        properties=properties_of("✓~~~~"),
        averages=False,
        needs_every_class=False,
        abstention="counts",
    ),
    Metric(
        *("coverage", "Coverage", "coverage", "Cov"),
        formula=r"\frac{|S| - n_u}{|S|}",
        explanation="The share of the items that a team answers, n_u being those that it leaves unanswered. It stands "
        "beside every score of the answered items, and says nothing of how good the answers are.",
        baseline="1 where every item is answered",
        source="El-Yaniv & Wiener 2010, section 2",
        kernel=kernels.coverage,
        gradient=gradients.coverage,
        averages=False,
        needs_every_class=False,
        abstention="counts",
        proportion=lambda margins: (margins.total - margins.unanswered, margins.total),
    ),
    Metric(
        *(
            "answered_accuracy",
            "Accuracy of the answered items",
            "accuracy of the answered items",
            "Acc·a",
        ),
        formula=r"\frac{\sum_{i} \mathrm{correct}_i}{|S| - n_u}",
        explanation=f"The share of the answered items that are right. {_ANSWERED}",
        baseline="depends on prevalence",
        source="El-Yaniv & Wiener 2010, section 2: 1 less the selective risk",
        kernel=kernels.answered_accuracy,
        gradient=gradients.answered_accuracy,
        averages=False,
        needs_every_class=False,
        abstention="left out",
        with_abstained="accuracy",
        proportion=lambda margins: (
            over_classes(margins.correct),
            margins.total - margins.unanswered,
        ),
    ),
    Metric(
        *(
            "answered_averaged_f1",
            "Macro F1 of the answered items",
            "macro-averaged F1 of the answered items",
            "F1·a",
        ),
        formula=r"\frac{1}{k} \sum_{i} \frac{2\, \mathrm{correct}_i}{\mathrm{answered}_i + \mathrm{bias}_i}",
        explanation="Macro-averaged F1 without the items that a team leaves unanswered; answered_i are the answered "
        f"gold items of a class. {_ANSWERED} {_SAME_CLASSES}",
        baseline="≤ 1/k",
        source="Opitz & Burst 2019, of the answered items; El-Yaniv & Wiener 2010",
        kernel=of_answered(kernels.mean_of(F1)),
        gradient=slopes_of_answered(gradients.mean_of(F1)),
        over="confusions",
        takes="classes",
        terms="precisions",
        averages_f=True,
        abstention="left out",
        with_abstained="averaged_f1",
    ),
    Metric(
        *(
            "answered_f1_of_averages",
            "F1 of averages of the answered items",
            "F1 of averages of the answered items",
            "F1′·a",
        ),
        formula=r"\frac{2\, \bar{P}\, \bar{R}}{\bar{P} + \bar{R}}, \quad \bar{R} = \frac{1}{k} \sum_{i} "
        r"\frac{\mathrm{correct}_i}{\mathrm{answered}_i}",
        explanation="F1 of averages without the items that a team leaves unanswered, which changes the recalls alone. "
        f"{_ANSWERED} {_SAME_CLASSES}",
        baseline="1/k, strict where every class is predicted",
        source="Opitz & Burst 2019, of the answered items; El-Yaniv & Wiener 2010",
        kernel=of_answered(kernels.f1_of_averages),
        gradient=slopes_of_answered(gradients.f1_of_averages),
        over="confusions",
        takes="classes",
        terms="precisions",
        abstention="left out",
        with_abstained="f1_of_averages",
    ),
    *map(_averaged_f, ("0.5", "2")),
    mean_over_classes(
        JACCARD,
        ("macro_jaccard", "Macro Jaccard", "macro Jaccard", "MacJ"),
        formula=rf"\frac{{1}}{{k}} \sum_{{i}} {_JACCARD}",
        explanation="The mean of the class Jaccard indices, also called mean intersection over union (mIoU).",
        baseline="< 1/k",
        source="Jaccard 1912",
        properties=properties_of("✓✓✓~✓"),
        terms="precisions",
    ),
    weighted_mean(
        PRECISION,
        ("weighted_precision", "Weighted precision", "weighted precision", "wP"),
        formula=r"\frac{1}{|S|} \sum_{i} \mathrm{prevalence}_i \, P_i",
        explanation="The mean of the class precisions, each weighted by its share of gold. Weighted recall is micro "
        "recall, which is accuracy where every class is averaged.",
        baseline="depends on prevalence",
        source="as scikit-learn's average='weighted' has it",
        properties=properties_of("✗✓~~~"),
        terms="precisions",
    ),
    weighted_mean(
        JACCARD,
        ("weighted_jaccard", "Weighted Jaccard", "weighted Jaccard", "wJac"),
        formula=rf"\frac{{1}}{{|S|}} \sum_{{i}} \mathrm{{prevalence}}_i \, {_JACCARD}",
        explanation="The mean of the class Jaccard indices, each weighted by its share of gold.",
        baseline="depends on prevalence",
        source="Jaccard 1912; as scikit-learn's average='weighted' has it",
        properties=properties_of("✗✓~~~"),
        terms="precisions",
    ),
    mean_over_classes(
        SPECIFICITY,
        ("macro_specificity", "Macro specificity", "macro specificity", "MacSp"),
        formula=rf"\frac{{1}}{{k}} \sum_{{i}} {_SPECIFICITY}",
        explanation="The mean of the class specificities. An unanswered item is a false answer for no class.",
        baseline="1 − 1/k, strict",
        source="Yerushalmy 1947",
        properties=properties_of("✗✓~~✗"),
        moves_with_two=False,
    ),
    mean_over_classes(
        INFORMEDNESS,
        ("macro_informedness", "Macro informedness", "macro informedness", "MacBM"),
        formula=rf"\frac{{1}}{{k}} \sum_{{i}} \left( R_i + {_SPECIFICITY} - 1 \right)",
        explanation="The mean of the class informednesses: macro recall and macro specificity less 1. With two classes "
        "and every item answered it is scikit-learn’s balanced_accuracy_score(adjusted=True).",
        lower=-1,
        baseline="0, complete",
        source="Youden 1950; Powers 2011",
        properties=properties_of("✗✓~~✓"),
        terms="recalls",
        moves_with_two=False,
    ),
    _sum_over_classes(
        PRECISION,
        ("micro_precision", "Micro precision", "micro precision", "MicP"),
        formula=r"\frac{\sum_{i} \mathrm{correct}_i}{\sum_{i} \mathrm{bias}_i}",
        explanation="The share of the items predicted as any of the classes that are predicted right; 0 where none is. "
        "Made for some of the classes, and for sets: where each item has one label, and all count, it is accuracy.",
        calibrated_terms="precisions",
        divides_by_answers=True,
    ),
    _sum_over_classes(
        RECALL,
        ("micro_recall", "Micro recall", "micro recall", "MicR"),
        formula=r"\frac{\sum_{i} \mathrm{correct}_i}{\sum_{i} \mathrm{prevalence}_i}",
        explanation="The share of the gold items of the classes that are predicted right, which is also their recalls "
        "weighted by prevalence (scikit-learn’s average='weighted'). Where each item has one label, and all count, it "
        "is accuracy.",
    ),
    _sum_over_classes(
        F1,
        ("micro_f1", "Micro F1", "micro F1", "MicF1"),
        formula=r"\frac{2 \sum_{i} \mathrm{correct}_i}{\sum_{i} (\mathrm{bias}_i + \mathrm{prevalence}_i)}",
        explanation="The F1 of micro precision and micro recall, as entity recognition takes it, and relation "
        "extraction without the rest class. Where each item has one label, and all count, it is accuracy.",
        calibrated_terms="precisions",
        divides_by_answers=True,
    ),
    *map(_power_macro_recall, ("2", "0.5", "-2")),
    *map(_class_f, ("0.5", "2")),
    of_one_class(
        JACCARD,
        ("jaccard", "Jaccard", "Jaccard index", "J"),
        formula=rf"J_i = {_JACCARD}",
        explanation="Of the items that are of a class or predicted as it, the share that are both. Undefined for a "
        "class that gold lacks.",
        baseline="depends on prevalence",
        source="Jaccard 1912",
        proportion=JACCARD.counts,
    ),
    of_one_class(
        SPECIFICITY,
        ("specificity", "Specificity", "specificity", "Sp"),
        formula=_SPECIFICITY,
        explanation="The share of the items of all other classes that are not predicted as a class: the recall of “not "
        "this class”. Undefined for a class that gold lacks.",
        baseline="1 − the share of answers that are the class",
        source="Yerushalmy 1947",
        proportion=SPECIFICITY.counts,
        moves_with_two=False,
    ),
    of_one_class(
        INFORMEDNESS,
        ("informedness", "Informedness", "informedness", "BM"),
        formula=rf"R_i + {_SPECIFICITY} - 1",
        explanation="A class’s recall and specificity less 1, also called Youden’s J or bookmaker informedness: how "
        "far its answers are from chance. Undefined for a class that gold lacks.",
        lower=-1,
        baseline="0, complete",
        source="Youden 1950; Powers 2011",
        moves_with_two=False,
    ),
)

FURTHER = tuple(replace(metric, standard=False) for metric in _FURTHER)  # those that are listed
