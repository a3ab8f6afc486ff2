"""The LaTeX files for the paper: tables, formulas, methods, results and every number."""

from collections.abc import Mapping

from audit.domain import Evaluation
from audit.questions.prose.references import OF_ITEM_SCORES, REFERENCES
from audit.writers.latex.formulas import formulas_tex
from audit.writers.latex.numbers import numbers_tex
from audit.writers.latex.prose import Prose
from audit.writers.latex.tex_names import Names
from audit.writers.latex.tex_tables import SLICES, TABLES, PaperTables

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
