"""What readers of a published release download: the same numbers, and nothing that organisers have to do."""

import io
import json
import zipfile

import pytest
from jsonschema import Draft202012Validator

from audit import workflow
from audit.resources import samples
from audit.verification.verifying import verify_bundle
from audit.writers.bundle.archive import schema_text
from audit.writers.bundle.folder import ExportOptions

ORGANISERS = (
    "Before you publish",
    "What to do",
    "task.toml",
    "files.csv",
    "State the official metric",
)
PROVENANCE = {"task.toml", "journal.json", "manifest.json", "README.txt", "SHA256SUMS"}
"""Files of a bundle from which others compute the numbers again; the last two list it."""


@pytest.fixture(scope="module")
def editions(tmp_path_factory):
    """An export of the sample without figures: for organisers and for readers."""
    store = tmp_path_factory.mktemp("readers") / "audit.db"
    workflow.load(samples() / "flood-posts", store)
    return workflow.exported_editions("flood-posts", store, ExportOptions(figures=()))


def unpacked(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def said(files):
    """The phrases for organisers that stand in files, by the name of the file."""
    return {
        name: found
        for name, content in files.items()
        # the schema describes every field of the format
        if name not in {"bundle.zip", "evaluation.schema.json"}
        if (found := [phrase for phrase in ORGANISERS if phrase.encode() in content])
    }


def test_no_file_of_the_readers_export_says_what_organisers_have_to_do(editions):
    own, of_readers = editions
    assert own.keys() == of_readers.keys()
    assert {"report.html", "evaluation.json"} <= said(own).keys()
    assert said(of_readers) == {}
    bundle = unpacked(of_readers["bundle.zip"])
    assert said({name: content for name, content in bundle.items() if name not in PROVENANCE}) == {}


def test_the_readers_document_keeps_every_number_and_the_schema(editions):
    own, of_readers = (json.loads(files["evaluation.json"]) for files in editions)
    Draft202012Validator(json.loads(schema_text())).validate(of_readers)
    changed = {name for name in own if own[name] != of_readers[name]}
    assert changed <= {"verdict", "flags", "assumptions", "ignored", "journal"}
    assert [flag["evidence"] for flag in own["flags"]] == [
        flag["evidence"] for flag in of_readers["flags"]
    ]
    assert own["verdict"]["to_do"]
    assert {**own["verdict"], "to_do": []} == of_readers["verdict"]


def test_the_readers_bundle_is_verified_like_any_other(editions, tmp_path):
    """It is sealed as the readers' edition, so that what is left out is no difference."""
    place = tmp_path / "bundle.zip"
    place.write_bytes(editions[1]["bundle.zip"])
    found = verify_bundle(place, samples() / "flood-posts")
    assert (found.same, found.differences) == (True, ())
    assert found.n_numbers > 1000
