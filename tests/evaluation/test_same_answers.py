"""A team's runs that give the same answers are one row; every run of it is still there by its name."""

import csv
import io
import json
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from audit.domain import (
    Campaign,
    Gold,
    LabelSet,
    Options,
    Policies,
    Role,
    ScoreKey,
    Submission,
    Task,
)
from audit.evaluation import evaluate
from audit.findings.revision.changed_inputs import difference_of
from audit.findings.revision.difference import SubmissionFate
from audit.ranking.families import family_of
from audit.readings import match_names
from audit.report.page import document_of
from audit.writers.bundle.sheets import ranks_csv
from audit.writers.data.export import evaluation_data, scores_csv
from tests.nightly import examples
from tests.real_campaigns import folder_of
from tests.report.parts import table_of

from .campaigns import campaign, campaigns, codes, submission

GOLD = [0, 0, 0, 1, 1, 1, 2, 2]
ACCURACY = ScoreKey("accuracy")
FIVE, OTHER_FIVE, SIX = [0, 0, 0, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1, 0, 0]


def made(runs, /, roles=None, **policies):
    """A campaign of runs, TEAM/RUN → label codes."""
    empty = campaign(GOLD, {}, official_metric=ACCURACY, policies=Policies(**policies))
    labels = empty.task.label_set
    given_runs = (
        submission(name, answers, labels, role=(roles or {}).get(name, Role.PRIMARY))
        for name, answers in runs.items()
    )
    return replace(empty, submissions=tuple(given_runs))


def rows(evaluation):
    """The runs of each row, by its name."""
    return {entry.name: [run.run for run in entry.runs] for entry in evaluation.entries}


RUNS = {"A/1": FIVE, "A/2": SIX, "A/3": FIVE, "B/1": OTHER_FIVE, "B/2": OTHER_FIVE, "C/1": FIVE}


def test_runs_of_a_team_with_the_same_answers_are_one_row():
    """Named by its first run, or by its team where that has no other row; other teams’ answers are their own."""
    evaluation = evaluate(made(RUNS))
    assert rows(evaluation) == {"A/1": ["1", "3"], "A/2": ["2"], "B": ["1", "2"], "C": ["1"]}
    assert evaluation.ranks_of(ACCURACY).tolist() == [2, 1, 2, 2]
    assert [run.name for run in evaluation.runs] == ["A/1", "A/3", "A/2", "B", "B/2", "C"]


@given(campaigns())
@examples(4)
def test_handing_in_the_same_twice_changes_nothing(made_campaign):
    """No score, rank, tie, interval, comparison or word of the verdict."""
    once = tuple(replace(each, run="a") for each in made_campaign.submissions)
    twice = tuple(
        copy for each in once for copy in (each, replace(each, run="b"), replace(each, run="c"))
    )
    one, other = (evaluate(replace(made_campaign, submissions=each)) for each in (once, twice))
    assert one.names == other.names
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.rank_values, other.rank_values)
    assert one.verdict == other.verdict
    assert [flag.slug for flag in one.flags] == [flag.slug for flag in other.flags]
    assert len(other.runs) == 3 * len(one.runs)


def test_the_order_in_which_runs_are_given_decides_no_name():
    """The first by name stands for all, numbers by their value."""
    backwards = made({name: RUNS[name] for name in reversed(RUNS)})
    assert rows(evaluate(made({"A/10": FIVE, "A/9": FIVE, "A/11": SIX}))) == {
        "A/9": ["9", "10"],
        "A/11": ["11"],
    }
    assert {name: sorted(runs) for name, runs in rows(evaluate(backwards)).items()} == {
        "A/1": ["1", "3"],
        "A/2": ["2"],
        "B": ["1", "2"],
        "C": ["1"],
    }


def test_a_run_that_takes_a_rank_stands_for_one_that_does_not():
    """A contrastive, late or unofficial copy shares the primary run's row; a withdrawn one is withdrawn."""
    names = ("A/1", "A/2", "A/3", "A/4", "A/5")
    roles = (Role.CONTRASTIVE, Role.LATE, Role.UNOFFICIAL, Role.PRIMARY, Role.WITHDRAWN)
    evaluation = evaluate(made(dict.fromkeys(names, FIVE), dict(zip(names, roles, strict=True))))
    (entry,) = evaluation.entries
    assert (entry.name, entry.run, entry.role, entry.competes) == ("A", "4", Role.PRIMARY, True)
    assert {run.run: run.role for run in entry.same} == {
        "1": Role.CONTRASTIVE,
        "2": Role.LATE,
        "3": Role.UNOFFICIAL,
    }
    assert [(run.run, run.reason) for run in evaluation.uncounted] == [("5", "withdrawn")]


