"""One file and what it is compared with: gold and settings of a campaign, without its submissions."""

import stat
from pathlib import Path

from audit.domain import Gold
from audit.errors import InputError, Issue
from audit.formats import folder as folders
from audit.formats import limits
from audit.formats.files import gold_path, read_gold, read_wide_file, wide_file
from audit.formats.settings import Settings, parse_settings
from audit.formats.tomlfile import FILE_NAME
from audit.formats.tree import Tree, no_file


def read_key(folder: Path, part: str | None = None) -> tuple[Gold, bytes | None]:
    r"""Gold of a campaign's folder and its task.toml, as reading the whole campaign would have them.

    Parameters
    ----------
    folder : Path
        The campaign folder, with or without submissions.
    part : str, optional
        Which test set, where there are several.

    Returns
    -------
    Gold
        The gold labels.
    bytes, optional
        task.toml as it stands; None where there is none.

    Raises
    ------
    InputError
        When settings or gold are unusable.
    UsageError
        When there are several test sets and none of this name is asked for.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = (Path(name) / "gold.csv").write_text("id,label\n1,no\n2,yes\n")
    ...     gold, settings = read_key(Path(name))
    >>> gold.item_ids, settings
    (('1', '2'), None)
    """
    folders.check_folder(folder)
    with Tree(folder) as tree:
        content = tree.original(FILE_NAME) if tree.exists(FILE_NAME) else None
        return _gold(tree, parse_settings(content or b"", part)), content


def read_gold_file(path: Path) -> Gold:
    """Gold of a file that stands alone, recognised as where no task.toml says anything of it.

    Raises
    ------
    InputError
        When it is unusable.
    """
    path = path.absolute()
    with Tree(path.parent) as tree:
        return read_gold(tree, path.name, Settings())[1]


def read_alone(path: Path) -> bytes:
    """The bytes of a file that is in no campaign's folder; a link is followed.

    Raises
    ------
    InputError
        missing-file, directory, unreadable-file or too-large.
    """
    try:
        found = path.stat()
        if stat.S_ISREG(found.st_mode) and found.st_size <= limits.MOST_BYTES:
            return path.read_bytes()
    except FileNotFoundError:
        expected, remedy = "a file of predictions", "check the path"
        issue = Issue.of("missing-file", str(path), "there is no such file", expected=expected, remedy=remedy)
        raise InputError([issue]) from None
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle, before Python 3.13
        reason = str(getattr(error, "strerror", None) or error)
        raise InputError([Issue.of("unreadable-file", str(path), reason)]) from None
    raise InputError([no_file(str(path), found)])


def _gold(tree: Tree, settings: Settings) -> Gold:
    wide = wide_file(tree, settings)
    if wide is not None:
        return read_wide_file(tree, wide, settings, None).gold
    return read_gold(tree, gold_path(tree, settings), settings)[1]
