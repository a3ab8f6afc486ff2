"""The numbers on the page are those of the evaluation and of both exports, at the printed precision."""

import io
import json
import math
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import audit
from audit.domain import ScoreKey
from audit.report.metrics import spearman_table
from audit.report.printing import printing
from audit.writers.data.export import evaluation_data, ranking_data, scores_csv, to_json
from audit.writers.html import render_html

from .campaigns import random_evaluation
from .document import grid, read


def printed(value, decimals=3):
    """A score as the papers print it, written down here once more."""
    if value is None or math.isnan(value):
        return "–"
    return re.sub(r"^(−?)0\.", r"\1.", f"{value:.{decimals}f}".replace("-", "−")).replace(
        "−." + "0" * decimals, "." + "0" * decimals
    )


def shared_ranks(ranks):
    """Ranks as printed: one that several have carries an equals sign."""
    times = Counter(ranks.values())
    return {team: f"{rank}{'=' if times[rank] > 1 else ''}" for team, rank in ranks.items()}


@pytest.fixture(scope="module", params=["flood", "random"])
def evaluation(request):
    """The sample, and a campaign without official decimals."""
    if request.param == "flood":
        return request.getfixturevalue("flood")
    return random_evaluation(9, 400, 4, official_metric=ScoreKey("kappa", "balanced"))


@pytest.fixture(scope="module")
def page(evaluation, flood, flood_page):
    return flood_page if evaluation is flood else read(render_html(evaluation))


@pytest.fixture(scope="module")
def exported(evaluation):
    """The evaluation through its JSON."""
    return json.loads(to_json(evaluation_data(evaluation)))


@pytest.mark.parametrize("prevalence", ["observed", "balanced"])
def test_every_metric_on_the_page_is_that_of_the_json(page, exported, prevalence):
    """All ten metrics of all teams, read back from the table."""
    table = page.by_id(f"table-metrics-{prevalence}")
    keys = [head.attributes["title"].split(":")[0] for head in table.one("thead").all("th")[1:]]
    assert len(keys) == 10
    for team, *cells in grid(page, f"table-metrics-{prevalence}").rows:
        assert cells == [printed(exported["scores"][key][team]) for key in keys]


def test_the_best_of_every_column_is_bold_and_nothing_else(page, exported):
    """Bold marks rank 1 by that metric, shared first places included."""
    table = page.by_id("table-metrics-observed")
    keys = [head.attributes["title"].split(":")[0] for head in table.one("thead").all("th")[1:]]
    for row in table.one("tbody").all("tr"):
        team, *cells = row.all("th", "td")
        if team.text.endswith("(computed)"):
            assert {cell.attributes.get("class") for cell in cells} == {"beside"}
            continue
        bold = [
            key
            for key, cell in zip(keys, cells, strict=True)
            if cell.attributes.get("class") == "best"
        ]
        assert bold == [key for key in keys if exported["ranks"][key][team.text] == 1]


def test_the_ranking_is_that_of_both_exports(page, evaluation):
    """Order, ranks, scores and unanswered items of the first table, of the JSON and of the CSV are one."""
    key = evaluation.task.ranking_metric
    data = json.loads(to_json(ranking_data(evaluation, key)))
    table = pd.read_csv(io.StringIO(scores_csv(evaluation, [key], by=key)), dtype={str(key): str})
    table, computed = table[table["role"] != "computed"], table[table["role"] == "computed"]
    assert computed["team"].tolist() == [baseline["title"] for baseline in data["baselines"]]
    assert computed[str(key)].map(float).tolist() == [
        baseline["score"] for baseline in data["baselines"]
    ]
    assert computed["rank"].isna().all()
    assert data["metric"] == str(key) == table.columns[2]
    ranks = shared_ranks({row["team"]: row["rank"] for row in data["ranking"]})
    rows = grid(page, "table-ranking").rows
    assert [row[:3] for row in rows] == [
        [ranks[entry["team"]], entry["team"], printed(entry["score"])] for entry in data["ranking"]
    ]
    assert [row[-1] for row in rows] == [
        str(entry["unanswered"] or "") for entry in data["ranking"]
    ]
    assert table["team"].tolist() == [entry["team"] for entry in data["ranking"]]
    assert table["rank"].tolist() == [entry["rank"] for entry in data["ranking"]]
    assert table[str(key)].map(float).tolist() == [entry["score"] for entry in data["ranking"]]
    assert table["unanswered"].tolist() == [entry["unanswered"] for entry in data["ranking"]]


