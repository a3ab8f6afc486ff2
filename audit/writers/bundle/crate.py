"""The export as an RO-Crate 1.1: what the folder is and what each file of it, for archives and catalogues."""

import hashlib
from collections.abc import Callable, Mapping
from mimetypes import MimeTypes
from typing import Any

from audit.domain import Evaluation

CRATE = "ro-crate-metadata.json"
_KINDS = MimeTypes()  # what a machine has beside them plays no part


def crate_document(
    evaluation: Evaluation, publication: Mapping[str, str], files: Mapping[str, bytes], about: Callable[[str], str]
) -> dict[str, Any]:
    """The metadata document of a folder with these files, each with its description; it has no clock.

    Of its publication it takes the date, the licence as an address or an identifier of SPDX, and a DOI, if any.
    """
    stated = publication["license"]
    licence = {"@id": stated if stated.startswith(("http://", "https://")) else f"https://spdx.org/licenses/{stated}"}
    doi = {"identifier": f"https://doi.org/{publication['doi']}"} if "doi" in publication else {}
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{evaluation.task.title}: leaderboard audit",
        "description": f"{evaluation.verdict.sentence} {evaluation.signature}",
        "datePublished": publication["date"],
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
    named = {**licence, "@type": "CreativeWork", "name": stated}
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
