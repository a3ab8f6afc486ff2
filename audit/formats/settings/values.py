"""The values that settings of task.toml allow: types, each of which says what it expected where it refuses."""

import codecs
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, starmap
from math import isfinite
from operator import lt, not_
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, WrapValidator
from pydantic_core import PydanticCustomError

from audit.domain import BALANCED, OBSERVED, Role
from audit.formats.files.limits import MOST_LABELS
from audit.formats.settings.answers import Greatest
from audit.formats.settings.layout import (
    DELIMITERS,
    DOCUMENT,
    GroupFile,
    Grouping,
    Separator,
    toml_text,
)
from audit.text import composed, listed

_PLACEHOLDER = re.compile(r"\{(\w*)\}")
# a placeholder takes all that it can, so that a star behind it has nothing
_GAP = re.compile(r"(\{\w+\}\*?|\*+)")
_NAMES = ("team", "run", "role")
# of one part of a path: characters, as on any disk, and gaps, which each can try
_LONGEST_NAME = 255
_MOST_GAPS = 3


class Names(NamedTuple):
    """The names in a path; where it has a role but no run, the role is the run's name too."""

    team: str
    run: str | None = None
    role: str | None = None


@dataclass(frozen=True)
class Pattern:
    """A path pattern, each placeholder standing for a path component or a part of one."""

    text: str  # like `results/{team}/{run}.txt`; `*` stands for any text that does not count

    def __post_init__(self) -> None:
        names = _PLACEHOLDER.findall(self.text)
        if unknown := [name for name in names if name not in _NAMES]:
            raise ValueError(
                f"the placeholders {{team}}, {{run}} and {{role}}, not {{{unknown[0]}}}"
            )
        if "team" not in names or len(set(names)) < len(names):
            raise ValueError(
                "a path with {team}, and {run} or {role} where a team has several, each once"
            )
        if "" in self.components:
            raise ValueError("a relative path without empty parts")
        if any(len(_GAP.findall(part)) > _MOST_GAPS for part in self.components):
            raise ValueError(
                f"a path with at most {_MOST_GAPS} stars and placeholders between two slashes"
            )

    @property
    def components(self) -> tuple[str, ...]:
        """The parts of the pattern between the slashes."""
        return tuple(self.text.split("/"))

    def fits(self, level: int, name: str) -> bool:
        """Whether a name on a level can be that component."""
        return len(name) <= _LONGEST_NAME and self._ways[0][level].fullmatch(name) is not None

    @cached_property
    def _ways(self) -> list[list[re.Pattern[str]]]:
        """The components as expressions, their gaps as long as can be, and as short as can be."""
        return [[_compiled(component, lazy) for component in self.components] for lazy in ("", "?")]

    def splits(self, path: str) -> list[Names]:
        """Each way to split a path: one, where there is one only, and none where it is no submission."""
        names = path.split("/")
        found = []
        if len(names) != len(self.components) or max(map(len, names)) > _LONGEST_NAME:
            return []
        for components in self._ways:
            matches = [
                component.fullmatch(name) for name, component in zip(names, components, strict=True)
            ]
            if None not in matches:
                parts = {
                    key: part
                    for match in matches
                    if match
                    for key, part in match.groupdict().items()
                }
                role = parts.get("role")
                found.append(Names(parts["team"], parts.get("run", role), role))
        return list(dict.fromkeys(found))


def _compiled(component: str, lazy: str) -> re.Pattern[str]:
    """What a component stands for, each gap as long or, lazily, as short as can be; an ending has no dot in it."""
    if component.endswith(".*"):
        ending = "*"
    else:
        ending = ""
    pieces = _GAP.split(component.removesuffix(ending))
    texts = map(re.escape, pieces[::2])
    gaps = pieces[1::2]
    filled = [
        f"(?P<{gap.strip('{}*')}>.+{'' if gap.endswith('*') else lazy})"
        if gap[0] == "{"
        else f".*{lazy}"
        for gap in gaps
    ]
    return re.compile(
        "".join(chain(*zip(texts, [*filled, "[^.]*" if ending else ""], strict=True))), re.DOTALL
    )


_SLUG = re.compile(r"[^\W_][\w.\-]{0,99}")
_PREVALENCE_NAME = re.compile(r"[^\W_][\w\-]{0,59}")
_DRIVE = re.compile(r"[A-Za-z]:")
_TEX_PART = re.compile(r"\\.|[{}]|[%#&]|\\$")
# These decode, but they are ways to write Python or host names, not files.
_NO_FILE_ENCODINGS = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
)
_MOST_SLICE_COLUMNS = 5
_MOST_WEIGHT = 999_999


def expecting(words: str, condition: Callable[[Any], object] = lambda _: True) -> WrapValidator:
    """What a type says that refuses, by itself or by a condition."""

    def check(value: object, handler: Callable[[object], Any]) -> Any:  # noqa: ANN401 - as the type has it
        with suppress(ValueError, LookupError, OverflowError, re.error):
            checked = handler(value)
            if condition(checked):
                return checked
        raise ValueError(words)

    return WrapValidator(check)


