"""Two evaluations in a notebook: what ``audit.diff`` shows, and both boards as a DataFrame."""

import pytest

import audit
from audit.findings.revision.changed_inputs import difference_of

GOLD = ["a"] * 40 + ["b"] * 60
TEAMS = {"A": ["a"] * 41 + ["b"] * 59, "B": ["a"] * 35 + ["b"] * 65, "C": ["b"] * 100}


@pytest.fixture(scope="module")
def before():
    return audit.evaluate(GOLD, TEAMS, official_metric="accuracy", roles={"C": "baseline"})


@pytest.fixture(scope="module")
def after():
    """With four other labels, without C, and with another one."""
    teams = {"A": TEAMS["A"], "B": TEAMS["B"], "D": ["a"] * 100}
    return audit.evaluate(["a"] * 36 + ["b"] * 64, teams, official_metric="accuracy")


def test_it_shows_the_erratum_and_has_the_values(before, after):
    """Sentences one a line, as the value of the engine has them."""
    found, same = audit.diff(before, after), difference_of(before, after)
    assert repr(found) == "\n".join(same.erratum)
    assert (found.board, found.gold, found.submissions) == (same.board, same.gold, same.submissions)


def test_both_boards_are_a_table(before, after):
    """NA for what is not there, and for the rank of what takes none."""
    table = audit.diff(before, after).summary().astype(object)
    rows = table.where(table.notna(), None).set_index("team")
    ranks = {team: (rows.loc[team, "rank"], rows.loc[team, "rank_before"]) for team in rows.index}
    assert ranks == {"B": (1, 2), "A": (2, 1), "D": (3, None), "C": (None, None)}
    assert rows.loc["C", "score_before"] == pytest.approx(0.6)
    assert rows.loc["B", "could_be_best"] is True
    assert list(rows.loc["C", ["score", "could_be_best"]]) == [None] * 2


def test_anything_else_than_evaluations_is_refused(before):
    """In words, whichever of the two it is."""
    for pair in ((before, {"A": ["a"]}), ([1], before)):
        with pytest.raises(
            audit.UsageError, match=r"diff\(\) takes two evaluations, .* and found a (dict|list)"
        ):
            audit.diff(*pair)
