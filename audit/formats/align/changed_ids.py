"""What programs did to the ids or lines of a submission: numbers rounded, zeros lost, headers among the answers."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import chain, compress, islice

from audit.errors import Issue
from audit.formats.table.columns import is_label_name
from audit.formats.table.parsed import IdChange, Table, except_for, left_out_by_pattern, mostly
from audit.text import at_a_glance, quoted

_SAMPLE = 1000
_MOSTLY = 0.5
_KEPT = 15  # digits of a number that a spreadsheet keeps
_WHOLE = re.compile(r"[0-9]{1,40}")
_NUMBERED = re.compile(r"(\D*)([0-9]{1,18})(\D*)")
_SCIENTIFIC = re.compile(r"[0-9](?:[.,][0-9]+)?[eE]\+?[0-9]{1,3}")


def _cut(item_id: str) -> str:
    if _WHOLE.fullmatch(item_id):
        return item_id[:_KEPT] + "0" * (len(item_id) - _KEPT)
    return item_id


def _as_float(item_id: str) -> str:
    if _WHOLE.fullmatch(item_id):
        return str(int(float(item_id)))
    return item_id


_CHANGES: Mapping[str, Callable[[str], str]] = {
    "the last digits, rounded as of numbers that were kept as floats": _as_float,
    "zeros from the 16th digit on, as spreadsheets keep long numbers": _cut,
    "blanks, quotes, letters that look the same, or upper and lower case": (
        lambda item_id: at_a_glance(item_id).strip(" \"'").casefold()
    ),
}


def _changed_if_long(change: Callable[[str], str], item_id: str) -> str:
    """A number that a spreadsheet cannot keep, as it keeps it; any other id as it stands."""
    is_long = len(item_id) > _KEPT and _WHOLE.fullmatch(item_id) and item_id[0] != "0"
    if is_long:
        return change(item_id)
    return item_id


_OF_LONG_NUMBERS: Mapping[str, Callable[[str], str]] = {
    **dict(islice(_CHANGES.items(), 2)),
    "digits, cut after 15 of them and rounded": lambda item_id: _as_float(_cut(item_id)),
}


def restored(ids: Sequence[str], gold: Sequence[str]) -> tuple[list[str], str] | None:
    """A file's ids as gold writes them where a spreadsheet rounded long numbers, if no two became one; or None."""
    if set(ids) == set(gold):
        return None
    for words, change in _OF_LONG_NUMBERS.items():
        gold_of = {_changed_if_long(change, item_id): item_id for item_id in gold}
        if len(gold_of) == len(ids) and gold_of.keys() == set(ids):
            return [gold_of[item_id] for item_id in ids], except_for(words)
    return _few_restored(ids, gold)


_FEW = 0.1  # share of the ids of which the last digits may be lost in one of the two files


def _few_restored(ids: Sequence[str], gold: Sequence[str]) -> tuple[list[str], str] | None:
    """A file's ids as gold writes them where a few lost digits in one of both, and the others tell which is which."""
    in_gold = set(gold)
    in_file = set(ids)
    odd = [item_id for item_id in ids if item_id not in in_gold]
    unmatched = [item_id for item_id in gold if item_id not in in_file]
    if not 0 < len(odd) == len(unmatched) <= _FEW * len(gold):
        return None
    for words, change in _OF_LONG_NUMBERS.items():
        gold_of = {_changed_if_long(change, item_id): item_id for item_id in unmatched}
        digits_of = {item_id: _changed_if_long(change, item_id) for item_id in odd}
        if len(gold_of) == len(odd) and gold_of.keys() == set(digits_of.values()):
            whole = [
                gold_of[digits_of[item_id]] if item_id in digits_of else item_id for item_id in ids
            ]
            return whole, f"{len(odd):,} of {except_for(words)}"
    return None


def change_of(ids: Sequence[str], gold: Sequence[str]) -> IdChange | None:
    """How a file has gold's ids where most were changed in one way; None where no way is known."""
    sample = ids[:_SAMPLE]
    if sum(map(bool, map(_SCIENTIFIC.fullmatch, sample))) > _MOSTLY * len(sample):
        return IdChange(
            "the file has numbers in scientific notation, as spreadsheets and floats write long ones; digits are lost"
        )
    if (change := left_out_by_pattern(ids, gold)) is not None:
        return change
    alike = (
        words
        for words, change in _CHANGES.items()
        if mostly(list(map(change, sample)), set(map(change, gold)))
    )
    return next((IdChange(except_for(words)) for words in alike), None)


def shift_of(ids: Sequence[str], gold: Sequence[str]) -> int | None:
    """What is to be added to the number in every id of a file for ids that gold has; None where nothing is.

    A file that counts from 0 and gold that counts from 1 have nearly all ids in common, each of another item. Ids may
    be numbers between texts that all have, and up to half of the items may be missing.
    """
    matches = list(map(_NUMBERED.fullmatch, chain(ids, gold)))
    around = {(match[1], match[3]) for match in matches if match is not None}
    if 2 * len(ids) <= len(gold) or len(around) != 1:
        return None
    numbers = [int(match[2]) for match in matches if match is not None]
    of_file = set(numbers[: len(ids)])
    of_gold = set(numbers[len(ids) :])
    if len(numbers) < len(matches) or of_file <= of_gold:
        return None
    shifts = {min(of_gold) - min(of_file), max(of_gold) - max(of_file)}
    return next(
        (shift for shift in sorted(shifts) if {number + shift for number in of_file} <= of_gold),
        None,
    )


def headers_in_gold(table: Table, *, is_declared: bool) -> list[Issue]:
    """The issue for rows of gold that repeat its header, or for a first one that holds the name of its column."""
    rows = list(_repeated(table, is_declared=is_declared))
    first = table.labels[0]
    if not rows and not is_declared and not _has_setting(table) and is_label_name(first):
        rows = [0][: 2 - Counter(table.labels)[first]]
    return _issue(table, rows)


def headers_among_answers(table: Table, labels: Container[str]) -> list[Issue]:
    """The issue for rows of a submission, known by position, that are no label and the name of a column of labels."""
    strange = {label for label in set(table.labels) if label not in labels and is_label_name(label)}
    if not strange:
        return []
    rows = [
        row
        for row, label in enumerate(table.labels)
        if label in strange and (row or not _has_setting(table))
    ]
    return _issue(table, rows)


def _has_setting(table: Table) -> bool:
    """Whether task.toml could say that there is a header: then it was asked, or the first row was judged."""
    return "header" in table.layout.kind.settings and table.layout.format != "tokens"


def _repeated(table: Table, *, is_declared: bool) -> Iterator[int]:
    """The rows that say again what the columns are called."""
    layout = table.layout
    if (
        layout.label_name is None
        or layout.label_name not in table.labels
        or layout.rule is not None
    ):
        return
    if table.ids is None:
        is_header = [
            not is_declared and _unmarked(label) == _unmarked(layout.label_name)
            for label in table.labels
        ]
    else:
        names = "\t".join(layout.names[number] for number in layout.id or ())
        is_header = [
            label == layout.label_name and _unmarked(item_id) == _unmarked(names)
            for item_id, label in zip(table.ids, table.labels, strict=True)
        ]
    yield from compress(range(len(is_header)), is_header)


def _unmarked(text: str) -> str:
    """A cell without the mark that text files of some programs begin with."""
    return text.removeprefix("\ufeff")


def _issue(table: Table, rows: list[int]) -> list[Issue]:
    if not rows:
        return []
    defect = f"{quoted(table.labels[rows[0]])} is the name of a column, and no label"
    return [table.issue("header-as-answer", defect, rows)]
