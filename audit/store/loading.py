"""Rows → campaign, checked against the fingerprint that was taken when they were written."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, defer, selectinload

from audit.domain import (
    POLICY_KINDS,
    Campaign,
    ChosenRun,
    CodeRows,
    CodesFile,
    Gold,
    JournalEntry,
    LabelSet,
    Origin,
    Policies,
    Prevalence,
    PrintedScore,
    Published,
    PublishedColumn,
    Rejection,
    Role,
    SliceColumn,
    SourceFile,
    Submission,
    Task,
    code_dtype,
    temporary_file,
)
from audit.errors import Issue
from audit.store.packing import (
    canonical,
    fingerprint_of_campaign,
    fingerprint_of_submission,
    options_of_text,
    unpacked,
    unpacked_scores,
    whole_numbers,
    words_of_load,
    words_of_submission,
)
from audit.store.summaries import official_metric
from audit.store.tables import (
    GoldRow,
    IssueRow,
    LoadRow,
    PublishedScoreRow,
    PublishedTableRow,
    SliceColumnRow,
    SourceFileRow,
    SubmissionRow,
)

Row = TypeVar("Row")


def campaign_of(session: Session, load: LoadRow, *, with_files: bool = True) -> Campaign:
    """The campaign as a task's latest load left it; without files, the submissions have no bytes of theirs.

    Raises
    ------
    ValueError, UsageError
        When the store is damaged.
    """
    rows = _current(session, load, with_files=with_files)
    submissions = _submissions(rows, existing(load.gold), with_files=with_files)
    return _checked(replace(_outline(session, load), submissions=submissions), load)


def past_campaign_of(session: Session, load: LoadRow) -> Campaign:
    """The campaign as any load of a task left it, without the bytes of the submissions' files.

    A submission that later loads left as it was has the place that it has today, and one that they replaced the place
    that it had last. Files are read in the order of team and run, so where the places contradict the fingerprint, that
    order is tried.

    Raises
    ------
    ValueError, UsageError
        When the store is damaged.
    """
    outline = _outline(session, load)
    submissions = _submissions(_submissions_after(session, load), existing(load.gold), with_files=False)
    by_name = tuple(sorted(submissions, key=lambda each: (each.team, each.run or "")))
    with suppress(ValueError):
        return _checked(replace(outline, submissions=submissions), load)
    return _checked(replace(outline, submissions=by_name), load)


def _submissions(rows: Iterable[SubmissionRow], gold: GoldRow, *, with_files: bool) -> tuple[Submission, ...]:
    n_classes = len(gold.labels)
    return tuple(_submission(row, unpacked(row.codes, gold.n_items, n_classes), with_file=with_files) for row in rows)


def _submissions_after(session: Session, load: LoadRow) -> Iterable[SubmissionRow]:
    """The submissions that a load left: it or an earlier one brought them, and no load up to it ended them."""
    row = SubmissionRow
    conditions = (row.gold_id == load.gold_id, row.loaded_in <= load.id)
    query = select(row).where(*conditions, or_(row.replaced_in.is_(None), row.replaced_in > load.id))
    with_parts = query.options(
        selectinload(row.source_file).defer(SourceFileRow.compressed),
        selectinload(row.unusable_labels),
        selectinload(row.issues),
    )
    return session.scalars(with_parts.order_by(row.position, row.id))


@contextmanager
def mapped_campaign_of(session: Session, load: LoadRow) -> Iterator[Campaign]:
    """The campaign without the bytes of its files, its codes mapped from a temporary file that is then removed.

    Raises
    ------
    ValueError, UsageError
        When the store is damaged.
    OSError
        When the file cannot be written.
    """
    gold = existing(load.gold)
    with temporary_file(_packed_rows(session, load, gold)) as path:
        rows = list(_current(session, load, with_files=False, with_codes=False))
        names = tuple((row.team, row.run) for row in rows)
        file = CodesFile(path, gold.n_items, code_dtype(len(gold.labels)), names)
        table = CodeRows(path, (len(rows), gold.n_items), file.dtype, tuple(range(len(rows))))
        submissions = tuple(_submission(row, codes, with_file=False) for row, codes in zip(rows, table, strict=True))
        yield _checked(replace(_outline(session, load), submissions=submissions, codes_file=file), load)


def n_answers(session: Session, load: LoadRow) -> int:
    """How many answers the submissions of a task's latest load have together."""
    current = select(func.count()).where(SubmissionRow.gold_id == load.gold_id, SubmissionRow.replaced_in.is_(None))
    return session.scalars(current).one() * existing(load.gold).n_items


