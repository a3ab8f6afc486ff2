"""The classes: how often they occur, how often they are predicted, how well they are found."""

import numpy as np

from audit.domain.arrays import Floats
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import LABEL_LIMIT, SHADES, Printing, class_scores, label_texts
from audit.text import number, plural, quoted, visible

MOST_SHOWN = 30
"""Classes that a table on the page holds: of more, those with the most gold items."""
_UPRIGHT_FROM = 8  # with more classes than this the heads stand upright


def classes_table(show: Printing) -> Table:
    """Each class: its gold items, how often it is predicted, and how well it is recalled."""
    evaluation = show.evaluation
    counts, total = evaluation.prevalence_counts, evaluation.gold.n_items
    teams, texts = list(show.ranked), label_texts(evaluation.task.label_set)
    answers = evaluation.cells.answers[teams]
    n_items = answers.sum(axis=1, keepdims=True)
    bias = np.divide(answers[:, :-1], n_items, out=np.full(answers[:, :-1].shape, np.nan), where=n_items > 0)
    recall = class_scores(evaluation, "recall")[teams]
    rows = tuple(
        (
            Cell(texts[code], title=visible(label, 1000) if len(label) > LABEL_LIMIT else ""),
            Cell(f"{counts[code]:,}"),
            Cell(show.score(counts[code] / total)),
            *(Cell(show.score(value)) for values in (bias, recall) for value in _spread(values[:, code])),
        )
        for code, label in _shown(show)
    )
    columns = (
        Column("Class", numeric=False),
        Column("Gold items", title="Prevalence, counted"),
        Column("Share", title="Prevalence, as a share of all items"),
        Column("Predicted: least", title="Bias: share of all items predicted as the class, lowest of the teams"),
        Column("median"),
        Column("most"),
        Column("Recall: lowest"),
        Column("median"),
        Column("highest"),
    )
    largest, smallest = int(counts.argmax()), int(np.where(counts > 0, counts, counts.max() + 1).argmin())
    labels = evaluation.task.label_set.named
    shown = [
        f"{quoted(labels[code], LABEL_LIMIT)}, has {plural(int(counts[code]), 'item')} ({number(counts[code] / total)})"
        for code in (largest, smallest)
    ]
    caption = f"The largest class, {shown[0]}; the smallest, {shown[1]}."
    return Table("table-classes", caption, columns, rows, note=_omitted_classes(show))


def _shown(show: Printing) -> list[tuple[int, str]]:
    """The classes that a table shows, with their names: all, or those with the most gold items, in their own order."""
    counts, names = show.evaluation.prevalence_counts, show.evaluation.task.label_set.shown
    codes = np.sort(np.argsort(-counts, kind="stable")[:MOST_SHOWN])
    return [(code, names[code]) for code in codes.tolist()]


def _omitted_classes(show: Printing) -> str:
    """How many classes a table leaves out, and where they are."""
    n_classes = len(show.evaluation.task.label_set)
    if n_classes <= MOST_SHOWN:
        return ""
    return (
        f"The {MOST_SHOWN} classes with the most gold items of {n_classes:,} are shown; audit export writes the scores "
        "of all to scores.csv."
    )


def _spread(values: Floats) -> tuple[float, float, float]:
    defined = values[~np.isnan(values)]
    if not defined.size:
        return (np.nan, np.nan, np.nan)
    return float(defined.min()), float(np.median(defined)), float(defined.max())


def classwise_table(show: Printing, slug: str) -> Table:
    """Class-wise recall or precision of every team, shaded by value."""
    evaluation = show.evaluation
    scores = class_scores(evaluation, slug)
    never = (evaluation.cells.answers[:, :-1] == 0) & (slug == "precision") & evaluation.present
    shown, texts = _shown(show), label_texts(evaluation.task.label_set)
    rows = tuple(
        (show.name(team), *(_class_cell(show, scores[team, code], never[team, code]) for code, _ in shown))
        for team in show.order
    )
    heads = (
        Column(texts[code], title=f"{slug} of {visible(label, 1000)}", href=f"#metric-{slug}") for code, label in shown
    )
    columns = (Column("Team", numeric=False), *heads)
    caption = _classwise_caption(show, slug, scores)
    never_said = "A class that was never predicted counts as 0, in the median too." if never.any() else ""
    note, upright = " ".join(filter(None, (never_said, _omitted_classes(show)))), len(shown) > _UPRIGHT_FROM
    return show.with_legend(Table(f"table-{slug}", caption, columns, rows, note=note, upright=upright))


def _class_cell(show: Printing, value: float, never: bool) -> Cell:  # noqa: FBT001 - a pair of one array's rows
    if never:
        return Cell("never", style="quiet", title="never predicted; counts as 0")
    return Cell(show.score(value), style=_value_shade(value))


def _value_shade(value: float) -> str:
    return "" if np.isnan(value) else f"v{round(value * (SHADES - 1))}"


def _classwise_caption(show: Printing, slug: str, scores: Floats) -> str:
    medians = [_spread(column)[1] for column in scores[list(show.ranked)].T]
    order = [code for code in np.argsort(medians, kind="stable").tolist() if not np.isnan(medians[code])]
    if not order:
        return f"Class-wise {slug}: no submission answered an item."
    labels = show.evaluation.task.label_set.named
    return (
        f"Class-wise {slug}: lowest for {quoted(labels[order[0]], LABEL_LIMIT)} (median "
        f"{show.score(medians[order[0]])}), highest for "
        f"{quoted(labels[order[-1]], LABEL_LIMIT)} ({show.score(medians[order[-1]])})."
    )
