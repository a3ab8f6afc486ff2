"""What is refused before any route is asked, what every answer says to the browser, and what reports may do there."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from audit.content_policy import content_policy
from audit.web.access import network_of
from audit.web.password_work import BUSY, RETRY_SECONDS, TOO_OFTEN, Failures, PasswordWork

GUESSABLE = ("/start", "/invited", "/shared")
"""Beginnings of the paths that take a secret; a token may stand before any path, and passwords are counted in place."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_PAGES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)  # what our own pages may do: nothing from elsewhere, nothing written into the page
_ALWAYS = {
    "content-security-policy": OWN_PAGES,
    "x-content-type-options": "nosniff",
    # with none at all, browsers do not say which origin a form is of
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
# seconds without a byte after which the rest of a body is no longer waited for
LONGEST_SILENCE = 120.0
_READ_ON_BYTES = 4 << 20
_READ_ON_SECONDS = 10.0
"""Of a body that is refused: how much is taken all the same, and how long it is waited for."""
_SECURE = {"strict-transport-security": "max-age=31536000"}
_UNKNOWN_NAME = (
    "The service is not known by this name. Whoever runs it states its address with --public-url."
)
_FAULT = "The program itself is at fault. Nothing was lost: please report it to whoever runs the service."
_LOG = logging.getLogger("audit.web")

ErrorPage = Callable[[Request, int, str], Awaitable[Response]]
"""The page that tells people of an error: its status, and what there is to say."""
OtherAnswer = Callable[[Scope, int], Awaitable[Response | None]]
"""The answer that takes the place of one with this status; None where that stands."""


class Guard:
    """Refuses foreign names, guesses, and requests that another site makes a browser send."""

    def __init__(  # noqa: PLR0913 - what it asks, and whom
        self,
        app: ASGIApp,
        hosts: Iterable[str],
        failures: Failures,
        passwords: PasswordWork,
        error_page: ErrorPage,
        *,
        is_secure: bool = False,
    ) -> None:
        self._error_page = error_page
        self._app, self._hosts, self._is_secure = (
            app,
            frozenset(host.lower() for host in hosts),
            is_secure,
        )
        self._failures, self._passwords = failures, passwords
        if is_secure:
            self._headers = {**_ALWAYS, **_SECURE}
        else:
            self._headers = _ALWAYS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it; an error of the program is answered too, with the usual headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(receive, is_begun="expect" not in Headers(scope=scope))
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, body, _Answer(scope, body, send, self._headers))
            return
        answer = _Answer(scope, body, send, self._headers, self._instead)
        # the server sends no body
        asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        try:
            await self._app(asked, body, answer)
        except ClientDisconnect:  # nobody hears an answer, unless it was too slow
            if body.fell_silent and answer.status is None:
                silent = await self._error_answer(scope, 408, _SILENT)
                silent.headers["connection"] = "close"
                await silent(scope, body, answer)
            return
        except Exception:  # noqa: BLE001 - whatever it is, the answer says so, and has the headers of every answer
            # no address: it may hold a secret
            _LOG.exception("%s was not answered", scope["method"])
            if answer.status is None:
                await (await self._error_answer(scope, 500, _FAULT))(scope, body, answer)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if (
            host.rpartition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
        ) not in self._hosts:
            return _refused(scope, 421, _UNKNOWN_NAME)
        if self._is_foreign(headers) and not _is_followed_link(scope["method"], headers):
            return _refused(scope, 403, "Another site asked for this: refused.")
        is_try = scope["path"] == "/sign-in" and scope["method"] == "POST"
        if is_try and self._passwords.is_refused_at_once(headers.get("cookie", "")):
            # no page: a flood of them would keep the others waiting
            busy = _refused(scope, 429, BUSY)
            busy.headers["retry-after"] = str(RETRY_SECONDS)
            return busy
        return None

    async def _instead(self, scope: Scope, status: int) -> Response | None:
        """What is answered in place of the framework's own words, and of a wrong guess from where many came.

        Whatever is right passes, however many others of the same network guess.
        """
        if status == _TOO_LARGE:
            return await self._error_answer(scope, _TOO_LARGE, _LARGE)
        if not _reports_invalid_secret(scope, status):
            return None
        guesser = network_of(scope["client"][0] if scope.get("client") else None)
        seconds = self._failures.seconds_to_wait(guesser)
        if not seconds:
            self._failures.add(guesser)
            return None
        answer = await self._error_answer(scope, 429, TOO_OFTEN)
        answer.headers["retry-after"] = str(seconds)
        return answer

    async def _error_answer(self, scope: Scope, status: int, message: str) -> Response:
        """The answer that reports an error: JSON or a page, and plain text where no page can be made."""
        if not scope["path"].startswith("/api/"):
            try:
                return await self._error_page(Request(scope), status, message)
            except Exception:  # noqa: BLE001 - an answer is due all the same
                _LOG.exception("the page of status %s was not made", status)
        return _refused(scope, status, message)

    def _is_foreign(self, headers: Headers) -> bool:
        """Whether a browser says that another site's page asks; programs say nothing, and have no cookie."""
        site = headers.get("sec-fetch-site")
        origin = headers.get("origin")
        if site is not None and site not in {"same-origin", "none"}:
            return True
        if origin is None:
            return False
        asking = urlsplit(origin)
        return asking.netloc != headers.get("host") or (
            self._is_secure and asking.scheme != "https"
        )


