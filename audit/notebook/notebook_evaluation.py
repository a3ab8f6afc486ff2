"""The evaluation that a notebook gets: it shows itself, draws its figures and compares two of its systems."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from audit.domain import Evaluation, PairComparison
from audit.domain.arrays import Codes
from audit.errors import UsageError
from audit.execution import THIS_PROCESS, Blocks, Executor
from audit.findings.revision.changed_inputs import difference_of
from audit.findings.revision.difference import Difference, Standing
from audit.inference.comparison import compare_pair
from audit.metrics import phrase
from audit.notebook.call_arguments import score_named
from audit.text import did_you_mean, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from audit.report.figures.figure_kinds import FigureKind


@dataclass(frozen=True, repr=False)
class ComparedPair(PairComparison):
    """The comparison of two systems by one metric: a :class:`PairComparison` shown as sentences."""

    sentences: tuple[str, ...] = ()
    """What may be said of the two among all pairs, and if it was fixed beforehand."""

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


_WIDTH = 6.3
_NARROWEST = 2
_WIDEST = 20
_STYLE_SHEET = re.compile(r"<style[^>]*>\*\{([^}]*)\}</style>")


@dataclass(frozen=True)
class Plots:
    """Every figure of the export, by its name with underscores: ``evaluation.plot.rank_sets()``.

    Each gives Matplotlib's axes, which a notebook shows as their picture; where a figure has several panels, the first
    one's. ``axes.figure`` is the whole figure, to be saved or changed. Nothing is left in pyplot.
    """

    evaluation: Evaluation

    def __dir__(self) -> list[str]:
        return ["evaluation", *_figure_kinds()]

    def __getattr__(self, name: str) -> "Callable[..., Axes]":
        kinds = _figure_kinds()
        if name not in kinds:
            near = did_you_mean(name, kinds)
            names = listed(list(kinds))
            raise AttributeError(f"There is no figure {quoted(name)}.{near} There are {names}.")

        def draw(width: float = _WIDTH) -> "Axes":
            return _drawn(self.evaluation, kinds[name], width)

        draw.__name__ = draw.__qualname__ = name
        draw.__doc__ = f"{kinds[name].title}, so many inches wide.\n\n{kinds[name].how_to_read}"
        return draw


def _figure_kinds() -> "dict[str, FigureKind]":
    """The figures by their names in Python, that of the scores also as the ranking."""
    from audit.report.figures.figure_kinds import FIGURE_KINDS

    return {
        "ranking": FIGURE_KINDS["scores"],
        **{slug.replace("-", "_"): kind for slug, kind in FIGURE_KINDS.items()},
    }


def _drawn(evaluation: Evaluation, kind: "FigureKind", width: object) -> "Axes":
    """A figure's first axes, on a figure of their own."""
    from audit.report.figures.style import PAPER, drawing

    if not isinstance(width, int | float) or not _NARROWEST <= width <= _WIDEST:
        raise UsageError(
            f"width is a number of inches from {_NARROWEST} to {_WIDEST}, not {width!r}."
        )
    if why_not := kind.why_not(evaluation):
        raise UsageError(f"{kind.title} cannot be drawn of this evaluation. {why_not}")
    with drawing():
        figure = kind.draw(evaluation, width)
        figure.set_facecolor(PAPER)  # the ink is dark, and a notebook may be, too
        figure.draw_without_rendering()  # lays it out and makes the ticks while the settings hold
    axes = figure.axes[0]
    # A notebook shows figures that pyplot holds, and this one is not to be left there: the axes show themselves.
    axes._repr_svg_ = partial(_svg, figure)  # type: ignore[attr-defined]
    return axes


def _svg(figure: "Figure") -> str:
    """A figure, with whatever its owner has added to it, as an SVG element."""
    from audit.report.figures.style import PAPER, drawing, svg_text

    with drawing():
        text = svg_text(figure, paper=PAPER)
    element = text[text.index("<svg") :]
    # Where a notebook puts the element into its page, a style sheet in it would be one of the whole page.
    rules = _STYLE_SHEET.findall(element)
    return _STYLE_SHEET.sub("", element).replace("<svg", f'<svg style="{"; ".join(rules)}"', 1)


def summary_of(evaluation: Evaluation) -> "pd.DataFrame":
    """A row for each entry, best first; NA where something is undefined or was not computed."""
    import pandas as pd

    from audit.findings.ranking_rows import FURTHER_COLUMNS, ranking_rows

    key = evaluation.task.ranking_metric
    of_entries = ranking_rows(evaluation, key)
    rows = [of_entries[entry] for entry in evaluation.order(key)]
    decided = [row.possible_ranks if row.printed_possible_ranks else None for row in rows]
    possible = [ranks or (None, None) for ranks in decided]
    could_be_best = [row.could_be_best if row.is_compared else None for row in rows]
    columns = {
        "rank": pd.Series([row.taken_rank for row in rows], dtype="Int64"),
        "team": pd.Series([row.name for row in rows], dtype=object),
        "score": pd.Series([row.score for row in rows], dtype=float),
        "lower": pd.Series([row.lower for row in rows], dtype=float),
        "upper": pd.Series([row.upper for row in rows], dtype=float),
        "could_be_best": pd.Series(could_be_best, dtype="boolean"),
        "first_possible_rank": pd.Series([first for first, _ in possible], dtype="Int64"),
        "last_possible_rank": pd.Series([last for _, last in possible], dtype="Int64"),
    }
    for number, column in enumerate(FURTHER_COLUMNS):
        columns[column.slug] = pd.Series([row.further[number] for row in rows], dtype=float)
    return pd.DataFrame(columns)


