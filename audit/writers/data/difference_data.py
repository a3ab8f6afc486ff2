"""The difference between two evaluations as plain data."""

from typing import Any

from audit.domain import Flag
from audit.questions.revision import (
    BoardRow,
    Difference,
    FindingChange,
    GoldChange,
    SettingChange,
    Standing,
    SubmissionChange,
)
from audit.writers.data.export import flag_data


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
        "settings": [_setting(change) for change in difference.settings],
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
        "relabelled": [{"before": each.before, "after": each.after, "items": each.count} for each in change.relabelled],
    }


def _submission(change: SubmissionChange) -> dict[str, Any]:
    (role_before, role_after), (run_before, run_after) = change.roles, change.runs
    return {
        "fate": change.fate.value,
        "before": change.before,
        "after": change.after,
        "role_before": role_before and role_before.value,
        "role_after": role_after and role_after.value,
        "run_before": run_before,
        "run_after": run_after,
        "reason": change.reason or None,
    }


def _setting(change: SettingChange) -> dict[str, Any]:
    return {
        "slug": change.slug,
        "what": change.what,
        "before": change.before,
        "after": change.after,
        "matters": change.matters,
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
        "name": standing.name,
        "competes": standing.competes,
        "rank": standing.rank if standing.competes else None,
        "would_be_rank": standing.rank,
        "printed_rank": standing.printed_rank,
        "score": standing.score,
        "could_be_best": standing.could_be_best,
        "tier": standing.tier,
        "possible_ranks": standing.possible_ranks and list(standing.possible_ranks),
    }


def _finding(change: FindingChange) -> dict[str, Any]:
    return {
        "slug": change.slug,
        "state": change.state,
        "before": _flag(change.before),
        "after": _flag(change.after),
    }


def _flag(flag: Flag | None) -> dict[str, Any] | None:
    return None if flag is None else flag_data(flag)
