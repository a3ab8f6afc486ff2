"""The kinds of tasks: what each asks for, what can be said of it, and the words for it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol, Self, TypeVar


class Feature(StrEnum):
    """What a task may have. A section, flag, analysis, figure or metric states which of these it needs."""

    CLASSES = "classes"  # labels, of which each has scores of its own
    ANSWERS = "answers"  # one label for each item, so that a class has true negatives
    CONFUSIONS = "confusions"  # an answer that is wrong is another label
    PREVALENCES = "prevalences"  # class distributions other than the test set's
    CHANCE = "chance"  # scores of answers that were given without a look at the items
    PROPERTIES = "properties"  # the five properties that Opitz 2024 asks of metrics
    MACRO_F1 = "macro F1"  # two formulas are called macro F1
    UNITS = "units"  # answers are sets, compared unit by unit; a last label stands for nothing
    CLOSED = "closed"  # a declared label set is all that an answer may have
    BOUNDARIES = "boundaries"  # spans begin and end; tags that mark them can be broken
    COLUMNS = "columns"  # scores of single items, which the organisers' own scorers gave
    NUMBERS = "numbers"  # each item has numbers and no label


Needs = frozenset[Feature]
NO_NEEDS: Needs = frozenset()


@dataclass(frozen=True, kw_only=True)
class Traits:
    """What is declared of one kind of task."""

    supports: Needs
    label: str  # what a label is, in the singular and in the plural
    labels: str
    item: str = "item"  # what is drawn and counted, where gold has no word of its own for it
    of_each_label: str = "items"  # what gold has of each label
    scored: str = "items"  # what is right or wrong
    in_gold: str = ""  # what is counted beside the items, where one may have several: “gold span”
    distinct: str = ""  # stands before a count of labels that items share: “different ”
    ranked: str = ""  # ends the heading of a ranking: “ranked by micro F1 of spans”
    signature: str = ""  # names the kind in the signature of a score
    hit: str = ""  # what counts as a hit, where readers must be told
    default_metric: str = "averaged_f1"  # ranks where no official metric is stated
    plain_metric: str = "accuracy"  # stands in for a metric that is not of labels
    own_metrics: tuple[str, ...] = ()  # every evaluation has these, beside those of all kinds
    paper_metrics: tuple[str, ...] = ("accuracy", "mcc", "averaged_f1~")  # columns of a wide table
    call: str = "audit.evaluate(gold, predictions)"  # how arrays of this kind are audited in Python
    missing: tuple[str, ...] = ("wrong", "drop", "reject")  # what can be done about missing answers
    undefined: str = ""  # says of what this kind does not support why it does not
    left_out: str = ""  # the one sentence that says what the page leaves out


_CLASSES = Traits(
    supports=frozenset(Feature)
    - {Feature.UNITS, Feature.BOUNDARIES, Feature.COLUMNS, Feature.NUMBERS},
    label="class",
    labels="classes",
)
_LABELS = Traits(
    supports=frozenset({Feature.CLASSES, Feature.MACRO_F1, Feature.UNITS, Feature.CLOSED}),
    label="label",
    labels="labels",
    item="unit",
    scored="gold labels",
    in_gold="gold label",
    distinct="different ",
    ranked=" of labels",
    signature="sets-of-labels",
    hit="sets of labels are scored: a label is a hit where both sets have it",
    plain_metric="micro_f1",
    own_metrics=("micro_precision", "micro_recall", "micro_f1"),
    paper_metrics=("micro_f1", "micro_precision", "micro_recall"),
    undefined="is not defined for sets: it needs a count of true negatives, which spans have not, "
    "and which of several labels each has only by itself, as a binary task.",
    left_out="accuracy, kappa, MCC, specificity, scores at another prevalence, baselines by chance "
    "and what follows from them: they need a count of true negatives, which sets as a whole have "
    "not",
)
_SPANS = replace(
    _LABELS,
    supports=_LABELS.supports - {Feature.CLOSED} | {Feature.BOUNDARIES},
    label="type",
    labels="types",
    of_each_label="spans",
    scored="gold spans",
    in_gold="gold span",
    distinct="",
    ranked=" of spans",
    signature="sets-of-spans",
    default_metric="micro_f1",  # as conlleval and seqeval have it
    hit="sets of spans are scored: a span is a hit where its type, first and last position are those of gold",
)

_SCORES = Traits(
    supports=frozenset({Feature.NUMBERS, Feature.COLUMNS}),
    label="number",
    labels="numbers",
    signature="scores-of-items",
    call="audit.evaluate_scores(scores)",
    paper_metrics=(),
    missing=("worst", "drop", "reject"),
    undefined="needs labels, and the scorer gave numbers.",
    left_out="confusions, other class distributions, chance and the two formulas of macro F1: there are no classes",
)
_RATINGS = replace(
    _SCORES,
    supports=frozenset({Feature.NUMBERS}),
    signature="ratings",
    call="audit.evaluate_ratings(gold, predictions)",
    missing=("mean", "drop", "reject"),
    default_metric="spearman",
    plain_metric="spearman",
    paper_metrics=("spearman", "pearson", "kendall_tau_b", "rmse"),
    own_metrics=(
        "spearman",
        "pearson",
        "kendall_tau_b",
        "ccc",
        "mean_absolute_error",
        "rmse",
        "r_squared",
    ),
    undefined="needs labels, and gold has numbers.",
)


class Kind(StrEnum):
    """What a task asks for. Outside this room nobody asks for a kind's name, but for its traits."""

    traits: Traits

    def __new__(cls, slug: str, traits: Traits) -> Self:
        """A member that is the slug of task.toml, the store and JSON, with its traits."""
        kind = str.__new__(cls, slug)
        kind._value_ = slug
        kind.traits = traits
        return kind

    CLASSES = "classes", _CLASSES
    LABELS = "labels", _LABELS
    SPANS = "spans", _SPANS
    SCORES = "scores", _SCORES
    RATINGS = "ratings", _RATINGS

    def supports(self, *features: Feature) -> bool:
        """Whether tasks of this kind have all of these.

        >>> Kind.SPANS.supports(Feature.MACRO_F1), Kind.SPANS.supports(Feature.CHANCE)
        (True, False)
        """
        return self.traits.supports.issuperset(features)


STATED_KINDS: Mapping[str, Kind] = {
    "classes": Kind.CLASSES,
    "sets": Kind.LABELS,
    "scores": Kind.SCORES,
    "ratings": Kind.RATINGS,
}
"""What ``kind`` in task.toml may be. Whether sets are of labels or of spans, gold says."""


class _Needing(Protocol):
    @property
    def needs(self) -> Needs: ...


Item = TypeVar("Item", bound=_Needing)


def supported(things: Iterable[Item], kind: Kind) -> tuple[Item, ...]:
    """Those sections, flags, figures or metrics whose needs a kind of task meets, in their order."""
    return tuple(thing for thing in things if kind.supports(*thing.needs))
