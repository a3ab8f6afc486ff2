"""What a message says of a file that is not what was expected: its kind by name, and what to do next."""

import json
import re

import pyarrow as pa
import pytest

from audit.formats.campaign.campaigns import read_campaign

from .campaigns import ANSWERS, GOLD, refusal, write, zipped
from .tables import parquet_table, workbook


def first_issue(root, files):
    """The first issue of a campaign that is refused."""
    return refusal(root, files)[0]


LISTS = [["no"], ["yes", "no"], ["no"], ["yes"]]
OF_LISTS = {
    "jsonl": "\n".join(
        json.dumps({"id": str(n), "m": {"labels": one}}) for n, one in enumerate(LISTS)
    ).encode(),
    "json": json.dumps(
        [{"id": str(n), "m": {"labels": one}} for n, one in enumerate(LISTS)]
    ).encode(),
    "parquet": parquet_table(id=["1", "2", "3", "4"], labels=pa.array(LISTS)),
}


@pytest.mark.parametrize("form", OF_LISTS)
@pytest.mark.parametrize("stated", [True, False])
def test_a_column_of_lists_is_called_one(form, stated, tmp_path):
    """Not a column that is not there, whether task.toml names it or not."""
    name = "labels" if form == "parquet" else "m.labels"
    files = {f"gold.{form}": OF_LISTS[form], "submissions/A.csv": ANSWERS}
    if stated:
        files["task.toml"] = f'[gold]\nlabel = "{name}"\n'
    issue = first_issue(tmp_path, files)
    assert issue.slug == "no-such-column"
    assert f"“{name}” holds a list in each row" in issue.found
    assert 'kind = "sets"' in issue.remedy


def test_a_multi_label_file_is_called_so_in_gold(tmp_path):
    """With a test set for each label as the way on, which is read."""
    rows = "id,anger,joy\n" + "".join(f"{n},{n % 2},{n % 3 % 2}\n" for n in range(12))
    files = {"gold.csv": rows, "submissions/A.csv": rows.replace("1,1,1", "1,0,1")}
    issue = first_issue(tmp_path, files)
    assert "a multi-label file by the look of it: “anger” and “joy”" in issue.found
    assert '[subtask."anger".gold] path = "gold.csv", label = "anger"' in issue.remedy


SEVERAL = {
    "numbers, as GoEmotions has them": ["0", "2", "14", "0,2", "2,14", "2"],
    "with blanks": ["joy", "fear", "anger", "fear, joy", "anger, joy", "joy"],
    "with bars": ["a|b", "b|c", "a|c", "c|d|a", "b|d", "a|b|c"],
    "a rare label in one": ["joy", "fear", "anger", "joy,fear", "joy,anger", "joy,trust"],
    "a comma behind": ["joy,", "fear,", "anger,", "joy,fear,", "joy,anger,", "joy,"],
    "tuples of Python": [
        "('joy',)",
        "('fear', 'joy')",
        "('fear',)",
        "('anger',)",
        "('anger', 'fear')",
        "('joy',)",
    ],
    "sets of Python": [
        "{'joy'}",
        "{'fear', 'joy'}",
        "frozenset({'fear'})",
        "{'anger'}",
        "{'anger', 'fear'}",
        "{'joy'}",
    ],
    "lists of Python": [
        "['joy']",
        "['fear', 'joy']",
        "['fear']",
        "['anger']",
        "['anger', 'fear']",
        "['joy']",
    ],
}


@pytest.mark.parametrize("labels", SEVERAL.values(), ids=SEVERAL)
def test_several_labels_in_one_cell_are_no_class_unasked(labels, tmp_path):
    """Each combination would be a class of its own; declared, it is one; as sets they have the labels in them."""
    rows = "id\tlabel\n" + "".join(f"{n}\t{labels[n % 6]}\n" for n in range(24))
    files = {
        "gold.tsv": rows,
        "submissions/A.tsv": rows.replace(f"1\t{labels[1]}\n", f"1\t{labels[0]}\n", 1),
    }
    issue = first_issue(tmp_path / "silent", files)
    assert (issue.slug, "several labels in one cell" in issue.found) == ("ambiguous-reading", True)
    assert 'kind = "sets"' in issue.remedy
    of_sets = read_campaign(
        write(tmp_path / "sets", {**files, "task.toml": 'kind = "sets"\n'})
    ).task.label_set
    assert set(of_sets) == {
        *re.findall(r"\w+", re.sub(r"frozenset", "", " ".join(labels))),
        of_sets.rest,
    }
    declared = {**files, "task.toml": f"labels = {json.dumps(sorted(set(labels)))}\n"}
    assert len(read_campaign(write(tmp_path / "declared", declared)).task.label_set) == len(
        set(labels)
    )


