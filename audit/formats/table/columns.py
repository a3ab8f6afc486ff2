"""Which column holds the ids and which the labels: by task.toml, by name, by content, in this order."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from audit.errors import Choice, InputError, Issue
from audit.formats.settings.answers import ROUNDED, Column, Rule, number_of
from audit.formats.settings.layout import Layout, Numbers, StatedColumns, StatedLayout, toml_text
from audit.formats.table.parsed import (
    TaskFacts,
    joined,
    labelled,
    left_out_by_pattern,
    mostly,
    shortened,
)
from audit.text import did_you_mean, listed, plural, quoted, slugify

ID_NAMES = frozenset(
    {
        "id", "ids", "#id", "item", "item_id", "itemid", "instance", "instance_id", "example", "example_id",
        "doc", "doc_id", "docid", "document", "document_id", "tweet", "tweet_id", "tweetid", "comment_id",
        "sentence_id", "sent_id", "text_id", "post_id", "question_id", "pair_id", "sample_id", "row_id",
        "uid", "uuid", "guid", "qid", "pid", "sid", "tid", "index", "idx", "nr", "no", "(key)",
    }
)  # fmt: skip
GOLD_NAMES = frozenset(
    {
        "gold", "gold_label", "goldlabel", "label_gold", "y_true", "truth", "true_label", "ground_truth",
        "reference",
    }
)  # fmt: skip
LABEL_NAMES = frozenset(
    {
        "label", "labels", "class", "classes", "category", "categories", "sentiment", "stance", "emotion",
        "emoji", "tag", "annotation", "answer", "correct_label", "(value)",
    }
)  # fmt: skip
PREDICTION_NAMES = frozenset(
    {
        "prediction", "predictions", "predicted", "predicted_label", "predicted_class", "pred", "preds",
        "pred_label", "pred_labels", "pred_class", "label_pred", "label_predicted", "predicted_labels",
        "prediction_label", "system_label", "system_output", "y_pred", "y_hat", "yhat", "output",
    }
)  # fmt: skip
GROUP_NAMES = frozenset(
    {
        "group", "group_id", "doc", "doc_id", "docid", "docno", "document", "document_id", "article", "article_id",
        "thread", "thread_id", "conversation", "conversation_id", "conv_id", "dialogue", "dialogue_id", "dialog",
        "dialog_id", "session", "session_id", "author", "author_id", "user", "user_id", "userid", "user_name",
        "username", "screen_name", "speaker", "speaker_id", "participant", "participant_id", "question", "question_id",
        "qid", "query", "query_id", "topic", "topic_id",
    }
)  # fmt: skip
WIDE_GOLD_NAMES = GOLD_NAMES | {"y", "label", "true", "target", "class"}
WIDE_ID_NAMES = ID_NAMES | {"", "unnamed:_0"}


_OF_ROWS = ("index", "idx")
OF_ANNOTATOR = re.compile(
    r"(?:annotat(?:or|ion)|rater|coder|worker|judge|expert|human)s?_?(?:\d+|[a-z])"
)
"""What the column of one of several annotators is called, folded."""


def fold(name: str) -> str:
    """One spelling of a column name."""
    if name.strip():
        return slugify(name.strip()).replace("-", "_")
    return ""


def is_id_name(name: str) -> bool:
    """Whether a column of this name holds item ids."""
    return fold(name) in ID_NAMES


def is_label_name(name: str) -> bool:
    """Whether a column of this name holds labels, gold or predicted."""
    return fold(name) in GOLD_NAMES | LABEL_NAMES | PREDICTION_NAMES


def names_both(row: Iterable[str]) -> bool:
    """Whether one cell of a row is a name of a column of ids, and another one that of a column of labels."""
    cells = set(row)
    return any(map(is_id_name, cells)) and any(map(is_label_name, cells))


# behind the name of a field that holds lists: the column is of their first entries
OF_FIRST = "[0]"


def first_entries(stated: StatedLayout) -> tuple[str, ...]:
    """The columns of first entries that task.toml names for ids and labels."""
    named = map(str, (*(stated.id or ()), *(stated.label or ())))
    return tuple(name for name in named if name.endswith(OF_FIRST))


_MOSTLY_UNIQUE = 0.9
_MOST_OF_PAIR = 8  # columns of which two may be the id
_MOST_CHOICES = 100  # each would be tried on the whole file
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The columns, counted from 0, that hold the ids and the labels; several where they do so together."""

    id: Numbers | None
    label: Numbers


