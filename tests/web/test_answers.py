"""What every answer says to the browser, signing in, and the start of the service."""

import ipaddress
import re
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from audit.errors import ISSUE_KINDS, UsageError
from audit.service import people
from audit.service.control_tables import SESSION
from audit.service.credentials import password_digest
from audit.service.files import DataFolder
from audit.service.rules import RefusedError
from audit.web import serving
from audit.web.access import SESSION_COOKIE, StartLink
from audit.web.guard import OWN_PAGES
from audit.web.pages.page_rendering import asset, issue_title
from audit.web.password_work import BY_ADDRESS, BY_NAME, SECONDS, Failures
from tests.web.planted import PASSWORD, House, opened

WRONG = "wrong horse battery"
SAID = {
    "content-security-policy": OWN_PAGES,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def test_every_answer_has_the_headers_faults_and_refusals_too(house, monkeypatch):
    owner = house.browser_of("owner")
    answers = {
        200: owner.get("/api/v1/me"),
        404: owner.get("/api/v1/nothing"),
        405: owner.patch("/api/v1/me"),
        421: owner.get("/", headers={"host": "evil.example"}),
        422: owner.post("/api/v1/campaigns", json={}),
        401: house.client().get("/api/v1/me"),
    }
    monkeypatch.setattr("audit.web.api.jobs.queue.jobs_of", lambda *_: 1 / 0)
    answers[500] = owner.get(f"/api/v1/campaigns/{house.campaign}/jobs")
    for status, answer in answers.items():
        assert answer.status_code == status
        assert SAID.items() <= dict(answer.headers).items(), status
        assert status in {200, 421} or list(answer.json()) == ["error"], status
    for path in (
        asset("service.css"),
        "/static/../base.html.j2",
        "/static/%2e%2e%2fbase.html.j2",
        "/static/none",
    ):
        answer = house.client().get(path)
        assert SAID.items() - {("cache-control", "no-store")} <= dict(answer.headers).items(), path
        assert answer.status_code == (200 if "css" in path else 404)
    assert "ZeroDivision" not in answers[500].text
    assert "unsafe" not in OWN_PAGES
    assert answers[401].headers["www-authenticate"] == "Bearer"


def test_a_page_has_no_script_or_style_written_into_it(house):
    owner = house.browser_of("owner")
    for path in ("/", "/sign-in", "/nothing"):
        page = owner.get(path).text
        assert "<html" in page
        for inline in ("<style", "style=", "<script>", "onclick=", "javascript:"):
            assert inline not in page


@pytest.mark.parametrize(
    ("path", "back"),
    [
        ("/nothing", "/"),
        ("/one/two/three/four", "/"),
        ("/campaigns/none/files", "/"),
        ("/campaigns/none/files/strange/path", "/campaigns/none/files"),
    ],
)
def test_the_page_of_an_error_leads_back_to_the_step_and_not_to_itself(house, path, back):
    answer = house.browser_of("owner").get(path, headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert re.findall(r'<p><a href="([^"]*)">', answer.text) == [back]


def signed_in(house, name="mkpersonowner", password=PASSWORD, client=None):
    house.service.failures.clear()
    return (client or house.client()).post("/sign-in", data={"name": name, "password": password})


@pytest.mark.parametrize("is_secure", [False, True])
def test_the_cookie_is_for_this_site_and_no_script(house, is_secure):
    with opened(house.service.data.root, is_secure=is_secure) as service:
        answer = signed_in(House(service, house.planted))
    flags = answer.headers["set-cookie"].lower().split("; ")
    assert f"max-age={timedelta(days=people.SESSION_DAYS).total_seconds():.0f}" in flags
    assert answer.status_code == 303
    assert {"httponly", "samesite=lax", "path=/"} <= set(flags)
    assert ("secure" in flags) == is_secure


def test_a_wrong_password_and_a_wrong_name_are_told_alike(house):
    wrong = [signed_in(house, password=WRONG), signed_in(house, "nobody of this name")]
    assert [answer.status_code for answer in wrong] == [403, 403]
    assert wrong[0].text == wrong[1].text
    assert "set-cookie" not in wrong[0].headers


def test_signing_in_is_tried_so_often_and_no_more(house, monkeypatch):
    """From one address; the right password does not help then, and does afterwards."""
    monkeypatch.setattr(
        "audit.service.people.password_fits", lambda password, _: password == PASSWORD
    )
    house.service.passwords.by_address.clear()
    client = house.client()
    fields = {"name": "mkpersonowner", "password": WRONG}
    for _ in range(BY_ADDRESS):
        assert client.post("/sign-in", data=fields).status_code == 403
    assert client.post("/sign-in", data={**fields, "password": PASSWORD}).status_code == 429
    house.service.passwords.by_address.clear()
    assert client.post("/sign-in", data={**fields, "password": PASSWORD}).status_code == 303


def test_a_name_is_tried_so_often_from_anywhere(house, monkeypatch):
    """Whoever has many addresses guesses no faster; others sign in meanwhile."""
    monkeypatch.setattr(
        "audit.service.people.password_fits", lambda password, _: password == PASSWORD
    )
    for _ in range(BY_NAME):
        house.service.passwords.by_name.add(people.sign_in_name("MKpersonReader"))
    assert signed_in(house, "mkpersonreader").status_code == 429
    assert signed_in(house, "mkpersonorganiser").status_code == 303
    house.service.passwords.by_name.clear()


def test_signing_out_ends_the_session_and_another_password_all_others(house):
    with house.service.database.writing() as connection:
        people.new_person(connection, "mkpersonout", password_digest(PASSWORD))
    here, there = house.client(), house.client()
    for client in (here, there):
        assert signed_in(house, "mkpersonout", client=client).status_code == 303
    changed = here.post(
        "/account/password", data={"old": PASSWORD, "password": "another horse battery"}
    )
    assert changed.status_code == 303
    assert here.get("/account").status_code == 200
    assert there.get("/api/v1/me").status_code == 401
    secret = here.cookies[SESSION_COOKIE]
    here.post("/sign-out")
    again = house.client()
    again.cookies.set(SESSION_COOKIE, secret)
    assert again.get("/api/v1/me").status_code == 401


def test_a_wrong_form_is_told_as_such(house):
    """Whatever a form is made to send."""
    owner = house.browser_of("owner")
    for role in ("owner", "none"):
        answer = owner.post("/account/tokens", data={"label": "x", "role": role})
        assert 400 <= answer.status_code < 500, role
        assert "mktoken" not in answer.text


def test_failures_count_for_a_while_and_by_whoever_fails():
    clock = [0.0]
    failures = Failures(2, clock=lambda: clock[0])
    failures.add("a")
    clock[0] = 10
    failures.add("a")
    assert failures.seconds_to_wait("a") == SECONDS - 10
    assert failures.seconds_to_wait("b") == 0
    clock[0] = SECONDS + 1
    assert failures.seconds_to_wait("a") == 0


def test_a_session_ends_by_signing_out_by_time_and_by_another_password(house):
    with house.service.database.writing() as connection:
        person = people.new_person(connection, "mkpersonsession", password_digest(PASSWORD))
        one, other, third = (people.begin_session(connection, person) for _ in range(3))
        assert people.caller_of_session(connection, one) is not None
        people.end_session(connection, one)
        assert people.caller_of_session(connection, one) is None
        connection.execute(
            update(SESSION)
            .where(SESSION.c.digest == people.digest_of(other))
            .values(expires_at="2020-01-01")
        )
        assert people.caller_of_session(connection, other) is None
        assert people.caller_of_session(connection, third) is not None
        people.change_password(connection, person, password_digest("another horse battery"))
        assert people.caller_of_session(connection, third) is None


def test_names_differ_to_the_eye(house):
    """In any script, case and width; a name that only looks different is taken."""
    with house.service.database.writing() as connection:
        people.new_person(connection, "Émile Öz", password_digest(PASSWORD))
    assert people.sign_in(house.service.database, "émile öz", PASSWORD) is not None
    assert people.sign_in(house.service.database, "ÉMILE  ÖZ ", PASSWORD) is not None
    for name in (
        "e\u0301mile öz",
        "émile\u200b öz",
        "\uff45\u0301mile öz",
        "(erased)",
        "a\u202eb",
        "a\0b",
        "",
        "x" * 201,
    ):
        with house.service.database.writing() as connection, pytest.raises(people.RefusedError):
            people.new_person(connection, name, "digest")


def test_an_issue_has_its_title_and_one_of_another_version_its_name():
    """What an earlier version kept is shown all the same."""
    assert all(issue_title(slug) == kind.title for slug, kind in ISSUE_KINDS.items())
    assert issue_title("of-another-version") == "of-another-version"


def test_an_invitation_is_good_once_and_gives_what_it_says(house):
    with house.service.database.writing() as connection:
        owner = house.planted.people["owner"]
        secret = people.invite(connection, owner, house.campaign, people.MemberRole.READER).secret
        person = people.new_person(connection, "mkpersoninvited", password_digest(PASSWORD))
        accepted = people.accept(connection, secret, person)
        assert (accepted.campaign, accepted.role) == (house.campaign, people.MemberRole.READER)
        with pytest.raises(people.NotFoundError):
            people.accept(connection, secret, person)
        session = people.begin_session(connection, person)
    client = house.client()
    client.cookies.set(SESSION_COOKIE, session)
    assert [each["role"] for each in client.get("/api/v1/campaigns").json()] == ["reader"]
    assert client.post("/api/v1/campaigns", json={"title": "of my own"}).status_code == 403


# The start


def test_the_start_link_is_good_once(house):
    house.service.failures.clear()
    secret = house.service.start_link.secret
    assert house.client().get(f"/start?token={secret}").status_code == 303
    assert house.client().get(f"/start?token={secret}").status_code == 403


def test_the_start_link_is_not_in_what_a_log_would_show_of_the_service(house):
    assert house.service.start_link.secret not in repr(house.service)


def test_a_closed_start_link_is_good_for_nothing():
    link = StartLink(is_open=False)
    assert not link.use(link.secret)


def options(root, **more):
    return serving.ServeOptions(DataFolder.at(root), port=0, **more)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, True),
        ({"host": "0.0.0.0"}, False),  # noqa: S104 - what is tried
        ({"public_url": "http://audit.example:8111"}, False),
        ({"public_url": "https://audit.example/"}, False),
    ],
    ids=str,
)
def test_a_link_that_replaces_the_password_is_printed_on_this_machine_alone(house, more, says):
    """Where others reach the service, whoever sees the log would else become its host."""
    with opened(house.service.data.root) as service:
        serving.check_reach(options(service.data.root, **more), service)
        assert (
            "token=" in serving.first_link(options(service.data.root, **more), service, 80)
        ) == says
        address = more.get("public_url", "http://127.0.0.1:80").rstrip("/")
        assert serving.first_link(options(service.data.root, **more), service, 80).startswith(
            f"{address}/"
        )


