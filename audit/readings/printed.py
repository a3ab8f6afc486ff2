"""Scores against printed numbers: at the printed precision, however they were rounded."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.domain import PrintedScore
from audit.domain.arrays import Bools, Floats

_CLOSE = 1e-7  # units of the last digit: more than rounding in floating point makes, less than anybody prints
_BLOCK = 1 << 18  # scores compared at once: bounded memory

ROUNDINGS = ("half even", "half up", "rounded, halves either way", "truncated")
"""How a score can have become a printed number, the commonest first."""


@dataclass(frozen=True, eq=False)
class PrintedAgreement:
    """The agreement of scores with printed ones: which scores round to the printed numbers."""

    matched: Bools  # shape (G, n): a mask of the scores that match, by the rounding that gives the most
    rounding: list[str]  # that rounding; rounded where halves do not decide
    decimals: str  # the digits after the point, or that each cell has its own


def is_percent(printed: Sequence[PrintedScore]) -> bool:
    """Whether a column holds percentages: a percent sign, or a number above 1."""
    return any(score.percent or abs(score.value) > 1 for score in printed)


def agreement_with(printed: Sequence[PrintedScore], scores: Floats) -> PrintedAgreement:
    """The agreement of scores with printed ones: which scores round to the printed numbers.

    Parameters
    ----------
    printed : sequence of n PrintedScore
        One column. Trailing zeros may have been cut off; where some cells have fewer digits than others, both that and
        digits of each cell's own are tried.
    scores : ndarray, shape (G, n)
        Scores in the order of the printed ones; NaN matches nothing.

    Examples
    --------
    >>> printed = [PrintedScore("57.6", 576, 1), PrintedScore("53.44", 5344, 2)]
    >>> found = agreement_with(printed, np.array([[0.57604, 0.53438], [0.57604, 0.53452]]))
    >>> found.matched.tolist(), found.rounding, found.decimals
    ([[True, True], [True, False]], ['rounded', 'rounded'], '2')
    """
    own = np.array([score.decimals for score in printed])
    tried = [_agreement_at(printed, np.full(len(printed), own.max()), scores, str(own.max()))]
    if (own < own.max()).any():
        tried.append(_agreement_at(printed, own, scores, "each cell’s own"))
    return max(tried, key=lambda agreement: int(agreement.matched.sum(axis=1).max(initial=0)))


def _agreement_at(
    printed: Sequence[PrintedScore], decimals: NDArray[np.int64], scores: Floats, n_digits: str
) -> PrintedAgreement:
    """The agreement of scores with printed ones, if each cell has this number of digits after the point."""
    more = [int(digits) - score.decimals for digits, score in zip(decimals, printed, strict=True)]
    units = np.array([float(score.units * 10**extra) for score, extra in zip(printed, more, strict=True)])
    scale = (100.0 if is_percent(printed) else 1.0) * 10.0**decimals
    step = max(1, _BLOCK // len(printed))
    blocks = [_best(scores[start : start + step] * scale, units) for start in range(0, len(scores), step)]
    names = [name for _, block in blocks for name in block]
    return PrintedAgreement(np.concatenate([matched for matched, _ in blocks]), names, n_digits)


def _best(scores: Floats, units: Floats) -> tuple[Bools, list[str]]:
    """The scores that round to the printed numbers, in units of the last digit, by the best rounding."""
    even, up, cut = (rounded == units for rounded in _roundings(scores))
    matched = np.stack([even, up, even | up, cut])
    counts = matched.sum(axis=-1)
    best = counts.argmax(axis=0)
    names = [
        "rounded" if choice == 0 and n_even == n_up else ROUNDINGS[choice]
        for choice, n_even, n_up in zip(best.tolist(), counts[0].tolist(), counts[1].tolist(), strict=True)
    ]
    return np.take_along_axis(matched, best[None, :, None], axis=0)[0], names


def _roundings(units: Floats) -> tuple[Floats, Floats, Floats]:
    """Rounded half to even, half away from 0, and cut off; a half with a floating-point error counts as a half."""
    size = np.abs(units)
    below = np.floor(size + _CLOSE)
    is_half = np.abs(size - np.floor(size) - 0.5) < _CLOSE
    up = np.floor(size + 0.5 + _CLOSE)
    even = np.where(is_half & (up % 2 == 1), up - 1, up)
    sign = np.where(units < 0, -1.0, 1.0)
    return sign * even + 0.0, sign * up + 0.0, sign * below + 0.0
