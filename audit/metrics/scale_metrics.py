"""Metrics of labels on a scale: how far a wrong answer is from gold; and any metric on a scale cut in two.

An unanswered item counts as one that is answered with the label farthest from gold's, half with each of two.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from audit.domain.arrays import Bools, Counts, Floats
from audit.metrics.confusion import Margins, over_classes, ratio
from audit.metrics.elementary import logarithm
from audit.metrics.gradients import Gradient
from audit.metrics.metric import Metric, properties_of

_LN2 = 0.6931471805599453
_FARTHEST = "An unanswered item counts as answered with the label farthest from gold’s; of two as far, half with each."

ScaleScore = Callable[[Margins], tuple[Floats, Callable[[], Floats]]]
"""Margins → scores, shape (...), and what gives their derivatives in the cells, shape (..., C, C + 1)."""


# What the scores are made of


def _apart(margins: Margins) -> Floats:
    """|g − p| in values of the scale, which are steps of one where no others are given, shape (C, C)."""
    values = np.asarray(margins.values or range(margins.correct.shape[-1]), dtype=np.float64)
    return np.abs(np.subtract.outer(values, values))


@dataclass(frozen=True, eq=False)
class _Answered:
    """Confusions whose unanswered items are answered as far from gold as can be."""

    apart: Floats  # (C, C): the distance of each answer from gold
    farthest: Floats
    """(C, C): the share of the unanswered items of a gold class that counts as answered so."""
    cells: Floats  # (..., C, C)

    @classmethod
    def of(cls, margins: Margins) -> "_Answered":
        """The confusions of margins."""
        apart = _apart(margins)
        cells = np.asarray(margins.confusion, dtype=np.float64)
        farthest = apart == apart.max(axis=-1, keepdims=True)
        shares = farthest / farthest.sum(axis=-1, keepdims=True)
        return cls(apart, shares, np.asarray(cells[..., :-1] + cells[..., -1:] * shares))

    @cached_property
    def n_gold(self) -> Floats:
        """Items of each gold class, shape (..., C)."""
        return over_classes(self.cells)

    @cached_property
    def n_answers(self) -> Floats:
        """Answers with each label, shape (..., C)."""
        return self.by_answer(np.ones_like(self.n_gold))

    @cached_property
    def total(self) -> Floats:
        """All items, shape (...)."""
        return over_classes(self.n_gold)

    def sum(self, values: Floats) -> Floats:
        """The sum over the items of a value of their cell, shape (...)."""
        return over_classes(over_classes(self.cells * values))

    def by_gold(self, values: Floats) -> Floats:
        """The sum over the items of each gold class of a value by answer, shape (..., C)."""
        return np.asarray(np.einsum("...gp,...p->...g", self.cells, values))

    def by_answer(self, values: Floats) -> Floats:
        """The sum over the items with each answer of a value by gold class, shape (..., C)."""
        return np.asarray(np.einsum("...gp,...g->...p", self.cells, values))

    def whole(self, slopes: Floats) -> Floats:
        """Derivatives in the cells of the confusions as they are, from those in these, shape (..., C, C + 1)."""
        return np.concatenate([slopes, over_classes(slopes * self.farthest)[..., None]], axis=-1)


def _by_cell(*numbers: Floats) -> tuple[Floats, ...]:
    """Numbers of a confusion beside its cells: (...) → (..., 1, 1)."""
    return tuple(np.asarray(number)[..., None, None] for number in numbers)


def _pairwise(by_gold: Floats, by_answer: Floats) -> Floats:
    """What gold’s label adds and what the answer’s adds, in each cell."""
    return np.asarray(by_gold[..., :, None] + by_answer[..., None, :])


def _varies(counts: Floats) -> Bools:
    """Whether items have more than one label, shape (...)."""
    return np.asarray(over_classes(counts > 0) > 1)


def _above_less_below(counts: Floats, axis: int = -1) -> Floats:
    """What stands above each label on the scale, less what stands below."""
    return np.asarray(
        np.sum(counts, axis=axis, keepdims=True) - 2 * np.cumsum(counts, axis=axis) + counts
    )


def _middle_ranks(counts: Floats) -> Floats:
    """The mean rank of the items of each label, measured from that of all items."""
    return -_above_less_below(counts) / 2


# Distances


def _with_unanswered(apart: Floats) -> Floats:
    """Distances with those of no answer, which is as far as can be, shape (C, C + 1)."""
    return np.concatenate([apart, apart.max(axis=-1, keepdims=True)], axis=-1)


def _near(margins: Margins) -> Floats:
    """Whether a label is at most one step from gold’s, shape (C, C + 1); no answer is not."""
    codes = np.arange(margins.correct.shape[-1])
    near = np.abs(np.subtract.outer(codes, codes)) <= 1
    return np.concatenate([near, np.zeros((codes.size, 1))], axis=-1)


def _mean(values_of: Callable[[Margins], Floats]) -> ScaleScore:
    """The mean over the items of a value of their cell; the values have shape (C, C + 1)."""

    def score(margins: Margins) -> tuple[Floats, Callable[[], Floats]]:
        values = values_of(margins)
        mean = np.asarray(over_classes(over_classes(margins.confusion * values)) / margins.total)
        n_items, beside = _by_cell(margins.total, mean)
        return mean, lambda: (values - beside) / n_items

    return score


def _macro_mae(margins: Margins) -> tuple[Floats, Callable[[], Floats]]:
    """The mean over the gold classes of the mean distance in each: Baccianella et al. 2009."""
    apart = _with_unanswered(_apart(margins))
    k = margins.n_averaged
    of_class = ratio(over_classes(margins.confusion * apart), margins.prevalence)
    mean = np.where(k > 0, over_classes(of_class, margins.averaged) / np.maximum(k, 1), np.nan)

    def slopes() -> Floats:
        share = ratio(margins.averaged / np.maximum(k, 1)[..., None], margins.prevalence)
        return np.asarray((apart - of_class[..., None]) * share[..., None])

    return mean, slopes


# Agreement beyond chance


def _weighted_kappa(power: int) -> ScaleScore:
    """1 − N Σ w x / Σ w n b, with distances to a power as weights: Cohen 1968. Undefined where all is one label."""

    def score(margins: Margins) -> tuple[Floats, Callable[[], Floats]]:
        items = _Answered.of(margins)
        weights = items.apart**power
        seen = items.sum(items.apart**power)
        by_gold = np.einsum("gp,...p->...g", weights, items.n_answers)
        by_chance = over_classes(by_gold * items.n_gold)
        kappa = np.clip(1 - ratio(seen * items.total, by_chance), -1, 1)

        def slopes() -> Floats:
            by_answer = np.einsum("gp,...g->...p", weights, items.n_gold)
            observed, expected, n_items = _by_cell(seen, by_chance, items.total)
            in_chance = ratio(n_items * observed, expected) * _pairwise(by_gold, by_answer)
            return items.whole(ratio(in_chance - observed - n_items * weights, expected))

        return np.where(by_chance > 0, kappa, np.nan), slopes

    return score


def _in_answers(power: int) -> Callable[[Margins], Floats]:
    """The derivatives of a weighted kappa in the cells while gold's counts stay as they are, shape (..., C, C + 1)."""

    def slopes(margins: Margins) -> Floats:
        items = _Answered.of(margins)
        weights = items.apart**power
        seen = items.sum(items.apart**power)
        by_answer = np.einsum("gp,...g->...p", weights, items.n_gold)
        by_chance = over_classes(by_answer * items.n_answers)
        observed, expected, n_items = _by_cell(seen, by_chance, items.total)
        in_chance = ratio(n_items * observed, expected) * by_answer[..., None, :]
        return items.whole(ratio(in_chance - n_items * weights, expected))

    return slopes


