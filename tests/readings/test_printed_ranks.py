"""What published ranks are by: ranked by pandas and scikit-learn, by one column, by means, by nothing that is there."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, recall_score

import audit
from audit.domain import PrintedScore, Published, PublishedColumn, ScoreKey
from audit.readings import identify
from audit.readings.printed_ranks import identify_ranks
from audit.readings.tried_readings import ScoredColumn
from audit.report.published import identification_blocks
from audit.writers.data.command_data import identification_data
from audit.writers.terminal import write

from .tables import printed

N_TEAMS = 9
TEAMS = [f"Team {letter}" for letter in "ABCDEFGHI"]


@pytest.fixture(scope="module")
def labels():
    """Gold and the answers of nine teams, most of which rank differently by every score."""
    rng = np.random.default_rng(4)
    gold = rng.choice(list("abc"), 300, p=[0.6, 0.3, 0.1])
    right = rng.random((N_TEAMS, 300)) < rng.permutation(np.linspace(0.6, 0.68, N_TEAMS))[:, None]
    answers = np.where(right, gold, rng.choice(list("abc"), (N_TEAMS, 300)))
    return gold, dict(zip(TEAMS, answers, strict=True))


@pytest.fixture(scope="module")
def evaluation(labels):
    return audit.evaluate(*labels, certainty=False)


@pytest.fixture(scope="module")
def table(labels):
    """Three scores of each team by scikit-learn, as printed to four decimals."""
    gold, answers = labels
    scorers = {
        "Acc": accuracy_score,
        "AvgRec": lambda *each: recall_score(*each, average="macro"),
        "F1 (c)": lambda *each: f1_score(*each, labels=["c"], average="macro"),
    }
    return pd.DataFrame(
        {
            head: [round(float(of(gold, row)), 4) for row in answers.values()]
            for head, of in scorers.items()
        },
        index=TEAMS,
    )


def ranked(scores, *, ascending=False):
    return scores.rank(ascending=ascending, method="min").astype(int).tolist()


def of_ranks(ranks, heading="Rank"):
    cells = (None if rank is None else PrintedScore(str(rank), int(rank), 0) for rank in ranks)
    return PublishedColumn(heading, tuple(cells))


def found_in(evaluation, table, ranks, heads):
    scores = (PublishedColumn(head, tuple(map(_cell, printed(table[head], 4)))) for head in heads)
    return identify(evaluation, Published("t.csv", tuple(TEAMS), (of_ranks(ranks), *scores)))


def _cell(text):
    return PrintedScore(text, int(text.replace(".", "")), 4)


@pytest.mark.parametrize("head", ["Acc", "AvgRec", "F1 (c)"])
def test_ranks_are_by_the_column_that_orders_them(evaluation, table, head):
    """Of all columns that one, as pandas ranks it; the scores are identified as without the ranks."""
    found = found_in(evaluation, table, ranked(table[head]), list(table))
    (ranks,) = found.ranks
    assert (ranks.by, ranks.beats_chance, ranks.n_teams) == ((f"“{head}”",), True, N_TEAMS)
    assert ranks.sentences == (f"The ranks in “Rank” are those by “{head}”.",)
    assert [column.heading for column in found.columns] == list(table)


def test_means_are_found_where_no_column_is(evaluation, table):
    """The mean of the columns, and the mean of the ranks by them, each as pandas has it."""
    heads = ["Acc", "F1 (c)"]
    means = {"the mean of": table[heads].mean(axis=1).rank(ascending=False, method="min")}
    means["the mean rank by"] = (
        table[heads].rank(ascending=False, method="min").mean(axis=1).rank(method="min")
    )
    assert (
        len(
            {
                tuple(each)
                for each in (
                    *means.values(),
                    *(table[head].rank(ascending=False) for head in heads),
                )
            }
        )
        == 4
    )
    for said, ranks in means.items():
        (found,) = found_in(evaluation, table, ranks.astype(int), heads).ranks
        assert f"{said} “Acc” and “F1 (c)”" in found.by
        assert found.beats_chance


def test_a_score_that_is_not_printed_is_computed(evaluation, table):
    """Ranks by accuracy beside another score alone."""
    (found,) = found_in(evaluation, table, ranked(table["Acc"]), ["F1 (c)"]).ranks
    assert "accuracy, as computed here" in found.by


def test_ranks_by_nothing_are_told_with_who_stands_the_other_way_round(evaluation, table):
    """Two teams changed places: the nearest score and both of them."""
    right = ranked(table["Acc"])
    first, last = right.index(1), right.index(max(right))
    wrong = list(right)
    wrong[first], wrong[last] = right[last], right[first]
    (found,) = found_in(evaluation, table, wrong, ["Acc"]).ranks
    assert (found.by, found.beats_chance) == ((), True)
    better = [
        (one, other)
        for one, other in itertools.permutations(range(N_TEAMS), 2)
        if table["Acc"].iloc[one] > table["Acc"].iloc[other] and wrong[one] > wrong[other]
    ]
    nearest = {(one, its, other, theirs) for one, its, other, theirs in found.nearest.turned}
    assert found.nearest.by == "“Acc”"
    assert nearest == {
        (TEAMS[one], wrong[one], TEAMS[other], wrong[other]) for one, other in better
    }
    (said,) = found.sentences
    assert said.startswith(
        "The ranks in “Rank” are by no score that is printed or computed here. By “Acc”, the nearest, "
    )
    assert "has the better score and rank" in said


def test_the_document_and_the_terminal_say_it(evaluation, table, capsys):
    """In the same sentence."""
    found = found_in(evaluation, table, ranked(table["Acc"]), ["Acc"])
    write(*identification_blocks(found))
    sentence = "The ranks in “Rank” are those by “Acc”."
    assert sentence in capsys.readouterr().out
    (data,) = identification_data(found)["tables"][0]["ranks"]
    assert data["by"] == ["“Acc”"]
    assert data["sentences"] == [sentence]
    assert data["the_other_way_round"] == []
    turned = found_in(evaluation, table, ranked(table["Acc"], ascending=True), ["Acc"])
    (data,) = identification_data(turned)["tables"][0]["ranks"]
    assert {"better_team", "its_rank", "other_team", "other_rank"} == set(
        data["the_other_way_round"][0]
    )


def test_lower_is_better_where_the_numbers_are_told_to_be_of_such_a_score():
    """Ranks by the Brier score, which scikit-learn computes, of a column without a telling name."""
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, 200)
    given = {team: np.clip(gold * 0.4 + rng.random(200) * 0.6, 0, 1).round(3) for team in TEAMS}
    brier = pd.Series([brier_score_loss(gold, row) for row in given.values()])
    columns = [ScoredColumn("“Loss”", brier.to_numpy(), greater_is_better=False)]
    found = identify_ranks(of_ranks(ranked(brier, ascending=True)), TEAMS, columns, list)
    assert found.by == ("“Loss”",)


def test_teams_that_print_the_same_may_stand_in_either_order():
    """And teams that share a rank may have different scores; a team without a score is not looked at."""
    scores = [ScoredColumn("“A”", np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.5, np.nan]))]
    for ranks in ([1, 2, 3, 4, 5, 6, 7], [1, 3, 2, 4, 5, 6, None], [1, 2, 2, 4, 4, 6, 3]):
        assert identify_ranks(of_ranks(ranks), TEAMS[:7], scores, list).by == ("“A”",)
    assert identify_ranks(of_ranks([1, 2, 3, 5, 4, 6, 7]), TEAMS[:7], scores, list).by == ()


@pytest.mark.parametrize("n_teams", [1, 2])
def test_two_teams_tell_nothing(n_teams):
    """Nor does one."""
    columns = [ScoredColumn("“A”", np.linspace(1, 0, n_teams))]
    found = identify_ranks(of_ranks(range(1, n_teams + 1)), TEAMS[:n_teams], columns, list)
    assert (found.by, found.beats_chance) == ((), False)
    assert found.sentences[0].endswith("too few to tell what they are by.")


def test_few_teams_fit_by_chance():
    """One of six orders of three teams: as likely as not where several are tried."""
    columns = [
        ScoredColumn(f"“{name}”", np.array(row))
        for name, row in zip("AB", [(3, 2, 1), (1, 2, 3)], strict=True)
    ]
    found = identify_ranks(of_ranks([1, 2, 3]), TEAMS[:3], columns, list)
    assert (found.by, found.beats_chance) == (("“A”",), False)
    assert "could be those by “A”: so few teams (3)" in found.sentences[0]


def test_no_column_beside_them_has_enough_scores():
    """Then there is nothing that is nearest."""
    columns = [ScoredColumn("“A”", np.array([0.5, np.nan, np.nan, np.nan]))]
    found = identify_ranks(of_ranks([1, 2, 3, 4]), TEAMS[:4], columns, list)
    assert (found.by, found.nearest) == ((), None)
    assert found.sentences[0].endswith("there is none beside them.")
    computed = [ScoredColumn("accuracy, as computed here", np.array([0.9, 0.6, 0.7, 0.5]))]
    found = identify_ranks(of_ranks([1, 2, 3, 4]), TEAMS[:4], columns, lambda: computed)
    assert found.nearest.turned == (("Team C", 3, "Team B", 2),)


def test_of_many_pairs_the_first_are_kept_and_all_are_counted():
    """Forty teams in the opposite order: 780 pairs, those of the lowest ranks first."""
    columns = [ScoredColumn("“A”", np.arange(40.0))]
    teams = [f"T{place}" for place in range(40)]
    nearest = identify_ranks(of_ranks(range(1, 41)), teams, columns, list).nearest
    assert nearest.n_turned == 40 * 39 // 2
    assert nearest.turned[:2] == (("T1", 2, "T0", 1), ("T2", 3, "T0", 1))
    assert len(nearest.turned) < 40


def test_a_mean_of_percentages_and_fractions_is_of_one_scale(evaluation, table):
    """As printed, the column of percentages would decide alone."""
    heads = ["Acc", "F1 (c)"]
    mean = table[heads].mean(axis=1)
    columns = (
        PublishedColumn(
            "Acc", tuple(_cell(text) for text in printed(table["Acc"], 4, percent=True))
        ),
        PublishedColumn("F1 (c)", tuple(_cell(text) for text in printed(table["F1 (c)"], 4))),
    )
    found = identify(
        evaluation, Published("t.csv", tuple(TEAMS), (of_ranks(ranked(mean)), *columns))
    )
    assert found.columns[0].percent
    assert "the mean of “Acc” and “F1 (c)”" in found.ranks[0].by


def test_invented_ranks_are_told_no_more_often_than_stated(table):
    """Ranks dealt out at random: a score is said to be theirs at most once in twenty times, within chance."""
    rng, told, n_draws = np.random.default_rng(12), 0, 300
    columns = [ScoredColumn(head, table[head].to_numpy()[:5]) for head in table]
    for _ in range(n_draws):
        found = identify_ranks(of_ranks(rng.permutation(5) + 1), TEAMS[:5], columns, list)
        told += bool(found.by) and found.beats_chance
    assert told <= 0.05 * n_draws + 3 * np.sqrt(0.05 * 0.95 * n_draws)


def alone(ranks):
    """A table of names and ranks."""
    return Published("t.csv", tuple(TEAMS), (of_ranks(ranks),))


@pytest.mark.parametrize(
    ("scorer", "said"),
    [
        (
            lambda gold, row: f1_score(gold, row, average="macro"),
            "macro-averaged F1, as computed here",
        ),
        (
            lambda gold, row: recall_score(gold, row, average="macro"),
            "macro recall, as computed here",
        ),
        (accuracy_score, "accuracy, as computed here"),
    ],
)
def test_ranks_alone_are_held_against_what_is_computed(scorer, said, evaluation, labels, tmp_path):
    """By scikit-learn's scores, ranked by pandas; page, terminal and JSON say by what."""
    gold, answers = labels
    ranks = ranked(pd.Series([scorer(gold, row) for row in answers.values()]))
    found = identify(evaluation, alone(ranks))
    assert not found.columns
    assert said in found.ranks[0].by
    assert found.ranks[0].beats_chance
    assert identification_data(found)["tables"][0]["ranks"][0]["by"] == list(found.ranks[0].by)
    page = audit.write_report(evaluation.given(published=found), tmp_path / "r.html").read_text(
        encoding="utf-8"
    )
    assert said in page
    write(*identification_blocks(found))


