"""Intervals written out cell by cell, in loops and with numerical slopes, to hold the vectorised ones against.

The steps are those of the method's description: pseudo-items, variance by the delta method, an effective number of
items, Wilson's interval. Nothing here is of the engine but the scores themselves.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from audit.domain import OBSERVED, ScoreKey
from audit.metrics import margins_at, metric_name, named_metric, score, score_margins, terms_of


def pseudo_items(x, everywhere=False):  # noqa: FBT002 - as it is done
    """E, the pseudo-items of every cell; of classes that are never predicted only where they are wanted everywhere."""
    n_classes = len(x)
    gold, answers, hits = x.sum(axis=1), x.sum(axis=0), np.diagonal(x)
    there = [j for j in range(n_classes) if gold[j] and (answers[j] or everywhere)]
    total = sum(1 / gold[j] for j in there)
    e = np.zeros(x.shape)
    for j in there:
        kappa = 1 + 4 * (1 / gold[j]) / total
        e[j, j] += kappa / 2
        others = sum(answers[p] for p in range(n_classes + 1) if p != j)
        for p in range(n_classes + 1):
            if p != j and others:
                e[j, p] += kappa / 4 * answers[p] / others
        errors = sum(gold[g] - hits[g] for g in range(n_classes) if g != j)
        rest = sum(gold[g] for g in range(n_classes) if g != j)
        for g in range(n_classes):
            if g != j and errors:
                e[g, j] += kappa / 4 * (gold[g] - hits[g]) / errors
            elif g != j and rest:
                e[g, j] += kappa / 4 * gold[g] / rest
    return e


def smoothed(x, everywhere=False):  # noqa: FBT002 - as it is done
    """Items and pseudo-items of every cell, and the factor by which each row grew."""
    e, gold = pseudo_items(x, everywhere), x.sum(axis=1)
    return x + e, np.array(
        [1 + row.sum() / n if n else 1.0 for row, n in zip(e, gold, strict=True)]
    )


def value(x, key, prevalence, label_set):
    """A score of one confusion."""
    return float(score(x[None], [key], [prevalence], label_set)[0, 0])


def slopes(x, key, prevalence, label_set):
    """Numerical derivatives of a score in the cells that hold something, by differences of the fourth order."""
    found, cells = np.zeros(x.shape), np.argwhere(x > 0)
    step = 1e-3 * x[tuple(cells.T)]

    def moved(times):
        stack = np.repeat(x[None].astype(float), len(cells), axis=0)
        stack[np.arange(len(cells)), cells[:, 0], cells[:, 1]] += times * step
        return score(stack, [key], [prevalence], label_set)[0]

    found[tuple(cells.T)] = (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * step)
    return found


def around_the_class(psi, x):
    """Influence measured from the mean of each class, where class counts are fixed."""
    found = psi.copy()
    for number, counts in enumerate(x):
        if counts.sum():
            found[number] -= (found[number] * counts).sum() / counts.sum()
    return found


def wilson(share, n_items, quantile):
    """The two shares from which the observed one is as far as the quantile says, by the roots of the quadratic."""
    if math.isinf(n_items):
        return share, share
    weight = quantile**2 / n_items
    low, high = sorted(np.roots([1 + weight, -(2 * share + weight), share**2]).real)
    return min(low, share), max(high, share)


def share_ends(share, n_items, quantile):
    """Wilson's, and on the side where two or three items are the exact one-sided end of Poisson's distribution.

    Three where there are more than 50 items (Brown, Cai and DasGupta 2001).
    """
    lower, upper = wilson(share, n_items, quantile)
    most, level = 3 if n_items > 50 else 2, 2 * stats.norm.sf(quantile)
    hits, misses = share * n_items, (1 - share) * n_items
    if 1e-9 < hits < most + 1e-9:
        lower = min(lower, stats.chi2.ppf(level, 2 * hits) / 2 / n_items)
    if 1e-9 < misses < most + 1e-9:
        upper = max(upper, 1 - stats.chi2.ppf(level, 2 * misses) / 2 / n_items)
    return lower, upper


def leverage(key, prevalence, label_set, items):
    """The share of a score that is each group's, item by item."""
    gold, answers, groups = items
    named = named_metric(key.metric, label_set)
    if named.parts:
        parts = [
            leverage(ScoreKey(term.name, key.prevalence), prevalence, label_set, items)
            for term in terms_of(key.metric)
        ]
        return {
            group: np.average([part[group] for part in parts], weights=named.weights)
            for group in set(groups)
        }
    counts = np.bincount(gold, minlength=len(label_set))
    target = {label_set.code_of[label]: share for label, share in prevalence.shares}
    if prevalence is OBSERVED:
        masses = counts / counts.sum()
    else:
        masses = np.array([target.get(g, 0.0) if target else 1.0 for g in range(len(counts))]) * (
            counts > 0
        )
    slug, own = named.metric.slug, named.codes[0] if named.metric.takes == "class" else None
    parts = dict.fromkeys(groups, 0.0)
    kept = [
        (g, p, group) for g, p, group in zip(gold, answers, groups, strict=True) if p <= len(counts)
    ]
    here = np.bincount([g for g, *_ in kept], minlength=len(counts))
    if slug in CLASS_SHARES:
        for g, p, group in kept:
            weight = 1 if prevalence is OBSERVED else masses[g] / here[g]
            parts[group] += weight * CLASS_SHARES[slug](g == own, p == own)
    else:
        averaged = [j for j in ((own is None and named.codes) or range(len(counts))) if counts[j]]
        alike = named.metric.needs_every_class
        for g, group in zip(gold, groups, strict=True):
            if g in averaged:
                parts[group] += (1 if alike else masses[g]) / counts[g]
    whole = sum(parts.values())
    return {group: part / whole if whole else 0.0 for group, part in parts.items()}