def _ordinal_alpha(margins: Margins) -> tuple[Floats, Callable[[], Floats]]:
    """Krippendorff 2011, of gold and predictions; undefined where all is one label.

    The ordinal distance of two labels is the one between their middle ranks among all that gold and predictions have.
    """
    items = _Answered.of(margins)
    both = items.n_gold + items.n_answers  # k_c
    ranks = _middle_ranks(both)  # t_c
    apart = (ranks[..., :, None] - ranks[..., None, :]) ** 2
    seen = items.sum(apart)
    by_chance = over_classes(both * ranks**2)
    one_less = np.asarray(1 - 1 / (2 * margins.total))  # of 2N values a pair has two different ones
    alpha = 1 - one_less * ratio(seen, by_chance)

    def slopes() -> Floats:
        # −(1 − 1/2N) (d seen − seen/by_chance · d by_chance)/by_chance
        in_seen = _above_less_below(both * ranks - items.by_gold(ranks) - items.by_answer(ranks))
        in_chance = ranks**2 + _above_less_below(both * ranks)
        observed, expected, factor = _by_cell(seen, by_chance, one_less)
        of_seen = apart + _pairwise(in_seen, in_seen)
        of_chance = ratio(observed, expected) * _pairwise(in_chance, in_chance)
        return items.whole(-factor * ratio(of_seen - of_chance, expected))

    return np.where(_varies(both), alpha, np.nan), slopes


