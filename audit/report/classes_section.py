"""Which classes are hard, and who is good at which? F1 of all teams by class, and the winner's errors."""

import numpy as np

from audit.document import Beside, Block, Cell, Column, Fold, Section, Switched, Table, row_names
from audit.domain import Evaluation, Feature, Needs
from audit.domain.arrays import Floats
from audit.findings.wording import entrant, entrants, gold_things, names, shown_name
from audit.report.classes import (
    classes_shown,
    classes_table,
    classwise_table,
    items_table,
    matrix_chooser,
)
from audit.report.figures.metric_figures import first_team
from audit.report.plots import LinearAxis, plotted, winner_colours
from audit.report.printing import Printing, class_scores, label_texts
from audit.text import number, quoted

PLACE = 70
NEEDS: Needs = frozenset({Feature.CLASSES})
MOST_ERRORS = 7
_MOST_DOTS = 60
"""Points of one row: of more teams, the best, and others evenly chosen down to the last."""


def section(show: Printing) -> Section:
    """F1 of every class and team, the winner's most frequent errors, any team's confusion, the hardest items."""
    evaluation = show.evaluation
    label_set = show.evaluation.task.label_set
    tables = Switched(
        "Show",
        (
            ("recall", classwise_table(show, "recall")),
            ("precision", classwise_table(show, "precision")),
            (f"{label_set.nouns} in gold and in predictions", classes_table(show)),
        ),
    )
    strip = class_strip(show)
    errors = errors_table(show)
    blocks: list[Block] = (
        [strip] if errors is None else [Beside((strip,), (errors,), columns=(8, 4))]
    )
    blocks.append(
        Fold("class-tables", f"Recall and precision of every {label_set.noun} and team", (tables,))
    )
    blocks.append(Fold("matrices", "Confusion matrix of any team", (matrix_chooser(show),)))
    if show.items is not None:
        blocks.append(Fold("items", "The hardest items", (items_table(show.items, label_set),)))
    question = f"Which {label_set.nouns} are hard, and who is good at which?"
    return Section(
        "classes",
        question,
        (classes_answer(evaluation),),
        tuple(blocks),
        name=label_set.nouns.capitalize(),
    )


def classes_answer(evaluation: Evaluation) -> str:
    """The class with the lowest median F1, and its size where it is small."""
    label_set = evaluation.task.label_set
    medians = _medians(evaluation)
    codes = [
        code for code in np.flatnonzero(evaluation.present).tolist() if not np.isnan(medians[code])
    ]
    if not codes:
        return f"No team answered an item of any {label_set.noun}"
    hardest = min(codes, key=lambda code: (medians[code], code))
    counts = evaluation.prevalence_counts
    label = quoted(label_set.named[hardest])
    median = f"the median {entrant(evaluation)}"
    if counts[hardest] == min(counts[code] for code in codes) and len(codes) > 1:
        things = gold_things(evaluation)
        return (
            f"{label} is the hardest {label_set.noun} for {median}, and the smallest: "
            f"{counts[hardest]:,} {things}"
        )
    return f"{label} is the hardest {label_set.noun} for {median}: F1 {number(float(medians[hardest]))}"


def _medians(evaluation: Evaluation) -> Floats:
    """The median F1 of each class over the ranked teams, shape (C,); NaN where no team has one."""
    scores = class_scores(evaluation, "f1")[evaluation.ranked]
    medians = np.full(scores.shape[1], np.nan)
    defined = ~np.isnan(scores).all(axis=0)
    medians[defined] = np.nanmedian(scores[:, defined], axis=0)
    return medians


def class_strip(show: Printing) -> Table:
    """A row for each class: a point for each team's F1, the winner's filled, and who is best at it."""
    evaluation = show.evaluation
    label_set = evaluation.task.label_set
    scores = class_scores(evaluation, "f1")
    winner = first_team(evaluation)
    winner_name = shown_name(evaluation, winner)
    colours = winner_colours(evaluation)
    teams = _drawn_teams(show)
    axis = LinearAxis(0.0, 1.0)
    texts = label_texts(label_set)
    counts = evaluation.prevalence_counts
    rows = []
    for code, _ in classes_shown(show):
        drawn = [
            axis.dot(scores[team, code], "quiet")
            for team in teams
            if not np.isnan(scores[team, code])
        ]
        if not np.isnan(scores[winner, code]):
            drawn.append(axis.dot(scores[winner, code], colours.get(winner, "")))
        rows.append(
            (
                Cell(texts[code]),
                Cell(f"{counts[code]:,}"),
                Cell("", shapes=tuple(drawn)),
                Cell(show.score(float(scores[winner, code]))),
                Cell(_best_at(show, scores[:, code])),
            )
        )
    columns = (
        row_names(label_set.noun.capitalize()),
        Column(gold_things(evaluation).capitalize()),
        plotted(axis, "F1"),
        Column(winner_name),
        Column("Best team", numeric=False),
    )
    return Table(
        "table-class-strip",
        f"F1 of each {label_set.noun}: {winner_name} (filled) and the other teams",
        columns,
        tuple(rows),
        note=f"Each point is a team; the filled one is {winner_name}.",
        sortable=False,
        style="plot",
    )


def _drawn_teams(show: Printing) -> list[int]:
    """The teams that have a point, without the winner."""
    winner = first_team(show.evaluation)
    teams = [team for team in show.ranked if team != winner]
    if len(teams) <= _MOST_DOTS:
        return teams
    chosen = np.linspace(0, len(teams) - 1, _MOST_DOTS).round().astype(int)
    return [teams[place] for place in chosen.tolist()]


def _best_at(show: Printing, scores: Floats) -> str:
    """Who has the highest F1 of a class, with the score; how many where several share it."""
    evaluation = show.evaluation
    able = [team for team in show.ranked if not np.isnan(scores[team])]
    if not able:
        return "–"
    best = max(float(scores[team]) for team in able)
    teams = [team for team in able if scores[team] == best]
    if len(teams) > 2:  # noqa: PLR2004 - two names fit
        return f"{entrants(evaluation, len(teams))} {show.score(best)}"
    return f"{names(evaluation, teams, limit=2)} {show.score(best)}"


def errors_table(show: Printing) -> Table | None:
    """The winner's most frequent errors; None where it makes none, and for sets, which have no confusions."""
    evaluation = show.evaluation
    label_set = evaluation.task.label_set
    if not label_set.supports(Feature.CONFUSIONS):
        return None
    winner = first_team(evaluation)
    cells = evaluation.cells.of_teams([winner])
    wrong = np.where(cells.on_diagonal, 0, cells.counts[0])
    order = np.argsort(-wrong, kind="stable")[:MOST_ERRORS]
    codes = [code for code in order.tolist() if wrong[code] > 0]
    if not codes:
        return None
    texts = (*label_texts(label_set), "unanswered")
    sizes = evaluation.prevalence_counts
    rows = []
    for code in codes:
        gold = int(cells.gold[code])
        predicted = int(cells.predicted[code])
        count = int(wrong[code])
        share = f"{count / sizes[gold]:.0%}"
        rows.append((Cell(texts[gold]), Cell(texts[predicted]), Cell(f"{count:,}"), Cell(share)))
    columns = (
        Column("Gold", numeric=False),
        Column("Predicted", numeric=False),
        Column("Items"),
        Column("Of the class"),
    )
    name = shown_name(evaluation, winner)
    return Table(
        "table-errors", f"Most frequent errors of {name}", columns, tuple(rows), sortable=False
    )
