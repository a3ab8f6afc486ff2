"""What a column's heading says: which metrics it can mean, and of which class."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from audit.domain import LabelSet, Named, Reading
from audit.errors import MetricNameError
from audit.metrics import (
    BOTH_MACRO_F1,
    ITEM_SCORE_METRICS,
    METRICS,
    cuts_of,
    metric_name,
    parse_reading,
)

_MACRO = frozenset(
    {"macro", "mac", "m", "avg", "average", "averaged", "averages", "mean", "unweighted"}
)
_FILLERS = frozenset(
    {"score", "scores", "measure", "measures", "of", "the", "for", "class", "official", "x", "in"}
)
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
    "auc": {"auc", "auroc", "aucroc", "rocauc"},
    "average_precision": {"ap", "auprc", "aupr", "prauc", "aucpr"},
    "brier": {"brier"},
    "c_at_1": {"c@1"},
    "coverage": {"coverage", "cov"},
}
_ON_SCALE = {
    "quadratic_kappa": {"qwk"},
    "linear_kappa": {"lwk"},
    "ordinal_alpha": {"alpha", "α", "krippendorff"},
    "mae": {"mae", "mad"},
    "macro_mae": {"mmae", "macromae"},
    "within_one": {"within", "adjacent"},
    "cem": {"cem", "closeness"},
    "tau_b": {"tau", "τ", "kendall"},
    "spearman_labels": {"rho", "ρ", "spearman"},
}
_WEIGHTS = {
    **{word: {"quadratic_kappa"} for word in ("quadratic", "quadratically", "squared")},
    **{word: {"linear_kappa"} for word in ("linear", "linearly")},
    "weighted": {"linear_kappa", "quadratic_kappa"},
}
_ANSWERED = frozenset({"answered", "attempted", "covered", "selective"})
_BOTH_ANSWERED_F1 = frozenset({"answered_averaged_f1", "answered_f1_of_averages"})
_BOTH_PRECISIONS = frozenset({"macro_precision", "average_precision"})
# metrics that are called alike
SHARED = (frozenset(BOTH_MACRO_F1), _BOTH_ANSWERED_F1, _BOTH_PRECISIONS)
_F_BETA = re.compile(
    r"\bf(?:[\s_-]*(?:-?beta|β)[\s_=(]*(?:β\s*=\s*)?(\d+(?:[.,]\d+)?)|(\d+(?:[.,]\d+)?)|[\s_-]+(\d+[.,]\d+))(?![\d.,])"
)
_MEAN_RANK = (
    frozenset({"rank", "ranks", "ranking"}),
    frozenset({"mean", "avg", "average", "averaged"}),
)
_NO_MEAN_RANK = frozenset(
    {"reciprocal", "correlation", "corr", "score", "scores", "loss", "percentile"}
)
_OVERALL = frozenset(
    {"overall", "average", "averaged", "avg", "mean", "final", "total", "combined", "score"}
)
_COUNTS = frozenset(
    {
        "entries",
        "entry",
        "submissions",
        "runs",
        "attempts",
        "tries",
        "count",
        "counts",
        "n",
        "number",
        "items",
        "size",
    }
    | {
        "sizes",
        "members",
        "params",
        "parameters",
        "epochs",
        "year",
        "years",
        "age",
        "id",
        "ids",
        "version",
        "seed",
    }
)
_DATES = frozenset(
    {
        "date",
        "dates",
        "day",
        "month",
        "time",
        "timestamp",
        "submitted",
        "uploaded",
        "hours",
        "minutes",
    }
)
_ALWAYS_MACRO = {"avgrec", "uar", "avgprec", "miou"}
_TOGETHER = re.compile(
    r"(macro|micro|weighted|avg)(f1|f|recall|r|precision|p)|(f1|f|recall|precision)(macro|micro|weighted|avg)"
)


@dataclass(frozen=True)
class Heading:
    """The meanings that a heading can have."""

    text: str  # the heading, as it is printed
    slugs: frozenset[str]  # the metrics it can name
    codes: tuple[int, ...] | None = None  # the classes it names
    exact: str = ""
    """The one score it names in this program's own words; nothing where it is somebody else's."""
    cut: str = ""  # the cut of the scale that it names
    is_understood: bool = True
    """Whether every word of it is a metric's, a filler or a label: “W-R” is not, and may name more than is known."""

    def allows(self, reading: Reading, label_set: LabelSet) -> bool:
        """Whether a reading is one of what the heading can mean."""
        if self.exact:
            return self.exact in (str(reading), str(reading.key))
        cut = ""
        if "|" in reading.brackets:
            cut = reading.brackets[1:-1]
        if label_set.scale and self.cut != cut:
            return False
        if reading.slug not in self.slugs or self.codes is None:
            # without a class it can stand over the scores of one, the positive say
            return reading.slug in self.slugs
        name = metric_name(reading.slug, self.codes, label_set)
        return reading.named is Named.ONLY and reading.metric == name

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the heading, in lower case."""
        return tuple(_words(self.text))

    @property
    def family(self) -> str:
        """The family of names that it is of (precision, recall, f1, …); empty where it is of none, or of several."""
        families = _families(set(self.words))
        if len(families) == 1:
            return families.pop()
        return ""

    @property
    def rest(self) -> tuple[str, ...]:
        """What it says beside its family: the class or the kind of mean."""
        names = _FAMILIES.get(self.family, set()) | _FILLERS
        return tuple(sorted(word for word in self.words if word not in names))

    @property
    def is_of_counts(self) -> bool:
        """Whether the heading names no score, but a count or a date."""
        return not self.slugs and not (_COUNTS | _DATES).isdisjoint(self.words)

    @property
    def may_be_of_scores(self) -> bool:
        """Whether some word of the heading is one for scores or means."""
        return bool(self.slugs) or not (_OVERALL | _MACRO | _FURTHER_WORDS).isdisjoint(self.words)

    @property
    def is_overall(self) -> bool:
        """Whether the heading names no metric, but a mean of the other columns."""
        return not self.slugs and not self.is_mean_rank and bool(_OVERALL & set(_words(self.text)))

    @property
    def is_mean_rank(self) -> bool:
        """Whether the heading names no metric, but a mean of ranks."""
        words = set(_words(self.text))
        return (
            not self.slugs
            and not words & _NO_MEAN_RANK
            and all(words & names for names in _MEAN_RANK)
        )


def read_heading(text: str, label_set: LabelSet) -> Heading:
    """The meaning of a heading, in this program's words or in the field's."""
    try:
        plain = _OF_CLASSES.sub("", text.strip()).casefold()
        exact = parse_reading(_FORMULAS.get(plain, text), label_set)
    except MetricNameError:
        pass
    else:
        return Heading(text, frozenset({exact.slug}), None, str(exact))
    cut, rest = _cut_of(text, label_set)
    if cut:
        return replace(read_heading(rest, label_set), text=text, cut=cut, exact="")
    labels = {"".join(_words(label)) for label in label_set}
    words = list(_words(text, labels))
    families = _families(set(words))
    answered = set(words) & _ANSWERED - labels
    if label_set.scale:
        on_scale = _slugs_on_scale(set(words))
    else:
        on_scale = set()
    if on_scale:
        return Heading(text, frozenset(on_scale))
    known_words = (
        set().union(*_FAMILIES.values()) | families | _MACRO | _FILLERS | answered | _FURTHER_WORDS
    )
    further = [word for word in words if word not in known_words]
    codes = _classes(further, label_set)
    if answered:
        slugs = _of_answered(families)
    else:
        slugs = _slugs(families, set(words))
    # of scores for one label: the other way round AUC is the same
    if codes and slugs & set(ITEM_SCORE_METRICS):
        return Heading(text, frozenset(slugs - {"average_precision"}))
    of_class = codes and families & slugs
    understood = not further or codes is not None
    return Heading(
        text, frozenset(families if of_class else slugs), codes, is_understood=understood
    )


_FORMULAS = {
    **{METRICS[slug].phrase.casefold(): slug for slug in BOTH_MACRO_F1},
    "averaged f1": "averaged_f1",
}
"""The words that say which macro F1 it is: as named here, and “averaged F1” as Opitz & Burst have it."""

_OF_CLASSES = re.compile(
    r"\s+of (types|labels|classes)$|(?<= of )(type|label|class) (?=averages$)", re.IGNORECASE
)
"""Words without which these are the same: macro-averaged F1 of types, F1 of type averages."""


def _cut_of(text: str, label_set: LabelSet) -> tuple[str, str]:
    """The cut of the scale in a heading, and what is left of it; the whole where it has none."""
    written = re.sub(r"\s*([|,])\s*", r"\1", text)
    for cut in cuts_of(label_set):
        before, found, behind = re.sub(rf"(?<!\w){re.escape(cut)}(?!\w)", "\n", written).partition(
            "\n"
        )
        if found:
            return cut, f"{before} {behind}".strip(" ()[]@:")
    return "", text


def _slugs_on_scale(words: set[str]) -> set[str]:
    """The metrics of labels on a scale that words can mean; a weighted kappa has either weights."""
    slugs = {slug for slug, names in _ON_SCALE.items() if names & words}
    if words >= {"mean", "absolute", "error"}:
        slugs, words = {"mae"}, words - {"mean"}
    if slugs == {"mae"} and words & _MACRO:
        return {"macro_mae"}
    is_kappa = not slugs and words & _FAMILIES["kappa"]
    return next((slugs for word, slugs in _WEIGHTS.items() if is_kappa and word in words), slugs)


_FURTHER_WORDS = {"micro", "weighted", "balanced", "roc", "pr", "curve", "area", "under"}


def _families(words: set[str]) -> set[str]:
    """The families of names that a heading's words are of."""
    families = {family for family, names in _FAMILIES.items() if names & words}
    families |= {word for word in words if re.fullmatch(r"f\d+(\.\d+)?", word) and word in METRICS}
    if words >= {"area", "under", "curve"}:
        families = (families - {"precision", "recall"}) | {"auc"}
    if "auc" in families and words & {"pr", "prc", "precision"}:
        return (families - {"auc", "precision", "recall"}) | {"average_precision"}
    return families


