"""The ranking of an evaluation as a DataFrame."""

from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Comparison, Evaluation
from audit.domain.arrays import Ints

if TYPE_CHECKING:
    import pandas as pd


def summary_of(evaluation: Evaluation) -> "pd.DataFrame":
    """A row for each entry, best first; NA where something is undefined or was not computed."""
    import pandas as pd  # noqa: PLC0415 - a third of a second that only a DataFrame needs

    from audit.questions.interval_reasons import ranking_comparison  # noqa: PLC0415 - a third of a second that only a DataFrame needs
    from audit.questions.shown_intervals import shown_intervals  # noqa: PLC0415 - a third of a second that only a DataFrame needs

    key = evaluation.task.ranking_metric
    order = list(evaluation.order(key))
    scores, shown = evaluation.scores_of(key), shown_intervals(evaluation, key)
    ends = [np.full(len(scores), np.nan)] * 2 if shown is None else [shown.lower, shown.upper]
    compared = _compared(ranking_comparison(evaluation), evaluation)
    columns = {
        "rank": _whole(np.where(evaluation.competing & ~np.isnan(scores), evaluation.ranks_of(key), 0)),
        "team": pd.Series(evaluation.names, dtype=object),
        "score": pd.Series(scores),
        "lower": pd.Series(ends[0]),
        "upper": pd.Series(ends[1]),
        **compared,
    }
    return pd.DataFrame(columns).iloc[order].reset_index(drop=True)


def _compared(comparison: Comparison | None, evaluation: Evaluation) -> "dict[str, pd.Series]":
    """Columns from the comparison of all pairs, for each entry that is in it."""
    import pandas as pd  # noqa: PLC0415 - a third of a second that only a DataFrame needs

    none = np.zeros(len(evaluation.entries), dtype=np.int64)
    could = pd.Series(pd.NA, index=range(len(none)), dtype="boolean")
    if comparison is None:
        first = last = tiers = none
    else:
        comparable = evaluation.comparable
        could[comparable] = comparison.could_be_best[comparable]
        (first, last), tiers = comparison.possible_ranks.T, comparison.tiers
    return {
        "could_be_best": could,
        "tier": _whole(tiers),
        "first_possible_rank": _whole(first),
        "last_possible_rank": _whole(last),
    }


def _whole(numbers: Ints) -> "pd.Series":
    """Whole numbers, NA in place of 0."""
    import pandas as pd  # noqa: PLC0415 - a third of a second that only a DataFrame needs

    return pd.Series(numbers, dtype="Int64").mask(numbers == 0)
