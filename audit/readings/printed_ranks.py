"""By what published ranks, or means of ranks, are: a printed column, a mean of columns, or a score of ours."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from audit.domain import (
    Evaluation,
    IdentifiedColumn,
    IdentifiedRanks,
    LabelSet,
    Order,
    Published,
    PublishedColumn,
)
from audit.domain.arrays import Bools, Floats
from audit.metrics import metric_of, phrase
from audit.ranking.ranks import TIE_TOLERANCE, competition_ranks, published_scores
from audit.readings.headings import read_heading
from audit.readings.printed import LEVEL
from audit.readings.tried_readings import ScoredColumn, TableRows, TriedReadings
from audit.text import agreeing, listed, number, plural, quoted, visible

# means of columns are tried of so many of them: the more are tried, the more fit by chance
_MOST_COLUMNS = 6
_SAID = 3
_NAME_LIMIT = 40
_MOST_TURNED = 20  # pairs that are kept: of a thousand teams there are half a million
_FEWEST = 3  # teams: two stand in one of two orders, which says nothing


def _names(some: Sequence[ScoredColumn]) -> str:
    return listed([each.name for each in some])


# Ranks


def identify_ranks(
    column: PublishedColumn,
    teams: Sequence[str],
    printed: Sequence[ScoredColumn],
    computed: Callable[[], Sequence[ScoredColumn]],
    *,
    are_means: bool = False,
) -> IdentifiedRanks:
    """Find the score that ranks are by.

    An order fits where of any two teams the one with the lower rank has no worse score. Teams that the printed scores
    do not tell apart may stand in either order, and teams that share a rank may have different scores.
    """
    rows = np.flatnonzero([cell is not None for cell in column.scores])
    ranks = np.array([cell.value for cell in column.scores if cell is not None])
    if len(rows) < _FEWEST:
        few = f"{quoted(column.heading)} has ranks of {plural(len(rows), 'team')}: too few to tell what they are by."
        return _identified(column, (), few, beats_chance=False)
    beside = _at_rows(printed, rows)
    by_chance = 0.0
    tried = []
    of_means = [order for order in beside if order.is_mean]
    for stage in ("means", "beside", "computed") if are_means else ("beside", "means", "computed"):
        if stage == "beside":
            found = beside
        else:
            found = [*of_means, *_means(beside)]
        if stage == "computed":
            found = _at_rows(computed(), rows)
        orders = [order for order in found if _has_enough(order)]
        tried += orders
        of_distinct = {competition_ranks(order.goodness).tobytes(): order for order in orders}
        by_chance += sum(_fits_by_chance(ranks, order) for order in of_distinct.values())
        if fitting := tuple(order.name for order in orders if _fits(ranks, order.goodness)):
            beats_chance = by_chance <= LEVEL
            sentence = _fit(column.heading, fitting, len(rows), beats_chance=beats_chance)
            return _identified(column, fitting, sentence, beats_chance=beats_chance)
    names = [teams[row] for row in rows.tolist()]
    nearest = _nearest(ranks, names, list(filter(_has_enough, beside)) or tried)
    return replace(
        _identified(column, (), _misfit(column.heading, nearest), beats_chance=True),
        nearest=nearest,
    )


def _identified(
    column: PublishedColumn, by: tuple[str, ...], *sentences: str, beats_chance: bool
) -> IdentifiedRanks:
    n_teams = sum(cell is not None for cell in column.scores)
    return IdentifiedRanks(
        column.heading, n_teams, by, beats_chance=beats_chance, nearest=None, sentences=sentences
    )


def _at_rows(columns: Sequence[ScoredColumn], rows: NDArray[np.intp]) -> list[ScoredColumn]:
    return [replace(column, scores=column.scores[rows]) for column in columns]


def _has_enough(order: ScoredColumn) -> bool:
    """Whether at least half of the teams, and three, have a score."""
    has_score = ~np.isnan(order.scores)
    return bool(has_score.sum() >= max(_FEWEST, len(has_score) / 2))


def _means(printed: Sequence[ScoredColumn]) -> Iterator[ScoredColumn]:
    """Means of the columns' scores, where all have one direction; then means of the ranks by them."""
    columns = [column for column in printed if not column.is_mean][:_MOST_COLUMNS]
    selections: list[tuple[ScoredColumn, ...]] = []
    for size in range(2, len(columns) + 1):
        selections += combinations(columns, size)
    for some in selections:
        directions = {column.greater_is_better for column in some}
        if len(directions) == 1:
            mean = np.mean([column.scores for column in some], axis=0)
            yield ScoredColumn(f"the mean of {_names(some)}", mean, some[0].greater_is_better)
    for some in selections:
        ranks = competition_ranks(np.array([column.goodness for column in some])).astype(float)
        ranks[np.isnan([column.scores for column in some])] = np.nan
        name = f"the mean rank by {_names(some)}"
        yield ScoredColumn(name, ranks.mean(axis=0), greater_is_better=False)


