"""Whether a part of the test set crowns another."""

from audit.domain import Evaluation, Severity, Slice
from audit.findings.comparisons import state_in_words
from audit.findings.flag_kind import Fired, flag
from audit.findings.wording import VALUE_LIMIT, names, plain_names, winners_by
from audit.text import listed, quoted

RULES_PLACE = 30


MOST_NAMED = 3  # teams
_PARTS_SHOWN = 5


def state_of_part(part: Slice) -> str:
    """What becomes of the first place in a part of the test set, in words."""
    if part.state is None:
        return ""
    return state_in_words(part.state, "slice")


@flag(
    "slice-crowns-another",
    "The winner changes with the part of the test set",
    Severity.WINNER,
    "slices",
)
def slice_crowns_another(evaluation: Evaluation) -> Fired | None:
    """Whether another team is first in some part of the test set, and whether its items show it.

    Fires when columns of gold cut the test set into parts (slices in task.toml) and, by the ranking metric, those that
    are first in some part are others than those that are first in the whole test set. It is significant iff
    the first in the part is significantly ahead, on its items, of the first of the whole test set; whether that one is
    significantly ahead of it on all items is said, too. 5% holds for each part by itself.
    """
    slices = [
        sliced for sliced in evaluation.slices if any(part.crowns_another for part in sliced.slices)
    ]
    if not slices:
        return None
    first = winners_by(evaluation, evaluation.task.ranking_metric)
    clauses = [
        f"{names(evaluation, part.verdict.winners, MOST_NAMED)} in {quoted(part.value, VALUE_LIMIT)} by "
        f"{quoted(sliced.column, VALUE_LIMIT)} ({state_of_part(part)})"
        for sliced in slices
        for part in sliced.slices
        if part.crowns_another and part.state is not None
    ]
    return Fired(
        sentence=f"In parts of the test set others than {names(evaluation, first, MOST_NAMED)} rank first: "
        f"{listed(clauses, limit=_PARTS_SHOWN)}.",
        remedy="Say that the ranking is that of all items together, and show the ranking of each part.",
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
