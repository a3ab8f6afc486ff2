"""The blocks against what was really rendered, and the page against what a page owes its readers."""

import re
from collections import Counter
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from markupsafe import escape

import audit.document
from audit.document import Paragraph, Span, Term
from audit.domain import Flag, Severity, SpanScores
from audit.findings.catalogue import FLAG_KINDS
from audit.findings.power_sentences import short
from audit.metrics import GAP_FORMULA, METRICS, STANDARD
from audit.report.ahead import PROMISE
from audit.report.page import document_of
from audit.report.printing import GoldItems
from audit.report.references import author_and_year, printed
from audit.vocabulary import STATES
from audit.writers.html import mathml, render_document, render_html
from audit.writers.latex import paper_files
from tests.nightly import ALL, by_day

from .campaigns import checked, spotless_evaluation
from .document import grid, read
from .parts import changed, every, marked, parts_of, texts
from .saying import CAMPAIGNS

ALL_BLOCKS = {each for each in vars(audit.document).values() if is_dataclass(each)}


@pytest.fixture(scope="module")
def whole(full):
    """A document with every section and something of every kind; a note, which few campaigns have."""
    right = np.arange(20).reshape(4, 5) % 3 == 0
    items = GoldItems(
        full.names[:4], tuple("abcde"), ("damage", "sympathy") * 2 + ("damage",), right, right
    )
    return replace(document_of(full, items), note="What every reader must know.")


def test_every_block_was_in_the_sample(whole):
    """The laws below see each kind of block; none is left out because the sample lacks it."""
    assert {type(part) for part in parts_of(whole)} == ALL_BLOCKS


def test_every_text_of_the_document_is_rendered(whole):
    """No field of any block is computed for nothing: each text stands in the HTML, the formulas as MathML."""
    filled = marked(whole)
    rendered = render_document(filled)
    missing = {path for path, text in texts(filled) if text not in rendered}
    # for a terminal
    assert missing == {path for path, _ in texts(filled) if path.endswith(".Section.command")}
    assert all(mathml(term.formula) in rendered for term in every(filled, Term) if term.formula)


SWITCHES = [
    pytest.param(kind, each.name, id=f"{kind.__name__}.{each.name}")
    for kind in sorted(ALL_BLOCKS, key=lambda kind: kind.__name__)
    for each in fields(kind)
    if each.type in {bool, int, float}
    or (kind, each.name) in {(Span, "style"), (Paragraph, "style")}
]


@pytest.mark.parametrize(("kind", "name"), SWITCHES)
def test_every_switch_of_the_document_shows(whole, kind, name):
    """The fields that are no text change what is rendered as well, and so does the form of a text."""

    def other(value):
        return (
            not value
            if isinstance(value, bool)
            else f"{value}other"
            if isinstance(value, str)
            else value + 1
        )

    assert render_document(changed(whole, kind, name, other)) != render_document(whole)


# What a page owes its readers


@by_day(1)
def test_every_id_is_unique(document):
    """Fragments lead to one place."""
    ids = Counter(element.attributes["id"] for element in document if "id" in element.attributes)
    assert ids
    assert [name for name, times in ids.items() if times > 1] == []


@by_day(2)
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
        element.attributes["aria-labelledby"]
        for element in document
        if "aria-labelledby" in element.attributes
    ]
    assert set(referred) <= ids


