"""The formats in which scorers write a number for each item: a row of a table for each, over the same two readers.

Samples of ir_measures 0.4.3 and sacreBLEU 2.6.0 were written by these programs. Those of trec_eval, mt-metrics-eval,
lm-eval and HELM follow their documentation and were not tried on files of theirs.
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from audit.domain.arrays import Floats
from audit.errors import InputError, Issue
from audit.formats.files.content import Content, decode, unpacked
from audit.formats.numbers.columns import direction_by_name
from audit.formats.readers.json_files import decoded
from audit.formats.settings.layout import BLANKS
from audit.formats.table.columns import fold, is_id_name
from audit.formats.table.text_rows import small_table
from audit.text import listed, quoted

_MOST_KEPT = 64  # files whose numbers are kept while they are looked at twice
_DELIMITERS = ("\t", ",", ";", BLANKS)
_NO_NUMBER = frozenset({"", "none", "nan", "na", "n/a", "null", "-"})
_TEAM_NAMES = frozenset({"team", "system", "submission", "model"})
_ITEM_NAMES = frozenset({"item", "segment", "seg", "query", "qid", "topic"})
_COLUMN_NAMES = frozenset({"metric", "measure", "name"})
_SCORE_NAMES = frozenset({"score", "value"})
_SUMMARY = "all"  # what trec_eval and ir_measures call the mean over queries
# of trec_eval: counts, and what is no mean of queries
_NO_MEANS = re.compile(r"num_.*|gm_map|gm_bpref|runid|relstring")


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One number of a scorer."""

    team: str  # empty where the file's name says it
    item: str
    column: str
    value: float  # NaN where there is none


@dataclass(frozen=True)
class ScoreFormat:
    """One way to write numbers of items."""

    slug: str
    title: str
    fits: Callable[[Content], bool]
    cells: Callable[[Content, str | None], Iterable[ScoreCell]]  # by the name of the column of ids
    has_ids: Callable[[Content, str | None], bool] = lambda *_: True


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """What a file gives one team."""

    team: str  # empty where the file's name says it
    items: tuple[str, ...]  # their ids, or numbers from 1 where the file has none
    columns: tuple[str, ...]
    values: Floats  # (n, K): NaN where there is no number
    by_position: bool = False  # whether items are known by the order of rows
    format: str = ""  # how it was read, in words

    def of_columns(self, names: Sequence[str]) -> "ScoreTable":
        """The table with these of its columns."""
        places = [self.columns.index(name) for name in names]
        return replace(self, columns=tuple(names), values=self.values[:, places])


def tables_in(path: str, data: bytes, id_name: str | None = None) -> list[ScoreTable]:
    """The numbers of a file by team; of a table, ids are in a column of this name, or in one that is called so.

    Raises
    ------
    InputError
        Where it is in no known format, a number in it is none, or an item has two numbers of one column.
    """
    return list(_tables(path, data, id_name))


@lru_cache(maxsize=_MOST_KEPT)
def _tables(path: str, data: bytes, id_name: str | None) -> tuple[ScoreTable, ...]:
    """The tables of a file: the door looks at what a load reads again."""
    content = decode(path, unpacked(path, data))
    fitting = next((each for each in SCORE_FORMATS if each.fits(content)), None)
    if fitting is None:
        known = listed([each.title for each in SCORE_FORMATS], "or")
        defect = "no scorer's output is known to look so"
        raise InputError([Issue.of("unrecognised", path, defect, expected=f"one of {known}")])
    has_ids = fitting.has_ids(content, id_name)
    tables = []
    if fitting.slug == "table":
        tables = _whole_tables(content, id_name)
    if not tables:
        tables = _tables_of_cells(content, fitting.cells(content, id_name))
    if not tables:
        defect = "no number of an item"
        raise InputError([Issue.of("empty-file", path, defect, expected="a number for each item")])
    return tuple(replace(each, by_position=not has_ids, format=fitting.title) for each in tables)


def _tables_of_cells(content: Content, cells: Iterable[ScoreCell]) -> list[ScoreTable]:
    """The cells of each team as a table, items and columns in the order in which they first appear."""
    of_team: defaultdict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for cell in cells:
        place = cell.item, cell.column
        if place in of_team[cell.team]:
            defect = f"item {quoted(cell.item, 40)} has two numbers as {quoted(cell.column, 40)}"
            raise InputError(
                [Issue.of("duplicate-item", content.path, defect, expected="one for each item")]
            )
        of_team[cell.team][place] = cell.value
    tables = []
    for team, value_of in of_team.items():
        items = {
            item: number for number, item in enumerate(dict.fromkeys(item for item, _ in value_of))
        }
        columns = {
            column: number
            for number, column in enumerate(dict.fromkeys(column for _, column in value_of))
        }
        values = np.full((len(items), len(columns)), np.nan)
        for (item, column), value in value_of.items():
            values[items[item], columns[column]] = value
        tables.append(ScoreTable(team, tuple(items), tuple(columns), values))
    return tables


