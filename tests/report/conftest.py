"""Evaluations to report, each made once, and their reports, read back."""

import shutil
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

import audit
from audit.domain import Evaluation, JournalEntry, Rejection, Role, UncountedRun
from audit.errors import Issue
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples
from audit.writers.html import render_html

from . import campaigns
from .document import read

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
EMOJI = Path(__file__).resolve().parents[3] / "shared" / "data" / "semeval2018-task2-emoji-en"
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="session")
def flood():
    """The sample campaign, its baseline counted as a team, so that every row has a rank and most flags fire."""
    return evaluate(campaigns.with_teams_only(read_campaign(samples() / "flood-posts")))


@pytest.fixture(scope="session")
def full(flood):
    """The sample campaign with something in every part of the page: assumptions and rejected files as well."""
    rejected = (
        Rejection(
            "submissions/Late.csv", (Issue.of("empty-file", "submissions/Late.csv", "0 bytes"),)
        ),
        Rejection(
            "submissions/Zip.csv",
            (Issue.of("binary-file", "submissions/Zip.csv", "a NUL byte", lines=(3,)),),
        ),
    )
    uncounted = (
        UncountedRun("Kelp", "2", "submissions/Kelp-2.csv", Role.CONTRASTIVE, "not primary"),
    )
    journal = (
        JournalEntry("read", "gold.csv", "comma-separated"),
        JournalEntry("repaired", "Kelp.csv", "blanks", 3),
    )
    published = campaigns.checked(flood)
    campaign = campaigns.with_teams_only(read_campaign(samples() / "flood-posts"))
    slices = evaluate(replace(campaign, gold=campaigns.in_halves(campaign.gold))).slices
    made = replace(flood, rejections=rejected, uncounted=uncounted, journal=journal)
    return made.given(published=published, slices=slices)


@pytest.fixture(scope="session")
def spotless():
    """A campaign without findings."""
    return campaigns.spotless_evaluation()


@pytest.fixture(scope="session")
def hostile():
    """A campaign whose texts all try to be something else."""
    return evaluate(campaigns.hostile_campaign())


@pytest.fixture(scope="session")
def html_of(request):
    """The report of one of the campaigns above by its name, each made once."""

    def rendered(name):
        return render_html(request.getfixturevalue(name))

    return cache(rendered)


@pytest.fixture(scope="session")
def flood_html(html_of):
    return html_of("flood")


@pytest.fixture(scope="session")
def flood_page(flood_html):
    return read(flood_html)


@pytest.fixture(scope="session")
def hostile_html(html_of):
    return html_of("hostile")


@pytest.fixture(scope="session", params=["flood", "full", "spotless", "hostile"])
def document(request, html_of):
    """The report of each campaign, as a tree."""
    return read(html_of(request.param))


# In a browser


@dataclass(frozen=True)
class Report:
    """An evaluation, and where its report lies."""

    evaluation: Evaluation
    path: Path


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def write(tmp_path_factory):
    """A function that makes a file of a page."""

    def written(html):
        path = tmp_path_factory.mktemp("page") / "page.html"
        path.write_text(html, encoding="utf-8", errors="backslashreplace")
        return path

    return written


@pytest.fixture(scope="module")
def sample(flood, flood_html, write):
    """The sample campaign, which is always there."""
    return Report(flood, write(flood_html))


@pytest.fixture(scope="session")
def emoji(write):
    """48 teams, 20 classes, 50,000 items, so that every figure is there; drawn once for all tests."""
    if not EMOJI.is_dir():
        pytest.skip("the real campaigns stand beside the checkout, not in it")
    gold = (
        (EMOJI / "tools/detailed_results/us_test.labels")
        .read_text(encoding="utf-8")
        .split("\n")[:-1]
    )
    answers = {
        file.parent.name: [*file.read_text(encoding="utf-8").split("\n"), ""][: len(gold)]
        for file in (EMOJI / "results/teams/english").glob("*/english.output.txt")
    }
    evaluation = audit.evaluate(gold, answers).settled()
    return Report(evaluation, write(render_html(evaluation)))


@pytest.fixture(scope="module")
def window(browser):
    """A function that gives the window in which a module's tests look at one page after the other, with scripts or not.

    A window takes longer to open than most pages do.
    """
    pages = {}

    def of(*, scripts):
        if scripts not in pages:
            pages[scripts] = browser.new_page(java_script_enabled=scripts)
        return pages[scripts]

    yield of
    for page in pages.values():
        page.close()


PLAIN = {
    "media": "null",
    "color_scheme": "light",
    "forced_colors": "none",
    "reduced_motion": "no-preference",
}
"""What a reader has who asked for nothing."""


@pytest.fixture
def look(window):
    """A function that opens a file; at the end nothing went wrong in the console, and nothing was asked for."""
    opened, complaints, requests = [], [], []
    hear = {
        "console": lambda message: complaints.append(message.text),
        "pageerror": lambda error: complaints.append(str(error)),
        "request": lambda request: requests.append(request.url),
    }

    def looked(path, *, folded=False, scripts=True, viewport=None, **asked):
        page = window(scripts=scripts)
        if page not in opened:
            for event, heard in hear.items():
                page.on(event, heard)
        opened.append(page)
        page.set_viewport_size(viewport or {"width": 1440, "height": 900})
        page.emulate_media(**{**PLAIN, **asked})
        page.goto(path.as_uri())
        if scripts and not folded:
            page.evaluate(
                "document.querySelectorAll('.fold').forEach((part) => { part.open = true; })"
            )
        return page

    yield looked
    for page in set(opened):
        for event, heard in hear.items():
            page.remove_listener(event, heard)
    assert complaints == []
    assert len(requests) == len(opened)
    assert all(url.startswith("file:") for url in requests)
