"""The winner map: its areas are those of brute force, its marks stand where the class distributions are."""

from gc import collect
from math import sqrt
from weakref import ref

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch

from audit.domain import ScoreKey
from audit.questions.figures.distributions_figures import regions_of, stretches
from audit.questions.figures.figure_kinds import FIGURE_KINDS
from audit.questions.figures.style import OTHER_REGIONS, REGIONS, drawing
from audit.ranking.prevalence_shift import first_under, triangle_rows
from tests.report import campaigns

KIND = FIGURE_KINDS["winner-map"]
CORNERS = np.array([[0, 0], [1, 0], [0.5, sqrt(3) / 2]])


def drawn(evaluation, width=6.3):
    with drawing():
        return KIND.draw(evaluation, width)


def polygons(axes):
    """Each colour's quadrilaterals, shape (n, 4, 2)."""
    patches = [patch for patch in axes.patches if isinstance(patch, PathPatch)]
    return {to_hex(patch.get_facecolor()): patch.get_path().vertices.reshape(-1, 5, 2)[:, :4] for patch in patches}


def area(corners):
    """The area of polygons, by the shoelace formula."""
    x, y = corners[..., 0], corners[..., 1]
    return np.abs((x * np.roll(y, -1, axis=-1) - np.roll(x, -1, axis=-1) * y).sum(axis=-1)) / 2


def legend(figure):
    """The names behind each colour."""
    (found,) = figure.legends
    texts = [text.get_text() for text in found.get_texts()]
    colors = [to_hex(patch.get_facecolor()) for patch in found.get_patches()]
    return dict(zip(colors, texts, strict=True))


def signs(axes):
    return {text.get_text() for text in axes.texts if text.get_text().isdigit()}


def marks(axes):
    """Where each diamond stands, by the colour that fills it."""
    lines = [line for line in axes.lines if line.get_marker() == "D"]
    return [(line.get_xdata()[0], line.get_ydata()[0]) for line in lines]


@pytest.fixture(scope="module")
def ternary():
    """Four teams, each good at another class, and one that is good at all."""
    names = [f"class {code}" for code in range(3)]
    return campaigns.random_evaluation(
        5, 600, 3, labels=names, quality=(0.7, 0.6), official_metric=ScoreKey("averaged_f1")
    )


def test_regions_of_a_triangle_have_the_areas_of_what_is_won(ternary):
    """Every small triangle is drawn once, for whoever wins in its middle; together they are the whole."""
    figure = drawn(ternary)
    names = {color: text.split("  ")[-1] for color, text in legend(figure).items()}
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["Averaged F1", "F1 of averages", "Accuracy"]
    for axes, metric in zip(figure.axes, ("averaged_f1", "f1_of_averages", "accuracy"), strict=True):
        first = first_under(ternary, np.concatenate(triangle_rows(60)), metric)
        areas = {names[color]: area(corners).sum() / area(CORNERS) for color, corners in polygons(axes).items()}
        assert sum(areas.values()) == pytest.approx(1, abs=1e-9)
        for team, name in enumerate(ternary.names):
            assert areas.get(name, 0) == pytest.approx(first[:, team].mean(), abs=1e-9)


def test_regions_do_not_overlap(ternary):
    """Each strip of a row starts where the last one ends."""
    for axes in drawn(ternary).axes:
        corners = np.concatenate(list(polygons(axes).values()))
        for bottom in np.unique(corners[:, 0, 1].round(9)):
            strips = corners[np.isclose(corners[:, 0, 1], bottom)]
            strips = strips[np.lexsort((strips[:, 3, 0], strips[:, 0, 0]))]
            np.testing.assert_allclose(strips[1:, 0, 0], strips[:-1, 1, 0], atol=1e-9)
            np.testing.assert_allclose(strips[1:, 3, 0], strips[:-1, 2, 0], atol=1e-9)


def test_the_marks_stand_where_the_distributions_are(ternary):
    """Gold's diamond at its shares, the open one in the middle."""
    for axes in drawn(ternary).axes:
        middle, gold = marks(axes)
        np.testing.assert_allclose(middle, CORNERS.mean(axis=0))
        np.testing.assert_allclose(gold, ternary.prevalence_counts / ternary.gold.n_items @ CORNERS)


