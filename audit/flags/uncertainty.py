"""Flags about what the test set can support: who is separable from whom, and what is too uncertain for a claim."""

import numpy as np

from audit.domain import Comparison, Evaluation, Flag, ScoreKey, Severity
from audit.domain.evaluation import Ints
from audit.flags.macro_f1 import AVERAGED, OF_AVERAGES
from audit.flags.rounding import DEFAULT_DECIMALS
from audit.flags.wording import have, name, names, of, plain_names, verb
from audit.metrics import metric_name
from audit.text import listed, number, plural, quoted

FEWEST_GROUPS = 20
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
    if comparison is None or not (winners := evaluation.winners(comparison.key)):
        return None
    others = np.flatnonzero(~comparison.separable[winners[0]])
    rivals = [team for team in evaluation.order(comparison.key) if team in others and team != winners[0]]
    if not rivals:
        return None
    by = of(evaluation, comparison.key)
    return Flag(
        slug="winner-not-separable",
        severity=Severity.NOTE,
        sentence=f"By {by}, {name(evaluation, winners[0])} is first and not separable from "
        f"{plural(len(rivals), 'other team')} ({_FAMILY}): {names(evaluation, rivals)}.",
        remedy="Announce the first tier together, or say that the order within it is not supported by this test set.",
        paper=f"The first-ranked system is not separable from {plural(len(rivals), 'other system')} by {by} "
        f"(paired bootstrap, stepdown max-t, {_FAMILY}).",
        evidence={
            "metric": str(comparison.key),
            "first": evaluation.names[winners[0]],
            "not_separable": [
                {
                    "team": evaluation.names[team],
                    "adjusted_p": float(comparison.adjusted_p[winners[0], team]),
                    "randomization_p": float(comparison.randomization_p[team]),
                }
                for team in rivals
            ],
        },
    )


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
    if comparison is None or len(evaluation.entries) < 3:  # noqa: PLR2004 - two teams have one pair
        return None
    order = evaluation.order(comparison.key)
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


def supported_flips(evaluation: Evaluation) -> Ints:
    """Pairs (a, b) with a separable from, and above, b by averaged F1, and the reverse by F1 of averages, (n, 2)."""
    by_averaged, by_averages = comparison_of(evaluation, AVERAGED), comparison_of(evaluation, OF_AVERAGES)
    if by_averaged is None or by_averages is None:
        return np.empty((0, 2), dtype=np.int64)
    return np.argwhere(by_averaged.separable & by_averages.separable.T)


def macro_f1_flip_supported(evaluation: Evaluation) -> Flag | None:
    """Whether the test set separates two teams one way by one macro F1 and the other way by the other."""
    flips = supported_flips(evaluation).tolist()
    if not flips:
        return None
    winners = {*evaluation.winners(AVERAGED), *evaluation.winners(OF_AVERAGES)}
    pairs = [f"{name(evaluation, above)} and {name(evaluation, below)}" for above, below in flips]
    return Flag(
        slug="macro-f1-flip-supported",
        severity=Severity.WINNER if any({*flip} <= winners for flip in flips) else Severity.ORDER,
        sentence=f"The test set supports {plural(len(flips), 'flip')} between the two macro F1s: the first of each "
        "pair is separable as better by averaged F1, the second by F1 of averages "
        f"({listed(pairs, limit=_SHOWN)}).",
        remedy="Which formula is meant decides; state it.",
        paper=f"{plural(len(flips), 'pair')} of systems {verb(len(flips), 'is', 'are')} separable in opposite "
        "directions under the two formulas called macro F1.",
        evidence={"pairs": [plain_names(evaluation, flip) for flip in flips]},
    )


def macro_f1_flip_not_supported(evaluation: Evaluation) -> Flag | None:
    """Whether the two macro F1s crown different teams that the test set does not separate both ways."""
    uncertainty = evaluation.uncertainty
    by_averaged, by_averages = evaluation.winners(AVERAGED), evaluation.winners(OF_AVERAGES)
    if uncertainty is None or by_averaged == by_averages or not by_averaged or not by_averages:
        return None
    if any(a in by_averaged and b in by_averages for a, b in supported_flips(evaluation).tolist()):
        return None
    return Flag(
        slug="macro-f1-flip-not-supported",
        severity=Severity.NOTE,
        sentence=f"The change of winner between the two macro F1s, from {names(evaluation, by_averaged)} to "
        f"{names(evaluation, by_averages)}, is not supported by this test set: they are not separable both ways. "
        f"In {number(uncertainty.macro_f1_disagreement, 2)} of the replicates the definitions have different winners.",
        remedy="Say which formula is meant, and that the data do not decide between these teams.",
        paper="The two formulas have different winners here, a difference that this test set does not support.",
        evidence={
            "winners": {
                str(AVERAGED): plain_names(evaluation, by_averaged),
                str(OF_AVERAGES): plain_names(evaluation, by_averages),
            },
            "share_of_replicates_that_disagree": uncertainty.macro_f1_disagreement,
        },
    )


def too_few_gold_items(evaluation: Evaluation) -> Flag | None:
    """Which classes have recall intervals too wide for a claim."""
    uncertainty = evaluation.uncertainty
    if uncertainty is None:
        return None
    labels = evaluation.task.label_set
    codes = np.flatnonzero(evaluation.present).tolist()
    rows = [evaluation.keys.index(ScoreKey(metric_name("recall", (code,), labels))) for code in codes]
    widths = np.median(uncertainty.upper[rows] - uncertainty.lower[rows], axis=1)
    wide = [(codes[row], float(widths[row])) for row in np.argsort(-widths, kind="stable") if widths[row] > WIDE]
    if not wide and not uncertainty.share_left_out:
        return None
    clauses = [f"{quoted(labels.labels[code], 30)} ({number(width, 2)} wide)" for code, width in wide]
    left_out = uncertainty.share_left_out
    parts = [
        f"{have(len(wide), 'class', 'classes')} too few gold items for a claim: the median team's 95% interval of "
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
    """Whether the last printed digit is finer than what this test set can resolve."""
    comparison = _official(evaluation)
    if comparison is None or np.isnan(comparison.resolution):
        return None
    stated = evaluation.task.official_decimals
    decimals = DEFAULT_DECIMALS if stated is None else stated
    if comparison.resolution <= 10**-decimals:
        return None
    resolution = number(comparison.resolution, max(decimals, DEFAULT_DECIMALS))
    return Flag(
        slug="cannot-resolve-decimals",
        severity=Severity.NOTE,
        sentence=f"The test set cannot resolve the {plural(decimals, 'printed decimal')}: by "
        f"{of(evaluation, comparison.key)} two teams must differ by about {resolution} to be "
        f"separable ({_FAMILY}; median over the pairs).",
        remedy="Print intervals or tiers beside the scores.",
        paper=f"Differences below about {resolution} cannot be resolved on this test set.",
        evidence={"metric": str(comparison.key), "resolution": comparison.resolution, "decimals": decimals},
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
