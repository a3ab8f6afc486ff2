"""Does the winner change with the metric? Who is first by which, every score, and how alike metrics rank."""

import math
from dataclasses import replace

import numpy as np

from audit.document import Cell, Column, Switched, Table, row_names
from audit.domain import OBSERVED, Feature, Prevalence, ScoreKey
from audit.domain.arrays import Floats
from audit.findings.against_baselines import by_score
from audit.findings.power_sentences import short
from audit.findings.wording import NAME_LIMIT, names, shown_name
from audit.metrics import aggregate_keys, aggregates_of, phrase
from audit.ranking.ranks import TIE_TOLERANCE, printed_ranks
from audit.report.baseline_rows import COMPUTED_NOTE, baseline_cells, baseline_name
from audit.report.printing import (
    SHADES,
    Printing,
    metric_column,
    metric_href,
    score_cells,
    shares_text,
)
from audit.sentences import say
from audit.text import decimals_to_tell_apart, listed, number, quoted, sentence_case, visible

_HEAD_LIMIT = 20
_DISTRIBUTIONS = {
    "observed": "At the test set’s class distribution",
    "balanced": "With balanced classes (~)",
}


_MATRIX_NOTES = {
    "≡": "≡ marks metrics that rank any submissions to this gold alike, by identity; a 1.00 holds for these teams "
    "only.",
    "–": "– is undefined: a metric is constant, or fewer than three teams have both scores.",
}


WINNER_COLUMNS = (
    *(
        Column("First", numeric=False),
        Column("Score"),
        Column("Next", numeric=False),
        Column("Score"),
    ),
    Column("Lead", title="Difference of the two scores"),
)


def winner_row(show: Printing, key: ScoreKey, leader: int | None) -> tuple[Cell, ...]:
    """Who is first and next by a metric, and by how much; and the rank of a team, where one is given."""
    evaluation = show.evaluation
    scores = evaluation.scores_of(key)
    goodness = evaluation.goodness_of(key)
    first = evaluation.winners(key)
    following = next(
        (
            team
            for team in evaluation.order(key)
            if team not in first and evaluation.contending[team]
        ),
        None,
    )
    named = Cell(
        sentence_case(phrase(key, evaluation.task.label_set)), href=metric_href(key, evaluation)
    )
    rank = () if leader is None else (Cell(printed_ranks(goodness, evaluation.competing)[leader]),)
    if first:
        best = float(scores[first[0]])
    else:
        best = math.nan
    if following is None:
        other = math.nan
    else:
        other = float(scores[following])
    lead = evaluation.goodness(key, best) - evaluation.goodness(key, other)
    return (
        named,
        Cell(names(evaluation, first, limit=3) or "–", style="best"),
        Cell(show.score(best)),
        Cell("–" if math.isnan(other) or following is None else shown_name(evaluation, following)),
        Cell(show.score(other)),
        Cell(short(lead)),
        *rank,
    )


def metrics_table(show: Printing, prevalence: Prevalence) -> Table:
    """Every aggregate metric of every team at one prevalence, the best of each in bold."""
    evaluation = show.evaluation
    keys = aggregate_keys(evaluation, prevalence.name)
    columns = ((metric_column(key, evaluation), score_cells(show, key)) for key in keys)
    computed = (
        (baseline_name(baseline), *baseline_cells(show, baseline, keys))
        for baseline in by_score(evaluation)
    )
    if prevalence.shares:
        named = f"named-{evaluation.prevalences.index(prevalence)}"
    else:
        named = prevalence.name
    table = show.by_team(f"table-metrics-{named}", _metrics_caption(show, prevalence), columns)
    rows = tuple(computed)
    has_errors = any(cell.title for _, *cells in rows for cell in cells)
    errors = say(
        "Where a pointer shows ±, it is the Monte Carlo error of an expected score that has no closed form."
    )
    legends = say(COMPUTED_NOTE) if rows else "", errors if has_errors else ""
    return replace(table, rows=(*table.rows, *rows)).noting(show.legend, *legends)


