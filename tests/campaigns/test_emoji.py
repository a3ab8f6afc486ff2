"""SemEval-2018 task 2, English, against the organisers' tables and their facts."""

import csv
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, f1_score
from sklearn.utils.class_weight import compute_sample_weight

from audit.domain import ScoreKey, State
from audit.metrics import METRICS, score
from audit.vocabulary import STATES
from tests.real_campaigns import ROOT

AVERAGED, OF_AVERAGES = ScoreKey("averaged_f1"), ScoreKey("f1_of_averages")


@pytest.fixture(scope="module")
def published(emoji_folder):
    """(team, metric, class) → the published cell, as printed."""
    with (emoji_folder / "published_scores.tsv").open(encoding="utf-8", newline="") as file:
        rows = [
            row for row in csv.DictReader(file, delimiter="\t") if row["task"].startswith("class ")
        ]
    return {
        (row["system"], row["metric"], int(row["task"].split()[1])): row["value"] for row in rows
    }


@pytest.fixture(scope="module")
def exact(emoji):
    """Precision, recall and F1 of a team and class in points, as exact fractions of counts."""

    def of(team, metric, code):
        confusion = emoji.confusions[emoji.names.index(team)]
        correct = 2 * int(confusion[code, code])
        bias, prevalence = int(confusion[:, code].sum()), int(confusion[code].sum())
        whole = {"precision": 2 * bias, "recall": 2 * prevalence, "f1": bias + prevalence}[metric]
        return Fraction(100 * correct, whole) if whole else Fraction(0)

    return of


def answers(folder, team):
    text = (folder / f"results/teams/english/{team}/english.output.txt").read_bytes().decode()
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def printed(value, decimals=3):
    return f"{value:.{decimals}f}"[1:]


def bracketed(ends):
    lower, upper = ends
    return f"[{printed(lower)}, {printed(upper)}]"


def gold(folder):
    return (folder / "tools/detailed_results/us_test.labels").read_text(encoding="utf-8").split()


def test_all_published_cells_are_met(emoji, published):
    """All 2,880 cells are within half a unit of the last printed digit.

    Five scores are an exact half, like 39.375, hence the 1e-9 for their floats.
    """
    assert len(published) == 48 * 20 * 3
    ours = [
        emoji.scores_of(ScoreKey(f"{metric}[{c}]"))[emoji.names.index(team)]
        for team, metric, c in published
    ]
    theirs = [float(value) for value in published.values()]
    np.testing.assert_allclose(100 * np.array(ours), theirs, rtol=0, atol=0.005 + 1e-9)


def test_the_published_cells_are_our_counts_rounded(published, exact):
    """Exactly, with no tolerance: as fractions, the half going to the even digit."""
    rounded = {place: round(exact(*place), 2) for place in published}
    assert rounded == {place: Fraction(value) for place, value in published.items()}


def test_the_published_macro_f1_of_the_winner(emoji):
    """35.99, as the abstract of S18-1004 says."""
    assert f"{100 * emoji.scores_of(AVERAGED)[emoji.names.index('cagri')]:.2f}" == "35.99"
    assert (
        f"{100 * emoji.scores_of(ScoreKey('accuracy'))[emoji.names.index('simondewit')]:.0f}"
        == "34"
    )


def test_the_top_ten_and_the_last_of_the_official_ranking(emoji):
    """In order, with the scores to three decimals of points."""
    ten = {
        "cagri": "35.991",
        "cbaziotis": "35.361",
        "hgsgnlp": "34.018",
        "liu_man": "33.665",
        "lanman": "33.354",
        "derpferd": "31.834",
        "ChuhanWu": "30.250",
        "kennywlino": "30.125",
        "Shi": "29.502",
        "anbasile": "29.426",
    }
    order, scores = emoji.order(AVERAGED), emoji.scores_of(AVERAGED)
    assert {emoji.names[team]: f"{100 * scores[team]:.3f}" for team in order[:10]} == ten
    assert [emoji.names[team] for team in order[:10]] == list(ten)
    assert (emoji.names[order[-1]], f"{100 * scores[order[-1]]:.3f}") == ("hjpwhu", "2.038")
    assert emoji.ranks_of(AVERAGED)[order[-1]] == 48


