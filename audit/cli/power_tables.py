"""What ``audit power`` prints: sentences, then a small table; and the same numbers as JSON has them."""

import math
from typing import Any

from rich.padding import Padding
from rich.text import Text

from audit.cli.terminal import console, print_table
from audit.domain import Evaluation, Power, ScoreKey
from audit.flags.power_sentences import percent, plan_sentences, power_sentences, short
from audit.metrics import phrase
from audit.text import distinct, number, plural, visible
from audit.workflow import Planned

_NAME_LIMIT = 40


def power_data(evaluation: Evaluation, key: ScoreKey) -> dict[str, Any]:
    """The power of the test set as data for JSON: sentences by one metric, numbers by every metric."""
    return {
        "task": evaluation.task.slug,
        "metric": str(key),
        "sentences": list(power_sentences(evaluation, key)),
        "power": [_power_record(evaluation, power) for power in _powers(evaluation, key)],
    }


def _powers(evaluation: Evaluation, key: ScoreKey) -> list[Power]:
    """The power results: those of the chosen metric first."""
    return sorted(evaluation.power, key=lambda power: power.key != key)


def _power_record(evaluation: Evaluation, power: Power) -> dict[str, Any]:
    names, carried, noise = evaluation.names, power.carried_by, power.label_noise
    return {
        "metric": str(power.key),
        "first": names[power.first],
        "second": names[power.second],
        "difference": power.difference,
        "standard_error": _or_none(power.standard_error),
        "critical_value": _or_none(power.critical_value),
        "items": power.n_items,
        "groups": power.n_groups,
        "found_half_the_time": _or_none(power.found_half_the_time),
        "detected_among_all": _or_none(power.detected_among_all),
        "detected_as_pair": _or_none(power.detected_as_pair),
        "median": {
            "standard_error": _or_none(power.median_error),
            "found_half_the_time": _or_none(power.median_found_half_the_time),
            "detected_among_all": _or_none(power.median_detected_among_all),
            "detected_as_pair": _or_none(power.median_detected_as_pair),
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


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def print_power(evaluation: Evaluation, key: ScoreKey) -> None:
    """Print the power of the test set: sentences by one metric, and a table by every metric."""
    out = console()
    out.print(Text(f"{visible(evaluation.task.title)}: what the test set can tell", style="bold"))
    for sentence in power_sentences(evaluation, key):
        out.print(Padding(Text(sentence), (0, 0, 0, 4), expand=False))
    powers = _powers(evaluation, key)
    if powers:
        out.print()
        columns = [_column(evaluation, power) for power in powers]
        rows = [[head, *(column[head] for column in columns)] for head in columns[0]]
        heads = [str(power.key) for power in powers]
        print_table(["", *heads], rows, numeric=frozenset(range(1, len(heads) + 1)))


def _column(evaluation: Evaluation, power: Power) -> dict[str, str]:
    """The numbers by one metric, under what they are."""
    names = distinct(evaluation.names, _NAME_LIMIT)
    carried, noise = power.carried_by, power.label_noise
    noun = "items" if power.n_groups is None else "groups"
    stays = {} if noise is None else dict(zip(noise.shares, noise.stays, strict=True))
    return {
        "first": names[power.first],
        "second": names[power.second],
        "difference": short(power.difference),
        "its standard error": short(power.standard_error),
        "found half the time, these two among all pairs": short(power.found_half_the_time),
        "found 80% of the time, these two among all pairs": short(power.detected_among_all),
        "found 80% of the time, these two alone": short(power.detected_as_pair),
        "found half the time, the median pair among all": short(power.median_found_half_the_time),
        "found 80% of the time, the median pair among all": short(power.median_detected_among_all),
        f"{noun} the difference needs, these two among all pairs": _count(power.needed_among_all),
        f"{noun} the difference needs, these two alone": _count(power.needed_as_pair),
        f"{noun} of the test set": _count(power.n_units),
        "items that carry the first place": _count(None if carried is None else carried.n_items),
        **{f"stays first with {share:.0%} label noise": percent(stays[share]) for share in stays},
    }


def _count(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"


def plan_data(planned: Planned) -> dict[str, Any]:
    """A plan as data for JSON."""
    plan = planned.plan
    return {
        "metric": str(plan.key),
        "difference": plan.difference,
        "teams": plan.n_teams,
        "critical_value": plan.critical_value,
        "pilots": [
            {"file": file, "score": value, "items": n_items}
            for file, value, n_items in zip(planned.files, plan.scores, plan.n_items, strict=True)
        ],
        "deviations": list(plan.deviations),
        "needed": [
            {"correlation": each.correlation, "as_pair": each.as_pair, "among_all": each.among_all}
            for each in plan.needed
        ],
        "sentences": list(plan_sentences(plan, planned.label_set)),
    }


def print_plan(planned: Planned) -> None:
    """Print how many items a difference needs, in sentences and in a table."""
    out, plan = console(), planned.plan
    out.print(Text("How large a test set must be", style="bold"))
    for file, value, n_items in zip(planned.files, plan.scores, plan.n_items, strict=True):
        metric = phrase(plan.key, planned.label_set)
        out.print(
            Padding(
                Text(f"{visible(file, 200)}: {plural(n_items, 'item')}, {metric} {number(value)}."),
                (0, 0, 0, 4),
                expand=False,
            )
        )
    for sentence in plan_sentences(plan, planned.label_set):
        out.print(Padding(Text(sentence), (0, 0, 0, 4), expand=False))
    out.print()
    print_table(
        ["correlation of errors", "items, one pair", f"items, all pairs of {plan.n_teams:,} teams"],
        [[number(each.correlation, 1), _count(each.as_pair), _count(each.among_all)] for each in plan.needed],
        numeric=frozenset({0, 1, 2}),
    )
