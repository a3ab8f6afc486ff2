"""Which reading published numbers are of: every metric and reading tried against every printed score."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from audit.domain import (
    Evaluation,
    Identification,
    IdentifiedColumn,
    IdentifiedRanks,
    IdentifiedTable,
    LabelSet,
    Match,
    Miss,
    PrintedScore,
    Published,
    PublishedColumn,
    Reading,
)
from audit.domain.arrays import Floats
from audit.errors import UsageError
from audit.metrics import ITEM_SCORE_METRICS, METRICS, reading_phrase
from audit.readings import verdicts
from audit.readings.headings import Heading, read_heading
from audit.readings.printed import PrintedAgreement, agreement_with, chance_of, is_percent
from audit.readings.printed_ranks import columns_of_counts, columns_of_scores, identified_ranks
from audit.readings.table_arithmetic import contradictions
from audit.readings.team_names import is_of_other_teams, joined_tables, words_on_other_teams
from audit.readings.tried_readings import TableRows, TriedReadings
from audit.text import listed, number, quoted

_COUNTS_WORDS = "counts or dates, as its heading and its numbers have it"
_FEWEST = 3  # scores that are all as far from another by more than chance
# where no reading gives every score, so many of those that give the most are shown
MATCHES_SHOWN = 5


def identify(
    evaluation: Evaluation,
    *tables: Published,
    repaired: Mapping[str, Evaluation] = MappingProxyType({}),
) -> Identification:
    """Find the readings that published tables are of; several are looked at as one.

    Of spans that tags mark, evaluations of the same teams by other rules for broken tags may be given, by their rule.
    """
    if evaluation.answers is None:
        raise UsageError("This evaluation does not hold the answers that readings are scored from.")
    if not tables:
        return Identification((), (), (), evaluation.names, 0, ())
    labels = evaluation.task.label_set
    published, names = joined_tables(tables, evaluation)
    entry_of = names.entry_of
    scores = columns_of_scores(published, labels)
    headings = [read_heading(column.heading, labels) for column in scores]
    tried = TriedReadings.of(evaluation, headings, repaired)
    columns = tuple(
        replace(_identify(column, entry_of, tried), table=column.table) for column in scores
    )
    rows = TableRows(entry_of, len(published.teams))
    ranks = identified_ranks(published, columns, rows, tried, evaluation)
    found = []
    defects: list[str] = []
    for place, table in enumerate(tables):
        found.append(_table(table, place, columns, ranks, labels))
        defects += table.defects
    matched = set(entry_of.values())
    return Identification(
        tables=tuple(found),
        renamed=names.renamed,
        unmatched=tuple(team for row, team in enumerate(published.teams) if row not in entry_of),
        absent=tuple(name for entry, name in enumerate(evaluation.names) if entry not in matched),
        n_readings=len(tried.readings),
        findings=tuple(verdicts.findings(columns, tried.label_set)),
        contradictions=tuple(contradictions(published, scores, labels)),
        defects=tuple(defects),
    )


def identify_beside(
    evaluation: Evaluation,
    *tables: Published,
    repaired: Mapping[str, Evaluation] = MappingProxyType({}),
) -> Identification:
    """Find the readings that a campaign's own tables are of; tables that cannot be compared are told, and left out."""
    usable: list[Published] = []
    defects: list[str] = []
    for table in tables:
        if not table.columns:
            defects += table.defects
        elif is_of_other_teams(table, evaluation):
            words = words_on_other_teams(table, evaluation).rstrip(".?")
            defects.append(f"{quoted(table.path, 120)} was not checked: {words}.")
        else:
            usable.append(table)
    found = identify(evaluation, *usable, repaired=repaired)
    return replace(found, defects=(*defects, *found.defects))


def _table(
    table: Published,
    number: int,
    columns: Sequence[IdentifiedColumn],
    ranks: Sequence[IdentifiedRanks],
    label_set: LabelSet,
) -> IdentifiedTable:
    counts = [(column.heading, _COUNTS_WORDS) for column in columns_of_counts(table, label_set)]
    return IdentifiedTable(
        table.path,
        tuple(column for column in columns if column.table == number),
        tuple(each for each in ranks if each.table == number),
        (*table.set_aside, *counts),
    )


def _identify(
    column: PublishedColumn, entry_of: Mapping[int, int], tried: TriedReadings
) -> IdentifiedColumn:
    labels = tried.label_set
    printed = []
    entries = []
    for row, score in enumerate(column.scores):
        if score is not None and row in entry_of:
            printed.append(score)
            entries.append(entry_of[row])
    if not printed:
        sentence = f"No team of this campaign has a score in {quoted(column.heading)}."
        return IdentifiedColumn(
            column.heading,
            0,
            percent=False,
            matches=(),
            heading_says="cannot tell",
            sentences=(sentence,),
        )
    heading = read_heading(column.heading, labels)
    first_of_groups = [group[0] for group in tried.groups]
    scores = tried.scores[:, entries][first_of_groups]
    agreement = agreement_with(printed, scores)
    comparison = _Comparison(tried, heading, entries, printed, scores, agreement)
    matches = tuple(map(comparison.match, comparison.best()))
    metrics = [tried.readings[row].slug for row in first_of_groups]
    chance = chance_of(printed, scores, metrics)
    beats_chance = not chance.explains(matches[0].n_matched, len(printed))
    was_tried = bool(comparison.named) or not heading.slugs
    told: tuple[Match, ...] = ()
    if beats_chance and was_tried:
        told = matches
    apart = ""
    if not beats_chance:
        apart = comparison.apart()
    identified = IdentifiedColumn(
        heading=column.heading,
        n_teams=len(printed),
        percent=is_percent(printed),
        matches=matches,
        heading_says=verdicts.heading_says(heading, told, labels),
        by_chance=chance.of_invented,
        beats_chance=beats_chance,
        n_others=chance.n_others,
        open_choices=verdicts.open_choices(matches, len(printed)),
        apart=apart,
    )
    sentences = [
        *verdicts.sentences(identified, heading, labels),
        *comparison.by_heading(matches[0].readings),
        *_untried(heading, tried),
    ]
    return replace(identified, sentences=tuple(sentences))


