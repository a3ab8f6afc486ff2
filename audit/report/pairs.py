"""Any two teams, chosen on the page: what its script needs to show them."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from audit.document import Chooser
from audit.domain import MOST_PAIRED, Comparison, Evaluation, PairComparison, ScoreKey
from audit.domain.arrays import Floats, Ints
from audit.findings.comparisons import comparison_of, family_of
from audit.findings.numbers_in_words import NO_BOUND, difference_ends, p_phrase
from audit.findings.wording import AVERAGED, NAME_LIMIT, OF_AVERAGES, gold_things, scored_things
from audit.inference.randomization import N_RANDOMIZATIONS
from audit.metrics import aggregates_of, phrase
from audit.report.figures.figure_kinds import MOST_CLASSES
from audit.report.page_packing import packed, width_for
from audit.report.printing import Printing, label_texts, metric_href
from audit.sentences import say
from audit.text import distinct, listed, number, sentence_case
from audit.vocabulary import PAIR_VERDICTS

_PAIR_DIGITS = 4
_ROWS_SHOWN = 4
_P_STEPS = 1000  # three digits of a p are printed
_P_WIDTH = width_for(_P_STEPS)
_VERDICTS = ("ahead", "ahead", "best", "best", "open", "identical", "beside", "unknown")
"""The sentences on a pair by their numbers; of each of the first two, one for either order."""


_PROMPTS = (
    ("pairs-first", "Is", "the first team"),
    ("pairs-second", "ahead of", "the second team?"),
)


def pair_chooser(show: Printing) -> tuple[Chooser, ...]:
    """The choice of any two teams; nothing where there are no two, or nothing was found out of pairs."""
    evaluation = show.evaluation
    if len(evaluation.entries) > MOST_PAIRED:
        left_out = (
            f"With {len(evaluation.entries):,} entries, more than {MOST_PAIRED}, two of them "
            "are not chosen on the page"
        )
        where = "audit export writes pairs.csv, and audit compare compares any two."
        return (Chooser("pairs", _PROMPTS, left_out=f"{left_out}: {where}"),)
    if evaluation.pairs is None:
        return ()
    ranked = [place for place, team in enumerate(show.order) if evaluation.competing[team]]
    choice = Chooser(
        "pairs",
        _PROMPTS,
        options=tuple(show.name(team).text for team in show.order),
        chosen=(ranked[0], ranked[1]) if len(ranked) > 1 else (0, 1),
        data=pair_data(show, evaluation.pairs),
        notes=_notes(evaluation),
        export="pairs.csv holds every pair",
    )
    return (choice,)


def chosen_keys(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """The scores by which two teams are set side by side: each of a whole submission, at every prevalence."""
    metrics = dict.fromkeys(
        (
            evaluation.task.ranking_metric.metric,
            *(metric.slug for metric in aggregates_of(evaluation)),
        )
    )
    first = evaluation.task.ranking_metric
    keys = (
        ScoreKey(metric, prevalence.name)
        for prevalence in evaluation.prevalences
        for metric in metrics
    )
    return tuple(dict.fromkeys((first, *(key for key in keys if key in evaluation.keys))))


def pair_data(show: Printing, pairs: Ints) -> dict[str, Any]:
    """Scores, intervals and adjusted p of differences, the verdict, and items that only one gets right.

    Teams are in the order of the ranking. What is of a pair stands in the order of the pairs (0, 1), (0, 2), …, (1, 2),
    …, packed; how many items only the second gets right follows from how many each of the two gets right.
    """
    evaluation = show.evaluation
    keys = chosen_keys(show.evaluation)
    order = np.array(show.order)
    first, second = (order[side] for side in np.triu_indices(len(order), k=1))
    compared = {
        row: comparison
        for row, key in enumerate(keys)
        if (comparison := comparison_of(evaluation, key))
    }
    preferred = dict.fromkeys(
        (keys[0], AVERAGED, OF_AVERAGES, ScoreKey("accuracy"), ScoreKey("macro_recall"))
    )
    # in whole numbers of the last printed digit, and in thousandths
    ends = {}
    adjusted = {}
    for row, comparison in compared.items():
        both = np.stack([comparison.difference_lower, comparison.difference_upper])
        within = [_within_family(evaluation, comparison, first, second, side) for side in both]
        ends[row] = np.rint(np.stack(within) * 10**show.decimals)
        p = _within_family(evaluation, comparison, first, second, comparison.adjusted_p)
        steps = np.where(p < 1 / _P_STEPS, 0, np.rint(p * _P_STEPS))
        adjusted[row] = packed(np.nan_to_num(steps, nan=-1).astype(np.int64), _P_WIDTH)
    return {
        "names": [show.name(team).text for team in show.order],
        "decimals": show.decimals,
        "shown": [keys.index(key) for key in preferred if key in keys][:_ROWS_SHOWN],
        "metrics": [
            {
                "name": sentence_case(phrase(key, evaluation.task.label_set)),
                "href": metric_href(key, evaluation),
                **({"lowerIsBetter": True} if key.metric in evaluation.scales else {}),
            }
            for key in keys
        ],
        "scores": [
            [
                None if math.isnan(score) else score
                for score in evaluation.scores_of(key)[order].tolist()
            ]
            for key in keys
        ],
        "ends": _packed_ends(ends),
        "adjusted": {"width": _P_WIDTH, "numbers": adjusted},
        "verdict": {
            "by": phrase(keys[0], evaluation.task.label_set),
            "of": packed(_verdicts(evaluation, compared.get(0), first, second), 1),
            "texts": [PAIR_VERDICTS[verdict] for verdict in _VERDICTS],
        },
        "things": scored_things(evaluation.task.label_set),
        "nouns": [evaluation.task.label_set.noun, evaluation.task.label_set.nouns],
        "gold": gold_things(evaluation),
        "classes": _classes(evaluation, pairs, order, first, second),
    }


def _packed_ends(ends: Mapping[int, Floats]) -> dict[str, Any]:
    """Lower and upper ends of each score's pairs, packed: 0 is no bound, and other numbers are ends less the base."""
    finite = [each[np.isfinite(each)] for each in ends.values()]
    values = np.concatenate([*finite, np.zeros(1)])
    base = int(values.min()) - 1
    width = width_for(int(values.max()) - base)
    numbers = {}
    for row, each in ends.items():
        counted = np.where(np.isinf(each), 0, np.nan_to_num(each, posinf=0, neginf=0) - base)
        sides = np.where(np.isnan(each), -1, counted).astype(np.int64)
        numbers[row] = [packed(side, width) for side in sides]
    return {"base": base, "width": width, "numbers": numbers, "none": NO_BOUND}


