"""Two evaluations → their difference: inputs, boards, first places and findings side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from audit.domain import Comparison, Evaluation
from audit.questions.comparisons import comparison_of
from audit.questions.revision.changed_inputs import (
    Pair,
    gold_change,
    pairs_of,
    setting_changes,
    submission_changes,
)
from audit.questions.revision.difference import BoardRow, Conclusion, Difference, FindingChange, Standing
from audit.questions.revision.erratum import clauses_of, erratum_of
from audit.questions.wording import entrants, of
from audit.ranking import printed_ranks


def difference_of(before: Evaluation, after: Evaluation) -> Difference:
    """The changes between two evaluations, and their consequences.

    Both are judged as they are, each by its own ranking metric; nothing is scored again. Evaluations of different
    tasks can be compared too, but a sentence that says what was changed makes sense for one task only.
    """
    pairs = pairs_of(before, after)
    sides = before, after
    difference = Difference(
        task=after.task.slug,
        title=after.task.title,
        keys=(before.task.ranking_metric, after.task.ranking_metric),
        metrics=(of(before, before.task.ranking_metric), of(after, after.task.ranking_metric)),
        decimals=(before.task.printed_decimals, after.task.printed_decimals),
        signatures=(before.signature, after.signature),
        gold=gold_change(before.gold, after.gold),
        submissions=submission_changes(before, after, pairs),
        settings=setting_changes(before, after),
        board=_board(before, after, pairs),
        conclusions=(_conclusion(before), _conclusion(after)),
        findings=tuple(_findings(*sides)),
    )
    worded = replace(difference, what_changed=clauses_of(difference))
    return replace(worded, erratum=erratum_of(worded))


def _board(before: Evaluation, after: Evaluation, pairs: Sequence[Pair]) -> tuple[BoardRow, ...]:
    old, new = _standings(before), _standings(after)
    row_of = {
        other: BoardRow(None if one is None else old[one], new[other]) for one, other in pairs if other is not None
    }
    gone = {one for one, other in pairs if other is None}
    return (
        *(row_of[place] for place in _order(after)),
        *(BoardRow(old[place], None) for place in _order(before) if place in gone),
    )


def _standings(evaluation: Evaluation) -> list[Standing]:
    """The standing of each entry, in the order of the entries."""
    key = evaluation.task.ranking_metric
    printed = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
    comparison = comparison_of(evaluation, key)
    numbers = zip(evaluation.scores_of(key).tolist(), evaluation.ranks_of(key).tolist(), printed, strict=True)
    return [
        _standing(evaluation, place, score, rank, shown, comparison)
        for place, (score, rank, shown) in enumerate(numbers)
    ]


def _standing(  # noqa: PLR0913, PLR0917 - what a board has in a row
    evaluation: Evaluation, place: int, score: float, rank: int, printed: str, comparison: Comparison | None
) -> Standing:
    entry, defined = evaluation.entries[place], not np.isnan(score)
    standing = Standing(entry.name, entry.competes, score if defined else None, rank if defined else None, printed)
    if comparison is None or not comparison.tiers[place]:
        return standing
    first, last = comparison.possible_ranks[place].tolist()
    return replace(
        standing,
        could_be_best=bool(comparison.could_be_best[place]),
        uncertain=bool(comparison.uncertain[place]),
        tier=int(comparison.tiers[place]),
        possible_ranks=(first, last),
    )


def _order(evaluation: Evaluation) -> Sequence[int]:
    """The entries from best to worst; those that share a place in the order of their names."""
    key = evaluation.task.ranking_metric
    first: dict[tuple[int, bool, float | None], int] = {}
    goodness = np.nan_to_num(evaluation.goodness_of(key), nan=-np.inf).tolist()
    ranks, competing = evaluation.ranks_of(key).tolist(), evaluation.competing.tolist()
    ties = [
        (rank, takes, None if takes else good) for rank, takes, good in zip(ranks, competing, goodness, strict=True)
    ]
    for place, entry in enumerate(evaluation.order(key)):
        first.setdefault(ties[entry], place)
    return sorted(range(len(ties)), key=lambda entry: (first[ties[entry]], evaluation.names[entry]))


def _conclusion(evaluation: Evaluation) -> Conclusion:
    verdict, names = evaluation.verdict, evaluation.names
    return Conclusion(
        claim=verdict.claim,
        sentence=verdict.sentence,
        first=tuple(names[entry] for entry in verdict.winners),
        could_be_best=tuple(names[entry] for entry in verdict.could_be_best),
        n_ranked=int(evaluation.competing.sum()),
        noun=entrants(evaluation, 1).removeprefix("1 "),
    )


def _findings(before: Evaluation, after: Evaluation) -> Iterator[FindingChange]:
    """Findings of one side alone or in other words: in the new side's order, then those that are gone."""
    old, new = ({flag.slug: flag for flag in side.flags} for side in (before, after))
    for slug, flag in new.items():
        if slug not in old or (flag.severity, flag.sentence) != (old[slug].severity, old[slug].sentence):
            yield FindingChange(old.get(slug), flag)
    for slug, flag in old.items():
        if slug not in new:
            yield FindingChange(flag, None)
