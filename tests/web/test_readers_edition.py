"""A published report is a readers' page: what organisers have to do stands on their own page."""

import json
import re
from io import BytesIO
from zipfile import ZipFile

import pytest

from audit.service.queue import ANONYMISE, DIFFER, EVALUATE, EXPORT
from audit.service.releases import readers_edition, release_of
from tests.nightly import slow
from tests.web.test_every_page import labelled, labelled_by
from tests.web.test_what_readers_see import link_to, publish
from tests.web.walking import ask, change_files, hold, read, work

ORGANISERS = (
    "Before you publish",
    "task.toml",
    "files.csv",
    "What to do",
    "official_metric",
    "to do:",
    "[aliases]",
)
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
    name = organiser.get(f"/api/v1/campaigns/{campaign}/releases/1").json()["summary"]["tasks"][0][
        "report"
    ]
    framed = f"/campaigns/{campaign}/releases/1/framed/{name}"
    own = report(organiser, framed)
    assert {"Before you publish", "task.toml", "What to do"} <= {
        each for each in ORGANISERS if each in own
    }
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


REMEDIES = ("Set it", "official_metric = ", "task.toml", "files.csv", "Ask the team")
"""What stands in data for organisers alone."""


def test_data_that_readers_download_have_no_remedy_and_organisers_have_all(house, campaign):
    """The lists of releases, one release, its document, and what changed since the one before."""
    change_files(house, campaign, {"gold.csv": labelled(7)})
    read(house, campaign)
    ask(house, campaign, EVALUATE, revision=2, skip_rejected=True)
    work(house, campaign, EVALUATE, DIFFER)
    publish(house, campaign, 2)
    work(house, campaign, DIFFER)
    organiser, reader = house.browser_of("organiser"), house.browser_of("reader")
    at = f"/api/v1/campaigns/{campaign}/releases"
    task = organiser.get(f"{at}/2").json()["summary"]["tasks"][0]
    difference = f"{at}/2/differences/{task['slug']}"
    for address in (at, f"{at}/2", f"{at}/2/files/{task['document']}", difference):
        own, seen = (client.get(address) for client in (organiser, reader))
        assert (own.status_code, seen.status_code) == (200, 200), address
        assert [each for each in REMEDIES if each in seen.text] == [], address
    document, of_readers = (
        client.get(f"{at}/2/files/{task['document']}").json() for client in (organiser, reader)
    )
    assert document["verdict"]["to_do"]
    assert of_readers["verdict"] == {**document["verdict"], "to_do": []}
    assert of_readers["scores"] == document["scores"]
    assert {flag["remedy"] for flag in of_readers["flags"]} == {""}
    assert {flag["remedy"] for flag in document["flags"]} != {""}
    assert reader.get(f"{at}/2").json()["summary"]["tasks"][0]["to_do"] == []
    assert task["to_do"]


@slow("export/test_readers_export.py, without a service")
def test_exports_and_bundles_that_readers_download_are_their_edition(house, campaign):
    """And organisers get their own under the same address."""
    ask(house, campaign, EXPORT, release=1)
    work(house, campaign, EXPORT)
    at = f"/api/v1/campaigns/{campaign}/releases/1"
    slug = house.browser_of("organiser").get(at).json()["summary"]["tasks"][0]["slug"]
    remedies = {}
    for role in ("organiser", "reader"):
        client = house.browser_of(role)
        bundle, export = (
            client.get(f"{at}/files/{slug}-{kind}.zip").content for kind in ("bundle", "export")
        )
        with ZipFile(BytesIO(export)) as archive:
            assert archive.read("bundle.zip") == bundle
            assert ("Before you publish" in archive.read("report.html").decode()) == (
                role == "organiser"
            )
        with ZipFile(BytesIO(bundle)) as archive:
            flags = json.loads(archive.read("evaluation.json"))["flags"]
            remedies[role] = {flag["remedy"] for flag in flags}
    assert remedies["reader"] == {""}
    assert remedies["organiser"] != {""}


def test_the_edition_of_readers_has_the_same_numbers_and_no_dead_link(house, campaign):
    with house.service.database.reading() as connection:
        release = release_of(connection, campaign, 1)
    place = (
        house.service.data.of_campaign(campaign)
        / "releases"
        / release.folder
        / release.summary["tasks"][0]["report"]
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
    page = (
        house.browser_of("organiser")
        .get(f"/campaigns/{campaign}/audit?release=1&edition=readers")
        .text
    )
    assert "As readers see it." in page
