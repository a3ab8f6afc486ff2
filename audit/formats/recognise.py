"""A file → a Table: every layout that task.toml leaves open is tried on a sample, and exactly one may remain."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, repeat

from audit.errors import Choice, InputError, Issue
from audit.formats.files.content import Content
from audit.formats.readers import delimited, excel, json_files, lines, parquet
from audit.formats.settings.answers import AcceptedLabels, Greatest
from audit.formats.settings.layout import (
    BLANKS,
    NOTHING_STATED,
    Layout,
    Separator,
    StatedLayout,
    no_sequences,
    toml_list,
    toml_text,
)
from audit.formats.settings.parsing import TrackSettings, parse_settings
from audit.formats.table.columns import fits_ids, fits_labels, is_label_name
from audit.formats.table.parsed import (
    Frame,
    Rows,
    Table,
    TaskFacts,
    counted,
    in_unit,
    shortened,
    shown_id,
    table_of,
)
from audit.formats.table.sample import (
    SAMPLE,
    Candidate,
    Finding,
    Sample,
    Trust,
    best_of,
    find_named,
)
from audit.formats.table.text_rows import possible_layouts, read_body, read_rows, shown_cells
from audit.text import agreeing, listed, plural, quoted

Lines = Sequence[int]


def check_quotes(
    content: Content, table: Table, stated: StatedLayout, facts: TaskFacts, section: str
) -> None:
    """Refuse to take lines for one cell where each could be an item."""
    quote = table.layout.quote
    if (
        not quote
        or stated.quote is not None
        or quote not in content.text
        or (len(table.lines) + table.layout.header >= len(content.lines) - table.layout.skip)
    ):
        return
    doubtful = list(_doubtful(content, table, facts))
    if not doubtful:
        return
    first = doubtful[0][0]
    last = doubtful[0][-1]
    label = dict(zip(table.lines, table.labels, strict=True)).get(first, "")
    one = f"one item, whose cell in quotes ends on line {last}, with the label {quoted(label)}"
    several = f"lines {first} to {last} are an item each, and the quotes on them are text"
    defect = f"a quote opens on line {first} and closes on line {last}: {one}{OR}{several}"
    ways = [
        (f"quote = {toml_text('')}", several),
        (f"quote = {toml_text(quote)}", f"line {first} is {one}"),
    ]
    raise undecided(content.path, defect, section, ways, [each[0] for each in doubtful])


def _doubtful(content: Content, table: Table, facts: TaskFacts) -> Iterator[Lines]:
    """The lines of each row that goes over several, where all of them, or one inside, are an item by themselves."""
    layout = replace(table.layout, quote="")
    frame, issues = read_body(content, layout)
    plain = table_of(content.path, layout, frame, issues)
    items = _items(plain, table, facts)
    lines = sorted({*plain.lines, *(line for issue in issues for line in issue.lines)})
    starts = read_rows(content, table.layout).lines
    for _, of_row in groupby(lines, key=partial(bisect_right, starts)):
        row = list(of_row)
        if len(row) > 1 and (items.issuperset(row) or not items.isdisjoint(row[1:-1])):
            yield row


def _items(plain: Table, table: Table, facts: TaskFacts) -> set[int]:
    """The lines that are an item where quotes are text: by gold's ids, or else by a label; all, where none is odd."""
    if facts.ids is not None and plain.ids is not None:
        return {
            line
            for line, item_id in zip(plain.lines, plain.ids, strict=True)
            if item_id in facts.ids
        }
    if not plain.issues:
        return set(plain.lines)
    labels = set(table.labels) if facts.labels is None else facts.labels
    return {line for line, label in zip(plain.lines, plain.labels, strict=True) if label in labels}


_MOST_SHOWN = 4
_BINARY = {"0", "1", "0.0", "1.0", "true", "false"}
OR = " · or · "

_Row = tuple[str | None, str]


def ambiguous(tables: Sequence[Table], path: str, section: str) -> InputError:
    """The refusal of several possible layouts: the first line on which they differ, with the settings that decide."""
    if (several := _several_labels(tables)) and section == "[gold]":
        return InputError([_multi_label(several, path)])
    shown = tables[:_MOST_SHOWN]
    rows = [_by_line(table) for table in shown]
    every_line = sorted(set().union(*rows))
    line = next(
        line
        for line in every_line
        if any(by_line.get(line) != rows[0].get(line) for by_line in rows)
    )
    ways = [
        (_deciding(table.layout, shown), f"{table.layout} → {_place_words(line, by_line, table)}")
        for table, by_line in zip(shown, rows, strict=True)
    ]
    are_by_blanks = section == "[gold]" and all(
        table.layout.delimiter == BLANKS for table in tables
    )
    if are_by_blanks:
        more = '; or, where each line is a sequence of tags: format = "sequences"'
    else:
        more = ""
    if {table.layout.kind.unit for table in shown} == {"line"}:
        lines = [line]
    else:
        lines = []
    return undecided(path, OR.join(way for _, way in ways), section, ways, lines, more=more)


