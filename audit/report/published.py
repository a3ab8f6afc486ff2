"""The published scores: which readings they are of, and whether their headings say so."""

from collections.abc import Iterator

from audit.document import Block, Cell, Column, Fold, Listing, Paragraph, Table
from audit.domain import Identification, IdentifiedColumn
from audit.findings.published import unexplained_columns
from audit.metrics import reading_phrase
from audit.report.printing import Printing
from audit.text import listed, plural, quoted, sentence_case, visible

_NAMES_SHOWN = 5
_MATCHES_LISTED = 5
_HEADING_LIMIT = 60


def published(show: Printing) -> Iterator[Fold]:
    """What the published numbers are; nothing where the campaign has no table of them."""
    found = show.evaluation.published
    if found is not None:
        of_ranks = (sentence for ranks in found.ranks for sentence in ranks.sentences)
        of_misfits = (
            column.sentences[:2]
            for column in found.columns
            if column.n_teams and not column.is_exact
        )
        undecided = (column.sentences[1] for column in found.columns if column.is_undecided)
        misfits = [unexplained_columns(found), *map(" ".join, of_misfits), *undecided]
        statements = (
            *found.defects,
            *found.contradictions,
            *found.findings,
            *filter(None, misfits),
            *of_ranks,
        )
        listing = (Listing(statements),) if statements else ()
        notes = (Paragraph(note, "note") for note in names_said(found))
        # of ranks alone the statements say all
        table = (published_table(show, found),) if found.columns else ()
        yield Fold("published", "The published scores, checked", (*listing, *table, *notes))


def published_table(show: Printing, identification: Identification) -> Table:
    """What the numbers of each column are."""
    columns = (
        Column("Column", numeric=False),
        Column("Its numbers are", numeric=False),
        Column(
            "Scores given", title="Teams whose published score the reading gives, of those compared"
        ),
        Column(
            "By chance",
            title="The most that some reading gives where all scores are invented, at 95%",
        ),
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
        Cell(
            column.heading_says,
            style="best" if column.heading_says in ("no", "leaves open") else "quiet",
        ),
    )


def _what_it_is(column: IdentifiedColumn, reading: str) -> str:
    if column.beats_chance:
        return reading
    if column.is_undecided:
        return "too few digits to tell"
    return "no reading fits"


def names_said(identification: Identification) -> list[str]:
    """The names that were taken for the same, which have no counterpart, and what was not looked at."""
    missing = (
        ("Not in the campaign", identification.unmatched),
        ("Not in the table", identification.absent),
    )
    return [
        *(
            f"{quoted(published)} was taken for {quoted(entry)}."
            for published, entry in identification.renamed
        ),
        *(
            f"{title}: {listed(list(map(quoted, names)), limit=_NAMES_SHOWN)}."
            for title, names in missing
            if names
        ),
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
            findings = (
                ("Finding: " if sentence in found.findings else "") + sentence
                for sentence in column.sentences
            )
            yield Listing((*findings, *_matches(column)))
        yield from (
            Paragraph(sentence, "lead") for ranks in table.ranks for sentence in ranks.sentences
        )
    said = {sentence for column in found.columns for sentence in column.sentences}
    for sentence in (
        *names_said(found),
        *(f"Finding: {finding}" for finding in found.findings if finding not in said),
        *(
            f"Finding: {sentence}"
            for sentence in (*found.defects, *found.contradictions, unexplained_columns(found))
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
    few = rest[-1].n_matched
    most = rest[0].n_matched
    if few == most:
        matched = f"{most:,}"
    else:
        matched = f"{few:,} to {most:,}"
    return f"… and {len(rest):,} more, of {plural(n_readings, 'reading')}, which give {matched}: --json has them"
