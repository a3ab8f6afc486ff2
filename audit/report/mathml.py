"""Formulas: from the registry's one LaTeX source to MathML."""

from functools import cache

from latex2mathml.converter import convert


@cache
def mathml(latex: str) -> str:
    """MathML of a formula, to stand on a line of its own.

    Examples
    --------
    >>> mathml("R_i")[:35], mathml("R_i")[-7:]
    ('<math xmlns="http://www.w3.org/1998', '</math>')
    """
    return convert(latex, display="block")
