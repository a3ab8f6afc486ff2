"""Files of sets: objects in JSON, groups, declared labels, and what is refused."""

import json

import numpy as np
import pytest

from audit.domain import ScoreKey
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign

KIND = 'kind = "sets"\nofficial_metric = "micro_f1"\n'


def campaign(folder, files, text=""):
    """The campaign of some files."""
    for name, content in {**files, "task.toml": KIND + text}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return read_campaign(folder)


def test_objects_of_an_open_set_are_the_same_if_all_their_fields_are(tmp_path):
    """By position, in any order of the fields; all have one label, and a key that is missing is an empty set."""
    gold = [{"target": False}, {"target": True, "found": [{"doc": 1, "part": "a"}, {"doc": 2}]}, {"found": []}]
    team = [{"found": [{"doc": 9}]}, {"found": [{"part": "a", "doc": 1}, {"doc": 1}]}, {"target": True}]
    keys = 'id = false\nlabel = "found"\n'
    files = {"gold.json": json.dumps(gold), "submissions/x.json": json.dumps(team)}
    evaluation = evaluate(campaign(tmp_path, files, f"[gold]\n{keys}[submissions]\n{keys}"))
    assert evaluation.task.label_set.labels == ("found", "nothing")
    assert evaluation.gold.n_units == 3
    scores = [evaluation.scores_of(ScoreKey(slug))[0] for slug in ("micro_precision", "micro_recall")]
    assert scores == [1 / 3, 1 / 2]


def test_groups_of_units_are_what_is_drawn(tmp_path):
    """Threads of messages, in place of the messages."""
    rows = "".join(f"{n},t{n // 4},{'a;b' if n % 3 else 'a'}\n" for n in range(40))
    files = {"gold.csv": f"id,thread,labels\n{rows}", "submissions/x.csv": "id,labels\n1,a\n2,b\n"}
    gold = campaign(tmp_path, files, '[gold]\ngroup = "thread"\n[sets]\nunit = "message"\n').gold
    assert (gold.unit, np.unique(gold.groups).size, gold.n_units) == ("thread", 10, 40)
    assert (np.diff(gold.groups) >= 0).all()


def test_labels_outside_a_declared_label_set_are_false_alarms_or_refuse_the_file(tmp_path):
    """By the policy; a thing that a set has twice counts once, and is said."""
    files = {"gold.csv": "id,labels\n1,a\n2,b\n3,\n", "submissions/x.csv": 'id,labels\n1,"a,c,a"\n2,b\n3,\n'}
    loose = campaign(tmp_path / "loose", files, 'labels = ["b", "a"]\n')
    assert loose.task.label_set.labels == ("b", "a", "c", "nothing")
    (submission,) = loose.submissions
    assert [issue.slug for issue in submission.issues] == ["unusable-label"]
    assert any("count once" in entry.text for entry in loose.journal)
    assert evaluate(loose).scores_of(ScoreKey("micro_precision")).tolist() == [2 / 3]
    with pytest.raises(InputError, match="labels outside the label set"):
        campaign(tmp_path / "strict", files, 'labels = ["b", "a"]\nstrict = true\n')


GOLD, TEAM = "id,labels\n1,a\n2,b\n", "id,labels\n1,a\n2,a\n"


@pytest.mark.parametrize(
    ("files", "text", "slug"),
    [
        ({"gold.csv": GOLD}, "", "no-submissions"),
        ({"gold.csv": "id,labels\n1,a\n1,b\n", "submissions/x.csv": TEAM}, "", "gold-duplicate-id"),
        ({"gold.csv": "id,labels\n1,\n2,\n", "submissions/x.csv": TEAM}, "", "gold-no-items"),
        ({"gold.csv": GOLD, "submissions/x.csv": TEAM}, '[gold]\ngroup = { path = "g.txt" }\n', "bad-setting"),
        ({"gold.txt": "a\nb\n", "submissions/x.txt": "a\na\n"}, '[sets]\nform = "rows"\n', "bad-set"),
        ({"gold.txt": "a\nb\n", "submissions/x.txt": "a\na\n"}, '[sets]\nform = "tags"\n', "bad-set"),
        ({"gold.csv": GOLD, "submissions/x.csv": f"{TEAM}1,b\n"}, "", "duplicate-item"),
        ({"gold.csv": GOLD, "submissions/x.csv": f"{TEAM}7,b\n"}, "", "extra-item"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path, files, text, slug):
    """Each with its slug."""
    with pytest.raises(InputError) as error:
        campaign(tmp_path, files, text)
    assert slug in {issue.slug for issue in error.value.issues}
