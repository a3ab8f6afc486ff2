"""What commands print as JSON: other distributions, rules and readings, power, plans, and one confusion’s scores."""

from collections.abc import Sequence
from typing import Any

from audit.domain import (
    Evaluation,
    Identification,
    IdentifiedColumn,
    IdentifiedRanks,
    IdentifiedTable,
    LabelSet,
    MacroF1Audit,
    Match,
    Outcome,
    Plan,
    Reading,
    ReadingGroup,
    ScoreKey,
    WinnerMap,
)
from audit.findings.power_sentences import needed_items, plan_sentences, power_sentences
from audit.inference.confusions_alone import ConfusionScores
from audit.metrics import METRICS, PRESETS, difference_in_words, prevalence_shares, reading_phrase
from audit.ranking.nearest import monte_carlo_interval
from audit.ranking.rank_aggregation import RULES, default_voters, outcomes_of
from audit.readings import Move, groups_by_winners, largest_move, nearest_flip
from audit.readings.macro_f1_wording import definition, presets_of, statements
from audit.report.power import powers_of
from audit.report.properties import metrics_with_properties
from audit.writers.data.certainty_data import power_document
from audit.writers.data.plain import by_name, nullable, picked, plain, reasons


def map_data(evaluation: Evaluation, winner_map: WinnerMap | None) -> dict[str, Any] | None:
    """A winner map as plain data; None where no other team could win."""
    if winner_map is None:
        return None
    return {
        **picked(
            winner_map,
            "seed",
            "concentration",
            metric="key",
            draws="n_draws",
            mean_total_variation_nearby="spread",
        ),
        "reference": by_name(evaluation.task.label_set, plain(winner_map.reference)),
        "winners": _names(evaluation, winner_map.winners),
        "holds_uniform": _share_data(winner_map.holds_uniform, winner_map.n_draws),
        "holds_nearby": _share_data(winner_map.holds_nearby, winner_map.n_draws),
        "uniform": by_name(evaluation.names, winner_map.uniform.tolist()),
        "nearby": by_name(evaluation.names, winner_map.nearby.tolist()),
        "nearest_change": None
        if winner_map.nearest is None
        else {
            "shares": by_name(evaluation.task.label_set, plain(winner_map.nearest.shares)),
            "total_variation": winner_map.nearest.distance,
            "winners": _names(evaluation, winner_map.nearest.winners),
        },
    }


def _share_data(share: float, n_draws: int) -> dict[str, Any]:
    return {"share": share, "monte_carlo_interval": list(monte_carlo_interval(share, n_draws))}


def scenario_data(evaluation: Evaluation, scenario: Evaluation, key: ScoreKey) -> dict[str, Any]:
    """Scores and ranks at a class distribution as plain data."""
    (prevalence,) = scenario.prevalences
    shares = prevalence_shares(prevalence, evaluation.prevalence_counts, evaluation.task.label_set)
    names = evaluation.names
    return {
        "prevalence": prevalence.name,
        "shares": by_name(evaluation.task.label_set, plain(shares)),
        "winners": _names(evaluation, scenario.winners(ScoreKey(key.metric, prevalence.name))),
        "scores": {
            each.metric: by_name(names, plain(row))
            for each, row in zip(scenario.keys, scenario.values, strict=True)
        },
        "ranks": {
            each.metric: {name: rank or None for name, rank in zip(names, row, strict=True)}
            for each, row in zip(scenario.keys, scenario.rank_values.tolist(), strict=True)
        },
    }


def shift_data(
    evaluation: Evaluation,
    key: ScoreKey,
    scenarios: Sequence[Evaluation],
    winner_map: WinnerMap | None,
) -> dict[str, Any]:
    """Rankings under other class distributions as plain data."""
    return {
        "task": evaluation.task.slug,
        "metric": str(key),
        "map": map_data(evaluation, winner_map),
        "scenarios": [scenario_data(evaluation, each, key) for each in scenarios],
    }


