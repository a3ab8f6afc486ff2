"""Scores of the items that a team answered: what it leaves open costs it nothing, and coverage says how much that is.

Averages run over the same classes for every team, so that all teams are comparable by one rule: a class of which a team
answered no item is no smaller class set for it, but a class without a right answer.
"""

from dataclasses import replace

import numpy as np

from audit.domain.arrays import Counts, Floats
from audit.metrics.confusion import Margins, over_classes
from audit.metrics.kernels.gradients import Gradient, Slopes
from audit.metrics.kernels.margin_kernels import Kernel


def answered_margins(margins: Margins) -> Margins:
    """Margins of the answered items alone, averaging over the same classes as before.

    Examples
    --------
    Of four items of the first class one is unanswered, and of two of the second one:

    >>> answered = answered_margins(Margins.of(np.array([[2, 1, 1], [0, 1, 1]])))
    >>> answered.prevalence.tolist(), int(answered.total), int(answered.unanswered)
    ([3, 1], 4, 0)
    """
    prevalence = over_classes(margins.confusion[..., :-1])
    return replace(
        margins,
        prevalence=prevalence,
        unanswered=np.zeros_like(margins.unanswered),
        total=over_classes(prevalence),
        made=None,
    )


def of_answered(kernel: Kernel) -> Kernel:
    """A metric of the answered items; undefined where there is none.

    Examples
    --------
    >>> from audit.metrics import METRICS
    >>> confusions = np.array([[[2, 0, 2], [0, 1, 1]], [[0, 0, 4], [0, 0, 2]]])
    >>> of_answered(METRICS["averaged_f1"].kernel)(Margins.of(confusions)).tolist()
    [1.0, nan]
    """

    def scores(margins: Margins) -> Floats:
        answered = answered_margins(margins)
        return np.where(answered.total > 0, kernel(answered), np.nan)

    return scores


def slopes_of_answered(gradient: Slopes) -> Slopes:
    """The derivatives of a score of the answered items: one unanswered item more adds nothing."""

    def slopes(margins: Margins) -> Gradient:
        answered = answered_margins(margins)
        return Gradient.of_cells(_by_cell(gradient(answered)))

    return slopes


def _by_cell(gradient: Gradient) -> Floats:
    """The derivative in each cell of a score that has no slope in unanswered items, shape (..., C, C + 1)."""
    rows = gradient.prevalence + gradient.total[..., None]
    cells = rows[..., :, None] + gradient.bias[..., None, :]
    codes = np.arange(rows.shape[-1])
    cells[..., codes, codes] += gradient.correct
    return np.concatenate([cells, np.zeros((*cells.shape[:-1], 1))], axis=-1)


def coverage(margins: Margins) -> Floats:
    """Share of the items that are answered."""
    return np.asarray(1 - margins.unanswered / margins.total)


def coverage_slopes(margins: Margins) -> Gradient:
    """1 - u/N."""
    each = 1 / margins.total
    return _of_all(margins, 0.0, -each, margins.unanswered * each * each)


def answered_accuracy(margins: Margins) -> Floats:
    """Share of the answered items that are right."""
    n_answered = margins.total - margins.unanswered
    missing = np.full(np.shape(n_answered), np.nan)
    return np.asarray(np.divide(over_classes(margins.correct), n_answered, out=missing, where=_some(margins)))


def answered_accuracy_slopes(margins: Margins) -> Gradient:
    """Σt/(N - u)."""
    n_answered, is_some = margins.total - margins.unanswered, _some(margins)
    each = np.divide(1.0, n_answered, out=np.zeros(np.shape(n_answered)), where=is_some)
    share = np.nan_to_num(answered_accuracy(margins)) * each
    return _of_all(margins, each, share, -share)


def right_of_answered(margins: Margins) -> tuple[Counts, Counts]:
    """The right items and the answered ones."""
    return over_classes(margins.correct), np.asarray(margins.total - margins.unanswered)


def answered_of_all(margins: Margins) -> tuple[Counts, Counts]:
    """The answered items and all of them."""
    return np.asarray(margins.total - margins.unanswered), margins.total


def _some(margins: Margins) -> Counts:
    """Whether any item is answered: of masses one that rounding leaves over is none."""
    return np.asarray(over_classes(margins.bias) > 0)


def _of_all(margins: Margins, correct: Floats | float, unanswered: Floats, total: Floats) -> Gradient:
    """Derivatives of a score of all items alike."""
    none = np.zeros(margins.correct.shape)
    return Gradient(none + np.asarray(correct)[..., None], none, none, np.asarray(unanswered), np.asarray(total))
