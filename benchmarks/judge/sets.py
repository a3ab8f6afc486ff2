"""Sets: populations of several labels a unit, whose scores are known, and how often what is claimed of them is true.

Labels of a unit, and what teams give it, are thresholds of normal numbers that share a part by unit, and by document
where units come in documents; so margins are exact, whatever the dependence.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

from audit.domain import Campaign, Gold, Kind, LabelSet, Options, ScoreKey, Submission, Task
from audit.domain.arrays import Bools, Floats, Ints
from audit.domain.sets import Pool, Things
from audit.evaluation import evaluate
from benchmarks.judge.judging import monte_carlo_interval

SCORES = (
    *("micro_precision", "micro_recall", "micro_f1"),
    *("macro_precision", "macro_recall", "averaged_f1", "f1_of_averages", "weighted_f1"),
    *("example_f1", "subset_accuracy"),
)
COMPARED = ("micro_f1", "averaged_f1", "f1_of_averages", "macro_precision", "example_f1")
_DRAWN_FOR_TRUTH = 100  # test sets


@dataclass(frozen=True)
class SetCell:
    """One population: teams that are equally good, and how many units are drawn of it."""

    n_labels: int
    n_units: int
    n_teams: int
    recall: float = 0.7
    false_alarms: float = 0.03  # the share of the units without a label that teams give it
    shared: float = 0.4  # the correlation of what happens to a unit's labels
    document: int = 1  # units of a document
    shy: float = 1.0  # what the last label's recall and false alarms of the last team are multiplied by
    n_repetitions: int = 40

    @property
    def name(self) -> str:
        """The cell in words."""
        units = f"{self.n_units:,} units" + (f" in documents of {self.document}" if self.document > 1 else "")
        return f"{self.n_labels} labels, {units}, recall {self.recall:g}{', one team shy' if self.shy < 1 else ''}"

    @cached_property
    def shares(self) -> Floats:
        """The share of the units that has each label."""
        return np.asarray(0.4 / np.arange(1, self.n_labels + 1) ** 0.7)

    def rates(self) -> tuple[Floats, Floats]:
        """Recalls and false alarm rates of every team and label, shape (T, L) each."""
        factor = np.ones((self.n_teams, self.n_labels))
        factor[-1, -1] = self.shy
        return self.recall * factor, self.false_alarms * factor

    def truth(self) -> dict[str, Floats]:
        """The scores of every team at the expected counts."""
        recall, alarm = self.rates()
        hits = self.shares * recall
        given, gold = hits + (1 - self.shares) * alarm, np.broadcast_to(self.shares, hits.shape)
        precisions, recalls, f1s = hits / given, hits / gold, 2 * hits / (given + gold)
        micro = hits.sum(axis=1) / given.sum(axis=1), hits.sum(axis=1) / gold.sum(axis=1)
        macro = precisions.mean(axis=1), recalls.mean(axis=1)
        return {
            "micro_precision": micro[0],
            "micro_recall": micro[1],
            "micro_f1": 2 * micro[0] * micro[1] / (micro[0] + micro[1]),
            "macro_precision": macro[0],
            "macro_recall": macro[1],
            "averaged_f1": f1s.mean(axis=1),
            "f1_of_averages": 2 * macro[0] * macro[1] / (macro[0] + macro[1]),
            "weighted_f1": (f1s * gold).sum(axis=1) / gold.sum(axis=1),
            **self._truth_of_units(),
        }

    def _truth_of_units(self) -> dict[str, Floats]:
        """Means over units, which have no formula: those of many units, and of all teams that are alike."""
        rng, drawn = np.random.default_rng([7, self.n_labels]), np.zeros((2, self.n_teams))
        for _ in range(_DRAWN_FOR_TRUTH):
            gold, answers = self.draw(rng)
            things = gold.sum(axis=-1) + answers.sum(axis=-1)
            hits = (gold & answers).sum(axis=-1)
            f1s = np.where(things > 0, 2 * hits / np.maximum(things, 1), 1.0)
            drawn += f1s.mean(axis=-1), (gold == answers).all(axis=-1).mean(axis=-1)
        alike = slice(None) if self.shy == 1 else slice(-1)
        drawn[:, alike] = drawn[:, alike].mean(axis=1, keepdims=True)
        return dict(zip(("example_f1", "subset_accuracy"), drawn / _DRAWN_FOR_TRUTH, strict=True))

    def draw(self, rng: np.random.Generator) -> tuple[Bools, Bools]:
        """Gold, shape (U, L), and answers, shape (T, U, L), of 0 and 1; a gold without things is drawn again."""
        document = np.arange(self.n_units) // self.document

        def normal(*lead: int) -> Floats:
            shape = (*lead, self.n_units, self.n_labels)
            own, of_unit = rng.normal(size=shape), rng.normal(size=(*shape[:-1], 1))
            if self.document > 1:  # half of what units share is their document's
                of_document = rng.normal(size=(*lead, document[-1] + 1, 1))[..., document, :]
                of_unit = np.sqrt(0.5) * (of_unit + of_document)
            return np.asarray(np.sqrt(1 - self.shared) * own + np.sqrt(self.shared) * of_unit)

        gold = normal() < ndtri(self.shares)
        recall, alarm = self.rates()
        hard, odd = normal(), normal(self.n_teams)  # half of what befalls teams befalls all of them
        answers = np.sqrt(0.5) * (hard + odd) < ndtri(np.where(gold, recall[:, None], alarm[:, None]))
        return (gold, answers) if gold.any() else self.draw(rng)

    def seed(self, seed: int) -> list[int]:
        """What this cell's random numbers are seeded by."""
        return [seed, zlib.crc32(repr(replace(self, n_repetitions=0)).encode())]


