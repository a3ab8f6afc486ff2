"""Gold rows that the bootstrap cannot move: a class whose recall is exactly 0 or 1 in the sample keeps it for ever.

For such a row, and only for it, each replicate draws the recall from Beta(correct + ½, prevalence − correct + ½) and
keeps the row's replicated mass. Errors are spread as observed; where the team made none, as its predictions are spread
over the other classes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.domain.evaluation import Floats, Ints
from audit.metrics.confusion import Bools

_HALF = 0.5


def at_boundary(confusions: Ints) -> Bools:
    """Which gold rows have a recall of exactly 0 or 1, which resampling cannot move, shape (..., C).

    Parameters
    ----------
    confusions : ndarray of int, shape (..., C, C + 1)
        What was observed.

    Examples
    --------
    >>> at_boundary(np.array([[[3, 1, 0], [0, 4, 0]], [[2, 2, 0], [1, 3, 0]]])).tolist()
    [[False, True], [False, False]]
    """
    correct = np.diagonal(confusions, axis1=-2, axis2=-1)
    prevalence = confusions.sum(axis=-1)
    return np.asarray((prevalence > 0) & ((correct == 0) | (correct == prevalence)))


@dataclass(frozen=True, eq=False)
class BoundaryRows:
    """The gold rows whose recall is exactly 0 or 1.

    Parameters
    ----------
    teams, labels : ndarray of int, shape (R,)
        Which team's row of which gold class.
    draws : ndarray of int, shape (R,)
        Which draw a row takes: label-identical submissions share theirs, so that they never differ.
    successes, failures : ndarray of float, shape (D,)
        Parameters of each draw's Beta distribution.
    spread : ndarray of float, shape (R, C + 1)
        How the mass of errors is spread over the prediction categories; 0 for the class itself, sum 1.
    """

    teams: Ints
    labels: Ints
    draws: Ints
    successes: Floats
    failures: Floats
    spread: Floats

    @classmethod
    def of(cls, confusions: Ints, identity: Ints) -> "BoundaryRows":
        """The boundary rows of a stack of confusions.

        Parameters
        ----------
        confusions : ndarray of int, shape (T, C, C + 1)
            What was observed.
        identity : ndarray of int, shape (T,)
            Equal for label-identical submissions.
        """
        correct = np.diagonal(confusions, axis1=1, axis2=2)
        prevalence = confusions.sum(axis=-1)
        teams, labels = np.nonzero(at_boundary(confusions))
        keys = np.stack([identity[teams], labels], axis=-1)
        _, first, draws = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        hits = correct[teams, labels][first].astype(np.float64)
        mass = prevalence[teams, labels][first]
        spread = _error_spread(confusions, teams, labels)
        return cls(teams, labels, draws.ravel(), hits + _HALF, mass - hits + _HALF, spread)

    def none(self) -> "BoundaryRows":
        """No row at all: what remains where groups are drawn, for which the repair is not valid."""
        return BoundaryRows(
            self.teams[:0], self.labels[:0], self.draws[:0], self.successes[:0], self.failures[:0], self.spread[:0]
        )

    def repair(self, confusions: NDArray[np.float64], teams: Ints, recalls: Floats) -> None:
        """Redistribute the boundary rows of replicated confusions, in place.

        Parameters
        ----------
        confusions : ndarray of float, shape (B, t, C, C + 1)
            Replicated confusions of some teams.
        teams : ndarray of int, shape (t,)
            Which teams, each once.
        recalls : ndarray of float, shape (B, D)
            A recall for each draw in each replicate.
        """
        here = np.flatnonzero(np.isin(self.teams, teams))
        order = np.argsort(teams)
        rows, labels = order[np.searchsorted(teams, self.teams[here], sorter=order)], self.labels[here]
        mass = confusions[:, rows, labels].sum(axis=-1)
        recall = recalls[:, self.draws[here]]
        confusions[:, rows, labels] = (mass * (1 - recall))[..., None] * self.spread[here]
        confusions[:, rows, labels, labels] = mass * recall


def _error_spread(confusions: Ints, teams: Ints, labels: Ints) -> Floats:
    """Shares of the errors of some rows over the prediction categories: observed, else predicted, else unanswered."""
    rows = np.arange(len(teams))
    observed = confusions[teams, labels].astype(np.float64)
    predicted = confusions.sum(axis=1)[teams].astype(np.float64)
    for errors in (observed, predicted):
        errors[rows, labels] = 0
    errors = np.where(observed.any(axis=-1, keepdims=True), observed, predicted)
    nowhere = ~errors.any(axis=-1)
    errors[nowhere] = 1  # a team that only ever predicts this class: its errors could be anything
    errors[rows, labels] = 0
    return np.asarray(errors / errors.sum(axis=-1, keepdims=True))
