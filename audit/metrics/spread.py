"""How far apart the class scores are of which a macro score is the mean (Opitz 2024, section 8)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.domain import Cells, Evaluation, LabelSet, Prevalence, ScoreKey
from audit.domain.arrays import Counts, Floats
from audit.metrics.confusion import Margins, over_classes
from audit.metrics.metric import Metric
from audit.metrics.names import metric_of, named_metric
from audit.metrics.registry import METRICS
from audit.metrics.scoring import margins_at


@dataclass(frozen=True, eq=False)
class Spread:
    """The spread of every team's class scores around their mean.

    Parameters
    ----------
    deviation, lowest, highest : ndarray, shape (...)
        Standard deviation over the averaged classes (divided by their number), the lowest class score and the highest;
        NaN where there is no such class.
    """

    deviation: Floats
    lowest: Floats
    highest: Floats


def spread_over_classes(
    confusions: Counts | Cells, key: ScoreKey, prevalences: Sequence[Prevalence], label_set: LabelSet
) -> Spread | None:
    """The spread of the class scores behind a score, as terms of its average; None where it is no mean of any.

    Parameters
    ----------
    confusions : ndarray, shape (..., C, C + 1), or Cells
        Gold × predicted, the last column *unanswered*.
    key : ScoreKey
        The score.
    prevalences : sequence of Prevalence
        Among them that of the key.
    label_set : LabelSet
        The C labels.

    Examples
    --------
    Recalls of .5 and .9:

    >>> confusion = np.array([[[5, 5, 0], [1, 9, 0]]])
    >>> from audit.domain import OBSERVED
    >>> found = spread_over_classes(confusion, ScoreKey("macro_recall"), [OBSERVED], LabelSet(("a", "b")))
    >>> found.deviation.round(3).tolist(), found.lowest.tolist(), found.highest.tolist()
    ([0.2], [0.5], [0.9])
    >>> spread_over_classes(confusion, ScoreKey("accuracy"), [OBSERVED], LabelSet(("a", "b"))) is None
    True
    """
    named = named_metric(key.metric, label_set)
    if not named.metric.mean_of:
        return None
    prevalence = next(each for each in prevalences if each.name == key.prevalence)
    margins = margins_at(confusions, prevalence, label_set)
    margins = named.margins(margins)
    terms = _terms(named.metric, margins)
    averaged = margins.averaged & ~np.isnan(terms)
    n_averaged = np.maximum(over_classes(averaged), 1)
    kept = np.where(averaged, terms, 0.0)
    mean = over_classes(kept) / n_averaged
    squares = over_classes(np.where(averaged, (kept - mean[..., None]) ** 2, 0.0)) / n_averaged
    has_classes = averaged.any(axis=-1)
    lowest, highest = np.where(averaged, terms, np.inf).min(axis=-1), np.where(averaged, terms, -np.inf).max(axis=-1)
    return Spread(*(np.where(has_classes, part, np.nan) for part in (np.sqrt(squares), lowest, highest)))


def spread_of(evaluation: Evaluation, key: ScoreKey) -> Spread | None:
    """The spread behind each entry's score, shape (T,); NaN where the score is undefined, as after a class was dropped.

    None where the score is no mean of class scores.

    Examples
    --------
    >>> import audit
    >>> evaluation = audit.evaluate(list("aabb"), {"X": list("abbb")}, certainty=False)
    >>> spread_of(evaluation, ScoreKey("macro_recall")).deviation.tolist()
    [0.25]
    """
    scored, labels = ~np.isnan(evaluation.scores_of(key)), evaluation.task.label_set
    if not metric_of(key.metric, labels).mean_of:
        return None
    parts = np.full((3, scored.size), np.nan)
    if scored.any():
        spread = spread_over_classes(evaluation.cells.of_teams(scored), key, evaluation.prevalences, labels)
        assert spread is not None  # noqa: S101 - it is a mean
        parts[:, scored] = spread.deviation, spread.lowest, spread.highest
    return Spread(*parts)


def _terms(metric: Metric, margins: Margins) -> Floats:
    """The class scores as terms of their mean, shape (..., C); NaN for a class that is dropped from it."""
    terms = METRICS[metric.mean_of].kernel(margins).copy()
    absent = margins.averaged & (margins.prevalence == 0)  # by itself a class without gold has no score
    codes = np.arange(terms.shape[-1])
    for code in np.flatnonzero(absent.reshape(-1, codes.size).any(axis=0)).tolist():
        terms[..., code] = metric.kernel(replace(margins, averaged=np.broadcast_to(codes == code, terms.shape)))
    return terms
