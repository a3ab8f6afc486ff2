"""Which runs count, and which are one: for each team those that the policy names; the same answers are one row."""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from audit.domain import ChosenRun, Policies, Role, Submission, UncountedRun
from audit.errors import UsageError
from audit.text import listed, natural_order, quoted

Scores = Callable[[Sequence[Submission]], NDArray[np.float64]]
"""Scores of some submissions by the ranking metric, turned so that higher is better; NaN where undefined."""

# runs with the same answers, and whether each takes a rank
Row = tuple[tuple[Submission, bool], ...]

_ON_TIME = frozenset({Role.PRIMARY, Role.CONTRASTIVE})
_BESIDE = frozenset({Role.LATE, Role.UNOFFICIAL})


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of a campaign, parted."""

    rows: tuple[Row, ...]
    """The rows of the ranking, in the order in which their first runs were given."""
    uncounted: tuple[UncountedRun, ...]
    """The runs that are in none, in the order in which they were given."""

    @property
    def shown(self) -> tuple[Submission, ...]:
        """The run that stands for each row."""
        return tuple(row[0][0] for row in self.rows)

    @property
    def competing(self) -> tuple[bool, ...]:
        """The rows that take a rank."""
        return tuple(row[0][1] for row in self.rows)


def part_runs(submissions: Sequence[Submission], policies: Policies, scores: Scores) -> Runs:
    """The runs that count, by the run policy, and the others.

    A withdrawn run never counts, and a baseline is always shown. Of a team's other runs those count that the policy
    says; a run that the organiser chose counts whatever the policy. A policy picks among the runs that came in time,
    or, for a team without any, among its late ones. Late and unofficial runs that do not count are shown beside.
    A team's runs with the same answers to every item are one row, whichever of them counts.

    =========  =========================================================================================
    policy     which count
    =========  =========================================================================================
    all        every run but the unofficial ones; contrastive ones of a team with a primary run stand beside
    primary    the run whose role is primary; of several, or where a team has none, the last by name
    last       the last by name, numbers in it by their value
    best       the best by the ranking metric, the first by name where several are; undefined scores last
    =========  =========================================================================================

    >>> runs = [Submission("A", np.zeros(1, np.uint8), run) for run in ("1", "10", "9")]
    >>> found = part_runs(runs, Policies(runs="last"), lambda runs: np.zeros(len(runs)))
    >>> [[(run.run, competes) for run, competes in row] for row in found.rows]
    [[('10', True), ('1', False), ('9', False)]]
    """
    by_team: dict[str, list[int]] = defaultdict(list)
    for place, submission in enumerate(submissions):
        if submission.role not in (Role.BASELINE, Role.WITHDRAWN):
            by_team[submission.team].append(place)
    of_runs = np.zeros(0)
    if policies.runs == "best":
        of_runs = np.nan_to_num(scores(submissions), nan=-np.inf)
    chosen = {}
    for choice in policies.chosen:
        chosen[choice.team] = _chosen_of(submissions, by_team.get(choice.team, []), choice)
    counting: set[int] = set()
    for team, runs in by_team.items():
        counting.update(chosen.get(team) or _picked(submissions, policies.runs, of_runs, runs))
    with_primary = {
        submissions[place].team for place in counting if submissions[place].role == Role.PRIMARY
    }
    competes = _shown(submissions, policies, counting)
    rows = []
    in_rows: set[int] = set()
    for places in _rows(_with_same_answers(submissions), submissions, competes):
        rows.append(tuple((submissions[place], competes.get(place, False)) for place in places))
        in_rows.update(places)
    uncounted = []
    for place, submission in enumerate(submissions):
        if place not in in_rows:
            reason = _reason(submission, policies, chosen, with_primary)
            uncounted.append(_uncounted(submission, reason))
    return Runs(tuple(rows), tuple(uncounted))


def _uncounted(submission: Submission, reason: str) -> UncountedRun:
    path = None
    if submission.source:
        path = submission.source.path
    return UncountedRun(submission.team, submission.run, path, submission.role, reason)


def _shown(
    submissions: Sequence[Submission], policies: Policies, counting: Container[int]
) -> dict[int, bool]:
    """The runs that are shown for their own sake, and whether each takes a rank."""
    if policies.runs == "all":
        beside = _BESIDE | {Role.CONTRASTIVE}
    else:
        beside = _BESIDE
    competes = {}
    for place, submission in enumerate(submissions):
        if submission.role == Role.BASELINE:
            competes[place] = policies.baselines == "ranked"
        elif place in counting or submission.role in beside:
            competes[place] = place in counting and submission.role != Role.UNOFFICIAL
    return competes


def _with_same_answers(submissions: Sequence[Submission]) -> list[list[int]]:
    """The runs that were not withdrawn, by name; a team's runs with the same answers together."""
    places = [
        place for place, submission in enumerate(submissions) if submission.role != Role.WITHDRAWN
    ]
    places.sort(key=lambda place: natural_order(submissions[place].run or ""))
    n_runs = Counter(submissions[place].team for place in places)
    alike: dict[Hashable, list[int]] = {}
    for place in places:
        submission = submissions[place]
        answers: Hashable = place  # of a team's only run nothing need be compared
        if n_runs[submission.team] > 1:
            answers = _answers(submission)
        alike.setdefault(answers, []).append(place)
    return list(alike.values())


