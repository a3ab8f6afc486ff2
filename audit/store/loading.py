"""Rows → campaign, checked against the fingerprint that was taken when they were written."""

import json
from collections.abc import Iterable

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, selectinload

from audit.domain import (
    DEFAULT_POLICIES,
    STRICT_POLICIES,
    Campaign,
    Gold,
    LabelSet,
    Prevalence,
    Rejection,
    Resampling,
    SourceFile,
    Submission,
    Task,
)
from audit.errors import Issue
from audit.store.packing import canonical, fingerprint_of_campaign, fingerprint_of_submission, unpacked
from audit.store.summaries import official_metric
from audit.store.tables import GoldRow, IssueRow, ItemRow, LoadRow, SourceFileRow, SubmissionRow


def campaign_of(session: Session, load: LoadRow) -> Campaign:
    """The campaign as a task's latest load left it.

    Raises
    ------
    ValueError, and whatever else rows can raise that no program of ours wrote
        When the store is damaged.
    """
    label_set = LabelSet(tuple(label.name for label in load.gold.labels), load.labels_declared)
    campaign = Campaign(
        task=_task(load, label_set),
        gold=_gold(session, load, label_set),
        submissions=tuple(_submission(row, load.gold.n_items, len(label_set)) for row in _current(session, load)),
        rejections=tuple(Rejection(row.path, _issues(row.issues)) for row in load.rejections),
        ignored=tuple(row.path for row in load.ignored_files),
        settings=_source(load.settings_path, load.settings_file),
    )
    fingerprints = map(fingerprint_of_submission, campaign.submissions)
    if fingerprint_of_campaign(campaign, fingerprints) != load.fingerprint:
        raise ValueError("not what was loaded")
    return campaign


def _task(load: LoadRow, label_set: LabelSet) -> Task:
    return Task(
        slug=load.task.slug,
        title=load.title,
        label_set=label_set,
        official_metric=official_metric(load),
        official_decimals=load.official_decimals,
        policies=STRICT_POLICIES if load.strict else DEFAULT_POLICIES,
        prevalences=tuple(
            Prevalence(row.name, tuple((share.label, share.share) for share in row.shares)) for row in load.prevalences
        ),
        assumptions=tuple(row.sentence for row in load.assumptions),
        resampling=Resampling(load.n_replicates, load.seed),
    )


def _gold(session: Session, load: LoadRow, label_set: LabelSet) -> Gold:
    ids, classes = _items(session, load.gold)
    codes = canonical(np.array(classes), len(label_set), len(label_set))
    codes.setflags(write=False)  # as those of submissions, which stand on the bytes that were read
    return Gold(
        label_set=label_set,
        codes=codes,
        item_ids=tuple(external_id for external_id in ids if external_id is not None) or None,
        source=_source(load.gold_path, load.gold_file),
    )


def _items(session: Session, gold: GoldRow) -> tuple[tuple[str | None, ...], tuple[int, ...]]:
    items = select(ItemRow.external_id, ItemRow.code).where(ItemRow.gold_id == gold.id).order_by(ItemRow.position)
    ids, codes = zip(*session.connection().execute(items), strict=True)
    return ids, codes


def _current(session: Session, load: LoadRow) -> Iterable[SubmissionRow]:
    current = select(SubmissionRow).where(SubmissionRow.gold_id == load.gold_id, SubmissionRow.replaced_in.is_(None))
    with_parts = current.options(
        joinedload(SubmissionRow.source_file),
        selectinload(SubmissionRow.unusable_labels),
        selectinload(SubmissionRow.issues),
    )
    return session.scalars(with_parts.order_by(SubmissionRow.position))


def _submission(row: SubmissionRow, n_items: int, n_classes: int) -> Submission:
    return Submission(
        team=row.team,
        codes=unpacked(row.codes, n_items, n_classes),
        run=row.run,
        unusable_labels=tuple((label.label, label.count) for label in row.unusable_labels),
        issues=_issues(row.issues),
        source=_source(row.path, row.source_file),
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
        lines=tuple(json.loads(row.lines)),
        count=row.count,
        fatal=row.fatal,
    )


def _source(path: str | None, row: SourceFileRow | None) -> SourceFile | None:
    if path is None or row is None:
        return None
    return SourceFile(path, row.sha256, row.size, row.intact)
