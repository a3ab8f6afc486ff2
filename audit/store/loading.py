"""Rows → campaign, checked against the fingerprint that was taken when they were written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session, defer, selectinload

from audit.domain import (
    MOST_SLICES,
    POLICY_KINDS,
    Campaign,
    CodeRows,
    CodesFile,
    Feature,
    Gold,
    JournalEntry,
    LabelSet,
    Origin,
    PackedCodes,
    Published,
    Rejection,
    Role,
    SliceColumn,
    SourceFile,
    Submission,
    Task,
    code_dtype,
    temporary_file,
)
from audit.domain.arrays import Codes
from audit.errors import Issue
from audit.store.column_types import of_type, options_of, value_of
from audit.store.packing import (
    canonical,
    fingerprint_of_campaign,
    fingerprint_of_submission,
    shape_of_scores,
    unpacked,
    unpacked_bits,
    unpacked_numbers,
    unpacked_scores,
    words_of_load,
    words_of_submission,
)
from audit.store.tables import FILE_KINDS, GoldRow, LoadRow, SourceFileRow, SubmissionRow

Row = TypeVar("Row")


def campaign_of(session: Session, load: LoadRow, *, with_files: bool = True) -> Campaign:
    """The campaign as a task's latest load left it; without files, the submissions have no bytes of theirs."""
    submissions = _submissions(
        _rows(session, load, _IS_CURRENT, with_files=with_files), existing(load.gold)
    )
    return _checked(replace(_outline(session, load), submissions=submissions), load)


def past_campaign_of(session: Session, load: LoadRow) -> Campaign:
    """The campaign as any load of a task left it, with the bytes of files of spans alone.

    A submission that later loads left as it was has the place that it has today, and one that they replaced the place
    that it had last. Files are read in the order of team and run, so where the places contradict the fingerprint, that
    order is tried.
    """
    outline = _outline(session, load)
    row = SubmissionRow  # a load left what it or an earlier one brought, and no load up to it ended
    left = row.loaded_in <= load.id, or_(row.replaced_in.is_(None), row.replaced_in > load.id)
    submissions = _submissions(
        _rows(session, load, *left, with_files=is_of_spans(load)), existing(load.gold)
    )
    by_name = tuple(sorted(submissions, key=lambda each: (each.team, each.run or "")))
    with suppress(ValueError):
        return _checked(replace(outline, submissions=submissions), load)
    return _checked(replace(outline, submissions=by_name), load)


def _submissions(rows: Iterable[SubmissionRow], gold: GoldRow) -> tuple[Submission, ...]:
    return tuple(_submission(row, _given(row.codes, gold)) for row in rows)


def _given(packed: bytes, gold: GoldRow) -> Codes | PackedCodes:
    """The codes of a submission from its bytes."""
    own = _own(gold)
    if own is None:
        return unpacked(packed, gold.n_items, len(labels_of(gold)))
    return unpacked_bits(packed, own)


def _own(gold: GoldRow) -> Codes | None:
    """The label that each item has or has not, where sets are scored."""
    if gold.own is None:
        return None
    return unpacked(gold.own, gold.n_items, len(labels_of(gold)))


def is_of_spans(load: LoadRow) -> bool:
    """Whether spans are scored: by another rule for broken tags, they are read from the files again."""
    return task_of(load).label_set.supports(Feature.BOUNDARIES)


@contextmanager
def mapped_campaign_of(session: Session, load: LoadRow) -> Iterator[Campaign]:
    """The campaign, with the bytes of files of spans alone, its codes mapped from a temporary file."""
    gold = existing(load.gold)
    with temporary_file(_rows_of_codes(session, load, gold)) as path:
        rows = list(
            _rows(session, load, _IS_CURRENT, with_files=is_of_spans(load), with_codes=False)
        )
        names = tuple((row.team, row.run) for row in rows)
        file = CodesFile(path, gold.n_items, code_dtype(len(labels_of(gold))), names)
        table = CodeRows(path, (len(rows), gold.n_items), file.dtype, tuple(range(len(rows))))
        submissions = tuple(_submission(row, codes) for row, codes in zip(rows, table, strict=True))
        yield _checked(
            replace(_outline(session, load), submissions=submissions, codes_file=file), load
        )


def n_answers(session: Session, load: LoadRow) -> int:
    """The number of answers that the submissions of a task's latest load have together."""
    current = select(func.count()).where(SubmissionRow.gold_id == load.gold_id, _IS_CURRENT)
    return session.scalars(current).one() * existing(load.gold).n_items


