"""Figures of classes: recall, the confusion of one team, and how often each class is predicted."""

from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Evaluation
from audit.questions.figures.common import height_of, label_of, score_text
from audit.questions.figures.metric_figures import cell_grid, write_cells
from audit.questions.figures.style import dots, new_figure, quiet_axes, score_ticks, shade_of
from audit.questions.printing import class_scores
from audit.questions.wording import shown_name
from audit.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_SHOWN = 40


def _classes(evaluation: Evaluation) -> list[int]:
    """The classes in gold, most frequent first: as many as can be read."""
    order = np.argsort(-evaluation.prevalence_counts, kind="stable")
    return [code for code in order.tolist() if evaluation.present[code]][:_MOST_SHOWN]


def first_team(evaluation: Evaluation) -> int:
    """The winner by the ranking metric; the first in order where there is none."""
    key = evaluation.task.ranking_metric
    return (*evaluation.winners(key), *evaluation.order(key))[0]


def _class_rows(axes: "Axes", evaluation: Evaluation, codes: list[int], width: float) -> None:
    counts = evaluation.prevalence_counts
    labels = [f"{label_of(evaluation, code, width)} ({counts[code]:,})" for code in codes]
    axes.set_yticks(np.arange(len(codes)), labels)
    axes.set_ylim(len(codes) - 0.4, -0.6)
    quiet_axes(axes, grid="x")
    score_ticks(axes.xaxis)


def draw_recall(evaluation: Evaluation, width: float) -> "Figure":
    """Every team's recall of each class."""
    codes = _classes(evaluation)
    recall = class_scores(evaluation, "recall")
    figure = new_figure(width, height_of(len(codes)))
    axes = figure.subplots()
    others = np.flatnonzero(evaluation.competing)
    rows = np.repeat(np.arange(len(codes)), len(others))
    dots(axes, recall[others][:, codes].T.ravel(), rows, hollow=True)
    winner = first_team(evaluation)
    dots(axes, recall[winner, codes], np.arange(len(codes)), size=4.4)
    _class_rows(axes, evaluation, codes, width)
    axes.set_xlabel("Recall")
    axes.set_xlim(-0.02, 1.02)
    return figure


def recall_caption(evaluation: Evaluation) -> str:
    """The class that the winner finds least often."""
    codes = _classes(evaluation)
    winner = first_team(evaluation)
    recall = class_scores(evaluation, "recall")[winner]
    if np.isnan(recall[codes]).all():
        return "No class recall is defined."
    worst = min((code for code in codes if not np.isnan(recall[code])), key=lambda code: float(recall[code]))
    label = visible(evaluation.task.label_set.shown[worst], 24)
    name = shown_name(evaluation, winner)
    return f"{name} finds {label} least often: recall {score_text(evaluation, float(recall[worst]))}."


def draw_confusion(evaluation: Evaluation, width: float) -> "Figure":
    """Gold × predicted counts of the winner."""
    (confusion,) = evaluation.cells.of_teams([first_team(evaluation)]).dense()
    present = np.flatnonzero(evaluation.present)
    if evaluation.task.label_set.is_of_sets:  # false alarms; what is in neither set is no number
        present = np.append(present, evaluation.task.label_set.n_scored)
        confusion[-1, -2:] = 0
    columns = np.flatnonzero(confusion.sum(axis=0) > 0)
    counts = confusion[np.ix_(present, columns)]
    shares = counts / np.maximum(confusion[present].sum(axis=1, keepdims=True), 1)
    figure = new_figure(width, max(min(width, 0.28 * len(present) + 1.1), 0.09 * len(present) + 1.1))
    axes = figure.subplots()
    cell_grid(axes, shares, [[shade_of(share) if share > 0 else "none" for share in line] for line in shares.tolist()])
    axes.set_xticks(
        np.arange(len(columns)), [label_of(evaluation, code, width) for code in columns.tolist()], rotation=90
    )
    axes.set_yticks(np.arange(len(present)), [label_of(evaluation, code, width) for code in present.tolist()])
    axes.set_xlabel("Predicted")
    axes.set_ylabel("Gold")
    write_cells(figure, axes, {(row, column): f"{counts[row, column]}" for row, column in np.argwhere(counts).tolist()})
    return figure


def confusion_caption(evaluation: Evaluation) -> str:
    """The most frequent confusion of the winner."""
    winner = first_team(evaluation)
    cells = evaluation.cells.of_teams([winner])
    n_scored = evaluation.task.label_set.n_scored
    is_in_neither = (cells.gold >= n_scored) & (cells.predicted >= n_scored)
    wrong = np.where(cells.on_diagonal | is_in_neither, 0, cells.counts[0])
    name = shown_name(evaluation, winner)
    if not wrong.any():
        return f"{name} makes no error."
    most = int(wrong.argmax())
    gold, predicted = cells.gold[most], cells.predicted[most]
    names = [*evaluation.task.label_set.shown, "unanswered"]
    one, other = visible(names[int(gold)], 24), visible(names[int(predicted)], 24)
    if evaluation.task.label_set.is_of_sets:
        error = f"misses {one}" if int(gold) < n_scored else f"gives {other} where gold has none"
        return f"{name} most often {error}: {int(wrong.max()):,} times."
    mistake = f"leaves {one} unanswered" if int(predicted) == len(names) - 1 else f"takes {one} for {other}"
    return f"{name} most often {mistake}: {int(wrong.max()):,} times."
