"""Every command on the sample campaign: what it prints, what it writes, and that both are the evaluation."""

import csv
import io
import json
import re
import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import audit
from audit.domain import Kind, LabelSet, Severity
from audit.errors import ISSUE_KINDS, UsageError, causes_of
from audit.evaluation import evaluate
from audit.findings.catalogue import FLAG_KINDS
from audit.findings.numbers_in_words import p_phrase
from audit.formats.campaign.campaigns import read_campaign
from audit.metrics import ITEM_SCORE_METRICS, METRICS, SCALE_METRICS, UNIT_METRICS, parse_score_key
from audit.report import printing, short
from audit.report.short import ranking_blocks
from audit.report.terminal_layout import LINES_OF_RUN, LINES_OF_SHOW
from audit.writers import terminal
from audit.writers.data.export import evaluation_data, to_json
from audit.writers.html import render_html
from tests.nightly import by_day

from .conftest import FLOOD


def refuse(constant):
    """JSON has no NaN and no infinity."""
    raise AssertionError(constant)


def parsed(text):
    """JSON as a strict reader takes it."""
    return json.loads(text, parse_constant=refuse)


def ranking(text):
    """The rows of the printed ranking: rank, team, score, and what stands beside them."""
    rows = (line.replace("●", " ") for line in text.splitlines())
    return [line.split() for line in rows if re.match(r" {0,3}\d+=? {2,3}\S", line)]


def words(text):
    """A text without the ends of its lines."""
    return " ".join(text.split())


def test_run_loads_evaluates_and_reports(run, folder, evaluation):
    """One command: the ranking and the flags on standard output, the report and the store in the folder."""
    result = run("run", FLOOD)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [row[1] for row in ranking(result.stdout)] == [
        evaluation.names[team]
        for team in evaluation.order(evaluation.task.ranking_metric)
        if evaluation.competing[team]
    ]
    assert lines[-1] == "Report: audit-flood-posts.html    More: audit show flood-posts"
    assert len(lines) <= LINES_OF_RUN
    assert lines[0] == evaluation.task.title
    assert lines[1] == "11 teams, 1,024 items, 5 classes; official metric: macro-averaged F1"
    assert (
        f" {evaluation.verdict.sentence.removesuffix('.')}: eight other teams may be equally"
        in words(result.stdout)
    )
    assert (folder / "audit-flood-posts.html").read_text(encoding="utf-8") == render_html(
        evaluation
    )
    assert sorted(path.name for path in folder.iterdir()) == ["audit-flood-posts.html", "audit.db"]


@pytest.mark.usefixtures("store")
def test_the_verdict_stands_before_the_ranking_and_findings_are_told_in_full_where_they_are_asked_for(
    run, evaluation
):
    """Without --notes their number is told; with them each of them, and all that is to be done."""
    short, full = (run("show", "flood-posts", *options).stdout for options in ([], ["--notes"]))
    before, _, behind = short.partition("rank  team")
    assert evaluation.verdict.sentence in words(before)
    changing = [each.sentence for each in evaluation.verdict.depends_on if not each.state.is_same]
    assert changing
    assert all(sentence in words(behind) for sentence in changing)
    assert len(short.splitlines()) <= LINES_OF_SHOW
    n_told = sum(each.text in words(behind) for each in evaluation.verdict.to_do)
    n_to_do = len(evaluation.verdict.to_do)
    assert 0 < n_told < n_to_do
    assert f"(first {n_told} of {n_to_do}; all: audit show flood-posts --notes):\n" in behind
    assert all(f"    {each.text}\n" in full for each in evaluation.verdict.to_do)
    notes = [flag for flag in evaluation.flags if flag.severity is Severity.NOTE]
    assert 0 < len(notes) < len(evaluation.flags)
    n_others = len(evaluation.flags) - len(notes)
    assert short.endswith(
        f"{n_others} findings and {len(notes)} notes: audit show flood-posts --notes\n"
    )
    for flag in evaluation.flags:
        assert f"{flag.severity.label}  {flag.slug}\n    {flag.sentence}\n\n" in full


@pytest.mark.usefixtures("store")
def test_the_json_of_a_ranking_has_the_verdict_of_the_evaluation(run, evaluation):
    """As evaluation.json has it, whatever metric the ranking is by."""
    expected = json.loads(to_json(evaluation_data(evaluation)))["verdict"]
    assert expected["to_do"]
    for options in ([], ["-m", "kappa"]):
        assert parsed(run("show", "flood-posts", *options, "--json").stdout)["verdict"] == expected


