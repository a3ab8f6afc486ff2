"""Words that the rules share: names of teams, scores and counts inside a sentence."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from audit.domain import Evaluation, Feature, Gold, LabelSet, ScoreKey
from audit.metrics import BOTH_MACRO_F1, phrase, scale_of
from audit.ranking.ranks import TIE_TOLERANCE
from audit.text import agreeing, distinct, listed, number, plural, quoted, with_article

AVERAGED, OF_AVERAGES = (ScoreKey(slug) for slug in BOTH_MACRO_F1)
NAME_LIMIT = 40
VALUE_LIMIT = 40  # of a slice
# groups that have a name in English; any other unit is that of a column
_UNITS = frozenset({"sequence", "document"})


def shown_name(evaluation: Evaluation, team: int, limit: int = NAME_LIMIT) -> str:
    """A team's name, safe inside a sentence, and shortened unlike any other's."""
    return distinct(evaluation.names, limit)[team]


name = shown_name


def names(evaluation: Evaluation, teams: Iterable[int], limit: int | None = 5) -> str:
    """Teams' names as a list."""
    return listed([name(evaluation, team) for team in teams], limit=limit)


def of(evaluation: Evaluation, key: ScoreKey) -> str:
    """A score's name inside a sentence."""
    return phrase(key, evaluation.task.label_set)


def score_of(evaluation: Evaluation, key: ScoreKey, score: str) -> str:
    """A printed score with its name, as a noun: “an accuracy of .850”; a name with a clause stands behind it."""
    metric = of(evaluation, key)
    if "," in metric:
        return f"a score of {score} ({metric})"
    return f"{with_article(metric)} of {score}"


def score_beside(evaluation: Evaluation, key: ScoreKey) -> ScoreKey | None:
    """The score whose ranks stand beside a ranking; None where there is no other.

    F1 of averages beside macro-averaged F1, that one beside others; where neither is scored, the first other score.
    """
    if key.metric == AVERAGED.metric:
        other = OF_AVERAGES
    else:
        other = AVERAGED
    candidates = (ScoreKey(other.metric, key.prevalence), *evaluation.keys)
    return next((each for each in candidates if each != key and each in evaluation.keys), None)


def classes_averaged(evaluation: Evaluation, classes: str) -> str:
    """The classes over which averages run, as a noun: “classes in gold”, and what is left out of them."""
    labels = evaluation.task.label_set
    if labels.rest_class is None:
        return labels.worded(classes)
    rest = labels.named[labels.code_of[labels.rest_class]]
    return f"{classes} but {quoted(rest, NAME_LIMIT)}"


def entrants(evaluation: Evaluation, count: int) -> str:
    """A count of what is ranked: teams, or runs where a team has several in the ranking."""
    return plural(count, entrant(evaluation))


def entrant(evaluation: Evaluation) -> str:
    """The word for what is ranked: team, or run where a team has several in the ranking."""
    n_runs = Counter(entry.team for entry in evaluation.entries if entry.contends)
    if max(n_runs.values(), default=0) > 1:
        return "run"
    return "team"


def ranked_teams(evaluation: Evaluation) -> tuple[int, int]:
    """The number of teams that take a rank, and of the baselines that are ranked with them."""
    teams = {entry.team for entry in evaluation.entries if entry.contends}
    return len(teams), len({entry.team for entry in evaluation.entries if entry.competes} - teams)


def runs_counted(evaluation: Evaluation) -> str:
    """The number of runs that take a rank, and how many different answers they give; empty where each team has one."""
    runs = [run for run in evaluation.runs if run.contends]
    n_rows = int(evaluation.contending.sum())
    if len(runs) == len({run.team for run in runs}):
        return ""
    if n_rows == len(runs):
        different = ""
    else:
        different = f" ({plural(n_rows, 'different answer')})"
    return f"{plural(len(runs), 'run')}{different}"


def groups_of(evaluation: Evaluation, count: int) -> str:
    """A count of the groups that were drawn, by what they are called: sequences, documents, or groups by a column."""
    word = drawn(evaluation)
    unit = evaluation.gold.unit
    if word == "group" and unit:
        return f"{plural(count, word)} by {quoted(unit, NAME_LIMIT)}"
    return plural(count, word)


