"""Names of scores: from what a user types to a key, and from a key to its metric and classes."""

import csv
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from audit.domain import LabelSet, Scale, ScoreKey
from audit.errors import MetricNameError
from audit.metrics.further import FAMILIES
from audit.metrics.metric import Metric
from audit.metrics.registry import METRICS
from audit.text import did_you_mean, listed, quoted

AMBIGUOUS_MACRO_F1 = (
    'is two metrics. averaged_f1 is the mean of the class F1s (scikit-learn\'s average="macro" is this one). '
    "f1_of_averages is the F1 of macro precision and macro recall (the official scorers of GermEval 2018 and GermEval "
    "2021 compute it). They differ by up to 0.5 and can have different winners. Write the one that is meant."
)

# What people type for macro F1, its letters and digits alone: these words in any order, one of them "macro", one "F".
_MACRO_F1 = re.compile(r"(?=mf|.*mac)(?=.*f)(macro|mac|m|f1?|scores?|measures?|averag(ed?|ing)|avg|mean)+")

_OTHER_NAMES = {
    "microf1": "micro_f1",
    "f1micro": "micro_f1",
    "macrof2": "averaged_f2",
    "macrof05": "averaged_f0.5",
    "recallmicro": "micro_recall",
    "precisionmicro": "micro_precision",
    "recallweighted": "micro_recall",
    "weightedrecall": "micro_recall",
    "weightedmacrorecall": "micro_recall",
    "tnr": "specificity",
    "truenegativerate": "specificity",
    "iou": "jaccard",
    "miou": "macro_jaccard",
    "jaccardmacro": "macro_jaccard",
    "youdensj": "informedness",
    "youdenj": "informedness",
    "bookmaker": "informedness",
    "acc": "accuracy",
    "balancedaccuracy": "macro_recall",
    "avgrec": "macro_recall",
    "uar": "macro_recall",
    "recallmacro": "macro_recall",
    "precisionmacro": "macro_precision",
    "f1weighted": "weighted_f1",
    "cohenkappa": "kappa",
    "cohenskappa": "kappa",
    "matthewscorrcoef": "mcc",
    "phi": "mcc",
    "sensitivity": "recall",
}

_NAME = re.compile(r"(?P<slug>[^\[\]~@]*)(?:\[(?P<classes>.*)\])?(?P<calibrated>~)?(?:@(?P<prevalence>.+))?", re.DOTALL)


@dataclass(frozen=True)
class NamedMetric:
    """A metric with the classes that its name carries, as codes of the label set; None where it carries none."""

    metric: Metric
    codes: tuple[int, ...] | None = None

    @property
    def code(self) -> int:
        """The class of a class-wise metric."""
        (code,) = self.codes or ()
        return code


def parse_score_key(name: str, label_set: LabelSet) -> ScoreKey:
    """The key of the score that a user names.

    Parameters
    ----------
    name : str
        A slug, with labels in brackets where the metric takes them, and ``~`` or ``@prevalence`` behind it.
    label_set : LabelSet
        The labels that may stand in the brackets.

    Raises
    ------
    MetricNameError
        When the name is no metric, is "macro F1" in any spelling, or names a class that does not exist.

    Examples
    --------
    >>> labels = LabelSet(("negative", "neutral", "positive"))
    >>> str(parse_score_key("averaged_f1[positive, negative]~", labels))
    'averaged_f1[negative,positive]~'
    >>> parse_score_key("macro-F1", labels)
    Traceback (most recent call last):
      ...
    audit.errors.MetricNameError: “macro-F1” is two metrics. averaged_f1 is the mean of the class F1s ...
    """
    match = _match(name.strip())
    metric = _metric(match["slug"], name)
    codes = _codes(metric, match["classes"], label_set, name)
    if match["calibrated"] and match["prevalence"]:
        raise MetricNameError(f"{quoted(name)} names two prevalences. Write ~ (balanced) or @name, not both.")
    prevalence = "balanced" if match["calibrated"] else match["prevalence"] or "observed"
    return ScoreKey(metric_name(metric.slug, codes, label_set), prevalence)


def metric_name(slug: str, codes: Sequence[int] | None, label_set: LabelSet) -> str:
    """The one spelling of a metric with its classes; a label with a comma, quote or bracket stands in quotes.

    Examples
    --------
    >>> metric_name("averaged_f1", (1, 0), LabelSet(("a", "b,c")))
    'averaged_f1[a,"b,c"]'
    """
    if codes is None:
        return slug
    return f"{slug}[{','.join(_cell(label_set.labels[code]) for code in sorted(codes))}]"


