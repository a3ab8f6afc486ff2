"""What the first place depends on: the macro F1 formula, the metric, the class distribution, the class set, rounding.

Where columns of gold cut the test set, it depends on the parts, too.

A change of winner and whether the test set shows it are said in one sentence. There are four states: it holds; another
is first, and the difference is real; another is first, but the test set cannot tell them apart; not tested. Where first
place is shared there is a fifth: the tie is broken.
"""

from collections import defaultdict
from collections.abc import Iterator
from types import MappingProxyType

import numpy as np

from audit.domain import Dependence, Evaluation, Flag, ScoreKey, Sliced, Support, Verdict, WinnerChange
from audit.domain.arrays import Ints
from audit.flags.rules.macro_f1_rules import ranks_over_union
from audit.flags.rules.policy_rules import scores_as_wrong
from audit.flags.rules.slice_rules import VALUE_LIMIT
from audit.flags.winner_changes import changes_of
from audit.flags.wording import names, of, winners_by
from audit.metrics import BOTH_MACRO_F1, named_metric
from audit.ranking import published_scores, ranks_among
from audit.sentences import say
from audit.text import listed, plural, quoted

_CHOICES = MappingProxyType(
    {
        "winner-depends-on-macro-f1": "macro-f1",
        "winner-depends-on-prevalence": "prevalence",
        "winner-depends-on-metric": "metric",
        "slice-crowns-another": "slice",
    }
)
"""The choice whose row of the verdict may say the same as a finding, by the finding's slug."""

_SHOWN = 3
_PARTS_SHOWN = 5


def first_place(evaluation: Evaluation) -> tuple[Dependence, ...]:
    """The choices that the first place depends on, always in one order; none where nobody is first."""
    if not winners_by(evaluation, evaluation.task.ranking_metric):
        return ()
    rows = (_macro_f1, _metric, _prevalence, _class_set, _slices, _missing_items, _rounding)
    return tuple(dependence for row in rows for dependence in row(evaluation))


def is_said_by(verdict: Verdict, flag: Flag) -> bool:
    """Whether what the first place depends on says already that it changes, so that the finding need not.

    Without an official metric a finding is about every metric, and the verdict about the one that is shown.
    """
    states = (row.state for row in verdict.depends_on if row.choice == _CHOICES.get(flag.slug))
    return any(state not in {None, Support.HOLDS} for state in states)


def _dependence(choice: str, title: str, state: Support, first: str) -> Dependence:
    return Dependence(
        choice, title, state, first, say("place", choice=title, first=first, state=say(f"state-{state.value}"))
    )


def _macro_f1(evaluation: Evaluation) -> Iterator[Dependence]:
    for change in changes_of(evaluation):
        if change.kind == "macro-f1" and all(winners_by(evaluation, key) for key in change.keys):
            yield _dependence("macro-f1", "Macro F1 formula", change.support, _winners_of_change(evaluation, change))


def _prevalence(evaluation: Evaluation) -> Iterator[Dependence]:
    key, title = evaluation.task.ranking_metric, "Class distribution"
    if not named_metric(key.metric, evaluation.task.label_set).moves_with(int(evaluation.present.sum())):
        first = names(evaluation, winners_by(evaluation, key), limit=_SHOWN)
        whatever = f"{first} whatever it is, as {of(evaluation, ScoreKey(key.metric))} does not depend on it"
        yield Dependence("prevalence", title, None, whatever, say("place-unmoved", choice=title, first=whatever))
        return
    for change in changes_of(evaluation):
        if change.kind == "prevalence" and all(winners_by(evaluation, key) for key in change.keys):
            yield _dependence("prevalence", title, change.support, _winners_of_change(evaluation, change))


def _winners_of_change(evaluation: Evaluation, change: WinnerChange) -> str:
    """The winners on both sides of a change, in words: by both scores, or by each."""
    one, other = (names(evaluation, winners, limit=_SHOWN) for winners in change.winners)
    by = [of(evaluation, key) for key in change.keys]
    return f"{one} by {by[0]} and by {by[1]}" if one == other else f"{one} by {by[0]}, {other} by {by[1]}"


def _metric(evaluation: Evaluation) -> Iterator[Dependence]:
    """The winners by the other metrics; metrics with the same winners and the same support stand together."""
    groups: dict[tuple[Support, tuple[int, ...]], list[ScoreKey]] = defaultdict(list)
    ranking, n_tried = evaluation.task.ranking_metric, 0
    for change in changes_of(evaluation):
        other = change.keys[1]
        if change.kind != "metric" or _is_both_macro_f1(ranking, other) or not winners_by(evaluation, other):
            continue
        n_tried += 1
        groups[change.support, change.winners[1]].append(other)
    order = sorted(groups.items(), key=lambda group: list(Support).index(group[0][0]))
    for (support, winners), keys in order:
        by = listed([of(evaluation, key) for key in keys])
        by = f"each of {plural(n_tried, 'other metric')}" if len(keys) == n_tried > 1 else by
        yield _dependence("metric", "Metric", support, f"{names(evaluation, winners, limit=_SHOWN)} by {by}")