def undecided(  # noqa: PLR0913, PLR0917 - all that an issue says
    path: str,
    defect: str,
    section: str,
    ways: Sequence[tuple[str, str]],
    lines: Sequence[int],
    unit: str = "line",
    *,
    more: str = "",
) -> InputError:
    """The refusal of a file that can be read in several ways, with the settings and the meaning of each."""
    choices = [Choice(section, settings, meaning) for settings, meaning in ways]
    remedy = f"write into task.toml, under {section}: {OR.join(dict.fromkeys(settings for settings, _ in ways))}"
    if section == "[submissions]":
        remedy += "; this holds for every submission: where others are written otherwise, correct this file instead"
    issue = Issue.of(
        "ambiguous-reading", path, defect, lines=lines, remedy=remedy + more, choices=choices
    )
    return InputError([in_unit(issue, unit)])


def _several_labels(tables: Sequence[Table]) -> list[str]:
    """The columns that each hold yes or no for one label, where all do; none otherwise."""
    names = [table.layout.label_name for table in tables]
    if None in names or len({(table.layout.id, table.layout.header) for table in tables}) > 1:
        return []
    are_binary = all(
        {label.casefold() for label in table.labels} <= values
        for table in tables
        for values in [_BINARY]
    )
    if are_binary:
        return [name or "" for name in names]
    return []


def _multi_label(names: Sequence[str], path: str) -> Issue:
    """The issue for a file in which an item has several labels: they are sets, or a test set each."""
    shown = listed([quoted(name) for name in names], limit=8)
    defect = f"a multi-label file by the look of it: {shown} each say 0 or 1 of an item"
    first = toml_text(names[0])
    of_gold = f"[subtask.{first}.gold] path = {toml_text(path)}, label = {first}"
    one = f"{of_gold}, and [subtask.{first}.submissions] label = {first}"
    together = f'kind = "sets", and under [gold] and [submissions]: label = {toml_list(names)}'
    remedy = (
        f"if they are scored together, write into task.toml: {together}; else a test set for each label, like {one}; "
        f"or one alone, under [gold]: label = {first}; or all as one label: label = […] and [combinations]"
    )
    return Issue.of(
        "ambiguous-reading", path, defect, expected="one label for each item", remedy=remedy
    )


def _by_line(table: Table) -> dict[int, list[_Row]]:
    """The rows of each line; in tag sequences there are several."""
    ids: Sequence[str | None] = table.ids or [None] * len(table.labels)
    rows: defaultdict[int, list[_Row]] = defaultdict(list)
    for line, item_id, label in zip(table.lines, ids, table.labels, strict=True):
        rows[line].append((item_id, label))
    return dict(rows)


def _place_words(line: int, by_line: Mapping[int, list[_Row]], table: Table) -> str:
    place = f"{table.layout.kind.unit} {line}"
    if line not in by_line:
        return f"{place} is no item"
    (item_id, label), *others = by_line[line]
    if item_id is None:
        ids = ""
    else:
        ids = f"id {quoted(shown_id(item_id, table.layout))}, "
    if others:
        more = f" and {len(others):,} more"
    else:
        more = ""
    return f"{place}: {ids}label {quoted(label)}{more}"


def _deciding(layout: Layout, tables: Sequence[Table]) -> str:
    """The settings that tell one layout from the others; a column is the same by name and by number."""
    settings = layout.settings()
    attribute_of = {"score": "label"}
    keys = [
        key
        for key in settings
        if len({getattr(table.layout, attribute_of.get(key, key)) for table in tables}) > 1
    ]
    return ", ".join(settings[key] for key in keys)


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """A format whose columns are known by their names, whatever they hold."""

    tables: Callable[..., Iterable[Sample]]
    """Of a file, by the settings; of the first rows, as far as it can."""
    frame: Callable[[Content, Layout, Collection[int]], tuple[Frame, list[Issue]]]

    def find(self, content: Content, stated: StatedLayout, facts: TaskFacts) -> Iterator[Finding]:
        """Every choice of columns, where all of them have names."""
        return find_named(
            self.tables(content, stated, None if facts.is_gold else SAMPLE), stated, facts
        )

    def read(self, content: Content, layout: Layout) -> Table:
        """The table of the columns that a layout reads."""
        return table_of(content.path, layout, *self.frame(content, layout, layout.columns))


