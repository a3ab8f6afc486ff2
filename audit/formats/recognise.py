"""A file → a Table: every reading that task.toml leaves open is tried on a sample, and exactly one may remain."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import takewhile
from operator import itemgetter

from audit.errors import InputError, Issue
from audit.formats import delimited, jsonlines, lines
from audit.formats.columns import Grid, Pair, fits, fits_labels, pairs
from audit.formats.content import Content
from audit.formats.delimited import Dialect, Row
from audit.formats.header import FirstRow, first_row
from audit.formats.names import is_id_name, is_label_name
from audit.formats.reading import BLANKS, DELIMITERS, SILENT, Keys, Known, Reading, Table
from audit.text import listed, plural, quoted

_SAMPLE = 1000
"""So many lines of a submission are looked at; the chosen reading then has to hold for all."""

Key = tuple[tuple[str, ...], tuple[str, ...]]


class Trust(IntEnum):
    """What a reading rests on."""

    ELIMINATION = 0
    NAMES = 1
    CONTENT = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reading that is possible by the sample.

    Parameters
    ----------
    reading : Reading
        The reading.
    ids, labels : tuple of str
        What it gives for the sample; two candidates that give the same are one reading.
    lines : sequence of int
        The sample's line numbers.
    trust : Trust
        What it rests on.
    share : float
        Share of the sample's lines that have the expected number of columns.
    """

    reading: Reading
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    lines: Sequence[int]
    trust: Trust
    share: float

    @property
    def cells(self) -> Key:
        """What the sample's rows say by this reading."""
        return self.ids, self.labels


def read_table(content: Content, keys: Keys, known: Known) -> Table:
    """The ids and labels of a file.

    Parameters
    ----------
    content : Content
        The decoded file.
    keys : Keys
        What task.toml says about reading it.
    known : Known
        What is known about ids and labels.

    Raises
    ------
    InputError
        ambiguous-reading, unrecognised, no-such-column, open-quote or empty-file.
    """
    if keys.format == "jsonl" or (keys.format is None and jsonlines.looks_like_json_lines(content)):
        return _read_json_lines(content, keys, known)
    if keys.format == "lines":
        return lines.read_table(content, keys, known)
    return _read_delimited_or_lines(content, keys, known)


def _read_json_lines(content: Content, keys: Keys, known: Known) -> Table:
    sample = jsonlines.read_objects(content, None if known.is_gold else _SAMPLE)
    if not sample.objects:
        raise InputError(sample.issues)
    names = jsonlines.field_names(sample.objects)
    grid = Grid([jsonlines.plain_cells(sample.objects, name) for name in names], names)
    found = pairs(grid, keys, known, content.path)
    if not found and not known.is_gold and len(names) == 1:
        found = [(None, 0)]
    stated = None not in {keys.format, keys.id, keys.label}
    readings = [
        Reading("jsonl", names=names, width=len(names), id=item_id, label=label, stated=stated)
        for item_id, label in found
    ]
    candidates = [_candidate(reading, grid, sample.lines, known, 1.0) for reading in readings]
    if not candidates:
        raise InputError([_unrecognised(content, keys, known, grid.names), *sample.issues])
    return _settle(content, candidates, known)


def _read_delimited_or_lines(content: Content, keys: Keys, known: Known) -> Table:
    refusals: list[Issue] = []
    candidates = list(_delimited_candidates(content, keys, known, refusals))
    by_line = _may_be_lines(keys)
    if by_line and _lines_fit(content, known):
        candidates.append(_lines_candidate(content))
    best = _best(candidates)
    if best:
        return _settle(content, best, known, keys)
    if by_line and not refusals and _lines_at_last(content, known, candidates):
        return lines.read_table(content, keys, known)
    raise InputError(refusals[:1] or [_no_reading(content, keys, known)])


def _may_be_lines(keys: Keys) -> bool:
    by_position = keys.id is None or keys.id is False
    return keys.format is None and keys.delimiter is None and by_position and keys.label is None


def _lines_fit(content: Content, known: Known) -> bool:
    return fits_labels(content.lines if known.is_gold else content.lines[:_SAMPLE], known)


