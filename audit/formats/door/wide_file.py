"""One file with gold and every system in columns of their own, as it was found or named."""

from collections.abc import Sequence
from contextlib import suppress

from audit.errors import InputError
from audit.formats.door.opening import Opening, files_csv
from audit.formats.door.said import Said
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.settings.layout import toml_text
from audit.formats.settings.manifest import FileRow
from audit.formats.wide import looks_wide, read_wide
from audit.text import listed, plural, quoted

_MOST_READ = 100  # files that are looked at
_WHY = "gold and a column for each system"


def only_wide_file(tree: Tree, paths: Sequence[str]) -> str | None:
    """The one file that has gold and a column for each system by its names; None where there is none, or several."""
    found = []
    for path in paths[:_MOST_READ]:
        with suppress(InputError):
            if looks_wide(decode(path, tree.read(path))):
                found.append(path)
    if len(found) == 1:
        return found[0]
    return None


def opening_of_wide(tree: Tree, path: str, said: Said) -> Opening:
    """Gold and systems of one file, and what is told of them.

    Raises
    ------
    InputError
        Where the file leaves open which columns are gold and systems.
    """
    table = read_wide(decode(path, tree.read(path)))
    names = [quoted(name, 40) for name in table.systems]
    items = plural(len(table.gold.labels), "item")
    gold = quoted(table.gold.layout.label_name or "", 40)
    systems = f"{plural(len(names), 'system')} in columns: {listed(names, limit=6)}"
    told = f"Gold: {path}, {items}, labels from {gold}. {systems}."
    top, policies, aliases = said.toml()
    lines = [f"title = {toml_text(tree.name)}", *top]
    if policies:
        lines += ["", "[policies]", *policies]
    if aliases:
        lines += ["", "[aliases]", *aliases]
    rows = [FileRow(path, "gold", why=_WHY)]
    settings = "\n".join(lines) + "\n"
    return Opening(
        tree.root,
        (path,),
        settings.encode(),
        files_csv(rows).encode(),
        (told,),
        tuple(rows),
        tree.name,
    )