def test_without_an_account_there_is_a_link_behind_a_proxy_and_no_way_in_from_the_network(tmp_path):
    with opened(tmp_path) as service:
        behind = options(tmp_path, public_url="https://audit.example")
        serving.check_reach(behind, service)
        assert service.start_link.is_open
        with pytest.raises(UsageError, match="Start it without --listen"):
            serving.check_reach(options(tmp_path, host=str(ipaddress.IPv4Address(0))), service)


@pytest.mark.parametrize(
    ("more", "names", "is_secure"),
    [
        ({}, [], False),
        ({"host": "0.0.0.0"}, [], False),  # noqa: S104 - what is tried
        (
            {"host": "10.0.0.7", "public_url": "http://audit.local:8111/"},
            ["10.0.0.7", "audit.local"],
            False,
        ),
        (
            {"host": "fd00::1", "public_url": "https://[fd00::2]:8443"},
            ["[fd00::1]", "[fd00::2]"],
            True,
        ),
    ],
    ids=str,
)
def test_the_service_answers_to_the_names_that_are_stated(more, names, is_secure, tmp_path):
    stated = serving.checked_options(options(tmp_path, **more))
    assert set(stated.host_names) == {"127.0.0.1", "localhost", "[::1]", *names}
    assert stated.is_secure == is_secure


