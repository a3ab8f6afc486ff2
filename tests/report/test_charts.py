"""The figures as they stand on the page: where, when, with what words, and how large."""

import re
import subprocess
import sys

import pytest

from audit.document import Picture
from audit.domain import Options
from audit.questions.figures.figure_kinds import FIGURE_KINDS
from audit.questions.report import document_of
from audit.resources import templates
from audit.writers.html import NARROW, WIDE, render_html
from tests.nightly import slow, some_slow, untraced, whole_or

from .campaigns import random_evaluation
from .document import read
from .parts import every

FEW = Options(200, 1)
SECTIONS = {
    "scores": "ranking",
    "rank-by-metric": "metrics",
    "metric-agreement": "agreement",
    "macro-f1s": "macro-f1",
    "winner-map": "class-distributions",
    "class-recall": "classes",
    "confusion": "classes",
}
"""The figures on the page, by the anchor of the section that holds them; the others are the export's alone."""
KINDS = [pytest.param(FIGURE_KINDS[slug], id=slug) for slug in SECTIONS]


@pytest.fixture(scope="module", params=some_slow(["flood", "spotless", "hostile", "crowd", "many", "two", "lone"], 2))
def campaign(request, html_of):
    """An evaluation of each shape, and its page."""
    sizes = {"crowd": (61, 300, 4), "many": (4, 900, 31), "two": (3, 200, 2), "lone": (1, 60, 3)}
    name = request.param
    if name not in sizes:
        return request.getfixturevalue(name), read(html_of(name))
    evaluation = random_evaluation(*sizes[name], **({"options": FEW} if name in {"crowd", "two"} else {}))
    return evaluation, read(render_html(evaluation))


def figure_of(page, slug):
    """The figure of a kind, or the note in its place; None where its section is not on the page."""
    found = page.where(lambda element: element.attributes.get("id") == f"figure-{slug}")
    assert len(found) <= 1
    return found[0] if found else None


def svgs(page):
    """Every drawing of the catalogue on a page: of each figure the wide form, then the narrow one."""
    figures = page.where(lambda element: element.attributes.get("class") == "chart")
    return [svg for figure in figures for svg in figure.all("svg")]


