"""What is said: every statistical sentence of page, terminal and LaTeX is marked as such, and all is used.

While campaigns are rendered, what :func:`audit.sentences.say` gives is noted. A text block of the page, a line of the
terminal and a sentence of the LaTeX may speak of intervals, comparisons and decisions in these sentences only.
"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from string import Formatter

import numpy as np
import pytest

from audit.document import Paragraph
from audit.domain import Evaluation, Mark, NeededItems, PairComparison, Plan, ScoreKey
from audit.findings.catalogue import FLAG_KINDS
from audit.findings.power_sentences import plan_sentences, power_sentences
from audit.findings.revision.changed_inputs import difference_of
from audit.metrics.baselines import BASELINE_KINDS
from audit.report.correction import difference_blocks
from audit.report.figures.figure_kinds import FIGURE_KINDS
from audit.report.page import document_of, question_blocks
from audit.report.pairs import PAIR_VERDICTS, pair_sentences
from audit.report.printing import WHY_MARKED
from audit.report.short import show_blocks
from audit.report.terminal_layout import run_layouts, show_layouts
from audit.sentences import say
from audit.text import sentence_case
from audit.writers.html import render_html
from audit.writers.latex import paper_files, tex
from audit.writers.terminal import write
from tests.nightly import by_day, slow, some_slow

from .document import Element, read
from .saying import CAMPAIGNS, pattern_of, templates

STATISTICAL = re.compile(
    r"separab|\binterval|may be (the|equally)|confidence set|adjusted p\b|\bp [=<]|possible ranks?\b|detect"
    r"|95\\?%|family-wise|standard errors?\b|confidence|percentile|statistically|tell (it|them|which|apart)"
    r"|not tested|significan|Monte Carlo|\bpower\b|replaced at random"
    r"|test set (cannot|does|finds|separates|shows|supports|tells)|independent draws",
    re.IGNORECASE,
)
"""Words of a statistical claim."""

HEADS = {"h1", "h2", "h3", "dt", "th", "summary", "option", "td", "code", "nav", "label"}
"""What names a thing and says nothing of it."""

NAMES = frozenset({kind.title for kind in (*FLAG_KINDS.values(), *FIGURE_KINDS.values())}) | set(
    FLAG_KINDS
)
"""Names of rules and figures, which stand in sentences about them."""

ELSEWHERE = {
    "how the expected score of a computed baseline is found": {
        explanation for _, explanation in BASELINE_KINDS.values()
    },
    "which figure is left out, and why": {
        "No two submissions are compared.",
        "audit export writes every pair to pairs.csv.",
    },
    "the reason why a campaign has no comparison": {"certainty was left out"},
}
"""What has such words and claims nothing, by the reason."""

SAID_ELSEWHERE = {
    PAIR_VERDICTS["unknown"]: "the page's script says it, from the text in its data",
    f"{{_}} {WHY_MARKED[Mark.FEW_UNITS]}.": "of sets, which files say; tests of sets have such a burst",
    f"{{_}} {WHY_MARKED[Mark.FEW_THINGS]}.": "of sets, which files say; tests of sets have such a team",
}
"""What no campaign here makes anybody say, with the reason."""


MARKED = re.compile(" ?[\x01\x03][^\x02\x04]*[\x02\x04]")
"""What a writer sets in prose for the paper: names and references."""


@pytest.fixture(scope="module")
def told() -> Iterator[set[str]]:
    """What is said while this is watched."""
    noted: set[str] = set()

    def noting(template: str, **values: object) -> str:
        text = say(template, **values)
        noted.add(text)
        return text

    with pytest.MonkeyPatch.context() as patch:
        for module in [each for name, each in sys.modules.items() if name.startswith("audit.")]:
            if vars(module).get("say") is say:
                patch.setattr(module, "say", noting)
        yield noted


@pytest.fixture(scope="module", params=some_slow(list(CAMPAIGNS), 3))
def campaign(request: pytest.FixtureRequest, told: set[str]) -> tuple[str, Evaluation]:
    """Each campaign with its name, evaluated while the registry is watched."""
    assert told is not None
    return request.param, CAMPAIGNS[request.param]().settled()


def blocks(element: Element) -> Iterator[str]:
    """Every block of text of a page, and every text that a pointer shows."""
    if "title" in element.attributes:
        yield element.attributes["title"]
    if element.tag in {"p", "li", "figcaption", "dd", "noscript"}:
        heads = [found.text for found in element.all(*HEADS)]
        yield without(element.text, longest_first(heads))
        for inner in element:
            yield inner.attributes.get("title", "")
    elif element.tag not in {"script", "style", "svg"}:
        for child in element.children:
            if isinstance(child, Element):
                yield from blocks(child)


def longest_first(parts: "list[str] | set[str]") -> list[str]:
    """Texts with their blanks folded, each once."""
    return sorted(
        {" ".join(each.split()) for each in parts} - {""}, key=lambda each: (-len(each), each)
    )


def without(text: str, parts: list[str]) -> str:
    """A text without some of its parts, in this order."""
    folded = " ".join(text.split())
    for part in parts:
        folded = folded.replace(part, "…")
    return folded


def known(told: set[str]) -> set[str]:
    """Everything that may be said: what was said, sentences without names and numbers, and what claims nothing."""
    said = {part for text in told for part in MARKED.split(text)}
    plain = {text for text in templates() if "{" not in text}
    plain |= {sentence_case(text) for text in plain}
    rules = {kind.explanation for kind in FLAG_KINDS.values()}
    named = {f"{name}." for name in NAMES} | NAMES
    return {
        *said,
        *plain,
        *rules,
        *named,
        *(text for texts in ELSEWHERE.values() for text in texts),
    }


def unknown(texts: "list[str] | set[str]", allowed: set[str]) -> list[str]:
    """What is said of statistics in other words than the registry's."""
    parts = longest_first(allowed)
    left = [without(text, parts) for text in texts if STATISTICAL.search(" ".join(text.split()))]
    return [
        f"{found.group()!r} in: {rest[:300]}"
        for rest in left
        if (found := STATISTICAL.search(rest))
    ]


