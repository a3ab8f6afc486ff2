"""How numbers, names and heads are printed: the same in every table."""

import math
from dataclasses import dataclass

import numpy as np

from audit.domain import Comparison, Evaluation, Prevalence, ScoreKey, Uncertainty
from audit.domain.evaluation import Floats
from audit.metrics import BOTH_MACRO_F1, metric_name, named_metric, phrase
from audit.ranking import printed_ranks
from audit.report.page import Cell, Column
from audit.text import number, visible

AVERAGED, OF_AVERAGES = (ScoreKey(slug) for slug in BOTH_MACRO_F1)
NAME_LIMIT = 40
LABEL_LIMIT = 24
SHADES = 6


@dataclass(frozen=True)
class Printing:
    """How numbers and names are printed, and in which order the teams stand: the same in every table.

    Parameters
    ----------
    evaluation : Evaluation
        What is printed.
    order : tuple of int
        The entries from best to worst by the ranking metric.
    decimals : int
        Digits of a score.
    """

    evaluation: Evaluation
    order: tuple[int, ...]
    decimals: int

    def score(self, value: float) -> str:
        """A score as it stands everywhere in the report."""
        return number(value, self.decimals)

    def name(self, team: int) -> Cell:
        """A team's name, in full where the pointer rests."""
        full = self.evaluation.names[team]
        shown = visible(full, NAME_LIMIT)
        return Cell(shown, title=visible(full, 1000) if shown != full else "")


def printing(evaluation: Evaluation) -> Printing:
    """The printing rules of an evaluation."""
    order = tuple(evaluation.order(evaluation.task.ranking_metric))
    return Printing(evaluation, order, evaluation.task.printed_decimals)


def label_text(label: str) -> str:
    """A label, safe and short."""
    return visible(label, LABEL_LIMIT)


def short_label(key: ScoreKey, evaluation: Evaluation) -> str:
    """A score's name at the head of a narrow column, calibrated ones with the papers' tilde."""
    named = named_metric(key.metric, evaluation.task.label_set)
    text = named.metric.short
    if named.codes is not None:
        labels = evaluation.task.label_set.labels
        text += f"[{', '.join(label_text(labels[code]) for code in named.codes)}]"
    return text + visible(Prevalence(key.prevalence).suffix, LABEL_LIMIT)


def metric_href(key: ScoreKey, evaluation: Evaluation) -> str:
    """Where a score's formula stands."""
    return f"#metric-{named_metric(key.metric, evaluation.task.label_set).metric.slug}"


def metric_column(key: ScoreKey, evaluation: Evaluation, label: str | None = None) -> Column:
    """The head of a column of scores, linked to its definition."""
    return Column(
        label or short_label(key, evaluation),
        title=f"{visible(str(key), 200)}: {phrase(key, evaluation.task.label_set)}",
        href=metric_href(key, evaluation),
    )


def score_cells(show: "Printing", key: ScoreKey) -> list[Cell]:
    """A score of every team, the best in bold."""
    first = set(show.evaluation.winners(key))
    scores = show.evaluation.scores_of(key).tolist()
    return [Cell(show.score(value), style="best" if team in first else "") for team, value in enumerate(scores)]


def score_and_rank(show: "Printing", key: ScoreKey) -> list[tuple[Cell, Cell]]:
    """A score of every team with its rank beside it."""
    ranks = [Cell(rank, style="quiet") for rank in printed_ranks(show.evaluation.scores_of(key))]
    return list(zip(score_cells(show, key), ranks, strict=True))


def class_scores(evaluation: Evaluation, slug: str) -> Floats:
    """A class-wise metric of every team, shape (T, C)."""
    labels = evaluation.task.label_set
    keys = [ScoreKey(metric_name(slug, (code,), labels)) for code in range(len(labels))]
    return np.stack([evaluation.scores_of(key) for key in keys], axis=-1)


def sentence_case(text: str) -> str:
    """Text with a capital first letter, as at the head of a column."""
    return text[:1].upper() + text[1:]


def range_text(show: Printing, lower: float, upper: float) -> str:
    """An interval as printed; – where it is undefined."""
    return "–" if math.isnan(lower) else f"[{show.score(lower)}, {show.score(upper)}]"


def interval_text(show: Printing, uncertainty: Uncertainty, key: ScoreKey, team: int) -> str:
    """The interval of a team's score as printed."""
    row = show.evaluation.keys.index(key)
    return range_text(show, uncertainty.lower[row, team], uncertainty.upper[row, team])


def rank_set_text(comparison: Comparison, team: int) -> str:
    """A rank set as printed: one rank, or first–last."""
    first, last = comparison.rank_sets[team].tolist()
    return str(first) if first == last else f"{first}–{last}"
