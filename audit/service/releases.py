"""Releases: what one evaluation gave, never overwritten; publishing one is a dated act; links show it to others."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from audit.service.control_tables import (
    CAMPAIGN,
    PERSON,
    RELEASE,
    RELEASE_PART,
    SHARE_LINK,
    WITHDRAWAL,
)
from audit.service.credentials import digest_of, in_days, new_id, new_secret, now
from audit.service.events import keep_event
from audit.service.files import DataFolder
from audit.service.hosted_campaigns import Hosted
from audit.service.people import Person, Secret
from audit.service.queue import ANONYMISE, DIFFER, Job, ask_for, follow_up, last_done, open_jobs
from audit.service.rules import Act, NotFoundError, RefusedError, may

ENDINGS: Mapping[str, str] = {
    "report": ".html",
    "document": ".json",
    "export": "-export.zip",
    "bundle": "-bundle.zip",
    # what a test set's files end in. None is the end of another, so that names are alike only where slug and kind are
}
# what sums up several test sets; no slug has the mark that it begins with
SUMMARY = "~summary.html"
# bytes of a slug in a file's name: file systems take 255, and an ending and .part stand behind it
WHOLE_DIFFERENCE = "~whole.json"  # what became of several test sets together since another release
_LONGEST = 180
_DIGITS = 16


def artefact_name(slug: str, kind: str) -> str:
    """The name of a file of a test set.

    >>> artefact_name("words", "report"), artefact_name("words", "bundle")
    ('words.html', 'words-bundle.zip')
    >>> name = artefact_name("д" * 150, "report")
    >>> len(name.encode()), name[90:]
    (202, '~33f89e9fa64efb3a.html')
    """
    data = slug.encode("utf-8")
    if len(data) > _LONGEST:
        slug = f"{data[:_LONGEST].decode('utf-8', 'ignore')}~{hashlib.sha256(data).hexdigest()[:_DIGITS]}"
    return slug + ENDINGS[kind]


def readers_edition(report: Path) -> Path:
    """Where the readers' edition of a report stands: without what organisers have to do.

    >>> readers_edition(Path("words.html")).name
    '~readers-words.html'
    """
    return report.with_name(f"~readers-{report.name}")


LINK_DAYS = 365


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """That a published release was taken back."""

    at: str  # the time of the withdrawal, in UTC
    reason: str  # why it was withdrawn, as readers see it


@dataclass(frozen=True, slots=True)
class Release:
    """The result of one evaluation of a campaign."""

    campaign: str  # the id of the campaign
    number: int  # the number of the release, from 1
    revision: int  # the revision of the files that were evaluated
    folder: str  # the folder of the release, relative to the campaign's
    parts: Mapping[str, str]
    """Folders of what was made of it afterwards, below the campaign's, by the kind of job."""
    signatures: Mapping[str, str]  # the signature of each test set, by its slug
    summary: Mapping[str, Any]  # titles, verdicts and artefacts, as the job wrote them
    made_at: str  # the time when it was made, in UTC
    published_at: str | None  # the time when it was published, in UTC; None where it was not
    withdrawn: Withdrawal | None = None  # when and why it was withdrawn; None where it was not

    @property
    def is_public(self) -> bool:
        """Whether readers see it: it is published, and was not withdrawn."""
        return self.published_at is not None and self.withdrawn is None

    def for_readers(self) -> Self:
        """The release without what organisers have to do."""
        tasks = [_task_for_readers(task) for task in self.summary["tasks"]]
        summary = {**self.summary, "tasks": tasks}
        if summary.get("whole"):
            summary["whole"] = {**summary["whole"], "to_do": []}
        return replace(self, summary=summary)


def _task_for_readers(task: Mapping[str, Any]) -> dict[str, Any]:
    shown = {**task, "to_do": []}
    if "verdict" in task:
        shown["verdict"] = {**task["verdict"], "to_do": []}
    return shown


def _release(connection: Connection, row: Row[Any]) -> Release:
    its = (RELEASE_PART.c.campaign == row.campaign, RELEASE_PART.c.release == row.number)
    parts = connection.execute(select(RELEASE_PART.c.kind, RELEASE_PART.c.folder).where(*its))
    return Release(
        campaign=row.campaign,
        number=row.number,
        revision=row.revision,
        folder=row.folder,
        parts={part.kind: part.folder for part in parts},
        signatures=json.loads(row.signatures),
        summary=json.loads(row.summary),
        made_at=row.made_at,
        published_at=row.published_at,
        withdrawn=_withdrawal(connection, row) if row.published_at else None,
    )


def _withdrawal(connection: Connection, row: Row[Any]) -> Withdrawal | None:
    chosen = (WITHDRAWAL.c.campaign == row.campaign, WITHDRAWAL.c.release == row.number)
    found = connection.execute(select(WITHDRAWAL).where(*chosen)).first()
    if found is None:
        return None
    return Withdrawal(found.at, found.reason)


