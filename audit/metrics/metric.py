"""What a metric declares: its names, its kernel and gradient, and which part it takes in an evaluation."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import numpy as np

from audit.domain import Feature, LabelSet, Needs, Scale
from audit.domain.arrays import Bools, Counts, Floats
from audit.metrics import gradients, kernels
from audit.metrics.confusion import Margins
from audit.metrics.gradients import Gradient
from audit.metrics.kernels import ClassScore, Quotient

# two counts, the first of which is part of the second
Proportion = Callable[[Margins], tuple[Counts, Counts]]
Names = tuple[str, str, str, str]  # a metric's slug, label, phrase and short name
OF_LABELS: Needs = frozenset({Feature.CLASSES})  # what a metric needs that counts no true negatives


class Holds(Enum):
    """Whether a metric has a property of Opitz 2024, section 3, as found here; table 5 prints one mark otherwise."""

    YES = "✓"
    CALIBRATED = "~"
    NO = "✗"

    @property
    def words(self) -> str:
        """The mark in words."""
        return {"✓": "yes", "~": "after calibration", "✗": "no"}[self.value]


@dataclass(frozen=True)
class Properties:
    """The five properties of Opitz 2024, section 3."""

    monotonic: Holds  # PI: a correct item never lowers the score, an error never raises it
    class_sensitive: Holds
    """PII: an item of one class can count differently from an item of another."""
    decomposable: Holds  # PIII: the score is a mean over classes of scores of each class alone
    prevalence_invariant: Holds  # PIV: scaling the gold rows changes nothing
    chance_corrected: Holds
    """PV: a chance classifier's score has a bound that is known from the number of classes."""


def properties_of(marks: str) -> Properties:
    """Properties from their five marks, in the order of the table."""
    return Properties(*(Holds(mark) for mark in marks))


