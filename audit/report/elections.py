"""The section on several winners: whom which rule crowns over all metrics."""

import math

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.ranking import RULES, Verdict, default_voters, verdicts_of
from audit.report.page import Cell, Column, ElectionRule, Elections, Table
from audit.report.printing import NAME_LIMIT, Printing, short_label
from audit.text import listed, number, plural, visible


def elections_of(show: Printing) -> Elections:
    """The section, over the aggregate metrics at observed prevalence."""
    keys = default_voters()
    verdicts = verdicts_of(show.evaluation, keys)
    return Elections(
        statements=(*(verdict_sentence(show.evaluation, verdict) for verdict in verdicts), *_voters(show, keys)),
        table=_table(show, verdicts, keys),
        rules=tuple(ElectionRule(rule.title, rule.explanation, rule.assumes, rule.source) for rule in RULES.values()),
    )


def verdict_sentence(evaluation: Evaluation, verdict: Verdict) -> str:
    """Whom a rule crowns, in a sentence."""
    if not verdict.winners:
        return f"{verdict.rule.title}: nobody."
    who = listed([visible(evaluation.names[team], NAME_LIMIT) for team in verdict.winners], limit=8)
    return f"{verdict.rule.title}: {who} ({_reached(verdict)})."


def _reached(verdict: Verdict) -> str:
    """What the winners of a rule reached."""
    n_winners = len(verdict.winners)
    by_rule = {"pareto": plural(n_winners, "team"), "condorcet": verdict.rule.unit}
    best = value_text(verdict, float(verdict.values[verdict.winners[0]]))
    return by_rule.get(verdict.rule.slug, f"{verdict.rule.unit}: {best}")


def value_text(verdict: Verdict, value: float) -> str:
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
    }[verdict.rule.slug]


def _voters(show: Printing, keys: tuple[ScoreKey, ...]) -> tuple[str, ...]:
    """What was given to the rules, and which of it counts more than once."""
    evaluation, agreement = show.evaluation, show.evaluation.agreement
    given = (
        f"Chosen are the {len(keys)} aggregate metrics at observed prevalence; audit winners --metrics chooses others. "
        "No rule is recommended here: each takes something for granted, which is said below."
    )
    rows = [agreement.keys.index(key) for key in keys]
    alike = agreement.identical[np.ix_(rows, rows)]
    twins = {tuple(np.flatnonzero(row).tolist()) for row in alike if row.sum() > 1}
    if not twins:
        return (given,)
    groups = [" ≡ ".join(short_label(keys[row], evaluation) for row in group) for group in sorted(twins)]
    return given, f"These rank any submissions to this gold alike, and each has a vote: {listed(groups)}."


def _table(show: Printing, verdicts: tuple[Verdict, ...], keys: tuple[ScoreKey, ...]) -> Table:
    """Every team's value by each rule, the best in bold."""
    rows = tuple(
        (
            show.name(team),
            *(
                Cell(value_text(verdict, float(verdict.values[team])), style="best" if team in verdict.winners else "")
                for verdict in verdicts
            ),
        )
        for team in show.order
        if show.evaluation.competing[team]
    )
    columns = (
        Column("Team", numeric=False),
        *(Column(verdict.rule.title, title=verdict.rule.explanation) for verdict in verdicts),
    )
    crowned = dict.fromkeys(team for verdict in verdicts[1:] for team in verdict.winners)
    who = listed([visible(show.evaluation.names[team], NAME_LIMIT) for team in crowned], "or", limit=5)
    alone = "All rules that name one winner crown" if len(crowned) == 1 else "Depending on the rule, first is"
    caption = f"{alone} {who}, over {len(keys)} metrics." if crowned else "No rule crowns anybody."
    return Table("table-elections", caption, columns, rows)
