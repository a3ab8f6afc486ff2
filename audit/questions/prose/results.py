"""The results in four sentences, from the values of the verdict: nothing of the first screen is missing, nothing added.

Who is first by what, and how sure; who could be best; what other choices make of the first place; what must not be
concluded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.domain import Claim, Evaluation, ScoreKey, State, WinnerChange
from audit.metrics import phrase
from audit.questions.against_baselines import baseline_ahead
from audit.questions.claim import gold_copies, have_and_file
from audit.questions.printing import printing
from audit.questions.prose.setting import Plain
from audit.questions.shown_intervals import shown_intervals
from audit.questions.winner_changes import changes_of
from audit.questions.wording import beyond, winners_by
from audit.text import agreeing, listed, plural, quoted

_MOST_NAMED = 3
_MOST_SCORES = 2


@dataclass(frozen=True)
class PaperFindings:
    """The results of one evaluation, as TeX or as plain text."""

    evaluation: Evaluation
    setting: Plain

    def sentences(self) -> Iterator[str]:
        """The sentences, at most four, as a paper says them; before them what destroys the verdict."""
        yield from self._warnings()
        yield from self._first()
        yield from self._best()
        yield from self._choices()
        if self.evaluation.certainty is not None:
            yield self.setting.sentence("paper-limit")

    @property
    def _key(self) -> ScoreKey:
        return self.evaluation.task.ranking_metric

    @property
    def _metric(self) -> str:
        return self._words(self._key)

    def _words(self, key: ScoreKey) -> str:
        """A score's name inside a sentence."""
        return self.setting.text(phrase(key, self.evaluation.task.label_set))

    def _listed(self, entries: Sequence[int]) -> str:
        named = [self.setting.name(entry) for entry in entries[:_MOST_NAMED]]
        return listed([*named, *map(str, entries[_MOST_NAMED:])], limit=_MOST_NAMED)

    def _score(self, value: float) -> str:
        return self.setting.number(printing(self.evaluation).score(value))

    # What destroys the verdict

    def _warnings(self) -> Iterator[str]:
        if copies := gold_copies(self.evaluation):
            yield self.setting.sentence("verdict-gold-copy", names=self._listed(copies), **have_and_file(copies))
        if ahead := baseline_ahead(self.evaluation, self._named):
            side = beyond(self.evaluation, self._key)
            yield self.setting.sentence("verdict-baseline", beyond=side, baseline=ahead[0], score=self._score(ahead[1]))

    def _named(self, title: str) -> str:
        """A baseline's name as it is set, by hand too; another title, or a label, in quotes."""
        names = self.evaluation.names
        return self.setting.name(names.index(title)) if title in names else self.setting.text(quoted(title))

    # Who is first

    def _first(self) -> Iterator[str]:
        winners = self.evaluation.winners(self._key)
        if not self.evaluation.competing.any():
            yield "No submission takes a rank."
        elif not winners:
            yield f"No submission has a defined score by {self._metric}."
        elif len(winners) > 1:
            score = self._score(float(self.evaluation.scores_of(self._key)[winners[0]]))
            yield f"By {self._metric}, {self._listed(winners)} share first place ({score})."
        else:
            yield self._single_winner(winners[0])

    def _single_winner(self, winner: int) -> str:
        """A sentence on the winner with the corrected interval, if there is one."""
        score, name = self._score(float(self.evaluation.scores_of(self._key)[winner])), self.setting.name(winner)
        shown = shown_intervals(self.evaluation, self._key)
        ends = shown.ends(winner) if shown is not None and winner in shown.corrected else None
        if ends is None:
            return f"By {self._metric}, {name} is first ({score})."
        lower, upper = map(self._score, ends)
        facts = {"metric": self._metric, "name": name, "score": score, "lower": lower, "upper": upper}
        return self.setting.sentence("paper-first", **facts)

    def _best(self) -> Iterator[str]:
        """A sentence on who could be best."""
        verdict = self.evaluation.verdict
        if verdict.claim is Claim.BEST:
            yield self.setting.sentence("paper-one-best", name=self._listed(verdict.winners))
        elif verdict.claim in {Claim.OPEN, Claim.SHARED} and len(verdict.could_be_best) > 1:
            others = [entry for entry in verdict.could_be_best if entry not in verdict.winners]
            names = self._listed(others or verdict.could_be_best)
            slug = "paper-could-be-best" if others else "paper-tied-best"
            yield self.setting.sentence(slug, n=plural(len(others), "other"), names=names)

    # What other choices make of the first place

    def _choices(self) -> Iterator[str]:
        """Who else is first by which other score, the worst state first; or that the same is first by all."""
        changes = [
            change
            for change in changes_of(self.evaluation)
            if all(winners_by(self.evaluation, key) for key in change.keys)
        ]
        others = [change for change in changes if set(change.winners[0]) != set(change.winners[1])]
        if others:
            state = min((change.state for change in others), key=list(State).index)
            worst = [change for change in others if change.state is state]
            more = self._more([change.state for change in others if change.state is not state])
            yield self.setting.sentence(f"paper-other-{state}", clauses=self._clauses(worst), more=more)
        elif changes:
            n_shown = sum(change.state is State.SAME_SHOWN for change in changes)
            scores = self._scores([change.keys[1] for change in changes])
            slug = "paper-same-shown" if n_shown == len(changes) else "paper-same"
            is_ = agreeing(len(changes[0].winners[0]), "is", "are")
            yield self.setting.sentence(slug, names=self._listed(changes[0].winners[0]), is_=is_, scores=scores)

    def _more(self, states: Sequence[State]) -> str:
        """How many more changes there are, of better states."""
        state = "not-tested" if set(states) == {State.NOT_TESTED} else "not-shown"
        return self.setting.sentence(f"paper-more-{state}", n=f"{len(states):,}") if states else ""

    def _clauses(self, changes: Sequence[WinnerChange]) -> str:
        """Who is first by which scores, those with the same winners together."""
        scores_of: dict[tuple[int, ...], list[ScoreKey]] = {}
        for change in changes:
            scores_of.setdefault(change.winners[1], []).append(change.keys[1])
        limit = 1 if len(scores_of) > 1 else _MOST_SCORES
        clauses = [f"{self._listed(winners)} by {self._scores(keys, limit)}" for winners, keys in scores_of.items()]
        n_more = len(clauses) - _MOST_NAMED
        return "; ".join([*clauses[:_MOST_NAMED], *([f"{n_more} more"] if n_more > 0 else [])])

    def _scores(self, keys: Sequence[ScoreKey], limit: int = _MOST_SCORES) -> str:
        words = [self._words(key) for key in dict.fromkeys(keys)]
        n_more = len(words) - limit
        return listed([*words[:limit], *([plural(n_more, "other")] if n_more > 0 else [])])