def test_a_clean_audit_is_good_news(run, campaign):
    """Nothing changes winner or order, and that is said."""
    files = {"task.toml": 'official_metric = "averaged_f1"\n'}
    for team, n_wrong in (("A", 3), ("B", 12)):
        answers = (f"{i},{'yes' if bool(i % 3) != (i < n_wrong) else 'no'}\n" for i in range(60))
        files[f"submissions/{team}.csv"] = "id,label\n" + "".join(answers)
    run("load", campaign(**files))
    assert "\nThe audit’s rules found nothing to report. " in run("show", "small").stdout
    files["task.toml"] = files["task.toml"].partition("\n")[2]
    run("load", campaign(**files))
    assert "\nNo finding changes winner or order. " in run("show", "small").stdout


def test_run_says_what_it_assumed_and_ignored_and_what_was_odd(run, evaluation):
    """Assumptions and ignored files for who asks for all of it; issues of the files on standard error, always."""
    short, result = run("run", FLOOD), run("run", FLOOD, "--notes")
    assert "assumed: " not in short.stdout
    issues = [issue for entry in evaluation.entries for issue in entry.issues]
    assert {issue.slug for issue in issues} == set(re.findall(r": ([a-z-]+): ", short.stderr))
    for assumption in evaluation.task.assumptions:
        assert f"assumed: {assumption}" in result.stdout
    assert "ignored: README.md and submissions/README.txt" in result.stdout
    assert issues
    assert result.stderr == short.stderr
    assert len(re.findall(r": ([a-z-]+): ", short.stderr)) == len(causes_of(issues))


def test_files_that_no_rule_claims_are_counted_and_stand_before_any_result(run, campaign):
    """Those that could hold labels, with the submissions that were rejected; documentation is only listed."""
    files = {
        "submissions/A.csv": "id,label\n1,no\n",
        "submissions/D.csv": b"\0\0",
        "more/B.csv": "x",
        "C.csv": "x",
    }
    folder = campaign(**files, **{"README.md": "x"})
    not_used = "1 of 3 files was not loaded.\nNot read, and may hold labels: C.csv and more/.\n"
    ran = run("run", folder, "--skip-rejected").stdout
    assert ran.startswith(not_used)
    loaded = run("load", folder, "--skip-rejected").stdout
    assert loaded.endswith(not_used)
    assert "    ignored: README.md\n" in loaded  # each file stands in one of the two
    assert "Not read" not in run("run", FLOOD).stdout


def test_loading_twice_changes_nothing(run, folder, contents):
    """The second time everything is unchanged, and so is every row of the store."""
    first = run("load", FLOOD)
    before = contents(folder / "audit.db")
    second = run("load", FLOOD)
    assert "(flood-posts): 12 submissions loaded (12 added)." in first.stdout
    assert "12 submissions loaded (12 unchanged)." in second.stdout
    assert contents(folder / "audit.db") == before


def test_loading_a_changed_file_replaces_and_keeps_the_old_one(run, folder):
    """History has both versions, and only one of them is current."""
    copy = folder / "flood-posts"
    shutil.copytree(FLOOD, copy)
    run("load", copy)
    answers = copy / "submissions" / "Estuary.csv"
    answers.write_bytes(answers.read_bytes().replace(b"sympathy", b"damage"))
    (copy / "submissions" / "Delta4.csv").unlink()
    result = parsed(run("load", copy, "--json").stdout)
    assert (result["replaced"], result["removed"], result["added"]) == (["Estuary"], ["Delta4"], [])
    assert len(result["unchanged"]) == 10
    listed = parsed(run("submissions", "flood-posts", "--json").stdout)
    assert [entry["replaced"] is None for entry in listed if entry["team"] == "Estuary"] == [
        True,
        False,
    ]
    assert [entry["replaced"] is None for entry in listed if entry["team"] == "Delta4"] == [False]


