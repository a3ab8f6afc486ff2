"""What organisers take back: earlier files, by page and by interface, and invitations and links that went astray."""

import re
from dataclasses import asdict

import pytest

from audit.service import queue, revisions
from audit.service.child import Limits
from audit.service.files import DataFolder
from audit.service.revisions import files_from
from audit.service.stages import files_after
from audit.service.worker import work_of

FOUND = {
    "settings": None,
    "draft": None,
    "issues": [],
    "tasks": [],
    "files": [],
    "is_usable": False,
}


class Campaign:
    """A campaign whose files are taken in as a job does it, without being looked into."""

    def __init__(self, house):
        self.house, self.service = house, house.service
        house.service.failures.clear()
        self.owner = house.browser_of("owner")
        self.id = self.owner.post("/api/v1/campaigns", json={"title": "Corrected often"}).json()[
            "id"
        ]
        self.page, self.api = f"/campaigns/{self.id}", f"/api/v1/campaigns/{self.id}"
        self.head = 0

    def change(self, added=None, removed=()):
        uploads = [
            self.owner.put(f"{self.api}/uploads?path={path}", content=content).json()["id"]
            for path, content in (added or {}).items()
        ]
        body = {"base": self.head, "uploads": uploads, "removed": list(removed), "unwrap": False}
        assert self.owner.post(f"{self.api}/revisions", json=body).status_code == 201
        self.take_in()

    def take_in(self):
        """Do the job that takes in the newest revision."""
        self.head += 1
        with self.service.database.writing() as connection:
            (job,) = queue.open_jobs(connection, self.id)
            work = work_of(
                connection,
                DataFolder(self.service.data.root),
                job,
                self.service.data.root,
                Limits(),
            )
            content = self.service.data.content_of(self.id)
            after = files_after(content, work.arguments, self.service.data.root, lambda *_: None)
            files = files_from({path: asdict(each) for path, each in after.items()})
            revisions.keep_reading(connection, self.id, self.head, files, FOUND)
            queue.cancel(connection, self.id, job.person, job.number)

    def files(self, number=None):
        """The bytes of each file of a revision."""
        number = number or self.head
        paths = self.owner.get(f"{self.api}/revisions/{number}").json()["files"]
        return {
            path: self.owner.get(f"{self.api}/revisions/{number}/files/{path}").content
            for path in paths
        }


@pytest.fixture
def campaign(house):
    """Gold, two submissions; then gold is corrected, one submission removed, one added."""
    made = Campaign(house)
    made.change({"gold.csv": b"first", "a.csv": b"a", "b.csv": b"b"})
    made.change({"gold.csv": b"second", "c.csv": b"c"}, removed=["b.csv"])
    return made


def test_a_revision_is_restored_by_its_page_and_none_is_overwritten(campaign):
    before = [campaign.files(number) for number in (1, 2)]
    page = campaign.owner.get(f"{campaign.page}/files?revision=1").text
    assert "Since then, 1 file was replaced, 1 file was removed and 1 file was added." in page
    assert "Restoring the whole one leaves out what was added since: c.csv." in page
    answer = campaign.owner.post(
        f"{campaign.page}/files/restore",
        data={"base": "2", "revision": "1", "what": "all", "path": "b.csv"},
    )
    assert answer.headers["location"] == f"{campaign.page}/files"
    campaign.take_in()
    assert campaign.files() == before[0]
    assert [campaign.files(number) for number in (1, 2)] == before
    assert "revision 1 restored" in campaign.owner.get(f"{campaign.page}/files").text
    assert "revision 1 restored" in campaign.owner.get(f"{campaign.page}/log").text


def test_a_removed_file_is_brought_back_beside_what_was_corrected_since(campaign):
    page = campaign.owner.get(f"{campaign.page}/files?revision=1").text
    assert re.findall(r'type="checkbox" name="path" value="([^"]+)"', page) == ["b.csv", "gold.csv"]
    data = {"base": "2", "revision": "1", "what": "marked", "path": "b.csv"}
    campaign.owner.post(f"{campaign.page}/files/restore", data=data)
    campaign.take_in()
    assert campaign.files() == {"gold.csv": b"second", "a.csv": b"a", "b.csv": b"b", "c.csv": b"c"}
    assert "b.csv brought back from revision 1" in campaign.owner.get(f"{campaign.page}/log").text


