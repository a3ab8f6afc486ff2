"""Which reading published numbers are of: tables by scikit-learn, rounded, swapped, mistyped and misnamed."""

from dataclasses import replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    f1_score,
    precision_score,
    recall_score,
)

import audit
from audit.domain import PrintedScore
from audit.errors import InputError, UsageError
from audit.evaluation import evaluate
from audit.readings import identify, match_names
from audit.readings.printed import agreement_with, is_percent

from .campaigns import campaign
from .tables import printed, published

N_TEAMS = 12


@pytest.fixture(scope="module")
def labels():
    """Gold and the answers of twelve teams to 400 items of four unequal classes; one is never predicted by the last."""
    rng = np.random.default_rng(8)
    gold = rng.choice(list("abcd"), 400, p=[0.5, 0.25, 0.15, 0.1])
    right = rng.random((N_TEAMS, 400)) < np.linspace(0.9, 0.4, N_TEAMS)[:, None]
    answers = np.where(
        right, gold, rng.choice(list("abcd"), (N_TEAMS, 400), p=[0.4, 0.1, 0.2, 0.3])
    )
    answers[-1][answers[-1] == "d"] = "a"
    return gold, {f"Team {chr(65 + team)}": row for team, row in enumerate(answers)}


@pytest.fixture(scope="module")
def evaluation(labels):
    return audit.evaluate(*labels, certainty=False)


def scores(given, of, **options):
    gold, answers = given
    return np.array([of(gold, row, **options) for row in answers.values()])


def f1_of_averages(labels):
    precision, recall = (
        scores(labels, of, average="macro") for of in (precision_no_warning, recall_score)
    )
    return 2 * precision * recall / (precision + recall)


def precision_no_warning(gold, given, **options):
    return precision_score(gold, given, zero_division=0, **options)


def identified(evaluation, columns, teams=None):
    return identify(evaluation, published(columns, teams or evaluation.names))


def test_a_column_under_its_own_name_is_confirmed(labels, evaluation):
    """Accuracy, kappa and macro recall by scikit-learn, in fractions and percentages."""
    found = identified(
        evaluation,
        {
            "Acc": printed(scores(labels, accuracy_score), 1, percent=True),
            "kappa": printed(scores(labels, cohen_kappa_score), 4),
            "AvgRec": printed(scores(labels, recall_score, average="macro")),
        },
    )
    assert [str(column.matches[0].reading) for column in found.columns] == [
        "accuracy",
        "kappa",
        "macro_recall",
    ]
    assert [column.heading_says for column in found.columns] == ["yes"] * 3
    assert all(column.is_exact for column in found.columns)
    assert [column.percent for column in found.columns] == [True, False, False]
    assert found.findings == ()


@pytest.mark.parametrize(
    ("of", "slug", "words"),
    [
        (
            lambda labels: scores(labels, f1_score, average="macro"),
            "averaged_f1",
            "macro-averaged F1",
        ),
        (f1_of_averages, "f1_of_averages", "F1 of averages"),
    ],
)
def test_macro_f1_of_either_kind_is_told(of, slug, words, labels, evaluation):
    """The name is of two metrics; the numbers are of one, and the finding says which."""
    found = identified(evaluation, {"macro F1": printed(of(labels))})
    (column,) = found.columns
    assert column.is_exact
    assert str(column.matches[0].reading) == slug
    assert column.heading_says == "leaves open"
    assert found.findings == (
        f"“macro F1” is the name of two metrics; these numbers are {words}: write that.",
    )


def test_a_column_that_no_reading_gives_whole_is_not_said_to_be_one(labels, evaluation):
    """One number of many is off: the finding counts the others, and asks to look at it first."""
    values = printed(scores(labels, f1_score, average="macro"))
    off = [*values[:-1], ".123"]
    found = identified(evaluation, {"F1": off})
    (column,) = found.columns
    assert not column.is_exact
    n = len(off)
    assert column.sentences[0].startswith(
        "No reading gives every score in “F1”: the best, macro-averaged F1"
    )
    (finding,) = found.findings
    said = f"“F1” is said of several metrics; {n - 1} of these {n} numbers are macro-averaged F1"
    assert finding == f"{said}: check the others, then write that."


