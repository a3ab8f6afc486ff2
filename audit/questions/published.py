"""The published scores: which readings they are of, and whether their headings say so."""

from collections.abc import Iterator, Sequence

from audit.document import Block, Cell, Column, Fold, Listing, Paragraph, Table
from audit.domain import Evaluation, Identification, IdentifiedColumn, Miss, Severity
from audit.metrics import reading_phrase
from audit.questions.flag_kind import Fired, flag
from audit.questions.printing import Printing
from audit.questions.wording import NAME_LIMIT
from audit.text import agreeing, listed, number, plural, quoted, sentence_case, visible

RULES_PLACE = 80

_NAMES_SHOWN = 5
_MATCHES_LISTED = 5
_HEADING_LIMIT = 60


def published(show: Printing) -> Iterator[Fold]:
    """What the published numbers are; nothing where the campaign has no table of them."""
    found = show.evaluation.published
    if found is not None:
        of_ranks = (sentence for ranks in found.ranks for sentence in ranks.sentences)
        of_misfits = (column.sentences[:2] for column in found.columns if column.n_teams and not column.is_exact)
        undecided = (column.sentences[1] for column in found.columns if column.is_undecided)
        misfits = [_unexplained(found), *map(" ".join, of_misfits), *undecided]
        statements = (*found.defects, *found.contradictions, *found.findings, *filter(None, misfits), *of_ranks)
        listing = (Listing(statements),) if statements else ()
        notes = (Paragraph(note, "note") for note in names_said(found))
        table = (published_table(show, found),) if found.columns else ()  # of ranks alone the statements say all
        yield Fold("published", "The published scores, checked", (*listing, *table, *notes))


def _unexplained(identification: Identification) -> str:
    columns = [column for column in identification.columns if column.n_teams]
    n_unexplained = sum(column.is_unexplained for column in columns)
    if not n_unexplained:
        return ""
    apart = [f"{quoted(column.heading)} is {column.apart} in every row" for column in columns if column.apart]
    also = f": {listed(apart, limit=_SAID)}" if apart else ""
    return f"No reading fits {n_unexplained:,} of {plural(len(columns), 'column')}{also}."


def published_table(show: Printing, identification: Identification) -> Table:
    """What the numbers of each column are."""
    columns = (
        Column("Column", numeric=False),
        Column("Its numbers are", numeric=False),
        Column("Scores given", title="Teams whose published score the reading gives, of those compared"),
        Column("By chance", title="The most that some reading gives where all scores are invented, at 95%"),
        Column("Heading names them", numeric=False),
    )
    n_exact = sum(column.is_exact for column in identification.columns)
    gives = f"A reading gives every score of {n_exact:,} of {plural(len(identification.columns), 'column')}"
    caption = f"{gives}; {identification.n_readings:,} readings were tried."
    rows = tuple(_cells(show, column) for column in identification.columns)
    note = f"audit identify {visible(show.evaluation.task.slug, 80)} TABLE says of each what else it could be."
    return Table("table-published", caption, columns, rows, note=note, sortable=False)


def _cells(show: Printing, column: IdentifiedColumn) -> tuple[Cell, ...]:
    heading = Cell(visible(column.heading, _HEADING_LIMIT))
    if not column.matches:
        return heading, Cell("–"), Cell("–"), Cell("–"), Cell(column.heading_says)
    best = column.matches[0]
    reading = sentence_case(reading_phrase(best.reading, show.evaluation.task.label_set))
    return (
        heading,
        Cell(_what_it_is(column, reading), title=visible(str(best.reading), 300)),
        Cell(f"{best.n_matched:,} of {column.n_teams:,}", style="" if column.is_exact else "best"),
        Cell(f"≤ {column.by_chance:,}"),
        Cell(column.heading_says, style="best" if column.heading_says in ("no", "leaves open") else "quiet"),
    )


def _what_it_is(column: IdentifiedColumn, reading: str) -> str:
    if column.beats_chance:
        return reading
    return "too few digits to tell" if column.is_undecided else "no reading fits"


