"""Which runs count: for each team those that the policy names, and beside them what takes no rank from them."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.domain import ChosenRun, Policies, Role, Submission, UncountedRun
from audit.errors import UsageError
from audit.text import listed, natural_order, quoted

Scores = Callable[[Sequence[Submission]], NDArray[np.float64]]
"""Scores of some submissions by the ranking metric, turned so that higher is better; NaN where undefined."""

_ON_TIME = frozenset({Role.PRIMARY, Role.CONTRASTIVE})
_BESIDE = frozenset({Role.LATE, Role.UNOFFICIAL})


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of a campaign, parted.

    Parameters
    ----------
    shown : tuple of Submission
        The rows of the ranking, in the order in which they were given.
    competing : tuple of bool
        Which of them take a rank.
    uncounted : tuple of UncountedRun
        The others, in the same order.
    """

    shown: tuple[Submission, ...]
    competing: tuple[bool, ...]
    uncounted: tuple[UncountedRun, ...]


def part_runs(submissions: Sequence[Submission], policies: Policies, scores: Scores) -> Runs:
    """The runs that count, by the run policy, and the others.

    A withdrawn run never counts, and a baseline is always shown. Of a team's other runs those count that the policy
    says; a run that the organiser chose counts whatever the policy. A policy picks among the runs that came in time,
    or, for a team without any, among its late ones. Late and unofficial runs that do not count are shown beside.

    =========  =========================================================================================
    policy     which count
    =========  =========================================================================================
    all        every run but the unofficial ones; contrastive ones of a team with a primary run stand beside
    primary    every run whose role is primary; where a team has none, all that the policy picks among
    last       the last by name, numbers in it by their value
    best       the best by the ranking metric, the first by name where several are; undefined scores last
    =========  =========================================================================================

    Parameters
    ----------
    submissions : sequence of Submission
        All runs.
    policies : Policies
        The run policy, the runs chosen by name, and whether baselines compete.
    scores : callable
        Scores of some runs by the ranking metric, higher better. Called for the policy *best* only, at most once.

    Raises
    ------
    UsageError
        When a chosen run does not exist, or is withdrawn.

    Examples
    --------
    >>> runs = [Submission("A", np.zeros(1, np.uint8), run) for run in ("1", "10", "9")]
    >>> [run.run for run in part_runs(runs, Policies(runs="last"), lambda runs: np.zeros(len(runs))).shown]
    ['10']
    """
    by_team: dict[str, list[int]] = defaultdict(list)
    for place, submission in enumerate(submissions):
        if submission.role not in (Role.BASELINE, Role.WITHDRAWN):
            by_team[submission.team].append(place)
    picked = _Picked(submissions, policies, scores)
    chosen = _chosen(submissions, by_team, policies.chosen)
    counting = {place for team, runs in by_team.items() for place in chosen.get(team) or picked.of(runs)}
    baselines_compete = policies.baselines == "ranked"
    beside = _BESIDE | {Role.CONTRASTIVE} if policies.runs == "all" else _BESIDE
    shown, competing, uncounted = [], [], []
    for place, submission in enumerate(submissions):
        counts, role = place in counting, submission.role
        if counts or role == Role.BASELINE or role in beside:
            shown.append(submission)
            competing.append(baselines_compete if role == Role.BASELINE else counts and role != Role.UNOFFICIAL)
        else:
            reason = _reason(submission, policies, is_chosen=submission.team in chosen)
            uncounted.append(_uncounted(submission, reason))
    return Runs(tuple(shown), tuple(competing), tuple(uncounted))


class _Picked:
    """Picks a team's runs by the policy."""

    def __init__(self, submissions: Sequence[Submission], policies: Policies, scores: Scores) -> None:
        self.submissions, self.policy = submissions, policies.runs
        by_score = np.nan_to_num(scores(submissions), nan=-np.inf) if self.policy == "best" else np.zeros(0)
        self.scores: list[float] = by_score.tolist()

    def of(self, runs: list[int]) -> list[int]:
        """Which of a team's runs count."""
        role = {run: self.submissions[run].role for run in runs}
        if self.policy == "all":
            return [run for run in runs if role[run] is not Role.CONTRASTIVE] or runs
        official = [run for run in runs if role[run] in _ON_TIME] or [run for run in runs if role[run] == Role.LATE]
        if self.policy == "primary":
            return [run for run in official if role[run] == Role.PRIMARY] or official
        by_name = sorted(official, key=lambda run: natural_order(self.submissions[run].run or ""))
        if self.policy == "last":
            return by_name[-1:]
        return sorted(by_name, key=lambda run: -self.scores[run])[:1]


def _chosen(
    submissions: Sequence[Submission], by_team: dict[str, list[int]], choices: Sequence[ChosenRun]
) -> dict[str, list[int]]:
    """The runs that the organiser chose, by team."""
    return {choice.team: _chosen_of(submissions, by_team.get(choice.team, []), choice) for choice in choices}


def _chosen_of(submissions: Sequence[Submission], runs: Sequence[int], choice: ChosenRun) -> list[int]:
    matching = [run for run in runs if submissions[run].run == choice.run]
    if not matching:
        names = [quoted(submissions[run].run or "a run without a name") for run in runs]
        has = f"It has {listed(names, limit=8)}." if names else "It has none that could count."
        raise UsageError(
            f"The run {quoted(choice.run)} is chosen for {quoted(choice.team)}, which has no such run. {has}"
        )
    return matching


def _uncounted(submission: Submission, reason: str) -> UncountedRun:
    path = submission.source.path if submission.source else None
    return UncountedRun(submission.team, submission.run, path, submission.role, reason)


def _reason(submission: Submission, policies: Policies, *, is_chosen: bool) -> str:
    if submission.role == Role.WITHDRAWN:
        return "withdrawn"
    if is_chosen:
        return "another run was chosen"
    return {"primary": "not primary", "last": "not the last by name", "best": "not the best"}[policies.runs]
