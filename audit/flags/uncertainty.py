"""Flags about what the test set can support: who is separable from whom, and what is too uncertain for a claim."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from audit.domain import BALANCED, OBSERVED, Comparison, Evaluation, Flag, ScoreKey, Severity
from audit.flags.macro_f1 import AVERAGED, OF_AVERAGES
from audit.flags.wording import as_shown, have, name, names, of, plain_names, share_of_replicates, verb
from audit.metrics import metric_name
from audit.text import listed, number, plural, quoted, sentence_case

FEWEST_GROUPS = 20
FAR_LESS = 10
"""A difference so many times smaller than what can be resolved has no business in a printed order."""
WIDE = 0.3
_FAMILY = "all pairs compared at once, family-wise error 5%"
_SHOWN = 5


def comparison_of(evaluation: Evaluation, key: ScoreKey) -> Comparison | None:
    """The simultaneous comparison of the teams by a metric, where there is one."""
    comparisons = evaluation.uncertainty.comparisons if evaluation.uncertainty else ()
    return next((comparison for comparison in comparisons if comparison.key == key), None)


def _official(evaluation: Evaluation) -> Comparison | None:
    return comparison_of(evaluation, evaluation.task.ranking_metric)


def winner_not_separable(evaluation: Evaluation) -> Flag | None:
    """Whether the data leave open that another team is better than the first."""
    comparison = _official(evaluation)
    leader = evaluation.leader(evaluation.task.ranking_metric)
    if comparison is None or leader is None:
        return None
    rivals = rivals_of(evaluation, comparison, leader)
    if not rivals:
        return None
    by = of(evaluation, comparison.key)
    return Flag(
        slug="winner-not-separable",
        severity=Severity.NOTE,
        sentence=f"By {by}, {name(evaluation, leader)} {_is_first(evaluation, comparison.key, leader)} and not "
        f"separable from {plural(len(rivals), 'other team')} ({_FAMILY}): {names(evaluation, rivals)}.",
        remedy="Announce the first tier together, or say that the order within it is not supported by this test set.",
        paper=f"The first-ranked system is not separable from {plural(len(rivals), 'other system')} by {by} "
        f"(paired bootstrap, stepdown max-t, {_FAMILY}).",
        evidence={
            "metric": str(comparison.key),
            "first": evaluation.names[leader],
            "not_separable": [
                {
                    "team": evaluation.names[team],
                    "adjusted_p": float(comparison.adjusted_p[leader, team]),
                    "randomization_p": float(comparison.randomization_p[team]),
                }
                for team in rivals
            ],
        },
    )


def rivals_of(evaluation: Evaluation, comparison: Comparison, leader: int) -> list[int]:
    """The comparable entries that are not separable from the leader, best first."""
    open_to_doubt = evaluation.comparable & ~comparison.separable[leader]
    return [team for team in evaluation.order(comparison.key) if open_to_doubt[team] and team != leader]


def _is_first(evaluation: Evaluation, key: ScoreKey, leader: int) -> str:
    return "is first" if leader in evaluation.winners(key) else "is the first that is scored on all items"


def possible_winners(evaluation: Evaluation) -> Flag | None:
    """Whether several teams' rank sets hold 1."""
    comparison = _official(evaluation)
    if comparison is None or len(comparison.possible_winners) < 2:  # noqa: PLR2004 - one is the winner
        return None
    teams = [team for team in evaluation.order(comparison.key) if team in comparison.possible_winners]
    return Flag(
        slug="possible-winners",
        severity=Severity.NOTE,
        sentence=f"{plural(len(teams), 'team')} are possible winners by {of(evaluation, comparison.key)}: their rank "
        f"sets, simultaneous at 95%, hold rank 1: {names(evaluation, teams)}.",
        remedy="Show the rank sets beside the ranks.",
        paper=f"The 95% simultaneous rank sets of {plural(len(teams), 'system')} contain rank 1.",
        evidence={
            "metric": str(comparison.key),
            "teams": [
                {"team": evaluation.names[team], "rank_set": comparison.rank_sets[team].tolist()} for team in teams
            ],
        },
    )


