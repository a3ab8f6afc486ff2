"""The application: its routes, its guard, and how errors are told to people and to programs."""

import logging
from collections.abc import Mapping
from functools import cache, partial
from operator import attrgetter
from types import MappingProxyType

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.exc import DataError, DBAPIError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware

from audit.errors import AuditError
from audit.service.rules import (
    ConflictError,
    NoRoomError,
    NotAllowedError,
    NotFoundError,
    RefusedError,
)
from audit.text import visible
from audit.version import __version__
from audit.web.access import Service, SignedOutError, service_of, signed_in
from audit.web.api import account, campaign_requests, files, jobs, release_requests
from audit.web.guard import Guard
from audit.web.interface import openapi_of
from audit.web.pages import (
    audit_pages,
    campaign_pages,
    files_pages,
    form_acts,
    page_rendering,
    sign_in_pages,
)
from audit.web.pages.page_rendering import error_page

_LOG = logging.getLogger("audit.web")
STATUS = {
    SignedOutError: 401,
    NotFoundError: 404,
    NotAllowedError: 403,
    ConflictError: 409,
    NoRoomError: 507,
    RefusedError: 400,
}
_PAGES = (page_rendering, sign_in_pages, campaign_pages, files_pages, audit_pages, form_acts)
_UNAVAILABLE = 503
_NO_DISK = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY")  # PostgreSQL says 53100
MOST_OF_A_FORM = 4 << 20  # bytes of a body that is no upload


def create_app(service: Service) -> FastAPI:
    """The application of a service."""
    app = FastAPI(
        title="Shared-task auditor",
        version=__version__,
        docs_url=None,  # it would load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        middleware=[
            Middleware(
                Guard,
                service.hosts,
                service.failures,
                service.passwords,
                _page,
                is_secure=service.is_secure,
            ),
            # inside the guard, so that it is told as any error
            Middleware(RequestBodyLimitMiddleware, MOST_OF_A_FORM),
        ],
        generate_unique_id_function=attrgetter("name"),
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.service = service
    app.include_router(files.uploads, max_body_size=service.limits.packed)
    for part in (account, campaign_requests, files, jobs, release_requests):
        app.include_router(part.router)
    for page in (files_pages, audit_pages):  # they receive files
        app.include_router(page.uploads, max_body_size=service.limits.packed)
    for page in _PAGES:
        app.include_router(page.router)
    app.add_api_route("/health", _health, include_in_schema=False)
    of_requests = HTTPException, RequestValidationError, ValidationError
    for kind in (*of_requests, AuditError, DBAPIError, OSError, UnicodeError):
        app.add_exception_handler(kind, _error_answer)
    app.openapi = cache(partial(openapi_of, app))  # type: ignore[method-assign]  # FastAPI's way to say more
    return app


def _health(request: Request) -> Response:
    """The answer to who watches the service: it answers, and so do its tables; and its disk takes a few bytes."""
    service = service_of(request)
    with service.database.reading() as connection:
        connection.execute(select(1))
    try:
        service.data.try_writing()
    except OSError as error:
        _LOG.warning("the data folder takes nothing: %s", error)
        return JSONResponse(
            {"status": "the data folder takes nothing: its disk may be full, or away"}, _UNAVAILABLE
        )
    return JSONResponse({"status": "ok"})


async def _error_answer(request: Request, error: Exception) -> Response:
    """The answer that reports an error: JSON for programs, a page for people; it repeats no value of the request."""
    is_program = request.url.path.startswith("/api/")
    status, message = status_of(error, is_program=is_program)
    if is_program:
        return JSONResponse({"error": message}, status, _headers_of(error))
    if isinstance(error, SignedOutError) and request.method == "GET":
        return RedirectResponse("/sign-in", 303)
    return await _page(request, status, message, _headers_of(error))


async def _page(
    request: Request, status: int, message: str, headers: Mapping[str, str] = MappingProxyType({})
) -> Response:
    """The page of an error: who is signed in keeps the way to everything, anybody else is told nothing of anybody."""
    # asking the database who it is takes as long as the last question
    is_away = status == _UNAVAILABLE
    answer = error_page(
        request, status, message, None if is_away else await run_in_threadpool(signed_in, request)
    )
    answer.headers.update(headers)
    return answer


def _status_of_storage(error: DBAPIError | OSError) -> tuple[int, str]:
    if isinstance(error, FileNotFoundError):
        _LOG.error("a file is gone: %s", error.filename)
        return (
            500,
            "The service does not find a file that it kept. Whoever runs it finds its name in the log.",
        )
    cause = getattr(error, "orig", None)
    no_disk = (
        getattr(cause, "sqlite_errorname", "").startswith(_NO_DISK)
        or getattr(cause, "sqlstate", "") == "53100"
    )
    if isinstance(error, OSError) or no_disk:
        return 507, "The service cannot write to its disk. Nothing was changed."
    return (
        _UNAVAILABLE,
        "The database does not answer at the moment. Nothing was changed; try again soon.",
    )


def _headers_of(error: Exception) -> Mapping[str, str]:
    if isinstance(error, SignedOutError):
        return {"www-authenticate": "Bearer"}
    if isinstance(error, HTTPException):
        return error.headers or {}
    return {}


def status_of(error: Exception, *, is_program: bool) -> tuple[int, str]:
    """The status of the answer to an error, and its words."""
    match error:
        case HTTPException():
            return error.status_code, str(error.detail)
        # of a request, or of what a page makes of its form
        case RequestValidationError() | ValidationError():
            places = sorted(
                {visible(".".join(map(str, each["loc"])), 200) for each in error.errors()}
            )
            if not is_program and {
                str(part) for each in error.errors() for part in each["loc"][:1]
            } & {
                "path",
                "query",
            }:
                return 404, "There is no such page."
            return 422, f"The request is not as the interface says: {', '.join(places[:10])}."
        case DataError() | UnicodeError():
            return 400, "The request has a character that cannot be kept."
        case DBAPIError() | OSError():
            return _status_of_storage(error)
        case _:
            status = next(
                (status for kind, status in STATUS.items() if isinstance(error, kind)), 400
            )
            return status, str(error)
