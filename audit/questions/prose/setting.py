"""How names, numbers and references are set in a sentence: as plain text, which other kinds of document change."""

import re
from dataclasses import dataclass, field

from audit.domain import Evaluation
from audit.questions.prose.references import OF_ITEM_SCORES, REFERENCES
from audit.questions.wording import shown_name
from audit.sentences import say
from audit.text import visible


@dataclass(frozen=True)
class Plain:
    """Prose as plain text, to be copied into any document."""

    evaluation: Evaluation

    def sentence(self, slug: str, **values: object) -> str:
        """A registered sentence."""
        return say(slug, **values)

    def text(self, text: str) -> str:
        """The text itself."""
        return visible(text, 10_000)

    def number(self, printed: str) -> str:
        """The number itself."""
        return printed

    def name(self, entry: int) -> str:
        """The name, without what a terminal or a page could take for a command."""
        return shown_name(self.evaluation, entry)

    def cited(self, *keys: str) -> str:
        """Authors and year in parentheses."""
        return f" ({'; '.join(map(author_and_year, keys))})"


@dataclass(frozen=True)
class Naming(Plain):
    """Plain prose that remembers whom it names."""

    named: set[int] = field(default_factory=set)

    def name(self, entry: int) -> str:
        """The name, which is remembered."""
        self.named.add(entry)
        return super().name(entry)


def author_and_year(key: str) -> str:
    """Author and year of a BibTeX key of ours: one author, two, or the first of several.

    >>> [author_and_year(key) for key in ("hsu-1984-constrained", "romano-wolf-2005-exact", "card-etal-2020-little")]
    ['Hsu 1984', 'Romano and Wolf 2005', 'Card et al. 2020']
    >>> author_and_year("delong-etal-1988-comparing")
    'DeLong et al. 1988'
    """
    authors, year, _ = re.split(r"-(\d{4})-", key)
    first, *others = authors.split("-")
    if others == ["etal"]:
        return f"{_SPELT[first]} et al. {year}"
    return f"{' and '.join(_SPELT[name] for name in (first, *others))} {year}"


_SPELT = {name.lower(): name for name in re.findall(r"(?:author = {|\band )([^,{}]+),", REFERENCES + OF_ITEM_SCORES)}
"""Surnames as the bibliography spells them, by their form in keys."""
