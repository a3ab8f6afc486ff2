"""docs/store.md says what the store is, and its queries answer what they say."""

import json
import re
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audit.domain import Options, ScoreKey
from audit.evaluation import evaluate
from audit.store import sqlite_file, tables
from audit.writers.bundle.archive import evaluation_document

from .campaigns import beside, campaign, certain, evaluation, keep, policed, submission

PAGE = Path(__file__).resolve().parents[2] / "docs" / "store.md"
NAMES = ("ranking", "scores", "flags", "changes", "unanswered", "loads", "past")
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the docs are not here")


@pytest.fixture
def text():
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture
def queries(text):
    """The page's queries, of the task and the team of these tests."""
    found = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    ours = [query.replace("flood-posts", "task").replace("Kingfisher", "Bob") for query in found]
    return dict(zip(NAMES, ours, strict=True))


@pytest.fixture
def ask(rows, queries):
    """Rows of one of the page's queries."""
    return lambda name: rows(queries[name])


def views_of(text):
    """What the page says of each view: its columns."""
    (section,) = re.findall(r"^## Views\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", section, re.MULTILINE)
    return {
        name: re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", columns)) for name, columns in lines
    }


def test_the_page_names_every_table(text):
    """And no others."""
    (section,) = re.findall(r"^## Tables\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"^\| `(\w+)` ", section, re.MULTILINE)) == {
        *tables.Base.metadata.tables,
        "alembic_version",
    }


def test_the_page_names_every_view_and_its_columns(text, store):
    """In their order."""
    with closing(sqlite3.connect(store.path)) as opened:
        names = [
            name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'view'")
        ]
        views = {
            name: [each[0] for each in opened.execute(f"SELECT * FROM {name}").description]  # noqa: S608 - our own names
            for name in names
        }
    assert views_of(text) == views


@pytest.fixture
def used(store):
    """An evaluation by hand, kept in a store with two loads, a former evaluation, and a task that is another's."""
    store.save_campaigns(
        campaign(submissions=(submission("Ada", [1, 1, 1, 1]), *campaign().submissions[1:]))
    )
    last = campaign(official_metric=evaluation(campaign()).keys[0])
    for other in (campaign("other"), last):
        store.save_campaigns(other)
        keep(store, certain(evaluation(other, signature="former"), seed=7))
    made = certain(beside(evaluation(last)))
    keep(store, made)
    return made


def test_the_ranking_is_that_of_the_evaluation(used, ask):
    """By the official metric, with the leader's corrected interval, and what the comparison says."""
    compared, intervals = used.certainty.comparisons[0], used.certainty.intervals
    wanted = []
    for team in sorted(range(len(used.entries)), key=lambda team: -used.values[0, team]):
        lower, upper = intervals.lower[0, team], intervals.upper[0, team]
        if team == compared.leader:
            lower, upper = compared.leader_interval
        first, last = compared.possible_ranks[team].tolist()
        wanted.append(
            (
                int(used.rank_values[0, team]) if used.entries[team].competes else None,
                used.names[team],
                used.values[0, team],
                *(None if end != end else end for end in (lower, upper)),  # noqa: PLR0124 - NaN is not itself
                *(
                    (int(compared.could_be_best[team]), first, last)
                    if first
                    else (None, None, None)
                ),
            )
        )
    assert ask("ranking") == wanted


def test_the_ranking_is_there_without_a_certainty(store, ask):
    """With no interval, and nothing that a comparison says."""
    store.save_campaigns(campaign(official_metric=ScoreKey("accuracy")))
    keep(store, evaluation(campaign()))
    found = ask("ranking")
    assert [name for _, name, *_ in found] == ["Bob/2", "Bob", "Ada"]
    assert {tuple(row[3:]) for row in found} == {(None,) * 5}


def test_where_no_metric_is_official_averaged_f1_ranks(store, ask):
    """As in the report."""
    plain = campaign(official_metric=None)
    store.save_campaigns(plain)
    made = evaluate(plain, Options(certainty=False))
    store.save_evaluation(made, evaluation_document(made))
    scores = made.scores["averaged_f1"].sort_values(ascending=False)
    assert [(name, value) for _, name, value, *_ in ask("ranking")] == list(scores.items())


