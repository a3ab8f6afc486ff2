"""Campaign and evaluation → rows: what changed is added, and what it replaces is kept as history.

An evaluation is kept as its document, whole; views of the schema read it for those who ask in SQL. The store computes
nothing and reads nothing of this back, and so data go one way only.
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from audit.domain import Campaign, Evaluation, Gold, SourceFile, Submission
from audit.errors import AnotherTaskError, SupersededError, UsageError
from audit.store.column_types import json_text, plain
from audit.store.loading import existing
from audit.store.packing import (
    canonical_campaign,
    fingerprint_of_campaign,
    fingerprint_of_submission,
    gold_digest,
    packed_numbers,
    words_of_load,
    words_of_submission,
)
from audit.store.sqlite_file import check_pages, damage_in
from audit.store.tables import (
    Base,
    EvaluationRow,
    GoldRow,
    ItemRow,
    LoadFileRow,
    LoadRow,
    SourceFileRow,
    SubmissionRow,
    TaskRow,
)
from audit.text import quoted
from audit.version import __version__

Value = TypeVar("Value")
FileIds = Mapping[str, int]  # the row of each original file, by the SHA-256 of its bytes
Name = tuple[str, str | None]  # a submission's team and run, which tell a task's submissions apart

_REPLACED = (
    "The store has a task {0} with other items and other teams, of which none is in this "
    "folder: it would be replaced."
)
_BATCH = 50  # files or submissions that are turned into rows at once


@dataclass(frozen=True)
class LoadSummary:
    """The changes that a load made."""

    created: bool
    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    gold_changed: bool = False

    @property
    def n_submissions(self) -> int:
        """Submissions of the campaign as it is now."""
        return len(self.added) + len(self.replaced) + len(self.unchanged)

    @property
    def n_retired(self) -> int:
        """Submissions that went into history."""
        return len(self.replaced) + len(self.removed)


def shown(name: Name) -> str:
    """TEAM, or TEAM/RUN where there is a run.

    >>> shown(("UIUC", None)), shown(("UIUC", "2"))
    ('UIUC', 'UIUC/2')
    """
    team, run = name
    if run is None:
        return team
    return f"{team}/{run}"


def save(
    session: Session, campaigns: Sequence[Campaign], path: Path, keep: Collection[str] = ()
) -> tuple[LoadSummary, ...]:
    """Make each campaign what the store holds of its task."""
    counts = Counter(campaign.task.slug for campaign in campaigns)
    twice = [slug for slug, count in counts.items() if count > 1]
    if twice:
        raise UsageError(f"Two of the campaigns to be saved are of one task, {quoted(twice[0])}.")
    prepared = [_prepared(campaign) for campaign in campaigns]
    previous = [latest_load(session, each.campaign.task.slug) for each in prepared]
    is_new = False
    for each, load in zip(prepared, previous, strict=True):
        slug = each.campaign.task.slug
        if load is not None and slug in keep and _is_another(session, load, each.campaign):
            raise AnotherTaskError(_REPLACED.format(quoted(slug)))
        is_new |= not each.is_there(load)
    if is_new:
        check_pages(session.connection(), path)
    return tuple(_save(session, each, load) for each, load in zip(prepared, previous, strict=True))


def _is_another(session: Session, load: LoadRow, campaign: Campaign) -> bool:
    """Whether a campaign shares neither a team nor an item with what the store holds of its task."""
    teams = {team for team, _ in _current(session, load.task_id)}
    if not teams or teams & {submission.team for submission in campaign.submissions}:
        return False
    ids = set(session.scalars(select(ItemRow.external_id).where(ItemRow.gold_id == load.gold_id)))
    if campaign.gold.item_ids is None or None in ids:
        n_items = session.scalar(select(GoldRow.n_items).where(GoldRow.id == load.gold_id))
        return campaign.gold.n_items != n_items
    return ids.isdisjoint(campaign.gold.item_ids)


_ABOUT = "about_teams"


@dataclass(frozen=True)
class _PreparedCampaign:
    """A campaign whose codes are canonical, with its fingerprint and those of its submissions."""

    campaign: Campaign
    submissions: Mapping[Name, str]
    fingerprint: str
    options: Mapping[str, Any]  # how it is evaluated, as the store keeps it

    def is_there(self, load: LoadRow | None) -> bool:
        """Whether nothing is to be written for it."""
        if load is None or self.about_teams != load.settings.get(_ABOUT, []):
            return False
        return (load.fingerprint, load.task.options) == (self.fingerprint, self.options)

    @property
    def about_teams(self) -> list[Any]:
        """What teams.csv says of each team, as the store keeps it: of the latest load, and no part of its history."""
        return list(plain(self.campaign.task.about_teams))


def _prepared(campaign: Campaign) -> _PreparedCampaign:
    campaign = canonical_campaign(campaign)
    submissions = {
        (each.team, each.run): fingerprint_of_submission(each) for each in campaign.submissions
    }
    fingerprint = fingerprint_of_campaign(campaign, submissions.values())
    return _PreparedCampaign(campaign, submissions, fingerprint, plain(campaign.options))


def _save(session: Session, prepared: _PreparedCampaign, previous: LoadRow | None) -> LoadSummary:
    if previous:
        previous.task.options = prepared.options
    if previous and previous.fingerprint == prepared.fingerprint:
        previous.settings = {**previous.settings, _ABOUT: prepared.about_teams}
        return LoadSummary(created=False, unchanged=tuple(map(shown, prepared.submissions)))
    campaign = prepared.campaign
    files = _add_files(session, campaign)
    load = _load_row(campaign, files)
    load.fingerprint = prepared.fingerprint
    if previous:
        task = previous.task
    else:
        task = TaskRow(slug=campaign.task.slug, options=prepared.options)
    _add(session, task)
    load.task_id = task.id
    load.gold_id = _add_gold(session, load.task_id, campaign.gold)
    _add(session, load)
    current = _current(session, load.task_id)
    wanted = prepared.submissions
    same = {}
    for position, (name, fingerprint) in enumerate(wanted.items()):
        row = current.get(name)
        if row is not None and (row.gold_id, row.fingerprint) == (load.gold_id, fingerprint):
            same[name] = position
    _retire_and_move(session, current, same, load.id)
    for batch in _batches(_new_submissions(campaign, same, load, files)):
        _add(session, *batch)
    return LoadSummary(
        created=previous is None,
        added=tuple(shown(name) for name in wanted if name not in current),
        replaced=tuple(shown(name) for name in wanted if name in current and name not in same),
        unchanged=tuple(map(shown, same)),
        removed=tuple(shown(name) for name in current if name not in wanted),
        gold_changed=previous is not None and previous.gold_id != load.gold_id,
    )


def _load_row(campaign: Campaign, files: FileIds) -> LoadRow:
    """A load, with all that the campaign says beside its labels."""
    task = campaign.task
    settings = plain(task)
    del settings["slug"], settings["label_set"]["labels"]  # which have columns of their own
    published = None
    if campaign.published:
        published = plain([replace(table, source=None) for table in campaign.published])
    file_rows = []
    for kind, source in _files_of(campaign):
        file_id = files[source.sha256]
        file_rows.append(LoadFileRow(kind=kind, path=source.path, source_file_id=file_id))
    return LoadRow(
        loaded_at=_now(),
        program_version=__version__,
        words_digest=words_of_load(campaign.journal, task.assumptions, campaign.rejections),
        settings=settings,
        journal=plain(campaign.journal),
        rejections=plain(campaign.rejections),
        ignored=plain(campaign.ignored),
        published=published,
        files=file_rows,
    )


def _files_of(campaign: Campaign) -> list[tuple[str, SourceFile]]:
    """The original files of a campaign beside its submissions, with their kinds."""
    files = [
        ("gold", campaign.gold.source),
        ("groups", campaign.gold.group_file),
        ("label-names", campaign.label_names_file),
        ("roster", campaign.roster),
        ("settings", campaign.settings),
        *(("published", table.source) for table in campaign.published),
        *(("scores", source) for source in campaign.further_files),
    ]
    return [(kind, source) for kind, source in files if source is not None]


def latest_load(session: Session, slug: str) -> LoadRow | None:
    """The load that left what the store holds of a task; None where there is no such task."""
    loads = select(LoadRow).join(TaskRow, LoadRow.task_id == TaskRow.id).where(TaskRow.slug == slug)
    return session.scalar(loads.order_by(LoadRow.id.desc()).limit(1))


def loads_of(session: Session, task_id: int) -> Sequence[LoadRow]:
    """Every load of a task that changed something, the first one first: number n of its history is at place n - 1."""
    return session.scalars(
        select(LoadRow).where(LoadRow.task_id == task_id).order_by(LoadRow.id)
    ).all()


def _now() -> str:
    """The time in UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _add(session: Session, *rows: Base) -> None:
    """Add rows at once, so that they have their ids."""
    session.add_all(rows)
    session.flush()


