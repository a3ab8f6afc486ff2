"""Ratings on a scale of five, by annotators who differ: populations whose true scores are known.

An item has a grade that nobody sees, normal, of which its annotator sees more or less; a rating is the interval between
two thresholds in which it falls. What a team says is such a rating of another grade that correlates with it. Items of
an annotator share a part of both, so that the expected confusion is the same for every item, whatever they share.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import multivariate_normal

import audit
from audit.domain.arrays import Floats, Ints

LABELS = tuple("12345")
SCORES = (
    *("linear_kappa", "quadratic_kappa", "ordinal_alpha", "mae", "macro_mae"),
    *("within_one", "cem", "tau_b", "spearman_labels"),
)
COMPARED = ("quadratic_kappa", "linear_kappa", "mae", "macro_mae", "tau_b")
_FAR = 12.0  # beyond which no grade is


@dataclass(frozen=True)
class RatingCell:
    """One population: teams that are equally good, and how many items are drawn of it."""

    n_items: int
    n_teams: int
    agreement: float = 0.7  # the correlation of the grades that gold and a team see
    annotator: int = 1  # items of an annotator
    shared: float = 0.2  # the share of a grade, and of a team's error, that is the annotator's
    # how much farther out the outermost thresholds of the last team are: it is shy of 1 and 5
    extremes: float = 1.0
    n_repetitions: int = 40
    scores: tuple[str, ...] = SCORES
    compared: tuple[str, ...] = COMPARED

    @property
    def name(self) -> str:
        """The cell in words."""
        items = f"{self.n_items:,} items" + (
            f" by annotators of {self.annotator}" if self.annotator > 1 else ""
        )
        return f"{items}, agreement {self.agreement:g}{', one team shy of the ends' if self.extremes > 1 else ''}"

    @cached_property
    def thresholds(self) -> Floats:
        """The thresholds of gold, and of every team, shape (T + 1, 4)."""
        cuts = np.tile(ndtri([0.1, 0.25, 0.5, 0.8]), (self.n_teams + 1, 1))
        cuts[-1, [0, -1]] *= self.extremes
        return np.asarray(cuts)

    def truth(self) -> dict[str, Floats]:
        """The scores of every team at the expected confusion."""
        every = [
            scores_of(self._expected(team), self.n_items) for team in range(1, self.n_teams + 1)
        ]
        return {slug: np.array([scores[slug] for scores in every]) for slug in self.scores}

    def _expected(self, team: int) -> Floats:
        """The share of the items in each cell, shape (5, 5)."""
        gold, given = (np.array([-_FAR, *self.thresholds[who], _FAR]) for who in (0, team))
        both = multivariate_normal(cov=[[1, self.agreement], [self.agreement, 1]])
        below = both.cdf(np.stack(np.meshgrid(gold, given, indexing="ij"), axis=-1))
        return np.diff(np.diff(below, axis=0), axis=1)

    def draw(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Gold, shape (N,), and answers, shape (T, N), from 0 to 4."""
        annotators = np.arange(self.n_items) // self.annotator
        grade = self._shared(rng, annotators)
        errors = np.stack([self._shared(rng, annotators) for _ in range(self.n_teams)])
        common = self._shared(rng, annotators)  # half of what teams get wrong all of them do
        seen = self.agreement * grade + np.sqrt((1 - self.agreement**2) / 2) * (errors + common)
        gold = np.searchsorted(self.thresholds[0], grade)
        return gold, np.stack(
            [np.searchsorted(*pair) for pair in zip(self.thresholds[1:], seen, strict=True)]
        )

    def _shared(self, rng: np.random.Generator, annotators: Ints) -> Floats:
        own = rng.normal(size=self.n_items)
        if self.annotator == 1:
            return own
        of_annotator = rng.normal(size=annotators[-1] + 1)[annotators]
        return np.asarray(np.sqrt(1 - self.shared) * own + np.sqrt(self.shared) * of_annotator)

    def evaluated(self, rng: np.random.Generator) -> Any:  # noqa: ANN401 - a black box
        """What the program says of a test set."""
        (gold, answers), texts = self.draw(rng), np.array(LABELS)
        return audit.evaluate(
            texts[gold],
            {f"team {number:02}": texts[row] for number, row in enumerate(answers)},
            labels=list(LABELS),
            scale=True,
            official_metric=self.compared[0],
            compare=list(self.compared[1:]),
            groups=np.arange(self.n_items) // self.annotator if self.annotator > 1 else None,
            seed=1,
        )


def scores_of(shares: Floats, n_items: int) -> dict[str, float]:
    """Scores of a confusion of so many items, gold × predicted, in shares: each as its paper has it."""
    codes = np.arange(len(shares))
    apart = np.abs(codes[:, None] - codes)
    gold, given = shares.sum(axis=1), shares.sum(axis=0)
    by_chance = gold[:, None] * given
    both = (gold + given) / 2
    between = np.array(
        [
            [both[min(a, b) : max(a, b) + 1].sum() - (both[a] + both[b]) / 2 for a in codes]
            for b in codes
        ]
    )
    of_gold = np.array(
        [[gold[min(g, p) : max(g, p) + 1].sum() - gold[p] / 2 for p in codes] for g in codes]
    )
    bits = -np.log2(of_gold)
    signs = np.sign(codes[:, None] - codes)
    pairs = np.einsum("gp,hq,gh,pq->", shares, shares, signs, signs)
    ranks = [np.cumsum(each) - each / 2 - 0.5 for each in (gold, given)]
    # two different ones of all values
    of_pairs = 2 * n_items * both[:, None] * both / (2 * n_items - 1)
    return {
        "linear_kappa": 1 - (apart * shares).sum() / (apart * by_chance).sum(),
        "quadratic_kappa": 1 - (apart**2 * shares).sum() / (apart**2 * by_chance).sum(),
        "ordinal_alpha": 1 - (between**2 * shares).sum() / (between**2 * of_pairs).sum(),
        "mae": float((apart * shares).sum()),
        "macro_mae": float(((apart * shares).sum(axis=1) / gold).mean()),
        "within_one": float(shares[apart <= 1].sum()),
        "cem": (shares * bits).sum() / (gold * np.diag(bits)).sum(),
        "tau_b": pairs / np.sqrt((1 - (gold**2).sum()) * (1 - (given**2).sum())),
        "spearman_labels": np.einsum("gp,g,p->", shares, *ranks)
        / np.sqrt((gold * ranks[0] ** 2).sum() * (given * ranks[1] ** 2).sum()),
    }


def _spanned(shares: Floats) -> Floats:
    """The share of the labels from one to another, both included, shape (5, 5)."""
    codes = range(len(shares))
    return np.array([[shares[min(a, b) : max(a, b) + 1].sum() for b in codes] for a in codes])


def rating_cells(scale: float = 1.0) -> list[RatingCell]:
    """Cells of several sizes, of items and of annotators."""
    return [
        replace(cell, n_repetitions=max(4, round(scale * cell.n_repetitions))) for cell in _cells()
    ]


def _cells() -> Iterator[RatingCell]:
    for n_teams in (2, 10):
        yield RatingCell(200, n_teams)
        yield RatingCell(1000, n_teams, agreement=0.4)
        yield RatingCell(600, n_teams, annotator=20)
    yield RatingCell(1000, 10, annotator=50)
    yield RatingCell(300, 3, agreement=0.97)
    yield RatingCell(100, 3, agreement=0.4)
    yield RatingCell(300, 3, extremes=1.8)
