"""Numbers and text that a page's script reads: small, and never markup."""

import json
from collections.abc import Sequence

import numpy as np

from audit.domain.arrays import Ints

_DIGITS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", dtype=np.uint8)
_BITS = 6  # of a digit


def width_for(most: int) -> int:
    """Digits of base 64 that hold every number up to this one, and one more number that stands for none.

    Examples
    --------
    >>> width_for(0), width_for(62), width_for(63), width_for(4094), width_for(4095)
    (1, 1, 2, 2, 3)
    """
    return max(1, -(-int(most + 1).bit_length() // _BITS))


def packed(numbers: Ints, width: int) -> str:
    """Whole numbers as digits of base 64, as many for each; a number below 0 stands for none.

    Examples
    --------
    >>> packed(np.array([0, 63, 64, -1]), 2)
    'AAA_BA__'
    """
    none = (1 << _BITS * width) - 1
    places = _BITS * np.arange(width)[::-1]
    digits = (np.where(numbers < 0, none, numbers).reshape(-1, 1) >> places) & ((1 << _BITS) - 1)
    return str(_DIGITS[digits].tobytes(), "ascii")


def script_json(data: object) -> str:
    r"""Data as JSON that can stand in a script element: no text in it ends the element, or begins another.

    Examples
    --------
    >>> script_json({"name": "</script><!-- &"})
    '{"name":"\\u003c/script\\u003e\\u003c!-- \\u0026"}'
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def defined(values: Sequence[float]) -> list[float | None]:
    """Numbers with every digit; None for what is undefined.

    Examples
    --------
    >>> defined([0.5, float("nan")])
    [0.5, None]
    """
    return [None if value != value else value for value in values]  # noqa: PLR0124 - only NaN is not itself
