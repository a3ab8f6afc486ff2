"""Sets: populations of several labels a unit, whose scores are known, and how often what is claimed of them is true.

Labels of a unit, and what teams give it, are thresholds of normal numbers that share a part by unit, and by document
where units come in documents; so margins are exact, whatever the dependence.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

from audit.domain import Campaign, Gold, Kind, LabelSet, Options, ScoreKey, Submission, Task
from audit.domain.arrays import Bools, Floats
from audit.domain.sets import GivenSets, Pool
from audit.evaluation import evaluate

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
    # what the last label's recall and false alarms of the last team are multiplied by
    shy: float = 1.0
    n_repetitions: int = 40
    scores: tuple[str, ...] = SCORES
    compared: tuple[str, ...] = COMPARED

    @property
    def name(self) -> str:
        """The cell in words."""
        units = f"{self.n_units:,} units" + (
            f" in documents of {self.document}" if self.document > 1 else ""
        )
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
        answers = np.sqrt(0.5) * (hard + odd) < ndtri(
            np.where(gold, recall[:, None], alarm[:, None])
        )
        return (gold, answers) if gold.any() else self.draw(rng)

    def evaluated(self, rng: np.random.Generator) -> Any:  # noqa: ANN401 - a black box
        """What the program says of a test set."""
        return evaluate(_campaign(self, *self.draw(rng)))


def _campaign(cell: SetCell, gold: Bools, answers: Bools) -> Campaign:
    labels = tuple(f"l{code:02}" for code in range(cell.n_labels))
    things, answered = tuple((label, "") for label in labels), np.ones(cell.n_units, dtype=bool)
    every = [GivenSets(answered, things, *np.nonzero(matrix)) for matrix in (gold, *answers)]
    pool = Pool.of(every, labels)
    label_set = LabelSet((*labels, "nothing"), rest="nothing", kind=Kind.LABELS)
    ids = pool.ids([f"u{unit}" for unit in range(cell.n_units)])
    groups = pool.units // cell.document
    unit = "document" if cell.document > 1 else "item"
    of_gold = Gold(label_set, pool.codes(every[0]), ids, None, groups, unit, own=pool.own)
    task = Task("sets", "Sets", label_set, official_metric=ScoreKey(COMPARED[0]))
    compare = (*COMPARED[1:], "subset_accuracy")
    submissions = tuple(
        Submission(f"team {number:02}", pool.codes(sets)) for number, sets in enumerate(every[1:])
    )
    return Campaign(task, of_gold, submissions, options=Options(compare=compare))


def set_cells(scale: float = 1.0) -> list[SetCell]:
    """Cells of all sizes, with up to 30 teams, of units and of documents."""
    return [
        replace(cell, n_repetitions=max(4, round(scale * cell.n_repetitions))) for cell in _cells()
    ]


def _cells() -> Iterator[SetCell]:
    for n_teams in (2, 10, 30):
        yield SetCell(4, 200, n_teams)
        yield SetCell(12, 400, n_teams, recall=0.4, false_alarms=0.05)
        yield SetCell(6, 400, n_teams, document=10)
    yield SetCell(6, 300, 3, recall=0.97, false_alarms=0.002)
    yield SetCell(6, 300, 3, shy=0.01)
    yield SetCell(20, 1000, 3, recall=0.6)
