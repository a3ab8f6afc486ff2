"""What was scored and tested, and how, and what was found, in sentences that a paper can take."""

import math
import re
from collections.abc import Callable, Iterable, Iterator

from audit.domain import POLICY_KINDS, Certainty, Claim, Evaluation, Resampled, Role, State, Verdict
from audit.inference.resampling import FEWEST_USABLE
from audit.metrics import named_metric, phrase, without_rest
from audit.questions.claim import claim_of, gold_copy, near_the_first, not_above_baseline
from audit.questions.comparisons import changes_of, comparison_of, firsts_of
from audit.questions.printing import printing
from audit.questions.references import author_and_year
from audit.questions.shown_intervals import shown_intervals
from audit.questions.wording import (
    drawn,
    draws_units,
    gold_counted,
    labels_counted,
    name,
    names,
    of,
    ranked_teams,
    runs_counted,
    winners_by,
)
from audit.sentences import say
from audit.text import agreeing, listed, plural, sentence_case, visible
from audit.version import versions

_MOST_NAMED = 3
_MOST_SCORES = 2
_WHOLE = 10_000  # characters: nothing is left out
_FURTHER = frozenset({"class-set", "slice", "missing-items"})  # choices other than a score


# A mark for what a writer sets: control characters stand in no text of a user's, where `visible` shows them as escapes.
_REFERENCES = re.compile("\x03([^\x04]+)\x04")


def _cited(*keys: str) -> str:
    """The place of references."""
    return f" \x03{','.join(keys)}\x04"


def with_references(sentence: str, cited: Callable[[list[str]], str]) -> str:
    """A sentence with its references set."""
    return _REFERENCES.sub(lambda found: cited(found[1].split(",")), sentence)


def plain_prose(sentences: Iterable[str]) -> str:
    """Sentences as plain text, to be copied into any document: authors and years in parentheses."""
    return with_references(" ".join(sentences), lambda keys: f"({'; '.join(map(author_and_year, keys))})")


def results_of(evaluation: Evaluation) -> Iterator[str]:
    """The sentences of the results, at most four, as a paper says them; before them what destroys the verdict."""
    verdict = claim_of(evaluation)
    asked, (first, *more) = gold_copy(evaluation), _first(evaluation, verdict)
    yield from filter(None, (asked, not_above_baseline(evaluation)))
    yield say("verdict-unless", claim=first) if asked else first
    yield from more
    yield from filter(None, [near_the_first(evaluation, verdict)])
    yield from _choices(evaluation)
    if evaluation.certainty is not None:
        yield say("paper-limit")


def _first(evaluation: Evaluation, verdict: Verdict) -> Iterator[str]:
    """The claim of the verdict; of one that is first, with its corrected interval, and who else could be best."""
    key, score = evaluation.task.ranking_metric, printing(evaluation).score
    shown = shown_intervals(evaluation, key) if verdict.claim in {Claim.BEST, Claim.OPEN} else None
    ends = shown.ends(verdict.winners[0]) if shown is not None and verdict.winners[0] in shown.corrected else None
    if ends is None:
        yield verdict.sentence
        return
    (winner,), (lower, upper) = verdict.winners, map(score, ends)
    facts = {"metric": of(evaluation, key), "name": name(evaluation, winner), "lower": lower, "upper": upper}
    yield say("paper-first", **facts, score=score(float(evaluation.scores_of(key)[winner])))
    others = [entry for entry in verdict.could_be_best if entry != winner]
    listing = names(evaluation, others, _MOST_NAMED)
    if others:
        yield say("paper-could-be-best", n=plural(len(others), "other"), names=listing)
    else:
        yield say("paper-one-best", name=name(evaluation, winner))


# What other choices make of the first place


def _choices(evaluation: Evaluation) -> Iterator[str]:
    """Who else is first by which other choice, the worst state first; or that the same is first by all scores."""
    changes = [
        change
        for change in changes_of(evaluation)
        if change.keys[0].metric == evaluation.task.ranking_metric.metric
        and all(winners_by(evaluation, key) for key in change.keys)
    ]
    others = [change for change in changes if set(change.winners[0]) != set(change.winners[1])]
    rows = evaluation.verdict.depends_on
    further = [
        row for row in rows if row.choice in _FURTHER and row.state in {State.OTHER_SHOWN, State.OTHER_NOT_SHOWN}
    ]
    states = [*(change.state for change in others), *(row.state for row in further)]
    if states:
        worst = min(states, key=list(State).index)
        of_worst = [change for change in others if change.state is worst]
        limit = 1 if len({change.winners[1] for change in of_worst}) > 1 else _MOST_SCORES
        by_scores = firsts_of(evaluation, of_worst, limit)
        n_more = len(by_scores) - _MOST_NAMED
        if n_more > 1:
            by_scores[_MOST_NAMED:] = [f"{n_more} others by further scores"]
        clauses = [*by_scores, *(row.first for row in further if row.state is worst)]
        rest = [state for state in states if state is not worst]
        slug = "paper-more-not-tested" if set(rest) == {State.NOT_TESTED} else "paper-more-not-shown"
        more = say(slug, n=f"{len(rest):,}") if rest else ""
        by = "choices" if further else "scores"
        yield say(f"paper-other-{worst}", by=by, clauses="; ".join(clauses), more=more)
    elif changes:
        n_shown = sum(change.state is State.SAME_SHOWN for change in changes)
        slug = "paper-same-shown" if n_shown == len(changes) else "paper-same"
        first, is_ = changes[0].winners[0], agreeing(len(changes[0].winners[0]), "is", "are")
        others_by = [of(evaluation, change.keys[1]) for change in changes]
        scores = listed(list(dict.fromkeys(others_by)), limit=_MOST_SCORES)
        yield say(slug, names=names(evaluation, first, _MOST_NAMED), is_=is_, scores=scores)


