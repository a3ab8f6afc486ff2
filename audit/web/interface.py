"""The HTTP interface's own description: what OpenAPI says of each operation, its errors, and who may ask."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from audit.service.rules import MemberRole, may
from audit.web.access import AccessFor, host_of, person_of
from audit.web.api import account, campaign_requests, files, jobs, release_requests

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
}  # every status that says that something went wrong, in words
_BODY = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_PROBLEM = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong, for people to read.",
    "properties": {
        "error": {"type": "string", "title": "Error", "description": "In a sentence or two."}
    },
    "required": ["error"],
}
_SCHEMES = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token made at POST /api/v1/tokens.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "audit_session",
        "description": "A browser's session.",
    },
}

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
    if person_of in calls:
        return "a person"
    return "whoever is signed in"


def openapi_of(app: FastAPI) -> dict[str, Any]:
    """The description of an application's interface, whole: every operation with its errors, every value in words."""
    schema: dict[str, Any] = get_openapi(
        title=app.title,
        version=app.version,
        summary="Everything that the pages of audit serve do.",
        routes=app.routes,
    )
    routers = [part.router for part in (account, campaign_requests, files, jobs, release_requests)]
    routers.append(files.uploads)
    routes = [each for router in routers for each in router.routes if isinstance(each, APIRoute)]
    who = {route.name: who_may(route) for route in routes}
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
    return schema


def _complete(operation: dict[str, Any]) -> None:
    """Add to an operation its one-line summary, its errors, and how the caller is known."""
    operation["summary"] = (
        operation["description"].partition(". ")[0].partition("\n")[0].rstrip(".")
    )
    operation["responses"].pop("422", None)
    operation["responses"] |= {
        str(status): {"$ref": f"#/components/responses/{status}"} for status in ERRORS
    }
    who = operation["x-who"]
    if who in _PERSONS:
        operation["security"] = [{"session": []}]
    else:
        operation["security"] = [{"token": []}, {"session": []}]
