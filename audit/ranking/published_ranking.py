"""The ranking as it was published: by scores that were rounded first."""

import numpy as np

from audit.domain import Evaluation
from audit.domain.arrays import Floats
from audit.metrics import metric_of
from audit.ranking.ranks import as_published, printed_ranks
from audit.ranking.ranks_by_several import mean_ranks_of


def published_scores(evaluation: Evaluation) -> Floats:
    """Each entry's score by the ranking metric as it is printed, shape (T,).

    A mean of ranks is not rounded itself where the official decimals are stated: it is the mean of the ranks by scores
    that are rounded to these, as whoever ranks by a printed table has it. Where none are stated it is printed alone.
    """
    key, decimals = evaluation.task.ranking_metric, evaluation.task.printed_decimals
    labels = evaluation.task.label_set
    if not metric_of(key.metric, labels).of_ranks or evaluation.task.official_decimals is None:
        return as_published(evaluation.scores_of(key), decimals)
    return mean_ranks_of(
        key,
        lambda terms: np.array([as_published(evaluation.scores_of(term), decimals) for term in terms]),
        evaluation.ranked,
        labels,
    )


def published_ranks(evaluation: Evaluation) -> list[str] | None:
    """Each entry's rank by the ranking metric on rounded scores, as printed; None where no rounding is stated."""
    if evaluation.task.official_decimals is None:
        return None
    goodness = evaluation.goodness(evaluation.task.ranking_metric, published_scores(evaluation))
    return printed_ranks(goodness, evaluation.competing)
