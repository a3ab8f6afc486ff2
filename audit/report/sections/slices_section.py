"""The section on the parts of the test set: whether one of them crowns another."""

from audit.flags.rules.slice_rules import slices_statement
from audit.report.page import Slices
from audit.report.table_printing import Printing
from audit.report.tables.slices_tables import slice_scores_table, slices_table


def slices_of(show: Printing) -> Slices | None:
    """The section on slices; None where nothing cuts the test set."""
    cuts = show.evaluation.slices
    if not cuts:
        return None
    return Slices(
        statements=tuple(slices_statement(show.evaluation, sliced) for sliced in cuts),
        tables=tuple(
            table(show, sliced, number)
            for number, sliced in enumerate(cuts, start=1)
            for table in (slices_table, slice_scores_table)
        ),
    )
