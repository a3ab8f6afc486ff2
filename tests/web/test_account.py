"""The account: another password, sessions and tokens, and what its log says."""

import re

import pytest

from audit.service import people
from audit.service.credentials import password_digest
from audit.service.rules import MemberRole
from tests.web.planted import PASSWORD

NEW = "another horse battery"


@pytest.fixture
def member(house, request):
    """A person with an account, who is signed in."""
    name = f"mkperson{re.sub('[^a-z]', '', request.node.name)[-40:]}"
    with house.service.database.writing() as connection:
        person = people.new_person(connection, name, password_digest(PASSWORD))
    client = signed_in(house, name, PASSWORD)
    return person, client


def signed_in(house, name, password, **headers):
    client = house.client()
    answer = client.post("/sign-in", data={"name": name, "password": password}, headers=headers)
    assert answer.status_code == 303, answer.text
    return client


def test_another_password_is_set_by_who_knows_the_old_one(house, member):
    person, client = member
    refused = client.post("/account/password", data={"old": "wrong horse battery", "password": NEW})
    assert refused.status_code == 403
    assert "The old password is wrong." in refused.text
    assert client.post("/account/password", data={"password": NEW}).status_code == 403
    assert client.post("/account", data={"name": person.name, "password": NEW}).status_code == 400
    assert people.sign_in(house.service.database, person.name, PASSWORD) is not None
    assert (
        client.post("/account/password", data={"old": PASSWORD, "password": NEW}).status_code == 303
    )
    assert people.sign_in(house.service.database, person.name, NEW) is not None


def test_the_old_password_is_not_guessed_by_who_took_over_a_session(member):
    _, client = member
    wrong = {"old": "wrong horse battery", "password": NEW}
    statuses = [client.post("/account/password", data=wrong).status_code for _ in range(11)]
    assert statuses == [403] * 10 + [429]


def test_another_password_ends_other_sessions_and_tokens_that_are_not_kept(house, member):
    person, client = member
    other = signed_in(house, person.name, PASSWORD)
    with house.service.database.writing() as connection:
        secrets = {
            label: people.make_token(connection, person, label, None, MemberRole.READER)
            for label in ("nightly", "forgotten")
        }
        tokens = {each.label: each.id for each in people.tokens_of(connection, person)}
    page = client.get("/account").text
    assert "It ends 1 other session of yours, and every token that is not ticked here" in page
    assert "Keep the token “nightly”" in page
    kept = {"old": PASSWORD, "password": NEW, "keep": [tokens["nightly"]]}
    assert client.post("/account/password", data=kept).status_code == 303
    assert other.get("/api/v1/me").status_code == 401
    program = lambda label: (  # noqa: E731
        house.client(authorization=f"Bearer {secrets[label]}").get("/api/v1/me").status_code
    )
    assert (program("nightly"), program("forgotten")) == (200, 401)
    said = client.get("/account").text
    assert "changed the password, which ended 2 sessions and token “forgotten”" in said


def test_sessions_are_listed_and_each_is_ended(house, member):
    person, client = member
    other = signed_in(house, person.name, PASSWORD, **{"user-agent": "Lynx <b>9</b>"})
    page = client.get("/account").text
    assert "Lynx &lt;b&gt;9&lt;/b&gt;" in page
    (address,) = re.findall(r'action="(/account/sessions/[0-9a-f]+/revoke)"', page)
    assert client.post(address).status_code == 303
    assert other.get("/api/v1/me").status_code == 401
    assert client.get("/api/v1/me").status_code == 200
    assert "ended a session" in client.get("/account").text
    assert client.post(address).status_code == 404


def test_nobody_ends_a_session_of_somebody_else(house, member):
    _, client = member
    (foreign,) = house.browser_of("reader").get("/api/v1/sessions").json()[:1]
    assert client.delete(f"/api/v1/sessions/{foreign['id']}").status_code == 404


def test_whoever_came_by_a_link_from_the_host_sets_a_password_without_the_old_one(house, member):
    """The link is for who forgot it."""
    person, _ = member
    with house.service.database.writing() as connection:
        _, link = people.make_sign_in_link(connection, person.name)
    client = house.client()
    assert client.get(f"/start?token={link.secret}").status_code == 303
    assert "the old password is not asked for" in client.get("/account").text
    assert client.post("/account/password", data={"password": NEW}).status_code == 303
    # it is a session as any
    assert client.post("/account/password", data={"password": PASSWORD}).status_code == 403


def test_a_name_is_changed_alone(house, member):
    person, client = member
    assert client.post("/account/name", data={"name": f"{person.name}other"}).status_code == 303
    assert people.sign_in(house.service.database, f"{person.name}other", PASSWORD) is not None
    assert client.post("/account/name", data={"name": "mkpersonowner"}).status_code == 400
