"""A published report is a readers' page: what organisers have to do stands on their own page."""

import re

import pytest

from audit.service.queue import ANONYMISE, EVALUATE
from audit.service.releases import readers_edition, release_of
from tests.web.test_every_page import labelled_by
from tests.web.test_what_readers_see import link_to, publish
from tests.web.walking import ask, hold, read, work

ORGANISERS = ("Before you publish", "task.toml", "files.csv", "What to do", "official_metric", "to do:", "[aliases]")
"""What stands in a report for organisers alone."""
ODD = {"submissions/Cem.csv": "id,label\nq0,Yes!\nq1,no\n"}
"""A submission with a label outside the label set, and without most answers."""


@pytest.fixture(scope="module")
def campaign(house):
    files = {**labelled_by("Ann", "Ben"), **ODD}
    campaign = hold(house, files, title="read by others")
    read(house, campaign)
    ask(house, campaign, EVALUATE, revision=1, skip_rejected=True)
    work(house, campaign, EVALUATE)
    publish(house, campaign, 1)
    return campaign


def visible_text(html):
    """What a reader can read on a page: no script, no style, no tag."""
    return re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL))


def report(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, address
    return visible_text(answer.text)


def test_readers_get_a_report_without_what_organisers_have_to_do(house, campaign):
    organiser, reader = house.browser_of("organiser"), house.browser_of("reader")
    name = organiser.get(f"/api/v1/campaigns/{campaign}/releases/1").json()["summary"]["tasks"][0]["report"]
    framed = f"/campaigns/{campaign}/releases/1/framed/{name}"
    own = report(organiser, framed)
    assert {"Before you publish", "task.toml", "What to do"} <= {each for each in ORGANISERS if each in own}
    file = f"/api/v1/campaigns/{campaign}/releases/1/files/{name}"
    link = f"{link_to(house, campaign, 1)}/report/{name}"
    nameless = f"{link_to(house, campaign, 1, 'true')}/report/{name}"
    work(house, campaign, ANONYMISE)
    for client, address in (
        (reader, framed),
        (reader, file),
        (organiser, f"{framed}?edition=readers"),
        (house.client(), link),
        (house.client(), nameless),
    ):
        seen = report(client, address)
        assert [each for each in ORGANISERS if each in seen] == [], address
        assert "Which metrics" in seen or "Verdict" in seen
    assert report(organiser, file) == own


def test_the_edition_of_readers_has_the_same_numbers_and_no_dead_link(house, campaign):
    with house.service.database.reading() as connection:
        release = release_of(connection, campaign, 1)
    place = (
        house.service.data.of_campaign(campaign) / "releases" / release.folder / release.summary["tasks"][0]["report"]
    )
    organisers, readers = (path.read_text("utf-8") for path in (place, readers_edition(place)))
    assert re.findall(r"<svg", readers) == re.findall(r"<svg", organisers)
    assert re.findall(r'<p class="verdict">(.*?)</p>', readers) == re.findall(
        r'<p class="verdict">(.*?)</p>', organisers
    )
    ids = set(re.findall(r'\bid="([^"]+)"', readers))
    assert {each for each in re.findall(r'href="#([^"]+)"', readers) if each not in ids} == set()


def test_organisers_are_told_before_publishing_what_is_to_be_done(house, campaign):
    with house.service.database.reading() as connection:
        to_do = release_of(connection, campaign, 1).summary["tasks"][0]["to_do"]
    assert to_do
    page = house.browser_of("organiser").get(f"/campaigns/{campaign}/audit?release=1&edition=readers").text
    assert "As readers see it." in page
