"""The fixed terms and sentence patterns of what users read: page, terminal, paper, notebook, service, JSON and docs.

Patterns have names in braces, which :func:`audit.sentences.say` fills in. Whoever needs one of these words takes it
from here, so that it is the same wherever it is read.
"""

from collections.abc import Mapping

from audit.domain import Claim, State

# The verdict

VERDICTS: Mapping[Claim, str] = {
    Claim.BEST: "{leader} ranks first with {score}, significantly ahead of {others}.",
    Claim.OPEN: "{leader} ranks first with {score}, but its lead is not statistically significant.",
    Claim.SHARED: "{leader} tie for first place with {score}.",
    Claim.FEWER_ITEMS: (
        "{leader} ranks first with {score}, but is scored on fewer items than the others and compared with none of "
        "them."
    ),
    Claim.UNDECIDED: "{leader} ranks first with {score}; whether its lead is significant cannot be tested.",
    Claim.NOT_TESTED: "{leader} ranks first with {score}; whether its lead is significant was not tested.",
    Claim.ALONE: "{leader} is the only {entrant} in the ranking, with {score}.",
}
"""What may be said of a first place."""

NOT_ABOVE_BASELINE = (
    "No {entrant} outperforms {baseline} ({level}); the best, {leader}, {reach} {score}."
)
NEAR_BASELINE = (
    "{leader} is not significantly {better} {baseline} ({level}), which its 95% interval, "
    "reaching {end}, contains."
)
GOLD_COPY_FIRST = (
    "{leader} ranks first with {score}, but its file agrees with gold on {items}: check whether it is a copy before "
    "publishing."
)
GOLD_COPIES = "{teams} {agree} with gold on {items}: check whether {copy} before publishing."
LEAD = "The lead over {second}, in second place, is {size} ({interval}, adjusted p {p})."
MAY_BE_BETTER = "{who} may be equally good or better (95% confidence set for the best {entrant})."
MAY_BE_BETTER_IF_INDEPENDENT = (
    "If items are independent, {who} may be equally good or better "
    "(95% confidence set for the best {entrant})."
)
MARKED_SET = (
    "{leader} ranks first with {score}, but its lead is not statistically significant: {who} may be equally good or "
    "better (●)."
)
MARKED_IF_INDEPENDENT = (
    "{leader} ranks first with {score}, but its lead is not statistically significant: if items are independent, {who} "
    "may be equally good or better (●)."
)
IF_INDEPENDENT = " if items are independent"
RUNS_AS_TEAMS = "Every run is ranked as a team."
NO_METRIC = "No official metric is stated: the ranking is by {metric} until one is."

# The six states of a choice

STATES: Mapping[State, str] = {
    State.OTHER_SHOWN: "different winner, each significant under its own metric",
    State.OTHER_SHOWN_THERE: "different winner, significant under that metric only",
    State.OTHER_NOT_SHOWN: "different winner, not significant",
    State.SAME_NOT_SHOWN: "same winner, not significant",
    State.SAME_SHOWN: "same winner, significant",
    State.NOT_TESTED: "not tested",
}
"""What becomes of a first place under another metric, the most severe state first."""

STATES_OF_PARTS: Mapping[State, str] = {
    State.OTHER_SHOWN: "different winner, each significant on its own items",
    State.OTHER_SHOWN_THERE: "different winner, significant on that part only",
}
STATES_OF_TRACKS: Mapping[State, str] = {
    State.OTHER_SHOWN: "different winner, each significant over its own tracks",
    State.OTHER_SHOWN_THERE: "different winner, significant over these tracks only",
}
STATES_OF_RULES: Mapping[State, str] = {
    State.OTHER_SHOWN: "different winner, each significant under its own rule",
    State.OTHER_SHOWN_THERE: "different winner, significant under that rule only",
}

# Marks, and what they mean

