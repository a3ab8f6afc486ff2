"""The ten points of the threat model: what must not come about. Routes and roles have a module of their own."""

import html
import io
import json
import shutil
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text, update
from sqlalchemy.exc import DBAPIError

from audit.errors import InputError
from audit.formats.files import limits as file_limits
from audit.service import files as received_files
from audit.service import people, queue, releases, revisions, stages
from audit.service.child import Limits
from audit.service.child_program import reason_of
from audit.service.control_tables import API_TOKEN, EVENT, INVITATION, RELEASE, SESSION, SHARE_LINK
from audit.service.credentials import password_digest
from audit.service.files import ContentFolder, Stored
from audit.service.hosted_campaigns import campaign_for, campaigns_of
from audit.service.people import Caller
from audit.service.queue import EVALUATE
from audit.service.rules import Act, MemberRole, RefusedError
from audit.web import password_work as attempts
from audit.web.access import BY_ADDRESS, SESSION_COOKIE
from audit.web.guard import policy_of
from audit.web.schemas import MOST_SETTINGS
from tests.control_databases import KINDS, hosting_of, module_database
from tests.web.planted import MARKUP, PASSWORD, TITLE, House, opened

MIB = 1 << 20


def api(house, rest=""):
    return f"/api/v1/campaigns/{house.campaign}{rest}"


@pytest.fixture
def owner(house):
    house.service.failures.clear()
    return house.browser_of("owner")


# 1, 2: gold, and probing it


def test_a_failed_job_tells_organisers_which_items_and_readers_nothing(house, owner):
    failed = next(job for job in owner.get(api(house, "/jobs")).json() if job["state"] == "failed")
    assert "mkstrangeitem" in json.dumps(failed["outcome"])
    for_reader = (
        house.browser_of("reader").get(api(house, f"/jobs/{failed['number']}")).json()["job"]
    )
    assert (for_reader["outcome"], for_reader["arguments"], for_reader["person"]) == (None, {}, "")
    assert for_reader["state"] == "failed"


def test_whoever_may_not_read_gold_can_have_nothing_scored(house):
    """No answer, right or wrong, by which labels could be found out one by one."""
    reader = house.browser_of("reader")
    question = {"about": "compare", "task": "words", "first": "mkteamalpha", "second": "mkteambeta"}
    assert reader.post(api(house, "/releases/1/questions"), json=question).status_code == 403
    assert reader.post(api(house, "/evaluations"), json={"revision": 1}).status_code == 403


# 3: errors that quote


def test_a_fault_of_the_program_says_its_kind_and_quotes_nothing(capsys):
    told = reason_of(ValueError("mkitem001 has label mkgoldlabelx"), Limits())
    assert "mk" not in told
    assert "mkitem001" in capsys.readouterr().err  # for whoever runs the service


def test_a_wrong_request_is_told_its_place_and_not_its_value(owner, house):
    answer = owner.post(api(house, "/evaluations"), json={"revision": "mkvalue", "surplus": 1})
    assert answer.status_code == 422
    assert answer.json() == {
        "error": "The request is not as the interface says: body.revision, body.surplus."
    }


# 4: archives


