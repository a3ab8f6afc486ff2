"""A campaign ranked by an error that no file of the project knows: over single cells, ordinal, and best at 0."""

import csv
import io
import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from zipfile import ZipFile

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, mean_absolute_error
from typer.testing import CliRunner

import audit
from audit.cli import app
from audit.domain import OBSERVED, LabelSet, Policies, ScoreKey
from audit.evaluation import evaluate
from audit.findings.comparisons import undecided
from audit.findings.wording import winners_by
from audit.formats.campaign.campaigns import read_campaign
from audit.inference.comparison import compare_pair
from audit.metrics import Cells, Margins, gradient_of, influence, registered, score
from audit.ranking.ranks import published_ranks
from audit.resources import samples
from audit.store import open_store
from audit.writers.bundle.archive import evaluation_document
from audit.writers.html import render_html
from tests.further_metrics import (
    ABSOLUTE_ERROR,
    MACRO_ABSOLUTE_ERROR,
    MACRO_MISS_RATE,
    QUADRATIC_KAPPA,
    all_registered,
)

ERROR, MACRO_ERROR, MISS_RATE = map(
    ScoreKey, ("absolute_error", "macro_absolute_error", "macro_miss_rate")
)


# One command after the other asks for the same evaluation, by further metrics.
pytestmark = pytest.mark.usefixtures("further_metrics", "computed_once")


@pytest.fixture(scope="module")
def further_metrics():
    with all_registered((ABSOLUTE_ERROR, MACRO_ABSOLUTE_ERROR, MACRO_MISS_RATE)):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The sample campaign, with the error as its official metric."""
    copied = tmp_path_factory.mktemp("lower") / "flood-posts"
    shutil.copytree(samples() / "flood-posts", copied)
    settings = copied / "task.toml"
    text = settings.read_text(encoding="utf-8")
    assert 'official_metric = "averaged_f1"' in text
    text = text.replace('official_metric = "averaged_f1"', 'official_metric = "absolute_error"')
    settings.write_text(text, encoding="utf-8")
    return copied


@pytest.fixture(scope="module")
def campaign(further_metrics, folder):  # noqa: ARG001 - what is read names them
    return read_campaign(folder)


@pytest.fixture(scope="module")
def evaluation(campaign):
    return evaluate(campaign).settled()


@pytest.fixture(scope="module")
def page(evaluation):
    return render_html(evaluation)


@pytest.fixture(scope="module")
def errors(campaign, evaluation):
    """The error of every entry by scikit-learn; an item without an answer is as far off as can be."""
    gold, most = campaign.gold.codes.astype(int), len(campaign.task.label_set) - 1
    found = []
    for codes in campaign.predictions_of(evaluation.entries):
        answered = codes <= most
        far = (
            mean_absolute_error(gold[answered], codes[answered].astype(int)) * answered.sum()
            + most * (~answered).sum()
        )
        found.append(far / (most * gold.size))
    return np.array(found)


def ran(*arguments):
    """What a command prints, which ends well."""
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result.stdout


def best_first(evaluation, errors):
    """Indices of the competing entries by an independent order."""
    return [
        team for team in np.argsort(errors, kind="stable").tolist() if evaluation.competing[team]
    ]


def test_scores_are_those_of_scikit_learn_and_the_least_is_first(evaluation, errors):
    """Ranks are those of scipy on the errors as they stand."""
    np.testing.assert_allclose(evaluation.scores_of(ERROR), errors, atol=1e-12)
    competing = evaluation.competing
    expected = stats.rankdata(errors[competing].round(11), method="min")
    np.testing.assert_array_equal(evaluation.ranks_of(ERROR)[competing], expected)
    assert (
        evaluation.winners(ERROR)[0]
        == best_first(evaluation, errors)[0]
        == evaluation.leader(ERROR)
    )
    for team in np.flatnonzero(~competing):
        assert (
            evaluation.ranks_of(ERROR)[team] == 1 + (errors[competing] < errors[team] - 1e-12).sum()
        )
    ordered = errors[list(evaluation.order(ERROR))]
    assert (np.diff(ordered[competing[list(evaluation.order(ERROR))]]) >= -1e-12).all()


def test_published_ranks_are_those_of_rounded_errors(evaluation, errors):
    """Who is level after rounding shares a rank, and the least error has the first."""
    printed = [rank.strip("=()") for rank in published_ranks(evaluation)]
    competing = evaluation.competing
    rounded = np.array(
        [round(error, evaluation.task.official_decimals) for error in errors.tolist()]
    )
    expected = stats.rankdata(rounded[competing], method="min").astype(int)
    assert [
        int(rank) for rank, there in zip(printed, competing, strict=True) if there
    ] == expected.tolist()


def test_intervals_hold_the_scores_and_the_worse_end_of_the_leaders_is_corrected(
    evaluation, errors
):
    """Zrnic and Fithian's correction moves the upper end."""
    row = evaluation.keys.index(ERROR)
    found, comparison = evaluation.certainty.intervals, evaluation.certainty.comparison(ERROR)
    assert (found.marks[row] == 0).all()
    assert ((found.lower[row] <= errors) & (errors <= found.upper[row])).all()
    leader = comparison.leader
    assert comparison.leader_interval[0] == found.lower[row, leader]
    assert comparison.leader_interval[1] >= found.upper[row, leader]


