"""Domain values → rows, and what a campaign changes of what the store holds of its task."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from audit.domain import Campaign, Gold, SourceFile, Submission
from audit.store.column_types import plain
from audit.store.packing import fingerprint_of_submission, words_of_load, words_of_submission
from audit.store.tables import GoldRow, LoadFileRow, LoadRow, SubmissionRow
from audit.version import __version__

FileIds = Mapping[str, int]  # the row of each original file, by the SHA-256 of its bytes


def now() -> str:
    """The time in UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def source_file_row(source: SourceFile) -> dict[str, Any]:
    """An original file's bytes."""
    return {
        "sha256": source.sha256,
        "size": source.size,
        "crc32": zlib.crc32(source.packed),
        "compressed": source.packed,
    }


def gold_row(gold: Gold) -> GoldRow:
    """Gold whose codes are canonical, without its items."""
    return GoldRow(
        n_items=gold.n_items,
        labels=plain(gold.label_set.labels),
        unit=gold.unit,
        stratified=gold.stratified,
        slices=[[column.name, plain(column.values)] for column in gold.slices],
        slice_codes=b"".join(column.codes.tobytes() for column in gold.slices),
    )


def load_row(campaign: Campaign, files: FileIds) -> LoadRow:
    """A load, with all that the campaign says beside its labels."""
    published, settings = [replace(table, source=None) for table in campaign.published], plain(campaign.task)
    del settings["slug"], settings["label_set"]["labels"]  # which have columns of their own
    return LoadRow(
        loaded_at=now(),
        program_version=__version__,
        words_digest=words_of_load(campaign.journal, campaign.task.assumptions, campaign.rejections),
        settings=settings,
        journal=plain(campaign.journal),
        rejections=plain(campaign.rejections),
        ignored=plain(campaign.ignored),
        published=plain(published) if published else None,
        files=[
            LoadFileRow(kind=kind, path=source.path, source_file_id=files[source.sha256])
            for kind, source in files_of(campaign)
        ],
    )


def files_of(campaign: Campaign) -> list[tuple[str, SourceFile]]:
    """The original files of a campaign beside its submissions, with their kinds."""
    files = [
        ("gold", campaign.gold.source),
        ("groups", campaign.gold.group_file),
        ("label-names", campaign.label_names_file),
        ("roster", campaign.roster),
        ("settings", campaign.settings),
        *(("published", table.source) for table in campaign.published),
    ]
    return [(kind, source) for kind, source in files if source is not None]


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
        unusable_labels=plain(submission.unusable_labels),
        issues=plain(submission.issues),
    )


Name = tuple[str, str | None]  # a submission's team and run, which tell a task's submissions apart


@dataclass(frozen=True)
class LoadSummary:
    """The changes that a load made."""

    created: bool
    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    gold_changed: bool = False

    @property
    def n_submissions(self) -> int:
        """Submissions of the campaign as it is now."""
        return len(self.added) + len(self.replaced) + len(self.unchanged)

    @property
    def n_retired(self) -> int:
        """Submissions that went into history."""
        return len(self.replaced) + len(self.removed)


def name_of(submission: Submission) -> Name:
    """A submission's team and run."""
    return submission.team, submission.run


def shown(name: Name) -> str:
    """TEAM, or TEAM/RUN where there is a run.

    >>> shown(("UIUC", None)), shown(("UIUC", "2"))
    ('UIUC', 'UIUC/2')
    """
    team, run = name
    return team if run is None else f"{team}/{run}"
