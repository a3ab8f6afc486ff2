"""Folders of campaigns as they are handed on: a draft and a load read them, and nobody decides anything between."""

import shutil

import pytest

from audit.formats.campaign.campaigns import read_campaign
from audit.workflow import write_draft
from tests.real_campaigns import folder_of


@pytest.mark.parametrize(
    ("name", "n_runs", "n_units"),
    [("llmjudge-2024", 33, 4423), ("compstats-six-systems", 6, 1580)],
)
def test_a_folder_as_it_stands_takes_two_commands(name, n_runs, n_units, tmp_path):
    """Its draft names gold, its layout and every submission; how many there are, the organisers say."""
    folder = tmp_path / name
    shutil.copytree(folder_of(name), folder)
    write_draft(folder)
    campaign = read_campaign(folder)
    assert (len(campaign.submissions), campaign.gold.n_units) == (n_runs, n_units)
