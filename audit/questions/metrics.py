"""Does another metric crown another? Who is first by which, every score, and how alike metrics rank."""

import math
from collections.abc import Sequence

import numpy as np

from audit.document import Cell, Column, Fold, Paragraph, Section, Switched, Table, row_names
from audit.domain import BALANCED, OBSERVED, Evaluation, Prevalence, ScoreKey
from audit.domain.arrays import Floats, Ints
from audit.flags.wording import NAME_LIMIT, entrant, entrants, shown_name
from audit.metrics import AGGREGATES, aggregate_keys, phrase, triggers_of
from audit.questions.baseline_rows import baseline_cells, baseline_name, by_score, with_computed
from audit.questions.pictures import picture
from audit.questions.printing import SHADES, Printing, metric_column, metric_href, score_cells, shares_text, usual_keys
from audit.questions.rules import elections_fold
from audit.ranking import printed_ranks
from audit.sentences import say
from audit.text import listed, number, quoted, sentence_case, visible

_HEAD_LIMIT = 20


_MATRIX_NOTE = (
    "≡ marks metrics that rank any submissions to this gold alike, by identity; a 1.00 holds for these teams only. – "
    "is undefined: a metric is constant, or fewer than three teams have both scores. ~ marks balanced prevalence."
)


def section(show: Printing) -> Section:
    """Who is first by which metric: drawn, then every score, how alike metrics rank, and winners by named rules."""
    evaluation, winners = show.evaluation, winners_table(show)
    agreement = (
        picture(evaluation, "metric-agreement"),
        spearman_table(show),
        Paragraph(" ".join((_MATRIX_NOTE, *_middle_note(evaluation))), "note"),
        kendall_table(show),
    )
    blocks = (
        picture(evaluation, "rank-by-metric"),
        Fold("first-by-metric", "Who is first by which metric, and by how much", (winners,)),
        Fold("every-metric", "Every metric of every team", (_switched(show), ranks_table(show))),
        Fold("agreement", "How alike the metrics rank the teams", agreement),
        elections_fold(show),
    )
    return Section("metrics", "Does another metric crown another?", (winners.caption,), blocks, "audit winners TASK")


def _middle_note(evaluation: Evaluation) -> tuple[str, ...]:
    """What a pointer on a correlation shows, where there are replicates enough."""
    resampled = evaluation.certainty.resampled if evaluation.certainty else None
    has_middle = resampled is not None and not np.isnan(resampled.spearman_lower).all()
    return (say("middle-note"),) if has_middle else ()


def winners_table(show: Printing) -> Table:
    """The table of who is first, and who is next, by each of the metrics that most campaigns are ranked by."""
    evaluation = show.evaluation
    leader = evaluation.leader(evaluation.task.ranking_metric)
    own = () if leader is None else (Column(f"Rank of {shown_name(evaluation, leader, _HEAD_LIMIT)}"),)
    columns = (
        row_names("Metric"),
        Column("First", numeric=False),
        Column("Score"),
        Column("Next", numeric=False),
        Column("Score"),
        Column("Lead", title="Difference of the two scores"),
        *own,
    )
    rows = tuple(_row(show, key, leader) for key in _keys(evaluation))
    return Table("table-winners", _caption(evaluation), columns, rows, sortable=False)


