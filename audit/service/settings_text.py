"""task.toml as people wrote it: settings are changed in place, comments and order stay."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from audit.service.rules import RefusedError


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting to write, or to take out."""

    table: tuple[str, ...]  # the tables that lead to it; empty for the top
    key: str  # the name of the setting
    value: Any  # text, number, yes or no, a list or a table of them; None takes the setting out


def edited(text: str, settings: Iterable[Setting]) -> str:
    r"""The text with settings changed.

    >>> text = '# who\ntitle = "Old"  # for now\n\n[gold]\npath = "g.csv"\n'
    >>> print(edited(text, [Setting((), "title", "New"), Setting(("gold",), "id", 1)]))
    # who
    title = "New"  # for now
    <BLANKLINE>
    [gold]
    path = "g.csv"
    id = 1
    <BLANKLINE>
    >>> print(edited('slug = "s"\n\n# of gold\n[gold]\nid = 1', [Setting((), "title", "New")]))
    slug = "s"
    title = "New"
    <BLANKLINE>
    # of gold
    [gold]
    id = 1
    """
    try:
        document = _parsed(text)
        for setting in settings:
            _set(document, setting)
        return tomlkit.dumps(document)
    except (TOMLKitError, RecursionError, ValueError, TypeError, KeyError, IndexError) as error:
        raise RefusedError(
            "task.toml cannot hold this: a value is of no kind that TOML knows."
        ) from error


def settings_of_choice(section: str, settings: str) -> list[Setting]:
    """The settings that a choice of an issue writes.

    >>> [(each.table, each.key, each.value) for each in settings_of_choice("[gold]", 'id = 1, label = "y"')]
    [(('gold',), 'id', 1), (('gold',), 'label', 'y')]
    """
    try:
        table = _path_in(tomlkit.parse(section).unwrap())
        values = tomlkit.parse(f"choice = {{{settings}}}").unwrap()["choice"]
    except TOMLKitError as error:
        raise RefusedError(f"This is no choice of settings: {error}") from None
    return [Setting(table, key, value) for key, value in values.items()]


def _path_in(nested: dict[str, Any]) -> tuple[str, ...]:
    path: list[str] = []
    while nested:
        (key, nested), *others = nested.items()
        if others or not isinstance(nested, dict):
            raise RefusedError("A section is a heading of task.toml, such as [gold].")
        path.append(key)
    return tuple(path)


def _parsed(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise RefusedError(f"task.toml cannot be read: {error}") from None


def _set(document: tomlkit.TOMLDocument, setting: Setting) -> None:
    table: Any = document
    for name in setting.table:
        if name not in table:
            if setting.value is None:
                return
            table[name] = tomlkit.table()
        table = table[name]
        if not isinstance(table, Table | dict):
            raise RefusedError(f"{'.'.join(setting.table)} is no table of task.toml.")
    if setting.value is None:
        table.pop(setting.key, None)
    elif not setting.table and setting.key not in document:
        _add_at_top(document, setting)
    else:
        table[setting.key] = setting.value


def _add_at_top(document: tomlkit.TOMLDocument, setting: Setting) -> None:
    """Add a setting behind the others at the top, and not between the comment of the first table and that table."""
    value = tomlkit.item(setting.value)
    plain = [
        key
        for key, item in document.body
        if key and not key.is_dotted() and not isinstance(item, Table | AoT)
    ]
    if plain and not isinstance(value, Table | AoT):
        document._insert_after(plain[-1], setting.key, value)  # noqa: SLF001 - tomlkit has no public way
    else:
        document[setting.key] = value


def names_of(settings: Sequence[Setting]) -> str:
    """The changed settings in words for the log, such as “gold.id, title”."""
    return ", ".join(".".join((*each.table, each.key)) for each in settings)
