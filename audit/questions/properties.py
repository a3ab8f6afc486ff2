"""The section on properties: which metric has which, and what shows that it lacks one on this campaign."""

from audit.document import Block, Cell, Column, Listing, Paragraph, Span, Table, Text, row_names
from audit.domain import Addition, Demonstration, Evaluation, Witness
from audit.metrics import NOT_OF_SETS, Holds, aggregates_on, chance_bound, metric_of
from audit.metrics.witnesses import classes_counted, holds
from audit.questions.wording import shown_name
from audit.text import decimals_to_tell_apart, listed, number, plural, quoted

NUMERALS = {
    "monotonic": ("PI", "monotonic"),
    "class_sensitive": ("PII", "class-sensitive"),
    "decomposable": ("PIII", "a mean over classes"),
    "prevalence_invariant": ("PIV", "prevalence-invariant"),
    "chance_corrected": ("PV", "chance-corrected"),
}
METHOD = (
    "Searched, for each property that a metric lacks in general (Opitz 2024, section 3): PI every cell of every "
    "submission with 1, 10, 100 or 1,000 items more; PII more correct items of each class; PIII items of one class, "
    "answered right and unanswered, beside such items of another; PIV the test set’s own against balanced classes; PV "
    "classifiers that do not look at the item. Where a metric lacks a property and this campaign does not show it, "
    "the list says so."
)


def properties_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    """Every metric with the marks of its properties, and for each that one lacks, what shows it on this campaign."""
    if evaluation.task.label_set.is_of_sets:
        return (Paragraph(f"What a chance classifier shows {NOT_OF_SETS}"),)
    rows = tuple(
        (
            Cell(metric.slug, href=f"#metric-{metric.slug}", title=metric.label),
            *(Cell(metric.mark(name)) for name in NUMERALS),
        )
        for metric in aggregates_on(evaluation.task.label_set)
        if metric.properties
    )
    heads = (Column(" ".join(NUMERALS[name]), numeric=False) for name in NUMERALS)
    lacking = [each for each in evaluation.demonstrations if holds(each) is not Holds.YES]
    n_shown = sum(each.witness is not None for each in lacking)
    caption = f"Of {len(lacking)} properties that a metric lacks, this campaign shows {n_shown}."
    note = f"Has the property: {', '.join(f'{mark.value} {mark.words}' for mark in Holds)}."
    table = Table("table-properties", caption, (row_names("metric"), *heads), rows, note=note)
    return table, Listing(tuple(_lack(evaluation, each) for each in lacking))


def _lack(evaluation: Evaluation, each: Demonstration) -> Text:
    mark, (numeral, words) = holds(each), NUMERALS[each.property_]
    claim = f"is not {words} ({numeral})" if mark is Holds.NO else f"is {words} ({numeral}) {mark.words} only"
    shown = "no case was found here." if each.witness is None else witness_sentence(evaluation, each.witness)
    return Span(each.metric, href=f"#metric-{each.metric}"), f" {claim}: {shown}"


def witness_sentence(evaluation: Evaluation, witness: Witness) -> str:
    """A sentence on what a witness shows."""
    return _SENTENCES[witness.property_](evaluation, witness, _WitnessWords(evaluation, witness))


class _WitnessWords:
    """The parts of a witness in words."""

    def __init__(self, evaluation: Evaluation, witness: Witness) -> None:
        scores = witness.scores.tolist()
        decimals = decimals_to_tell_apart(scores, 3, 6)
        self.scores = [number(score, decimals) for score in scores]
        # as the printed scores differ, so that a reader who subtracts them finds the same
        self.change = number(abs(round(scores[-1], decimals) - round(scores[0], decimals)), decimals)
        self.teams = [shown_name(evaluation, team) if team >= 0 else "" for team in witness.teams]
        self.labels = [quoted(label, 24) for label in evaluation.task.label_set.named]

    def added(self, additions: tuple[Addition, ...]) -> str:
        """Items that were added."""
        return listed([self._cell(addition) for addition in additions])

    def _cell(self, addition: Addition) -> str:
        items = f"{plural(addition.amount, 'more item')} of {self.labels[addition.gold]}"
        if addition.gold == addition.predicted:
            return f"{items} answered right"
        if addition.predicted == len(self.labels):
            return f"{items} left unanswered"
        return f"{items} answered {self.labels[addition.predicted]}"


def _monotonic(_: Evaluation, witness: Witness, words: _WitnessWords) -> str:
    (addition,) = witness.additions[1]
    moved = "fall" if witness.scores[1] < witness.scores[0] else "rise"
    kind = "" if addition.gold == addition.predicted else ", all errors"
    return (
        f"{words.teams[0]}’s score would {moved} by {words.change}, from {words.scores[0]} to {words.scores[1]}, with "
        f"{words.added(witness.additions[1])}{kind}."
    )


def _class_sensitive(_: Evaluation, witness: Witness, words: _WitnessWords) -> str:
    items = plural(witness.additions[1][0].amount, "more item")
    before, after = words.scores[:2]
    moved = (
        f"leave {words.teams[0]}’s score at" if before == after else f"move {words.teams[0]}’s score from {before} to"
    )
    return f"{items} answered right would {moved} {after}, whatever their class."


def _decomposable(_: Evaluation, witness: Witness, words: _WitnessWords) -> str:
    before, changed, *_beside = witness.scores.tolist()
    first, second = ("raise", "lower") if changed > before else ("lower", "raise")
    return (
        f"{words.added(witness.additions[1])} would {first} {words.teams[0]}’s score from {words.scores[0]} to "
        f"{words.scores[1]}; beside {words.added(witness.additions[2])} they would {second} it, from "
        f"{words.scores[2]} to {words.scores[3]}."
    )


def _prevalence_invariant(_: Evaluation, witness: Witness, words: _WitnessWords) -> str:
    if len(witness.teams) == 2:  # noqa: PLR2004 - one team at both prevalences
        return f"{words.teams[0]} has {words.scores[0]} here, and {words.scores[1]} with all classes of equal mass."
    return (
        f"{words.teams[0]} is ahead of {words.teams[1]} here ({words.scores[0]} against {words.scores[1]}), and behind "
        f"with all classes of equal mass ({words.scores[2]} against {words.scores[3]})."
    )


def _chance_corrected(evaluation: Evaluation, witness: Witness, words: _WitnessWords) -> str:
    metric = metric_of(witness.metric, evaluation.task.label_set)
    bound = chance_bound(metric, classes_counted(evaluation, metric))
    if witness.always is not None:
        who = f"A classifier that always answers {words.labels[witness.always]}"
    else:
        who = "A classifier that answers each class exactly as often as gold has it, without looking at the item,"
    than = "more" if metric.greater_is_better else "less"
    by = (
        "that the best label would have were classes alike"
        if metric.of_scale
        else "that the number of classes alone would bound"
    )
    return f"{who} has {words.scores[0]}, {than} than the {number(bound)} {by}."


_SENTENCES = {
    "monotonic": _monotonic,
    "class_sensitive": _class_sensitive,
    "decomposable": _decomposable,
    "prevalence_invariant": _prevalence_invariant,
    "chance_corrected": _chance_corrected,
}
