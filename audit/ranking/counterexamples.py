"""The properties of the metrics, shown on a campaign's own confusions."""

from dataclasses import fields, replace

import numpy as np

from audit.domain import Demonstration, Evaluation
from audit.metrics import AGGREGATES, METRICS, SEARCHES, Holds, Metric, Properties, lost_classes


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
    able = evaluation.competing & ~lost_classes(evaluation.confusions, evaluation.present)
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
    witness = SEARCHES[property_](metric, evaluation.confusions[teams])
    if witness is not None:
        witness = replace(witness, teams=tuple(int(teams[team]) if team >= 0 else -1 for team in witness.teams))
    return Demonstration(metric.slug, property_, witness)


def holds(demonstration: Demonstration) -> Holds:
    """Whether the metric has the property in general."""
    mark: Holds = getattr(METRICS[demonstration.metric].properties, demonstration.property_)
    return mark