CLASS_SHARES = {
    "recall": lambda is_gold, _: is_gold,
    "specificity": lambda is_gold, _: not is_gold,
    "precision": lambda _, is_given: is_given,
    "f1": operator.or_,
    "jaccard": operator.or_,
}
"""Which items the score of a class is a share of."""


def design_effect(psi, gold, answers, groups, shares):
    """By how much groups blow up a variance: item by item, group by group, as if each were left out."""
    by_item, by_group = 0.0, {}
    for g, p, group in zip(gold, answers, groups, strict=True):
        if p <= len(psi):  # beyond are dropped items
            by_item += psi[g, p] ** 2
            by_group[group] = by_group.get(group, 0.0) + psi[g, p]
    if max(shares.values()) > 1 - 1e-9:
        return float(len(gold))
    moved = sum((total / (1 - shares[group])) ** 2 for group, total in by_group.items())
    return max(1.0, moved / by_item if by_item > 1e-18 else 1.0)


def quantile_of(groups):
    """Of the normal, or of Student's distribution with one degree of freedom fewer than groups."""
    return stats.norm.ppf(0.975) if groups is None else stats.t.ppf(0.975, len(set(groups)) - 1)


def quantile_of_score(key, prevalence, label_set, items):
    """Of a score: Student's, of one of all classes with one degree of freedom fewer than the groups are worth.

    They are worth as many groups of one size; at least two degrees, and no more than there are groups less one.
    """
    if items is None or named_metric(key.metric, label_set).metric.takes == "class":
        return quantile_of(items and items[2])
    shares = leverage(key, prevalence, label_set, items).values()
    n_groups = len(shares)
    freedom = 1 / sum(share**2 for share in shares) - 1 if sum(shares) else 0.0
    return stats.t.ppf(0.975, min(max(freedom, 2), n_groups - 1))


