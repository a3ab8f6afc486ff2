"""Scores from every source, rankings under other class distributions, and scores projected onto unlabelled data."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.domain import Cells, Evaluation, ItemScores, LabelSet, Prevalence, ScoreKey, Task
from audit.domain.arrays import Bools, Counts, Floats, Ints
from audit.domain.numbers import Numbers
from audit.domain.sets import UnitCounts, scores_in
from audit.metrics import (
    all_keys,
    goodness,
    lost_classes,
    margins_under,
    mean_of_terms,
    metric_of,
    named_metric,
    prevalence_shares,
    scale_of,
    score_items,
    score_margins,
    score_numbers,
    score_units,
    score_what_is_left,
    shares_of_scored,
)
from audit.ranking.ranks import competition_ranks, first_places, mean_ranks_of

# the sum of the Dirichlet parameters: shares vary about as in samples of 50 items
CONCENTRATION = 50.0

_BLOCK_CELLS = 2**22  # scores held at once where only the first of them are asked for: 32 MB
# of a class in gold in any distribution: no class disappears, and averages keep theirs
LEAST_SHARE = 1e-9


@dataclass(frozen=True, eq=False)
class ScoreSources:
    """The data from which the scores of T entries are computed."""

    task: Task
    gold_counts: Ints  # (C,): gold items of each class
    cells: Cells  # the confusions of the entries
    item_scores: ItemScores | UnitCounts | Numbers | None
    """Their scores of single items, or things of each unit."""
    ranked: Bools  # (T,): which entries take a rank, where a score is a mean of ranks

    def scores(self, keys: Sequence[ScoreKey], prevalences: Sequence[Prevalence]) -> Floats:
        """Scores over the classes in gold, also of an entry that dropped all items of one, shape (K, T)."""
        labels = self.task.label_set
        lost = lost_classes(self.cells, self.gold_counts > 0)
        values = score_what_is_left(self.cells, lost, keys, prevalences, labels)
        names = dict.fromkeys(key.metric for key in keys)
        named_of = {name: named_metric(name, labels) for name in names}

        def scores_of_terms(terms: Sequence[ScoreKey]) -> Floats:
            return self.scores(terms, prevalences)

        for row, key in enumerate(keys):
            named = named_of[key.metric]
            if named.metric.of_ranks:
                values[row] = mean_ranks_of(key, scores_of_terms, self.ranked, labels)
            elif named.is_mean_with_item_scores:
                values[row] = mean_of_terms(key, scores_of_terms)
            elif isinstance(self.item_scores, UnitCounts) and named.metric.over == "units":
                values[row] = score_units(named.reading, self.item_scores)
            elif isinstance(self.item_scores, Numbers):
                values[row] = score_numbers(key.metric, self.item_scores)
            elif named.metric.over == "item scores":
                scores = scores_in(self.item_scores)
                if scores is not None:
                    shares = shares_of_scored(scores, key, prevalences, self.gold_counts, self.task)
                    values[row] = score_items(key.metric, scores, shares)
        return values


def scores_under(cells: Cells, shares: Floats, name: str, label_set: LabelSet) -> Floats:
    """Scores under D class distributions, (D, T); NaN where undefined, as for a submission that has lost a class."""
    scores = np.full((len(shares), len(cells)), np.nan)
    in_gold = np.asarray(shares.any(axis=0))  # also a class that every submission has lost
    whole = np.flatnonzero(~lost_classes(cells, in_gold))
    if whole.size:
        is_of_cells = metric_of(name, label_set).over == "confusions"
        for rows, margins in margins_under(cells.of_teams(whole), shares, matrices=is_of_cells):
            scores[rows, whole] = score_margins(name, margins, label_set)
    return scores


def first_under(evaluation: Evaluation, shares: Floats, name: str) -> Bools:
    """The teams that are first by one metric under many class distributions, of those that can be first, shape (D, T).

    Several are first where their scores are equal; nobody is where every score is undefined.
    """
    cells = evaluation.cells
    label_set = evaluation.task.label_set
    scale = scale_of(name, label_set)
    step = max(1, _BLOCK_CELLS // len(cells))
    parts = []
    for start in range(0, max(1, len(shares)), step):
        scores = scores_under(cells, shares[start : start + step], name, label_set)
        parts.append(first_places(np.where(evaluation.contending, scale.goodness(scores), np.nan)))
    return np.concatenate(parts)


def total_variation(shares: Floats, reference: Floats) -> Floats:
    """Total variation distance: half the sum of the absolute differences of the shares."""
    return np.asarray(np.abs(shares - reference).sum(axis=-1) / 2)


def reference_shares(evaluation: Evaluation, key: ScoreKey) -> Floats:
    """The class distribution at which a score stands, shape (C,)."""
    named = {prevalence.name: prevalence for prevalence in evaluation.prevalences}
    prevalence = named.get(key.prevalence, Prevalence(key.prevalence))
    return prevalence_shares(prevalence, evaluation.prevalence_counts, evaluation.task.label_set)


def scenario(
    evaluation: Evaluation, prevalence: Prevalence, also: Sequence[str] = ()
) -> Evaluation:
    """The evaluation with every score and rank at one class distribution, named or not; rank 0 for who takes none."""
    task = evaluation.task
    competing = evaluation.competing
    further = (ScoreKey(name, prevalence.name) for name in (task.ranking_metric.metric, *also))
    keys = tuple(dict.fromkeys((*all_keys(task.label_set, [prevalence]), *further)))
    gold = evaluation.prevalence_counts
    item_scores = evaluation.item_scores
    sources = ScoreSources(task, gold, evaluation.cells, item_scores, evaluation.ranked)
    values = sources.scores(keys, [prevalence])
    ranks = np.zeros(values.shape, dtype=np.int64)
    turned = goodness(values, [key.metric for key in keys], task.label_set)
    ranks[:, competing] = competition_ranks(turned[:, competing])
    return replace(
        evaluation,
        prevalences=(prevalence,),
        keys=keys,
        values=values,
        rank_values=ranks,
        analyses={},
    )


# Distributions


def drawn_uniformly(present: Bools, n_draws: int, seed: int, order: Counts | None = None) -> Floats:
    """Distributions drawn uniformly from the simplex over the classes in gold, shape (n_draws, C).

    The masses of the classes are drawn in an order of all C, by default that of their codes.
    """
    if order is None:
        order = np.arange(present.size)
    masses = np.empty((n_draws, present.size))
    masses[:, order] = np.random.default_rng([seed, 0]).exponential(size=masses.shape)
    return _proper(masses, present)


def drawn_nearby(
    reference: Floats,
    n_draws: int,
    seed: int,
    concentration: float = CONCENTRATION,
    order: Counts | None = None,
) -> Floats:
    """Distributions drawn from a Dirichlet distribution around one, shape (n_draws, C); ordered as uniform ones."""
    if order is None:
        order = np.arange(reference.size)
    masses = np.empty((n_draws, reference.size))
    rng = np.random.default_rng([seed, 1])
    masses[:, order] = rng.standard_gamma(concentration * reference[order], size=masses.shape)
    return _proper(masses, reference > 0)


def _proper(masses: Floats, present: Bools) -> Floats:
    """Masses as shares, of which no class in gold has less than the least."""
    shares = masses / np.where(present, masses, 0).sum(axis=-1, keepdims=True)
    floored = np.where(present, np.maximum(shares, LEAST_SHARE), 0)
    return np.asarray(floored / floored.sum(axis=-1, keepdims=True))
