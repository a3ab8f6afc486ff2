"""How often intervals, separable pairs and rank sets are right: simulation from populations that are known.

Run `python benchmarks/coverage.py` (about ten minutes on one core); `--data-sets` and `--replicates` change its size.
Test sets are drawn from populations in which every score of every team is known. Two fields of six teams with
correlated errors: *all tied*, six teams with one and the same population confusion; *mixed*, three teams tied, two tied
below, one last.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from audit.domain import BALANCED, OBSERVED, Agreement, Campaign, Gold, LabelSet, ScoreKey, Submission, Task, code_dtype
from audit.evaluation import score_campaign
from audit.metrics import AGGREGATES, score
from audit.ranking import quantify

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

POPULATIONS = {
    "balanced": (1 / 3, 1 / 3, 1 / 3),
    "60/30/10": (0.6, 0.3, 0.1),
    "66/22/10/2": (0.66, 0.22, 0.1, 0.02),
    "20-class Zipf": tuple((1 / np.arange(1, 21) / (1 / np.arange(1, 21)).sum()).tolist()),
}
SIZES = (200, 1000, 5000)
FIELDS = {"mixed": (0.78, 0.78, 0.78, 0.72, 0.72, 0.62), "all tied": (0.75,) * 6}
COMPARED = tuple(map(ScoreKey, ("accuracy", "averaged_f1", "f1_of_averages")))
SCORES = tuple(ScoreKey(metric.slug, prevalence.name) for prevalence in (OBSERVED, BALANCED) for metric in AGGREGATES)
NOMINAL, CORRELATION, SHARED_ERRORS = 0.95, 0.5, 0.5


@dataclass(frozen=True, eq=False)
class Population:
    """Where test sets come from.

    Parameters
    ----------
    prevalence : ndarray, shape (C,)
        Share of each gold class.
    conditional : ndarray, shape (T, C, C)
        How each team answers items of each gold class.
    """

    prevalence: Floats
    conditional: Floats

    @classmethod
    def of(cls, prevalence: Sequence[float], levels: Sequence[float]) -> "Population":
        """Teams of some levels: the rarer a class the lower its recall; errors as frequent as the class they name."""
        shares = np.array(prevalence)
        n_classes = shares.size
        errors = np.tile(shares, (n_classes, 1))
        np.fill_diagonal(errors, 0)
        errors /= errors.sum(axis=1, keepdims=True)
        recall = np.array(levels)[:, None] - 0.2 * np.arange(n_classes) / (n_classes - 1)
        conditional = (1 - recall)[..., None] * errors
        conditional[:, np.arange(n_classes), np.arange(n_classes)] = recall
        return cls(shares, conditional)

    @property
    def labels(self) -> LabelSet:
        """One label for each class."""
        return LabelSet(tuple(f"c{code:02}" for code in range(self.prevalence.size)))

    def draw(self, rng: np.random.Generator, n_items: int) -> tuple[Ints, list[Ints]]:
        """Gold and every team's answers: an item is hard for all teams, and misleads them to the same class."""
        n_teams, n_classes = self.conditional.shape[:2]
        gold = rng.choice(n_classes, n_items, p=self.prevalence)
        common, own = rng.normal(size=n_items), rng.normal(size=(n_teams, n_items))
        hardness = special.ndtr(np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * own)
        alike = rng.random((n_teams, n_items)) < SHARED_ERRORS
        lure = np.where(alike, rng.random(n_items), rng.random((n_teams, n_items)))
        return gold, [self._answers(team, gold, hardness[team], lure[team]) for team in range(n_teams)]

    def _answers(self, team: int, gold: Ints, hardness: Floats, lure: Floats) -> Ints:
        conditional = self.conditional[team]
        recall = conditional.diagonal()
        errors = conditional / (1 - recall)[:, None]
        np.fill_diagonal(errors, 0)
        wrong = (lure[:, None] >= errors.cumsum(axis=1)[gold]).sum(axis=1).clip(max=recall.size - 1)
        return np.where(hardness < recall[gold], gold, wrong).astype(np.int64)

    def scores(self, present: NDArray[np.bool_], keys: Sequence[ScoreKey]) -> Floats:
        """True scores, shape (K, T), of the population whose gold has the classes that are present in a sample."""
        confusions = (self.prevalence * present)[:, None] * self.conditional
        unanswered = np.zeros((*confusions.shape[:-1], 1))
        return score(np.concatenate([confusions, unanswered], axis=-1), keys, (OBSERVED, BALANCED), self.labels)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one simulated test set showed.

    Parameters
    ----------
    covered : ndarray, shape (K, T)
        1 where the interval of a score holds the true score, 0 where not, NaN where there is no interval.
    false_claim : ndarray of bool, shape (M,)
        Whether any team is separable from one that is as good or better, by each metric compared.
    ranks_covered : ndarray of bool, shape (M,)
        Whether every rank set holds every rank that the true scores leave open, by each metric compared.
    """

    covered: Floats
    false_claim: NDArray[np.bool_]
    ranks_covered: NDArray[np.bool_]


def simulate(population: Population, n_items: int, n_data_sets: int, n_replicates: int, seed: int) -> Iterator[Outcome]:
    """Draw test sets, resample each, and hold what is claimed against what is true."""
    rng = np.random.default_rng(seed)
    for number in range(n_data_sets):
        gold, answers = population.draw(rng, n_items)
        keys = (*SCORES, rarest_recall(population))
        if np.unique(gold).size > 1:
            yield _judge(population, gold, answers, keys, n_replicates, seed + number)


def rarest_recall(population: Population) -> ScoreKey:
    """The recall of the rarest class."""
    return ScoreKey(f"recall[{population.labels.labels[-1]}]")


def _judge(  # noqa: PLR0913, PLR0917 - a test set and how it is resampled
    population: Population, gold: Ints, answers: list[Ints], keys: tuple[ScoreKey, ...], n_replicates: int, seed: int
) -> Outcome:
    labels = population.labels
    dtype = code_dtype(len(labels))
    teams = tuple(Submission(f"T{team}", codes.astype(dtype)) for team, codes in enumerate(answers))
    task = Task("t", "T", labels, official_metric=COMPARED[0])
    evaluation = score_campaign(Campaign(task, Gold(labels, gold.astype(dtype)), teams))
    rows = [evaluation.keys.index(key) for key in keys]
    nothing: Any = np.ones((1, 1))
    evaluation = replace(  # the scores that are judged, and no more: a third of the time
        evaluation,
        keys=keys,
        values=evaluation.values[rows],
        rank_values=evaluation.rank_values[rows],
        agreement=Agreement(keys[:1], nothing, nothing, nothing),
    )
    found = quantify(evaluation, answers, n_replicates=n_replicates, seed=seed)
    truth = population.scores(evaluation.present, keys)
    # A score that the sample leaves undefined has no interval to judge.
    covered = np.where(np.isnan(found.lower), np.nan, (found.lower <= truth) & (truth <= found.upper))
    true = [truth[keys.index(key)] for key in COMPARED]
    comparisons = [next(item for item in found.comparisons if item.key == key) for key in COMPARED]
    better = [scores[:, None] > scores + 1e-9 for scores in true]
    ranks = [np.stack([1 + above.sum(axis=0), len(above) - above.sum(axis=1)]) for above in better]
    return Outcome(
        covered,
        np.array([(item.separable & ~above).any() for item, above in zip(comparisons, better, strict=True)]),
        np.array(
            [
                (item.rank_sets[:, 0] <= first).all() and (last <= item.rank_sets[:, 1]).all()
                for item, (first, last) in zip(comparisons, ranks, strict=True)
            ]
        ),
    )


def shares(outcomes: Sequence[Outcome]) -> tuple[Floats, Floats, Floats]:
    """Coverage of each score's interval, error of each comparison, and coverage of its rank sets."""
    return (
        np.nanmean([outcome.covered for outcome in outcomes], axis=(0, 2)),
        np.mean([outcome.false_claim for outcome in outcomes], axis=0),
        np.mean([outcome.ranks_covered for outcome in outcomes], axis=0),
    )