def test_the_csv_holds_every_digit(evaluation):
    """Read back by pandas, every score is the float that was computed."""
    keys = [key for key in evaluation.keys if key.prevalence == "balanced"]
    text = scores_csv(evaluation, keys, by=ScoreKey("accuracy"))
    table = pd.read_csv(io.StringIO(text), index_col="team", dtype=str)
    table = table[table["role"] != "computed"]
    expected = evaluation.scores.loc[table.index, [str(key) for key in keys]]
    np.testing.assert_array_equal(
        table[[str(key) for key in keys]].map(float).to_numpy(), expected.to_numpy()
    )
    assert table["rank"].map(int).tolist() == evaluation.ranks.loc[table.index, "accuracy"].tolist()


def test_the_json_holds_every_digit(evaluation, exported):
    """Scores, ranks and correlations are the floats that were computed; undefined is null."""
    scores = pd.DataFrame(exported["scores"], dtype=float).loc[list(evaluation.names)]
    np.testing.assert_array_equal(scores.to_numpy(), evaluation.scores.to_numpy())
    ranks = pd.DataFrame(exported["ranks"]).loc[list(evaluation.names)]
    np.testing.assert_array_equal(ranks.to_numpy(), evaluation.ranks.to_numpy())
    np.testing.assert_array_equal(
        np.array(exported["agreement"]["spearman"], float), evaluation.correlations.to_numpy()
    )
    assert exported["items"] == evaluation.gold.n_items == sum(exported["gold_items"].values())


def test_the_agreement_matrix_is_that_of_the_json(evaluation, exported):
    """Two digits of each correlation, ≡ where the two are alike by identity, nothing on the diagonal."""
    agreement = exported["agreement"]
    rows = [row[1:] for row in spearman_table(printing(evaluation)).texts]
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            value = agreement["spearman"][i][j]
            expected = (
                "≡"
                if agreement["equal_by_identity"][i][j] and value is not None
                else printed(value, 2)
            )
            assert cell == ("" if i == j else expected)


def test_both_macro_f1s_their_gap_and_moves_add_up(page, evaluation):
    """Δ is the difference of the two scores, and the move is that of the ranks."""
    scores, ranks = evaluation.scores, evaluation.ranks
    for row in grid(page, "table-gap").rows:
        team = row[0]
        averaged, of_averages = scores.loc[team, "averaged_f1"], scores.loc[team, "f1_of_averages"]
        move = ranks.loc[team, "averaged_f1"] - ranks.loc[team, "f1_of_averages"]
        assert (row[1], row[3]) == (printed(averaged), printed(of_averages))
        assert row[5] == ("" if move == 0 else f"{move:+}".replace("-", "−"))
        gap, _, interval = row[6].partition(" ")
        assert gap.rstrip("¹²³") == printed(of_averages - averaged, 4)
        place, intervals = evaluation.names.index(team), evaluation.certainty.intervals
        upper = intervals.gap_upper[place]
        assert interval == ("" if np.isnan(upper) else f"(≤ {printed(upper, 4)})")
        assert [cell.rstrip("=") for cell in (row[2], row[4])] == [
            str(ranks.loc[team, key]) for key in ("averaged_f1", "f1_of_averages")
        ]


def test_the_pairs_that_swap_are_the_pairs_that_swap(page, evaluation):
    """Every pair listed is in one order by one macro F1 and in the other order by the other, by the leads given."""
    figures = page.where(lambda element: element.attributes.get("id") == "table-swaps")
    fired = any(flag.slug == "order-depends-on-macro-f1" for flag in evaluation.flags)
    assert len(figures) == fired
    if not fired:
        return
    scores = evaluation.scores
    rows = grid(page, "table-swaps").rows
    assert rows
    for first, lead, second, other_lead, *_ in rows:
        gained = scores.loc[first, "averaged_f1"] - scores.loc[second, "averaged_f1"]
        lost = scores.loc[second, "f1_of_averages"] - scores.loc[first, "f1_of_averages"]
        assert gained > 0
        assert lost > 0
        decimals = len(lead.split(".")[1])
        assert (lead, other_lead) == (printed(gained, decimals), printed(lost, decimals))


