"""How alike do the teams err? The share of items on which two are right or wrong together, and the pairs most alike."""

import numpy as np

from audit.document import Cell, Column, Fold, Section, Table, row_names
from audit.domain.arrays import Floats, Ints
from audit.questions.printing import Printing
from audit.text import number, plural

PLACE = 75
_FEWEST, _SHOWN = 3, 10
_NOTE = (
    "Together: share of the items on which both are right or both are wrong. Kappa: how far that exceeds what their "
    "accuracies alone would give; 1 is the same items, 0 no more than that (error consistency; Geirhos, Meding and "
    "Wichmann 2020). Two systems built alike have a high kappa; nothing follows from it for who is better."
)


def section(show: Printing) -> Section | None:
    """The mean over all pairs, and the pairs with the highest kappa; None of sets, of two teams, and of too many."""
    evaluation, teams = show.evaluation, show.comparable
    if evaluation.pairs is None or evaluation.task.label_set.is_of_sets or len(teams) < _FEWEST:
        return None
    only_right = evaluation.pairs.only_right.sum(axis=-1)[np.ix_(teams, teams)]
    together, kappa = error_consistency(
        only_right, evaluation.cells.correct.sum(axis=1)[list(teams)], evaluation.gold.n_items
    )
    first, second = np.triu_indices(len(teams), k=1)
    values = kappa[first, second]
    if np.isnan(values).all():
        return None
    shared, beyond = (number(float(np.nanmean(each)), 2) for each in (together[first, second], values))
    answer = (
        f"Two teams are right or wrong together on {shared} of the items on average, with a kappa of {beyond} beyond "
        "what their accuracies alone would give."
    )
    alike = np.argsort(-np.nan_to_num(values, nan=-2), kind="stable")[:_SHOWN].tolist()
    rows = tuple(
        (
            show.name(teams[first[pair]]),
            show.name(teams[second[pair]]),
            Cell(number(float(together[first[pair], second[pair]]), 2)),
            Cell(number(float(values[pair]), 2)),
        )
        for pair in alike
    )
    columns = row_names("Team"), Column("Team", numeric=False), Column("Together"), Column("Kappa")
    caption = f"The {len(alike)} of {plural(len(values), 'pair')} that err most alike."
    table = show.with_legend(Table("table-agreement", caption, columns, rows, note=_NOTE))
    return Section(
        "alike", "How alike do the teams err?", (answer,), (Fold("alike-pairs", "Which teams err alike", (table,)),)
    )


def error_consistency(only_right: Ints, n_right: Ints, n_items: int) -> tuple[Floats, Floats]:
    """Share of items on which two are right or wrong together, and its Cohen's kappa, (T, T); NaN by chance 1."""
    share = n_right / n_items
    together = 1 - (only_right + only_right.T) / n_items
    by_chance = np.outer(share, share) + np.outer(1 - share, 1 - share)
    kappa = np.full(together.shape, np.nan)
    np.divide(together - by_chance, 1 - by_chance, out=kappa, where=by_chance < 1)
    return together, kappa