def standard_error(n_data_sets: int) -> float:
    """Monte Carlo standard error of a share of .95 or .05."""
    return float(np.sqrt(NOMINAL * (1 - NOMINAL) / n_data_sets))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--data-sets", type=int, default=300, help="test sets in each cell, a third for 20 classes")
    parser.add_argument("--replicates", type=int, default=1000, help="replicates of each test set")
    arguments = parser.parse_args()
    found = {}
    for name, prevalence in POPULATIONS.items():
        n_data_sets = arguments.data_sets // (3 if len(prevalence) > 10 else 1)
        for n_items in SIZES:
            for field, levels in FIELDS.items():
                population = Population.of(prevalence, levels)
                outcomes = list(simulate(population, n_items, n_data_sets, arguments.replicates, seed=n_items))
                found[name, n_items, field] = (len(outcomes), shares(outcomes))
    print(f"{arguments.data_sets} test sets in each cell ({arguments.data_sets // 3} with 20 classes), ", end="")
    print(f"{arguments.replicates:,} replicates of each.\n")
    _print_comparisons(found)
    _print_intervals(found)


Found = dict[tuple[str, int, str], tuple[int, tuple[Floats, Floats, Floats]]]


def _print_comparisons(found: Found) -> None:
    names = ("accuracy", "averaged F1", "F1 of averages")
    print("Family-wise error in percent of test sets (nominal: at most 5), and simultaneous coverage of the rank sets")
    print("(nominal: at least 95). The last column is one Monte Carlo standard error.\n")
    kinds = [f"{kind}, {name}" for kind in ("error, all tied", "error, mixed", "rank sets, mixed") for name in names]
    _print_row(["population", "N", *kinds, "± SE"])
    _print_row(["---"] * (len(kinds) + 3))
    for name, n_items in dict.fromkeys(key[:2] for key in found):
        n_data_sets, mixed = found[name, n_items, "mixed"]
        tied = found[name, n_items, "all tied"][1]
        error = standard_error(n_data_sets)
        cells = [
            *(_shown(share, bad=share > 1 - NOMINAL + 2 * error) for share in (*tied[1], *mixed[1])),
            *(_shown(share, bad=share < NOMINAL - 2 * error) for share in mixed[2]),
        ]
        _print_row([name, f"{n_items:,}", *cells, f"{100 * error:.1f}"])


