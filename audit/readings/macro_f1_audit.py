"""The macro F1 audit: every team under every reading, who wins by which, and how far a ranking moves."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from audit.domain import Evaluation, Feature, MacroF1Audit, ReadingGroup
from audit.domain.analyses import analysis
from audit.metrics import score_readings
from audit.ranking.ranks import competition_ranks
from audit.readings.space import base_reading, groups_of_equal_scores, macro_f1_readings


@analysis("macro_f1", needs=frozenset({Feature.MACRO_F1}))
def audit_macro_f1(evaluation: Evaluation) -> MacroF1Audit | None:
    """Score every team that takes a rank under every reading of macro F1."""
    teams = np.flatnonzero(evaluation.contending).tolist()
    if evaluation.answers is None or not teams:
        return None
    labels = evaluation.task.label_set
    prevalences = evaluation.prevalences
    base = base_reading(evaluation.task)
    readings = macro_f1_readings(evaluation.task, [each.name for each in prevalences])
    answers = evaluation.answers.of_teams(teams)
    scores = score_readings(answers, readings, prevalences, labels)
    groups = []
    for rows in groups_of_equal_scores(readings, scores, base):
        alike = tuple(readings[row] for row in rows)
        own_scores = scores[rows[0]]
        ranks = competition_ranks(own_scores)
        groups.append(ReadingGroup(alike, own_scores, ranks, alike[0].differs_in(base)))
    names = tuple(evaluation.names[team] for team in teams)
    return MacroF1Audit(base=base, teams=names, groups=tuple(groups))


def groups_by_winners(audit: MacroF1Audit) -> Mapping[tuple[int, ...], tuple[ReadingGroup, ...]]:
    """The readings by their winners: winners → groups, those of the base first; no winner where no team has a score."""
    by_winners: dict[tuple[int, ...], list[ReadingGroup]] = {}
    for group in audit.groups:
        by_winners.setdefault(group.winners, []).append(group)
    return MappingProxyType({winners: tuple(groups) for winners, groups in by_winners.items()})


def nearest_flip(audit: MacroF1Audit) -> ReadingGroup | None:
    """The reading with other winners that has the fewest changes from the base; None where there is none."""
    base = audit.groups[0]
    return next(
        (group for group in audit.groups if group.winners and group.winners != base.winners), None
    )


@dataclass(frozen=True)
class Move:
    """The farthest that any reading moves a team."""

    team: int
    group: ReadingGroup
    rank: int
    base_rank: int


def largest_move(audit: MacroF1Audit, most_changes: int | None = None) -> Move | None:
    """The largest change of rank from the base, of a team with a score by both; None where no rank changes.

    Among all readings, or among those with at most so many changes from the base.
    """
    base = audit.groups[0]
    largest = None
    n_places = 0
    for group in audit.groups:
        if most_changes is not None and len(group.changed) > most_changes:
            continue
        has_both = ~(np.isnan(group.scores) | np.isnan(base.scores))
        moves = np.where(has_both, np.abs(group.ranks - base.ranks), 0)
        team = int(moves.argmax())
        if moves[team] > n_places:
            n_places = moves[team]
            largest = Move(team, group, int(group.ranks[team]), int(base.ranks[team]))
    return largest