def test_programs_restore_too_with_a_reason_and_over_nothing_that_they_have_not_seen(campaign):
    address = f"{campaign.api}/revisions/1/restore"
    for base in (1, 3):
        refused = campaign.owner.post(address, json={"base": base})
        assert refused.status_code == 409, base
    made = campaign.owner.post(
        address, json={"base": 2, "paths": ["gold.csv"], "note": "the correction was wrong"}
    )
    assert (made.status_code, made.json()["revision"]) == (201, 3)
    campaign.take_in()
    assert campaign.files()["gold.csv"] == b"first"
    assert (
        campaign.owner.get(f"{campaign.api}/revisions").json()[0]["note"]
        == "the correction was wrong"
    )
    assert campaign.owner.post(address, json={"base": 3, "paths": ["c.csv"]}).status_code == 404


def test_what_cannot_be_restored_is_not_offered_and_is_refused_in_words(campaign):
    """The newest revision, one that is the same, and a form in which nothing is marked."""
    for number in (2, None):
        page = campaign.owner.get(
            f"{campaign.page}/files" + (f"?revision={number}" if number else "")
        ).text
        assert "/files/restore" not in page
    form = f"{campaign.page}/files/restore"
    assert (
        "Mark the files"
        in campaign.owner.post(form, data={"base": "2", "revision": "1", "what": "marked"}).text
    )
    assert "out of date" in campaign.owner.post(form, data={"base": "2", "what": "all"}).text
    same = campaign.owner.post(form, data={"base": "2", "revision": "2", "what": "all"})
    assert (same.status_code, "Nothing changes" in same.text) == (400, True)


# Invitations and links


def test_organisers_see_open_invitations_and_end_one_by_a_form(house):
    """Whoever runs a campaign with others; no secret is on the page a second time, and a reader sees none."""
    house.service.failures.clear()
    owner, organiser = house.browser_of("owner"), house.browser_of("organiser")
    page = f"/campaigns/{house.campaign}/people"
    made = owner.post(f"{page}/invitations", data={"role": "reader"}).text
    link = re.search(r"/invited/([\w-]+)", made)[1]
    assert owner.get(f"/invited/{link}").status_code == 200
    seen = organiser.get(page).text
    assert "Open invitations" in seen
    assert "mkpersonowner" in seen
    assert link not in seen
    ended = re.findall(rf'action="({page}/invitations/\w+/revoke)"', seen)[-1]
    assert organiser.post(ended).headers["location"].endswith("people?done=uninvited")
    gone = house.client().get(f"/invited/{link}")
    assert (gone.status_code, "was used or revoked" in gone.text) == (404, True)
    assert (
        "mkpersonorganiser ended an invitation as a reader"
        in organiser.get(f"/campaigns/{house.campaign}/log").text
    )
    assert ended not in organiser.get(page).text


def test_whoever_runs_the_service_sees_and_ends_invitations_to_it(house):
    house.service.failures.clear()
    owner = house.browser_of("owner")
    link = re.search(r"/invited/([\w-]+)", owner.post("/account/invitations").text)[1]
    page = owner.get("/account").text
    (ended,) = re.findall(r'action="(/account/invitations/\w+/revoke)"', page)
    assert link not in page
    assert "Open invitations" not in house.browser_of("organiser").get("/account").text
    assert owner.post(ended).status_code == 303
    assert house.client().get(f"/invited/{link}").status_code == 404
    secret = owner.post("/api/v1/invitations").json()["secret"]
    (listed,) = owner.get("/api/v1/invitations").json()
    assert secret not in str(listed)
    assert owner.delete(f"/api/v1/invitations/{listed['id']}").status_code == 204
    assert owner.get("/api/v1/invitations").json() == []
    assert house.client().get(f"/invited/{secret}").status_code == 404


def test_links_say_who_made_them(house):
    owner = house.browser_of("owner")
    owner.post(f"/api/v1/campaigns/{house.campaign}/links", json={"release": 1})
    link = owner.get(f"/api/v1/campaigns/{house.campaign}/links").json()[-1]
    assert (link["by"], link["release"], "secret" in link) == ("mkpersonowner", 1, False)
    assert "mkpersonowner" in owner.get(f"/campaigns/{house.campaign}/releases").text


# What the pages say


def test_an_audit_without_a_file_says_so_and_offers_no_table(house):
    made = Campaign(house)
    made.change({"a.csv": b"a"})
    made.change(removed=["a.csv"])
    page = made.owner.get(f"{made.page}/files").text
    assert "There is no file in this audit" in page
    assert "Bring back earlier ones" in page
    assert "What each file is" not in page
    log = made.owner.get(f"{made.page}/log").text
    for words in (
        "made revision 2 of the files: a.csv removed",
        "mkpersonowner had revision 1 of the files read",
        "uploaded a.csv (1 Byte)",
    ):
        assert words in log
