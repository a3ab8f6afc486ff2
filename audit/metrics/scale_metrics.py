"""Metrics of labels on a scale: how far a wrong answer is from gold; and any metric on a scale cut in two.

An unanswered item counts as one that is answered with the label farthest from gold's, half with each of two.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from audit.domain.arrays import Bools, Counts, Floats
from audit.metrics.confusion import Margins, over_classes
from audit.metrics.elementary import logarithm
from audit.metrics.gradients import Gradient
from audit.metrics.metric import Metric

_LN2 = 0.6931471805599453
_FARTHEST = "An unanswered item counts as answered with the label farthest from gold’s."


def _values(margins: Margins) -> Floats:
    """The value of each label, shape (C,): steps of one, where no others are given."""
    return np.asarray(margins.values or range(margins.correct.shape[-1]), dtype=np.float64)


@cache
def _farthest(values: tuple[float, ...]) -> Floats:
    """The share of the unanswered items of each gold class that counts as answered with each label, shape (C, C)."""
    apart = np.abs(np.subtract.outer(values, values))
    farthest = apart == apart.max(axis=-1, keepdims=True)
    return np.asarray(farthest / farthest.sum(axis=-1, keepdims=True))


def _answered(margins: Margins) -> Floats:
    """Confusions whose unanswered items are answered as far from gold as can be, shape (..., C, C)."""
    cells = np.asarray(margins.confusion, dtype=np.float64)
    return np.asarray(cells[..., :-1] + cells[..., -1:] * _farthest(tuple(_values(margins).tolist())))


def _gradient(margins: Margins, slopes: Floats) -> Gradient:
    """The gradient of a score of these confusions, from its derivatives in their cells."""
    unanswered = over_classes(slopes * _farthest(tuple(_values(margins).tolist())))
    return Gradient.of_cells(np.concatenate([slopes, unanswered[..., None]], axis=-1))


def _sums(cells: Floats) -> tuple[Floats, Floats, Floats]:
    """Items of each gold class, answers with each label, shape (..., C), and all items, shape (..., 1, 1)."""
    n_gold = over_classes(cells)
    return n_gold, np.einsum("...gp->...p", cells), over_classes(n_gold)[..., None, None]


def _over(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient, 0 where the denominator is 0."""
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    return np.divide(numerator, denominator, out=np.zeros(shape), where=denominator > 0)


def _total(values: Floats) -> Floats:
    return over_classes(over_classes(values))


def _varies(counts: Floats) -> Bools:
    """Whether items have more than one label, shape (...)."""
    return np.asarray(over_classes(counts > 0) > 1)


def _above_less_below(counts: Floats, axis: int = -1) -> Floats:
    """What stands above each label on the scale, less what stands below."""
    return np.asarray(np.sum(counts, axis=axis, keepdims=True) - 2 * np.cumsum(counts, axis=axis) + counts)


def _middle_ranks(counts: Floats) -> Floats:
    """The mean rank of the items of each label, measured from that of all items."""
    return -_above_less_below(counts) / 2


# Distances


def _apart(margins: Margins, power: int = 1) -> Floats:
    """|g − p| to the first or second power, shape (C, C)."""
    values = _values(margins)
    return np.asarray(np.abs(np.subtract.outer(values, values)) ** power)


def mae(margins: Margins) -> Floats:
    """Mean distance over the items."""
    return np.asarray(_total(_answered(margins) * _apart(margins)) / margins.total)


def _mae_slopes(margins: Margins) -> Gradient:
    score = mae(margins)[..., None, None]
    return _gradient(margins, (_apart(margins) - score) / np.asarray(margins.total)[..., None, None])


def _class_distances(margins: Margins) -> Floats:
    return _over(over_classes(_answered(margins) * _apart(margins)), margins.prevalence)


def macro_mae(margins: Margins) -> Floats:
    """Mean over the gold classes of the mean distance in each (SemEval-2016 task 4, subtask C)."""
    sums = over_classes(_class_distances(margins), margins.averaged)
    return np.where(margins.n_averaged > 0, sums / np.maximum(margins.n_averaged, 1), np.nan)