def _whole_tables(content: Content, id_name: str | None) -> list[ScoreTable]:
    """A table of one team whose cells are all numbers, at once; none where it has to be read cell by cell."""
    grid = content.parsed("table of scores", _grid)
    head, cells = grid.head, grid.columns
    if _place_of(head, _TEAM_NAMES) is not None:
        return []
    item = _item_place(head, (), id_name)
    places = _places_of_numbers(head, cells, (item,))
    items = tuple(map(str, range(1, 1 + grid.n_rows)))
    if item is not None:
        items = tuple(map(str.strip, cells[item]))
    try:
        values = np.array([cells[place] for place in places], dtype=np.float64).T
    except ValueError:
        return []
    if len(set(items)) < len(items) or not np.isfinite(values).all():
        return []
    columns = tuple(head[place] for place in places)
    return [ScoreTable("", items, columns, np.ascontiguousarray(values))]


def _places_of_numbers(
    head: Sequence[str], cells: Sequence[Sequence[str]], taken: Iterable[int | None]
) -> list[int]:
    """The columns that are none of the others, and in which some cell is a number: not those of texts."""
    others = [place for place in range(len(head)) if place not in set(taken)]
    of_numbers = [place for place in others if any(map(_is_number, cells[place]))]
    return of_numbers or others


def _number(content: Content, text: str, line: int) -> float:
    """A number; NaN for an empty cell and its like."""
    if text.strip().casefold() in _NO_NUMBER:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.inf
    if math.isinf(value):
        defect = f"{quoted(text, 40)} where a number is expected"
        raise InputError(
            [
                Issue.of(
                    "no-number",
                    content.path,
                    defect,
                    lines=[line],
                    expected="a number, or an empty cell",
                )
            ]
        )
    return value


# Lines of three: measure, query, value


_FIRST = 50  # lines by which a layout is told before the whole file is looked at


def _lines_of_three(content: Content) -> list[tuple[str, ...]]:
    """The lines of a file that has three cells on each, between tabs; none of any other."""
    lines = [line for line in content.lines if line.strip()]
    for some in (lines[:_FIRST], lines):
        cells = [tuple(cell.strip() for cell in line.split("\t")) for line in some]
        if any(len(row) != 3 for row in cells):  # noqa: PLR2004 - measure, query and value
            return []
    return cells


def _has_measures(content: Content, place: int) -> bool:
    """Whether names of measures stand in a column of a file with three, and queries in the other of the first two."""
    rows = content.parsed("measures of queries", _lines_of_three)
    if not rows:
        return False
    measures, others = (Counter(row[column] for row in rows) for column in (place, 1 - place))
    known = sum(direction_by_name(name) is not None for name in measures)
    known_others = sum(direction_by_name(name) is not None for name in others)
    return known > known_others and (_SUMMARY in others or len(measures) < len(others))


def _measure_cells(place: int) -> Callable[[Content, str | None], Iterator[ScoreCell]]:
    def cells(content: Content, _: str | None) -> Iterator[ScoreCell]:
        for line, row in enumerate(content.parsed("measures of queries", _lines_of_three), start=1):
            measure = row[place]
            query = row[1 - place]
            if query != _SUMMARY and not _NO_MEANS.fullmatch(measure):
                yield ScoreCell("", query, measure, _number(content, row[2], line))

    return cells


# sacreBLEU's sentence scores

_SIGNATURE = re.compile(r"(?P<metric>[^|\s]+)\|\S+ = (?P<score>-?[0-9.]+)(?: .*)?")


def _is_sacrebleu(content: Content) -> bool:
    lines = [line for line in content.lines if line.strip()]
    return bool(lines) and all(_SIGNATURE.fullmatch(line.strip()) for line in lines)


def _sacrebleu_cells(content: Content, _: str | None) -> Iterator[ScoreCell]:
    """One line a sentence; the sentences of each metric are counted by themselves."""
    seen: Counter[str] = Counter()
    for line, text in enumerate(content.lines, start=1):
        match = _SIGNATURE.fullmatch(text.strip())
        if match is not None:
            metric = match["metric"]
            seen[metric] += 1
            yield ScoreCell("", str(seen[metric]), metric, _number(content, match["score"], line))


# mt-metrics-eval's segment scores


def _is_segments(content: Content) -> bool:
    return content.path.endswith(".seg.score")