def interval(x, key, prevalence, label_set, items=None, stratified=False):  # noqa: FBT002, PLR0913, PLR0917 - as it is done
    """The interval of one score of one team, whether marked or not.

    ``items`` are gold, answers and groups of all items, where they come in groups.
    """
    metric = named_metric(key.metric, label_set)
    design = effect_of(x, key, prevalence, label_set, items)
    quantile = quantile_of_score(key, prevalence, label_set, items)
    observed = value(x, key, prevalence, label_set)
    if metric.metric.slug in ("geometric_macro_recall", "harmonic_macro_recall") and observed == 0:
        return 0.0, above_zero(x, label_set, items)
    own = metric.codes[0] if metric.metric.takes == "class" else None
    if own is not None and (metric.metric.slug == "recall" or prevalence is OBSERVED):
        return of_a_class(x, metric.metric.slug, own, design, quantile)
    if own is not None and (x[:, own].sum() < 5 or answers_one_class(x)):
        return by_hits_and_alarms(x, metric.metric.slug, own, prevalence, label_set, items)
    if metric.metric.slug == "accuracy" and prevalence is OBSERVED:
        return share_ends(observed, max(1, x.sum() / design), quantile)
    low, width = (-1, 2) if metric.metric.slug in ("kappa", "mcc") else (0, 1)
    share = (observed - low) / width
    n_items = effective(x, key, prevalence, label_set, (share, low, width), stratified=stratified)
    n_items = max(1, n_items / design)
    ends = wilson(share, n_items, quantile)
    usual = low + width * ends[0], low + width * ends[1]
    if metric.metric.slug in ("geometric_macro_recall", "harmonic_macro_recall"):
        usual = (
            min(usual[0], with_few_hits(x, metric.metric.slug, observed, label_set, items)),
            usual[1],
        )
    moved = with_seldom(x, key, prevalence, label_set, items, stratified)
    return (min(usual[0], moved[0]), max(usual[1], moved[1])) if moved else usual


def effective(x, key, prevalence, label_set, mapped, *, stratified):  # noqa: PLR0913 - of what, and how
    """Number of items for which a proportion would vary as the score does."""

    def of_key(at):
        return value(at, key, prevalence, label_set)

    return effective_of(
        x, of_key, mapped, stratified, lambda at: slopes(at, key, prevalence, label_set)
    )


def effective_of(x, function, mapped, stratified, slopes_at):
    """Likewise of any function of a confusion; one class answered: with pseudo-items everywhere if it cannot vary."""
    share, low, width = mapped
    for everywhere in (False, True) if answers_one_class(x) else (False,):
        mass, grown = smoothed(x, everywhere)
        there = mass / grown[:, None]
        psi = slopes_at(there)
        psi = around_the_class(psi, mass) if stratified else psi
        variance = (mass * psi**2).sum() / width**2
        at = (function(there) - low) / width
        if variance * x.sum() > 1e-6 * max(at * (1 - at), 1e-12):
            return max(1, at * (1 - at) / variance)
        if min(share, 1 - share) < 1e-12:
            return x.sum()
    return math.inf


def answers_one_class(x):
    """Whether a team predicts one class only, beside what it leaves unanswered."""
    return (x.sum(axis=0)[:-1] > 0).sum() == 1


def effect_of(x, key, prevalence, label_set, items):
    """Design effect of a score, with the influence of the items as they are."""
    if items is None:
        return 1.0
    shares = leverage(key, prevalence, label_set, items)
    return design_effect(slopes(x, key, prevalence, label_set), *items, shares)


def of_a_class(x, slug, code, design, quantile):
    """Wilson's interval of a recall or precision; that of F1 from the share of what is gold or predicted."""
    gold, answers, hits = x[code].sum(), x[:, code].sum(), x[code, code]
    trials = {"recall": gold, "precision": answers, "f1": gold + answers - hits}[slug]
    if not trials:
        return 0.0, 1.0
    ends = share_ends(hits / trials, max(1, trials / design), quantile)
    return tuple(2 * end / (1 + end) for end in ends) if slug == "f1" else ends


# Classes that are seldom or never predicted

CLASS_SCORES = {
    "precision": lambda hits, _, false: hits / (hits + false) if hits + false else 0.0,
    "f1": lambda hits, gold, false: 2 * hits / (hits + false + gold),
}
MEANS = {"averaged_f1": "f1", "macro_precision": "precision", "weighted_f1": "f1"}


