"""Which end of a scorer's column is best, and its range: stated, or known by the column's name."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.domain import Scale, ScoreColumn
from audit.errors import UsageError
from audit.text import did_you_mean, listed, quoted

_HIGHER = frozenset(
    {
        "bleu",
        "sentbleu",
        "chrf",
        "comet",
        "rouge",
        "rougel",
        "meteor",
        "bertscore",
        "accuracy",
        "acc",
        "em",
        "exact",
    }
    | {
        "map",
        "ap",
        "ndcg",
        "rr",
        "mrr",
        "recip",
        "p",
        "precision",
        "recall",
        "f1",
        "rprec",
        "bpref",
        "success",
    }
)
_LOWER = frozenset(
    {"ter", "wer", "cer", "loss", "ppl", "perplexity", "entropy", "error", "distance"}
)
_WORD = re.compile(r"[a-z]+[0-9]?|[0-9]+")
_DIGIT = re.compile(r"(?<=\D)[0-9]+$")


@dataclass(frozen=True)
class StatedColumn:
    """What task.toml or a call says of a column; None where it does not say it."""

    greater_is_better: bool | None = None
    range: tuple[float, float] | None = None


def direction_by_name(name: str) -> bool | None:
    """Whether a higher score is better by what a column is called; None where its name does not tell.

    >>> [direction_by_name(name) for name in ("ndcg_cut_10", "P@5", "chrF2++", "word error rate", "MQM")]
    [True, True, True, False, None]
    """
    words = set(_WORD.findall(name.lower()))
    words |= {_DIGIT.sub("", word) for word in words}
    is_higher = bool(words & _HIGHER)
    is_lower = bool(words & _LOWER)
    if is_higher == is_lower:
        return None
    return is_higher


def number_columns(
    names: Sequence[str], stated: Mapping[str, StatedColumn], how: str
) -> tuple[tuple[ScoreColumn, ...], tuple[str, ...]]:
    """The columns of a scorer's output, and a sentence on those whose direction is taken from their names.

    `how` says with an example how a direction is stated, for the message of the UsageError that is raised where it is
    neither stated nor known.
    """
    for name in stated:
        if name not in names:
            raise UsageError(f"There is no column {quoted(name)}.{did_you_mean(name, names)}")
    columns = []
    by_name = []
    for name in names:
        said = stated.get(name, StatedColumn())
        is_better = said.greater_is_better
        if is_better is None:
            is_better = direction_by_name(name)
            by_name.append(name)
        if is_better is None:
            raise UsageError(
                f"Is a higher or a lower {quoted(name)} better? State it: {how.format(name=name)}"
            )
        lower, upper = said.range or (-math.inf, math.inf)
        columns.append(ScoreColumn(name, Scale(lower, upper, is_better)))
    return tuple(columns), _assumed(columns, by_name)


def _assumed(columns: Sequence[ScoreColumn], by_name: Sequence[str]) -> tuple[str, ...]:
    sentences = []
    for is_better, words in ((True, "higher is better"), (False, "lower is better")):
        names = [
            quoted(each.name)
            for each in columns
            if each.name in by_name and each.scale.greater_is_better == is_better
        ]
        if names:
            sentences.append(
                f"By {'their names' if len(names) > 1 else 'its name'}, {words} for {listed(names)}."
            )
    return tuple(sentences)