def _segment_cells(content: Content, _: str | None) -> Iterator[ScoreCell]:
    """System and score on each line, a system's lines in the order of the source; the file is called as the metric."""
    metric = content.path.rpartition("/")[2].removesuffix(".seg.score")
    seen: Counter[str] = Counter()
    for line, text in enumerate(content.lines, start=1):
        cells = text.split()
        if not cells:
            continue
        if len(cells) != 2:  # noqa: PLR2004 - system and score
            defect = f"{quoted(text.strip(), 60)}"
            raise InputError(
                [
                    Issue.of(
                        "wrong-columns",
                        content.path,
                        defect,
                        lines=[line],
                        expected="system and score",
                    )
                ]
            )
        seen[cells[0]] += 1
        yield ScoreCell(cells[0], str(seen[cells[0]]), metric, _number(content, cells[1], line))


# JSON


def _objects(content: Content) -> list[Any]:
    """The values of a JSON list, or of the lines of a file with one on each; none of a file that is neither."""
    text = content.text.lstrip()
    if text[:1] not in {"{", "["}:
        return []
    try:
        if text.startswith("["):
            value = decoded(text)
            if isinstance(value, list):
                return value
            return []
        return [decoded(line) for line in content.lines if line.strip()]
    except (ValueError, json.JSONDecodeError):
        return []


def _is_lm_eval(content: Content) -> bool:
    objects = content.parsed("scores of items", _objects)
    return bool(objects) and all(
        isinstance(each, dict) and {"doc_id", "metrics"} <= each.keys() for each in objects
    )


def _lm_eval_cells(content: Content, _: str | None) -> Iterator[ScoreCell]:
    """Each document's metrics, a column for each metric and filter."""
    for line, document in enumerate(content.parsed("scores of items", _objects), start=1):
        named = document["metrics"]
        for metric in named if isinstance(named, list) else []:
            value = document.get(metric)
            if isinstance(value, list | dict):
                defect = f"{quoted(str(metric), 40)} of a document is a list: its mean over documents is no score"
                raise InputError(
                    [Issue.of("no-number", content.path, defect, lines=[line], expected="a number")]
                )
            given = document.get("filter", "none")
            if given in {"none", None}:
                column = str(metric)
            else:
                column = f"{metric},{given}"
            yield ScoreCell(
                "", str(document["doc_id"]), column, _number(content, _plain(value), line)
            )


def _plain(value: object) -> str:
    if isinstance(value, bool):
        if value:
            return "1"
        return "0"
    if value is None:
        return ""
    return str(value)


def _is_helm(content: Content) -> bool:
    objects = content.parsed("scores of items", _objects)
    return bool(objects) and all(
        isinstance(each, dict) and {"instance_id", "stats"} <= each.keys() for each in objects
    )


def _helm_cells(content: Content, _: str | None) -> Iterator[ScoreCell]:
    """Each unperturbed instance's statistics, those of several trials as their mean."""
    sums: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for line, instance in enumerate(content.parsed("scores of items", _objects), start=1):
        if instance.get("perturbation"):
            continue
        for stat in instance["stats"]:
            name = stat["name"]
            if isinstance(name, dict) and (
                name.get("perturbation") or name.get("split") not in {None, "test"}
            ):
                continue
            if isinstance(name, dict):
                column = name["name"]
            else:
                column = str(name)
            count, total = (
                _number(content, _plain(stat.get(key)), line) for key in ("count", "sum")
            )
            if count:
                sums[instance["instance_id"], column].append(total / count)
    for (item, column), values in sums.items():
        yield ScoreCell("", item, column, math.fsum(values) / len(values))


# Tables


@dataclass(frozen=True, eq=False)
class _Grid:
    """A table by its columns."""

    head: Sequence[str]
    columns: Sequence[Sequence[str]]  # below the head
    lines: Sequence[int]  # of its rows

    @property
    def n_rows(self) -> int:
        """Rows below the head."""
        return len(self.lines)


def _grid(content: Content) -> _Grid:
    """The cells of a table; where all lines have the same delimiters and no quotes, in one go."""
    lines = content.lines
    if lines and '"' not in content.text:
        for delimiter in _DELIMITERS[:-1]:
            counts = {line.count(delimiter) for line in lines}
            if len(counts) == 1 and 0 not in counts:
                return _even_grid(lines, delimiter)
    table = small_table(content, _DELIMITERS)
    head, *rows = [list(row) for row in table.rows]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in head]
    return _Grid(head, columns, list(table.lines)[1:])


def _even_grid(lines: Sequence[str], delimiter: str) -> _Grid:
    """The cells of lines that have the same number of a delimiter."""
    head, *body = lines
    names = [name.strip() for name in head.split(delimiter)]
    width = len(names)
    cells = delimiter.join(body).split(delimiter) if body else []
    columns = [cells[place::width] for place in range(width)]
    return _Grid(names, columns, range(2, 2 + len(body)))


