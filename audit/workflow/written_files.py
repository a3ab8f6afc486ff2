"""Text files, reports and exports, written whole or not at all, over nothing that is not their own."""

import hashlib
import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from audit.domain import Campaign, Evaluation
from audit.errors import InputError, Issue, UsageError
from audit.execution import THIS_PROCESS, Executor, Steps, of_step
from audit.text import listed, quoted, visible

if TYPE_CHECKING:
    from audit.findings.campaign import CampaignFindings
    from audit.report.printing import GoldItems
    from audit.writers.bundle.folder import ExportOptions


STEM = 50  # characters of a file's name that fit into the 255 bytes of a file system in any script


def write_text(path: Path, text: str) -> Path:
    """Write a text file whole or not at all; a pipe or a device takes the text as it comes."""
    try:
        if path.exists() and not path.is_file():
            _write(path, text)
        else:
            # what a link stands for is replaced, not the link
            _replace(Path(os.path.realpath(path)), text)
    except OSError as error:
        raise InputError(
            [Issue.of("cannot-write", str(path), error.strerror or str(error))]
        ) from error
    return path


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name[:STEM]}.part")
    try:
        _write(beside, text)
        beside.replace(path)
    finally:
        with suppress(OSError):  # it is gone once it has taken its place
            beside.unlink()


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n", errors="backslashreplace")


_REPORT_MARK = "– leaderboard audit".encode()  # the text in the title of every report
_HEAD_OF_REPORT = 2**16  # bytes in which the title stands, however long it is


def write_report(
    evaluation: Evaluation,
    path: Path | str,
    items: "GoldItems | None" = None,
    *,
    on_step: Steps | None = None,
) -> Path:
    """Write the HTML report of an evaluation.

    Parameters
    ----------
    evaluation : Evaluation
        What was computed.
    path : Path or str
        The file to write; a report that stood there is replaced.
    items : GoldItems, optional
        Where ids and gold labels of single items may stand in it.
    on_step : callable, optional
        Called with the step, drawing or writing, and how far it is.

    Raises
    ------
    UsageError
        When a file stands there that is no report.
    InputError
        When the file cannot be written.
    """
    from audit.writers.html import render_html

    check_replaceable(Path(path))
    html = render_html(evaluation, items)
    if on_step is not None:
        on_step("drawing", 1, 1)
    written = write_text(Path(path), html)
    if on_step is not None:
        on_step("writing", 1, 1)
    return written


def write_editions(
    evaluation: Evaluation, path: Path, readers: Path, *, on_step: Steps | None = None
) -> tuple[Path, Path]:
    """Write the HTML report of an evaluation twice: for its organisers, and as readers see it.

    Raises
    ------
    UsageError
        When a file stands there that is no report.
    InputError
        When a file cannot be written.
    """
    from audit.writers.html import render_editions

    check_replaceable(path)
    check_replaceable(readers)
    organisers_html, readers_html = render_editions(evaluation)
    if on_step is not None:
        on_step("drawing", 1, 1)
    written = write_text(path, organisers_html), write_text(readers, readers_html)
    if on_step is not None:
        on_step("writing", 1, 1)
    return written


def write_campaign_editions(
    found: "CampaignFindings", path: Path, readers: Path, reports: Sequence[Path] = ()
) -> None:
    """Write the page of a campaign twice: for its organisers, and as readers see it."""
    from audit.writers.html import render_campaign_editions

    links = [os.path.relpath(report, path.parent) for report in reports]
    organisers_html, readers_html = render_campaign_editions(found, links)
    write_text(path, organisers_html)
    write_text(readers, readers_html)


def write_campaign_report(
    found: "CampaignFindings", path: Path | str, reports: Sequence[Path] = ()
) -> Path:
    """Write the page of a campaign with several tracks, with links to their own reports."""
    from audit.writers.html import render_campaign

    check_replaceable(Path(path))
    folder = Path(path).resolve().parent
    links = [os.path.relpath(report.resolve(), folder).replace(os.sep, "/") for report in reports]
    return write_text(Path(path), render_campaign(found, links))