def names_said(identification: Identification) -> list[str]:
    """The names that were taken for the same, which have no counterpart, and what was not looked at."""
    missing = (("Not in the campaign", identification.unmatched), ("Not in the table", identification.absent))
    return [
        *(f"{quoted(published)} was taken for {quoted(entry)}." for published, entry in identification.renamed),
        *(f"{title}: {listed(list(map(quoted, names)), limit=_NAMES_SHOWN)}." for title, names in missing if names),
        *(
            f"Not looked at: {quoted(heading)} ({reason})."
            for table in identification.tables
            for heading, reason in table.set_aside
        ),
    ]


def identification_blocks(found: Identification) -> Iterator[Block]:
    """The reading of each column of each published table, what was tried, the matched names, and the findings."""
    for table in found.tables:
        if len(found.tables) > 1:
            yield Paragraph(f"Table {quoted(table.path)}", "heading")
        for column in table.columns:
            yield Paragraph(visible(column.heading), "heading")
            findings = (("Finding: " if sentence in found.findings else "") + sentence for sentence in column.sentences)
            yield Listing((*findings, *_matches(column)))
        yield from (Paragraph(sentence, "lead") for ranks in table.ranks for sentence in ranks.sentences)
    said = {sentence for column in found.columns for sentence in column.sentences}
    for sentence in (
        *names_said(found),
        *(f"Finding: {finding}" for finding in found.findings if finding not in said),
        *(
            f"Finding: {sentence}"
            for sentence in (*found.defects, *found.contradictions, _unexplained(found))
            if sentence
        ),
    ):
        yield Paragraph(sentence, "lead")


def _matches(column: IdentifiedColumn) -> Iterator[str]:
    """The readings that match best, and how many more there are."""
    for match in column.matches[:_MATCHES_LISTED]:
        alike = f"  (and {plural(len(match.readings) - 1, 'reading')} that cannot be told from it)"
        shown = f"{match.n_matched:,} of {column.n_teams:,}  {visible(str(match.reading), 200)}"
        yield shown + (alike if len(match.readings) > 1 else "")
    if len(column.matches) > _MATCHES_LISTED:
        yield _more_matches(column)


def _more_matches(column: IdentifiedColumn) -> str:
    """How many groups of readings are not printed, and of how many readings: with those printed they add up."""
    rest = column.matches[_MATCHES_LISTED:]
    n_readings = sum(len(match.readings) for match in rest)
    few, most = rest[-1].n_matched, rest[0].n_matched
    matched = f"{most:,}" if few == most else f"{few:,} to {most:,}"
    return f"… and {len(rest):,} more, of {plural(n_readings, 'reading')}, which give {matched}: --json has them"


_SAID = 3


def _first_of(sentences: Sequence[str], rest: str) -> str:
    """The first sentences, and how many more there are of what the rest are called."""
    n_more = len(sentences) - _SAID
    return " ".join([*sentences[:_SAID], *([f"{plural(n_more, f'more {rest}')} likewise."] if n_more > 0 else [])])


@flag("published-heading-differs", "A published heading does not name its numbers", Severity.NOTE, "published")
def heading_differs(evaluation: Evaluation) -> Fired | None:
    """Whether some heading of the published scores does not say what the numbers are.

    Fires when task.toml names a table of published scores, and the heading of a column says another metric than its
    numbers are, or has the name of several: a column called macro F1 can be macro-averaged F1 or F1 of averages. Every
    reading of every metric is tried; a column of which no reading gives more than half of the scores stays silent.
    """
    published = evaluation.published
    if published is None or not published.findings:
        return None
    columns = [column for column in published.columns if column.heading_says in ("no", "leaves open")]
    labels, readings = evaluation.task.label_set, [(column.heading, column.matches[0].reading) for column in columns]
    denote = [f"{quoted(heading)} denotes {reading_phrase(reading, labels)}" for heading, reading in readings]
    return Fired(
        sentence=f"Of {plural(len(published.columns), 'column')} of published scores, {len(columns)} "
        f"{agreeing(len(columns), 'has', 'have')} a heading that does not name the numbers. "
        f"{_first_of(published.findings, 'finding')}",
        remedy="Correct the heading of the published table: it does not name its numbers.",
        paper=f"{listed(denote, limit=_SAID)}.",
        evidence={"table": published.path, "columns": [_evidence(column) for column in columns]},
    )


