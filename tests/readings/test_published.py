"""Published tables are read as they are printed, and what cannot be read is said with file and line."""

from pathlib import Path

import pytest

import audit
from audit.domain import LabelSet, Published, PublishedColumn
from audit.errors import InputError
from audit.formats.small_tables import _score, read_published
from audit.readings import identify
from audit.readings.printed_ranks import columns_of_counts, columns_of_scores


def table(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "published.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(tmp_path, content):
    return read_published(table(tmp_path, content))


def refused(tmp_path, content):
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    return [(issue.slug, issue.lines) for issue in caught.value.issues]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", " | "])
def test_a_table_is_read_by_any_delimiter(tmp_path, delimiter):
    """Comma, tab, semicolon, vertical bar."""
    lines = [("team", "F1", "Acc"), ("A", ".712", "0.80"), ("B b", "−.046", "–")]
    read_table = read(tmp_path, "\n".join(map(delimiter.join, lines)) + "\n")
    assert read_table.teams == ("A", "B b")
    assert [column.heading for column in read_table.columns] == ["F1", "Acc"]
    (first, second), (third, none) = (column.scores for column in read_table.columns)
    assert (first.units, first.decimals, second.units, second.decimals) == (712, 3, -46, 3)
    assert (third.value, none) == (0.8, None)


def test_a_decimal_comma_is_a_point_where_another_character_delimits(tmp_path):
    """And in quotes where the comma delimits."""
    assert read(tmp_path, "team;F1\nA;35,99\n").columns[0].scores[0].value == 35.99
    assert read(tmp_path, 'team,F1\nA,"35,99"\n').columns[0].scores[0].value == 35.99


def test_a_markdown_table_is_a_table(tmp_path):
    """Its outer bars and its line of dashes are no cells."""
    found = read(tmp_path, "| team | F1 |\n|:-----|---:|\n| A | 0.5 |\n")
    assert (found.teams, len(found.columns)) == (("A",), 1)


def test_carriage_returns_a_byte_order_mark_and_blank_lines_do_no_harm(tmp_path):
    found = read(tmp_path, b"\xef\xbb\xbfteam,F1\r\n\r\nA,0.5\r\n\r\n")
    assert (found.teams, found.columns[0].heading) == (("A",), "F1")


@pytest.mark.parametrize(
    ("cell", "units", "decimals", "percent"),
    [
        ("57.6", 576, 1, False),
        (".712", 712, 3, False),
        ("0,712*", 712, 3, False),
        ("71.20 %†", 7120, 2, True),
        ("+1.", 1, 0, False),
        ("-0.0461", -461, 4, False),
        ("−0.0461", -461, 4, False),
        ("\u00a0100\u2009", 100, 0, False),
        (".80±.02", 80, 2, False),
        ("0.80 ± 0.02", 80, 2, False),
        ("80.2 +/- 1.3%", 802, 1, True),
        ("$0.80 \\pm 0.02$", 80, 2, False),
        (".80 (.02)", 80, 2, False),
        (".80 [.78, .83]", 80, 2, False),
        ("2.54e-1", 254, 3, False),
        ("7.12E+1", 712, 1, False),
        ("2.54e−106", 0, 10, False),
    ],
)
def test_a_number_is_read_as_printed(cell, units, decimals, percent):
    """Signs, footnote marks, percent signs, and trailing zeros that count."""
    found = _score(cell)
    assert (found.units, found.decimals, found.percent) == (units, decimals, percent)


@pytest.mark.parametrize(
    "cell", ["", ".", "abc", "1.2.3", "0.5 ±", "--1", "9" * 40, "1e", "%", "(1)", "±.1"]
)
def test_what_is_no_number_is_none(cell):
    assert _score(cell) is None


def test_columns_without_scores_are_set_aside(tmp_path):
    """Numbers of rows, texts, ranks that are none, and numbers that no score can be."""
    found = read(
        tmp_path, "#,team,paper,items,place,F1\n1,A,x,4000,first,.5\n2,B,,4000,second,.4\n"
    )
    assert found.teams == ("A", "B")
    assert found.set_aside == (
        ("#", "numbers of rows; if they are ranks, write Rank over them"),
        ("paper", "no numbers"),
        ("items", "numbers above 100"),
        ("place", "ranks that are no whole numbers from 1 on"),
    )
    assert [column.heading for column in found.columns] == ["F1"]


def test_ranks_are_read_however_they_are_written(tmp_path):
    """With a point, an ending or a mark of a tie, and of those that have one."""
    found = read(
        tmp_path, "Rank,team,F1\n1.,A,.5\n=2,B,.4\nT2,C,.4\n4th*,D,.3\n120,E,.1\n–,F,.05\n"
    )
    ranks, scores = found.columns
    assert [cell and cell.value for cell in ranks.scores] == [1, 2, 2, 4, 120, None]
    assert (ranks.is_of_ranks, scores.is_of_ranks) == (True, False)


@pytest.mark.parametrize(
    ("heading", "cells", "ranks"),
    [
        ("Rank", ["1", "2", "3"], [1, 2, 3]),
        ("Rank (macro F1)", ["2", "1", "–"], [2, 1, None]),
        ("official_rank", ["1.", "2.", "2."], [1, 2, 2]),
        ("#", ["1", "2=", "2="], [1, 2, 2]),
        ("No.", ["3", "1", "2"], [3, 1, 2]),
        ("no", ["1", "2", "–"], [1, 2, None]),
        ("Nr", ["1", "1", "3"], [1, 1, 3]),
    ],
)
def test_a_table_may_have_ranks_alone(heading, cells, ranks, tmp_path):
    """Under a name for ranks, or under one for numbers of rows where they do not count these."""
    rows = "".join(f"{cell},{team}\n" for cell, team in zip(cells, "ABC", strict=True))
    (column,) = read(tmp_path, f"{heading},Team\n{rows}").columns
    assert column.is_of_ranks
    assert [cell and cell.value for cell in column.scores] == ranks


@pytest.mark.parametrize(
    ("heading", "cells", "words"),
    [
        ("#", "123", "if “#” holds ranks and not numbers of rows, write Rank over it"),
        ("No.", "123", "if “No.” holds ranks"),
        ("#", ["1021", "1033", "7"], "if “#” holds ranks"),
        ("Rank", ["0", "1", "2"], "ranks that are no whole numbers from 1 on"),
        ("Rank", ["I", "II", "III"], "ranks that are no whole numbers from 1 on"),
        ("Rank", ["1", "2.5", "2.5"], "ranks that are no whole numbers from 1 on"),
        ("Rank", ["-1", "-2", "-3"], "ranks that are no whole numbers from 1 on"),
        ("Rank", ["–", "", "n/a"], "ranks that are no whole numbers from 1 on"),
    ],
)
def test_what_may_be_no_ranks_is_asked_for(heading, cells, words, tmp_path):
    """Numbers that count the rows may be ranks as they stand; and what is no rank is said to be none."""
    rows = "".join(f"{cell},{team}\n" for cell, team in zip(cells, "ABC", strict=True))
    path = tmp_path / "table.csv"
    path.write_text(f"{heading},Team\n{rows}", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_published(path)
    (issue,) = caught.value.issues
    assert issue.slug == "bad-table"
    assert words in f"{issue.found} {issue.remedy}"


def test_the_team_column_need_not_be_first_or_named(tmp_path):
    """It is the one with a name for names, else the first without numbers, else the first."""
    assert read(tmp_path, "F1,System\n.5,A\n").teams == ("A",)
    assert read(tmp_path, "F1,wer\n.5,A\n").teams == ("A",)
    assert read(tmp_path, "id,F1\n7,.5\n").teams == ("7",)


BROKEN = {
    "bad-table": [
        *(
            (content, ())
            for content in ("team\nA\nB\n", "team,F1\n", "team,paper\nA,x\n", ",,\n,\n")
        ),
        ("A,.5\nB,.4\n", (1,)),
        ("team,F1\nA,.5\nB,.4\nA,.3\n", (2, 4)),
    ],
    "wrong-columns": [("team,F1\nA,.5\nB\n", (3,))],
    "empty-file": [(" \n", ())],
    "binary-file": [(b"PK\x03\x04", ())],
}


@pytest.mark.parametrize(
    ("slug", "sample"), [(slug, sample) for slug, samples in BROKEN.items() for sample in samples]
)
def test_a_broken_table_is_named_with_its_lines(slug, sample, tmp_path):
    """The issue says what and where."""
    content, lines = sample
    assert refused(tmp_path, content) == [(slug, lines)]


def test_a_team_that_stands_twice_may_be_two_runs(tmp_path):
    """Which the table may name as the campaign does."""
    path = tmp_path / "t.csv"
    path.write_text("team,F1\nA,.5\nA,.4\n")
    with pytest.raises(
        InputError, match="keep one, or name the runs as the campaign does: TEAM/RUN"
    ):
        read_published(path)


def test_everything_wrong_with_a_table_comes_at_once(tmp_path):
    """Two teams twice are two issues."""
    found = refused(tmp_path, "team,F1\nA,.5\nA,.4\nB,.3\nB,.2\n")
    assert found == [("bad-table", (2, 3)), ("bad-table", (4, 5))]


def test_a_cell_that_is_no_number_is_told_and_left_out(tmp_path):
    """The other scores of the column are read."""
    found = read(tmp_path, "team,F1\nA,.5\nB,.4x\nC,.3\n")
    assert [score and score.value for score in found.columns[0].scores] == [0.5, None, 0.3]
    assert found.defects == ("“.4x” under “F1” (line 3) is no number: it was not compared.",)


@pytest.mark.parametrize("number", ["2.54e-106", ".80±.02"])
def test_a_number_with_an_exponent_or_a_spread_is_no_defect(number, tmp_path):
    """As papers print p-values and means over seeds."""
    assert read(tmp_path, f"team,F1\nA,.5\nB,{number}\nC,.3\n").defects == ()


@pytest.mark.parametrize(
    ("heading", "cells", "is_score"),
    [
        ("Entries", ["5", "12", "3"], False),
        ("Number of submissions", ["5", "12", "3"], False),
        ("Last entry", ["5.12", "6.12", "7.12"], False),
        ("Date", ["05.12", "06.12", "11.12"], False),
        ("Subtask A", ["5", "12", "3"], False),
        ("Accuracy", ["71", "68", "63"], True),
        ("Score", ["71", "68", "63"], True),
        ("Subtask A", ["71.2", "68.0", "63.1"], True),
        ("Subtask A", ["71%", "68%", "63%"], True),
    ],
)
def test_counts_and_dates_are_no_scores(heading, cells, is_score, tmp_path):
    """By the heading, or whole numbers below a heading that speaks of no score."""
    rows = "".join(f"{team},{cell}\n" for team, cell in zip("ABC", cells, strict=True))
    found = read(tmp_path, f"team,{heading}\n{rows}")
    labels = LabelSet(("no", "yes"))
    assert bool(columns_of_scores(found, labels)) == is_score
    assert bool(columns_of_counts(found, labels)) == (not is_score)


@pytest.mark.parametrize(
    ("name", "slug"), [("nowhere.csv", "missing-file"), ("folder", "missing-file")]
)
def test_a_table_that_is_no_file_is_said_so(name, slug, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError) as caught:
        read_published(tmp_path / name)
    assert [issue.slug for issue in caught.value.issues] == [slug]


def test_an_endless_cell_is_no_traceback(tmp_path):
    """A cell longer than the csv module takes, and quotes that never close."""
    assert refused(tmp_path, 'team,F1\n"' + "x" * 200_000)
    assert refused(tmp_path, 'team,F1\nA,".5\nB,.4\n')


def test_a_table_of_other_teams_is_refused():
    """With the names of both sides."""
    evaluation = audit.evaluate(["a", "b"], {"X": ["a", "b"]}, certainty=False)
    column = PublishedColumn("F1", (_score("0.5"),))
    with pytest.raises(InputError) as caught:
        identify(evaluation, Published("p.csv", ("Y",), (column,)))
    (issue,) = caught.value.issues
    assert issue.slug == "bad-table"
    assert "“Y”" in issue.found
    assert "“X”" in issue.expected
