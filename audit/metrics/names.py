"""Names of scores: from what a user types to a key, and from a key to its metric and classes."""

import csv
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from audit.domain import (
    OBSERVED,
    ClassSet,
    Feature,
    LabelSet,
    Missing,
    Named,
    Outside,
    Reading,
    Repair,
    Scale,
    ScoreKey,
    Unknown,
)
from audit.domain.arrays import Counts, Floats
from audit.errors import MetricNameError
from audit.metrics.composites import (
    Term,
    composite_name,
    mean_metric,
    mean_rank_metric,
    split_composite,
    terms_of,
)
from audit.metrics.confusion import Margins
from audit.metrics.further import FAMILIES
from audit.metrics.gradients import Gradient
from audit.metrics.item_score_metrics import ITEM_SCORE_METRICS, metrics_of_item_scores
from audit.metrics.metric import Metric
from audit.metrics.number_metrics import column_metrics
from audit.metrics.reading_choices import choices_of, classes_in_words, moot_choice, rules_in_words
from audit.metrics.registry import METRICS
from audit.metrics.scale_metrics import SCALE_METRICS, cut_metric, on_scale, shown_cut
from audit.metrics.unit_metrics import UNIT_METRICS, unit_metrics_on
from audit.text import did_you_mean, listed, quoted

AMBIGUOUS_MACRO_F1 = (
    'is two metrics. averaged_f1 is the mean of the class F1s (scikit-learn\'s average="macro" is this one). '
    "f1_of_averages is the F1 of macro precision and macro recall (the official scorers of GermEval 2018 and GermEval "
    "2021 compute it). They differ by up to 0.5 and can have different winners. Write the one that is meant."
)

# What people type for macro F1, its letters and digits alone: these words in any order, one of them "macro", one "F".
_MACRO_F1 = re.compile(
    r"(?=mf|.*mac)(?=.*f)(macro|mac|m|f1?|scores?|measures?|averag(ed?|ing)|avg|mean)+"
)

_OTHER_NAMES = {
    other: name
    for name, others in {
        "micro_f1": "microf1 f1micro",
        "averaged_f2": "macrof2",
        "averaged_f0.5": "macrof05",
        "micro_recall": "recallmicro recallweighted weightedrecall weightedmacrorecall",
        "micro_precision": "precisionmicro",
        "specificity": "tnr truenegativerate",
        "jaccard": "iou",
        "macro_jaccard": "miou jaccardmacro",
        "informedness": "youdensj youdenj bookmaker",
        "accuracy": "acc",
        "macro_recall": "balancedaccuracy avgrec uar recallmacro",
        "macro_precision": "precisionmacro",
        "weighted_f1": "f1weighted",
        "weighted_precision": "precisionweighted",
        "weighted_jaccard": "jaccardweighted",
        "kappa": "cohenkappa cohenskappa",
        "mcc": "matthewscorrcoef phi",
        "recall": "sensitivity",
        "auc": "rocauc aucroc auroc rocaucscore",
        "average_precision": "ap averageprecisionscore",
        "brier": "brierscore brierscoreloss",
        "mean_rank(…) of named scores, like mean_rank(averaged_f1,accuracy),": "averagerank meanrank",
        "linear_kappa or quadratic_kappa": "weightedkappa",
        "quadratic_kappa": "qwk",
        "ordinal_alpha": "krippendorffsalpha",
        "mae": "meanabsoluteerror",
        "macro_mae": "macroaveragedmae",
        "tau_b": "kendalltau",
        "spearman_labels": "spearman",
        "c_at_1": "cat1 c1",
        "coverage": "answered",
        "answered_accuracy": "selectiveaccuracy accuracyanswered",
        "answered_averaged_f1 or answered_f1_of_averages": "answeredmacrof1 macrof1answered answeredf1",
    }.items()
    for other in others.split()
}
"""What people call a metric, its letters and digits alone → what it is called here."""

_NOT_ON_SCALE = (
    "needs labels on a scale: write scale = true beside labels in task.toml, lowest label first."
)