def _add_files(session: Session, campaign: Campaign) -> FileIds:
    """The campaign's original files, after adding those that the store has not."""
    file_ids = _known_files(session)
    sources = [source for _, source in _files_of(campaign)]
    sources += [each.source for each in campaign.submissions if each.source]
    new = {source.sha256: source for source in sources if source.sha256 not in file_ids}
    if not new:
        return file_ids
    files = Base.metadata.tables[SourceFileRow.__tablename__]
    for batch in _batches(new.values()):
        rows = []
        for source in batch:
            row = {
                "sha256": source.sha256,
                "size": source.size,
                "crc32": zlib.crc32(source.packed),
                "compressed": source.packed,
            }
            rows.append(row)
        session.connection().execute(insert(files), rows)
    return _known_files(session)


def _known_files(session: Session) -> FileIds:
    return dict(session.execute(select(SourceFileRow.sha256, SourceFileRow.id)).all())


def _batches(values: Iterable[Value]) -> Iterator[list[Value]]:
    """The values, a few at a time, so that no more of them are turned into rows at once."""
    remaining = iter(values)
    return iter(lambda: list(islice(remaining, _BATCH)), [])


def _add_gold(session: Session, task_id: int, gold: Gold) -> int:
    """The task's gold of this digest, whether it was there before or not."""
    digest = gold_digest(gold)
    of_task = select(GoldRow.id).where(GoldRow.task_id == task_id, GoldRow.digest == digest)
    gold_id = session.scalar(of_task)
    if gold_id is not None:
        return gold_id
    own = None
    if gold.own is not None:
        own = gold.own.tobytes()
    row = GoldRow(
        task_id=task_id,
        digest=digest,
        n_items=gold.n_items,
        labels=plain(gold.label_set.labels),
        unit=gold.unit,
        stratified=gold.stratified,
        slices=[[column.name, plain(column.values)] for column in gold.slices],
        slice_codes=b"".join(column.codes.tobytes() for column in gold.slices),
        own=own,
        numbers=packed_numbers(gold.numbers),
        weights=packed_numbers(gold.weights),
    )
    _add(session, row)
    _add_items(session, row.id, gold)
    return row.id


