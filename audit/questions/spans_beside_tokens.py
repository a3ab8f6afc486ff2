"""Are tokens scored, or the spans that their tags mark? Both views, spans first."""

import numpy as np

from audit.document import Column, Fold, Section
from audit.domain import Evaluation, Feature, Needs, Severity, SpanScores
from audit.domain.arrays import Floats
from audit.questions.flag_kind import Fired, flag
from audit.questions.printing import Cells, Printing, rank_cells, score_cells
from audit.questions.wording import names, of, winner_clause
from audit.ranking.ranks import first_places
from audit.text import number

PLACE = 15
NEEDS: Needs = frozenset({Feature.ANSWERS})
RULES_PLACE = 35


def section(show: Printing) -> Section | None:
    """Every team by spans and by tokens; None where labels are no tags of tokens."""
    spans = show.evaluation.spans
    if spans is None:
        return None
    statement = _statement(show.evaluation, spans)
    blocks = () if spans.values is None else (_folded(show, spans.values),)
    return Section("token-tags", "Are spans scored, or tokens?", (statement,), blocks, name="Spans")


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
    return Fold("span-scores", "Every team by spans and by tokens", (show.by_team("table-spans", caption, columns),))


def _first(evaluation: Evaluation, values: Floats) -> list[int]:
    return np.flatnonzero(first_places(np.where(evaluation.contending, values, np.nan))).tolist()


def _statement(evaluation: Evaluation, spans: SpanScores) -> str:
    """Who is first by spans, and by tokens; that tokens are what is official here, and what most of them are."""
    by_tokens = f"tokens are what is ranked here, and {spans.outside:.0%} of them are in no span"
    micro, types = ([], []) if spans.values is None else (_first(evaluation, row) for row in spans.values)
    if not micro:  # they were not scored, or nobody can be first
        return f"Tags of tokens mark spans: {by_tokens}."
    key, decimals = evaluation.task.ranking_metric, evaluation.task.printed_decimals
    best = number(float(np.asarray(spans.values)[0, micro[0]]), decimals)
    other = "" if types == micro else f", by the mean F1 of types {names(evaluation, types)}"
    return (
        f"By spans, {names(evaluation, micro)} is first (micro F1 {best}){other}; by tokens "
        f"{winner_clause(evaluation, key, decimals)} by {of(evaluation, key)}: {by_tokens}."
    )


@flag("tokens-are-scored", "Tokens are scored, and tags mark spans", Severity.WINNER, "token-tags")
def tokens_are_scored(evaluation: Evaluation) -> Fired | None:
    """Whether labels are tags of tokens, whose spans are what such tasks are mostly about.

    Fires when all labels begin with B-, I- and the like or stand for no span, and tokens come in sequences. Scores of
    tokens are dominated by those in no span; it changes the winner where another is first by the spans.
    """
    spans = evaluation.spans
    if spans is None:
        return None
    winners = list(evaluation.winners(evaluation.task.ranking_metric))
    changes = spans.values is not None and _first(evaluation, spans.values[0]) != winners
    return Fired(
        sentence=_statement(evaluation, spans),
        remedy=f"Say whether spans or tokens are official: {spans.outside:.0%} of the tokens are in no span. "
        'kind = "sets" in task.toml ranks by spans.',
        paper=f"Scores are of tokens, {spans.outside:.0%} of which are in no span, not of spans.",
        evidence={"outside": spans.outside, "spans": [] if spans.values is None else spans.values.tolist()},
        severity=Severity.WINNER if changes else Severity.NOTE,
    )
