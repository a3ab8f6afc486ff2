"""Every route × everybody who may come: made from the application's own routes, so that no new one is missed."""

from functools import partial

import pytest

from audit.service import hosted_campaigns as campaigns
from audit.service.control_tables import MEMBERSHIP
from audit.service.releases import release_of
from audit.service.rules import ALLOWED, Act, MemberRole
from tests.control_databases import KINDS, postgresql_with_rows_of
from tests.nightly import ALL
from tests.web.planted import FOREIGN_TITLE, HIDDEN, ITEMS, LABELS, TITLE, House, opened, served

EVERYBODYS = {
    *(
        "GET /api/v1/openapi.json",
        "HEAD /api/v1/openapi.json",
        "GET /start",
        "GET /sign-in",
        "POST /sign-in",
    ),
    *("POST /sign-out", "GET /invited/{secret}", "POST /invited/{secret}/account"),
    *(
        "GET /shared/{secret}",
        "GET /shared/{secret}/report/{name}",
        "GET /shared/{secret}/releases/{number}",
    ),
    *("GET /shared/{secret}/releases/{number}/report/{name}", "GET /static/{name}", "GET /health"),
}
"""What asks nobody who they are: it shows nothing of a campaign, or takes a secret for it."""
PROGRAMS = {"GET /api/v1/me", "GET /api/v1/campaigns", "GET /"}
"""What is of no campaign and a token may do all the same; everything else of that kind is a person's."""
HOSTS = {
    *(
        "POST /account/invitations",
        "POST /account/invitations/{invitation}/revoke",
        "GET /api/v1/invitations",
    ),
    *("POST /api/v1/invitations", "DELETE /api/v1/invitations/{invitation}"),
}
"""What only whoever runs the service does."""
READER = {"read"}
ORGANISER = READER | {
    "read-drafts",
    "read-files",
    "edit",
    "evaluate",
    "publish",
    "read-log",
    "end-invitation",
}
MAY = {
    "reader": READER,
    "organiser": ORGANISER,
    "owner": ORGANISER | {"invite", "hand-over", "remove"},
}
"""Who may do what, written out once more: a change of the rules is to be made twice."""
CALLERS = {
    "nobody": None,
    "stranger": None,
    "token of another campaign": None,
    "share link for a token": None,
    "reader": "reader",
    "organiser": "organiser",
    "owner": "owner",
    "owner's token": "organiser",
    "owner's token for reading": "reader",
    "organiser's token for reading": "reader",
}
"""What each caller is to the campaign; a token does at most what an organiser does."""
UNKNOWN = {"nobody", "share link for a token"}
CHANGING = {"edit", "evaluate", "publish", "invite", "end-invitation", "hand-over", "remove"}
NO_CAMPAIGN = "There is no such campaign."


@pytest.fixture(scope="module", params=KINDS)
def house(request, built, copied, tmp_path_factory):
    """The service with its tables in a file, and the same rows in PostgreSQL."""
    if request.param == "sqlite":
        with opened(copied) as service:
            yield House(service, built[1])
        return
    with (
        opened(built[0]) as source,
        postgresql_with_rows_of(source.database, tmp_path_factory.mktemp("empty")) as url,
        opened(copied, url) as service,
    ):
        yield House(service, built[1])


@pytest.fixture(scope="module")
def every_route(house):
    return served(house.app)


@pytest.fixture(scope="module")
def routes(house, every_route):
    """Every route; by day, on PostgreSQL, one of each act, method and kind of caller."""
    if ALL or house.service.database.is_sqlite:
        return every_route
    return list({(each.act, each.method, each.asks_who): each for each in every_route}.values())


