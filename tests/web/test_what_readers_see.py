"""Published means visible: readers see what is published and nothing else; a link says what was corrected since."""

import re

import pytest

from audit.service import queue, releases
from audit.service.queue import ANONYMISE, DIFFER, EVALUATE
from tests.web.planted import served
from tests.web.test_every_page import labelled, labelled_by
from tests.web.walking import ask, change_files, hold, read, work

VALUES = {"{name}": "{slug}.html", "{task}": "{slug}"}


@pytest.fixture(scope="module")
def campaign(house):
    """Three releases, gold corrected before the second and the third; the first is published, and shared."""
    files = labelled_by("Ann", "Ben")
    campaign = hold(house, files, title="seen")
    for number, gold in enumerate((files["gold.csv"], labelled(7), labelled(8)), start=1):
        if number > 1:
            change_files(house, campaign, {"gold.csv": gold})
        read(house, campaign)
        ask(house, campaign, EVALUATE, revision=number, skip_rejected=False)
        work(house, campaign, EVALUATE)
        work(house, campaign, DIFFER)
    publish(house, campaign, 1)
    return campaign


def publish(house, campaign, number):
    answer = house.browser_of("owner").post(
        f"/api/v1/campaigns/{campaign}/releases/{number}/publish"
    )
    assert answer.status_code == 200


def routes_of_releases(house, campaign):
    """What is read of a release, by every route that names one."""
    with house.service.database.reading() as connection:
        slug = releases.release_of(connection, campaign, 1).summary["tasks"][0]["slug"]
    found = []
    for route in served(house.app):
        if route.method == "GET" and re.search(
            r"^(/api/v1)?/campaigns/.*/(releases|more)/\{number\}(?!/publish)", route.path
        ):
            path = route.path.replace("{campaign}", campaign)
            for name, value in VALUES.items():
                path = path.replace(name, value.format(slug=slug))
            found.append(path)
    return [*found, f"/campaigns/{campaign}/audit?release={{number}}"]


def test_every_route_of_a_release_answers_each_role_by_whether_it_is_published(house, campaign):
    routes = routes_of_releases(house, campaign)
    assert len(routes) >= 7
    differences = [path for path in routes if "/differences/" in path]
    for number, is_published in ((1, True), (2, False), (3, False)):
        for role in ("owner", "organiser", "reader"):
            client = house.browser_of(role)
            for path in routes:
                status = client.get(path.replace("{number}", str(number))).status_code
                is_seen = (is_published or role != "reader") and not (
                    path in differences and number == 1
                )
                assert status == (200 if is_seen else 404), (path, number, role)


def test_lists_pages_and_home_have_no_draft_for_readers(house, campaign):
    organiser, reader = (house.browser_of(name) for name in ("organiser", "reader"))
    listed = {name: [each["number"] for each in client.get(f"/api/v1/campaigns/{campaign}/releases").json()]
              for name, client in (("organiser", organiser), ("reader", reader))}  # fmt: skip
    assert listed == {"organiser": [3, 2, 1], "reader": [1]}
    page = reader.get(f"/campaigns/{campaign}/releases").text
    assert ("Release 1" in page, "Release 2" in page, "Release 3" in page) == (True, False, False)
    assert "Release 1 is published." in reader.get("/").text
    assert "Release 3 is a draft: readers do not see it." in organiser.get("/").text
    audit = reader.get(f"/campaigns/{campaign}/audit").text
    assert "Release 1 of" in audit
    assert "newer one" not in audit
    assert (
        "mkpersonreader can then read it" in organiser.get(f"/campaigns/{campaign}/releases").text
    )
    assert "Publish to 1 reader" in organiser.get(f"/campaigns/{campaign}/audit").text


def link_to(house, campaign, number, anonymous="false"):
    page = house.browser_of("owner").post(
        f"/campaigns/{campaign}/releases/links",
        data={"release": str(number), "anonymous": anonymous},
    )
    return re.search(r"/shared/[\w-]+", page.text)[0]


def test_a_link_to_a_draft_says_so_and_one_to_an_older_release_what_was_corrected(house, campaign):
    """Once release 3 is published: what it says, the erratum, and before and after, since release 1."""
    old, draft, numbers = (
        link_to(house, campaign, 1),
        link_to(house, campaign, 3),
        link_to(house, campaign, 1, "true"),
    )
    work(house, campaign, ANONYMISE)
    nobody = house.client()
    assert "This is a draft" in nobody.get(draft).text
    assert "Corrected" not in nobody.get(old).text
    publish(house, campaign, 3)
    work(house, campaign, DIFFER, ANONYMISE)
    with house.service.database.reading() as connection:
        assert (
            releases.former_of(connection, releases.release_of(connection, campaign, 3)).number == 1
        )
    page = nobody.get(old).text
    assert re.search(r'Corrected: <a href="/shared/[\w-]+/releases/3">release 3 of', page)
    assert "of 30 gold labels were corrected" in page
    assert "Before and after: release 1 and release 3" in page
    assert "This is a draft" not in nobody.get(draft).text
    anonymous = nobody.get(numbers).text
    assert "replaces this one" in anonymous
    assert "Ann" not in anonymous
    reader = house.browser_of("reader").get(f"/campaigns/{campaign}/releases/3").text
    assert "Release 1 is before, release 3 after." in reader
    for link, team in ((old, "Ann"), (numbers, "Team 1")):
        (correction,) = re.findall(r'href="(/shared/[^"]+/releases/3)"', nobody.get(link).text)
        found = nobody.get(correction)
        assert (found.status_code, "Release 3 of" in found.text) == (200, True)
        (report,) = re.findall(r'src="([^"]+)"', found.text[found.text.index("<iframe") :])
        assert team in nobody.get(report).text
        assert nobody.get(correction.replace("/3", "/2")).status_code == 404


