"""The difference of two evaluations in a notebook, shown as the sentences of an erratum."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from audit.domain import Evaluation
from audit.errors import UsageError
from audit.notebook.call_arguments import checked
from audit.questions.revision.changed_inputs import difference_of
from audit.questions.revision.difference import Difference, Standing

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class ShownDifference(Difference):
    """The :class:`Difference` between two evaluations, shown as an erratum says it."""

    def __repr__(self) -> str:
        return "\n".join(self.erratum)

    @checked
    def summary(self) -> "pd.DataFrame":
        """Both boards as a DataFrame: a row for each entry, in the order of the new one, and then those that are gone.

        Returns
        -------
        DataFrame
            ``team``; ``rank`` and ``rank_before``, NA for what takes none; ``score`` and ``score_before``;
            ``could_be_best`` and ``could_be_best_before``; ``tier`` and ``tier_before``. What is not there is NA.
        """
        import pandas as pd

        sides = {"": [row.after for row in self.board], "_before": [row.before for row in self.board]}
        columns = {"team": pd.Series([row.name for row in self.board], dtype=object)}
        for name, dtype in _COLUMNS.items():
            for side, standings in sides.items():
                columns[name + side] = pd.Series([_value(each, name) for each in standings], dtype=dtype)
        return pd.DataFrame(columns)


_COLUMNS = {"rank": "Int64", "score": "Float64", "could_be_best": "boolean", "tier": "Int64"}


def _value(standing: Standing | None, name: str) -> object:
    if standing is None or (name == "rank" and not standing.competes):
        return None
    return getattr(standing, name)


@checked
def diff(before: Evaluation, after: Evaluation) -> ShownDifference:
    """What was changed between two evaluations, and what became of ranks, first place and findings.

    As ``audit diff`` compares two loads. Submissions are known by their names; gold in memory has no ids, so that
    items are the same where they stand, if both sides have as many.

    Parameters
    ----------
    before, after : Evaluation
        The old and the new one, of :func:`audit.evaluate`.

    Returns
    -------
    ShownDifference
        Shown as sentences for an erratum; ``board``, ``gold``, ``submissions``, ``settings`` and ``findings`` have all
        of it as values, ``summary()`` both boards as a DataFrame.

    Raises
    ------
    UsageError
        When one of them is no evaluation.

    Examples
    --------
    >>> import audit
    >>> gold, corrected = ["a"] * 40 + ["b"] * 60, ["a"] * 36 + ["b"] * 64
    >>> teams = {"A": ["a"] * 41 + ["b"] * 59, "B": ["a"] * 35 + ["b"] * 65}
    >>> before, after = (audit.evaluate(labels, teams, official_metric="accuracy") for labels in (gold, corrected))
    >>> audit.diff(before, after)
    After 4 of 100 gold labels were corrected, B is first by accuracy (.990).
    Before, A was first (.990) and B had rank 2 (.950); A now has rank 2 (.950).
    As before, the test set cannot tell which of B and A is the best.
    Both teams ranked before and now change rank: B from 2 to 1 and A from 1 to 2.
    The score that changes most is that of B, from .950 to .990.
    """
    for each in (before, after):
        if not isinstance(each, Evaluation):
            raise UsageError(
                f"diff() takes two evaluations, such as audit.evaluate(…) gives, and found a {type(each).__name__}."
            )
    difference = difference_of(before, after)
    return ShownDifference(**{each.name: getattr(difference, each.name) for each in fields(difference)})
