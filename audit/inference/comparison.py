"""Every pair of teams by one metric: draws of their errors, and the decisions and intervals that follow from them.

Gaussian max-t; where items come in groups, signs of whole groups. Sources: Romano and Wolf 2005 (stepdown); Hsu 1984,
with two-sided levels (who could be best); Zrnic and Fithian 2024 (the leader).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from audit.domain import FAMILY_WISE_ERROR, Comparison, Evaluation, PairComparison, ScoreKey
from audit.domain.answer_order import places_among
from audit.domain.arrays import Bools, Counts, Floats, Ints
from audit.errors import UsageError
from audit.execution import IN_THIS_PROCESS, Blocks
from audit.inference.differences import Differences, differences
from audit.inference.gaussian import N_DRAWS, Draws, Neighbours, draw, stepdown
from audit.inference.group_sums import ends_of_differences
from audit.inference.intervals import ends_of_entries
from audit.inference.items import Items, items_of
from audit.inference.proportion_intervals import quantile_of, two_sided_p
from audit.inference.randomization import randomization_p
from audit.inference.relation import Relation
from audit.inference.sources import variances
from audit.metrics import metric_of, scale_of
from audit.metrics.confusion import ratio
from audit.text import plural, quoted
from audit.threads import in_one_thread

# differences under other signs that are nearer to the observed one differ by rounding
_EQUAL = 1e-6
_STRICT = 0.995  # which teams could have come first is decided with a wide margin
_CHOSEN = 0.975
_CHOSEN_AMONG_PLAUSIBLE = 0.98
# a team's typical standard error over that of the field, above which the team is uncertain
_LESS_SURE = 2.0
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Family:
    """The t teams whose pairs are compared, and what their differences may be by chance alone."""

    scores: Floats  # (t,): their scores; more is better
    differences: Differences  # the difference of every pair of them
    draws: Draws
    """(t, B): draws of the errors of the scores; of groups their sums under patterns of signs."""
    n_groups: int = 0  # groups of items that were drawn; 0 where items are independent
    seed: int = 1
    order: Counts | None = None
    """(t,): the order of the teams in which errors are drawn; None as they stand."""

    @classmethod
    def of(
        cls, scores: Floats, differences: Differences, seed: int, n_groups: int, order: Counts
    ) -> "Family":
        """A family with its draws, in an order of the t teams that follows from their answers: names change nothing."""
        if differences.groups is not None and len(scores):
            draws: Draws = differences.groups.draws(seed)
        else:
            draws = drawn_in_order(order, differences.covariance, seed, 0)
        return cls(scores, differences, draws, n_groups, seed, order)

    @cached_property
    def _of_scores(self) -> Draws:
        """Draws of the errors of the scores, of Student's distribution where few groups of items were drawn, (t, B)."""
        if self.differences.groups is None:
            return self.draws
        if self.order is None:
            order = np.arange(len(self.scores))
        else:
            order = self.order
        return drawn_in_order(order, self.differences.covariance, self.seed, self.n_groups)

    @property
    def n_draws(self) -> int:
        """Draws, or patterns of signs beside the observed one, B."""
        return int(self.draws.shape[1])

    @cached_property
    def largest(self) -> Draws:
        """The largest |difference| / standard deviation of all pairs in each draw, shape (B,)."""
        return self._neighbours.largest()

    @cached_property
    def _neighbours(self) -> Neighbours:
        return Neighbours.of(self.draws, self.differences.spread)

    @property
    def critical_value(self) -> float:
        """The value that |difference| / standard error must exceed in the first step; NaN where no pair can differ.

        Infinite where groups are so few that no pattern of signs is rare enough.
        """
        if self.differences.groups is not None and (self.differences.spread > 0).any():
            return self._largest_not_rare(self.largest)
        return self._largest_quantile(1 - FAMILY_WISE_ERROR)

    def _largest_not_rare(self, largest: Draws) -> float:
        """The largest of these that is reached too often for a claim."""
        # with it, the observed one is one too many
        n_allowed = math.floor(FAMILY_WISE_ERROR * (len(largest) + 1))
        if n_allowed:
            return float(np.sort(largest)[-n_allowed])
        return math.inf

    def own_critical_value(self, team: int) -> float:
        """Likewise for a team's own t − 1 comparisons."""
        largest = self._neighbours.largest_of(team)
        if self.differences.groups is not None:
            return self._largest_not_rare(largest)
        return float(np.quantile(largest, 1 - FAMILY_WISE_ERROR))

    def _largest_quantile(self, probability: float) -> float:
        if (self.differences.spread > 0).any():
            return float(np.quantile(self.largest, probability))
        if self._still.any():
            return self._quantile_of_still(probability)
        return np.nan

    def _met(self, t: Floats) -> Floats:
        """What a draw must reach to be as large as an observed t: of patterns of signs many are equal to it."""
        if self.differences.groups is None:
            return t
        return t * (1 - _EQUAL)

    @cached_property
    def _still(self) -> Bools:
        """Pairs that differ though no draw of items moves the difference, shape (t, t)."""
        return np.asarray((self.differences.spread == 0) & (self.differences.error > 0))

    def _quantile_of_still(self, probability: float) -> float:
        """Bonferroni's quantile for the pairs that no draw moves, two-sided."""
        n_still = max(1, int(np.triu(self._still).sum()))
        return quantile_of(self.n_groups, 1 - (1 - probability) / (2 * n_still))

    @cached_property
    def t(self) -> Floats:
        """The statistic max(D − add, 0)/SE of the row's team over the column's, shape (t, t).

        `add` is the most that classes which the column's team never predicts, and the row's does, could add to the
        column's score. The data do not identify it, so that it is taken off the lead.
        """
        lead = self.scores[:, None] - self.scores - self.differences.unidentified
        return self.differences.normal_equivalent(
            ratio(np.maximum(lead, 0.0), self.differences.error)
        )

    @cached_property
    def _t_given(self) -> Floats:
        """max(D, 0)/SE: given that each team never predicts what it does not predict here, shape (t, t)."""
        lead = np.maximum(self.scores[:, None] - self.scores, 0.0)
        return self.differences.normal_equivalent(ratio(lead, self.differences.error))

    @cached_property
    def adjusted_p(self) -> Floats:
        """Adjusted two-sided p of every pair, shape (t, t)."""
        return self._adjusted_p(self.t)

    def _adjusted_p(self, t: Floats) -> Floats:
        spread = self.differences.spread
        size = self._met(np.maximum(t, t.T))
        first, second = np.nonzero(np.triu(spread > 0, k=1))
        pairs = np.stack([first, second], axis=-1)
        adjusted = np.ones(spread.shape)
        sizes = size[first, second]
        deviations = spread[first, second]
        adjusted[first, second] = stepdown(sizes, self.draws, pairs, deviations, self.largest)
        still = np.nonzero(np.triu(self._still, k=1))
        adjusted[still] = self._adjusted_p_of_still(size[still])
        return np.minimum(adjusted, adjusted.T)

    def _adjusted_p_of_still(self, t: Floats) -> Floats:
        """Pairs without draws of their own: p of the family's maximum, or Bonferroni's, whichever is larger."""
        p_of_family = []
        for each in t.tolist():
            n_reached = np.count_nonzero(self.largest >= each)
            p_of_family.append((1 + n_reached) / (self.n_draws + 1))
        bonferroni = len(t) * two_sided_p(t, self.n_groups)
        return np.minimum(np.maximum(p_of_family, bonferroni), 1.0)

    def relation(self, ranks: Ints) -> Relation:
        """Who is ahead of whom, and all that follows, given the teams' ranks, shape (t,)."""
        decided = self._decided(self.adjusted_p, self.t)
        return Relation.of(ranks, decided, self._is_out | decided.any(axis=0), self.uncertain)

    @cached_property
    def _behind(self) -> Floats:
        """The largest t by which another is ahead of each team in its own t − 1 comparisons, shape (t,); 0 for none."""
        too_small = self._still & (self.t <= self._quantile_of_still(1 - FAMILY_WISE_ERROR))
        return self._met(np.where(too_small, 0.0, self.t).max(axis=0, initial=0.0))

    @property
    def _is_out(self) -> Bools:
        """Teams that another is ahead of by their own t − 1 comparisons, shape (t,): by its largest t, p ≤ .05."""
        behind = self._behind
        # with p = (1 + number of draws that reach it)/(B + 1)
        most_reached = FAMILY_WISE_ERROR * (self.n_draws + 1) - 1
        # the largest of all pairs reaches it at least as often as the largest of the team's own
        is_out = np.count_nonzero(self.largest >= behind[:, None], axis=1) <= most_reached
        for team in np.flatnonzero(~is_out & (behind > 0)).tolist():
            is_out[team] = self._neighbours.reached(team, behind[team]) <= most_reached
        return np.asarray(is_out & (behind > 0))

    def own_p(self, team: int) -> float:
        """The p of the largest t by which another is ahead of a team, in the team's own t − 1 comparisons."""
        behind = float(self._behind[team])
        if behind > 0:
            return (1 + self._neighbours.reached(team, behind)) / (self.n_draws + 1)
        return 1.0

    def p_of_best(self, leader: int) -> float:
        """The p of a team's being ahead of all others: the largest of those with which each of them is out.

        By its own comparisons, or by a team that is ahead of it over all pairs, whichever p is smaller.
        """
        p_where_ahead = np.where(self.t > 0, self.adjusted_p, 1.0)
        out_by_pairs = p_where_ahead.min(axis=0, initial=1.0)
        out_by_pairs[leader] = 0.0
        largest = 0.0
        for team in np.argsort(-out_by_pairs, kind="stable").tolist():
            if team == leader:
                continue
            if out_by_pairs[team] <= largest:  # and those of all further teams are no larger
                break
            p = min(float(out_by_pairs[team]), self.own_p(team))
            largest = max(largest, p)
        return largest

    def deciding(self, relation: Relation) -> tuple[Floats, Bools]:
        """The p of the test that decides each pair, and where it is only the comparison with the best, shape (t, t)."""
        p = self.adjusted_p.copy()
        by_best = np.zeros(p.shape, dtype=bool)
        if len(p) < 2:  # noqa: PLR2004 - a pair
            return p, by_best
        best, *level = np.flatnonzero(relation.ranks == relation.ranks.min()).tolist()
        if level:
            return p, by_best
        is_alone = relation.could_be_best.sum() == 1
        p_of_best = self.p_of_best(best)
        if p_of_best <= FAMILY_WISE_ERROR and not is_alone:
            # others stay beside it so that the eye is not misled: their pairs decide
            return p, by_best
        others = np.arange(len(p)) != best
        by_best[best] = others & is_alone & (p[best] > FAMILY_WISE_ERROR)
        p[best, others] = np.minimum(p[best, others], p_of_best)
        p[others, best] = p[best, others]
        return p, by_best

    def critical_values(self, by_best: Bools) -> Floats:
        """The critical value of the test that decides each pair, shape (t, t)."""
        critical = np.full(by_best.shape, self.critical_value)
        for team in np.flatnonzero(by_best.any(axis=0)).tolist():
            own = np.where(by_best[:, team], self.own_critical_value(team), critical[:, team])
            critical[:, team] = critical[team] = own
        return critical

    def decided_given(self) -> Bools:
        """Who is ahead of whom over all pairs, given that teams never predict what they do not predict here, (t, t)."""
        if self.differences.unidentified.any():
            given = self._adjusted_p(self._t_given)
        else:
            given = self.adjusted_p
        return self._decided(given, self._t_given)

    @staticmethod
    def _decided(adjusted_p: Floats, t: Floats) -> Bools:
        return (adjusted_p <= FAMILY_WISE_ERROR) & (t > 0)

    @cached_property
    def uncertain(self) -> Bools:
        """Teams whose differences are much less sure than the field's, shape (t,).

        Their median standard error is above twice the median of all teams', or they never predict a class that others
        predict, of which their score says nothing.
        """
        n_teams = len(self.scores)
        if n_teams <= 3:  # noqa: PLR2004 - of three the median is one of two
            return np.zeros(n_teams, dtype=bool)
        is_pair = ~np.eye(n_teams, dtype=bool)
        errors = self.differences.error[is_pair].reshape(n_teams, n_teams - 1)
        median_errors = np.median(errors, axis=1)
        is_imprecise = median_errors > _LESS_SURE * np.median(median_errors)
        is_unidentified = (self.differences.unidentified > 0).any(axis=0)
        return is_imprecise | is_unidentified

    def chosen_quantile(self, leaders: Ints) -> float:
        """The quantile in place of 1.96 for the lower end of who is first, as they were chosen for their score.

        That of the largest error among all teams, or a stricter one among those that could have come first, whichever
        is smaller; one for all that are level, shape (n,), so that it does not depend on their names.
        """
        errors = np.sqrt(np.diagonal(self.differences.covariance))
        varies = errors > 0
        if not varies.any():
            return 0.0
        standard_errors = self._of_scores[varies] / errors[varies, None]
        quantile_of_all = float(np.quantile(standard_errors.max(axis=0), _CHOSEN))
        # a team is plausible within 2 c·SE of one that is within c·SE of a leader
        margin = np.nan_to_num(self._largest_quantile(_STRICT)) * self.differences.error
        differences = self.scores[:, None] - self.scores
        is_close = (differences[leaders] <= margin[leaders]).any(axis=0)
        is_plausible = (np.abs(differences) <= 2 * margin)[is_close].any(axis=0)[varies]
        if not is_plausible.any():
            return quantile_of_all
        largest = standard_errors[is_plausible].max(axis=0)
        return min(quantile_of_all, float(np.quantile(largest, _CHOSEN_AMONG_PLAUSIBLE)))


