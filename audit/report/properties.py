"""Which metric has which of the properties PI–PV (Opitz 2024, section 3)."""

from audit.document import Block, Cell, Column, Paragraph, Table, row_names
from audit.domain import Feature, LabelSet
from audit.metrics import Holds, Metric, aggregates_on

NUMERALS = {
    "monotonic": ("PI", "monotonic"),
    "class_sensitive": ("PII", "class-sensitive"),
    "decomposable": ("PIII", "a mean over classes"),
    "prevalence_invariant": ("PIV", "prevalence-invariant"),
    "chance_corrected": ("PV", "chance-corrected"),
}


def metrics_with_properties(label_set: LabelSet) -> list[Metric]:
    """The aggregate metrics of a label set whose properties are known, where a kind of task has any."""
    if not label_set.supports(Feature.PROPERTIES):
        return []
    return [metric for metric in aggregates_on(label_set) if metric.properties is not None]


def properties_blocks(label_set: LabelSet) -> tuple[Block, ...]:
    """Every metric with the marks of its properties."""
    metrics = metrics_with_properties(label_set)
    if not metrics:
        return (Paragraph(f"What a chance classifier shows {label_set.kind.traits.undefined}"),)
    rows = tuple((Cell(metric.slug, title=metric.label), *_marks(metric)) for metric in metrics)
    heads = [Column(f"{numeral} {words}", numeric=False) for numeral, words in NUMERALS.values()]
    marks = ", ".join(f"{mark.value} {mark.words}" for mark in Holds)
    caption = "Properties of the metrics (Opitz 2024, section 3)."
    return (
        Table(
            "table-properties",
            caption,
            (row_names("metric"), *heads),
            rows,
            note=f"Has the property: {marks}.",
        ),
    )


def _marks(metric: Metric) -> list[Cell]:
    """The mark of each property, in the order of the numerals."""
    return [Cell(metric.mark(name)) for name in NUMERALS]
