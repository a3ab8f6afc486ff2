"""The pages of a release of several test sets, of its questions and of its links, without a browser."""

import re
import shlex

import pytest

from audit.service import hosted_campaigns as campaigns
from audit.service import people, queue, releases, revisions
from audit.service.database import open_database
from audit.service.files import DataFolder, Stored
from audit.service.queue import DIFFER, EVALUATE, JobState
from audit.service.revisions import FileChange
from audit.web.access import Service
from audit.web.app import create_app

GOLD = Stored("a" * 64, 1)
SUMMARY = b'<!DOCTYPE html><a href="#here">Here</a> <a href="en.html">English</a><script>1</script>'


def task(slug):
    """A test set as a release has it."""
    verdict = {"sentence": f"A is first in {slug}.", "more": ""}
    found = {"entries": ["A", "B"], "metric": "kappa", "findings": [], "load": 1}
    return {
        "slug": slug,
        "title": f"Task {slug}",
        "verdict": verdict,
        "report": f"{slug}.html",
        "document": f"{slug}.json",
        **found,
    }


def finding(slug):
    """A test set as it was found in the files."""
    labels = [
        {"label": "no", "name": "no", "items": 3},
        {"label": "yes", "name": "yes", "items": 1},
    ]
    return {
        "slug": slug,
        "labels": labels,
        "metrics": [{"slug": "kappa", "label": "Cohen’s kappa"}],
        "rejected": [],
    }


@pytest.fixture
def service(tmp_path):
    data = DataFolder.at(tmp_path / "data")
    database = open_database(data.root, None)
    yield Service(database, data)
    database.close()


@pytest.fixture
def host(service):
    """Whoever started the service."""
    client = pytest.importorskip("starlette.testclient").TestClient(
        create_app(service), base_url="http://127.0.0.1"
    )
    client.get("/start", params={"token": service.start_link.secret})
    return client


@pytest.fixture
def address(service):
    """A campaign with one release of two test sets."""
    with service.database.writing() as connection:
        person = people.host_of(connection)
        hosted = campaigns.begin_campaign(connection, person, "Two")
        change = FileChange({"gold.csv": GOLD})
        revisions.change_files(connection, hosted, person, change, base=0, note="begun")
        found = {
            "settings": None,
            "draft": None,
            "files": [],
            "issues": [],
            "is_usable": True,
            "allowed": {"roles": [], "policies": []},
        }
        tasks = [finding("en"), finding("de")]
        revisions.keep_reading(
            connection, hosted.id, 1, {"gold.csv": GOLD}, found | {"tasks": tasks}
        )
        queue.ask_for(connection, hosted.id, person.id, EVALUATE, revision=1, skip_rejected=False)
    folder = service.data.of_campaign(hosted.id) / "releases" / "2-1"
    folder.mkdir(parents=True)
    for name, html in {"summary.html": SUMMARY, "en.html": b"<p>en", "de.html": b"<p>de"}.items():
        (folder / name).write_bytes(html)
    for _ in range(2):  # the reading, which is kept above, and the evaluation
        job = queue.claim(service.database, "test")
        with service.database.writing() as connection:
            queue.end(connection, job, JobState.DONE, {})
            if job.kind == EVALUATE:
                result = {
                    "signatures": {},
                    "tasks": [task("en"), task("de")],
                    "summary": "summary.html",
                    "rejected": [],
                }
                releases.keep_release(connection, job, folder.name, result)
    return f"/campaigns/{hosted.id}"


def test_what_sums_up_stands_first_and_each_test_set_has_a_tab(host, address):
    """One that is none is not found."""
    page = host.get(f"{address}/audit")
    assert page.status_code == 200
    assert "/releases/1/framed/summary.html" in page.text
    page = host.get(f"{address}/audit", params={"task": "de"})
    assert re.findall(r'href="\?release=1&amp;task=(\w+)"', page.text) == ["en", "de"]
    assert "/releases/1/framed/de.html" in page.text
    assert "By Cohen’s kappa:" in host.get(f"{address}/more/1", params={"task": "de"}).text
    for path in ("audit", "more/1"):
        assert host.get(f"{address}/{path}", params={"task": "fr"}).status_code == 404


def test_a_summary_in_its_frame_opens_reports_beside_it(host, address):
    """A frame in a sandbox belongs to no site; links within the page stay in it."""
    framed = host.get(f"{address}/releases/1/framed/summary.html")
    assert framed.content == SUMMARY.replace(b'<a href="en', b'<a target="_blank" href="en')
    policy = framed.headers["content-security-policy"]
    assert policy.startswith(
        "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'sha256-"
    )
    assert host.get(f"{address}/releases/1/framed/en.json").status_code == 404


