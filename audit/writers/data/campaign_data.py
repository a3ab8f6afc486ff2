"""What the tracks of a campaign show together, as plain data; undefined values are None."""

import math
from typing import Any

from audit.domain import Comparison, detectable
from audit.findings.campaign import CampaignChoice, CampaignFindings, ChoiceKind
from audit.inference.ranks_over_tracks import BORDA, MEAN_RANK
from audit.report.campaign_words import CampaignWords, track_key
from audit.writers.data.export import csv_table
from audit.writers.data.plain import nullable


def campaign_data(found: CampaignFindings) -> dict[str, Any]:
    """The tracks of a campaign side by side, with the relation over all of them."""
    words = CampaignWords(found)
    tracks = found.tracks
    means = found.means
    names = [row.name for row in tracks.rows]
    contrasts = found.contrasts
    return {
        "campaign": found.evaluations[0].task.family,
        "verdict": words.verdict(),
        "more": words.more(),
        "rule": found.rule,
        "overall": found.evaluations[0].task.overall,
        "skipped": tracks.skipped,
        "significant": found.is_significant,
        "winners": {
            _slug(rule): [names[row] for row in rows]
            for rule, rows in tracks.summary.winners.items()
        },
        "tracks": _tracks(found),
        "shared_items": [
            {
                "tracks": [
                    track_key(found.evaluations[place]) for place in (each.first, each.second)
                ],
                "items": each.n_items,
            }
            for each in means.shared
        ],
        "not_compared": found.over.reason or None,
        "teams": [_row(found, row) for row in found.order],
        "pairs": _pairs(found),
        "choices": [_choice(found, words, choice) for choice in (*found.choices, *found.metrics)],
        "contrasts": {
            "first_in_no_track": contrasts.in_no_track,
            "significant_only_together": contrasts.only_together,
            "in_every_set_but_overall": [names[row] for row in contrasts.everywhere_but_overall],
        },
        "spearman": [[nullable(value) for value in row] for row in found.spearman.tolist()],
    }


def _tracks(found: CampaignFindings) -> list[dict[str, Any]]:
    return [
        {
            "task": evaluation.task.slug,
            "track": track_key(evaluation),
            "metric": str(evaluation.task.ranking_metric),
            "items": evaluation.gold.n_units,
            "weight": evaluation.task.weight,
            "teams": len({entry.team for entry in evaluation.entries if entry.competes}),
            "runs": sum(entry.competes for entry in evaluation.entries),
            "verdict": evaluation.verdict.sentence,
            "signature": evaluation.signature,
        }
        for evaluation in found.evaluations
    ]


def _row(found: CampaignFindings, row: int) -> dict[str, Any]:
    tracks = found.tracks
    summary = found.tracks.summary
    comparison = found.comparison
    lower, upper = found.means.shown_ends
    intervals: dict[str, float | None] = {}
    for rule in (MEAN_RANK, BORDA):
        if rule == found.rule or found.has_few_rows:
            ends = [nullable(float(end[row])) for end in found.compared_by(rule).shown_ends]
            intervals |= {f"{_slug(rule)}_lower": ends[0], f"{_slug(rule)}_upper": ends[1]}
    is_compared = comparison is not None and bool(comparison.possible_ranks[row, 0])
    ranks = {
        f"rank_by_{_slug(rule)}": None if math.isnan(values[row]) else int(summary.ranks[rule][row])
        for rule, values in summary.rules.items()
    }
    is_ranked = bool(summary.ranked[row])
    return {
        "name": tracks.rows[row].name,
        "team": tracks.rows[row].team,
        "scores": list(map(nullable, tracks.scores[row].tolist())),
        "ranks": [rank or None for rank in tracks.ranks[row].tolist()],
        "tracks": int(tracks.n_parts[row]),
        "mean_score": nullable(float(summary.mean_score[row])) if is_ranked else None,
        "mean_score_lower": nullable(float(lower[row])),
        "mean_score_upper": nullable(float(upper[row])),
        "corrected_for_selection": is_compared and row in found.winners,
        "in_confidence_set": bool(comparison.could_be_best[row])
        if comparison is not None and is_compared
        else None,
        "possible_ranks": comparison.possible_ranks[row].tolist()
        if comparison is not None and is_compared
        else None,
        "mean_rank": nullable(float(summary.mean_rank[row])) if is_ranked else None,
        "borda": nullable(float(summary.borda[row])) if is_ranked else None,
        **intervals,
        **ranks,
    }


