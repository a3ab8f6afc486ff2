"""Turn a job of the queue into the order for its child process."""

import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from audit.service.child import ANONYMISE, ASK, DIFFER, EVALUATE, EXPORT, READ, STORE, Limits, Work
from audit.service.files import DataFolder
from audit.service.hosted_campaigns import title_of
from audit.service.queue import Job
from audit.service.releases import Release, release_of, releases_of
from audit.service.revisions import files_before, read_revision, revision_of

_LONGEST = 200  # bytes: file systems take 255


def work_of(connection: Connection, data: DataFolder, job: Job, place: Path, limits: Limits) -> Work:
    """The order for the child process of an attempt."""
    title = title_of(connection, job.campaign)
    content = str(data.of_campaign(job.campaign))
    arguments = _ARGUMENTS[job.kind](connection, data, job)
    return Work(job.kind, folder_name(title), content, str(place), arguments, limits)


def folder_name(title: str) -> str:
    """The name of the campaign's folder, which gives slug and title where task.toml states none.

    >>> folder_name("Ann's task: flood (2031)"), folder_name("../a/b")
    ("Ann's task: flood (2031)", 'a-b')
    """
    cut = re.sub(r"[/\\\0-\x1f\x7f]+", "-", title).strip(" .-").encode("utf-8")[:_LONGEST]
    return cut.decode("utf-8", "ignore").rstrip() or "campaign"


def release_folder(data: DataFolder, release: Release) -> Path:
    """The folder with the files of a release."""
    return data.of_campaign(release.campaign) / "releases" / release.folder


def _reading(connection: Connection, _: DataFolder, job: Job) -> Mapping[str, Any]:
    number = job.arguments["revision"]
    before = files_before(connection, job.campaign, number)
    change = revision_of(connection, job.campaign, number).change
    return {
        "files": {path: asdict(stored) for path, stored in before.items()},
        "added": {path: asdict(stored) for path, stored in change.added.items()},
        "removed": list(change.removed),
        "unpack": change.unpack,
    }


def _evaluating(connection: Connection, data: DataFolder, job: Job) -> Mapping[str, Any]:
    _, files = read_revision(connection, job.campaign, job.arguments["revision"])
    releases = releases_of(connection, job.campaign)
    return {
        "files": {path: asdict(stored) for path, stored in files.items()},
        "skip_rejected": job.arguments["skip_rejected"],
        "former_store": str(release_folder(data, releases[0]) / STORE) if releases else None,
    }


def _of_release(connection: Connection, data: DataFolder, job: Job) -> Mapping[str, Any]:
    """The arguments of a job, with the store of its release and the loads of its test sets."""
    release = release_of(connection, job.campaign, job.arguments["release"])
    return {**job.arguments, "store": str(release_folder(data, release) / STORE), "loads": _loads(release)}


def _differing(connection: Connection, data: DataFolder, job: Job) -> Mapping[str, Any]:
    former = release_of(connection, job.campaign, job.arguments["former"])
    return {**_of_release(connection, data, job), "former_loads": _loads(former)}


def _loads(release: Release) -> Mapping[str, int]:
    return {task["slug"]: task["load"] for task in release.summary["tasks"]}


_ARGUMENTS = {
    READ: _reading,
    EVALUATE: _evaluating,
    ANONYMISE: _of_release,
    EXPORT: _of_release,
    DIFFER: _differing,
    ASK: _of_release,
}
