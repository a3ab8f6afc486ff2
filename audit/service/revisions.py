"""The files of a campaign, one revision after the other: what was received, removed, written.

A revision says what changes in the one before it. Reading it, a job unpacks what was packed and says what is in it. One
whose reading failed or was cancelled changes nothing: the next one is read on top of the last that was read.
Nobody overwrites what they have not seen: a change names the revision that it was made in view of.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from audit.service.control_tables import CAMPAIGN, PERSON, RELEASE, REVISION, UPLOAD
from audit.service.credentials import in_days, new_id, now
from audit.service.events import keep_event
from audit.service.files import Stored, checked_path
from audit.service.hosted_campaigns import Hosted
from audit.service.people import Person
from audit.service.queue import READ, Job, ask_for, open_jobs
from audit.service.rules import ConflictError, NotFoundError, RefusedError
from audit.text import plural, visible

_MOST_FILES = 20_000


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was received and is in no revision yet, or in some."""

    id: str  # the id by which a change names the upload
    path: str  # the path of the file in the campaign
    stored: Stored  # the digest and size of its bytes


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Which file is gold and which are submissions, as somebody named them: the plain door decides the rest."""

    gold: str  # the path of the gold file
    submissions: tuple[str, ...] = ()  # paths of files and folders; empty: all other files
    id: str | None = None  # the column of item ids, where the door asked for it
    label: str | None = None  # the column of labels, where the door asked for it


@dataclass(frozen=True, slots=True)
class FileChange:
    """The change of files from one revision to the next."""

    added: Mapping[str, Stored]  # files by their paths; a file that stood there is replaced
    removed: tuple[str, ...] = ()
    """Paths that are no longer part of the campaign; the files are kept."""
    unpack: bool = True
    """Whether an archive at the top, alone in the change, is the campaign's folder."""
    restores: int | None = None
    """The revision whose files are to be the campaign's again, all and no other, if any."""
    named: NamedFiles | None = None
    """Gold and submissions, from which its reading writes task.toml and files.csv."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The files of a campaign at one time."""

    number: int  # the number of the revision, from 1
    made_at: str  # the time of the change, in UTC
    by: str  # the name of the person whose change it is
    note: str  # the change in words
    change: FileChange  # the change of files
    files: Mapping[str, Stored] | None
    """Every file; None until it has been read, and where their space was freed."""
    findings: Mapping[str, Any] | None  # what was found in them; None until then


def keep_upload(
    connection: Connection, campaign: str, person: Person, path: str, stored: Stored
) -> Upload:
    """Keep that a file was received."""
    upload = Upload(new_id(), checked_path(path), stored)
    row = {
        "id": upload.id,
        "campaign": campaign,
        "person": person.id,
        "path": upload.path,
        "received_at": now(),
    }
    connection.execute(insert(UPLOAD).values(**row, **asdict(stored)))
    keep_event(
        connection, campaign, person.id, "uploaded a file", path=upload.path, **asdict(stored)
    )
    return upload


def forget_abandoned(connection: Connection, campaign: str) -> set[str]:
    """Forget uploads of more than a day ago that nothing names; the digests of bytes that are not needed any more."""
    rows = connection.execute(select(UPLOAD).where(UPLOAD.c.campaign == campaign)).all()
    old = {row.id: row.sha256 for row in rows if row.received_at < in_days(-1)}
    needed = {row.sha256 for row in rows if row.id not in old}
    for revision in revisions_of(connection, campaign) if old else ():
        needed |= _digests((revision.change.added, revision.files or {}))
    for job in open_jobs(connection, campaign):
        needed.add(job.arguments.get("table", {}).get("sha256"))
    abandoned = {upload: digest for upload, digest in old.items() if digest not in needed}
    connection.execute(delete(UPLOAD).where(UPLOAD.c.id.in_(abandoned)))
    return set(abandoned.values())


