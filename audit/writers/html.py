"""A document as one self-contained HTML file."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from audit.content_policy import content_policy
from audit.document import Beside, Block, Document, Fold, Picture
from audit.domain import Evaluation
from audit.execution import Progress, counted
from audit.questions.figures.style import drawing, inline_svg
from audit.questions.page_packing import script_json
from audit.questions.test_sets import summary_of
from audit.report.page import document_of
from audit.resources import templates

if TYPE_CHECKING:
    from jinja2 import Environment

    from audit.questions.printing import GoldItems

WIDE, NARROW = 5.6, 2.85
"""Inches that a figure is drawn wide for a page and for a telephone: its text is then as large as that of a table."""

SMALLEST_ON_SCREEN = 5.75
"""Points of the smallest type: ten pixels, where the wide form is shown 704 pixels wide and the narrow one 358."""


def render_html(evaluation: Evaluation, items: "GoldItems | None" = None, on_progress: Progress | None = None) -> str:
    """The report of an evaluation: one HTML document that needs no network."""
    return render_document(document_of(evaluation, items), on_progress)


def render_document(document: Document, on_progress: Progress | None = None) -> str:
    """A document through its template, its pictures drawn for a wide page and for a telephone."""
    pictures = [picture for section in document.sections for picture in _pictures(section.blocks)]
    with drawing(smallest=SMALLEST_ON_SCREEN):
        drawn = {
            each.slug: _drawings(each, place)
            for place, each in enumerate(counted(pictures, len(pictures), on_progress), start=1)
        }
    return _guarded(render("report.html.j2", document, drawn=drawn))


def _pictures(blocks: tuple[Block, ...]) -> Iterator[Picture]:
    for block in blocks:
        if isinstance(block, Fold):
            yield from _pictures(block.blocks)
        elif isinstance(block, Beside):
            yield from _pictures((*block.left, *block.right))
        elif isinstance(block, Picture):
            yield block


def _drawings(picture: Picture, place: int) -> tuple[str, str]:
    """The wide and the narrow form as SVG, of the picture at some place on the page."""
    alt = picture.alt
    return inline_svg(picture.draw(WIDE), f"w{place}", alt), inline_svg(picture.draw(NARROW), f"n{place}", alt)


def render(template: str, page: object, **given: object) -> str:
    """A page through a template: every text escaped, every name defined."""
    return _environment().get_template(template).render(page=page, **given)


@cache
def _environment() -> "Environment":
    """The environment with the templates, each compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - only a report needs it

    environment = Environment(
        loader=FileSystemLoader(templates()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"mathml": mathml, "script_json": script_json}
    environment.globals["asset"] = lambda name: (templates() / name).read_text(encoding="utf-8")  # as it is
    return environment


def render_summary(evaluations: Sequence[Evaluation], reports: Sequence[str] = ()) -> str:
    """The summary of several test sets as one HTML document; parameters are those of `summary_of`."""
    return _guarded(render("family.html.j2", summary_of(evaluations, reports)))


def _guarded(html: str) -> str:
    """A page with the policy under which its own scripts and styles work, and nothing else does, wherever it is."""
    charset, policy = '<meta charset="utf-8">', content_policy(html)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return html.replace(charset, f"{charset}\n{meta}", 1)


@cache
def mathml(latex: str) -> str:
    """MathML of a formula, to stand on a line of its own."""
    from latex2mathml.converter import convert  # noqa: PLC0415 - only a report needs it

    return convert(latex, display="block")
