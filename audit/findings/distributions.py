"""Whether a class distribution close to the test set’s crowns another."""

import math

from audit.domain import OBSERVED, Evaluation, Feature, Severity
from audit.domain.arrays import Floats
from audit.findings.flag_kind import Fired, flag
from audit.findings.wording import names, of, plain_names
from audit.text import listed, number, quoted

RULES_PLACE = 70


SMALL_SHIFT = 0.05


_CLASSES_NAMED = 20


@flag(
    "small-shift-crowns-another",
    "Another team wins after a small change of the class distribution",
    Severity.NOTE,
    "class-distributions",
    needs=Feature.PREVALENCES,
)
def small_shift_crowns_another(evaluation: Evaluation) -> Fired | None:
    """Whether a class distribution close to gold's has another winner.

    Fires when, with the errors within each gold class as they are, a class distribution is found within a total
    variation distance of .05 of gold’s under which another team ranks first by the ranking metric: at most 5% of the
    items would have to be of other classes. Not for a ranking metric that states its prevalence.
    """
    winner_map = evaluation.winner_map
    if winner_map is None or winner_map.key.prevalence != OBSERVED.name:
        return None
    if winner_map.nearest is None or winner_map.nearest.distance > SMALL_SHIFT:
        return None
    shift = winner_map.nearest
    by = of(evaluation, winner_map.key)
    moved = items_moved(evaluation, shift.distance)
    instead = (
        f"{names(evaluation, shift.winners)} instead of {names(evaluation, winner_map.winners)}"
    )
    changes = class_changes(evaluation, winner_map.reference, shift.shares)
    return Fired(
        sentence=f"By {by} {instead} would rank first after a small change of the class distribution, {moved} in other "
        f"classes and the errors within each class as they are: {changes}.",
        remedy="Do not generalise the win to data with another class distribution without saying so.",
        evidence={
            "metric": str(winner_map.key),
            "winners": plain_names(evaluation, winner_map.winners),
            "others": plain_names(evaluation, shift.winners),
            "total_variation": shift.distance,
            "shares": dict(zip(evaluation.task.label_set, shift.shares.tolist(), strict=True)),
        },
    )


def items_moved(evaluation: Evaluation, distance: float) -> str:
    """The number of items that have another class after a change by this total variation distance, rounded up."""
    n_items = evaluation.gold.n_items
    return f"{math.ceil(distance * n_items):,} of {n_items:,} items"


def class_changes(evaluation: Evaluation, before: Floats, after: Floats) -> str:
    """Every class whose printed share changes, with its share before and after, the most changed first."""
    labels = evaluation.task.label_set.named
    codes = abs(after - before).argsort(kind="stable")[::-1].tolist()
    changes = [
        f"{quoted(labels[code])} {number(after[code])} instead of {number(before[code])}"
        if after[code] > 0
        else f"{quoted(labels[code])} vanishes ({number(before[code])} before)"
        for code in codes
        if number(after[code]) != number(before[code])
    ]
    return listed(
        changes or [f"{quoted(labels[codes[0]])} about {number(after[codes[0]])}"],
        limit=_CLASSES_NAMED,
    )
