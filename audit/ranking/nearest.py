"""The nearest class distribution that has another winner, and the share of all of them that each team wins."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from audit.domain import Evaluation, Feature, ScoreKey, Shift, WinnerMap
from audit.domain.analyses import analysis
from audit.domain.arrays import Bools, Floats
from audit.metrics import Margins, gradient_of, row_scale, scale_of
from audit.metrics.elementary import exponential
from audit.ranking.prevalence_shift import (
    CONCENTRATION,
    LEAST_SHARE,
    drawn_nearby,
    drawn_uniformly,
    first_under,
    reference_shares,
    total_variation,
)

# distances from the reference → distributions there, (ways, distances, C)
Ways = Callable[[Floats], Floats]
_LOG_NEAREST = -6.907755278982137  # ln of the first distance looked at, a thousandth
_SECTIONS = 20  # a stretch is looked at in this many places at once
_STEPS_AT_ONCE = 4  # so many are looked at before those farther away
_ROUNDS = 5  # each narrows the stretch by that factor
_REFINEMENTS = 3
_RANDOM_WAYS = 64
_MOST_PAIRS = 400
MANY_CLASSES = 200  # above so many classes fewer distributions are drawn
_MOST_RAYS = 32
# from the simplex, and again around the reference: Monte Carlo standard error at most .011
DRAWS = 2_000
# of many classes, each of which every team's score has to be added up for: at most .023
FEWER_DRAWS = 500
SEED = 20240416


def nearest_change(
    evaluation: Evaluation, key: ScoreKey, changed: Floats | None = None
) -> Shift | None:
    """The nearest class distribution at which another team is first.

    Searched along ways that lead away from the reference: mass moves from the classes that favour the winner over a
    rival to the class that favours the rival most, as the slope of the lead tells; from one class to another; at
    random; and towards distributions that are known to change the winner. The first change on any way is narrowed
    down, and the slope taken again there. For accuracy, whose leads are linear, this is exact where one team is first;
    for other metrics, and where several teams share the first place and all have to be overtaken, a nearer change may
    exist.
    """
    start = _Start.of(evaluation, key)
    if not start.winners.any():
        return None
    rivals = evaluation.contending & ~start.winners
    ways = [transfers(start.reference, weights) for weights in _weights(start, rivals)]
    if changed is not None and len(changed):
        by_distance = np.argsort(total_variation(changed, start.reference), kind="stable")
        ways.append(rays(start.reference, changed[by_distance[:_MOST_RAYS]]))

    def all_ways(distances: Floats) -> Floats:
        return np.concatenate([some(distances) for some in ways])

    distances = exponential(np.linspace(_LOG_NEAREST, 0.0, _SECTIONS))
    shares = _first_change(start, all_ways, distances)
    if shares is None:
        return None
    return start.shift(_refined(start, shares))


@dataclass(frozen=True, eq=False)
class _Start:
    """The start of a search: the reference distribution, and who is first there."""

    evaluation: Evaluation
    name: str  # of the metric
    reference: Floats
    winners: Bools

    @classmethod
    def of(cls, evaluation: Evaluation, key: ScoreKey) -> "_Start":
        """The start of a search by one metric."""
        reference = reference_shares(evaluation, key)
        (winners,) = first_under(evaluation, reference[None], key.metric)
        return cls(evaluation, key.metric, reference, winners)

    def changes(self, shares: Floats) -> Bools:
        """A mask of the distributions under which nobody who is first at the reference is first."""
        first = first_under(self.evaluation, shares, self.name)
        return np.asarray(first.any(axis=-1) & ~(first & self.winners).any(axis=-1))

    def shift(self, shares: Floats) -> Shift:
        """The shift of the class distribution to these shares, with its winners and distance."""
        first = first_under(self.evaluation, shares[None], self.name)[0]
        return Shift(
            shares,
            float(total_variation(shares, self.reference)),
            tuple(np.flatnonzero(first).tolist()),
        )

    def slopes(self, shares: Floats) -> Floats:
        """How the winner's lead over each team grows with each class's share, shape (T, C).

        A class's share multiplies its row: the slope of a score is N · (mean of ψ over the row, less its mean over
        all shares).
        """
        cells = self.evaluation.cells
        labels = self.evaluation.task.label_set
        scale = row_scale(cells.prevalence, shares)
        gradient = gradient_of(self.name, Margins.of_cells(cells, scale), labels)
        column = np.concatenate([gradient.bias, gradient.unanswered[..., None]], axis=-1)
        of_row = cells.row_means(column, gradient.correct, gradient.cells) + gradient.prevalence
        mean = (of_row * shares).sum(axis=-1, keepdims=True)
        n_items = cells.prevalence.sum(axis=-1, keepdims=True)
        growth = n_items * np.where(shares > 0, of_row - mean, 0.0)
        # Leads only: what a score of 0 is turned to stands on both sides.
        goodness = scale_of(self.name, labels).goodness(growth)
        winner = int(self.winners.argmax())
        return np.asarray(np.nan_to_num(goodness[[winner]] - goodness))


def _weights(start: _Start, rivals: Bools) -> Sequence[Floats]:
    """The directions in which class mass is moved: along the slopes of the leads, in pairs, at random."""
    codes = np.flatnonzero(start.reference)
    n_classes = start.reference.size
    random = np.empty((_RANDOM_WAYS, n_classes))
    drawn = np.random.default_rng(SEED).standard_normal(random.shape)
    random[:, start.evaluation.class_order] = drawn
    kinds = [start.slopes(start.reference)[rivals], random]
    if codes.size * (codes.size - 1) <= _MOST_PAIRS:
        units = np.eye(n_classes)[codes]
        transfers_of_pairs = units[:, None] - units[None, :]
        is_pair = ~np.eye(codes.size, dtype=bool)
        kinds.append(transfers_of_pairs[is_pair])
    return kinds


def _refined(start: _Start, shares: Floats) -> Floats:
    """A change that is no farther: along the slope of the lead over the new winner, taken at the change."""
    for _ in range(_REFINEMENTS):
        distance = total_variation(shares, start.reference)
        first = first_under(start.evaluation, shares[None], start.name)[0]
        ways = transfers(start.reference, start.slopes(shares)[first])
        closer = _first_change(start, ways, np.linspace(0, distance, _SECTIONS + 1)[1:])
        if closer is None or total_variation(closer, start.reference) >= distance:
            break
        shares = closer
    return shares


def _first_change(start: _Start, ways: Ways, distances: Floats) -> Floats | None:
    """The first distribution with another winner, on the way where that comes first; None where no way has any."""
    kept = np.arange(len(ways(distances[:1])))
    shares = None
    for _ in range(_ROUNDS):
        points = ways(distances)[kept]
        found = _first_step(start, points)
        if found is None:
            break
        step, chosen = found
        shares = points[chosen, step][0]
        kept = kept[chosen]
        distances = np.linspace(
            distances[step - 1] if step else 0.0, distances[step], _SECTIONS + 1
        )[1:]
    return shares


def _first_step(start: _Start, points: Floats) -> tuple[int, Bools] | None:
    """The first distance at which some way has another winner, with a mask of these ways; None where none has.

    Points have the shape (ways, distances, C). Distances are looked at a few at a time, from the nearest on.
    """
    n_ways, n_steps, n_classes = points.shape
    for first in range(0, n_steps, _STEPS_AT_ONCE):
        block = points[:, first : first + _STEPS_AT_ONCE]
        changed = start.changes(block.reshape(-1, n_classes)).reshape(n_ways, -1)
        if changed.any():
            step = int(changed.any(axis=0).argmax())
            return first + step, changed[:, step]
    return None


def transfers(reference: Floats, weights: Floats) -> Ways:
    """Ways along which mass moves from the classes of greatest weight to the class of least weight.

    Of all changes at a total variation distance these make a weighted sum of the shares smallest.
    """
    present = reference > 0
    each = np.arange(len(weights))
    target = np.where(present, weights, np.inf).argmin(axis=-1)
    gives = np.tile(np.maximum(reference - LEAST_SHARE, 0), (len(weights), 1))
    gives[each, target] = 0
    order = np.argsort(np.where(present, -weights, np.inf), axis=-1, kind="stable")
    given_first = np.take_along_axis(gives, order, axis=-1)
    before = np.empty_like(gives)  # what the classes before a class in this order give
    np.put_along_axis(before, order, np.cumsum(given_first, axis=-1) - given_first, axis=-1)

    def at(distances: Floats) -> Floats:
        taken = np.clip(distances[:, None] - before[:, None, :], 0, gives[:, None, :])
        points: Floats = reference - taken
        points[each, :, target] += taken.sum(axis=-1)
        return points

    return at


def rays(reference: Floats, ends: Floats) -> Ways:
    """Straight ways to given distributions, which are not overshot."""
    length = total_variation(ends, reference)[:, None]

    def at(distances: Floats) -> Floats:
        part = np.minimum(distances / length, 1)[..., None]
        return reference + part * (ends - reference)[:, None, :]

    return at


@analysis("winner_map", needs=frozenset({Feature.PREVALENCES}))
def winner_map(
    evaluation: Evaluation, key: ScoreKey | None = None, *, seed: int = SEED
) -> WinnerMap | None:
    """The winner map by one metric: the share of the simplex that each team wins, and the nearest other winner.

    None where fewer than two teams can be first, gold has fewer than two classes, nobody is first, or sets are scored.
    """
    key, present = key or evaluation.task.ranking_metric, evaluation.present
    few = evaluation.contending.sum() < 2 or present.sum() < 2  # noqa: PLR2004 - nothing can change
    if few or not evaluation.task.label_set.supports(Feature.PREVALENCES):
        return None
    if present.size <= MANY_CLASSES:
        n_draws = DRAWS
    else:
        n_draws = FEWER_DRAWS
    reference = reference_shares(evaluation, key)
    order = evaluation.class_order
    uniform = drawn_uniformly(present, n_draws, seed, order)
    nearby = drawn_nearby(reference, n_draws, seed, order=order)
    draws = np.concatenate([reference[None], uniform, nearby])
    first = first_under(evaluation, draws, key.metric)
    if not first[0].any():
        return None
    still = (first & first[0]).any(axis=-1)
    return WinnerMap(
        key=key,
        reference=reference,
        winners=tuple(np.flatnonzero(first[0]).tolist()),
        uniform=first[1 : n_draws + 1].mean(axis=0),
        nearby=first[n_draws + 1 :].mean(axis=0),
        holds_uniform=float(still[1 : n_draws + 1].mean()),
        holds_nearby=float(still[n_draws + 1 :].mean()),
        n_draws=n_draws,
        seed=seed,
        concentration=CONCENTRATION,
        spread=float(total_variation(nearby, reference).mean()),
        nearest=nearest_change(evaluation, key, draws[~still]),
    )


def monte_carlo_interval(share: float, n_draws: int) -> tuple[float, float]:
    """95% interval of a share found by drawing, by Wilson's formula: sound at shares of 0 and 1 too."""
    z = 1.959963984540054
    centre = (share + z * z / (2 * n_draws)) / (1 + z * z / n_draws)
    half = (
        z
        / (1 + z * z / n_draws)
        * (share * (1 - share) / n_draws + (z / (2 * n_draws)) ** 2) ** 0.5
    )
    return max(0.0, centre - half), min(1.0, centre + half)
