"""Flags about parts of the test set: whether one of them, evaluated by itself, crowns another."""

from audit.domain import Evaluation, Flag, Severity, Slice, Sliced
from audit.flags.wording import names, plain_names, winners_by
from audit.sentences import say
from audit.text import listed, number, quoted

_SHOWN = 3
_PARTS_SHOWN = 5
VALUE_LIMIT = 40


def slice_crowns_another(evaluation: Evaluation) -> Flag | None:
    """Whether another team is first in some part of the test set, and whether its items show it."""
    slices = [sliced for sliced in evaluation.slices if others_crowned(sliced)]
    if not slices:
        return None
    first = winners_by(evaluation, evaluation.task.ranking_metric)
    clauses = "; ".join(f"by {quoted(sliced.column, VALUE_LIMIT)}, {crowned(evaluation, sliced)}" for sliced in slices)
    return Flag(
        slug="slice-crowns-another",
        severity=Severity.WINNER,
        sentence=f"Part of the test set crowns another than {names(evaluation, first, _SHOWN)}: {clauses}.",
        remedy="Say that the ranking is that of all items together, and show the ranking of each part.",
        paper=f"{names(evaluation, first, _SHOWN)} is not first in every part of the test set: {clauses}.",
        evidence={
            "first": plain_names(evaluation, first),
            "columns": [
                {
                    "column": sliced.column,
                    "slices": [
                        {
                            "slice": part.value,
                            "items": part.n_items,
                            "first": plain_names(evaluation, part.verdict.winners),
                            "state": None if part.state is None else part.state.value,
                        }
                        for part in sliced.slices
                    ],
                }
                for sliced in slices
            ],
        },
    )


def others_crowned(sliced: Sliced) -> list[Slice]:
    """The parts that crown another than the whole test set does."""
    return [part for part in sliced.slices if part.crowns_another]


def crowned(evaluation: Evaluation, sliced: Sliced) -> str:
    """Which parts crown whom, with what the items show of it, as part of a sentence."""
    return listed([_clause(evaluation, part) for part in others_crowned(sliced)], limit=_PARTS_SHOWN)


def _clause(evaluation: Evaluation, part: Slice) -> str:
    row = evaluation.row(evaluation.task.ranking_metric)
    score = float(part.values[row, part.verdict.winners[0]])
    facts = {
        "slice": quoted(part.value, VALUE_LIMIT),
        "names": names(evaluation, part.verdict.winners, _SHOWN),
        "score": number(score, evaluation.task.printed_decimals),
    }
    if part.state is None:
        return say("slice-led", **facts)
    return say("slice-crowns", **facts, state=say(f"state-{part.state}"))


def slices_statement(evaluation: Evaluation, sliced: Sliced) -> str:
    """Whether a cut crowns another, in one sentence."""
    column, n_parts = quoted(sliced.column, VALUE_LIMIT), len(sliced.slices)
    if others_crowned(sliced):
        return say("slices-crown", column=column, clauses=crowned(evaluation, sliced))
    first = winners_by(evaluation, evaluation.task.ranking_metric)
    led = [part for part in sliced.slices if part.verdict.winners]
    if not led:
        return say("slices-nobody", column=column)
    if not first:
        clauses = listed([_clause(evaluation, part) for part in led], limit=_PARTS_SHOWN)
        return say("slices-tied", column=column, clauses=clauses)
    n_told = len(led)
    each = f"each of {n_parts} parts" if n_told == n_parts else f"{n_told} of {n_parts} parts, and nobody in the others"
    return say("slices-hold", column=column, names=names(evaluation, first, _SHOWN), parts=each)
