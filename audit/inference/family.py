"""The family of all comparable teams by one metric: its draws, and what follows from them.

Gaussian max-t. Sources: Romano and Wolf 2005 (stepdown); Hsu 1984 (best set); Zrnic and Fithian 2022 (the leader).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.inference.differences import Differences
from audit.inference.gaussian import FAMILY_WISE_ERROR, Draws, ahead_of, draw, largest_difference, stepdown
from audit.metrics.confusion import Bools, Floats

_STRICT = 0.995  # which teams could have come first is decided with a wide margin
_CHOSEN, _CHOSEN_AMONG_PLAUSIBLE = 0.975, 0.98


@dataclass(frozen=True, eq=False)
class Family:
    """The t teams whose pairs are compared, and the draws of their errors.

    Parameters
    ----------
    scores : ndarray, shape (t,)
        Their scores.
    differences : Differences
        Of every pair of them.
    draws : ndarray, shape (t, B)
        Of the errors of the scores.
    """

    scores: Floats
    differences: Differences
    draws: Draws

    @classmethod
    def of(cls, scores: Floats, differences: Differences, seed: int) -> "Family":
        """A family with its draws."""
        return cls(scores, differences, draw(differences.covariance, seed))

    @cached_property
    def largest(self) -> Draws:
        """The largest |difference| / standard deviation of all pairs in each draw, shape (B,)."""
        return largest_difference(self.draws, self.differences.spread)

    @property
    def critical_value(self) -> float:
        """What |difference| / standard error must exceed in the first step; NaN where no pair can differ."""
        return self._largest_quantile(1 - FAMILY_WISE_ERROR)

    def _largest_quantile(self, probability: float) -> float:
        return float(np.quantile(self.largest, probability)) if (self.differences.spread > 0).any() else np.nan

    def adjusted_p(self) -> Floats:
        """Adjusted two-sided p of every pair, shape (t, t)."""
        spread, error = self.differences.spread, self.differences.error
        first, second = np.nonzero(np.triu(spread > 0, k=1))
        t = (self.scores[first] - self.scores[second]) / error[first, second]
        pairs = np.stack([first, second], axis=-1)
        adjusted = np.ones(spread.shape)
        adjusted[first, second] = stepdown(t, self.draws, pairs, spread[first, second], self.largest)
        return np.minimum(adjusted, adjusted.T)

    def best_set(self) -> Bools:
        """Which teams could be best: no other is farther ahead than chance explains, at 95% (Hsu 1984), shape (t,)."""
        spread, error = self.differences.spread, self.differences.error
        behind = np.divide(self.scores - self.scores[:, None], error, out=np.zeros(error.shape), where=spread > 0)
        farthest = behind.max(axis=1, initial=0.0)
        best = np.asarray(farthest <= 0)
        # The quantile of one team's rivals is at most that of all pairs: most teams are out without drawing.
        for team in np.flatnonzero((farthest > 0) & (farthest <= self.critical_value)).tolist():
            ahead = ahead_of(team, self.draws, spread[team])
            best[team] = farthest[team] <= np.quantile(ahead, 1 - FAMILY_WISE_ERROR)
        return best

    def chosen_quantile(self, leader: int) -> float:
        """What replaces 1.96 at the lower end of the leader's interval, as it was chosen for its score.

        That of the largest error among all teams, or a stricter one among those that could have come first, whichever
        is smaller.
        """
        errors = np.sqrt(np.diagonal(self.differences.covariance))
        varying = errors > 0
        if not varying.any():
            return 0.0
        standard = self.draws[varying] / errors[varying, None]
        of_all = float(np.quantile(standard.max(axis=0), _CHOSEN))
        plausible = self._plausible(leader)[varying]
        if not plausible.any():
            return of_all
        return min(of_all, float(np.quantile(standard[plausible].max(axis=0), _CHOSEN_AMONG_PLAUSIBLE)))

    def _plausible(self, leader: int) -> Bools:
        """Which teams could have come first: near one that is near the leader, shape (t,)."""
        near = np.nan_to_num(self._largest_quantile(_STRICT)) * self.differences.error
        close = self.scores[leader] - self.scores <= near[leader]
        return np.asarray((np.abs(self.scores[:, None] - self.scores) <= 2 * near)[close].any(axis=0))
