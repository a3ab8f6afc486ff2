"""Winners under several rules: metrics, judges or test sets are voters, teams are candidates.

Every rule takes scores of shape (voters, candidates), higher better. An undefined score (NaN) is last, beside the other
undefined ones, as in every ranking here. Voters that rank alike, or nearly so, each have a vote.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from audit.domain import (
    NO_NEEDS,
    Evaluation,
    Feature,
    LabelSet,
    Needs,
    Outcome,
    ScoreKey,
    supported,
)
from audit.domain.analyses import analysis
from audit.domain.arrays import Bools, Floats, Ints
from audit.metrics import voters_on
from audit.ranking.families import Summary, summarise
from audit.ranking.ranks import competition_ranks, first_places


def preferences(scores: Floats) -> Ints:
    """How many voters put the row's candidate above the column's, shape (T, T); who is tied counts for neither."""
    ranks = competition_ranks(scores)
    above = np.zeros((scores.shape[1], scores.shape[1]), dtype=np.int64)
    for ballot in ranks:  # a voter at a time, so that memory is bounded by the pairs
        above += ballot[:, None] < ballot
    return above


def pareto_front(scores: Floats) -> Bools:
    """Candidates that no other is at least level with by every voter and above by some, shape (T,)."""
    above = preferences(scores)
    return np.asarray(~((above.T > 0) & (above == 0)).any(axis=1))


def mean_rank(scores: Floats) -> Floats:
    """Mean rank over the voters, who is level sharing the best rank (1, 2, 2, 4); lower is better, shape (T,)."""
    return _summary(scores).mean_rank


def borda(scores: Floats) -> Floats:
    """Borda count: for every voter a point for each candidate below, and half a point for each that is level."""
    return _summary(scores).borda


def _summary(scores: Floats) -> Summary:
    """The voters summed up as the test sets of a campaign are."""
    return summarise(scores.T, np.ones(scores.T.shape, dtype=bool), has_mean=False)


def copeland(scores: Floats) -> Ints:
    """Copeland score: contests of two won by majority, less contests lost, shape (T,)."""
    above = preferences(scores)
    return np.asarray((above > above.T).sum(axis=1) - (above < above.T).sum(axis=1))


def condorcet_winner(scores: Floats) -> int | None:
    """The candidate that beats every other by majority; None in a circle, or where a contest ends level."""
    above = preferences(scores)
    beats = above > above.T
    np.fill_diagonal(beats, val=True)
    unbeaten = np.flatnonzero(beats.all(axis=1))
    if unbeaten.size:
        return int(unbeaten[0])
    return None


@dataclass(frozen=True)
class Rule:
    """A rule that makes one ranking of several."""

    slug: str  # the one public name of the rule
    title: str  # the name in a report
    explanation: str  # who wins by it, in a sentence
    assumes: str  # what it assumes
    unit: str  # what its values are
    values: Callable[[Floats], Floats]
    """Scores, shape (V, T) → a value for each candidate, shape (T,), higher better."""
    source: str  # the publication that the rule comes from
    needs: Needs = NO_NEEDS  # what a task must have for it to mean something

    def stated(self, values: Floats) -> Floats:
        """The values of the rule in its own unit: mean ranks are positive, and the lowest is best."""
        if self.slug == "mean-rank":
            return -values
        return values


_RULES = (
    Rule(
        "pareto",
        "Pareto front",
        "Every team that no other team is at least level with by all chosen metrics and above by some.",
        "Only that each metric says which score is better. It leaves open which of the teams on the front is best.",
        "on the front",
        lambda scores: np.where(pareto_front(scores), 1.0, np.nan),
        "Pareto 1906",
    ),
    Rule(
        "condorcet",
        "Condorcet winner",
        "The team that beats every other in a contest of two: more of the chosen metrics put it above than below.",
        "Each metric has one vote, however alike two metrics are, and by how much a team leads does not count. There "
        "may be no such team.",
        "beats every other",
        lambda scores: np.where(
            np.arange(scores.shape[1]) == condorcet_winner(scores), 1.0, np.nan
        ),
        "Condorcet 1785",
    ),
    Rule(
        "copeland",
        "Copeland",
        "The team with the most contests of two won, less contests lost, by the majority of the chosen metrics.",
        "As for a Condorcet winner, whom it puts first where there is one; and that every contest weighs the same.",
        "contests won less lost",
        lambda scores: copeland(scores).astype(np.float64),
        "Copeland 1951",
    ),
    Rule(
        "borda",
        "Borda",
        "The team with the most points: by each chosen metric one for every team below it, and half for every team "
        "level with it.",
        "A step in rank weighs the same anywhere in the ranking and by each metric. Which other teams take part can "
        "change the winner.",
        "points",
        borda,
        "Borda 1781",
    ),
    Rule(
        "mean-rank",
        "Mean rank",
        "The team with the lowest mean rank over the chosen metrics; teams that are level share the best rank.",
        "As for Borda, whose order it is where no teams are level.",
        "mean rank",
        lambda scores: -mean_rank(scores),
        "as used by many shared tasks",
    ),
    Rule(
        "meta-balance",
        "Meta balance",
        "The team with the best mean score over the chosen metrics; an error counts as what it leaves of its range.",
        "The scores are on one scale: .01 means the same by each metric. A metric that spreads the teams widely weighs "
        "more.",
        "mean score",
        lambda scores: np.asarray(scores.mean(axis=0)),  # undefined where one of them is
        "Opitz 2024, section 6.2",
        needs=frozenset({Feature.CLASSES}),
    ),
)

RULES: Mapping[str, Rule] = {rule.slug: rule for rule in _RULES}  # the registry of rules, by slug


def default_voters(label_set: LabelSet) -> tuple[ScoreKey, ...]:
    """The metrics that vote where nobody chooses, at observed prevalence."""
    return tuple(ScoreKey(metric.slug) for metric in voters_on(label_set))


def outcomes_of(evaluation: Evaluation, voters: Sequence[ScoreKey]) -> tuple[Outcome, ...]:
    """The winners under each rule over the chosen metrics, of the submissions that can be first."""
    scores = np.stack([evaluation.goodness_of(key) for key in voters])
    kind = evaluation.task.label_set.kind
    tried = {rule.slug for rule in supported(RULES.values(), kind)}
    return tuple(each for each in elect(scores, evaluation.contending) if each.rule in tried)


@analysis("elections")
def elections(evaluation: Evaluation) -> tuple[Outcome, ...]:
    """The winners under each rule over the metrics that vote by default."""
    return outcomes_of(evaluation, default_voters(evaluation.task.label_set))


def elect(scores: Floats, taking_part: Bools | None = None) -> tuple[Outcome, ...]:
    """The winners under each rule."""
    if taking_part is None:
        candidates = np.ones(scores.shape[1], dtype=bool)
    else:
        candidates = taking_part
    values = np.full((len(RULES), candidates.size), np.nan)
    if candidates.any():
        values[:, candidates] = [rule.values(scores[:, candidates]) for rule in RULES.values()]
    first = (tuple(np.flatnonzero(places).tolist()) for places in first_places(values))
    return tuple(map(Outcome, RULES, first, values))
