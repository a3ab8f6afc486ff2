"""For every rule a campaign that makes it fire and one, as near to it as can be, that leaves it silent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

import audit
from audit.domain import ChosenRun, Evaluation, Policies, Role, ScoreKey, SpanScores

from .campaigns import compared, evaluated, of_confusions, of_runs, of_sets, with_published

EXAMPLE_F1 = ScoreKey("example_f1")


@dataclass(frozen=True)
class Case:
    """A rule's two campaigns, made when they are needed, and once."""

    fires: Callable[[], Evaluation]
    silent: Callable[[], Evaluation]

    def __post_init__(self) -> None:
        for name in ("fires", "silent"):
            object.__setattr__(self, name, cache(getattr(self, name)))


def rated(predictions, *, gold=None, **settings):
    """An evaluation of predicted numbers, without certainty unless it is asked for."""
    if gold is None:
        gold = RATED
    given = {team: list(map(float, numbers)) for team, numbers in predictions.items()}
    return audit.evaluate_ratings(list(gold), given, **{"certainty": False, **settings})


# Opitz & Burst 2019, transposed to gold × predicted: the first wins by macro-averaged F1, the second by F1 of averages.
EVEN, SKEWED = [[5, 5], [10, 10]], [[1, 9], [1, 19]]
# Both have macro-averaged F1 7/12: class F1s of 2/3 and 1/2. F1 of averages is 12/17 and 7/12.
SLANTED, LEVEL = [[2, 0], [2, 1]], [[1, 1], [1, 2]]
# Accuracies of .500 and .501 at three decimals, of .5 at two.
CLOSE = {"X": [[500, 500], [500, 500]], "Y": [[501, 499], [499, 501]]}
# Accuracies of .500000 and .500125.
CLOSER = {"X": [[2000, 2000], [2000, 2000]], "Y": [[2001, 1999], [2000, 2000]]}
MAJORITY, FAIR = [[18, 2], [9, 1]], [[13, 7], [3, 7]]
# Forty gold numbers, and what is near them: a wave of errors that has nothing to do with them.
RATED = np.arange(40.0)
NEAR_RATED = RATED + 3 * np.sin(RATED**2)
NEARER_RATED = RATED + 2 * np.cos(RATED**2)
OUTLIER = np.where(RATED == 39, 5_000.0, RATED)
# In the middle, and close to the middle.
MIDDLE, NEAR = [[42, 18], [18, 42]], [[41, 19], [18, 42]]
# X is the only one that could be best by accuracy, and over three pairs at once not separable from Y.
BARELY = {"X": [[33, 27], [18, 42]], "Y": [[34, 26], [25, 35]], "Z": [[33, 27], [26, 34]]}
# Macro-averaged F1 .40 and .18, F1 of averages .50 and .55: both differences are many standard errors wide.
BLIND, EAGER = [[200, 200], [2000, 2000]], [[400, 0], [3600, 400]]
# X finds nearly all of the large class and half of the small one, Y all of the small one: accuracies .95 and .865,
# balanced .75 and .925.
MAJORITY_WELL, MINORITY_WELL = [[1800, 0], [100, 100]], [[1530, 270], [0, 200]]
TURNING = {"X": MAJORITY_WELL, "Y": MINORITY_WELL}

# Accuracies .667 and .666 of teams that differ on 199 of 1,200 items.
FAR_AND_NEAR = {"X": "aabbcaa", "Y": "abbcccb"}
TRADED = {"X": [[500, 100], [300, 300]], "Y": [[400, 200], [201, 399]]}
THREE = {"X": "aaba", "Y": "aabb", "Z": "abba"}
GOLD_OF_FIVE = "a" * 24 + "b" * 16
FIVE = {
    team: "b" * of_a + "a" * (24 - of_a) + "a" * of_b + "b" * (16 - of_b)
    for team, (of_a, of_b) in {
        "V": (1, 0),
        "W": (2, 1),
        "X": (3, 4),
        "Y": (8, 2),
        "Z": (9, 8),
    }.items()
}
"""By their wrong items of each class; their accuracies are 39, 37, 33, 30 and 23 in 40."""
TWO_RUNS = {("X", "1"): "aaba", ("X", "2"): "aabb"}

