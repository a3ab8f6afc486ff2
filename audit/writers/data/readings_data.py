"""Readings as data for other programs: the presets, the macro F1 audit, and what published numbers are."""

from typing import Any

from audit.domain import (
    Evaluation,
    Identification,
    IdentifiedColumn,
    IdentifiedRanks,
    MacroF1Audit,
    Match,
    Reading,
    ReadingGroup,
)
from audit.metrics import METRICS, PRESETS, difference_in_words, reading_phrase
from audit.readings import Move, groups_by_winners, largest_move, nearest_flip, swaps
from audit.readings.macro_f1_wording import definition, presets_of, statements
from audit.writers.data.plain import nullable, picked


def preset_data() -> list[dict[str, Any]]:
    """Every preset as plain data: what it computes, what it differs in from the default, and who uses it."""
    default = Reading("averaged_f1")
    return [
        {
            **picked(preset, "slug", "title"),
            "explanation": preset.rule,
            "reading": preset.signature,
            "differs in": "; ".join(difference_in_words(reading, default, preset.labels)) or "nothing",
            "used by": preset.used_by,
            "source": preset.source,
        }
        for preset in PRESETS.values()
        if (reading := preset.reading(preset.labels)) is not None
    ]


def macro_f1_data(audit: MacroF1Audit, evaluation: Evaluation, *, whole: bool = False) -> dict[str, Any]:
    """The macro F1 audit as plain data; ``whole`` adds the task, every reading's scores and ranks, and all alike."""
    labels = evaluation.task.label_set
    flip = nearest_flip(audit)
    return {
        **({"task": evaluation.task.slug} if whole else {}),
        "base": str(audit.base),
        "readings_tried": audit.n_readings,
        "statements": statements(audit, labels),
        "for_the_paper": definition(audit.base, labels, int(evaluation.averaged.sum())),
        "formula": METRICS[audit.base.slug].formula,
        "winners": [
            {
                "teams": [audit.teams[team] for team in winners],
                "different_score_tables": len(groups),
                "nearest_reading": str(groups[0].reading),
            }
            for winners, groups in groups_by_winners(audit).items()
        ],
        "nearest_reading_with_another_winner": flip and _group_data(flip, audit),
        "farthest_move_by_one_choice": _move_data(largest_move(audit, most_changes=1), audit),
        "farthest_move": _move_data(largest_move(audit), audit),
        "swaps": [
            {
                "ahead": audit.teams[swap.ahead],
                "behind": audit.teams[swap.behind],
                "by": str(swap.first.reading),
                "not_by": str(swap.other.reading),
            }
            for swap in swaps(audit)
        ],
        "groups": [
            _group_data(group, audit)
            | {"presets": presets_of(group.readings, labels), "alike": len(group.readings)}
            | (_whole_group(group, audit, evaluation) if whole else {})
            for group in audit.groups
        ],
    }


def _group_data(group: ReadingGroup, audit: MacroF1Audit) -> dict[str, Any]:
    return {
        "reading": str(group.reading),
        "changed": list(group.changed),
        "winners": [audit.teams[team] for team in group.winners],
    }


def _whole_group(group: ReadingGroup, audit: MacroF1Audit, evaluation: Evaluation) -> dict[str, Any]:
    scores = [nullable(score) for score in group.scores.tolist()]
    ranks = [None if score is None else rank for rank, score in zip(group.ranks.tolist(), scores, strict=True)]
    return {
        "in_words": reading_phrase(group.reading, evaluation.task.label_set),
        "readings": list(map(str, group.readings)),
        "scores": dict(zip(audit.teams, scores, strict=True)),
        "ranks": dict(zip(audit.teams, ranks, strict=True)),
    }


def _move_data(move: Move | None, audit: MacroF1Audit) -> dict[str, Any] | None:
    if move is None:
        return None
    return {
        "team": audit.teams[move.team],
        "reading": str(move.group.reading),
        "rank": move.rank,
        "rank_by_base": move.base_rank,
    }


def identification_data(identification: Identification) -> dict[str, Any]:
    """Which readings a published table is of, as plain data."""
    return {
        "table": identification.path,
        "readings_tried": identification.n_readings,
        "columns": [_column_data(column) for column in identification.columns],
        "ranks": [_ranks_data(ranks) for ranks in identification.ranks],
        "names_taken_for_the_same": [
            {"published": published, "entry": entry} for published, entry in identification.renamed
        ],
        "not_in_the_campaign": list(identification.unmatched),
        "not_in_the_table": list(identification.absent),
        "not_looked_at": [{"heading": heading, "reason": reason} for heading, reason in identification.set_aside],
        "findings": list(identification.findings),
    }


def _column_data(column: IdentifiedColumn) -> dict[str, Any]:
    return {
        "heading": column.heading,
        "teams": column.n_teams,
        "scale": "percentages" if column.percent else "fractions",
        "all_match": column.is_exact,
        "matched_by_chance_at_most": column.by_chance,
        "told_from_chance": column.beats_chance,
        "heading_names_the_numbers": column.heading_says,
        "matches": [_match_data(match) for match in column.matches],
        "cannot_tell": {choice: list(values) for choice, values in column.open_choices.items()},
        "sentences": list(column.sentences),
    }


def _ranks_data(ranks: IdentifiedRanks) -> dict[str, Any]:
    nearest = ranks.nearest
    keys = ("better_team", "its_rank", "other_team", "other_rank")
    return {
        "heading": ranks.heading,
        "teams": ranks.n_teams,
        "means_of_ranks": ranks.are_means,
        "by": list(ranks.by),
        "told_from_chance": ranks.beats_chance,
        "nearest": None if nearest is None else nearest.by,
        "pairs_the_other_way_round": 0 if nearest is None else nearest.n_turned,
        "the_other_way_round": [
            dict(zip(keys, pair, strict=True)) for pair in (nearest.turned if nearest is not None else ())
        ],
        "sentences": list(ranks.sentences),
    }


def _match_data(match: Match) -> dict[str, Any]:
    return {
        "reading": str(match.reading),
        "cannot_be_told_from": list(map(str, match.readings[1:])),
        "matched": match.n_matched,
        **picked(match, "rounding", "decimals"),
        "off": [
            {
                **picked(miss, "team", "printed"),
                "computed": nullable(miss.computed),
                "difference": nullable(miss.difference),
                "reading_that_gives_it": None if miss.other is None else str(miss.other),
            }
            for miss in match.misses
        ],
    }
