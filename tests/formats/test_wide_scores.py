"""Scores of items in a wide table: a column for each system, named by a pattern or one by one, never guessed."""

import json

import pytest

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign

from .campaigns import write
from .tables import parquet_table, workbook

COLUMNS = {
    "id": ["1", "2", "3", "4"],
    "gold": ["no", "yes", "no", "yes"],
    "A": ["no", "yes", "yes", "yes"],
    "A_p": [0.1, 0.8, 0.25, 0.75],
    "B": ["no", "yes", "no", "no"],
    "B_p": [0.2, 0.9, 0.3, 0.4],
}
STATED = 'official_metric = "auc"\n[wide]\nscore = "{team}_p"\nabove = "yes"\n'


def rows(columns):
    """The names, and a row for each item."""
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


def delimited(columns):
    return "".join(",".join(map(str, row)) + "\n" for row in rows(columns))


ITEMS = [dict(zip(COLUMNS, row, strict=True)) for row in rows(COLUMNS)[1:]]
FORMATS = {
    "all.csv": delimited(COLUMNS),
    "all.xlsx": workbook(rows(COLUMNS)),
    "all.parquet": parquet_table(**COLUMNS),
    "all.json": json.dumps(ITEMS),
    "all.jsonl": "\n".join(map(json.dumps, ITEMS)),
}


def read(tmp_path, columns=COLUMNS, settings=STATED):
    return read_campaign(write(tmp_path, {"all.csv": delimited(columns), "task.toml": settings}))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("more", ["", 'systems = ["A", "B"]\n'])
def test_every_format_of_a_wide_table_has_them(name, more, tmp_path):
    """Its labels as without them; the columns of scores are no systems."""
    campaign = read_campaign(write(tmp_path, {name: FORMATS[name], "task.toml": STATED + more}))
    assert [(each.team, each.codes.tolist()) for each in campaign.submissions] == [
        ("A", [0, 1, 1, 1]),
        ("B", [0, 1, 0, 0]),
    ]
    assert [each.scores.tolist() for each in campaign.submissions] == [
        COLUMNS["A_p"],
        COLUMNS["B_p"],
    ]
    assert (campaign.task.scored_labels, campaign.issues) == (("yes",), [])
    assert [entry.text.count("_p” the scores") for entry in campaign.journal[1:3]] == [1, 1]
    assert "with their scores in “A_p” and “B_p”" in campaign.task.assumptions[-1]


def test_each_can_be_named(tmp_path):
    """By its system, whatever it is called; the others are systems, or not named in systems."""
    settings = '[wide]\nscore = { A = "B_p", B = "A_p" }\nabove = "yes"\n'
    assert [each.scores.tolist() for each in read(tmp_path, settings=settings).submissions] == [
        COLUMNS["B_p"],
        COLUMNS["A_p"],
    ]


def test_a_system_without_them_has_none(tmp_path):
    """Its labels count; the policy may reject it."""
    columns = {name: column for name, column in COLUMNS.items() if name != "B_p"}
    campaign = read(tmp_path / "a", columns)
    assert [each.scores is None for each in campaign.submissions] == [False, True]
    assert [(issue.slug, issue.found) for issue in campaign.issues] == [
        ("missing-score", "column “B”: no column of scores")
    ]
    with pytest.raises(InputError, match="missing-score"):
        read(tmp_path / "b", columns, f"strict = true\n{STATED}")


@pytest.mark.parametrize(
    ("cell", "slug"),
    [
        ("high", "missing-score"),
        ("", "missing-score"),
        ("nan", "missing-score"),
        ("7", "score-outside"),
    ],
)
def test_what_is_no_score_is_said_as_of_other_files(cell, slug, tmp_path):
    """With the system's column and the line; the labels stand."""
    campaign = read(tmp_path, COLUMNS | {"B_p": [0.2, cell, 0.3, 0.4]})
    (issue,) = campaign.issues
    assert (issue.slug, issue.lines, issue.fatal) == (slug, (3,), False)
    assert issue.found.startswith("column “B”: ")
    assert campaign.submissions[1].codes.tolist() == [0, 1, 0, 0]
    assert (campaign.submissions[1].scores is None) == (slug != "score-outside")


REFUSED = {
    "no label": ('[wide]\nscore = "{team}_p"\n', "bad-setting", "score without above"),
    "no scores": ('[wide]\nabove = "yes"\n', "bad-setting", "above without score"),
    "no such label": (
        '[wide]\nscore = "{team}_p"\nabove = "maybe"\n',
        "bad-setting",
        "scores for “maybe”",
    ),
    "not of the labels": (
        f'labels = ["no", "yes"]\n{STATED}'.replace('"yes"\n', '"maybe"\n'),
        "bad-setting",
        "“maybe”",
    ),
    "three labels": (
        f'labels = ["no", "yes", "x"]\n{STATED}',
        "bad-setting",
        "score, with 3 labels",
    ),
    "no pattern": ('[wide]\nscore = "p"\nabove = "yes"\n', "bad-setting", 'score = "p"'),
    "nothing but the system": (
        '[wide]\nscore = "{team}"\nabove = "yes"\n',
        "bad-setting",
        "{team}",
    ),
    "one column twice": (
        '[wide]\nscore = { A = "A_p", B = "A_p" }\nabove = "yes"\n',
        "bad-setting",
        "score",
    ),
    "no such column": (
        '[wide]\nscore = { A = "A_q" }\nabove = "yes"\nsystems = ["A"]\n',
        "no-such-column",
        "“A_q”",
    ),
    "no column at all": (
        '[wide]\nscore = "{team}_q"\nabove = "yes"\nsystems = ["A"]\n',
        "no-such-column",
        "so for any",
    ),
    "no such system": (
        '[wide]\nscore = { D = "A_p" }\nabove = "yes"\nsystems = ["A"]\n',
        "no-such-column",
        "“D”",
    ),
    "gold": (
        '[wide]\nscore = { gold = "A_p" }\nabove = "yes"\nsystems = ["A"]\n',
        "no-such-column",
        "no system",
    ),
    "a system": (
        '[wide]\nscore = { A = "B" }\nabove = "yes"\nsystems = ["A", "B"]\n',
        "no-such-column",
        "something else",
    ),
    "ids": (
        '[wide]\nscore = { A = "id" }\nabove = "yes"\nsystems = ["A"]\n',
        "no-such-column",
        "something else",
    ),
    "systems and scores": (
        '[wide]\nscore = "{team}_p"\nabove = "yes"\n',
        "ambiguous-reading",
        "“A_p” could be systems",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_go_together_is_refused(case, tmp_path):
    """With the setting, or the columns, and what to write."""
    settings, slug, found = REFUSED[case]
    columns = COLUMNS | ({"A_p_p": COLUMNS["A_p"]} if case == "systems and scores" else {})
    with pytest.raises(InputError) as caught:
        read(tmp_path, columns, settings)
    issue = caught.value.issues[0]
    assert issue.slug == slug
    assert found in issue.found
    assert issue.remedy


def test_a_column_of_scores_that_nothing_names_is_no_system(tmp_path):
    """As before: what is hardly a system has to be decided."""
    with pytest.raises(InputError, match=r"“A_p” and “B_p” with few or no labels of gold"):
        read(tmp_path, settings="[wide]\n")


def test_a_metric_of_them_says_what_to_write(tmp_path):
    """Under [wide], where the campaign has it."""
    with pytest.raises(InputError, match=r"under \[wide\].*score = \"\{team\}_score\""):
        read(tmp_path, settings='official_metric = "auc"\n[wide]\nsystems = ["A", "B"]\n')
