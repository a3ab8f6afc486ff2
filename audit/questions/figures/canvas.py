"""A figure as SVG for the page: texts stay texts, colours are the page's variables, and every point costs a few bytes.

Matplotlib's own writer serves the export. It spells out a style for each element, which makes a page with all figures
twice as large; this one merges neighbours of one style, and writes all texts after all shapes.
"""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from matplotlib.backend_bases import FigureCanvasBase, GraphicsContextBase, RendererBase
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Transform

from audit.domain.arrays import Floats

Named = Callable[[str], str]  # a colour of the drawing → the page's colour, as CSS

_ANCHORS = {"left": "start", "bottom": "start", "baseline": "start", "center": "middle", "right": "end", "top": "end"}
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}  # the share of a text that lies before its anchor
_UPRIGHT = 90.0


class _Ink(NamedTuple):
    """The fill and stroke of a shape, as attributes."""

    fill: str
    fill_opacity: str
    stroke: str
    stroke_width: str

    def attributes(self) -> str:
        pairs = self._asdict().items()
        return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in pairs if value)


class PageRenderer(RendererBase):
    """Collects what a figure draws, in points, with the origin at the upper left."""

    def __init__(self, width: float, height: float, prefix: str, named: Named) -> None:
        super().__init__()
        self._width, self._height, self._prefix, self._named = width, height, prefix, named
        self._shapes: list[tuple[str, str]] = []
        self._texts: list[tuple[str, str]] = []
        self._markers: dict[tuple[str, _Ink], str] = {}

    def body(self) -> str:
        """Everything drawn, as the inside of an SVG element."""
        markers = [
            f'<marker id="{name}" overflow="visible" markerUnits="userSpaceOnUse"><path d="{outline}"'
            f"{ink.attributes()}/></marker>"
            for (outline, ink), name in self._markers.items()
        ]
        shapes = [f'<path d="{"".join(outlines)}"{attributes}/>' for attributes, outlines in _merged(self._shapes)]
        texts = [f"<g{attributes}>{''.join(texts)}</g>" for attributes, texts in _merged(self._texts)]
        return "\n".join([*markers, *shapes, *texts])

    # What Matplotlib calls

    def get_canvas_width_height(self) -> tuple[float, float]:
        """Points."""
        return self._width, self._height

    def draw_path(
        self,
        gc: GraphicsContextBase,
        path: Path,
        transform: Transform,
        rgbFace: Any = None,  # noqa: ANN401, N803 - Matplotlib's own name, and any colour
    ) -> None:
        """A line or an area."""
        ink = self._ink(gc, rgbFace)
        if ink.fill != "none" or ink.stroke:
            box = None if rgbFace is not None else gc.get_clip_rectangle()
            clip = None if box is None else (box.x0, self._height - box.y1, box.x1, self._height - box.y0)
            outline = _outline(path, transform + self._downwards(), clip)
            if outline:
                self._shapes.append((ink.attributes(), outline))

    def draw_markers(  # noqa: PLR0913, PLR0917 - Matplotlib's own
        self,
        gc: GraphicsContextBase,
        marker_path: Path,
        marker_trans: Transform,
        path: Path,
        trans: Transform,
        rgbFace: Any = None,  # noqa: ANN401, N803 - Matplotlib's own name, and any colour
    ) -> None:
        """Draw one shape at every point of a path: it is defined once, so that each point costs two numbers."""
        outline = _outline(marker_path, marker_trans + Affine2D().scale(1, -1))
        points = [
            "{} {}".format(*map(_short, vertices[-2:]))
            for vertices, _ in path.iter_segments(trans + self._downwards(), simplify=False)
        ]
        if not points or not outline:
            return
        ink = self._ink(gc, rgbFace)
        name = self._markers.setdefault((outline, ink), f"{self._prefix}-{len(self._markers)}")
        self._shapes.append(
            (f' fill="none" style="marker:url(#{name})"', f"M{points[0]}L{' '.join(points[1:] or points)}")
        )

    def draw_text(  # noqa: PLR0913, PLR0917 - Matplotlib's own
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: Any = False,  # noqa: ANN401, ARG002, FBT002 - Matplotlib's signature
        mtext: Text | None = None,
    ) -> None:
        """A text, held where it is aligned: the page's typeface is not as wide as the one that was measured."""
        anchor = _anchor(mtext, angle)
        before = _BEFORE[anchor] * self.get_text_width_height_descent(s, prop, False)[0]  # noqa: FBT003 - Matplotlib's signature
        if angle == _UPRIGHT:
            place = f'transform="translate({_short(x)} {_short(y - before)})rotate(-90)"'
        elif angle:
            place = f'transform="translate({_short(x)} {_short(y)})rotate({_short(-angle)})"'
        else:
            place = f'x="{_short(x + before)}" y="{_short(y)}"'
        self._texts.append((self._type(gc, prop, anchor), f"<text {place}>{escape(s, quote=False)}</text>"))

    # How it looks

    def _ink(self, gc: GraphicsContextBase, face: Any) -> _Ink:  # noqa: ANN401 - any colour
        red, green, blue, alpha = gc.get_rgb()
        stroke = self._named(to_hex((red, green, blue))) if gc.get_linewidth() and alpha else ""
        width = f"{gc.get_linewidth():g}" if stroke else ""
        if face is None or not (opacity := _opacity(gc, face)):
            return _Ink("none", "", stroke, width)
        return _Ink(self._named(to_hex(face[:3])), f"{opacity:g}" if opacity < 1 else "", stroke, width)

    def _type(self, gc: GraphicsContextBase, prop: FontProperties, anchor: str) -> str:
        pairs = (
            ("font-size", f"{prop.get_size_in_points():g}"),
            ("font-style", "italic" if prop.get_style() == "italic" else ""),
            ("text-anchor", anchor if anchor != "start" else ""),
            ("fill", self._named(to_hex(gc.get_rgb()[:3]))),
        )
        return "".join(f' {name}="{value}"' for name, value in pairs if value)

    def _downwards(self) -> Affine2D:
        return Affine2D().scale(1, -1).translate(0, self._height)