def write_campaign(found: "CampaignFindings", reports: Sequence[Path]) -> Path:
    """Write the page of several tracks beside their reports, over none of them."""
    name = _free_name(
        default_campaign_report(found.evaluations).name, {path.name.casefold() for path in reports}
    )
    return write_campaign_report(found, reports[0].with_name(name), reports)


def default_campaign_report(evaluations: Sequence[Evaluation]) -> Path:
    """The default path of a campaign's page: in the current folder, under the campaign's name."""
    return default_report(evaluations[0].task.family or evaluations[0].task.slug)


def default_report(slug: str) -> Path:
    """The default path of a report: in the current folder, under the task's name.

    >>> str(default_report("../flood posts"))
    'audit-flood-posts.html'
    """
    safe = re.sub(r"[^\w.\-]+", "-", slug).strip(".-") or "task"
    return Path(f"audit-{safe[:STEM]}.html")


def report_paths(slugs: Sequence[str], output: Path | None) -> list[Path]:
    """The path of each report of a campaign: of one test set as given, of several in a folder."""
    if len(slugs) == 1:
        return [output or default_report(slugs[0])]
    folder = output or Path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            [Issue.of("cannot-write", str(folder), error.strerror or str(error))]
        ) from error
    paths = []
    taken = set[str]()
    for slug in slugs:
        name = _free_name(default_report(slug).name, taken)
        taken.add(name.casefold())
        paths.append(folder / name)
    return paths


def _free_name(name: str, taken: Collection[str]) -> str:
    """A file's name, or where another has it already, in whatever case, the first with a number behind it."""
    path = Path(name)
    number = 1
    free = name
    while free.casefold() in taken:
        number += 1
        free = f"{path.stem}-{number}{path.suffix}"
    return free


def check_replaceable(path: Path) -> None:
    """Refuse to write a report over a file that is none: the store, an input, or whatever else stands there."""
    head = b""
    with suppress(OSError):  # writing will say why
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(_HEAD_OF_REPORT)
    if head and not (head.startswith(b"<!DOCTYPE html>") and _REPORT_MARK in head):
        raise UsageError(
            f"{visible(str(path), 200)} exists, and is no report: it is left as it is. Name another file with -o."
        )


_SHOWN = 5


