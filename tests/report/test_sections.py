"""What the page draws and counts, against the evaluation and against libraries that computed it independently."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import norm, spearmanr
from sklearn.metrics import f1_score

import audit
from audit.document import Axis, Curve, PairMap, Shape, ShareBars, Table
from audit.domain import Options, ScoreKey
from audit.evaluation import evaluate
from audit.findings.numbers_in_words import p_text
from audit.ranking.prevalence_shift import first_under
from audit.report.board import board_of
from audit.report.classes_section import class_strip
from audit.report.macro_f1_section import (
    both_scores,
    gain_table,
    macro_f1_answer,
    most_gaining,
    rank_moves,
)
from audit.report.metric_agreement import (
    compared_metrics,
    correlation_matrix,
    correlations,
    rank_ranges,
)
from audit.report.metric_columns import column_label, metric_columns
from audit.report.page import document_of
from audit.report.pairs_section import forest, pair_map
from audit.report.plots import LinearAxis, first_rows, winner_colours
from audit.report.power_section import detection_probability
from audit.report.printing import printing
from audit.report.winner_by_metric import rank_matrix, winners_by_state
from audit.writers.html import render_html

from .campaigns import random_campaign, random_evaluation, spotless_evaluation
from .parts import every, section_of, table_of

KEY = ScoreKey("averaged_f1")


@pytest.fixture(scope="module")
def crowd():
    """Thirty teams, the last of them worse than answering at random."""
    return evaluate(random_campaign(30, 600, 4, quality=(0.9, 0.0)))


def values_at(axis: Axis, shapes: tuple[Shape, ...], kind: str) -> list[float]:
    """The values at which shapes of one kind stand, read off the ticks as a reader would."""
    places = [place for place, _ in axis.ticks]
    values = [float(text.replace("−", "-")) for _, text in axis.ticks]
    slope, start = np.polyfit(places, values, 1)
    return [
        start + slope * place
        for shape in shapes
        if shape.kind == kind
        for place in (shape.start, shape.end)
    ]


# Axes and colours


@pytest.mark.parametrize(
    "ends", [(0.61, 0.79), (0.0, 1.0), (-0.3, 0.2), (12.0, 260.0), (0.7012, 0.7019), (5.0, 5.0)]
)
def test_ticks_are_round_numbers_in_their_places(ends):
    """At least two, at most eight, each where its printed number says, to the rounding of the place."""
    axis = LinearAxis.around(ends)
    ticks = axis.axis.ticks
    assert 2 <= len(ticks) <= 8
    for place, text in ticks:
        assert place == pytest.approx(axis.place(float(text.replace("−", "-"))), abs=0.02)


def test_ranks_have_whole_ticks():
    """Half a rank is none, however few ranks there are."""
    assert [text for _, text in LinearAxis.of_ranks(3).axis.ticks] == ["1", "2", "3"]


def test_an_axis_without_values_is_there_all_the_same():
    """Undefined scores are left out, and nothing is divided by zero."""
    assert LinearAxis.around([np.nan]) == LinearAxis(0.0, 1.0)


def test_first_rows_keep_whoever_must_not_be_left_out():
    """In the order of the ranking, each once."""
    assert first_rows((5, 4, 3, 2, 1), 2, also=(1, 4)) == (5, 4, 1)


def test_each_winner_has_one_colour_and_the_official_one_the_first(flood):
    """No two of the first four share one."""
    colours = winner_colours(flood)
    (official,) = flood.winners(KEY)
    assert colours[official] == "w0"
    coloured = [colour for colour in colours.values() if colour != "wo"]
    assert len(set(coloured)) == len(coloured) <= 4


# The ranking


def test_the_board_has_every_team_in_order_with_its_interval(flood):
    """Scores and ends as drawn are those of the evaluation, the first's interval corrected."""
    board = board_of(printing(flood))
    teams = [row for row in board.rows if row.kind == "team" or row.rank.isdigit()]
    assert [row.name for row in teams] == [flood.names[team] for team in flood.order(KEY)]
    comparison, ends = flood.comparison(KEY), flood.intervals["averaged_f1"]
    for row in teams:
        if not row.shapes:
            assert row.off_scale
            continue
        (score, _) = values_at(board.axis, row.shapes, "dot")
        lower, upper = values_at(board.axis, row.shapes, "line")
        expected = tuple(ends.loc[row.name].fillna(flood.scores.loc[row.name, "averaged_f1"]))
        if row.wins:
            expected = comparison.leader_interval
        np.testing.assert_allclose(score, flood.scores.loc[row.name, "averaged_f1"], atol=4e-4)
        np.testing.assert_allclose((lower, upper), expected, atol=4e-4)


