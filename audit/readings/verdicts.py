"""What an identification amounts to, in sentences: what the numbers are, and whether the heading says so."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from audit.domain import IdentifiedColumn, LabelSet, Match, Miss, Reading
from audit.metrics import BOTH_MACRO_F1, METRICS, reading_phrase
from audit.readings.headings import SHARED, Heading, read_heading
from audit.readings.printed import by_chance_clause
from audit.text import agreeing, listed, number, plural, quoted, visible

_NAME_LIMIT = 40
_MISSES_SAID = 5


def heading_says(heading: Heading, matches: Sequence[Match], label_set: LabelSet) -> str:
    """Whether a heading names the numbers below it: see :class:`audit.domain.IdentifiedColumn`.

    The matches are those that are told from chance.
    """
    if not heading.slugs:
        return "names no metric"
    if not matches:
        return "cannot tell"
    as_good = [match for match in matches if match.n_matched == matches[0].n_matched]
    allowed = [
        reading
        for match in as_good
        for reading in match.readings
        if heading.allows(reading, label_set)
    ]
    if not allowed:
        if heading.is_understood:
            return "no"
        return "cannot tell"
    if any(metrics <= heading.slugs for metrics in SHARED):
        return "leaves open"
    return "yes"


def open_choices(matches: Sequence[Match], n_teams: int) -> Mapping[str, tuple[str, ...]]:
    """Choices with several values that all give every score, in the order of a reading's choices."""
    full = [
        reading for match in matches if match.n_matched == n_teams for reading in match.readings
    ]
    values: dict[str, dict[str, None]] = {}
    for reading in full:
        for choice, value in reading.choices.items():
            values.setdefault(choice, {})[value] = None
    return MappingProxyType(
        {choice: tuple(options) for choice, options in values.items() if len(options) > 1}
    )


def sentences(column: IdentifiedColumn, heading: Heading, label_set: LabelSet) -> Iterator[str]:
    """Sentences on a column: its reading, who is off, what the heading says, and what cannot be told."""
    best = column.matches[0]
    yield _reading_sentence(column, best, label_set)
    if best.misses and column.beats_chance:
        shown = [_miss_words(miss, column) for miss in best.misses[:_MISSES_SAID]]
        n_more = len(best.misses) - len(shown)
        if n_more:
            shown += [f"and {plural(n_more, 'more team')}"]
        else:
            shown += []
        yield f"Not given by it: {'; '.join(shown)}."
    if column.is_undecided:
        yield _too_few_digits(column)
    elif best.n_matched and not (column.is_exact and column.beats_chance):
        chance = by_chance_clause(
            column.by_chance, plural(column.n_teams, "invented score"), "reading"
        )
        if best.n_matched <= column.by_chance:
            matches = "these matches"
        else:
            matches = "so few matches"
        yield f"{chance}{'' if column.beats_chance else f': {matches} say nothing of what the column holds'}."
    if sentence := _heading(column, heading, label_set):
        yield sentence
    if column.is_exact and len(column.matches) + len(best.readings) > 2:  # noqa: PLR2004 - one reading in one group
        yield _open(column)


def _too_few_digits(column: IdentifiedColumn) -> str:
    """A sentence on how many readings give a column of few digits, and how many would by chance."""
    n_fitting = len(column.matches)
    decimals = column.matches[0].decimals
    if decimals.isdigit():
        digits = f" of {plural(int(decimals), 'decimal')}"
    else:
        digits = ""
    scores = f"{plural(column.n_teams, 'score')}{digits}"
    give = agreeing(n_fitting, "gives", "give")
    if column.n_teams == 1:
        every = "it"
    else:
        every = "all of them"
    by_chance = number(column.n_others, 1 if column.n_others >= 1 else 2)
    return (
        f"{scores} {agreeing(column.n_teams, 'has', 'have')} too few digits to tell: {plural(n_fitting, 'reading')} "
        f"{give} {every}. By chance, {by_chance} readings give the numbers of a metric that was not tried, on average."
    )


def _reading_sentence(column: IdentifiedColumn, best: Match, label_set: LabelSet) -> str:
    named = reading_phrase(best.reading, label_set)
    if column.percent:
        scale = "as percentages"
    else:
        scale = "as fractions"
    if best.decimals.isdigit():
        how = f"{scale}, {best.rounding} to {plural(int(best.decimals), 'decimal')}"
    else:
        how = scale
    if column.is_exact:
        if column.beats_chance:
            are = "are"
        else:
            are = "could be"
        return f"All {plural(column.n_teams, 'score')} in {quoted(column.heading)} {are} {named} ({how})."
    if best.n_matched == 0:
        return f"No reading fits {quoted(column.heading)}: none gives any of its scores; the nearest is {named}."
    share = f"{best.n_matched:,} of {plural(column.n_teams, 'score')}"
    if column.beats_chance:
        return f"No reading gives every score in {quoted(column.heading)}: the best, {named} ({how}), gives {share}."
    return f"No reading fits {quoted(column.heading)}: the best, {named} ({how}), gives {share}."


