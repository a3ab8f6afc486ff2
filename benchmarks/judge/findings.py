"""What the counts say against the limits: which cells fail, and which are to be looked at again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.judge.cells import COMPARED, FEW_ITEMS, Cell
from benchmarks.judge.fields import FIELDS
from benchmarks.judge.judging import Outcome, effective_repetitions, monte_carlo_interval
from benchmarks.judge.truths import quotient

COVERAGE, FALSE_CLAIMS, BEST = 0.90, 0.065, 0.935
"""The limits: least coverage of an interval, most family-wise error, least coverage of best set and leader."""
MEAN_COVERAGE = (0.94, 0.97)
RARE_ITEMS, RARE_COVERAGE = 3, 0.85
"""Where the rarest class is expected fewer times than this, the least coverage of an interval is another."""
FEWEST_INTERVALS = 20
"""Cells in which the program gives fewer intervals than this say nothing; they are counted as marked."""
SECOND_COPIES = 8


@dataclass(frozen=True)
class Finding:
    """How often one sort of claim is true in one cell.

    Parameters
    ----------
    cell : Cell
        Where.
    kind : str
        Which kind of system, or ``team``.
    score : str
        The score or the metric that compares.
    claim : str
        ``interval``, ``false claim``, ``best set`` or ``leader``.
    share : float
        How often the claim is true; how often there is any false one for ``false claim``.
    n : int
        How many claims were counted.
    lower, upper : float
        99% interval of the share.
    marked : float
        Share of defined scores without an interval.
    width : float
        Mean width of an interval, in units of what the true standard deviation needs (2 × 1.96); NaN where it is 0.
    constant : bool
        Whether all intervals have no width and hold the truth, by construction of the score.
    look : int
        0 for the first look, 1 for the second.
    """

    cell: Cell
    kind: str
    score: str
    claim: str
    share: float
    n: int
    lower: float
    upper: float
    marked: float = 0.0
    width: float = float("nan")
    constant: bool = False
    look: int = 0

    @property
    def place(self) -> tuple[str, str, str, str]:
        """What is judged, whatever the look."""
        return (self.cell.name, self.kind, self.score, self.claim)

    @property
    def fails(self) -> bool:
        """Whether the 99% interval lies wholly beyond the limit."""
        return self.shortfall > 0

    @property
    def suspect(self) -> bool:
        """Whether the share itself lies beyond the limit."""
        if self.claim == "false claim":
            return self.share > FALSE_CLAIMS
        return self.share < self._least

    @property
    def shortfall(self) -> float:
        """How far the nearer end of the 99% interval lies beyond the limit; negative where it does not."""
        if self.claim == "false claim":
            return self.lower - FALSE_CLAIMS
        return self._least - self.upper

    @property
    def _least(self) -> float:
        """The limit of a claim that should be true."""
        if self.claim != "interval":
            return BEST
        return RARE_COVERAGE if self.cell.expected_items < RARE_ITEMS else COVERAGE

    @property
    def supported(self) -> bool:
        """Whether every class is expected to have enough items."""
        return self.cell.expected_items >= FEW_ITEMS


def interval_findings(outcome: Outcome) -> list[Finding]:
    """Coverage of each score's interval for each kind of system, where there are enough of them."""
    given, covered = outcome.interval_sum("given"), outcome.interval_sum("covered")
    share = quotient(covered, given)
    lower, upper = monte_carlo_interval(share, effective_repetitions(outcome))
    marked = quotient(outcome.interval_sum("marked"), outcome.interval_sum("defined"))
    mean = quotient(outcome.interval_sum("deviation"), given)
    variance = quotient(outcome.interval_sum("deviation²"), given) - mean**2
    needed = given * 2 * 1.96 * np.sqrt(np.maximum(variance, 0))
    width = np.where(needed > 1e-9, quotient(outcome.interval_sum("width"), needed), np.nan)
    constant = (given > 0) & (outcome.interval_sum("constant") == given)
    return [
        Finding(
            cell=outcome.cell,
            kind=kind,
            score=score,
            claim="interval",
            share=float(share[row, column]),
            n=int(given[row, column]),
            lower=float(lower[row, column]),
            upper=float(upper[row, column]),
            marked=float(marked[row, column]),
            width=float(width[row, column]),
            constant=bool(constant[row, column]),
            look=outcome.look,
        )
        for column, kind in enumerate(dict.fromkeys(outcome.cell.team_kinds))
        for row, score in enumerate(outcome.cell.scores)
        if given[row, column] >= FEWEST_INTERVALS
    ]