@dataclass(frozen=True, slots=True)
class Grid:
    """The columns of a sample, and their names where there is a header."""

    columns: Sequence[Column]
    names: tuple[str, ...] = ()
    nested: bool = False
    """Whether dots in names are levels, of which the last one can say what a column is."""
    lists: tuple[str, ...] = ()
    """The names of columns that hold several values in a row, and are none of these."""

    @property
    def folded(self) -> tuple[str, ...]:
        """The names in one spelling; of a nested one, its last part if no name is like the whole."""
        names = self.names
        if self.nested:
            names = tuple(name.rpartition(".")[2] for name in names)
        return tuple(map(fold, names))

    def named(self, names: Collection[str]) -> list[int]:
        """The columns that are called one of these names, in one spelling."""
        return [number for number, name in enumerate(self.folded) if name in names]

    def ids(self, numbers: Numbers) -> Column:
        """The ids that columns hold."""
        return joined([self.columns[number] for number in numbers])

    def labels(self, numbers: Numbers, rule: Rule | None) -> Column:
        """The labels that columns hold."""
        return labelled([self.columns[number] for number in numbers], rule)


def fits_labels(column: Column, facts: TaskFacts) -> bool:
    """Whether most of the cells that are not empty are labels; for undeclared gold, whether they repeat."""
    filled = [cell for cell in column if cell]
    if facts.labels is None:
        return len(filled) > 1 and len(set(filled)) <= _MOSTLY * len(filled)
    return mostly(filled, facts.labels)


def fits_ids(column: Column, facts: TaskFacts) -> bool:
    """Whether most of the cells are different gold ids; for gold, whether nearly all differ."""
    different = set(shortened(column, facts.id_pattern))
    if facts.ids is None:
        return len(different) >= _MOSTLY_UNIQUE * len(column)
    return len(different & facts.ids.keys()) > _MOSTLY * len(column)


def fits(grid: Grid, choice: ColumnChoice, rule: Rule | None, facts: TaskFacts) -> bool:
    """Whether the content of all columns is what it should be."""
    ids_fit = choice.id is None or fits_ids(grid.ids(choice.id), facts)
    return ids_fit and fits_labels(grid.labels(choice.label, rule), facts)


def choices(grid: Grid, stated: StatedLayout, facts: TaskFacts, path: str) -> list[ColumnChoice]:
    """Every choice of id and label columns that task.toml, the names or the content allow."""
    ids = _id_columns(grid, stated, facts, path)
    labels = _label_columns(grid, stated, facts, path, ids)
    if len(ids) * len(labels) > _MOST_CHOICES:
        raise InputError([unknown_columns(grid, facts, path)])
    matching = [
        ColumnChoice(item_id, label)
        for item_id, label in product(ids, labels)
        if not {*(item_id or ())} & {*label}
    ]
    return matching or _by_elimination(grid, ids, labels, facts)


def _label_columns(
    grid: Grid, stated: StatedLayout, facts: TaskFacts, path: str, ids: Sequence[Numbers | None]
) -> list[Numbers]:
    if stated.label is not None:
        setting = "score"
        if stated.rule is None:
            setting = "label"
        return [stated_columns(stated.label, setting, grid, path)]
    fitting = [number for number, column in enumerate(grid.columns) if fits_labels(column, facts)]
    if facts.is_gold:  # a column of one value is no rival of one that tells classes apart
        fitting = [number for number in fitting if len(set(grid.columns[number])) > 1] or fitting
    chosen = _named_before_fitting(
        _named_labels(grid, facts), fitting, sure=facts.labels is not None
    )
    no_labels = {number for numbers in ids for number in numbers or ()}
    rivals = _rivals(grid, fitting, no_labels, facts)
    if facts.is_gold:
        labels = set().union(*(grid.columns[number] for number in chosen))
        rivals = [number for number in rivals if labels.issuperset(grid.columns[number])]
    return [(number,) for number in _with_namesakes([*chosen, *rivals], grid)]


def _with_namesakes(numbers: Iterable[int], grid: Grid) -> list[int]:
    """Columns, and those of the same name: where a name stands twice, it does not say which is meant."""
    chosen = dict.fromkeys(numbers)
    names = {grid.names[number] for number in chosen if grid.names} - {""}
    namesakes = [number for number, name in enumerate(grid.names) if name in names]
    return list(dict.fromkeys([*chosen, *namesakes]))


