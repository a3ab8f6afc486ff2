"""Flags about other class distributions: how much of the simplex the winner holds, and how near the next winner is."""

import math

from audit.domain import Evaluation, Flag, Severity, WinnerMap
from audit.flags.wording import name, names, of, plain_names
from audit.ranking import monte_carlo_interval
from audit.sentences import say
from audit.text import agreeing, listed, number, quoted

LITTLE = 0.5
SMALL_SHIFT = 0.05
_CLASSES_NAMED = 20


def winner_holds_on_little(evaluation: Evaluation) -> Flag | None:
    """Whether the winner holds on less than half of the class distributions."""
    winner_map = _not_fixed(evaluation)
    if winner_map is None:
        return None
    lower, upper = monte_carlo_interval(winner_map.holds_uniform, winner_map.n_draws)
    if upper >= LITTLE:
        return None
    most = int(winner_map.uniform.argmax())
    other = (
        ""
        if most in winner_map.winners
        else f"; {name(evaluation, most)} would be on {number(float(winner_map.uniform[most]), 2)}"
    )
    by, share = of(evaluation, winner_map.key), number(winner_map.holds_uniform, 2)
    n_first = len(winner_map.winners)
    who = f"{names(evaluation, winner_map.winners)} {agreeing(n_first, 'is', 'are')} first"
    would = "and" if n_first == 1 else "and one of them"  # the share is that of all of them together
    error = say("monte-carlo", lower=number(lower, 2), upper=number(upper, 2))
    how = f"{winner_map.n_draws:,} drawn uniformly, {error}"
    return Flag(
        slug="winner-holds-on-little-of-the-simplex",
        severity=Severity.NOTE,
        sentence=f"By {by} {who} here, {would} would be on {share} of all class distributions ({how}){other}.",
        remedy="Say that the win is one for class distributions like this test set’s; the map shows which others.",
        paper=f"By {by} {who} for the class distribution of the test set, {would} on {share} of the simplex of class "
        f"distributions{other}.",
        evidence={
            "metric": str(winner_map.key),
            "winners": plain_names(evaluation, winner_map.winners),
            "share": winner_map.holds_uniform,
            "interval": [lower, upper],
            "draws": winner_map.n_draws,
            "seed": winner_map.seed,
            "most": evaluation.entries[most].name,
            "share_of_most": float(winner_map.uniform[most]),
        },
    )


def small_shift_crowns_another(evaluation: Evaluation) -> Flag | None:
    """Whether a class distribution close to gold's has another winner."""
    winner_map = _not_fixed(evaluation)
    if winner_map is None or winner_map.nearest is None or winner_map.nearest.distance > SMALL_SHIFT:
        return None
    shift, by = winner_map.nearest, of(evaluation, winner_map.key)
    moved = items_moved(evaluation, shift.distance)
    instead = f"{names(evaluation, shift.winners)} instead of {names(evaluation, winner_map.winners)}"
    changes = class_changes(evaluation, winner_map)
    return Flag(
        slug="small-shift-crowns-another",
        severity=Severity.NOTE,
        sentence=f"By {by} {instead} would be first if {moved} had another class: {changes}.",
        remedy="Do not generalise the win to data with another class distribution without saying so.",
        paper=f"With the errors within each class as they are, a shift of the class distribution by a total variation "
        f"distance of {number(shift.distance)} makes {instead} first by {by}.",
        evidence={
            "metric": str(winner_map.key),
            "winners": plain_names(evaluation, winner_map.winners),
            "others": plain_names(evaluation, shift.winners),
            "total_variation": shift.distance,
            "shares": dict(zip(evaluation.task.label_set, shift.shares.tolist(), strict=True)),
        },
    )


def items_moved(evaluation: Evaluation, distance: float) -> str:
    """How many items have another class after a change of the class distribution, given its total variation distance.

    The number of items that is no smaller.
    """
    n_items = evaluation.gold.n_items
    return f"{math.ceil(distance * n_items):,} of {n_items:,} items"


def class_changes(evaluation: Evaluation, winner_map: WinnerMap) -> str:
    """Every class whose share the nearest change changes, with its share before and after, the most changed first."""
    if winner_map.nearest is None:
        return ""
    moved = winner_map.nearest.shares - winner_map.reference
    labels = evaluation.task.label_set.named
    codes = abs(moved).argsort(kind="stable")[::-1].tolist()
    before, after = winner_map.reference.tolist(), winner_map.nearest.shares.tolist()
    changes = [
        f"{quoted(labels[code])} {number(after[code])} instead of {number(before[code])}"
        if after[code] > 0
        else f"{quoted(labels[code])} vanishes ({number(before[code])} before)"
        for code in codes
        if number(after[code]) != number(before[code])
    ]
    return listed(changes or [f"{quoted(labels[codes[0]])} about {number(after[codes[0]])}"], limit=_CLASSES_NAMED)


def _not_fixed(evaluation: Evaluation) -> WinnerMap | None:
    """The map of the ranking metric, where the class distribution of the test set enters it."""
    winner_map = evaluation.winner_map
    return None if winner_map is None or winner_map.key.prevalence != "observed" else winner_map
