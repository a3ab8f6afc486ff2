"""The section on published scores: which readings they are of, and whether their headings say so."""

from audit.domain import Identification, IdentifiedColumn, IdentifiedRanks
from audit.metrics import reading_phrase
from audit.report.page import Cell, Column, PublishedScores, Table
from audit.report.table_printing import Printing
from audit.text import listed, plural, quoted, sentence_case, visible

_NAMES_SHOWN = 5
_HEADING_LIMIT = 60


def published_of(show: Printing) -> PublishedScores | None:
    """The section on published scores; None where the campaign has no table of them."""
    published = show.evaluation.published
    if published is None:
        return None
    return PublishedScores(
        statements=(
            *published.findings,
            *_misfit_sentences(published),
            *(sentence for ranks in published.ranks for sentence in ranks.sentences),
        ),
        table=_table(show, published),
        notes=tuple(names_said(published)),
    )


def _misfit_sentences(identification: Identification) -> list[str]:
    """Sentences on columns that no reading gives in full, or at all."""
    return [
        " ".join(column.sentences[:2]) for column in identification.columns if column.n_teams and not column.is_exact
    ]


def _table(show: Printing, identification: Identification) -> Table:
    columns = (
        Column("Column", numeric=False),
        Column("Its numbers are", numeric=False),
        Column("Scores given", title="Teams whose published score the reading gives, of those compared"),
        Column("By chance", title="The most that some reading gives where all scores are invented, at 95%"),
        Column("Heading names them", numeric=False),
    )
    n_exact = sum(column.is_exact for column in identification.columns)
    gives = f"A reading gives every score of {n_exact:,} of {plural(len(identification.columns), 'column')}"
    begins = gives if identification.columns else "The table has ranks alone"
    caption = f"{begins}; {identification.n_readings:,} readings were tried."
    rows = tuple(_cells(show, column) for column in identification.columns) or tuple(
        map(_rank_cells, identification.ranks)
    )
    note = f"audit identify {visible(show.evaluation.task.slug, 80)} TABLE says of each what else it could be."
    return Table("table-published", caption, columns, rows, note=note, sortable=False)


def _rank_cells(ranks: IdentifiedRanks) -> tuple[Cell, ...]:
    """A column of ranks of a table without scores."""
    by = "no score that is told from chance"
    if ranks.by and ranks.beats_chance:
        by = sentence_case(ranks.by[0] if ranks.are_means else f"ranks by {ranks.by[0]}")
    return Cell(visible(ranks.heading, _HEADING_LIMIT)), Cell(by), Cell("–"), Cell("–"), Cell("–")


def _cells(show: Printing, column: IdentifiedColumn) -> tuple[Cell, ...]:
    heading = Cell(visible(column.heading, _HEADING_LIMIT))
    if not column.matches:
        return heading, Cell("–"), Cell("–"), Cell("–"), Cell(column.heading_says)
    best = column.matches[0]
    reading = sentence_case(reading_phrase(best.reading, show.evaluation.task.label_set))
    return (
        heading,
        Cell(reading if column.beats_chance else "no reading fits", title=visible(str(best.reading), 300)),
        Cell(f"{best.n_matched:,} of {column.n_teams:,}", style="" if column.is_exact else "best"),
        Cell(f"≤ {column.by_chance:,}"),
        Cell(column.heading_says, style="best" if column.heading_says in ("no", "leaves open") else "quiet"),
    )


def names_said(identification: Identification) -> list[str]:
    """Which names were taken for the same, which have no counterpart, and what was not looked at."""
    missing = (("Not in the campaign", identification.unmatched), ("Not in the table", identification.absent))
    return [
        *(f"{quoted(published)} was taken for {quoted(entry)}." for published, entry in identification.renamed),
        *(f"{title}: {listed(list(map(quoted, names)), limit=_NAMES_SHOWN)}." for title, names in missing if names),
        *(f"Not looked at: {quoted(heading)} ({reason})." for heading, reason in identification.set_aside),
    ]