@pytest.fixture(scope="module")
def callers(house):
    """Each caller as a function that gives a fresh client: what signs out, signs nobody else out."""
    token = {
        "token of another campaign": house.token_of(
            "owner", MemberRole.ORGANISER, house.planted.foreign
        ),
        "share link for a token": house.link(anonymous=False),
        "owner's token": house.token_of("owner", MemberRole.OWNER),
        "owner's token for reading": house.token_of("owner", MemberRole.READER),
        "organiser's token for reading": house.token_of("organiser", MemberRole.READER),
    }
    made = {
        name: partial(house.client, authorization=f"Bearer {secret}")
        for name, secret in token.items()
    }
    made |= {
        name: partial(house.browser_of, name)
        for name in ("stranger", "reader", "organiser", "owner")
    }
    return {**made, "nobody": house.client}


def scratch(house):
    """A campaign with the same members, which may be changed and removed."""
    with house.service.database.writing() as connection:
        made = campaigns.begin_campaign(connection, house.planted.people["owner"], TITLE)
        for name in ("organiser", "reader"):
            row = {
                "campaign": made.id,
                "person": house.planted.people[name].id,
                "role": name,
                "since": "",
            }
            connection.execute(MEMBERSHIP.insert().values(**row))
    return made.id


def asked(house, client, route, changed=None):
    """The answer to a request with nothing in it: who may is known before what they send."""
    house.service.failures.clear()
    campaign = house.campaign if route.method == "GET" else changed or scratch(house)
    path = (
        route.path.replace("{campaign}", campaign)
        .replace("{number}", "1")
        .replace("{path:path}", "mkfilegold.csv")
    )
    path = path.replace("{name}", "words.html")
    for name in (
        "link",
        "person",
        "invitation",
        "removed",
        "session",
        "token",
        "secret",
        "name:path",
    ):
        path = path.replace(f"{{{name}}}", "none")
    return client.request(route.method, path.replace("{path}", "mkfilegold.csv"))


def test_the_rules_are_those_that_stand_here():
    assert {role.value: {act.value for act in acts} for role, acts in ALLOWED.items()} == MAY
    assert {act.value for act in Act} == MAY["owner"]


def test_every_route_says_what_it_does_to_a_campaign_or_stands_in_the_list_of_what_is_everybodys(
    every_route,
):
    assert len(every_route) > 35
    for route in every_route:
        if route.act is not None:
            assert "{campaign}" in route.path, route
        elif not route.asks_who:
            assert str(route) in EVERYBODYS, f"{route} asks nobody who they are"
        else:
            assert "{campaign}" not in route.path, f"{route} is of a campaign, and names no act"


def test_what_changes_something_is_no_act_of_reading(routes):
    for route in routes:
        if route.act is not None and route.method not in {"GET", "HEAD"}:
            assert route.act.value in CHANGING, route


@pytest.fixture(scope="module")
def answers(house, routes, callers):
    """What each route answers each caller, by caller and route."""
    kept = scratch(house)  # for those who may change nothing
    return {
        name: {
            route: asked(
                house, callers[name](), route, None if role in {"organiser", "owner"} else kept
            )
            for route in routes
        }
        for name, role in CALLERS.items()
    }


def test_every_route_of_a_campaign_answers_each_caller_as_the_rules_say(routes, answers):
    for route in (route for route in routes if route.act is not None):
        for name, role in CALLERS.items():
            answer = answers[name][route]
            what = f"{route} for {name}: {answer.status_code} {answer.text[:200]}"
            assert answer.status_code != 500, what
            if name in UNKNOWN:
                assert is_asked_to_sign_in(answer, route), what
            elif role is None:
                assert answer.status_code == 404, what
                assert NO_CAMPAIGN in answer.text, what
            elif route.act.value not in MAY[role]:
                assert answer.status_code == 403, what
            else:
                assert answer.status_code not in {401, 403}, what
                assert NO_CAMPAIGN not in answer.text, what


def is_asked_to_sign_in(answer, route):
    if route.path.startswith("/api/") or route.method != "GET":
        return answer.status_code == 401
    return answer.status_code == 303 and answer.headers["location"].startswith("/sign-in")