def _packed_rows(session: Session, load: LoadRow, gold: GoldRow) -> Iterator[NDArray[np.unsignedinteger]]:
    """The codes of each submission, checked, one at a time: a query for all would hold them all."""
    row, n_classes = SubmissionRow, len(gold.labels)
    current = select(row.id).where(row.gold_id == load.gold_id, row.replaced_in.is_(None)).order_by(row.position)
    for number in session.scalars(current).all():
        packed = session.scalars(select(row.codes).where(row.id == number)).one()
        yield unpacked(packed, gold.n_items, n_classes)


def outline_of(session: Session, load: LoadRow) -> Campaign:
    """The campaign without its submissions, of which only the fingerprints are read.

    Raises
    ------
    ValueError, UsageError
        When the store is damaged.
    """
    row = SubmissionRow
    current = select(row.fingerprint).where(row.gold_id == load.gold_id, row.replaced_in.is_(None))
    fingerprints = session.scalars(current.order_by(row.position))
    return _checked(_outline(session, load), load, fingerprints)


def check_outlines(session: Session) -> None:
    """Compare every task, as its latest load left it, with its fingerprint; of submissions none but theirs is read.

    Raises
    ------
    ValueError, UsageError
        When the store is damaged.
    """
    latest = select(func.max(LoadRow.id)).group_by(LoadRow.task_id)
    for load in session.scalars(select(LoadRow).where(LoadRow.id.in_(latest))).all():
        if outline_of(session, load).gold.n_items != existing(load.gold).n_items:
            raise ValueError("not as many items as it says")


def check_listed(session: Session, load: LoadRow) -> None:
    """Compare a task's latest load with its fingerprint, and every submission, past ones too, with that of its own.

    No file is read. A past submission of which the whole row was taken out is not missed: no order of those that a past
    load left is certain, so that their fingerprints together prove nothing.

    Raises
    ------
    ValueError, UsageError
        When the store is damaged: a row was changed, or one of today's is missing.
    """
    outline_of(session, load)
    _check_submissions(session, load)


def _check_submissions(session: Session, load: LoadRow) -> None:
    """Compare every submission of a task with its fingerprint, one at a time and without its file."""
    row = SubmissionRow
    of_task = select(row.id, GoldRow).join(GoldRow, row.gold_id == GoldRow.id).where(GoldRow.task_id == load.task_id)
    without_file = selectinload(row.source_file).defer(SourceFileRow.compressed)
    for number, gold in session.execute(of_task).all():
        stored = session.scalars(select(row).where(row.id == number).options(without_file)).one()
        n_classes = len(gold.labels)
        submission = _submission(stored, unpacked(stored.codes, gold.n_items, n_classes), with_file=False)
        counts = tuple(int((submission.codes == code).sum()) for code in (n_classes, n_classes + 1))
        if fingerprint_of_submission(submission) != stored.fingerprint or counts != (
            stored.n_missing,
            stored.n_unusable,
        ):
            raise ValueError("not what was loaded")
        if stored.replaced_in is None and stored.gold_id != load.gold_id:
            raise ValueError("a submission of today that was scored on a gold of the past")
        session.expunge(stored)