_NOT_A_SET = 'is a mean over units with sets: write kind = "sets" into task.toml.'
_NOT_CLOSED = "is a share of a closed set of labels: write labels = […] into task.toml; of spans there is none."

_MANY_LABELS = 100  # hashing more of them takes longer than parsing a name
_NAME = re.compile(
    r"(?P<slug>[^\[\]()~@]*)(?:\((?P<choices>[^()]*)\))?\s*(?:\[(?P<classes>.*)\])?(?P<calibrated>~)?"
    r"(?:@(?P<prevalence>.+))?",
    re.DOTALL,
)


_BEHIND = re.compile(r"(?P<calibrated>~)?(?:@(?P<prevalence>.+))?", re.DOTALL)


@dataclass(frozen=True)
class NamedMetric:
    """A metric with what its name carries."""

    metric: Metric
    reading: Reading
    """The name, and the choices in its parentheses; of a metric of no named classes."""
    codes: tuple[int, ...] | None = None  # the classes in brackets, as codes of the label set
    rest: int | None = None  # the class that its average leaves out unless it is named
    n_below: int = 0  # labels below the cut of the scale that it is of; 0 where it is of no cut
    other: int | None = None
    """Of sets, the code of all labels that only teams use: they join no average."""
    over_all: bool = False
    """It sums over the whole label set, be a label in gold or not, as sums of sets do."""
    parts: tuple["NamedMetric", ...] = ()  # the scores that a composite is the mean of
    weights: tuple[float, ...] = ()  # what each of them counts

    @property
    def code(self) -> int:
        """The class of a class-wise metric."""
        (code,) = self.codes or ()
        return code

    @property
    def scores(self) -> tuple["NamedMetric", ...]:
        """The scores that it is the mean of, or itself."""
        return self.parts or (self,)

    @property
    def counts_predicted(self) -> bool:
        """Whether the metric averages over more classes where a team predicts more, so that one answer moves it far."""
        return any(each.reading.classes is ClassSet.UNION_PER_TEAM for each in self.scores)

    @property
    def of_answered(self) -> bool:
        """Whether the metric is of the answered items alone, or the mean of a score that is."""
        return any(each.metric.abstention == "left out" for each in self.scores)

    @property
    def heeds_abstention(self) -> bool:
        """Whether an unanswered item is more than a wrong one to it, or to a score that it is the mean of."""
        return any(each.metric.abstention for each in self.scores)

    @property
    def is_mean_with_item_scores(self) -> bool:
        """Whether the metric is the mean of several scores, of which one is of scores of single items."""
        return self.metric.of_item_scores and bool(self.parts)

    def moves_with(self, n_classes: int) -> bool:
        """Whether the metric depends on the prevalence, with this number of classes in gold."""
        return self.metric.moves_with_classes and (n_classes > 2 or self.metric.moves_with_two)  # noqa: PLR2004

    def score(self, margins: Margins) -> Floats:
        """Scores of margins, shape (...)."""
        values = self.metric.kernel(self.margins(margins))
        if self.metric.takes == "class":
            return values[..., self.code]
        return values

    def gradient(self, margins: Margins) -> Gradient:
        """Derivatives of the score."""
        gradient = self.metric.gradient(self.margins(margins))
        if self.metric.takes == "class":
            return gradient.of_class(self.code)
        return gradient

    @property
    def stated(self) -> str:
        """The choices in parentheses, as the name has them; nothing where every one is the default."""
        return str(replace(self.reading, metric=""))

    @cached_property
    def is_plain(self) -> bool:
        """Whether every choice is the default."""
        return self.reading == Reading(self.reading.metric)

    def margins(self, margins: Margins) -> Margins:
        """Margins as this score sees them: over its classes, and with its rules for undefined class scores.

        The rest class joins no average that does not name it.
        """
        if not self.is_plain:
            margins = replace(
                margins,
                averaged=self._class_set(margins, self.reading.classes),
                undefined=self.reading.undefined,
                f1_undefined=self.reading.f1_undefined,
            )
        if self.over_all:
            margins = replace(margins, averaged=np.ones_like(margins.averaged, dtype=bool))
        else:
            margins = margins.without(self.other)
        if self.metric.takes == "class" or self.reading.named is Named.WITH_REST:
            return margins
        if self.codes is None:
            return margins.without(self.rest)
        if self.reading.named is Named.ALL_BUT:
            n_classes = margins.correct.shape[-1]
            return margins.over(
                [code for code in range(n_classes) if code not in self.codes]
            ).without(self.rest)
        return margins.over(self.codes)

    @property
    def whole(self) -> Metric:
        """The metric over its classes and by its rules, for those who look at a metric alone."""
        return replace(self.metric, kernel=self.score, gradient=self.gradient)

    @staticmethod
    def _class_set(margins: Margins, classes: ClassSet) -> Counts:
        """The classes over which averages run before any is named, shape (..., C)."""
        if classes is ClassSet.DECLARED:
            return np.ones_like(margins.averaged, dtype=bool)
        if classes is ClassSet.UNION_PER_TEAM:
            return np.asarray((margins.bias > 0) | (margins.prevalence > 0))
        return margins.averaged