def elections_data(
    evaluation: Evaluation, keys: Sequence[ScoreKey] | None = None
) -> dict[str, Any]:
    """The winners under each rule, as plain data."""
    if keys is None:
        outcomes = evaluation.elections
    else:
        outcomes = outcomes_of(evaluation, keys)
    return {
        "metrics": list(
            map(str, default_voters(evaluation.task.label_set) if keys is None else keys)
        ),
        "rules": [_outcome_data(evaluation, outcome) for outcome in outcomes],
    }


def _outcome_data(evaluation: Evaluation, outcome: Outcome) -> dict[str, Any]:
    rule = RULES[outcome.rule]
    return {
        **picked(rule, "assumes", "unit", rule="slug"),
        "winners": _names(evaluation, outcome.winners),
        "values": by_name(evaluation.names, plain(rule.stated(outcome.values))),
    }


def properties_data(label_set: LabelSet) -> list[dict[str, Any]]:
    """Which metric has which of the properties PI–PV, as plain data."""
    return [
        {"metric": metric.slug, "property": name, "holds": mark.words}
        for metric in metrics_with_properties(label_set)
        for name, mark in vars(metric.properties).items()
    ]


def _names(evaluation: Evaluation, teams: Sequence[int]) -> list[str]:
    return [evaluation.names[team] for team in teams]


_FROM_POWER = (
    *("found_half_the_time", "detected_among_all", "detected_as_pair"),
    *("median_found_half_the_time", "median_detected_among_all", "median_detected_as_pair"),
)


def power_data(evaluation: Evaluation, key: ScoreKey) -> dict[str, Any]:
    """The power of the test set as data for JSON: sentences by one metric, numbers by every metric."""
    powers = powers_of(evaluation, key)
    return {
        "task": evaluation.task.slug,
        "metric": str(key),
        "sentences": list(power_sentences(evaluation, key)),
        "power": [
            {
                **record,
                **picked(power, *_FROM_POWER),
                **dict(
                    zip(
                        ("needed_as_pair", "needed_among_all"),
                        needed_items(evaluation, power),
                        strict=True,
                    )
                ),
                "items_that_carry": power.carried_by and power.carried_by.n_items,
            }
            for power, record in zip(powers, power_document(powers, evaluation.names), strict=True)
        ],
    }


def plan_data(plan: Plan, label_set: LabelSet, files: Sequence[str]) -> dict[str, Any]:
    """A plan as data for JSON."""
    return {
        **picked(plan, "difference", "critical_value", "deviations", metric="key", teams="n_teams"),
        "pilots": [
            {"file": file, "score": value, "items": n_items}
            for file, value, n_items in zip(files, plan.scores, plan.n_items, strict=True)
        ],
        "needed": [picked(each, "correlation", "as_pair", "among_all") for each in plan.needed],
        "sentences": list(plan_sentences(plan, label_set)),
    }


def confusion_data(scores: ConfusionScores) -> dict[str, Any]:
    """Labels, counts and scores as plain data; undefined numbers are None."""
    ends = zip(scores.lower.tolist(), scores.upper.tolist(), strict=True)
    rows = zip(scores.keys, scores.values.tolist(), ends, scores.marks, strict=True)
    return {
        "items": int(scores.confusion.sum()),
        "labels": list(scores.labels),
        "confusion": scores.confusion.tolist(),
        "scores": {
            str(key): {
                "score": nullable(value),
                "interval": None if nullable(lower) is None else [lower, upper],
                **reasons(lower, mark),
            }
            for key, value, (lower, upper), mark in rows
        },
        "macro_f1": {
            "averaged_f1": nullable(scores.averaged_f1),
            "f1_of_averages": nullable(scores.f1_of_averages),
            "gap": nullable(scores.gap),
            "class_pairs": [
                {"classes": list(pair.labels), "part": pair.part, "share": pair.share}
                for pair in scores.gap_pairs
            ],
        },
    }


def preset_data() -> list[dict[str, Any]]:
    """Every preset as plain data: what it computes, what it differs in from the default, and who uses it."""
    default = Reading("averaged_f1")
    return [
        {
            **picked(preset, "slug", "title"),
            "explanation": preset.rule,
            "reading": preset.signature,
            "differs in": "; ".join(difference_in_words(reading, default, preset.labels))
            or "nothing",
            "used by": preset.used_by,
            "source": preset.source,
        }
        for preset in PRESETS.values()
        if (reading := preset.reading(preset.labels)) is not None
    ]


