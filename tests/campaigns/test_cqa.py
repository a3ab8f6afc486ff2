"""SemEval-2016 task 3 against the organisers' tables: four subtasks and every run, with the folder as it stands."""

from collections import Counter

import numpy as np
import pytest

from tests.nightly import untraced

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
    return {"precision": precision, "recall": recall, "f1": f1, "accuracy": float(np.mean(gold == codes))}


@untraced
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
    assert {s.run.rstrip("12") for s in campaign.submissions if s.role != "baseline"} <= {"primary", "contrastive"}


def test_names_stay_as_they_stand(cqa):
    """Two teams have a soft hyphen in their names."""
    assert {"ICRC\u00ad-HIT", "ITNLP\u00ad-AiKF"} <= {submission.team for submission in cqa["A"].submissions}


def test_two_runs_lack_thirty_items(cqa):
    """And nothing else is odd in any of the 89 files, line ends and runs of blanks included."""
    issues = {part: [(issue.slug, issue.file, issue.count) for issue in cqa[part].issues] for part in ITEMS}
    assert issues == {
        "A": [],
        "B": [],
        "C": [],
        "D": [("missing-item", f"ConvKN/subtask_D_contrastive{number}.txt", 30) for number in (1, 2)],
    }


def test_the_356_published_values_are_met(cqa, cqa_published):
    """Every run's precision, recall and F1 of "true" and accuracy, to the printed digit, without the missing items."""
    ours = {
        (part, *name_of(submission)): {
            metric: f"{value:.4f}" for metric, value in scores(campaign.gold.codes, submission.codes).items()
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
        assert Counter(entry.subject for entry in read[1:]) == Counter(s.source.path for s in campaign.submissions)
        assert {entry.count for entry in read} <= {ITEMS[part][0], ITEMS[part][0] - 30}
