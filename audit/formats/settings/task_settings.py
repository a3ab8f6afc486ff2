"""task.toml → Settings, with an issue for everything in it that is not as the docs say."""

import codecs
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from audit.domain import (
    BALANCED,
    DEFAULT_POLICIES,
    OBSERVED,
    POLICY_KINDS,
    STRICT_POLICIES,
    Campaign,
    ChosenRun,
    Options,
    Policies,
    Role,
    SourceFile,
)
from audit.domain.options import MOST_REPLICATES, MOST_SEED
from audit.errors import InputError, Issue, UsageError
from audit.formats.settings.grouping import DOCUMENT, GroupFile, Grouping, Separator
from audit.formats.settings.keys import Contradiction, Stated, keys_of
from audit.formats.settings.layout import DELIMITERS, FORMATS, SILENT, ColumnKeys, Keys, toml_bool, toml_text
from audit.formats.settings.pattern import Pattern
from audit.formats.settings.tomlfile import (
    FILE_NAME,
    Place,
    decoded,
    inherited,
    line_of,
    lines_of_part,
    lines_of_settings,
    parsed,
)
from audit.text import did_you_mean, listed, quoted, slugify, visible

_MOST_DECIMALS = 15
_MOST_SKIPPED = 1_000_000
_SLUG = re.compile(r"[^\W_][\w.\-]{0,99}")
_PREVALENCE_NAME = re.compile(r"[^\W_][\w\-]{0,59}")
_DRIVE = re.compile(r"[A-Za-z]:")
_TEX_PART = re.compile(r"\\.|[{}]|[%#&]|\\$")
# These decode, but they are ways to write Python or host names, not files.
_NO_FILE_ENCODINGS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})


class UnusableValueError(Exception):
    """A value that a setting does not allow; the text says what it does."""


class PathOutsideError(Exception):
    """A path that is not below the campaign folder."""


