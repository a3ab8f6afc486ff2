"""Which classes decide? How often they occur, how well they are found, and by whom."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from audit.document import Cell, Chooser, Column, Table, row_names
from audit.domain import Feature, LabelSet
from audit.domain.arrays import Floats
from audit.findings.wording import NAME_LIMIT, gold_things, scored_things
from audit.report.figures.figure_kinds import MOST_CLASSES, MOST_TEAMS
from audit.report.page_packing import packed, width_for
from audit.report.printing import (
    LABEL_LIMIT,
    OF_SETS,
    SHADES,
    Printing,
    class_scores,
    counted,
    label_texts,
    shades_of_distance,
)
from audit.text import agreeing, distinct, listed, number, plural, quoted, visible

if TYPE_CHECKING:
    from audit.report.printing import GoldItems


MOST_SHOWN = 30  # classes that a table on the page holds: of more, those with the most gold items
_UPRIGHT_FROM = 8  # with more classes than this the heads stand upright


def classes_table(show: Printing) -> Table:
    """Each class: its gold items, how often it is predicted, and how well it is recalled."""
    evaluation = show.evaluation
    label_set = evaluation.task.label_set
    counts = evaluation.prevalence_counts[: label_set.n_scored]
    total = int(counts.sum())
    teams = list(show.ranked)
    texts = label_texts(label_set)
    answers = evaluation.cells.answers[teams]
    if label_set.supports(Feature.UNITS):
        # of nothing, and of what is left out, no share
        answers = answers[:, [*range(len(label_set) - 1), -1]]
        answers[:, -1] = 0
    things = gold_things(evaluation)
    n_items = answers.sum(axis=1, keepdims=True)
    has_units = label_set.supports(Feature.UNITS)
    if has_units:
        bias_of = f"a team’s {label_set.kind} that are"
    else:
        bias_of = "all items predicted as"
    bias = np.divide(
        answers[:, :-1], n_items, out=np.full(answers[:, :-1].shape, np.nan), where=n_items > 0
    )
    recall = class_scores(evaluation, "recall")[teams]
    rows = tuple(
        (
            Cell(texts[code], title=visible(label, 1000) if len(label) > LABEL_LIMIT else ""),
            Cell(f"{counts[code]:,}"),
            Cell(show.score(counts[code] / total)),
            *(
                Cell(show.score(value))
                for values in (bias, recall)
                for value in _spread(values[:, code])
            ),
        )
        for code, label in classes_shown(show)
    )
    columns = (
        row_names(label_set.noun.capitalize()),
        Column(f"Gold {things}", title="Prevalence, counted"),
        Column("Share", title=f"Prevalence, as a share of all {scored_things(label_set)}"),
        Column(
            "Predicted: least",
            title=f"Bias: share of {bias_of} the {label_set.noun}, lowest of the teams",
        ),
        Column("median"),
        Column("most"),
        Column("Recall: lowest"),
        Column("median"),
        Column("highest"),
    )
    largest = int(counts.argmax())
    smallest = int(np.where(counts > 0, counts, counts.max() + 1).argmin())
    labels = label_set.named
    shown = [
        f"{quoted(labels[code], LABEL_LIMIT)}, has {plural(n, things[:-1])} ({number(n / total)})"
        for code, n in ((code, int(counts[code])) for code in (largest, smallest))
    ]
    caption = f"The largest {label_set.noun}, {shown[0]}; the smallest, {shown[1]}."
    if counts[largest] == counts[smallest]:
        each = plural(int(counts[largest]), things[:-1])
        caption = f"Every {label_set.noun} in gold has {each} ({number(counts[largest] / total)})."
    return Table("table-classes", caption, columns, rows, note=_omitted_classes(show))


def classes_shown(show: Printing) -> list[tuple[int, str]]:
    """The classes that a table shows, with their names: all, or those with the most gold items, in their own order."""
    label_set = show.evaluation.task.label_set
    counts = show.evaluation.prevalence_counts[: label_set.n_scored]
    names = label_set.shown
    codes = np.sort(np.argsort(-counts, kind="stable")[:MOST_SHOWN])
    return [(code, names[code]) for code in codes.tolist()]


def _omitted_classes(show: Printing) -> str:
    """The number of classes that a table leaves out, and where they are."""
    n_classes = show.evaluation.task.label_set.n_scored
    nouns = show.evaluation.task.label_set.nouns
    if n_classes <= MOST_SHOWN:
        return ""
    return (
        f"The {MOST_SHOWN} {nouns} with the most gold items of {n_classes:,} are shown; audit export writes the scores "
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
    shown = classes_shown(show)
    texts = label_texts(evaluation.task.label_set)
    columns = [
        (
            Column(texts[code], title=f"{slug} of {visible(label, 1000)}", href=f"#metric-{slug}"),
            [
                _class_cell(show, *each)
                for each in zip(scores[:, code], never[:, code], strict=True)
            ],
        )
        for code, label in shown
    ]
    table = show.by_team(f"table-{slug}", _classwise_caption(show, slug, scores), columns)
    if never.any():
        never_said = "A class that was never predicted counts as 0, in the median too."
    else:
        never_said = ""
    never_said = evaluation.task.label_set.worded(never_said)
    table = replace(
        table.noting(never_said, _omitted_classes(show)), upright=len(shown) > _UPRIGHT_FROM
    )
    return table.noting(show.legend)


def _class_cell(show: Printing, value: float, never: bool) -> Cell:  # noqa: FBT001 - a pair of one array's rows
    if never:
        return Cell("never", style="quiet", title="never predicted; counts as 0")
    return Cell(
        show.score(value), style="" if np.isnan(value) else f"v{round(value * (SHADES - 1))}"
    )


def _classwise_caption(show: Printing, slug: str, scores: Floats) -> str:
    wise = show.evaluation.task.label_set.worded("Class-wise")
    medians = [_spread(column)[1] for column in scores[list(show.ranked)].T]
    order = [
        code for code in np.argsort(medians, kind="stable").tolist() if not np.isnan(medians[code])
    ]
    if not order:
        return f"{wise} {slug}: no submission answered an item."
    labels = show.evaluation.task.label_set.named
    lowest, highest = (show.score(medians[order[end]]) for end in (0, -1))
    if lowest == highest:
        return f"{wise} {slug}: the median is {lowest} for each."
    return (
        f"{wise} {slug}: lowest for {quoted(labels[order[0]], LABEL_LIMIT)} (median "
        f"{lowest}), highest for {quoted(labels[order[-1]], LABEL_LIMIT)} ({highest})."
    )


_EXPORT = "confusions.csv holds every matrix"
_NOTE = (
    "A cell counts the items of the row’s gold class that are predicted as the column’s; below it is their share of "
    "the row, in percent. Unanswered: no label, or one outside the label set."
)

_OF_SETS = f"{OF_SETS} Unanswered: in gold’s sets where the team has no answer."
_ON_SCALE = (
    "Classes stand in the order of the scale; the darker an error, the farther it is from gold."
)


def matrix_chooser(show: Printing) -> Chooser:
    """The confusion of any team; above 60 teams or 30 classes the sentence that says where it is."""
    evaluation = show.evaluation
    prompts = (("matrices-team", "Team", ""),)
    labels = evaluation.task.label_set
    n_teams = len(evaluation.entries)
    n_classes = labels.n_scored
    if n_teams > MOST_TEAMS or n_classes > MOST_CLASSES:
        size = f"{plural(n_teams, 'team')} and {plural(n_classes, labels.noun, labels.nouns)}"
        left_out = (
            f"Confusion matrices of {size} are not on the page: audit export writes confusions.csv."
        )
        return Chooser("matrices", prompts, left_out=left_out)
    options = tuple(show.name(team).text for team in show.order)
    if labels.supports(Feature.UNITS):
        read_as = _OF_SETS
    else:
        read_as = _NOTE
    notes = (read_as, _ON_SCALE) if labels.scale else (read_as,)
    return Chooser("matrices", prompts, options, matrix_data(show), notes, _EXPORT)


def matrix_data(show: Printing) -> dict[str, Any]:
    """Every team's confusion, in the order of the ranking: a text of packed counts for each gold class."""
    evaluation = show.evaluation
    labels = show.evaluation.task.label_set
    confusions = counted(evaluation.confusions, labels)
    widths = [width_for(most) for most in confusions.max(axis=(0, 2)).tolist()]
    return {
        "names": [show.name(team).text for team in show.order],
        "decimals": show.decimals,
        "labels": list(label_texts(labels)),
        "scored": labels.n_scored,
        "things": scored_things(labels),
        "gold": gold_things(evaluation),
        "distances": shades_of_distance(labels).tolist() if labels.scale else None,
        "widths": widths,
        "rows": [
            [packed(row, width) for row, width in zip(confusions[team], widths, strict=True)]
            for team in np.array(show.order)
        ],
    }


