"""Which reading published numbers are of: every metric and reading tried against every printed score."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from audit.domain import (
    OBSERVED,
    Answers,
    Entry,
    Evaluation,
    Identification,
    IdentifiedColumn,
    IdentifiedRanks,
    LabelSet,
    Match,
    Miss,
    PrintedScore,
    Published,
    PublishedColumn,
    Reading,
    ScoreKey,
)
from audit.domain.arrays import Floats
from audit.errors import InputError, Issue, UsageError
from audit.metrics import (
    BOTH_MACRO_F1,
    METRICS,
    aggregate_keys,
    metric_of,
    parse_reading,
    phrase,
    reading_phrase,
    scale_of,
    score_readings,
)
from audit.readings import verdicts
from audit.readings.chance import chance_of
from audit.readings.headings import Heading, read_heading
from audit.readings.printed import PrintedAgreement, agreement_with, is_percent
from audit.readings.printed_ranks import ScoredColumn, identify_ranks
from audit.readings.space import base_reading, every_reading, means_of_columns, told_apart
from audit.text import did_you_mean, listed, quoted, slugify

MATCHES_SHOWN = 5
"""Where no reading gives every score, so many of those that give the most are shown."""


def identify(evaluation: Evaluation, published: Published) -> Identification:
    """Find the readings that a published table is of.

    Parameters
    ----------
    evaluation : Evaluation
        With the answers of every entry, those that take no rank included.
    published : Published
        Teams, and one or more columns of scores.

    Returns
    -------
    Identification
        For each column the readings that give every printed score, or else the most of them; who is off and by how
        much; whether the heading names the numbers; and what the numbers cannot tell. For each column of ranks the
        score that they are by.

    Raises
    ------
    InputError
        no-team-in-common, when the table and the campaign have no team in common.
    UsageError
        When the evaluation does not hold the answers.
    """
    if evaluation.answers is None:
        raise UsageError("This evaluation does not hold the answers that readings are scored from.")
    names = match_names(published.teams, evaluation)
    if not names.entry_of:
        raise InputError([_no_team_in_common(published, evaluation)])
    label_set = evaluation.task.label_set
    scores = [column for column in published.columns if not column.is_of_ranks]
    tried = _Tried.of(evaluation, evaluation.answers, [read_heading(column.heading, label_set) for column in scores])
    columns = tuple(_identify(column, names.entry_of, tried) for column in scores)
    matched = set(names.entry_of.values())
    return Identification(
        path=published.path,
        columns=columns,
        renamed=names.renamed,
        unmatched=tuple(team for row, team in enumerate(published.teams) if row not in names.entry_of),
        absent=tuple(name for entry, name in enumerate(evaluation.names) if entry not in matched),
        set_aside=published.set_aside,
        n_readings=len(tried.readings),
        findings=tuple(verdicts.findings(columns, tried.label_set)),
        ranks=_ranks(published, columns, names.entry_of, tried, evaluation),
    )


def _ranks(
    published: Published,
    identified: Sequence[IdentifiedColumn],
    entry_of: Mapping[int, int],
    tried: "_Tried",
    evaluation: Evaluation,
) -> tuple[IdentifiedRanks, ...]:
    """What each column of ranks is by: a column beside it, or a reading; where none is beside it, a score of ours."""
    scores = [column for column in published.columns if not column.is_of_ranks]
    printed = [_as_printed(column, found, tried) for column, found in zip(scores, identified, strict=True)]
    printed = printed or _own_scores(evaluation, entry_of, len(published.teams))

    def computed() -> list[ScoredColumn]:
        return tried.computed(entry_of, len(published.teams))

    ranks = (column for column in published.columns if column.is_of_ranks)
    return tuple(identify_ranks(column, published.teams, printed, computed) for column in ranks)


def _own_scores(evaluation: Evaluation, entry_of: Mapping[int, int], n_rows: int) -> list[ScoredColumn]:
    """What the rows score by the metrics of every table, the ranking metric and both macro F1s first."""
    label_set, first = evaluation.task.label_set, [*map(ScoreKey, BOTH_MACRO_F1), ScoreKey("accuracy")]
    keys = dict.fromkeys((evaluation.task.ranking_metric, *first, *aggregate_keys(evaluation, OBSERVED.name)))
    columns = []
    for key in keys:
        scores = np.full(n_rows, np.nan)
        scores[list(entry_of)] = evaluation.scores_of(key)[list(entry_of.values())]
        better = scale_of(key.metric, label_set).greater_is_better
        columns.append(ScoredColumn(f"{phrase(key, label_set)} (computed here)", scores, greater_is_better=better))
    return columns


def _as_printed(column: PublishedColumn, identified_column: IdentifiedColumn, tried: "_Tried") -> ScoredColumn:
    """A column's printed scores as fractions; lower is better where they are told to be of such a metric."""
    falls = (
        identified_column.beats_chance
        and bool(identified_column.matches)
        and not tried.rises(identified_column.matches[0].reading)
    )
    unit = 100.0 if identified_column.percent else 1.0
    scores = np.array([np.nan if score is None else score.value / unit for score in column.scores])
    return ScoredColumn(quoted(column.heading), scores, greater_is_better=not falls)


