"""The pages: what people see of the service; each does what the HTTP interface does."""

from functools import lru_cache
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from audit.hosting import hosted_campaigns as campaigns
from audit.hosting import people
from audit.hosting.people import Caller
from audit.resources import templates
from audit.web.access import caller_of, service_of
from audit.web.guard import SESSION_COOKIE

router = APIRouter(include_in_schema=False)
_SECONDS_A_DAY = 24 * 60 * 60


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(loader=FileSystemLoader(templates() / "web"), autoescape=True, undefined=StrictUndefined)


def page(request: Request, template: str, status: int = 200, **context: object) -> HTMLResponse:
    """A page from its template."""
    text = _environment().get_template(template).render(path=request.url.path, **context)
    return HTMLResponse(text, status)


def error_page(request: Request, status: int, message: str) -> Response:
    """What went wrong, and the way back."""
    return page(request, "error.html.j2", status, message=message, status_code=status)


def _signed_in(request: Request, person: people.Person, to: str = "/") -> Response:
    service = service_of(request)
    with service.database.writing() as connection:
        secret = people.begin_session(connection, person)
    answer = RedirectResponse(to, 303)
    answer.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=people.SESSION_DAYS * _SECONDS_A_DAY,
        httponly=True,
        samesite="lax",
        secure=service.is_secure,
    )
    return answer


@router.get("/start")
def start(request: Request, token: str) -> Response:
    """The link that the terminal printed: good once."""
    service = service_of(request)
    if not service.start_link.use(token):
        raise HTTPException(403, "This link was used, or is of an earlier start: take the one in the terminal.")
    with service.database.writing() as connection:
        host = people.host_of(connection)
    return _signed_in(request, host)


@router.get("/sign-in")
def sign_in_page(request: Request) -> Response:
    """Where people sign in."""
    return page(request, "sign_in.html.j2", message="")


@router.post("/sign-in")
def sign_in(request: Request, name: Annotated[str, Form()], password: Annotated[str, Form()]) -> Response:
    """Sign in by name and password."""
    with service_of(request).database.reading() as connection:
        person = people.sign_in(connection, name, password)
    if person is None:
        return page(request, "sign_in.html.j2", 403, message="No account has this name and password.")
    return _signed_in(request, person)


@router.get("/")
def home(request: Request, caller: Annotated[Caller, Depends(caller_of)]) -> Response:
    """The caller's campaigns."""
    with service_of(request).database.reading() as connection:
        found = campaigns.campaigns_of(connection, caller)
    return page(request, "home.html.j2", person=caller.person, campaigns=found)
