"""The summary of several test sets: page, terminal, JSON and CSV say the same, and say who wins by which rule."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from audit.domain import Policies, Role, ScoreKey
from audit.evaluation import evaluate
from audit.questions.test_sets import summary_blocks, summary_of
from audit.workflow import default_family_report, write_family_report, write_report
from audit.writers.data.export import to_json
from audit.writers.data.several_data import family_data
from audit.writers.html import render, render_summary
from audit.writers.terminal import write

from .campaigns import HOSTILE, random_campaign
from .document import grid, read
from .parts import marked, plain, texts

KEY = ScoreKey("averaged_f1")


def part(name, n_items, *, without=(), metric=KEY, skipped="left-out", first=None):  # noqa: PLR0913 - each may be said
    """A test set of five teams and a baseline; some teams may not be there, or one may be made the best."""
    campaign = random_campaign(
        *(6, n_items, 3),
        slug=f"t-{name}",
        family="Tasks 2026",
        part=name,
        official_metric=metric,
        policies=Policies(skipped=skipped),
    )
    submissions = list(campaign.submissions)
    submissions[4] = replace(submissions[4], role=Role.BASELINE)
    if first is not None:
        submissions[first] = replace(submissions[first], given=campaign.gold.codes)
    kept = tuple(each for place, each in enumerate(submissions) if place not in without)
    titled = replace(campaign.task, title=f"Tasks of 2026: {name}")
    return evaluate(replace(campaign, task=titled, submissions=kept))


@pytest.fixture(scope="module")
def parts():
    """The best team is not in the second test set, where another is made the best."""
    return [part("English", 300), part("Spanish", 200, without=(0,), first=2), part("Arabic", 150, first=2)]


@pytest.fixture(scope="module")
def page(parts):
    return read(render_summary(parts, ["a.html", "b c.html", "../d.html"]))


def test_the_page_shows_scores_and_ranks_of_every_test_set(parts, page):
    """Read back, they are those of the evaluations; a test set that a team skipped is empty."""
    rows = grid(page, "table-family").named()
    for place, found in enumerate(parts):
        for name, score, rank in zip(found.names, found.scores_of(KEY), found.ranks_of(KEY), strict=True):
            shown = rows.get(name) or rows[f"{name} (baseline)"]
            printed = re.sub("^0", "", f"{score:.3f}")
            competes = found.entries[found.names.index(name)].competes
            assert shown[1 + 2 * place : 3 + 2 * place] == [printed, str(rank) if competes else f"({rank})"]
    assert rows["team 000"][3:5] == ["", ""]
    assert rows["team 000"][7] == "2"


def test_means_are_those_of_the_json(parts, page):
    """Mean score, mean rank and Borda count with their ranks, for every team; the order is that of the mean ranks."""
    data = json.loads(to_json(family_data(parts)))
    rows = grid(page, "table-family").rows
    assert [row[0] for row in rows[: len(data["teams"])]] == [team["name"] for team in data["teams"]]
    for row, team in zip(rows, data["teams"], strict=False):
        assert row[8] == re.sub("^0", "", f"{team['mean_score']:.3f}")
        assert (row[11], row[13]) == (f"{team['mean_rank']:.2f}", f"{team['borda']:.1f}")
        ranks = [row[place].rstrip("=") for place in (10, 12, 14)]
        expected = [team[f"rank_by_{rule}"] for rule in ("mean_score", "mean_rank", "borda")]
        assert ranks == ["–" if rank is None else str(rank) for rank in expected]
        assert (expected == [None] * 3) == (team["test_sets"] < 3)
        taken = [score for score in team["scores"] if score is not None]
        assert team["mean_score"] == pytest.approx(np.mean(taken))
        assert team["test_sets"] == len(taken)


def test_a_team_that_skipped_a_test_set_has_no_overall_rank(parts, page):
    """However good it is in the others: it is first by no rule, and the answer says that it is left out."""
    data, answer = family_data(parts), page.by_id("answer").text
    (absent,) = [team["name"] for team in data["teams"] if team["test_sets"] < 3]
    assert absent == "team 000" == data["teams"][-1]["name"]
    assert all(absent not in names for names in data["winners"].values())
    assert "1 team skipped a test set and has no overall rank." in answer
    assert absent not in answer


def test_the_caption_says_who_stands_below_a_worse_mean_rank(parts, page):
    """A team with a better mean rank, of fewer test sets, stands below: the caption says why, where one does."""
    teams = family_data(parts)["teams"]
    assert teams[-1]["mean_rank"] < teams[-2]["mean_rank"]
    caption = "Rows without an overall rank stand below all others, whatever their mean rank"
    assert caption in page.by_id("table-family").one("figcaption").text
    assert caption not in summary_of([part("A", 150), part("B", 150)]).table.caption


def test_nobody_took_part_in_all():
    """Then there is no overall ranking, and the page says so."""
    page = summary_of([part("A", 150, without=(0, 1)), part("B", 150, without=(2, 3, 5))])
    assert page.answer == ("No team took part in all 2 test sets: there is no overall ranking.",)


def test_the_winner_by_each_rule_is_named_with_its_value():
    """Where the rules differ the sentence says so."""
    parts = [part("A", 300), part("B", 200), part("C", 150, first=3)]
    data, answer = family_data(parts), " ".join(summary_of(parts).answer)
    winners = data["winners"]
    for rule, names in winners.items():
        team = next(team for team in data["teams"] if team["name"] == names[0])
        value = {"mean_score": f"{team['mean_score']:.3f}"[1:], "mean_rank": f"{team['mean_rank']:.2f}"}
        words = {"mean_score": "mean score", "mean_rank": "mean rank", "borda": "Borda count"}[rule]
        assert f"{words} ({value.get(rule, format(team['borda'], '.1f'))})" in answer
        assert names[0] in answer
    differ = len({tuple(names) for names in winners.values()}) > 1
    assert answer.startswith("The winner depends on how the test sets are summed up: ") == differ


def test_readers_see_titles_and_programs_slugs(parts, page):
    """The campaign's title and the names of its test sets; JSON and CSV have what task.toml calls them."""
    assert page.one("h1").text == "Tasks of 2026"
    titled = replace(parts[0], task=replace(parts[0].task, title="Posts in English"))
    assert plain(summary_of([titled, *parts[1:]]).parts.items[0]).startswith("Posts in English: ")
    assert [each["part"] for each in family_data([titled, *parts[1:]])["test_sets"]] == ["English", "Spanish", "Arabic"]


