"""Files with a confusion matrix: however it is written, the same counts; and nothing guessed."""

import gzip
import json
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from audit.errors import ISSUE_KINDS, InputError
from audit.formats.confusions import MOST_ITEMS, read_confusion
from audit.formats.table.columns import fold
from tests.nightly import examples

LABELS = ("negative", "neutral", "positive")
COUNTS = np.array([[50, 3, 2], [4, 60, 7], [1, 5, 80]])
UNANSWERED = np.array([6, 0, 9])
WHOLE = np.column_stack([COUNTS, UNANSWERED])
ANSWERED = np.column_stack([COUNTS, np.zeros(3, int)])
DELIMITERS = {"commas": ",", "tabs": "\t", "semicolons": ";", "blanks": "  "}


def written(values, rows=None, columns=None, corner="", between=","):
    """A matrix as text, with the names that are given."""
    lines = [] if columns is None else [[*([] if rows is None else [corner]), *columns]]
    for number, row in enumerate(np.asarray(values).tolist()):
        lines.append([*([] if rows is None else [rows[number]]), *row])
    return "".join(between.join(map(str, line)) + "\n" for line in lines).encode()


def refused(source, **options):
    """The issues that refuse a matrix."""
    with pytest.raises(InputError) as caught:
        read_confusion(source, **options)
    return caught.value.issues


def check(found, labels=LABELS, counts=ANSWERED, said_by="default"):
    assert found.labels.labels == tuple(labels)
    assert found.counts.tolist() == np.asarray(counts).tolist()
    assert (found.counts.dtype, found.orientation_said_by) == (np.int64, said_by)


# However it is written


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_names_on_both_axes_need_nothing_else(delimiter):
    """Gold is in rows by default, whatever the delimiter; a corner may be left out where cells are many blanks."""
    check(read_confusion(written(COUNTS, LABELS, LABELS, "class", DELIMITERS[delimiter])))
    text = written(COUNTS, LABELS, LABELS, "class", DELIMITERS[delimiter]).decode()
    check(read_confusion(text.removeprefix(f"class{DELIMITERS[delimiter]}").encode()))
    check(read_confusion(text.replace("\n", "\r\n\r\n").replace("class", "").encode("utf-16")))


def test_classes_may_stand_in_another_order_on_each_axis():
    """They are the same by name; the order is that of gold."""
    order = [2, 0, 1]
    columns = [LABELS[number] for number in order]
    check(read_confusion(written(COUNTS[:, order], LABELS, columns)))
    turned = read_confusion(written(COUNTS[:, order].T, columns, LABELS), rows="predicted")
    check(turned, said_by="option")
    check(
        read_confusion(written(COUNTS[order], columns, LABELS)),
        columns,
        ANSWERED[order][:, [*order, 3]],
    )


def test_numbers_are_names_where_there_is_a_corner():
    """Of a corner, or of nothing above and beside the counts."""
    for corner in ("", "gold", "label"):
        found = read_confusion(written(COUNTS, "012", "012", corner))
        check(found, "012", said_by="file" if corner == "gold" else "default")
    check(read_confusion(written(COUNTS), rows="gold"), "123", said_by="option")


def test_names_on_one_axis_are_those_of_both_where_the_orientation_is_said():
    """In the same order."""
    for options in ({"rows": LABELS}, {"columns": LABELS}):
        check(read_confusion(written(COUNTS, **options), rows="gold"), said_by="option")
        check(read_confusion(written(COUNTS.T, **options), rows="predicted"), said_by="option")


