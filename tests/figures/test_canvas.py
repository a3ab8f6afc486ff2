"""The renderer for the page: what Matplotlib draws comes out at the same place, in few bytes."""

import re
import xml.etree.ElementTree as ET

import pytest
from matplotlib.patches import Circle, Rectangle

from audit.questions.figures.style import ACCENT, INK, dots, drawing, inline_svg, new_figure

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def sheet():
    """A square of 100 × 100 points with axes over all of it, from 0 to 100, and the function that draws it."""
    with drawing():
        figure = new_figure(100 / 72, 100 / 72)
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 100)
        yield axes, lambda: ET.fromstring(inline_svg(figure, "f", "What is seen."))  # noqa: S314 - our own


def paths(root):
    return [path for path in root.findall(f"{SVG}path") if path.get("fill") != "none" or path.get("stroke")]


def test_a_line_stands_where_it_was_drawn(sheet):
    """From the lower left, as Matplotlib counts; SVG counts from the upper left."""
    axes, draw = sheet
    axes.plot([10, 10, 40], [20, 60, 60], color=INK, linewidth=1.5)
    (path,) = paths(draw())
    assert path.attrib == {"d": "M10 80V40H40", "fill": "none", "stroke": "var(--ink)", "stroke-width": "1.5"}


def test_a_line_is_cut_at_the_edge_of_its_axes(sheet):
    """There are no clip paths; a line that leaves the axes ends there."""
    axes, draw = sheet
    axes.plot([50, 500], [50, 500], color=INK)
    (path,) = paths(draw())
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d"))]
    assert min(numbers) >= -2
    assert max(numbers) <= 102


def test_areas_of_one_look_are_one_path(sheet):
    """So that a heat map costs a few bytes a cell; another colour begins another path."""
    axes, draw = sheet
    for left, color in ((0, ACCENT), (20, ACCENT), (40, INK)):
        axes.add_patch(Rectangle((left, 0), 10, 10, facecolor=color, linewidth=0))
    first, second = paths(draw())
    assert first.get("d") == "M0 100H10V90H0zM20 100H30V90H20z"
    assert (first.get("fill"), second.get("fill")) == ("var(--accent)", "var(--ink)")
    assert "stroke" not in first.attrib


def test_opacity_is_kept(sheet):
    """Of an area by itself, and of all that an artist draws; what is fully transparent is not drawn."""
    axes, draw = sheet
    axes.add_patch(Rectangle((0, 0), 10, 10, facecolor=(0, 0, 0, 0.25), edgecolor="none"))
    axes.scatter([50], [50], color=ACCENT, alpha=0.5, linewidth=0)
    axes.add_patch(Rectangle((0, 0), 10, 10, facecolor="none", edgecolor="none"))
    filled = [path for path in draw().iter(f"{SVG}path") if path.get("fill") != "none"]
    assert sorted(path.get("fill-opacity") for path in filled) == ["0.25", "0.5"]


def test_a_circle_is_two_arcs(sheet):
    """With its centre and its radius, and closed."""
    axes, draw = sheet
    axes.add_patch(Circle((30, 40), 5, facecolor=INK, linewidth=0))
    (path,) = paths(draw())
    assert path.get("d") == "M25 60a5 5 0 1 0 10 0a5 5 0 1 0-10 0"


def test_points_share_one_marker(sheet):
    """A path through all of them, with the marker at each; none at all leaves nothing."""
    axes, draw = sheet
    dots(axes, [10, 20, 30], [50, 50, 60], color=INK)
    dots(axes, [], [])
    root = draw()
    (marker,) = root.findall(f"{SVG}marker")
    (line,) = [path for path in root.findall(f"{SVG}path") if path.get("style")]
    assert line.get("d") == "M10 50L20 50 30 40"
    assert line.get("style") == f"marker:url(#{marker.get('id')})"
    assert marker.get("id").startswith("f-")
    assert marker.find(f"{SVG}path").get("fill") == "var(--ink)"


def test_one_point_alone_is_drawn(sheet):
    """A path of one point has no vertex to hang a marker on, so it has two at one place."""
    axes, draw = sheet
    dots(axes, [10], [50], color=INK)
    assert [path.get("d") for path in draw().findall(f"{SVG}path") if path.get("style")] == ["M10 50L10 50"]


@pytest.mark.parametrize(
    ("alignment", "anchor"), [("left", None), ("center", "middle"), ("right", "end")], ids=["left", "center", "right"]
)
def test_a_text_is_held_where_it_is_aligned(sheet, alignment, anchor):
    """Whatever typeface the page has, its aligned end stays where it was put."""
    axes, draw = sheet
    axes.text(40, 70, "Some words", ha=alignment, va="baseline")
    (group,) = draw().findall(f"{SVG}g")
    (text,) = group
    assert group.get("text-anchor") == anchor
    assert (float(text.get("x")), float(text.get("y"))) == pytest.approx((40, 30), abs=0.6)


@pytest.mark.parametrize(("alignment", "anchor"), [("top", "end"), ("center", "middle"), ("bottom", None)])
def test_an_upright_text_is_held_where_it_is_aligned(sheet, alignment, anchor):
    """Names below a column end at the axis."""
    axes, draw = sheet
    axes.text(40, 70, "Some words", rotation=90, va=alignment)
    (group,) = draw().findall(f"{SVG}g")
    x, y, angle = map(float, re.findall(r"-?[\d.]+", group[0].get("transform")))
    assert group.get("text-anchor") == anchor
    assert (y, angle) == (pytest.approx(30, abs=1), -90)
    assert x >= 40


def test_texts_of_one_look_share_a_group_and_stand_on_top(sheet):
    """Above all shapes, with their marks as text, never as markup."""
    axes, draw = sheet
    axes.text(10, 10, "<a> & b")
    axes.text(10, 30, "c")
    axes.text(10, 50, "d", style="italic")
    axes.plot([0, 1], [0, 1], color=INK, zorder=99)
    root = draw()
    assert [[text.text for text in group] for group in root.findall(f"{SVG}g")] == [["<a> & b", "c"], ["d"]]
    assert [group.get("font-style") for group in root.findall(f"{SVG}g")] == [None, "italic"]
    assert [child.tag for child in root] == [f"{SVG}path", f"{SVG}g", f"{SVG}g"]
