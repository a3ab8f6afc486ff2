"""Are tokens scored, or the spans that their tags mark? Both views, spans first."""

from audit.document import Column, Fold, Section
from audit.domain import Feature, Needs
from audit.domain.arrays import Floats
from audit.findings.spans_beside_tokens import spans_statement
from audit.findings.wording import of
from audit.report.printing import Cells, Printing, rank_cells, score_cells
from audit.vocabulary import QUESTIONS

PLACE = 15
NEEDS: Needs = frozenset({Feature.ANSWERS})


def section(show: Printing) -> Section | None:
    """Every team by spans and by tokens; None where labels are no tags of tokens."""
    spans = show.evaluation.spans
    if spans is None:
        return None
    statement = spans_statement(show.evaluation, spans)
    blocks = () if spans.values is None else (_folded(show, spans.values),)
    return Section("token-tags", QUESTIONS["token-tags"], (statement,), blocks, name="Spans")


def _folded(show: Printing, values: Floats) -> Fold:
    key = show.evaluation.task.ranking_metric
    columns: list[Cells] = [
        (Column("Spans: micro F1"), list(map(show.score, values[0].tolist()))),
        (Column("rank"), rank_cells(show, values[0])),
        (Column("Spans: mean F1 of types"), list(map(show.score, values[1].tolist()))),
        (Column("rank"), rank_cells(show, values[1])),
        (Column(f"Tokens: {of(show.evaluation, key)}"), score_cells(show, key)),
        (Column("rank"), rank_cells(show, show.evaluation.goodness_of(key))),
    ]
    caption = (
        "Every team by the spans that its tags mark, and by its tokens. A span is a hit where type, first and last "
        "token are those of gold; broken tags are read as conlleval and seqeval do, and tags that gold lacks as O."
    )
    return Fold(
        "span-scores",
        "Every team by spans and by tokens",
        (show.by_team("table-spans", caption, columns),),
    )
