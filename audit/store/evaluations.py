"""Evaluation → its document, whole; views of the schema read it for those who ask in SQL.

The store computes nothing and reads nothing of this back: whoever wants an evaluation computes it from what was handed
in, which takes seconds, and so data go one way only.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.orm import Session

from audit.domain import Evaluation
from audit.errors import SupersededError
from audit.store.connection import check_pages, damage_in
from audit.store.loading import existing
from audit.store.packing import gold_digest, text_digest
from audit.store.plain_data import json_text, plain
from audit.store.rows import now, program_version
from audit.store.tables import EvaluationRow, LoadRow, SourceFileRow, SubmissionRow
from audit.store.types import optional
from audit.text import quoted


def save(session: Session, load: LoadRow, evaluation: Evaluation, document: Mapping[str, Any], path: Path) -> None:
    """Keep the evaluation beside the load that it evaluates.

    Parameters
    ----------
    session : Session
        A session in a transaction that holds the write lock; whoever began it ends it.
    load : LoadRow
        The latest load of the evaluation's task.
    evaluation : Evaluation
        The evaluation.
    document : mapping
        All of it as plain data.
    path : Path
        The store, whose pages are checked before anything is written.

    Raises
    ------
    SupersededError
        When it evaluates something else.
    StoreError
        When the store is damaged.
    """
    _check_is_of(session, load, evaluation, path)
    text = json_text(document)
    digest = text_digest(text)
    of_signature = _of_signature(load, evaluation.signature)
    if session.scalar(select(EvaluationRow.digest).where(of_signature)) == digest:
        return
    check_pages(session.connection(), path)
    session.execute(delete(EvaluationRow).where(of_signature))
    row = EvaluationRow(
        load_id=load.id,
        evaluated_at=now(),
        program_version=program_version(),
        signature=evaluation.signature,
        options=plain(evaluation.options),
        n_flags=len(evaluation.flags),
        digest=digest,
        document=text,
    )
    session.add(row)
    session.flush()


def _of_signature(load: LoadRow, signature: str) -> ColumnElement[bool]:
    return (EvaluationRow.load_id == load.id) & (EvaluationRow.signature == signature)


def _check_is_of(session: Session, load: LoadRow, evaluation: Evaluation, path: Path) -> None:
    """Refuse an evaluation of another gold or another file than the load left."""
    entries = {(entry.team, entry.run, entry.path, entry.sha256) for entry in evaluation.entries}
    with damage_in(path):
        digest_of_gold = existing(load.gold).digest
    if gold_digest(evaluation.gold) != digest_of_gold or not entries <= _current(session, load):
        check_pages(session.connection(), path, indices=True)  # a damaged index hides what is there
        task = quoted(evaluation.task.slug)
        raise SupersededError(
            f"The evaluation is not of what the store holds of {task}. Load the campaign and evaluate it again."
        )


def _current(session: Session, load: LoadRow) -> set[tuple[str | None, ...]]:
    """The current submissions, by what an entry says of itself."""
    row = SubmissionRow
    columns = (row.team, row.run, row.path, optional(SourceFileRow.sha256))
    submissions = select(*columns).outerjoin(SourceFileRow, row.source_file_id == SourceFileRow.id)
    current = session.execute(submissions.where(row.gold_id == load.gold_id, row.replaced_in.is_(None)))
    return set(map(tuple, current))
