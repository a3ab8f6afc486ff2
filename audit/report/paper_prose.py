"""What was scored and tested, and how, and what was found, in sentences that a paper can take."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from audit.domain import (
    POLICY_KINDS,
    Certainty,
    Claim,
    Comparison,
    Evaluation,
    Feature,
    Role,
    ScoreKey,
    State,
    Verdict,
    WinnerChange,
)
from audit.findings.claim import (
    claim_of,
    gold_copy,
    lead_of,
    near_the_first,
    not_above_baseline,
    others_compared,
)
from audit.findings.comparisons import changes_of, comparison_of, family_of
from audit.findings.numbers_in_words import p_phrase
from audit.findings.power_sentences import power_of, short, typical
from audit.findings.shown_intervals import shown_intervals
from audit.findings.to_do import groups_are_open
from audit.findings.wording import (
    drawn,
    draws_units,
    entrant,
    gold_counted,
    gold_in_words,
    labels_counted,
    name,
    names,
    of,
    ranked_teams,
    runs_counted,
    winners_by,
)
from audit.metrics import BOTH_MACRO_F1, metric_of, named_metric, phrase, without_rest
from audit.report.printing import printing
from audit.report.references import author_and_year
from audit.sentences import say
from audit.text import agreeing, in_words, listed, plural, sentence_case, visible
from audit.version import versions
from audit.vocabulary import IF_INDEPENDENT

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
    return with_references(
        " ".join(sentences), lambda keys: f"({'; '.join(map(author_and_year, keys))})"
    )


def results_of(evaluation: Evaluation) -> Iterator[str]:
    """The sentences of the results, four as a rule, as a paper says them; what destroys the verdict stands among them.

    What was ranked, who won, what the winner depends on, and what the test set detects.
    """
    verdict = claim_of(evaluation)
    if evaluation.contending.any():
        yield _ranked(evaluation)
    yield from filter(None, (gold_copy(evaluation), not_above_baseline(evaluation)))
    yield from _first(evaluation, verdict)
    yield from filter(None, [near_the_first(evaluation, verdict)])
    yield from _choices(evaluation)
    if evaluation.certainty is not None:
        yield _detected(evaluation)


_DEFINED: Mapping[str, str] = {
    BOTH_MACRO_F1[0]: " (the mean of the F1s of the classes)",
    BOTH_MACRO_F1[1]: " (the harmonic mean of macro precision and macro recall)",
}
"""What the two macro F1s are; their name alone does not say which."""


def _ranked(evaluation: Evaluation) -> str:
    """How many were ranked by what, on how much."""
    key = evaluation.task.ranking_metric
    n_teams = int(evaluation.contending.sum())
    metric = (
        f"{of(evaluation, key)}{evaluation.task.label_set.worded(_DEFINED.get(key.metric, ''))}"
    )
    if n_teams == 1:
        ranked = f"{entrant(evaluation)} was"
    else:
        ranked = f"{entrant(evaluation)}s were"
    return f"{sentence_case(in_words(n_teams))} {ranked} ranked by {metric} on {_test_set(evaluation, ' in ')}."


def _test_set(evaluation: Evaluation, between: str) -> str:
    """How many items the test set has, and classes, where it has any."""
    return between.join(
        filter(None, (listed(gold_counted(evaluation)), labels_counted(evaluation)))
    )


def _first(evaluation: Evaluation, verdict: Verdict) -> Iterator[str]:
    """Who ranked first, by how much, whether that is significant, and how many more may be the best."""
    key = evaluation.task.ranking_metric
    score = printing(evaluation).score
    comparison = comparison_of(evaluation)
    if comparison is None or verdict.claim not in {Claim.BEST, Claim.OPEN}:
        yield verdict.sentence
        yield from filter(None, [verdict.more if verdict.claim is Claim.SHARED else ""])
        return
    (winner,) = verdict.winners
    shown = shown_intervals(evaluation, key)
    if shown is not None and winner in shown.corrected:
        ends = shown.ends(winner)
    else:
        ends = None
    best = score(float(evaluation.scores_of(key)[winner]))
    if ends is not None:
        lower, upper = map(score, ends)
        best += say(f", 95% CI [{lower}, {upper}], corrected for selection")
    lead = lead_of(evaluation, comparison)
    if lead:
        ahead = f", {lead.size} ahead of {name(evaluation, lead.second)}"
    else:
        ahead = ""
    first = f"{name(evaluation, winner)} ranked first ({best}){ahead}"
    if verdict.claim is Claim.BEST:
        p = p_phrase(
            float(comparison.adjusted_p[winner, family_of(evaluation, comparison)[1:]].max())
        )
        others = others_compared(evaluation, comparison)
        yield say(
            f"{first}, and is significantly ahead of {others} (adjusted p {p.replace('=', '≤')})."
        )
        return
    significant = say("the lead is not statistically significant")
    if lead:
        significant += say(f" (adjusted p {lead.p})")
    n_others = len(set(comparison.contenders) - {winner})
    noun = entrant(evaluation)
    if n_others == 1:
        belong = f"{noun} belongs"
    else:
        belong = f"{noun}s belong"
    joint = "and"
    if groups_are_open(evaluation):
        joint += IF_INDEPENDENT
    yield say(
        f"{first}; {significant}, {joint} {in_words(n_others)} other {belong} to the 95% confidence set for "
        f"the best {noun}."
    )


def _detected(evaluation: Evaluation) -> str:
    """How many differences are significant, which would be detected, and what that does not say."""
    comparison = comparison_of(evaluation)
    power = power_of(evaluation, evaluation.task.ranking_metric)
    if comparison is None:
        return say(
            "A non-significant difference is not evidence of equality, and errors in "
            f"{gold_in_words(evaluation)} are not modelled."
        )
    limits = say(
        "a non-significant difference is not evidence of equality, and errors in "
        f"{gold_in_words(evaluation)} are not modelled."
    )
    n_pairs = math.comb(len(family_of(evaluation, comparison)), 2)
    if n_pairs == 1:
        differences = "pairwise difference is"
    else:
        differences = "pairwise differences are"
    significant = say(f"{int(comparison.ahead.sum()):,} of {n_pairs:,} {differences} significant")
    if power is None:
        return f"{significant}; {limits}"
    detected = say(
        f", and for a typical pair true differences below {short(typical(evaluation, power)[1])} "
        "are detected with less than 80% power; "
    )
    return f"{significant}{detected}{limits}"


# What other choices make of the first place

_CHOSEN: Mapping[str, str] = {
    "macro-f1": "the formula of macro F1",
    "metric": "the metric",
    "prevalence": "the class distribution",
    "scale": "whether the labels are a scale",
    "class-set": "the class set",
    "slice": "the part of the test set",
    "missing-items": "the treatment of unanswered items",
}
_OTHERS: Mapping[State, str] = {
    State.OTHER_SHOWN: (
        "The winner depends on {by}: {clauses}, significantly ahead of {leader} there, although {leader} is "
        "significantly ahead by {metric}."
    ),
    State.OTHER_SHOWN_THERE: "The winner depends on {by}: {clauses}, significantly ahead of {leader}.",
    State.OTHER_NOT_SHOWN: "The winner depends on {by}: {clauses}, not significantly ahead of {leader}.",
    State.NOT_TESTED: "The winner depends on {by}, which was not tested: {clauses}.",
}
"""That another is first by other choices, by the most severe of their states."""
_SIGNIFICANT = frozenset({State.OTHER_SHOWN, State.OTHER_SHOWN_THERE})


def _milder(states: Sequence[State]) -> str:
    """By how many further choices another ranks first, and whether that is significant."""
    counts = {
        "significantly": sum(state in _SIGNIFICANT for state in states),
        "not significantly": states.count(State.OTHER_NOT_SHOWN),
        "without a test": states.count(State.NOT_TESTED),
    }
    clauses = [
        f"{plural(count, 'further choice')} ({how})" for how, count in counts.items() if count
    ]
    if clauses:
        return say(f"The winner changes under {listed(clauses)}, too.")
    return ""


def _choices(evaluation: Evaluation) -> Iterator[str]:
    """Who else is first by which other choice, the worst state first; or that the same is first by all scores."""
    changes = [
        change
        for change in changes_of(evaluation)
        if change.keys[0].metric == evaluation.task.ranking_metric.metric
        and all(winners_by(evaluation, key) for key in change.keys)
    ]
    others = [change for change in changes if not set(change.winners[0]) <= set(change.winners[1])]
    rows = evaluation.verdict.depends_on
    further = [
        row
        for row in rows
        if row.choice in _FURTHER and row.state in _OTHERS.keys() - {State.NOT_TESTED}
    ]
    states = [*(change.state for change in others), *(row.state for row in further)]
    if states:
        worst = min(states, key=list(State).index)
        by_scores = _firsts(evaluation, [change for change in others if change.state is worst])
        n_more = len(by_scores) - _MOST_NAMED
        if n_more > 1:
            by_scores[_MOST_NAMED:] = [f"{n_more} others rank first by further scores"]
        clauses = [*by_scores, *(row.first for row in further if row.state is worst)]
        kinds = [*(change.kind for change in others), *(row.choice for row in further)]
        by = listed(
            list(dict.fromkeys(evaluation.task.label_set.worded(_CHOSEN[kind]) for kind in kinds))
        )
        more = _milder([state for state in states if state is not worst])
        leader = names(evaluation, evaluation.winners(evaluation.task.ranking_metric), _MOST_NAMED)
        metric = of(evaluation, evaluation.task.ranking_metric)
        yield say(_OTHERS[worst], by=by, clauses="; ".join(clauses), leader=leader, metric=metric)
        yield from filter(None, [more])
    elif changes:
        first = changes[0].winners[0]
        ranks = agreeing(len(changes[0].winners[0]), "ranks", "rank")
        others_by = [of(evaluation, change.keys[1]) for change in changes]
        scores = listed(list(dict.fromkeys(others_by)), limit=_MOST_SCORES)
        chosen = dict.fromkeys(
            evaluation.task.label_set.worded(_CHOSEN[change.kind]) for change in changes
        )
        by = listed(list(chosen), "or")
        same = names(evaluation, first, _MOST_NAMED)
        said = f"The winner does not depend on {by}: {same} {ranks} first by {scores}, too"
        if all(change.state is State.SAME_SHOWN for change in changes):
            yield say(f"{said}, significantly ahead of all others.")
        else:
            yield say(f"{said}, but not significantly by each of these.")


def _firsts(evaluation: Evaluation, changes: Sequence[WinnerChange]) -> list[str]:
    """Who ranks first by which of the other scores, with the score; those with the same winners together."""
    keys_of: dict[tuple[int, ...], dict[ScoreKey, None]] = defaultdict(dict)
    for change in changes:
        keys_of[change.winners[1]][change.keys[1]] = None
    if len(keys_of) > 1:
        limit = 1
    else:
        limit = _MOST_SCORES
    score = printing(evaluation).score
    return [
        f"{names(evaluation, winners, _MOST_NAMED)} {agreeing(len(winners), 'ranks', 'rank')} first by "
        + _by_metrics(
            [
                f"{of(evaluation, key)} ({score(float(evaluation.scores_of(key)[winners[0]]))})"
                for key in keys
            ],
            limit,
        )
        for winners, keys in keys_of.items()
    ]


def _by_metrics(metrics: list[str], limit: int) -> str:
    """Some metrics with their scores, and how many more there are; a single one more is named."""
    n_more = len(metrics) - limit
    if n_more <= 1:
        return listed(metrics)
    return f"{listed(metrics[:limit])} and {plural(n_more, 'further metric')}"


def methods_of(evaluation: Evaluation) -> Iterator[str]:
    """The sentences of the methods in the order in which a paper says them, with marks for names and references."""
    task = evaluation.task
    without = without_rest(evaluation.task.label_set)
    metric = visible(phrase(task.ranking_metric, task.label_set), _WHOLE)
    if task.official_metric:
        official = ", the official metric"
    else:
        official = ""
    decimals = task.official_decimals
    if decimals is None:
        published = ""
    else:
        published = f", and scores are published to {plural(decimals, 'decimal')}"
    counts = POLICY_KINDS["runs"].values[task.policies.runs]
    parts = [
        _data(evaluation),
        f"The ranking is by {metric}{official}, on full precision; equal scores share a rank{published}.",
        visible(f"{sentence_case(without)}.", _WHOLE) if without else "",
        f"Of several runs of a team, {counts}."
        if evaluation.uncounted and task.policies.runs != "all"
        else "",
        _unranked_entries(evaluation),
        _unanswered(evaluation),
        *_procedure(evaluation),
        f"All numbers were computed with {software()}.",
    ]
    yield from filter(None, parts)


def _data(evaluation: Evaluation) -> str:
    n_teams, n_baselines = ranked_teams(evaluation)
    if n_baselines:
        ranked = f", and {plural(n_baselines, 'baseline is', 'baselines are')} ranked with them"
    else:
        ranked = ""
    runs = runs_counted(evaluation)
    return (
        f"The test set has {_test_set(evaluation, ' of ')}; "
        f"{plural(n_teams, 'team')} took part{f' with {runs}' if runs else ''}{ranked}."
    )


def _unranked_entries(evaluation: Evaluation) -> str:
    """A sentence on the entries that stand in the tables and take no rank."""
    beside = [entry for entry in evaluation.entries if not entry.competes]
    baselines = sum(entry.role is Role.BASELINE for entry in beside)
    others = len(beside) - baselines
    roles = listed(
        sorted({entry.role.value for entry in beside if entry.role is not Role.BASELINE}), "or"
    )
    counted = [plural(baselines, "baseline")] * bool(baselines)
    counted += [plural(others, f"{roles} submission")] * bool(others)
    if not counted:
        return ""
    stands = agreeing(len(beside), "stands", "stand")
    takes = agreeing(len(beside), "takes", "take")
    return f"Beside the ranking {stands} {listed(counted)}, which {takes} no rank."


_MISSING = {
    "wrong": "Items without an answer count as wrong",
    "drop": "Items without an answer are left out of the score of the submission that lacks them, which is then "
    "compared with no other",
    "reject": "Only submissions with an answer to every item were accepted",
}
_MISSING_NUMBERS = {
    "wrong": "",  # there are none
    "worst": "Missing numbers count as the worst of their range.",
    "mean": "Missing predictions count as the mean of the submission's own.",
    "drop": "Items without a number are left out of the scores of the submission that lacks them, which is then "
    "compared with no other.",
    "reject": "Only submissions with a number for every item were accepted.",
}
_UNUSABLE = {
    "wrong": "answers outside the label set count as wrong",
    "reject": "submissions with an answer outside the label set were not accepted",
}


def _unanswered(evaluation: Evaluation) -> str:
    policies = evaluation.task.policies
    if evaluation.task.label_set.supports(Feature.NUMBERS):
        return _MISSING_NUMBERS[policies.missing]
    if policies.missing == policies.unusable == "reject":
        return "Only submissions with a usable answer to every item were accepted."
    if policies.missing == policies.unusable:
        return (
            f"{_units(evaluation)} without a usable answer count as wrong{_exceptions(evaluation)}."
        )
    return f"{_MISSING[policies.missing]}; {_UNUSABLE[policies.unusable]}{_exceptions(evaluation)}."


def _exceptions(evaluation: Evaluation) -> str:
    """A clause with the score that counts such items in another way, where the ranking is by it."""
    key = evaluation.task.ranking_metric
    labels = evaluation.task.label_set
    named = named_metric(key.metric, labels)
    if named.metric.of_scale:
        return f", by {phrase(key, labels)} as answered with the label farthest from gold’s"
    if named.heeds_abstention:
        return f", but {phrase(key, labels)} heeds them in its own way"
    return ""


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
    if evaluation.task.label_set.supports(Feature.NUMBERS):
        yield from _intervals_of_numbers(evaluation)
    else:
        yield from _intervals_of_labels(evaluation)
    if certainty.n_groups is not None and certainty.n_groups > 1:
        yield _design_effect(evaluation, certainty.n_groups)
    if certainty.intervals.marks[evaluation.row(evaluation.task.ranking_metric)].any():
        yield say(
            "Where simulation found no interval that holds its level, none is given or it is called rough, and the "
            "table says why."
        )
    yield from _comparison(evaluation, certainty)
    yield say(f"Errors in {gold_in_words(evaluation)}, and other test sets, are not covered.")


def _intervals_of_numbers(evaluation: Evaluation) -> Iterator[str]:
    """How intervals of means of a scorer's numbers, or of metrics of ratings, are made."""
    scale = metric_of(evaluation.task.ranking_metric.metric, evaluation.task.label_set).scale
    if not evaluation.task.label_set.supports(Feature.COLUMNS):
        yield say(
            "Scores carry 95% intervals from their influence functions: of correlations on Fisher's z, of errors on "
            "the logarithm; but for rank correlations and the mean absolute error with Student's quantile, whose "
            "degrees of freedom are the number of items that carry the variance, (Σψ²)²/Σψ⁴, at least 4."
        )
        return
    if scale.is_bounded:
        wilson = _cited("korn-graubard-1998-confidence", "franco-etal-2019-comparative")
        yield say(
            "Scores are means over items and carry 95% intervals: the variance, with one item more at either end of "
            f"the range, becomes an effective number of items in a Wilson score interval{wilson}."
        )
        return
    yield say(
        "Scores are means over items and carry 95% intervals: at each end the wider of Student's, with as many degrees "
        "of freedom as items carry the variance, (Σψ²)²/Σψ⁴, at least 4, and of one corrected for skewness"
        f"{_cited('hall-1992-removal')}."
    )


