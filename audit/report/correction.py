"""What changed between two states of a task? Both boards, the changes, the findings, and words for an erratum."""

import math
from collections.abc import Callable, Sequence
from itertools import islice

from audit.document import Block, Cell, Column, Listing, Paragraph, Table, row_names
from audit.findings.revision.difference import (
    BoardRow,
    Difference,
    FindingChange,
    GoldChange,
    Standing,
)
from audit.findings.wording import of
from audit.report.printing import IN_PARENTHESES, best_notes
from audit.text import distinct, number, quoted, sentence_case, visible
from audit.vocabulary import BEST_MARK

_NAME_LIMIT = 40
_RELABELLINGS_SHOWN = 8
_UNSURE = "–"

Shown = Callable[[Standing], str]


def difference_blocks(difference: Difference, sides: tuple[str, str]) -> tuple[Block, ...]:
    """Both boards as one table, the changes, the findings, and sentences for an erratum."""
    old, new = sides
    was_by, is_by = (
        of(side, side.task.ranking_metric) for side in (difference.before, difference.after)
    )
    if difference.same_metric:
        by = is_by
    else:
        by = f"{is_by}, before by {was_by}"
    title = Paragraph(
        f"{visible(difference.after.task.title)}: {new} against {old}, ranked by {by}", "heading"
    )
    if difference.is_empty:
        return title, Paragraph(difference.erratum[0], "lead")
    return (
        title,
        *_board(difference),
        *_part("What was changed", _changes(difference)),
        *_part("Findings", _findings(difference.findings)),
        *_part("For an erratum", [" ".join(difference.erratum)]),
    )


def _part(title: str, lines: Sequence[str]) -> tuple[Block, Block]:
    return Paragraph(title, "heading"), Listing(tuple(lines))


# The boards


def _board(difference: Difference) -> tuple[Table, Listing]:
    """One row for each entry; what neither board knows has no column."""
    if difference.same_metric:
        beside = "before"
    else:
        beside = str(difference.keys[0])
    sure = _sure_columns(difference)
    scores = str(difference.keys[1]), beside, "moves", *(head for head, _ in sure)
    columns = Column("rank"), Column("before"), row_names("team"), *map(Column, scores)
    names = distinct(tuple(row.name for row in difference.board), _NAME_LIMIT)
    texts = [
        [*_cells(difference, row, name), *(_new_and_old(row, cell) for _, cell in sure)]
        for row, name in zip(difference.board, names, strict=True)
    ]
    standings = [side for row in difference.board for side in (row.before, row.after) if side]
    notes = list(best_notes(map(_best, standings)))
    if any(not side.competes for side in standings):
        notes.append(IN_PARENTHESES)
    return Table(
        "table-boards", "", columns, tuple(tuple(map(Cell, row)) for row in texts)
    ), Listing(tuple(notes))


def _cells(difference: Difference, row: BoardRow, name: str) -> list[str]:
    sides = (
        (row.after, difference.after.task.printed_decimals),
        (row.before, difference.before.task.printed_decimals),
    )
    scores = [
        "" if side is None else number(math.nan if side.score is None else side.score, decimals)
        for side, decimals in sides
    ]
    return [
        *("" if side is None else side.printed_rank for side, _ in sides),
        name,
        *scores,
        _moves(row),
    ]


def _moves(row: BoardRow) -> str:
    """The number of ranks that a row rises or falls, or whether it is new or gone."""
    if row.before is None or row.after is None:
        if row.before is None:
            return "new"
        return "gone"
    if not row.moved or row.before.rank is None or row.after.rank is None:
        return ""
    return f"{row.before.rank - row.after.rank:+d}".replace("-", "−").replace("+0", "=")


def _sure_columns(difference: Difference) -> list[tuple[str, Shown]]:
    """The columns on certainty of each entry, where the comparison has them."""
    sides = [
        side for row in difference.board for side in (row.before, row.after) if side is not None
    ]
    is_compared = any(side.possible_ranks is not None for side in sides)
    if is_compared:
        return [(BEST_MARK, _best), ("possible ranks", _possible_ranks)]
    return []


def _new_and_old(row: BoardRow, cell: Shown) -> str:
    """A cell of an entry: its new value, and with an arrow the old one where it was another."""
    before, after = (None if side is None else cell(side) for side in (row.before, row.after))
    if before is None or after is None:
        return before or after or ""
    if before == after:
        return after
    return f"{before or _UNSURE} → {after or _UNSURE}"


def _best(side: Standing) -> str:
    if side.could_be_best:
        return BEST_MARK
    return ""


def _possible_ranks(side: Standing) -> str:
    if side.possible_ranks is None:
        return ""
    first, last = side.possible_ranks
    if first == last:
        return str(first)
    return f"{first}–{last}"


# What stands below them


def _changes(difference: Difference) -> list[str]:
    """The changes, one a line; for gold labels also which label became which."""
    lines = [sentence_case(clause) for clause in difference.what_changed] or ["Nothing that counts"]
    lines += [
        f"Without weight for ranks: {change.what}: {change.before or 'nothing'} → {change.after or 'nothing'}"
        for change in difference.settings
        if not change.matters
    ]
    return [lines[0], *_relabellings(difference.gold), *lines[1:]]  # gold comes first


def _relabellings(gold: GoldChange) -> list[str]:
    if not gold.relabelled:
        return []
    shown = [
        f"{count:,} from {quoted(before, _NAME_LIMIT)} to {quoted(after, _NAME_LIMIT)}"
        for (before, after), count in islice(gold.relabelled.items(), _RELABELLINGS_SHOWN)
    ]
    n_more = len(gold.relabelled) - len(shown)
    if n_more:
        more = f"; {n_more:,} more such changes, in --json"
    else:
        more = ""
    return [f"Gold labels: {'; '.join(shown)}{more}"]


def _findings(findings: Sequence[FindingChange]) -> list[str]:
    """What is new, gone, and says something else now, as it is; what is gone, as it was."""
    lines = []
    for change in findings:
        before, after = (flag and flag.severity.label for flag in (change.before, change.after))
        weight = (
            f"{after}, before {before}" if before and after and before != after else after or before
        )
        flag = change.after or change.before
        lines.append(f"{change.state}: {change.slug} ({weight}): {flag.sentence if flag else ''}")
    return lines or ["The same as before."]
