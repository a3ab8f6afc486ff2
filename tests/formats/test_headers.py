"""A name above a column is never an answer: whatever the format, and however many lines follow it."""

import json

import pytest

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign

from .campaigns import ANSWERS, refusal, write
from .tables import parquet_table, workbook

GOLD = "no\nyes\nno\nyes\n"
LABELS = ["no", "no", "yes"]  # one fewer than gold has
TAGS = "a\tX\nb\tO\na\tO\n\nb\tX\na\tO\n"


def as_lines(header):
    """One label per line."""
    return "A.txt", "\n".join([header, *LABELS]) + "\n"


def as_first_of_two_columns(header):
    """Labels and something else, comma-separated, in gold order."""
    return "A.csv", "\n".join([f"{header},score", *(f"{label},0.5" for label in LABELS)])


def as_workbook(header):
    """A sheet of one column."""
    return "A.xlsx", workbook([[header], *([label] for label in LABELS)])


def as_json(header):
    """A JSON list."""
    return "A.json", json.dumps([header, *LABELS])


def as_parquet(header):
    """A Parquet table without names of its own, as pandas writes what it read without a header."""
    return "A.parquet", parquet_table(**{"0": [header, *LABELS]})


def as_json_lines(header):
    """Objects of one field."""
    return "A.jsonl", "\n".join(json.dumps({"x": label}) for label in [header, *LABELS])


FORMS = (as_lines, as_first_of_two_columns, as_workbook, as_json, as_parquet, as_json_lines)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("header", ["prediction", "Label", "y_pred"])
def test_a_header_above_one_label_too_few_is_no_answer(form, header, tmp_path):
    """As many lines as gold, of which the first is a name: every answer would be that of the item before."""
    name, content = form(header)
    settings = "[submissions]\nid = false\n" + (
        "label = 1\n" if form is as_first_of_two_columns else ""
    )
    files = {"task.toml": settings, "gold.txt": GOLD, f"submissions/{name}": content}
    (issue,) = [issue for issue in refusal(tmp_path, files) if issue.fatal]
    assert issue.slug in {"line-count", "header-as-answer"}


@pytest.mark.parametrize(
    "first",
    ["TARGET", "class_label", "my_labels", "# prediction", '"prediction"', "Étiquette", "?"],
)
def test_a_first_line_that_alone_is_no_label_is_a_question(first, tmp_path):
    """Be it a header of any name, which hides that an answer is missing, or an answer of no label: both are shown."""
    gold = GOLD * 5
    files = {
        "gold.txt": gold,
        "submissions/A.txt": f"{first}\n{gold.removesuffix('yes' + chr(10))}",
    }
    assert [issue.slug for issue in refusal(tmp_path, files)] == ["ambiguous-reading"]
    for header, slugs in (("true", ["line-count"]), ("false", ["unusable-label"])):
        write(tmp_path, {"task.toml": f"[submissions]\nheader = {header}\n"})
        try:
            issues = read_campaign(tmp_path).issues
        except InputError as error:
            issues = error.issues
        assert [issue.slug for issue in issues] == slugs


@pytest.mark.parametrize("labels", [("0", "1"), ("T1", "T2"), ("no", "yes")])
@pytest.mark.parametrize("first", ["V1", "T", "yesno", "my_prediction"])
@pytest.mark.parametrize("n_strange", [0, 1])
def test_a_header_is_no_label_misspelt(n_strange, first, labels, tmp_path):
    """R's names of columns have a letter and a number; an answer of no label further on changes nothing."""
    gold = "".join(f"{label}\n" for label in labels * 10)
    answers = [first, *list(labels * 10)[:19]]
    answers[7:8] = ["UNK"] * n_strange or answers[7:8]
    files = {"gold.txt": gold, "submissions/A.txt": "\n".join(answers) + "\n"}
    with pytest.raises(InputError, match="ambiguous-reading"):
        read_campaign(write(tmp_path, files))


@pytest.mark.parametrize("policy", ["", '[policies]\nextra = "ignore"\n'])
@pytest.mark.parametrize("n_empty", [1, 3])
def test_a_header_above_answers_of_which_the_last_is_empty_is_a_question(n_empty, policy, tmp_path):
    """No policy may take it for the first answer."""
    files = {
        "gold.txt": GOLD,
        "submissions/A.txt": "my_header\nno\nyes\nno" + "\n" * (n_empty + 1),
        "task.toml": policy,
    }
    assert "header = true · or · header = false" in refusal(tmp_path, files)[0].remedy
    if policy:
        write(tmp_path, {"task.toml": f"{policy}[submissions]\nheader = false\n"})
        assert read_campaign(tmp_path).submissions[0].codes.tolist() == [3, 0, 1, 0]