def _has_table(content: Content) -> bool:
    if content.parsed("scores of items", _objects):
        return False
    try:
        grid = content.parsed("table of scores", _grid)
    except InputError:
        return False
    has_rows = grid.n_rows > 0 and len(grid.head) > 1
    return has_rows and not any(_is_number(cell) for cell in grid.head)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _place_of(head: Sequence[str], names: frozenset[str]) -> int | None:
    folded = [fold(name) for name in head]
    return next((place for place, name in enumerate(folded) if name in names), None)


def _is_long(content: Content) -> bool:
    if not _has_table(content):
        return False
    head = content.parsed("table of scores", _grid).head
    return _place_of(head, _COLUMN_NAMES) is not None and _place_of(head, _SCORE_NAMES) is not None


def _item_place(
    head: Sequence[str], taken: Iterable[int | None], id_name: str | None
) -> int | None:
    """The column of ids: the one that is named, or one that is called so, and is none of the others."""
    if id_name is not None and id_name in head:
        return head.index(id_name)
    others = set(taken)
    places = [place for place in range(len(head)) if place not in others]
    named = [
        place for place in places if is_id_name(head[place]) or fold(head[place]) in _ITEM_NAMES
    ]
    return next(iter(named), None)


def _long_cells(content: Content, id_name: str | None) -> Iterator[ScoreCell]:
    grid = content.parsed("table of scores", _grid)
    head, lines = grid.head, grid.lines
    rows = zip(*grid.columns, strict=True)
    team, column, score = (
        _place_of(head, names) for names in (_TEAM_NAMES, _COLUMN_NAMES, _SCORE_NAMES)
    )
    item = _item_place(head, (team, column, score), id_name)
    seen: Counter[tuple[str, str]] = Counter()
    for row, line in zip(rows, lines, strict=True):
        whose = ""
        if team is not None:
            whose = row[team].strip()
        what = row[column or 0].strip()
        seen[whose, what] += 1
        if item is None:
            of_item = str(seen[whose, what])
        else:
            of_item = row[item].strip()
        yield ScoreCell(whose, of_item, what, _number(content, row[score or 0], line))


def _wide_cells(content: Content, id_name: str | None) -> Iterator[ScoreCell]:
    """Items in rows and metrics in columns; a column of teams where there is one."""
    grid = content.parsed("table of scores", _grid)
    head, lines = grid.head, grid.lines
    rows = zip(*grid.columns, strict=True)
    team = _place_of(head, _TEAM_NAMES)
    item = _item_place(head, (team,), id_name)
    columns = _places_of_numbers(head, grid.columns, (team, item))
    seen: Counter[str] = Counter()
    for row, line in zip(rows, lines, strict=True):
        if team is None:
            whose = ""
        else:
            whose = row[team].strip()
        seen[whose] += 1
        if item is None:
            of_item = str(seen[whose])
        else:
            of_item = row[item].strip()
        for place in columns:
            yield ScoreCell(whose, of_item, head[place], _number(content, row[place], line))


def _has_no_ids(content: Content, id_name: str | None) -> bool:  # noqa: ARG001 - as those of tables
    return False


def _has_ids(content: Content, id_name: str | None) -> bool:
    """Whether a table has a column of ids."""
    head = content.parsed("table of scores", _grid).head
    taken = [_place_of(head, names) for names in (_TEAM_NAMES, _COLUMN_NAMES, _SCORE_NAMES)]
    return _item_place(head, taken, id_name) is not None


SCORE_FORMATS: tuple[ScoreFormat, ...] = (
    ScoreFormat("sacrebleu", "sacreBLEU -sl", _is_sacrebleu, _sacrebleu_cells, _has_no_ids),
    ScoreFormat(
        "mt-metrics-eval", "mt-metrics-eval’s .seg.score", _is_segments, _segment_cells, _has_no_ids
    ),
    ScoreFormat("lm-eval", "lm-eval’s samples_*.jsonl", _is_lm_eval, _lm_eval_cells),
    ScoreFormat("helm", "HELM’s per_instance_stats.json", _is_helm, _helm_cells),
    ScoreFormat(
        "trec-eval", "trec_eval -q", lambda content: _has_measures(content, 0), _measure_cells(0)
    ),
    ScoreFormat(
        "ir-measures",
        "ir_measures -q",
        lambda content: _has_measures(content, 1),
        _measure_cells(1),
    ),
    ScoreFormat(
        "long", "a table with columns of metric and score", _is_long, _long_cells, _has_ids
    ),
    ScoreFormat(
        "table",
        "a table with a column for each metric, below their names",
        _has_table,
        _wide_cells,
        _has_ids,
    ),
)
"""Every format, the ones that are told most surely first."""