def test_a_baseline_stays_a_baseline():
    """Also where a run of its own team, or of no team, gives its answers."""
    evaluation = evaluate(
        made({"A/majority": FIVE, "A/system": FIVE}, {"A/majority": Role.BASELINE})
    )
    assert rows(evaluation) == {"A/majority": ["majority"], "A/system": ["system"]}


@pytest.mark.parametrize(("policy", "row"), [("last", "3"), ("best", "2"), ("primary", "3")])
def test_a_policy_picks_a_run_and_its_copies_come_with_it(policy, row):
    """What gives the answers of the run that counts is not left out; what gives others is."""
    evaluation = evaluate(made({"A/1": FIVE, "A/2": SIX, "A/3": FIVE}, runs=policy))
    (entry,) = evaluation.entries
    assert (entry.name, entry.run) == ("A", row)
    assert [run.run for run in entry.same] == (["1"] if row == "3" else [])
    assert [run.run for run in evaluation.uncounted] == (["2"] if row == "3" else ["1", "3"])
    assert sum(run.competes for run in evaluation.runs) == 1


def test_answers_are_the_same_only_where_scores_are():
    """Of items that are scored one by one, other scores make another row; so do other words in place of a label."""
    base = made(
        {"A/1": [0, 0, 1, 1], "A/2": [0, 0, 1, 1], "B/1": [0, 3, 1, 1], "B/2": [0, 3, 1, 1]}
    )
    labels = replace(base.task.label_set, labels=("a", "b"))
    gold = replace(base.gold, label_set=labels, codes=codes([0, 1, 0, 1], labels))
    scores = (
        [0.1, 0.2, 0.3, 0.4],
        [0.4, 0.2, 0.3, 0.1],
        [0.0, 0.1, 0.2, 0.3],
        [0.0, 0.1, 0.2, 0.3],
    )
    strays = ((), (), (("x", 1),), (("y", 1),))
    submissions = tuple(
        replace(each, scores=np.array(of_items), unusable_labels=stray)
        for each, of_items, stray in zip(base.submissions, scores, strays, strict=True)
    )
    task = replace(base.task, label_set=labels, scored_labels=("b",))
    evaluation = evaluate(
        replace(base, task=task, gold=gold, submissions=submissions), Options(certainty=False)
    )
    assert evaluation.names == ("A/1", "A/2", "B/1", "B/2")


def test_every_run_is_found_by_its_name():
    """By team and run, in any case, also where its row is called otherwise."""
    evaluation = evaluate(made(RUNS))
    found = {
        name: evaluation.names[evaluation.entry_number(name)]
        for name in ("A/3", "a/3", "B/1", "B/2", "C/1", "B")
    }
    assert found == {"A/3": "A/1", "a/3": "A/1", "B/1": "B", "B/2": "B", "C/1": "C", "B": "B"}


def test_every_run_is_in_the_exports():
    """By name in the rows of scores and ranks and in JSON, with its file on the page."""
    evaluation = evaluate(made(RUNS))
    tables = scores_csv(evaluation, [ACCURACY], by=ACCURACY), ranks_csv(evaluation)
    for table in tables:
        shown = {row["team"]: row["runs"] for row in csv.DictReader(io.StringIO(table))}
        assert {name: shown[name] for name in evaluation.names} == {
            "A/1": "1; 3",
            "A/2": "2",
            "B": "1; 2",
            "C": "1",
        }
    entries = json.loads(json.dumps(evaluation_data(evaluation)))["entries"]
    assert {entry["name"]: [run["run"] for run in entry["runs"]] for entry in entries} == rows(
        evaluation
    )
    document = document_of(evaluation)
    assert len(table_of(document, "table-files").rows) == len(RUNS)
    assert "3 teams" in document.facts
    assert "6 runs (4 different answers)" in document.facts
    assert any(row.name == "A/1 (2 runs)" for row in document.board.rows)


def test_a_run_that_joins_or_leaves_a_row_is_told():
    """Its answers are those of another; nothing was withdrawn but what is gone."""
    apart, together = (
        evaluate(made({"A/1": FIVE, "A/2": SIX})),
        evaluate(made({"A/1": FIVE, "A/2": FIVE})),
    )
    (joined,) = [each for each in difference_of(apart, together).submissions if each.name == "A/2"]
    assert (joined.fate, joined.reason) == (SubmissionFate.UNCOUNTED, "its answers are those of A")
    (left,) = [each for each in difference_of(together, apart).submissions if each.name == "A/2"]
    assert (left.fate, left.reason) == (SubmissionFate.COUNTED, "its answers are those of A")
    alone = evaluate(made({"A/1": FIVE}))
    assert [(each.name, each.fate) for each in difference_of(together, alone).submissions] == [
        ("A/2", SubmissionFate.WITHDRAWN)
    ]
    assert [(each.name, each.fate) for each in difference_of(alone, together).submissions] == [
        ("A/2", SubmissionFate.ADDED)
    ]


