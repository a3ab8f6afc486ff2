"""Where a team has several runs in the ranking, what is counted are runs, and no sentence calls them teams."""

import html
import re
from dataclasses import replace

import pytest

from audit.domain import Campaign, Role
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples
from audit.writers.html import render_html

COUNTED = re.compile(r"\b(?:\d[\d,]*|pairs? of|the median) teams?\b")
OF_TEAMS = (
    "the median team. too-few-gold-items",
    "2 teams",
    "best teams (computed)",
    "pairs of teams; the adjusted p",
)
"""What is counted by team all the same: who took part, a system's name, a definition."""


def as_runs(campaign: Campaign) -> Campaign:
    """The same submissions, each a run of one of two teams."""
    competing = [each for each in campaign.submissions if each.role is Role.PRIMARY]
    submissions = tuple(
        replace(each, team=f"Team{n % 2}", run=each.team) for n, each in enumerate(competing)
    )
    policies = replace(campaign.task.policies, runs="all")
    return replace(
        campaign, task=replace(campaign.task, policies=policies), submissions=submissions
    )


@pytest.fixture(scope="module")
def campaign():
    return read_campaign(samples() / "flood-posts")


def counted_teams(campaign: Campaign) -> list[str]:
    """Every count of teams on a campaign's page, with what follows it."""
    page = re.sub(
        r"<(style|script|svg)\b.*?</\1>", " ", render_html(evaluate(campaign)), flags=re.DOTALL
    )
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())
    return [text[match.start() : match.end() + 60] for match in COUNTED.finditer(text)]


def test_runs_are_counted_as_runs(campaign):
    """The page of teams counts teams in many places, that of runs in none but those that mean teams."""
    assert len(counted_teams(campaign)) > 10
    found = [
        text
        for text in counted_teams(as_runs(campaign))
        if not any(each in text[:40] for each in OF_TEAMS)
    ]
    assert found == []
