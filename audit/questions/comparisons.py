"""Flags about what the test set can tell: who could be best, who is separable from whom, and what is too uncertain."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from audit.domain import BALANCED, OBSERVED, Comparison, Evaluation, ScoreKey, Severity, State, WinnerChange
from audit.inference.relation import MOST_TESTED, winner_changes
from audit.metrics import metric_name, metric_of
from audit.questions.flag_kind import Fired, flag
from audit.questions.power_sentences import power_of, short, typical
from audit.questions.wording import (
    AVERAGED,
    OF_AVERAGES,
    as_shown,
    beyond,
    entrant,
    entrants,
    groups_of,
    have,
    name,
    names,
    of,
    plain_names,
    winners_by,
)
from audit.ranking.ranks import TIE_TOLERANCE
from audit.sentences import say
from audit.text import agreeing, listed, number, plural, quoted

RULES_PLACE = 60


def changes_of(evaluation: Evaluation) -> tuple[WinnerChange, ...]:
    """The changes of winner by each other choice; untested where the certainty was left out."""
    if evaluation.certainty is not None:
        return evaluation.certainty.changes
    return winner_changes(evaluation, lambda _: None)


def state_between(evaluation: Evaluation, one: ScoreKey, other: ScoreKey) -> State:
    """What the choice between two scores makes of the first place."""
    states = (change.state for change in changes_of(evaluation) if set(change.keys) == {one, other})
    return next(states, State.NOT_TESTED)


def change_clause(evaluation: Evaluation, one: ScoreKey, other: ScoreKey) -> str:
    """Whether the test set shows the change of winner between two scores, as part of a sentence."""
    return say(f"change-{state_between(evaluation, one, other)}")


def why_untested(evaluation: Evaluation, *keys: ScoreKey) -> str:
    """Why the choice between scores was not tested, in words."""
    if evaluation.certainty is None:
        return "the certainty was left out"
    if any(metric_of(key.metric, evaluation.task.label_set).of_ranks for key in keys):
        return "a mean of ranks is compared with none"
    if int(evaluation.comparable.sum()) > MOST_TESTED:
        return f"of more than {MOST_TESTED} {entrant(evaluation)}s only the official metric is compared"
    return "one of the first is compared with nobody by this score"


FEWEST_GROUPS = 20
FAR_LESS = 10  # a difference so many times smaller than what the test set detects has no business in a printed order
WIDE = 0.3
_SHOWN = 5


def comparison_of(evaluation: Evaluation, key: ScoreKey) -> Comparison | None:
    """The comparison of all pairs by a metric, where it was made and can decide anything."""
    comparison = evaluation.certainty.comparison(key) if evaluation.certainty else None
    return comparison if comparison and not undecided(evaluation, comparison) else None


def family_of(evaluation: Evaluation, comparison: Comparison) -> list[int]:
    """The entries that were compared in pairs, best first: those comparable, with an influence function."""
    is_compared = evaluation.comparable & ~np.isnan(np.diagonal(comparison.standard_error))
    return [team for team in evaluation.order(comparison.key) if is_compared[team]]


def undecided(evaluation: Evaluation, comparison: Comparison) -> str:
    """Why a comparison decides nothing, in words; nothing where it can."""
    n_comparable = int(evaluation.comparable.sum())
    if n_comparable < 2:  # noqa: PLR2004 - a pair
        return f"there {agreeing(n_comparable, 'is', 'are')} {entrants(evaluation, n_comparable)} to compare"
    if evaluation.certainty is not None and evaluation.certainty.n_groups == 1:
        return "all items are of one group"
    goodness = evaluation.goodness_of(comparison.key)[evaluation.comparable]
    goodness = goodness[~np.isnan(goodness)]
    if len(goodness) < 2:  # noqa: PLR2004 - a pair
        return "fewer than two have a defined score"
    if goodness.max() <= TIE_TOLERANCE:
        return f"nobody has a score {beyond(evaluation, comparison.key)} {evaluation.goodness(comparison.key, 0.0):g}"
    if len(family_of(evaluation, comparison)) < 2:  # noqa: PLR2004 - a pair
        return "a product of recalls that is 0 has no influence function"
    return "no answer can move any difference" if np.isnan(comparison.critical_value) else ""


def ranking_comparison(evaluation: Evaluation) -> Comparison | None:
    """The comparison by the ranking metric; None where the certainty was left out, or nothing could be decided."""
    return comparison_of(evaluation, evaluation.task.ranking_metric)


@flag(
    "macro-f1-flip-supported",
    "Pairs of teams turn round between the two macro F1s, and the test set shows both",
    Severity.ORDER,
    "certainty",
    say("rule-flip", one="under averaged F1", other="under F1 of averages"),
)
def macro_f1_flip_supported(evaluation: Evaluation) -> Fired | None:
    """Whether the test set separates two teams one way by one macro F1 and the other way by the other."""
    return _supported(evaluation, _MACRO_F1)


@flag(
    "prevalence-flip-supported",
    "Pairs of teams turn round between observed and balanced prevalence, and the test set shows both",
    Severity.ORDER,
    "certainty",
    say("rule-flip", one="by the ranking metric at observed prevalence", other="at balanced prevalence"),
)
def prevalence_flip_supported(evaluation: Evaluation) -> Fired | None:
    """Whether the test set separates two teams one way at observed and the other way at balanced prevalence."""
    return _supported(evaluation, _prevalence(evaluation))


@dataclass(frozen=True)
class _Choice:
    """A choice on which the order of teams can turn: which macro F1, or which prevalence."""

    between: str  # the two sides, in words
    by: tuple[str, str]  # each side, as it stands behind “ahead”
    keys: tuple[ScoreKey, ScoreKey]  # each side's score


_MACRO_F1 = _Choice("the two macro F1s", ("by averaged F1", "by F1 of averages"), (AVERAGED, OF_AVERAGES))


def _prevalence(evaluation: Evaluation) -> _Choice:
    metric = evaluation.task.ranking_metric.metric
    keys = ScoreKey(metric, OBSERVED.name), ScoreKey(metric, BALANCED.name)
    by = of(evaluation, keys[0])
    sides = (f"by {by} at observed prevalence", f"by {by} at balanced prevalence")
    return _Choice("observed and balanced prevalence", sides, keys)


def _flips(evaluation: Evaluation, choice: _Choice) -> list[list[int]]:
    """Pairs [a, b] with a separably ahead of b on the one side, and b of a on the other.

    Those of the winners are left out where the change of winner is a finding of its own.
    """
    one, other = (comparison_of(evaluation, key) for key in choice.keys)
    if one is None or other is None:
        return []
    pairs: list[list[int]] = np.argwhere(one.ahead & other.ahead.T).tolist()
    if state_between(evaluation, *choice.keys) is not State.OTHER_SHOWN:
        return pairs
    first, second = (winners_by(evaluation, key) for key in choice.keys)
    return [[above, below] for above, below in pairs if above not in first or below not in second]


def _supported(evaluation: Evaluation, choice: _Choice) -> Fired | None:
    """The flag that the test set separates two teams one way on one side and the other way on the other."""
    flips = _flips(evaluation, choice)
    if not flips:
        return None
    return Fired(
        sentence=_flip_sentence(evaluation, choice, flips),
        remedy="Which of the two is meant decides; state it.",
        paper=say("flips-paper", n=plural(len(flips), "pair"), between=choice.between),
        evidence={"pairs": [plain_names(evaluation, flip) for flip in flips]},
    )


def _flip_sentence(evaluation: Evaluation, choice: _Choice, flips: list[list[int]]) -> str:
    """A sentence that says who of each pair is ahead by which of two scores."""
    one, other = choice.by
    if len(flips) == 1:
        above, below = (name(evaluation, team) for team in flips[0])
        return say("flips-one", between=choice.between, above=above, below=below, one=one, other=other)
    shown = [f"{name(evaluation, above)} – {name(evaluation, below)}" for above, below in flips]
    return say(
        "flips-several", between=choice.between, n=f"{len(flips):,}", one=one, other=other, pairs=_with_more(shown)
    )


def _with_more(shown: list[str]) -> str:
    return "; ".join(shown[:_SHOWN]) + (f"; and {len(shown) - _SHOWN:,} more" if len(shown) > _SHOWN else "")


@flag(
    "several-could-be-best",
    "Several teams could be best",
    Severity.NOTE,
    "certainty",
    say("rule-several-could-be-best"),
)
def several_could_be_best(evaluation: Evaluation) -> Fired | None:
    """Whether the data leave open which entry is the best."""
    comparison = ranking_comparison(evaluation)
    if comparison is None or len(comparison.contenders) < 2:  # noqa: PLR2004 - one is the best
        return None
    teams = [team for team in evaluation.order(comparison.key) if comparison.could_be_best[team]]
    by, n_teams = of(evaluation, comparison.key), entrants(evaluation, len(teams))
    return Fired(
        sentence=say("could-be-best", teams=n_teams, metric=by, names=names(evaluation, teams, limit=8)),
        remedy=say("remedy-several"),
        paper=say("could-be-best-paper", metric=by, teams=plural(len(teams), "system")),
        evidence={
            "metric": str(comparison.key),
            "first": None if comparison.leader is None else evaluation.names[comparison.leader],
            "teams": [
                {
                    "team": evaluation.names[team],
                    "possible_ranks": comparison.possible_ranks[team].tolist(),
                    "adjusted_p": _p_against_the_first(comparison, team),
                }
                for team in teams
            ],
        },
    )


def _p_against_the_first(comparison: Comparison, team: int) -> float | None:
    leader = comparison.leader
    return None if leader is None or team == leader else float(comparison.adjusted_p[leader, team])


@flag(
    "no-adjacent-pair-separable",
    "No team is shown to be ahead of the next",
    Severity.NOTE,
    "certainty",
    say("rule-no-adjacent-pair-separable"),
)
def no_adjacent_pair_separable(evaluation: Evaluation) -> Fired | None:
    """Whether no team is separable from the one ranked next."""
    comparison = ranking_comparison(evaluation)
    order = [] if comparison is None else family_of(evaluation, comparison)
    if comparison is None or len(order) < 3:  # noqa: PLR2004 - two teams have one pair
        return None
    if comparison.ahead[order[:-1], order[1:]].any():
        return None
    pairs = plural(len(order) - 1, "pair")
    return Fired(
        sentence=say(
            "no-pair-of-neighbours", entrant=entrant(evaluation), pairs=pairs, metric=of(evaluation, comparison.key)
        ),
        remedy=say("remedy-neighbours"),
        paper=say("no-pair-of-neighbours-paper"),
        evidence={"metric": str(comparison.key), "adjacent_pairs": len(order) - 1},
    )


@flag(
    "decimals-below-detection",
    "Printed differences far below what the test set detects",
    Severity.NOTE,
    "power",
    say("rule-decimals-below-detection"),
)
def decimals_below_detection(evaluation: Evaluation) -> Fired | None:
    """Whether neighbours have different printed scores by far less than this test set detects."""
    comparison, power = ranking_comparison(evaluation), power_of(evaluation, evaluation.task.ranking_metric)
    if comparison is None or power is None:
        return None
    half, likely = typical(evaluation, power)
    teams, scores = family_of(evaluation, comparison), evaluation.scores_of(comparison.key)
    goodness = evaluation.goodness_of(comparison.key)
    decimals = evaluation.task.printed_decimals
    apart = [
        (above, below)
        for above, below in pairwise(teams)
        if goodness[above] - goodness[below] < likely / FAR_LESS
        and number(scores[above], decimals) != number(scores[below], decimals)
    ]
    if not apart:
        return None
    shown = [f"{name(evaluation, above)} – {name(evaluation, below)}" for above, below in apart]
    return Fired(
        sentence=say(
            "decimals-below-detection",
            pairs=f"{len(apart):,} of {plural(len(teams) - 1, 'pair')}",
            verb=agreeing(len(apart), "has", "have"),
            shown=as_shown(evaluation),
            metric=of(evaluation, comparison.key),
            likely=short(likely),
            names=_with_more(shown),
        ),
        remedy=say("remedy-decimals"),
        paper=say("decimals-below-detection-paper", half=short(half), likely=short(likely)),
        evidence={
            "metric": str(comparison.key),
            "found_half_the_time": half,
            "found_80_percent_of_the_time": likely,
            "decimals": decimals,
            "neighbours": [
                {"teams": plain_names(evaluation, pair), "difference": float(goodness[pair[0]] - goodness[pair[1]])}
                for pair in apart
            ],
        },
    )


def _wide_recalls(evaluation: Evaluation) -> list[tuple[int, float]]:
    """Classes with the median team's width of the interval of their recall, where that is too wide; widest first."""
    if evaluation.certainty is None or evaluation.certainty.n_groups == 1:
        return []
    intervals, labels = evaluation.certainty.intervals, evaluation.task.label_set
    codes = np.flatnonzero(evaluation.present).tolist()
    rows = [evaluation.row(ScoreKey(metric_name("recall", (code,), labels))) for code in codes]
    teams = evaluation.comparable | ~evaluation.comparable.any()
    widths = np.median((intervals.upper[rows] - intervals.lower[rows])[:, teams], axis=1)
    return [(codes[row], float(widths[row])) for row in np.argsort(-widths, kind="stable") if widths[row] > WIDE]


