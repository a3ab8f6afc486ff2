"""What came out, as a results section says it: who is first, who could be best, and what the first place depends on."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.domain import Comparison, Evaluation, Power, ScoreKey, Support, WinnerChange
from audit.flags.power_sentences import about, percent
from audit.flags.shown_intervals import shown_intervals
from audit.metrics import BOTH_MACRO_F1, phrase
from audit.report.interval_reasons import ranking_comparison
from audit.report.paper.setting import Setting
from audit.report.table_printing import Printing, printing
from audit.text import agreeing, listed, number

_PAIR = 2
_MOST_NAMED = 8
_LEVEL, _POWER = 1.959964, 0.841621  # standard normal quantiles of 97.5% and 80%
_SLUGS = {
    Support.TIE_BROKEN: "paper-change-tie-broken",
    Support.REAL: "paper-change-real",
    Support.OPEN: "paper-change-open",
    Support.NOT_TESTED: "paper-change-not-tested",
}


@dataclass(frozen=True)
class PaperFindings:
    """The results of one evaluation, as TeX or as plain text."""

    evaluation: Evaluation
    """The evaluation whose results are told."""
    setting: Setting
    """The way in which sentences are set."""

    def sentences(self) -> Iterator[str]:
        """All sentences of the results, in the order in which a paper says them."""
        yield from self._first()
        yield from self._best()
        yield from self._leader_against_others()
        yield from self._pairs()
        yield from self._macro_f1s()
        yield from self._changes()
        yield from self._power()

    # What they share

    @property
    def _key(self) -> ScoreKey:
        return self.evaluation.task.ranking_metric

    @property
    def _metric(self) -> str:
        return self._words(self._key)

    def _sentence(self, slug: str, **values: object) -> str:
        return self.setting.sentence(slug, **values)

    def _words(self, key: ScoreKey) -> str:
        """A score's name inside a sentence."""
        return self.setting.text(phrase(key, self.evaluation.task.label_set))

    @cached_property
    def _show(self) -> Printing:
        return printing(self.evaluation)

    @cached_property
    def _comparison(self) -> Comparison | None:
        """The comparison by the ranking metric, where there are two to compare."""
        return ranking_comparison(self.evaluation) if len(self._compared) >= _PAIR else None

    @cached_property
    def _compared(self) -> list[int]:
        return [entry for entry in self.evaluation.order(self._key) if self.evaluation.comparable[entry]]

    @property
    def _winners(self) -> list[int]:
        return list(self.evaluation.winners(self._key))

    def _listed(self, entries: Sequence[int], limit: int = _MOST_NAMED) -> str:
        return listed([self.setting.name(entry) for entry in entries], limit=limit)

    def _score(self, value: float) -> str:
        return self.setting.number(self._show.score(value))

    def _of(self, key: ScoreKey, entries: Sequence[int]) -> str:
        """Entries with their score, which they share."""
        return f"{self._listed(entries)} ({self._score(float(self.evaluation.scores_of(key)[entries[0]]))})"

    # Who is first

    def _first(self) -> Iterator[str]:
        winners = self._winners
        if not self.evaluation.competing.any():
            yield "No submission takes a rank."
        elif not winners:
            yield f"No submission has a defined score by {self._metric}."
        elif len(winners) > 1:
            score = self._score(float(self.evaluation.scores_of(self._key)[winners[0]]))
            yield f"By {self._metric}, {self._listed(winners)} share first place ({score})."
        else:
            yield from self._single_winner(winners[0])

    def _single_winner(self, winner: int) -> Iterator[str]:
        """A sentence on the winner with the corrected interval, or why there is none."""
        score = self._score(float(self.evaluation.scores_of(self._key)[winner]))
        shown = shown_intervals(self.evaluation, self._key)
        ends = shown.ends(winner) if shown is not None and winner in shown.corrected else None
        name = self.setting.name(winner)
        if ends is not None:
            lower, upper = map(self._score, ends)
            yield self._sentence("paper-first", metric=self._metric, name=name, score=score, lower=lower, upper=upper)
            return
        yield f"By {self._metric}, {name} is first ({score})."
        if shown is not None and shown.marks[winner]:
            yield self._sentence(f"paper-mark-{shown.marks[winner].value}")

    def _best(self) -> Iterator[str]:
        """Sentences on who could be best, and for how many more rank 1 is possible."""
        comparison = self._comparison
        if comparison is None or not comparison.could_be_best.any():
            return
        best = [entry for entry in self._compared if comparison.could_be_best[entry]]
        if len(best) == 1:
            yield self._sentence("paper-one-best", name=self._listed(best), metric=self._metric)
        else:
            yield self._sentence(
                "paper-could-be-best", n=f"{len(best):,}", metric=self._metric, names=self._listed(best)
            )
        n_more = int(((comparison.possible_ranks[:, 0] == 1) & ~comparison.could_be_best).sum())
        if n_more:
            yield self._sentence("paper-rank-1-possible", n=f"{n_more:,}")

    def _leader_against_others(self) -> Iterator[str]:
        """Sentences on the entries from which the leader is separable."""
        comparison = self._comparison
        if comparison is None or comparison.leader is None:
            return
        leader, winners = comparison.leader, self._winners
        level = winners if leader in winners else [leader]
        others = [entry for entry in self._compared if entry not in level]
        rivals = [entry for entry in others if not comparison.ahead[leader, entry]]
        name = self.setting.name(leader) + ("" if leader in winners else ", the first of those compared,")
        behind = " behind first place" if len(level) > 1 else ""
        if rivals:
            some = "one other" if len(rivals) == 1 else f"{len(rivals):,} others"
            yield self._sentence("paper-not-separable", name=name, whom=f"{some}{behind} ({self._listed(rivals, 6)})")
        elif len(others) == 1:
            yield self._sentence("paper-separable-from-all", name=name, whom=self._listed(others))
        elif others:
            restriction = " that are compared" if len(self._compared) < len(self.evaluation.entries) else ""
            whom = f"each of the {len(others):,} others{behind}{restriction}"
            yield self._sentence("paper-separable-from-all", name=name, whom=whom)

    def _pairs(self) -> Iterator[str]:
        comparison, n_compared = self._comparison, len(self._compared)
        if comparison is None or n_compared <= _PAIR:
            return
        n_separable = int(comparison.ahead.sum())
        is_ = agreeing(n_separable, "is", "are")
        pairs = f"{math.comb(n_compared, 2):,}"
        yield self._sentence("paper-pairs", pairs=pairs, n=f"{n_separable:,}", is_=is_, metric=self._metric)

    # What the first place depends on

    def _macro_f1s(self) -> Iterator[str]:
        """Whether the two macro F1s agree on the winner, where no test is said of it below."""
        keys = [ScoreKey(slug) for slug in BOTH_MACRO_F1]
        first = [list(self.evaluation.winners(key)) for key in keys]
        if not all(first):
            return
        if first[0] == first[1]:
            noun = "winner" if len(first[0]) == 1 else "winners"
            yield f"Both definitions of macro F1 have the same {noun}, {self._listed(first[0])}."
            return
        is_stated = any(change.kind == "macro-f1" and change.support in _SLUGS for change in self._known_changes)
        source = self.setting.cited("opitz-burst-2019-macro")
        cited = f"Which submission is first by macro F1 depends on the definition{source}"
        if is_stated:
            yield f"{cited}."
        else:
            one, other = (
                f"{self._words(key)} {self._of(key, winners)}" for key, winners in zip(keys, first, strict=True)
            )
            yield f"{cited}: by {one}, by {other}."

    @cached_property
    def _known_changes(self) -> list[WinnerChange]:
        """Whether the first place changes by each other score, each choice once."""
        certainty = self.evaluation.certainty
        changes = () if certainty is None else certainty.changes
        by_keys: dict[frozenset[ScoreKey], WinnerChange] = {}
        for change in changes:
            if all(change.winners):
                by_keys.setdefault(frozenset(change.keys), change)
        return list(by_keys.values())

    def _changes(self) -> Iterator[str]:
        """Every change of winner with its state; then by which scores the first place holds."""
        alike: dict[tuple[object, ...], list[WinnerChange]] = {}
        for change in self._known_changes:
            if change.support in _SLUGS:
                alike.setdefault((change.keys[0], change.winners, change.support), []).append(change)
        for changes in alike.values():
            yield self._change(changes)
        held = [
            next(key for key in reversed(change.keys) if key != self._key)
            for change in self._known_changes
            if change.support is Support.HOLDS and change.kind != "macro-f1"
        ]
        if held:
            yield self._sentence("paper-change-holds", other=self._scores_listed(held))

    def _change(self, changes: Sequence[WinnerChange]) -> str:
        """Choices by which the same others are first, in one sentence."""
        support, sides = changes[0].support, [*zip(changes[0].keys, changes[0].winners, strict=True)]
        if support is Support.TIE_BROKEN:  # whoever shares first place by the ranking metric is named first
            sides.sort(key=lambda side: side[0] != self._key)
        (one, first), (other, second) = sides
        return self._sentence(
            _SLUGS[support],
            one=self._words(one),
            first=self._of(one, first),
            is_=agreeing(len(first), "is", "are"),
            other=self._scores_listed([other] if len(changes) == 1 else [change.keys[1] for change in changes]),
            second=self._of(other, second) if len(changes) == 1 else self._listed(second),
            stand=agreeing(len(second), "stands", "stand"),
        )

    def _scores_listed(self, keys: Sequence[ScoreKey]) -> str:
        return listed([self._words(key) for key in keys], limit=12)

    # What the test set can tell

    def _power(self) -> Iterator[str]:
        """Sentences on what the test set can tell by the ranking metric."""
        for power in self.evaluation.power:
            if power.key == self._key:
                yield from self._detected(power)
                yield from self._carried(power)

    def _detected(self, power: Power) -> Iterator[str]:
        critical = power.critical_value
        if not np.isnan(critical * power.median_error):
            half, detected = (self._difference(factor * power.median_error) for factor in (critical, critical + _POWER))
            cited = self.setting.cited("card-etal-2020-little")
            items = f"{power.n_items:,}"
            yield self._sentence(
                "paper-detects", items=items, metric=self._metric, half=half, detected=detected, power=cited
            )
        if power.difference > 0 and power.standard_error > 0 and not np.isnan(critical):
            pair, among_all = (
                about(math.ceil(power.n_items * ((factor + _POWER) * power.standard_error / power.difference) ** 2))
                for factor in (_LEVEL, critical)
            )
            first, second = self.setting.name(power.first), self.setting.name(power.second)
            difference = self._difference(power.difference)
            yield self._sentence(
                "paper-items-needed", first=first, second=second, difference=difference, pair=pair, all_=among_all
            )

    def _carried(self, power: Power) -> Iterator[str]:
        """Sentences on how little would change the first place."""
        first = self.setting.name(power.first)
        if power.carried_by is not None:
            yield self._sentence(
                "paper-carried-by",
                n=f"{power.carried_by.n_items:,}",
                carried=self.setting.cited("broderick-etal-2020-automatic"),
                rival=self.setting.name(power.carried_by.rival),
                first=first,
                metric=self._metric,
            )
        if power.label_noise is not None:
            shares = listed([self.setting.text(f"{100 * share:g}%") for share in power.label_noise.shares])
            noise = power.label_noise.stays
            stays = listed(
                [self.setting.text(percent(share)) for share in (noise if len(set(noise)) > 1 else noise[:1])]
            )
            yield self._sentence(
                "paper-label-noise",
                share=shares,
                first=first,
                metric=self._metric,
                stays=stays,
                noise=self.setting.cited("northcutt-etal-2021-pervasive"),
            )

    def _difference(self, value: float) -> str:
        return self.setting.number(number(value, 3))
