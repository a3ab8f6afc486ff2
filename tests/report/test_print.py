"""The report on paper: nothing torn from what it belongs to, and nothing hidden without a word."""

import re
import shutil
import subprocess

import pytest

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
PDFTOTEXT = shutil.which("pdftotext")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and PDFTOTEXT), reason="there is no Chromium to print with, or no Poppler"
)

SIZES = {"A4": "A4", "Letter": "letter"}


@pytest.fixture(scope="module", params=list(SIZES))
def paper(request, flood_html, tmp_path_factory):
    """The text of every page column by column, blanks folded, on each size of paper."""
    folder = tmp_path_factory.mktemp("paper")
    source, target = folder / "page.html", folder / "page.pdf"
    sized = flood_html.replace("@page {", f"@page {{ size: {SIZES[request.param]};")
    # of the styles as they were
    sized = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", sized)
    source.write_text(sized, encoding="utf-8")
    options = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-pdf-header-footer",
        "--disable-dev-shm-usage",
    )
    profile = f"--user-data-dir={folder / 'profile'}"
    command = [CHROMIUM, *options, profile, f"--print-to-pdf={target}", source.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    text = subprocess.run(
        [PDFTOTEXT, target, "-"], check=True, capture_output=True, text=True
    ).stdout
    return [" ".join(page.split()) for page in text.split("\f")[:-1]]


def test_the_verdict_and_the_ranking_share_the_first_page(paper, flood, flood_page):
    """And the open parts fit on eight pages."""
    # the ranking stands beside it, line by line
    assert set(flood.verdict.sentence.split()) <= set(paper[0].split())
    rows = flood_page.by_id("board").one("tbody").all("tr")
    names = [row.one("th").children[0] for row in rows if row.all("th")]
    parts = [part for name in names for part in name.split("-")]  # a line may end behind a hyphen
    assert [part for part in parts if part not in paper[0]] == []
    assert len(paper) <= 8


def test_no_page_ends_with_a_heading(paper, flood_page):
    """A heading stays with what it heads."""
    headings = [heading.text for heading in flood_page.one("main").all("h2", "h3")]
    assert not [heading for heading in headings for page in paper if page.endswith(heading)]


def test_no_caption_is_torn_from_its_table(paper, flood_page):
    """The head of a table stands on the page of its caption."""
    closed = {
        figure.attributes["id"]
        for part in flood_page.all("details")
        for figure in part.all("figure")
    }
    for figure in flood_page.where(lambda element: element.attributes.get("class") == "table"):
        if figure.attributes["id"] not in closed:
            caption = figure.one("figcaption").text[:12]  # it may go over lines
            heads = [head.text for head in figure.one("thead").all("th") if head.text]
            words = [head.split()[0] for head in heads]  # a head may go over lines
            pages = [page for page in paper if caption in page]
            assert any(all(word in page for word in words) for page in pages), caption


def test_what_is_folded_is_printed_on_request_alone(paper, flood_page):
    """The tables in folded parts are not on paper."""
    text = " ".join(paper)
    assert flood_page.by_id("table-metrics-observed").one("figcaption").text not in text
