"""The formats by position: ``lines`` of a label each, ``sequences`` of tags, and ``tokens``, each with its tag."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain, compress, groupby

from audit.errors import Issue
from audit.formats.files.content import Content
from audit.formats.files.limits import MOST_COLUMNS
from audit.formats.settings.answers import Threshold, are_tag_lists
from audit.formats.settings.layout import (
    BLANKS,
    KNOWN_SEPARATORS,
    Layout,
    Separated,
    StatedLayout,
    toml_text,
)
from audit.formats.table.columns import Grid, fits_labels, stated_columns, with_stated
from audit.formats.table.parsed import Rows, Table, TaskFacts, labelled, table_of
from audit.formats.table.sample import SAMPLE, Candidate, Finding, Trust, first_row, is_named
from audit.formats.table.text_rows import of_width, read_rows
from audit.text import look_of

_IN_QUOTES = re.compile(r'"[^"]*"|NA|')
_NUMBERING = re.compile("[0-9]+")
_OPEN = re.compile(r'"[^"]+')
_MISSPELT = 0.8  # how alike two texts are of which one is the other misspelt; “V1” and “1” are less


def find_lines(content: Content, stated: StatedLayout, facts: TaskFacts) -> Iterator[Finding]:
    """The possible layouts, with and without a header; untrusted unless the lines are labels."""
    whole = read_lines(content, _layout(stated, header=False))
    if not whole.labels or not _is_possible(whole.labels, stated, facts):
        return
    sample = whole.labels[: _n_looked_at(facts)]
    if not fits_labels(sample, facts):
        trust = Trust.NOTHING
    elif facts.is_gold and _are_rather_tokens(sample):
        trust = Trust.ELIMINATION
    else:
        trust = Trust.CONTENT
    for header in _headers(sample, stated, facts, whole.labels):
        yield Candidate(_layout(stated, header=header), trust)


def _are_rather_tokens(gold_lines: Sequence[str]) -> bool:
    """Whether blank lines stand between lines with tabs.

    Every gold item has a label, so that blank lines rather end sequences of tokens.
    """
    return "" in gold_lines and all("\t" in line for line in gold_lines if line)


def _layout(stated: StatedLayout, *, header: bool) -> Layout:
    is_stated = stated.format == "lines" and (stated.header is not None or not header)
    return Layout(
        "lines",
        header=header,
        comment=stated.comment or "",
        skip=stated.skip or 0,
        rule=stated.rule,
        stated=is_stated,
    )


def _is_possible(labels: Sequence[str], stated: StatedLayout, facts: TaskFacts) -> bool:
    """Whether there can be one label per line: no column is named, and strange labels are at least as many as items."""
    if stated.format == "lines":
        return True
    if stated.delimiter is not None or stated.names_a_column:
        return False
    are_comments = all(label.startswith("#") for label in labels if label)
    if are_comments:
        return fits_labels(labels, facts)
    if facts.is_gold or facts.ids is None:
        return True
    n_with_header = (facts.n_items or 0) + 1
    if len(labels) in {facts.n_items, n_with_header}:
        return True
    return fits_labels(labels[:SAMPLE], facts)


def _headers(
    labels: Sequence[str], stated: StatedLayout, facts: TaskFacts, every: Sequence[str]
) -> Sequence[bool]:
    """Whether there can be a header: a name that is no label, whatever follows; for gold by the line itself."""
    if stated.header is not None:
        return [stated.header]
    if facts.is_gold:
        return first_row(None, labels[0], None, labels[1:], facts)
    # A first line that is neither a name nor a label may be a misspelt label: as a header it would shift every answer.
    is_label = facts.labels is not None and labels[0] in facts.labels
    if is_named(None, labels[0], facts):
        return [not is_label]
    if _could_lack_one(every, facts) and _is_alone_no_label(labels, facts):
        return [True, False]
    return [False]


def _could_lack_one(labels: Sequence[str], facts: TaskFacts) -> bool:
    """Whether lines are as many as items, or as many with those that are empty at the end."""
    n_items = facts.n_items or 0
    if len(labels) == n_items:
        return True
    n_filled = len(labels)
    while n_filled and not labels[n_filled - 1]:
        n_filled -= 1
    ends_empty = n_filled < len(labels)
    return ends_empty and n_filled <= n_items + 1 <= len(labels)


def _is_alone_no_label(labels: Sequence[str], facts: TaskFacts) -> bool:
    """Whether hardly a line but the first is no label, and it is like none: a header may hide that one is missing."""
    first = labels[0]
    known = facts.labels
    if not first.strip() or known is None or first in known or first in labels[1:]:
        return False
    look = look_of(first)
    for label in known:
        likeness = SequenceMatcher(None, look, look_of(label)).ratio()
        if likeness >= _MISSPELT:
            return False
    others = labels[1:]
    n_strange = sum(bool(label) and label not in known for label in others)
    return n_strange <= 1 < len(others)


def read_lines(content: Content, layout: Layout) -> Table:
    """The labels of a file, one per line; an empty line is a missing answer."""
    texts = content.lines[layout.skip :]
    cells: Sequence[str] = texts
    lines: Sequence[int] = range(layout.skip + 1, layout.skip + 1 + len(texts))
    if '"' in content.text:  # the text is searched in a moment, its lines one by one are not
        cells, lines = _closed_cells(texts, layout.skip + 1)
    below_name = cells[1:] or cells
    if all(map(_IN_QUOTES.fullmatch, below_name)):  # as programs write a table of one column
        cells = [cell.strip().strip('"') for cell in cells]
    if layout.comment:
        kept = [not cell.startswith(layout.comment) for cell in cells]
        cells = list(compress(cells, kept))
        lines = list(compress(lines, kept))
    if layout.header:
        cells = cells[1:]
        lines = lines[1:]
    scores: tuple[Sequence[str], ...] = ()
    if isinstance(layout.rule, Threshold):
        scores = (cells,)
    labels = labelled([cells], layout.rule)
    return Table(content.path, layout, None, labels, lines, scores=scores)


def _closed_cells(texts: Sequence[str], first: int) -> tuple[Sequence[str], Sequence[int]]:
    """The cells and the line on which each begins; a cell in quotes may hold the end of the line it was copied from."""
    if '"' not in texts:
        return texts, range(first, first + len(texts))
    cells: list[str] = []
    lines: list[int] = []
    for line, text in enumerate(texts, start=first):
        if text == '"' and cells and _OPEN.fullmatch(cells[-1]):
            cells[-1] += text
            continue
        cells.append(text)
        lines.append(line)
    return cells, lines


def _base(name: str, stated: StatedLayout, facts: TaskFacts) -> Layout:
    """A layout of tags as far as task.toml decides it."""
    separator = facts.separator(stated)
    return Layout(
        name,
        comment=stated.comment or "",
        skip=stated.skip or 0,
        rule=stated.rule,
        separator=separator,
    )


def find_sequences(content: Content, stated: StatedLayout, facts: TaskFacts) -> Iterator[Finding]:
    """The one possible layout; for gold, only where the lines are no labels and their tags repeat."""
    layout = replace(_base("sequences", stated, facts), stated=stated.format is not None)
    sample = read_sequences(content, layout, _n_looked_at(facts))
    lengths = sample.sequences
    if not lengths:
        return
    fits = fits_labels(sample.labels, facts)
    if stated.format is None:
        has_columns = stated.names_a_column or stated.delimiter is not None
        if has_columns or not fits or max(lengths) == 1:
            return
        if facts.is_gold and len(set(lengths)) == 1:
            return  # as many cells on each line are rather columns
    if facts.is_gold:  # trusted more where the lines look like lists of tags
        texts = [text for text in content.lines[layout.skip :] if text.strip()]
        fits = facts.labels is None and fits_labels(texts, facts) and are_tag_lists(texts)
    if fits:
        trust = Trust.CONTENT
    else:
        trust = Trust.ELIMINATION
    yield Candidate(layout, trust)


def _n_looked_at(facts: TaskFacts) -> int | None:
    """The number of lines by which a layout is recognised; None for all, as of gold."""
    if facts.is_gold:
        return None
    return SAMPLE


def read_sequences(content: Content, layout: Layout, limit: int | None = None) -> Table:
    """The tags of all lines; a blank line is no sequence."""
    whole = Separated.by(layout.separator, content)
    rows = read_rows(whole.content, replace(layout, delimiter=BLANKS), limit)
    tags = list(chain.from_iterable(rows.rows))
    lines = [line for line, row in zip(rows.lines, rows.rows, strict=True) for _ in row]
    lengths = [len(row) for row in rows.rows if row]
    groups = whole.groups(lines)
    return Table(content.path, layout, None, tags, lines, sequences=lengths, separated=groups)


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokens of a file."""

    rows: Rows  # a row for each token
    lengths: Sequence[int] | None  # of each sequence; None where no blank line ends one
    issues: Sequence[Issue]  # of lines of another width
    separated: Separated  # the file without the lines between documents


