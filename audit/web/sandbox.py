"""Reports as they stand, in a sandbox: their own script and styles by digest, and nothing else."""

import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path

from starlette.responses import Response

_INLINE = {
    kind: re.compile(rf"<{kind}\b[^>]*>(.*?)</{kind}>".encode(), re.DOTALL | re.IGNORECASE)
    for kind in ("script", "style")
}


@lru_cache(maxsize=64)
def policy_of(path: Path) -> str:
    """The content security policy under which a report works and can do nothing else.

    Parameters
    ----------
    path : Path
        The report: a file of a release, which never changes.
    """
    html = path.read_bytes()
    hashes = {kind: " ".join(sorted(_hashes(pattern, html))) or "'none'" for kind, pattern in _INLINE.items()}
    return (
        f"sandbox allow-scripts allow-popups; default-src 'none'; script-src {hashes['script']}; "
        f"style-src {hashes['style']}; style-src-attr 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'"
    )


def framed(path: Path) -> Response:
    """A report as it stands, under its policy.

    What sums up several test sets links to their reports. A frame in a sandbox belongs to no site, and is not shown
    them; so such links open a page of their own.
    """
    html = _LINK.sub(rb'<a target="_blank" href="', path.read_bytes())
    return Response(html, media_type="text/html", headers={"content-security-policy": policy_of(path)})


_LINK = re.compile(rb'<a href="(?!#)')


def _hashes(pattern: re.Pattern[bytes], html: bytes) -> set[str]:
    digests = (hashlib.sha256(match[1]).digest() for match in pattern.finditer(html))
    return {f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests}