@pytest.mark.parametrize(
    ("metric", "winner", "score"),
    [
        ("accuracy", "liu_man", ".4746"),
        ("macro_precision", "derpferd", ".3980"),
        ("macro_recall", "cbaziotis", ".3800"),
        ("averaged_f1", "cagri", ".3599"),
        ("f1_of_averages", "cagri", ".3639"),
        ("weighted_f1", "cagri", ".4779"),
        ("mcc", "liu_man", ".4234"),
        ("kappa", "cagri", ".4220"),
    ],
)
def test_the_winner_by_metric(emoji, metric, winner, score):
    """As recomputed beside the data."""
    (first,) = emoji.winners(ScoreKey(metric))
    assert emoji.names[first] == winner
    assert f"{emoji.scores_of(ScoreKey(metric))[first]:.4f}"[1:] == score


def test_the_two_macro_f1s_rank_35_of_48_teams_differently(emoji):
    """EICA gains most, from 39th to 33rd, and the two correlate at .982."""
    averaged, of_averages = emoji.ranks_of(AVERAGED), emoji.ranks_of(OF_AVERAGES)
    assert (averaged != of_averages).sum() == 35
    eica = emoji.names.index("EICA")
    assert (averaged[eica], of_averages[eica]) == (39, 33)
    assert emoji.correlations.loc["averaged_f1", "f1_of_averages"].round(3) == 0.982
    (flag,) = [flag for flag in emoji.flags if flag.slug == "order-depends-on-macro-f1"]
    assert flag.evidence["teams_moved"] == 35
    assert flag.evidence["farthest"] == {
        "team": "EICA",
        "rank_by_averaged_f1": 39,
        "rank_by_f1_of_averages": 33,
    }
    for words in ("35 teams", "EICA", "from 39 to 33"):
        assert words in flag.sentence


def test_accuracy_and_macro_f1_correlate_at_932(emoji):
    """As recomputed beside the data, and by scipy."""
    rho = emoji.correlations.loc["accuracy", "averaged_f1"]
    assert rho.round(3) == 0.932
    by_scipy = spearmanr(emoji.scores_of(ScoreKey("accuracy")), emoji.scores_of(AVERAGED)).statistic
    assert rho == pytest.approx(by_scipy, abs=1e-12)


def test_one_team_left_19315_items_empty(emoji):
    """They are missing, not unusable, and nobody else has any."""
    assert {
        entry.name: (entry.n_missing, entry.n_unusable)
        for entry in emoji.entries
        if entry.n_unanswered
    } == {"tommasopasini": (19315, 0)}
    (flag,) = [flag for flag in emoji.flags if flag.slug == "unanswered-items"]
    assert "tommasopasini (19,315 missing, 39%)" in flag.sentence


def test_two_accounts_handed_in_the_same_file(emoji):
    """Guolinsen and Somethingx64 are identical to the byte, and nobody else is."""
    (flag,) = [flag for flag in emoji.flags if flag.slug == "identical-submissions"]
    (group,) = flag.evidence["groups"]
    assert set(group["teams"]) == {"guolinsen", "Somethingx64"}
    assert group["byte_identical"] is True


def test_the_calibrated_kappa_of_the_team_with_empty_answers(emoji, emoji_folder):
    """.1346, where the formula for answered items would give .1170: scikit-learn gives both."""
    calibrated = emoji.scores_of(ScoreKey("kappa", "balanced"))[emoji.names.index("tommasopasini")]
    truth, given = gold(emoji_folder), answers(emoji_folder, "tommasopasini")
    weights = compute_sample_weight("balanced", truth)
    assert f"{calibrated:.4f}" == "0.1346"
    assert calibrated == pytest.approx(
        cohen_kappa_score(truth, given, sample_weight=weights), abs=1e-9
    )
    recall = emoji.scores_of(ScoreKey("macro_recall"))[emoji.names.index("tommasopasini")]
    assert f"{(recall - 1 / 20) / (1 - 1 / 20):.4f}" == "0.1170"