_DECIDED = {
    "false claim": ("false claim", "repetitions"),
    "best set": ("best in set", "repetitions"),
    "leader": ("leader covered", "leader given"),
}


def decision_findings(outcome: Outcome) -> list[Finding]:
    """How often comparisons, best sets and leaders' intervals are right, for each metric that compares."""
    claims = {"false claim": _DECIDED["false claim"]} if outcome.cell.of_systems else _DECIDED
    findings = []
    for claim, (count, of) in claims.items():
        n = outcome.decision_sum(of)
        share = quotient(outcome.decision_sum(count), n)
        lower, upper = monte_carlo_interval(share, n)
        findings += [
            Finding(
                outcome.cell,
                "team",
                metric,
                claim,
                float(share[row]),
                int(n[row]),
                float(lower[row]),
                float(upper[row]),
                look=outcome.look,
            )
            for row, metric in enumerate(outcome.cell.compared)
            if n[row] >= FEWEST_INTERVALS
        ]
    return findings


@dataclass(frozen=True)
class Pooled:
    """Family-wise error over all cells of a field: what single cells have too few test sets to show.

    Parameters
    ----------
    design, metric : str
        Which field, and what compares.
    share, lower, upper : float
        Of test sets with any false claim, and its 99% interval.
    n : int
        Test sets.
    """

    design: str
    metric: str
    share: float
    lower: float
    upper: float
    n: int

    @property
    def fails(self) -> bool:
        """Whether the 99% interval lies wholly beyond the limit."""
        return self.lower > FALSE_CLAIMS


def pooled_errors(outcomes: Sequence[Outcome]) -> list[Pooled]:
    """Family-wise errors of each field and metric over all its cells; the first look only, which chose nothing."""
    pooled = []
    for design in FIELDS:
        cells = [
            outcome for outcome in outcomes if outcome.cell.design == design and outcome.look == 0
        ]
        n = sum(outcome.cell.n_repetitions for outcome in cells)
        if n:
            shares = sum(outcome.decision_sum("false claim") for outcome in cells) / np.array(
                float(n)
            )
            lower, upper = monte_carlo_interval(shares, np.full(shares.shape, float(n)))
            pooled += [
                Pooled(design, metric, float(shares[row]), float(lower[row]), float(upper[row]), n)
                for row, metric in enumerate(COMPARED)
            ]
    return pooled


def all_findings(outcomes: Iterable[Outcome]) -> list[Finding]:
    """Everything that was counted, a line each; intervals of competitors are not, as the corrected one is."""
    return [
        finding
        for outcome in outcomes
        for finding in (
            *(interval_findings(outcome) if outcome.cell.of_systems else ()),
            *decision_findings(outcome),
        )
    ]


def settled(findings: Sequence[Finding]) -> list[Finding]:
    """One finding of each place: that of the second look where there was one, as it was not chosen for being bad."""
    latest: dict[tuple[str, str, str, str], Finding] = {}
    chosen = {finding.place for finding in findings if finding.look == 0 and finding.suspect}
    for finding in sorted(findings, key=lambda finding: finding.look):
        if finding.look == 0 or finding.place in chosen:
            latest[finding.place] = finding
    return list(latest.values())


def second_looks(findings: Sequence[Finding], most: int, repetitions: int) -> list[Cell]:
    """The cells of the worst suspects with more copies and repetitions, the worst first.

    Parameters
    ----------
    findings : sequence of Finding
        Of the first look.
    most : int
        Cells to look at again.
    repetitions : int
        Intervals to count of each suspicious system; half as many test sets for competitors, which take longer.
    """
    worst: dict[Cell, float] = {}
    kinds: dict[Cell, set[str]] = {}
    for finding in findings:
        if finding.look == 0 and finding.suspect:
            worst[finding.cell] = max(worst.get(finding.cell, -1.0), finding.shortfall)
            kinds.setdefault(finding.cell, set()).add(finding.kind)
    chosen = sorted(worst, key=lambda cell: (-worst[cell], cell.name))[:most]
    return [_second(cell, kinds[cell], repetitions) for cell in chosen]


def _second(cell: Cell, kinds: set[str], repetitions: int) -> Cell:
    if not cell.of_systems:
        return replace(cell, n_repetitions=repetitions // 2)
    if "team" in kinds:  # all of them compete
        return replace(cell, n_repetitions=-(-repetitions // cell.n_teams))
    suspects = tuple(kind for kind in cell.kinds if kind in kinds)
    return replace(
        cell, kinds=suspects, n_teams=SECOND_COPIES, n_repetitions=-(-repetitions // SECOND_COPIES)
    )
