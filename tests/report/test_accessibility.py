"""axe-core finds nothing on the pages of five campaigns, in every look and at both widths.

This is no claim of conformance. axe-core takes seconds for a page; by day it looks at the sample once.
"""

import pytest

from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import campaigns_of, read_campaign
from audit.formats.door.opening import open_door
from audit.resources import samples
from audit.writers.html import render_html
from tests.nightly import slow
from tests.real_campaigns import folder_of

from .conftest import CHROMIUM, Report

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look with")

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
LOOKS = {
    "light": ("light", "none"),
    "dark": ("dark", "none"),
    "forced colours": ("light", "active"),
}
WIDTHS = (1440, 390)
FILES = {
    "semeval2018-task2-emoji-en": ("tools/detailed_results/us_test.labels", "results/teams"),
    "semeval2018-task12-arct": ("data/gold/truth.txt", "data/submissions"),
    "llmjudge-2024": ("gold/llmjudge_test_qrel_idx.txt", "submissions"),
    "wnut2017-emerging-entities": ("emerging.test.annotated", "submissions"),
}
"""Gold and submissions of each real campaign, as `audit run --gold` takes them."""


@pytest.fixture(scope="module")
def page_of(write):
    """A function that gives the report of a campaign by its name, each made once."""
    made = {}

    def report(name):
        if name not in made:
            evaluation = evaluate(campaign(name))
            made[name] = Report(evaluation, write(render_html(evaluation)))
        return made[name]

    return report


def campaign(name):
    """The sample, or a real campaign through the plain door; the test is skipped where that is not at hand."""
    if name == "flood-posts":
        return read_campaign(samples() / name)
    gold, submissions = FILES[name]
    folder = folder_of(name)
    with open_door(folder / gold, [folder / submissions]).tree() as tree:
        (read,) = campaigns_of(tree)
    return read


def cases():
    """Every campaign in every look at both widths; by day the sample in light at 390 pixels."""
    night = slow("test_axe_finds_nothing")
    for name in ("flood-posts", *FILES):
        for appearance in LOOKS:
            for width in WIDTHS:
                is_by_day = (name, appearance, width) == ("flood-posts", "light", 390)
                yield pytest.param(name, appearance, width, marks=[] if is_by_day else night)


@pytest.mark.parametrize(("name", "appearance", "width"), list(cases()))
def test_axe_finds_nothing_on_the_page_of_a_campaign(look, page_of, name, appearance, width):
    """Every rule of WCAG 2.2 AA, contrast included, with the page as it opens."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
    ).Axe()
    scheme, forced = LOOKS[appearance]
    size = {"width": width, "height": 900}
    page = look(
        page_of(name).path, folded=True, viewport=size, color_scheme=scheme, forced_colors=forced
    )
    found = axe.run(page, options={"runOnly": WCAG, "resultTypes": ["violations"]})
    assert found.response["passes"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found.response["violations"]] == []
