"""What a user says beside gold and submissions: one table of settings, which the commands and Python share."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from audit.errors import UsageError
from audit.text import quoted

KINDS = ("labels", "sets", "spans")
RUNS = ("all", "best", "last", "primary")

SETTINGS: Mapping[str, str] = {
    "id": "The column of item ids: COLUMN, or GOLD=SUBMISSION where names differ; A,B for two together.",
    "label": "The column of labels: COLUMN, or GOLD=SUBMISSION where names differ.",
    "kind": "What is scored: labels, sets or spans.",
    "scale": "Labels are steps of a scale: true or false; or which, lowest first: low,mid,high.",
    "group": "Items with the same value in this column of gold belong together; none: independent.",
    "official_metric": "The official metric.",
    "runs": "Which runs of a team are ranked: all, best, last or primary.",
    "alias": "Accept a spelling of a label: SPELLING=LABEL.",
    "name": "Team and run in the names of files: a pattern with {team} and {run}.",
}
"""Each setting of the plain door, with its meaning."""


def scale_of(text: str) -> bool | tuple[str, ...]:
    """What is said of a scale: true or false, or its steps.

    >>> scale_of("true"), scale_of("low, mid,high")
    (True, ('low', 'mid', 'high'))
    """
    steps = tuple(step.strip() for step in text.split(","))
    if text.casefold() in {"true", "false"}:
        return text.casefold() == "true"
    if len(steps) == 1 or len(set(steps)) < len(steps) or "" in steps:
        raise UsageError(
            f"--scale {quoted(text)} is none: true, false, or all steps, lowest first, like low,mid,high."
        )
    return steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a user said; None or empty where nothing was."""

    id: str | None = None
    label: str | None = None
    kind: str | None = None
    scale: bool | tuple[str, ...] | None = None
    """Whether labels are steps of a scale, or which, lowest first."""
    group: str | None = None
    official_metric: str | None = None
    runs: str | None = None
    alias: tuple[str, ...] = ()
    name: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in {None, *KINDS}:
            raise UsageError(f"--kind {quoted(str(self.kind))} is none: labels, sets or spans.")
        if self.runs not in {None, *RUNS}:
            raise UsageError(
                f"--runs {quoted(str(self.runs))} is none: all, best, last or primary."
            )
        for alias in self.alias:
            if "=" not in alias.strip("="):
                raise UsageError(
                    f"--alias {quoted(alias)}: write SPELLING=LABEL, the label as gold has it."
                )

    @property
    def is_silent(self) -> bool:
        """Whether nothing was said."""
        return all(getattr(self, field.name) in {None, ()} for field in fields(self))

    @property
    def aliases(self) -> dict[str, str]:
        """The label of each accepted spelling."""
        return dict(alias.split("=", 1) for alias in self.alias)

    def columns(self, setting: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """The columns of gold and of the submissions that a setting names; None where it names none."""
        text = getattr(self, setting)
        if text is None:
            return None
        gold, _, submission = text.partition("=")
        of_gold = tuple(part.strip() for part in gold.split(","))
        return of_gold, tuple(
            part.strip() for part in submission.split(",")
        ) if submission else of_gold

    def toml(self) -> tuple[list[str], list[str], list[str]]:
        """The lines of task.toml that state it: at the top, of [policies], and of [aliases]."""
        from audit.formats.settings.layout import toml_text  # noqa: PLC0415 - it brings NumPy; --help does without

        top = []
        if self.official_metric is not None:
            top.append(f"official_metric = {toml_text(self.official_metric)}")
        if self.scale is not None:
            top.append(f"scale = {str(bool(self.scale)).lower()}")
        if self.runs is None:
            policies = []
        else:
            policies = [f"runs = {toml_text(self.runs)}"]
        aliases = [
            f"{toml_text(spelling)} = {toml_text(label)}"
            for spelling, label in self.aliases.items()
        ]
        return top, policies, aliases