def keep_release(connection: Connection, job: Job, folder: str, result: Mapping[str, Any]) -> int:
    """Keep what an evaluation gave, in the transaction that ends its job."""
    newest = select(func.coalesce(func.max(RELEASE.c.number), 0)).where(
        RELEASE.c.campaign == job.campaign
    )
    number = int(connection.execute(newest).scalar_one()) + 1
    row = {
        "campaign": job.campaign,
        "number": number,
        "revision": job.arguments["revision"],
        "job": job.number,
    }
    texts = {"signatures": json.dumps(result["signatures"]), "summary": json.dumps(result)}
    connection.execute(insert(RELEASE).values(**row, **texts, folder=folder, made_at=now()))
    keep_event(
        connection, job.campaign, job.person, "evaluated", release=number, revision=row["revision"]
    )
    return number


def keep_part(connection: Connection, job: Job, folder: str) -> None:
    """Keep what a job made of a release, in the transaction that ends it; the newest counts."""
    its = {"campaign": job.campaign, "release": job.arguments["release"], "kind": job.kind}
    connection.execute(
        delete(RELEASE_PART).where(*(RELEASE_PART.c[name] == value for name, value in its.items()))
    )
    connection.execute(insert(RELEASE_PART).values(**its, folder=folder))


def releases_of(connection: Connection, campaign: str) -> list[Release]:
    """Every release of a campaign, the newest first."""
    query = select(RELEASE).where(RELEASE.c.campaign == campaign).order_by(RELEASE.c.number.desc())
    return [_release(connection, row) for row in connection.execute(query).all()]


def kept_folders(connection: Connection, campaign: str) -> set[str]:
    """The folders of a campaign's releases, and of what was made of them."""
    tables = (RELEASE, RELEASE_PART)
    queries = (select(table.c.folder).where(table.c.campaign == campaign) for table in tables)
    return {folder for query in queries for folder in connection.execute(query).scalars()}


def release_of(connection: Connection, campaign: str, number: int) -> Release:
    """The release of a campaign with this number."""
    row = connection.execute(
        select(RELEASE).where(RELEASE.c.campaign == campaign, RELEASE.c.number == number)
    ).first()
    if row is None:
        raise NotFoundError("There is no such release.")
    return _release(connection, row)


def release_for(connection: Connection, hosted: Hosted, number: int) -> Release:
    """One release: verdicts, findings, and what was made of it; readers see what is published, and nothing else."""
    release = release_of(connection, hosted.id, number)
    if may(hosted.role, Act.READ_DRAFTS):
        return release
    if release.is_public:
        return release.for_readers()
    if release.withdrawn is not None:
        raise NotFoundError(withdrawn_in_words(release))
    raise NotFoundError("There is no such release.")


def withdrawn_in_words(release: Release) -> str:
    """That a release was withdrawn, when, and why."""
    if release.withdrawn is None:
        return ""
    day = f"{datetime.fromisoformat(release.withdrawn.at):%-d %B %Y}"
    return f"Release {release.number} was withdrawn on {day}: {release.withdrawn.reason}"


def withdrawn_of(connection: Connection, campaign: str) -> list[Release]:
    """The releases that were withdrawn, the newest first."""
    return [each for each in releases_of(connection, campaign) if each.withdrawn]


def releases_for(connection: Connection, hosted: Hosted) -> list[Release]:
    """Every release that a member may see, the newest first: readers see those that are published."""
    every = releases_of(connection, hosted.id)
    if may(hosted.role, Act.READ_DRAFTS):
        return every
    return [each.for_readers() for each in every if each.is_public]


def former_of(connection: Connection, release: Release) -> Release | None:
    """The release that one was compared with last; None where it was with none."""
    if DIFFER in release.parts:
        job = last_done(connection, release.campaign, DIFFER, release.number)
    else:
        job = None
    if job is None:
        return None
    return release_of(connection, job.campaign, job.arguments["former"])


def release_folder(data: DataFolder, release: Release) -> Path:
    """The folder with the files of a release."""
    return data.of_campaign(release.campaign) / "releases" / release.folder


def publish(connection: Connection, hosted: Hosted, person: Person, number: int) -> Release:
    """Publish a release, once: a dated act, which stays. What became of the one published before is worked out."""
    release = release_for(connection, hosted, number)
    chosen = (RELEASE.c.campaign == release.campaign, RELEASE.c.number == release.number)
    first = update(RELEASE).where(*chosen, RELEASE.c.published_at.is_(None))
    if connection.execute(first.values(published_at=now(), published_by=person.id)).rowcount == 0:
        return release
    keep_event(connection, release.campaign, person.id, "published", release=release.number)
    earlier = [
        each for each in releases_of(connection, release.campaign) if each.number < release.number
    ]
    before = next((each.number for each in earlier if each.is_public), None)
    former = former_of(connection, release)
    # readers know no draft between the two
    if before is not None and (former is None or former.number != before):
        follow_up(
            connection, release.campaign, person.id, DIFFER, release=release.number, former=before
        )
    _make_nameless(connection, hosted, person, release)
    return release_for(connection, hosted, number)


