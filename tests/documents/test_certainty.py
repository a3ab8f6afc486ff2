"""A certainty survives its document, to the last bit, whatever it holds."""

import json
import math
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import audit
from audit.domain import (
    MARKS,
    CarriedBy,
    Certainty,
    Comparison,
    Intervals,
    Power,
    ScoreKey,
    State,
    WinnerChange,
)
from audit.writers.data.certainty_data import certainty_document, power_document
from tests.nightly import examples

from .reading import certainty_from

NUMBERS = st.floats(allow_nan=True, allow_infinity=False)
KEYS = st.lists(
    st.builds(
        ScoreKey,
        st.sampled_from(["averaged_f1", "kappa", 'recall[a,"b~"]', "recall[@]"]),
        st.sampled_from(["observed", "balanced", "other year"]),
    ),
    min_size=1,
    max_size=4,
    unique=True,
)
NAMES = st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True)


def arrays(draw, *shape):
    """Numbers of any bits, undefined ones among them."""
    size = math.prod(shape)
    return np.array(draw(st.lists(NUMBERS, min_size=size, max_size=size)), dtype=float).reshape(
        shape
    )


def whole(draw, most, *shape):
    size = math.prod(shape)
    drawn = draw(st.lists(st.integers(0, most), min_size=size, max_size=size))
    return np.array(drawn, dtype=np.int64).reshape(shape)


def symmetric(draw, n_entries):
    matrix = arrays(draw, n_entries, n_entries)
    lower = np.tril_indices(n_entries)
    matrix[lower] = matrix.T[lower]
    return matrix


def intervals(draw, n_keys, n_entries):
    shape, last = (n_keys, n_entries), len(MARKS) - 1
    return Intervals(
        *(arrays(draw, *shape) for _ in range(3)),
        whole(draw, last, *shape).astype(np.uint8),
        arrays(draw, n_entries),
        whole(draw, last, n_entries).astype(np.uint8),
    )


def comparison(draw, keys, n_entries):
    ranks = whole(draw, n_entries, n_entries, 2)
    ranks[ranks[:, 0] == 0] = 0
    chosen = np.array([arrays(draw, n_entries), arrays(draw, n_entries)])
    chosen[:, np.isnan(chosen).any(axis=0)] = np.nan
    leader = draw(st.none() | st.integers(0, n_entries - 1))
    against_best = np.zeros((n_entries, n_entries), dtype=bool)
    if leader is not None:
        against_best[leader] = whole(draw, 1, n_entries).astype(bool)
    return Comparison(
        key=draw(st.sampled_from(keys)),
        standard_error=symmetric(draw, n_entries),
        adjusted_p=symmetric(draw, n_entries),
        critical_value=draw(NUMBERS),
        ahead=whole(draw, 1, n_entries, n_entries).astype(bool),
        ahead_given=whole(draw, 1, n_entries, n_entries).astype(bool),
        possible_ranks=ranks,
        could_be_best=whole(draw, 1, n_entries).astype(bool),
        uncertain=whole(draw, 1, n_entries).astype(bool),
        leader=leader,
        against_best=against_best,
        difference_lower=arrays(draw, n_entries, n_entries),
        chosen_lower=chosen[0],
        chosen_upper=chosen[1],
        n_draws=draw(st.integers(0, 10**6)),
    )


def change(draw, keys, n_entries):
    winners = st.lists(st.integers(0, n_entries - 1), unique=True).map(tuple)
    return WinnerChange(
        draw(st.sampled_from(["macro-f1", "metric", "prevalence"])),
        (draw(st.sampled_from(keys)), draw(st.sampled_from(keys))),
        (draw(winners), draw(winners)),
        draw(st.sampled_from(State)),
        draw(winners),
        draw(st.none() | st.floats(0, 1)),
    )


def power(draw, keys, n_entries):
    entry, count = st.integers(0, n_entries - 1), st.integers(0, 10**6)
    carried = st.builds(
        CarriedBy, entry, st.lists(st.tuples(count, count, count, count)).map(tuple)
    )
    return draw(
        st.builds(
            Power,
            st.sampled_from(keys),
            *(entry, entry, NUMBERS, NUMBERS, NUMBERS, NUMBERS, count),
            st.none() | carried,
        )
    )


