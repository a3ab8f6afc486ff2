"""One label per line, aligned with gold by position."""

from collections.abc import Sequence

from audit.errors import InputError, Issue
from audit.formats.content import Content
from audit.formats.header import FirstRow, first_row
from audit.formats.reading import Keys, Known, Reading, Table, toml_bool
from audit.text import quoted


def read_table(content: Content, keys: Keys, known: Known) -> Table:
    """The labels of a file, one per line; an empty line is a missing answer.

    Raises
    ------
    InputError
        ambiguous-reading, where the first line of a gold file may be a header or a label.
    """
    labels: Sequence[str] = content.lines
    lines: Sequence[int] = range(1, len(labels) + 1)
    if keys.comment:
        kept = [(line, label) for line, label in zip(lines, labels, strict=True) if not label.startswith(keys.comment)]
        lines, labels = [line for line, _ in kept], [label for _, label in kept]
    header = _has_header(content.path, labels, known) if keys.header is None and labels else bool(keys.header)
    stated = keys.format == "lines" and (keys.header is not None or not header)
    reading = Reading("lines", header=header, comment=keys.comment or "", stated=stated)
    return Table(reading, None, labels[header:], lines[header:])


def _has_header(path: str, labels: Sequence[str], known: Known) -> bool:
    """Whether the first line names the column: one line more than gold says so, or the line itself."""
    first = labels[0]
    if not known.is_gold:
        one_more = known.n_items is not None and len(labels) == known.n_items + 1
        return one_more and known.labels is not None and bool(first) and first not in known.labels
    verdict = first_row(None, first, None, labels[1:], known)
    if verdict is FirstRow.EITHER:
        found = f"the first line, {quoted(first)}, may be a header or the label of the first item"
        remedy = " or ".join(f"header = {toml_bool(value)}" for value in (True, False))
        raise InputError(
            [
                Issue.of(
                    "ambiguous-reading", path, found, lines=[1], remedy=f"write into task.toml, under [gold]: {remedy}"
                )
            ]
        )
    return verdict is FirstRow.HEADER
