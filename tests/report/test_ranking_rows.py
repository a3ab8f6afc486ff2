"""A column that is added to the ranking is declared once, and stands in page, paper, terminal, DataFrame and JSON."""

import numpy as np
import pytest
from sklearn.metrics import recall_score

import audit
from audit.document import Table
from audit.domain import ScoreKey
from audit.findings import ranking_rows
from audit.findings.ranking_rows import FurtherColumn
from audit.report.ahead import ranking_table
from audit.report.printing import printing
from audit.report.short import ranking_blocks
from audit.report.terminal_layout import show_layouts
from audit.writers.data.export import ranking_data
from audit.writers.latex import paper_files

GOLD = ["a", "a", "a", "a", "b", "b", "c", "c", "c", "a"]
TEAMS = {
    "Ash": ["a", "a", "a", "b", "b", "b", "c", "c", "a", "a"],
    "Birch": ["a", "b", "a", "a", "b", "a", "c", "a", "c", "a"],
    "Cedar": ["b", "b", "a", "a", "b", "b", "a", "c", "c", "c"],
}
RECALL = ScoreKey("macro_recall")
COLUMN = FurtherColumn(
    "macro_recall", "Recall", "Macro recall", lambda evaluation: evaluation.scores_of(RECALL)
)


@pytest.fixture
def evaluation():
    return audit.evaluate(GOLD, TEAMS)


@pytest.fixture
def expected(evaluation):
    """What scikit-learn says, in the order of the ranking."""
    of_team = {
        team: recall_score(GOLD, answers, average="macro") for team, answers in TEAMS.items()
    }
    return [
        of_team[evaluation.names[entry]]
        for entry in evaluation.order(evaluation.task.ranking_metric)
    ]


@pytest.fixture
def declared(monkeypatch):
    """The column, declared where all columns are; every module reads the one list."""
    from audit.notebook import notebook_evaluation  # noqa: F401, PLC0415 - reads it when it is asked
    from audit.report import ahead, printing  # noqa: PLC0415
    from audit.writers.data import export  # noqa: PLC0415

    for module in (ranking_rows, printing, ahead, export):
        monkeypatch.setattr(module, "FURTHER_COLUMNS", (COLUMN,))


def _of_table(table, head):
    (place,) = [place for place, column in enumerate(table.columns) if column.label == head]
    return [row[place].text for row in table.rows]


@pytest.mark.usefixtures("declared")
class TestOneDeclaration:
    """What each exit shows of the column."""

    def test_of_the_page(self, evaluation, expected):
        texts = _of_table(ranking_table(printing(evaluation), with_computed=False), "Recall")
        assert texts == [f"{value:.3f}".lstrip("0") for value in expected]

    def test_of_the_paper(self, evaluation, expected):
        tables = paper_files(evaluation)["main_table_wide.tex"].decode()
        assert all(f"{value:.3f}".lstrip("0") in tables for value in expected)
        assert "Recall" in tables

    def test_of_the_notebook_and_of_show(self, evaluation, expected):
        table = next(
            block
            for block in ranking_blocks(evaluation, evaluation.task.ranking_metric)
            if isinstance(block, Table)
        )
        assert _of_table(table, "Recall") == [f"{value:.3f}".lstrip("0") for value in expected]

    def test_of_a_wide_terminal(self, evaluation, expected):
        blocks = next(show_layouts(evaluation, evaluation.task.ranking_metric, 200))
        table = next(block for block in blocks if isinstance(block, Table))
        assert _of_table(table, "Recall") == [f"{value:.3f}".lstrip("0") for value in expected]

    def test_of_the_data_frame(self, evaluation, expected):
        np.testing.assert_allclose(evaluation.ranking["macro_recall"], expected)

    def test_of_json(self, evaluation, expected):
        rows = ranking_data(evaluation, evaluation.task.ranking_metric)["ranking"]
        np.testing.assert_allclose([row["macro_recall"] for row in rows], expected)


def test_a_row_says_what_the_evaluation_does(evaluation):
    key = evaluation.task.ranking_metric
    for entry, row in enumerate(ranking_rows.ranking_rows(evaluation, key)):
        assert (row.entry, row.name) == (entry, evaluation.names[entry])
        assert row.score == evaluation.scores_of(key)[entry]
        assert row.rank == row.taken_rank == evaluation.ranks_of(key)[entry]
        assert row.lower < row.score < row.upper
        assert row.further == ()


def test_without_certainty_a_row_has_no_interval_and_no_comparison():
    evaluation = audit.evaluate(GOLD, TEAMS, certainty=False)
    for row in ranking_rows.ranking_rows(evaluation, evaluation.task.ranking_metric):
        assert np.isnan([row.lower, row.upper]).all()
        assert (row.mark, row.possible_ranks, row.could_be_best, row.is_compared) == (
            None,
            None,
            False,
            False,
        )
