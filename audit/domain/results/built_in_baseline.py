"""A baseline that the audit computes itself: by chance, or from what the best teams answer."""

from dataclasses import dataclass

from audit.domain.arrays import Floats


@dataclass(frozen=True, eq=False)
class Baseline:
    """A built-in baseline: computed, not submitted.

    Parameters
    ----------
    slug, title : str
        The name of the baseline for programs and for readers.
    explanation : str
        How its scores are found, in one sentence.
    values : ndarray, shape (K,)
        Its scores, in the order of the evaluation's keys; NaN where undefined. Expectations, where it is random.
    standard_errors : ndarray, shape (K,)
        Monte Carlo error of each; 0 where it is exact.
    """

    slug: str
    title: str
    explanation: str
    values: Floats
    standard_errors: Floats
