"""A task: what is classified, how it is scored, by which policies, and what is asked of its evaluation."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from audit.domain.kinds import Feature, Kind
from audit.errors import UsageError
from audit.text import did_you_mean, quoted

Number = TypeVar("Number", float, NDArray[np.float64])
_NUMERAL = re.compile(r"[+\-−]?\d+(?:[.,]\d+)?")
_CLASS = re.compile(r"“[^”]*”|\b(?<!rest )[Cc]lass(?:es)?\b")
MOST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a metric's scores, and which end of it is best.

    Whatever ranks or compares asks for the goodness of scores, and nothing else knows of directions.
    """

    lower: float  # the range
    upper: float
    greater_is_better: bool = True
    """Whether the upper end is the best one; otherwise the lower end is."""

    @property
    def is_bounded(self) -> bool:
        """Whether both ends of the range are known."""
        return math.isfinite(self.lower) and math.isfinite(self.upper)

    @property
    def worst(self) -> float:
        """The worst end of the range; infinite where it is not known."""
        if self.greater_is_better:
            return self.lower
        return self.upper

    def goodness(self, scores: Number) -> Number:
        """Scores turned so that higher is better: those of which less is better, mirrored in their range, or at 0."""
        if self.greater_is_better:
            return scores
        if self.is_bounded:
            return self.lower + self.upper - scores
        return -scores

    @property
    def words(self) -> str:
        """Which end is best, in words."""
        if self.greater_is_better:
            return "higher is better"
        return "lower is better"


SHARE = Scale(0.0, 1.0)  # the scale of most metrics


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """Scores of single items that a scorer of the organisers' gave; a team's score is their mean."""

    name: str  # the name of the metric
    scale: Scale = SHARE


@dataclass(frozen=True, slots=True)
class PolicyKind:
    """One entry of the registry."""

    slug: str  # the setting's name in the table ``[policies]`` of task.toml
    title: str  # the choice that the policy makes, in a few words
    values: Mapping[str, str]  # each value with what is then done; the first is the default

    @property
    def default(self) -> str:
        """The value where nothing is said."""
        return next(iter(self.values))


_KINDS = (
    PolicyKind(
        "missing",
        "Missing items",
        {
            "wrong": "count as unanswered: wrong by every metric",
            "drop": "left out of that submission’s scores, which are then of fewer items: marked, and not compared",
            "reject": "reject the submission",
            "worst": "count as the worst number of the column’s range (scores)",
            "mean": "count as the mean of that submission’s predictions (ratings)",
        },
    ),
    PolicyKind(
        "unusable",
        "Labels outside the label set",
        {
            "wrong": "count as unanswered: wrong by every metric",
            "reject": "reject the submission",
        },
    ),
    PolicyKind(
        "extra",
        "Items that gold lacks",
        {
            "reject": "reject the submission",
            "ignore": "are left out, and counted; without ids, those behind the last item",
        },
    ),
    PolicyKind(
        "duplicates",
        "Items answered twice",
        {
            "reject": "reject the submission",
            "first": "the first answer counts",
            "last": "the last answer counts",
        },
    ),
    PolicyKind(
        "runs",
        "Several runs of a team",
        {
            "all": "every run is a row, and a team’s runs with the same answers are one; beside a team’s primary run, "
            "contrastive ones take no rank",
            "primary": "the primary run counts, or the last by name where none or several are primary",
            "last": "the run that is last by name counts",
            "best": "the best run by the official metric counts, which favours teams with many runs",
        },
    ),
    PolicyKind(
        "baselines",
        "Baselines",
        {
            "beside": "beside the teams, from whom they take no rank",
            "ranked": "ranked like teams: the first place is still among the teams",
        },
    ),
    PolicyKind(
        "skipped",
        "A test set that a team skipped",
        {
            "left-out": "the team has no overall rank, and its means are over the test sets it took part in",
            "last": "the team shares the last rank there; it has no mean score",
        },
    ),
    PolicyKind(
        "gold_copy",
        "A submission that equals gold",
        {
            "refuse": "is refused where its columns, items and labels are the gold file’s; where only its labels are, "
            "the verdict asks whether it is a copy",
            "accept": "is a submission like any other",
        },
    ),
)

# the registry: every policy, by slug
POLICY_KINDS: Mapping[str, PolicyKind] = {kind.slug: kind for kind in _KINDS}


@dataclass(frozen=True, slots=True)
class ChosenRun:
    """The run that counts for one team, whatever the run policy says."""

    team: str  # their names
    run: str
    reason: str  # why, in the organiser's words


