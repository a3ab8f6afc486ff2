"""What was scored and tested, and how, and what was found, in sentences that a paper can take."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from audit.domain import Certainty, Claim, Evaluation, Role, ScoreKey, State, WinnerChange
from audit.metrics import named_metric, phrase, without_rest
from audit.questions.against_baselines import baseline_ahead, near_baseline
from audit.questions.claim import gold_copies, have_and_file
from audit.questions.comparisons import changes_of, ranking_comparison
from audit.questions.printing import printing
from audit.questions.references import OF_ITEM_SCORES, REFERENCES
from audit.questions.shown_intervals import shown_intervals
from audit.questions.wording import (
    beyond,
    drawn,
    draws_units,
    gold_counted,
    labels_counted,
    runs_counted,
    shown_name,
    winners_by,
)
from audit.sentences import say
from audit.text import agreeing, listed, plural, quoted, sentence_case, visible
from audit.version import versions

_MOST_NAMED = 3
_MOST_SCORES = 2
_FURTHER = frozenset({"class-set", "slice", "missing-items"})  # choices other than a score


# Marks for what a writer sets: control characters stand in no text of a user's, where `visible` shows them as escapes.
_ENTRY, _REFERENCES = re.compile("\x01(\\d+)\x02"), re.compile("\x03([^\x04]+)\x04")


def _name(entry: int) -> str:
    """The place of an entry's name."""
    return f"\x01{entry}\x02"


def _cited(*keys: str) -> str:
    """The place of references."""
    return f" \x03{','.join(keys)}\x04"


def filled(sentence: str, name: Callable[[int], str], cited: Callable[[list[str]], str]) -> str:
    """A sentence with its names and references set."""
    named = _ENTRY.sub(lambda found: name(int(found[1])), sentence)
    return _REFERENCES.sub(lambda found: cited(found[1].split(",")), named)


def plain_prose(evaluation: Evaluation, sentences: Iterable[str]) -> str:
    """Sentences as plain text, to be copied into any document: authors and years in parentheses."""
    told = " ".join(sentences)
    return filled(told, partial(shown_name, evaluation), lambda keys: f"({'; '.join(map(author_and_year, keys))})")


def entries_named(sentences: Iterable[str]) -> frozenset[int]:
    """The entries that sentences name."""
    return frozenset(int(entry) for sentence in sentences for entry in _ENTRY.findall(sentence))


def _shown(text: str) -> str:
    return visible(text, 10_000)


def author_and_year(key: str) -> str:
    """Author and year of a BibTeX key of ours: one author, two, or the first of several.

    >>> [author_and_year(key) for key in ("hsu-1984-constrained", "romano-wolf-2005-exact", "card-etal-2020-little")]
    ['Hsu 1984', 'Romano and Wolf 2005', 'Card et al. 2020']
    >>> author_and_year("delong-etal-1988-comparing")
    'DeLong et al. 1988'
    """
    authors, year, _ = re.split(r"-(\d{4})-", key)
    first, *others = authors.split("-")
    if others == ["etal"]:
        return f"{_SPELT[first]} et al. {year}"
    return f"{' and '.join(_SPELT[name] for name in (first, *others))} {year}"


_SPELT = {name.lower(): name for name in re.findall(r"(?:author = {|\band )([^,{}]+),", REFERENCES + OF_ITEM_SCORES)}
"""Surnames as the bibliography spells them, by their form in keys."""


