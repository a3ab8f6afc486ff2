"""Evaluation → rows: its document whole; scores and standings of it once more as rows, for those who ask in SQL.

The store computes nothing and reads nothing of this back: whoever wants an evaluation computes it from what was handed
in, which takes seconds, and so data go one way only.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Table, delete, insert, select
from sqlalchemy.orm import Session

from audit.domain import MARKS, Comparison, Entry, Evaluation
from audit.errors import SupersededError
from audit.store.connection import check_pages, damage_in
from audit.store.loading import existing
from audit.store.packing import document_text, gold_digest, options_text, text_digest
from audit.store.rows import now, program_version, undefined_as_null
from audit.store.tables import EntryRow, EvaluationRow, LoadRow, ScoreRow, SourceFileRow, StandingRow, SubmissionRow
from audit.store.types import optional
from audit.text import quoted

Rows = Iterable[dict[str, Any]]
_AT_ONCE = 10_000  # rows that are inserted together


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
    submission_ids = _ids_of_entries(session, load, evaluation, path)
    text = document_text(document)
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
        options=options_text(evaluation.options),
        n_flags=len(evaluation.flags),
        digest=digest,
        document=text,
    )
    session.add(row)
    session.flush()
    _insert(session, EntryRow, _entries(row.id, submission_ids, evaluation))
    _insert(session, ScoreRow, _scores(row.id, submission_ids, evaluation))
    _insert(session, StandingRow, _standings(row.id, submission_ids, evaluation))


def _of_signature(load: LoadRow, signature: str) -> ColumnElement[bool]:
    return (EvaluationRow.load_id == load.id) & (EvaluationRow.signature == signature)


def _ids_of_entries(session: Session, load: LoadRow, evaluation: Evaluation, path: Path) -> list[int]:
    """The submission of each entry, after checking that the evaluation is of what the load left."""
    ids = _current_ids(session, load)
    names = list(map(_names, evaluation.entries))
    with damage_in(path):
        digest_of_gold = existing(load.gold).digest
    if gold_digest(evaluation.gold) != digest_of_gold or not ids.keys() >= set(names):
        check_pages(session.connection(), path, indices=True)  # a damaged index hides what is there
        task = quoted(evaluation.task.slug)
        raise SupersededError(
            f"The evaluation is not of what the store holds of {task}. Load the campaign and evaluate it again."
        )
    return [ids[name] for name in names]


def _current_ids(session: Session, load: LoadRow) -> dict[tuple[str | None, ...], int]:
    """The current submissions, by what an entry says of itself."""
    row = SubmissionRow
    columns = (row.id, row.team, row.run, row.path, optional(SourceFileRow.sha256))
    submissions = select(*columns).outerjoin(SourceFileRow, row.source_file_id == SourceFileRow.id)
    current = session.execute(submissions.where(row.gold_id == load.gold_id, row.replaced_in.is_(None)))
    return {(team, run, path, sha256): row_id for row_id, team, run, path, sha256 in current}


def _names(entry: Entry) -> tuple[str | None, ...]:
    return entry.team, entry.run, entry.path, entry.sha256


def _entries(evaluation_id: int, submission_ids: list[int], evaluation: Evaluation) -> Rows:
    """A row for each entry."""
    return (
        {
            "evaluation_id": evaluation_id,
            "submission_id": submission_id,
            "name": entry.name,
            "competes": bool(entry.competes),
            "n_dropped": int(entry.n_dropped),
        }
        for submission_id, entry in zip(submission_ids, evaluation.entries, strict=True)
    )


def _scores(evaluation_id: int, submission_ids: list[int], evaluation: Evaluation) -> Rows:
    """A row for each key and entry; what is undefined has no value."""
    lower, upper, marks = _intervals(evaluation)
    ranks, numbers = evaluation.rank_values.tolist(), map(undefined_as_null, (evaluation.values, lower, upper))
    return (
        {
            "evaluation_id": evaluation_id,
            "submission_id": submission_id,
            "metric": key.metric,
            "prevalence": key.prevalence,
            "rank": rank,
            "value": value,
            "lower": lower,
            "upper": upper,
            "mark": (MARKS[mark].value or None) if lower is None else None,
        }
        for key, *columns in zip(evaluation.keys, ranks, *numbers, marks.tolist(), strict=True)
        for submission_id, rank, value, lower, upper, mark in zip(submission_ids, *columns, strict=True)
    )


def _intervals(evaluation: Evaluation) -> tuple[np.ndarray[Any, Any], ...]:
    """Ends and marks of every interval, each of shape (K, T); undefined and unmarked where none were asked for."""
    if evaluation.certainty is None:
        none = np.full(evaluation.values.shape, np.nan)
        return none, none, np.zeros(none.shape, dtype=np.uint8)
    intervals = evaluation.certainty.intervals
    return intervals.lower, intervals.upper, intervals.marks


def _standings(evaluation_id: int, submission_ids: list[int], evaluation: Evaluation) -> Rows:
    """A row for each comparison and each entry that is in it."""
    comparisons = evaluation.certainty.comparisons if evaluation.certainty else ()
    return (
        {
            "evaluation_id": evaluation_id,
            "submission_id": submission_ids[team],
            "metric": comparison.key.metric,
            "prevalence": comparison.key.prevalence,
            "could_be_best": bool(comparison.could_be_best[team]),
            "first_rank": first,
            "last_rank": last,
            "tier": int(comparison.tiers[team]),
            **_chosen_interval(comparison, team),
        }
        for comparison in comparisons
        for team, (first, last) in enumerate(comparison.possible_ranks.tolist())
        if first
    )


def _chosen_interval(comparison: Comparison, team: int) -> dict[str, float | None]:
    ends = np.array([comparison.chosen_lower[team], comparison.chosen_upper[team]])
    return dict(zip(("leader_lower", "leader_upper"), undefined_as_null(ends), strict=True))


def _insert(session: Session, row: type[Any], rows: Rows) -> None:
    """Insert rows some at a time: thousands of class scores of many entries would take half a gigabyte at once."""
    table: Table = row.__table__
    left = iter(rows)
    while some := list(islice(left, _AT_ONCE)):
        session.connection().execute(insert(table), some)
