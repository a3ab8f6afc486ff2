"""What the first place depends on: the macro F1 formula, the metric, the class distribution, the class set, rounding.

Where columns of gold cut the test set, it depends on the parts, too. Each choice has one of six states
(STATISTICS.md, section 4), and a row takes the most severe one of its choices.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from audit.domain import Dependence, Evaluation, Feature, ScoreKey, State, WinnerChange
from audit.findings.comparisons import changes_of, comparison_of, state_in_words, why_untested
from audit.findings.macro_f1 import ranks_over_union
from audit.findings.numbers_in_words import p_phrase
from audit.findings.policies import first_by_scores, scores_as_wrong
from audit.findings.power_sentences import short
from audit.findings.wording import VALUE_LIMIT, entrant, names, of, winners_by
from audit.inference.relation import state_of
from audit.metrics import BOTH_MACRO_F1, named_metric
from audit.ranking.ranks import published_scores
from audit.sentences import say
from audit.text import agreeing, in_words, listed, number, plural, quoted, sentence_case

_SHOWN = 3
_NAMED_METRICS = 2  # of one winner; more are counted
_LISTED = 5  # parts of the test set
_SIGNIFICANT = frozenset({State.SAME_SHOWN, State.OTHER_SHOWN, State.OTHER_SHOWN_THERE})
"""The states in which the winner is significantly ahead under the other choice."""


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
    return tuple(
        f"{sentence_case(state_in_words(row.state, choice))}: {row.first}." for row in rows
    )


def _dependence(choice: str, title: str, state: State, first: str, reason: str = "") -> Dependence:
    """A choice in words; the reason is said only where nothing was tested."""
    if state is not State.NOT_TESTED:
        reason = ""
    if reason:
        because = f" ({reason})"
    else:
        because = ""
    sentence = say(f"{title}: {state_in_words(state, choice) + because}: {first}.")
    return Dependence(choice, title, state, first, sentence, reason)


def _macro_f1(evaluation: Evaluation) -> Iterator[Dependence]:
    """The choice between the two formulas, unless both have one winner, who is not first by the ranking metric."""
    first = set(winners_by(evaluation, evaluation.task.ranking_metric))
    winners = (
        map(set, change.winners) for change in changes_of(evaluation) if change.kind == "macro-f1"
    )
    if not any(one == other != first for one, other in winners):
        ranks = evaluation.task.ranking_metric.metric in BOTH_MACRO_F1
        yield from _of_changes(
            evaluation, "macro-f1", "Macro F1 formula" if ranks else "If macro F1 ranked"
        )


def _prevalence(evaluation: Evaluation) -> Iterator[Dependence]:
    key = evaluation.task.ranking_metric
    title = "Class distribution"
    if not evaluation.task.label_set.supports(Feature.CLASSES):
        return
    if named_metric(key.metric, evaluation.task.label_set).moves_with(
        int(evaluation.present.sum())
    ):
        yield from _of_changes(evaluation, "prevalence", title)
        return
    winners = winners_by(evaluation, key)
    metric = of(evaluation, ScoreKey(key.metric))
    first = f"{_win(evaluation, winners)} under every one: {metric} does not depend on it"
    yield _dependence(
        "prevalence", title, _state(evaluation, winners), first, why_untested(evaluation, key)
    )


def _state(evaluation: Evaluation, first: Sequence[int]) -> State:
    """The state of a first place by the ranking metric that some choice gives to others, or to the same."""
    key = evaluation.task.ranking_metric
    comparison = comparison_of(evaluation, key)
    return state_of((winners_by(evaluation, key), first), (comparison, comparison))


def _of_changes(evaluation: Evaluation, kind: str, title: str) -> Iterator[Dependence]:
    """The most severe state of the choices of a kind, with who wins under each."""
    changes = [
        change
        for change in changes_of(evaluation)
        if change.kind == kind and all(winners_by(evaluation, key) for key in change.keys)
    ]
    if changes:
        state = min((change.state for change in changes), key=list(State).index)
        of_one = _winners_of_change(evaluation, changes[0])
        if len(changes) == 1:
            first = of_one
        else:
            first = _by_metrics(evaluation, changes)
        yield _dependence(kind, title, state, first, why_untested(evaluation, *changes[0].keys))


def _win(evaluation: Evaluation, winners: Sequence[int]) -> str:
    """Who wins, with the verb: “X wins”, or “X and Y tie for first place”."""
    return f"{names(evaluation, winners, limit=_SHOWN)} {agreeing(len(winners), 'wins', 'tie for first place')}"


def _winners_of_change(evaluation: Evaluation, change: WinnerChange) -> str:
    """Who wins under the second score of a change, and by how much over who wins under the first."""
    (official, other) = change.keys
    (first, there) = change.winners
    wins = f"{_win(evaluation, there)} under {of(evaluation, other)}"
    if set(first) <= set(there):
        rivals = set(change.could_be_best) - set(there)
        n_rivals = plural(len(rivals), f"other {entrant(evaluation)}")
        if rivals:
            beside = say(f"; {n_rivals} may be equally good or better there")
        else:
            beside = ""
        return f"{wins}, too{beside if change.state is State.SAME_NOT_SHOWN else ''}"
    scores = evaluation.scores_of(other)
    goodness = evaluation.goodness_of(other)
    passed = [team for team in first if team not in there]
    lead = float(goodness[there[0]] - goodness[passed].max())
    behind = names(evaluation, passed, limit=_SHOWN) + _p_of_lead(evaluation, change)
    if official != evaluation.task.ranking_metric:
        behind += (
            f", {agreeing(len(passed), 'who wins', 'who tie')} under {of(evaluation, official)}"
        )
    score = number(float(scores[there[0]]), evaluation.task.printed_decimals)
    return f"{wins} ({score}), {short(lead)} ahead of {behind}"


def _p_of_lead(evaluation: Evaluation, change: WinnerChange) -> str:
    """The adjusted p of the winner under the second score over the winner under the first; nothing where untested."""
    comparison = comparison_of(evaluation, change.keys[1])
    (first, there) = change.winners
    if change.state is State.NOT_TESTED or comparison is None or len(first) > 1 or len(there) > 1:
        return ""
    return say(f" (adjusted p {p_phrase(float(comparison.adjusted_p[there[0], first[0]]))})")


def _by_metrics(evaluation: Evaluation, changes: Sequence[WinnerChange]) -> str:
    """Under which of the other metrics each winner wins, or how many, and how many of these are significant."""
    alike: dict[tuple[int, ...], list[WinnerChange]] = defaultdict(list)
    for change in changes:
        alike[change.winners[1]].append(change)
    most_first = sorted(alike.items(), key=lambda group: -len(group[1]))
    is_tested = any(change.state is not State.NOT_TESTED for change in changes)
    clauses = []
    for winners, group in most_first:
        metrics = [of(evaluation, change.keys[1]) for change in group]
        if len(metrics) <= _NAMED_METRICS:
            under = listed(metrics)
        else:
            under = in_words(len(group))
        if is_tested:
            significance = _significantly(evaluation, group)
        else:
            significance = ""
        clauses.append(f"{_win(evaluation, winners)} under {under}{significance}")
    if len(clauses) == 1:
        winners, group = most_first[0]
        every = f"each of {in_words(len(group))} other metrics"
        if set(winners) == set(group[0].winners[0]):
            too = ", too"
        else:
            too = ""
        return f"{_win(evaluation, winners)} under {every}{too}{_significantly(evaluation, group) if is_tested else ''}"
    return f"of {in_words(len(changes))} other metrics, {'; '.join(clauses)}"


def _significantly(evaluation: Evaluation, changes: Sequence[WinnerChange]) -> str:
    """How many of some changes are significant under the second score, in parentheses, and which these are."""
    untested = [change for change in changes if change.state is State.NOT_TESTED]
    significant = [change for change in changes if change.state in _SIGNIFICANT]
    parts = []
    if significant:
        is_all = len(significant) == len(changes)
        if is_all and len(changes) > 1:
            count = "all"
        else:
            count = in_words(len(significant))
        by = listed([of(evaluation, change.keys[1]) for change in significant], limit=_SHOWN)
        parts.append("significantly" if len(changes) == 1 else f"{count} significantly")
        if is_all:
            parts[-1] += ""
        else:
            parts[-1] += f": {by}"
    if untested:
        parts.append(
            "not tested"
            if len(untested) == len(changes)
            else f"{in_words(len(untested))} not tested"
        )
    told = "; ".join(parts)
    if parts:
        return say(f" ({told})")
    return ""


def _class_set(evaluation: Evaluation) -> Iterator[Dependence]:
    """The class set, where it moves anybody in a ranking by macro-averaged F1."""
    key = ScoreKey(BOTH_MACRO_F1[0])
    if evaluation.task.ranking_metric != key:
        return
    other = ranks_over_union(evaluation)
    if (other == evaluation.ranks_of(key))[evaluation.contending].all():
        return
    title = evaluation.task.label_set.worded("Class set")
    how = "over the union of gold and predicted labels"
    yield _other_first(evaluation, "class-set", title, evaluation.first_by(other), how)


def _slices(evaluation: Evaluation) -> Iterator[Dependence]:
    """The winners of the parts of the test set; parts with the same winners and state stand together."""
    key = evaluation.task.ranking_metric
    for sliced in evaluation.slices:
        column = quoted(sliced.column, VALUE_LIMIT)
        alike = defaultdict(list)
        for part in sliced.slices:
            if part.state is not None:
                alike[part.state, part.verdict.winners].append(part.value)
        for state, winners in sorted(alike, key=lambda each: list(State).index(each[0])):
            values = alike[state, winners]
            where = listed([quoted(value, VALUE_LIMIT) for value in values], limit=_LISTED)
            if len(values) == len(sliced.slices):
                where = f"each of {len(values)} parts"
            first = f"{_win(evaluation, winners)} in {where} by {column}"
            yield _dependence("slice", "Slice", state, first, why_untested(evaluation, key))
        row = evaluation.row(evaluation.task.ranking_metric)
        undefined = np.isnan(sliced.macro[row])
        if not undefined[evaluation.contending].all():
            how = f"by the mean of the slices by {quoted(sliced.column, VALUE_LIMIT)}"
            by_mean = evaluation.first_by(np.where(undefined, 0, sliced.macro_ranks[row]))
            yield _other_first(evaluation, "slice", "Slice", by_mean, how, sliced.state)


def _missing_items(evaluation: Evaluation) -> Iterator[Dependence]:
    """Missing items, where scores leave them out."""
    if not evaluation.whole.all() and evaluation.task.label_set.supports(Feature.CLASSES):
        first = first_by_scores(evaluation, scores_as_wrong(evaluation))
        yield _other_first(
            evaluation, "missing-items", "Missing items", first, "with missing items as wrong"
        )


def _other_first(  # noqa: PLR0913, PLR0917 - whose, what is chosen, and what was tested
    evaluation: Evaluation,
    choice: str,
    title: str,
    first: Sequence[int],
    how: str,
    state: State | None = None,
) -> Dependence:
    """Another choice's first place, and its state where pairs were compared by them."""
    state = state or evaluation.states_of_choices.get(choice, State.NOT_TESTED)
    reason = why_untested(evaluation, evaluation.task.ranking_metric)
    if choice == "slice" and evaluation.certainty and evaluation.gold.groups is not None:
        reason = "a group of items is in several of them"
    same = set(first) == set(winners_by(evaluation, evaluation.task.ranking_metric))
    text = f"{_win(evaluation, first)} {how}{', too' if same else ''}"
    return _dependence(choice, title, state, text, reason)


def _rounding(evaluation: Evaluation) -> Iterator[Dependence]:
    """Who is first by printed scores; whether that is shown, by the scores on full precision."""
    key = evaluation.task.ranking_metric
    decimals = evaluation.task.printed_decimals
    first = first_by_scores(evaluation, published_scores(evaluation))
    if set(first) == set(winners_by(evaluation, key)):
        also = ", too"
    else:
        also = ""
    text = f"{_win(evaluation, first)} with scores rounded to {plural(decimals, 'decimal')}{also}"
    yield _dependence(
        "rounding",
        "Ties and rounding",
        _state(evaluation, first),
        text,
        why_untested(evaluation, key),
    )
