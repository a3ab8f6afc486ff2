"""The export: every file of it, by relative name, and the README that lists them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from audit.domain import Campaign, Evaluation, Feature
from audit.execution import Progress, counted
from audit.report.figures.figure_kinds import FIGURE_KINDS
from audit.report.figures.style import NARROW, WIDE, drawing, pdf_bytes, svg_text
from audit.report.printing import BEST_SHOWN, FEW
from audit.report.readers import without_file_names
from audit.text import visible
from audit.writers.bundle.archive import (
    SUMS,
    bundle_files,
    encoded,
    evaluation_document,
    evaluation_texts,
    zip_bytes,
)
from audit.writers.bundle.sheets import (
    confusions_csv,
    correlations_csv,
    items_csv,
    items_of,
    pairs_csv,
    ranks_csv,
    slices_csv,
)
from audit.writers.data.export import scores_csv
from audit.writers.data.readers_data import readers_data
from audit.writers.html import render_editions, render_html
from audit.writers.latex import paper_files

# inches of a column, and of the text, on a two-column page
_WIDTHS = {"narrow": NARROW, "wide": WIDE}

EXPORT_MARK = "Written by audit export."
"""The first line of an export's README.txt: a folder without it is never replaced."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The optional parts of an export."""

    engine: str = "pdflatex"  # ``pdflatex`` or ``lualatex``, for which the LaTeX files are written
    figures: tuple[str, ...] = ("pdf",)
    """The formats in which figures are drawn: ``pdf``, ``svg``, both, or none."""
    include_inputs: bool = False
    """Whether ``bundle.zip`` holds gold and submissions, beside their digests."""
    with_items: bool = False  # whether item ids and gold labels of single items may stand in it
    latex_names: Mapping[str, str] = field(default_factory=dict)
    """TeX for names that the organiser wrote by hand, by team."""


DEFAULT_OPTIONS = ExportOptions()

REPORT = "report.html"
_ABOUT = {
    "README.txt": "this list",
    SUMS: "the digest of every other file, as sha256sum -c checks it; --force replaces nothing else",
    REPORT: "the report, for organisers: it prints gold's class sizes",
    "scores.csv": "every score of every entry and built-in baseline, every digit",
    "ranks.csv": "the ranks by every metric",
    "slices.csv": "every score, the rank and the interval of every entry in each part of the test set",
    "correlations.csv": "Spearman's rho and Kendall's tau-b, for every pair of metrics",
    "pairs.csv": "every pair of comparable entries by metric: difference and its interval, adjusted p, who is ahead",
    "confusions.csv": "every entry's confusion, gold by predicted, with the unanswered items",
    "items.csv": "NOT FOR A TEST SET IN USE: ids, gold labels, who is right (1), wrong (0), silent (empty)",
    "evaluation.json": "everything that was computed, as one document",
    "evaluation.schema.json": "the JSON Schema of evaluation.json",
    "bundle.zip": "for an archive such as Zenodo; audit verify bundle.zip --inputs FOLDER computes it again",
    "main_table_narrow.tex": "the ranking for one column (3.03 in)",
    "main_table_wide.tex": "the ranking across the page (6.3 in), with possible ranks, distances and other metrics",
    "macro_f1.tex": "both macro F1s, their ranks and their gap",
    "per_class.tex": "F1 of every class",
    "slices.tex": "the official score in each part of the test set",
    "classes.tex": "Every class with its number of items",
    "pairs.tex": "Which pairs of teams differ significantly",
    "metric_agreement.tex": "Spearman's rho between the metrics",
    "methods.tex": "the methods, as an author would write them; cites references.bib",
    "results.tex": "the results in four sentences that say no more than the tests show",
    "numbers.tex": r"every number by one look-up: \auditnum{TEAM}{METRIC}{WHAT}; the keys stand at its top",
    "references.bib": "the works that the LaTeX files and the report cite",
}

_NEEDS_LATEX = rf"""
LaTeX: \usepackage{{booktabs}}, and \input the files; the first comment of each says which fonts it needs.
A table's file has its caption and its label.

Of more than {FEW} entries, tables and figures show the first {BEST_SHOWN}, on to the last that the results name.
"""