def _pairs(found: CampaignFindings) -> list[dict[str, Any]]:
    """Every pair of the rows that every track compares, the better one first."""
    comparison = found.comparison
    if comparison is None:
        return []
    order = [row for row in found.ranked if comparison.possible_ranks[row, 0]]
    return [
        pair_data(found, comparison, above, below)
        for place, above in enumerate(order)
        for below in order[place + 1 :]
    ]


def pair_data(
    found: CampaignFindings, comparison: Comparison | None, first: int, second: int
) -> dict[str, Any]:
    """One pair of rows by the rule of the ranking."""
    goodness = found.tracks.summary.rules[found.rule]
    names = [found.tracks.rows[row].name for row in (first, second)]
    if comparison is None or not comparison.compares([first, second]):
        difference = nullable(float(goodness[first] - goodness[second]))
        return {
            "first": names[0],
            "second": names[1],
            "difference": difference,
            "adjusted_p": None,
            "ahead": None,
        }
    ahead = comparison.ahead
    return {
        "first": names[0],
        "second": names[1],
        "difference": nullable(float(goodness[first] - goodness[second])),
        "lower": _bound(float(comparison.difference_lower[first, second])),
        "upper": _bound(float(comparison.difference_upper[first, second])),
        "adjusted_p": float(comparison.adjusted_p[first, second]),
        "against_best": bool(
            comparison.against_best[first, second] or comparison.against_best[second, first]
        ),
        "ahead": names[0] if ahead[first, second] else names[1] if ahead[second, first] else None,
    }


def power_data(found: CampaignFindings) -> dict[str, Any]:
    """The smallest difference that the tracks detect, by the rule of the ranking."""
    comparison = found.comparison
    error = found.median_error
    if comparison is None:
        critical = math.nan
    else:
        critical = comparison.critical_value
    return {
        "campaign": found.evaluations[0].task.family,
        "median_error": nullable(error),
        "critical_value": _bound(critical),
        "detected_half_the_time": _bound(critical * error),
        "detected_80_percent_of_the_time": _bound(detectable(critical, error)),
    }


def campaign_csv(found: CampaignFindings) -> str:
    """A row for each team: overall rank, mean, interval, possible ranks; then score and rank in each track.

    What teams.csv says of a team comes last.
    """
    columns = list(found.about_columns)
    of_tracks = [track_key(evaluation) for evaluation in found.evaluations]
    heads = ["team", "rank", "mean_score", "lower", "upper", "in_confidence_set", "first_possible_rank",
             "last_possible_rank", "mean_rank", "borda", "tracks"]  # fmt: skip
    heads += [f"{name} {what}" for name in of_tracks for what in ("score", "rank")] + columns
    rows = []
    for each in (_row(found, row) for row in found.order):
        possible = each["possible_ranks"] or (None, None)
        row = [each["name"], each[f"rank_by_{_slug(found.rule)}"], each["mean_score"], each["mean_score_lower"],
               each["mean_score_upper"], each["in_confidence_set"], *possible, each["mean_rank"], each["borda"],
               each["tracks"]]  # fmt: skip
        for score, rank in zip(each["scores"], each["ranks"], strict=True):
            row += [score, rank]
        said = found.about.get(each["team"], {})
        rows.append([*row, *(said.get(column, "") for column in columns)])
    return csv_table(heads, rows)


def _bound(end: float) -> float | None:
    if math.isfinite(end):
        return end
    return None


def _choice(
    found: CampaignFindings, words: CampaignWords, choice: CampaignChoice
) -> dict[str, Any]:
    is_of_track = choice.kind is ChoiceKind.TRACK_LEFT_OUT
    return {
        "kind": choice.kind.value,
        "choice": track_key(found.evaluations[int(choice.name)]) if is_of_track else choice.name,
        "winners": [found.tracks.rows[row].name for row in choice.winners],
        "state": choice.state.value,
        "sentence": words.choice_sentence(choice),
    }


def _slug(rule: str) -> str:
    return rule.lower().replace(" count", "").replace(" ", "_")
