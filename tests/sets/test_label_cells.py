"""The grammar of a cell of labels, as docs/kinds.md has it: what each cell is, and what is outside of it."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from audit.domain import ScoreKey
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.align.label_cells import UnclearSeparatorError, separator_of
from audit.formats.align.things import SetReader
from audit.formats.campaign.campaigns import read_campaign

PAGE = (Path(__file__).parents[2] / "docs" / "kinds.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("### A cell of labels\n")[2].partition("\n### ")[0]

READ = {
    "": [],
    "  \t": [],
    "\ufeff": [],
    "joy": ["joy"],
    " joy ": ["joy"],
    "joy, trust": ["joy", "trust"],
    "joy,trust,": ["joy", "trust"],
    ",, joy": ["joy"],
    "joy\u200b, \u200btrust": ["joy", "trust"],
    "joy\u00a0,trust": ["joy", "trust"],
    "1, 2": ["1", "2"],
    "-1": ["-1"],
    "reset(a)": ["reset(a)"],
    "Person(s), f(x)": ["Person(s)", "f(x)"],
    "don't": ["don't"],
    "C++": ["C++"],
    "B-PER": ["B-PER"],
    "'joy'": ["joy"],
    '"joy", "trust"': ["joy", "trust"],
    '"anger, intense", joy': ["anger, intense", "joy"],
    r'"say \"hi\"", joy': ['say "hi"', "joy"],
    "[]": [],
    "{}": [],
    "()": [],
    "set()": [],
    "frozenset()": [],
    "array([], dtype=object)": [],
    '[""]': [],
    '["joy"]': ["joy"],
    '["joy", "trust"]': ["joy", "trust"],
    '["null"]': ["null"],
    '["None", "joy"]': ["None", "joy"],
    r'["caf\u00e9", "\ud83d\ude00"]': ["caf\u00e9", "\U0001f600"],
    "['joy', 'trust']": ["joy", "trust"],
    "['joy', 'trust', ]": ["joy", "trust"],
    r"['it\'s', 'a\x41']": ["it's", "aA"],
    "[u'joy', u'trust']": ["joy", "trust"],
    "['joy' 'trust']": ["joy", "trust"],
    "['joy'\n 'trust']": ["joy", "trust"],
    "array(['joy', 'trust'], dtype=object)": ["joy", "trust"],
    "array(['joy', 'trust'], dtype='<U5')": ["joy", "trust"],
    "np.array(['joy'])": ["joy"],
    "[np.str_('joy'), np.str_('trust')]": ["joy", "trust"],
    "[1, 2.50, np.int64(7)]": ["1", "2.50", "7"],
    "[1 2]": ["1", "2"],
    "('joy', 'trust')": ["joy", "trust"],
    "('joy',)": ["joy"],
    "{'joy', 'trust'}": ["joy", "trust"],
    "{1, 'a'}": ["1", "a"],
    "set(['joy', 'trust'])": ["joy", "trust"],
    "frozenset({'joy'})": ["joy"],
}
REFUSED = [
    "null",
    "a, null",
    "None",
    "joy, nan",
    '["joy", null]',
    "['joy', None]",
    "[nan, 'joy']",
    "[true, false]",
    "{['a']}",
    "{'a': 1}",
    "{'joy', {'a': 1}}",
    "[joy, trust]",
    "{joy,trust}",
    "(none)",
    "set(a)",
    "set('joy')",
    "['joy''trust']",
    "['joy' 'trust', 'fear']",
    "('joy' 'trust')",
    "{'joy' 'trust'}",
    "['joy', , 'trust']",
    "[,]",
    "['joy' ... 'trust']",
    "['joy'",
    "['joy']]",
    "['joy'] trust",
    "joy, ['trust']",
    'joy ["trust"]',
    "array(['joy'], 7)",
    "array(['joy'], dtype=3)",
    "Index(['joy'])",
    "OrderedSet(['joy', 'trust'])",
    "dict_keys(['joy'])",
    "[b'joy']",
    r"['\q']",
    "'joy",
    "joy'",
    "\u201cjoy\u201d",
    'jo"y',
    "joy\ntrust",
    "joy\ttrust",
    '["joy\\ntrust"]',
    "\"['joy', 'trust']\"",
    r'["\ud83d"]',
    "[" * 200,
    "['a'" * 100,
    "1 + 1 if [] else {",
    "[__import__('os')]",
    "[x for x in 'joy']",
]


@pytest.mark.parametrize(("cell", "labels"), READ.items())
def test_a_cell_of_the_grammar_has_these_labels(cell, labels):
    """Parted by commas where it is no list."""
    assert SetReader("list").of_cell(cell) == [(label, "") for label in labels]


@pytest.mark.parametrize("cell", REFUSED)
def test_a_cell_outside_of_the_grammar_is_refused_and_shown(cell):
    """Whatever it is, with its beginning, and never by another error."""
    with pytest.raises(ValueError, match="is no list of labels") as refused:
        SetReader("list").of_cell(cell)
    assert str(refused.value).startswith("“")
    assert re.sub(r"\W", "", cell)[:3] in re.sub(r"\W", "", str(refused.value))


@given(some.text(some.sampled_from("joyabc ,;'\"[](){}:=.\\nu1\n\t\u200b"), max_size=30))
def test_no_cell_ends_a_program(cell):
    """Any text has labels without blanks at their ends, or is refused."""
    try:
        things = SetReader("list").of_cell(cell)
    except ValueError:
        return
    assert all(label == label.strip() != "" for label, _ in things)


@given(
    some.lists(
        some.text(some.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8),
        max_size=5,
    )
)
def test_what_python_and_json_write_is_read_back(labels):
    """Quotes, escapes and brackets inside of labels included."""
    labels = [label for label in labels if label[0] not in "[{"]
    things = [(label, "") for label in labels]
    assert SetReader("list").of_cell(json.dumps(labels)) == things
    assert SetReader("list").of_cell(repr(labels)) == things
    assert SetReader("list").of_cell(repr(tuple(labels))) == things


def test_the_page_says_what_is_read():
    """Each cell of its table."""
    rows = re.findall(r"^\| `(.+)` \| (.+) \|$", SECTION, re.MULTILINE)
    assert len(rows) > 6
    for cell, said in rows:
        if said == "refused":
            with pytest.raises(ValueError, match="is no list of labels"):
                SetReader("list").of_cell(cell)
        else:
            expected = [] if said == "none" else re.findall(r"\*([^*]+)\*", said)
            assert [label for label, _ in SetReader("list").of_cell(cell)] == expected


def campaign(folder, gold, team, text=""):
    """The campaign of two lists of cells."""
    (folder / "submissions").mkdir(parents=True)
    for name, cells in (("gold.tsv", gold), ("submissions/x.tsv", team)):
        rows = "".join(f"m{number}\t{cell}\n" for number, cell in enumerate(cells))
        (folder / name).write_text(f"id\tlabels\n{rows}", encoding="utf-8")
    (folder / "task.toml").write_text(f'kind = "sets"\n{text}', encoding="utf-8")
    return read_campaign(folder)


TEAM = ["joy", "trust", "joy", "fear"]


@pytest.mark.parametrize(
    "cell", ["joy/trust", "joy+trust", "joy & trust", "joy\uff0ctrust", "joy\u3001trust"]
)
@pytest.mark.parametrize("alone", [["joy", "trust"], ["fear", "anger"]])
def test_what_may_part_labels_of_gold_is_asked_and_each_answer_read(tmp_path, cell, alone):
    """Whether its labels stand by themselves or not."""
    gold = [cell, *alone, "fear"]
    with pytest.raises(InputError, match="one label, or several") as asked:
        campaign(tmp_path / "asked", gold, TEAM)
    (issue,) = asked.value.issues
    assert cell in issue.found
    several, one = re.findall(r'separator = "[^"]+"', issue.remedy)
    parted = campaign(tmp_path / "parted", gold, TEAM, f"[sets]\n{several}\n")
    assert {"joy", "trust"} <= set(parted.task.label_set.labels)
    whole = campaign(tmp_path / "whole", gold, ["fear"] * 4, f"[sets]\n{one}\n")
    assert cell in whole.task.label_set.labels


def test_two_separators_in_gold_are_asked_for(tmp_path):
    """Neither goes first; a declared label set tells."""
    gold = ["joy; trust", "anger, intense", "joy", "trust"]
    with pytest.raises(InputError, match="by what are labels parted") as asked:
        campaign(tmp_path / "asked", gold, TEAM)
    assert 'separator = "," or separator = ";"' in asked.value.issues[0].remedy
    stated = campaign(tmp_path / "stated", gold, TEAM, '[sets]\nseparator = ";"\n')
    assert "anger, intense" in stated.task.label_set.labels
    labels = ["anger, intense", "fear", "joy", "trust"]
    declared = campaign(tmp_path / "declared", gold, TEAM, f"labels = {labels}\n".replace("'", '"'))
    assert declared.task.label_set.labels == (*labels, "nothing")


@pytest.mark.parametrize(
    ("cells", "separator"),
    [
        (["a;b", "a"], ";"),
        (["a|b"], "|"),
        (["a"], ","),
        (["C++", "+1", "a/"], ","),
        (["['a;b']", "a,b"], ","),
        (["Arts & Letters; Sports", "Sports"], ";"),
        (['"a;b", c'], ","),
    ],
)
def test_the_separator_is_the_only_one_of_three_that_gold_has(cells, separator):
    """Lists and quoted members tell nothing; another sign inside is text where a separator is known."""
    assert separator_of(cells) == separator


@pytest.mark.parametrize("cells", [["a/b; c", "a; b"], ["a and b", "a", "b"], ["a b", "a; b"]])
def test_labels_that_stand_by_themselves_elsewhere_are_asked_for(cells):
    """Though a separator is known, or the sign is a word or a blank."""
    with pytest.raises(UnclearSeparatorError, match="one label, or several"):
        separator_of(cells)


@pytest.mark.parametrize(
    "cell",
    ["joy/trust", "joy & trust", "joy and trust", "joy|trust", "joy\uff0cpride", "joy trust"],
)
def test_a_team_that_parts_labels_otherwise_is_refused(tmp_path, cell):
    """Until task.toml states that such labels are wrong."""
    gold = ["joy, trust", "joy", "trust", "fear"]
    with pytest.raises(InputError, match="parted otherwise than by ,"):
        campaign(tmp_path / "refused", gold, [cell, *TEAM[1:]])
    stated = campaign(
        tmp_path / "stated", gold, [cell, *TEAM[1:]], '[policies]\nunusable = "wrong"\n'
    )
    assert (cell, 1) in [
        pair for submission in stated.submissions for pair in submission.unusable_labels
    ]


def test_a_word_for_a_missing_value_is_a_label_or_none_as_stated(tmp_path):
    """By an alias, as the message offers, or as a declared label."""
    gold = ["joy, null", "null", "trust", "fear"]
    with pytest.raises(InputError, match="“null” is no label") as refused:
        campaign(tmp_path / "refused", gold, TEAM)
    assert '[aliases]: "null" = ""' in refused.value.issues[0].remedy
    empty = campaign(tmp_path / "empty", gold, TEAM, '[aliases]\n"null" = ""\n')
    assert empty.task.label_set.labels == ("fear", "joy", "trust", "nothing")
    assert evaluate(empty).scores_of(ScoreKey("micro_recall")).tolist() == [2 / 3]
    declared = campaign(
        tmp_path / "declared", gold, TEAM, 'labels = ["joy", "null", "trust", "fear"]\n'
    )
    assert "null" in declared.task.label_set.labels


def test_what_has_no_width_is_no_part_of_a_label(tmp_path):
    """On either side."""
    read = campaign(tmp_path, ["a", "b", "c\u200b"], ["a", "a", "\ufeffc"])
    assert read.task.label_set.labels == ("a", "b", "c", "nothing")
    assert evaluate(read).scores_of(ScoreKey("micro_f1")).tolist() == [2 / 3]


@pytest.mark.parametrize(
    "cells",
    [["[0, 1, 1]", "[1, 0, 0]"], ["0,1", "1,0"], ["0 1 1", "1 0 0"], ["[0. 1.]", "[1. 1.]"]],
)
def test_vectors_of_0_and_1_are_no_sets_of_labels(tmp_path, cells):
    """Which of their columns is which label nobody says."""
    with pytest.raises(InputError, match="says 0 or 1 of each label"):
        campaign(tmp_path, [*cells, cells[0]], [*cells, cells[1]])
