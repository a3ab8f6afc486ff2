"""Campaigns with their evaluations and exports, each made once."""

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest

from audit.domain import Campaign, CarriedBy, Evaluation, Policies, Power, Role
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples
from audit.writers.bundle.folder import ExportOptions, export_files
from tests.nightly import ALL
from tests.report.campaigns import hostile_campaign, random_campaign

SHEETS = ExportOptions("lualatex", figures=())


@dataclass(frozen=True)
class Case:
    """A campaign, its evaluation, and its export without figures."""

    campaign: Campaign
    evaluation: Evaluation
    files: dict[str, bytes]


def of_csv(text):
    """A text as it was, of what CSV shows: a formula behind an apostrophe; what is no UTF-8, or a command, escaped."""
    bare = re.sub(r"^'(?=['=+\-@\t\r])", "", text)
    return re.sub(
        r"\\x([0-9a-f]{2})|\\u(dce9)", lambda match: chr(int(match[1] or match[2], 16)), bare
    )


def with_power(evaluation):
    """The evaluation with what a test set may tell about its first two."""
    key = evaluation.task.ranking_metric
    first, second = evaluation.order(key)[:2]
    difference = float(evaluation.scores_of(key)[first] - evaluation.scores_of(key)[second])
    carried = CarriedBy(second, ((0, 0, 1, 3), (1, 1, 2, 4)))
    power = Power(
        key, first, second, difference, 0.02, 3.25, 0.025, evaluation.gold.n_items, carried
    )
    return evaluation.given(power=(power,))


def made(campaign, *, certainty=True):
    """A case of a campaign."""
    evaluation = evaluate(campaign, replace(campaign.options, certainty=certainty))
    return Case(campaign, evaluation, export_files(evaluation, campaign, SHEETS))


def with_roles():
    """Teams with runs, a baseline, a late run, dropped items, a class without gold, groups instead of items."""
    base = random_campaign(6, 240, 4, policies=Policies(missing="drop"))
    roles = (
        Role.PRIMARY,
        Role.CONTRASTIVE,
        Role.BASELINE,
        Role.LATE,
        Role.UNOFFICIAL,
        Role.PRIMARY,
    )
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
    """The sample campaign."""
    return made(read_campaign(samples() / "flood-posts"))


@pytest.fixture(scope="session")
def hostile():
    """A campaign whose texts all try to be something else."""
    return made(hostile_campaign())


@pytest.fixture(scope="session")
def roles():
    """Every role, dropped items, groups, and a class without gold."""
    return made(with_roles())


@pytest.fixture(scope="session")
def lone():
    """One submission, no files behind it."""
    base = random_campaign(1, 60, 2)
    return made(
        replace(base, submissions=tuple(replace(each, source=None) for each in base.submissions))
    )


@pytest.fixture(scope="session")
def bare():
    """The certainty left out."""
    return made(random_campaign(4, 120, 3), certainty=False)


# of the hostile one every figure takes seconds
CASES = ("flood", *("hostile",) * ALL, "roles", "lone", "bare")


@pytest.fixture(params=CASES)
def case(request):
    """Each of the campaigns."""
    return request.getfixturevalue(request.param)
