"""The difference between two evaluations as plain data."""

from typing import Any

from audit.domain import Evaluation
from audit.findings.revision.difference import (
    Difference,
    FindingChange,
    GoldChange,
    Standing,
    SubmissionChange,
)
from audit.writers.data.export import flag_data
from audit.writers.data.plain import by_name, claim_data, picked

_OF_SETTINGS = ("slug", "what", "before", "after", "matters")


def difference_data(
    difference: Difference, sides: tuple[str, str] = ("before", "after")
) -> dict[str, Any]:
    """A difference as plain data."""
    return {
        "task": difference.after.task.slug,
        **picked(difference, "what_changed", "ranks_differ", same="is_empty"),
        "erratum": " ".join(difference.erratum),
        "before": _side(difference.before, sides[0]),
        "after": _side(difference.after, sides[1]),
        "gold": _gold(difference.gold),
        "submissions": [_submission(change) for change in difference.submissions],
        "settings": [picked(change, *_OF_SETTINGS) for change in difference.settings],
        "board": [
            {
                **picked(row, "moved", team="name"),
                "before": row.before and _standing(row.before),
                "after": row.after and _standing(row.after),
            }
            for row in difference.board
        ],
        "findings": [_finding(change) for change in difference.findings],
    }


def _side(evaluation: Evaluation, name: str) -> dict[str, Any]:
    about = {
        "of": name,
        "metric": str(evaluation.task.ranking_metric),
        "signature": evaluation.signature,
    }
    return about | claim_data(evaluation, evaluation.verdict)


def _gold(change: GoldChange) -> dict[str, Any]:
    sizes = {"items_before": "n_before", "items_after": "n_after", "items_in_both": "n_common"}
    return {
        **picked(change, **sizes, items_added="n_added", items_removed="n_removed"),
        "items_relabelled": None if change.n_common is None else change.n_relabelled,
        "relabelled": [
            {"before": before, "after": after, "items": count}
            for (before, after), count in change.relabelled.items()
        ],
    }


def _submission(change: SubmissionChange) -> dict[str, Any]:
    of_sides = by_name(
        ("role_before", "role_after", "run_before", "run_after"), (*change.roles, *change.runs)
    )
    return {
        **picked(change, "fate", "before", "after"),
        **of_sides,
        "reason": change.reason or None,
    }


def _standing(standing: Standing) -> dict[str, Any]:
    known = "printed_rank", "score", "could_be_best", "possible_ranks"
    if standing.competes:
        rank = standing.rank
    else:
        rank = None
    return {**picked(standing, "name", "competes", *known, would_be_rank="rank"), "rank": rank}


def _finding(change: FindingChange) -> dict[str, Any]:
    return {
        **picked(change, "slug", "state"),
        "before": change.before and flag_data(change.before),
        "after": change.after and flag_data(change.after),
    }