def _read_tokens(content: Content, layout: Layout, limit: int | None = None) -> _Tokens:
    whole = Separated.by(layout.separator, content)
    text_rows = _without_comments(whole.content, layout, limit)
    # A line of blanks and tabs alone is a blank line.
    filled = [row if any(map(str.strip, row)) else [] for row in text_rows.rows]
    text_rows = replace(text_rows, rows=filled)
    if layout.header:
        text_rows = text_rows.body()
    lengths: list[int] | None = [
        len(list(rows)) for are_tokens, rows in groupby(text_rows.rows, bool) if are_tokens
    ]
    if len(lengths or ()) <= 1:
        lengths = None
    n_by_width = Counter(len(row) for row in text_rows.rows if row)
    usual_width = max(n_by_width, key=n_by_width.__getitem__, default=0)
    rows, issues = of_width(text_rows, usual_width, content.path, keep_blank=False)
    explained = [_with_separator(issue, content) for issue in issues]
    return _Tokens(rows, lengths, explained, whole)


def _without_comments(content: Content, layout: Layout, limit: int | None) -> Rows:
    """The rows of a file of tokens; between TABs a comment has no filled cell but the first, as # can be a token."""
    if not layout.comment or layout.delimiter != "\t":
        return read_rows(content, layout, limit)
    text_rows = read_rows(content, replace(layout, comment=""), limit)
    kept = [
        not (row and row[0].startswith(layout.comment) and not any(row[1:]))
        for row in text_rows.rows
    ]
    return text_rows.only(kept)


