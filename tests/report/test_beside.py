"""Baselines, late and unofficial runs, and scores on fewer items: marked alike on the page, in data and in print."""

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from audit.document import Table
from audit.domain import (
    ChosenRun,
    JournalEntry,
    Options,
    Origin,
    Policies,
    Rejection,
    Role,
    ScoreKey,
)
from audit.errors import Issue
from audit.evaluation import evaluate
from audit.report.ahead import PROMISE
from audit.report.baseline_rows import baseline_score
from audit.report.loaded import journal_lines
from audit.report.page import document_of
from audit.report.paper_prose import methods_of
from audit.report.printing import printing
from audit.report.short import ranking_blocks
from audit.writers.data.export import evaluation_data, ranking_data, scores_csv, to_json
from audit.writers.html import render_html
from audit.writers.terminal import write

from .campaigns import random_campaign, random_evaluation, spotless_evaluation
from .document import grid, read
from .parts import every, fold_of, plain, section_of, sentences, table_of, terms_of

KEY = ScoreKey("averaged_f1")
TEAM_TABLES = (
    *("table-ranking", "table-gap", "table-metrics-observed", "table-metrics-balanced"),
    *("table-recall", "table-precision", "table-files"),
)
ROLES = {1: Role.LATE, 2: Role.BASELINE, 5: Role.UNOFFICIAL, 7: Role.BASELINE}


def mixed_campaign(**task):
    """Nine submissions: of the second best team a late run, two baselines, an unofficial one, and one with holes."""
    campaign = random_campaign(9, 600, 3, options=Options(), **task)
    submissions = [
        replace(submission, role=ROLES.get(place, Role.PRIMARY))
        for place, submission in enumerate(campaign.submissions)
    ]
    codes = submissions[3].codes.copy()
    codes[:60] = 3
    submissions[3] = replace(submissions[3], given=codes)
    submissions[1] = replace(submissions[1], team="team 000", run="late")
    submissions[0] = replace(
        submissions[0], run="first", origin=Origin("University of X", "https://example.org/1")
    )
    return replace(campaign, submissions=tuple(submissions))


@pytest.fixture(scope="module")
def mixed():
    """The campaign with missing items dropped."""
    return evaluate(mixed_campaign(policies=Policies(missing="drop", runs="primary")))


@pytest.fixture(scope="module")
def page(mixed):
    return read(render_html(mixed))


def on_fewer_items():
    """Who is scored on how many items, counted from the submissions."""
    submissions = mixed_campaign().submissions
    scored = {place: 600 - int((submissions[place].codes == 3).sum()) for place in (3, 8)}
    return " and ".join(
        f"team 00{place} scored on {n_items} of 600 items" for place, n_items in scored.items()
    )


def entry(evaluation, role):
    return [found for found in evaluation.entries if found.role == role]


def test_the_campaign_has_all_of_them(mixed):
    """The laws below meet every kind of entry."""
    assert {found.role for found in mixed.entries} == {
        Role.PRIMARY,
        Role.LATE,
        Role.BASELINE,
        Role.UNOFFICIAL,
    }
    assert [found.name for found in mixed.entries if found.n_dropped] == ["team 003", "team 008"]
    assert mixed.competing.sum() == 5
    assert mixed.comparable.sum() == 3
    assert {baseline.slug for baseline in mixed.baselines} == {
        "majority",
        "uniform",
        "prevalence",
        "oracle",
    }


@pytest.mark.parametrize("anchor", TEAM_TABLES)
def test_every_table_of_teams_marks_them_and_says_how(mixed, page, anchor):
    """Baselines are in italics, late and unofficial runs daggered, scores on fewer items double-daggered."""
    figure = page.by_id(anchor)
    names = {row.text: row for row in figure.one("tbody").all("th")}
    for place, found in enumerate(mixed.entries):
        marks = "†" * (found.role in (Role.LATE, Role.UNOFFICIAL)) + "‡" * bool(found.n_dropped)
        row = names[found.name + marks]
        assert ("beside" in row.attributes.get("class", "")) == (found.role == Role.BASELINE)
        if found.n_dropped:
            assert f"scored on {600 - found.n_dropped} of 600 items" in row.attributes["title"]
        assert (mixed.entries[place].role.value in row.attributes.get("title", "")) == (
            found.role != Role.PRIMARY
        )
    note = figure.where(lambda element: element.attributes.get("class") == "note")[0].text
    assert "Italic: baselines." in note
    assert "† late or unofficial." in note
    has_ranks = "rank" in map(str.lower, grid(page, anchor).heads)
    assert ("In parentheses: the rank that an entry would take" in note) == has_ranks
    assert f"‡ {on_fewer_items()}; no possible ranks." in note


