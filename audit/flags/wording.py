"""Words that the rules share: names of teams, scores and counts inside a sentence."""

from collections.abc import Iterable, Sequence

from audit.domain import Evaluation, ScoreKey
from audit.metrics import phrase
from audit.text import listed, number, plural, visible

NAME_LIMIT = 40


def name(evaluation: Evaluation, team: int) -> str:
    """A team's name, safe inside a sentence."""
    return visible(evaluation.entries[team].name, NAME_LIMIT)


def names(evaluation: Evaluation, teams: Iterable[int], limit: int | None = 5) -> str:
    """Teams' names as a list."""
    return listed([name(evaluation, team) for team in teams], limit=limit)


def of(evaluation: Evaluation, key: ScoreKey) -> str:
    """A score's name inside a sentence."""
    return phrase(key, evaluation.task.label_set)


def winner_clause(evaluation: Evaluation, key: ScoreKey, decimals: int) -> str:
    """Who wins by a metric, with the score: “X (.285)”, or “X and Y together (.285)”."""
    winners = evaluation.winners(key)
    together = " together" if len(winners) > 1 else ""
    return f"{names(evaluation, winners)}{together} ({number(evaluation.scores_of(key)[winners[0]], decimals)})"


def verb(count: int, singular: str, plural_form: str) -> str:
    """The form of a verb or pronoun that goes with a count."""
    return singular if count == 1 else plural_form


def have(count: int, noun: str, plural_form: str | None = None) -> str:
    """A count with its noun and the verb: “1 team has”, “3 teams have”."""
    return f"{plural(count, noun, plural_form)} {verb(count, 'has', 'have')}"


def plain_names(evaluation: Evaluation, teams: Sequence[int]) -> list[str]:
    """Teams' names as evidence: exactly as they stand."""
    return [evaluation.entries[team].name for team in teams]