def test_every_statistical_sentence_of_the_page_is_in_the_registry(campaign, told):
    """In every block of text and behind every pointer, for each campaign."""
    _, evaluation = campaign
    page = read(render_html(evaluation))
    main = page.one("main")
    references = main.by_id("method").all("ul")[-1].all("li")
    texts = {*blocks(main)} - {each.text for each in references}
    # the organiser's words are no claim of ours
    assert unknown(texts, known(told) | {evaluation.task.note}) == []


def print_all(evaluation: Evaluation) -> None:
    """What the terminal says of an evaluation."""
    for key in dict.fromkeys((evaluation.task.ranking_metric, ScoreKey("f1_of_averages"))):
        write(*show_blocks(evaluation, key))
        for width in (80, 10_000):
            write(
                *next(run_layouts(evaluation, "report.html", width)),
                *next(show_layouts(evaluation, key, width)),
            )
    write(*question_blocks(evaluation))


def test_every_statistical_sentence_of_the_terminal_is_in_the_registry(campaign, told, capsys):
    """The ranking by the ranking metric and by another, with all notes in full."""
    _, evaluation = campaign
    print_all(evaluation)
    # no rows of a table
    lines = [line for line in capsys.readouterr().out.splitlines() if "   " not in line.strip()]
    sections = [section for section in document_of(evaluation).sections if section.command]
    heads = {section.question for section in sections} | {
        section.command.removesuffix("TASK") for section in sections
    }
    assert unknown(lines, known(told) | {evaluation.task.note} | heads) == []


def test_every_statistical_sentence_of_the_paper_is_in_the_registry(campaign):
    """Methods and results, as TeX."""
    _, evaluation = campaign
    patterns = [
        _in_tex(each) for each in sorted(templates("paper_prose", "claim"), key=len, reverse=True)
    ]
    for name, data in paper_files(evaluation).items():
        if name in {"methods.tex", "results.tex"}:
            text = re.sub(r"(?m)^%.*$", "", data.decode())
            for pattern in patterns:
                text = pattern.sub("…", text)
            assert not STATISTICAL.search(text), (name, text)


def _in_tex(sentence: str) -> re.Pattern[str]:
    """What a sentence matches as TeX."""
    return re.compile(
        ".*?".join(re.escape(tex.prose(literal)) for literal, *_ in Formatter().parse(sentence))
    )


PAIRS = {
    "ahead": (0.1, 0.02, 0.05, 0.001, 0.02, "Ann"),
    "behind": (-0.1, 0.02, 0.05, 0.001, 0.02, "Ben"),
    "the only best": (0.1, 0.04, 0.11, 0.07, 0.02, "Ann"),
    "open": (0.01, 0.02, 0.05, 0.9, 0.02, None),
    "identical": (0.0, 0.0, 0.0, 1.0, 0.02, None),
    "beside": (0.3, 0.02, None, None, 0.02, None),
    "by the interval": (0.1, 0.02, 0.05, 0.001, np.nan, "Ann"),
}


