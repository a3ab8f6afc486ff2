"""Lines that are one cell in quotes, or several items between two stray quotes: a choice that task.toml makes."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from audit.errors import Choice, InputError, Issue
from audit.formats.files.content import Content
from audit.formats.recognise.ambiguity import OR, deciding
from audit.formats.settings.keys import Keys
from audit.formats.settings.tomlfile import toml_text
from audit.formats.table.frame import table_of
from audit.formats.table.issues import MOST_LINES
from audit.formats.table.parsed import Table, TaskFacts
from audit.formats.table.text_rows import Dialect, read_body, read_rows
from audit.text import quoted

Lines = Sequence[int]


def check_quotes(content: Content, table: Table, keys: Keys, facts: TaskFacts, section: str) -> None:
    """Refuse to take lines for one cell where each could be an item."""
    quote = table.layout.quote
    if not quote or keys.quote is not None or quote not in content.text or _has_a_line_each(table, content):
        return
    doubtful = list(_doubtful(content, table, facts))
    if not doubtful:
        return
    first, last = doubtful[0][0], doubtful[0][-1]
    label = dict(zip(table.lines, table.labels, strict=True)).get(first, "")
    one = f"one item, whose cell in quotes ends on line {last}, with the label {quoted(label)}"
    several = f"lines {first} to {last} are an item each, and the quotes on them are text"
    defect = f"a quote opens on line {first} and closes on line {last}: {one}{OR}{several}"
    ways = [
        Choice(section, f"quote = {toml_text('')}", several),
        Choice(section, f"quote = {toml_text(quote)}", f"line {first} is {one}"),
    ]
    remedy = deciding(section, [way.settings for way in ways])
    lines = [each[0] for each in doubtful][:MOST_LINES]
    issue = Issue.of(
        "ambiguous-reading", content.path, defect, lines=lines, count=len(doubtful), remedy=remedy, choices=ways
    )
    raise InputError([issue])


def _has_a_line_each(table: Table, content: Content) -> bool:
    """Whether there are as many rows as lines, so that none goes over several."""
    return len(table.lines) + table.layout.header >= content.n_lines - table.layout.skip


def _doubtful(content: Content, table: Table, facts: TaskFacts) -> Iterator[Lines]:
    """The lines of each row that goes over several, where all of them, or one inside, are an item by themselves."""
    layout = replace(table.layout, quote="")
    frame, issues = read_body(content, layout)
    plain = table_of(content.path, layout, frame, issues)
    items = _items(plain, table, facts)
    lines = sorted({*plain.lines, *(line for issue in issues for line in issue.lines)})
    starts = read_rows(content, Dialect.of(table.layout)).lines
    for _, of_row in groupby(lines, key=partial(bisect_right, starts)):
        row = list(of_row)
        if len(row) > 1 and (items.issuperset(row) or not items.isdisjoint(row[1:-1])):
            yield row


def _items(plain: Table, table: Table, facts: TaskFacts) -> set[int]:
    """The lines that are an item where quotes are text: by gold's ids, or else by a label; all, where none is odd."""
    if facts.ids is not None and plain.ids is not None:
        return {line for line, item_id in zip(plain.lines, plain.ids, strict=True) if item_id in facts.ids}
    if not plain.issues:
        return set(plain.lines)
    labels = set(table.labels) if facts.labels is None else facts.labels
    return {line for line, label in zip(plain.lines, plain.labels, strict=True) if label in labels}
