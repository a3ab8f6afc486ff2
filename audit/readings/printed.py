"""Scores against printed numbers: which agree at the printed precision, and how many would by chance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.domain import PrintedScore
from audit.domain.arrays import Bools, Floats

# units of the last digit: more than rounding in floating point makes, less than anybody prints
_CLOSE = 1e-7
_BLOCK = 1 << 18  # scores compared at once: bounded memory

ROUNDINGS = ("half even", "half up", "rounded, halves either way", "truncated")
"""How a score can have become a printed number, the commonest first."""


@dataclass(frozen=True, eq=False)
class PrintedAgreement:
    """The agreement of scores with printed ones: which scores round to the printed numbers."""

    matched: Bools
    """Shape (G, n): a mask of the scores that match, by the rounding that gives the most."""
    rounding: list[str]  # that rounding; rounded where halves do not decide
    decimals: str  # the digits after the point, or that each cell has its own

    @property
    def most_matched(self) -> int:
        """The number of matches of the score that matches most."""
        return int(self.matched.sum(axis=1).max(initial=0))


def is_percent(printed: Sequence[PrintedScore]) -> bool:
    """Whether a column holds percentages: a percent sign, or a number above 1."""
    return any(score.percent or abs(score.value) > 1 for score in printed)


def _unit(printed: Sequence[PrintedScore]) -> float:
    """What a score of 1 is printed as: 100 in a column of percentages."""
    if is_percent(printed):
        return 100.0
    return 1.0


def agreement_with(printed: Sequence[PrintedScore], scores: Floats) -> PrintedAgreement:
    """The agreement of scores, shape (G, n), with the n printed numbers of a column; NaN matches nothing.

    Trailing zeros may have been cut off; where some cells have fewer digits than others, both that and digits of each
    cell's own are tried.
    """
    own = np.array([score.decimals for score in printed])
    most = np.full(len(printed), own.max())
    agreement = _agreement_at(printed, most, scores, str(own.max()))
    if (own == own.max()).all():
        return agreement
    of_own = _agreement_at(printed, own, scores, "each cell’s own")
    if of_own.most_matched > agreement.most_matched:
        return of_own
    return agreement


def _agreement_at(
    printed: Sequence[PrintedScore], decimals: NDArray[np.int64], scores: Floats, n_digits: str
) -> PrintedAgreement:
    """The agreement of scores with printed ones, if each cell has this number of digits after the point."""
    units = []  # the printed numbers in units of the last digit
    for digits, score in zip(decimals.tolist(), printed, strict=True):
        n_cut_off = digits - score.decimals
        units.append(float(score.units * 10**n_cut_off))
    scale = _unit(printed) * 10.0**decimals
    matched = []
    roundings = []
    step = max(1, _BLOCK // len(printed))
    for start in range(0, len(scores), step):
        of_block, names = _best(scores[start : start + step] * scale, np.array(units))
        matched.append(of_block)
        roundings += names
    return PrintedAgreement(np.concatenate(matched), roundings, n_digits)


def _best(scores: Floats, units: Floats) -> tuple[Bools, list[str]]:
    """The scores that round to the printed numbers, in units of the last digit, by the best rounding."""
    even, up, cut = (rounded == units for rounded in _roundings(scores))
    by_rounding = np.stack([even, up, even | up, cut])  # (4, G, n)
    counts = by_rounding.sum(axis=-1)
    best = counts.argmax(axis=0)
    names = []
    for choice, n_even, n_up in zip(
        best.tolist(), counts[0].tolist(), counts[1].tolist(), strict=True
    ):
        if choice == 0 and n_even == n_up:
            names.append("rounded")
        else:
            names.append(ROUNDINGS[choice])
    matched = np.take_along_axis(by_rounding, best[None, :, None], axis=0)[0]
    return matched, names


def _roundings(units: Floats) -> tuple[Floats, Floats, Floats]:
    """Rounded half to even, half away from 0, and cut off; a half with a floating-point error counts as a half."""
    size = np.abs(units)
    below = np.floor(size + _CLOSE)
    is_half = np.abs(size - np.floor(size) - 0.5) < _CLOSE
    up = np.floor(size + 0.5 + _CLOSE)
    even = np.where(is_half & (up % 2 == 1), up - 1, up)
    sign = np.where(units < 0, -1.0, 1.0)
    return sign * even + 0.0, sign * up + 0.0, sign * below + 0.0


# By chance

# three scores of two decimals, of which another metric gives all in 25 to 30% of samples
TOO_FEW_DIGITS = 6
# of more, as six scores of two decimals, metrics share all that hardly differ in this campaign
FEW_DIGITS = 12

# how probable it may be that some reading gives more of a column of invented scores than is said
LEVEL = 0.05

_ROUNDINGS = 2  # printed numbers that a score can become: rounded, and cut off


@dataclass(frozen=True, slots=True)
class Chance:
    """The most matches that some reading gives by chance, with a probability of at least 95%."""

    of_invented: int  # of a column whose scores are all invented
    of_half: int  # of a column of which half is invented, those that are not included
    n_digits: int  # behind the point, of the whole column
    share_of_others: float
    """Readings whose numbers, printed with these digits, a reading of another metric has, too."""
    n_others: float
    """Readings of other metrics that have the numbers of a reading, in the mean over readings."""

    def explains(self, n_matched: int, n_scores: int) -> bool:
        """Whether chance explains so many: of a column that is invented where all match, else of a half of it.

        The scores of a metric that was not tried are near those of the others, not invented: of few digits some other
        metric often gives all of them.
        """
        if self.n_digits <= TOO_FEW_DIGITS:
            return True
        if self.n_digits <= FEW_DIGITS and self.share_of_others > LEVEL:
            return True
        if n_matched == n_scores:
            return n_matched <= self.of_invented
        return n_matched <= self.of_half


def chance_of(printed: Sequence[PrintedScore], scores: Floats, metrics: Sequence[str]) -> Chance:
    """The number of matches of a column that some reading gives by chance.

    An invented score is taken to be any number that the readings' scores of that team lie among, each as probable as
    the others. The bound adds up over the readings (Bonferroni), so it holds however alike they are. The scores are by
    the G readings that the campaign tells apart, shape (G, n), with the metric of each; NaN where undefined.
    """
    n_scores = len(printed)
    n_tried = _ROUNDINGS * len(scores)
    decimals = np.array([score.decimals for score in printed])
    units = _unit(printed) * 10.0**decimals
    n_digits_of_fraction = int(decimals.max())
    if is_percent(printed):
        n_digits_of_fraction += 2
    is_undefined = np.isnan(scores)
    low = np.where(is_undefined, 1.0, scores).min(axis=0)
    high = np.where(is_undefined, 0.0, scores).max(axis=0)
    n_numbers = np.maximum(high - low, 0.0) * units + 1  # among which the scores of each team lie
    shares = np.sort(1 / n_numbers)[::-1]
    n_half = n_scores // 2
    of_half = n_half + _most(shares[: n_scores - n_half], n_tried)
    n_alike = _alike_of_other_metrics(scores * units, metrics)
    return Chance(
        of_invented=_most(shares, n_tried),
        of_half=of_half,
        n_digits=n_scores * n_digits_of_fraction,
        share_of_others=float((n_alike > 0).mean()),
        n_others=float(n_alike.mean()),
    )


def _alike_of_other_metrics(units: Floats, metrics: Sequence[str]) -> NDArray[np.int64]:
    """For each of G readings how many of another metric print as the same numbers, shape (G,).

    The scores are in units of the last digit, shape (G, n).
    """
    rounded = np.nan_to_num(np.rint(units), nan=np.inf)
    numbers_of = np.unique(rounded, axis=0, return_inverse=True)[1].ravel()
    metric_of = np.unique(list(metrics), return_inverse=True)[1]
    pairs, pair_of, n_of_pair = np.unique(
        np.stack([numbers_of, metric_of]), axis=1, return_inverse=True, return_counts=True
    )
    n_with_numbers = np.bincount(numbers_of)[pairs[0]]
    n_of_others = n_with_numbers - n_of_pair
    return np.asarray(n_of_others[pair_of.ravel()])


def _most(shares: Floats, n_tried: int) -> int:
    """The most matches that any of the tried readings has by chance, exceeded with a probability of at most 5%."""
    # of a sum of independent matches, each with its share as probability
    probabilities = np.ones(1)
    for share in shares:
        probabilities = np.convolve(probabilities, [1 - share, share])
    # the probability of more than 0, 1, … n
    of_more = np.append(np.cumsum(probabilities[::-1])[::-1][1:], 0.0)
    return int(np.argmax(n_tried * of_more <= LEVEL))


def by_chance_clause(most: int, n_invented: str, what: str) -> str:
    """A clause on the most invented numbers that something matches by chance."""
    count = "none"
    if most:
        count = f"up to {most:,}"
    return f"By chance, {count} of {n_invented} would match some {what}"