def forget_earlier(connection: Connection, hosted: Hosted, person: Person) -> set[str]:
    """Forget the files of earlier revisions that no release is of; the digests of bytes that nothing needs any more.

    The revisions stay in the history. What was unpacked is needed, and the archive that it came in is not.
    """
    if open_jobs(connection, hosted.id):
        raise ConflictError(
            "Jobs of this campaign wait or run, and may need these files. Try again when they are done."
        )
    every = revisions_of(connection, hosted.id)
    evaluated = connection.execute(
        select(RELEASE.c.revision).where(RELEASE.c.campaign == hosted.id)
    ).scalars()
    last_read = [each.number for each in every if each.files is not None][:1]
    kept = {hosted.head, *last_read, *evaluated}
    kept |= {
        each.change.restores
        for each in every
        if each.number in kept and each.change.restores is not None
    }
    named = _digests(each.change.added for each in every) | _digests(
        each.files or {} for each in every
    )
    uploads = connection.execute(
        select(UPLOAD.c.sha256).where(UPLOAD.c.campaign == hosted.id)
    ).scalars()
    needed = _digests(
        each.change.added if each.files is None else each.files
        for each in every
        if each.number in kept
    )
    needed |= set(uploads) - named  # those that a change under way will name
    gone = named - needed
    forgotten = [each for each in every if each.files and each.number not in kept]
    for digest in gone:
        connection.execute(
            delete(UPLOAD).where(UPLOAD.c.campaign == hosted.id, UPLOAD.c.sha256 == digest)
        )
    its = (
        REVISION.c.campaign == hosted.id,
        REVISION.c.number.in_([each.number for each in forgotten]),
    )
    connection.execute(update(REVISION).where(*its).values(files=None))
    keep_event(
        connection,
        hosted.id,
        person.id,
        "gave back the space of earlier revisions",
        revisions=len(forgotten),
    )
    return gone


def _digests(files: Iterable[Mapping[str, Stored]]) -> set[str]:
    return {stored.sha256 for each in files for stored in each.values()}


def uploads_by_id(connection: Connection, campaign: str, ids: Sequence[str]) -> dict[str, Upload]:
    """The uploads of a campaign with these ids, in the order of the ids."""
    rows = connection.execute(
        select(UPLOAD).where(UPLOAD.c.campaign == campaign, UPLOAD.c.id.in_(ids))
    )
    uploads = {row.id: Upload(row.id, row.path, Stored(row.sha256, row.size)) for row in rows}
    if len(uploads) != len(set(ids)):
        raise NotFoundError("One of the uploads is not there. Upload the files again.")
    return {each: uploads[each] for each in ids}


def change_files(  # noqa: PLR0913 - a change, by whom, in view of what
    connection: Connection,
    hosted: Hosted,
    person: Person,
    change: FileChange,
    *,
    base: int,
    note: str,
) -> tuple[int, Job]:
    """Make the next revision, and queue its reading."""
    is_empty = not change.added and not change.removed
    if is_empty and change.restores is None and change.named is None:
        raise RefusedError("Nothing changes: there is no file to add, and none to remove.")
    if len(change.added) > _MOST_FILES:
        raise RefusedError(f"At most {_MOST_FILES:,} files at once. Put them into an archive.")
    taken = update(CAMPAIGN).where(CAMPAIGN.c.id == hosted.id, CAMPAIGN.c.head == base)
    if connection.execute(taken.values(head=base + 1)).rowcount == 0:
        raise ConflictError(_conflict_message(connection, hosted.id, base))
    row = {
        "campaign": hosted.id,
        "number": base + 1,
        "person": person.id,
        "made_at": now(),
        "note": note,
    }
    data = {name: value for name, value in asdict(change).items() if value is not None}
    connection.execute(insert(REVISION).values(**row, change=json.dumps(data)))
    keep_event(connection, hosted.id, person.id, "changed files", revision=base + 1, note=note)
    return base + 1, ask_for(connection, hosted.id, person.id, READ, revision=base + 1)


def _conflict_message(connection: Connection, campaign: str, base: int) -> str:
    later = [each for each in revisions_of(connection, campaign) if each.number > base]
    changes = "; ".join(f"{each.by}: {each.note}" for each in later[:5])
    return (
        f"The files were changed since this page was opened ({changes}). Your change was not made: look at the files "
        "as they are now, and make it again."
    )


def restored(earlier: Revision, newest: Revision, paths: Sequence[str] | None = None) -> FileChange:
    """The change that takes up an earlier revision: whole, or some of its files beside those that are there."""
    if earlier.files is None:
        raise RefusedError(
            f"Revision {earlier.number} was never read, or its space was freed: nothing can be restored."
        )
    if paths is None:
        if earlier.files == newest.files:
            raise RefusedError(
                f"Nothing changes: the files are those of revision {earlier.number} already."
            )
        return FileChange({}, unpack=False, restores=earlier.number)
    if any(path not in earlier.files for path in paths):
        raise NotFoundError(f"One of these files is not in revision {earlier.number}.")
    return FileChange({path: earlier.files[path] for path in paths}, unpack=False)