def _add_items(session: Session, gold_id: int, gold: Gold) -> None:
    """A row for each item, past SQLAlchemy's care for each row's parameters, which takes longer than SQLite does."""
    columns = ["gold_id", "position", "external_id", "code", "group_code"]
    statement = insert(ItemRow).compile(session.connection(), column_keys=columns)
    ids: Sequence[str | None] = gold.item_ids or [None] * gold.n_items
    groups: Sequence[int | None] = [None] * gold.n_items
    if gold.groups is not None:
        groups = gold.groups.tolist()
    items = zip(ids, gold.codes.tolist(), groups, strict=True)
    rows = [(gold_id, position, *item) for position, item in enumerate(items)]
    session.connection().exec_driver_sql(str(statement), rows)


def _current(session: Session, task_id: int) -> dict[Name, Any]:
    """The current submissions, each as a row with what decides whether it stays as it is."""
    row = SubmissionRow
    columns = (row.team, row.run, row.id, row.gold_id, row.fingerprint, row.position)
    submissions = select(*columns).join(GoldRow, row.gold_id == GoldRow.id)
    current = session.execute(
        submissions.where(GoldRow.task_id == task_id, row.replaced_in.is_(None))
    )
    return {(stored.team, stored.run): stored for stored in current}


def _retire_and_move(
    session: Session, current: Mapping[Name, Any], same: Mapping[Name, int], load_id: int
) -> None:
    """Mark what is replaced or removed as ended by this load, and renumber what stays in the new order."""
    retired = []
    moved = []
    for name, row in current.items():
        if name not in same:
            retired.append({"id": row.id, "replaced_in": load_id})
    for name, position in same.items():
        if current[name].position != position:
            moved.append({"id": current[name].id, "position": position})
    for rows in (retired, moved):
        if rows:
            session.execute(update(SubmissionRow), rows)