def test_separable_pairs_and_the_best_set_follow_the_direction(evaluation, errors):
    """Whoever is separably ahead errs less; the best set holds the least error."""
    comparison = evaluation.certainty.comparison(ERROR)
    ahead, behind = np.nonzero(comparison.ahead)
    assert len(ahead)
    assert (errors[ahead] < errors[behind]).all()
    first = best_first(evaluation, errors)[0]
    assert comparison.could_be_best[first]
    assert comparison.possible_ranks[first, 0] == 1


def test_standard_errors_are_those_of_the_items(campaign, evaluation):
    """Of a mean over items, paired: the deviation of the differences over √N, and the difference as it would be."""
    codes, most = campaign.predictions_of(evaluation.entries), len(campaign.task.label_set) - 1
    gold, comparison = campaign.gold.codes.astype(int), evaluation.certainty.comparison(ERROR)
    far = [np.where(each > most, most, np.abs(each.astype(int) - gold)) / most for each in codes]
    apart = far[0] - far[1]
    expected = np.sqrt((apart.var() + apart.mean() ** 2) / gold.size)
    assert comparison.standard_error[0, 1] == pytest.approx(expected)


def test_agreement_of_good_rankings_is_positive(evaluation, errors):
    """Spearman's ρ with accuracy is that of the errors with the opposite sign."""
    agreement, competing = evaluation.agreement, evaluation.competing
    rows = [agreement.keys.index(key) for key in (ERROR, ScoreKey("accuracy"))]
    accuracy = evaluation.scores_of(ScoreKey("accuracy"))[competing]
    expected = stats.spearmanr(-errors[competing].round(11), accuracy.round(11)).statistic
    assert agreement.spearman[tuple(rows)] == pytest.approx(expected)
    assert expected > 0


def test_the_first_two_are_apart_by_a_lead(evaluation, errors, campaign):
    """Power, and two teams side by side."""
    power = next(power for power in evaluation.power if power.key == ERROR)
    assert power.difference == pytest.approx(errors[power.second] - errors[power.first])
    names = [evaluation.names[team] for team in (power.first, best_first(evaluation, errors)[-1])]
    found = compare_pair(evaluation, campaign.predictions_of(evaluation.entries), *names, ERROR)
    assert found.ahead == names[0]
    assert found.difference > 0


def test_without_the_items_that_carry_it_the_rival_is_better(evaluation, campaign):
    """Leaving them out is what scikit-learn's error says too."""
    power = next(power for power in evaluation.power if power.key == ERROR)
    carried, codes = power.carried_by, campaign.predictions_of(evaluation.entries)
    gold, most = campaign.gold.codes.astype(int), len(campaign.task.label_set) - 1
    first, second = (
        np.minimum(codes[team].astype(int), most + 1) for team in (power.first, carried.rival)
    )
    kept = np.ones(gold.size, dtype=bool)
    for label, one, other, count in carried.cells:
        kept[np.flatnonzero((gold == label) & (first == one) & (second == other))[:count]] = False
    assert (~kept).sum() == carried.n_items
    left = [
        np.where(each > most, most, np.abs(each - gold))[kept].mean() for each in (first, second)
    ]
    assert left[1] < left[0]


def test_the_best_run_has_the_least_error(campaign):
    """The policy *best* picks by the direction of the metric."""
    runs = tuple(
        replace(run, team="Ada", run=str(place))
        for place, run in enumerate(campaign.submissions[:3])
    )
    every = evaluate(replace(campaign, submissions=runs))
    task = replace(campaign.task, policies=Policies(runs="best"))
    (best,) = evaluate(replace(campaign, task=task, submissions=runs)).entries
    assert best.run == every.entries[int(every.scores_of(ERROR).argmin())].run