def _fits(ranks: Floats, goodness: Floats) -> bool:
    """Whether nobody with a higher rank is better, of those with a score."""
    has_score = ~np.isnan(goodness)
    own = ranks[has_score]
    good = goodness[has_score]
    best_first = good[np.lexsort((-good, own))]
    return bool((np.diff(best_first) <= TIE_TOLERANCE).all())


def _fits_by_chance(ranks: Floats, order: ScoredColumn) -> float:
    """The probability that ranks assigned at random fit an order: Π m! / T! over groups of m that are level.

    Whoever is level by the score may stand in any order, and so may whoever shares a rank.
    """
    has_score = ~np.isnan(order.scores)
    log_probability = 0.0
    for values in (np.round(order.scores[has_score], 12), ranks[has_score]):
        _, sizes = np.unique(values, return_counts=True)
        for size in sizes.tolist():
            log_probability += math.lgamma(size + 1)
    log_probability -= math.lgamma(int(has_score.sum()) + 1)
    return math.exp(min(log_probability, 0.0))


def _nearest(ranks: Floats, names: Sequence[str], tried: Sequence[ScoredColumn]) -> Order | None:
    """The order by which the fewest pairs of teams stand the other way round, the first of several.

    Of the columns beside the ranks, where there are any: of hundreds of readings some far-fetched one is always nearer.
    """
    if not tried:
        return None
    counts = [int(_turned(ranks, order.goodness).sum()) for order in tried]
    place = int(np.argmin(counts))
    better, worse = np.nonzero(_turned(ranks, tried[place].goodness))
    turned = []
    for pair in np.lexsort((ranks[better], ranks[worse]))[:_MOST_TURNED].tolist():
        one = better[pair]
        other = worse[pair]
        turned.append((names[one], float(ranks[one]), names[other], float(ranks[other])))
    return Order(tried[place].name, counts[place], tuple(turned))


def _turned(ranks: Floats, goodness: Floats) -> Bools:
    """For each pair of teams whether the first is better and has the higher rank, shape (T, T)."""
    is_better = np.subtract.outer(goodness, goodness) > TIE_TOLERANCE
    return np.asarray(is_better & (ranks[:, None] > ranks))


def _fit(heading: str, fitting: Sequence[str], n_teams: int, *, beats_chance: bool) -> str:
    more = len(fitting) - _SAID
    if more > 0:
        rest = f" or {plural(more, 'other order')}, which rank alike"
    else:
        rest = ""
    by = listed(list(fitting[:_SAID]), "or") + rest
    if beats_chance:
        return f"The ranks in {quoted(heading)} are those by {by}."
    few = f"so few teams ({number(n_teams, 0)}) stand in one of the orders tried by chance, too"
    return f"The ranks in {quoted(heading)} could be those by {by}: {few}."


def _misfit(heading: str, nearest: Order | None) -> str:
    nothing = f"The ranks in {quoted(heading)} are by no score that is printed or computed here"
    if nearest is None:
        return f"{nothing}: there is none beside them."
    better, its_rank, worse, other_rank = nearest.turned[0]
    pairs = f"{plural(nearest.n_turned, 'pair')} of teams {agreeing(nearest.n_turned, 'stands', 'stand')}"
    such = (
        f"{visible(better, _NAME_LIMIT)} has the better score and rank {its_rank:g}, {visible(worse, _NAME_LIMIT)} "
        f"rank {other_rank:g}"
    )
    return f"{nothing}. By {nearest.by}, the nearest, {pairs} the other way round: {such}."


# The columns of a table


