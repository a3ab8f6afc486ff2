"""What a notebook shows of an evaluation: the verdict, what it depends on, and the ranking, as text and as HTML."""

import pickle
import re
from dataclasses import fields
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import audit
from audit.document import Paragraph, Table
from audit.domain import Evaluation
from audit.errors import UsageError
from audit.report.short import MOST_ROWS, short_blocks
from tests.report.parts import plain

ROOT = Path(__file__).parents[2]
HOSTILE = (
    "<script>alert(1)</script>",
    "</table><img src=x onerror=alert(1)>",
    "\"><b>'&amp;",
    "{{ 7*7 }}",
    "a\u202eb\x1b[31m",
    "$x^2$",
    "=cmd()",
)
LABELS = ("yes", "no", "maybe")


def systems(names, n_items=120, seed=3):
    """Gold, and systems that are right the less often the later they stand."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(LABELS, n_items)
    shares = np.linspace(0.9, 0.4, len(names))
    answers = {
        name: np.where(rng.random(n_items) < share, gold, rng.choice(LABELS, n_items))
        for name, share in zip(names, shares, strict=True)
    }
    return gold, answers


@pytest.fixture(scope="module")
def evaluation():
    gold, answers = systems(["Ada", "Bob", "majority"])
    return audit.evaluate(gold, answers, roles={"majority": "baseline"})


class Document(HTMLParser):
    """The tags, attributes and texts of a piece of HTML; every tag that is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.open = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize(
    "show", [repr, lambda shown: " ".join(Document(shown._repr_html_()).texts)]
)
def test_the_verdict_and_the_ranking_are_shown(evaluation, show):
    """Every sentence of it, every team with its rank and score; a baseline in parentheses."""
    shown, verdict = show(evaluation), evaluation.verdict
    assert verdict.depends_on
    for text in (verdict.sentence, verdict.more, *(found.sentence for found in verdict.depends_on)):
        assert text in shown
    assert "majority (baseline)" in shown
    assert "(3)" in shown
    scores = evaluation.scores["averaged_f1"]
    for score in scores:
        assert f"{score:.3f}".removeprefix("0") in shown
    assert "3 submissions × 120 items × 3 labels" in shown


def table_of(evaluation):
    (table,) = (block for block in short_blocks(evaluation) if isinstance(block, Table))
    return table


def heads_of(evaluation):
    return [column.label for column in table_of(evaluation).columns]


def test_both_show_the_same(evaluation):
    """Text and HTML are two printings of one view."""
    document = " ".join("".join(Document(evaluation._repr_html_()).texts).split())
    paragraphs = [
        plain(block.text) for block in short_blocks(evaluation) if isinstance(block, Paragraph)
    ]
    for text in (*paragraphs, *heads_of(evaluation), *chain(*table_of(evaluation).texts)):
        assert text in document
        assert text in repr(evaluation)


def test_columns_of_the_text_stand_below_their_heads():
    """Each row of it has a column where the heads have one, also of long names."""
    gold, answers = systems(["A", "B" * 30])
    evaluation = audit.evaluate(gold, answers)
    lines = repr(evaluation).splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("rank"))
    table = [lines[first], *lines[first + 2 : first + 4]]  # between them a rule
    rows = (heads_of(evaluation), *table_of(evaluation).texts)
    starts = {line.index(row[1]) for line, row in zip(table, rows, strict=True)}
    ends = {line.index(row[2]) + len(row[2]) for line, row in zip(table, rows, strict=True)}
    assert len(starts) == len(ends) == 1


def test_names_stay_text():
    """No element comes from a name, and no character that moves others."""
    gold, answers = systems(HOSTILE)
    evaluation = audit.evaluate(gold, answers, title="<h1>x</h1>")
    html = evaluation._repr_html_()
    plain = audit.evaluate(gold, dict(zip("ABCDEFG", answers.values(), strict=True)), title="x")
    document, expected = Document(html), Document(plain._repr_html_())
    assert document.tags == expected.tags
    assert document.attributes == expected.attributes
    for text in (html, repr(evaluation)):
        assert "\u202e" not in text
        assert "\x1b" not in text
    shown = " ".join(document.texts)
    for name in HOSTILE[:4]:
        assert name in shown
    assert "a\\u202eb\\x1b[31m" in shown


def test_nothing_reaches_out_of_the_cell(evaluation):
    """No script, no style sheet, no class or id that the notebook's page could know."""
    document = Document(evaluation._repr_html_())
    assert not {"script", "style", "link", "iframe", "img", "a"} & set(document.tags)
    assert {name for name, _ in document.attributes} <= {"scope", "style"}


def test_of_many_the_first_are_shown():
    """And that there are more, and where."""
    gold, answers = systems([f"T{number:02}" for number in range(MOST_ROWS + 3)], 60)
    evaluation = audit.evaluate(gold, answers, certainty=False)
    assert len(table_of(evaluation).rows) == MOST_ROWS
    assert f"18 submissions × 60 items × 3 labels, the first {MOST_ROWS} shown" in repr(evaluation)
    assert len(evaluation.summary()) == 18


def test_without_certainty_there_is_no_column_of_it():
    """Nothing is shown that was not computed."""
    gold, answers = systems(["A", "B"])
    assert heads_of(audit.evaluate(gold, answers, certainty=False)) == [
        "rank",
        "team",
        "macro-averaged F1",
    ]


