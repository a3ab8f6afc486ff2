"""An official score that is the mean rank over named scores: SciPy's ranks, only over who has every score."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

import audit
from audit.domain import (
    Policies,
    Prevalence,
    PrintedScore,
    Published,
    PublishedColumn,
    Role,
    ScoreKey,
)
from audit.errors import InputError, MetricNameError, UsageError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.metrics import Margins, named_metric
from audit.ranking.prevalence_shift import scenario
from audit.ranking.ranks import mean_ranks, published_ranks, published_scores
from audit.readings import identify
from audit.writers.bundle.folder import ExportOptions, export_files
from audit.writers.html import render_html
from tests.flags.campaigns import evaluated, flag_of, of_confusions, of_runs
from tests.report.document import read

GOLD = "aaaabbbbcc"
TEAMS = {
    "W": "aaaabbbbca",
    "X": "aaabbbbacc",
    "Y": "aaaabbaaca",
    "Z": "aaabbbbacc",
    "None": "cccccaaaab",
}
NAMES = ("averaged_f1", "accuracy", "kappa")


def by_scipy(rows, weights=None):
    """Mean ranks of rows of scores, the higher the better; only over who has every score."""
    complete = ~np.isnan(rows).any(axis=0)
    found = np.full(rows.shape[1], np.nan)
    ranks = np.array([rankdata(-row[complete], method="average") for row in rows])
    found[complete] = np.average(ranks, axis=0, weights=weights)
    return found


@given(
    st.integers(1, 4).flatmap(
        lambda k: st.lists(
            st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.5, np.nan]), min_size=k, max_size=k),
            min_size=1,
            max_size=9,
        )
    ),
    st.data(),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_mean_ranks_are_those_of_scipy(columns, data):
    """With ties, undefined scores and weights."""
    rows = np.array(columns).T
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    expected = (
        by_scipy(rows, weights)
        if (~np.isnan(rows).any(axis=0)).any()
        else np.full(rows.shape[1], np.nan)
    )
    np.testing.assert_allclose(
        mean_ranks(rows, weights, np.ones(rows.shape[1], dtype=bool)), expected, atol=1e-12
    )


@given(st.lists(st.tuples(*[st.sampled_from([0.1, 0.2, 0.3])] * 3), min_size=2, max_size=7))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_who_takes_no_rank_has_the_one_it_would_take(columns):
    """The last one stands beside the others, whose ranks it leaves as they are."""
    rows = np.array(columns).T
    counted = np.arange(rows.shape[1]) < rows.shape[1] - 1
    found = mean_ranks(rows, [1, 1, 1], counted)
    np.testing.assert_allclose(found[:-1], by_scipy(rows[:, :-1]), atol=1e-12)
    assert found[-1] == pytest.approx(by_scipy(rows)[-1], abs=1e-12)


@pytest.mark.parametrize(
    ("weighted", "weights"), [(NAMES, None), (("2*averaged_f1", "accuracy", "kappa"), (2, 1, 1))]
)
def test_a_campaign_is_ranked_by_it(weighted, weights):
    """The lower the better, ties shared; and the scores that it is of stand beside it."""
    name = f"mean_rank({','.join(weighted)})"
    found = evaluated(GOLD, TEAMS, official_metric=name)
    key = found.task.ranking_metric
    rows = np.array([found.scores_of(ScoreKey(each)) for each in NAMES])
    np.testing.assert_allclose(found.scores_of(key), by_scipy(rows, weights), atol=1e-12)
    expected = rankdata(by_scipy(rows, weights).round(9), method="min")
    np.testing.assert_array_equal(found.ranks_of(key), expected)
    assert str(key) == name
    metric = named_metric(name, found.task.label_set).metric
    assert not metric.greater_is_better
    # of who is first by every score
    assert metric.lower == by_scipy(np.array([[0.9, 0.1]] * len(NAMES)), weights)[0]


def rounded_to(decimals, **settings):
    """The campaign with its published ranks, on so many decimals."""
    return evaluated(
        GOLD,
        TEAMS,
        official_metric="mean_rank(averaged_f1,kappa)",
        official_decimals=decimals,
        **settings,
    )


@pytest.mark.parametrize("decimals", [0, 1, 2, 3])
def test_published_ranks_are_by_the_mean_rank_of_rounded_scores(decimals):
    """As who ranks the printed scores, and takes the mean, has them; the ranking itself is on full precision."""
    found = evaluated(
        GOLD, TEAMS, official_metric="mean_rank(averaged_f1,kappa)", official_decimals=decimals
    )
    rows = np.array([found.scores_of(ScoreKey(name)) for name in ("averaged_f1", "kappa")])
    printed = np.array([[float(f"{score:.{decimals}f}") for score in row] for row in rows.tolist()])
    expected = rankdata(by_scipy(printed).round(9), method="min").astype(int).tolist()
    assert [int(rank.strip("=")) for rank in published_ranks(found)] == expected
    np.testing.assert_allclose(
        found.scores_of(found.task.ranking_metric), by_scipy(rows), atol=1e-12
    )


RECALLS = {"X": (789, 683), "Y": (787, 681), "Z": (786, 704)}
"""In thousandths: X is first in full, and Z where all three are level by the first of two printed recalls."""


def test_rounding_may_give_the_first_place_to_another_team():
    """The tie is a finding, with the mean rank of who shares it, and the verdict names who would be first."""
    confusions = {team: [[a, 1000 - a], [1000 - b, b]] for team, (a, b) in RECALLS.items()}
    name = "mean_rank(recall[a],recall[b])"
    found = of_confusions(confusions, official_metric=name, official_decimals=2)
    assert found.scores_of(ScoreKey(name)).tolist() == [1.5, 2.5, 2.0]
    assert published_scores(found).tolist() == [2.25, 2.25, 1.5]
    assert published_ranks(found) == ["2=", "2=", "1"]
    flag = flag_of(found, "tie-only-after-rounding")
    assert (
        "of scores rounded to 2 decimals, as published, X and Y have 2.25; on full precision"
        in flag.sentence
    )
    (choice,) = (each for each in found.verdict.depends_on if each.choice == "rounding")
    assert (choice.state.value, choice.first) == (
        "not-tested",
        "Z wins with scores rounded to 2 decimals",
    )
    in_full = of_confusions(confusions, official_metric=name)
    assert published_ranks(in_full) is None
    assert published_scores(in_full).tolist() == [1.5, 2.5, 2.0]
    assert flag_of(in_full, "tie-only-after-rounding") is None


@pytest.mark.parametrize("means", [(2.25, 2.25, 1.5), (1.5, 2.5, 2.0)])
def test_a_published_mean_rank_may_be_that_of_rounded_scores(means):
    """Of the campaign's own, as of the one on full precision."""
    confusions = {team: [[a, 1000 - a], [1000 - b, b]] for team, (a, b) in RECALLS.items()}
    found = of_confusions(
        confusions, official_metric="mean_rank(recall[a],recall[b])", official_decimals=2
    )
    scores = tuple(PrintedScore(f"{mean}", round(100 * mean), 2) for mean in means)
    (column,) = identify(
        found, Published("p.csv", ("X", "Y", "Z"), (PublishedColumn("Avg. rank", scores),))
    ).ranks
    assert any(each.startswith("the official") for each in column.by)