def no_adjacent_pair_separable(evaluation: Evaluation) -> Flag | None:
    """Whether no team is separable from the one ranked next."""
    comparison = _official(evaluation)
    order = [team for team in evaluation.order(evaluation.task.ranking_metric) if evaluation.comparable[team]]
    if comparison is None or len(order) < 3:  # noqa: PLR2004 - two teams have one pair
        return None
    if comparison.separable[order[:-1], order[1:]].any():
        return None
    return Flag(
        slug="no-adjacent-pair-separable",
        severity=Severity.NOTE,
        sentence=f"None of the {len(order) - 1} pairs of teams that stand next to each other by "
        f"{of(evaluation, comparison.key)} is separable ({_FAMILY}).",
        remedy="Publish tiers or rank sets; the order of neighbours is not supported by this test set.",
        paper="No two systems of adjacent ranks are separable on this test set.",
        evidence={"metric": str(comparison.key), "adjacent_pairs": len(order) - 1},
    )


@dataclass(frozen=True)
class _Choice:
    """A choice on which the order of teams can turn: which macro F1, or which prevalence.

    Parameters
    ----------
    slug : str
        What its flags begin with.
    between : str
        The two sides, in words.
    by : tuple of str
        Each side, as it stands behind “better” and “first”.
    keys : tuple of ScoreKey
        Each side's score.
    disagreement : float
        Share of replicates in which the two sides have different winners.
    """

    slug: str
    between: str
    by: tuple[str, str]
    keys: tuple[ScoreKey, ScoreKey]
    disagreement: float


def _macro_f1(evaluation: Evaluation) -> _Choice:
    share = evaluation.uncertainty.macro_f1_disagreement if evaluation.uncertainty else np.nan
    by = ("by averaged F1", "by F1 of averages")
    return _Choice("macro-f1-flip", "the two macro F1s", by, (AVERAGED, OF_AVERAGES), share)


def _prevalence(evaluation: Evaluation) -> _Choice:
    share = evaluation.uncertainty.prevalence_disagreement if evaluation.uncertainty else np.nan
    metric = evaluation.task.ranking_metric.metric
    keys = ScoreKey(metric, OBSERVED.name), ScoreKey(metric, BALANCED.name)
    by = (
        f"by {of(evaluation, keys[0])} at observed prevalence",
        f"by {of(evaluation, keys[0])} at balanced prevalence",
    )
    return _Choice("prevalence-flip", "observed and balanced prevalence", by, keys, share)


def _flips(evaluation: Evaluation, choice: _Choice) -> list[list[int]]:
    """Pairs [a, b] with a separable from, and above, b on the one side, and b from a on the other."""
    one, other = (comparison_of(evaluation, key) for key in choice.keys)
    if one is None or other is None:
        return []
    pairs: list[list[int]] = np.argwhere(one.separable & other.separable.T).tolist()
    return pairs


def _supported(evaluation: Evaluation, choice: _Choice) -> Flag | None:
    """The flag that the test set separates two teams one way on one side and the other way on the other."""
    flips = _flips(evaluation, choice)
    if not flips:
        return None
    winners = {team for key in choice.keys for team in evaluation.winners(key)}
    return Flag(
        slug=f"{choice.slug}-supported",
        severity=Severity.WINNER if any({*flip} <= winners for flip in flips) else Severity.ORDER,
        sentence=f"The test set supports {plural(len(flips), 'flip')} between {choice.between}: "
        f"{_flips_said(evaluation, choice, flips)}.",
        remedy="Which of the two is meant decides; state it.",
        paper=f"{plural(len(flips), 'pair')} of systems {verb(len(flips), 'is', 'are')} separable in opposite "
        f"directions between {choice.between}.",
        evidence={"pairs": [plain_names(evaluation, flip) for flip in flips]},
    )


def _flips_said(evaluation: Evaluation, choice: _Choice, flips: list[list[int]]) -> str:
    """Who of each pair is separable as better by which."""
    pairs = [f"{name(evaluation, above)} – {name(evaluation, below)}" for above, below in flips]
    if len(flips) == 1:
        above, below = (name(evaluation, team) for team in flips[0])
        return f"{above} is separable as better than {below} {choice.by[0]}, and {below} than {above} {choice.by[1]}"
    more = f"; and {len(flips) - _SHOWN} more" if len(flips) > _SHOWN else ""
    return (
        f"the first of each pair is separable as better {choice.by[0]}, the second {choice.by[1]} "
        f"({'; '.join(pairs[:_SHOWN])}{more})"
    )


