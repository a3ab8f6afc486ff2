"""What each setting of task.toml allows: a checker for each, and the tables they stand in."""

import codecs
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from audit.domain import OVERALL_RULES, POLICY_KINDS
from audit.domain.options import MOST_REPLICATES, MOST_SEED
from audit.formats.settings.grouping import DOCUMENT, GroupFile, Grouping, Separator
from audit.formats.settings.keys import ColumnKeys
from audit.formats.settings.layout import DELIMITERS, FORMATS
from audit.formats.settings.pattern import SPLITS, Pattern
from audit.formats.settings.tomlfile import toml_bool, toml_text
from audit.text import listed, visible

_MOST_DECIMALS = 15
_MOST_SKIPPED = 1_000_000
_SLUG = re.compile(r"[^\W_][\w.\-]{0,99}")
_DRIVE = re.compile(r"[A-Za-z]:")
_TEX_PART = re.compile(r"\\.|[{}]|[%#&]|\\$")
# These decode, but they are ways to write Python or host names, not files.
_NO_FILE_ENCODINGS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})


class UnusableValueError(Exception):
    """A value that a setting does not allow; the text says what it does."""


class PathOutsideError(Exception):
    """A path that is not below the campaign folder."""


ROSTER = ("file", "team", "run", "role", "name", "affiliation", "paper", "score")
"""What the columns of a table of submissions hold."""

Checker = Callable[[Any], Any]


def _refuse_unless(condition: object, expected: str) -> None:
    if not condition:
        raise UnusableValueError(expected)


def any_text(value: object) -> str:
    """Text that is not empty."""
    if isinstance(value, str) and value.strip():
        return value
    raise UnusableValueError("a text in quotes, not empty")


def latex_text(value: object) -> str:
    """TeX that ends where its cell ends: no brace, comment or column mark of it reaches beyond."""
    text, depth = any_text(value), 0
    for part in _TEX_PART.findall(text):
        depth += {"{": 1, "}": -1}.get(part, 0)
        _refuse_unless(depth >= 0 and part not in {"%", "#", "&", "\\"}, _LATEX_EXPECTED)
    _refuse_unless(not depth and text.isprintable(), _LATEX_EXPECTED)
    return text


_LATEX_EXPECTED = r"LaTeX on one line, with every brace closed and \%, \#, \& for %, #, &"


def _slug(value: object) -> str:
    slug = any_text(value)
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


def positive_share(value: object) -> float:
    """A share of a class, greater than 0; shares need not sum to 1."""
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
    path = any_text(value)
    _refuse_unless("\\" not in path, "a relative path with forward slashes")
    if path.startswith("/") or ".." in path.split("/") or _DRIVE.match(path):
        raise PathOutsideError
    return path


def _pattern(value: object) -> Pattern:
    try:
        return Pattern(relative_path(value))
    except ValueError as error:
        raise UnusableValueError(str(error)) from None


def one_of(*allowed: str | bool) -> Checker:
    """A checker that allows these values only."""

    def check(value: object) -> object:
        same = [each for each in allowed if value == each and type(value) is type(each)]
        _refuse_unless(same, listed([shown_value(each) for each in allowed], "or"))
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
    name = any_text(value)
    try:
        codec = codecs.lookup(name).name
        "a".encode(codec)
        is_text_encoding = codec not in _NO_FILE_ENCODINGS
    except (LookupError, ValueError):
        is_text_encoding = False
    _refuse_unless(is_text_encoding, 'a text encoding, like "utf-8", "latin-1" or "cp1252"')
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
    unit = any_text(value.get("unit", DOCUMENT))
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


_MOST_WEIGHT = 999_999


def _weight(value: object) -> float:
    number = positive_share(value)
    _refuse_unless(number <= _MOST_WEIGHT and round(number, 6) == number, "a number above 0 with at most six decimals")
    return number


def _weights(value: object) -> tuple[float, ...]:
    if isinstance(value, list):
        return tuple(map(_weight, value))
    raise UnusableValueError("a list of numbers above 0, like [2, 1]")


def _abstention(value: object) -> str | tuple[float, float]:
    if isinstance(value, str):
        return any_text(value)
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


def _table_columns(value: object) -> dict[str, str]:
    if isinstance(value, dict) and "file" in value and set(value) <= set(ROSTER) and all(map(_is_name, value.values())):
        _refuse_unless(len(set(value.values())) == len(value), "each column once")
        return value
    raise UnusableValueError(f'{{ file = "…", team = "…" }}: the columns that hold {listed(ROSTER, "and")}')