def test_kappa_and_macro_recall_agree_almost_and_not_by_identity(emoji):
    """ρ of calibrated kappa and macro recall is .998, because of that team."""
    agreement = emoji.agreement
    kappa, recall, accuracy = (
        agreement.keys.index(key)
        for key in (
            ScoreKey("kappa", "balanced"),
            ScoreKey("macro_recall"),
            ScoreKey("accuracy", "balanced"),
        )
    )
    assert agreement.spearman[kappa, recall].round(3) == 0.998
    assert not agreement.identical[kappa, recall]
    assert agreement.identical[accuracy, recall]


@pytest.mark.parametrize("team", ["cagri", "rushaligupta", "Deffro", "reinardvandalen"])
def test_scores_are_those_of_scikit_learn(emoji, emoji_folder, team):
    """Also for files with CRLF line ends, and with no final newline."""
    truth, given = gold(emoji_folder), answers(emoji_folder, team)
    place = emoji.names.index(team)
    f1 = f1_score(truth, given, labels=sorted(set(truth)), average="macro", zero_division=0)
    assert emoji.scores_of(AVERAGED)[place] == pytest.approx(f1, abs=1e-12)
    recall = emoji.scores_of(ScoreKey("macro_recall"))[place]
    assert recall == pytest.approx(balanced_accuracy_score(truth, given), abs=1e-12)


def test_the_campaign_is_whole(emoji):
    """48 teams, names with dots included, 50,000 items, every class in gold."""
    assert (len(emoji.entries), emoji.gold.n_items, emoji.present.sum()) == (48, 50_000, 20)
    assert "NAVEEN.J.R" in emoji.names
    assert emoji.rejections == ()


def test_the_page_on_uncertainty_tells_this_campaign_as_it_is(emoji):
    """Every number of the worked example, from the evaluation."""
    page = " ".join((ROOT / "docs" / "uncertainty.md").read_text(encoding="utf-8").split())
    averaged, of_averages = (emoji.comparison(key) for key in (AVERAGED, OF_AVERAGES))
    power, of_averages_power = (
        next(each for each in emoji.power if each.key == key) for key in (AVERAGED, OF_AVERAGES)
    )
    usual = emoji.intervals["averaged_f1"].loc["cagri"]
    corrected = averaged.leader_interval
    first, second = averaged.leader, emoji.names.index("cbaziotis")
    for sentence in (
        f"*cagri* ranks first with {printed(emoji.scores['averaged_f1']['cagri'])}",
        f"By macro-averaged F1 {averaged.ahead.sum():,} of the 1,128 pairs differ significantly",
        f"by F1 of averages {of_averages.ahead.sum():,}",
        f"In {of_averages.ahead_given.sum()} further pairs one team would be ahead by F1 of averages",
        f"must exceed {averaged.critical_value:.2f} standard errors",
        f"The lead of *cagri* is {power.difference / power.standard_error:.2f} standard errors",
        f"{bracketed(corrected)} instead of {bracketed(usual)}",
        f"Of the 48 teams {(emoji.cells.answers[:, :-1] < 5).any(axis=1).sum()} have a class with fewer than 5 answers",
        f"If the observed lead of {printed(power.difference, 4)}, which is not significant, were the true difference",
        f"would need {power.needed_as_pair:,} items, and a comparison of all pairs {power.needed_among_all:,}",
        f"a true difference of {printed(power.median_found_half_the_time)} between two teams is detected",
        f"with 50% power, one of {printed(power.median_detected_among_all)} with 80% power",
        f"Without {power.carried_by.n_items} of the items",
        f"by F1 of averages, {of_averages_power.carried_by.n_items} items are enough",
    ):
        assert sentence in page, sentence
    assert f"{averaged.critical_value:.2f}" == f"{of_averages.critical_value:.2f}"
    assert averaged.possible_ranks[[first, second]].tolist() == [[1, 2], [1, 2]]
    assert {emoji.names[team] for team in averaged.contenders} == {"cagri", "cbaziotis"}
    assert {emoji.names[team] for team in of_averages.contenders} == {
        "cagri",
        "liu_man",
        "cbaziotis",
    }


