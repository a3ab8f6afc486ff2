"""What the files of a release are called: no two of them alike, whatever the test sets are called."""

import hashlib
from collections.abc import Mapping
from types import MappingProxyType

ENDINGS: Mapping[str, str] = MappingProxyType(
    {"report": ".html", "document": ".json", "export": "-export.zip", "bundle": "-bundle.zip"}
)
"""What a test set's files end in. None is the end of another, so that names are alike only where slug and kind are."""
SUMMARY = "~summary.html"
"""What sums up several test sets; no slug has the mark that it begins with."""
_LONGEST = 180  # bytes of a slug in a file's name: file systems take 255, and an ending and .part stand behind it
_DIGITS = 16


def artefact_name(slug: str, kind: str) -> str:
    """The name of a file of a test set.

    Parameters
    ----------
    slug : str
        Of the test set: letters, digits, dots, hyphens and underscores, so that the mark of a name that was cut, a
        tilde, is in none.
    kind : str
        One of `ENDINGS`.

    Examples
    --------
    >>> artefact_name("words", "report"), artefact_name("words", "bundle")
    ('words.html', 'words-bundle.zip')
    >>> name = artefact_name("д" * 150, "report")
    >>> len(name.encode()), name[90:]
    (202, '~33f89e9fa64efb3a.html')
    """
    return _stem(slug) + ENDINGS[kind]


def _stem(slug: str) -> str:
    data = slug.encode("utf-8")
    if len(data) <= _LONGEST:
        return slug
    return f"{data[:_LONGEST].decode('utf-8', 'ignore')}~{hashlib.sha256(data).hexdigest()[:_DIGITS]}"