@dataclass(frozen=True)
class Metric:
    """One metric, and all that the program does with it. Whoever declares one writes no other file."""

    slug: str  # its one public name
    label: str  # its name in a report
    phrase: str  # its name inside a sentence
    short: str  # its name at the head of a narrow column
    formula: str  # what is computed, as LaTeX
    explanation: str  # what it says, in a sentence
    baseline: str  # the score of a chance classifier
    source: str  # where the definition comes from
    kernel: Callable[[Margins], Floats]
    """A stack → scores, shape (...), or (..., C) for a class-wise metric."""
    gradient: Callable[[Margins], Gradient]  # a stack → derivatives in the margins, or in the cells
    lower: float = 0
    upper: float = 1
    # What kernel and gradient look at. One over confusions is of whole submissions, and costs as much memory as these
    # do. One over item scores has no value of a confusion; one over ranks is of all teams together.
    # One over units of sets looks at how many things of each unit are in both sets; one over numbers at a number that
    # each item has, and at gold's.
    over: Literal["margins", "confusions", "item scores", "units", "numbers", "ranks"] = "margins"
    # Of one over confusions its derivatives in the cells while gold's counts stay as they are, where these are known.
    in_answers: Callable[[Margins], Floats] | None = None
    greater_is_better: bool = True
    properties: Properties | None = None
    """None where they are not known, and for class-wise metrics."""
    printed: tuple[tuple[str, Holds], ...] = ()
    """The marks that the table prints otherwise than found here."""
    takes: Literal["nothing", "classes", "class"] = "nothing"
    """Whether labels may or must follow in brackets."""
    # What it averages over classes, on which it depends where its interval holds. A class-wise metric: whether it is a
    # share of the class's gold items, or of the answers that are this class.
    terms: Literal["", "recalls", "product of recalls", "precisions"] = ""
    # The same at other prevalences, for a metric that averages nothing: with even classes accuracy is macro recall.
    calibrated_terms: Literal["recalls", "precisions"] = "recalls"
    mean_of: str = ""  # the class-wise metric whose plain mean over classes it is
    weighted_mean_of: str = ""  # likewise, each class with the weight of its gold items
    harmonic_mean_of: tuple[str, ...] = ()  # the metrics whose harmonic mean it is
    by_largest_class: bool = False
    """Its chance level is what always answering with the largest class scores."""
    # By how often a class is predicted, so that few such answers move it far; what has precisions for terms does so.
    divides_by_answers: bool = False
    averages_f: bool = False
    """Its class scores are F scores, of which scorers leave different ones undefined."""
    sums: bool = False
    """It adds up the items of its classes before it divides, and averages no class scores."""
    averages: bool = True
    """Over the averaging set, which a rest class does not join; else it is of all items alike."""
    needs_every_class: bool = True
    """It is undefined where a class in gold has lost all of its items."""
    needs: Needs = frozenset({Feature.ANSWERS})
    """What a task must have; here true negatives, which sets have not."""
    of_scale: bool = False  # it needs labels on a scale, and evaluations of these have it
    standard: bool = True  # every evaluation has it; else one that is ranked by it or asked for it
    # Of a metric that every evaluation has, of whole submissions:
    votes: bool = True
    """Where rules make one ranking of several metrics, unless other voters are chosen."""
    triggers: bool = True  # findings compare the winner by it with the winners by other metrics
    # Whether it depends on how many items there are of each class, as long as a team does as well on each. Where not,
    # it is the same at every prevalence and stands at the observed one alone.
    moves_with_classes: bool = True
    moves_with_two: bool = True  # it does so with two classes in gold, too
    is_heavy_tailed: bool = False
    """Few items can carry its differences, which Student's distribution then judges."""
    abstention: Literal["", "counts", "left out"] = ""
    """An unanswered item is more than a wrong answer."""
    with_abstained: str = ""  # of a score of the answered items: the same metric of all items
    proportion: Proportion | None = None  # margins → the two counts whose ratio it is
    from_proportion: Callable[[Floats], Floats] = np.asarray  # that ratio → the score

    def sums_over_units(self, label_set: LabelSet) -> bool:
        """Whether it adds up what sets have of every label, also of those that gold lacks."""
        return self.sums and label_set.supports(Feature.UNITS)

    def mark(self, property_: str) -> str:
        """Whether it has a property, beside what the table prints where that differs."""
        ours: Holds = getattr(self.properties, property_)
        return "".join(
            [
                ours.value,
                *(f" (printed: {mark.value})" for name, mark in self.printed if name == property_),
            ]
        )

    @property
    def forms(self) -> tuple[str, ...]:
        """How a score by it is named: alone, or with labels in brackets."""
        of_classes = {
            "nothing": (),
            "classes": (f"{self.slug}[LABEL,LABEL]",),
            "class": (f"{self.slug}[LABEL]",),
        }
        return (*([self.slug] if self.takes != "class" else []), *of_classes[self.takes])

    @property
    def is_share_of_gold(self) -> bool:
        """Whether the metric is a share of one class's gold items, of which one constant answer gets all."""
        return self.takes == "class" and self.terms == "recalls"

    @property
    def of_labels(self) -> bool:
        """Whether a confusion has a value of it: it is of the labels that teams answer, and of nothing else."""
        return self.over in {"margins", "confusions"}

    @property
    def of_item_scores(self) -> bool:
        """Whether the metric is of scores of single items or units, or a mean with one of them."""
        return self.over in {"item scores", "units", "numbers"}

    @property
    def of_ranks(self) -> bool:
        """Whether the metric is a mean of ranks, so that it is of all teams together and no item adds to it."""
        return self.over == "ranks"

    @property
    def scale(self) -> Scale:
        """The range of the metric, and which end of it is best."""
        return Scale(self.lower, self.upper, self.greater_is_better)


def of_one_class(score: ClassScore, names: Names, **declared: Any) -> Metric:  # noqa: ANN401 - fields
    """A class score on its own as a metric: its names, and what else it declares."""
    kernel = kernels.own(score)
    gradient = gradients.own(score)
    return Metric(
        *names, kernel=kernel, gradient=gradient, takes="class", needs_every_class=False, **declared
    )


def mean_over_classes(score: ClassScore, names: Names, **declared: Any) -> Metric:  # noqa: ANN401 - fields
    """The mean of a class score over classes as a metric."""
    kernel = kernels.mean_of(score)
    gradient = gradients.mean_of(score)
    return Metric(
        *names, kernel=kernel, gradient=gradient, takes="classes", mean_of=score.slug, **declared
    )


def weighted_mean(score: Quotient, names: Names, **declared: Any) -> Metric:  # noqa: ANN401 - fields
    """The mean of a class score over classes, each weighted by its share of gold, as a metric."""
    kernel = kernels.weighted(score)
    gradient = gradients.weighted(score)
    of = score.slug
    return Metric(
        *names,
        kernel=kernel,
        gradient=gradient,
        weighted_mean_of=of,
        needs_every_class=False,
        **declared,
    )


def chance_bound(metric: Metric, classes: Bools) -> float:
    """The best that chance may score: 0, 1/k or its mirror image; on a scale what the best label scores."""
    if metric.of_scale and metric.lower == 0:
        always = np.eye(classes.size, classes.size + 1)[:, None] * classes[:, None]
        return float(
            metric.scale.goodness(metric.scale.goodness(metric.kernel(Margins.of(always))).max())
        )
    return metric.scale.goodness(0.0 if metric.lower < 0 else 1 / classes.sum())