def drawn(evaluation: Evaluation) -> str:
    """The word for what was drawn: item, the unit whose sets are scored, or group."""
    gold = evaluation.gold
    if gold.groups is None:
        return "item"
    if gold.unit and (draws_units(gold) or gold.unit in _UNITS):
        return gold.unit
    return "group"


def draws_units(gold: Gold) -> bool:
    """Whether what is drawn are the units whose sets are scored, each by itself."""
    if gold.groups is None or not gold.label_set.supports(Feature.UNITS):
        return False
    return np.unique(gold.groups).size == gold.n_units


def winners_by(evaluation: Evaluation, key: ScoreKey) -> tuple[int, ...]:
    """Indices of the entries that a score puts first; none where it puts nobody ahead.

    That is where the best score is not above 0, as by a class that nobody gets right, or is the worst that there is
    where lower is better, and where all that compete have the same. Of numbers 0 is a score like any other.
    """
    winners = evaluation.winners(key)
    goodness = evaluation.goodness_of(key)
    n_scored = int((evaluation.contending & ~np.isnan(goodness)).sum())
    has_zero = evaluation.task.label_set.supports(Feature.CLASSES)
    if (
        not winners
        or (has_zero and goodness[winners[0]] <= TIE_TOLERANCE)
        or 1 < n_scored == len(winners)
    ):
        return ()
    return winners


def winner_clause(evaluation: Evaluation, key: ScoreKey, decimals: int) -> str:
    """The winner by a metric, with the score: “X (.285)”, or “X and Y together (.285)”."""
    winners = evaluation.winners(key)
    if len(winners) > 1:
        together = " together"
    else:
        together = ""
    return f"{names(evaluation, winners)}{together} ({number(evaluation.scores_of(key)[winners[0]], decimals)})"


def beyond(evaluation: Evaluation, key: ScoreKey) -> str:
    """The side on which better scores lie: “above” others, or “below” where lower is better."""
    if scale_of(key.metric, evaluation.task.label_set).greater_is_better:
        return "above"
    return "below"


def have(count: int, noun: str, plural_form: str | None = None) -> str:
    """A count with its noun and the verb: “1 team has”, “3 teams have”."""
    return f"{plural(count, noun, plural_form)} {agreeing(count, 'has', 'have')}"


def as_shown(evaluation: Evaluation) -> str:
    """The number of decimals of printed scores, and who chose it: “3 decimals, as published”."""
    official = evaluation.task.official_decimals
    shown = plural(evaluation.task.printed_decimals, "decimal")
    if official is None:
        return f"{shown}, as shown here"
    return f"{shown}, as published"


def gold_counted(evaluation: Evaluation) -> tuple[str, ...]:
    """How much gold holds: items, or units and what is in their sets."""
    gold = evaluation.gold
    traits = evaluation.task.label_set.kind.traits
    if not traits.in_gold:
        return (plural(gold.n_items, traits.item),)
    return plural(gold.n_units, gold.unit or "item"), plural(evaluation.n_gold, traits.in_gold)


def gold_things(evaluation: Evaluation) -> str:
    """What gold has of each class: items, or spans of a type."""
    return evaluation.task.label_set.kind.traits.of_each_label


def gold_in_words(evaluation: Evaluation) -> str:
    """What an error in gold is an error of."""
    if evaluation.task.label_set.supports(Feature.CLASSES):
        return "the gold labels"
    return "gold"


def scored_things(label_set: LabelSet) -> str:
    """What is right or wrong: items, or what is in gold’s sets."""
    return label_set.kind.traits.scored


def labels_counted(evaluation: Evaluation) -> str:
    """How many classes, labels or types gold has; of labels in sets, which items share, how many different ones.

    Empty where items have numbers.
    """
    label_set = evaluation.task.label_set
    if not label_set.supports(Feature.CLASSES):
        return ""
    different = label_set.kind.traits.distinct
    return plural(
        int(evaluation.present.sum()), different + label_set.noun, different + label_set.nouns
    )


def share_of_items(share: float) -> str:
    """A share of the items, in percent.

    >>> share_of_items(19315 / 50000), share_of_items(0.001)
    ('39%', 'under 1%')
    """
    return f"{share:.0%}" if share >= 0.01 else "under 1%"  # noqa: PLR2004 - one percent


def plain_names(evaluation: Evaluation, teams: Sequence[int]) -> list[str]:
    """Teams' names as evidence: exactly as they stand."""
    return [evaluation.entries[team].name for team in teams]