@flag("published-score-differs", "A published score is not what its column gives", Severity.NOTE, "published")
def score_differs(evaluation: Evaluation) -> Fired | None:
    """Whether some published score is not what the reading of its column gives.

    Fires when task.toml names a table of published scores, and the reading that gives most scores of a column, but
    not all, leaves some team's score unexplained: a typing error, another file, or another rule.
    """
    published = evaluation.published
    columns = (
        [column for column in published.columns if (column.beats_chance and not column.is_exact)] if published else []
    )
    if published is None or not columns:
        return None
    sentence = _first_of([" ".join(column.sentences[:2]) for column in columns], "column")
    return Fired(
        sentence=sentence,
        paper=f"Not every published score was reproduced. {sentence}",
        remedy=f"{_published_apart(columns[0].matches[0].misses)}: find out why.",
        evidence={
            "table": published.path,
            "columns": [
                {
                    **_evidence(column),
                    "off": [
                        {"team": miss.team, "printed": miss.printed, "computed": miss.computed}
                        for miss in column.matches[0].misses
                    ],
                }
                for column in columns
            ],
        },
    )


def _published_apart(misses: Sequence[Miss]) -> str:
    """A clause on the published score that is farthest from the computed one, and on how many more are apart."""
    farthest, n_more = misses[0], len(misses) - 1
    decimals = len(farthest.printed.partition(".")[2].rstrip("%* "))
    more = f", and {n_more:,} more {agreeing(n_more, 'differs', 'differ')}, too" if n_more else ""
    team, printed = (visible(text, NAME_LIMIT) for text in (farthest.team, farthest.printed))
    return (
        f"The published score of {team} ({printed}) differs from the computed one "
        f"({number(farthest.computed, decimals or 3)}){more}"
    )


@flag("published-table-contradicts-itself", "A published table contradicts itself", Severity.NOTE, "published")
def contradicts_itself(evaluation: Evaluation) -> Fired | None:
    """Whether the published table says something against itself, whatever gold is.

    Fires when task.toml names a table of published scores in which a cell is highlighted as the best of its column
    (bold in Markdown, LaTeX or HTML, or the only one with * behind it) and another is better, an F1 is above the
    harmonic mean of the precision and the recall beside it, or columns of different metrics have the same numbers.
    """
    published = evaluation.published
    if published is None or not published.contradictions:
        return None
    sentence = _first_of(published.contradictions, "contradiction")
    return Fired(
        sentence=sentence,
        paper=f"The published table contradicts itself: {sentence}",
        remedy="Correct the published table: it contradicts itself.",
        evidence={"table": published.path, "contradictions": list(published.contradictions)},
    )


@flag("published-not-readable", "A published table that could not be read in full", Severity.NOTE, "published")
def not_readable(evaluation: Evaluation) -> Fired | None:
    """Whether something of a published table could not be read or compared.

    Fires when task.toml or files.csv names a table of published scores in which a cell is neither a number nor a mark
    for none, or which has no team of the campaign, no scores, or a team twice. All else is evaluated as it would be.
    """
    published = evaluation.published
    if published is None or not published.defects:
        return None
    return Fired(
        sentence=_first_of(published.defects, "defect"),
        remedy="Correct the published table: some of it could not be read.",
        evidence={"defects": list(published.defects)},
    )


@flag("published-not-computed", "Published scores that no reading fits", Severity.NOTE, "published")
def not_computed(evaluation: Evaluation) -> Fired | None:
    """Whether the published table has columns of which no reading of any metric gives more scores than chance.

    Fires when task.toml names a table of published scores, and it may be of another metric, another gold or other
    files. Where the scores are all the same number above or below what the heading names, that number is said.
    """
    published = evaluation.published
    sentence = "" if published is None else _unexplained(published)
    if published is None or not sentence:
        return None
    columns = [column for column in published.columns if column.is_unexplained]
    return Fired(
        sentence=sentence,
        remedy=f"No reading fits {len(columns):,} of {plural(len(published.columns), 'published column')}: another "
        "metric, another gold, or other files?",
        evidence={"table": published.path, "columns": [_evidence(column) for column in columns]},
    )


def _evidence(column: IdentifiedColumn) -> dict[str, object]:
    best = column.matches[0]
    return {
        "heading": column.heading,
        "heading_names_the_numbers": column.heading_says,
        "reading": str(best.reading),
        "matched": best.n_matched,
        "teams": column.n_teams,
    }
