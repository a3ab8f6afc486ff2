"""Small tables beside a campaign, as they are published: team names and printed scores; names of labels."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from audit.domain import LabelSet, PrintedScore, Published, PublishedColumn, SourceFile
from audit.errors import SETTINGS_FILE, InputError, Issue
from audit.formats.files.content import Content, decode
from audit.formats.files.tree import Tree, read_alone
from audit.formats.settings.parsing import TrackSettings
from audit.formats.table.columns import fold
from audit.formats.table.parsed import Rows
from audit.formats.table.text_rows import shown_cells, small_table
from audit.text import did_you_mean, listed, quoted

TEAMS_FILE = "teams.csv"
AboutTeams = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
_DELIMITERS = "\t;|,"  # a comma can be a decimal comma: it delimits where nothing else does


def small_table_of(content: Content, single_column: str) -> Rows:
    """The rows of a table of two columns or more."""
    table = small_table(content, _DELIMITERS)
    if len(table.rows[0]) == 1:
        raise InputError([Issue.of(single_column, content.path, "a single column")])
    return table


def with_names(label_set: LabelSet, settings: TrackSettings, file: Mapping[str, str]) -> LabelSet:
    """The label set with the names that task.toml gives; those of [label_names] come before those of a file."""
    own = settings.toml.label_names
    issues = [
        settings.issue(
            "bad-setting",
            f"{quoted(label)} is no label here.{did_you_mean(label, label_set)}",
            "label_names",
            label,
            expected=f"a label of the label set: {listed(list(map(quoted, label_set)), 'or', limit=30)}",
        )
        for label in own
        if label not in label_set.code_of
    ]
    names = tuple(own.get(label) or file.get(label) or label for label in label_set)
    if own:
        place = "label_names"
    else:
        place = "label_names_file"
    for name in (name for name in dict.fromkeys(names) if names.count(name) > 1):
        alike = listed(
            [quoted(label) for label, other in zip(label_set, names, strict=True) if other == name]
        )
        defect = f"{quoted(name)} is the name of {alike}"
        expected = "another name for each label"
        issues.append(settings.issue("bad-setting", defect, place, expected=expected))
    if issues:
        raise InputError(issues)
    return replace(label_set, names=() if names == label_set.labels else names)


def names_in(
    tree: Tree, settings: TrackSettings, label_set: LabelSet
) -> tuple[dict[str, str], SourceFile | None]:
    """The names by label that a mapping file gives, and the file; none where task.toml names no such file."""
    path = settings.toml.label_names_file
    if path is None:
        return {}, None
    content = decode(path, tree.read(path))
    named = _of_object(content) or _of_table(content, settings.toml.label_names_column, label_set)
    return named, SourceFile.of(path, tree.original(path))


def about_teams(tree: Tree) -> AboutTeams:
    """What teams.csv in a campaign's folder says of each team, by column; nothing where there is no such table.

    Nothing rests on it: a table that cannot be read, or has no column “team”, is as if it were not there.
    """
    try:
        table = small_table_of(decode(TEAMS_FILE, tree.read(TEAMS_FILE)), "bad-table")
    except InputError:
        return ()
    return teams_in(table.rows)


def teams_in(rows: Sequence[Sequence[str]]) -> AboutTeams:
    """What the rows of a table say of each team, the first row naming the columns; nothing without a column “team”.

    >>> teams_in([["Team", "Paper"], ["A", "p. 7"]])
    (('A', (('paper', 'p. 7'),)),)
    """
    heads = [head.strip().casefold() for head in rows[0]]
    if "team" not in heads:
        return ()
    place = heads.index("team")
    about = []
    for row in rows[1:]:
        cells = zip(heads, map(str.strip, row), strict=False)
        said = tuple((head, text) for head, text in cells if head and head != "team")
        about.append((row[place].strip(), said))
    return tuple(about)


def _of_object(content: Content) -> dict[str, str]:
    """A JSON object from labels to names; empty where the file is none."""
    if not content.text.lstrip().startswith("{"):
        return {}
    try:
        pairs: list[tuple[str, Any]] = json.loads(content.text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise InputError([_bad(content, f"no JSON: {error}")]) from None
    if odd := [quoted(label) for label, name in pairs if not isinstance(name, str)]:
        raise InputError([_bad(content, f"no text as the name of {listed(odd, limit=5)}")])
    return _unique_names(content, pairs)


def _unique_names(content: Content, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Names by label, of which none has two."""
    named: dict[str, str] = {}
    for label, name in pairs:
        if named.setdefault(label, name) != name:
            raise InputError(
                [_bad(content, f"{quoted(label)} is {quoted(named[label])} and {quoted(name)}")]
            )
    return named


