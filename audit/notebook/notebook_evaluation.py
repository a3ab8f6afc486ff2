"""The evaluation that a notebook gets: it shows itself, draws its figures and compares two of its systems."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from audit.domain import Evaluation
from audit.domain.arrays import Codes
from audit.execution import THIS_PROCESS, Executor
from audit.notebook.checked_calls import checked
from audit.notebook.compared_pair import ComparedPair, compare_systems
from audit.notebook.plots import Plots
from audit.notebook.summary import summary_of

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

_FOR_USERS = (
    *("verdict", "ranking", "summary", "compare", "plot", "flags", "scores", "ranks", "intervals", "marks"),
    *("correlations", "comparison", "slices", "power", "published", "macro_f1", "certainty", "baselines"),
    *("task", "gold", "entries", "names", "signature", "given", "settled"),
)


@dataclass(frozen=True, eq=False, repr=False)
class NotebookEvaluation(Evaluation):
    """An evaluation of predictions that are in memory: as a cell's last line it shows the verdict and the ranking.

    It has everything that :class:`Evaluation` has. In a notebook these are enough: ``verdict``, ``ranking``,
    ``compare("A", "B")``, ``plot``, ``flags``; ``scores``, ``ranks``, ``intervals``, ``marks`` and ``correlations``
    as DataFrames. ``dir`` lists what docs/python.md explains.

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
    >>> evaluation.ranking[["rank", "team", "could_be_best", "tier"]]
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

    def __dir__(self) -> list[str]:
        """The names for users: what a notebook completes."""
        return list(_FOR_USERS)

    def __repr__(self) -> str:
        from audit.questions.short import short_of  # noqa: PLC0415 - what a report needs, an evaluation does not
        from audit.writers.terminal import text_of  # noqa: PLC0415 - as above

        return text_of(*short_of(self).blocks)

    def _repr_html_(self) -> str:
        """The evaluation as HTML, for a notebook."""
        from audit.writers.html import render_short  # noqa: PLC0415 - what a report needs, an evaluation does not

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

    @property
    def ranking(self) -> "pd.DataFrame":
        """The ranking by the metric that ranks, as a DataFrame: a row for each entry, best first.

        ``rank``, NA for what does not compete; ``team``; ``score``; ``lower`` and ``upper`` end of the 95% interval,
        the leader's corrected for its having been chosen; ``could_be_best``; ``tier``; ``first_possible_rank`` and
        ``last_possible_rank``. What was not computed is NA.
        """
        return summary_of(self)

    @checked
    def summary(self) -> "pd.DataFrame":
        """The same as :attr:`ranking`."""
        return self.ranking

    @property
    def intervals(self) -> "pd.DataFrame":
        """As of an :class:`Evaluation`; a name that is no score is explained."""
        return self._by_name(super().intervals)

    def _frame(self, rows: "NDArray[Any]") -> "pd.DataFrame":
        return self._by_name(super()._frame(rows))

    def _by_name(self, frame: "pd.DataFrame") -> "pd.DataFrame":
        from audit.notebook.scores_by_name import ScoresByName  # noqa: PLC0415 - pandas, a third of a second

        return ScoresByName.of(frame, self.keys, self.task.label_set)
