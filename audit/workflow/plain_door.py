"""Gold and submissions as a user names them: opened, and written down on request."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import MANIFEST, SETTINGS_FILE, UsageError
from audit.text import visible
from audit.workflow.written_files import write_text

if TYPE_CHECKING:
    from audit.formats.door.beside_settings import FolderOpening
    from audit.formats.door.opening import Opening
    from audit.formats.door.said import Said


def open_named(
    gold: Path | None,
    submissions: Sequence[Path],
    said: "Said | None" = None,
    *,
    skip_rejected: bool = False,
) -> "Opening":
    """What gold and submissions are, as they were named; gold may be absent where a scorer gave numbers."""
    from audit.formats.door.number_door import open_any
    from audit.formats.door.said import Said

    return open_any(gold, submissions, said or Said(), skip_rejected=skip_rejected)


def has_settings(places: Sequence[Path]) -> bool:
    """Whether what is named is one folder that says what its files are, or is laid out by the conventions."""
    from audit.formats.door.draft import is_laid_out
    from audit.formats.files.tree import Tree

    if len(places) != 1 or not places[0].is_dir():
        return False
    with Tree(places[0]) as tree:
        return tree.exists(SETTINGS_FILE) or tree.exists(MANIFEST) or is_laid_out(tree)


def open_below(
    folder: Path,
    gold: str,
    submissions: Sequence[str],
    said: "Said | None" = None,
    *,
    skip_rejected: bool = False,
) -> "Opening":
    """What gold and submissions are that were named by their paths below a folder, which stays the root.

    Parameters
    ----------
    folder : Path
        The folder of a campaign. Its task.toml and files.csv are not looked at.
    gold : str
        The path of the gold file, which may be in an archive.
    submissions : sequence of str
        Paths of files, folders and archives; all other files where it is empty.

    Raises
    ------
    UsageError
        Where one question has to be answered first.
    InputError
        Where no file answers gold, or one that is meant to cannot be read, unless those are skipped.
    """
    from audit.formats.door.files import GivenFile, GivenFiles, files_below
    from audit.formats.door.opening import open_files
    from audit.formats.door.said import Said
    from audit.formats.files.tree import Tree

    found: dict[str, GivenFile] = {}
    with Tree(folder) as tree:
        for path in submissions or ("",):
            if not path or tree.is_folder(path):
                for below in files_below(tree, path):
                    found.setdefault(below, GivenFile(below))
            else:
                found[path] = GivenFile(path, is_named=True)
    for path in (gold, SETTINGS_FILE, MANIFEST):
        found.pop(path, None)
    given = GivenFiles(folder, gold, tuple(found.values()))
    return open_files(given, said or Said(), skip_rejected=skip_rejected)


def open_folder(
    folder: Path, said: "Said | None" = None, *, skip_rejected: bool = False
) -> "Path | Opening | FolderOpening":
    """A folder with settings, or laid out by the conventions, as it is; any other by the evidence of its files."""
    from audit.formats.door.beside_settings import open_with_settings
    from audit.formats.door.draft import is_laid_out
    from audit.formats.door.finding import find_campaign
    from audit.formats.door.said import Said
    from audit.formats.files.archives import archive_ending
    from audit.formats.files.tree import Tree

    if folder.is_file() and archive_ending(folder.name) is None:
        return _open_wide(folder, said or Said())
    with Tree(folder) as tree:
        if tree.exists(SETTINGS_FILE) or tree.exists(MANIFEST) or is_laid_out(tree):
            if said is None or said.is_silent:
                return folder
            return open_with_settings(folder, said)
    return find_campaign(folder, said, skip_rejected=skip_rejected)


def _open_wide(path: Path, said: "Said") -> "Opening":
    """One file with gold and a column for each system."""
    from audit.formats.door.wide_file import only_wide_file, opening_of_wide
    from audit.formats.files.tree import Tree

    with Tree(path.parent) as tree:
        if only_wide_file(tree, [path.name]) is None:
            shown = visible(str(path), 120)
            raise UsageError(
                f"{shown} is one file: name gold and submissions: audit run --gold GOLD SUBMISSIONS…"
            )
        return opening_of_wide(tree, path.name, said)


def save_opening(opening: "Opening") -> list[Path]:
    """Write task.toml and files.csv into the folder that holds gold and submissions, over none that is there."""
    written = []
    for name, content in ((SETTINGS_FILE, opening.settings), (MANIFEST, opening.manifest)):
        path = opening.root / name
        if path.exists() and path.read_bytes() != content:
            raise UsageError(
                f"{visible(str(path), 200)} exists, and is left as it is: move it away to --save another."
            )
        written.append((path, content.decode()))
    return [write_text(path, text) for path, text in written]
