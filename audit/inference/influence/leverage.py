"""How much of a score hangs on each group of items: what a large group would change, were it left out.

The influence of a group over 1 − its leverage is how far the score would move without it, so that the sum of their
squares is a jackknife's: the design effect counts groups of very unequal size as the few draws that they are. Source:
Bell and McCaffrey 2002.
"""

import numpy as np

from audit.domain import OBSERVED, Evaluation, LabelSet, ScoreKey
from audit.domain.arrays import Counts, Floats
from audit.inference.influence.items import Items
from audit.metrics import Margins, NamedMetric, named_metric, prevalence_shares, row_scale
from audit.metrics.confusion import over_classes

_NO_MASS = 1e-300  # in place of 0, where a score has no class in gold


def leverage_of(name: str, label_set: LabelSet, items: Items, shares: Floats, scale: Floats | None) -> Floats:
    """The share of a score that is each group's, shape (1, G), or (T, G) of the score of one class.

    Of a score of all items alike it is the mass of its items; of an average over classes each class counts alike; of a
    score of one class, its part in what the score is a share of.

    Parameters
    ----------
    name : str
        The score, by the name that a key has for it; one of labels.
    label_set : LabelSet
        The C labels.
    items : Items
        The answers, and the groups of items.
    shares : ndarray, shape (C,)
        The class distribution at which the score is.
    scale : ndarray, shape (T, C), optional
        Factors of the gold rows; None at observed prevalence.
    """
    return _leverage(named_metric(name, label_set), items, shares, scale)


def leverage_by(evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts) -> Floats:
    """The share of a score that is each group's, as `leverage_of` has it, for some entries, whose answers are given."""
    labels, counts = evaluation.task.label_set, evaluation.prevalence_counts
    prevalence = next(each for each in evaluation.prevalences if each.name == key.prevalence)
    shares = prevalence_shares(prevalence, counts, labels)
    observed = prevalence.name == OBSERVED.name
    scale = None if observed else row_scale(evaluation.cells.prevalence[entries], shares)
    return leverage_of(key.metric, labels, items, shares, scale)


def _leverage(named: NamedMetric, items: Items, shares: Floats, scale: Floats | None) -> Floats:
    if named.parts:
        parts = (_leverage(part, items, shares, scale) for part in named.parts)
        together = sum(weight * part for weight, part in zip(named.weights, parts, strict=True))
        return np.asarray(together / sum(named.weights))
    if named.metric.takes == "class" and named.metric.proportion:
        return items.class_leverage(named.metric.proportion, scale, named.code)
    counts = np.diff(items.sample.bounds)
    averaged = named.margins(_all_right(counts)).averaged & (counts > 0)
    masses = averaged if named.metric.needs_every_class and not named.metric.sums else np.where(averaged, shares, 0.0)
    return items.leverage(masses / max(float(masses.sum()), _NO_MASS))


def _all_right(counts: Floats) -> Margins:
    """Margins of a system without errors."""
    n_items = over_classes(counts)
    return Margins(counts, counts, counts, 0 * n_items, n_items, averaged=counts > 0)
