"""p-values and the ends of intervals inside sentences."""

import math

from audit.text import number

_LEAST_P = 0.001  # three digits are printed


_MOST_P = 0.99
_FEW_DECIMALS_FROM = 0.1


NO_BOUND = "no bound"


def difference_ends(lower: float, upper: float, digits: int) -> str:
    """The ends of the interval of a difference as printed; – where there is no interval.

    >>> difference_ends(-0.0021, 0.012, 3), difference_ends(0.004, math.inf, 3), difference_ends(-math.inf, math.inf, 3)
    ('−.002 to .012', '.004 to no bound', 'no bound')
    """
    if math.isnan(lower) or math.isnan(upper):
        return "–"
    ends = [number(end, digits) if math.isfinite(end) else NO_BOUND for end in (lower, upper)]
    if ends == [NO_BOUND, NO_BOUND]:
        return NO_BOUND
    return " to ".join(ends)


def p_text(p: float) -> str:
    """An adjusted p as printed in a table: three decimals below .1, else two; it is never 0.

    >>> p_text(0.0004), p_text(0.0514), p_text(0.2468), p_text(0.996)
    ('<.001', '.051', '.25', '>.99')
    """
    return p_phrase(p).removeprefix("= ").replace(" ", "")


def p_phrase(p: float) -> str:
    """An adjusted p inside a sentence, with its sign: three decimals below .1, else two.

    >>> p_phrase(0.0004), p_phrase(0.0514), p_phrase(0.2468), p_phrase(0.996)
    ('< .001', '= .051', '= .25', '> .99')
    """
    if p < _LEAST_P or p > _MOST_P:
        if p < _LEAST_P:
            return "< .001"
        return "> .99"
    return f"= {number(p, 3 if p < _FEW_DECIMALS_FROM else 2)}"