@dataclass(frozen=True, slots=True)
class Policies:
    """The policies in force: for each entry of the registry, one of its values."""

    missing: str = "wrong"  # the value of each policy, one of those in `POLICY_KINDS`
    unusable: str = "wrong"
    extra: str = "reject"
    duplicates: str = "reject"
    runs: str = "all"
    baselines: str = "beside"
    skipped: str = "left-out"
    gold_copy: str = "refuse"
    chosen: tuple[ChosenRun, ...] = ()  # teams whose run is named one by one

    @property
    def differences(self) -> tuple[str, ...]:
        """The slugs of the policies that are not the default."""
        return tuple(
            slug for slug, kind in POLICY_KINDS.items() if getattr(self, slug) != kind.default
        )


COUNTED_AS: Mapping[str, str] = {
    "wrong": "wrong",
    "worst": "the worst number of the range",
    "mean": "the mean of the team’s predictions",
}
"""What missing items count as by each policy that counts them."""

DEFAULT_POLICIES = Policies()
STRICT_POLICIES = Policies(missing="reject", unusable="reject")


@dataclass(frozen=True)
class LabelSet:
    """The closed, ordered set of labels of a task."""

    labels: tuple[str, ...]
    """The labels as text, exactly as they stand in the files; a label's code is its position."""
    declared: bool = False  # whether task.toml declares it; otherwise it was taken from gold
    names: tuple[str, ...] = ()
    """What readers see in place of each label; empty where they see the labels."""
    rest: str | None = None  # the label of the rest class, which joins no average over classes
    kind: Kind = Kind.CLASSES  # what is scored; where it is sets, the rest class is *nothing*
    scale: tuple[float, ...] = ()  # the value of each label, where their order is a scale
    other: str | None = None
    """Of sets, what stands for every label that only teams use; it joins no average."""
    columns: tuple[ScoreColumn, ...] = ()
    """The task's own metrics, where no labels are scored but columns."""

    def __post_init__(self) -> None:
        if not self.labels and self.supports(Feature.CLASSES):
            raise UsageError("A label set needs at least one label.")
        if len(set(self.labels)) < len(self.labels):
            twice = next(label for label in self.labels if self.labels.count(label) > 1)
            raise UsageError(f"The label set has {quoted(twice)} twice.")
        if self.names and len(set(self.names)) < len(self.labels):
            raise UsageError("A label set with names needs one for each label, each another.")
        if self.rest is not None and self.rest not in self.labels:
            raise UsageError(
                f"The rest class {quoted(self.rest)} is no label here.{did_you_mean(self.rest, self)}"
            )
        if self.scale and (
            len(self.scale) != len(self.labels) or any(b <= a for a, b in pairwise(self.scale))
        ):
            raise UsageError("A scale has a value for each label, each above the one before.")
        if self.scale and (self.rest is not None or not self.supports(Feature.ANSWERS)):
            raise UsageError(
                "Labels on a scale are classes of items, none of which is a rest class."
            )
        if self.other is not None and self.labels[-2:-1] != (self.other,):
            raise UsageError(
                "What stands for labels that only teams use is of sets, and stands before *nothing*."
            )
        if self.rest is not None and len(self.labels) == 1:
            raise UsageError(
                f"Beside the rest class {quoted(self.rest)} there is no class to average over."
            )
        if self.columns and not self.supports(Feature.COLUMNS):
            raise UsageError(f"A task of {self.kind} has no scores of items beside its labels.")

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[str]:
        return iter(self.labels)

    @cached_property
    def code_of(self) -> dict[str, int]:
        """Label → code."""
        return {label: code for code, label in enumerate(self.labels)}

    @property
    def rest_code(self) -> int | None:
        """The code of the rest class; None where there is none."""
        if self.rest is None:
            return None
        return self.code_of[self.rest]

    @property
    def other_code(self) -> int | None:
        """The code of all labels that only teams use, where sets are scored; None where there is none."""
        if self.other is None:
            return None
        return self.code_of[self.other]

    def beyond(self, label: str) -> int:
        """-1 for a number below all labels of a scale, 1 for one above them, 0 for any other label.

        >>> [LabelSet(("0", "1"), scale=(0, 1)).beyond(label) for label in ("-1", "0.5", "5", "many")]
        [-1, 0, 1, 0]
        """
        if not self.scale:
            return 0
        lowest, number, highest = map(_number, (self.labels[0], label, self.labels[-1]))
        return int(number > highest) - int(number < lowest)

    def unusable_code(self, label: str) -> int:
        """The code of a label outside the label set: one more for a number below all labels of a scale.

        >>> [LabelSet(("0", "1"), scale=(0, 1)).unusable_code(label) for label in ("-1", "5", "many")]
        [4, 3, 3]
        """
        return len(self) + 1 + (self.beyond(label) < 0)

    def supports(self, *features: Feature) -> bool:
        """Whether tasks of this kind have all of these."""
        return self.kind.supports(*features)

    @property
    def nothing_code(self) -> int | None:
        """The code of what is not in a set, always the last one; None where answers are no sets."""
        if self.supports(Feature.UNITS):
            return len(self.labels) - 1
        return None

    @property
    def rest_class(self) -> str | None:
        """The rest class, where it is a class of items; None where it is *nothing*."""
        if self.supports(Feature.UNITS):
            return None
        return self.rest

    @property
    def stand_ins(self) -> frozenset[str]:
        """The labels that nobody may use: *nothing*, and what stands for labels of teams alone."""
        if not self.supports(Feature.UNITS):
            return frozenset()
        return frozenset(label for label in (self.rest, self.other) if label is not None)

    @property
    def noun(self) -> str:
        """What a label is to the task: a class of items, one of a unit's labels, or a type of spans."""
        return self.kind.traits.label

    @property
    def nouns(self) -> str:
        """The plural of :attr:`noun`."""
        return self.kind.traits.labels

    def worded(self, text: str) -> str:
        """Words on classes, said of what these labels are; a name in them stands in quotes, and stays as it is."""
        words = {"class": self.noun, "classes": self.nouns}
        words |= {name.capitalize(): noun.capitalize() for name, noun in words.items()}
        return _CLASS.sub(lambda found: words.get(found[0], found[0]), text)

    @property
    def n_scored(self) -> int:
        """Number of labels that have scores by themselves: all but those that stand for others, which are the last."""
        if not self.supports(Feature.CLASSES):
            return 0
        return len(self.labels) - (self.nothing_code is not None) - (self.other is not None)

    @property
    def named(self) -> tuple[str, ...]:
        """Each label as a sentence quotes it: by its name, where task.toml gives names. Data have the label itself."""
        return self.names or self.labels

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """Each label as it stands in tables and figures: as in sentences, a numeral in quotes, as it is no number."""
        return tuple(f"“{name}”" if _NUMERAL.fullmatch(name) else name for name in self.named)

    def shown_as(self, label: str) -> str:
        """A label as it stands in tables and figures."""
        return self.shown[self.code_of[label]]


