"""Several evaluations as plain data: the difference between two, and the summary of several test sets."""

import math
from collections.abc import Sequence
from typing import Any

from audit.domain import Evaluation
from audit.questions.revision.difference import Difference, FindingChange, GoldChange, Standing, SubmissionChange
from audit.questions.test_sets import part_key
from audit.ranking.families import family_of
from audit.writers.data.export import flag_data
from audit.writers.data.plain import by_name, claim_data, nullable, picked

_OF_SETTINGS = ("slug", "what", "before", "after", "matters")


def difference_data(difference: Difference, sides: tuple[str, str] = ("before", "after")) -> dict[str, Any]:
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
    about = {"of": name, "metric": str(evaluation.task.ranking_metric), "signature": evaluation.signature}
    return about | claim_data(evaluation, evaluation.verdict)


def _gold(change: GoldChange) -> dict[str, Any]:
    sizes = {"items_before": "n_before", "items_after": "n_after", "items_in_both": "n_common"}
    return {
        **picked(change, **sizes, items_added="n_added", items_removed="n_removed"),
        "items_relabelled": None if change.n_common is None else change.n_relabelled,
        "relabelled": [
            {"before": before, "after": after, "items": count} for (before, after), count in change.relabelled.items()
        ],
    }


def _submission(change: SubmissionChange) -> dict[str, Any]:
    of_sides = by_name(("role_before", "role_after", "run_before", "run_after"), (*change.roles, *change.runs))
    return {**picked(change, "fate", "before", "after"), **of_sides, "reason": change.reason or None}


def _standing(standing: Standing) -> dict[str, Any]:
    known = "printed_rank", "score", "could_be_best", "tier", "possible_ranks"
    rank = standing.rank if standing.competes else None
    return {**picked(standing, "name", "competes", *known, would_be_rank="rank"), "rank": rank}


def _finding(change: FindingChange) -> dict[str, Any]:
    return {
        **picked(change, "slug", "state"),
        "before": change.before and flag_data(change.before),
        "after": change.after and flag_data(change.after),
    }


def family_data(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """The summary of several test sets as plain data; undefined values are None."""
    family = family_of(evaluations)
    summary, ranks = family.summary, family.summary.ranks
    return {
        "family": family.evaluations[0].task.family,
        "skipped": family.skipped,
        "overall": family.evaluations[0].task.overall,
        "no_mean_interval": family.mean_interval.reason or None,
        "shared_items": [
            {
                "test_sets": [part_key(family.evaluations[place]) for place in (each.first, each.second)],
                "items": each.n_items,
            }
            for each in family.mean_interval.shared
        ],
        "test_sets": [
            {
                "task": evaluation.task.slug,
                "part": part_key(evaluation),
                "metric": str(evaluation.task.ranking_metric),
                "items": evaluation.gold.n_items,
                "weight": evaluation.task.weight,
                "signature": evaluation.signature,
            }
            for evaluation in family.evaluations
        ],
        "teams": [
            {
                "name": family.rows[row].name,
                "scores": list(map(nullable, family.scores[row].tolist())),
                "ranks": [rank or None for rank in family.ranks[row].tolist()],
                "test_sets": int(family.n_parts[row]),
                "mean_score": nullable(float(summary.mean_score[row])),
                "mean_score_lower": nullable(float(family.mean_interval.lower[row])),
                "mean_score_upper": nullable(float(family.mean_interval.upper[row])),
                "mean_rank": float(summary.mean_rank[row]),
                "borda": float(summary.borda[row]),
                **{
                    f"rank_by_{_slug(rule)}": None if math.isnan(summary.rules[rule][row]) else int(ranks[rule][row])
                    for rule in ranks
                },
            }
            for row in family.order
        ],
        "winners": {_slug(rule): [family.rows[row].name for row in rows] for rule, rows in summary.winners.items()},
    }


def _slug(rule: str) -> str:
    return rule.lower().replace(" count", "").replace(" ", "_")
