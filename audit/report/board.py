"""The ranking on the first screen: teams with their intervals, and the baselines as rows in their place."""

from collections.abc import Iterator, Sequence

import numpy as np

from audit.document import Board, BoardRow, Shape
from audit.domain import Comparison, Evaluation, Role, ScoreKey
from audit.domain.arrays import Floats
from audit.domain.findings import Baseline
from audit.findings.against_baselines import by_score
from audit.findings.comparisons import comparison_of
from audit.findings.ranking_rows import RankingRow, ranking_rows
from audit.findings.shown_intervals import shown_intervals
from audit.findings.wording import entrants, score_beside
from audit.metrics import phrase
from audit.ranking.ranks import TIE_TOLERANCE, printed_ranks
from audit.report.ahead import best_of
from audit.report.baseline_rows import baseline_score
from audit.report.metric_columns import column_label
from audit.report.plots import LinearAxis, winner_colours
from audit.report.printing import Printing, interval_mark, interval_notes, marks, rank_notes
from audit.sentences import say
from audit.vocabulary import HATCHED_NOTE, LINES_NOTE, POSSIBLE_RANKS_NOTE, SHADED_NOTE

MOST_TEAMS = 25
FIRST_ROWS = 15
LAST_ROWS = 8
"""Up to so many teams all have a row; of more, the first, and the last of those that are not above every baseline."""

_FAR = 3.0
"""A team so many times farther behind the best than the middle one is off the scale; than the mean, where the middle
one ties with the best.
"""


def board_of(show: Printing) -> Board:
    """The ranking with its baselines."""
    evaluation = show.evaluation
    labels = show.evaluation.task.label_set
    key = evaluation.task.ranking_metric
    teams = _shown_teams(show)
    axis = _axis(evaluation, key, teams)
    other = score_beside(evaluation, key)
    of_entries = ranking_rows(evaluation, key)
    rows = [_team_row(show, of_entries[team], axis) for team in teams]
    return Board(
        caption=_caption(show, key),
        score=column_label(evaluation, key),
        other="" if other is None else phrase(other, labels),
        rows=tuple(_placed(show, teams, rows, axis)),
        axis=axis.axis,
        is_compared=comparison_of(evaluation, key) is not None,
        notes=tuple(_notes(show, teams)),
        more="Full ranking with every column",
    )


def _levels(evaluation: Evaluation) -> list[tuple[float, Baseline]]:
    """The computed baselines that have a score, each with its goodness; the best first."""
    key = evaluation.task.ranking_metric
    place = evaluation.row(key)
    return [
        (float(evaluation.goodness(key, float(baseline.values[place]))), baseline)
        for baseline in by_score(evaluation)
        if baseline.slug != "oracle" and not np.isnan(baseline.values[place])
    ]


def _level_row(evaluation: Evaluation, baseline: Baseline, axis: LinearAxis) -> BoardRow:
    """The row of a computed baseline, which is a point: it has no interval."""
    place = evaluation.row(evaluation.task.ranking_metric)
    score = float(baseline.values[place])
    off_scale = _off_scale(score, axis)
    return BoardRow(
        rank="–",
        name=baseline.title,
        score=baseline_score(baseline, place, evaluation.task.printed_decimals),
        kind="baseline",
        shapes=() if off_scale else (axis.dot(score),),
        off_scale=off_scale,
    )


def _shown_teams(show: Printing) -> list[int]:
    """The entries that have a row, in the order of the ranking."""
    if len(show.order) <= MOST_TEAMS:
        return list(show.order)
    evaluation = show.evaluation
    goodness = evaluation.goodness_of(evaluation.task.ranking_metric)
    best_baseline = max((level for level, _ in _levels(evaluation)), default=-np.inf)
    rest = show.order[FIRST_ROWS:]
    below = [team for team in rest if not goodness[team] > best_baseline + TIE_TOLERANCE]
    return [*show.order[:FIRST_ROWS], *below[-LAST_ROWS:]]


def _placed(
    show: Printing, teams: Sequence[int], rows: Sequence[BoardRow], axis: LinearAxis
) -> Iterator[BoardRow]:
    """Rows of teams and baselines by score, with a summary where teams have no row."""
    evaluation = show.evaluation
    goodness = evaluation.goodness_of(evaluation.task.ranking_metric)
    baselines = _levels(evaluation)
    hidden = [team for team in show.order if team not in set(teams)]
    for place, (team, row) in enumerate(zip(teams, rows, strict=True)):
        if hidden and place == FIRST_ROWS:
            yield _summary(show, hidden)
            hidden = []
        while baselines and baselines[0][0] > goodness[team] + TIE_TOLERANCE:
            yield _level_row(evaluation, baselines.pop(0)[1], axis)
        yield row
    if hidden:
        yield _summary(show, hidden)
    for _, baseline in baselines:
        yield _level_row(evaluation, baseline, axis)


def _summary(show: Printing, hidden: Sequence[int]) -> BoardRow:
    """How many teams have no row, and between which scores they lie."""
    evaluation = show.evaluation
    scores = evaluation.scores_of(evaluation.task.ranking_metric)
    first = show.score(float(scores[hidden[0]]))
    last = show.score(float(scores[hidden[-1]]))
    text = f"{entrants(evaluation, len(hidden))} more, {first} to {last}"
    return BoardRow("", text, "", kind="summary")