# Names


@dataclass(frozen=True)
class Names:
    """Rows of a table → entries of the campaign, and the names that were taken for the same though they differ."""

    entry_of: Mapping[int, int]
    renamed: tuple[tuple[str, str], ...]


def match_names(teams: Sequence[str], evaluation: Evaluation) -> Names:
    """Find the entries that a table's names mean: as they stand, then with less and less of their spelling.

    Case, blanks, punctuation and invisible characters are folded only where exactly one name on each side remains.
    A team with a single run is also found under its own name, and a run under TEAM/RUN.
    """
    entries = evaluation.entries
    runs = Counter(entry.team for entry in entries)
    spellings = [_spellings(entry, alone=runs[entry.team] == 1) for entry in entries]
    entry_of: dict[int, int] = {}
    for fold in (str, slugify, _letters):
        _match_by(fold, teams, spellings, entry_of)
    renamed = [(teams[row], entry) for row, entry in sorted(entry_of.items()) if teams[row] not in spellings[entry]]
    return Names(entry_of, tuple((team, entries[entry].name) for team, entry in renamed))


def _spellings(entry: Entry, *, alone: bool) -> frozenset[str]:
    """What an entry may be called in a table."""
    names = (entry.name, entry.team if alone else None, entry.run and f"{entry.team}/{entry.run}")
    return frozenset(filter(None, names))


def _match_by(
    fold: Callable[[str], str], teams: Sequence[str], spellings: Sequence[frozenset[str]], entry_of: dict[int, int]
) -> None:
    """Add what matches by one way of folding, where it is the only one on both sides."""
    rows: dict[str, set[int]] = {}
    for row, team in enumerate(teams):
        if row not in entry_of:
            rows.setdefault(fold(team), set()).add(row)
    known: dict[str, set[int]] = {}
    taken = set(entry_of.values())
    for entry, names in enumerate(spellings):
        if entry not in taken:
            for name in names:
                known.setdefault(fold(name), set()).add(entry)
    for name, found in rows.items():
        if len(found) == len(known.get(name, ())) == 1:
            entry_of[min(found)] = min(known[name])