def _lines_at_last(content: Content, known: Known, candidates: Sequence[Candidate]) -> bool:
    """Whether a file in which nothing was recognised can only be one label per line."""
    if candidates or _only_comments(content.lines):
        return False
    return known.is_gold or known.ids is None or len(content.lines) in {known.n_items, (known.n_items or 0) + 1}


def _only_comments(texts: Iterable[str]) -> bool:
    return all(text.startswith("#") or not text.strip() for text in texts)


def _lines_candidate(content: Content) -> Candidate:
    sample = content.lines[:_SAMPLE]
    return Candidate(Reading("lines"), (), tuple(sample), range(1, len(sample) + 1), Trust.CONTENT, 1.0)


def _best(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that hold on every line of the sample and rest on the firmest ground; else the least broken."""
    whole = [candidate for candidate in candidates if candidate.share == 1.0]
    for trust in sorted(Trust, reverse=True):
        if found := [candidate for candidate in whole if candidate.trust == trust]:
            return found
        broken = [candidate for candidate in candidates if candidate.trust == trust]
        if trust is Trust.CONTENT and broken:
            return _least_broken(broken)
    return _least_broken(candidates)


def _least_broken(candidates: Sequence[Candidate]) -> list[Candidate]:
    if not candidates:
        return []
    best = max(candidates, key=lambda candidate: (candidate.share, candidate.trust))
    return [
        candidate
        for candidate in candidates
        if candidate.reading.delimiter == best.reading.delimiter and candidate.trust == best.trust
    ]


def _delimited_candidates(content: Content, keys: Keys, known: Known, refusals: list[Issue]) -> Iterator[Candidate]:
    """Every possible reading as delimited text; what task.toml names and the file lacks goes to the refusals."""
    skip = _leading_comments(content) if keys.comment is None else 0
    for delimiter in DELIMITERS.values() if keys.delimiter is None else [keys.delimiter]:
        quote = "" if delimiter == BLANKS else '"' if keys.quote is None else keys.quote
        dialect = Dialect(delimiter, quote, keys.comment or "", skip)
        limit = len(content.lines) if known.is_gold else _SAMPLE
        sample = delimited.read_rows(content, dialect, limit)
        width, share = _usual_width(sample.rows)
        if width < (1 if keys.label is not None and keys.id is False else 2):
            continue
        rows, _ = delimited.of_width(sample, width, content.path, keep_blank=keys.id is False)
        yield from _readings(content, dialect, rows, keys, known, share, refusals)


def _leading_comments(content: Content) -> int:
    """Leading lines that begin with # or are empty, unless the whole file is such lines."""
    leading = list(takewhile(lambda text: text.startswith("#") or not text.strip(), content.lines))
    if len(leading) == len(content.lines) or not any(text.startswith("#") for text in leading):
        return 0
    return len(leading)


def _usual_width(rows: Sequence[Row]) -> tuple[int, float]:
    """The most frequent number of columns from two upwards, and the share of the rows that have it."""
    counts = Counter(map(len, filter(None, rows)))
    total = counts.total()
    several = Counter({width: count for width, count in counts.items() if width > 1}) or counts
    if not several:
        return 0, 0.0
    width, count = several.most_common(1)[0]
    return width, count / total


def _readings(  # noqa: PLR0913 - what was sampled, what is stated, what is known
    content: Content,
    dialect: Dialect,
    sample: delimited.Rows,
    keys: Keys,
    known: Known,
    share: float,
    refusals: list[Issue],
) -> Iterator[Candidate]:
    """The candidates by one delimiter: with and without a header, and for each choice of columns."""
    columns = list(zip(*sample.rows, strict=True))
    names = tuple(sample.rows[0])
    stated = None not in {keys.delimiter, keys.header, keys.id, keys.label} and (
        keys.comment is not None or not dialect.skip
    )
    for header in (True, False):
        if keys.header is (not header) or (len(sample.rows) == 1 and header and keys.header is None):
            continue
        grid = Grid([column[header:] for column in columns], names if header else ())
        if not header and keys.header is None and (isinstance(keys.id, str) or isinstance(keys.label, str)):
            continue
        try:
            found = pairs(grid, keys, known, content.path)
        except InputError as refusal:
            refusals.extend(refusal.issues)
            continue
        for item_id, label in found:
            reading = Reading(
                "delimited",
                delimiter=dialect.delimiter,
                header=header,
                comment=dialect.comment or "#" * bool(dialect.skip),
                quote=dialect.quote,
                id=item_id,
                label=label,
                names=grid.names,
                width=len(columns),
                n_comments=dialect.skip,
                stated=stated,
            )
            if keys.header is not None or _header_is_possible(columns, (item_id, label), grid, known, header=header):
                yield _candidate(reading, grid, sample.lines[header:], known, share)


def _header_is_possible(
    columns: Sequence[Sequence[str]], pair: Pair, grid: Grid, known: Known, *, header: bool
) -> bool:
    """Whether the first row can be what the reading takes it for."""
    item_id, label = pair
    ids = None if item_id is None else columns[item_id]
    labels = columns[label]
    verdict = first_row(None if ids is None else ids[0], labels[0], ids and ids[1:], labels[1:], known)
    if verdict is FirstRow.HEADER and not known.is_gold and not fits(grid, pair, known):
        named = is_label_name(labels[0]) or (ids is not None and is_id_name(ids[0]))
        verdict = FirstRow.HEADER if named else FirstRow.DATA
    return verdict is not (FirstRow.DATA if header else FirstRow.HEADER)


def _candidate(reading: Reading, grid: Grid, numbers: Sequence[int], known: Known, share: float) -> Candidate:
    ids = () if reading.id is None else tuple(grid.columns[reading.id])
    labels = tuple(grid.columns[reading.label])
    named = bool(reading.names)
    trust = (
        Trust.CONTENT if fits(grid, (reading.id, reading.label), known) else Trust.NAMES if named else Trust.ELIMINATION
    )
    return Candidate(reading, ids, labels, numbers, trust, share)


def _settle(content: Content, candidates: Sequence[Candidate], known: Known, keys: Keys = SILENT) -> Table:
    """The one table that the candidates agree on.

    Raises
    ------
    InputError
        ambiguous-reading, where two of them hold for the whole file and say different things.
    """
    groups: dict[Key, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.cells, []).append(candidate)
    tables = {key: _cleanest(content, group, known, keys) for key, group in groups.items()}
    clean = [key for key, table in tables.items() if not _is_broken(table)]
    remaining = clean or list(tables)
    if len(remaining) > 1:
        raise InputError([_ambiguous(content, [groups[key][0] for key in remaining], known)])
    table = tables[remaining[0]]
    _check_position(content, table.reading, keys, known)
    _check_comments(content, table, known)
    return table


def _cleanest(content: Content, group: Sequence[Candidate], known: Known, keys: Keys) -> Table:
    """The first table of a group without a line of another width, or else the first."""
    tables = (_table(content, candidate.reading, known, keys) for candidate in group)
    first = next(tables)
    return first if not _is_broken(first) else next((table for table in tables if not _is_broken(table)), first)


def _is_broken(table: Table) -> bool:
    return any(issue.slug == "wrong-columns" for issue in table.issues)


def _table(content: Content, reading: Reading, known: Known, keys: Keys) -> Table:
    """The whole file by one reading."""
    if reading.format == "jsonl":
        return jsonlines.read_table(content, reading)
    if reading.format == "lines":
        return lines.read_table(content, keys, known)
    return _delimited_table(content, reading)


def _delimited_table(content: Content, reading: Reading) -> Table:
    dialect = Dialect(
        reading.delimiter, reading.quote, "" if reading.n_comments else reading.comment, reading.n_comments
    )
    found = delimited.read_rows(content, dialect)
    if reading.header:
        start = 1 + next(number for number, row in enumerate(found.rows) if row)
        found = delimited.Rows(found.rows[start:], found.lines[start:])
    by_position = reading.id is None
    whole, issues = delimited.of_width(found, reading.width, content.path, keep_blank=by_position)
    ids = None if reading.id is None else list(map(itemgetter(reading.id), whole.rows))
    labels = list(map(itemgetter(reading.label), whole.rows))
    return Table(reading, ids, labels, whole.lines, tuple(issues))


def _check_position(content: Content, reading: Reading, keys: Keys, known: Known) -> None:
    """A file with ids cannot be aligned with gold that has none; that its lines are in order has to be said."""
    if known.is_gold or known.ids is not None or reading.width == 1 or keys.id is False:
        return
    found = f"{plural(reading.width, 'column')} ({reading}), but gold is known by position only: its file has no ids"
    remedy = "give the gold file ids; or, where the lines are in gold order, write under [submissions]: id = false"
    raise InputError([Issue.of("unrecognised", content.path, found, remedy=remedy)])


def _check_comments(content: Content, table: Table, known: Known) -> None:
    """A leading line that begins with # and could be an item is not for a program to leave out."""
    reading = table.reading
    if not reading.n_comments:
        return
    head = Content(content.path, "\n".join(content.lines[: reading.n_comments]))
    rows = delimited.read_rows(head, Dialect(reading.delimiter, reading.quote), limit=reading.n_comments)
    labels = set(table.labels) if known.labels is None else known.labels
    for row, line in zip(rows.rows, rows.lines, strict=True):
        if len(row) != reading.width:
            continue
        is_item = known.ids is not None and reading.id is not None and row[reading.id] in known.ids
        if is_item or row[reading.label] in labels:
            found = (
                f"the line begins with {quoted('#')}, and could be a comment or an item: {delimited.shown_cells(row)}"
            )
            remedy = f'write into task.toml, under {_section(known)}: comment = "#" or comment = ""'
            raise InputError([Issue.of("ambiguous-reading", content.path, found, lines=[line], remedy=remedy)])


def _section(known: Known) -> str:
    return "[gold]" if known.is_gold else "[submissions]"


def _ambiguous(content: Content, candidates: Sequence[Candidate], known: Known) -> Issue:
    """The issue that shows the readings at the first line on which they differ, and the settings that decide."""
    line = _first_difference(candidates)
    shown = " · or · ".join(f"{candidate.reading} → {_row_at(candidate, line)}" for candidate in candidates[:4])
    settings = [candidate.reading.settings() for candidate in candidates[:4]]
    lines_for_toml = [_deciding(setting, settings) for setting in settings]
    remedy = f"write into task.toml, under {_section(known)}: {' · or · '.join(dict.fromkeys(lines_for_toml))}"
    return Issue.of("ambiguous-reading", content.path, shown, lines=[line], remedy=remedy)


def _deciding(setting: dict[str, str], settings: Sequence[dict[str, str]]) -> str:
    """The settings that tell one reading from the others."""
    keys = [key for key in setting if len({other.get(key) for other in settings}) > 1]
    return ", ".join(setting[key] for key in keys)


def _first_difference(candidates: Sequence[Candidate]) -> int:
    first, *others = [_by_line(candidate) for candidate in candidates]
    lines_of_all = sorted(set(first).union(*others))
    return next(line for line in lines_of_all if any(other.get(line) != first.get(line) for other in others))


def _by_line(candidate: Candidate) -> dict[int, tuple[str | None, str]]:
    ids = candidate.ids or [None] * len(candidate.labels)
    return dict(zip(candidate.lines, zip(ids, candidate.labels, strict=True), strict=True))


def _row_at(candidate: Candidate, line: int) -> str:
    row = _by_line(candidate).get(line)
    if row is None:
        return f"line {line} is no item"
    item_id, label = row
    return f"line {line}: " + (
        f"label {quoted(label)}" if item_id is None else f"id {quoted(item_id)}, label {quoted(label)}"
    )


def _unrecognised(content: Content, keys: Keys, known: Known, names: Sequence[str] = ()) -> Issue:
    """The issue for a file in which no column, or no pair of columns, can be told."""
    if names and keys.id is None and keys.label is None:
        columns = listed([quoted(name) for name in names], limit=8)
        found = f"none of {columns} can be told to hold {'the ids' if known.is_gold else 'gold ids'} or the labels"
        return Issue.of("no-such-column", content.path, found, remedy=None)
    return Issue.of("unrecognised", content.path, f"the first line is {quoted(_first_line(content))}")


def _first_line(content: Content) -> str:
    return next(line for line in content.lines if line.strip())


def _no_reading(content: Content, keys: Keys, known: Known) -> Issue:
    if keys.comment != "" and _only_comments(content.lines):
        return Issue.of("empty-file", content.path, f"{plural(len(content.lines), 'line')}, all of them comments")
    return _unrecognised(content, keys, known)
