"""The issue that shows two readings of a file, and the lines for task.toml that decide between them."""

from collections.abc import Mapping, Sequence

from audit.errors import Issue
from audit.formats.candidate import Candidate
from audit.text import quoted

_MOST_SHOWN = 4
_OR = " · or · "

_Row = tuple[str | None, str]


def ambiguous(candidates: Sequence[Candidate], path: str, section: str) -> Issue:
    """The issue for readings that all hold: each at the first line on which they differ, with the settings that decide.

    Parameters
    ----------
    candidates : sequence of Candidate
        At least two that give different cells.
    path : str
        The file.
    section : str
        The table of task.toml that the settings belong to.
    """
    shown = candidates[:_MOST_SHOWN]
    rows = [_by_line(candidate) for candidate in shown]
    line = _first_difference(rows)
    readings = [f"{one.reading} → {_at(line, by_line)}" for one, by_line in zip(shown, rows, strict=True)]
    settings = [candidate.reading.settings() for candidate in shown]
    choices = dict.fromkeys(_deciding(one, settings) for one in settings)
    remedy = f"write into task.toml, under {section}: {_OR.join(choices)}"
    return Issue.of("ambiguous-reading", path, _OR.join(readings), lines=[line], remedy=remedy)


def _by_line(candidate: Candidate) -> dict[int, _Row]:
    ids: Sequence[str | None] = candidate.ids or [None] * len(candidate.labels)
    return dict(zip(candidate.lines, zip(ids, candidate.labels, strict=True), strict=True))


def _first_difference(rows: Sequence[Mapping[int, _Row]]) -> int:
    every_line = sorted(set().union(*rows))
    return next(line for line in every_line if len({by_line.get(line) for by_line in rows}) > 1)


def _at(line: int, by_line: Mapping[int, _Row]) -> str:
    if line not in by_line:
        return f"line {line} is no item"
    item_id, label = by_line[line]
    ids = "" if item_id is None else f"id {quoted(item_id)}, "
    return f"line {line}: {ids}label {quoted(label)}"


def _deciding(setting: Mapping[str, str], settings: Sequence[Mapping[str, str]]) -> str:
    """The settings that tell one reading from the others."""
    keys = [key for key in setting if len({other.get(key) for other in settings}) > 1]
    return ", ".join(setting[key] for key in keys)
