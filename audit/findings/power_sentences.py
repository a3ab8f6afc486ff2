"""What the test set can tell, in sentences that page, terminal and paper share."""

import math

from audit.domain import (
    ONE_PAIR,
    Evaluation,
    Feature,
    LabelSet,
    NeededItems,
    Plan,
    Power,
    ScoreKey,
    detectable,
)
from audit.findings.wording import drawn, name, of
from audit.metrics import metric_of, phrase
from audit.ranking.ranks import TIE_TOLERANCE
from audit.sentences import say
from audit.text import number, plural

_SIGNIFICANT = 3
_FEWEST_DECIMALS = 3
_LEAST = 0.0001
_MANY_TIMES = 100


def power_sentences(evaluation: Evaluation, key: ScoreKey | None = None) -> tuple[str, ...]:
    """Sentences on power by one metric: differences it finds, items needed, items that carry."""
    if evaluation.certainty is None:
        return ()
    if key is None:
        key = evaluation.task.ranking_metric
    power = next((each for each in evaluation.power if each.key == key), None)
    if power is None:
        by = of(evaluation, key)
        return (
            say(f"Fewer than two entries can be compared by {by}: there is no difference to find."),
        )
    sentences = [_typical(evaluation, power), needed(evaluation, power)]
    if power.difference > TIE_TOLERANCE:  # of joint winners none has a first place to lose
        sentences.append(_carried(evaluation, power))
    return tuple(filter(None, sentences))


def plan_sentences(plan: Plan, label_set: LabelSet) -> tuple[str, ...]:
    """The number of items that a difference needs, for each correlation that was assumed, and what that is."""
    assumed = say(
        "How alike two systems err cannot be seen from their confusions: correlations of 0, .5 and .8 are assumed. "
        "Systems of one task mostly err on the same items; where nothing is known, plan with independent errors."
    )
    return (
        *(_plan_sentence(plan, each, phrase(plan.key, label_set)) for each in plan.needed),
        assumed,
    )


def _plan_sentence(plan: Plan, needed: NeededItems, metric: str) -> str:
    if needed.correlation:
        alike = f"with a correlation of {number(needed.correlation, 1)}"
    else:
        alike = "independently"
    return say(
        f"By {metric}, a true difference of {short(plan.difference)} is detected with 80% power by about "
        f"{about(needed.as_pair)} items in a test of one pair, fixed beforehand, and by about "
        f"{about(needed.among_all)} in a comparison of all pairs of {plural(plan.n_teams, 'team')}, if the systems err "
        f"{alike}."
    )


def short(difference: float) -> str:
    """A difference to at least three decimals, and to at least two digits that are not leading zeros."""
    if not difference or not math.isfinite(difference):
        return number(difference if difference == 0 else math.nan, _FEWEST_DECIMALS)
    if abs(difference) < _LEAST:
        return f"less than {number(_LEAST, 4)}"
    return number(difference, max(1 - math.floor(math.log10(abs(difference))), _FEWEST_DECIMALS))


def about(count: int) -> str:
    """A count to three digits."""
    return f"{round(count, min(0, _SIGNIFICANT - len(str(count)))):,}"


def _several(evaluation: Evaluation) -> bool:
    return int(evaluation.comparable.sum()) > 2  # noqa: PLR2004 - a pair


def _typical(evaluation: Evaluation, power: Power) -> str:
    """The differences detected with 50% and with 80% power; nothing where no pair can differ."""
    if math.isnan(power.median_error) or math.isinf(power.critical_value):
        return ""
    half, most = typical(evaluation, power)
    if _several(evaluation):
        tested = "all pairs compared at once"
    else:
        tested = "of which there is one"
    return say(
        f"By {of(evaluation, power.key)}, a true difference of {short(half)} between two teams is detected with 50% "
        f"power, one of {short(most)} with 80% power (for the pair with the median standard error, {tested}; Card et "
        "al. 2020)."
    )


def typical(evaluation: Evaluation, power: Power) -> tuple[float, float]:
    """The true differences detected with 50% and with 80% power, for a pair with the median standard error."""
    if _several(evaluation) or power.n_groups is not None:
        critical = power.critical_value
    else:
        critical = ONE_PAIR
    return critical * power.median_error, detectable(critical, power.median_error)


def power_of(evaluation: Evaluation, key: ScoreKey) -> Power | None:
    """The power by one metric; None where nothing is known, or no pair can differ, or no difference be significant."""
    known = (
        each for each in evaluation.power if math.isfinite(each.median_error * each.critical_value)
    )
    return next((each for each in known if each.key == key), None)


def needed(evaluation: Evaluation, power: Power) -> str:
    """How many items the observed lead would need, as a condition; nothing of a lead that is significant.

    Nor is anything said of one that has no standard error.
    """
    first = name(evaluation, power.first)
    second = name(evaluation, power.second)
    if power.difference <= TIE_TOLERANCE:
        same = f"{first} and {second} have the same score by {of(evaluation, power.key)}"
        return say(f"{same}: there is no lead that more items could confirm.")
    few, many = needed_items(evaluation, power)
    if few is None or math.isinf(power.critical_value):
        return ""
    takes = _items(evaluation, power, few)
    if many is not None and _several(evaluation) and min(few, many) <= _MANY_TIMES * power.n_units:
        takes += (
            f" if this pair alone is tested, {_items(evaluation, power, many)} if all pairs are,"
        )
    return say(
        f"If the observed lead of {first} over {second}, {short(power.difference)}, were the true difference, {takes} "
        f"would be needed to detect it with 80% power; the test set has {plural(power.n_units, drawn(evaluation))}."
    )


def needed_items(evaluation: Evaluation, power: Power) -> tuple[int | None, int | None]:
    """Items (or groups) that a lead that is not significant would need, as a pair and among all; None of another."""
    if evaluation.certainty:
        comparison = evaluation.certainty.comparison(power.key)
    else:
        comparison = None
    if comparison is not None and comparison.ahead[power.first, power.second]:
        return None, None
    return power.needed_as_pair, power.needed_among_all


def _items(evaluation: Evaluation, power: Power, count: int) -> str:
    """How many items, or groups of them, are needed: a number that nobody collects is not printed."""
    if count > _MANY_TIMES * power.n_units:
        return f"more than a hundred times as many {drawn(evaluation)}s"
    return f"about {about(count)} {drawn(evaluation)}{'' if count == 1 else 's'}"


def _carried(evaluation: Evaluation, power: Power) -> str:
    """Without how few items another team would be first; nothing where that is not sought: sets, item scores."""
    labels = evaluation.task.label_set
    first = name(evaluation, power.first)
    carried = power.carried_by
    if not labels.supports(Feature.ANSWERS) or not metric_of(power.key.metric, labels).of_labels:
        return ""
    if carried is None:
        return say(f"No items were found without which another team would be ahead of {first}.")
    is_one = carried.n_items == 1
    if is_one:
        few = "a single one"
    else:
        few = f"{carried.n_items:,}"
    told = say(
        f"Without {few} of the {plural(power.n_items, 'item')}, {name(evaluation, carried.rival)} would be ahead of "
        f"{first} (Broderick et al. 2020)."
    )
    at_most = say("Fewer may be enough.")
    # by which each item counts alike: the search finds the fewest
    is_exact = power.key == ScoreKey("accuracy")
    if is_exact or is_one:
        return told
    return f"{told} {at_most}"