CLASSES = {
    "towns": ["Albany, NY", "Boston, MA", "Buffalo, NY", "yes/no"],
    "marks in halves": ["1", "1,5", "2", "2,5", "3", "4,5", "5"],
    "tags with their number": ["N|Sg", "N|Pl", "V|Sg", "V|Pl"],
    "acts of a dialogue": ["Q", "Q,wh", "Q,yn", "A"],
}


@pytest.mark.parametrize("labels", CLASSES.values(), ids=CLASSES)
def test_labels_with_commas_and_bars_are_classes(labels, tmp_path):
    """Where their parts are no labels."""
    rows = "id\tlabel\n" + "".join(f"{n}\t{labels[n % len(labels)]}\n" for n in range(21))
    files = {
        "gold.tsv": rows,
        "submissions/A.tsv": rows.replace(f"0\t{labels[0]}", f"0\t{labels[1]}", 1),
    }
    assert len(read_campaign(write(tmp_path, files)).task.label_set) == len(labels)


@pytest.mark.usefixtures("copies_accepted")
def test_numbers_to_be_predicted_are_no_classes_unasked(tmp_path):
    """Decimals, nearly all different; a few marks with decimals are classes, and so is what task.toml declares."""
    scores = [f"{n * 37 % 499 / 100}" for n in range(60)]
    files = {f"{name}.csv": _column(scores) for name in ("gold", "submissions/A")}
    issue = first_issue(tmp_path / "silent", files)
    assert issue.slug == "ambiguous-reading"
    assert (
        "these look like numbers to be predicted, not classes: 60 different ones on 60 items"
        in issue.found
    )
    declared = write(
        tmp_path / "declared", {**files, "task.toml": f"labels = {json.dumps(scores)}\n"}
    )
    assert len(read_campaign(declared).task.label_set) == 60
    marks = [f"{n % 9 / 2}" for n in range(60)]
    files = {f"{name}.csv": _column(marks) for name in ("gold", "submissions/A")}
    assert len(read_campaign(write(tmp_path / "marks", files)).task.label_set) == 9


def _column(labels):
    return "id,label\n" + "".join(f"i{number},{label}\n" for number, label in enumerate(labels))


def _probabilities(shares, names, form):
    rows = [["id", *names], *([str(n), *map(str, shares[n % len(shares)])] for n in (1, 2, 3, 4))]
    return workbook(rows) if form == "xlsx" else "\n".join(",".join(row) for row in rows)


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_a_score_for_each_class_leads_to_the_greatest(form, tmp_path):
    """The setting that is named reads the file; numbers called otherwise lead to none."""
    scores = _probabilities([(0.6, 0.4), (0.2, 0.8)], ["p_no", "p_yes"], form)
    issue = first_issue(tmp_path / "named", {"gold.csv": GOLD, f"submissions/A.{form}": scores})
    settings = issue.remedy.partition("[submissions]: ")[2].partition("; or, ")[0]
    assert settings == 'label = { greatest = { "no" = "p_no", "yes" = "p_yes" } }'
    campaign = read_campaign(
        write(tmp_path / "named", {"task.toml": f"[submissions]\n{settings}\n"})
    )
    assert campaign.submissions[0].codes.tolist() == [1, 0, 1, 0]
    others = _probabilities([(0.6, 0.4), (0.2, 0.8)], ["a", "b"], form)
    assert (
        "greatest"
        not in first_issue(
            tmp_path / "not", {"gold.csv": GOLD, f"submissions/A.{form}": others}
        ).remedy
    )


JUDGED = "".join(f"q{n // 4} 0 d{n % 4} {n * n % 3}\n" for n in range(20))


def test_two_columns_that_are_together_the_id_are_named(tmp_path):
    """As in relevance judgements; the settings that are named read them."""
    root = write(
        tmp_path, {"gold.txt": JUDGED, "submissions/A.txt": JUDGED.replace("d1 1", "d1 0")}
    )
    issue = first_issue(root, {})
    assert "id = [1, 3]" in issue.remedy
    write(root, {"task.toml": "[gold]\nid = [1, 3]\n"})
    stated = "id = [1, 3]\nlabel = 4\n"
    assert (
        read_campaign(
            write(root, {"task.toml": f"[gold]\n{stated}[submissions]\n{stated}"})
        ).gold.n_items
        == 20
    )


