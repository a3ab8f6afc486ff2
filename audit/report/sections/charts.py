"""The figures of the catalogue as they stand in the report."""

from audit.domain import Evaluation
from audit.execution import Progress, counted
from audit.report.figures import FIGURE_KINDS, FigureKind, drawing, inline_svg
from audit.report.page import Chart, Charts, LeftOut

WIDE, NARROW = 5.6, 2.85
"""Inches that a figure is drawn wide for a page and for a telephone: its text is then as large as that of a table."""

SMALLEST_ON_SCREEN = 5.75
"""Points of the smallest type: ten pixels, where the wide form is shown 704 pixels wide and the narrow one 358."""


def charts_of(evaluation: Evaluation, on_progress: Progress | None = None) -> Charts:
    """Every figure of an evaluation, drawn for the page, or why it is not there."""
    shown = [kind for kind in FIGURE_KINDS.values() if kind.on_page]
    with drawing(smallest=SMALLEST_ON_SCREEN):
        kinds = counted(shown, len(shown), on_progress)
        return Charts(**{kind.slug.replace("-", "_"): _chart(kind, evaluation) for kind in kinds})


def _chart(kind: FigureKind, evaluation: Evaluation) -> Chart | LeftOut:
    anchor, lacking = f"figure-{kind.slug}", kind.lacking(evaluation)
    if lacking:
        return LeftOut(anchor, kind.title, lacking)
    caption = kind.caption(evaluation)
    alt = f"{kind.title}. {caption}"
    wide = _svg(kind, evaluation, anchor, alt, WIDE)
    narrow = _svg(kind, evaluation, f"{anchor}-narrow", alt, NARROW)
    return Chart(anchor, caption, wide, narrow, kind.how_to_read_of(evaluation))


def _svg(kind: FigureKind, evaluation: Evaluation, prefix: str, alt: str, width: float) -> str:
    return inline_svg(kind.draw(evaluation, width), prefix, alt)
