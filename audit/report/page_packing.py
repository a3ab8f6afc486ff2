"""Numbers and text that a page's script reads: small, and never markup."""

import json

import numpy as np

from audit.domain.arrays import Ints

_DIGITS = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", dtype=np.uint8
)
_BITS = 6  # of a digit


def width_for(most: int) -> int:
    """Digits of base 64 that hold every number up to this one, and one more number that stands for none."""
    return max(1, -(-int(most + 1).bit_length() // _BITS))


def packed(numbers: Ints, width: int) -> str:
    """Whole numbers as digits of base 64, as many for each; a number below 0 stands for none."""
    none = (1 << _BITS * width) - 1
    places = _BITS * np.arange(width)[::-1]
    digits = (np.where(numbers < 0, none, numbers).reshape(-1, 1) >> places) & ((1 << _BITS) - 1)
    return str(_DIGITS[digits].tobytes(), "ascii")


def script_json(data: object) -> str:
    r"""Data as JSON that can stand in a script element: no text in it ends the element, or begins another."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
