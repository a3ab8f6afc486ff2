"""The report's figures as Matplotlib axes."""

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from audit.domain import Evaluation
from audit.errors import UsageError
from audit.text import did_you_mean, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from audit.questions.figures import FigureKind

_WIDTH = 6.3
_NARROWEST, _WIDEST = 2, 20
_STYLE_SHEET = re.compile(r"<style[^>]*>\*\{([^}]*)\}</style>")


@dataclass(frozen=True)
class Plots:
    """Every figure of the report, by its name with underscores: ``evaluation.plot.rank_sets()``.

    Each gives Matplotlib's axes, which a notebook shows as their picture; where a figure has several panels, the first
    one's. ``axes.figure`` is the whole figure, to be saved or changed. Nothing is left in pyplot.

    Parameters
    ----------
    evaluation : Evaluation
        What is drawn.
    """

    evaluation: Evaluation

    def ranking(self, width: float = _WIDTH) -> "Axes":
        """The ranking: every system's score with its interval, best on top. The figure ``scores`` of the report."""
        return _drawn(self.evaluation, "scores", width)

    def __dir__(self) -> list[str]:
        """The figures, for completion."""
        return ["evaluation", "ranking", *_names()]

    def __getattr__(self, name: str) -> "Callable[..., Axes]":
        """The function that draws a figure of the catalogue."""
        slug = _names().get(name)
        if slug is None:
            near = did_you_mean(name, _names())
            raise AttributeError(
                f"There is no figure {quoted(name)}.{near} There are {listed(['ranking', *_names()])}."
            )
        return _function(self.evaluation, name, slug)


def _names() -> dict[str, str]:
    """The name of each figure in Python, with its slug."""
    from audit.questions.figures import FIGURE_KINDS  # noqa: PLC0415 - what a report needs, an evaluation does not

    return {slug.replace("-", "_"): slug for slug in FIGURE_KINDS}


def _function(evaluation: Evaluation, name: str, slug: str) -> "Callable[..., Axes]":
    """A figure as a function with the catalogue's words as its documentation."""

    def draw(width: float = _WIDTH) -> "Axes":
        return _drawn(evaluation, slug, width)

    kind = _kind(slug)
    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = f"{kind.title}, so many inches wide.\n\n{kind.how_to_read}"
    return draw


def _kind(slug: str) -> "FigureKind":
    from audit.questions.figures import FIGURE_KINDS  # noqa: PLC0415 - what a report needs, an evaluation does not

    return FIGURE_KINDS[slug]


def _drawn(evaluation: Evaluation, slug: str, width: object) -> "Axes":
    """A figure's first axes, on a figure of their own."""
    from audit.questions.figures import PAPER, drawing  # noqa: PLC0415 - what a report needs, an evaluation does not

    kind = _kind(slug)
    if not isinstance(width, int | float) or not _NARROWEST <= width <= _WIDEST:
        raise UsageError(f"width is a number of inches from {_NARROWEST} to {_WIDEST}, not {width!r}.")
    if lacking := kind.lacking(evaluation):
        raise UsageError(f"{kind.title} cannot be drawn of this evaluation. {lacking}")
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
    from audit.questions.figures import PAPER, drawing, svg_text  # noqa: PLC0415 - what a report needs, an evaluation does not

    with drawing():
        text = svg_text(figure, paper=PAPER)
    element = text[text.index("<svg") :]
    # Where a notebook puts the element into its page, a style sheet in it would be one of the whole page.
    rules = _STYLE_SHEET.findall(element)
    return _STYLE_SHEET.sub("", element).replace("<svg", f'<svg style="{"; ".join(rules)}"', 1)
