"""What is said of the tracks of a campaign together: the verdict, its states, what tracks say otherwise."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.domain import Evaluation, Role, State, detectable
from audit.findings.campaign import MEAN, CampaignChoice, CampaignFindings, ChoiceKind
from audit.findings.comparisons import state_in_words
from audit.findings.numbers_in_words import NO_BOUND, difference_ends, p_phrase
from audit.findings.power_sentences import short
from audit.findings.wording import NAME_LIMIT
from audit.inference.over_tracks import count_items
from audit.inference.ranks_over_tracks import BORDA, MEAN_RANK
from audit.inference.relation import MOST_TESTED
from audit.metrics import phrase
from audit.ranking.ranks import TIE_TOLERANCE
from audit.report.printing import FEWER_MARK, LATE_MARK, marks
from audit.sentences import say
from audit.text import (
    agreeing,
    decimal_text,
    distinct,
    in_words,
    listed,
    number,
    plural,
    sentence_case,
    visible,
)

CORRECTED_MARK = "*"
_DIGITS = {MEAN_RANK: 2, BORDA: 1}
_NAMED = 5
_CONTRASTS_SHOWN = 2


def track_key(evaluation: Evaluation) -> str:
    """A track's name for programs: that of task.toml, or the task's."""
    return evaluation.task.part or evaluation.task.slug


def track_name(evaluation: Evaluation, limit: int = 80) -> str:
    """A track's name for readers: its own title where it has one, else its name in task.toml."""
    title = evaluation.task.title
    part = evaluation.task.part
    return visible(part if part and title.endswith(f": {part}") else title, limit)


def campaign_title(evaluations: Sequence[Evaluation]) -> str:
    """The title of the whole campaign."""
    task = evaluations[0].task
    if task.part:
        together = task.title.removesuffix(f": {task.part}")
    else:
        together = ""
    return visible(
        together if together != task.title and together else task.family or "Several tracks", 200
    )