def policies_of(load: LoadRow) -> Policies:
    """The policies in force; a policy that is newer than the load is in force by default.

    Raises
    ------
    ValueError
        When one is none.
    """
    values = {row.slug: row.value for row in load.policies}
    if any(slug not in POLICY_KINDS or value not in POLICY_KINDS[slug].values for slug, value in values.items()):
        raise ValueError("a policy that does not exist")
    return Policies(**values, chosen=tuple(ChosenRun(row.team, row.run, row.reason) for row in load.chosen_runs))


def journal_of(load: LoadRow) -> tuple[JournalEntry, ...]:
    """The journal of a load, after comparing what the load says in words with its digest.

    Raises
    ------
    ValueError
        When it is not what was written.
    """
    journal = tuple(JournalEntry(row.action, row.subject, row.text, row.count) for row in load.journal)
    if words_of_load(journal, _assumptions(load), _rejections(load)) != load.words_digest:
        raise ValueError("not the words that were written")
    return journal


def existing(row: Row | None) -> Row:
    """A row that another one refers to.

    Raises
    ------
    ValueError
        When it is not there.
    """
    if row is None:
        raise ValueError("a row refers to one that does not exist")
    return row


def _outline(session: Session, load: LoadRow) -> Campaign:
    labels = tuple(label.name for label in existing(load.gold).labels)
    label_set = LabelSet(labels, load.labels_declared, tuple(row.name for row in load.label_names), load.rest_label)
    return Campaign(
        task=_task(load, label_set),
        gold=_gold(session, load, label_set),
        submissions=(),
        rejections=_rejections(load),
        ignored=tuple(row.path for row in load.ignored_files),
        settings=_source(load.settings_path, load.settings_file),
        roster=_source(load.roster_path, load.roster_file),
        journal=journal_of(load),
        published=None if load.published is None else _published(load.published),
        options=options_of_text(load.task.options),
        label_names_file=_source(load.label_names_path, load.label_names_file),
    )


def _rejections(load: LoadRow) -> tuple[Rejection, ...]:
    return tuple(Rejection(row.path, _issues(row.issues)) for row in load.rejections)


def _assumptions(load: LoadRow) -> tuple[str, ...]:
    return tuple(row.sentence for row in load.assumptions)


def _published(row: PublishedTableRow) -> Published:
    """The published scores as they were read."""
    scores = {(score.column_position, score.team_position): score for score in row.scores}
    return Published(
        path=row.path,
        teams=tuple(team.team for team in row.teams),
        columns=tuple(
            PublishedColumn(
                column.heading,
                tuple(_printed_score(scores.get((column.position, team.position))) for team in row.teams),
            )
            for column in row.columns
            if column.set_aside is None
        ),
        set_aside=tuple((column.heading, column.set_aside) for column in row.columns if column.set_aside is not None),
        source=_source(row.path, row.source_file),
    )


def _printed_score(row: PublishedScoreRow | None) -> PrintedScore | None:
    return None if row is None else PrintedScore(row.printed, row.units, row.decimals, row.percent)


def _checked(campaign: Campaign, load: LoadRow, fingerprints: Iterable[str] | None = None) -> Campaign:
    """The campaign, after comparing its fingerprint; those of its submissions where they are known already."""
    of_submissions = map(fingerprint_of_submission, campaign.submissions) if fingerprints is None else fingerprints
    if fingerprint_of_campaign(campaign, of_submissions) != load.fingerprint:
        raise ValueError("not what was loaded")
    return campaign


def _task(load: LoadRow, label_set: LabelSet) -> Task:
    return Task(
        slug=load.task.slug,
        title=load.title,
        note=load.note,
        label_set=label_set,
        official_metric=official_metric(load),
        official_decimals=load.official_decimals,
        policies=policies_of(load),
        prevalences=tuple(
            Prevalence(row.name, tuple((share.label, share.share) for share in row.shares)) for row in load.prevalences
        ),
        assumptions=_assumptions(load),
        family=load.family,
        part=load.part,
        overall=load.overall,
        weight=load.weight,
        scored_label=load.scored_label,
    )


