"""Every statistical sentence that page, terminal and paper may say.

A sentence is a template, in which names and numbers stand in braces. Who says it fills them in by :func:`say`; nobody
words a statistical claim anywhere else, so that page, terminal and LaTeX agree, and a test finds every such sentence of
theirs here. What permits them is told in docs/uncertainty.md.
"""

from collections.abc import Mapping

SENTENCES: Mapping[str, str] = {
    # Population
    "population": (
        "{units} are taken as independent draws from a population with this {noun} distribution; {noun} counts are "
        "random."
    ),
    # Power
    "power-typical": (
        "By {metric}, a true difference of {half} between two teams is found about half the time; 80% of the time from "
        "{most} on (the pair with the median standard error, {tested}; Card et al. 2020)."
    ),
    "power-needed": (
        "{first} is {difference} ahead of {second}. To find a true difference of that size 80% of the time takes {few} "
        "for this pair alone, {many} among all pairs; the test set has {size}."
    ),
    "power-needed-by-two": (
        "{first} is {difference} ahead of {second}. To find a true difference of that size 80% of the time takes "
        "{few}; the test set has {size}."
    ),
    "power-level": (
        "{first} and {second} have the same score by {metric}: there is no lead that more items could confirm."
    ),
    "power-carried-at-most": "That is an upper bound: fewer may be enough.",
    "power-carried": (
        "{count} of the {items} carry the first place (Broderick et al. 2020): without them, {rival} would be ahead of "
        "{first}."
    ),
    "power-carried-by-one": (
        "A single one of the {items} carries the first place (Broderick et al. 2020): without it, {rival} would be "
        "ahead of {first}."
    ),
    "power-not-carried": "No items were found without which another team would be ahead of {first}.",
    "power-noise": (
        "If {shares} of the gold labels are replaced at random (Northcutt et al. 2021), whatever was predicted, "
        "{first} is still first in {stays} of {draws}."
    ),
    "power-nothing": "Fewer than two entries can be compared by {metric}: there is no difference to find.",
    "power-plan": (
        "By {metric}, a true difference of {difference} is found 80% of the time with about {few} items in a test of "
        "one pair, fixed beforehand, and with about {many} in a comparison of all pairs of {teams}, if the systems err "
        "{alike}."
    ),
    "power-plan-assumes": (
        "How alike two systems err cannot be seen from their confusions: correlations of 0, .5 and .8 are assumed. "
        "Systems of one task mostly err on the same items; where nothing is known, plan with independent errors."
    ),
    # Intervals
    "mean-with-item-scores": (
        "What an item adds to a mean of scores of labels and of single items is the mean of what it adds to each, so "
        "that variances and covariances count that all are of the same items; for its interval each score has the "
        "variance of its own interval."
    ),
    "interval-never-predicted": (
        "Of a class that a team predicts fewer than 5 times little is known: averages that divide by a class’s answers "
        "move it to the ends of its own interval, and a precision to 1 where the class is never predicted. Elsewhere a "
        "class that a team never predicts counts as one that it never would."
    ),
    "interval-if-never": "Given that a team never predicts a class that it did not predict here: {intervals}.",
    "column-interval": "Wilson interval with an effective number of items",
    "column-gap": "F1 of averages − averaged F1; ≤: upper end of its one-sided 95% interval",
    "mark-rare-class": (
        "{mark} a class has fewer than 5 gold items: the interval is rough; by scores of single items none is given, "
        "and by geometric and harmonic macro recall none was found that holds its level"
    ),
    "mark-few-hits": (
        "{mark} no interval: of many classes, one has fewer right answers than half the number of classes, and no "
        "interval of this score was found to hold its level there"
    ),
    "mark-few-groups": "{mark} no interval: all items are of one group",
    "mark-mean-of-ranks": (
        "{mark} no interval: a mean of ranks depends on who takes part, and one more right answer moves it by whole "
        "ranks or not at all; how sure its scores are, each of them says"
    ),
    "mark-few-answers": (
        "{mark} no interval: one half of the scale has fewer than 5 answers or gold items, and no interval of a scale "
        "cut in two was found to hold its level there"
    ),
    "mark-few-units": (
        "{mark} no interval: nearly all errors are in one or two units, or a team’s sets have fewer than 5 things in "
        "all, and no interval was found to hold its level there"
    ),
    "mark-corrected": "{mark} the first’s 95% interval is corrected for its having been chosen as the best",
    "sampling-unit": (
        "What was drawn are {groups}, not items: {leader}’s interval, not corrected for its having been chosen, is "
        "{grouped}; if items were independent, it would be {ungrouped}."
    ),
    # Compared
    "promise": (
        "Who could be best: the true best is among them with 95%; one that alone could be best is ahead of all. Who "
        "else is ahead of whom: all such claims together hold with 95%."
    ),
    "never-predicted": (
        "Where a team never predicts a class, its precision there is unknown: its {metric} could be better by all that "
        "this class can add, and only a larger lead over it counts."
    ),
    "given-never-predicted": (
        "Given that teams never predict what they do not predict here, {n} more {pairs} would be decided by {metric}; "
        "nothing else here takes this as given."
    ),
    "column-tier": "All of one tier are ahead of all of the next, but for teams whose differences are much less sure",
    "column-possible-ranks": "Ranks that these claims leave open",
    "mark-best": "{mark} could be best: the true best is among these{others} with 95%",
    "ranks-among-compared": "Possible ranks are among those that are compared.",
    "mark-uncertain": (
        "{mark} differences from it are much less sure than those of the others: it moves no line between tiers, and "
        "where {mark} stands in place of ●, it cannot be excluded"
    ),
    "column-could-be-best": "Whether it could be best",
    "column-behind": "How much better the first’s score is, ± half of the simultaneous 95% interval over all pairs",
    "column-adjusted-p": "Of the difference from the first, adjusted for all pairs",
    "behind-note": (
        "Behind the first: difference ± half of its 95% interval over all pairs at once; adjusted p likewise."
    ),
    "behind-alone": "{first} alone could be best, and so is ahead of each, whatever these p of all pairs are.",
    "states-note": "Another first is shown where each of the two is statistically ahead of the other by its own score.",
    "behind-baselines": "A baseline is in no pair; its ± is as wide as that of a pair would be.",
    "pairs-separable": (
        "In {separable} of {pairs} one is statistically ahead of the other, and in {adjacent} of {neighbours} of "
        "neighbours."
    ),
    "table-tiers": "By {metric} there {are} {tiers}{first}{aside}.",
    "tier-best": "; {leader} alone could be best",
    "tier-alone": "; the first holds {leader} alone",
    "tier-together": "; the first holds {names}",
    "nothing-compared": "By {metric} nothing is compared in pairs: {reason}.",
    "left-aside": (
        "Baselines, entries without a rank, and those scored on fewer items are compared in no pair: {names}."
    ),
    "fewer-items-mark": "no tier, no possible ranks",
    "pair-interval": (
        "±: half of the 95% interval of the difference, for all pairs at once; adjusted p likewise (stepdown max-t, "
        "family-wise error 5%)."
    ),
    "pair-compared": (
        "± and adjusted p are given here for {metrics}, and for teams that are compared in pairs; audit compare gives "
        "them for any metric."
    ),
    "pair-left-out": "The certainty was left out: differences have no ± and no adjusted p.",
    # Two of them: the page's choice and audit compare
    "pair-verdict-ahead": (
        "{first} is statistically ahead of {second} by {metric}: {difference} ± {half} over all pairs, adjusted p {p}."
    ),
    "pair-verdict-best": (
        "{first} alone could be best by {metric}, and so is statistically ahead of {second}: {difference} ± {half} "
        "over all pairs, adjusted p {p}."
    ),
    "pair-verdict-open": (
        "{first} and {second} cannot be told apart by {metric}: {difference} ± {half} over all pairs, adjusted p {p}; "
        "that is no evidence that they are alike."
    ),
    "pair-verdict-identical": (
        "{first} and {second} differ by {difference} by {metric}, and no answer can move that difference: no sample of "
        "items tells them apart."
    ),
    "pair-verdict-beside": (
        "{second} is {difference} behind {first} by {metric}; baselines, other entries without a rank, and those "
        "scored on fewer items are not in the comparison of all pairs."
    ),
    "pair-verdict-unknown": (
        "{first} and {second} differ by {difference} by {metric}; by this metric nothing was compared."
    ),
    "pair-beforehand": (
        "For a pair that was fixed before the results were known, and for no other: {difference} ± {half} (95%), p {p} "
        "by approximate randomization ({randomizations} randomizations), which takes the two teams’ answers to be "
        "exchangeable, more than equal scores."
    ),
    "pair-beforehand-by-interval": (
        "For a pair that was fixed before the results were known, and for no other: {difference} ± {half} (95%)."
    ),
    # Could be best
    "state-not-tested": "not tested",
    "state-same-shown": "the same, and shown",
    "state-same-not-shown": "the same, not shown",
    "state-other-not-shown": "another first, not shown",
    "state-other-shown": "another first, shown",
    "board-lines": "Lines: 95% intervals.",
    "board-tiers": "A line ends a tier: all above it are statistically ahead of all below{aside}.",
    "tiers-aside": ", {names} aside, of whom too little is sure",
    "pairs-left-out": "Which pairs the test set separates was not tested.",
    "power-left-out": "What differences the test set detects was not computed.",
    "verdict-best": "{leader} is first by {metric} ({score}), and the data support it as the best of {n}.",
    "verdict-open": "{leader} is first by {metric} ({score}). {others} could be best, too.",
    "verdict-shared": "{names} share first place by {metric} ({score}).",
    "verdict-shared-open": (
        "{names} share first place by {metric} ({score}). The test set cannot tell which of {n} is the best."
    ),
    "verdict-fewer-items": (
        "{leader} is first by {metric} ({score}), but is scored on fewer items than the others and compared with none "
        "of them."
    ),
    "verdict-undecided": "{leader} is first by {metric} ({score}). Whether the test set shows that cannot be tested.",
    "verdict-because": "In pairs nothing is compared: {reason}.",
    "verdict-gold-copy": "{names} {have} the gold label of every item: is {file} a copy of gold?",
    "verdict-unless": "If not: {claim}",
    "verdict-baseline": "Nobody is {beyond} {baseline} ({score}).",
    "verdict-near-baseline": "{baseline} ({score}) is within the 95% interval of {leader}, which reaches {end}.",
    "verdict-not-tested": "{leader} is first by {metric} ({score}). Whether the test set shows that was not tested.",
    "verdict-level": "By {metric} nobody is ahead: {n} have {score}.",
    "verdict-alone": "{leader} is the only entry that is ranked: {score} by {metric}.",
    "verdict-nobody": "By {metric} no {entrant} {lacking}.",
    "verdict-no-official-metric": "No official metric is stated: the ranking is by averaged F1 until one is.",
    # First place
    "slices-note": (
        "Each part is evaluated by itself: averages run over the classes that occur in it, and error rates of 5% hold "
        "for each part by itself. Of many parts some crown another by chance."
    ),
    "rule-slices": (
        "It is shown iff the first in the part is statistically ahead, on its items, of the first of the whole test "
        "set, and that one of it on all items; 5% holds for each part by itself."
    ),
    "place-others": ", where {others} could be best, too",
    "place": "{choice}: {state}: {first}.",
    "flips-one": (
        "Between {between}, one pair turns round, and the test set shows both: {above} is statistically ahead of "
        "{below} {one}, and {below} of {above} {other}."
    ),
    "flips-several": (
        "Between {between}, {n} pairs turn round, and the test set shows both orders of each: the first of a pair is "
        "statistically ahead {one}, the second {other} ({pairs})."
    ),
    # Detection
    "decimals-below-detection": (
        "{pairs} of neighbours {verb} different scores to {shown}, although they differ by less than a tenth of the "
        "smallest difference that this test set detects 80% of the time by {metric} ({likely}; median over the pairs, "
        "all pairs compared at once): {names}."
    ),
    "remedy-decimals": (
        "Print fewer decimals or share the ranks (official_decimals in task.toml), and print intervals or tiers beside "
        "the scores."
    ),
    "wide-recall": (
        "{classes} too few gold items for a claim: the median {entrant}’s 95% interval of recall is wider than {wide}: "
        "{names}."
    ),
    "remedy-wide-recall": "Do not compare teams on these classes; macro averages carry their uncertainty.",
    "few-groups": (
        "Items come in {groups}. With fewer than {fewest} of one size, intervals are rather too short, and differences "
        "look rather surer than they are."
    ),
    "one-group": "All items are of one group: there is no interval and no comparison.",
    "remedy-few-groups": (
        "Take intervals to be somewhat wider than printed, and do not publish a decision that hangs on them."
    ),
    "best-of-runs": (
        "Of {teams} the best of {runs} runs counts{others}. Picking a maximum favours teams with many runs: the best "
        "of {most} equally good runs would gain up to {gain} standard errors by luck alone ({team}{size}), less where "
        "they err on the same items."
    ),
    # Resampled
    "column-won": "Share of replicates in which the team is first: a description, no probability",
    "won-note": "Won: share of the replicates in which a team is first, which describes the replicates.",
    "middle-of-replicates": "the middle 95% of replicates: [{lower}, {upper}]",
    "middle-note": "A pointer on a number shows the middle 95% of replicates, which --json prints too.",
    # Distributions
    "monte-carlo-method": "intervals are Monte Carlo errors at 95% (Wilson), not sampling errors of the test set.",
    # Readings
    "reading-scores": (
        "The point is the score; the line its 95% interval, the leader’s corrected for its having been chosen as the "
        "best. Whether two lines overlap does not decide the pair: its difference is tested."
    ),
    "reading-possible-ranks": (
        "The bar spans the possible ranks, the point is the rank itself. A bar in the accent colour belongs to a team "
        "that could be best: it reaches rank 1, and no other does."
    ),
    "reading-separable": (
        "A filled square: the team of the row is statistically ahead of the team of the column by this metric. An "
        "empty one is no evidence that the two are alike. Teams stand in the order of the ranking."
    ),
    "computed-baselines": "Rows marked “computed” are built-in baselines, not submissions.",
    "computed-errors": (
        "Where a pointer shows ±, it is the Monte Carlo error of an expected score that has no closed form."
    ),
    "column-monte-carlo": "Monte Carlo interval (Wilson)",
    # Rules
    "rule-flip": (
        "Fires when, beside any change of winner, one team is statistically ahead of another {one}, and the other of "
        "it {other}."
    ),
    "rule-states": (
        "The finding says whether the test set shows the change: iff each winner is statistically ahead of the other "
        "by its own score."
    ),
    "rule-decimals-below-detection": (
        "Fires when teams that stand next to each other by the ranking metric have different printed scores, although "
        "they differ by less than a tenth of the smallest difference that the test set detects with 80% power: "
        "(critical value + .84) × the median standard error over the pairs."
    ),
    "rule-too-few-gold-items": "Fires when the 95% interval of a class’s recall is wider than .3 for the median team.",
    "rule-few-groups": "Fires when items come in fewer than 20 groups: intervals and comparisons are then rough.",
    "rule-best-run-counts": (
        'Fires when, by the policy runs = "best", some team’s best run by the ranking metric counts among several. '
        "The expected gain is that of the maximum of independent normal numbers, in standard errors of the score."
    ),
    # Paper
    # Methods
    "paper-groups": (
        "Items come in {n} groups, which are taken as independent draws from a population of such groups; class counts "
        "are random."
    ),
    "paper-stratified": (
        "Within each class, items are taken as independent draws from a population; how many there are of each class "
        "is fixed by design."
    ),
    "paper-intervals": (
        "Scores carry 95% intervals: variance by the delta method{delta} from a confusion to which a few pseudo-items, "
        "half of them right, were added{pseudo}; it becomes an effective number of items in a Wilson score "
        "interval{wilson}. Where a share rests on at most two items of one sort (three of more than 50), its end on "
        "that side is one-sided, from the Poisson distribution{few}."
    ),
    "paper-item-scores": (
        "The variance of AUC is that of its placements{delong}, that of average precision by what an item more would "
        "change; for intervals a tenth of an item of each class is added at either end of the order. The interval of "
        "average precision covers what to expect of test sets of this size, not the population's value. The Brier "
        "score is a mean over items."
    ),
    "paper-design-effect": (
        "Answers within one {unit} depend on each other: the effective number of items is divided by the design effect "
        "of the {unit}s, and the quantile is Student's with one degree of freedom fewer than {unit}s of one size that "
        "would tell as much, from 2 to {freedom}."
    ),
    "paper-unmarked": (
        "Where simulation found no interval that holds its level, none is given or it is called rough, and the table "
        "says why."
    ),
    "paper-procedure": (
        "Whether one submission is statistically ahead of another is decided by one stepdown max-t procedure{stepdown} "
        "over all {pairs} unordered pairs by a metric, at a family-wise error of 5% for each metric by itself: the "
        "difference over its standard error, which includes the variance under “no difference”, against {draws} draws "
        "from {distribution} with the covariance of the influence functions (seed {seed}). A submission that alone "
        "could be best is ahead of all."
    ),
    "paper-procedure-pair": (
        "Whether one of the two submissions is statistically ahead of the other is decided at an error of 5% for each "
        "metric by itself: the difference over its standard error, which includes the variance under “no difference”, "
        "against {draws} draws from {distribution} with the covariance of the influence functions (seed {seed})."
    ),
    "paper-possible-ranks": (
        "Tiers and possible ranks{ranks} follow from these decisions and from who could be best: a tier ends where all "
        "above are ahead of all below."
    ),
    "paper-uncertain": (
        "No tier is drawn by submissions whose differences are much less sure than those of the others: their median "
        "standard error is above twice what is usual among the submissions, or they never predict a class that others "
        "predict."
    ),
    "paper-never-predicted": (
        "Where a submission never predicts a class, its precision there is unknown, and another is ahead of it only by "
        "more than this class could add."
    ),
    "paper-best-set": (
        "A submission could be best unless another is ahead of it by more than the 95% quantile of the largest of its "
        "own two-sided comparisons{best}, or over all pairs; the true best is among them with 95% confidence."
    ),
    "paper-leader": "The interval of the first submission is corrected for its having been chosen as the best{leader}.",
    "paper-replicates": (
        "{n} replicates by paired item weights{bootstrap} describe ranks and rank correlations, and test nothing."
    ),
    "paper-replicates-left-out": "{n} of them have no item of some class and are left out.",
    "paper-replicates-too-few": "Fewer than {fewest} are usable, and nothing is printed of them.",
    "paper-not-covered": "Errors in the gold labels, and other test sets, are not covered.",
    # Results
    "paper-first": (
        "By {metric}, {name} is first ({score}; 95% interval {lower} to {upper}, corrected for having been chosen as "
        "the best)."
    ),
    "paper-one-best": "At 95% confidence no other could be best: the test set shows {name} ahead of all.",
    "paper-could-be-best": "At 95% confidence {n} could be best, too ({names}).",
    "paper-more-not-shown": "; by {n} more another is first, not shown",
    "paper-more-not-tested": "; by {n} more another is first, not tested",
    "paper-other-other-shown": (
        "By other {by} another is first, each statistically ahead of the other by its own score: {clauses}{more}."
    ),
    "paper-other-other-not-shown": (
        "By other {by} another is first, which the test set does not show: {clauses}{more}."
    ),
    "paper-other-not-tested": "By other {by} another is first, which was not tested: {clauses}{more}.",
    "paper-same-shown": "By {scores}, too, {names} {is_} first and statistically ahead of all others.",
    "paper-same": "By {scores}, too, {names} {is_} first, which the test set does not show by each of these.",
    "paper-limit": "Not shown is not equal; errors in the gold labels are not covered.",
}


def say(slug: str, **values: object) -> str:
    """A sentence with its names and numbers.

    >>> say("tier-best", leader="A")
    '; A alone could be best'
    """
    return SENTENCES[slug].format(**values)
