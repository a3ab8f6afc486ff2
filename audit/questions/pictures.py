"""The figures of the catalogue as blocks."""

from functools import partial

from audit.document import Paragraph, Picture
from audit.domain import Evaluation
from audit.questions.figures import FIGURE_KINDS


def picture(evaluation: Evaluation, slug: str) -> Picture | Paragraph:
    """A figure of an evaluation, or why it is not there; it is drawn by who writes it."""
    kind = FIGURE_KINDS[slug]
    if lacking := kind.lacking(evaluation):
        return Paragraph(f"{kind.title}: {lacking}", "note", f"figure-{slug}")
    caption, reading = kind.caption(evaluation), kind.how_to_read_of(evaluation)
    return Picture(slug, kind.title, caption, reading, partial(kind.draw, evaluation))
