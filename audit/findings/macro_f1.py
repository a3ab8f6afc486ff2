"""What the two macro F1s, and the classes that they average over, change."""

from typing import Any

import numpy as np

from audit.domain import Evaluation, Feature, Severity
from audit.domain.arrays import Floats, Ints
from audit.findings.flag_kind import Fired, flag
from audit.findings.wording import AVERAGED, OF_AVERAGES, classes_averaged, entrants, name, names
from audit.metrics import Margins, gap_by_class_pair, kinds_of_classes
from audit.ranking.ranks import TIE_TOLERANCE, ranks_among
from audit.text import agreeing, plural

RULES_PLACE = 10


_PAIRS_LISTED = 20


@flag(
    "order-depends-on-macro-f1",
    "The order of teams depends on which macro F1 is used",
    Severity.ORDER,
    "macro-f1",
    needs=Feature.MACRO_F1,
)
def order_depends_on_macro_f1(evaluation: Evaluation) -> Fired | None:
    """Whether the two macro F1s order the teams differently.

    Fires when any team’s rank by macro-averaged F1 differs from its rank by F1 of averages. The evidence names the
    pairs that swap, and for each the pair of classes that contributes most to the difference of the gaps Δ.
    """
    ranks = evaluation.ranks_of(AVERAGED), evaluation.ranks_of(OF_AVERAGES)
    moves = np.where(evaluation.competing, ranks[1] - ranks[0], 0)
    n_teams = int(evaluation.competing.sum())
    if not moves.any():
        return None
    distances = np.abs(moves)
    n_moved = int((moves != 0).sum())
    farthest = int(distances.argmax())
    how_far = f"{name(evaluation, farthest)} moves farthest, from {ranks[0][farthest]} to {ranks[1][farthest]}"
    n_others = int(np.count_nonzero(distances == distances.max())) - 1
    if n_others:
        as_far = f", {plural(n_others, 'other')} as far"
    else:
        as_far = ""
    swaps = swapped_pairs(evaluation)
    examples = [
        _swap(evaluation, ahead, behind) for ahead, behind in swaps[:_PAIRS_LISTED].tolist()
    ]
    return Fired(
        sentence=f"{entrants(evaluation, n_moved)} {agreeing(n_moved, 'has', 'have')} another rank by F1 of averages "
        f"than by macro-averaged F1 ({entrants(evaluation, n_teams)}, {plural(len(swaps), 'pair')} swapped); "
        f"{how_far}{as_far}.",
        remedy="Publish both columns, or say which formula a column is of.",
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


def _swap(evaluation: Evaluation, ahead: int, behind: int) -> dict[str, Any]:
    """A swapped pair as evidence, with the pair of classes that contributes most to the difference of their Δ."""
    margins = Margins.of_cells(evaluation.cells.of_teams([ahead, behind]))
    margins = margins.without(evaluation.task.label_set.rest_code)
    codes, sizes = kinds_of_classes(margins)
    terms = gap_by_class_pair(margins, codes)
    difference: Floats = 2 * np.triu(terms[1] - terms[0])
    first, second = np.unravel_index(int(difference.argmax()), difference.shape)
    labels = evaluation.task.label_set.labels
    averaged = evaluation.scores_of(AVERAGED)
    of_averages = evaluation.scores_of(OF_AVERAGES)
    return {
        "ahead_by_averaged_f1": evaluation.names[ahead],
        "ahead_by_f1_of_averages": evaluation.names[behind],
        "lead_by_averaged_f1": float(averaged[ahead] - averaged[behind]),
        "lead_by_f1_of_averages": float(of_averages[behind] - of_averages[ahead]),
        "class_pair": [labels[int(codes[first])], labels[int(codes[second])]],
        "contribution_of_class_pair": float(difference[first, second]),
        "difference_of_gaps": float((difference * np.outer(sizes, sizes)).sum()),
    }


@flag(
    "class-set-matters",
    "The set of averaged classes matters",
    Severity.WINNER,
    "data",
    needs=Feature.MACRO_F1,
)
def class_set_matters(evaluation: Evaluation) -> Fired | None:
    """Whether averaging over the union of gold and predicted labels ranks the teams differently.

    Fires when macro-averaged F1 over the union of gold and predicted labels, which scikit-learn takes by default and
    which can differ from team to team, ranks the teams otherwise than macro-averaged F1 over the classes in gold.
    Labels outside the label set count as classes of the union; empty answers do not.
    """
    in_gold = evaluation.scores_of(AVERAGED)
    over_union = _over_union(evaluation)
    sizes = union_sizes(evaluation)
    competing = evaluation.competing
    ranks = evaluation.ranks_of(AVERAGED)
    other = ranks_over_union(evaluation)
    if (ranks == other)[competing].all():
        return None
    winner_changes = evaluation.first_by(ranks) != evaluation.first_by(other)
    extra = np.flatnonzero((sizes > evaluation.averaged.sum()) & competing).tolist()
    moved = np.flatnonzero((ranks != other) & competing).tolist()
    return Fired(
        severity=Severity.WINNER if winner_changes else Severity.ORDER,
        sentence="Macro-averaged F1 over the labels of gold and of each team’s own predictions, "
        "scikit-learn’s default, gives "
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
    """Ranks by macro-averaged F1 over the union of gold and each team's predicted labels, shape (T,)."""
    return np.asarray(ranks_among(_over_union(evaluation)[None], evaluation.competing)[0])


def _over_union(evaluation: Evaluation) -> Floats:
    """Macro-averaged F1 of every team over that union, shape (T,)."""
    return np.asarray(
        evaluation.scores_of(AVERAGED) * evaluation.averaged.sum() / union_sizes(evaluation)
    )


def scikit_learn_call(evaluation: Evaluation) -> str:
    """The call by which scikit-learn computes macro-averaged F1 here; empty for sets, of which it has no classes."""
    if not evaluation.task.label_set.supports(Feature.ANSWERS):
        return ""
    default_differs = (union_sizes(evaluation) != evaluation.averaged.sum()).any()
    if default_differs:
        labels = ", labels=GOLD_CLASSES"
    else:
        labels = ""
    return f'scikit-learn: f1_score(average="macro"{labels})'


def union_sizes(evaluation: Evaluation) -> Ints:
    """Classes in gold or predicted but the rest class, unusable labels included, for each team, shape (T,)."""
    union = (evaluation.cells.answers[:, :-1] > 0) | evaluation.present
    rest = evaluation.task.label_set.rest_code
    if rest is not None:
        union[:, rest] = False
    if (other := evaluation.task.label_set.other_code) is not None:
        union[:, other] = False  # each of these labels counts by itself
    stray = np.array([len(entry.unusable_labels) for entry in evaluation.entries])
    return np.asarray(union.sum(axis=1) + stray)


def swapped_pairs(evaluation: Evaluation) -> Ints:
    """Pairs (a, b), a above b by macro-averaged F1, below by F1 of averages; the widest swap first, shape (n, 2)."""
    averaged = evaluation.scores_of(AVERAGED)
    of_averages = evaluation.scores_of(OF_AVERAGES)
    lead = averaged[:, None] - averaged[None, :]
    reverse = of_averages[None, :] - of_averages[:, None]
    width = np.minimum(lead, reverse)
    pairs = np.argwhere(
        (width > TIE_TOLERANCE) & np.outer(evaluation.competing, evaluation.competing)
    )
    return pairs[np.argsort(-width[tuple(pairs.T)], kind="stable")]
