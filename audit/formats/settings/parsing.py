"""task.toml → the settings of each track, with an issue at its line for everything that the schema refuses."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain, takewhile
from shlex import quote
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from audit.domain import (
    DEFAULT_POLICIES,
    STRICT_POLICIES,
    Campaign,
    ChosenRun,
    Policies,
    SourceFile,
)
from audit.errors import MANIFEST, SETTINGS_FILE, InputError, Issue, UsageError
from audit.formats.files.limits import MOST_DEPTH, MOST_OF_SETTINGS
from audit.formats.settings.layout import NOTHING_STATED, StatedLayout, shown_value
from audit.formats.settings.manifest import Manifest
from audit.formats.settings.task_toml import TABLES, TaskToml
from audit.text import did_you_mean, listed, quoted, slug_of, visible

Place = tuple[str, ...]  # the tables and the key that lead to a setting

_TOML_LINE = re.compile(r"at line (\d+)")
_DEEP_NAME = re.compile(
    rf"""(?<![\w.-])(?>(?>[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{MOST_DEPTH}}}"""
)
"""More names joined by dots than TOML's parser can take."""
_CLOSING = ("]", '"""', "'''")  # the ends of values of several lines
# values of more lines with such an end are nobody's; what stands behind them has no line
_MOST_ATTEMPTS = 200


def decoded(content: bytes) -> str:
    """The text of task.toml."""
    if len(content) > MOST_OF_SETTINGS:
        defect = f"{len(content):,} bytes, and at most {MOST_OF_SETTINGS:,} are read"
        raise InputError(
            [
                Issue.of(
                    "bad-toml", SETTINGS_FILE, defect, expected="settings", remedy="make it shorter"
                )
            ]
        )
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = 1 + content.count(b"\n", 0, error.start)
        defect = f"byte 0x{content[error.start]:02x} is not UTF-8"
        raise InputError([Issue.of("bad-toml", SETTINGS_FILE, defect, lines=[line])]) from None


def parsed(text: str) -> dict[str, Any]:
    """The settings as TOML has them."""
    try:
        if match := _DEEP_NAME.search(text):
            line = 1 + text.count("\n", 0, match.start())
            raise InputError(
                [Issue.of("bad-toml", SETTINGS_FILE, "it is nested too deeply", lines=[line])]
            )
        return tomllib.loads(text)
    except RecursionError:
        raise InputError([Issue.of("bad-toml", SETTINGS_FILE, "it is nested too deeply")]) from None
    except ValueError as error:  # TOMLDecodeError is one; a number of 5,000 digits is another
        match = _TOML_LINE.search(str(error))
        if match:
            line = int(match[1])
        else:
            line = text.count("\n") + 1
        raise InputError(
            [Issue.of("bad-toml", SETTINGS_FILE, visible(str(error), 160), lines=[line])]
        ) from None


@lru_cache(maxsize=4)
def lines_of_settings(content: bytes) -> Mapping[tuple[str | None, ...], int]:
    """The line of each table and key, as the parser reads the file statement by statement."""
    lines: dict[tuple[str | None, ...], int] = {}
    table: Place = ()
    entries: Counter[Place] = Counter()  # of tables in double brackets, which are numbered
    for number, statement, tree in _statements(decoded(content)):
        if statement.startswith("["):
            *_, table = _places(tree)
            lines.setdefault(table, number)
            if statement.startswith("[["):
                entries[table] += 1
                table = (*table, str(entries[table]))
                lines[table] = number
        else:
            for place in _places(tree):
                lines.setdefault((*table, *place), number)
    return lines


def _statements(text: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Each statement with its first line, and what it alone says."""
    first = 1
    statement = ""
    attempts = 0
    for number, line in enumerate(text.split("\n"), start=1):
        is_inside = bool(statement) and not any(end in line for end in _CLOSING)
        statement += f"{line}\n"
        if is_inside:
            continue
        attempts += 1
        with suppress(ValueError, RecursionError):
            yield first, statement.lstrip(" \t"), tomllib.loads(statement)
            first = number + 1
            statement = ""
            attempts = 0
        if attempts > _MOST_ATTEMPTS:
            return


def _places(tree: Mapping[str, Any]) -> Iterator[Place]:
    for key, value in tree.items():
        yield (key,)
        if isinstance(value, dict):
            yield from ((key, *place) for place in _places(value))


def line_of(content: bytes, part: str | None, place: Place) -> list[int]:
    """The line of a setting in task.toml, of a subtask's there, if it states it; or else of the table it stands in."""
    lines = lines_of_settings(content)
    depths = range(len(place), 0, -1)
    places = chain.from_iterable(
        (("subtask", part, *place[:depth]), place[:depth]) for depth in depths
    )
    return [lines[each] for each in places if each in lines][:1]


def inherited(top: Mapping[str, Any], own: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The settings of a subtask: its own, and those at the top that it does not state."""
    mean = own.get("official")
    if "official_metric" in own or (
        isinstance(mean, dict) and {"mean_of", "mean_rank_of"} & set(mean)
    ):
        top = {
            key: value for key, value in top.items() if key not in {"official_metric", "official"}
        }
    merged = _merged(top, own)
    submissions = own.get("submissions")
    if isinstance(submissions, dict) and "score" in submissions:
        merged["submissions"]["score"] = submissions["score"]
    if "title" not in own and isinstance(top.get("title"), str):
        merged["title"] = f"{top['title']}: {name}"
    return merged


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    both = {
        key: _merged(below[key], value)
        if isinstance(value, dict) and isinstance(below.get(key), dict)
        else value
        for key, value in above.items()
    }
    return {**below, **both}


_SILENT_TOML = TaskToml.model_construct()


@dataclass(frozen=True, slots=True)
class TrackSettings:
    """All that is stated of one track (test set), by task.toml, files.csv and the command line."""

    toml: TaskToml = _SILENT_TOML
    gold_layout: StatedLayout = NOTHING_STATED  # of the gold file, or of one with all systems
    submission_layout: StatedLayout = NOTHING_STATED
    policies: Policies = DEFAULT_POLICIES  # what is done where the files leave something open
    part: str | None = None  # which of several tracks this is; its name in the heading
    source: SourceFile | None = None  # task.toml; None where there is none
    manifest: Manifest | None = None  # files.csv; None where there is none
    published: tuple[str, ...] = ()  # the tables of published scores

    @classmethod
    def of(cls, toml: TaskToml, source: SourceFile, part: str | None) -> "TrackSettings":
        """What task.toml states of a track."""
        stated = dict(toml.policies.stated)
        if toml.strict:
            stated["missing"] = STRICT_POLICIES.missing
            stated["unusable"] = STRICT_POLICIES.unusable
        chosen = tuple(ChosenRun(**run.stated) for run in toml.chosen)
        published: tuple[str, ...] = ()
        if toml.published.path is not None:
            published = (toml.published.path,)
        gold_table = toml.wide or toml.gold
        return cls(
            toml,
            gold_layout=gold_table.stated_layout(toml),
            submission_layout=toml.submissions.stated_layout(toml),
            policies=Policies(**stated, chosen=chosen),
            part=part,
            source=source,
            published=published,
        )

    def scored_as_sets(self) -> "TrackSettings":
        """The settings with sets for their kind, where tags mark spans and nobody says otherwise."""
        return replace(self, toml=self.toml.model_copy(update={"kind": "sets"}))

    @property
    def official_metric(self) -> str | None:
        """The official metric as it is written; it is parsed once the label set is known."""
        return self.toml.official_metric or self.toml.official.metric

    def of_submission(self, path: str, *names: str | None) -> "TrackSettings":
        """The settings for one submission, by its path, its run and its team."""
        if path in self.toml.submissions.layouts:
            return self.laid_out(path)
        stated = self.submission_layout
        known = [path, *filter(None, names)]
        for glob, column in stated.score_by_name:
            if any(fnmatchcase(name, glob) for name in known):
                return replace(self, submission_layout=stated.with_score(column))
        return self

    def laid_out(self, path: str) -> "TrackSettings":
        """The settings for a file whose layout task.toml states by its path; for others as they are."""
        own = self.toml.submissions.layouts.get(path)
        if own is None:
            return self
        return replace(self, submission_layout=own.stated_layout(self.toml))

    def issue(
        self,
        slug: str,
        defect: str,
        *place: str,
        expected: str | None = None,
        remedy: str | None = None,
    ) -> Issue:
        """An issue at the line of a setting."""
        if self.source is None:
            content = None
        else:
            content = self.source.content
        lines = line_of(content or b"", self.part, place)
        return Issue.of(slug, SETTINGS_FILE, defect, lines=lines, expected=expected, remedy=remedy)


_ONE_RULE = "one rule for all test sets, at the top of the file"
_KEY_ITSELF = "[key]"  # the last place by which pydantic says that a key, not its value, is refused
_DOUBLE_BRACKETS = "tables in double brackets: [[chosen]]"


def parse_settings(content: bytes, part: str | None = None) -> TrackSettings:
    """Settings from the bytes of task.toml: those of the campaign, or of one of its test sets."""
    every = parse_parts(content, has_parts=part is not None)
    if part is not None and every[0].part is None:
        return replace(every[0], part=part)  # a test set that files.csv names
    return of_part(every, part)


def of_part(every: Sequence[TrackSettings], part: str | None) -> TrackSettings:
    """The settings of one test set."""
    by_name = {settings.part: settings for settings in every}
    if part not in by_name:
        names = [name for name in by_name if name is not None]
        if not names:
            raise UsageError(
                f"There is one test set only, and none is called {quoted(part or '')}."
            )
        shown = listed([quoted(name) for name in names])
        raise UsageError(
            f"There are the test sets {shown}; say which is meant: --part {quote(names[0])}"
        )
    return by_name[part]


def settings_of(campaign: Campaign) -> TrackSettings:
    """What the task.toml of a campaign says; a silent one where it has none."""
    if campaign.settings is None:
        content = None
    else:
        content = campaign.settings.content
    if content is None:
        return TrackSettings()
    return parse_settings(content, campaign.task.part)


def parse_parts(content: bytes, *, has_parts: bool = False) -> tuple[TrackSettings, ...]:
    """The settings of every test set, those of [subtask.NAME] over those at the top; of one without subtasks.

    Test sets may have parts that only files.csv names.
    """
    tree = parsed(decoded(content))
    source = SourceFile.of(SETTINGS_FILE, content)
    subtasks = tree.pop("subtask", None)
    if subtasks is None:
        toml, refusals = _checked(tree)
        of_several = _of_several(tree, refusals, has_parts=has_parts)
        _raise_any(_issues([*refusals, *of_several], content, None))
        return (TrackSettings.of(toml, source, None),)
    issues = _issues(_of_headings(subtasks), content, None)
    parts: list[TrackSettings] = []
    for name, own in {} if issues else subtasks.items():
        toml, refusals = _checked(inherited(tree, own, name))
        issues.extend(issue for issue in _issues(refusals, content, name) if issue not in issues)
        parts.extend([] if refusals else [TrackSettings.of(toml, source, name)])
    _raise_any([*issues, *_issues(_of_rule(parts, subtasks), content, None)])
    return tuple(parts)


class _Refusal(NamedTuple):
    """What is wrong with a setting."""

    slug: str
    place: Place
    defect: str
    expected: str | None = None


def _issues(refusals: Iterable[_Refusal], content: bytes, part: str | None) -> list[Issue]:
    """Each with its line."""
    return [
        Issue.of(
            slug, SETTINGS_FILE, defect, lines=line_of(content, part, place), expected=expected
        )
        for slug, place, defect, expected in refusals
    ]


def _raise_any(issues: Iterable[Issue]) -> None:
    if issues := sorted(issues, key=lambda issue: issue.lines):
        raise InputError(issues)


def _checked(tree: Mapping[str, Any]) -> tuple[TaskToml, list[_Refusal]]:
    """The settings of one test set without those that are refused."""
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
        *above, key = takewhile(
            lambda name: isinstance(name, str) and name != _KEY_ITSELF, error["loc"]
        )
        table: Any = rest
        for name in above:
            table = table.get(name, {})
        table.pop(key, None)
    return rest


def _refusal(error: ErrorDetails) -> _Refusal:
    """What pydantic says, as what is wrong with a setting."""
    slug = error["type"]
    context = error.get("ctx", {})
    place = tuple(key if isinstance(key, str) else str(key + 1) for key in error["loc"])
    if slug == "extra_forbidden":
        return _unknown(place)
    if slug == "missing":
        return _Refusal(
            "bad-setting", place[:-1], f"[[chosen]] without {place[-1]}", "team, run and reason"
        )
    if place[-1] == _KEY_ITSELF and place[-2] == error["input"]:
        return _Refusal(
            "bad-setting", place[:-1], f"the prevalence {quoted(place[-2])}", str(context["error"])
        )
    defect = context.get("defect", f"{place[-1]} = {shown_value(error['input'])}")
    if slug in {"model_type", "dict_type", "list_type"}:
        slug = "bad-setting"
        expected = f"a table: [{'.'.join(place)}]" if place[0] != "chosen" else _DOUBLE_BRACKETS
    elif slug == "value_error":
        slug = "bad-setting"
        expected = str(context["error"])
    else:
        expected = error["msg"]
    return _Refusal(slug, place, defect, expected)


def _unknown(place: Place) -> _Refusal:
    """A setting that its table does not have."""
    *table, key = place
    if table:
        where = f"in [{'.'.join(table)}]"
    else:
        where = "at the top"
    if table:
        names = list(TABLES[table[0]].model_fields)
    else:
        names = [*TaskToml.model_fields, "subtask"]
    return _Refusal(
        "bad-setting",
        place,
        f"{quoted(key)} {where}.{did_you_mean(key, names)}",
        f"one of {listed(names, 'or')}",
    )


def _of_several(
    tree: Mapping[str, Any], refusals: Sequence[_Refusal], *, has_parts: bool
) -> Iterator[_Refusal]:
    """Settings that say how several test sets are summed up, where there is one; those not refused already.

    A weight is that of one of several: where only files.csv names these, task.toml has no place for it.
    """
    by_name = f"several test sets: [subtask.NAME], or names in the column part of {MANIFEST}"
    expected = {"weight": "a weight for each of several test sets, in [subtask.NAME]"}
    if not has_parts:
        expected["overall"] = by_name
    for name in (name for name in ("overall", "weight") if name in expected and name in tree):
        if not any(refusal.place == (name,) for refusal in refusals):
            defect = f"{name} = {shown_value(tree[name])}"
            yield _Refusal("bad-setting", (name,), defect, expected[name])


def _of_headings(subtasks: object) -> Iterator[_Refusal]:
    """What is wrong with the headings [subtask.NAME]."""
    if (
        not isinstance(subtasks, dict)
        or not subtasks
        or not all(isinstance(own, dict) for own in subtasks.values())
    ):
        yield _Refusal("bad-setting", ("subtask",), "subtask", "a table for each: [subtask.NAME]")
        return
    by_slug: dict[str, str] = {}
    for name, own in subtasks.items():
        other = by_slug.setdefault(slug_of(name), name)
        if not name.strip() or other != name:
            expected = "names that differ in letters or digits, of which the first 100 count"
            yield _Refusal(
                "bad-setting", ("subtask", name), f"the subtask {quoted(name)}", expected
            )
        if "slug" in own:
            defect = "the slug of a subtask is that of the campaign with its name"
            yield _Refusal(
                "bad-setting", ("subtask", name, "slug"), defect, "slug at the top of the file"
            )


def _of_rule(
    parts: Sequence[TrackSettings], subtasks: Mapping[str, Mapping[str, Any]]
) -> Iterator[_Refusal]:
    """A subtask that states a rule for all test sets which another one has not."""
    if len({settings.toml.overall for settings in parts}) > 1:
        for name, own in subtasks.items():
            if "overall" in own:
                defect = f"overall = {shown_value(own['overall'])} for this test set alone"
                yield _Refusal("bad-setting", ("subtask", name, "overall"), defect, _ONE_RULE)
