"""What holds for every figure, whatever it shows: nothing too small, nothing cut off, no text on another."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from matplotlib.text import Text

from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.report.figures import label_places
from audit.report.figures.figure_kinds import FIGURE_KINDS
from audit.report.figures.label_places import place_names
from audit.report.figures.metric_figures import not_scattered
from audit.report.figures.style import NARROW, SMALLEST, WIDE, drawing, new_figure
from audit.resources import samples
from audit.text import distinct
from tests.nightly import ALL, by_day, slow
from tests.report.campaigns import random_campaign

from .conftest import FEW

NAMES = [
    f"{chr(65 + place % 26)}{'olverhampton' * (place % 3)} at Task {place:02} submission"[:40]
    for place in range(48)
]
LONG_NAMES = [f"Wolverhampton at Task 2, submission {place:02} WW" for place in range(48)]
LONG_LABELS = [f"a_long_label_of_class_number_{place:02}" for place in range(20)]
WIDTHS = (NARROW, WIDE)
"""Inches: of a column and of the text, on a two-column page."""

MOST_OVER = 0.6
"""Points that two texts may share, and that a text may stand out: what antialiasing rounds."""


@pytest.fixture(scope="module")
def apart():
    """48 teams from good to bad, 20 classes, names of 40 letters and more that begin alike."""
    return evaluate(random_campaign(48, 900, 20, names=LONG_NAMES, labels=LONG_LABELS, options=FEW))


@pytest.fixture(scope="module")
def close():
    """48 teams that are nearly alike: lines cross, points crowd."""
    return evaluate(
        random_campaign(
            48, 600, 20, quality=(0.62, 0.58), names=NAMES, labels=LONG_LABELS, options=FEW
        )
    )


@pytest.fixture(scope="module")
def large():
    """The larger sample: 22 entries, three classes."""
    return evaluate(replace(read_campaign(samples() / "semeval2017-task4a"), options=FEW))


CASES = [
    pytest.param(campaign, width, id=f"{campaign}-{width}")
    for campaign in ("apart", "close", "large", "flood", "hostile")
    for width in WIDTHS
    if ALL or width == NARROW or campaign == "close"
]


def texts_of(figure):
    """Every text that is drawn, with its box in points from the lower left."""
    figure.dpi = 72
    figure.draw_without_rendering()
    ticks = {
        label: axes.axison and low <= place <= high
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick, place in zip(axis.get_major_ticks(), axis.get_majorticklocs(), strict=False)
        for label in (tick.label1, tick.label2)
        for low, high in [sorted(axis.get_view_interval())]
    }
    found = []
    for text in figure.findobj(Text):
        if text.get_text().strip() and text.get_visible() and ticks.get(text, True):
            if text.axes is not None and not (
                text.axes.get_visible() and (text.axes.axison or text in text.axes.texts)
            ):
                continue
            found.append((text, text.get_window_extent()))
    return found


def drawn(kind, evaluation, width):
    if not kind.possible(evaluation):
        return None
    with drawing():
        figure = kind.draw(evaluation, width)
        return figure, texts_of(figure)


def check(figure, texts, smallest=SMALLEST):
    """The laws."""
    check_inside(figure, texts, smallest)
    upright = [(text, box) for text, box in texts if text.get_rotation() % 90 == 0]
    for (one, first), (other, second) in combinations(upright, 2):
        across = min(first.x1, second.x1) - max(first.x0, second.x0)
        up = min(first.y1, second.y1) - max(first.y0, second.y0)
        # the room of a box above and below its letters
        slack = 0.25 * min(one.get_fontsize(), other.get_fontsize())
        assert across <= MOST_OVER or up <= slack or min(across, up) <= MOST_OVER, (one, other)


def check_inside(figure, texts, smallest):
    """The laws of a single text."""
    width, height = 72 * figure.get_size_inches()
    for text, box in texts:
        assert text.get_fontsize() >= smallest - 1e-9, text
        assert min(box.x0, box.y0) >= -MOST_OVER, (text, box)
        assert box.x1 <= width + MOST_OVER, (text, box)
        assert box.y1 <= height + MOST_OVER, (text, box)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, id=slug) for slug, kind in FIGURE_KINDS.items()]
)
@pytest.mark.parametrize(("campaign", "width"), CASES)
@by_day(13)
def test_texts_can_be_read(kind, campaign, width, request):
    """None is below five points, cut off, or on another, narrow and wide."""
    made = drawn(kind, request.getfixturevalue(campaign), width)
    if made is not None:
        check(*made)


@pytest.fixture(scope="module", params=["W", "\u6f22"])
def wide_letters(request):
    """Two teams and three classes with names of 251 of the widest letters: little space for what they stand beside."""
    letters = 125 * request.param
    names, labels = ([f"{letters}{place}{letters}" for place in range(n)] for n in (2, 3))
    return evaluate(random_campaign(2, 60, 3, names=names, labels=labels, options=FEW))


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, id=slug) for slug, kind in FIGURE_KINDS.items()]
)
@pytest.mark.parametrize("width", WIDTHS)
@by_day(30)
def test_names_of_any_length_leave_space_for_the_figure(kind, width, wide_letters):
    """They are cut, and a figure is as tall as upright names need: Matplotlib warns of what it cannot lay out."""
    made = drawn(kind, wide_letters, width)
    if made is not None:
        check_inside(*made, SMALLEST)


@pytest.mark.parametrize("slug", ["scores", "rank-sets", "macro-f1s"])
@slow("test_figures::test_more_teams_than_can_be_read_are_cut_and_counted")
def test_of_many_teams_the_best_are_shown_and_the_others_counted(slug, apart):
    """It is said how many are left out."""
    assert re.search(
        r"The first 15 of 48 are shown\.|\d+ teams are not drawn[.:]",
        FIGURE_KINDS[slug].left_out(apart),
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("campaign", ["apart", "close", "flood"])
def test_every_team_of_the_scatter_has_its_name(campaign, width, request):
    """Where fifteen are shown there is room for all of them."""
    evaluation = request.getfixturevalue(campaign)
    figure, _ = drawn(FIGURE_KINDS["macro-f1s"], evaluation, width)
    (axes,) = figure.axes
    n_points = sum(len(line.get_xdata()) for line in axes.lines if line.get_marker() == "o")
    assert len(axes.texts) == n_points


def test_whoever_is_far_below_counts_neither_among_the_drawn_nor_among_too_many():
    """Of 24 teams three answer at random: the other 21 are few enough to be drawn, and the three are counted."""
    campaign = random_campaign(24, 600, 3, quality=(0.75, 0.7), options=FEW)
    rng, poor = np.random.default_rng(3), campaign.submissions[:3]
    poor = tuple(replace(each, given=rng.permutation(each.codes)) for each in poor)
    evaluation = evaluate(replace(campaign, submissions=(*poor, *campaign.submissions[3:])))
    figure, _ = drawn(FIGURE_KINDS["macro-f1s"], evaluation, WIDE)
    assert (
        sum(len(line.get_xdata()) for line in figure.axes[0].lines if line.get_marker() == "o")
        == 21
    )
    assert re.fullmatch(
        r"3 submissions below \.\d+ by macro-averaged F1 are not drawn\.", not_scattered(evaluation)
    )


def test_names_keep_off_points_lines_and_each_other():
    """By brute force: no box of a name holds a point or a place of the line."""
    points = np.array([(x / 10, x / 10 + 0.03 * (x % 3)) for x in range(10)])
    line = np.array([(0.0, 0.0), (1.0, 1.0)])
    with drawing():
        figure = new_figure(4, 4)
        axes = figure.subplots()
        axes.set_xlim(-0.1, 1.1)
        axes.set_ylim(-0.1, 1.1)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        left_out = place_names(
            axes, points, [(f"a name {place}",) for place in range(10)], 6.5, [line]
        )
        boxes = [text.get_window_extent() for text in axes.texts]
        along = axes.transData.transform(np.linspace(*line, 1000))
        places = np.concatenate([axes.transData.transform(points), along])
    assert left_out == []
    for box in boxes:
        assert not any(box.x0 < x < box.x1 and box.y0 < y < box.y1 for x, y in places)
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)


def test_the_edge_of_a_name_is_as_far_from_its_point_as_is_tried():
    """In whichever direction, of flat names and tall ones: the place so far on the way to its middle is on its edge."""
    for half in np.array([(20.0, 4.0), (4.0, 20.0)]):
        for distance, offset in label_places._offsets(half):
            edge = distance * offset / np.hypot(*offset)
            assert max(abs(offset - edge) / half) == pytest.approx(1)


def test_a_line_to_a_name_is_open_where_it_meets_no_other_point_and_no_name():
    """By brute force, of lines and points at random."""
    rng = np.random.default_rng(8)
    found = set()
    for _ in range(100):
        points, (name, end) = rng.uniform(-20, 20, (3, 2)), rng.uniform(-20, 20, (2, 2))
        taken = label_places.Taken((-50, -50, 50, 50), [], points, [(*name, *name + 8)])
        line = np.linspace(points[0], end, 100)
        in_name = any((name < place).all() and (place < name + 8).all() for place in line)
        at_point = any(
            max(abs(place - other)) <= label_places._POINT for place in line for other in points[1:]
        )
        assert taken.is_open(line, points[0]) == (not in_name and not at_point)
        found.add((in_name, at_point))
    assert len(found) == 4


def test_a_name_without_room_is_left_out_and_told():
    """Rather than written over another."""
    points = np.zeros((200, 2))
    with drawing():
        figure = new_figure(2, 2)
        axes = figure.subplots()
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        left_out = place_names(axes, points, [("a name",)] * 200, 6.5)
        assert len(axes.texts) + len(left_out) == 200
        assert left_out


def test_names_cut_short_stay_apart():
    """Long names that begin and end alike are cut where they differ."""
    for names, limit in ((LONG_NAMES, 16), (LONG_LABELS, 12), (LONG_LABELS, 20)):
        shown = distinct(tuple(names), limit)
        assert len(set(shown)) == len(names)
        assert all(len(text) <= limit for text in shown)
