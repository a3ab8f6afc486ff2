"""What a test set can tell, and how large it must be, as plain data."""

from collections.abc import Sequence
from typing import Any

from audit.domain import Evaluation, LabelSet, Plan, Power, ScoreKey
from audit.questions.power import powers_of
from audit.questions.power_sentences import plan_sentences, power_sentences
from audit.writers.data.plain import nullable, picked


def power_data(evaluation: Evaluation, key: ScoreKey) -> dict[str, Any]:
    """The power of the test set as data for JSON: sentences by one metric, numbers by every metric."""
    return {
        "task": evaluation.task.slug,
        "metric": str(key),
        "sentences": list(power_sentences(evaluation, key)),
        "power": [_power_record(evaluation, power) for power in powers_of(evaluation, key)],
    }


def _power_record(evaluation: Evaluation, power: Power) -> dict[str, Any]:
    names, carried, noise = evaluation.names, power.carried_by, power.label_noise
    return {
        "metric": str(power.key),
        "first": names[power.first],
        "second": names[power.second],
        "difference": power.difference,
        "standard_error": nullable(power.standard_error),
        "critical_value": nullable(power.critical_value),
        "items": power.n_items,
        "groups": power.n_groups,
        "found_half_the_time": nullable(power.found_half_the_time),
        "detected_among_all": nullable(power.detected_among_all),
        "detected_as_pair": nullable(power.detected_as_pair),
        "median": {
            "standard_error": nullable(power.median_error),
            "found_half_the_time": nullable(power.median_found_half_the_time),
            "detected_among_all": nullable(power.median_detected_among_all),
            "detected_as_pair": nullable(power.median_detected_as_pair),
        },
        "needed_among_all": power.needed_among_all,
        "needed_as_pair": power.needed_as_pair,
        "carried_by": carried and {"items": carried.n_items, "rival": names[carried.rival]},
        "label_noise": noise
        and {
            "draws": noise.n_draws,
            "stays_first": [
                {"share": share, "of_draws": stays} for share, stays in zip(noise.shares, noise.stays, strict=True)
            ],
        },
    }


def plan_data(plan: Plan, label_set: LabelSet, files: Sequence[str]) -> dict[str, Any]:
    """A plan as data for JSON."""
    return {
        "metric": str(plan.key),
        "difference": plan.difference,
        "teams": plan.n_teams,
        "critical_value": plan.critical_value,
        "pilots": [
            {"file": file, "score": value, "items": n_items}
            for file, value, n_items in zip(files, plan.scores, plan.n_items, strict=True)
        ],
        "deviations": list(plan.deviations),
        "needed": [picked(each, "correlation", "as_pair", "among_all") for each in plan.needed],
        "sentences": list(plan_sentences(plan, label_set)),
    }