def test_ranks_alone_may_be_the_official_mean_rank(labels):
    """Of two scores by scikit-learn, by neither of which the teams stand so."""
    gold, answers = labels
    found = audit.evaluate(
        gold, answers, certainty=False, official_metric="mean_rank(accuracy,recall[c])"
    )
    scorers = (accuracy_score, lambda *each: recall_score(*each, labels=["c"], average="macro"))
    rows = [
        pd.Series([score(gold, row) for row in answers.values()]).rank(ascending=False)
        for score in scorers
    ]
    ranks = ((rows[0] + rows[1]) / 2).rank(method="min").astype(int).tolist()
    by = identify(found, alone(ranks)).ranks[0].by
    assert "the official mean rank by accuracy and recall of “c”" in by


def test_ranks_alone_by_nothing_are_said_to_be(evaluation):
    """With the nearest of our own scores, and who stands the other way round."""
    order = np.argsort(-evaluation.scores_of(ScoreKey("averaged_f1")))
    ranks = np.empty(N_TEAMS, dtype=int)
    ranks[order[::-1]] = np.arange(1, N_TEAMS + 1)
    identified = identify(evaluation, alone(ranks.tolist()))
    found = identified.ranks[0]
    assert not found.by
    assert "by no score that is printed or computed here" in found.sentences[0]


