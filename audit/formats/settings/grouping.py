"""How task.toml says which items of gold belong together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.errors import Issue
from audit.formats.files.content import Content

DOCUMENT = "document"  # what a group is called where task.toml has no other word

KNOWN_SEPARATORS = ("-DOCSTART-", "# newdoc")
"""How lines between documents begin in the format of CoNLL 2003, and in CoNLL-U."""


@dataclass(frozen=True, slots=True)
class GroupFile:
    """A second file with a group on each line: ``group = { path = "test.docs" }``."""

    path: str  # the file: a line for each sequence of gold, or for each item where gold has no sequences
    unit: str = DOCUMENT


@dataclass(frozen=True, slots=True)
class Separator:
    """Lines between groups of sequences: ``group = { between = "-DOCSTART-" }``."""

    text: str  # the text that such a line begins with; empty for blank lines
    unit: str = DOCUMENT


Grouping = tuple[str | int, ...] | Literal[False] | GroupFile | Separator
"""Columns; False where items are independent; a second file; or lines between groups."""


@dataclass(frozen=True, eq=False)
class Separated:
    """A file without its separating lines."""

    content: Content  # the file, every separating line blank, so that all others keep their numbers
    separators: NDArray[np.int64] | None = None
    """The lines that separate, counted from 1, in order, shape (S,); None where nothing separates."""

    @classmethod
    def by(cls, separator: str | None, content: Content) -> "Separated":
        r"""The file without the lines that begin with a text, or that are blank where it is empty.

        >>> separated = Separated.by("-DOCSTART-", Content("a.conll", "-DOCSTART- O\n\na X\n-DOCSTART- O\nb X\n"))
        >>> separated.content.lines, separated.groups([3, 5])
        (['', '', 'a X', '', 'b X'], [1, 2])
        """
        if separator is None:
            return cls(content)
        lines = content.lines
        separates = [line.startswith(separator) if separator else is_blank(line) for line in lines]
        numbers = 1 + np.flatnonzero(np.array(separates, dtype=bool))
        if not separator or not numbers.size:
            return cls(content, numbers)
        kept = ["" if is_separator else line for line, is_separator in zip(lines, separates, strict=True)]
        return cls(replace(content, text="\n".join([*kept, ""]), _parsed={}), numbers)

    def groups(self, lines: Sequence[int]) -> list[int] | None:
        """The group of each of these lines, by number; None where nothing separates."""
        if self.separators is None:
            return None
        groups: list[int] = np.searchsorted(self.separators, np.asarray(lines, np.int64)).tolist()
        return groups


def no_sequences(path: str, reason: str) -> Issue:
    """The issue for lines that would stand between groups of sequences in a file that has none."""
    expected = "tag sequences; in other files a column of groups, or a second file, says which items belong together"
    remedy = (
        'say under [gold] how the sequences are written: format = "sequences", or format = "tokens" with delimiter = … '
        "and label = …; group = false takes items as independent"
    )
    return Issue.of("gold-bad-groups", path, f"lines between groups, but {reason}", expected=expected, remedy=remedy)


def is_blank(line: str) -> bool:
    """Whether nothing but blanks and tabs stand on a line."""
    return not line.strip(" \t")