def test_questions_become_commands(host, service, address):
    """Shares are scaled; what lacks a part is refused in words."""
    about = {"about": "whatif", "task": "en"}
    answer = host.post(
        f"{address}/audit/1/question",
        data={**about, "label": ["no", "yes"], "share": ["30", "10,0"]},
    )
    assert answer.status_code == 200  # the page of the answer
    assert "Waiting to begin" in answer.text
    with service.database.reading() as connection:
        job = queue.jobs_of(connection, address.rpartition("/")[2])[0]
    assert job.arguments["command"] == ["whatif", "--prevalence=no=0.75,yes=0.25", "--", "en"]
    assert shlex.join(["audit", *job.arguments["command"]]) in answer.text
    table = {"table": ("pub.csv", b"team,F1\nA,.5\n")}
    answer = host.post(
        f"{address}/audit/1/question", data={"about": "identify", "task": "en"}, files=table
    )
    assert "audit identify -- en pub.csv" in answer.text
    for wrong in (
        {**about, "label": ["no"], "share": ["none"]},
        {**about, "label": ["no"], "share": ["0"]},
        {"about": "identify", "task": "en"},
        {"about": "compare", "task": "en", "first": "A"},
        {"about": "nothing", "task": "en"},
    ):
        refused = host.post(f"{address}/audit/1/question", data=wrong)
        assert refused.status_code in {400, 422}, wrong
        assert 'role="alert"' in refused.text


def test_a_link_that_is_waited_for_says_so_and_one_with_names_shows_all(host, address):
    """Before reports without names are made, nothing of the release stands there but titles."""
    named = host.post(f"{address}/releases/links", data={"release": "1", "anonymous": "false"}).text
    link = named.partition('id="shown-once">')[2].partition("<")[0].removeprefix("http://127.0.0.1")
    assert "Audit of 2 test sets" in host.get(link).text
    assert "/report/de.html" in host.get(link, params={"task": "de"}).text
    assert host.get(f"{link}/report/de.html").content == b"<p>de"
    assert host.get(f"{link}/report/audit.db").status_code == 404
    waited = host.post(f"{address}/releases/links", data={"release": "1", "anonymous": "true"}).text
    link = (
        waited.partition('id="shown-once">')[2].partition("<")[0].removeprefix("http://127.0.0.1")
    )
    page = host.get(link, params={"task": "de"}).text
    assert "are being written" in page
    assert "/report/" not in page
    assert host.get(f"{link}/report/de.html").status_code == 404


def test_links_end_tokens_end_and_the_audit_can_be_removed(host, address):
    """Each by a form, and the page says that it is done."""
    host.post(f"{address}/releases/links", data={"release": "1", "anonymous": "false"})
    page = host.get(f"{address}/releases").text
    revoke = page.partition(f'action="{address}/releases/links/')[2].partition('"')[0]
    assert "The link no longer works." in host.post(f"{address}/releases/links/{revoke}").text
    host.post("/account/tokens", data={"label": "nightly", "role": "organiser", "campaign": ""})
    token = host.get("/account").text.partition('action="/account/tokens/')[2].partition('"')[0]
    assert "The token no longer works." in host.post(f"/account/tokens/{token}").text
    assert host.post("/account/tokens", data={"label": " ", "role": "organiser"}).status_code == 400
    assert "The audit was removed." in host.post(f"{address}/remove", data={"sure": "yes"}).text
    assert host.get(f"{address}/audit").status_code == 404


def test_an_account_is_set_and_signed_in_with(host):
    """A short password is refused, and the page says why; signing out ends the session."""
    assert (
        "A password has 12" in host.post("/account", data={"name": "Ada", "password": "short"}).text
    )
    assert (
        "Your name and password are set."
        in host.post("/account", data={"name": "Ada", "password": "x" * 12}).text
    )
    invitation = host.post("/account/invitations").text
    link = (
        invitation.partition('id="shown-once">')[2]
        .partition("<")[0]
        .removeprefix("http://127.0.0.1")
    )
    assert "By Ada." in host.get(link).text
    assert "Sign in" in host.post("/sign-out").text
    assert (
        host.post("/sign-in", data={"name": "ada", "password": "wrong", "to": "/"}).status_code
        == 403
    )
    assert (
        "Your audits"
        in host.post(
            "/sign-in", data={"name": "ada", "password": "x" * 12, "to": "//evil.example"}
        ).text
    )
    host.post("/sign-out")
    assert (
        "A password has 12"
        in host.post(f"{link}/account", data={"name": "Bob", "password": "short"}).text
    )
    assert (
        "New audit" in host.post(f"{link}/account", data={"name": "Bob", "password": "y" * 12}).text
    )
    assert host.post("/account/erase").status_code == 400
    assert "Sign in" in host.post("/account/erase", data={"sure": "yes"}).text


def test_what_changed_in_a_test_set_is_no_file_of_another(host, service, address):
    """A test set called difference-en once had the name of what changed in en."""
    campaign = address.rpartition("/")[2]
    folder = service.data.of_campaign(campaign) / "releases" / "3-1"
    folder.mkdir()
    (folder / "en.json").write_text('{"what_changed": "the labels"}', encoding="utf-8")
    with service.database.writing() as connection:
        person = people.host_of(connection)
        queue.cancel_all(connection, campaign)
        queue.ask_for(connection, campaign, person.id, DIFFER, release=1, former=1)
    job = queue.claim(service.database, "test")
    with service.database.writing() as connection:
        queue.end(connection, job, JobState.DONE, {})
        releases.keep_part(connection, job, folder.name)
    api = f"/api/v1{address}/releases/1"
    assert host.get(f"{api}/differences/en").json() == {"what_changed": "the labels"}
    for path in (
        "differences/de",
        "differences/none",
        "differences/en.json",
        "files/difference-en.json",
    ):
        assert host.get(f"{api}/{path}").status_code == 404