def test_the_page_has_a_place_for_every_figure_of_the_catalogue(full):
    """But for those of the export alone; none has a place without being in the catalogue."""
    assert {each.slug for each in every(document_of(full), Picture)} == set(SECTIONS)
    assert set(FIGURE_KINDS) - set(SECTIONS) == {"rank-sets", "separable-pairs"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_on_the_page_exactly_where_it_applies(kind, campaign):
    """In its section; where it does not apply, the reason stands in its place."""
    evaluation, page = campaign
    place = figure_of(page, kind.slug)
    if kind.slug == "winner-map" and evaluation.winner_map is None:  # the section says why in a sentence
        assert place is None
        return
    assert kind.slug in {
        element.attributes["id"].removeprefix("figure-")
        for element in page.by_id(SECTIONS[kind.slug])
        if element.attributes.get("id", "").startswith("figure-")
    }
    if kind.possible(evaluation):
        assert place.tag == "figure"
        caption = place.one("figcaption").text
        assert kind.slug == "confusion" or caption == f"{kind.title}. {kind.left_out(evaluation)}".strip()
        assert place.all("p")[-1].text == kind.how_to_read_of(evaluation)
    else:
        assert place.tag == "p"
        assert place.text == f"{kind.title}: {kind.lacking(evaluation)}"


def test_what_is_too_large_to_read_names_the_export():
    """Pairs above 60 teams, class × class above 30 classes; at the limit they are drawn."""
    crowd, many = random_evaluation(61, 200, 3, options=FEW), random_evaluation(3, 400, 31)
    left_out = {
        slug: kind.lacking(evaluation)
        for evaluation in (crowd, many)
        for slug, kind in FIGURE_KINDS.items()
        if "Not drawn for" in kind.lacking(evaluation)
    }
    assert set(left_out) == {"separable-pairs", "confusion"}
    assert all("audit export writes" in reason for reason in left_out.values())
    assert FIGURE_KINDS["separable-pairs"].possible(random_evaluation(60, 200, 3, options=FEW))
    assert FIGURE_KINDS["confusion"].possible(random_evaluation(3, 400, 30))


def test_every_drawing_says_what_it_shows(campaign):
    """The alternative text is the title and the finding, and stands for all that is inside."""
    _, page = campaign
    for svg in svgs(page):
        assert svg.attributes["role"] == "img"
        alt = svg.attributes["aria-label"]
        assert re.fullmatch(r"[^.]+\. .+\.", alt, re.DOTALL)
        assert not re.search(r"\bnan\b|None", alt)


def test_identifiers_are_unique_and_lead_inside_their_own_drawing(campaign):
    """Markers of one figure are never those of another."""
    _, page = campaign
    ids = [element.attributes["id"] for element in page if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    for svg in svgs(page):
        own = {element.attributes["id"] for element in svg if "id" in element.attributes}
        named = (element.attributes.get(name, "") for element in svg for name in ("href", "clip-path"))
        assert set(re.findall(r"#([\w-]+)", " ".join(named))) <= own


def test_a_drawing_follows_the_theme_and_the_typeface(campaign):
    """Every colour is a variable that the style sheet sets in light and in dark; no text brings a typeface."""
    _, page = campaign
    light, dark = re.split(r"@media screen and \(prefers-color-scheme: dark\)", _style())[:2]
    for svg in svgs(page):
        for element in svg:
            assert element.attributes.keys().isdisjoint({"fill", "stroke", "font-family"})
            looks = dict(pair.split(":") for pair in element.attributes.get("style", "").split(";") if pair)
            assert "font-family" not in looks
            for name in ("fill", "stroke"):
                color = looks.get(name, "none")
                variable = re.fullmatch(r"var\((--\w+)\)", color)
                assert variable or color == "none", color
                if variable:
                    assert f"{variable[1]}:" in light
                    assert f"{variable[1]}:" in dark


def _style():
    return (templates() / "style.css").read_text(encoding="utf-8")


def test_nothing_in_a_drawing_is_fetched_or_run(campaign):
    """Shapes and texts, and nothing else; what is used again is of the same drawing."""
    _, page = campaign
    for svg in svgs(page):
        assert {element.tag for element in svg} <= {"path", "g", "text", "defs", "use", "clippath", "rect"}
        assert all(element.attributes.get("href", "#").startswith("#") for element in svg)


def test_numbers_have_few_decimals(flood_page):
    """Two at most: a hundredth of a point cannot be seen."""
    for svg in svgs(flood_page):
        for element in svg:
            drawn = " ".join(element.attributes.get(name, "") for name in ("d", "x", "y", "transform"))
            assert not re.search(r"\.\d{3}", drawn)


def test_every_figure_has_a_wide_and_a_narrow_form(campaign):
    """Both say the same to who does not see them."""
    _, page = campaign
    for wide, narrow in batched(svgs(page)):
        assert wide.attributes["aria-label"] == narrow.attributes["aria-label"]
        widths = [float(svg.attributes["viewbox"].split()[2]) / 72 for svg in (wide, narrow)]
        assert widths == pytest.approx([WIDE, NARROW])


def batched(drawings):
    return zip(drawings[::2], drawings[1::2], strict=True)


@pytest.mark.parametrize(("form", "pixels"), [(0, 44 * 16), (1, 390 - 32)])
def test_text_keeps_the_size_of_the_page(flood_page, form, pixels):
    """At full width, and on a telephone, no text is smaller than 10 pixels, and none larger than that of a table."""
    for svg in svgs(flood_page)[form::2]:
        scale = pixels / float(svg.attributes["viewbox"].split()[2])
        looks = " ".join(element.attributes.get("style", "") for element in svg)
        sizes = {float(size) * scale for size in re.findall(r"font-size:([\d.]+)px", looks)}
        assert min(sizes) >= 10
        assert max(sizes) <= 14.1


def test_only_a_report_loads_the_library_that_draws():
    """Commands that draw nothing start without it."""
    script = (
        "import sys, audit.cli, audit.workflow, audit.writers.html, audit.questions.figures.figure_kinds;"
        "assert 'matplotlib' not in sys.modules, 'loaded'"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


# Size


@slow("test_whole::test_a_large_campaign_fits_into_a_megabyte_and_a_half")
def test_a_thousand_teams_stay_below_five_megabytes():
    """Everything that is a row or a point for each team is there; fewer teams have as much less room."""
    n_teams = whole_or(100, 1000)
    evaluation = random_evaluation(n_teams, 200, 4)
    html = render_html(evaluation)
    assert len(html.encode()) < 5_000 * n_teams
    assert html.count("<tr>") > 5 * len(evaluation.entries)


@untraced
@slow("test_whole::test_a_large_campaign_fits_into_a_megabyte_and_a_half")
def test_a_real_campaign_stays_below_a_megabyte_and_a_half(emoji):
    """48 teams, 20 classes, 50,000 items, with replicates: every figure is there."""
    evaluation, html = emoji.evaluation, emoji.path.read_text(encoding="utf-8")
    assert (len(evaluation.entries), int(evaluation.present.sum()), evaluation.gold.n_items) == (48, 20, 50_000)
    assert len(svgs(read(html))) == 2 * len(SECTIONS)
    assert len(html.encode()) <= 1_500_000
