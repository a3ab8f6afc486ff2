"""Issues of one file, collected and kept to a readable number."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from audit.errors import Issue
from audit.text import plural, quoted

MOST_OF_A_KIND = 20
"""So many issues of one kind are listed for a file; one more counts the rest."""

MOST_LINES = 5
"""So many line numbers are listed for an issue."""


def capped(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """At most twenty issues of a kind, and one that counts the rest.

    Examples
    --------
    >>> many = [Issue.of("duplicate-item", "a.csv", f"item {n}", lines=[n]) for n in range(30)]
    >>> len(capped(many)), capped(many)[-1].found, capped(many)[-1].count
    (21, 'and 10 more', 10)
    """
    by_kind: defaultdict[str, list[Issue]] = defaultdict(list)
    for issue in issues:
        by_kind[issue.slug].append(issue)
    return tuple(issue for kind in by_kind.values() for issue in (*kind[:MOST_OF_A_KIND], *_rest(kind)))


def _rest(kind: list[Issue]) -> list[Issue]:
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


def line_list(lines: Iterable[int]) -> str:
    """'line 3' or 'lines 3, 5 and 2 more'."""
    numbers = list(lines)
    shown = ", ".join(map(str, numbers[:MOST_LINES]))
    more = f" and {len(numbers) - MOST_LINES:,} more" if len(numbers) > MOST_LINES else ""
    return f"{'line' if len(numbers) == 1 else 'lines'} {shown}{more}"


def cells(number: int) -> str:
    """A number of columns in words."""
    return plural(number, "column")


def repeated_ids(
    slug: str, path: str, ids: Sequence[str], lines: Sequence[int], remedy: str | None = None
) -> Iterator[Issue]:
    """An issue for every id that stands on several lines."""
    if len(set(ids)) == len(ids):
        return
    lines_of: dict[str, list[int]] = {item_id: [] for item_id, count in Counter(ids).items() if count > 1}
    for item_id, line in zip(ids, lines, strict=True):
        if item_id in lines_of:
            lines_of[item_id].append(line)
    for item_id, found in lines_of.items():
        where = f"an id is on {line_list(found)}"
        yield Issue.of(slug, path, where, lines=found[:MOST_LINES], remedy=remedy, items=quoted(item_id))