def _design_effect(evaluation: Evaluation, n_groups: int) -> str:
    """What groups of items do to intervals."""
    unit = drawn(evaluation)
    if evaluation.task.label_set.supports(Feature.NUMBERS):
        return say(
            f"Answers within one {unit} depend on each other: what varies is what each {unit} adds to a score."
        )
    return say(
        f"Answers within one {unit} depend on each other: the effective number of items is divided by the design "
        f"effect of the {unit}s, and the quantile is Student's with one degree of freedom fewer than {unit}s of "
        f"one size that would tell as much, from 2 to {n_groups - 1:,}."
    )


def _intervals_of_labels(evaluation: Evaluation) -> Iterator[str]:
    """How intervals of scores of labels are made, and of scores of items beside them."""
    delta = _cited("takahashi-etal-2022-confidence")
    few = _cited("brown-etal-2001-interval")
    pseudo = _cited("agresti-coull-1998-approximate", "price-bonett-2004-improved")
    wilson = _cited("korn-graubard-1998-confidence", "franco-etal-2019-comparative")
    yield say(
        f"Scores carry 95% intervals: variance by the delta method{delta} from a confusion to which a few "
        f"pseudo-items, half of them right, were added{pseudo}; it becomes an effective number of items in a Wilson "
        f"score interval{wilson}. Where a share rests on at most two items of one sort (three of more than 50), its "
        f"end on that side is one-sided, from the Poisson distribution{few}."
    )
    if evaluation.task.scored_labels:
        yield say(
            f"The variance of AUC is that of its placements{_cited('delong-etal-1988-comparing')}, that of average "
            "precision by what an item more would change; for intervals a tenth of an item of each class is added "
            "at either end of the order. The interval of average precision covers what to expect of test sets of "
            "this size, not the population's value. The Brier score is a mean over items."
        )
    if named_metric(
        evaluation.task.ranking_metric.metric, evaluation.task.label_set
    ).is_mean_with_item_scores:
        yield say(
            "What an item adds to a mean of scores of labels and of single items is the mean of what it adds to each, "
            "so that variances and covariances count that all are of the same items; for its interval each score has "
            "the variance of its own interval."
        )