def test_the_page_says_who_errs_least_and_by_how_much(evaluation, errors, page):
    """Leads are positive, and the columns of errors are sorted from the least on."""
    first, second = best_first(evaluation, errors)[:2]
    lead = f"{errors[second] - errors[first]:.4f}"[1:]
    assert f"{evaluation.names[first]} ranks first with " in page
    assert f" of {errors[first]:.3f}, ".replace(" 0.", " .") in page
    assert f"The lead over {evaluation.names[second]}, in second place, is {lead} (95% CI " in page
    assert "(lower is better)" in page
    assert "lower is better" in page
    assert "data-least-first" in page
    assert "lowerIsBetter" in page


def test_built_in_baselines_stand_where_their_errors_put_them(evaluation, errors):
    """No chance baseline is ahead of the winner, and the oracle is no worse than the best."""
    row = evaluation.keys.index(ERROR)
    values = {baseline.slug: baseline.values[row] for baseline in evaluation.baselines}
    assert values["uniform"] > errors.min()
    assert values["oracle"] < errors.min()


def test_it_is_kept_in_the_store_and_comes_back(tmp_path, campaign, evaluation):
    """The document that was kept is the one that was made."""
    with open_store(tmp_path / "audit.db") as store:
        store.save_campaigns(campaign)
        loaded = evaluate(store.load_campaign(campaign.task.slug), campaign.options)
        made = evaluation_document(loaded)
        store.save_evaluation(loaded, made)
    with closing(sqlite3.connect(tmp_path / "audit.db")) as connection:
        ((kept,),) = connection.execute("SELECT document FROM evaluation")
    assert json.loads(kept) == made
    np.testing.assert_array_equal(loaded.scores_of(ERROR), evaluation.scores_of(ERROR))


def test_every_command_follows_it(folder, tmp_path, evaluation, errors):
    """Run, show, compare, winners, power and what-if; export and verify."""
    store, report = tmp_path / "audit.db", tmp_path / "report.html"
    first, second = (evaluation.names[team] for team in best_first(evaluation, errors)[:2])
    assert ran("run", folder, "--store", store, "-o", report).index(first) > 0
    assert first in report.read_text(encoding="utf-8")
    shown = json.loads(ran("show", "flood-posts", "--store", store, "--json"))
    ranked = [line for line in shown["ranking"] if line["rank"]]
    assert ranked[0]["team"] == first
    assert [line["score"] for line in ranked] == sorted(line["score"] for line in ranked)
    pair = json.loads(ran("compare", "flood-posts", first, second, "--store", store, "--json"))
    assert pair["difference"] > 0
    for command in ("winners", "power"):
        assert ran(command, "flood-posts", "--store", store)
    assert first in ran("whatif", "flood-posts", "--store", store)
    folder_out = tmp_path / "paper"
    ran(
        "export",
        "flood-posts",
        folder_out,
        "--store",
        store,
        "--figures",
        "none",
        "--include-inputs",
    )
    pairs = list(
        csv.DictReader(io.StringIO((folder_out / "pairs.csv").read_text(encoding="utf-8")))
    )
    assert all(float(line["difference"]) >= -1e-12 for line in pairs)
    table = (folder_out / "main_table_narrow.tex").read_text(encoding="utf-8")
    assert table.index(first) < table.index(second)
    with ZipFile(folder_out / "bundle.zip") as bundle:
        assert any(name.endswith("evaluation.json") for name in bundle.namelist())
    assert ran("verify", folder_out / "bundle.zip")


# Further metrics beside the official one


def test_voters_and_triggers_that_are_errors_count_for_who_errs_least(evaluation):
    """Each is in the elections and among the changes of winner, on the side of its least error."""
    for key in (MACRO_ERROR, MISS_RATE):
        scores = np.where(evaluation.competing, evaluation.scores_of(key), np.inf)
        assert int(scores.argmin()) in evaluation.winners(key)
        assert any(change.keys[1] == key for change in evaluation.certainty.changes)
    assert {"macro_absolute_error", "macro_miss_rate"} <= set(
        evaluation_document(evaluation)["elections"]["metrics"]
    )
    borda = next(outcome for outcome in evaluation.elections if outcome.rule == "borda")
    worst = int(np.where(evaluation.competing, evaluation.scores_of(ERROR), -np.inf).argmax())
    assert worst not in borda.winners


def test_a_macro_average_may_be_over_named_classes(campaign):
    """The labels in brackets leave the average to these."""
    found = evaluate(campaign, also=["macro_absolute_error[damage,sympathy]"])
    labels = found.task.label_set
    codes = [labels.code_of[label] for label in ("damage", "sympathy")]
    apart = np.abs(np.arange(len(labels))[:, None] - np.arange(len(labels))) / (len(labels) - 1)
    rows = found.confusions[:, codes]
    errors = (rows[..., :-1] * apart[codes]).sum(axis=-1) + rows[..., -1]
    name = next(key for key in found.keys if key.metric.startswith("macro_absolute_error["))
    np.testing.assert_allclose(found.scores_of(name), (errors / rows.sum(axis=-1)).mean(axis=1))