def _is_both_macro_f1(ranking: ScoreKey, other: ScoreKey) -> bool:
    """Whether the two are the two macro F1s, which have a row of their own."""
    return {ranking.metric, other.metric} == set(BOTH_MACRO_F1)


def _class_set(evaluation: Evaluation) -> Iterator[Dependence]:
    """The class set, where it moves anybody in a ranking by averaged F1."""
    key = ScoreKey(BOTH_MACRO_F1[0])
    other = ranks_over_union(evaluation)
    if evaluation.task.ranking_metric != key or (other == evaluation.ranks_of(key))[evaluation.competing].all():
        return
    yield _other_ranks(evaluation, "class-set", "Class set", other, "over the union of gold and predicted labels")


def _slices(evaluation: Evaluation) -> Iterator[Dependence]:
    """The winners of the parts of the test set; parts with the same winners and support stand together."""
    first = winners_by(evaluation, evaluation.task.ranking_metric)
    for sliced in evaluation.slices:
        column, alike = quoted(sliced.column, VALUE_LIMIT), defaultdict(list)
        for part in sliced.slices:
            if part.support is not None:
                alike[part.support, part.verdict.winners if part.crowns_another else first].append(part.value)
        for support, winners in sorted(alike, key=lambda each: list(Support).index(each[0])):
            values = alike[support, winners]
            where = listed([quoted(value, VALUE_LIMIT) for value in values], limit=_PARTS_SHOWN)
            where = f"each of {len(values)} parts" if len(values) == len(sliced.slices) else where
            yield _dependence(
                "slice", "Slice", support, f"{names(evaluation, winners, limit=_SHOWN)} in {where} by {column}"
            )
        yield from _mean_of_slices(evaluation, sliced)


def _mean_of_slices(evaluation: Evaluation, sliced: Sliced) -> Iterator[Dependence]:
    """The mean of the slices, where it is defined."""
    row = evaluation.row(evaluation.task.ranking_metric)
    undefined = np.isnan(sliced.macro[row])
    if not undefined[evaluation.competing].all():
        how = f"by the mean of the slices by {quoted(sliced.column, VALUE_LIMIT)}"
        yield _other_ranks(evaluation, "slice", "Slice", np.where(undefined, 0, sliced.macro_ranks[row]), how)


def _missing_items(evaluation: Evaluation) -> Iterator[Dependence]:
    """Missing items, where scores leave them out."""
    if not evaluation.whole.all():
        goodness = evaluation.goodness(evaluation.task.ranking_metric, scores_as_wrong(evaluation))
        other = ranks_among(goodness[None], evaluation.competing)[0]
        yield _other_ranks(evaluation, "missing-items", "Missing items", other, "with missing items as wrong")


def _other_ranks(evaluation: Evaluation, choice: str, title: str, ranks: Ints, how: str) -> Dependence:
    """The change of the first place under other ranks, which no procedure compares."""
    first = tuple(np.flatnonzero((ranks == 1) & evaluation.competing).tolist())
    winners = winners_by(evaluation, evaluation.task.ranking_metric)
    holds, kept = first == winners, set(first) & set(winners)
    state = Support.HOLDS if kept.issuperset(winners) else Support.TIE_BROKEN if kept else Support.NOT_TESTED
    return _dependence(
        choice, title, state, f"{names(evaluation, first, limit=_SHOWN)} {how}{', too' if holds else ''}"
    )


def _rounding(evaluation: Evaluation) -> Iterator[Dependence]:
    """Whether the first place is shared, and whether printed scores show it."""
    key, decimals = evaluation.task.ranking_metric, evaluation.task.printed_decimals
    scores, title = evaluation.scores_of(key), "Ties and rounding"
    goodness = evaluation.goodness(key, published_scores(evaluation))
    printed = ranks_among(goodness[None], evaluation.competing)[0]
    first = tuple(np.flatnonzero((printed == 1) & evaluation.competing & ~np.isnan(scores)).tolist())
    winners = winners_by(evaluation, key)
    rounded = f"with scores rounded to {plural(decimals, 'decimal')}"
    if set(first) >= set(winners) and len(first) > 1:
        shared, how = (winners, "on full precision") if len(winners) > 1 else (first, rounded)
        sentence = f"{names(evaluation, shared)} share first place {how}"
        yield Dependence("rounding", title, None, sentence, say("place-shared", choice=title, first=sentence))
    elif first != winners:
        yield _other_ranks(evaluation, "rounding", title, printed, rounded)
    else:
        yield _dependence("rounding", title, Support.HOLDS, f"{names(evaluation, winners)} also {rounded}")