_NAMED = {
    "delimited": NamedColumns(
        delimited.tables, lambda content, layout, _: read_body(content, layout)
    ),
    "excel": NamedColumns(excel.tables, excel.frame),
    "parquet": NamedColumns(parquet.tables, parquet.frame),
    "json": NamedColumns(json_files.tables, json_files.frame),
    "jsonl": NamedColumns(json_files.tables_by_line, json_files.frame),
}
_FIND: Mapping[str, Callable[[Content, StatedLayout, TaskFacts], Iterator[Finding]]] = {
    **{name: columns.find for name, columns in _NAMED.items()},
    "delimited": delimited.find,  # which may lack names
    "excel": excel.find,
    "lines": lines.find_lines,
    "sequences": lines.find_sequences,
    "tokens": lines.find_tokens,
}
_READ: Mapping[str, Callable[[Content, Layout], Table]] = {
    **{name: columns.read for name, columns in _NAMED.items()},
    "lines": lines.read_lines,
    "sequences": lines.read_sequences,
    "tokens": lines.read_tokens,
}
"""The formats, by their names in task.toml."""

_NO_TEXT = ("excel", "parquet")
_MOST_LOOKED_AT = 50  # columns of a text


def named_columns(content: Content, stated: StatedLayout) -> Mapping[str, NamedColumns]:
    """The formats with named columns that a file may be in."""
    return {
        name: _NAMED[name]
        for name in _possible_formats(content, stated, TaskFacts())
        if name in _NAMED
    }


def read_table(content: Content, stated: StatedLayout, facts: TaskFacts) -> Table:
    """The ids and labels of a file; where it cannot be read, settings that were tried on it and read it are named."""
    try:
        return _read_table(content, stated, facts)
    except InputError as refusal:
        is_read = partial(reads, content, stated, facts)
        raise InputError(offering(issue, is_read) for issue in refusal.issues) from None


def offering(issue: Issue, is_read: Callable[[Choice], bool]) -> Issue:
    """The issue with those of its choices by which the file is read; of a file that is ambiguous each does."""
    if not issue.choices or issue.slug == "ambiguous-reading":
        return issue
    ways = list(filter(is_read, issue.choices))
    place_of = {way: f"under {way.section}" if way.section else "at the top" for way in ways}
    remedies = [
        f"if {way.meaning}, write into task.toml, {place}: {way.settings}"
        for way, place in place_of.items()
    ]
    return replace(issue, remedy="; or, ".join([*remedies, issue.remedy]), choices=tuple(ways))


def stated_by(choice: Choice) -> TrackSettings:
    """What task.toml would say by a choice alone."""
    section = choice.section.strip("[]")
    if section:
        text = f"{section} = {{ {choice.settings} }}"
    else:
        text = choice.settings
    return parse_settings(text.encode())


def with_choice(
    stated: StatedLayout, facts: TaskFacts, choice: Choice
) -> tuple[StatedLayout, TaskFacts]:
    """How a file is read with a further setting, and what gold then says of it."""
    if facts.is_gold:
        further = stated_by(choice).gold_layout
    else:
        further = stated_by(choice).submission_layout
    stated = stated.overridden_by(further)
    if facts.ids is not None:
        ids = shortened(list(facts.ids), stated.id_pattern)
        facts = replace(facts, ids=dict(zip(ids, facts.ids.values(), strict=True)))
    return stated, facts


def reads(content: Content, stated: StatedLayout, facts: TaskFacts, choice: Choice) -> bool:
    """Whether a file is read with a further setting, as what gold says of it, or asks for another one."""
    stated, facts = with_choice(stated, facts, choice)
    try:
        table = _read_table(content, stated, facts)
    except InputError as refusal:
        return any(issue.slug == "ambiguous-reading" for issue in refusal.issues)
    is_whole = facts.is_gold or table.ids is not None or len(table.labels) == facts.n_items
    return (
        is_whole
        and (table.ids is None or fits_ids(table.ids, facts))
        and fits_labels(table.labels, facts)
    )