def one_of(*values: str) -> WrapValidator:
    """One of these texts."""
    return expecting(listed(list(map(toml_text, values)), "or"), values.__contains__)


def whole(most: int) -> WrapValidator:
    """A whole number from 0 on."""
    return expecting(f"a whole number from 0 to {most:,}", lambda number: 0 <= number <= most)


def _is_distinct(values: Collection[object]) -> bool:
    return len(set(values)) == len(values)


_AS_TUPLE = BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value)
_SEVERAL = BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else (value,))

Truth = Annotated[bool, expecting("true or false")]
Number = Annotated[float, expecting("a number", isfinite)]
Weight = Annotated[
    float,
    expecting(
        "a number above 0 with at most six decimals",
        lambda number: 0 < number <= _MOST_WEIGHT and round(number, 6) == number,
    ),
]
Weights = Annotated[
    list[Weight], expecting("a list of numbers above 0 with at most six decimals, like [2, 1]")
]
Scale = Annotated[
    bool | tuple[Annotated[float, expecting("a number", isfinite)], ...],
    _AS_TUPLE,
    expecting(
        "true, or a number for each label, ascending, like [0, 1, 2, 5]",
        lambda values: isinstance(values, bool) or all(starmap(lt, pairwise(values))),
    ),
]
Range = Annotated[
    tuple[Number, Number],
    _AS_TUPLE,
    expecting("two numbers, the lower first, like [0, 100]", lambda ends: ends[0] < ends[1]),
]
Share = Annotated[
    float, expecting("a positive number", lambda share: share > 0 and isfinite(share))
]
"""A share of a class; shares need not sum to 1."""

Text = Annotated[str, expecting("a text in quotes, not empty", str.strip)]
_ESCAPE_OR_SET = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_MOST_OF_PATTERN = 100
_MOST_REPETITIONS = 2


def _is_safe_pattern(text: str) -> bool:
    """Whether a regular expression has one group at most, two repetitions, and none of a group: it cannot run on."""
    bare = _ESCAPE_OR_SET.sub("x", text)
    is_plain = (
        len(text) <= _MOST_OF_PATTERN
        and bare.count("(") <= 1
        and "(?" not in bare
        and len(re.findall(r"[*+{]", bare)) <= _MOST_REPETITIONS
    )
    if not is_plain or re.search(r"\)[*+?{]|[*+?}][*+{]", bare) or re.search(r"\\[0-9]", text):
        return False
    return bool(re.compile(text))


IdPattern = Annotated[
    str,
    expecting(
        "a regular expression of at most 100 characters with one group, two repetitions and none of the group, like "
        '"([^/]+)$"',
        _is_safe_pattern,
    ),
]


Slug = Annotated[
    str,
    expecting(
        "text of letters, digits, dots, hyphens and underscores, at most 100", _SLUG.fullmatch
    ),
]
LabelText = Annotated[str, expecting('a label in quotes, or "" for no answer')]
Place = Annotated[
    str, expecting('names joined by dots, like "data.predictions", or "" for the value itself')
]
Texts = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...],
    Field(min_length=1),
    _AS_TUPLE,
    expecting('a list of texts, each once, like ["negative", "positive"]', _is_distinct),
]
Labels = Annotated[
    Texts,
    expecting(
        f'two labels to {MOST_LABELS:,}, as text, each once: ["0", "1"], not [0, 1]',
        lambda labels: 1 < len(labels) <= MOST_LABELS,
    ),
]
RoleName = Annotated[Role, Field(strict=False), expecting(listed(list(map(toml_text, Role)), "or"))]
PrevalenceName = Annotated[
    str,
    expecting(
        "letters, digits and hyphens; not observed or balanced",
        lambda name: (
            _PREVALENCE_NAME.fullmatch(name) and name not in {OBSERVED.name, BALANCED.name}
        ),
    ),
]


def _is_closed(tex: str) -> bool:
    """Whether TeX ends where its cell ends: no brace, comment or column mark of it reaches beyond."""
    depth = 0
    for part in _TEX_PART.findall(tex):
        depth += {"{": 1, "}": -1}.get(part, 0)
        if depth < 0 or part in {"%", "#", "&", "\\"}:
            return False
    return not depth and tex.isprintable()


Latex = Annotated[
    Text,
    expecting(r"LaTeX on one line, with every brace closed and \%, \#, \& for %, #, &", _is_closed),
]


