"""The LaTeX files for the paper: tables, methods, results, references, and every number by one look-up."""

from collections.abc import Iterable, Mapping

from audit.domain import Evaluation
from audit.report.paper_prose import methods_of, results_of, with_references
from audit.report.references import bibliography
from audit.writers.latex.numbers import Names, numbers_tex
from audit.writers.latex.tex import PREAMBLE, prose
from audit.writers.latex.tex_tables import PaperTables


def paper_files(
    evaluation: Evaluation,
    *,
    engine: str = "pdflatex",
    latex_names: Mapping[str, str] | None = None,
) -> dict[str, bytes]:
    """Every file for the paper, by name; ``slices.tex`` where columns of gold cut the test set."""
    names = Names(evaluation, latex_names or {})
    names.check(engine)
    texts = {
        **dict(PaperTables(evaluation, names).files()),
        "methods.tex": _prose_file(names, methods_of(evaluation)),
        "results.tex": _prose_file(names, results_of(evaluation)),
        "numbers.tex": numbers_tex(evaluation),
        "references.bib": bibliography(),
    }
    return {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}


def _prose_file(names: Names, sentences: Iterable[str]) -> str:
    """Sentences as TeX, one a line, with the names of one export and commands that cite."""
    written = (prose(sentence, names.said) for sentence in sentences)
    lines = (
        with_references(sentence, lambda keys: rf"\cite{{{','.join(keys)}}}")
        for sentence in written
    )
    return PREAMBLE + "".join(f"{line}\n" for line in lines)
