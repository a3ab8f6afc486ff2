"""The figures of the catalogue as they stand in the report."""

from audit.domain import Evaluation
from audit.execution import Progress, counted
from audit.report.figures import FIGURE_KINDS, FigureKind, drawing, inline_svg
from audit.report.page import Chart, Charts, LeftOut

WIDTH = 5.6
"""Inches that a figure is drawn wide: on the page its text is then as large as that of a table."""


def charts_of(evaluation: Evaluation, on_progress: Progress | None = None) -> Charts:
    """Every figure of an evaluation, drawn for the page, or why it is not there."""
    kinds = counted(FIGURE_KINDS.items(), len(FIGURE_KINDS), on_progress)
    with drawing():
        return Charts(**{slug.replace("-", "_"): _chart(kind, evaluation) for slug, kind in kinds})


def _chart(kind: FigureKind, evaluation: Evaluation) -> Chart | LeftOut:
    anchor, lacking = f"figure-{kind.slug}", kind.lacking(evaluation)
    if lacking:
        return LeftOut(anchor, kind.title, lacking)
    caption = kind.caption(evaluation)
    return Chart(anchor, caption, _svg(kind, evaluation, f"{kind.title}. {caption}"), kind.how_to_read)


def _svg(kind: FigureKind, evaluation: Evaluation, alt: str) -> str:
    return inline_svg(kind.draw(evaluation, WIDTH), f"figure-{kind.slug}", alt)