def test_the_confidence_set_is_shaded_and_nothing_else(flood):
    """Iff the comparison has the team in it."""
    in_set = flood.comparison(KEY).could_be_best
    for row in board_of(printing(flood)).rows:
        if row.name in flood.names:
            assert bool(row.confidence) == bool(in_set[flood.names.index(row.name)])


def test_baselines_stand_at_their_scores(flood):
    """Each row's score is not above that of the row before it; the oracle is no row."""
    rows = board_of(printing(flood)).rows
    scores = [float("0" + row.score.rstrip("*¹²³⁴⁵⁶")) for row in rows]
    assert scores == sorted(scores, reverse=True)
    baselines = [row.name for row in rows if row.kind == "baseline" and row.rank == "–"]
    assert {"Majority class", "Uniform random", "Random by prevalence"} <= set(baselines)
    assert not any("Oracle" in name for name in baselines)


def test_of_many_teams_the_first_and_those_below_a_baseline_have_rows(crowd):
    """The others are one row that counts them, between the scores of the first and the last of them."""
    show = printing(crowd)
    rows = board_of(show).rows
    (summary,) = [row for row in rows if row.kind == "summary"]
    shown = {row.name for row in rows if row.kind == "team"}
    hidden = [team for team in show.order if crowd.names[team] not in shown]
    scores = crowd.scores_of(KEY)
    assert summary.name.startswith(f"{len(hidden)} teams more, ")
    assert summary.name.endswith(
        f"{show.score(scores[hidden[0]])} to {show.score(scores[hidden[-1]])}"
    )
    assert {crowd.names[team] for team in show.order[:15]} <= shown
    best_baseline = max(
        baseline.values[crowd.row(KEY)] for baseline in crowd.baselines if baseline.slug != "oracle"
    )
    assert all(scores[team] > best_baseline for team in hidden)


# Macro F1


def test_both_scores_are_drawn_and_printed(flood):
    """The filled point at macro F1, the open one at F1 of averages; the numbers beside them agree."""
    table = both_scores(printing(flood))
    axis = table.columns[1].axis
    for name, drawn, scores, _ in table.rows:
        one, other = flood.scores.loc[name.text, ["averaged_f1", "f1_of_averages"]]
        np.testing.assert_allclose(values_at(axis, drawn.shapes, "dot")[0], one, atol=4e-4)
        np.testing.assert_allclose(values_at(axis, drawn.shapes, "ring")[0], other, atol=4e-4)
        assert scores.text == f"{one:.3f} → {other:.3f}".replace("0.", ".")


def test_the_class_table_explains_both_scores_of_who_gains_most(flood):
    """Its mean F1 is macro F1; the harmonic mean of its mean precision and recall is F1 of averages."""
    show = printing(flood)
    team = most_gaining(show)
    gain = flood.scores["f1_of_averages"] - flood.scores["averaged_f1"]
    assert flood.names[team] == gain.idxmax()
    table = gain_table(show, team)
    _, precision, recall, f1 = (cell.text for cell in table.rows[-1])
    p, r = float(precision), float(recall)
    assert f1 == show.score(flood.scores.iloc[team]["averaged_f1"])
    assert 2 * p * r / (p + r) == pytest.approx(flood.scores.iloc[team]["f1_of_averages"], abs=1e-3)


def test_where_both_formulas_rank_alike_a_sentence_says_so():
    """And nothing is drawn."""
    evaluation = spotless_evaluation()
    moves = rank_moves(evaluation)
    assert not moves.any()
    assert macro_f1_answer(evaluation, moves).startswith("No: both formulas rank all ")
    assert table_of(section_of(document_of(evaluation), "macro-f1"), "table-both-macro-f1s") is None


def test_without_a_test_a_change_of_winner_is_not_called_significant(flood):
    """Nor not significant."""
    answer = macro_f1_answer(flood.given(certainty=None), rank_moves(flood))
    assert answer.startswith("The winner changes (not tested): ")


# Metrics


def test_the_rank_matrix_has_the_ranks_and_colours_the_winners(flood):
    """A cell is coloured iff the team is first by that metric."""
    table = rank_matrix(printing(flood))
    heads = {column.label: place for place, column in enumerate(table.columns)}
    for label, key in (
        ("Macro F1", "averaged_f1"),
        ("Accuracy", "accuracy"),
        ("Macro recall", "macro_recall"),
    ):
        for row in table.rows:
            cell, rank = row[heads[label]], flood.ranks.loc[row[0].text, key]
            assert int(cell.text.rstrip("=*")) == rank
            assert cell.style.startswith("win") == (rank == 1)


