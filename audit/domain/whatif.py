"""Who would win under other class distributions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shift:
    """A change of the class distribution that changes the winner.

    Parameters
    ----------
    shares : ndarray, shape (C,)
        The new class distribution.
    distance : float, range (0, 1]
        Total variation distance from the old one: the share of items that would have to be of another class.
    winners : tuple of int
        Who is first there.
    """

    shares: Floats
    distance: float
    winners: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class WinnerMap:
    """Who would win under other class distributions, with each team's error behaviour within a gold class unchanged.

    Parameters
    ----------
    metric : str
        The ranking metric, without its prevalence.
    fixed : bool
        Whether the ranking metric states its prevalence, so that the distribution of the test set does not enter.
    reference : ndarray, shape (C,)
        The class distribution at which the ranking stands: gold's, or the one that the ranking metric states.
    names : tuple of str
        The M metrics mapped: the ten aggregates, and the ranking metric where it is none of them.
    winners : tuple of tuple of int
        Who is first by each metric at the reference.
    uniform, nearby : ndarray, shape (M, T), range [0, 1]
        Share of the drawn distributions at which a team is first, alone or with others: drawn uniformly from the
        simplex, and from a Dirichlet distribution around the reference.
    holds_uniform, holds_nearby : ndarray, shape (M,), range [0, 1]
        Share of them at which a team that is first at the reference still is.
    n_draws, seed : int
        Distributions drawn of either kind, and what seeds them.
    concentration : float
        Sum of the parameters of the Dirichlet distribution around the reference.
    spread : float
        Mean total variation distance from the reference of the distributions drawn around it.
    nearest : Shift, optional
        The nearest distribution found at which the ranking metric has another winner; None where none was found.
    """

    metric: str
    fixed: bool
    reference: Floats
    names: tuple[str, ...]
    winners: tuple[tuple[int, ...], ...]
    uniform: Floats
    nearby: Floats
    holds_uniform: Floats
    holds_nearby: Floats
    n_draws: int
    seed: int
    concentration: float
    spread: float
    nearest: Shift | None

    @property
    def row(self) -> int:
        """Which of the metrics is the ranking metric."""
        return self.names.index(self.metric)
