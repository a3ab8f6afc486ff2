"""Flags about what the test set can tell: which differences are significant, and what is too uncertain."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from audit.domain import (
    FAMILY_WISE_ERROR,
    Comparison,
    Evaluation,
    Feature,
    ScoreKey,
    Severity,
    State,
    WinnerChange,
)
from audit.findings.flag_kind import Fired, flag
from audit.findings.power_sentences import power_of, short, typical
from audit.findings.wording import (
    as_shown,
    beyond,
    entrant,
    entrants,
    groups_of,
    have,
    name,
    of,
    plain_names,
)
from audit.inference.relation import MOST_TESTED, winner_changes
from audit.metrics import metric_name, metric_of
from audit.ranking.ranks import TIE_TOLERANCE
from audit.sentences import say
from audit.text import agreeing, listed, number, plural, quoted
from audit.vocabulary import STATES, STATES_OF_PARTS, STATES_OF_RULES, STATES_OF_TRACKS

RULES_PLACE = 60


def state_in_words(state: State, choice: str = "metric") -> str:
    """What becomes of a first place under another choice: a metric, a part of the test set, or a rule for items."""
    if choice == "slice" and state in STATES_OF_PARTS:
        return say(STATES_OF_PARTS[state])
    if choice == "track" and state in STATES_OF_TRACKS:
        return say(STATES_OF_TRACKS[state])
    if choice in {"class-set", "missing-items", "overall-rule"} and state in STATES_OF_RULES:
        return say(STATES_OF_RULES[state])
    return say(STATES[state])


def changes_of(evaluation: Evaluation) -> tuple[WinnerChange, ...]:
    """The changes of winner by each other choice; untested where the certainty was left out."""
    if evaluation.certainty is not None:
        return evaluation.certainty.changes
    return winner_changes(evaluation, lambda _: None)


def state_between(evaluation: Evaluation, one: ScoreKey, other: ScoreKey) -> State:
    """What the choice between two scores makes of the first place."""
    states = (change.state for change in changes_of(evaluation) if set(change.keys) == {one, other})
    return next(states, State.NOT_TESTED)


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
# a difference so many times smaller than what the test set detects has no business in a printed order
FAR_LESS = 10
WIDE = 0.3
_SHOWN = 5


def comparison_of(evaluation: Evaluation, key: ScoreKey | None = None) -> Comparison | None:
    """The comparison of all pairs by a metric, or the ranking metric, where it was made and can decide anything."""
    certainty = evaluation.certainty
    if certainty:
        comparison = certainty.comparison(key or evaluation.task.ranking_metric)
    else:
        comparison = None
    if comparison and not undecided(evaluation, comparison):
        return comparison
    return None


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
    if goodness.max() <= TIE_TOLERANCE and evaluation.task.label_set.supports(Feature.CLASSES):
        return f"nobody has a score {beyond(evaluation, comparison.key)} {evaluation.goodness(comparison.key, 0.0):g}"
    if len(family_of(evaluation, comparison)) < 2:  # noqa: PLR2004 - a pair
        return "a product of recalls that is 0 has no influence function"
    return "no answer can move any difference" if np.isnan(comparison.critical_value) else ""


def _flips(kind: str, between: str) -> Callable[[Evaluation], Fired | None]:
    """The rule that two teams differ significantly one way on one side of a choice and the other way on the other.

    The pair of winners is left out where their change is a finding of its own.
    """

    def rule(evaluation: Evaluation) -> Fired | None:
        change = next((each for each in changes_of(evaluation) if each.kind == kind), None)
        if change:
            comparisons = [comparison_of(evaluation, key) for key in change.keys]
        else:
            comparisons = []
        if change is None or comparisons[0] is None or comparisons[1] is None:
            return None
        pairs: list[list[int]] = np.argwhere(comparisons[0].ahead & comparisons[1].ahead.T).tolist()
        if change.state is State.OTHER_SHOWN:
            pairs.remove([change.winners[0][0], change.winners[1][0]])
        if not pairs:
            return None
        return Fired(
            sentence=_flip_sentence(evaluation, between, change, pairs),
            remedy="State which of the two is meant: it decides the order of these pairs.",
            evidence={"pairs": [plain_names(evaluation, pair) for pair in pairs]},
        )

    return rule


def _flip_sentence(
    evaluation: Evaluation, between: str, change: WinnerChange, pairs: list[list[int]]
) -> str:
    one, other = (f"by {of(evaluation, key)}" for key in change.keys)
    if len(pairs) == 1:
        above, below = (name(evaluation, team) for team in pairs[0])
        return say(
            f"Between {between}, one pair changes order, significantly both times: {above} is significantly ahead of "
            f"{below} {one}, and {below} of {above} {other}."
        )
    shown = [f"{name(evaluation, above)} – {name(evaluation, below)}" for above, below in pairs]
    return say(
        f"Between {between}, {len(pairs):,} pairs change order, each significantly both times: the first of a pair is "
        f"significantly ahead {one}, the second {other} ({_with_more(shown)})."
    )


for _kind, _between, _one, _other in (
    ("macro-f1", "the two macro F1s", "under macro-averaged F1", "under F1 of averages"),
    (
        "prevalence",
        "the test set’s class distribution and balanced classes",
        "by the ranking metric as it stands",
        "with balanced classes",
    ),
):
    flag(
        f"{_kind}-flip-supported",
        f"Pairs of teams change order significantly between {_between}",
        Severity.ORDER,
        "ahead",
        f"Fires when, beside any change of winner, one team is significantly ahead of another {_one}, and the other of "
        f"it {_other}.",
    )(_flips(_kind, _between))


def _with_more(shown: list[str]) -> str:
    return "; ".join(shown[:_SHOWN]) + (
        f"; and {len(shown) - _SHOWN:,} more" if len(shown) > _SHOWN else ""
    )


@flag(
    "decimals-below-detection",
    "Printed differences far below what the test set detects",
    Severity.NOTE,
    "power",
)
def decimals_below_detection(evaluation: Evaluation) -> Fired | None:
    """Whether neighbours have different printed scores by far less than this test set detects.

    Fires when teams that stand next to each other by the ranking metric have different printed scores, although they
    differ by less than a tenth of the smallest difference that the test set detects with 80% power: (critical value +
    .84) × the median standard error over the pairs.
    """
    comparison = comparison_of(evaluation)
    power = power_of(evaluation, evaluation.task.ranking_metric)
    if comparison is None or power is None:
        return None
    half, likely = typical(evaluation, power)
    teams = family_of(evaluation, comparison)
    scores = evaluation.scores_of(comparison.key)
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
            f"{len(apart):,} of {plural(len(teams) - 1, 'pair')} of neighbours {agreeing(len(apart), 'has', 'have')} "
            f"different scores to {as_shown(evaluation)}, although they differ by less than a tenth of the smallest "
            f"difference that this test set detects with 80% power by {of(evaluation, comparison.key)} "
            f"({short(likely)}; median over the pairs, all pairs compared at once): {_with_more(shown)}."
        ),
        remedy=say(
            "Print fewer decimals or share the ranks (official_decimals in task.toml), and print intervals beside "
            "the scores."
        ),
        evidence={
            "metric": str(comparison.key),
            "found_half_the_time": half,
            "found_80_percent_of_the_time": likely,
            "decimals": decimals,
            "neighbours": [
                {
                    "teams": plain_names(evaluation, pair),
                    "difference": float(goodness[pair[0]] - goodness[pair[1]]),
                }
                for pair in apart
            ],
        },
    )


def _wide_recalls(evaluation: Evaluation) -> list[tuple[int, float]]:
    """Classes with the median team's width of the interval of their recall, where that is too wide; widest first."""
    if evaluation.certainty is None or evaluation.certainty.n_groups == 1:
        return []
    intervals = evaluation.certainty.intervals
    labels = evaluation.task.label_set
    codes = np.flatnonzero(evaluation.present).tolist()
    rows = [evaluation.row(ScoreKey(metric_name("recall", (code,), labels))) for code in codes]
    teams = evaluation.comparable | ~evaluation.comparable.any()
    widths = np.median((intervals.upper[rows] - intervals.lower[rows])[:, teams], axis=1)
    return [
        (codes[row], float(widths[row]))
        for row in np.argsort(-widths, kind="stable")
        if widths[row] > WIDE
    ]