@dataclass(frozen=True, slots=True)
class Wide:
    """The [wide] table: one file with gold and a column for each system.

    Parameters
    ----------
    path : str, optional
        The file.
    gold, id : str, int, optional
        The columns, as in `Keys`.
    systems : tuple of str, optional
        The systems' columns; otherwise all others.
    keys : Keys
        How the file is read.
    """

    path: str | None = None
    gold: str | int | None = None
    systems: tuple[str, ...] | None = None
    keys: Keys = SILENT


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that task.toml says; None or empty where it is silent.

    Parameters
    ----------
    slug, title : str, optional
        The task's name for the store and for readers.
    labels : tuple of str, optional
        The label set, in order.
    official_metric : str, optional
        As written; it is parsed once the label set is known.
    official_decimals : int, optional
        Decimals of the published scores.
    policies : Policies
        What is done where the files leave something open.
    gold_path : str, optional
        The gold file.
    gold, submissions : Keys
        How they are read.
    stratified : bool
        Whether the class counts of gold were fixed by design.
    files : Pattern, optional
        Where the submissions are.
    ignore : tuple of str
        Globs of files that are none.
    wide : Wide, optional
        Where and how the wide file is read.
    teams : mapping of str to str
        Display names by the names that the files give.
    latex_names : mapping of str to str
        What stands for a team in LaTeX files, by its name for readers.
    prevalences : mapping of str to mapping of str to float
        Named prevalences as written.
    options : Options
        How the campaign is evaluated where nobody says otherwise.
    table : str, optional
        The table of the submissions.
    roles : mapping of str to Role
        The role that a name in a path, a team or a run has; globs.
    published : str, optional
        The table of the published scores.
    part : str, optional
        Which of several test sets these settings are of; its name as the heading has it.
    source : SourceFile, optional
        The file; None where there is none.
    lines : mapping of tuple of str to int
        The line of each setting.
    """

    slug: str | None = None
    title: str | None = None
    labels: tuple[str, ...] | None = None
    official_metric: str | None = None
    official_decimals: int | None = None
    policies: Policies = DEFAULT_POLICIES
    gold_path: str | None = None
    gold: Keys = SILENT
    submissions: Keys = SILENT
    stratified: bool = False
    files: Pattern | None = None
    ignore: tuple[str, ...] = ()
    wide: Wide | None = None
    teams: Mapping[str, str] = field(default_factory=dict)
    latex_names: Mapping[str, str] = field(default_factory=dict)
    prevalences: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    table: str | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    published: str | None = None
    part: str | None = None
    source: SourceFile | None = None
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)

    def issue(self, slug: str, found: str, *place: str, expected: str | None = None) -> Issue:
        """An issue at the line of a setting."""
        return Issue.of(slug, FILE_NAME, found, lines=line_of(self.lines, place), expected=expected)


# What each setting allows. A checker takes the value as TOML gives it and returns it as the program has it.

Checker = Callable[[Any], Any]


def _refuse_unless(condition: object, expected: str) -> None:
    if not condition:
        raise UnusableValueError(expected)


def _text(value: object) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise UnusableValueError("a text in quotes, not empty")


def _latex(value: object) -> str:
    """TeX that ends where its cell ends: no brace, comment or column mark of it reaches beyond."""
    text, depth = _text(value), 0
    for part in _TEX_PART.findall(text):
        depth += {"{": 1, "}": -1}.get(part, 0)
        _refuse_unless(depth >= 0 and part not in {"%", "#", "&", "\\"}, _LATEX_EXPECTED)
    _refuse_unless(not depth and text.isprintable(), _LATEX_EXPECTED)
    return text


_LATEX_EXPECTED = r"LaTeX on one line, with every brace closed and \%, \#, \& for %, #, &"


def _slug(value: object) -> str:
    slug = _text(value)
    _refuse_unless(_SLUG.fullmatch(slug), "letters, digits, dots, hyphens and underscores, at most 100")
    return slug


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise UnusableValueError("true or false")


def _whole(most: int) -> Checker:
    def check(value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most:
            return value
        raise UnusableValueError(f"a whole number from 0 to {most:,}")

    return check


def _share(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= sys.float_info.max:
        return float(value)
    raise UnusableValueError("a positive number")


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and value and all(isinstance(entry, str) and entry for entry in value):
        _refuse_unless(len(set(value)) == len(value), "each text once")
        return tuple(value)
    raise UnusableValueError('a list of texts, like ["negative", "positive"]')


def _labels(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and any(not isinstance(label, str) for label in value):
        raise UnusableValueError('labels as text: ["0", "1"], not [0, 1]')
    labels = _texts(value)
    _refuse_unless(len(labels) > 1, "at least two labels")
    return labels


def relative_path(value: object) -> str:
    """A path below the campaign folder, as it stands.

    Raises
    ------
    UnusableValueError, PathOutsideError
        Where it is none.
    """
    path = _text(value)
    _refuse_unless("\\" not in path, "a relative path with forward slashes")
    if path.startswith("/") or ".." in path.split("/") or _DRIVE.match(path):
        raise PathOutsideError
    return path


def _pattern(value: object) -> Pattern:
    try:
        return Pattern(relative_path(value))
    except ValueError as error:
        raise UnusableValueError(str(error)) from None


def _one_of(*allowed: str | bool) -> Checker:
    def check(value: object) -> object:
        same = [each for each in allowed if value == each and type(value) is type(each)]
        _refuse_unless(same, listed([_shown(each) for each in allowed], "or"))
        return value

    return check


def _delimiter(value: object) -> str:
    if isinstance(value, str) and value in DELIMITERS:
        return DELIMITERS[value]
    names = listed([f'"{name}"' for name in DELIMITERS], "or")
    _refuse_unless(
        isinstance(value, str) and len(value) == 1 and value not in '\r\n"', f"{names}, or a single character"
    )
    return str(value)


def _character_or_none(value: object) -> str:
    if isinstance(value, str) and len(value) <= 1 and value not in {"\r", "\n"}:
        return value
    raise UnusableValueError('a single character, or "" for none')


def _encoding(value: object) -> str:
    name = _text(value)
    try:
        codec = codecs.lookup(name).name
        "a".encode(codec)
        known = codec not in _NO_FILE_ENCODINGS
    except (LookupError, ValueError):
        known = False
    _refuse_unless(known, 'a text encoding, like "utf-8", "latin-1" or "cp1252"')
    return codec


def _column(value: object) -> str | int:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return value
    raise UnusableValueError("a column's name in quotes, or its number from 1")


def _columns(value: object) -> ColumnKeys:
    several = isinstance(value, list) and value
    try:
        columns = tuple(map(_column, value)) if isinstance(value, list) and several else (_column(value),)
    except UnusableValueError as error:
        raise UnusableValueError(f"{error}; several in a list") from None
    _refuse_unless(len(set(columns)) == len(columns), "each column once")
    return columns


def _columns_or_false(value: object) -> ColumnKeys | bool:
    if value is False:
        return False
    try:
        return _columns(value)
    except UnusableValueError as error:
        raise UnusableValueError(f"{error}; or false where items are known by position") from None


def _group(value: object) -> Grouping:
    if value is False:
        return False
    try:
        return _group_table(value) if isinstance(value, dict) else _columns(value)
    except UnusableValueError:
        raise UnusableValueError(
            'a column, or several in a list; { path = "…" }, a second file; { between = "…" }, what lines between '
            "groups begin with; or false where items are independent"
        ) from None


def _group_table(value: dict[str, Any]) -> GroupFile | Separator:
    """A second file, or lines between groups; either with what a group is called."""
    unit = _text(value.get("unit", DOCUMENT))
    if set(value) - {"unit"} == {"path"}:
        return GroupFile(relative_path(value["path"]), unit)
    _refuse_unless(set(value) - {"unit"} == {"between"}, "one of the two")
    between = value["between"]
    _refuse_unless(isinstance(between, str) and between.isprintable() and not between.isspace(), "text, or none")
    return Separator(between, unit)


def _one_column(value: object) -> ColumnKeys:
    return (_column(value),)


def _number(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max:
        return float(value)
    raise UnusableValueError("a number")


def _abstention(value: object) -> str | tuple[float, float]:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list) and len(value) == 2:  # noqa: PLR2004 - a band has two ends
        low, high = map(_number, value)
        _refuse_unless(low <= high, "the lower end of the band first")
        return low, high
    raise UnusableValueError('a band like [0.45, 0.55], or a value in quotes, like "-1"')


def _sheet(value: object) -> str | int:
    try:
        return _column(value)
    except UnusableValueError:
        raise UnusableValueError("a sheet's name in quotes, or its number from 1") from None


def _place(value: object) -> str:
    if isinstance(value, str):
        return value
    raise UnusableValueError('names joined by dots, like "data.predictions", or "" for the value itself')


def _spelling(value: object) -> str:
    if isinstance(value, str):
        return value
    raise UnusableValueError('a label in quotes, or "" for no answer')


_READING: Mapping[str, Checker] = {
    "format": _one_of(*FORMATS),
    "delimiter": _delimiter,
    "header": _truth,
    "skip": _whole(_MOST_SKIPPED),
    "comment": _character_or_none,
    "quote": _character_or_none,
    "encoding": _encoding,
    "sheet": _sheet,
    "records": _place,
    "id": _columns_or_false,
    "label": _columns,
    "score": _one_column,
    "threshold": _number,
    "above": _text,
    "below": _text,
    "abstain": _abstention,
}
_NOT_WIDE = ("label", "score", "threshold", "above", "below", "abstain")
_TOP: Mapping[str, Checker] = {
    "slug": _slug,
    "title": _text,
    "labels": _labels,
    "official_metric": _text,
    "official_decimals": _whole(_MOST_DECIMALS),
    "strict": _truth,
    "fold_case": _truth,
}
_TABLES: Mapping[str, Mapping[str, Checker]] = {
    "gold": {"path": relative_path, **_READING, "group": _group, "stratified": _truth},
    "submissions": {"files": _pattern, "ignore": _texts, "table": relative_path, **_READING},
    "wide": {
        "path": relative_path,
        "gold": _column,
        "systems": _texts,
        **{key: checker for key, checker in _READING.items() if key not in _NOT_WIDE},
        "group": _group,
        "stratified": _truth,
        "format": _one_of("delimited", "excel", "parquet", "json", "jsonl"),
        "header": _one_of(True),  # noqa: FBT003 - a value of the setting
    },
    "published": {"path": relative_path},
    "resampling": {"replicates": _whole(MOST_REPLICATES), "seed": _whole(MOST_SEED), "certainty": _truth},
    "policies": {kind.slug: _one_of(*kind.values) for kind in POLICY_KINDS.values()},
}
_CHOSEN: Mapping[str, Checker] = {"team": _text, "run": _text, "reason": _text}
_OWN: Mapping[str, Sequence[str]] = {
    "gold": ("path", "stratified"),
    "submissions": ("files", "ignore", "table"),
    "wide": ("path", "gold", "systems", "stratified"),
}
"""What these tables say beside how a file is read."""

_NAMED_TABLES = ("teams", "latex_names", "roles", "prevalence", "aliases", "combinations")
"""Tables whose keys are the organiser's own."""