def export_task(  # noqa: PLR0913 - what a user may say of an export
    slug: str,
    folder: Path,
    store: Path,
    options: "ExportOptions | None" = None,
    *,
    overwrite: bool = False,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Path:
    """Write everything that the audit has to say of a task into a folder, all of it or nothing."""
    check_vacant(folder, overwrite=overwrite)
    files = exported_files(slug, store, options, executor=executor, on_step=on_step)
    return write_folder(folder, files, overwrite=overwrite)


def exported_files(
    slug: str,
    store: Path,
    options: "ExportOptions | None" = None,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> dict[str, bytes]:
    """Every file of a task's export, by name."""
    files, _ = exported_editions(
        slug, store, options, executor=executor, on_step=on_step, with_readers=False
    )
    return files


def exported_editions(  # noqa: PLR0913 - what a user may say of an export
    slug: str,
    store: Path,
    options: "ExportOptions | None" = None,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
    with_readers: bool = True,
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Every file of a task's export, by name: for its organisers, and as readers get it where that is asked for."""
    from audit.writers.bundle.folder import readers_export

    evaluation, campaign, named, files = _export(slug, store, options, executor, on_step)
    return files, readers_export(files, evaluation, campaign, named) if with_readers else {}


def exported_track(
    slug: str,
    store: Path,
    options: "ExportOptions | None" = None,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> tuple[Evaluation, dict[str, bytes]]:
    """The evaluation of a track, and every file of its own export, by name."""
    evaluation, _, _, files = _export(slug, store, options, executor, on_step)
    return evaluation, files


def _export(
    slug: str,
    store: Path,
    options: "ExportOptions | None",
    executor: Executor,
    on_step: Steps | None,
) -> "tuple[Evaluation, Campaign, ExportOptions, dict[str, bytes]]":
    """A task evaluated, what it was read from, the options that its settings complete, and the files of its export."""
    from audit.evaluation import evaluate
    from audit.formats.campaign.set_files import by_other_repairs
    from audit.formats.settings.parsing import settings_of
    from audit.store import open_store
    from audit.writers.bundle.folder import DEFAULT_OPTIONS, export_files

    with open_store(store, create=False) as opened:
        campaign = opened.load_campaign(slug)
    evaluation = evaluate(campaign, executor=executor, on_step=on_step, repaired=by_other_repairs)
    evaluation = evaluation.settled(of_step(on_step, "comparing"))
    toml = settings_of(campaign).toml
    named = replace(options or DEFAULT_OPTIONS, latex_names=toml.latex_names)
    files = export_files(evaluation, campaign, named, on_progress=of_step(on_step, "drawing"))
    return evaluation, campaign, named, files


def check_vacant(folder: Path, *, overwrite: bool) -> None:
    """Refuse a folder that holds something; what is no export is not replaced even where that is asked for."""
    shown = visible(str(folder), 200)
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not _is_export(folder):
        raise UsageError(
            f"{shown} exists, and is no export: it is left as it is. Name another folder."
        )
    if not overwrite:
        raise UsageError(f"{shown} holds an export already. --force replaces it.")
    if others := _not_its_own(folder):
        listing = listed([quoted(name, 120) for name in others], limit=_SHOWN)
        raise UsageError(
            f"{shown} holds what the export did not write, or what was changed since: {listing}. Move it away, or name "
            "another folder."
        )


def _not_its_own(folder: Path) -> list[str]:
    """What an export did not write, and what is no longer as it wrote it."""
    from audit.writers.bundle.archive import SUMS, digests_of

    try:
        written = digests_of((folder / SUMS).read_text(encoding="utf-8"))
        paths = sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
        return [
            name
            for path in paths
            if not _is_own(path, name := path.relative_to(folder).as_posix(), written)
        ]
    except (OSError, ValueError):
        return [SUMS]


def _is_own(path: Path, name: str, written: Mapping[str, str]) -> bool:
    from audit.writers.bundle.archive import SUMS

    if path.is_symlink() or not path.is_file():
        return False
    return name == SUMS or written.get(name) == hashlib.sha256(path.read_bytes()).hexdigest()


def _is_export(folder: Path) -> bool:
    from audit.writers.bundle.folder import EXPORT_MARK

    readme = folder / "README.txt"
    with suppress(OSError, UnicodeError):
        return readme.read_text(encoding="utf-8").startswith(EXPORT_MARK)
    return False


def write_folder(folder: Path, files: Mapping[str, bytes], *, overwrite: bool = False) -> Path:
    """Write a folder of files with their digests, whole or not at all: first beside its place, then moved there."""
    from audit.writers.bundle.archive import SUMS, sums

    check_vacant(folder, overwrite=overwrite)
    place = Path(os.path.realpath(folder))  # what a link stands for is replaced, not the link
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=place.parent, prefix=f".{place.name[:STEM]}.") as beside:
            new = Path(beside) / "new"
            before = Path(beside) / "before"
            for name, content in {**files, SUMS: sums(files)}.items():
                path = new / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            _take_place(place, new, before)
    except OSError as error:
        raise InputError(
            [Issue.of("cannot-write", str(folder), error.strerror or str(error))]
        ) from error
    return folder


def _take_place(place: Path, new: Path, before: Path) -> None:
    """Put a new folder where the old one stands; where that fails, the old one is back."""
    if not place.exists():
        new.rename(place)
        return
    place.rename(before)
    try:
        new.rename(place)
    except OSError:
        before.rename(place)
        raise
