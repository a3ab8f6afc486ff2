"""Gold in the light of the submissions: which columns hold ids and labels, which files answer, and what is asked.

One code path: the plain door is given gold and submissions, and a folder's evidence finds what the plain door is given.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from audit.errors import UsageError
from audit.formats.door.files import GivenFile
from audit.formats.door.items import (
    PATTERNS,
    Link,
    conflict_of,
    differing_text,
    links_by_id,
    other_ids,
)
from audit.formats.door.labels import (
    MOST_HAVE,
    answered,
    are_sets,
    is_of_tags,
    label_candidates,
    same_column,
)
from audit.formats.door.said import Said
from audit.formats.door.tables import FoundTable
from audit.formats.settings.layout import Numbers
from audit.formats.table.columns import is_id_name
from audit.text import listed, plural, quoted

_COPY = "all its labels are gold's, in gold's layout and order"
# by which share the rows of a file may differ from gold's for it to be meant as an answer
_CLOSE = 0.1
_FEW_TOKENS = 0.02  # share of gold's tokens by which those of a file may be more or fewer
_MOST_CLASSES = 50  # of a further column of labels


@dataclass(frozen=True, eq=False)
class ReadFile:
    """A file that was given, with the tables that it can be."""

    file: GivenFile
    tables: tuple[FoundTable, ...] = ()
    defect: str = ""  # why it cannot be read
    is_gold_copy: bool = False


@dataclass(frozen=True, eq=False)
class Answer:
    """A file that answers gold: its table, how its rows are matched, and its columns of labels."""

    file: GivenFile
    table: FoundTable
    link: Link
    labels: Numbers


@dataclass(frozen=True, slots=True)
class Stray:
    """A file that is no submission, and why; one that is meant as a submission stops the run."""

    path: str
    reason: str
    is_meant: bool = False


@dataclass(frozen=True, eq=False)
class Decision:
    """What gold and the submissions are."""

    gold: FoundTable
    ids: Numbers | None
    labels: Numbers
    kind: str  # labels, sets or spans
    pattern: str  # the part of a cell that is its id; empty for all of it
    answers: tuple[Answer, ...]
    strays: tuple[Stray, ...]
    other_labels: tuple[tuple[str, int], ...] = ()
    """Further columns of labels, and how many submissions have them."""


def decide(golds: Sequence[FoundTable], files: Sequence[ReadFile], said: Said) -> Decision:
    """The one decision that most files speak for.

    Raises
    ------
    UsageError
        Where no file answers gold, or where one question has to be answered first.
    """
    decisions = []
    question: UsageError | None = None
    for gold in golds:
        try:
            decisions.append(_decide_by(gold, files, said))
        except UsageError as asked:
            question = question or asked
    best = max(decisions, key=lambda decision: len(decision.answers), default=None)
    if best is not None and best.answers:
        return best
    if question is not None:
        raise question
    raise UsageError(_nothing_answers(best))


def _nothing_answers(best: Decision | None) -> str:
    if best is None:
        return "The gold file is no table: it needs a column of labels, or one label on each line."
    reasons = Counter(stray.reason for stray in best.strays)
    if not reasons:
        return "There is no submission: name the files with the teams' answers behind --gold GOLD."
    reason, count = reasons.most_common(1)[0]
    first = next(stray.path for stray in best.strays if stray.reason == reason)
    if count > 1:
        others = f" and {plural(count - 1, 'more file')}"
    else:
        others = ""
    return (
        f"No file answers gold. {quoted(first, 80)}{others}: {reason}. Name other files, or say which columns are "
        "meant: --id GOLD=SUBMISSION and --label GOLD=SUBMISSION."
    )


def _decide_by(gold: FoundTable, files: Sequence[ReadFile], said: Said) -> Decision:
    """The decision where gold is this table."""
    pattern, links = _all_links(gold, files, said)
    ids = _gold_ids(gold, links, said)
    linked = list(_linked(gold, files, _Matching(ids, links, pattern), said))
    labels, kind, others = _gold_labels(gold, ids or (), linked, said)
    answers: list[Answer] = []
    strays: list[Stray] = []
    for read in files:
        if read.is_gold_copy:
            ways = []
        else:
            ways = [way for way in linked if way.file is read]
        found = next(filter(None, (_answer(gold, labels, way, said, kind) for way in ways)), None)
        if found is not None and _is_gold_itself(gold, labels, found):
            strays.append(Stray(read.file.path, _COPY))
        elif found is not None:
            answers.append(found)
        else:
            strays.append(Stray(read.file.path, _why_not(gold, labels, read, ways)))
    names = [gold.names[number] for number in labels]
    strays = [replace(stray, is_meant=_is_meant(gold, stray, files, answers)) for stray in strays]
    return Decision(
        gold,
        ids,
        labels,
        kind,
        pattern,
        tuple(answers),
        tuple(strays),
        tuple((name, count) for name, count in others if name not in names),
    )


def _is_gold_itself(gold: FoundTable, labels: Numbers, answer: Answer) -> bool:
    """Whether a file has gold's columns, and gold's label on every item in gold's order."""
    if gold.layout.names != answer.table.layout.names or len(gold.columns) != len(
        answer.table.columns
    ):
        return False
    if len(gold.columns) == 1 or answer.table.n_rows != gold.n_rows:
        return False
    columns = zip(labels, answer.labels, strict=True)
    return all(
        list(gold.columns[own]) == list(answer.table.columns[other]) for own, other in columns
    )


