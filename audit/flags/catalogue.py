"""The registry of flags: what each rule looks for, why it matters, what to do, and the rule itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from audit.domain import Evaluation, Flag, Severity
from audit.flags.rules import (
    baseline_rules,
    certainty_rules,
    data_rules,
    distribution_rules,
    macro_f1_rules,
    policy_rules,
    published_rules,
    rounding_rules,
    run_rules,
    slice_rules,
    winner_rules,
)
from audit.sentences import say


@dataclass(frozen=True)
class FlagKind:
    """One audit rule."""

    slug: str
    """The public name."""
    title: str
    """What it finds, in a few words."""
    severity: Severity
    """The most it can change; a flag that fires may be less severe."""
    evidence: str
    """The anchor in the report where the rows behind it stand."""
    explanation: str
    """When it fires, exactly, and why that matters."""
    rule: Callable[[Evaluation], Flag | None]
    """Evaluation → the flag, or None where it stays silent."""


_KINDS = (
    FlagKind(
        "winner-depends-on-macro-f1",
        "The winner depends on which macro F1 is used",
        Severity.WINNER,
        "macro-f1",
        "Fires when the teams that are first by averaged F1 are not those that are first by F1 of averages. Both are "
        f"called macro F1, so a paper that says only that leaves open who won. {say('rule-states')}",
        macro_f1_rules.winner_depends_on_macro_f1,
    ),
    FlagKind(
        "tied-winners",
        "Several teams share first place",
        Severity.WINNER,
        "ranking",
        "Fires when more than one team has the best score by the official metric (by averaged F1 where none is "
        "stated), compared on full precision, and that score is above 0.",
        winner_rules.tied_winners,
    ),
    FlagKind(
        "winner-depends-on-prevalence",
        "The winner changes when prevalence is balanced",
        Severity.WINNER,
        "every-metric",
        "Fires when the winner by the official metric (by any aggregate metric where none is stated) is "
        "another one after every class is given the same mass. Such a win is owed in part to the class distribution of "
        f"the test set. {say('rule-states')}",
        winner_rules.winner_depends_on_prevalence,
    ),
    FlagKind(
        "winner-depends-on-metric",
        "The winner depends on the metric",
        Severity.WINNER,
        "every-metric",
        "Fires when the aggregate metrics, at observed prevalence, do not all have the same winner. Class scores "
        "are not compared, nor is a metric by which all teams have the same score, or none above 0. "
        f"{say('rule-states')}",
        winner_rules.winner_depends_on_metric,
    ),
    FlagKind(
        "slice-crowns-another",
        "A part of the test set crowns another",
        Severity.WINNER,
        "slices",
        "Fires when columns of gold cut the test set into parts (slices in task.toml) and, by the ranking metric, "
        "those that are first in some part are others than those that are first in the whole test set. "
        f"{say('rule-slices')}",
        slice_rules.slice_crowns_another,
    ),
    FlagKind(
        "order-depends-on-macro-f1",
        "The order of teams depends on which macro F1 is used",
        Severity.ORDER,
        "macro-f1",
        "Fires when any team’s rank by averaged F1 differs from its rank by F1 of averages. The evidence names the "
        "pairs that swap, and for each the pair of classes that contributes most to the difference of the gaps Δ.",
        macro_f1_rules.order_depends_on_macro_f1,
    ),
    FlagKind(
        "class-set-matters",
        "The set of averaged classes matters",
        Severity.WINNER,
        "data",
        "Fires when averaged F1 over the union of gold and predicted labels, which scikit-learn takes by default and "
        "which can differ from team to team, ranks the teams otherwise than averaged F1 over the classes in gold. "
        "Labels outside the label set count as classes of the union; empty answers do not.",
        macro_f1_rules.class_set_matters,
    ),
    FlagKind(
        "tie-only-after-rounding",
        "Ties that exist only after rounding",
        Severity.WINNER,
        "ranking",
        "Fires when official_decimals is set and teams whose scores differ on full precision share a published rank.",
        rounding_rules.tie_only_after_rounding,
    ),
    FlagKind(
        "order-beyond-printed-decimals",
        "An order that the printed decimals do not show",
        Severity.WINNER,
        "ranking",
        "Fires when official_decimals is not set and teams with different ranks have scores that print alike with "
        "three decimals, so that a reader of the table cannot see why one stands above the other.",
        rounding_rules.order_beyond_printed_decimals,
    ),
    FlagKind(
        "scores-on-fewer-items",
        "Scores that leave missing items out",
        Severity.WINNER,
        "ranking",
        'Fires when, by the policy missing = "drop", a submission’s missing items are left out of its scores. Counts '
        "them as wrong beside it, and is as severe as what that changes by the ranking metric.",
        policy_rules.scores_on_fewer_items,
    ),
    FlagKind(
        "answered-items-alone",
        "Scores of the answered items alone",
        Severity.WINNER,
        "ranking",
        "Fires when the ranking is by a score of the answered items, like answered_averaged_f1, or by a mean that "
        "contains one, and a submission leaves items unanswered. Such a score rewards a team that answers only what it "
        "is sure of. Counts unanswered items as wrong beside it, and is as severe as what that changes.",
        policy_rules.answered_items_alone,
    ),
    FlagKind(
        "macro-f1-flip-supported",
        "Pairs of teams turn round between the two macro F1s, and the test set shows both",
        Severity.ORDER,
        "certainty",
        say("rule-flip", one="under averaged F1", other="under F1 of averages"),
        certainty_rules.macro_f1_flip_supported,
    ),
    FlagKind(
        "prevalence-flip-supported",
        "Pairs of teams turn round between observed and balanced prevalence, and the test set shows both",
        Severity.ORDER,
        "certainty",
        say("rule-flip", one="by the ranking metric at observed prevalence", other="at balanced prevalence"),
        certainty_rules.prevalence_flip_supported,
    ),
    FlagKind(
        "several-could-be-best",
        "Several teams could be best",
        Severity.NOTE,
        "certainty",
        say("rule-several-could-be-best"),
        certainty_rules.several_could_be_best,
    ),
    FlagKind(
        "no-adjacent-pair-separable",
        "No team is shown to be ahead of the next",
        Severity.NOTE,
        "certainty",
        say("rule-no-adjacent-pair-separable"),
        certainty_rules.no_adjacent_pair_separable,
    ),
    FlagKind(
        "decimals-below-detection",
        "Printed differences far below what the test set detects",
        Severity.NOTE,
        "power",
        say("rule-decimals-below-detection"),
        certainty_rules.decimals_below_detection,
    ),
    FlagKind(
        "too-few-gold-items",
        "Too few gold items for a claim about a class",
        Severity.NOTE,
        "classes",
        say("rule-too-few-gold-items"),
        certainty_rules.too_few_gold_items,
    ),
    FlagKind(
        "few-groups",
        "Too few groups",
        Severity.NOTE,
        "certainty",
        say("rule-few-groups"),
        certainty_rules.few_groups,
    ),
    FlagKind(
        "small-shift-crowns-another",
        "Another team wins after a small shift of the class distribution",
        Severity.NOTE,
        "class-distributions",
        "Fires when, with the errors within each gold class as they are, a class distribution is found within a total "
        "variation distance of .05 of gold’s at which another team is first by the ranking metric: at most 5% of the "
        "items would have to be of other classes. Not for a ranking metric that states its prevalence.",
        distribution_rules.small_shift_crowns_another,
    ),
    FlagKind(
        "winner-holds-on-little-of-the-simplex",
        "The winner holds on less than half of the class distributions",
        Severity.NOTE,
        "class-distributions",
        say("rule-winner-holds-on-little"),
        distribution_rules.winner_holds_on_little,
    ),
    FlagKind(
        "published-heading-differs",
        "A published heading does not name its numbers",
        Severity.NOTE,
        "published",
        "Fires when task.toml names a table of published scores, and the heading of a column says another metric than "
        "its numbers are, or has the name of several: a column called macro F1 can be averaged F1 or F1 of averages. "
        "Every reading of every metric is tried; a column of which no reading gives more than half of the scores "
        "stays silent.",
        published_rules.heading_differs,
    ),
    FlagKind(
        "published-score-differs",
        "A published score is not what its column gives",
        Severity.NOTE,
        "published",
        "Fires when task.toml names a table of published scores, and the reading that gives most scores of a column, "
        "but not all, leaves some team's score unexplained: a typing error, another file, or another rule.",
        published_rules.score_differs,
    ),
    FlagKind(
        "policy-differs",
        "A policy that is not the default",
        Severity.NOTE,
        "method",
        "Fires when a policy of task.toml is not the default, and says for each what is done and what it touched.",
        policy_rules.policy_differs,
    ),
    FlagKind(
        "best-run-counts",
        "The best of a team’s runs counts",
        Severity.NOTE,
        "data",
        say("rule-best-run-counts"),
        run_rules.best_runs_counted,
    ),
    FlagKind(
        "runs-chosen-by-name",
        "Runs that were chosen by name",
        Severity.NOTE,
        "method",
        "Fires when task.toml names the run that counts for a team, with a reason.",
        run_rules.runs_chosen_by_name,
    ),
    FlagKind(
        "team-not-above-baseline",
        "Teams that are not above a baseline",
        Severity.NOTE,
        "ranking",
        "Fires when a team’s score by the ranking metric is not above that of a submitted baseline, or of a computed "
        "one: majority class, uniform random, random by prevalence. Computed ones are left to at-or-below-chance where "
        "chance has a known level by the metric, and are no measure for recall of a class, of which always answering "
        "this class has all.",
        baseline_rules.team_not_above_baseline,
    ),
    FlagKind(
        "no-official-metric",
        "No official metric is stated",
        Severity.NOTE,
        "method",
        "Fires when task.toml names no official_metric. The ranking is then shown by averaged F1.",
        winner_rules.no_official_metric,
    ),
    FlagKind(
        "outlier-metric",
        "A metric that ranks unlike all others",
        Severity.NOTE,
        "agreement",
        "Fires when, with five or more teams, the largest Spearman correlation of a metric or class recall with any "
        "other of them, at observed prevalence, is below .5.",
        winner_rules.outlier_metric,
    ),
    FlagKind(
        "at-or-below-chance",
        "Submissions at or below chance",
        Severity.NOTE,
        "every-metric",
        "Fires when a submission’s score by the ranking metric is not above what an answer without a look at the items "
        "can give: by accuracy the share of the largest class among the items scored, by an average over k classes "
        "1/k, or less where precision counts and classes of gold are left out, by kappa and MCC 0; or when its kappa "
        "is not above 0. Baselines are left out.",
        data_rules.at_or_below_chance,
    ),
    FlagKind(
        "answers-equal-gold",
        "A submission whose answers equal gold’s exactly",
        Severity.NOTE,
        "ranking",
        "Fires when a submission that is no baseline gives every item its gold label. It may be a copy of the gold "
        "file, or of a system that had seen it, and then its first place is none: the verdict asks. Nearly all labels "
        'are no copy. Not where task.toml accepts such answers (gold_copy = "accept"); else a file with the bytes of '
        "the gold file is not even loaded.",
        data_rules.answers_equal_gold,
    ),
    FlagKind(
        "identical-submissions",
        "Label-identical submissions of different teams",
        Severity.NOTE,
        "data",
        "Fires when different teams give the same label to every item. Files may differ in their bytes.",
        data_rules.identical_submissions,
    ),
    FlagKind(
        "unanswered-items",
        "Unanswered items",
        Severity.NOTE,
        "data",
        "Fires when a submission gives no label, or a label outside the label set, for some item that its scores do "
        "not leave out. The item counts as wrong: it lowers accuracy and its class’s recall, and belongs to no class’s "
        "bias.",
        data_rules.unanswered_items,
    ),
    FlagKind(
        "class-never-predicted",
        "A class that a team never predicts",
        Severity.NOTE,
        "classes",
        "Fires when a submission that is no baseline never predicts a class that gold has. Its precision and F1 of "
        "that class are 0 in every average.",
        data_rules.class_never_predicted,
    ),
    FlagKind(
        "class-without-gold",
        "A class of the label set without gold items",
        Severity.NOTE,
        "classes",
        "Fires when the label set has a class that no gold item belongs to. It joins no average, and predicting it is "
        "a mistake.",
        data_rules.class_without_gold,
    ),
    FlagKind(
        "rare-class",
        "Rare classes",
        Severity.NOTE,
        "classes",
        "Fires when a class has fewer than 20 gold items, and says which have fewer than 10. One item then moves its "
        "recall by more than .05, and every macro average with it.",
        data_rules.rare_class,
    ),
)

FLAG_KINDS: Mapping[str, FlagKind] = MappingProxyType({kind.slug: kind for kind in _KINDS})
"""Every flag, by slug, the most consequential first."""
