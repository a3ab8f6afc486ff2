"""Scores of any scorer, and ratings, from arrays to a report: what is said, and what is refused."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audit
from audit.errors import UsageError

GOLD = np.array([0.1, 0.5, 0.4, 0.9, 0.7, 0.2, 0.3, 0.8])
RATED = {"A": GOLD + 0.1 * np.array([1, -1, 1, -1, 1, -1, 1, -2]), "B": GOLD[::-1] + 0.05}
SCORED = {"A": {"BLEU": [40.0, 20.0, 30.0]}, "B": {"BLEU": [10.0, 30.0, 20.0]}}


def _report_text(evaluation: audit.Evaluation, folder: Path) -> str:
    path = folder / "report.html"
    audit.write_report(evaluation, path)
    html = re.sub(
        r"<(script|style)[^>]*>.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    return re.sub(r"<[^>]+>", " ", html)


def _campaign(kind: str) -> audit.Evaluation:
    rng = np.random.default_rng(1)
    gold = rng.normal(size=120)
    predicted = {f"t{number}": gold + rng.normal(size=120) * (1 + number) for number in range(3)}
    settings: dict[str, Any] = {
        "groups": np.repeat(np.arange(30), 4),
        "slices": {"lang": ["de", "en"] * 60},
    }
    if kind == "ratings":
        return audit.evaluate_ratings(gold, predicted, roles={"t2": "baseline"}, **settings)
    columns = {"COMET": {"range": (-20, 20)}, "MQM": {"better": "lower"}}
    teams = {
        team: {"COMET": values, "MQM": np.abs(values - gold)} for team, values in predicted.items()
    }
    return audit.evaluate_scores(
        teams, columns=columns, official_metric="COMET", roles={"t2": "baseline"}, **settings
    )


# What is said


@pytest.mark.parametrize("kind", ["ratings", "scores"])
def test_no_sentence_of_the_page_speaks_of_classes(kind: str, tmp_path: Path) -> None:
    text = _report_text(_campaign(kind), tmp_path)
    signature = re.search(r"official:\S+", text)
    assert signature is not None
    said = text.replace(signature[0], "").replace("there are no classes", "")
    foreign = re.compile(r"\b(class|classes|labels?|confusion|prevalence|macro)\b", re.IGNORECASE)
    assert not foreign.search(said.replace(_LEFT_OUT, ""))
    assert said.count(_LEFT_OUT) == 1


_LEFT_OUT = "confusions, other class distributions, chance and the two formulas of macro F1:"


def test_columns_whose_direction_is_known_by_name_are_told(tmp_path: Path) -> None:
    teams = {team: {"BLEU": rows["BLEU"], "TER": [1.0, 2.0, 3.0]} for team, rows in SCORED.items()}
    evaluation = audit.evaluate_scores(teams, official_metric="TER")
    assert evaluation.task.assumptions == (
        "By its name, higher is better for “BLEU”.",
        "By its name, lower is better for “TER”.",
    )
    assert "higher is better for “BLEU”" in _report_text(evaluation, tmp_path)


def test_an_item_that_no_team_has_is_left_out_for_all_and_counted() -> None:
    evaluation = audit.evaluate_scores(
        {"A": [1.0, np.nan, 3.0], "B": [2.0, None, 2.0]}, columns={"score": _HIGHER}
    )
    assert evaluation.gold.n_items == 2
    assert evaluation.task.assumptions == ("No team has a number for 1 item, left out for all.",)
    assert evaluation.scores["score"].tolist() == [2, 2]


_HIGHER = {"better": "higher"}


def test_the_ranking_metric_of_ratings_is_spearmans_unless_it_is_stated() -> None:
    assert str(audit.evaluate_ratings(GOLD, RATED).task.ranking_metric) == "spearman"
    by_error = audit.evaluate_ratings(GOLD, RATED, official_metric="rmse")
    assert by_error.ranks["rmse"].to_dict() == {"A": 1, "B": 2}


def test_winners_by_a_score_of_which_less_is_better_count_though_all_are_below_0() -> None:
    evaluation = audit.evaluate_scores(
        {"A": {"MQM": [-5.0, -1.0, -3.0]}, "B": {"MQM": [-9.0, -2.0, -3.0]}},
        columns={"MQM": _HIGHER},
    )
    assert evaluation.verdict.winners == (0,)


def test_a_copy_of_gold_is_asked_about() -> None:
    evaluation = audit.evaluate_ratings(GOLD, {**RATED, "copy": GOLD})
    assert "but its file agrees with gold on all 8 items" in evaluation.verdict.sentence


def test_identical_numbers_of_two_teams_are_found_and_others_are_not() -> None:
    twins = audit.evaluate_ratings(GOLD, {**RATED, "C": RATED["A"]})
    assert [
        flag.evidence["groups"][0]["teams"]
        for flag in twins.flags
        if flag.slug == "identical-submissions"
    ] == [["A", "C"]]
    assert "identical-submissions" not in {
        flag.slug for flag in audit.evaluate_ratings(GOLD, RATED).flags
    }


def test_correlations_between_metrics_are_of_all_columns() -> None:
    evaluation = _campaign("ratings")
    assert evaluation.correlations.shape == (7, 7)
    assert not evaluation.agreement.identical[~np.eye(7, dtype=bool)].any()


# Missing numbers


def test_missing_predictions_count_as_the_mean_or_are_left_out_as_is_stated() -> None:
    rated = {**RATED, "B": RATED["B"].copy()}
    rated["B"][:2] = np.nan
    filled = np.where(np.isnan(rated["B"]), np.nanmean(rated["B"]), rated["B"])
    by_mean = audit.evaluate_ratings(GOLD, rated, missing="mean")
    assert by_mean.scores.loc["B", "rmse"] == pytest.approx(np.sqrt(((filled - GOLD) ** 2).mean()))
    dropped = audit.evaluate_ratings(GOLD, rated, missing="drop")
    assert dropped.scores.loc["B", "rmse"] == pytest.approx(
        np.sqrt(((rated["B"] - GOLD)[2:] ** 2).mean())
    )
    assert not dropped.comparable[1]
    assert dropped.entries[1].n_missing == 2


def test_missing_scores_count_as_the_worst_of_the_range() -> None:
    teams = {"A": {"BLEU": [40.0, 20.0, 30.0]}, "B": {"BLEU": [10.0, np.nan, 20.0]}}
    evaluation = audit.evaluate_scores(
        teams, columns={"BLEU": {"range": (0, 100)}}, missing="worst"
    )
    assert evaluation.scores["BLEU"].tolist() == [30, 10]


def test_frames_are_aligned_by_index() -> None:
    first = pd.DataFrame({"BLEU": [10.0, 20.0]}, index=["x", "y"])
    second = pd.DataFrame({"BLEU": [1.0, 2.0]}, index=["y", "x"])
    together = audit.evaluate_scores({"A": first, "B": second}, weights=[1, 3])
    assert together.scores["BLEU"].tolist() == [17.5, 1.25]
    gold = pd.Series([1.0, 2.0, 4.0], index=list("abc"))
    ratings = audit.evaluate_ratings(gold, {"A": pd.Series([4.0, 2.0, 1.0], index=list("cba"))})
    assert ratings.scores.loc["A", "rmse"] == 0


# What is refused


_WITH_GAP = {"A": [1.0, 2.0], "B": [np.nan, 1.0]}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: audit.evaluate_scores({"A": {"MQM": [1.0, 2.0]}}),
            "Is a higher or a lower “MQM” better",
        ),
        (
            lambda: audit.evaluate_scores(SCORED, columns={"BLEUX": _HIGHER}),
            "no column “BLEUX”. Did you mean “BLEU”",
        ),
        (
            lambda: audit.evaluate_scores({"A": {"BLEU": [1.0], "TER": [1.0]}}),
            "By which column do teams rank",
        ),
        (
            lambda: audit.evaluate_scores(_WITH_GAP, columns={"score": _HIGHER}),
            "“B” has no number for 1 item. State",
        ),
        (
            lambda: audit.evaluate_scores(_WITH_GAP, columns={"score": _HIGHER}, missing="worst"),
            "needs the range of “score”",
        ),
        (
            lambda: audit.evaluate_scores(_WITH_GAP, columns={"score": _HIGHER}, missing="mean"),
            "missing is 'worst'",
        ),
        (
            lambda: audit.evaluate_scores(_WITH_GAP, columns={"score": _HIGHER}, missing="reject"),
            "“reject” refuses that",
        ),
        (
            lambda: audit.evaluate_scores(SCORED, columns={"BLEU": {"range": (0, 1)}}),
            "“A” has 40 and 2 more as “BLEU”",
        ),
        (
            lambda: audit.evaluate_scores(SCORED, columns={"BLEU": {"range": (1, 0)}}),
            "range is two numbers",
        ),
        (
            lambda: audit.evaluate_scores(SCORED, columns={"BLEU": {"range": "wide"}}),
            "range is two numbers",
        ),
        (
            lambda: audit.evaluate_scores(SCORED, columns={"BLEU": {"better": "more"}}),
            'better is "higher" or "lower"',
        ),
        (lambda: audit.evaluate_scores(SCORED, columns={"BLEU": 1}), "is a mapping like"),
        (lambda: audit.evaluate_scores(SCORED, weights=[1, 2]), "Found 2 weights for 3 items"),
        (lambda: audit.evaluate_scores(SCORED, weights=[1, 0, 2]), "weights are numbers above 0"),
        (lambda: audit.evaluate_scores(SCORED, official_metric="chrF"), "chrF"),
        (lambda: audit.evaluate_scores(SCORED, roles={"C": "baseline"}), "no team is called that"),
        (lambda: audit.evaluate_scores({}), "expected a mapping of teams to numbers"),
        (
            lambda: audit.evaluate_scores({**SCORED, "C": {"TER": [1.0] * 3}}),
            "“C” has the columns “TER”",
        ),
        (
            lambda: audit.evaluate_scores({**SCORED, "C": {"BLEU": [1.0]}}),
            "“C” has 1 item, and “A” has 3",
        ),
        (
            lambda: audit.evaluate_scores({"A": {"BLEU": [1.0, np.inf]}}),
            "an infinite number for item 1",
        ),
        (lambda: audit.evaluate_scores({"A": {"BLEU": ["high"]}}), "no number"),
        (lambda: audit.evaluate_scores({"A": {"BLEU": "high"}}), "expected a list"),
        (lambda: audit.evaluate_ratings([1.0, np.nan], {"A": [1.0, 2.0]}), "no number for item 1"),
        (lambda: audit.evaluate_ratings([1.0, np.inf], {"A": [1.0, 2.0]}), "infinite number"),
        (
            lambda: audit.evaluate_ratings([1.0, 2.0], {"A": [1.0]}),
            "“A” has 1 number, and gold has 2 items",
        ),
        (
            lambda: audit.evaluate_ratings([3.0, 3.0], {"A": [1.0, 2.0]}),
            "The gold is 3 for every item",
        ),
        (
            lambda: audit.evaluate_ratings([1.0, 2.0], {"A": [np.nan, np.nan]}, missing="mean"),
            "“A” has no number for any item",
        ),
        (
            lambda: audit.evaluate_ratings(
                pd.Series([1.0], index=["x"]), {"A": pd.Series([1.0], index=["y"])}
            ),
            "an item twice, or one that gold lacks",
        ),
    ],
)
def test_what_cannot_be_used_is_said(call: Any, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        call()


def test_constant_gold_leaves_errors_defined() -> None:
    evaluation = audit.evaluate_ratings([3.0, 3.0], {"A": [1.0, 2.0]}, official_metric="rmse")
    assert evaluation.scores.loc["A", "rmse"] == pytest.approx(np.sqrt(2.5))
    assert np.isnan(evaluation.scores.loc["A", "pearson"])
