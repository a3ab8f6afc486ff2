"""An export as a folder, written whole or not at all, over nothing that is not its own."""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from audit.domain import NOTHING_STATED, StatedOptions
from audit.errors import InputError, Issue, UsageError
from audit.execution import THIS_PROCESS, Executor, Steps, of_step
from audit.text import listed, quoted, visible
from audit.workflow.whole_files import STEM

if TYPE_CHECKING:
    from audit.report.bundle import ExportOptions

_SHOWN = 5


def export_task(  # noqa: PLR0913 - what a user may say of an export
    slug: str,
    folder: Path,
    store: Path,
    options: "ExportOptions | None" = None,
    *,
    stated: StatedOptions = NOTHING_STATED,
    overwrite: bool = False,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Path:
    """Write everything that the audit has to say of a task into a folder, all of it or nothing.

    Raises
    ------
    UsageError
        When there is something in the folder, unless it is an export that may be overwritten.
    InputError
        When a name cannot be set, or the folder cannot be written.
    """
    from audit.evaluation import evaluate
    from audit.formats.settings.parsing import latex_names
    from audit.report.bundle import DEFAULT_OPTIONS, export_files
    from audit.store import open_store

    check_vacant(folder, overwrite=overwrite)
    with open_store(store, create=False) as opened:
        campaign = opened.load_campaign(slug)
    evaluation = evaluate(campaign, stated.over(campaign.options), executor=executor, on_step=on_step)
    named = replace(options or DEFAULT_OPTIONS, latex_names=latex_names(campaign))
    files = export_files(evaluation, campaign, named, on_progress=of_step(on_step, "drawing"))
    return write_folder(folder, files, overwrite=overwrite)


def check_vacant(folder: Path, *, overwrite: bool) -> None:
    """Refuse a folder that holds something; what is no export is not replaced even where that is asked for.

    Raises
    ------
    UsageError
        When the folder is not free.
    """
    shown = visible(str(folder), 200)
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not _is_export(folder):
        raise UsageError(f"{shown} exists, and is no export: it is left as it is. Name another folder.")
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
    from audit.report.bundle import SUMS, digests_of

    try:
        written = digests_of((folder / SUMS).read_text(encoding="utf-8"))
        paths = sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
        return [name for path in paths if not _is_own(path, name := path.relative_to(folder).as_posix(), written)]
    except (OSError, ValueError):
        return [SUMS]


def _is_own(path: Path, name: str, written: Mapping[str, str]) -> bool:
    from audit.report.bundle import SUMS

    if path.is_symlink() or not path.is_file():
        return False
    return name == SUMS or written.get(name) == hashlib.sha256(path.read_bytes()).hexdigest()


def _is_export(folder: Path) -> bool:
    from audit.report.bundle import EXPORT_MARK

    readme = folder / "README.txt"
    with suppress(OSError, UnicodeError):
        return readme.read_text(encoding="utf-8").startswith(EXPORT_MARK)
    return False


def write_folder(folder: Path, files: Mapping[str, bytes], *, overwrite: bool = False) -> Path:
    """Write a folder of files with their digests, whole or not at all: first beside its place, then moved there.

    Raises
    ------
    UsageError, InputError
        When the folder is not free, or cannot be written.
    """
    from audit.report.bundle import SUMS, sums

    check_vacant(folder, overwrite=overwrite)
    place = Path(os.path.realpath(folder))  # what a link stands for is replaced, not the link
    try:
        with TemporaryDirectory(dir=place.parent, prefix=f".{place.name[:STEM]}.") as beside:
            new, before = Path(beside) / "new", Path(beside) / "before"
            for name, content in {**files, SUMS: sums(files)}.items():
                path = new / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            _take_place(place, new, before)
    except OSError as error:
        raise InputError([Issue.of("cannot-write", str(folder), error.strerror or str(error))]) from error
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
