"""The report in a real browser: sorted, filtered, chosen from, printed, by keyboard, in light and dark, and silent."""

import re
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

import audit
from audit.domain import ScoreKey
from audit.findings.campaign import CampaignFindings
from audit.findings.numbers_in_words import difference_ends
from audit.metrics import phrase
from audit.report.pairs import PAIR_VERDICTS, chosen_keys
from audit.sentences import say
from audit.text import number
from audit.writers.html import render_campaign, render_html
from tests.nightly import ALL, by_day, slow, some_slow

from .campaigns import HOSTILE, random_evaluation, spotless_evaluation
from .conftest import CHROMIUM, EMOJI
from .document import grid, read

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look with"),
]

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@pytest.fixture(params=some_slow(["sample", "emoji"], 2))
def each_report(request):
    """Both of them."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def report(request):
    """By day the sample, by night the real campaign where it is there."""
    return request.getfixturevalue("emoji" if ALL and EMOJI.is_dir() else "sample")


@contextmanager
def focus_is_seen(page):
    """What has the focus afterwards has an outline, as a keyboard gives it."""
    yield
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline not in {"none", "hidden"}


def shown_rows(page, anchor):
    """The cells that are seen of the rows that are seen."""
    return page.evaluate(
        """anchor => [...document.querySelectorAll(`#${anchor} tbody tr:not([hidden])`)].map(
        (row) => [...row.cells].filter((cell) => cell.offsetWidth).map((cell) => cell.innerText.trim()))""",
        anchor,
    )


def column(page, anchor, place):
    return page.evaluate(
        """([anchor, place]) => [...document.querySelectorAll(`#${anchor} tbody tr`)].map(
        (row) => row.cells[place].textContent.trim())""",
        [anchor, place],
    )


# What the page may do


def test_a_page_allows_its_own_scripts_and_nothing_that_is_added(browser, sample, tmp_path):
    """Whoever opens the file anywhere: a script that stands in it later is not run, nor is anything fetched."""
    added = (
        "<script>document.title = 'run'</script><img src='x' onerror=\"document.title = 'run'\">"
    )
    path = tmp_path / "added.html"
    html = sample.path.read_text(encoding="utf-8")
    path.write_text(html.replace("</main>", f"{added}</main>"), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.title().endswith("leaderboard audit")
    assert page.locator("table[data-sortable] thead button").count()
    assert page.evaluate("fetch('data:,x').then(() => 'fetched', () => 'refused')") == "refused"
    page.close()


# Tables


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_shows_that_columns_lie_beyond_its_edge(look, sample, scheme):
    """On a narrow screen the right edge of the pair table is shaded, until its last column is in sight."""
    page = look(sample.path, viewport={"width": 390, "height": 800}, color_scheme=scheme)
    box = page.locator("#table-pair .scroll")
    box.scroll_into_view_if_needed()
    shades = []
    for _ in range(2):
        around = box.bounding_box()
        edge = {
            "x": around["x"] + around["width"] - 4,
            "y": around["y"],
            "width": 2,
            "height": around["height"],
        }
        pixels = plt.imread(BytesIO(page.screenshot(clip=edge)))[..., :3].mean(axis=(1, 2))
        row = page.locator("#table-pair tbody tr").first.bounding_box()
        top = int(row["y"] - around["y"]) + 5  # below the line under the head
        shades.append(float(pixels[top : top + 3].mean()))  # above the text of the first row
        box.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    paper = 1.0 if scheme == "light" else 0x17 / 255
    assert shades[1] == pytest.approx(paper, abs=0.02)
    assert abs(shades[0] - paper) > 0.1


def test_every_sortable_column_has_a_button(look, sample, flood_page):
    """The script adds one button with a name to each head of the tables that sort."""
    page = look(sample.path)
    found = page.eval_on_selector_all(
        "table thead button", "all => all.map((each) => each.getAttribute('aria-label'))"
    )
    tables = flood_page.where(lambda element: "data-sortable" in element.attributes)
    heads = [head.text for table in tables for head in table.one("thead").all("th")]
    assert found == [f"Sort by {head}" for head in heads]


def test_sorting_by_keyboard_orders_by_value_and_back(look, sample, flood_page):
    """Numbers by size, ranks from the first, names by the alphabet; what is never predicted counts as 0."""
    page = look(sample.path)
    places = {
        "score": ("table-metrics-observed", 7),
        "rank": ("table-ranking", 0),
        "team": ("table-ranking", 1),
        "never": ("table-precision", 5),
        "moves": ("table-gap", 5),
        "empty": ("table-ranking", 9),
    }

    def pressed(anchor, place):
        head = page.locator(f"#{anchor} thead th").nth(place)
        head.locator("button").focus()
        with focus_is_seen(page):
            page.keyboard.press("Enter")
        assert page.locator(f"#{anchor} thead [aria-sort]").count() == 1
        return head.get_attribute("aria-sort"), column(page, anchor, place)

    # of recall and precision one is shown at a time
    page.get_by_label("precision", exact=True).check()
    found = {name: [pressed(*place), pressed(*place)] for name, place in places.items()}
    tables = {name: grid(flood_page, anchor) for name, (anchor, _) in places.items()}
    cells = {
        name: [row[place] for row in (*tables[name].rows, *tables[name].computed)]
        for name, (_, place) in places.items()
    }
    numbers = {"never": "0", "": "nan", "–": "inf"}

    def value(text):
        return float(numbers.get(text, text.replace("−", "-").replace(",", "").strip("(=)")))

    for name in ("score", "never"):
        (first, down), (second, up) = found[name]
        assert (first, second) == ("descending", "ascending")
        assert sorted(down) == sorted(up) == sorted(cells[name])
        assert list(map(value, down)) == sorted(map(value, cells[name]), reverse=True)
        assert list(map(value, up)) == sorted(map(value, cells[name]))
    assert "never" in cells["never"]
    assert [state for state, _ in found["rank"]] == ["ascending", "descending"]
    assert found["rank"][0][1] == sorted(cells["rank"], key=value)
    assert found["team"][0] == ("ascending", sorted(cells["team"], key=str.casefold))
    for name in ("moves", "empty"):
        for _, sorted_cells in found[name]:
            n_filled = sum(cell != "" for cell in cells[name])
            assert 0 < n_filled < len(sorted_cells)
            assert all(sorted_cells[:n_filled])
            assert not any(sorted_cells[n_filled:])
        down = [value(cell) for cell in found[name][0][1] if cell]
        assert down == sorted(down, reverse=True)


def test_rows_are_filtered_by_what_is_typed(look, report):
    """Every word must stand somewhere in the row, in any case; how many are left is said; all come back."""
    page = look(report.path)
    name = report.evaluation.names[0]
    field = page.locator("#table-recall .tools input[type=search]")
    before = shown_rows(page, "table-recall")
    with focus_is_seen(page):
        field.focus()
    page.keyboard.type(name.upper())
    left = shown_rows(page, "table-recall")
    assert left == [row for row in before if name.lower() in " ".join(row).lower()]
    assert 0 < len(left) < len(before)
    said = page.locator("#table-recall .tools output")
    assert said.text_content() == f"{len(left)} of {len(before)} rows"
    field.fill("no team is called like this")
    assert shown_rows(page, "table-recall") == []
    field.fill("")
    assert shown_rows(page, "table-recall") == before
    assert said.text_content() == ""


def test_columns_are_chosen_by_keyboard(look, report):
    """All but the one that names the rows; what is hidden comes back in its place."""
    page = look(report.path)
    before = shown_rows(page, "table-metrics-observed")
    tools = page.locator("#table-metrics-observed .tools")
    tools.locator("summary").focus()
    with focus_is_seen(page):
        page.keyboard.press("Enter")
    ticks = tools.locator("input[type=checkbox]")
    ticks.first.wait_for()
    heads = page.locator("#table-metrics-observed thead th")
    assert ticks.count() == heads.count() - 1
    with focus_is_seen(page):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert not ticks.first.is_checked()
    assert shown_rows(page, "table-metrics-observed") == [[row[0], *row[2:]] for row in before]
    assert not heads.nth(1).is_visible()
    page.keyboard.press("Space")
    assert shown_rows(page, "table-metrics-observed") == before


# Choosing


def table_of(page, anchor):
    """Caption, heads, and rows by their first cell."""
    rows = page.evaluate(
        """anchor => [...document.querySelectorAll(`#${anchor} tr`)].map(
        (row) => [...row.cells].map((cell) => cell.textContent))""",
        anchor,
    )
    return (
        page.locator(f"#{anchor} figcaption").text_content(),
        rows[0],
        {row[0]: row[1:] for row in rows[1:]},
    )


def choose(page, first, second):
    page.get_by_label("the first team").select_option(first)
    page.get_by_label("the second team").select_option(second)


def of_all_pairs(evaluation, key, one, other):
    """Interval and adjusted p as printed; nothing where the metric's pairs, or this one, are not compared."""
    comparison = evaluation.certainty.comparison(key)
    if comparison is None or np.isnan(comparison.standard_error[[one, other], [one, other]]).any():
        return ["", ""]
    if not evaluation.comparable[[one, other]].all():
        return ["", ""]
    p = comparison.adjusted_p[one, other]
    ends = (
        float(comparison.difference_lower[one, other]),
        float(comparison.difference_upper[one, other]),
    )
    return [
        difference_ends(*ends, evaluation.task.printed_decimals),
        "<.001" if p < 0.001 else number(float(p)),
    ]


