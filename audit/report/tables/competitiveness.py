"""How far the winner stands from what is possible, from chance, and from every baseline."""

import math

from audit.domain import Evaluation, Role, Scale
from audit.flags.rules.certainty_rules import comparison_of
from audit.flags.wording import shown_name
from audit.metrics import phrase, scale_of
from audit.report.baseline_rows import baseline_name, baseline_score
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import Printing
from audit.sentences import say
from audit.text import number

Reference = tuple[Cell, str, float, str]
"""What the winner is compared with: its name, its score as printed, its score, and the ± of the difference."""


def competitiveness_table(show: Printing) -> Table | None:
    """The winner's distance to the best possible, the next team, every baseline and the oracle; None without winner."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    winners = evaluation.winners(key)
    if not winners:
        return None
    best = float(evaluation.scores_of(key)[winners[0]])
    goodness = evaluation.goodness(key, best)
    references = [_best_possible(show), *_next_team(show), *_submitted(show), *_computed(show)]
    references.sort(key=lambda reference: -evaluation.goodness(key, reference[2]))
    rows = tuple(
        (name, Cell(printed), Cell(_signed(show, goodness - evaluation.goodness(key, value))), Cell(interval))
        for name, printed, value, interval in references
    )
    winner, scale = shown_name(evaluation, winners[0]), _scale(evaluation)
    lead = f"Score of {winner} less this one" if scale.greater_is_better else f"This score less that of {winner}"
    columns = (
        Column("Reference", numeric=False),
        Column("Score"),
        Column("Winner’s lead", title=lead),
        Column("± (95%)", title=say("column-lead")),
    )
    by = phrase(key, evaluation.task.label_set)
    caption = (
        f"{winner} has {show.score(best)} by {by}; a perfect system would score {show.score(abs(scale.best - best))} "
        f"{'more' if scale.greater_is_better else 'less'}."
    )
    return Table("table-competitiveness", caption, columns, rows, sortable=False)


def _signed(show: Printing, lead: float) -> str:
    return f"+{number(lead, show.decimals)}" if lead > 0 else number(lead, show.decimals)


def _scale(evaluation: Evaluation) -> Scale:
    return scale_of(evaluation.task.ranking_metric.metric, evaluation.task.label_set)


def _best_possible(show: Printing) -> Reference:
    best = _scale(show.evaluation).best
    return Cell("A perfect system"), show.score(best), best, "–"


def _next_team(show: Printing) -> list[Reference]:
    """The first team that competes and is not the winner."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    first, scores = evaluation.winners(key)[0], evaluation.scores_of(key)
    others = [team for team in show.ranked if team != first and not math.isnan(scores[team])]
    return [_entry(show, others[0])] if others else []


def _submitted(show: Printing) -> list[Reference]:
    """Every baseline that was submitted and has a score, unless it is ranked like a team."""
    scores = show.evaluation.scores_of(show.evaluation.task.ranking_metric)
    entries = show.evaluation.entries
    return [
        _entry(show, team)
        for team in show.order
        if entries[team].role == Role.BASELINE and not entries[team].competes and not math.isnan(scores[team])
    ]


def _entry(show: Printing, team: int) -> Reference:
    value = float(show.evaluation.scores_of(show.evaluation.task.ranking_metric)[team])
    return show.name(team), show.score(value), value, _interval(show, team)


def _interval(show: Printing, team: int) -> str:
    """Half the interval of the winner's lead, where the winner is the entry that all were compared with."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    comparison = comparison_of(evaluation, key)
    if comparison is None or comparison.leader != evaluation.winners(key)[0]:
        return "–"
    return show.score(float(comparison.half_width[comparison.leader, team]))


def _computed(show: Printing) -> list[Reference]:
    """Every built-in baseline, chance and the oracle, that has a score."""
    row = show.evaluation.row(show.evaluation.task.ranking_metric)
    return [
        (baseline_name(baseline), baseline_score(baseline, row, show.decimals), float(baseline.values[row]), "–")
        for baseline in show.evaluation.baselines
        if not math.isnan(baseline.values[row])
    ]