def _rivals(grid: Grid, fitting: Sequence[int], ids: set[int], facts: TaskFacts) -> list[int]:
    """Columns that can be the labels, whatever the names choose: a corrected one of gold, gold's in a submission."""
    predictions = grid.named(PREDICTION_NAMES)
    no_labels = {*ids, *grid.named(WIDE_ID_NAMES)}
    if facts.is_gold:
        annotators = [
            number for number, name in enumerate(grid.folded) if OF_ANNOTATOR.fullmatch(name)
        ]
        no_labels.update(predictions, annotators)
        predictions = []
    elif predictions:
        no_labels.update(
            number for number in grid.named(GOLD_NAMES) if grid.names[number] != facts.label_name
        )
    return [number for number in (*fitting, *predictions) if number not in no_labels]


def _named_before_fitting(named: list[int], fitting: list[int], *, sure: bool) -> list[int]:
    """The columns of the right name, if their content is right too; a name alone loses against content that is sure."""
    both = [number for number in named if number in fitting]
    if both:
        return both
    if sure and fitting:
        return fitting
    return named or fitting


def _named_labels(grid: Grid, facts: TaskFacts) -> list[int]:
    """Columns whose name says label: gold's own name, or else the first kind of name that occurs."""
    if facts.label_name is not None and facts.label_name in grid.names:
        return [grid.names.index(facts.label_name)]
    predictions = grid.named(PREDICTION_NAMES)
    labels = grid.named(LABEL_NAMES)
    gold = grid.named(GOLD_NAMES)
    if facts.is_gold:
        return gold or labels or predictions
    return predictions + labels or gold


def _id_columns(
    grid: Grid, stated: StatedLayout, facts: TaskFacts, path: str
) -> list[Numbers | None]:
    if stated.id is False or (facts.ids is None and not facts.is_gold):
        return [None]
    if stated.id is not None:
        return [stated_columns(stated.id, "id", grid, path)]
    if facts.gold is not None and len(facts.gold.id or ()) > 1:
        return list(_like_gold(grid, facts.gold, facts))
    if facts.id_name is not None and facts.id_name in grid.names:
        return list(_called_as_in_gold(grid, facts.id_name, facts))
    return _by_name_or_content(grid, facts)


def _called_as_in_gold(grid: Grid, id_name: str, facts: TaskFacts) -> Iterator[Numbers]:
    """The columns of the name that gold's ids have; in another writing (ID beside id) where they hold gold's ids."""
    for number, name in enumerate(grid.names):
        is_alike = fold(name) == fold(id_name)
        if name == id_name or (is_alike and fits_ids(grid.columns[number], facts)):
            yield (number,)


def _by_name_or_content(grid: Grid, facts: TaskFacts) -> list[Numbers | None]:
    """The columns that their names or their cells say are ids; a pair of columns where each column repeats."""
    fitting = [number for number, column in enumerate(grid.columns) if fits_ids(column, facts)]
    named = grid.named(ID_NAMES)
    no_row_numbers = [
        number
        for number in named
        if grid.folded[number] not in _OF_ROWS or not are_row_numbers(grid.columns[number])
    ]
    named = no_row_numbers or named
    chosen = _named_before_fitting(named, fitting, sure=facts.ids is not None)
    ids: list[Numbers | None] = [(number,) for number in _with_namesakes(chosen, grid)]
    if ids and facts.is_gold and not grid.names:
        pair = _pair_of_ids(grid)
        every_column_repeats = all(len(set(column)) < len(column) for column in grid.columns)
        if pair is not None and every_column_repeats:
            ids.append((pair[0] - 1, pair[1] - 1))
    return ids


def are_row_numbers(cells: Iterable[str]) -> bool:
    """Whether these are the numbers from 0 on, in order."""
    return all(cell == str(number) for number, cell in enumerate(cells))


def _like_gold(grid: Grid, gold: Layout, facts: TaskFacts) -> Iterator[Numbers]:
    """The columns of a composite id: of the same names as in gold, or in the same places if gold's ids are there."""
    numbers = gold.id or ()
    names = []
    if gold.names:
        names = [gold.names[number] for number in numbers]
    if names and all(grid.names.count(name) == 1 for name in names):
        yield tuple(map(grid.names.index, names))
    elif max(numbers) < len(grid.columns) and fits_ids(grid.ids(numbers), facts):
        yield numbers


