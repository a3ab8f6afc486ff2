"""task.toml as a tree of settings, each with its line; what its test sets inherit; and values as TOML writes them."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any

from audit.errors import SETTINGS_FILE, InputError, Issue
from audit.text import visible

Place = tuple[str, ...]  # the tables and the key that lead to a setting

_TOML_LINE = re.compile(r"at line (\d+)")
_CLOSING = ("]", '"""', "'''")  # the ends of values of several lines
_MOST_ATTEMPTS = 200  # values of more lines with such an end are nobody's; what stands behind them has no line


def decoded(content: bytes) -> str:
    """The text of task.toml."""
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = 1 + content.count(b"\n", 0, error.start)
        defect = f"byte 0x{content[error.start]:02x} is not UTF-8"
        raise InputError([Issue.of("bad-toml", SETTINGS_FILE, defect, lines=[line])]) from None


def parsed(text: str) -> dict[str, Any]:
    """The settings as TOML has them."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError([Issue.of("bad-toml", SETTINGS_FILE, "it is nested too deeply")]) from None
    except ValueError as error:  # TOMLDecodeError is one; a number of 5,000 digits is another
        match = _TOML_LINE.search(str(error))
        line = int(match[1]) if match else text.count("\n") + 1
        raise InputError([Issue.of("bad-toml", SETTINGS_FILE, visible(str(error), 160), lines=[line])]) from None


@lru_cache(maxsize=4)
def lines_of_settings(content: bytes) -> Mapping[tuple[str | None, ...], int]:
    """The line of each table and key, as the parser reads the file statement by statement."""
    lines: dict[tuple[str | None, ...], int] = {}
    table: Place = ()
    entries: Counter[Place] = Counter()  # of tables in double brackets, which are numbered
    for number, statement, tree in _statements(decoded(content)):
        if statement.startswith("["):
            table = _place_of_heading(tree)
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
    first, statement, attempts = 1, "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        is_inside = bool(statement) and not any(end in line for end in _CLOSING)
        statement += f"{line}\n"
        if is_inside:
            continue
        attempts += 1
        with suppress(ValueError, RecursionError):
            yield first, statement.lstrip(" \t"), tomllib.loads(statement)
            first, statement, attempts = number + 1, "", 0
        if attempts > _MOST_ATTEMPTS:
            return


def _place_of_heading(tree: Any) -> Place:  # noqa: ANN401 - tables in one another, the innermost empty or a list
    place: Place = ()
    while isinstance(tree, dict) and tree:
        ((key, tree),) = tree.items()
        place = (*place, key)
    return place


def _places(tree: Mapping[str, Any]) -> Iterator[Place]:
    for key, value in tree.items():
        yield (key,)
        if isinstance(value, dict):
            yield from ((key, *place) for place in _places(value))


def line_of(content: bytes, part: str | None, place: Place) -> list[int]:
    """The line of a setting in task.toml, of a subtask's there, if it states it; or else of the table it stands in."""
    lines = lines_of_settings(content)
    depths = range(len(place), 0, -1)
    places = chain.from_iterable((("subtask", part, *place[:depth]), place[:depth]) for depth in depths)
    return [lines[each] for each in places if each in lines][:1]


def inherited(top: Mapping[str, Any], own: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The settings of a subtask: its own, and those at the top that it does not state.

    The official score is stated as a whole: a metric of its own takes the place of a mean, and a mean with its weights
    that of a metric or of another mean. So are the columns of scores, whose names are tried in their order.
    """
    mean = own.get("official")
    if "official_metric" in own or (isinstance(mean, dict) and {"mean_of", "mean_rank_of"} & set(mean)):
        top = {key: value for key, value in top.items() if key not in {"official_metric", "official"}}
    merged = _merged(top, own)
    submissions = own.get("submissions")
    if isinstance(submissions, dict) and "score" in submissions:
        merged["submissions"]["score"] = submissions["score"]
    if "title" not in own and isinstance(top.get("title"), str):
        merged["title"] = f"{top['title']}: {name}"
    return merged


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    both = {
        key: _merged(below[key], value) if isinstance(value, dict) and isinstance(below.get(key), dict) else value
        for key, value in above.items()
    }
    return {**below, **both}


def toml_text(text: str) -> str:
    r"""Text as a TOML basic string.

    >>> print(toml_text('say "a"\t'))
    "say \"a\"\u0009"
    """
    escaped = "".join(
        f"\\{character}"
        if character in '"\\'
        else f"\\u{ord(character):04x}"
        if ord(character) < 0x20 or ord(character) == 0x7F  # noqa: PLR2004 - TOML's control characters
        else character
        for character in text
    )
    return f'"{escaped}"'


def toml_bool(value: bool) -> str:  # noqa: FBT001 - the value is the subject
    """A truth value as TOML writes it."""
    return "true" if value else "false"


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
