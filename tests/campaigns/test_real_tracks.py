"""Real campaigns of several tracks, from files to the page: SemEval-2016 task 3 and HIPE-2022."""

import zipfile

import numpy as np
import pytest

from audit.evaluation import evaluate
from audit.findings.campaign import CampaignFindings
from audit.formats.campaign.campaigns import campaigns_of
from audit.formats.door.finding import find_campaign
from audit.report.campaign_terminal import LINES, campaign_layouts
from audit.report.campaign_words import CampaignWords
from audit.writers.data.campaign_data import campaign_data
from audit.writers.html import render_campaign
from audit.writers.terminal import text_of
from tests.nightly import slow
from tests.real_campaigns import folder_of


@pytest.fixture(scope="module")
def subtasks(cqa):
    """The four subtasks of community question answering."""
    return cqa, CampaignFindings([evaluate(cqa[part]) for part in "ABCD"])


@pytest.fixture(scope="module")
def test_sets(tmp_path_factory):
    """The five test sets of HIPE's bundle, as its repository has them."""
    folder = tmp_path_factory.mktemp("hipe")
    with zipfile.ZipFile(folder_of("downloads") / "hipe2022-nerc.zip") as archive:
        archive.extractall(folder)
    opening = find_campaign(folder / "hipe2022-nerc")
    with opening.tree() as tree:
        return CampaignFindings([evaluate(each) for each in campaigns_of(tree)])


def check_whole(found):
    """Page, terminal and JSON are made, and say the same verdict; no mean is of fewer tracks than it says."""
    words = CampaignWords(found)
    data = campaign_data(found)
    assert data["verdict"] == words.verdict()
    assert words.verdict() in render_campaign(found).replace("&#39;", "’")
    texts = [text_of(*layout) for layout in campaign_layouts(found, "page.html", 80)]
    assert min(text.count("\n") + 1 for text in texts) <= LINES
    for team in data["teams"]:
        if team["mean_score"] is not None:
            assert team["tracks"] == found.n_tracks
            assert team["mean_score"] == pytest.approx(np.mean(team["scores"]))


def test_four_subtasks_have_one_ranking(subtasks):
    """The mean is that of the shares of items that the files answer rightly, counted one by one."""
    cqa, found = subtasks
    check_whole(found)
    assert set(map(str, found.tracks.keys)) == {"accuracy"}
    row = found.ranked[0]
    scores = []
    for track, part in enumerate("ABCD"):
        campaign = cqa[part]
        entry = found.evaluations[track].entries[int(found.tracks.entries[row, track])]
        (submission,) = [
            each
            for each in campaign.submissions
            if (each.team, each.run) == (entry.team, entry.run)
        ]
        answers = zip(campaign.gold.codes, submission.codes, strict=True)
        scores.append(np.mean([right == said for right, said in answers]))
    assert found.tracks.summary.mean_score[row] == pytest.approx(np.mean(scores))


@slow("test_four_subtasks_have_one_ranking")
def test_five_test_sets_have_one_page(test_sets):
    """Only the baseline has a run in all of them: nobody is compared with it, and the verdict says so."""
    check_whole(test_sets)
    assert test_sets.n_tracks == 5
    verdict = CampaignWords(test_sets).verdict()
    assert verdict.startswith("neurbsl is the only run that took part in all tracks")
    assert test_sets.comparison is None