def test_four_metrics_stand_two_by_two():
    """With no empty place; three in a column leave one."""
    by_mcc = campaigns.random_evaluation(3, 200, 3, official_metric=ScoreKey("mcc"))
    assert [axes.get_title() for axes in drawn(by_mcc).axes] == ["MCC", "Averaged F1", "F1 of averages", "Accuracy"]


def test_the_words_below_the_maps_take_less_room_than_the_maps(ternary):
    """Triangles that stand side by side are lower than they are wide, and so is the figure."""
    width, height = drawn(ternary).get_size_inches()
    assert height < width * 2 / 3


def test_three_metrics_in_a_column_leave_a_place(ternary):
    assert [axes.get_title() != "" for axes in drawn(ternary, 3.03).axes] == [True, True, True, False]


def test_bars_have_the_lengths_of_what_is_won(flood):
    """Five classes make five bars; the winners along each are those of brute force."""
    figure = drawn(flood)
    (axes,) = figure.axes
    names = {color: text.split("  ")[-1] for color, text in legend(figure).items()}
    reference = flood.prevalence_counts / flood.gold.n_items
    assert [text.get_text() for text in axes.texts if text.get_position()[0] == 0] == list(flood.task.label_set)
    assert marks(axes) == [(share, row) for row, share in enumerate(reference)]
    share = (np.arange(200) + 0.5) / 200
    for code in range(5):
        rest = np.where(np.arange(5) == code, 0, reference)
        shares = (1 - share)[:, None] * rest / rest.sum() + share[:, None] * np.eye(5)[code]
        first = first_under(flood, shares, flood.task.ranking_metric.metric)
        lengths = {
            names[color]: (corners[:, 1, 0] - corners[:, 0, 0])[corners[:, 0, 1].round() == code].sum()
            for color, corners in polygons(axes).items()
        }
        for team, name in enumerate(flood.names):
            assert lengths.get(name, 0) == pytest.approx(first[:, team].mean(), abs=1e-9)


def test_an_evaluation_that_was_drawn_is_let_go():
    """The regions that are kept for its caption do not keep it, with all its answers."""
    evaluation = campaigns.random_evaluation(4, 60, 3)
    regions_of(evaluation)
    held = ref(evaluation)
    del evaluation
    collect()
    assert held() is None


def test_two_classes_make_one_bar_for_each_metric():
    """From none to all of the second class."""
    evaluation = campaigns.random_evaluation(3, 200, 2, quality=(0.7, 0.6), official_metric=ScoreKey("accuracy"))
    (axes,) = drawn(evaluation).axes
    assert [text.get_text() for text in axes.texts if text.get_position()[0] == 0] == ["Acc", "F1", "F1′"]
    assert axes.get_xlabel() == "Share of class 1"


def test_of_many_classes_the_largest_are_drawn():
    """Forty bars at most, which is said."""
    evaluation = campaigns.random_evaluation(3, 900, 45, official_metric=ScoreKey("macro_recall"))
    (shown,) = regions_of(evaluation)
    assert shown.key == ScoreKey("averaged_f1")  # no class distribution moves the ranking metric
    counts = evaluation.prevalence_counts
    assert len(shown.codes) == 40
    assert counts[list(shown.codes)].min() >= max(np.delete(counts, shown.codes))
    assert KIND.left_out(evaluation) == "The 40 largest of 45 classes are shown."


def test_every_number_in_the_map_is_in_the_legend(ternary, flood):
    """With its colour and the name of who wins there; not more than there are colours."""
    for evaluation in (ternary, flood):
        figure = drawn(evaluation)
        texts = legend(figure)
        numbered = {text.split("  ")[0] for color, text in texts.items() if color != OTHER_REGIONS}
        assert len(numbered) <= len(REGIONS)
        for axes in figure.axes:
            assert polygons(axes).keys() <= texts.keys()
            assert signs(axes) <= numbered
        assert set().union(*map(signs, figure.axes))


def test_small_regions_share_a_grey(crowd):
    """Seventy teams win somewhere along some bar, and six have a colour."""
    texts = legend(drawn(crowd))
    assert len(texts) == len(REGIONS) + 1
    assert texts[OTHER_REGIONS] == "others"


def test_stretches_join_to_the_whole():
    """Each stretch of equal neighbours once."""
    assert stretches([(1,), (1,), (), (1,)]) == [(0, 2), (2, 3), (3, 4)]