# Items


Links = dict[tuple[int, int], list[Link]]  # by the numbers of a file and of its table


def _all_links(gold: FoundTable, files: Sequence[ReadFile], said: Said) -> tuple[str, Links]:
    """The ways to match each table's rows by ids, with the pattern by which most files have one."""
    best: tuple[str, Links] = ("", {})
    for pattern in PATTERNS.values():
        links: Links = {}
        for place, read in enumerate(files):
            for number, table in enumerate(read.tables):
                if found := _links(gold, table, pattern, said):
                    links[place, number] = found
        if _n_files(links) > _n_files(best[1]):
            best = (pattern, links)
        if _n_files(best[1]) == len(files):
            break
    return best


def _n_files(links: Links) -> int:
    return len({place for place, _ in links})


def _links(gold: FoundTable, table: FoundTable, pattern: str, said: Said) -> list[Link]:
    """The ways to match rows by ids; of columns that were named only those."""
    if gold.layout.format == "tokens" and said.id is None:
        return []  # tokens are known by their places
    stated = said.columns("id")
    if stated is not None:
        of_gold = _numbers(gold, stated[0])
        of_table = _numbers(table, stated[1])
        if of_gold is None:
            names = listed([quoted(name) for name in gold.names], limit=6)
            raise UsageError(
                f"--id {quoted(said.id or '')}: gold has no such column. Its columns are {names}."
            )
        if of_table is not None:
            return [Link(of_gold, of_table, 1.0)]
        return []
    return links_by_id(gold, table, pattern)


def _numbers(table: FoundTable, names: Sequence[str]) -> Numbers | None:
    numbers = [table.number_of(name) for name in names]
    found = [number for number in numbers if number is not None]
    if len(found) == len(names):
        return tuple(found)
    return None


def _gold_ids(gold: FoundTable, links: Links, said: Said) -> Numbers | None:
    """The columns of gold that most files match; of several those that are called ids, else the first."""
    if (stated := said.columns("id")) is not None:
        return _numbers(gold, stated[0])
    counts: Counter[Numbers] = Counter()
    for of_table in links.values():
        counts.update({link.gold for link in of_table if link.gold is not None})
    if not counts:
        return None
    most = max(counts.values())
    best = [numbers for numbers, count in counts.items() if count == most]
    return min(best, key=lambda numbers: (not is_id_name(gold.names[numbers[0]]), numbers))