def _patterns(certainty: Certainty, comparison: Comparison) -> str:
    """How many patterns of signs were looked at, and whether these are all."""
    if comparison.n_draws == 2 ** ((certainty.n_groups or 1) - 1) - 1:
        return f"all {plural(comparison.n_draws, 'other pattern')}"
    return f"{comparison.n_draws:,} random patterns (seed {certainty.seed})"


def _population(evaluation: Evaluation, certainty: Certainty) -> str:
    """The population that the items are taken to be drawn from."""
    if evaluation.task.label_set.supports(Feature.NUMBERS):
        if certainty.n_groups is None:
            return say("Items are taken as independent draws from a population.")
        return say(
            f"Items come in {certainty.n_groups:,} groups, which are taken as independent draws from a population of "
            "such groups."
        )
    if certainty.stratified:
        return say(
            "Within each class, items are taken as independent draws from a population; how many there are of each "
            "class is fixed by design."
        )
    if certainty.n_groups is None or draws_units(evaluation.gold):
        noun = evaluation.task.label_set.noun
        return say(
            f"{_units(evaluation)} are taken as independent draws from a population with this {noun} distribution; "
            f"{noun} counts are random."
        )
    return say(
        f"Items come in {certainty.n_groups:,} groups, which are taken as independent draws from a population of "
        "such groups; class counts are random."
    )