@flag(
    "too-few-gold-items",
    "Too few gold items for a claim about a class",
    Severity.NOTE,
    "classes",
    needs=Feature.CLASSES,
)
def too_few_gold_items(evaluation: Evaluation) -> Fired | None:
    """The classes that have recall intervals too wide for a claim.

    Fires when the 95% interval of a class’s recall is wider than .3 for the median team.
    """
    wide = _wide_recalls(evaluation)
    if not wide:
        return None
    label_set = evaluation.task.label_set
    counts = evaluation.prevalence_counts
    clauses = [
        f"{quoted(label_set.named[code], 30)} ({number(width, 2)} wide)" for code, width in wide
    ]
    classes = have(len(wide), label_set.noun, label_set.nouns)
    return Fired(
        sentence=say(
            f"{classes} too few gold items for a claim: the median {entrant(evaluation)}’s 95% interval of recall "
            f"is wider than {number(WIDE, 1)}: {listed(clauses, limit=_SHOWN)}."
        ),
        remedy=label_set.worded(
            say("Do not compare teams on these classes; macro averages carry their uncertainty.")
        ),
        evidence={
            "classes": [
                {"label": label_set.labels[code], "gold_items": int(counts[code]), "width": width}
                for code, width in wide
            ]
        },
    )


_FEW_GROUPS = 12  # groups up to which only large differences among few teams are significant


