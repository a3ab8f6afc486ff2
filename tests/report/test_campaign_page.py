"""The page of a campaign with several tracks: page, terminal and JSON say the same, and nothing contradicts a track."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from audit.domain import Policies, Role, ScoreKey, State
from audit.evaluation import evaluate
from audit.findings.campaign import CampaignFindings, ChoiceKind
from audit.report.campaign_page import campaign_document
from audit.report.campaign_terminal import LINES, campaign_layouts
from audit.report.campaign_words import CampaignWords
from audit.workflow import default_campaign_report, write_campaign_report, write_report
from audit.writers.data.campaign_data import campaign_data
from audit.writers.data.export import to_json
from audit.writers.html import render_campaign
from audit.writers.terminal import text_of

from .campaigns import HOSTILE, random_campaign
from .document import grid, read

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
    return [
        part("English", 300),
        part("Spanish", 200, without=(0,), first=2),
        part("Arabic", 150, first=2),
    ]


@pytest.fixture(scope="module")
def found(parts):
    return CampaignFindings(parts)


@pytest.fixture(scope="module")
def page(found):
    return read(render_campaign(found, ["a.html", "b c.html", "../d.html"]))


def printed(value):
    return re.sub("^0", "", f"{value:.3f}")


def test_the_table_shows_scores_and_ranks_of_every_track(parts, page):
    """Read back, they are those of the evaluations; a track that a team skipped has a dash."""
    rows = grid(page, "table-tracks").named()
    for place, track in enumerate(parts):
        for name, score, rank in zip(
            track.names, track.scores_of(KEY), track.ranks_of(KEY), strict=True
        ):
            shown = rows.get(name) or rows[f"{name} (baseline)"]
            is_ranked = track.entries[track.names.index(name)].competes
            assert shown[3 + place] == (
                f"{printed(score)} ({rank})" if is_ranked else printed(score)
            )
    assert rows["team 000"][4] == "absent"
    assert rows["team 000"][2] == "–"


def test_means_ranks_and_intervals_are_those_of_the_json(found, page):
    """For every team, in the order of the ranking by the mean score."""
    data = json.loads(to_json(campaign_data(found)))
    rows = grid(page, "table-rules").rows
    assert [row[0] for row in rows] == [team["name"] for team in data["teams"]]
    for row, team in zip(rows, data["teams"], strict=True):
        if team["tracks"] < 3:
            assert row[1:10] == ["–"] * 9
            assert team["mean_score"] is None
            continue
        assert row[1] == printed(team["mean_score"])
        assert (
            row[2] == f"[{printed(team['mean_score_lower'])}, {printed(team['mean_score_upper'])}]"
        )
        assert (row[4], row[7]) == (f"{team['mean_rank']:.2f}", f"{team['borda']:.1f}")
        assert row[5] == f"[{team['mean_rank_lower']:.2f}, {team['mean_rank_upper']:.2f}]"
        assert team["mean_score"] == pytest.approx(np.mean(team["scores"]))


def test_a_team_that_skipped_a_track_has_no_overall_rank(found, page):
    """However good it is in the others: it is first by no rule, and the verdict says that it is left out."""
    data = campaign_data(found)
    (absent,) = [team["name"] for team in data["teams"] if team["tracks"] < 3]
    assert absent == "team 000" == data["teams"][-1]["name"]
    assert all(absent not in names for names in data["winners"].values())
    assert "team 000 skipped Spanish: no overall rank." in page.by_id("verdict").text


def test_the_first_screen_says_what_the_relation_decides(found, page):
    """The claim, the confidence set and the possible ranks of the board are those of the comparison."""
    comparison, words = found.comparison, CampaignWords(found)
    assert words.verdict() in page.by_id("verdict").text
    assert ("significantly ahead of" in words.verdict()) == (comparison.contenders == found.winners)
    by_name = {row.name: row for row in campaign_document(found).board.rows}
    for place, row in enumerate(found.tracks.rows):
        assert bool(by_name[row.name].confidence) == bool(comparison.could_be_best[place])
    names = {row.name for row in campaign_document(found).board.rows if row.possible_ranks}
    assert names == {"team 001", "team 002", "team 003", "team 005"}


def test_every_track_is_named_with_its_verdict_and_its_report(parts, page):
    """The links are those that were given, as addresses; without reports there are none."""
    links = page.by_id("table-participation").all("a")
    assert [link.attributes["href"] for link in links] == ["a.html", "b%20c.html", "../d.html"]
    rows = grid(page, "table-participation").named()
    for track in parts:
        assert rows[track.task.part][-1] == track.verdict.sentence
    assert not read(render_campaign(CampaignFindings(parts))).by_id("table-participation").all("a")


def test_links_lead_from_the_page_to_the_reports(parts, tmp_path):
    """Whatever folder each stands in; what is linked is there."""
    (tmp_path / "parts").mkdir()
    reports = [
        write_report(track, tmp_path / "parts" / f"{track.task.part}.html") for track in parts
    ]
    path = write_campaign_report(CampaignFindings(parts), tmp_path / "page.html", reports)
    links = [
        link.attributes["href"]
        for link in read(path.read_text()).by_id("table-participation").all("a")
    ]
    assert links == ["parts/English.html", "parts/Spanish.html", "parts/Arabic.html"]
    assert all((tmp_path / link).is_file() for link in links)


def test_the_page_has_the_campaigns_name(parts):
    """In its file’s name, and as its title; without a name of the campaign it says what it is."""
    assert str(default_campaign_report(parts)) == "audit-Tasks-2026.html"
    assert campaign_document(CampaignFindings(parts)).title == "Tasks of 2026"
    untitled = [
        replace(each, task=replace(each.task, title=each.task.part, family="")) for each in parts
    ]
    assert campaign_document(CampaignFindings(untitled)).title == "Several tracks"


def test_many_tracks_stand_as_rows():
    """Beyond eight the teams' counts stand in the open; a row for each track is folded."""
    tracks = [part(f"track {number}", 60) for number in range(9)]
    found = CampaignFindings(tracks)
    document = campaign_document(found)
    (section,) = [each for each in document.sections if each.id == "tracks"]
    counts, ranks, scores, _ = section.blocks
    assert [column.label for column in counts.columns][3:6] == [
        "First in",
        "In the confidence set of",
        "Took part in",
    ]
    for row, cells in zip(found.order, counts.texts, strict=True):
        in_set = sum(found.is_in_set(track, row) for track in range(9))
        n_first = int((found.tracks.ranks[row] == 1).sum())
        assert cells[3:6] == [str(n_first), str(in_set), str(found.tracks.n_parts[row])]
    assert len(ranks.blocks[0].rows) == len(scores.blocks[0].rows) == 9


