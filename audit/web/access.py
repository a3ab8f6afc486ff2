"""The service as every route has it, and the one way to campaigns: a route names its act, and who calls may do it."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address, ip_network
from secrets import compare_digest
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request
from sqlalchemy import Connection

from audit.errors import AuditError
from audit.service.child import Limits
from audit.service.credentials import digest_of, new_secret
from audit.service.database import ControlDatabase, lock_campaign
from audit.service.files import DataFolder
from audit.service.hosted_campaigns import Hosted, campaign_for
from audit.service.people import Caller, caller_of_session, caller_of_token
from audit.service.rules import Act, NotAllowedError
from audit.web.password_work import BY_ADDRESS, Devices, Failures, PasswordWork


def network_of(address: str | None) -> str:
    """The unit that failures are counted by: an address, or of IPv6 a network of 64 bits.

    >>> network_of("192.0.2.7"), network_of("2001:db8::1") == network_of("2001:db8::2"), network_of(None)
    ('192.0.2.7', True, '')
    """
    try:
        ip = ip_address((address or "").partition("%")[0])
    except ValueError:
        return address or ""
    if isinstance(ip, IPv4Address):
        return str(ip)
    return str(ip_network((int(ip), 64), strict=False))


@dataclass(eq=False)
class StartLink:
    """The link that is printed when the service starts: good once, for whoever sees that terminal."""

    secret: str = field(default_factory=new_secret, repr=False)
    is_open: bool = True  # whether the link still begins a session
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def use(self, secret: str) -> bool:
        """Whether this is the link's secret, and it was not used before."""
        with self._lock:
            fits = self.is_open and compare_digest(digest_of(secret), digest_of(self.secret))
            self.is_open = self.is_open and not fits
            return fits


@dataclass(frozen=True, slots=True)
class Service:
    """One running service."""

    database: ControlDatabase  # the control tables
    data: DataFolder  # the files
    limits: Limits = field(default_factory=Limits)  # the limits of what may be received
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    """Names by which it may be asked for; any other is refused, so that no foreign page speaks for its visitors."""
    is_secure: bool = False  # whether it is reached by HTTPS, so that its cookie must be
    start_link: StartLink = field(default_factory=StartLink)
    """The link that begins the first session."""
    failures: Failures = field(default_factory=lambda: Failures(BY_ADDRESS))
    """Secrets that were wrong, by network."""
    passwords: PasswordWork = field(init=False)  # passwords that are tried

    def __post_init__(self) -> None:
        object.__setattr__(self, "passwords", PasswordWork(Devices(self.database)))


_LOG = logging.getLogger("audit.web")

_BEARER = "bearer "
SESSION_COOKIE = "audit_session"


def service_of(request: Request) -> Service:
    """The service that a request is made to."""
    service = request.app.state.service
    assert isinstance(service, Service)  # noqa: S101 - as the app was made
    return service


class SignedOutError(AuditError):
    """Nobody is signed in, and this is for people who are."""

    def __init__(self) -> None:
        super().__init__("Sign in first.")


def caller_of(request: Request) -> Caller:
    """The caller of a request."""
    authorization = request.headers.get("authorization", "")
    cookie = request.cookies.get(SESSION_COOKIE)
    with service_of(request).database.reading() as connection:
        if authorization[: len(_BEARER)].lower() == _BEARER:
            caller = caller_of_token(connection, authorization[len(_BEARER) :].strip())
        elif cookie:
            caller = caller_of_session(connection, cookie)
        else:
            caller = None
    if caller is None:
        raise SignedOutError
    return caller


def signed_in(request: Request) -> Caller | None:
    """Who asks, for what pages show; None where nobody is signed in, and where that cannot be told now."""
    try:
        return caller_of(request)
    except SignedOutError:
        return None
    except Exception:  # noqa: BLE001 - the page is of another error, which is due all the same
        _LOG.exception("who asks could not be looked up for the page of an error")
        return None


def person_of(request: Request) -> Caller:
    """The caller, who has to be a person at a browser: no token may change accounts."""
    caller = caller_of(request)
    if caller.by_token:
        raise HTTPException(403, "A token cannot do this: sign in with a browser.")
    return caller


def host_of(caller: Annotated[Caller, Depends(person_of)]) -> Caller:
    """The caller, who has to be the person who runs the service."""
    if not caller.person.is_host:
        raise NotAllowedError("Only whoever runs the service invites people to it.")
    return caller


AnyCaller = Annotated[Caller, Depends(caller_of)]
PersonCaller = Annotated[Caller, Depends(person_of)]
HostCaller = Annotated[Caller, Depends(host_of)]


@dataclass(frozen=True, slots=True)
class Access:
    """A caller before a campaign, with what they are about to do."""

    service: Service  # the service
    caller: Caller  # the caller
    campaign: str  # the id of the campaign
    act: Act  # the act for which access is asked

    @contextmanager
    def reading(self) -> Iterator[tuple[Connection, Hosted]]:
        """A transaction that reads, and the campaign."""
        with self.service.database.reading() as connection:
            yield connection, campaign_for(connection, self.caller, self.campaign, self.act)

    @contextmanager
    def writing(self) -> Iterator[tuple[Connection, Hosted]]:
        """A transaction that writes, and the campaign."""
        with self.service.database.writing() as connection:
            lock_campaign(connection, self.campaign)
            yield connection, campaign_for(connection, self.caller, self.campaign, self.act)


@dataclass(frozen=True, slots=True)
class AccessFor:
    """A route's dependency that says which act it is."""

    act: Act

    def __call__(self, request: Request, campaign: str) -> Access:
        """The caller and the campaign; whether they may act is checked again in the transaction."""
        access = Access(service_of(request), caller_of(request), campaign, self.act)
        with access.reading():
            return access


def needs(act: Act) -> Any:  # noqa: ANN401 - FastAPI's mark
    """The dependency of a route on a campaign that does this."""
    return Depends(AccessFor(act))
