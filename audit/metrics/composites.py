"""Composites: the weighted mean of several scores of one confusion as a metric like any other, and of ranks by them.

The kernel of a mean is the mean of theirs and its gradient that of theirs, so that intervals and comparisons hold for
it as they do for each: the scores are of the same items, and what an item adds to the mean is the mean of what it adds
to each. A mean of ranks is of all teams together: no confusion by itself has one, and none of its items adds to it.
"""

import math
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from audit.domain import ScoreKey
from audit.domain.arrays import Floats
from audit.errors import MetricNameError
from audit.metrics import gradients, kernels
from audit.metrics.confusion import Margins
from audit.metrics.gradients import Gradient
from audit.metrics.metric import Metric
from audit.text import decimal_text, listed, quoted, sentence_case

_HEAD = "mean("
_RANK_HEAD = "mean_rank("
_RANKS = 4095  # the range of ranks, from 1 on: less than that many teams are ranked by it
_TERM = re.compile(r"(?:(?P<weight>[0-9]{1,6}(?:\.[0-9]{1,6})?)\s*\*\s*)?(?P<name>.+)", re.DOTALL)
_SAID = 3  # scores that the name inside a sentence lists
_MOST_DETAILED: tuple[Literal["item scores", "units", "confusions"], ...] = (
    "item scores",
    "units",
    "confusions",
)
MOST_TERMS = 20


@dataclass(frozen=True)
class Term:
    """One score of a composite, as its name has it."""

    weight: float  # what it counts, above 0
    name: str  # the score's name, at whatever prevalence the composite is

    def __str__(self) -> str:
        if self.weight == 1:
            return self.name
        return f"{decimal_text(self.weight)}*{self.name}"


@dataclass(frozen=True)
class Composite:
    """A composite's name, taken apart."""

    terms: tuple[Term, ...]  # the scores that it is made of
    of_ranks: bool  # whether it is the mean of the ranks by them, not of the scores
    behind: str  # what stands behind the closing parenthesis


def terms_of(name: str) -> tuple[Term, ...]:
    """The scores that a score, by its name, is made of: its terms, or itself."""
    composite = split_composite(name)
    if composite is None:
        return (Term(1, name),)
    return composite.terms


def mean_of_terms(key: ScoreKey, scores: Callable[[Sequence[ScoreKey]], Floats]) -> Floats:
    """Every entry's mean over the scores that a key names, shape (T,); NaN where one of them is."""
    terms = terms_of(key.metric)
    weights = [term.weight for term in terms]
    shares = [weight / math.fsum(weights) for weight in weights]
    return _mean(list(scores([ScoreKey(term.name, key.prevalence) for term in terms])), shares)


def composite_name(terms: Sequence[Term], *, of_ranks: bool = False) -> str:
    """The one spelling of a composite; equal weights are left unsaid."""
    weights = {term.weight for term in terms}
    if len(weights) == 1:
        terms = [Term(1, term.name) for term in terms]
    head = _HEAD
    if of_ranks:
        head = _RANK_HEAD
    return f"{head}{','.join(map(str, terms))})"


def split_composite(text: str) -> Composite | None:
    """A composite's name, taken apart; None where it is the name of something else."""
    head = next((head for head in (_HEAD, _RANK_HEAD) if text.startswith(head)), None)
    if head is None:
        return None
    parts, end = split_at_commas(text, len(head))
    if end is None:
        raise MetricNameError(f"{quoted(text)} opens a parenthesis and does not close it.")
    terms = []
    for part in parts:
        match = _TERM.fullmatch(part.strip())
        if match is None:
            raise MetricNameError(
                f"{quoted(text)} has an empty term. Write scores with commas between them."
            )
        terms.append(Term(float(match["weight"] or 1), match["name"]))
    return Composite(tuple(terms), head == _RANK_HEAD, text[end + 1 :])


def split_at_commas(text: str, start: int) -> tuple[list[str], int | None]:
    """The texts between the commas of the outermost parentheses, and the place where these close.

    Labels stand in brackets, where a parenthesis is a character like any other, and so is a bracket in quotes.
    """
    depth = 1
    in_brackets = False
    in_quotes = False
    parts: list[str] = []
    for place, character in enumerate(text[start:], start=start):
        if in_brackets:
            in_quotes ^= character == '"'
            in_brackets = in_quotes or character != "]"
        elif character == "[":
            in_brackets = True
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        is_comma = character == "," and depth == 1 and not in_brackets
        if is_comma or depth == 0:
            parts.append(text[start:place])
            start = place + 1
        if depth == 0:
            return parts, place
    return parts, None