def test_only_those_that_compete_take_a_rank(mixed, page):
    """Ranks without parentheses run from 1 to the number of competing entries; the others' are by counting."""
    table, scores = grid(page, "table-ranking"), mixed.scores_of(KEY)
    ranks = {row[1].rstrip("†‡"): row[0] for row in table.rows}
    assert sorted(ranks[found.name] for found in mixed.entries if found.competes) == [
        "1",
        "2",
        "3",
        "4",
        "5",
    ]
    for place, found in enumerate(mixed.entries):
        if not found.competes:
            better = sum(scores[other] > scores[place] for other in np.flatnonzero(mixed.competing))
            assert ranks[found.name] == f"({better + 1})"


def test_computed_rows_stand_below_and_say_what_they_are(mixed, page):
    """Their scores, the ranks that they would take, Monte Carlo errors where not exact; the oracle takes no rank."""
    table, row = grid(page, "table-ranking"), mixed.keys.index(KEY)
    competing = mixed.scores_of(KEY)[mixed.competing]
    by_title = {baseline.title: baseline for baseline in mixed.baselines}
    names = [cells[1].removesuffix(" (computed)") for cells in table.computed]
    assert sorted(names) == sorted(by_title)
    shown = [by_title[name].values[row] for name in names]
    assert shown == sorted(shown, reverse=True)
    for name, cells in zip(names, table.computed, strict=True):
        baseline = by_title[name]
        rank = (
            "–"
            if baseline.slug == "oracle"
            else f"({1 + (competing > baseline.values[row]).sum()})"
        )
        assert cells[0] == rank
        assert cells[2] == baseline_score(baseline, row, 3)
    assert "Rows marked “computed”" in page.by_id("table-ranking").text
    uniform = by_title["Uniform random"]
    column = mixed.keys.index(ScoreKey("f1_of_averages"))
    assert uniform.standard_errors[column] > 0
    assert baseline_score(uniform, column, 3).endswith(
        f"± {uniform.standard_errors[column]:.4f}"[1:].replace(" 0", " ")
    )
    assert "±" not in baseline_score(by_title["Majority class"], column, 3)


def test_possible_ranks_are_of_comparable_entries_only(mixed, page):
    """Who takes no rank, or is scored on other items, has a dash, and is in no pair."""
    table = grid(page, "table-ranking")
    places = {row[1].rstrip("†‡"): row[table.heads.index("Possible ranks")] for row in table.rows}
    for found in mixed.entries:
        assert (places[found.name] == "–") == (not found.is_comparable)
    assert "of 3 pairwise differences are significant" in page.by_id("ahead").text
    assert (
        "compared in no pair: team 000/late, team 002, team 003, team 005, team 007 and team 008."
        in page.text
    )


def test_the_data_says_it_too(mixed):
    """JSON and CSV: role, items scored, no rank for what takes none, baselines with their errors."""
    data = json.loads(to_json(ranking_data(mixed, KEY)))
    for row in data["ranking"]:
        found = mixed.entries[mixed.names.index(row["team"])]
        assert (row["role"], row["competes"]) == (found.role.value, found.competes)
        assert row["items_scored"] == 600 - found.n_dropped
        assert (row["rank"] is None) == (not found.competes)
        assert row["would_be_rank"] == mixed.ranks_of(KEY)[mixed.names.index(row["team"])]
        assert (row["possible_ranks"] is None) == (not found.is_comparable)
    assert [baseline["slug"] for baseline in data["baselines"]] == [
        baseline.slug for baseline in mixed.baselines
    ]
    whole = json.loads(to_json(evaluation_data(mixed)))
    assert whole["policies"]["missing"] == "drop"
    assert whole["entries"][0]["affiliation"] == "University of X"
    comparison = whole["certainty"]["comparisons"][0]
    assert {name for name, ranks in comparison["possible_ranks"].items() if ranks is None} == {
        found.name for found in mixed.entries if not found.is_comparable
    }
    lines = list(csv.DictReader(io.StringIO(scores_csv(mixed, [KEY], by=KEY))))
    assert [line["role"] for line in lines][-4:] == ["computed"] * 4
    for line, row in zip(lines, data["ranking"], strict=False):
        assert (line["team"], line["rank"], line["role"]) == (
            row["team"],
            str(row["rank"] or ""),
            row["role"],
        )
        assert line["items_scored"] == str(row["items_scored"])


