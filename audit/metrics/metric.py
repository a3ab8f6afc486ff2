"""What a metric declares: its names, its kernel and gradient, and which part it takes in an evaluation."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal

import numpy as np

from audit.domain import Scale
from audit.domain.arrays import Counts, Floats
from audit.metrics.confusion import Margins
from audit.metrics.gradients import Gradient

Proportion = Callable[[Margins], tuple[Counts, Counts]]
"""Margins of a stack → two counts, the first of which is part of the second."""


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
    class_sensitive: Holds  # PII: an item of one class can count differently from an item of another
    decomposable: Holds  # PIII: the score is a mean over classes of scores of each class alone
    prevalence_invariant: Holds  # PIV: scaling the gold rows changes nothing
    chance_corrected: Holds  # PV: a chance classifier's score has a bound that is known from the number of classes


def properties_of(marks: str) -> Properties:
    """Properties from their five marks, in the order of the table."""
    return Properties(*(Holds(mark) for mark in marks))


@dataclass(frozen=True)
class Metric:
    """One metric.

    Parameters
    ----------
    slug : str
        The one public name of the metric.
    label : str
        The name in a report.
    phrase : str
        The name inside a sentence.
    short : str
        The name at the head of a narrow column.
    formula : str
        What is computed, as LaTeX.
    explanation : str
        What it says, in a sentence.
    lower, upper : float
        The range.
    baseline : str
        The score of a chance classifier.
    source : str
        The place where the definition comes from.
    kernel : callable
        Confusions of a stack → scores, shape (...), or (..., C) for a class-wise metric. What it is given are their
        margins, and the cells themselves in ``confusion`` if it is declared to be over them.
    gradient : callable
        Margins, or confusions, of a stack → the score's derivatives in the margins, or in the cells.
    over : {"margins", "confusions", "item scores", "ranks"}
        What kernel and gradient look at. One over confusions costs as much memory as they do; it is of whole
        submissions, not class-wise. One over item scores has no value of a confusion, and no slope in one; one over
        ranks is of all teams together.
    greater_is_better : bool
        Whether the upper end of the range is the best one; otherwise the lower end is.
    properties : Properties, optional
        None where they are not known, and for class-wise metrics, which the table does not list. What shows that one is
        lacking is searched for among margins, so not for a metric over confusions.
    printed : tuple of (property, Holds)
        The marks that the table prints otherwise than found here. They stand beside ours.
    takes : {"nothing", "classes", "class"}
        Whether the name may or must be followed by labels in brackets.
    terms : {"", "recalls", "product of recalls", "precisions"}
        What it averages over classes, on which it depends where its interval holds; nothing where it has no terms. A
        class-wise metric: whether it is a share of the class's gold items, or of the answers that are this class.
    calibrated_terms : {"recalls", "precisions"}
        The same at any other prevalence than the observed, for a metric that averages nothing there: with all classes
        of equal mass accuracy is macro recall.
    mean_of : str
        The slug of the class-wise metric whose plain mean over classes it is; nothing where it is none.
    weighted_mean_of : str
        Likewise, of the mean in which each class has the weight of its gold items.
    harmonic_mean_of : tuple of str
        The slugs of the metrics whose harmonic mean it is; nothing where it is none.
    by_largest_class : bool
        Whether its chance level is what always answering with the largest class scores.
    divides_by_answers : bool
        Whether it divides by how often a class is predicted, so that few such answers move it far.
    averages_f : bool
        Whether its class scores are F scores, of which scorers leave different ones undefined.
    sums : bool
        Whether it adds up the items of its classes before it divides, so that it averages no class scores.
    averages : bool
        Whether it averages or sums over the classes of the averaging set, so that a rest class joins it not; otherwise
        it is of all items alike. A class-wise metric does neither.
    needs_every_class : bool
        Whether it is undefined where a class in gold has lost all of its items. Where not, it is a score of all items
        alike, or of one class.
    standard : bool
        Whether every evaluation has it, in every table; otherwise one has it that is ranked by it or asked for it.
    votes : bool
        Whether it votes where rules make one ranking of several metrics, unless other voters are chosen.
    triggers : bool
        Whether findings compare the winner by it with the winners by other metrics.
    moves_with_classes : bool
        Whether it depends on how many items there are of each class, as long as a team does as well on each; where not,
        it is the same at every prevalence and stands at the observed one alone, unless every evaluation has it at each
        or another is asked for.
    moves_with_two : bool
        Whether it does so with two classes in gold, too; of them the rate of false alarms is a share of one class.
    abstention : {"", "counts", "left out"}
        Whether an item that a team leaves unanswered is more than a wrong answer: it counts in its own way, or the
        score is of the answered items alone.
    with_abstained : str
        Of a score of the answered items the slug of the same metric of all items, where the others count as wrong.
    proportion : callable, optional
        Margins of a stack → the two counts whose ratio it is, where it is a proportion of items as they are.
    from_proportion : callable
        That ratio → the score; the ratio itself unless said.
    """

    slug: str
    label: str
    phrase: str
    short: str
    formula: str
    explanation: str
    lower: float
    upper: float
    baseline: str
    source: str
    kernel: Callable[[Margins], Floats]
    gradient: Callable[[Margins], Gradient]
    over: Literal["margins", "confusions", "item scores", "ranks"] = "margins"
    greater_is_better: bool = True
    properties: Properties | None = None
    printed: tuple[tuple[str, Holds], ...] = ()
    takes: Literal["nothing", "classes", "class"] = "nothing"
    terms: Literal["", "recalls", "product of recalls", "precisions"] = ""
    calibrated_terms: Literal["recalls", "precisions"] = "recalls"
    mean_of: str = ""
    weighted_mean_of: str = ""
    harmonic_mean_of: tuple[str, ...] = ()
    by_largest_class: bool = False
    divides_by_answers: bool = False
    averages_f: bool = False
    sums: bool = False
    averages: bool = True
    needs_every_class: bool = True
    standard: bool = True
    votes: bool = True
    triggers: bool = True
    moves_with_classes: bool = True
    moves_with_two: bool = True
    abstention: Literal["", "counts", "left out"] = ""
    with_abstained: str = ""
    proportion: Proportion | None = None
    from_proportion: Callable[[Floats], Floats] = np.asarray

    def mark(self, property_: str) -> str:
        """Whether it has a property, beside what the table prints where that differs.

        Examples
        --------
        >>> from audit.metrics import METRICS
        >>> METRICS["kappa"].mark("monotonic"), METRICS["kappa"].mark("decomposable")
        ('✗', '~ (printed: ✗)')
        """
        ours: Holds = getattr(self.properties, property_)
        return "".join([ours.value, *(f" (printed: {mark.value})" for name, mark in self.printed if name == property_)])

    @property
    def forms(self) -> tuple[str, ...]:
        """How a score by it is named: alone, or with labels in brackets.

        Examples
        --------
        >>> from audit.metrics import METRICS
        >>> METRICS["recall"].forms, METRICS["averaged_f1"].forms
        (('recall[LABEL]',), ('averaged_f1', 'averaged_f1[LABEL,LABEL]'))
        """
        of_classes = {"nothing": (), "classes": (f"{self.slug}[LABEL,LABEL]",), "class": (f"{self.slug}[LABEL]",)}
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
        """Whether the metric is of scores of single items, or a mean with one of them."""
        return self.over == "item scores"

    @property
    def of_ranks(self) -> bool:
        """Whether the metric is a mean of ranks, so that it is of all teams together and no item adds to it."""
        return self.over == "ranks"

    @property
    def scale(self) -> Scale:
        """The range of the metric, and which end of it is best."""
        return Scale(self.lower, self.upper, self.greater_is_better)
