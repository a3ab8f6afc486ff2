"""Changes of winner: who is first by another choice, and whether the test set shows it, in one clause."""

from audit.domain import Evaluation, ScoreKey, State, WinnerChange
from audit.inference.relation import MOST_TESTED, winner_changes
from audit.metrics import metric_of
from audit.questions.wording import entrant
from audit.sentences import say


def changes_of(evaluation: Evaluation) -> tuple[WinnerChange, ...]:
    """The changes of winner by each other choice; untested where the certainty was left out."""
    if evaluation.certainty is not None:
        return evaluation.certainty.changes
    return winner_changes(evaluation, lambda _: None)


def state_between(evaluation: Evaluation, one: ScoreKey, other: ScoreKey) -> State:
    """What the choice between two scores makes of the first place."""
    states = (change.state for change in changes_of(evaluation) if set(change.keys) == {one, other})
    return next(states, State.NOT_TESTED)


def change_clause(evaluation: Evaluation, one: ScoreKey, other: ScoreKey) -> str:
    """Whether the test set shows the change of winner between two scores, as part of a sentence."""
    return say(f"change-{state_between(evaluation, one, other)}")


def why_untested(evaluation: Evaluation, *keys: ScoreKey) -> str:
    """Why the choice between scores was not tested, in words."""
    if evaluation.certainty is None:
        return "the certainty was left out"
    if any(metric_of(key.metric, evaluation.task.label_set).of_ranks for key in keys):
        return "a mean of ranks is compared with none"
    if int(evaluation.comparable.sum()) > MOST_TESTED:
        return f"of more than {MOST_TESTED} {entrant(evaluation)}s only the official metric is compared"
    return "one of the first is compared with nobody by this score"
