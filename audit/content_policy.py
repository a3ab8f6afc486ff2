"""What a page may do, by the hashes of what stands in it."""

import base64
import hashlib
import re

_INLINE = {
    kind: re.compile(rf"<{kind}\b[^>]*>(.*?)</{kind}>", re.DOTALL | re.IGNORECASE)
    for kind in ("script", "style")
}


def content_policy(html: str) -> str:
    """The content security policy under which a page works and can do nothing else."""
    hashes = {}
    for kind, pattern in _INLINE.items():
        found = {hashlib.sha256(match[1].encode()).digest() for match in pattern.finditer(html)}
        named = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in sorted(found))
        hashes[kind] = " ".join(named) or "'none'"
    return (
        f"default-src 'none'; script-src {hashes['script']}; style-src {hashes['style']}; "
        "style-src-attr 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'"
    )