def test_a_star_stands_where_the_first_is_significantly_ahead_of_all():
    """By the metric of that column."""
    evaluation = evaluate(random_campaign(4, 600, 2, quality=(0.95, 0.5)))
    assert evaluation.comparison(KEY).contenders == evaluation.winners(KEY)
    (starred,) = [row for row in rank_matrix(printing(evaluation)).rows if row[1].text == "1*"]
    assert starred[0].text == evaluation.names[evaluation.winners(KEY)[0]]


def test_correlations_are_scipy_s(flood):
    """Of the scores of the ranked teams, in the lower triangle alone."""
    keys = compared_metrics(flood)
    rho = correlations(flood, keys)
    ranked = flood.ranked
    for row, one in enumerate(keys):
        for column, other in enumerate(keys[:row]):
            expected = spearmanr(
                flood.scores_of(one)[ranked].round(12), flood.scores_of(other)[ranked].round(12)
            )
            assert rho[row, column] == pytest.approx(expected.statistic, abs=1e-9)
    table = correlation_matrix(printing(flood), keys, rho)
    for row, cells in enumerate(table.rows):
        assert all(cell.text for cell in cells[: row + 2])
        assert not any(cell.text for cell in cells[row + 2 :])


def test_the_answer_names_the_lowest_correlation(flood):
    """It is the smallest number of the matrix."""
    keys = compared_metrics(flood)
    lowest = np.nanmin(correlations(flood, keys))
    (answer,) = section_of(document_of(flood), "agreement").answer
    assert f"(ρ = {lowest:.2f})".replace("0.", ".") in answer


def test_rank_ranges_span_the_ranks_over_all_metrics(flood):
    """From the best to the worst."""
    keys = compared_metrics(flood)
    table = rank_ranges(printing(flood), keys)
    ranks = flood.ranks[[str(key) for key in keys]]
    for name, drawn, best, worst in table.rows:
        of_team = ranks.loc[name.text]
        assert (int(best.text), int(worst.text)) == (of_team.min(), of_team.max())
        np.testing.assert_allclose(
            values_at(table.columns[1].axis, drawn.shapes, "line"),
            (of_team.min(), of_team.max()),
            atol=0.02,
        )


def test_two_teams_have_no_correlation_and_the_page_says_why():
    """The whole table is there, with dashes."""
    evaluation = audit.evaluate(["a", "b"] * 30, {"X": ["a", "b"] * 30, "Y": ["a", "a"] * 30})
    (answer,) = section_of(document_of(evaluation), "agreement").answer
    assert "fewer than three teams" in answer


# Class distributions


def test_shares_are_those_of_the_winner_map(flood):
    """Each bar fills its width; a team's part is the share of draws that it wins."""
    (bars,) = every(document_of(flood), ShareBars)
    for (_, parts), won in zip(
        bars.bars, (flood.winner_map.nearby, flood.winner_map.uniform), strict=True
    ):
        assert sum(part.share for part in parts) == pytest.approx(1, abs=1e-3)
        for part in parts:
            expected = won[flood.names.index(part.name)]
            assert part.share == pytest.approx(expected / won.sum(), abs=1e-4)


def test_the_smallest_change_makes_another_win(flood):
    """Under the shares that the table prints, recomputed from the items, another team is first."""
    table = table_of(document_of(flood), "table-smallest-change")
    shift = flood.winner_map.nearest
    changes = {
        row[0].text: int(row[3].text.replace("−", "-").replace("+", "")) for row in table.rows
    }
    labels = flood.task.label_set.labels
    expected = (shift.shares - flood.winner_map.reference) * flood.gold.n_items
    for label, change in changes.items():
        assert change == pytest.approx(expected[labels.index(label)], abs=1)
    (first,) = first_under(flood, shift.shares[None], "averaged_f1")
    assert set(np.flatnonzero(first)) == set(shift.winners)
    assert not set(shift.winners) & set(flood.winners(KEY))


# Classes


def test_class_scores_are_those_of_scikit_learn():
    """The winner's F1 in each class, and who is best at it."""
    campaign = random_campaign(5, 400, 3)
    evaluation = evaluate(campaign)
    winner = evaluation.winners(KEY)[0]
    table = class_strip(printing(evaluation))
    scores = {
        submission.team: f1_score(
            campaign.gold.codes, submission.codes, labels=[0, 1, 2], average=None
        )
        for submission in campaign.submissions
    }
    for code, row in enumerate(table.rows):
        best = max(scores, key=lambda name: scores[name][code])
        assert row[3].text == f"{scores[evaluation.names[winner]][code]:.3f}".removeprefix("0")
        assert row[4].text == f"{best} {scores[best][code]:.3f}".replace(" 0.", " .")
        assert len(row[2].shapes) == 5


