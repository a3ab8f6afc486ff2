"""What a user says beside a folder that has settings of its own: task.toml with that, held in memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from audit.errors import SETTINGS_FILE, UsageError
from audit.formats.door.said import Said
from audit.formats.files.tree import Tree
from audit.formats.settings.parsing import decoded
from audit.text import quoted


class _TreeWithSettings(Tree):
    """A folder whose task.toml is held in memory."""

    def __init__(self, root: Path, settings: bytes) -> None:
        super().__init__(root)
        self._settings = settings

    def __reduce__(self) -> tuple[type[Tree], tuple[Any, ...]]:
        return _TreeWithSettings, (self.root, self._settings)

    def original(self, path: str) -> bytes:
        """The bytes of a file as they stand."""
        if path == SETTINGS_FILE:
            return self._settings
        return super().original(path)

    def exists(self, path: str) -> bool:
        """Whether there is anything at this path."""
        return path == SETTINGS_FILE or super().exists(path)


@dataclass(frozen=True, eq=False)
class FolderOpening:
    """A folder with what was said beside it."""

    root: Path
    settings: bytes
    told: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder whose own settings these are."""
        return self.root

    def tree(self) -> Tree:
        """The folder's files."""
        return _TreeWithSettings(self.root, self.settings)


def open_with_settings(folder: Path, said: Said) -> FolderOpening:
    """The folder, what is said beside it written into its task.toml in memory.

    Raises
    ------
    UsageError
        Where task.toml says something else, or has several test sets that would need it each.
    """
    with Tree(folder) as tree:
        if tree.exists(SETTINGS_FILE):
            text = decoded(tree.original(SETTINGS_FILE))
        else:
            text = ""
    if said.name is not None:
        raise UsageError(
            "--name beside a folder with settings: write files = 'PATTERN' there, under [submissions]."
        )
    try:
        document = tomlkit.parse(text)
    except TOMLKitError:
        return FolderOpening(folder, text.encode())  # what is wrong with it, its reader says
    for path, (option, value) in _settings_of(said).items():
        _set(document, path, option, value)
    return FolderOpening(folder, tomlkit.dumps(document).encode())


def _settings_of(said: Said) -> dict[tuple[str, ...], tuple[str, Any]]:
    """The settings that options stand for, each by its place in task.toml."""
    found: dict[tuple[str, ...], tuple[str, Any]] = {}
    for name in ("id", "label"):
        columns = said.columns(name)
        if columns is not None:
            for section, names in zip(("gold", "submissions"), columns, strict=True):
                found[section, name] = f"--{name}", _columns(names)
    single: dict[tuple[str, ...], tuple[str, Any]] = {
        ("kind",): ("--kind", said.scored_as),
        ("scale",): ("--scale", None if said.scale is None else bool(said.scale)),
        ("labels",): ("--scale", list(said.scale) if isinstance(said.scale, tuple) else None),
        ("gold", "group"): ("--group", _group(said.group)),
        ("official_metric",): ("--official-metric", said.official_metric),
        ("policies", "runs"): ("--runs", said.runs),
        ("policies", "missing"): ("--missing", said.missing),
    }
    found |= {place: stated for place, stated in single.items() if stated[1] is not None}
    for column, stated_of_column in said.columns_of_scores().items():
        for name, value in stated_of_column.items():
            found["columns", column, name] = f"--{name}", value
    for spelling, label in said.aliases.items():
        found["aliases", spelling] = "--alias", label
    return found


def _group(text: str | None) -> str | bool | None:
    """The column of groups; false where items are said to be independent."""
    if text is not None and text.casefold() in {"none", "false"}:
        return False
    return text


def _columns(names: tuple[str, ...]) -> Any:  # noqa: ANN401 - a name, a number, or several
    values = [int(name) if name.isdigit() else name for name in names]
    if len(values) == 1:
        return values[0]
    return values


def _set(document: Any, path: tuple[str, ...], option: str, value: object) -> None:  # noqa: ANN401 - tables of TOML
    """Set one setting; refuse where it is set otherwise."""
    table = document
    for section in path[:-1]:
        if section not in table:
            table[section] = tomlkit.table()
        table = table[section]
    key = path[-1]
    if isinstance(table, Mapping):
        stated = table.get(key)
    else:
        stated = None
    if stated is not None and stated != value:
        says = f"task.toml says {'.'.join(path)} = {stated!r:.60}"
        raise UsageError(f"{option} {quoted(str(value), 60)}: {says}. Change it there.")
    table[key] = value