def test_at_another_class_distribution_all_its_scores_are():
    """And a score that is better the lower the score is, is ranked so."""
    found = evaluated(GOLD, TEAMS, official_metric="mean_rank(averaged_f1,kappa)~")
    rows = np.array(
        [found.scores_of(ScoreKey(name, "balanced")) for name in ("averaged_f1", "kappa")]
    )
    np.testing.assert_allclose(
        found.scores_of(found.task.ranking_metric), by_scipy(rows), atol=1e-12
    )


def test_a_baseline_takes_no_rank_from_anybody():
    """It stands beside with the mean rank that it would have."""
    runs = {("X", "1"): "aaba", ("Y", "1"): "abba", ("Base", "1"): "aabb"}
    found = of_runs(
        "aabb",
        runs,
        roles={"Base": Role.BASELINE},
        official_metric=ScoreKey("mean_rank(accuracy,kappa)"),
    )
    scores = dict(
        zip(found.names, found.scores_of(found.task.ranking_metric).tolist(), strict=True)
    )
    assert scores == {"X": 1.0, "Y": 2.0, "Base": 1.0}


def test_it_has_no_interval_and_says_why():
    """Nor comparisons: nothing is called separable, or tested, that was not."""
    found = evaluated(GOLD * 5, {team: text * 5 for team, text in TEAMS.items()}, certainty=True,
                      official_metric="mean_rank(averaged_f1,accuracy)")  # fmt: skip
    key = found.task.ranking_metric
    row = found.keys.index(key)
    assert np.isnan(found.certainty.intervals.lower[row]).all()
    assert set(found.marks[str(key)].tolist()) == {"mean-of-ranks"}
    assert found.certainty.comparison(key) is None
    assert {each.state.value for each in found.verdict.depends_on if each.choice == "metric"} <= {
        "holds",
        "not-tested",
    }
    assert all(power.key != key for power in found.power)


