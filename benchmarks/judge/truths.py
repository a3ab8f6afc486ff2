"""Scores of a confusion, written a second time and plainly: what the judge holds the program's numbers against.

A confusion has a row for every gold class, a column for every predicted class, and a last column *unanswered*; entries
are counts or the expected shares of a population. Averages run over the classes that occur in gold, unless there is
none of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Floats

ROUNDING = 1e-12
GAP = "gap"
"""The name of Δ, F1 of averages minus macro-averaged F1."""


@dataclass(frozen=True, eq=False)
class Margins:
    """What the metrics need of a stack of confusions.

    Parameters
    ----------
    hits, gold, predicted : ndarray, shape (..., C)
        Items that are right, gold items, and predicted items of each class.
    unanswered, total : ndarray, shape (...)
        Items without an answer, and all items.
    """

    hits: Floats
    gold: Floats
    predicted: Floats
    unanswered: Floats
    total: Floats

    @classmethod
    def of(cls, confusions: Floats) -> "Margins":
        """The margins of confusions, shape (..., C, C + 1)."""
        answered = confusions[..., :-1]
        return cls(
            np.diagonal(answered, axis1=-2, axis2=-1),
            confusions.sum(axis=-1),
            answered.sum(axis=-2),
            confusions[..., -1].sum(axis=-1),
            confusions.sum(axis=(-2, -1)),
        )

    def mean(self, terms: Floats) -> Floats:
        """The mean of the classes' terms over the classes in gold."""
        present = self.gold > 0
        return np.asarray(np.where(present, terms, 0).sum(axis=-1) / present.sum(axis=-1))

    @property
    def recalls(self) -> Floats:
        """Recall of each class."""
        return quotient(self.hits, self.gold)

    @property
    def precisions(self) -> Floats:
        """Precision of each class; 0 for one that is never predicted."""
        return quotient(self.hits, self.predicted)

    @property
    def f1s(self) -> Floats:
        """F1 of each class."""
        return quotient(2 * self.hits, self.gold + self.predicted)

    @property
    def accuracy(self) -> Floats:
        """Share of items that are right."""
        return np.asarray(self.hits.sum(axis=-1) / self.total)

    @property
    def chance(self) -> Floats:
        """Share of items that would be right if answers did not depend on gold."""
        return np.asarray((self.gold * self.predicted).sum(axis=-1) / self.total**2)


def quotient(numerator: Floats, denominator: Floats) -> Floats:
    """Quotients, 0 where the denominator is."""
    return np.divide(
        numerator, denominator, out=np.zeros(np.shape(numerator)), where=denominator > 0
    )


def _geometric(margins: Margins) -> Floats:
    recalls = np.where(margins.gold > 0, margins.recalls, 1)
    none = (recalls == 0).any(axis=-1)
    return np.where(none, 0, np.exp(margins.mean(np.log(np.where(recalls == 0, 1, recalls)))))


def _harmonic(margins: Margins) -> Floats:
    recalls = np.where(margins.gold > 0, margins.recalls, 1)
    none = (recalls == 0).any(axis=-1)
    return np.where(none, 0, 1 / margins.mean(1 / np.where(recalls == 0, 1, recalls)))


def _f1_of_averages(margins: Margins) -> Floats:
    precision, recall = margins.mean(margins.precisions), margins.mean(margins.recalls)
    return quotient(2 * precision * recall, precision + recall)


def _weighted_f1(margins: Margins) -> Floats:
    return np.asarray((margins.gold * margins.f1s).sum(axis=-1) / margins.total)


def _kappa(margins: Margins) -> Floats:
    return (margins.accuracy - margins.chance) / (1 - margins.chance)


def _mcc(margins: Margins) -> Floats:
    """Gorodkin's; 0 where all answers are the same."""
    gold = 1 - ((margins.gold / margins.total[..., None]) ** 2).sum(axis=-1)
    answers = 1 - ((margins.predicted / margins.total[..., None]) ** 2).sum(axis=-1)
    answers = answers - (margins.unanswered / margins.total) ** 2
    spread = np.where(answers > ROUNDING, gold * answers, 0)
    return quotient(margins.accuracy - margins.chance, np.sqrt(spread))


AGGREGATES: dict[str, Callable[[Margins], Floats]] = {
    "accuracy": lambda margins: margins.accuracy,
    "macro_recall": lambda margins: margins.mean(margins.recalls),
    "geometric_macro_recall": _geometric,
    "harmonic_macro_recall": _harmonic,
    "macro_precision": lambda margins: margins.mean(margins.precisions),
    "averaged_f1": lambda margins: margins.mean(margins.f1s),
    "f1_of_averages": _f1_of_averages,
    "weighted_f1": _weighted_f1,
    "kappa": _kappa,
    "mcc": _mcc,
}
CLASS_SCORES: dict[str, Callable[[Margins], Floats]] = {
    "recall": lambda margins: margins.recalls,
    "precision": lambda margins: margins.precisions,
    "f1": lambda margins: margins.f1s,
}
FROM_MINUS_ONE = frozenset({"kappa", "mcc"})


def balanced(confusions: Floats) -> Floats:
    """Confusions in which every class that occurs has the same mass, and the total is as before."""
    gold = confusions.sum(axis=-1, keepdims=True)
    n_present = (gold > 0).sum(axis=-2, keepdims=True)
    total = gold.sum(axis=-2, keepdims=True)
    factors = np.divide(total / n_present, gold, out=np.zeros(gold.shape), where=gold > 0)
    return np.asarray(confusions * factors)


def score(confusions: Floats, names: Sequence[str], labels: Sequence[str]) -> Floats:
    """Scores by name, such as ``mcc``, ``mcc~`` (at balanced prevalence), ``f1[label]`` and ``gap``.

    Parameters
    ----------
    confusions : ndarray, shape (..., C, C + 1)
        Counts or shares.
    names : sequence of K str
        What to compute.
    labels : sequence of C str
        The names of the classes.

    Returns
    -------
    ndarray, shape (K, ...)
        NaN for the score of a class without gold.
    """
    observed, calibrated = Margins.of(confusions), Margins.of(balanced(confusions))
    margins = {name: calibrated if name.endswith("~") else observed for name in names}
    return np.stack([_score(margins[name], name.rstrip("~"), labels) for name in names])


def _score(margins: Margins, name: str, labels: Sequence[str]) -> Floats:
    if name == GAP:
        return AGGREGATES["f1_of_averages"](margins) - AGGREGATES["averaged_f1"](margins)
    if name in AGGREGATES:
        return AGGREGATES[name](margins)
    kind, _, label = name.rstrip("]").partition("[")
    code = list(labels).index(label)
    return np.where(margins.gold[..., code] > 0, CLASS_SCORES[kind](margins)[..., code], np.nan)


def lowest(name: str) -> float:
    """The lowest value that a score can have."""
    return -1.0 if name.rstrip("~") in FROM_MINUS_ONE else 0.0


def count(gold: NDArray[np.int64], answers: NDArray[np.int64], n_classes: int) -> Floats:
    """Confusions, shape (T, C, C + 1), of answers, shape (T, N); the code C is *unanswered*."""
    width = n_classes + 1
    cells = gold * width + answers + np.arange(len(answers))[:, None] * n_classes * width
    counts = np.bincount(cells.ravel(), minlength=len(answers) * n_classes * width)
    return counts.reshape(len(answers), n_classes, width).astype(np.float64)