@pytest.fixture(scope="module")
def on_scale(labels):
    """The same, with the labels as grades."""
    gold, answers = labels
    return audit.evaluate(gold, answers, labels=list("abcd"), scale=True, certainty=False)


def _cut(labels, below):
    gold, answers = labels
    return np.isin(gold, below), {team: np.isin(row, below) for team, row in answers.items()}


def test_columns_of_labels_on_a_scale_are_identified(labels, on_scale):
    """Weighted kappas and cuts by scikit-learn, asked for by their headings or only tried."""
    columns = {
        "QWK": printed(scores(labels, cohen_kappa_score, weights="quadratic")),
        "agreement": printed(scores(labels, cohen_kappa_score, weights="linear")),
        "Kappa a|bcd": printed(scores(_cut(labels, ["a"]), cohen_kappa_score)),
        "ab|cd": printed(scores(_cut(labels, ["a", "b"]), accuracy_score), 4),
        "macro precision abc|d": printed(
            scores(_cut(labels, ["a", "b", "c"]), precision_no_warning, average="macro")
        ),
    }
    found = identified(on_scale, columns).columns
    assert [column.heading for column in found if not column.is_exact] == []
    assert [str(column.matches[0].reading) for column in found] == [
        "quadratic_kappa",
        "linear_kappa",
        "kappa[a|bcd]",
        "accuracy[ab|cd]",
        "macro_precision[abc|d]",
    ]
    assert [column.heading_says for column in found] == [
        "yes",
        "names no metric",
        "yes",
        "names no metric",
        "yes",
    ]


def test_a_score_in_this_programs_words_is_tried_on_its_cut(labels, on_scale):
    """Though of cuts few scores are tried."""
    recall = scores(_cut(labels, ["a"]), recall_score, average="macro")
    (column,) = identified(on_scale, {"macro_recall[a|bcd]": printed(recall)}).columns
    assert (column.is_exact, column.heading_says) == (True, "yes")


def test_the_official_score_of_a_cut_is_tried(labels):
    """By itself and in a mean, also one that is not tried of every cut."""
    gold, answers = labels
    of = scores(_cut(labels, ["a"]), recall_score, average="macro")
    for official, values in (
        ("macro_recall[a|bcd]", of),
        ("mean(macro_recall[a|bcd],accuracy)", (of + scores(labels, accuracy_score)) / 2),
    ):
        settings = {
            "labels": list("abcd"),
            "scale": True,
            "official_metric": official,
            "certainty": False,
        }
        found = identified(audit.evaluate(gold, answers, **settings), {"total": printed(values, 4)})
        assert (found.columns[0].is_exact, str(found.columns[0].matches[0].reading)) == (
            True,
            official,
        )


def test_macro_f1_of_a_cut_is_two_metrics_too(labels, on_scale):
    values = scores(_cut(labels, ["a"]), f1_score, average="macro")
    found = identified(on_scale, {"macro F1 a|bcd": printed(values, 4)})
    said = "“macro F1 a|bcd” is the name of two metrics; these numbers are macro-averaged F1: write that."
    assert found.findings == (said,)


def test_a_column_of_another_cut_than_its_heading_says_is_told(labels, on_scale):
    found = identified(
        on_scale, {"kappa a|bcd": printed(scores(_cut(labels, ["a", "b"]), cohen_kappa_score))}
    )
    of = "Cohen’s kappa of the scale cut"
    said = f"The heading “kappa a|bcd” says {of} “a|bcd”, and these numbers are {of} “ab|cd”."
    assert found.findings == (said,)


@pytest.mark.parametrize("text", ["W-R", "detection_recall", "Recall (dev)"])
def test_a_heading_with_a_word_that_nobody_knows_is_not_accused(labels, evaluation, text):
    """It may name what the numbers are: weighted recall, or a score of a part of the task."""
    found = identified(evaluation, {text: printed(scores(labels, f1_score, average="macro"))})
    assert found.columns[0].heading_says == "cannot tell"
    assert not found.findings


