"""What a name in the store stands for, one task or all tracks of a campaign; and what is asked of such a campaign."""

import csv
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import UsageError
from audit.execution import THIS_PROCESS, Executor, Steps
from audit.text import did_you_mean, listed, quoted, visible
from audit.workflow.stored_tasks import compare_loads, read_evaluation
from audit.workflow.written_files import (
    check_vacant,
    exported_track,
    report_paths,
    write_campaign,
    write_campaign_report,
    write_folder,
    write_report,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit.findings.campaign import CampaignFindings
    from audit.findings.revision.difference import Difference
    from audit.store import TaskSummary
    from audit.writers.bundle.folder import ExportOptions

_SHOWN = 12


@dataclass(frozen=True)
class Named:
    """What a name stands for."""

    name: str  # of the task, or of the campaign
    slugs: tuple[str, ...]  # its tasks: one, or the tracks in their order
    is_campaign: bool = False


def resolve(name: str | None, store: Path, track: str | None = None) -> Named:
    """The task or the campaign that a name stands for; without a name, the only one of the store.

    A track chooses one of a campaign's, by its name in task.toml or by its task's. UsageError where there is none.
    """
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        tasks = opened.tasks_as_loaded()
    if not tasks:
        raise UsageError(
            "The store is empty. Load a campaign first: audit run --gold GOLD SUBMISSIONS…"
        )
    if name is None:
        named = _only(tasks)
    else:
        named = _named(name, tasks)
    if track is None:
        return named
    if not named.is_campaign:
        raise UsageError(
            f"{quoted(named.name)} is a single task, and has no tracks: leave out --track."
        )
    return Named(named.name, (_track(named, tasks, track),))


def _only(tasks: "Sequence[TaskSummary]") -> Named:
    """The only task, or the only campaign."""
    names = list(dict.fromkeys(task.family or task.slug for task in tasks))
    if len(names) > 1:
        raise UsageError(
            f"The store holds {listed(list(map(quoted, names)), limit=_SHOWN)}: name one of them."
        )
    return _named(names[0], tasks)


def _named(name: str, tasks: "Sequence[TaskSummary]") -> Named:
    slugs = tuple(task.slug for task in tasks)
    if name in slugs:
        return Named(name, (name,))
    of_campaign = tuple(task.slug for task in tasks if task.family == name)
    if of_campaign:
        return Named(name, of_campaign, is_campaign=True)
    campaigns = [task.family for task in tasks if task.family is not None]
    near = did_you_mean(name, list(dict.fromkeys([*slugs, *campaigns])))
    raise UsageError(f"The store has no task {quoted(name)}.{near}")


def _track(named: Named, tasks: "Sequence[TaskSummary]", track: str) -> str:
    """The task of one track."""
    tracks = {task.part or task.slug: task.slug for task in tasks if task.slug in named.slugs}
    if track in named.slugs:
        return track
    if track not in tracks:
        near = did_you_mean(track, list(tracks))
        shown = listed(list(map(quoted, tracks)), limit=_SHOWN)
        raise UsageError(
            f"{quoted(named.name)} has no track {quoted(track)}.{near} Its tracks are {shown}."
        )
    return tracks[track]


def read_campaign(
    named: Named,
    store: Path,
    *,
    by: str | None = None,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> "CampaignFindings":
    """Evaluate every track of a campaign as the store holds it, and leave the store as it is.

    The tracks are summed up by the campaign's own rule, or by another one: mean-score, mean-rank or borda.
    """
    from audit.findings.campaign import CampaignFindings

    evaluations = [
        read_evaluation(slug, store, executor=executor, on_step=on_step) for slug in named.slugs
    ]
    return CampaignFindings(evaluations, by)


def write_campaign_pages(
    found: "CampaignFindings", folder: Path | None, *, on_step: Steps | None = None
) -> tuple[Path, list[Path]]:
    """Write the page of a campaign and the report of each track into one folder."""
    slugs = [evaluation.task.slug for evaluation in found.evaluations]
    paths = report_paths(slugs, folder)
    for evaluation, path in zip(found.evaluations, paths, strict=True):
        write_report(evaluation, path, on_step=on_step)
    if len(paths) == 1:
        return write_campaign_report(
            found, paths[0].with_stem(f"{paths[0].stem}-campaign"), paths
        ), paths
    return write_campaign(found, paths), paths


def compare_campaign_loads(
    named: Named, store: Path, *, executor: Executor = THIS_PROCESS, on_step: Steps | None = None
) -> "tuple[CampaignFindings, CampaignFindings, list[tuple[Difference, tuple[str, str]]]]":
    """A campaign before and after the last load of each track, and what changed in the tracks that were loaded again.

    UsageError where every track was loaded once.
    """
    from audit.findings.campaign import CampaignFindings
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        n_loads = {slug: opened.n_loads(slug) for slug in named.slugs}
    changed = [slug for slug in named.slugs if n_loads[slug] > 1]
    if not changed:
        raise UsageError(
            f"Every track of {quoted(named.name)} was loaded once: there is nothing to compare with. Load the folder "
            "again once it has changed: audit load FOLDER"
        )
    differences = {
        slug: compare_loads(slug, store, executor=executor, on_step=on_step) for slug in changed
    }
    before = []
    after = []
    for slug in named.slugs:
        if slug in differences:
            difference, _ = differences[slug]
            before.append(difference.before)
            after.append(difference.after)
        else:
            alike = read_evaluation(slug, store, executor=executor, on_step=on_step)
            before.append(alike)
            after.append(alike)
    return CampaignFindings(before), CampaignFindings(after), list(differences.values())


def export_campaign(  # noqa: PLR0913 - what a user may say of an export
    named: Named,
    folder: Path,
    store: Path,
    options: "ExportOptions | None" = None,
    *,
    teams: Path | None = None,
    overwrite: bool = False,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Path:
    """Write everything that the audit has to say of a campaign into one folder, all of it or nothing."""
    from audit.findings.campaign import CampaignFindings
    from audit.writers.bundle.campaign_folder import campaign_export, track_folders

    check_vacant(folder, overwrite=overwrite)
    about = None if teams is None else read_teams(teams)
    exports = [
        exported_track(slug, store, options, executor=executor, on_step=on_step)
        for slug in named.slugs
    ]
    found = CampaignFindings([evaluation for evaluation, _ in exports], about=about)
    files = {
        name: of_track for name, (_, of_track) in zip(track_folders(found), exports, strict=True)
    }
    return write_folder(folder, campaign_export(found, files), overwrite=overwrite)


def read_teams(path: Path) -> dict[str, dict[str, str]]:
    """What teams.csv says of each team, by the names of its columns."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"{visible(str(path), 200)} cannot be read: {visible(str(error), 200)}."
        ) from error
    rows = list(csv.DictReader(StringIO(text)))
    heads = [name.strip().casefold() for name in (rows[0] if rows else {}) if name]
    if "team" not in heads:
        raise UsageError(
            f"{visible(str(path), 200)} has no column “team”, which names the teams as they are ranked: its first line "
            f"has {listed([quoted(head) for head in heads], limit=_SHOWN) or 'nothing'}."
        )
    about = {}
    for row in rows:
        cells = {
            name.strip().casefold(): (value or "").strip() for name, value in row.items() if name
        }
        about[cells.pop("team")] = cells
    return about