def _macro_mae_slopes(margins: Margins) -> Gradient:
    share = _over(margins.averaged / np.maximum(margins.n_averaged, 1)[..., None], margins.prevalence)
    return _gradient(margins, (_apart(margins) - _class_distances(margins)[..., None]) * share[..., None])


def _near(n_classes: int) -> Floats:
    """Whether a label is at most one step from gold’s, shape (C, C + 1); no answer is not."""
    codes = np.arange(n_classes)
    near = np.abs(np.subtract.outer(codes, codes)) <= 1
    return np.concatenate([near, np.zeros((n_classes, 1))], axis=-1)


def _n_near(margins: Margins) -> tuple[Counts, Counts]:
    return _total(margins.confusion * _near(margins.correct.shape[-1])), margins.total


def within_one(margins: Margins) -> Floats:
    """Share of the items that are answered at most one step off."""
    n_near, total = _n_near(margins)
    return np.asarray(n_near / total)


def _within_one_slopes(margins: Margins) -> Gradient:
    score = within_one(margins)[..., None, None]
    return Gradient.of_cells((_near(margins.correct.shape[-1]) - score) / np.asarray(margins.total)[..., None, None])


# Agreement beyond chance


def _disagreement(margins: Margins, power: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Weights, the weighted cells, the weights times the answers of each gold class and times gold of each answer."""
    cells, weights = _answered(margins), _apart(margins, power)
    n_gold, n_answers, _ = _sums(cells)
    by_gold, by_answer = np.einsum("gp,...p->...g", weights, n_answers), np.einsum("gp,...g->...p", weights, n_gold)
    return weights, _total(cells * weights), by_gold, by_answer


def _weighted_kappa(power: int, margins: Margins) -> Floats:
    """1 − N Σ w x / Σ w n b, with distances to a power as weights; undefined where all is one label."""
    _, seen, by_gold, _ = _disagreement(margins, power)
    by_chance = over_classes(by_gold * margins.prevalence)
    score = 1 - _over(seen * margins.total, by_chance)
    return np.where(by_chance > 0, np.clip(score, -1, 1), np.nan)


def _weighted_kappa_slopes(power: int, margins: Margins) -> Gradient:
    weights, seen, by_gold, by_answer = _disagreement(margins, power)
    by_chance = over_classes(by_gold * margins.prevalence)[..., None, None]
    seen, total = seen[..., None, None], np.asarray(margins.total)[..., None, None]
    in_chance = _over(total * seen, by_chance) * (by_gold[..., :, None] + by_answer[..., None, :])
    return _gradient(margins, _over(in_chance - seen - total * weights, by_chance))


def _alpha_parts(margins: Margins) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Cells, labels of both, their middle ranks; and the differences of ranks seen, and by chance."""
    cells = _answered(margins)
    n_gold, n_answers, _ = _sums(cells)
    both = n_gold + n_answers
    ranks = _middle_ranks(both)
    seen = _total(cells * (ranks[..., :, None] - ranks[..., None, :]) ** 2)
    return cells, both, ranks, seen, over_classes(both * ranks**2)


def _one_less(margins: Margins) -> Floats:
    """Pairs of different values that two raters give to N items, as a share of all: Krippendorff’s (2N − 1)/2N."""
    return np.asarray(1 - 1 / (2 * margins.total))


def ordinal_alpha(margins: Margins) -> Floats:
    """Krippendorff’s alpha of gold and predictions with the ordinal distance; undefined where all is one label.

    That distance is the one between the middle ranks of two labels among all that gold and predictions have.
    """
    _, both, _, seen, by_chance = _alpha_parts(margins)
    return np.where(_varies(both), 1 - _one_less(margins) * _over(seen, by_chance), np.nan)


def _ordinal_alpha_slopes(margins: Margins) -> Gradient:
    cells, both, ranks, seen, by_chance = _alpha_parts(margins)
    n_gold, n_answers, _ = _sums(cells)
    by_rank = (n_gold + n_answers) * ranks
    by_rank = by_rank - np.einsum("...gp,...p->...g", cells, ranks) - np.einsum("...gp,...g->...p", cells, ranks)
    in_seen, in_chance = _above_less_below(by_rank), ranks**2 + _above_less_below(both * ranks)
    apart = (ranks[..., :, None] - ranks[..., None, :]) ** 2
    seen, by_chance = seen[..., None, None], by_chance[..., None, None]
    slopes = apart + _pairwise(in_seen) - _over(seen, by_chance) * _pairwise(in_chance)
    return _gradient(margins, -_one_less(margins)[..., None, None] * _over(slopes, by_chance))


def _pairwise(by_label: Floats, by_answer: Floats | None = None) -> Floats:
    """What gold’s label adds and what the answer’s adds, in each cell."""
    other = by_label if by_answer is None else by_answer
    return np.asarray(by_label[..., :, None] + other[..., None, :])


# Closeness


def _closeness(margins: Margins) -> tuple[Floats, Floats]:
    """Cells, and the gold items between each label and gold’s, half of those of the answer: S, shape (..., C, C)."""
    cells = _answered(margins)
    n_gold = over_classes(cells)
    ranks = _middle_ranks(n_gold)
    return cells, np.abs(ranks[..., :, None] - ranks[..., None, :]) + n_gold[..., :, None] / 2


def _bits(items: Floats, total: Floats) -> Floats:
    """−log₂ of a share of all items; 0 where there is none."""
    share = np.where(items > 0, items / total, 1.0)
    return np.asarray(-logarithm(share) / _LN2)


def _closeness_sums(margins: Margins) -> tuple[Floats, Floats, Floats, Floats]:
    """The closeness of each cell and of each right answer, and the sums of both over the items."""
    cells, between = _closeness(margins)
    total = np.asarray(margins.total, dtype=np.float64)[..., None]
    closeness, best = _bits(between, total[..., None]), _bits(margins.prevalence / 2, total)
    return closeness, best, _total(cells * closeness), over_classes(margins.prevalence * best)


def cem(margins: Margins) -> Floats:
    """Closeness evaluation measure: closeness of answers, as a share of that of right ones; undefined with one class.

    The fewer gold items are between two labels, the closer they are.
    """
    _, _, seen, most = _closeness_sums(margins)
    return np.where(_varies(margins.prevalence), _over(seen, most), np.nan)


def _cem_slopes(margins: Margins) -> Gradient:
    closeness, best, seen, most = _closeness_sums(margins)
    cells, between = _closeness(margins)
    in_seen = (1 - _spans(_over(cells, between))) / _LN2  # through S; what S adds to right answers cancels
    score, most = _over(seen, most)[..., None], most[..., None]
    by_gold = _over(in_seen - score * best, most)
    return _gradient(margins, by_gold[..., :, None] + _over(closeness, most[..., None]))


def _spans(cells: Floats) -> Floats:
    """Sum over the cells from whose answer to whose gold a label lies, half of those whose answer it is, (..., C)."""
    corner = np.diagonal(np.cumsum(np.cumsum(cells, axis=-1), axis=-2), axis1=-2, axis2=-1)
    turned = np.cumsum(np.cumsum(cells[..., ::-1, ::-1], axis=-1), axis=-2)
    opposite = np.diagonal(turned, axis1=-2, axis2=-1)[..., ::-1]
    nothing = np.zeros((*corner.shape[:-1], 1))
    below, above = (
        np.concatenate([nothing, corner[..., :-1]], axis=-1),
        np.concatenate([opposite[..., 1:], nothing], axis=-1),
    )
    return np.asarray(corner[..., -1:] - below - above - np.einsum("...gp->...p", cells) / 2)


# Rank correlations of the items


def _concordance(cells: Floats) -> Floats:
    """For an item in each cell, the items in the same order by gold and by answer less those in the other."""
    return _above_less_below(_above_less_below(cells, -1), -2)


def _untied(counts: Floats) -> Floats:
    """Twice the pairs of items with different labels."""
    total = over_classes(counts)
    return np.asarray(total * total - over_classes(counts * counts))


def tau_b(margins: Margins) -> Floats:
    """Kendall’s τ-b of gold and predictions over the items; undefined where one of both is constant."""
    cells = _answered(margins)
    n_gold, n_answers, _ = _sums(cells)
    spread = np.sqrt(_untied(n_gold)) * np.sqrt(_untied(n_answers))
    score = np.clip(_over(_total(cells * _concordance(cells)), spread), -1, 1)
    return np.where(_varies(n_gold) & _varies(n_answers), score, np.nan)


def _tau_b_slopes(margins: Margins) -> Gradient:
    cells = _answered(margins)
    n_gold, n_answers, total = _sums(cells)
    in_gold, in_answers = _untied(n_gold)[..., None], _untied(n_answers)[..., None]
    spread = (np.sqrt(in_gold) * np.sqrt(in_answers))[..., None]
    concordance = _concordance(cells)
    score = _over(_total(cells * concordance)[..., None, None], spread)
    by_gold, by_answer = _over(total[..., 0] - n_gold, in_gold), _over(total[..., 0] - n_answers, in_answers)
    return _gradient(margins, _over(2 * concordance, spread) - score * _pairwise(by_gold, by_answer))


def _rank_parts(cells: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Middle ranks of gold and of answers; their products summed; and the squares of each."""
    n_gold, n_answers, _ = _sums(cells)
    of_gold, of_answers = _middle_ranks(n_gold), _middle_ranks(n_answers)
    together = over_classes(of_gold * np.einsum("...gp,...p->...g", cells, of_answers))
    return of_gold, of_answers, together, over_classes(n_gold * of_gold**2), over_classes(n_answers * of_answers**2)


def spearman_labels(margins: Margins) -> Floats:
    """Spearman’s ρ of gold and predictions over the items; undefined where one of both is constant."""
    cells = _answered(margins)
    n_gold, n_answers, _ = _sums(cells)
    _, _, together, in_gold, in_answers = _rank_parts(cells)
    score = np.clip(_over(together, np.sqrt(in_gold) * np.sqrt(in_answers)), -1, 1)
    return np.where(_varies(n_gold) & _varies(n_answers), score, np.nan)


def _spearman_slopes(margins: Margins) -> Gradient:
    cells = _answered(margins)
    n_gold, n_answers, _ = _sums(cells)
    of_gold, of_answers, together, in_gold, in_answers = _rank_parts(cells)
    by_gold = _above_less_below(np.einsum("...gp,...p->...g", cells, of_answers)) / 2
    by_answer = _above_less_below(np.einsum("...gp,...g->...p", cells, of_gold)) / 2
    slopes = of_gold[..., :, None] * of_answers[..., None, :] + _pairwise(by_gold, by_answer)
    squares_of_gold, squares_of_answers = (
        _over(ranks**2 + _above_less_below(counts * ranks), total[..., None])
        for ranks, counts, total in ((of_gold, n_gold, in_gold), (of_answers, n_answers, in_answers))
    )
    spread = (np.sqrt(in_gold) * np.sqrt(in_answers))[..., None, None]
    score = _over(together[..., None, None], spread) / 2
    return _gradient(margins, _over(slopes, spread) - score * _pairwise(squares_of_gold, squares_of_answers))


# The registry’s entries


def _on_scale(**declared: Any) -> Metric:  # noqa: ANN401 - the fields of a metric
    """A metric that an evaluation has where labels are on a scale: no voter, and no trigger of findings."""
    common: dict[str, Any] = {
        "over": "confusions",
        "of_scale": True,
        "averages": False,
        "needs_every_class": False,
        "standard": False,
        "votes": False,
        "triggers": False,
    }
    return Metric(**(common | declared))


def _kappa(power: int, name: str, short: str, weights: str) -> Metric:
    return _on_scale(
        slug=f"{name}_kappa",
        label=f"{name.capitalize()} kappa",
        phrase=f"{name} kappa",
        short=short,
        formula=rf"1 - \frac{{|S| \sum_{{g,p}} w_{{gp}}\, n_{{gp}}}}"
        rf"{{\sum_{{g,p}} w_{{gp}}\, \mathrm{{prevalence}}_g\, \mathrm{{bias}}_p}}, \quad w_{{gp}} = {weights}",
        explanation=f"Cohen’s kappa in which an error counts by its {'squared ' * (power - 1)}distance on the scale. "
        f"{_FARTHEST} Undefined where gold and predictions are constant on the same label.",
        lower=-1,
        baseline="0, complete",
        source="Cohen 1968",
        kernel=lambda margins: _weighted_kappa(power, margins),
        gradient=lambda margins: _weighted_kappa_slopes(power, margins),
    )


_METRICS = (
    _kappa(1, "linear", "κ lin", "|v_g - v_p|"),
    _kappa(2, "quadratic", "κ²", "(v_g - v_p)^2"),
    _on_scale(
        slug="ordinal_alpha",
        label="Ordinal alpha (Krippendorff)",
        phrase="ordinal alpha",
        short="α",
        formula=r"1 - \frac{2|S| - 1}{2|S|} \cdot \frac{\sum_{g,p} n_{gp}\, (t_g - t_p)^2}{\sum_{c} k_c\, t_c^2}, "
        r"\quad k_c = \mathrm{prevalence}_c + \mathrm{bias}_c, \quad t_c = \frac{\sum_{h<c} k_h - \sum_{h>c} k_h}{2}",
        explanation="Krippendorff’s alpha of two raters, gold and the team, with the ordinal distance: how many labels "
        f"of both lie between two. {_FARTHEST} Undefined where both have one label alone.",
        lower=-1,
        baseline="0 where predictions have gold’s distribution",
        source="Krippendorff 2011",
        kernel=ordinal_alpha,
        gradient=_ordinal_alpha_slopes,
    ),
    _on_scale(
        slug="mae",
        label="Mean absolute error",
        phrase="mean absolute error",
        short="MAE",
        formula=r"\frac{1}{|S|} \sum_{g,p} n_{gp}\, |v_g - v_p|",
        explanation=f"The mean distance from gold on the scale. {_FARTHEST}",
        lower=0,
        upper=math.inf,
        greater_is_better=False,
        baseline="depends on prevalence",
        source="Baccianella et al. 2009",
        kernel=mae,
        gradient=_mae_slopes,
    ),
    _on_scale(
        slug="macro_mae",
        label="Macro mean absolute error",
        phrase="macro mean absolute error",
        short="MacMAE",
        formula=r"\frac{1}{k} \sum_{g} \frac{\sum_{p} n_{gp}\, |v_g - v_p|}{\mathrm{prevalence}_g}",
        explanation=f"The mean over the classes in gold of the mean distance in each. {_FARTHEST}",
        lower=0,
        upper=math.inf,
        greater_is_better=False,
        baseline="that of always answering with a middle label",
        source="Baccianella et al. 2009; SemEval-2016 task 4, subtask C",
        kernel=macro_mae,
        gradient=_macro_mae_slopes,
        averages=True,
        needs_every_class=True,
        moves_with_classes=False,
    ),
    _on_scale(
        slug="within_one",
        label="Within one step",
        phrase="share within one step",
        short="±1",
        formula=r"\frac{1}{|S|} \sum_{|g-p| \le 1} n_{gp}",
        explanation="The share of the items answered with gold’s label or one next to it. An unanswered item is not.",
        baseline="depends on prevalence",
        source="Gaudette & Japkowicz 2009",
        kernel=within_one,
        gradient=_within_one_slopes,
        proportion=_n_near,
    ),
    _on_scale(
        slug="cem",
        label="Closeness (CEM)",
        phrase="closeness evaluation measure",
        short="CEM",
        formula=r"\frac{\sum_{g,p} n_{gp}\, W_{gp}}{\sum_{g} \mathrm{prevalence}_g\, W_{gg}}, \quad W_{gp} = -\log_2 "
        r"\frac{\mathrm{prevalence}_p / 2 + \sum_{h = p \pm 1}^{g} \mathrm{prevalence}_h}{|S|}",
        explanation="How close answers are to gold, as a share of what right answers would give: two labels are the "
        f"closer, the fewer gold items lie between them. {_FARTHEST} Undefined with one class in gold.",
        baseline="depends on prevalence",
        source="Amigó et al. 2020",
        kernel=cem,
        gradient=_cem_slopes,
    ),
    _on_scale(
        slug="tau_b",
        label="Kendall’s τ-b over items",
        phrase="Kendall’s τ-b over items",
        short="τb",
        formula=r"\frac{2\, (\mathrm{concordant} - \mathrm{discordant})}"
        r"{\sqrt{|S|^2 - \sum_{g} \mathrm{prevalence}_g^2}\, \sqrt{|S|^2 - \sum_{p} \mathrm{bias}_p^2}}",
        explanation="The rank correlation of gold and predictions, from pairs of items in the same and in the other "
        f"order. {_FARTHEST} Undefined where one of both is constant.",
        lower=-1,
        baseline="0, complete",
        source="Kendall 1945",
        kernel=tau_b,
        gradient=_tau_b_slopes,
    ),
    _on_scale(
        slug="spearman_labels",
        label="Spearman’s ρ over items",
        phrase="Spearman’s ρ over items",
        short="ρ items",
        formula=r"\mathrm{corr}(\mathrm{rank}\, g,\ \mathrm{rank}\, p), \quad "
        r"\mathrm{rank}\, c = \frac{\sum_{h<c} n_h - \sum_{h>c} n_h}{2}",
        explanation="The correlation of the ranks of gold and predictions, items with one label sharing the mean of "
        f"their ranks. {_FARTHEST} Undefined where one of both is constant.",
        lower=-1,
        baseline="0, complete",
        source="Spearman 1904",
        kernel=spearman_labels,
        gradient=_spearman_slopes,
    ),
)

SCALE_METRICS: Mapping[str, Metric] = {metric.slug: metric for metric in _METRICS}
"""The metrics that evaluations have whose labels are on a scale, by slug."""


@cache
def on_scale(metric: Metric, values: tuple[float, ...]) -> Metric:
    """A metric of labels with these values."""
    kernel, gradient = metric.kernel, metric.gradient
    return replace(
        metric,
        upper=min(metric.upper, values[-1] - values[0]) if math.isinf(metric.upper) else metric.upper,
        kernel=lambda margins: kernel(replace(margins, values=values)),
        gradient=lambda margins: gradient(replace(margins, values=values)),
    )


# Any metric on a scale cut in two


@cache
def cut_metric(metric: Metric, n_below: int, cut: str) -> Metric:
    """A metric of two classes, the labels below a cut of the scale and those above."""
    kernel, gradient, proportion = metric.kernel, metric.gradient, metric.proportion
    return replace(
        metric,
        slug=f"{metric.slug}-cut-{n_below}",
        label=f"{metric.label}, {cut}",
        upper=min(metric.upper, 1),
        kernel=lambda margins: kernel(_cut(margins, n_below)),
        gradient=lambda margins: _uncut(gradient(_cut(margins, n_below)), margins.correct.shape[-1], n_below),
        proportion=proportion and (lambda margins: proportion(_cut(margins, n_below))),
        over="confusions",
        takes="nothing",
        terms="",
        mean_of="",
        weighted_mean_of="",
        harmonic_mean_of=(),
        of_scale=True,
        standard=False,
        votes=False,
        triggers=False,
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
    answers = np.concatenate([gradient.bias, gradient.unanswered[..., None]], axis=-1)
    slopes = _pairwise(gradient.prevalence + gradient.total[..., None], answers)
    slopes = slopes + np.eye(2, 3) * gradient.correct[..., None]
    if gradient.cells is not None:
        slopes = slopes + gradient.cells
    halves = _halves(n_classes, n_below)
    return Gradient.of_cells(slopes[..., halves[:-1, None], halves])


def shown_cut(labels: Sequence[str], n_below: int) -> str:
    """A cut of the scale as names of scores have it: labels of one character side by side.

    >>> shown_cut(["0", "1", "2", "3"], 1), shown_cut(["low", "middle", "high"], 2)
    ('0|123', 'low,middle|high')
    """
    between = "" if all(len(label) == 1 and label.isalnum() for label in labels) else ","
    return f"{between.join(labels[:n_below])}|{between.join(labels[n_below:])}"
