"""Made-up metrics that no file of the project knows: over single cells, better the lower, or both."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import numpy as np

from audit.metrics import METRICS, Gradient, Margins, Metric, registered
from audit.metrics.confusion import over_classes


@contextmanager
def all_registered(metrics: Iterable[Metric]) -> Iterator[None]:
    """Several further metrics, of which some may be registered already."""
    with ExitStack() as stack:
        for metric in metrics:
            if metric.slug not in METRICS:
                stack.enter_context(registered(metric))
        yield


def made_up(slug, **declared):
    """A metric with words that nobody reads for their meaning."""
    words = {
        "label": slug.replace("_", " ").capitalize(),
        "phrase": slug.replace("_", " "),
        "short": slug[:5],
        "formula": r"\sum_{i} x_i",
        "explanation": "Made up for a test.",
        "baseline": "unknown",
        "source": "a test",
    }
    return Metric(slug=slug, **{"lower": 0, "upper": 1, **words, **declared})


# Scales: the order of the labels


def distances(n_classes):
    """How far an answer is from the label, 1 at most: as far as an unanswered item."""
    codes = np.arange(n_classes)
    apart = np.abs(codes[:, None] - codes) / max(1, n_classes - 1)
    return np.concatenate([apart, np.ones((n_classes, 1))], axis=1)


def _apart(margins):
    return distances(margins.correct.shape[-1])


def absolute_error(margins):
    """Mean distance over the items."""
    return np.einsum("...gp,gp->...", margins.confusion, _apart(margins)) / margins.total


def absolute_error_slopes(margins):
    """(d − score)/N."""
    score = absolute_error(margins)[..., None, None]
    return Gradient.of_cells((_apart(margins) - score) / margins.total[..., None, None])


def _class_errors(margins):
    sums = np.einsum("...gp,gp->...g", margins.confusion, _apart(margins))
    return np.divide(
        sums, margins.prevalence, out=np.zeros(sums.shape), where=margins.prevalence > 0
    )


def macro_absolute_error(margins):
    """Mean over the classes of the mean distance in each (SemEval-2016 task 4, subtask C)."""
    n_averaged = over_classes(margins.averaged)
    sums = over_classes(_class_errors(margins), margins.averaged)
    return np.where(n_averaged > 0, sums / np.maximum(n_averaged, 1), np.nan)


def macro_absolute_error_slopes(margins):
    """(d − score of the class)/(k n)."""
    share = margins.averaged / np.maximum(over_classes(margins.averaged), 1)[..., None]
    each = np.divide(
        share, margins.prevalence, out=np.zeros(share.shape), where=margins.prevalence > 0
    )
    return Gradient.of_cells(
        (_apart(margins) - _class_errors(margins)[..., None]) * each[..., None]
    )


def quadratic_kappa(margins):
    """1 − N Σ w x / Σ w n b, with squared distances: of cells and of margins."""
    weights = _apart(margins) ** 2
    answers = np.concatenate([margins.bias, margins.unanswered[..., None]], axis=-1)
    seen = np.einsum("...gp,gp->...", margins.confusion, weights)
    by_chance = np.einsum("...g,gp,...p->...", margins.prevalence, weights, answers)
    return 1 - margins.total * seen / by_chance


def quadratic_kappa_slopes(margins):
    """In a cell −N w/e, and in n, b, u and N by what each does to N s/e."""
    weights = _apart(margins) ** 2
    answers = np.concatenate([margins.bias, margins.unanswered[..., None]], axis=-1)
    seen = np.einsum("...gp,gp->...", margins.confusion, weights)
    by_chance = np.einsum("...g,gp,...p->...", margins.prevalence, weights, answers)
    in_chance = (margins.total * seen / by_chance**2)[..., None]
    by_answer = in_chance * np.einsum("...g,gp->...p", margins.prevalence, weights)
    return Gradient(
        correct=np.zeros(margins.correct.shape),
        bias=by_answer[..., :-1],
        prevalence=in_chance * np.einsum("gp,...p->...g", weights, answers),
        unanswered=by_answer[..., -1],
        total=-seen / by_chance,
        cells=-(margins.total / by_chance)[..., None, None] * weights,
    )


LOWER_OVER_CELLS = {"over": "confusions", "greater_is_better": False}

ABSOLUTE_ERROR = made_up(
    "absolute_error",
    kernel=absolute_error,
    gradient=absolute_error_slopes,
    needs_every_class=False,
    **LOWER_OVER_CELLS,
)
MACRO_ABSOLUTE_ERROR = made_up(
    "macro_absolute_error",
    kernel=macro_absolute_error,
    gradient=macro_absolute_error_slopes,
    takes="classes",
    terms="recalls",
    **LOWER_OVER_CELLS,
)
QUADRATIC_KAPPA = made_up(
    "made_up_quadratic_kappa",
    kernel=quadratic_kappa,
    gradient=quadratic_kappa_slopes,
    over="confusions",
    lower=-1,
)


# What metrics of the registry are, upside down


def miss_rate(margins):
    """Share of the items of each class that are not answered right; undefined where gold has none."""
    return 1 - METRICS["recall"].kernel(margins)


MACRO_MISS_RATE = replace(
    METRICS["macro_recall"],
    slug="macro_miss_rate",
    label="Macro miss rate",
    phrase="macro miss rate",
    short="MacMiss",
    kernel=lambda margins: 1 - METRICS["macro_recall"].kernel(margins),
    gradient=lambda margins: _turned(METRICS["macro_recall"].gradient(margins)),
    greater_is_better=False,
)
"""One over margins, better the lower, with properties: those of macro recall."""


def turned(metric: Metric) -> Metric:
    """The same metric upside down, and over confusions where it scores whole submissions.

    Whatever is said of ranks and differences must be as by the metric itself.
    """
    cells = metric.takes != "class"

    def seen(margins: Margins) -> Margins:
        if not cells:
            return margins
        found = Margins.of(margins.confusion, margins.averaged)
        return replace(found, undefined=margins.undefined, f1_undefined=margins.f1_undefined)

    def gradient(margins: Margins) -> Gradient:
        slopes = _turned(metric.gradient(seen(margins)))
        return _in_cells(slopes) if cells else slopes

    return replace(
        metric,
        slug=f"turned_{metric.slug}",
        label=f"Turned {metric.label}",
        phrase=f"turned {metric.phrase}",
        short=f"T{metric.short}",
        kernel=lambda margins: metric.lower + metric.upper - metric.kernel(seen(margins)),
        gradient=gradient,
        over="confusions" if cells else "margins",
        greater_is_better=False,
        properties=None,
        proportion=metric.proportion and (lambda margins: _missed(*metric.proportion(margins))),
        from_proportion=lambda ratio: 1 - metric.from_proportion(1 - ratio),
    )


def _turned(slopes: Gradient) -> Gradient:
    parts = (slopes.correct, slopes.bias, slopes.prevalence, slopes.unanswered, slopes.total)
    return Gradient(*(-part for part in parts))


def _missed(successes, trials):
    return trials - successes, trials


def _in_cells(slopes: Gradient) -> Gradient:
    """A gradient in margins as one in cells."""
    column = np.concatenate([slopes.bias, slopes.unanswered[..., None]], axis=-1)
    rows = slopes.prevalence + slopes.total[..., None]
    diagonal = np.eye(rows.shape[-1], rows.shape[-1] + 1) * slopes.correct[..., None]
    return Gradient.of_cells(rows[..., None] + column[..., None, :] + diagonal)


TURNED = {slug: turned(metric) for slug, metric in METRICS.items() if metric.standard}
"""Every metric that all evaluations have upside down, by the slug of the original."""
