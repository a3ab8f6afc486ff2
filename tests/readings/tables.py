"""Published tables in memory, with scores computed by scikit-learn or typed by hand."""

from audit.domain import Published, PublishedColumn
from audit.formats.small_tables import _score


def published(columns, teams):
    """Columns of printed texts under their headings."""
    return Published(
        "published.csv",
        tuple(teams),
        tuple(
            PublishedColumn(heading, tuple(map(_score, cells)))
            for heading, cells in columns.items()
        ),
    )


def printed(values, decimals=3, *, percent=False):
    """Scores as a table prints them."""
    return [f"{value * (100 if percent else 1):.{decimals}f}" for value in values]