def test_the_terminal_says_it_in_words(mixed, capsys):
    """No italics there: a baseline is called one, computed rows are below, marks are explained."""
    write(*ranking_blocks(mixed, KEY))
    printed = capsys.readouterr().out
    lines = {
        re.split(r"\s{2,}", line.strip())[1]: line
        for line in printed.splitlines()
        if re.search(r"\s{2,}\S", line.strip())
    }
    for found in mixed.entries:
        name = found.name + " (baseline)" * (found.role == Role.BASELINE)
        name += "†" * (found.role in (Role.LATE, Role.UNOFFICIAL)) + "‡" * bool(found.n_dropped)
        assert ("(" in lines[name].split()[0]) == (not found.competes)
    assert [name for name in lines if name.endswith("(computed)")]
    assert f"‡ {on_fewer_items()}" in printed
    assert "† late or unofficial" in printed
    assert "In parentheses: the rank that an entry would take; it takes none." in printed


def test_a_baseline_at_the_top_does_not_win(mixed):
    """The answer says that nobody is above it and names the best that competes; nothing takes it for the winner."""
    top = max(np.flatnonzero(mixed.competing), key=lambda team: mixed.scores_of(KEY)[team])
    entries = tuple(
        replace(found, role=Role.BASELINE, competes=False) if place == top else found
        for place, found in enumerate(mixed.entries)
    )
    crowned = replace(mixed, entries=entries)
    document = document_of(crowned)
    nobody_above, claim = document.verdict.sentence.split("; ", maxsplit=1)
    assert nobody_above.startswith(f"No team outperforms the baseline “{mixed.names[top]}” (")
    assert mixed.names[top] not in claim
    assert all(
        not re.search(rf"{mixed.names[top]}[^,;.]* is best", table.caption)
        for table in every(section_of(document, "metrics"), Table)
        if table.id.startswith("table-metrics-")
    )


def test_nobody_competes():
    """Baselines alone: the page is whole, and says that no team competes."""
    campaign = mixed_campaign()
    alone = replace(
        campaign,
        submissions=tuple(replace(item, role=Role.BASELINE) for item in campaign.submissions),
    )
    page = read(render_html(evaluate(alone)))
    assert "no team competes" in page.by_id("verdict").text
    assert "nothing is compared in pairs: there are 0 teams to compare" in page.by_id("ahead").text
    assert {row[0][0] for row in grid(page, "table-ranking").rows} == {"("}


def test_a_winner_on_fewer_items_is_not_compared():
    """The first page says so instead of calling it separable or not."""
    campaign = mixed_campaign(policies=Policies(missing="drop"))
    first = campaign.submissions[0]
    codes = first.codes.copy()
    codes[:10] = 3
    found = evaluate(
        replace(campaign, submissions=(replace(first, given=codes), *campaign.submissions[2:]))
    )
    document = document_of(found)
    assert "is scored on fewer items than the others" in document.verdict.sentence


def test_one_submission_makes_no_pair():
    """Nothing is promised of pairs, and no claim is made that the winner is separable."""
    found = random_evaluation(1, 60, 2, options=Options(64))
    document = document_of(found)
    assert document.verdict.sentence.startswith("team 000 is the only team in the ranking")
    assert PROMISE not in sentences(fold_of(document, "ranking"))


def rules_of(evaluation):
    """The rules in force, as the page names and words them."""
    return terms_of(fold_of(document_of(evaluation), "rules"))


