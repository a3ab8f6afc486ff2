"""Figures: one function each, from an evaluation to a picture in the report's visual language."""

from audit.questions.figures.figure_kinds import FIGURE_KINDS, MOST_CLASSES, MOST_TEAMS, FigureKind
from audit.questions.figures.style import PAPER, drawing, inline_svg, pdf_bytes, svg_text

__all__ = [
    "FIGURE_KINDS",
    "MOST_CLASSES",
    "MOST_TEAMS",
    "PAPER",
    "FigureKind",
    "drawing",
    "inline_svg",
    "pdf_bytes",
    "svg_text",
]