@pytest.mark.usefixtures("store")
def test_evaluate_gives_the_evaluation_of_the_files(run, evaluation):
    """What the store gives back is what the arrays gave: the JSON is the same, byte for byte."""
    result = run("evaluate", "flood-posts", "--json")
    assert result.stdout == to_json(evaluation_data(evaluation))
    assert (
        parsed(result.stdout)["scores"]["accuracy"]["Kingfisher"]
        == evaluation.scores.loc["Kingfisher", "accuracy"]
    )


@pytest.mark.usefixtures("store")
def test_report_writes_the_report_of_the_store(run, folder, evaluation):
    """Under the task's name, or where one says."""
    assert run("report", "flood-posts").stdout == "Report: audit-flood-posts.html\n"
    assert run("report", "flood-posts", "-o", "other.html").stdout == "Report: other.html\n"
    for name in ("audit-flood-posts.html", "other.html"):
        assert (folder / name).read_text(encoding="utf-8") == render_html(evaluation)


def test_items_stand_in_a_report_where_they_are_asked_for(run, folder):
    """By run and by report alike, the same; without asking there is no such part."""
    campaign = {
        "gold.csv": "id,label\nsecret-a,x\nsecret-b,y\n",
        "submissions/A.csv": "id,label\nsecret-a,x\nsecret-b,x\n",
    }
    for name, text in campaign.items():
        path = folder / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    run("run", "mine", "-o", "plain.html")
    run("run", "mine", "--with-items", "-o", "run.html")
    run("report", "mine", "--with-items", "-o", "report.html")
    plain, of_run, of_report = (
        (folder / f"{name}.html").read_text("utf-8") for name in ("plain", "run", "report")
    )
    assert "secret-" not in plain
    assert of_run == of_report
    assert of_run.count("secret-a") == of_run.count("secret-b") == 1


@pytest.mark.usefixtures("store")
def test_report_leaves_no_part_behind_and_follows_a_link(run, folder):
    """Only the report appears; a link to a file stays a link, and the file is new."""
    (folder / "elsewhere").mkdir()
    (folder / "link.html").symlink_to("elsewhere/report.html")
    assert run("report", "flood-posts", "-o", "link.html").exit_code == 0
    assert (folder / "link.html").is_symlink()
    assert [path.name for path in (folder / "elsewhere").iterdir()] == ["report.html"]
    assert sorted(path.name for path in folder.iterdir()) == ["audit.db", "elsewhere", "link.html"]


def test_reading_commands_leave_the_store_alone(run, store, contents):
    """show, report and the lists change nothing in it."""
    before = contents(store)
    for arguments in (
        ["show", "flood-posts"],
        ["report", "flood-posts"],
        ["tasks"],
        ["submissions", "flood-posts"],
    ):
        assert run(*arguments).exit_code == 0
    assert contents(store) == before


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("options", "key"),
    [
        ([], "averaged_f1"),
        (["--metric", "kappa"], "kappa"),
        (["-m", "f1_of_averages", "-p", "balanced"], "f1_of_averages~"),
        (["--prevalence", "balanced"], "averaged_f1~"),
        (["--metric", "mcc~"], "mcc~"),
        (["--metric", "recall[damage]"], "recall[damage]"),
    ],
)
@by_day(2)
def test_show_ranks_by_the_score_that_is_asked_for(run, evaluation, options, key):
    """As JSON, as CSV and as a table: the order, ranks and scores of that key."""
    data = parsed(run("show", "flood-posts", *options, "--json").stdout)
    assert data["metric"] == key
    scores, ranks = evaluation.scores[key], evaluation.ranks[key]
    assert {row["team"]: row["score"] for row in data["ranking"]} == scores.to_dict()
    assert {row["team"]: row["rank"] for row in data["ranking"] if row["competes"]} == ranks[
        evaluation.competing
    ].to_dict()
    assert [flag["slug"] for flag in data["flags"]] == [flag.slug for flag in evaluation.flags]

    text = run("show", "flood-posts", *options, "--csv").stdout
    table = pd.read_csv(io.StringIO(text), index_col="team", dtype=str)
    same_prevalence = [
        name for name in evaluation.scores.columns if name.endswith("~") == key.endswith("~")
    ]
    assert list(table.columns) == [
        "rank",
        *same_prevalence,
        "unanswered",
        "role",
        "items_scored",
        "runs",
    ]
    computed, table = table[table["role"] == "computed"], table[table["role"] != "computed"]
    assert computed["rank"].isna().all()
    expected = evaluation.scores.loc[table.index, same_prevalence]
    np.testing.assert_array_equal(table[same_prevalence].map(float).to_numpy(), expected.to_numpy())
    assert table["rank"].dropna().map(int).to_dict() == ranks[evaluation.competing].to_dict()
    assert list(table.index) == [row["team"] for row in data["ranking"]]

    shown = run("show", "flood-posts", *options, "--notes").stdout
    rows = ranking(shown)
    assert all(f"{title} (computed)" in shown for title in computed.index)
    assert [row[1] for row in rows] == list(table.index[table["rank"].notna()])
    assert [row[2] for row in rows] == [
        f"{scores[row[1]]:.3f}".removeprefix("0").replace("-0", "−") for row in rows
    ]