def _answers(submission: Submission) -> Hashable:
    """What runs that are one have in common: team, labels, scores; a baseline is one with baselines alone."""
    if submission.scores is None:
        scores = b""
    else:
        scores = submission.scores.tobytes()
    digests = (sha256(submission.codes.tobytes()).digest(), sha256(scores).digest())
    return (
        submission.team,
        submission.role == Role.BASELINE,
        frozenset(submission.unusable_labels),
        digests,
    )


def _rows(
    groups: Sequence[Sequence[int]], submissions: Sequence[Submission], competes: Mapping[int, bool]
) -> list[list[int]]:
    """The groups that have a run to show, that run first: one that takes a rank, if any does, and a primary one."""
    roles = list(Role)

    def precedence(place: int) -> tuple[bool, int]:
        return not competes[place], roles.index(submissions[place].role)

    rows = []
    for group in groups:
        shown = [place for place in group if place in competes]
        if shown:
            first = min(shown, key=precedence)
            others = [place for place in group if place != first]
            rows.append([first, *others])
    return sorted(rows)


def _picked(
    submissions: Sequence[Submission], policy: str, scores: NDArray[np.float64], runs: list[int]
) -> list[int]:
    """Which of a team's runs count, by the policy."""

    def with_role(some: list[int], *roles: Role) -> list[int]:
        return [run for run in some if submissions[run].role in roles]

    if policy == "all":
        return [run for run in runs if submissions[run].role != Role.CONTRASTIVE] or runs
    official = with_role(runs, *_ON_TIME) or with_role(runs, Role.LATE)
    if policy == "primary":
        official = with_role(official, Role.PRIMARY) or official
    by_name = sorted(official, key=lambda run: natural_order(submissions[run].run or ""))
    if policy == "best":
        return sorted(by_name, key=lambda run: -scores[run])[:1]
    return by_name[-1:]


def _chosen_of(
    submissions: Sequence[Submission], runs: Sequence[int], choice: ChosenRun
) -> list[int]:
    matching = [run for run in runs if submissions[run].run == choice.run]
    if not matching:
        names = [quoted(submissions[run].run or "a run without a name") for run in runs]
        if names:
            has = f"It has {listed(names, limit=8)}."
        else:
            has = "It has none that could count."
        raise UsageError(
            f"The run {quoted(choice.run)} is chosen for {quoted(choice.team)}, which has no such run. {has}"
        )
    return matching


def _reason(
    submission: Submission, policies: Policies, chosen: Container[str], with_primary: Container[str]
) -> str:
    """Why a run does not count, in a few words."""
    has_other_primary = submission.role != Role.PRIMARY and submission.team in with_primary
    if submission.role == Role.WITHDRAWN:
        return "withdrawn"
    if submission.team in chosen:
        return "another run was chosen"
    if policies.runs == "primary" and has_other_primary:
        return "not primary"
    if policies.runs == "best":
        return "not the best"
    return "not the last by name"