# Means of ranks as they are printed


def of_means(means, decimals=2, heading="Avg. rank"):
    """A column of means of ranks."""
    cells = (f"{mean:.{decimals}f}" for mean in means)
    scores = tuple(PrintedScore(cell, int(cell.replace(".", "")), decimals) for cell in cells)
    return PublishedColumn(heading, scores)


def found_means(evaluation, columns, teams=TEAMS):
    """What is said of the columns of ranks and of means of ranks."""
    return identify(evaluation, Published("t.csv", tuple(teams), tuple(columns)))


def scores_in(table, heads):
    return [PublishedColumn(head, tuple(map(_cell, printed(table[head], 4)))) for head in heads]


@pytest.mark.parametrize("method", ["average", "min", "dense"])
@pytest.mark.parametrize("heads", [["Acc", "F1 (c)"], ["Acc", "AvgRec", "F1 (c)"]])
def test_a_printed_mean_rank_is_that_by_the_columns_beside_it(evaluation, table, heads, method):
    """As pandas ranks them; two that changed places are said."""
    means = table[heads].rank(ascending=False, method=method).mean(axis=1)
    (ranks,) = found_means(evaluation, [*scores_in(table, heads), of_means(means)]).ranks
    names = {2: "“Acc” and “F1 (c)”", 3: "“Acc”, “AvgRec” and “F1 (c)”"}[len(heads)]
    assert f"the mean rank by {names}" in ranks.by
    assert ranks.beats_chance
    first, last = means.idxmin(), means.idxmax()
    means[[first, last]] = means[[last, first]].to_numpy()
    (wrong,) = found_means(evaluation, [*scores_in(table, heads), of_means(means)]).ranks
    assert wrong.by == ()
    assert wrong.nearest is not None


