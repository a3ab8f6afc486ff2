"""The HTTP interface as programs meet it: described whole, and asked with whatever it allows and forbids."""

import json
from http import HTTPStatus

import pytest
from sqlalchemy import update

from audit.service.control_tables import CAMPAIGN, MEMBERSHIP
from audit.service.rules import HostingError, RefusedError
from audit.service.settings_text import Setting, edited
from audit.web.app import status_of
from audit.web.interface import ERRORS
from tests.nightly import whole_or

hypothesis = pytest.importorskip("hypothesis")
schemathesis = pytest.importorskip("schemathesis")
st = hypothesis.strategies
SEARCH = hypothesis.settings(
    max_examples=whole_or(2, 200),
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)


@pytest.fixture(scope="module")
def operations(house):
    """Each operation by its name."""
    schema = schemathesis.openapi.from_asgi(
        "/api/v1/openapi.json", house.app, headers={"host": "localhost"}
    )
    found = [each.ok() for each in schema.get_all_operations()]
    return {each.definition.raw["operationId"]: each for each in found}


@pytest.fixture(scope="module")
def description(house):
    return house.app.openapi()


def described(description):
    for path, found in description["paths"].items():
        for method, operation in found.items():
            yield path, method, operation


def test_every_operation_says_what_it_does_how_it_fails_and_who_may(description):
    names = [operation["operationId"] for _, _, operation in described(description)]
    assert len(set(names)) == len(names) > 30
    for path, _, operation in described(description):
        name = operation["operationId"]
        assert name.split("_")[0].islower(), name
        assert "_" in name, name
        assert 3 < len(operation["summary"]) <= 110, name
        assert {str(status) for status in ERRORS} <= set(operation["responses"]), name
        assert operation["security"], name
        assert operation["x-who"] in {
            "reader",
            "organiser",
            "owner",
            "the host",
            "a person",
            "whoever is signed in",
        }, name
        assert ("{campaign}" in path) == (operation["x-who"] in {"reader", "organiser", "owner"}), (
            name
        )


def test_every_value_says_what_each_part_is(description):
    """Bodies that are sent, and what is answered."""
    for name, schema in description["components"]["schemas"].items():
        assert "description" in schema, name
        for part, found in schema.get("properties", {}).items():
            assert found.get("description"), f"{name}.{part}"


def test_every_error_is_a_sentence_under_one_name(description):
    for status, response in description["components"]["responses"].items():
        assert int(status) >= 400
        assert response["content"]["application/json"]["schema"] == {
            "$ref": "#/components/schemas/Problem"
        }
    assert description["components"]["schemas"]["Problem"]["required"] == ["error"]


def test_whatever_is_asked_is_answered_as_described(house, operations):
    """Fitting and unfitting requests of an owner: no fault of the program, and no answer that is not described."""
    for name, operation in operations.items():
        for mode in schemathesis.GenerationMode:
            ask(house, name, operation, mode)


def ask(house, name, operation, mode):
    headers = {
        "host": "localhost",
        "cookie": "; ".join(f"{k}={v}" for k, v in house.browser_of("owner").cookies.items()),
    }

    @SEARCH
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode), real=st.booleans())
    def asked(case, real):
        if real and "campaign" in case.path_parameters:
            case.path_parameters["campaign"] = house.campaign
            case.path_parameters |= {"number": 1} if "number" in case.path_parameters else {}
        restored(house)
        case.headers = {
            key: value
            for key, value in (case.headers or {}).items()
            if key.lower() not in {*headers, "authorization"}
        }
        answer = case.call(headers=headers)
        assert answer.status_code != 500, f"{name}: {case.as_curl_command()}"
        case.validate_response(
            answer,
            checks=[
                schemathesis.checks.not_a_server_error,
                schemathesis.checks.status_code_conformance,
                schemathesis.checks.content_type_conformance,
                schemathesis.checks.response_schema_conformance,
            ],
        )
        if answer.status_code >= 400:
            assert list(json.loads(answer.content)) == ["error"]

    asked()


def restored(house):
    """The campaign is there and its owner's, and nothing waits, whatever was asked before."""
    house.service.failures.clear()
    owner = house.planted.people["owner"].id
    with house.service.database.writing() as connection:
        connection.execute(
            update(CAMPAIGN).where(CAMPAIGN.c.id == house.campaign).values(removed_at=None)
        )
        its = (MEMBERSHIP.c.campaign == house.campaign, MEMBERSHIP.c.person == owner)
        connection.execute(update(MEMBERSHIP).where(*its).values(role="owner"))


TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
START = '# who\ntitle = "x"\n[gold]\npath = "g.csv"\na.b = 1\n[[chosen]]\nteam = "t"\n[gold.inner]\nc = {d = 1}\n'


@hypothesis.settings(SEARCH, max_examples=whole_or(75, 3000))
@hypothesis.given(
    table=st.lists(
        st.sampled_from(["gold", "chosen", "inner", "a", "title", "new", "", "a.b", "c"]),
        max_size=3,
    ),
    key=st.sampled_from(["path", "title", "gold", "a", "team", "new", "", "d", "quoted key"]),
    value=VALUES,
    text=st.sampled_from(["", START, "[[[", "a = " + "[" * 3000]) | TEXTS,
)
def test_any_setting_is_written_or_refused(table, key, value, text):
    """Whatever program sends it: task.toml is TOML afterwards, or stays as it was."""
    try:
        after = edited(text, [Setting(tuple(table), key, value)])
    except RefusedError:
        return
    assert edited(after, []) == after


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/campaigns", b'{"title": "\\ud800"}'),
        ("/campaigns", b'{"title": "a\\u0000b"}'),
        ("/campaigns", b'{"\\ud800": 1, "title": "x"}'),
        ("/campaigns", b"[" * 100_000),
        ("/campaigns", b'{"title": ' + b"9" * 5000 + b"}"),
        ("/campaigns", b"\xff\xfe"),
        ("/campaigns/{}/jobs/99999999999999999999999/cancel", b""),
        ("/campaigns/{}/jobs/1%00/cancel", b""),
        ("/campaigns/a%00b/evaluations", b'{"revision": 1}'),
    ],
    ids=range(9),
)
def test_what_no_program_sends_is_refused_all_the_same(house, path, body):
    owner = house.browser_of("owner")
    headers = {"content-type": "application/json"}
    answer = owner.post("/api/v1" + path.format(house.campaign), content=body, headers=headers)
    assert 400 <= answer.status_code < 500
    assert list(answer.json()) == ["error"]


@pytest.mark.parametrize(
    "error", [UnicodeEncodeError("utf-8", "\ud800", 0, 1, "no"), HostingError("no")]
)
def test_what_cannot_be_kept_is_a_bad_request(error):
    """And no question of who asks."""
    assert status_of(error, is_program=True)[0] == HTTPStatus.BAD_REQUEST


def test_an_archive_is_unpacked_unless_a_request_says_otherwise(description):
    """And a folder around all is taken off, as the description of the operation says."""
    fields = description["components"]["schemas"]["Revise"]["properties"]
    assert fields["unpack"]["default"] is fields["unwrap"]["default"] is True