def test_the_terminal_takes_25_lines_and_says_the_verdict(found):
    """In a window of 80 columns, with the same claim and table as the page."""
    words = CampaignWords(found)
    texts = [text_of(*layout) for layout in campaign_layouts(found, "audit.html", 80)]
    assert words.verdict() in texts[0]
    assert min(text.count("\n") + 1 for text in texts) <= LINES
    assert all(name in texts[0] for name in words.names[:3])


def test_different_metrics_have_no_mean_score():
    """The tracks are then ranked by the mean rank, by which they are compared."""
    found = CampaignFindings([part("A", 150), part("B", 150, metric=ScoreKey("mcc"))])
    assert found.rule == "mean rank"
    assert found.comparison.possible_ranks[found.winners[0], 0] == 1
    assert "ranks first over the two tracks with a mean rank of" in CampaignWords(found).verdict()
    assert "There is no mean score" in " ".join(CampaignWords(found).method())


def test_a_skipped_track_by_the_policy_last():
    """The team has the last rank there and no mean score; a winner that skipped is told as one."""
    others = (2, 3, 5)
    absent = {"A": others, "B": others, "C": (0, *others)}
    parts = [
        part(name, 150, without=without, first=0, skipped="last")
        for name, without in absent.items()
    ]
    stated = [replace(each, task=replace(each.task, overall="mean-rank")) for each in parts]
    found = CampaignFindings(stated)
    assert campaign_data(found)["winners"]["mean_rank"] == ["team 000"]
    assert "team 000 took part in 2 of 3 tracks." in CampaignWords(found).more()
    assert np.isnan(found.tracks.summary.mean_score[found.winners[0]])
    assert "no mean score" in " ".join(CampaignWords(found).method())