def test_publishing_asks_once_and_says_who_will_see_what(house, campaign):
    organiser = house.browser_of("organiser")
    asked = organiser.get(f"/campaigns/{campaign}/releases/2/publish").text
    assert "Publish release 2?" in asked
    assert "mkpersonreader can then read it" in asked
    assert "You can withdraw it later" in asked
    assert (
        house.browser_of("reader").get(f"/campaigns/{campaign}/releases/2/publish").status_code
        == 403
    )


def test_a_release_is_withdrawn_and_readers_see_that_when_and_why(house):
    """And nothing of what it says, by whatever route and link; it is not published a second time."""
    files = labelled_by("Ann", "Ben")
    campaign = hold(house, files, title="taken back")
    read(house, campaign)
    ask(house, campaign, EVALUATE, revision=1, skip_rejected=False)
    work(house, campaign, EVALUATE)
    owner, reader = house.browser_of("owner"), house.browser_of("reader")
    withdraw = f"/campaigns/{campaign}/releases/1/withdraw"
    assert owner.post(withdraw, data={"reason": "too early"}).status_code == 400
    publish(house, campaign, 1)
    shared = link_to(house, campaign, 1)
    assert reader.post(withdraw, data={"reason": "mine"}).status_code == 403
    assert owner.post(withdraw, data={"reason": "  "}).status_code == 400
    assert "Ann" in reader.get(f"/campaigns/{campaign}/releases/1/framed/taken-back.html").text
    assert (
        owner.post(withdraw, data={"reason": "Gold of <b>30</b> items was wrong."}).status_code
        == 303
    )
    said = (
        r"Release 1 was withdrawn on \d+ \w+ \d{4}: Gold of &lt;b&gt;30&lt;/b&gt; items was wrong\."
    )
    for client, path in (
        (reader, f"/campaigns/{campaign}/releases"),
        (reader, f"/campaigns/{campaign}/audit"),
        (owner, f"/campaigns/{campaign}/releases"),
        (house.client(), shared),
    ):
        page = client.get(path).text
        assert re.search(said, page), path
        assert client is owner or "Ann" not in page
    for path in routes_of_releases(house, campaign):
        answer = reader.get(path.replace("{number}", "1"))
        assert answer.status_code == 404
        assert "Ann" not in answer.text
    assert house.client().get(f"{shared}/report/taken-back.html").status_code == 404
    assert [
        each["number"] for each in reader.get(f"/api/v1/campaigns/{campaign}/releases").json()
    ] == []
    assert owner.post(withdraw, data={"reason": "again"}).status_code == 400
    publish(house, campaign, 1)
    assert reader.get(f"/api/v1/campaigns/{campaign}/releases/1").status_code == 404
    assert (
        "mkpersonowner withdrew release 1: Gold of" in owner.get(f"/campaigns/{campaign}/log").text
    )


def test_a_removed_audit_is_brought_back_for_30_days_by_its_owner_alone(house, monkeypatch):
    campaign = hold(house, labelled_by("Ann", "Ben"), title="gone by mistake")
    owner, organiser = house.browser_of("owner"), house.browser_of("organiser")
    assert owner.post(f"/campaigns/{campaign}/remove").status_code == 303
    assert owner.get(f"/campaigns/{campaign}/files").status_code == 404
    assert "gone by mistake" in owner.get("/").text
    assert "gone by mistake" not in organiser.get("/").text
    assert organiser.post(f"/removed/{campaign}/restore").status_code == 404
    with monkeypatch.context() as later:
        later.setattr("audit.service.hosted_campaigns.DAYS_TO_BRING_BACK", -1e-9)
        assert "gone by mistake" not in owner.get("/").text
        assert owner.post(f"/removed/{campaign}/restore").status_code == 404
    assert owner.post(f"/removed/{campaign}/restore").status_code == 303
    assert owner.get(f"/campaigns/{campaign}/files").status_code == 200
    log = owner.get(f"/campaigns/{campaign}/log").text
    assert "mkpersonowner removed the audit" in log
    assert "mkpersonowner brought the audit back" in log


def test_a_campaign_is_renamed_and_its_history_goes_on(house, campaign):
    """Its folder keeps the name that it began with, by which earlier results are found."""
    owner = house.browser_of("owner")
    assert (
        owner.post(f"/campaigns/{campaign}/title", data={"title": "  Seen\u00a0again "}).status_code
        == 303
    )
    assert "Seen again" in owner.get("/").text
    assert (
        "mkpersonowner renamed the audit to “Seen again”"
        in owner.get(f"/campaigns/{campaign}/log").text
    )
    change_files(house, campaign, {"gold.csv": labelled(9)})
    read(house, campaign)
    ask(house, campaign, EVALUATE, revision=4, skip_rejected=False)
    work(house, campaign, EVALUATE)
    work(house, campaign, DIFFER)
    assert "gold labels were corrected" in owner.get(f"/campaigns/{campaign}/releases/4").text


def test_the_sample_is_uploaded_and_evaluated_by_one_click(house):
    owner = house.browser_of("owner")
    answer = owner.post("/sample")
    campaign = answer.headers["location"].split("/")[2]
    with house.service.database.reading() as connection:
        jobs = queue.open_jobs(connection, campaign)
    assert [job.kind for job in jobs] == ["read", EVALUATE]
    work(house, campaign, "read", EVALUATE)
    assert (
        owner.get(answer.headers["location"]).headers["location"] == f"/campaigns/{campaign}/audit"
    )
    assert "Flood posts" in owner.get(f"/campaigns/{campaign}/more/1").text
