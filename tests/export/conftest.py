"""Campaigns with their evaluations and exports, each made once."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from audit.domain import Campaign, Evaluation, Policies, Resampling, Role
from audit.evaluation import evaluate
from audit.formats import read_campaign
from audit.report.bundle import ExportOptions, export_files
from audit.resources import samples
from tests.report.campaigns import hostile_campaign, random_campaign

FEW = Resampling(99, 1)
SHEETS = ExportOptions("lualatex", figures=False)


@dataclass(frozen=True)
class Case:
    """A campaign, its evaluation, and its export without figures."""

    campaign: Campaign
    evaluation: Evaluation
    files: dict[str, bytes]


def made(campaign):
    """A case of a campaign."""
    evaluation = evaluate(campaign)
    return Case(campaign, evaluation, export_files(evaluation, campaign, SHEETS))


def with_roles():
    """Teams with runs, a baseline, a late run, dropped items, a class without gold, groups instead of items."""
    base = random_campaign(6, 240, 4, resampling=FEW, policies=Policies(missing="drop"))
    roles = (Role.PRIMARY, Role.CONTRASTIVE, Role.BASELINE, Role.LATE, Role.UNOFFICIAL, Role.PRIMARY)
    teams = ("one", "one", "base", "late", "side", "short")
    submissions = tuple(
        replace(each, team=team, run=f"run {place}", role=role)
        for place, (each, team, role) in enumerate(zip(base.submissions, teams, roles, strict=True))
    )
    kept = np.where(base.gold.codes == 3, 0, base.gold.codes).astype(base.gold.codes.dtype)
    gold = replace(base.gold, codes=kept, groups=np.arange(240) // 4)
    return replace(base, gold=gold, submissions=submissions)


@pytest.fixture(scope="session")
def flood():
    """The sample campaign, with few replicates."""
    campaign = read_campaign(samples() / "flood-posts")
    return made(replace(campaign, task=replace(campaign.task, resampling=FEW)))


@pytest.fixture(scope="session")
def hostile():
    """A campaign whose texts all try to be something else."""
    base = hostile_campaign()
    return made(replace(base, task=replace(base.task, resampling=FEW)))


@pytest.fixture(scope="session")
def roles():
    """Every role, dropped items, groups, and a class without gold."""
    return made(with_roles())


@pytest.fixture(scope="session")
def lone():
    """One submission, nothing resampled, no files behind it."""
    base = random_campaign(1, 60, 2)
    return made(replace(base, submissions=tuple(replace(each, source=None) for each in base.submissions)))


CASES = ("flood", "hostile", "roles", "lone")


@pytest.fixture(params=CASES)
def case(request):
    """Each of the campaigns."""
    return request.getfixturevalue(request.param)
