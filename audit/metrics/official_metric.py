"""The official metric as somebody writes it, read and checked in one place for folders and for Python."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from audit.domain import BALANCED, OBSERVED, LabelSet, Policies, ScoreKey
from audit.metrics.names import metric_of, named_metric, parse_score_key, why_no_item_scores
from audit.text import did_you_mean, quoted


@dataclass(frozen=True, slots=True)
class MetricDefect:
    """Why a metric cannot be the official one of a task."""

    about: Literal["item scores", "runs", "missing items", "prevalence"]
    found: str
    expected: str | None = None


def official_metric(
    name: str,
    label_set: LabelSet,
    *,
    prevalences: Iterable[str],
    scored_labels: tuple[str, ...],
    policies: Policies,
) -> tuple[ScoreKey, list[MetricDefect]]:
    """The official metric of a task, and what in the task does not go with it.

    Parameters
    ----------
    prevalences
        The names of class distributions beside *observed* and *balanced*.
    scored_labels
        The labels that scores of single items speak for.

    Raises
    ------
    MetricNameError
        When the name is no metric's.
    """
    key = parse_score_key(name, label_set)
    defects = []
    if why := why_no_item_scores(key, scored_labels, label_set):
        defects.append(MetricDefect("item scores", why))
    if metric_of(key.metric, label_set).of_ranks and policies.runs == "best":
        found = (
            f'{quoted(key.metric)} beside runs = "best": ranks depend on which of all runs count'
        )
        expected = 'runs = "last" or "primary" in [policies], or another metric'
        defects.append(MetricDefect("runs", found, expected))
    if policies.missing == "drop" and named_metric(key.metric, label_set).heeds_abstention:
        found = f'{quoted(key.metric)} heeds what a team leaves unanswered, which missing = "drop" leaves out before'
        defects.append(MetricDefect("missing items", found, 'missing = "wrong" in [policies]'))
    names = [OBSERVED.name, BALANCED.name, *prevalences]
    if key.prevalence not in names:
        near = did_you_mean(key.prevalence, names)
        found = f"there is no prevalence {quoted(key.prevalence)}.{near}"
        defects.append(MetricDefect("prevalence", found))
    return key, defects