def parse_settings(content: bytes, part: str | None = None) -> Settings:
    """Settings from the bytes of task.toml: those of the campaign, or of one of its test sets.

    Parameters
    ----------
    content : bytes
        The file.
    part : str, optional
        Which test set, where there are several.

    Raises
    ------
    InputError
        bad-toml, unknown-setting, bad-setting, path-outside and bad-prevalence: every issue found.
    UsageError
        When there are several test sets and none of this name is asked for.
    """
    every = {settings.part: settings for settings in parse_parts(content)}
    if part not in every:
        names = [quoted(name) for name in every if name is not None]
        there = f"the test sets {listed(names)}" if names else "one test set only"
        raise UsageError(f"{FILE_NAME} has {there}; say which of them is meant.")
    return every[part]


def latex_names(campaign: Campaign) -> Mapping[str, str]:
    """What stands for teams in LaTeX files by [latex_names], by their names for readers."""
    source = campaign.settings
    return {} if source is None else parse_settings(source.content, campaign.task.part).latex_names


def parse_parts(content: bytes) -> tuple[Settings, ...]:
    """The settings of every test set, those of [subtask.NAME] over those at the top; of one where there are no such.

    Raises
    ------
    InputError
        As `parse_settings`, of all of them.
    """
    text = decoded(content)
    tree, lines, source = parsed(text), lines_of_settings(text), SourceFile.of(FILE_NAME, content)
    subtasks = tree.pop("subtask", None)
    if subtasks is None:
        return (_settings(tree, lines, source),)
    issues = _issues_of_subtasks(subtasks, lines)
    parts: list[Settings] = []
    for name, own in {} if issues else subtasks.items():
        try:
            parts.append(_settings(inherited(tree, own, name), lines_of_part(lines, name), source, name))
        except InputError as error:
            issues.extend(issue for issue in error.issues if issue not in issues)
    if issues:
        raise InputError(sorted(issues, key=lambda issue: issue.lines))
    return tuple(parts)