def _of_table(content: Content, column: str | int | None, label_set: LabelSet) -> dict[str, str]:
    rows = small_table_of(content, "bad-label-names").rows
    columns = list(zip(*rows, strict=True))
    labels = max(
        range(len(columns)), key=lambda place: (len(set(columns[place]) & set(label_set)), -place)
    )
    if missing := [quoted(label) for label in label_set if label not in columns[labels]]:
        raise InputError(
            [_bad(content, f"no column has all labels; the best lacks {listed(missing, limit=8)}")]
        )
    if column is not None:
        names = _place_of(content, column, rows[0])
    elif labels + 1 < len(columns):
        names = labels + 1
    else:
        names = labels - 1
    named = _unique_names(content, zip(columns[labels], columns[names], strict=True))
    if nameless := [quoted(label) for label in label_set if not named[label]]:
        raise InputError([_bad(content, f"no name for {listed(nameless, limit=8)}")])
    return named


def _place_of(content: Content, column: str | int, heads: Sequence[str]) -> int:
    """The column that task.toml names: by its number from 1, or by its heading."""
    if isinstance(column, int) and column <= len(heads):
        return column - 1
    if heads.count(str(column)) == 1:
        return heads.index(str(column))
    defect = f"{SETTINGS_FILE} names the column {quoted(str(column))}, and the first row is {shown_cells(heads)}"
    raise InputError([_bad(content, defect)])


def _bad(content: Content, defect: str) -> Issue:
    return Issue.of("bad-label-names", content.path, defect)


# beside a column of teams
_RUN_NAMES = frozenset({"run", "run_id", "run_name", "entry", "entry_id"})
_TEAM_NAMES = frozenset(
    {
        "team",
        "team_id",
        "team_name",
        "teams",
        "system",
        "system_name",
        "name",
        "submission",
        "run",
        "user",
    }
)
_COUNTER_NAMES = frozenset({"#", "no", "nr"})
_NUMBERS_OF_ROWS = "numbers of rows; if they are ranks, write Rank over them"
_REASONS_SAID = 4
_RANK = re.compile(r"[=T]?\s*(\d{1,6})\s*(?:\.|st|nd|rd|th)?\s*[=T]?", re.IGNORECASE)
_NOTHING = frozenset({"", "-", "–", "—", "−", "n/a", "na", "nan", "none", "null", "?", "."})
_UNSIGNED = r"(?P<whole>\d{0,6})(?:[.,](?P<part>\d{0,30}))?(?:[eE](?P<exponent>[+\-−–]?\d{1,3}))?"
# a standard deviation or half an interval
_SPREAD = r"(?:±|\+/?[-−–]|\\pm)\s*[\d.,]+(?:[eE][+-]?\d{1,3})?"
_IN_BRACKETS = r"\([\d.,;±%\s+−–-]+\)|\[[\d.,;±%\s+−–-]+\]"  # a spread, an interval or a rank
_NUMBER = re.compile(
    rf"(?P<sign>[+\-−–]?){_UNSIGNED}(?P<percent>\s*%)?(?:\s*(?:{_SPREAD}|{_IN_BRACKETS})(?P<percent_behind>\s*%)?)?"
)
"""A number as printed, with or without how sure it is: `.712`, `71.2 %`, `2.54e-106`, `.80±.02`, `.80 (.02)`."""
# more than anybody prints: a score in full precision, as programs write it, is rounded to as many
_MOST_DECIMALS = 10
# footnote marks, marks of mathematics and blanks around a number
_MARKS = "*†‡§$ \u00a0\u2009\u202f"
_LARGEST = 100
_BOLD = re.compile(
    r"(?:\*\*|__)(.+)(?:\*\*|__)|\$?\\(?:textbf|mathbf|bm|boldsymbol)\{(.+)\}\$?|\{\\bf(?:series)?\s+(.+)\}|<(?:b|strong)>(.+)</(?:b|strong)>"
)
"""The best of a column, as Markdown, LaTeX and HTML highlight it; * behind a number does, too."""


