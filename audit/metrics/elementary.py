"""Logarithm and exponential that every processor computes alike, to the last bit.

NumPy and the C library choose their own by what the processor has, and these differ in the last digit; then so does a
score that anybody is to check. Here are only the operations that IEEE 754 rounds in one way: sums, products, quotients
and powers of two. The method, and the polynomials, are those of Sun's fdlibm 5.3 (e_log.c, e_exp.c): errors stay below
one unit in the last place.
"""

import numpy as np

from audit.domain.arrays import Floats

# high has 32 bits: k · high is exact
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ROOT_OF_HALF = 0.7071067811865476
_NOTHING_LEFT = -3000  # so many halvings leave 0 of any double
_LOGARITHM = (
    *(
        1.479819860511658591e-01,
        1.531383769920937332e-01,
        1.818357216161805012e-01,
        2.222219843214978396e-01,
    ),
    *(2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01),
)
_EXPONENTIAL = (
    *(4.13813679705723846039e-08, -1.65339022054652515390e-06, 6.61375632143793436117e-05),
    *(-2.77777777770155933842e-03, 1.66666666666666019037e-01),
)


def logarithm(values: Floats) -> Floats:
    """Natural logarithm of positive finite numbers; NaN stays."""
    fraction, exponent = np.frexp(values)
    small = fraction < _ROOT_OF_HALF
    beyond_one = np.where(small, 2 * fraction, fraction) - 1.0
    exponent = (exponent - small).astype(np.float64)
    ratio = beyond_one / (2.0 + beyond_one)
    square = ratio * ratio
    rest = square * _polynomial(_LOGARITHM, square)
    half = 0.5 * beyond_one * beyond_one
    return np.asarray(
        exponent * _LN2_HIGH
        - ((half - (ratio * (half + rest) + exponent * _LN2_LOW)) - beyond_one),
        dtype=np.float64,
    )


def exponential(values: Floats) -> Floats:
    """Powers of e with finite exponents; NaN stays."""
    doublings = np.rint(values / (_LN2_HIGH + _LN2_LOW))
    high = values - doublings * _LN2_HIGH
    low = doublings * _LN2_LOW
    rest = high - low
    square = rest * rest
    curve = rest - square * _polynomial(_EXPONENTIAL, square)
    power = 1.0 - ((low - rest * curve / (2.0 - curve)) - high)
    return np.asarray(
        np.ldexp(power, np.maximum(np.nan_to_num(doublings), _NOTHING_LEFT).astype(np.int32))
    )


def power(values: Floats, exponent: float) -> Floats:
    """Powers of numbers from 0 on, with one exponent; 0 for 0 whatever the exponent, and NaN stays."""
    nonzero = ~(values == 0)
    return np.where(nonzero, exponential(exponent * logarithm(np.where(nonzero, values, 1.0))), 0.0)


def _polynomial(factors: tuple[float, ...], at: Floats) -> Floats:
    """A polynomial by Horner's rule, its highest power first."""
    total = np.full(np.shape(at), factors[0])
    for factor in factors[1:]:
        total = total * at + factor
    return total
