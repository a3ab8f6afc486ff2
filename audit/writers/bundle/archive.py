"""The archive for Zenodo: what the numbers were computed from, how, and the numbers, so that anybody can check them."""

import hashlib
import io
import platform
import shlex
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from audit.domain import Campaign, Evaluation, Feature, SourceFile
from audit.report.method import INSTALL, evaluation_options, load_options
from audit.report.printing import GoldItems
from audit.version import __version__, versions
from audit.writers.bundle.sheets import items_data
from audit.writers.data.export import evaluation_data, to_json
from audit.writers.data.plain import confusion_rows, picked

BUNDLE_FORMAT = 3
README = "README.txt"
MANIFEST = "manifest.json"
EVALUATION = "evaluation.json"
JOURNAL = "journal.json"
SETTINGS = "task.toml"
FILES = "files.csv"
SUMS = "SHA256SUMS"
INPUTS = "inputs/"
SEAL = "seal"
# stated where what organisers have to do is left out
EDITION = "edition"
FOR_READERS = "readers"
_OF_ISSUES = ("slug", "file", "lines", "found")
# the first moment that a zip can name: the same bytes whenever it is made
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_PLAIN_FILE = 0o100644 << 16

BUNDLE_README = """\
What a shared task's numbers were computed from, and the numbers.

manifest.json           task, settings, versions, commands, the SHA-256 of every input, and a seal of all that
evaluation.json         every score, rank, interval, comparison and finding
evaluation.schema.json  the JSON Schema of evaluation.json
journal.json            what was read, repaired, decided, assumed, rejected and ignored
task.toml               the settings as they were loaded, where there are any
files.csv               what each file is, where that was said or found out
SHA256SUMS              the digest of every other file; sha256sum -c SHA256SUMS compares them
inputs/                 gold and submissions, byte for byte, where the organiser chose to publish them

To check the numbers against the inputs:

    pip install shared-task-auditor=={version}
    audit verify bundle.zip --inputs FOLDER
"""


def bundle_files(
    evaluation: Evaluation,
    campaign: Campaign,
    texts: Mapping[str, str],
    *,
    include_inputs: bool,
    for_readers: bool = False,
) -> dict[str, bytes]:
    """The files of the archive, by name; the texts are those of the readers' edition where it is for them."""
    inputs = input_files(campaign)
    files = {
        README: readme(),
        JOURNAL: encoded(to_json(_journal(evaluation))),
        **{name: encoded(text) for name, text in texts.items()},
    }
    manifest = _manifest(evaluation, inputs, include_inputs=include_inputs)
    if for_readers:
        manifest[EDITION] = FOR_READERS
    files[MANIFEST] = encoded(to_json(manifest | {SEAL: seal_of(manifest, files)}))
    if campaign.settings is not None:
        files[SETTINGS] = campaign.settings.content
    if campaign.roster is not None:
        files[FILES] = campaign.roster.content
    if include_inputs:
        files |= {f"{INPUTS}{path}": source.content for path, source in inputs.items()}
    return {**files, SUMS: sums(files)}


