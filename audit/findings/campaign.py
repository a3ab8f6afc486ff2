"""What the tracks of a campaign show together: who is first, how sure that is, and what other choices make of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from audit.domain import OVERALL_RULES, Comparison, Evaluation, ScoreKey, State
from audit.domain.arrays import Floats, Ints
from audit.errors import UsageError
from audit.inference.over_tracks import CampaignMeans, OverallComparison
from audit.inference.ranks_over_tracks import BORDA, MEAN_RANK, CampaignRanks
from audit.inference.relation import AVERAGED, MOST_TESTED, OF_AVERAGES, state_of
from audit.metrics import METRICS, scale_of
from audit.ranking.families import Family, family_of, resummed_family
from audit.ranking.ranks import competition_ranks
from audit.text import did_you_mean, listed, quoted

MEAN = "mean score"
_NAMES_LISTED = 8
_NO_MEAN = (
    "There is no mean score: the tracks have different official metrics. Ask for --by mean-rank, or state overall = "
    "“mean-score” in task.toml, where higher is better by all of them."
)


class ChoiceKind(StrEnum):
    """What is chosen otherwise over the tracks."""

    METRIC = "metric"
    RULE = "rule"
    TRACK_LEFT_OUT = "track-left-out"
    EQUAL_WEIGHTS = "equal-weights"


@dataclass(frozen=True, eq=False)
class CampaignChoice:
    """What another choice makes of the first place over all tracks."""

    kind: ChoiceKind
    name: str  # the rule, or the place of the track that is left out, or the score
    tracks: Family  # the tracks as they are summed up then
    winners: tuple[int, ...]  # rows that are first then
    state: State
    over: OverallComparison | None = None  # the comparison then; None where it was not made

    @property
    def comparison(self) -> Comparison | None:
        """The comparison that decides; None where there is none."""
        if self.over is None:
            return None
        return self.over.comparison


@dataclass(frozen=True)
class TrackContrasts:
    """How the first place over all tracks and those of the single tracks differ."""

    in_no_track: bool  # the first over all tracks is first in none of them
    only_together: bool
    """It is significantly ahead of all others over all tracks, and in none of them."""
    # By track: who alone is in its confidence set, and who is in that over all tracks beside it, or in its place.
    alone_in_track: tuple[tuple[int, int, tuple[int, ...]], ...] = ()
    everywhere_but_overall: tuple[int, ...] = ()
    """Rows in the confidence set of every track, and not in that over all."""


class CampaignFindings:
    """The tracks of a campaign with all that is found of them together, each made once when it is asked for."""

    def __init__(
        self,
        evaluations: Sequence[Evaluation],
        by: str | None = None,
        about: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        """The tracks, ranked by the announced rule, or by another one of `OVERALL_RULES`, as task.toml calls it.

        About holds what is said of each team by column; else teams.csv says it, where the campaign has one.
        """
        self.evaluations = tuple(evaluations)
        self.tracks = family_of(evaluations)
        self._asked = None if by is None else OVERALL_RULES[by]
        if self._asked == MEAN and not self.tracks.has_mean:
            raise UsageError(_NO_MEAN)
        self._about = about
        self._means = CampaignMeans(self.tracks)
        self._ranks = CampaignRanks(self._means)
        self._compared: dict[str, OverallComparison] = {}

    @property
    def n_tracks(self) -> int:
        """Number of tracks, K."""
        return len(self.evaluations)

    @cached_property
    def official_rule(self) -> str:
        """The announced rule; else the mean score, or without one the mean rank."""
        if self.tracks.announced is not None:
            return self.tracks.announced
        if self.tracks.has_mean:
            return MEAN
        return MEAN_RANK

    @property
    def rule(self) -> str:
        """The rule that orders the rows: the official one, unless another was asked for."""
        return self._asked or self.official_rule

    @property
    def is_by_mean(self) -> bool:
        """Whether the mean score orders the rows."""
        return self.rule == MEAN and self.tracks.has_mean

    def compared_by(self, rule: str) -> OverallComparison:
        """The comparison of all rows by one rule, with intervals of its values."""
        if rule not in self._compared:
            self._compared[rule] = self._compare(rule, self.tracks)
        return self._compared[rule]

    def _compare(self, rule: str, tracks: Family) -> OverallComparison:
        if rule == MEAN:
            return self._means.compare(tracks)
        return self._ranks.compare(rule, tracks)

    @property
    def means(self) -> OverallComparison:
        """The comparison by the mean scores."""
        return self.compared_by(MEAN)

    @property
    def over(self) -> OverallComparison:
        """The comparison by the rule of the ranking."""
        return self.compared_by(self.rule)

    @cached_property
    def comparison(self) -> Comparison | None:
        """The comparison by the rule of the ranking; None where there is none, or nobody to compare."""
        found = self.over.comparison
        if found is None or (found.possible_ranks[:, 0] > 0).sum() < 2:  # noqa: PLR2004 - a pair
            return None
        return found

    @cached_property
    def about(self) -> Mapping[str, Mapping[str, str]]:
        """What teams.csv says of each team, by the names of its columns; nothing where there is none."""
        if self._about is not None:
            return self._about
        return {team: dict(said) for team, said in self.evaluations[0].task.about_teams}

    @cached_property
    def about_columns(self) -> tuple[str, ...]:
        """The columns of teams.csv that say something of a team here, in its order."""
        teams = {row.team for row in self.tracks.rows}
        teams |= {row.team for row, _ in self.tracks.unranked}
        said = [self.about[team] for team in self.about if team in teams]
        return tuple(
            dict.fromkeys(column for each in said for column, text in each.items() if text)
        )

    @cached_property
    def winners(self) -> tuple[int, ...]:
        """The rows that are first by the rule; none where no row has an overall rank."""
        return self.tracks.summary.winners[self.rule]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The rows from best to worst by the rule; behind them those without an overall rank, by their tracks."""
        ranks = self.tracks.summary.ranks[self.rule]
        borda = self.tracks.summary.ranks[BORDA]
        keys = (np.arange(len(ranks)), -self.tracks.n_parts, borda, ranks)
        return tuple(np.lexsort(keys).tolist())

    @cached_property
    def ranked(self) -> tuple[int, ...]:
        """The rows that have an overall rank, from best to worst."""
        values = self.tracks.summary.rules[self.rule]
        return tuple(row for row in self.order if not np.isnan(values[row]))

    @cached_property
    def n_compared(self) -> int:
        """Rows that every track compares."""
        if self.comparison is None:
            return 0
        return int((self.comparison.possible_ranks[:, 0] > 0).sum())

    @property
    def is_significant(self) -> bool:
        """Whether the first is significantly ahead of all others."""
        if self.comparison is None:
            return False
        return len(self.winners) == 1 and self.comparison.contenders == self.winners

    def row_number(self, name: str) -> int:
        """The row of this name; UsageError where there is none."""
        names = [row.name for row in self.tracks.rows]
        if name in names:
            return names.index(name)
        alike = [place for place, each in enumerate(names) if each.casefold() == name.casefold()]
        if len(alike) == 1:
            return alike[0]
        shown = listed(list(map(quoted, names)), limit=_NAMES_LISTED)
        raise UsageError(
            f"There is no entry {quoted(name)} here.{did_you_mean(name, names)} The entries are {shown}."
        )

    @cached_property
    def median_error(self) -> float:
        """Median standard error over the pairs of compared rows that can differ; NaN where none can."""
        if self.comparison is None:
            return float("nan")
        compared = self.comparison.possible_ranks[:, 0] > 0
        errors = self.comparison.standard_error[np.ix_(compared, compared)]
        errors = errors[np.triu_indices(len(errors), k=1)]
        if (errors > 0).any():
            return float(np.median(errors[errors > 0]))
        return float("nan")

    # Tracks by themselves

    def track_comparison(self, track: int) -> Comparison | None:
        """The comparison by the official score of one track; None where it was left out."""
        evaluation = self.evaluations[track]
        if evaluation.certainty is None:
            return None
        return evaluation.certainty.comparison(evaluation.task.ranking_metric)

    def is_in_set(self, track: int, row: int) -> bool:
        """Whether a row is in the 95% confidence set for the best of one track."""
        comparison = self.track_comparison(track)
        entry = int(self.tracks.entries[row, track])
        return comparison is not None and entry >= 0 and bool(comparison.could_be_best[entry])

    def is_alone_in(self, track: int, row: int) -> bool:
        """Whether a row is significantly ahead of all others in one track."""
        comparison = self.track_comparison(track)
        if comparison is None or (comparison.possible_ranks[:, 0] > 0).sum() < 2:  # noqa: PLR2004 - a pair
            return False
        return comparison.contenders == (int(self.tracks.entries[row, track]),)

    @cached_property
    def contrasts(self) -> TrackContrasts:
        """Where tracks and the whole say different things of who is best."""
        tracks = range(self.n_tracks)
        comparison = self.comparison
        first = set(self.winners)
        ranks = self.tracks.ranks
        in_no_track = bool(first) and not any(
            ranks[row, track] == 1 for row in first for track in tracks
        )
        only_together = self.is_significant and not any(
            self.is_alone_in(track, self.winners[0]) for track in tracks
        )
        if comparison is None:
            return TrackContrasts(in_no_track, only_together=False)
        overall = set(comparison.contenders)
        compared = np.flatnonzero(comparison.possible_ranks[:, 0] > 0).tolist()
        alone = [
            (track, row, tuple(sorted(overall - {row})))
            for track in tracks
            for row in compared
            if self.is_alone_in(track, row) and overall != {row}
        ]
        everywhere = [
            row
            for row in compared
            if row not in overall and all(self.is_in_set(track, row) for track in tracks)
        ]
        return TrackContrasts(in_no_track, only_together, tuple(alone), tuple(everywhere))

    # Other choices

    @cached_property
    def choices(self) -> tuple[CampaignChoice, ...]:
        """What other rules, each track left out, and equal weights make of the first place."""
        return (*self.other_rules, *self.tracks_left_out, *self.equal_weights)

    @cached_property
    def other_rules(self) -> tuple[CampaignChoice, ...]:
        """The other rules."""
        choices = []
        for rule, first in self.tracks.summary.winners.items():
            if rule == self.rule or not first:
                continue
            over = self.compared_by(rule) if self.has_few_rows else None
            choices.append(self._choice(ChoiceKind.RULE, rule, self.tracks, first, over))
        return tuple(choices)

    @cached_property
    def tracks_left_out(self) -> tuple[CampaignChoice, ...]:
        """Each track left out, where there is more than one."""
        if self.n_tracks == 1:
            return ()
        return tuple(
            self._summed_up(
                ChoiceKind.TRACK_LEFT_OUT, str(track), resummed_family(self.tracks, without=track)
            )
            for track in range(self.n_tracks)
        )

    @cached_property
    def equal_weights(self) -> tuple[CampaignChoice, ...]:
        """All tracks alike, where weights are given."""
        if len(set(self.tracks.weights)) == 1:
            return ()
        alike = resummed_family(self.tracks, weights=[1.0] * self.n_tracks)
        return (self._summed_up(ChoiceKind.EQUAL_WEIGHTS, "", alike),)

    @cached_property
    def metrics(self) -> tuple[CampaignChoice, ...]:
        """What the mean of each other metric that all tracks have makes of the first place: both macro F1s first."""
        return tuple(
            self._summed_up(
                ChoiceKind.METRIC,
                str(key),
                resummed_family(self.tracks, keys=[key] * self.n_tracks),
            )
            for key in self.common_keys
            if set(self.tracks.keys) != {key}
        )

    @cached_property
    def common_keys(self) -> tuple[ScoreKey, ...]:
        """Scores of whole submissions that every track has, by one direction: both macro F1s first."""
        common = [
            key
            for key in self.evaluations[0].keys
            if all(key in each.keys for each in self.evaluations)
        ]
        of_whole = [
            key for key in common if key.metric in METRICS and METRICS[key.metric].takes != "class"
        ]
        first = [key for key in (AVERAGED, OF_AVERAGES) if key in common]
        observed = [key for key in of_whole if key.prevalence == self.tracks.keys[0].prevalence]
        return tuple(dict.fromkeys([*first, *observed]))

    @property
    def has_few_rows(self) -> bool:
        """Whether a comparison more is quick."""
        return len(self.tracks.rows) <= MOST_TESTED

    def _summed_up(self, kind: ChoiceKind, name: str, tracks: Family) -> CampaignChoice:
        """The same rule over tracks that are summed up otherwise."""
        if tracks.has_mean or self.rule != MEAN:
            rule = self.rule
        else:
            rule = MEAN_RANK
        over = self._compare(rule, tracks) if self.has_few_rows else None
        return self._choice(kind, name, tracks, tracks.summary.winners[rule], over)

    def _choice(
        self,
        kind: ChoiceKind,
        name: str,
        tracks: Family,
        winners: tuple[int, ...],
        over: OverallComparison | None,
    ) -> CampaignChoice:
        other = None if over is None else over.comparison
        state = state_of((self.winners, winners), (self.comparison, other))
        if state is State.NOT_TESTED and other is not None and self._only_there(winners, other):
            is_ahead = (
                len(winners) == 1
                and len(self.winners) == 1
                and other.ahead[winners[0], self.winners[0]]
            )
            if is_ahead:
                state = State.OTHER_SHOWN_THERE
            else:
                state = State.OTHER_NOT_SHOWN
        return CampaignChoice(kind, name, tracks, winners, state, over)

    def _only_there(self, winners: tuple[int, ...], other: Comparison) -> bool:
        """Whether others are first, who are compared by the other choice alone: they skipped a track."""
        is_another = bool(winners and self.winners) and not set(self.winners) <= set(winners)
        return (
            is_another and other.compares([*self.winners, *winners]) and self.comparison is not None
        )

    # Tracks beside each other

    @cached_property
    def n_common(self) -> Ints:
        """How many rows have a score in both of every two tracks, shape (K, K)."""
        has_score = (~np.isnan(self.tracks.scores)).astype(np.int64)
        return np.asarray(has_score.T @ has_score)

    @cached_property
    def spearman(self) -> Floats:
        """Spearman's ρ of every two tracks' scores over the rows with both, shape (K, K); NaN where undefined."""
        goodness = np.full(self.tracks.scores.shape, np.nan)
        for track, (key, evaluation) in enumerate(
            zip(self.tracks.keys, self.evaluations, strict=True)
        ):
            scale = scale_of(key.metric, evaluation.task.label_set)
            goodness[:, track] = scale.goodness(self.tracks.scores[:, track])
        found = np.full((self.n_tracks,) * 2, np.nan)
        for one in range(self.n_tracks):
            for other in range(one, self.n_tracks):
                found[one, other] = found[other, one] = _spearman(
                    goodness[:, one], goodness[:, other]
                )
        return found


def _spearman(first: Floats, second: Floats) -> float:
    """Pearson's correlation of the mid-ranks over the rows that have both; NaN with fewer than two, or all tied."""
    both = ~np.isnan(first) & ~np.isnan(second)
    ranks = [_mid_ranks(each[both]) for each in (first, second)]
    centred = [each - each.mean() if each.size else each for each in ranks]
    spread = float(np.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
    if spread > 0:
        return float((centred[0] * centred[1]).sum() / spread)
    return float("nan")


def _mid_ranks(goodness: Floats) -> Floats:
    """Ranks from 1 on, tied values sharing their mean, shape (t,)."""
    ranks: Ints = competition_ranks(goodness)
    n_level = np.bincount(ranks, minlength=1)
    return np.asarray(ranks + (n_level[ranks] - 1) / 2, dtype=np.float64)
