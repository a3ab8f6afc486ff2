"""Steps that several commands take: a folder loaded, what is said of it, and where and how it is evaluated."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from audit.errors import InputError, NotLoadedError, UsageError, told
from audit.text import agreeing, listed, plural, quoted, visible

if TYPE_CHECKING:
    from audit.domain import Evaluation, StatedOptions
    from audit.execution import Executor
    from audit.formats.door.beside_settings import FolderOpening
    from audit.formats.door.opening import Opening
    from audit.formats.door.said import Said
    from audit.workflow import Loaded

_SHOWN = 5
_RUNS_SHOWN = 12
_NAME_LIMIT = 80


def executor_of(cluster: str | None) -> "Executor":
    """The executor of large work: a Dask cluster where one is named, else a process on each core."""
    if cluster is None:
        from audit.execution.processes import Processes

        return Processes.one_per_core()
    from audit.execution.cluster import Cluster

    executor = Cluster(cluster)
    executor.check()
    return executor


def stated_options(seed: int | None, *, no_certainty: bool) -> "StatedOptions":
    """The options that the command line states; it can leave intervals out, not ask for them."""
    from audit.domain import StatedOptions

    return StatedOptions(seed, False if no_certainty else None)


# What was named


def said_of(**stated: Any) -> "Said":  # noqa: ANN401 - of each setting
    """What the command line says beside gold and submissions."""
    from audit.formats.door.said import Said, scale_of

    given = {name: value for name, value in stated.items() if value is not None}
    if "scale" in given:
        given["scale"] = scale_of(given["scale"])
    for name in ("alias", "better", "range"):
        if name in given:
            given[name] = tuple(given[name])
    return Said(**given)


def refuse_without_gold(said: "Said") -> None:
    """Refuse what is said of files that nobody named; of what is loaded, the load has said it."""
    if not said.is_silent:
        raise UsageError("Options like --id and --label go with --gold GOLD SUBMISSIONS… here.")


def source_of(
    places: Sequence[Path],
    gold: Path | None,
    said: "Said",
    *,
    skip_rejected: bool = False,
    save: bool = False,
) -> "Path | Opening | FolderOpening":
    """What is loaded: gold and submissions as they are named, or a campaign's folder."""
    try:
        return _source_of(places, gold, said, skip_rejected=skip_rejected, save=save)
    except InputError as error:
        raise NotLoadedError(error.issues) from error


def _source_of(
    places: Sequence[Path], gold: Path | None, said: "Said", *, skip_rejected: bool, save: bool
) -> "Path | Opening | FolderOpening":
    from audit import workflow
    from audit.formats.door.opening import Opening

    if gold is not None or (said.gives_numbers and not workflow.has_settings(places)):
        opening = workflow.open_named(gold, places, said, skip_rejected=skip_rejected)
        if save:
            workflow.save_opening(opening)
        return opening
    if len(places) > 1:
        raise UsageError("Which of these is gold? audit run --gold GOLD SUBMISSIONS…")
    found = workflow.open_folder(places[0], said, skip_rejected=skip_rejected)
    if save and isinstance(found, Opening):
        workflow.save_opening(found)
    return found


def print_opening(source: "Path | Opening | FolderOpening") -> None:
    """Print what was taken for what, where files were named."""
    for line in () if isinstance(source, Path) else source.told:
        typer.echo(visible(line, 1000), err=True)


# What was loaded


def loaded_data(loaded: "Loaded") -> dict[str, Any]:
    """A loaded campaign as data for JSON."""
    from audit.writers.data.plain import picked

    return {
        "task": loaded.task.slug,
        **picked(
            loaded.summary, "created", "added", "replaced", "unchanged", "removed", "gold_changed"
        ),
        **picked(loaded.task, "assumptions"),
        **picked(loaded, "ignored", "rejected"),
        "issues": [issue.data() for issue in loaded.issues],
    }


def print_loaded_parts(parts: "Sequence[Loaded]", *, in_full: bool = True) -> None:
    """Print what was wrong with the files of each test set; in full also what was loaded, assumed and ignored.

    A file stands in one list: with what is never data by its name, or with what is not used and may hold labels.
    """
    from audit.document import Listing, Paragraph
    from audit.writers.terminal import write

    last_ignored: tuple[str, ...] = ()
    for loaded in parts:
        _print_load_issues(loaded)
        summary = loaded.summary
        kinds = ("added", "replaced", "unchanged", "removed")
        changes = ", ".join(
            f"{len(teams)} {kind}" for kind in kinds if (teams := getattr(summary, kind))
        )
        task = visible(f"{loaded.task.title} ({loaded.task.slug})", 300)
        lead = Paragraph(
            f"{task}: {plural(summary.n_submissions, 'submission')} loaded ({changes}).", "lead"
        )
        lines = [f"assumed: {visible(assumption, 1000)}" for assumption in loaded.task.assumptions]
        unclaimed = set(loaded.unclaimed)
        never_read = tuple(path for path in loaded.ignored if path not in unclaimed)
        if never_read and never_read != last_ignored:
            lines.append(f"ignored: {_named(never_read)}")
        last_ignored = never_read
        if in_full:
            write(lead, Listing(tuple(lines)))


def _print_load_issues(loaded: "Loaded") -> None:
    if loaded.issues:
        typer.echo(told(loaded.issues), err=True)
    for path in loaded.rejected:
        typer.echo(f"Not loaded: {visible(path, 200)}", err=True)
    if loaded.summary.gold_changed:
        gone = plural(loaded.summary.n_retired, "submission")
        task = quoted(loaded.task.slug)
        replaced = f"The gold of {task} was replaced: {gone} of the former gold went into history (audit history)."
        typer.echo(replaced, err=True)


def print_not_used(parts: "Sequence[Loaded]") -> None:
    """Print how many submissions were rejected, and which data no rule claims: they are in none of the tables."""
    from audit.document import Paragraph
    from audit.writers.terminal import write

    for loaded in parts:
        if n_rejected := len(loaded.rejected):
            n_files = n_rejected + loaded.summary.n_submissions
            was = agreeing(n_rejected, "was", "were")
            write(
                Paragraph(
                    f"{n_rejected:,} of {plural(n_files, 'file')} {was} not loaded.", "warning"
                )
            )
    if unclaimed := list(dict.fromkeys(path for loaded in parts for path in loaded.unclaimed)):
        write(Paragraph(f"Not read, and may hold labels: {_named(unclaimed)}.", "heading"))


def print_uncounted(evaluation: "Evaluation") -> None:
    """Print which runs the policy leaves out of the ranking, and why."""
    by_reason: dict[str, list[str]] = {}
    for run in evaluation.uncounted:
        name = f"{run.team}/{run.run}" if run.run else run.team
        by_reason.setdefault(run.reason, []).append(visible(name, _NAME_LIMIT))
    policy = evaluation.task.policies.runs
    for reason, names in by_reason.items():
        runs = plural(len(names), "run")
        are = agreeing(len(names), "is", "are")
        why = f"runs = {quoted(policy)}: {reason}"
        typer.echo(
            f"{runs} {are} not ranked ({why}): {listed(names, limit=_RUNS_SHOWN)}.", err=True
        )


def _named(paths: Sequence[str]) -> str:
    """The first files by name, the others counted."""
    return listed([visible(path, _NAME_LIMIT) for path in paths], limit=_SHOWN)
