"""SemEval-2016 task 3 against the organisers' tables: four subtasks and every run, with the folder as it stands."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from audit.domain import Options, ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from tests import real_campaigns

ITEMS = {"A": (3_270, 1_329), "B": (700, 233), "C": (7_000, 654), "D": (7_369, 1_418)}


def name_of(submission):
    """Team and run as the organisers' tables have them: the baselines stand there under the name of their folder."""
    return submission.team, submission.run


def scores(gold, codes):
    """Precision, recall and F1 of "true", and accuracy, of the answered items, as the official scorer has them."""
    answered = codes < 2
    gold, codes = gold[answered], codes[answered]
    hits = int(((gold == 0) & (codes == 0)).sum())
    n_true, n_said = int((gold == 0).sum()), int((codes == 0).sum())
    precision, recall = hits / n_said if n_said else 0.0, hits / n_true
    f1 = 2 * hits / (n_true + n_said)
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "accuracy": float(np.mean(gold == codes)),
    }


@pytest.mark.parametrize("part", ITEMS)
def test_every_run_of_a_subtask_is_read(part, cqa, cqa_published):
    """Those of the organisers' table and no others, beside gold of the size that the source states."""
    campaign = cqa[part]
    assert (campaign.gold.n_items, int((campaign.gold.codes == 0).sum())) == ITEMS[part]
    assert (campaign.task.slug, campaign.task.family) == (f"cqa-{part.lower()}", "cqa")
    published = {(team, run) for subtask, team, run in cqa_published if subtask == part}
    assert {name_of(submission) for submission in campaign.submissions} == published
    assert len(campaign.submissions) == len(published)


@pytest.mark.parametrize("part", ITEMS)
def test_the_roles_of_a_subtask_are_those_of_its_files(part, cqa):
    """One primary run of each team, three baselines, and the rest contrastive."""
    campaign = cqa[part]
    roles = Counter(submission.role for submission in campaign.submissions)
    assert roles["primary"] == {"A": 12, "B": 11, "C": 10, "D": 5}[part]
    assert roles["baseline"] == 3
    assert roles.total() == {"A": 29, "B": 25, "C": 10, "D": 13}[part] + 3
    assert {s.run.rstrip("12") for s in campaign.submissions if s.role != "baseline"} <= {
        "primary",
        "contrastive",
    }


def test_names_stay_as_they_stand(cqa):
    """Two teams have a soft hyphen in their names."""
    assert {"ICRC\u00ad-HIT", "ITNLP\u00ad-AiKF"} <= {
        submission.team for submission in cqa["A"].submissions
    }


def test_two_runs_lack_thirty_items(cqa):
    """And nothing else is odd in any of the 89 files, line ends and runs of blanks included."""
    issues = {
        part: [(issue.slug, issue.file, issue.count) for issue in cqa[part].issues]
        for part in ITEMS
    }
    assert issues == {
        "A": [],
        "B": [],
        "C": [],
        "D": [
            ("missing-item", f"ConvKN/subtask_D_contrastive{number}.txt", 30) for number in (1, 2)
        ],
    }


def test_the_356_published_values_are_met(cqa, cqa_published):
    """Every run's precision, recall and F1 of "true" and accuracy, to the printed digit, without the missing items."""
    ours = {
        (part, *name_of(submission)): {
            metric: f"{value:.4f}"
            for metric, value in scores(campaign.gold.codes, submission.codes).items()
        }
        for part, campaign in cqa.items()
        for submission in campaign.submissions
    }
    assert sum(map(len, cqa_published.values())) == 356
    assert ours == cqa_published


def test_the_journal_names_every_file_once(cqa):
    """Gold first, then the runs, each with the items it was read to have."""
    for part, campaign in cqa.items():
        read = [entry for entry in campaign.journal if entry.action == "read"]
        assert read[0].subject == campaign.gold.source.path
        assert Counter(entry.subject for entry in read[1:]) == Counter(
            s.source.path for s in campaign.submissions
        )
        assert {entry.count for entry in read} <= {ITEMS[part][0], ITEMS[part][0] - 30}


# The other class as the rest, and the subtasks as parts of one test set


NEGATIVE_ONLY = {"precision": "macro_precision", "recall": "macro_recall", "f1": "averaged_f1"}
OTHER_FORMULAS = {"f1": "f1_of_averages", "precision": "micro_precision", "recall": "micro_recall"}


