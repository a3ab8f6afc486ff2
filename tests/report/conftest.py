"""Evaluations to report, each made once, and their reports, read back."""

from dataclasses import replace
from functools import cache

import pytest

from audit.domain import JournalEntry, Options, Rejection, Role, UncountedRun
from audit.errors import Issue
from audit.evaluation import evaluate
from audit.formats import read_campaign
from audit.report import render_html
from audit.resources import samples

from . import campaigns
from .document import read


@pytest.fixture(scope="session")
def flood():
    """The sample campaign, its baseline counted as a team, so that every row has a rank and most flags fire."""
    return evaluate(campaigns.with_teams_only(read_campaign(samples() / "flood-posts")))


@pytest.fixture(scope="session")
def resampled():
    """The sample campaign with replicates."""
    return evaluate(campaigns.with_teams_only(read_campaign(samples() / "flood-posts")), Options(replicates=300))


@pytest.fixture(scope="session")
def full(resampled):
    """The sample campaign with something in every part of the page: assumptions and rejected files as well."""
    rejected = (
        Rejection("submissions/Late.csv", (Issue.of("empty-file", "submissions/Late.csv", "0 bytes"),)),
        Rejection("submissions/Zip.csv", (Issue.of("binary-file", "submissions/Zip.csv", "a NUL byte", lines=(3,)),)),
    )
    uncounted = (UncountedRun("Kelp", "2", "submissions/Kelp-2.csv", Role.CONTRASTIVE, "not primary"),)
    journal = (JournalEntry("read", "gold.csv", "comma-separated"), JournalEntry("repaired", "Kelp.csv", "blanks", 3))
    published = campaigns.checked(resampled)
    return replace(resampled, rejections=rejected, uncounted=uncounted, journal=journal).given(published=published)


@pytest.fixture(scope="session")
def spotless():
    """A campaign without findings."""
    return campaigns.spotless_evaluation()


@pytest.fixture(scope="session")
def hostile():
    """A campaign whose texts all try to be something else."""
    return evaluate(campaigns.hostile_campaign())


@pytest.fixture(scope="session")
def html_of(request):
    """The report of one of the campaigns above by its name, drawings included, each made once."""
    return cache(lambda name: render_html(request.getfixturevalue(name)))


@pytest.fixture(scope="session")
def flood_html(html_of):
    return html_of("flood")


@pytest.fixture(scope="session")
def flood_page(flood_html):
    return read(flood_html)


@pytest.fixture(scope="session")
def hostile_html(html_of):
    return html_of("hostile")


@pytest.fixture(scope="session", params=["flood", "full", "spotless", "hostile"])
def document(request, html_of):
    """The report of each campaign, as a tree."""
    return read(html_of(request.param))