@flag(
    "too-few-gold-items",
    "Too few gold items for a claim about a class",
    Severity.NOTE,
    "classes",
    say("rule-too-few-gold-items"),
)
def too_few_gold_items(evaluation: Evaluation) -> Fired | None:
    """The classes that have recall intervals too wide for a claim."""
    wide = _wide_recalls(evaluation)
    if not wide:
        return None
    label_set, counts = evaluation.task.label_set, evaluation.prevalence_counts
    clauses = [f"{quoted(label_set.named[code], 30)} ({number(width, 2)} wide)" for code, width in wide]
    classes = have(len(wide), "class", "classes")
    return Fired(
        sentence=say(
            "wide-recall",
            classes=classes,
            entrant=entrant(evaluation),
            wide=number(WIDE, 1),
            names=listed(clauses, limit=_SHOWN),
        ),
        remedy=say("remedy-wide-recall"),
        paper=say("wide-recall-paper", classes=plural(len(wide), "class", "classes")),
        evidence={
            "classes": [
                {"label": label_set.labels[code], "gold_items": int(counts[code]), "width": width}
                for code, width in wide
            ]
        },
    )


@flag("few-groups", "Too few groups", Severity.NOTE, "certainty", say("rule-few-groups"))
def few_groups(evaluation: Evaluation) -> Fired | None:
    """Whether groups are too few, or too unequal, for intervals and comparisons to be exact."""
    n_groups = evaluation.certainty.n_groups if evaluation.certainty else None
    even_groups = evaluation.certainty.even_groups if evaluation.certainty else None
    if n_groups is None or even_groups is None or round(even_groups) >= FEWEST_GROUPS:
        return None
    groups, alone = groups_of(evaluation, n_groups), n_groups == 1
    if round(even_groups) < n_groups:
        groups += f", which tell as much as {max(1, round(even_groups))} of one size"
    return Fired(
        sentence=say("one-group") if alone else say("few-groups", groups=groups, fewest=FEWEST_GROUPS),
        remedy=say("remedy-few-groups"),
        paper=say("one-group") if alone else say("few-groups-paper", groups=groups),
        evidence={"groups": n_groups, "groups_of_one_size": even_groups},
    )
