"""The export as an RO-Crate 1.1: what the folder is and what each file of it, for archives and catalogues."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from mimetypes import MimeTypes
from typing import Any

from audit.domain import Evaluation

CRATE = "ro-crate-metadata.json"
_KINDS = MimeTypes()  # what a machine has beside them plays no part


@dataclass(frozen=True, slots=True)
class Publication:
    """What organisers state of an export that is published; no crate is without a date and a licence."""

    date: str  # as ISO 8601 has it
    license: str  # an address, or an identifier of SPDX
    doi: str | None = None


def crate_document(
    evaluation: Evaluation, publication: Publication, files: Mapping[str, bytes], about: Callable[[str], str]
) -> dict[str, Any]:
    """The metadata document of a folder with these files, each with its description; it has no clock."""
    is_address = publication.license.startswith(("http://", "https://"))
    licence = {"@id": publication.license if is_address else f"https://spdx.org/licenses/{publication.license}"}
    doi = {} if publication.doi is None else {"identifier": f"https://doi.org/{publication.doi}"}
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{evaluation.task.title}: leaderboard audit",
        "description": f"{evaluation.verdict.sentence} {evaluation.signature}",
        "datePublished": publication.date,
        "license": licence,
        **doi,
        "hasPart": [{"@id": name} for name in sorted(files)],
    }
    descriptor = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    named = {**licence, "@type": "CreativeWork", "name": publication.license}
    parts = [_file(name, files[name], about(name)) for name in sorted(files)]
    return {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": [descriptor, root, named, *parts]}


def _file(name: str, content: bytes, description: str) -> dict[str, Any]:
    return {
        "@id": name,
        "@type": "File",
        "name": name,
        "description": description,
        "encodingFormat": _KINDS.guess_type(name)[0] or "application/x-bibtex",
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