def test_a_recall_column_that_holds_f1_scores_is_found(labels, evaluation):
    """As the tables of real campaigns have it."""
    found = identified(evaluation, {"Recall": printed(scores(labels, f1_score, average="macro"))})
    (column,) = found.columns
    assert (column.heading_says, str(column.matches[0].reading)) == ("no", "averaged_f1")
    (finding,) = found.findings
    assert (
        finding
        == "The heading “Recall” says macro recall or recall, and these numbers are macro-averaged F1."
    )


def test_two_swapped_columns_are_found_as_such(labels, evaluation):
    """Precision under Recall and recall under Precision are one finding, not two."""
    precision, recall = (
        scores(labels, of, average="macro") for of in (precision_no_warning, recall_score)
    )
    found = identified(
        evaluation,
        {"Recall": printed(precision), "F1": printed(f1_of_averages(labels))}
        | {"Precision": printed(recall)},
    )
    swap, which = found.findings
    assert swap == "“Recall” and “Precision” have changed places: each holds what the other says."
    assert which.startswith("“F1” is said of several metrics; these numbers are F1 of averages")


def test_one_team_with_a_typing_error_is_named(labels, evaluation):
    """Two digits have changed places: eleven teams match, and the twelfth is off by what was typed."""
    values = scores(labels, f1_score, average="macro")
    cells = printed(values, 4)
    cells[4] = cells[4][:3] + cells[4][:2:-1][:0] + cells[4][4] + cells[4][3] + cells[4][5:]
    found = identified(evaluation, {"averaged_f1": cells})
    (column,) = found.columns
    best = column.matches[0]
    assert (column.is_exact, best.n_matched, str(best.reading)) == (
        False,
        N_TEAMS - 1,
        "averaged_f1",
    )
    (miss,) = best.misses
    assert (miss.team, miss.printed) == ("Team E", cells[4])
    assert miss.computed == pytest.approx(values[4])
    assert miss.difference == pytest.approx(float(cells[4]) - values[4])
    assert column.sentences[1].startswith(f"Not given by it: Team E, printed {cells[4]}, computed ")


def test_a_team_scored_by_another_rule_is_told_which():
    """All but one team's missing items count as wrong; that one was scored on what it answered."""
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 2, 300)
    teams = {
        f"T{team}": np.where(rng.random(300) < 0.6 + team / 20, gold, 1 - gold) for team in range(5)
    }
    teams["T2"][:40] = 2
    evaluation = evaluate(campaign(gold, teams, "ab"))
    wrong = evaluation.scores["accuracy"].to_numpy()
    shown = wrong.copy()
    shown[2] = accuracy_score(gold[40:], teams["T2"][40:])
    (column,) = identified(evaluation, {"Accuracy": printed(shown, 4)}).columns
    assert column.is_exact, "leaving missing items out gives all five, as the other teams miss none"
    assert str(column.matches[0].reading) == "accuracy(missing=dropped)"
    assert "missing items" not in column.open_choices
    shown[0] = 0.1234
    (column,) = identified(evaluation, {"Accuracy": printed(shown, 4)}).columns
    assert [miss.team for miss in column.matches[0].misses] == ["T0"]
    by_default = next(match for match in column.matches if str(match.reading) == "accuracy")
    assert [(miss.team, miss.other and str(miss.other)) for miss in by_default.misses] == [
        ("T0", None),
        ("T2", "accuracy(missing=dropped)"),
    ]


def test_what_the_numbers_cannot_tell_is_said(labels, evaluation):
    """Here every class is in gold and nothing is missing: class set and missing items are open, the formula is not."""
    (column,) = identified(
        evaluation, {"averaged_f1": printed(scores(labels, f1_score, average="macro"), 5)}
    ).columns
    assert set(column.open_choices) == {"class set", "undefined class score", "missing items"}
    assert column.open_choices["missing items"] == ("wrong", "dropped")
    assert column.sentences[-1].endswith("and missing items (wrong, dropped).")


