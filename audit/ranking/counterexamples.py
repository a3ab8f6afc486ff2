"""The properties of the metrics, shown on a campaign's own confusions."""

from dataclasses import fields, replace

import numpy as np

from audit.domain import Demonstration, Evaluation
from audit.metrics import (
    AGGREGATES,
    METRICS,
    SEARCHES,
    Holds,
    Metric,
    Properties,
    chance_corrected,
    lost_classes,
    named_metric,
)


def demonstrate(evaluation: Evaluation) -> tuple[Demonstration, ...]:
    """Every aggregate metric × property, with a witness where the metric lacks the property and this campaign shows it.

    Parameters
    ----------
    evaluation : Evaluation
        The submissions that take a rank are searched. A metric that has a property is not searched: the tests do.

    Returns
    -------
    tuple of Demonstration
        By metric whose properties are known, then by property, in the order of the registry.
    """
    able = evaluation.competing & ~lost_classes(evaluation.cells, evaluation.present)
    # Ranked first to last, so that of equal witnesses the better team's is shown.
    teams = np.array([team for team in evaluation.order(evaluation.task.ranking_metric) if able[team]])
    return tuple(
        _demonstration(evaluation, metric, field.name, teams)
        for metric in AGGREGATES
        if metric.properties is not None
        for field in fields(Properties)
    )


def _demonstration(evaluation: Evaluation, metric: Metric, property_: str, teams: "np.ndarray") -> Demonstration:
    searched = metric.over == "margins" and getattr(metric.properties, property_) is not Holds.YES
    if not searched or not teams.size:
        return Demonstration(metric.slug, property_, None)
    named = named_metric(metric.slug, evaluation.task.label_set)
    if property_ == "chance_corrected":
        witness = chance_corrected(named.whole, evaluation.cells.of_teams(teams), classes_counted(evaluation, metric))
    else:
        witness = SEARCHES[property_](named.whole, evaluation.cells.of_teams(teams))
    if witness is not None:
        witness = replace(witness, teams=tuple(int(teams[team]) if team >= 0 else -1 for team in witness.teams))
    return Demonstration(metric.slug, property_, witness)


def classes_counted(evaluation: Evaluation, metric: Metric) -> int:
    """How many classes a metric averages over here, or looks at where it averages over none."""
    return int((evaluation.averaged if metric.averages else evaluation.present).sum())


def holds(demonstration: Demonstration) -> Holds:
    """Whether the metric has the property in general."""
    mark: Holds = getattr(METRICS[demonstration.metric].properties, demonstration.property_)
    return mark
