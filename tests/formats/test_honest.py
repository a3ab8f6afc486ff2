"""Files that were refused though they say everything: each is read, with the answers that it holds."""

import json

import pytest

from audit.formats.campaign.campaigns import read_campaign

from .campaigns import refusal, write, zipped
from .tables import workbook

IDS = [f"t{number:02}" for number in range(1, 13)]
GOLD = ["no", "yes", "no", "yes", "maybe", "no", "yes", "no", "maybe", "no", "yes", "no"]
ANSWERS = ["no", "yes", "yes", "yes", "no", "no", "yes", "maybe", "maybe", "no", "no", "no"]


def table(labels, head="id,label\n", row="{id},{label}\n"):
    """A file with a row for each item, in the order of the numbers of its words."""
    return head + "".join(
        row.format(id=item_id, label=label, text=f"so many words {item_id}", number=number)
        for number, (item_id, label) in enumerate(zip(IDS, labels, strict=True))
    )


def both(name, *layout):
    """Gold and a submission, written alike."""
    return {f"gold.{name}": table(GOLD, *layout), f"submissions/A.{name}": table(ANSWERS, *layout)}


def lines(rows):
    """JSON Lines."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


CSV = both("csv")
FOLDERS = {
    "the same tabs on each line": both("tsv", "", "a {id}\t{label}\n"),
    "the same tabs, and text": both("tsv", "id\ttext\tlabel\n", "{id}\t{text}\t{label}\n"),
    "Gold.csv": {"Gold.csv": CSV["gold.csv"], "submissions/A.csv": CSV["submissions/A.csv"]},
    "GOLD.CSV": {"GOLD.CSV": CSV["gold.csv"], "submissions/A.csv": CSV["submissions/A.csv"]},
    "Submissions/": {"gold.csv": CSV["gold.csv"], "Submissions/A.csv": CSV["submissions/A.csv"]},
    "SUBMISSIONS.zip": {
        "gold.csv": CSV["gold.csv"],
        "SUBMISSIONS.zip": zipped({"A.csv": CSV["submissions/A.csv"]}),
    },
    "a lone carriage return in quotes": both(
        "csv", "id,text,label\n", '{id},"{text}\ragain",{label}\n'
    ),
    "an empty line at the end of gold": {
        "gold.txt": "\n".join([*GOLD, "", ""]),
        "submissions/A.txt": "\n".join([*ANSWERS, ""]),
    },
    "an empty line at the end of answers": {
        "gold.txt": "\n".join([*GOLD, ""]),
        "submissions/A.txt": "\n".join([*ANSWERS, "", ""]),
    },
    "sep=, of Excel": both("csv", "sep=,\nid,label\n"),
    "sep=; in quotes": both("csv", '"sep=;"\r\nid;label\r\n', "{id};{label}\r\n"),
    "a blank behind each comma": both("csv", "id, label\n", "{id}, {label}\n"),
    "a blank behind each comma of the answers": {
        "gold.csv": CSV["gold.csv"],
        "submissions/A.csv": table(ANSWERS, "id, label\n", "{id}, {label}\n"),
    },
    "a blank behind each comma, and quotes": both(
        "csv", "id, text, label\n", '{id}, "{text}", {label}\n'
    ),
    "sep=, and blanks behind commas": both("csv", "sep=,\nid, label\n", "{id}, {label}\n"),
    "a title above the header": both("csv", "The task of 2031\n\nid,label\n"),
    "a title above the header, and a comma": both("csv", "The task of 2031,\nid,label\n"),
    "a title above the header of a workbook": {
        "gold.xlsx": workbook(
            [["The task of 2031"], ["id", "label"], *zip(IDS, GOLD, strict=True)]
        ),
        "submissions/A.csv": CSV["submissions/A.csv"],
    },
    "JSON Lines of pairs": {
        "gold.jsonl": lines(zip(IDS, GOLD, strict=True)),
        "submissions/A.jsonl": lines(zip(IDS, ANSWERS, strict=True)),
    },
    "JSON Lines of objects with a name of their own": {
        "gold.jsonl": lines({item_id: label} for item_id, label in zip(IDS, GOLD, strict=True)),
        "submissions/A.jsonl": lines(
            {item_id: label} for item_id, label in zip(IDS, ANSWERS, strict=True)
        ),
    },
    "a list of objects with a name of their own": {
        "gold.csv": CSV["gold.csv"],
        "submissions/A.json": json.dumps(
            [{item_id: label} for item_id, label in zip(IDS, ANSWERS, strict=True)]
        ),
    },
    "a list of pairs": {
        "gold.csv": CSV["gold.csv"],
        "submissions/A.json": json.dumps(list(zip(IDS, ANSWERS, strict=True))),
    },
    "Unnamed: 0 of pandas": both("csv", "Unnamed: 0,id,label\n", "{number},{id},{label}\n"),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_it_is_read_with_the_answers_that_it_holds(case, tmp_path):
    """Item by item."""
    campaign = read_campaign(write(tmp_path, FOLDERS[case]))
    labels = (*campaign.gold.label_set.labels, None)
    pairs = zip(campaign.gold.codes.tolist(), campaign.submissions[0].codes.tolist(), strict=True)
    assert [(labels[gold], labels[answer]) for gold, answer in pairs] == list(
        zip(GOLD, ANSWERS, strict=True)
    )


NO_IDS = {
    "[gold]": {
        "gold.csv": "".join(
            ["text,label,from\n", *(f"words {n // 3},{label},x\n" for n, label in enumerate(GOLD))]
        ),
        "submissions/A.txt": "\n".join(ANSWERS),
    },
    "[submissions]": {
        "gold.csv": CSV["gold.csv"],
        "submissions/A.csv": "".join(
            ["label,score\n", *(f"{label},.{n}1\n" for n, label in enumerate(ANSWERS))]
        ),
    },
}


@pytest.mark.parametrize("section", NO_IDS)
def test_where_a_header_shows_that_no_column_holds_ids_the_setting_that_reads_the_file_is_named(
    section, tmp_path
):
    """And it does read it."""
    (issue,) = refusal(tmp_path, NO_IDS[section])
    assert "id = false" in issue.remedy
    campaign = read_campaign(
        write(tmp_path, {"task.toml": f'{section}\nid = false\nlabel = "label"\n'})
    )
    labels = campaign.gold.label_set.labels
    assert [labels[code] for code in campaign.submissions[0].codes] == ANSWERS


def test_the_line_that_a_title_could_be_is_an_item_where_no_names_stand_below(tmp_path):
    """Gold without a header whose first item lacks its label."""
    files = {
        "gold.csv": "a,\nb,no\nc,yes\nd,no\ne,yes\n",
        "submissions/A.csv": "a,no\nb,no\nc,yes\nd,no\ne,yes\n",
    }
    assert [(issue.slug, issue.lines) for issue in refusal(tmp_path, files)] == [
        ("gold-missing-label", (1,))
    ]
