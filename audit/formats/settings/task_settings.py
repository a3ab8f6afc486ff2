"""What task.toml says of one test set, checked, and ready for what reads the files."""

from dataclasses import dataclass, replace

from audit.domain import DEFAULT_POLICIES, STRICT_POLICIES, ChosenRun, Options, Policies, SourceFile
from audit.errors import SETTINGS_FILE, Issue
from audit.formats.settings.keys import SILENT, Keys, Wide
from audit.formats.settings.pattern import Pattern
from audit.formats.settings.task_toml import TaskToml
from audit.formats.settings.tomlfile import line_of

_SILENT_TOML = TaskToml.model_construct()


@dataclass(frozen=True, slots=True)
class Settings:
    """What task.toml says of one test set."""

    toml: TaskToml = _SILENT_TOML
    gold: Keys = SILENT  # how these files are read by it
    submissions: Keys = SILENT
    wide: Wide | None = None  # how the wide file is read
    policies: Policies = DEFAULT_POLICIES  # what is done where the files leave something open
    part: str | None = None  # which of several test sets this is; its name in the heading
    elsewhere: tuple[Pattern, ...] = ()  # where the submissions to the other test sets are
    source: SourceFile | None = None  # the file; None where there is none

    @classmethod
    def of(cls, toml: TaskToml, source: SourceFile, part: str | None) -> "Settings":
        """The settings of a test set by what task.toml says of it."""
        chosen = tuple(ChosenRun(**run.stated) for run in toml.chosen)
        strict = {"missing": STRICT_POLICIES.missing, "unusable": STRICT_POLICIES.unusable} if toml.strict else {}
        return cls(
            toml,
            gold=toml.gold.keys(toml),
            submissions=toml.submissions.keys(toml),
            wide=None if toml.wide is None else toml.wide.wide(toml),
            policies=Policies(**{**toml.policies.stated, **strict}, chosen=chosen),
            part=part,
            source=source,
        )

    @property
    def stratified(self) -> bool:
        """Whether the class counts of gold were fixed by design."""
        return (self.toml.wide or self.toml.gold).stratified

    @property
    def official_metric(self) -> str | None:
        """The official metric as it is written; it is parsed once the label set is known."""
        return self.toml.official_metric or self.toml.official.metric

    @property
    def options(self) -> Options:
        """How the campaign is evaluated where nobody says otherwise."""
        return Options(**self.toml.resampling.stated)

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
        content = None if self.source is None else self.source.content
        lines = line_of(content or b"", self.part, place)
        return Issue.of(slug, SETTINGS_FILE, defect, lines=lines, expected=expected)
