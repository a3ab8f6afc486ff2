"""The report in a real browser: it runs its script, sorts, and fits on a telephone."""

import json
import re
import shutil
import subprocess
from html import escape, unescape

import pytest

from audit.report import render_html

from .campaigns import random_evaluation
from .document import grid

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look with")

OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr", "--v=0"),
)


@pytest.fixture
def look(tmp_path):
    """A function that opens a page, runs a script in it, and gives what the script returns and the browser logs."""

    def run(html, expression):
        file = tmp_path / "page.html"
        probe = f"<script>onload = () => {{ document.title = JSON.stringify((() => {{ {expression} }})()); }};</script>"
        before, end, after = html.rpartition("</body>")
        file.write_text(before + probe + end + after, encoding="utf-8")
        command = [CHROMIUM, *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", file.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)[1]
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        return json.loads(unescape(title)), console

    return run


def test_every_sortable_column_has_a_button_and_the_console_stays_silent(look, flood_html, flood_page):
    """The script adds one button with a name to each head, and nothing goes wrong."""
    buttons, console = look(
        flood_html, "return [...document.querySelectorAll('thead button')].map((b) => b.getAttribute('aria-label'));"
    )
    tables = flood_page.where(lambda element: "data-sortable" in element.attributes)
    heads = [head.text for table in tables for head in table.one("thead").all("th")]
    assert buttons == [f"Sort by {head}" for head in heads]
    assert console == []


SORT = """
const column = (anchor, place) =>
  [...document.querySelectorAll(`#${anchor} tbody tr`)].map((row) => row.cells[place].textContent.trim());
const press = (anchor, place) =>
  document.querySelectorAll(`#${anchor} thead th`)[place].querySelector("button").click();
const read = (anchor, place, presses) => {
  for (let i = 0; i < presses; i += 1) press(anchor, place);
  const head = document.querySelectorAll(`#${anchor} thead th`)[place];
  return [head.getAttribute("aria-sort"), column(anchor, place)];
};
"""


def test_sorting_orders_by_value_and_back(look, flood_html, flood_page):
    """Numbers by size, ranks from the first, names by the alphabet; what is never predicted counts as 0."""
    places = {
        "score": ("table-metrics-observed", 7),
        "rank": ("table-ranking", 0),
        "team": ("table-ranking", 1),
        "never": ("table-precision", 5),
        "moves": ("table-gap", 5),
        "empty": ("table-ranking", 12),
    }
    calls = ", ".join(
        f"{name}: [read('{anchor}', {place}, 1), read('{anchor}', {place}, 1)]"
        for name, (anchor, place) in places.items()
    )
    found, console = look(flood_html, f"{SORT} return {{{calls}}};")
    assert console == []
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
    assert found["team"][0] == ["ascending", sorted(cells["team"], key=str.casefold)]
    for name in ("moves", "empty"):
        for _, column in found[name]:
            n_filled = sum(cell != "" for cell in cells[name])
            assert 0 < n_filled < len(column)
            assert all(column[:n_filled])
            assert not any(column[n_filled:])
        down = [value(cell) for cell in found[name][0][1] if cell]
        assert down == sorted(down, reverse=True)


@pytest.mark.parametrize("width", [390, 768])
@pytest.mark.parametrize("campaign", ["flood", "hostile", "wide"])
def test_the_page_never_scrolls_sideways(look, campaign, width, request):
    """On a telephone and on a tablet wide tables scroll in their own box; the page is as wide as the screen."""
    evaluation = random_evaluation(6, 900, 20) if campaign == "wide" else request.getfixturevalue(campaign)
    # A frame is as narrow as it is told; a window is never narrower than the browser's own least width.
    frame = (
        f'<iframe style="width:{width}px;height:800px;border:0" srcdoc="{escape(render_html(evaluation))}"></iframe>'
    )
    (inner, outer), console = look(
        f"<!DOCTYPE html><html><head><title></title></head><body>{frame}</body></html>",
        "const page = document.querySelector('iframe').contentDocument.documentElement;"
        "return [page.scrollWidth, page.clientWidth];",
    )
    assert console == []
    assert outer == width
    assert inner <= width


def test_a_hostile_campaign_runs_nothing(look, hostile_html):
    """No text of the campaign becomes script, style or element in the browser's own reading."""
    seen, console = look(
        f"<script>window.alert = () => {{ window.fired = true; }};</script>{hostile_html}",
        "return [window.fired === true, document.scripts.length, document.styleSheets.length];",
    )
    assert seen == [False, 3, 1]
    assert console == []