def phrase(key: ScoreKey, label_set: LabelSet) -> str:
    """A score's name inside a sentence.

    Examples
    --------
    >>> print(phrase(ScoreKey("averaged_f1", "balanced"), LabelSet(("a", "b"))))
    averaged F1 at balanced prevalence
    >>> print(phrase(ScoreKey("recall[b]"), LabelSet(("a", "b"))))
    recall of “b”
    """
    named = named_metric(key.metric, label_set)
    words = named.metric.phrase
    if named.codes is not None:
        link = "of" if named.metric.takes == "class" else "over"
        words += f" {link} {listed([quoted(label_set.named[code]) for code in named.codes])}"
    if key.prevalence == "observed":
        return words
    at = "balanced prevalence" if key.prevalence == "balanced" else f"prevalence {quoted(key.prevalence)}"
    return f"{words} at {at}"


def named_metric(name: str, label_set: LabelSet) -> NamedMetric:
    """The metric and classes of a key's metric name, in any spelling that :func:`parse_score_key` takes."""
    match = _match(name)
    metric = _metric(match["slug"], name)
    return NamedMetric(metric, _codes(metric, match["classes"], label_set, name))


def scale_of(name: str, label_set: LabelSet) -> Scale:
    """The range of a score, by the name that a key has for its metric, and which end of it is best."""
    return named_metric(name, label_set).metric.scale


def _match(name: str) -> re.Match[str]:
    match = _NAME.fullmatch(name)
    if match is None:
        raise _no_metric(name.partition("[")[0], name)
    return match


def _metric(slug: str, name: str) -> Metric:
    slug = slug.strip()
    if slug not in METRICS:
        raise _no_metric(slug, name)
    return METRICS[slug]


def _no_metric(slug: str, name: str) -> MetricNameError:
    folded = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", slug).casefold()))
    if _MACRO_F1.fullmatch(folded):
        return MetricNameError(f"{quoted(name)} {AMBIGUOUS_MACRO_F1}")
    called = _OTHER_NAMES.get(folded) or _special(slug)
    if called:
        return MetricNameError(f"{quoted(name)} is called {called} here. {_known()}")
    return MetricNameError(f"{quoted(name)} is no metric.{did_you_mean(slug, METRICS)} {_known()}")


def _special(slug: str) -> str | None:
    """The metric that has a name of its own and is one of a family, by its number there; None for any other slug."""
    names = (family.special_name(slug) for family in FAMILIES)
    return next(filter(None, names), None)


def _known() -> str:
    families = [f"{family.stem}{family.symbol}{family.brackets}" for family in FAMILIES]
    return f"The metrics are {listed(list(METRICS))}; and with any number {listed(families)}."


def _codes(metric: Metric, classes: str | None, label_set: LabelSet, name: str) -> tuple[int, ...] | None:
    if classes is None:
        if metric.takes == "class":
            example = metric_name(metric.slug, (0,), label_set)
            raise MetricNameError(f"{quoted(name)} is a score of one class. Name the class, like {example}.")
        return None
    if metric.takes == "nothing":
        raise MetricNameError(f"{quoted(name)}: {metric.slug} is not defined over named classes.")
    codes = tuple(_code(label, label_set, name) for label in _labels(classes, label_set))
    if metric.takes == "class" and len(codes) != 1:
        raise MetricNameError(f"{quoted(name)}: {metric.slug} is a score of one class, and {len(codes)} are named.")
    if len(set(codes)) < len(codes):
        raise MetricNameError(f"{quoted(name)} names a class twice.")
    return tuple(sorted(codes))


def _labels(classes: str, label_set: LabelSet) -> list[str]:
    """Labels in the brackets: comma-separated cells, or the whole text where only that is a label."""
    try:
        cells = next(csv.reader([classes], skipinitialspace=True, strict=True)) or [""]
    except csv.Error:
        cells = [classes]
    labels = [cell if cell in label_set.code_of else cell.strip() for cell in cells]
    # The cells come first, because :func:`metric_name` writes them: a label with a comma stands in quotes.
    return labels if set(labels) <= label_set.code_of.keys() or classes not in label_set.code_of else [classes]


def _code(label: str, label_set: LabelSet, name: str) -> int:
    if label not in label_set.code_of:
        near = did_you_mean(label, label_set)
        known = listed([quoted(known) for known in label_set], "or", limit=10)
        raise MetricNameError(f"{quoted(name)}: {quoted(label)} is not in the label set.{near} The labels are {known}.")
    return label_set.code_of[label]


def _cell(label: str) -> str:
    if re.search(r'[,"\[\]\r\n]', label) or label != label.strip() or not label:
        return '"' + label.replace('"', '""') + '"'
    return label