def test_the_ranking_fits_a_terminal_of_80_columns(evaluation, monkeypatch, capsys):
    """Possible ranks are not left out: baselines stand below, where their long names widen no column of the teams."""
    monkeypatch.setattr(
        terminal, "console", lambda: Console(width=80, force_terminal=False, markup=False)
    )
    terminal.write(*ranking_blocks(evaluation, evaluation.task.ranking_metric))
    teams, baselines = capsys.readouterr().out.split("\n\n")
    heads = teams.splitlines()[0]
    assert re.split(r"  +", heads) == [
        "rank",
        "team",
        "averaged_f1",
        "95% CI",
        "●",
        "possible ranks",
    ]
    for entry in evaluation.entries:
        assert (entry.name in teams) == entry.competes
        assert (entry.name in baselines) != entry.competes
    assert all(f"{baseline.title} (computed)" in baselines for baseline in evaluation.baselines)


def test_a_mark_of_who_could_be_best_has_its_legend(evaluation, monkeypatch, capsys):
    """● is explained below the ranking; who is in the set for want of precision is named where there is one."""
    key = evaluation.task.ranking_metric
    comparison = evaluation.comparison(key)
    leader = evaluation.leader(key)
    uncertain = comparison.could_be_best & (np.arange(len(evaluation.entries)) == leader)
    assert uncertain.sum() == 1
    for marked, is_named in ((comparison.uncertain, False), (uncertain, True)):
        shown = replace(comparison, uncertain=marked)
        for module in (short, printing):
            monkeypatch.setattr(module, "comparison_of", lambda *_, shown=shown: shown)
        terminal.write(*ranking_blocks(evaluation, key))
        out = capsys.readouterr().out
        assert "● 95% confidence set for the best team." in out
        named = f"In the set because the estimate is too imprecise: {evaluation.names[leader]}."
        assert (named in out) == is_named
        assert "○" not in out


@pytest.mark.usefixtures("store")
def test_show_adds_the_published_ranks_to_the_official_ranking_alone(run):
    """They belong to the official metric, and to no other."""
    official, other = (
        run("show", "flood-posts", "--notes", *options)
        .stdout.partition("rank   team")[2]
        .splitlines()[0]
        for options in ([], ["-m", "kappa"])
    )
    assert official.endswith("as published")
    assert other.endswith("unanswered")


@pytest.mark.usefixtures("store")
def test_tasks_and_submissions_list_the_store(run):
    """What is in it, as a table and as JSON."""
    (task,) = parsed(run("tasks", "--json").stdout)
    assert (task["task"], task["items"], task["classes"], task["submissions"]) == (
        "flood-posts",
        1024,
        5,
        12,
    )
    assert task["official_metric"] == "averaged_f1"
    assert "flood-posts" in run("tasks").stdout
    listed = parsed(run("submissions", "flood-posts", "--json").stdout)
    entries = {entry["team"]: entry for entry in listed}
    assert len(entries) == len(listed) == 12
    assert (entries["Sandbag"]["missing"], entries["Oxbow"]["unusable"]) == (38, 7)
    assert all(re.fullmatch("[0-9a-f]{64}", entry["sha256"]) for entry in listed)
    printed = run("submissions", "flood-posts").stdout
    assert all(
        team in printed and entry["sha256"][:12] in printed for team, entry in entries.items()
    )


