"""The registry and what is said: every statistical sentence of page, terminal and LaTeX is in it, and all is used.

While campaigns are rendered, what :func:`audit.sentences.say` gives is noted. A text block of the page, a line of the
terminal and a sentence of the LaTeX may speak of intervals, comparisons and decisions in these sentences only.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from string import Formatter

import numpy as np
import pytest

from audit import sentences
from audit.document import Paragraph
from audit.domain import Evaluation, NeededItems, PairComparison, Plan, ScoreKey
from audit.metrics.baselines import BASELINE_KINDS
from audit.questions.catalogue import FLAG_KINDS
from audit.questions.correction import difference_blocks
from audit.questions.figures.figure_kinds import FIGURE_KINDS
from audit.questions.pairs import pair_sentences
from audit.questions.power_sentences import plan_sentences, power_sentences
from audit.questions.report import document_of, question_blocks
from audit.questions.revision.changed_inputs import difference_of
from audit.questions.short import show_blocks
from audit.sentences import SENTENCES, say
from audit.text import sentence_case
from audit.writers.html import render_html
from audit.writers.latex import paper_files, tex
from audit.writers.terminal import write
from tests.nightly import by_day, slow, some_slow, untraced

from .document import Element, read
from .saying import CAMPAIGNS, pattern_of

pytestmark = untraced  # pages are rendered; evaluating, in the fixture, is measured

STATISTICAL = re.compile(
    r"separab|\binterval|could (each )?be best|cannot be best|adjusted p\b|\bp [=<]|\btiers?\b|possible ranks?\b|detect"
    r"|95\\?%|family-wise|standard errors?\b|confidence|percentile|replicate|statistically|tell (it|them|which|apart)"
    r"|told apart|not tested|significan|Monte Carlo|\bpower\b|replaced at random|carr(y|ies) the first place"
    r"|test set (cannot|does|finds|separates|shows|supports|tells)|independent draws",
    re.IGNORECASE,
)
"""Words of a statistical claim."""

HEADS = {"h1", "h2", "h3", "dt", "th", "summary", "option", "td", "code", "nav", "label"}
"""What names a thing and says nothing of it."""

NAMES = frozenset({kind.title for kind in (*FLAG_KINDS.values(), *FIGURE_KINDS.values())}) | set(FLAG_KINDS)
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
    "pair-verdict-unknown": "the page's script says it, from the registry's text in its data",
    "mark-few-units": "of sets, which files say; a burst of errors in one unit has the mark in the tests of sets",
    "paper-more-not-tested": "of a certainty that compared only some of the other winners by their scores",
}
"""Entries that no campaign here makes anybody say, with the reason."""


MARKED = re.compile(" ?[\x01\x03][^\x02\x04]*[\x02\x04]")
"""What a writer sets in prose for the paper: names and references."""


class _Noting(str):
    """A template that notes what it is filled in to."""

    __slots__ = ("slug", "told")

    def format(self, *arguments: object, **values: object) -> str:
        """Fill in, and note it."""
        text = str.format(self, *arguments, **values)
        self.told.setdefault(self.slug, set()).add(text)
        return text


@pytest.fixture(scope="module")
def told() -> Iterator[dict[str, set[str]]]:
    """What is said while this is watched, by slug."""
    noted: dict[str, set[str]] = {}

    def watched(slug: str) -> _Noting:
        text = _Noting(SENTENCES[slug])
        text.slug, text.told = slug, noted
        return text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "SENTENCES", {slug: watched(slug) for slug in SENTENCES})
        yield noted


@pytest.fixture(scope="module", params=some_slow(list(CAMPAIGNS), 3))
def campaign(request: pytest.FixtureRequest, told: dict[str, set[str]]) -> tuple[str, Evaluation]:
    """Each campaign with its name, evaluated while the registry is watched."""
    assert told is not None
    return request.param, CAMPAIGNS[request.param]().settled()


IN_PAPER = ("paper-", "verdict-", "population", "mean-with-")


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
    return sorted({" ".join(each.split()) for each in parts} - {""}, key=lambda each: (-len(each), each))


def without(text: str, parts: list[str]) -> str:
    """A text without some of its parts, in this order."""
    folded = " ".join(text.split())
    for part in parts:
        folded = folded.replace(part, "…")
    return folded


def known(told: dict[str, set[str]]) -> set[str]:
    """Everything that may be said: what was said, sentences without names and numbers, and what claims nothing."""
    said = {part for texts in told.values() for text in texts for part in MARKED.split(text)}
    plain = {text for text in SENTENCES.values() if "{" not in text}
    plain |= {sentence_case(text) for text in plain}
    rules = {kind.explanation for kind in FLAG_KINDS.values() if "{one}" in SENTENCES["rule-flip"]}
    named = {f"{name}." for name in NAMES} | NAMES
    return {*said, *plain, *_of_rules(rules), *named, *(text for texts in ELSEWHERE.values() for text in texts)}


def _of_rules(explanations: set[str]) -> set[str]:
    """Explanations of rules that the registry's sentence about pairs that turn round gives."""
    pattern = pattern_of(SENTENCES["rule-flip"])
    return {text for text in explanations if pattern.fullmatch(text)}


