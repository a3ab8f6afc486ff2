"""One visual language for every figure: sizes, colours and type, and how a figure becomes SVG or PDF.

Colours are drawn as the light theme has them; in the page they become the style sheet's variables, so that a figure
follows the reader's theme. Everything survives greyscale: what a colour says, a number, a shape or a place says too.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO, StringIO
from textwrap import fill
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import ArrayLike

from audit.domain import Evaluation
from audit.report.printing import BEST_SHOWN, FEW
from audit.text import distinct, escape, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text

INK = "#1b1f24"
QUIET = "#59626d"
LINE = "#d5dae0"
ACCENT = "#0b5cad"
PAPER = "#ffffff"
BLUES = ("#f5f9fd", "#ecf4fb", "#e0edf8", "#d3e5f5", "#c3dcf2")
"""Sequential, light to dark: the shades of the page's tables."""

ORANGES = ("#fdf1ea", "#fbe2d3", "#f8cfb6", "#f4b994", "#eea275")
"""The negative side of what is signed."""


SMALLEST = 5.0  # points of the smallest type of a figure at its width in print

_SETTINGS: Mapping[str, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "grid.color": LINE,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.0,
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a team's name is no formula
    "text.usetex": False,
    "text.hinting": "no_hinting",  # lines of any size have no pixels to fit letters to
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "svg.fonttype": "none",  # text stays text, in the typeface of the page
    "svg.hashsalt": "audit",  # the same figure gives the same bytes
    "pdf.fonttype": 42,  # TrueType: embedded, and its text can be searched
    "pdf.compression": 6,
}
_OTHER_SCRIPTS = (
    *(
        "Noto Sans CJK SC",
        "Noto Sans CJK JP",
        "Noto Sans SC",
        "Noto Sans JP",
        "Noto Sans KR",
        "Noto Sans Arabic",
    ),
    *(
        "Noto Sans Hebrew",
        "Noto Sans Devanagari",
        "Noto Sans Bengali",
        "Noto Sans Thai",
        "WenQuanYi Micro Hei",
    ),
    *("PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Malgun Gothic", "Arial Unicode MS"),
)
_TIMELESS: Mapping[str, Any] = {"Date": None, "Creator": None}


@contextmanager
def drawing() -> Iterator[None]:
    """The settings under which every figure is made and saved, whatever matplotlibrc says."""
    import matplotlib as mpl  # noqa: PLC0415 - a third of a second that only figures need

    with mpl.rc_context(), warnings.catch_warnings():
        # pdf_bytes sees to it, and SVG text has no glyphs
        warnings.filterwarnings("ignore", r"Glyph \d+", UserWarning)
        mpl.rcdefaults()
        mpl.rcParams["font.family"] = _families()
        mpl.rcParams.update(dict(_SETTINGS))  # type: ignore[arg-type]  # the stubs list every name
        yield


@cache
def _families() -> list[str]:
    """Matplotlib's own font, then whatever this machine has for the scripts that it lacks."""
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 - a third of a second that only figures need

    installed = set(fontManager.get_font_names())
    return ["DejaVu Sans", *(name for name in _OTHER_SCRIPTS if name in installed)]


@cache
def _drawable() -> frozenset[int]:
    """The characters that one of the families has."""
    from matplotlib.font_manager import findfont, get_font  # noqa: PLC0415 - a third of a second that only figures need

    return frozenset().union(*(get_font(findfont(name)).get_charmap() for name in _families()))


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure of this many inches, whose parts make room for each other."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - loads Matplotlib
    from matplotlib.figure import Figure  # noqa: PLC0415 - a third of a second that only figures need

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)  # measures each text once; without it, every question makes a renderer
    return figure


def lay_out(figure: "Figure", *, last: bool = True) -> None:
    """Make room for every part, and the last time for good: to save a figure Matplotlib would draw all of it twice."""
    for axis in (
        axis
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        if not axis.label.get_text()
    ):
        # to place a title of no letters it would measure every name again
        axis.set_label_coords(0, 0)
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
    if last:
        figure.set_layout_engine(None)


def svg_text(figure: "Figure", *, paper: str = "none") -> str:
    """A figure as an SVG document, on paper of some colour where it is asked for."""
    lay_out(figure)
    target = StringIO()
    figure.savefig(target, format="svg", facecolor=paper, metadata=dict(_TIMELESS))
    return target.getvalue()


