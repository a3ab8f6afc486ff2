"""The page dataclasses against what was really rendered, and the page against what a page owes its readers."""

import re
from collections import Counter
from dataclasses import fields, is_dataclass, replace
from itertools import count, pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from markupsafe import escape

from audit.domain import Flag, Severity
from audit.flags import FLAG_KINDS
from audit.flags.first_place_rules import first_place
from audit.metrics import GAP_FORMULA, METRICS
from audit.report import Page, build_page, render_html, render_page
from audit.report.build import _EVIDENCE
from audit.report.bundle import Items
from audit.report.mathml import mathml
from audit.report.page import (
    Cell,
    Certainty,
    Chart,
    Charts,
    Choice,
    Column,
    Demonstrations,
    Distributions,
    ElectionRule,
    Elections,
    Fact,
    FileIssue,
    Finding,
    Formula,
    JournalLine,
    Label,
    LeftOut,
    LegendEntry,
    Picture,
    PublishedScores,
    Readings,
    Rejected,
    Shape,
    Shown,
    Summary,
    Table,
)

from .campaigns import checked, spotless_evaluation
from .document import grid, read

pytestmark = pytest.mark.usefixtures("undrawn")

ALL_VALUES = (
    Cell,
    Certainty,
    Chart,
    Charts,
    Choice,
    Column,
    JournalLine,
    Demonstrations,
    Distributions,
    ElectionRule,
    Elections,
    Fact,
    FileIssue,
    Finding,
    Formula,
    Label,
    LeftOut,
    LegendEntry,
    Page,
    Picture,
    PublishedScores,
    Readings,
    Rejected,
    Shape,
    Shown,
    Summary,
    Table,
)


def marked(value, number):
    """The same value with every text in it replaced by one that stands nowhere else."""
    if isinstance(value, str):
        return f"text-{next(number)}-"
    if isinstance(value, tuple):
        return tuple(marked(item, number) for item in value)
    if hasattr(value, "items"):
        return {marked(name, number): marked(item, number) for name, item in value.items()}
    if is_dataclass(value):
        return type(value)(**{each.name: marked(getattr(value, each.name), number) for each in fields(value)})
    return value


def texts(value, path="page"):
    """Every text in a value, with the way to it."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, tuple):
        for place, item in enumerate(value):
            yield from texts(item, f"{path}[{place}]")
    elif hasattr(value, "items"):
        for place, pair in enumerate(value.items()):
            yield from texts(pair, f"{path}{{{place}}}")
    elif is_dataclass(value):
        for each in fields(value):
            yield from texts(getattr(value, each.name), f"{path}.{each.name}")


@pytest.fixture(scope="module")
def page(full):
    """A page with something in every field; empty texts are filled, so that they have to show up too."""
    right = np.arange(20).reshape(4, 5) % 3 == 0
    items = Items(full.names[:4], tuple("abcde"), ("x", "y") * 2 + ("x",), right, right)
    built = build_page(full, items)
    assert all(getattr(built, each.name) for each in fields(built) if each.name not in {"style", "script"})
    left_out = replace(built.charts, bias=LeftOut("figure-bias", "Prevalence against bias", "Not drawn."))
    return marked(replace(built, charts=left_out), count())


def test_every_text_of_the_page_is_rendered(page):
    """No field of any page dataclass is computed for nothing: each text stands in the HTML."""
    rendered = render_page(page)
    missing = {re.sub(r"\[\d+\]", "[]", path) for path, text in texts(page) if text not in rendered}
    assert not missing


def test_every_switch_of_the_page_shows(page):
    """The fields that are no text change what is rendered as well."""
    rendered = render_page(page)
    table, finding = page.ranking, page.findings[0]
    flipped_column = replace(table.columns[1], numeric=not table.columns[1].numeric)
    for changed in (
        replace(page, ranking=replace(table, sortable=not table.sortable)),
        replace(page, ranking=replace(table, upright=not table.upright)),
        replace(page, ranking=replace(table, columns=(table.columns[0], flipped_column, *table.columns[2:]))),
        replace(page, findings=(replace(finding, level=finding.level + 7), *page.findings[1:])),
    ):
        assert render_page(changed) != rendered


def test_every_field_of_every_page_dataclass_was_in_the_sample(page):
    """The law above has seen each dataclass; none is left out because the sample lacks it."""
    seen = set()

    def visit(value):
        if is_dataclass(value):
            seen.add(type(value))
            [visit(getattr(value, each.name)) for each in fields(value)]
        elif isinstance(value, tuple):
            [visit(item) for item in value]

    visit(page)
    assert seen == set(ALL_VALUES)


# What a page owes its readers


def test_every_id_is_unique(document):
    """Fragments lead to one place."""
    ids = Counter(element.attributes["id"] for element in document if "id" in element.attributes)
    assert ids
    assert [name for name, times in ids.items() if times > 1] == []


def test_every_link_leads_to_a_place_on_the_page(document):
    """Every link is a fragment of this document, and resolves."""
    ids = {element.attributes["id"] for element in document if "id" in element.attributes}
    links = [element.attributes["href"] for element in document.all("a")]
    assert links
    assert [link for link in links if not link.startswith("#") or link[1:] not in ids] == []


def test_every_reference_to_a_label_resolves(document):
    """What a screen reader is told to read out is there."""
    ids = {element.attributes["id"] for element in document if "id" in element.attributes}
    referred = [
        element.attributes["aria-labelledby"] for element in document if "aria-labelledby" in element.attributes
    ]
    assert set(referred) <= ids


def test_nothing_is_fetched(document):
    """No element, style or script of the page asks the network for anything."""
    for element in document:
        assert element.tag not in {"link", "img", "iframe", "object", "embed", "base", "source", "video", "audio"}
        assert not {"src", "srcset", "data", "action", "background", "poster"} & set(element.attributes), element
        assert "://" not in element.attributes.get("style", "")
        assert not [name for name in element.attributes if name.startswith("on")]
    styles = " ".join(element.text for element in document.all("style"))
    assert not re.search(r"@import|url\(|@font-face|expression\(|https?:", styles)
    scripts = " ".join(element.text for element in document.all("script"))
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|import\(|sendBeacon|https?:", scripts)


def test_every_table_has_a_caption_and_heads_with_scope(document):
    """Tables are named by their caption, columns and rows by their heads."""
    tables = document.all("table")
    assert tables
    for table in tables:
        assert document.by_id(table.attributes["aria-labelledby"]).text
        heads = table.one("thead").all("th")
        assert all(head.attributes["scope"] == "col" for head in heads)
        assert all(head.text for head in heads)
        assert all(head.attributes["scope"] == "row" for head in table.one("tbody").all("th"))


def test_every_table_of_teams_names_its_rows(flood_page):
    """Where a row is a team, the team's name is its head."""
    for figure in flood_page.where(lambda element: element.attributes.get("class") == "table"):
        heads = [head.text for head in figure.one("thead").all("th")]
        if "Team" in heads:
            place = heads.index("Team")
            rows = [row.all("th", "td") for row in figure.one("tbody").all("tr")]
            assert rows
            assert all(row[place].attributes.get("scope") == "row" for row in rows)


