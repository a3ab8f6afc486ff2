"""Evaluations to draw, each made once."""

from dataclasses import replace

import numpy as np
import pytest

from audit.domain import Options, Role, ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples
from tests.report import campaigns

FEW = Options(200, 1)


@pytest.fixture(scope="session")
def flood():
    """The sample campaign."""
    campaign = read_campaign(samples() / "flood-posts")
    return evaluate(replace(campaign, options=FEW))


@pytest.fixture(scope="session")
def hostile():
    """A campaign whose names and labels all try to be something else, formulas of TeX among them."""
    names = [
        r"$\frac{$",
        "$x$",
        "<script>alert(1)</script>",
        "--><b>",
        "名前",
        "\u202eevil",
        "a" * 300,
        "&amp;",
    ]
    campaign = campaigns.random_campaign(
        8, 300, 3, names=names, labels=["$\\alpha$", "<b>", "\x00-->"], options=FEW
    )
    return evaluate(campaign)


@pytest.fixture(scope="session")
def crowd():
    """More teams than a figure shows, and more classes than it names."""
    return evaluate(campaigns.random_campaign(70, 500, 12, options=FEW))


@pytest.fixture(scope="session")
def lone():
    """One submission."""
    return evaluate(campaigns.random_campaign(1, 60, 2))


@pytest.fixture(scope="session")
def bare():
    """Three submissions, the certainty left out."""
    return evaluate(campaigns.random_campaign(3, 60, 2), Options(certainty=False))


@pytest.fixture(scope="session")
def unscored():
    """Ranked by the recall of a class that gold lacks: no team has a score by it, and all are compared."""
    base = campaigns.random_campaign(3, 90, 3, official_metric=ScoreKey("recall[class 2]"))
    return evaluate(replace(base, gold=replace(base.gold, codes=np.minimum(base.gold.codes, 1))))


@pytest.fixture(scope="session")
def perfect():
    """Every answer of every team is right, so that nothing differs."""
    campaign = campaigns.random_campaign(3, 60, 2, options=FEW)
    right = tuple(replace(each, given=campaign.gold.codes) for each in campaign.submissions)
    return evaluate(replace(campaign, submissions=right))


@pytest.fixture(scope="session")
def with_baseline(flood):
    """The sample campaign, one of its submissions marked as a baseline that does not compete."""
    entries = tuple(
        replace(entry, role=Role.BASELINE, competes=False)
        if entry.name == "baseline-majority"
        else entry
        for entry in flood.entries
    )
    return replace(flood, entries=entries)


@pytest.fixture(scope="session")
def undefined(flood):
    """No team has a defined score by any metric."""
    return replace(flood, values=np.full(flood.values.shape, np.nan)).given(certainty=None)