def test_an_evaluation_with_a_certainty_comes_before_one_without(store, rows):
    """Whichever was added last."""
    store.save_campaigns(campaign())
    keep(store, certain(evaluation(campaign(), signature="with")))
    keep(
        store,
        replace(evaluation(campaign(), signature="without"), options=Options(certainty=False)),
    )
    assert rows("SELECT signature FROM latest_evaluation") == [("with",)]
    keep(store, certain(evaluation(campaign(), signature="again")))
    assert rows("SELECT signature FROM latest_evaluation") == [("again",)]


def test_a_team_has_all_its_scores(used, ask):
    """Of all its runs, with intervals and the reasons for none."""
    found = ask("scores")
    assert [(name, score) for name, score, *_ in found] == [
        (name, score) for name in ("Bob", "Bob/2") for score in ("accuracy", "kappa~")
    ]
    for name, score, value, *_ in found:
        assert value == used.values[["accuracy", "kappa~"].index(score), used.names.index(name)]


def test_what_was_compared_is_that_of_the_certainty(used, rows):
    """Every comparison, and every entry in it."""
    compared = used.certainty.comparisons[0]
    found = rows(
        "SELECT score_name, leader, n_could_be_best, critical_value, draws FROM comparison WHERE task = 'task'"
    )
    assert found == [("accuracy", used.names[0], int(compared.could_be_best.sum()), 3.1, 100)]
    query = (
        "SELECT name, could_be_best, first_rank FROM team_score WHERE task = 'task' AND "
        "score_name = ? ORDER BY name"
    )
    best, first_ranks = compared.could_be_best.tolist(), compared.possible_ranks[:, 0].tolist()
    expected = zip(used.names, best, first_ranks, strict=True)
    assert rows(query, "accuracy") == [
        (name, int(best), first) if first else (name, None, None) for name, best, first in expected
    ]
    assert {row[1:] for row in rows(query, "kappa~")} == {(None, None)}


def test_the_flags_are_those_that_are_no_notes(used, store, rows, ask):
    """With their evidence as JSON, in the order of the report."""
    (flag,) = used.flags
    assert ask("flags") == [("changes the winner", flag.slug, flag.sentence)]
    assert json.loads(rows("SELECT evidence FROM flag WHERE task = 'task'")[0][0]) == {
        "teams": ["Ada", "Bob"],
        "by": 0.5,
    }
    keep(store, used.given(flags=()))
    assert ask("flags") == []


def test_the_changes_of_winner_are_those_of_the_certainty(used, ask):
    """Who is first on either side, and whether the test set shows it."""
    ((kind, score, first, other, other_first, state),) = ask("changes")
    assert (kind, score, other, state) == ("metric", "accuracy", "kappa~", "other-not-shown")
    assert (json.loads(first), json.loads(other_first)) == (["Ada"], ["Bob", "Bob/2"])
    assert used.certainty.changes


def test_the_baselines_have_every_score(used, rows):
    """One for each key."""
    found = rows("SELECT slug, title, score_name, value FROM baseline_score WHERE task = 'task'")
    keys = list(map(str, used.keys))
    assert found == [
        (each.slug, each.title, key, value)
        for each in used.baselines
        for key, value in zip(keys, each.values.tolist(), strict=True)
    ]


def test_submissions_are_counted_by_role(store, rows):
    """Current ones alone."""
    query = (
        "SELECT role, count(*), sum(n_missing), sum(n_unusable) FROM current_submission WHERE task = 'task'"
        " GROUP BY role ORDER BY role"
    )
    store.save_campaigns(policed(title="Former"))
    store.save_campaigns(policed())
    assert rows(query) == [("baseline", 1, 0, 0), ("late", 1, 1, 1), ("primary", 1, 0, 0)]


