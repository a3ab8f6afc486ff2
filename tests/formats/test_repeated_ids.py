"""Ids of gold that repeat: the columns that tell its rows apart are proposed, and no line is to go."""

import pytest

from audit.errors import ISSUE_KINDS, InputError
from audit.formats.campaign.campaigns import read_campaign
from tests.formats.campaigns import write

SENTENCES = [
    ("d1", "1", "a"),
    ("d1", "2", "b"),
    ("d2", "1", "b"),
    ("d2", "2", "a"),
    ("d2", "3", "a"),
]


def files(heads, rows, **more):
    """Gold and two teams in the same columns."""
    text = "".join(f"{','.join(row)}\n" for row in (heads, *rows))
    return {
        "gold.csv": text,
        "submissions/A.csv": text.replace(",b\n", ",a\n"),
        "submissions/B.csv": text,
        **more,
    }


def refusal(folder):
    with pytest.raises(InputError) as caught:
        read_campaign(folder)
    return [issue for issue in caught.value.issues if issue.slug == "duplicate-item"]


@pytest.mark.parametrize(
    "heads", [("doc", "sent", "label"), ("id", "sent", "label"), ("id", "text", "label")]
)
def test_a_pair_of_columns_that_is_unique_is_proposed(tmp_path, heads):
    """Where one alone is not; by what is proposed the folder is read."""
    issue, *_ = refusal(write(tmp_path / "one", files(heads, SENTENCES)))
    setting = f'id = ["{heads[0]}", "{heads[1]}"]'
    assert issue.remedy.startswith(
        f"if the two columns together are the id, write into task.toml, under [gold]: {setting}"
    )
    assert [choice.settings for choice in issue.choices] == [setting]
    settings = f'[gold]\n{setting}\n[policies]\ngold_copy = "accept"\n'
    read = read_campaign(
        write(tmp_path / "two", files(heads, SENTENCES, **{"task.toml": settings}))
    )
    assert (read.gold.n_items, len(read.submissions)) == (5, 2)


def test_a_column_that_is_unique_alone_is_proposed_first(tmp_path):
    """Texts of several words are no ids, though they differ."""
    rows = [
        (doc, f"n{number}", "a text" + " more" * number, label)
        for number, (doc, _, label) in enumerate(SENTENCES)
    ]
    heads = ("id", "serial", "text", "label")
    issue, *_ = refusal(write(tmp_path / "one", files(heads, rows)))
    assert [choice.settings for choice in issue.choices] == ['id = "serial"']
    only_texts = [(doc, text, label) for doc, _, text, label in rows]
    issue, *_ = refusal(write(tmp_path / "two", files(("id", "text", "label"), only_texts)))
    assert issue.choices == ()


def test_where_no_column_helps_nobody_is_told_to_remove_a_line(tmp_path):
    """What is twice in gold stays there: the columns are to be named, or the order holds."""
    issue, *_ = refusal(
        write(tmp_path, files(("id", "label"), [("1", "a"), ("1", "b"), ("2", "a")]))
    )
    assert issue.choices == ()
    assert issue.remedy.startswith("name the column, or the columns, that tell gold's items apart")
    assert "remove" not in issue.remedy


def test_no_remedy_for_gold_removes_lines():
    """In the whole catalogue."""
    of_gold = [
        kind
        for slug, kind in ISSUE_KINDS.items()
        if slug.startswith("gold-") and slug != "gold-copy"
    ]
    for kind in (*of_gold, ISSUE_KINDS["header-as-answer"]):
        assert "remove" not in kind.remedy, kind.slug
        assert "delete" not in kind.remedy, kind.slug
