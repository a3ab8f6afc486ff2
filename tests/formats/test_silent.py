"""What was read wrongly without a word: now it is read rightly, or asked about."""

import json
from io import BytesIO

import pytest
from openpyxl import Workbook

from audit import evaluate
from audit.errors import InputError, UsageError
from audit.formats.campaign.campaigns import read_campaign

from .campaigns import ANSWERS, GOLD, refusal, write

NAMED = "id,label\ni1,no\ni2,yes\ni3,no\ni4,yes\n"
COLUMNS = {
    "id": {"0": "i2", "1": "i1", "2": "i3", "3": "i4"},
    "label": {"0": "yes", "1": "no", "2": "no", "3": "no"},
}
ROWS = [[COLUMNS["id"][number], COLUMNS["label"][number]] for number in "0123"]
READ_RIGHTLY = {
    "pandas, by column": ("json", COLUMNS),
    "pandas, by row": (
        "json",
        {str(number): dict(zip(COLUMNS, row, strict=True)) for number, row in enumerate(ROWS)},
    ),
    "pandas, apart": ("json", {"columns": list(COLUMNS), "index": [0, 1, 2, 3], "data": ROWS}),
    "pandas, with its schema": (
        "json",
        {"schema": {}, "data": [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]},
    ),
    "a list of pairs": ("json", ROWS),
    "a pair on each line": ("jsonl", ROWS),
}


@pytest.mark.parametrize("case", READ_RIGHTLY)
@pytest.mark.parametrize("indent", [None, 1])
def test_numbers_of_rows_are_no_ids(case, indent, tmp_path):
    """Of a submission and of gold, on one line or on several."""
    ending, value = READ_RIGHTLY[case]
    text = (
        "\n".join(map(json.dumps, value)) if ending == "jsonl" else json.dumps(value, indent=indent)
    )
    campaign = read_campaign(
        write(tmp_path / "sub", {"gold.csv": NAMED, f"submissions/A.{ending}": text})
    )
    assert campaign.submissions[0].codes.tolist() == [0, 1, 0, 0]
    campaign = read_campaign(
        write(tmp_path / "gold", {f"gold.{ending}": text, "submissions/A.csv": NAMED})
    )
    assert dict(zip(campaign.gold.item_ids, campaign.gold.codes.tolist(), strict=True)) == {
        "i1": 0, "i2": 1, "i3": 0, "i4": 0,
    }  # fmt: skip


def test_ids_that_are_numbers_are_not_taken_for_those_of_rows(tmp_path):
    """They pair otherwise."""
    ids = {"0": 2, "1": 1, "2": 0, "3": 3}
    gold = {"gold.json": json.dumps({"id": ids, "label": COLUMNS["label"]})}
    campaign = read_campaign(
        write(tmp_path, {**gold, "submissions/A.csv": "id,label\n0,no\n1,no\n2,yes\n3,no\n"})
    )
    assert (campaign.submissions[0].codes == campaign.gold.codes).all()


LATER = ("final_label", "label_corrected", "adjudicated", "Label (final)", "consensus_label")


@pytest.mark.parametrize("name", LATER)
def test_a_later_column_of_gold_labels_is_asked_about(name, tmp_path):
    """Which of the two was meant, the program cannot know; where both say the same, nothing is asked."""
    rows = "1,no,no\n2,yes,{}\n3,no,no\n4,yes,yes\n"
    gold = f"id,label,{name}\n{rows}"
    (issue,) = refusal(
        tmp_path / "other", {"gold.csv": gold.format("no"), "submissions/A.csv": ANSWERS}
    )
    assert (issue.slug, issue.file, issue.lines) == ("ambiguous-reading", "gold.csv", (3,))
    assert len(issue.choices) == 2
    same = write(tmp_path / "same", {"gold.csv": gold.format("yes"), "submissions/A.csv": ANSWERS})
    assert read_campaign(same).gold.codes.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("mark", ["nan", "NaN", "NA", "n/a", "null", "-", "?"])
def test_a_gold_label_that_may_be_none_is_asked_about(mark, tmp_path):
    """With the number of items; a declared label set has decided it."""
    files = {
        "gold.csv": f"{GOLD}5,{mark}\n6,{mark}\n",
        "submissions/A.csv": f"{ANSWERS}5,no\n6,no\n",
    }
    (issue,) = refusal(tmp_path, files)
    assert (issue.slug, issue.lines) == ("ambiguous-reading", (6, 7))
    assert issue.found == f"“{mark}” on 2 items: a class, or no label?"
    write(tmp_path, {"task.toml": f'labels = ["no", "yes", "{mark}"]\n'})
    assert len(read_campaign(tmp_path).task.label_set) == 3


@pytest.mark.parametrize(("n_rare", "asked"), [(1, True), (9, False)])
def test_a_rare_minus_one_beside_counted_labels_is_asked_about(n_rare, asked, tmp_path):
    """Where it is frequent it is a class, as of three sentiments."""
    labels = ["0", "1"] * 15 + ["-1"] * n_rare
    text = "id,label\n" + "".join(f"i{number},{label}\n" for number, label in enumerate(labels))
    files = {"gold.csv": text, "submissions/A.csv": text.replace("i0,0", "i0,1")}
    if not asked:
        assert len(read_campaign(write(tmp_path, files)).task.label_set) == 3
        return
    with pytest.raises(InputError, match="“-1” on 1 item"):
        read_campaign(write(tmp_path, files))


