"""Does the winner change with the metric? The rank of every team by each metric, and who wins by which."""

from collections.abc import Iterable

from audit.document import Beside, Cell, Column, Fold, Section, Table, row_names
from audit.domain import Evaluation, ScoreKey, WinnerChange
from audit.questions.comparisons import changes_of, comparison_of
from audit.questions.first_place import said_of
from audit.questions.metrics import metrics_by_prevalence, winners_table
from audit.questions.printing import Printing
from audit.questions.rules import elections_fold
from audit.ranking.ranks import printed_ranks
from audit.report.metric_columns import column_label, metric_columns
from audit.report.plots import first_rows, winner_colours
from audit.sentences import say

PLACE = 40
MOST_TEAMS = 15


def section(show: Printing) -> Section:
    """The ranks by each metric, coloured where a team wins, beside the winners with their leads."""
    evaluation, winners = show.evaluation, winners_table(show)
    answer = said_of(evaluation, "metric") or (winners.caption,)
    blocks = (
        Beside((rank_matrix(show),), (winners,)),
        Fold("every-metric", "Every metric of every team", (metrics_by_prevalence(show),)),
        elections_fold(show),
    )
    question = "Does the winner change with the metric?"
    return Section("metrics", question, answer, blocks, "audit winners TASK", "Metrics")


def rank_matrix(show: Printing) -> Table:
    """Teams × metrics: the rank of each team by each metric, in the winner's colour where it is first.

    A cell is shaded where the team is in the 95% confidence set for the best team by that metric, and starred where
    it is significantly ahead of all others.
    """
    evaluation = show.evaluation
    keys = metric_columns(evaluation)
    best = {key: _confidence_set(evaluation, key) for key in keys}
    colours = winner_colours(evaluation)
    contenders = {team for teams in best.values() for team in teams}
    teams = first_rows(show.ranked, MOST_TEAMS, {*colours, *_few(contenders)})
    columns = [row_names("Team")]
    columns += [Column(column_label(evaluation, key)) for key in keys]
    by_metric = [_rank_cells(evaluation, key, best[key], colours) for key in keys]
    rows = tuple((show.name(team), *(cells[team] for cells in by_metric)) for team in teams)
    n_left_out = len(show.ranked) - len(teams)
    return Table(
        "table-ranks-by-metric",
        _caption(evaluation, keys),
        tuple(columns),
        rows,
        note=_note(best.values(), n_left_out),
        sortable=False,
        upright=True,
        style="matrix",
    )


def _few(contenders: set[int]) -> set[int]:
    """The contenders, where they are few enough to be rows of their own; otherwise those further down are counted."""
    return contenders if len(contenders) <= MOST_TEAMS else set()


def _confidence_set(evaluation: Evaluation, key: ScoreKey) -> tuple[int, ...]:
    """The teams of the 95% confidence set for the best team by a metric; none where that was not tested."""
    comparison = comparison_of(evaluation, key)
    if comparison is not None:
        return comparison.contenders
    change = change_to(evaluation, key)
    return () if change is None else change.could_be_best


def change_to(evaluation: Evaluation, key: ScoreKey) -> WinnerChange | None:
    """What the choice of this metric in place of the ranking metric makes of the first place; None if not asked."""
    ranking = evaluation.task.ranking_metric
    return next((each for each in changes_of(evaluation) if each.keys == (ranking, key)), None)


def _rank_cells(evaluation: Evaluation, key: ScoreKey, best: tuple[int, ...], colours: dict[int, str]) -> list[Cell]:
    """The rank of every team by one metric, with the style of what the team is by it."""
    winners = evaluation.winners(key)
    cells = []
    for team, rank in enumerate(printed_ranks(evaluation.goodness_of(key), evaluation.competing)):
        if team not in winners:
            cells.append(Cell(rank, style="in-set" if team in best else ""))
            continue
        is_alone = best == (team,)
        cells.append(Cell(f"{rank}*" if is_alone else rank, style=f"win {colours.get(team, 'wo')}"))
    return cells


def _caption(evaluation: Evaluation, keys: tuple[ScoreKey, ...]) -> str:
    """How many teams win under how many metrics."""
    winners = {team for key in keys for team in evaluation.winners(key)}
    if len(winners) == 1:
        return f"Ranks of the teams by {len(keys)} metrics: one team ranks first by all of them"
    return f"Ranks of the teams by {len(keys)} metrics: {len(winners)} teams rank first by at least one"


def _note(best: Iterable[tuple[int, ...]], n_left_out: int) -> str:
    """How the cells are read, and how many teams have no row."""
    notes = ["Coloured: first by this metric."]
    if any(best):
        notes.append(say("1*: significantly ahead of all others."))
        notes.append(say("Shaded: in the 95% confidence set for the best team by this metric."))
    if n_left_out:
        notes.append(f"{n_left_out:,} more teams are in the export.")
    return " ".join(notes)
