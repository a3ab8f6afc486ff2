"""What a report page holds: plain values, ready to print. Templates see these and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table.

    Parameters
    ----------
    text : str
        What is printed.
    style : str
        CSS classes: ``best``, a shade, ``same``, ``sentence`` for text that runs over several lines.
    title : str
        More, for a pointer that rests on it; never needed for reading.
    href : str
        The address that it leads to, or nothing.
    """

    text: str
    style: str = ""
    title: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head.

    Parameters
    ----------
    label : str
        What is printed.
    title : str
        The full name, where the label is short.
    numeric : bool
        Whether numbers stand in it, on the right.
    href : str
        The definition it leads to, or nothing.
    least_first : bool
        Whether sorting by it puts the least first, as the best of its numbers.
    """

    label: str
    title: str = ""
    numeric: bool = True
    href: str = ""
    least_first: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption that says what is to be seen.

    Parameters
    ----------
    id : str
        The anchor of the table.
    caption : str
        A sentence.
    columns : tuple of Column
        The heads; the first column names the row.
    rows : tuple of tuple of Cell
        Rows with as many cells as there are columns.
    note : str
        How to read it, where that is not plain.
    sortable : bool
        Whether sorting helps.
    upright : bool
        Whether the heads stand upright, to save width.
    ranks : bool
        Whether every number is a rank, of which the smallest comes first.
    """

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    sortable: bool = True
    upright: bool = False
    ranks: bool = False


@dataclass(frozen=True, slots=True)
class Alternative:
    """A table among several of which one is shown, and what a reader chooses it by."""

    choice: str
    table: Table


@dataclass(frozen=True, slots=True)
class Finding:
    """A flag as it is read: the sentence, and where its evidence stands."""

    slug: str
    title: str
    severity: str
    level: int
    sentence: str
    remedy: str
    paper: str
    explanation: str
    evidence_href: str
    evidence_label: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A metric's entry in the method section."""

    slug: str
    name: str
    """What it is called where one is asked for."""
    label: str
    mathml: str
    explanation: str
    range: str
    baseline: str
    properties: tuple[tuple[str, str, str], ...]
    source: str


@dataclass(frozen=True, slots=True)
class FileIssue:
    """An input issue as it is read."""

    file: str
    place: str
    slug: str
    found: str
    expected: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A file that was not loaded."""

    path: str
    issues: tuple[FileIssue, ...]


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One kind of step of reading the campaign, with the files or teams that it was applied to.

    Parameters
    ----------
    action : str
        ``read``, ``repaired``, ``decided`` or ``chose``.
    text : str
        What was done.
    where : str
        The files or teams it was applied to, and how many lines or items.
    """

    action: str
    text: str
    where: str


@dataclass(frozen=True, slots=True)
class CertaintySection:
    """The section on how sure the ranking is.

    Parameters
    ----------
    statements : tuple of str
        Who could be best, in how many pairs one is ahead, and what the intervals are of, in sentences.
    can_tell : tuple of str
        What more the test set can tell, beside which differences it detects.
    method : tuple of str
        What items are taken to be draws of, how intervals and comparisons are made, and what they do not cover.
    separable, rank_shares : Table, optional
        Every pair of teams, and the ranks in the replicates; None where there are too many teams to show, no pair, or
        no replicate.
    left_out : str
        Why the map of pairs is not there, where there are too many.
    """

    statements: tuple[str, ...]
    can_tell: tuple[str, ...]
    method: tuple[str, ...]
    separable: Table | None
    rank_shares: Table | None
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure of the catalogue on the page.

    Parameters
    ----------
    id : str
        The anchor of the chart.
    caption : str
        A sentence that states what is to be seen.
    wide, narrow : str
        The drawing with its alternative text, as markup: for a page, and for a telephone.
    reading : str
        How it is read.
    """

    id: str
    caption: str
    wide: str
    narrow: str
    reading: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A figure of the catalogue that is not on the page: what it would show, and why it is not there."""

    id: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class Charts:
    """Every figure of the catalogue that stands on the page, by its slug."""

    scores: Chart | LeftOut
    rank_by_metric: Chart | LeftOut
    metric_agreement: Chart | LeftOut
    macro_f1s: Chart | LeftOut
    winner_map: Chart | LeftOut
    class_recall: Chart | LeftOut
    confusion: Chart | LeftOut


