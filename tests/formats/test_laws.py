"""Laws over any content: what is written is what is read, and nothing but listed issues is ever raised."""

import csv
import io
import json
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.errors import ISSUE_KINDS, InputError
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.door.draft import draft
from tests.nightly import examples

from .campaigns import ANSWERS, GOLD, write

TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
).filter(lambda text: text == text.strip("\r\n"))  # the end of a line that was copied is no text
DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";", "|": "|", " ": " "}
LABELS = ("ja", "nein", "weiß nicht, nein", 'sagt "ja"', "a\nb", " ja", "#1")


def read(files):
    """The campaign of some files."""
    with tempfile.TemporaryDirectory() as name:
        return read_campaign(write(Path(name), files))


def outcome(files):
    """The campaign of some files or the issues that refuse it; a draft comes of them, or issues."""
    with tempfile.TemporaryDirectory() as name:
        root = write(Path(name), files)
        with suppress(InputError):
            draft(root)
        try:
            return read_campaign(root), ()
        except InputError as error:
            return None, error.issues


def delimited(rows, delimiter, end, encoding, *, header):
    """Rows as a delimited file, every cell in quotes: a bare CR in a cell would end the line."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([("key", "class"), *rows] if header else rows)
    return text.getvalue().encode(encoding)


@st.composite
def answers(draw):
    """Distinct ids, their gold labels with at least two classes, their answers, and the order these come in."""
    ids = draw(st.lists(TEXT, min_size=2, max_size=12, unique=True))
    label = st.sampled_from(LABELS)
    gold = draw(
        st.lists(label, min_size=len(ids), max_size=len(ids)).filter(
            lambda labels: len(set(labels)) > 1
        )
    )
    given_labels = draw(st.lists(label, min_size=len(ids), max_size=len(ids)))
    return ids, gold, given_labels, draw(st.permutations(range(len(ids))))


@examples(30)
@given(
    answers=answers(),
    delimiter=st.sampled_from(sorted(DELIMITERS)),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    header=st.booleans(),
)
def test_what_is_written_as_delimited_text_is_what_is_read(
    answers, delimiter, end, encoding, header
):
    """Any ids and labels, by any delimiter, line end and encoding, in any order, where task.toml states the reading."""
    ids, gold, labels, order = answers
    columns = 'id = "key"\nlabel = "class"' if header else "id = 1\nlabel = 2"
    stated = f'delimiter = "{delimiter}"\nheader = {str(header).lower()}\ncomment = ""\n{columns}\n'
    toml = (
        f'labels = {json.dumps(LABELS, ensure_ascii=False)}\n[policies]\ngold_copy = "accept"\n'
        f"[gold]\n{stated}[submissions]\n{stated}"
    )
    rows = list(zip(ids, labels, strict=True))
    campaign = read(
        {
            "task.toml": toml,
            "gold.txt": delimited(
                zip(ids, gold, strict=True), DELIMITERS[delimiter], end, encoding, header=header
            ),
            "submissions/A.txt": delimited(
                [rows[position] for position in order],
                DELIMITERS[delimiter],
                end,
                encoding,
                header=header,
            ),
        }
    )
    assert campaign.gold.item_ids == tuple(ids)
    assert [LABELS[code] for code in campaign.gold.codes] == gold
    assert [LABELS[code] for code in campaign.submissions[0].codes] == labels


@examples(25)
@given(answers=answers())
def test_what_is_written_as_json_lines_is_what_is_read(answers):
    """Any ids and labels, with their fields recognised by name."""
    ids, gold, labels, order = answers
    rows = [
        json.dumps({"id": item, "label": label}) for item, label in zip(ids, labels, strict=True)
    ]
    campaign = read(
        {
            "task.toml": f"labels = {json.dumps(LABELS, ensure_ascii=False)}\n",
            "gold.jsonl": "\n".join(
                json.dumps({"id": i, "label": g}) for i, g in zip(ids, gold, strict=True)
            ),
            "submissions/A.jsonl": "\n".join(rows[position] for position in order),
        }
    )
    assert campaign.gold.item_ids == tuple(ids)
    assert [LABELS[code] for code in campaign.submissions[0].codes] == labels


@examples(25)
@given(
    labels=st.lists(
        st.sampled_from(["ja", "nein", "", "x y", "\x0b", "\u2028", "\x85"]),
        min_size=3,
        max_size=20,
    )
)
def test_one_label_per_line_is_read_by_position(labels):
    """An empty line is a missing answer, and nothing but LF, CRLF and CR ends a line."""
    gold = ["ja", "nein", *["ja"] * (len(labels) - 2)]
    gold_settings = '[gold]\nformat = "lines"\nheader = false\n'
    toml = (
        f'labels = ["ja", "nein"]\n{gold_settings}[submissions]\nformat = "lines"\nheader = false\n'
    )
    submission = "".join(f"{label}\n" for label in labels)
    if submission.isspace():
        return
    files = {"task.toml": toml, "gold.txt": "\n".join(gold), "submissions/A.txt": submission}
    if not {"ja", "nein"} & set(labels):
        with pytest.raises(InputError, match="no-usable-answer"):
            read(files)
        return
    campaign = read(files)
    codes = {"ja": 0, "nein": 1, "": 2}
    assert campaign.submissions[0].codes.tolist() == [codes.get(label, 3) for label in labels]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.sampled_from(["1", "2", "no", "yes", "", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=3,
)
OBJECTS = st.lists(st.dictionaries(st.sampled_from(["id", "label", "x"]), JSON) | JSON, max_size=6)

BYTES = st.one_of(
    OBJECTS.map(lambda objects: "\n".join(map(json.dumps, objects)).encode()),
    st.binary(max_size=200),
    st.text(st.sampled_from('id,label\n\r\t;"#{}[]:0123noyes \ufeff\0é'), max_size=120).map(
        str.encode
    ),
    st.lists(
        st.sampled_from(
            ["1,no", "2,yes", "3,no", "4,yes", "id,label", "", "no", '"', "{", "# a", "5"]
        ),
        max_size=8,
    ).map(lambda lines: "\n".join(lines).encode()),
)


@examples(40)
@given(content=BYTES, name=st.sampled_from(["A.csv", "A.jsonl", "A.txt", "A/run.tsv"]))
@example(content=b'{"a":' * 100_000, name="A.jsonl")
@example(content=b'{"id": "1", "label": "\\ud800"}\n', name="A.jsonl")
@example(content=b"\xff\xfe\xff", name="A.csv")
@example(content=b'{"id": null, "label": {"a": "no"}}\n{"a": "no"}', name="A.csv")
@example(content=b'{"id": ' + b"1" * 5000 + b', "label": "no"}', name="A.jsonl")
def test_any_bytes_are_a_submission_or_listed_issues(content, name):
    """Never another exception than InputError, and every issue is of the catalogue and names the file."""
    campaign, issues = outcome({"gold.csv": GOLD, f"submissions/{name}": content})
    assert (campaign is None) == bool(issues)
    assert {issue.slug for issue in issues} <= set(ISSUE_KINDS)
    assert {issue.file for issue in issues} <= {f"submissions/{name}"}
    assert (
        campaign is None or campaign.submissions[0].codes.max() <= len(campaign.task.label_set) + 1
    )


@examples(40)
@given(content=BYTES, name=st.sampled_from(["gold.csv", "gold.jsonl", "gold.txt", "task.toml"]))
@example(content=b"a = " + b"[" * 100_000, name="task.toml")
@example(content=b"a = " + b"1" * 5000, name="task.toml")
@example(content=b"\xff", name="task.toml")
def test_any_bytes_are_gold_or_settings_or_listed_issues(content, name):
    """Likewise for the files on which all others depend; and a draft comes of whatever is there."""
    files = {"gold.csv": GOLD} if name == "task.toml" else {}
    campaign, issues = outcome({**files, name: content, "submissions/A.csv": ANSWERS})
    assert (campaign is None) == bool(issues)
    assert {issue.slug for issue in issues} <= set(ISSUE_KINDS)


@examples(40)
@given(content=BYTES, name=st.sampled_from(["data.csv", "table.tsv"]))
def test_any_bytes_are_a_wide_file_or_listed_issues(content, name):
    """Likewise for the one file of a folder without submissions."""
    campaign, issues = outcome({"task.toml": "[wide]\n", name: content})
    assert (campaign is None) == bool(issues)
    assert {issue.slug for issue in issues} <= set(ISSUE_KINDS)


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_submission_in_gold_order_and_one_in_another_agree(end):
    """Alignment by id does not depend on the order of lines."""
    rows = [f"item-{number},{'yes' if number % 3 else 'no'}" for number in range(50)]
    gold = end.join(["id,label", *rows])
    campaign = read(
        {
            "gold.csv": gold,
            "submissions/A.csv": gold,
            "submissions/B.csv": end.join(["id,label", *rows[::-1]]),
        }
    )
    first, second = campaign.submissions
    np.testing.assert_array_equal(first.codes, campaign.gold.codes)
    np.testing.assert_array_equal(first.codes, second.codes)
