"""Files of tags whose tokens are gold's but for their quotes, or but for a few that are missing."""

from collections.abc import Sequence
from dataclasses import replace

from audit.formats.table.parsed import Table
from audit.text import agreeing, plural, quoted

_MOST_MISSING = 0.02  # share of gold's tokens that a file may lack and still be read by its tokens
_OUTSIDE = "O"  # the tag of a token in no span


def unquoted(token: str) -> str:
    '''A token as it was before a program for tables of cells put quotes around it and doubled those in it.

    >>> unquoted('""""'), unquoted('"so-called ""x"""'), unquoted('"'), unquoted('""')
    ('"', 'so-called "x"', '"', '""')
    '''
    inner = token[1:-1]
    is_in_quotes = inner and token[:1] == token[-1:] == '"' and '"' in inner
    is_doubled = '"' not in inner.replace('""', "")
    if is_in_quotes and is_doubled:
        return inner.replace('""', '"')
    return token


def with_gold_tokens(
    table: Table, tokens: Sequence[str], lengths: Sequence[int], *, mark_spans: bool
) -> Table:
    """The table with gold's tokens, where its own are these but for quotes, or but for a few that it lacks.

    Tokens that it lacks are in no span; where tokens are scored, they are unanswered. Both is said in a note.
    """
    table = _without_quotes(table, tokens)
    missing = _missing_tokens(table.tokens or (), tokens)
    if not missing:
        return table
    if mark_spans:
        tag = _OUTSIDE
    else:
        tag = ""
    labels = list(table.labels)
    lines = list(table.lines)
    for place in missing:  # in order, so that all before it are in gold's places
        labels.insert(place, tag)
        lines.insert(place, lines[max(place - 1, 0)])
    first = missing[0]
    if first == 0:
        behind = 0
    else:
        behind = first - 1
    count = f"{plural(len(missing), 'token')} of gold’s {len(tokens):,}"
    defect = f"{count} {agreeing(len(missing), 'is', 'are')} missing, first {quoted(tokens[first])} behind this line"
    if mark_spans:
        taken = "in no span"
    else:
        taken = "unanswered"
    note = table.issue(
        "line-count",
        f"{defect}; taken as {taken}",
        fatal=False,
        expected="gold’s tokens in gold’s order",
        remedy="nothing is to be done; or ask the team for a file with all tokens",
    )
    note = replace(note, lines=(lines[behind],))
    return replace(
        table,
        labels=labels,
        lines=lines,
        tokens=tokens,
        sequences=lengths,
        scores=(),
        issues=(*table.issues, note),
    )


def _without_quotes(table: Table, gold: Sequence[str]) -> Table:
    """The table with its tokens unquoted where that makes tokens gold's, and none another."""
    if table.tokens is None:
        return table
    known = set(gold)
    written = {token: unquoted(token) for token in set(table.tokens) - known}
    changes = {token: bare for token, bare in written.items() if bare != token and bare in known}
    if not changes:
        return table
    n_rows = sum(token in changes for token in table.tokens)
    tokens = [changes.get(token, token) for token in table.tokens]
    first = next(token for token in table.tokens if token in changes)
    defect = f"{plural(n_rows, 'token')} in quotes, like {quoted(first)} for gold’s {quoted(changes[first])}"
    remedy = "nothing is to be done: they are read without"
    note = table.issue("line-count", defect, fatal=False, expected="gold’s tokens", remedy=remedy)
    return replace(table, tokens=tokens, issues=(*table.issues, note))


def _missing_tokens(tokens: Sequence[str], gold: Sequence[str]) -> list[int]:
    """The places of the few of gold's tokens that a file lacks, whose others stand in gold's order; else none."""
    n_missing = len(gold) - len(tokens)
    if not 0 < n_missing <= _MOST_MISSING * len(gold):
        return []
    missing: list[int] = []
    row = 0
    for place, token in enumerate(gold):
        if row < len(tokens) and tokens[row] == token:
            row += 1
            continue
        missing.append(place)
        if len(missing) > n_missing:
            return []
    return missing
