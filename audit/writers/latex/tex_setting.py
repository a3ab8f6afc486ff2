"""Prose as TeX."""

from dataclasses import dataclass

from audit.writers.latex import tex
from audit.writers.latex.tex_names import Names


@dataclass(frozen=True)
class Tex:
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
        return tex.number(printed)

    def name(self, entry: int) -> str:
        """The name as TeX."""
        return self.names.plain(entry)

    def cited(self, *keys: str) -> str:
        """A command that cites."""
        return rf" \cite{{{','.join(keys)}}}"