def _miss_words(miss: Miss, column: IdentifiedColumn) -> str:
    if column.percent:
        digits = 3
    else:
        digits = 5
    if miss.difference == miss.difference:
        differs = f", {number(miss.difference, digits)}"
    else:
        differs = ""
    if miss.other:
        other = f" (it would be {miss.other})"
    else:
        other = ""
    name = visible(miss.team, _NAME_LIMIT)
    return f"{name}, printed {visible(miss.printed, 20)}, computed {number(miss.computed, digits)}{differs}{other}"


def _heading(column: IdentifiedColumn, heading: Heading, label_set: LabelSet) -> str:
    if column.heading_says == "no":
        reading_words = reading_phrase(column.matches[0].reading, label_set)
        listing = [
            *METRICS,
            *sorted(slug for slug in heading.slugs - set(METRICS) if slug in METRICS),
        ]
        phrases = [METRICS[slug].phrase for slug in listing if slug in heading.slugs]
        if heading.cut:
            of_cut = f" of the scale cut {quoted(heading.cut)}"
        else:
            of_cut = ""
        meant = f"{listed(phrases, 'or')}{of_cut}" or quoted(heading.exact)
        return f"The heading {quoted(column.heading)} says {meant}, and {_numbers(column)} are {reading_words}."
    if column.heading_says == "leaves open":
        return _meaning_sentence(column, heading, label_set)
    return ""


def _meaning_sentence(column: IdentifiedColumn, heading: Heading, label_set: LabelSet) -> str:
    """A sentence with the meaning of a heading that the numbers have, where they tell."""
    best = column.matches[0].n_matched
    readings = [
        reading
        for match in column.matches
        if match.n_matched == best
        for reading in match.readings
        if heading.allows(reading, label_set)
    ]
    slugs = list(dict.fromkeys(reading.slug for reading in readings))
    if heading.slugs == set(BOTH_MACRO_F1):
        name = "the name of two metrics"
    else:
        name = "said of several metrics"
    if len(slugs) > 1:
        candidates = listed([METRICS[slug].phrase for slug in slugs], "or")
        return f"{quoted(column.heading)} is {name}, and {_numbers(column)} could be {candidates}: write which."
    of_one_class = (
        METRICS[slugs[0]].takes == "class" and len({reading.metric for reading in readings}) == 1
    )
    if of_one_class:
        metric_words = reading_phrase(Reading(readings[0].metric), label_set)
    else:
        metric_words = METRICS[slugs[0]].phrase
    if column.is_exact:
        then = "write that"
    else:
        then = "check the others, then write that"
    return f"{quoted(column.heading)} is {name}; {_numbers(column)} are {metric_words}: {then}."


def _numbers(column: IdentifiedColumn) -> str:
    """The numbers that the best reading gives, as the subject of a sentence."""
    if column.is_exact:
        return "these numbers"
    return f"{column.matches[0].n_matched:,} of these {column.n_teams:,} numbers"


def _open(column: IdentifiedColumn) -> str:
    n_readings = sum(len(match.readings) for match in column.matches)
    choices = [
        f"{choice} ({', '.join(filter(None, values))})"
        for choice, values in column.open_choices.items()
    ]
    return f"{n_readings:,} readings give every score: the numbers cannot tell {listed(choices)}."


def findings(columns: Sequence[IdentifiedColumn], label_set: LabelSet) -> Iterator[str]:
    """Headings that do not name their numbers, and columns that changed places."""
    circles = list(_permuted(columns, label_set))
    for circle in circles:
        names = listed([quoted(columns[place].heading) for place in circle])
        each = (
            "each holds what the other says" if len(circle) == 2 else "each holds what another says"  # noqa: PLR2004
        )
        yield f"{names} have changed places: {each}."
    swapped_places = {place for circle in circles for place in circle}
    for place, column in enumerate(columns):
        if column.heading_says in ("no", "leaves open") and place not in swapped_places:
            yield _heading(column, read_heading(column.heading, label_set), label_set)


def _permuted(columns: Sequence[IdentifiedColumn], label_set: LabelSet) -> Iterator[list[int]]:
    """The circles of columns whose headings say what the numbers of the next one are."""
    headings = [read_heading(column.heading, label_set) for column in columns]
    wrong = [place for place, column in enumerate(columns) if column.heading_says == "no"]
    meant = {
        place: next(
            (
                other
                for other in wrong
                if headings[other].allows(columns[place].matches[0].reading, label_set)
            ),
            None,
        )
        for place in wrong
    }
    seen: set[int] = set()
    for first in wrong:
        circle: list[int] = []
        place: int | None = first
        while place is not None and place not in circle and place not in seen:
            circle.append(place)
            place = meant[place]
        seen.update(circle)
        if circle and place == first:
            yield sorted(circle)
