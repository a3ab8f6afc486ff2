"""Numbers of a team in gold order, made ready for scoring: checked against ranges, and missing ones by policy."""

from collections.abc import Iterator, Sequence

import numpy as np

from audit.domain import Gold, Kind, LabelSet, ScoreColumn, Submission, Task, code_dtype
from audit.domain.arrays import Bools, Floats, Ints
from audit.errors import UsageError
from audit.metrics import RATING_FUNCTIONS
from audit.text import listed, plural, quoted

_MANY_ZEROS = 0.05  # share of items on which every team has 0


def numbers_label_set(kind: Kind, columns: Sequence[ScoreColumn] = ()) -> LabelSet:
    """What stands in place of labels where items have numbers: that an item has one."""
    return LabelSet(("number",), declared=True, kind=kind, columns=tuple(columns))


def how_missing(label_set: LabelSet, stated: str) -> str:
    """What can be stated where numbers are missing, for a message."""
    if stated == "reject":
        return "ask the team for the numbers, or state another policy for missing ones"
    policies = label_set.kind.traits.missing
    choices = listed([f"“{policy}”" for policy in policies], "or")
    return f"state what to do about it: --missing {policies[0]}, or missing = … under [policies]: {choices}"


def columns_without_range(label_set: LabelSet) -> list[ScoreColumn]:
    """The columns of which no worst number is known."""
    return [column for column in label_set.columns if not np.isfinite(column.scale.worst)]


def outside_range(values: Floats, label_set: LabelSet) -> Iterator[tuple[int, ScoreColumn, Ints]]:
    """The rows with a number outside its column's range: the place of the column, the column, the rows."""
    for place, column in enumerate(label_set.columns):
        of_column = values[:, place]
        rows = np.flatnonzero((of_column < column.scale.lower) | (of_column > column.scale.upper))
        if rows.size:
            yield place, column, rows


def filled(values: Floats, missing: str, label_set: LabelSet) -> Floats:
    """Numbers, shape (N, K), without a gap; of missing ones that are left out, some number that nobody reads."""
    is_missing: Bools = np.asarray(np.isnan(values).any(axis=1))
    if not is_missing.any():
        return values
    if missing == "worst":
        worst = np.array([column.scale.worst for column in label_set.columns])
        return np.where(is_missing[:, None], worst, values)
    if missing == "mean":
        return np.where(is_missing[:, None], np.nanmean(values, axis=0), values)
    return np.where(is_missing[:, None], 0.0, values)


def sentence_on_zeros(rows: Sequence[Floats], label_set: LabelSet) -> list[str]:
    """A sentence for columns in which many items are 0 for everybody: undefined items may have been counted so."""
    sentences = []
    for place, column in enumerate(label_set.columns):
        if not column.scale.greater_is_better:
            continue
        is_zero = np.all([row[:, place] == 0 for row in rows], axis=0)
        n_zero = int(is_zero.sum())
        if n_zero > _MANY_ZEROS * is_zero.size and n_zero < is_zero.size:
            items = plural(n_zero, "item")
            sentences.append(
                f"{quoted(column.name)} is 0 for every team on {items} of {is_zero.size:,}: if the scorer counts "
                "undefined items so, every mean is too low."
            )
    return sentences


def submission_of(
    team: str, values: Floats, label_set: LabelSet, missing: str | None
) -> Submission:
    """A team's numbers, shape (N, K), NaN where missing, as a submission with the missing ones by policy.

    Raises a UsageError for a number that is infinite or outside its column's range, and for missing ones where no
    policy is stated, or it is to reject them.
    """
    is_missing: Bools = np.asarray(np.isnan(values).any(axis=1))
    _check_numbers(team, values, label_set)
    if is_missing.any():
        values = _filled(team, values, is_missing, label_set, missing)
    codes = is_missing.astype(code_dtype(1))
    return Submission(team, codes, scores=values[:, 0] if values.shape[1] == 1 else values)


def _check_numbers(team: str, values: Floats, label_set: LabelSet) -> None:
    if np.isinf(values).any():
        item = int(np.flatnonzero(np.isinf(values).any(axis=1))[0])
        raise UsageError(f"{quoted(team)} has an infinite number for item {item} (counted from 0).")
    for place, column, rows in outside_range(values, label_set):
        value, more = values[rows[0], place], ""
        if rows.size > 1:
            more = f" and {rows.size - 1:,} more"
        raise UsageError(
            f"{quoted(team)} has {value:g}{more} as {quoted(column.name)}, outside its range "
            f"[{column.scale.lower:g}, {column.scale.upper:g}]. Correct the range, or the numbers."
        )


def _filled(
    team: str, values: Floats, is_missing: Bools, label_set: LabelSet, missing: str | None
) -> Floats:
    """Numbers without a gap; of missing ones that are left out, some number that nobody reads."""
    n_missing = plural(int(is_missing.sum()), "item")
    if missing is None:
        choices = listed(
            [f"missing = “{policy}”" for policy in label_set.kind.traits.missing], "or"
        )
        raise UsageError(
            f"{quoted(team)} has no number for {n_missing}. State what to do about it: {choices}."
        )
    if missing == "reject":
        raise UsageError(
            f"{quoted(team)} has no number for {n_missing}, and missing = “reject” refuses that."
        )
    if missing == "worst" and (without := columns_without_range(label_set)):
        name = quoted(without[0].name)
        raise UsageError(f"missing = “worst” needs the range of {name}, which is not stated.")
    if is_missing.all():
        raise UsageError(f"{quoted(team)} has no number for any item. Leave it out.")
    return filled(values, missing, label_set)


def without_items_that_nobody_has(rows: Sequence[Floats]) -> Bools:
    """Which items some team has numbers for, shape (N,): those that no team has are of no use to anybody."""
    given = np.zeros(len(rows[0]), dtype=bool)
    for row in rows:
        given |= ~np.isnan(row).any(axis=1)
    return given


def check_gold(gold: Gold, task: Task) -> None:
    """Refuse ratings of which gold is one number throughout, where the metric that ranks is then undefined."""
    functions = RATING_FUNCTIONS.get(task.ranking_metric.metric)
    if gold.numbers is None or functions is None or not functions.needs_varied_gold:
        return
    if gold.n_items and bool((gold.numbers == gold.numbers[0]).all()):
        raise UsageError(
            f"The gold is {gold.numbers[0]:g} for every item, and {quoted(task.ranking_metric.metric)} is undefined "
            "then. Rank by rmse or mean_absolute_error."
        )
