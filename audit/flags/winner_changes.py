"""Changes of winner: who is first by another score, and whether the test set shows it, in one clause."""

from audit.domain import Evaluation, ScoreKey, Support, WinnerChange
from audit.flags.wording import names, winners_by
from audit.inference.changes import winner_changes
from audit.sentences import say
from audit.text import agreeing

_SHOWN = 3


def changes_of(evaluation: Evaluation) -> tuple[WinnerChange, ...]:
    """The changes of winner by each other choice; untested where the certainty was left out."""
    if evaluation.certainty is not None:
        return evaluation.certainty.changes
    return winner_changes(evaluation, {})


def support_of(evaluation: Evaluation, one: ScoreKey, other: ScoreKey) -> Support:
    """Whether the test set shows the change of winner between two scores."""
    supports = (change.support for change in changes_of(evaluation) if change.keys == (one, other))
    return next(supports, Support.NOT_TESTED)


def change_clause(evaluation: Evaluation, one: ScoreKey, other: ScoreKey, *, brief: bool = False) -> str:
    """Whether the test set shows the change of winner between two scores, as part of a sentence."""
    support, kind = support_of(evaluation, one, other), "brief" if brief else "change"
    both = [team for team in winners_by(evaluation, one) if team in winners_by(evaluation, other)]
    if support is not Support.HOLDS:
        return say(f"{kind}-{support.value}")
    stay = agreeing(len(both), "stays", "stay")
    return say(f"{kind}-holds", names=names(evaluation, both, limit=_SHOWN), stay=stay)