def test_one_winner_by_all_rules():
    """Said in one sentence."""
    (sentence, *more) = summary_of([part("A", 150), part("B", 150)]).answer
    assert re.fullmatch(
        r"team 000 is first by mean score \(.*\), mean rank \(1.00\) and Borda count \(8.0\)\.", sentence
    )
    assert more == []


def test_different_metrics_have_no_mean_score():
    """It is undefined, the page says why, and no team wins by it."""
    page = summary_of([part("A", 150), part("B", 150, metric=ScoreKey("mcc"))])
    assert page.answer[1] == "The test sets have different official metrics, so there is no mean score."
    assert {row[6].text for row in page.table.rows} == {"–"}
    assert "mean score" not in page.answer[0]


def test_a_skipped_test_set_by_the_policy_last():
    """The team has the last rank there and no mean score; the method says so."""
    parts = [part("A", 150, skipped="last"), part("B", 150, without=(0,), skipped="last")]
    rows = {row[0].text: [cell.text for cell in row] for row in summary_of(parts).table.rows}
    assert rows["team 000"][3:8] == ["", "5", "1", "–", "–"]
    assert "the team shares the last rank there" in summary_of(parts).method[0]
    assert family_data(parts)["teams"][-1]["rank_by_mean_score"] in (None, 5, 4)


def test_nobody_competes():
    """Baselines alone have no winner."""
    found = part("A", 150)
    alone = replace(found, entries=tuple(replace(entry, competes=False) for entry in found.entries))
    page = summary_of([alone])
    assert page.answer == ("No team competes.",)
    assert "nobody wins by macro-averaged F1" in plain(page.parts.items[0])


