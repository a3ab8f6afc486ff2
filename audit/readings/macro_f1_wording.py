"""The macro F1 audit in sentences: the same in the terminal, in JSON and in the report."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from audit.domain import LabelSet, MacroF1Audit, Reading, ReadingGroup
from audit.metrics import METRICS, PRESETS, averaged_in_words, difference_in_words, reading_phrase
from audit.metrics.reading_choices import rules_in_words
from audit.readings.macro_f1_audit import groups_by_winners, largest_move, nearest_flip
from audit.text import agreeing, listed, plural, quoted, visible

_NAME_LIMIT = 40


def team_names(audit: MacroF1Audit, teams: Iterable[int], limit: int | None = 5) -> str:
    """Teams' names as a list, safe inside a sentence."""
    return listed([visible(audit.teams[team], _NAME_LIMIT) for team in teams], limit=limit)


def definition(reading: Reading, label_set: LabelSet, n_averaged: int) -> str:
    """The sentence for the paper: what a macro F1 is the mean of, over which classes, by which rules."""
    metric = METRICS[reading.slug]
    if reading.brackets:
        over = ""
    else:
        over = f" over {averaged_in_words(reading, label_set)} (here {n_averaged})"
    plain = Reading(reading.metric, reading.classes, reading.named)
    if reading.brackets:
        named = reading_phrase(plain, label_set)
    else:
        named = metric.phrase
    at = {
        "observed": f"on the test set’s own {label_set.noun} distribution",
        "balanced": "with all classes of gold given the same mass",
    }.get(reading.prevalence, f"at the class distribution {quoted(reading.prevalence)}")
    meanings = {
        "averaged_f1": "the mean of the class F1s",
        "f1_of_averages": "the F1 of macro precision and macro recall",
    }
    meaning = meanings.get(metric.slug, metric.phrase)
    rules = listed(rules_in_words(reading)).replace(" and ", ", and ")
    return f"Macro F1 denotes {named}{over}, {at}: {label_set.worded(f'{meaning}; {rules}')}."


def statements(audit: MacroF1Audit, label_set: LabelSet) -> list[str]:
    """Sentences on how the readings change this campaign's ranking."""
    summary = f"All {audit.n_readings:,} readings of macro F1 that were tried give every team the same score here."
    if (n_groups := len(audit.groups)) > 1:
        tables = f"on this campaign they give {n_groups:,} different tables of scores."
        summary = f"{audit.n_readings:,} readings of macro F1 were tried; {tables}"
    told = summary, _winner(audit, label_set), _farthest(audit, label_set)
    return list(filter(None, told))


def _winner(audit: MacroF1Audit, label_set: LabelSet) -> str:
    base = audit.groups[0]
    flip = nearest_flip(audit)
    by = reading_phrase(audit.base, label_set)
    if not base.winners:
        return f"By {by} no team has a score."
    first = f"{team_names(audit, base.winners)} {is_first(base.winners)}"
    if flip is None:
        return f"{first} by {agreeing(len(audit.groups), 'it', 'every one of them')}."
    n_winners = sum(bool(winners) for winners in groups_by_winners(audit))
    changes = listed(difference_in_words(flip.reading, audit.base, label_set))
    return (
        f"{first} by {by}. The smallest change that has another winner is {plural(len(flip.changed), 'choice')}: "
        f"with {changes}, {team_names(audit, flip.winners)} {is_first(flip.winners)}. "
        f"Over all readings there are {n_winners} different winners."
    )


def is_first(winners: Sequence[int]) -> str:
    """The verb of a sentence on winners."""
    if len(winners) == 1:
        return "ranks first"
    return "tie for first place"


def _farthest(audit: MacroF1Audit, label_set: LabelSet) -> str:
    by_one = largest_move(audit, most_changes=1)
    by_any = largest_move(audit)
    if by_any is None:
        if len(audit.groups) > 1:
            return "No reading changes the rank of any team."
        return ""
    clauses = [
        f"{team_names(audit, [move.team])}, from rank {move.base_rank} to {move.rank}, "
        f"with {listed(difference_in_words(move.group.reading, audit.base, label_set))}"
        for move in dict.fromkeys((by_one, by_any))
        if move
    ]
    return (
        f"The farthest that one changed choice moves a team: {'; and any reading: '.join(clauses)}."
    )


def presets_of(readings: Iterable[Reading], label_set: LabelSet) -> list[str]:
    """Slugs of the presets that compute one of these readings."""
    tried = set(readings)
    return [slug for slug, reading in _of_presets(label_set) if reading in tried]


@lru_cache(maxsize=16)
def _of_presets(label_set: LabelSet) -> list[tuple[str, Reading | None]]:
    """The reading of each preset: asked for once for each group of readings."""
    return [(slug, preset.reading(label_set)) for slug, preset in PRESETS.items()]


# The table of winners

WINNERS_SHOWN = 8
ROWS_SHOWN = 14


def shown_groups(audit: MacroF1Audit, n_rows: int = ROWS_SHOWN) -> list[ReadingGroup]:
    """The rows of the table: the base, the nearest reading of every other winner, the nearest of those with winners."""
    by_winners = groups_by_winners(audit)
    winning = [groups[0] for winners, groups in by_winners.items() if winners]
    most_winners = min(WINNERS_SHOWN, n_rows - 1)  # the base has a row, too
    shown = {id(group) for group in [audit.groups[0], *winning[:most_winners]]}
    near = [group for group in audit.groups if len(group.changed) == 1 and group.winners]
    # these are as many as classes
    for group in sorted(near, key=lambda group: group.changed == ("named classes",)):
        if len(shown) < n_rows:
            shown.add(id(group))
    return [group for group in audit.groups if id(group) in shown]
