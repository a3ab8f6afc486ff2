"""The format ``sequences``: a sequence of tags per line, separated by blanks; an item is a token."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from audit.formats.files.content import Content
from audit.formats.settings.grouping import Separated
from audit.formats.settings.keys import Keys
from audit.formats.settings.layout import BLANKS, Layout
from audit.formats.table.candidate import SAMPLE, Candidate, Findings, Trust
from audit.formats.table.columns import fits_labels
from audit.formats.table.parsed import Table, TaskFacts
from audit.formats.table.taglists import are_tag_lists
from audit.formats.table.text_rows import Dialect, read_rows


@dataclass(frozen=True, slots=True)
class _Sequences:
    """The tags of all sequences, each with its line; the length of each sequence; and the lines between groups."""

    tags: Sequence[str]
    lines: Sequence[int]
    lengths: Sequence[int]
    whole: Separated

    @classmethod
    def of(cls, content: Content, layout: Layout, limit: int | None = None) -> "_Sequences":
        whole = Separated.by(layout.separator, content)
        text_rows = read_rows(whole.content, Dialect(BLANKS, comment=layout.comment, skip=layout.skip), limit)
        tags = list(chain.from_iterable(text_rows.rows))
        lengths = [len(row) for row in text_rows.rows if row]
        lines = [line for line, row in zip(text_rows.lines, text_rows.rows, strict=True) for _ in row]
        return cls(tags, lines, lengths, whole)


def find(content: Content, keys: Keys, facts: TaskFacts) -> Findings:
    """The one possible layout; for gold, only where the lines are no labels and their tags repeat."""
    layout = Layout(
        "sequences",
        comment=keys.comment or "",
        skip=keys.skip or 0,
        rule=keys.rule,
        separator=facts.separator(keys),
        stated=keys.format is not None,
    )
    sequences = _Sequences.of(content, layout, None if facts.is_gold else SAMPLE)
    if not sequences.tags or (keys.format is None and not _is_possible(sequences, keys, facts)):
        return Findings()
    trust = _trust_in_gold(content, layout, facts) if facts.is_gold else _trust(sequences, facts)
    return Findings((Candidate(layout, (), tuple(sequences.tags), sequences.lines, trust),))


def _trust(sequences: _Sequences, facts: TaskFacts) -> Trust:
    return Trust.CONTENT if fits_labels(sequences.tags, facts) else Trust.ELIMINATION


def _trust_in_gold(content: Content, layout: Layout, facts: TaskFacts) -> Trust:
    """How far to trust this layout of gold: more where the lines look like lists of tags."""
    texts = [text for text in content.lines[layout.skip :] if text.strip()]
    could_be_either = facts.labels is None and fits_labels(texts, facts) and are_tag_lists(texts)
    return Trust.CONTENT if could_be_either else Trust.ELIMINATION


def _is_possible(sequences: _Sequences, keys: Keys, facts: TaskFacts) -> bool:
    several = max(sequences.lengths) > 1
    return several and not keys.names_a_column and keys.delimiter is None and fits_labels(sequences.tags, facts)


def read(content: Content, layout: Layout) -> Table:
    """The tags of all lines; a blank line is no sequence."""
    sequences = _Sequences.of(content, layout)
    separated = sequences.whole.groups(sequences.lines)
    return Table(layout, None, sequences.tags, sequences.lines, sequences=sequences.lengths, separated=separated)
