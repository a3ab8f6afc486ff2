"""Populations of which every true score is known, and the test sets drawn from them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from audit.domain.arrays import Bools, Floats, Ints


def uniform(n_classes: int) -> Floats:
    """All classes alike."""
    return np.full(n_classes, 1 / n_classes)


def skewed(n_classes: int) -> Floats:
    """One class has six items in ten (nine in ten of two classes), the others share the rest."""
    first = 0.9 if n_classes == 2 else 0.6
    return np.array([first] + [(1 - first) / (n_classes - 1)] * (n_classes - 1))


def zipf(n_classes: int) -> Floats:
    """The i-th class has 1/i of the first one's items."""
    shares = 1 / np.arange(1, n_classes + 1)
    return np.asarray(shares / shares.sum())


_PARETO = 1.1

DISTRIBUTIONS = {"uniform": uniform, "skewed": skewed, "Zipf": zipf}


@dataclass(frozen=True, eq=False)
class Dependence:
    """What answers and items have in common. Every item's own chances stay those of the population.

    Parameters
    ----------
    item : float, range [0, 1)
        Share of an item's difficulty that is the same for all teams.
    group : float, range [0, 1)
        Share that is the same for all items of a group and all teams.
    team_in_group : float, range [0, 1)
        Share that is the same for all items of a group and differs by team.
    errors : float, range [0, 1]
        How often an item misleads a team as it misleads the others.
    group_size : int
        Mean number of items of a group; 1 for independent items. Sizes are drawn.
    group_shape : float
        How alike the sizes of groups are expected to be: of a gamma distribution; 0 for a Pareto distribution of shape
        1.1, a few groups of which have most of the items.
    tendency : float
        How alike the classes of a group's items are: the smaller the more (total of a Dirichlet distribution).
    """

    item: float = 0.0
    group: float = 0.0
    team_in_group: float = 0.0
    errors: float = 0.0
    group_size: int = 1
    group_shape: float = 2.0
    tendency: float = 8.0


INDEPENDENT = Dependence()


@dataclass(frozen=True, eq=False)
class TestSet:
    """What is drawn.

    Parameters
    ----------
    gold : ndarray of int, shape (N,)
        Class codes.
    answers : ndarray of int, shape (T, N)
        Class codes; C is *unanswered*.
    groups : ndarray of int, shape (N,), optional
        Which group an item belongs to.
    """

    gold: Ints
    answers: Ints
    groups: Ints | None