@pytest.mark.parametrize("first", ["yess", " yes", "YES"])
def test_a_first_answer_that_is_like_a_label_is_misspelt(first, tmp_path):
    files = {"gold.txt": GOLD, "submissions/A.txt": f"{first}\nyes\nno\nyes\n"}
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == [3, 1, 0, 1]


@pytest.mark.parametrize("form", FORMS)
def test_a_label_that_is_called_like_a_column_is_a_label(form, tmp_path):
    """Where gold has it."""
    name, content = form("answer")
    settings = 'labels = ["no", "yes", "answer"]\n[submissions]\nid = false\n'
    settings += "label = 1\nheader = false\n" if form is as_first_of_two_columns else ""
    files = {"task.toml": settings, "gold.txt": GOLD, f"submissions/{name}": content}
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == [2, 0, 0, 1]


def test_task_toml_can_say_that_a_file_has_no_header(tmp_path):
    """Then the first line is an answer, of no label."""
    files = {"task.toml": "[submissions]\nheader = false\n", "gold.txt": GOLD}
    files["submissions/A.txt"] = "prediction\nno\nno\nyes\n"
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == [3, 0, 0, 1]


@pytest.mark.parametrize("header", ["word\tprediction", "token\tlabel"])
def test_names_above_tokens_are_no_token(header, tmp_path):
    """Of a first sequence with one tag too few."""
    answers = f"{header}\nb\tO\na\tO\n\nb\tX\na\tO\n"
    with pytest.raises(InputError, match="header-as-answer"):
        read_campaign(write(tmp_path, {"gold.txt": TAGS, "submissions/A.txt": answers}))


@pytest.mark.parametrize("form", [as_json, as_parquet, as_json_lines])
def test_a_name_is_no_class_of_gold(form, tmp_path, monkeypatch):
    """A list of labels that begins with the name of its column would have a class of one item."""
    monkeypatch.setattr(f"{__name__}.LABELS", LABELS * 4)
    name, content = form("label")
    files = {name.replace("A", "gold"): content, "submissions/A.txt": "no\n" * 13}
    with pytest.raises(InputError, match="header-as-answer"):
        read_campaign(write(tmp_path, files))


@pytest.mark.parametrize("declared", [True, False])
def test_a_header_that_stands_twice_in_gold_is_no_item(declared, tmp_path):
    """Files that were put together with their headers."""
    gold = "id,label\n1,no\n2,yes\nid,label\n3,no\n4,yes\n"
    toml = 'labels = ["no", "yes", "label"]\n[gold]\nheader = true\n' if declared else ""
    with pytest.raises(InputError, match=r"gold.csv:4: header-as-answer"):
        read_campaign(
            write(tmp_path, {"task.toml": toml, "gold.csv": gold, "submissions/A.csv": ANSWERS})
        )


def test_a_header_that_stands_twice_by_position_is_no_answer(tmp_path):
    """It would be the answer to an item, in a file that lacks another."""
    files = {"gold.txt": GOLD, "submissions/A.txt": "label\nno\nlabel\nyes\nno\n"}
    with pytest.raises(InputError, match=r"submissions/A.txt:3: header-as-answer"):
        read_campaign(write(tmp_path, files))


@pytest.mark.parametrize("in_gold", [False, True])
def test_two_columns_of_ids_whose_names_differ_in_case_are_a_question(in_gold, tmp_path):
    """Both hold gold's ids, in another order; a column of row numbers beside the ids is none."""
    items = [(f"d{number}", f"d{19 - number}", LABELS[number % 2 + 1]) for number in range(20)]
    plain = "id,label\n" + "".join(f"{first},{label}\n" for first, _, label in items)
    both = "ID,id,label\n" + "".join(",".join(item) + "\n" for item in items)
    numbered = "ID,id,label\n" + "".join(
        f"{n},{item[1]},{item[2]}\n" for n, item in enumerate(items)
    )
    gold, answers = (both, plain) if in_gold else (plain, both)
    with pytest.raises(InputError, match="ambiguous-reading"):
        read_campaign(write(tmp_path / "both", {"gold.csv": gold, "submissions/A.csv": answers}))
    assert read_campaign(
        write(tmp_path / "numbered", {"gold.csv": plain, "submissions/A.csv": numbered})
    ).submissions