def test_the_summary_has_what_the_engine_found(evaluation):
    """A row for each entry, best first; possible ranks are those of the comparison."""
    frame = evaluation.summary()
    columns = ["rank", "team", "score", "lower", "upper", "could_be_best"]
    assert list(frame) == [*columns, "first_possible_rank", "last_possible_rank"]
    assert frame["team"].tolist() == ["Ada", "Bob", "majority"]
    assert frame["rank"].tolist()[:2] == [1, 2]
    assert frame.loc[2, ["rank", "could_be_best", "first_possible_rank"]].isna().all()
    comparison = evaluation.comparison("averaged_f1")
    by_team = frame.set_index("team")
    for team, name in enumerate(evaluation.names[:2]):
        row = by_team.loc[name]
        assert row["score"] == evaluation.scores.loc[name, "averaged_f1"]
        assert row["could_be_best"] == comparison.could_be_best[team]
        assert [row["first_possible_rank"], row["last_possible_rank"]] == comparison.possible_ranks[
            team
        ].tolist()
    assert by_team.loc["Ada", ["lower", "upper"]].tolist() == [*comparison.leader_interval]
    bob = evaluation.intervals.loc["Bob", "averaged_f1"].tolist()
    assert by_team.loc["Bob", ["lower", "upper"]].tolist() == bob


def test_the_ranking_is_the_summary(evaluation):
    """An attribute, as scores and ranks are."""
    pd.testing.assert_frame_equal(evaluation.ranking, evaluation.summary())


@pytest.mark.parametrize("table", ["scores", "ranks", "intervals", "marks"])
def test_a_name_that_is_no_score_is_explained(evaluation, table):
    """Macro F1 is two scores, a slip has a neighbour, and another prevalence is asked for beforehand."""
    frame = getattr(evaluation, table)
    for name, words in (
        ("macro_f1", "is two metrics. averaged_f1 is the mean of the class F1s"),
        ("acuracy", "Did you mean “accuracy”?"),
        (
            "mcc@planned",
            "Name it in audit.evaluate(…, metrics=[…]), or its class distribution in prevalences={…}.",
        ),
    ):
        with pytest.raises(UsageError) as caught:
            frame[name]
        assert words in str(caught.value)
        assert name not in frame
    with pytest.raises(KeyError):
        frame[["macro_f1"]]


def test_a_table_of_scores_is_a_data_frame(evaluation):
    """What is cut from it too, and it can be copied and kept."""
    scores = evaluation.scores
    assert type(scores[["accuracy", "mcc"]]) is pd.DataFrame
    assert scores["averaged_f1"].equals(scores.averaged_f1)
    assert scores[" mcc ~"].equals(scores["mcc~"])  # as compare takes it
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(scores)), scores)  # noqa: S301 - our own
    assert scores.max(axis=None) == max(scores.max())


def test_what_a_notebook_completes_is_what_the_docs_explain(evaluation):
    """Each is there, has a docstring or is a field, and stands in docs/python.md."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    table = page[page.index("| attribute |") :].split("\n\n")[0]
    named = re.findall(r"`(\w+)", " ".join(line.split("|")[1] for line in table.splitlines()[2:]))
    assert sorted(named) == dir(evaluation)
    for name in dir(evaluation):
        assert hasattr(evaluation, name)


def test_the_summary_keeps_its_columns_where_nothing_was_compared(evaluation):
    """They are NA then, of the same types, so that what reads them goes on to work."""
    gold, answers = systems(["A", "B"])
    frame = audit.evaluate(gold, answers, certainty=False).summary()
    assert frame.dtypes.to_dict() == evaluation.summary().dtypes.to_dict()
    assert frame.drop(columns=["rank", "team", "score"]).isna().all(axis=None)
    assert isinstance(frame, pd.DataFrame)


def test_it_is_an_evaluation_and_stays_one_of_a_notebook(evaluation):
    """Analyses that are given or settled keep the type, and the value cannot be changed."""
    assert isinstance(evaluation, audit.Evaluation)
    without = evaluation.given(flags=())
    assert type(without) is type(evaluation)
    assert without.flags == ()
    settled = evaluation.settled()
    assert type(settled) is type(evaluation)
    assert settled.verdict is evaluation.verdict
    assert repr(settled) == repr(evaluation)
    assert settled.compare("Ada", "Bob") == evaluation.compare("Ada", "Bob")
    with pytest.raises(AttributeError):
        evaluation.title = "x"


def test_what_a_notebook_adds_is_documented_and_little():
    """The names beyond those of an evaluation, each with a docstring."""
    kind = type(audit.evaluate(["a", "b"], {"X": ["a", "b"]}))
    added = {name for name in vars(kind) if not name.startswith("_")} - {
        each.name for each in fields(Evaluation)
    }
    assert added == {
        "of",
        "compare",
        "plot",
        "ranking",
        "summary",
        "intervals",
        "predictions",
        "executor",
    }
    for name in added - {"predictions", "executor"}:
        assert getattr(kind, name).__doc__


def test_label_names_are_for_readers():
    """Data keep the labels; a name for no label is refused."""
    evaluation = audit.evaluate(
        [0, 1, 1], {"X": [0, 1, 0]}, label_names={1: "offensive"}, metrics=["recall[1]"]
    )
    assert evaluation.task.label_set.shown == ("“0”", "offensive")
    assert "recall[1]" in evaluation.scores
    with pytest.raises(UsageError, match="label_names=… names “2”, which is no label here"):
        audit.evaluate([0, 1, 1], {"X": [0, 1, 0]}, label_names={2: "offensive"})