def parse_score_key(name: str, label_set: LabelSet) -> ScoreKey:
    """The key of the score that a user names.

    A slug, with the choices of a reading in parentheses, labels in brackets where the metric takes them, and
    ``~`` or ``@prevalence`` behind it; or ``mean(…)`` of several such, each perhaps with a weight before it.

    MetricNameError when it is no metric, is "macro F1" in any spelling, names a class that does not exist, or makes a
    choice that does not exist, changes nothing, or is not the score's to make.

    >>> labels = LabelSet(("negative", "neutral", "positive"))
    >>> str(parse_score_key("averaged_f1[positive, negative]~", labels))
    'averaged_f1[negative,positive]~'
    >>> str(parse_score_key("averaged_f1(undefined=1, declared)[positive,negative]", labels))
    'averaged_f1(declared,undefined=1)[negative,positive]'
    >>> str(parse_score_key("mean(2*averaged_f1[positive, negative], accuracy)~", labels))
    'mean(2*averaged_f1[negative,positive],accuracy)~'
    >>> parse_score_key("macro-F1", labels)
    Traceback (most recent call last):
      ...
    audit.errors.MetricNameError: “macro-F1” is two metrics. averaged_f1 is the mean of the class F1s ...
    """
    named, prevalence = _parsed(name, label_set)
    if reason := _not_of_one_score(named.reading):
        raise MetricNameError(f"{quoted(name)}: {reason}")
    return ScoreKey(str(named.reading), prevalence)


def parse_reading(text: str, label_set: LabelSet) -> Reading:
    """The reading of a signature: a score's name, with any choices in parentheses behind the slug.

    >>> labels = LabelSet(("a", "b", "Other"))
    >>> str(parse_reading("averaged_f1(missing=dropped,union)[b,a]", labels))
    'averaged_f1(union,missing=dropped)[a,b]'
    >>> parse_reading("kappa(union)", labels)
    Traceback (most recent call last):
      ...
    audit.errors.MetricNameError: “kappa(union)”: kappa leaves no choice of classes.
    """
    named, prevalence = _parsed(text, label_set)
    return replace(named.reading, prevalence=prevalence)


def cuts_of(label_set: LabelSet) -> tuple[str, ...]:
    """Every cut of a scale in two, as brackets have it; none where labels are on no scale."""
    if label_set.scale:
        cells = [_cell(label) for label in label_set]
    else:
        cells = []
    return tuple(shown_cut(cells, n_below) for n_below in range(1, len(cells)))


def metric_name(slug: str, codes: Sequence[int] | None, label_set: LabelSet) -> str:
    """The one spelling of a metric with its classes; a label with a comma, quote or bracket stands in quotes."""
    if codes is None:
        return slug
    return f"{slug}[{','.join(_cell(label_set.labels[code]) for code in sorted(codes))}]"


def phrase(key: ScoreKey, label_set: LabelSet) -> str:
    """A score's name inside a sentence; that the rest class joins no average is said once, by :func:`without_rest`."""
    named = named_metric(key.metric, label_set)
    if named.is_plain and not named.parts:
        shown_labels = replace(label_set, rest=None)
    else:
        shown_labels = label_set
    return reading_phrase(replace(named.reading, prevalence=key.prevalence), shown_labels)