def _untried(heading: Heading, tried: TriedReadings) -> Iterator[str]:
    """A sentence for a heading of a metric of item scores, where none are kept."""
    if heading.slugs and heading.slugs <= set(ITEM_SCORE_METRICS) and not tried.has_item_scores:
        names = listed([METRICS[slug].phrase for slug in sorted(heading.slugs)], "or")
        yield f"No scores of single items are kept here, which {names} is of: it was not tried."


@dataclass(frozen=True, eq=False)
class _Comparison:
    """The comparison of one column with every reading."""

    tried: TriedReadings
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
            return [self._nearest]
        fewest = most
        named: list[int] = []  # by the heading, and they give most of the scores
        is_exact = most == len(self.printed)
        if not is_exact:
            fewest = max(1, int(np.sort(counts)[-MATCHES_SHOWN:][0]))
            named = [group for group in self.named if 2 * counts[group] > len(self.printed)]

        def precedence(group: int) -> tuple[bool, int, tuple[bool, int, int]]:
            return group not in named, -counts[group], self._likelihood(self._likeliest[group][0])

        groups = dict.fromkeys([*named, *np.flatnonzero(counts >= fewest).tolist()])
        likeliest = sorted(groups, key=precedence)
        if is_exact:
            return likeliest
        return likeliest[:MATCHES_SHOWN]

    @property
    def _nearest(self) -> int:
        """The group whose scores are nearest to the printed ones on average."""
        printed = [score.value / self._scale for score in self.printed]
        differences = np.abs(self.scores - printed)
        return int(np.where(np.isnan(differences), np.inf, differences).mean(axis=1).argmin())

    @cached_property
    def named(self) -> list[int]:
        """The groups with a reading that the heading names, where it names a metric."""
        if not self.heading.slugs:
            return []
        groups = []
        for place, rows in enumerate(self.tried.groups):
            readings = [self.tried.readings[row] for row in rows]
            if any(self.heading.allows(reading, self.tried.label_set) for reading in readings):
                groups.append(place)
        return groups

    def _likeliest_reading(self, group: int) -> Reading:
        return self.tried.readings[self._likeliest[group][0]]

    def by_heading(self, best: Sequence[Reading]) -> Iterator[str]:
        """A sentence on how many scores the metric of the heading gives, where another reading gives the most."""
        labels = self.tried.label_set
        if not self.named or any(self.heading.allows(each, labels) for each in best):
            return
        counts = self.agreement.matched.sum(axis=1)
        nearest = max(self.named, key=lambda group: int(counts[group]))
        words = reading_phrase(self._likeliest_reading(nearest), labels)
        yield f"What the heading names, {words}, gives {counts[nearest]:,} of {len(self.printed):,}."

    def apart(self) -> str:
        """A score that the heading names and all printed ones are the same number above or below, in words."""
        values = np.array([score.value for score in self.printed])
        decimals = [score.decimals for score in self.printed]
        step = 10.0 ** -min(decimals)
        if len(values) < _FEWEST:
            return ""
        for group in self.named:
            differences = values - self.scores[group] * self._scale
            mean = float(differences.mean())
            if np.ptp(differences) <= step and abs(mean) > step:  # NaN is neither
                words = reading_phrase(self._likeliest_reading(group), self.tried.label_set)
                side = "below"
                if mean > 0:
                    side = "above"
                return f"{number(abs(mean), max(decimals))} {side} {words}"
        return ""

    @property
    def _scale(self) -> float:
        if is_percent(self.printed):
            return 100.0
        return 1.0

    @cached_property
    def _likeliest(self) -> list[list[int]]:
        """The readings of each group, the likeliest first: allowed by the heading, and with the fewest choices."""
        return [sorted(group, key=self._likelihood) for group in self.tried.groups]

    def _likelihood(self, row: int) -> tuple[bool, int, int]:
        allowed = self.heading.allows(self.tried.readings[row], self.tried.label_set)
        return not allowed, *self.tried.plainness[row]

    def match(self, group: int) -> Match:
        """A group as it is shown: its readings, and the teams that are off."""
        readings = [self.tried.readings[row] for row in self._likeliest[group]]
        matched = self.agreement.matched[group]
        misses = [
            self._miss(group, place, readings[0]) for place in np.flatnonzero(~matched).tolist()
        ]
        misses.sort(key=lambda miss: -abs(np.nan_to_num(miss.difference, nan=np.inf)))
        return Match(
            readings=tuple(readings),
            n_matched=int(matched.sum()),
            rounding=self.agreement.rounding[group],
            decimals=self.agreement.decimals,
            misses=tuple(misses),
        )

    def _miss(self, group: int, place: int, reading: Reading) -> Miss:
        """A team that is off, and the reading nearest by that it is not."""
        score = self.printed[place]
        computed = float(self.scores[group, place]) * self._scale
        same_metric = []
        for other in np.flatnonzero(self.agreement.matched[:, place]).tolist():
            matching = self._likeliest_reading(other)
            if matching.metric == reading.metric:
                same_metric.append(matching)
        return Miss(
            team=self.tried.names[self.entries[place]],
            printed=score.text,
            computed=computed,
            difference=score.value - computed,
            other=min(same_metric, key=lambda other: len(other.differs_in(reading)), default=None),
        )
