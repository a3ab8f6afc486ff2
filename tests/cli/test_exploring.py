"""The commands that ask what else could have been, on the sample campaign."""

import json
import re
import sqlite3
from contextlib import closing
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from audit.domain import Prevalence, ScoreKey
from audit.errors import UsageError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.metrics import AGGREGATES, score
from audit.ranking.nearest import winner_map
from audit.ranking.rank_aggregation import elect
from audit.report.page import document_of
from audit.store import open_store
from audit.workflow import resolve
from audit.writers.data.command_data import elections_data, properties_data
from audit.writers.data.export import to_json
from audit.writers.html import render_html
from tests.nightly import by_day

from .conftest import FLOOD

SHARES = {
    "not_relevant": 0.2,
    "sympathy": 0.2,
    "damage": 0.2,
    "help_needed": 0.3,
    "missing_person": 0.1,
}
WRITTEN = ",".join(f"{label}={share}" for label, share in SHARES.items())


@pytest.fixture
def loaded(run, store):  # noqa: ARG001 - it is there
    """The command line, with the sample in the store."""
    return run


def rows(text):
    """The printed ranking: rank, team, score there, score here, rank here."""
    return [line.split() for line in text.splitlines() if re.match(r" *\d+=? +\S+ +\.\d", line)]


def test_whatif_ranks_by_the_calibrated_scores(loaded, evaluation):
    """Every team's score and rank under the distribution, by scaling the confusions one at a time."""
    result = loaded("whatif", "flood-posts", "--prevalence", WRITTEN)
    assert result.exit_code == 0
    prevalence = Prevalence("there", tuple(SHARES.items()))
    keys = [ScoreKey("averaged_f1", "there")]
    (there,) = score(evaluation.confusions, keys, [prevalence], evaluation.task.label_set)
    here = evaluation.scores_of(ScoreKey("averaged_f1"))
    found = {row[1]: row for row in rows(result.stdout)}
    competing = evaluation.competing
    assert len(found) == competing.sum() < len(evaluation.names)
    for team, name in ((team, evaluation.names[team]) for team in np.flatnonzero(competing)):
        better = 1 + int((there[competing] > there[team] + 1e-12).sum())
        level = int((abs(there[competing] - there[team]) < 1e-12).sum())
        decimals = evaluation.task.printed_decimals
        assert found[name][0] == (f"{better}=" if level > 1 else str(better))
        assert found[name][2:4] == [
            f"{there[team]:.{decimals}f}".lstrip("0"),
            f"{here[team]:.{decimals}f}".lstrip("0"),
        ]


def test_whatif_without_a_distribution_maps_the_winner(loaded, evaluation):
    """Who wins at every named prevalence, and under how many distributions."""
    output = loaded("whatif", "flood-posts").stdout
    found = evaluation.winner_map
    for prevalence in evaluation.prevalences:
        (winner,) = evaluation.winners(ScoreKey("averaged_f1", prevalence.name))
        assert re.search(rf"^{prevalence.name} +{evaluation.names[winner]} ", output, re.MULTILINE)
    assert f" under {found.holds_uniform:.3f} of them".replace(" 0.", " .") in output


def test_whatif_as_json_is_the_map_of_the_metric(loaded, evaluation):
    """By another metric too, every number as it is."""
    data = json.loads(loaded("whatif", "flood-posts", "--metric", "kappa", "--json").stdout)
    found = winner_map(evaluation, ScoreKey("kappa"))
    assert data["metric"] == data["map"]["metric"] == "kappa"
    assert data["map"]["uniform"] == dict(
        zip(evaluation.names, found.uniform.tolist(), strict=True)
    )
    assert [each["prevalence"] for each in data["scenarios"]] == [
        each.name for each in evaluation.prevalences
    ]
    for each in data["scenarios"]:
        ours = evaluation.scores_of(ScoreKey("mcc", each["prevalence"]))
        assert each["scores"]["mcc"] == dict(zip(evaluation.names, ours.tolist(), strict=True))