def _words(text: str, labels: Collection[str] = ()) -> Iterator[str]:
    """Words of a heading, in lower case, with words that were written together apart.

    F_2 is F2, unless 2 is a label.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = re.sub(r"['’]s\b", "", folded)
    folded = re.sub(r"\bf[\s_-]*1\b(?![.,]\d)", "f1", folded)
    folded = re.sub(r"\bc\s*@\s*1\b", " c@1 ", folded)
    folded = _F_BETA.sub(_f_beta, folded)
    folded = re.sub(
        r"\bf[_-](\d+)\b",
        lambda match: match[0] if match[1] in labels else f" f{match[1]} ",
        folded,
    )
    for word in re.findall(r"c@1|\bf\d+\.\d+|[^\W_]+", folded):
        parts = _TOGETHER.fullmatch(word)
        yield from filter(None, parts.groups()) if parts else (word,)


def _f_beta(match: "re.Match[str]") -> str:
    """An F score with its β as this program writes it."""
    beta = float(next(filter(None, match.groups())).replace(",", "."))
    return f" f{beta:g} "


def _slugs(families: set[str], words: set[str]) -> set[str]:
    """The metrics that a family of names can mean, with what stands beside it."""
    if families == {"accuracy", "recall"} and "balanced" in words:
        return {"macro_recall"}
    if len(families) != 1:
        return set()
    (family,) = families
    weighted = f"weighted_{family}"
    if family in _ALONE:
        slugs = {family}
    elif family == "accuracy" and words & {"balanced", *_MACRO}:
        slugs = {"macro_recall"}
    elif family == "accuracy":
        slugs = {"accuracy"}
    elif "micro" in words or (family == "recall" and "weighted" in words):
        slugs = {"accuracy", f"micro_{family}"} & METRICS.keys()
    elif words & (_MACRO | _ALWAYS_MACRO):
        slugs = _macro_slugs_among(family, words)
    elif "weighted" in words and weighted in METRICS:
        slugs = {weighted}
    else:
        slugs = {family, *_macro_slugs(family)}
        if family == "f1":
            slugs.add(weighted)
    return slugs


def _macro_slugs_among(family: str, words: set[str]) -> set[str]:
    """The means of class scores that words like macro, mean or average can mean."""
    says_average = words & {"average", "avg"}
    says_macro = words & {"macro", "mac", "m", "unweighted", "averaged"}
    if family == "precision" and says_average and not says_macro:
        return set(_BOTH_PRECISIONS)  # over classes, or over the ranks of the items
    return _macro_slugs(family)


_ALONE = frozenset({"kappa", "mcc", "auc", "average_precision", "brier", "c_at_1", "coverage"})


def _of_answered(families: set[str]) -> set[str]:
    """The scores of the answered items; the share of these where no score is named."""
    of_family = {
        "f1": set(_BOTH_ANSWERED_F1),
        "accuracy": {"answered_accuracy"},
        "coverage": {"coverage"},
    }
    if not families:
        return {"coverage"}
    return of_family.get("".join(families), set())


def _macro_slugs(family: str) -> set[str]:
    if family == "f1":
        return set(BOTH_MACRO_F1)
    if re.match(r"f\d", family):
        return {f"averaged_{family}"}
    return {f"macro_{family}"}


def _classes(words: list[str], label_set: LabelSet) -> tuple[int, ...] | None:
    """The class whose label the remaining words are, however it is spelt."""
    joined = "".join(words)
    codes = [
        code for code, label in enumerate(label_set) if joined and "".join(_words(label)) == joined
    ]
    if len(codes) == 1:
        return (codes[0],)
    return None