@pytest.mark.parametrize(
    "name", ["unanswered", "missing", "none", "No answer", "N/A", "not-answered"]
)
def test_one_more_column_is_that_of_unanswered_items(name):
    """Wherever it stands; it says which axis is predicted."""
    columns = [*LABELS, name]
    for order in ([0, 1, 2, 3], [3, 0, 1, 2], [0, 3, 2, 1]):
        values, names = WHOLE[:, order], [columns[number] for number in order]
        check(read_confusion(written(values, LABELS, names)), counts=WHOLE, said_by="file")
        check(read_confusion(written(values.T, names, LABELS)), counts=WHOLE, said_by="file")
    check(read_confusion(written(WHOLE, columns=columns)), counts=WHOLE, said_by="file")
    check(read_confusion(written(WHOLE.T, rows=columns)), counts=WHOLE, said_by="file")
    check(
        read_confusion(written(WHOLE, LABELS, columns), rows="gold"), counts=WHOLE, said_by="option"
    )


def test_a_class_may_be_called_none():
    """Where it is on both axes it is a class; beside it another column can be that of unanswered items."""
    labels = ("none", "against", "favor")
    check(read_confusion(written(COUNTS, labels, labels)), labels)
    check(read_confusion(written(COUNTS, columns=labels), rows="gold"), labels, said_by="option")
    check(read_confusion(written(WHOLE, labels, [*labels, "missing"])), labels, WHOLE, "file")
    (issue,) = refused(written(WHOLE, columns=[*labels, "missing"]), rows="gold")
    assert (issue.slug, issue.found) == ("bad-confusion", "3 rows and 4 columns")


def with_totals(values):
    """A matrix with its sums behind it and below it."""
    wide = np.column_stack([values, np.sum(values, axis=1)])
    return np.vstack([wide, wide.sum(axis=0)])


@pytest.mark.parametrize("name", ["total", "Totals", "Sum", "ALL"])
def test_totals_that_are_the_sums_are_left_out(name):
    """On either axis or both, beside unanswered items too, wherever they stand."""
    for values, columns, said_by in (
        (ANSWERED[:, :3], LABELS, "default"),
        (WHOLE, (*LABELS, "missing"), "file"),
    ):
        expected = WHOLE if len(columns) == 4 else ANSWERED
        both = with_totals(values)
        check(
            read_confusion(written(both, (*LABELS, name), (*columns, name))),
            counts=expected,
            said_by=said_by,
        )
        check(
            read_confusion(written(both[:-1], LABELS, (*columns, name))),
            counts=expected,
            said_by=said_by,
        )
        check(
            read_confusion(written(both[:, :-1], (*LABELS, name), columns)),
            counts=expected,
            said_by=said_by,
        )
        first = np.roll(both, (1, 1), (0, 1))
        check(
            read_confusion(written(first, (name, *LABELS), (name, *columns))),
            counts=expected,
            said_by=said_by,
        )
    check(
        read_confusion(written(with_totals(COUNTS)[:-1], columns=(*LABELS, name)), rows="gold"),
        said_by="option",
    )
    check(
        read_confusion(written(with_totals(COUNTS)[:, :-1], rows=(*LABELS, name)), rows="gold"),
        said_by="option",
    )


@pytest.mark.parametrize(
    ("row", "column", "line", "total"),
    [(0, 3, 2, "55"), (2, 3, 4, "86"), (3, 1, 5, "68"), (3, 3, 5, "212")],
)
def test_totals_that_are_not_the_sums_are_refused(row, column, line, total):
    """With the line, what stands there, and the sum."""
    values = with_totals(COUNTS)
    values[row, column] += 1
    (issue,) = refused(written(values, (*LABELS, "total"), (*LABELS, "total")))
    assert (issue.slug, issue.lines) == ("bad-confusion", (line,))
    assert issue.found == f"{values[row, column]} in “total”, where the sum is {total}"


def test_totals_without_a_name_could_be_classes():
    """So they are refused; a matrix of two classes with four equal counts has none."""
    (issue,) = refused(written(with_totals(COUNTS)), rows="gold")
    assert (issue.slug, issue.found) == (
        "bad-confusion",
        "the last row and column are the sums of the others: totals, or a class?",
    )
    check(read_confusion(b"5,5\n5,5\n", rows="gold"), "12", [[5, 5, 0], [5, 5, 0]], "option")


