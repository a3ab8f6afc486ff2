"""One vocabulary: no expression that it replaced stands anywhere in what users read."""

import json
import re
from pathlib import Path

import pytest

from audit.domain import POLICY_KINDS
from audit.errors import ISSUE_KINDS
from audit.findings.catalogue import FLAG_KINDS
from audit.metrics import METRICS
from audit.report.figures.figure_kinds import FIGURE_KINDS
from audit.report.page import question_blocks
from audit.report.short import short_blocks, show_blocks
from audit.report.terminal_layout import run_layouts, show_layouts
from audit.vocabulary import STATES, VERDICTS
from audit.writers.html import render_html
from audit.writers.latex import paper_files
from audit.writers.terminal import write
from tests.report.saying import CAMPAIGNS

ROOT = Path(__file__).parents[1]

OLD = re.compile(
    r"(?<!macro-)(?<!micro-)(?<!macro\{-\})\baveraged f1\b"
    r"|\btiers?\b"
    r"|could be best"
    r"|carr(?:y|ies) the first place"
    r"|crowns? another"
    r"|\bsimplex\b"
    r"|can(?:not)? be told apart"
    r"|statistically ahead"
    r"|another first,"
    r"|\b(?:is|are) first by\b"
    r"|chosen as the best"
    r"|balanced prevalence"
    r"|half the time|% of the time"
    r"|what was odd|who holds how much|how alike the metrics"
    r"|can be asked on|may be called the winner|is not audited"
    r"|decides? nothing\b"
    r"|for want of width"
    r"|without a look"
    r"|handed in the same labels"
    r"|turns? round"
    r"|mend or ask",
    re.IGNORECASE,
)
"""What the vocabulary replaced. Slugs and names in JSON are joined by hyphens or underscores and stay."""


def old_words(text):
    """Each old expression with what stands around it."""
    folded = " ".join(text.split())
    return [folded[max(0, found.start() - 60) : found.end() + 30] for found in OLD.finditer(folded)]


NAMED = ["flood-posts", "cut, really", "several change order", "no certainty", "never predicted"]


@pytest.mark.parametrize("name", NAMED)
def test_no_page_terminal_or_paper_has_an_old_word(name, capsys):
    """The whole page, everything that commands print, and every file for the paper."""
    evaluation = CAMPAIGNS[name]()
    assert old_words(render_html(evaluation)) == []
    for key in dict.fromkeys((evaluation.task.ranking_metric, *evaluation.keys[:1])):
        write(*show_blocks(evaluation, key), *next(show_layouts(evaluation, key, 80)))
    write(
        *next(run_layouts(evaluation, "report.html", 80)),
        *short_blocks(evaluation),
        *question_blocks(evaluation),
    )
    assert old_words(capsys.readouterr().out) == []
    for file, content in paper_files(evaluation).items():
        assert old_words(content.decode()) == [], file


CATALOGUES = {
    "findings": [text for kind in FLAG_KINDS.values() for text in (kind.title, kind.explanation)],
    "issues": [
        f"{kind.title}. {kind.explanation} {kind.expected} {kind.remedy}"
        for kind in ISSUE_KINDS.values()
    ],
    "figures": [f"{kind.title}. {kind.how_to_read}" for kind in FIGURE_KINDS.values()],
    "metrics": [
        f"{metric.label} {metric.phrase}. {metric.explanation}" for metric in METRICS.values()
    ],
    "policies": [
        f"{kind.title} {' '.join(kind.values.values())}" for kind in POLICY_KINDS.values()
    ],
    "verdicts": [*VERDICTS.values(), *STATES.values()],
}


@pytest.mark.parametrize("name", CATALOGUES)
def test_no_catalogue_has_an_old_word(name):
    """Titles, explanations and remedies."""
    assert [found for text in CATALOGUES[name] for found in old_words(text)] == []


def described(node):
    """Every description in a schema."""
    if isinstance(node, dict):
        yield from (
            value for key, value in node.items() if key == "description" and isinstance(value, str)
        )
        for value in node.values():
            yield from described(value)
    elif isinstance(node, list):
        for value in node:
            yield from described(value)


@pytest.mark.parametrize("file", ["evaluation.schema.json", "service-api.json"])
def test_no_description_of_data_has_an_old_word(file):
    """Of the JSON that is exported, and of the service."""
    document = json.loads((ROOT / "docs" / file).read_text("utf-8"))
    assert [found for text in described(document) for found in old_words(text)] == []


@pytest.mark.parametrize(
    "path", sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md"]), ids=lambda path: path.name
)
def test_no_page_of_the_docs_has_an_old_word(path):
    """Generated pages, too."""
    assert old_words(path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("templates/**/*.j2")), ids=lambda path: path.name)
def test_no_template_has_an_old_word(path):
    """Of the report and of the service."""
    assert old_words(path.read_text("utf-8")) == []


def test_old_words_are_found():
    """In any case, across lines; slugs and names of fields are none."""
    assert len(old_words("Averaged F1 has 3 tiers.\nA could be\nbest")) == 3
    assert old_words("macro-averaged F1, slice-crowns-another, could_be_best") == []