def drawn_in_order(
    order: Counts, covariance: Floats, seed: int, n_groups: int, n_draws: int = N_DRAWS
) -> Draws:
    """Draws of the errors of scores, made in an order of the teams, shape (t, B).

    A team with the same answers as another comes after all others, whose draws it leaves as they are.
    """
    is_twin = np.tril(variances(covariance)[np.ix_(order, order)] == 0, k=-1).any(axis=1)
    order = np.concatenate([order[~is_twin], order[is_twin]])
    drawn = draw(covariance[np.ix_(order, order)], seed, n_draws, n_groups)
    draws = np.empty_like(drawn)
    draws[order] = drawn
    return draws


@in_one_thread
def compare(evaluation: Evaluation, key: ScoreKey, items: Items, seed: int) -> Comparison:
    """All pairs of comparable entries by one metric."""
    return compare_by(
        evaluation, key, differences(evaluation, key, items), items.n_groups, seed, items
    )


def compare_by(  # noqa: PLR0913, PLR0917 - whose, by what, and what is drawn
    evaluation: Evaluation,
    key: ScoreKey,
    whole: Differences,
    n_groups: int,
    seed: int,
    items: Items | None = None,
) -> Comparison:
    """The comparison that follows from the differences; without items the first have no intervals of their own."""
    comparable = whole.among(evaluation.comparable)
    teams = comparable.teams
    goodness = evaluation.goodness_of(key)
    order = places_among(teams, evaluation.answer_order)
    family = Family.of(goodness[teams], comparable, seed, n_groups, order)
    compared = Compared(
        n_rows=len(evaluation.entries),
        rows=teams,
        ranks=evaluation.ranks_of(key)[teams],
        n_above=_n_uncompared_above(evaluation, key, teams),
        leader=evaluation.leader(key),
    )
    comparison = comparison_of_family(key, compared, family, whole, goodness[whole.teams])
    if items is None:
        return comparison
    lower, upper = _chosen_ends(evaluation, key, items, family)
    return replace(comparison, chosen_lower=lower, chosen_upper=upper)