def calibrated(x, prevalence, label_set):
    """A confusion whose rows have the masses of a class distribution."""
    gold = x.sum(axis=1)
    if prevalence is OBSERVED:
        return x.astype(float)
    target = {label_set.code_of[label]: share for label, share in prevalence.shares}
    masses = [(target.get(g, 0.0) if target else 1.0) if gold[g] else 0.0 for g in range(len(x))]
    return np.array(
        [row * mass / n if n else row * 0.0 for row, mass, n in zip(x, masses, gold, strict=True)]
    )


def class_score(slug, y, code):
    """Precision or F1 of a class of a confusion, counts or masses."""
    return CLASS_SCORES[slug](y[code, code], y[code].sum(), y[:, code].sum() - y[code, code])


def by_hits_and_alarms(x, slug, code, prevalence, label_set, items):  # noqa: PLR0913, PLR0917 - of what
    """Ends of a class score at a class distribution: right and false answers moved to the ends of their shares."""
    y, others = calibrated(x, prevalence, label_set), [g for g in range(len(x)) if g != code]
    n_others, n_false = x[others].sum(), x[others, code].sum()

    def ends_of(name, hits, trials):
        key = ScoreKey(metric_name(name, (code,), label_set))
        design = effect_of(x, key, OBSERVED, label_set, items)
        quantile = quantile_of_score(key, OBSERVED, label_set, items)
        return share_ends(hits / trials, max(1, trials / design), quantile)

    mass, false = y[code].sum(), y[others, code].sum()
    at = class_score(slug, y, code)
    moved = [
        CLASS_SCORES[slug](end * mass, mass, false)
        for end in ends_of("recall", x[code, code], x[code].sum())
    ]
    if n_others:
        usual = y[others].sum() / n_others
        own = false / n_false if n_false else usual
        low, high = ends_of("specificity", n_others - n_false, n_others)
        moved.append(
            CLASS_SCORES[slug](y[code, code], mass, (1 - high) * n_others * min(own, usual))
        )
        moved.append(
            CLASS_SCORES[slug](y[code, code], mass, (1 - low) * n_others * max(own, usual))
        )
    down = math.hypot(*(min(each - at, 0) for each in moved))
    up = math.hypot(*(max(each - at, 0) for each in moved))
    return max(at - down, 0.0), min(at + up, 1.0)


