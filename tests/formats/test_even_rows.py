"""The quick way through a simple file and the careful one agree on every cell; lines are the same however asked for."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.formats.files.content import Content
from audit.formats.settings.layout import Layout
from audit.formats.table import text_rows
from tests.nightly import examples

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@st.composite
def simple_files(draw):
    """Rows of cells that are mostly of one width, some of them in quotes, with a quote or an end of line too many."""
    width, delimiter = draw(st.integers(2, 3)), draw(st.sampled_from(",;\t"))
    cell = st.sampled_from(
        ["a", "", "é", "1 ", "#", '"a"', '""', '"a,b"', '"a""b"', '"', 'a"', '"\n"', "\u2028"]
    )
    strays = draw(st.sampled_from([0, 0, 0, 1]))
    found = draw(
        st.lists(st.lists(cell, min_size=width - strays, max_size=width + strays), max_size=5)
    )
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = end.join(map(delimiter.join, found)) + draw(st.sampled_from(["", end]))
    quote = draw(st.sampled_from(["", '"']))
    reading = Layout(
        "delimited",
        delimiter=delimiter,
        quote=quote,
        header=draw(st.booleans()),
        skip=draw(st.integers(0, 2)),
        width=width,
        id=(0,),
        label=(width - 1,),
    )
    return text, reading


@examples(150)
@given(simple_files())
@example(('"a\n1",b\n1,2\n', Layout("delimited", delimiter=",", quote='"', header=True, width=2)))
@example(('a,"b\n1,"no"\n', Layout("delimited", delimiter=",", quote='"', header=True, width=2)))
@example(('"a"",""b"\n', Layout("delimited", delimiter=",", quote='"', width=2)))
def test_the_quick_way_gives_what_the_careful_one_does(file):
    """Cell by cell with its line, or it leaves the file to the careful one."""
    text, reading = file
    content = Content("a.csv", text)
    quick = text_rows._even_rows(content, reading)
    if quick is None:
        return
    found = text_rows.read_rows(content, reading)
    careful = found.body() if reading.header else found
    assert [*quick.lines] == [*careful.lines]
    for number in range(reading.width):
        assert list(quick.column(number)) == careful.column(number)
    assert {len(row) for row in careful.rows} <= {reading.width}


@pytest.mark.parametrize(
    ("text", "is_quick"),
    [
        ("id,label\n1,a\n2,b", True),
        ("id,label\r\n1,a\r\n2,\r\n", True),
        ('id,label\n"1,2",a\n', False),
        ('id,label\n"1""2",a\n', False),
        ("id,label\n1,a\n\n2,b\n", False),
        ("id,label\n1,a,b\n", False),
    ],
)
def test_files_without_surprises_are_read_the_quick_way(text, is_quick):
    """Others are not, or the law above would hold of nothing."""
    reading = Layout("delimited", delimiter=",", quote='"', header=True, width=2)
    quick = text_rows._even_rows(Content("a.csv", text), reading)
    assert (quick is not None) is is_quick


@examples(75)
@given(TEXT)
def test_lines_end_at_a_line_feed_a_carriage_return_or_both(text):
    """And nowhere else; the end of the last one is none of its own."""
    text = text.replace("x", "\r\n").replace("y", "\n")
    lines = re.split(r"\r\n|\r|\n", text)
    content = Content("a.txt", text)
    assert content.lines == (lines if lines[-1] else lines[:-1])
