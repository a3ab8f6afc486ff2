"""What is said of an evaluation, as blocks: frozen, ready to print, and without any markup.

A question builds them, a writer sets them: as HTML, LaTeX, in the terminal. How a number is printed is decided where a
block is built; how wide, in which colour and between which marks it stands, where it is written.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

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
class Shape:
    """A point or a line in a plotted cell, at its place in percent of the column's axis."""

    kind: str  # line, dot, ring, or guide: a thin line from top to bottom
    start: float
    end: float  # of a line; of all others the same as start
    style: str = ""  # the colour of a winner: w0 to w3; or quiet


@dataclass(frozen=True, slots=True)
class Axis:
    """The scale that all plotted cells of a column share."""

    ticks: tuple[tuple[float, str], ...]  # the place of each in percent, and the number there


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    text: str
    style: str = ""  # best, quiet, beside, a shade, sentence for text over several lines
    title: str = ""  # more, for a pointer that rests on it; never needed for reading
    href: str = ""
    shapes: tuple[Shape, ...] = ()  # what is drawn in place of the text, in a column with an axis
    chip: str = ""  # the slug of the state that the text names, which is set as a chip


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head."""

    label: str
    title: str = ""  # the full name, where the label is short
    numeric: bool = True
    href: str = ""
    least_first: bool = False  # sorting puts the least first, as the best of its numbers
    heads_rows: bool = False  # its cells name their rows
    axis: Axis | None = None  # of a column whose cells are drawn


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
    style: str = ""
    """Matrix: cells of one size; plot: points and lines; tight: little between rows; or plain numbers."""

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
class Share:
    """A part of a stacked bar."""

    name: str
    share: float  # of the whole bar, between 0 and 1
    text: str  # the share as printed
    style: str  # the colour of a winner: w0 to w3, or wo for all others


@dataclass(frozen=True, slots=True)
class ShareBars:
    """Bars that are each cut into shares, with what each bar is about."""

    kind: ClassVar[str] = "shares"
    id: str
    caption: str
    bars: tuple[tuple[str, tuple[Share, ...]], ...]
    legend: tuple[tuple[str, str], ...]  # names with their colours
    note: str = ""


@dataclass(frozen=True, slots=True)
class PairMap:
    """A triangle with a square for each pair of teams, and the names of the teams on its diagonal."""

    kind: ClassVar[str] = "pair_map"
    id: str
    caption: str
    names: tuple[str, ...]  # best first
    is_significant: tuple[tuple[bool, ...], ...]
    """Of each team, whether each of those above it is ahead of it."""
    note: str
    is_on_phones: tuple[bool, ...]  # of each team, whether it is shown on a narrow screen


@dataclass(frozen=True, slots=True)
class Curve:
    """A rising curve of shares over a number, with marked points."""

    kind: ClassVar[str] = "curve"
    id: str
    caption: str
    points: tuple[tuple[float, float], ...]  # places in percent: from the left, and from the bottom
    axis: Axis
    marks: tuple[tuple[float, float, str], ...]
    """Places in percent of marked points, and what is said of each."""
    lines: tuple[tuple[float, str], ...]
    """Places in percent of upright lines, and what is said of each."""
    label: str  # what stands from left to right
    note: str = ""


@dataclass(frozen=True, slots=True)
class Beside:
    """Blocks in two columns; below each other where there is no room."""

    kind: ClassVar[str] = "beside"
    left: "tuple[Block, ...]"
    right: "tuple[Block, ...]"
    columns: tuple[int, int] = (7, 5)  # of twelve


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A row of the ranking on the first screen: a team, a baseline, or a summary of the teams that have no row."""

    rank: str
    name: str
    score: str
    title: str = ""  # more of the name, for a pointer that rests on it
    kind: str = "team"  # team, baseline, summary
    shapes: tuple[Shape, ...] = ()
    """Its interval and its score; nothing where it is undefined or off the scale."""
    off_scale: str = ""  # low or high: the end of the axis beyond which the score lies
    confidence: str = ""  # in-set, or imprecise: in the set because too little is known of it
    possible_ranks: str = ""
    unanswered: str = ""  # how many items have no usable answer, in words
    other: str = ""  # its rank by the other macro F1
    move: int = 0  # ranks gained by it
    wins: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """The ranking on the first screen, with its intervals drawn on one axis."""

    caption: str
    score: str
    other: str  # by what else rows have a rank; empty for nothing
    rows: tuple[BoardRow, ...]
    axis: Axis
    is_compared: bool
    notes: tuple[str, ...]
    more: str  # the text of the link to the whole ranking
    link: str = "#ranking"  # where that stands


def row_names(label: str) -> Column:
    """The head of the column whose cells name the rows."""
    return Column(label, numeric=False, heads_rows=True)


# What a reader chooses


@dataclass(frozen=True, slots=True)
class Chooser:
    """A choice that a reader makes on the page: of one team, or of two."""

    kind: ClassVar[str] = "chooser"
    id: str
    prompts: tuple[tuple[str, str, str], ...]
    """Of each choice: id, label, and more of it for who does not see it."""
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


@dataclass(frozen=True, slots=True)
class Copyable:
    """Texts to copy, each with its id and title."""

    kind: ClassVar[str] = "copyable"
    texts: tuple[tuple[str, str, str], ...]
    command: str = ""  # what writes them and more as files
    style: str = ""  # for-print: set as in print, on a panel of its own


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
    name: str = ""  # what the bar at the top of the page calls it; the question where it is empty


Block = (
    Paragraph
    | Listing
    | Terms
    | Code
    | Table
    | ShareBars
    | PairMap
    | Curve
    | Beside
    | Switched
    | Chooser
    | Findings
    | Copyable
    | Fold
)


_LONG_BOARD = 20


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report: its heading, the verdict beside the ranking it is about, then one section for each question."""

    title: str
    facts: tuple[str, ...]
    note: str  # what the organiser wants every reader to know
    verdict: Verdict
    board: Board
    sections: tuple[Section, ...]

    @property
    def to_do_is_beside_the_board(self) -> bool:
        """Whether the ranking is long enough for what is to be done to stand beside it, under the choices."""
        return len(self.board.rows) >= _LONG_BOARD