def _not_supported(evaluation: Evaluation, choice: _Choice) -> Flag | None:
    """The flag that the two sides have different winners, which the test set does not separate both ways."""
    one, other = (evaluation.winners(key) for key in choice.keys)
    if evaluation.uncertainty is None or one == other or not one or not other:
        return None
    if any(above in one and below in other for above, below in _flips(evaluation, choice)):
        return None
    share = share_of_replicates(choice.disagreement)
    link = ", although" if choice.disagreement > 0.5 else "; and"  # noqa: PLR2004 - more often than not
    return Flag(
        slug=f"{choice.slug}-not-supported",
        severity=Severity.NOTE,
        sentence=f"The test set does not support the change of winner between {choice.between}, from "
        f"{names(evaluation, one)} to {names(evaluation, other)}: {_why_not(evaluation, choice, one, other)} "
        f"({_FAMILY}){link} the winners differ in {share} of the replicates.",
        remedy="Say which of the two is meant, and that the data do not decide between these teams.",
        paper=f"{sentence_case(choice.by[0])} {names(evaluation, one)} {verb(len(one), 'is', 'are')} first, "
        f"{choice.by[1]} {names(evaluation, other)}; the test set does not separate them both ways.",
        evidence={
            "winners": {
                str(key): plain_names(evaluation, teams) for key, teams in zip(choice.keys, (one, other), strict=True)
            },
            "share_of_replicates_that_disagree": choice.disagreement,
        },
    )


def _why_not(evaluation: Evaluation, choice: _Choice, one: tuple[int, ...], other: tuple[int, ...]) -> str:
    """By which of the two sides no winner of the one is separable from one of the other."""
    sides = zip(choice.keys, ((one, other), (other, one)), choice.by, strict=True)
    lacking = [by for key, (above, below), by in sides if not _separates(comparison_of(evaluation, key), above, below)]
    if not lacking:
        return "no two of them are separable both ways"
    return (
        f"they are separable neither {' nor '.join(lacking)}" if lacking[1:] else f"they are not separable {lacking[0]}"
    )


def _separates(comparison: Comparison | None, above: tuple[int, ...], below: tuple[int, ...]) -> bool:
    """Whether some team of the one group is separable from, and above, one of the other."""
    return comparison is not None and bool(comparison.separable[np.ix_(above, below)].any())


def macro_f1_flip_supported(evaluation: Evaluation) -> Flag | None:
    """Whether the test set separates two teams one way by one macro F1 and the other way by the other."""
    return _supported(evaluation, _macro_f1(evaluation))


def macro_f1_flip_not_supported(evaluation: Evaluation) -> Flag | None:
    """Whether the two macro F1s crown different teams that the test set does not separate both ways."""
    return _not_supported(evaluation, _macro_f1(evaluation))


def prevalence_flip_supported(evaluation: Evaluation) -> Flag | None:
    """Whether the test set separates two teams one way at observed and the other way at balanced prevalence."""
    return _supported(evaluation, _prevalence(evaluation))


def prevalence_flip_not_supported(evaluation: Evaluation) -> Flag | None:
    """Whether balancing prevalence crowns another team that the test set does not separate both ways."""
    return _not_supported(evaluation, _prevalence(evaluation))