def test_whatif_takes_several_distributions(loaded):
    """Names and written ones, each with its table."""
    data = json.loads(
        loaded("whatif", "flood-posts", "-p", "balanced", "-p", WRITTEN, "--json").stdout
    )
    assert data["map"] is None
    assert [each["prevalence"] for each in data["scenarios"]] == ["balanced", WRITTEN]
    assert data["scenarios"][1]["shares"] == pytest.approx(SHARES)
    assert data["scenarios"][0]["shares"] == pytest.approx(dict.fromkeys(SHARES, 0.2))


def test_whatif_without_rivals_says_so(run, folder):
    """One team: the prevalences, and why there is no map."""
    (folder / "one/submissions").mkdir(parents=True)
    (folder / "one/gold.txt").write_text("a\nb\na\n", encoding="utf-8")
    (folder / "one/submissions/x.txt").write_text("a\nb\nb\n", encoding="utf-8")
    (folder / "one/task.toml").write_text(
        'slug = "one"\n[gold]\nformat = "lines"\n[submissions]\nformat = "lines"\n',
        encoding="utf-8",
    )
    assert run("load", "one").exit_code == 0
    assert "Nobody else could win" in run("whatif", "one").stdout


def test_whatif_of_a_score_nobody_has_prints_no_precision(run, folder):
    """A class without gold: the scores are undefined, and nobody is first."""
    (folder / "one/submissions").mkdir(parents=True)
    (folder / "one/gold.txt").write_text("a\nb\na\n", encoding="utf-8")
    for team in "xy":
        (folder / f"one/submissions/{team}.txt").write_text("a\nb\nb\n", encoding="utf-8")
    (folder / "one/task.toml").write_text(
        'slug = "one"\nlabels = ["a", "b", "c"]\n[gold]\nformat = "lines"\n[submissions]\nformat = "lines"\n',
        encoding="utf-8",
    )
    assert run("load", "one").exit_code == 0
    result = run("whatif", "one", "-m", "recall[c]", "-p", "a=.5,b=.5")
    assert result.exit_code == 0
    assert "Precision of" not in result.stdout
    assert "–" in run("whatif", "one", "-m", "recall[c]").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-p", "balancd"), "Did you mean “balanced”"),
        (("-p", "damage=1"), "no share to “not_relevant”"),
        (("-m", "macro_f1"), "is two metrics"),
        (("-m", "kappa@newsroom"), "no prevalence “newsroom”"),
    ],
)
@by_day(2)
def test_what_cannot_be_meant_is_wrong_usage(loaded, arguments, message):
    """Exit code 2, and what is meant instead."""
    result = loaded("whatif", "flood-posts", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_winners_are_those_of_the_rules(loaded, evaluation):
    """Over the metrics that are chosen, choices in parentheses, classes in brackets and calibrated ones included."""
    chosen = ["accuracy", "averaged_f1(declared,undefined=1)[damage,help_needed]", "mcc~"]
    data = json.loads(
        loaded("winners", "flood-posts", "--metrics", ", ".join(chosen), "--json").stdout
    )
    further = evaluate(read_campaign(FLOOD), also=[chosen[1]])
    keys = [ScoreKey(name) for name in chosen[:2]] + [ScoreKey("mcc", "balanced")]
    outcomes = elect(np.stack([further.scores_of(key) for key in keys]))
    assert data["metrics"] == list(map(str, keys))
    assert [rule["winners"] for rule in data["rules"]] == [
        [evaluation.names[team] for team in outcome.winners] for outcome in outcomes
    ]


def test_winners_say_what_each_rule_assumes(loaded, evaluation):
    """Over the ten aggregates where nobody chooses."""
    output = loaded("winners", "flood-posts").stdout
    for rule in elections_data(evaluation)["rules"]:
        assert f"Assumes: {rule['assumes']}" in output
    assert all(metric.slug in output for metric in AGGREGATES)
    assert (
        to_json({"task": "flood-posts", **elections_data(evaluation)})
        == loaded("winners", "flood-posts", "--json").stdout
    )


def test_properties_are_told_metric_by_metric(loaded, evaluation):
    """The mark of each property that the registry declares."""
    output = loaded("properties", "flood-posts").stdout
    for metric in AGGREGATES:
        (line,) = (line for line in output.splitlines() if line.split()[:1] == [metric.slug])
        marks = " ".join(metric.mark(name) for name in vars(metric.properties))
        assert marks == " ".join(line.split()[1:])
    data = json.loads(loaded("properties", "flood-posts", "--json").stdout)
    assert data["properties"] == properties_data(evaluation.task.label_set)


def test_show_says_what_else_there_is_in_the_words_of_the_report(loaded, evaluation):
    """Each section by its heading, with its sentences and the command that prints all of it."""
    html, shown = unescape(render_html(evaluation)), loaded("show", "flood-posts", "--notes").stdout
    found = [section for section in document_of(evaluation).sections if section.command]
    assert [each.command.split()[1] for each in found] == [
        "readings",
        "winners",
        "show",
        "whatif",
        "power",
    ]
    for each in found:
        assert f">{each.question}</" in html
        assert f"{each.question}  {each.command.replace('TASK', 'flood-posts')}\n" in shown
        assert all(sentence in html and f"    {sentence}\n" in shown for sentence in each.answer)
        assert loaded(*each.command.replace("TASK", "flood-posts").split()[1:]).exit_code == 0


def test_show_and_evaluate_have_the_same_findings_as_json(loaded):
    """Readings, class distributions, rules, properties and published scores, whole."""
    shown, whole = (
        json.loads(loaded(command, "flood-posts", "--json").stdout)
        for command in ("show", "evaluate")
    )
    for name in ("macro_f1", "class_distributions", "elections", "properties", "published"):
        assert shown[name] == whole[name], name
    assert shown["published"] is None


def test_published_scores_are_checked_wherever_the_audit_speaks(run, tmp_path):
    """Report, terminal, JSON and store say the same of a table that task.toml names, and so does the command."""
    gold, teams = "aabbbb", {"X": "ababbb", "Y": "aabbba", "Z": "bbbbbb"}
    accuracy = {team: sum(map(str.__eq__, gold, given)) / 6 for team, given in teams.items()}
    folder = tmp_path / "checked"
    (folder / "submissions").mkdir(parents=True)
    (folder / "gold.txt").write_text("\n".join(gold) + "\n")
    for team, given in teams.items():
        (folder / "submissions" / f"{team}.txt").write_text("\n".join(given) + "\n")
    (folder / "task.toml").write_text('[published]\npath = "published.csv"\n')
    rows = "".join(f"{team},{100 * value:.1f}\n" for team, value in accuracy.items())
    (folder / "published.csv").write_text(f"team,Kappa\n{rows}")
    assert run("run", folder, "-o", "report.html").exit_code == 0
    shown, data = (
        run("show", "checked", "--notes").stdout,
        json.loads(run("show", "checked", "--json").stdout),
    )
    command = json.loads(run("identify", "checked", folder / "published.csv", "--json").stdout)
    assert data["published"] == command
    (finding,) = command["findings"]
    assert finding.startswith(
        "The heading “Kappa” says Cohen’s kappa, and these numbers are accuracy"
    )
    assert finding in unescape(Path("report.html").read_text(encoding="utf-8"))
    assert finding in shown
    assert "published-heading-differs" in [flag["slug"] for flag in data["flags"]]
    with closing(sqlite3.connect("audit.db")) as store:
        (stored,) = store.execute(
            "SELECT json_extract(document, '$.published') FROM latest_evaluation"
        ).fetchone()
    assert json.loads(stored) == command


def test_an_empty_store_says_what_to_do(tmp_path):
    """Where a command is told no name."""
    with open_store(tmp_path / "audit.db"):
        pass
    with pytest.raises(UsageError, match="audit run --gold GOLD SUBMISSIONS"):
        resolve(None, tmp_path / "audit.db")
