"""What a reader meets: how much of the page is in sight, and what the first two screens say.

The limits are those of the report's design, for campaigns of up to 22 entries and for larger ones.
"""

import re

import pytest

from audit.domain import Claim
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from audit.resources import samples
from audit.writers.html import render_html
from tests import real_campaigns
from tests.nightly import some_slow

from .conftest import CHROMIUM, Report
from .saying import noisy

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look with"),
]

FEW, MANY = 22, 25
HEIGHTS = {1440: 900, 768: 1024, 390: 844}
SCREENS = {1440: (7, 7), 768: (9, 11), 390: (14, 17)}
"""Screens at most at each width: of up to 25 entries, and of more."""
WORDS, FOCUSABLE, KILOBYTES = 2200, 80, (300, 1500)
UNFOLDED_SCREENS, UNFOLDED_WORDS = 25, 6000

MEASURES = """() => {
  const there = (element) => element.checkVisibility({ visibilityProperty: true });
  const candidates = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")];
  const focusable = candidates.filter((element) => there(element) && element.tabIndex >= 0);
  const taller = (element) => element.scrollHeight > element.clientHeight + 1;
  const can = (element) => /auto|scroll/.test(getComputedStyle(element).overflowY);
  const scrolls = (element) => there(element) && taller(element) && can(element);
  const words = (element) => element.innerText.split(/\\s+/).filter(Boolean);
  const numbers = (table) => words(table).filter((word) => !/[A-Za-z]/.test(word)).length;
  const countWords = () => { // numbers in tables are no words, nor are formulas
    document.querySelectorAll("math").forEach((formula) => formula.remove());
    const tables = [...document.querySelectorAll("table")].filter(there);
    return words(document.body).length - tables.map(numbers).reduce((sum, each) => sum + each, 0);
  };
  const ends = (id) => document.getElementById(id).getBoundingClientRect().bottom / innerHeight;
  return {
    screens: document.documentElement.scrollHeight / innerHeight, words: countWords(),
    focusable: focusable.length, verdict: ends("verdict"), board: ends("board"), paper: ends("results"),
    sideways: document.documentElement.scrollWidth,
    scrolling: [...document.querySelectorAll("main *")].filter(scrolls).length,
  };
}"""

TEXT_ABOVE = """(screens) => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const parts = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const above = box.height && box.bottom <= screens * innerHeight;
    if (above && node.parentElement.checkVisibility()) parts.push(node.data.trim());
  }
  return parts.filter(Boolean);
}"""


CAMPAIGNS = ("flood-posts", "semeval2017-task4a", "emoji", "cqa", "three", "arct")


@pytest.fixture(scope="module", params=some_slow(CAMPAIGNS, 4))
def campaign(request, write, tmp_path_factory):
    """Both samples, three teams and two classes; where they are at hand, 48 teams with 20 classes, and two more.

    By day the one in the middle and the smallest.
    """
    if request.param == "emoji":
        return request.getfixturevalue("emoji")
    evaluation = evaluated(request.param, tmp_path_factory)
    return Report(evaluation, write(render_html(evaluation)))


def evaluated(name, tmp_path_factory):
    """The evaluation of a campaign by its name."""
    if name == "three":
        return noisy(4, 600, [0.9, 0.8, 0.4], 2, official_metric="accuracy")
    if name == "arct":
        return evaluate(read_campaign(real_campaigns.arct_tabled(tmp_path_factory.mktemp("arct"))))
    if name == "cqa":
        return evaluate(read_campaigns(real_campaigns.cqa(tmp_path_factory.mktemp("cqa")))[0])
    return evaluate(read_campaign(samples() / name))


@pytest.mark.parametrize("width", SCREENS)
def test_the_page_keeps_its_measures(look, campaign, width):
    """Screens, words in sight, what takes the focus; verdict, ranking and texts for the paper on the first two."""
    page = look(campaign.path, folded=True, viewport={"width": width, "height": HEIGHTS[width]})
    found = page.evaluate(MEASURES)
    assert found["screens"] <= SCREENS[width][len(campaign.evaluation.entries) > MANY]
    assert found["words"] <= WORDS
    assert found["focusable"] <= FOCUSABLE
    assert found["sideways"] <= width
    assert found["scrolling"] == 0
    if width == 1440:
        assert found["verdict"] <= 1  # all that is to be done before publishing stands in it
        assert found["board"] <= 1
        assert found["paper"] <= 2


def test_the_page_with_all_its_parts_open_keeps_its_measures(look, campaign):
    """Twenty-five screens and six thousand words: what is longer stands in the export or is asked by command."""
    page = look(campaign.path, viewport={"width": 1440, "height": HEIGHTS[1440]})
    found = page.evaluate(MEASURES)
    assert found["screens"] <= UNFOLDED_SCREENS
    assert found["words"] <= UNFOLDED_WORDS
    assert found["sideways"] <= 1440


def test_a_name_of_ten_letters_is_not_broken_on_a_telephone(look, campaign):
    """In the ranking of the first screen; longer ones may take a second line."""
    page = look(campaign.path, viewport={"width": 390, "height": 844})
    lines = page.eval_on_selector_all(
        "#board tbody th",
        """all => all.map((each) => { const range = document.createRange(); range.selectNodeContents(each);
        return [each.textContent, range.getClientRects().length]; })""",
    )
    assert [name for name, n_lines in lines if len(name) <= 10 and n_lines > 1] == []


def test_a_page_is_not_large(campaign):
    """Kilobytes, both forms of every figure included."""
    large = len(campaign.evaluation.entries) > FEW
    assert campaign.path.stat().st_size <= 1000 * KILOBYTES[large]


def test_the_first_two_screens_answer_the_three_questions(look, campaign):
    """Who may be called the winner, who is ahead of whom, and what to write: from the text in sight alone."""
    evaluation = campaign.evaluation
    key = evaluation.task.ranking_metric
    page = look(campaign.path, folded=True)
    text = page.evaluate(TEXT_ABOVE, 2)
    verdict = next(part for part in text if " ranks first with " in part)
    winner, score = re.match(r"(.+) ranks first with .*? of (\.\d+)", verdict).groups()
    order = evaluation.order(key)
    assert winner == evaluation.names[order[0]]
    assert float(score) == pytest.approx(evaluation.scores_of(key)[order[0]], abs=5e-4)
    assert ("significantly ahead of" in verdict) == (evaluation.verdict.claim is Claim.BEST)
    assert any(winner in part and "corrected for selection" in part for part in text)
    rows = page.locator("#board tbody tr.team").all()
    comparison = evaluation.comparison(str(key))
    compared = [entry for entry in order if comparison.is_compared[entry]]
    for row, entry in zip(rows, compared, strict=False):
        shown = list(map(int, row.locator(".possible").inner_text().split("–")))
        assert [shown[0], shown[-1]] == comparison.possible_ranks[entry].tolist()
        assert (shown[0] == 1) == comparison.could_be_best[entry]