def _with_separator(issue: Issue, content: Content) -> Issue:
    """The issue of a line of another width; of one that stands between documents, with the setting that says so."""
    line = content.lines[issue.lines[0] - 1]
    separator = next(filter(line.startswith, KNOWN_SEPARATORS), None)
    if separator is None:
        return issue
    setting = f"group = {{ between = {toml_text(separator)} }}"
    return replace(
        issue, remedy=f"if such lines stand between documents, write under [gold]: {setting}"
    )


def find_tokens(content: Content, stated: StatedLayout, facts: TaskFacts) -> Iterator[Finding]:
    """The layout by tabs or by blanks; for gold, only where blank lines stand between and the last column repeats."""
    layout = _token_layout(content, stated, facts)
    tokens = _read_tokens(content, layout, _n_looked_at(facts))
    columns = list(zip(*tokens.rows.rows, strict=True))
    if not 1 <= len(columns) <= MOST_COLUMNS:
        return
    if facts.is_gold and stated.format is None and tokens.lengths is None:
        return
    names = _header_names(content, layout)
    if len(names) != len(columns):
        names = ()
    layout = replace(layout, names=names)
    grid = Grid(columns, names)
    if stated.label is None:
        label: tuple[int, ...] = (len(columns) - 1,)
    else:
        label = stated_columns(stated.label, "label", grid, content.path)
    tags = grid.labels(label, stated.rule)
    fits = fits_labels(tags, facts)
    if stated.format is None and (not fits or stated.id or stated.further_columns):
        return
    layout = with_stated(layout, grid, stated, content.path)
    layout = replace(layout, label=label, width=len(columns))
    share = len(tags) / (len(tags) + len(tokens.issues))
    yield Candidate(layout, _trust_in_tokens(grid, facts, fits=fits), share)


def _token_layout(content: Content, stated: StatedLayout, facts: TaskFacts) -> Layout:
    """The layout of tokens before their columns are known."""
    delimiter = stated.delimiter
    if delimiter is None:
        # a tab at the end of a line parts no token from its tag
        has_tabs = "\t" in content.text and any("\t" in line.strip() for line in content.lines)
        if has_tabs:
            delimiter = "\t"
        else:
            delimiter = BLANKS
    return replace(
        _base("tokens", stated, facts),
        delimiter=delimiter,
        stated=None not in {stated.format, stated.delimiter, stated.label},
        header=bool(stated.header),
    )


def _header_names(content: Content, layout: Layout) -> tuple[str, ...]:
    """The cells of the first line that has some, where it is a header."""
    if layout.header:
        for row in _without_comments(content, layout, SAMPLE).rows:
            if row:
                return tuple(row)
    return ()


def _trust_in_tokens(grid: Grid, facts: TaskFacts, *, fits: bool) -> Trust:
    """How far a file is trusted to be one of tokens: by its tags, in gold by columns that cannot be ids."""
    if facts.is_gold:
        can_be_ids = any(len(set(column)) == len(column) for column in grid.columns)
        if not can_be_ids:
            return Trust.NAMES
    elif fits:
        return Trust.CONTENT
    return Trust.ELIMINATION


def read_tokens(content: Content, layout: Layout) -> Table:
    """The tags of all tokens, with a wrong-columns issue for every line of another width."""
    tokens = _read_tokens(content, layout)
    table = table_of(content.path, layout, tokens.rows, tokens.issues)
    return replace(
        table,
        sequences=tokens.lengths,
        separated=tokens.separated.groups(table.lines),
        tokens=_words(tokens.rows, layout),
    )


def _words(rows: Rows, layout: Layout) -> Sequence[str] | None:
    """The words that are tagged: the first column beside the tags that does not number them; None where none is."""
    for number in range(layout.width):
        cells = rows.column(number)
        if number not in layout.label and not all(map(_NUMBERING.fullmatch, cells)):
            return cells
    return None
