"""The format ``lines``: one label per line, aligned with gold by position."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from audit.formats.candidate import SAMPLE, Candidate, Findings, Trust
from audit.formats.columns import fits_labels
from audit.formats.content import Content
from audit.formats.header import FirstRow, first_row, is_named
from audit.formats.reading import Keys, Known, Reading, Table


@dataclass(frozen=True, slots=True)
class _Labels:
    """The lines that are not comments."""

    labels: Sequence[str]
    lines: Sequence[int]

    @classmethod
    def of(cls, content: Content, comment: str) -> "_Labels":
        labels = content.lines
        lines = range(1, len(labels) + 1)
        if not comment:
            return cls(labels, lines)
        kept = [not label.startswith(comment) for label in labels]
        return cls(list(compress(labels, kept)), list(compress(lines, kept)))


def find(content: Content, keys: Keys, known: Known) -> Findings:
    """The possible readings, with and without a header; without any trust unless the lines are labels."""
    found = _Labels.of(content, keys.comment or "")
    if not found.labels or not _is_possible(found.labels, keys, known):
        return Findings()
    sample = found.labels if known.is_gold else found.labels[:SAMPLE]
    trust = Trust.CONTENT if fits_labels(sample, known) else Trust.NOTHING
    return Findings(
        tuple(
            Candidate(
                Reading("lines", header=header, comment=keys.comment or "", stated=_is_stated(keys, header=header)),
                (),
                tuple(sample[header:]),
                found.lines[header : len(sample)],
                trust,
            )
            for header in _headers(found.labels, keys, known)
        )
    )


def _is_possible(labels: Sequence[str], keys: Keys, known: Known) -> bool:
    """Whether there can be one label per line: no column is named, and strange labels are at least as many as items."""
    if keys.format == "lines":
        return True
    names_a_column = keys.delimiter is not None or keys.label is not None or keys.id not in {None, False}
    if names_a_column or all(label.startswith("#") for label in labels if label):
        return not names_a_column and fits_labels(labels, known)
    by_position = known.is_gold or known.ids is None
    return (
        by_position or fits_labels(labels[:SAMPLE], known) or len(labels) in {known.n_items, (known.n_items or 0) + 1}
    )


def _headers(labels: Sequence[str], keys: Keys, known: Known) -> list[bool]:
    """Whether there can be a header: a name above as many labels as gold has, or for gold by the line itself."""
    if keys.header is not None:
        return [keys.header]
    if known.is_gold:
        verdict = first_row(None, labels[0], None, labels[1:], known)
        return [True, False] if verdict is FirstRow.EITHER else [verdict is FirstRow.HEADER]
    # A first line that is neither a name nor a label may be a misspelt label: as a header it would shift every answer.
    is_label = known.labels is not None and labels[0] in known.labels
    return [len(labels) - 1 == known.n_items and is_named(None, labels[0], known) and not is_label]


def _is_stated(keys: Keys, *, header: bool) -> bool:
    return keys.format == "lines" and (keys.header is not None or not header)


def read(content: Content, reading: Reading) -> Table:
    """The labels of a file, one per line; an empty line is a missing answer."""
    found = _Labels.of(content, reading.comment)
    start = int(reading.header)
    return Table(reading, None, found.labels[start:], found.lines[start:])