def without_rest(label_set: LabelSet) -> str:
    """A clause that says that averages leave the rest class out, or what a hit is; empty where neither need be said."""
    if label_set.rest_class is None:
        return label_set.kind.traits.hit
    rest = label_set.named[label_set.code_of[label_set.rest_class]]
    return f"averages over classes leave out the rest class {quoted(rest)}"


def reading_phrase(reading: Reading, label_set: LabelSet) -> str:
    """A reading's name inside a sentence; choices that are the default are left unsaid."""
    words = metric_of(reading.metric, label_set).phrase + over_classes_in_words(reading, label_set)
    if reading.prevalence != "observed":
        words += f" {at_prevalence(reading.prevalence)}"
    rules = [label_set.worded(rule) for rule in rules_in_words(reading, stated_only=True)]
    if rules:
        return f"{words}, where {listed(rules)}"
    return words


def over_classes_in_words(reading: Reading, label_set: LabelSet) -> str:
    """The classes of a reading behind its metric, inside a sentence; nothing where they are those in gold."""
    named = named_metric(reading.metric, label_set)
    codes = named.codes or ()
    rest = _rest_in_words(named, label_set)
    labels = _listed_labels(codes, label_set)
    classes = classes_in_words(reading.classes, label_set)
    is_in_gold = reading.classes is ClassSet.IN_GOLD
    if named.n_below or named.metric.takes == "class":
        if codes:
            return f" of {labels}"
        return f" of the scale cut {quoted(shown_cut(label_set.labels, named.n_below))}"
    if reading.named is Named.ALL_BUT:
        left_out = set(codes)
        if rest is not None:
            left_out.add(rest)
        words = f" over {classes} but {_listed_labels(sorted(left_out), label_set)}"
    elif labels and is_in_gold:
        words = f" over {labels}"
    elif labels:
        words = f" over {labels} among {classes}"
    elif rest is not None and is_in_gold and reading.named is Named.ONLY:
        words = f" without {_listed_labels([rest], label_set)}"
    elif rest is None and is_in_gold:
        words = ""
    else:
        words = f" over {averaged_in_words(reading, label_set)}"
    return words


def _listed_labels(codes: Sequence[int], label_set: LabelSet) -> str:
    return listed([quoted(label_set.named[code]) for code in codes])


def _rest_in_words(named: NamedMetric, label_set: LabelSet) -> int | None:
    """The rest class of which a sentence says that it is left out; not *nothing*, which is no label of sets."""
    if label_set.rest_class is None:
        return None
    return named.rest


def averaged_in_words(reading: Reading, label_set: LabelSet) -> str:
    """The classes that an average without brackets takes, as a noun."""
    classes = classes_in_words(reading.classes, label_set)
    rest = _rest_in_words(named_metric(reading.metric, label_set), label_set)
    if rest is None:
        return classes
    label = quoted(label_set.named[rest])
    if reading.named is Named.WITH_REST:
        return f"{classes}, {label} too"
    return f"{classes} but {label}"


def prevalence_in_words(name: str) -> str:
    """A prevalence inside a sentence."""
    phrases = {"observed": "the test set’s class distribution", "balanced": "balanced classes"}
    return phrases.get(name, f"the class distribution {quoted(name)}")


def at_prevalence(name: str) -> str:
    """A prevalence behind a score: “with balanced classes”."""
    if name == "balanced":
        preposition = "with"
    else:
        preposition = "at"
    return f"{preposition} {prevalence_in_words(name)}"


def named_metric(name: str, label_set: LabelSet) -> NamedMetric:
    """The metric and classes of a key's metric name, in any spelling that :func:`parse_score_key` takes."""
    if len(label_set) > _MANY_LABELS:
        return _parsed(name, label_set)[0]
    return _kept(name, label_set, METRICS.n_changes)


@lru_cache(maxsize=4096)
def _kept(name: str, label_set: LabelSet, _: int) -> NamedMetric:
    return _parsed(name, label_set)[0]