@pytest.mark.parametrize(
    "more",
    [
        {"host": "audit.local"},
        {"public_url": "audit.example"},
        {"public_url": "https://a.example/path"},
        {"public_url": "https://you@a.example"},
    ],
    ids=str,
)
def test_an_address_that_is_none_is_refused(more, tmp_path):
    with pytest.raises(UsageError, match="and not"):
        serving.checked_options(options(tmp_path, **more))


def test_the_first_account_comes_from_a_file_and_no_later_one(tmp_path):
    """A service in a container begins so, and its password is changed on its page."""
    secret = tmp_path / "password"
    with opened(tmp_path / "data") as service:
        everywhere = options(
            tmp_path / "data", host=str(ipaddress.IPv4Address(0)), account=("Ada", secret)
        )
        with pytest.raises(UsageError, match="cannot be read"):
            serving.make_account(everywhere, service)
        secret.write_text("short\n")
        with pytest.raises(RefusedError, match="12 to 200"):
            serving.make_account(everywhere, service)
        for password in ("correct horse battery", "another one, later"):
            secret.write_text(f"{password}\n")
            serving.make_account(everywhere, service)
            serving.check_reach(everywhere, service)
        assert people.sign_in(service.database, "ada", "correct horse battery").is_host
        assert people.sign_in(service.database, "Ada", "another one, later") is None


