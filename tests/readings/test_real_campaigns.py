"""Real campaigns: their published numbers are identified, and their winners by reading are those known of them."""

import csv
import re

import numpy as np
import pytest
from sklearn.metrics import f1_score

from audit.domain import Campaign, Gold, LabelSet, Reading, ScoreKey, Submission, Task
from audit.evaluation import evaluate
from audit.ranking.ranks import competition_ranks
from audit.readings import audit_macro_f1, groups_by_winners, identify, nearest_flip
from tests.real_campaigns import folder_of

from .tables import printed, published

CQA = "SemEval2016_task3_submissions_and_scores"


def published_scores(folder):
    with (folder / "published_scores.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def evaluated(gold, answers, labels, **task):
    """Labels as text, None for a missing answer."""
    label_set = LabelSet(tuple(labels), declared=True)
    code_of = {label: code for code, label in enumerate(label_set)} | {None: len(label_set)}
    submissions, unusable = [], len(label_set) + 1
    for team, given in answers.items():
        codes = np.array([code_of.get(label, unusable) for label in given], dtype=np.uint8)
        strays = tuple((label, 1) for label in sorted({*given} - code_of.keys()))
        submissions.append(Submission(team, codes, unusable_labels=strays))
    codes = np.array([code_of[label] for label in gold], dtype=np.uint8)
    settings = Task("real", "Real", label_set, **task)
    return evaluate(Campaign(settings, Gold(label_set, codes), tuple(submissions)))


# emoji-en


@pytest.fixture(scope="module")
def emoji():
    """SemEval-2018 task 2, English: one label a line, an empty line is no answer."""
    folder = folder_of("semeval2018-task2-emoji-en")
    gold = (folder / "tools/detailed_results/us_test.labels").read_text().split("\n")[:50_000]
    answers = {
        path.parent.name: [
            line or None for line in [*path.read_text().split("\n"), ""][: len(gold)]
        ]
        for path in sorted(folder.glob("results/teams/english/*/english.output.txt"))
    }
    return evaluated(gold, answers, map(str, range(20)))


def test_all_cells_of_the_emoji_campaigns_tables_are_identified(emoji):
    """2,880 cells, 60 columns of 48 teams, trailing zeros cut off: every column is its class score, for all teams."""
    table = {}
    for row in published_scores(folder_of("semeval2018-task2-emoji-en")):
        number = re.match(r"class (\d+) ", row["task"])
        if number:
            table.setdefault(f"{row['metric']} of {number[1]}", {})[row["system"]] = row["value"]
    teams = sorted({team for cells in table.values() for team in cells})
    found = identify(
        emoji, published({head: [cells[t] for t in teams] for head, cells in table.items()}, teams)
    )
    assert sum(column.matches[0].n_matched for column in found.columns) == 2880
    assert len(found.columns) == 60
    for column in found.columns:
        metric, _, label = column.heading.split()
        assert (column.n_teams, column.is_exact, column.heading_says) == (48, True, "yes")
        assert column.matches[0].reading == Reading(f"{metric}[{label}]")
        assert column.percent
    assert found.findings == ()


def test_the_emoji_campaigns_macro_f1_is_averaged_f1_over_the_classes_in_gold(emoji):
    """The ten best as the page of the data has them: F1 of averages gives none of them, the union not all."""
    text = (folder_of("semeval2018-task2-emoji-en") / "SOURCE.md").read_text(encoding="utf-8")
    ranking = re.search(r"official ranking \(macro F1, recomputed\): (.*?) \(", text)[1]
    rows = [row.rsplit(" ", 1) for row in ranking.split(", ")]
    found = identify(
        emoji, published({"Macro F1": [score for _, score in rows]}, [team for team, _ in rows])
    )
    (column,) = found.columns
    assert (len(rows), column.n_teams, column.is_exact) == (10, 10, True)
    assert column.matches[0].reading == Reading("averaged_f1")
    assert "metric" not in column.open_choices
    assert found.findings == (
        "“Macro F1” is the name of two metrics; these numbers are macro-averaged F1: write that.",
    )
    assert len(found.absent) == 38


def test_the_emoji_campaigns_winner_by_reading(emoji):
    """Cagri by both formulas, 35 of 48 ranks differing between them; cbaziotis with balanced classes."""
    audit = audit_macro_f1(emoji)
    group_of = {reading: group for group in audit.groups for reading in group.readings}
    averaged, of_averages = group_of[Reading("averaged_f1")], group_of[Reading("f1_of_averages")]
    assert [audit.teams[team] for team in (*averaged.winners, *of_averages.winners)] == [
        "cagri",
        "cagri",
    ]
    assert int((averaged.ranks != of_averages.ranks).sum()) == 35
    eica = audit.teams.index("EICA")
    assert (averaged.ranks[eica], of_averages.ranks[eica]) == (39, 33)
    assert nearest_flip(audit).changed == ("prevalence",)


# Community question answering


def cqa_labels(path):
    """(question, answer) → label, of five columns."""
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return {(cells[0], cells[1]): cells[4] for cells in rows}


def cqa_campaign(letter):
    """One subtask: every run in the distribution, and the organisers' baselines."""
    folder = folder_of("semeval2016-task3-cqa") / CQA
    (gold_file,) = (folder / "_gold").glob(f"*subtask{letter}.relevancy")
    gold = cqa_labels(gold_file)
    answers = {}
    for path in sorted(folder.glob(f"*/subtask_{letter}_*.txt")):
        run = path.stem.removeprefix(f"subtask_{letter}_")
        given = cqa_labels(path)
        answers[f"{path.parent.name}-{run}"] = [given.get(item) for item in gold]
    return evaluated(list(gold.values()), answers, ("false", "true"))


def cqa_published(letter):
    """Team → metric → value as printed, of the organisers' table."""
    table = {}
    for row in published_scores(folder_of("semeval2016-task3-cqa")):
        if row["task"] == f"subtask {letter}" and row["metric"] in (
            "precision",
            "recall",
            "f1",
            "accuracy",
        ):
            table.setdefault(row["system"], {})[row["metric"]] = row["value"]
    return table


@pytest.fixture(scope="module")
def cqa():
    return {letter: (cqa_campaign(letter), cqa_published(letter)) for letter in "ABCD"}


HEADS = {"P": "precision", "R": "recall", "F1": "f1", "Acc": "accuracy"}


def cqa_identified(evaluation, table):
    """The table by its own headings."""
    columns = {head: [cells[metric] for cells in table.values()] for head, metric in HEADS.items()}
    return identify(evaluation, published(columns, table))


def test_all_values_of_the_question_answering_campaign_match_with_missing_items_left_out(cqa):
    """356 printed values: precision, recall and F1 of “true”, and accuracy, of every run that is present."""
    n_values = 0
    for letter, (evaluation, table) in cqa.items():
        for column in cqa_identified(evaluation, table).columns:
            metric = HEADS[column.heading]
            signature = f"{metric}(missing=dropped)" + ("" if metric == "accuracy" else "[true]")
            readings = [str(reading) for match in column.matches for reading in match.readings]
            assert column.is_exact, (letter, column.sentences)
            assert signature in readings
            n_values += column.n_teams
    assert n_values == 356


def test_counted_as_wrong_missing_items_give_six_values_less(cqa):
    """350: two runs of subtask D miss 30 items, and precision does not mind."""
    n_matched = 0
    for evaluation, table in cqa.values():
        for metric in HEADS.values():
            name = metric if metric == "accuracy" else f"{metric}[true]"
            ours = dict(
                zip(evaluation.names, evaluation.scores_of(ScoreKey(name)).tolist(), strict=True)
            )
            n_matched += sum(f"{ours[team]:.4f}" == cells[metric] for team, cells in table.items())
    assert n_matched == 350


def test_where_items_are_missing_the_numbers_tell_what_became_of_them(cqa):
    """In subtask D recall, F1 and accuracy leave the choice open no more."""
    found = {column.heading: column for column in cqa_identified(*cqa["D"]).columns}
    for head in ("R", "F1", "Acc"):
        assert found[head].matches[0].reading.missing == "dropped"
        assert "missing items" not in found[head].open_choices
    assert "missing items" in found["P"].open_choices


@pytest.mark.parametrize(("letter", "n_moved", "n_teams"), [("A", 6, 12), ("C", 8, 10)])
def test_the_question_answering_campaigns_ranks_by_both_macro_f1s(letter, n_moved, n_teams, cqa):
    """Of the primary runs, 6 of 12 ranks differ in subtask A and 8 of 10 in C."""
    evaluation, _ = cqa[letter]
    primary = [team for team, name in enumerate(evaluation.names) if name.endswith("-primary")]
    assert len(primary) == n_teams
    audit = audit_macro_f1(evaluation)
    group_of = {reading: group for group in audit.groups for reading in group.readings}
    averaged, of_averages = (
        competition_ranks(group_of[Reading(slug)].scores[primary])
        for slug in ("averaged_f1", "f1_of_averages")
    )
    assert int((averaged != of_averages).sum()) == n_moved


# arct and CompStats


def test_the_argument_campaigns_accuracies_are_identified():
    """22 values of three decimals under “accuracy”."""
    folder = folder_of("semeval2018-task12-arct")
    table = {row["system"]: row["value"] for row in published_scores(folder)}
    evaluation = arct(folder, table)
    found = identify(evaluation, published({"accuracy": list(table.values())}, table))
    (column,) = found.columns
    assert (column.n_teams, column.is_exact, column.heading_says) == (22, True, "yes")
    assert column.matches[0].reading == Reading("accuracy")
    assert found.findings == ()


def test_the_argument_campaigns_winner_holds_for_every_reading():
    """The negative control: whatever macro F1 it is, GIST is first."""
    folder = folder_of("semeval2018-task12-arct")
    audit = audit_macro_f1(
        arct(folder, {row["system"]: row["value"] for row in published_scores(folder)})
    )
    assert nearest_flip(audit) is None
    ((winner,),) = groups_by_winners(audit)
    assert audit.teams[winner] == "GIST"


def arct(folder, table):
    """Labels by item id, the names of the teams by the organisers' file."""
    listing = (folder / "data/submissions/metadata-public.xml").read_text(encoding="utf-8")
    answers = {}
    gold = arct_labels(folder / "data/gold/truth.txt")
    for participant in re.findall(r"<[^<>]*submissionID=[^<>]*>", listing):
        of = dict(re.findall(r'(\w+)="([^"]*)"', participant))
        if "withdrawn" not in of:
            name = (
                "Random baseline"
                if "baseline" in of
                else of.get("shownName") or of.get("systemName") or of["username"]
            )
            given = arct_labels(folder / "data/submissions" / f"{of['submissionID']}.txt")
            answers[name] = [given.get(item) for item in gold]
    assert set(answers) == set(table)
    return evaluated(list(gold.values()), answers, ("0", "1"))


def arct_labels(path):
    return dict(
        line.split()
        for line in path.read_text(encoding="utf-8").splitlines()
        if line and line[0] != "#"
    )


@pytest.fixture(scope="module")
def compstats():
    with (folder_of("compstats-six-systems") / "CompStats/tests/data.csv").open(
        encoding="utf-8"
    ) as file:
        rows = list(csv.DictReader(file))
    gold = [row["y"] for row in rows]
    answers = {name: [row[name] for row in rows] for name in rows[0] if name != "y"}
    return gold, answers, evaluated(gold, answers, sorted(set(gold)))


def test_the_weighted_f1_of_compstats_is_identified(compstats):
    """Six values as the page of the data has them, under a heading that says nothing but F1."""
    text = (folder_of("compstats-six-systems") / "SOURCE.md").read_text(encoding="utf-8")
    order, values = re.search(
        r'weighted-F1 order "(.*?)": reproduced exactly \((.*?)\)', text
    ).groups()
    found = identify(compstats[2], published({"F1": values.split(", ")}, order.split(", ")))
    (column,) = found.columns
    assert (column.n_teams, column.is_exact, column.heading_says) == (6, True, "leaves open")
    assert column.matches[0].reading == Reading("weighted_f1")
    assert "these numbers are weighted F1: write that." in found.findings[0]


def test_an_f1_of_averages_table_of_compstats_headed_macro_f1_is_told(compstats):
    """Scores by scikit-learn: the winner under that name is StackBoW, and INGEOTEC under scikit-learn's own."""
    gold, answers, evaluation = compstats
    averaged = [f1_score(gold, given, average="macro") for given in answers.values()]
    of_averages = evaluation.scores_of(ScoreKey("f1_of_averages"))
    found = identify(
        evaluation, published({"macro F1": printed(of_averages), "F1": printed(averaged)}, answers)
    )
    assert [str(column.matches[0].reading) for column in found.columns] == [
        "f1_of_averages",
        "averaged_f1",
    ]
    audit = audit_macro_f1(evaluation)
    flip = nearest_flip(audit)
    assert [audit.teams[team] for team in (*audit.groups[0].winners, *flip.winners)] == [
        "INGEOTEC",
        "StackBoW",
    ]
    assert flip.changed == ("metric",)