@pytest.mark.parametrize(
    ("command", "registry"),
    [
        ("metrics", {**METRICS, **ITEM_SCORE_METRICS, **SCALE_METRICS, **UNIT_METRICS}),
        ("flags", FLAG_KINDS),
        ("issues", ISSUE_KINDS),
    ],
)
def test_registries_are_listed_whole(run, command, registry):
    """Every slug with its explanation, in print and as JSON, and no store is needed or made."""
    data = parsed(run(command, "--json").stdout)
    assert [entry["slug"] for entry in data] == list(registry)
    assert [entry["explanation"] for entry in data] == [
        kind.explanation for kind in registry.values()
    ]
    printed = run(command).stdout
    assert all(
        f"{slug}: " in printed and kind.explanation in printed for slug, kind in registry.items()
    )


def test_a_metric_is_scored_by_each_name_that_is_listed(run):
    """With any label in the place of LABEL."""
    for entry in parsed(run("metrics", "--json").stdout):
        for form in entry["named"].split(" or "):
            labels = LabelSet(("a", "b"), scale=(0.0, 1.0))
            if entry["slug"] in UNIT_METRICS:
                labels = LabelSet(("a", "nothing"), declared=True, rest="nothing", kind=Kind.LABELS)
            key = parse_score_key(form.replace("LABEL,LABEL", "a,b").replace("LABEL", "a"), labels)
            assert key.metric.partition("[")[0] == entry["slug"]


def test_run_and_load_tell_as_json_what_was_loaded(run, campaign):
    """With the ranking and the flags, the issues and the rejected files."""
    root = campaign(
        **{
            "submissions/C.csv": "",
            "submissions/D.csv": "id,label\n0,nope\n1,no\n",
            "notes.md": "x",
        }
    )
    loaded = parsed(run("load", root, "--skip-rejected", "--json").stdout)
    ran = parsed(run("run", root, "--skip-rejected", "--json").stdout)
    assert loaded["added"] == ["A", "B", "D"]
    assert ran["unchanged"] == ["A", "B", "D"]
    for data in (loaded, ran):
        assert data["rejected"] == ["submissions/C.csv"]
        assert data["ignored"] == ["notes.md"]
        assert {issue["slug"] for issue in data["issues"]} == {
            "empty-file",
            "unusable-label",
            "missing-item",
        }
        assert all(
            issue["file"] and issue["found"] and issue["expected"] and issue["to_do"]
            for issue in data["issues"]
        )
    assert ran["report"] == "audit-small.html"
    assert {row["team"] for row in ran["ranking"]} == {"A", "B", "D"}


@pytest.mark.usefixtures("folder")
def test_init_writes_what_each_file_is_so_that_it_loads(run, campaign):
    """The drafts are read as they stand, give what the conventions gave, and nothing is overwritten unasked."""
    root = campaign()
    before = parsed(run("run", root, "--json").stdout)
    result = run("init", root)
    assert result.exit_code == 0
    assert "files.csv and " in result.stdout
    drafted = (root / "files.csv").read_text(encoding="utf-8")
    assert parsed(run("run", root, "--json").stdout)["ranking"] == before["ranking"]

    (root / "files.csv").write_text("mine\n", encoding="utf-8")
    (root / "task.toml").write_text("# mine\n", encoding="utf-8")
    refused = run("init", root)
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert (root / "files.csv").read_text(encoding="utf-8") == "mine\n"
    assert run("init", root, "--force").exit_code == 0
    assert (root / "files.csv").read_text(encoding="utf-8") == drafted
    assert (root / "task.toml").read_text(encoding="utf-8") == "# mine\n"


def test_the_store_is_where_one_says(run, folder):
    """By option, by variable, else in the current folder; the option wins."""
    run("load", FLOOD, AUDIT_STORE="by-variable.db")
    run("load", FLOOD, "--store", "by-option.db", AUDIT_STORE="ignored.db")
    assert sorted(path.name for path in folder.iterdir()) == ["by-option.db", "by-variable.db"]
    assert (
        parsed(run("tasks", "--json", AUDIT_STORE="by-variable.db").stdout)[0]["task"]
        == "flood-posts"
    )
    assert run("tasks").exit_code == 1


def test_strict_rejects_what_lenient_loads(run, campaign):
    """An unanswered item is an issue under one policy, and the end of the file under the other."""
    root = campaign(**{"submissions/C.csv": "id,label\n0,no\n"})
    assert run("load", root).exit_code == 0
    assert run("load", root, "--lenient").exit_code == 0
    strict = run("load", root, "--strict")
    assert strict.exit_code == 1
    assert "submissions/C.csv: missing-item" in strict.stderr
    skipped = run("load", root, "--strict", "--skip-rejected")
    assert skipped.exit_code == 0
    assert "Not loaded: submissions/C.csv" in skipped.stderr