def _rows_of_codes(session: Session, load: LoadRow, gold: GoldRow) -> Iterator[Codes]:
    """The codes of each submission, checked, one at a time: a query for all would hold them all."""
    row = SubmissionRow
    current = select(row.id).where(row.gold_id == load.gold_id, _IS_CURRENT).order_by(row.position)
    for number in session.scalars(current).all():
        given = _given(session.scalars(select(row.codes).where(row.id == number)).one(), gold)
        yield given.codes if isinstance(given, PackedCodes) else given


def outline_of(session: Session, load: LoadRow) -> Campaign:
    """The campaign without its submissions, of which only the fingerprints are read."""
    row = SubmissionRow
    current = select(row.fingerprint).where(row.gold_id == load.gold_id, _IS_CURRENT)
    fingerprints = session.scalars(current.order_by(row.position))
    return _checked(_outline(session, load), load, fingerprints)


def check_listed(session: Session, load: LoadRow) -> None:
    """Compare a task's latest load with its fingerprint, and every submission, past ones too, with that of its own.

    No file is read. A past submission of which the whole row was taken out is not missed: no order of those that a past
    load left is certain, so that their fingerprints together prove nothing.
    """
    outline_of(session, load)
    row = SubmissionRow
    of_task = (
        select(row.id, GoldRow)
        .join(GoldRow, row.gold_id == GoldRow.id)
        .where(GoldRow.task_id == load.task_id)
    )
    without_file = selectinload(row.source_file).defer(SourceFileRow.compressed)
    for number, gold in session.execute(of_task).all():
        stored = session.scalars(select(row).where(row.id == number).options(without_file)).one()
        n_classes = len(labels_of(gold))
        submission = _submission(stored, _given(stored.codes, gold))
        counts = (
            int((submission.codes == n_classes).sum()),
            int((submission.codes > n_classes).sum()),
        )
        if (fingerprint_of_submission(submission), *counts) != (
            stored.fingerprint,
            stored.n_missing,
            stored.n_unusable,
        ):
            raise ValueError("not what was loaded")
        if stored.replaced_in is None and stored.gold_id != load.gold_id:
            raise ValueError("a submission of today that was scored on a gold of the past")
        session.expunge(stored)


def task_of(load: LoadRow) -> Task:
    """The task as a load says it is; a policy that is newer than the load is in force by default."""
    settings = of_type(dict, load.settings)
    label_set = {**of_type(dict, settings.get("label_set")), "labels": existing(load.gold).labels}
    task: Task = value_of(Task, {**settings, "slug": load.task.slug, "label_set": label_set})
    if any(getattr(task.policies, slug) not in kind.values for slug, kind in POLICY_KINDS.items()):
        raise ValueError("a policy that does not exist")
    return task


def labels_of(gold: GoldRow) -> tuple[str, ...]:
    """The label set of a gold; raises as `task_of`."""
    return tuple(value_of(tuple[str, ...], gold.labels))


def rejections_of(load: LoadRow) -> tuple[Rejection, ...]:
    """The files that a load did not accept, with their issues; raises as `task_of`."""
    return tuple(value_of(tuple[Rejection, ...], load.rejections))


def journal_of(load: LoadRow) -> tuple[JournalEntry, ...]:
    """The journal of a load, after comparing what the load says in words with its digest."""
    journal: tuple[JournalEntry, ...] = value_of(tuple[JournalEntry, ...], load.journal)
    if words_of_load(journal, task_of(load).assumptions, rejections_of(load)) != load.words_digest:
        raise ValueError("not the words that were written")
    return journal


def existing(row: Row | None) -> Row:
    """A row that another one refers to."""
    if row is None:
        raise ValueError("a row refers to one that does not exist")
    return row


def _outline(session: Session, load: LoadRow) -> Campaign:
    task = task_of(load)
    sources = {}
    tables = {}  # the files of published scores, of which there may be several
    for row in load.files:
        source = _source(row.path, existing(row.source_file))
        sources[row.kind] = source
        if row.kind == "published":
            tables[row.path] = source
    if not sources.keys() <= set(FILE_KINDS):
        raise ValueError("a file of a kind that does not exist")
    published: tuple[Published, ...] = ()
    if load.published is not None:
        published = value_of(tuple[Published, ...], load.published)
    return Campaign(
        task=task,
        gold=_gold(session, load, task.label_set, sources),
        submissions=(),
        rejections=rejections_of(load),
        ignored=value_of(tuple[str, ...], load.ignored),
        settings=sources.get("settings"),
        roster=sources.get("roster"),
        journal=journal_of(load),
        published=tuple(replace(table, source=tables.get(table.path)) for table in published),
        options=options_of(load.task.options),
        label_names_file=sources.get("label-names"),
        further_files=tuple(
            existing(_source(row.path, existing(row.source_file)))
            for row in sorted(load.files, key=lambda row: row.path)
            if row.kind == "scores"
        ),
    )


