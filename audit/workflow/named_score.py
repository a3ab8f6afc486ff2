"""The score that a user names."""

from audit.domain import BALANCED, OBSERVED, ScoreKey, Task
from audit.errors import UsageError
from audit.text import did_you_mean, listed, quoted


def score_key(task: Task, metric: str | None, prevalence: str | None) -> ScoreKey:
    """The score that a user asks for: the ranking metric, and the prevalence in its name, where nothing is said.

    Raises
    ------
    MetricNameError, UsageError
        When there is no such metric or prevalence, or two prevalences are named.
    """
    from audit.metrics import parse_score_key

    key = parse_score_key(metric, task.label_set) if metric else task.ranking_metric
    names = [item.name for item in (OBSERVED, BALANCED, *task.prevalences)]
    chosen = prevalence or key.prevalence
    if chosen not in names:
        near = did_you_mean(chosen, names)
        raise UsageError(f"There is no prevalence {quoted(chosen)}.{near} This task has {listed(names)}.")
    if metric and prevalence and key.prevalence not in (OBSERVED.name, prevalence):
        raise UsageError(f"{quoted(metric)} and --prevalence {prevalence} name different prevalences.")
    return ScoreKey(key.metric, chosen)