@pytest.mark.usefixtures("used")
def test_the_items_that_are_left_unanswered_are_those_that_were_loaded(ask):
    """With how many leave them."""
    assert ask("unanswered") == [("id2", "positive", 1), ("id3", "neutral", 1)]


@pytest.mark.parametrize("n_classes", [3, 253, 254, 300])
def test_the_answers_are_those_that_were_loaded(store, rows, n_classes):
    """In the labels' own words, whether a code takes one byte or two, and why there is none."""
    labels = tuple(f"label {code}" for code in range(n_classes))
    gold = [0, 1, n_classes - 1, 2]
    given = [n_classes - 1, n_classes, n_classes + 1, 1]
    made = campaign(gold=(0, 1, 2, 1))
    label_set = replace(made.task.label_set, labels=labels)
    dtype = "<u2" if n_classes > 253 else "u1"
    made = replace(
        made,
        task=replace(made.task, label_set=label_set, prevalences=()),
        gold=replace(made.gold, label_set=label_set, codes=_codes(gold, dtype)),
        submissions=(replace(made.submissions[0], given=_codes(given, dtype)),),
    )
    store.save_campaigns(made)
    found = rows("SELECT item, external_id, gold, predicted, unanswered FROM answer ORDER BY item")
    answers = [(labels[-1], None), (None, "missing"), (None, "unusable"), (labels[1], None)]
    assert found == [
        (item, f"id{item}", labels[gold[item]], *answer) for item, answer in enumerate(answers)
    ]


def _codes(values, dtype):
    return np.array(values, dtype)


@pytest.mark.usefixtures("used")
def test_the_history_is_that_of_the_store(store, ask, rows):
    """Every load and every version, with the times."""
    events = store.history("task")
    assert [(number, title) for number, _, title, *_ in ask("loads")] == [
        (2, "A task"),
        (1, "A task"),
    ]
    assert [row[1] for row in ask("loads")] == [event.loaded_at for event in events]
    assert [row[3:] for row in ask("loads")] == [(1, 1, 2), (3, 0, 0)]
    versions = rows(
        "SELECT team, run, sha256, replaced_at FROM submission_history WHERE task = 'task'"
    )
    assert len(versions) == 4
    assert set(versions) == {
        (each.team, each.run, each.sha256, each.replaced_at) for each in store.submissions("task")
    }


def test_a_score_of_every_evaluation_is_in_their_documents(store, ask):
    """Those of former loads too, best first."""
    changed = campaign(submissions=(submission("Ada", [0, 0, 0, 0]),))
    made = []
    for loaded in (campaign(), changed):
        store.save_campaigns(loaded)
        made.append(evaluate(loaded, Options(certainty=False)))
        store.save_evaluation(made[-1], evaluation_document(made[-1]))
    assert [row[1:] for row in ask("past")] == [
        each
        for one in made
        for each in one.scores["averaged_f1"].sort_values(ascending=False).items()
    ]


def test_anything_else_is_in_the_document(store, text, monkeypatch, capsys):
    """As the page's program asks for it."""
    store.save_campaigns(campaign())
    made = evaluate(campaign(), Options(certainty=False))
    store.save_evaluation(made, evaluation_document(made))
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(store.path.parent)
    exec(example.replace("flood-posts", "task"), {})  # noqa: S102 - the page is ours
    rules = evaluation_document(made)["elections"]["rules"]
    lines = [f"{rule['rule']} names {' and '.join(rule['winners']) or 'nobody'}" for rule in rules]
    assert capsys.readouterr().out.splitlines() == lines


def test_what_the_page_says_of_bytes_is_so(text, store, rows):
    """The application id, the revision, and how files are compressed."""
    store.save_campaigns(campaign())
    assert f"`{sqlite_file.APPLICATION_ID.to_bytes(4).decode()}`" in text
    assert f"revision `{sqlite_file.HEAD}`" in text
    gold = "SELECT compressed FROM load_file JOIN source_file ON source_file.id = source_file_id WHERE kind = 'gold'"
    ((compressed,),) = rows(gold)
    assert zlib.decompress(compressed) == campaign().gold.source.content