def test_findings_about_a_miss_rate_are_those_about_recall():
    """Who is not above chance and baselines by recall is not below them by what recall leaves of 1."""
    gold = list("aaaabbbbcccc") * 5
    teams = {
        "Ada": gold[:-6] + list("abcabc"),
        "Bob": ["a"] * 60,
        "Cyd": gold[4:] + gold[:4],
        "Dan": [None] * 60,
    }
    found = [
        {flag.slug: flag for flag in audit.evaluate(gold, teams, official_metric=slug).flags}
        for slug in ("macro_recall", "macro_miss_rate")
    ]
    one, other = found
    assert one.keys() == other.keys()
    slug = "at-or-below-chance"
    assert "no better than chance by macro recall" in one[slug].sentence
    assert "no better than chance by macro miss rate" in other[slug].sentence
    lines = [flags[slug].evidence["submissions"] for flags in found]
    assert (
        [line["team"] for line in lines[0]]
        == [line["team"] for line in lines[1]]
        == ["Bob", "Cyd", "Dan"]
    )
    for recall, missed in zip(*lines, strict=True):
        assert missed["score"] == pytest.approx(1 - recall["score"])
        assert missed["chance"] == pytest.approx(1 - recall["chance"])


@pytest.mark.parametrize("slug", ["accuracy", "absolute_error"])
def test_where_everybody_is_wrong_nobody_wins(slug):
    """The worst score that there is crowns nobody, and is no tie."""
    found = audit.evaluate(
        list("aabb"), {"Ada": [None] * 4, "Bob": [None] * 4}, official_metric=slug
    )
    key = found.task.ranking_metric
    assert not {"tied-winners", "winner-depends-on-metric"} & {flag.slug for flag in found.flags}
    assert winners_by(found, key) == ()
    worst = "above 0" if slug == "accuracy" else "below 1"
    assert undecided(found, found.comparison(key)) == f"nobody has a score {worst}"


def test_a_team_that_errs_more_than_an_answer_at_random_is_not_below_it():
    """Always the first of four labels is off by 1/2 of the scale, and a label at random by 5/12."""
    gold = list("abcd") * 8
    found = audit.evaluate(gold, {"Ada": gold, "Bob": ["a"] * 32}, official_metric="absolute_error")
    flag = next(flag for flag in found.flags if flag.slug == "team-not-above-baseline")
    assert "Bob does not outperform “Uniform random” (.4" in flag.sentence
    levels = {
        line["baseline"]: (line["score"], line["teams"]) for line in flag.evidence["baselines"]
    }
    assert levels["Majority class"] == (0.5, ["Bob"])
    assert levels["Uniform random"] == (pytest.approx(5 / 12, abs=0.01), ["Bob"])
    assert next(iter(levels)) != "Majority class"


def test_a_score_of_cells_and_margins_has_the_slope_that_it_declares():
    """Quadratically weighted kappa: scikit-learn's, with its influence as differences of the score itself."""
    rng = np.random.default_rng(7)
    confusion = np.concatenate([rng.integers(1, 40, (4, 4)), np.zeros((4, 1), dtype=int)], axis=1)
    gold, answers = (
        np.repeat(codes.ravel(), confusion.ravel()) for codes in np.indices(confusion.shape)
    )
    labels, key = LabelSet(("a", "b", "c", "d")), ScoreKey(QUADRATIC_KAPPA.slug)
    with registered(QUADRATIC_KAPPA):
        value = score(confusion, [key], [OBSERVED], labels)[0]
        assert value == pytest.approx(cohen_kappa_score(gold, answers, weights="quadratic"))
        cells = Cells.of(confusion[None])
        found = influence(gradient_of(key.metric, Margins.of_cells(cells), labels), cells)
        for label, answer in np.ndindex(4, 5):
            step = 1e-4
            moved = np.repeat(confusion[None].astype(float), 2, axis=0)
            moved[0, label, answer] += step
            moved[1, label, answer] = max(0.0, moved[1, label, answer] - step)
            scores = score(moved, [key], [OBSERVED], labels)[0]
            width = moved[0, label, answer] - moved[1, label, answer]
            assert found.of_gold(label)[0, answer] == pytest.approx(
                (scores[0] - scores[1]) / width, abs=1e-6
            )