@dataclass(frozen=True, eq=False)
class Compared:
    """Which of T rows are compared, and where they stand."""

    n_rows: int  # T
    rows: Counts  # (t,): the rows that are compared
    ranks: Ints  # (t,): their ranks
    n_above: Ints  # (t,): rows above each that are in no pair; possible ranks are among all
    leader: int | None  # the first row


def comparison_of_family(
    key: ScoreKey, compared: Compared, family: Family, whole: Differences, goodness: Floats
) -> Comparison:
    """All that follows from a family, for all rows; nobody's own interval.

    Of whole, which may hold rows that are in no pair, and of their goodness, shape (w,), are the intervals of pairs.
    """
    n_teams = compared.n_rows
    teams = compared.rows
    relation = family.relation(compared.ranks)
    ahead_given = family.decided_given() & ~relation.ahead
    possible_ranks = relation.possible_ranks + compared.n_above[:, None]
    p, by_best = family.deciding(relation)
    lower = _lower_ends(goodness, whole, family, by_best)
    is_compared = np.isin(whole.teams, teams)
    inside = np.ix_(is_compared, is_compared)
    lower[inside] = _consistent(lower[inside], p)

    def nobody() -> Bools:
        return np.zeros((n_teams, n_teams), dtype=bool)

    def unknown() -> Floats:
        return np.full((n_teams, n_teams), np.nan)

    return Comparison(
        key=key,
        standard_error=_of_pairs(unknown(), whole.teams, whole.error),
        adjusted_p=_of_pairs(np.ones((n_teams, n_teams)), teams, p),
        against_best=_of_pairs(nobody(), teams, by_best),
        difference_lower=_of_pairs(unknown(), whole.teams, lower),
        critical_value=family.critical_value,
        ahead=_of_pairs(nobody(), teams, relation.ahead),
        ahead_given=_of_pairs(nobody(), teams, ahead_given),
        could_be_best=_of_teams(n_teams, teams, relation.could_be_best),
        uncertain=_of_teams(n_teams, teams, relation.uncertain),
        possible_ranks=_of_teams(n_teams, teams, possible_ranks),
        leader=compared.leader,
        n_draws=family.n_draws,
        is_bounded=bool(family.differences.unidentified.any()),
        chosen_lower=np.full(n_teams, np.nan),
        chosen_upper=np.full(n_teams, np.nan),
    )


