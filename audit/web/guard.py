"""What is refused before any route is asked, and what every answer says to the browser."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SESSION_COOKIE = "audit_session"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_PAGES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""What our own pages may do: nothing from elsewhere, nothing written into the page."""
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Guard:
    """Refuses foreign names and requests that another site makes a browser send.

    Parameters
    ----------
    app : ASGIApp
        What is guarded.
    hosts : iterable of str
        Names by which the service may be asked for, without a port.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app, self._hosts = app, frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if (refusal := self._refusal(scope["method"], headers)) is not None:
            await PlainTextResponse(refusal, 403 if "site" in refusal else 421)(scope, receive, _with_headers(send))
            return
        await self._app(scope, receive, _with_headers(send))

    def _refusal(self, method: str, headers: Headers) -> str | None:
        if _name_of(headers.get("host", "")) not in self._hosts:
            return "The service is not known by this name. Whoever runs it adds names with --host-name."
        if method not in _SAFE and _is_foreign(headers):
            return "Another site asked for this: refused."
        return None


def _name_of(host: str) -> str:
    """The name without its port; the address in brackets where it has colons."""
    return (host.rpartition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]).lower()


def _is_foreign(headers: Headers) -> bool:
    """Whether a browser says that another site's page asks; programs say nothing, and have no cookie."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site not in {"same-origin", "none"}:
        return True
    return origin is not None and urlsplit(origin).netloc != headers.get("host")


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _ALWAYS.items():
                headers.setdefault(name, value)
            headers.setdefault("content-security-policy", OWN_PAGES)
        await send(message)

    return sending