def test_policies_have_a_row_where_they_matter():
    """Runs, baselines and skipped test sets only where there are some, or where the policy differs."""
    without = rules_of(spotless_evaluation())
    assert not {"Several runs of a team", "Baselines", "A test set that a team skipped"} & set(
        without
    )
    chosen = ChosenRun("team 000", "first", "the team said so")
    found = evaluate(mixed_campaign(policies=Policies(chosen=(chosen,)), family="Tasks", part="A"))
    rows = rules_of(found)
    assert {"Several runs of a team", "Baselines", "A test set that a team skipped"} <= set(rows)
    assert rows["Runs chosen by name"] == "“team 000”: first, the team said so"
    spotless = spotless_evaluation()
    differs = replace(spotless.task, policies=Policies(runs="best"))
    assert "Several runs of a team" in rules_of(replace(spotless, task=differs))


def test_runs_that_do_not_count_are_listed(mixed):
    """With their role and the reason."""
    campaign = mixed_campaign(policies=Policies(runs="primary"))
    first = campaign.submissions[0]
    more = replace(first, run="second", role=Role.CONTRASTIVE, given=np.roll(first.codes, 1))
    found = evaluate(replace(campaign, submissions=(first, more, *campaign.submissions[1:])))
    rows = grid(read(render_html(found)), "table-uncounted").rows
    assert [row[:3] for row in rows] == [["team 000", "second", "contrastive"]]
    assert table_of(document_of(mixed), "table-uncounted") is None


def test_what_was_loaded_says_role_and_origin(page):
    """Where the organiser's table says it; an origin that is not known is empty."""
    table = grid(page, "table-files")
    assert (
        dict(zip(table.column("Team"), table.column("Role"), strict=True))["team 002"]
        == "baseline, beside"
    )
    assert table.named()["team 000/first"][-2:] == ["University of X", "https://example.org/1"]
    assert set(table.column("Paper")) == {"", "https://example.org/1"}


# The journal, and what a public report must not say


def test_the_journal_gathers_what_is_alike():
    """Decisions and repairs first; many files in one line; counts where they are not one each; unknown actions last."""
    journal = [
        *(JournalEntry("read", f"{name}.csv", "comma-separated") for name in "abcdefgh"),
        JournalEntry("moved", "x", "something"),
        JournalEntry("repaired", "a.csv", "blank lines dropped", 3),
        JournalEntry("decided", "b.csv", "extra items left out"),
    ]
    assert list(map(plain, journal_lines(journal))) == [
        "decided: extra items left out (b.csv)",
        "repaired: blank lines dropped (a.csv: 3 lines or items)",
        "read: comma-separated (8 files or teams)",
        "moved: something (x)",
    ]


ID = "tweet-4711"


def test_no_item_id_of_an_issue_is_in_the_report(mixed):
    """The terminal names the items; the page does not, nor what a file quotes of its lines."""
    issues = (
        Issue.of("unknown-item", "a.csv", "gold has no such id", items=f"“{ID}”."),
        Issue.of("ambiguous-reading", "a.csv", f"line 1: id “{ID}”, label “x”"),
        Issue.of("unrecognised", "a.csv", f"the first line is “{ID} x”"),
    )
    assert ID in str(issues[0])
    odd = replace(
        mixed.entries[0],
        issues=(Issue.of("missing-item", "b.csv", "no answer for 1 item", items=f"“{ID}”"),),
    )
    found = replace(
        mixed, rejections=(Rejection("a.csv", issues),), entries=(odd, *mixed.entries[1:])
    )
    html = render_html(found)
    assert "gold has no such id" in html
    assert "no answer for 1 item" in html
    assert ID not in html


def test_the_order_of_printing_is_that_of_the_evaluation(mixed):
    """Ranked and comparable rows are parts of it."""
    show = printing(mixed)
    assert [team for team in show.order if mixed.competing[team]] == list(show.ranked)
    assert [team for team in show.order if mixed.comparable[team]] == list(show.comparable)


def test_a_ranked_baseline_is_counted_as_none_of_the_teams():
    """By head, verdict, loaded files and methods alike."""
    campaign = random_campaign(4, 300, 3, policies=Policies(baselines="ranked"))
    roles = (Role.BASELINE if place == 2 else Role.PRIMARY for place in range(4))
    submissions = tuple(
        replace(each, role=role) for each, role in zip(campaign.submissions, roles, strict=True)
    )
    found = evaluate(replace(campaign, submissions=submissions))
    page = document_of(found)
    assert {"3 teams", "1 baseline ranked with them"} <= set(page.facts)
    assert section_of(page, "data").answer[0].startswith("4 files loaded")
    assert "3 teams took part, and 1 baseline is ranked with them." in next(methods_of(found))