def test_the_classes_are_counted_from_gold_and_predictions(page, evaluation):
    """Gold items, shares, and the least, median and most of bias and recall over the teams."""
    confusions, n_items = evaluation.confusions, evaluation.gold.n_items
    gold = confusions[0].sum(axis=1)
    bias = confusions[..., :-1].sum(axis=1) / n_items
    recall = np.diagonal(confusions, axis1=1, axis2=2) / gold
    for code, row in enumerate(grid(page, "table-classes").rows):
        assert row[0] == evaluation.task.label_set.labels[code]
        assert row[1:3] == [f"{gold[code]:,}", printed(gold[code] / n_items)]
        spreads = [
            (values.min(), np.median(values), values.max())
            for values in (bias[:, code], recall[:, code])
        ]
        assert row[3:] == [printed(value) for spread in spreads for value in spread]


def test_class_recall_and_precision_are_counted_from_predictions(page, evaluation):
    """A class that a team never predicts says so in place of its precision."""
    confusions = evaluation.confusions
    right = np.diagonal(confusions, axis1=1, axis2=2)
    bias, gold = confusions[..., :-1].sum(axis=1), confusions.sum(axis=2)
    recall, precision = (grid(page, f"table-{name}").named() for name in ("recall", "precision"))
    for team, name in enumerate(evaluation.names):
        assert recall[name][1:] == [printed(value) for value in right[team] / gold[team]]
        assert precision[name][1:] == [
            printed(hits / said) if said else "never"
            for hits, said in zip(right[team], bias[team], strict=True)
        ]


def test_never_predicted_occurs_in_the_sample(flood_page):
    """The law above has met a class that a team never predicts."""
    assert "never" in grid(flood_page, "table-precision").named()["Delta4"]


def test_undefined_is_a_dash():
    """A class without gold has no recall: the page prints a dash, the JSON null, and the CSV nothing."""
    evaluation = audit.evaluate(
        ["a", "b"] * 30,
        {"X": ["a", "b"] * 30, "Y": ["c", "b"] * 30},
        labels=["a", "b", "c"],
        official_metric="accuracy",
    )
    page = read(render_html(evaluation))
    assert grid(page, "table-recall").column("c") == ["–", "–"]
    assert grid(page, "table-precision").column("c") == ["–", "–"]
    assert grid(page, "table-classes").named()["c"][6:] == ["–"] * 3
    assert set(evaluation_data(evaluation)["scores"]["recall[c]"].values()) == {None}
    table = pd.read_csv(
        io.StringIO(scores_csv(evaluation, [ScoreKey("recall[c]")], by=ScoreKey("accuracy")))
    )
    assert table["recall[c]"].isna().all()


def test_correlations_of_two_teams_are_undefined():
    """Fewer than three teams have no rank correlation: dashes, nulls, and a caption that says why."""
    evaluation = audit.evaluate(["a", "b"] * 30, {"X": ["a", "b"] * 30, "Y": ["a", "a"] * 30})
    table = spearman_table(printing(evaluation))
    cells = {cell for row in table.texts for cell in row[1:]}
    assert cells == {"", "–"}
    assert "fewer than three teams" in table.caption
    correlations = evaluation_data(evaluation)["agreement"]["spearman"]
    assert {
        value for i, row in enumerate(correlations) for j, value in enumerate(row) if i != j
    } == {None}


def test_identity_is_told_from_accident(spotless):
    """Macro recall is the same balanced or not, whatever the teams; accuracy and kappa only rank these alike."""
    table = spearman_table(printing(spotless))
    names = [column.title.split(":")[0] for column in table.columns[1:]]
    rows = [row[1:] for row in table.texts]

    def cell(first, second):
        return rows[names.index(first)][names.index(second)]

    assert cell("macro_recall", "macro_recall~") == cell("macro_recall~", "macro_recall") == "≡"
    assert cell("macro_recall", "macro_precision") == "1.00"
    assert cell("averaged_f1", "f1_of_averages") == "1.00"


