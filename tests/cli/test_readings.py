"""``audit readings`` and ``audit identify``: what they print is what the evaluation says."""

import csv
import json
import math
import re

import numpy as np
import pytest

from audit.metrics import PRESETS, difference_in_words, reading_phrase
from audit.readings import audit_macro_f1
from audit.readings.macro_f1_wording import definition, shown_groups, statements, team_names
from audit.text import sentence_case
from tests.nightly import ALL


@pytest.fixture
def table(folder, evaluation):
    """The sample's macro F1s as somebody might publish them: misnamed, one mistyped, one team renamed."""
    scores = evaluation.scores[["averaged_f1", "f1_of_averages"]]
    rows = [
        f"{team.upper()};{a * 100:.1f};{b * 100:.1f};x".replace(".", ",")
        for team, a, b in scores.itertuples()
    ]
    cells = rows[3].split(";")
    rows[3] = ";".join([cells[0], cells[1], "99,9", "y"])
    path = folder / "published.csv"
    path.write_text(
        "\n".join(["Team;Recall;Macro-F1;paper", *rows[:-1], "Nobody;1,0;1,0;z"]), encoding="utf-8"
    )
    return path


def test_readings_lists_every_preset_with_what_it_differs_in_and_who_uses_it(run):
    result = run("readings")
    assert result.exit_code == 0
    for slug, preset in PRESETS.items():
        assert f"{slug}: {preset.title}" in result.stdout.splitlines()
        assert f"    reading: {preset.signature}" in result.stdout
        assert f"    used by: {preset.used_by}" in result.stdout
    assert "    differs in: nothing" in result.stdout
    assert "    differs in: F1 of averages; all classes of the label set" in result.stdout


def test_readings_as_json_has_the_same_entries(run):
    entries = json.loads(run("readings", "--json").stdout)
    assert [entry["slug"] for entry in entries] == list(PRESETS)
    assert all(set(entry) == set(entries[0]) for entry in entries)


@pytest.mark.usefixtures("store")
def test_readings_of_a_task_prints_the_audit(run, evaluation):
    """Winner by reading, the statements and the sentence for the paper, word for word."""
    result = run("readings", "flood-posts")
    assert result.exit_code == 0
    audit, labels = audit_macro_f1(evaluation), evaluation.task.label_set
    for group in shown_groups(audit):
        changed = difference_in_words(group.reading, audit.base, labels)
        said = (
            f"With {'; '.join(changed)}"
            if changed
            else sentence_case(reading_phrase(audit.base, labels))
        )
        assert said in result.stdout
        assert team_names(audit, group.winners, limit=3) in result.stdout
    for sentence in statements(audit, labels):
        assert f"    {sentence}" in result.stdout.splitlines()
    assert (
        f"    For the paper: {definition(audit.base, labels, int(evaluation.present.sum()))}"
        in result.stdout
    )


@pytest.mark.usefixtures("store")
def test_readings_of_a_task_as_json_has_every_reading_and_score(run, evaluation):
    data = json.loads(run("readings", "flood-posts", "--json").stdout)
    audit = audit_macro_f1(evaluation)
    assert (
        data["readings_tried"]
        == audit.n_readings
        == sum(len(group["readings"]) for group in data["groups"])
    )
    assert data["base"] == data["groups"][0]["reading"] == "averaged_f1"
    for group, shown in zip(audit.groups, data["groups"], strict=True):
        assert shown["winners"] == [audit.teams[team] for team in group.winners]
        assert list(shown["scores"]) == list(audit.teams)
        values = [math.nan if score is None else score for score in shown["scores"].values()]
        np.testing.assert_array_equal(group.scores, values)
    assert data["nearest_reading_with_another_winner"]["changed"] == ["metric"]
    assert data["farthest_move"]["rank"] != data["farthest_move"]["rank_by_base"]


@pytest.mark.usefixtures("store")
def test_the_evaluation_as_json_has_the_audit_without_the_scores(run):
    """Who wins by which reading; the scores of all readings are left to their own command."""
    data = json.loads(run("evaluate", "flood-posts", "--json").stdout)["macro_f1"]
    assert data["groups"][0]["alike"] > 1
    assert "scores" not in data["groups"][0]
    assert data["winners"][0]["teams"] == data["groups"][0]["winners"]


@pytest.mark.usefixtures("store")
def test_identify_prints_what_the_columns_are(run, table):
    """The misnamed column, the mistyped team, the names that were folded, and those without a counterpart."""
    result = run("identify", "flood-posts", table)
    assert result.exit_code == 0
    out = result.stdout
    assert (
        "Finding: The heading “Recall” says macro recall or recall, and these numbers are macro-averaged F1."
        in out
    )
    finding = "“Macro-F1” is the name of two metrics; 10 of these 11 numbers are F1 of averages: check the others, then"
    assert f"Finding: {finding} write that." in out
    assert "printed 99,9" in out
    assert "Not in the campaign: “Nobody”." in out
    assert "Not looked at: “paper” (no numbers)." in out
    assert "was taken for" in out


