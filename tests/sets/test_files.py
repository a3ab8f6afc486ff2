"""Files of sets: objects in JSON, groups, declared labels, and what is refused."""

import json
import re

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
    gold = [
        {"target": False},
        {"target": True, "found": [{"doc": 1, "part": "a"}, {"doc": 2}]},
        {"found": []},
    ]
    team = [
        {"found": [{"doc": 9}]},
        {"found": [{"part": "a", "doc": 1}, {"doc": 1}]},
        {"target": True},
    ]
    keys = 'id = false\nlabel = "found"\n'
    files = {"gold.json": json.dumps(gold), "submissions/x.json": json.dumps(team)}
    evaluation = evaluate(campaign(tmp_path, files, f"[gold]\n{keys}[submissions]\n{keys}"))
    assert evaluation.task.label_set.labels == ("found", "nothing")
    assert evaluation.gold.n_units == 3
    scores = [
        evaluation.scores_of(ScoreKey(slug))[0] for slug in ("micro_precision", "micro_recall")
    ]
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
    files = {
        "gold.csv": "id,labels\n1,a\n2,b\n3,\n",
        "submissions/x.csv": 'id,labels\n1,"a,c,a"\n2,b\n3,\n',
    }
    loose = campaign(tmp_path / "loose", files, 'labels = ["b", "a"]\n')
    assert loose.task.label_set.labels == ("b", "a", "other", "nothing")
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
        ({"gold.csv": "id,labels\n1,a\n1,b\n", "submissions/x.csv": TEAM}, "", "duplicate-item"),
        ({"gold.csv": "id,labels\n1,\n2,\n", "submissions/x.csv": TEAM}, "", "gold-one-class"),
        (
            {"gold.csv": GOLD, "submissions/x.csv": TEAM},
            '[gold]\ngroup = { path = "g.txt" }\n',
            "bad-setting",
        ),
        (
            {"gold.txt": "a\nb\n", "submissions/x.txt": "a\na\n"},
            '[sets]\nform = "rows"\n',
            "bad-set",
        ),
        (
            {"gold.txt": "a\nb\n", "submissions/x.txt": "a\na\n"},
            '[sets]\nform = "tags"\n',
            "bad-set",
        ),
        ({"gold.csv": GOLD, "submissions/x.csv": f"{TEAM}1,b\n"}, "", "duplicate-item"),
        ({"gold.csv": GOLD, "submissions/x.csv": f"{TEAM}7,b\n"}, "", "extra-item"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path, files, text, slug):
    """Each with its slug."""
    with pytest.raises(InputError) as error:
        campaign(tmp_path, files, text)
    assert slug in {issue.slug for issue in error.value.issues}


TAGS = 'EU B-ORG\nrejects O\nGerman B-MISC\n\nPeter B-PER\nBlackburn I-PER\n# O\n" O\n\nin O\nLondon B-LOC\n'


def test_tags_of_tokens_are_spans_even_where_no_token_is_there_twice(tmp_path):
    """So that tokens could be ids; Windows lines, other signs for no span, and quotes as tokens are read."""
    files = {
        "gold.conll": TAGS.replace(" O", " _").replace("\n", "\r\n"),
        "submissions/x.conll": TAGS,
    }
    read = campaign(tmp_path / "plain", files, '[policies]\ngold_copy = "accept"\n')
    assert read.task.label_set.labels == ("LOC", "MISC", "ORG", "PER", "nothing")
    assert evaluate(read).scores_of(ScoreKey("micro_f1")).tolist() == [1]
    tabs = {name: f"TOKEN\tNER\n{text.replace(' ', chr(9))}" for name, text in files.items()}
    with pytest.raises(InputError, match="is the line a header"):
        campaign(tmp_path / "header", tabs)
    text = '[gold]\nskip = 1\nformat = "tokens"\n[submissions]\nskip = 1\n[policies]\ngold_copy = "accept"\n'
    assert evaluate(campaign(tmp_path / "skipped", tabs, text)).scores_of(
        ScoreKey("micro_f1")
    ).tolist() == [1]


def test_case_and_aliases_are_asked_about_and_heeded_in_every_label_of_a_set(tmp_path):
    """Also behind B-; composed letters are decomposed ones."""
    gold = "id,labels\n1,caf\u00e9;joy\n2,joy\n3,fear\n"
    files = {"gold.csv": gold, "submissions/x.csv": "id,labels\n1,cafe\u0301;Joy\n2,Joy\n3,scare\n"}
    with pytest.raises(InputError, match="but for upper and lower case"):
        campaign(tmp_path / "asked", files)
    strict = evaluate(campaign(tmp_path / "apart", files, "fold_case = false\n"))
    assert strict.scores_of(ScoreKey("micro_recall")).tolist() == [1 / 4]
    folded = campaign(
        tmp_path / "folded",
        files,
        'fold_case = true\n[aliases]\nscare = "fear"\n[policies]\ngold_copy = "accept"\n',
    )
    assert evaluate(folded).scores_of(ScoreKey("micro_f1")).tolist() == [1]
    spans = {"gold.conll": TAGS, "submissions/x.conll": TAGS.replace("PER", "per")}
    with pytest.raises(InputError, match="“per” is “PER” of gold"):
        campaign(tmp_path / "tags", spans)