def methods_of(evaluation: Evaluation) -> Iterator[str]:
    """The sentences of the methods in the order in which a paper says them, with marks for names and references."""
    task, without = evaluation.task, without_rest(evaluation.task.label_set)
    metric = visible(phrase(task.ranking_metric, task.label_set), _WHOLE)
    official = ", the official metric" if task.official_metric else ""
    decimals = task.official_decimals
    published = "" if decimals is None else f", in print those that agree to {plural(decimals, 'decimal')}"
    counts = POLICY_KINDS["runs"].values[task.policies.runs]
    parts = [
        _data(evaluation),
        f"The ranking is by {metric}{official}, on full precision; equal scores share a rank{published}.",
        visible(f"{sentence_case(without)}.", _WHOLE) if without else "",
        f"Of several runs of a team, {counts}." if evaluation.uncounted and task.policies.runs != "all" else "",
        _unranked_entries(evaluation),
        _unanswered(evaluation),
        *_procedure(evaluation),
        f"All numbers were computed with {software()}.",
    ]
    yield from filter(None, parts)


def _data(evaluation: Evaluation) -> str:
    n_teams, n_baselines = ranked_teams(evaluation)
    ranked = f", and {plural(n_baselines, 'baseline is', 'baselines are')} ranked with them" if n_baselines else ""
    runs = runs_counted(evaluation)
    return (
        f"The test set has {listed(gold_counted(evaluation))} of {labels_counted(evaluation)}; "
        f"{plural(n_teams, 'team')} took part{f' with {runs}' if runs else ''}{ranked}."
    )


def _unranked_entries(evaluation: Evaluation) -> str:
    """A sentence on the entries that stand in the tables and take no rank."""
    beside = [entry for entry in evaluation.entries if not entry.competes]
    baselines = sum(entry.role is Role.BASELINE for entry in beside)
    others = len(beside) - baselines
    roles = listed(sorted({entry.role.value for entry in beside if entry.role is not Role.BASELINE}), "or")
    counted = [plural(baselines, "baseline")] * bool(baselines)
    counted += [plural(others, f"{roles} submission")] * bool(others)
    if not counted:
        return ""
    stands, takes = agreeing(len(beside), "stands", "stand"), agreeing(len(beside), "takes", "take")
    return f"Beside the ranking {stands} {listed(counted)}, which {takes} no rank."


_MISSING = {
    "wrong": "Items without an answer count as wrong",
    "drop": "Items without an answer are left out of the score of the submission that lacks them, which is then "
    "compared with no other",
    "reject": "Only submissions with an answer to every item were accepted",
}
_UNUSABLE = {
    "wrong": "answers outside the label set count as wrong",
    "reject": "submissions with an answer outside the label set were not accepted",
}


def _unanswered(evaluation: Evaluation) -> str:
    policies = evaluation.task.policies
    if policies.missing == policies.unusable == "reject":
        return "Only submissions with a usable answer to every item were accepted."
    if policies.missing == policies.unusable:
        return f"{_units(evaluation)} without a usable answer count as wrong{_exceptions(evaluation)}."
    return f"{_MISSING[policies.missing]}; {_UNUSABLE[policies.unusable]}{_exceptions(evaluation)}."


def _exceptions(evaluation: Evaluation) -> str:
    """A clause with the score that counts such items in another way, where the ranking is by it."""
    key, labels = evaluation.task.ranking_metric, evaluation.task.label_set
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
        few=_cited("brown-etal-2001-interval"),
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
        yield from _replicates(certainty.resampled)
    yield say("paper-not-covered")


def _replicates(resampled: Resampled) -> Iterator[str]:
    """What replicates describe, and how many of them could not be used."""
    n_replicates, n_left_out = resampled.n_replicates, resampled.n_replicates - resampled.n_usable
    yield say("paper-replicates", n=f"{n_replicates:,}", bootstrap=_cited("efron-tibshirani-1993-bootstrap"))
    if n_left_out:
        yield say("paper-replicates-left-out", n=f"{n_left_out:,}")
    if resampled.n_usable < FEWEST_USABLE:
        yield say("paper-replicates-too-few", fewest=FEWEST_USABLE)


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
    comparison, n_compared = comparison_of(evaluation), int(evaluation.comparable.sum())
    if comparison is None or n_compared < _PAIR:
        return
    distribution, worded = "the normal distribution", evaluation.task.label_set.worded
    if certainty.n_groups is not None:
        distribution = f"Student's distribution ({plural(certainty.n_groups - 1, 'degree')} of freedom)"
    facts = {
        "draws": f"{comparison.n_draws:,}",
        "seed": certainty.seed,
        "distribution": distribution,
    }
    if n_compared == _PAIR:
        yield say("paper-procedure-pair", **facts)
    else:
        pairs = f"{math.comb(n_compared, 2):,}"
        yield say("paper-procedure", stepdown=_cited("romano-wolf-2005-exact"), pairs=pairs, **facts)
    yield say("paper-possible-ranks", ranks=_cited("mogstad-etal-2024-inference"))
    if comparison.uncertain.any():
        yield worded(say("paper-uncertain"))
    if comparison.is_bounded:
        yield worded(say("paper-never-predicted"))
    yield say("paper-best-set", best=_cited("hsu-1984-constrained"))
    yield say("paper-leader", leader=_cited("zrnic-fithian-2024-locally"))
