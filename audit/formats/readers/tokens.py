"""The format ``tokens``: a token and its tag per line, blank lines between sequences; an item is a token."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from audit.errors import Issue
from audit.formats.files.content import Content
from audit.formats.files.limits import MOST_COLUMNS
from audit.formats.settings.grouping import KNOWN_SEPARATORS, Separated
from audit.formats.settings.keys import Keys
from audit.formats.settings.layout import BLANKS, Layout
from audit.formats.settings.tomlfile import toml_text
from audit.formats.table.candidate import SAMPLE, Candidate, Findings, Trust
from audit.formats.table.columns import Grid, fits_labels, stated_columns, with_stated
from audit.formats.table.frame import table_of
from audit.formats.table.parsed import Table, TaskFacts
from audit.formats.table.text_rows import Dialect, Rows, of_width, read_rows


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The lines that hold a token, as rows; the length of each sequence, None where no blank line ends one; issues."""

    rows: Rows
    lengths: Sequence[int] | None
    width: int
    share: float
    issues: Sequence[Issue]
    whole: Separated

    @classmethod
    def of(cls, content: Content, layout: Layout, limit: int | None = None) -> "_Tokens":
        whole = Separated.by(layout.separator, content)
        dialect = Dialect(layout.delimiter, comment=layout.comment, skip=layout.skip)
        text_rows = read_rows(whole.content, dialect, limit)
        lengths = list(_lengths(text_rows.rows))
        width, share = _usual_width(text_rows)
        rows, issues = of_width(text_rows, width, content.path, keep_blank=False)
        marked = [_with_separator(issue, content) for issue in issues]
        return cls(rows, lengths if len(lengths) > 1 else None, width, share, marked, whole)


def _with_separator(issue: Issue, content: Content) -> Issue:
    """The issue of a line of another width; of one that stands between documents, with the setting that says so."""
    line = content.lines[issue.lines[0] - 1]
    separator = next(filter(line.startswith, KNOWN_SEPARATORS), None)
    if separator is None:
        return issue
    setting = f"group = {{ between = {toml_text(separator)} }}"
    return replace(issue, remedy=f"if such lines stand between documents, write under [gold]: {setting}")


def _usual_width(text_rows: Rows) -> tuple[int, float]:
    """The most frequent number of cells in the lines that have any, and the share of these lines."""
    widths = [len(row) for row in text_rows.rows if row]
    width = max(set(widths), key=widths.count) if widths else 0
    return width, widths.count(width) / len(widths) if widths else 0.0


def _lengths(rows: Sequence[Sequence[str]]) -> Iterator[int]:
    """The number of lines between blank ones."""
    length = 0
    for row in rows:
        if row:
            length += 1
        elif length:
            yield length
            length = 0
    if length:
        yield length


def find(content: Content, keys: Keys, facts: TaskFacts) -> Findings:
    """The layout by tabs or by blanks; for gold, only where blank lines stand between and the last column repeats."""
    candidates = [_candidate(content, delimiter, keys, facts) for delimiter in _delimiters(content, keys)]
    return Findings(tuple(candidate for candidate in candidates if candidate is not None))


def _delimiters(content: Content, keys: Keys) -> Sequence[str]:
    """The one that task.toml names; otherwise tabs, where there are any, or blanks."""
    if keys.delimiter is not None:
        return [keys.delimiter]
    return ["\t"] if "\t" in content.text else [BLANKS]


def _candidate(content: Content, delimiter: str, keys: Keys, facts: TaskFacts) -> Candidate | None:
    layout = Layout(
        "tokens",
        delimiter=delimiter,
        comment=keys.comment or "",
        skip=keys.skip or 0,
        rule=keys.rule,
        separator=facts.separator(keys),
        stated=None not in {keys.format, keys.delimiter, keys.label},
    )
    tokens = _Tokens.of(content, layout, None if facts.is_gold else SAMPLE)
    if not 1 <= tokens.width <= MOST_COLUMNS or (facts.is_gold and keys.format is None and tokens.lengths is None):
        return None
    grid = Grid(list(zip(*tokens.rows.rows, strict=True)))
    label = (tokens.width - 1,) if keys.label is None else stated_columns(keys.label, "label", grid, content.path)
    tags = grid.labels(label, keys.rule)
    fits = fits_labels(tags, facts)
    if keys.format is None and (not fits or keys.id or keys.further_columns):
        return None
    layout = replace(with_stated(layout, grid, keys, content.path), label=label, width=tokens.width)
    trust = _trust_in_gold(grid) if facts.is_gold else Trust.CONTENT if fits else Trust.ELIMINATION
    return Candidate(layout, (), tuple(tags), tokens.rows.lines, trust, tokens.share)


def _trust_in_gold(grid: Grid) -> Trust:
    """More than in ids by elimination where no column can be one, because the cells of each repeat."""
    can_be_ids = any(len(set(column)) == len(column) for column in grid.columns)
    return Trust.ELIMINATION if can_be_ids else Trust.NAMES


def read(content: Content, layout: Layout) -> Table:
    """The tags of all tokens, with a wrong-columns issue for every line of another width."""
    tokens = _Tokens.of(content, layout)
    table = table_of(content.path, layout, tokens.rows, tokens.issues)
    return replace(table, sequences=tokens.lengths, separated=tokens.whole.groups(table.lines))
