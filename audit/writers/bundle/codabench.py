"""The leaderboard of a competition on Codabench, and what the code that unpacks a competition refuses."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.domain import OBSERVED, ScoreKey, Task
from audit.errors import UsageError
from audit.metrics import BOTH_MACRO_F1, metric_of, phrase

LONGEST = 36
MOST_DECIMALS = 10
"""Characters of a column's heading and key, decimals of its scores, in Codabench's tables."""
_USUAL_DECIMALS = 3


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the leaderboard."""

    score: ScoreKey  # what stands in it
    key: str  # its name in scores.json
    title: str  # its heading
    decimals: int  # decimals of its scores
    sorting: str  # desc where higher is better, or else asc


def columns_of(task: Task, keys: Sequence[ScoreKey]) -> tuple[Column, ...]:
    """The columns for a task: both macro F1s, the official score, accuracy, as far as they are scored."""
    if metric_of(task.ranking_metric.metric, task.label_set).of_ranks:
        raise UsageError(
            "A mean of ranks is no score of one submission: a leaderboard cannot rank by it."
        )
    wanted = dict.fromkeys(
        [*map(ScoreKey, BOTH_MACRO_F1), task.ranking_metric, ScoreKey("accuracy")]
    )
    if task.official_decimals is None:
        decimals = _USUAL_DECIMALS
    else:
        decimals = min(task.official_decimals, MOST_DECIMALS)
    columns = []
    for score in (score for score in wanted if score in keys):
        if score.prevalence == OBSERVED.name:
            at = ""
        else:
            at = f" {score.prevalence}"
        key = re.sub(r"\W+", "_", f"{score.metric}{at}").strip("_")[:LONGEST]
        if metric_of(score.metric, task.label_set).greater_is_better:
            sorting = "desc"
        else:
            sorting = "asc"
        columns.append(
            Column(score, key, phrase(score, task.label_set)[:LONGEST], decimals, sorting)
        )
    return tuple(columns)


def refusals(columns: Sequence[Column], start: str, end: str) -> Iterator[str]:
    """What Codabench's unpacker would refuse: what is not told apart, or in the wrong order."""
    if start >= end:
        yield "the phase ends before it begins"
    if len({column.key for column in columns}) < len(columns) or len(
        {each.title for each in columns}
    ) < len(columns):
        yield f"two columns have the same first {LONGEST} characters"
