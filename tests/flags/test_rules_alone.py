"""Rules asked by themselves, where a page that is kept would answer in their place."""

from audit.findings.published import contradicts_itself

from .cases import CASES


def test_the_rule_of_contradictions_says_what_the_table_says():
    """And nothing of a table without any."""
    case = CASES["published-table-contradicts-itself"]
    found = case.fires()
    fired = contradicts_itself(found)
    assert fired.evidence["contradictions"] == list(found.published.contradictions)
    assert contradicts_itself(case.silent()) is None
