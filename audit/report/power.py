"""How much can this test set tell? The differences that it detects, and what its first place rests on."""

from collections.abc import Sequence

from audit.document import Block, Cell, Column, Listing, Paragraph, Table, row_names
from audit.domain import Evaluation, LabelSet, Plan, Power, ScoreKey
from audit.findings.power_sentences import needed_items, plan_sentences, power_sentences, short
from audit.findings.wording import NAME_LIMIT, drawn
from audit.metrics import phrase
from audit.text import distinct, number, plural, visible

# For a command


def power_blocks(evaluation: Evaluation, key: ScoreKey) -> tuple[Block, ...]:
    """The power of the test set: sentences by one metric, and a table with a column for every metric."""
    powers = powers_of(evaluation, key)
    title = Paragraph(f"{visible(evaluation.task.title)}: what the test set can tell", "heading")
    told = title, Listing(power_sentences(evaluation, key))
    if not powers:
        return told
    numbers = [_numbers(evaluation, power) for power in powers]
    columns = (row_names(""), *(Column(str(power.key)) for power in powers))
    rows = tuple((Cell(head), *(Cell(column[head]) for column in numbers)) for head in numbers[0])
    return *told, Table("table-power", "", columns, rows)


def powers_of(evaluation: Evaluation, key: ScoreKey) -> list[Power]:
    """The power results: those of the chosen metric first."""
    return sorted(evaluation.power, key=lambda power: power.key != key)


def _numbers(evaluation: Evaluation, power: Power) -> dict[str, str]:
    names = distinct(evaluation.names, NAME_LIMIT)
    carried = power.carried_by
    few, many = needed_items(evaluation, power)
    noun = f"{drawn(evaluation)}s"
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
        f"{noun} the difference needs, these two among all pairs": _count(many),
        f"{noun} the difference needs, these two alone": _count(few),
        f"{noun} of the test set": _count(power.n_units),
        "items without which another is first": _count(
            None if carried is None else carried.n_items
        ),
    }


def _count(count: int | None) -> str:
    if count is None:
        return "–"
    return f"{count:,}"


def plan_blocks(plan: Plan, label_set: LabelSet, files: Sequence[str]) -> tuple[Block, ...]:
    """The number of items that a difference needs, from the pilots in these files."""
    metric = phrase(plan.key, label_set)
    pilots = (
        f"{visible(file, 200)}: {plural(n_items, 'item')}, {metric} {number(value)}."
        for file, value, n_items in zip(files, plan.scores, plan.n_items, strict=True)
    )
    heads = (
        "correlation of errors",
        "items, one pair",
        f"items, all pairs of {plan.n_teams:,} teams",
    )
    rows = tuple(
        (
            Cell(number(each.correlation, 1)),
            Cell(_count(each.as_pair)),
            Cell(_count(each.among_all)),
        )
        for each in plan.needed
    )
    return (
        Paragraph("How large a test set must be", "heading"),
        Listing((*pilots, *plan_sentences(plan, label_set))),
        Table("table-plan", "", tuple(map(Column, heads)), rows),
    )