_FOR_USERS = (
    *(
        "verdict",
        "ranking",
        "summary",
        "compare",
        "plot",
        "flags",
        "scores",
        "ranks",
        "intervals",
        "marks",
    ),
    *(
        "correlations",
        "comparison",
        "slices",
        "power",
        "published",
        "macro_f1",
        "certainty",
        "baselines",
    ),
    *("task", "gold", "entries", "names", "signature", "given", "settled"),
)


@dataclass(frozen=True, eq=False, repr=False)
class NotebookEvaluation(Evaluation):
    """An evaluation of predictions that are in memory: as a cell's last line it shows the verdict and the ranking.

    It has everything that :class:`Evaluation` has. In a notebook these are enough: ``verdict``, ``ranking``,
    ``compare("A", "B")``, ``plot``, ``flags``; ``scores``, ``ranks``, ``intervals``, ``marks`` and ``correlations``
    as DataFrames. ``dir`` lists what docs/python.md explains.

    Examples
    --------
    >>> import audit
    >>> gold = ["a"] * 40 + ["b"] * 60
    >>> evaluation = audit.evaluate(gold, {"A": gold[:95] + ["a"] * 5, "B": ["a"] * 20 + ["b"] * 80})
    >>> evaluation.ranking[["rank", "team", "could_be_best"]]
       rank team  could_be_best
    0     1    A           True
    1     2    B          False
    >>> evaluation.compare("A", "B").ahead
    'A'
    """

    predictions: tuple[Codes, ...] = ()
    """The label codes that were scored, by entry: what :meth:`compare` tests."""
    executor: Executor = THIS_PROCESS  # computes over them, as :func:`audit.evaluate` was told

    @classmethod
    def of(cls, evaluation: Evaluation, predictions: Sequence[Codes], executor: Executor) -> Self:
        """An evaluation with the predictions that it was made from, and who computes over them."""
        values = {each.name: getattr(evaluation, each.name) for each in fields(Evaluation)}
        return cls(**values, predictions=tuple(predictions), executor=executor)

    def __dir__(self) -> list[str]:
        return list(_FOR_USERS)

    def __repr__(self) -> str:
        from audit.report.short import short_blocks
        from audit.writers.terminal import text_of

        return text_of(*short_blocks(self))

    def _repr_html_(self) -> str:
        """The verdict and the ranking as an HTML element without style and script, for a notebook."""
        from audit.report.short import short_blocks
        from audit.writers.html import render

        return render("notebook.html.j2", short_blocks(self))

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
        from audit.report.pairs import pair_sentences

        labels = self.task.label_set
        if metric is None:
            key = self.task.ranking_metric
        else:
            key = score_named(self.keys, labels, metric)
        pair = compare_pair(
            self, self.predictions, str(first), str(second), key, blocks=Blocks(self.executor)
        )
        numbers = {each.name: getattr(pair, each.name) for each in fields(pair)}
        return ComparedPair(**numbers, sentences=tuple(pair_sentences(pair, phrase(key, labels))))

    @property
    def plot(self) -> Plots:
        """The report's figures as Matplotlib axes, such as ``plot.ranking()`` and ``plot.rank_sets()``."""
        return Plots(self)

    @property
    def ranking(self) -> "pd.DataFrame":
        """The ranking by the metric that ranks, as a DataFrame: a row for each entry, best first.

        ``rank``, NA for what does not compete; ``team``; ``score``; ``lower`` and ``upper`` end of the 95% interval,
        the leader's corrected for its having been chosen; ``could_be_best``; ``first_possible_rank`` and
        ``last_possible_rank``. What was not computed is NA.
        """
        return summary_of(self)

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
        from audit.notebook.scores_by_name import ScoresByName

        scores = ScoresByName(frame)
        scores.keys_and_labels = self.keys, self.task.label_set
        return scores


@dataclass(frozen=True, repr=False)
class ShownDifference(Difference):
    """The :class:`Difference` between two evaluations, shown as an erratum says it."""

    def __repr__(self) -> str:
        return "\n".join(self.erratum)

    def summary(self) -> "pd.DataFrame":
        """Both boards as a DataFrame: a row for each entry, in the order of the new one, and then those that are gone.

        Returns
        -------
        DataFrame
            ``team``; ``rank`` and ``rank_before``, NA for what takes none; ``score`` and ``score_before``;
            ``could_be_best`` and ``could_be_best_before``. What is not there is NA.
        """
        import pandas as pd

        sides = {
            "": [row.after for row in self.board],
            "_before": [row.before for row in self.board],
        }
        columns = {"team": pd.Series([row.name for row in self.board], dtype=object)}
        for name, dtype in _COLUMNS.items():
            for side, standings in sides.items():
                columns[name + side] = pd.Series(
                    [_value(each, name) for each in standings], dtype=dtype
                )
        return pd.DataFrame(columns)


_COLUMNS = {"rank": "Int64", "score": "Float64", "could_be_best": "boolean"}


def _value(standing: Standing | None, name: str) -> object:
    if standing is None or (name == "rank" and not standing.competes):
        return None
    return getattr(standing, name)


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
    After 4 of 100 gold labels were corrected, the first place changes.
    Before: A ranks first with an accuracy of .990, but its lead is not statistically significant.
    Now: B ranks first with an accuracy of .990, but its lead is not statistically significant.
    Of the 2 teams ranked before and now, 2 change rank: B from 2 to 1 and A from 1 to 2.
    The score that changes most is that of B, from .950 to .990.
    """
    for each in (before, after):
        if not isinstance(each, Evaluation):
            raise UsageError(
                f"diff() takes two evaluations, such as audit.evaluate(…) gives, and found a {type(each).__name__}."
            )
    difference = difference_of(before, after)
    return ShownDifference(
        **{each.name: getattr(difference, each.name) for each in fields(difference)}
    )
