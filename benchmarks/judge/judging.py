"""Draw test sets, ask the program, and count how often its claims are true."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from audit.domain.arrays import Bools, Floats
from benchmarks.judge import truths
from benchmarks.judge.cells import Cell
from benchmarks.judge.populations import Population, TestSet
from benchmarks.judge.program import MARKS, Claims, Decisions, Program

TOLERANCE = 1e-9
"""Rounding that is forgiven where the score or the truth lies at the end of an interval."""
REASONS = MARKS[1:]
INTERVAL_COUNTS = (
    *("given", "covered", "given²", "given × covered", "covered²"),
    *("defined", "marked", *REASONS, "other reason", "no reason"),
    *(
        "score outside",
        "beyond range",
        "other score",
        "constant",
        "width",
        "deviation",
        "deviation²",
    ),
)
DECISION_COUNTS = (
    *("repetitions", "false claim", "identical separated", "best in set", "best set size"),
    *("leader given", "leader covered", "uncorrected covered"),
    *(
        "true differences",
        "found",
        "found by Holm–McNemar",
        "found by exact Holm–McNemar",
        "advantage",
        "advantage²",
    ),
)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What was counted in a cell.

    Parameters
    ----------
    cell : Cell
        What was judged.
    look : int
        0 for the first look, 1 for the second one with fresh test sets.
    intervals : ndarray, shape (`INTERVAL_COUNTS`, K, kinds)
        Sums over repetitions and copies, for each score and kind of system.
    decisions : ndarray, shape (`DECISION_COUNTS`, M)
        Sums over repetitions, for each metric that compares.
    """

    cell: Cell
    look: int
    intervals: Floats
    decisions: Floats

    def interval_sum(self, name: str) -> Floats:
        """One of `INTERVAL_COUNTS`, shape (K, kinds)."""
        return np.asarray(self.intervals[INTERVAL_COUNTS.index(name)])

    def decision_sum(self, name: str) -> Floats:
        """One of `DECISION_COUNTS`, shape (M,)."""
        return np.asarray(self.decisions[DECISION_COUNTS.index(name)])


def judge(cell: Cell, program: Program, seed: int, look: int = 0) -> Outcome:
    """Ask a program about the test sets of a cell.

    Parameters
    ----------
    cell : Cell
        What to draw, and how often.
    program : callable
        What is judged.
    seed, look : int
        Every look draws other test sets from the same population.

    Returns
    -------
    Outcome
    """
    rng, population = cell.generator(seed, look), cell.population(seed)
    truth_of = _Truths(cell, population)
    intervals: Any = 0
    decisions: Any = 0
    for _ in range(cell.n_repetitions):
        test_set = _drawn(cell, population, rng)
        truth = truth_of(test_set)
        claims = program(test_set, cell.labels, cell.scores, cell.compared, cell.stratified)
        intervals = intervals + _count_intervals(cell, test_set, claims, truth)
        decisions = decisions + _count_decisions(cell, test_set, claims, truth)
    return Outcome(cell, look, intervals, decisions)


def _drawn(cell: Cell, population: Population, rng: np.random.Generator) -> TestSet:
    """A test set of at least two classes; with one there is nothing to evaluate."""
    while True:
        test_set = population.draw(rng, cell.n_items, stratified=cell.stratified)
        if np.ptp(test_set.gold) > 0:
            return test_set


class _Truths:
    """The population's scores, by which classes occur in a test set; each computed once."""

    def __init__(self, cell: Cell, population: Population) -> None:
        self._names = tuple(dict.fromkeys((*cell.scores, *cell.compared)))
        self._cell, self._population, self._known = (
            cell,
            population,
            dict[bytes, dict[str, Floats]](),
        )

    def __call__(self, test_set: TestSet) -> dict[str, Floats]:
        counts = np.bincount(test_set.gold, minlength=self._cell.n_classes)
        key = (counts > 0).tobytes()
        if key not in self._known:
            confusions = self._population.confusions(counts > 0)
            if self._cell.stratified:
                confusions = (
                    confusions
                    / confusions.sum(axis=-1, keepdims=True)
                    * counts[:, None]
                    / counts.sum()
                )
            scores = truths.score(confusions, self._names, self._cell.labels)
            self._known[key] = dict(zip(self._names, scores, strict=True))
        return self._known[key]


