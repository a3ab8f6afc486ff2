"""A file → a Table: every layout that task.toml leaves open is tried on a sample, and exactly one may remain.

A format is a module with two functions: ``find`` gives the possible layouts of a sample, ``read`` the table of the
whole file by one of them. Where its columns have names, two more serve a file with several columns of labels: ``grids``
gives the named columns, before it is decided which of them is what, and ``frame`` any of them from the whole file.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.readers import delimited, excel, jsonlines, jsonvalue, lines, parquet, sequences, tokens
from audit.formats.recognise.ambiguity import ambiguous
from audit.formats.recognise.rankings import is_ranked_list, ranked_list
from audit.formats.recognise.stray_quotes import check_quotes
from audit.formats.settings.answers import AcceptedLabels
from audit.formats.settings.grouping import Separator, no_sequences
from audit.formats.settings.keys import Keys
from audit.formats.settings.layout import BLANKS, Layout
from audit.formats.table.candidate import Candidate, Findings, Key, Trust, best_of
from audit.formats.table.columns import Grid
from audit.formats.table.frame import Frame
from audit.formats.table.parsed import Table, TaskFacts
from audit.text import plural, quoted


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """A format whose columns are known by their names, whatever they hold."""

    grids: Callable[[Content, Keys], Iterable[tuple[Layout, Grid]]]
    frame: Callable[[Content, Layout, Collection[int]], tuple[Frame, list[Issue]]]


@dataclass(frozen=True, slots=True)
class Format:
    """A format, and the functions that recognise and read it."""

    find: Callable[[Content, Keys, TaskFacts], Findings]
    read: Callable[[Content, Layout], Table]
    columns: NamedColumns | None = None


READERS: Mapping[str, Format] = {
    "delimited": Format(delimited.find, delimited.read, NamedColumns(delimited.grids, delimited.frame)),
    "excel": Format(excel.find, excel.read, NamedColumns(excel.grids, excel.frame)),
    "parquet": Format(parquet.find, parquet.read, NamedColumns(parquet.grids, parquet.frame)),
    "json": Format(jsonvalue.find, jsonvalue.read, NamedColumns(jsonvalue.grids, jsonvalue.frame)),
    "jsonl": Format(jsonlines.find, jsonlines.read, NamedColumns(jsonlines.grids, jsonlines.frame)),
    "lines": Format(lines.find, lines.read),
    "sequences": Format(sequences.find, sequences.read),
    "tokens": Format(tokens.find, tokens.read),
}
"""The formats, by their names in task.toml."""

_NO_TEXT = ("excel", "parquet")


def named_columns(content: Content, keys: Keys) -> Mapping[str, NamedColumns]:
    """The formats with named columns that a file may be in."""
    formats = {name: READERS[name].columns for name in _possible_formats(content, keys, TaskFacts())}
    return {name: columns for name, columns in formats.items() if columns is not None}


def read_table(content: Content, keys: Keys, facts: TaskFacts) -> Table:
    """The ids and labels of a file."""
    spelling, labels = keys.spelling, facts.labels if facts.labels is not None else keys.spelling.labels
    if labels is not None and not spelling.is_silent:
        facts = replace(facts, labels=AcceptedLabels(labels, spelling))
    if not keys.names_a_column and keys.format is None and is_ranked_list(content):
        raise InputError([ranked_list(content.path)])
    findings = list(_findings(content, keys, facts))
    refusals = [refusal for of_format in findings for refusal in of_format.refusals]
    best = best_of([candidate for of_format in findings for candidate in of_format.candidates])
    has_columns = refusals and (facts.is_gold or facts.ids is not None)
    if not best or (has_columns and best[0].trust is Trust.NOTHING):
        raise InputError([_no_layout(content, keys, refusals)])
    table = _settled(content, best, facts)
    _check_position(content, table.layout, keys, facts)
    if table.layout.n_comments:
        delimited.check_comments(content, table, facts)
    check_quotes(content, table, keys, facts, facts.section)
    return table.spelled(spelling, labels, content.path)


def _findings(content: Content, keys: Keys, facts: TaskFacts) -> Iterator[Findings]:
    """The findings of each format; of several, one that refuses does not keep the others from being tried."""
    names = _possible_formats(content, keys, facts)
    for name in names:
        try:
            yield READERS[name].find(content, keys, facts)
        except InputError as refusal:
            if len(names) == 1:
                raise
            yield Findings(refusals=refusal.issues)


def _possible_formats(content: Content, keys: Keys, facts: TaskFacts) -> Sequence[str]:
    """The formats to be tried."""
    if content.binary_format is not None or keys.format in _NO_TEXT:
        return [_binary_format(content, keys)]
    if keys.format is not None:
        return [keys.format]
    return _json_formats(content, facts) or _formats_of_lines(keys, facts)


def _json_formats(content: Content, facts: TaskFacts) -> Sequence[str]:
    """The formats of a file that is JSON, or is meant to be; none for any other."""
    if jsonvalue.is_json(content):
        one_item = facts.ids is not None and jsonvalue.can_be_one_item(content)
        return ["json", "jsonl"] if one_item else ["json"]
    if jsonlines.looks_like_json_lines(content):
        return ["jsonl"]
    return ["json"] if jsonvalue.is_meant_as_json(content) else []


def _formats_of_lines(keys: Keys, facts: TaskFacts) -> Sequence[str]:
    """The formats that plain lines of a file can be in, by what is known of gold."""
    if isinstance(keys.group, Separator):
        return ["sequences", "tokens"] if keys.group.text else ["sequences"]
    if facts.has_sequences:
        return ["sequences", "tokens"]
    return ["delimited", "lines", "sequences", "tokens"] if facts.is_gold else ["delimited", "lines"]


def _binary_format(content: Content, keys: Keys) -> str:
    binary_format = content.binary_format
    if binary_format is not None and keys.format in {None, binary_format}:
        return binary_format
    defect = "it is text" if binary_format is None else f"it is in the format {quoted(binary_format)}"
    expected = f"the format that task.toml names: {quoted(keys.format or '')}"
    remedy = "name the right format in task.toml, or leave it out where files are of several formats"
    raise InputError([Issue.of("unrecognised", content.path, defect, expected=expected, remedy=remedy)])


def _settled(content: Content, candidates: Sequence[Candidate], facts: TaskFacts) -> Table:
    """The one table that the candidates agree on; those that do not hold for the whole file have no say."""
    groups: dict[Key, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.cells, []).append(candidate)
    tables = [table for group in groups.values() for table in _tables(content, group)]
    remaining = _different([table for table in tables if not _is_broken(table)] or tables)
    if len(remaining) > 1:
        raise InputError([ambiguous(remaining, content.path, facts.section)])
    return remaining[0]


def _tables(content: Content, group: Sequence[Candidate]) -> list[Table]:
    """The different tables of layouts that agree on the sample; a broken one only where all are."""
    first, *others = group
    tables = [_read(content, first)]
    for other in others:
        if _is_broken(tables[0]) or not _surely_agree(content, first.layout, other.layout):
            tables.append(_read(content, other))
    whole = [table for table in tables if not _is_broken(table)] or tables[:1]
    return _different(whole)


def _different(tables: Sequence[Table]) -> list[Table]:
    return [table for number, table in enumerate(tables) if not any(map(table.says_the_same, tables[:number]))]


def _read(content: Content, candidate: Candidate) -> Table:
    return READERS[candidate.layout.format].read(content, candidate.layout)


def _surely_agree(content: Content, first: Layout, other: Layout) -> bool:
    """Whether two layouts that agree on the sample agree on every line: tab and runs of blanks, where tabs are all."""
    same_columns = (first.id, first.label, first.header) == (other.id, other.label, other.header)
    return same_columns and {first.delimiter, other.delimiter} == {"\t", BLANKS} and " " not in content.text


def _is_broken(table: Table) -> bool:
    return any(issue.slug == "wrong-columns" for issue in table.issues)


def _check_position(content: Content, layout: Layout, keys: Keys, facts: TaskFacts) -> None:
    """A file with columns beside gold without ids: that its lines are in gold order has to be said."""
    by_position = layout.width == 1 or layout.format == "tokens" or keys.id is False
    if facts.is_gold or facts.ids is not None or by_position:
        return
    defect = f"{plural(layout.width, 'column')}, but gold is known by position only: its file has no ids"
    remedy = "give the gold file ids; or, where the lines are in gold order, write under [submissions]: id = false"
    raise InputError([Issue.of("unrecognised", content.path, defect, remedy=remedy)])


def _no_layout(content: Content, keys: Keys, refusals: Sequence[Issue]) -> Issue:
    """Why there is no layout: nothing but comments, or what the first format found, or the first line."""
    if content.binary_format is not None:
        empty = Issue.of("unrecognised", content.path, "no sheet has an id and a label")
        return next(iter(refusals), empty)
    texts = [text for text in content.lines if text.strip()]
    if isinstance(keys.group, Separator):
        return no_sequences(content.path, "no line of it can be one of tags, or of a token and its tag")
    comment = "#" if keys.comment is None else keys.comment
    if comment and all(text.startswith(comment) for text in texts):
        return Issue.of("empty-file", content.path, f"{plural(len(texts), 'line')}, all of them comments")
    if refusals:
        return refusals[0]
    first = f"the first line is {quoted(texts[0])}" if texts else "there is no text in it"
    if keys.further_columns:
        columns = "groups" if keys.group_columns else "slices"
        return Issue.of("no-such-column", content.path, f"no column of {columns}: {first}")
    return Issue.of("unrecognised", content.path, first)
