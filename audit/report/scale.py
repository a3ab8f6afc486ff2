"""Does the order of the labels matter? Who is first where labels are names, and where they are on a scale."""

from collections.abc import Iterator

import numpy as np

from audit.document import Cell, Column, Section, Table, row_names
from audit.domain import Evaluation, Feature, LabelSet, Needs, ScoreKey, numerals
from audit.findings.comparisons import state_between
from audit.findings.first_place import said_of
from audit.findings.wording import entrants, of, shown_name
from audit.metrics import SCALE_METRICS, metric_of
from audit.report.metrics import WINNER_COLUMNS, winner_row
from audit.report.printing import Printing
from audit.sentences import say
from audit.text import agreeing, listed, plural, quoted
from audit.vocabulary import QUESTIONS, STATES

PLACE = 45
NEEDS: Needs = frozenset({Feature.ANSWERS})

_LABELS_SHOWN = 12
_AS_NAMES = ("accuracy", "kappa", "averaged_f1")


def section(show: Printing) -> Section | None:
    """Who is first by which view of the labels, and how near gold the first one's errors are."""
    evaluation = show.evaluation
    if not evaluation.task.label_set.scale:
        return None
    table = winners_table(show)
    answer = said_of(evaluation, "scale") or (table.caption,)
    steps = (
        _steps(evaluation, winner)
        for winner in evaluation.winners(evaluation.task.ranking_metric)[:1]
    )
    order = order_sentences(evaluation.task.label_set)
    question = QUESTIONS["label-order"]
    return Section("label-order", question, (*answer, *order, *steps), (table,), name="Label order")


def order_sentences(label_set: LabelSet) -> Iterator[str]:
    """The order of the labels, and by what distances they count.

    >>> list(order_sentences(LabelSet(("1", "2", "5"), scale=(0, 1, 2))))[1]
    'They are not equally spaced, and count by their steps, of one each, not by their values.'
    """
    shown = [quoted(label) for label in label_set.named]
    yield f"On the scale the labels stand in this order, the lowest first: {listed(shown, limit=_LABELS_SHOWN)}."
    steps = np.diff(label_set.scale)
    own = np.diff(numerals(label_set.labels))
    scale_words = listed([f"{value:g}" for value in label_set.scale], limit=_LABELS_SHOWN)
    are_steps_of_one = bool((steps == 1).all())
    if not own.size:
        yield (
            "Each is one step from the next."
            if are_steps_of_one
            else f"Their values are {scale_words}."
        )
        return
    are_even = np.allclose(own, own[0])
    if not are_even:
        spacing = "They are not equally spaced, and count"
    else:
        spacing = "They count"
    if np.allclose(steps, own):
        if not are_even:
            yield f"{spacing} by their values."
    elif are_steps_of_one:
        yield f"{spacing} by their steps, of one each, not by their values."
    else:
        yield f"{spacing} by the values that are stated, {scale_words}, not by their own."


def winners_table(show: Printing) -> Table:
    """Who is first, and who is next, by scores that take labels for names and by those that look at their order."""
    evaluation = show.evaluation
    ranking = show.evaluation.task.ranking_metric
    slugs = dict.fromkeys((ranking.metric, *_AS_NAMES, *SCALE_METRICS))
    keys = [
        key
        for key in (ScoreKey(slug, ranking.prevalence) for slug in slugs)
        if key in evaluation.keys
    ]
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
        if key == ranking:
            state = "–"
        else:
            state = say(STATES[state_between(evaluation, ranking, key)])
        rows.append((named, Cell("a scale" if on_scale else "names"), *cells, Cell(state)))
    n_first = len({winners for key in keys if (winners := evaluation.winners(key))})
    are_first = f"{entrants(evaluation, n_first)} {agreeing(n_first, 'ranks', 'rank')} first"
    caption = f"{are_first} by {'each' if n_first == 1 else 'one'} of these scores{'' if n_first == 1 else ' or more'}."
    return Table("table-label-order", caption, columns, tuple(rows), sortable=False)


def _steps(evaluation: Evaluation, team: int) -> str:
    confusion = evaluation.confusions[team]
    near = int(np.trace(confusion[:, :-1], 1) + np.trace(confusion[:, :-1], -1))
    wrong = plural(int(confusion.sum() - np.trace(confusion)), "wrong answer")
    return f"{shown_name(evaluation, team)}: {near:,} of {wrong} {agreeing(near, 'is', 'are')} one step from gold."
