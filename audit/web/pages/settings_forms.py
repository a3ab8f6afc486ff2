"""What the forms of the settings change: only what differs from what stands there, as settings of task.toml."""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from starlette.datastructures import FormData

from audit.hosting.rules import RefusedError
from audit.hosting.settings_text import Setting
from audit.web.pages.page_rendering import text_of

Findings = Mapping[str, Any]
"""What was found in a revision."""


def changes_of(fields: FormData, findings: Findings) -> list[Setting]:
    """The settings that a form changes.

    Raises
    ------
    RefusedError
        Where it is none of the forms of the page.
    """
    kind = text_of(fields, "kind")
    if kind not in _FORMS or not findings.get("is_usable"):
        raise RefusedError("The page has no such form any more. Open it again.")
    return _FORMS[kind](fields, findings)


def _about(fields: FormData, findings: Findings) -> list[Setting]:
    """Title, note and official metric of one test set."""
    task = next((each for each in findings["tasks"] if each["slug"] == text_of(fields, "task")), None)
    if task is None:
        raise RefusedError("There is no such test set.")
    table = table_of(task, findings)
    texts = {name: text_of(fields, name).strip() for name in ("title", "note", "official_metric")}
    changed = {name: value for name, value in texts.items() if value != (task[name] or "")}
    return [Setting(table, name, value or None) for name, value in changed.items()]


def table_of(task: Mapping[str, Any], findings: Findings) -> tuple[str, ...]:
    """The table of task.toml that holds what is said of one test set alone: the top, where there is but one."""
    subtasks = _settings(findings).get("subtask", {})
    return ("subtask", task["part"]) if isinstance(subtasks, dict) and task["part"] in subtasks else ()


def _settings(findings: Findings) -> Mapping[str, Any]:
    try:
        return tomllib.loads(findings["settings"] or "")
    except tomllib.TOMLDecodeError:
        return {}


def _label_names(fields: FormData, findings: Findings) -> list[Setting]:
    return _named(fields, "label_names", dict(labels_of(findings)))


def labels_of(findings: Findings) -> list[tuple[str, str]]:
    """Every label of every test set once, with its name for readers; a name in quotes is the label itself."""
    names = {each["label"]: each["name"] for task in findings["tasks"] for each in task["labels"]}
    return [(label, label if name == f"“{label}”" else name) for label, name in names.items()]


def _teams(fields: FormData, findings: Findings) -> list[Setting]:
    return _named(fields, "teams", dict(teams_of(findings)))


def teams_of(findings: Findings) -> list[tuple[str, str]]:
    """Every team once: its name in the files, and its name for readers."""
    shown_names = _settings(findings).get("teams", {})
    in_files = {shown: name for name, shown in shown_names.items()} if isinstance(shown_names, dict) else {}
    shown = {each["team"] for each in _submissions(findings)}
    return sorted((in_files.get(team, team), team) for team in shown)


def _named(fields: FormData, table: str, shown: Mapping[str, str]) -> list[Setting]:
    """The names of a table that differ; an empty one, or the thing's own, takes the setting out."""
    names = {key: " ".join(text_of(fields, f"name:{key}").split()) for key in shown}
    changed = {key: name for key, name in names.items() if name != shown[key] and (name or shown[key] != key)}
    return [Setting((table,), key, name if name not in {"", key} else None) for key, name in changed.items()]


def _submissions(findings: Findings) -> Iterable[Mapping[str, Any]]:
    return (each for task in findings["tasks"] for each in task["submissions"])


def _roles(fields: FormData, findings: Findings) -> list[Setting]:
    now, allowed = dict(roles_of(findings)), findings["allowed"]["roles"]
    roles = {key: text_of(fields, f"role:{key}") for key in now}
    return [
        Setting(("roles",), key, role) for key, role in roles.items() if role in allowed and role != now[key]
    ]  # fmt: skip


def roles_of(findings: Findings) -> list[tuple[str, str]]:
    """The role of each team in the campaign; of each run, where teams have several."""
    names = {shown: name for name, shown in teams_of(findings)}
    roles = {each["run"] or names[each["team"]]: each["role"] for each in _submissions(findings)}
    return sorted(roles.items())


def _policies(fields: FormData, findings: Findings) -> list[Setting]:
    now = findings["tasks"][0]["policies"]
    values = {each["slug"]: text_of(fields, each["slug"]) for each in findings["allowed"]["policies"]}
    allowed = {each["slug"]: each["values"] for each in findings["allowed"]["policies"]}
    changed = {slug: value for slug, value in values.items() if value in allowed[slug] and value != now[slug]}
    return [Setting(("policies",), slug, value) for slug, value in changed.items()]


def runs_of(findings: Findings) -> dict[str, list[str]]:
    """The runs of each team that has several."""
    runs_of_team: dict[str, list[str]] = {}
    for each in _submissions(findings):
        if each["run"] and each["run"] not in runs_of_team.setdefault(each["team"], []):
            runs_of_team[each["team"]].append(each["run"])
    return {team: runs for team, runs in sorted(runs_of_team.items()) if len(runs) > 1}


def chosen_of(findings: Findings) -> list[tuple[str, Sequence[str], str, str]]:
    """Each team of several runs, its runs, the one that was chosen and why; empty texts where the policy decides."""
    chosen = {each["team"]: (each["run"], each["reason"]) for each in _chosen_now(findings)}
    return [(team, runs, *chosen.get(team, ("", ""))) for team, runs in runs_of(findings).items()]


def _chosen(fields: FormData, findings: Findings) -> list[Setting]:
    """The runs that count whatever the policy says, each with a reason."""
    names = {shown: name for name, shown in teams_of(findings)}
    chosen = []
    for team, runs in runs_of(findings).items():
        run, reason = text_of(fields, f"run:{team}"), text_of(fields, f"reason:{team}").strip()
        if run in runs and not reason:
            raise RefusedError(f"Say why {run} of {team} counts: readers of the report see the reason.")
        if run in runs:
            chosen.append({"team": names[team], "run": run, "reason": reason})
    now = [{**each, "team": names.get(each["team"], each["team"])} for each in _chosen_now(findings)]
    return [] if chosen == now else [Setting((), "chosen", chosen or None)]


def _chosen_now(findings: Findings) -> Sequence[Mapping[str, Any]]:
    return sorted(findings["tasks"][0]["policies"]["chosen"], key=lambda each: str(each["team"]))


_FORMS: Mapping[str, Callable[[FormData, Findings], list[Setting]]] = MappingProxyType(
    {
        "about": _about,
        "label_names": _label_names,
        "teams": _teams,
        "roles": _roles,
        "policies": _policies,
        "chosen": _chosen,
    }
)