@dataclass(frozen=True, eq=False)
class _Linked:
    """One table of a file whose rows are matched with gold's."""

    file: ReadFile
    table: FoundTable
    link: Link


@dataclass(frozen=True, eq=False)
class _Matching:
    """How files are matched: gold's columns of ids, each table's links to them, and the pattern by which they fit."""

    ids: Numbers | None
    links: Links
    pattern: str


def _linked(
    gold: FoundTable, files: Sequence[ReadFile], matching: _Matching, said: Said
) -> Iterator[_Linked]:
    """The tables whose rows can be matched: by the ids of gold, or by order where no column holds other ids."""
    for place, read in enumerate(files):
        found = []
        for number, table in enumerate(read.tables):
            of_table = matching.links.get((place, number), [])
            by_id = [link for link in of_table if link.gold == matching.ids]
            if matching.ids is not None and by_id:
                if said.id is None:
                    _ask_about_rivals(gold, table, by_id[0], of_table, matching.pattern)
                found.append(_Linked(read, table, by_id[0]))
        if not found:
            by_order = [table for table in read.tables if _is_by_order(gold, table)]
            found = [_Linked(read, table, Link(None, None, 1.0)) for table in by_order]
        yield from found


def _ask_about_rivals(
    gold: FoundTable, table: FoundTable, chosen: Link, links: Sequence[Link], pattern: str
) -> None:
    """Ask where two columns of a file both hold gold's ids, and say different things."""
    if (conflict := conflict_of(gold, table, chosen, links, pattern)) is None:
        return
    first, second = (table.names[number] for number in (conflict.first, conflict.second))
    rows = plural(conflict.n_rows, "row")
    link_of = {
        link.columns[0]: link
        for link in links
        if link.columns is not None and link.gold is not None
    }
    ways = []
    for number, name in ((conflict.first, first), (conflict.second, second)):
        of_gold = link_of[number].gold or ()
        ways.append(f"--id '{gold.names[of_gold[0]]}={name}'")
    raise UsageError(
        f"{quoted(table.path, 80)}: both {quoted(first, 30)} and {quoted(second, 30)} hold gold's ids, and differ in "
        f"{rows}. Say which is meant: {' · or · '.join(ways)}"
    )


def _is_by_order(gold: FoundTable, table: FoundTable) -> bool:
    """Whether the rows of a file are as many as gold's, and no column holds ids that are not gold's."""
    if (gold.layout.format == "tokens") != (table.layout.format == "tokens"):
        return False
    if gold.layout.format == "tokens":
        # Of a few tokens too many or too few, the reader says which they are.
        return abs(table.n_rows - gold.n_rows) <= _FEW_TOKENS * gold.n_rows
    n_more = table.n_rows - gold.n_rows
    is_empty_end = n_more == 1 and not any(column[-1] for column in table.columns)
    if n_more and not is_empty_end:
        return False
    return other_ids(gold, table) is None and differing_text(gold, table, set()) is None


# Labels