def export_files(
    evaluation: Evaluation,
    campaign: Campaign,
    options: ExportOptions = DEFAULT_OPTIONS,
    *,
    on_progress: Progress | None = None,
) -> dict[str, bytes]:
    """Every file of an export, by relative name with forward slashes; the same evaluation gives the same bytes."""
    if options.with_items:
        items = items_of(evaluation, campaign)
    else:
        items = None
    texts = evaluation_texts(evaluation_document(evaluation, items))
    sheets = {
        **texts,
        REPORT: render_html(evaluation),
        "scores.csv": scores_csv(evaluation, evaluation.keys, by=evaluation.task.ranking_metric),
        "ranks.csv": ranks_csv(evaluation),
    }
    if evaluation.slices:
        sheets["slices.csv"] = slices_csv(evaluation, evaluation.slices)
    sheets["correlations.csv"] = correlations_csv(evaluation)
    sheets["pairs.csv"] = pairs_csv(evaluation)
    if evaluation.task.label_set.supports(Feature.CLASSES):
        sheets["confusions.csv"] = confusions_csv(evaluation)
    if items is not None:
        sheets["items.csv"] = items_csv(items)
    archive = bundle_files(evaluation, campaign, texts, include_inputs=options.include_inputs)
    files = {
        **{name: encoded(text) for name, text in sheets.items()},
        "bundle.zip": zip_bytes(archive),
        **paper_files(evaluation, engine=options.engine, latex_names=options.latex_names),
        **(dict(_figures(evaluation, options.figures, on_progress)) if options.figures else {}),
    }
    return _described(files, evaluation)


def readers_export(
    files: Mapping[str, bytes],
    evaluation: Evaluation,
    campaign: Campaign,
    options: ExportOptions = DEFAULT_OPTIONS,
) -> dict[str, bytes]:
    """The files of an export as readers of a published release get them: the same numbers, nothing that is to be done.

    The bundle keeps the settings and the journal, from which others compute the numbers again.
    """
    if options.with_items:
        items = items_of(evaluation, campaign)
    else:
        items = None
    texts = evaluation_texts(readers_data(evaluation_document(evaluation, items)))
    archive = bundle_files(
        evaluation, campaign, texts, include_inputs=options.include_inputs, for_readers=True
    )
    _, report = render_editions(evaluation)
    of_readers = {
        **files,
        **{name: _reworded(content) for name, content in files.items() if name.endswith(".tex")},
        **{name: encoded(text) for name, text in texts.items()},
        REPORT: encoded(report),
        "bundle.zip": zip_bytes(archive),
    }
    return _described(of_readers, evaluation)


def _reworded(content: bytes) -> bytes:
    return encoded(without_file_names(content.decode("utf-8")))


def _described(files: Mapping[str, bytes], evaluation: Evaluation) -> dict[str, bytes]:
    """The files with the README that lists them."""
    names = dict.fromkeys(["README.txt", SUMS, *files])
    return {**files, "README.txt": encoded(_readme(evaluation, list(names)))}


def _figures(
    evaluation: Evaluation, formats: Sequence[str], on_progress: Progress | None
) -> Iterator[tuple[str, bytes]]:
    """Every figure that the evaluation has, in two widths and each format."""
    kinds = [kind for kind in FIGURE_KINDS.values() if kind.possible(evaluation)]
    for kind in counted(kinds, len(kinds), on_progress):
        for size, width in _WIDTHS.items():
            with drawing():
                figure = kind.draw(evaluation, width)
                written = {"svg": lambda drawn: encoded(svg_text(drawn)), "pdf": pdf_bytes}
                yield from (
                    (f"figures/{kind.slug}-{size}.{each}", written[each](figure))
                    for each in formats
                )


def _readme(evaluation: Evaluation, names: list[str]) -> str:
    width = max(map(len, names))
    lines = [
        f"{name:<{width}}  {evaluation.task.label_set.worded(about(name))}"
        for name in sorted(names)
    ]
    head = f"{EXPORT_MARK}\n\n{visible(evaluation.task.title, 200)}\n{visible(evaluation.signature, 10_000)}\n"
    return "\n".join([head + _NEEDS_LATEX, *lines]) + "\n"


def about(name: str) -> str:
    """The description of a file of an export."""
    figure = re.fullmatch(r"figures/(.+)-(narrow|wide)\.\w+", name)
    if figure:
        return f"{FIGURE_KINDS[figure[1]].title}, {_WIDTHS[figure[2]]} in wide"
    return _ABOUT[name]
