"""Which entry of one board is which of the other, and what became of each submission."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence

from audit.domain import Entry, Evaluation, Role, UncountedRun
from audit.questions.revision.changed_gold import has_same_items
from audit.questions.revision.difference import SubmissionChange, SubmissionFate
from audit.text import natural_order

Pair = tuple[int | None, int | None]
"""An entry of the old board and the same one on the new board; None where there is none."""

_DECIDE_ANSWERS = ("missing", "duplicates")
"""The policies by which one file has different answers."""


def pairs_of(before: Evaluation, after: Evaluation) -> tuple[Pair, ...]:
    """Every entry of both boards, once.

    Two entries are one where team and run are the same; of the rest, where the board shows them under one name, as the
    two runs of a team of which one counts; of the rest, where their files or answers are the same and nobody else's
    are, as after a renaming.
    """
    keys: list[Callable[[Entry], Hashable | None]] = [_run, _name, _file]
    if _has_same_codes(before, after):
        keys.append(_answers)
    old_entries, new_entries = dict(enumerate(before.entries)), dict(enumerate(after.entries))
    pairs: list[Pair] = []
    for key in keys:
        matched = _matched(old_entries, new_entries, key)
        pairs += matched
        for one, other in matched:
            del old_entries[one], new_entries[other]
    return (*pairs, *((one, None) for one in old_entries), *((None, other) for other in new_entries))


def submission_changes(before: Evaluation, after: Evaluation, pairs: Sequence[Pair]) -> tuple[SubmissionChange, ...]:
    """The submissions that came, went or are others, in the order of their names."""
    same_codes = _has_same_codes(before, after)
    changes = [_change(before, after, pair, same_codes=same_codes) for pair in pairs]
    changes += [_came(run, ()) for run in _further_runs(after) if _run(run) not in _known_runs(before)]
    changes += [_went(run, ()) for run in _further_runs(before) if _run(run) not in _known_runs(after)]
    return tuple(sorted(filter(None, changes), key=lambda change: natural_order(change.name)))


def _further_runs(evaluation: Evaluation) -> tuple[Entry, ...]:
    """The runs that are in the row of another."""
    return tuple(run for entry in evaluation.entries for run in entry.same)


def _known_runs(evaluation: Evaluation) -> frozenset[Hashable]:
    """Every run that was handed in and not withdrawn."""
    uncounted = ((run.team, run.run) for run in evaluation.uncounted if run.role is not Role.WITHDRAWN)
    return frozenset((*map(_run, evaluation.runs), *uncounted))


def _matched(
    old_entries: dict[int, Entry], new_entries: dict[int, Entry], key: Callable[[Entry], Hashable | None]
) -> list[tuple[int, int]]:
    """The entries that have a key of their own on both sides."""
    old_by_key, new_by_key = _by_key(old_entries, key), _by_key(new_entries, key)
    return [
        (old_by_key[value][0], new_by_key[value][0])
        for value in old_by_key
        if len(old_by_key[value]) == 1 and len(new_by_key.get(value, ())) == 1
    ]


def _by_key(entries: dict[int, Entry], key: Callable[[Entry], Hashable | None]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, entry in entries.items():
        value = key(entry)
        if value is not None:
            places[value].append(place)
    return dict(places)


def _run(entry: Entry) -> Hashable:
    return entry.team, entry.run


def _name(entry: Entry) -> Hashable:
    return entry.name


def _file(entry: Entry) -> Hashable | None:
    return entry.sha256


def _answers(entry: Entry) -> Hashable:
    return entry.predictions_digest


def _has_same_codes(before: Evaluation, after: Evaluation) -> bool:
    """Whether a label code means the same on both sides, stands for the same item, and is read by the same policies."""
    same_labels = before.task.label_set.labels == after.task.label_set.labels
    same_policies = all(
        getattr(before.task.policies, slug) == getattr(after.task.policies, slug) for slug in _DECIDE_ANSWERS
    )
    return same_labels and same_policies and has_same_items(before.gold, after.gold)


def _change(before: Evaluation, after: Evaluation, pair: Pair, *, same_codes: bool) -> SubmissionChange | None:
    one = None if pair[0] is None else before.entries[pair[0]]
    other = None if pair[1] is None else after.entries[pair[1]]
    if one is None:
        return None if other is None else _came(other, _not_rows(before))
    if other is None:
        return _went(one, _not_rows(after))
    return _became(one, other, same_answers=_same_answers(one, other, same_codes=same_codes))


def _not_rows(evaluation: Evaluation) -> tuple[UncountedRun, ...]:
    """The runs that are no row of the ranking: those that do not count, and those in the row of another."""
    return evaluation.uncounted + tuple(
        UncountedRun(run.team, run.run, run.path, run.role, f"its answers are those of {entry.name}")
        for entry in evaluation.entries
        for run in entry.same
    )


def _came(entry: Entry, uncounted: Sequence[UncountedRun]) -> SubmissionChange:
    kept = next(_uncounted_of(entry, uncounted), None)
    if kept is None or kept.role is Role.WITHDRAWN:
        roles = (None if kept is None else kept.role, entry.role)
        return SubmissionChange(SubmissionFate.ADDED, None, entry.name, roles, (None, entry.run))
    roles = (kept.role, entry.role)
    return SubmissionChange(SubmissionFate.COUNTED, None, entry.name, roles, (kept.run, entry.run), kept.reason)


def _went(entry: Entry, uncounted: Sequence[UncountedRun]) -> SubmissionChange:
    kept = next(_uncounted_of(entry, uncounted), None)
    if kept is None or kept.role is Role.WITHDRAWN:
        roles = (entry.role, None if kept is None else kept.role)
        return SubmissionChange(SubmissionFate.WITHDRAWN, entry.name, None, roles, (entry.run, None))
    roles = (entry.role, kept.role)
    return SubmissionChange(SubmissionFate.UNCOUNTED, entry.name, None, roles, (entry.run, kept.run), kept.reason)


def _uncounted_of(entry: Entry, uncounted: Sequence[UncountedRun]) -> Iterator[UncountedRun]:
    return (run for run in uncounted if (run.team, run.run) == (entry.team, entry.run))


def _became(one: Entry, other: Entry, *, same_answers: bool) -> SubmissionChange | None:
    roles, runs = (one.role, other.role), (one.run, other.run)
    fate = _fate(one, other, same_answers=same_answers)
    return None if fate is None else SubmissionChange(fate, one.name, other.name, roles, runs)


def _fate(one: Entry, other: Entry, *, same_answers: bool) -> SubmissionFate | None:
    """The most that became of it: other answers say more than another name, and that more than another role."""
    if not same_answers:
        return SubmissionFate.OTHER_RUN if one.run != other.run else SubmissionFate.CHANGED
    if (one.team, one.run) != (other.team, other.run) and one.name != other.name:
        return SubmissionFate.RENAMED
    return SubmissionFate.ROLE if (one.role, one.competes) != (other.role, other.competes) else None


def _same_answers(one: Entry, other: Entry, *, same_codes: bool) -> bool:
    """Whether the answers are the same, as far as that can be seen.

    The digest of the codes tells where codes mean the same on both sides; elsewhere the file does. Answers that were
    in memory and are held against other items or labels are taken to be the same: nothing says that they are not.
    """
    if same_codes:
        return (one.predictions_digest, one.scores_digest) == (other.predictions_digest, other.scores_digest)
    return one.sha256 == other.sha256