def _count_intervals(
    cell: Cell, test_set: TestSet, claims: Claims, truth: dict[str, Floats]
) -> Floats:
    """One repetition's `INTERVAL_COUNTS`, shape (counts, K, kinds)."""
    true = np.array([truth[name] for name in cell.scores])
    own = truths.score(
        truths.count(test_set.gold, test_set.answers, cell.n_classes), cell.scores, cell.labels
    )
    lowest = np.array([truths.lowest(name) for name in cell.scores])[:, None]
    given, defined = ~np.isnan(claims.lower), ~np.isnan(own)
    width = np.where(given, claims.upper - claims.lower, 0)
    held = (claims.lower <= true + TOLERANCE) & (true <= claims.upper + TOLERANCE)
    around = (claims.lower <= own + TOLERANCE) & (own <= claims.upper + TOLERANCE)
    within = (claims.lower >= lowest - TOLERANCE) & (claims.upper <= 1 + TOLERANCE)
    same = np.isclose(claims.scores, own, rtol=0, atol=TOLERANCE, equal_nan=True)
    deviation = np.where(given, own - true, 0)
    marked = claims.marked != ""
    by_team = {
        "given": given,
        "covered": held,
        "defined": defined,
        "marked": marked & defined & ~given,
        **{reason: (claims.marked == reason) & ~given for reason in REASONS},
        "other reason": marked & ~np.isin(claims.marked, REASONS) & ~given,
        "no reason": ~given & ~marked & defined,
        "score outside": given & ~around,
        "beyond range": given & ~within,
        "other score": ~same,
        "constant": given & (width <= TOLERANCE) & (np.abs(deviation) <= TOLERANCE),
        "width": width,
        "deviation": deviation,
        "deviation²": deviation**2,
    }
    kinds = np.array(cell.team_kinds)
    sums = {
        name: np.stack(
            [values[:, kinds == kind].sum(axis=1) for kind in dict.fromkeys(cell.team_kinds)],
            axis=-1,
        )
        for name, values in by_team.items()
    }
    sums["given²"] = sums["given"] ** 2
    sums["given × covered"] = sums["given"] * sums["covered"]
    sums["covered²"] = sums["covered"] ** 2
    return np.array([sums[name] for name in INTERVAL_COUNTS], dtype=float)


def _count_decisions(
    cell: Cell, test_set: TestSet, claims: Claims, truth: dict[str, Floats]
) -> Floats:
    """One repetition's `DECISION_COUNTS`, shape (counts, M)."""
    peers = holm_mcnemar(test_set) if cell.design.startswith("power") else (None, None)
    identical = _identical(test_set.answers)
    counted = [
        _count_decision(
            claims.decisions[metric],
            truth[metric],
            identical,
            _interval(cell, claims, metric),
            peers,
        )
        for metric in cell.compared
    ]
    return np.array(counted, dtype=float).T


def _identical(answers: NDArray[np.int64]) -> Bools:
    """Which teams handed in the same answers, shape (T, T)."""
    first = {given.tobytes(): team for team, given in reversed(list(enumerate(answers)))}
    which = np.array([first[given.tobytes()] for given in answers])
    return np.asarray(which[:, None] == which)


def _interval(cell: Cell, claims: Claims, metric: str) -> Floats:
    """The ordinary intervals of a metric, shape (2, T)."""
    row = cell.scores.index(metric)
    return np.stack([claims.lower[row], claims.upper[row]])


def _count_decision(
    decisions: Decisions,
    true: Floats,
    identical: Bools,
    interval: Floats,
    peers: tuple[Bools | None, Bools | None],
) -> list[float]:
    ahead = true[:, None] > true + TOLERANCE
    best = int(np.argmax(true >= true.max() - TOLERANCE))
    leader = true[decisions.leader]
    given = not np.isnan(decisions.leader_lower)
    lower, upper = interval[:, decisions.leader]
    found, by_mcnemar, by_exact = (
        0.0 if claimed is None else (claimed & ahead).sum() for claimed in (decisions.ahead, *peers)
    )
    advantage = (found - by_mcnemar) / max(1, ahead.sum())
    counts = {
        "repetitions": 1,
        "false claim": (decisions.ahead & ~ahead).any(),
        "identical separated": (decisions.ahead & identical).any(),
        "best in set": decisions.could_be_best[best],
        "best set size": decisions.could_be_best.sum(),
        "leader given": given,
        "leader covered": decisions.leader_lower <= leader + TOLERANCE
        and leader <= decisions.leader_upper + TOLERANCE,
        "uncorrected covered": given
        and lower <= leader + TOLERANCE
        and leader <= upper + TOLERANCE,
        "true differences": ahead.sum(),
        "found": found,
        "found by Holm–McNemar": by_mcnemar,
        "found by exact Holm–McNemar": by_exact,
        "advantage": advantage,
        "advantage²": advantage**2,
    }
    return [float(counts[name]) for name in DECISION_COUNTS]