def what_few_groups_decide(evaluation: Evaluation) -> str:
    """What can be significant where items come in few groups; nothing where they do not, or in one alone."""
    if evaluation.certainty:
        n_groups = evaluation.certainty.n_groups
    else:
        n_groups = None
    if n_groups is None or not 1 < n_groups <= _FEW_GROUPS:
        return ""
    groups = groups_of(evaluation, n_groups)
    smallest = 1 / 2 ** (n_groups - 1)
    if smallest > FAMILY_WISE_ERROR:
        p = number(smallest, 2 if smallest >= 0.1 else 3)  # noqa: PLR2004 - two digits, as every p
        return say(
            f"With {groups} no difference can be significant at 5%: the smallest possible p-value is {p}."
        )
    return say(f"With {groups} only large differences among few teams can be significant.")


@flag("few-groups", "Too few groups", Severity.NOTE, "ranking")
def few_groups(evaluation: Evaluation) -> Fired | None:
    """Whether groups are too few, or too unequal, for exact intervals, or for any difference to be significant.

    Fires when items come in fewer than 20 groups of one size: intervals are then rough. With fewer than 6 no difference
    can be significant, with 6 to 12 only large ones among few teams.
    """
    if evaluation.certainty:
        n_groups = evaluation.certainty.n_groups
    else:
        n_groups = None
    if evaluation.certainty:
        even_groups = evaluation.certainty.even_groups
    else:
        even_groups = None
    if n_groups is None or even_groups is None or round(even_groups) >= FEWEST_GROUPS:
        return None
    groups = groups_of(evaluation, n_groups)
    alone = n_groups == 1
    decided = what_few_groups_decide(evaluation)
    if round(even_groups) < n_groups:
        groups += f", which tell as much as {max(1, round(even_groups))} of one size"
    of_few = say(
        f"Items come in {groups}. With fewer than {FEWEST_GROUPS} of one size, intervals of scores are rather too "
        "short."
    )
    of_few = " ".join(filter(None, (of_few, decided)))
    return Fired(
        sentence=say("All items are of one group: there is no interval and no comparison.")
        if alone
        else of_few,
        remedy=say(
            "Take intervals to be somewhat wider than printed, and do not publish a decision that hangs on them."
        ),
        evidence={"groups": n_groups, "groups_of_one_size": even_groups},
    )
