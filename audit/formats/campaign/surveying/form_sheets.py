"""The sheet of a form: a file beside the submissions that names them, and who handed them in."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.errors import InputError
from audit.formats.campaign.claims import files_by_cell
from audit.formats.campaign.conventions import file_of
from audit.formats.campaign.roster import TEAM_NAMES
from audit.formats.campaign.surveying.survey import data_paths
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.readers import delimited, excel
from audit.formats.settings.column_names import fold
from audit.formats.settings.keys import SILENT

_MOST_SHEETS = 3
_MOST_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class FormSheet:
    """A file that names submissions."""

    path: str
    columns: Mapping[str, str]
    """What its columns hold, as the table of the submissions calls it: by it the name of the column."""
    n_files: int  # the number of submissions that the sheet names


def sheets(tree: Tree, taken: Collection[str], submissions: Sequence[str]) -> Iterator[FormSheet]:
    """The files beside gold and submissions that name most of these, and the teams."""
    by_cell = files_by_cell(submissions)
    beside = [path for path in data_paths(tree) if path not in taken][:_MOST_LOOKED_AT]
    usable = (sheet for path in beside if (sheet := _sheet(tree, path, by_cell, len(submissions))) is not None)
    yield from list(usable)[:_MOST_SHEETS]


def _sheet(tree: Tree, path: str, by_cell: Mapping[str, str], n_files: int) -> FormSheet | None:
    try:
        content = decode(path, tree.read(path))
        reader = excel if content.binary_format == "excel" else delimited
        grids = list(reader.grids(content, SILENT))
    except InputError:
        return None
    for _, grid in grids:
        counts = [len({by_cell.get(file_of(cell)) for cell in column} - {None}) for column in grid.columns]
        teams = [name for name in grid.names if fold(name) in TEAM_NAMES]
        if teams and 2 * max(counts, default=0) > n_files:
            best = counts.index(max(counts))
            return FormSheet(path, {"file": grid.names[best], "team": teams[0]}, counts[best])
    return None
