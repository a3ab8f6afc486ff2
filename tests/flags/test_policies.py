"""Flags about policies, dropped items, runs and baselines: their numbers, counted another way."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats

from audit.domain import (
    Baseline,
    ChosenRun,
    Options,
    Policies,
    Role,
    ScoreKey,
    Severity,
    UncountedRun,
)
from audit.domain.task import POLICY_KINDS
from audit.findings.catalogue import find_flags
from audit.ranking.ranks import expected_maximum

from .campaigns import compared, evaluated, flag_of, of_confusions, of_runs, texts

GOLD = "aaaabbbbbb"
DROPPED = {("X", "1"): "aaaabbb...", ("Y", "1"): "aaaabbbbba", ("Z", "1"): "aabbbbbbaa"}


def flagged(evaluation, slug):
    return flag_of(evaluation.given(flags=find_flags(evaluation)), slug)


# Scores on fewer items


def test_a_winner_on_fewer_items_is_held_against_its_score_with_them_as_wrong():
    """X is right on all seven items that it answers: 1.0 on these, accuracy .7 on all ten, and then third."""
    found = of_runs(
        GOLD, DROPPED, policies=Policies(missing="drop"), official_metric=ScoreKey("accuracy")
    )
    flag = flag_of(found, "scores-on-fewer-items")
    assert flag.severity == Severity.WINNER
    assert flag.evidence["submissions"] == [
        {
            "team": "X",
            "items_scored": 7,
            "items_dropped": 3,
            "score": 1.0,
            "rank": 1,
            "score_with_missing_as_wrong": 0.7,
            "rank_with_missing_as_wrong": 2,
        }
    ]
    assert "X on 7 of 10 (1.000, .700 with the others as wrong)" in flag.sentence
    assert "counting missing items as wrong makes Y first." in flag.sentence


ITEM_SCORES = {
    "X": [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.35, 0.8, 0.9, 0.65],
    "Y": [0.2, 0.3, 0.1, 0.45, 0.9, 0.7, 0.6, 0.8, 0.75, 0.15],
    "Z": [0.3, 0.1, 0.7, 0.6, 0.55, 0.9, 0.8, 0.75, 0.2, 0.4],
}


@pytest.mark.parametrize(
    "metric",
    ["averaged_f1", "mcc", "macro_recall~", "mean(averaged_f1,auc)", "mean_rank(averaged_f1,auc)"],
)
def test_the_score_with_missing_as_wrong_is_that_of_the_default_policy(metric):
    """Recomputed from what was dropped, it is what the other policy gives."""
    key = ScoreKey(metric.rstrip("~"), "balanced" if metric.endswith("~") else "observed")
    given = {"scores": ITEM_SCORES, "scored_labels": ("b",)} if "auc" in metric else {}
    dropped, wrong = (
        of_runs(GOLD, DROPPED, policies=Policies(missing=missing), official_metric=key, **given)
        for missing in ("drop", "wrong")
    )
    flag = flag_of(dropped, "scores-on-fewer-items")
    found = flag.evidence["submissions"][0]
    assert found["score_with_missing_as_wrong"] == pytest.approx(wrong.scores_of(key)[0])
    assert found["rank_with_missing_as_wrong"] == wrong.ranks_of(key)[0]


def test_a_score_of_single_items_alone_leaves_no_item_out():
    """AUC looks at no label, so a label that was dropped changes nothing of it."""
    found = of_runs(
        GOLD,
        DROPPED,
        policies=Policies(missing="drop"),
        official_metric=ScoreKey("auc"),
        scores=ITEM_SCORES,
        scored_labels=("b",),
    )
    assert not found.whole.all()
    assert flag_of(found, "scores-on-fewer-items") is None


def test_the_severity_is_what_the_dropped_items_change():
    """Ranks without the first: the order; no rank: a note."""
    order = {("W", "1"): GOLD, ("X", "1"): "aaaabbba..", ("Y", "1"): "aaaabbbbaa"}
    found = of_runs(GOLD, order, policies=Policies(missing="drop"))
    assert flag_of(found, "scores-on-fewer-items").severity == Severity.ORDER
    assert "changes 2 ranks" in flag_of(found, "scores-on-fewer-items").sentence
    lowest = {("W", "1"): GOLD, ("X", "1"): "abababab.."}
    note = flag_of(
        of_runs(GOLD, lowest, policies=Policies(missing="drop")), "scores-on-fewer-items"
    )
    assert note.severity == Severity.NOTE
    assert "changes no rank" in note.sentence


def test_dropped_items_do_not_count_as_unanswered_and_wrong():
    """Only what is still counted as wrong is in that flag: here a label outside the label set."""
    found = of_runs(GOLD, DROPPED, policies=Policies(missing="drop"))
    assert flag_of(found, "unanswered-items") is None
    place = next(place for place, entry in enumerate(found.entries) if entry.n_dropped)
    entries = [
        replace(entry, n_unusable=2 if at == place else 0) for at, entry in enumerate(found.entries)
    ]
    flag = flagged(replace(found, entries=tuple(entries)), "unanswered-items")
    (submission,) = flag.evidence["submissions"]
    assert (submission["missing"], submission["unusable"]) == (0, 2)
    assert "(2 outside the label set, " in flag.sentence


# Policies


@pytest.mark.parametrize("slug", POLICY_KINDS)
def test_every_difference_from_the_default_is_named_with_what_is_done(slug):
    """Each other value of each policy, with the words of the registry."""
    for value in list(POLICY_KINDS[slug].values)[1:]:
        found = evaluated("aabb", {"X": "aaba"})
        found = replace(found, task=replace(found.task, policies=Policies(**{slug: value})))
        flag = flagged(found, "policy-differs")
        (policy,) = flag.evidence["policies"]
        assert (policy["policy"], policy["value"], policy["default"]) == (
            slug,
            value,
            POLICY_KINDS[slug].default,
        )
        assert POLICY_KINDS[slug].values[value].split(":")[0] in flag.paper
        assert POLICY_KINDS[slug].title in flag.sentence


# Runs

RUNS = {
    ("X", "1"): "aaaabbbbba",
    ("X", "2"): GOLD,
    ("X", "3"): "bbbbaaaaaa",
    ("Y", "1"): "aaaabbbaaa",
}


def test_the_best_of_several_runs_is_flagged_with_the_number_of_runs():
    """Three of X, one of Y: the expected gain is that of three."""
    found = of_runs(GOLD, RUNS, policies=Policies(runs="best"))
    flag = flag_of(found, "best-run-counts")
    assert flag.evidence["runs"] == {"X": 3}
    assert flag.sentence.startswith("Of 1 team the best of 3 runs counts; 1 team had one run only.")
    assert "up to .85 standard errors by luck alone (X)" in flag.sentence
    assert np.isnan(flag.evidence["standard_error_of_the_most_tried"])


def test_the_gain_is_in_units_of_the_score_where_it_has_an_interval():
    """Half the interval, divided by 1.96, times the expected maximum."""
    found = compared(
        {"X": [[42, 18], [18, 42]], "Y": [[41, 19], [18, 42]]}, official_metric="accuracy"
    )
    runs = tuple(
        UncountedRun("X", str(run), None, Role.CONTRASTIVE, "not the best") for run in range(4)
    )
    runs += (UncountedRun("Y", "2", None, Role.CONTRASTIVE, "not the best"),)
    task = replace(found.task, policies=Policies(runs="best"))
    flag = flagged(replace(found, task=task, uncounted=runs), "best-run-counts")
    row = found.keys.index(ScoreKey("accuracy"))
    error = (
        (found.certainty.intervals.upper[row, 0] - found.certainty.intervals.lower[row, 0])
        / 2
        / 1.96
    )
    assert flag.evidence["standard_error_of_the_most_tried"] == pytest.approx(error)
    assert f"about {error * 1.16296:.3f}".replace("0.", ".") in flag.sentence
    assert "the best of 2 to 5 runs counts. Picking" in flag.sentence


@pytest.mark.parametrize("n_runs", [1, 2, 3, 10, 100])
def test_the_expected_maximum_is_that_of_the_distribution(n_runs):
    """The mean of the largest of n normal numbers, by SciPy's quadrature."""

    def mean(x):
        return x * n_runs * stats.norm.pdf(x) * stats.norm.cdf(x) ** (n_runs - 1)

    assert expected_maximum(n_runs) == pytest.approx(integrate.quad(mean, -12, 12)[0], abs=1e-7)


