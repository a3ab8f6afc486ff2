"""files.csv: a line for each file of a campaign, which says what it is and whose."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from audit.domain import SourceFile
from audit.errors import MANIFEST, InputError, Issue
from audit.formats.files.content import Content, decode
from audit.formats.files.tree import Tree
from audit.formats.settings.values import relative_path
from audit.text import did_you_mean, listed, plural, quoted

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
_FURTHER_COLUMNS = ("affiliation", "paper")
_DELIMITERS = ",;\t"


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
    lines = list(lines_of(content))
    if not lines:
        return None
    rows = _rows(tree, lines)
    issues = [*_undecided(rows), *(_missing(tree, rows) if is_whole else ())]
    if issues:
        raise InputError(issues)
    kept = [row for row in rows if is_whole or tree.exists(row.file)]
    return Manifest(tuple(kept), SourceFile.of(MANIFEST, tree.original(MANIFEST)))


def lines_of(content: Content) -> Iterator[tuple[int, Sequence[str]]]:
    """The cells of each line with its number, those of the header folded; nothing where no column is called file."""
    if content.binary_format is not None or not content.lines:
        return
    first = content.lines[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(content.lines, delimiter=delimiter, strict=True)
    try:
        heads = [cell.strip().casefold() for cell in next(reader)]
        if "file" not in heads:
            return
        yield 1, heads
        for cells in filter(any, reader):
            yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        if "file" in first:
            raise InputError([bad_manifest(f"its quotes are not closed ({error})", reader.line_num)]) from None


def _rows(tree: Tree, lines: Sequence[tuple[int, Sequence[str]]]) -> list[FileRow]:
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
            values |= {"file": _path_in(tree, values["file"], line), "kind": values["kind"].casefold()}
        except InputError as error:
            issues.extend(error.issues)
            continue
        row = FileRow(**values, line=line)
        if row.kind not in {"", *KINDS}:
            defect = f"the kind {quoted(row.kind)}.{did_you_mean(row.kind, KINDS)}"
            issues.append(bad_manifest(defect, line, expected=listed(list(KINDS), "or")))
        if rows.setdefault(row.file, row) is not row:
            issues.append(bad_manifest(f"{quoted(row.file, 120)} is on two lines", rows[row.file].line, line))
    if issues:
        raise InputError(issues)
    return list(rows.values())


def _bad_heads(heads: Sequence[str]) -> Iterator[Issue]:
    names = (*COLUMNS, *_FURTHER_COLUMNS)
    if "kind" not in heads:
        yield bad_manifest("there is no column “kind”", 1)
    for head in dict.fromkeys(heads):
        if head not in names:
            yield bad_manifest(f"the column {quoted(head)}.{did_you_mean(head, names)}", 1)
        elif heads.count(head) > 1:
            yield bad_manifest(f"the column {quoted(head)} is there twice", 1)


def _path_in(tree: Tree, cell: str, line: int) -> str:
    """The path in a cell, in its one spelling."""
    if not cell:
        raise InputError([bad_manifest("no file", line, expected="a path in the column file")])
    try:
        return tree.canonical(relative_path(cell))
    except ValueError:
        raise InputError([Issue.of("path-outside", MANIFEST, f"the file {quoted(cell, 120)}", lines=[line])]) from None


def _undecided(rows: Iterable[FileRow]) -> Iterator[Issue]:
    """One issue for all files of which nobody has said what they are."""
    if open_rows := [row for row in rows if not row.kind]:
        first = open_rows[0]
        why = f": {first.why.rstrip('.')}" if first.why else ""
        defect = f"{plural(len(open_rows), 'file')} without a kind, first {quoted(first.file, 120)}{why}"
        remedy = f"write into the column kind what it is: {listed(list(KINDS), 'or')}"
        yield bad_manifest(defect, *(row.line for row in open_rows), expected="a kind on each line", remedy=remedy)


def _missing(tree: Tree, rows: Iterable[FileRow]) -> Iterator[Issue]:
    """One issue for all files that are not there and would be read."""
    read = (row for row in rows if row.kind not in {"ignore", "reference"})
    if missing := [row for row in read if not tree.exists(row.file)]:
        files = listed([quoted(row.file, 120) for row in missing], limit=4)
        defect = f"there is no {'file' if len(missing) == 1 else 'such files'} {files}"
        remedy = "correct the path, or remove the line"
        yield Issue.of("missing-file", MANIFEST, defect, lines=[row.line for row in missing], remedy=remedy)


def bad_manifest(defect: str, *lines: int, expected: str | None = None, remedy: str | None = None) -> Issue:
    """An issue of files.csv itself."""
    return Issue.of("bad-manifest", MANIFEST, defect, lines=lines, expected=expected, remedy=remedy)
