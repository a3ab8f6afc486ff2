"""Flags about the two scores that are both called macro F1, and about the classes they average over."""

from typing import Any

import numpy as np

from audit.domain import Evaluation, Flag, ScoreKey, Severity
from audit.domain.arrays import Floats, Ints
from audit.flags.winner_changes import change_clause, state_between
from audit.flags.wording import classes_averaged, entrants, name, names, plain_names, winner_clause, winners_by
from audit.metrics import Margins, gap_by_class_pair, kinds_of_classes
from audit.ranking import TIE_TOLERANCE, ranks_among
from audit.text import agreeing, decimals_to_tell_apart, number, plural, quoted

AVERAGED, OF_AVERAGES = ScoreKey("averaged_f1"), ScoreKey("f1_of_averages")
_PAIRS_LISTED = 20


def winner_depends_on_macro_f1(evaluation: Evaluation) -> Flag | None:
    """Whether the two macro F1s have different winners."""
    by_averaged, by_averages = winners_by(evaluation, AVERAGED), winners_by(evaluation, OF_AVERAGES)
    if by_averaged == by_averages or not by_averaged or not by_averages:
        return None
    scores = evaluation.scores_of(AVERAGED), evaluation.scores_of(OF_AVERAGES)
    teams = sorted({*by_averaged, *by_averages})
    decimals = max(decimals_to_tell_apart(values[teams].tolist()) for values in scores)
    return Flag(
        slug="winner-depends-on-macro-f1",
        severity=Severity.WINNER,
        sentence=f"By averaged F1 the winner is {winner_clause(evaluation, AVERAGED, decimals)}, "
        f"by F1 of averages it is {winner_clause(evaluation, OF_AVERAGES, decimals)}; "
        f"{change_clause(evaluation, AVERAGED, OF_AVERAGES)}. The paper must say which is meant.",
        remedy="State in the paper, with its formula, which of the two was announced, and rank by that one.",
        paper=f"Macro F1 denotes the mean of the class F1 scores, by which {names(evaluation, by_averaged)} "
        f"{_is_first(by_averaged)}; under the F1 of macro precision and macro recall, which is also called macro F1, "
        f"{names(evaluation, by_averages)} would be; {change_clause(evaluation, AVERAGED, OF_AVERAGES)}.",
        evidence={
            "state": state_between(evaluation, AVERAGED, OF_AVERAGES).value,
            "winners": {
                str(AVERAGED): plain_names(evaluation, by_averaged),
                str(OF_AVERAGES): plain_names(evaluation, by_averages),
            },
            "scores": [
                {"team": evaluation.names[team], "averaged_f1": scores[0][team], "f1_of_averages": scores[1][team]}
                for team in teams
            ],
        },
    )


def _is_first(winners: tuple[int, ...]) -> str:
    return "is first" if len(winners) == 1 else "are first together"


def order_depends_on_macro_f1(evaluation: Evaluation) -> Flag | None:
    """Whether the two macro F1s order the teams differently."""
    ranks = evaluation.ranks_of(AVERAGED), evaluation.ranks_of(OF_AVERAGES)
    moves = np.where(evaluation.competing, ranks[1] - ranks[0], 0)
    n_teams = int(evaluation.competing.sum())
    if not moves.any():
        return None
    n_moved, farthest = int((moves != 0).sum()), int(np.abs(moves).argmax())
    swaps = swapped_pairs(evaluation)
    examples = [_swap(evaluation, ahead, behind) for ahead, behind in swaps[:_PAIRS_LISTED].tolist()]
    return Flag(
        slug="order-depends-on-macro-f1",
        severity=Severity.ORDER,
        sentence=f"{entrants(evaluation, n_moved)} {agreeing(n_moved, 'has', 'have')} another rank by F1 of averages "
        f"than by averaged F1 ({entrants(evaluation, n_teams)}, {plural(len(swaps), 'pair')} swapped); "
        f"{name(evaluation, farthest)} moves farthest, from {ranks[0][farthest]} to {ranks[1][farthest]}."
        f"{_widest(evaluation, examples)}",
        remedy="Publish both columns, or say which formula the ranking uses.",
        paper=f"The two formulas called macro F1 rank {n_moved} of {entrants(evaluation, n_teams)} differently.",
        evidence={
            "teams_moved": n_moved,
            "pairs_swapped": len(swaps),
            "farthest": {
                "team": evaluation.names[farthest],
                "rank_by_averaged_f1": int(ranks[0][farthest]),
                "rank_by_f1_of_averages": int(ranks[1][farthest]),
            },
            "pairs": examples,
        },
    )


def swapped_pairs(evaluation: Evaluation) -> Ints:
    """Pairs (a, b) with a above b by averaged F1 and below by F1 of averages, the widest swap first, shape (n, 2).

    Both of a pair compete.
    """
    averaged, of_averages = evaluation.scores_of(AVERAGED), evaluation.scores_of(OF_AVERAGES)
    lead = averaged[:, None] - averaged[None, :]
    reverse = of_averages[None, :] - of_averages[:, None]
    width = np.minimum(lead, reverse)
    pairs = np.argwhere((width > TIE_TOLERANCE) & np.outer(evaluation.competing, evaluation.competing))
    return pairs[np.argsort(-width[tuple(pairs.T)], kind="stable")]