def macro_f1_data(
    audit: MacroF1Audit, evaluation: Evaluation, *, whole: bool = False
) -> dict[str, Any]:
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
        "groups": [
            _group_data(group, audit)
            | {"presets": presets_of(group.readings, labels), "alike": len(group.readings)}
            | (_whole_group(group, audit, evaluation) if whole else {})
            for group in audit.groups
        ],
    }


def _group_data(group: ReadingGroup, audit: MacroF1Audit) -> dict[str, Any]:
    return {
        **picked(group, "reading", "changed"),
        "winners": [audit.teams[team] for team in group.winners],
    }


def _whole_group(
    group: ReadingGroup, audit: MacroF1Audit, evaluation: Evaluation
) -> dict[str, Any]:
    scores = plain(group.scores)
    ranks = [
        None if score is None else rank
        for rank, score in zip(group.ranks.tolist(), scores, strict=True)
    ]
    return {
        "in_words": reading_phrase(group.reading, evaluation.task.label_set),
        "readings": list(map(str, group.readings)),
        "scores": by_name(audit.teams, scores),
        "ranks": by_name(audit.teams, ranks),
    }


def _move_data(move: Move | None, audit: MacroF1Audit) -> dict[str, Any] | None:
    if move is None:
        return None
    return {
        **picked(move, "rank", rank_by_base="base_rank"),
        "team": audit.teams[move.team],
        "reading": str(move.group.reading),
    }


def identification_data(identification: Identification) -> dict[str, Any]:
    """The readings that published tables are of, as plain data."""
    absent = {"not_in_the_campaign": "unmatched", "not_in_the_table": "absent"}
    return {
        **picked(
            identification,
            "findings",
            "contradictions",
            "defects",
            readings_tried="n_readings",
            **absent,
        ),
        "tables": list(map(_table_data, identification.tables)),
        "names_taken_for_the_same": [
            by_name(("published", "entry"), each) for each in identification.renamed
        ],
    }


def _table_data(table: IdentifiedTable) -> dict[str, Any]:
    return {
        "table": table.path,
        "columns": list(map(_column_data, table.columns)),
        "ranks": list(map(_ranks_data, table.ranks)),
        "not_looked_at": [by_name(("heading", "reason"), each) for each in table.set_aside],
    }


def _column_data(column: IdentifiedColumn) -> dict[str, Any]:
    told = {"told_from_chance": "beats_chance", "heading_names_the_numbers": "heading_says"}
    chance = {
        "matched_by_chance_at_most": "by_chance",
        "readings_of_other_metrics_by_chance": "n_others",
    }
    tried = {**chance, "too_few_digits": "is_undecided", "cannot_tell": "open_choices"}
    return {
        **picked(
            column, "heading", "sentences", teams="n_teams", all_match="is_exact", **tried, **told
        ),
        "scale": "percentages" if column.percent else "fractions",
        "matches": [_match_data(match) for match in column.matches],
    }


_TURNED = "better_team", "its_rank", "other_team", "other_rank"


def _ranks_data(ranks: IdentifiedRanks) -> dict[str, Any]:
    nearest = ranks.nearest
    if nearest is not None:
        turned = nearest.turned
    else:
        turned = ()
    return {
        **picked(
            ranks, "heading", "by", "sentences", teams="n_teams", told_from_chance="beats_chance"
        ),
        "nearest": None if nearest is None else nearest.by,
        "pairs_the_other_way_round": 0 if nearest is None else nearest.n_turned,
        "the_other_way_round": [by_name(_TURNED, pair) for pair in turned],
    }


def _match_data(match: Match) -> dict[str, Any]:
    rest = {"computed": "computed", "difference": "difference", "reading_that_gives_it": "other"}
    return {
        **picked(match, "reading", "rounding", "decimals", matched="n_matched"),
        "cannot_be_told_from": list(map(str, match.readings[1:])),
        "off": [picked(miss, "team", "printed", **rest) for miss in match.misses],
    }
