"""Δ, the gap between the two scores called macro F1, and the pairs of classes that make it.

Source: Opitz & Burst 2019, lemma (equation 4).
"""

import numpy as np

from audit.domain.arrays import Counts, Floats
from audit.metrics.confusion import Margins
from audit.metrics.kernels.margin_kernels import Kernel, precision_terms, recall_terms

GAP_FORMULA = (
    r"\Delta = \frac{1}{k \sum_{x} (P_x + R_x)} \sum_{x, y} "
    r"\frac{(P_x R_y - P_y R_x)^2}{(P_x + R_x)(P_y + R_y)}"
)
"""What is computed, as LaTeX."""


def macro_f1_gap(margins: Margins) -> Floats:
    """Δ = F1 of averages − averaged F1, by its closed form.

    Returns
    -------
    ndarray of float, shape (...), range [0, 0.5]
        0 when nothing is correct; undefined (NaN) where no class is averaged, as both scores are.

    Examples
    --------
    The reference program of the paper prints 0.48534265191225007 for this confusion and 0.0 for the next:

    >>> skewed, even = [[100, 0, 0], [10000, 100, 0]], [[100, 5000, 0], [5000, 100, 0]]
    >>> [round(float(gap), 12) for gap in macro_f1_gap(Margins.of([skewed, even]))]
    [0.485342651912, 0.0]
    """
    codes, sizes = kinds_of_classes(margins)
    total: Floats = (gap_by_class_pair(margins, codes) * np.outer(sizes, sizes)).sum(axis=(-2, -1))
    return total


def kinds_of_classes(margins: Margins) -> tuple[Counts, Counts]:
    """Classes of different precision and recall: the first one of each kind, ascending, and how many there are of it.

    Two classes of one kind have the same term with any third, and none with each other. Of thousands of classes most
    are rare, and of few kinds.

    Examples
    --------
    >>> codes, sizes = kinds_of_classes(Margins.of([[5, 0, 0, 0], [0, 1, 0, 1], [0, 0, 7, 0]]))
    >>> codes.tolist(), sizes.tolist()
    ([0, 1], [2, 1])
    """
    ratios = np.concatenate([_averaged(margins, terms) for terms in (precision_terms, recall_terms)], axis=-2)
    _, first, sizes = np.unique(ratios, axis=1, return_index=True, return_counts=True)
    order = np.argsort(first)
    return first[order], sizes[order]


def _averaged(margins: Margins, terms: Kernel) -> Floats:
    """Class scores of a stack of confusions, 0 where a class is not averaged, shape (number of confusions, C)."""
    values: Floats = np.where(margins.averaged, terms(margins), 0)
    return values.reshape(-1, values.shape[-1])


def gap_by_class_pair(margins: Margins, codes: Counts | None = None) -> Floats:
    """The terms of Δ: how much each pair of classes contributes, of all C classes or of some.

    Returns
    -------
    ndarray of float, shape (..., C, C)
        Symmetric, the diagonal 0, the sum over both axes Δ. A pair {x, y} contributes its term twice, as (x, y) and
        as (y, x).

    Examples
    --------
    >>> gap_by_class_pair(Margins.of([[100, 0, 0], [10000, 100, 0]])).round(3).tolist()
    [[0.0, 0.243], [0.243, 0.0]]
    """
    precision = np.where(margins.averaged, precision_terms(margins), 0)
    recall = np.where(margins.averaged, recall_terms(margins), 0)
    whole = (margins.n_averaged * (precision + recall).sum(axis=-1))[..., None, None]
    if codes is not None:
        precision, recall = precision[..., codes], recall[..., codes]
    sums = precision + recall
    cross = precision[..., :, None] * recall[..., None, :]
    spread = (cross - np.swapaxes(cross, -1, -2)) ** 2
    scale = sums[..., :, None] * sums[..., None, :]
    terms = np.divide(spread, scale, out=np.zeros(spread.shape), where=scale > 0)
    shares = np.divide(terms, whole, out=np.zeros(terms.shape), where=whole > 0)
    return np.where(margins.n_averaged[..., None, None] > 0, shares, np.nan)
