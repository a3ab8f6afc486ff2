"""Steps that several commands take: a folder loaded, a task evaluated, and what is said of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from audit.cli.output import print_json
from audit.cli.shortening import counted, shortened
from audit.text import agreeing, plural, quoted, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit.domain import StatedOptions
    from audit.execution import Executor, Steps
    from audit.store import LoadSummary
    from audit.workflow import Loaded


def load_folder(
    folder: Path, store: Path, *, skip_rejected: bool, strict: bool | None, on_step: "Steps | None"
) -> "tuple[Loaded, ...]":
    """Every test set of a folder, put into the store."""
    from audit import workflow
    from audit.execution import of_step

    return workflow.load(
        folder,
        store,
        skip_rejected=skip_rejected,
        strict=strict,
        keep_others=True,
        executor=executor_of(None),
        on_progress=of_step(on_step, "reading"),
    )


def executor_of(cluster: str | None) -> "Executor":
    """The executor of large work: a Dask cluster where one is named, else a process on each core."""
    if cluster is None:
        from audit.execution.processes import Processes

        return Processes.one_per_core()
    from audit.execution.cluster import Cluster

    executor = Cluster(cluster)
    executor.check()
    return executor


def stated_options(replicates: int | None, seed: int | None, *, no_certainty: bool) -> "StatedOptions":
    """The options that the command line states; it can leave intervals out, not ask for them."""
    from audit.domain import StatedOptions

    return StatedOptions(replicates, seed, False if no_certainty else None)


def print_parts(parts: list[dict[str, Any]], **summary: Any) -> None:  # noqa: ANN401 - whatever JSON writes
    """Print one test set as it is; several as a list under "parts", with their summary."""
    print_json(parts[0] if len(parts) == 1 else {"parts": parts, **summary})


def loaded_data(loaded: "Loaded") -> dict[str, Any]:
    """A loaded campaign as data for JSON."""
    summary = loaded.summary
    return {
        "task": loaded.task.slug,
        "created": summary.created,
        "added": list(summary.added),
        "replaced": list(summary.replaced),
        "unchanged": list(summary.unchanged),
        "removed": list(summary.removed),
        "gold_changed": summary.gold_changed,
        "assumptions": list(loaded.task.assumptions),
        "ignored": list(loaded.ignored),
        "rejected": list(loaded.rejected),
        "issues": [issue.data() for issue in loaded.issues],
    }


def print_loaded_parts(parts: "Sequence[Loaded]", *, in_full: bool = True) -> None:
    """Print what was loaded of each test set and what was wrong; in full also what was assumed and ignored.

    A file stands in one list: with what is never data by its name, or with what is not used and may hold labels.
    """
    last_ignored: tuple[str, ...] = ()
    for loaded in parts:
        _print_load_issues(loaded)
        unclaimed = set(loaded.unclaimed)
        never_read = tuple(path for path in loaded.ignored if path not in unclaimed)
        ignored = () if never_read == last_ignored else never_read
        told = (loaded.task.assumptions, ignored) if in_full else ((), ())
        _print_loaded(f"{loaded.task.title} ({loaded.task.slug})", loaded.summary, *told)
        last_ignored = never_read


def print_not_used(parts: "Sequence[Loaded]") -> None:
    """Print how many submissions were rejected, and which files no rule claims, though they may hold answers."""
    for loaded in parts:
        _print_not_loaded(len(loaded.rejected), loaded.summary.n_submissions)
    _print_unclaimed(list(dict.fromkeys(path for loaded in parts for path in loaded.unclaimed)))


def _print_loaded(task: str, summary: "LoadSummary", assumptions: "Sequence[str]", ignored: "Sequence[str]") -> None:
    """Print what a load changed, what was assumed for it, and what was left alone."""
    from audit.document import Listing, Paragraph
    from audit.writers.terminal import write

    counts = {
        "added": summary.added,
        "replaced": summary.replaced,
        "unchanged": summary.unchanged,
        "removed": summary.removed,
    }
    changes = ", ".join(f"{len(teams)} {change}" for change, teams in counts.items() if teams)
    loaded = f"{visible(task, 300)}: {plural(summary.n_submissions, 'submission')} loaded ({changes})."
    assumed = [f"assumed: {visible(assumption, 1000)}" for assumption in assumptions]
    left_alone = [f"ignored: {shortened(ignored)}"] if ignored else []
    write(Paragraph(loaded, "lead"), Listing((*assumed, *left_alone)))


def _print_not_loaded(n_rejected: int, n_loaded: int) -> None:
    """Print how many submissions were left out, where some were: they are in none of the tables."""
    from audit.document import Paragraph
    from audit.writers.terminal import write

    if n_rejected:
        n_files, was = n_rejected + n_loaded, agreeing(n_rejected, "was", "were")
        write(Paragraph(f"{n_rejected:,} of {plural(n_files, 'file')} {was} not loaded.", "warning"))


def _print_unclaimed(paths: "Sequence[str]") -> None:
    """Print the files that could hold labels and that no rule claims: they are in none of the tables."""
    from audit.document import Paragraph
    from audit.writers.terminal import write

    if paths:
        write(Paragraph(f"Not read, because no rule claims them: {counted(paths)}.", "heading"))


def _print_load_issues(loaded: "Loaded") -> None:
    for issue in loaded.issues:
        typer.echo(str(issue), err=True)
    for path in loaded.rejected:
        typer.echo(f"Not loaded: {visible(path, 200)}", err=True)
    if loaded.summary.gold_changed:
        typer.echo(_gold_replaced(loaded), err=True)


def _gold_replaced(loaded: "Loaded") -> str:
    gone = plural(loaded.summary.n_retired, "submission")
    task = quoted(loaded.task.slug)
    return f"The gold of {task} was replaced: {gone} of the former gold went into history (audit history)."