def _gold(session: Session, load: LoadRow, label_set: LabelSet) -> Gold:
    ids, classes, groups = _items(session, load.gold_id)
    row = existing(load.gold)
    if not set(map(type, ids)) <= {str, type(None)}:
        raise ValueError("an item's id is no text")
    codes = canonical(_integers(classes), len(label_set), len(label_set))
    codes.setflags(write=False)  # as those of submissions, which stand on the bytes that were read
    return Gold(
        label_set=label_set,
        codes=codes,
        item_ids=tuple(external_id for external_id in ids if external_id is not None) or None,
        source=_source(load.gold_path, load.gold_file),
        groups=None if groups.count(None) == len(groups) else _integers(groups),
        unit=row.unit,
        group_file=_source(load.group_path, load.group_file),
        stratified=row.stratified,
        slices=tuple(_slice_column(each, row.n_items) for each in row.slices),
    )


def _slice_column(row: SliceColumnRow, n_items: int) -> SliceColumn:
    codes = np.frombuffer(row.codes, np.uint8)
    if codes.size != n_items:
        raise ValueError(f"{codes.size} values of slices for {n_items} items")
    return SliceColumn(row.name, tuple(value.name for value in row.values), codes)


def _items(session: Session, gold_id: int) -> Iterable[tuple[Any, ...]]:
    """The id, class and group of every item, read past SQLAlchemy, whose care for each row takes too long."""
    query = "SELECT external_id, code, group_code FROM item WHERE gold_id = ? ORDER BY position"
    cursor = existing(session.connection().exec_driver_sql(query, (gold_id,)).cursor)
    return zip(*cursor.fetchall(), strict=True)


def _integers(values: Sequence[object]) -> NDArray[np.int64]:
    """The integers of a column, as an array that cannot be changed."""
    if set(map(type, values)) != {int}:
        raise ValueError("no whole number where there has to be one")
    integers = np.array(values, dtype=np.int64)
    integers.setflags(write=False)
    return integers


def _current(session: Session, load: LoadRow, *, with_files: bool, with_codes: bool = True) -> Iterable[SubmissionRow]:
    file = selectinload(SubmissionRow.source_file)
    current = select(SubmissionRow).where(SubmissionRow.gold_id == load.gold_id, SubmissionRow.replaced_in.is_(None))
    with_parts = current.options(
        file if with_files else file.defer(SourceFileRow.compressed),
        selectinload(SubmissionRow.unusable_labels),
        selectinload(SubmissionRow.issues),
    )
    if not with_codes:
        with_parts = with_parts.options(defer(SubmissionRow.codes))
    return session.scalars(with_parts.order_by(SubmissionRow.position))


def _submission(row: SubmissionRow, codes: NDArray[np.unsignedinteger], *, with_file: bool) -> Submission:
    issues = _issues(row.issues)
    if words_of_submission(issues) != row.words_digest:
        raise ValueError("not the words that were written")
    return Submission(
        team=row.team,
        codes=codes,
        run=row.run,
        unusable_labels=tuple((label.label, label.count) for label in row.unusable_labels),
        issues=issues,
        source=_source(row.path, row.source_file, with_bytes=with_file),
        role=Role(row.role),
        origin=Origin(row.affiliation, row.paper),
        scores=None if row.scores is None else unpacked_scores(row.scores, codes.size),
    )


def _issues(rows: Iterable[IssueRow]) -> tuple[Issue, ...]:
    return tuple(map(_issue, rows))


def _issue(row: IssueRow) -> Issue:
    return Issue(
        slug=row.slug,
        file=row.file,
        found=row.found,
        expected=row.expected,
        remedy=row.remedy,
        lines=whole_numbers(row.lines),
        count=row.count,
        fatal=row.fatal,
    )


def _source(path: str | None, row: SourceFileRow | None, *, with_bytes: bool = True) -> SourceFile | None:
    if path is None or row is None:
        return None
    return SourceFile(path, row.sha256, row.size, row.intact if with_bytes else None)
