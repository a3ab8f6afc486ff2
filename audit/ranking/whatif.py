"""Scores, ranking and winner under other class distributions, with each team's errors within a gold class unchanged.

Source: Opitz 2024, equations 5 and 6: a distribution scales the gold rows of every confusion.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audit.domain import Evaluation, LabelSet, Prevalence, ScoreKey, Shift, WinnerMap
from audit.metrics import AGGREGATES, margins_under, score_each, shares_at
from audit.ranking.ranks import competition_ranks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

DRAWS = 2_000
"""Distributions drawn from the simplex, and again around the reference: Monte Carlo standard error at most .011."""

CONCENTRATION = 50.0
"""Of the Dirichlet distribution around the reference: shares spread about as in samples of 50 items."""

_SEED = 20240416
_LEAST_SHARE = 1e-9  # a class that is in gold stays there
_DIFFERENCE = 1e-4  # of a share, to find in which direction a lead shrinks
_SECTIONS = 16  # a stretch is searched at this many places at once
_ROUNDS = 6  # each narrows the stretch by that factor
_REFINEMENTS = 3
_RANDOM_DIRECTIONS = 128
_MOST_PAIRS = 400
_NEAREST_DRAWS = 32


def scores_under(confusions: Ints, shares: Floats, names: Sequence[str], label_set: LabelSet) -> Floats:
    """Scores of every submission under many class distributions.

    Parameters
    ----------
    confusions : ndarray, shape (T, C, C + 1)
        Counts, gold × predicted, the last column *unanswered*.
    shares : ndarray, shape (D, C)
        Share of each class: positive exactly for the classes in gold, summing to 1.
    names : sequence of K str
        Metrics without prevalence, like ``averaged_f1`` or ``recall[a]``.
    label_set : LabelSet
        The C labels.

    Returns
    -------
    ndarray, shape (K, D, T)
        NaN where undefined. Higher is better.

    Raises
    ------
    UsageError
        When a share is not positive for a class in gold, or not 0 for one that gold lacks.

    Examples
    --------
    Recall .9 and .5 against .6 and .7: accuracy depends on how many items are of the first class.

    >>> confusions = np.array([[[9, 1, 0], [5, 5, 0]], [[6, 4, 0], [3, 7, 0]]])
    >>> shares = np.array([[0.5, 0.5], [0.3, 0.7]])
    >>> scores_under(confusions, shares, ["accuracy"], LabelSet(("a", "b"))).round(2).tolist()
    [[[0.7, 0.65], [0.62, 0.67]]]
    """
    scores = np.empty((len(names), len(shares), len(confusions)))
    for rows, margins in margins_under(confusions, shares):
        scores[:, rows] = score_each(names, margins, label_set)
    return scores


def first_under(evaluation: Evaluation, shares: Floats, names: Sequence[str]) -> Bools:
    """Which teams are first under many class distributions, of those that take a rank.

    Parameters
    ----------
    evaluation : Evaluation
        The T submissions and their confusions.
    shares : ndarray, shape (D, C)
        As for :func:`scores_under`.
    names : sequence of K str
        Metrics without prevalence.

    Returns
    -------
    ndarray of bool, shape (K, D, T)
        Several are first where their scores are equal; nobody is where every score is undefined.
    """
    competing = evaluation.competing
    scores = scores_under(evaluation.confusions[competing], shares, names, evaluation.task.label_set)
    first = np.zeros((*scores.shape[:2], len(competing)), dtype=bool)
    first[..., competing] = (competition_ranks(scores) == 1) & ~np.isnan(scores)
    return first


def total_variation(shares: Floats, reference: Floats) -> Floats:
    """Total variation distance: half the sum of the absolute differences of the shares.

    Examples
    --------
    >>> float(total_variation(np.array([0.5, 0.5]), np.array([0.3, 0.7])).round(3))
    0.2
    """
    distance: Floats = np.abs(shares - reference).sum(axis=-1) / 2
    return distance


# Distributions


def drawn_uniformly(present: Bools, n_draws: int, seed: int) -> Floats:
    """Distributions drawn uniformly from the simplex over the classes in gold, shape (n_draws, C)."""
    return _proper(np.random.default_rng([seed, 0]).exponential(size=(n_draws, present.size)), present)


def drawn_nearby(reference: Floats, n_draws: int, seed: int, concentration: float = CONCENTRATION) -> Floats:
    """Distributions drawn from a Dirichlet distribution around one, shape (n_draws, C)."""
    rng = np.random.default_rng([seed, 1])
    return _proper(rng.standard_gamma(concentration * reference, size=(n_draws, reference.size)), reference > 0)


def _proper(masses: Floats, present: Bools) -> Floats:
    """Masses as shares, of which no class in gold has less than the least."""
    shares = masses / np.where(present, masses, 0).sum(axis=-1, keepdims=True)
    floored: Floats = np.where(present, np.maximum(shares, _LEAST_SHARE), 0)
    return floored / floored.sum(axis=-1, keepdims=True)


def against_the_rest(reference: Floats, code: int, n_steps: int) -> Floats:
    """One class's share from 0 to 1, the others in the proportions of the reference.

    Returns
    -------
    ndarray, shape (n_steps, C)
        At the middles of equal steps, so that no class disappears.

    Examples
    --------
    >>> against_the_rest(np.array([0.5, 0.3, 0.2]), 0, 2).tolist()
    [[0.25, 0.45, 0.3], [0.75, 0.15, 0.1]]
    """
    share = (np.arange(n_steps) + 0.5) / n_steps
    rest = np.where(np.arange(reference.size) == code, 0, reference)
    shares = (1 - share)[:, None] * rest / rest.sum()
    shares[:, code] = share
    return shares


def triangle_rows(n_rows: int) -> list[Floats]:
    """Centres of the small triangles that a triangle falls into, row by row.

    Returns
    -------
    list of ndarray, shape (2 (n_rows - row) - 1, 3)
        Barycentric coordinates; the third grows from row to row, the second along a row.

    Examples
    --------
    >>> [row.round(2).tolist() for row in triangle_rows(2)]
    [[[0.67, 0.17, 0.17], [0.33, 0.33, 0.33], [0.17, 0.67, 0.17]], [[0.17, 0.17, 0.67]]]
    """
    rows = []
    for row in range(n_rows):
        place = np.arange(2 * (n_rows - row) - 1)
        upright = place % 2 == 0
        second = place // 2 + np.where(upright, 1, 2) / 3
        third = row + np.where(upright, 1, 2) / 3
        rows.append(np.stack([n_rows - second - third, second, third], axis=-1) / n_rows)
    return rows


# The map


def winner_map(evaluation: Evaluation, *, n_draws: int = DRAWS, seed: int = _SEED) -> WinnerMap | None:
    """Who would win how much of the simplex, and how near the next winner is.

    Parameters
    ----------
    evaluation : Evaluation
        Scores, ranks and confusions.
    n_draws, seed : int
        Distributions drawn of either kind, and what seeds them.

    Returns
    -------
    WinnerMap, optional
        None where fewer than two teams take a rank, or gold has fewer than two classes.
    """
    present = evaluation.present
    if evaluation.competing.sum() < 2 or present.sum() < 2:  # noqa: PLR2004 - nothing can change
        return None
    key = evaluation.task.ranking_metric
    names = tuple(dict.fromkeys([metric.slug for metric in AGGREGATES] + [key.metric]))
    reference = reference_shares(evaluation, key)
    nearby = drawn_nearby(reference, n_draws, seed)
    draws = np.concatenate([reference[None], drawn_uniformly(present, n_draws, seed), nearby])
    first = first_under(evaluation, draws, names)
    still = (first & first[:, :1]).any(axis=-1)
    row = names.index(key.metric)
    return WinnerMap(
        metric=key.metric,
        fixed=key.prevalence != "observed",
        reference=reference,
        names=names,
        winners=tuple(tuple(np.flatnonzero(winners).tolist()) for winners in first[:, 0]),
        uniform=first[:, 1 : n_draws + 1].mean(axis=1),
        nearby=first[:, n_draws + 1 :].mean(axis=1),
        holds_uniform=still[:, 1 : n_draws + 1].mean(axis=1),
        holds_nearby=still[:, n_draws + 1 :].mean(axis=1),
        n_draws=n_draws,
        seed=seed,
        concentration=CONCENTRATION,
        spread=float(total_variation(nearby, reference).mean()),
        nearest=nearest_change(evaluation, key, draws[~still[row]]),
    )


def reference_shares(evaluation: Evaluation, key: ScoreKey) -> Floats:
    """The class distribution at which a score stands, shape (C,)."""
    named = {prevalence.name: prevalence for prevalence in evaluation.prevalences}
    prevalence = named.get(key.prevalence, Prevalence(key.prevalence))
    return shares_at(prevalence, evaluation.prevalence_counts, evaluation.task.label_set)


def monte_carlo_interval(share: float, n_draws: int) -> tuple[float, float]:
    """95% interval of a share found by drawing, by Wilson's formula: sound at shares of 0 and 1 too.

    Examples
    --------
    >>> [round(end, 3) for end in monte_carlo_interval(1.0, 2000)]
    [0.998, 1.0]
    """
    z = 1.959963984540054
    centre = (share + z * z / (2 * n_draws)) / (1 + z * z / n_draws)
    half = z / (1 + z * z / n_draws) * (share * (1 - share) / n_draws + (z / (2 * n_draws)) ** 2) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)


# The nearest change


def nearest_change(evaluation: Evaluation, key: ScoreKey, changed: Floats | None = None) -> Shift | None:
    """The nearest class distribution at which another team is first.

    Searched along ways that lead away from the reference: mass moves from the classes that favour the winner over a
    rival to the class that favours the rival most, as far as the slope of the lead tells; from one class to another;
    at random; and towards distributions that are known to change the winner. The first change on the shortest way is
    then narrowed down, and the slope taken again there. For accuracy, whose leads are linear, this is exact; for other
    metrics a nearer change may exist.

    Parameters
    ----------
    evaluation : Evaluation
        Scores, ranks and confusions.
    key : ScoreKey
        The metric, at the prevalence from which the distance counts.
    changed : ndarray, shape (D, C), optional
        Distributions at which the winner is known to be another one.

    Returns
    -------
    Shift, optional
        None where no distribution on these ways has another winner.

    Examples
    --------
    Recall .9 and .5 against .6 and .7, half of the items of each class: accuracies of .7 and .65, which are equal
    where two fifths are of the first class.

    >>> import audit
    >>> gold, first = "a" * 10 + "b" * 10, "a" * 9 + "b" + "a" * 5 + "b" * 5
    >>> second = "a" * 6 + "b" * 4 + "a" * 3 + "b" * 7
    >>> evaluation = audit.evaluate(list(gold), {"X": list(first), "Y": list(second)}, n_replicates=0)
    >>> shift = nearest_change(evaluation, ScoreKey("accuracy"))
    >>> round(shift.distance, 6), shift.winners
    (0.1, (1,))
    """
    return _Search(evaluation, key).nearest(changed)


class _Search:
    """What a search for the nearest change knows: where it starts, and who is first there."""

    def __init__(self, evaluation: Evaluation, key: ScoreKey) -> None:
        self.evaluation = evaluation
        self.names = [key.metric]
        self.reference = reference_shares(evaluation, key)
        self.codes = np.flatnonzero(self.reference)
        self.winners = first_under(evaluation, self.reference[None], self.names)[0, 0]

    def nearest(self, changed: Floats | None) -> Shift | None:
        """The nearest change along all ways, refined."""
        if not self.winners.any():
            return None
        ways = [_Transfers(self.reference, self._weights()), _Rays(self.reference, self._closest(changed))]
        found = self._first_change(ways, 1e-3, 1.0, geometric=True)
        for _ in range(_REFINEMENTS if found is not None else 0):
            slopes = self._slopes(found)[self._first(found[None])[0]]
            ways = [_Transfers(self.reference, slopes)]
            closer = self._first_change(ways, 0.0, float(total_variation(found, self.reference)), geometric=False)
            if closer is None or total_variation(closer, self.reference) >= total_variation(found, self.reference):
                break
            found = closer
        if found is None:
            return None
        winners = tuple(np.flatnonzero(self._first(found[None])[0]).tolist())
        return Shift(found, float(total_variation(found, self.reference)), winners)

    def _first(self, shares: Floats) -> Bools:
        return first_under(self.evaluation, shares, self.names)[0]

    def _has_changed(self, shares: Floats) -> Bools:
        """Where somebody is first, and nobody of those who are first at the reference is."""
        first = self._first(shares)
        return np.asarray(first.any(axis=-1) & ~(first & self.winners).any(axis=-1))

    def _slopes(self, shares: Floats) -> Floats:
        """How the winner's lead over each team changes with each class's share, shape (T, C)."""
        towards = np.eye(self.reference.size)[self.codes]
        near = np.concatenate([shares[None], shares + _DIFFERENCE * (towards - shares)])
        scores = scores_under(self.evaluation.confusions, near, self.names, self.evaluation.task.label_set)[0]
        slopes = np.zeros((scores.shape[1], self.reference.size))
        leads = scores[:, [np.flatnonzero(self.winners)[0]]] - scores
        slopes[:, self.codes] = np.nan_to_num(leads[1:] - leads[:1]).T
        return slopes

    def _weights(self) -> Floats:
        """From which classes to which mass is moved: by the slopes of the leads, in pairs, at random."""
        n_classes = self.reference.size
        kinds = [self._slopes(self.reference)[self.evaluation.competing & ~self.winners]]
        if self.codes.size * (self.codes.size - 1) <= _MOST_PAIRS:
            units = np.eye(n_classes)[self.codes]
            kinds.append((units[:, None] - units[None, :])[~np.eye(self.codes.size, dtype=bool)])
        kinds.append(np.random.default_rng(_SEED).standard_normal((_RANDOM_DIRECTIONS, n_classes)))
        weights = np.concatenate(kinds)
        return weights[np.ptp(weights[:, self.codes], axis=-1) > 0]

    def _closest(self, changed: Floats | None) -> Floats:
        """The closest of the distributions known to change the winner."""
        if changed is None:
            return np.empty((0, self.reference.size))
        return changed[np.argsort(total_variation(changed, self.reference), kind="stable")[:_NEAREST_DRAWS]]

    def _first_change(
        self, ways: "list[_Transfers | _Rays]", lower: float, upper: float, *, geometric: bool
    ) -> Floats | None:
        """The first distribution with another winner on the way where that comes first; None where none has any."""
        distances = np.geomspace(lower, upper, _SECTIONS) if geometric else np.linspace(lower, upper, _SECTIONS + 1)[1:]
        best = None
        for _ in range(_ROUNDS):
            points = np.concatenate([way.at(distances) for way in ways])
            changed = self._has_changed(points.reshape(-1, points.shape[-1])).reshape(points.shape[:2])
            if not changed.any():
                break
            step = int(changed.any(axis=0).argmax())
            kept = np.flatnonzero(changed[:, step])
            best = points[kept[0], step]
            ways = [_Chosen(ways, kept)]
            distances = np.linspace(distances[step - 1] if step else 0.0, distances[step], _SECTIONS + 1)[1:]
        return best


class _Transfers:
    """Ways along which mass moves from the classes of greatest weight to the class of least weight."""

    def __init__(self, reference: Floats, weights: Floats) -> None:
        present = reference > 0
        self.reference = reference
        self.order = np.argsort(np.where(present, -weights, np.inf), axis=-1, kind="stable")
        self.target = np.where(present, weights, np.inf).argmin(axis=-1)
        gives = np.tile(np.maximum(reference - _LEAST_SHARE, 0), (len(weights), 1))
        gives[np.arange(len(weights)), self.target] = 0
        self.gives = np.take_along_axis(gives, self.order, axis=-1)
        self.before = np.cumsum(self.gives, axis=-1) - self.gives

    def at(self, distances: Floats) -> Floats:
        """Distributions at these distances, or as far as a way leads, shape (ways, distances, C)."""
        taken = np.clip(distances[:, None] - self.before[:, None, :], 0, self.gives[:, None, :])
        points = np.tile(self.reference, (*taken.shape[:2], 1))
        order = np.broadcast_to(self.order[:, None, :], taken.shape)
        np.put_along_axis(points, order, np.take_along_axis(points, order, axis=-1) - taken, axis=-1)
        points[np.arange(len(points)), :, self.target] += taken.sum(axis=-1)
        return points


class _Rays:
    """Straight ways to given distributions."""

    def __init__(self, reference: Floats, ends: Floats) -> None:
        self.reference, self.ends = reference, ends
        self.length = total_variation(ends, reference)

    def at(self, distances: Floats) -> Floats:
        """Likewise."""
        share = np.minimum(distances / self.length[:, None], 1)[..., None]
        points: Floats = self.reference + share * (self.ends - self.reference)[:, None, :]
        return points


class _Chosen:
    """Some of several ways."""

    def __init__(self, ways: "Sequence[_Transfers | _Rays | _Chosen]", kept: Ints) -> None:
        self.ways, self.kept = ways, kept

    def at(self, distances: Floats) -> Floats:
        """Likewise."""
        return np.concatenate([way.at(distances) for way in self.ways])[self.kept]
