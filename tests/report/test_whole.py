"""The report as one file: the same bytes each time, small, and soon there."""

import hashlib
import os
import subprocess
import sys

import pytest

from audit.domain import Options
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples
from audit.writers.html import render_html
from tests.nightly import slow

from .campaigns import hostile_campaign, random_evaluation, with_teams_only
from .document import grid, read

LIMIT = 1_500_000
DIGEST = """
import hashlib
from dataclasses import replace
from audit.domain import Role
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.writers.html import render_html
from audit.resources import samples
campaign = read_campaign(samples() / "flood-posts")
teams = tuple(replace(each, role=Role.PRIMARY) for each in campaign.submissions)
html = render_html(evaluate(replace(campaign, submissions=teams)))
print(hashlib.sha256(html.encode()).hexdigest())
"""


def test_the_same_campaign_gives_the_same_bytes(flood):
    """Read, evaluated and rendered again, nothing differs; drawings are compared figure by figure in their own room."""
    again = evaluate(with_teams_only(read_campaign(samples() / "flood-posts")))
    assert render_html(again) == render_html(flood)


@slow("test_every_exported_byte_is_the_same_without_the_extras")
def test_a_hostile_campaign_gives_the_same_bytes(hostile):
    """Likewise where every text is odd."""
    assert render_html(evaluate(hostile_campaign())) == render_html(hostile)


@slow("cli/test_export::test_two_processes_write_the_same_bytes")
@pytest.mark.parametrize("seed", ["4242", "1"])
def test_another_process_gives_the_same_bytes(flood_html, seed, tmp_path):
    """Neither the order of sets, nor the folder, the locale or the time zone is in the report."""
    environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-c", DIGEST],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == hashlib.sha256(flood_html.encode()).hexdigest()


def test_a_large_campaign_fits_into_a_megabyte_and_a_half():
    """48 teams and 20 classes, with all that the page says about them."""
    html = render_html(random_evaluation(48, 3000, 20))
    assert len(html.encode()) <= LIMIT
    assert len(grid(read(html), "table-ranking").rows) == 48


def test_of_more_than_a_hundred_teams_tables_have_the_first():
    """A hundred all have a row; of more, 25, and the note says that the others are in the export."""
    page = read(render_html(random_evaluation(101, 300, 3, options=Options(certainty=False))))
    for anchor in ("table-ranking", "table-gap", "table-metrics-observed", "table-files"):
        assert len(grid(page, anchor).rows) == 25
        assert " more rows are in the export." in page.by_id(anchor).text


def test_a_hundred_teams_are_reported():
    """Every table has all of them; the findings and captions stay short."""
    n_teams = 100
    html = render_html(random_evaluation(n_teams, 2000, 5))
    page = read(html)
    for anchor in (
        "table-ranking",
        "table-gap",
        "table-metrics-observed",
        "table-recall",
        "table-files",
    ):
        assert len(grid(page, anchor).rows) == n_teams
    sentences = page.by_id("verdict").all("p", "li", "dd")
    assert max(len(sentence.text) for sentence in sentences) < 600
    assert max(len(caption.text) for caption in page.all("figcaption")) < 600
