"""Pages of errors: who is signed in keeps the way to everything, and nobody else is told of anybody."""

import pytest

from audit.service import people
from audit.web.access import SESSION_COOKIE
from audit.web.password_work import BY_ADDRESS, BY_NAME
from tests.web.planted import House

HEADER = ("mkpersonreader: account", 'href="/account"', 'href="/"', 'action="/sign-out"')
"""What the head of every page has for who is signed in."""
EVERY = 'href="/"'
"""What it has for anybody."""


def failed_often(house, _):
    for _ in range(BY_ADDRESS):
        house.service.failures.add("testclient")
    return "get", "/start?token=wrong", {}


def failed_here(house, _):
    for _ in range(BY_ADDRESS):
        house.service.passwords.by_address.add(("testclient", people.sign_in_name("mkpersonowner")))
    return "post", "/sign-in", {"data": {"name": "mkpersonowner", "password": "wrong horse"}}


def failed_by_name(house, _):
    for _ in range(BY_NAME):
        house.service.passwords.by_name.add(people.sign_in_name("mkpersonowner"))
    return "post", "/sign-in", {"data": {"name": "mkpersonowner", "password": "wrong horse"}}


def faulty(_, monkeypatch):
    monkeypatch.setattr("audit.web.pages.sign_in_pages.way_on", lambda _: 1 / 0)
    return "get", "/sign-in", {}


def full(_, monkeypatch):
    def none_free(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("audit.web.pages.sign_in_pages.way_on", none_free)
    return "get", "/sign-in", {}


def of(method, path, **more):
    return lambda house, _: (method, path.format(campaign=house.campaign), more)


CASES = {
    "403, a link that is none": (403, of("get", "/start?token=wrong")),
    "404, a page that is none": (404, of("get", "/nothing")),
    "404, a link that is none": (404, of("get", "/shared/wrong")),
    "405": (405, of("put", "/sign-in")),
    "413": (413, of("post", "/sign-in", content=b"x" * 9000)),
    "422": (422, of("post", "/sign-in", data={})),
    "429, by address": (429, failed_often),
    "429, by address and name": (429, failed_here),
    "429, by name": (429, failed_by_name),
    "500": (500, faulty),
    "507": (507, full),
}
"""What is answered alike whoever asks."""


@pytest.fixture
def small(house, monkeypatch):
    """The same people, before a small limit; failures of others are forgotten before and afterwards."""
    monkeypatch.setattr("audit.web.app.MOST_OF_A_FORM", 5000)
    service = house.service
    every = (service.failures, service.passwords.by_address, service.passwords.by_name)
    for failures in every:
        failures.clear()
    yield House(service, house.planted)
    for failures in every:
        failures.clear()


@pytest.mark.parametrize("case", CASES)
def test_a_page_of_an_error_has_the_head_of_who_is_signed_in_and_of_nobody_else(
    case, small, monkeypatch
):
    """The same page but for that; a cookie that is none, or has ended, is nobody."""
    status, asking = CASES[case]
    reader, nobody, ended = small.browser_of("reader"), small.client(), small.browser_of("reader")
    with small.service.database.writing() as connection:
        people.end_session(connection, ended.cookies[SESSION_COOKIE])
    method, path, more = asking(small, monkeypatch)
    told, others = (
        reader.request(method, path, **more),
        [each.request(method, path, **more) for each in (nobody, ended)],
    )
    assert {each.status_code for each in (told, *others)} == {status}
    assert all(part in told.text for part in HEADER)
    assert 'role="alert"' in told.text
    assert ("retry-after" in told.headers) == (status == 429)
    for answer in others:
        assert EVERY in answer.text
        assert 'role="alert"' in answer.text
        assert not any(part in answer.text for part in set(HEADER) - {EVERY})
        assert "mk" not in answer.text


def test_pages_of_a_campaign_that_fail_keep_the_head_and_tell_nothing_of_it(small):
    """What a reader may not do, what is done already for an organiser, and a campaign of strangers."""
    reader, organiser = small.browser_of("reader"), small.browser_of("organiser")
    page = f"/campaigns/{small.campaign}"
    done_already = organiser.post(f"{page}/jobs/1/repeat")
    answers = {
        403: reader.get(f"{page}/files"),
        404: reader.get(f"/campaigns/{small.planted.foreign}/files"),
    }
    for status, answer in answers.items():
        assert answer.status_code == status
        assert all(part in answer.text for part in HEADER)
        assert not any(
            marker in answer.text for marker in ("mktitle", "mkforeigntitle", "mkteam", "mkfile")
        )
    assert done_already.status_code == 409
    assert "mkpersonorganiser: account" in done_already.text
    for path in (f"{page}/files", f"/campaigns/{small.planted.foreign}/files"):
        told = small.client().get(path)
        assert (told.status_code, told.headers["location"]) == (303, "/sign-in")


def test_who_asks_by_a_foreign_name_or_from_another_site_is_told_nothing_of_who_is_signed_in(small):
    """Another site's page that a browser opens with its cookie is nothing to show a name on."""
    reader = small.browser_of("reader")
    for status, headers in (
        (421, {"host": "evil.example"}),
        (403, {"origin": "https://evil.example"}),
    ):
        answer = reader.get("/nothing", headers=headers)
        assert answer.status_code == status
        assert answer.headers["content-type"].startswith("text/plain")
        assert "mk" not in answer.text


def test_an_error_is_told_where_nobody_can_be_looked_up(small, monkeypatch):
    """The database away, or the page itself at fault: then without a head, or in plain words."""
    reader = small.browser_of("reader")
    monkeypatch.setattr("audit.web.access.caller_of_session", lambda *_: 1 / 0)
    answer = reader.get("/nothing")
    assert answer.status_code == 404
    assert "mkpersonreader" not in answer.text
    method, path, _ = faulty(small, monkeypatch)
    monkeypatch.setattr("audit.web.app.error_page", lambda *_: 1 / 0)
    answer = reader.request(method, path)
    assert (answer.status_code, answer.headers["content-type"]) == (
        500,
        "text/plain; charset=utf-8",
    )
    assert "at fault" in answer.text