def test_one_confusion_has_no_rank_and_no_slope():
    """It is of all teams together."""
    found = evaluated(GOLD, TEAMS, official_metric="mean_rank(averaged_f1,accuracy)")
    named = named_metric(found.task.ranking_metric.metric, found.task.label_set)
    margins = Margins.of_cells(found.cells)
    assert np.isnan(named.score(margins)).all()
    assert np.isnan(named.gradient(margins).correct).all()


def test_two_teams_are_not_compared_by_it():
    """Whoever asks is told the two mean ranks and no more."""
    found = evaluated(GOLD * 5, {team: text * 5 for team, text in TEAMS.items()}, certainty=True,
                      official_metric="mean_rank(averaged_f1,accuracy)")  # fmt: skip
    pair = found.compare("W", "X", metric="mean_rank(averaged_f1,accuracy)")
    assert np.isnan(pair.standard_error)
    assert np.isnan(pair.randomization_p)
    assert pair.scores[0] < pair.scores[1]


def test_at_any_other_distribution_ranks_are_those_of_the_scores_there():
    """As audit what-if asks."""
    found = evaluated(GOLD, TEAMS, official_metric="mean_rank(averaged_f1,accuracy)")
    there = scenario(found, Prevalence("x", (("a", 0.1), ("b", 0.2), ("c", 0.7))))
    rows = np.array([there.scores_of(ScoreKey(name, "x")) for name in ("averaged_f1", "accuracy")])
    np.testing.assert_allclose(
        there.scores_of(ScoreKey(str(found.task.ranking_metric), "x")), by_scipy(rows), atol=1e-12
    )


def test_missing_items_that_are_dropped_are_held_against_them_as_wrong():
    """The ranks are then those by the scores with missing items as wrong."""
    runs = {("X", "1"): "aab.", ("Y", "1"): "aabb", ("Z", "1"): "abab"}
    key = ScoreKey("mean_rank(accuracy,kappa)")
    dropped, wrong = (
        of_runs("aabb", runs, policies=Policies(missing=missing), official_metric=key)
        for missing in ("drop", "wrong")
    )
    flag = flag_of(dropped, "scores-on-fewer-items")
    (row,) = flag.evidence["submissions"]
    assert row["score_with_missing_as_wrong"] == wrong.scores_of(key)[0]


def test_ranks_by_scores_of_items_are_among_them():
    """A Brier score is better the lower it is."""
    rng = np.random.default_rng(2)
    gold = np.where(rng.random(60) < 0.4, "yes", "no")
    scores = {
        f"T{n}": np.clip(rng.normal((gold == "yes") * 0.5 + 0.25, 0.1 * n), 0, 1)
        for n in range(1, 5)
    }
    teams = {team: np.where(row > 0.5, "yes", "no") for team, row in scores.items()}
    kept = {"item_scores": scores, "scored_label": "yes"}
    found = audit.evaluate(
        gold, teams, official_metric="mean_rank(auc,brier)", certainty=False, **kept
    )
    rows = np.array([found.scores_of(ScoreKey("auc")), -found.scores_of(ScoreKey("brier"))])
    np.testing.assert_allclose(
        found.scores_of(found.task.ranking_metric), by_scipy(rows), atol=1e-12
    )
    there = scenario(found, Prevalence("x", (("no", 0.3), ("yes", 0.7))))
    assert not np.isnan(there.scores_of(ScoreKey("mean_rank(auc,brier)", "x"))).any()
    with pytest.raises(UsageError, match="single items"):
        audit.evaluate(gold, teams, official_metric="mean_rank(auc,accuracy)", certainty=False)


