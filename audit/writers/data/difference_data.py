"""The difference between two evaluations as plain data."""

from typing import Any

from audit.questions.revision.difference import (
    BoardRow,
    Difference,
    FindingChange,
    GoldChange,
    Standing,
    SubmissionChange,
)
from audit.writers.data.export import flag_data
from audit.writers.data.plain import picked

_OF_SETTINGS = ("slug", "what", "before", "after", "matters")


def difference_data(difference: Difference, sides: tuple[str, str] = ("before", "after")) -> dict[str, Any]:
    """A difference as plain data."""
    return {
        "task": difference.task,
        "same": difference.is_empty,
        "erratum": " ".join(difference.erratum),
        "what_changed": list(difference.what_changed),
        "before": _side(difference, 0, sides),
        "after": _side(difference, 1, sides),
        "gold": _gold(difference.gold),
        "submissions": [_submission(change) for change in difference.submissions],
        "settings": [picked(change, *_OF_SETTINGS) for change in difference.settings],
        "ranks_differ": difference.ranks_differ,
        "board": [_row(row) for row in difference.board],
        "findings": [_finding(change) for change in difference.findings],
    }


def _side(difference: Difference, side: int, sides: tuple[str, str]) -> dict[str, Any]:
    conclusion = difference.conclusions[side]
    return {
        "of": sides[side],
        "metric": str(difference.keys[side]),
        "signature": difference.signatures[side],
        "claim": conclusion.claim.value,
        "sentence": conclusion.sentence,
        "winners": list(conclusion.first),
        "could_be_best": list(conclusion.could_be_best),
    }


def _gold(change: GoldChange) -> dict[str, Any]:
    return {
        "items_before": change.n_before,
        "items_after": change.n_after,
        "items_in_both": change.n_common,
        "items_added": change.n_added,
        "items_removed": change.n_removed,
        "items_relabelled": None if change.n_common is None else change.n_relabelled,
        "relabelled": [{**picked(each, "before", "after"), "items": each.count} for each in change.relabelled],
    }


def _submission(change: SubmissionChange) -> dict[str, Any]:
    (role_before, role_after), (run_before, run_after) = change.roles, change.runs
    return {
        "fate": change.fate.value,
        **picked(change, "before", "after"),
        "role_before": role_before and role_before.value,
        "role_after": role_after and role_after.value,
        "run_before": run_before,
        "run_after": run_after,
        "reason": change.reason or None,
    }


def _row(row: BoardRow) -> dict[str, Any]:
    return {
        "team": row.name,
        "moved": row.moved,
        "before": row.before and _standing(row.before),
        "after": row.after and _standing(row.after),
    }


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        **picked(standing, "name", "competes"),
        "rank": standing.rank if standing.competes else None,
        "would_be_rank": standing.rank,
        **picked(standing, "printed_rank", "score", "could_be_best", "tier"),
        "possible_ranks": standing.possible_ranks and list(standing.possible_ranks),
    }


def _finding(change: FindingChange) -> dict[str, Any]:
    return {
        **picked(change, "slug", "state"),
        "before": change.before and flag_data(change.before),
        "after": change.after and flag_data(change.after),
    }
