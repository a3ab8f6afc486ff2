"""Does a choice change the winner? One rule for the macro F1 formula, class distribution, metric, order of labels."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from audit.domain import Evaluation, ScoreKey, Severity
from audit.findings.comparisons import changes_of, state_between
from audit.findings.flag_kind import KINDS, Fired, flag
from audit.findings.wording import names, of, plain_names, winner_clause, winners_by
from audit.sentences import say
from audit.text import decimals_to_tell_apart, listed
from audit.vocabulary import STATES

RULES_PLACE = 5

CHOICES: Mapping[str, str] = {
    "winner-depends-on-macro-f1": "macro-f1",
    "winner-depends-on-prevalence": "prevalence",
    "winner-depends-on-metric": "metric",
    "winner-depends-on-label-order": "scale",
    "slice-crowns-another": "slice",
}
"""The choice that a finding is of, by the finding's slug."""


def _changed(slug: str, remedy: str) -> Callable[[Evaluation], Fired | None]:
    """The rule that some choice of a finding's kind has other winners."""

    def rule(evaluation: Evaluation) -> Fired | None:
        changes = [change for change in changes_of(evaluation) if change.kind == CHOICES[slug]]
        keys = list(dict.fromkeys(key for change in changes for key in change.keys))
        keys_of: dict[tuple[int, ...], list[ScoreKey]] = defaultdict(list)
        for key in keys:
            if winners := winners_by(evaluation, key):
                keys_of[winners].append(key)
        if len(keys_of) < 2:  # noqa: PLR2004 - one group of winners agrees with itself
            return None
        groups = sorted(
            keys_of.items(), key=lambda group: (keys[0] not in group[1], -len(group[1]))
        )
        clauses = [_clause(evaluation, keys[0], *group) for group in groups]
        if len(keys) == 2:  # noqa: PLR2004 - one choice, between two scores
            clauses = [_of_two(evaluation, keys)]
        states = {key: state_between(evaluation, keys[0], key).value for key in keys}
        return Fired(
            sentence=f"{KINDS[slug].title}: {'; '.join(clauses)}.",
            remedy=remedy,
            evidence={
                "winners": [
                    {
                        "teams": plain_names(evaluation, winners),
                        "metrics": list(map(str, by)),
                        "state": {str(key): states[key] for key in by if key != keys[0]},
                    }
                    for winners, by in groups
                ]
            },
        )

    return rule


def _clause(
    evaluation: Evaluation, base: ScoreKey, winners: tuple[int, ...], keys: Sequence[ScoreKey]
) -> str:
    by: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        is_other = winners_by(evaluation, base) != winners
        by[f" ({say(STATES[state_between(evaluation, base, key)])})" if is_other else ""].append(
            of(evaluation, key)
        )
    clauses = (f"{listed(scores)}{state}" for state, scores in by.items())
    return f"{names(evaluation, winners)} by {' and by '.join(clauses)}"


def _of_two(evaluation: Evaluation, keys: Sequence[ScoreKey]) -> str:
    """The winners by two scores, with these to as many decimals as tell them apart, and the state of the change."""
    first, other = (winners_by(evaluation, key) for key in keys)
    scores = [evaluation.scores_of(key)[sorted({*first, *other})].tolist() for key in keys]
    decimals = max(map(decimals_to_tell_apart, scores))
    one, two = (
        f"{winner_clause(evaluation, key, decimals)} by {of(evaluation, key)}" for key in keys
    )
    return f"{one}; {two} ({say(STATES[state_between(evaluation, *keys)])})"


RULE_STATES = (
    "The finding says whether the change is significant: iff the other winner is significantly ahead of the first by "
    "the other score; and whether the first is significantly ahead by its own, too."
)
_LEFT_OUT = "Class scores are not compared, nor is a metric by which all teams have the same score, or none above 0."
for _slug, _title, _anchor, _remedy, _fires in (
    (
        "winner-depends-on-macro-f1",
        "The winner depends on which macro F1 is used",
        "macro-f1",
        "Wherever the paper says macro F1, say with its formula which of the two it is.",
        (
            "Fires when the winners by macro-averaged F1 are not the winners by F1 of averages. "
            "Both are called macro F1, so a paper that says only that leaves open who won."
        ),
    ),
    (
        "winner-depends-on-prevalence",
        "The winner changes with balanced classes",
        "every-metric",
        "Say that the ranking holds for the class distribution of this test set, and show the balanced scores.",
        (
            "Fires when the winner by the ranking metric is another one after every class is given the same mass. "
            "Such a win is owed in part to the class distribution of the test set."
        ),
    ),
    (
        "winner-depends-on-metric",
        "The winner depends on the metric",
        "every-metric",
        "Say why the official metric is the one that fits the task, and show the other columns.",
        (
            "Fires when an aggregate metric, at the ranking metric’s class distribution, has another winner than the "
            "ranking metric; which macro F1 is a finding of its own. Where labels are on a scale, metrics that look "
            f"at their order are compared with each other, and the others with each other. {_LEFT_OUT}"
        ),
    ),
    (
        "winner-depends-on-label-order",
        "The winner depends on whether the order of the labels counts",
        "label-order",
        "Say whether a near miss is less of an error in this task, and show a score that agrees with it.",
        (
            "Fires when a metric has another winner than the ranking metric, and one of the two looks at the order of"
            f" the labels and the other does not. {_LEFT_OUT}"
        ),
    ),
):
    flag(_slug, _title, Severity.WINNER, _anchor, f"{_fires} {RULE_STATES}")(
        _changed(_slug, _remedy)
    )