def test_no_number_is_meant_by_another(tmp_path):
    """Fifty numbers outside the label set are no misspelt labels."""
    gold = "".join(f"i{n},{n % 60 + 1}\n" for n in range(240))
    given = "".join(f"i{n},{n % 60 + (200 if n < 120 else 1)}\n" for n in range(240))
    campaign = read_campaign(write(tmp_path, {"gold.csv": gold, "submissions/A.csv": given}))
    assert not [issue for issue in campaign.issues if "Did you mean" in issue.found]


def test_an_archive_of_gold_names_the_files_in_it(tmp_path):
    """Of which one is stated."""
    packed = zipped({"reference.csv": GOLD, "notes.csv": "x"})
    issue = first_issue(tmp_path, {"gold.zip": packed, "submissions/A.csv": ANSWERS})
    assert "“gold.zip/notes.csv” or “gold.zip/reference.csv”" in issue.remedy
    write(tmp_path, {"task.toml": '[gold]\npath = "gold.zip/reference.csv"\n'})
    assert read_campaign(tmp_path).gold.n_items == 4


def test_lines_above_the_items_are_said_to_be_skipped(tmp_path):
    """Where gold has none of the ids on the first lines, and all of the others."""
    answers = "Our team,2031\nitem,guess\n" + ANSWERS.partition("\n")[2]
    files = {
        "gold.csv": GOLD,
        "submissions/A.csv": answers,
        "task.toml": "[submissions]\nheader = false\n",
    }
    issue = first_issue(tmp_path, files)
    assert (issue.slug, issue.lines) == ("extra-item", (1, 2))
    assert "skip = 2, header = false" in issue.remedy
    write(tmp_path, {"task.toml": "[submissions]\nskip = 2\nheader = false\n"})
    assert read_campaign(tmp_path).submissions[0].codes.tolist() == [0, 0, 0, 1]


def test_the_surplus_line_has_its_policy_and_the_empty_column_its_setting(tmp_path):
    """Each named in what is to be done."""
    assert (
        'extra = "ignore"'
        in first_issue(tmp_path, {"gold.csv": GOLD, "submissions/A.csv": ANSWERS + "5,no\n"}).remedy
    )
    empty = "id,label\n1,\n2,\n3,\n4,\n"
    issue = first_issue(tmp_path, {"submissions/A.csv": empty})
    assert 'ignore = ["submissions/A.csv"]' in issue.remedy


def test_words_of_gold_that_are_as_many_as_the_lines_are_said_to_be_tags(tmp_path):
    """Where gold could be sequences, and was read as a label on each line."""
    files = {"gold.txt": "O B I\nB I\n", "submissions/A.txt": "x O\nx B\nx I\n\nx B\nx I\n"}
    toml = '[gold]\nformat = "lines"\n[submissions]\nformat = "lines"\n'
    issue = first_issue(
        tmp_path, {**files, "submissions/A.txt": "O\nB\nI\n\nB\nI\n", "task.toml": toml}
    )
    assert 'under [gold]: format = "sequences"' in issue.remedy


def test_what_gold_leaves_open_stands_beside_sequences_that_are_not_its_own(tmp_path):
    """Lines between documents that were taken for tokens."""
    gold = "-DOCSTART- O\n\na B\nb O\na O\n\n-DOCSTART- O\n\nb B\na O\n"
    files = {"gold.txt": gold, "submissions/A.txt": "B O O\nB O\n"}
    issue = first_issue(tmp_path, files)
    assert 'between = "-DOCSTART-"' in issue.remedy


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("header", ["", '"label"\n'])
def test_lines_in_quotes_are_what_the_quotes_are_around(header, missing, tmp_path):
    """As R's write.csv writes a column without the names of its rows, and a missing answer without quotes."""
    last = "NA" if missing else '"yes"'
    files = {"gold.txt": "no\nyes\nno\n", "submissions/A.csv": f'{header}"no"\n"yes"\n{last}\n'}
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == [
        0,
        1,
        3 if missing else 1,
    ]


@pytest.mark.parametrize("name", ["submissions.rar", "all.7z"])
def test_an_archive_of_another_kind_is_named(name, tmp_path):
    issue = first_issue(tmp_path, {"gold.csv": GOLD, name: b"Rar!"})
    assert (issue.slug, name in issue.found, "submissions.zip" in issue.remedy) == (
        "no-submissions",
        True,
        True,
    )
