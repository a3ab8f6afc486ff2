"""Winners under other class distributions."""

from dataclasses import dataclass

from audit.domain.arrays import Floats
from audit.domain.task import ScoreKey


@dataclass(frozen=True, eq=False)
class Shift:
    """A change of the class distribution that changes the winner."""

    shares: Floats
    """The new class distribution, shape (C,)."""
    distance: float
    """Total variation distance from the old one: the share of items that would have to be of another class, range (0,
    1].
    """
    winners: tuple[int, ...]
    """The entries that are first there."""


@dataclass(frozen=True, eq=False)
class WinnerMap:
    """Winners under other class distributions, with each team's error behaviour within a gold class unchanged.

    Parameters
    ----------
    key : ScoreKey
        The metric, and the prevalence at which its ranking stands.
    reference : ndarray, shape (C,)
        The class distribution of that prevalence.
    winners : tuple of int
        Who is first there.
    uniform, nearby : ndarray, shape (T,), range [0, 1]
        Share of the drawn distributions at which a team is first, alone or with others: drawn uniformly from the
        simplex, and from a Dirichlet distribution around the reference.
    holds_uniform, holds_nearby : float, range [0, 1]
        Share of them at which a team that is first at the reference still is.
    n_draws, seed : int
        Distributions drawn of either kind, and what seeds them.
    concentration : float
        Sum of the parameters of the Dirichlet distribution around the reference.
    spread : float
        Mean total variation distance from the reference of the distributions drawn around it.
    nearest : Shift, optional
        The nearest distribution found at which another team is first; None where none was found.
    """

    key: ScoreKey
    reference: Floats
    winners: tuple[int, ...]
    uniform: Floats
    nearby: Floats
    holds_uniform: float
    holds_nearby: float
    n_draws: int
    seed: int
    concentration: float
    spread: float
    nearest: Shift | None