def _wide_scores(value: object) -> str | dict[str, str]:
    """The columns of scores: a pattern with the systems' names, or the column of each system."""
    if isinstance(value, str) and value.count("{team}") == 1 and value != "{team}":
        return value
    if isinstance(value, dict) and value and all(map(_is_name, value.values())):
        _refuse_unless(len(set(value.values())) == len(value), "each column once")
        return value
    raise UnusableValueError('"{team}_score", or the columns by system, like { "SVM" = "SVM_score" }')


def _scores_of_submissions(value: object) -> ColumnKeys | dict[str, ColumnKeys]:
    """The column of scores: of every submission, or by what a submission is called."""
    try:
        if isinstance(value, dict) and value and all(map(_is_name, value)) and "" not in value.values():
            return {name: _one_column(column) for name, column in value.items()}
        return _one_column(value)
    except UnusableValueError as error:
        other = 'or one for each team, run or path, like { SVM = "p(spam)", "*" = "score" }'
        raise UnusableValueError(f"{error}; {other}") from None


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _place(value: object) -> str:
    if isinstance(value, str):
        return value
    raise UnusableValueError('names joined by dots, like "data.predictions", or "" for the value itself')


def spelling(value: object) -> str:
    """The label that another spelling stands for, or nothing."""
    if isinstance(value, str):
        return value
    raise UnusableValueError('a label in quotes, or "" for no answer')


_LAYOUT: Mapping[str, Checker] = {
    "format": one_of(*FORMATS),
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
    "above": any_text,
    "below": any_text,
    "abstain": _abstention,
}

_MOST_SLICE_COLUMNS = 5


def _slices(value: object) -> ColumnKeys:
    try:
        columns = _columns(value)
    except UnusableValueError as error:
        raise UnusableValueError(f"the columns that cut the test set: {error}") from None
    _refuse_unless(len(columns) <= _MOST_SLICE_COLUMNS, f"at most {_MOST_SLICE_COLUMNS} columns")
    return columns


_NOT_WIDE = ("label", "score", "threshold", "above", "below", "abstain")

TOP: Mapping[str, Checker] = {
    "slug": _slug,
    "title": any_text,
    "note": any_text,
    "labels": _labels,
    "label_names_file": relative_path,
    "label_names_column": _column,
    "rest_label": any_text,
    "official_metric": any_text,
    "official_decimals": _whole(_MOST_DECIMALS),
    "overall": one_of(*OVERALL_RULES),
    "weight": _weight,
    "strict": _truth,
    "fold_case": _truth,
}

TABLES: Mapping[str, Mapping[str, Checker]] = {
    "gold": {"path": relative_path, **_LAYOUT, "group": _group, "slices": _slices, "stratified": _truth},
    "submissions": {
        "files": _pattern,
        "ignore": _texts,
        "table": relative_path,
        "table_columns": _table_columns,
        "split": one_of(*SPLITS),
        **_LAYOUT,
        "score": _scores_of_submissions,
    },
    "wide": {
        "path": relative_path,
        "gold": _column,
        "systems": _texts,
        "score": _wide_scores,
        "above": any_text,
        **{key: checker for key, checker in _LAYOUT.items() if key not in _NOT_WIDE},
        "group": _group,
        "slices": _slices,
        "stratified": _truth,
        "format": one_of("delimited", "excel", "parquet", "json", "jsonl"),
        "header": one_of(True),  # noqa: FBT003 - a value of the setting
    },
    "published": {"path": relative_path},
    "official": {"mean_of": _texts, "mean_rank_of": _texts, "weights": _weights},
    "resampling": {"replicates": _whole(MOST_REPLICATES), "seed": _whole(MOST_SEED), "certainty": _truth},
    "policies": {kind.slug: one_of(*kind.values) for kind in POLICY_KINDS.values()},
}

CHOSEN: Mapping[str, Checker] = {"team": any_text, "run": any_text, "reason": any_text}

OWN: Mapping[str, Sequence[str]] = {
    "gold": ("path", "stratified"),
    "submissions": ("files", "ignore", "table", "table_columns", "split"),
    "wide": ("path", "gold", "systems", "score", "above", "stratified"),
}
"""What these tables say beside how a file is read."""

NAMED_TABLES = ("teams", "label_names", "latex_names", "roles", "prevalence", "aliases", "combinations")
"""Tables whose keys are the organiser's own."""


def shown_value(value: object) -> str:
    """A value of task.toml for a message, shortened."""
    if isinstance(value, bool):
        return toml_bool(value)
    if isinstance(value, dict):
        pairs = (
            f"{key} = {'…' if isinstance(inner, dict | list) else shown_value(inner)}" for key, inner in value.items()
        )
        return visible(f"{{ {', '.join(pairs)} }}", 60)
    return toml_text(visible(value, 60)) if isinstance(value, str) else visible(str(value), 60)
