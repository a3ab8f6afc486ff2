"""What an evaluation shows beyond its scores → rows: readings, class distributions, elections, properties, publication.

All of it follows from the evaluation, as a report has it; a store keeps it for those who ask in SQL.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from audit.domain import Evaluation, Identification, MacroF1Audit, Match, Reading, WinnerMap
from audit.metrics import Addition, Witness
from audit.ranking import Demonstration, Verdict, default_voters, demonstrate, verdicts_of
from audit.readings import audit_macro_f1
from audit.store.rows import undefined_as_null
from audit.store.tables import (
    Base,
    ElectionRow,
    ElectionValueRow,
    ElectionVoterRow,
    IdentifiedColumnRow,
    IdentifiedMatchRow,
    IdentifiedMissRow,
    MetricPropertyRow,
    ReadingGroupRow,
    ReadingRow,
    ReadingScoreRow,
    WinnerMapClassRow,
    WinnerMapRow,
    WinnerMapShareRow,
    WitnessAdditionRow,
    WitnessRow,
)

Row = dict[str, Any]
Rows = list[Row]
Findings = Sequence[tuple[type[Base], Rows]]
"""The rows of each table."""
Ids = Mapping[str, int]
"""The submission of each entry, by the entry's name."""


def rows_of_findings(evaluation: Evaluation, submission_ids: Sequence[int]) -> Iterator[tuple[type[Base], Rows]]:
    """The rows of each table without their evaluation, those first that others refer to.

    Parameters
    ----------
    evaluation : Evaluation
        Of one without answers, which is put together by hand, only the winner map and what was published are known.
    submission_ids : sequence of int
        The rows of its entries, in their order.
    """
    ids = dict(zip(evaluation.names, submission_ids, strict=True))
    if evaluation.answers is not None:
        audit = audit_macro_f1(evaluation)
        if audit is not None:
            yield from _readings(audit, ids)
        yield from _elections(evaluation, submission_ids)
        yield from _properties(evaluation, submission_ids)
    if evaluation.winner_map is not None:
        yield from _winner_map(evaluation, evaluation.winner_map, submission_ids)
    if evaluation.published is not None:
        yield from _published(evaluation.published, ids)


# Readings


def _readings(audit: MacroF1Audit, ids: Ids) -> Iterator[tuple[type[Base], Rows]]:
    groups = list(enumerate(audit.groups))
    yield (
        ReadingGroupRow,
        [{"position": at, "reading": str(group.reading), "n_changes": len(group.changed)} for at, group in groups],
    )
    yield (
        ReadingRow,
        [
            {"group_position": at, "position": position, **_reading(reading)}
            for at, group in groups
            for position, reading in enumerate(group.readings)
        ],
    )
    teams = [ids[name] for name in audit.teams]
    yield (
        ReadingScoreRow,
        [
            {"group_position": at, "submission_id": team, "value": value, "rank": rank}
            for at, group in groups
            for team, value, rank in zip(teams, undefined_as_null(group.scores), group.ranks.tolist(), strict=True)
        ],
    )


def _reading(reading: Reading) -> Row:
    """A reading, choice by choice."""
    return {
        "reading": str(reading),
        "metric": reading.metric,
        "class_set": reading.classes.value,
        "named": reading.named.value,
        "undefined": reading.undefined.value,
        "f1_undefined": reading.f1_undefined.value,
        "missing": reading.missing.value,
        "prevalence": reading.prevalence,
    }


# Class distributions


def _winner_map(
    evaluation: Evaluation, found: WinnerMap, submission_ids: Sequence[int]
) -> Iterator[tuple[type[Base], Rows]]:
    nearest = found.nearest
    yield (
        WinnerMapRow,
        [
            {
                "metric": found.key.metric,
                "prevalence": found.key.prevalence,
                "holds_uniform": found.holds_uniform,
                "holds_nearby": found.holds_nearby,
                "n_draws": found.n_draws,
                "seed": found.seed,
                "concentration": found.concentration,
                "mean_total_variation_nearby": found.spread,
                "nearest_total_variation": nearest and nearest.distance,
            }
        ],
    )
    yield (
        WinnerMapShareRow,
        [
            {
                "submission_id": submission_id,
                "uniform": uniform,
                "nearby": nearby,
                "is_first": team in found.winners,
                "is_first_at_nearest": None if nearest is None else team in nearest.winners,
            }
            for team, (submission_id, uniform, nearby) in enumerate(
                zip(submission_ids, found.uniform.tolist(), found.nearby.tolist(), strict=True)
            )
            if evaluation.competing[team]
        ],
    )
    at_nearest = [None] * len(found.reference) if nearest is None else nearest.shares.tolist()
    yield (
        WinnerMapClassRow,
        [
            {"position": code, "label": label, "share": share, "share_at_nearest": moved}
            for code, (label, share, moved) in enumerate(
                zip(evaluation.task.label_set, found.reference.tolist(), at_nearest, strict=True)
            )
        ],
    )


