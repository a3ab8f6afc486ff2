"""The registry of metrics: what each is called and means, which properties it has, and its kernel."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from audit.domain import Evaluation, LabelSet, ScoreKey, supported
from audit.metrics import gradients, kernels
from audit.metrics.confusion import over_classes
from audit.metrics.further import FURTHER, of_families
from audit.metrics.item_score_metrics import ITEM_SCORE_METRICS, metrics_of_item_scores
from audit.metrics.kernels import F1, JACCARD, PRECISION, RECALL
from audit.metrics.metric import (
    OF_LABELS,
    Holds,
    Metric,
    mean_over_classes,
    of_one_class,
    properties_of,
    weighted_mean,
)
from audit.metrics.number_metrics import RATING_METRICS, column_metrics
from audit.metrics.scale_metrics import SCALE_METRICS
from audit.metrics.unit_metrics import UNIT_METRICS

_OPITZ = "Opitz 2024, section"
_BURST = "Opitz & Burst 2019, equation"

# each begins with its slug and its names: in a report, inside a sentence, at the head of a column
_METRICS = (
    Metric(
        *("accuracy", "Accuracy", "accuracy", "Acc"),
        formula=r"\frac{\sum_{i} \mathrm{correct}_i}{|S|}",
        explanation="The share of items predicted right. Equal to micro F1 when every item is answered.",
        baseline="depends on prevalence",
        source=f"{_OPITZ} 4.1",
        kernel=kernels.accuracy,
        gradient=gradients.accuracy,
        by_largest_class=True,
        properties=properties_of("✓~~~~"),
        proportion=lambda margins: (over_classes(margins.correct), margins.total),
        averages=False,
        needs_every_class=False,
    ),
    mean_over_classes(
        RECALL,
        ("macro_recall", "Macro recall", "macro recall", "MacR"),
        formula=r"\frac{1}{k} \sum_{i} R_i",
        explanation="The mean of the class recalls, also called balanced accuracy or AvgRec.",
        baseline="1/k, strict",
        source=f"{_OPITZ} 4.2",
        properties=properties_of("✓✓✓✓✓"),
        terms="recalls",
        moves_with_classes=False,
        needs=OF_LABELS,
    ),
    Metric(
        *("geometric_macro_recall", "G-macro recall", "geometric macro recall", "GmacR"),
        formula=r"\left( \prod_{i} R_i \right)^{1/k}",
        explanation="The geometric mean of the class recalls: low where one class is missed.",
        baseline="≤ 1/k",
        source=f"{_OPITZ} 5.1",
        kernel=kernels.geometric_macro_recall,
        gradient=gradients.geometric_macro_recall,
        properties=properties_of("✓✓✓✓✓"),
        terms="product of recalls",
        moves_with_classes=False,
    ),
    Metric(
        *("harmonic_macro_recall", "H-macro recall", "harmonic macro recall", "HmacR"),
        formula=r"\frac{k}{\sum_{i} 1 / R_i}",
        explanation="The harmonic mean of the class recalls, 0 where a class is missed altogether.",
        baseline="≤ 1/k",
        source=f"{_OPITZ} 5.1",
        kernel=kernels.harmonic_macro_recall,
        gradient=gradients.harmonic_macro_recall,
        properties=properties_of("✓✓✓✓✓"),
        terms="product of recalls",
        moves_with_classes=False,
    ),
    mean_over_classes(
        PRECISION,
        ("macro_precision", "Macro precision", "macro precision", "MacP"),
        formula=r"\frac{1}{k} \sum_{i} P_i",
        explanation="The mean of the class precisions; a class that was never predicted adds 0.",
        baseline="1/k, strict where every class is predicted",
        source=f"{_OPITZ} 4.3",
        properties=properties_of("✓✓✓~✓"),
        terms="precisions",
        needs=OF_LABELS,
    ),
    mean_over_classes(
        F1,
        ("averaged_f1", "Macro F1", "macro-averaged F1", "F1"),
        formula=r"\frac{1}{k} \sum_{i} \frac{2\, P_i R_i}{P_i + R_i}",
        explanation="The mean of the class F1s over the classes in gold. In scikit-learn it is "
        'f1_score(average="macro", labels=GOLD_CLASSES); where no team predicts a class that gold lacks, '
        "labels=… makes no difference.",
        baseline="≤ 1/k",
        source=f"{_BURST} 2; {_OPITZ} 4.4",
        properties=properties_of("✓✓✓~✓"),
        terms="precisions",
        averages_f=True,
        needs=OF_LABELS,
    ),
    Metric(
        *("f1_of_averages", "F1 of averages", "F1 of averages", "F1′"),
        formula=r"\frac{2\, \bar{P}\, \bar{R}}{\bar{P} + \bar{R}}, \quad \bar{P} = \frac{1}{k} \sum_{i} P_i, \quad "
        r"\bar{R} = \frac{1}{k} \sum_{i} R_i",
        explanation="The F1 of macro precision and macro recall; it rewards errors that are skewed between classes.",
        baseline="1/k, strict where every class is predicted",
        source=f"{_BURST} 3; {_OPITZ} 4.5",
        kernel=kernels.f1_of_averages,
        gradient=gradients.f1_of_averages,
        harmonic_mean_of=("macro_precision", "macro_recall"),
        properties=properties_of("✓✓✗~✓"),
        takes="classes",
        terms="precisions",
        needs=OF_LABELS,
    ),
    weighted_mean(
        F1,
        ("weighted_f1", "Weighted F1", "weighted F1", "wF1"),
        formula=r"\frac{1}{|S|} \sum_{i} \mathrm{prevalence}_i \, F1_i",
        explanation="The mean of the class F1s, each weighted by its share of gold.",
        baseline="depends on prevalence",
        source=f"{_OPITZ} 4.6",
        properties=properties_of("✗✓~~~"),
        calibrated_terms="precisions",
        needs=OF_LABELS,
    ),
    Metric(
        *("kappa", "Cohen’s kappa", "Cohen’s kappa", "κ"),
        formula=r"\frac{\mathrm{accuracy} - \mathrm{chance}}{1 - \mathrm{chance}}, \quad "
        r"\mathrm{chance} = \sum_{i} p_i b_i",
        explanation="Accuracy beyond chance, relative to the best possible. Undefined where gold and predictions are "
        "constant on the same class.",
        lower=-1,
        baseline="0, complete",
        source=f"{_OPITZ} 4.7",
        kernel=kernels.kappa,
        gradient=gradients.kappa,
        properties=properties_of("✗✓~~✓"),
        printed=(("decomposable", Holds.NO),),
        averages=False,
        needs_every_class=False,
    ),
    Metric(
        *("mcc", "MCC", "MCC", "MCC"),
        formula=r"\frac{\mathrm{accuracy} - \mathrm{chance}}"
        r"{\sqrt{1 - \sum_{i} b_i^2 - u^2}\, \sqrt{1 - \sum_{i} p_i^2}}",
        explanation="Matthews correlation for any number of classes, unanswered items (share u) as one more category "
        "of prediction. Undefined where gold and predictions are both constant, 0 where one of them is.",
        lower=-1,
        baseline="0, complete",
        source=f"Gorodkin 2004; {_OPITZ} 4.7",
        kernel=kernels.mcc,
        gradient=gradients.mcc,
        properties=properties_of("✗✓✗~✓"),
        averages=False,
        needs_every_class=False,
        divides_by_answers=True,
    ),
    of_one_class(
        RECALL,
        ("recall", "Recall", "recall", "R"),
        formula=r"R_i = \frac{\mathrm{correct}_i}{\mathrm{prevalence}_i}",
        explanation="The share of a class’s gold items predicted as it. Undefined for a class that gold lacks.",
        baseline="depends on the classifier",
        source=f"{_BURST} 1",
        terms="recalls",
        proportion=RECALL.counts,
        moves_with_classes=False,
        needs=OF_LABELS,
    ),
    of_one_class(
        PRECISION,
        ("precision", "Precision", "precision", "P"),
        formula=r"P_i = \frac{\mathrm{correct}_i}{\mathrm{bias}_i}",
        explanation="The share of the items predicted as a class that are of it; 0 where it was never predicted. "
        "Undefined for a class that gold lacks.",
        baseline="the class’s prevalence",
        source=f"{_BURST} 1",
        terms="precisions",
        proportion=PRECISION.counts,
        divides_by_answers=True,
        needs=OF_LABELS,
    ),
    of_one_class(
        F1,
        ("f1", "F1", "F1", "F1"),
        formula=r"F1_i = \frac{2\, \mathrm{correct}_i}{\mathrm{bias}_i + \mathrm{prevalence}_i}",
        explanation="The harmonic mean of a class’s precision and recall. Undefined for a class that gold lacks.",
        baseline="depends on prevalence",
        source=f"{_BURST} 1",
        averages_f=True,
        proportion=JACCARD.counts,
        from_proportion=lambda ratio: 2 * ratio / (1 + ratio),
        needs=OF_LABELS,
    ),
)


_REGISTERED = {metric.slug: metric for metric in (*_METRICS, *FURTHER)}


class _Metrics(Mapping[str, Metric]):
    """The registered metrics; those of families, item scores, scales and units are there too, where asked for."""

    n_changes = 0
    """How often one was registered for a while, or no longer is: what is kept by name then holds no more."""

    def __getitem__(self, slug: str) -> Metric:
        kinds = (_REGISTERED, ITEM_SCORE_METRICS, SCALE_METRICS, UNIT_METRICS, RATING_METRICS)
        metric = next((each[slug] for each in kinds if slug in each), None) or of_families(slug)
        if metric is None:
            raise KeyError(slug)
        return metric

    def __iter__(self) -> Iterator[str]:
        return iter(_REGISTERED)

    def __len__(self) -> int:
        return len(_REGISTERED)


# every metric, by slug; of a family those that are in use, and any other that is asked for
METRICS = _Metrics()


@dataclass(frozen=True)
class _Selection(Collection[Metric]):
    """The metrics that every evaluation has and that have a role, in the order of the registry."""

    has_role: Callable[[Metric], bool]

    def __iter__(self) -> Iterator[Metric]:
        return (
            metric for metric in _REGISTERED.values() if metric.standard and self.has_role(metric)
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, metric: object) -> bool:
        return metric in list(self)


STANDARD = _Selection(lambda _: True)
AGGREGATES = _Selection(lambda metric: metric.takes != "class")  # of a whole submission

CLASS_METRICS = _Selection(lambda metric: metric.takes == "class")
VOTERS = _Selection(lambda metric: metric.votes and metric.takes != "class")
TRIGGERS = _Selection(lambda metric: metric.triggers and metric.takes != "class")


def aggregates_on(label_set: LabelSet) -> tuple[Metric, ...]:
    """The metrics of whole submissions that every evaluation with these labels has."""
    on_scale = SCALE_METRICS.values() if label_set.scale else ()
    return (*_supported_by(label_set, AGGREGATES), *on_scale)


def voters_on(label_set: LabelSet) -> tuple[Metric, ...]:
    """The metrics that vote where rules make one ranking of several, unless others are chosen."""
    return _supported_by(label_set, VOTERS)


def _supported_by(label_set: LabelSet, metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """The metrics of a kind of task and of the task itself, and then others whose needs it meets."""
    of_kind = [METRICS[slug] for slug in label_set.kind.traits.own_metrics]
    of_task = column_metrics(label_set).values()
    return (*of_kind, *of_task, *supported(metrics, label_set.kind))


def _with_item_scores(metrics: Iterable[Metric], evaluation: Evaluation) -> tuple[Metric, ...]:
    return (
        *metrics,
        *(
            ITEM_SCORE_METRICS[slug]
            for slug in metrics_of_item_scores(evaluation.task.scored_labels)
        ),
    )


def aggregates_of(evaluation: Evaluation) -> tuple[Metric, ...]:
    """The metrics of whole submissions in an evaluation’s tables: those of scores of items too, if it has any."""
    return _with_item_scores(aggregates_on(evaluation.task.label_set), evaluation)


def aggregate_keys(evaluation: Evaluation, prevalence: str) -> tuple[ScoreKey, ...]:
    """The scores of whole submissions in an evaluation's tables at one prevalence, by which it has them."""
    keys = (ScoreKey(metric.slug, prevalence) for metric in aggregates_of(evaluation))
    return tuple(key for key in keys if key in evaluation.keys)


def triggers_of(evaluation: Evaluation) -> tuple[Metric, ...]:
    """The metrics whose winners findings compare in an evaluation: those of scores of items too, if it has any."""
    return _with_item_scores(_supported_by(evaluation.task.label_set, TRIGGERS), evaluation)


BOTH_MACRO_F1 = ("averaged_f1", "f1_of_averages")  # the two metrics that are both called macro F1


@contextmanager
def registered(metric: Metric) -> Iterator[None]:
    """A further metric for as long as this lasts: every score, table, figure and comparison has it as it declares.

    ValueError when there is a metric of this slug.

    >>> from dataclasses import replace
    >>> with registered(replace(METRICS["accuracy"], slug="share_right", votes=False)):
    ...     len(AGGREGATES), len(VOTERS)
    (11, 10)
    >>> "share_right" in METRICS
    False
    """
    if metric.slug in METRICS:
        raise ValueError(f"There is a metric called {metric.slug}.")
    _REGISTERED[metric.slug] = metric
    METRICS.n_changes += 1
    try:
        yield
    finally:
        del _REGISTERED[metric.slug]
        METRICS.n_changes += 1