def _print_intervals(found: Found) -> None:
    print("\nCoverage of 95% intervals in percent, mean over six teams. ~ is balanced prevalence.")
    print("One standard error is at most that of the table above.\n")
    cells = list(dict.fromkeys(key[:2] for key in found))
    _print_row(["score", *(f"{name}, {n_items:,}" for name, n_items in cells)])
    _print_row(["---"] * (len(cells) + 1))
    for row, label in enumerate([*map(str, SCORES), "recall of the rarest class"]):
        shown = []
        for name, n_items in cells:
            n_data_sets, (covered, _, _) = found[name, n_items, "mixed"]
            shown.append(_shown(covered[row], bad=covered[row] < NOMINAL - 2 * standard_error(n_data_sets)))
        _print_row([label, *shown])
    low = sum(
        int((result[0][:-1] < NOMINAL - 2 * standard_error(n)).sum())
        for (_, _, field), (n, result) in found.items()
        if field == "mixed"
    )
    n_cells = len(cells) * len(SCORES)
    print(f"\nBold: below nominal by more than two standard errors ({low} of the {n_cells} cells of metrics).")


def _shown(share: float, *, bad: bool) -> str:
    text = f"{100 * share:.1f}"
    return f"**{text}**" if bad else text


def _print_row(cells: Sequence[str]) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
