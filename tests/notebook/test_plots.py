"""The figures of a notebook are those of the catalogue, as axes that show themselves."""

import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import audit
from audit.report.figures.figure_kinds import FIGURE_KINDS

NAMES = [slug.replace("-", "_") for slug in FIGURE_KINDS]
HOSTILE = "$x_1$ <script>alert(1)</script>"


def campaign(**settings):
    rng = np.random.default_rng(8)
    gold = rng.choice(["a", "b", "c"], 90)
    shares = {HOSTILE: 0.8, "Bob": 0.7, "Cyd": 0.5}
    answers = {
        team: np.where(rng.random(90) < share, gold, rng.choice(["a", "b", "c"], 90))
        for team, share in shares.items()
    }
    return audit.evaluate(gold, answers, **settings)


@pytest.fixture(scope="module")
def evaluation():
    return campaign()


def test_the_figures_are_those_of_the_catalogue(evaluation):
    """Every figure of the catalogue has a name here, and every name here is a figure of it; one has a second name."""
    assert set(dir(evaluation.plot)) - {"evaluation"} == {*NAMES, "ranking"}


@pytest.mark.parametrize("slug", FIGURE_KINDS)
def test_every_figure_is_drawn_as_axes_that_show_themselves(evaluation, slug):
    """As SVG, with the names as text, no style sheet, and nothing left in pyplot."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - it is what the program must not touch

    axes = getattr(evaluation.plot, slug.replace("-", "_"))(width=5)
    assert axes is axes.figure.axes[0]
    assert axes.figure.get_size_inches()[0] == 5
    assert plt.get_fignums() == []
    text = axes._repr_svg_()
    assert ET.fromstring(text).tag.endswith("}svg")  # noqa: S314 - our own
    for tag in ("<style", "<script", "<?xml"):
        assert tag not in text


def test_the_ranking_is_the_figure_of_the_scores(evaluation):
    """The same picture under the name by which one looks for it."""
    assert evaluation.plot.ranking()._repr_svg_() == evaluation.plot.scores()._repr_svg_()


def test_names_are_no_formulas_and_what_is_added_is_shown(evaluation):
    """Dollar signs stand as they are, also in what is drawn later."""
    axes = evaluation.plot.ranking()
    assert "$x_1$" in "".join(ET.fromstring(axes._repr_svg_()).itertext())  # noqa: S314 - our own
    axes.set_title("added by hand")
    assert "added by hand" in axes._repr_svg_()


def test_a_figure_says_how_it_is_read(evaluation):
    """What help() shows is the catalogue's own text."""
    for slug, name in zip(FIGURE_KINDS, NAMES, strict=True):
        function = getattr(evaluation.plot, name)
        assert function.__name__ == name
        assert FIGURE_KINDS[slug].how_to_read in function.__doc__


def test_a_figure_that_cannot_be_drawn_says_why():
    """In the words of the page; a name that does not exist is as of any value."""
    plain = campaign()
    alone = audit.evaluate(list("ab"), {"X": list("ab")})
    with pytest.raises(
        audit.UsageError, match=r"cannot be drawn of this evaluation. There is no second submission"
    ):
        alone.plot.class_recall()
    with pytest.raises(AttributeError, match=r"no figure “rank_set”. Did you mean “rank_sets”"):
        plain.plot.rank_set()
    for slug in (slug for slug in FIGURE_KINDS if "-" in slug):
        assert not hasattr(plain.plot, slug)


@pytest.mark.parametrize("width", [0, -1, 1.9, 21, float("nan"), "5", None, True])
def test_a_width_is_inches(evaluation, width):
    """From two to twenty."""
    with pytest.raises(audit.UsageError, match="width is a number of inches from 2 to 20"):
        evaluation.plot.ranking(width)


def test_matplotlib_is_loaded_to_draw_and_for_nothing_else():
    """Not to show the evaluation, and pyplot not at all."""
    ask = (
        "import sys, audit; e = audit.evaluate('abba', {'X': 'abbb', 'Y': 'aaaa'}); repr(e), e._repr_html_(), e.plot; "
        "e.compare('X', 'Y'); a = 'matplotlib' in sys.modules; e.plot.ranking(); "
        "print(a, 'matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]