def mean_metric(
    name: str, weights: Sequence[float], metrics: Sequence[Metric], phrases: Sequence[str]
) -> Metric:
    """The weighted mean of scores, as a metric."""
    _check(name, weights, phrases)
    _check_directions(name, metrics, phrases)
    total = math.fsum(weights)
    shares = [weight / total for weight in weights]
    mean, ratio = _kind_of_mean(weights)
    listing = listed([f"s{number} is {phrase}" for number, phrase in enumerate(phrases, start=1)])
    lower = 0.0
    upper = 0.0
    for share, metric in zip(shares, metrics, strict=True):
        lower += share * metric.lower
        upper += share * metric.upper
    kinds_of_data = {metric.over for metric in metrics}
    over = next((over for over in _MOST_DETAILED if over in kinds_of_data), "margins")

    def kernel(margins: Margins) -> Floats:
        return _mean([metric.kernel(margins) for metric in metrics], shares)

    def gradient(margins: Margins) -> Gradient:
        return Gradient.weighted([metric.gradient(margins) for metric in metrics], shares)

    return _made_of(
        metrics,
        f"mean-{zlib.crc32(name.encode()):08x}",
        f"{mean}{ratio} of {listed(list(phrases), limit=_SAID)}",
        short="Mean",
        formula=_formula(weights, "s"),
        explanation=f"The {mean} of scores of the same items: {listing}. Undefined where one of them is.",
        lower=lower,
        upper=upper,
        baseline="the mean of what chance gives by each",
        kernel=kernel,
        gradient=gradient,
        over=over,
        greater_is_better=metrics[0].greater_is_better,
        divides_by_answers=any(
            metric.divides_by_answers or metric.terms == "precisions" for metric in metrics
        ),
        of_scale=any(metric.of_scale for metric in metrics),
        needs_every_class=any(
            metric.needs_every_class or metric.takes == "class" for metric in metrics
        ),
    )


def mean_rank_metric(
    name: str, weights: Sequence[float], metrics: Sequence[Metric], phrases: Sequence[str]
) -> Metric:
    """The weighted mean of the ranks by several scores, as a metric that no confusion has by itself.

    Parameters are those of :func:`mean_metric`; some scores may be better the higher and others the lower.
    """
    _check(name, weights, phrases)
    mean, ratio = _kind_of_mean(weights)
    listing = listed(
        [f"r{number} is the rank by {phrase}" for number, phrase in enumerate(phrases, start=1)]
    )
    return _made_of(
        metrics,
        f"mean-rank-{zlib.crc32(name.encode()):08x}",
        f"{mean} rank{ratio} by {listed(list(phrases), limit=_SAID)}",
        short="Mean rank",
        formula=_formula(weights, "r"),
        explanation=f"The {mean} of a team’s ranks: {listing}. Teams that are level share the mean of their places, "
        "and only who has every score is ranked. It depends on who takes part.",
        lower=1,
        upper=_RANKS,
        baseline="depends on who takes part",
        kernel=kernels.undefined,
        gradient=gradients.undefined,
        over="ranks",
        greater_is_better=False,
    )


def _made_of(metrics: Sequence[Metric], slug: str, wording: str, **declared: Any) -> Metric:  # noqa: ANN401 - fields
    """A metric made of others, with what it takes from them."""
    return Metric(
        slug=slug,
        label=sentence_case(wording),
        phrase=wording,
        source="as the campaign announced it",
        moves_with_classes=any(metric.moves_with_classes for metric in metrics),
        moves_with_two=any(
            metric.moves_with_classes and metric.moves_with_two for metric in metrics
        ),
        averages=any(metric.averages and metric.takes != "class" for metric in metrics),
        standard=False,
        **declared,
    )


def _kind_of_mean(weights: Sequence[float]) -> tuple[str, str]:
    """Whether the mean is weighted, in words, and then by what."""
    if len(set(weights)) == 1:
        return "mean", ""
    return "weighted mean", f" ({':'.join(map(decimal_text, weights))})"


def _check(name: str, weights: Sequence[float], phrases: Sequence[str]) -> None:
    if not 2 <= len(phrases) <= MOST_TERMS:  # noqa: PLR2004 - a mean of several
        raise MetricNameError(
            f"{quoted(name)} is a mean of {len(phrases)}; it takes 2 to {MOST_TERMS} scores."
        )
    twice = [phrase for place, phrase in enumerate(phrases) if phrase in phrases[:place]]
    if twice:
        raise MetricNameError(
            f"{quoted(name)} names {twice[0]} twice. Write it once, with a weight: 2*…"
        )
    if not all(0 < weight < math.inf for weight in weights):
        raise MetricNameError(f"{quoted(name)}: a weight is a number above 0.")


def _check_directions(name: str, metrics: Sequence[Metric], phrases: Sequence[str]) -> None:
    higher = []
    lower = []
    for phrase, metric in zip(phrases, metrics, strict=True):
        if metric.greater_is_better:
            higher.append(phrase)
        else:
            lower.append(phrase)
    if higher and lower:
        raise MetricNameError(
            f"{quoted(name)} has scores of two directions: higher is better by {listed(higher)}, lower is better by "
            f"{listed(lower)}. Their mean says nothing: turn one of them, or rank by each."
        )


def _mean(scores: Sequence[Floats], shares: Sequence[float]) -> Floats:
    """Undefined as soon as one of them is."""
    terms = (share * values for share, values in zip(shares, scores, strict=True))
    return np.asarray(sum(terms, start=np.zeros(scores[0].shape)))


def _formula(weights: Sequence[float], symbol: str) -> str:
    symbols = [f"{symbol}_{{{number}}}" for number in range(1, len(weights) + 1)]
    if len(set(weights)) == 1:
        return rf"\frac{{{' + '.join(symbols)}}}{{{len(weights)}}}"
    terms = []
    for weight, each in zip(weights, symbols, strict=True):
        if weight == 1:
            terms.append(each)
        else:
            terms.append(rf"{decimal_text(weight)}\, {each}")
    return rf"\frac{{{' + '.join(terms)}}}{{{decimal_text(math.fsum(weights))}}}"