def holm_mcnemar(test_set: TestSet) -> tuple[Bools, Bools]:
    """Who is ahead by McNemar's test of accuracy with Holm's correction: by χ² uncorrected, and exact.

    Returns
    -------
    tuple of two ndarray of bool, shape (T, T)
    """
    right = test_set.answers == test_set.gold
    n_teams = len(right)
    pairs = [(first, second) for first in range(n_teams) for second in range(first)]
    return _holm(right, pairs, exact=False), _holm(right, pairs, exact=True)


def _holm(right: Bools, pairs: Sequence[tuple[int, int]], *, exact: bool) -> Bools:
    tables = [_two_by_two(right[first], right[second]) for first, second in pairs]
    p_values = [
        mcnemar(table, exact=exact, correction=False).pvalue if table[0, 1] + table[1, 0] else 1.0
        for table in tables
    ]
    rejected = holm(np.array(p_values))
    ahead = np.zeros((len(right), len(right)), dtype=bool)
    for (first, second), table, reject in zip(pairs, tables, rejected, strict=True):
        if reject:
            winner, loser = (first, second) if table[0, 1] > table[1, 0] else (second, first)
            ahead[winner, loser] = True
    return ahead


def holm(p_values: Floats, level: float = 0.05) -> Bools:
    """Which hypotheses Holm's procedure rejects (statsmodels' own collects garbage at every call)."""
    order = np.argsort(p_values)
    passed = p_values[order] <= level / np.arange(p_values.size, 0, -1)
    rejected = np.empty(p_values.size, dtype=bool)
    rejected[order] = np.logical_and.accumulate(passed)
    return rejected


def _two_by_two(first: Bools, second: Bools) -> NDArray[np.int64]:
    return np.bincount(2 * (1 - first) + (1 - second), minlength=4).reshape(2, 2)


# Monte Carlo error


def monte_carlo_interval(share: Floats, n: Floats, level: float = 0.99) -> tuple[Floats, Floats]:
    """Clopper and Pearson's interval of a share that was counted n times, which need not be whole.

    Examples
    --------
    >>> lower, upper = monte_carlo_interval(np.array([0.0, 1.0]), np.array([10.0, 10.0]))
    >>> lower.round(3).tolist(), upper.round(3).tolist()
    ([0.0, 0.589], [0.411, 1.0])
    """
    tail = (1 - level) / 2
    hits, misses = share * n, (1 - share) * n
    lower = np.where(hits > 0, stats.beta.ppf(tail, np.maximum(hits, 1e-9), misses + 1), 0)
    upper = np.where(misses > 0, stats.beta.ppf(1 - tail, hits + 1, np.maximum(misses, 1e-9)), 1)
    return lower, upper


def effective_repetitions(outcome: Outcome) -> Floats:
    """How many independent intervals the counted ones are worth, shape (K, kinds).

    Copies of a system share the gold labels of a test set. Korn and Graubard (1998): the number for which a share has
    the variance that it has between test sets; between the number of test sets and that of intervals.
    """
    given, covered = outcome.interval_sum("given"), outcome.interval_sum("covered")
    share = truths.quotient(covered, given)
    squares = (
        outcome.interval_sum("covered²")
        - 2 * share * outcome.interval_sum("given × covered")
        + share**2 * outcome.interval_sum("given²")
    )
    variance = truths.quotient(squares, given**2)
    worth = truths.quotient(share * (1 - share), variance)
    fewest = truths.quotient(given**2, outcome.interval_sum("given²"))
    return np.where(variance > 0, np.clip(worth, np.minimum(fewest, given), given), fewest)
