"""files.csv: a line for each file of a campaign, which says what it is and whose."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from audit.domain import SourceFile
from audit.errors import MANIFEST, InputError, Issue
from audit.formats.files.content import Content, decode
from audit.formats.files.tree import Tree
from audit.formats.settings.values import relative_path
from audit.text import composed, did_you_mean, listed, plural, quoted

KINDS = {
    "gold": "the gold labels; of one file with a column for each system, all of it",
    "submission": "answers of a team",
    "reference": "what belongs to the campaign and is not read, like the items that teams were given",
    "published": "the scores that were published",
    "names": "a table of names for the labels",
    "ignore": "nothing that is read",
}
"""What a file can be, in words."""

COLUMNS = ("file", "kind", "role", "team", "run", "part", "why")
FURTHER_COLUMNS = ("affiliation", "paper")
_DELIMITERS = ",;\t"
_FOR_SPREADSHEETS = re.compile(r'"?sep=.?"?', re.IGNORECASE)
_LINE_ENDS = re.compile(r"[\r\n]+")
_HEADER = "write as its first line the names of its columns, like file,kind,team or file,kind,role,team,run"


@dataclass(frozen=True, slots=True)
class FileRow:
    """What a file is, as a line of the manifest says it; what is left empty is empty here."""

    file: str
    kind: str = ""
    role: str = ""
    team: str = ""
    run: str = ""
    part: str = ""
    why: str = ""
    affiliation: str = ""
    paper: str = ""
    line: int = 0  # in files.csv

    def is_of(self, part: str | None) -> bool:
        """Whether the file is of a test set, or of all."""
        return not self.part or self.part == part


@dataclass(frozen=True, eq=False)
class Manifest:
    """The lines of files.csv."""

    rows: tuple[FileRow, ...]
    source: SourceFile

    def of_kind(self, kind: str) -> list[FileRow]:
        """The files that are of a kind."""
        return [row for row in self.rows if row.kind == kind]


def read_manifest(tree: Tree, *, is_whole: bool = True) -> Manifest | None:
    """The manifest of a folder, of a part of one without the files that are not there; None where it has none."""
    if not tree.exists(MANIFEST) or tree.is_folder(MANIFEST):
        return None
    content = decode(MANIFEST, tree.read(MANIFEST))
    lines = list(lines_of(tree, content))
    if not lines:
        return None
    rows = _rows(tree, lines)
    issues = [*_undecided(rows), *(_missing(tree, rows) if is_whole else ())]
    if issues:
        raise InputError(issues)
    kept = [row for row in rows if is_whole or tree.exists(row.file)]
    return Manifest(tuple(kept), SourceFile.of(MANIFEST, tree.original(MANIFEST)))


Line = tuple[int, Sequence[str]]
"""The number of a line, and its cells."""


def lines_of(tree: Tree, content: Content) -> Iterator[Line]:
    """The lines of the manifest, those of its header folded; none where the table is another."""
    lines = _lines_below_header(content)
    header = next(lines, None)
    if header is None:
        yield from _lines_without_header(tree, content)
    else:
        yield header
        yield from lines


def _lines_below_header(content: Content) -> Iterator[Line]:
    """The header and the lines below it; nothing where no column is called file."""
    first = next((text for text in content.lines if not _FOR_SPREADSHEETS.fullmatch(text)), "")
    try:
        every = _cells_by_line(content)
        line, heads = next(every, (1, ()))
        heads = [cell.casefold() for cell in heads]
        if "file" not in heads:
            return
        yield line, heads
        yield from every
    except InputError:
        if "file" in first:
            raise


def _lines_without_header(tree: Tree, content: Content) -> Iterator[Line]:
    """The lines of a manifest whose header is lacking, below one for them; nothing where the table is another.

    Each begins with the path of a file that is there, and a kind. What further columns are can be told only where all
    of them are there.
    """
    try:
        lines = list(_cells_by_line(content))
    except InputError:
        return
    if not lines or not all(_begins_like_a_row(tree, cells) for _, cells in lines):
        return
    n_columns = max(len(cells) for _, cells in lines)
    if n_columns not in {2, len(COLUMNS)}:
        defect = f"its first line is no header, and it has {n_columns} columns"
        raise InputError(
            [
                bad_manifest(
                    defect, lines[0][0], expected="a header: file, kind and more", remedy=_HEADER
                )
            ]
        )
    yield lines[0][0], COLUMNS[:n_columns]
    yield from lines


def _begins_like_a_row(tree: Tree, cells: Sequence[str]) -> bool:
    """Whether a line begins with the path of a file that there is, and a kind."""
    if len(cells) < 2 or cells[1].casefold() not in KINDS:  # noqa: PLR2004 - a path and a kind
        return False
    try:
        return tree.exists(_path_in(tree, cells[0], 1))
    except InputError:
        return False


def _cells_by_line(content: Content) -> Iterator[Line]:
    """The cells of each line that has some, with its number; without what tells a spreadsheet the delimiter."""
    if content.binary_format is not None or not content.lines:
        return
    texts = content.lines
    n_above = int(_FOR_SPREADSHEETS.fullmatch(texts[0]) is not None)
    if len(texts) > n_above:
        first = texts[n_above]
    else:
        first = ""
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader((f"{text}\n" for text in texts[n_above:]), delimiter=delimiter, strict=True)
    try:
        for cells in filter(any, reader):
            yield n_above + reader.line_num, [_LINE_ENDS.sub(" ", cell.strip()) for cell in cells]
    except csv.Error as error:
        line = n_above + reader.line_num
        raise InputError([bad_manifest(f"its quotes are not closed ({error})", line)]) from None


def decided_rows(tree: Tree) -> dict[str, FileRow]:
    """The rows of which somebody has said what they are, whatever is wrong with others."""
    if not tree.exists(MANIFEST) or tree.is_folder(MANIFEST):
        return {}
    (_, heads), *body = [*lines_of(tree, decode(MANIFEST, tree.read(MANIFEST)))] or [(1, ())]
    rows = {}
    for _, cells in body:
        cell_of = dict(zip(heads, cells, strict=False))
        kind = cell_of.get("kind", "").casefold()
        if kind in KINDS and cell_of.get("file"):
            said = {name: cell_of.get(name, "") for name in (*COLUMNS, *FURTHER_COLUMNS)}
            path = composed(said["file"].replace("\\", "/")).removeprefix("./")
            values: dict[str, Any] = said | {"file": path, "kind": kind}
            rows[path] = FileRow(**values)
    return rows


def _rows(tree: Tree, lines: Sequence[Line]) -> list[FileRow]:
    """The rows, each of a file inside the folder, of a kind that there is, once."""
    (_, heads), *body = lines
    issues = list(_bad_heads(heads))
    if not body and not issues:
        issues.append(bad_manifest("no line below the header"))
    rows: dict[str, FileRow] = {}
    for line, cells in [] if issues else body:
        if len(cells) != len(heads):
            issues.append(bad_manifest(f"{len(cells)} cells, and {len(heads)} columns", line))
            continue
        values = dict(zip(heads, cells, strict=True))
        try:
            values |= {
                "file": _path_in(tree, values["file"], line),
                "kind": values["kind"].casefold(),
            }
        except InputError as error:
            issues.extend(error.issues)
            continue
        row = FileRow(**values, line=line)
        if row.kind not in {"", *KINDS}:
            defect = f"the kind {quoted(row.kind)}.{did_you_mean(row.kind, KINDS)}"
            issues.append(bad_manifest(defect, line, expected=listed(list(KINDS), "or")))
        if rows.setdefault(row.file, row) is not row:
            issues.append(
                bad_manifest(f"{quoted(row.file, 120)} is on two lines", rows[row.file].line, line)
            )
    if issues:
        raise InputError(issues)
    return list(rows.values())


def _bad_heads(heads: Sequence[str]) -> Iterator[Issue]:
    names = (*COLUMNS, *FURTHER_COLUMNS)
    if "kind" not in heads:
        yield bad_manifest("there is no column “kind”", 1)
    for head in dict.fromkeys(heads):
        if head not in names:
            yield bad_manifest(f"the column {quoted(head)}.{did_you_mean(head, names)}", 1)
        elif heads.count(head) > 1:
            yield bad_manifest(f"the column {quoted(head)} is there twice", 1)


def _path_in(tree: Tree, cell: str, line: int) -> str:
    """The path in a cell, in its one spelling; a name that itself has a backslash is taken as it is."""
    if not cell:
        raise InputError([bad_manifest("no file", line, expected="a path in the column file")])
    if "\\" in cell and ".." not in cell and not cell.startswith("/") and tree.exists(cell):
        return tree.canonical(cell)
    try:
        return tree.canonical(relative_path(cell))
    except ValueError:
        raise InputError(
            [Issue.of("path-outside", MANIFEST, f"the file {quoted(cell, 120)}", lines=[line])]
        ) from None


def _undecided(rows: Iterable[FileRow]) -> Iterator[Issue]:
    """One issue for all files of which nobody has said what they are."""
    if open_rows := [row for row in rows if not row.kind]:
        first = open_rows[0]
        if first.why:
            why = f": {first.why.rstrip('.')}"
        else:
            why = ""
        defect = (
            f"{plural(len(open_rows), 'file')} without a kind, first {quoted(first.file, 120)}{why}"
        )
        remedy = f"write into the column kind what it is: {listed(list(KINDS), 'or')}"
        yield bad_manifest(
            defect, *(row.line for row in open_rows), expected="a kind on each line", remedy=remedy
        )


def _missing(tree: Tree, rows: Iterable[FileRow]) -> Iterator[Issue]:
    """One issue for all files that are not there and would be read."""
    read = (row for row in rows if row.kind not in {"ignore", "reference"})
    if missing := [row for row in read if not tree.exists(row.file)]:
        files = listed([quoted(row.file, 120) for row in missing], limit=4)
        defect = f"there is no {'file' if len(missing) == 1 else 'such files'} {files}"
        remedy = "correct the path, or remove the line"
        yield Issue.of(
            "missing-file", MANIFEST, defect, lines=[row.line for row in missing], remedy=remedy
        )


def bad_manifest(
    defect: str, *lines: int, expected: str | None = None, remedy: str | None = None
) -> Issue:
    """An issue of files.csv itself."""
    return Issue.of("bad-manifest", MANIFEST, defect, lines=lines, expected=expected, remedy=remedy)
