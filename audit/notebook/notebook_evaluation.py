"""The evaluation that a notebook gets: it shows itself, draws its figures and compares two of its systems."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self

from audit.domain import Evaluation
from audit.domain.arrays import Codes
from audit.execution import THIS_PROCESS, Executor
from audit.notebook.checked_calls import checked
from audit.notebook.compared_pair import ComparedPair, compare_systems
from audit.notebook.plots import Plots
from audit.notebook.summary import summary_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class NotebookEvaluation(Evaluation):
    """An evaluation of predictions that are in memory: as a cell's last line it shows the verdict and the ranking.

    It has everything that :class:`Evaluation` has. In a notebook these are enough: ``verdict``, ``summary()``,
    ``compare("A", "B")``, ``plot``, ``flags``; ``scores``, ``ranks``, ``intervals``, ``marks`` and ``correlations``
    as DataFrames.

    Parameters
    ----------
    predictions : tuple of T ndarrays of int, shape (N,)
        The label codes that were scored, in the order of the entries: what :meth:`compare` tests.
    executor : Executor
        What computes over them, as :func:`audit.evaluate` was told.

    Examples
    --------
    >>> import audit
    >>> gold = ["a"] * 40 + ["b"] * 60
    >>> evaluation = audit.evaluate(gold, {"A": gold[:95] + ["a"] * 5, "B": ["a"] * 20 + ["b"] * 80})
    >>> evaluation.summary()[["rank", "team", "could_be_best", "tier"]]
       rank team  could_be_best  tier
    0     1    A           True     1
    1     2    B          False     2
    >>> evaluation.compare("A", "B").ahead
    'A'
    """

    predictions: tuple[Codes, ...] = ()
    executor: Executor = THIS_PROCESS

    @classmethod
    def of(cls, evaluation: Evaluation, predictions: Sequence[Codes], executor: Executor) -> Self:
        """An evaluation with the predictions that it was made from, and who computes over them."""
        values = {each.name: getattr(evaluation, each.name) for each in fields(Evaluation)}
        return cls(**values, predictions=tuple(predictions), executor=executor)

    def __repr__(self) -> str:
        from audit.report import short_text  # noqa: PLC0415 - what a report needs, an evaluation does not

        return short_text(self)

    def _repr_html_(self) -> str:
        """The evaluation as HTML, for a notebook."""
        from audit.report import render_short  # noqa: PLC0415 - what a report needs, an evaluation does not

        return render_short(self)

    @checked
    def compare(self, first: str, second: str, metric: str | None = None) -> ComparedPair:
        """Compare two systems by one metric, as ``audit compare`` does.

        Parameters
        ----------
        first, second : str
            Their names, in any case.
        metric : str, optional
            A score of the evaluation, such as ``mcc~``; by default the metric that ranks.

        Returns
        -------
        ComparedPair
            Shown as what may be said of the two, with the numbers as attributes.

        Raises
        ------
        UsageError
            When there is no such system or score, or both are the same system.
        """
        return compare_systems(self, self.predictions, (first, second), metric, self.executor)

    @property
    def plot(self) -> Plots:
        """The report's figures as Matplotlib axes, such as ``plot.ranking()`` and ``plot.rank_sets()``."""
        return Plots(self)

    @checked
    def summary(self) -> "pd.DataFrame":
        """The ranking by the metric that ranks, as a DataFrame: a row for each entry, best first.

        Returns
        -------
        DataFrame
            ``rank``, NA for what does not compete; ``team``; ``score``; ``lower`` and ``upper`` end of the 95%
            interval, the leader's corrected for its having been chosen; ``could_be_best``; ``tier``;
            ``first_possible_rank`` and ``last_possible_rank``. What was not computed is NA.
        """
        return summary_of(self)
