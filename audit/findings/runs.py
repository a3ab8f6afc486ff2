"""Flags about which of a team's runs counts."""

from collections import Counter

import numpy as np

from audit.domain import Evaluation, Role, Severity
from audit.findings.flag_kind import Fired, flag
from audit.ranking.ranks import expected_maximum
from audit.sentences import say
from audit.text import number, plural, visible

RULES_PLACE = 90

_SHOWN = 5
_HALF_WIDTH = 1.96  # standard errors in half a 95% interval of a normal distribution


@flag("best-run-counts", "The best of a team’s runs counts", Severity.NOTE, "data")
def best_runs_counted(evaluation: Evaluation) -> Fired | None:
    """Whether every team's best run counts, which favours teams with many runs.

    Fires when, by the policy runs = "best", some team’s best run by the ranking metric counts among several. The
    expected gain is that of the maximum of independent normal numbers, in standard errors of the score.
    """
    if evaluation.task.policies.runs != "best":
        return None
    n_runs = Counter(run.team for run in evaluation.uncounted if run.role != Role.WITHDRAWN)
    n_runs.update(
        entry.team for entry in evaluation.entries if entry.competes and n_runs[entry.team]
    )
    if not n_runs:
        return None
    (team, most) = n_runs.most_common(1)[0]
    fewest = min(n_runs.values())
    of_others = len({entry.team for entry in evaluation.entries if entry.competes} - set(n_runs))
    if fewest == most:
        runs = str(most)
    else:
        runs = f"{fewest} to {most}"
    error = _standard_error(evaluation, team)
    if np.isnan(error):
        size = ""
    else:
        size = f", about {number(error * expected_maximum(most))}"
    if of_others:
        alone = f"; {plural(of_others, 'team')} had one run only"
    else:
        alone = ""
    return Fired(
        sentence=say(
            f"Of {plural(len(n_runs), 'team')} the best of {runs} runs counts{alone}. Picking a maximum favours "
            f"teams with many runs: the best of {most} equally good runs would gain up to "
            f"{number(expected_maximum(most), 2)} standard errors by luck alone ({visible(team, 40)}{size}), less "
            "where they err on the same items."
        ),
        remedy="Let each team name its primary run before the results are known, and rank by these.",
        paper="Each team is ranked by its best run on the test set, which favours teams with many runs.",
        evidence={
            "runs": dict(sorted(n_runs.items())),
            "expected_gain_in_standard_errors": {
                str(k): expected_maximum(k) for k in sorted({*n_runs.values()})
            },
            "standard_error_of_the_most_tried": error,
        },
    )


def _standard_error(evaluation: Evaluation, team: str) -> float:
    """Standard error of a team's score, about, from the width of its interval; NaN where it has none."""
    if evaluation.certainty is None:
        return np.nan
    intervals = evaluation.certainty.intervals
    row = evaluation.row(evaluation.task.ranking_metric)
    widths: list[float] = (intervals.upper[row] - intervals.lower[row]).tolist()
    counted = zip(widths, evaluation.entries, strict=True)
    return next(
        width / (2 * _HALF_WIDTH)
        for width, entry in counted
        if entry.team == team and entry.competes
    )


@flag("runs-chosen-by-name", "Runs that were chosen by name", Severity.NOTE, "method")
def runs_chosen_by_name(evaluation: Evaluation) -> Fired | None:
    """Which teams' runs the organiser chose, and why.

    Fires when task.toml names the run that counts for a team, with a reason.
    """
    chosen = evaluation.task.policies.chosen
    if not chosen:
        return None
    clauses = [
        f"{visible(item.team, 40)}: {visible(item.run, 40)} ({visible(item.reason, 200)})"
        for item in chosen
    ]
    if len(clauses) > _SHOWN:
        more = f"; and {len(clauses) - _SHOWN:,} more"
    else:
        more = ""
    return Fired(
        sentence=f"The run that counts was chosen by name for {plural(len(chosen), 'team')}, whatever the run policy "
        f"says: {'; '.join(clauses[:_SHOWN])}{more}.",
        remedy="Keep such choices few, and make them before the results are known.",
        evidence={
            "chosen": [
                {"team": item.team, "run": item.run, "reason": item.reason} for item in chosen
            ]
        },
    )
