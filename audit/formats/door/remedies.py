"""What an issue asks of a user who named files: options in place of lines of a task.toml that nobody wrote."""

from collections.abc import Iterable
from dataclasses import replace

from audit.errors import Issue

_BY_OPTION = {
    "unusable-label": "ask the team, or accept the spelling: --alias SPELLING=LABEL",
    "duplicate-team": "tell them apart: --name 'PATTERN' with {team} and {run}",
}
_WRITTEN = ("task.toml", "[gold]", "[submissions]", "[policies]", "[aliases]", "[sets]")


def by_options(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """The issues with the option that mends each, or with the one that writes the task.toml that they name."""
    return tuple(map(_by_option, issues))


def _by_option(issue: Issue) -> Issue:
    if issue.slug in _BY_OPTION:
        return replace(issue, remedy=_BY_OPTION[issue.slug])
    if any(word in issue.remedy for word in _WRITTEN):
        return replace(issue, remedy=f"{issue.remedy} (--save writes it beside the files)")
    return issue
