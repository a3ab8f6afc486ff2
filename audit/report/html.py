"""The report as one self-contained HTML file."""

from functools import cache
from typing import TYPE_CHECKING

from audit.domain import Evaluation
from audit.execution import Progress
from audit.report.build import build_page
from audit.report.page import FamilyPage, Page
from audit.report.short_view import ShortView, short_view
from audit.resources import templates

_SCRIPTS = ("table.js", "compare.js", "copy.js", "page.js")

if TYPE_CHECKING:
    from jinja2 import Environment

    from audit.report.gold_items import GoldItems


def render_html(evaluation: Evaluation, items: "GoldItems | None" = None, on_progress: Progress | None = None) -> str:
    """The report of an evaluation: one HTML document that needs no network.

    The same evaluation gives the same bytes.

    Parameters
    ----------
    evaluation : Evaluation
        What was computed.
    items : GoldItems, optional
        Where ids and gold labels of single items may leave the house.
    on_progress : callable, optional
        Called with the figures drawn and their total.
    """
    folder = templates()
    style = (folder / "style.css").read_text(encoding="utf-8")
    script = "".join((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return render_page(build_page(evaluation, items, style=style, script=script, on_progress=on_progress))


def render_page(page: Page) -> str:
    """The report's page through its template."""
    return render("report.html.j2", page)


def render_short(evaluation: Evaluation) -> str:
    """The verdict and the ranking of an evaluation as an HTML element without style and script, for a notebook."""
    return render("notebook.html.j2", short_view(evaluation))


def render(template: str, page: Page | FamilyPage | ShortView) -> str:
    """A page through a template: every text escaped, every name defined."""
    return _environment().get_template(template).render(page=page)


@cache
def _environment() -> "Environment":
    """The environment with the templates, each compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - only a report needs it

    return Environment(
        loader=FileSystemLoader(templates()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