def _read_table(content: Content, stated: StatedLayout, facts: TaskFacts) -> Table:
    """The table of a file; one whose quotes enclose no cell is read with quotes as text, where all lines then agree."""
    try:
        return _read_by_layout(content, stated, facts)
    except InputError as refusal:
        is_of_quotes = any(issue.slug == "open-quote" for issue in refusal.issues)
        if is_of_quotes:
            table = _with_quotes_as_text(content, stated, facts)
        else:
            table = None
        if table is None:
            raise
        return table


def _with_quotes_as_text(content: Content, stated: StatedLayout, facts: TaskFacts) -> Table | None:
    """The table of a file in which quotes are text; None where one stands in an id or label, or a line does not fit."""
    if stated.quote is not None or stated.format not in {None, "delimited"}:
        return None
    try:
        table = _read_by_layout(content, replace(stated, format="delimited", quote=""), facts)
    except InputError:
        return None
    cells = (*(table.ids or ()), *table.labels)
    is_whole = all(issue.slug != "wrong-columns" for issue in table.issues)
    if is_whole and table.layout.width > 1 and not any('"' in cell for cell in cells):
        return table
    return None


def _read_by_layout(content: Content, stated: StatedLayout, facts: TaskFacts) -> Table:
    spelling = stated.spelling
    labels = facts.labels if facts.labels is not None else stated.spelling.labels
    facts = replace(facts, id_pattern=stated.id_pattern)
    if labels is not None and not spelling.is_silent:
        facts = replace(facts, labels=AcceptedLabels(labels, spelling))
    findings = list(_findings(content, stated, facts))
    refusals = [finding for finding in findings if isinstance(finding, Issue)]
    best = best_of([finding for finding in findings if isinstance(finding, Candidate)])
    has_columns = refusals and (facts.is_gold or facts.ids is not None)
    if stated.names_a_column:
        named = []
    else:
        named = [issue for issue in refusals if issue.slug == "no-such-column"]
    if (
        not best
        or (has_columns and best[0].trust is Trust.NOTHING)
        or (named and not best[0].layout.names)
    ):
        raise InputError([_no_layout(content, stated, named or refusals, facts)])
    # Words between blanks explain less than columns do, which fail by their quotes alone.
    are_words = (
        facts.is_gold
        and best[0].layout.format == "sequences"
        and best[0].trust <= Trust.ELIMINATION
    )
    if are_words and (of_quotes := [issue for issue in refusals if issue.slug == "open-quote"]):
        raise InputError(of_quotes[:1])
    table = _settled(content, best, facts)
    _check_position(content, table.layout, stated, facts)
    _check_comments(content, table, stated, facts)
    check_quotes(content, table, stated, facts, facts.section)
    _check_pairs(content, table, stated, facts)
    table = _with_contradictions(content, table, facts)
    if facts.is_gold and table.ids is not None:
        names = [
            name
            for name in table.layout.names
            if name.strip() and table.layout.names.count(name) == 1
        ]
        # those whose cells all differ tell items apart
        beside = columns_beside(content, table.layout, names).items()
        others = {
            name: cells
            for name, cells in beside
            if len(set(cells)) == len(cells) and "" not in cells
        }
        table = replace(table, others=others)
    return table.spelled(spelling, labels)


def every_column(content: Content) -> Iterator[Sequence[str]]:
    """Each column of a file with its heading, if it has one, by every delimiter, and with quotes as text, too."""
    for stated in (NOTHING_STATED, StatedLayout(quote="")):
        for name, reader in named_columns(content, stated).items():
            if name == "delimited":
                yield from _columns_of_text(content, stated)
                continue
            for how in (table.how for table in reader.tables(content, stated)):
                for number in range(how.width):
                    yield [
                        how.names[number],
                        *reader.frame(content, how, {number})[0].column(number),
                    ]


def _columns_of_text(content: Content, stated: StatedLayout) -> Iterator[Sequence[str]]:
    """The columns by each delimiter; rows may be of any width."""
    for layout in possible_layouts(content, stated):
        with suppress(InputError):  # of quotes that are none
            rows = read_rows(content, layout).rows
            for number in range(min(_MOST_LOOKED_AT, max(map(len, rows)))):
                yield [row[number] for row in rows if number < len(row)]


