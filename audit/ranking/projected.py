"""Scores that a team's recall lets one expect on data without gold labels."""

from dataclasses import dataclass

import numpy as np

from audit.domain import OBSERVED, Evaluation, Prevalence
from audit.domain.arrays import Floats
from audit.metrics import (
    AGGREGATES,
    margins_at,
    metric_name,
    prevalence_shares,
    projected_margins,
    score_each,
)


@dataclass(frozen=True, eq=False)
class Projection:
    """Scores of one team that its recall lets one expect on data without gold labels.

    Parameters
    ----------
    team : int
        The team that is projected.
    shares, predicted : ndarray, shape (C,)
        The class distribution to expect there, and how often the team predicts each class there.
    recall, precision : ndarray, shape (C,)
        Recall here, and precision to expect there; NaN for a class that gold lacks.
    precision_here : ndarray, shape (C,)
        Precision here.
    names : tuple of str
        The aggregate metrics.
    scores, scores_here : ndarray, shape (10,)
        What they give there and here.
    """

    team: int
    shares: Floats
    predicted: Floats
    recall: Floats
    precision: Floats
    precision_here: Floats
    names: tuple[str, ...]
    scores: Floats
    scores_here: Floats

    @property
    def contradictory(self) -> tuple[int, ...]:
        """Classes with a precision above 1: recall, class distribution and predictions contradict each other."""
        return tuple(np.flatnonzero(np.nan_to_num(self.precision) > 1).tolist())


def project(evaluation: Evaluation, team: int, prevalence: Prevalence, predicted: Floats) -> Projection:
    """Project a team's scores onto data without gold labels.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation from which the team's recall is known.
    team : int
        The team that is projected.
    prevalence : Prevalence
        The class distribution to expect there.
    predicted : ndarray, shape (C,)
        How often the team predicts each class there.
    """
    labels, cells = evaluation.task.label_set, evaluation.cells.of_teams([team])
    shares = prevalence_shares(prevalence, evaluation.prevalence_counts, labels)
    here = margins_at(cells, OBSERVED, labels)
    recall = np.divide(here.correct, here.prevalence, out=np.zeros(here.correct.shape), where=here.averaged)[0]
    margins = projected_margins(recall, shares, predicted)
    precisions = [metric_name("precision", (code,), labels) for code in range(len(labels))]
    names = tuple(metric.slug for metric in AGGREGATES)
    return Projection(
        team=team,
        shares=shares,
        predicted=predicted,
        recall=np.where(shares > 0, recall, np.nan),
        precision=score_each(precisions, margins, labels),
        precision_here=score_each(precisions, here, labels)[:, 0],
        names=names,
        scores=score_each(names, margins, labels),
        scores_here=score_each(names, here, labels)[:, 0],
    )
