"""Any two teams, chosen on the page: what its script needs to show them."""

from typing import Any

import numpy as np

from audit.domain import MOST_PAIRED, Comparison, Evaluation, Pairs
from audit.domain.evaluation import Floats, Ints
from audit.metrics import phrase
from audit.report.figures.catalogue import MOST_CLASSES
from audit.report.packing import defined, packed, script_json, width_for
from audit.report.page import Choice
from audit.report.printing import Printing, label_text, metric_href
from audit.text import listed, sentence_case

_P_STEPS = 1000  # three digits of a p are printed
_P_WIDTH = width_for(_P_STEPS)


def pair_choice(show: Printing) -> Choice | None:
    """What can be said of any two teams; None where there are no two, or nothing was found out of pairs."""
    evaluation = show.evaluation
    if len(evaluation.entries) > MOST_PAIRED:
        return Choice(left_out=_left_out(evaluation))
    if evaluation.pairs is None:
        return None
    return Choice(
        options=tuple(show.name(team).text for team in show.order),
        data=script_json(pair_data(show, evaluation.pairs)),
        notes=_notes(evaluation),
        export="differences.csv and only_right.csv hold every pair",
    )


def pair_data(show: Printing, pairs: Pairs) -> dict[str, Any]:
    """Scores, errors of differences, adjusted p, and items that only one gets right.

    Teams are in the order of the ranking. What is of a pair stands in the order of the pairs (0, 1), (0, 2), …, (1, 2),
    …, packed; how many items only the second gets right follows from how many each of the two gets right.
    """
    evaluation = show.evaluation
    order = np.array(show.order)
    first, second = (order[side] for side in np.triu_indices(len(order), k=1))
    compared = evaluation.uncertainty.comparisons if evaluation.uncertainty else ()
    halves = _in_units(pairs.half_width[:, first, second], show.decimals + 1)
    width = width_for(int(halves.max(initial=0)))
    return {
        "names": [show.name(team).text for team in show.order],
        "decimals": show.decimals,
        "metrics": [
            {"name": sentence_case(phrase(key, evaluation.task.label_set)), "href": metric_href(key, evaluation)}
            for key in pairs.keys
        ],
        "scores": [defined(evaluation.scores_of(key)[order].tolist()) for key in pairs.keys],
        "halves": {"width": width, "numbers": [packed(row, width) for row in halves]},
        "adjusted": {
            "width": _P_WIDTH,
            "numbers": {
                pairs.keys.index(each.key): packed(_adjusted(evaluation, each, first, second), _P_WIDTH)
                for each in compared
                if each.key in pairs.keys
            },
        },
        "classes": _classes(evaluation, pairs, order, first, second),
    }


def _in_units(values: Floats, decimals: int) -> Ints:
    """Values as whole numbers of the last printed digit; -1 where undefined."""
    return np.where(np.isnan(values), -1, np.rint(np.nan_to_num(values) * 10**decimals)).astype(np.int64)


def _adjusted(evaluation: Evaluation, comparison: Comparison, first: Ints, second: Ints) -> Ints:
    """The adjusted p of the better one being better, in thousandths, 0 below one; -1 where the pair is not compared."""
    p = np.minimum(comparison.adjusted_p[first, second], comparison.adjusted_p[second, first])
    inside = evaluation.comparable[first] & evaluation.comparable[second]
    steps = np.where(p < 1 / _P_STEPS, 0, np.rint(p * _P_STEPS)).astype(np.int64)
    return np.where(inside, steps, -1)


def _classes(evaluation: Evaluation, pairs: Pairs, order: Ints, first: Ints, second: Ints) -> list[dict[str, Any]]:
    """By class, how many items each team gets right, and only the first of each pair; one sum of many classes."""
    right = np.diagonal(evaluation.confusions[..., :-1], axis1=1, axis2=2)[order]
    alone, items = pairs.only_right[first, second], evaluation.prevalence_counts
    names = [label_text(label) for label in evaluation.task.label_set]
    if len(names) > MOST_CLASSES:
        names, items = ["All classes"], items.sum(keepdims=True)
        right, alone = (counts.sum(axis=-1, keepdims=True) for counts in (right, alone))
    widths = [width_for(most) for most in alone.max(axis=0).tolist()]
    return [
        {
            "name": name,
            "items": int(items[code]),
            "right": right[:, code].tolist(),
            "width": widths[code],
            "onlyFirst": packed(alone[:, code], widths[code]),
        }
        for code, name in enumerate(names)
    ]


def _notes(evaluation: Evaluation) -> tuple[str, ...]:
    """Which differences have an interval and a p, and by which method."""
    drawn = "" if evaluation.gold.groups is None else ", by group of items"
    interval = (
        f"±: half of the 95% interval of the paired difference, 1.96 standard errors by the delta method{drawn}, for "
        "this pair and this metric alone, without adjustment. It stands at every difference but those of a score that "
        "is undefined, of fewer items, or at a bound of its range, where the method has no standard error. audit "
        "compare gives the percentile interval of the paired bootstrap."
    )
    return interval, _p_note(evaluation)


def _p_note(evaluation: Evaluation) -> str:
    if evaluation.uncertainty is None:
        return "Nothing was resampled: there is no adjusted p."
    labels = evaluation.task.label_set
    compared = [phrase(each.key, labels) for each in evaluation.uncertainty.comparisons]
    return (
        "Adjusted p: for the team with the higher score being better, by the stepdown max-t procedure over all ordered "
        f"pairs of teams; for {listed(compared)} only, and only between teams that are compared in pairs."
    )


def _left_out(evaluation: Evaluation) -> str:
    return (
        f"With {len(evaluation.entries):,} entries, more than {MOST_PAIRED}, two of them are not chosen on the page: "
        "audit export writes pairs.csv and only_right.csv, and audit compare compares any two."
    )