@dataclass(frozen=True)
class PaperFindings:
    """The results of one evaluation, with marks for names and references."""

    evaluation: Evaluation

    def sentences(self) -> Iterator[str]:
        """The sentences, at most four, as a paper says them; before them what destroys the verdict."""
        if copies := gold_copies(self.evaluation):
            yield say("verdict-gold-copy", names=self._listed(copies), **have_and_file(copies))
        if ahead := baseline_ahead(self.evaluation, self._named):
            side = beyond(self.evaluation, self._key)
            yield say("verdict-baseline", beyond=side, baseline=ahead[0], score=self._score(ahead[1]))
        yield from self._first()
        yield from self._best()
        yield from self._near()
        yield from self._choices()
        if self.evaluation.certainty is not None:
            yield say("paper-limit")

    @property
    def _key(self) -> ScoreKey:
        return self.evaluation.task.ranking_metric

    @property
    def _metric(self) -> str:
        return self._words(self._key)

    def _words(self, key: ScoreKey) -> str:
        """A score's name inside a sentence."""
        return _shown(phrase(key, self.evaluation.task.label_set))

    def _listed(self, entries: Sequence[int]) -> str:
        named = [_name(entry) for entry in entries[:_MOST_NAMED]]
        return listed([*named, *map(str, entries[_MOST_NAMED:])], limit=_MOST_NAMED)

    def _score(self, value: float) -> str:
        return printing(self.evaluation).score(value)

    # What destroys the verdict

    def _named(self, title: str) -> str:
        """A baseline's name as it is set, by hand too; another title, or a label, in quotes."""
        names = self.evaluation.names
        return _name(names.index(title)) if title in names else _shown(quoted(title))

    # Who is first

    def _near(self) -> Iterator[str]:
        """An answer that does not look at the items, where it is within the interval of a single first."""
        near = near_baseline(self.evaluation, self._named) if len(self.evaluation.winners(self._key)) == 1 else None
        if near is not None:
            (baseline, level), leader, end = near
            facts = {"score": self._score(level), "leader": _name(leader), "end": self._score(end)}
            yield say("verdict-near-baseline", baseline=sentence_case(baseline), **facts)

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
        score, name = self._score(float(self.evaluation.scores_of(self._key)[winner])), _name(winner)
        shown = shown_intervals(self.evaluation, self._key)
        ends = shown.ends(winner) if shown is not None and winner in shown.corrected else None
        if ends is None:
            return f"By {self._metric}, {name} is first ({score})."
        lower, upper = map(self._score, ends)
        facts = {"metric": self._metric, "name": name, "score": score, "lower": lower, "upper": upper}
        return say("paper-first", **facts)

    def _best(self) -> Iterator[str]:
        """A sentence on who could be best."""
        verdict = self.evaluation.verdict
        if verdict.claim is Claim.BEST:
            yield say("paper-one-best", name=self._listed(verdict.winners))
        elif verdict.claim in {Claim.OPEN, Claim.SHARED} and len(verdict.could_be_best) > 1:
            others = [entry for entry in verdict.could_be_best if entry not in verdict.winners]
            names = self._listed(others or verdict.could_be_best)
            slug = "paper-could-be-best" if others else "paper-tied-best"
            yield say(slug, n=plural(len(others), "other"), names=names)

    # What other choices make of the first place

    def _choices(self) -> Iterator[str]:
        """Who else is first by which other choice, the worst state first; or that the same is first by all scores."""
        changes = [
            change
            for change in changes_of(self.evaluation)
            if change.keys[0].metric == self._key.metric
            and all(winners_by(self.evaluation, key) for key in change.keys)
        ]
        others = [change for change in changes if set(change.winners[0]) != set(change.winners[1])]
        rows = self.evaluation.verdict.depends_on
        further = [
            row for row in rows if row.choice in _FURTHER and row.state in {State.OTHER_SHOWN, State.OTHER_NOT_SHOWN}
        ]
        states = [*(change.state for change in others), *(row.state for row in further)]
        if states:
            worst = min(states, key=list(State).index)
            by_scores = self._clauses([change for change in others if change.state is worst])
            clauses = [*by_scores, *(_shown(row.first) for row in further if row.state is worst)]
            more = self._more([state for state in states if state is not worst])
            by = "choices" if further else "scores"
            yield say(f"paper-other-{worst}", by=by, clauses="; ".join(clauses), more=more)
        elif changes:
            n_shown = sum(change.state is State.SAME_SHOWN for change in changes)
            scores = self._scores([change.keys[1] for change in changes])
            slug = "paper-same-shown" if n_shown == len(changes) else "paper-same"
            is_ = agreeing(len(changes[0].winners[0]), "is", "are")
            yield say(slug, names=self._listed(changes[0].winners[0]), is_=is_, scores=scores)

    def _more(self, states: Sequence[State]) -> str:
        """How many more changes there are, of better states."""
        state = "not-tested" if set(states) == {State.NOT_TESTED} else "not-shown"
        return say(f"paper-more-{state}", n=f"{len(states):,}") if states else ""

    def _clauses(self, changes: Sequence[WinnerChange]) -> list[str]:
        """Who is first by which scores, those with the same winners together."""
        scores_of: dict[tuple[int, ...], list[ScoreKey]] = {}
        for change in changes:
            scores_of.setdefault(change.winners[1], []).append(change.keys[1])
        limit = 1 if len(scores_of) > 1 else _MOST_SCORES
        clauses = [f"{self._listed(winners)} by {self._scores(keys, limit)}" for winners, keys in scores_of.items()]
        n_more = len(clauses) - _MOST_NAMED
        return [*clauses[:_MOST_NAMED], *([f"{n_more} more"] if n_more > 0 else [])]

    def _scores(self, keys: Sequence[ScoreKey], limit: int = _MOST_SCORES) -> str:
        words = [self._words(key) for key in dict.fromkeys(keys)]
        n_more = len(words) - limit
        return listed([*words[:limit], *([plural(n_more, "other")] if n_more > 0 else [])])


