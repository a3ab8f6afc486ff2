"""What a store holds and what a load changed, in short."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from audit.domain import Role, ScoreKey
from audit.store.loading import existing, outline_of
from audit.store.tables import GoldRow, LoadRow, SourceFileRow, SubmissionRow, TaskRow
from audit.store.types import optional


@dataclass(frozen=True)
class LoadSummary:
    """The changes that a load made.

    Parameters
    ----------
    created : bool
        Whether the task is new in the store.
    added, replaced, unchanged, removed : tuple of str
        Names of submissions, TEAM or TEAM/RUN: new ones; those whose file, reading or gold changed; those as they
        were; and those that are in the campaign no more.
    gold_changed : bool
        Whether the task had another gold before, which went into history with all of its submissions.
    """

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


@dataclass(frozen=True)
class TaskSummary:
    """A task in the store.

    Parameters
    ----------
    slug, title : str
        The name on the command line, and the name for readers.
    n_items, n_classes, n_submissions : int
        Gold items, labels of the label set, and current submissions.
    official_metric : ScoreKey, optional
        The metric the campaign announced.
    loaded_at : str
        When it was loaded last, in UTC, ISO 8601.
    family, part : str, optional
        The campaign that it is one test set of, and which; None where the campaign has one only.
    """

    slug: str
    title: str
    n_items: int
    n_classes: int
    n_submissions: int
    official_metric: ScoreKey | None
    loaded_at: str
    family: str | None = None
    part: str | None = None


@dataclass(frozen=True)
class SubmissionSummary:
    """A submission in the store, without its predictions.

    Parameters
    ----------
    team, run : str
        The team's name, and the run's where there is one.
    path, sha256, size : str and int, optional
        The file, its digest, and its bytes; None for arrays.
    n_missing, n_unusable : int
        Items with no label, and with a label outside the label set.
    loaded_at : str
        When it was loaded, in UTC, ISO 8601.
    replaced_at : str, optional
        When it was replaced or removed; None for a current submission.
    role : Role
        What the run is to the campaign.
    """

    team: str
    run: str | None
    path: str | None
    sha256: str | None
    size: int | None
    n_missing: int
    n_unusable: int
    loaded_at: str
    replaced_at: str | None
    role: Role


def task_summaries(session: Session) -> Iterator[TaskSummary]:
    """Every task as its latest load left it, in the order of their slugs, after comparing it with its fingerprint.

    Raises
    ------
    ValueError, UsageError
        When the store is damaged.
    """
    latest = select(func.max(LoadRow.id)).group_by(LoadRow.task_id)
    loads = select(LoadRow).join(TaskRow, LoadRow.task_id == TaskRow.id).where(LoadRow.id.in_(latest))
    for load in session.scalars(loads.order_by(TaskRow.slug)):
        outline, gold = outline_of(session, load), existing(load.gold)
        if outline.gold.n_items != gold.n_items:
            raise ValueError("not as many items as it says")
        task, of_gold = outline.task, SubmissionRow.gold_id == gold.id
        current = select(func.count()).where(of_gold, SubmissionRow.replaced_in.is_(None))
        yield TaskSummary(
            slug=task.slug,
            title=task.title,
            n_items=gold.n_items,
            n_classes=len(task.label_set),
            n_submissions=session.scalars(current).one(),
            official_metric=task.official_metric,
            loaded_at=load.loaded_at,
            family=task.family,
            part=task.part,
        )


def submission_summaries(session: Session, task_id: int) -> Iterator[SubmissionSummary]:
    """A task's submissions: the current ones in their order, then those of history, latest first."""
    row, loaded, replaced = SubmissionRow, aliased(LoadRow), aliased(LoadRow)
    file = (optional(SourceFileRow.sha256).label("sha256"), optional(SourceFileRow.size).label("size"))
    columns = (row.team, row.run, row.path, *file, row.n_missing, row.n_unusable, loaded.loaded_at)
    submissions = (
        select(*columns, optional(replaced.loaded_at).label("replaced_at"), row.role)
        .join(GoldRow, row.gold_id == GoldRow.id)
        .join(loaded, row.loaded_in == loaded.id)
        .outerjoin(replaced, row.replaced_in == replaced.id)
        .outerjoin(SourceFileRow, row.source_file_id == SourceFileRow.id)
        .where(GoldRow.task_id == task_id)
        .order_by(row.replaced_in.desc().nulls_first(), row.position, row.id)
    )
    for stored in session.execute(submissions).mappings():
        yield SubmissionSummary(**{**stored, "role": Role(stored["role"])})
