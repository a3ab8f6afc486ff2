"""What happened to a file on its way is said in its issue, where it can be told, with what to do about it."""

import json

import numpy as np
import pytest

from audit.domain import Gold, LabelSet
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.single_file import AnswerKey, check_submission

from .campaigns import ANSWERS, GOLD, refusal, write
from .tables import parquet_table, workbook

IDS = tuple(f"9206672542562549{number}" for number in range(10, 40))
LABELS = ["no", "yes", "yes"] * 10


def gold_of(ids):
    """Gold with these ids."""
    return Gold(LabelSet(("no", "yes")), np.array([0, 1, 1] * 10, "u1"), tuple(ids))


def table(ids, labels=LABELS):
    """Ids and labels as a delimited file."""
    rows = [("id", "label"), *zip(ids, labels, strict=True)]
    return "".join(f"{item_id},{label}\n" for item_id, label in rows).encode()


def fatal_issues(gold, content, name="A.csv"):
    """Why a file is rejected."""
    return [
        issue for issue in check_submission(name, content, AnswerKey(gold)).issues if issue.fatal
    ]


CHANGES = {
    "leading zeros": (
        [f"{n:04}" for n in range(1, 31)],
        [str(n) for n in range(1, 31)],
        "for zeros",
    ),
    "scientific": (IDS, [f"{float(item_id):.5E}" for item_id in IDS], "scientific notation"),
    "scientific by a German Excel": (
        IDS,
        [f"{float(i):.5E}".replace(".", ",") for i in IDS],
        "scientific notation",
    ),
    "cut to 15 digits": (IDS, [f"{item_id[:15]}000" for item_id in IDS], "from the 16th digit on"),
    "floats": (IDS, [f"{float(item_id):.0f}" for item_id in IDS], "rounded"),
    "a point": (range(1, 31), [f"{n}.0" for n in range(1, 31)], "“.0” behind"),
    "case and blanks": (
        [f"q{n}" for n in range(30)],
        [f" Q{n}" for n in range(30)],
        "except for blanks",
    ),
    "file names": (
        [f"img/{n}.png" for n in range(30)],
        [str(n) for n in range(30)],
        "folders and endings",
    ),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changed_ids_are_said_to_be_so(case):
    """In one issue, which shows some of both; and what to do is not to look for another column."""
    gold_ids, ids, words = CHANGES[case]
    delimiter = "\t" if "," in ids[0] else ","
    content = (
        table(ids).replace(b",no", b"\tno").replace(b",yes", b"\tyes").replace(b"id,", b"id\t")
    )
    issues = fatal_issues(gold_of(map(str, gold_ids)), content if delimiter == "\t" else table(ids))
    unknown = [issue for issue in issues if issue.slug == "unknown-item"]
    assert len(unknown) == 1
    assert words in unknown[0].found
    assert "as gold has them" in unknown[0].remedy
    assert str(ids[0]).strip() in unknown[0].items


@pytest.mark.parametrize("is_headed", [True, False])
@pytest.mark.parametrize("case", ["leading zeros", "a point", "file names", "folders"])
def test_the_pattern_that_is_offered_reads_the_file(case, is_headed, tmp_path):
    """Whether the column is told by its name, or by what it holds."""
    folders = [f"img/{n}.png" for n in range(30)], [f"{n}.png" for n in range(30)], ""
    gold_ids, ids, _ = {**CHANGES, "folders": folders}[case]
    rows = [
        f"{item_id},some text of {item_id},{label}"
        for item_id, label in zip(ids, LABELS, strict=True)
    ]
    answers = "\n".join(["id,text,label", *rows][1 - is_headed :])
    files = {"gold.csv": table(map(str, gold_ids)), "submissions/A.csv": answers}
    setting = refusal(tmp_path, files)[0].remedy.partition("at the top: ")[2].partition("; or")[0]
    campaign = read_campaign(write(tmp_path, {"task.toml": f"{setting}\n"}))
    assert campaign.submissions[0].codes.tolist() == campaign.gold.codes.tolist()


def test_gold_that_lost_digits_is_told_from_a_file_that_did():
    """In the same words: the ids that are shown tell which of the two it is."""
    (issue,) = fatal_issues(
        gold_of(map(str, range(1, 31))), table([f"{n:03}" for n in range(1, 31)])
    )
    assert "except for zeros" in issue.found
    assert issue.items == "the file has “001”; gold has “1”"


def test_ids_of_which_some_are_right_by_chance_are_said_to_be_changed_too():
    """Numbers of three digits have no zeros to lose."""
    gold_ids = [f"{n:03}" for n in range(80, 110)]
    (issue,) = fatal_issues(gold_of(gold_ids), table([str(n) for n in range(80, 110)]))
    assert "only 10 of the ids" in issue.found
    assert issue.count == 20


def test_other_ids_are_not_said_to_be_changed():
    """Another numbering is another numbering."""
    (issue,) = fatal_issues(gold_of(IDS), table([f"x{n}" for n in range(30)]))
    assert issue.found == "gold has none of the ids of this file"
    assert "compared as text" in issue.remedy
    assert "id = …" not in issue.remedy  # every column was tried


@pytest.mark.parametrize("name", ["A.xlsx", "A.parquet"])
def test_long_numbers_in_a_workbook_or_table_are_one_issue_that_says_so(name):
    """Not a second one that says that gold does not know them."""
    numbers = [float(item_id) for item_id in IDS]
    rows = [["id", "label"], *map(list, zip(numbers, LABELS, strict=True))]
    content = workbook(rows) if name == "A.xlsx" else parquet_table(id=numbers, label=LABELS)
    (issue,) = fatal_issues(gold_of(IDS), content, name)
    assert (issue.slug, issue.count) == ("doubtful-id", 30)
    assert "more than 15 digits" in issue.found


def test_scores_in_place_of_labels_are_asked_what_they_mean():
    """With the setting, and the column that they stand in; few numbers may be labels of another task."""
    lines = [json.dumps({"id": item_id, "score": n / 100}) for n, item_id in enumerate(IDS)]
    (issue,) = fatal_issues(gold_of(IDS), "\n".join(lines).encode(), "A.jsonl")
    assert issue.slug == "no-usable-answer"
    assert 'score = "score", threshold = …, above = …, below = …' in issue.remedy
    (issue,) = fatal_issues(gold_of(IDS), table(IDS, ["0", "1", "1"] * 10))
    assert "score" not in issue.remedy
    assert "[aliases]" in issue.remedy


def test_an_entry_too_many_is_no_line():
    """A list in JSON has no lines and no header."""
    gold = Gold(LabelSet(("no", "yes")), np.array([0, 1, 1] * 10, "u1"))
    (issue,) = fatal_issues(gold, json.dumps([*LABELS, "no"]).encode(), "A.json")
    assert (issue.slug, issue.remedy) == ("line-count", "find the entry that is too many")


@pytest.mark.parametrize("label", ["no", "naïve"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_no_text_until_task_toml_says_so(codec, label):
    """With the encoding that task.toml can name, by which it is then read."""
    gold = Gold(LabelSet((label, "yes")), np.array([0, 1, 1] * 10, "u1"), IDS)
    content = table(IDS, [label, "yes", "yes"] * 10).decode().encode(codec)
    (issue,) = fatal_issues(gold, content)
    assert issue.slug == "binary-file"
    assert 'encoding = "utf-16-le"' in issue.remedy
    assert check_submission(
        "A.csv", content, AnswerKey(gold, f'[submissions]\nencoding = "{codec}"\n'.encode())
    ).is_accepted
    assert fatal_issues(gold, b"\0\1\0\2\xff")[0].slug == "binary-file"


def test_a_byte_order_mark_goes_before_the_encoding_that_task_toml_names(tmp_path):
    """Which is of all files, where some are of a team that works in another way."""
    answers = ANSWERS.replace("no", "naïve")
    files = {
        "gold.csv": GOLD.replace("no", "naïve"),
        "task.toml": '[submissions]\nencoding = "latin-1"\n',
        "submissions/A.csv": answers.encode("latin-1"),
        "submissions/B.csv": answers.encode("utf-8-sig"),
        "submissions/C.csv": answers.encode("utf-16"),
    }
    campaign = read_campaign(write(tmp_path, files))
    assert [each.codes.tolist() for each in campaign.submissions] == [[0, 0, 0, 1]] * 3


@pytest.mark.usefixtures("copies_accepted")
def test_gold_with_a_token_on_each_line_is_not_taken_for_lines_of_labels(tmp_path):
    """However often a token with its tag comes again: gold lacks no label, and blank lines end sentences."""
    sentences = ["the\tO\ncat\tB\nthe\tO\ndog\tB", "the\tO\ncat\tB", "the\tO\ndog\tO\n"] * 4
    files = {"gold.conll": "\n\n".join(sentences), "submissions/A.conll": "\n\n".join(sentences)}
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.task.label_set.labels == ("B", "O")


@pytest.mark.parametrize(
    ("gold", "beats_chance"),
    [("no\n\nyes\nno\nyes\n", False), ("a O\nthe O\n\nthe O\na B\na B\nthe O\n" * 3, True)],
)
def test_a_blank_line_among_gold_labels_is_a_label_that_lacks(gold, beats_chance, tmp_path):
    """That it may stand between sequences is said where there are blanks; labels may have some too."""
    issue = refusal(tmp_path, {"gold.txt": gold, "submissions/A.txt": gold})[0]
    assert issue.slug == "gold-missing-label"
    assert ('format = "tokens"' in issue.remedy) is beats_chance