# Closeness


def _bits(items: Floats, total: Floats) -> Floats:
    """−log₂ of a share of all items; 0 where there is none."""
    share = np.where(items > 0, items / total, 1.0)
    return np.asarray(-logarithm(share) / _LN2)


def _cem(margins: Margins) -> tuple[Floats, Callable[[], Floats]]:
    """Closeness of answers, as a share of that of right ones: Amigó et al. 2020. Undefined with one class in gold.

    The fewer gold items are between two labels, the closer they are.
    """
    items = _Answered.of(margins)
    ranks = _middle_ranks(items.n_gold)
    between = np.abs(ranks[..., :, None] - ranks[..., None, :]) + items.n_gold[..., :, None] / 2
    total = items.total[..., None]
    closeness = _bits(between, total[..., None])
    best = _bits(items.n_gold / 2, total)
    most = over_classes(items.n_gold * best)
    share = ratio(items.sum(closeness), most)

    def slopes() -> Floats:
        # what it adds to right answers cancels
        in_seen = (1 - _spans(ratio(items.cells, between))) / _LN2
        by_gold = ratio(in_seen - share[..., None] * best, most[..., None])
        return items.whole(by_gold[..., :, None] + ratio(closeness, most[..., None, None]))

    return np.where(_varies(items.n_gold), share, np.nan), slopes


def _spans(cells: Floats) -> Floats:
    """Sum over the cells from whose answer to whose gold a label lies, half of those whose answer it is, (..., C)."""
    corner = np.diagonal(np.cumsum(np.cumsum(cells, axis=-1), axis=-2), axis1=-2, axis2=-1)
    turned = np.cumsum(np.cumsum(cells[..., ::-1, ::-1], axis=-1), axis=-2)
    opposite = np.diagonal(turned, axis1=-2, axis2=-1)[..., ::-1]
    nothing = np.zeros((*corner.shape[:-1], 1))
    below = np.concatenate([nothing, corner[..., :-1]], axis=-1)
    above = np.concatenate([opposite[..., 1:], nothing], axis=-1)
    return np.asarray(corner[..., -1:] - below - above - np.einsum("...gp->...p", cells) / 2)


# Rank correlations of the items


def _untied(counts: Floats) -> Floats:
    """Twice the pairs of items with different labels."""
    total = over_classes(counts)
    return np.asarray(total * total - over_classes(counts * counts))


