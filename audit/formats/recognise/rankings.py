"""Ranked lists of documents and judgements of their relevance, as TREC has them: named as what they are."""

from itertools import islice

from audit.errors import Issue
from audit.formats.files.content import Content

_LOOKED_AT = 50
_ITERATION = {"0", "Q0"}
_OF_JUDGEMENTS, _OF_RUN = 4, 6
"""Columns: query, iteration, document, relevance; and query, Q0, document, rank, score, run."""


def is_ranked_list(content: Content) -> bool:
    """Whether the first lines are all judgements or all lines of a run, and a query has several documents."""
    if content.binary_format is not None:
        return False
    rows = [text.split() for text in islice(filter(str.strip, content.lines), _LOOKED_AT)]
    widths = {len(row) for row in rows}
    if widths not in ({_OF_JUDGEMENTS}, {_OF_RUN}) or not all(row[1] in _ITERATION for row in rows):
        return False
    return len({row[0] for row in rows}) < len(rows) == len({(row[0], row[2]) for row in rows})


def ranked_list(path: str) -> Issue:
    """The issue for a file of relevance judgements or ranked documents."""
    defect = "by the look of it relevance judgements or a ranked list of documents, as TREC has them"
    remedy = (
        "rankings are not scored here (trec_eval does that); if each pair of query and document has a label, say so in "
        "task.toml: id = [1, 3], label = 4"
    )
    return Issue.of("unrecognised", path, defect, expected="one label for each item", remedy=remedy)
