"""The signature changes with everything that a score here depends on, and with nothing else."""

from dataclasses import replace

import pytest

import audit.evaluation
from audit.domain import (
    STRICT_POLICIES,
    Campaign,
    Gold,
    LabelSet,
    Options,
    Policies,
    Prevalence,
    Rejection,
    ScoreKey,
    SourceFile,
    Submission,
    Task,
)
from audit.errors import Issue, UsageError
from audit.evaluation import evaluate

from .campaigns import campaign, codes

GOLD, ADA, BOB = [0, 0, 1, 1, 2], [0, 1, 1, 1, 2], [0, 0, 0, 3, 4]
EVEN = Prevalence("even", (("a", 1 / 3), ("b", 1 / 3), ("c", 1 / 3)))
SKEWED = Prevalence("even", (("a", 1 / 2), ("b", 1 / 4), ("c", 1 / 4)))


@pytest.fixture
def made():
    return campaign(GOLD, {"Ada": ADA, "Bob": BOB})


def task(made, **changes):
    return replace(made, task=replace(made.task, **changes))


def gold(made, **changes):
    return replace(made, gold=replace(made.gold, **changes))


def submissions(made, *changed):
    return replace(made, submissions=changed)


def with_labels(made, *labels, declared=False):
    label_set = LabelSet(labels, declared)
    return gold(task(made, label_set=label_set), label_set=label_set)


CHANGES = {
    "an item of gold": lambda made: gold(made, codes=codes([0, 0, 1, 2, 2], made.task.label_set)),
    "the items' ids": lambda made: gold(made, item_ids=tuple("12345")),
    "a label's name": lambda made: with_labels(made, "a", "b", "d"),
    "a further label": lambda made: with_labels(made, "a", "b", "c", "d"),
    "a prediction": lambda made: submissions(
        made,
        replace(made.submissions[0], given=codes([0, 0, 1, 1, 2], made.task.label_set)),
        made.submissions[1],
    ),
    "a team's name": lambda made: submissions(
        made, replace(made.submissions[0], team="Adam"), made.submissions[1]
    ),
    "a team less": lambda made: submissions(made, made.submissions[0]),
    "the official metric": lambda made: task(made, official_metric=ScoreKey("accuracy")),
    "its prevalence": lambda made: task(made, official_metric=ScoreKey("accuracy", "balanced")),
    "the decimals": lambda made: task(made, official_decimals=3),
    "the policy": lambda made: task(made, policies=STRICT_POLICIES),
    "one of two policies": lambda made: task(made, policies=Policies(missing="drop")),
    "a named prevalence": lambda made: task(made, prevalences=(EVEN,)),
    "its shares": lambda made: task(made, prevalences=(SKEWED,)),
    "its name": lambda made: task(made, prevalences=(replace(EVEN, name="flat"),)),
}

ELSEWHERE = {
    "the slug and title": lambda made: task(made, slug="other", title="Another"),
    "the assumptions": lambda made: task(made, assumptions=("Something was assumed.",)),
    "whether labels are declared": lambda made: with_labels(made, "a", "b", "c", declared=True),
    "where the gold was read": lambda made: gold(made, source=SourceFile.of("gold.csv", b"any")),
    "where a submission was read, and how": lambda made: submissions(
        made,
        replace(
            made.submissions[0],
            run="1",
            source=SourceFile.of("a.csv", b"any"),
            issues=(Issue.of("missing-label", "a.csv", "1 item"),),
        ),
        made.submissions[1],
    ),
    "in which way an item is unanswered": lambda made: submissions(
        made, made.submissions[0], Submission("Bob", codes([0, 0, 0, 4, 3], made.task.label_set))
    ),
    "what was not loaded": lambda made: replace(
        made,
        rejections=(Rejection("b.csv", ()),),
        ignored=("README",),
        settings=SourceFile.of("task.toml", b""),
    ),
}


def test_each_thing_that_counts_changes_the_signature(made):
    """No two of these campaigns share one."""
    signatures = [
        evaluate(made).signature,
        *(evaluate(change(made)).signature for change in CHANGES.values()),
    ]
    assert len(set(signatures)) == len(CHANGES) + 1


@pytest.mark.parametrize("change", ELSEWHERE)
def test_nothing_else_changes_the_signature(made, change):
    """Names for readers, files and what is said about them are not what scores depend on."""
    assert evaluate(ELSEWHERE[change](made)).signature == evaluate(made).signature


ASKED = (
    Options(),
    Options(seed=2),
    Options(certainty=False),
    Options(compare=("mcc",)),
    Options(compare=("mcc~",)),
    Options(compare=("mcc", "mcc~")),
)


def test_each_option_changes_the_signature_and_none_the_scores(made):
    """Evaluations of the same data with other options stand beside each other."""
    evaluations = [evaluate(made, options) for options in ASKED]
    assert len({evaluation.signature for evaluation in evaluations}) == len(ASKED)
    assert [evaluation.options for evaluation in evaluations] == list(ASKED)
    for evaluation in evaluations:
        assert evaluation.scores.equals(evaluations[0].scores)


def test_a_seed_that_seeds_nothing_is_not_in_the_signature(made):
    """Nor is what a draw is of, where nothing is drawn."""
    one, other = (evaluate(made, Options(certainty=False, seed=seed)) for seed in (1, 2))
    assert one.signature == other.signature
    assert "drawn" not in one.signature


def test_the_campaign_s_own_options_hold_where_none_are_given(made):
    """And give way where some are."""
    own = replace(made, options=Options(seed=7))
    assert evaluate(own).options == Options(seed=7)
    assert evaluate(own, Options()).signature == evaluate(made).signature


@pytest.mark.parametrize("seed", [-1, 2**32, "1", True, None])
def test_a_seed_out_of_its_range_is_refused(seed):
    """With the range."""
    with pytest.raises(UsageError, match="seed is a whole number from 0 to"):
        Options(seed=seed)


def test_the_version_changes_the_signature(made, monkeypatch):
    """Another program may compute another number."""
    before = evaluate(made).signature
    monkeypatch.setattr(audit.evaluation, "__version__", "99.0")
    assert evaluate(made).signature == before.replace(
        f"version:{audit.__version__}", "version:99.0"
    )


@pytest.mark.parametrize("label", ["one\ntwo", "\u202e", "\x00", "\u2028"])
def test_the_signature_is_one_line_that_can_be_shown(label):
    """Whatever a label in the official metric holds."""
    label_set = LabelSet((label, "b"))
    one = Submission("Ada", codes([0, 1], label_set))
    official = evaluate(
        Campaign(
            Task(
                "t",
                "T",
                label_set,
                ScoreKey(f'recall["{label}"]' if "\n" in label else f"recall[{label}]"),
            ),
            Gold(label_set, codes([0, 1], label_set)),
            (one,),
        )
    )
    assert official.signature.isprintable()


def test_the_signature_says_what_it_is_about(made):
    """Readable parts: metric, decimals, classes, policy, number of items and teams, version."""
    parts = dict(
        part.split(":", 1)
        for part in evaluate(task(made, official_decimals=3)).signature.split("|")
    )
    assert parts["official"] == "none"
    assert parts["decimals"] == "3"
    assert parts["gold"].startswith("5:")
    assert parts["submissions"].startswith("2:")
    assert parts["version"] == audit.__version__
    assert "3-of-3" in parts["classes"]