def _parsed(name: str, label_set: LabelSet) -> tuple[NamedMetric, str]:
    """A score with every choice that its name makes, and the name of its prevalence."""
    if (of_column := column_metrics(label_set).get(name.strip())) is not None:
        return NamedMetric(of_column, Reading(of_column.slug)), OBSERVED.name
    composite = split_composite(name.strip())
    parts = _match(name.strip()) if composite is None else _BEHIND.fullmatch(composite.behind)
    if parts is None:
        raise MetricNameError(
            f"{quoted(name)}: behind the parenthesis stands ~ or @prevalence, or nothing."
        )
    if parts["calibrated"] and parts["prevalence"]:
        raise MetricNameError(
            f"{quoted(name)} names two prevalences. Write ~ (balanced) or @name, not both."
        )
    if parts["calibrated"]:
        prevalence = "balanced"
    else:
        prevalence = parts["prevalence"] or OBSERVED.name
    if prevalence != OBSERVED.name and not label_set.supports(Feature.PREVALENCES):
        raise MetricNameError(f"{quoted(name)} {label_set.kind.traits.undefined}")
    if composite is None:
        return _named(parts, label_set, name), prevalence
    return _composite(composite.terms, label_set, name, of_ranks=composite.of_ranks), prevalence


@lru_cache(maxsize=64)
def _composite(
    terms: tuple[Term, ...], label_set: LabelSet, name: str, *, of_ranks: bool
) -> NamedMetric:
    keys = [_key_of_term(term.name, label_set, name) for term in terms]
    spelt = composite_name(
        [Term(term.weight, key.metric) for term, key in zip(terms, keys, strict=True)],
        of_ranks=of_ranks,
    )
    weights = tuple(term.weight for term in terms)
    parts = tuple(named_metric(key.metric, label_set) for key in keys)
    if of_ranks:
        build = mean_rank_metric
    else:
        build = mean_metric
    metric = build(
        spelt, weights, [part.whole for part in parts], [phrase(key, label_set) for key in keys]
    )
    return NamedMetric(metric, Reading(spelt), parts=parts, weights=weights)


def _key_of_term(term: str, label_set: LabelSet, name: str) -> ScoreKey:
    if split_composite(term) is not None:
        raise MetricNameError(
            f"{quoted(name)} is a mean of a mean. Write its scores out, with weights: 2*accuracy."
        )
    key = parse_score_key(term, label_set)
    if key.prevalence != "observed":
        raise MetricNameError(
            f"{quoted(name)}: all scores of a mean are at one class distribution. Write ~ or @name behind the "
            "closing parenthesis."
        )
    return key


def _named(match: re.Match[str], label_set: LabelSet, name: str) -> NamedMetric:
    choices = match["choices"]
    metric = _metric(match["slug"] if choices is None else f"{match['slug']}({choices})", name)
    chosen = choices_of(choices or "", name)
    n_below = _labels_below(match["classes"], label_set)
    if n_below and metric.takes != "class":
        return _of_cut(metric, n_below, chosen, label_set, name)
    codes = _codes(metric, match["classes"], label_set, name)
    if metric.over == "units" and metric.slug not in unit_metrics_on(label_set):
        if label_set.supports(Feature.UNITS):
            reason = _NOT_CLOSED
        else:
            reason = _NOT_A_SET
        raise MetricNameError(f"{quoted(name)} {reason}")
    if not label_set.supports(*metric.needs):
        raise MetricNameError(f"{quoted(name)} {label_set.kind.traits.undefined}")
    if metric.of_scale and not label_set.scale:
        raise MetricNameError(f"{quoted(name)} {_NOT_ON_SCALE}")
    if metric.of_scale:
        metric = on_scale(metric, label_set.scale)
    if metric.averages and metric.takes != "class":
        rest = label_set.rest_code
    else:
        rest = None
    reading = replace(Reading(metric_name(metric.slug, codes, label_set)), **chosen)
    if moot := moot_choice(reading, label_set) if chosen else "":
        raise MetricNameError(f"{quoted(name)}: {moot}")
    over_all = metric.sums_over_units(label_set) and reading.unknown is Unknown.FALSE_ALARM
    return NamedMetric(metric, reading, codes, rest, other=label_set.other_code, over_all=over_all)