def too_few_gold_items(evaluation: Evaluation) -> Flag | None:
    """Which classes have recall intervals too wide for a claim."""
    uncertainty = evaluation.uncertainty
    if uncertainty is None:
        return None
    labels = evaluation.task.label_set
    codes = np.flatnonzero(evaluation.present).tolist()
    rows = [evaluation.keys.index(ScoreKey(metric_name("recall", (code,), labels))) for code in codes]
    teams = evaluation.comparable | ~evaluation.comparable.any()
    widths = np.median((uncertainty.upper[rows] - uncertainty.lower[rows])[:, teams], axis=1)
    wide = [(codes[row], float(widths[row])) for row in np.argsort(-widths, kind="stable") if widths[row] > WIDE]
    if not wide and not uncertainty.share_left_out:
        return None
    clauses = [f"{quoted(labels.labels[code], 30)} ({number(width, 2)} wide)" for code, width in wide]
    left_out = uncertainty.share_left_out
    parts = [
        f"{have(len(wide), 'class', 'classes')} too few gold items for a claim: the median team’s 95% interval of "
        f"recall is wider than {number(WIDE, 1)}: {listed(clauses, limit=_SHOWN)}."
        if wide
        else "",
        f"{number(left_out, 4)} of the replicates have no item of some class and are left out." if left_out else "",
    ]
    return Flag(
        slug="too-few-gold-items",
        severity=Severity.NOTE,
        sentence=" ".join(part for part in parts if part),
        remedy="Do not compare teams on these classes; macro averages carry their uncertainty.",
        paper=f"Recall of {plural(len(wide), 'class', 'classes')} is too uncertain for comparisons on this test set."
        if wide
        else f"In {number(left_out, 4)} of the bootstrap replicates some class has no gold item; they are left out.",
        evidence={
            "classes": [
                {"label": labels.labels[code], "gold_items": int(evaluation.prevalence_counts[code]), "width": width}
                for code, width in wide
            ],
            "share_of_replicates_left_out": left_out,
        },
    )


def cannot_resolve_decimals(evaluation: Evaluation) -> Flag | None:
    """Whether neighbours have different printed scores by far less than this test set can resolve."""
    comparison = _official(evaluation)
    if comparison is None or np.isnan(comparison.resolution):
        return None
    decimals, scores = evaluation.task.printed_decimals, evaluation.scores_of(comparison.key)
    teams = [team for team in evaluation.order(comparison.key) if evaluation.comparable[team]]
    neighbours = [(above, below) for above, below in pairwise(teams) if not np.isnan(scores[below])]
    apart = [
        pair
        for pair in neighbours
        if scores[pair[0]] - scores[pair[1]] < comparison.resolution / FAR_LESS
        and number(scores[pair[0]], decimals) != number(scores[pair[1]], decimals)
    ]
    if not apart:
        return None
    resolution = number(comparison.resolution, max(decimals, 3))
    shown = [f"{name(evaluation, above)} – {name(evaluation, below)}" for above, below in apart]
    more = f"; and {len(apart) - _SHOWN} more" if len(apart) > _SHOWN else ""
    return Flag(
        slug="cannot-resolve-decimals",
        severity=Severity.NOTE,
        sentence=f"{len(apart)} of {plural(len(neighbours), 'pair')} of neighbours {verb(len(apart), 'has', 'have')} "
        f"different scores to {as_shown(evaluation)}, although they differ by less than a tenth of what this test set "
        f"can resolve by {of(evaluation, comparison.key)} ({resolution}; {_FAMILY}; median over the pairs): "
        f"{'; '.join(shown[:_SHOWN])}{more}.",
        remedy="Print fewer decimals or share the ranks (official_decimals in task.toml), and print intervals or tiers "
        "beside the scores.",
        paper=f"Differences below about {resolution} cannot be resolved on this test set.",
        evidence={
            "metric": str(comparison.key),
            "resolution": comparison.resolution,
            "decimals": decimals,
            "neighbours": [
                {"teams": plain_names(evaluation, pair), "difference": float(scores[pair[0]] - scores[pair[1]])}
                for pair in apart
            ],
        },
    )


def few_groups(evaluation: Evaluation) -> Flag | None:
    """Whether there are too few groups to resample."""
    n_groups = evaluation.uncertainty.n_groups if evaluation.uncertainty else None
    if n_groups is None or n_groups >= FEWEST_GROUPS:
        return None
    return Flag(
        slug="few-groups",
        severity=Severity.NOTE,
        sentence=f"Items come in {plural(n_groups, 'group')}; with fewer than {FEWEST_GROUPS} of them intervals are "
        "too short.",
        remedy="Take the intervals as a lower bound of the uncertainty.",
        paper=f"Intervals rest on {plural(n_groups, 'group')} only.",
        evidence={"groups": n_groups},
    )
