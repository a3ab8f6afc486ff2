"""Random confusions with everything that campaigns have, and the few views of a confusion that all laws share."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from audit.domain import OBSERVED, LabelSet, Prevalence, ScoreKey
from audit.metrics import METRICS, Margins, Metric, calibrate, metric_name, score
from tests.further_metrics import (
    ABSOLUTE_ERROR,
    MACRO_ABSOLUTE_ERROR,
    MACRO_MISS_RATE,
    TURNED,
    all_registered,
)
from tests.nightly import ALL

_TWINS = {"averaged_f0.5", "f0.5", "macro_recall_p2", "macro_recall_p0.5"}
TRIED = [metric for slug, metric in METRICS.items() if ALL or slug not in _TWINS]
"""The whole registry; of a family with a number, one by day."""
UNORDERED = [*TRIED, MACRO_MISS_RATE, *TURNED.values()]
ORDINAL = [ABSOLUTE_ERROR, MACRO_ABSOLUTE_ERROR]
ANY = [*UNORDERED, *ORDINAL]
"""The registry and what else one may put into it: better the lower, over single cells, over an order of the labels.

A law draws its examples once and is tried with every metric: drawing takes longer than scoring.
"""


def further_metrics():
    """All of these registered, for as long as a test runs."""
    return all_registered(ANY)


@st.composite
def confusions(draw, *, least_present: int = 1, answered: bool = False, largest: int = 20_000):
    """One confusion, gold × predicted and *unanswered*.

    Gold may lack classes of the label set. Only some columns are predicted, perhaps a single one, perhaps columns of
    classes that gold lacks, perhaps *unanswered* alone.
    """
    n_classes = draw(st.integers(max(1, least_present), 5))
    order = draw(st.permutations(range(n_classes)))
    present = order[: draw(st.integers(least_present, n_classes))]
    columns = draw(st.sets(st.integers(0, n_classes - answered), min_size=1))
    cell = st.integers(0, draw(st.sampled_from([3, largest])))
    cells = draw(arrays(np.int64, (n_classes, n_classes + 1), elements=cell))
    kept = np.zeros(cells.shape, dtype=bool)
    kept[np.ix_(present, sorted(columns))] = True
    confusion = cells * kept
    empty = [row for row in present if not confusion[row].any()]
    confusion[empty, min(columns)] = 1
    return confusion


@st.composite
def shares_for(draw, confusion):
    """A named prevalence that suits the gold of a confusion."""
    present = np.flatnonzero(confusion.sum(axis=1)).tolist()
    weights = draw(st.lists(st.integers(1, 9), min_size=len(present), max_size=len(present)))
    labels = label_set_of(confusion).labels
    shares = [
        (labels[code], weight / sum(weights)) for code, weight in zip(present, weights, strict=True)
    ]
    return Prevalence("named", tuple(shares))


def label_set_of(confusion) -> LabelSet:
    """As many labels as the confusion has classes."""
    return LabelSet(tuple(f"c{code}" for code in range(np.shape(confusion)[-2])))


def items_of(confusion):
    """Gold and predicted codes, item by item, that have this confusion; the code C is *unanswered*."""
    gold, predicted = np.indices(confusion.shape)
    return np.repeat(gold.ravel(), confusion.ravel()), np.repeat(
        predicted.ravel(), confusion.ravel()
    )


def keys_of(metric: Metric, label_set: LabelSet, prevalence: Prevalence) -> list[ScoreKey]:
    """Every score of one registry entry: one, or one for each class."""
    if metric.takes != "class":
        return [ScoreKey(metric.slug, prevalence.name)]
    names = [metric_name(metric.slug, (code,), label_set) for code in range(len(label_set))]
    return [ScoreKey(name, prevalence.name) for name in names]


def scores_of(metric: Metric, confusions_, prevalence: Prevalence = OBSERVED):
    """The scores of one registry entry by the public door, shape (1 or C, ...)."""
    label_set = label_set_of(confusions_)
    return score(
        np.asarray(confusions_), keys_of(metric, label_set, prevalence), [prevalence], label_set
    )


def by_kernel(slug: str, confusions_, *, calibrated: bool = False):
    """The scores of one metric by its kernel alone."""
    return METRICS[slug].kernel(Margins.of(calibrate(confusions_) if calibrated else confusions_))


def from_paper(rows: Sequence[Sequence[int]]):
    """A confusion of a paper, printed predicted × gold and with every item answered."""
    return np.hstack([np.transpose(rows), np.zeros((len(rows), 1), dtype=int)])
