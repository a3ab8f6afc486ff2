"""Tables that only the paper has: which pairs differ significantly, and the classes with their sizes."""

import numpy as np

from audit.document import Cell, Column, Table, row_names
from audit.domain import Comparison, Evaluation
from audit.findings.comparisons import family_of
from audit.findings.wording import gold_things, shown_name
from audit.report.ahead import pairs_answer
from audit.report.classes_section import classes_answer
from audit.report.printing import Printing, class_scores
from audit.sentences import say
from audit.text import sentence_case, visible
from audit.vocabulary import BEST_MARK, OPEN_MARK, PAIRS_NOTE

# characters
_NAME = 24
_LABEL = 30
MOST_PAIRED = 18
"""Teams of the triangular matrix: with more columns a table with long names is wider than the page."""


def significance_table(show: Printing, comparison: Comparison) -> Table:
    """A triangular matrix: ● where the team of the column is significantly ahead of the team of the row, else ○."""
    evaluation = show.evaluation
    order = family_of(evaluation, comparison)[:MOST_PAIRED]
    columns = (
        Column(""),
        row_names("Name"),
        *(Column(f"{place}", numeric=False) for place in range(1, len(order))),
    )
    rows = []
    for place, team in enumerate(order, start=1):
        above = [
            BEST_MARK if comparison.ahead[better, team] else OPEN_MARK
            for better in order[: place - 1]
        ]
        blank = [""] * (len(order) - 1 - len(above))
        name = shown_name(evaluation, team, _NAME)
        rows.append(tuple(map(Cell, (f"{place}", name, *above, *blank))))
    caption = f"{pairs_answer(evaluation).rstrip('.')}."
    return Table("table-significance", caption, columns, tuple(rows), note=say(PAIRS_NOTE))


def sizes_table(show: Printing) -> Table:
    """The classes in gold with their items, and the F1 of the best team and of the median one."""
    evaluation = show.evaluation
    label_set = evaluation.task.label_set
    scores = class_scores(evaluation, "f1")
    ranked = np.flatnonzero(evaluation.ranked)
    n_gold = int(evaluation.prevalence_counts[evaluation.present].sum())
    columns = (
        row_names(sentence_case(label_set.noun)),
        Column(sentence_case(gold_things(evaluation))),
        Column("Share"),
        Column("Median F1"),
        Column("Best F1"),
        Column("Best team", numeric=False),
    )
    rows = []
    for code in np.flatnonzero(evaluation.present).tolist():
        count = int(evaluation.prevalence_counts[code])
        of_class = scores[ranked, code]
        texts = [
            visible(label_set.shown[code], _LABEL),
            f"{count:,}",
            f"{100 * count / n_gold:.1f}%",
        ]
        if np.isnan(of_class).all():
            texts += ["–", "–", ""]
        else:
            best = int(ranked[np.nanargmax(of_class)])
            texts += [
                show.score(float(np.nanmedian(of_class))),
                show.score(float(scores[best, code])),
            ]
            texts.append(shown_name(evaluation, best, _NAME))
        rows.append(tuple(map(Cell, texts)))
    return Table("table-sizes", classes_caption(evaluation), columns, tuple(rows))


def classes_caption(evaluation: Evaluation) -> str:
    """Which class is the hardest."""
    return f"{classes_answer(evaluation)}."
