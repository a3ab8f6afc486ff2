"""The metrics that stand side by side on the page, in one fixed order, and what their columns are called."""

from audit.domain import BALANCED, OBSERVED, Evaluation, ScoreKey
from audit.metrics import METRICS, metric_of, named_metric
from audit.report.printing import LABEL_LIMIT, label_texts
from audit.text import visible

_ORDER = (
    *("averaged_f1", "f1_of_averages", "weighted_f1", "micro_f1"),
    *("accuracy", "kappa", "linear_kappa", "quadratic_kappa", "ordinal_alpha", "mcc"),
    *("mae", "macro_mae", "within_one", "cem"),
    *("macro_recall", "geometric_macro_recall", "harmonic_macro_recall", "micro_recall"),
    *("macro_precision", "micro_precision"),
    *("example_f1", "example_jaccard", "subset_accuracy"),
)
"""F1s, scores like accuracy, distances on a scale, recalls, precisions, means over units: alike ones stand together."""


def metric_columns(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """The ranking metric first, then the aggregate metrics of the test set's own class distribution, in a fixed order.

    Only scores that the evaluation has, and of which some team's is defined.
    """
    ranking = evaluation.task.ranking_metric
    voting = [ScoreKey(slug) for slug in _ORDER if slug in METRICS]
    own = [
        key
        for key in evaluation.keys
        if metric_of(key.metric, evaluation.task.label_set).over == "numbers"
    ]
    keys = dict.fromkeys((ranking, *voting, *own))
    return tuple(key for key in keys if key in evaluation.keys and evaluation.winners(key))


def column_label(evaluation: Evaluation, key: ScoreKey) -> str:
    """A metric's full name at the head of a column, with its classes and class distribution where it states them."""
    labels = evaluation.task.label_set
    named = named_metric(key.metric, labels)
    text = _NAMES.get(named.metric.slug, metric_of(key.metric, labels).label) + named.stated
    if named.codes is not None:
        shown = label_texts(labels)
        text += f" ({', '.join(shown[code] for code in named.codes)})"
    if key.prevalence == OBSERVED.name:
        return text
    if key.prevalence == BALANCED.name:
        at = "balanced"
    else:
        at = visible(key.prevalence, LABEL_LIMIT)
    return f"{text}, {at}"


_NAMES = {
    "averaged_f1": "Macro F1",
    "f1_of_averages": "F1 of averages",
    "geometric_macro_recall": "Geom. macro recall",
    "harmonic_macro_recall": "Harm. macro recall",
    "accuracy": "Accuracy",
}
"""Names that are shorter than the catalogue's, which says more than a column's head needs."""