NAMED_ROWS = [
    ["", *LABELS],
    *([label, *row] for label, row in zip(LABELS, COUNTS.tolist(), strict=True)),
]
JSON = {
    "a list of rows": (COUNTS.tolist(), "123", ANSWERED),
    "a list of rows with names": (NAMED_ROWS, LABELS, ANSWERED),
    "an object without labels": ({"matrix": COUNTS.tolist()}, "123", ANSWERED),
    "an object with labels": ({"labels": LABELS, "matrix": COUNTS.tolist()}, LABELS, ANSWERED),
    "unanswered items last": ({"labels": LABELS, "matrix": WHOLE.tolist()}, LABELS, WHOLE),
    "counts as text": (
        {"labels": [0, 1, 2], "matrix": [list(map(str, row)) for row in COUNTS]},
        "012",
        ANSWERED,
    ),
}


@pytest.mark.parametrize("case", JSON)
def test_json_is_a_list_of_rows_or_an_object(case):
    """With what the rows are in the file or said by the caller; this program's own confusions are such."""
    value, labels, counts = JSON[case]
    check(read_confusion(json.dumps(value).encode(), rows="gold"), labels, counts, "option")
    said = {**(value if isinstance(value, dict) else {"matrix": value}), "rows": "gold"}
    check(read_confusion(json.dumps(said, indent=1).encode()), labels, counts, "file")
    if counts is ANSWERED and "names" not in case:
        turned = {**said, "matrix": np.array(said["matrix"]).T.tolist(), "rows": "predicted"}
        check(read_confusion(json.dumps(turned).encode()), labels, counts, "file")


def test_json_whose_labels_are_said_once_has_names_on_both_axes():
    """So gold is in rows by default; one more row than labels says that rows are predictions."""
    check(read_confusion(json.dumps({"labels": LABELS, "matrix": COUNTS.tolist()}).encode()))
    turned = json.dumps({"labels": LABELS, "matrix": WHOLE.T.tolist()}).encode()
    check(read_confusion(turned), counts=WHOLE, said_by="file")


def test_it_is_read_from_a_file_too(tmp_path):
    """Compressed or not; the file is called by its name in issues."""
    data = written(COUNTS, LABELS, LABELS)
    (tmp_path / "pilot.csv").write_bytes(data)
    (tmp_path / "pilot.csv.gz").write_bytes(gzip.compress(data))
    for name in ("pilot.csv", "pilot.csv.gz"):
        check(read_confusion(tmp_path / name))
    (tmp_path / "bad.csv").write_bytes(b"1,2\n3,x\n")
    assert {issue.file for issue in refused(tmp_path / "bad.csv", rows="gold")} == {"bad.csv"}
    assert [issue.slug for issue in refused(tmp_path / "nowhere.csv")] == ["missing-file"]
    assert [issue.slug for issue in refused(tmp_path)] == ["missing-file"]


def test_what_other_programs_write_is_read():
    """scikit-learn's counts, through pandas' cross-tabulation with its margins and NumPy's text."""
    rng = np.random.default_rng(3)
    gold, given = (np.array(LABELS)[rng.integers(3, size=200)] for _ in range(2))
    expected = np.column_stack([confusion_matrix(gold, given, labels=LABELS), [0, 0, 0]])
    table = pd.crosstab(
        pd.Series(gold, name="gold"), pd.Series(given, name="predicted"), margins=True
    )
    check(read_confusion(table.to_csv().encode()), counts=expected, said_by="file")
    check(read_confusion(table.to_csv(sep="\t").encode()), counts=expected, said_by="file")
    turned = pd.crosstab(pd.Series(given, name="y_pred"), pd.Series(gold, name="y_true"))
    check(read_confusion(turned.to_csv().encode()), counts=expected, said_by="file")
    lines = "\n".join(" ".join(f"{count:d}" for count in row) for row in expected[:, :3])
    check(read_confusion(lines.encode(), rows="gold"), "123", expected, "option")


