"""What an organiser does next where gold or submissions were not found: a line to decide, or a line to write."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from audit.errors import ISSUE_KINDS, SETTINGS_FILE, Choice, InputError, Issue
from audit.formats.campaign.conventions import data_files
from audit.formats.campaign.surveying.sets_by_name import NamedTestSet, named_test_sets
from audit.formats.campaign.surveying.survey import data_paths, gold_candidates, lone_files, patterns_of_one, places_of
from audit.formats.files.tree import Tree
from audit.formats.settings.tomlfile import toml_text
from audit.text import visible

OPEN_DECISION = "# TO DECIDE:"
"""How a draft marks a line that waits for the organiser."""

_SECTION_OF = {"no-gold": "[gold]", "several-golds": "[gold]", "no-submissions": "[submissions]"}
_OF_GOLD = ("no-gold", "several-golds")
_SEVERAL = (
    'if each is a test set of its own, a section for each: [subtask.A] gold.{}, submissions.files = "…/{{team}}.csv"'
)
_MOST_CHOICES = 4
_OR = " · or · "


def leading_on(tree: Tree, issues: Iterable[Issue]) -> list[Issue]:
    """The issues, of which those for what was not found say what to decide or to write.

    Where names tell several test sets apart, their sections are what to write, for gold and submissions at once.
    """
    issues = list(issues)
    of_gold = [issue for issue in issues if issue.slug in _OF_GOLD]
    if of_gold and (parts := named_test_sets(tree)):
        remedy = sections_in_words(parts, has_settings=tree.exists(SETTINGS_FILE))
        led = {issue: replace(issue, remedy=remedy) for issue in of_gold}
        return [led.get(issue, issue) for issue in issues if issue.slug != "no-submissions"]
    return [_leading_on(tree, issue) if issue.slug in _SECTION_OF else issue for issue in issues]


def sections_in_words(parts: Sequence[NamedTestSet], *, has_settings: bool) -> str:
    """The sections to write into task.toml for several test sets."""
    instead = ", in place of path under [gold] and files under [submissions]" if has_settings else ""
    sections = " · and · ".join(part.in_words for part in parts)
    return (
        f"these look like several test sets: write into {SETTINGS_FILE}{instead}: {sections}. audit init FOLDER writes "
        "these sections; where one alone is meant, write path under [gold] and files under [submissions] as its "
        "section has them"
    )


def _leading_on(tree: Tree, issue: Issue) -> Issue:
    section = _SECTION_OF[issue.slug]
    if (line := _open_decision(tree, section)) is not None:
        waits = f"{SETTINGS_FILE} waits for a decision on line {line}, under {section}"
        remedy = f"{waits}: take the mark # off one of its lines"
        return replace(issue, file=SETTINGS_FILE, lines=(line,), remedy=remedy)
    choices = _choices(tree, issue.slug)
    if not choices or issue.remedy != ISSUE_KINDS[issue.slug].remedy:
        return issue
    remedy = f"write into {SETTINGS_FILE}, under {section}: {_OR.join(choices[:_MOST_CHOICES])}"
    if issue.slug == "no-gold" and len(choices) > 1:
        remedy += _OR + _SEVERAL.format(choices[0])
    return replace(issue, remedy=remedy, choices=tuple(Choice(section, choice, choice) for choice in choices))


def _open_decision(tree: Tree, section: str) -> int | None:
    """The line of a draft on which a decision of this table is left open."""
    try:
        content = tree.original(SETTINGS_FILE) if tree.exists(SETTINGS_FILE) else b""
    except InputError:
        return None
    table = ""
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
        table = line.strip() if line.startswith("[") else table
        if table == section and line.startswith(OPEN_DECISION):
            return number
    return None


def _choices(tree: Tree, slug: str) -> list[str]:
    """The settings that could be meant, by what is in the folder."""
    if slug == "no-gold":
        paths = data_paths(tree)
        candidates = gold_candidates(paths) or data_files(tree.listing("").files) or lone_files(paths)
        return [f"path = {toml_text(path)}" for path in candidates]
    if slug == "no-submissions":
        patterns = [place.pattern for place in places_of(tree) if place.pattern] or _patterns_of_one(tree)
        return [f"files = {toml_text(visible(pattern, 200))}" for pattern in patterns]
    return []


def _patterns_of_one(tree: Tree) -> list[str]:
    """Patterns for files in folders of which no two look alike: there may be one submission so far."""
    paths = data_paths(tree)
    golds = gold_candidates(paths)
    return list(dict.fromkeys(pattern for path in paths if path not in golds for pattern in patterns_of_one(path)))