def test_official_decimals_add_the_ranking_as_published(flood, flood_page):
    """Ranks on rounded scores stand beside those on full precision, and only where the task states its decimals."""
    scores = flood.scores[str(flood.task.ranking_metric)].round(flood.task.official_decimals)
    ranks = shared_ranks(scores.rank(method="min", ascending=False).astype(int).to_dict())
    table = grid(flood_page, "table-ranking")
    assert dict(zip(table.column("Team"), table.column("As published"), strict=True)) == ranks
    assert table.column("As published") != table.column("Rank")
    unstated = audit.evaluate(["a", "b"] * 30, {"X": ["a", "b"] * 30})
    assert "As published" not in grid(read(render_html(unstated)), "table-ranking").heads


@pytest.mark.parametrize("decimals", [1, 2, 5])
def test_official_decimals_decide_how_scores_print(decimals):
    """The page prints as many digits as the campaign publishes."""
    evaluation = audit.evaluate(
        ["a", "b", "b"] * 7,
        {"X": ["a", "b", "a"] * 7},
        official_metric="accuracy",
        official_decimals=decimals,
    )
    assert grid(read(render_html(evaluation)), "table-ranking").rows[0][2] == printed(
        2 / 3, decimals
    )


def test_a_named_prevalence_has_a_table_of_its_own():
    """Beside observed and balanced, with its shares in the caption and the rules."""
    evaluation = audit.evaluate(
        ["a", "b", "b"] * 20,
        {"X": ["a", "b", "a"] * 20, "Y": ["b", "b", "b"] * 20, "Z": ["a", "a", "b"] * 20},
        prevalences={"street": {"a": 3, "b": 1}},
    )
    page = read(render_html(evaluation))
    (figure,) = [figure for figure in page.all("figure") if "named" in figure.attributes["id"]]
    table = grid(page, figure.attributes["id"])
    key = ScoreKey("accuracy", "street")
    assert table.column("Acc@street") == [
        printed(evaluation.scores_of(key)[team])
        for team in evaluation.order(evaluation.task.ranking_metric)
    ]
    assert "“street” (a .750, b .250)" in figure.one("figcaption").text
    assert "“street”: a .750, b .250" in page.by_id("method").text


def test_certainty_without_a_defined_score_is_reported_as_undefined():
    """The official metric is of a class that gold lacks: no interval, no possible ranks, and no crash."""
    evaluation = audit.evaluate(
        ["a", "b"] * 30,
        {"X": ["a", "b"] * 30, "Y": ["a", "a"] * 30},
        labels=["a", "b", "c"],
        official_metric="f1[c]",
    )
    page = read(render_html(evaluation))
    table = grid(page, "table-ranking")
    assert table.column("95% CI") == ["–", "–"]
    assert not {"Possible ranks", "Adjusted p"} & set(table.heads)
    assert (
        "nothing is compared in pairs: fewer than two have a defined score"
        in page.by_id("ahead").text
    )


def rare_among_twenty():
    """Twenty classes, of which one has two gold items, and two teams."""
    gold = [f"c{item % 19:02}" for item in range(380)] + ["c19"] * 2
    answers = {"A": gold[:], "B": gold[:]}
    answers["A"][5:60:7], answers["B"][3:380:4] = ["c00"] * 8, ["c01"] * 95
    return gold, answers


@pytest.mark.parametrize(
    ("metric", "has_interval"), [("macro_recall", True), ("geometric_macro_recall", False)]
)
def test_a_rough_interval_is_marked_and_explained(metric, has_interval):
    """With the mark of its reason behind it, or behind a dash where there is none; the leader's carries its own too."""
    gold, answers = rare_among_twenty()
    evaluation = audit.evaluate(gold, answers, official_metric=metric)
    page = read(render_html(evaluation))
    table = grid(page, "table-ranking")
    shown = dict(zip(table.column("Team"), table.column("95% CI"), strict=True))
    assert set(evaluation.marks[metric]) == {"rare-class"}
    assert shown["A"].endswith("]*¹" if has_interval else "–¹")
    assert shown["B"].endswith("]¹" if has_interval else "–¹")
    note = page.by_id("table-ranking").all("p")[-1].text
    assert "¹ a class has fewer than 5 gold items: the interval is rough" in note
    data = evaluation_data(evaluation)["certainty"]["intervals"]
    assert data["marks"][metric] == {"A": "rare-class", "B": "rare-class"}
    assert (data["scores"][metric]["B"][0] is not None) == has_interval


