"""The sheet of a form: a file beside the submissions that names them, and who handed them in."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.errors import InputError
from audit.formats.campaign.conventions import file_of, name_of
from audit.formats.campaign.survey import data_paths
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.readers import delimited, excel
from audit.formats.settings.column_names import fold
from audit.formats.settings.keys import SILENT

_MOST_SHEETS = 3
_MOST_LOOKED_AT = 20
_TEAM_NAMES = ("team", "team_name", "teamname", "name_of_your_team", "group", "group_name", "participant", "user_name")


@dataclass(frozen=True, slots=True)
class FormSheet:
    """A file that names submissions."""

    path: str
    """The file."""
    columns: Mapping[str, str]
    """What its columns hold, as the table of the submissions calls it: by it the name of the column."""
    n_files: int
    """How many of the submissions it names."""


def sheets(tree: Tree, taken: Collection[str], submissions: Sequence[str]) -> Iterator[FormSheet]:
    """The files beside gold and submissions that name most of these, and the teams."""
    names = {name_of(path) for path in submissions}
    beside = [path for path in data_paths(tree) if path not in taken][:_MOST_LOOKED_AT]
    found = (sheet for path in beside if (sheet := _sheet(tree, path, names)) is not None)
    yield from list(found)[:_MOST_SHEETS]


def _sheet(tree: Tree, path: str, names: Collection[str]) -> FormSheet | None:
    try:
        content = decode(path, tree.read(path))
        reader = excel if content.binary_format == "excel" else delimited
        grids = list(reader.grids(content, SILENT))
    except InputError:
        return None
    for _, grid in grids:
        counts = [len({file_of(cell) for cell in column} & set(names)) for column in grid.columns]
        teams = [name for name in grid.names if fold(name) in _TEAM_NAMES]
        if teams and 2 * max(counts, default=0) > len(names):
            best = counts.index(max(counts))
            return FormSheet(path, {"file": grid.names[best], "team": teams[0]}, counts[best])
    return None
