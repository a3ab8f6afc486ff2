"""What task.toml says about the layout of a file; None where it is silent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from audit.formats.settings.answers import AS_IT_STANDS, Rule, Spelling, Threshold
from audit.formats.settings.grouping import Grouping

ColumnKeys = tuple[str | int, ...]  # columns as task.toml names them: by name, or by number from 1


@dataclass(frozen=True, slots=True)
class Keys:
    """How gold or the submissions are read, from [gold], [submissions] or [wide]; None where task.toml is silent.

    The settings of `FileSettings` and `GoldSettings`, and what those of answers come to: `label` has the scores where
    `rule` makes labels of them, `score` those that are kept beside labels, `score_by_name` the columns where globs of
    path, run or team decide, and `above` the label that a higher one speaks for.
    """

    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    skip: int | None = None
    comment: str | None = None
    quote: str | None = None
    encoding: str | None = None
    sheet: str | int | None = None
    records: str | None = None
    id: ColumnKeys | Literal[False] | None = None
    label: ColumnKeys | None = None
    group: Grouping | None = None
    slices: ColumnKeys = ()
    score: ColumnKeys = ()
    score_by_name: tuple[tuple[str, ColumnKeys], ...] = ()
    above: str | None = None
    rule: Rule | None = None
    spelling: Spelling = AS_IT_STANDS

    @property
    def names_a_column(self) -> bool:
        """Whether a column of ids, labels, groups or slices is named."""
        return bool(self.id or self.label or self.further_columns)

    @property
    def further_columns(self) -> ColumnKeys:
        """The columns beside those of ids and labels that task.toml names: of groups, and of slices."""
        return (*self.group_columns, *self.slices)

    def scored_label(self, labels: Iterable[str]) -> str | None:
        """The label that a higher score of an item speaks for, where scores are kept: there are two labels.

        Scores that a threshold makes labels of are kept where these are the two.
        """
        label_set = set(labels)
        if isinstance(self.rule, Threshold):
            return self.rule.above if {self.rule.above, self.rule.below} == label_set else None
        return self.above if len(label_set) == 2 else None  # noqa: PLR2004 - that label and another one

    @property
    def keeps_scores(self) -> bool:
        """Whether a column of scores beside the labels is named, in every submission or in some."""
        return bool(self.score or (self.score_by_name and not self.makes_labels))

    @property
    def makes_labels(self) -> bool:
        """Whether a threshold makes labels of scores."""
        return isinstance(self.rule, Threshold)

    def of_submission(self, names: Sequence[str]) -> "Keys":
        """These keys for one submission, by the first of the globs that matches it.

        >>> keys = Keys(score_by_name=(("SVM", ("p(spam)",)), ("*", ("score",))))
        >>> keys.of_submission(["svm.csv", "SVM"]).score, keys.of_submission(["A.csv", "A"]).score
        (('p(spam)',), ('score',))
        """
        fitting = (column for glob, column in self.score_by_name if any(fnmatchcase(name, glob) for name in names))
        column = next(fitting, ())
        return self.with_scores(column) if column else self

    def with_scores(self, column: ColumnKeys) -> "Keys":
        """These keys with another column of scores."""
        return replace(self, label=column) if self.makes_labels else replace(self, score=column)

    @property
    def group_columns(self) -> ColumnKeys:
        """The columns of the groups; none where something else says which items belong together."""
        return self.group if isinstance(self.group, tuple) else ()


SILENT = Keys()


@dataclass(frozen=True, slots=True)
class Wide:
    """The [wide] table: one file with gold and a column for each system, as `WideTable` says."""

    path: str | None = None
    gold: str | int | None = None
    systems: tuple[str, ...] | None = None
    score: str | Mapping[str, str] | None = None
    keys: Keys = SILENT

    def score_of(self, system: str) -> str | None:
        """The column of a system's scores; None where task.toml names none.

        >>> Wide(score="p of {team}").score_of("SVM"), Wide().score_of("SVM")
        ('p of SVM', None)
        """
        if self.score is None:
            return None
        return self.score.replace("{team}", system) if isinstance(self.score, str) else self.score.get(system)
