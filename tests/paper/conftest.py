"""Evaluations for the paper, and a page to set them on."""

import shutil
import subprocess
from dataclasses import replace

import pytest

from audit.domain import Role
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples
from audit.writers.latex import paper_files

HOSTILE = (
    r"A_B & C",
    r"50% #1 ~x^y$z$ {q} \end",
    "Ünïcødé Łódź ş ğ \u0131 ŷ ßæœ",
    "Жар-птица Ђ",
    "Ομάδα λάμδα",
    '<a>|"b"`c\' ,, << >> ?` !`',
    "--- ---",
    "a very long team name that goes on and on for ever and ever",
    r"\input{/etc/passwd}",
    "^^41 \u202eevil",
    "W" * 60,
    "¿½ ² € “q” — …",
)


@pytest.fixture(scope="session")
def flood():
    """The sample campaign."""
    return evaluate(read_campaign(samples() / "flood-posts"))


@pytest.fixture(scope="session")
def hostile():
    """The sample campaign under names that would be commands, with every role."""
    campaign = read_campaign(samples() / "flood-posts")
    roles = {1: Role.BASELINE, 2: Role.LATE, 3: Role.UNOFFICIAL}
    renamed = tuple(
        replace(submission, team=name, role=roles.get(number, Role.PRIMARY))
        for number, (submission, name) in enumerate(zip(campaign.submissions, HOSTILE, strict=True))
    )
    task = replace(campaign.task, slug="hostile")
    return evaluate(replace(campaign, task=task, submissions=renamed))


def needs(*names):
    """Skip where TeX, or a part of it, is missing, with the reason; what has an ending is a file that TeX finds."""
    missing = [name for name in names if not (in_tex(name) if "." in name else shutil.which(name))]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def in_tex(file):
    """Whether TeX finds a file of a package."""
    return (
        shutil.which("kpsewhich") is not None
        and subprocess.run(["kpsewhich", file], capture_output=True, check=False).returncode == 0
    )


@pytest.fixture(scope="session")
def flood_files(flood):
    return {name: content.decode("utf-8") for name, content in paper_files(flood).items()}
