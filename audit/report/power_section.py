"""What can this test set detect? The power curve of a typical pair, and the numbers that it is made of."""

import numpy as np
from scipy.special import ndtr

from audit.document import Beside, Block, Cell, Column, Curve, Paragraph, Section, Table, row_names
from audit.domain import Evaluation, Power
from audit.findings.comparisons import undecided
from audit.findings.power_sentences import (
    about,
    needed_items,
    power_of,
    power_sentences,
    short,
    typical,
)
from audit.findings.wording import drawn, name
from audit.ranking.ranks import TIE_TOLERANCE
from audit.report.plots import LinearAxis
from audit.report.printing import Printing
from audit.sentences import say
from audit.text import number
from audit.vocabulary import QUESTIONS

PLACE = 80
_POINTS = 60
_HALF = 0.5
_MOSTLY = 0.8
_MOST_NEEDED = 100
"""Of more than so many times the items of the test set no number is given in the title."""
_BEYOND = 1.6
"""The curve goes so many times farther than the difference that is detected with 80% power."""


def section(show: Printing) -> Section:
    """The power of a comparison of two teams with the median standard error, over the true difference."""
    evaluation = show.evaluation
    told = power_sentences(show.evaluation)
    undecided_at_all = evaluation.certainty is None or undecided(
        evaluation, evaluation.certainty.comparisons[0]
    )
    if told:
        answer = told[0]
    else:
        answer = say("What differences the test set detects was not computed.")
    blocks: list[Block] = []
    power = power_of(evaluation, evaluation.task.ranking_metric)
    if power is not None and not undecided_at_all:
        answer = power_answer(evaluation, power)
        numbers = numbers_table(evaluation, power)
        # The first sentence says in words what the table has as numbers
        notes = (Paragraph(sentence, "note") for sentence in told[1:])
        blocks.append(Beside((power_curve(evaluation, power),), (numbers, *notes)))
    elif not undecided_at_all:
        blocks += map(Paragraph, told[1:])
    return Section(
        "power", say(QUESTIONS["power"]), (answer,), tuple(blocks), "audit power TASK", "Power"
    )


def power_answer(evaluation: Evaluation, power: Power) -> str:
    """The smallest difference that is detected with 80% power, and what a lead that is not significant would need."""
    _, mostly = typical(evaluation, power)
    detected = say(f"Differences of {short(mostly)} and more, with 80% power")
    _, among_all = needed_items(evaluation, power)
    if (
        power.difference <= TIE_TOLERANCE
        or among_all is None
        or among_all > _MOST_NEEDED * power.n_units
    ):
        return detected
    needs = f"about {about(among_all)} {drawn(evaluation)}s would be needed"
    return say(
        f"{detected}; if the observed lead of {short(power.difference)} were the true difference, {needs}"
    )


def power_curve(evaluation: Evaluation, power: Power) -> Curve:
    """The probability that a true difference is found significant, for a pair with the median standard error.

    A difference δ with standard error σ is found with probability Φ(δ/σ − c) + Φ(−δ/σ − c), c being the critical value.
    """
    half, mostly = typical(evaluation, power)
    critical = half / power.median_error
    last = max(_BEYOND * mostly, 1.05 * power.difference)
    axis = LinearAxis(0.0, last)
    differences = np.linspace(0.0, last, _POINTS)
    shares = detection_probability(differences / power.median_error, critical)
    points = [
        (axis.place(x), round(100 * y, 2))
        for x, y in zip(differences.tolist(), shares.tolist(), strict=True)
    ]
    marks = ((axis.place(mostly), 100 * _MOSTLY, f"80% at {short(mostly)}"),)
    lines = []
    if power.difference > 0:
        lines.append((axis.place(power.difference), f"observed lead {short(power.difference)}"))
    return Curve(
        "figure-power",
        say("Probability that a true difference is found statistically significant"),
        tuple(points),
        axis.axis,
        marks,
        tuple(lines),
        "true difference between two teams",
        note=say(
            "For a typical pair, that with the median standard error; adjusted for all pairwise comparisons "
            "(Card et al. 2020)."
        ),
    )


def detection_probability(standardized: np.ndarray, critical: float) -> np.ndarray:
    """The power of a two-sided test at differences in units of their standard error.

    >>> detection_probability(np.array([0.0, 1.96 + 0.8416]), 1.96).round(3).tolist()
    [0.05, 0.8]
    """
    return np.asarray(ndtr(standardized - critical) + ndtr(-standardized - critical))


def numbers_table(evaluation: Evaluation, power: Power) -> Table:
    """The numbers behind the curve."""
    half, mostly = typical(evaluation, power)
    first = name(evaluation, power.first)
    second = name(evaluation, power.second)
    rows = [
        (say("Smallest difference detected with 80% power"), short(mostly)),
        (say("… with 50% power"), short(half)),
        (f"Observed lead of {first} over {second}", short(power.difference)),
        ("Standard error of that lead", short(power.standard_error)),
        ("Median standard error of a difference", short(power.median_error)),
        (say("Standard errors that a difference must exceed"), number(power.critical_value, 2)),
        (f"{drawn(evaluation).capitalize()}s in the test set", f"{power.n_units:,}"),
    ]
    return Table(
        "table-power-numbers",
        "In numbers",
        (row_names("Quantity"), Column("Value")),
        tuple((Cell(label), Cell(value)) for label, value in rows),
        sortable=False,
    )
