"""Scores of every kind: of confusions, of scores of single items, means with both, and means of ranks."""

from collections.abc import Sequence
from dataclasses import dataclass

from audit.domain import Cells, ItemScores, Prevalence, ScoreKey, Task
from audit.domain.arrays import Bools, Floats, Ints
from audit.metrics import (
    lost_classes,
    mean_of_terms,
    named_metric,
    prevalence_shares,
    score_items,
    score_what_is_left,
)
from audit.ranking.ranks_by_several import mean_ranks_of


@dataclass(frozen=True, eq=False)
class ScoreSources:
    """The data from which the scores of T entries are computed.

    Parameters
    ----------
    task : Task
        The task, with its label set and the label that scores of single items speak for.
    gold_counts : ndarray of int, shape (C,)
        Gold items of each class.
    cells : Cells
        The confusions of the entries.
    item_scores : ItemScores, optional
        Their scores of single items, where the task keeps these.
    ranked : ndarray of bool, shape (T,)
        Which entries take a rank, where a score is a mean of ranks.
    """

    task: Task
    gold_counts: Ints
    cells: Cells
    item_scores: ItemScores | None
    ranked: Bools

    def scores(self, keys: Sequence[ScoreKey], prevalences: Sequence[Prevalence]) -> Floats:
        """Scores over the classes in gold, also of an entry that dropped all items of one, shape (K, T).

        Parameters
        ----------
        keys : sequence of K ScoreKey
            Metrics, each at one of the prevalences.
        prevalences : sequence of Prevalence
            The prevalences.
        """
        labels = self.task.label_set
        lost = lost_classes(self.cells, self.gold_counts > 0)
        values = score_what_is_left(self.cells, lost, keys, prevalences, labels)
        for row, key in enumerate(keys):
            named = named_metric(key.metric, labels)
            if named.metric.of_ranks:
                values[row] = mean_ranks_of(key, lambda terms: self.scores(terms, prevalences), self.ranked, labels)
            elif named.is_mean_with_item_scores:
                values[row] = mean_of_terms(key, lambda terms: self.scores(terms, prevalences))
            elif named.metric.of_item_scores and self.item_scores is not None:
                values[row] = score_items(key.metric, self.item_scores, self._share_of_scored(key, prevalences))
        return values

    def _share_of_scored(self, key: ScoreKey, prevalences: Sequence[Prevalence]) -> float:
        """The mass of the label that scores of items speak for, at the prevalence of a score."""
        prevalence = next(each for each in prevalences if each.name == key.prevalence)
        shares = prevalence_shares(prevalence, self.gold_counts, self.task.label_set)
        return float(shares[self.task.label_set.code_of[self.task.scored_label or ""]])
