"""Means over units whose sets are scored: of each unit's F1 or Jaccard index, of equal sets, of wrong labels.

None of them is a function of the confusion, which has the things of all units together: each looks at how many things
of each unit are in both sets, and in each.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from audit.domain import Empty, Feature, LabelSet, Reading, Unknown
from audit.domain.arrays import Counts, Floats
from audit.domain.sets import UnitCounts
from audit.metrics import gradients, kernels
from audit.metrics.metric import Metric

_of_units = partial(
    Metric,
    over="units",
    kernel=kernels.undefined,
    gradient=gradients.undefined,
    baseline="depends on the sets",
    averages=False,
    standard=False,
    moves_with_classes=False,
    needs_every_class=False,
    needs=frozenset({Feature.UNITS}),
)

UNIT_METRICS: Mapping[str, Metric] = {
    metric.slug: metric
    for metric in (
        _of_units(
            *("example_f1", "Example F1", "example F1", "exF1"),
            formula=r"\frac{1}{|U|} \sum_{u} \frac{2\, |G_u \cap P_u|}{|G_u| + |P_u|}",
            explanation="The mean over units of the F1 of each unit’s set, 1 where both sets are empty: scikit-learn’s "
            "average='samples'.",
            source="Godbole & Sarawagi 2004; as scikit-learn computes it",
        ),
        _of_units(
            *("example_jaccard", "Example Jaccard index", "example Jaccard index", "exJ"),
            formula=r"\frac{1}{|U|} \sum_{u} \frac{|G_u \cap P_u|}{|G_u \cup P_u|}",
            explanation="The mean over units of the share of things in either set that are in both, 1 where both sets "
            "are empty; of several labels what some tasks call accuracy.",
            source="Godbole & Sarawagi 2004; as scikit-learn computes it",
        ),
        _of_units(
            *("subset_accuracy", "Subset accuracy", "subset accuracy", "SubAcc"),
            formula=r"\frac{1}{|U|} \sum_{u} [G_u = P_u]",
            explanation="The share of units whose two sets are equal: exact match, scikit-learn’s accuracy_score.",
            source="as scikit-learn computes it",
        ),
        _of_units(
            *("hamming", "Hamming loss", "Hamming loss", "Hamming"),
            formula=r"\frac{1}{|U|\, L} \sum_{u} |G_u \mathbin{\triangle} P_u|",
            explanation="The share of all pairs of a unit and one of the L declared labels that are wrong.",
            source="Schapire & Singer 1999; as scikit-learn computes it",
            greater_is_better=False,
        ),
    )
}
"""The metrics that an evaluation of sets can have, by slug."""

_VALUES: Mapping[str, Callable[[Counts, Counts, Counts, int], tuple[Counts, Counts]]] = {
    "example_f1": lambda hits, gold, predicted, _: (2 * hits, gold + predicted),
    "example_jaccard": lambda hits, gold, predicted, _: (hits, gold + predicted - hits),
    "subset_accuracy": lambda hits, gold, predicted, _: (
        ((hits == gold) & (hits == predicted)) * (gold + predicted),
        gold + predicted,
    ),
    "hamming": lambda hits, gold, predicted, n_labels: (
        gold + predicted - 2 * hits,
        np.full(hits.shape, n_labels),
    ),
}
"""Things in both sets, in gold and predicted, and the number of labels → numerator and denominator of each unit."""


def unit_metrics_on(label_set: LabelSet) -> tuple[str, ...]:
    """The slugs of those that have sense with these labels: Hamming loss needs a closed set of labels."""
    if not label_set.supports(Feature.UNITS):
        return ()
    is_closed = label_set.supports(Feature.CLOSED) and label_set.declared
    return tuple(slug for slug in UNIT_METRICS if slug != "hamming" or is_closed)


def values_of_units(reading: Reading, counts: UnitCounts) -> Floats:
    """The value of each unit by a reading of one of these metrics, shape (T, U); NaN where the mean leaves it out."""
    gold = np.broadcast_to(counts.gold, counts.hits.shape)
    if reading.unknown is Unknown.DROPPED:
        predicted = counts.known
    else:
        predicted = counts.predicted
    part, whole = _VALUES[reading.slug](counts.hits, gold, predicted, counts.n_labels)
    if reading.empty is Empty.ZERO:
        undefined = 0.0
    else:
        undefined = 1.0
    values = np.divide(part, whole, out=np.full(whole.shape, undefined), where=whole > 0)
    # a unit that is left out has no answer
    values[~counts.answered & (gold == 0) & (whole == 0)] = 0.0
    left_out = {
        Empty.DROPPED: (gold == 0) & (predicted == 0) & counts.answered,
        Empty.GOLD_DROPPED: gold == 0,
        Empty.EITHER_DROPPED: (gold == 0) | (predicted == 0),
    }
    if reading.empty in left_out:
        values[left_out[reading.empty]] = np.nan
    if counts.drops_missing:
        values[~counts.answered] = np.nan
    return np.asarray(values)


def score_units(reading: Reading, counts: UnitCounts) -> Floats:
    """The mean over units by a reading of one of these metrics, shape (T,); NaN where none is left."""
    values = values_of_units(reading, counts)
    counted = ~np.isnan(values)
    n_units = counted.sum(axis=1)
    sums = np.where(counted, values, 0.0).sum(axis=1)
    return np.asarray(np.divide(sums, n_units, out=np.full(sums.shape, np.nan), where=n_units > 0))
