"""What is asked before a first evaluation: the official metric, and which runs of a team count. Nothing is guessed."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from audit.service.rules import RefusedError
from audit.service.settings_text import Setting
from audit.text import quoted, visible

Findings = Mapping[str, Any]
NONE_ANNOUNCED = "none"
"""The answer that no metric was announced."""


def settings_in(findings: Findings) -> Mapping[str, Any]:
    """The settings of task.toml as they were read; none where it is no TOML."""
    try:
        return tomllib.loads(findings["settings"] or "")
    except tomllib.TOMLDecodeError:
        return {}


def has_several_runs(findings: Findings) -> bool:
    """Whether a team has more than one run in a test set."""
    counts = (Counter(each["team"] for each in task["submissions"]) for task in findings["tasks"])
    return any(n_runs > 1 for of_task in counts for n_runs in of_task.values())


def stated_policy_of_runs(findings: Findings) -> str:
    """Which runs count by task.toml; empty where it does not say."""
    policies = settings_in(findings).get("policies", {})
    if isinstance(policies, dict):
        return str(policies.get("runs", ""))
    return ""


def table_of(task: Mapping[str, Any], findings: Findings) -> list[str]:
    """The table of task.toml that holds what is said of one test set alone: the top, where there is but one."""
    subtasks = settings_in(findings).get("subtask", {})
    if isinstance(subtasks, dict) and task["part"] in subtasks:
        return ["subtask", task["part"]]
    return []


def answered(findings: Findings, officials: Mapping[str, str], runs: str) -> list[Setting]:
    """The settings that answers change; refused where an answer is missing.

    Parameters
    ----------
    findings : mapping
        What was found in the files of a revision.
    officials : mapping
        The official metric of each test set, by its slug; ``none`` where none was announced.
    runs : str
        Which runs of a team count; empty where nobody said it.
    """
    return [*_official_metrics(findings, officials), *_policy_of_runs(findings, runs)]


def _official_metrics(findings: Findings, said: Mapping[str, str]) -> Iterator[Setting]:
    """The settings that state the official metrics, where they do not stand there yet."""
    for task in findings["tasks"]:
        official = said.get(task["slug"], "")
        if not official:
            raise RefusedError(
                f"Say which metric is the official one of {quoted(visible(task['title'], 80))}, or that none was "
                f"announced. {_by_default(task)}{_HOW_METRIC}"
            )
        if official == NONE_ANNOUNCED:
            stated = None
        else:
            stated = official
        if stated != task["official_metric"]:
            yield Setting(tuple(table_of(task, findings)), "official_metric", stated)


def _by_default(task: Mapping[str, Any]) -> str:
    ranks_by = task.get("ranks_by")
    if ranks_by:
        return f"The ranking is then by {ranks_by}, the default. "
    return ""


_HOW_METRIC = 'Programs say it as official_metric, such as "accuracy" or "none".'


def _policy_of_runs(findings: Findings, said: str) -> Iterator[Setting]:
    """The setting that states which runs count, where it is asked for and does not stand there yet."""
    if has_several_runs(findings):
        known = policies_of_runs(findings)
        if said not in known:
            choices = ", ".join(f"{value} ({meaning})" for value, meaning in known.items())
            raise RefusedError(
                f"Say which runs of a team count. The choices are {choices}; the first is the default."
            )
        if said != stated_policy_of_runs(findings):
            yield Setting(("policies",), "runs", said)


def policies_of_runs(findings: Findings) -> dict[str, str]:
    """Every policy that says which runs count, with its meaning; the default comes first."""
    kinds = {each["slug"]: each["values"] for each in findings["allowed"]["policies"]}
    return dict(kinds["runs"])


def stated(findings: Findings) -> tuple[dict[str, str], str]:
    """The answers that stand in task.toml already: official metrics by test set, and which runs count."""
    officials = {
        task["slug"]: task["official_metric"]
        for task in findings["tasks"]
        if task["official_metric"]
    }
    return officials, stated_policy_of_runs(findings)