def _of_cut(
    metric: Metric, n_below: int, chosen: Mapping[str, Any], label_set: LabelSet, name: str
) -> NamedMetric:
    """A score of the scale cut in two, which leaves only the choices of which items count and how."""
    if not chosen.keys() <= {"missing", "outside"}:
        raise MetricNameError(f"{quoted(name)}: a score of a cut leaves no choice.")
    cut = cuts_of(label_set)[n_below - 1]
    reading = replace(Reading(f"{metric.slug}[{cut}]"), **chosen)
    return NamedMetric(cut_metric(metric, n_below, cut), reading, n_below=n_below)


def _not_of_one_score(reading: Reading) -> str:
    """Why a reading cannot be a score by which teams are ranked, in a sentence; nothing where it can."""
    if reading.missing is not Missing.WRONG:
        return 'missing items are counted alike by every score: write missing = "drop" into [policies] of task.toml.'
    if reading.outside is not Outside.UNANSWERED:
        return "labels outside the scale are counted alike by every score: as no answer."
    if reading.repair is not Repair.AS_READ:
        return f'tags are read alike for every score: write repair = "{reading.repair}" into [sets] of task.toml.'
    if reading.classes is ClassSet.UNION:
        return (
            "over the labels of all teams a score would depend on who else took part: write declared, or "
            "union-per-team, which is what scikit-learn does."
        )
    return ""


def metric_of(name: str, label_set: LabelSet) -> Metric:
    """The metric of a score, by the name that a key has for it, with all that it declares."""
    return named_metric(name, label_set).metric


def counting_unanswered(name: str, label_set: LabelSet) -> str:
    """The name of the score that counts unanswered items as wrong, for that of a score of answered items."""
    composite = split_composite(name)
    if composite is None:
        metric = metric_of(name, label_set)
        if metric.with_abstained:
            return name.replace(metric.slug, metric.with_abstained, 1)
        return name
    weights: dict[str, float] = {}
    for term in composite.terms:
        counted = counting_unanswered(term.name, label_set)
        weights[counted] = weights.get(counted, 0) + term.weight
    terms = [Term(weight, counted) for counted, weight in weights.items()]
    if len(terms) > 1:
        return composite_name(terms, of_ranks=composite.of_ranks)
    return terms[0].name


def scale_of(name: str, label_set: LabelSet) -> Scale:
    """The range of a score, by the name that a key has for its metric, and which end of it is best."""
    return metric_of(name, label_set).scale


def is_of_item_scores(name: str, label_set: LabelSet) -> bool:
    """Whether a score, or one that it is a mean of, is of scores of single items."""
    return any(metric_of(term.name, label_set).of_item_scores for term in terms_of(name))


def why_no_item_scores(key: ScoreKey, scored_labels: Sequence[str], label_set: LabelSet) -> str:
    """The reason why a score cannot be had from the scores of single items that are kept; empty where it can."""
    of_items = [
        term.name
        for term in terms_of(key.metric)
        if metric_of(term.name, label_set).over == "item scores"
    ]
    for name in of_items:
        if name not in metrics_of_item_scores(scored_labels):
            if scored_labels:
                kept = "several labels have scores"
            else:
                kept = "none are kept"
            return f"{quoted(name)} is of scores of single items, and {kept}"
    if of_items and len(scored_labels) > 1 and key.prevalence != OBSERVED.name:
        return f"{quoted(str(key))}: several labels have scores, which are scored at the observed prevalence alone"
    return ""


def _match(name: str) -> re.Match[str]:
    match = _NAME.fullmatch(name)
    head = name.partition("[")[0]
    if match is None and "(" in head and ")" not in head:
        raise MetricNameError(f"{quoted(name)} opens a parenthesis and does not close it.")
    if match is None:
        raise _no_metric(head, name)
    return match


def _metric(slug: str, name: str) -> Metric:
    """The metric of a slug, with choices in parentheses or without; these may say that it is macro F1."""
    plain, parenthesis, _ = slug.partition("(")
    if plain.strip() not in METRICS or (parenthesis and _MACRO_F1.fullmatch(_folded(slug))):
        raise _no_metric(slug, name)
    return METRICS[plain.strip()]