def expected_verdict(evaluation, one, other):
    """The sentence of the registry: who is ahead over all pairs stands first in it, with the difference that it has."""
    key = evaluation.task.ranking_metric
    comparison, decimals = evaluation.certainty.comparison(key), evaluation.task.printed_decimals
    if comparison.ahead[other, one]:
        one, other = other, one
    ends, p = of_all_pairs(evaluation, key, one, other)
    kind = "ahead" if comparison.ahead[one, other] else "open" if ends else "beside"
    scores = evaluation.scores_of(key)
    return say(
        PAIR_VERDICTS[kind],
        first=evaluation.names[one],
        second=evaluation.names[other],
        metric=phrase(key, evaluation.task.label_set),
        difference=number(float(scores[one] - scores[other]), decimals),
        ends=ends,
        p=f"< {p[1:]}" if p.startswith("<") else f"= {p}",
    )


@pytest.mark.parametrize("places", [(0, 1), (7, 2), (3, -1), (0, 9), (9, 0)])
@by_day(1)
def test_two_teams_are_compared_by_the_numbers_of_the_evaluation(look, each_report, places):
    """Scores, difference, half of its interval and adjusted p by every metric; the other way round all turns."""
    page, evaluation = look(each_report.path), each_report.evaluation
    order, decimals = (
        evaluation.order(evaluation.task.ranking_metric),
        evaluation.task.printed_decimals,
    )
    one, other = (order[place] for place in places)
    choose(page, *(evaluation.names[team] for team in (one, other)))
    verdict, _, in_sight = table_of(page, "table-pair")
    _, heads, rows = table_of(page, "table-pair-metrics")
    assert len(in_sight) == 4
    assert all(rows[metric] == cells for metric, cells in in_sight.items())
    assert heads[1:3] == [evaluation.names[team] for team in (one, other)]
    keys = chosen_keys(evaluation)
    assert len(rows) == len(keys)
    for cells, key in zip(rows.values(), keys, strict=True):
        scores = evaluation.scores_of(key)[[one, other]]
        expected = [*scores, scores[0] - scores[1]]
        assert cells[:3] == [number(value, decimals) for value in expected], key
        assert cells[3:] == of_all_pairs(evaluation, key, one, other), key
    assert verdict == expected_verdict(evaluation, one, other)
    caption, _, by_class = table_of(page, "table-only-right")
    alone = evaluation.pairs
    labels = evaluation.task.label_set.shown
    right = evaluation.confusions[:, range(len(labels)), range(len(labels))]
    for code, label in enumerate(labels):
        only = int(alone[one, other, code]), int(alone[other, one, code])
        both, items = int(right[one, code]) - only[0], int(evaluation.prevalence_counts[code])
        assert by_class[label] == [
            f"{count:,}" for count in (items, *only, both, items - sum(only) - both)
        ]
    sums = [int(alone[pair].sum()) for pair in ((one, other), (other, one))]
    assert by_class["All classes"][1:3] == [f"{count:,}" for count in sums]
    assert f"{evaluation.names[one]} alone is right on {sums[0]:,}" in caption
    assert (
        sum(int(cell.replace(",", "")) for cell in by_class["All classes"][1:])
        == evaluation.gold.n_items
    )