@dataclass(frozen=True, eq=False)
class Population:
    """Where test sets come from.

    Parameters
    ----------
    shares : ndarray, shape (C,)
        Share of each gold class.
    conditional : ndarray, shape (T, C, C + 1)
        How often each team answers an item of a gold class with each class, or not at all (last).
    dependence : Dependence
        What answers and items have in common.
    twin_of : tuple of int, optional
        Whose answers a team hands in; by default its own.
    """

    shares: Floats
    conditional: Floats
    dependence: Dependence = INDEPENDENT
    twin_of: tuple[int, ...] | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes, C."""
        return self.shares.size

    @property
    def n_teams(self) -> int:
        """Number of teams, T."""
        return len(self.conditional)

    def stratum_sizes(self, n_items: int) -> Ints:
        """Items of each class where they are fixed by design: its share, and one at least."""
        sizes = np.maximum(1, np.floor(self.shares * n_items)).astype(np.int64)
        sizes[np.argmax(sizes)] += n_items - sizes.sum()
        return sizes

    def confusions(self, present: Bools) -> Floats:
        """Expected confusions, shape (T, C, C + 1), of a population with some of the classes only."""
        shares = np.where(present, self.shares, 0)
        conditional = (
            self.conditional if self.twin_of is None else self.conditional[list(self.twin_of)]
        )
        return np.asarray((shares / shares.sum())[:, None] * conditional)

    def draw(self, rng: np.random.Generator, n_items: int, *, stratified: bool = False) -> TestSet:
        """One test set."""
        groups = self._groups(rng, n_items)
        gold = self._gold(rng, n_items, groups, stratified=stratified)
        answers = self._answers(rng, gold, groups)
        if self.twin_of is not None:
            answers = answers[list(self.twin_of)]
        return TestSet(gold, answers, groups)

    def _groups(self, rng: np.random.Generator, n_items: int) -> Ints | None:
        """Groups of random sizes, whose expected sizes vary."""
        if self.dependence.group_size == 1:
            return None
        n_groups, shape = max(2, n_items // self.dependence.group_size), self.dependence.group_shape
        weights = (
            rng.gamma(shape, size=n_groups) if shape else 1 + rng.pareto(_PARETO, size=n_groups)
        )
        return np.repeat(np.arange(weights.size), rng.multinomial(n_items, weights / weights.sum()))

    def _gold(
        self, rng: np.random.Generator, n_items: int, groups: Ints | None, *, stratified: bool
    ) -> Ints:
        if stratified:
            return np.repeat(np.arange(self.n_classes), self.stratum_sizes(n_items))
        if groups is None:
            return rng.choice(self.n_classes, n_items, p=self.shares)
        tendencies = rng.gamma(
            self.dependence.tendency * self.shares, size=(groups.max() + 1, self.n_classes)
        )
        tendencies += 1e-300 * self.shares  # a group in which all of them are 0 for a computer
        limits = np.cumsum(tendencies / tendencies.sum(axis=1, keepdims=True), axis=1)
        below = rng.random(n_items)[:, None] >= limits[groups]
        return np.asarray(below.sum(axis=1).clip(max=self.n_classes - 1), dtype=np.int64)

    def _answers(self, rng: np.random.Generator, gold: Ints, groups: Ints | None) -> Ints:
        """Answers: right where an item is easy enough for a team, else the error that it is led to."""
        recalls, errors = self._recalls_and_errors
        hardness = special.ndtr(self._hardness(rng, gold.size, groups))
        own, common = rng.random(hardness.shape), rng.random(gold.size)
        lures = np.where(rng.random(hardness.shape) < self.dependence.errors, common, own)
        rows = np.arange(self.n_teams)[:, None] * self.n_classes + gold
        places = np.searchsorted(errors, (rows + np.minimum(lures, 1 - 1e-9)).ravel(), side="right")
        wrong = places.reshape(rows.shape) - rows * (self.n_classes + 1)
        return np.where(hardness < recalls[:, gold], gold, wrong.clip(0, self.n_classes)).astype(
            np.int64
        )

    @property
    def _recalls_and_errors(self) -> tuple[Floats, Floats]:
        """Recalls, shape (T, C), and the cumulative shares of errors, each gold class one unit further on."""
        errors = self.conditional.copy()
        classes = np.arange(self.n_classes)
        recalls = errors[:, classes, classes].copy()
        errors[:, classes, classes] = 0
        totals = errors.sum(axis=-1, keepdims=True)
        limits = np.cumsum(errors / np.where(totals > 0, totals, 1), axis=-1)
        limits[limits > 1 - 1e-12] = 1
        limits += np.arange(self.n_teams * self.n_classes).reshape(self.n_teams, self.n_classes, 1)
        return recalls, limits.ravel()

    def _hardness(self, rng: np.random.Generator, n_items: int, groups: Ints | None) -> Floats:
        """Standard normal, shape (T, N), with what teams and items have in common."""
        shared = self.dependence
        own = 1 - shared.item - shared.group - shared.team_in_group
        hardness = np.sqrt(own) * rng.normal(size=(self.n_teams, n_items))
        if shared.item:
            hardness += np.sqrt(shared.item) * rng.normal(size=n_items)
        if groups is not None:
            n_groups = int(groups.max()) + 1
            hardness += np.sqrt(shared.group) * rng.normal(size=n_groups)[groups]
            hardness += (
                np.sqrt(shared.team_in_group) * rng.normal(size=(self.n_teams, n_groups))[:, groups]
            )
        return np.asarray(hardness)


# Systems of different kinds


def answering(recalls: Floats, errors: Floats, unanswered: Floats | float = 0.0) -> Floats:
    """How a system answers, shape (C, C + 1): recalls, where errors go (C × C), and how often it says nothing."""
    where = errors.copy()
    np.fill_diagonal(where, 0)
    where /= where.sum(axis=1, keepdims=True)
    conditional = (1 - recalls)[:, None] * where
    np.fill_diagonal(conditional, recalls)
    silent = np.broadcast_to(unanswered, recalls.shape)[:, None]
    return np.concatenate([conditional * (1 - silent), silent], axis=1)


def random_errors(shares: Floats, rng: np.random.Generator) -> Floats:
    """Where errors go: to frequent classes, to one class that is easily confused, and anywhere."""
    n_classes = shares.size
    confused = np.zeros((n_classes, n_classes))
    confused[
        np.arange(n_classes),
        (np.arange(n_classes) + 1 + rng.integers(0, n_classes - 1)) % n_classes,
    ] = 1
    anywhere = rng.dirichlet(np.ones(n_classes), size=n_classes)
    return np.asarray(0.5 * shares + 0.25 * confused + 0.25 * anywhere + 1e-6)


def near_perfect(shares: Floats, rng: np.random.Generator) -> Floats:
    """Errs on .2 to 2% of a class."""
    return answering(1 - rng.uniform(0.002, 0.02, shares.size), random_errors(shares, rng))


def good(shares: Floats, rng: np.random.Generator) -> Floats:
    """Recalls from .7 to .95, lower for rare classes."""
    return answering(
        _falling(shares, 0.95, 0.75) - rng.uniform(0, 0.05, shares.size), random_errors(shares, rng)
    )


def middling(shares: Floats, rng: np.random.Generator) -> Floats:
    """Recalls from .35 to .75, lower for rare classes."""
    return answering(
        _falling(shares, 0.75, 0.45) - rng.uniform(0, 0.1, shares.size), random_errors(shares, rng)
    )


def weak(shares: Floats, rng: np.random.Generator) -> Floats:
    """Answers without a look at the item in 85 of 100 cases."""
    blind = 0.85 * (0.5 * shares + 0.5 * rng.dirichlet(np.full(shares.size, 4.0)))
    conditional = np.tile(blind, (shares.size, 1)) + 0.15 * np.eye(shares.size)
    return np.concatenate([conditional, np.zeros((shares.size, 1))], axis=1)


def majority_only(shares: Floats, rng: np.random.Generator) -> Floats:
    """Always the most frequent class."""
    del rng
    conditional = np.zeros((shares.size, shares.size + 1))
    conditional[:, np.argmax(shares)] = 1
    return conditional


def never_predicts_a_class(shares: Floats, rng: np.random.Generator) -> Floats:
    """Good, but the last, rarest class is never its answer."""
    conditional = good(shares, rng)
    conditional[:, -2] = 0
    return np.asarray(conditional / conditional.sum(axis=1, keepdims=True))


def tiny_recall(shares: Floats, rng: np.random.Generator) -> Floats:
    """Good, but one class of middle rank has recall .02."""
    errors = random_errors(shares, rng)
    recalls = np.diagonal(good(shares, rng)).copy()
    recalls[shares.size // 2] = 0.02
    return answering(recalls, errors)


def with_unanswered(shares: Floats, rng: np.random.Generator) -> Floats:
    """Middling to good, with 5 to 20% of a class unanswered."""
    recalls = _falling(shares, 0.9, 0.65)
    return answering(recalls, random_errors(shares, rng), rng.uniform(0.05, 0.2, shares.size))


def _falling(shares: Floats, first: float, last: float) -> Floats:
    return np.asarray(first + (last - first) * np.arange(shares.size) / (shares.size - 1))


KINDS = {
    "near-perfect": near_perfect,
    "good": good,
    "middling": middling,
    "weak": weak,
    "majority only": majority_only,
    "never predicts a class": never_predicts_a_class,
    "tiny recall": tiny_recall,
    "unanswered": with_unanswered,
}


def systems(
    shares: Floats,
    kinds: Sequence[str],
    n_copies: int,
    seed: int,
    dependence: Dependence = INDEPENDENT,
) -> Population:
    """Some systems of each kind; those of one kind answer alike on average, and apart from each other."""
    made = [
        KINDS[kind](shares, np.random.default_rng([seed, list(KINDS).index(kind)]))
        for kind in kinds
    ]
    return Population(shares, np.repeat(made, n_copies, axis=0), dependence)