def _swap(evaluation: Evaluation, ahead: int, behind: int) -> dict[str, Any]:
    """A swapped pair as evidence, with the pair of classes that contributes most to the difference of their Δ."""
    margins = Margins.of_cells(evaluation.cells.of_teams([ahead, behind]))
    margins = margins.without(evaluation.task.label_set.rest_code)
    codes, sizes = kinds_of_classes(margins)
    terms = gap_by_class_pair(margins, codes)
    difference: Floats = 2 * np.triu(terms[1] - terms[0])
    first, second = np.unravel_index(int(difference.argmax()), difference.shape)
    labels = evaluation.task.label_set.labels
    averaged, of_averages = evaluation.scores_of(AVERAGED), evaluation.scores_of(OF_AVERAGES)
    return {
        "ahead_by_averaged_f1": evaluation.names[ahead],
        "ahead_by_f1_of_averages": evaluation.names[behind],
        "lead_by_averaged_f1": float(averaged[ahead] - averaged[behind]),
        "lead_by_f1_of_averages": float(of_averages[behind] - of_averages[ahead]),
        "class_pair": [labels[int(codes[first])], labels[int(codes[second])]],
        "contribution_of_class_pair": float(difference[first, second]),
        "difference_of_gaps": float((difference * np.outer(sizes, sizes)).sum()),
    }


def _widest(evaluation: Evaluation, examples: list[dict[str, Any]]) -> str:
    """The widest swap, and the classes behind it where there is more than one pair of them."""
    if not examples:
        return ""
    swap = examples[0]
    teams = swap["ahead_by_averaged_f1"], swap["ahead_by_f1_of_averages"]
    leads = swap["lead_by_averaged_f1"], swap["lead_by_f1_of_averages"]
    label_set = evaluation.task.label_set
    classes = " and ".join(quoted(label_set.named[label_set.code_of[label]], 30) for label in swap["class_pair"])
    is_one_of_several = int(evaluation.averaged.sum()) > 2  # noqa: PLR2004 - one pair
    cause = f"; the classes {classes} contribute most to that" if is_one_of_several else ""
    digits = next((digits for digits in range(3, 6) if all(float(number(lead, digits)) for lead in leads)), 6)
    return (
        f" The widest swap: {quoted(teams[0], 40)} leads {quoted(teams[1], 40)} by {number(leads[0], digits)} in "
        f"averaged F1 and trails by {number(leads[1], digits)} in F1 of averages{cause}."
    )


def class_set_matters(evaluation: Evaluation) -> Flag | None:
    """Whether averaging over the union of gold and predicted labels ranks the teams differently."""
    in_gold, over_union, sizes = evaluation.scores_of(AVERAGED), _over_union(evaluation), _union_sizes(evaluation)
    competing = evaluation.competing
    ranks, other = evaluation.ranks_of(AVERAGED), ranks_over_union(evaluation)
    if (ranks == other)[competing].all():
        return None
    winner_changes = evaluation.first_by(ranks) != evaluation.first_by(other)
    extra = np.flatnonzero((sizes > evaluation.averaged.sum()) & competing).tolist()
    moved = np.flatnonzero((ranks != other) & competing).tolist()
    return Flag(
        slug="class-set-matters",
        severity=Severity.WINNER if winner_changes else Severity.ORDER,
        sentence=f"Averaged F1 over the union of gold and predicted labels, scikit-learn’s default, gives "
        f"{entrants(evaluation, len(moved))} another rank than over "
        f"{classes_averaged(evaluation, f'the {int(evaluation.averaged.sum())} classes in gold')}: "
        f"{names(evaluation, extra)} {agreeing(len(extra), 'uses', 'use')} labels that gold lacks"
        f"{', and the winner changes' if winner_changes else ''}.",
        remedy=f"Pass {classes_averaged(evaluation, 'the classes in gold')} to the scorer (labels=…), and say so in "
        "the paper.",
        paper=f"Averages run over {classes_averaged(evaluation, 'the classes that occur in gold')}, the same for every "
        "team.",
        evidence={
            "teams": [
                {
                    "team": evaluation.names[team],
                    "rank_in_gold": int(ranks[team]),
                    "rank_over_union": int(other[team]),
                    "averaged_f1_in_gold": float(in_gold[team]),
                    "averaged_f1_over_union": float(over_union[team]),
                    "classes_in_union": int(sizes[team]),
                }
                for team in sorted({*moved, *extra})
            ]
        },
    )


def ranks_over_union(evaluation: Evaluation) -> Ints:
    """Ranks by averaged F1 over the union of gold and each team's predicted labels, shape (T,)."""
    return np.asarray(ranks_among(_over_union(evaluation)[None], evaluation.competing)[0])


def _over_union(evaluation: Evaluation) -> Floats:
    """Averaged F1 of every team over that union, shape (T,)."""
    return np.asarray(evaluation.scores_of(AVERAGED) * evaluation.averaged.sum() / _union_sizes(evaluation))


def _union_sizes(evaluation: Evaluation) -> Ints:
    """Classes in gold or predicted but the rest class, unusable labels included, for each team, shape (T,)."""
    union = (evaluation.cells.answers[:, :-1] > 0) | evaluation.present
    rest = evaluation.task.label_set.rest_code
    if rest is not None:
        union[:, rest] = False
    stray = np.array([len(entry.unusable_labels) for entry in evaluation.entries])
    return np.asarray(union.sum(axis=1) + stray)
