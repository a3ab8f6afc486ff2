"""What is said of an evaluation, as blocks: frozen, ready to print, and without any markup.

A question builds them, a writer sets them: as HTML, LaTeX, in the terminal. How a number is printed is decided where a
block is built; how wide, in which colour and between which marks it stands, where it is written.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure as Drawing

# Text


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text that is more than plain: a link, code, or stressed."""

    text: str
    style: str = ""  # code, strong, em, note, or nothing
    href: str = ""
    title: str = ""  # more, for a pointer that rests on it


Text = str | tuple[str | Span, ...]  # a text: plain, or in pieces


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph: plain, a note, or a heading within a section."""

    kind: ClassVar[str] = "paragraph"
    text: Text
    style: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """Items below each other."""

    kind: ClassVar[str] = "listing"
    items: tuple[Text, ...]
    style: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms with what is said of each."""

    kind: ClassVar[str] = "terms"
    rows: tuple["Term", ...]
    style: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A term, its formula where it has one, and what is said of it, a paragraph each."""

    term: Text
    about: tuple[Text, ...]
    id: str = ""
    formula: str = ""  # LaTeX


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to be typed."""

    kind: ClassVar[str] = "code"
    lines: tuple[str, ...]


# Tables


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    text: str
    style: str = ""  # best, quiet, beside, a shade, sentence for text over several lines
    title: str = ""  # more, for a pointer that rests on it; never needed for reading
    href: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head."""

    label: str
    title: str = ""  # the full name, where the label is short
    numeric: bool = True
    href: str = ""
    least_first: bool = False  # sorting puts the least first, as the best of its numbers
    heads_rows: bool = False  # its cells name their rows


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption that says what is to be seen."""

    kind: ClassVar[str] = "table"
    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    sortable: bool = True
    upright: bool = False  # heads stand upright, to save width

    def noting(self, *notes: str) -> "Table":
        """The same table with more below it."""
        return replace(self, note=" ".join(filter(None, (self.note, *notes))))

    @property
    def texts(self) -> list[list[str]]:
        """The rows as plain texts."""
        return [[cell.text for cell in row] for row in self.rows]


@dataclass(frozen=True, slots=True)
class Switched:
    """Tables of which one is shown at a time, each with what a reader chooses it by."""

    kind: ClassVar[str] = "switched"
    legend: str
    tables: tuple[tuple[str, Table], ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval with its point, in percent of a scale; which end its point is beyond, or nothing."""

    start: float
    point: float
    end: float
    beyond: str = ""  # low, high


@dataclass(frozen=True, slots=True)
class BoardRow:
    """An entry of the ranking on the first screen."""

    rank: str
    name: Cell
    score: str
    bar: Bar | None  # None where the score is undefined
    could_be_best: str
    below_line: bool  # a tier ends above it
    possible_ranks: str
    other: str  # its rank by the other score
    move: int  # ranks gained by it
    wins: bool


@dataclass(frozen=True, slots=True)
class Board:
    """The ranking on the first screen, with its intervals drawn on one scale."""

    caption: str
    score: str
    other: str
    rows: tuple[BoardRow, ...]
    ticks: tuple[tuple[float, str], ...]  # place in percent, and the number there
    is_compared: bool
    notes: tuple[str, ...]
    more: str  # the text of the link to the whole ranking


def row_names(label: str) -> Column:
    """The head of the column whose cells name the rows."""
    return Column(label, numeric=False, heads_rows=True)


# Pictures, and what a reader chooses


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of the catalogue, to be drawn so many inches wide."""

    kind: ClassVar[str] = "picture"
    slug: str
    caption: str
    alt: str  # its title and what it shows, for who does not see it
    reading: str
    draw: "Callable[[float], Drawing]" = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Chooser:
    """A choice that a reader makes on the page: of one team, or of two."""

    kind: ClassVar[str] = "chooser"
    id: str
    prompts: tuple[tuple[str, str, str], ...]  # of each choice: id, label, and more of it for who does not see it
    options: tuple[str, ...] = ()  # in the order of the ranking; none where nothing is chosen
    data: object = None  # all that can be shown, for the page's script
    notes: tuple[str, ...] = ()
    export: str = ""  # which file of the export has it
    left_out: str = ""  # why nothing is chosen
    chosen: tuple[int, ...] = (0, 1)


# What was found


@dataclass(frozen=True, slots=True)
class Finding:
    """A flag as it is read: what it says, what to do, and where its evidence stands."""

    slug: str
    title: str
    severity: str
    level: int
    sentence: str
    remedy: str
    paper: str  # nothing where it is the sentence
    explanation: str
    evidence: Span


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings, most consequential first."""

    kind: ClassVar[str] = "findings"
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Depends:
    """One thing that the first place depends on: who is first by what, the state in words, and its slug."""

    title: str
    clauses: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be said of the first place, and what to do before publishing."""

    sentence: str
    more: str
    depends_on: tuple[Depends, ...]
    note: str  # what a state means, where one of them needs it
    to_do: tuple[Text, ...]
    most_to_do: int  # so many are in sight, the rest is folded


@dataclass(frozen=True, slots=True)
class Copyable:
    """Texts to copy, each with its id and title."""

    kind: ClassVar[str] = "copyable"
    texts: tuple[tuple[str, str, str], ...]
    command: str = ""  # what writes them and more as files


# The whole


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that open at a click."""

    kind: ClassVar[str] = "fold"
    id: str
    title: str
    blocks: "tuple[Block, ...]"


@dataclass(frozen=True, slots=True)
class Section:
    """A question as its title, its answer, and what shows it."""

    id: str
    question: str
    answer: tuple[str, ...]  # sentences; none where the blocks speak for themselves
    blocks: "tuple[Block, ...]"
    command: str = ""  # what prints all of it in a terminal; TASK stands for the task


Block = Paragraph | Listing | Terms | Code | Table | Switched | Picture | Chooser | Findings | Copyable | Fold


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report: its heading, the verdict beside the ranking it is about, then one section for each question."""

    title: str
    facts: tuple[str, ...]
    note: str  # what the organiser wants every reader to know
    verdict: Verdict
    board: Board
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What is said of several test sets together: who wins by which rule, every score, and how they are summed."""

    title: str
    facts: tuple[str, ...]
    answer: tuple[str, ...]
    table: Table
    parts: Listing
    method: tuple[str, ...]
