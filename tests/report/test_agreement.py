"""How alike teams err, against scikit-learn on their answers, item by item."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import audit
from audit.questions.agreement import error_consistency
from audit.questions.report import document_of, sections


def right(gold, answers):
    """Which items each team answers right."""
    return np.array([[a == g for a, g in zip(given, gold, strict=True)] for given in answers])


@given(st.integers(2, 6), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_agreement_and_kappa_are_scikit_learns(n_teams, n_items, seed):
    """For any pair, of whatever items each gets right; undefined where chance alone is sure of it."""
    hits = np.random.default_rng(seed).random((n_teams, n_items)) < np.random.default_rng(seed + 1).random((n_teams, 1))
    only_right = (hits[:, None] & ~hits[None]).sum(axis=-1)
    together, kappa = error_consistency(only_right, hits.sum(axis=1), n_items)
    for one, other in combinations(range(n_teams), 2):
        assert together[one, other] == pytest.approx((hits[one] == hits[other]).mean())
        if len(np.unique(hits[[one, other]])) == 1:  # both always right, or both always wrong
            assert np.isnan(kappa[one, other])
        else:
            assert kappa[one, other] == pytest.approx(cohen_kappa_score(hits[one], hits[other]), abs=1e-9)


def test_copies_of_one_system_stand_first_and_have_a_kappa_of_one():
    """The table has the pairs from the most alike on; the answer has the mean of all."""
    rng, gold = np.random.default_rng(3), ["a", "b"] * 40
    answers = [[label if rng.random() < 0.7 else "a" for label in gold] for _ in range(3)]
    teams = {"Ann": answers[0], "Ben": answers[1], "Cem": answers[2], "Dee": [*answers[0][:-1], "a"]}
    document = document_of(audit.evaluate(gold, teams, certainty=False))
    section = next(each for each in document.sections if each.id == "alike")
    table = section.blocks[0].blocks[0]
    kappas = [float(row[-1].replace("−", "-")) for row in table.texts]
    assert {*table.texts[0][:2]} == {"Ann", "Dee"}
    assert kappas == sorted(kappas, reverse=True)
    hits = right(gold, teams.values())
    lowest = min(cohen_kappa_score(*hits[[*pair]]) for pair in combinations(range(4), 2))
    assert kappas[-1] == pytest.approx(lowest, abs=0.006)
    mean = np.mean([(hits[a] == hits[b]).mean() for a, b in combinations(range(4), 2)])
    assert f"on {mean:.2f} of".replace("0.", ".") in section.answer[0]


def test_two_teams_have_no_such_section():
    """What two share is said where two are compared."""
    document = document_of(audit.evaluate(list("aabb"), {"X": list("abbb"), "Y": list("aaab")}, certainty=False))
    assert "alike" not in {section.id for section in document.sections}


def test_a_question_is_found_by_its_place():
    """Every module of the questions that states one, in this order, and no two at one."""
    places = [int(vars(__import__(each.__module__, fromlist=["PLACE"]))["PLACE"]) for each in sections()]
    assert places == sorted(set(places))
    assert len(places) > 10