def _gold_labels(
    gold: FoundTable, ids: Sequence[int], linked: Sequence[_Linked], said: Said
) -> tuple[Numbers, str, list[tuple[str, int]]]:
    """The columns of labels, what is scored, and other columns of labels with the number of files that have them."""
    candidates = label_candidates(gold, tuple(ids))
    if (stated := said.columns("label")) is not None:
        numbers = _numbers(gold, stated[0])
        if numbers is None:
            names = listed([quoted(name) for name in gold.names], limit=6)
            raise UsageError(
                f"--label {quoted(said.label or '')}: gold has no such column. Its columns are {names}."
            )
        return numbers, said.kind or _kind_of(gold, numbers), []
    tags = [number for number in candidates if is_of_tags(gold, number)]
    if tags and said.kind != "labels":
        candidates = tags
    counts = {number: _n_having(gold, number, linked, candidates) for number in candidates}
    n_files = len({way.file.file.path for way in linked})
    full = [number for number, count in counts.items() if count and count >= MOST_HAVE * n_files]
    if len(full) > 1:
        full = [number for number in full if not _is_input(gold, number, linked)] or full
    named = [number for number in full if _n_named(gold, number, linked) > 1]
    full = named or full
    if len(full) > 1 and said.kind in {None, "sets"} and are_sets(gold, full):
        return tuple(full), "sets", []
    best = full or [
        number for number, count in counts.items() if count and count == max(counts.values())
    ]
    if not best and len(candidates) == 1:
        best = candidates  # what is wrong with the labels of the submissions, their reader says
    if len(best) > 1:
        ways = [f"--label '{gold.names[number]}'" for number in best[:4]]
        names = listed([quoted(gold.names[number]) for number in best], limit=4)
        raise UsageError(
            f"{names} of gold all hold values that the submissions use. Which is scored? {' · or · '.join(ways)}"
        )
    others = [
        (gold.names[number], count)
        for number, count in counts.items()
        if gold.layout.names
        and count
        and number not in best
        and len(gold.values[number]) <= _MOST_CLASSES
        and not _is_input(gold, number, linked)
    ]
    if not best:
        return (), said.kind or "labels", []
    others = [(name, count) for name, count in others if 5 * count >= n_files]
    return (best[0],), said.kind or _kind_of(gold, tuple(best)), others


def _kind_of(gold: FoundTable, labels: Numbers) -> str:
    if len(labels) > 1:
        return "sets"
    if gold.layout.format == "tokens" and is_of_tags(gold, labels[0]):
        return "spans"
    return "labels"


def _n_having(
    gold: FoundTable, label: int, linked: Sequence[_Linked], others: Sequence[int]
) -> int:
    """How many files have a column that uses the values of one of gold."""
    having = set()
    for way in linked:
        if answered(gold, label, way.table, way.link.columns or (), others).columns:
            having.add(way.file.file.path)
    return len(having)


def _n_named(gold: FoundTable, label: int, linked: Sequence[_Linked]) -> int:
    """How many files have a column that is called as one of gold."""
    if not gold.layout.names:
        return 0
    return len(
        {way.file.file.path for way in linked if same_column(gold, label, way.table) is not None}
    )


def _is_input(gold: FoundTable, label: int, linked: Sequence[_Linked]) -> bool:
    """Whether all of several files repeat a column of gold as it is: then it was given to the teams, not answered."""
    if len({way.file.file.path for way in linked}) < 2:  # noqa: PLR2004 - several
        return False
    columns = [(way, same_column(gold, label, way.table)) for way in linked]
    return all(number is not None and _repeats(gold, label, way, number) for way, number in columns)


def _repeats(gold: FoundTable, label: int, way: _Linked, number: int) -> bool:
    """Whether a column of a file says of every item what gold's says."""
    if way.link.columns is None or way.link.gold is None:
        return list(way.table.columns[number]) == list(gold.columns[label])
    keys = zip(*(gold.columns[place] for place in way.link.gold), strict=True)
    label_of = dict(zip(keys, gold.columns[label], strict=True))
    rows = zip(*(way.table.columns[place] for place in way.link.columns), strict=True)
    return all(
        label_of.get(key, cell) == cell
        for key, cell in zip(rows, way.table.columns[number], strict=True)
    )


def _answer(
    gold: FoundTable, labels: Numbers, way: _Linked, said: Said, kind: str
) -> Answer | None:
    """The file with its columns of labels; None where it has none."""
    if not labels:
        return None
    used = way.link.columns or ()
    stated = said.columns("label")
    if stated is not None and stated[0] != stated[1]:
        numbers = _numbers(way.table, stated[1])
        if numbers is None:
            return None
        return Answer(way.file.file, way.table, way.link, numbers)
    found = []
    candidates = label_candidates(gold, way.link.gold or ())
    for label in labels:
        columns = answered(gold, label, way.table, used, candidates).columns
        if not columns:
            columns = _filled_namesake(gold, label, way.table, kind)
        if not columns:
            return None
        if len(columns) > 1:
            names = [quoted(way.table.names[number], 30) for number in columns[:3]]
            own = gold.names[label]
            ways = [f"--label '{own}={way.table.names[number]}'" for number in columns[:3]]
            raise UsageError(
                f"{quoted(way.table.path, 80)}: {listed(names)} all hold gold's labels. Say which is the answer: "
                f"{' · or · '.join(ways)}"
            )
        found.append(columns[0])
    return Answer(way.file.file, way.table, way.link, tuple(found))


