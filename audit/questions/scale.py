"""Does the order of the labels matter? Who is first where labels are names, and where they are on a scale."""

import numpy as np

from audit.document import Cell, Column, Section, Table, row_names
from audit.domain import Evaluation, ScoreKey
from audit.metrics import SCALE_METRICS, metric_of
from audit.questions.comparisons import STATES, state_between
from audit.questions.first_place import said_of
from audit.questions.metrics import WINNER_COLUMNS, winner_row
from audit.questions.printing import Printing
from audit.questions.wording import entrants, of, shown_name
from audit.sentences import say
from audit.text import agreeing, plural

PLACE = 45

_AS_NAMES = ("accuracy", "kappa", "averaged_f1")


def section(show: Printing) -> Section | None:
    """Who is first by which view of the labels, and how near gold the first one's errors are."""
    evaluation = show.evaluation
    if not evaluation.task.label_set.scale:
        return None
    table = winners_table(show)
    answer = said_of(evaluation, "scale") or (table.caption,)
    steps = (_steps(evaluation, winner) for winner in evaluation.winners(evaluation.task.ranking_metric)[:1])
    return Section(
        "label-order", "Does the order of the labels matter?", (*answer, *steps), (table,), name="Label order"
    )


def winners_table(show: Printing) -> Table:
    """Who is first, and who is next, by scores that take labels for names and by those that look at their order."""
    evaluation, ranking = show.evaluation, show.evaluation.task.ranking_metric
    slugs = dict.fromkeys((ranking.metric, *_AS_NAMES, *SCALE_METRICS))
    keys = [key for key in (ScoreKey(slug, ranking.prevalence) for slug in slugs) if key in evaluation.keys]
    columns = (
        row_names("Metric"),
        Column("Labels are", numeric=False),
        *WINNER_COLUMNS,
        Column(f"Beside {of(evaluation, ranking)}", numeric=False),
    )
    rows = []
    for key in keys:
        named, *cells = winner_row(show, key, None)
        on_scale = metric_of(key.metric, evaluation.task.label_set).of_scale
        state = "–" if key == ranking else say(STATES[state_between(evaluation, ranking, key)])
        rows.append((named, Cell("a scale" if on_scale else "names"), *cells, Cell(state)))
    n_first = len({winners for key in keys if (winners := evaluation.winners(key))})
    are_first = f"{entrants(evaluation, n_first)} {agreeing(n_first, 'is', 'are')} first"
    caption = f"{are_first} by {'each' if n_first == 1 else 'one'} of these scores{'' if n_first == 1 else ' or more'}."
    return Table("table-label-order", caption, columns, tuple(rows), sortable=False)


def _steps(evaluation: Evaluation, team: int) -> str:
    confusion = evaluation.confusions[team]
    near = int(np.trace(confusion[:, :-1], 1) + np.trace(confusion[:, :-1], -1))
    wrong = plural(int(confusion.sum() - np.trace(confusion)), "wrong answer")
    return f"{shown_name(evaluation, team)}: {near:,} of {wrong} {agreeing(near, 'is', 'are')} one step from gold."