def test_a_printed_mean_rank_is_that_of_the_ranks_beside_it(evaluation):
    """Of test sets that are not of this campaign, whose ranks alone are printed; and the ranks are by it."""
    chance = np.random.default_rng(7)
    given = [chance.permutation(N_TEAMS) + 1 for _ in range(3)]
    mean = pd.Series(np.mean(given, axis=0))
    columns = [
        of_ranks(ranks, f"Rank {name}")
        for name, ranks in zip(("en", "de", "fr"), given, strict=True)
    ]
    overall = of_ranks(mean.rank(method="min").astype(int))
    *others, by_mean, means = found_means(evaluation, [*columns, overall, of_means(mean)]).ranks
    assert any(
        "“Rank en”, “Rank de” and “Rank fr”" in each or each == "“Rank”" for each in means.by
    )
    assert means.beats_chance
    assert (by_mean.by, by_mean.beats_chance) == (("“Avg. rank”",), True)
    assert len(others) == 3


def test_of_a_mean_of_ranks_no_further_mean_is_tried():
    """Beside a score: their mean rank says nothing that anybody prints."""
    score = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    mean = np.array([3, 1, 2, 6, 5, 4.0])
    by_both = of_ranks(pd.Series((np.arange(1, 7) + mean) / 2).rank(method="min").astype(int))
    teams = list("ABCDEF")
    for is_mean, by in ((False, True), (True, False)):
        columns = [
            ScoredColumn("“F1”", score),
            ScoredColumn("“Avg. rank”", mean, greater_is_better=False, is_mean=is_mean),
        ]
        assert bool(identify_ranks(by_both, teams, columns, list).by) == by


def test_what_is_below_one_is_no_mean_of_ranks(evaluation, table):
    """It is a score, whatever its heading."""
    low = found_means(
        evaluation, [PublishedColumn("Avg. rank", tuple(map(_cell, printed(table["Acc"], 4))))]
    )
    assert (low.ranks, len(low.columns)) == ((), 1)