def test_every_score_of_the_sample_has_an_interval(flood, flood_page):
    """And no mark but that of the leader's."""
    table = grid(flood_page, "table-ranking")
    shown = dict(zip(table.column("Team"), table.column("95% CI"), strict=True))
    leader = flood.names[flood.comparison("averaged_f1").leader]
    assert {name for name, text in shown.items() if text.endswith("*")} == {leader}
    assert all(text.rstrip("*").endswith("]") for text in shown.values())
    note = " ".join(each.text for each in flood_page.all("p"))
    assert "¹" not in flood_page.by_id("table-ranking").all("p")[-1].text
    assert "* its interval is corrected for selection" in note


def test_what_holds_given_that_a_class_is_never_predicted_is_a_footnote():
    """The narrower interval of macro precision, of the team that never predicts a class, and of no other."""
    gold = ["a"] * 40 + ["b"] * 30 + ["c"] * 20
    answers = {"A": ["a"] * 35 + ["b"] * 30 + ["c"] * 25, "Never": ["a"] * 45 + ["b"] * 45}
    evaluation = audit.evaluate(gold, answers, official_metric="macro_precision")
    note = read(render_html(evaluation)).by_id("table-ranking").all("p")[-1].text
    row, team = evaluation.row(evaluation.task.ranking_metric), evaluation.entry_number("Never")
    intervals = evaluation.certainty.intervals
    lower, upper = intervals.lower[row, team], intervals.upper_if_never[row, team]
    ends = f"Never {printed(lower)} to {printed(upper)}"
    assert f"Given that a team never predicts a class that it did not predict here: {ends}." in note
    assert upper < intervals.upper[row, team]
    data = evaluation_data(evaluation)["certainty"]["intervals"]["upper_if_never"]
    assert data["macro_precision"] == {"Never": upper}


HEADS_OF_CERTAINTY = ("95% CI", "In the confidence set", "Possible ranks")


def test_the_ranking_shows_what_the_certainty_knows(flood, flood_page):
    """Read back from the page; the leader's interval is the corrected one, and has its mark."""
    comparison, ends = flood.comparison("averaged_f1"), flood.intervals["averaged_f1"]
    table = grid(flood_page, "table-ranking")
    columns = [
        dict(zip(table.column("Team"), table.column(head), strict=True))
        for head in HEADS_OF_CERTAINTY
    ]
    for team, name in enumerate(flood.names):
        lower, upper = ends.loc[name]
        leads = team == comparison.leader
        if leads:
            lower, upper = comparison.leader_interval
            assert lower < ends.loc[name, "lower"]
        interval = "–²" if np.isnan(lower) else f"[{printed(lower)}, {printed(upper)}]{'*' * leads}"
        first, last = comparison.possible_ranks[team]
        ranks = str(first) if first == last else f"{first}–{last}"
        expected = [interval, "●" * bool(comparison.could_be_best[team]), ranks]
        assert [column[name] for column in columns] == expected


def p_of(adjusted):
    """Three decimals below .1, else two; never 0 and never 1."""
    if adjusted < 0.001:
        return "<.001"
    return (
        ">.99"
        if adjusted > 0.99
        else f"{adjusted:.{3 if adjusted < 0.1 else 2}f}".removeprefix("0")
    )


def test_the_certainty_says_how_far_each_is_behind(flood, flood_page):
    """The difference from the first with its interval, and the adjusted p, by the test that decides."""
    comparison, scores = flood.comparison("averaged_f1"), flood.scores["averaged_f1"]
    table = grid(flood_page, "table-ranking")
    rows = table.named(1)
    for team, name in enumerate(flood.names):
        behind, p = (
            rows[name][table.heads.index(head)] for head in ("Behind the first", "Adjusted p")
        )
        if team == comparison.leader:
            assert (behind, p) == ("", "")
            continue
        place = comparison.leader, team
        ends = f"{printed(comparison.difference_lower[place])} to {printed(comparison.difference_upper[place])}"
        assert behind == f"{printed(scores.max() - scores[name])} ({ends})"
        adjusted = comparison.adjusted_p[comparison.leader, team]
        assert p == p_of(adjusted)