def metrics_by_prevalence(show: Printing) -> Switched | Table:
    """The tables of scores by every metric, one for each prevalence; sets have one."""
    if not show.evaluation.task.label_set.supports(Feature.PREVALENCES):
        return metrics_table(show, OBSERVED)
    named = {"observed": "as in the test set", "balanced": "balanced"}
    tables = tuple(
        (named.get(each.name, visible(each.name, NAME_LIMIT)), metrics_table(show, each))
        for each in show.evaluation.prevalences
    )
    return Switched("Class distribution", tables)


def _metrics_caption(show: Printing, prevalence: Prevalence) -> str:
    winners = {
        team
        for key in aggregate_keys(show.evaluation, prevalence.name)
        for team in show.evaluation.winners(key)
    }
    leaders = [shown_name(show.evaluation, team) for team in show.order if team in winners]
    shares = shares_text(show.evaluation.task.label_set, prevalence.shares)
    at = _DISTRIBUTIONS.get(
        prevalence.name, f"At the class distribution {quoted(prevalence.name)} ({shares})"
    )
    if show.evaluation.task.label_set.supports(Feature.PREVALENCES):
        at = f"{at} "
    else:
        at = ""
    if not leaders:
        return sentence_case(f"{at}no team has a defined score.")
    if len(leaders) == 1:
        return f"{at}{leaders[0]} is best by every metric."
    return f"{at}{listed(leaders, 'or', limit=6)} is best, depending on the metric."


def spearman_table(show: Printing) -> Table:
    """Spearman’s ρ between the metrics."""
    evaluation = show.evaluation
    agreement = show.evaluation.agreement
    rho = agreement.spearman
    heads = [metric_column(key, evaluation) for key in agreement.keys]
    rows = []
    for row, head in enumerate(heads):
        cells = [
            _correlation(float(value), identical=bool(agreement.identical[row, column]))
            for column, value in enumerate(rho[row])
        ]
        cells[row] = Cell("", style="self")
        rows.append((Cell(head.label, title=head.title, href=head.href), *cells))
    columns = (row_names("Metric"), *heads)
    caption = _agreement_caption(show, rho)
    return Table("table-spearman", caption, columns, tuple(rows), sortable=False, upright=True)


def matrix_note(table: Table) -> str:
    """The meaning of ≡ and – in a table of correlations, for as many of them as there are."""
    texts = {cell.text for row in table.rows for cell in row}
    return " ".join(note for mark, note in _MATRIX_NOTES.items() if mark in texts)


def _correlation(value: float, *, identical: bool) -> Cell:
    """A correlation, shaded."""
    if np.isnan(value):
        style = ""
    else:
        style = f"{'p' if value >= 0 else 'm'}{round(abs(value) * (SHADES - 1))}"
    if identical:
        return Cell("–" if np.isnan(value) else "≡", style=style)
    return Cell(number(value, 2), style=style)


def _agreement_caption(show: Printing, rho: Floats) -> str:
    aggregates = len(aggregates_of(show.evaluation))
    block = np.where(np.isnan(rho[:aggregates, :aggregates]), np.inf, rho[:aggregates, :aggregates])
    first, second = np.unravel_index(int(block.argmin()), block.shape)
    if not np.isfinite(block[first, second]):
        return "Spearman’s ρ between metrics is undefined: there are fewer than three teams, or none differ."
    keys = show.evaluation.agreement.keys
    labels = show.evaluation.task.label_set
    if block[first, second] > 1 - TIE_TOLERANCE:
        return "Spearman’s ρ between metrics over the teams: all aggregate metrics rank them alike."
    if labels.supports(Feature.PREVALENCES):
        as_observed = " at the test set’s class distribution"
    else:
        as_observed = ""
    least = f"{phrase(keys[int(first)], labels)} and {phrase(keys[int(second)], labels)}"
    return (
        f"Spearman’s ρ between metrics over the teams: of the aggregate metrics{as_observed}, {least} agree least "
        f"({number(rho[first, second], decimals_to_tell_apart([rho[first, second], 1.0], 2))})."
    )