@pytest.mark.parametrize("none_aside", [[], [False], [True, False, False]], ids=len)
def test_there_are_as_many_workers_as_were_asked_for(none_aside, tmp_path, monkeypatch):
    """The first of several leaves exports to the others, and one alone does everything."""
    begun = []
    monkeypatch.setattr(serving.Worker, "run", lambda worker: begun.append(worker.none_aside))
    asked_for = options(tmp_path, n_workers=len(none_aside))
    with opened(tmp_path) as service, serving.working(asked_for, service):
        pass
    assert sorted(begun) == sorted(none_aside)


def test_the_page_that_opens_the_link_is_nobody_elses_and_does_not_stay(tmp_path):
    with serving.own_file(tmp_path / "open.html") as page:
        assert page.stat().st_mode & 0o777 == 0o600
    assert not page.exists()


def no_room(path, _):
    path.touch()  # an empty file takes no block
    raise OSError(28, "No space left on device")


def test_who_watches_the_service_is_told_whether_tables_and_disk_answer(house, monkeypatch):
    assert house.client().get("/health").json() == {"status": "ok"}
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", no_room)
        answer = house.client().get("/health")
    assert (answer.status_code, "takes nothing" in answer.text) == (503, True)
    assert not list(house.service.data.root.glob("campaigns/.trial-*"))
    monkeypatch.setattr(house.service.database, "reading", lambda: 1 / 0)
    assert house.client().get("/health").status_code == 500


@pytest.mark.parametrize(
    "address", ["/sign-in", "/api/v1/me", "/health", "/shared/wrong", "/nothing"]
)
def test_asked_for_its_head_alone_an_address_answers_as_ever_and_sends_no_body(house, address):
    house.service.failures.clear()
    head, whole = (house.browser_of("owner").request(method, address) for method in ("HEAD", "GET"))
    assert (head.status_code, head.headers["content-type"]) == (
        whole.status_code,
        whole.headers["content-type"],
    )
    assert head.content == b""


def test_by_name_more_failures_are_had_than_by_address():
    """Else one address could lock anybody out whose name it knows."""
    assert BY_NAME > 3 * BY_ADDRESS