names = st.lists(
    st.text(
        st.characters(categories=["L", "Nd", "Po", "So"], exclude_characters='"'),
        min_size=1,
        max_size=6,
    )
    .filter(lambda name: name.casefold() not in {"na", "n/a", "nan", "none", "null", "inf"})
    .filter(lambda name: fold(name) not in {"all", "sum", "sums", "total", "totals"})
    .filter(lambda name: name[:1].isalpha()),
    min_size=2,
    max_size=6,
    unique=True,
)


@examples(30)
@given(
    data=st.data(),
    labels=names,
    corner=st.sampled_from(["gold/predicted", "gold", "truth \\ system", "true"]),
)
def test_any_matrix_comes_back_however_it_is_written(data, labels, corner):
    """Columns in any order, unanswered or not, totals or not, either way round, by any delimiter or as JSON."""
    n_classes = len(labels)
    some = st.lists(st.integers(0, 10**6), min_size=n_classes + 1, max_size=n_classes + 1)
    counts = np.array(data.draw(st.lists(some, min_size=n_classes, max_size=n_classes)))
    counts[:2, 0] += 1
    has_unanswered, has_totals, is_turned = data.draw(
        st.tuples(st.booleans(), st.booleans(), st.booleans())
    )
    if not has_unanswered:
        counts[:, -1] = 0
    order = data.draw(st.permutations(range(n_classes + has_unanswered)))
    values, rows = counts[:, order], list(labels)
    columns = [[*labels, "unanswered"][number] for number in order]
    if has_totals:
        values, rows, columns = with_totals(values), [*rows, "total"], [*columns, "total"]
    if is_turned:
        first, second = ("predicted", "gold") if "/" in corner else ("system", "truth")
        values, rows, columns, corner = values.T, columns, rows, f"{first}|{second}"
    between = data.draw(st.sampled_from(["\t", ";", ",", "json"]))
    if between == "json":
        table = [
            [corner, *columns],
            *([name, *row] for name, row in zip(rows, values.tolist(), strict=True)),
        ]
        content = json.dumps(table).encode()
    else:
        quoted = [[f'"{name}"' for name in given] for given in (rows, columns)]
        content = written(values, *quoted, corner, between)
    found = read_confusion(content)
    assert found.labels.labels == tuple(labels)
    assert found.counts.tolist() == counts.tolist()


# Which axis is gold


CORNERS = {
    "gold": [
        "gold\\predicted",
        "true/pred",
        "Gold | System",
        "gold",
        "y_true",
        "gold × class",
        "y_true/y_pred",
    ],
    "predicted": [
        "predicted\\gold",
        "pred/true",
        "Prediction/reference",
        "predicted",
        "y_pred",
        "system/",
    ],
    None: ["", "class", "label/label", "#"],
    "unclear": [
        *(
            "gold →",
            "predicted gold",
            "gold/truth",
            "gold/predicted/x",
            "predicted -> true",
            "/pred",
            "\\Actual",
        ),
        "actual vs. predicted",
    ],
}


@pytest.mark.parametrize("corner", CORNERS["gold"])
def test_a_corner_says_that_gold_is_in_rows(corner):
    """And the option may not say otherwise."""
    content = written(COUNTS, LABELS, LABELS, corner)
    check(read_confusion(content), said_by="file")
    check(read_confusion(content, rows="gold"), said_by="option")
    (issue,) = refused(content, rows="predicted")
    assert (issue.slug, issue.expected) == ("confusion-orientation", "one of the two")
    assert (
        issue.found
        == "rows are gold classes by the file, and predicted classes by --rows predicted"
    )


@pytest.mark.parametrize("corner", CORNERS["predicted"])
def test_a_corner_says_that_predictions_are_in_rows(corner):
    """Likewise."""
    content = written(COUNTS.T, LABELS, LABELS, corner)
    check(read_confusion(content), said_by="file")
    check(read_confusion(content, rows="predicted"), said_by="option")
    assert [issue.slug for issue in refused(content, rows="gold")] == ["confusion-orientation"]


