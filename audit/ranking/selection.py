"""What picking the best of several runs adds to a score."""

import numpy as np

from audit.metrics.kernels.elementary import exponential, logarithm


def expected_maximum(n_runs: int) -> float:
    """Expected maximum of independent standard normal numbers: what the best of equally good runs gains by luck alone.

    Parameters
    ----------
    n_runs : int
        How many there are, at least 1.

    Returns
    -------
    float
        In standard errors of a run's score. Runs that err on the same items gain less.

    Examples
    --------
    >>> [round(expected_maximum(n_runs), 4) for n_runs in (1, 2, 3, 5)]
    [0.0, 0.5642, 0.8463, 1.163]
    """
    from scipy.special import ndtr  # noqa: PLC0415 - only campaigns that pick the best run need it

    points = np.linspace(-12, 12, 4801)
    others_below = exponential((n_runs - 1) * logarithm(ndtr(points)))
    density = n_runs * exponential(-(points**2) / 2) / np.sqrt(2 * np.pi) * others_below
    return float(np.trapezoid(points * density, points)) if n_runs > 1 else 0.0
