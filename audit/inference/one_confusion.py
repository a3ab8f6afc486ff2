"""One confusion on its own: every score with its interval, and why the two macro F1s differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from audit.domain import BALANCED, MARKS, OBSERVED, LabelSet, Mark, ScoreKey
from audit.domain.arrays import Counts, Floats
from audit.inference.intervals import Scored, intervals_of
from audit.metrics import BOTH_MACRO_F1, METRICS, Cells, Margins, gap_by_class_pair, metric_name, parse_score_key, score
from audit.text import number, plural

if TYPE_CHECKING:
    import pandas as pd

_FIRST = frozenset({*BOTH_MACRO_F1, "accuracy", "macro_recall", "kappa", "mcc"})
_SHOWN = 10
_BY_CLASS = ("precision", "recall", "f1", "jaccard", "specificity")


@dataclass(frozen=True)
class GapPair:
    """The part of Δ that two classes add: one has the higher precision for its recall, the other the lower."""

    labels: tuple[str, str]  # the two classes
    part: float  # the part of Δ that the two classes add
    share: float  # the share of Δ that the two classes add


@dataclass(frozen=True, eq=False)
class ConfusionScores:
    """The scores of one confusion."""

    labels: LabelSet  # the C classes
    confusion: Counts  # (C, C + 1): gold × predicted, the last column *unanswered*
    keys: tuple[ScoreKey, ...]  # the scores: every metric, observed and balanced, or those that were asked for
    values: Floats  # (K,): the scores and the ends of their 95% intervals
    lower: Floats  # (K,)
    upper: Floats  # (K,)
    marks: tuple[Mark, ...]  # why a score has no interval, or a rough one
    class_keys: tuple[ScoreKey, ...]  # the class scores among the keys that are not asked for by name
    averaged_f1: float  # both macro F1s
    f1_of_averages: float
    gap_pairs: tuple[GapPair, ...]  # what makes them differ, the largest part first; nothing where they do not

    def __repr__(self) -> str:
        """A short table: what is looked at first, with its intervals; ``scores`` has the rest."""
        chosen = [key for key in self.whole_keys if key.metric in _FIRST and key.prevalence == OBSERVED.name]
        keys = chosen or list(self.whole_keys)
        shown = keys[:_SHOWN]
        width = max(len(str(key)) for key in shown)
        rows = [f"{key!s:<{width}}  {self._cells(key)}" for key in shown]
        n_items, n_more = int(self.confusion.sum()), len(self.keys) - len(shown)
        head = f"{plural(n_items, 'item')} of {plural(len(self.labels), 'class', 'classes')}; score, 95% interval"
        more = [f"and {plural(n_more, 'more score')}: see .scores"] if n_more else []
        return "\n".join((head, *rows, f"Δ of the two macro F1s: {number(self.gap, 4)}", *more))

    def _cells(self, key: ScoreKey) -> str:
        """A score and its interval; a dash where it has none."""
        row = self.row_of[key]
        ends = [number(float(end[row])) for end in (self.lower, self.upper)]
        return f"{number(float(self.values[row]))}  {'–' if np.isnan(self.lower[row]) else f'[{ends[0]}, {ends[1]}]'}"

    @property
    def gap(self) -> float:
        """Δ: F1 of averages less averaged F1, at least 0."""
        return max(self.f1_of_averages - self.averaged_f1, 0.0)

    @cached_property
    def row_of(self) -> dict[ScoreKey, int]:
        """The row of each score."""
        return {key: row for row, key in enumerate(self.keys)}

    @property
    def whole_keys(self) -> tuple[ScoreKey, ...]:
        """The scores of the whole confusion, and those that were asked for."""
        by_class = set(self.class_keys)
        return tuple(key for key in self.keys if key not in by_class)

    @property
    def scores(self) -> "pd.DataFrame":
        """Every score with its interval as a DataFrame: a row for each, by its name."""
        import pandas as pd  # noqa: PLC0415 - a third of a second that only notebooks need

        index = pd.Index([str(key) for key in self.keys], name="score")
        return pd.DataFrame({"value": self.values, "lower": self.lower, "upper": self.upper}, index=index)


def score_confusion(confusion: Counts, label_set: LabelSet, metrics: Sequence[str] = ()) -> ConfusionScores:
    """Every metric of one confusion, with 95% intervals."""
    of_classes = [] if metrics else [(slug, code) for slug in _BY_CLASS for code in range(len(label_set))]
    class_keys = tuple(ScoreKey(metric_name(slug, (code,), label_set)) for slug, code in of_classes)
    whole = [metric.slug for metric in METRICS.values() if metric.takes != "class"]
    whole_keys = (ScoreKey(slug, prevalence.name) for slug in whole for prevalence in (OBSERVED, BALANCED))
    metric_keys = tuple(dict.fromkeys(parse_score_key(name, label_set) for name in metrics))
    keys = (*(metric_keys or whole_keys), *class_keys)
    cells, prevalences = Cells.of(confusion[None]), [OBSERVED, BALANCED]
    values = score(cells, keys, prevalences, label_set)
    intervals = intervals_of(Scored(cells, keys, values, prevalences, label_set))
    averaged, of_averages = score(cells, [*map(ScoreKey, BOTH_MACRO_F1)], prevalences, label_set)[:, 0]
    return ConfusionScores(
        labels=label_set,
        confusion=confusion,
        keys=keys,
        values=values[:, 0],
        lower=intervals.lower[:, 0],
        upper=intervals.upper[:, 0],
        marks=tuple(MARKS[mark] for mark in intervals.marks[:, 0]),
        class_keys=class_keys,
        averaged_f1=float(averaged),
        f1_of_averages=float(of_averages),
        gap_pairs=_gap_pairs(confusion, label_set),
    )


def _gap_pairs(confusion: Counts, label_set: LabelSet) -> tuple[GapPair, ...]:
    """The pairs of classes that make Δ, the largest part first."""
    parts = 2 * np.triu(gap_by_class_pair(Margins.of(confusion)))
    gap = parts.sum()
    first, second = np.nonzero(parts > 0)
    order = np.argsort(-parts[first, second], kind="stable")
    return tuple(
        GapPair((label_set.labels[one], label_set.labels[other]), float(part), float(part / gap))
        for one, other, part in zip(
            first[order].tolist(), second[order].tolist(), parts[first, second][order].tolist(), strict=True
        )
    )