@pytest.mark.parametrize("corner", CORNERS[None])
def test_a_corner_that_says_nothing_leaves_the_default(corner):
    """Gold in rows; the option turns it."""
    check(read_confusion(written(COUNTS, LABELS, LABELS, corner)))
    check(
        read_confusion(written(COUNTS.T, LABELS, LABELS, corner), rows="predicted"),
        said_by="option",
    )


@pytest.mark.parametrize("corner", CORNERS["unclear"])
def test_a_corner_that_names_an_axis_and_not_which_has_to_be_decided(corner):
    """A default would be a guess; the option decides."""
    content = written(COUNTS, LABELS, LABELS, corner)
    (issue,) = refused(content)
    assert issue.slug == "confusion-orientation"
    assert "does not say which axis is gold" in issue.found
    check(read_confusion(content, rows="gold"), said_by="option")


@pytest.mark.parametrize("given", [{}, {"rows": LABELS}, {"columns": LABELS}])
def test_without_names_on_both_axes_the_orientation_has_to_be_said(given):
    """Text and JSON alike."""
    (issue,) = refused(written(COUNTS, **given))
    assert issue.slug == "confusion-orientation"
    assert "--rows gold or --rows predicted" in issue.remedy
    assert [issue.slug for issue in refused(json.dumps(COUNTS.tolist()).encode())] == [
        "confusion-orientation"
    ]


def test_a_file_that_contradicts_itself_is_refused():
    """Unanswered items on the axis that the corner, or a field, calls gold."""
    columns = [*LABELS, "missing"]
    for content in (
        written(WHOLE, LABELS, columns, "predicted/gold"),
        written(WHOLE.T, columns, LABELS, "gold"),
        json.dumps({"labels": LABELS, "matrix": WHOLE.tolist(), "rows": "predicted"}).encode(),
    ):
        (issue,) = refused(content)
        assert issue.slug == "confusion-orientation"
        assert "the place of unanswered items says that rows are" in issue.found


# What cannot be


BAD_COUNTS = {
    "negative": ("-1", "“-1” in column “b”"),
    "fractional": ("0.5", "“0.5” in column “b”"),
    "a percentage": ("50%", "“50%” in column “b”"),
    "with a mark between thousands": ('"1,000"', "“1,000” in column “b”"),
    "missing": ("", "nothing in column “b”"),
    "not a number": ("nan", "“nan” in column “b”"),
    "infinite": ("inf", "“inf” in column “b”"),
    "text": ("x", "“x” in column “b”"),
    "too large": ("9" * 20, f"“{'9' * 20}” in column “b”"),
    "of another script": ("٣", "“٣” in column “b”"),
    "exponential": ("1e99", "“1e99” in column “b”"),
}


@pytest.mark.parametrize("case", BAD_COUNTS)
def test_a_cell_that_is_no_count_is_named_with_its_line(case):
    """And its column; every such cell is."""
    cell, found = BAD_COUNTS[case]
    issues = refused(f"gold,a,b\na,5,{cell}\nb,1,{cell}\n".encode())
    assert [(issue.slug, issue.lines, issue.found) for issue in issues] == [
        ("bad-confusion", (line,), found) for line in (2, 3)
    ]


def test_cells_of_json_that_are_no_counts_are_named_with_their_row():
    """Nested, true, null, and numbers that are none."""
    matrix = [[1, [2], None], [True, 5, -3], [1, 0.5, 7]]
    issues = refused(json.dumps({"labels": ["a", "b", "c"], "matrix": matrix}).encode())
    assert [issue.found for issue in issues] == [
        "row 1: “[…]” in column “b”",
        "row 1: nothing in column “c”",
        "row 2: “true” in column “a”",
        "row 2: “-3” in column “c”",
        "row 3: “0.5” in column “b”",
    ]


@pytest.mark.parametrize("cell", ["1.000", "50.0", "1.0", "100.00", f"{50:.18e}"])
def test_a_point_is_none_of_a_count(cell):
    """It may stand between thousands, and shares that all are 0 or 1 would count as many items as classes."""
    (issue,) = refused(f",a,b\na,{cell},200\nb,3,4\n".encode())
    assert (issue.slug, issue.lines, issue.found) == (
        "bad-confusion",
        (2,),
        f"“{cell}” in column “a”",
    )
    assert "write the counts" in issue.remedy