def _tau_b(margins: Margins) -> tuple[Floats, Callable[[], Floats]]:
    """Kendall 1945, of gold and predictions over the items; undefined where one of both is constant."""
    items = _Answered.of(margins)
    # for an item in each cell, the items in the same order by gold and by answer less those in the other
    concordance = _above_less_below(_above_less_below(items.cells, -1), -2)
    pairs_of_gold = _untied(items.n_gold)
    pairs_of_answers = _untied(items.n_answers)
    spread = np.sqrt(pairs_of_gold) * np.sqrt(pairs_of_answers)
    tau = ratio(items.sum(concordance), spread)

    def slopes() -> Floats:
        n_items = items.total[..., None]
        by_gold = ratio(n_items - items.n_gold, pairs_of_gold[..., None])
        by_answer = ratio(n_items - items.n_answers, pairs_of_answers[..., None])
        score, scale = _by_cell(tau, spread)
        return items.whole(ratio(2 * concordance, scale) - score * _pairwise(by_gold, by_answer))

    varies = _varies(items.n_gold) & _varies(items.n_answers)
    return np.where(varies, np.clip(tau, -1, 1), np.nan), slopes


def _spearman_labels(margins: Margins) -> tuple[Floats, Callable[[], Floats]]:
    """Spearman 1904, of gold and predictions over the items; undefined where one of both is constant."""
    items = _Answered.of(margins)
    gold_ranks = _middle_ranks(items.n_gold)
    answer_ranks = _middle_ranks(items.n_answers)
    gold_squares = over_classes(items.n_gold * gold_ranks**2)
    answer_squares = over_classes(items.n_answers * answer_ranks**2)
    spread = np.sqrt(gold_squares) * np.sqrt(answer_squares)
    rho = ratio(over_classes(gold_ranks * items.by_gold(answer_ranks)), spread)

    def slopes() -> Floats:
        # (d product)/spread − ρ/2 · (d gold squares/gold squares + d answer squares/answer squares)
        products = gold_ranks[..., :, None] * answer_ranks[..., None, :]
        in_product = _pairwise(
            _above_less_below(items.by_gold(answer_ranks)) / 2,
            _above_less_below(items.by_answer(gold_ranks)) / 2,
        )
        in_gold = gold_ranks**2 + _above_less_below(items.n_gold * gold_ranks)
        in_answers = answer_ranks**2 + _above_less_below(items.n_answers * answer_ranks)
        in_squares = _pairwise(
            ratio(in_gold, gold_squares[..., None]), ratio(in_answers, answer_squares[..., None])
        )
        score, scale = _by_cell(rho, spread)
        return items.whole(ratio(products + in_product, scale) - score / 2 * in_squares)

    varies = _varies(items.n_gold) & _varies(items.n_answers)
    return np.where(varies, np.clip(rho, -1, 1), np.nan), slopes


# The registry’s entries


def _on_scale(score: ScaleScore, names: tuple[str, str, str, str], **declared: Any) -> Metric:  # noqa: ANN401 - fields
    """A metric that an evaluation has where labels are on a scale: no voter, and no trigger of findings."""
    common: dict[str, Any] = {
        "kernel": lambda margins: score(margins)[0],
        "gradient": lambda margins: Gradient.of_cells(score(margins)[1]()),
        "over": "confusions",
        "of_scale": True,
        "averages": False,
        "needs_every_class": False,
        "standard": False,
    }
    return Metric(*names, **(common | declared))


_beyond_chance = partial(
    _on_scale, lower=-1, properties=properties_of("✗✓✗~✓"), baseline="0, complete"
)
_distance = partial(_on_scale, upper=math.inf, greater_is_better=False)


def _kappa(power: int, name: str, short: str, weights: str) -> Metric:
    return _beyond_chance(
        _weighted_kappa(power),
        (f"{name}_kappa", f"{name.capitalize()} kappa", f"{name} kappa", short),
        formula=rf"1 - \frac{{|S| \sum_{{g,p}} w_{{gp}}\, n_{{gp}}}}"
        rf"{{\sum_{{g,p}} w_{{gp}}\, \mathrm{{prevalence}}_g\, \mathrm{{bias}}_p}}, \quad w_{{gp}} = {weights}",
        explanation=f"Cohen’s kappa in which an error counts by its {'squared ' * (power - 1)}distance on the scale. "
        f"{_FARTHEST} Undefined where gold and predictions are constant on the same label.",
        source="Cohen 1968",
        in_answers=_in_answers(power),
    )