def _make_nameless(
    connection: Connection, hosted: Hosted, person: Person, release: Release
) -> None:
    """Have the reports with numbers for teams made, where an earlier release is shared so: its link leads here."""
    is_shared_so = any(
        link.anonymous and link.release < release.number for link in links_of(connection, hosted.id)
    )
    if is_shared_so and ANONYMISE not in release.parts:
        ask_for(
            connection, hosted.id, person.id, ANONYMISE, release=release.number, salt=new_secret()
        )


def withdraw(
    connection: Connection, hosted: Hosted, person: Person, number: int, reason: str
) -> Release:
    """Withdraw a published release: readers no longer see it, but that it was withdrawn, when, and why."""
    release = release_for(connection, hosted, number)
    reason = " ".join(reason.split())
    if not release.is_public:
        raise RefusedError("Only a release that is published can be withdrawn.")
    if not reason:
        raise RefusedError("Say why the release is withdrawn: readers see the reason.")
    row = {
        "campaign": release.campaign,
        "release": number,
        "person": person.id,
        "at": now(),
        "reason": reason,
    }
    connection.execute(insert(WITHDRAWAL).values(**row))
    keep_event(connection, release.campaign, person.id, "withdrew", release=number, reason=reason)
    return release_for(connection, hosted, number)


@dataclass(frozen=True, slots=True)
class ShareLink:
    """A link by which others read one release, without its secret."""

    id: str  # the id by which the link is revoked
    release: int  # the number of the release
    anonymous: bool  # whether teams are shown by numbers alone
    by: str  # the name of the person who made it
    made_at: str  # the time when it was made, in UTC
    expires_at: str  # the time from which it shows nothing, in UTC


def make_link(
    connection: Connection, hosted: Hosted, person: Person, release: int, *, anonymous: bool
) -> Secret:
    """A link by which others read one release: /shared/SECRET. Reports with numbers for teams are made once."""
    shared = release_for(connection, hosted, release)
    waiting = [
        each.arguments for each in open_jobs(connection, hosted.id) if each.kind == ANONYMISE
    ]
    if (
        anonymous
        and ANONYMISE not in shared.parts
        and not any(each["release"] == release for each in waiting)
    ):
        ask_for(connection, hosted.id, person.id, ANONYMISE, release=release, salt=new_secret())
    secret = new_secret()
    link = new_id()
    row = {"id": link, "digest": digest_of(secret), "campaign": hosted.id, "release": release}
    by = {
        "anonymous": int(anonymous),
        "made_by": person.id,
        "made_at": now(),
        "expires_at": in_days(LINK_DAYS),
    }
    connection.execute(insert(SHARE_LINK).values(**row, **by))
    details = {"release": release, "anonymous": anonymous, "link": link}
    keep_event(connection, hosted.id, person.id, "made a link", **details)
    return Secret(secret)


def links_of(connection: Connection, campaign: str) -> list[ShareLink]:
    """The links of a campaign that still work, the oldest first, without their secrets."""
    good = (SHARE_LINK.c.revoked_at.is_(None), SHARE_LINK.c.expires_at > now())
    query = select(SHARE_LINK, PERSON.c.name).join(PERSON, PERSON.c.id == SHARE_LINK.c.made_by)
    rows = connection.execute(
        query.where(SHARE_LINK.c.campaign == campaign, *good).order_by(SHARE_LINK.c.made_at)
    )
    return [
        ShareLink(row.id, row.release, bool(row.anonymous), row.name, row.made_at, row.expires_at)
        for row in rows
    ]


def revoke_link(connection: Connection, person: Person, campaign: str, link: str) -> None:
    """End a link."""
    good = (
        SHARE_LINK.c.id == link,
        SHARE_LINK.c.campaign == campaign,
        SHARE_LINK.c.revoked_at.is_(None),
    )
    if connection.execute(update(SHARE_LINK).where(*good).values(revoked_at=now())).rowcount == 0:
        raise NotFoundError("There is no such link.")
    keep_event(connection, campaign, person.id, "revoked a link", link=link)


def shared_by(connection: Connection, secret: str) -> tuple[Release, bool]:
    """The release that a link shows, and whether teams are anonymous in it."""
    good = (
        SHARE_LINK.c.revoked_at.is_(None),
        SHARE_LINK.c.expires_at > now(),
        CAMPAIGN.c.removed_at.is_(None),
    )
    query = select(SHARE_LINK).join(CAMPAIGN, CAMPAIGN.c.id == SHARE_LINK.c.campaign)
    row = connection.execute(query.where(SHARE_LINK.c.digest == digest_of(secret), *good)).first()
    if row is None:
        raise NotFoundError("This link was revoked, has expired, or never was.")
    return release_of(connection, row.campaign, row.release), bool(row.anonymous)