def pdf_bytes(figure: "Figure") -> bytes:
    """A figure as a PDF document with its fonts embedded, and no clock in it.

    A character that no font of this machine has becomes an escape, as in a terminal, rather than an empty box.
    """
    from matplotlib.text import Text  # noqa: PLC0415 - loads Matplotlib

    for text in figure.findobj(Text):
        if isinstance(text, Text):
            drawn = (
                letter if ord(letter) in _drawable() else escape(letter)
                for letter in text.get_text()
            )
            text.set_text("".join(drawn))
    lay_out(figure)
    target = BytesIO()
    figure.savefig(
        target, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None}
    )
    return target.getvalue()


def quiet_axes(axes: "Axes", *, grid: str | None = None) -> None:
    """Axes without ticks where names stand, and with hairlines across where numbers do."""
    if grid is not None:
        axes.grid(visible=True, axis=grid)  # type: ignore[arg-type]
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0)


def fill_areas(
    axes: "Axes", areas: Mapping[str, Sequence[ArrayLike]], edge: str | None = None
) -> None:
    """Areas by their corners, those of one colour as one shape; a hairline of that colour, or another, around each."""
    from matplotlib.patches import PathPatch  # noqa: PLC0415 - a third of a second that only figures need
    from matplotlib.path import Path  # noqa: PLC0415 - a third of a second that only figures need

    for color, corners in areas.items():
        outline = Path.make_compound_path_from_polys(np.stack(corners))
        axes.add_patch(
            PathPatch(outline, facecolor=color, edgecolor=edge or color, linewidth=0.4, gid=color)
        )


def score_ticks(axis: "Axis") -> None:
    """Numbers along an axis as the page prints scores, with as many decimals as the ticks need."""
    from matplotlib.ticker import Formatter  # noqa: PLC0415 - loads Matplotlib

    class Scores(Formatter):
        def format_ticks(self, values: Sequence[float]) -> list[str]:
            ticks = np.asarray(values)
            exact = (
                digits
                for digits in range(1, 6)
                if np.allclose(ticks, ticks.round(digits), rtol=0, atol=1e-9)
            )
            digits = next(exact, 6)
            return [number(value, digits) for value in values]

    axis.set_major_formatter(Scores())


def dots(  # noqa: PLR0913 - where they stand and how they look
    axes: "Axes",
    x: ArrayLike,
    y: ArrayLike,
    *,
    size: float = 3.6,
    color: str | None = None,
    hollow: bool = False,
) -> None:
    """Points of one size: filled, or as rings where they stand for the many."""
    if not np.size(x):  # no points would still take room, in the corner of the figure
        return
    color = color or (QUIET if hollow else ACCENT)
    axes.plot(
        np.ravel(x),
        np.ravel(y),
        linestyle="none",
        marker="o",
        markersize=size,
        markerfacecolor="none" if hollow else color,
        markeredgecolor=color,
        markeredgewidth=0.5,
        zorder=3,
        clip_on=False,
    )


def shade_of(share: float) -> str:
    """The sequential shade of a value between 0 and 1."""
    return BLUES[min(len(BLUES) - 1, int(share * len(BLUES)))]


def signed_shade(value: float) -> str:
    """The diverging shade of a value between −1 and 1: transparent at 0."""
    size = min(5, int(abs(value) * 5 + 0.5))
    if not size:
        return "none"
    return (BLUES if value > 0 else ORANGES)[size - 1]


# inches of a column, and of the text, on a two-column page
NARROW = 3.03
WIDE = 6.3

_WIDE = 5.0  # inches from which a figure has room for whole names
_LONG_NAME = 28
_SHORT_NAME = 16
_LONG_LABEL = 20
_SHORT_LABEL = 12
_DOUBLE = frozenset("WF")  # letters as wide as two, as Unicode calls their widths
# characters of an axis title
_WIDE_LINE = 80
_NARROW_LINE = 42
_ROW = 0.155  # inches a row of text needs


def is_wide(width: float) -> bool:
    """Whether a figure has room for whole names, and for panels side by side."""
    return width >= _WIDE


