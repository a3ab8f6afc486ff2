"""A document as one self-contained HTML file."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from audit.content_policy import content_policy
from audit.document import Document
from audit.domain import Evaluation
from audit.findings.campaign import CampaignFindings
from audit.report.campaign_page import campaign_document
from audit.report.page import document_of
from audit.report.page_packing import script_json
from audit.report.readers import readers_document
from audit.resources import templates

if TYPE_CHECKING:
    from jinja2 import Environment

    from audit.report.printing import GoldItems


def render_html(evaluation: Evaluation, items: "GoldItems | None" = None) -> str:
    """The report of an evaluation: one HTML document that needs no network."""
    return render_document(document_of(evaluation, items))


def render_editions(evaluation: Evaluation) -> tuple[str, str]:
    """The report of an evaluation for its organisers, and as readers see it."""
    document = document_of(evaluation)
    return render_document(document), render_document(readers_document(document))


def render_document(document: Document) -> str:
    """A document through its template."""
    return _guarded(render("report.html.j2", document))


def render(template: str, page: object) -> str:
    """A page through a template: every text escaped, every name defined."""
    return _environment().get_template(template).render(page=page)


@cache
def _environment() -> "Environment":
    """The environment with the templates, each compiled once."""
    # Only a report needs these
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    from audit.writers.template_cache import TemplateCache  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(templates()),
        bytecode_cache=TemplateCache(templates()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"mathml": mathml, "script_json": script_json}
    # as it is
    environment.globals["asset"] = lambda name: (templates() / name).read_text(encoding="utf-8")
    return environment


def render_campaign(found: CampaignFindings, reports: Sequence[str] = ()) -> str:
    """The page of a campaign with several tracks; reports are the addresses of the tracks' own pages."""
    return render_document(campaign_document(found, reports))


def render_campaign_editions(
    found: CampaignFindings, reports: Sequence[str] = ()
) -> tuple[str, str]:
    """The page of a campaign for its organisers, and as readers see it."""
    document = campaign_document(found, reports)
    return render_document(document), render_document(readers_document(document))


def _guarded(html: str) -> str:
    """A page with the policy under which its own scripts and styles work, and nothing else does, wherever it is."""
    charset = '<meta charset="utf-8">'
    policy = content_policy(html)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return html.replace(charset, f"{charset}\n{meta}", 1)


@cache
def mathml(latex: str) -> str:
    """MathML of a formula, to stand on a line of its own."""
    from latex2mathml.converter import convert  # noqa: PLC0415 - only a report needs it

    return convert(latex, display="block")
