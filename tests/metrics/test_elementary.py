"""Logarithm and exponential of our own: within a unit in the last place of the true ones, exact where these are."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from audit.metrics.baselines import _binomial
from audit.metrics.confusion import Margins
from audit.metrics.elementary import exponential, logarithm
from audit.metrics.kernels import JACCARD, geometric_macro_recall


def units_off(found, true):
    """How many units in the last place a number is from a true one of 40 digits."""
    return abs(Decimal(found) - true) / Decimal(math.ulp(float(true)))


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_the_logarithm_is_within_a_unit(value):
    """Against the standard library's decimals."""
    with localcontext(prec=40):
        assert units_off(float(logarithm(np.array(value))), Decimal(value).ln()) < 1


@given(st.floats(min_value=-700, max_value=700))
def test_the_exponential_is_within_a_unit(value):
    """Against the standard library's decimals."""
    with localcontext(prec=40):
        assert units_off(float(exponential(np.array(value))), Decimal(value).exp()) < 1


def test_exact_values_are_exact():
    """The logarithm of 1, e to the power of 0, what is too small for a double, and what is undefined."""
    assert logarithm(np.ones(3)).tolist() == [0, 0, 0]
    assert exponential(np.array([0.0, -800.0, -1e12])).tolist() == [1, 0, 0]
    assert np.isnan([*logarithm(np.array([np.nan])), *exponential(np.array([np.nan]))]).all()


@pytest.mark.parametrize(
    ("n", "share"), [(1, 0.5), (7, 0.999), (60, 1e-3), (12_284, 0.4835), (1_000_000, 0.05)]
)
def test_the_binomial_is_that_of_scipy(n, share):
    """Probabilities made from the likeliest count on, one from the next."""
    counts, chance = _binomial(n, share)
    np.testing.assert_allclose(chance, stats.binom.pmf(counts, n, share), rtol=1e-8, atol=1e-25)
    assert chance.sum() == pytest.approx(1, abs=1e-12)


def test_a_class_that_counts_twice_is_multiplied_twice():
    """The geometric mean of .5, .8 and .8 again, whether classes are in a set or counted."""
    margins = Margins.of([[[5, 5, 0], [2, 8, 0]]], averaged=np.array([1, 2]))
    assert geometric_macro_recall(margins)[0] == pytest.approx((0.5 * 0.8 * 0.8) ** (1 / 3))


def test_a_jaccard_index_is_defined_where_gold_or_an_answer_has_the_class():
    """A class of gold, one that is only predicted, and one that is neither."""
    margins = Margins.of([[[5, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]])
    assert JACCARD.is_defined(margins)[0].tolist() == [True, True, False]
