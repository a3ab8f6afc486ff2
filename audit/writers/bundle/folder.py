"""The export: every file of it, by relative name, and the README that lists them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Campaign, Evaluation
from audit.execution import Progress, counted
from audit.inference import Sample, only_right
from audit.questions.figures import FIGURE_KINDS, drawing, pdf_bytes, svg_text
from audit.questions.figures.common import NARROW, WIDE
from audit.questions.pairs import chosen_keys
from audit.questions.printing import BEST_SHOWN, FEW
from audit.text import visible
from audit.writers.bundle.archive import EVALUATION, SUMS, bundle_files, encoded, zip_bytes
from audit.writers.bundle.codabench import codabench_files
from audit.writers.bundle.evaluation_json import SCHEMA_FILE, evaluation_document, schema_text
from audit.writers.bundle.sheets import (
    confusions_csv,
    correlations_csv,
    differences_csv,
    only_right_csv,
    pairs_csv,
    ranks_csv,
)
from audit.writers.bundle.slices_sheet import slices_csv
from audit.writers.data.export import scores_csv, to_json
from audit.writers.data.item_files import answers_csv, items_csv, items_of
from audit.writers.html import render_html
from audit.writers.latex import paper_files

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTHS = {"narrow": NARROW, "wide": WIDE}  # inches of a column, and of the text, on a two-column page

ENGINES = ("pdflatex", "lualatex")
EXPORT_MARK = "Written by audit export."
"""The first line of an export's README.txt: a folder without it is never replaced."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The optional parts of an export."""

    engine: str = "pdflatex"
    """``pdflatex`` or ``lualatex``, for which the LaTeX files are written."""
    figures: tuple[str, ...] = ("pdf",)
    """The formats in which figures are drawn: ``pdf``, ``svg``, both, or none."""
    include_inputs: bool = False
    """Whether ``bundle.zip`` holds gold and submissions, beside their digests."""
    with_items: bool = False
    """Whether item ids and gold labels of single items may stand in it."""
    latex_names: Mapping[str, str] = field(default_factory=dict)
    """TeX for names that the organiser wrote by hand, by team."""


DEFAULT_OPTIONS = ExportOptions()

REPORT = "report.html"
CODABENCH_SCORES = "codabench/*/scores.json"
_ABOUT = (
    ("README.txt", "this list"),
    (SUMS, "the digest of every other file, as sha256sum -c checks it; --force replaces nothing else"),
    (REPORT, "the report, for organisers: it prints gold's class sizes"),
    ("scores.csv", "every score of every entry and built-in baseline, every digit"),
    ("ranks.csv", "the ranks by every metric"),
    ("slices.csv", "every score, the rank and the interval of every entry in each part of the test set"),
    ("correlations.csv", "Spearman's rho and Kendall's tau-b, for every pair of metrics"),
    ("pairs.csv", "every pair of comparable entries: difference, standard error, adjusted p, and whether one is ahead"),
    ("differences.csv", "every pair of entries by every metric: difference, simultaneous interval, adjusted p"),
    ("only_right.csv", "every pair of entries: items of each class that only one of the two gets right"),
    ("confusions.csv", "every entry's confusion, gold by predicted, with the unanswered items"),
    ("items.csv", "NOT FOR A TEST SET IN USE: item ids, gold labels, and who alone is right or wrong"),
    ("answers.csv", "NOT FOR A TEST SET IN USE: by item, which entries are right (1), wrong (0), unanswered (empty)"),
    ("evaluation.json", "everything that was computed, as one document"),
    ("evaluation.schema.json", "the JSON Schema of evaluation.json"),
    ("bundle.zip", "for an archive such as Zenodo; audit verify bundle.zip --inputs FOLDER computes it again"),
    ("codabench/leaderboard.yaml", "the columns of a Codabench leaderboard that shows these scores"),
    (CODABENCH_SCORES, "the scores of an entry as a Codabench scoring program writes them, in a folder for each"),
    ("main_table_narrow.tex", "the ranking for one column (3.03 in)"),
    ("main_table_wide.tex", "the ranking across the page (6.3 in), with tiers, possible ranks and other metrics"),
    ("main_table_long.tex", "the wide ranking of all entries, in pieces that each fit a page; for an appendix"),
    ("per_class.tex", "F1 of every class"),
    ("per_class_long.tex", "F1 of every class for all entries, in pieces that each fit a page; for an appendix"),
    ("slices.tex", "the official score in each part of the test set"),
    ("pairwise.tex", "the first team against the next ones: difference, simultaneous interval, adjusted p"),
    ("pairwise_long.tex", "the first team against all others, in pieces that each fit a page; for an appendix"),
    ("metric_agreement.tex", "Spearman's rho between the metrics"),
    ("formulas.tex", "every metric as it was computed: classes, undefined terms, prevalence"),
    ("methods.tex", "the methods, as an author would write them; cites references.bib"),
    ("results.tex", "the results in four sentences that say no more than the tests show"),
    ("arr_checklist.tex", "the items B6, C3 and C4 of the ARR responsible-research checklist"),
    ("numbers.tex", r"every number by one look-up: \auditnum{TEAM}{METRIC}{WHAT}; the keys stand at its top"),
    ("references.bib", "what the LaTeX files cite"),
)