# Elections


def _elections(evaluation: Evaluation, submission_ids: Sequence[int]) -> Iterator[tuple[type[Base], Rows]]:
    voters = default_voters()
    verdicts = verdicts_of(evaluation, voters)
    yield ElectionRow, [_election(*numbered) for numbered in enumerate(verdicts)]
    yield (
        ElectionVoterRow,
        [{"position": at, "metric": key.metric, "prevalence": key.prevalence} for at, key in enumerate(voters)],
    )
    competing = np.flatnonzero(evaluation.competing).tolist()
    yield (
        ElectionValueRow,
        [
            {
                "rule": verdict.rule.slug,
                "submission_id": submission_ids[team],
                "value": value,
                "is_winner": team in verdict.winners,
            }
            for verdict in verdicts
            for team, value in zip(competing, undefined_as_null(verdict.stated_values[competing]), strict=True)
        ],
    )


def _election(position: int, verdict: Verdict) -> Row:
    rule = verdict.rule
    return {
        "position": position,
        "rule": rule.slug,
        "title": rule.title,
        "unit": rule.unit,
        "assumes": rule.assumes,
    }


# Properties


def _properties(evaluation: Evaluation, submission_ids: Sequence[int]) -> Iterator[tuple[type[Base], Rows]]:
    found = demonstrate(evaluation)
    yield (
        MetricPropertyRow,
        [{**_property(each), "holds": each.mark.words} for each in found],
    )
    shown = [(_property(each), each.witness) for each in found if each.witness is not None]
    yield WitnessRow, [{**of, **row} for of, witness in shown for row in _witness(witness, submission_ids)]
    labels = (*evaluation.task.label_set, None)
    yield WitnessAdditionRow, [{**of, **row} for of, witness in shown for row in _additions(witness, labels)]


def _property(found: Demonstration) -> Row:
    return {"metric": found.metric.slug, "property": found.property_}


def _witness(witness: Witness, submission_ids: Sequence[int]) -> Iterator[Row]:
    for position, (team, balanced, score, confusion) in enumerate(
        zip(
            witness.teams,
            witness.balanced,
            undefined_as_null(witness.scores),
            witness.confusions.tolist(),
            strict=True,
        )
    ):
        yield {
            "position": position,
            "submission_id": submission_ids[team] if team >= 0 else None,
            "balanced": balanced,
            "score": score,
            "confusion": json.dumps(confusion),
        }


def _additions(witness: Witness, labels: Sequence[str | None]) -> Iterator[Row]:
    for at, additions in enumerate(witness.additions):
        for position, addition in enumerate(additions):
            yield {"witness_position": at, "position": position, **_addition(addition, labels)}


def _addition(addition: Addition, labels: Sequence[str | None]) -> Row:
    return {
        "gold": labels[addition.gold],
        "predicted": labels[addition.predicted],
        "n_items": addition.amount,
    }


# What was published


def _published(found: Identification, ids: Ids) -> Iterator[tuple[type[Base], Rows]]:
    columns = list(enumerate(found.columns))
    yield (
        IdentifiedColumnRow,
        [
            {
                "position": at,
                "heading": column.heading,
                "n_teams": column.n_teams,
                "percent": column.percent,
                "heading_says": column.heading_says,
            }
            for at, column in columns
        ],
    )
    matches = [
        ({"column_position": at}, position, match)
        for at, column in columns
        for position, match in enumerate(column.matches)
    ]
    yield IdentifiedMatchRow, [{**of, "position": position, **_match(match)} for of, position, match in matches]
    yield (
        IdentifiedMissRow,
        [{**of, "match_position": position, **miss} for of, position, match in matches for miss in _misses(match, ids)],
    )


def _match(match: Match) -> Row:
    return {
        "reading": str(match.reading),
        "n_readings": len(match.readings),
        "n_matched": match.n_matched,
        "rounding": match.rounding,
        "decimals": match.decimals,
    }


def _misses(match: Match, ids: Ids) -> Rows:
    numbers = undefined_as_null(np.array([(miss.computed, miss.difference) for miss in match.misses]).reshape(-1, 2))
    return [
        {
            "submission_id": ids[miss.team],
            "printed": miss.printed,
            "computed": computed,
            "difference": difference,
            "reading_that_gives_it": None if miss.other is None else str(miss.other),
        }
        for miss, (computed, difference) in zip(match.misses, numbers, strict=True)
    ]
