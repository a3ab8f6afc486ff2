"""[official] in task.toml: the announced score as a mean of several."""

import numpy as np
import pytest

from audit.domain import ScoreKey
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.store import open_store

from .campaigns import write

FILES = {
    "gold.csv": "id,label\n1,a\n2,b\n3,a\n4,b\n5,b\n",
    "submissions/A.csv": "id,label\n1,a\n2,b\n3,b\n4,b\n5,a\n",
    "submissions/B.csv": "id,label\n1,a\n2,a\n3,a\n4,b\n5,a\n",
}


def campaign(root, toml):
    return read_campaign(write(root, {**FILES, "task.toml": toml}))


@pytest.mark.parametrize(
    ("toml", "name", "weights"),
    [
        (
            '[official]\nmean_of = ["averaged_f1", "accuracy"]\n',
            "mean(averaged_f1,accuracy)",
            [1, 1],
        ),
        (
            '[official]\nmean_of = ["averaged_f1", "kappa"]\nweights = [2, 0.5]\n',
            "mean(2*averaged_f1,0.5*kappa)",
            [2, 0.5],
        ),
        (
            '[official]\nmean_of = ["f1[a]", "f1[b]"]\nweights = [3, 3]\n',
            "mean(f1[a],f1[b])",
            [1, 1],
        ),
        (
            'official_metric = "mean(2*averaged_f1, accuracy)"\n',
            "mean(2*averaged_f1,accuracy)",
            [2, 1],
        ),
    ],
)
def test_the_ranking_is_by_the_mean(tmp_path, toml, name, weights):
    """As the same name says it; store and files agree."""
    found = campaign(tmp_path / "files", toml)
    assert found.task.official_metric == ScoreKey(name)
    evaluation = evaluate(found)
    terms = [term.partition("*")[2] or term for term in name[5:-1].split(",")]
    extra = evaluate(found, also=terms)
    np.testing.assert_allclose(
        evaluation.scores_of(ScoreKey(name)),
        np.average([extra.scores_of(ScoreKey(term)) for term in terms], axis=0, weights=weights),
    )
    with open_store(tmp_path / "audit.db") as store:
        store.save_campaigns(found)
        assert store.load_campaign(found.task.slug).task == found.task


@pytest.mark.parametrize(
    ("toml", "slug", "line", "words"),
    [
        ('[official]\nmean_of = ["averaged_f1", "macro_f1"]\n', "bad-metric", 2, "two metrics"),
        ('[official]\nmean_of = ["averaged_f1"]\n', "bad-metric", 2, "a mean of 1"),
        ('[official]\nmean_of = ["accuracy", "accuracy"]\n', "bad-setting", 2, "mean_of ="),
        ('[official]\nmean_of = ["accuracy", "f1[z]"]\n', "bad-metric", 2, "not in the label set"),
        (
            '[official]\nmean_of = ["accuracy", "kappa"]\nweights = [1]\n',
            "bad-setting",
            3,
            "1 weight for 2 scores",
        ),
        (
            '[official]\nmean_of = ["accuracy", "kappa"]\nweights = [1, 0]\n',
            "bad-setting",
            3,
            "weights =",
        ),
        (
            '[official]\nmean_of = ["accuracy", "kappa"]\nweights = [1, 0.1234567]\n',
            "bad-setting",
            3,
            "weights =",
        ),
        (
            '[official]\nmean_of = ["accuracy", "kappa"]\nweights = 2\n',
            "bad-setting",
            3,
            "weights = 2",
        ),
        ("[official]\nweights = [1]\n", "bad-setting", 2, "1 weight for 0 scores"),
        (
            'official_metric = "mcc"\n[official]\nmean_of = ["accuracy", "kappa"]\n',
            "bad-setting",
            3,
            "beside official_metric",
        ),
        (
            '[official]\nmean_of = ["accuracy,mcc", "kappa"]\nweights = [2, 1]\n',
            "bad-setting",
            2,
            "“accuracy,mcc”",
        ),
        (
            '[official]\nmean_of = ["2*accuracy", "kappa"]\nweights = [3, 1]\n',
            "bad-setting",
            2,
            "“2*accuracy”",
        ),
        ("[official]\nmean = 3\n", "bad-setting", 2, "“mean” in [official]"),
    ],
)
def test_what_is_no_mean_is_an_issue_with_its_line(tmp_path, toml, slug, line, words):
    """And nothing is scored."""
    with pytest.raises(InputError) as caught:
        campaign(tmp_path, toml)
    (issue,) = caught.value.issues
    assert (issue.slug, issue.lines) == (slug, (line,))
    assert words in issue.found
