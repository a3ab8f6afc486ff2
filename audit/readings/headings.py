"""What a column's heading says: which metrics it can mean, and of which class."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from audit.domain import LabelSet, Named, Reading
from audit.errors import MetricNameError
from audit.metrics import BOTH_MACRO_F1, METRICS, metric_name, parse_reading

_MACRO = frozenset({"macro", "mac", "m", "avg", "average", "averaged", "averages", "mean", "unweighted"})
_FILLERS = frozenset({"score", "scores", "measure", "measures", "of", "the", "for", "class", "official", "x", "in"})
_FAMILIES = {
    "f1": {"f", "f1", "fscore", "f1score", "fmeasure", "fs"},
    "recall": {"recall", "recalls", "rec", "r", "sensitivity", "tpr", "avgrec", "uar"},
    "precision": {"precision", "precisions", "prec", "p", "ppv", "avgprec"},
    "accuracy": {"accuracy", "acc"},
    "kappa": {"kappa", "κ", "cohen", "cohens"},
    "f2": {"f2", "f2score"},
    "jaccard": {"jaccard", "iou", "miou"},
    "specificity": {"specificity", "tnr"},
    "informedness": {"informedness", "bookmaker", "youden"},
    "mcc": {"mcc", "matthews", "phi", "correlation", "corr", "coefficient"},
}
_OVERALL = frozenset({"overall", "average", "averaged", "avg", "mean", "final", "total", "combined", "score"})
_ALWAYS_MACRO = {"avgrec", "uar", "avgprec", "miou"}
_TOGETHER = re.compile(
    r"(macro|micro|weighted|avg)(f1|f|recall|r|precision|p)|(f1|f|recall|precision)(macro|micro|weighted|avg)"
)


@dataclass(frozen=True)
class Heading:
    """What a heading can mean."""

    text: str
    """As it stands."""
    slugs: frozenset[str]
    """The metrics it can name; empty where it names none."""
    codes: tuple[int, ...] | None = None
    """The classes it names; None where it names none."""
    exact: str = ""
    """The one score it names in this program's own words; nothing where it is somebody else's."""

    def allows(self, reading: Reading, label_set: LabelSet) -> bool:
        """Whether a reading is one of what the heading can mean."""
        if self.exact:
            return self.exact in (str(reading), str(reading.key))
        if reading.slug not in self.slugs or self.codes is None:
            return reading.slug in self.slugs  # without a class it can stand over the scores of one, the positive say
        return reading.named is Named.ONLY and reading.metric == metric_name(reading.slug, self.codes, label_set)

    @property
    def is_overall(self) -> bool:
        """Whether it names no metric, and is what a mean of the other columns is called."""
        return not self.slugs and bool(_OVERALL & set(_words(self.text)))

    @property
    def is_two_macro_f1s(self) -> bool:
        """Whether it is the name that both macro F1s have."""
        return self.slugs == set(BOTH_MACRO_F1)


def read_heading(text: str, label_set: LabelSet) -> Heading:
    """What a heading says, in this program's words or in the field's.

    Examples
    --------
    >>> labels = LabelSet(("negative", "positive"))
    >>> [sorted(read_heading(text, labels).slugs) for text in ("Macro-F1", "AvgRec", "Acc.", "rank")]
    [['averaged_f1', 'f1_of_averages'], ['macro_recall'], ['accuracy'], []]
    >>> heading = read_heading("Recall (positive)", labels)
    >>> sorted(heading.slugs), heading.codes
    (['recall'], (1,))
    """
    exact = _own_words(text, label_set)
    if exact:
        return Heading(text, frozenset({exact.slug}), None, str(exact))
    words = list(_words(text))
    families = {family for family, names in _FAMILIES.items() if names & set(words)}
    known = set().union(*_FAMILIES.values()) | _MACRO | _FILLERS | {"micro", "weighted", "balanced"}
    codes = _classes([word for word in words if word not in known], label_set)
    slugs = _slugs(families, set(words))
    return Heading(text, frozenset(families if codes and families & slugs else slugs), codes)


def _own_words(text: str, label_set: LabelSet) -> Reading | None:
    try:
        return parse_reading(text, label_set)
    except MetricNameError:
        return None


def _words(text: str) -> Iterator[str]:
    """Words of a heading, in lower case, with words that were written together apart."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = re.sub(r"\bf[\s_-]*1\b", "f1", folded)
    for word in re.findall(r"[^\W_]+", folded):
        parts = _TOGETHER.fullmatch(word)
        yield from filter(None, parts.groups()) if parts else (word,)


def _slugs(families: set[str], words: set[str]) -> set[str]:
    """The metrics that a family of names can mean, with what stands beside it."""
    if len(families) != 1:
        return {"macro_recall"} if families == {"accuracy", "recall"} and "balanced" in words else set()
    (family,) = families
    if family == "accuracy":
        return {"macro_recall"} if words & {"balanced", *_MACRO} else {"accuracy"}
    if family in ("kappa", "mcc"):
        return {family}
    if "micro" in words or (family == "recall" and "weighted" in words):
        return {"accuracy", f"micro_{family}"} & METRICS.keys()
    return _macro_slugs(family) if words & (_MACRO | _ALWAYS_MACRO) else _any_slugs(family, words)


def _macro_slugs(family: str) -> set[str]:
    return {"f1": set(BOTH_MACRO_F1), "f2": {"averaged_f2"}}.get(family, {f"macro_{family}"})


def _any_slugs(family: str, words: set[str]) -> set[str]:
    """What a name can mean that does not say how it is averaged."""
    if family == "f1" and "weighted" in words:
        return {"weighted_f1"}
    return {family, *_macro_slugs(family), *(["weighted_f1"] if family == "f1" else [])}


def _classes(words: list[str], label_set: LabelSet) -> tuple[int, ...] | None:
    """The class whose label the remaining words are, however it is spelt."""
    wanted = "".join(words)
    codes = [code for code, label in enumerate(label_set) if wanted and "".join(_words(label)) == wanted]
    return (codes[0],) if len(codes) == 1 else None
