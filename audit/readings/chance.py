"""How many printed scores some reading gives by chance: with many readings a few numbers always fit one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from audit.domain import PrintedScore
from audit.domain.arrays import Floats
from audit.readings.printed import is_percent

LEVEL = 0.05
"""How probable it may be that some reading gives more of a column of invented scores than is said."""

_ROUNDINGS = 2
"""Printed numbers that a score can become: rounded, and cut off."""


@dataclass(frozen=True, slots=True)
class Chance:
    """Bounds of the matches that some reading gives by chance, with a probability of at least 95%."""

    of_invented: int
    """At most so many of a column whose scores are all invented."""
    of_half: int
    """At most so many of a column of which half is invented, those that are not included."""

    def explains(self, n_matched: int, n_scores: int) -> bool:
        """Whether chance explains the number of a column's scores that a reading gives.

        A reading that gives them all is held against a column of invented scores, one that does not against a column of
        which half is invented.
        """
        return n_matched <= (self.of_invented if n_matched == n_scores else self.of_half)


def chance_of(printed: Sequence[PrintedScore], scores: Floats) -> Chance:
    """The number of matches of a column that some reading gives by chance.

    An invented score is taken to be any number that the readings' scores of that team lie among, each as probable as
    the others. The bound adds up over the readings (Bonferroni), so it holds however alike they are.

    Parameters
    ----------
    printed : sequence of n PrintedScore
        One column.
    scores : ndarray, shape (G, n)
        Scores by the G readings that the campaign tells apart; NaN where undefined.

    Examples
    --------
    >>> printed = [PrintedScore(".712", 712, 3), PrintedScore(".606", 606, 3), PrintedScore(".604", 604, 3)]
    >>> scores = np.linspace([0.4, 0.3, 0.5], [0.9, 0.7, 0.8], 200)
    >>> chance_of(printed, scores)
    Chance(of_invented=1, of_half=2)
    """
    n_scores, n_tried = len(printed), _ROUNDINGS * len(scores)
    shares = np.sort(1 / _numbers(printed, scores))[::-1]
    half = n_scores // 2
    return Chance(_most(shares, n_tried), half + _most(shares[: n_scores - half], n_tried))


def _numbers(printed: Sequence[PrintedScore], scores: Floats) -> Floats:
    """The printed numbers among which each team's scores lie, shape (n,)."""
    units = (100.0 if is_percent(printed) else 1.0) * 10.0 ** np.array([score.decimals for score in printed])
    low, high = (of(np.where(np.isnan(scores), end, scores), axis=0) for of, end in ((np.min, 1.0), (np.max, 0.0)))
    return np.asarray(np.maximum(high - low, 0.0) * units + 1)


def _most(shares: Floats, n_tried: int) -> int:
    """The most matches that any of the tried readings has by chance, exceeded with a probability of at most 5%."""
    counts = reduce(np.convolve, ([1 - share, share] for share in shares), np.ones(1))
    more = np.append(np.cumsum(counts[::-1])[::-1][1:], 0.0)  # the probability of more than 0, 1, … n
    return int(np.argmax(n_tried * more <= LEVEL))