def _is_followed_link(method: str, headers: Headers) -> bool:
    """Whether somebody follows a link into a page of its own: all that another site may make a browser do."""
    whole_page = (
        headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest", "document") == "document"
    )
    return method in _SAFE and whole_page


def _reports_invalid_secret(scope: Scope, status: int) -> bool:
    """Whether an answer says that a secret or a token is none."""
    if scope["path"].startswith(GUESSABLE):
        return status in {403, 404}
    return status == 401 and "authorization" in Headers(scope=scope)  # noqa: PLR2004 - HTTP's number


def _refused(scope: Scope, status: int, message: str) -> Response:
    if scope["path"].startswith("/api/"):
        return JSONResponse({"error": message}, status)
    return PlainTextResponse(message, status)


class _Body:
    """The body of a request as it arrives: a client that falls silent keeps no quota and no connection."""

    def __init__(self, receive: Receive, *, is_begun: bool = True) -> None:
        self._receive, self._is_begun = receive, is_begun
        self._is_whole = False
        self.fell_silent = False

    async def __call__(self) -> Message:
        if self._is_whole:  # what is waited for now is that the other side hangs up
            return await self._receive()
        try:
            async with asyncio.timeout(LONGEST_SILENCE):
                message = await self._receive()
        except TimeoutError:
            self.fell_silent = True
            return {"type": "http.disconnect"}
        self._is_whole = not message.get("more_body", False)
        return message

    async def read_on(self) -> None:
        """Take what is under way of a body that is refused: who is hung up on while sending is shown no reason.

        Nothing is, where the other side asked before it sends; and of a large or a slow body not all is waited for.
        """
        if self._is_begun and not self.fell_silent:
            n_more = _READ_ON_BYTES
        else:
            n_more = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(_READ_ON_SECONDS):
                while n_more > 0 and not self._is_whole:
                    n_more -= len((await self()).get("body", b""))


class _Answer:
    """An answer on its way, to which the headers of every answer are added."""

    def __init__(
        self,
        scope: Scope,
        body: _Body,
        send: Send,
        headers: dict[str, str],
        instead: OtherAnswer | None = None,
    ) -> None:
        self._scope, self._body, self._send = scope, body, send
        self._headers, self._instead = headers, instead
        self._other: Response | None = None
        self.status: int | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.status >= _REFUSED:
                await self._body.read_on()
            if (
                self._instead is not None
                and (other := await self._instead(self._scope, self.status)) is not None
            ):
                self._other, self.status = other, other.status_code
                message = {**message, "status": self.status, "headers": other.raw_headers}
            headers = MutableHeaders(scope=message)
            for name, value in self._headers.items():
                headers.setdefault(name, value)
        elif self._other is not None:
            message = {**message, "body": self._other.body, "more_body": False}
        await self._send(message)


_REFUSED = 400
_TOO_LARGE = 413
_SILENT = "Nothing more came for a while. Nothing was kept: send it again."
_LARGE = "The body is larger than may be sent here. Nothing was kept; whoever runs the service sets the limits."


@lru_cache(maxsize=64)
def policy_of(path: Path) -> str:
    """The content security policy under which a report works in its frame and can do nothing else."""
    policy = content_policy(path.read_bytes().decode("utf-8", "replace"))
    return f"sandbox allow-scripts allow-popups; {policy}; frame-ancestors 'self'"


def framed(path: Path) -> Response:
    """A report as it stands, under its policy.

    What sums up several test sets links to their reports. A frame in a sandbox belongs to no site, and is not shown
    them; so such links open a page of their own.
    """
    html = _LINK.sub(rb'<a target="_blank" href="', path.read_bytes())
    return Response(
        html, media_type="text/html", headers={"content-security-policy": policy_of(path)}
    )


_LINK = re.compile(rb'<a href="(?!#)')
