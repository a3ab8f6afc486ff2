"""Settings and gold → the Task, with what was assumed where task.toml is silent."""

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from audit.domain import BALANCED, OBSERVED, Gold, LabelSet, Prevalence, ScoreKey, Task
from audit.errors import Issue, MetricNameError
from audit.formats.settings import FILE_NAME, Settings
from audit.metrics import parse_score_key
from audit.text import did_you_mean, listed, quoted, slugify


def build_task(
    folder_name: str, settings: Settings, gold: Gold, teams: Iterable[str], reading_sentences: Sequence[str]
) -> tuple[Task, list[Issue]]:
    """The task, and what in task.toml does not fit the files.

    Parameters
    ----------
    folder_name : str
        The campaign folder's name.
    settings : Settings
        What task.toml says.
    gold : Gold
        The gold labels.
    teams : iterable of str
        The teams' names as the files give them.
    reading_sentences : sequence of str
        How the files were read, as far as task.toml does not say it.

    Returns
    -------
    tuple of Task and list of Issue
        bad-setting, bad-prevalence and bad-metric.
    """
    label_set = gold.label_set
    issues = _unknown_teams(settings, set(teams))
    prevalences = _prevalences(settings, gold, issues)
    task = Task(
        slug=settings.slug or slug_of(folder_name),
        title=settings.title or folder_name or "Campaign",
        label_set=label_set,
        official_metric=_official_metric(settings, label_set, issues),
        official_decimals=settings.official_decimals,
        policies=settings.policies,
        prevalences=prevalences,
        resampling=settings.resampling,
        assumptions=(*_task_sentences(settings, label_set), *reading_sentences),
    )
    return task, issues


def slug_of(name: str) -> str:
    """A folder's name as a task's slug."""
    return re.sub(r"[^\w.]+", "-", slugify(name)).strip("-._")[:100] or "campaign"


def _task_sentences(settings: Settings, label_set: LabelSet) -> list[str]:
    sentences = []
    if settings.title is None:
        reason = f"No {FILE_NAME}" if settings.source is None else f"{FILE_NAME} states no title"
        sentences.append(f"{reason}: the title is the folder's name.")
    if settings.labels is None:
        labels = listed([quoted(label) for label in label_set], limit=30)
        sentences.append(f"The label set is taken from gold, in sorted order: {labels}.")
    if settings.official_metric is None:
        sentences.append("No official metric is stated.")
    return sentences


def _unknown_teams(settings: Settings, teams: set[str]) -> list[Issue]:
    return [
        settings.issue(
            "bad-setting",
            f"no submission is by the team {quoted(name)}.{did_you_mean(name, teams)}",
            "teams",
            name,
            expected="a team's name as the file names give it",
        )
        for name in settings.teams
        if name not in teams
    ]


def _prevalences(settings: Settings, gold: Gold, issues: list[Issue]) -> tuple[Prevalence, ...]:
    present = [label for label, count in zip(gold.label_set, _counts(gold), strict=True) if count]
    found = []
    for name, shares in settings.prevalences.items():
        missing = [quoted(label) for label in present if label not in shares]
        further = [quoted(label) for label in shares if label not in present]
        total = sum(shares.values())
        scaled = tuple((label, shares[label] / total) for label in present if label in shares)
        if missing or further:
            parts = [f"no share for {listed(missing)}"] * bool(missing) + [f"a share for {listed(further)}"] * bool(
                further
            )
            issues.append(settings.issue("bad-prevalence", f"{name}: {listed(parts)}", "prevalence", name))
        elif not math.isfinite(total) or not all(share > 0 for _, share in scaled):
            issues.append(
                settings.issue("bad-prevalence", f"{name}: the shares cannot be scaled to 1", "prevalence", name)
            )
        else:
            found.append(Prevalence(name, scaled))
    return tuple(found)


def _counts(gold: Gold) -> list[int]:
    counts: list[int] = np.bincount(gold.codes, minlength=len(gold.label_set)).tolist()
    return counts


def _official_metric(settings: Settings, label_set: LabelSet, issues: list[Issue]) -> ScoreKey | None:
    if settings.official_metric is None:
        return None
    try:
        key = parse_score_key(settings.official_metric, label_set)
    except MetricNameError as error:
        issues.append(settings.issue("bad-metric", str(error), "official_metric"))
        return None
    known = [OBSERVED.name, BALANCED.name, *settings.prevalences]
    if key.prevalence not in known:
        found = f"there is no prevalence {quoted(key.prevalence)}.{did_you_mean(key.prevalence, known)}"
        issues.append(settings.issue("bad-metric", found, "official_metric"))
    return key
