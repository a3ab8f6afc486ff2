"""Two hundred constructed inputs that mean harm or were never thought of: each is refused, or read exactly right.

Every group has a naive reading of its own, written here from the field's rules and not from ours. An input is refused
with an issue of the catalogue, or what was read is what the naive reading reads; nothing else, and no traceback.
"""

import csv
import gzip
import io
import json
import re
import tarfile
import warnings
import zipfile
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    f1_score,
    fbeta_score,
    roc_auc_score,
)

import audit
from audit import workflow
from audit.domain import ScoreKey
from audit.errors import ISSUE_KINDS, AuditError, InputError, UsageError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.single_file import AnswerKey, check_submission
from audit.formats.small_tables import read_published
from audit.metrics import parse_score_key
from audit.readings import identify
from tests.formats.campaigns import read_or_refused, write
from tests.formats.tables import workbook
from tests.nightly import by_day

GOLD = ("no", "yes", "no", "yes", "no", "yes")


# Columns of scores in a wide table: a cell


CELLS = [
    *(
        "nan",
        "NaN",
        "NAN",
        "-nan",
        "inf",
        "-inf",
        "+inf",
        "Infinity",
        "∞",
        "1e308",
        "-1e308",
        "1e309",
        "-1e999",
    ),
    *(
        "5e-324",
        "1e-400",
        "0x10",
        "1_000",
        "1,5",
        "½",
        "\uff10.\uff15",
        "٣",
        "1e",
        "e5",
        "--1",
        "+-1",
        ".5",
        "5.",
        "+.5",
        ".",
    ),
    *(
        "-0",
        "0",
        "1",
        "true",
        "FALSE",
        "None",
        "null",
        "",
        " ",
        " 0.5",
        "0.5 ",
        "0.5%",
        "50%",
        "1/2",
        "=0.5",
        "'0.5",
    ),
    *(
        "0.50000000000000000001",
        "1 000",
        "1.2.3",
        "\u00a00.5",
        "\u20090.5",
        "−0.5",
        "–0.5",
        "1E5",
        "0.5f",
        "1d3",
        "0.5;",
    ),
    *(
        "1e+5",
        "1e-5",
        "0b1",
        "1j",
        "(0.5)",
        "0.5\u200b",
        "9" * 400,
        "0." + "0" * 400 + "1",
        "NA",
        "n/a",
        "-",
        "?",
    ),
]
_NUMBER = re.compile(r"[ ]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ ]*")


def naive_number(cell):
    """A finite decimal number in ASCII; else None."""
    if not _NUMBER.fullmatch(cell):
        return None
    value = Fraction(cell.strip()) if abs(len(cell)) < 60 and "e" not in cell.lower() else None
    number = float(value) if value is not None else float(cell)
    return number if np.isfinite(number) else None


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_of_a_score_column_is_its_number_or_none(cell, tmp_path):
    """The other cells stand; a system with one cell that is no number has no scores, which is said."""
    column = ["0.1", cell, "0.2", "0.8", "0.3", "0.9"]
    rows = [
        f'{n},{gold},{gold},"{score}"'
        for n, (gold, score) in enumerate(zip(GOLD, column, strict=True))
    ]
    files = {
        "all.csv": "\n".join(["id,gold,A,A_p", *rows]) + "\n",
        "task.toml": '[wide]\nscore = "{team}_p"\nabove = "yes"\n',
    }
    campaign = read_or_refused(lambda: read_campaign(write(tmp_path, files)))
    is_plain = re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", cell) is not None
    if campaign is None:
        assert not is_plain
        return
    expected, (submission,) = naive_number(cell), campaign.submissions
    if submission.scores is None:
        assert not is_plain
        assert {issue.slug for issue in campaign.issues} & {"missing-score"}
    else:
        assert expected is not None
        np.testing.assert_array_equal(
            submission.scores, [float(x) if x != cell else expected for x in column]
        )
    assert submission.codes.tolist() == [0, 1, 0, 1, 0, 1]


# Scores of items from Python: whole columns


