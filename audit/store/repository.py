"""The store: the one place that the rest of the program asks for what it keeps."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Self

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from audit.domain import Campaign, Evaluation
from audit.errors import UsageError
from audit.execution import spans
from audit.store import loading, saving
from audit.store.history import (
    LoadEvent,
    SubmissionSummary,
    TaskSummary,
    history_of,
    submission_summaries,
    task_summaries,
)
from audit.store.saving import LoadSummary
from audit.store.sqlite_file import (
    check_pages,
    check_types,
    complaints_about,
    damage_in,
    engine_for,
    for_writing,
    ready,
)
from audit.store.tables import LoadRow, TaskRow
from audit.text import did_you_mean, listed, quoted, visible


def open_store(path: Path, *, create: bool = True) -> "Store":
    """Open a store, after creating or upgrading it where need be.

    A store of an older release is copied beside itself (``audit.db.before-REVISION``) before it is upgraded.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_store(Path(folder) / "audit.db") as store:
    ...     store.tasks()
    ()
    """
    ready(path, create=create)
    return Store(path)


class Store:
    """A store of campaigns and their evaluations; :func:`open_store` makes one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = engine_for(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file (no connection is kept open between calls)."""
        self._engine.dispose()

    def save_campaigns(
        self, *campaigns: Campaign, keep: Collection[str] = ()
    ) -> tuple[LoadSummary, ...]:
        """Make each campaign what the store holds of its task, all of them or none, and keep what they replace."""
        with self._writing() as session:
            return saving.save(session, campaigns, self.path, keep)

    def load_campaign(self, slug: str, *, with_files: bool = True) -> Campaign:
        """The campaign that was saved last under this slug."""
        with self._reading_task(slug) as (session, load):
            return loading.campaign_of(session, load, with_files=with_files)

    def n_loads(self, slug: str) -> int:
        """The number of loads that changed something of a task: its history counts them from 1."""
        with self._reading() as session:
            return len(saving.loads_of(session, self._latest_load(session, slug).task_id))

    def past_campaign(self, slug: str, number: int) -> Campaign:
        """The campaign as one load left it, with the bytes of its submissions' files of spans alone."""
        with self._reading() as session:
            loads = saving.loads_of(session, self._latest_load(session, slug).task_id)
            if not 1 <= number <= len(loads):
                if len(loads) == 1:
                    has = "one load"
                else:
                    has = f"{len(loads):,} loads"
                raise UsageError(
                    f"The task {quoted(slug)} has {has} in its history, and no load {number}: "
                    f"audit history {visible(slug)}"
                )
            with damage_in(self.path):
                return loading.past_campaign_of(session, loads[number - 1])

    @contextmanager
    def campaign_to_evaluate(self, slug: str) -> Iterator[Campaign]:
        """The campaign that was saved last under this slug, with the bytes of its submissions' files of spans alone.

        The codes of a large campaign, of more than 2^26 answers, are mapped from a file in the folder for temporary
        files, which is gone when the context is left, however it is left; no result may need a code after that.
        """
        with ExitStack() as stack:
            yield self._campaign_to_evaluate(slug, stack)

    def _campaign_to_evaluate(self, slug: str, stack: ExitStack) -> Campaign:
        with self._reading_task(slug) as (session, load):
            if len(spans(loading.n_answers(session, load), 1)) == 1:
                return loading.campaign_of(session, load, with_files=loading.is_of_spans(load))
            try:
                return stack.enter_context(loading.mapped_campaign_of(session, load))
            except OSError:  # SQLite's errors are others
                with complaints_about(Path(gettempdir())):
                    raise

    def load_outline(self, slug: str) -> Campaign:
        """The campaign that was saved last under this slug, without its submissions: what a check of a file needs."""
        with self._reading_task(slug) as (session, load):
            return loading.outline_of(session, load)

    def tasks(self) -> tuple[TaskSummary, ...]:
        """The tasks of the store, in the order of their slugs, each as it was written."""
        with self._reading() as session, damage_in(self.path):
            return tuple(task_summaries(session))

    def tasks_as_loaded(self) -> tuple[TaskSummary, ...]:
        """The tasks of the store, in the order in which they were first loaded: tracks as their campaign has them."""
        with self._reading() as session, damage_in(self.path):
            numbers = {
                row.slug: row.id for row in session.execute(select(TaskRow.slug, TaskRow.id))
            }
            return tuple(sorted(task_summaries(session), key=lambda task: numbers[task.slug]))

    def submissions(self, slug: str) -> tuple[SubmissionSummary, ...]:
        """A task's submissions: the current ones in their order, then those of history, latest first."""
        with self._reading_task(slug) as (session, load):
            loading.check_listed(session, load)
            return tuple(submission_summaries(session, load.task_id))

    def history(self, slug: str) -> tuple[LoadEvent, ...]:
        """Every load of a task that changed something, latest first."""
        with self._reading_task(slug) as (session, load):
            loading.check_listed(session, load)
            return history_of(session, load.task_id)

    def save_evaluation(self, evaluation: Evaluation, document: Mapping[str, Any]) -> None:
        """Keep all that was computed beside the load that it was computed from."""
        with self._writing() as session:
            load = self._latest_load(session, evaluation.task.slug)
            saving.save_evaluation(session, load, evaluation, document, self.path)

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with complaints_about(self.path), Session(self._engine) as session, session.begin():
            check_types(session.connection(), self.path)
            yield session

    @contextmanager
    def _reading_task(self, slug: str) -> Iterator[tuple[Session, LoadRow]]:
        """A task's latest load; what is built from its rows and contradicts itself is damage."""
        with self._reading() as session:
            load = self._latest_load(session, slug)
            with damage_in(self.path):
                yield session, load

    @contextmanager
    def _writing(self) -> Iterator[Session]:
        with (
            complaints_about(self.path),
            Session(for_writing(self._engine)) as session,
            session.begin(),
        ):
            check_types(session.connection(), self.path)
            yield session

    def _latest_load(self, session: Session, slug: str) -> LoadRow:
        with damage_in(self.path):
            load = saving.latest_load(session, slug)
            if load:
                near = ""
            else:
                near = _parts_or_near(session, slug)
        if load is None:
            # a damaged index hides what is there
            check_pages(session.connection(), self.path, indices=True)
            raise UsageError(f"The store has no task {quoted(slug)}.{near}")
        return load


def _parts_or_near(session: Session, slug: str) -> str:
    """A hint: a part of the campaign of this name, or a task with a name like it."""
    of_family = select(LoadRow.task_id).where(
        func.json_extract(LoadRow.settings, "$.family") == slug
    )
    parts = session.scalars(
        select(TaskRow.slug).where(TaskRow.id.in_(of_family)).order_by(TaskRow.slug)
    ).all()
    if parts:
        shown = listed([quoted(part) for part in parts], limit=12)
        return f" It is a campaign of several test sets, and each is a task: {shown}. Name one of them."
    return did_you_mean(slug, session.scalars(select(TaskRow.slug)))
