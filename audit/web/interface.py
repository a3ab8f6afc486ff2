"""The HTTP interface's own description: what OpenAPI says of each operation, its errors, and who may ask."""

import ast
import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from audit.hosting.events import Event
from audit.hosting.file_revisions import FileChange, Revision, Upload
from audit.hosting.hosted_campaigns import Hosted, Member
from audit.hosting.people import ApiToken, Invitation, Person
from audit.hosting.queue import Job
from audit.hosting.received_files import Stored
from audit.hosting.releases import Release, ShareLink
from audit.hosting.rules import MemberRole, may
from audit.web.access import AccessFor, host_of, person_of
from audit.web.api import Queued, Revised, Secret, uploads
from audit.web.api import router as router_of_api

ERRORS = {
    400: "what is asked for cannot be done; nothing was changed",
    401: "nobody is signed in, or the token is wrong, expired or revoked",
    403: "the caller may see this and may not do it, or is a program where a person is needed",
    404: "there is no such thing, or none that the caller may know of",
    408: "nothing more came of the body for two minutes; nothing was kept",
    409: "somebody else was quicker: read what changed, and try again",
    413: "the body is larger than may be sent",
    421: "the service is not known by this name",
    422: "the request is not as this description says; the error names the places",
    429: "too many wrong tokens or passwords came from this address: wait as long as Retry-After says",
    500: "the program itself is at fault, or a file that the service kept is gone from its disk",
    503: "the database does not answer at the moment; nothing was changed",
    507: "the disk of the service is full, or takes nothing; nothing was changed",
}
"""Every status that says that something went wrong, in words."""
_VALUES = (
    *(ApiToken, Event, FileChange, Hosted, Invitation, Job, Member, Person, Queued),
    *(Release, Revised, Revision, Secret, ShareLink, Stored, Upload),
)
_BODY = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_PROBLEM = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong, for people to read.",
    "properties": {"error": {"type": "string", "title": "Error", "description": "In a sentence or two."}},
    "required": ["error"],
}
_SCHEMES = {
    "token": {"type": "http", "scheme": "bearer", "description": "A token made at POST /api/v1/tokens."},
    "session": {"type": "apiKey", "in": "cookie", "name": "audit_session", "description": "A browser's session."},
}
_NAMES = {
    "me": "show_me",
    "begin": "begin_campaign",
    "campaign": "show_campaign",
    "remove": "remove_campaign",
    "upload": "upload_file",
    "revise": "change_files",
    "revision": "show_revision",
    "restore": "restore_revision",
    "file": "download_file",
    "evaluate": "start_evaluation",
    "job": "show_job",
    "cancel": "cancel_job",
    "repeat": "repeat_job",
    "release": "show_release",
    "artefact": "download_artefact",
    "publish": "publish_release",
    "difference": "compare_releases",
    "question": "ask_question",
    "invite": "invite_member",
}


def operation_name(route: APIRoute) -> str:
    """The name of an operation for programs: a verb and its object."""
    return _NAMES.get(route.name, route.name)


_PERSONS = frozenset({"a person", "the host", MemberRole.OWNER.value})
"""Who signs in with a browser: what is an owner's alone or the host's, no token does."""


def who_may(route: APIRoute) -> str:
    """The least that a caller has to be, for an operation's ``x-who``."""
    for dependency in route.dependant.dependencies:
        if isinstance(dependency.call, AccessFor):
            act = dependency.call.act
            return next(role.value for role in (*reversed(MemberRole),) if may(role, act))
    calls = {dependency.call for dependency in route.dependant.dependencies}
    if host_of in calls:
        return "the host"
    return "a person" if person_of in calls else "whoever is signed in"


def openapi_of(app: FastAPI) -> dict[str, Any]:
    """The description of an application's interface, whole: every operation with its errors, every value in words."""
    schema: dict[str, Any] = get_openapi(
        title=app.title,
        version=app.version,
        summary="Everything that the pages of audit serve do.",
        routes=app.routes,
    )
    who = {operation_name(route): who_may(route) for route in _routes()}
    for operations in schema["paths"].values():
        for operation in operations.values():
            operation["x-who"] = who[operation["operationId"]]
            _complete(operation)
    components = schema["components"]
    for name in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(name, None)
    components["schemas"]["Problem"] = _PROBLEM
    components["responses"] = {
        str(status): {"description": f"{words[0].upper()}{words[1:]}.", "content": _BODY}
        for status, words in ERRORS.items()
    }
    components["securitySchemes"] = _SCHEMES
    _describe(components["schemas"], _VALUES)
    return schema


def _routes() -> list[APIRoute]:
    return [each for router in (router_of_api, uploads) for each in router.routes if isinstance(each, APIRoute)]


def _complete(operation: dict[str, Any]) -> None:
    """Say in one line what an operation does, how it fails, and how the caller is known."""
    operation["summary"] = operation["description"].partition(". ")[0].partition("\n")[0].rstrip(".")
    operation["responses"].pop("422", None)
    operation["responses"] |= {str(status): {"$ref": f"#/components/responses/{status}"} for status in ERRORS}
    who = operation["x-who"]
    operation["security"] = [{"session": []}] if who in _PERSONS else [{"token": []}, {"session": []}]


def _describe(schemas: Mapping[str, Any], values: Iterable[type]) -> None:
    """Give each property the words that stand below it in the program."""
    for value in values:
        for name, words in _attribute_docstrings(value).items():
            schema = schemas.get(value.__name__, {}).get("properties", {}).get(name)
            if schema is not None:
                schema.setdefault("description", words)


def _attribute_docstrings(value: type) -> dict[str, str]:
    (tree,) = ast.parse(inspect.getsource(value)).body
    assert isinstance(tree, ast.ClassDef)  # noqa: S101 - the source of a class
    return {
        before.target.id: after.value.value
        for before, after in zip(tree.body, tree.body[1:], strict=False)
        if isinstance(before, ast.AnnAssign)
        and isinstance(before.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    }
