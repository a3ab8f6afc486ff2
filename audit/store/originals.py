"""The files of a campaign as they stood, of every load."""

import hashlib

from sqlalchemy import select, union_all
from sqlalchemy.orm import Session

from audit.store.packing import inflated_bytes
from audit.store.tables import GoldRow, LoadRow, PublishedTableRow, SourceFileRow, SubmissionRow

File = tuple[str, str]
"""A file's path in the campaign folder, and the SHA-256 of its bytes."""


def files_of(session: Session, task_id: int) -> dict[File, int]:
    """The row of each version of a task's files; the latest versions first."""
    load, submission = LoadRow, SubmissionRow
    of_task = load.task_id == task_id
    gold = select(load.id.label("load_id"), load.gold_path.label("path"), load.gold_file_id.label("file_id"))
    settings = select(load.id, load.settings_path, load.settings_file_id)
    published = select(PublishedTableRow.load_id, PublishedTableRow.path, PublishedTableRow.source_file_id)
    groups = select(load.id, load.group_path, load.group_file_id)
    label_names = select(load.id, load.label_names_path, load.label_names_file_id)
    roster = select(load.id, load.roster_path, load.roster_file_id)
    submissions = select(submission.loaded_in, submission.path, submission.source_file_id)
    used = union_all(
        gold.where(of_task),
        settings.where(of_task),
        groups.where(of_task),
        label_names.where(of_task),
        roster.where(of_task),
        published.join(load, PublishedTableRow.load_id == load.id).where(of_task),
        submissions.join(GoldRow, submission.gold_id == GoldRow.id).where(GoldRow.task_id == task_id),
    ).subquery()
    files = select(used.c.path, SourceFileRow.sha256, SourceFileRow.id).join(
        SourceFileRow, used.c.file_id == SourceFileRow.id
    )
    rows = session.execute(files.order_by(used.c.load_id.desc()))
    return {(path, sha256): file_id for path, sha256, file_id in rows}


def content_of(source: SourceFileRow) -> bytes:
    """An original file's bytes, checked; never more of them are inflated than its size says.

    Raises
    ------
    ValueError
        When they are not the bytes that were loaded.
    """
    content = inflated_bytes(source.intact, source.size)
    if hashlib.sha256(content).hexdigest() != source.sha256:
        raise ValueError("not the bytes that were loaded")
    return content