@pytest.mark.usefixtures("store")
def test_a_csv_is_a_csv(run):
    """Every line has as many cells as the head."""
    rows = list(csv.reader(io.StringIO(run("show", "flood-posts", "--csv").stdout, newline="")))
    role = rows[0].index("role")
    assert [row[role] for row in rows] == ["role", *["primary"] * 11, "baseline", *["computed"] * 4]
    assert len({len(row) for row in rows}) == 1


def test_show_ranks_by_averages_over_named_classes(run, store):
    """Classes may be named for the metrics that average, and come back in the order of the label set."""
    shown = run(
        "show",
        "flood-posts",
        "--metric",
        "macro_recall[help_needed,damage]",
        "--json",
        "--store",
        store,
    )
    assert shown.exit_code == 0
    result = parsed(shown.stdout)
    assert result["metric"] == "macro_recall[damage,help_needed]"
    by_class = [
        evaluate(read_campaign(FLOOD)).scores[f"recall[{label}]"]
        for label in ("damage", "help_needed")
    ]
    mean = (by_class[0] + by_class[1]) / 2
    assert {row["team"]: row["score"] for row in result["ranking"]} == pytest.approx(mean.to_dict())


def test_sample_copies_a_campaign_that_runs(run, folder):
    """The copy is the whole sample, README and all, and `audit run` works on it as init and run do on any folder."""
    assert run("sample").exit_code == 0
    copied = {
        path.relative_to(folder / "flood-posts") for path in (folder / "flood-posts").rglob("*")
    }
    assert copied == {path.relative_to(FLOOD) for path in FLOOD.rglob("*")}
    assert run("run", "flood-posts").exit_code == 0


@pytest.mark.parametrize(
    ("name", "words"), [("flood-post", "Did you mean “flood-posts”?"), ("flood-posts", "exists")]
)
def test_sample_overwrites_nothing_and_knows_its_samples(run, folder, name, words):
    """A folder that is there already is somebody's work."""
    (folder / "flood-posts").mkdir()
    result = run("sample", name)
    assert result.exit_code == 2
    assert words in result.stderr


def test_sample_says_where_it_cannot_write(run, closed_folder, monkeypatch):
    """With the catalogue's issue, and no traceback."""
    monkeypatch.chdir(closed_folder)
    result = run("sample")
    assert result.exit_code == 1
    assert "cannot-write" in result.stderr


def test_a_store_without_tasks_says_what_to_do(run, folder, campaign):
    """A list of nothing is no error."""
    run("load", campaign())
    with closing(sqlite3.connect(folder / "audit.db")) as connection, connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM task")
    result = run("tasks")
    assert (result.exit_code, result.stdout) == (
        0,
        "Nothing here yet. Load a campaign: audit load FOLDER\n",
    )


# Two teams


@pytest.mark.usefixtures("store")
def test_compare_says_how_far_apart_two_teams_are(run):
    """The same numbers as text and as JSON, and those of the whole comparison where there is one."""
    run("evaluate", "flood-posts")
    found = json.loads(run("compare", "flood-posts", "Kingfisher", "Plumbline", "--json").stdout)
    assert (found["metric"], found["first"], found["second"]) == (
        "averaged_f1",
        "Kingfisher",
        "Plumbline",
    )
    assert found["difference"] == found["scores"][0] - found["scores"][1]
    whole = json.loads(run("evaluate", "flood-posts", "--json").stdout)
    (compared,) = [
        one for one in whole["certainty"]["comparisons"] if one["metric"] == "averaged_f1"
    ]
    assert found["half_width"] == pytest.approx(
        compared["critical_value"] * found["standard_error"]
    )
    assert found["ahead"] is None
    printed = " ".join(run("compare", "flood-posts", "Kingfisher", "Plumbline").stdout.split())
    assert "do not differ significantly by macro-averaged F1" in printed
    assert f"{found['difference']:.4f}".removeprefix("0") in printed
    assert f"adjusted p {p_phrase(found['adjusted_p'])}" in printed
    assert f"p {p_phrase(found['randomization_p_alone'])} by approximate randomization" in printed


