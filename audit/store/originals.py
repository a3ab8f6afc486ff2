"""The files of a campaign as they stood, of every load."""

import hashlib

from sqlalchemy import select, union_all
from sqlalchemy.orm import Session

from audit.store.packing import inflated_bytes
from audit.store.tables import GoldRow, LoadFileRow, LoadRow, SourceFileRow, SubmissionRow

File = tuple[str, str]
"""A file's path in the campaign folder, and the SHA-256 of its bytes."""


def files_of(session: Session, task_id: int) -> dict[File, int]:
    """The row of each version of a task's files; the latest versions first."""
    file, submission = LoadFileRow, SubmissionRow
    files = select(file.load_id.label("load_id"), file.path.label("path"), file.source_file_id.label("file_id"))
    submissions = select(submission.loaded_in, submission.path, submission.source_file_id)
    used = union_all(
        files.join(LoadRow, file.load_id == LoadRow.id).where(LoadRow.task_id == task_id),
        submissions.join(GoldRow, submission.gold_id == GoldRow.id).where(GoldRow.task_id == task_id),
    ).subquery()
    versions = select(used.c.path, SourceFileRow.sha256, SourceFileRow.id).join(
        SourceFileRow, used.c.file_id == SourceFileRow.id
    )
    rows = session.execute(versions.order_by(used.c.load_id.desc()))
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
