"""What a run and a look at a task print: within 25 and 40 lines of 80 columns, the same numbers as elsewhere."""

import re

import numpy as np
import pytest
from rich.console import Console

import audit
from audit.domain import Role
from audit.findings.numbers_in_words import p_phrase
from audit.report.terminal_layout import LINES_OF_RUN, LINES_OF_SHOW, run_layouts, show_layouts
from audit.text import number
from audit.writers import terminal
from tests.report.saying import CAMPAIGNS, of_codes

ROW = r" *\d+=?  \S"
"""How a row of the ranking begins: with its rank and a name."""

NAMES = [
    "flood-posts",
    "semeval2017",
    "no certainty",
    "clear",
    "cut, really",
    "identical",
    "shared",
    "prevalence",
    "one team",
    "dropped",
    "nothing right",
    "the papers' macro F1s",
    "shared by one macro F1",
]


def windowed(monkeypatch, width):
    """A window of a width in place of the standard output's."""
    options = {"markup": False, "emoji": False, "highlight": False, "force_terminal": False}
    monkeypatch.setattr(terminal, "console", lambda: Console(width=width, **options))


@pytest.fixture
def printed(monkeypatch, capsys):
    """What a run of an evaluation ends with, and what is shown of it afterwards, as lines of a width."""

    def of(evaluation, width=80):
        windowed(monkeypatch, width)
        terminal.write_layout(run_layouts(evaluation, "report.html", width), LINES_OF_RUN)
        run = capsys.readouterr().out.splitlines()
        key = evaluation.task.ranking_metric
        terminal.write_layout(show_layouts(evaluation, key, width), LINES_OF_SHOW)
        return run, capsys.readouterr().out.splitlines()

    return of


@pytest.fixture(scope="module")
def crowd():
    """Sixty teams with long names that begin alike, above and below chance, and two baselines that take no rank."""
    rng = np.random.default_rng(3)
    gold = np.arange(400) % 4
    named = [f"University of Somewhere, group {place:02}, run one" for place in range(60)]
    recalls = dict(zip(named, np.linspace(0.9, -0.1, 60), strict=True)) | {
        "Tagger": 0.4,
        "Rules": 0.3,
    }
    teams = {
        name: np.where(rng.random(400) < recall, gold, rng.integers(0, 4, 400))
        for name, recall in recalls.items()
    }
    return of_codes(gold, teams, {"Tagger": Role.BASELINE, "Rules": Role.BASELINE})


@pytest.mark.parametrize("name", NAMES)
def test_a_run_takes_25_lines_and_a_look_40(printed, name):
    """At 80 columns; title first, verdict before the ranking, and the report's path last."""
    evaluation = CAMPAIGNS[name]()
    run, look = printed(evaluation)
    assert len(run) <= LINES_OF_RUN == 25
    assert len(look) <= LINES_OF_SHOW == 40
    assert max(map(len, (*run, *look))) <= 80
    assert run[0] == look[0] == evaluation.task.title
    assert evaluation.verdict.sentence.removesuffix(".") in " ".join(" ".join(run).split())
    assert run[-1] == f"Report: report.html    More: audit show {evaluation.task.slug}"
    for lines in (run, look):
        assert not any(line != line.rstrip() for line in lines if not re.match(ROW, line))
        assert "tier" not in " ".join(lines)


def test_the_ranking_has_the_columns_of_a_narrow_window(printed):
    """The metric's name heads the scores; ● stands for the confidence set alone, * for the corrected interval."""
    evaluation = CAMPAIGNS["flood-posts"]()
    run, _ = printed(evaluation)
    head = next(line for line in run if line.startswith("rank"))
    assert re.split(r"  +", head) == [
        "rank",
        "team",
        "macro F1",
        "95% CI",
        "possible ranks",
        "by F1 of averages",
    ]
    comparison = evaluation.comparison("averaged_f1")
    rows = [line for line in run if re.match(ROW, line)]
    order = [team for team in evaluation.order(comparison.key) if evaluation.competing[team]]
    for line, team in zip(rows, order, strict=True):
        assert evaluation.names[team] in line
        assert ("●" in line) == comparison.could_be_best[team]
        assert number(float(evaluation.scores_of(comparison.key)[team])) in line.split()
        assert ("*" in line) == (team == comparison.leader)
    lower, upper = comparison.leader_interval
    assert f"{number(lower)}–{number(upper)}*" in rows[0]
    assert "○" not in "".join(run)


