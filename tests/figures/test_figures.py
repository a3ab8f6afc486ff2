"""Figures: every one of the catalogue, on every kind of campaign, drawn from the numbers of the evaluation alone."""

import re
import xml.etree.ElementTree as ET
import zlib

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex

from audit.domain import ScoreKey
from audit.report.figures import metric_figures, ranking_figures
from audit.report.figures.figure_kinds import FIGURE_KINDS
from audit.report.figures.style import (
    ACCENT,
    QUIET,
    drawing,
    new_figure,
    pdf_bytes,
    shade_of,
    signed_shade,
    svg_text,
)
from tests.nightly import ALL, by_day, whole_or

CAMPAIGNS = (
    "flood",
    "hostile",
    "crowd",
    "lone",
    "perfect",
    "with_baseline",
    "undefined",
    "bare",
    "unscored",
)
WIDTHS = (3.03, 6.3)
KINDS = [pytest.param(kind, id=slug) for slug, kind in FIGURE_KINDS.items()]


@pytest.fixture(params=CAMPAIGNS)
def evaluation(request):
    return request.getfixturevalue(request.param)


def drawn(kind, evaluation, width=6.3):
    """The figure, under the settings of the house."""
    with drawing():
        return kind.draw(evaluation, width)


@pytest.mark.parametrize("kind", KINDS)
@by_day(11)
def test_every_figure_is_drawn_wherever_it_is_possible(kind, evaluation, hostile, crowd):
    """At both widths, as SVG that parses and as PDF, with a sentence on what it leaves out.

    No text of a campaign is a formula of TeX, markup, or the end of a comment. In the gate two campaigns are drawn
    narrow as well, and a PDF, which costs most and has its own ways for texts alone, is of the odd texts.
    """
    if not kind.possible(evaluation):
        return
    left_out = kind.left_out(evaluation)
    assert re.fullmatch(r"([^\s].*[.])?", left_out), left_out
    assert not re.search(r"nan|None|\bNaN\b", left_out)
    at_both = ALL or any(evaluation is each for each in (hostile, crowd))
    for width in WIDTHS if at_both else WIDTHS[1:]:
        with drawing():
            figure = kind.draw(evaluation, width)
            text = svg_text(figure)
            if ALL or evaluation is hostile:
                assert pdf_bytes(figure).startswith(b"%PDF-")
        assert not re.search("<script|<b>|<!--|\u202e", text)
        root = ET.fromstring(text)  # noqa: S314 - our own
        assert root.tag.endswith("svg")
        assert figure.get_size_inches()[0] == width


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_possible_on_the_sample(kind, flood):
    """Otherwise it would never be seen."""
    assert kind.possible(flood)


@pytest.mark.parametrize("kind", KINDS)
@by_day(2)
def test_a_figure_stays_inside_its_edges(kind, flood):
    """No text and no mark is cut off."""
    for width in WIDTHS:
        with drawing():
            figure = kind.draw(flood, width)
            figure.draw_without_rendering()
            box = figure.get_tightbbox()
        assert box.x0 >= -0.03
        assert box.x1 <= width + 0.03
        assert box.y0 >= -0.03


@pytest.fixture(scope="module")
def on_page(flood):
    """Every figure of the sample, drawn once."""
    with drawing():
        return {slug: svg_text(kind.draw(flood, 6.3)) for slug, kind in FIGURE_KINDS.items()}


@pytest.mark.parametrize("kind", KINDS)
@by_day(2)
def test_the_same_evaluation_gives_the_same_bytes(kind, flood, on_page):
    """No clock, no counter, no random identifier; as SVG and PDF of the export too, in the gate of some figures."""
    with drawing():
        assert svg_text(kind.draw(flood, 6.3)) == on_page[kind.slug]
        if kind.slug in list(FIGURE_KINDS)[:: whole_or(6, 1)]:
            figures = kind.draw(flood, 6.3), kind.draw(flood, 6.3)
            (first_svg, first_pdf), second = (
                (svg_text(figure), pdf_bytes(figure)) for figure in figures
            )
            assert (first_svg, first_pdf) == second
            assert b"CreationDate" not in first_pdf