def test_nothing_is_fetched(document):
    """No element, style or script of the page asks the network for anything."""
    for element in document:
        assert element.tag not in {
            "link",
            "img",
            "iframe",
            "object",
            "embed",
            "base",
            "source",
            "video",
            "audio",
        }
        assert not {"src", "srcset", "data", "action", "background", "poster"} & set(
            element.attributes
        ), element
        assert "://" not in element.attributes.get("style", "")
        assert not [name for name in element.attributes if name.startswith("on")]
    styles = " ".join(element.text for element in document.all("style"))
    assert not re.search(r"@import|url\(|@font-face|expression\(|https?:", styles)
    scripts = " ".join(element.text for element in document.all("script"))
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|import\(|sendBeacon|https?:", scripts)


@by_day(1)
def test_every_table_has_a_caption_and_heads_with_scope(document):
    """Tables are named by their caption, columns and rows by their heads."""
    tables = document.all("table")
    assert tables
    for table in tables:
        assert document.by_id(table.attributes["aria-labelledby"]).text
        heads = [head for each in table.all("thead") for head in each.all("th")]
        assert all(head.attributes["scope"] == "col" for head in heads)
        assert all(head.text for head in heads)
        assert all(head.attributes["scope"] == "row" for head in table.one("tbody").all("th"))


def test_every_table_of_teams_names_its_rows(document):
    """Where a row is a team, the team's name is its head."""
    for figure in document.where(lambda element: element.attributes.get("class") == "table"):
        heads = [head.text for head in figure.one("thead").all("th")]
        if "Team" in heads:
            place = heads.index("Team")
            rows = [row.all("th", "td") for row in figure.one("tbody").all("tr")]
            assert rows
            assert all(row[place].attributes.get("scope") == "row" for row in rows)


def test_boxes_that_scroll_can_be_reached_by_keyboard(document):
    """A wide table or figure scrolls in a box of its own, which takes the focus and has a name."""
    boxes = document.where(lambda element: element.attributes.get("class") == "scroll")
    fitting = document.where(lambda element: element.attributes.get("class") == "table plot")
    # these and the board fit every screen
    assert len(boxes) == len(document.all("table")) - len(fitting) - 1
    assert all(
        box.attributes["tabindex"] == "0" and box.attributes["aria-labelledby"] for box in boxes
    )


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
    """The verdict, then every section by its short name, in the order in which it stands."""
    sections = document.where(
        lambda element: element.tag == "section" and element.attributes["id"] != "verdict"
    )
    places = [f"#{section.attributes['id']}" for section in sections]
    links = document.one("nav").all("a")
    assert [link.attributes["href"] for link in links] == ["#verdict", *places]
    assert all(0 < len(link.text) <= 20 for link in links)
    assert [section.one("h2").one("a").attributes["href"] for section in sections] == places


def test_each_section_asks_and_answers(flood_page):
    """The verdict first, what an author copies second; then each has its answer as the title below its question."""
    names = [element.attributes["id"] for element in flood_page.one("main").all("section")]
    assert (names[:3], names[-2:]) == (["verdict", "paper", "macro-f1"], ["data", "method"])
    assert {"metrics", "agreement", "class-distributions", "classes", "ahead", "power"} < set(names)
    for name in names[2:-1]:
        question, title, *_ = (
            each for each in flood_page.by_id(name).children if not isinstance(each, str)
        )
        assert question.attributes["class"] == "question"
        assert question.text.endswith("?")
        assert title.tag == "h2"
        assert title.text


def test_the_verdict_is_that_of_the_evaluation(flood, flood_page):
    """The sentence, each choice that the first place depends on with its state, and what is to do."""
    verdict = flood_page.by_id("verdict")
    assert [each.text for each in verdict.all("p")[1:3]] == [
        flood.verdict.sentence,
        flood.verdict.more,
    ]
    said = {row.one("dt").text: row.text for row in verdict.one("dl").all("div")}
    assert set(said) == {each.title for each in flood.verdict.depends_on}
    for each in flood.verdict.depends_on:
        assert each.first in said[each.title]
        assert STATES[each.state] in said[each.title]
    asked = [item.text for each in verdict.all("ol") for item in each.all("li")]
    assert all(
        text.startswith(each.text) for text, each in zip(asked, flood.verdict.to_do, strict=True)
    )


def test_the_board_shows_the_ranking(flood, flood_page):
    """Ranks, names, scores with marks, possible ranks, the rank by the other macro F1."""
    full = grid(flood_page, "table-ranking").named(1)
    comparison, ranks = flood.comparison("averaged_f1"), flood.ranks
    rows = [
        row
        for row in flood_page.by_id("board").one("tbody").all("tr")
        if row.all("td")[0].text.rstrip("=").isdigit()
    ]
    assert len(rows) == len(flood.names)
    for row in rows:
        name = row.one("th").text.split(" (in the 95%")[0].split(" ")[0]
        rank, score, _, possible, other = (cell.text for cell in row.all("td"))
        assert rank == full[name][0]
        assert score.rstrip("*²") == full[name][2]
        ends = list(map(int, possible.split("–")))
        assert [ends[0], ends[-1]] == comparison.possible_ranks[flood.names.index(name)].tolist()
        assert int(other.split(" ")[0].rstrip("=")) == ranks.loc[name, "f1_of_averages"]
        moved = ranks.loc[name, "averaged_f1"] - ranks.loc[name, "f1_of_averages"]
        assert other.partition(" ")[2] == (
            "" if not moved else f"{'▲' if moved > 0 else '▼'} {abs(moved)}"
        )


def test_what_the_paper_says_is_what_the_latex_says(flood, flood_page):
    """The paragraphs to copy have the numbers of the LaTeX files, in their order."""
    files = paper_files(flood)
    for part in ("results", "methods"):
        shown = flood_page.by_id(f"{part}-text").text
        latex = re.sub(
            r" \\cite\{[^}]*\}", "", files[f"{part}.tex"].decode().partition("\\fi}\n")[2]
        )
        in_text = re.findall(r"\d+", re.sub(r" \([^()]*\d{4}\)", "", shown))
        assert in_text
        assert in_text == re.findall(r"\d+", latex)


def test_who_is_first_by_what(flood, flood_page):
    """A row for each metric, with the winner, its score, and its lead over the official winner."""
    rows = {row[0]: row[1:] for row in grid(flood_page, "table-winners-by-state").rows}
    official = flood.scores[str(flood.task.ranking_metric)].idxmax()
    for name, key in (
        ("F1 of averages", "f1_of_averages"),
        ("Accuracy", "accuracy"),
        ("MCC", "mcc"),
    ):
        scores = flood.scores[key].sort_values(ascending=False)
        assert scores.index[0] != official
        assert rows[name][0] == f"{scores.index[0]} {scores.iloc[0]:.3f}".replace(" 0.", " .")
        assert rows[name][1] == short(scores.iloc[0] - scores[official])


def test_what_is_promised_stands_once_beside_the_ranking(flood, flood_page):
    """And of a class that is never predicted, and what it leaves open, only where the score is moved by it."""
    method = flood_page.by_id("ranking").text
    assert method.count(PROMISE) == flood_page.one("main").text.count(PROMISE) == 1
    start = "Where a team never predicts a class"
    assert not flood.comparison("averaged_f1").ahead_given.any()
    assert start not in method
    evaluation = CAMPAIGNS["never predicted"]()
    n_given = int(evaluation.comparison("f1_of_averages").ahead_given.sum())
    assert n_given > 1
    folded = read(render_html(evaluation)).by_id("ranking").text
    assert folded.count(start) == 1
    assert f"{n_given} more pairs would be decided by F1 of averages" in folded


def test_every_metric_that_crowns_another_has_a_row(flood, flood_page):
    """Whatever the verdict says of another metric is found again in the table of winners."""
    rows = {row[0].casefold() for row in grid(flood_page, "table-winners-by-state").rows}
    (said,) = [row.first for row in flood.verdict.depends_on if row.title == "Metric"]
    assert "Spate wins under three; Kingfisher wins under weighted F1" in said
    assert {"macro recall", "geom. macro recall", "weighted f1"} <= rows


# Findings


SWAPS = "order-depends-on-macro-f1"
"""Its evidence lists pairs of teams."""


def test_every_flag_has_its_evidence_on_the_page():
    """Each rule of the catalogue says where its rows are, and that place exists even where no other rule fires.

    By day every third place.
    """
    certain = spotless_evaluation(certainty=True, labels=["no", "yes"], scale=True)
    certain = certain.given(published=checked(certain))
    halves = list("xy" * 40)
    certain = certain.given(
        slices=spotless_evaluation(slices={"half": halves}).slices,
        spans=SpanScores(outside=0.5, values=None),
    )
    for anchor in sorted({kind.evidence for kind in FLAG_KINDS.values()})[:: 1 if ALL else 3]:
        flags = tuple(
            Flag(
                slug,
                Severity.NOTE,
                "A sentence.",
                "A remedy.",
                "A line.",
                {"pairs": []} if slug == SWAPS else {},
            )
            for slug, kind in FLAG_KINDS.items()
            if kind.evidence == anchor
        )
        page = read(render_html(certain.given(flags=flags, verdict=certain.verdict)))
        assert page.by_id(anchor).tag in {"section", "details"}
        for flag in flags:
            (link,) = [
                each
                for each in page.by_id(f"finding-{flag.slug}").all("a")
                if each.text.startswith("See ")
            ]
            assert link.attributes["href"] == f"#{anchor}"


def test_every_flag_is_on_the_page_word_for_word(flood, flood_html, flood_page):
    """Sentence, remedy and the rule stand there exactly."""
    assert len(flood.flags) > 5
    for flag in flood.flags:
        assert str(escape(flag.sentence)) in flood_html
        item = flood_page.by_id(f"finding-{flag.slug}")
        assert flag.sentence in item.text
        assert flag.severity.label in item.text
        assert flag.remedy in {entry.text for entry in item.all("dd")}
        assert f"{flag.slug} of audit flags" in item.text


def test_a_clean_audit_says_so(spotless):
    """Without findings the page says plainly that there are none, and lists nothing."""
    assert spotless.flags == ()
    page = read(render_html(spotless))
    assert page.by_id("findings").text == "All findings None of the audit’s rules fired."
    assert not page.where(lambda element: "finding" in element.attributes.get("class", "").split())


def test_rejected_files_are_named_on_the_first_screen(full):
    """That something was left out is the first thing to mend; which files, and why, stands under the data."""
    page = read(render_html(full))
    first, *_ = page.by_id("verdict").all("ol")[0].all("li")
    assert first.text.startswith("2 files were not loaded")
    assert first.one("a").attributes["href"] == "#data"
    for rejection in full.rejections:
        for issue in rejection.issues:
            text = page.by_id("data").text
            assert f"(expected: {issue.expected}; to do: {issue.remedy}) {issue.slug}" in text
            assert rejection.path in text


def test_every_issue_assumption_and_ignored_file_is_listed(flood, flood_page):
    """What was loaded says also what was odd, assumed, and left alone."""
    data = flood_page.by_id("data")
    issues = [issue for entry in flood.entries for issue in entry.issues]
    assert issues
    assert all(issue.found in data.text and issue.slug in data.text for issue in issues)
    for assumption in flood.task.assumptions:
        files, _, layout = assumption.removesuffix(".").partition(": ")
        assert [files, layout] in grid(flood_page, "table-how-read").rows
    assert [code.text for code in data.all("details")[-1].all("code")] == list(flood.ignored)


def test_every_loaded_file_is_listed_with_its_digest(flood, flood_page):
    """A number can be traced to the bytes it was computed from."""
    rows = grid(flood_page, "table-files").named()
    digests = {
        cell.text: cell.attributes.get("title")
        for cell in flood_page.by_id("table-files").all("td")
    }
    for entry in flood.entries:
        assert rows[entry.name][1:3] == [entry.path, entry.sha256[:12]]
        assert digests[entry.sha256[:12]] == entry.sha256


# Method


def test_every_metric_is_defined_by_the_formula_of_the_registry(flood_page):
    """MathML made from the registry's LaTeX, with the slug, range and source beside it."""
    entries = (
        flood_page.by_id("method")
        .where(lambda element: element.attributes.get("class") == "formulas")[0]
        .children
    )
    places = [element for element in entries if not isinstance(element, str)]
    assert len(places) == 2 * (len(STANDARD) + 1)
    for metric, name, definition in zip(STANDARD, places[::2], places[1::2], strict=False):
        assert name.attributes["id"] == f"metric-{metric.slug}"
        assert name.text == f"{metric.label} {metric.slug}"
        assert definition.one("math").text == read(mathml(metric.formula)).one("math").text
        assert all(text in definition.text for text in (metric.explanation, metric.source))


@pytest.mark.parametrize("latex", [*(metric.formula for metric in METRICS.values()), GAP_FORMULA])
def test_formulas_become_well_formed_mathml(latex, flood_html):
    """XML that parses, with no LaTeX left over, and it is what the report holds of the metrics that all have."""
    root = ET.fromstring(mathml(latex))  # noqa: S314 - our own output
    assert root.tag == "{http://www.w3.org/1998/Math/MathML}math"
    assert root.get("display") == "block"
    assert "\\" not in "".join(root.itertext())
    further = {metric.formula for metric in METRICS.values() if not metric.standard}
    assert (mathml(latex) in flood_html) == (latex not in further)


def test_a_metric_s_head_leads_to_its_definition(flood_page):
    """Every column of scores links to the formula of its metric."""
    for anchor in ("table-metrics-observed", "table-metrics-balanced"):
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
        term.text
        for term in method.where(lambda element: element.attributes.get("class") == "policies")[
            0
        ].all("dt")
    }
    assert {"Official metric", "Averaging set", "Missing items", "Ties", "Undefined score"} <= rules


