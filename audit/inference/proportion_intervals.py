"""Wilson's interval of a proportion, and the quantiles that intervals and tests take."""

import numpy as np

from audit.domain.arrays import Floats

TWO_SIDED = 0.975
ONE_SIDED = 0.95

_MANY_ITEMS = 50  # from here on three items of one sort are few, else two
_ROUNDING = 1e-9  # of a count of items
_FEWEST_FREE = 2.0  # degrees of freedom of Student's quantile, however uneven groups are


def wilson(share: Floats, n_items: Floats, quantile: Floats | float) -> tuple[Floats, Floats]:
    """Wilson's score interval of a share of a number of items.

    With w = z²/n the ends are (p + w/2 ± √(w (p(1 − p) + w/4))) / (1 + w). They lie inside [0, 1].
    """
    weight = quantile**2 / n_items
    centre = (share + weight / 2) / (1 + weight)
    half = np.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
    # The share lies inside, apart from rounding errors.
    lower = np.minimum(np.maximum(centre - half, 0.0), share)
    upper = np.maximum(np.minimum(centre + half, 1.0), share)
    return lower, upper


def share_ends(share: Floats, n_items: Floats, quantile: Floats | float) -> tuple[Floats, Floats]:
    """Wilson's interval of a share of items, modified where few are of one sort.

    A true share so near to 0 that one or two items of that sort are seldom seen lies below Wilson's
    lower end when they are: there the Poisson distribution's one-sided end is taken (Brown, Cai and
    DasGupta 2001). Likewise near to 1.
    """
    # A command without certainty does not wait for it.
    from scipy.special import gammaincinv, ndtr  # noqa: PLC0415

    lower, upper = wilson(share, n_items, quantile)
    most_of_few = np.where(n_items > _MANY_ITEMS, 3, 2) + _ROUNDING
    level = 2 * ndtr(-np.asarray(quantile))
    counts = n_items * np.stack([share, 1 - share])  # items of either sort
    is_few = (counts > _ROUNDING) & (counts < most_of_few)
    poisson_end = gammaincinv(np.where(is_few, counts, 1.0), level) / n_items
    from_zero, from_one = np.where(is_few, poisson_end, np.inf)
    return np.minimum(lower, from_zero), np.maximum(upper, 1 - from_one)


def quantile_of(n_groups: int, probability: float = TWO_SIDED) -> float:
    """Quantile of the standard normal, or of Student's distribution where few groups were drawn."""
    # A command without certainty does not wait for it.
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415

    if n_groups == 0:
        return float(ndtri(probability))
    return float(stdtrit(max(n_groups - 1, 1), probability))


def quantile_with_freedom(quantile: float, n_groups: int, freedom: Floats) -> Floats:
    """A quantile of Student's distribution with other degrees of freedom than groups less one."""
    # A command without certainty does not wait for it.
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415

    most = max(n_groups - 1, 1)
    probability = stdtr(most, quantile)
    return np.asarray(stdtrit(np.clip(freedom, min(_FEWEST_FREE, most), most), probability))


def two_sided_p(t: Floats, n_groups: int) -> Floats:
    """Two-sided p of |difference| / standard error, by the distribution of :func:`quantile_of`."""
    # A command without certainty does not wait for it.
    from scipy.special import ndtr, stdtr  # noqa: PLC0415

    if n_groups == 0:
        return 2 * ndtr(-t)
    return 2 * stdtr(max(n_groups - 1, 1), -t)