def shown_teams(evaluation: Evaluation, *, comparable: bool = False) -> list[int]:
    """The entries that a figure shows, best first: all where they are few, otherwise the best of them."""
    order = evaluation.order(evaluation.task.ranking_metric)
    teams = [team for team in order if evaluation.comparable[team] or not comparable]
    if len(teams) <= FEW:
        return teams
    return teams[:BEST_SHOWN]


def rest_note(evaluation: Evaluation, *, comparable: bool = False) -> str:
    """A sentence on what a figure leaves out; empty where it leaves out nothing."""
    if comparable:
        n_all = int(evaluation.comparable.sum())
    else:
        n_all = len(evaluation.entries)
    if n_all > FEW:
        return f"The first {BEST_SHOWN} of {n_all:,} are shown."
    return ""


def name_of(evaluation: Evaluation, team: int, width: float) -> str:
    """A team's name as long as the figure's width allows, unlike any other's."""
    return _cut(tuple(evaluation.names), team, _LONG_NAME if is_wide(width) else _SHORT_NAME)


def label_of(evaluation: Evaluation, code: int, width: float) -> str:
    """A class's name as long as the figure's width allows; behind the last class stands what was not answered."""
    labels = (*evaluation.task.label_set.shown, "unanswered")
    return _cut(labels, code, _LONG_LABEL if is_wide(width) else _SHORT_LABEL)


def _cut(texts: tuple[str, ...], place: int, limit: int) -> str:
    """One of several texts, cut unlike any other; of letters as wide as two, like Chinese, half as many."""
    shown = distinct(texts, limit)[place]
    n_wide = sum(east_asian_width(letter) in _DOUBLE for letter in shown)
    if len(shown) + n_wide <= limit:
        return shown
    return distinct(texts, limit // 2)[place]


def height_of(n_rows: int, extra: float = 0.55) -> float:
    """The height in inches of a number of rows of text, with an axis below."""
    return max(1.4, _ROW * n_rows + extra)


_FROM_AXES = 3.5 / 72  # inches
_SIDES: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "left": (-1, {"ha": "right", "va": "center"}),
    "right": (1, {"ha": "left", "va": "center"}),
    "below": (-1, {"rotation": 90, "rotation_mode": "anchor", "ha": "right", "va": "center"}),
}
"""The way from the axes, and the end by which names are held: a page’s typeface is not as wide as measured."""


def write_names(
    axes: "Axes", names: Sequence[str], *, first: int = 0, side: str = "left"
) -> list["Text"]:
    """Names of rows or columns beside the axes, as plain text: each tick of an axis would be drawn as five parts."""
    from matplotlib.transforms import ScaledTranslation  # noqa: PLC0415 - a third of a second that only figures need

    (direction, held) = _SIDES[side]
    is_below = side == "below"
    axis, own = (
        (axes.xaxis, axes.get_xaxis_transform())
        if is_below
        else (axes.yaxis, axes.get_yaxis_transform())
    )
    axis.set_ticks([])
    away = direction * _FROM_AXES
    edge = float(side == "right")
    if is_below:
        across = 0.0
        up = away
    else:
        across = away
        up = 0.0
    moved = own + ScaledTranslation(across, up, axes.figure.dpi_scale_trans)
    places = ((row, edge) if is_below else (edge, row) for row in range(first, first + len(names)))
    look = {"transform": moved, "fontsize": 7.0, **held}
    return [axes.text(x, y, name, **look) for (x, y), name in zip(places, names, strict=True)]


def name_rows(axes: "Axes", evaluation: Evaluation, teams: list[int], width: float) -> None:
    """A row for each team, best on top, its name on the left: italic where it does not compete."""
    names = write_names(axes, [name_of(evaluation, team, width) for team in teams])
    axes.set_ylim(len(teams) - 0.4, -0.6)
    for text, team in zip(names, teams, strict=True):
        if not evaluation.entries[team].competes:
            text.set_fontstyle("italic")
            text.set_color(QUIET)
    quiet_axes(axes, grid="x")


def axis_title(axes: "Axes", text: str, width: float) -> None:
    """The title of an axis below; in a column it ends at the right and breaks into lines."""
    if is_wide(width):
        axes.set_xlabel(fill(text, _WIDE_LINE))
    else:
        axes.set_xlabel(fill(text, _NARROW_LINE), loc="right")