def restored_in_words(change: FileChange, earlier: Revision) -> str:
    """A change that brings files back, in words for the log."""
    if change.restores is not None:
        return f"revision {earlier.number} restored"
    if len(change.added) == 1:
        files = next(iter(change.added))
    else:
        files = plural(len(change.added), "file")
    return f"{visible(files, 400)} brought back from revision {earlier.number}"


def differences(
    earlier: Mapping[str, Stored], newest: Mapping[str, Stored]
) -> dict[str, list[str]]:
    """The paths by which two revisions differ: those that have other bytes now, are gone, and were not there yet.

    >>> one, other = Stored("a", 1), Stored("b", 1)
    >>> differences({"x": one, "y": one, "z": one}, {"x": one, "y": other, "w": one})
    {'replaced': ['y'], 'gone': ['z'], 'new': ['w']}
    """
    return {
        "replaced": [path for path in earlier if path in newest and newest[path] != earlier[path]],
        "gone": [path for path in earlier if path not in newest],
        "new": [path for path in newest if path not in earlier],
    }


def files_from(data: Mapping[str, Any]) -> dict[str, Stored]:
    """Files as JSON has them."""
    return {path: Stored(**stored) for path, stored in data.items()}


def revisions_of(connection: Connection, campaign: str) -> list[Revision]:
    """Every revision of the files, the newest first."""
    query = select(REVISION, PERSON.c.name.label("by")).join(
        PERSON, PERSON.c.id == REVISION.c.person
    )
    rows = connection.execute(
        query.where(REVISION.c.campaign == campaign).order_by(REVISION.c.number.desc())
    )
    return list(map(_revision, rows))


def revision_of(connection: Connection, campaign: str, number: int) -> Revision:
    """One revision: every file, and what was found in them."""
    query = select(REVISION, PERSON.c.name.label("by")).join(
        PERSON, PERSON.c.id == REVISION.c.person
    )
    row = connection.execute(
        query.where(REVISION.c.campaign == campaign, REVISION.c.number == number)
    ).first()
    if row is None:
        raise NotFoundError("There is no such revision of the files.")
    return _revision(row)


def files_before(connection: Connection, campaign: str, number: int) -> Mapping[str, Stored]:
    """The files before a revision: those of the last one that was read, or of the one that it restores."""
    read = [each for each in revisions_of(connection, campaign) if each.files is not None]
    if any(each.number > number for each in read):
        raise RefusedError(
            "The files were changed again since then. Add to the newest files what is missing in them."
        )
    restores = revision_of(connection, campaign, number).change.restores
    if restores is None:
        last = number - 1
    else:
        last = restores
    return next((each.files for each in read if each.number <= last and each.files is not None), {})


def read_revision(
    connection: Connection, campaign: str, number: int
) -> tuple[Revision, Mapping[str, Stored]]:
    """A revision that can be evaluated, and its files."""
    revision = revision_of(connection, campaign, number)
    if revision.files is not None:
        return revision, revision.files
    if any(
        each.kind == READ and each.arguments["revision"] == number
        for each in open_jobs(connection, campaign)
    ):
        raise RefusedError("These files are still being read. Evaluate them once that is done.")
    raise RefusedError(
        "These files could not be read, or their reading was cancelled: repeat that first."
    )


def _revision(row: Row[Any]) -> Revision:
    change = json.loads(row.change)
    named = change.get("named")
    if named is not None:
        named = NamedFiles(**{**named, "submissions": tuple(named["submissions"])})
    return Revision(
        number=row.number,
        made_at=row.made_at,
        by=row.by,
        note=row.note,
        change=FileChange(
            files_from(change["added"]),
            tuple(change["removed"]),
            change["unpack"],
            change.get("restores"),
            named,
        ),
        files=None if row.files is None else files_from(json.loads(row.files)),
        findings=None if row.findings is None else json.loads(row.findings),
    )


def keep_reading(
    connection: Connection,
    campaign: str,
    number: int,
    files: Mapping[str, Stored],
    findings: Mapping[str, Any],
) -> None:
    """Keep what a job found in a revision."""
    listing = json.dumps({path: asdict(stored) for path, stored in files.items()})
    chosen = (REVISION.c.campaign == campaign, REVISION.c.number == number)
    values = {"files": listing, "findings": json.dumps(findings)}
    connection.execute(update(REVISION).where(*chosen).values(**values))
