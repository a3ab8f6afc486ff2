"""Domain values → rows, one function for each kind."""

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.domain import (
    POLICY_KINDS,
    Campaign,
    JournalEntry,
    Policies,
    Prevalence,
    Published,
    Rejection,
    SourceFile,
    Submission,
)
from audit.errors import Issue
from audit.store.packing import fingerprint_of_submission, words_of_campaign, words_of_submission
from audit.store.tables import (
    AssumptionRow,
    Base,
    ChosenRunRow,
    IgnoredFileRow,
    IssueRow,
    JournalRow,
    LabelNameRow,
    LoadRow,
    PolicyRow,
    PrevalenceRow,
    PrevalenceShareRow,
    PublishedColumnRow,
    PublishedScoreRow,
    PublishedTableRow,
    PublishedTeamRow,
    RejectionRow,
    SubmissionRow,
    UnusableLabelRow,
)

FileIds = Mapping[str, int]
"""The row of each original file, by the SHA-256 of its bytes."""


def now() -> str:
    """The time in UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def program_version() -> str:
    """The version of the installed program."""
    with suppress(metadata.PackageNotFoundError):
        return metadata.version("shared-task-auditor")
    return "unknown"


def undefined_as_null(values: NDArray[np.float64]) -> Any:  # noqa: ANN401 - lists, as deep as the array
    """An array's numbers as columns have them.

    Examples
    --------
    >>> undefined_as_null(np.array([[0.5, np.nan]]))
    [[0.5, None]]
    """
    numbers = values.astype(object)
    numbers[np.isnan(values)] = None
    return numbers.tolist()


def source_file_row(source: SourceFile) -> dict[str, Any]:
    """An original file's bytes."""
    return {
        "sha256": source.sha256,
        "size": source.size,
        "crc32": zlib.crc32(source.packed),
        "compressed": source.packed,
    }


def load_row(campaign: Campaign, files: FileIds) -> LoadRow:
    """A load, with all that the campaign says beside its labels."""
    task, settings, roster = campaign.task, campaign.settings, campaign.roster
    gold_file, group_file, names_file = campaign.gold.source, campaign.gold.group_file, campaign.label_names_file
    official = task.official_metric
    return LoadRow(
        loaded_at=now(),
        program_version=program_version(),
        title=task.title,
        note=task.note,
        labels_declared=task.label_set.declared,
        rest_label=task.label_set.rest,
        official_metric=official and official.metric,
        official_prevalence=official and official.prevalence,
        official_decimals=task.official_decimals,
        family=task.family,
        part=task.part,
        overall=task.overall,
        weight=task.weight,
        scored_label=task.scored_label,
        gold_path=gold_file and gold_file.path,
        gold_file_id=gold_file and files[gold_file.sha256],
        group_path=group_file and group_file.path,
        group_file_id=group_file and files[group_file.sha256],
        label_names_path=names_file and names_file.path,
        label_names_file_id=names_file and files[names_file.sha256],
        roster_path=roster and roster.path,
        roster_file_id=roster and files[roster.sha256],
        settings_path=settings and settings.path,
        settings_file_id=settings and files[settings.sha256],
        words_digest=words_of_campaign(campaign),
        label_names=[LabelNameRow(code=code, name=name) for code, name in enumerate(task.label_set.names)],
        policies=_policy_rows(task.policies),
        chosen_runs=[
            ChosenRunRow(position=at, team=chosen.team, run=chosen.run, reason=chosen.reason)
            for at, chosen in enumerate(task.policies.chosen)
        ],
        journal=[_journal_row(*numbered) for numbered in enumerate(campaign.journal)],
        prevalences=[_prevalence_row(*numbered) for numbered in enumerate(task.prevalences)],
        assumptions=[AssumptionRow(position=at, sentence=sentence) for at, sentence in enumerate(task.assumptions)],
        rejections=[_rejection_row(*numbered) for numbered in enumerate(campaign.rejections)],
        ignored_files=[IgnoredFileRow(position=at, path=path) for at, path in enumerate(campaign.ignored)],
    )


def published_rows(published: Published, load_id: int, files: FileIds) -> Iterator[list[Base]]:
    """A table of published scores: its rows, those first that others refer to."""
    source = published.source
    yield [
        PublishedTableRow(load_id=load_id, path=published.path, source_file_id=source and files[source.sha256]),
    ]
    yield [PublishedTeamRow(load_id=load_id, position=at, team=team) for at, team in enumerate(published.teams)]
    headings = [*((column.heading, None) for column in published.columns), *published.set_aside]
    yield [
        PublishedColumnRow(load_id=load_id, position=at, heading=heading, set_aside=reason)
        for at, (heading, reason) in enumerate(headings)
    ]
    yield [
        PublishedScoreRow(
            load_id=load_id,
            column_position=at,
            team_position=team,
            printed=score.text,
            units=score.units,
            decimals=score.decimals,
            percent=score.percent,
        )
        for at, column in enumerate(published.columns)
        for team, score in enumerate(column.scores)
        if score is not None
    ]


def _policy_rows(policies: Policies) -> list[PolicyRow]:
    return [PolicyRow(slug=slug, value=getattr(policies, slug)) for slug in POLICY_KINDS]


def _journal_row(position: int, entry: JournalEntry) -> JournalRow:
    return JournalRow(
        position=position, action=entry.action, subject=entry.subject, text=entry.text, count=int(entry.count)
    )


def _prevalence_row(position: int, prevalence: Prevalence) -> PrevalenceRow:
    shares = [
        PrevalenceShareRow(position=at, label=label, share=share) for at, (label, share) in enumerate(prevalence.shares)
    ]
    return PrevalenceRow(position=position, name=prevalence.name, shares=shares)


def _rejection_row(position: int, rejection: Rejection) -> RejectionRow:
    return RejectionRow(position=position, path=rejection.path, issues=_issue_rows(rejection.issues))


def submission_row(submission: Submission, n_classes: int, files: FileIds) -> SubmissionRow:
    """A submission whose codes are canonical, with its issues."""
    source = submission.source
    return SubmissionRow(
        team=submission.team,
        run=submission.run,
        path=source and source.path,
        source_file_id=source and files[source.sha256],
        n_missing=int(np.count_nonzero(submission.codes == n_classes)),
        n_unusable=int(np.count_nonzero(submission.codes == n_classes + 1)),
        fingerprint=fingerprint_of_submission(submission),
        words_digest=words_of_submission(submission.issues),
        codes=submission.codes.tobytes(),
        scores=None if submission.scores is None else submission.scores.astype("<f8").tobytes(),
        role=submission.role.value,
        affiliation=submission.origin.affiliation,
        paper=submission.origin.paper,
        unusable_labels=[
            UnusableLabelRow(position=at, label=label, count=int(count))
            for at, (label, count) in enumerate(submission.unusable_labels)
        ],
        issues=_issue_rows(submission.issues),
    )


def _issue_rows(issues: tuple[Issue, ...]) -> list[IssueRow]:
    return [_issue_row(*numbered) for numbered in enumerate(issues)]


def _issue_row(position: int, issue: Issue) -> IssueRow:
    return IssueRow(
        position=position,
        slug=issue.slug,
        file=issue.file,
        found=issue.found,
        expected=issue.expected,
        remedy=issue.remedy,
        lines=json.dumps(issue.lines, default=int),
        count=int(issue.count),
        fatal=bool(issue.fatal),
    )