class PageCanvas(FigureCanvasBase):
    """A canvas that gives a figure its renderer."""

    def __init__(self, figure: Figure, prefix: str, named: Named) -> None:
        super().__init__(figure)
        width, height = (72 * figure.get_size_inches()).tolist()
        self._renderer = PageRenderer(width, height, prefix, named)

    def get_renderer(self) -> PageRenderer:
        """The renderer, which the layout uses to measure texts too."""
        return self._renderer


def body_of(figure: Figure, prefix: str, named: Named) -> str:
    """A figure as the inside of an SVG element whose unit is the point."""
    figure.dpi = 72
    renderer = PageCanvas(figure, prefix, named).get_renderer()
    figure.draw(renderer)
    return renderer.body()


def _opacity(gc: GraphicsContextBase, face: Sequence[float]) -> float:
    """The opacity of an area: its own, or the one that the artist sets for all that it draws."""
    if gc.get_forced_alpha():
        return float(gc.get_alpha())
    return float(face[3]) if len(face) > 3 else 1.0  # noqa: PLR2004 - RGBA


def _merged(pieces: Iterable[tuple[str, str]]) -> Iterable[tuple[str, list[str]]]:
    """Neighbours that look alike, together."""
    for looks, group in groupby(pieces, key=lambda piece: piece[0]):
        yield looks, [text for _, text in group]


def _anchor(mtext: Text | None, angle: float) -> str:
    """Which end of a text its alignment holds."""
    if mtext is None or angle not in {0, _UPRIGHT}:
        return "start"
    along = not angle or mtext.get_rotation_mode() == "anchor"
    return _ANCHORS.get(mtext.get_horizontalalignment() if along else mtext.get_verticalalignment(), "start")


def _outline(path: Path, transform: Transform, clip: tuple[float, float, float, float] | None = None) -> str:
    """A path in the notation of SVG; a circle as two arcs."""
    scale = _circle(np.asarray(path.vertices))
    if scale:
        (x, y), (edge, _) = transform.transform([(0.0, 0.0), (scale, 0.0)]).tolist()
        left, radius, across = (_short(value, 2) for value in (2 * x - edge, edge - x, 2 * (edge - x)))
        return f"M{left} {_short(y, 2)}a{radius} {radius} 0 1 0 {across} 0a{radius} {radius} 0 1 0-{across} 0"
    return _commands(path.iter_segments(transform, remove_nans=True, clip=clip, simplify=False, curves=True))


def _circle(vertices: Floats) -> float:
    """The radius of what Matplotlib draws as a circle around the origin; 0 for any other shape."""
    unit = np.asarray(Path.unit_circle().vertices)
    if vertices.shape != unit.shape:
        return 0.0
    radius = -float(vertices[0, 1])  # the lowest point comes first
    return radius if radius > 0 and np.allclose(vertices, unit * radius) else 0.0


def _commands(segments: Iterable[tuple[Floats, Any]]) -> str:
    parts: list[str] = []
    x = y = ""
    for vertices, code in segments:
        if code == Path.CLOSEPOLY:
            parts.append("z")
            continue
        numbers = [_short(float(value)) for value in vertices]
        letter = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}[code]
        if letter == "L" and numbers == [x, y]:
            continue
        if letter == "L" and y == numbers[1]:
            parts.append(f"H{numbers[0]}")
        elif letter == "L" and x == numbers[0]:
            parts.append(f"V{numbers[1]}")
        else:
            parts.append(letter + " ".join(numbers))
        x, y = numbers[-2:]
    return "".join(parts) if any(part[0] != "M" for part in parts) else ""


def _short(value: float, digits: int = 1) -> str:
    """A number with few decimals, and no zeros that say nothing.

    >>> _short(12.04), _short(0.26), _short(-0.01)
    ('12', '.3', '0')
    """
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return {"-0": "0", "": "0"}.get(text, text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text)
