"""What became of a campaign between two loads: overall ranks, both verdicts, and the words for an erratum."""

from dataclasses import replace

from audit.domain import ScoreKey
from audit.evaluation import evaluate
from audit.findings.campaign import CampaignFindings
from audit.report.campaign_words import CampaignWords
from audit.writers.data.campaign_difference import campaign_difference_data
from tests.report.campaigns import random_campaign


def tracks(*, best=None):
    """Two tracks of four teams; in the second one a team may hand in gold itself."""
    found = []
    for name, n_items in (("A", 120), ("B", 90)):
        campaign = random_campaign(
            *(4, n_items, 3),
            slug=f"t-{name}",
            family="t",
            part=name,
            overall="mean-score",
            official_metric=ScoreKey("accuracy"),
        )
        submissions = list(campaign.submissions)
        if name == "B" and best is not None:
            submissions[best] = replace(submissions[best], given=campaign.gold.codes)
        found.append(evaluate(replace(campaign, submissions=tuple(submissions))))
    return CampaignFindings(found)


def test_the_same_files_differ_in_nothing():
    """And the words say that it still holds."""
    data = campaign_difference_data(tracks(), tracks())
    assert data["same"]
    assert not data["ranks_differ"]
    assert data["erratum"].startswith("Over all tracks it still holds: team 000 ranks first")


def test_another_winner_stands_in_the_erratum_with_both_verdicts_and_the_ranks():
    """Of every team that moved; the values are those of both sides."""
    before = tracks()
    after = tracks(best=2)
    data = campaign_difference_data(before, after)
    assert data["ranks_differ"]
    for found in (before, after):
        assert CampaignWords(found).verdict() in data["erratum"]
    row = next(row for row in data["board"] if row["team"] == "team 002")
    assert (row["before"]["rank"], row["after"]["rank"]) == (3, 2)
    assert "team 002 (3 → 2)" in data["erratum"]
    assert row["after"]["score"] > row["before"]["score"]