def _number(label: str) -> float:
    """The number that a label is; NaN where it is none."""
    try:
        return float(label)
    except ValueError:
        return math.nan


_NUMERAL_LABEL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


def numerals(labels: Sequence[str]) -> tuple[float, ...]:
    """The number that each label writes; empty where some label writes none.

    >>> numerals(["10", "8.5", "-1"]), numerals(["8", "high"])
    ((10.0, 8.5, -1.0), ())
    """
    if all(map(_NUMERAL_LABEL.fullmatch, labels)):
        return tuple(map(float, labels))
    return ()


def labels_on_scale(
    labels: Sequence[str],
    scale: bool | Sequence[float],  # noqa: FBT001
    order: Sequence[str] | None = None,
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Labels in the order of their scale, the lowest first, with the value of each; as they are where there is none.

    Where the scale is true the labels are a step of one apart: in the order that is stated, else numerals in the order
    of their values, and words as they stand. Where it is values, these are of the labels as they stand.

    >>> labels_on_scale(["10", "11", "8", "9"], True)
    (('8', '9', '10', '11'), (0.0, 1.0, 2.0, 3.0))
    """
    if scale is False:
        return tuple(labels), ()
    if scale is not True:
        return tuple(order or labels), tuple(map(float, scale))
    if order is None and (numbers := numerals(labels)):
        by_value = sorted(zip(numbers, labels, strict=True))
        order = [label for _, label in by_value]
    return tuple(order or labels), tuple(map(float, range(len(labels))))


@dataclass(frozen=True)
class Prevalence:
    """A class distribution at which scores are computed: the second coordinate of a score."""

    name: str  # ``observed``, ``balanced``, or the name given in task.toml
    shares: tuple[tuple[str, float], ...] = ()
    """The target share of each class in gold, for a named prevalence only."""

    @property
    def suffix(self) -> str:
        """Mark behind a metric's slug: nothing, the papers' tilde, or ``@name``."""
        return {"observed": "", "balanced": "~"}.get(self.name, f"@{self.name}")


OVERALL_RULES: Mapping[str, str] = {
    "mean-score": "mean score",
    "mean-rank": "mean rank",
    "borda": "Borda count",
}
"""The rules that sum up several test sets: what task.toml calls them, and what readers do."""

OBSERVED = Prevalence("observed")
BALANCED = Prevalence("balanced")


@dataclass(frozen=True, order=True)
class ScoreKey:
    """The two coordinates of a score: metric and prevalence.

    >>> str(ScoreKey("averaged_f1", "balanced"))
    'averaged_f1~'
    >>> str(ScoreKey("kappa", "uniform"))
    'kappa@uniform'
    """

    metric: str
    prevalence: str = "observed"

    def __str__(self) -> str:
        return self.metric + Prevalence(self.prevalence).suffix


@dataclass(frozen=True)
class LikelyGroups:
    """What in gold looks as if it said which items belong together, where nobody has said whether they do."""

    what: str  # in words: “column “qid””
    n_groups: int
    n_items: int
    setting: str  # the line that takes it, such as ``group = "qid" under [gold]``
    option: str | None = None  # the value of ``--group`` that takes it; None where no option does

    @property
    def per_group(self) -> str:
        """The number of items of each group, which is said to be about so many where groups differ in size."""
        size, rest = divmod(self.n_items, self.n_groups)
        if not rest:
            return f"{size}"
        return f"about {self.n_items / self.n_groups:.0f}"


@dataclass(frozen=True)
class Task:
    """The task: what is classified and how it is scored."""

    slug: str  # the task's name in the store and on the command line
    title: str  # the task's name for readers
    label_set: LabelSet  # the labels and their order
    official_metric: ScoreKey | None = None
    """The metric the campaign announced; None where none is stated."""
    official_decimals: int | None = None
    """Decimals of the scores on which the published ranking was made."""
    policies: Policies = DEFAULT_POLICIES  # what is done where the files leave something open
    prevalences: tuple[Prevalence, ...] = ()  # named prevalences beside observed and balanced
    assumptions: tuple[str, ...] = field(default=())
    """What was assumed because no task.toml says it, one sentence each."""
    family: str | None = None
    """The campaign that this task is one test set of; None where it has one only."""
    part: str | None = None  # the test set of the campaign, where it has several
    note: str = ""
    """What every reader of the report must know, such as that the data are reconstructed."""
    overall: str | None = None
    """The announced rule that sums up several test sets, one of OVERALL_RULES."""
    weight: float = 1.0  # what this test set counts where several are summed up
    scored_labels: tuple[str, ...] = ()
    """One of two that a higher score of an item speaks for, or each with scores."""
    likely_groups: LikelyGroups | None = None  # what looks like groups, while no policy is stated
    scale_is_open: bool = False
    """Whether the labels look like steps of a scale, while nobody said if they are."""
    about_teams: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """What the campaign's teams.csv says of each team, by the names of its columns."""
    door: str = "task.toml"  # where settings are stated: there, or “options” of a command or call
    said: tuple[str, ...] = ()  # the options of the command that loaded it, as its words

    @property
    def printed_decimals(self) -> int:
        """Digits after the point of a printed score: those of the published ranking, or three."""
        if self.official_decimals is None:
            return 3
        return self.official_decimals

    @property
    def scored_codes(self) -> list[int]:
        """The codes of the labels with scores."""
        return [self.label_set.code_of[label] for label in self.scored_labels]

    @property
    def scored_prevalences(self) -> tuple[Prevalence, ...]:
        """The class distributions at which every metric is computed; of sets the observed one, the only one."""
        if not self.label_set.supports(Feature.PREVALENCES):
            return (OBSERVED,)
        return (OBSERVED, BALANCED, *self.prevalences)

    @property
    def ranking_metric(self) -> ScoreKey:
        """The metric that orders the main table: the official one, or the default of the kind of task."""
        own = [column.name for column in self.label_set.columns]
        return self.official_metric or ScoreKey(
            *own[:1] or [self.label_set.kind.traits.default_metric]
        )


@dataclass(frozen=True)
class Options:
    """The options of an evaluation. Evaluations of the same data with other options stand beside each other."""

    seed: int = 1  # seeds every draw
    certainty: bool = True  # whether intervals and comparisons are computed
    compare: tuple[str, ...] = ()
    """Further scores by which all pairs are compared, such as ``mcc~``."""

    def __post_init__(self) -> None:
        seed: object = self.seed
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MOST_SEED:
            raise UsageError(f"seed is a whole number from 0 to {MOST_SEED:,}, not {seed!r}.")


def options_from(document: Mapping[str, Any]) -> Options:
    """The options that stand in a document as :func:`dataclasses.asdict` gives them; other fields of it are let be."""
    certainty = document["certainty"]
    compare = document["compare"]
    if not isinstance(certainty, bool):
        raise UsageError(f"certainty is true or false, not {certainty!r}.")
    if not isinstance(compare, list) or not all(isinstance(name, str) for name in compare):
        raise UsageError(f"compare is a list of names, not {compare!r}.")
    return Options(document["seed"], certainty, tuple(compare))


@dataclass(frozen=True)
class StatedOptions:
    """The options that a user states, as :class:`Options` has them; None where the campaign's own hold."""

    seed: int | None = None
    certainty: bool | None = None
    compare: tuple[str, ...] | None = None

    def over(self, options: Options) -> Options:
        """Options, with what is stated here in place of theirs."""
        return replace(
            options, **{name: value for name, value in vars(self).items() if value is not None}
        )


NOTHING_STATED = StatedOptions()