def _n_uncompared_above(evaluation: Evaluation, key: ScoreKey, teams: Counts) -> Ints:
    """How many entries that take a rank and are in no pair stand above each team, shape (t,).

    Ranks are among all that take one, and so are possible ranks: who is compared with nobody keeps its place.
    """
    ranks = evaluation.ranks_of(key)
    uncompared = evaluation.competing & ~np.isnan(evaluation.scores_of(key))
    uncompared[teams] = False
    above = np.searchsorted(np.sort(ranks[uncompared]), ranks[teams], side="left")
    return np.asarray(above, dtype=np.int64)


def _lower_ends(scores: Floats, whole: Differences, family: Family, by_best: Bools) -> Floats:
    """Lower end of the interval of every difference, row less column, by the test that decides it; −∞ is no bound.

    D − a − c·SE, where a is what unanswered classes could add. A pair with a team outside the family takes the
    family's critical value.
    """
    critical = np.full(whole.error.shape, family.critical_value)
    is_compared = np.isin(whole.teams, family.differences.teams)
    critical[np.ix_(is_compared, is_compared)] = family.critical_values(by_best)
    lead = scores[:, None] - scores - whole.unidentified
    differ = whole.error > 0
    # by groups the error depends on the end itself, which an infinite critical value does not have
    if whole.groups is None or not np.isfinite(critical).all():
        critical = whole.student_critical_values(critical)
        # ∞ · 0 is 0 where nothing varies
        half = np.multiply(critical, whole.error, out=np.zeros(lead.shape), where=differ)
        return lead - half
    ends = ends_of_differences(whole.groups, scores, whole.unidentified, critical)
    return np.where(differ, ends, lead)