def harmonic(precision, recall):
    """F1 of two means."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def numerical(function, x):
    """Slopes of any function of a confusion in its cells that hold something."""
    found = np.zeros(x.shape)
    for place in map(tuple, np.argwhere(x > 0)):
        step, values = 1e-3 * x[place], []
        for times in (1, -1, 2, -2):
            moved = x.astype(float).copy()
            moved[place] += times * step
            values.append(function(moved))
        found[place] = (8 * (values[0] - values[1]) - (values[2] - values[3])) / (12 * step)
    return found


@dataclass
class Moved:
    """A score with its seldom predicted classes held, as a function, its range, and how far each of them goes."""

    function: Callable
    range: tuple[float, float]
    down: dict
    up: dict
    together: float = 0.0
    unseen: float = 0.0


def moves_of(x, key, prevalence, label_set, items):
    """What the seldom predicted classes of a score leave open; None where there are none."""
    metric, answers = named_metric(key.metric, label_set), x.sum(axis=0)
    slug = metric.metric.slug
    averaged = [j for j in (metric.codes or range(len(x))) if x[j].sum()]
    seldom = [j for j in averaged if answers[j] < 5]
    if (
        not seldom
        or slug not in {*MEANS, "f1_of_averages"}
        or (slug == "weighted_f1" and prevalence is OBSERVED)
    ):
        return None
    y, of_class = calibrated(x, prevalence, label_set), MEANS.get(slug, "precision")
    masses = {j: y[j].sum() if slug == "weighted_f1" else 1.0 for j in averaged}
    weights = {j: mass / sum(masses.values()) for j, mass in masses.items()}
    held = sum(weights[j] * class_score(of_class, y, j) for j in seldom)
    kept = sum(weights[j] for j in averaged if j not in seldom)

    def whole(z, by=0.0, recalls=0.0):
        z = calibrated(z, prevalence, label_set)
        mean = (
            held
            + by
            + sum(weights[j] * class_score(of_class, z, j) for j in averaged if j not in seldom)
        )
        if slug in MEANS:
            return mean
        return harmonic(mean, recalls + sum(z[j, j] / z[j].sum() for j in averaged) / len(averaged))

    moved = Moved(
        whole, (held, held + kept) if slug in MEANS else (0.0, harmonic(held + kept, 1.0)), {}, {}
    )
    precisions = recalls = 0.0
    for j in seldom:
        least, most = ends_of_class(x, of_class, j, prevalence, label_set, items)
        at = class_score(of_class, y, j)
        moved.down[j] = whole(x) - whole(x, weights[j] * (least - at))
        moved.up[j] = whole(x, weights[j] * (most - at)) - whole(x)
        if of_class == "f1" and not x[j, j]:
            moved.together += moved.up.pop(j)
        elif of_class == "precision" and not answers[j]:
            moved.up.pop(j)
            precisions += weights[j]
            recalls += ends_of_class(x, "recall", j, prevalence, label_set, items)[1] / len(
                averaged
            )
    moved.unseen = whole(x, precisions, recalls) - whole(x)
    return moved


def ends_of_class(x, slug, code, prevalence, label_set, items):  # noqa: PLR0913, PLR0917 - of what
    """The interval of the score of a class that is seldom predicted."""
    if prevalence is not OBSERVED and slug != "recall":
        return by_hits_and_alarms(x, slug, code, prevalence, label_set, items)
    key = ScoreKey(metric_name(slug, (code,), label_set))
    design = effect_of(x, key, OBSERVED, label_set, items)
    return of_a_class(x, slug, code, design, quantile_of_score(key, OBSERVED, label_set, items))


def ends_with_held(x, function, bounds, design, quantile, stratified=False):  # noqa: FBT002, PLR0913, PLR0917 - as it is done
    """How far the ends are from a score in which some classes are held."""
    low, width = bounds[0], bounds[1] - bounds[0]
    if width <= 0:
        return 0.0, 0.0
    share = min(max((function(x) - low) / width, 0.0), 1.0)
    n_items = effective_of(
        x, function, (share, low, width), stratified, lambda z: numerical(function, z)
    )
    ends = wilson(share, max(1, n_items / design), quantile)
    return width * (share - ends[0]), width * (ends[1] - share)


def with_seldom(x, key, prevalence, label_set, items, stratified):  # noqa: PLR0913, PLR0917 - of what, and how
    """The interval of a score with its seldom predicted classes moved; None where there are none."""
    moved = moves_of(x, key, prevalence, label_set, items)
    if moved is None:
        return None
    design = effect_of(x, key, prevalence, label_set, items)
    quantile = quantile_of_score(key, prevalence, label_set, items)
    below, above = ends_with_held(x, moved.function, moved.range, design, quantile, stratified)
    at = moved.function(x)
    upper = at + math.hypot(above, moved.together, *moved.up.values()) + moved.unseen
    return max(at - math.hypot(below, *moved.down.values()), 0.0), min(upper, 1.0)


def above_zero(x, label_set, items):
    """Upper end of a geometric mean of recalls of which one is 0: by MOVER on the logarithms."""
    logs, root, n_averaged = 0.0, 0.0, 0
    for code, row in enumerate(x):
        if not row.sum():
            continue
        n_averaged += 1
        key = recall_key(code, label_set)
        _, upper = interval(x, key, OBSERVED, label_set, items)
        if x[code, code]:
            recall = x[code, code] / row.sum()
            logs += math.log(recall)
            root += (math.log(upper) - math.log(recall)) ** 2
        else:
            logs += math.log(upper)
    return math.exp((logs + math.sqrt(root)) / n_averaged)


def with_few_hits(x, slug, observed, label_set, items):
    """Lower end of a product of recalls by MOVER over those of at most three hits."""
    recalls = {code: x[code, code] / row.sum() for code, row in enumerate(x) if row.sum()}
    mean = {"geometric_macro_recall": stats.gmean, "harmonic_macro_recall": stats.hmean}[slug]
    steps = []
    for code in recalls:
        if 0 < x[code, code] <= 3:
            end = interval(x, recall_key(code, label_set), OBSERVED, label_set, items)[0]
            steps.append(observed - mean(list({**recalls, code: end}.values())))
    return max(observed - math.hypot(*steps), 0.0)


def recall_key(code, label_set):
    """The recall of a class."""
    return ScoreKey(metric_name("recall", (code,), label_set))


def mark(x, key, label_set):
    """Why a score has no interval, or a rough one."""
    metric = named_metric(key.metric, label_set)
    slug, observed = metric.metric.slug, key.prevalence == OBSERVED.name
    gold = x.sum(axis=1)
    if metric.metric.takes == "class":
        return ""
    averaged = [j for j in (metric.codes or range(len(x))) if gold[j]]
    rare = any(gold[j] < 5 for j in averaged)
    over_precisions = slug in ("macro_precision", "averaged_f1", "f1_of_averages")
    over_precisions |= slug == "weighted_f1" and not observed
    averages = over_precisions or slug.endswith("macro_recall") or not observed
    if rare and (
        slug in ("geometric_macro_recall", "harmonic_macro_recall")
        or (averages and len(averaged) >= 20)
    ):
        return "rare-class"
    products = slug in ("geometric_macro_recall", "harmonic_macro_recall")
    if products and len(averaged) >= 20 and any(x[j, j] < len(averaged) / 2 for j in averaged):
        return "few-hits"
    return ""


def item_values(psi, gold, given):
    """Influence of every item's answer; 0 for those that were dropped."""
    return np.array([psi[g, p] if p <= len(psi) else 0.0 for g, p in zip(gold, given, strict=True)])