_METRICS = (
    _kappa(1, "linear", "κ lin", "|v_g - v_p|"),
    _kappa(2, "quadratic", "κ²", "(v_g - v_p)^2"),
    _beyond_chance(
        _ordinal_alpha,
        ("ordinal_alpha", "Ordinal alpha (Krippendorff)", "ordinal alpha", "α"),
        formula=r"1 - \frac{2|S| - 1}{2|S|} \cdot \frac{\sum_{g,p} n_{gp}\, (t_g - t_p)^2}{\sum_{c} k_c\, t_c^2}, "
        r"\quad k_c = \mathrm{prevalence}_c + \mathrm{bias}_c, \quad t_c = \frac{\sum_{h<c} k_h - \sum_{h>c} k_h}{2}",
        explanation="Krippendorff’s alpha of two raters, gold and the team, with the ordinal distance: how many labels "
        f"of both lie between two. {_FARTHEST} Undefined where both have one label alone.",
        baseline="0 where predictions have gold’s distribution",
        source="Krippendorff 2011",
    ),
    _distance(
        _mean(lambda margins: _with_unanswered(_apart(margins))),
        ("mae", "Mean absolute error", "mean absolute error", "MAE"),
        formula=r"\frac{1}{|S|} \sum_{g,p} n_{gp}\, |v_g - v_p|",
        explanation=f"The mean distance from gold on the scale. {_FARTHEST}",
        baseline="depends on prevalence",
        source="Baccianella et al. 2009",
        properties=properties_of("✗✓~~~"),
    ),
    _distance(
        _macro_mae,
        ("macro_mae", "Macro mean absolute error", "macro mean absolute error", "MacMAE"),
        formula=r"\frac{1}{k} \sum_{g} \frac{\sum_{p} n_{gp}\, |v_g - v_p|}{\mathrm{prevalence}_g}",
        explanation=f"The mean over the classes in gold of the mean distance in each. {_FARTHEST}",
        baseline="that of always answering with a middle label",
        source="Baccianella et al. 2009; SemEval-2016 task 4, subtask C",
        properties=properties_of("✗✓✓✓✓"),
        averages=True,
        needs_every_class=True,
        moves_with_classes=False,
    ),
    _on_scale(
        _mean(_near),
        ("within_one", "Within one step", "share within one step", "±1"),
        formula=r"\frac{1}{|S|} \sum_{|g-p| \le 1} n_{gp}",
        explanation="The share of the items answered with gold’s label or one next to it. An unanswered item is not.",
        baseline="depends on prevalence",
        source="Gaudette & Japkowicz 2009",
        properties=properties_of("✗✓~~~"),
        proportion=lambda margins: (
            over_classes(over_classes(margins.confusion * _near(margins))),
            margins.total,
        ),
    ),
    _on_scale(
        _cem,
        ("cem", "Closeness (CEM)", "closeness evaluation measure", "CEM"),
        formula=r"\frac{\sum_{g,p} n_{gp}\, W_{gp}}{\sum_{g} \mathrm{prevalence}_g\, W_{gg}}, \quad W_{gp} = -\log_2 "
        r"\frac{\mathrm{prevalence}_p / 2 + \sum_{h = p \pm 1}^{g} \mathrm{prevalence}_h}{|S|}",
        explanation="How close answers are to gold, as a share of what right answers would give: two labels are the "
        f"closer, the fewer gold items lie between them. {_FARTHEST} Undefined with one class in gold.",
        baseline="depends on prevalence",
        source="Amigó et al. 2020",
        properties=properties_of("✗✓~~~"),
    ),
    _beyond_chance(
        _tau_b,
        ("tau_b", "Kendall’s τ-b over items", "Kendall’s τ-b over items", "τb"),
        formula=r"\frac{2\, (\mathrm{concordant} - \mathrm{discordant})}"
        r"{\sqrt{|S|^2 - \sum_{g} \mathrm{prevalence}_g^2}\, \sqrt{|S|^2 - \sum_{p} \mathrm{bias}_p^2}}",
        explanation="The rank correlation of gold and predictions, from pairs of items in the same and in the other "
        f"order. {_FARTHEST} Undefined where one of both is constant.",
        source="Kendall 1945",
    ),
    _beyond_chance(
        _spearman_labels,
        ("spearman_labels", "Spearman’s ρ over items", "Spearman’s ρ over items", "ρ items"),
        formula=r"\mathrm{corr}(\mathrm{rank}\, g,\ \mathrm{rank}\, p), \quad "
        r"\mathrm{rank}\, c = \frac{\sum_{h<c} n_h - \sum_{h>c} n_h}{2}",
        explanation="The correlation of the ranks of gold and predictions, items with one label sharing the mean of "
        f"their ranks. {_FARTHEST} Undefined where one of both is constant.",
        source="Spearman 1904",
    ),
)