UNUSABLE = {
    "not square": (b"1,2,3\n4,5,6\n", "bad-confusion", "2 rows and 3 columns"),
    "a single column": (b"1\n2\n", "bad-confusion", "2 rows and 1 column"),
    "other classes": (
        b",a,b\na,1,2\nc,3,4\n",
        "bad-confusion",
        "“c” in rows only and “b” in columns only",
    ),
    "another spelling": (
        b",a,b\na,1,2\nB,3,4\n",
        "bad-confusion",
        "“B” in rows only and “b” in columns only",
    ),
    "a further class": (b",a,b,c\na,1,2,0\nb,3,4,0\n", "bad-confusion", "“c” in columns only"),
    "two further columns": (
        b",a,b,missing,none\na,1,2,0,0\nb,3,4,0,0\n",
        "bad-confusion",
        "“missing” and “none” in columns",
    ),
    "unanswered on both axes": (
        b",a,b,none\na,1,2,0\nb,3,4,0\nmissing,1,1,1\n",
        "bad-confusion",
        "“missing” in rows only",
    ),
    "one more without a name": (b"a,1,2,0\nb,3,4,0\n", "bad-confusion", "2 rows and 3 columns"),
    "a class twice": (b",a,a\na,1,2\na,3,4\n", "bad-confusion", "several rows are called “a”"),
    "a class without a name": (
        b",a,\na,1,2\n,3,4\n",
        "bad-confusion",
        "one of the rows has no name",
    ),
    "names alone": (b",a,b\n", "bad-confusion", "names without a count"),
    "an uneven row": (b",a,b\na,1,2\nb,3\n", "wrong-columns", "2 columns: “b”, “3”"),
    "no items": (b",a,b\na,0,0\nb,0,0\n", "gold-one-class", "every count is 0"),
    "no classes": (b",total\ntotal,0\n", "gold-one-class", "every count is 0"),
    "one gold class": (
        b",a,b\na,5,2\nb,0,0\n",
        "gold-one-class",
        "only the class “a” has gold items",
    ),
    "too many items": (
        f",a,b\na,{MOST_ITEMS},0\nb,0,1\n".encode(),
        "bad-confusion",
        "9,007,199,254,740,992 items",
    ),
    "far too many items": (
        written(np.full((3, 3), MOST_ITEMS), "abc", "abc"),
        "bad-confusion",
        "items",
    ),
    "an open quote": (b',a,b\na,"1,2\nb,3,4\n', "open-quote", "never closed"),
    "another object": (b'{"a": {"a": 1}}', "bad-json", "the field “a”"),
    "no rows": (b"[]", "bad-json", "no rows of cells"),
    "no cells": (b"[[], []]", "bad-json", "no rows of cells"),
    "rows that are objects": (b'[{"a": 1}]', "bad-json", "no rows of cells"),
    "labels that are no list": (
        b'{"matrix": [[1]], "labels": "a"}',
        "bad-json",
        "labels that are no list",
    ),
    "rows of another kind": (
        b'{"matrix": [[1]], "rows": ["gold"]}',
        "bad-json",
        "neither gold nor predicted",
    ),
    "labels of another number": (
        b'{"matrix": [[1, 2], [3, 4]], "labels": ["a"]}',
        "bad-confusion",
        "2 rows and 2 columns for 1 label",
    ),
    "an uneven list": (b"[[1, 2], [3]]", "wrong-columns", "row 2: 1 column"),
    "NaN": (b"[[1, NaN], [3, 4]]", "bad-json", "NaN is not JSON"),
    "a deep list": (b"[" * 10**5, "bad-json", "nested too deeply"),
    "half a list": (b"[[1, 2], [3", "bad-json", ""),
    "a printed array": (b"[[1 2]\n [3 4]]", "bad-json", ""),
    "nothing": (b" \n", "empty-file", ""),
    "a picture": (b"\x89PNG\r\n", "binary-file", "a PNG picture"),
    "bytes": (b"\x00\x01\x02", "binary-file", ""),
    "a Parquet table": (b"PAR1PAR1", "binary-file", "parquet"),
    "another encoding": ("é,1\n".encode("latin-1"), "wrong-encoding", ""),
    "many rows": (b"1\n" * 20_000, "bad-confusion", "20,000 rows and 1 column"),
    "many columns": (b"1," * 20_000 + b"1\n", "bad-confusion", "1 row and 20,001 columns"),
    "too many cells": (
        b"1," * 10_000 + b"\n" + b"1\n" * 9_000,
        "too-large",
        "9,001 rows of 10,001 cells",
    ),
    "too many cells of JSON": (
        b"[" + b"[1]," * 5_000 + b"[" + b"1," * 4_000 + b"1]]",
        "too-large",
        "5,001 rows of 4,001 cells",
    ),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_what_cannot_be_used_is_refused_with_the_reason(case):
    """Never by a traceback, and within seconds."""
    content, slug, found = UNUSABLE[case]
    started = time.process_time()
    issues = refused(content, rows=None if content[:1] in b",{" else "gold")
    assert issues[0].slug == slug
    assert found in issues[0].found
    assert time.process_time() - started < 10


def outcome(data, rows):
    """What is read, or else the kinds of issues that refuse it."""
    try:
        return read_confusion(data, rows=rows), set()
    except InputError as error:
        return None, {issue.slug for issue in error.issues}


SEEDS = [
    written(WHOLE, LABELS, [*LABELS, "missing"], "gold/predicted"),
    written(with_totals(COUNTS), (*LABELS, "total"), (*LABELS, "total"), between="\t"),
    written(COUNTS, between=" "),
    json.dumps({"labels": LABELS, "matrix": WHOLE.tolist(), "rows": "gold"}).encode(),
]


@examples(75)
@given(
    seed=st.sampled_from(SEEDS),
    start=st.integers(0, 200),
    length=st.integers(0, 20),
    inserted=st.sampled_from(
        [b"", b",", b"\n", b"-", b"1e9", b"[", b'"', b"\xff", b"nan", b"\t", b"total"]
    )
    | st.binary(max_size=6),
    rows=st.sampled_from([None, "gold", "predicted"]),
)
def test_damaged_files_are_matrices_or_listed_issues(seed, start, length, inserted, rows):
    """Whatever is cut out of them or put in; what comes of them is a confusion."""
    data = seed[:start] + inserted + seed[start + length :]
    found, slugs = outcome(data, rows)
    assert slugs <= set(ISSUE_KINDS)
    if found is None:
        assert slugs
        return
    n_classes = len(found.labels)
    assert found.counts.shape == (n_classes, n_classes + 1)
    assert found.counts.min() >= 0
    assert 0 < found.counts.sum() <= MOST_ITEMS
    assert np.count_nonzero(found.counts.sum(axis=1)) > 1


@examples(21)
@given(
    values=st.integers(2, 5).flatmap(
        lambda size: st.lists(
            st.lists(st.integers(1, 99), min_size=size, max_size=size), min_size=size, max_size=size
        )
    )
)
def test_predicted_in_rows_is_the_transpose(values):
    """With names or without."""
    matrix = np.array(values)
    labels = [f"c{number}" for number in range(len(matrix))]
    for named in ({}, {"rows": labels}, {"columns": labels}, {"rows": labels, "columns": labels}):
        if not named and len(matrix) > 2 and np.array_equal(matrix, with_totals(matrix[:-1, :-1])):
            continue
        one = read_confusion(written(matrix, **named), rows="predicted")
        other = read_confusion(written(matrix.T, **named), rows="gold")
        assert one.labels.labels == other.labels.labels
        assert one.counts.tolist() == other.counts.tolist()