def test_every_work_that_the_page_cites_is_among_its_references(flood_page):
    """A surname and a year in the text stand in one line of the list; and each line is cited."""
    listed = [item.text for item in flood_page.by_id("method").all("ul")[-1].all("li")]
    text = " ".join(
        flood_page.by_id(each).text for each in ("ranking", "for-methods", "power", "method")
    )
    cited = set(
        re.findall(r"([A-Z][a-zé]+)(?:(?:,| and| &) [A-Z][a-zé]+)*(?: et al\.)? (\d{4})\b", text)
    )
    assert ("Opitz", "2024") in cited
    assert ("Takahashi", "2022") in cited
    missing = {
        work for work in cited if not any(all(part in line for part in work) for line in listed)
    }
    assert not missing
    before, keys = (
        text.partition(listed[0])[0].replace("&", "and"),
        {text: key for key, text in printed().items()},
    )
    assert [
        line for line in listed if line in keys and author_and_year(keys[line]) not in before
    ] == []


def test_a_cut_of_the_test_set_has_a_section(full, html_of):
    """A sentence for each column, every part and team behind it; without a cut there is no section and no link."""
    (sliced,), full_html = full.slices, html_of("full")
    section = read(full_html).by_id("slices")
    assert "by “half”." in section.text
    for part in sliced.slices:
        assert f"{part.value}{part.n_items:,}" in section.text
    assert full_html.count('href="#slices"') >= 2
    assert 'id="slices"' not in render_html(full.given(slices=(), flags=()))