def seal_of(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> str:
    """The digest of all that a manifest states but itself, its versions too, and of the documents beside it."""
    stated = {name: value for name, value in manifest.items() if name != SEAL}
    sealed = {
        MANIFEST: encoded(to_json(stated)),
        **{name: files[name] for name in (EVALUATION, JOURNAL)},
    }
    return hashlib.sha256(sums(sealed)).hexdigest()


def readme() -> bytes:
    """The README of an archive: its content, and how to check it."""
    return encoded(BUNDLE_README.format(version=__version__))


def sums(files: Mapping[str, bytes]) -> bytes:
    r"""The digest of every file, as ``sha256sum`` writes and reads them: a line for each, by name.

    >>> sums({"a": b"1"}).decode()
    '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  a\n'
    """
    return encoded(
        "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    )


def digests_of(listing: str) -> dict[str, str]:
    """The digest of each file by its name, read back from what :func:`sums` wrote."""
    pairs = (line.split("  ", 1) for line in listing.splitlines())
    return {name: digest for digest, name in pairs}


def input_files(campaign: Campaign) -> dict[str, SourceFile]:
    """The files that a campaign was read from, by path: settings and what they name, gold, its groups, submissions."""
    of_submissions = (submission.source for submission in campaign.submissions)
    of_gold = campaign.gold.source, campaign.gold.group_file
    named = (
        campaign.label_names_file,
        campaign.roster,
        *(table.source for table in campaign.published),
    )
    sources = campaign.settings, *named, *of_gold, *of_submissions
    every = (*sources, *campaign.further_files)
    return {source.path: source for source in every if source is not None}


def encoded(text: str) -> bytes:
    """Text as UTF-8; what no UTF-8 can hold, from the name of a file, becomes an escape."""
    return text.encode("utf-8", "backslashreplace")


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """A zip of the files, sorted by name and without a clock: the same files give the same bytes.

    >>> zip_bytes({"b": b"2", "a": b"1"}) == zip_bytes({"a": b"1", "b": b"2"})
    True
    """
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.compress_type, entry.create_system, entry.external_attr = (
                zipfile.ZIP_DEFLATED,
                _UNIX,
                _PLAIN_FILE,
            )
            archive.writestr(entry, files[name])
    return target.getvalue()


def platform_name() -> str:
    """The machine's kind, and its C library: between two of them the last digits of a number may differ."""
    return "-".join(filter(None, (sys.platform, platform.machine(), "".join(platform.libc_ver()))))


def _manifest(
    evaluation: Evaluation, inputs: Mapping[str, SourceFile], *, include_inputs: bool
) -> dict[str, Any]:
    task = evaluation.task
    return {
        "format": BUNDLE_FORMAT,
        **picked(task, task="slug", title="title", part="part"),
        "signature": evaluation.signature,
        "versions": versions(),
        "platform": platform_name(),
        "commands": _commands(evaluation),
        "settings": picked(task.policies, "missing", "unusable") | asdict(evaluation.options),
        "inputs": [
            {"path": path, **picked(source, "size", "sha256")}
            for path, source in sorted(inputs.items())
        ],
        "inputs_included": include_inputs,
        "rejected": [
            {"path": rejection.path, "issues": [issue.slug for issue in rejection.issues]}
            for rejection in evaluation.rejections
        ],
    }


def _commands(evaluation: Evaluation) -> list[str]:
    """The exact commands that compute the numbers again; FOLDER stands for the inputs."""
    return [
        INSTALL,
        f"audit load FOLDER{load_options(evaluation)}",
        f"audit evaluate{evaluation_options(evaluation)} --json {shlex.quote(evaluation.task.slug)}",
    ]


def _journal(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "journal": [
            picked(step, "action", "subject", "text", "count") for step in evaluation.journal
        ],
        "assumptions": list(evaluation.task.assumptions),
        "issues": [
            picked(issue, *_OF_ISSUES) for entry in evaluation.runs for issue in entry.issues
        ],
        "rejected": [
            {
                "file": rejection.path,
                "issues": [picked(issue, *_OF_ISSUES) for issue in rejection.issues],
            }
            for rejection in evaluation.rejections
        ],
        "ignored": list(evaluation.ignored),
        "runs_not_shown": [
            picked(run, "team", "run", file="path", reason="reason") for run in evaluation.uncounted
        ],
    }


# evaluation.json

DOCUMENT_FORMAT = 1
"""Counts up when a field goes, or means something else; a new field comes with a new schema of the same number."""

SCHEMA_FILE = "evaluation.schema.json"


def evaluation_document(evaluation: Evaluation, items: GoldItems | None = None) -> dict[str, Any]:
    """The evaluation as it stands in ``evaluation.json``."""
    return {
        "format": DOCUMENT_FORMAT,
        "program": __version__,
        **evaluation_data(evaluation),
        "confusions": _confusions(evaluation),
        "per_item": None if items is None else items_data(items),
    }


def _confusions(evaluation: Evaluation) -> dict[str, Any]:
    """Every entry's cells, by its name; nothing where there are no labels."""
    if not evaluation.task.label_set.supports(Feature.CLASSES):
        return {}
    return {
        name: confusion_rows(evaluation.cells.of_teams([team]))
        for team, name in enumerate(evaluation.names)
    }


def evaluation_texts(document: Mapping[str, Any]) -> dict[str, str]:
    """The document of an evaluation and its schema as texts, by the names of their files."""
    return {EVALUATION: to_json(document), SCHEMA_FILE: schema_text()}


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) of ``evaluation.json``."""
    return Path(__file__).with_name(SCHEMA_FILE).read_text(encoding="utf-8")
