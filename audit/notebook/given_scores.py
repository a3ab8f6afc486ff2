"""Scores of single items in memory, checked and put into gold order."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audit.domain import LabelSet
from audit.errors import UsageError
from audit.notebook.call_arguments import is_series, kind_of
from audit.text import did_you_mean, plural, quoted

if TYPE_CHECKING:
    from audit.notebook.call_arguments import Labels

_NO_NUMBERS = frozenset("cmM")
"""Kinds of NumPy types that would become a number in silence: complex ones, dates and times."""


def scored_label_of(scored_label: object, item_scores: object, label_set: LabelSet) -> str | None:
    """The label that scores of items speak for, as text; None where no scores are handed over.

    Raises
    ------
    UsageError
        When one of the two arguments stands without the other, or the label is none of two.
    """
    if scored_label is None and item_scores is None:
        return None
    if scored_label is None or item_scores is None:
        raise UsageError('item_scores=… and scored_label=… come together: item_scores={"team": scores}.')
    label = str(scored_label)
    if label not in label_set.code_of or len(label_set) != 2:  # noqa: PLR2004 - that label and another one
        label_count = f"there are {plural(len(label_set), 'label')}"
        near = "" if label in label_set.code_of else did_you_mean(label, label_set)
        raise UsageError(
            f"scored_label={label!r} is the one of two labels that a higher score speaks for; {label_count}.{near}"
        )
    return label


def scores_by_team(item_scores: object, teams: Sequence[str]) -> Mapping[str, Any]:
    """The scores that were handed over for each team.

    Raises
    ------
    UsageError
        When it is no mapping, or names a team that there is not.
    """
    if item_scores is None:
        return {}
    if not isinstance(item_scores, Mapping):
        raise UsageError(
            f'Found {kind_of(item_scores)} as item_scores, expected a mapping like {{"team": numbers}}, one for each '
            "item."
        )
    by_team = {str(team): scores for team, scores in item_scores.items()}
    for team in by_team:
        if team not in teams:
            raise UsageError(f"item_scores=… has {quoted(team)}, which has no predictions.{did_you_mean(team, teams)}")
    return by_team


def scores_in_order(team: str, gold: "Labels", item_scores: Any) -> NDArray[np.float64]:  # noqa: ANN401 - whatever was said
    """A team's scores in gold order: by index where both are Series, else by position.

    Raises
    ------
    UsageError
        When they are not one finite number for each item.
    """
    called, n_items = f"item_scores=… of {quoted(team)}", len(gold)
    if is_series(item_scores) and is_series(gold) and not item_scores.index.equals(gold.index):
        if not (item_scores.index.is_unique and gold.index.is_unique and set(gold.index) == set(item_scores.index)):
            raise UsageError(f"{called} have another index than gold; each item needs one score, and one alone.")
        item_scores = item_scores.reindex(gold.index)
    if np.ma.is_masked(item_scores):
        raise UsageError(f"{called} have masked entries. A team without a score for every item is left out.")
    if getattr(getattr(item_scores, "dtype", None), "kind", "") in _NO_NUMBERS:
        raise UsageError(f"{called} are no numbers, but of type {item_scores.dtype}.")
    try:
        scores = np.asarray(item_scores, dtype=np.float64) + 0.0  # no negative zero
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{called} are no numbers that a double can hold.") from None
    if scores.shape != (n_items,):
        raise UsageError(f"{called} are {plural(scores.size, 'number')}, and gold has {plural(n_items, 'item')}.")
    lacking = np.flatnonzero(~np.isfinite(scores))
    if lacking.size:
        raise UsageError(
            f"{called} have no finite number for item {int(lacking[0])} (counted from 0). A team without a score for "
            "every item is left out of item_scores: it has no AUC."
        )
    return scores
