"""A file with gold and every system in columns of their own → their tables."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.files.limits import MOST_COLUMNS
from audit.formats.recognise import check_quotes, named_columns, undecided
from audit.formats.settings.answers import Rounding
from audit.formats.settings.layout import NOTHING_STATED, Layout, StatedLayout, toml_list
from audit.formats.settings.task_toml import WideTable
from audit.formats.table.columns import (
    OF_ANNOTATOR,
    WIDE_GOLD_NAMES,
    WIDE_ID_NAMES,
    Grid,
    fold,
    stated_column,
    with_stated,
)
from audit.formats.table.parsed import Table, TaskFacts, table_of
from audit.formats.table.sample import Sample
from audit.formats.table.text_rows import shown_cells
from audit.text import listed, quoted

SILENT_WIDE = WideTable.model_construct()
_MOSTLY = 0.5
_HARDLY_SYSTEMS = "with few or no labels of gold, or a name that is hardly a system’s"
_OF_NO_SYSTEM = re.compile(
    r"annotators?|raters?|coders?|workers?|humans?|experts?|crowd|judges?|consensus|adjudicated|agreement|"
    r"majority_(?:vote|label)|fold|split"
)
_SCORES_REMEDY = (
    'write into task.toml, under [wide], what the columns of scores are called: score = "{team}_score", or each by its '
    'system: score = { "SVM" = "SVM_score" }'
)
_DECIDING = ("sheet", "records", "delimiter")  # between tables in one file


def _undecided(path: str, defect: str, choices: Sequence[str]) -> InputError:
    """The refusal of a wide file with a choice that task.toml has to make."""
    return undecided(
        path, f"as a wide file: {defect}", "[wide]", [(choice, choice) for choice in choices], [1]
    )


@dataclass(frozen=True, slots=True)
class WideFile:
    """Gold and systems of a wide file."""

    gold: Table  # the gold column, with the issues of the whole file
    systems: Mapping[str, Table]  # each system's column by its name

    def __str__(self) -> str:
        """The layout in words, for the list of assumptions."""
        layout = self.gold.layout
        gold = quoted(layout.label_name or "")
        ids = [quoted(layout.names[number]) for number in layout.id or ()]
        if len(ids) == 1:
            holds = "column {} holds the ids"
        else:
            holds = "columns {} hold the ids"
        if ids:
            items = holds.format(listed(ids))
        else:
            items = "items are known by position"
        systems = listed([quoted(name) for name in self.systems], limit=8)
        with_scores = [table.layout for table in self.systems.values() if table.layout.score]
        scores = listed([quoted(each.names[each.score[0]]) for each in with_scores], limit=8)
        if scores:
            kept = f", with their scores in {scores}"
        else:
            kept = ""
        return (
            f"{layout.how}; column {gold} holds gold, {items}, and the systems are {systems}{kept}"
        )


def read_wide(
    content: Content,
    wide: WideTable = SILENT_WIDE,
    stated: StatedLayout = NOTHING_STATED,
    rounding: Rounding | None = None,
) -> WideFile:
    """Gold and systems from a wide file; numbers of systems, not of gold, may be rounded to labels."""
    layout = _layout(content, wide, stated)
    numbers = _systems(layout, wide, content.path)
    scores = _score_columns(layout, wide, numbers, content.path)
    column_numbers = {*layout.columns, *numbers, *scores.values()}
    frame, issues = named_columns(content, stated)[layout.format].frame(
        content, layout, column_numbers
    )
    spelling = stated.spelling
    as_written = table_of(content.path, layout, frame, issues)
    check_quotes(content, as_written, stated, TaskFacts(spelling.labels), "[wide]")
    gold = as_written.spelled(spelling, spelling.labels)
    labels = spelling.labels or dict.fromkeys(gold.labels)
    of_systems = replace(spelling, rounding=rounding)
    systems = {
        layout.names[number]: Table(
            content.path,
            replace(layout, score=(scores[number],)) if number in scores else layout,
            gold.ids,
            frame.column(number),
            frame.lines,
            scores=(frame.column(scores[number]),) if number in scores else (),
        ).spelled(of_systems, labels)
        for number in numbers
    }
    if wide.systems is None and not any(issue.fatal for issue in issues):
        _check_systems(gold, systems, content.path)
    return WideFile(gold, systems)


def looks_wide(content: Content) -> bool:
    """Whether the header names a gold column, and another column holds its labels, whatever remains to be decided."""
    return any(_has_gold_and_system(table.grid) for table in _tables(content, NOTHING_STATED, []))


def _has_gold_and_system(grid: Grid) -> bool:
    gold = grid.named(WIDE_GOLD_NAMES)
    others = [
        number for number in range(len(grid.names)) if number not in grid.named(WIDE_ID_NAMES)
    ]
    return any(
        _holds_labels(grid.columns[other], set(grid.columns[label]))
        for label in gold
        for other in others
        if other != label
    )


def _holds_labels(column: Sequence[str], labels: set[str]) -> bool:
    """Whether there are cells that are not empty, and half of them or more are labels."""
    filled = [cell for cell in column if cell]
    return bool(filled) and sum(cell in labels for cell in filled) >= _MOSTLY * len(filled)


def _layout(content: Content, wide: WideTable, stated: StatedLayout) -> Layout:
    """The one layout by which the header names a gold column."""
    layouts: list[Layout] = []
    refusals: list[Issue] = []
    for table in _tables(content, stated, refusals):
        try:
            layouts.append(_decided(table, wide, stated))
        except InputError as refusal:
            refusals.extend(refusal.issues)
    if len(layouts) == 1:
        return layouts[0]
    if layouts:
        shown = [f"{layout.how}: {shown_cells(layout.names)}" for layout in layouts]
        deciding = [[each.settings().get(key) for key in _DECIDING] for each in layouts]
        choices = [", ".join(filter(None, settings)) for settings in deciding]
        raise _undecided(content.path, " · or · ".join(shown), choices)
    missing = Issue.of("unrecognised", content.path, "no header with a gold column and a system")
    raise InputError(refusals[:1] or [missing])


def _tables(content: Content, stated: StatedLayout, refusals: list[Issue]) -> Iterator[Sample]:
    """Every table of a file with a gold column and a system at least, by each format that is possible."""
    try:
        formats = named_columns(content, stated)
    except InputError as refusal:
        refusals.extend(refusal.issues)
        return
    for columns in formats.values():
        try:
            tables = list(columns.tables(content, stated))
        except InputError as refusal:
            refusals.extend(refusal.issues)
            continue
        yield from (table for table in tables if 2 <= table.how.width <= MOST_COLUMNS)  # noqa: PLR2004 - the two


def _decided(table: Sample, wide: WideTable, stated: StatedLayout) -> Layout:
    """The columns with gold, ids, groups and slices."""
    gold = _gold_column(table, wide)
    is_stated = table.how.stated and None not in {wide.gold, wide.systems, stated.id}
    if stated.id is not None:
        named = [stated_column(column, "id", table.grid, table.path) for column in stated.id or ()]
        ids = tuple(named) or None
    else:
        candidates = [number for number in table.grid.named(WIDE_ID_NAMES) if number != gold]
        if candidates:
            ids = (_only(candidates, "id", table.how, table.path),)
        else:
            ids = None
    how = with_stated(table.how, table.grid, stated, table.path)
    return replace(how, id=ids, label=(gold,), stated=is_stated)


def _gold_column(table: Sample, wide: WideTable) -> int:
    grid = table.grid
    kind = table.how.kind
    path = table.path
    if wide.gold is not None:
        return stated_column(wide.gold, "gold", grid, path)
    if candidates := grid.named(WIDE_GOLD_NAMES):
        return _only(candidates, "gold", table.how, path)
    shown = f"none of {shown_cells(grid.names)} is the name of a gold column"
    if "skip" in kind.settings:
        above = f"; or skip = 1, where a {kind.unit} stands above the names"
    else:
        above = ""
    remedy = f'write into task.toml, under [wide]: gold = "…"{above}'
    raise InputError([Issue.of("no-such-column", path, shown, remedy=remedy)])


def _only(candidates: Sequence[int], key: str, how: Layout, path: str) -> int:
    """The one column that was found, or the issue that leaves the choice to the organiser."""
    if len(candidates) == 1:
        return candidates[0]
    shown = f"the {key} column can be {listed([quoted(how.names[number]) for number in candidates], 'or')}"
    raise _undecided(path, shown, [f"{key} = {how.stating(number)}" for number in candidates])


def _systems(layout: Layout, wide: WideTable, path: str) -> list[int]:
    """The systems' columns; a name that stands above two of them cannot be one team's."""
    if wide.systems is not None:
        grid = Grid([()] * layout.width, layout.names)
        numbers = [stated_column(name, "systems", grid, path) for name in wide.systems]
        if both := [quoted(layout.names[number]) for number in numbers if number in layout.slices]:
            defect = f"slices names {listed(both)}, which systems names too"
            raise InputError(
                [
                    Issue.of(
                        "gold-bad-slices", path, defect, expected="each column in one of the two"
                    )
                ]
            )
        return numbers
    others = [number for number in range(layout.width) if number not in layout.columns]
    others = _without_scores(others, layout, wide, path)
    counts = Counter(layout.names[number] for number in others)
    twice = [quoted(name) for name, count in counts.items() if count > 1]
    if twice:
        defect = f"as a wide file: several columns are called {listed(twice, limit=5)}"
        single = [name for name, count in counts.items() if count == 1]
        if single:
            line = f"systems = {toml_list(single)}"
        else:
            line = "systems = […]"
        remedy = (
            f"rename those that are systems; or name the systems in task.toml, under [wide]: {line}"
        )
        raise InputError([Issue.of("duplicate-team", path, defect, lines=[1], remedy=remedy)])
    return others


def _without_scores(others: Sequence[int], layout: Layout, wide: WideTable, path: str) -> list[int]:
    """The columns that are not the scores of another one; none is both scored and a column of scores."""
    names = [layout.names[number] for number in others]
    score_of = {name: wide.score_of(name) for name in names}
    scored = {name: score for name, score in score_of.items() if score in names}
    if both := [name for name in scored if name in scored.values()]:
        shown = f"{listed([quoted(name) for name in both], limit=5)} could be systems, or scores of others"
        without = [name for name in names if name not in scored.values()]
        choices = [
            f"systems = {toml_list(chosen)}" for chosen in (without, [*without, *both]) if chosen
        ]
        raise _undecided(path, shown, choices)
    return [number for number in others if layout.names[number] not in scored.values()]


def _score_columns(
    layout: Layout, wide: WideTable, systems: Sequence[int], path: str
) -> dict[int, int]:
    """The column of each system's scores; a system may have none, but not all of them."""
    if wide.score is None:
        return {}
    grid = Grid([()] * layout.width, layout.names)
    names = {number: wide.score_of(layout.names[number]) for number in systems}
    if isinstance(wide.score, dict):
        by_system = dict(wide.score)
    else:
        by_system = {}
    if strange := [
        system for system in by_system if stated_column(system, "score", grid, path) not in systems
    ]:
        shown = f"score names {quoted(strange[0])}, which is no system"
        raise InputError(
            [Issue.of("no-such-column", path, shown, expected="a system", remedy=_SCORES_REMEDY)]
        )
    score_columns = {
        number: stated_column(name, "score", grid, path)
        for number, name in names.items()
        if name is not None and (name in layout.names or by_system)
    }
    taken = [
        quoted(layout.names[number])
        for number in score_columns.values()
        if number in {*systems, *layout.columns}
    ]
    if taken or not score_columns:
        columns = f"the columns are {listed([quoted(name) for name in layout.names], limit=8)}"
        odd = f"score names {listed(taken, limit=5)}, which {'holds' if len(taken) == 1 else 'hold'} something else"
        none = f"score = {quoted(str(wide.score))}, but no column is called so for any of the systems; {columns}"
        shown = odd if taken else none
        expected = "columns of scores alone" if taken else None
        raise InputError(
            [Issue.of("no-such-column", path, shown, expected=expected, remedy=_SCORES_REMEDY)]
        )
    return score_columns


def _check_systems(gold: Table, systems: Mapping[str, Table], path: str) -> None:
    """A column of few gold labels, or one named like gold, is hardly a system; leaving it out would be a guess."""
    labels = set(gold.labels) - {""}
    named = [name for name in systems if fold(name) in WIDE_GOLD_NAMES]
    strange = [
        name
        for name, table in systems.items()
        if name not in named
        and (
            _OF_NO_SYSTEM.fullmatch(fold(name))
            or OF_ANNOTATOR.fullmatch(fold(name))
            or not _holds_labels(table.labels, labels)
        )
    ]
    if not labels or not (named or strange):
        return
    doubts = [
        f"{listed([quoted(name) for name in names], limit=5)} {reason}"
        for names, reason in ((strange, _HARDLY_SYSTEMS), (named, "with a gold column's name"))
        if names
    ]
    without = [name for name in systems if name not in {*named, *strange}]
    choices = [f"systems = {toml_list(names)}" for names in (without, systems) if names]
    raise _undecided(path, f"{listed(doubts)}: systems, or other columns?", choices)
