"""Quotes in texts make no tag sequences of a table, and a score below the items is no item."""

import random

import pytest

from audit.formats.campaign.campaigns import read_campaign

from .campaigns import refusal, write

KINDS = {"classes": "", "sets": 'kind = "sets"\n'}
WORDS = ["the", "film", "was", "great", "and", "I", "liked", "it", "so", "much", "very", "bad"]


def text_of(number):
    """A text of which some begin with a quote and some end with one."""
    drawn = random.Random(number)  # noqa: S311 - no secret
    words = [drawn.choice(WORDS) for _ in range(drawn.randint(2, 9))]
    if number % 3 == 0:
        words[0] = f'"{words[0]}'
    if number % 5 == 0:
        words[-1] = f'{words[-1]}"'
    return " ".join(words)


def table(labels, header="id\tlabel\ttext\n"):
    return header + "".join(
        f"{number}\t{label}\t{text_of(number)}\n" for number, label in enumerate(labels)
    )


LABELS = ["pos", "neg", "neg", "pos", "pos"] * 8


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_with_quotes_in_its_texts_is_read_by_its_columns(kind, tmp_path):
    """Gold and a submission with texts of its own: 40 items, where it had been 41 sequences of words."""
    answers = ["pos"] * 3 + LABELS[3:]
    files = {
        "gold.tsv": table(LABELS),
        "submissions/x.tsv": table(answers),
        "task.toml": KINDS[kind],
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.task.label_set.labels[:2] == ("neg", "pos")
    items = campaign.gold.n_units if kind == "sets" else campaign.gold.n_items
    assert items == 40
    (submission,) = campaign.submissions
    labels = (*campaign.task.label_set.labels, "")
    given = [labels[code] for code in submission.codes.tolist()]
    expected = [label for label in answers if label in {"neg", "pos"}]
    assert [label for label in given if label in {"neg", "pos"}] == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "gold", [table(LABELS, header=""), table(LABELS).replace("\tpos\t", "\tpos\tx\t", 1)]
)
def test_a_table_that_quotes_leave_open_is_asked_about_and_never_words(kind, gold, tmp_path):
    """Without names of columns, or with a line of another width."""
    answers = "".join(f"{number}\tpos\n" for number in range(40))
    (issue,) = refusal(
        write(tmp_path, {"gold.tsv": gold, "submissions/x.tsv": answers, "task.toml": KINDS[kind]})
    )
    assert issue.slug == "open-quote"


def test_a_quote_in_a_label_or_an_id_stays_a_question(tmp_path):
    """It is no text that nobody looks at."""
    files = {
        "gold.csv": "id,label\n1,a\n2,b\n3,a\n",
        "submissions/x.csv": 'id,label\n1,"a" b\n2,b\n3,a\n',
    }
    assert [issue.slug for issue in refusal(write(tmp_path, files))] == ["open-quote"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "last", ["accuracy,0.87", "Macro-F1,87.5%", "total,9", "TOTAL,.5", "whatever,0.87"]
)
def test_a_last_line_of_a_score_is_no_item_of_gold(kind, last, tmp_path):
    """It is asked about; a declared label set answers that it is an item."""
    rows = "".join(f"m{number},{'ab'[number % 2]}\n" for number in range(9))
    files = {
        "gold.csv": f"id,label\n{rows}{last}\n",
        "submissions/x.csv": f"id,label\n{rows}",
        "task.toml": KINDS[kind],
    }
    root = write(tmp_path, files)
    (issue,) = refusal(root)
    assert (issue.slug, issue.lines) == ("ambiguous-reading", (11,))
    assert "rather a score of the file than an item" in issue.found
    label = last.partition(",")[2]
    write(root, {"task.toml": f'labels = ["a", "b", "{label}"]\n{KINDS[kind]}'})
    assert label in read_campaign(root).task.label_set.labels


@pytest.mark.parametrize(
    "rows",
    ["a,0\nb,1\naccuracy,1\n", "1,0\n2,1\n3,0.5\n", "x,1.0\ny,0.5\nmean,.5\n", "x,a\ny,b\nz,7\n"],
)
def test_a_last_line_like_others_is_an_item(rows, tmp_path):
    """By its label, or by its id."""
    answers = rows.replace("0", "1").replace("a\n", "b\n")
    files = {"gold.csv": f"id,label\n{rows}", "submissions/x.csv": f"id,label\n{answers}"}
    assert read_campaign(write(tmp_path, files)).gold.n_items == 3
