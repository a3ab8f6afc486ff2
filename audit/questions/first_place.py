"""What the first place depends on: the macro F1 formula, the metric, the class distribution, the class set, rounding.

Where columns of gold cut the test set, it depends on the parts, too. Each choice has one of five states: the same, and
shown; the same, not shown; another first, not shown; another first, shown; not tested, with the reason.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from audit.domain import Dependence, Evaluation, Flag, ScoreKey, State, Verdict, WinnerChange
from audit.inference.relation import state_of
from audit.metrics import BOTH_MACRO_F1, named_metric
from audit.questions.comparisons import STATES, changes_of, comparison_of, firsts_of, why_untested
from audit.questions.macro_f1 import ranks_over_union
from audit.questions.policies import first_by_scores, scores_as_wrong
from audit.questions.winner_changes import CHOICES
from audit.questions.wording import VALUE_LIMIT, entrant, names, of, winners_by
from audit.ranking.ranks import published_scores
from audit.sentences import say
from audit.text import listed, plural, quoted, sentence_case

_SHOWN = 3
_NAMED = 3  # beyond so many other metrics only those in the worst state are named
_LISTED = 5  # of metrics with the same first, and of parts


def first_place(evaluation: Evaluation) -> tuple[Dependence, ...]:
    """The choices that the first place depends on, always in one order; none where nobody is first."""
    if not winners_by(evaluation, evaluation.task.ranking_metric):
        return ()
    return (
        *_macro_f1(evaluation),
        *_of_changes(evaluation, "metric", "Metric"),
        *_of_changes(evaluation, "scale", "Order of the labels"),
        *_prevalence(evaluation),
        *_class_set(evaluation),
        *_slices(evaluation),
        *_missing_items(evaluation),
        *_rounding(evaluation),
    )


def said_of(evaluation: Evaluation, choice: str) -> tuple[str, ...]:
    """What the verdict says of one choice, a sentence for each state; none where nobody is first, or it has no say."""
    rows = (row for row in first_place(evaluation) if row.choice == choice)
    return tuple(f"{sentence_case(say(STATES[row.state]))}: {row.first}." for row in rows)


def is_said_by(verdict: Verdict, flag: Flag) -> bool:
    """Whether what the first place depends on says already that it changes, so that the finding need not."""
    states = (row.state for row in verdict.depends_on if row.choice == CHOICES.get(flag.slug))
    return any(not state.is_same for state in states)


def _dependence(choice: str, title: str, state: State, first: str, reason: str = "") -> Dependence:
    """A choice in words; the reason is said only where nothing was tested."""
    reason = reason if state is State.NOT_TESTED else ""
    because = f" ({reason})" if reason else ""
    sentence = say(f"{title}: {say(STATES[state]) + because}: {first}.")
    return Dependence(choice, title, state, first, sentence, reason)


def _macro_f1(evaluation: Evaluation) -> Iterator[Dependence]:
    """The choice between the two formulas, unless both crown the same, who is not first by the ranking metric."""
    first = set(winners_by(evaluation, evaluation.task.ranking_metric))
    winners = (map(set, change.winners) for change in changes_of(evaluation) if change.kind == "macro-f1")
    if not any(one == other != first for one, other in winners):
        ranks = evaluation.task.ranking_metric.metric in BOTH_MACRO_F1
        yield from _of_changes(evaluation, "macro-f1", "Macro F1 formula" if ranks else "Macro F1, if it ranked")


def _prevalence(evaluation: Evaluation) -> Iterator[Dependence]:
    key, title = evaluation.task.ranking_metric, "Class distribution"
    if named_metric(key.metric, evaluation.task.label_set).moves_with(int(evaluation.present.sum())):
        yield from _of_changes(evaluation, "prevalence", title)
        return
    winners, metric = winners_by(evaluation, key), of(evaluation, ScoreKey(key.metric))
    first = f"{names(evaluation, winners, limit=_SHOWN)} whatever it is ({metric} does not depend on it)"
    yield _dependence("prevalence", title, _state(evaluation, winners), first, why_untested(evaluation, key))


def _state(evaluation: Evaluation, first: Sequence[int]) -> State:
    """The state of a first place by the ranking metric that some choice gives to others, or to the same."""
    key = evaluation.task.ranking_metric
    comparison = comparison_of(evaluation, key)
    return state_of((winners_by(evaluation, key), first), (comparison, comparison))


def _of_changes(evaluation: Evaluation, kind: str, title: str) -> Iterator[Dependence]:
    """The worst state that the choices of a kind make, with those who are first there; the others are counted."""
    changes = [
        change
        for change in changes_of(evaluation)
        if change.kind == kind and all(winners_by(evaluation, key) for key in change.keys)
    ]
    if changes:
        state = min((change.state for change in changes), key=list(State).index)
        of_two = kind in {"macro-f1", "prevalence"}
        first = _winners_of_change(evaluation, changes[0]) if of_two else _by_metrics(evaluation, changes, state)
        yield _dependence(kind, title, state, first, why_untested(evaluation, *changes[0].keys))


def _winners_of_change(evaluation: Evaluation, change: WinnerChange) -> str:
    """The winners on both sides of a change, in words: by both scores, or by each."""
    one, other = (names(evaluation, winners, limit=_SHOWN) for winners in change.winners)
    by = [of(evaluation, key) for key in change.keys]
    if set(change.winners[0]) == set(change.winners[1]):
        others = set(change.could_be_best) - set(change.winners[1])
        n_others = plural(len(others), f"other {entrant(evaluation)}")
        beside = say(f", where {n_others} could be best, too") if others else ""
        return f"{one} by {by[0]} and by {by[1]}{beside if change.state is State.SAME_NOT_SHOWN else ''}"
    return f"{one} by {by[0]}, {other} by {by[1]}"


def _by_metrics(evaluation: Evaluation, changes: Sequence[WinnerChange], worst: State) -> str:
    """Who is first by which of the other metrics; where there are many, those of the worst state, the rest counted."""
    left_out = f"scores of single {evaluation.task.label_set.nouns} left out"
    every = f"{plural(len(changes), 'other metric')} ({left_out})"
    if all(set(change.winners[0]) == set(change.winners[1]) for change in changes):
        n_shown = sum(change.state is State.SAME_SHOWN for change in changes)
        shown = f", shown by {n_shown} of them" if 0 < n_shown < len(changes) else ""
        first = names(evaluation, changes[0].winners[1], limit=_SHOWN)
        return f"{first} by {'each of ' if len(changes) > 1 else ''}{every}{shown}"
    named = [change for change in changes if change.state is worst or len(changes) <= _NAMED]
    rest = Counter(change.state for change in changes if change not in named)
    n_same = sum(count for state, count in rest.items() if state.is_same)
    more = {state: count for state, count in rest.items() if not state.is_same}
    others = [f"by {plural(more[state], 'more metric')} {say(STATES[state])}" for state in State if state in more]
    clauses = firsts_of(evaluation, named, _LISTED)
    return "; ".join([*clauses, *others, *([f"the same first by {n_same} of {every}"] if n_same else [])])


def _class_set(evaluation: Evaluation) -> Iterator[Dependence]:
    """The class set, where it moves anybody in a ranking by averaged F1."""
    key, other = ScoreKey(BOTH_MACRO_F1[0]), ranks_over_union(evaluation)
    if evaluation.task.ranking_metric != key or (other == evaluation.ranks_of(key))[evaluation.contending].all():
        return
    title, how = evaluation.task.label_set.worded("Class set"), "over the union of gold and predicted labels"
    yield _other_first(evaluation, "class-set", title, evaluation.first_by(other), how)


def _slices(evaluation: Evaluation) -> Iterator[Dependence]:
    """The winners of the parts of the test set; parts with the same winners and state stand together."""
    key = evaluation.task.ranking_metric
    for sliced in evaluation.slices:
        column, alike = quoted(sliced.column, VALUE_LIMIT), defaultdict(list)
        for part in sliced.slices:
            if part.state is not None:
                alike[part.state, part.verdict.winners].append(part.value)
        for state, winners in sorted(alike, key=lambda each: list(State).index(each[0])):
            values = alike[state, winners]
            where = listed([quoted(value, VALUE_LIMIT) for value in values], limit=_LISTED)
            where = f"each of {len(values)} parts" if len(values) == len(sliced.slices) else where
            first = f"{names(evaluation, winners, limit=_SHOWN)} in {where} by {column}"
            yield _dependence("slice", "Slice", state, first, why_untested(evaluation, key))
        row = evaluation.row(evaluation.task.ranking_metric)
        undefined = np.isnan(sliced.macro[row])
        if not undefined[evaluation.contending].all():
            how = f"by the mean of the slices by {quoted(sliced.column, VALUE_LIMIT)}"
            by_mean = evaluation.first_by(np.where(undefined, 0, sliced.macro_ranks[row]))
            yield _other_first(evaluation, "slice", "Slice", by_mean, how, sliced.state)


def _missing_items(evaluation: Evaluation) -> Iterator[Dependence]:
    """Missing items, where scores leave them out."""
    if not evaluation.whole.all():
        first = first_by_scores(evaluation, scores_as_wrong(evaluation))
        yield _other_first(evaluation, "missing-items", "Missing items", first, "with missing items as wrong")


def _other_first(  # noqa: PLR0913, PLR0917 - whose, what is chosen, and what was tested
    evaluation: Evaluation, choice: str, title: str, first: Sequence[int], how: str, state: State | None = None
) -> Dependence:
    """Another choice's first place, and its state where pairs were compared by them."""
    state = state or evaluation.states_of_choices.get(choice, State.NOT_TESTED)
    reason = why_untested(evaluation, evaluation.task.ranking_metric)
    if choice == "slice" and evaluation.certainty and evaluation.gold.groups is not None:
        reason = "a group of items is in several of them"
    same = set(first) == set(winners_by(evaluation, evaluation.task.ranking_metric))
    text = f"{names(evaluation, first, limit=_SHOWN)} {how}{', too' if same else ''}"
    return _dependence(choice, title, state, text, reason)


def _rounding(evaluation: Evaluation) -> Iterator[Dependence]:
    """Who is first by printed scores; whether that is shown, by the scores on full precision."""
    key, decimals = evaluation.task.ranking_metric, evaluation.task.printed_decimals
    first = first_by_scores(evaluation, published_scores(evaluation))
    shared = " share first place" if len(first) > 1 else ""
    also = ", too" if set(first) == set(winners_by(evaluation, key)) else ""
    text = f"{names(evaluation, first)}{shared} with scores rounded to {plural(decimals, 'decimal')}{also}"
    yield _dependence("rounding", "Ties and rounding", _state(evaluation, first), text, why_untested(evaluation, key))
