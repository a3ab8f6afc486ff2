"""Which mean of ranks published numbers are: of ranks or by scores that stand beside them, or by scores of ours."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from audit.domain import IdentifiedRanks, PublishedColumn
from audit.domain.arrays import Bools, Floats
from audit.ranking import competition_ranks, mean_ranks
from audit.readings.chance import Chance, chance_of
from audit.readings.printed import agreement_with, is_percent
from audit.readings.printed_ranks import ScoredColumn
from audit.text import listed, plural, quoted

_MOST_COLUMNS = 6
"""Means are tried of so many columns: the more are tried, the more match by chance."""
_SAID = 3


@dataclass(frozen=True, eq=False)
class MeanRank:
    """A mean of ranks that the numbers may be."""

    name: str
    """The mean rank, as a sentence names it."""
    values: Floats
    """Shape (T,), of all rows of the table; NaN where a team has none."""


def identify_mean_ranks(column: PublishedColumn, tried: Sequence[MeanRank]) -> IdentifiedRanks:
    """Find the mean of ranks that a column's numbers are.

    Examples
    --------
    >>> from audit.domain import PrintedScore
    >>> numbers = tuple(PrintedScore(f"{n / 10}", n, 1) for n in (10, 25, 25, 40, 50))
    >>> means = {"B": [1, 2.5, 2.5, 4, 5], "C": [3, 4.5, 1.5, 2, 4]}
    >>> tried = [MeanRank(f"the mean rank by “A” and “{other}”", np.array(mean)) for other, mean in means.items()]
    >>> identify_mean_ranks(PublishedColumn("Avg. rank", numbers), tried).sentences
    ('The 5 values in “Avg. rank” are the mean rank by “A” and “B”.',)
    """
    rows = np.flatnonzero([cell is not None for cell in column.scores])
    printed = [cell for cell in column.scores if cell is not None]
    if not tried:
        sentence = f"{quoted(column.heading)} is what a mean of ranks is called, and no two scores or ranks are there."
        return _identified(column, (), (sentence,), beats_chance=True)
    unit = 100.0 if is_percent(printed) else 1.0  # numbers above 1 are taken for percentages of scores
    values = np.array([each.values[rows] for each in tried]) / unit
    distinct = np.unique(np.round(np.nan_to_num(values, nan=-1.0), 9), axis=0, return_index=True)[1]
    n_matched = agreement_with(printed, values).matched.sum(axis=1)
    chance = chance_of(printed, values[distinct])
    most = int(n_matched.max())
    names = tuple(each.name for each, count in zip(tried, n_matched.tolist(), strict=True) if count == most)
    beats_chance = not chance.explains(most, len(printed))
    if most == len(printed):
        return _identified(
            column, names, tuple(_fit(column, names, chance, beats_chance=beats_chance)), beats_chance=beats_chance
        )
    return _identified(column, (), tuple(_misfit(column, names[0], most, chance)), beats_chance=True)


def tried_means(
    printed: Sequence[ScoredColumn], ranks: Sequence[ScoredColumn], ours: Sequence[ScoredColumn], competing: Bools
) -> list[MeanRank]:
    """The means of ranks that a table's numbers may be, those of what is printed first.

    Parameters
    ----------
    printed, ranks : sequence of ScoredColumn
        The columns of scores, and those of ranks, that stand in the table.
    ours : sequence of ScoredColumn
        What is computed here of the metrics that the table's headings name.
    competing : ndarray of bool, shape (T,)
        Which rows take a rank in the campaign.
    """
    means = [
        MeanRank(f"the mean of the ranks in {_names(some)}", np.mean([each.scores for each in some], axis=0))
        for some in _selections(ranks)
    ]
    for columns in (printed, ours):
        for some in _selections(columns):
            means.extend(_by_each_rule(some, competing))
    return means


def _by_each_rule(some: Sequence[ScoredColumn], competing: Bools) -> Iterator[MeanRank]:
    """The mean rank by some scores, and by further rules where it is another number."""
    goodness, everyone = np.array([each.goodness for each in some]), np.ones(competing.shape, dtype=bool)
    name = f"the mean rank by {_names(some)}"
    by_rule = {rule: places(goodness) for rule, places in _PLACES.items()}
    plain = mean_ranks(goodness, [1] * len(goodness), everyone)
    if competing.any():
        by_rule[" among those who compete"] = mean_ranks(goodness, [1] * len(goodness), competing)
    yield MeanRank(name, plain)
    for rule, values in by_rule.items():
        if not np.allclose(values, plain, equal_nan=True):
            yield MeanRank(f"{name}{rule}", values)


def _selections(columns: Sequence[ScoredColumn]) -> Iterator[tuple[ScoredColumn, ...]]:
    few = columns[:_MOST_COLUMNS]
    for size in range(len(few), 1, -1):
        yield from combinations(few, size)


def _names(some: Sequence[ScoredColumn]) -> str:
    return listed([each.name for each in some])


def _best(goodness: Floats) -> Floats:
    """Mean ranks where who is level has the best of the places."""
    return _among_complete(goodness, lambda complete: competition_ranks(complete).astype(float))


def _dense(goodness: Floats) -> Floats:
    """Mean ranks where who is level has one place, and the next place is the next number."""
    return _among_complete(
        goodness,
        lambda complete: np.array(
            [np.unique(row, return_inverse=True)[1] + 1.0 for row in competition_ranks(complete)]
        ),
    )


def _among_complete(goodness: Floats, ranks: Callable[[Floats], Floats]) -> Floats:
    complete = ~np.isnan(goodness).any(axis=0)
    means = np.full(goodness.shape[1], np.nan)
    means[complete] = ranks(goodness[:, complete]).mean(axis=0)
    return means


_PLACES: dict[str, Callable[[Floats], Floats]] = {
    " (who is level has the best place)": _best,
    " (dense ranks)": _dense,
}
"""How who is level is ranked where they do not share the mean of the places, and what is said of it."""


def _identified(
    column: PublishedColumn, by: tuple[str, ...], sentences: tuple[str, ...], *, beats_chance: bool
) -> IdentifiedRanks:
    n_teams = sum(cell is not None for cell in column.scores)
    return IdentifiedRanks(
        column.heading, n_teams, by, beats_chance=beats_chance, nearest=None, sentences=sentences, are_means=True
    )


# Sentences


def _fit(column: PublishedColumn, names: Sequence[str], chance: Chance, *, beats_chance: bool) -> Iterator[str]:
    n_values = sum(cell is not None for cell in column.scores)
    more = len(names) - _SAID
    by = listed(list(names[:_SAID]), "or") + (f" or {plural(more, 'other mean')}" if more > 0 else "")
    yield f"The {plural(n_values, 'value')} in {quoted(column.heading)} {'are' if beats_chance else 'could be'} {by}."
    if not beats_chance:
        yield f"{_by_chance(n_values, chance)}: these matches say nothing of what the column holds."


def _misfit(column: PublishedColumn, best: str, n_matched: int, chance: Chance) -> Iterator[str]:
    n_values = sum(cell is not None for cell in column.scores)
    gives = f"the best, {best}, gives {n_matched:,} of {plural(n_values, 'value')}"
    yield f"No mean of ranks that was tried gives {quoted(column.heading)}: {gives}."
    if n_matched:
        yield f"{_by_chance(n_values, chance)}."


def _by_chance(n_values: int, chance: Chance) -> str:
    most = f"up to {chance.of_invented:,}" if chance.of_invented else "none"
    return f"By chance, {most} of {plural(n_values, 'invented value')} would match some mean of ranks"