@dataclass(frozen=True, slots=True)
class Distributions:
    """The section on winners under other class distributions.

    Parameters
    ----------
    statements : tuple of str
        What more is to be said than who holds how much: how near the next winner is.
    teams, metrics : Table
        The shares of the simplex, by team for the ranking metric, and by metric.
    method : tuple of str
        What was drawn, and what is assumed.
    """

    statements: tuple[str, ...]
    teams: Table
    metrics: Table
    method: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ElectionRule:
    """A rule that makes one ranking of several, as it is read."""

    title: str
    explanation: str
    assumes: str
    source: str


@dataclass(frozen=True, slots=True)
class Elections:
    """The winners under each rule.

    Parameters
    ----------
    statements : tuple of str
        The winners under the rules, and what the rules were given.
    table : Table
        Every team's value by each rule.
    rules : tuple of ElectionRule
        What each rule says and assumes.
    """

    statements: tuple[str, ...]
    table: Table
    rules: tuple[ElectionRule, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A property that a metric lacks, shown on this campaign."""

    metric: str
    href: str
    property_: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Demonstrations:
    """The properties of the metrics on this campaign.

    Parameters
    ----------
    table : Table
        Every metric × property.
    shown : tuple of Shown
        The witnesses.
    method : str
        What was searched.
    """

    table: Table
    shown: tuple[Shown, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Readings:
    """The section on the readings of macro F1.

    Parameters
    ----------
    statements : tuple of str
        What readings do to this campaign, in sentences.
    table : Table
        Winner by reading.
    definition : str
        The sentence for the paper.
    mathml, latex : str
        The formula.
    """

    statements: tuple[str, ...]
    table: Table
    definition: str
    mathml: str
    latex: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that a reader makes on the page, by the page's script.

    Parameters
    ----------
    options : tuple of str
        The teams, in the order of the ranking; none where nothing is chosen.
    chosen : tuple of int
        The places of those that are chosen when the page opens.
    data : str
        All that can be shown, as JSON that is safe in a script element.
    notes : tuple of str
        What the numbers are.
    export : str
        Which file of the export has them, for who has no script.
    left_out : str
        Why nothing is chosen, and where it stands instead.
    """

    options: tuple[str, ...] = ()
    data: str = ""
    notes: tuple[str, ...] = ()
    export: str = ""
    left_out: str = ""
    chosen: tuple[int, int] = (0, 1)


@dataclass(frozen=True, slots=True)
class Depends:
    """One thing that the first place depends on: who is first by what, and what that means."""

    title: str
    clauses: tuple[tuple[str, str, str], ...]
    """Who is first by what, the state in words, and the state's slug."""


@dataclass(frozen=True, slots=True)
class Request:
    """Something to do before publishing, and where its reason stands."""

    text: str
    href: str
    label: str


@dataclass(frozen=True, slots=True)
class VerdictBox:
    """The box with the verdict on the first place.

    Parameters
    ----------
    sentence, more : str
        The verdict, and what would tell more.
    depends_on : tuple of Depends
        What the first place depends on.
    to_do : tuple of Request
        What to do before publishing: the three most important.
    more_to_do : tuple of Request
        The rest of it, which the page folds away.
    """

    sentence: str
    more: str
    depends_on: tuple[Depends, ...]
    to_do: tuple[Request, ...]
    more_to_do: tuple[Request, ...]


@dataclass(frozen=True, slots=True)
class Tick:
    """A round number on the scale of the board, and where it stands, in percent of the width."""

    place: float
    text: str


@dataclass(frozen=True, slots=True)
class BoardRow:
    """An entry of the ranking on the first screen.

    Parameters
    ----------
    rank, score, possible_ranks, other : str
        Its rank and score, its possible ranks, and its rank by the other score.
    name, title, style : str
        Its name, more of it for a pointer, and CSS classes.
    bar : tuple of start, point and end, optional
        Its interval in percent of the scale; None where the score is undefined.
    off : str
        CSS classes of a score that lies outside the scale, by the end it is beyond; empty where it lies inside.
    could_be_best : str
        The mark of an entry that could be best.
    below_line : bool
        Whether a tier ends above it.
    move : int
        Ranks gained by the other score.
    wins : bool
        Whether it shares rank 1.
    """

    rank: str
    name: str
    title: str
    style: str
    score: str
    bar: tuple[float, float, float] | None
    off: str
    could_be_best: str
    below_line: bool
    possible_ranks: str
    other: str
    move: int
    wins: bool


@dataclass(frozen=True, slots=True)
class Board:
    """The ranking on the first screen.

    Parameters
    ----------
    caption : str
        What it is by, and what shades and marks mean.
    score, other : str
        The ranking metric, and the score whose ranks stand beside it.
    rows : tuple of BoardRow
        The best entries.
    ticks : tuple of Tick
        The scale.
    is_compared : bool
        Whether it is known who is ahead of whom.
    notes : tuple of str
        What the lines mean, and what lies off the scale.
    more : str
        The text of the link to the whole ranking.
    """

    caption: str
    score: str
    other: str
    rows: tuple[BoardRow, ...]
    ticks: tuple[Tick, ...]
    is_compared: bool
    notes: tuple[str, ...]
    more: str


@dataclass(frozen=True, slots=True)
class Copyable:
    """A text to copy."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ForPaper:
    """Texts for an author to copy, and the command that writes tables and figures."""

    texts: tuple[Copyable, ...]
    command: str


@dataclass(frozen=True, slots=True)
class SectionAnswers:
    """The first sentence of each section: the answer to its question."""

    ahead: str
    macro_f1: str
    metrics: str
    distributions: str
    classes: str
    power: str
    data: str


@dataclass(frozen=True, slots=True)
class PublishedScores:
    """The published scores, checked.

    Parameters
    ----------
    statements : tuple of str
        Headings that do not name their numbers, and scores that no reading gives.
    table : Table
        What the numbers of each column are.
    notes : tuple of str
        Names that differ, and columns that were set aside.
    """

    statements: tuple[str, ...]
    table: Table
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slices:
    """The parts of the test set.

    Parameters
    ----------
    statements : tuple of str
        For each column that cuts it, whether a part crowns another.
    tables : tuple of Table
        For each column, its parts, and every team in each of them.
    """

    statements: tuple[str, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """The whole report.

    Parameters
    ----------
    title, slug : str
        The task's title, and its name on the command line.
    facts : tuple of str
        Items, classes, submissions, in words.
    note : str
        What the organiser wants every reader to know; may be empty.
    verdict : VerdictBox
        What may be said of the first place.
    board : Board
        The ranking on the first screen.
    paper : ForPaper
        What an author copies.
    answers : SectionAnswers
        The first sentence of each section.
    findings : tuple of Finding
        All of them, most consequential first.
    rejected : tuple of Rejected
        Files that were not loaded.
    winners : Table
        Who is first by what.
    charts : Charts
        The figures.
    ranking, gap, swaps, agreement, kendall, classes, recall, files : Table
        The tables, by what they show; ``swaps`` is None where no pair swaps.
    competitiveness : Table, optional
        How far the winner stands from the best possible, chance, and every baseline; None where nobody wins.
    certainty : CertaintySection, optional
        How sure the ranking is; None where that was left out.
    readings : Readings, optional
        Which macro F1 it was; None where no entry takes a rank.
    published : PublishedScores, optional
        The published scores, checked; None where the campaign has none.
    middle_note : str
        What a pointer on a correlation shows, where there are replicates.
    slices : Slices, optional
        The parts of the test set; None where nothing cuts it.
    distributions : Distributions, optional
        Who would win under other class distributions; None where nobody else could.
    elections : Elections
        The winners under each rule over all metrics.
    demonstrations : Demonstrations
        The properties of the metrics on this campaign.
    pairs : Choice, optional
        Any two teams; None where there are no two.
    matrices : Choice
        The confusion matrix of any team.
    hardest : Table, optional
        The items that fewest entries get right; None unless items may leave the house.
    metrics : tuple of Alternative
        Every metric × every team, one table for each prevalence.
    ranks : Table
        Rank by metric.
    precision : Table
        Class-wise precision.
    issues : tuple of FileIssue
        What was odd about the loaded files.
    uncounted : Table, optional
        The runs that are kept and not shown; None where there are none.
    journal : tuple of JournalLine
        What was read, repaired and decided.
    ignored, assumptions : tuple of str
        Files that no rule claims; what was assumed.
    formulas : tuple of Formula
        Every metric as computed.
    policies : tuple of (name, text)
        The rules in force.
    signature : str
        What a score depends on.
    commands : tuple of str
        How to make this report again.
    versions : mapping
        Program and libraries.
    labels_note : str
        Which classes are averaged over.
    gap_mathml : str
        The closed form of Δ.
    style, script : str
        The style sheet and the script, inline.
    """

    title: str
    slug: str
    facts: tuple[str, ...]
    note: str
    verdict: VerdictBox
    board: Board
    paper: ForPaper
    answers: SectionAnswers
    findings: tuple[Finding, ...]
    rejected: tuple[Rejected, ...]
    winners: Table
    charts: Charts
    ranking: Table
    competitiveness: Table | None
    certainty: CertaintySection | None
    distributions: Distributions | None
    elections: Elections
    demonstrations: Demonstrations
    pairs: Choice | None
    matrices: Choice
    hardest: Table | None
    gap: Table
    swaps: Table | None
    metrics: tuple[Alternative, ...]
    ranks: Table
    agreement: Table
    kendall: Table
    classes: Table
    recall: Table
    precision: Table
    spread: Table
    files: Table
    uncounted: Table | None
    journal: tuple[JournalLine, ...]
    issues: tuple[FileIssue, ...]
    ignored: tuple[str, ...]
    assumptions: tuple[str, ...]
    formulas: tuple[Formula, ...]
    policies: tuple[tuple[str, str], ...]
    signature: str
    commands: tuple[str, ...]
    labels_note: str
    gap_mathml: str
    versions: Mapping[str, str] = field(default_factory=dict)
    style: str = ""
    script: str = ""
    readings: Readings | None = None
    published: PublishedScores | None = None
    middle_note: str = ""
    slices: Slices | None = None


@dataclass(frozen=True, slots=True)
class PartLink:
    """A test set of a campaign with several: its name, its own report, and who wins there."""

    name: str
    href: str
    text: str


@dataclass(frozen=True, slots=True)
class FamilyPage:
    """The summary of a campaign with several test sets.

    Parameters
    ----------
    title : str
        The campaign's name.
    facts : tuple of str
        Test sets and teams, in words.
    answer : tuple of str
        Who wins by which rule.
    table : Table
        Every team's score and rank in each test set, and its sums.
    parts : tuple of PartLink
        The test sets.
    method : tuple of str
        How a skipped test set counts, and what the sums are.
    style, script : str
        The style sheet and the script, inline.
    """

    title: str
    facts: tuple[str, ...]
    answer: tuple[str, ...]
    table: Table
    parts: tuple[PartLink, ...]
    method: tuple[str, ...]
    style: str = ""
    script: str = ""
