"""What an author would paste: tables, methods, results, references, and every number by one look-up."""

from collections.abc import Mapping
from dataclasses import dataclass

from audit.domain import Evaluation
from audit.questions.paper_prose import Methods, PaperFindings, Plain
from audit.questions.references import OF_ITEM_SCORES, REFERENCES
from audit.writers.latex import tex
from audit.writers.latex.numbers import Names, numbers_tex
from audit.writers.latex.tex_tables import PaperTables


@dataclass(frozen=True)
class Tex(Plain):
    """Prose as TeX, with the names of one export."""

    names: Names

    def sentence(self, slug: str, **values: object) -> str:
        """A registered sentence."""
        return tex.sentence(slug, **values)

    def text(self, text: str) -> str:
        """A text that prints as it is."""
        return tex.tex(text)

    def number(self, printed: str) -> str:
        """A printed number with a true minus sign."""
        return tex.tex(printed)

    def name(self, entry: int) -> str:
        """The name as TeX."""
        return self.names.plain(entry)

    def cited(self, *keys: str) -> str:
        """A command that cites."""
        return rf" \cite{{{','.join(keys)}}}"


def paper_files(
    evaluation: Evaluation, *, engine: str = "pdflatex", latex_names: Mapping[str, str] | None = None
) -> dict[str, bytes]:
    """Every file for the paper, by name; ``slices.tex`` where columns of gold cut the test set."""
    names = Names(evaluation, latex_names or {})
    names.check(engine)
    prose = Tex(evaluation, names)
    texts = {
        **dict(PaperTables(evaluation, names).files()),
        "methods.tex": tex.PREAMBLE + "\n".join(Methods(evaluation, prose).sentences()) + "\n",
        "results.tex": tex.PREAMBLE + "\n".join(PaperFindings(evaluation, prose).sentences()) + "\n",
        "numbers.tex": numbers_tex(evaluation),
        "references.bib": REFERENCES if not evaluation.task.scored_labels else REFERENCES + OF_ITEM_SCORES,
    }
    return {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}