def test_chosen_runs_are_named_with_their_reasons():
    """Five in the sentence, all in the evidence."""
    chosen = tuple(ChosenRun(f"T{place}", "1", f"reason {place}") for place in range(6))
    found = evaluated("aabb", {"X": "aaba"})
    few, many = (
        flagged(
            replace(found, task=replace(found.task, policies=Policies(chosen=some))),
            "runs-chosen-by-name",
        )
        for some in (chosen[:2], chosen)
    )
    assert "T0: 1 (reason 0); T1: 1 (reason 1)." in few.sentence
    assert "T4: 1 (reason 4); and 1 more." in many.sentence
    assert len(many.evidence["chosen"]) == 6


# Baselines


def with_baselines(evaluation, **values):
    """The same evaluation with built-in baselines of these scores by every metric."""
    shape = len(evaluation.keys)
    built_in = tuple(
        Baseline(slug, slug.title(), "…", np.full(shape, value), np.zeros(shape))
        for slug, value in values.items()
    )
    return evaluation.given(baselines=built_in)


def test_teams_are_held_against_every_baseline_the_highest_first():
    """A submitted one and a computed one; a level score is not above; the oracle is no baseline."""
    confusions = {"X": [[8, 2], [2, 8]], "Y": [[7, 3], [3, 7]], "Base": [[7, 3], [3, 7]]}
    found = of_confusions(confusions, official_metric="weighted_f1")
    entries = (*found.entries[:1], replace(found.entries[1]), found.entries[2])
    entries = tuple(
        replace(entry, role=Role.BASELINE, competes=False) if entry.name == "Base" else entry
        for entry in entries
    )
    found = with_baselines(
        replace(found, entries=entries), oracle=1.0, uniform=0.75, majority=0.2, prevalence=np.nan
    )
    flag = flagged(found, "team-not-above-baseline")
    assert [(item["baseline"], item["teams"]) for item in flag.evidence["baselines"]] == [
        ("Uniform", ["Y"]),
        ("Base", ["Y"]),
    ]
    assert "Y does not outperform “Uniform” (.750) or “Base” (.700)." in flag.sentence