_NEEDS_LATEX = rf"""
LaTeX: \usepackage{{booktabs}}, and \input the files; the first comment of each says which fonts it needs.
A table's file has its caption and its label.

Of more than {FEW} entries, tables and figures show the first {BEST_SHOWN};
for an appendix, files with _long and -all in their names have the others.
"""


def export_files(
    evaluation: Evaluation,
    campaign: Campaign,
    options: ExportOptions = DEFAULT_OPTIONS,
    *,
    on_progress: Progress | None = None,
) -> dict[str, bytes]:
    """Every file of an export, by relative name with forward slashes; the same evaluation gives the same bytes.

    Raises
    ------
    InputError
        unsettable-name, where a name cannot be set by the engine.
    """
    items = items_of(evaluation, campaign) if options.with_items else None
    texts = {EVALUATION: to_json(evaluation_document(evaluation, items)), SCHEMA_FILE: schema_text()}
    sheets = {
        **texts,
        REPORT: render_html(evaluation),
        "scores.csv": scores_csv(evaluation, evaluation.keys, by=evaluation.task.ranking_metric),
        "ranks.csv": ranks_csv(evaluation),
        **({"slices.csv": slices_csv(evaluation)} if evaluation.slices else {}),
        "correlations.csv": correlations_csv(evaluation),
        "pairs.csv": pairs_csv(evaluation),
        "confusions.csv": confusions_csv(evaluation),
        **_of_any_two(evaluation, campaign),
        **({} if items is None else {"items.csv": items_csv(items), "answers.csv": answers_csv(items)}),
    }
    archive = bundle_files(evaluation, campaign, texts, include_inputs=options.include_inputs)
    files = {
        **{name: encoded(text) for name, text in sheets.items()},
        "bundle.zip": zip_bytes(archive),
        **{f"codabench/{name}": content for name, content in codabench_files(evaluation).items()},
        **paper_files(evaluation, engine=options.engine, latex_names=options.latex_names),
        **(dict(_figures(evaluation, options.figures, on_progress)) if options.figures else {}),
    }
    return {"README.txt": encoded(_readme(evaluation, ["README.txt", SUMS, *files])), **files}


def _of_any_two(evaluation: Evaluation, campaign: Campaign) -> dict[str, str]:
    """The page's data on any two entries; above its limit, the sum over the classes."""
    pairs = evaluation.pairs
    if pairs is not None:
        by_class = np.moveaxis(pairs.only_right, -1, 0)
        return {
            "differences.csv": differences_csv(evaluation, chosen_keys(evaluation)),
            "only_right.csv": only_right_csv(evaluation, by_class),
        }
    sample = Sample.of(campaign.gold.codes, campaign.predictions_of(evaluation.entries), len(evaluation.task.label_set))
    return {"only_right.csv": only_right_csv(evaluation, [reduce(np.add, only_right(sample))])}


def _figures(
    evaluation: Evaluation, formats: Sequence[str], on_progress: Progress | None
) -> Iterator[tuple[str, bytes]]:
    """Every figure that the evaluation has, in two widths; the full form where it leaves out teams."""
    kinds = [kind for kind in FIGURE_KINDS.values() if kind.possible(evaluation)]
    for kind in counted(kinds, len(kinds), on_progress):
        for size, width in _WIDTHS.items():
            with drawing():
                yield from _drawn(f"figures/{kind.slug}-{size}", kind.draw(evaluation, width), formats)
        if kind.draw_full is not None and kind.is_partial(evaluation):
            with drawing():
                yield from _drawn(f"figures/{kind.slug}-all", kind.draw_full(evaluation, _WIDTHS["wide"]), formats)


def _drawn(name: str, figure: "Figure", formats: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """A figure in each format."""
    written = {"svg": lambda: encoded(svg_text(figure)), "pdf": lambda: pdf_bytes(figure)}
    yield from ((f"{name}.{each}", written[each]()) for each in formats)


def _readme(evaluation: Evaluation, names: list[str]) -> str:
    """The README of an export: one line for each file, and one for the files of all entries."""
    listed = {CODABENCH_SCORES if fnmatchcase(name, CODABENCH_SCORES) else name for name in names}
    width = max(map(len, listed))
    lines = [f"{name:<{width}}  {about(name)}" for name in sorted(listed)]
    head = f"{EXPORT_MARK}\n\n{visible(evaluation.task.title, 200)}\n{visible(evaluation.signature, 10_000)}\n"
    return "\n".join([head + _NEEDS_LATEX, *lines]) + "\n"


def about(name: str) -> str:
    """The description of a file of an export.

    Examples
    --------
    >>> about("figures/scores-wide.pdf"), about("ranks.csv")
    ('Scores with intervals, 6.3 in wide', 'the ranks by every metric')
    """
    figure = re.fullmatch(r"figures/(.+)-(narrow|wide|all)\.\w+", name)
    if figure and figure[2] == "all":
        return f"{FIGURE_KINDS[figure[1]].title}, full, for an appendix, {_WIDTHS['wide']} in wide"
    if figure:
        return f"{FIGURE_KINDS[figure[1]].title}, {_WIDTHS[figure[2]]} in wide"
    return next(text for pattern, text in _ABOUT if fnmatchcase(name, pattern))