def test_settings_of_the_machine_do_not_reach_a_figure(flood):
    """A matplotlibrc may say anything."""
    kind = FIGURE_KINDS["scores"]
    with drawing():
        plain = svg_text(kind.draw(flood, 6.3))
    with (
        mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "text.parse_math": True}),
        drawing(),
    ):
        assert svg_text(kind.draw(flood, 6.3)) == plain


def test_a_pdf_carries_its_fonts(flood):
    """Embedded as TrueType, as publishers ask."""
    with drawing():
        content = pdf_bytes(FIGURE_KINDS["scores"].draw(flood, 3.03))
    assert b"/FontFile2" in content or b"/FontFile2" in _inflated(content)
    assert b"/Type3" not in content


def _inflated(content):
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL)
    parts = []
    for stream in streams:
        try:
            parts.append(zlib.decompress(stream))
        except zlib.error:
            continue
    return b"".join(parts)


def test_a_team_name_with_dollars_stands_as_it_is(hostile):
    """And is no formula."""
    with drawing():
        root = ET.fromstring(svg_text(FIGURE_KINDS["scores"].draw(hostile, 6.3)))  # noqa: S314 - our own
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"$\\frac{$", "$x$", "<script>alert(1)</script>"} <= texts


@pytest.fixture
def sheet():
    """A square of 100 × 100 points with axes over all of it, from 0 to 100, and the function that draws it."""
    with drawing():
        figure = new_figure(100 / 72, 100 / 72)
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 100), ylim=(0, 100))
        axes.set_axis_off()
        yield axes, lambda: ET.fromstring(svg_text(figure))  # noqa: S314 - our own


# Numbers


def rows_of(axes):
    """The names on the left, from top to bottom."""
    return [text.get_text() for text in names_of(axes)]


def names_of(axes):
    """The texts on the left."""
    return [text for text in axes.texts if text.get_position()[0] == 0 and text.get_ha() == "right"]


def segments(axes):
    """Start and end of every horizontal line, by its row."""
    found = {}
    for collection in axes.collections:
        if hasattr(collection, "get_segments"):
            found |= {
                round(line[0][1]): (line[0][0], line[1][0]) for line in collection.get_segments()
            }
    return found


def points(axes):
    """Every point drawn by a marker, as (row, value)."""
    return {
        (round(y), x)
        for line in axes.lines
        if line.get_marker() == "o"
        for x, y in zip(*line.get_data(), strict=True)
    }


def test_scores_and_intervals_are_those_of_the_evaluation(flood):
    """In the order of the ranking."""
    axes = drawn(FIGURE_KINDS["scores"], flood).axes[0]
    key = flood.task.ranking_metric
    order = list(flood.order(key))
    assert rows_of(axes) == [flood.names[team] for team in order]
    certainty, row, lines = flood.certainty, flood.keys.index(key), segments(axes)
    drawn_for = {order[place] for place in lines}
    assert drawn_for == set(range(len(order)))
    comparison = certainty.comparison(key)
    for place, ends in lines.items():
        team = order[place]
        usual = certainty.intervals.lower[row, team], certainty.intervals.upper[row, team]
        corrected = comparison.leader_interval
        assert ends == (corrected if team == comparison.leader else usual)
    assert points(axes) == {(place, flood.scores_of(key)[team]) for place, team in enumerate(order)}


def bars(axes):
    """Start, end, colour and width of every horizontal line, by its row."""
    return {
        round(line[0][1]): (
            line[0][0],
            line[1][0],
            to_hex(collection.get_color()[0]),
            *collection.get_linewidth(),
        )
        for collection in axes.collections
        for line in collection.get_segments()
    }


def test_possible_ranks_span_their_ranks_and_show_who_could_be_best(flood):
    """A third of a rank wider on either side, so that one rank can be seen; the best set is thick, in grey too."""
    axes = drawn(FIGURE_KINDS["rank-sets"], flood).axes[0]
    comparison = flood.certainty.comparisons[0]
    order = [team for team in flood.order(comparison.key) if flood.comparable[team]]
    found = bars(axes)
    assert len(found) == len(order)
    for place, team in enumerate(order):
        first, last = comparison.possible_ranks[team]
        look = (ACCENT, 2.8) if comparison.could_be_best[team] else (QUIET, 1.2)
        assert found[place] == (first - 0.3, last + 0.3, *look)