def test_a_team_is_not_compared_with_itself(look, sample):
    """Then a sentence stands there, and no table."""
    page, name = look(sample.path), sample.evaluation.names[0]
    choose(page, name, name)
    assert page.locator("#pairs-chosen").text_content() == "Choose two different teams."


def test_teams_are_chosen_by_keyboard(look, sample):
    """The fields have names, take the focus visibly, and every key changes what is shown."""
    page = look(sample.path)
    for label, anchor in (("ahead of the second team?", "#table-pair"), ("Team", "#table-matrix")):
        field = page.get_by_label(label, exact=True)
        before = page.locator(anchor).text_content()
        with focus_is_seen(page):
            field.focus()
        page.keyboard.press("ArrowDown")
        assert page.locator(anchor).text_content() != before


def test_any_confusion_is_that_of_the_evaluation(look, each_report):
    """Counts and row percentages of every cell, unanswered items, recall and precision of every class."""
    page, evaluation = look(each_report.path), each_report.evaluation
    labels, shown = evaluation.task.label_set.labels, evaluation.task.label_set.shown
    decimals = evaluation.task.printed_decimals
    for team in (0, len(evaluation.names) // 2, len(evaluation.names) - 1):
        page.get_by_label("Team", exact=True).select_option(evaluation.names[team])
        _, heads, rows = table_of(page, "table-matrix")
        assert heads == ["Gold", *shown, "Unanswered", "Gold items", "Recall"]
        confusion = evaluation.confusions[team]
        for code, label in enumerate(labels):
            total, cells = int(confusion[code].sum()), rows[shown[code]]
            for count, cell in zip(confusion[code].tolist(), cells, strict=False):
                percent = "<1" if 100 * count < total else str(round(100 * count / total))
                assert (
                    cell in {f"{count:,}{percent}%", f"{count:,}{int(percent.strip('<')) + 1}%"}
                    if count
                    else "0"
                )
            recall, precision = (
                evaluation.scores_of(ScoreKey(f"{slug}[{label}]"))[team]
                for slug in ("recall", "precision")
            )
            assert cells[-2:] == [f"{total:,}", number(recall, decimals)]
            assert rows["Precision"][code] == number(precision, decimals)
        assert rows["Predicted"][:-2] == [f"{count:,}" for count in confusion.sum(axis=0).tolist()]


def test_what_is_exactly_between_two_numbers_is_printed_as_everywhere(look, write):
    """Halves go to the even digit: 1/16 is .062, 3/16 is .188, and so are their differences and negatives."""
    gold = np.arange(16) % 2
    teams = {
        f"{n} right": np.where(np.arange(16) < n, gold, 1 - gold).astype(str).tolist()
        for n in (1, 3, 4, 9)
    }
    evaluation = audit.evaluate(
        gold.astype(str).tolist(), teams, certainty=False, official_metric="accuracy"
    )
    page = look(write(render_html(evaluation)))
    seen = set()
    for first, second in pairwise(("1 right", "9 right", "3 right", "4 right", "1 right")):
        choose(page, first, second)
        cells = table_of(page, "table-pair")[2]["Accuracy"]
        scores = [int(name.split()[0]) / 16 for name in (first, second)]
        assert cells[:3] == [number(value) for value in (*scores, scores[0] - scores[1])]
        assert cells[4] == ""
        seen |= set(cells[:3])
    assert {".062", ".188", ".562", "−.062"} <= seen


def test_without_a_script_all_but_choosing_is_there(look, report):
    """Nothing that needs a script is seen, and where the export has it is said; every table stands there."""
    page = look(report.path, scripts=False)
    for part in ("pairs", "matrices"):
        assert not page.locator(f"#{part}-choice").is_visible()
    said = " ".join(page.locator("noscript").all_text_contents())
    for name in ("pairs.csv", "confusions.csv"):
        assert name in said
    assert page.locator("table").count() == len(
        read(report.path.read_text(encoding="utf-8")).all("table")
    )
    assert page.locator("#board tbody tr").last.is_visible()
    page.locator("#ranking > summary").click()
    assert page.locator("#table-ranking tbody tr").last.is_visible()
    assert page.locator("thead button, .tools:visible").count() == 0


# The page as a whole


@pytest.mark.parametrize(
    "campaign",
    [
        "flood",
        *(
            pytest.param(each, marks=slow("the same test of the sample"))
            for each in ("hostile", "wide")
        ),
    ],
)
def test_the_page_never_scrolls_sideways(look, write, campaign, html_of):
    """On a telephone, a tablet and a screen wide tables scroll in their own box; the page is as wide as the window."""
    page = look(
        write(
            render_html(random_evaluation(6, 900, 20)) if campaign == "wide" else html_of(campaign)
        )
    )
    for width in (390, 768, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


CHOOSE_EACH = """(field) => { for (const option of field.options) {
  option.selected = true;
  field.dispatchEvent(new Event("change", { bubbles: true }));
} }"""


def test_a_hostile_campaign_runs_nothing(look, write, hostile_html):
    """No text of the campaign becomes script, style or element, neither when read nor when chosen."""
    page = look(
        write(f"<script>window.alert = () => {{ window.fired = true; }};</script>{hostile_html}")
    )
    parts = (
        "[document.scripts.length, document.styleSheets.length, "
        "document.querySelectorAll('#pairs-chosen *').length]"
    )
    before = page.evaluate(parts)
    for field in ("Is the first team", "Team"):
        page.get_by_label(field, exact=True).evaluate(CHOOSE_EACH)
    page.get_by_label("the second team").select_option("0")
    assert page.evaluate("window.fired === undefined")
    assert page.evaluate(parts)[:2] == before[:2] == [4, 1]
    assert (
        HOSTILE[0]
        in page.locator("#table-matrix").text_content() + page.locator("#table-pair").text_content()
    )


CONTRAST = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const channel = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const color = parse(getComputedStyle(each).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return null;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const poor = new Set();
  let seen = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.offsetWidth || element.closest("svg, script, select")) continue;
    seen += 1;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) poor.add(`${element.tagName}.${element.className}: ${node.data.trim()}`);
  }
  return [seen, [...poor].slice(0, 10)];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(look, report, scheme):
    """At least 4.5 to 1, also in cells with a shade and in boxes that scroll, where axe-core cannot tell."""
    page = look(report.path, color_scheme=scheme)
    seen, poor = page.evaluate(CONTRAST)
    assert seen > 1000
    assert poor == []
    background = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 200) == (scheme == "dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_forced_colours_nothing_is_lost(look, sample, scheme):
    """Texts stand out, and intervals and scores are seen on the reader’s own paper."""
    page = look(sample.path, color_scheme=scheme, forced_colors="active")
    seen, poor = page.evaluate(CONTRAST)
    assert seen > 1000
    assert poor == []
    canvas = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    shapes = page.eval_on_selector_all(
        ".board .dot, .board .range",
        """all => all.map((each) => { const style = getComputedStyle(each);
        return style.fill === "none" || each.tagName === "line" ? style.stroke : style.fill; })""",
    )
    assert shapes
    assert canvas not in set(shapes)


def test_nothing_moves_for_who_wants_it_so(look, sample):
    """The page glides to a section, unless the reader asked for less motion; nothing else moves by itself at all."""
    moving = """() => [...document.querySelectorAll("*")].filter((each) => { const style = getComputedStyle(each);
        return style.transitionDuration !== "0s" || style.animationName !== "none"; }).length"""
    for asked, gliding in (("no-preference", "smooth"), ("reduce", "auto")):
        page = look(sample.path, reduced_motion=asked)
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == gliding
        assert page.evaluate(moving) == 0


def test_it_prints_on_paper(look, sample):
    """As a PDF of several pages, without what only a screen has."""
    page = look(sample.path)
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 5
    page.emulate_media(media="print")
    assert page.locator(".tools:visible, thead button:visible, nav:visible").count() == 0
    assert page.locator("#table-pair").is_visible()


@pytest.mark.parametrize("part", ["report", "family"])
def test_axe_finds_nothing(look, write, html_of, sample, part):
    """The rules of WCAG 2.2 AA, in light, dark and forced colours; this is no claim of conformance.

    By day the contrast of a report's texts is left to the test that every text stands out.
    """
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
    ).Axe()
    family = [spotless_evaluation(), sample.evaluation]
    page = look(
        write(
            html_of("full")
            if part == "report"
            else render_campaign(CampaignFindings(family), ["one.html", "two.html"])
        )
    )
    contrast = ["color-contrast"]  # scheme and forced colours change colours alone
    looks = [("light", "none", {"type": "tag", "values": WCAG}), ("dark", "none", contrast)]
    if ALL:
        looks += [("light", "active", contrast), ("dark", "active", contrast)]
    spared = {}
    # of every element of a report axe-core takes seconds to tell its contrast
    if part == "report" and not ALL:
        looks, spared = looks[:1], {"color-contrast": {"enabled": False}}
    for scheme, forced, only in looks:
        page.emulate_media(color_scheme=scheme, forced_colors=forced)
        found = axe.run(
            page, options={"runOnly": only, "rules": spared, "resultTypes": ["violations"]}
        )
        assert found.response["passes"]
        assert [
            (each["id"], each["nodes"][0]["html"]) for each in found.response["violations"]
        ] == []