@pytest.mark.usefixtures("store")
def test_compare_says_who_is_ahead_where_a_baseline_is_one_of_the_two(run):
    """In either order, and why no comparison of all pairs has them."""
    for words in (("Kingfisher", "baseline-majority"), ("baseline-majority", "Kingfisher")):
        printed = run("compare", "flood-posts", *words).stdout
        scores = json.loads(run("compare", "flood-posts", *words, "--json").stdout)["scores"]
        lead = f"{max(scores) - min(scores):.4f}".removeprefix("0")
        assert (
            f"baseline-majority is {lead} behind Kingfisher by macro-averaged F1; baselines, "
            in printed
        )
        assert "are not in the comparison of all pairs." in printed


@pytest.mark.usefixtures("store")
def test_compare_by_another_metric_keeps_nothing(run, folder):
    """All pairs are compared by it, and the store is left as it was; of twins neither is ever ahead."""
    run("evaluate", "flood-posts")
    before = (folder / "audit.db").read_bytes()
    words = (
        "compare",
        "flood-posts",
        "Watershed",
        "Millrace",
        "--metric",
        "mcc",
        "--prevalence",
        "balanced",
    )
    found = json.loads(run(*words, "--json").stdout)
    assert (found["metric"], found["adjusted_p"], found["ahead"]) == ("mcc~", 1, None)
    assert (found["difference"], found["standard_error"], found["randomization_p_alone"]) == (
        0,
        0,
        1,
    )
    assert (folder / "audit.db").read_bytes() == before


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Kingfishe", "Plumbline"), "Did you mean “Kingfisher”"),
        (("Kingfisher", "Kingfisher"), "cannot be compared with itself"),
        (("Kingfisher", "Plumbline", "--metric", "macro_f1"), "is two metrics"),
        (("Kingfisher", "Plumbline", "--prevalence", "evn"), "There is no prevalence “evn”"),
    ],
)
def test_compare_says_what_is_wrong_with_the_question(run, words, said):
    """A team, metric or prevalence that does not exist."""
    done = run("compare", "flood-posts", *words)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.usefixtures("store")
def test_an_undefined_difference_is_printed_as_such(run, folder):
    """Of a class that gold lacks: a dash, and null."""
    campaign = folder / "two"
    (campaign / "submissions").mkdir(parents=True)
    (campaign / "task.toml").write_text('labels = ["a", "b", "c"]\n', encoding="utf-8")
    for name in ("gold.csv", "submissions/A.csv", "submissions/B.csv"):
        rows = "".join(f"{item},{'ab'[item % 2]}\n" for item in range(20))
        (campaign / name).write_text(f"id,label\n{rows}", encoding="utf-8")
    run("load", campaign)
    words = ("compare", "two", "A", "B", "--metric", "f1[c]")
    assert json.loads(run(*words, "--json").stdout)["difference"] is None
    assert run(*words).exit_code == 0


@pytest.mark.usefixtures("store")
def test_show_compares_all_teams_by_the_metric_that_is_named(run):
    """Intervals and possible ranks by any score, and the store is left as it was."""
    run("evaluate", "flood-posts")
    for words in (("--metric", "averaged_f1[damage,sympathy]"), ("--metric", "kappa~")):
        ranking = json.loads(run("show", "flood-posts", *words, "--json").stdout)["ranking"]
        assert all({"interval", "possible_ranks", "could_be_best"} <= row.keys() for row in ranking)


def test_two_teams_are_found_in_any_case(run, store):
    """As they stand in the ranking."""
    assert store
    written, spoken = (
        run("compare", "flood-posts", *names) for names in (("Heron", "Spate"), ("HERON", "spate"))
    )
    assert written.stdout == spoken.stdout
    assert written.stdout


def test_names_that_differ_in_capitals_alone_are_told_apart():
    """Exact ones are taken, others are asked back."""
    evaluation = audit.evaluate(
        ["a", "b"] * 9, {"Ann": ["a"] * 18, "ANN": ["b"] * 18, "Ben": ["a", "b"] * 9}
    )
    assert [evaluation.entry_number(name) for name in ("Ann", "ANN", "bEN")] == [0, 1, 2]
    with pytest.raises(UsageError, match="differ in capitals alone"):
        evaluation.entry_number("ann")