@pytest.mark.usefixtures("store")
def test_identify_counts_the_readings_that_it_does_not_print(run, folder, evaluation):
    """Two teams tell few readings apart: the printed groups and those that are left out add up to all."""
    names = list(evaluation.names[:2])
    scores = [f"{evaluation.scores.loc[name, 'averaged_f1']:.2f}" for name in names]
    (folder / "two.csv").write_text(
        "team,F1\n" + "".join(f"{n},{s}\n" for n, s in zip(names, scores, strict=True))
    )
    out = run("identify", "flood-posts", folder / "two.csv").stdout
    (column,) = json.loads(run("identify", "flood-posts", folder / "two.csv", "--json").stdout)[
        "tables"
    ][0]["columns"]
    n_all = sum(len(match["cannot_be_told_from"]) + 1 for match in column["matches"])
    (more,) = re.findall(r"… and ([\d,]+) more, of ([\d,]+) readings", out)
    listed = re.findall(r"^    2 of 2  \S+(?:  \(and ([\d,]+) reading)?", out, re.MULTILINE)
    assert len(listed) + int(more[0].replace(",", "")) == len(column["matches"])
    shown = sum(int((each or "0").replace(",", "")) + 1 for each in listed)
    assert shown + int(more[1].replace(",", "")) == n_all


@pytest.mark.usefixtures("store")
def test_identify_as_json_says_the_same(run, table, evaluation):
    data = json.loads(run("identify", "flood-posts", table, "--json").stdout)
    recall, macro = data["tables"][0]["columns"]
    n_teams = len(evaluation.entries) - 1
    assert (recall["heading"], recall["heading_names_the_numbers"], recall["all_match"]) == (
        "Recall",
        "no",
        True,
    )
    assert (recall["teams"], recall["matches"][0]["matched"]) == (n_teams, n_teams)
    assert (macro["matches"][0]["reading"], macro["matches"][0]["matched"]) == (
        "f1_of_averages",
        n_teams - 1,
    )
    assert [off["team"] for off in macro["matches"][0]["off"]] == [evaluation.names[3]]
    assert data["not_in_the_campaign"] == ["Nobody"]
    assert data["not_in_the_table"] == [evaluation.names[-1]]
    assert len(data["findings"]) == 2


@pytest.mark.usefixtures("store")
def test_identify_takes_several_tables(run, folder, evaluation):
    """Each column stands below its own table, though all are looked at as one: here a mean of the other's columns."""
    scores = evaluation.scores.sort_values("averaged_f1", ascending=False)
    pairs = scores[["accuracy", "averaged_f1"]]
    rows = {
        "two.csv": [("team", "Acc", "Macro F1 score"), *pairs.itertuples()],
        "ranks.csv": [
            ("team", "Rank", "Overall"),
            *zip(pairs.index, range(1, 99), pairs.mean(axis=1), strict=False),
        ],
    }
    for name, table in rows.items():
        lines = (
            ",".join(f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row)
            for row in table
        )
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    both = ("identify", "flood-posts", folder / "two.csv", folder / "ranks.csv")
    data, out = json.loads(run(*both, "--json").stdout), run(*both).stdout
    heads = [
        (each["table"], [column["heading"] for column in each["columns"]])
        for each in data["tables"]
    ]
    assert heads == [("two.csv", ["Acc", "Macro F1 score"]), ("ranks.csv", ["Overall"])]
    assert [[ranks["heading"] for ranks in each["ranks"]] for each in data["tables"]] == [
        [],
        ["Rank"],
    ]
    overall = data["tables"][1]["columns"][0]
    assert (overall["all_match"], "averaged_f1" in overall["matches"][0]["reading"]) == (True, True)
    places = [
        out.index(each)
        for each in ("Table “two.csv”", "Macro F1 score", "Table “ranks.csv”", "Overall")
    ]
    assert places == sorted(places)
    alone = run("identify", "flood-posts", folder / "ranks.csv")
    assert "Table “" not in alone.stdout
    assert not json.loads(run("identify", "flood-posts", folder / "ranks.csv", "--json").stdout)[
        "tables"
    ][1:]


@pytest.mark.usefixtures("store")
def test_identify_knows_the_scores_that_show_prints(run, folder):
    """In full precision, each column under the name that the program itself gives it."""
    shown = csv.reader(run("show", "flood-posts", "--csv").stdout.splitlines())
    rank, team, *scores = list(zip(*shown, strict=True))[:-3]
    table = [rank, team, *(scores if ALL else [*scores[:-1:8], scores[-1]])]
    with (folder / "own.csv").open("w", encoding="utf-8") as file:
        csv.writer(file).writerows(zip(*table, strict=True))
    (found,) = json.loads(run("identify", "flood-posts", folder / "own.csv", "--json").stdout)[
        "tables"
    ]
    columns, (unanswered,) = found["columns"], found["not_looked_at"]
    _, _, *headings, last = (column[0] for column in table)
    assert [column["heading"] for column in columns] == headings
    assert unanswered["heading"] == last  # a count
    assert all(
        column["all_match"] and column["heading_names_the_numbers"] != "no" for column in columns
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("team,F1\nA,x\n", "bad-table"),
        ("team,F1\nA,.5\nA,.4\n", "bad-table"),
        ("team,F1\nA,.5\n", "bad-table"),
    ],
)
@pytest.mark.usefixtures("store")
def test_identify_refuses_a_table_it_cannot_use(run, folder, content, said):
    """With the file and what to do, and exit code 1."""
    (folder / "table.csv").write_text(content, encoding="utf-8")
    result = run("identify", "flood-posts", folder / "table.csv")
    assert result.exit_code == 1
    assert "table.csv" in result.stderr
    assert said in result.stderr
    assert "to do: " in result.stderr


@pytest.mark.usefixtures("store")
def test_a_task_that_the_store_lacks_is_a_usage_error(run):
    assert run("readings", "nothing").exit_code == 2
