"""What page and paper cite: as BibTeX, and as a page prints it."""

import re
from functools import cache

from audit.resources import templates
from audit.text import listed

_ENTRY = re.compile(r"^@\w+{(.+?),(.+?)^}", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^  (\w+) = {(.*?)},?$", re.DOTALL | re.MULTILINE)


def bibliography() -> str:
    """All works as BibTeX."""
    return (templates() / "references.bib").read_text(encoding="utf-8")


@cache
def _works() -> dict[str, dict[str, str]]:
    return {
        key: dict(map(_plain, _FIELD.findall(entry)))
        for key, entry in _ENTRY.findall(bibliography())
    }


def _plain(field: tuple[str, str]) -> tuple[str, str]:
    name, text = field
    plain = text.replace("``", "“").replace("''", "”").replace("\\&", "&")
    return name, " ".join(re.sub("[{}]", "", plain).split())


def author_and_year(key: str) -> str:
    """Author and year of a work: one author, two, or the first of several.

    >>> [author_and_year(key) for key in ("hsu-1984-constrained", "romano-wolf-2005-exact", "card-etal-2020-little")]
    ['Hsu 1984', 'Romano and Wolf 2005', 'Card et al. 2020']
    """
    work = _works()[key]
    surnames = [author.partition(",")[0] for author in work["author"].split(" and ")]
    authors = f"{surnames[0]} et al." if len(surnames) > 2 else " and ".join(surnames)  # noqa: PLR2004 - two are named
    return f"{authors} {work['year']}"


def printed() -> dict[str, str]:
    """Each work by its key as text: who, when, what, and where.

    >>> printed()["hsu-1984-constrained"].removesuffix(" The Annals of Statistics 12(3).")
    'Jason C. Hsu. 1984. Constrained Simultaneous Confidence Intervals for Multiple Comparisons with the Best.'
    """
    return {key: _printed(work) for key, work in _works().items()}


def _printed(work: dict[str, str]) -> str:
    names = [" ".join(reversed(author.split(", "))) for author in work["author"].split(" and ")]
    where = next(work[kind] for kind in ("journal", "booktitle") if kind in work)
    if "number" in work:
        number = f"({work['number']})"
    else:
        number = ""
    if "volume" in work:
        volume = f" {work['volume']}{number}"
    else:
        volume = ""
    title = work["title"] + ("" if work["title"].endswith("?") else ".")
    return f"{listed(names)}. {work['year']}. {title} {where}{volume}."