def _no_metric(slug: str, name: str) -> MetricNameError:
    folded = _folded(slug)
    if _MACRO_F1.fullmatch(folded) or _MACRO_F1.fullmatch(_folded(slug.partition("(")[0])):
        return MetricNameError(f"{quoted(name)} {AMBIGUOUS_MACRO_F1}")
    called = _OTHER_NAMES.get(folded) or next(
        filter(None, (family.special_name(slug) for family in FAMILIES)), None
    )
    if called:
        return MetricNameError(f"{quoted(name)} is called {called} here. {_all_in_words()}")
    near = did_you_mean(slug, [*METRICS, *ITEM_SCORE_METRICS, *SCALE_METRICS, *UNIT_METRICS])
    return MetricNameError(f"{quoted(name)} is no metric.{near} {_all_in_words()}")


def _folded(slug: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", slug).casefold()))


def _all_in_words() -> str:
    """Every metric there is, as a sentence."""
    families = [f"{family.stem}{family.symbol}{family.brackets}" for family in FAMILIES]
    of_items = f"where files give scores of single items, {listed(list(ITEM_SCORE_METRICS))}"
    of_scales = f"where labels are on a scale, {listed(list(SCALE_METRICS))}"
    of_units = f"where units have sets, {listed(list(UNIT_METRICS))}"
    where = "; ".join((f"with any number {listed(families)}", of_items, of_scales, of_units))
    return f"The metrics are {listed(list(METRICS))}; {where}."


def _codes(
    metric: Metric, classes: str | None, label_set: LabelSet, name: str
) -> tuple[int, ...] | None:
    if classes is None:
        if metric.takes == "class":
            example = metric_name(metric.slug, (0,), label_set)
            raise MetricNameError(
                f"{quoted(name)} is a score of one class. Name the class, like {example}."
            )
        return None
    if metric.takes == "nothing":
        raise MetricNameError(f"{quoted(name)}: {metric.slug} is not defined over named classes.")
    codes = tuple(_code(label, label_set, name) for label in _labels(classes, label_set))
    if metric.takes == "class" and len(codes) != 1:
        raise MetricNameError(
            f"{quoted(name)}: {metric.slug} is a score of one class, and {len(codes)} are named."
        )
    if len(set(codes)) < len(codes):
        raise MetricNameError(f"{quoted(name)} names a class twice.")
    return tuple(sorted(codes))


def _labels_below(classes: str | None, label_set: LabelSet) -> int:
    """How many labels are below the cut of the scale that stands in brackets; 0 where none does."""
    written = "".join((classes or "").split())
    if "|" in written:
        cuts = cuts_of(label_set)
    else:
        cuts = ()
    return next(
        (n_below for n_below, cut in enumerate(cuts, start=1) if "".join(cut.split()) == written), 0
    )


def _labels(classes: str, label_set: LabelSet) -> list[str]:
    """Labels in the brackets: comma-separated cells, or the whole text where only that is a label."""
    try:
        cells = next(csv.reader([classes], skipinitialspace=True, strict=True)) or [""]
    except csv.Error:
        cells = [classes]
    labels = [cell if cell in label_set.code_of else cell.strip() for cell in cells]
    # The cells come first, because :func:`metric_name` writes them: a label with a comma stands in quotes.
    if set(labels) <= label_set.code_of.keys() or classes not in label_set.code_of:
        return labels
    return [classes]


def _code(label: str, label_set: LabelSet, name: str) -> int:
    if label not in label_set.code_of:
        near = did_you_mean(label, label_set)
        shown = listed(list(map(quoted, label_set)), "or", limit=10)
        raise MetricNameError(
            f"{quoted(name)}: {quoted(label)} is not in the label set.{near} The labels are {shown}."
        )
    return label_set.code_of[label]


def _cell(label: str) -> str:
    if re.search(r'[,"\[\]\r\n]', label) or label != label.strip() or not label:
        return '"' + label.replace('"', '""') + '"'
    return label