def by_unit(values, groups):
    """Sums over the items of each group; the items themselves where there are none."""
    if groups is None:
        return values
    return np.array([values[groups == group].sum() for group in sorted(set(groups))])


WHOLE = ("accuracy", "weighted_f1", "kappa", "mcc")


def null_variance(x, y, key, prevalence, label_set, *, stratified):  # noqa: PLR0913 - of what, and how
    """Variance of a difference if both were equally good, by rows or by columns, whichever is more."""
    mean = (x + y) / 2
    psi = slopes(mean, key, prevalence, label_set)
    psi = around_the_class(psi, mean) if stratified else psi
    q = psi * (x - y)
    rows = sum(row.sum() ** 2 / n for row, n in zip(q, mean.sum(axis=1), strict=True) if n)
    columns = sum(
        column.sum() ** 2 / n for column, n in zip(q.T, mean.sum(axis=0), strict=True) if n
    )
    return max(rows, columns)


DIVIDED_BY_ANSWERS = ("precision", "macro_precision", "averaged_f1", "f1_of_averages", "mcc")


def few_answers_variance(x, y, key, prevalence, label_set):
    """Of classes that one of two teams answers fewer than 10 times, what this leaves open of their precision."""
    slug = named_metric(key.metric, label_set).metric.slug
    if slug not in DIVIDED_BY_ANSWERS:
        return 0.0
    at = [margins_at(each[None].astype(float), prevalence, label_set) for each in (x, y)]
    between = margins_at((x + y)[None] / 2, prevalence, label_set)

    def scored(code, right, given):
        correct, bias = between.correct.copy(), between.bias.copy()
        correct[0, code], bias[0, code] = right, given
        return score_margins(key.metric, replace(between, correct=correct, bias=bias), label_set)[0]

    found = 0.0
    for code in range(len(x)):
        counts = [each.sum(axis=0)[code] for each in (x, y)]
        given = [count for count in counts if count]
        if given and min(given) < 10:
            own = [scored(code, each.correct[0, code], each.bias[0, code]) for each in at]
            rare = at[counts.index(min(given))].bias[0, code]
            most = abs(scored(code, rare, rare) - scored(code, 0.0, rare))
            found += float(np.nan_to_num(min(abs(own[0] - own[1]), most))) ** 2 / min(given)
    return found


