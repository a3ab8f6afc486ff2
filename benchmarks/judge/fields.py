"""Fields of competitors: which teams are equally good, which are not, and what they have in common."""

from collections.abc import Callable

import numpy as np

from audit.domain.arrays import Floats
from benchmarks.judge.populations import (
    Dependence,
    Population,
    answering,
    good,
    majority_only,
    middling,
    never_predicts_a_class,
    random_errors,
    uniform,
)

COMPETITORS = Dependence(item=0.5, errors=0.5)
"""Items are hard for all teams and mislead them to the same class: differences are smaller than scores' errors."""
IN_GROUPS = Dependence(item=0.3, group=0.15, team_in_group=0.15, errors=0.5, group_size=10)

TOP, BELOW, LAST = 0.80, 0.74, 0.62
SELDOM = 0.05
"""How often an item of the last class is recognised where this is rare."""


def tied(shares: Floats, n_teams: int, rng: np.random.Generator) -> Population:
    """All teams have one and the same population confusion."""
    return Population(shares, np.repeat([middling(shares, rng)], n_teams, axis=0), COMPETITORS)


def tied_otherwise(shares: Floats, n_teams: int, rng: np.random.Generator) -> Population:
    """Uniform classes; every team errs as the first one does after renaming the classes: all scores are equal."""
    del rng
    n_classes = shares.size
    recalls = np.linspace(0.95, 0.45, n_classes)
    errors = (
        1.0 / (1 + np.arange(n_classes))[None, :]
        + 0.5 * np.eye(n_classes, k=1)
        + 0.5 * np.eye(n_classes, k=-1)
    )
    first = answering(recalls, errors)
    turned = [
        np.concatenate([np.roll(first[:, :-1], (turn, turn), axis=(0, 1)), first[:, -1:]], axis=1)
        for turn in range(n_teams)
    ]
    return Population(uniform(n_classes), np.array(turned), COMPETITORS)


def twins(shares: Floats, n_teams: int, rng: np.random.Generator) -> Population:
    """All tied, and the second half hands in the answers of the first half once more."""
    field = tied(shares, n_teams, rng)
    return Population(
        shares,
        field.conditional,
        COMPETITORS,
        tuple(team % (n_teams // 2) for team in range(n_teams)),
    )


def mixed(shares: Floats, n_teams: int, rng: np.random.Generator) -> Population:
    """A third of the teams tied at the top, a third tied below, a third tied last."""
    errors, slope = random_errors(shares, rng), np.linspace(0, 0.15, shares.size)
    levels = np.repeat([TOP, BELOW, LAST], -(-n_teams // 3))[:n_teams]
    return Population(
        shares, np.array([answering(level - slope, errors) for level in levels]), COMPETITORS
    )


def with_never(shares: Floats, n_teams: int, rng: np.random.Generator) -> Population:
    """All tied but the last two: one never predicts a class, one always answers with the most frequent class."""
    first = middling(shares, rng)
    last = [never_predicts_a_class(shares, rng), majority_only(shares, rng)]
    return Population(shares, np.array([first] * (n_teams - 2) + last), COMPETITORS)


def with_rare_answers(shares: Floats, n_teams: int, rng: np.random.Generator) -> Population:
    """All tied, and all give the last class as an answer now and then, and never wrongly: its precision is luck."""
    team = middling(shares, rng)
    team[:, 0] += team[:, -2]
    team[:, -2] = 0
    team[-1] = 0
    team[-1, 0], team[-1, -2] = 1 - SELDOM, SELDOM
    return Population(shares, np.repeat([team], n_teams, axis=0), COMPETITORS)


def one_shy(shares: Floats, n_teams: int, rng: np.random.Generator) -> Population:
    """All tied but the last team, which gives the last class as an answer hardly ever, and is right then."""
    team, shy = middling(shares, rng), with_rare_answers(shares, 1, rng).conditional[0]
    return Population(shares, np.array([team] * (n_teams - 1) + [shy]), COMPETITORS)


def in_groups(shares: Floats, n_teams: int, rng: np.random.Generator) -> Population:
    """All tied; items of a group share their difficulty, for all teams and for each team, and their classes."""
    return Population(shares, np.repeat([good(shares, rng)], n_teams, axis=0), IN_GROUPS)


FIELDS: dict[str, Callable[[Floats, int, np.random.Generator], Population]] = {
    "tied": tied,
    "tied otherwise": tied_otherwise,
    "twins": twins,
    "mixed": mixed,
    "one never predicts a class": with_never,
    "a class rarely predicted": with_rare_answers,
    "one team rarely predicts a class": one_shy,
    "groups": in_groups,
}


def staircase(shares: Floats, n_teams: int, step: float) -> Population:
    """Each team a step below the one before: the differences that power is measured by."""
    errors = np.tile(shares, (shares.size, 1))
    levels = 0.82 - step * np.arange(n_teams)
    conditional = [answering(np.full(shares.size, level), errors) for level in levels]
    return Population(shares, np.array(conditional), COMPETITORS)
