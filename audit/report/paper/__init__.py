"""The LaTeX files for the paper: tables, formulas, methods, results and every number."""

from collections.abc import Mapping

from audit.domain import Evaluation
from audit.report.paper.formulas import formulas_tex
from audit.report.paper.numbers import numbers_tex
from audit.report.paper.prose import Prose
from audit.report.paper.references import OF_ITEM_SCORES, REFERENCES
from audit.report.paper.tex_names import Names
from audit.report.paper.tex_tables import SLICES, TABLES, PaperTables

__all__ = ["PAPER_FILES", "paper_files"]

_PROSE = {
    "methods.tex": Prose.methods,
    "results.tex": Prose.results,
    "arr_checklist.tex": Prose.checklist,
}
PAPER_FILES = (*TABLES, *_PROSE, "formulas.tex", "numbers.tex", "references.bib")
"""The names of the files that every evaluation has."""


def paper_files(
    evaluation: Evaluation, *, engine: str = "pdflatex", latex_names: Mapping[str, str] | None = None
) -> dict[str, bytes]:
    """Every file for the paper.

    Parameters
    ----------
    evaluation : Evaluation
        What was computed. All files come from it alone, so that they cannot disagree.
    engine : str
        ``pdflatex`` or ``lualatex``: which of them will set the names.
    latex_names : mapping of str to str, optional
        TeX for names that the organiser wrote by hand, by team.

    Returns
    -------
    dict of str to bytes
        UTF-8 text by file name.

    Raises
    ------
    InputError
        unsettable-name, for every name that pdfLaTeX cannot set and that has no TeX of its own.
    """
    names = Names(evaluation, latex_names or {})
    names.check(engine)
    tables, prose = PaperTables(evaluation, names), Prose(evaluation, names)
    texts = {
        **{name: make(tables) for name, make in TABLES.items()},
        **({SLICES: tables.slices()} if evaluation.slices else {}),
        **{name: make(prose) for name, make in _PROSE.items()},
        "formulas.tex": formulas_tex(evaluation),
        "numbers.tex": numbers_tex(evaluation),
        "references.bib": REFERENCES if evaluation.item_scores is None else REFERENCES + OF_ITEM_SCORES,
    }
    return {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}