def columns_beside(
    content: Content, layout: Layout, names: Collection[str]
) -> dict[str, Sequence[str]]:
    """Columns that a layout does not read, by their names."""
    reader = _NAMED.get(layout.format)
    numbers = {
        name: number
        for number, name in enumerate(layout.names)
        if name in names and number not in layout.columns
    }
    if reader is None or not numbers:
        return {}
    frame, issues = reader.frame(content, layout, {*layout.columns, *numbers.values()})
    if issues:
        return {}
    return {name: frame.column(number) for name, number in numbers.items()}


def _with_contradictions(content: Content, table: Table, facts: TaskFacts) -> Table:
    """The table with a warning where a column of labels says other than the greatest of the scores beside it."""
    if not isinstance(table.layout.rule, Greatest) or facts.is_gold:
        return table
    names = [name for name in table.layout.names if is_label_name(name) or name == facts.label_name]
    issues = []
    for name, cells in columns_beside(content, table.layout, names).items():
        both = enumerate(zip(table.labels, cells, strict=True))
        if rows := [row for row, (label, cell) in both if cell and cell != label]:
            defect = (
                f"{plural(len(rows), 'item')} with a label in {quoted(name)} that is not that "
                "of the greatest score"
            )
            issues.append(table.issue("contradicted-label", defect, rows))
    return replace(table, issues=(*table.issues, *issues))


def _check_pairs(content: Content, table: Table, stated: StatedLayout, facts: TaskFacts) -> None:
    """Refuse a submission with two columns that both tell gold's items apart, and pair its rows with other items."""
    if stated.id is not None or facts.ids is None or table.ids is None or not facts.others:
        return
    by_id = [facts.ids.get(item_id, -1) for item_id in table.ids]
    for name, cells in columns_beside(content, table.layout, facts.others).items():
        item_of = {cell: position for position, cell in enumerate(facts.others[name])}
        by_cell = [item_of.get(cell, -1) for cell in cells]
        odd = [
            row
            for row, pair in enumerate(zip(by_id, by_cell, strict=True))
            if -1 not in pair and pair[0] != pair[1]
        ]
        if odd:
            by_ids = table.layout.settings().get("id", "id = …")
            lines = [table.lines[row] for row in odd]
            unit = table.layout.kind.unit
            defect = (
                f"{counted(len(odd), unit)}: the item is another one by the column {quoted(name)} than by the ids, and "
                "gold has both"
            )
            ways = [
                (by_ids, f"the column of {by_ids} says which item a row answers"),
                (f"id = {toml_text(name)}", f"the column {quoted(name)} says it"),
            ]
            raise undecided(content.path, defect, facts.section, ways, lines, unit)


def _check_comments(content: Content, table: Table, stated: StatedLayout, facts: TaskFacts) -> None:
    """Refuse comments, as task.toml states them or above the items, that hold an id or a label as items do."""
    layout = table.layout
    comment = stated.comment or "#" * (table.layout.n_above > 0)
    # a token has a filled cell behind a TAB
    are_told_apart = layout.format == "tokens" and layout.delimiter == "\t"
    if not comment or not layout.delimiter or are_told_apart:
        return
    if stated.comment:
        above = content.lines
    else:
        above = content.lines[: layout.n_left_out]
    texts = {
        line: text
        for line, text in enumerate(above, 1)
        if line > layout.skip and text.startswith(comment)
    }
    alone = Layout("delimited", layout.delimiter, quote=layout.quote)
    rows = {
        line: read_rows(Content(content.path, text), alone, 1).rows[0]
        for line, text in texts.items()
    }
    whole = {line: row for line, row in rows.items() if len(row) == layout.width}
    as_items = table_of(content.path, layout, Rows(list(whole.values()), list(whole)))
    labels = set(table.labels) if facts.labels is None else facts.labels
    ids = facts.ids or ()
    known = zip(as_items.lines, as_items.ids or repeat(""), as_items.labels, strict=False)
    lines = [line for line, item_id, label in known if label in labels or item_id in ids]
    if not lines:
        return
    begin = agreeing(len(lines), "begins", "begin")
    defect = (
        f"{plural(len(lines), 'line')} that {begin} with {quoted(comment)} and could be an item"
    )
    ways = [
        (f"comment = {toml_text(comment)}", "it is a comment"),
        ('comment = ""', "it is an item"),
    ]
    if not stated.comment:
        defect = f"{defect}: {shown_cells(whole[lines[0]])}"
        raise undecided(content.path, defect, facts.section, ways, lines)
    remedy = f'write into task.toml, under {facts.section}: comment = "", and take the comments out of the file'
    raise InputError(
        [Issue.of("ambiguous-reading", content.path, defect, lines=lines, remedy=remedy)]
    )