def columns_of_scores(published: Published, label_set: LabelSet) -> list[PublishedColumn]:
    """The columns that hold neither ranks nor means of ranks, nor counts."""
    beside = [*columns_of_ranks(published, label_set), *columns_of_counts(published, label_set)]
    return [each for each in published.columns if each not in beside]


def columns_of_ranks(published: Published, label_set: LabelSet) -> list[PublishedColumn]:
    """The columns that hold ranks or means of ranks."""
    return [
        each for each in published.columns if each.is_of_ranks or _is_of_mean_ranks(each, label_set)
    ]


def columns_of_counts(published: Published, label_set: LabelSet) -> list[PublishedColumn]:
    """The columns that hold counts or dates: by their heading, or whole numbers whose heading speaks of no score."""
    ranks = columns_of_ranks(published, label_set)
    return [
        each for each in published.columns if each not in ranks and _is_of_counts(each, label_set)
    ]


def _is_of_counts(column: PublishedColumn, label_set: LabelSet) -> bool:
    heading = read_heading(column.heading, label_set)
    if heading.is_of_counts:
        return True
    cells = [cell for cell in column.scores if cell is not None]
    are_whole = all(cell.decimals == 0 and not cell.percent for cell in cells)
    return bool(cells) and are_whole and not heading.may_be_of_scores


def _is_of_mean_ranks(column: PublishedColumn, label_set: LabelSet) -> bool:
    """Whether a column is called so, and its numbers can be that: none is below 1."""
    values = [cell.value for cell in column.scores if cell is not None]
    is_called_so = read_heading(column.heading, label_set).is_mean_rank
    return not column.is_of_ranks and is_called_so and min(values, default=0) >= 1


def identified_ranks(
    published: Published,
    identified: Sequence[IdentifiedColumn],
    rows: TableRows,
    tried: TriedReadings,
    evaluation: Evaluation,
) -> tuple[IdentifiedRanks, ...]:
    """The order of each column of ranks, or of means of ranks: a column beside it, or else a score computed here."""
    scores = columns_of_scores(published, tried.label_set)
    of_ranks = columns_of_ranks(published, tried.label_set)
    printed = []
    for column, of_column in zip(scores, identified, strict=True):
        printed.append(_as_printed(column, of_column, tried))
    computed = partial(tried.computed, rows)
    found = []
    for column in of_ranks:
        are_means = not column.is_of_ranks
        beside = list(printed)
        for other in of_ranks:
            # means may be of the ranks beside them; ranks may be by means
            is_candidate = are_means or not other.is_of_ranks
            if is_candidate and other is not column:
                beside.append(_ranks_as_scores(other))
        if are_means or not beside:
            beside += _official(evaluation, rows)
        ranks = identify_ranks(column, published.teams, beside, computed, are_means=are_means)
        found.append(replace(ranks, table=column.table))
    return tuple(found)


def _ranks_as_scores(column: PublishedColumn) -> ScoredColumn:
    return ScoredColumn(
        quoted(column.heading),
        column.values,
        greater_is_better=False,
        is_mean=not column.is_of_ranks,
    )


def _as_printed(
    column: PublishedColumn, identified: IdentifiedColumn, tried: TriedReadings
) -> ScoredColumn:
    """A column's printed scores as fractions; lower is better where they are told to be of such a metric."""
    rises = True
    if identified.beats_chance and identified.matches:
        rises = tried.rises(identified.matches[0].reading)
    scores = column.values
    if identified.percent:
        scores = scores / 100.0
    return ScoredColumn(quoted(column.heading), scores, greater_is_better=rises)


def _official(evaluation: Evaluation, rows: TableRows) -> list[ScoredColumn]:
    """The mean rank that is the official score, where it is one, and that by rounded scores."""
    key = evaluation.task.ranking_metric
    labels = evaluation.task.label_set
    if not metric_of(key.metric, labels).of_ranks:
        return []
    name = f"the official {phrase(key, labels)}"
    columns = [rows.column(name, evaluation.scores_of(key), rises=False)]
    decimals = evaluation.task.official_decimals
    if decimals is not None:
        rounded = f"{name} (of scores rounded to {plural(decimals, 'decimal')})"
        columns.append(rows.column(rounded, published_scores(evaluation), rises=False))
    return [replace(column, is_mean=True) for column in columns]