def test_show_needs_no_name_where_there_is_one_task(run, store, campaign):
    """With several it asks which one."""
    assert store
    assert run("show").stdout == run("show", "flood-posts").stdout
    answers = "id,label\n" + "".join(f"{i},yes\n" for i in range(60))
    run("load", campaign(**{"submissions/A.csv": answers}))
    result = run("show")
    assert result.exit_code == 2
    assert "“flood-posts”" in result.stderr
    assert "name one of them" in result.stderr


@pytest.mark.usefixtures("store")
def test_a_cluster_that_is_not_there_is_refused_before_anything_is_computed(run, monkeypatch):
    """By every command that computes; without Dask the extra is named."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    for command in (["evaluate"], ["show"], ["power"], ["report"], ["compare"]):
        teams = ["Kingfisher", "Plumbline"] if command == ["compare"] else []
        result = run(*command, "flood-posts", *teams, "--cluster", "tcp://127.0.0.1:1")
        assert result.exit_code == 1
        assert "pip install 'shared-task-auditor[cluster]'" in result.stderr


@pytest.fixture
def cut(run, folder):
    """The sample campaign in a store, its test set cut by a column of gold."""
    shutil.copytree(FLOOD, folder / "cut")
    gold = folder / "cut" / "gold.csv"
    head, *lines = gold.read_text(encoding="utf-8").splitlines()
    values = (f"{line},{'spring' if place % 3 else 'autumn'}" for place, line in enumerate(lines))
    gold.write_text("\n".join([f"{head},season", *values, ""]), encoding="utf-8")
    toml = folder / "cut" / "task.toml"
    toml.write_text(
        toml.read_text(encoding="utf-8") + '\n[gold]\nslices = ["season"]\n', encoding="utf-8"
    )
    run("load", "cut", "--skip-rejected")
    return read_campaign(folder / "cut", skip_rejected=True)


def test_show_prints_one_part_of_the_test_set(run, cut):
    """As a table, as JSON and as CSV; by the ranking metric with what may be said of the first place."""
    (sliced,) = evaluate(cut).slices
    autumn = sliced.slices[0]
    printed = run("show", "--slice", "season=autumn").stdout
    assert f"“autumn” alone ({autumn.n_items} items)" in printed
    assert autumn.verdict.sentence in printed
    data = parsed(run("show", "--slice", "season=autumn", "--json").stdout)
    assert (data["slice"], data["sentence"]) == ("autumn", autumn.verdict.sentence)
    rows = pd.read_csv(io.StringIO(run("show", "--slice", "season=autumn", "--csv").stdout))
    assert set(rows["slice"]) == {"autumn"}
    by_accuracy = run("show", "--slice", "season=autumn", "-m", "accuracy").stdout
    assert "by accuracy" in by_accuracy
    assert autumn.verdict.sentence not in by_accuracy


def test_show_prints_all_parts_side_by_side(run, cut):
    """Beside all items and the mean; the JSON and CSV have the mean too."""
    (sliced,) = evaluate(cut).slices
    printed = run("show", "--slice", "season").stdout
    for part in sliced.slices:
        assert f"{part.value} ({part.n_items:,})" in printed
    assert "by “season”.\n" in printed
    assert "by “season”.\n" not in run("show", "--slice", "season", "-m", "accuracy").stdout
    data = parsed(run("show", "--slice", "season", "--json").stdout)
    assert [part["slice"] for part in data["slices"]] == ["autumn", "spring"]
    rows = pd.read_csv(
        io.StringIO(run("show", "--slice", "season", "--csv").stdout), keep_default_na=False
    )
    assert set(rows["slice"]) == {"autumn", "spring", ""}
    assert "Did you mean “season=autumn”?" in run("show", "--slice", "season=autum").stderr


ASKING = ("show", "readings", "whatif", "winners", "power", "properties", "compare", "history")


@pytest.mark.parametrize("command", ASKING)
def test_who_asks_a_store_that_is_not_there_makes_none(command, run, folder):
    """A mistyped path is said, and stays without a file."""
    entries = ("Kingfisher", "Plumbline") if command == "compare" else ()
    done = run(command, "flood-posts", *entries, "--store", folder / "mistyped.db")
    assert done.exit_code != 0
    assert "mistyped.db" in done.output
    assert not (folder / "mistyped.db").exists()
