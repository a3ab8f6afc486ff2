"""The winners under each rule that makes one ranking of several metrics."""

import math
from collections.abc import Sequence

from audit.document import Block, Listing, Paragraph, Span, Term, Terms
from audit.domain import Evaluation, Outcome, ScoreKey
from audit.findings.wording import entrants, shown_name
from audit.ranking.rank_aggregation import RULES, outcomes_of
from audit.text import listed, number, visible


def elections_blocks(evaluation: Evaluation, keys: tuple[ScoreKey, ...]) -> tuple[Block, ...]:
    """The winners under each rule over some metrics, and what the rule assumes: for a command."""
    title = f"{visible(evaluation.task.title)}: winners over {listed(list(map(str, keys)))}"
    outcomes = outcomes_of(evaluation, keys)
    statements = tuple(outcome_sentence(evaluation, outcome) for outcome in outcomes)
    return Paragraph(title, "heading"), Listing(statements), _rules(outcomes)


def _rules(outcomes: Sequence[Outcome]) -> Terms:
    rules = (
        Term(
            rule.title, (rule.explanation, (f"Assumes: {rule.assumes} ", Span(rule.source, "note")))
        )
        for rule in (RULES[outcome.rule] for outcome in outcomes)
    )
    return Terms(tuple(rules), "rules")


def outcome_sentence(evaluation: Evaluation, outcome: Outcome) -> str:
    """The winners under a rule, and the value that they reached, in a sentence."""
    rule = RULES[outcome.rule]
    if not outcome.winners:
        return f"{rule.title}: nobody."
    who = listed([shown_name(evaluation, team) for team in outcome.winners], limit=8)
    by_rule = {"pareto": entrants(evaluation, len(outcome.winners)), "condorcet": rule.unit}
    best = value_text(outcome, float(outcome.values[outcome.winners[0]]))
    return f"{rule.title}: {who} ({by_rule.get(outcome.rule, f'{rule.unit}: {best}')})."


def value_text(outcome: Outcome, value: float) -> str:
    """A candidate's value by a rule, as printed."""
    if math.isnan(value):
        return "–"
    return {
        "pareto": "yes",
        "condorcet": "yes",
        "copeland": f"{value:+.0f}".replace("-", "−") if value else "0",
        "borda": f"{value:g}",
        "mean-rank": f"{-value:.2f}",
        "meta-balance": number(value),
    }[outcome.rule]
