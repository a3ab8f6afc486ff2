"""Evaluation → rows: scores with their ranks and intervals, baselines, uncertainty, flags, and what else it shows."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Table, delete, insert, select
from sqlalchemy.orm import Session

from audit.domain import Baseline, Entry, Evaluation, Flag, Uncertainty
from audit.errors import UsageError
from audit.store.connection import check_pages, damage_in
from audit.store.findings import Findings, rows_of_findings
from audit.store.loading import existing
from audit.store.packing import float_bytes, gold_digest
from audit.store.rows import now, program_version, undefined_as_null
from audit.store.tables import (
    Base,
    BaselineRow,
    BaselineScoreRow,
    EntryRow,
    EvaluationRow,
    FlagRow,
    LoadRow,
    ScoreRow,
    SourceFileRow,
    SubmissionRow,
)
from audit.store.types import optional
from audit.store.uncertainty import digest_of, rows_of, saved_uncertainty
from audit.text import quoted


def save(session: Session, load: LoadRow, evaluation: Evaluation, path: Path) -> None:
    """Keep the evaluation beside the load that it evaluates.

    Parameters
    ----------
    session : Session
        A session in a transaction that holds the write lock; whoever began it ends it.
    load : LoadRow
        The latest load of the evaluation's task.
    evaluation : Evaluation
        The evaluation.
    path : Path
        The store, whose pages are checked before anything is written.

    Raises
    ------
    UsageError
        When it evaluates something else.
    StoreError
        When the store is damaged.
    """
    known = _current_ids(session, load)
    names = list(map(_names, evaluation.entries))
    with damage_in(path):
        digest_of_gold = existing(load.gold).digest
    if gold_digest(evaluation.gold) != digest_of_gold or not known.keys() >= set(names):
        check_pages(session.connection(), path, indices=True)  # a damaged index hides what is there
        task = quoted(evaluation.task.slug)
        raise UsageError(
            f"The evaluation is not of what the store holds of {task}. Load the campaign and evaluate it again."
        )
    submission_ids = [known[name] for name in names]
    findings = list(rows_of_findings(evaluation, submission_ids))
    digest = _digest(evaluation, findings)
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
        digest=digest,
    )
    session.add(row)
    session.flush()
    _insert(session, EntryRow, _entries(row.id, submission_ids, evaluation))
    _insert(session, ScoreRow, _scores(row.id, submission_ids, evaluation))
    for kind, rows in _baselines(row.id, evaluation):
        _insert(session, kind, rows)
    if evaluation.uncertainty:
        for kind, rows in rows_of(evaluation.uncertainty, evaluation, row.id, submission_ids):
            _insert(session, kind, rows)
    _insert(session, FlagRow, [_flag(row.id, *numbered) for numbered in enumerate(evaluation.flags)])
    for kind, rows in findings:
        _insert(session, kind, [{"evaluation_id": row.id, **each} for each in rows])


def uncertainty_of(session: Session, load: LoadRow, signature: str) -> Uncertainty | None:
    """The uncertainty of the load's evaluation of this signature; None where there is none.

    Raises
    ------
    ValueError
        When the store is damaged.
    """
    evaluation_id = session.scalar(select(EvaluationRow.id).where(_of_signature(load, signature)))
    return None if evaluation_id is None else saved_uncertainty(session, evaluation_id)


def _of_signature(load: LoadRow, signature: str) -> ColumnElement[bool]:
    return (EvaluationRow.load_id == load.id) & (EvaluationRow.signature == signature)


def _current_ids(session: Session, load: LoadRow) -> dict[tuple[str | None, ...], int]:
    """The current submissions, by what an entry says of itself."""
    row = SubmissionRow
    columns = (row.id, row.team, row.run, row.path, optional(SourceFileRow.sha256))
    submissions = select(*columns).outerjoin(SourceFileRow, row.source_file_id == SourceFileRow.id)
    current = session.execute(submissions.where(row.gold_id == load.gold_id, row.replaced_in.is_(None)))
    return {(team, run, path, sha256): row_id for row_id, team, run, path, sha256 in current}


def _names(entry: Entry) -> tuple[str | None, ...]:
    return entry.team, entry.run, entry.path, entry.sha256


def _digest(evaluation: Evaluation, findings: Findings) -> str:
    """SHA-256 of what is kept of an evaluation."""
    state = hashlib.sha256(
        repr((evaluation.keys, list(map(_names, evaluation.entries)))).encode("ascii", "backslashreplace")
    )
    state.update(np.ascontiguousarray(evaluation.values, dtype="<f8").tobytes())
    state.update(np.ascontiguousarray(evaluation.rank_values, dtype="<i8").tobytes())
    state.update(json.dumps([_flag(0, *numbered) for numbered in enumerate(evaluation.flags)]).encode("ascii"))
    if evaluation.uncertainty:
        state.update(digest_of(evaluation.uncertainty).encode("ascii"))
    for part in _beside(evaluation):
        state.update(part)
    for kind, rows in findings:
        state.update(json.dumps([kind.__tablename__, rows]).encode("ascii"))
    return state.hexdigest()


def _beside(evaluation: Evaluation) -> Iterator[bytes]:
    """Entries that do not compete or dropped items, and baselines; nothing where an older revision knew of none."""
    if not all(entry.is_comparable for entry in evaluation.entries):
        yield json.dumps([(entry.competes, entry.n_dropped) for entry in evaluation.entries], default=int).encode()
    for each in evaluation.baselines:
        yield json.dumps([each.slug, each.title, each.explanation]).encode("ascii")
        yield float_bytes(each.values)
        yield float_bytes(each.standard_errors)


def _entries(evaluation_id: int, submission_ids: list[int], evaluation: Evaluation) -> list[dict[str, Any]]:
    """A row for each entry."""
    return [
        {
            "evaluation_id": evaluation_id,
            "submission_id": submission_id,
            "competes": bool(entry.competes),
            "n_dropped": int(entry.n_dropped),
        }
        for submission_id, entry in zip(submission_ids, evaluation.entries, strict=True)
    ]


def _baselines(evaluation_id: int, evaluation: Evaluation) -> Iterator[tuple[type[Base], list[dict[str, Any]]]]:
    """The built-in baselines, then their scores."""
    of = {"evaluation_id": evaluation_id}
    yield BaselineRow, [{**of, **_baseline(*numbered)} for numbered in enumerate(evaluation.baselines)]
    keys = [{"metric": key.metric, "prevalence": key.prevalence} for key in evaluation.keys]
    yield (
        BaselineScoreRow,
        [
            {**of, "slug": each.slug, **key, "value": value, "standard_error": error}
            for each in evaluation.baselines
            for key, value, error in zip(
                keys, undefined_as_null(each.values), undefined_as_null(each.standard_errors), strict=True
            )
        ],
    )


def _baseline(position: int, baseline: Baseline) -> dict[str, Any]:
    return {
        "position": position,
        "slug": baseline.slug,
        "title": baseline.title,
        "explanation": baseline.explanation,
    }


def _scores(evaluation_id: int, submission_ids: list[int], evaluation: Evaluation) -> list[dict[str, Any]]:
    """A row for each key and entry; what is undefined has no value."""
    sure = evaluation.uncertainty
    intervals = (sure.lower, sure.upper) if sure else np.full((2, *evaluation.values.shape), np.nan)
    numbers = map(undefined_as_null, (evaluation.values, *intervals))
    return [
        {
            "evaluation_id": evaluation_id,
            "submission_id": submission_id,
            "metric": key.metric,
            "prevalence": key.prevalence,
            "rank": rank,
            "value": value,
            "lower": lower,
            "upper": upper,
        }
        for key, *columns in zip(evaluation.keys, evaluation.rank_values.tolist(), *numbers, strict=True)
        for submission_id, rank, value, lower, upper in zip(submission_ids, *columns, strict=True)
    ]


def _flag(evaluation_id: int, position: int, flag: Flag) -> dict[str, Any]:
    return {
        "evaluation_id": evaluation_id,
        "position": position,
        "slug": flag.slug,
        "severity": int(flag.severity),
        "sentence": flag.sentence,
        "remedy": flag.remedy,
        "paper": flag.paper,
        "evidence": json.dumps(_plain(flag.evidence), ensure_ascii=False, allow_nan=False),
    }


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever evidence holds
    """Evidence as JSON has it: mappings as objects, sequences and arrays as lists, what is undefined as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(member) for member in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _insert(session: Session, row: type[Any], rows: list[dict[str, Any]]) -> None:
    table: Table = row.__table__
    if rows:
        session.connection().execute(insert(table), rows)
