"""Every statistical sentence that page, terminal and paper may say, with the procedure that permits it and its limit.

A sentence is a template. Who says it fills in names and numbers by :func:`say`; nobody words a statistical claim
anywhere else, so that page, terminal and LaTeX agree, and a test finds every such sentence of theirs here. The
procedures are those of docs/uncertainty.md.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Sentence:
    """A statistical sentence, or a part of one.

    Parameters
    ----------
    slug : str
        The name of the sentence for programs.
    text : str
        A template: names in braces are filled in.
    procedure : str
        What permits it.
    limit : str
        What it does not say.
    """

    slug: str
    text: str
    procedure: str
    limit: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """A pattern that the filled-in sentence matches."""
        parts = re.split(r"\{\w+\}", self.text)
        return re.compile(".+?".join(map(re.escape, parts)), re.DOTALL)


_WILSON = "Wilson's interval with an effective number of items, by the delta method with pseudo-items"
_LEADER = "the leader's interval, its worse end from the largest error of all, or of the plausible, entries"
_PAIRS = (
    "stepdown max-t over all unordered pairs of compared entries, family-wise error 5% for one metric; and who alone "
    "could be best is ahead of all"
)
_BEST = "each entry’s own comparisons, two-sided at 95%, and decisions over all pairs; it only widens"
_RANKS = "possible ranks: what the pairs of which one is ahead leave open"
_CHANGE = (
    "the state of a first place under another choice: the same is shown iff it alone could be best there; another iff "
    "each is ahead of the other by its own score"
)
_SLICE = "the state of the first place on the items of a part, as that under any other choice"
_EACH_PART = "holds for each part by itself, not for several at once; says nothing of who is best on all items"
_DETECTED = "critical value and median standard error of the comparison of all pairs"
_WEIGHTS = "paired weights of items, drawn with replacement"
_EXPONENTIAL = "paired weights of items or groups from the exponential distribution"
_EVERY = "every interval and comparison"

_ONE_METRIC = "holds for each metric separately, not for several at once"
_NOT_EQUAL = "not shown is not equal"
_DESCRIBES = "describes the replicates; neither a test nor a probability"
_NAMES_ONLY = "is the heading of a number, and claims nothing itself"
_NO_CLAIM = "says what was done or left out, and claims nothing of the scores"

_POPULATION = (
    Sentence(
        "population",
        "Items are taken as independent draws from a population with this class distribution; class counts are random.",
        _EVERY,
        "says nothing of other populations, nor of errors in the gold labels",
    ),
    Sentence(
        "population-groups",
        "The {groups} of items are taken as independent draws of groups from a population with this class "
        "distribution; class counts are random.",
        "every interval and comparison where items come in groups",
        "says nothing of other populations, nor of errors in the gold labels",
    ),
    Sentence(
        "population-stratified",
        "The items of each class are taken as independent draws from this class; class counts are fixed by design.",
        "every interval and comparison of a test set that was balanced by design",
        "says nothing of other populations, nor of errors in the gold labels",
    ),
    Sentence(
        "not-covered",
        "Not covered: errors in the gold labels, and test sets that are not samples like this one.",
        _EVERY,
        "names what no procedure here looks at",
    ),
    Sentence(
        "one-metric-at-a-time",
        "Error rates of 5% and confidence of 95% hold for each metric, prevalence and test set separately, not for "
        "all of them at once.",
        _EVERY,
        "nothing corrects for choosing among metrics after seeing the results",
    ),
)

_EIGHTY = "80% power at the standard error of the paired difference (Card et al. 2020)"
_WITH_ITEMS = f"{_EIGHTY}, which shrinks with the root of the number of items"
_REMOVED = "items removed by their influence on the two scores, the scores computed anew (Broderick et al. 2020)"
_IF_TRUE = "the observed difference is an estimate of the true one; one that was selected is too large on average"
_NOT_WRONG = "no error rate: it shows how much a few items count, not that anything is wrong with them"

_POWER = (
    Sentence(
        "power-typical",
        "By {metric}, a true difference of {half} between two teams is found about half the time; 80% of the time "
        "from {most} on (the pair with the median standard error, {tested}).",
        f"{_EIGHTY}, the median over all pairs; half the time at critical value × standard error",
        "pairs with a larger standard error need a larger difference; nothing follows for an observed difference",
    ),
    Sentence(
        "power-needed",
        "{first} leads {second} by {difference}. If that is the true difference, a test of this pair alone, fixed "
        "beforehand, finds it 80% of the time with {few}, a comparison of all pairs with {many}; the test set "
        "has {size}.",
        _WITH_ITEMS,
        _IF_TRUE,
    ),
    Sentence(
        "power-needed-by-two",
        "{first} leads {second} by {difference}. If that is the true difference, a test finds it 80% of the time "
        "with {few}; the test set has {size}.",
        _WITH_ITEMS,
        _IF_TRUE,
    ),
    Sentence(
        "power-level",
        "{first} and {second} have the same score by {metric}: there is no lead that more items could confirm.",
        "the scores",
        "says nothing of the true scores",
    ),
    Sentence(
        "power-carried",
        "{count} of the {items} carry the first place: without them, {rival} would be ahead of {first}. That is an "
        "upper bound: fewer may be enough.",
        _REMOVED,
        _NOT_WRONG,
    ),
    Sentence(
        "power-carried-by-one",
        "A single one of the {items} carries the first place: without it, {rival} would be ahead of {first}.",
        _REMOVED,
        _NOT_WRONG,
    ),
    Sentence(
        "power-not-carried",
        "No items were found without which another team would be ahead of {first}.",
        _REMOVED,
        "the search is no proof that there are none",
    ),
    Sentence(
        "power-noise",
        "If {shares} of the gold labels are replaced at random, whatever was predicted, {first} is still first in "
        "{stays} of {draws}.",
        "random relabellings, a new label drawn uniformly among the other classes (Northcutt et al. 2021)",
        "label noise is taken to be independent of the predictions; real noise gathers where items are hard",
    ),
    Sentence(
        "power-nothing",
        "Fewer than two entries can be compared by {metric}: there is no difference to find.",
        "the scores",
        "says nothing of entries that are not comparable",
    ),
    Sentence(
        "power-plan",
        "By {metric}, a true difference of {difference} is found 80% of the time with about {few} items in a test of "
        "one pair, fixed beforehand, and with about {many} in a comparison of all pairs of {teams}, if the systems "
        "err {alike}.",
        f"{_WITH_ITEMS}, from the variances of the pilot systems and an assumed correlation of their influence values",
        "holds for test sets with the pilot's class distribution, and for systems that vary as the pilot does",
    ),
    Sentence(
        "power-plan-assumes",
        "How alike two systems err cannot be seen from their confusions: correlations of 0, .5 and .8 are assumed. "
        "Systems of one task mostly err on the same items; where nothing is known, plan with independent errors.",
        "the correlation of the systems' influence values, item by item",
        "no range of what is possible: systems may err still more alike, or on different items",
    ),
)

_INTERVALS = (
    Sentence(
        "interval-method",
        "Intervals are 95% Wilson intervals with an effective number of items: the variance is that of the delta "
        "method at a confusion to which a few pseudo-items, half of them right, were added (Agresti and Coull 1998; "
        "Price and Bonett 2004; Korn and Graubard 1998; Franco et al. 2019; for macro F1 Takahashi et al. 2022).",
        _WILSON,
        "covers 95% on average over simulated campaigns, not in each of them",
    ),
    Sentence(
        "interval-item-scores",
        "The variance of AUC is that of its placements (DeLong et al. 1988), to which for intervals a tenth of an item "
        "of each class is added at either end of the order; the Brier score is a mean over items.",
        "placements of the items of each class among those of the other",
        "given enough items of both classes",
    ),
    Sentence(
        "interval-item-weights",
        "Average precision moves with all items at once, so its variances and covariances are by paired item weights: "
        "{draws} draws (seed {seed}), in each of which every {unit} counts as much as a random number from the "
        "exponential distribution says, the same for all teams (Rubin 1981). Its interval is never narrower than that "
        "of a share of the {positive} that are {label} (Boyd et al. 2013).",
        _EXPONENTIAL,
        "a standard error from so many draws is itself uncertain by some 2%",
    ),
    Sentence(
        "mean-with-item-scores",
        "What an item adds to a mean of scores of labels and of single items is the mean of what it adds to each, so "
        "that variances and covariances count that all are of the same items; for its interval each score has the "
        "variance of its own interval.",
        "what items add to each score, item by item, or in each draw of item weights",
        "as each score of the mean by itself",
    ),
    Sentence(
        "interval-design",
        "With groups this number is divided by the design effect, and the quantile is Student’s with {freedom} "
        "degrees of freedom.",
        _WILSON,
        "approximate with few groups",
    ),
    Sentence(
        "interval-never-predicted",
        "Of a class that a team predicts fewer than 5 times little is known: averages that divide by a class’s "
        "answers move it to the ends of its own interval, and a precision to 1 where the class is never predicted. "
        "Elsewhere a class that a team never predicts counts as one that it never would.",
        _WILSON,
        "the last is an assumption, which one sample cannot check",
    ),
    Sentence(
        "interval-if-never",
        "Given that a team never predicts a class that it did not predict here: {intervals}.",
        _WILSON,
        "an assumption, which one sample cannot check",
    ),
    Sentence(
        "interval-overlap",
        "Whether two intervals overlap says nothing about the pair.",
        "paired comparisons, whose errors are correlated",
        _NO_CLAIM,
    ),
    Sentence(
        "column-interval",
        "Wilson interval with an effective number of items",
        _WILSON,
        _NAMES_ONLY,
    ),
    Sentence("column-drawn", "The interval, with the score as its point", _WILSON, _NAMES_ONLY),
    Sentence(
        "column-gap",
        "F1 of averages − averaged F1; ≤: upper end of its one-sided 95% interval",
        "Wilson's interval for 2Δ, one-sided",
        _NAMES_ONLY,
    ),
    Sentence(
        "mark-rare-class",
        "{mark} an averaged class has fewer than 5 gold items: the interval is rough, and by geometric and harmonic "
        "macro recall none was found that holds its level",
        "simulation: a mean over 20 classes or more is covered in 90 to 99% of test sets; products of recalls far less",
        "the score itself is exact, and comparisons stand",
    ),
    Sentence(
        "mark-few-hits",
        "{mark} no interval: of many classes, one has fewer right answers than half the number of classes, and no "
        "interval of this score was found to hold its level there",
        "simulation: coverage far below 95% there",
        "the score itself is exact, and comparisons stand",
    ),
    Sentence(
        "mark-few-groups",
        "{mark} no interval: all items are of one group",
        "nothing can be said of other groups from one",
        "the score itself is exact",
    ),
    Sentence(
        "mark-mean-of-ranks",
        "{mark} no interval: a mean of ranks depends on who takes part, and one more right answer moves it by whole "
        "ranks or not at all; how sure its scores are, each of them says",
        "a rank is no smooth function of the items",
        "the mean rank itself is exact",
    ),
    Sentence(
        "mark-corrected",
        "{mark} the first’s 95% interval is corrected for its having been chosen as the best",
        _LEADER,
        "corrected for the choice by this metric",
    ),
    Sentence(
        "leader-interval",
        "{leader}’s 95% interval, {interval}, is corrected for its having been chosen as the best: the best score of "
        "several is {good} by luck, too, so the {worse} end lies further {away} than that of a team chosen beforehand "
        "(Zrnic and Fithian 2024).",
        _LEADER,
        "corrected for the choice by this metric; the others’ intervals are not simultaneous",
    ),
    Sentence(
        "leader-without-interval",
        "{leader}’s score has no interval.",
        "the marks of intervals",
        _NO_CLAIM,
    ),
    Sentence(
        "marked-comparisons",
        "Comparisons by {metric} stand also where an interval is left out: their error rates hold there.",
        "simulation of the family-wise error",
        "says nothing of the size of a score",
    ),
    Sentence(
        "sampling-unit",
        "What was drawn are {groups}, not items: {leader}’s interval, not corrected for its having been chosen, is "
        "{grouped}; if items were independent, it would be {ungrouped}.",
        _WILSON + "; with and without the design effect of groups",
        "does not say which of the two is right: that follows from how the test set was made",
    ),
)

_COMPARED = (
    Sentence(
        "comparison-method",
        "Teams are compared by one procedure over all {pairs}: stepdown max-t on differences over their standard "
        "errors, which include a variance under “no difference”, with {errors} errors whose covariance is that of "
        "the scores’ {covariance} ({draws} draws, seed {seed}; Romano and Wolf 2005), at a family-wise error of "
        "5%. A team is statistically ahead of another where the adjusted p of the pair is .05 or less, or where "
        "it alone could be best.",
        _PAIRS,
        _NOT_EQUAL,
    ),
    Sentence(
        "promise",
        "Who could be best: the true best is among them with 95%. Who is ahead of whom: all such claims together "
        "hold with 95%.",
        _BEST + "; " + _PAIRS,
        "two families of claims, each at its level, for one metric",
    ),
    Sentence(
        "never-predicted",
        "Where a team never predicts a class, its precision there is unknown: its {metric} could be better by all that "
        "this class can add, and only a larger lead over it counts.",
        "a bound: the score with the precision of these classes at 1",
        "asks more of a difference than a test that takes the class to be never predicted on any test set",
    ),
    Sentence(
        "given-never-predicted",
        "Given that teams never predict what they do not predict here, {n} more {pairs} would be decided by {metric}; "
        "nothing else here takes this as given.",
        _PAIRS + ", without the bound",
        "an assumption that one test set cannot check; it decides nothing else here",
    ),
    Sentence(
        "tier-method",
        "A tier ends below a team where the score drops and every team above is statistically ahead of every team "
        "below; teams whose differences are much less sure than the others’ (○) move no such line.",
        _PAIRS,
        "a tier is no set of equal teams",
    ),
    Sentence(
        "column-tier",
        "All of one tier are ahead of all of the next, but for teams whose differences are much less sure",
        _PAIRS,
        _NAMES_ONLY,
    ),
    Sentence(
        "column-possible-ranks",
        "Ranks that these claims leave open",
        _RANKS,
        _NAMES_ONLY,
    ),
    Sentence("column-ranks-drawn", "The possible ranks, from rank 1 on the left", _RANKS, _NAMES_ONLY),
    Sentence(
        "mark-best",
        "{mark} could be best: the true best is among these with 95%",
        _BEST,
        _ONE_METRIC,
    ),
    Sentence(
        "ranks-among-compared",
        "possible ranks are among the {n} that are compared",
        _RANKS,
        _NAMES_ONLY,
    ),
    Sentence(
        "mark-uncertain",
        "{mark} differences from it are much less sure than those of the others: it cannot be excluded, and moves no "
        "line between tiers",
        _BEST + "; the typical standard error is above twice the field’s, or a class is never predicted",
        _ONE_METRIC,
    ),
    Sentence(
        "column-could-be-best",
        "Whether it could be best",
        _BEST,
        _NAMES_ONLY,
    ),
    Sentence(
        "column-behind",
        "How much better the first’s score is, ± half of the simultaneous 95% interval over all pairs",
        _PAIRS,
        _NAMES_ONLY,
    ),
    Sentence(
        "column-lead",
        "Half of the simultaneous 95% interval over all pairs; as wide for a baseline, which is in no pair",
        _PAIRS,
        _NAMES_ONLY,
    ),
    Sentence("column-adjusted-p", "Of the difference from the first, adjusted for all pairs", _PAIRS, _NAMES_ONLY),
    Sentence(
        "behind-note",
        "Behind the first: difference ± half of its 95% interval over all pairs at once; adjusted p likewise.",
        _PAIRS,
        _ONE_METRIC,
    ),
    Sentence(
        "behind-baselines",
        "A baseline is in no pair; its ± is as wide as that of a pair would be.",
        "critical value of all pairs × standard error of the paired difference",
        "a baseline has no adjusted p",
    ),
    Sentence(
        "lead",
        "{first} leads {second} by {lead} ± {half} (95%, all pairs at once; adjusted p {p}).",
        _PAIRS,
        "an interval that holds 0 does not show that the two are equal",
    ),
    Sentence(
        "pairs-separable",
        "In {separable} of {pairs} one is statistically ahead of the other, and in {adjacent} of {neighbours} of "
        "neighbours.",
        _PAIRS,
        _NOT_EQUAL,
    ),
    Sentence(
        "table-pairs",
        "One is statistically ahead of the other in {separable} of {pairs}.",
        _PAIRS,
        _NOT_EQUAL,
    ),
    Sentence(
        "table-pairs-note",
        "▲ the row’s is statistically ahead of the column’s; ▽ behind it; · not shown.",
        _PAIRS,
        _NOT_EQUAL,
    ),
    Sentence(
        "table-tiers",
        "By {metric} there {are} {tiers}; the first holds {first}.",
        _PAIRS,
        "a tier is no set of equal teams",
    ),
    Sentence(
        "tier-alone",
        "{leader} alone",
        _PAIRS,
        "tier 1 is not the set of those that could be best",
    ),
    Sentence(
        "tier-together",
        "{leader} and {n} more",
        _PAIRS,
        _NOT_EQUAL,
    ),
    Sentence(
        "nothing-compared",
        "By {metric} nothing is compared in pairs: {reason}.",
        "a comparison needs two comparable entries whose scores have influence functions",
        _NO_CLAIM,
    ),
    Sentence("left-aside", "Not compared in pairs: {reason}.", "who is comparable", _NO_CLAIM),
    Sentence("fewer-items-mark", "no tier, no possible ranks", "who is comparable", _NO_CLAIM),
    Sentence(
        "pair-interval",
        "±: half of the 95% interval of the difference, for all pairs at once; adjusted p likewise (stepdown max-t, "
        "family-wise error 5%).",
        _PAIRS,
        _ONE_METRIC,
    ),
    Sentence(
        "pair-compared",
        "± and adjusted p are given here for {metrics}, and for teams that are compared in pairs; audit compare gives "
        "them for any metric.",
        _PAIRS,
        _ONE_METRIC,
    ),
    Sentence(
        "pair-left-out", "The certainty was left out: differences have no ± and no adjusted p.", _PAIRS, _NO_CLAIM
    ),
    Sentence(
        "no-map-of-pairs",
        "The map of pairs is left out for so many teams; audit export writes pairs.csv.",
        _PAIRS,
        _NO_CLAIM,
    ),
    Sentence(
        "no-pair-of-neighbours",
        "No {entrant} is statistically ahead of the one ranked next by {metric} ({pairs} of neighbours; all pairs "
        "compared at once, family-wise error 5%).",
        _PAIRS,
        _NOT_EQUAL,
    ),
    Sentence(
        "no-pair-of-neighbours-paper",
        "No system is statistically ahead of the one ranked next.",
        _PAIRS,
        _NOT_EQUAL,
    ),
    # Two of them: the page's choice and audit compare
    Sentence(
        "pair-verdict-ahead",
        "{first} is statistically ahead of {second} by {metric}: {difference} ± {half} over all pairs, adjusted p {p}.",
        _PAIRS,
        _ONE_METRIC,
    ),
    Sentence(
        "pair-verdict-best",
        "{first} alone could be best by {metric}, and so is statistically ahead of {second}: {difference} ± {half} "
        "over all pairs, adjusted p {p}.",
        _BEST,
        _ONE_METRIC,
    ),
    Sentence(
        "pair-verdict-open",
        "{first} and {second} cannot be told apart by {metric}: {difference} ± {half} over all pairs, adjusted p {p}; "
        "that is no evidence that they are alike.",
        _PAIRS,
        _NOT_EQUAL,
    ),
    Sentence(
        "pair-verdict-identical",
        "{first} and {second} differ by {difference} by {metric}, and no answer can move that difference: no sample "
        "of items tells them apart.",
        "a variance of 0 of the paired difference",
        "holds for these two files",
    ),
    Sentence(
        "pair-verdict-beside",
        "{second} is {difference} behind {first} by {metric}; baselines, other entries without a rank, and those "
        "scored on fewer items are not in the comparison of all pairs.",
        "who is comparable",
        _NO_CLAIM,
    ),
    Sentence(
        "pair-verdict-unknown",
        "{first} and {second} differ by {difference} by {metric}; by this metric nothing was compared.",
        "what was compared",
        _NO_CLAIM,
    ),
    Sentence(
        "pair-beforehand",
        "For a pair that was fixed before the results were known, and for no other: {difference} ± {half} (95%), p "
        "{p} by approximate randomization ({randomizations} randomizations), which takes the two teams’ answers to "
        "be exchangeable, more than equal scores.",
        "a quantile of the standard error of the paired difference; approximate randomization of one pair",
        "not for a pair that was picked after seeing the ranking",
    ),
    Sentence(
        "pair-beforehand-by-interval",
        "For a pair that was fixed before the results were known, and for no other: {difference} ± {half} (95%).",
        "a quantile of the standard error of the paired difference",
        "not for a pair that was picked after seeing the ranking",
    ),
)

_COULD_BE_BEST = (
    Sentence(
        "best-method",
        "A team could be best unless another is ahead of it by more than the 95% quantile of the largest of the "
        "team’s own comparisons, two-sided (Hsu 1984; Mogstad et al. 2024), or over all pairs. One that scores at "
        "least as high as a team that could be best could be best, too, unless another is ahead of it over all "
        "pairs.",
        _BEST,
        "of two equal teams one alone is said to be best in one test set of twenty",
    ),
    Sentence(
        "ranks-method",
        "Possible ranks count these claims: a team’s first possible rank is one more than the number of teams "
        "ahead of it, and at least 2 where it could not be best; its last leaves out the teams that it is ahead "
        "of (Mogstad, Romano, Shaikh and Wilhelm 2024).",
        _RANKS,
        "as sure as the claims that they count",
    ),
    Sentence("state-not-tested", "not tested", _CHANGE, _NO_CLAIM),
    Sentence(
        "state-same-shown",
        "the same, and shown",
        _CHANGE,
        "shown for this choice alone, at 95%",
    ),
    Sentence(
        "state-same-not-shown",
        "the same, not shown",
        _CHANGE,
        _NOT_EQUAL,
    ),
    Sentence(
        "state-other-not-shown",
        "another first, not shown",
        _CHANGE,
        _NOT_EQUAL,
    ),
    Sentence(
        "state-other-shown",
        "another first, shown",
        _CHANGE,
        "each at a family-wise error of 5% for its own metric",
    ),
    Sentence("board-lines", "Lines: 95% intervals.", _WILSON, _NAMES_ONLY),
    Sentence(
        "board-tiers",
        "A line ends a tier: all above it are statistically ahead of all below{aside}.",
        _PAIRS,
        _NAMES_ONLY,
    ),
    Sentence(
        "tiers-aside",
        "; of {names} too little is sure for that",
        _PAIRS + "; the typical standard error is above twice the field’s, or a class is never predicted",
        "their differences from others cross the lines of tiers",
    ),
    Sentence(
        "pairs-left-out",
        "Which pairs the test set separates was not tested.",
        "the certainty was left out",
        _NO_CLAIM,
    ),
    Sentence(
        "power-left-out",
        "What differences the test set detects was not computed.",
        "the certainty was left out",
        _NO_CLAIM,
    ),
    Sentence(
        "verdict-best",
        "{leader} is first by {metric} ({score}), and the data support it as the best of {n}.",
        _BEST,
        _ONE_METRIC,
    ),
    Sentence(
        "verdict-open",
        "{leader} is first by {metric} ({score}). The test set cannot tell it from {others}.",
        _BEST,
        "counts those that could be best, too; does not say that they are equal",
    ),
    Sentence(
        "verdict-shared",
        "{names} share first place by {metric} ({score}).",
        "equal scores",
        "says nothing of the population",
    ),
    Sentence(
        "verdict-shared-open",
        "{names} share first place by {metric} ({score}). The test set cannot tell which of {n} is the best.",
        _BEST,
        "does not say that they are equal",
    ),
    Sentence(
        "verdict-fewer-items",
        "{leader} is first by {metric} ({score}), but is scored on fewer items than the others and compared with "
        "none of them.",
        "who is comparable",
        _NO_CLAIM,
    ),
    Sentence(
        "verdict-undecided",
        "{leader} is first by {metric} ({score}). Whether the test set shows that cannot be tested.",
        "a comparison needs two comparable entries whose scores have influence functions",
        _NO_CLAIM,
    ),
    Sentence("verdict-because", "In pairs nothing is compared: {reason}.", "who is comparable", _NO_CLAIM),
    Sentence(
        "verdict-gold-copy",
        "{names} {have} the gold label of every item: is {file} a copy of gold?",
        "answers that equal gold’s, all of them",
        "asks, and does not say that it is one",
    ),
    Sentence(
        "verdict-baseline",
        "Nobody is {beyond} {baseline} ({score}).",
        "scores on full precision; of a random baseline the expected one",
        "says nothing of other metrics",
    ),
    Sentence(
        "verdict-not-tested",
        "{leader} is first by {metric} ({score}). Whether the test set shows that was not tested.",
        "the scores alone: the certainty was left out",
        _NO_CLAIM,
    ),
    Sentence("verdict-level", "By {metric} nobody is ahead: {n} have {score}.", "equal scores", _NO_CLAIM),
    Sentence(
        "verdict-alone", "{leader} is the only entry that is ranked: {score} by {metric}.", "the scores", _NO_CLAIM
    ),
    Sentence("verdict-nobody", "By {metric} no {entrant} {lacking}.", "the scores", _NO_CLAIM),
    Sentence(
        "verdict-no-official-metric",
        "No official metric is stated: the ranking is by averaged F1 until one is.",
        "task.toml",
        _NO_CLAIM,
    ),
    Sentence(
        "verdict-needed",
        "{first} is {difference} ahead of {second}. To find a true difference of that size 80% of the time takes "
        "{few} for this pair alone, {many} among all pairs.",
        _WITH_ITEMS,
        _IF_TRUE,
    ),
    Sentence(
        "verdict-needed-by-two",
        "{first} is {difference} ahead of {second}. To find a true difference of that size 80% of the time takes "
        "{few}.",
        _WITH_ITEMS,
        _IF_TRUE,
    ),
    Sentence(
        "could-be-best",
        "{teams} could each be best by {metric}: {names}. The true best is among them with 95%.",
        _BEST,
        _ONE_METRIC,
    ),
    Sentence(
        "only-best",
        "{leader} is the only one of {teams} that could be best by {metric}, and so is statistically ahead of "
        "each other one.",
        _BEST,
        _ONE_METRIC,
    ),
    Sentence(
        "could-be-best-paper",
        "By {metric}, {teams} could each be best, at 95% confidence.",
        _BEST,
        _ONE_METRIC,
    ),
    Sentence(
        "remedy-several",
        "Announce them together, or state that the test set does not show who is best.",
        _BEST,
        _NOT_EQUAL,
    ),
    Sentence(
        "remedy-neighbours",
        "Publish tiers or possible ranks: the test set does not show the order of neighbours.",
        _PAIRS,
        _NOT_EQUAL,
    ),
)

_FIRST_PLACE = (
    Sentence("change-not-tested", "whether the test set shows this change was not tested", _CHANGE, _NO_CLAIM),
    Sentence(
        "change-other-shown",
        "the test set shows it: each is statistically ahead of the other by its own score",
        _CHANGE,
        "each at a family-wise error of 5% for its own metric",
    ),
    Sentence(
        "change-other-not-shown",
        "the test set does not show this change, and that is no evidence that the two agree on the winner",
        _CHANGE,
        _NOT_EQUAL,
    ),
    Sentence("slice-crowns", "{slice} crowns {names} ({score}; {state})", _SLICE, _EACH_PART),
    Sentence("slices-crown", "Cut by {column}: {clauses}.", _SLICE, _EACH_PART),
    Sentence(
        "slices-hold",
        "Cut by {column}: {names} is first in {parts}.",
        _SLICE,
        "is no claim that a part shows it",
    ),
    Sentence("slice-led", "{slice} has {names} first ({score})", _SLICE, "is no claim that the order is shown"),
    Sentence("slices-tied", "Cut by {column}: on all items nobody is ahead; {clauses}.", "equal scores", _NO_CLAIM),
    Sentence("slices-nobody", "Cut by {column}: in no part is anybody ahead.", "equal scores", _NO_CLAIM),
    Sentence(
        "slices-note",
        "Each part is evaluated by itself: averages run over the classes that occur in it, and error rates of 5% hold "
        "for each part by itself. Of many parts some crown another by chance.",
        _SLICE,
        _EACH_PART,
    ),
    Sentence(
        "rule-slices",
        "It is shown iff the first in the part is statistically ahead, on its items, of the first of the whole "
        "test set, and that one of it on all items; 5% holds for each part by itself.",
        _SLICE,
        _EACH_PART,
    ),
    Sentence(
        "place-others",
        ", where {others} could be best, too",
        _BEST,
        "does not say that they are as good",
    ),
    Sentence(
        "place",
        "{choice}: {state}: {first}.",
        _CHANGE,
        "as each of the states",
    ),
    Sentence(
        "flips-one",
        "Between {between}, one pair turns round, and the test set shows both: {above} is statistically ahead of "
        "{below} {one}, and {below} of {above} {other}.",
        _PAIRS + ", by each of the two scores",
        "two families of comparisons, each with an error of 5%",
    ),
    Sentence(
        "flips-several",
        "Between {between}, {n} pairs turn round, and the test set shows both orders of each: the first of a pair "
        "is statistically ahead {one}, the second {other} ({pairs}).",
        _PAIRS + ", by each of the two scores",
        "two families of comparisons, each with an error of 5%",
    ),
    Sentence(
        "flips-paper",
        "In {n} of systems, each is statistically ahead of the other by one of {between}.",
        _PAIRS + ", by each of the two scores",
        "two families of comparisons, each with an error of 5%",
    ),
)

_DETECTION = (
    Sentence(
        "decimals-below-detection",
        "{pairs} of neighbours {verb} different scores to {shown}, although they differ by less than a tenth of the "
        "smallest difference that this test set detects 80% of the time by {metric} ({likely}; median over the "
        "pairs, all pairs compared at once): {names}.",
        _DETECTED,
        "does not say that the two are equal",
    ),
    Sentence(
        "decimals-below-detection-paper",
        "A true difference of {half} between two systems is found about half the time on this test set; 80% of the "
        "time from {likely}.",
        _DETECTED,
        "median over the pairs, all pairs compared at once",
    ),
    Sentence(
        "remedy-decimals",
        "Print fewer decimals or share the ranks (official_decimals in task.toml), and print intervals or tiers "
        "beside the scores.",
        _DETECTED,
        _NO_CLAIM,
    ),
    Sentence(
        "wide-recall",
        "{classes} too few gold items for a claim: the median {entrant}’s 95% interval of recall is wider than {wide}: "
        "{names}.",
        "Wilson's interval of a proportion of items",
        "of one class and one team at a time",
    ),
    Sentence(
        "wide-recall-paper",
        "Recall of {classes} is too uncertain for comparisons on this test set.",
        "Wilson's interval of a proportion of items",
        "of one class and one team at a time",
    ),
    Sentence(
        "remedy-wide-recall",
        "Do not compare teams on these classes; macro averages carry their uncertainty.",
        "Wilson's interval of a proportion of items",
        _NO_CLAIM,
    ),
    Sentence(
        "few-groups",
        "Items come in {groups}. With fewer than {fewest} of one size, intervals are rather too short, and differences "
        "look rather surer than they are.",
        "Student's quantile and sums over groups, each as if left out; 91 to 96% coverage in simulation with groups of "
        "very unequal size",
        "does not say how much too short",
    ),
    Sentence(
        "few-groups-paper",
        "Intervals and comparisons rest on {groups} only; with so few, intervals are rather too short.",
        "Student's quantile and sums over groups, each as if left out; 91 to 96% coverage in simulation with groups of "
        "very unequal size",
        "does not say how much too short",
    ),
    Sentence(
        "one-group",
        "All items are of one group: there is no interval and no comparison.",
        "nothing can be said of other groups from one",
        _NO_CLAIM,
    ),
    Sentence(
        "remedy-few-groups",
        "Take intervals to be somewhat wider than printed, and do not publish a decision that hangs on them.",
        "Student's quantile and sums over groups, approximate with few of them",
        _NO_CLAIM,
    ),
    Sentence(
        "best-of-runs",
        "Of {teams} the best of {runs} runs counts{others}. Picking a maximum favours teams with many runs: the best "
        "of {most} equally good runs would gain up to {gain} standard errors by luck alone ({team}{size}), less "
        "where they err on the same items.",
        "the expected maximum of independent normal numbers",
        "an upper bound; the runs are neither independent nor equally good",
    ),
)

_RESAMPLED = (
    Sentence(
        "resampled",
        "{n} replicates of paired item weights (seed {seed}) describe what has no influence function: correlations "
        "of metrics, and shares of first places.",
        _WEIGHTS,
        _DESCRIBES,
    ),
    Sentence(
        "resampled-left-out",
        "{n} of them have no item of some class and are left out.",
        _WEIGHTS,
        _NO_CLAIM,
    ),
    Sentence(
        "resampled-too-few",
        "Fewer than {fewest} are usable, and nothing is printed of them.",
        _WEIGHTS,
        _NO_CLAIM,
    ),
    Sentence(
        "resampled-disagreement",
        "The two macro F1s have different winners in {macro_f1} of the replicates, and {metric} at observed and at "
        "balanced prevalence in {prevalence} of them: this describes the replicates, and is no probability of being "
        "right.",
        _WEIGHTS,
        _DESCRIBES,
    ),
    Sentence(
        "resampled-disagreement-macro-f1",
        "The two macro F1s have different winners in {macro_f1} of the replicates: this describes the replicates, and "
        "is no probability of being right.",
        _WEIGHTS,
        _DESCRIBES,
    ),
    Sentence(
        "column-won",
        "Share of replicates in which the team is first: a description, no probability",
        _WEIGHTS,
        _DESCRIBES,
    ),
    Sentence(
        "won-note",
        "Won: share of the replicates in which a team is first, which describes the replicates.",
        _WEIGHTS,
        _DESCRIBES,
    ),
    Sentence(
        "rank-shares",
        "Share of replicates in which a team has a rank, in percent: a description, not its possible ranks.",
        _WEIGHTS,
        _DESCRIBES,
    ),
    Sentence("middle-of-replicates", "the middle 95% of replicates: [{lower}, {upper}]", _WEIGHTS, _DESCRIBES),
    Sentence(
        "middle-note",
        "A pointer on a number shows the middle 95% of replicates, which --json prints too.",
        _WEIGHTS,
        _DESCRIBES,
    ),
)

_DISTRIBUTIONS = (
    Sentence(
        "monte-carlo",
        "Monte Carlo 95% interval [{lower}, {upper}]",
        "Wilson's interval of a share of random draws",
        "the error of the draws, not of the test set",
    ),
    Sentence(
        "monte-carlo-method",
        "intervals are Monte Carlo errors at 95% (Wilson), not sampling errors of the test set.",
        "Wilson's interval of a share of random draws",
        "the error of the draws, not of the test set",
    ),
)

_READINGS = (
    Sentence(
        "reading-scores",
        "The point is the score; the line its 95% interval, the leader’s corrected for its having been chosen as "
        "the best. A point without a line has no interval. Whether two lines overlap says nothing about the pair: "
        "the map of pairs does.",
        _LEADER,
        _NAMES_ONLY,
    ),
    Sentence(
        "reading-possible-ranks",
        "The bar spans the possible ranks, the point is the rank itself. A bar in the accent colour belongs to a "
        "team that could be best: it reaches rank 1, and no other does.",
        _RANKS + "; " + _BEST,
        _ONE_METRIC,
    ),
    Sentence(
        "reading-separable",
        "A filled square: the team of the row is statistically ahead of the team of the column by this metric. An "
        "empty one is no evidence that the two are alike. Teams stand in the order of the ranking.",
        _PAIRS,
        _NOT_EQUAL,
    ),
    Sentence(
        "computed-baselines",
        "Rows marked “computed” are built-in baselines, not submissions; ± is the Monte Carlo error of an expected "
        "score that has no closed form.",
        "the standard error of a mean of random draws",
        "the error of the draws, not of the test set",
    ),
    Sentence("column-monte-carlo", "Monte Carlo interval (Wilson)", "Wilson's interval of draws", _NAMES_ONLY),
)

_RULES = (
    Sentence(
        "rule-several-could-be-best",
        "Fires when more than one team could be best by the ranking metric.",
        _BEST,
        _ONE_METRIC,
    ),
    Sentence(
        "rule-no-adjacent-pair-separable",
        "Fires when, with three or more teams, none is statistically ahead of the one ranked next.",
        _PAIRS,
        _NOT_EQUAL,
    ),
    Sentence(
        "rule-flip",
        "Fires when, beside any change of winner, one team is statistically ahead of another {one}, and the other "
        "of it {other}.",
        _PAIRS + ", by each of the two scores",
        "two families of comparisons, each with an error of 5%",
    ),
    Sentence(
        "rule-states",
        "The finding says whether the test set shows the change: iff each winner is statistically ahead of the other "
        "by its own score.",
        _CHANGE,
        _NOT_EQUAL,
    ),
    Sentence(
        "rule-decimals-below-detection",
        "Fires when teams that stand next to each other by the ranking metric have different printed scores, "
        "although they differ by less than a tenth of the smallest difference that the test set detects with 80% "
        "power: (critical value + .84) × the median standard error over the pairs.",
        _DETECTED,
        _NOT_EQUAL,
    ),
    Sentence(
        "rule-too-few-gold-items",
        "Fires when the 95% interval of a class’s recall is wider than .3 for the median team.",
        "Wilson's interval of a proportion of items",
        "of one class and one team at a time",
    ),
    Sentence(
        "rule-few-groups",
        "Fires when items come in fewer than 20 groups: intervals and comparisons are then rough.",
        "Student's quantile and sums over groups, approximate with few of them",
        "does not say in which direction they err",
    ),
    Sentence(
        "rule-winner-holds-on-little",
        "Fires when, of 2,000 class distributions drawn uniformly from the simplex, the winner by the ranking metric "
        "is first on so few that the Monte Carlo 95% interval (Wilson) of the share is below .5. Not for a ranking "
        "metric that states its prevalence.",
        "Wilson's interval of a share of random draws",
        "the error of the draws, not of the test set",
    ),
    Sentence(
        "rule-best-run-counts",
        'Fires when, by the policy runs = "best", some team’s best run by the ranking metric counts among several. '
        "The expected gain is that of the maximum of independent normal numbers, in standard errors of the score.",
        "the expected maximum of independent normal numbers",
        "an upper bound; the runs are neither independent nor equally good",
    ),
)

_ERRATUM = (
    Sentence("erratum-best", "the data support {leader} as the best of {n}", _BEST, _ONE_METRIC),
    Sentence("erratum-best-before", "the data supported {leader} as the best of {n}", _BEST, _ONE_METRIC),
    Sentence(
        "erratum-open",
        "the test set cannot tell which of {names} is the best",
        _BEST,
        "does not say that they are equal",
    ),
    Sentence(
        "erratum-open-before",
        "the test set could not tell which of {names} was the best",
        _BEST,
        "does not say that they were equal",
    ),
    Sentence(
        "erratum-fewer-items",
        "{leader} is scored on fewer items than the others and compared with none of them.",
        "who is comparable",
        _NO_CLAIM,
    ),
    Sentence(
        "erratum-undecided",
        "Whether the test set shows that cannot be tested.",
        "a comparison needs two comparable entries whose scores have influence functions",
        _NO_CLAIM,
    ),
    Sentence(
        "erratum-not-tested",
        "Whether the test set shows that was not tested.",
        "the scores alone: the certainty was left out",
        _NO_CLAIM,
    ),
)

_ALL = (
    *(*_POPULATION, *_INTERVALS, *_COMPARED, *_COULD_BE_BEST, *_FIRST_PLACE),
    *(*_POWER, *_DETECTION, *_RESAMPLED, *_DISTRIBUTIONS, *_READINGS, *_RULES),
    *_ERRATUM,
)
SENTENCES: Mapping[str, Sentence] = MappingProxyType({sentence.slug: sentence for sentence in _ALL})
"""Every sentence, by slug."""


def say(slug: str, **values: object) -> str:
    """A sentence with its names and numbers.

    Examples
    --------
    >>> say("population")
    'Items are taken as independent draws from a population with this class distribution; class counts are random.'
    """
    return SENTENCES[slug].text.format(**values)


# For the paper and its figures

_RANDOM = "influence functions of the scores, normal draws with their covariance (stepdown max-t)"
_FIRST = "ranks on full precision"
_PAPER = (
    # Methods
    Sentence(
        "paper-groups",
        "Items come in {n} groups, which are taken as independent draws from a population of such groups; class "
        "counts are random.",
        "all intervals and comparisons of grouped items",
        "says nothing of other populations, nor of errors in the gold labels",
    ),
    Sentence(
        "paper-stratified",
        "Within each class, items are taken as independent draws from a population; how many there are of each class "
        "is fixed by design.",
        "variances within classes",
        "says nothing of test sets whose classes were not sampled so",
    ),
    Sentence(
        "paper-intervals",
        "Scores carry 95% intervals: variance by the delta method{delta} from a confusion to which a few "
        "pseudo-items, half of them right, were added{pseudo}; it becomes an effective number of items in a Wilson "
        "score interval{wilson}.",
        "Wilson's interval with an effective number of items",
        "scores that do not divide by answers: given that a team never predicts a class that it does not predict here",
    ),
    Sentence(
        "paper-item-scores",
        "The variance of AUC is that of its placements{delong}, to which for intervals a tenth of an item of each "
        "class is added at either end of the order; the Brier score is a mean over items.",
        "placements of the items of each class among those of the other",
        "given enough items of both classes",
    ),
    Sentence(
        "paper-item-weights",
        "The variances and covariances of average precision are by paired item weights: {draws} draws, in each of "
        "which every {unit} counts as much as a random number from the exponential distribution says{rubin}, the same "
        "for all submissions (seed {seed}); its interval is never narrower than that of a share of the items of the "
        "class{boyd}.",
        _EXPONENTIAL,
        "a standard error from so many draws is itself uncertain by some 2%",
    ),
    Sentence(
        "paper-design-effect",
        "Answers within a group depend on each other: the effective number of items is divided by the design effect "
        "of the groups, and the quantile is Student's with {freedom} degrees of freedom.",
        "design effect of the groups' sums of influence",
        "groups are taken as independent of each other",
    ),
    Sentence(
        "paper-unmarked",
        "Where simulation found no interval that holds its level, none is given or it is called rough, and the table "
        "says why.",
        "marks of the intervals",
        "comparisons by such a score stand",
    ),
    Sentence(
        "paper-procedure",
        "Whether one submission is statistically ahead of another is decided by one stepdown max-t "
        "procedure{stepdown} over all {pairs} unordered pairs by a metric, at a family-wise error of 5% for each "
        "metric by itself: the difference over its standard error, which includes the variance under “no "
        "difference”, against {draws} draws from {distribution} with the covariance of the {covariance} (seed "
        "{seed}). A submission that alone could be best is ahead of all.",
        _RANDOM,
        "the error rate is that of one metric's pairs, not of several metrics or test sets",
    ),
    Sentence(
        "paper-procedure-pair",
        "Whether one of the two submissions is statistically ahead of the other is decided at an error of 5% for "
        "each metric by itself: the difference over its standard error, which includes the variance under “no "
        "difference”, against {draws} draws from {distribution} with the covariance of the {covariance} (seed "
        "{seed}).",
        _RANDOM,
        "the error rate is that of one metric, not of several metrics or test sets",
    ),
    Sentence(
        "paper-possible-ranks",
        "Tiers and possible ranks{ranks} follow from these decisions: a tier ends where all above are ahead of "
        "all below.",
        "decisions over all pairs",
        "no evidence that two submissions of one tier are alike",
    ),
    Sentence(
        "paper-uncertain",
        "Left out of this are submissions whose differences are much less sure than those of the others: their median "
        "standard error is above twice the field's, or they never predict a class that others predict.",
        "typical standard errors, and classes that are never predicted",
        "they could be best as any other",
    ),
    Sentence(
        "paper-never-predicted",
        "Where a submission never predicts a class, its precision there is unknown, and another is ahead of it only by "
        "more than this class could add.",
        "a bound: the score with the precision of these classes at 1",
        "asks more of a difference than a test that takes the class to be never predicted on any test set",
    ),
    Sentence(
        "paper-best-set",
        "A submission could be best unless another is ahead of it by more than the 95% quantile of the largest of "
        "its own two-sided comparisons{best}, or over all pairs; the true best is among them with 95% "
        "confidence.",
        _BEST,
        _ONE_METRIC,
    ),
    Sentence(
        "paper-leader",
        "The interval of the first submission is corrected for its having been chosen as the best{leader}.",
        "locally simultaneous inference over the plausible leaders",
        "the intervals of all other submissions are not corrected",
    ),
    Sentence(
        "paper-replicates",
        "{n} replicates by paired item weights{bootstrap} describe ranks and rank correlations, and test nothing.",
        "paired item weights",
        "no confidence set follows from replicates",
    ),
    Sentence(
        "paper-not-covered",
        "Errors in the gold labels, and other test sets, are not covered.",
        "all intervals and comparisons of items",
        "says nothing of how large such errors are",
    ),
    Sentence(
        "paper-checklist",
        "Scores carry 95% Wilson intervals with an effective number of items.",
        "Wilson's interval with an effective number of items",
        "marked scores carry none",
    ),
    Sentence(
        "paper-checklist-none",
        "Scores carry no intervals.",
        "the certainty was left out",
        _NO_CLAIM,
    ),
    Sentence(
        "paper-checklist-pairs",
        "Pairs are compared by one simultaneous procedure.",
        _RANDOM,
        "for each metric by itself",
    ),
    # Results
    Sentence(
        "paper-first",
        "By {metric}, {name} is first ({score}; 95% interval {lower} to {upper}, corrected for having been chosen "
        "as the best).",
        "locally simultaneous inference over the plausible leaders",
        "an interval of a score, not of a rank",
    ),
    Sentence(
        "paper-one-best",
        "At 95% confidence no other could be best: the test set shows {name} ahead of all.",
        _BEST,
        "for one metric",
    ),
    Sentence(
        "paper-could-be-best",
        "At 95% confidence {n} could be best, too ({names}).",
        _BEST,
        "for one metric",
    ),
    Sentence(
        "paper-more-not-shown",
        "; by {n} more, not shown",
        _CHANGE,
        "no evidence of agreement",
    ),
    Sentence(
        "paper-more-not-tested",
        "; not tested: by {n} more",
        _CHANGE,
        "says nothing of what a test would show",
    ),
    Sentence(
        "paper-tied-best",
        "The test set does not show which of {names} is best.",
        _BEST,
        "for one metric",
    ),
    Sentence(
        "paper-other-other-shown",
        "By other scores another is first, each statistically ahead of the other by its own score: {clauses}{more}.",
        _CHANGE,
        "each comparison has its own error rate of 5%",
    ),
    Sentence(
        "paper-other-other-not-shown",
        "By other scores another is first, which the test set does not show: {clauses}{more}.",
        _CHANGE,
        "no evidence of agreement",
    ),
    Sentence(
        "paper-other-not-tested",
        "By other scores another is first, which was not tested: {clauses}{more}.",
        _CHANGE,
        "says nothing of what a test would show",
    ),
    Sentence(
        "paper-same-shown",
        "By {scores}, too, {names} {is_} first and statistically ahead of all others.",
        _CHANGE,
        "each at 95% for its own metric",
    ),
    Sentence(
        "paper-same",
        "By {scores}, too, {names} {is_} first, which the test set does not show by each of these.",
        _CHANGE,
        "no evidence that others are as good",
    ),
    Sentence(
        "paper-limit",
        "Not shown is not equal; errors in the gold labels are not covered.",
        _PAIRS,
        _NO_CLAIM,
    ),
    # Below the tables
    Sentence(
        "paper-note-best",
        "Bold: could be best, at 95% confidence.",
        _BEST,
        "for the ranking metric",
    ),
    Sentence(
        "paper-note-tiers",
        "Tier: all above a line are statistically ahead of all below it{aside}.",
        _PAIRS,
        "a tier is no set of equal teams",
    ),
    Sentence(
        "paper-note-uncertain",
        "{mark}Cannot be excluded: differences from it are much less sure than those of the others.",
        _BEST + "; the typical standard error is above twice the field’s, or a class is never predicted",
        _ONE_METRIC,
    ),
    Sentence(
        "paper-note-ranks",
        "Ranks: possible ranks, which the pairs decided leave open.",
        _RANKS,
        "as sure as the claims that they count",
    ),
    Sentence(
        "paper-note-corrected",
        "Interval corrected for having been chosen as the best.",
        "locally simultaneous inference over the plausible leaders",
        "the other intervals are not corrected",
    ),
    Sentence(
        "paper-mark-rare-class",
        "A class that the score averages has fewer than 5 gold items: the interval is rough, and where none is printed "
        "none was found that holds its level.",
        "marks of the intervals",
        "comparisons by the score stand",
    ),
    Sentence(
        "paper-mark-few-hits",
        "No interval holds its level: of many classes, one has too few right answers.",
        "marks of the intervals",
        "comparisons by the score stand",
    ),
    Sentence(
        "paper-mark-few-groups",
        "No interval: there are too few groups of items.",
        "marks of the intervals",
        "one group says nothing of how groups differ",
    ),
    Sentence(
        "paper-mark-mean-of-ranks",
        "No interval: a mean of ranks depends on who takes part, and jumps with single items.",
        "marks of the intervals",
        "the scores that it is of have intervals of their own",
    ),
    Sentence(
        "paper-note-pairwise",
        "{name} against each other team by {metric}. The 95% intervals are simultaneous, for all {pairs} unordered "
        "pairs of teams; the adjusted p is two-sided, for the same pairs (stepdown max-t), and may decide a pair "
        "whose interval holds 0.",
        _RANDOM,
        "for one metric",
    ),
    # Captions
    Sentence(
        "figure-scores",
        "{names} {has} the best {metric}: {score}, 95% interval {lower} to {upper}, corrected for its having been "
        "chosen as the best.",
        "locally simultaneous inference over the plausible leaders",
        "an interval of a score, not of a rank",
    ),
    Sentence(
        "figure-without-line",
        "Without a line, because no interval of theirs holds its level: {names}.",
        "marks of the intervals",
        "comparisons by the score stand",
    ),
    Sentence(
        "figure-possible-ranks",
        "By {metric}, {best} of {compared} could be best, at 95% confidence: rank 1 is possible for these.",
        _BEST,
        "for one metric",
    ),
    Sentence(
        "figure-separable",
        "By {metric}, one of two {entrant}s is statistically ahead of the other in {n} of {pairs}.",
        _RANDOM,
        "for one metric",
    ),
)
SENTENCES = MappingProxyType({**SENTENCES, **{sentence.slug: sentence for sentence in _PAPER}})