def _consistent(lower: Floats, p: Floats) -> Floats:
    """Lower ends of differences; NaN for both ends of a pair whose interval leaves out 0 though nobody is ahead."""
    leaves_out = (lower > 0) | (lower.T > 0)
    return np.where(leaves_out & (p > FAMILY_WISE_ERROR), np.nan, lower)


def _chosen_ends(
    evaluation: Evaluation, key: ScoreKey, items: Items, family: Family
) -> tuple[Callable[[object], Floats], Callable[[object], Floats]]:
    """Functions that compute the lower and the upper ends of the intervals of who is first, shape (T,) each.

    The end on the side of worse scores is corrected for their having been chosen.
    """
    leader = evaluation.leader(key)
    ranks = evaluation.ranks_of(key)
    teams = family.differences.teams
    places = np.empty(0, dtype=np.int64)
    if leader is not None:
        places = np.flatnonzero(ranks[teams] == ranks[leader])
    first = teams[places]
    usual = quantile_of(items.n_groups)
    corrected = usual
    if places.size:  # at once, and not when the ends are read: the draws take much memory
        corrected = max(family.chosen_quantile(places), usual)

    def ends(side: int, quantile: float) -> Floats:
        of_all = np.full(len(evaluation.entries), np.nan)
        if first.size:
            of_all[first] = ends_of_entries(evaluation, key, first, items, quantile)[side]
        return of_all

    if scale_of(key.metric, evaluation.task.label_set).greater_is_better:
        return lambda _: ends(0, corrected), lambda _: ends(1, usual)
    return lambda _: ends(0, usual), lambda _: ends(1, corrected)


def _of_teams(n_teams: int, teams: Counts, values: NDArray[Number]) -> NDArray[Number]:
    """Values of the compared entries among those of all, with 0 elsewhere."""
    of_all = np.zeros((n_teams, *values.shape[1:]), dtype=values.dtype)
    of_all[teams] = values
    return of_all