def _checked(
    campaign: Campaign, load: LoadRow, fingerprints: Iterable[str] | None = None
) -> Campaign:
    """The campaign, after comparing its fingerprint; those of its submissions where they are known already."""
    if campaign.task.scored_labels or campaign.task.label_set.supports(Feature.NUMBERS):
        shape = shape_of_scores(campaign)
        submissions = []
        for submission in campaign.submissions:
            scores = submission.scores
            if scores is not None:
                scores = scores.reshape(shape)
            submissions.append(replace(submission, scores=scores))
        campaign = replace(campaign, submissions=tuple(submissions))
    if fingerprints is None:
        fingerprints = map(fingerprint_of_submission, campaign.submissions)
    if fingerprint_of_campaign(campaign, fingerprints) != load.fingerprint:
        raise ValueError("not what was loaded")
    return campaign


def _gold(
    session: Session, load: LoadRow, label_set: LabelSet, sources: Mapping[str, SourceFile | None]
) -> Gold:
    query = "SELECT external_id, code, group_code FROM item WHERE gold_id = ? ORDER BY position"
    cursor = existing(session.connection().exec_driver_sql(query, (load.gold_id,)).cursor)
    ids, classes, group_codes = zip(*cursor.fetchall(), strict=True)
    row = existing(load.gold)
    if not set(map(type, ids)) <= {str, type(None)}:
        raise ValueError("an item's id is no text")
    codes = canonical(_integers(classes), len(label_set), len(label_set))
    codes.setflags(write=False)  # as those of submissions, which stand on the bytes that were read
    groups = None
    if group_codes.count(None) < len(group_codes):
        groups = _integers(group_codes)
    return Gold(
        label_set=label_set,
        codes=codes,
        item_ids=tuple(external_id for external_id in ids if external_id is not None) or None,
        source=sources.get("gold"),
        groups=groups,
        unit=row.unit,
        group_file=sources.get("groups"),
        stratified=row.stratified,
        slices=_slices(row),
        own=_own(row),
        numbers=unpacked_numbers(row.numbers, row.n_items),
        weights=unpacked_numbers(row.weights, row.n_items),
    )


def _slices(row: GoldRow) -> tuple[SliceColumn, ...]:
    columns = value_of(tuple[tuple[str, tuple[str, ...]], ...], row.slices)
    codes = np.frombuffer(row.slice_codes, np.uint8).reshape(len(columns), row.n_items)
    return tuple(
        SliceColumn(name, values, canonical(of_items, len(values), MOST_SLICES))
        for (name, values), of_items in zip(columns, codes, strict=True)
    )


def _integers(values: Sequence[object]) -> NDArray[np.int64]:
    """The integers of a column, as an array that cannot be changed."""
    if set(map(type, values)) != {int}:
        raise ValueError("no whole number where there has to be one")
    integers = np.array(values, dtype=np.int64)
    integers.setflags(write=False)
    return integers


_IS_CURRENT = SubmissionRow.replaced_in.is_(None)


def _rows(
    session: Session,
    load: LoadRow,
    *chosen: ColumnElement[bool],
    with_files: bool,
    with_codes: bool = True,
) -> Iterable[SubmissionRow]:
    """The chosen submissions of a load's gold, in their order."""
    file = selectinload(SubmissionRow.source_file)
    if not with_files:
        file = file.defer(SourceFileRow.compressed)
    query = select(SubmissionRow).where(SubmissionRow.gold_id == load.gold_id, *chosen)
    query = query.options(file).order_by(SubmissionRow.position, SubmissionRow.id)
    if not with_codes:
        query = query.options(defer(SubmissionRow.codes))
    return session.scalars(query)


def _submission(row: SubmissionRow, given: Codes | PackedCodes) -> Submission:
    issues: tuple[Issue, ...] = value_of(tuple[Issue, ...], row.issues)
    if words_of_submission(issues) != row.words_digest:
        raise ValueError("not the words that were written")
    scores = None
    if row.scores is not None:
        scores = unpacked_scores(row.scores)
    has_bytes = "compressed" in vars(row.source_file or row)  # it was not deferred
    return Submission(
        team=row.team,
        given=given,
        run=row.run,
        unusable_labels=value_of(tuple[tuple[str, int], ...], row.unusable_labels),
        issues=issues,
        source=_source(row.path, row.source_file, with_bytes=has_bytes),
        role=Role(row.role),
        origin=Origin(row.affiliation, row.paper),
        scores=scores,
    )


def _source(
    path: str | None, row: SourceFileRow | None, *, with_bytes: bool = True
) -> SourceFile | None:
    if path is None or row is None:
        return None
    content = None
    if with_bytes:
        content = row.intact
    return SourceFile(path, row.sha256, row.size, content)