def test_boxes_that_scroll_can_be_reached_by_keyboard(document):
    """A wide table or figure scrolls in a box of its own, which takes the focus and has a name."""
    boxes = document.where(lambda element: element.attributes.get("class") == "scroll")
    charts = document.where(lambda element: element.attributes.get("class") == "chart")
    assert len(boxes) == len(document.all("table")) + len(charts)
    assert all(box.attributes["tabindex"] == "0" and box.attributes["aria-labelledby"] for box in boxes)


def test_headings_step_down_one_at_a_time(document):
    """One h1, and no level is skipped on the way down."""
    levels = [int(element.tag[1]) for element in document.all("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))


def test_the_page_says_its_language_encoding_and_width(document):
    """What browsers and screen readers have to know before they begin."""
    assert document.one("html").attributes["lang"] == "en"
    metas = document.one("head").all("meta")
    assert {"charset": "utf-8"} in [meta.attributes for meta in metas]
    assert "width=device-width" in " ".join(meta.attributes.get("content", "") for meta in metas)
    assert document.one("head").one("title").text


def test_the_contents_follow_the_reading(document):
    """Every section after the answer is listed, under its own heading, in the order in which it stands."""
    sections = document.where(lambda element: element.tag == "section" and element.attributes["id"] != "answer")
    headings = [(f"#{section.attributes['id']}", section.one("h2").text) for section in sections]
    links = [(link.attributes["href"], link.text) for link in document.one("nav").all("a")]
    assert links == headings
    assert [section.one("h2").one("a").attributes["href"] for section in sections] == [href for href, _ in links]


def test_findings_come_first_and_fit_one_screen_with_the_summary(flood_page):
    """The answer with its findings, the contents, the summary; then everything else."""
    parts = [element for element in flood_page.one("main").children if not isinstance(element, str)]
    names = [element.attributes.get("id", element.tag) for element in parts]
    assert names[:4] == ["answer", "nav", "summary", "ranking"]


def test_the_summary_says_who_is_first_by_what(flood, flood_page):
    """A row for each metric, with the winners and their score as the evaluation has them."""
    rows = grid(flood_page, "table-winners").named()
    for name, key in (("Averaged F1", "averaged_f1"), ("Accuracy", "accuracy"), ("MCC", "mcc")):
        scores = flood.scores[key].sort_values(ascending=False)
        assert rows[name][1] == scores.index[0]
        assert rows[name][2] == f"{scores.iloc[0]:.3f}".lstrip("0")
        assert rows[name][3] in scores.index[scores == scores[scores < scores.iloc[0]].iloc[0]]
        assert rows[name][5] == f"{scores.iloc[0] - scores[scores < scores.iloc[0]].iloc[0]:.3f}".lstrip("0")
    facts = flood_page.by_id("summary").one("dl").text
    comparison = flood.comparison("averaged_f1")
    assert f"{len(comparison.could_be_best)} of 12 teams" in facts
    assert f"in {int(comparison.separable.sum())} of 66 pairs" in facts
    (power,) = [each for each in flood.power if each.key == comparison.key]
    assert f"a difference of {power.median_detected_among_all:.3f}".replace("0.", ".") in facts


def test_the_summary_says_what_the_first_place_depends_on(flood, flood_page):
    """Each choice with its state, as flags and terminal have them."""
    items = [item.text for item in flood_page.by_id("summary").one("ul").all("li")]
    assert items == [each.sentence for each in first_place(flood)]
    changes = {change.kind: change for change in flood.certainty.changes}
    assert changes["macro-f1"].support.words in items[0]


# Findings


SWAPS = "order-depends-on-macro-f1"
"""Its evidence lists pairs of teams."""


def test_every_flag_has_its_evidence_on_the_page():
    """Each rule of the catalogue says where its rows are, and that place exists even where no other rule fires."""
    assert set(_EVIDENCE) == set(FLAG_KINDS)
    certain = spotless_evaluation(certainty=True)
    certain = certain.given(published=checked(certain))
    for href in {href for href, _ in _EVIDENCE.values()}:
        labels = {slug: label for slug, (place, label) in _EVIDENCE.items() if place == href}
        flags = tuple(
            Flag(slug, Severity.NOTE, "A sentence.", "A remedy.", "A line.", {"pairs": []} if slug == SWAPS else {})
            for slug in labels
        )
        page = read(render_html(certain.given(flags=flags)))
        assert page.by_id(href.removeprefix("#")).tag == "section"
        for slug, label in labels.items():
            links = [link for link in page.by_id(f"finding-{slug}").all("a") if link.attributes["href"] == href]
            assert [link.text for link in links] == [f"See {label}"]


def test_every_flag_is_on_the_page_word_for_word(flood, flood_html, flood_page):
    """Sentence, remedy and the line for the paper stand there exactly; the first five findings stand on top."""
    assert len(flood.flags) > 5
    for flag in flood.flags:
        assert str(escape(flag.sentence)) in flood_html
        item = flood_page.by_id(f"finding-{flag.slug}")
        assert flag.sentence in item.text
        assert flag.severity.label in item.text
        assert {flag.remedy, flag.paper} <= {entry.text for entry in item.all("dd")}
        assert FLAG_KINDS[flag.slug].explanation in item.text
    first = flood_page.by_id("answer").one("ol").all("li")
    assert [item.text for item in first] == [
        f"{flag.severity.label} {flag.sentence} See {_EVIDENCE[flag.slug][1]}" for flag in flood.flags[:5]
    ]


def test_the_first_page_says_who_wins_by_what_and_by_how_much(flood, flood_page):
    """The answer names the metric, the winner, its score and its lead, as they are in the evaluation."""
    scores = flood.scores[str(flood.task.ranking_metric)].sort_values(ascending=False)
    lead = flood_page.by_id("answer").all("p")[0].text
    assert lead.startswith("By averaged F1, ")
    assert f"{scores.index[0]} is first ({scores.iloc[0]:.3f})".replace("0.", ".") in lead
    assert f"{scores.iloc[0] - scores.iloc[1]:.3f} ahead of {scores.index[1]}".replace("0.", ".") in lead
    assert f"{sum(flag.severity == Severity.WINNER for flag in flood.flags)} findings change the winner." in (
        flood_page.by_id("answer").text
    )


def test_a_clean_audit_says_so(spotless):
    """Without findings the page says plainly that there are none, and lists nothing."""
    assert spotless.flags == ()
    page = read(render_html(spotless))
    assert "No finding changes the winner or the order" in page.by_id("answer").text
    assert page.by_id("findings").text == "All findings None of the audit’s rules fired."
    assert not page.where(lambda element: "finding" in element.attributes.get("class", "").split())


def test_a_page_with_notes_alone_claims_no_change_of_order(flood):
    """The verdict counts by severity: without a finding that changes it, the order stands."""
    notes = tuple(flag for flag in flood.flags if flag.severity == Severity.NOTE)
    assert "No finding changes the winner or the order" in read(render_html(flood.given(flags=notes))).text
    orders = tuple(flag for flag in flood.flags if flag.severity >= Severity.ORDER)
    verdict = read(render_html(flood.given(flags=orders))).by_id("answer").text
    assert "No finding changes the winner; 3 findings concern the order of teams." in verdict


def test_rejected_files_are_named_on_the_first_page(full):
    """Who was left out is said with the answer, with the reason, and again in full under the data."""
    page = read(render_html(full))
    assert "2 files were not loaded" in page.by_id("answer").text
    for rejection in full.rejections:
        assert f"{rejection.path}: {rejection.issues[0].found}" in page.by_id("answer").text
        for issue in rejection.issues:
            assert f"(expected: {issue.expected}; to do: {issue.remedy}) {issue.slug}" in page.by_id("data").text


def test_every_issue_assumption_and_ignored_file_is_listed(flood, flood_page):
    """What was loaded says also what was odd, assumed, and left alone."""
    data = flood_page.by_id("data")
    issues = [issue for entry in flood.entries for issue in entry.issues]
    assert issues
    assert all(issue.found in data.text and issue.slug in data.text for issue in issues)
    assert all(assumption in data.text for assumption in flood.task.assumptions)
    assert [code.text for code in data.all("details")[-1].all("code")] == list(flood.ignored)


def test_every_loaded_file_is_listed_with_its_digest(flood, flood_page):
    """A number can be traced to the bytes it was computed from."""
    rows = grid(flood_page, "table-files").named()
    digests = {cell.text: cell.attributes.get("title") for cell in flood_page.by_id("table-files").all("td")}
    for entry in flood.entries:
        assert rows[entry.name][1:3] == [entry.path, entry.sha256[:12]]
        assert digests[entry.sha256[:12]] == entry.sha256


# Method


def test_every_metric_is_defined_by_the_formula_of_the_registry(flood_page):
    """MathML made from the registry's LaTeX, with the slug, range, baseline and source beside it."""
    entries = (
        flood_page.by_id("method").where(lambda element: element.attributes.get("class") == "formulas")[0].children
    )
    places = [element for element in entries if not isinstance(element, str)]
    assert len(places) == 2 * (len(METRICS) + 1)
    for metric, name, definition in zip(METRICS.values(), places[::2], places[1::2], strict=False):
        assert name.attributes["id"] == f"metric-{metric.slug}"
        assert name.text == f"{metric.label} {metric.slug}"
        assert definition.one("math").text == read(mathml(metric.formula)).one("math").text
        assert all(text in definition.text for text in (metric.explanation, metric.baseline, metric.source))


@pytest.mark.parametrize("latex", [*(metric.formula for metric in METRICS.values()), GAP_FORMULA])
def test_formulas_become_well_formed_mathml(latex, flood_html):
    """XML that parses, with no LaTeX left over, and it is what the report holds."""
    root = ET.fromstring(mathml(latex))  # noqa: S314 - our own output
    assert root.tag == "{http://www.w3.org/1998/Math/MathML}math"
    assert root.get("display") == "block"
    assert "\\" not in "".join(root.itertext())
    assert mathml(latex) in flood_html


def test_a_metric_s_head_leads_to_its_definition(flood_page):
    """Every column of scores links to the formula of its metric."""
    for anchor in ("table-metrics-observed", "table-metrics-balanced", "table-ranks", "table-spearman"):
        heads = flood_page.by_id(anchor).one("thead").all("th")[1:]
        assert heads
        for head in heads:
            slug = re.split(r"[\[~@:]", head.attributes["title"])[0]
            assert head.one("a").attributes["href"] == f"#metric-{slug}"


def test_the_page_says_how_to_make_it_again(flood, flood_page):
    """Signature, versions, commands and the rules in force."""
    method = flood_page.by_id("method")
    assert flood.signature in method.text
    assert "audit run" in method.one("pre").text
    assert re.search(r"audit \d.* Python \d.* numpy \d.* scipy \d", method.text)
    rules = {
        term.text for term in method.where(lambda element: element.attributes.get("class") == "policies")[0].all("dt")
    }
    assert {"Official metric", "Averaging set", "Missing items", "Ties", "Undefined score"} <= rules


def test_every_work_that_the_page_cites_is_among_its_references(flood_page):
    """A surname and a year in the text stand in one line of the list."""
    listed = [item.text for item in flood_page.by_id("method").all("ul")[-1].all("li")]
    text = flood_page.by_id("certainty").text + flood_page.by_id("method").text
    cited = set(re.findall(r"([A-Z][a-zé]+)(?:(?:,| and| &) [A-Z][a-zé]+)*(?: et al\.)? (\d{4})\b", text))
    assert ("Opitz", "2024") in cited
    assert ("Takahashi", "2022") in cited
    missing = {work for work in cited if not any(all(part in line for part in work) for line in listed)}
    assert not missing