def _by_elimination(
    grid: Grid, ids: Sequence[Numbers | None], labels: Sequence[Numbers], facts: TaskFacts
) -> list[ColumnChoice]:
    """The choices for a file of two columns, where knowing one of them leaves the other."""
    if len(grid.columns) != 2 or None in ids:  # noqa: PLR2004 - the other one of two
        return []
    if len(labels) == 1 == len(labels[0]) and not ids:
        other = 1 - labels[0][0]
        cells = grid.columns[other]
        if facts.is_gold and len(set(cells)) <= _MOSTLY * len(cells):
            return []
        return [ColumnChoice((other,), labels[0])]
    if len(ids) == 1 and not labels and ids[0] is not None and len(ids[0]) == 1:
        return [ColumnChoice(ids[0], (1 - ids[0][0],))]
    if facts.is_gold and len(ids) == 2:  # noqa: PLR2004 - both columns could be ids
        return [ColumnChoice((0,), (1,)), ColumnChoice((1,), (0,))]
    return []


def with_stated(layout: Layout, grid: Grid, stated: StatedLayout, path: str) -> Layout:
    """The layout with the columns of groups, of slices and of scores beside labels, and what of ids is one."""
    score: Numbers = ()
    if all(_is_there(column, grid) for column in stated.score):
        score = stated_columns(stated.score, "score", grid, path)
    return replace(
        layout,
        group=stated_columns(stated.group_columns, "group", grid, path),
        slices=stated_columns(stated.slices, "slices", grid, path),
        score=score,
        id_pattern=stated.id_pattern,
    )


def _is_there(column: str | int, grid: Grid) -> bool:
    """Whether a table has the column of this name, or of this number from 1."""
    if isinstance(column, int):
        return column <= len(grid.columns)
    return column in grid.names


def unknown_columns(grid: Grid, facts: TaskFacts, path: str) -> Issue:
    """The issue for a file with columns of which none, or no two, can be told; its choices are what may read it."""
    ids = [number for number, column in enumerate(grid.columns) if fits_ids(column, facts)]
    labels = [number for number, column in enumerate(grid.columns) if fits_labels(column, facts)]
    what_ids = "gold ids"
    if facts.is_gold:
        what_ids = "the ids"
    can_hold = listed(
        [
            f"{_column_words(ids, grid)} can hold {what_ids}",
            f"{_column_words(labels, grid)} can hold labels",
        ]
    )
    if grid.names:
        slug = "no-such-column"
        shown = listed([quoted(name, 24) for name in grid.names], limit=5)
    else:
        slug = "unrecognised"
        cells = listed([quoted(column[0], 24) for column in grid.columns if column], limit=5)
        shown = f"first line {cells}"
    defect = f"{can_hold}, of {plural(len(grid.columns), 'column')} ({shown})"
    if facts.ids and not ids:
        defect += f"; gold’s look like {quoted(next(iter(facts.ids)), 30)}"
    defect += _of_lists(grid)
    if grid.lists and not labels:
        return Issue.of(
            slug, path, defect, expected=_ONE_VALUE, remedy=_ONE_VALUE_REMEDY.format(grid.lists[0])
        )
    remedy = f"name them in task.toml, under {facts.section}: id = …, label = … (a name, or a number from 1)"
    if not (ids or facts.is_gold):
        remedy = "check that this file answers this task, with ids and labels as gold has them: each column was tried"
    return Issue.of(
        slug, path, defect, remedy=remedy, choices=list(_ways_out(grid, facts, ids, labels))
    )


def _ways_out(
    grid: Grid, facts: TaskFacts, ids: Sequence[int], labels: Sequence[int]
) -> Iterator[Choice]:
    """Settings that may read a file whose columns cannot be told."""
    if not facts.is_gold and not labels:
        if grid.names and (column_of := _column_of_label(grid, facts)):
            pairs = ", ".join(
                f"{toml_text(label)} = {toml_text(name)}" for label, name in column_of.items()
            )
            greatest = f"label = {{ greatest = {{ {pairs} }} }}"
            yield Choice(facts.section, greatest, "the greatest score is the answer")
        if facts.is_on_scale:
            yield ROUNDED
    if ids or not labels:
        return
    for column in grid.columns:
        change = None
        if facts.ids:
            change = left_out_by_pattern(column, facts.ids)
        if change is not None:
            yield Choice("", f"id_pattern = {toml_text(change.pattern)}", change.words)
    if facts.is_gold and (pair := _pair_of_ids(grid)) is not None:
        yield Choice(
            facts.section, f"id = [{pair[0]}, {pair[1]}]", "the two columns together are the id"
        )
        return
    yield Choice(
        facts.section, "id = false", "no column holds ids, and items are known by their order"
    )
    if facts.is_gold and not grid.names:
        yield Choice(facts.section, 'format = "sequences"', "each line is a sequence of tags")


