"""docs/store.md says what the store is."""

import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from audit.domain import NO_RESAMPLING
from audit.evaluation import evaluate
from audit.ranking import default_voters, verdicts_of
from audit.readings import audit_macro_f1, swaps
from audit.store import schema, tables

from .campaigns import campaign, evaluation, label_set, policed, published, resampled, submission

PAGE = Path(__file__).resolve().parents[2] / "docs" / "store.md"
FINDINGS = ("readings", "swaps", "distributions", "elections", "published")
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the docs are not here")


@pytest.fixture
def text():
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture
def queries(text):
    names = ("ranking", "winners", *FINDINGS, "history", "journal", "answers")
    return dict(zip(names, re.findall(r"```sql\n(.*?)```", text, re.DOTALL), strict=True))


@pytest.fixture
def used(store):
    """A store with two loads and an evaluation."""
    store.save_campaign(campaign(submissions=(submission("Ada", [1, 1, 1, 1]), *campaign().submissions[1:])))
    last = campaign(official_metric=evaluation(campaign()).keys[1])
    store.save_campaign(last)
    store.save_evaluation(resampled(evaluation(last)))
    return last


def test_the_page_names_every_table_and_column(text):
    """And no others."""
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", text, re.MULTILINE)
    described = {table: set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", columns))) for table, columns in rows}
    assert described.pop("alembic_version") == {"version_num"}
    assert described == {name: set(table.columns.keys()) for name, table in tables.Base.metadata.tables.items()}


def test_the_ranking_is_that_of_the_evaluation(used, rows, queries):
    """By the official metric, at its prevalence."""
    made = evaluation(used)
    values = dict(zip(made.names, made.values[1].tolist(), strict=True))
    ranks = dict(zip(made.names, made.rank_values[1].tolist(), strict=True))
    found = rows(queries["ranking"])
    assert [rank for _, rank, *_ in found] == sorted(ranks.values())
    for slug, rank, team, run, value in found:
        name = team if run is None else f"{team}/{run}"
        assert (slug, rank) == ("task", ranks[name])
        assert value == values[name] or value is None


def test_the_possible_winners_are_those_of_the_comparison(used, rows, queries):
    """By the official metric, at its prevalence."""
    made = resampled(evaluation(used))
    by_official = made.uncertainty.comparisons[1]
    found = rows(queries["winners"])
    teams = [name if run is None else f"{name}/{run}" for _, name, run, *_ in found]
    assert teams == [
        made.names[team] for team in sorted(by_official.possible_winners, key=made.ranks_of(made.keys[1]).item)
    ]
    for name, (*_, value, lower, upper, last, tier) in zip(teams, found, strict=True):
        team = made.names.index(name)
        numbers = (made.values[1, team], made.uncertainty.lower[1, team], made.uncertainty.upper[1, team])
        assert (value, lower, upper) == tuple(None if np.isnan(number) else number for number in numbers)
        assert (last, tier) == (by_official.rank_sets[team, 1], by_official.tiers[team])


def test_an_array_is_read_as_the_page_says(used, text, monkeypatch, path, capsys):
    """The example runs, and says which teams are separable."""
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    made = resampled(evaluation(used))
    wanted = next(each for each in made.uncertainty.comparisons if each.key == made.keys[0])
    monkeypatch.chdir(path.parent)
    exec(example.replace("averaged_f1", "accuracy"), {})  # noqa: S102 - the page is ours
    assert capsys.readouterr().out.splitlines() == [
        f"{made.names[row]} is separable from {made.names[column]}" for row, column in np.argwhere(wanted.separable)
    ]


def test_the_page_names_every_array(used, text, rows):
    """With what its rows stand for, which the example reads."""
    made = resampled(evaluation(used))
    standing = {"scores": made.keys, "metrics": made.agreement.keys, "teams": made.names}
    lines = re.findall(r"^\| (`.*`) \| (scores|metrics|teams) \|", text, re.MULTILINE)
    described = {
        name: list(map(str, standing[kind])) for names, kind in lines for name in re.findall(r"`(.*?)`", names)
    }
    found = rows("SELECT name, stands_for FROM packed_array")
    assert {re.sub(":.*", ":METRIC", name): json.loads(stands_for) for name, stands_for in found} == described


@pytest.fixture
def found(store):
    """An evaluation of the engine, kept in a store."""
    loaded = published(resampling=NO_RESAMPLING)
    store.save_campaign(loaded)
    made = evaluate(loaded)
    store.save_evaluation(made)
    return made


def named(team, run):
    return team if run is None else f"{team}/{run}"


def test_the_readings_are_those_that_crown_another(found, rows, queries):
    """Each with its winners who are not first by the base."""
    audit = audit_macro_f1(found)
    first = audit.groups[0].winners
    assert (
        [(reading, n_changes, named(team, run)) for _, reading, n_changes, team, run, _ in rows(queries["readings"])]
        == [
            (str(group.reading), len(group.changed), audit.teams[team])
            for group in audit.groups
            for team in group.winners
            if team not in first
        ]
        != []
    )


def test_the_swaps_are_those_of_one_choice(store, rows, queries):
    """As the audit has them: Opitz & Burst 2019, tables 1 and 2, of which each wins by one macro F1."""
    gold, even, skewed = [0] * 10 + [1] * 20, [0, 1] * 5 + [0, 1] * 10, [0] + [1] * 9 + [0] + [1] * 19
    teams = (submission("even", even), submission("skewed", skewed))
    loaded = campaign(
        gold=gold, submissions=teams, labels=label_set("a", "b"), prevalences=(), resampling=NO_RESAMPLING
    )
    store.save_campaign(loaded)
    made = evaluate(loaded)
    store.save_evaluation(made)
    (found,) = [row for row in rows(queries["swaps"]) if row[4] == "f1_of_averages"]
    (first, second) = swaps(audit_macro_f1(made))[:1], found
    assert ("even", "skewed") == tuple(made.names[team] for team in (first[0].ahead, first[0].behind)) == second[1:3]
    assert str(first[0].other.reading) == second[4]
    assert min(second[3], second[5]) > 0


def test_the_shares_are_those_of_the_winner_map(found, rows, queries):
    """Of every team that takes a rank."""
    shares = {named(team, run): tuple(row) for _, _, team, run, *row in rows(queries["distributions"])}
    known = found.winner_map
    assert shares == {
        name: (
            known.uniform[team],
            known.nearby[team],
            team in known.winners,
            None if known.nearest is None else team in known.nearest.winners,
            known.nearest and known.nearest.distance,
        )
        for team, name in enumerate(found.names)
    }


def test_the_rules_crown_whom_the_evaluation_says(found, rows, queries):
    """By every rule that crowns somebody."""
    crowned = [(title, named(team, run)) for _, title, team, run, *_ in rows(queries["elections"])]
    verdicts = verdicts_of(found, default_voters())
    assert crowned == [(each.rule.title, found.names[team]) for each in verdicts for team in each.winners]


def test_the_published_scores_are_what_was_identified(found, rows, queries):
    """With the team that is off."""
    said = [
        (
            column.heading,
            column.heading_says,
            str(match.reading),
            match.n_matched,
            column.n_teams,
            miss.team,
            miss.printed,
        )
        for column in found.published.columns
        for match in column.matches[:1]
        for miss in sorted(match.misses, key=lambda miss: miss.team)
    ]
    assert (
        said
        == [
            (*row, named(team, run), printed)
            for _, *row, team, run, printed, _ in rows(queries["published"])
            if team is not None
        ]
        != []
    )


def test_the_history_is_that_of_the_summaries(used, store, rows, queries):
    """Every version, with the times of its loads."""
    found = {(team, run, sha256, replaced) for _, team, run, sha256, _, replaced in rows(queries["history"])}
    assert len(rows(queries["history"])) == len(used.submissions) + 1
    assert found == {(each.team, each.run, each.sha256, each.replaced_at) for each in store.submissions("task")}


def test_the_journal_is_that_of_the_latest_load(store, rows, queries):
    """But for the files that were read."""
    store.save_campaign(policed())
    assert rows(queries["journal"]) == [
        ("task", entry.action, entry.subject, entry.text, entry.count)
        for entry in policed().journal
        if entry.action != "read"
    ]


def test_the_answers_are_those_that_were_loaded(used, rows, queries):
    """In the labels' own words, and NULL where there is none."""
    names = dict(enumerate(used.task.label_set))
    assert rows(queries["answers"]) == [
        (each.team, each.run, item_id, names[gold], names.get(code))
        for each in used.submissions
        for item_id, gold, code in zip(used.gold.item_ids, used.gold.codes.tolist(), each.codes.tolist(), strict=True)
    ]


def test_what_the_page_says_of_bytes_is_so(text, used, rows):
    """The application id, and how files are compressed."""
    assert schema.APPLICATION_ID.to_bytes(4).decode() in text
    (compressed,) = rows("SELECT compressed FROM source_file JOIN load ON gold_file_id = source_file.id")[0]
    assert zlib.decompress(compressed) == used.gold.source.content