@pytest.mark.parametrize("stated", ["", 'kind = "classes"\n'])
def test_several_labels_of_a_token_are_no_class_and_no_type_unasked(stated, tmp_path):
    """As in a file of entities whose annotators left two tags in a cell."""
    gold = "a B-group\nb O\n\nc B-corporation,B-group\nd B-corporation\n"
    toml = f'{stated}[gold]\nformat = "tokens"\ndelimiter = "blanks"\nlabel = 2\n'
    files = {
        "gold.txt": gold,
        "task.toml": toml,
        "submissions/A.txt": gold.replace("b O", "b B-group"),
    }
    with pytest.raises(InputError, match="several labels in one cell: “B-corporation,B-group”"):
        read_campaign(write(tmp_path, files))


def test_a_comment_that_is_a_token_is_no_comment_unasked(tmp_path):
    """What would be left out is counted."""
    toml = '[gold]\nformat = "tokens"\ncomment = "#"\n'
    files = {
        "gold.txt": "# O\nis B\nx O\n\n# text\n# O\ny B\n",
        "submissions/A.txt": "O O O\nO B\n",
        "task.toml": toml,
    }
    (issue,) = refusal(tmp_path, files)
    assert (issue.lines, issue.found) == (
        (1, 6),
        "2 lines that begin with “#” and could be an item",
    )


@pytest.mark.parametrize(
    "name", ["annotator1", "Annotator_2", "majority_vote", "fold", "split", "rater"]
)
def test_a_column_of_annotators_or_folds_is_no_system_unasked(name, tmp_path):
    """Though it holds labels."""
    rows = "1,no,no,no\n2,yes,no,yes\n3,no,yes,no\n"
    issues = refusal(tmp_path, {"all.csv": f"id,gold,A,{name}\n{rows}"})
    assert [choice.settings for choice in issues[0].choices] == [
        'systems = ["A"]', f'systems = ["A", "{name}"]',
    ]  # fmt: skip


OTHERWISE = ("label_v2", "new_label", "gold_label", "expert_label", "Label")


@pytest.mark.parametrize("name", OTHERWISE)
def test_gold_is_as_strict_as_submissions_about_a_second_column_of_labels(name, tmp_path):
    """Whatever it is called; but for a single annotator's, and for predictions."""
    gold = f"id,label,{name}\n1,no,no\n2,yes,no\n3,no,no\n4,yes,yes\n"
    issues = refusal(tmp_path / "asked", {"gold.csv": gold, "submissions/A.csv": ANSWERS})
    assert [issue.slug for issue in issues] == ["ambiguous-reading"]
    for other in ("annotator_2", "rater_b", "prediction"):
        files = {
            "gold.csv": gold.replace(f",{name}\n", f",{other}\n"),
            "submissions/A.csv": ANSWERS,
        }
        assert read_campaign(write(tmp_path / other, files)).gold.codes.tolist() == [0, 1, 0, 1]


def ids_and(*columns):
    """A file with ids, labels and one more column."""
    return "".join(
        f"{','.join(row)}\n" for row in [("idx", "number", "label"), *zip(*columns, strict=True)]
    )


def test_two_columns_that_pair_rows_with_other_items_are_asked_about(tmp_path):
    """Each of them tells gold's items apart; a submission in another order shows that only one can be right."""
    rows, numbers, labels = "0123", "2013", ["no", "yes", "no", "yes"]
    files = {
        "gold.csv": ids_and(rows, numbers, labels),
        "submissions/A.csv": ids_and(rows, "0123", labels),
    }
    (issue,) = refusal(tmp_path, files)
    assert (issue.slug, issue.file, issue.lines) == (
        "ambiguous-reading",
        "submissions/A.csv",
        (2, 3, 4),
    )
    assert [choice.settings for choice in issue.choices] == ['id = "idx"', 'id = "number"']
    write(tmp_path, {"task.toml": '[gold]\nid = "number"\n[submissions]\nid = "number"\n'})
    assert read_campaign(tmp_path).submissions[0].codes.tolist() == [0, 0, 1, 1]
    write(tmp_path, {"task.toml": "", "submissions/A.csv": ids_and("3210", "3102", labels)})
    assert read_campaign(tmp_path).submissions[0].codes.tolist() == [1, 0, 1, 0]


def test_texts_of_other_items_than_the_ids_are_asked_about(tmp_path):
    """In a submission whose rows were sorted apart from their ids."""
    gold = "id,text,label\n1,a b,no\n2,c d,yes\n3,e f,no\n4,g h,yes\n"
    answers = "id,text,label\n1,c d,no\n2,a b,no\n3,e f,no\n4,g h,yes\n"
    issues = refusal(tmp_path, {"gold.csv": gold, "submissions/A.csv": answers})
    assert [(issue.slug, issue.lines) for issue in issues] == [("ambiguous-reading", (2, 3))]


