"""Gold and submissions as a user names them: opened, and written down on request."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import MANIFEST, SETTINGS_FILE, UsageError
from audit.text import visible
from audit.workflow.written_files import write_text

if TYPE_CHECKING:
    from audit.formats.door.opening import Opening
    from audit.formats.door.said import Said


def open_named(
    gold: Path, submissions: Sequence[Path], said: "Said | None" = None, *, skip_rejected: bool = False
) -> "Opening":
    """What gold and submissions are, as they were named."""
    from audit.formats.door.opening import open_door

    return open_door(gold, submissions, said, skip_rejected=skip_rejected)


def open_folder(folder: Path, *, skip_rejected: bool = False) -> "Path | Opening":
    """A folder with settings, or laid out by the conventions, as it is; any other by the evidence of its files."""
    from audit.formats.door.draft import is_laid_out
    from audit.formats.door.finding import find_campaign
    from audit.formats.files.tree import Tree

    with Tree(folder) as tree:
        if tree.exists(SETTINGS_FILE) or tree.exists(MANIFEST) or is_laid_out(tree):
            return folder
    return find_campaign(folder, skip_rejected=skip_rejected)


def save_opening(opening: "Opening") -> list[Path]:
    """Write task.toml and files.csv into the folder that holds gold and submissions, over none that is there."""
    written = []
    for name, content in ((SETTINGS_FILE, opening.settings), (MANIFEST, opening.manifest)):
        path = opening.root / name
        if path.exists() and path.read_bytes() != content:
            raise UsageError(f"{visible(str(path), 200)} exists, and is left as it is: move it away to --save another.")
        written.append((path, content.decode()))
    return [write_text(path, text) for path, text in written]