# Pairs


def test_the_map_of_pairs_is_the_relation(flood):
    """A square is filled iff the team above is ahead of the team to its right."""
    comparison = flood.comparison(KEY)
    drawn = pair_map(flood, comparison)
    order = [flood.names.index(name) for name in drawn.names]
    for place, team in enumerate(order):
        assert drawn.is_significant[place] == tuple(
            bool(comparison.ahead[above, team]) for above in order[:place]
        )
    assert sum(map(sum, drawn.is_significant)) == comparison.ahead.sum()


def test_differences_from_the_first_have_their_intervals(flood):
    """As drawn and as printed; the point is filled iff the difference is significant."""
    comparison = flood.comparison(KEY)
    table = forest(printing(flood), comparison)
    scores = flood.scores["averaged_f1"]
    first = scores.idxmax()
    for name, drawn, difference, _, _ in table.rows:
        expected = scores[first] - scores[name.text]
        assert float(difference.text) == pytest.approx(expected, abs=6e-4)
        is_ahead = comparison.ahead[flood.names.index(first), flood.names.index(name.text)]
        kind = "dot" if is_ahead else "ring"
        np.testing.assert_allclose(
            values_at(table.columns[1].axis, drawn.shapes, kind)[0], expected, atol=1e-3
        )


# Power


def test_power_is_that_of_a_two_sided_normal_test():
    """Against the distribution of a shifted normal variable."""
    standardized = np.linspace(0, 6, 13)
    expected = norm.sf(2.8, loc=standardized) + norm.cdf(-2.8, loc=standardized)
    np.testing.assert_allclose(detection_probability(standardized, 2.8), expected, atol=1e-12)


def test_the_curve_reaches_80_percent_where_it_says(flood):
    """The marked point lies on the curve."""
    (curve,) = every(document_of(flood), Curve)
    ((x, y, text),) = curve.marks
    assert y == 80
    assert text.startswith("80% at ")
    xs, ys = zip(*curve.points, strict=True)
    assert np.interp(x, xs, ys) == pytest.approx(80, abs=0.6)


# The page


def test_the_page_needs_no_matplotlib():
    """It takes longer to load than all that the page needs."""
    code = (
        "import sys, audit\n"
        "gold = list('aabbab') * 10\n"
        "found = audit.evaluate(gold, {'A': gold, 'B': list('aabbba') * 10, 'C': list('ababab') * 10})\n"
        "from audit.writers.html import render_html\n"
        "assert '<html' in render_html(found)\n"
        "sys.exit('matplotlib' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_drawn_cell_stands_in_a_column_with_an_axis(flood):
    """And every column with an axis has drawn cells alone."""
    for table in every(document_of(flood), Table):
        for row in table.rows:
            for column, cell in zip(table.columns, row, strict=True):
                assert column.axis is not None or not cell.shapes
                assert column.axis is None or not cell.text


@pytest.mark.parametrize("n_teams", [1, 2, 3])
def test_few_teams_have_a_page(n_teams):
    """Nothing is compared with one; with two no correlation is defined."""
    page = render_html(random_evaluation(n_teams, 60, 3))
    assert 'id="board"' in page
    assert ('id="pair-map"' in page) == (n_teams > 1)


def test_a_map_of_many_teams_shows_the_first(crowd):
    """On a narrow screen fewer of them, and says so."""
    (drawn,) = every(document_of(crowd), PairMap)
    assert len(drawn.names) == 30
    assert drawn.note.endswith("On a narrow screen the first 15 are shown.")


def test_every_metric_of_the_table_of_winners_has_its_adjusted_p():
    """Also those by which nothing else is compared: the p of a comparison of all pairs that is asked for."""
    campaign = random_campaign(5, 300, 3, quality=(0.8, 0.6))
    made = evaluate(campaign)
    rows = [row for row in winners_by_state(printing(made)).rows if row[1].text]
    keys = metric_columns(made)[1:]
    asked = evaluate(campaign, Options(compare=tuple(map(str, keys))))
    ranking = made.task.ranking_metric
    expected = set()
    for key in keys:
        winner, first = made.winners(key)[0], made.winners(ranking)[0]
        rival = (
            first if winner != first else next(team for team in made.order(key) if team != winner)
        )
        expected.add(
            (
                column_label(made, key),
                p_text(float(asked.comparison(key).adjusted_p[winner, rival])),
            )
        )
    assert {(row[0].text, row[3].text) for row in rows} == expected
    assert "–" not in {p for _, p in expected}