@pytest.mark.parametrize(
    "metric", ["accuracy", "kappa", "mcc~", "macro_recall", "averaged_f1~", "accuracy~"]
)
def test_chance_is_not_reported_twice(metric):
    """By these metrics another flag knows the level of chance; by weighted F1 and class scores it does not."""
    found = of_confusions({"X": [[5, 5], [5, 5]]}, official_metric=metric)
    assert flagged(with_baselines(found, majority=0.9), "team-not-above-baseline") is None
    assert flag_of(found, "at-or-below-chance") is not None
    unknown = of_confusions({"X": [[5, 5], [5, 5]]}, official_metric="weighted_f1")
    assert flagged(with_baselines(unknown, majority=0.9), "team-not-above-baseline") is not None


@pytest.mark.parametrize(
    ("metric", "fires"), [("recall[a]", False), ("precision[a]", True), ("f1[a]", True)]
)
def test_always_answering_a_class_is_no_measure_of_its_recall(metric, fires):
    """The majority class has all of its own recall, and nobody is asked to have more."""
    found = of_confusions({"X": [[5, 5], [5, 5]]}, official_metric=metric)
    assert (
        flagged(with_baselines(found, majority=1.0), "team-not-above-baseline") is not None
    ) == fires


def test_a_baseline_at_chance_is_no_finding():
    """A majority baseline is what it is: never at or below chance, never lacking a class."""
    runs = {("Base", "1"): "b" * 10, ("X", "1"): GOLD}
    slugs = {"at-or-below-chance", "class-never-predicted"}
    as_baseline, as_team = of_runs(GOLD, runs, roles={"Base": Role.BASELINE}), of_runs(GOLD, runs)
    assert not slugs & {flag.slug for flag in as_baseline.flags}
    assert slugs <= {flag.slug for flag in as_team.flags}


# Who competes

FLIPPING = {"Base": [[5, 5], [10, 10]], "X": [[1, 9], [1, 19]], "Y": [[3, 7], [7, 13]]}


def test_rules_about_teams_do_not_see_what_stands_beside():
    """A baseline that would win by one macro F1 and move farthest changes no finding but its own."""
    gone = {team: rows for team, rows in FLIPPING.items() if team != "Base"}
    roles = {"Base": Role.BASELINE}
    gold, given = texts(FLIPPING)
    runs = {(team, "1"): text for team, text in given.items()}
    beside, among = of_runs(gold, runs, roles=roles), of_runs(gold, runs)
    without = of_confusions(gone)
    about_teams = {
        *(
            "winner-depends-on-macro-f1",
            "winner-depends-on-metric",
            "order-depends-on-macro-f1",
            "tied-winners",
        ),
        *("winner-depends-on-prevalence", "class-set-matters", "order-beyond-printed-decimals"),
    }
    said = {flag.slug: flag.sentence for flag in beside.flags if flag.slug in about_teams}
    assert said == {flag.slug: flag.sentence for flag in without.flags if flag.slug in about_teams}
    assert flag_of(among, "winner-depends-on-macro-f1") is not None
    assert "Base" not in " ".join(said.values())


def test_rules_about_pairs_do_not_see_what_is_not_compared():
    """A baseline first by score is neither the winner nor a rival; the winner's rivals are the comparable ones."""
    confusions = {"Base": [[60, 0], [0, 60]], "X": [[42, 18], [18, 42]], "Y": [[41, 19], [18, 42]]}
    gold, given = texts(confusions)
    found = of_runs(
        gold,
        {(team, "1"): text for team, text in given.items()},
        roles={"Base": Role.BASELINE},
        options=Options(),
    )
    assert [found.names[team] for team in found.verdict.winners] == ["X"]
    assert [found.names[team] for team in found.verdict.could_be_best] == ["X", "Y"]


def test_who_is_scored_on_fewer_items_could_not_be_best():
    """A winner on fewer items is compared with nobody."""
    runs = {("X", "1"): GOLD[:5] + ".....", ("Y", "1"): "aaaabbbbba", ("Z", "1"): "aaaabbbbab"}
    found = of_runs(GOLD, runs, policies=Policies(missing="drop"), options=Options())
    assert [found.names[team] for team in found.verdict.could_be_best] == ["Y", "Z"]