def class_parts(t, b, n, slug, classes):
    """The part of each class in a score that is made of class scores; None of a score of all items alike."""
    k, parts = len(classes), np.zeros(len(n))
    mean = {
        name: sum(BY_ANSWERS[name](t[j], b[j], n[j]) for j in classes) / k for name in BY_ANSWERS
    }
    for j in classes:
        of_class = {name: BY_ANSWERS[name](t[j], b[j], n[j]) for name in BY_ANSWERS}
        if slug in BY_ANSWERS:
            parts[j] = of_class[slug]
        elif slug in ("macro_recall", "macro_precision", "averaged_f1"):
            parts[j] = (
                of_class[
                    {"macro_recall": "recall", "macro_precision": "precision", "averaged_f1": "f1"}[
                        slug
                    ]
                ]
                / k
            )
        elif slug == "weighted_f1":
            parts[j] = n[j] * of_class["f1"] / n.sum()
        elif slug == "f1_of_averages":
            precision, recall = mean["precision"], mean["recall"]
            both = 2 * recall**2 * of_class["precision"] + 2 * precision**2 * of_class["recall"]
            parts[j] = both / (precision + recall) ** 2 / k if precision + recall else 0.0
        else:
            return None
    return parts


BY_ANSWERS = {
    "recall": lambda t, b, n: t / n if n else 0.0,  # noqa: ARG005 - one form for all
    "precision": lambda t, b, n: t / b if b else 0.0,  # noqa: ARG005
    "f1": lambda t, b, n: 2 * t / (n + b) if n + b else 0.0,
}


def group_sums(x, given, key, prevalence, label_set, *, stratified=False):  # noqa: PLR0913 - of what
    """What each group has of a score in both ways, and the share of gold's part that is its, group by group."""
    gold, answers, groups = given
    named, names = named_metric(key.metric, label_set), sorted(set(groups.tolist()))
    own = named.codes[0] if named.metric.takes == "class" else None
    at = margins_at(x[None].astype(float), prevalence, label_set)
    t, b, n, u = at.correct[0], at.bias[0], at.prevalence[0], at.unanswered[0]
    scale = [n[g] / x[g].sum() if x[g].sum() else 0.0 for g in range(len(x))]

    def scored(**changed):
        return score_margins(key.metric, replace(at, **changed), label_set)[0]

    def slope(name, code=None):
        """By a central difference; 0 where a class is never predicted, whose slope is none."""
        counts = np.atleast_1d(getattr(at, name)).astype(float).reshape(-1)
        size = counts[code or 0]
        if size == 0:
            return 0.0 if name != "correct" else _slope_at_0(at, code, scored)
        step = 1e-4 * size
        ends = []
        for sign in (1, -1, 2, -2):
            moved = counts.copy()
            moved[code or 0] += sign * step
            ends.append(scored(**{name: moved[None] if code is not None else moved}))
        return (8 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12 * step)

    in_correct, in_bias = ([slope(name, j) for j in range(len(x))] for name in ("correct", "bias"))
    # written out: of constant answers it is 0 by rule, whatever moves
    if named.metric.slug == "kappa":
        total, chance = n.sum(), (n * b).sum()
        in_correct = [total / (total**2 - chance)] * len(x)
        in_bias = [
            -n[j] * total * (total - t.sum()) / (total**2 - chance) ** 2 for j in range(len(x))
        ]
    in_unanswered = slope("unanswered")
    averaged = [j for j in (named.codes or range(len(x))) if n[j]]
    whole, parts = scored(), class_parts(t, b, n, named.metric.slug, averaged)
    of_answers = np.array([in_correct[j] * t[j] + in_bias[j] * b[j] for j in range(len(x))])
    psi = slopes(x, key, prevalence, label_set)
    psi = around_the_class(psi, x) if stratified else psi
    first, second, shares = [], [], []
    for group in names:
        inside = [(g, p) for g, p, each in zip(gold, answers, groups, strict=True) if each == group]
        here = [sum(g == j for g, _ in inside) / max(x[j].sum(), 1) for j in range(len(x))]
        if own is not None:
            share = here[own]
        elif named.metric.needs_every_class:
            share = sum(here[j] for j in averaged) / len(averaged)
        else:
            share = sum(scale[g] for g, _ in inside) / n.sum()
        shares.append(share)
        first.append(sum(psi[g, p] for g, p in inside) + whole * share)
        right = sum(scale[g] * in_correct[g] for g, p in inside if g == p)
        said = sum(scale[g] * (in_bias[p] if p < len(x) else in_unanswered) for g, p in inside)
        if parts is None:
            rest = (whole - of_answers.sum() - in_unanswered * u) * share
        else:
            rest = sum((parts[j] - of_answers[j]) * here[j] for j in range(len(x)))
        second.append(right + said + rest)
    return np.array(first), np.array(second), np.array(shares)


