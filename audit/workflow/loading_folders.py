"""A campaign's folder into the store, and what stands there before: a sample, and drafts of files.csv and task.toml."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from audit.domain import Campaign, Task, can_be_data
from audit.errors import (
    MANIFEST,
    SETTINGS_FILE,
    AnotherTaskError,
    InputError,
    Issue,
    NotLoadedError,
    UsageError,
)
from audit.execution import THIS_PROCESS, Executor, Steps, of_step
from audit.resources import samples
from audit.text import did_you_mean, listed, quoted, slug_of, visible
from audit.workflow.written_files import write_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit.formats.door.beside_settings import FolderOpening
    from audit.formats.door.opening import Opening
    from audit.formats.settings.manifest import FileRow
    from audit.store import LoadSummary


@dataclass(frozen=True, eq=False)
class Loaded:
    """The result of loading a folder, for one of its test sets: what is to be said of it, not the answers."""

    task: Task
    issues: tuple[Issue, ...]
    rejected: tuple[str, ...]
    ignored: tuple[str, ...]
    summary: "LoadSummary"

    @property
    def unclaimed(self) -> tuple[str, ...]:
        """Files that no rule claims and that could hold labels: no documentation, score or picture."""
        return tuple(path for path in self.ignored if can_be_data(path))

    @classmethod
    def of(cls, campaign: Campaign, summary: "LoadSummary") -> Self:
        """What is to be said of a campaign that was loaded."""
        rejected = tuple(rejection.path for rejection in campaign.rejections)
        return cls(campaign.task, tuple(campaign.issues), rejected, campaign.ignored, summary)


def load(  # noqa: PLR0913 - what a user may say of a load
    source: "Path | Opening | FolderOpening",
    store: Path,
    *,
    skip_rejected: bool = False,
    strict: bool | None = None,
    keep_others: bool = False,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> tuple[Loaded, ...]:
    """Read every test set of a folder, or what was named, and keep them in the store, all of them or nothing.

    The executor reads the submissions only where there is much to read. Where others are kept, a folder whose task.toml
    states no slug does not replace a task with which it shares neither items nor teams. NotLoadedError is raised for
    files that keep the folder out of the store.
    """
    from audit.formats.campaign.campaigns import campaigns_of
    from audit.formats.files.tree import Tree
    from audit.formats.settings.parsing import settings_of
    from audit.store import open_store

    reading = of_step(on_step, "reading")
    try:
        with Tree(source) if isinstance(source, Path) else source.tree() as tree:
            campaigns = campaigns_of(
                tree,
                skip_rejected=skip_rejected,
                strict=strict,
                executor=executor,
                on_progress=reading,
            )
    except InputError as error:
        raise NotLoadedError(_as_asked(source, error.issues)) from error
    unnamed = {
        each.task.slug for each in campaigns if keep_others and settings_of(each).toml.slug is None
    }
    with open_store(store) as opened:
        try:
            summaries = opened.save_campaigns(*campaigns, keep=unnamed)
        except AnotherTaskError as error:
            task = campaigns[0].task
            folder = source if isinstance(source, Path) else source.folder
            advice = _store_advice(task) if folder is None else _slug_advice(folder, task)
            raise UsageError(f"{error} {advice}") from None
    loaded = map(Loaded.of, campaigns, summaries)
    return tuple(replace(each, issues=_as_asked(source, each.issues)) for each in loaded)


def _as_asked(
    source: "Path | Opening | FolderOpening", issues: "Sequence[Issue]"
) -> "tuple[Issue, ...]":
    """The issues, with options for remedies where files were named and no folder has settings."""
    if isinstance(source, Path) or source.folder is not None:
        return tuple(issues)
    from audit.formats.door.remedies import by_options

    return by_options(issues)


def issues_of(folder: Path) -> tuple[Issue, ...]:
    """Everything that is found in a folder's files, each by itself, whether or not it could be loaded."""
    from audit.formats.campaign.campaigns import read_campaigns

    try:
        campaigns = read_campaigns(folder, skip_rejected=True)
    except InputError as error:
        return error.issues
    return tuple(issue for campaign in campaigns for issue in campaign.issues)


def _slug_advice(folder: Path, task: Task) -> str:
    """The line of task.toml that gives a campaign a name of its own, and the one that lets it replace the other."""
    name = task.family or task.slug
    parent = folder.resolve().parent.name
    own = slug_of(f"{parent}-{name}" if parent else f"{name}-2")
    return (
        f'If it is another campaign, give it a name of its own at the top of {SETTINGS_FILE}: slug = "{own}". If it is '
        f'to replace the one in the store, state that name there: slug = "{name}".'
    )


def _store_advice(task: Task) -> str:
    """The option that keeps a campaign that was named file by file apart from another."""
    return f"If it is another campaign, keep it in a store of its own: --store {slug_of(f'{task.slug}-2')}.db."


def copy_sample(name: str, into: Path) -> Path:
    """Copy a sample campaign into a folder, under its own name."""
    names = sorted(path.name for path in samples().iterdir() if (path / SETTINGS_FILE).is_file())
    if name not in names:
        raise UsageError(
            f"There is no sample {quoted(name)}.{did_you_mean(name, names)} There are {listed(names)}."
        )
    folder = into / name
    if folder.exists():
        raise UsageError(f"{visible(str(folder), 200)} exists already.")
    try:
        shutil.copytree(samples() / name, folder)
    except OSError as error:
        raise InputError(
            [Issue.of("cannot-write", str(folder), error.strerror or str(error))]
        ) from error
    return folder


def write_draft(folder: Path, *, overwrite: bool = False) -> "tuple[list[Path], Sequence[FileRow]]":
    """Write files.csv into a campaign's folder, and task.toml where it has none; and its rows."""
    from audit.formats.door.draft import draft

    if (folder / MANIFEST).exists() and not overwrite:
        raise UsageError(
            f"{visible(str(folder / MANIFEST), 200)} exists already. --force adds what it lacks."
        )
    drafted = draft(folder)
    written = [write_text(folder / MANIFEST, drafted.files)]
    if drafted.settings is not None:
        written.append(write_text(folder / SETTINGS_FILE, drafted.settings))
    return written, drafted.rows