def _keys(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """The usual metrics, and each other one that has a say in who is first and crowns another."""
    ranking, winners = evaluation.task.ranking_metric, evaluation.winners(evaluation.task.ranking_metric)
    others = (ScoreKey(metric.slug, ranking.prevalence) for metric in triggers_of(evaluation))
    crowning = (key for key in others if key in evaluation.keys and evaluation.winners(key) not in {(), winners})
    return tuple(dict.fromkeys((*usual_keys(evaluation), *crowning)))


def _row(show: Printing, key: ScoreKey, leader: int | None) -> tuple[Cell, ...]:
    evaluation = show.evaluation
    scores, goodness, first = evaluation.scores_of(key), evaluation.goodness_of(key), evaluation.winners(key)
    following = next(
        (team for team in evaluation.order(key) if team not in first and evaluation.contending[team]), None
    )
    named = Cell(sentence_case(phrase(key, evaluation.task.label_set)), href=metric_href(key, evaluation))
    rank = () if leader is None else (Cell(printed_ranks(goodness, evaluation.competing)[leader]),)
    best = float(scores[first[0]]) if first else math.nan
    other = math.nan if following is None else float(scores[following])
    return (
        named,
        Cell(_names(evaluation, first), style="best"),
        Cell(show.score(best)),
        Cell("–" if math.isnan(other) or following is None else _names(evaluation, (following,))),
        Cell(show.score(other)),
        Cell(show.score(evaluation.goodness(key, best) - evaluation.goodness(key, other))),
        *rank,
    )


def _names(evaluation: Evaluation, teams: tuple[int, ...]) -> str:
    return listed([shown_name(evaluation, team) for team in teams], limit=3) or "–"


def _caption(evaluation: Evaluation) -> str:
    leaders = {team for key in _keys(evaluation) for team in evaluation.winners(key)}
    if not leaders:
        return f"No {entrant(evaluation)} has a defined score by any of these metrics."
    if len(leaders) == 1:
        return f"{_names(evaluation, tuple(leaders))} is first by each of these metrics."
    return f"{entrants(evaluation, len(leaders))} are first by one of these metrics or more."


def metrics_table(show: Printing, prevalence: Prevalence) -> Table:
    """Every aggregate metric of every team at one prevalence, the best of each in bold."""
    evaluation = show.evaluation
    keys = aggregate_keys(evaluation, prevalence.name)
    cells = list(zip(*(score_cells(show, key) for key in keys), strict=True))
    columns = (row_names("Team"), *(metric_column(key, evaluation) for key in keys))
    rows = [(show.name(team), *cells[team]) for team in show.order]
    computed = [(baseline_name(baseline), *baseline_cells(show, baseline, keys)) for baseline in by_score(evaluation)]
    anchor, caption = f"table-metrics-{_anchor(prevalence, evaluation)}", _metrics_caption(show, prevalence)
    return with_computed(show.with_legend(Table(anchor, caption, columns, (*rows, *computed))), evaluation)


def _switched(show: Printing) -> Switched:
    """The tables of scores by every metric, one for each prevalence."""
    named = {"observed": "as in the test set", "balanced": "balanced"}
    tables = tuple(
        (named.get(each.name, visible(each.name, NAME_LIMIT)), metrics_table(show, each))
        for each in show.evaluation.prevalences
    )
    return Switched("Class distribution", tables)


def _anchor(prevalence: Prevalence, evaluation: Evaluation) -> str:
    return prevalence.name if not prevalence.shares else f"named-{evaluation.prevalences.index(prevalence)}"


def _metrics_caption(show: Printing, prevalence: Prevalence) -> str:
    winners = {
        team for key in aggregate_keys(show.evaluation, prevalence.name) for team in show.evaluation.winners(key)
    }
    leaders = [shown_name(show.evaluation, team) for team in show.order if team in winners]
    at = {"observed": "At observed prevalence", "balanced": "At balanced prevalence (calibrated, ~)"}.get(
        prevalence.name,
        f"At prevalence {quoted(prevalence.name)} ({shares_text(show.evaluation.task.label_set, prevalence.shares)})",
    )
    if not leaders:
        return f"{at} no team has a defined score."
    if len(leaders) == 1:
        return f"{at} {leaders[0]} is best by every metric."
    return f"{at} {listed(leaders, 'or', limit=6)} is best, depending on the metric."


def ranks_table(show: Printing) -> Table:
    """Rank by every metric, observed and balanced, shaded from first to last."""
    evaluation = show.evaluation
    keys = [key for prevalence in (OBSERVED, BALANCED) for key in aggregate_keys(evaluation, prevalence.name)]
    ranks = np.stack([evaluation.ranks_of(key) for key in keys])
    printed = [printed_ranks(evaluation.goodness_of(key), evaluation.competing) for key in keys]
    rows = tuple(
        (
            show.name(team),
            *(
                Cell(printed[row][team], style=_rank_shade(int(ranks[row, team]), len(show.ranked)))
                for row in range(len(keys))
            ),
        )
        for team in show.order
    )
    columns = (row_names("Team"), *(metric_column(key, evaluation) for key in keys))
    caption = _ranks_caption(show, keys, ranks)
    note = "Darker is a better rank."
    return show.with_legend(Table("table-ranks", caption, columns, rows, note=note, upright=True, ranks=True))


def _rank_shade(rank: int, n_teams: int) -> str:
    return f"r{min(SHADES - 1, round((rank - 1) / max(1, n_teams - 1) * (SHADES - 1)))}"


def _ranks_caption(show: Printing, keys: Sequence[ScoreKey], ranks: Ints) -> str:
    teams = sorted(show.ranked)
    spread = (ranks.max(axis=0) - ranks.min(axis=0))[teams]
    if not spread.any():
        return "Rank by metric: every metric ranks the teams alike."
    team = teams[int(spread.argmax())]
    labels = show.evaluation.task.label_set
    best, worst = keys[int(ranks[:, team].argmin())], keys[int(ranks[:, team].argmax())]
    return (
        f"Rank by metric: {shown_name(show.evaluation, team)} moves most, from {ranks[:, team].min()} "
        f"by {phrase(best, labels)} to {ranks[:, team].max()} by {phrase(worst, labels)}."
    )


Ends = tuple[Floats, Floats]


def spearman_table(show: Printing) -> Table:
    """Spearman's ρ between the metrics."""
    rho, certainty = show.evaluation.agreement.spearman, show.evaluation.certainty
    resampled = certainty.resampled if certainty else None
    ends = (resampled.spearman_lower, resampled.spearman_upper) if resampled else None
    return _matrix(show, rho, "table-spearman", _agreement_caption(show, rho), ends)


def kendall_table(show: Printing) -> Table:
    """Kendall's τ-b between the metrics."""
    return _matrix(show, show.evaluation.agreement.kendall, "table-kendall", "Kendall’s τ-b between the same metrics.")


def _matrix(show: Printing, values: Floats, anchor: str, caption: str, ends: Ends | None = None) -> Table:
    evaluation, agreement = show.evaluation, show.evaluation.agreement
    heads = [metric_column(key, evaluation) for key in agreement.keys]
    rows = tuple(
        (Cell(heads[row].label, title=heads[row].title, href=heads[row].href), *_matrix_row(show, values, row, ends))
        for row in range(len(heads))
    )
    return Table(anchor, caption, (row_names("Metric"), *heads), rows, sortable=False, upright=True)


def _matrix_row(show: Printing, values: Floats, row: int, ends: Ends | None) -> list[Cell]:
    identical = show.evaluation.agreement.identical[row]
    return [
        Cell("", style="self")
        if column == row
        else Cell(
            "≡" if identical[column] and not np.isnan(value) else number(value, 2),
            style=_correlation_shade(value),
            title=_range(ends, row, column) if ends and not identical[column] else "",
        )
        for column, value in enumerate(values[row].tolist())
    ]


def _range(ends: Ends, row: int, column: int) -> str:
    lower, upper = ends[0][row, column], ends[1][row, column]
    return "" if np.isnan(lower) else say("middle-of-replicates", lower=number(lower, 2), upper=number(upper, 2))


def _correlation_shade(value: float) -> str:
    if np.isnan(value):
        return ""
    return f"{'p' if value >= 0 else 'm'}{round(abs(value) * (SHADES - 1))}"


def _agreement_caption(show: Printing, rho: Floats) -> str:
    aggregates = len(AGGREGATES)
    block = np.where(np.isnan(rho[:aggregates, :aggregates]), np.inf, rho[:aggregates, :aggregates])
    first, second = np.unravel_index(int(block.argmin()), block.shape)
    if not np.isfinite(block[first, second]):
        return "Spearman’s ρ between metrics is undefined: there are fewer than three teams, or none differ."
    keys, labels = show.evaluation.agreement.keys, show.evaluation.task.label_set
    least = f"{phrase(keys[int(first)], labels)} and {phrase(keys[int(second)], labels)}"
    return (
        f"Spearman’s ρ between metrics over the teams: of the aggregate metrics, {least} agree least "
        f"({number(float(block[first, second]), 2)})."
    )
