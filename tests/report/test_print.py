"""The report on paper: nothing torn from what it belongs to, and nothing hidden without a word."""

import shutil
import subprocess

import pytest

from audit.report.figures import FIGURE_KINDS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PDFTOTEXT = shutil.which("pdftotext")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and PDFTOTEXT), reason="there is no Chromium to print with, or no Poppler"
)

SIZES = {"A4": "A4", "Letter": "letter"}


@pytest.fixture(scope="module", params=list(SIZES))
def paper(request, flood_html, tmp_path_factory):
    """The text of every page, blanks folded, on each size of paper."""
    folder = tmp_path_factory.mktemp("paper")
    source, target = folder / "page.html", folder / "page.pdf"
    source.write_text(flood_html.replace("@page {", f"@page {{ size: {SIZES[request.param]};"), encoding="utf-8")
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--disable-dev-shm-usage")
    profile = f"--user-data-dir={folder / 'profile'}"
    command = [CHROMIUM, *options, profile, f"--print-to-pdf={target}", source.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    text = subprocess.run([PDFTOTEXT, "-layout", target, "-"], check=True, capture_output=True, text=True).stdout
    return [" ".join(page.split()) for page in text.split("\f")[:-1]]


def test_the_answer_and_the_summary_share_the_first_page(paper, flood_page):
    """And the ranking begins a page."""
    assert flood_page.by_id("answer").all("p")[0].text in paper[0]
    assert flood_page.by_id("table-winners").one("figcaption").text in paper[0]
    assert paper[1].startswith("The ranking")


def test_no_figure_is_torn_from_its_caption(paper, flood):
    """The finding above it and the way to read it below stand on one page."""
    for kind in filter(lambda kind: kind.possible(flood), FIGURE_KINDS.values()):
        caption = kind.caption(flood)
        assert [page for page in paper if caption in page and kind.how_to_read in page], kind.slug


def test_no_page_ends_with_a_heading(paper, flood_page):
    """A heading stays with what it heads."""
    headings = [heading.text for heading in flood_page.one("main").all("h2", "h3")]
    assert not [heading for heading in headings for page in paper if page.endswith(heading)]


def test_no_caption_is_torn_from_its_table(paper, flood_page):
    """The head of a table stands on the page of its caption."""
    closed = {figure.attributes["id"] for part in flood_page.all("details") for figure in part.all("figure")}
    for figure in flood_page.where(lambda element: element.attributes.get("class") == "table"):
        if figure.attributes["id"] not in closed:
            caption, head = figure.one("figcaption").text, figure.one("thead").all("th")[0].text
            assert [page for page in paper if head in page.partition(caption)[2]], caption


def test_what_is_closed_on_screen_is_open_on_paper(paper, flood_page):
    """Or the page says where it is: a table says again what a figure shows."""
    text = " ".join(paper)
    assert "Assumes:" in text
    assert flood_page.by_id("table-kendall").one("figcaption").text in text
    twice = flood_page.where(lambda element: element.attributes.get("class") == "twice")
    assert len(twice) == 1
    for part in twice:
        assert f"{part.one('summary').text} is in the report’s HTML file" in text
        assert (part.all("p") or part.all("figcaption"))[0].text not in text