def read_published(path: Path) -> Published:
    """Read a published table from a delimited file with a heading row."""
    return _parsed(path.name, read_alone(path))


def published_in(tree: Tree, path: str) -> Published:
    """The published table of a campaign, with its file.

    What is published is checked, and nothing rests on it: a table that cannot be used is told and stops nothing. Only
    a file that is not there is an InputError.
    """
    original = tree.original(path)
    try:
        table = _parsed(path, tree.read(path))
    except InputError as error:
        defects = tuple(
            f"{quoted(path, 120)} was not checked: {_told(issue)}." for issue in error.issues
        )
        table = Published(path, (), (), defects=defects)
    return replace(table, source=SourceFile.of(path, original))


def _told(issue: Issue) -> str:
    """What an issue found, with its lines, as the end of a sentence."""
    numbers = listed([f"{line:,}" for line in issue.lines])
    if issue.lines:
        where = f" (line{'s' * (len(issue.lines) > 1)} {numbers})"
    else:
        where = ""
    return f"{issue.found.rstrip('.')}{where}"


def _parsed(name: str, data: bytes) -> Published:
    content = decode(name, data)
    table = small_table_of(content, "bad-table")
    (heads, *body), lines = table.rows, table.lines[1:]
    if not body:
        raise InputError([Issue.of("bad-table", name, "a single row")])
    if any(_score(head) for head in heads):
        defect = f"numbers in place of headings: {shown_cells(heads)}"
        raise InputError([Issue.of("bad-table", name, defect, lines=[1])])
    columns = list(zip(*body, strict=True))
    team, run = _places_of_names(heads, columns)
    names = (
        columns[team]
        if run is None
        else tuple(map("/".join, zip(columns[team], columns[run], strict=True)))
    )
    issues = []
    for twice in (each for each, count in Counter(names).items() if count > 1):
        on_lines = [line for line, each in zip(lines, names, strict=True) if each == twice]
        defect = f"{quoted(twice)} has several rows"
        remedy = "keep one, or name the runs as the campaign does: TEAM/RUN"
        issues.append(Issue.of("bad-table", name, defect, lines=on_lines, remedy=remedy))
    scores = []
    set_aside = []
    defects: list[str] = []
    for place, (head, cells) in enumerate(zip(heads, columns, strict=True)):
        if place in {team, run}:
            continue
        column = _column(head, cells)
        if isinstance(column, str):
            set_aside.append((head, column))
            continue
        scores.append(column)
        if not column.is_of_ranks:
            defects += _unreadable_cells(column, cells, lines)
    if not scores:
        issues.append(_nothing_to_read(name, set_aside))
    if issues:
        raise InputError(issues)
    return Published(name, names, tuple(scores), tuple(set_aside), defects=tuple(defects))


