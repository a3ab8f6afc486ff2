"""One file and what it is compared with: gold and settings of a campaign, without its submissions."""

from pathlib import Path

from audit.domain import Gold
from audit.errors import SETTINGS_FILE
from audit.formats.campaign import conventions
from audit.formats.campaign.all_files import gold_path, read_gold, read_wide_file, wide_file
from audit.formats.campaign.claims import FileClaim
from audit.formats.campaign.single_file import claims_in
from audit.formats.files.tree import Tree
from audit.formats.settings.parsing import parse_settings
from audit.formats.settings.task_settings import Settings


def read_key(folder: Path, part: str | None = None) -> tuple[Gold, bytes | None, tuple[FileClaim, ...]]:
    r"""Gold of a campaign's folder and its task.toml, as reading the whole campaign would have them.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = (Path(name) / "gold.csv").write_text("id,label\n1,no\n2,yes\n")
    ...     gold, settings, _ = read_key(Path(name))
    >>> gold.item_ids, settings
    (('1', '2'), None)
    """
    conventions.check_folder(folder)
    with Tree(folder) as tree:
        content = tree.original(SETTINGS_FILE) if tree.exists(SETTINGS_FILE) else None
        settings = parse_settings(content or b"", part)
        return _gold(tree, settings), content, claims_in(tree, settings)


def read_gold_file(path: Path) -> Gold:
    """Gold of a file that stands alone, recognised as where no task.toml says anything of it."""
    path = path.absolute()
    with Tree(path.parent) as tree:
        return read_gold(tree, path.name, Settings()).gold


def _gold(tree: Tree, settings: Settings) -> Gold:
    wide = wide_file(tree, settings)
    if wide is not None:
        return read_wide_file(tree, wide, settings, None).gold
    return read_gold(tree, gold_path(tree, settings), settings).gold