def test_what_parts_labels_is_asked_where_blanks_may_and_where_a_team_parts_them_otherwise(
    tmp_path,
):
    """Never one label of two in silence."""
    files = {
        "gold.csv": "id,labels\n1,joy fear\n2,joy\n3,fear\n",
        "submissions/x.csv": "id,labels\n1,joy\n2,joy\n3,\n",
    }
    with pytest.raises(InputError, match="one label, or several"):
        campaign(tmp_path / "asked", files)
    parted = campaign(tmp_path / "parted", files, '[sets]\nseparator = " "\n')
    assert parted.task.label_set.labels == ("fear", "joy", "nothing")
    other = {
        "gold.csv": "id,labels\n1,joy;fear\n2,joy\n",
        "submissions/x.csv": "id,labels\n1,joy|fear\n2,joy\n",
    }
    with pytest.raises(InputError, match="parted otherwise than by ;"):
        campaign(tmp_path / "other", other)


def of_spans(*units):
    """JSON Lines of one type of spans."""
    rows = (
        {"id": str(n), "spans": [[*at, "PER"] for at in spans]} for n, spans in enumerate(units)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


SPANS = '[gold]\nlabel = "spans"\n[submissions]\nlabel = "spans"\n[sets]\nform = "spans"\n'
GOLD_SPANS = of_spans([(0, 5), (9, 12)], [(3, 6)])


@pytest.mark.parametrize("by", [(1, 0), (0, -1), (1, 1), (0, 1)])
def test_spans_that_count_otherwise_are_refused(tmp_path, by):
    """From 1, or with the last place inside."""
    units = ([(0, 5), (9, 12)], [(3, 6)])
    moved = of_spans(*([(start + by[0], end + by[1]) for start, end in spans] for spans in units))
    with pytest.raises(
        InputError, match=re.escape(f"3 with starts {by[0]:+d} and ends {by[1]:+d}")
    ):
        campaign(
            tmp_path / "asked", {"gold.jsonl": GOLD_SPANS, "submissions/x.jsonl": moved}, SPANS
        )
    stated = f'{SPANS}[policies]\nunusable = "wrong"\n'
    read = campaign(
        tmp_path / "wrong", {"gold.jsonl": GOLD_SPANS, "submissions/x.jsonl": moved}, stated
    )
    assert evaluate(read).scores_of(ScoreKey("micro_f1")).tolist() == [0]


def test_a_span_that_ends_before_it_starts_is_a_false_alarm_and_said(tmp_path):
    """Not in silence, and no reason to refuse a team's file."""
    team = of_spans([(0, 5), (12, 9)], [(3, 6)])
    read = campaign(tmp_path, {"gold.jsonl": GOLD_SPANS, "submissions/x.jsonl": team}, SPANS)
    assert [issue.slug for issue in read.submissions[0].issues] == ["bad-set"]
    assert evaluate(read).scores_of(ScoreKey("micro_precision")).tolist() == [2 / 3]


def test_columns_that_hold_other_numbers_than_0_and_1_are_refused(tmp_path):
    """Scores have to be made decisions first, and -1 may mean anything."""
    files = {
        "gold.csv": "id,joy,fear\n1,1,0\n2,0,1\n",
        "submissions/x.csv": "id,joy,fear\n1,.7,-1\n2,0,1\n",
    }
    stated = 'label = ["joy", "fear"]\n'
    with pytest.raises(InputError, match=r"“\.7” is a score"):
        campaign(tmp_path, files, f"[gold]\n{stated}[submissions]\n{stated}")


def test_forms_that_are_not_read_say_why(tmp_path):
    """Standoff files are documents of their own; scores say nothing without the thresholds of their labels."""
    (tmp_path / "submissions").mkdir()
    (tmp_path / "gold.ann").write_text("T1\tPER 0 5\tAlice\n", encoding="utf-8")
    (tmp_path / "submissions" / "a.ann").write_text("T1\tPER 0 5\tAlice\n", encoding="utf-8")
    (tmp_path / "task.toml").write_text('kind = "sets"\n', encoding="utf-8")
    with pytest.raises(InputError, match="each file is one document"):
        read_campaign(tmp_path)
    (tmp_path / "gold.ann").unlink()
    (tmp_path / "gold.csv").write_text("id,joy,fear\na,1,0\nb,0,1\n", encoding="utf-8")
    (tmp_path / "submissions" / "b.csv").write_text(
        "id,joy,fear\na,.9,0\nb,.1,1\n", encoding="utf-8"
    )
    columns = 'label = ["joy", "fear"]\n'
    (tmp_path / "task.toml").write_text(
        f'kind = "sets"\n[sets]\nform = "columns"\n[gold]\n{columns}[submissions]\n{columns}',
        encoding="utf-8",
    )
    with pytest.raises(InputError) as refused:
        read_campaign(tmp_path)
    assert {issue.file: issue.found.partition(":")[0] for issue in refused.value.issues}.keys() == {
        "submissions/a.ann",
        "submissions/b.csv",
    }
    assert "the threshold of its label is not known" in str(refused.value)