def test_numbers_that_two_metrics_share_leave_the_metric_open():
    """Where both classes have as many errors, and each as many items and answers, all of them are one."""
    gold = ["a", "b"] * 50
    teams = {
        f"{n} wrong": ["ba"[i % 2] if i < 2 * n else "ab"[i % 2] for i in range(100)]
        for n in range(1, 30, 4)
    }
    evaluation = audit.evaluate(gold, teams, certainty=False)
    shares = {
        name: np.mean([one == other for one, other in zip(answers, gold, strict=True)])
        for name, answers in teams.items()
    }
    (column,) = identified(
        evaluation, {"macro F1": [f"{shares[name]:.3f}" for name in evaluation.names]}
    ).columns
    assert {"averaged_f1", "f1_of_averages", "accuracy"} <= set(column.open_choices["metric"])
    assert "these numbers could be macro-averaged F1 or F1 of averages: write which" in " ".join(
        column.sentences
    )


def test_numbers_that_no_reading_gives_are_said_so(evaluation):
    """With the nearest, and how far off."""
    cells = [f"{value:.3f}" for value in np.linspace(0.0101, 0.0301, N_TEAMS)]
    (column,) = identified(evaluation, {"macro F1": cells}).columns
    assert (column.heading_says, column.matches[0].n_matched) == ("cannot tell", 0)
    assert column.sentences[0].startswith(
        "No reading fits “macro F1”: none gives any of its scores; the nearest is "
    )
    assert len(column.matches[0].misses) == N_TEAMS


def test_a_column_without_a_common_team_and_a_heading_without_a_metric(labels, evaluation):
    """Neither is a finding."""
    cells = ["–"] * N_TEAMS
    found = identified(evaluation, {"F1": cells, "Score": printed(scores(labels, accuracy_score))})
    assert found.columns[0].sentences == ("No team of this campaign has a score in “F1”.",)
    assert [column.heading_says for column in found.columns] == ["cannot tell", "names no metric"]
    assert str(found.columns[1].matches[0].reading) == "accuracy"
    assert found.findings == ()


def test_class_scores_are_identified(labels, evaluation):
    """Under a heading of the class, or of none."""
    gold, answers = labels
    of_b = [f1_score(gold == "b", row == "b") for row in answers.values()]
    found = identified(evaluation, {"F1 (b)": printed(of_b, 4), "F1": printed(of_b, 4)})
    assert [str(column.matches[0].reading) for column in found.columns] == ["f1[b]", "f1[b]"]
    assert [column.heading_says for column in found.columns] == ["yes", "leaves open"]
    assert found.findings == (
        "“F1” is said of several metrics; these numbers are F1 of “b”: write that.",
    )


def test_averages_over_some_classes_are_identified(labels, evaluation):
    """All but one, and any selection of few."""
    for codes, name in (("bcd", "averaged_f1(all-but)[a]"), ("bd", "averaged_f1[b,d]")):
        values = scores(labels, f1_score, average="macro", labels=list(codes))
        (column,) = identified(evaluation, {"macro F1": printed(values, 4)}).columns
        assert column.is_exact
        assert name in [str(reading) for match in column.matches for reading in match.readings]


# Rounding


@pytest.mark.parametrize(
    ("mode", "said"),
    [(ROUND_HALF_UP, "half up"), (ROUND_HALF_EVEN, "half even"), (ROUND_DOWN, "truncated")],
)
def test_each_way_of_rounding_is_recognised(mode, said):
    """On exact eighths, of which some are halves of the last digit: decimal arithmetic is the oracle."""
    values = np.arange(-16, 17) / 16
    cells = [
        str(Decimal(value).quantize(Decimal("0.001"), rounding=mode)) for value in values.tolist()
    ]
    column = [PrintedScore(cell, int(Decimal(cell).scaleb(3)), 3) for cell in cells]
    found = agreement_with(column, values[None])
    assert found.matched.all()
    assert found.rounding == [said]


def test_rounding_errors_of_floating_point_do_not_decide():
    """0.285 is 57 of 200, a half, though its nearest float lies below; either neighbour is a rounding of it."""
    values = np.array([57 / 200, 0.145, 29 / 200])
    for cells in ([".29", ".15", ".15"], [".28", ".14", ".14"], [".28", ".15", ".14"]):
        column = [PrintedScore(cell, int(cell[1:]), 2) for cell in cells]
        assert agreement_with(column, values[None]).matched.all()