def _pair_of_ids(grid: Grid) -> tuple[int, int] | None:
    """The first two columns, by their numbers from 1, whose cells together differ in each row."""
    columns = grid.columns[:_MOST_OF_PAIR]
    if len(columns) <= 2:  # noqa: PLR2004 - a label beside them
        return None
    several = [
        (number, column) for number, column in enumerate(columns, start=1) if len(set(column)) > 1
    ]
    for (first, one), (second, other) in combinations(several, 2):
        if len(set(zip(one, other, strict=True))) == len(one):
            return first, second
    return None


def _column_of_label(grid: Grid, facts: TaskFacts) -> dict[str, str]:
    """The column of numbers whose name has a label in it, by label; none where a label has none, or several."""
    numeric = [
        name
        for name, column in zip(grid.names, grid.columns, strict=True)
        if column and all(number_of(cell) is not None for cell in column)
    ]
    labels = [label for label in facts.labels or () if label]
    found = {
        label: [name for name in numeric if fold(label) in fold(name).split("_")]
        for label in labels
    }
    if all(len(each) == 1 for each in found.values()):
        return {label: names[0] for label, names in found.items()}
    return {}


_ONE_VALUE = "one label for each item"
_ONE_VALUE_REMEDY = (
    'write the one label of each item in place of the list, or say that it is the first entry: label = "{}[0]"; where '
    'an item has several labels, write into task.toml: kind = "sets", with the lists in JSON'
)


def _of_lists(grid: Grid) -> str:
    """Which columns hold lists."""
    if not grid.lists:
        return ""
    names = listed([quoted(name) for name in grid.lists], limit=4)
    if len(grid.lists) == 1:
        hold = "holds a list"
    else:
        hold = "hold lists"
    return f"; {names} {hold} in each row, and no single value"


def _column_words(numbers: Sequence[int], grid: Grid) -> str:
    if not numbers:
        return "no column"
    if grid.names:
        names = [quoted(grid.names[number]) for number in numbers]
    else:
        names = [str(number + 1) for number in numbers]
    shown = listed(names, "or", limit=4)
    if len(names) == 1:
        return f"column {shown}"
    return f"columns {shown}"


def stated_columns(columns: StatedColumns, key: str, grid: Grid, path: str) -> Numbers:
    """The columns that task.toml names, counted from 0."""
    return tuple(stated_column(column, key, grid, path) for column in columns)


def stated_column(column: str | int, key: str, grid: Grid, path: str) -> int:
    """The column that task.toml names, counted from 0."""
    width = len(grid.columns)
    if isinstance(column, int):
        if column <= width:
            return column - 1
        defect = f"{key} = {column}, but there are {plural(width, 'column')}"
        raise InputError([Issue.of("no-such-column", path, defect)])
    if grid.names.count(column) == 1:
        return grid.names.index(column)
    if column in grid.lists:
        defect = f"{key} = {quoted(column)}{_of_lists(Grid((), lists=(column,)))}"
        how = _ONE_VALUE_REMEDY.format(column)
        raise InputError(
            [Issue.of("no-such-column", path, defect, expected=_ONE_VALUE, remedy=how)]
        )
    if key in {"id", "label"}:
        remedy = None
    else:
        remedy = f"name a column in task.toml: {key} = … (a name, or a number from 1)"
    columns = f"the columns are {listed([quoted(name) for name in grid.names], limit=8)}"
    if not grid.names:
        are = "the file has no header"
    else:
        are = f"{columns}.{did_you_mean(column, grid.names)}"
    if column in grid.names:
        are = f"{grid.names.count(column)} columns have this name"
    raise InputError(
        [Issue.of("no-such-column", path, f"{key} = {quoted(column)}, but {are}", remedy=remedy)]
    )