def _issues_of_subtasks(subtasks: object, lines: Mapping[Place, int]) -> list[Issue]:
    """What is wrong with the headings [subtask.NAME]."""
    check = _Check(lines)
    if not isinstance(subtasks, dict) or not subtasks or not all(isinstance(own, dict) for own in subtasks.values()):
        check.bad(("subtask",), "subtask", "a table for each: [subtask.NAME]")
        return check.issues
    by_slug: dict[str, str] = {}
    for name, own in subtasks.items():
        other = by_slug.setdefault(slugify(name), name)
        if not name.strip() or other != name:
            check.bad(
                ("subtask", name), f"the subtask {quoted(name)}", "names that differ in more than case or hyphens"
            )
        if "slug" in own:
            found = "the slug of a subtask is that of the campaign with its name"
            check.bad(("subtask", name, "slug"), found, "slug at the top of the file")
    return check.issues


def _settings(
    tree: dict[str, Any], lines: Mapping[Place, int], source: SourceFile, part: str | None = None
) -> Settings:
    """The checked settings of one test set."""
    check = _Check(lines)
    rest = dict(tree)
    chosen = check.chosen(rest.pop("chosen", []))
    tables = {name: check.table(name, rest.pop(name, None)) for name in (*_TABLES, *_NAMED_TABLES)}
    top = check.settings((), rest, _TOP, also=[*tables, "chosen", "subtask"])
    of_table = {name: check.settings((name,), tables[name] or {}, _TABLES[name]) for name in _TABLES}
    teams = check.names("teams", tables["teams"] or {}, _text)
    latex_names = check.names("latex_names", tables["latex_names"] or {}, _latex)
    roles = check.names("roles", tables["roles"] or {}, _one_of(*(role.value for role in Role)))
    prevalences = check.prevalences(tables["prevalence"] or {})
    stated = Stated(
        top.get("labels"),
        check.texts("aliases", tables["aliases"]),
        check.texts("combinations", tables["combinations"]),
        fold_case=top.pop("fold_case", False),
    )
    check.refuse(stated.contradictions())
    own = {name: {key: of_table[name].pop(key) for key in keys if key in of_table[name]} for name, keys in _OWN.items()}
    keys = {}
    for name in _OWN:
        keys[name], contradictions = keys_of(of_table[name], stated)
        check.refuse(((name, *place), words, expected) for place, words, expected in contradictions)
    if tables["wide"] is not None and (tables["gold"] is not None or tables["submissions"] is not None):
        check.bad(("wide",), "[wide] beside [gold] or [submissions]", "either [wide], or the other two")
    stratified = [own[name].pop("stratified", False) for name in ("gold", "wide")]
    policies = of_table["policies"]
    if top.pop("strict", False):
        check.contradictions(policies, STRICT_POLICIES)
        policies |= {"missing": STRICT_POLICIES.missing, "unusable": STRICT_POLICIES.unusable}
    if check.issues:
        raise InputError(sorted(check.issues, key=lambda issue: issue.lines))
    return Settings(
        **top,
        **own["submissions"],
        gold_path=own["gold"].get("path"),
        gold=keys["gold"],
        submissions=keys["submissions"],
        stratified=any(stratified),
        wide=None if tables["wide"] is None else Wide(**own["wide"], keys=keys["wide"]),
        teams=teams,
        latex_names=latex_names,
        roles={name: Role(role) for name, role in roles.items()},
        prevalences=prevalences,
        policies=Policies(**policies, chosen=chosen),
        published=of_table["published"].get("path"),
        options=Options(**of_table["resampling"]),
        part=part,
        source=source,
        lines=check.lines,
    )