def _letters(name: str) -> str:
    """Letters and digits alone, in lower case; the name itself where it has none."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(filter(str.isalnum, folded)) or name


def _no_team_in_common(published: Published, evaluation: Evaluation) -> Issue:
    near = did_you_mean(published.teams[0], evaluation.names)
    shown = listed([quoted(name) for name in published.teams], limit=5)
    known = listed([quoted(name) for name in evaluation.names], limit=5)
    found = f"none of its names is a team of this campaign: {shown}.{near}"
    return Issue.of("no-team-in-common", published.path, found, expected=f"names like {known}")


# Columns


@dataclass(frozen=True, eq=False)
class _Tried:
    """Every reading with its scores, and which of them this campaign tells apart."""

    readings: tuple[Reading, ...]
    scores: Floats
    groups: Sequence[Sequence[int]]
    plainness: Sequence[tuple[int, int]]
    names: tuple[str, ...]
    label_set: LabelSet

    @classmethod
    def of(cls, evaluation: Evaluation, answers: Answers, headings: Sequence[Heading]) -> "_Tried":
        task, prevalences = evaluation.task, evaluation.prevalences
        asked = {slug for heading in headings for slug in heading.slugs if slug in METRICS}
        readings = every_reading(
            task, [prevalence.name for prevalence in prevalences], asked, _means(headings, task.label_set)
        )
        scores = score_readings(answers, readings, prevalences, task.label_set)
        groups = told_apart(readings, scores, base_reading(task))
        return cls(readings, scores, groups, list(map(_plainness, readings)), evaluation.names, task.label_set)

    def computed(self, entry_of: Mapping[int, int], n_rows: int) -> list[ScoredColumn]:
        """What the readings score the rows of a table, the plainest first."""
        rows, entries = list(entry_of), list(entry_of.values())
        columns = []
        plainest = [min(group, key=self.plainness.__getitem__) for group in self.groups]
        for row in sorted(plainest, key=self.plainness.__getitem__):
            scores = np.full(n_rows, np.nan)
            scores[rows] = self.scores[row, entries]
            reading = self.readings[row]
            said = f"{reading_phrase(reading, self.label_set)}, as computed here"
            columns.append(ScoredColumn(said, scores, greater_is_better=self.rises(reading)))
        return columns

    def rises(self, reading: Reading) -> bool:
        """Whether higher is better by a reading."""
        return metric_of(reading.metric, self.label_set).greater_is_better


def _means(headings: Sequence[Heading], label_set: LabelSet) -> list[Reading]:
    """The composites that headings name, and for one like Overall the means of what the others name."""
    exact = [parse_reading(heading.exact, label_set) for heading in headings if heading.exact]
    named = [reading for reading in exact if reading.slug not in METRICS]
    if any(heading.is_overall for heading in headings):
        named.extend(means_of_columns([heading.slugs for heading in headings]))
    return named


def _plainness(reading: Reading) -> tuple[int, int]:
    """How many choices a reading makes, and the place of its metric: the lower, the likelier it is meant."""
    chosen, listing = len(reading.differs_in(Reading(reading.metric))), [*METRICS, reading.slug]
    place = listing.index(reading.slug)
    over_named = reading.slug in METRICS and METRICS[reading.slug].takes == "classes" and "[" in reading.metric
    return chosen + over_named, place


def _identify(column: PublishedColumn, entry_of: Mapping[int, int], tried: _Tried) -> IdentifiedColumn:
    rows = [row for row, score in enumerate(column.scores) if score is not None and row in entry_of]
    printed = [score for row in rows if (score := column.scores[row]) is not None]
    if not printed:
        empty = IdentifiedColumn(column.heading, 0, percent=False, matches=(), heading_says="cannot tell")
        return replace(empty, sentences=(f"No team of this campaign has a score in {quoted(column.heading)}.",))
    heading = read_heading(column.heading, tried.label_set)
    entries = [entry_of[row] for row in rows]
    scores = tried.scores[:, entries][[group[0] for group in tried.groups]]
    comparison = _Comparison(tried, heading, entries, printed, scores, agreement_with(printed, scores))
    best = comparison.best()
    matches = tuple(map(comparison.match, best))
    chance = chance_of(printed, scores)
    beats_chance = not chance.explains(matches[0].n_matched, len(printed))
    identified = IdentifiedColumn(
        heading=column.heading,
        n_teams=len(printed),
        percent=is_percent(printed),
        matches=matches,
        heading_says=verdicts.heading_says(heading, matches if beats_chance else (), tried.label_set),
        by_chance=chance.of_invented,
        beats_chance=beats_chance,
        open_choices=verdicts.open_choices(matches, len(printed)),
    )
    return replace(identified, sentences=tuple(verdicts.sentences(identified, heading, tried.label_set)))


@dataclass(frozen=True, eq=False)
class _Comparison:
    """One column against every reading."""

    tried: _Tried
    heading: Heading
    entries: Sequence[int]
    printed: Sequence[PrintedScore]
    scores: Floats
    agreement: PrintedAgreement

    def best(self) -> list[int]:
        """The groups that give every score, or some of those that give the most; the likeliest first."""
        counts = self.agreement.matched.sum(axis=1)
        most = int(counts.max())
        if most == 0:
            return [self._nearest()]
        enough = most if most == len(self.printed) else max(1, int(np.sort(counts)[-MATCHES_SHOWN:][0]))
        kept = np.flatnonzero(counts >= enough).tolist()
        likeliest = sorted(kept, key=lambda group: (-counts[group], self._likelihood(self._likeliest[group][0])))
        return likeliest if most == len(self.printed) else likeliest[:MATCHES_SHOWN]

    def _nearest(self) -> int:
        """The group whose scores are nearest to the printed ones, where none prints as any."""
        differences = np.abs(self.scores - [score.value / self._scale for score in self.printed])
        return int(np.where(np.isnan(differences), np.inf, differences).mean(axis=1).argmin())

    @property
    def _scale(self) -> float:
        return 100.0 if is_percent(self.printed) else 1.0

    @cached_property
    def _likeliest(self) -> list[list[int]]:
        """The readings of each group, the likeliest first: allowed by the heading, and with the fewest choices."""
        return [sorted(group, key=self._likelihood) for group in self.tried.groups]

    @cached_property
    def _named(self) -> list[Reading]:
        """The reading to name for each group."""
        return [self.tried.readings[group[0]] for group in self._likeliest]

    def _likelihood(self, row: int) -> tuple[bool, int, int]:
        allowed = self.heading.allows(self.tried.readings[row], self.tried.label_set)
        return not allowed, *self.tried.plainness[row]

    def match(self, group: int) -> Match:
        """A group as it is shown: its readings, and the teams that are off."""
        readings = [self.tried.readings[row] for row in self._likeliest[group]]
        matched = self.agreement.matched[group]
        misses = [self._miss(group, place, readings[0]) for place in np.flatnonzero(~matched).tolist()]
        return Match(
            readings=tuple(readings),
            n_matched=int(matched.sum()),
            rounding=self.agreement.rounding[group],
            decimals=self.agreement.decimals,
            misses=tuple(sorted(misses, key=lambda miss: -abs(np.nan_to_num(miss.difference, nan=np.inf)))),
        )

    def _miss(self, group: int, place: int, reading: Reading) -> Miss:
        """A team that is off, and the reading nearest by that it is not."""
        score = self.printed[place]
        computed = float(self.scores[group, place]) * self._scale
        others = (self._named[other] for other in np.flatnonzero(self.agreement.matched[:, place]).tolist())
        same = [other for other in others if other.metric == reading.metric]
        return Miss(
            team=self.tried.names[self.entries[place]],
            printed=score.text,
            computed=computed,
            difference=score.value - computed,
            other=min(same, key=lambda other: len(other.differs_in(reading)), default=None),
        )