def test_the_map_has_a_square_for_each_pair_that_is_decided(flood):
    """In the row of the better team and the column of the other."""
    axes = drawn(FIGURE_KINDS["separable-pairs"], flood).axes[0]
    comparison = flood.certainty.comparisons[0]
    order = list(flood.order(comparison.key))
    squares = next(line for line in axes.lines if line.get_marker() == "s")
    found = {(order[round(y)], order[round(x)]) for x, y in zip(*squares.get_data(), strict=True)}
    assert found == {tuple(pair) for pair in np.argwhere(comparison.ahead).tolist()}
    assert found


def test_agreement_cells_hold_the_matrix(flood):
    """Each number is ρ × 100 of its row and column."""
    axes = drawn(FIGURE_KINDS["metric-agreement"], flood).axes[0]
    rows, rho = metric_figures._ordered_agreement(flood)
    assert sorted(rows) == metric_figures.agreement_rows(flood)
    for text in (text for text in axes.texts if text.get_ha() == "center"):
        column, row = map(round, text.get_position())
        expected = flood.agreement.spearman[rows[row], rows[column]]
        assert int(text.get_text()) == round(100 * expected)
        assert rho[row, column] == expected


def test_metrics_that_agree_stand_together():
    """Two blocks that agree inside and not outside come out as two runs."""
    blocks = np.kron(np.eye(2), np.full((3, 3), 0.9)) + 0.1 * np.eye(6)
    mixed = np.array([0, 3, 1, 4, 2, 5])
    order = mixed[metric_figures.by_similarity(blocks[np.ix_(mixed, mixed)])]
    assert {frozenset(order[:3].tolist()), frozenset(order[3:].tolist())} == {
        frozenset({0, 1, 2}),
        frozenset({3, 4, 5}),
    }


def test_flips_are_the_pairs_that_the_two_macro_f1s_order_differently(flood):
    """By brute force over all pairs."""
    one, other = (flood.scores_of(ScoreKey(slug)) for slug in ("averaged_f1", "f1_of_averages"))
    expected = {
        (a, b)
        for a in range(len(one))
        for b in range(a + 1, len(one))
        if (one[a] - one[b]) * (other[a] - other[b]) < 0
    }
    assert {
        tuple(sorted(pair)) for pair in metric_figures.swapped_pairs(flood).tolist()
    } == expected


def test_a_baseline_stands_aside(with_baseline):
    """Its name in italics, its point a ring, and nowhere in the macro F1 pairs."""
    axes = drawn(FIGURE_KINDS["scores"], with_baseline).axes[0]
    styles = {text.get_text(): text.get_fontstyle() for text in names_of(axes)}
    assert styles["baseline-majority"] == "italic"
    assert set(styles.values()) == {"italic", "normal"}
    number = with_baseline.names.index("baseline-majority")
    assert all(number not in pair for pair in metric_figures.swapped_pairs(with_baseline).tolist())


def test_more_teams_than_can_be_read_are_cut_and_counted(crowd):
    """The best fifteen; pairwise figures of more are for the export's tables alone."""
    kind = FIGURE_KINDS["scores"]
    assert len(rows_of(drawn(kind, crowd).axes[0])) == 15
    assert kind.left_out(crowd) == "The first 15 of 70 are shown."
    assert not FIGURE_KINDS["separable-pairs"].possible(crowd)


def test_without_certainty_there_are_points_and_no_pairwise_figure(lone, bare):
    """And a single submission has an interval, but nobody to be compared with."""
    assert segments(drawn(FIGURE_KINDS["scores"], bare).axes[0]) == {}
    assert len(segments(drawn(FIGURE_KINDS["scores"], lone).axes[0])) == 1
    for evaluation in (lone, bare):
        assert not FIGURE_KINDS["rank-sets"].possible(evaluation)
    with pytest.raises(ValueError, match="certainty was left out"):
        ranking_figures.draw_rank_sets(bare, WIDTHS[0])


def test_shades_follow_their_values():
    """Light to dark, and none at zero."""
    assert signed_shade(0.0) == "none"
    assert signed_shade(0.99) != signed_shade(-0.99)
    shades = [shade_of(share) for share in np.linspace(0, 1, 50)]
    brightness = [sum(int(shade[start : start + 2], 16) for start in (1, 3, 5)) for shade in shades]
    assert brightness == sorted(brightness, reverse=True)