def _of_pairs(of_all: NDArray[Number], teams: Counts, values: NDArray[Number]) -> NDArray[Number]:
    """Values of the pairs of some entries among those of all."""
    of_all[np.ix_(teams, teams)] = values
    return of_all


def compare_pair(  # noqa: PLR0913 - two entries, by what, and who computes
    evaluation: Evaluation,
    predictions: Sequence[Counts],
    first: str,
    second: str,
    key: ScoreKey,
    *,
    blocks: Blocks = IN_THIS_PROCESS,
) -> PairComparison:
    """How far apart two entries are by a metric, and how sure that is."""
    pair = (evaluation.entry_number(first), evaluation.entry_number(second))
    _check(evaluation, pair)
    items = items_of(evaluation, predictions, blocks)
    metric = metric_of(key.metric, evaluation.task.label_set)
    scores = evaluation.scores_of(key)[list(pair)]
    goodness = evaluation.goodness(key, scores)
    are_comparable = bool(evaluation.comparable[list(pair)].all())
    seed = 1
    comparison = None
    if evaluation.certainty:
        seed = evaluation.certainty.seed
        comparison = evaluation.certainty.comparison(key)
    if comparison is None and are_comparable:
        comparison = compare(evaluation, key, items, seed)

    alone = differences(evaluation, key, items, np.array(pair))
    error = np.nan
    if len(alone.teams) > 1:
        error = float(alone.error[0, 1])
    p_of_swaps = np.nan
    # scores of items stay where answers change places
    if metric.of_labels and not np.isnan(scores).any():
        p_of_swaps = randomization_p(evaluation, key, pair, items, seed=seed)
    found = PairComparison(
        key=key,
        first=evaluation.names[pair[0]],
        second=evaluation.names[pair[1]],
        scores=(float(scores[0]), float(scores[1])),
        standard_error=error,
        interval=None,
        adjusted_p=None,
        interval_alone=_interval_alone(goodness, alone, items.n_groups, seed),
        randomization_p=p_of_swaps,
        ahead=None,
        against_best=False,
        scale=metric.scale,
    )
    if comparison is None:
        return found
    by_best = bool(comparison.against_best[pair] or comparison.against_best[pair[::-1]])
    if not are_comparable or np.isnan(error):
        return replace(found, against_best=by_best)
    return replace(
        found,
        interval=_interval(comparison, pair),
        adjusted_p=float(comparison.adjusted_p[pair]),
        ahead=_ahead(evaluation, comparison, pair),
        against_best=by_best,
    )


def _interval(comparison: Comparison, pair: tuple[int, int]) -> tuple[float, float]:
    return float(comparison.difference_lower[pair]), float(comparison.difference_upper[pair])


def _interval_alone(
    scores: Floats, alone: Differences, n_groups: int, seed: int
) -> tuple[float, float]:
    """The 95% interval of the difference of two teams that were fixed beforehand; NaN where there is none."""
    if len(alone.teams) < 2:  # noqa: PLR2004 - a pair
        return np.nan, np.nan
    if alone.groups is None:
        quantile = alone.student_critical_values(np.full(alone.error.shape, quantile_of(0)))
        half = float((quantile * alone.error)[0, 1])
        difference = float(scores[0] - scores[1])
        return difference - half, difference + half
    family = Family.of(scores, alone, seed, n_groups, np.arange(2))
    nobody = np.zeros(alone.error.shape, dtype=bool)
    lower = _consistent(_lower_ends(scores, alone, family, nobody), family.adjusted_p)
    return float(lower[0, 1]), float(-lower[1, 0])


def _ahead(evaluation: Evaluation, comparison: Comparison, pair: tuple[int, int]) -> str | None:
    first, second = pair
    if comparison.ahead[first, second]:
        return evaluation.names[first]
    if comparison.ahead[second, first]:
        return evaluation.names[second]
    return None


def _check(evaluation: Evaluation, pair: tuple[int, int]) -> None:
    entries = [evaluation.entries[team] for team in pair]
    if pair[0] == pair[1]:
        raise UsageError(f"{quoted(entries[0].name)} cannot be compared with itself.")
    for entry in entries:
        if entry.n_dropped:
            dropped = plural(entry.n_dropped, "missing item")
            raise UsageError(
                f"{quoted(entry.name)} cannot be compared: its scores leave out {dropped}, and are of other items."
            )
