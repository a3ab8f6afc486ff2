"""Gold and submissions as a user names them: opened, and written down on request."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import MANIFEST, SETTINGS_FILE, InputError, UsageError
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
    from audit.formats.door.finding import find_campaign

    if (folder / SETTINGS_FILE).exists() or (folder / MANIFEST).exists() or is_laid_out(folder):
        return folder
    try:
        return find_campaign(folder, skip_rejected=skip_rejected)
    except InputError as error:
        if error.issues[0].slug == "no-gold" and is_laid_out(folder, in_part=True):
            return folder  # what the conventions lack is said by their reader
        raise


def is_laid_out(folder: Path, *, in_part: bool = False) -> bool:
    """Whether a folder is laid out by the conventions, or in part: gold beside submissions, or all in one file."""
    from audit.formats.campaign.all_files import wide_file
    from audit.formats.campaign.conventions import find_gold, submissions_folder
    from audit.formats.files.tree import Tree
    from audit.formats.settings.parsing import Settings

    with Tree(folder) as tree:
        has_gold = False
        with suppress(InputError):
            has_gold = bool(find_gold(tree))
        has_place = submissions_folder(tree) is not None
        if (has_gold or has_place) if in_part else (has_gold and has_place):
            return True
        return wide_file(tree, Settings()) is not None


def save_opening(opening: "Opening") -> list[Path]:
    """Write task.toml and files.csv into the folder that holds gold and submissions, over none that is there."""
    written = []
    for name, content in ((SETTINGS_FILE, opening.settings), (MANIFEST, opening.manifest)):
        path = opening.root / name
        if path.exists() and path.read_bytes() != content:
            raise UsageError(f"{visible(str(path), 200)} exists, and is left as it is: move it away to --save another.")
        written.append((path, content.decode()))
    return [write_text(path, text) for path, text in written]