@pytest.mark.parametrize("misspelt", ["positve", "neutrall"])
def test_a_label_of_one_item_that_nobody_gives_and_that_is_like_another_is_asked_about(
    misspelt, tmp_path
):
    """A team that gives it elsewhere shows that it is a class, as task.toml can; and so does a label that is like none.

    A team that gives it to the same item alone has it from gold, or a system that is right: it is named.
    """
    labels = ["positive", "negative", "neutral"] * 10
    gold = [*labels[:-1], misspelt]

    def files(answers, gold):
        tables = {"gold.csv": gold, "submissions/A.csv": answers}
        rows = {
            name: "".join(f"{at},{label}\n" for at, label in enumerate(each))
            for name, each in tables.items()
        }
        return {name: f"id,label\n{text}" for name, text in rows.items()}

    (issue,) = refusal(tmp_path / "asked", files(labels, gold))
    assert (issue.slug, issue.file, issue.lines) == ("ambiguous-reading", "gold.csv", (31,))
    assert f"“{misspelt}” on 1 item" in issue.found
    issues = refusal(tmp_path / "copied", files(["negative", *gold[1:]], gold))
    assert "in “submissions/A.csv” alone, on the same item" in issues[0].found
    assert "it may be a copy" in issues[0].remedy
    for case, answers, truth in (
        ("given", gold[::-1], gold),
        ("like none", labels, [*labels[:-1], "unclear"]),
    ):
        assert len(read_campaign(write(tmp_path / case, files(answers, truth))).gold.label_set) == 4
    declared = {"task.toml": f'labels = ["positive", "negative", "neutral", "{misspelt}"]\n'}
    assert len(read_campaign(write(tmp_path / "asked", declared)).gold.label_set) == 4


def test_a_stated_comment_that_holds_a_label_is_refused_in_rows_with_ids_too(tmp_path):
    """As among tokens."""
    gold = "1,no\n2,yes\n#3,no\n4,yes\n"
    files = {"gold.csv": gold, "submissions/A.csv": gold, "task.toml": '[gold]\ncomment = "#"\n'}
    issues = refusal(tmp_path, files)
    assert [issue.slug for issue in issues] == ["ambiguous-reading"]
    assert "could be an item" in issues[0].found


def hidden(rows, *, row=None, column=None, sheet=False):
    """A workbook of which Excel does not show something."""
    book = Workbook()
    for cells in rows:
        book.active.append(cells)
    if row:
        book.active.row_dimensions[row].hidden = True
    if column:
        book.active.column_dimensions[column].hidden = True
    if sheet:
        book.active.sheet_state = "hidden"
        book.create_sheet("shown")
        book.active = 1
    file = BytesIO()
    book.save(file)
    return file.getvalue()


HIDDEN = {"row": {"row": 3}, "column": {"column": "B"}, "sheet": {"sheet": True}}


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("hides", HIDDEN)
def test_what_excel_hides_of_a_sheet_that_is_read_is_said(hides, tmp_path):
    """Of gold and of a submission, though task.toml states all of the layout."""
    toml = 'format = "excel"\nsheet = "Sheet"\nheader = true\nid = "id"\nlabel = "label"\n'
    book = hidden([line.split(",") for line in GOLD.splitlines()], **HIDDEN[hides])
    for case, files in (
        ("gold", {"gold.xlsx": book, "submissions/A.csv": ANSWERS, "task.toml": f"[gold]\n{toml}"}),
        (
            "answers",
            {"gold.csv": GOLD, "submissions/A.xlsx": book, "task.toml": f"[submissions]\n{toml}"},
        ),
    ):
        campaign = read_campaign(write(tmp_path / case, files))
        words = "the whole sheet" if hides == "sheet" else "rows or columns"
        assert any(
            f"{words} hidden in Excel, read like others" in each
            for each in campaign.task.assumptions
        )
    plain = hidden([line.split(",") for line in GOLD.splitlines()])
    campaign = read_campaign(
        write(tmp_path / "plain", {"gold.xlsx": plain, "submissions/A.csv": ANSWERS})
    )
    assert not any("hidden" in each for each in campaign.task.assumptions)


NO_SYSTEMS = (
    "annotator1",
    "rater_a",
    "Human",
    "experts",
    "crowd",
    "consensus",
    "majority_vote",
    "fold",
)


@pytest.mark.parametrize("name", NO_SYSTEMS)
def test_a_column_of_a_wide_file_that_is_called_like_no_system_is_asked_about(name, tmp_path):
    """Annotators, votes, and what cuts the items."""
    (issue,) = refusal(tmp_path, {"all.csv": f"gold,A,{name}\nno,no,no\nyes,no,yes\n"})
    assert issue.choices[0].settings == 'systems = ["A"]'


def test_labels_that_look_alike_are_refused_in_memory_too():
    """As in files."""
    with pytest.raises(UsageError, match="look like one label"):
        evaluate(["a", "a ", "b"], {"X": ["a", "a", "b"]})