def _slope_at_0(at, code, scored):
    """The slope in right answers of a class without any, from above; 0 where it is never predicted."""
    if not at.bias[0, code]:
        return 0.0
    moved, step = at.correct.astype(float), 1e-7 * at.bias[0, code]
    moved[0, code] = step
    return (scored(correct=moved) - scored()) / step


def beyond_groups(x, y, key, prevalence, label_set, *, stratified):  # noqa: PLR0913 - of what, and how
    """The variance of a difference beside that of what groups add to it."""
    few = few_answers_variance(x, y, key, prevalence, label_set)
    if named_metric(key.metric, label_set).metric.slug in (
        "geometric_macro_recall",
        "harmonic_macro_recall",
    ):
        few += null_variance(x, y, key, prevalence, label_set, stratified=stratified)
    return few


def differences_of_groups(confusions, items, key, prevalence, label_set, *, stratified=False):  # noqa: PLR0913 - of what, and how
    """The variance of every difference from what each group adds to it, in the way that is larger, and its spread."""
    gold, teams, groups = items
    sums = [
        group_sums(x, (gold, given, groups), key, prevalence, label_set, stratified=stratified)
        for x, given in zip(confusions, teams, strict=True)
    ]
    spread, error = np.zeros((2, len(teams), len(teams)))
    for a, b in np.ndindex(error.shape):
        squares = [((sums[a][way] - sums[b][way]) ** 2).sum() for way in (0, 1)]
        if squares[1] > 1e-14:
            beyond = beyond_groups(
                confusions[a], confusions[b], key, prevalence, label_set, stratified=stratified
            )
            spread[a, b], error[a, b] = math.sqrt(squares[1]), math.sqrt(max(squares) + beyond)
    return spread, error


def differences(confusions, items, key, prevalence, label_set, *, stratified=False):  # noqa: PLR0913 - of what, and how
    """Covariance of the scores by unit, and the standard error of every difference, shape (T, T) each."""
    gold, teams, groups = items
    psi = [slopes(x, key, prevalence, label_set) for x in confusions]
    psi = [
        around_the_class(each, x) if stratified else each
        for each, x in zip(psi, confusions, strict=True)
    ]
    alone = np.array(
        [item_values(each, gold, given) for each, given in zip(psi, teams, strict=True)]
    )
    if groups is not None:
        of_teams = [leverage(key, prevalence, label_set, (gold, given, groups)) for given in teams]
        shares = np.mean(
            [[each[group] for group in sorted(set(groups))] for each in of_teams], axis=0
        )
        together = np.array([by_unit(each, groups) for each in alone]) / (1 - shares)
        _, error = differences_of_groups(
            confusions, items, key, prevalence, label_set, stratified=stratified
        )
        return together @ together.T, error
    error = np.zeros((len(teams),) * 2)
    for a, b in np.ndindex(error.shape):
        by_item = ((alone[a] - alone[b]) ** 2).sum()
        x, y = confusions[a], confusions[b]
        square = (value(x, key, prevalence, label_set) - value(y, key, prevalence, label_set)) ** 2
        if max(by_item, square) < 1e-18:
            continue
        if key.metric in WHOLE and prevalence is OBSERVED:
            null = square / (len(gold) if by_item > 1e-18 else np.abs(x - y).sum() / 2)
        else:
            null = null_variance(x, y, key, prevalence, label_set, stratified=stratified)
        null += few_answers_variance(x, y, key, prevalence, label_set)
        error[a, b] = math.sqrt(by_item + null)
    return alone @ alone.T, error