def relative_path(value: object) -> str:
    """A path below the campaign folder with forward slashes, as Windows writes it or not, its letters composed."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a relative path in quotes, with forward slashes")
    value = composed(value.replace("\\", "/"))
    if value.startswith("/") or ".." in value.split("/") or _DRIVE.match(value):
        raise PydanticCustomError("path-outside", "a relative path inside the campaign folder")
    return value


RelativePath = Annotated[str, PlainValidator(relative_path)]
PathPattern = Annotated[Pattern, PlainValidator(lambda value: Pattern(relative_path(value)))]


Encoding = Annotated[
    str,
    expecting(
        'a text encoding, like "utf-8", "latin-1" or "cp1252"',
        lambda name: "a".encode(name) and codecs.lookup(name).name not in _NO_FILE_ENCODINGS,
    ),
    AfterValidator(lambda name: codecs.lookup(name).name),
]
Delimiter = Annotated[
    str,
    expecting(
        f"{listed(list(map(toml_text, DELIMITERS)), 'or')}, or a single character",
        lambda text: (
            text in DELIMITERS
            or (len(text[:1] + text[1:].removesuffix(" ")) == 1 and text[0] not in '\r\n"')
        ),
    ),
    AfterValidator(lambda text: DELIMITERS.get(text, text)),
]
CharacterOrNone = Annotated[
    str,
    expecting(
        'a single character, or "" for none',
        lambda text: len(text) <= 1 and text not in {"\r", "\n"},
    ),
]

_COLUMN = "a column's name in quotes, or its number from 1"


def _greatest(value: dict[str, object]) -> Greatest:
    """The columns of scores of which the greatest is the label: called as the labels, or each by its label."""
    columns = value.get("greatest")
    if isinstance(columns, list):
        columns = {name: name for name in columns if isinstance(name, str)}
    if set(value) != {"greatest"} or not isinstance(columns, dict) or len(columns) < 2:  # noqa: PLR2004 - the greater
        raise ValueError("greatest with two columns or more")
    return Greatest(tuple(columns), tuple(map(str, columns.values())))


_False = Annotated[bool, expecting("false", not_)]
_Column = str | Annotated[int, Field(ge=1)]
Column = Annotated[_Column, expecting(_COLUMN)]
Sheet = Annotated[_Column, expecting("a sheet's name in quotes, or its number from 1")]
OneColumn = Annotated[tuple[_Column], BeforeValidator(lambda value: (value,)), expecting(_COLUMN)]
Columns = Annotated[
    tuple[_Column, ...],
    Field(min_length=1),
    _SEVERAL,
    expecting(f"{_COLUMN}; several in a list, each once", _is_distinct),
]
ColumnsOrFalse = Annotated[
    _False | Columns,
    expecting(
        f"{_COLUMN}; several in a list, each once; or false where items are known by position"
    ),
]
Label = Annotated[
    Columns | Greatest,
    BeforeValidator(lambda value: _greatest(value) if isinstance(value, dict) else value),
    expecting(
        f'{_COLUMN}; several in a list, each once; or {{ greatest = ["no", "yes"] }}, columns of scores'
    ),
]
Slices = Annotated[
    Columns,
    expecting(
        f"the columns that cut the test set, at most {_MOST_SLICE_COLUMNS}: {_COLUMN}; several in a list, each once",
        lambda columns: len(columns) <= _MOST_SLICE_COLUMNS,
    ),
]
SubmissionScores = Annotated[
    Columns | Annotated[dict[Text, OneColumn], Field(min_length=1)],
    expecting(
        f"{_COLUMN}; several in a list, each once; or one for each team, run or path, like "
        '{ SVM = "p(spam)", "*" = "score" }',
        lambda score: not isinstance(score, dict) or ("",) not in score.values(),
    ),
]
ScoredLabels = Annotated[
    tuple[Text, ...],
    Field(min_length=1),
    _SEVERAL,
    expecting("a label in quotes; several in a list, each once", _is_distinct),
]
WideScores = Annotated[
    str | dict[str, Text],
    expecting(
        '"{team}_score", or the columns by system, each once, like { "SVM" = "SVM_score" }',
        lambda score: (
            score.count("{team}") == 1 and score != "{team}"
            if isinstance(score, str)
            else score and _is_distinct(score.values())
        ),
    ),
]
Abstention = Annotated[
    Text | tuple[Number, Number],
    _AS_TUPLE,
    expecting(
        'a band like [0.45, 0.55], its lower end first, or a value in quotes, like "-1"',
        lambda value: isinstance(value, str) or value[0] <= value[1],
    ),
]


_GROUP = (
    'a column, or several in a list; { path = "…" }, a second file; { between = "…" }, what lines between groups begin '
    "with; or false where items are independent"
)


def _group_table(value: object, handler: Callable[[object], Grouping]) -> Grouping:
    """A second file, or lines between groups; either with what a group is called."""
    if not isinstance(value, dict):
        return handler(value)
    unit = value.get("unit", DOCUMENT)
    between = value.get("between")
    if isinstance(unit, str) and unit.strip():
        if set(value) - {"unit"} == {"path"}:
            return GroupFile(relative_path(value["path"]), unit)
        is_text = isinstance(between, str) and between.isprintable() and not between.isspace()
        if set(value) - {"unit"} == {"between"} and is_text:
            return Separator(str(between), unit)
    raise ValueError(_GROUP)


Group = Annotated[_False | Columns, expecting(_GROUP), WrapValidator(_group_table)]