CORRECTED_MARK = "*"
BEST_MARK = "●"
OPEN_MARK = "○"
CORRECTED_NOTE = (
    "* its interval is corrected for selection: the highest of many scores is partly luck."
)
FIRST_AHEAD = "{leader} is significantly ahead of all other {entrant}s"
SEVERAL_BEST = "{n_best} of {teams} may be the best {entrant}"
IN_SET_TITLE = (
    "In the 95% confidence set for the best team: may be equally good or better than the first"
)
IN_SET_NOTE = "● 95% confidence set for the best team."
IMPRECISE_NOTE = "In the set because the estimate is too imprecise: {teams}."
SHADED_NOTE = "Shaded: teams in the 95% confidence set for the best team."
HATCHED_NOTE = "Hatched: in it because the estimate is too imprecise."
LEAD_NOTE = "Lead: how far the winner is ahead of {winner}; where {winner} wins, of the team named in the cell."
UNTESTED_NOTE = "–: not tested."
LINES_NOTE = "Lines: 95% confidence intervals."
POSSIBLE_RANKS_NOTE = (
    "Possible ranks: with 95% confidence, the true ranks of all teams lie in these ranges."
)

# Two teams

PAIR_VERDICTS: Mapping[str, str] = {
    "ahead": "{first} is significantly ahead of {second} by {metric}: {difference} (95% CI {ends}), adjusted p {p}.",
    "best": (
        "{first} is alone in the 95% confidence set for the best team by {metric}, and so significantly ahead of "
        "{second}: {difference} (95% CI {ends}), adjusted p {p} against the best."
    ),
    "open": (
        "{first} and {second} do not differ significantly by {metric}: {difference} (95% CI {ends}), adjusted p {p}; "
        "this is no evidence of equality."
    ),
    "identical": (
        "{first} and {second} differ by {difference} by {metric}, and no answer can move that difference: it cannot be "
        "tested."
    ),
    "beside": (
        "{second} is {difference} behind {first} by {metric}; baselines, other entries without a rank, and those "
        "scored on fewer items are not in the comparison of all pairs."
    ),
    "unknown": "{first} and {second} differ by {difference} by {metric}; by this metric nothing was compared.",
}
"""What may be said of a pair."""

PAIRS_NOTE = (
    "● The team of the column is significantly ahead of the team of the row; ○ not significantly, which is no evidence "
    "of equality. Columns have the numbers of the rows."
)
PAIRS_SIGNIFICANT = "{k} of {pairs} significant, {j} of {neighbours} between neighbouring ranks"

# What to do before the results are published

TO_DO: Mapping[str, str] = {
    "groups": (
        "Items may come in groups ({what}: {n} values, {m} items each): {name_it}, or state {independent} if items are "
        "independent. If they come in groups, intervals and p-values are too small."
    ),
    "metric": "State the official metric: {setting} for {name}.",
    "runs": "{team} has {n} runs, each ranked like a team: set {setting}, or say so.",
    "several-runs": "{runs} of {teams} are each ranked like a team: set {setting}, or say so.",
    "scale": "Labels look like a scale ({labels}): state {yes} or {no}.",
    "not-loaded": "{paths} {were} not loaded: {correct}.",
    "other-test-set": "Check that {files} {answer} this test set: {found}.",
    "rejected": "{files} {were} not loaded: {correct}.",
    "wording": "State in the paper which macro F1 was used: {metric}.",
    "wording-and-choices": (
        "State in the paper which macro F1 was used ({metric}), and that the winner changes with {choices}."
    ),
    "choices": "State in the paper that the winner changes with {choices}.",
}
"""What to ask an organiser that follows from no finding; of a finding its remedy is the request."""

CHOICES: Mapping[str, str] = {
    "winner-depends-on-macro-f1": "the formula of macro F1",
    "winner-depends-on-metric": "the metric",
    "winner-depends-on-label-order": "the order of the labels",
    "tokens-are-scored": "the choice of spans or tokens",
    "winner-depends-on-prevalence": "the class distribution",
    "slice-crowns-another": "the part of the test set",
    "class-set-matters": "the class set",
    "answered-items-alone": "the treatment of unanswered items",
    "empty-sets": "the rule for empty sets",
}
"""What the winner changes with, by the finding that says so."""

# The questions of the page

QUESTIONS: Mapping[str, str] = {
    "macro-f1": "Does it matter which macro F1 is meant?",
    "metrics": "Does the winner change with the metric?",
    "agreement": "Do the metrics rank the teams alike?",
    "label-order": "Does the order of the labels matter?",
    "class-distributions": "Does the winner change with the class distribution?",
    "slices": "Does the winner change with the part of the test set?",
    "token-tags": "Are spans scored, or tokens?",
    "ahead": "Which differences between teams are statistically significant?",
    "power": "What can this test set detect?",
    "data": "Which files were loaded?",
    "method": "How were the numbers computed?",
}
"""What each section of a report answers, by its anchor; the answer is its title."""