def _ends(evaluation: Evaluation, key: ScoreKey) -> tuple[Floats, Floats]:
    """The ends of every entry's interval; the score itself where there is none."""
    scores = evaluation.scores_of(key)
    shown = shown_intervals(evaluation, key)
    if shown is None:
        return scores, scores
    return np.where(np.isnan(shown.lower), scores, shown.lower), np.where(
        np.isnan(shown.upper), scores, shown.upper
    )


def _axis(evaluation: Evaluation, key: ScoreKey, teams: Sequence[int]) -> LinearAxis:
    """The axis of the teams that are not far behind, with their intervals."""
    scores = evaluation.scores_of(key)[list(teams)]
    scored = scores[~np.isnan(scores)]
    if not scored.size:
        return LinearAxis(0.0, 1.0)
    typical = abs(scored[0] - float(np.median(scored))) or float(
        np.mean(np.abs(scored - scored[0]))
    )
    near = np.abs(scores - scored[0]) <= _FAR * typical
    shown = np.array(teams)[near & ~np.isnan(scores)]
    lower, upper = _ends(evaluation, key)
    return LinearAxis.around([*lower[shown].tolist(), *upper[shown].tolist()])


def _team_row(show: Printing, row: RankingRow, axis: LinearAxis) -> BoardRow:
    """The row of one entry."""
    evaluation = show.evaluation
    key = show.evaluation.task.ranking_metric
    team = row.entry
    comparison = comparison_of(evaluation, key)
    intervals = shown_intervals(evaluation, key)
    entry = evaluation.entries[team]
    other = score_beside(evaluation, key) or key
    off_scale = _off_scale(row.score, axis)
    if intervals is None:
        mark = ""
    else:
        mark = interval_mark(intervals, team)
    others = printed_ranks(evaluation.goodness_of(other), evaluation.competing)[team]
    moves = int(evaluation.ranks_of(key)[team] - evaluation.ranks_of(other)[team])
    return BoardRow(
        rank=row.printed_rank,
        name=show.name(team).text,
        title=show.name(team).title,
        score=show.score(row.score) + mark,
        kind="baseline" if entry.role == Role.BASELINE else "team",
        shapes=() if off_scale or np.isnan(row.score) else _shapes(evaluation, team, axis),
        off_scale=off_scale,
        confidence="" if comparison is None else _confidence(comparison, team),
        possible_ranks=row.printed_possible_ranks,
        unanswered=f"{row.printed_unanswered} unanswered" if row.n_unanswered else "",
        other=others,
        move=moves if evaluation.competing[team] else 0,
        wins=team in evaluation.winners(key),
    )


def _shapes(evaluation: Evaluation, team: int, axis: LinearAxis) -> tuple[Shape, ...]:
    """The interval of a team as a line, and its score as a point."""
    key = evaluation.task.ranking_metric
    lower, upper = _ends(evaluation, key)
    colour = winner_colours(evaluation).get(team, "")
    score = float(evaluation.scores_of(key)[team])
    return axis.line(float(lower[team]), float(upper[team]), colour), axis.dot(score, colour)


def _confidence(comparison: Comparison, team: int) -> str:
    """Whether a team is in the 95% confidence set for the best team, and whether only for want of precision."""
    if not comparison.could_be_best[team]:
        return ""
    if comparison.uncertain[team]:
        return "imprecise"
    return "in-set"


def _off_scale(score: float, axis: LinearAxis) -> str:
    """The end of the axis beyond which a score lies; empty where it is on the axis."""
    if score < axis.first:
        return "low"
    if score > axis.last:
        return "high"
    return ""


def _caption(show: Printing, key: ScoreKey) -> str:
    """What the ranking shows of the first place, in a sentence."""
    evaluation = show.evaluation
    comparison = comparison_of(evaluation, key)
    if key.metric in evaluation.scales:
        lower = " (lower is better)"
    else:
        lower = ""
    if comparison is None:
        return f"Ranking by {phrase(key, evaluation.task.label_set)}{lower}"
    return f"{best_of(evaluation, comparison)}{lower}"


def _notes(show: Printing, teams: Sequence[int]) -> Iterator[str]:
    """How shading, lines and marks are read."""
    evaluation = show.evaluation
    key = show.evaluation.task.ranking_metric
    comparison = comparison_of(evaluation, key)
    if comparison is not None:
        yield say(SHADED_NOTE)
        if (comparison.could_be_best & comparison.uncertain).any():
            yield say(HATCHED_NOTE)
    if shown_intervals(evaluation, key) is not None:
        yield say(LINES_NOTE)
    if comparison is not None:
        yield say(POSSIBLE_RANKS_NOTE)
    yield from interval_notes(evaluation, key, teams)
    if _levels(evaluation) or any(entry.role == Role.BASELINE for entry in evaluation.entries):
        yield from _baseline_notes(evaluation)
    if any(marks(evaluation.entries[team]) for team in teams):
        yield show.legend
        yield from rank_notes(evaluation)


def _baseline_notes(evaluation: Evaluation) -> Iterator[str]:
    """Which baselines were submitted, and which this program computed."""
    if any(entry.role == Role.BASELINE for entry in evaluation.entries):
        yield "Italic: baselines; those without a rank were computed by this program."
    else:
        yield "Italic: baselines, computed by this program."