def test_trailing_zeros_may_be_cut_off_or_each_cell_have_its_own_digits():
    """57.6 for 57.60 in a table of two decimals; or one number in a table that was given more shortly."""
    values = np.array([[0.5760, 0.5344]])
    cut = [PrintedScore("57.6", 576, 1), PrintedScore("53.44", 5344, 2)]
    assert agreement_with(cut, values).decimals == "2"
    own = [PrintedScore("0.58", 58, 2), PrintedScore("0.5344", 5344, 4)]
    found = agreement_with(own, values)
    assert (found.matched.tolist(), found.decimals) == ([[True, True]], "each cell’s own")


def test_many_readings_are_compared_in_blocks(monkeypatch):
    """One at a time they match the same."""
    rng = np.random.default_rng(3)
    column = [PrintedScore(f"{units / 100}", units, 2) for units in range(50)]
    scores = rng.random((40, 50)).round(2)
    whole = agreement_with(column, scores)
    monkeypatch.setattr("audit.readings.printed._BLOCK", 1)
    again = agreement_with(column, scores)
    np.testing.assert_array_equal(again.matched, whole.matched)
    assert again.rounding == whole.rounding


def test_an_undefined_score_matches_no_number():
    column = [PrintedScore("0", 0, 0)]
    assert not agreement_with(column, np.array([[np.nan]])).matched.any()


def test_percentages_are_told_from_fractions():
    """By a percent sign or a number above 1, of either sign."""
    assert is_percent([PrintedScore("1.0", 10, 1), PrintedScore("-3", -3, 0)])
    assert is_percent([PrintedScore("0.5%", 5, 1, percent=True)])
    assert not is_percent([PrintedScore("1.000", 1000, 3)])


# Names


def test_names_match_as_they_stand_then_ever_more_loosely(labels):
    """Case, blanks, punctuation and soft hyphens are folded and said; what stays ambiguous does not match."""
    gold, answers = labels
    rows = list(answers.values())
    names = ["C", "C++", "ICRC\u00ad-HIT", "Über Team", "Kelp/primary", "A-1", "A_1x", "dup-A"]
    evaluation = audit.evaluate(gold, dict(zip(names, rows, strict=False)), certainty=False)
    found = match_names(
        ["C++", "c", "ICRC-HIT", "uber  team", "kelp-primary", "a1", "DUP A", "nobody"], evaluation
    )
    entries = {row: evaluation.names[entry] for row, entry in found.entry_of.items()}
    assert entries == {
        0: "C++",
        1: "C",
        2: "ICRC\u00ad-HIT",
        4: "Kelp/primary",
        5: "A-1",
        6: "dup-A",
    }
    assert ("c", "C") in found.renamed
    assert "C++" not in dict(found.renamed)


def test_the_only_run_that_counts_is_found_under_team_and_run_too(labels):
    """As tables of all runs have it, where the campaign shows one for each team."""
    gold, answers = labels
    evaluation = audit.evaluate(
        gold, {"Kelp": answers["Team A"], "ICRC": answers["Team B"]}, certainty=False
    )
    kelp, icrc = evaluation.entries
    evaluation = replace(evaluation, entries=(replace(kelp, run="primary"), replace(icrc, run="2")))
    found = match_names(["Kelp/primary", "ICRC-2", "ICRC-1"], evaluation)
    assert found.entry_of == {0: evaluation.names.index("Kelp"), 1: evaluation.names.index("ICRC")}
    assert found.renamed == (("ICRC-2", "ICRC"),)


def test_a_table_may_name_files_or_shown_names_or_both(labels):
    """A shown name comes before a file of the same name; a file that is several entries' is nobody's."""
    gold, answers = labels
    evaluation = audit.evaluate(
        gold, dict(zip("ABCD", answers.values(), strict=False)), certainty=False
    )
    paths = ["runs/t1.csv.gz", "runs/A.csv", "all.csv", "all.csv"]
    entries = tuple(
        replace(each, path=paths["ABCD".index(each.name)]) for each in evaluation.entries
    )
    found = match_names(
        ["A", "T1", "runs/A.csv", "all.csv", "D"], replace(evaluation, entries=entries)
    )
    matched = {row: entries[place].name for row, place in found.entry_of.items()}
    assert matched == {0: "A", 2: "B", 4: "D"}
    found = match_names(["T1", "A.csv", "C"], replace(evaluation, entries=entries))
    matched = {row: entries[place].name for row, place in found.entry_of.items()}
    assert (matched, found.renamed) == ({0: "A", 1: "B", 2: "C"}, (("T1", "A"),))