class _Check:
    """Checks the settings one by one, and keeps what is wrong with them."""

    def __init__(self, lines: Mapping[Place, int]) -> None:
        self.lines = lines
        self.issues: list[Issue] = []

    def add(self, slug: str, place: Place, found: str, expected: str | None = None) -> None:
        self.issues.append(Issue.of(slug, FILE_NAME, found, lines=line_of(self.lines, place), expected=expected))

    def bad(self, place: Place, found: str, expected: str) -> None:
        self.add("bad-setting", place, found, expected)

    def table(self, name: str, value: object) -> dict[str, Any] | None:
        """The table as a dict; None where there is none."""
        if value is None or isinstance(value, dict):
            return value
        self.bad((name,), f"{name} = {_shown(value)}", f"a table: [{name}]")
        return {}

    def settings(
        self, place: Place, table: Mapping[str, Any], allowed: Mapping[str, Checker], also: Iterable[str] = ()
    ) -> dict[str, Any]:
        """The checked values of the keys that a table may have."""
        checked: dict[str, Any] = {}
        for key, value in table.items():
            if key not in allowed:
                self._unknown((*place, key), [*allowed, *also])
                continue
            try:
                checked[key] = allowed[key](value)
            except UnusableValueError as refusal:
                self.bad((*place, key), f"{key} = {_shown(value)}", str(refusal))
            except PathOutsideError:
                self.add("path-outside", (*place, key), f"{key} = {_shown(value)}")
        return checked

    def _unknown(self, place: Place, known: Iterable[str]) -> None:
        *table, key = place
        where = f"in [{'.'.join(table)}]" if table else "at the top"
        known = list(known)
        expected = f"one of {listed(known, 'or')}"
        self.add("unknown-setting", place, f"{quoted(key)} {where}.{did_you_mean(key, known)}", expected)

    def contradictions(self, policies: Mapping[str, str], strict: Policies) -> None:
        """Policies beside ``strict = true`` that say otherwise."""
        for slug in ("missing", "unusable"):
            if policies.get(slug, "reject") != getattr(strict, slug):
                self.bad(("policies", slug), f'{slug} = "{policies[slug]}" beside strict = true', "one of the two")

    def names(self, name: str, table: Mapping[str, Any], checker: Checker) -> dict[str, str]:
        """A table whose keys are names that the organiser gives."""
        return self.settings((name,), table, dict.fromkeys(table, checker))

    def chosen(self, entries: object) -> tuple[ChosenRun, ...]:
        """The [[chosen]] tables, each with all it needs."""
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            self.bad(("chosen",), f"chosen = {_shown(entries)}", "tables in double brackets: [[chosen]]")
            return ()
        found = []
        for number, entry in enumerate(entries, start=1):
            place = ("chosen", str(number))
            checked = self.settings(place, entry, _CHOSEN)
            if missing := [key for key in _CHOSEN if key not in entry]:
                self.bad(place, f"[[chosen]] without {listed(missing)}", "team, run and reason")
            elif len(checked) == len(_CHOSEN):
                found.append(ChosenRun(**checked))
        return tuple(found)

    def texts(self, name: str, table: Mapping[str, Any] | None) -> dict[str, str]:
        """A table of the organiser's own texts, like [aliases]."""
        return self.settings((name,), table or {}, dict.fromkeys(table or {}, _spelling))

    def refuse(self, contradictions: Iterable[Contradiction]) -> None:
        """Settings that do not go together: each with its place, what was found, and what was expected."""
        for place, found, expected in contradictions:
            self.bad(place, found, expected)

    def prevalences(self, table: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """The [prevalence.NAME] tables; that they name every class is checked when gold is known."""
        found: dict[str, dict[str, float]] = {}
        for name, shares in table.items():
            place = ("prevalence", name)
            if not _PREVALENCE_NAME.fullmatch(name) or name in {OBSERVED.name, BALANCED.name}:
                self.bad(
                    place, f"the prevalence {quoted(name)}", "letters, digits and hyphens; not observed or balanced"
                )
            elif not isinstance(shares, dict):
                self.bad(place, f"{name} = {_shown(shares)}", f"a table: [prevalence.{name}]")
            else:
                found[name] = self._shares(place, shares)
        return found

    def _shares(self, place: Place, shares: Mapping[str, Any]) -> dict[str, float]:
        checked: dict[str, float] = {}
        for label, share in shares.items():
            try:
                checked[label] = _share(share)
            except UnusableValueError as refusal:
                self.add("bad-prevalence", (*place, label), f"{label} = {_shown(share)}", str(refusal))
        return checked


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return toml_bool(value)
    if isinstance(value, dict):
        inside = (f"{key} = {'…' if isinstance(inner, dict | list) else _shown(inner)}" for key, inner in value.items())
        return visible(f"{{ {', '.join(inside)} }}", 60)
    return toml_text(visible(value, 60)) if isinstance(value, str) else visible(str(value), 60)
