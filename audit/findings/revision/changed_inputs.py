"""What was handed in or said in another way: gold labels, submissions and settings."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audit.domain import (
    OVERALL_RULES,
    POLICY_KINDS,
    Entry,
    Evaluation,
    Gold,
    Policies,
    Role,
    UncountedRun,
)
from audit.domain.privacy import ItemIds
from audit.findings.comparisons import comparison_of
from audit.findings.revision.difference import (
    BoardRow,
    Difference,
    FindingChange,
    GoldChange,
    SettingChange,
    Standing,
    SubmissionChange,
    SubmissionFate,
)
from audit.findings.revision.erratum import clauses_of, erratum_of
from audit.findings.wording import of
from audit.ranking.ranks import printed_ranks
from audit.text import decimal_text, natural_order, plural, quoted, visible

Places = NDArray[np.int64]

# Gold


def gold_change(before: Gold, after: Gold) -> GoldChange:
    """The change of the items and their labels.

    >>> from audit.domain import LabelSet
    >>> labels = LabelSet(("a", "b"))
    >>> before = Gold(labels, np.array([0, 0, 1], np.uint8), ("x", "y", "z"))
    >>> after = Gold(labels, np.array([1, 1, 0], np.uint8), ("z", "y", "new"))
    >>> found = gold_change(before, after)
    >>> found.relabelled, found.n_added, found.n_removed
    ({('a', 'b'): 1}, 1, 1)
    """
    places = _common(before, after)
    if places is None:
        return GoldChange(before.n_items, after.n_items, None)
    return GoldChange(
        before.n_items, after.n_items, len(places[0]), _relabelled(before, after, *places)
    )


def _has_same_items(before: Gold, after: Gold) -> bool:
    return before.n_items == after.n_items and before.item_ids == after.item_ids


def _common(before: Gold, after: Gold) -> tuple[Places, Places] | None:
    """The places of the items of both, in either gold; None where nothing says which items are the same."""
    if _has_same_items(before, after):
        return np.arange(before.n_items), np.arange(before.n_items)
    if before.item_ids is None or after.item_ids is None:
        return None
    place_of = {item_id: place for place, item_id in enumerate(before.item_ids)}
    pairs = [
        (place_of[item_id], place)
        for place, item_id in enumerate(after.item_ids)
        if item_id in place_of
    ]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _relabelled(
    before: Gold, after: Gold, old_places: Places, new_places: Places
) -> dict[tuple[str, str], int]:
    """Labels are the same where their texts are, whatever place they have in the label set."""
    labels = (
        np.array(before.label_set.labels, dtype=object),
        np.array(after.label_set.labels, dtype=object),
    )
    old = labels[0][before.codes[old_places]]
    new = labels[1][after.codes[new_places]]
    other = old != new
    counts = Counter(zip(old[other].tolist(), new[other].tolist(), strict=True))
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each)))


# Submissions

Pair = tuple[int | None, int | None]
"""An entry of the old board and the same one on the new board; None where there is none."""

_DECIDE_ANSWERS = ("missing", "duplicates")  # the policies by which one file has different answers


def pairs_of(before: Evaluation, after: Evaluation) -> tuple[Pair, ...]:
    """Every entry of both boards, once.

    Two entries are one where team and run are the same; of the rest, where the board shows them under one name, as the
    two runs of a team of which one counts; of the rest, where their files or answers are the same and nobody else's
    are, as after a renaming.
    """
    keys: list[Callable[[Entry], Hashable | None]] = [
        _run,
        lambda entry: entry.name,
        lambda entry: entry.sha256,
    ]
    if _has_same_codes(before, after):
        keys.append(lambda entry: entry.predictions_digest)
    old_entries = dict(enumerate(before.entries))
    new_entries = dict(enumerate(after.entries))
    pairs: list[Pair] = []
    for key in keys:
        old_places = _by_key(old_entries, key)
        new_places = _by_key(new_entries, key)
        matched = [
            (place, new_places[value]) for value, place in old_places.items() if value in new_places
        ]
        pairs += matched
        for one, other in matched:
            del old_entries[one], new_entries[other]
    return (
        *pairs,
        *((one, None) for one in old_entries),
        *((None, other) for other in new_entries),
    )


def submission_changes(
    before: Evaluation, after: Evaluation, pairs: Sequence[Pair]
) -> tuple[SubmissionChange, ...]:
    """The submissions that came, went or are others, in the order of their names."""
    same_codes = _has_same_codes(before, after)
    changes: list[SubmissionChange | None] = []
    for one, other in pairs:
        if one is not None and other is not None:
            changes.append(
                _became(before.entries[one], after.entries[other], same_codes=same_codes)
            )
        elif other is not None:
            changes.append(_one_sided(after.entries[other], _not_rows(before), came=True))
        elif one is not None:
            changes.append(_one_sided(before.entries[one], _not_rows(after), came=False))
    for came, (here, there) in ((True, (after, before)), (False, (before, after))):
        kept = ((run.team, run.run) for run in there.uncounted if run.role is not Role.WITHDRAWN)
        known = frozenset((*map(_run, there.runs), *kept))
        # runs that are in the row of another
        further = (run for entry in here.entries for run in entry.same)
        changes += [_one_sided(run, (), came=came) for run in further if _run(run) not in known]
    return tuple(sorted(filter(None, changes), key=lambda change: natural_order(change.name)))


def _by_key(
    entries: dict[int, Entry], key: Callable[[Entry], Hashable | None]
) -> dict[Hashable, int]:
    """The places of the entries whose key no other has."""
    counts = Counter(map(key, entries.values()))
    return {
        key(entry): place
        for place, entry in entries.items()
        if key(entry) is not None and counts[key(entry)] == 1
    }


def _run(entry: Entry) -> Hashable:
    return entry.team, entry.run


def _has_same_codes(before: Evaluation, after: Evaluation) -> bool:
    """Whether a label code means the same on both sides, stands for the same item, and is read by the same policies."""
    same_labels = before.task.label_set.labels == after.task.label_set.labels
    same_policies = all(
        getattr(before.task.policies, slug) == getattr(after.task.policies, slug)
        for slug in _DECIDE_ANSWERS
    )
    return same_labels and same_policies and _has_same_items(before.gold, after.gold)


def _not_rows(evaluation: Evaluation) -> tuple[UncountedRun, ...]:
    """The runs that are no row of the ranking: those that do not count, and those in the row of another."""
    return evaluation.uncounted + tuple(
        UncountedRun(
            run.team, run.run, run.path, run.role, f"its answers are those of {entry.name}"
        )
        for entry in evaluation.entries
        for run in entry.same
    )


def _one_sided(entry: Entry, not_rows: Sequence[UncountedRun], *, came: bool) -> SubmissionChange:
    """An entry of one board alone; on the other side it may be among the runs that are no row."""
    kept = next((run for run in not_rows if (run.team, run.run) == (entry.team, entry.run)), None)
    if kept is None:
        role = None
    else:
        role = kept.role
    if kept is None or kept.role is Role.WITHDRAWN:
        fate = SubmissionFate.ADDED if came else SubmissionFate.WITHDRAWN
        run = None
        reason = ""
    else:
        fate = SubmissionFate.COUNTED if came else SubmissionFate.UNCOUNTED
        run = kept.run
        reason = kept.reason
    if came:
        return SubmissionChange(
            fate, None, entry.name, (role, entry.role), (run, entry.run), reason
        )
    return SubmissionChange(fate, entry.name, None, (entry.role, role), (entry.run, run), reason)


def _became(one: Entry, other: Entry, *, same_codes: bool) -> SubmissionChange | None:
    """What became of an entry: other answers say more than another name, and that more than another role."""
    if not _same_answers(one, other, same_codes=same_codes):
        if one.run != other.run:
            fate = SubmissionFate.OTHER_RUN
        else:
            fate = SubmissionFate.CHANGED
    elif (one.team, one.run) != (other.team, other.run) and one.name != other.name:
        fate = SubmissionFate.RENAMED
    elif (one.role, one.competes) != (other.role, other.competes):
        fate = SubmissionFate.ROLE
    else:
        return None
    return SubmissionChange(
        fate, one.name, other.name, (one.role, other.role), (one.run, other.run)
    )


def _same_answers(one: Entry, other: Entry, *, same_codes: bool) -> bool:
    """Whether the answers are the same, as far as that can be seen.

    The digest of the codes tells where codes mean the same on both sides; elsewhere the file does. Answers that were
    in memory and are held against other items or labels are taken to be the same: nothing says that they are not.
    """
    if same_codes:
        return (one.predictions_digest, one.scores_digest) == (
            other.predictions_digest,
            other.scores_digest,
        )
    return one.sha256 == other.sha256


# Settings

_LONG = 200
_FIRST_CLAUSE = re.compile("[:,;]")
Stated = tuple[str, Mapping[str, str]]
"""The slug of a setting, and its values as texts by what they are of inside a sentence; an empty one is not stated."""


def setting_changes(before: Evaluation, after: Evaluation) -> tuple[SettingChange, ...]:
    """The settings that differ, those that can decide a rank first."""
    groups = _groups(before.gold), _groups(after.gold)
    regrouped = _has_same_items(before.gold, after.gold) and not _grouped_alike(
        before.gold, after.gold
    )
    return (
        *_changed(_deciding(before), _deciding(after), matters=True),
        *((SettingChange("groups", "which items belong together", *groups),) if regrouped else ()),
        *_changed(_describing(before), _describing(after), matters=False),
    )


def _changed(
    before: Sequence[Stated], after: Sequence[Stated], *, matters: bool
) -> Iterator[SettingChange]:
    for (slug, old), (_, new) in zip(before, after, strict=True):
        for subject in sorted(old.keys() | new.keys()):
            sides = old.get(subject) or None, new.get(subject) or None
            if sides[0] != sides[1]:
                yield SettingChange(slug, subject, *sides, matters)


def _deciding(evaluation: Evaluation) -> tuple[Stated, ...]:
    """What a rank, an interval or a finding can depend on."""
    task = evaluation.task
    labels = evaluation.task.label_set
    gold = evaluation.gold
    options = evaluation.options
    if task.official_metric:
        official = of(evaluation, task.official_metric)
    else:
        official = ""
    if task.official_decimals is None:
        decimals = ""
    else:
        decimals = str(task.official_decimals)
    if task.overall is None:
        overall = ""
    else:
        overall = OVERALL_RULES[task.overall]
    chosen = {
        f"the run that counts for {visible(each.team)}": quoted(each.run)
        for each in task.policies.chosen
    }
    named = {
        f"the class distribution {quoted(each.name)}": visible(
            ", ".join(f"{label} {share:g}" for label, share in each.shares), _LONG
        )
        for each in task.prevalences
    }
    if gold.stratified:
        drawn = "a fixed number of items of each class"
    else:
        drawn = ""
    parts = ItemIds.of(gold.item_ids, labels).of_values([column.name for column in gold.slices])
    sizes = [plural(len(column.values), "part") for column in gold.slices]
    return (
        ("official_metric", {"the official metric": official}),
        ("scale", {"the scale of the labels": ", ".join(f"{value:g}" for value in labels.scale)}),
        ("rest_label", {"the rest class": "" if labels.rest is None else quoted(labels.rest)}),
        (
            "scored_labels",
            {
                "the label that scores of items speak for": ", ".join(
                    map(quoted, task.scored_labels)
                )
            },
        ),
        ("overall", {"the rule that sums up the test sets": overall}),
        (
            "weight",
            {
                "what the test set counts among several": ""
                if task.weight == 1
                else decimal_text(task.weight)
            },
        ),
        ("official_decimals", {"the number of published decimals": decimals}),
        *_policies(task.policies),
        ("chosen_run", chosen),
        ("prevalence", named),
        ("label", {f"the label {quoted(label)}": "in the label set" for label in labels}),
        ("stratified", {"how the test set was drawn": drawn}),
        (
            "slices",
            {f"the parts by {quoted(name)}": size for name, size in zip(parts, sizes, strict=True)},
        ),
        ("option.certainty", {"the certainty": "computed" if options.certainty else "left out"}),
        ("option.seed", {"the seed of the draws": str(options.seed)}),
        (
            "option.compare",
            {"the further scores that are compared by": visible(", ".join(options.compare), _LONG)},
        ),
        ("version", {"the program’s version": evaluation.signature.rpartition("|version:")[2]}),
    )


def _policies(policies: Policies) -> Iterator[Stated]:
    for slug, kind in POLICY_KINDS.items():
        value = getattr(policies, slug)
        words = f"{quoted(value)} ({_FIRST_CLAUSE.split(kind.values[value])[0]})"
        yield f"policy.{slug}", {f"the policy on {kind.title[0].lower()}{kind.title[1:]}": words}


def _describing(evaluation: Evaluation) -> tuple[Stated, ...]:
    """What no rank, interval or finding depends on."""
    task = evaluation.task
    labels = evaluation.task.label_set
    names = {
        f"the name of the label {quoted(label)}": visible(name) if name != label else ""
        for label, name in zip(labels, labels.named, strict=True)
    }
    return (
        ("label_name", names),
        ("title", {"the title": visible(task.title, _LONG)}),
        ("note", {"the note": visible(task.note, _LONG)}),
        ("family", {"the campaign that the task belongs to": visible(task.family or "", _LONG)}),
        ("part", {"the test set’s name": visible(task.part or "", _LONG)}),
    )


def _grouped_alike(before: Gold, after: Gold) -> bool:
    if before.groups is None or after.groups is None:
        return before.groups is after.groups
    return np.array_equal(before.groups, after.groups) and before.unit == after.unit


def _groups(gold: Gold) -> str | None:
    if gold.groups is None:
        return None
    if gold.unit:
        by = f" by {quoted(gold.unit)}"
    else:
        by = ""
    return plural(np.unique(gold.groups).size, "group") + by


def difference_of(before: Evaluation, after: Evaluation) -> Difference:
    """The changes between two evaluations, and their consequences."""
    pairs = pairs_of(before, after)
    difference = Difference(
        before,
        after,
        gold=gold_change(before.gold, after.gold),
        submissions=submission_changes(before, after, pairs),
        settings=setting_changes(before, after),
        board=_board(before, after, pairs),
        findings=tuple(_findings(before, after)),
    )
    worded = replace(difference, what_changed=clauses_of(difference))
    return replace(worded, erratum=erratum_of(worded))


def _board(before: Evaluation, after: Evaluation, pairs: Sequence[Pair]) -> tuple[BoardRow, ...]:
    old = _standings(before)
    new = _standings(after)
    row_of = {
        other: BoardRow(None if one is None else old[one], new[other])
        for one, other in pairs
        if other is not None
    }
    gone = {one for one, other in pairs if other is None}
    return (
        *(row_of[place] for place in after.order(after.task.ranking_metric)),
        *(
            BoardRow(old[place], None)
            for place in before.order(before.task.ranking_metric)
            if place in gone
        ),
    )


def _standings(evaluation: Evaluation) -> list[Standing]:
    key = evaluation.task.ranking_metric
    printed = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
    comparison = comparison_of(evaluation, key)
    scores = evaluation.scores_of(key).tolist()
    ranks = evaluation.ranks_of(key).tolist()
    standings = []
    for place, entry in enumerate(evaluation.entries):
        if np.isnan(scores[place]):
            score = None
            rank = None
        else:
            score = scores[place]
            rank = ranks[place]
        standing = Standing(entry.name, entry.competes, score, rank, printed[place])
        if comparison is not None and comparison.is_compared[place]:
            first, last = comparison.possible_ranks[place].tolist()
            standing = replace(
                standing,
                could_be_best=bool(comparison.could_be_best[place]),
                uncertain=bool(comparison.uncertain[place]),
                possible_ranks=(first, last),
            )
        standings.append(standing)
    return standings


def _findings(before: Evaluation, after: Evaluation) -> Iterator[FindingChange]:
    """Findings of one side alone or in other words: in the new side's order, then those that are gone."""
    old, new = ({flag.slug: flag for flag in side.flags} for side in (before, after))
    for slug, flag in new.items():
        if slug not in old or (flag.severity, flag.sentence) != (
            old[slug].severity,
            old[slug].sentence,
        ):
            yield FindingChange(old.get(slug), flag)
    for slug, flag in old.items():
        if slug not in new:
            yield FindingChange(flag, None)