def _null(evaluation: Evaluation) -> str:
    """What a standard error includes, or how it is judged, as a clause."""
    task = evaluation.task
    metric = metric_of(task.ranking_metric.metric, task.label_set)
    if metric.over == "numbers" and metric.is_heavy_tailed:
        return say(
            " (by Student's distribution, with as many degrees of freedom as items carry the variance of the "
            "difference, at least 4)"
        )
    return say(", which includes the variance under “no difference”")


def _units(evaluation: Evaluation) -> str:
    """What is answered, as a sentence begins with it: items, or what has a set where each is a draw by itself."""
    if draws_units(evaluation.gold):
        return f"{sentence_case(drawn(evaluation))}s"
    return "Items"


def _comparison(evaluation: Evaluation, certainty: Certainty) -> Iterator[str]:
    """How pairs were compared, and what follows from it."""
    comparison = comparison_of(evaluation)
    n_compared = int(evaluation.comparable.sum())
    if comparison is None or n_compared < _PAIR:
        return
    worded = evaluation.task.label_set.worded
    decided = say(
        f"for each metric by itself: the difference over its standard error{_null(evaluation)}, "
        f"against {comparison.n_draws:,} draws from the normal distribution with the covariance of the "
        f"influence functions (seed {certainty.seed})."
    )
    if certainty.n_groups is not None:
        unit = drawn(evaluation)
        decided = say(
            f"for each metric by itself: the difference over its standard error, from the squares of what each {unit} "
            f"adds to it, against {_patterns(certainty, comparison)} of signs of whole {unit}s, the same for all "
            f"submissions. This assumes that differences are as likely to favour either submission by {unit}."
        )
    if n_compared == _PAIR:
        yield say(
            "Whether one of the two submissions is significantly ahead of the other is decided at an error of 5% "
            f"{decided}"
        )
    else:
        yield say(
            "Whether one submission is significantly ahead of another is decided by one stepdown max-t "
            f"procedure{_cited('romano-wolf-2005-exact')} over all {math.comb(n_compared, 2):,} unordered pairs by a "
            f"metric, at a family-wise error of 5% {decided} A submission alone in the 95% confidence set is ahead of "
            "all others."
        )
    yield say(
        f"Possible ranks{_cited('mogstad-etal-2024-inference')} follow from these decisions and from who may be the "
        "best."
    )
    if comparison.uncertain.any():
        yield worded(
            say(
                "Submissions are called imprecise where the median standard error of their differences is above twice "
                "what is usual among the submissions, or where they never predict a class that others predict."
            )
        )
    if comparison.is_bounded:
        yield worded(
            say(
                "Where a submission never predicts a class, its precision there is unknown, and another is ahead of it "
                "only by more than this class could add."
            )
        )
    yield say(
        "The 95% confidence set for the best submission leaves out whom another exceeds by more than the 95% quantile "
        f"of the largest of its own two-sided comparisons{_cited('hsu-1984-constrained')}, or over all pairs."
    )
    yield say(
        f"The interval of the first submission is corrected for selection{_cited('zrnic-fithian-2024-locally')}."
    )
