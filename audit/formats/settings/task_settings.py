"""Everything that task.toml says."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from audit.domain import DEFAULT_POLICIES, Options, Policies, Role, SourceFile
from audit.errors import SETTINGS_FILE, Issue
from audit.formats.settings.keys import SILENT, Keys
from audit.formats.settings.pattern import Pattern
from audit.formats.settings.tomlfile import line_of


@dataclass(frozen=True, slots=True)
class Wide:
    """The [wide] table: one file with gold and a column for each system.

    Parameters
    ----------
    path : str, optional
        The file.
    gold, id : str, int, optional
        The columns, as in `Keys`.
    systems : tuple of str, optional
        The systems' columns; otherwise all others.
    score : str or mapping of str to str, optional
        What the column of a system's scores is called: with {team} in place of the system's name, or by system.
    keys : Keys
        How the file is read, and the label that a higher score speaks for.
    """

    path: str | None = None
    gold: str | int | None = None
    systems: tuple[str, ...] | None = None
    score: str | Mapping[str, str] | None = None
    keys: Keys = SILENT

    def score_of(self, system: str) -> str | None:
        """The column of a system's scores; None where task.toml names none.

        Examples
        --------
        >>> Wide(score="p of {team}").score_of("SVM"), Wide().score_of("SVM")
        ('p of SVM', None)
        """
        if self.score is None:
            return None
        return self.score.replace("{team}", system) if isinstance(self.score, str) else self.score.get(system)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that task.toml says; None or empty where it is silent.

    Parameters
    ----------
    slug, title : str, optional
        The task's name for the store and for readers.
    note : str, optional
        What every reader of the report must know.
    labels : tuple of str, optional
        The label set, in order.
    rest_label : str, optional
        The label of the rest class.
    official_metric : str, optional
        The official metric as it is written; it is parsed once the label set is known.
    official_decimals : int, optional
        Decimals of the published scores.
    overall : str, optional
        The rule that sums up several test sets.
    weight : float
        What this test set counts there.
    policies : Policies
        What is done where the files leave something open.
    gold_path : str, optional
        The gold file.
    gold, submissions : Keys
        How they are read.
    stratified : bool
        Whether the class counts of gold were fixed by design.
    files : Pattern, optional
        The pattern that says where the submissions are.
    split : str, optional
        At which place a name is split that the pattern can split in several ways: "first" or "last".
    ignore : tuple of str
        Globs of files that are none.
    wide : Wide, optional
        The settings by which the wide file is read.
    teams : mapping of str to str
        Display names by the names that the files give.
    label_names : mapping of str to str
        What readers see in place of labels.
    label_names_file : str, optional
        The mapping file that says it for all.
    label_names_column : str, int, optional
        The column of names in that file, by heading or by number from 1.
    latex_names : mapping of str to str
        What stands for a team in LaTeX files, by its name for readers.
    prevalences : mapping of str to mapping of str to float
        Named prevalences as written.
    options : Options
        How the campaign is evaluated where nobody says otherwise.
    table : str, optional
        The table of the submissions.
    table_columns : mapping of str to str, optional
        What the columns of that table are called, by what they hold, where others stand beside them.
    roles : mapping of str to Role
        The role that a name in a path, a team or a run has; globs.
    published : str, optional
        The table of the published scores.
    part : str, optional
        Which of several test sets these settings are of; its name in the heading.
    elsewhere : tuple of Pattern
        Where the submissions to the other test sets are, by patterns that are not this one's.
    source : SourceFile, optional
        The file; None where there is none.
    lines : mapping of tuple of str to int
        The line of each setting.
    """

    slug: str | None = None
    title: str | None = None
    note: str | None = None
    labels: tuple[str, ...] | None = None
    rest_label: str | None = None
    official_metric: str | None = None
    official_decimals: int | None = None
    overall: str | None = None
    weight: float = 1.0
    policies: Policies = DEFAULT_POLICIES
    gold_path: str | None = None
    gold: Keys = SILENT
    submissions: Keys = SILENT
    stratified: bool = False
    files: Pattern | None = None
    split: str | None = None
    ignore: tuple[str, ...] = ()
    wide: Wide | None = None
    teams: Mapping[str, str] = field(default_factory=dict)
    label_names: Mapping[str, str] = field(default_factory=dict)
    label_names_file: str | None = None
    label_names_column: str | int | None = None
    latex_names: Mapping[str, str] = field(default_factory=dict)
    prevalences: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    table: str | None = None
    table_columns: Mapping[str, str] | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    published: str | None = None
    part: str | None = None
    elsewhere: tuple[Pattern, ...] = ()
    source: SourceFile | None = None
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)

    def of_submission(self, path: str, *names: str | None, score: str | None = None) -> "Settings":
        """The settings for one submission, by its path, its run and its team.

        Where the table of the submissions says what its column of scores is called, that goes before it.
        """
        if score is not None:
            return replace(self, submissions=self.submissions.with_scores((score,)))
        if not self.submissions.score_by_name:
            return self
        keys = self.submissions.of_submission([path, *(name for name in names if name is not None)])
        return replace(self, submissions=keys)

    def issue(self, slug: str, defect: str, *place: str, expected: str | None = None) -> Issue:
        """An issue at the line of a setting."""
        return Issue.of(slug, SETTINGS_FILE, defect, lines=line_of(self.lines, place), expected=expected)