@pytest.mark.parametrize("part", ITEMS)
def test_with_the_other_class_as_the_rest_averages_are_the_published_scores_of_true(
    part, cqa, cqa_published
):
    """Averaged, of averages and summed alike, to the printed digit; accuracy is of all items as before."""
    campaign = cqa[part]
    label_set = replace(campaign.task.label_set, rest="false")
    rest = replace(
        campaign,
        task=replace(campaign.task, label_set=label_set),
        gold=replace(campaign.gold, label_set=label_set),
    )
    found = evaluate(
        rest, Options(certainty=False), also=["micro_precision", "micro_recall", "micro_f1"]
    )
    named = [
        *NEGATIVE_ONLY.items(),
        *OTHER_FORMULAS.items(),
        ("f1", "micro_f1"),
        ("accuracy", "accuracy"),
    ]
    compared = 0
    for place, entry in enumerate(found.entries):
        published = cqa_published[part, entry.team, entry.run]
        ours = [(what, f"{found.scores_of(ScoreKey(name))[place]:.4f}") for what, name in named]
        assert ours == [(what, published[what]) for what, _ in named], entry
        compared += 1
    assert compared == {"A": 15, "B": 14, "C": 13, "D": 8}[part]


def written_together(folder, parts):
    """Subtasks as one test set: gold with a column that says which, and the primary run of whoever took part in all."""
    source = (
        real_campaigns.folder_of("semeval2016-task3-cqa")
        / "SemEval2016_task3_submissions_and_scores"
    )
    golds = {
        "A": "QL-test-subtaskA.xml.subtaskA",
        "B": "QL-test.xml.subtaskB",
        "C": "QL-test.xml.subtaskC",
    }
    gold = ["question,answer,subtask,label"]
    for part in parts:
        lines = (
            (source / f"_gold/SemEval2016-Task3-CQA-{golds[part]}.relevancy")
            .read_text()
            .splitlines()
        )
        rows = [line.split("\t") for line in lines]
        gold += [f"{part}:{row[0]},{row[1]},{part},{row[4]}" for row in rows]
    (folder / "gold.csv").write_text("\n".join(gold) + "\n")
    (folder / "submissions").mkdir()
    teams = []
    for team in sorted(
        path.name for path in source.iterdir() if path.is_dir() and path.name[0] != "_"
    ):
        files = {part: source / team / f"subtask_{part}_primary.txt" for part in parts}
        if not all(file.is_file() for file in files.values()):
            continue
        rows = ["question,answer,score,label"]
        for part, file in files.items():
            cells = [line.split() for line in file.read_text().splitlines() if line.strip()]
            rows += [f"{part}:{row[0]},{row[1]},{row[3]},{row[4]}" for row in cells]
        teams.append(team)
        (folder / f"submissions/{team}.csv").write_text("\n".join(rows) + "\n")
    (folder / "task.toml").write_text(
        'rest_label = "false"\nofficial_metric = "averaged_f1"\n[gold]\nid = ["question", "answer"]\nlabel = "label"\n'
        'slices = ["subtask"]\n[submissions]\nid = ["question", "answer"]\nlabel = "label"\nscore = "score"\n'
        'above = "true"\n[resampling]\ncertainty = false\n'
    )
    return teams


def test_parts_of_a_test_set_have_the_scores_that_were_published_of_each(tmp_path, cqa_published):
    """Three subtasks cut by a column: F1 of "true" and accuracy of each, and AUC of the kept scores, per part."""
    parts = ("A", "B", "C")
    teams = written_together(tmp_path, parts)
    campaign = read_campaign(tmp_path)
    found = evaluate(campaign, Options(certainty=False))
    assert len(teams) == len(found.names) >= 4
    (sliced,) = found.slices
    assert [part.value for part in sliced.slices] == list(parts)
    truth = campaign.gold.codes == campaign.task.label_set.code_of["true"]
    scores_of = {each.team: each.scores for each in campaign.submissions}
    for part in sliced.slices:
        assert part.n_items == ITEMS[part.value][0]
        inside = np.array(
            [item_id.startswith(f"{part.value}:") for item_id in map(str, campaign.gold.item_ids)]
        )
        values = {str(key): part.values[row] for row, key in enumerate(found.keys)}
        for place, team in enumerate(found.names):
            published = cqa_published[part.value, team, "primary"]
            for what, name in (*NEGATIVE_ONLY.items(), ("accuracy", "accuracy")):
                assert f"{values[name][place]:.4f}" == published[what], (part.value, team, name)
            expected = roc_auc_score(truth[inside], scores_of[team][inside])
            assert values["auc"][place] == pytest.approx(expected, abs=1e-12)
    mean = np.mean(
        [part.values[found.keys.index(ScoreKey("averaged_f1"))] for part in sliced.slices], axis=0
    )
    np.testing.assert_allclose(
        sliced.macro[found.keys.index(ScoreKey("averaged_f1"))], mean, atol=1e-12
    )