SPANS = np.array([[0.9, 0.1], [0.8, 0.2]])  # micro F1 and the mean F1 of types of two teams
CASES: Mapping[str, Case] = {
    "winner-depends-on-macro-f1": Case(
        lambda: of_confusions({"X": EVEN, "Y": SKEWED}),
        lambda: of_confusions({"X": EVEN, "Y": EVEN}),
    ),
    "tied-winners": Case(
        lambda: evaluated("aabb", {"X": "aaba", "Y": "aaba"}),
        lambda: evaluated("aabb", {"X": "aaba", "Y": "aaba", "Z": "aabb"}),
    ),
    "winner-depends-on-prevalence": Case(
        lambda: of_confusions({"X": MAJORITY, "Y": [[12, 8], [4, 6]]}, official_metric="accuracy"),
        lambda: of_confusions(
            {"X": MAJORITY, "Y": [[12, 8], [4, 6]]}, official_metric="macro_recall"
        ),
    ),
    "winner-depends-on-metric": Case(
        lambda: of_confusions({"X": MAJORITY, "Y": [[12, 8], [4, 6]]}),
        lambda: of_confusions({"X": MAJORITY, "Y": FAIR}),
    ),
    "tokens-are-scored": Case(
        lambda: evaluated("aabbaabb", {"X": "aabbbbaa", "Y": "ababaabb"}).given(
            spans=SpanScores(0.5, SPANS)
        ),
        lambda: evaluated("aabbaabb", {"X": "aabbbbaa", "Y": "ababaabb"}),
    ),
    # X errs less often and farther: accuracy 5/7 and 4/7, mean absolute error 4/7 and 3/7.
    "winner-depends-on-label-order": Case(
        lambda: evaluated(
            "aabbccc", FAR_AND_NEAR, labels="abc", scale=True, official_metric="accuracy"
        ),
        lambda: evaluated("aabbccc", FAR_AND_NEAR, labels="abc", official_metric="accuracy"),
    ),
    "slice-crowns-another": Case(
        lambda: evaluated(
            "aabbaabb", {"X": "aabbbbaa", "Y": "ababaabb"}, slices={"half": [1] * 4 + [2] * 4}
        ),
        lambda: evaluated(
            "aabbaabb", {"X": "aabaaabb", "Y": "abababbb"}, slices={"half": [1] * 4 + [2] * 4}
        ),
    ),
    "order-depends-on-macro-f1": Case(
        lambda: of_confusions({"X": SLANTED, "Y": LEVEL}),
        lambda: of_confusions({"X": SLANTED, "Y": SLANTED}),
    ),
    "class-set-matters": Case(
        lambda: evaluated("aabb", {"X": "aabc", "Y": "aaba"}),
        lambda: evaluated("aabb", {"X": "aab.", "Y": "aaba"}),
    ),
    "tie-only-after-rounding": Case(
        lambda: of_confusions(CLOSE, official_metric="accuracy", official_decimals=2),
        lambda: of_confusions(CLOSE, official_metric="accuracy", official_decimals=3),
    ),
    "order-beyond-printed-decimals": Case(
        lambda: of_confusions(CLOSER, official_metric="accuracy"),
        lambda: of_confusions(CLOSE, official_metric="accuracy"),
    ),
    # Recall .70 and .50 against .61 and .58: by accuracy X leads where more than 8/17 of the items are of class a.
    "small-shift-crowns-another": Case(
        lambda: of_confusions(
            {"X": [[70, 30], [50, 50]], "Y": [[61, 39], [42, 58]]}, official_metric="accuracy"
        ),
        lambda: of_confusions(
            {"X": [[70, 30], [50, 50]], "Y": [[61, 39], [42, 58]]}, official_metric="accuracy~"
        ),
    ),
    "scores-on-fewer-items": Case(
        lambda: of_runs(
            "aabb", {("X", "1"): "aab.", ("Y", "1"): "aaba"}, policies=Policies(missing="drop")
        ),
        lambda: of_runs("aabb", {("X", "1"): "aab.", ("Y", "1"): "aaba"}),
    ),
    # F1 of averages .500 and .555, under the name of both macro F1s and under its own.
    "published-heading-differs": Case(
        lambda: with_published(
            of_confusions({"X": EVEN, "Y": SKEWED}), macro_F1=[".5000000", ".5552885"]
        ),
        lambda: with_published(
            of_confusions({"X": EVEN, "Y": SKEWED}), f1_of_averages=[".5000000", ".5552885"]
        ),
    ),
    "published-score-differs": Case(
        lambda: with_published(
            evaluated(GOLD_OF_FIVE, FIVE), accuracy=[".975", ".925", ".825", ".750", ".900"]
        ),
        lambda: with_published(
            evaluated(GOLD_OF_FIVE, FIVE), accuracy=[".975", ".925", ".825", ".750", ".575"]
        ),
    ),
    "published-table-contradicts-itself": Case(
        lambda: with_published(
            evaluated(GOLD_OF_FIVE, FIVE), P=[".50"] * 5, R=[".60"] * 5, F1=[".58"] * 5
        ),
        lambda: with_published(
            evaluated(GOLD_OF_FIVE, FIVE), P=[".50"] * 5, R=[".60"] * 5, F1=[".55"] * 5
        ),
    ),
    "published-not-readable": Case(
        lambda: with_published(evaluated(GOLD_OF_FIVE, FIVE), teams="ABCDE", accuracy=[".5"] * 5),
        lambda: with_published(
            evaluated(GOLD_OF_FIVE, FIVE), accuracy=[".975", ".925", ".825", ".750", ".575"]
        ),
    ),
    "published-not-computed": Case(
        lambda: with_published(
            evaluated(GOLD_OF_FIVE, FIVE), accuracy=[".123", ".456", ".789", ".321", ".654"]
        ),
        lambda: with_published(
            evaluated(GOLD_OF_FIVE, FIVE), accuracy=[".975", ".925", ".825", ".750", ".575"]
        ),
    ),
    "policy-differs": Case(
        lambda: of_runs("aabb", {("X", "1"): "aaba"}, policies=Policies(extra="ignore")),
        lambda: of_runs("aabb", {("X", "1"): "aaba"}, policies=Policies(extra="reject")),
    ),
    "best-run-counts": Case(
        lambda: of_runs(
            "aabb", {("X", "1"): "aaba", ("X", "2"): "aabb"}, policies=Policies(runs="best")
        ),
        lambda: of_runs(
            "aabb", {("X", "1"): "aaba", ("Y", "2"): "aabb"}, policies=Policies(runs="best")
        ),
    ),
    "runs-chosen-by-name": Case(
        lambda: of_runs(
            "aabb",
            TWO_RUNS,
            policies=Policies(chosen=(ChosenRun("X", "1", "the first was a test"),)),
        ),
        lambda: of_runs("aabb", TWO_RUNS, policies=Policies(runs="last")),
    ),
    "team-not-above-baseline": Case(
        lambda: of_runs(
            "aabb", {("X", "1"): "abba", ("Base", "1"): "aaba"}, roles={"Base": Role.BASELINE}
        ),
        lambda: of_runs(
            "aabb", {("X", "1"): "aabb", ("Base", "1"): "aaba"}, roles={"Base": Role.BASELINE}
        ),
    ),
    "no-official-metric": Case(
        lambda: evaluated("aabb", {"X": "aaba"}),
        lambda: evaluated("aabb", {"X": "aaba"}, official_metric="averaged_f1"),
    ),
    "at-or-below-chance": Case(
        lambda: evaluated("aaabb", {"X": "aabab"}, official_metric="accuracy"),
        lambda: evaluated("aaabb", {"X": "aabbb"}, official_metric="accuracy"),
    ),
    "not-significantly-above-chance": Case(
        lambda: compared(
            {"X": [[35, 25], [25, 35]], "Y": [[40, 20], [20, 40]]}, official_metric="accuracy"
        ),
        lambda: compared(
            {"X": [[45, 15], [15, 45]], "Y": [[50, 10], [10, 50]]}, official_metric="accuracy"
        ),
    ),
    "answers-equal-gold": Case(
        lambda: evaluated("aabb", {"X": "aabb", "Y": "aaba"}),
        lambda: evaluated("aabb", {"X": "aab.", "Y": "aaba"}),
    ),
    "identical-submissions": Case(
        lambda: of_runs("aabb", {("X", "1"): "aaba", ("Y", "1"): "aaba"}),
        lambda: of_runs("aabb", {("X", "1"): "aaba", ("X", "2"): "aaba"}),
    ),
    "answered-items-alone": Case(
        lambda: evaluated(
            "aabb", {"X": "aab.", "Y": "aaba"}, official_metric="answered_averaged_f1"
        ),
        lambda: evaluated("aabb", {"X": "aab.", "Y": "aaba"}, official_metric="averaged_f1"),
    ),
    "unanswered-items": Case(
        lambda: evaluated("aabb", {"X": "aab."}),
        lambda: evaluated("aabb", {"X": "aaba"}),
    ),
    "class-never-predicted": Case(
        lambda: evaluated("aabb", {"X": "aaaa"}),
        lambda: evaluated("aabb", {"X": "aaab"}),
    ),
    "class-without-gold": Case(
        lambda: evaluated("aabb", {"X": "aaba"}, labels="abc"),
        lambda: evaluated("aabb", {"X": "aaba"}, labels="ab"),
    ),
    "rare-class": Case(
        lambda: evaluated("a" * 19 + "b" * 20, {"X": "ab" * 19 + "a"}),
        lambda: evaluated("a" * 20 + "b" * 20, {"X": "ab" * 20}),
    ),
    # Z is first by both macro F1s, so that the pair behind it is a finding of its own.
    "macro-f1-flip-supported": Case(
        lambda: compared({"X": BLIND, "Y": EAGER, "Z": [[399, 1], [1, 3999]]}),
        lambda: compared({"X": BLIND, "Y": EAGER}),
    ),
    "prevalence-flip-supported": Case(
        lambda: compared({**TURNING, "Z": [[1800, 0], [0, 200]]}, official_metric="accuracy"),
        lambda: compared(TURNING, official_metric="accuracy"),
    ),
    "decimals-below-detection": Case(
        lambda: compared(TRADED, official_metric="accuracy"),
        lambda: compared(TRADED, official_metric="accuracy", official_decimals=2),
    ),
    "empty-sets": Case(
        lambda: of_sets(
            [[1, 1]] * 9 + [[0, 0]] * 2,
            {"X": [[1, 0]] * 9 + [[0, 0]] * 2},
            official_metric=EXAMPLE_F1,
        ),
        lambda: of_sets(
            [[1, 1]] * 9 + [[0, 0]], {"X": [[1, 0]] * 9 + [[0, 0]]}, official_metric=EXAMPLE_F1
        ),
    ),
    "too-few-gold-items": Case(
        lambda: compared({"X": [[6, 4], [10, 50]]}),
        lambda: compared({"X": [[36, 24], [10, 50]]}),
    ),
    "another-scale": Case(
        lambda: rated({"X": 10 * NEAR_RATED, "Y": NEARER_RATED}),
        lambda: rated({"X": NEAR_RATED, "Y": NEARER_RATED}),
    ),
    "constant-predictions": Case(
        lambda: rated({"X": np.full(40, 3.5), "Y": NEARER_RATED}),
        lambda: rated({"X": NEAR_RATED, "Y": NEARER_RATED}),
    ),
    "few-items-carry": Case(
        lambda: rated(
            {"X": NEAR_RATED, "Y": NEARER_RATED},
            gold=OUTLIER,
            official_metric="mean_absolute_error",
            certainty=True,
        ),
        lambda: rated(
            {"X": NEAR_RATED, "Y": NEARER_RATED},
            official_metric="mean_absolute_error",
            certainty=True,
        ),
    ),
    "rough-claims": Case(
        lambda: rated({"X": NEAR_RATED, "Y": NEARER_RATED}, official_metric="rmse", certainty=True),
        lambda: rated(
            {"X": NEAR_RATED, "Y": NEARER_RATED}, official_metric="pearson", certainty=True
        ),
    ),
    "few-groups": Case(
        lambda: compared({"X": MIDDLE, "Y": NEAR}, groups=np.arange(120) % 19),
        lambda: compared({"X": MIDDLE, "Y": NEAR}, groups=np.arange(120) % 20),
    ),
}
