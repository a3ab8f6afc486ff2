"""What a user says beside gold and submissions: one table of settings, which the commands and Python share."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from audit.errors import UsageError
from audit.text import quoted

KINDS = ("labels", "sets", "spans", "scores", "ratings")
SCORED_AS = {
    "labels": "classes",
    "sets": "sets",
    "spans": "sets",
    "scores": "scores",
    "ratings": "ratings",
}
"""The kind of task.toml by that of ``--kind``."""
RUNS = ("all", "best", "last", "primary")

SETTINGS: Mapping[str, str] = {
    "id": "The column of item ids: COLUMN, or GOLD=SUBMISSION where names differ; A,B for two together.",
    "label": "The column of labels: COLUMN, or GOLD=SUBMISSION where names differ.",
    "kind": "What is scored: labels, sets, spans, ratings, or scores of the organisers' own scorer.",
    "scale": "Labels are steps of a scale: true or false; or which, lowest first: low,mid,high.",
    "group": "Items with the same value in this column of gold belong together; none: independent.",
    "official_metric": "The official metric.",
    "runs": "Which runs of a team are ranked: all, best, last or primary.",
    "alias": "Accept a spelling of a label: SPELLING=LABEL.",
    "missing": "What is done about missing items: wrong, drop or reject; mean of ratings, worst of scores.",
    "better": "Which end of a column of scores is best: COLUMN=higher or COLUMN=lower.",
    "range": "The range of a column of scores: COLUMN=LOW,HIGH.",
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
    missing: str | None = None
    better: tuple[str, ...] = ()
    range: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in {None, *KINDS}:
            raise UsageError(
                f"--kind {quoted(str(self.kind))} is none: labels, sets, spans, scores or ratings."
            )
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
    def scored_as(self) -> str | None:
        """The kind of task.toml; None where none is stated."""
        if self.kind is None:
            return None
        return SCORED_AS[self.kind]

    @property
    def gives_numbers(self) -> bool:
        """Whether items are said to have numbers, and no labels."""
        return self._supports("NUMBERS")

    @property
    def gives_columns(self) -> bool:
        """Whether files are said to hold what a scorer gave each team for every item."""
        return self._supports("COLUMNS")

    def _supports(self, feature: str) -> bool:
        from audit.domain import STATED_KINDS, Feature  # noqa: PLC0415 - it brings NumPy; --help does without

        kind = self.scored_as
        return kind is not None and STATED_KINDS[kind].supports(Feature[feature])

    def columns_of_scores(self) -> dict[str, dict[str, Any]]:
        """What is said of columns of scores, by their names, as task.toml has it.

        >>> Said(better=("MQM=higher",), range=("MQM=-25,0",)).columns_of_scores()
        {'MQM': {'better': 'higher', 'range': [-25.0, 0.0]}}
        """
        found: dict[str, dict[str, Any]] = {}
        for stated in self.better:
            name, _, end = stated.rpartition("=")
            if not name or end not in {"higher", "lower"}:
                raise UsageError(f"--better {quoted(stated)}: write COLUMN=higher or COLUMN=lower.")
            found.setdefault(name, {})["better"] = end
        for stated in self.range:
            name, _, ends = stated.rpartition("=")
            low, _, high = ends.partition(",")
            try:
                both = [float(low), float(high)]
            except ValueError:
                both = []
            if not name or not both or not both[0] < both[1]:
                raise UsageError(f"--range {quoted(stated)}: write COLUMN=LOW,HIGH.")
            found.setdefault(name, {})["range"] = both
        return found

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

    def words(self) -> tuple[str, ...]:
        """The options as the words of a command.

        >>> Said(kind="scores", official_metric="BLEU", range=("BLEU=0,100",)).words()
        ('--kind', 'scores', '--official-metric', 'BLEU', '--range', 'BLEU=0,100')
        """
        found: list[str] = []
        for each in fields(self):
            option, value = f"--{each.name.replace('_', '-')}", getattr(self, each.name)
            if isinstance(value, bool):
                found += [option, str(value).lower()]
            elif isinstance(value, str):
                found += [option, value]
            elif value and each.name == "scale":
                found += [option, ",".join(value)]
            elif value:
                for one in value:
                    found += [option, one]
        return tuple(found)

    def toml(self) -> tuple[list[str], list[str], list[str]]:
        """The lines of task.toml that state it: at the top, of [policies], and of [aliases]."""
        from audit.formats.settings.layout import toml_text  # noqa: PLC0415 - it brings NumPy; --help does without

        top = []
        if self.official_metric is not None:
            top.append(f"official_metric = {toml_text(self.official_metric)}")
        if self.scale is not None:
            top.append(f"scale = {str(bool(self.scale)).lower()}")
        policies = []
        for policy in ("runs", "missing"):
            stated = getattr(self, policy)
            if stated is not None:
                policies.append(f"{policy} = {toml_text(stated)}")
        aliases = [
            f"{toml_text(spelling)} = {toml_text(label)}"
            for spelling, label in self.aliases.items()
        ]
        return top, policies, aliases
