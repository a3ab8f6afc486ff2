"""Campaign → rows: what changed since the task's latest load is added, and what it replaces is kept as history."""

from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from audit.domain import Campaign, Gold, SourceFile
from audit.store.changes import Changes, Current, Name, name_of, shown
from audit.store.connection import check_pages
from audit.store.packing import canonical_campaign, fingerprint_of_campaign, fingerprint_of_submission, gold_digest
from audit.store.rows import FileIds, load_row, source_file_row, submission_row
from audit.store.summaries import LoadSummary
from audit.store.tables import (
    Base,
    GoldRow,
    ItemRow,
    LabelRow,
    LoadRow,
    SourceFileRow,
    SubmissionRow,
    TaskRow,
)


def save(session: Session, campaign: Campaign, path: Path) -> LoadSummary:
    """Make the campaign what the store holds of its task.

    Parameters
    ----------
    session : Session
        A session in a transaction that holds the write lock; whoever began it ends it.
    campaign : Campaign
        The campaign.
    path : Path
        The store, whose pages are checked before anything is written.

    Raises
    ------
    UsageError
        When the campaign contradicts itself: such a one comes from a call, not from files.
    StoreError
        When the store is damaged.
    """
    campaign = canonical_campaign(campaign)
    wanted = {name_of(submission): fingerprint_of_submission(submission) for submission in campaign.submissions}
    fingerprint = fingerprint_of_campaign(campaign, wanted.values())
    previous = latest_load(session, campaign.task.slug)
    if previous and previous.fingerprint == fingerprint:
        return LoadSummary(created=False, unchanged=tuple(map(shown, wanted)))
    check_pages(session.connection(), path)
    files = _add_files(session, campaign)
    load = load_row(campaign, files)
    load.fingerprint = fingerprint
    load.task_id = previous.task_id if previous else _add_task(session, campaign.task.slug)
    load.gold_id = _add_gold(session, load.task_id, campaign.gold)
    _add(session, load)
    changes = Changes.between(_current(session, load.task_id), wanted, load.gold_id)
    _retire_and_move(session, changes, load.id)
    session.add_all(_new_submissions(campaign, changes, load, files))
    return changes.summary(created=previous is None)


def latest_load(session: Session, slug: str) -> LoadRow | None:
    """The load that left what the store holds of a task; None where there is no such task."""
    loads = select(LoadRow).join(TaskRow, LoadRow.task_id == TaskRow.id).where(TaskRow.slug == slug)
    return session.scalar(loads.order_by(LoadRow.id.desc()).limit(1))


def _add(session: Session, *rows: Base) -> None:
    """Add rows at once, so that they have their ids."""
    session.add_all(rows)
    session.flush()


def _add_files(session: Session, campaign: Campaign) -> FileIds:
    """The campaign's original files, after adding those that the store has not."""
    known = dict(session.execute(select(SourceFileRow.sha256, SourceFileRow.id)).all())
    sources = {source.sha256: source for source in _sources(campaign)}
    new = [source_file_row(source) for digest, source in sources.items() if digest not in known]
    _add(session, *new)
    return known | {row.sha256: row.id for row in new}


def _sources(campaign: Campaign) -> Iterator[SourceFile]:
    yield from filter(None, (campaign.gold.source, campaign.settings))
    yield from filter(None, (submission.source for submission in campaign.submissions))


def _add_task(session: Session, slug: str) -> int:
    task = TaskRow(slug=slug)
    _add(session, task)
    return task.id


def _add_gold(session: Session, task_id: int, gold: Gold) -> int:
    """The task's gold of this digest, whether it was there before or not."""
    digest = gold_digest(gold)
    known = session.scalar(select(GoldRow.id).where(GoldRow.task_id == task_id, GoldRow.digest == digest))
    if known is not None:
        return known
    labels = [LabelRow(code=code, name=name) for code, name in enumerate(gold.label_set)]
    row = GoldRow(task_id=task_id, digest=digest, n_items=gold.n_items, labels=labels)
    _add(session, row)
    _add_items(session, row.id, gold)
    return row.id


def _add_items(session: Session, gold_id: int, gold: Gold) -> None:
    """A row for each item, past SQLAlchemy's care for each row's parameters, which takes longer than SQLite does."""
    columns = ["gold_id", "position", "external_id", "code"]
    statement = insert(ItemRow).compile(session.connection(), column_keys=columns)
    ids: Iterable[str | None] = gold.item_ids or repeat(None)
    rows = list(zip(repeat(gold_id), range(gold.n_items), ids, gold.codes.tolist(), strict=False))
    session.connection().exec_driver_sql(str(statement), rows)


def _current(session: Session, task_id: int) -> dict[Name, Current]:
    row = SubmissionRow
    columns = (row.team, row.run, row.id, row.gold_id, row.fingerprint, row.position)
    submissions = select(*columns).join(GoldRow, row.gold_id == GoldRow.id)
    current = session.execute(submissions.where(GoldRow.task_id == task_id, row.replaced_in.is_(None)))
    return {(found.team, found.run): Current(*found[2:]) for found in current}


def _retire_and_move(session: Session, changes: Changes, load_id: int) -> None:
    """Give what is replaced or removed its end, and what stays its place in the new order."""
    retired = [{"id": row_id, "replaced_in": load_id} for row_id in changes.retired]
    moved = [{"id": row_id, "position": position} for row_id, position in changes.moved.items()]
    for rows in filter(None, (retired, moved)):
        session.execute(update(SubmissionRow), rows)


def _new_submissions(campaign: Campaign, changes: Changes, load: LoadRow, files: FileIds) -> Iterator[SubmissionRow]:
    for submission in campaign.submissions:
        name = name_of(submission)
        if name in changes.new:
            row = submission_row(submission, len(campaign.task.label_set), files)
            row.gold_id, row.loaded_in, row.position = load.gold_id, load.id, changes.positions[name]
            yield row