def _places_of_names(
    heads: Sequence[str], columns: Sequence[Sequence[str]]
) -> tuple[int, int | None]:
    """The column of teams, by its heading, else the first without numbers, else the first; and that of their runs."""
    folded = list(map(fold, heads))
    named = [place for place, head in enumerate(folded) if head in _TEAM_NAMES]
    named.sort(key=lambda place: folded[place] in _RUN_NAMES)
    texts = [place for place, cells in enumerate(columns) if not _is_numeric(cells)]
    team = [*named, *texts, 0][0]
    runs = [place for place, head in enumerate(folded) if head in _RUN_NAMES and place != team]
    has_runs = runs and len(set(columns[team])) < len(columns[team])
    return team, runs[0] if has_runs else None


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether most of what stands in a column are numbers."""
    n_numbers = sum(_score(cell) is not None for cell in cells)
    return n_numbers > 0 and 2 * n_numbers >= sum(cell.casefold() not in _NOTHING for cell in cells)


def _column(head: str, cells: Sequence[str]) -> PublishedColumn | str:
    """The scores or ranks in a column, or the reason why it has neither."""
    ranks = tuple(map(_rank, cells))
    are_ranks = any(ranks) and all(
        rank or cell.casefold() in _NOTHING for rank, cell in zip(ranks, cells, strict=True)
    )
    is_counter = fold(head) in _COUNTER_NAMES
    numbers = [rank.units for rank in ranks if rank]
    # Whole numbers that do not count the rows are ranks: shared, left out, or in another order.
    are_counts = numbers == list(range(1, len(cells) + 1))
    can_be_ranks = are_ranks and min(numbers) == 1 and max(numbers) <= len(numbers)
    can_only_be_ranks = is_counter and can_be_ranks and not are_counts
    if can_only_be_ranks or PublishedColumn(head, ()).is_of_ranks:
        no_ranks = "ranks that are no whole numbers from 1 on"
        if are_ranks:
            return PublishedColumn(head, ranks, can_only_be_ranks)
        return no_ranks
    if is_counter:
        return _NUMBERS_OF_ROWS
    if not _is_numeric(cells):
        return "no numbers"
    scores = tuple(map(_score, cells))
    is_too_large = any(score and abs(score.value) > _LARGEST for score in scores)
    if is_too_large:
        return "numbers above 100"
    return PublishedColumn(head, scores)


def _unreadable_cells(
    column: PublishedColumn, cells: Sequence[str], lines: Sequence[int]
) -> Iterator[str]:
    """A sentence for each cell that is neither a number nor a mark for none."""
    for score, cell, line in zip(column.scores, cells, lines, strict=True):
        if score is None and cell.casefold() not in _NOTHING:
            heading = quoted(column.heading, 60)
            yield f"{quoted(cell, 60)} under {heading} (line {line:,}) is no number: it was not compared."


def _nothing_to_read(path: str, set_aside: Sequence[tuple[str, str]]) -> Issue:
    """The issue for a table in which no column holds scores or ranks."""
    reasons = listed(
        [f"{quoted(head)} has {reason}" for head, reason in set_aside], limit=_REASONS_SAID
    )
    defect = f"no column of scores or ranks{': ' if reasons else ''}{reasons}"
    counter = next((head for head, reason in set_aside if reason == _NUMBERS_OF_ROWS), None)
    if counter is None:
        return Issue.of("bad-table", path, defect)
    remedy = f"if {quoted(counter)} holds ranks and not numbers of rows, write Rank over it"
    return Issue.of("bad-table", path, defect, remedy=remedy)


def _rank(cell: str) -> PrintedScore | None:
    """A rank as printed; None where the cell is none."""
    match = _RANK.fullmatch(_unmarked(cell)[0].strip(_MARKS))
    if match is None or not int(match[1]):
        return None
    return PrintedScore(cell, int(match[1]), 0)


def _unmarked(cell: str) -> tuple[str, bool]:
    """A cell without what makes it bold, and whether it was."""
    bold = _BOLD.fullmatch(cell.strip())
    if bold is None:
        return (cell, False)
    return (next(filter(None, bold.groups())), True)


def _score(cell: str) -> PrintedScore | None:
    """A number as printed; None where the cell is none."""
    text, is_bold = _unmarked(cell)
    match = _NUMBER.fullmatch(text.strip(_MARKS))
    if match is None or not (match["whole"] or match["part"]):
        return None
    part = match["part"] or ""
    exponent = int(re.sub("[−–]", "-", match["exponent"] or "0"))
    n_digits = max(0, len(part) - exponent)  # behind the point
    decimals = min(n_digits, _MOST_DECIMALS)
    value = Fraction(int(f"{match['whole']}{part}")) * Fraction(10) ** (exponent - len(part))
    units = round(value * 10**decimals)
    negative = match["sign"] not in ("", "+")
    is_percent = bool(match["percent"] or match["percent_behind"])
    is_highlighted = is_bold or text.strip().endswith("*")
    return PrintedScore(text, -units if negative else units, decimals, is_percent, is_highlighted)
