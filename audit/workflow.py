"""One function for each thing a user does: files to store, store to evaluation, evaluation to report."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from audit.domain import Campaign, Evaluation
from audit.errors import InputError, Issue, UsageError
from audit.evaluation import evaluate
from audit.formats import draft_settings, read_campaign
from audit.report import render_html
from audit.store import LoadSummary, open_store
from audit.text import visible

SETTINGS_FILE = "task.toml"


@dataclass(frozen=True, eq=False)
class Loaded:
    """What loading a folder gave.

    Parameters
    ----------
    campaign : Campaign
        As read from the files.
    summary : LoadSummary
        What changed in the store.
    """

    campaign: Campaign
    summary: LoadSummary


def load(
    folder: Path,
    store: Path,
    *,
    skip_rejected: bool = False,
    strict: bool | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Loaded:
    """Read a campaign's folder and keep it in the store, all of it or nothing.

    Raises
    ------
    InputError
        When the gold cannot be used, or a submission is rejected and rejected ones are not skipped.
    StoreError
        When the store cannot be used.
    """
    campaign = read_campaign(folder, skip_rejected=skip_rejected, strict=strict, on_progress=on_progress)
    with open_store(store) as opened:
        return Loaded(campaign, opened.save_campaign(campaign))


def evaluate_task(slug: str, store: Path) -> Evaluation:
    """Evaluate a task as the store holds it, and keep its scores and flags there."""
    with open_store(store, create=False) as opened:
        evaluation = evaluate(opened.load_campaign(slug))
        opened.save_evaluation(evaluation)
    return evaluation


def read_evaluation(slug: str, store: Path) -> Evaluation:
    """Evaluate a task as the store holds it, and leave the store as it is."""
    with open_store(store, create=False) as opened:
        return evaluate(opened.load_campaign(slug))


def write_report(evaluation: Evaluation, path: Path | str) -> Path:
    """Write the HTML report of an evaluation.

    Parameters
    ----------
    evaluation : Evaluation
        What was computed.
    path : Path or str
        The file to write; what stood there is replaced.

    Raises
    ------
    InputError
        When the file cannot be written.
    """
    return write_text(Path(path), render_html(evaluation))


def write_text(path: Path, text: str) -> Path:
    """Write a text file whole or not at all."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n", errors="backslashreplace")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InputError([Issue.of("cannot-write", str(path), error.strerror or str(error))]) from error
    return path


def default_report(slug: str) -> Path:
    """Where a report goes when nobody says: in the current folder, under the task's name.

    Examples
    --------
    >>> str(default_report("../flood posts"))
    'audit-flood-posts.html'
    """
    safe = re.sub(r"[^\w.\-]+", "-", slug).strip(".-") or "task"
    return Path(f"audit-{safe[:80]}.html")


def draft(folder: Path, *, overwrite: bool = False) -> Path:
    """Write a commented task.toml into a campaign's folder.

    Raises
    ------
    UsageError
        When there is one already and it is not to be overwritten.
    """
    path = folder / SETTINGS_FILE
    if path.exists() and not overwrite:
        raise UsageError(f"{visible(str(path), 200)} exists already. --force overwrites it.")
    return write_text(path, draft_settings(folder))