def unknown(texts: "list[str] | set[str]", allowed: set[str]) -> list[str]:
    """What is said of statistics in other words than the registry's."""
    parts = longest_first(allowed)
    left = [without(text, parts) for text in texts if STATISTICAL.search(" ".join(text.split()))]
    return [f"{found.group()!r} in: {rest[:300]}" for rest in left if (found := STATISTICAL.search(rest))]


def test_every_statistical_sentence_of_the_page_is_in_the_registry(campaign, told):
    """In every block of text and behind every pointer, for each campaign."""
    _, evaluation = campaign
    page = read(render_html(evaluation))
    main = page.one("main")
    references = main.by_id("method").all("ul")[-1].all("li")
    texts = {*blocks(main)} - {each.text for each in references}
    assert unknown(texts, known(told) | {evaluation.task.note}) == []  # the organiser's words are no claim of ours


def print_all(evaluation: Evaluation) -> None:
    """What the terminal says of an evaluation."""
    for key in dict.fromkeys((evaluation.task.ranking_metric, ScoreKey("f1_of_averages"))):
        write(*show_blocks(evaluation, key, in_full=True))
    write(*question_blocks(evaluation))


def test_every_statistical_sentence_of_the_terminal_is_in_the_registry(campaign, told, capsys):
    """The ranking by the ranking metric and by another, with all notes in full."""
    _, evaluation = campaign
    print_all(evaluation)
    lines = [line for line in capsys.readouterr().out.splitlines() if "   " not in line.strip()]  # no rows of a table
    sections = [section for section in document_of(evaluation).sections if section.command]
    heads = {section.question for section in sections} | {section.command.removesuffix("TASK") for section in sections}
    assert unknown(lines, known(told) | {evaluation.task.note} | heads) == []


def test_every_statistical_sentence_of_the_paper_is_in_the_registry(campaign):
    """Methods and results, as TeX."""
    _, evaluation = campaign
    told_there = [each for slug, each in SENTENCES.items() if slug.startswith(IN_PAPER)]
    patterns = [_in_tex(each) for each in sorted(told_there, key=len, reverse=True)]
    for name, data in paper_files(evaluation).items():
        if name in {"methods.tex", "results.tex"}:
            text = re.sub(r"(?m)^%.*$", "", data.decode())
            for pattern in patterns:
                text = pattern.sub("…", text)
            assert not STATISTICAL.search(text), (name, text)


def _in_tex(sentence: str) -> re.Pattern[str]:
    """What a sentence matches as TeX."""
    return re.compile(".*?".join(re.escape(tex.prose(literal)) for literal, *_ in Formatter().parse(sentence)))


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
        ScoreKey("accuracy"), "Ann", "Ben", (0.5 + difference, 0.5), error, half, p, 1.96 * error, exchanged, ahead
    )
    write(*map(Paragraph, pair_sentences(found, "accuracy")))


@pytest.mark.parametrize("kind", PAIRS)
def test_two_entries_are_told_in_the_registrys_words(kind, told, capsys):
    """Who is ahead, or that they are not separable, over all pairs; then what holds of a pair fixed beforehand."""
    print_two(kind)
    output = capsys.readouterr().out
    assert unknown(output.splitlines(), known(told)) == []
    verdict = {"the only best": "best", "open": "open", "identical": "identical", "beside": "beside"}.get(kind, "ahead")
    literals = [literal for literal, *_ in Formatter().parse(SENTENCES[f"pair-verdict-{verdict}"])]
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
    lines = [line for line in capsys.readouterr().out.splitlines() if "   " not in line.strip()]  # no rows of a table
    assert unknown(lines, known(told)) == []


IMPORTED = {"mark-best", "rule-", "reading-", "column-", "computed-baselines", "fewer-items-mark"}
"""Said once, while modules are imported: constants of tables and registries."""


def everything() -> Iterator[Callable[[], object]]:
    """All that makes somebody say something, what is quick first."""
    yield planned
    yield from (partial(print_two, kind) for kind in PAIRS)
    yield from (partial(print_two_loads, before, after) for before in BEFORE for after in AFTER)
    for make in CAMPAIGNS.values():
        evaluation = make()
        yield from (partial(speak, evaluation) for speak in (render_html, print_all, paper_files))


@slow("nothing else: it takes every campaign to say every sentence")
def test_every_entry_of_the_registry_is_said(told, capsys):
    """By some campaign, by the page's script, or by a constant of the program.

    After the tests before this one all is said already; where some of them ran in another process, it is said here.
    """
    needed = {slug for slug in SENTENCES if slug not in SAID_ELSEWHERE and not slug.startswith(tuple(IMPORTED))}
    for speak in everything():
        if needed <= set(told):
            break
        speak()
    capsys.readouterr()
    assert sorted(needed - set(told)) == []


def test_every_entry_is_whole():
    """Its pattern matches what it is filled in to."""
    for slug, sentence in SENTENCES.items():
        names = [name for _, name, *_ in Formatter().parse(sentence) if name]
        assert pattern_of(sentence).fullmatch(say(slug, **dict.fromkeys(names, "X {1} \\ (.5)")))


@pytest.mark.parametrize(
    "wrong",
    [
        "cannot be resolved",
        "significan",
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
    assert [slug for slug, each in SENTENCES.items() if wrong in each] == []
