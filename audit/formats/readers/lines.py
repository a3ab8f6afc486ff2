"""The format ``lines``: one label per line, aligned with gold by position."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import compress

from audit.formats.files.content import Content
from audit.formats.settings.answers import Rule, Threshold
from audit.formats.settings.keys import Keys
from audit.formats.settings.layout import Layout
from audit.formats.table.candidate import SAMPLE, Candidate, Findings, Trust
from audit.formats.table.columns import fits_labels, labelled
from audit.formats.table.header import FirstRow, first_row, is_named
from audit.formats.table.parsed import Table, TaskFacts
from audit.text import look_of

_MISSPELT = 0.8  # how alike two texts are of which one is the other misspelt; “V1” and “1” are less


@dataclass(frozen=True, slots=True)
class _Labels:
    """The lines that are not comments: as labels, and as they stand."""

    labels: Sequence[str]
    lines: Sequence[int]
    cells: Sequence[str]

    @classmethod
    def of(cls, content: Content, skip: int, comment: str, rule: Rule | None) -> "_Labels":
        cells: Sequence[str] = content.line_spans(skip)
        lines: Sequence[int] = range(skip + 1, skip + 1 + len(cells))
        if comment:
            kept = [not cell.startswith(comment) for cell in cells]
            cells, lines = list(compress(cells, kept)), list(compress(lines, kept))
        return cls(labelled([cells], rule), lines, cells)


def find(content: Content, keys: Keys, facts: TaskFacts) -> Findings:
    """The possible layouts, with and without a header; untrusted unless the lines are labels."""
    labels = _Labels.of(content, keys.skip or 0, keys.comment or "", keys.rule)
    if not labels.labels or not _is_possible(labels.labels, keys, facts):
        return Findings()
    sample = list(labels.labels) if facts.is_gold else labels.labels[:SAMPLE]
    trust = Trust.CONTENT if fits_labels(sample, facts) else Trust.NOTHING
    if facts.is_gold and trust is Trust.CONTENT and "" in sample and all("\t" in line for line in sample if line):
        trust = Trust.ELIMINATION  # every gold item has a label, so that blank lines rather separate sequences
    return Findings(
        tuple(
            Candidate(
                _layout(keys, header=header),
                (),
                tuple(sample[header:]),
                labels.lines[header : len(sample)],
                trust,
            )
            for header in _headers(sample, keys, facts, labels.labels)
        )
    )


def _layout(keys: Keys, *, header: bool) -> Layout:
    is_stated = keys.format == "lines" and (keys.header is not None or not header)
    return Layout(
        "lines", header=header, comment=keys.comment or "", skip=keys.skip or 0, rule=keys.rule, stated=is_stated
    )


def _is_possible(labels: Sequence[str], keys: Keys, facts: TaskFacts) -> bool:
    """Whether there can be one label per line: no column is named, and strange labels are at least as many as items."""
    if keys.format == "lines":
        return True
    names_a_column = keys.delimiter is not None or keys.names_a_column
    if names_a_column or all(label.startswith("#") for label in labels if label):
        return not names_a_column and fits_labels(labels, facts)
    by_position = facts.is_gold or facts.ids is None
    return (
        by_position or fits_labels(labels[:SAMPLE], facts) or len(labels) in {facts.n_items, (facts.n_items or 0) + 1}
    )


def _headers(labels: Sequence[str], keys: Keys, facts: TaskFacts, every: Sequence[str]) -> list[bool]:
    """Whether there can be a header: a name that is no label, whatever follows; for gold by the line itself."""
    if keys.header is not None:
        return [keys.header]
    if facts.is_gold:
        verdict = first_row(None, labels[0], None, labels[1:], facts)
        return [True, False] if verdict is FirstRow.EITHER else [verdict is FirstRow.HEADER]
    # A first line that is neither a name nor a label may be a misspelt label: as a header it would shift every answer.
    is_label = facts.labels is not None and labels[0] in facts.labels
    if is_named(None, labels[0], facts):
        return [not is_label]
    return [True, False] if _could_lack_one(every, facts) and _is_alone_no_label(labels, facts) else [False]


def _could_lack_one(labels: Sequence[str], facts: TaskFacts) -> bool:
    """Whether lines are as many as items, or as many with those that are empty at the end."""
    n_items = facts.n_items or 0
    n_filled = next((len(labels) - at for at, label in enumerate(reversed(labels)) if label), 0)
    return len(labels) == n_items or (n_filled <= n_items + 1 <= len(labels) and n_filled < len(labels))


def _is_alone_no_label(labels: Sequence[str], facts: TaskFacts) -> bool:
    """Whether hardly a line but the first is no label, and it is like none: a header may hide that one is missing."""
    first, known = labels[0], facts.labels
    if not first.strip() or known is None or first in known or first in labels[1:]:
        return False
    look = look_of(first)
    is_like_one = any(SequenceMatcher(None, look, look_of(label)).ratio() >= _MISSPELT for label in known)
    n_strange = sum(bool(label) and label not in known for label in labels[1:])
    return not is_like_one and n_strange <= 1 < len(labels) - 1


def read(content: Content, layout: Layout) -> Table:
    """The labels of a file, one per line; an empty line is a missing answer."""
    labels = _Labels.of(content, layout.skip, layout.comment, layout.rule)
    start = int(layout.header)
    scores = labels.cells[start:] if isinstance(layout.rule, Threshold) else None
    return Table(layout, None, labels.labels[start:], labels.lines[start:], scores=scores)
