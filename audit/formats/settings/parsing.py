"""task.toml → Settings, with an issue for everything in it that is not as the schema says."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import takewhile
from operator import attrgetter
from shlex import quote
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from audit.domain import Campaign, SourceFile
from audit.errors import SETTINGS_FILE, InputError, Issue, UsageError
from audit.formats.settings.task_settings import Settings
from audit.formats.settings.task_toml import TABLES, TaskToml
from audit.formats.settings.tomlfile import Place, decoded, inherited, line_of, parsed, shown_value
from audit.text import did_you_mean, listed, quoted, slug_of

_ONE_RULE = "one rule for all test sets, at the top of the file"
_KEY_ITSELF = "[key]"  # the last place by which pydantic says that a key, not its value, is refused
_DOUBLE_BRACKETS = "tables in double brackets: [[chosen]]"


def parse_settings(content: bytes, part: str | None = None) -> Settings:
    """Settings from the bytes of task.toml: those of the campaign, or of one of its test sets."""
    every = {settings.part: settings for settings in parse_parts(content)}
    if part not in every:
        names = [name for name in every if name is not None]
        if not names:
            raise UsageError(f"{SETTINGS_FILE} has one test set only, and none is called {quoted(part or '')}.")
        shown = listed([quoted(name) for name in names])
        raise UsageError(f"{SETTINGS_FILE} has the test sets {shown}; say which is meant: --part {quote(names[0])}")
    return every[part]


def stated_slug(campaign: Campaign) -> str | None:
    """The slug that task.toml states; None where the task is called after the folder."""
    settings = _settings_of(campaign)
    return None if settings is None else settings.toml.slug


def latex_names(campaign: Campaign) -> Mapping[str, str]:
    """The names of teams in LaTeX files by [latex_names], under their names for readers."""
    settings = _settings_of(campaign)
    return {} if settings is None else settings.toml.latex_names


def _settings_of(campaign: Campaign) -> Settings | None:
    content = None if campaign.settings is None else campaign.settings.content
    return None if content is None else parse_settings(content, campaign.task.part)


def parse_parts(content: bytes) -> tuple[Settings, ...]:
    """The settings of every test set, those of [subtask.NAME] over those at the top; of one without subtasks."""
    tree, source = parsed(decoded(content)), SourceFile.of(SETTINGS_FILE, content)
    subtasks = tree.pop("subtask", None)
    if subtasks is None:
        toml, refusals = _checked(tree)
        _raise_any(_issues([*refusals, *_of_several(tree, refusals)], content, None))
        return (Settings.of(toml, source, None),)
    issues = _issues(_of_headings(subtasks), content, None)
    parts: list[Settings] = []
    for name, own in {} if issues else subtasks.items():
        toml, refusals = _checked(inherited(tree, own, name))
        issues.extend(issue for issue in _issues(refusals, content, name) if issue not in issues)
        parts.extend([] if refusals else [Settings.of(toml, source, name)])
    _raise_any([*issues, *_issues(_of_rule(parts, subtasks), content, None)])
    files = [settings.toml.submissions.files for settings in parts]
    patterns = sorted({pattern for pattern in files if pattern is not None}, key=attrgetter("text"))
    return tuple(
        replace(settings, elsewhere=tuple(pattern for pattern in patterns if pattern != own))
        for settings, own in zip(parts, files, strict=True)
    )


class _Refusal(NamedTuple):
    """What is wrong with a setting."""

    slug: str
    place: Place
    defect: str
    expected: str | None = None


def _issues(refusals: Iterable[_Refusal], content: bytes, part: str | None) -> list[Issue]:
    """Each with its line."""
    return [
        Issue.of(slug, SETTINGS_FILE, defect, lines=line_of(content, part, place), expected=expected)
        for slug, place, defect, expected in refusals
    ]


def _raise_any(issues: Iterable[Issue]) -> None:
    if issues := sorted(issues, key=lambda issue: issue.lines):
        raise InputError(issues)


def _checked(tree: Mapping[str, Any]) -> tuple[TaskToml, list[_Refusal]]:
    """The settings of one test set without those that are refused.

    Where some are refused by themselves, the others are looked through once more for what does not go together.
    """
    try:
        return TaskToml.model_validate(tree), []
    except ValidationError as error:
        errors = error.errors(include_url=False)
    refusals = list(map(_refusal, errors))
    if any("defect" in each.get("ctx", {}) for each in errors):
        return TaskToml.model_construct(), refusals
    return TaskToml.model_construct(), [*refusals, *_checked(_without(tree, errors))[1]]


def _without(tree: Mapping[str, Any], errors: Iterable[ErrorDetails]) -> dict[str, Any]:
    """A copy without what is refused; of tables in double brackets, without all."""
    rest: dict[str, Any] = deepcopy(dict(tree))
    for error in errors:
        *above, key = takewhile(lambda name: isinstance(name, str) and name != _KEY_ITSELF, error["loc"])
        table: Any = rest
        for name in above:
            table = table.get(name, {})
        table.pop(key, None)
    return rest


def _refusal(error: ErrorDetails) -> _Refusal:
    """What pydantic says, as what is wrong with a setting."""
    slug, context = error["type"], error.get("ctx", {})
    place = tuple(key if isinstance(key, str) else str(key + 1) for key in error["loc"])
    if slug == "extra_forbidden":
        return _unknown(place)
    if slug == "missing":
        return _Refusal("bad-setting", place[:-1], f"[[chosen]] without {place[-1]}", "team, run and reason")
    if place[-1] == _KEY_ITSELF and place[-2] == error["input"]:
        return _Refusal("bad-setting", place[:-1], f"the prevalence {quoted(place[-2])}", str(context["error"]))
    defect = context.get("defect", f"{place[-1]} = {shown_value(error['input'])}")
    if slug in {"model_type", "dict_type", "list_type"}:
        slug, expected = "bad-setting", f"a table: [{'.'.join(place)}]" if place[0] != "chosen" else _DOUBLE_BRACKETS
    elif slug == "value_error":
        slug = "bad-prevalence" if place[0] == "prevalence" else "bad-setting"
        expected = str(context["error"])
    else:
        expected = error["msg"]
    return _Refusal(slug, place, defect, expected)


def _unknown(place: Place) -> _Refusal:
    """A setting that its table does not have."""
    *table, key = place
    where = f"in [{'.'.join(table)}]" if table else "at the top"
    names = list(TABLES[table[0]].model_fields) if table else [*TaskToml.model_fields, "subtask"]
    return _Refusal(
        "unknown-setting", place, f"{quoted(key)} {where}.{did_you_mean(key, names)}", f"one of {listed(names, 'or')}"
    )


def _of_several(tree: Mapping[str, Any], refusals: Sequence[_Refusal]) -> Iterator[_Refusal]:
    """Settings that say how several test sets are summed up, where there is one; those not refused already."""
    for name in ("overall", "weight"):
        if name in tree and not any(refusal.place == (name,) for refusal in refusals):
            defect = f"{name} = {shown_value(tree[name])}"
            yield _Refusal("bad-setting", (name,), defect, "several test sets: [subtask.NAME]")


def _of_headings(subtasks: object) -> Iterator[_Refusal]:
    """What is wrong with the headings [subtask.NAME]."""
    if not isinstance(subtasks, dict) or not subtasks or not all(isinstance(own, dict) for own in subtasks.values()):
        yield _Refusal("bad-setting", ("subtask",), "subtask", "a table for each: [subtask.NAME]")
        return
    by_slug: dict[str, str] = {}
    for name, own in subtasks.items():
        other = by_slug.setdefault(slug_of(name), name)
        if not name.strip() or other != name:
            expected = "names that differ in letters or digits, of which the first 100 count"
            yield _Refusal("bad-setting", ("subtask", name), f"the subtask {quoted(name)}", expected)
        if "slug" in own:
            defect = "the slug of a subtask is that of the campaign with its name"
            yield _Refusal("bad-setting", ("subtask", name, "slug"), defect, "slug at the top of the file")


def _of_rule(parts: Sequence[Settings], subtasks: Mapping[str, Mapping[str, Any]]) -> Iterator[_Refusal]:
    """A subtask that states a rule for all test sets which another one has not."""
    if len({settings.toml.overall for settings in parts}) > 1:
        for name, own in subtasks.items():
            if "overall" in own:
                defect = f"overall = {shown_value(own['overall'])} for this test set alone"
                yield _Refusal("bad-setting", ("subtask", name, "overall"), defect, _ONE_RULE)
