"""Mutated files beside a reader that knows nothing of ours: what loads is what it reads, nothing is lost in silence."""

import csv
import io
import random
import re

import pytest

from audit.formats.campaign.campaigns import read_campaign
from tests.nightly import whole_or

from .campaigns import read_or_refused, write

IDS = [f"d{number}" for number in range(1, 13)]
LABELS = ("no", "yes")
GOLD = {item_id: LABELS[place % 5 > 1] for place, item_id in enumerate(IDS)}
LAYOUT = 'format = "delimited"\ndelimiter = ","\nheader = true\ncomment = ""\nid = "id"\nlabel = "label"\n'
SCORES = 'above = "yes"\nscore = { SVM = "p(spam)", "*" = "score" }\n'
PIECES = [
    *(
        "",
        " ",
        "0",
        "1",
        "-1",
        "nan",
        "inf",
        "1e999",
        "1,5",
        "1_0",
        "½",
        "\ufeff",
        "\u200b",
        "\u00a0",
        '"',
        '""',
        "'",
    ),
    *(
        ",",
        ";",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\x00",
        "\x1b",
        "\u2028",
        "\x85",
        "#",
        "=1",
        "id",
        "label",
        "score",
        "p(spam)",
    ),
    *(
        "yes",
        "no",
        "YES",
        "yes ",
        "maybe",
        "d1",
        "d1 ",
        "d13",
        "1.0",
        ".5",
        "5.",
        "None",
        "*",
        "{",
        "[",
        "..",
        "😀",
    ),
]


def mutated(chance, text):
    """A text with one to five changes, of characters, cells, lines or columns."""
    for _ in range(chance.choice([1, 1, 1, 2, 3, 5])):
        lines, at, kind = text.split("\n"), chance.randrange(len(text) + 1), chance.randrange(8)
        if kind == 0:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + chance.choice([1, 2, 5, 20]) :]
        elif kind == 2:
            lines.insert(chance.randrange(len(lines)), chance.choice(lines))
        elif kind == 3:
            del lines[chance.randrange(len(lines))]
        elif kind in {4, 5}:
            row = chance.randrange(len(lines))
            cells = lines[row].split(",")
            cells[chance.randrange(len(cells))] = chance.choice(PIECES if kind == 4 else cells)
            lines[row] = ",".join(cells)
        elif kind == 6:
            words = sorted(set(re.findall(r"\w+", text)))
            text = text.replace(chance.choice(words), chance.choice(words)) if words else text
        else:
            text = chance.choice(
                [
                    text.replace("\n", "\r\n"),
                    text.replace(",", ";"),
                    text.rstrip("\n"),
                    "\ufeff" + text,
                ]
            )
        text = "\n".join(lines) if kind in {2, 3, 4, 5} else text
    return text


def naive(data, *columns):
    """Cells by id, of columns that are there once, as Python's csv module has them; None for no such table."""
    try:
        text = data.decode().lstrip("\ufeff")
        head, *rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    except (UnicodeDecodeError, ValueError, csv.Error):
        return None
    places = [head.index(name) if head.count(name) == 1 else None for name in ("id", *columns)]
    if None in places[:2] or any(len(row) != len(head) for row in rows):
        return None
    found = {row[places[0]]: [None if at is None else row[at] for at in places[1:]] for row in rows}
    return found if len(found) == len(rows) else None


def number_or_none(cell):
    """A finite decimal number in ASCII, blanks around it left out; None for any other cell."""
    plain = cell is not None and re.fullmatch(
        r"[ \t]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*", cell
    )
    return float(cell) if plain and abs(float(cell)) < float("inf") else None


def answers(chance, name):
    labels = {
        item_id: GOLD[item_id] if chance.random() < 0.7 else chance.choice(LABELS)
        for item_id in IDS
    }
    rows = [
        f"{item_id},{labels[item_id]},{chance.random():.3f}"
        for item_id in chance.sample(IDS, len(IDS))
    ]
    return "\n".join([f"id,label,{name}", *rows, ""])


def check_labels(submission, gold, cells):
    labels = list(gold.label_set)
    for item_id, code in zip(gold.item_ids, submission.codes.tolist(), strict=True):
        label = cells.get(item_id, [None])[0]
        assert (labels[code] if code < len(labels) else None) == (
            label if label in labels else None
        )
    assert submission.issues or max(submission.codes.tolist()) < len(labels)
    assert set(cells) <= set(gold.item_ids)


@pytest.mark.parametrize("seed", range(4))
def test_a_submission_with_scores_is_what_a_naive_reader_reads(seed, tmp_path):
    """Labels and scores, or an issue that says which there are not; the other team's file stands."""
    for number in range(whole_or(15, 1000)):
        chance = random.Random(100_000 * seed + number)  # noqa: S311 - which files is no secret
        gold = "\n".join(
            ["id,label", *(f"{item_id},{label}" for item_id, label in GOLD.items()), ""]
        )
        data = mutated(chance, answers(chance, "p(spam)")).encode()
        files = {"submissions/SVM.csv": data, "submissions/B.csv": answers(chance, "score")}
        stated = {"task.toml": f"[gold]\n{LAYOUT}[submissions]\n{LAYOUT}{SCORES}", "gold.csv": gold}
        root = write(tmp_path / str(number), {**stated, **files})
        campaign = read_or_refused(lambda root=root: read_campaign(root, skip_rejected=True))
        assert len(campaign.submissions) + len(campaign.rejections) == 2
        for each in campaign.submissions:
            cells = naive(
                each.source.content, "label", "p(spam)" if each.team == "SVM" else "score"
            )
            assert cells is not None
            check_labels(each, campaign.gold, cells)
            scores = [number_or_none(cells.get(item_id, [None, None])[1]) for item_id in IDS]
            if each.scores is None:
                assert {issue.slug for issue in each.issues} & {"missing-score"}
            else:
                assert each.scores.tolist() == scores


@pytest.mark.parametrize("seed", range(2))
def test_a_cut_gold_file_is_what_a_naive_reader_reads(seed, tmp_path):
    """Ids, labels and both columns of slices."""
    for number in range(whole_or(15, 1000)):
        chance = random.Random(900_000 + 100_000 * seed + number)  # noqa: S311 - likewise
        rows = [
            f"{item_id},{label},{chance.choice(['en', 'de'])},{chance.choice('xy')}"
            for item_id, label in GOLD.items()
        ]
        data = mutated(chance, "\n".join(["id,label,language,domain", *rows, ""])).encode()
        toml = f'[gold]\n{LAYOUT}slices = ["language", "domain"]\n[policies]\nextra = "ignore"\n'
        root = write(
            tmp_path / str(number),
            {"gold.csv": data, "task.toml": toml, "submissions/A.csv": answers(chance, "p")},
        )
        campaign = read_or_refused(lambda root=root: read_campaign(root, skip_rejected=True))
        if campaign is None:
            continue
        cells = naive(data, "label", "language", "domain")
        assert tuple(cells) == campaign.gold.item_ids
        labels, *columns = zip(*cells.values(), strict=True)
        assert [
            campaign.gold.label_set.labels[code] for code in campaign.gold.codes.tolist()
        ] == list(labels)
        for column, expected in zip(campaign.gold.slices, columns, strict=True):
            assert [column.values[code] for code in column.codes.tolist()] == list(expected)