SCALE_METRICS: Mapping[str, Metric] = {metric.slug: metric for metric in _METRICS}
"""The metrics that evaluations have whose labels are on a scale, by slug."""


@cache
def on_scale(metric: Metric, values: tuple[float, ...]) -> Metric:
    """A metric of labels with these values."""
    kernel = metric.kernel
    gradient = metric.gradient
    in_answers = metric.in_answers
    upper = metric.upper
    if math.isinf(upper):
        upper = min(upper, values[-1] - values[0])
    return replace(
        metric,
        in_answers=in_answers and (lambda margins: in_answers(replace(margins, values=values))),
        upper=upper,
        kernel=lambda margins: kernel(replace(margins, values=values)),
        gradient=lambda margins: gradient(replace(margins, values=values)),
    )


# Any metric on a scale cut in two


@cache
def cut_metric(metric: Metric, n_below: int, cut: str) -> Metric:
    """A metric of two classes, the labels below a cut of the scale and those above."""
    kernel = metric.kernel
    gradient = metric.gradient
    proportion = metric.proportion
    return replace(
        metric,
        slug=f"{metric.slug}-cut-{n_below}",
        label=f"{metric.label}, {cut}",
        upper=min(metric.upper, 1),
        kernel=lambda margins: kernel(_cut(margins, n_below)),
        gradient=lambda margins: _uncut(
            gradient(_cut(margins, n_below)), margins.correct.shape[-1], n_below
        ),
        proportion=proportion and (lambda margins: proportion(_cut(margins, n_below))),
        over="confusions",
        takes="nothing",
        terms="",
        mean_of="",
        weighted_mean_of="",
        harmonic_mean_of=(),
        of_scale=True,
        standard=False,
        properties=None,
    )


def _halves(n_classes: int, n_below: int) -> Counts:
    """The class after the cut of each label and of *unanswered*, shape (C + 1,)."""
    return np.array([0] * n_below + [1] * (n_classes - n_below) + [2])


def _cut(margins: Margins, n_below: int) -> Margins:
    halves = _halves(margins.correct.shape[-1], n_below)
    into = np.eye(3, dtype=np.int64)[halves]
    cells = np.einsum("...gp,gh,pq->...hq", margins.confusion, into[:-1, :2], into)
    averaged = np.einsum("...g,gh->...h", margins.averaged > 0, into[:-1, :2]) > 0
    cut = Margins.of(cells, averaged)
    return replace(cut, undefined=margins.undefined, f1_undefined=margins.f1_undefined)


def _uncut(gradient: Gradient, n_classes: int, n_below: int) -> Gradient:
    """The gradient in the cells of the whole scale."""
    halves = _halves(n_classes, n_below)
    return Gradient.of_cells(gradient.by_cell[..., halves[:-1, None], halves])


def shown_cut(labels: Sequence[str], n_below: int) -> str:
    """A cut of the scale as names of scores have it: labels of one character side by side.

    >>> shown_cut(["0", "1", "2", "3"], 1), shown_cut(["low", "middle", "high"], 2)
    ('0|123', 'low,middle|high')
    """
    if all(len(label) == 1 and label.isalnum() for label in labels):
        between = ""
    else:
        between = ","
    return f"{between.join(labels[:n_below])}|{between.join(labels[n_below:])}"
