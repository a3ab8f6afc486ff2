"""Names of labels: for readers alone, from task.toml or from a mapping file as campaigns publish it."""

import pytest

from audit.domain import LabelSet
from audit.errors import InputError, UsageError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.report.page import document_of
from audit.store import open_store
from audit.writers.data.export import evaluation_data
from tests.report.parts import table_of

from .campaigns import write

FILES = {
    "gold.csv": "id,label\n1,0\n2,1\n3,2\n4,1\n",
    "submissions/A.csv": "id,label\n1,0\n2,1\n3,2\n4,0\n",
    "submissions/B.csv": "id,label\n1,0\n2,2\n3,2\n4,0\n",
}
NAMES = ("none", "offensive", "hateful")
TABLE = '[label_names]\n0 = "none"\n1 = "offensive"\n2 = "hateful"\n'
FILE = 'label_names_file = "map.txt"\n'


def campaign(root, toml, **more):
    return read_campaign(write(root, {**FILES, "task.toml": toml, **more}))


MAPPINGS = {
    "tabs": ("0\tnone\n1\toffensive\n2\thateful\n", ""),
    "headings": ("label,name\n0,none\n1,offensive\n2,hateful\n", ""),
    "names-first": ("none;0\noffensive;1\nhateful;2\n", ""),
    "by-number": ("0\tx\tnone\n1\ty\toffensive\n2\tz\thateful\n", "label_names_column = 3\n"),
    "by-heading": (
        "label\tx\tname\n0\tx\tnone\n1\ty\toffensive\n2\tz\thateful\n",
        'label_names_column = "name"\n',
    ),
    "more-labels": ("0,none\n1,offensive\n2,hateful\n3,other\n", ""),
    "object": ('{"0": "none", "1": "offensive", "2": "hateful", "3": "other"}', ""),
}


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_mapping_file_names_every_label(tmp_path, name):
    """However it is delimited, with further labels and columns; it is kept, and read once."""
    text, more = MAPPINGS[name]
    found = campaign(tmp_path, FILE + more, **{"map.txt": text})
    assert found.task.label_set.named == found.gold.label_set.named == NAMES
    assert found.task.label_set.labels == ("0", "1", "2")
    assert found.label_names_file.content.decode() == text
    assert "map.txt" not in found.ignored
    assert [entry.subject for entry in found.journal].count("map.txt") == 1


def test_names_in_task_toml_come_before_those_of_the_file(tmp_path):
    """A label that neither names keeps its own."""
    toml = FILE + '[label_names]\n1 = "abusive"\n'
    found = campaign(tmp_path, toml, **{"map.txt": "0,none\n1,offensive\n2,hateful\n"})
    assert found.task.label_set.named == ("none", "abusive", "hateful")
    assert campaign(tmp_path / "b", '[label_names]\n1 = "abusive"\n').task.label_set.shown == (
        "“0”",
        "abusive",
        "“2”",
    )


REFUSED = {
    "no-such-label": ('[label_names]\n7 = "x"\n', "", "bad-setting", "“7” is no label here"),
    "one-name-for-two": (
        '[label_names]\n0 = "x"\n1 = "x"\n',
        "",
        "bad-setting",
        "“x” is the name of “0” and “1”",
    ),
    "the-name-of-another": (
        '[label_names]\n0 = "1"\n',
        "",
        "bad-setting",
        "“1” is the name of “0” and “1”",
    ),
    "lacking": (FILE, "0,a\n1,b\n", "bad-label-names", "the best lacks “2”"),
    "nameless": (FILE, "0,a\n1,\n2,c\n", "bad-label-names", "no name for “1”"),
    "one-column": (FILE, "0\n1\n2\n", "bad-label-names", "a single column"),
    "no-such-column": (
        FILE + "label_names_column = 9\n",
        "0,a\n1,b\n2,c\n",
        "bad-label-names",
        "column “9”",
    ),
    "no-json": (FILE, "{nothing", "bad-label-names", "no JSON"),
    "two-names": (FILE, "0,a\n1,b\n2,c\n1,d\n", "bad-label-names", "“1” is “b” and “d”"),
    "two-keys": (
        FILE,
        '{"0": "a", "1": "b", "2": "c", "1": "d"}',
        "bad-label-names",
        "“1” is “b” and “d”",
    ),
    "no-texts": (
        FILE,
        '{"0": 1, "1": "b", "2": "c"}',
        "bad-label-names",
        "no text as the name of “0”",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_names_that_do_not_fit_are_refused(tmp_path, name):
    """With the file, and what is wrong."""
    toml, text, slug, found = REFUSED[name]
    with pytest.raises(InputError) as caught:
        campaign(tmp_path, toml, **({"map.txt": text} if text else {}))
    (issue,) = caught.value.issues
    assert issue.slug == slug
    assert found in issue.found


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"map\.txt"):
        campaign(tmp_path, FILE)


def test_names_are_kept_and_another_name_is_another_load(tmp_path):
    """The mapping file with them; the gold is the same."""
    mapping = {"map.txt": "0,none\n1,offensive\n2,hateful\n"}
    with open_store(tmp_path / "audit.db") as store:
        before = campaign(tmp_path / "a", 'slug = "t"\n')
        named = campaign(tmp_path / "b", 'slug = "t"\n' + FILE, **mapping)
        store.save_campaigns(before)
        assert store.load_campaign("t").task.label_set.names == ()
        store.save_campaigns(named)
        again = store.load_campaign("t")
        assert again.task.label_set == again.gold.label_set == named.task.label_set
        assert again.label_names_file == named.label_names_file
        assert before.gold.digest() == named.gold.digest()


def test_people_read_names_and_programs_labels(tmp_path):
    """No bare number stands for a class; JSON says which name is whose."""
    evaluation = evaluate(campaign(tmp_path, TABLE))
    data = evaluation_data(evaluation)
    assert data["labels"] == ["0", "1", "2"]
    assert data["label_names"] == dict(zip("012", NAMES, strict=True))
    assert "f1[1]" in data["scores"]
    assert [row[0] for row in table_of(document_of(evaluation), "table-classes").texts] == list(
        NAMES
    )
    unnamed = document_of(evaluate(campaign(tmp_path / "b", "")))
    assert [row[0] for row in table_of(unnamed, "table-classes").texts] == ["“0”", "“1”", "“2”"]


def test_numerals_are_quoted_and_words_are_not():
    """Signs, decimals: what a reader could take for a number."""
    numerals, words = ("0", "-1", "+1", "1.5", "−2"), ("a", "1a", "B-1", "<5", "")
    assert LabelSet(numerals).shown == tuple(f"“{label}”" for label in numerals)
    assert LabelSet(words).shown == words


def test_names_are_one_for_each_label():
    """Whoever makes a label set by hand is told."""
    for names in (("x", "x"), ("x",)):
        with pytest.raises(UsageError, match="one for each label, each another"):
            LabelSet(("a", "b"), names=names)