def _within_family(
    evaluation: Evaluation, comparison: Comparison, first: Ints, second: Ints, values: Floats
) -> Floats:
    """Values of the comparison for each pair; NaN where the pair is not compared."""
    in_family = np.isin(np.arange(len(evaluation.entries)), family_of(evaluation, comparison))
    return np.where(in_family[first] & in_family[second], values[first, second], np.nan)


def _verdicts(
    evaluation: Evaluation, comparison: Comparison | None, first: Ints, second: Ints
) -> Ints:
    """The sentence for each pair by the ranking metric, as an index into `_VERDICTS`."""
    if comparison is None:
        return np.full(len(first), _VERDICTS.index("unknown"))
    errors = _within_family(evaluation, comparison, first, second, comparison.standard_error)
    verdicts = np.where(errors > 0, _VERDICTS.index("open"), _VERDICTS.index("identical"))
    by_best = comparison.against_best[first, second] | comparison.against_best[second, first]
    as_best = np.where(by_best, _VERDICTS.index("best"), 0)
    verdicts = np.where(comparison.ahead[first, second], as_best, verdicts)
    verdicts = np.where(comparison.ahead[second, first], as_best + 1, verdicts)
    return np.where(np.isnan(errors), _VERDICTS.index("beside"), verdicts)


def _classes(
    evaluation: Evaluation, pairs: Ints, order: Ints, first: Ints, second: Ints
) -> list[dict[str, Any]]:
    """For each class the items that each team gets right, and those that one of a pair gets right alone."""
    scored = slice(evaluation.task.label_set.n_scored)
    right = evaluation.cells.correct[order, scored]
    alone = pairs[first, second, scored]
    items = evaluation.prevalence_counts[scored]
    names = list(label_texts(evaluation.task.label_set))[: evaluation.task.label_set.n_scored]
    if len(names) > MOST_CLASSES:
        names, items = [f"All {evaluation.task.label_set.nouns}"], items.sum(keepdims=True)
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
    """The differences that have an interval and a p, and by which method."""
    if evaluation.certainty is None:
        return (say("The certainty was left out: differences have no interval and no adjusted p."),)
    compared = [key for key in chosen_keys(evaluation) if comparison_of(evaluation, key)]
    if not compared:
        return ()
    labels = evaluation.task.label_set
    if evaluation.gold.groups is not None:
        by_signs = say(" under random signs of whole groups")
    else:
        by_signs = ""
    intervals = say(
        f"95% CI and adjusted p: for all pairs at once (stepdown max-t{by_signs}, family-wise error 5%), or those of "
        "the comparison with the best where that decided."
    )
    metrics = say(
        f"Intervals and adjusted p are given here for {listed([phrase(key, labels) for key in compared])}, and for "
        "teams that are compared in pairs; audit compare gives them for any metric."
    )
    return intervals, metrics


def pair_sentences(pair: PairComparison, metric: str) -> Iterator[str]:
    """Sentences on two entries: over all pairs, and on this pair alone if it was fixed beforehand."""
    ahead, behind = distinct((pair.first, pair.second), NAME_LIMIT)
    difference = pair.difference
    p = pair.adjusted_p
    digits = _PAIR_DIGITS
    ends = pair.interval or (math.nan, math.nan)
    alone = pair.interval_alone
    verdict = _verdict_of(pair)
    if pair.ahead == pair.second or (verdict == "beside" and difference < 0):
        ahead, behind, difference = behind, ahead, -difference
        ends, alone = (-ends[1], -ends[0]), (-alone[1], -alone[0])
    yield say(
        PAIR_VERDICTS[verdict],
        first=ahead,
        second=behind,
        metric=metric,
        difference=number(difference, digits),
        ends=difference_ends(*ends, digits),
        p="" if p is None else p_phrase(p),
    )
    if math.isnan(pair.standard_error) or pair.standard_error <= 0:
        return
    interval = f"{number(difference, digits)} (95% CI {difference_ends(*alone, digits)})"
    beforehand = say(
        f"For a pair that was fixed before the results were known, and for no other: {interval}"
    )
    # labels, which would be exchanged, are not what every score looks at
    randomized = say(
        f", p {p_phrase(pair.randomization_p)} by approximate randomization ({N_RANDOMIZATIONS:,} randomizations), "
        "which takes the two teams’ answers to be exchangeable, more than equal scores."
    )
    yield f"{beforehand}{'.' if math.isnan(pair.randomization_p) else randomized}"


def _verdict_of(pair: PairComparison) -> str:
    if pair.interval is None or pair.adjusted_p is None:
        return "beside"
    if not pair.standard_error:
        return "identical"
    if pair.ahead:
        if pair.against_best:
            return "best"
        return "ahead"
    return "open"
