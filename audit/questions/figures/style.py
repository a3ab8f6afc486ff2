"""One visual language for every figure: sizes, colours and type, and how a figure becomes SVG or PDF.

Colours are drawn as the light theme has them; in the page they become the style sheet's variables, so that a figure
follows the reader's theme. Everything survives greyscale: what a colour says, a number, a shape or a place says too.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from io import BytesIO, StringIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from audit.text import escape, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

INK, QUIET, LINE, ACCENT, PAPER, WASH = "#1b1f24", "#59626d", "#d5dae0", "#0b5cad", "#ffffff", "#f4f6f8"
BLUES = ("#f5f9fd", "#ecf4fb", "#e0edf8", "#d3e5f5", "#c3dcf2")
"""Sequential, light to dark: the shades of the page's tables."""

ORANGES = ("#fdf1ea", "#fbe2d3", "#f8cfb6", "#f4b994", "#eea275")
"""The negative side of what is signed."""

REGIONS = ("#a9cdec", "#f4b993", "#b5dcb0", "#d9c2ea", "#f3dd8f", "#f2bccb")
"""Areas with a number in them."""

OTHER_REGIONS = "#e3e6ea"

SMALLEST = 5.0
"""Points of the smallest type of a figure at its width in print."""

_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        INK: "var(--ink)",
        QUIET: "var(--quiet)",
        LINE: "var(--line)",
        ACCENT: "var(--accent)",
        PAPER: "var(--paper)",
        WASH: "var(--wash)",
        **{shade: f"var(--s{4 - step})" for step, shade in enumerate(BLUES)},
        **{shade: f"var(--m{step + 1})" for step, shade in enumerate(ORANGES)},
        **{color: f"var(--w{place})" for place, color in enumerate((*REGIONS, OTHER_REGIONS))},
    }
)
_SETTINGS: Mapping[str, Any] = MappingProxyType(
    {
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
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
        "svg.fonttype": "none",  # text stays text, in the typeface of the page
        "svg.hashsalt": "audit",  # the same figure gives the same bytes
        "pdf.fonttype": 42,  # TrueType: embedded, and its text can be searched
        "pdf.compression": 6,
    }
)
_OTHER_SCRIPTS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Noto Sans Arabic"),
    *("Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Bengali", "Noto Sans Thai", "WenQuanYi Micro Hei"),
    *("PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Malgun Gothic", "Arial Unicode MS"),
)
_TIMELESS: Mapping[str, Any] = MappingProxyType({"Date": None, "Creator": None})


@contextmanager
def drawing(*, smallest: float = SMALLEST) -> Iterator[None]:
    """The settings under which every figure is made and saved, whatever matplotlibrc says."""
    import matplotlib as mpl  # noqa: PLC0415 - a third of a second that only figures need

    with mpl.rc_context(), warnings.catch_warnings():
        before = _smallest.set(smallest)
        warnings.filterwarnings("ignore", r"Glyph \d+", UserWarning)  # pdf_bytes sees to it, and SVG text has no glyphs
        mpl.rcdefaults()
        mpl.rcParams["font.family"] = _families()
        mpl.rcParams.update(dict(_SETTINGS))  # type: ignore[arg-type]  # the stubs list every name
        yield
        _smallest.reset(before)


def smallest_type() -> float:
    """Points of the smallest type of the figures that are being drawn."""
    return _smallest.get()


_smallest: ContextVar[float] = ContextVar("smallest", default=SMALLEST)


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
    from matplotlib.figure import Figure  # noqa: PLC0415 - a third of a second that only figures need

    return Figure(figsize=(width, height), layout="constrained")


def inline_svg(figure: "Figure", number: str, alt: str) -> str:
    """A figure as an SVG element for the page: it scales with the page and takes its colours and typeface."""
    from markupsafe import escape as markup  # noqa: PLC0415 - comes with Jinja2, which only a report needs

    from audit.questions.figures.canvas import body_of  # noqa: PLC0415 - loads Matplotlib

    width, height = (72 * float(side) for side in figure.get_size_inches())
    body = body_of(figure, number, lambda color: _VARIABLES.get(color, color))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'preserveAspectRatio="xMinYMin" role="img" aria-label="{markup(alt)}">\n{body}\n</svg>'
    )


def svg_text(figure: "Figure", *, paper: str = "none") -> str:
    """A figure as an SVG document, on paper of some colour where it is asked for."""
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
            drawn = (letter if ord(letter) in _drawable() else escape(letter) for letter in text.get_text())
            text.set_text("".join(drawn))
    target = BytesIO()
    figure.savefig(target, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
    return target.getvalue()


def quiet_axes(axes: "Axes", *, grid: str | None = None) -> None:
    """Axes without ticks where names stand, and with hairlines across where numbers do."""
    if grid is not None:
        axes.grid(visible=True, axis=grid)  # type: ignore[arg-type]
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0)


def score_ticks(axis: "Axis") -> None:
    """Numbers along an axis as the page prints scores, with as many decimals as the ticks need."""

    def text(value: float, _: float) -> str:
        ticks = np.asarray(axis.get_majorticklocs())
        exact = (digits for digits in range(1, 6) if np.allclose(ticks, ticks.round(digits), rtol=0, atol=1e-9))
        return number(value, next(exact, 6))

    axis.set_major_formatter(text)


def dots(  # noqa: PLR0913 - where they stand and how they look
    axes: "Axes", x: ArrayLike, y: ArrayLike, *, size: float = 3.6, color: str | None = None, hollow: bool = False
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