@dataclass(frozen=True, eq=False)
class SetOutcome:
    """Counts over the test sets of one cell."""

    cell: SetCell
    given: Ints  # (K,): intervals that are given
    held: Ints  # (K,): those that hold the truth
    lowest: Floats  # (K,): the lowest share that any team's intervals hold
    false: Ints  # (M,): test sets in which a team is called ahead of one that is as good


def judge_sets(cell: SetCell, seed: int) -> SetOutcome:
    """How often the claims on one cell are true."""
    rng, truth = np.random.default_rng(cell.seed(seed)), cell.truth()
    given, held = np.zeros((2, len(SCORES), cell.n_teams), dtype=int)
    false = np.zeros(len(COMPARED), dtype=int)
    for _ in range(cell.n_repetitions):
        gold, answers = cell.draw(rng)
        evaluation: Any = evaluate(_campaign(cell, gold, answers))
        certainty = evaluation.certainty
        for row, slug in enumerate(SCORES):
            at = evaluation.row(ScoreKey(slug))
            lower, upper = certainty.intervals.lower[at], certainty.intervals.upper[at]
            given[row] += ~np.isnan(lower)
            held[row] += (lower <= truth[slug] + 1e-9) & (truth[slug] - 1e-9 <= upper)
        for place, slug in enumerate(COMPARED):
            ahead = certainty.comparison(ScoreKey(slug)).ahead
            better = truth[slug][:, None] > truth[slug] + 1e-9
            false[place] += bool((np.asarray(ahead) & ~better).any())
    lowest = np.where(given > 0, held / np.maximum(given, 1), np.nan).min(axis=1)
    return SetOutcome(cell, given.sum(axis=1), held.sum(axis=1), lowest, false)


def _campaign(cell: SetCell, gold: Bools, answers: Bools) -> Campaign:
    every = [_things(matrix) for matrix in (gold, *answers)]
    pool, labels = Pool.of(every, cell.n_labels), tuple(f"l{code:02}" for code in range(cell.n_labels))
    label_set = LabelSet((*labels, "nothing"), rest="nothing", kind=Kind.LABELS)
    ids = pool.ids([f"u{unit}" for unit in range(cell.n_units)], labels, [""])
    groups = pool.units // cell.document
    unit = "document" if cell.document > 1 else "item"
    of_gold = Gold(label_set, pool.codes(every[0]), ids, None, groups, unit)
    task = Task("sets", "Sets", label_set, official_metric=ScoreKey(COMPARED[0]))
    compare = (*COMPARED[1:], "subset_accuracy")
    submissions = tuple(Submission(f"team {number:02}", pool.codes(things)) for number, things in enumerate(every[1:]))
    return Campaign(task, of_gold, submissions, options=Options(compare=compare))


def _things(matrix: Bools) -> Things:
    units, codes = np.nonzero(matrix)
    return Things(np.ones(len(matrix), dtype=bool), units, codes, np.zeros_like(units))


def set_cells(scale: float = 1.0) -> list[SetCell]:
    """Cells of all sizes, with up to 30 teams, of units and of documents."""
    return [replace(cell, n_repetitions=max(4, round(scale * cell.n_repetitions))) for cell in _cells()]


def _cells() -> Iterator[SetCell]:
    for n_teams in (2, 10, 30):
        yield SetCell(4, 200, n_teams)
        yield SetCell(12, 400, n_teams, recall=0.4, false_alarms=0.05)
        yield SetCell(6, 400, n_teams, document=10)
    yield SetCell(6, 300, 3, recall=0.97, false_alarms=0.002)
    yield SetCell(6, 300, 3, shy=0.01)
    yield SetCell(20, 1000, 3, recall=0.6)


def set_page(outcomes: Sequence[SetOutcome]) -> str:
    """The tables of all cells, in Markdown."""
    heads = ["cell", "teams", "test sets", *(f"`{slug}`" for slug in SCORES)]
    lines = [
        "Percent of intervals that hold the true score, in brackets the lowest of a team:",
        "",
        *_head(heads),
    ]
    for outcome in outcomes:
        shares = [
            "marked" if not n else f"{100 * k / n:.0f} ({100 * low:.0f})"
            for n, k, low in zip(outcome.given, outcome.held, outcome.lowest, strict=True)
        ]
        lines.append(_row([outcome.cell.name, str(outcome.cell.n_teams), str(outcome.cell.n_repetitions), *shares]))
    lines += ["", "Percent of test sets in which a team is called ahead of one that is as good:", ""]
    lines += _head(["cell", "teams", *(f"`{slug}`" for slug in COMPARED)])
    for outcome in outcomes:
        shares = [f"{100 * count / outcome.cell.n_repetitions:.1f}" for count in outcome.false]
        lines.append(_row([outcome.cell.name, str(outcome.cell.n_teams), *shares]))
    n_sets = np.array([outcome.cell.n_repetitions for outcome in outcomes]).sum()
    total = np.array([outcome.false for outcome in outcomes]).sum(axis=0)
    ends = [monte_carlo_interval(count / n_sets, np.array(float(n_sets))) for count in total]
    pooled = [f"{100 * k / n_sets:.1f} [{100 * a:.1f}, {100 * b:.1f}]" for k, (a, b) in zip(total, ends, strict=True)]
    return "\n".join([*lines, _row(["all, with the 99% Monte Carlo interval", "", *pooled])])


def _head(heads: Sequence[str]) -> list[str]:
    return [_row(heads), _row(["---"] * len(heads))]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
