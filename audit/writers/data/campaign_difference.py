"""What became of a campaign with several tracks between two evaluations, as plain data, with words for an erratum."""

from collections.abc import Iterator
from typing import Any

from audit.findings.campaign import CampaignFindings
from audit.ranking.ranks import printed_ranks
from audit.report.campaign_words import CampaignWords
from audit.text import listed

_SHOWN = 6


def campaign_difference_data(before: CampaignFindings, after: CampaignFindings) -> dict[str, Any]:
    """A difference of two states of a campaign, with the fields that the difference of a single task has."""
    board = _board(before, after)
    moved = [row for row in board if row["moved"]]
    sides = [CampaignWords(found).verdict() for found in (before, after)]
    return {
        "task": after.evaluations[0].task.family,
        "what_changed": [],
        "same": sides[0] == sides[1] and not moved,
        "ranks_differ": bool(moved),
        "erratum": " ".join(_erratum(sides[0], sides[1], moved)),
        "before": {"of": "before", "sentence": sides[0]},
        "after": {"of": "after", "sentence": sides[1]},
        "gold": {"relabelled": []},
        "submissions": [],
        "settings": [],
        "board": board,
        "findings": [],
    }


def _board(before: CampaignFindings, after: CampaignFindings) -> list[dict[str, Any]]:
    """Every row of either side: its overall rank, its value, and whether it is in the confidence set."""
    sides = [_standings(found) for found in (before, after)]
    names = dict.fromkeys([*sides[1], *sides[0]])
    board = []
    for name in names:
        one = sides[0].get(name)
        other = sides[1].get(name)
        moved = one is None or other is None or one["rank"] != other["rank"]
        board.append({"team": name, "moved": moved, "before": one, "after": other})
    return board


def _standings(found: CampaignFindings) -> dict[str, dict[str, Any]]:
    summary = found.tracks.summary
    values = summary.rules[found.rule]
    printed = printed_ranks(values)
    ranked = set(found.ranked)
    comparison = found.comparison
    standings = {}
    for row in found.order:
        is_ranked = row in ranked
        is_compared = comparison is not None and bool(comparison.possible_ranks[row, 0])
        standings[found.tracks.rows[row].name] = {
            "rank": int(summary.ranks[found.rule][row]) if is_ranked else None,
            "printed_rank": printed[row] if is_ranked else "–",
            "score": abs(float(values[row])) if is_ranked else None,
            "could_be_best": (
                bool(comparison.could_be_best[row])
                if comparison is not None and is_compared
                else None
            ),
        }
    return standings


def _erratum(before: str, after: str, moved: list[dict[str, Any]]) -> Iterator[str]:
    """Sentences for an erratum: what is said over all tracks now, what was said, which overall ranks changed."""
    if before == after:
        yield f"Over all tracks it still holds: {after}"
    else:
        yield f"Over all tracks: {after} Before the correction: {before}"
    texts = [
        f"{row['team']} ({row['before']['printed_rank']} → {row['after']['printed_rank']})"
        for row in moved
        if row["before"] and row["after"]
    ]
    if texts:
        yield f"Overall ranks changed: {listed(texts, limit=_SHOWN)}."