def test_every_test_set_is_named_with_its_winner_and_its_report(parts, page):
    """The links are those that were given, as addresses; without reports there are none."""
    items = page.by_id("parts").all("li")
    assert [item.one("a").attributes["href"] for item in items] == ["a.html", "b%20c.html", "../d.html"]
    for item, found in zip(items, parts, strict=True):
        assert f"{found.names[found.winners(KEY)[0]]} is first by macro-averaged F1" in item.text
    assert not read(render_summary(parts)).by_id("parts").all("a")


def test_links_lead_from_the_summary_to_the_reports(parts, tmp_path):
    """Whatever folder each stands in; what is linked is there."""
    (tmp_path / "parts").mkdir()
    reports = [write_report(found, tmp_path / "parts" / f"{found.task.part}.html") for found in parts]
    path = write_family_report(parts, tmp_path / "summary.html", reports)
    links = [link.attributes["href"] for link in read(path.read_text()).by_id("parts").all("a")]
    assert links == ["parts/English.html", "parts/Spanish.html", "parts/Arabic.html"]
    assert all((tmp_path / link).is_file() for link in links)


def test_the_summary_has_a_name_of_its_own(parts):
    """Under the family's name, or the first task's, and never that of a test set's own report."""
    assert str(default_family_report(parts)) == "audit-Tasks-2026-summary.html"
    alone = replace(parts[0], task=replace(parts[0].task, family=None))
    assert str(default_family_report([alone])) == "audit-t-English-summary.html"


def test_the_terminal_prints_the_same_rows(parts, page, capsys):
    """Every cell of the page, and the sentences."""
    write(*summary_blocks(parts))
    printed = capsys.readouterr().out
    found = summary_of(parts)
    table = grid(page, "table-family")
    assert found.table.texts == [*table.rows, *table.computed]
    assert all(sentence in " ".join(printed.split()) for sentence in found.answer)
    assert printed.startswith("Tasks of 2026\n")


def test_every_text_of_the_page_is_rendered(parts):
    """No field is computed for nothing."""
    filled = marked(summary_of(parts, ["a", "b", "c"]))
    rendered = render("family.html.j2", filled)
    assert {path for path, text in texts(filled) if text not in rendered} == set()


def test_late_runs_and_fewer_items_are_marked(parts):
    """The marks of the reports, with a legend."""
    entries = list(parts[0].entries)
    entries[1] = replace(entries[1], n_dropped=3)
    entries[3] = replace(entries[3], role=Role.LATE, competes=False)
    page = summary_of([replace(parts[0], entries=tuple(entries))])
    names = [row[0].text for row in page.table.rows]
    assert {"team 001‡", "team 003†"} <= set(names)
    assert "† late. ‡ scored on fewer items in some test set." in page.table.note


def test_hostile_names_stay_text():
    """Markup, direction marks and formulas, in the family's name, the parts' and the teams'."""
    found = [
        evaluate(random_campaign(len(HOSTILE), 90, 2, names=HOSTILE, family=HOSTILE[0], part=name))
        for name in (HOSTILE[2], HOSTILE[9])
    ]
    html = render_summary(found, [HOSTILE[0], HOSTILE[1]])
    assert len(read(html).all("script")) == 1
    assert "<script>alert" not in html
    assert not re.search("[\u202e\u2066\u200f\x00\x1b]", html)


def test_the_same_test_sets_give_the_same_bytes(parts):
    """Nothing of the page depends on anything else."""
    assert render_summary(parts) == render_summary(list(parts))


def test_a_winner_that_skipped_a_test_set_is_told_as_one():
    """Where skipping counts as the last rank, the first may have skipped: the answer says how many it took part in."""
    others = (2, 3, 5)
    absent = {"A": others, "B": others, "C": (0, *others)}
    parts = [part(name, 150, without=without, first=0, skipped="last") for name, without in absent.items()]
    assert family_data(parts)["winners"]["mean_rank"] == ["team 000"]
    assert "team 000 took part in 2 of 3 test sets." in summary_of(parts).answer
    assert not any("team 001 took part" in sentence for sentence in summary_of(parts).answer)


def test_several_test_sets_without_a_title_of_their_own_have_one():
    """The family's name, or what they are."""
    english = part("A", 150)
    untitled = [replace(english, task=replace(english.task, title="English", family=name)) for name in ("Tasks", "")]
    assert [summary_of([each]).title for each in untitled] == ["Tasks", "Several test sets"]