def _new_submissions(
    campaign: Campaign, same: Container[Name], load: LoadRow, files: FileIds
) -> Iterator[SubmissionRow]:
    for position, submission in enumerate(campaign.submissions):
        if (submission.team, submission.run) not in same:
            row = _submission_row(submission, len(campaign.task.label_set), files)
            row.gold_id, row.loaded_in, row.position = load.gold_id, load.id, position
            yield row


def _submission_row(submission: Submission, n_classes: int, files: FileIds) -> SubmissionRow:
    """A submission whose codes are canonical, with its issues."""
    path = None
    file_id = None
    if submission.source:
        path = submission.source.path
        file_id = files[submission.source.sha256]
    scores = None
    if submission.scores is not None:
        scores = submission.scores.astype("<f8").tobytes()
    return SubmissionRow(
        team=submission.team,
        run=submission.run,
        path=path,
        source_file_id=file_id,
        n_missing=int(np.count_nonzero(submission.codes == n_classes)),
        n_unusable=int(np.count_nonzero(submission.codes > n_classes)),
        fingerprint=fingerprint_of_submission(submission),
        words_digest=words_of_submission(submission.issues),
        codes=submission.packed,
        scores=scores,
        role=submission.role.value,
        affiliation=submission.origin.affiliation,
        paper=submission.origin.paper,
        unusable_labels=plain(submission.unusable_labels),
        issues=plain(submission.issues),
    )


def save_evaluation(
    session: Session, load: LoadRow, evaluation: Evaluation, document: Mapping[str, Any], path: Path
) -> None:
    """Keep the evaluation beside the load that it evaluates."""
    _check_is_of(session, load, evaluation, path)
    text = json_text(document)
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    of_signature = (EvaluationRow.load_id == load.id) & (
        EvaluationRow.signature == evaluation.signature
    )
    if session.scalar(select(EvaluationRow.digest).where(of_signature)) == digest:
        return
    check_pages(session.connection(), path)
    session.execute(delete(EvaluationRow).where(of_signature))
    row = EvaluationRow(
        load_id=load.id,
        evaluated_at=_now(),
        program_version=__version__,
        signature=evaluation.signature,
        options=plain(evaluation.options),
        n_flags=len(evaluation.flags),
        digest=digest,
        document=text,
    )
    _add(session, row)


def _check_is_of(session: Session, load: LoadRow, evaluation: Evaluation, path: Path) -> None:
    """Refuse an evaluation of another gold or another file than the load left."""
    entries = {(entry.team, entry.run, entry.path, entry.sha256) for entry in evaluation.entries}
    with damage_in(path):
        digest_of_gold = existing(load.gold).digest
    if gold_digest(evaluation.gold) != digest_of_gold or not entries <= _entries(session, load):
        check_pages(session.connection(), path, indices=True)  # a damaged index hides what is there
        task = quoted(evaluation.task.slug)
        raise SupersededError(
            f"The evaluation is not of what the store holds of {task}. Load the campaign and evaluate it again."
        )


def _entries(session: Session, load: LoadRow) -> set[tuple[str | None, ...]]:
    """The current submissions, by what an entry says of itself."""
    row = SubmissionRow
    columns = (row.team, row.run, row.path, SourceFileRow.sha256)
    submissions = select(*columns).outerjoin(SourceFileRow, row.source_file_id == SourceFileRow.id)
    current = session.execute(
        submissions.where(row.gold_id == load.gold_id, row.replaced_in.is_(None))
    )
    return set(map(tuple, current))
