"""The section on several winners: the winners under each rule over all metrics."""

import math

import numpy as np

from audit.document import Block, Cell, Column, Fold, Listing, Paragraph, Span, Table, Term, Terms, row_names
from audit.domain import Evaluation, Outcome, ScoreKey
from audit.questions.printing import Printing, short_label
from audit.questions.wording import entrants, of, shown_name
from audit.ranking.rank_aggregation import RULES, default_voters, outcomes_of
from audit.text import listed, number, visible


def elections_fold(show: Printing) -> Fold:
    """The winners under each rule over the aggregate metrics at observed prevalence, and what each rule assumes."""
    keys, outcomes = default_voters(show.evaluation.task.label_set), show.evaluation.elections
    statements = (*(outcome_sentence(show.evaluation, outcome) for outcome in outcomes), *_voters(show, keys))
    said = Paragraph("What each rule says, and takes for granted", "heading")
    blocks = (Listing(statements), _table(show, outcomes, keys), said, _rules())
    return Fold("winners", "Several winners, by named rules", blocks)


def elections_blocks(evaluation: Evaluation, keys: tuple[ScoreKey, ...]) -> tuple[Block, ...]:
    """The winners under each rule over some metrics, and what the rule assumes: for a command."""
    title = f"{visible(evaluation.task.title)}: winners over {listed(list(map(str, keys)))}"
    statements = (outcome_sentence(evaluation, outcome) for outcome in outcomes_of(evaluation, keys))
    return Paragraph(title, "heading"), Listing(tuple(statements)), _rules()


def _rules() -> Terms:
    rules = (
        Term(rule.title, (rule.explanation, (f"Assumes: {rule.assumes} ", Span(rule.source, "note"))))
        for rule in RULES.values()
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


def _voters(show: Printing, keys: tuple[ScoreKey, ...]) -> tuple[str, ...]:
    """Sentences on the voters of the rules, and on which of them count more than once."""
    evaluation, agreement = show.evaluation, show.evaluation.agreement
    ranking = evaluation.task.ranking_metric
    at = "" if evaluation.task.label_set.is_of_sets else " at the test set’s class distribution"
    without = "" if ranking in keys else f", {of(evaluation, ranking)} not among them"
    sentence = (
        f"Chosen are {len(keys)} aggregate metrics{at}{without}; audit winners --metrics chooses others. "
        "No rule is recommended here: each takes something for granted, which is said below."
    )
    rows = [agreement.keys.index(key) for key in keys]
    alike = agreement.identical[np.ix_(rows, rows)]
    twins = {tuple(np.flatnonzero(row).tolist()) for row in alike if row.sum() > 1}
    if not twins:
        return (sentence,)
    groups = [" ≡ ".join(short_label(keys[row], evaluation) for row in group) for group in sorted(twins)]
    return sentence, f"These rank any submissions to this gold alike, and each has a vote: {listed(groups)}."


def _table(show: Printing, outcomes: tuple[Outcome, ...], keys: tuple[ScoreKey, ...]) -> Table:
    """Every team's value by each rule, the best in bold."""
    rows = tuple(
        (
            show.name(team),
            *(
                Cell(value_text(outcome, float(outcome.values[team])), style="best" if team in outcome.winners else "")
                for outcome in outcomes
            ),
        )
        for team in show.order
        if show.evaluation.competing[team]
    )
    columns = (
        row_names("Team"),
        *(Column(RULES[outcome.rule].title, title=RULES[outcome.rule].explanation) for outcome in outcomes),
    )
    winners = dict.fromkeys(team for outcome in outcomes[1:] for team in outcome.winners)
    who = listed([shown_name(show.evaluation, team) for team in winners], "or", limit=5)
    alone = "By every rule that names one winner, first is" if len(winners) == 1 else "Depending on the rule, first is"
    caption = f"{alone} {who}, over {len(keys)} metrics." if winners else "No rule names a winner."
    return Table("table-elections", caption, columns, rows)