@st.composite
def certainties(draw):
    """A certainty of any numbers, with the scores and the names that it is of."""
    keys, names = draw(KEYS), draw(NAMES)
    n_entries = len(names)

    def some(make):
        return tuple(make(draw, keys, n_entries) for _ in range(draw(st.integers(0, 2))))

    found = Certainty(
        intervals=intervals(draw, len(keys), n_entries),
        ungrouped=intervals(draw, len(keys), n_entries) if draw(st.booleans()) else None,
        n_groups=draw(st.none() | st.integers(1, 10**6)),
        even_groups=draw(st.none() | st.floats(1, 1e6)),
        stratified=draw(st.booleans()),
        comparisons=some(comparison),
        changes=some(change),
        seed=draw(st.integers(0, 2**32 - 1)),
    )
    return found, keys, names


def bits(value):
    """A value as something that is equal where every bit and every type is."""
    if is_dataclass(value):
        return type(value).__name__, [
            (field.name, bits(getattr(value, field.name))) for field in fields(value)
        ]
    if isinstance(value, np.ndarray):
        undefined = np.isnan(value)
        return (
            value.dtype.str,
            value.shape,
            np.where(undefined, 0, value).tobytes(),
            undefined.tolist(),
        )
    if isinstance(value, tuple):
        return "tuple", list(map(bits, value))
    return type(value).__name__, repr(value)


def through_json(document):
    """What another process reads; no number in it is undefined, and no array is left."""
    return json.loads(json.dumps(document, allow_nan=False))


@examples(21)
@given(certainties())
def test_a_certainty_is_read_back_from_its_document_to_the_last_bit(drawn):
    found, keys, names = drawn
    document = through_json(certainty_document(found, keys, names))
    assert bits(certainty_from(document, keys, names)) == bits(found)


@given(certainties())
def test_without_pairs_everything_else_stands_as_it_does_with_them(drawn):
    found, keys, names = drawn
    with_pairs, without = (
        certainty_document(found, keys, names, with_pairs=choice) for choice in (True, False)
    )
    of_pairs = {"standard_error", "adjusted_p", "ahead_of", "ahead_given_never_predicted"}
    of_pairs |= {"difference_lower", "difference_upper"}
    for one, other in zip(with_pairs["comparisons"], without["comparisons"], strict=True):
        assert {name: value for name, value in one.items() if name not in of_pairs} == {
            name: value for name, value in other.items() if name not in of_pairs
        }
        assert all(other[name] is None for name in of_pairs)


def campaign(groups=None):
    rng = np.random.default_rng(4)
    gold = rng.choice(["a", "b", "c"], 300, p=[0.6, 0.3, 0.1])
    teams = {
        f"T{team}": np.where(
            rng.random(300) < 0.1 * (team + 3), gold, rng.choice(["a", "b", "c"], 300)
        ).tolist()
        for team in range(5)
    }
    teams["constant"] = ["a"] * 300
    teams["twin"] = teams["T4"]
    return audit.evaluate(gold.tolist(), teams, groups=groups)


@pytest.mark.parametrize("groups", [None, [str(item // 6) for item in range(300)]])
def test_what_the_engine_computes_is_read_back_to_the_last_bit(groups):
    evaluation = campaign(groups)
    assert (evaluation.certainty.ungrouped is None) == (groups is None)
    document = through_json(
        certainty_document(evaluation.certainty, evaluation.keys, evaluation.names)
    )
    again = certainty_from(document, evaluation.keys, evaluation.names)
    certainty = evaluation.settled().certainty
    # which prose alone asks for
    compared = tuple(replace(each, is_bounded=False) for each in certainty.comparisons)
    assert bits(again) == bits(replace(certainty, comparisons=compared))


@given(st.data())
def test_what_the_test_set_can_tell_stands_in_its_document_number_by_number(data):
    """Entries under their names; an undefined number is None."""
    keys, names = data.draw(KEYS), data.draw(NAMES)
    found = power(data.draw, keys, len(names))
    (document,) = through_json(power_document([found], names))
    assert (document["key"], document["n_items"]) == (str(found.key), found.n_items)
    assert (document["first"], document["second"]) == (names[found.first], names[found.second])
    for name in ("difference", "standard_error", "critical_value", "median_error"):
        value = getattr(found, name)
        assert document[name] == (None if np.isnan(value) else value)
    carried = found.carried_by
    assert document["carried_by"] == (
        carried and {"rival": names[carried.rival], "cells": list(map(list, carried.cells))}
    )