def print_two(kind: str) -> None:
    """What the terminal says of two entries."""
    difference, error, half, p, exchanged, ahead = PAIRS[kind]
    found = PairComparison(
        ScoreKey("accuracy"),
        *("Ann", "Ben", (0.5 + difference, 0.5), error),
        interval=None if half is None else (difference - half, difference + half),
        adjusted_p=p,
        interval_alone=(difference - 1.96 * error, difference + 1.96 * error),
        randomization_p=exchanged,
        ahead=ahead,
        against_best=kind == "the only best",
    )
    write(*map(Paragraph, pair_sentences(found, "accuracy")))


@pytest.mark.parametrize("kind", PAIRS)
def test_two_entries_are_told_in_the_registrys_words(kind, told, capsys):
    """Who is ahead, or that they are not separable, over all pairs; then what holds of a pair fixed beforehand."""
    print_two(kind)
    output = capsys.readouterr().out
    assert unknown(output.splitlines(), known(told)) == []
    verdict = {
        "the only best": "best",
        "open": "open",
        "identical": "identical",
        "beside": "beside",
    }.get(kind, "ahead")
    literals = [literal for literal, *_ in Formatter().parse(PAIR_VERDICTS[verdict])]
    assert re.search(".*?".join(map(re.escape, literals)), " ".join(output.split()))


def test_a_plan_is_told_in_the_registrys_words(told):
    """What the command about power says before there is a campaign, and of one with nothing to compare."""
    assert unknown(planned(), known(told)) == []


def planned() -> list[str]:
    """All of these sentences."""
    needed = (NeededItems(0.0, 100, 200), NeededItems(0.5, 80, 160))
    evaluation = CAMPAIGNS["one team"]()
    plan = Plan(ScoreKey("accuracy"), 0.02, 10, 3.2, (0.7,), (500,), (0.4, 0.4), needed)
    return [*plan_sentences(plan, evaluation.task.label_set), *power_sentences(evaluation)]


AFTER = ["clear", "flood-posts", "no certainty", "dropped", "one group"]
BEFORE = ["clear", "flood-posts"]


def print_two_loads(before: str, after: str) -> None:
    """What the terminal says of the difference between two campaigns."""
    found = difference_of(CAMPAIGNS[before](), CAMPAIGNS[after]())
    write(*difference_blocks(found, ("load 1", "load 2")))


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("before", BEFORE)
@by_day(1)
def test_a_difference_is_told_in_the_registrys_words(before, after, told, capsys):
    """Whatever the test set tells of the first place on either side; also in the sentences for an erratum."""
    print_two_loads(before, after)
    # no rows of a table
    lines = [line for line in capsys.readouterr().out.splitlines() if "   " not in line.strip()]
    assert unknown(lines, known(told)) == []


def everything() -> Iterator[Callable[[], object]]:
    """All that makes somebody say something, what is quick first."""
    yield planned
    yield from (partial(print_two, kind) for kind in PAIRS)
    yield from (partial(print_two_loads, before, after) for before in BEFORE for after in AFTER)
    for make in CAMPAIGNS.values():
        evaluation = make()
        yield from (partial(speak, evaluation) for speak in (render_html, print_all, paper_files))


@slow("nothing else: it takes every campaign to say every sentence")
def test_every_text_is_said(told, capsys):
    """By some campaign, or by the page's script; constants of the program are said where they are made.

    After the tests before this one all is said already; where some of them ran in another process, it is said here.
    """
    needed = {text: pattern_of(text) for text in templates(imported=False) - SAID_ELSEWHERE.keys()}
    for speak in (tuple, *everything()):
        speak()
        needed = {text: each for text, each in needed.items() if not any(map(each.fullmatch, told))}
        if not needed:
            break
    capsys.readouterr()
    assert sorted(needed) == []


def test_what_users_write_is_no_template():
    """Braces of theirs stay as they are, in a text as it is and in what is filled in."""
    assert say("{1}") == "{1}"
    assert say("{leader} alone", leader="X {1}") == "X {1} alone"


@pytest.mark.parametrize(
    "wrong",
    [
        "cannot be resolved",
        "are equal",
        "possible winner",
        "rank set",
        "does not support",
        "statistically tied",
        "resolution",
        "probability that",
        "bootstrap interval",
    ],
)
def test_no_sentence_says_more_than_its_procedure(wrong):
    """Words that the statistics do not permit, or that a reader of the field does not use."""
    assert [each for each in templates() if wrong in each] == []
