"""Issues of one file, collected and kept to a readable number."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from audit.errors import Issue
from audit.formats.settings.layout import Layout
from audit.formats.table.parsed import Table
from audit.text import plural, quoted

MOST_OF_A_KIND = 20  # how many issues of one kind are listed for a file; one more issue counts the rest

MOST_LINES = 5  # how many line numbers are listed for an issue


def capped(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """The issues, at most twenty of a kind; the rest of a kind become one issue with their count.

    >>> many = [Issue.of("duplicate-item", "a.csv", f"item {n}", lines=[n]) for n in range(30)]
    >>> len(capped(many)), capped(many)[-1].found, capped(many)[-1].count
    (21, 'and 10 more', 10)
    """
    by_kind: defaultdict[str, list[Issue]] = defaultdict(list)
    for issue in issues:
        by_kind[issue.slug].append(issue)
    return tuple(issue for kind in by_kind.values() for issue in (*kind[:MOST_OF_A_KIND], *_remaining_issue(kind)))


def _remaining_issue(kind: list[Issue]) -> list[Issue]:
    rest = kind[MOST_OF_A_KIND:]
    if not rest:
        return []
    lines = [issue.lines[0] for issue in rest if issue.lines]
    first = rest[0]
    return [
        Issue.of(
            first.slug,
            first.file,
            f"and {len(rest):,} more",
            lines=lines[:MOST_LINES],
            count=sum(issue.count for issue in rest),
            remedy=first.remedy,
            fatal=first.fatal,
        )
    ]


def in_unit(issue: Issue, unit: str) -> Issue:
    """The issue of a file that is not made of lines: which row or entry it concerns is then said in words.

    >>> in_unit(Issue.of("bad-json", "a.json", "it is no object", lines=[5]), "entry").found
    'entry 5: it is no object'
    """
    if unit == "line" or not issue.lines:
        return issue
    where = line_list(issue.lines, unit)
    more = f" and {issue.count - len(issue.lines):,} more" if issue.count > len(issue.lines) else ""
    return replace(issue, found=f"{where}{more}: {issue.found}", lines=())


def counted(number: int, unit: str) -> str:
    """A number of lines, rows or entries in words.

    >>> counted(1, "entry"), counted(2000, "entry"), counted(2, "row")
    ('1 entry', '2,000 entries', '2 rows')
    """
    return plural(number, unit, "entries" if unit == "entry" else None)


def line_list(lines: Iterable[int], unit: str = "line") -> str:
    """'line 3' or 'lines 3, 5 and 2 more'."""
    numbers = list(lines)
    shown = ", ".join(map(str, numbers[:MOST_LINES]))
    more = f" and {len(numbers) - MOST_LINES:,} more" if len(numbers) > MOST_LINES else ""
    return f"{unit if len(numbers) == 1 else counted(2, unit)[2:]} {shown}{more}"


def cells(number: int) -> str:
    """A number of columns in words."""
    return plural(number, "column")


def quoted_id(item_id: str, layout: Layout) -> str:
    r"""An item's id for a message: the parts of a composite one with commas between.

    >>> print(quoted_id("Q268_R4\tQ268_R4_C1", Layout("delimited", id=(0, 1))))
    “Q268_R4, Q268_R4_C1”
    """
    return quoted(item_id.replace("\t", ", ") if len(layout.id or ()) > 1 else item_id)


def repeated_ids(slug: str, path: str, table: Table, remedy: str | None = None) -> Iterator[Issue]:
    """An issue for every id that stands on several lines."""
    ids = table.ids or ()
    if len(set(ids)) == len(ids):
        return
    lines_of: dict[str, list[int]] = {item_id: [] for item_id, count in Counter(ids).items() if count > 1}
    for item_id, line in zip(ids, table.lines, strict=True):
        if item_id in lines_of:
            lines_of[item_id].append(line)
    unit = table.layout.kind.unit
    for item_id, id_lines in lines_of.items():
        where = f"an id is on {line_list(id_lines, unit)}"
        shown = id_lines[:MOST_LINES] if unit == "line" else ()
        yield Issue.of(slug, path, where, lines=shown, remedy=remedy, items=quoted_id(item_id, table.layout))