def test_page_terminal_json_and_latex_have_it(tmp_path):
    """Through every exit, with the reason why it has no interval."""
    (tmp_path / "submissions").mkdir()
    lines = [f"{number},{label}" for number, label in enumerate(GOLD * 5)]
    (tmp_path / "gold.csv").write_text("\n".join(["id,label", *lines]) + "\n", encoding="utf-8")
    for team, text in TEAMS.items():
        lines = [f"{number},{label}" for number, label in enumerate(text * 5)]
        (tmp_path / "submissions" / f"{team}.csv").write_text(
            "\n".join(["id,label", *lines]) + "\n", encoding="utf-8"
        )
    settings_text = '[official]\nmean_rank_of = ["averaged_f1", "accuracy"]\nweights = [2, 1]\n'
    (tmp_path / "task.toml").write_text(settings_text, encoding="utf-8")
    campaign = read_campaign(tmp_path)
    assert str(campaign.task.official_metric) == "mean_rank(2*averaged_f1,accuracy)"
    evaluation = evaluate(campaign)
    page = audit.write_report(evaluation, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Weighted mean rank (2:1) by macro-averaged F1 and accuracy" in page
    assert "a mean of ranks depends on who takes part" in page
    files = export_files(evaluation, campaign, ExportOptions(figures=()))
    assert (
        b"weighted mean rank (2:1) by macro{-}averaged F1 and accuracy"
        in files["main_table_narrow.tex"]
    )
    said = next(text for name, text in files.items() if name.endswith("evaluation.json"))
    assert json.loads(said)
    assert b'"mean_rank(2*averaged_f1,accuracy)"' in said
    assert b'"mean-of-ranks"' in said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mean_rank(accuracy)", "a mean of 1"),
        ("mean_rank(accuracy,accuracy)", "twice"),
        ("mean_rank(mean_rank(accuracy,kappa),mcc)", "a mean of a mean"),
        ("mean_rank(accuracy,mean(kappa,mcc))", "a mean of a mean"),
        ("mean_rank(accuracy,kappa~)", "one class distribution"),
        ("mean_rank(accuracy,kappa", "does not close"),
        ("mean_rank(accuracy,macro_f1)", "is two metrics"),
        ("mean rank", "mean_rank"),
    ],
)
def test_what_is_no_mean_rank_is_refused(name, words):
    """With what to write."""
    with pytest.raises(MetricNameError, match=words):
        named_metric(name, evaluated("ab", {"X": "ab"}).task.label_set)


def test_the_best_of_a_teams_runs_is_not_chosen_by_it():
    """Ranks depend on which of all runs count."""
    with pytest.raises(UsageError, match="depend on which of all runs count"):
        of_runs("ab", {("X", "1"): "ab", ("X", "2"): "aa"}, policies=Policies(runs="best"),
                official_metric=ScoreKey("mean_rank(accuracy,kappa)"))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '[official]\nmean_rank_of = ["accuracy", "kappa"]\n[policies]\nruns = "best"\n',
            "depend on which",
        ),
        (
            '[official]\nmean_rank_of = ["accuracy", "kappa"]\nmean_of = ["accuracy", "kappa"]\n',
            "beside mean_of",
        ),
        ('[official]\nmean_rank_of = ["accuracy", "auc"]\n', "scores of single items"),
        (
            'official_metric = "kappa"\n[official]\nmean_rank_of = ["accuracy", "kappa"]\n',
            "beside official_metric",
        ),
        ('[official]\nmean_rank_of = ["accuracy", "2*kappa"]\n', "in mean_rank_of"),
    ],
)
def test_task_toml_is_told_what_does_not_go_together(tmp_path, text, words):
    """With the file and the setting."""
    (tmp_path / "gold.csv").write_text("id,label\n1,a\n2,b\n", encoding="utf-8")
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "X.csv").write_text("id,label\n1,a\n2,a\n", encoding="utf-8")
    (tmp_path / "task.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_campaign(tmp_path)
    assert any(words in f"{issue.found} {issue.expected}" for issue in caught.value.issues)


def test_the_page_says_why_nothing_is_compared_and_how_unanswered_items_count():
    """Of ranks no pair is compared; one of the scores leaves unanswered items out."""
    evaluation = audit.evaluate(
        list("aabbab"),
        {"X": list("aabbaa"), "Y": list("abbbab"), "Z": ["a", "a", None, "a", "a", "b"]},
        official_metric="mean_rank(accuracy,answered_accuracy)",
    )
    text = read(render_html(evaluation)).text
    assert "nothing is compared in pairs: a mean of ranks depends on who takes part" in text
    assert "Items without a usable answer count as wrong, but mean rank by accuracy and" in text


@pytest.mark.parametrize(("seed", "decimals"), [(58, 1), (42, 2), (58, 2)])
def test_rounding_that_breaks_a_tie_for_the_first_place_is_told(seed, decimals):
    """Level on full precision, and not all of them first by the ranks that were published."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(list("abc"), 40)
    teams = {
        f"t{n}": np.where(rng.random(40) < 0.7, gold, rng.choice(list("abc"), 40)).tolist()
        for n in range(4)
    }
    official = {
        "official_metric": "mean_rank(accuracy,averaged_f1,mcc)",
        "official_decimals": decimals,
    }
    evaluation = audit.evaluate(gold.tolist(), teams, certainty=False, **official)
    winners = evaluation.winners(evaluation.task.ranking_metric)
    published = [
        team for team, rank in enumerate(published_ranks(evaluation)) if rank.strip("=") == "1"
    ]
    assert len(winners) > 1
    assert not {*winners} <= {*published}
    (row,) = [row for row in evaluation.verdict.depends_on if row.choice == "rounding"]
    assert f"with scores rounded to {decimals} decimal" in row.sentence
    assert "full precision" not in row.sentence