def test_both_winners_of_macro_f1_are_named_with_p(printed):
    """The other formula's winner, its score, and the p of that metric's comparison with the first."""
    evaluation = CAMPAIGNS["flood-posts"]()
    text = " ".join(printed(evaluation)[0])
    comparison = evaluation.comparison("f1_of_averages")
    other, first = evaluation.names.index("Plumbline"), evaluation.names.index("Kingfisher")
    score, p = evaluation.scores_of(comparison.key)[other], comparison.adjusted_p[other, first]
    assert (
        f"By F1 of averages Plumbline ranks first ({number(score)}, adjusted p {p_phrase(p)})."
        in text
    )
    assert "Metric and class distribution change the winner, but not significantly." in text
    assert re.search(r"Before you publish \(first [1-3] of 5; all in the report\):", text)


def test_what_is_not_tested_and_what_is_significant_are_said(printed):
    """Without intervals no choice is; another metric's significant winner is named."""
    assert "Not tested: metric, class distribution" in " ".join(
        printed(CAMPAIGNS["no certainty"]())[0]
    )
    text = " ".join(printed(CAMPAIGNS["prevalence"]())[0])
    assert re.search(r"Under .+ Y is significantly ahead", text)
    assert "do not change the winner." in " ".join(printed(CAMPAIGNS["clear"]())[0])


def test_of_many_teams_the_first_have_rows_and_the_others_a_line(printed, crowd):
    """Names are cut unlike any other's; how many are below the best baseline is counted from the scores."""
    run, look = printed(crowd)
    assert len(run) <= LINES_OF_RUN
    assert len(look) <= LINES_OF_SHOW
    assert max(map(len, (*run, *look))) <= 80
    rows = [line for line in run if re.match(ROW, line)]
    assert len({line.split("  ")[2] for line in rows}) == len(rows) <= 11
    scores = crowd.scores.loc[
        [name for name in crowd.names if name.startswith("Univ")], "averaged_f1"
    ]
    rest = scores.sort_values(ascending=False).iloc[len(rows) :]
    best = crowd.scores.loc["Tagger", "averaged_f1"]
    counted = f"{len(rest)} more teams, {number(rest.iloc[0])} to {number(rest.iloc[-1])}"
    below = f"; {(rest < best).sum()} of them below the best baseline ({number(best)})"
    assert f"      {counted}{below}" in run
    (baselines,) = [line for line in run if line.startswith("   –  Baselines: ")]
    assert baselines.startswith(f"   –  Baselines: Tagger {number(best)}, Rules ")


@pytest.mark.parametrize("width", [50, 120])
def test_a_wide_window_shows_more_and_a_narrow_one_says_what_it_hides(printed, crowd, width):
    """Scores by other metrics stand beside the ranking where there is room."""
    run, _ = printed(crowd, width)
    assert ("columns hidden (window too narrow): " in " ".join(run)) == (width < 80)
    assert max(map(len, run)) <= width
    run, _ = printed(CAMPAIGNS["flood-posts"](), width)
    assert ("accuracy" in " ".join(run)) == (width > 80)


def test_a_campaign_without_a_finding_to_show_is_laid_out(printed):
    """One class of which nobody gets anything right: no verdict's choices, no interval, and no error."""
    evaluation = audit.evaluate(list("aaab"), {"X": list("aaaa")}, official_metric="recall[b]")
    run, look = printed(evaluation)
    assert run[0] == look[0]
