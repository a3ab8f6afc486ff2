"""A quote that opens a text and one that ends another make no cell of the items between them in silence."""

import csv
import io

import pytest

from audit.formats.campaign.campaigns import read_campaign

from .campaigns import refusal, write

LABELS = ("neg", "neu", "pos")
TEXTS = ["so it goes"] * 12


def gold_lines(texts, order=("id", "text", "label"), delimiter="\t"):
    """A file as a program writes it that knows no quotes: each item on a line of its own."""
    rows = [
        {"id": f"t{number}", "text": texts[number], "label": LABELS[number % 3]}
        for number in range(12)
    ]
    return "".join(
        delimiter.join(row[name] for name in order) + "\n"
        for row in [dict(zip(order, order, strict=True)), *rows]
    )


def answers(n=12):
    """Every item's gold label, in lines of two cells."""
    return "".join(f"t{number}\t{LABELS[number % 3]}\n" for number in range(n))


def as_csv(texts, order=("id", "text", "label"), delimiter="\t"):
    """The same as RFC 4180 has it: texts with a line's end in quotes."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(order)
    for number in range(12):
        row = {"id": f"t{number}", "text": texts[number], "label": LABELS[number % 3]}
        writer.writerow([row[name] for name in order])
    return out.getvalue()


@pytest.mark.parametrize(
    "order", [("id", "text", "label"), ("id", "label", "text"), ("text", "id", "label")]
)
@pytest.mark.parametrize("last", [4, 5, 6])
def test_items_between_two_stray_quotes_in_gold_are_asked_for(order, last, tmp_path):
    """Neither two items nor four are lost; each of the two settings that are shown reads the file in its way."""
    texts = {
        **dict(enumerate(TEXTS)),
        3: '"never again',
        last: 'he closed the "door"' if order[-1] != "text" else 'door"',
    }
    texts[last] = texts[last].replace('"door"', 'door"')
    root = write(tmp_path, {"gold.tsv": gold_lines(texts, order), "submissions/A.tsv": answers()})
    (issue,) = refusal(root)
    assert (issue.slug, issue.file, issue.lines) == ("ambiguous-reading", "gold.tsv", (5,))
    assert f"a quote opens on line 5 and closes on line {last + 2}" in issue.found
    assert [choice.settings for choice in issue.choices] == ['quote = ""', 'quote = "\\""']
    write(root, {"task.toml": f"[gold]\n{issue.choices[0].settings}\n"})
    assert read_campaign(root).gold.n_items == 12
    write(
        root, {"task.toml": f'[gold]\n{issue.choices[1].settings}\n[policies]\nextra = "ignore"\n'}
    )
    assert read_campaign(root).gold.n_items == 12 - (last - 3)


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
def test_texts_that_go_over_lines_in_quotes_are_read_without_a_question(delimiter, tmp_path):
    """Whatever stands in them that is no item: the delimiter, another quote, an empty line."""
    texts = [
        f'one{delimiter} two\nand "three"',
        "a\n\nb",
        f"a{delimiter}b\nc{delimiter}d",
        *TEXTS[3:],
    ]
    for order in (("id", "text", "label"), ("id", "label", "text"), ("text", "id", "label")):
        root = write(
            tmp_path / "-".join(order),
            {"gold.csv": as_csv(texts, order, delimiter), "submissions/A.tsv": answers()},
        )
        campaign = read_campaign(root)
        assert campaign.gold.n_items == 12
        assert (campaign.submissions[0].codes == campaign.gold.codes).all()


def test_a_text_that_quotes_a_whole_line_of_the_file_is_asked_for(tmp_path):
    """Nothing tells it from an item, so it is not decided here."""
    texts = ["see\nt1\tso it goes\tneu\nabove", *TEXTS[1:]]
    root = write(tmp_path, {"gold.tsv": as_csv(texts), "submissions/A.tsv": answers()})
    assert [issue.slug for issue in refusal(root)] == ["ambiguous-reading"]
    write(root, {"task.toml": "[gold]\nquote = '\"'\n"})
    assert read_campaign(root).gold.n_items == 12


def test_a_submission_with_stray_quotes_is_asked_for_by_the_ids_that_gold_has(tmp_path):
    """Also far below the lines by which its layout is recognised."""
    n = 3000
    gold = "".join(f"t{number}\t{LABELS[number % 3]}\n" for number in range(n))
    texts = {2500: '"so', 2502: 'so"'}
    lines = [f"t{number}\t{texts.get(number, 'so')}\t{LABELS[number % 3]}\n" for number in range(n)]
    root = write(tmp_path, {"gold.tsv": gold, "submissions/A.tsv": "".join(lines)})
    (issue,) = refusal(root)
    assert (issue.slug, issue.lines) == ("ambiguous-reading", (2501,))
    assert "correct this file instead" in issue.remedy
    write(root, {"task.toml": '[submissions]\nquote = ""\n'})
    campaign = read_campaign(root)
    assert (campaign.submissions[0].codes == campaign.gold.codes).all()


def test_a_quoted_line_whose_id_gold_lacks_is_no_item_of_a_submission(tmp_path):
    """As in a text that a system was given, and that shows an example."""
    gold = "".join(f"t{number}\t{LABELS[number % 3]}\n" for number in range(12))
    texts = ["see\nx1\tso\tneu\nx2\tso\tpos\nabove", *TEXTS[1:]]
    campaign = read_campaign(
        write(tmp_path, {"gold.tsv": gold, "submissions/A.tsv": as_csv(texts)})
    )
    assert (campaign.submissions[0].codes == campaign.gold.codes).all()


def test_a_wide_file_with_stray_quotes_is_asked_for(tmp_path):
    """Its gold and all its systems would lose the items."""
    texts = {3: '"so', 5: 'so"'}
    rows = [["id", "text", "gold", "A", "B"]]
    rows += [[f"t{n}", texts.get(n, "so"), LABELS[n % 3], LABELS[n % 3], "neg"] for n in range(12)]
    wide = "".join("\t".join(row) + "\n" for row in rows)
    toml = '[wide]\ndelimiter = "tab"\nsystems = ["A", "B"]\n'
    root = write(tmp_path, {"all.tsv": wide, "task.toml": toml})
    (issue,) = refusal(root)
    assert (issue.slug, issue.lines) == ("ambiguous-reading", (5,))
    assert {choice.section for choice in issue.choices} == {"[wide]"}
    write(root, {"task.toml": toml + 'quote = ""\n'})
    assert read_campaign(root).gold.n_items == 12