def test_who_the_page_says_cannot_be_excluded(emoji):
    """By macro precision three that predict some class once or never, beside two that are as sure as the others."""
    precision = emoji.comparison("macro_precision")
    assert {
        emoji.names[team] for team in np.flatnonzero(precision.could_be_best & ~precision.uncertain)
    } == {
        "derpferd",
        "liu_man",
    }
    for name in ("Zhenduo", "hanggao1", "rushaligupta"):
        team = emoji.names.index(name)
        assert precision.could_be_best[team]
        assert precision.uncertain[team]
        assert emoji.confusions[team][:, :-1].sum(axis=0).min() <= 1


def test_the_changes_of_winner_that_the_page_tells(emoji):
    """Each state of its table, with who is first."""
    by_scores = [
        change for change in emoji.certainty.changes if change.kind in {"metric", "macro-f1"}
    ]
    changes = {change.keys[1].metric: change for change in by_scores}
    page = (ROOT / "docs" / "uncertainty.md").read_text(encoding="utf-8")
    for metric in ("weighted_f1", "f1_of_averages", "accuracy", "macro_recall", "macro_precision"):
        change = changes[metric]
        state, name = STATES[change.state], METRICS[metric].phrase
        (winner,) = change.winners[1]
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {state} |")]
        assert row.endswith(f"| {name}: *{emoji.names[winner]}* |")


def test_a_winner_significant_under_one_metric_only_is_called_so(emoji):
    """“Another first, not shown” stood beside p < .001: cbaziotis by macro recall, cagri by macro-averaged F1."""
    (change,) = [
        each for each in emoji.certainty.changes if each.keys[1] == ScoreKey("macro_recall")
    ]
    (first,), (there,) = change.winners
    assert (emoji.names[first], emoji.names[there]) == ("cagri", "cbaziotis")
    by_averaged_f1, by_recall = map(emoji.comparison, ("averaged_f1", "macro_recall"))
    assert by_recall.ahead[there, first]
    assert by_recall.adjusted_p[there, first] < 0.001
    assert not by_averaged_f1.ahead[first, there]
    assert change.state is State.OTHER_SHOWN_THERE
    (row,) = [row for row in emoji.verdict.depends_on if row.choice == "prevalence"]
    assert "significant under that metric only: cbaziotis wins" in row.sentence
    assert row.first.endswith("(adjusted p < .001)")


@pytest.mark.parametrize("rest", [0, 19])
def test_with_a_rest_class_macro_f1_is_the_mean_of_the_other_published_f1s(emoji, published, rest):
    """For each of the 48 teams: 19 cells of two decimals, each within half a unit of its last digit."""
    label_set = replace(emoji.task.label_set, rest=str(rest))
    keys = [ScoreKey(name) for name in ("averaged_f1", "macro_precision", "macro_recall")]
    ours = score(emoji.cells, keys, emoji.prevalences, label_set)
    for row, metric in zip(ours, ("f1", "precision", "recall"), strict=True):
        cells = [
            [float(published[team, metric, c]) for c in range(20) if c != rest]
            for team in emoji.names
        ]
        np.testing.assert_allclose(100 * row, np.mean(cells, axis=1), rtol=0, atol=0.005 + 1e-9)
    whole = [f"{100 * value:.2f}" for value in emoji.scores_of(AVERAGED)]
    assert [f"{100 * value:.2f}" for value in ours[0]] != whole