MOST_ITEMS = 200  # rows of the table; items.csv of an export with items has all of them

_ID_LIMIT = 60
_TEAMS_SHOWN = 5


def items_table(items: "GoldItems", label_set: LabelSet) -> Table:
    """The items that fewest entries get right, with their gold labels and who gets them right."""
    n_right = items.n_right
    n_items = len(items.gold)
    n_teams = len(items.names)
    hardest = np.argsort(n_right, kind="stable")[:MOST_ITEMS].tolist()
    names = distinct(items.names, NAME_LIMIT)
    rows = tuple(
        (
            Cell(f"{place + 1:,}"),
            Cell(visible(items.ids[place], _ID_LIMIT) if items.ids else "–"),
            Cell(visible(label_set.shown_as(items.gold[place]), LABEL_LIMIT)),
            Cell(f"{n_right[place]:,}"),
            Cell(
                listed(
                    [names[team] for team in np.flatnonzero(items.right[:, place])],
                    limit=_TEAMS_SHOWN,
                )
            ),
        )
        for place in hardest
    )
    columns = (
        Column("Item", title="Its place in gold"),
        Column("Id", numeric=False),
        Column("Gold", numeric=False),
        Column("Right", title="Entries that answer the gold label"),
        Column("Who is right", numeric=False),
    )
    nobody = int((n_right == 0).sum())
    caption = f"{plural(nobody, 'item')} of {n_items:,} {agreeing(nobody, 'is', 'are')} answered right by no entry."
    note = (
        f"The {len(hardest):,} of {plural(n_items, 'item')} that fewest of {plural(n_teams, 'entry', 'entries')} get "
        "right, equal ones in the order of gold. Not for a test set in use. audit export --with-items writes all of "
        "them into items.csv."
    )
    return Table("table-items", caption, columns, rows, note=note)