def test_what_cannot_be_ranked_says_why():
    """Nobody in all tracks; a track that all skipped; nobody who competes; one team alone."""
    nobody = CampaignFindings([part("A", 150, without=(0, 1)), part("B", 150, without=(2, 3, 5))])
    assert "no team took part in all two tracks" in CampaignWords(nobody).verdict()
    one = part("A", 150)
    idle = tuple(replace(entry, competes=False) for entry in one.entries)
    empty = replace(part("B", 150), entries=idle)
    assert (
        "no team took part in B. Leave it out"
        in CampaignWords(CampaignFindings([one, empty])).verdict()
    )
    none = CampaignFindings([replace(one, entries=idle), empty])
    assert "no team competes" in CampaignWords(none).verdict()
    alone = CampaignFindings([part(name, 150, without=(1, 2, 3, 5)) for name in ("A", "B")])
    assert (
        CampaignWords(alone)
        .verdict()
        .startswith("team 000 is the only team that took part in all tracks")
    )
    for each in (nobody, none, alone):
        assert campaign_data(each)["teams"] or each is none
        render_campaign(each)


def test_the_first_by_each_other_choice_has_a_state(found):
    """Rules, each track left out; every state is one of the six, and rules of ranks are tested."""
    kinds = [choice.kind for choice in found.choices]
    assert kinds == [ChoiceKind.RULE] * 2 + [ChoiceKind.TRACK_LEFT_OUT] * 3
    assert State.NOT_TESTED not in {choice.state for choice in found.other_rules}
    for choice in found.tracks_left_out:
        left = [
            track for number, track in enumerate(found.evaluations) if str(number) != choice.name
        ]
        alone = CampaignFindings(left)
        assert {alone.tracks.rows[row].name for row in alone.winners} == {
            found.tracks.rows[row].name for row in choice.winners
        }
        assert choice.state in set(State)


def test_equal_weights_are_a_choice_only_where_weights_are_given(parts, found):
    """Then the state is that of the unweighted campaign."""
    assert found.equal_weights == ()
    weighted = [
        replace(each, task=replace(each.task, weight=place + 1)) for place, each in enumerate(parts)
    ]
    (choice,) = CampaignFindings(weighted).equal_weights
    assert choice.winners == found.winners


def test_late_runs_and_fewer_items_are_marked(parts):
    """The marks of the reports, with a legend."""
    entries = list(parts[0].entries)
    entries[1] = replace(entries[1], n_dropped=3)
    entries[3] = replace(entries[3], role=Role.LATE, competes=False)
    document = campaign_document(CampaignFindings([replace(parts[0], entries=tuple(entries))]))
    (section,) = [each for each in document.sections if each.id == "tracks"]
    names = [row[0].text for row in section.blocks[0].rows]
    assert {"team 001‡", "team 003†"} <= set(names)
    assert "† late. ‡ scored on fewer items in some track." in section.blocks[0].note


def test_hostile_names_stay_text():
    """Markup, direction marks and formulas, in the campaign's name, the tracks' and the teams'."""
    tracks = [
        evaluate(random_campaign(len(HOSTILE), 90, 2, names=HOSTILE, family=HOSTILE[0], part=name))
        for name in (HOSTILE[2], HOSTILE[9])
    ]
    html = render_campaign(CampaignFindings(tracks), [HOSTILE[0], HOSTILE[1]])
    assert len(read(html).all("script")) == 1
    assert "<script>alert" not in html
    assert not re.search("[\u202e\u2066\u200f\x00\x1b]", html)


def test_the_same_tracks_give_the_same_bytes(parts):
    """Nothing of the page depends on anything else."""
    assert render_campaign(CampaignFindings(parts)) == render_campaign(
        CampaignFindings(list(parts))
    )