@dataclass(frozen=True, eq=False)
class CampaignWords:
    """The findings of a campaign in words."""

    found: CampaignFindings

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The rows' names, safe and short, each unlike any other's."""
        tracks = self.found.tracks
        rows = [*tracks.rows, *(row for row, _ in tracks.unranked)]
        return distinct(tuple(row.name for row in rows), NAME_LIMIT)

    def marked(self, row: int) -> str:
        """A row's name with the marks that it has in any track: late, unofficial, scored on fewer items."""
        return self.names[row] + self._marks(self.found.tracks.entries[row].tolist())

    def marked_beside(self, place: int) -> str:
        """Likewise of a row that takes no rank, with its role."""
        row, places = self.found.tracks.unranked[place]
        if row.role == Role.BASELINE:
            role = " (baseline)"
        else:
            role = ""
        return self.names[len(self.found.tracks.rows) + place] + role + self._marks(places.tolist())

    def _marks(self, places: Sequence[int]) -> str:
        pairs = zip(self.found.evaluations, places, strict=True)
        entries = [evaluation.entries[place] for evaluation, place in pairs if place >= 0]
        return "".join(dict.fromkeys(mark for entry in entries for mark in marks(entry)))

    def legend(self) -> str:
        """What the marks behind names mean, of those that occur."""
        entries = [entry for evaluation in self.found.evaluations for entry in evaluation.entries]
        late = sorted({entry.role.value for entry in entries if LATE_MARK in marks(entry)})
        if late:
            of_late = f"{LATE_MARK} {listed(late, 'or')}."
        else:
            of_late = ""
        if any(each.n_dropped for each in entries):
            fewer = f"{FEWER_MARK} scored on fewer items in some track."
        else:
            fewer = ""
        return " ".join(filter(None, (of_late, fewer)))

    def listed_names(self, rows: Iterable[int], limit: int = _NAMED) -> str:
        """Some rows' names in a sentence."""
        return listed([self.names[row] for row in rows], limit=limit)

    @cached_property
    def decimals(self) -> int:
        """Decimals of printed scores."""
        return max(evaluation.task.printed_decimals for evaluation in self.found.evaluations)

    @cached_property
    def noun(self) -> str:
        """What a row is: a team, or a run where a team has several rows."""
        if any(row.run for row in self.found.tracks.rows):
            return "run"
        return "team"

    @property
    def n_tracks_in_words(self) -> str:
        """The number of tracks in a sentence."""
        return in_words(self.found.n_tracks)

    def mean_of(self, choice: CampaignChoice | None = None) -> str:
        """What the mean is of: “a mean accuracy”, or of different metrics “a mean score”."""
        if choice is None:
            tracks = self.found.tracks
        else:
            tracks = choice.tracks
        if len(set(tracks.keys)) > 1:
            return "a mean score"
        metric = phrase(tracks.keys[0], tracks.evaluations[0].task.label_set)
        if "," in metric:
            return f"a mean score ({metric})"
        return f"a mean {metric}"

    def value(self, rule: str, row: int, choice: CampaignChoice | None = None) -> str:
        """A row's value by a rule as printed: a score like scores, a rank or a count with its zero."""
        summary = (self.found.tracks if choice is None else choice.tracks).summary
        if rule == MEAN:
            return number(float(summary.mean_score[row]), self.decimals)
        values = {"mean rank": summary.mean_rank, "Borda count": summary.borda}[rule]
        return f"{values[row]:.{_DIGITS[rule]}f}"

    def difference(self, rule: str, size: float) -> str:
        """A difference of a rule's values as printed."""
        if rule == MEAN:
            return short(size)
        return f"{size:.{_DIGITS[rule]}f}".replace("-", "−")

    def range_of_difference(self, rule: str, lower: float, upper: float) -> str:
        """The interval of a difference as printed; – or “no bound” where there is none."""
        if rule == MEAN:
            return difference_ends(lower, upper, self.decimals)
        if np.isnan(lower) or np.isnan(upper):
            return "–"
        ends = [
            self.difference(rule, end) if np.isfinite(end) else NO_BOUND for end in (lower, upper)
        ]
        if ends == [NO_BOUND, NO_BOUND]:
            return NO_BOUND
        return " to ".join(ends)

    def interval(self, rule: str, row: int, between: str = ", ") -> str:
        """The 95% interval of a row's value as printed, without brackets; – where there is none."""
        lower, upper = (float(end[row]) for end in self.found.compared_by(rule).shown_ends)
        if np.isnan(lower):
            return "–"
        if rule == MEAN:
            return between.join(number(end, self.decimals) for end in (lower, upper))
        return between.join(f"{end:.{_DIGITS[rule]}f}" for end in (lower, upper))

    def reached(self, row: int) -> str:
        """What a row reaches by the rule of the ranking, as a noun."""
        value = self.value(self.found.rule, row)
        if self.found.rule == MEAN:
            return f"{self.mean_of()} of {value}"
        return f"a {self.found.rule} of {value}"

    # The verdict

    def verdict(self) -> str:
        """Who may be called the winner over all tracks: one of a closed set of sentences."""
        found = self.found
        if not found.winners:
            return self._unranked()
        over = f"over the {self.n_tracks_in_words} tracks"
        first = found.winners[0]
        reached = self.reached(found.winners[0])
        below = self._below_baseline()
        if below:
            return below
        if len(found.winners) > 1:
            tied = self.listed_names(found.winners)
            return say(f"{tied} tie for first place {over} with {reached}.")
        if len(found.ranked) == 1:
            return say(
                f"{self.names[first]} is the only {self.noun} that took part in all tracks, with {reached}."
            )
        return self._of_one(first, f"{self.names[first]} ranks first {over} with {reached}")

    def _of_one(self, first: int, ranks: str) -> str:
        """The claim about a row that is first alone, of several."""
        found = self.found
        if found.is_significant:
            return say(f"{ranks}, significantly ahead of {self.all_others()}.")
        if found.comparison is None or not found.comparison.compares([first]):
            return say(
                f"{ranks}; whether its lead is significant was not tested: {self.why_not_tested()}."
            )
        return say(f"{ranks}, but its lead is not statistically significant.")

    def all_others(self) -> str:
        """All rows that were compared with the first, as a noun."""
        n_others = self.found.n_compared - 1
        if self.found.n_compared < len(self.found.ranked):
            compared = " that were compared"
        else:
            compared = ""
        if n_others == 1:
            return f"the only other {self.noun}{compared.replace('were', 'was')}"
        count = "both" if n_others == 2 else f"all {in_words(n_others)}"  # noqa: PLR2004 - two
        return f"{count} other {self.noun}s{compared}"

    def why_not_tested(self) -> str:
        """Why nothing is known of the lead over all tracks."""
        found = self.found
        if found.over.reason:
            return found.over.reason
        return f"fewer than two {self.noun}s can be compared in every track"

    def _unranked(self) -> str:
        found = self.found
        if not found.tracks.rows:
            return say(
                "The teams cannot be ranked: no team competes. Give those that compete the role “primary”."
            )
        empty = [
            track_name(each)
            for each, column in zip(found.evaluations, found.tracks.entries.T, strict=True)
            if not (column >= 0).any()
        ]
        if empty:
            return say(
                f"The teams cannot be ranked: no {self.noun} took part in {listed(empty, limit=3)}. Leave "
                f"{agreeing(len(empty), 'it', 'them')} out of the campaign."
            )
        if found.rule == MEAN and not found.tracks.has_mean:
            return say(
                "The teams cannot be ranked by a mean score: by the official metrics of some tracks higher is better, "
                "by those of others lower. State overall = “mean-rank”, or another metric."
            )
        if found.tracks.n_parts.max(initial=0) == found.n_tracks:
            return say(
                f"The teams cannot be ranked: no {self.noun} has a defined score in every track."
            )
        return say(
            f"The teams cannot be ranked: no {self.noun} took part in all {self.n_tracks_in_words} tracks. Report each "
            "track by itself, or state overall = “mean-rank” and skipped = “last”."
        )

    def _below_baseline(self) -> str:
        """That a computed baseline is at least as good as the first, by the mean score."""
        found = self.found
        if not found.is_by_mean:
            return ""
        scale = found.tracks.summary.scale
        best = float(found.tracks.summary.mean_score[found.winners[0]])
        levels = [(title, mean) for title, mean in self.baselines if not np.isnan(mean)]
        ahead = [
            each
            for each in levels
            if scale.goodness(each[1]) >= scale.goodness(best) - TIE_TOLERANCE
        ]
        if not ahead:
            return ""
        title, mean = max(ahead, key=lambda each: scale.goodness(each[1]))
        winners = self.listed_names(found.winners)
        reach = agreeing(len(found.winners), "reaches", "reach")
        level, reached = (number(each, self.decimals) for each in (mean, best))
        return say(
            f"No {self.noun} outperforms the {title} baseline over the {self.n_tracks_in_words} tracks ({level}); the "
            f"best, {winners}, {reach} {reached}."
        )

    @cached_property
    def baselines(self) -> list[tuple[str, float]]:
        """The computed baselines that every track has, but choices that know gold, with their mean scores."""
        found = self.found
        if not found.tracks.has_mean:
            return []
        of_tracks = [
            {each.slug: each for each in evaluation.baselines} for evaluation in found.evaluations
        ]
        weights = np.array(found.tracks.weights)
        levels = []
        for slug, baseline in of_tracks[0].items():
            if slug == "oracle" or not all(slug in each for each in of_tracks):
                continue
            rows = zip(of_tracks, found.evaluations, found.tracks.keys, strict=True)
            scores = [
                float(each[slug].values[evaluation.row(key)]) for each, evaluation, key in rows
            ]
            levels.append((baseline.title, float(np.average(scores, weights=weights))))
        return levels

    def more(self) -> list[str]:
        """What follows the verdict: the lead, who may be as good, what single tracks say otherwise, who has no rank."""
        skipped = (self._skipped(row) for row in self.found.winners)
        sentences = [
            self._lead(),
            self._may_be_better(),
            *self.contrasts(),
            *skipped,
            self._without_rank(),
        ]
        return [sentence for sentence in sentences if sentence]

    def _lead(self) -> str:
        found = self.found
        comparison = self.found.comparison
        if (
            comparison is None
            or len(found.winners) != 1
            or not comparison.compares([found.winners[0]])
        ):
            return ""
        first = found.winners[0]
        goodness = found.tracks.summary.rules[found.rule]
        behind = [row for row in found.ranked if row != first]
        if not behind:
            return ""
        sharing = [row for row in behind if goodness[row] >= goodness[behind[0]] - TIE_TOLERANCE]
        compared = [row for row in sharing if comparison.compares([row])]
        if len(compared) < len(sharing):
            return ""
        p, lower, upper = (
            each[first]
            for each in (
                comparison.adjusted_p,
                comparison.difference_lower,
                comparison.difference_upper,
            )
        )
        second = max(compared, key=lambda row: (p[row], -lower[row]))
        ends = self.range_of_difference(found.rule, float(lower[second]), float(upper[second]))
        if ends in {"–", NO_BOUND}:
            interval = "no 95% CI"
        else:
            interval = f"95% CI {ends}"
        if comparison.against_best[first, second]:
            against = " against the best"
        else:
            against = ""
        size = self.difference(found.rule, float(goodness[first] - goodness[second]))
        return say(
            f"The lead over {self.names[second]}, in second place, is {size} ({interval}, adjusted p "
            f"{p_phrase(float(p[second]))}{against})."
        )

    def _may_be_better(self) -> str:
        found = self.found
        comparison = self.found.comparison
        if comparison is None:
            return ""
        others = [row for row in comparison.contenders if row not in found.winners]
        if not others:
            return ""
        count = sentence_case(f"{in_words(len(others))} other {self.noun}s")
        if len(others) == 1:
            who = f"Only {self.names[others[0]]}"
        else:
            who = count
        return say(
            f"{who} may be equally good or better (95% confidence set for the best {self.noun})."
        )

    def contrasts(self) -> Iterator[str]:
        """Where tracks and the whole say different things of who is best."""
        found = self.found
        contrasts = self.found.contrasts
        if not found.winners or len(found.ranked) == 1:
            return
        winners = self.listed_names(found.winners)
        if contrasts.only_together:
            yield say(
                f"{winners} is significantly ahead of all others over the {self.n_tracks_in_words} tracks, but in no "
                "single track."
            )
        if contrasts.in_no_track:
            yield say(
                f"{winners} {agreeing(len(found.winners), 'ranks', 'rank')} first in none of the tracks."
            )
        for track, row, others in contrasts.alone_in_track[:_CONTRASTS_SHOWN]:
            yield self._alone_in_track(track, row, others)
        more = len(contrasts.alone_in_track) - _CONTRASTS_SHOWN
        if more > 0:
            tracks = f"In {in_words(more)} more {agreeing(more, 'track', 'tracks')}"
            yield say(
                f"{tracks} one {self.noun} is significantly ahead of all others, but not over all tracks."
            )
        if contrasts.everywhere_but_overall:
            rows = contrasts.everywhere_but_overall
            is_in = agreeing(len(rows), "is", "are")
            yield say(
                f"{self.listed_names(rows)} {is_in} in the confidence set of every track, but not overall: small "
                "deficits add up."
            )

    def _alone_in_track(self, track: int, row: int, others: tuple[int, ...]) -> str:
        name = track_name(self.found.evaluations[track])
        comparison = self.found.comparison
        alone = f"{self.names[row]} is significantly ahead of all other {self.noun}s in {name}, but"
        if comparison is None or not comparison.could_be_best[row]:
            return say(f"{alone} not in the confidence set over all tracks.")
        if len(others) == 1:
            who = self.names[others[0]]
        else:
            who = f"{in_words(len(others))} other {self.noun}s"
        return say(f"{alone} over all tracks {who} may be equally good or better.")

    def _skipped(self, row: int) -> str:
        """That a row which is first took part in fewer tracks, where skipping one counts as the last rank."""
        n_parts = int(self.found.tracks.n_parts[row])
        if n_parts == self.found.n_tracks:
            return ""
        return f"{self.names[row]} took part in {n_parts} of {self.found.n_tracks} tracks."

    def _without_rank(self) -> str:
        without = np.flatnonzero(~self.found.tracks.summary.ranked).tolist()
        if not without:
            return ""
        if len(without) == 1:
            missed = np.flatnonzero(self.found.tracks.entries[without[0]] < 0).tolist()
            tracks = [track_name(self.found.evaluations[track]) for track in missed]
            return f"{self.names[without[0]]} skipped {listed(tracks, limit=3)}: no overall rank."
        return f"{sentence_case(in_words(len(without)))} {self.noun}s skipped a track: no overall rank."

    # Other choices

    def choice_name(self, choice: CampaignChoice) -> str:
        """A choice inside a sentence, with its preposition."""
        if choice.kind is ChoiceKind.RULE:
            return f"by {choice.name}"
        if choice.kind is ChoiceKind.TRACK_LEFT_OUT:
            return f"without {track_name(self.found.evaluations[int(choice.name)])}"
        if choice.kind is ChoiceKind.EQUAL_WEIGHTS:
            return "with equal weights"
        if self.rule_of(choice) == MEAN:
            return f"by mean {self.metric_name(choice)}"
        return f"by {self.metric_name(choice)} in every track"

    def metric_name(self, choice: CampaignChoice) -> str:
        """The metric of a choice of another metric."""
        return phrase(choice.tracks.keys[0], choice.tracks.evaluations[0].task.label_set)

    def choice_value(self, choice: CampaignChoice, row: int) -> str:
        """What a row has by a choice, as printed."""
        return self.value(self.rule_of(choice), row, choice)

    def rule_of(self, choice: CampaignChoice) -> str:
        """The rule that sums up the tracks by a choice."""
        if choice.kind is ChoiceKind.RULE:
            return choice.name
        if self.found.rule == MEAN and not choice.tracks.has_mean:
            return MEAN_RANK
        return self.found.rule

    def choice_state(self, choice: CampaignChoice) -> str:
        """The state of a choice in words."""
        kinds = {
            ChoiceKind.METRIC: "metric",
            ChoiceKind.TRACK_LEFT_OUT: "track",
            ChoiceKind.RULE: "overall-rule",
        }
        return state_in_words(choice.state, kinds.get(choice.kind, "overall-rule"))

    def choice_reason(self, choice: CampaignChoice) -> str:
        """Why a choice was not tested; nothing where it was."""
        if choice.state is not State.NOT_TESTED:
            return ""
        if choice.over is None:
            return f"of more than {MOST_TESTED} {self.noun}s only the official rule is compared"
        return choice.over.reason or self.why_not_tested()

    def changes_of_winner(self, changing: Sequence[CampaignChoice]) -> str:
        """That the winner changes with rule, weights, or without a track, and if significantly."""
        kinds = {
            ChoiceKind.RULE: "with the overall rule",
            ChoiceKind.EQUAL_WEIGHTS: "with equal weights",
        }
        by_kind: dict[str, list[CampaignChoice]] = {}
        left_out = []
        for choice in changing:
            if choice.kind is ChoiceKind.TRACK_LEFT_OUT:
                left_out.append(choice)
            else:
                by_kind.setdefault(kinds[choice.kind], []).append(choice)
        if left_out:
            tracks = [track_name(self.found.evaluations[int(each.name)]) for each in left_out]
            is_left = f"if {listed(tracks, 'or', limit=4)} is left out"
            by_kind[is_left] = left_out
        parts = [f"{what}{self._unless_shown(choices)}" for what, choices in by_kind.items()]
        return say(f"the winner changes {listed(parts)}")

    @staticmethod
    def _unless_shown(choices: Sequence[CampaignChoice]) -> str:
        """Behind choices with another winner: nothing where one of them is shown."""
        states = {choice.state for choice in choices}
        if states & {State.OTHER_SHOWN, State.OTHER_SHOWN_THERE}:
            return ""
        if states == {State.NOT_TESTED}:
            return " (not tested)"
        return " (not significantly)"

    def choice_sentence(self, choice: CampaignChoice) -> str:
        """What a choice makes of the first place, in one sentence."""
        under = self.choice_name(choice)
        winners = choice.winners
        if not winners:
            return say(f"{sentence_case(under)} the teams cannot be ranked.")
        who = self.listed_names(winners)
        win = agreeing(len(winners), "wins", "tie for first place")
        value = self.choice_value(choice, winners[0])
        if choice.state is State.NOT_TESTED:
            return say(f"{who} {win} {under} ({value}); not tested: {self.choice_reason(choice)}.")
        if choice.state.is_same:
            if choice.comparison is None:
                others = []
            else:
                others = [r for r in choice.comparison.contenders if r not in winners]
            too = ", too" if set(winners) == set(self.found.winners) else ""
            if not others:
                return say(f"{who} {win} {under}{too}.")
            counted = f"{in_words(len(others))} other {self.noun}{'s' * (len(others) > 1)}"
            return say(f"{who} {win} {under}{too}; {counted} may be equally good or better there.")
        return say(f"{who} {win} {under} ({value}){self._lead_there(choice)}.")

    def _lead_there(self, choice: CampaignChoice) -> str:
        """How far the other winner is ahead of the official one, with the adjusted p."""
        comparison = choice.comparison
        first = self.found.winners
        there = choice.winners
        if (
            comparison is None
            or len(first) > 1
            or len(there) > 1
            or not comparison.compares([first[0], there[0]])
        ):
            return ""
        rule = self.rule_of(choice)
        goodness = choice.tracks.summary.rules[rule]
        lead = self.difference(rule, float(goodness[there[0]] - goodness[first[0]]))
        p = p_phrase(float(comparison.adjusted_p[there[0], first[0]]))
        return f", {lead} ahead of {self.names[first[0]]} (adjusted p {p})"

    # Two rows, and what the tracks can tell

    def pair(self, first: int, second: int) -> Iterator[str]:
        """How far apart two rows are by the rule of the ranking, and how sure that is."""
        found = self.found
        comparison = self.found.comparison
        names = [self.names[row] for row in (first, second)]
        values = [
            self.value(found.rule, row) if found.tracks.summary.ranked[row] else "–"
            for row in (first, second)
        ]
        what = self.mean_of() if found.rule == MEAN else f"a {found.rule}"
        of_first = f"{names[0]} has {what} of {values[0]}"
        yield f"Over the {self.n_tracks_in_words} tracks {of_first}, {names[1]} {values[1]}."
        if comparison is None or not comparison.compares([first, second]):
            yield say(f"They are not compared: {self._why_no_pair(first, second)}.")
            return
        goodness = found.tracks.summary.rules[found.rule]
        ends = self.range_of_difference(
            found.rule,
            float(comparison.difference_lower[first, second]),
            float(comparison.difference_upper[first, second]),
        )
        p = p_phrase(float(comparison.adjusted_p[first, second]))
        difference = self.difference(found.rule, float(goodness[first] - goodness[second]))
        yield say(f"Their difference is {difference} (95% CI {ends}, adjusted p {p}).")
        if comparison.ahead[first, second] or comparison.ahead[second, first]:
            if comparison.ahead[first, second]:
                ahead, behind = names
            else:
                ahead, behind = names[::-1]
            yield say(f"{ahead} is significantly ahead of {behind} over all tracks.")
        else:
            yield say("Neither is significantly ahead; that is no evidence of equality.")

    def _why_no_pair(self, first: int, second: int) -> str:
        found = self.found
        skipped = [
            self.names[row] for row in (first, second) if found.tracks.n_parts[row] < found.n_tracks
        ]
        if skipped:
            return f"{listed(skipped)} skipped a track"
        return found.over.reason or "one of them is no team that every track compares"

    def power(self) -> Iterator[str]:
        """The smallest difference that the tracks detect together, by the rule of the ranking."""
        comparison = self.found.comparison
        error = self.found.median_error
        if comparison is None or np.isnan(error):
            yield say(f"What the tracks detect together is not known: {self.why_not_tested()}.")
            return
        if not np.isfinite(comparison.critical_value):
            yield say("With so few groups no difference over the tracks can be significant at 5%.")
            return
        half = comparison.critical_value * error
        likely = detectable(comparison.critical_value, error)
        yield say(
            f"Over the {self.n_tracks_in_words} tracks a difference of {self.found.rule}s is detected with 50% "
            f"power at {self.difference(self.found.rule, half)}, with 80% at "
            f"{self.difference(self.found.rule, likely)} (median pair, all pairs compared)."
        )
        if self.found.rule != MEAN:
            return
        for evaluation in self.found.evaluations:
            own = next(iter(evaluation.power), None)
            if own is not None and np.isfinite(own.median_detected_among_all):
                yield say(
                    f"{track_name(evaluation)} by itself: with 80% at {short(own.median_detected_among_all)}."
                )

    # Size and method

    def facts(self) -> tuple[str, ...]:
        """The size of the campaign."""
        evaluations = self.found.evaluations
        tracks = self.found.tracks
        rule = self.found.rule
        if tracks.announced == rule:
            official = f"overall rule: {rule}"
        elif tracks.announced is not None:
            official = f"ranked by {rule} (overall rule: {tracks.announced})"
        else:
            official = f"ranked by {rule}"
        keys = set(tracks.keys)
        if len(keys) == 1:
            metric = phrase(tracks.keys[0], evaluations[0].task.label_set)
        else:
            metric = f"{len(keys)} metrics"
        teams = len({row.team for row in tracks.rows})
        runs = (f"{len(tracks.rows):,} runs",) if self.noun == "run" else ()
        return (
            plural(len(evaluations), "track"),
            self.items(),
            plural(teams, "team"),
            *runs,
            official,
            metric,
        )

    def items(self) -> str:
        """How many items there are, each counted once, and how many of them are in several tracks."""
        n_items, n_repeated = count_items(self.found.evaluations)
        counted = plural(n_items, "item")
        if not n_repeated:
            return counted
        return f"{counted} ({n_repeated:,} of them in several tracks)"

    def participation(self) -> str:
        """How many teams took part, in how many of the tracks."""
        n_parts = self.found.tracks.n_parts
        n_all = int((n_parts == self.found.n_tracks).sum())
        rows = plural(len(n_parts), self.noun)
        if n_all == len(n_parts):
            return f"All {rows} took part in all {self.n_tracks_in_words} tracks."
        return f"{sentence_case(in_words(n_all))} of {rows} took part in all {self.n_tracks_in_words} tracks."

    def table_notes(self, *, tracks: bool) -> Iterator[str]:
        """How the marks of a table are read."""
        found = self.found
        if found.comparison is not None:
            yield say("●: in the 95% confidence set for the best team; Ranks: possible ranks.")
            yield say("* corrected for selection. Bold: significantly ahead of all others.")
        if tracks:
            yield say("In a track: rank as subscript, and ● by the track itself.")
        if len(found.ranked) < len(found.order):
            yield "–: no overall rank."
        if tracks and (found.tracks.entries < 0).any():
            yield "absent: took no part in the track."

    def weighing(self) -> str:
        """How tracks are weighed."""
        tracks = self.found.tracks
        if len(set(tracks.weights)) == 1:
            return "Every track counts alike, whatever its size."
        pairs = zip(tracks.evaluations, tracks.weights, strict=True)
        weights = listed(
            [f"{track_name(evaluation)} {decimal_text(weight)}" for evaluation, weight in pairs]
        )
        return f"Tracks count by their weights, whatever their size: {weights}."

    def method(self) -> Iterator[str]:
        """How tracks are summed up and compared."""
        found = self.found
        means = self.found.means
        yield self.weighing()
        if found.tracks.skipped == "left-out":
            yield f"A {self.noun} that skipped a track has no overall rank."
        else:
            yield (
                f"A {self.noun} that skipped a track has the last rank there, which all that skipped it share, and no "
                "mean score."
            )
        if not found.tracks.has_mean:
            yield "There is no mean score: the tracks have different official metrics, and no overall rule is stated."
        elif means.reason:
            yield say(f"No mean score has an interval or a test: {means.reason}.")
        else:
            yield from self._of_means()
        yield from self._of_ranks()

    def _of_ranks(self) -> Iterator[str]:
        reason = self.found.compared_by(MEAN_RANK).reason
        if reason:
            yield say(f"Mean ranks and Borda counts have no interval and no test: {reason}.")
            return
        yield say(
            "Expected mean ranks and expected Borda counts are compared: what a team gets on average "
            "over test sets of these sizes. The scores of every track are redrawn about those observed, and ranked; "
            "how the redrawn mean ranks vary gives intervals and p-values. A team that is "
            "significantly ahead of another in every track is ahead of it by ranks."
        )
        yield say(
            "A rank counts a small difference like a large one: a team that is far ahead in half of the tracks and "
            "hardly behind in the others can be significantly ahead by mean rank."
        )

    def _of_means(self) -> Iterator[str]:
        means = self.found.means
        names = [track_name(evaluation) for evaluation in self.found.evaluations]
        yield say(
            "95% CI of a mean score: the squared distances of its scores from the ends of their own intervals add up, "
            "and their products times the correlation of the scores (MOVER; Zou 2007)."
        )
        if means.shared:
            pairs = [
                f"{names[each.first]} and {names[each.second]} {each.n_items:,}"
                for each in means.shared
            ]
            yield say(
                f"Tracks have items in common ({listed(pairs, limit=5)}); what an item adds to several tracks is added "
                "before anything is squared."
            )
        else:
            yield say("Tracks have no item in common, and are taken as independent samples.")
        if means.has_groups:
            yield say(
                "Differences are compared by random signs of whole groups, the same in every track that has the group."
            )
        else:
            yield say(
                "Differences are compared by the largest of all pairs (Gaussian max-t), by the variance of the sum."
            )
        yield say(
            "The 95% confidence set contains the true best team in 95% of campaigns; all pairwise claims hold together "
            "in 95%. The confidence set and the pairwise claims of each single track hold in 95% for "
            "that track alone, not for all tracks together."
        )
