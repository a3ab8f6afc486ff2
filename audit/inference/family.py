"""The family of all comparable teams by one metric: its draws, and what follows from them.

Gaussian max-t. Sources: Romano and Wolf 2005 (stepdown); Hsu 1984 (best set); Zrnic and Fithian 2024 (the leader).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from audit.domain.arrays import Bools, Floats, Ints
from audit.inference.differences import Differences
from audit.inference.gaussian import FAMILY_WISE_ERROR, Draws, ahead_of, draw, largest_difference, stepdown
from audit.inference.intervals import quantile_of, two_sided_p

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
        The difference of every pair of them.
    draws : ndarray, shape (t, B)
        Draws of the errors of the scores.
    n_groups : int
        Groups of items that were drawn; 0 where items are independent.
    """

    scores: Floats
    differences: Differences
    draws: Draws
    n_groups: int = 0

    @classmethod
    def of(cls, scores: Floats, differences: Differences, seed: int, n_groups: int, names: Sequence[Any]) -> "Family":
        """A family with its draws, those of Student's distribution where few groups of items were drawn.

        They are drawn in the order of the t teams' names, so that each team's are the same however the teams stand.
        """
        order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        drawn = draw(differences.covariance[np.ix_(order, order)], seed, n_groups=n_groups)
        draws = np.empty_like(drawn)
        draws[order] = drawn
        return cls(scores, differences, draws, n_groups)

    @cached_property
    def largest(self) -> Draws:
        """The largest |difference| / standard deviation of all pairs in each draw, shape (B,)."""
        return largest_difference(self.draws, self.differences.spread)

    @property
    def critical_value(self) -> float:
        """The value that |difference| / standard error must exceed in the first step; NaN where no pair can differ."""
        return self._largest_quantile(1 - FAMILY_WISE_ERROR)

    def _largest_quantile(self, probability: float) -> float:
        if (self.differences.spread > 0).any():
            return float(np.quantile(self.largest, probability))
        n_still = int(np.triu(self._still).sum())
        return quantile_of(self.n_groups, 1 - (1 - probability) / (2 * n_still)) if n_still else np.nan

    @cached_property
    def _still(self) -> Bools:
        """Pairs that differ though no draw of items moves the difference, shape (t, t)."""
        return np.asarray((self.differences.spread == 0) & (self.differences.error > 0))

    @cached_property
    def _t(self) -> Floats:
        """Difference / standard error of the row's team over the column's, shape (t, t); 0 where there is no error."""
        error = self.differences.error
        return np.divide(self.scores[:, None] - self.scores, error, out=np.zeros(error.shape), where=error > 0)

    def adjusted_p(self) -> Floats:
        """Adjusted two-sided p of every pair, shape (t, t)."""
        spread = self.differences.spread
        first, second = np.nonzero(np.triu(spread > 0, k=1))
        pairs = np.stack([first, second], axis=-1)
        adjusted = np.ones(spread.shape)
        t = self._t[first, second]
        adjusted[first, second] = stepdown(t, self.draws, pairs, spread[first, second], self.largest)
        still = np.nonzero(np.triu(self._still, k=1))
        adjusted[still] = self._adjusted_p_of_still(np.abs(self._t[still]))
        return np.minimum(adjusted, adjusted.T)

    def _adjusted_p_of_still(self, t: Floats) -> Floats:
        """Bonferroni's sum for pairs without draws of their own: p of the family's maximum, and of each by itself."""
        n_draws = len(self.largest)
        of_family = [(1 + np.count_nonzero(self.largest >= each)) / (n_draws + 1) for each in t.tolist()]
        return np.minimum(np.array(of_family) + len(t) * two_sided_p(t, self.n_groups), 1.0)

    def best_set(self) -> Bools:
        """Which teams could be best: no other is farther ahead than chance explains, at 95% (Hsu 1984), shape (t,)."""
        spread = self.differences.spread
        farthest = np.where(spread > 0, self._t.T, 0.0).max(axis=1, initial=0.0)
        best = np.asarray(farthest <= 0)
        # The quantile of one team's rivals is at most that of all pairs: most teams are out without drawing.
        for team in np.flatnonzero((farthest > 0) & (farthest <= self.critical_value)).tolist():
            ahead = ahead_of(team, self.draws, spread[team])
            best[team] = farthest[team] <= np.quantile(ahead, 1 - FAMILY_WISE_ERROR)
        return best & ~self._certainly_behind()

    def _certainly_behind(self) -> Bools:
        """Which teams another one is ahead of by a difference that no draw of items moves, shape (t,)."""
        n_still = max(1, int(np.triu(self._still).sum()))
        least = np.fmax(self.critical_value, quantile_of(self.n_groups, 1 - FAMILY_WISE_ERROR / n_still))
        return np.asarray((np.where(self._still, self._t.T, 0.0) > least).any(axis=1))

    def chosen_quantile(self, leaders: Ints) -> float:
        """The quantile in place of 1.96 for the lower end of who is first, as they were chosen for their score.

        That of the largest error among all teams, or a stricter one among those that could have come first, whichever
        is smaller; one for all that are level, shape (n,), so that it does not depend on their names.
        """
        errors = np.sqrt(np.diagonal(self.differences.covariance))
        varying = errors > 0
        if not varying.any():
            return 0.0
        standard = self.draws[varying] / errors[varying, None]
        of_all = float(np.quantile(standard.max(axis=0), _CHOSEN))
        plausible = self._plausible(leaders)[varying]
        if not plausible.any():
            return of_all
        return min(of_all, float(np.quantile(standard[plausible].max(axis=0), _CHOSEN_AMONG_PLAUSIBLE)))

    def _plausible(self, leaders: Ints) -> Bools:
        """Which teams could have come first: near one that is near a leader, shape (t,)."""
        near = np.nan_to_num(self._largest_quantile(_STRICT)) * self.differences.error
        close = (self.scores[leaders, None] - self.scores <= near[leaders]).any(axis=0)
        return np.asarray((np.abs(self.scores[:, None] - self.scores) <= 2 * near)[close].any(axis=0))