def test_runs_that_are_one_in_some_test_set_alone_stay_two_rows_of_the_summary():
    """And are one where they are one in all."""
    one = evaluate(made({"A/1": FIVE, "A/2": FIVE, "A/3": FIVE, "B/1": SIX}))
    other = evaluate(made({"A/1": FIVE, "A/2": SIX, "A/3": FIVE, "B/1": SIX}))
    summary = family_of([one, other])
    assert [row.name for row in summary.rows] == ["A/1", "A/2", "B"]
    assert summary.entries.tolist() == [[0, 0], [0, 1], [1, 2]]
    assert [row.name for row in family_of([one, one]).rows] == ["A", "B"]


def test_rows_of_a_published_table_find_the_row_that_their_runs_share():
    """Two rows of the table may be one entry; a team with one row is found by its name."""
    found = match_names(["A/1", "A/3", "a-2", "B", "B-2", "C/1"], evaluate(made(RUNS)))
    assert found.entry_of == {0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 5: 3}
    assert found.renamed == (("a-2", "A/2"), ("B-2", "B/2"))


# DSTC11 track 5: 48 entries of 15 systems, runs of one team that say the same for every turn


@pytest.fixture(scope="module")
def detection():
    """Whether a turn seeks knowledge, with the baseline declared."""
    folder = folder_of("dstc11-track5")
    labels = LabelSet(("false", "true"))
    gold = json.loads((folder / "data/test/labels.json").read_text())
    with zipfile.ZipFile(folder / "results.zip") as archive:
        files = {
            name: json.loads(archive.read(name))
            for name in archive.namelist()
            if name.endswith(".json")
        }

    def answers(turns):
        return codes([bool(turn["target"]) for turn in turns], labels)

    submissions = tuple(
        Submission(
            team, answers(turns), run, role=Role.BASELINE if team == "team00" else Role.PRIMARY
        )
        for name, turns in sorted(files.items())
        for team, run in [name.removesuffix(".json").split("/")[-2:]]
    )
    task = Task("dstc11", "Knowledge-seeking turns", labels, official_metric=ScoreKey("f1[true]"))
    return Campaign(task, Gold(labels, answers(gold)), submissions)


def test_dstc11_has_as_many_rows_as_different_answers(detection):
    """18, as the data's description says; every F1 of the 48 entries is the organisers', found by team and run."""
    evaluation = evaluate(detection, Options(certainty=False))
    assert (len(evaluation.runs), len(evaluation.entries)) == (48, 18)
    scores = evaluation.scores_of(ScoreKey("f1[true]"))
    with (folder_of("dstc11-track5") / "published_scores.tsv").open(
        encoding="utf-8", newline=""
    ) as file:
        published = {
            f"team{int(row['team_id']):02}/entry{row['entry_id']}": float(row["detection_f1"])
            for row in csv.DictReader(file, delimiter="\t")
        }
    ours = {f"{run.team}/{run.run}" for run in evaluation.runs}
    assert ours <= published.keys()
    for name in ours:
        assert scores[evaluation.entry_number(name)] == pytest.approx(published[name], abs=1e-6)
    errors = evaluation.gold.n_items - evaluation.cells.correct.sum(axis=1)
    assert evaluation.gold.n_items == 5475
    assert {evaluation.entries[place].team for place in np.flatnonzero(errors == 8)} == {
        "team07",
        "team11",
        "team12",
    }


def test_dstc11_asks_nobody_for_a_copy_of_gold(detection):
    """Three teams have nearly every label, and none has all: a detection may be that easy."""
    evaluation = evaluate(detection, Options(certainty=False))
    assert evaluation.task.policies.gold_copy == "refuse"
    assert "answers-equal-gold" not in {flag.slug for flag in evaluation.flags}
    assert "answers-equal-gold" not in {each.about for each in evaluation.verdict.to_do}
    texts = [
        evaluation.verdict.sentence,
        evaluation.verdict.more,
        *(each.text for each in evaluation.verdict.to_do),
    ]
    assert not any(re.search(r"\bgold\b", text) for text in texts)


def test_dstc11_says_that_runs_are_ranked(detection):
    """All but the baseline’s, of how many teams, with how many different answers; one of each team ends it."""
    evaluation = evaluate(detection, Options(certainty=False))
    given_runs = [run for run in detection.submissions if run.role != Role.BASELINE]
    different = {(run.team, run.codes.tobytes()) for run in given_runs}
    teams = {run.team for run in given_runs}
    (request,) = [each.text for each in evaluation.verdict.to_do if each.about == "runs"]
    assert (
        f"{len(given_runs)} runs ({len(different)} different answers) of {len(teams)} teams are each ranked"
        in request
    )
    policies = Policies(runs="best")
    best = evaluate(
        replace(detection, task=replace(detection.task, policies=policies)),
        Options(certainty=False),
    )
    assert "runs" not in {each.about for each in best.verdict.to_do}
    assert int(best.contending.sum()) == len(teams)
