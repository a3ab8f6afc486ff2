"""The classes: how often they occur, how often they are predicted, how well they are found."""

import numpy as np

from audit.domain.evaluation import Floats
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import LABEL_LIMIT, SHADES, Printing, class_scores, label_text
from audit.text import number, plural, quoted, visible

_UPRIGHT_FROM = 8  # with more classes than this the heads stand upright


def classes_table(show: Printing) -> Table:
    """Each class: its gold items, how often it is predicted, and how well it is recalled."""
    evaluation = show.evaluation
    counts, total = evaluation.prevalence_counts, evaluation.gold.n_items
    teams = list(show.ranked)
    confusions = evaluation.confusions[teams]
    bias = confusions[..., :-1].sum(axis=1) / confusions.sum(axis=(1, 2))[:, None]
    recall = class_scores(evaluation, "recall")[teams]
    rows = tuple(
        (
            Cell(label_text(label), title=visible(label, 1000) if len(label) > LABEL_LIMIT else ""),
            Cell(f"{counts[code]:,}"),
            Cell(show.score(counts[code] / total)),
            *(
                Cell(show.score(value))
                for value in (bias[:, code].min(), np.median(bias[:, code]), bias[:, code].max())
            ),
            *(Cell(show.score(value)) for value in _spread(recall[:, code])),
        )
        for code, label in enumerate(evaluation.task.label_set.shown)
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
    return Table("table-classes", caption, columns, rows)


def _spread(values: Floats) -> tuple[float, float, float]:
    defined = values[~np.isnan(values)]
    if not defined.size:
        return (np.nan, np.nan, np.nan)
    return float(defined.min()), float(np.median(defined)), float(defined.max())


def classwise_table(show: Printing, slug: str) -> Table:
    """Class-wise recall or precision of every team, shaded by value."""
    evaluation = show.evaluation
    scores = class_scores(evaluation, slug)
    never = (evaluation.confusions[..., :-1].sum(axis=1) == 0) & (slug == "precision") & evaluation.present
    rows = tuple(
        (show.name(team), *(_class_cell(show, *pair) for pair in zip(scores[team], never[team], strict=True)))
        for team in show.order
    )
    labels = evaluation.task.label_set.shown
    heads = (
        Column(label_text(label), title=f"{slug} of {visible(label, 1000)}", href=f"#metric-{slug}") for label in labels
    )
    columns = (Column("Team", numeric=False), *heads)
    caption = _classwise_caption(show, slug, scores)
    note = "A class that was never predicted counts as 0, in the median too." if never.any() else ""
    upright = len(labels) > _UPRIGHT_FROM
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
    labels = show.evaluation.task.label_set.named
    return (
        f"Class-wise {slug}: lowest for {quoted(labels[order[0]], LABEL_LIMIT)} (median "
        f"{show.score(medians[order[0]])}), highest for "
        f"{quoted(labels[order[-1]], LABEL_LIMIT)} ({show.score(medians[order[-1]])})."
    )