HUGE = 1.7e308
COLUMNS = {
    "all equal": [0.5] * 6,
    "all 0": [0] * 6,
    "0 and -0": [0.0, -0.0, 0.0, -0.0, 0.0, 0.0],
    "all 1e308": [1e308] * 6,
    "as far apart as can be": [-HUGE, HUGE, -HUGE, HUGE, 0.0, HUGE],
    "turned round": [HUGE, -HUGE, HUGE, -HUGE, HUGE, 0.0],
    "denormal": [5e-324, 1e-323, 0.0, 1.5e-323, 5e-324, 5e-324],
    "one step apart": [
        0.5,
        np.nextafter(0.5, 1),
        0.5,
        np.nextafter(0.5, 1),
        np.nextafter(0.5, 0),
        0.5,
    ],
    "a NaN": [0.1, np.nan, 0.2, 0.8, 0.3, 0.9],
    "all NaN": [np.nan] * 6,
    "inf": [0.1, np.inf, 0.2, 0.8, 0.3, 0.9],
    "-inf": [0.1, -np.inf, 0.2, 0.8, 0.3, 0.9],
    "texts": ["0.1", "0.9", "0.2", "0.8", "0.3", "0.9"],
    "a text": [0.1, "high", 0.2, 0.8, 0.3, 0.9],
    "None": [0.1, None, 0.2, 0.8, 0.3, 0.9],
    "truth values": [False, True, False, True, False, True],
    "complex": [0.1, 0.9 + 1j, 0.2, 0.8, 0.3, 0.9],
    "a complex array": np.array([0.1, 0.9 + 1j, 0.2, 0.8, 0.3, 0.9]),
    "dates": np.array(["2031-01-01"] * 6, dtype="M8[D]"),
    "durations": np.array([1, 9, 2, 8, 3, 9], dtype="m8[s]"),
    "large whole numbers": [2**53, 2**53 + 1, 2**53, 2**53 + 2, 0, 2**60],
    "beyond 64 bits": [2**70, 2**71, 0, 2**72, 1, 2**73],
    "beyond doubles": [10**400, 1, 0, 1, 0, 1],
    "too few": [0.1, 0.9],
    "too many": [0.1] * 7,
    "none": [],
    "two dimensions": [[0.1, 0.2]] * 6,
    "objects": [object()] * 6,
    "integers as strings": np.array(["1", "2", "1", "2", "1", "2"]),
    "float16": np.array([0.1, 0.9, 0.2, 0.8, 0.3, 0.9], dtype=np.float16),
    "unsigned": np.array([0, 255, 3, 200, 1, 254], dtype=np.uint8),
    "probabilities": [0.0, 1.0, 0.25, 0.75, 0.5, 0.5],
    "a little above 1": [0.0, 1.0000001, 0.25, 0.75, 0.5, 0.5],
    "masked": np.ma.masked_array([0.1, 0.9, 0.2, 0.8, 0.3, 0.9], mask=[0, 1, 0, 0, 0, 0]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_scores_of_items_are_those_of_scikit_learn_or_refused(name):
    """AUC, average precision and the Brier score of what was taken, as Python's floats have it."""
    given = COLUMNS[name]
    try:
        found = audit.evaluate(
            list(GOLD),
            {"A": list(GOLD)},
            item_scores={"A": given},
            scored_label="yes",
            certainty=False,
        )
    except AuditError:
        assert name not in {
            "all equal",
            "one step apart",
            "probabilities",
            "truth values",
            "float16",
            "all 1e308",
        }
        return
    scores = {
        key: found.scores_of(ScoreKey(key))[0] for key in ("auc", "average_precision", "brier")
    }
    row = found.item_scores.rows[0]
    if row is None:
        assert np.isnan(list(scores.values())).all()
        return
    taken = np.array([float(cell) for cell in given])
    assert np.isfinite(taken).all()
    assert not np.ma.is_masked(given)
    np.testing.assert_array_equal(row[:, 0], taken)
    # differences of the largest doubles overflow
    truth, ranks = np.array(GOLD) == "yes", rankdata(taken)
    assert scores["auc"] == pytest.approx(roc_auc_score(truth, ranks))
    assert scores["average_precision"] == pytest.approx(average_precision_score(truth, ranks))
    if ((taken >= 0) & (taken <= 1)).all():
        assert scores["brier"] == pytest.approx(brier_score_loss(truth, taken))
    else:
        assert np.isnan(scores["brier"])


# Published ranks


RANKS = [
    *(
        ["1", "2", "3", "4"],
        ["1", "2", "2", "4"],
        ["1", "1", "1", "1"],
        ["1", "3", "7", "9"],
        ["4", "3", "2", "1"],
    ),
    *(
        ["1.", "2.", "3.", "4."],
        ["1st", "2nd", "3rd", "4th"],
        ["1", "2=", "2=", "4"],
        ["1=", "1=", "3", "4"],
    ),
    *(
        ["T1", "T1", "3", "4"],
        ["=1", "=1", "3", "4"],
        ["1T", "1T", "3", "4"],
        ["1", "T-2", "T-2", "4"],
    ),
    *(
        ["0", "1", "2", "3"],
        ["-1", "-2", "-3", "-4"],
        ["I", "II", "III", "IV"],
        ["a", "b", "c", "d"],
    ),
    *(
        ["1", "2", "3", "–"],
        ["1", "2", "", "4"],
        ["1", "n/a", "3", "4"],
        ["–", "–", "–", "–"],
        ["1", "2.5", "2.5", "4"],
    ),
    *(
        ["1.0", "2.0", "3.0", "4.0"],
        ["1*", "2†", "3", "4"],
        ["1", "2-3", "2-3", "4"],
        ["1–2", "1–2", "3", "4"],
    ),
    *(
        ["\uff11", "\uff12", "\uff13", "\uff14"],
        ["①", "②", "③", "④"],
        ["¹", "²", "³", "⁴"],
        ["1 ", " 2", "3", "4"],
        ["01", "02", "03", "04"],
    ),
    *(
        ["1e0", "2e0", "3e0", "4e0"],
        ["+1", "+2", "+3", "+4"],
        ["999999", "1", "2", "3"],
        ["9999999", "1", "2", "3"],
    ),
    *(
        ["1", "2", "3", "4 (tie)"],
        ["#1", "#2", "#3", "#4"],
        ["first", "second", "third", "4"],
        ["1,5", "2", "3", "4"],
    ),
    *(
        ["1º", "2º", "3º", "4º"],
        ["1.º", "2", "3", "4"],
        ["1th", "2th", "3th", "4th"],
        ["1\u200b", "2", "3", "4"],
    ),
    *(
        ["(1)", "2", "3", "4"],
        ["1)", "2)", "3)", "4)"],
        ["1/4", "2/4", "3/4", "4/4"],
        ["1 st", "2 nd", "3 rd", "4 th"],
    ),
]
_RANK = re.compile(r"(?:[=Tt][ ]?)?([0-9]+)[ ]?(?:\.|st|nd|rd|th)?[ ]?(?:[=Tt])?")
_NO_RANK = {"", "–", "-", "n/a"}


def naive_rank(cell):
    """A whole number from 1 on, with what people write around it; None for any other cell."""
    plain = "".join(str(int(c)) if c.isdecimal() else c for c in cell).strip(" *†\u200b")
    match = _RANK.fullmatch(plain)
    return int(match[1]) if match and int(match[1]) else None


@pytest.fixture(scope="module")
def ranked():
    """Four teams, each worse than the one before by every score."""
    gold = ["a", "b", "c"] * 20
    answers = {
        team: [label if place % 10 < right else "a" for place, label in enumerate(gold)]
        for team, right in (("A", 9), ("B", 7), ("C", 5), ("D", 3))
    }
    found = audit.evaluate(gold, answers, certainty=False)
    scores = [f1_score(gold, row, average="macro") for row in answers.values()]
    np.testing.assert_allclose(found.scores_of(ScoreKey("averaged_f1")), scores)
    return found, scores


@pytest.mark.parametrize("heading", ["Rank", "#", "Official rank"])
@pytest.mark.parametrize(
    "cells", RANKS, ids=lambda cells: ",".join(cells).encode("unicode_escape").decode()
)
@by_day(50)
def test_printed_ranks_are_read_as_they_stand_or_not_at_all(heading, cells, ranked, tmp_path):
    """And what they are said to be by is an order that no pair of teams contradicts."""
    path = tmp_path / "t.tsv"
    lines = [f"{cell}\t{team}" for cell, team in zip(cells, "ABCD", strict=True)]
    path.write_text("\n".join([f"{heading}\tTeam", *lines]) + "\n", encoding="utf-8")
    table = read_or_refused(lambda: read_published(path))
    if table is None:
        is_plain = all(re.fullmatch(r"[1-9][0-9]{0,5}\.?", cell) for cell in cells)
        assert not is_plain or heading == "#"
        return
    (column,) = table.columns
    expected = [None if cell.strip() in _NO_RANK else naive_rank(cell) for cell in cells]
    assert column.is_of_ranks
    assert [cell and cell.units for cell in column.scores] == expected
    assert all(
        rank is not None or cell.strip() in _NO_RANK
        for rank, cell in zip(expected, cells, strict=True)
    )
    evaluation, scores = ranked
    (found,) = identify(evaluation, table).ranks
    there = [
        (rank, score) for rank, score in zip(expected, scores, strict=True) if rank is not None
    ]
    fits = all(not (one > other and s > t) for one, s in there for other, t in there)
    assert any(by.startswith("macro-averaged F1") for by in found.by) == (fits and len(there) >= 3)


# Archives in archives


ANSWERS = "id,label\n1,no\n2,no\n3,no\n4,yes\n"
OTHERS = "id,label\n1,yes\n2,yes\n3,no\n4,yes\n"


def a_zip(members, **settings):
    """A zip of named bytes, in their order, also with one name twice."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, **settings) as archive:
        for name, data in members:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that a name is there twice is what is meant
                archive.writestr(
                    zipfile.ZipInfo(name), data if isinstance(data, bytes) else data.encode()
                )
    return file.getvalue()


def a_tar(members, mode="w", kind=tarfile.REGTYPE, link=""):
    """A tar of named bytes."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, given in members:
            header = tarfile.TarInfo(name)
            header.type, header.linkname = kind, link
            data = given if isinstance(given, bytes) else given.encode()
            header.size = len(data) if kind == tarfile.REGTYPE else 0
            archive.addfile(header, io.BytesIO(data))
    return file.getvalue()


def deep(n, made=a_zip, ending=".zip"):
    """One file of answers in so many archives in one another."""
    data, name = ANSWERS.encode(), "a.csv"
    for number in range(n):
        data, name = made([(name, data)]), f"x{number}{ending}"
    return data


INNER = a_zip([("a.csv", ANSWERS)])
ARCHIVES = {
    **{f"zip, {n} deep": deep(n) for n in range(1, 8)},
    **{f"tar in itself, {n} deep": a_zip([("x.tar", deep(n, a_tar, ".tar"))]) for n in range(1, 6)},
    "a tar.gz in it": a_zip([("x.tar.gz", a_tar([("a.csv", ANSWERS)], "w:gz"))]),
    "a tar.xz in it": a_zip([("x.tar.xz", a_tar([("a.csv", ANSWERS)], "w:xz"))]),
    "two, alike": a_zip([("x.zip", INNER), ("y.zip", INNER)]),
    "two, unlike": a_zip([("x.zip", INNER), ("y.zip", a_zip([("a.csv", OTHERS)]))]),
    "one name twice": a_zip([("x.zip", INNER), ("x.zip", a_zip([("a.csv", OTHERS)]))]),
    "one name twice inside": a_zip([("x.zip", a_zip([("a.csv", ANSWERS), ("a.csv", OTHERS)]))]),
    "names that differ in case": a_zip([("x.zip", a_zip([("a.csv", ANSWERS), ("A.csv", OTHERS)]))]),
    "beside a file": a_zip([("x.zip", INNER), ("b.csv", OTHERS)]),
    "an empty one": a_zip([("x.zip", a_zip([]))]),
    "no bytes": a_zip([("x.zip", b"")]),
    "no archive": a_zip([("x.zip", b"PK\x03\x04 no archive")]),
    "cut": a_zip([("x.zip", INNER[:-30])]),
    "cut in the middle": a_zip([("x.zip", INNER[: len(INNER) // 2])]),
    "bytes before": a_zip([("x.zip", b"#!/bin/sh\n" + INNER)]),
    "bytes behind": a_zip([("x.zip", INNER + b"more")]),
    "two concatenated": a_zip([("x.zip", INNER + a_zip([("a.csv", OTHERS)]))]),
    "up the tree": a_zip([("x.zip", a_zip([("../../a.csv", ANSWERS)]))]),
    "absolute": a_zip([("x.zip", a_zip([("/etc/a.csv", ANSWERS)]))]),
    "backslashes": a_zip([("x.zip", a_zip([("..\\a.csv", ANSWERS)]))]),
    "a drive": a_zip([("x.zip", a_zip([("C:\\a.csv", ANSWERS)]))]),
    "a long name": a_zip([("x.zip", a_zip([("a" * 300 + ".csv", ANSWERS)]))]),
    "many folders": a_zip([("x.zip", a_zip([("f/" * 60 + "a.csv", ANSWERS)]))]),
    "a name of blanks": a_zip([("x.zip", a_zip([("   .csv", ANSWERS)]))]),
    "control characters": a_zip([("x.zip", a_zip([("a\x07\u202e.csv", ANSWERS)]))]),
    "junk of a Mac": a_zip(
        [("x.zip", a_zip([("a.csv", ANSWERS), ("__MACOSX/._a.csv", "x"), (".DS_Store", "x")]))]
    ),
    "a link": a_zip([("x.tar", a_tar([("a.csv", "")], kind=tarfile.SYMTYPE, link="/etc/passwd"))]),
    "a hard link": a_zip([("x.tar", a_tar([("a.csv", "")], kind=tarfile.LNKTYPE, link="b.csv"))]),
    "a device": a_zip([("x.tar", a_tar([("a.csv", "")], kind=tarfile.CHRTYPE))]),
    "a pipe": a_zip([("x.tar", a_tar([("a.csv", "")], kind=tarfile.FIFOTYPE))]),
    "zeros that unpack to much": a_zip([("x.zip", a_zip([("a.csv", bytes(30_000_000))]))]),
    "called otherwise": a_zip([("x.csv", INNER)]),
    "a workbook of answers": a_zip(
        [("x.xlsx", workbook([line.split(",") for line in ANSWERS.split()]))]
    ),
    "answers with a NUL": a_zip([("x.zip", a_zip([("a.csv", ANSWERS + "\0")]))]),
    "a folder alone": a_zip([("x.zip", a_zip([("a.csv/", "")]))]),
}


def naive_leaves(data):
    """Every file of answers in archives in one another, by Python's own readers; None where one cannot be read."""
    try:
        if zipfile.is_zipfile(io.BytesIO(data)):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                inner = [(each.filename, archive.read(each)) for each in archive.infolist()]
        else:
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                members = [each for each in archive.getmembers() if each.isreg()]
                inner = [(each.name, archive.extractfile(each).read()) for each in members]
    except (OSError, ValueError, zipfile.BadZipFile, tarfile.TarError, EOFError, RuntimeError):
        return None
    leaves = []
    for name, content in inner:
        if "__MACOSX" in name or name.endswith((".DS_Store", "/")):
            continue
        if name.endswith((".zip", ".tar", ".tar.gz", ".tar.xz")):
            below = naive_leaves(content)
            if below is None:
                return None
            leaves += below
        else:
            leaves.append(content)
    return leaves


def naive_codes(content):
    """The answers of a small CSV file, or of a workbook of this module."""
    lines = ANSWERS if content[:2] == b"PK" else content.decode()
    return [["no", "yes"].index(line.split(",")[1]) for line in lines.split()[1:]]


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_in_an_archive_is_its_answers_or_refused(name, tmp_path):
    """Every submission is a file that is really in there, and of those that can be answers none is lost."""
    files = {
        "gold.csv": "id,label\n1,no\n2,yes\n3,no\n4,yes\n",
        "submissions/B.csv": OTHERS,
        "submissions/A.zip": ARCHIVES[name],
    }
    campaign = read_or_refused(lambda: read_campaign(write(tmp_path, files)))
    plain = {
        "zip, 1 deep",
        "zip, 4 deep",
        "tar in itself, 1 deep",
        "a tar.gz in it",
        "two, unlike",
        "junk of a Mac",
    }
    if campaign is None:
        assert name not in plain
        return
    found = sorted(each.codes.tolist() for each in campaign.submissions if each.team == "A")
    refused = {issue.slug for rejection in campaign.rejections for issue in rejection.issues}
    assert refused <= set(ISSUE_KINDS)
    assert found or name not in plain
    if not refused and not campaign.issues:
        leaves = naive_leaves(ARCHIVES[name])
        expected = sorted(map(naive_codes, leaves or []))
        # the file is the submission, and the archive what belongs to it
        beside = name == "beside a file"
        assert found == ([naive_codes(OTHERS.encode())] if beside else expected)
        assert found


# Class distributions


SHARES = {
    "halves": {"a": "0.5", "b": "0.5"},
    "weights": {"a": "3", "b": "1"},
    "tiny and large": {"a": "1e-300", "b": "1e300"},
    "the largest": {"a": "1e308", "b": "1e308"},
    "denormal": {"a": "5e-324", "b": "5e-324"},
    "zero": {"a": "0", "b": "1"},
    "negative zero": {"a": "-0.0", "b": "1"},
    "negative": {"a": "-1", "b": "2"},
    "nan": {"a": "nan", "b": "1"},
    "inf": {"a": "inf", "b": "1"},
    "-inf": {"a": "-inf", "b": "1"},
    "text": {"a": '"0.5"', "b": "0.5"},
    "truth": {"a": "true", "b": "true"},
    "list": {"a": "[1]", "b": "1"},
    "table": {"a": "{ x = 1 }", "b": "1"},
    "a date": {"a": "2031-01-01", "b": "1"},
    "one missing": {"a": "1"},
    "none": {},
    "one more": {"a": "1", "b": "1", "c": "1"},
    "one unknown": {"a": "1", "d": "1"},
    "of gold's absent class alone": {"c": "1"},
    "case": {"A": "1", "b": "1"},
    "blank": {'"a "': "1", "b": "1"},
    "a huge whole number": {"a": "9" * 30, "b": "1"},
    "hexadecimal": {"a": "0x10", "b": "16"},
    "underscores": {"a": "1_000", "b": "3_000"},
    "not summing to 1": {"a": "0.9", "b": "0.9"},
    "percent": {"a": "90", "b": "10"},
    "sum that rounds": {"a": "0.1", "b": "0.2"},
}
NAMES = [
    "balanced",
    "observed",
    '""',
    '"a b"',
    '"x@y"',
    '"~"',
    '"x~"',
    '"é"',
    '"e\u0301"',
    '"a]b"',
    '"' + "x" * 300 + '"',
]
DISTRIBUTIONS = [
    *(("x", shares) for shares in SHARES.values()),
    *((name, SHARES["weights"]) for name in NAMES),
]
RECALLS = {"a": Fraction(3, 4), "b": Fraction(1, 2)}


@pytest.mark.parametrize(("name", "shares"), DISTRIBUTIONS, ids=[*SHARES, *map(repr, NAMES)])
def test_a_class_distribution_weighs_the_recalls_or_is_refused(name, shares, tmp_path):
    """Accuracy at it is the mean of the recalls with exactly these weights, in fractions."""
    settings = "\n".join(f"{label} = {share}" for label, share in shares.items())
    files = {
        "gold.csv": "id,label\n1,a\n2,a\n3,a\n4,a\n5,b\n6,b\n",
        "submissions/A.csv": "id,label\n1,a\n2,a\n3,a\n4,b\n5,b\n6,a\n",
        "task.toml": f'labels = ["a", "b", "c"]\n[prevalence.{name}]\n{settings}\n',
    }
    campaign = read_or_refused(lambda: read_campaign(write(tmp_path, files)))
    if campaign is None:
        assert name != "x" or shares not in (SHARES["halves"], SHARES["percent"], SHARES["weights"])
        return
    found = evaluate(campaign)
    (prevalence,) = campaign.task.prevalences
    score = found.scores_of(ScoreKey("accuracy", prevalence.name))[0]
    exact = {label: Fraction(float(eval(share))) for label, share in shares.items()}  # noqa: S307 - of the table above
    assert set(exact) == set(RECALLS)
    assert min(exact.values()) > 0
    expected = sum(exact[label] * RECALLS[label] for label in RECALLS) / sum(exact.values())
    assert score == pytest.approx(float(expected), abs=1e-12)


# Names of official scores


SCORES = [
    *(
        "mean_rank()",
        "mean_rank(,)",
        "mean_rank(accuracy,)",
        "mean_rank(accuracy kappa)",
        "mean_rank((accuracy,kappa))",
    ),
    *(
        "mean_rank(0*accuracy,kappa)",
        "mean_rank(-1*accuracy,kappa)",
        "mean_rank(nan*accuracy,kappa)",
        "mean_rank",
    ),
    *(
        "mean_rank(accuracy,kappa)[a]",
        "mean_rank(accuracy,kappa)~~",
        "mean_rank(accuracy,kappa)~@x",
        "mean_rank(auc,kappa)",
    ),
    *(
        "MEAN_RANK(accuracy,kappa)",
        "mean_rank (accuracy,kappa)",
        "mean_rank(accuracy@x,kappa)",
        "answered_averaged_f1[d]",
    ),
    *(
        "answered_averaged_f1[]",
        "answered_accuracy[a]",
        "coverage[a]",
        "coverage(declared)",
        "answered_averaged_f1(x)",
    ),
    *(
        "answered",
        "answered_f1",
        "answered_macro_f1",
        "answered_kappa",
        "mean(coverage,brier)",
        "mean_rank(" * 40,
    ),
    "mean_rank(" + ",".join(f"f{n}[a]" for n in range(2, 30)) + ")",
]


@pytest.mark.parametrize("name", SCORES, ids=lambda name: name[:40])
def test_a_name_that_is_no_score_is_refused_in_words(name):
    """A usage error that names it, or the one spelling of what it is."""
    gold, answers = list("aabbcc"), {"A": list("aabbca"), "B": list("aabacc")}
    try:
        found = audit.evaluate(gold, answers, official_metric=name, certainty=False)
    except AuditError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        return
    key = found.task.ranking_metric
    assert str(parse_score_key(str(key), found.task.label_set)) == str(key)
    assert str(key) == name.replace(" (", "(")


# files.csv: what it says is what is read, or it is refused

LISTED = "gold.csv,gold,\nx/right.csv,submission,{team}\nx/wrong.csv,submission,Wrong\n"
MANIFESTS = {
    "plain": ("file,kind,team\n" + LISTED.format(team="Right"), "Right"),
    "a formula": ("file,kind,team\n" + LISTED.format(team="=1+1"), "=1+1"),
    "markup": ("file,kind,team\n" + LISTED.format(team="<b>Right</b>"), "<b>Right</b>"),
    "a comma in quotes": ("file,kind,team\n" + LISTED.format(team='"Right, U"'), "Right, U"),
    "a quote in a quote": ("file,kind,team\n" + LISTED.format(team='"a ""b"""'), 'a "b"'),
    "a number": ("file,kind,team\n" + LISTED.format(team="007"), "007"),
    "a missing value's name": ("file,kind,team\n" + LISTED.format(team="nan"), "nan"),
    "columns in another order": (
        "team,why,kind,file\n,,gold,gold.csv\nRight,,submission,x/right.csv\nWrong,,submission,x/wrong.csv\n",
        "Right",
    ),
    "a kind in capitals": (
        "file,kind,team\n" + LISTED.format(team="Right").replace("submission", "SUBMISSION"),
        "Right",
    ),
    "an empty line": ("file,kind,team\n\n" + LISTED.format(team="Right"), "Right"),
    "a path with a dot": (
        "file,kind,team\n" + LISTED.format(team="Right").replace("x/r", "./x/r"),
        "Right",
    ),
    "two lines of a file": (
        "file,kind,team\n" + LISTED.format(team="Right") + "x/right.csv,submission,Else\n",
        None,
    ),
    "two spellings of a file": (
        "file,kind,team\n" + LISTED.format(team="Right") + "./x/right.csv,ignore,\n",
        None,
    ),
    "above the folder": (
        "file,kind,team\n" + LISTED.format(team="Right") + "../there.csv,submission,T\n",
        None,
    ),
    "from the root": (
        "file,kind,team\n" + LISTED.format(team="Right") + "/etc/passwd,submission,T\n",
        None,
    ),
    "a file that is not there": (
        "file,kind,team\n" + LISTED.format(team="Right") + "x/no.csv,submission,T\n",
        None,
    ),
    "a folder": ("file,kind,team\n" + LISTED.format(team="Right") + "x,submission,T\n", None),
    "a pattern": (
        "file,kind,team\n" + LISTED.format(team="Right") + "x/*.csv,submission,T\n",
        None,
    ),
    "itself": ("file,kind,team\n" + LISTED.format(team="Right") + "files.csv,submission,T\n", None),
    "gold as a submission": (
        "file,kind,team\n" + LISTED.format(team="Right") + "gold.csv,submission,T\n",
        None,
    ),
    "a team twice": ("file,kind,team\n" + LISTED.format(team="Wrong"), None),
    "an unknown kind": (
        "file,kind,team\n" + LISTED.format(team="Right").replace("submission", "answers"),
        None,
    ),
    "no kind": ("file,kind,team\n" + LISTED.format(team="Right").replace("submission", ""), None),
    "an unknown role": ("file,kind,role\ngold.csv,gold,\nx/right.csv,submission,best\n", None),
    "a column twice": ("file,kind,team,team\ngold.csv,gold,,\nx/right.csv,submission,A,B\n", None),
    "an unknown column": ("file,kind,taem\n" + LISTED.format(team="Right"), None),
    "a cell too many": ("file,kind,team\n" + LISTED.format(team="Right,Else"), None),
    "an open quote": ("file,kind,team\n" + LISTED.format(team='"Right'), None),
    "a header alone": ("file,kind,team\n", None),
}


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("name", MANIFESTS)
def test_files_csv_is_followed_to_the_letter_or_refused(name, tmp_path):
    """Each team has the answers of the file that the table gives it; a refusal names a file and says what to do."""
    manifest, team = MANIFESTS[name]
    items = {
        "gold.csv": GOLD,
        "x/right.csv": GOLD,
        "x/wrong.csv": ["yes" if label == "no" else "no" for label in GOLD],
    }
    files = {
        path: "id,label\n" + "".join(f"{at},{label}\n" for at, label in enumerate(labels, 1))
        for path, labels in items.items()
    }
    root = write(tmp_path / "campaign", {**files, "files.csv": manifest})
    (tmp_path / "there.csv").write_text(files["x/right.csv"], encoding="utf-8")
    if team is None:
        with pytest.raises(InputError) as refused:
            read_campaign(root)
        assert all(issue.file and issue.remedy for issue in refused.value.issues)
        return
    campaign = read_campaign(root)
    right = {
        each.team: float((each.codes == campaign.gold.codes).mean())
        for each in campaign.submissions
    }
    assert right == {team: 1.0, "Wrong": 0.0}


# Columns of scores that are called otherwise in one file


CALLED = [
    *(
        "p",
        "P",
        "score",
        "p(spam)",
        "p, q",
        'say "p"',
        "'p'",
        "p;q",
        "p\tq",
        "p\nq",
        "p\\q",
        "#p",
        "=p",
        "{p}",
        "[p]",
        "*",
        "%",
    ),
    *(
        " p",
        "p ",
        "  ",
        "3",
        "0",
        "-1",
        "1e5",
        "True",
        "None",
        "nan",
        "id",
        "label",
        "ID",
        "p.q",
        "p/q",
        "é",
        "e\u0301",
        "\uff50",
    ),
    *("p\u200b", "\ufeffp", "p\u00a0", "\u202ep", "😀", "x" * 300, "p\x1b[31m", "p\x00"),
]
WHERE = ("by team", "by path", "wide")
SCORED = ["0.1", "0.9", "0.3", "0.8", "0.2", "0.7"]


def as_csv(rows):
    """Rows as Python's csv module writes them."""
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def scored_campaign(where, name):
    """Files in which one submission has its scores under a name, and another under “score”."""
    rows = list(zip(map(str, range(6)), GOLD, SCORED, strict=True))
    other = as_csv([("id", "label", "score"), *rows])
    gold = {"gold.csv": as_csv([("id", "label"), *(row[:2] for row in rows)])}
    stated = '[submissions]\nid = "id"\nlabel = "label"\nabove = "yes"\n'
    if where == "wide":
        wide = [
            ("id", "gold", "A", name, "B", "score"),
            *((row[0], row[1], row[1], row[2], row[1], row[2]) for row in rows),
        ]
        by_name = f'{{ A = {json.dumps(name)}, B = "score" }}'
        toml = f'[wide]\nid = "id"\ngold = "gold"\nsystems = ["A", "B"]\nscore = {by_name}\nabove = "yes"\n'
        return {"all.csv": as_csv(wide), "task.toml": toml}
    files = gold | {
        "submissions/A.csv": as_csv([("id", "label", name), *rows]),
        "submissions/B.csv": other,
    }
    if where == "by team":
        return files | {
            "task.toml": f'{stated}score = {{ A = {json.dumps(name)}, "*" = "score" }}\n'
        }
    return files | {
        "task.toml": f'{stated}score = {{ "*/A.csv" = {json.dumps(name)}, "*" = "score" }}\n'
    }


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize(
    "name", CALLED, ids=lambda name: name[:20].encode("unicode_escape").decode()
)
def test_a_column_of_scores_of_any_name_is_read_or_said_not_to_be(name, where, tmp_path):
    """The labels are those of their own column; scores are those of the file, or an issue says that there are none."""
    files = scored_campaign(where, name)
    campaign = read_or_refused(lambda: read_campaign(write(tmp_path, files)))
    if campaign is None:
        assert name not in {"p", "p(spam)", "p, q", 'say "p"', "#p", "{p}", "*", "3", "é", "p.q"}
        return
    assert [each.codes.tolist() for each in campaign.submissions] == [[0, 1, 0, 1, 0, 1]] * 2
    kept = {each.team: each.scores is not None for each in campaign.submissions}
    for each in campaign.submissions:
        if kept[each.team]:
            assert each.scores.tolist() == list(map(float, SCORED))
        else:
            assert {issue.slug for issue in each.issues} & {"missing-score"}
    assert kept["B"] or name == "score"
    assert kept["A"] or name not in {
        "p",
        "score",
        "p(spam)",
        "p, q",
        'say "p"',
        "#p",
        "{p}",
        "*",
        "3",
        "é",
        "p.q",
    }


# Where a checked file would stand


PLACES = [
    *(
        "submissions/A.csv",
        "submissions/A/1.csv",
        "submissions/A.csv.gz",
        "submissions/A.zip",
        "submissions/B.csv",
    ),
    *(
        "A.csv",
        "submissions",
        "submissions/",
        "/submissions/A.csv",
        "../A.csv",
        "submissions/../A.csv",
        "./submissions/A.csv",
    ),
    *(
        "submissions//A.csv",
        "submissions/A/",
        "submissions/A/1/2.csv",
        "submissions\\A.csv",
        "C:\\A.csv",
        ".",
        "..",
        "/",
        " ",
    ),
    *(
        "submissions/A\x00.csv",
        "submissions/\n.csv",
        "submissions/é.csv",
        "submissions/*.csv",
        "submissions/[A].csv",
    ),
    *(
        "submissions/" + "x" * 3000 + ".csv",
        "submissions/A.csv.zip",
        "submissions/ann - 3 submission.zip",
        "SUBMISSIONS/A.csv",
    ),
]


def check_or_question(name, data, against, place):
    """What a check finds; None where it asks where the file would stand, or how its name is split."""
    try:
        return check_submission(
            name, data, AnswerKey(against.gold, against.settings, claims=against.claims), place
        )
    except UsageError as error:
        said = str(error)
    assert "--as" in said
    return None


@pytest.mark.parametrize(
    "files", ["", 'files = "submissions/{team}_{run}.csv"\n', 'files = "submissions/{team}.csv"\n']
)
@pytest.mark.parametrize(
    "place", PLACES, ids=lambda place: place[:30].encode("unicode_escape").decode()
)
def test_a_file_is_checked_at_any_place_as_a_load_reads_it_or_not_at_all(place, files, tmp_path):
    """Where the place can be written, a load reads there what a check reads; a question is the only other answer."""
    stated = '[submissions]\nid = "id"\nlabel = "label"\nabove = "yes"\nscore = { A = "q", "*" = "score" }\n'
    rows = list(zip(map(str, range(6)), GOLD, SCORED, strict=True))
    content = as_csv([("id", "label", "q"), *rows])
    gold = as_csv([("id", "label"), *(row[:2] for row in rows)])
    root = write(
        tmp_path / "task",
        {"gold.csv": gold, "task.toml": stated + files, "submissions/Z_1.csv": content},
    )
    name = place.rpartition("/")[2]
    packed = {".gz": gzip.compress, ".zip": lambda text: a_zip([("a.csv", text)])}
    data = packed.get(name[name.rfind(".") :], bytes)(content.encode())
    against = workflow.key_of_folder(root)
    checked = check_or_question(name or "A.csv", data, against, place)
    if checked is None:
        return
    if (
        not place.startswith("submissions/")
        or ".." in place
        or place.endswith("/")
        or "//" in place
    ):
        return
    try:
        write(root, {place: data})
    except (OSError, ValueError):
        return
    loaded = read_or_refused(lambda: read_campaign(root, skip_rejected=True))
    there = (
        [each for each in loaded.submissions if each.source.path.startswith(place)]
        if loaded
        else []
    )
    for each in there:
        assert checked.codes.tolist() == each.codes.tolist()
        assert (checked.scores is None) == (each.scores is None)
    assert there or place != "submissions/A.csv" or "run" in files


# Published scores under the field's headings


HEADINGS = {
    "auc": ["AUC", "ROC-AUC", "roc_auc", "AUROC", "AUC (ROC)", "Area under the ROC curve"],
    "average_precision": ["AP", "PR-AUC", "AUPRC", "Average precision", "avg. precision"],
    "brier": ["Brier", "Brier score", "BRIER SCORE"],
    "c_at_1": ["c@1", "C@1", "c @ 1", "c@1 score"],
    "averaged_f0.5": ["F0.5", "F_0.5", "macro F0,5", "Fβ=0.5", "F-beta (0.5)"],
    "macro_specificity": ["Specificity", "macro specificity", "TNR"],
}
PRINTED = {
    "fractions": lambda value: f"{value:.4f}",
    "percentages": lambda value: f"{100 * value:.2f}",
    "signs": lambda value: f"{100 * value:.2f} %",
    "commas": lambda value: f"{value:.4f}".replace(".", ","),
    "no zero": lambda value: f"{value:.4f}"[1:] if value < 1 else "1.0000",
}


def specificity(gold, given):
    """The mean over both classes of the share of the others' items that are not called so."""
    others = {
        label: [row for one, row in zip(gold, given, strict=True) if one != label]
        for label in ("no", "yes")
    }
    return np.mean([np.mean([row != label for row in rows]) for label, rows in others.items()])


@pytest.fixture(scope="module")
def scored_items():
    """Six teams with labels, some left open, and scores; what scikit-learn makes of them."""
    rng = np.random.default_rng(8)
    truth = rng.random(300) < 0.4
    gold = np.where(truth, "yes", "no").tolist()
    given = {
        f"T{n}": np.round(np.clip(0.5 * truth + rng.normal(0.25, 0.15 + n / 12, 300), 0, 1), 3)
        for n in range(6)
    }
    labels = {t: [("yes" if x > 0.5 else "no") if k % (9 + n) else None for k, x in enumerate(row)]
              for n, (t, row) in enumerate(given.items())}  # fmt: skip
    found = audit.evaluate(gold, labels, item_scores=given, scored_label="yes", certainty=False)
    filled = {
        team: ["" if label is None else label for label in row] for team, row in labels.items()
    }
    right = {
        team: np.mean([x == y for x, y in zip(gold, row, strict=True)])
        for team, row in labels.items()
    }
    macro = {"labels": ["no", "yes"], "average": "macro"}
    return found, {
        "auc": [roc_auc_score(truth, row) for row in given.values()],
        "average_precision": [average_precision_score(truth, row) for row in given.values()],
        "brier": [brier_score_loss(truth, row) for row in given.values()],
        "c_at_1": [right[team] * (1 + row.count("") / 300) for team, row in filled.items()],
        "averaged_f0.5": [fbeta_score(gold, row, beta=0.5, **macro) for row in filled.values()],
        "macro_specificity": [specificity(gold, row) for row in filled.values()],
    }


@pytest.mark.parametrize("how", PRINTED)
@pytest.mark.parametrize(
    ("name", "heading"), [(name, each) for name, every in HEADINGS.items() for each in every]
)
@by_day(20)
def test_a_column_under_a_heading_of_the_field_is_its_score(
    name, heading, how, scored_items, tmp_path
):
    """As it is printed; three of the six scores invented, nothing is said to be exact."""
    evaluation, scores = scored_items
    path = tmp_path / "t.tsv"
    for n_invented in (0, 3):
        values = [
            value if place >= n_invented else 0.123 + place / 7
            for place, value in enumerate(scores[name])
        ]
        lines = [
            f"{team}\t{PRINTED[how](value)}"
            for team, value in zip(evaluation.names, values, strict=True)
        ]
        path.write_text("\n".join([f"team\t{heading}", *lines]) + "\n", encoding="utf-8")
        (found,) = identify(evaluation, read_published(path)).columns
        if n_invented:
            assert not found.is_exact
        else:
            assert (str(found.matches[0].reading), found.is_exact, found.beats_chance) == (
                name,
                True,
                True,
            )
            assert found.heading_says in {"yes", "leaves open"}


def test_there_are_more_than_two_hundred():
    """Counted, so that nobody shortens a table in passing."""
    tables = (CELLS, COLUMNS, RANKS, ARCHIVES, DISTRIBUTIONS, SCORES, MANIFESTS)
    assert sum(map(len, tables)) >= 270
    assert (
        len(WHERE) * len(CALLED) + 3 * len(PLACES) + len(PRINTED) * sum(map(len, HEADINGS.values()))
        >= 340
    )