def _findings(content: Content, stated: StatedLayout, facts: TaskFacts) -> Iterator[Finding]:
    """The findings of each format; of several, one that refuses does not keep the others from being tried."""
    names = _possible_formats(content, stated, facts)
    for name in names:
        try:
            yield from _FIND[name](content, stated, facts)
        except InputError as refusal:
            if len(names) == 1:
                raise
            yield from refusal.issues


def _possible_formats(content: Content, stated: StatedLayout, facts: TaskFacts) -> Sequence[str]:
    """The formats to be tried."""
    if content.binary_format is not None or stated.format in _NO_TEXT:
        return [_binary_format(content, stated)]
    if stated.format is not None:
        return [stated.format]
    if of_json := json_files.formats_of(content, beside_ids=facts.ids is not None):
        return of_json
    if isinstance(stated.group, Separator):
        return ["sequences", "tokens"] if stated.group.text else ["sequences"]
    if facts.gold is not None and facts.gold.format in {"sequences", "tokens"}:
        return ["sequences", "tokens"]
    return (
        ["delimited", "lines", "sequences", "tokens"] if facts.is_gold else ["delimited", "lines"]
    )


def _binary_format(content: Content, stated: StatedLayout) -> str:
    binary_format = content.binary_format
    if binary_format is not None and stated.format in {None, binary_format}:
        return binary_format
    if binary_format is None:
        defect = "it is text"
    else:
        defect = f"it is in the format {quoted(binary_format)}"
    expected = f"the format that task.toml names: {quoted(stated.format or '')}"
    remedy = (
        "name the right format in task.toml, or leave it out where files are of several formats"
    )
    raise InputError(
        [Issue.of("unrecognised", content.path, defect, expected=expected, remedy=remedy)]
    )


def _settled(content: Content, candidates: Sequence[Candidate], facts: TaskFacts) -> Table:
    """The one table that the candidates agree on; those that do not hold for the whole file have no say."""
    tables = [_READ[each.layout.format](content, each.layout) for each in candidates]
    whole = [
        table for table in tables if all(issue.slug != "wrong-columns" for issue in table.issues)
    ] or tables[:1]
    different = [
        table
        for number, table in enumerate(whole)
        if not any(map(table.says_the_same, whole[:number]))
    ]
    if len(different) > 1:
        raise ambiguous(different, content.path, facts.section)
    return different[0]


def _check_position(
    content: Content, layout: Layout, stated: StatedLayout, facts: TaskFacts
) -> None:
    """A file with columns beside gold without ids: that its lines are in gold order has to be said."""
    by_position = layout.width == 1 or layout.format == "tokens" or stated.id is False
    if facts.is_gold or facts.ids is not None or by_position:
        return
    defect = (
        f"{plural(layout.width, 'column')}, but gold is known by position only: its file has no ids"
    )
    remedy = "give the gold file ids; or, where the lines are in gold order, write under [submissions]: id = false"
    raise InputError([Issue.of("unrecognised", content.path, defect, remedy=remedy)])


def _no_layout(
    content: Content, stated: StatedLayout, refusals: Sequence[Issue], facts: TaskFacts
) -> Issue:
    """Why there is no layout: nothing but comments, or what the first format found, or the first line."""
    if content.binary_format is not None:
        empty = Issue.of("unrecognised", content.path, "no sheet has an id and a label")
        return next(iter(refusals), empty)
    texts = [text for text in content.lines if text.strip()]
    if isinstance(stated.group, Separator):
        return no_sequences(
            content.path, "no line of it can be one of tags, or of a token and its tag"
        )
    if stated.comment is None:
        comment = "#"
    else:
        comment = stated.comment
    if comment and all(text.startswith(comment) for text in texts):
        return Issue.of(
            "empty-file", content.path, f"{plural(len(texts), 'line')}, all of them comments"
        )
    if refusals:
        return refusals[0]
    if texts:
        first = f"the first line is {quoted(texts[0])}"
    else:
        first = "there is no text in it"
    if stated.further_columns:
        if stated.group_columns:
            columns = "groups"
        else:
            columns = "slices"
        return Issue.of("no-such-column", content.path, f"no column of {columns}: {first}")
    fold = Choice("", "fold_case = true", "its labels are gold’s in another case")
    return Issue.of("unrecognised", content.path, first, choices=[fold] if facts.labels else [])