_RUNS = {
    "primary": "Of several runs of a team, the primary one counts.",
    "last": "Of several runs of a team, the last one by name counts.",
    "best": "Of several runs of a team, the best by the ranking metric counts, which favours teams with many.",
}


@dataclass(frozen=True)
class Methods:
    """The methods of one evaluation, with marks for names and references."""

    evaluation: Evaluation

    def sentences(self) -> Iterator[str]:
        """All sentences of the methods, in the order in which a paper says them."""
        task, without = self.evaluation.task, without_rest(self.evaluation.task.label_set)
        metric = _shown(phrase(task.ranking_metric, task.label_set))
        official = ", the official metric" if task.official_metric else ""
        decimals = task.official_decimals
        published = "" if decimals is None else f", in print those that agree to {plural(decimals, 'decimal')}"
        parts = [
            self._data(),
            f"The ranking is by {metric}{official}, on full precision; equal scores share a rank{published}.",
            _shown(f"{sentence_case(without)}.") if without else "",
            _RUNS.get(task.policies.runs, "") if self.evaluation.uncounted else "",
            self._unranked_entries(),
            self._unanswered(),
            *_procedure(self.evaluation),
            f"All numbers were computed with {software()}.",
        ]
        yield from filter(None, parts)

    def _data(self) -> str:
        evaluation = self.evaluation
        n_teams = len({entry.team for entry in evaluation.entries if entry.competes})
        runs = runs_counted(evaluation)
        return (
            f"The test set has {listed(gold_counted(evaluation))} of {labels_counted(evaluation)}; "
            f"{plural(n_teams, 'team')} took part{f' with {runs}' if runs else ''}."
        )

    def _unranked_entries(self) -> str:
        """A sentence on the entries that stand in the tables and take no rank."""
        beside = [entry for entry in self.evaluation.entries if not entry.competes]
        baselines = sum(entry.role is Role.BASELINE for entry in beside)
        others = len(beside) - baselines
        roles = listed(sorted({entry.role.value for entry in beside if entry.role is not Role.BASELINE}), "or")
        counted = [plural(baselines, "baseline")] * bool(baselines) + [f"{others:,} {roles}"] * bool(others)
        if not counted:
            return ""
        verb = agreeing(len(beside), "stands", "stand")
        noun = "" if not others else " submission" if others == 1 else " submissions"
        takes = "takes" if len(beside) == 1 else "take"
        return f"Beside the ranking {verb} {listed(counted)}{noun}, which {takes} no rank."

    def _unanswered(self) -> str:
        policies = self.evaluation.task.policies
        if policies.missing == policies.unusable == "reject":
            return "Only submissions with a usable answer to every item were accepted."
        missing = {
            "wrong": "Items without an answer count as wrong",
            "drop": "Items without an answer are left out of the score of the submission that lacks them, which is "
            "then compared with no other",
            "reject": "Only submissions with an answer to every item were accepted",
        }[policies.missing]
        unusable = {
            "wrong": "answers outside the label set count as wrong",
            "reject": "submissions with an answer outside the label set were not accepted",
        }[policies.unusable]
        if policies.missing == policies.unusable:
            return f"{_units(self.evaluation)} without a usable answer count as wrong{self._exceptions()}."
        return f"{missing}; {unusable}{self._exceptions()}."

    def _exceptions(self) -> str:
        """A clause with the score that counts such items in another way, where the ranking is by it."""
        key, labels = self.evaluation.task.ranking_metric, self.evaluation.task.label_set
        named = named_metric(key.metric, labels)
        if named.metric.of_scale:
            return f", by {phrase(key, labels)} as answered with the label farthest from gold’s"
        return f", but {phrase(key, labels)} heeds them in its own way" if named.heeds_abstention else ""