@pytest.mark.parametrize(
    ("heading", "says"),
    [
        ("macro-averaged F1", "yes"),
        ("averaged F1", "yes"),
        ("Macro-averaged F1 of types", "yes"),
        ("F1 of averages", "no"),
        ("F1 of class averages", "no"),
        ("Macro F1", "leaves open"),
    ],
)
def test_a_heading_can_say_which_macro_f1_it_is(labels, heading, says):
    """In the words of the two formulas, whatever classes are called; what only says macro leaves it open."""
    gold, answers = labels
    evaluation = audit.evaluate(gold, answers, certainty=False)
    scores = [f1_score(gold, answers[name], average="macro") for name in evaluation.names]
    (column,) = identify(
        evaluation, published({heading: printed(scores)}, list(evaluation.names))
    ).columns
    assert (column.is_exact, column.heading_says) == (True, says)


def test_several_tables_are_looked_at_as_one(labels):
    """Their columns are those of one table, whatever the order of rows and the names of teams in each."""
    gold, answers = labels
    evaluation = audit.evaluate(
        gold, dict(zip("ABCD", answers.values(), strict=False)), certainty=False
    )
    entries = tuple(replace(each, path=f"runs/{each.name}1.csv") for each in evaluation.entries)
    evaluation = replace(evaluation, entries=entries)
    names = evaluation.names
    some = dict(zip("ABCD", answers.values(), strict=False))
    accuracies = printed([accuracy_score(gold, some[name]) for name in names])
    kappas = printed([cohen_kappa_score(gold, some[name]) for name in names])
    of_files = [f"{name}1.csv" for name in names]
    first = published({"Acc": [*accuracies, ".1"]}, [*names, "Nobody"])
    second = published(
        {"kappa": [*kappas[::-1], ".2"], "F1": [*accuracies[::-1], ".1"]},
        [*of_files[::-1], "Nobody"],
    )
    whole = {"Acc": [*accuracies, ".1"], "kappa": [*kappas, ".2"], "F1": [*accuracies, ".1"]}
    together = identify(evaluation, published(whole, [*names, "Nobody"]))
    found = identify(
        evaluation, first, replace(second, path="b.csv", set_aside=(("Rank", "ranks"),))
    )
    assert (found.path, [len(each.columns) for each in found.tables]) == (
        "published.csv and b.csv",
        [1, 2],
    )
    assert [each.set_aside for each in found.tables] == [(), (("Rank", "ranks"),)]
    assert [replace(column, table=0) for column in found.columns] == list(together.columns)
    assert replace(found, tables=together.tables) == together
    assert found.contradictions  # Acc and F1 are the same numbers
    with pytest.raises(InputError) as caught:
        identify(evaluation, first, replace(published({"F1": [".5"]}, ["Nobody"]), path="c.csv"))
    assert [(issue.slug, issue.file) for issue in caught.value.issues] == [("bad-table", "c.csv")]


def test_two_names_that_fold_to_one_match_neither(labels):
    """Which of them is meant is not for a program to guess."""
    gold, answers = labels
    evaluation = audit.evaluate(
        gold, {"A.B": answers["Team A"], "AB!": answers["Team B"]}, certainty=False
    )
    assert match_names(["ab"], evaluation).entry_of == {}


def test_names_without_a_counterpart_are_listed(labels, evaluation):
    """On both sides."""
    values = printed(scores(labels, accuracy_score))
    teams = [*evaluation.names[:-2], "TEAM-K", "Somebody"]
    found = identified(evaluation, {"Acc": values}, teams)
    assert (found.unmatched, found.absent) == (("Somebody",), ("Team L",))
    assert found.renamed == (("TEAM-K", "Team K"),)
    assert found.columns[0].n_teams == N_TEAMS - 1


def test_an_evaluation_without_answers_is_a_usage_error(evaluation):
    with pytest.raises(UsageError, match="does not hold the answers"):
        identify(replace(evaluation, answers=None), published({"F1": ["0.5"]}, ["Team A"]))
