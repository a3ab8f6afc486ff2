"""What else could have been, as plain data: winner maps, scenarios, rules, properties, projections."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from audit.domain import Evaluation, Outcome, ScoreKey, WinnerMap
from audit.domain.arrays import Floats
from audit.metrics import AGGREGATES, Properties, prevalence_shares
from audit.ranking import RULES, Projection, Scenario, default_voters, monte_carlo_interval, outcomes_of
from audit.writers.data.plain import nullable


def map_data(evaluation: Evaluation, winner_map: WinnerMap | None) -> dict[str, Any] | None:
    """A winner map as plain data; None where no other team could win."""
    if winner_map is None:
        return None
    return {
        "metric": str(winner_map.key),
        "reference": _by_label(evaluation, winner_map.reference),
        "winners": _names(evaluation, winner_map.winners),
        "holds_uniform": _share_data(winner_map.holds_uniform, winner_map.n_draws),
        "holds_nearby": _share_data(winner_map.holds_nearby, winner_map.n_draws),
        "uniform": dict(zip(evaluation.names, winner_map.uniform.tolist(), strict=True)),
        "nearby": dict(zip(evaluation.names, winner_map.nearby.tolist(), strict=True)),
        "draws": winner_map.n_draws,
        "seed": winner_map.seed,
        "concentration": winner_map.concentration,
        "mean_total_variation_nearby": winner_map.spread,
        "nearest_change": None
        if winner_map.nearest is None
        else {
            "shares": _by_label(evaluation, winner_map.nearest.shares),
            "total_variation": winner_map.nearest.distance,
            "winners": _names(evaluation, winner_map.nearest.winners),
        },
    }


def _share_data(share: float, n_draws: int) -> dict[str, Any]:
    return {"share": share, "monte_carlo_interval": list(monte_carlo_interval(share, n_draws))}


def scenario_data(evaluation: Evaluation, scenario: Scenario, key: ScoreKey) -> dict[str, Any]:
    """Scores and ranks at a class distribution as plain data."""
    shares = prevalence_shares(scenario.prevalence, evaluation.prevalence_counts, evaluation.task.label_set)
    names = evaluation.names
    return {
        "prevalence": scenario.prevalence.name,
        "shares": _by_label(evaluation, shares),
        "winners": _names(evaluation, scenario.winners(key.metric)),
        "scores": {
            each.metric: dict(zip(names, map(nullable, row), strict=True))
            for each, row in zip(scenario.keys, scenario.values.tolist(), strict=True)
        },
        "ranks": {
            each.metric: {name: rank or None for name, rank in zip(names, row, strict=True)}
            for each, row in zip(scenario.keys, scenario.rank_values.tolist(), strict=True)
        },
    }


def shift_data(
    evaluation: Evaluation, key: ScoreKey, scenarios: Sequence[Scenario], winner_map: WinnerMap | None
) -> dict[str, Any]:
    """Rankings under other class distributions as plain data."""
    return {
        "task": evaluation.task.slug,
        "metric": str(key),
        "map": map_data(evaluation, winner_map),
        "scenarios": [scenario_data(evaluation, each, key) for each in scenarios],
    }


def elections_data(evaluation: Evaluation, keys: Sequence[ScoreKey] | None = None) -> dict[str, Any]:
    """The winners under each rule, as plain data."""
    outcomes = evaluation.elections if keys is None else outcomes_of(evaluation, keys)
    return {
        "metrics": list(map(str, default_voters(evaluation.task.label_set) if keys is None else keys)),
        "rules": [_outcome_data(evaluation, outcome) for outcome in outcomes],
    }


def _outcome_data(evaluation: Evaluation, outcome: Outcome) -> dict[str, Any]:
    rule = RULES[outcome.rule]
    values = map(nullable, rule.stated(outcome.values).tolist())
    return {
        "rule": rule.slug,
        "assumes": rule.assumes,
        "winners": _names(evaluation, outcome.winners),
        "unit": rule.unit,
        "values": dict(zip(evaluation.names, values, strict=True)),
    }


def properties_data(evaluation: Evaluation) -> list[dict[str, Any]]:
    """The properties of the metrics as plain data; none for sets, as they are those of confusions."""
    return [
        {"metric": metric.slug, "property": field.name, "holds": getattr(metric.properties, field.name).words}
        for metric in AGGREGATES
        if metric.properties is not None and not evaluation.task.label_set.is_of_sets
        for field in fields(Properties)
    ]


def projection_data(evaluation: Evaluation, projection: Projection) -> dict[str, Any]:
    """A projection as plain data."""
    return {
        "team": evaluation.names[projection.team],
        "shares": _by_label(evaluation, projection.shares),
        "predicted": _by_label(evaluation, projection.predicted),
        "recall": _by_label(evaluation, projection.recall),
        "precision": _by_label(evaluation, projection.precision),
        "precision_here": _by_label(evaluation, projection.precision_here),
        "scores": dict(zip(projection.names, map(nullable, projection.scores.tolist()), strict=True)),
        "scores_here": dict(zip(projection.names, map(nullable, projection.scores_here.tolist()), strict=True)),
        "contradictory": [evaluation.task.label_set.labels[code] for code in projection.contradictory],
    }


def _by_label(evaluation: Evaluation, values: Floats) -> dict[str, float | None]:
    return dict(zip(evaluation.task.label_set, map(nullable, values.tolist()), strict=True))


def _names(evaluation: Evaluation, teams: Sequence[int]) -> list[str]:
    return [evaluation.names[team] for team in teams]
