"""Whether tokens are scored whose tags mark spans, and who is first by the spans."""

import numpy as np

from audit.domain import Evaluation, Severity, SpanScores
from audit.domain.arrays import Floats
from audit.findings.flag_kind import Fired, flag
from audit.findings.wording import names, of, winner_clause
from audit.ranking.ranks import first_places
from audit.text import number

RULES_PLACE = 35


def first_by_spans(evaluation: Evaluation, values: Floats) -> list[int]:
    """The entries that are first by a score of spans."""
    return np.flatnonzero(first_places(np.where(evaluation.contending, values, np.nan))).tolist()


def spans_statement(evaluation: Evaluation, spans: SpanScores) -> str:
    """Who is first by spans, and by tokens; that tokens are what is official here, and what most of them are."""
    by_tokens = f"tokens are what is ranked here, and {spans.outside:.0%} of them are in no span"
    if spans.values is None:
        micro = []
        types = []
    else:
        micro, types = (first_by_spans(evaluation, row) for row in spans.values)
    if not micro:  # they were not scored, or nobody can be first
        return f"Tags of tokens mark spans: {by_tokens}."
    key = evaluation.task.ranking_metric
    decimals = evaluation.task.printed_decimals
    best = number(float(np.asarray(spans.values)[0, micro[0]]), decimals)
    if types == micro:
        other = ""
    else:
        other = f", by the mean F1 of types {names(evaluation, types)}"
    return (
        f"By spans, {names(evaluation, micro)} is first (micro F1 {best}){other}; by tokens "
        f"{winner_clause(evaluation, key, decimals)} by {of(evaluation, key)}: {by_tokens}."
    )


@flag("tokens-are-scored", "Tokens are scored, and tags mark spans", Severity.WINNER, "token-tags")
def tokens_are_scored(evaluation: Evaluation) -> Fired | None:
    """Whether labels are tags of tokens, whose spans are what such tasks are mostly about.

    Fires when all labels begin with B-, I- and the like or stand for no span, and tokens come in sequences. Scores of
    tokens are dominated by those in no span; it changes the winner where another wins by the spans.
    """
    spans = evaluation.spans
    if spans is None:
        return None
    winners = list(evaluation.winners(evaluation.task.ranking_metric))
    changes = spans.values is not None and first_by_spans(evaluation, spans.values[0]) != winners
    return Fired(
        sentence=spans_statement(evaluation, spans),
        remedy=f"Say whether spans or tokens are official: {spans.outside:.0%} of the tokens are in no span. "
        f"{_spans_setting(evaluation)} ranks by spans.",
        paper=f"Scores are of tokens, {spans.outside:.0%} of which are in no span, not of spans.",
        evidence={
            "outside": spans.outside,
            "spans": [] if spans.values is None else spans.values.tolist(),
        },
        severity=Severity.WINNER if changes else Severity.NOTE,
    )


def _spans_setting(evaluation: Evaluation) -> str:
    """What ranks by spans: an option, or a line of task.toml, whose labels are then types of spans."""
    if evaluation.task.door == "options":
        return "--kind spans"
    if evaluation.task.label_set.declared:
        return 'kind = "sets" in task.toml, without tags in labels,'
    return 'kind = "sets" in task.toml'
