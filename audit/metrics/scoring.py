"""Scores of a stack of confusions by name: one pass through calibration, margins and kernels for each prevalence."""

from collections.abc import Sequence

import numpy as np

from audit.domain import LabelSet, Prevalence, ScoreKey
from audit.errors import UsageError
from audit.metrics.calibration import calibrate
from audit.metrics.confusion import Counts, Floats, Margins
from audit.metrics.names import NamedMetric, metric_name, named_metric
from audit.metrics.registry import AGGREGATES, CLASS_METRICS
from audit.text import quoted


def all_keys(label_set: LabelSet, prevalences: Sequence[Prevalence]) -> tuple[ScoreKey, ...]:
    """Keys of every metric: the aggregates, then each class-wise metric of each class, for each prevalence.

    Examples
    --------
    >>> keys = all_keys(LabelSet(("a", "b")), [Prevalence("observed"), Prevalence("balanced")])
    >>> len(keys), str(keys[-1])
    (32, 'f1[b]~')
    """
    classwise = [
        metric_name(metric.slug, (code,), label_set) for metric in CLASS_METRICS for code in range(len(label_set))
    ]
    names = [metric.slug for metric in AGGREGATES] + classwise
    return tuple(ScoreKey(name, prevalence.name) for prevalence in prevalences for name in names)


def margins_at(confusions: Counts, prevalence: Prevalence, label_set: LabelSet) -> Margins:
    """Margins of a stack of confusions at a prevalence.

    Raises
    ------
    UsageError
        When a named prevalence leaves out a class in gold, or names one that gold or the label set lacks.
    """
    if prevalence.name == "observed":
        return Margins.of(confusions)
    return Margins.of(calibrate(confusions, _target(prevalence, label_set)))


def shares_at(prevalence: Prevalence, counts: Counts, label_set: LabelSet) -> Floats:
    """The class distribution that a prevalence stands for, in a gold with these counts of items.

    Returns
    -------
    ndarray, shape (C,)
        Shares that sum to 1.

    Raises
    ------
    UsageError
        When a named prevalence names a label that the label set lacks.

    Examples
    --------
    >>> shares_at(Prevalence("observed"), np.array([3, 1, 0]), LabelSet(("a", "b", "c"))).tolist()
    [0.75, 0.25, 0.0]
    """
    if prevalence.name == "observed":
        return np.asarray(counts / counts.sum())
    target = _target(prevalence, label_set)
    return (counts > 0) / np.count_nonzero(counts) if target is None else target


def _target(prevalence: Prevalence, label_set: LabelSet) -> Floats | None:
    if prevalence.name == "balanced":
        return None
    target = np.zeros(len(label_set))
    for label, share in prevalence.shares:
        if label not in label_set.code_of:
            raise UsageError(f"The prevalence {quoted(prevalence.name)} names {quoted(label)}, which is no label here.")
        target[label_set.code_of[label]] = share
    return target / (target.sum() or 1.0)


def score(
    confusions: Counts, keys: Sequence[ScoreKey], prevalences: Sequence[Prevalence], label_set: LabelSet
) -> Floats:
    """Scores of a stack of confusions.

    Parameters
    ----------
    confusions : ndarray, shape (..., C, C + 1)
        Counts, gold × predicted, the last column *unanswered*.
    keys : sequence of K ScoreKey
        Which scores.
    prevalences : sequence of Prevalence
        Every prevalence that a key names.
    label_set : LabelSet
        The C labels.

    Returns
    -------
    ndarray of float, shape (K, ...)
        NaN where undefined. Higher is better.

    Raises
    ------
    UsageError
        When a key names a prevalence that is not given, and as :func:`margins_at` does.

    Examples
    --------
    Two submissions to one gold, from tables 1 and 2 of Opitz & Burst 2019, of which each wins by one macro F1:

    >>> labels, keys = LabelSet(("a", "b")), [ScoreKey("averaged_f1"), ScoreKey("f1_of_averages")]
    >>> confusions = np.array([[[5, 5, 0], [10, 10, 0]], [[1, 9, 0], [1, 19, 0]]])
    >>> score(confusions, keys, [Prevalence("observed")], labels).round(3).tolist()
    [[0.486, 0.479], [0.5, 0.555]]
    """
    lost = {key.prevalence for key in keys} - {prevalence.name for prevalence in prevalences}
    if lost:
        raise UsageError(f"There is no prevalence called {quoted(min(lost))}.")
    values = np.empty((len(keys), *confusions.shape[:-2]))
    for prevalence in prevalences:
        margins = margins_at(confusions, prevalence, label_set)
        by_class: dict[str, Floats] = {}
        for row, key in enumerate(keys):
            if key.prevalence == prevalence.name:
                values[row] = _score_one(named_metric(key.metric, label_set), margins, by_class)
    return values


def score_margins(name: str, margins: Margins, label_set: LabelSet) -> Floats:
    """One metric, by the name that a key has for it, of margins that are at hand, shape (...)."""
    return _score_one(named_metric(name, label_set), margins, {})


def score_each(names: Sequence[str], margins: Margins, label_set: LabelSet) -> Floats:
    """Several metrics of margins that are at hand, shape (number of names, ...)."""
    by_class: dict[str, Floats] = {}
    return np.stack([_score_one(named_metric(name, label_set), margins, by_class) for name in names])


def _score_one(named: NamedMetric, margins: Margins, by_class: dict[str, Floats]) -> Floats:
    """One score; a class-wise kernel runs once for all classes and is kept in ``by_class``."""
    metric, codes = named.metric, named.codes
    if codes is None:
        return metric.kernel(margins)
    if metric.takes != "class":
        return metric.kernel(margins.over(codes))
    if metric.slug not in by_class:
        by_class[metric.slug] = metric.kernel(margins)
    return by_class[metric.slug][..., codes[0]]