def test_what_is_of_no_campaign_is_for_people_who_are_signed_in(house, routes, callers):
    """Accounts, tokens, new campaigns: no token makes another one, begins a campaign or invites."""
    own = [route for route in routes if route.act is None and route.asks_who]
    assert len(own) >= (6 if house.service.database.is_sqlite else 3)
    for route in own:
        assert is_asked_to_sign_in(asked(house, callers["nobody"](), route), route), route
        by_token = asked(house, callers["owner's token"](), route)
        assert (
            (by_token.status_code == 200)
            if str(route) in PROGRAMS
            else (by_token.status_code == 403)
        ), route
        someone = "owner" if str(route) in HOSTS else "stranger"
        assert asked(house, callers[someone](), route).status_code not in {401, 403, 500}, route
    for route in HOSTS & set(map(str, own)):
        method, path = route.split()
        assert callers["stranger"]().request(method, path).status_code == 403, route


def test_nobody_outside_a_campaign_is_shown_a_word_of_it(routes, answers):
    """Every route, every method; bodies, headers, errors."""
    secrets = [
        *(word for words in HIDDEN.values() for word in words),
        *LABELS,
        *ITEMS[:3],
        TITLE,
        "mksalt",
        "mkstrange",
    ]
    for route in routes:
        for name in ("nobody", "stranger", "token of another campaign", "share link for a token"):
            shown = everything(answers[name][route])
            found = [word for word in secrets if word in shown]
            assert not found, f"{route} shows {name}: {found}"


def everything(answer):
    """Headers and body as one text."""
    return str(dict(answer.headers)) + answer.content.decode("utf-8", "replace")


def test_readers_are_shown_no_item_and_no_other_campaign(routes, answers):
    """Reports have team names and labels; what was received, what went wrong with it and who is a member, have not."""
    for route in routes:
        for name in ("reader", "owner's token for reading"):
            shown = everything(answers[name][route])
            secrets = ("mkitem", "mkstrange", "mksalt", FOREIGN_TITLE)
            found = [word for word in secrets if word in shown]
            assert not found, f"{route} shows {name}: {found}"


def test_the_markers_are_there_to_be_found(house, every_route, callers):
    """Organisers see them: the tests above look for what there is."""
    shown = "".join(
        everything(asked(house, callers["owner"](), route))
        for route in every_route
        if route.method == "GET" and route.act
    )
    for word in (
        "mkteam",
        "mkrun",
        "mkfile",
        "mknote",
        "mkreason",
        "mkstrangeitem",
        "mkitem000",
        *LABELS,
        TITLE,
    ):
        assert word in shown, word
    # by it and the names, the numbers of anonymous teams could be told
    assert "mksalt" not in shown


def test_an_anonymous_link_shows_no_name_file_affiliation_note_or_run(house, every_route):
    secret = house.link(anonymous=True)
    answers = [
        shared(house, route, secret) for route in every_route if route.path.startswith("/shared/")
    ]
    for answer in answers:
        assert answer.status_code == 200, answer.text
        check_anonymous(everything(answer))


def test_reports_without_names_have_none(house):
    folder = house.service.data.of_campaign(house.campaign) / "releases"
    with house.service.database.reading() as connection:
        part = release_of(connection, house.campaign, 1).parts["anonymise"]
    for report in (folder / part / "words.html", folder / part / "~readers-words.html"):
        text = report.read_text(encoding="utf-8")
        assert "Team 1" in text
        check_anonymous(text)


def shared(house, route, secret):
    client = house.client()
    path = route.path.replace("{secret}", secret).replace("{number}", "1")
    return client.request(route.method, path.replace("{name}", "words.html"))


def check_anonymous(text):
    for what, words in HIDDEN.items():
        for word in (*words, "mkperson", "mkitem", "mkstrange", "mksalt"):
            assert word not in text, what