def _filled_namesake(gold: FoundTable, label: int, table: FoundTable, kind: str) -> tuple[int, ...]:
    """A column that is called as gold's and is filled, though with other labels: what is wrong, the reader says."""
    if not gold.layout.names:
        is_only = len(table.columns) == len(gold.columns) and not table.layout.names
        if is_only and kind != "spans" and table.values[label]:
            return (label,)
        return ()
    number = same_column(gold, label, table)
    if number is not None and table.values[number]:
        return (number,)
    return ()


# Files that are no submissions


def _why_not(gold: FoundTable, labels: Numbers, read: ReadFile, linked: Sequence[_Linked]) -> str:
    """Why a file is no submission."""
    if read.defect or read.is_gold_copy:
        return read.defect or _COPY
    if not read.tables:
        return "no table"
    as_cells = [
        way for way in linked if way.table.layout.format != "lines" or len(read.tables) == 1
    ]
    if as_cells:
        names = listed([quoted(gold.names[number]) for number in labels], limit=3)
        if labels:
            return f"no column with labels of gold's {names}"
        return "no column with gold's labels"
    return _why_not_matched(gold, read)


def _why_not_matched(gold: FoundTable, read: ReadFile) -> str:
    """Why the rows of a file cannot be matched with gold's."""
    nearest = next((table for table in read.tables if table.n_rows == gold.n_rows), read.tables[0])
    if nearest.n_rows == gold.n_rows and (number := other_ids(gold, nearest)) is not None:
        return f"as many rows as gold, but its ids in {quoted(nearest.names[number], 40)} are not gold's"
    if nearest.n_rows == gold.n_rows and (name := differing_text(gold, nearest, set())) is not None:
        return f"as many rows as gold, but in another order by {quoted(name, 40)}, and without ids"
    rows = f"{plural(nearest.n_rows, 'row')} for {gold.n_rows:,} of gold"
    if gold.layout.format in {"tokens", "lines"}:
        return rows
    return f"{rows}, and no column holds gold's ids"


def why_far(gold: FoundTable, read: ReadFile) -> str:
    """Why a file was not tried as an answer: it has not nearly as many rows as gold."""
    if read.defect or not read.tables:
        return read.defect or "no table"
    n_rows = max(table.n_rows for table in read.tables)
    return f"{plural(n_rows, 'row')} for {gold.n_rows:,} of gold"


def _is_meant(
    gold: FoundTable, stray: Stray, files: Sequence[ReadFile], answers: Sequence[Answer]
) -> bool:
    """Whether a file is meant as a submission: named by itself, or laid out or placed as those that are read."""
    read = next(each for each in files if each.file.path == stray.path)
    if stray.reason == _COPY:
        return False
    if read.file.is_named:
        return True
    if stray.reason.startswith("no column with"):
        return False
    is_close = any(abs(table.n_rows - gold.n_rows) <= _CLOSE * gold.n_rows for table in read.tables)
    is_placed = any(_place(stray.path) == _place(answer.file.path) for answer in answers)
    if read.defect or not read.tables:
        return is_placed
    is_laid_out = any(
        table.layout.names and table.shape == answer.table.shape
        for table in read.tables
        for answer in answers
    )
    return is_close and (is_placed or is_laid_out)


def _place(path: str) -> tuple[int, str, str]:
    """How a file is placed: the depth of its folder, the folder around that, and all endings of its name."""
    *folders, name = path.split("/")
    _, _, endings = name.partition(".")
    return len(folders), "/".join(folders[:-1]), endings
