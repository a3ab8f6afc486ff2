"""The confusion matrix of any team, chosen on the page: what its script needs to show it."""

from typing import Any

import numpy as np

from audit.report.figures.figure_kinds import MOST_CLASSES, MOST_TEAMS
from audit.report.page import Choice
from audit.report.page_packing import packed, script_json, width_for
from audit.report.table_printing import Printing, label_texts
from audit.text import plural

_EXPORT = "confusions.csv holds every matrix"
_NOTE = (
    "A cell counts the items of the row’s gold class that are predicted as the column’s; below it is their share of "
    "the row, in percent. Unanswered: no label, or one outside the label set."
)


def matrix_choice(show: Printing) -> Choice:
    """The confusion of any team; above 60 teams or 30 classes the sentence that says where it is."""
    evaluation = show.evaluation
    n_teams, n_classes = len(evaluation.entries), len(evaluation.task.label_set)
    if n_teams > MOST_TEAMS or n_classes > MOST_CLASSES:
        size = f"{plural(n_teams, 'team')} and {plural(n_classes, 'class', 'classes')}"
        return Choice(left_out=f"Confusion matrices of {size} are not on the page: audit export writes confusions.csv.")
    return Choice(
        options=tuple(show.name(team).text for team in show.order),
        data=script_json(matrix_data(show)),
        notes=(_NOTE,),
        export=_EXPORT,
    )


def matrix_data(show: Printing) -> dict[str, Any]:
    """Every team's confusion, in the order of the ranking: a text of packed counts for each gold class."""
    evaluation = show.evaluation
    confusions = evaluation.confusions
    widths = [width_for(most) for most in confusions.max(axis=(0, 2)).tolist()]
    return {
        "names": [show.name(team).text for team in show.order],
        "decimals": show.decimals,
        "labels": list(label_texts(evaluation.task.label_set)),
        "widths": widths,
        "rows": [
            [packed(row, width) for row, width in zip(confusions[team], widths, strict=True)]
            for team in np.array(show.order)
        ],
    }