def software() -> str:
    """The versions of the software that computed the numbers."""
    names = {"Python": "Python", "numpy": "NumPy", "scipy": "SciPy"}
    version_of = versions()
    return f"audit {version_of['audit']} ({', '.join(f'{shown} {version_of[name]}' for name, shown in names.items())})"


_PAIR = 2


def _procedure(evaluation: Evaluation) -> Iterator[str]:
    """The sentences, with their references; none where the certainty was left out."""
    certainty = evaluation.certainty
    if certainty is None:
        return
    yield _population(evaluation, certainty)
    yield say(
        "paper-intervals",
        delta=_cited("takahashi-etal-2022-confidence"),
        pseudo=_cited("agresti-coull-1998-approximate", "price-bonett-2004-improved"),
        wilson=_cited("korn-graubard-1998-confidence", "franco-etal-2019-comparative"),
    )
    if evaluation.task.scored_labels:
        yield say("paper-item-scores", delong=_cited("delong-etal-1988-comparing"))
    if named_metric(evaluation.task.ranking_metric.metric, evaluation.task.label_set).is_mean_with_item_scores:
        yield say("mean-with-item-scores")
    if certainty.n_groups is not None and certainty.n_groups > 1:
        yield say("paper-design-effect", unit=drawn(evaluation), freedom=f"{certainty.n_groups - 1:,}")
    if certainty.intervals.marks[evaluation.row(evaluation.task.ranking_metric)].any():
        yield say("paper-unmarked")
    yield from _comparison(evaluation, certainty)
    if certainty.resampled is not None:
        n_replicates = f"{certainty.resampled.n_replicates:,}"
        yield say("paper-replicates", n=n_replicates, bootstrap=_cited("efron-tibshirani-1993-bootstrap"))
    yield say("paper-not-covered")


def _population(evaluation: Evaluation, certainty: Certainty) -> str:
    """The population that the items are taken to be drawn from."""
    if certainty.stratified:
        return say("paper-stratified")
    if certainty.n_groups is None or draws_units(evaluation.gold):
        return say("population", units=_units(evaluation), noun=evaluation.task.label_set.noun)
    return say("paper-groups", n=f"{certainty.n_groups:,}")


def _units(evaluation: Evaluation) -> str:
    """What is answered, as a sentence begins with it: items, or what has a set where each is a draw by itself."""
    return f"{sentence_case(drawn(evaluation))}s" if draws_units(evaluation.gold) else "Items"


def _comparison(evaluation: Evaluation, certainty: Certainty) -> Iterator[str]:
    """How pairs were compared, and what follows from it."""
    comparison, n_compared = ranking_comparison(evaluation), int(evaluation.comparable.sum())
    if comparison is None or n_compared < _PAIR:
        return
    facts = {
        "draws": f"{comparison.n_draws:,}",
        "seed": certainty.seed,
        "distribution": "the normal distribution" if certainty.n_groups is None else _student(certainty.n_groups),
    }
    if n_compared == _PAIR:
        yield say("paper-procedure-pair", **facts)
    else:
        pairs = f"{math.comb(n_compared, 2):,}"
        yield say("paper-procedure", stepdown=_cited("romano-wolf-2005-exact"), pairs=pairs, **facts)
    yield say("paper-possible-ranks", ranks=_cited("mogstad-etal-2024-inference"))
    if comparison.uncertain.any():
        yield say("paper-uncertain")
    if comparison.is_bounded:
        yield say("paper-never-predicted")
    yield say("paper-best-set", best=_cited("hsu-1984-constrained"))
    yield say("paper-leader", leader=_cited("zrnic-fithian-2024-locally"))


def _student(n_groups: int) -> str:
    return f"Student's distribution ({plural(n_groups - 1, 'degree')} of freedom)"