def zipped(*members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return data.getvalue()


LINK = zipfile.ZipInfo("gold.csv")
LINK.external_attr = 0o120777 << 16


@pytest.mark.parametrize(
    "members",
    [
        [("../../evil.csv", "id,label")],
        [("/evil.csv", "id,label")],
        [("a/../../evil.csv", "id,label")],
        [("..\\evil.csv", "id,label")],
        [(LINK, "/etc/passwd")],
        [("bomb.csv", b"\0" * (4 * MIB))],
    ],
    ids=["up", "root", "round", "windows", "link", "bomb"],
)
def test_a_hostile_archive_writes_nothing_outside_and_unpacks_no_more_than_it_may(
    tmp_path, monkeypatch, members
):
    monkeypatch.setattr(file_limits, "MOST_BYTES", MIB)
    content = ContentFolder(tmp_path / "campaign").make()
    with content.receiving() as receiver:
        receiver.write(zipped(*members))
        stored = receiver.complete()
    change = {"files": {}, "added": {"all.zip": vars_of(stored)}, "removed": [], "unpack": True}
    try:
        files = stages.files_after(content, change, tmp_path / "campaign" / "work", lambda *_: None)
        content.lay_out(files, tmp_path / "campaign" / "laid" / "out")
    except (InputError, RefusedError):
        files = {}
    assert not [path for path in tmp_path.iterdir() if path.name != "campaign"]
    for path in files:
        assert ".." not in path
        assert not (tmp_path / "campaign" / "laid" / "out" / path).is_symlink()
        assert (tmp_path / "campaign" / "laid" / "out" / path).stat().st_size <= MIB
    assert not Path("/evil.csv").exists()


def vars_of(stored: Stored) -> dict[str, object]:
    return {"sha256": stored.sha256, "size": stored.size}


# 5: names as markup


def test_markup_in_a_name_is_text_in_the_report_and_the_report_is_in_a_sandbox(house):
    folder = house.service.data.of_campaign(house.campaign) / "releases"
    with house.service.database.reading() as connection:
        report = folder / releases.release_of(connection, house.campaign, 1).folder / "words.html"
    page = report.read_text(encoding="utf-8")
    assert "mkteamscript" in page
    assert MARKUP not in page
    policy = policy_of(report)
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy
    assert "unsafe-inline" not in policy.replace("style-src-attr 'unsafe-inline'", "")
    assert "default-src 'none'" in policy


def test_markup_in_a_title_is_text_on_the_pages(owner):
    assert (
        owner.post(
            "/api/v1/campaigns", json={"title": "<script>mktitlescript</script>"}
        ).status_code
        == 201
    )
    page = owner.get("/").text
    assert "mktitlescript" in page
    assert "<script>mktitlescript" not in page


def test_a_file_that_was_uploaded_is_never_a_page(house, owner):
    """Whatever its name, the browser saves it."""
    answer = owner.get(api(house, "/revisions/1/files/mkfilegold.csv"))
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"


# 6: other sites


FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": "http://localhost:9999"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_another_site_changes_nothing_through_its_visitors(owner, headers):
    answer = owner.post("/api/v1/campaigns", json={"title": "theirs"}, headers=headers)
    assert answer.status_code == 403
    assert answer.json() == {"error": "Another site asked for this: refused."}
    assert "theirs" not in owner.get("/api/v1/campaigns").text


@pytest.mark.parametrize(
    "headers", [{"origin": "http://localhost"}, {"sec-fetch-site": "same-origin"}, {}], ids=str
)
def test_our_own_pages_and_programs_change_things(owner, headers):
    assert (
        owner.post("/api/v1/campaigns", json={"title": "ours"}, headers=headers).status_code == 201
    )


@pytest.mark.parametrize(
    ("mode", "place", "status"),
    [("navigate", "document", 200), ("no-cors", "image", 403), ("navigate", "iframe", 403)],
)
def test_another_site_may_link_to_a_page_and_embed_none(owner, mode, place, status):
    """Nor load thirty wrong links as pictures, which would lock its visitor out."""
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": mode, "sec-fetch-dest": place}
    assert owner.get("/", headers=headers).status_code == status


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io:8111", "", "[::2]"]
)
def test_a_foreign_name_for_this_machine_is_refused(owner, host):
    """Else a page of that name could read what the browser shows: DNS rebinding."""
    assert owner.get("/api/v1/me", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8111", "127.0.0.1:8111", "[::1]:8111"])
def test_its_own_names_are_answered(house, host):
    client = house.client()
    client.cookies.clear()
    assert client.get("/sign-in", headers={"host": host}).status_code == 200


def test_behind_https_a_page_of_http_is_another_site(house, tmp_path):
    with opened(tmp_path, is_secure=True) as service:
        client = House(service, house.planted).client()
        answer = client.post("/sign-in", headers={"origin": "http://localhost"})
        assert answer.status_code == 403
        assert "max-age" in answer.headers["strict-transport-security"]


# 7: ids of another campaign


def test_ids_of_another_campaign_lead_nowhere(house, owner):
    """The stranger owns a campaign, and names in its address what is of ours."""
    stranger = house.browser_of("stranger")
    theirs = f"/api/v1/campaigns/{house.planted.foreign}"
    upload = owner.put(api(house, "/uploads?path=gold.csv"), content=b"mkgold").json()["id"]
    house.link(anonymous=False)
    link = owner.get(api(house, "/links")).json()[0]["id"]
    token = [owner.post("/api/v1/tokens", json={"label": "x"}), owner.get("/api/v1/tokens")][
        1
    ].json()[0]["id"]
    owner.post(api(house, "/invitations"), json={"role": "reader"})
    invitation = owner.get(api(house, "/invitations")).json()[-1]["id"]
    calls = [
        stranger.post(f"{theirs}/revisions", json={"base": 0, "uploads": [upload]}),
        stranger.delete(f"{theirs}/links/{link}"),
        stranger.delete(f"{theirs}/invitations/{invitation}"),
        stranger.post(f"{theirs}/revisions/1/restore", json={"base": 1}),
        stranger.get(f"{theirs}/jobs/1"),
        stranger.post(f"{theirs}/jobs/1/repeat"),
        stranger.post(f"{theirs}/jobs/1/cancel"),
        stranger.get(f"{theirs}/releases/1"),
        stranger.get(f"{theirs}/releases/1/files/words.html"),
        stranger.get(f"{theirs}/revisions/1/files/mkfilegold.csv"),
        stranger.post(f"{theirs}/links", json={"release": 1}),
        stranger.delete(f"{theirs}/members/{house.planted.people['reader'].id}"),
        stranger.delete(f"/api/v1/tokens/{token}"),
    ]
    assert [answer.status_code for answer in calls] == [404] * len(calls)
    handed = stranger.post(f"{theirs}/owner", json={"person": house.planted.people["reader"].id})
    assert handed.status_code == 400  # no member of it
    assert link in owner.get(api(house, "/links")).text
    assert invitation in owner.get(api(house, "/invitations")).text
    # it is to a campaign, not to the service
    assert owner.delete(f"/api/v1/invitations/{invitation}").status_code == 404
    assert token in owner.get("/api/v1/tokens").text


@pytest.mark.parametrize(
    "path", ["../../control.db", "..%2f..%2fcontrol.db", "audit.db", "words.html/../audit.db"]
)
def test_only_what_a_release_lists_is_handed_out(owner, house, path):
    assert owner.get(api(house, f"/releases/1/files/{path}")).status_code in {404, 422}


# 8: tokens


def test_a_secret_is_shown_once_and_kept_as_a_digest(house, owner):
    secrets = [
        owner.post("/api/v1/tokens", json={"label": "nightly"}).json()["secret"],
        owner.post(api(house, "/links"), json={"release": 1}).json()["secret"],
        owner.post(api(house, "/invitations"), json={"role": "reader"}).json()["secret"],
        owner.cookies[SESSION_COOKIE],
    ]
    kept = b"".join(path.read_bytes() for path in house.service.data.root.glob("control.db*"))
    lists = ("/links", "/invitations", "/events")
    listed = "".join(
        owner.get(each).text for each in ("/api/v1/tokens", *(api(house, each) for each in lists))
    )
    for secret in secrets:
        assert len(secret) == 32
        assert secret.encode() not in kept
        assert secret not in listed


def test_a_token_ends_when_it_is_revoked_expires_or_its_person_is_erased(house):
    for end in ("revoked_at", "expires_at"):
        program = house.program_of("organiser", MemberRole.ORGANISER)
        assert program.get("/api/v1/me").status_code == 200
        with house.service.database.writing() as connection:
            connection.execute(update(API_TOKEN).values({end: "2020-01-01T00:00:00+00:00"}))
        assert program.get("/api/v1/me").status_code == 401


def test_a_token_is_of_one_campaign_and_makes_no_other(house, owner):
    other = owner.post("/api/v1/campaigns", json={"title": "another of theirs"}).json()["id"]
    program = house.program_of("owner", MemberRole.OWNER, house.campaign)
    assert [each["id"] for each in program.get("/api/v1/campaigns").json()] == [house.campaign]
    assert program.get("/api/v1/campaigns").json()[0]["role"] == "organiser"
    assert program.get(f"/api/v1/campaigns/{other}").status_code == 404
    for call in (
        program.post("/api/v1/tokens", json={"label": "more"}),
        program.get("/api/v1/tokens"),
        program.post("/api/v1/campaigns", json={"title": "more"}),
        program.post(api(house, "/invitations"), json={"role": "organiser"}),
        program.delete(api(house)),
    ):
        assert call.status_code == 403


def test_a_revoked_or_expired_link_shows_nothing(house):
    for end in ("revoked_at", "expires_at"):
        secret = house.link(anonymous=False)
        with house.service.database.writing() as connection:
            releases.shared_by(connection, secret)
            connection.execute(update(SHARE_LINK).values({end: "2020-01-01T00:00:00+00:00"}))
            with pytest.raises(releases.NotFoundError):
                releases.shared_by(connection, secret)


def test_a_link_ends_with_its_campaign(house, owner):
    fresh = owner.post("/api/v1/campaigns", json={"title": "mktitleremoved"}).json()["id"]
    with house.service.database.writing() as connection:
        person = house.planted.people["owner"]
        job = queue.ask_for(connection, fresh, person.id, EVALUATE, revision=1)
        number = releases.keep_release(
            connection, job, "1-1", {"signatures": {}, "tasks": [], "summary": None}
        )
        hosted = campaign_for(connection, Caller(person), fresh, Act.PUBLISH)
        secret = releases.make_link(connection, hosted, person, number, anonymous=False).secret
        releases.shared_by(connection, secret)
    assert owner.delete(f"/api/v1/campaigns/{fresh}").status_code == 204
    with house.service.database.reading() as connection, pytest.raises(releases.NotFoundError):
        releases.shared_by(connection, secret)
    assert house.client().get(f"/shared/{secret}").status_code == 404


def test_an_invitation_that_was_used_or_has_expired_says_nothing_any_more(house, owner):
    """Whoever finds the link later is not told to what and by whom somebody was invited."""
    for end in ("used_at", "expires_at"):
        secret = owner.post(api(house, "/invitations"), json={"role": "reader"}).json()["secret"]
        assert TITLE in house.client().get(f"/invited/{secret}").text
        with house.service.database.writing() as connection:
            connection.execute(update(INVITATION).values({end: "2020-01-01T00:00:00+00:00"}))
        answer = house.client().get(f"/invited/{secret}")
        assert answer.status_code == 404
        assert TITLE not in answer.text


@pytest.mark.parametrize(
    ("table", "days"),
    [(SESSION, 14), (INVITATION, 7), (API_TOKEN, 180), (SHARE_LINK, 365)],
    ids=["session", "invitation", "token", "link"],
)
def test_whatever_opens_a_door_ends_after_days(table, days, house, owner):
    """As the page on the service says."""
    owner.post("/api/v1/tokens", json={"label": "nightly"})
    owner.post(api(house, "/links"), json={"release": 1})
    owner.post(api(house, "/invitations"), json={"role": "reader"})
    with house.service.database.reading() as connection:
        ends = connection.execute(select(table.c.expires_at)).scalars().all()
    latest = datetime.fromisoformat(max(ends)) - datetime.now(UTC)
    assert timedelta(days=days - 1) < latest <= timedelta(days=days)


# 9: exhaustion


def chunks(size):
    for _ in range(size // MIB):
        yield b"x" * MIB


@pytest.fixture
def small(house):
    """The same people before small limits."""
    limits = Limits(packed=6 * MIB, of_campaign=8 * MIB)
    house.service.failures.clear()
    service = type(house.service)(house.service.database, house.service.data, limits)
    return House(service, house.planted)


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
def test_a_body_has_a_limit_and_an_upload_one_of_its_own(small, declared):
    owner = small.browser_of("owner")

    def sent(size):
        return {"content": b"x" * size if declared else chunks(size)}

    json_ = {"content-type": "application/json"}
    too_large = [
        owner.post("/api/v1/campaigns", **sent(5 * MIB), headers=json_),
        owner.put(api(small, "/uploads?path=big.csv"), **sent(7 * MIB)),
        owner.post(
            "/sign-in",
            **sent(5 * MIB),
            headers={"content-type": "application/x-www-form-urlencoded"},
        ),
    ]
    assert [answer.status_code for answer in too_large] == [413] * 3
    assert all("larger than may be sent" in answer.text for answer in too_large)
    assert [answer.headers["x-content-type-options"] for answer in too_large] == ["nosniff"] * 3
    assert "error" in too_large[1].json()
    fresh = owner.post("/api/v1/campaigns", json={"title": f"room {declared}"}).json()["id"]
    assert (
        owner.put(f"/api/v1/campaigns/{fresh}/uploads?path=ok.csv", **sent(5 * MIB)).status_code
        == 201
    )
    over = owner.put(f"/api/v1/campaigns/{fresh}/uploads?path=more.csv", **sent(5 * MIB))
    assert over.status_code == 400
    assert "GiB of files" in over.json()["error"]
    assert not list((small.service.data.of_campaign(fresh) / "incoming").iterdir())


def test_uploads_side_by_side_share_the_quota(small):
    owner = small.browser_of("owner")
    fresh = owner.post("/api/v1/campaigns", json={"title": "side by side"}).json()["id"]
    with small.service.data.content_of(fresh).receiving() as other:
        other.write(b"y" * 5 * MIB)
        other.settle()
        assert (
            owner.put(
                f"/api/v1/campaigns/{fresh}/uploads?path=a.csv", content=b"x" * 4 * MIB
            ).status_code
            == 400
        )
    assert (
        owner.put(
            f"/api/v1/campaigns/{fresh}/uploads?path=a.csv", content=b"x" * 4 * MIB
        ).status_code
        == 201
    )


FILE_FORM = {"files": ("gold.csv", b"x" * 5 * MIB, "text/csv")}


def ways_to_send(owner, campaign):
    """An upload whose length is said, one in chunks, and a form, each of 5 MiB."""
    path = f"/api/v1/campaigns/{campaign}/uploads?path=a.csv"
    return [
        owner.put(path, content=b"x" * 5 * MIB),
        owner.put(path, content=chunks(5 * MIB)),
        owner.post(f"/campaigns/{campaign}/files", data={"base": "0"}, files=FILE_FORM),
    ]


def test_a_quota_holds_for_every_way_to_send(small):
    owner = small.browser_of("owner")
    fresh = owner.post("/api/v1/campaigns", json={"title": "quota"}).json()["id"]
    assert (
        owner.put(
            f"/api/v1/campaigns/{fresh}/uploads?path=a.csv", content=b"x" * 4 * MIB
        ).status_code
        == 201
    )
    for answer in ways_to_send(owner, fresh):
        assert answer.status_code == 400
        assert "GiB of files. Nothing was received." in html.unescape(answer.text)
    assert small.service.data.content_of(fresh).n_bytes() == 4 * MIB


def test_a_disk_keeps_some_room_whatever_way_is_sent(small, monkeypatch):
    """What is left is for the tables and for jobs that run."""
    owner = small.browser_of("owner")
    fresh = owner.post("/api/v1/campaigns", json={"title": "room"}).json()["id"]
    found = shutil.disk_usage(small.service.data.root)
    monkeypatch.setattr(
        received_files.shutil, "disk_usage", lambda _: found._replace(free=66 * MIB)
    )
    for answer in ways_to_send(owner, fresh):
        assert answer.status_code == 507
        assert "There is no room left on the disk" in html.unescape(answer.text)
    assert small.service.data.content_of(fresh).n_bytes() == 0


def test_a_text_of_settings_has_a_limit(house, owner):
    body = {"base": 0, "text": "#" * (MOST_SETTINGS + 1)}
    assert owner.put(api(house, "/settings"), json=body).status_code == 422


def test_what_is_kept_of_guessers_has_a_limit():
    """Whoever has a network of addresses fills no memory with them."""
    clock = [0.0]
    failures = attempts.Failures(1, clock=lambda: clock[0], most_keys=10)
    for number in range(50):
        failures.add(number)
    assert failures.n_keys == 10
    clock[0] = attempts.SECONDS + 1
    failures.add("later")
    assert failures.seconds_to_wait("later") > 0


def test_one_campaign_queues_so_many_jobs_and_no_more(house):
    owner = house.browser_of("owner")
    fresh = owner.post("/api/v1/campaigns", json={"title": "jobs"}).json()["id"]
    person = house.planted.people["owner"].id
    with house.service.database.writing() as connection:
        for number in range(queue.MOST_OPEN):
            queue.ask_for(connection, fresh, person, EVALUATE, revision=number)
        with pytest.raises(RefusedError):
            queue.ask_for(connection, fresh, person, EVALUATE, revision=queue.MOST_OPEN)
        # what a job entails, it may
        assert queue.follow_up(connection, fresh, person, EVALUATE, revision=1)
        for job in queue.jobs_of(connection, fresh, limit=100):
            queue.cancel(connection, fresh, person, job.number)


def test_settings_that_nobody_wrote_by_hand_are_not_taken_into_memory(house):
    owner = house.browser_of("owner")
    fresh = owner.post("/api/v1/campaigns", json={"title": "settings"}).json()["id"]
    with house.service.database.writing() as connection:
        hosted = next(each for each in _campaigns(connection, house) if each.id == fresh)
        stored = Stored("0" * 64, 2 * MIB)
        change = revisions.FileChange({"task.toml": stored})
        revisions.change_files(
            connection, hosted, house.planted.people["owner"], change, base=0, note=""
        )
        revisions.keep_reading(connection, fresh, 1, {"task.toml": stored}, {})
    answer = owner.put(
        f"/api/v1/campaigns/{fresh}/settings",
        json={"base": 1, "settings": [{"key": "a", "value": 1}]},
    )
    assert answer.status_code == 400
    assert "larger than" in answer.json()["error"]


def _campaigns(connection, house):
    return campaigns_of(connection, Caller(house.planted.people["owner"]))


def test_who_guesses_secrets_waits(house):
    """From the thirty-first wrong one on, what is wrong from there; what is right passes: a campus is one address."""
    house.service.failures.clear()
    client = house.client()
    token = house.token_of("organiser", MemberRole.READER)
    for number in range(BY_ADDRESS):
        wrong = [
            lambda: client.get("/start?token=wrong"),
            lambda: client.get("/api/v1/me", headers={"authorization": "Bearer wrong"}),
            lambda: client.get("/shared/wrong"),
            lambda: client.get("/invited/wrong"),
        ][number % 4]()
        assert wrong.status_code in {401, 403, 404}
    for path, headers in (
        ("/start?token=x", {}),
        ("/api/v1/me", {"authorization": "Bearer x"}),
        ("/shared/x", {}),
    ):
        answer = client.get(path, headers=headers)
        assert answer.status_code == 429
        assert 0 < int(answer.headers["retry-after"]) <= 900
    assert house.browser_of("owner").get("/api/v1/me").status_code == 200
    assert client.get(f"/shared/{house.link(anonymous=False)}").status_code == 200
    assert client.get("/api/v1/me", headers={"authorization": f"Bearer {token}"}).status_code == 200
    assert (
        client.post("/sign-in", data={"name": "mkpersonreader", "password": PASSWORD}).status_code
        == 303
    )
    house.service.failures.clear()


# 10: insiders


def refused(database, statement):
    with pytest.raises(DBAPIError) as error, database.writing() as connection:
        connection.execute(text(statement))
    return "is kept as it is" in str(error.value)


def check_kept(database):
    """What the database itself refuses, whatever program asks it."""
    assert refused(database, "UPDATE event SET act = 'nothing'")
    assert refused(database, "DELETE FROM event")
    assert refused(database, "DELETE FROM release")
    for column in (
        "number",
        "revision",
        "job",
        "folder",
        "signatures",
        "summary",
        "made_at",
        "campaign",
    ):
        assert refused(database, f"UPDATE release SET {column} = {column}")  # noqa: S608 - names of ours
    with database.writing() as connection:
        connection.execute(update(RELEASE).values(published_at=None))  # not published yet: may be
        connection.execute(update(RELEASE).values(published_at="2031"))
    assert refused(database, "UPDATE release SET published_at = '2032'")
    assert refused(database, "UPDATE release SET published_at = NULL")


@pytest.mark.parametrize("kind", KINDS)
def test_the_log_and_the_releases_are_kept_by_the_database(kind, tmp_path):
    """On both, whatever program asks; more may be added."""
    (tmp_path / "made").mkdir()
    with (
        module_database(kind, tmp_path / "made") as made,
        hosting_of(made, tmp_path / "data") as hosting,
    ):
        person = hosting.person()
        campaign = hosting.campaign(person)
        with hosting.database.writing() as connection:
            job = queue.ask_for(connection, campaign.id, person.id, EVALUATE, revision=1)
            releases.keep_release(
                connection, job, "1-1", {"signatures": {}, "tasks": [], "summary": None}
            )
        check_kept(hosting.database)
        if kind == "postgresql":
            assert refused(hosting.database, "TRUNCATE event")
        with hosting.database.writing() as connection:
            connection.execute(insert(EVENT).values(at="", act="more", detail="{}"))


def test_the_log_says_who_did_what(house, owner):
    organiser = house.browser_of("organiser")
    assert organiser.post(api(house, "/evaluations"), json={"revision": 1}).status_code == 202
    latest = owner.get(api(house, "/events")).json()[0]
    assert (latest["person"], latest["act"]) == ("mkpersonorganiser", "asked for a job")
    with house.service.database.writing() as connection:
        queue.cancel(
            connection, house.campaign, house.planted.people["owner"].id, latest["detail"]["job"]
        )


def test_publishing_is_one_act_with_one_date(house, owner):
    """Asked for again, as by a double click, it changes nothing, and is no second act."""
    fresh = owner.post("/api/v1/campaigns", json={"title": "published"}).json()["id"]
    with house.service.database.writing() as connection:
        job = queue.ask_for(
            connection, fresh, house.planted.people["owner"].id, EVALUATE, revision=1
        )
        releases.keep_release(
            connection, job, "1-1", {"signatures": {}, "tasks": [], "summary": None}
        )
        queue.cancel(connection, fresh, job.person, job.number)
    published = [owner.post(f"/api/v1/campaigns/{fresh}/releases/1/publish") for _ in range(2)]
    assert [answer.status_code for answer in published] == [200, 200]
    assert published[0].json()["published_at"] == published[1].json()["published_at"] is not None
    events = owner.get(f"/api/v1/campaigns/{fresh}/events").json()
    assert [(each["person"], each["detail"]) for each in events if each["act"] == "published"] == [
        ("mkpersonowner", {"release": 1})
    ]


def test_whoever_is_erased_is_in_no_log_by_name(house, owner):
    with house.service.database.writing() as connection:
        secret = people.invite(
            connection, house.planted.people["owner"], house.campaign, MemberRole.ORGANISER
        ).secret
        person = people.new_person(
            connection, "mkpersongone", password_digest("correct horse battery")
        )
        people.accept(connection, secret, person)
    assert "mkpersongone" in owner.get(api(house, "/events")).text
    with house.service.database.writing() as connection:
        token = people.make_token(connection, person, "mktokengone", None, MemberRole.ORGANISER)
        session = people.begin_session(connection, person)
        people.erase(connection, person)
        assert people.caller_of_token(connection, token) is None
        assert people.caller_of_session(connection, session) is None
    assert people.sign_in(house.service.database, "mkpersongone", "correct horse battery") is None
    assert "mkpersongone" not in owner.get(api(house, "/events")).text
    assert "mkpersongone" not in owner.get(api(house, "/members")).text


def test_passwords_are_kept_by_argon2_with_a_salt():
    one, other = password_digest("correct horse battery"), password_digest("correct horse battery")
    assert one.startswith("$argon2id$v=19$m=65536,t=3,p=1$")
    assert one != other
