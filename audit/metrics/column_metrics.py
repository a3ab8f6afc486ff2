"""The metrics that a task brings with it: each the mean of what a scorer gave every item."""

from collections.abc import Mapping

from audit.domain import Feature, LabelSet, ScoreColumn
from audit.metrics import gradients, kernels
from audit.metrics.metric import Metric


def column_metrics(label_set: LabelSet) -> Mapping[str, Metric]:
    """A task's own metrics, by the names of their columns.

    >>> from audit.domain import LabelSet
    >>> column_metrics(LabelSet(("yes", "no")))
    {}
    """
    return {column.name: _mean_of(column) for column in label_set.columns}


def _mean_of(column: ScoreColumn) -> Metric:
    """The mean of a column, which no confusion has."""
    scale = column.scale
    return Metric(
        *(column.name, column.name, column.name, column.name),
        formula=r"\frac{1}{N} \sum_{i} x_i",
        explanation="The mean of the scores that the organisers’ scorer gave the items.",
        baseline="unknown",
        source="the organisers’ scorer",
        kernel=kernels.undefined,
        gradient=gradients.undefined,
        lower=scale.lower,
        upper=scale.upper,
        greater_is_better=scale.greater_is_better,
        over="columns",
        needs=frozenset({Feature.COLUMNS}),
        averages=False,
        needs_every_class=False,
        moves_with_classes=False,
        moves_with_two=False,
    )
