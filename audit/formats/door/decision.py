"""Gold in the light of the submissions: which columns hold ids and labels, which files answer, and what is asked.

One code path: the plain door is given gold and submissions, and a folder's evidence finds what the plain door is given.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from audit.errors import UsageError
from audit.formats.door.files import GivenFile
from audit.formats.door.gold_labels import OtherLabels, columns_of, gold_labels
from audit.formats.door.items import (
    PATTERNS,
    Link,
    LinkedTable,
    conflict_of,
    differing_text,
    links_by_id,
    other_ids,
)
from audit.formats.door.labels import (
    answered,
    folded_labels,
    label_candidates,
    same_column,
    types_of,
)
from audit.formats.door.said import Said
from audit.formats.door.tables import FoundTable
from audit.formats.settings.layout import Numbers
from audit.formats.table.columns import is_id_name
from audit.text import agreeing, listed, plural, quoted

_COPY = "all its labels are gold's, in gold's layout and order"
# by which share the rows of a file may differ from gold's for it to be meant as an answer
_CLOSE = 0.1
_FEW_TOKENS = 0.02  # share of gold's tokens by which those of a file may be more or fewer
_SOME = 0.2  # share of the submissions that answer a further column of labels for it to be told


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
    about: str  # what the reason is about: files of like reasons are told together
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
    other_labels: tuple[OtherLabels, ...] = ()

    def further_labels(self) -> list[tuple[str, int]]:
        """Further columns of labels that some submissions have, each with their number."""
        paths = {answer.file.path for answer in self.answers}
        counts = [(other.name, len(paths & other.paths)) for other in self.other_labels]
        return [(name, count) for name, count in counts if count and count >= _SOME * len(paths)]


def decide(golds: Sequence[FoundTable], files: Sequence[ReadFile], said: Said) -> Decision:
    """The one decision that most files speak for.

    Raises
    ------
    UsageError
        Where no file answers gold, or where one question has to be answered first.
    """
    decisions = []
    question: UsageError | None = None
    for gold in _with_stated_columns(golds, said):
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


def _with_stated_columns(golds: Sequence[FoundTable], said: Said) -> Sequence[FoundTable]:
    """The readings of gold that have the columns that are stated; all where none has them."""
    for setting in ("id", "label"):
        stated = said.columns(setting)
        if stated is not None:
            golds = [gold for gold in golds if gold.numbers_of(stated[0]) is not None] or golds
    return golds


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
    scored = gold_labels(gold, ids or (), linked, said)
    labels = scored.columns
    answers: list[Answer] = []
    strays: list[Stray] = []
    for read in files:
        if read.is_gold_copy:
            ways = []
        else:
            ways = [way for way in linked if way.path == read.file.path]
        answers_of_file = (_answer(gold, labels, read, way, said, scored.kind) for way in ways)
        found = next(filter(None, answers_of_file), None)
        if found is not None and _is_gold_itself(gold, labels, found):
            strays.append(Stray(read.file.path, _COPY, "copy"))
        elif found is not None:
            answers.append(found)
        else:
            strays.append(Stray(read.file.path, *_why_not(gold, labels, read, ways)))
    strays = [replace(stray, is_meant=_is_meant(gold, stray, files, answers)) for stray in strays]
    return Decision(
        gold,
        ids,
        labels,
        scored.kind,
        pattern,
        tuple(answers),
        tuple(strays),
        scored.others,
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
        of_gold = gold.numbers_of(stated[0])
        of_table = table.numbers_of(stated[1])
        if of_gold is None:
            item_id = quoted(said.id or "", 60)
            raise UsageError(f"--id {item_id}: gold has no such column. {columns_of(gold)}")
        if of_table is not None:
            return [Link(of_gold, of_table, 1.0)]
        return []
    return links_by_id(gold, table, pattern)


def _gold_ids(gold: FoundTable, links: Links, said: Said) -> Numbers | None:
    """The columns of gold that most files match; of several those that are called ids, else the first."""
    if (stated := said.columns("id")) is not None:
        return gold.numbers_of(stated[0])
    counts: Counter[Numbers] = Counter()
    for of_table in links.values():
        counts.update({link.gold for link in of_table if link.gold is not None})
    if not counts:
        return None
    most = max(counts.values())
    best = [numbers for numbers, count in counts.items() if count == most]
    return min(best, key=lambda numbers: (not is_id_name(gold.names[numbers[0]]), numbers))


@dataclass(frozen=True, eq=False)
class _Matching:
    """How files are matched: gold's columns of ids, each table's links to them, and the pattern by which they fit."""

    ids: Numbers | None
    links: Links
    pattern: str


def _linked(
    gold: FoundTable, files: Sequence[ReadFile], matching: _Matching, said: Said
) -> Iterator[LinkedTable]:
    """The tables whose rows can be matched: by the ids of gold, or by order where no column holds other ids."""
    for place, read in enumerate(files):
        found = []
        for number, table in enumerate(read.tables):
            of_table = matching.links.get((place, number), [])
            by_id = [link for link in of_table if link.gold == matching.ids]
            if matching.ids is not None and by_id:
                if said.id is None:
                    _ask_about_rivals(gold, table, by_id[0], of_table, matching.pattern)
                found.append(LinkedTable(read.file.path, table, by_id[0]))
        if not found:
            by_order = [table for table in read.tables if _is_by_order(gold, table)]
            found = [
                LinkedTable(read.file.path, table, Link(None, None, 1.0)) for table in by_order
            ]
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


# Answers


def _answer(  # noqa: PLR0913, PLR0917 - gold, a file, and what is known of both
    gold: FoundTable, labels: Numbers, read: ReadFile, way: LinkedTable, said: Said, kind: str
) -> Answer | None:
    """The file with its columns of labels; None where it has none."""
    if not labels:
        return None
    used = way.link.columns or ()
    stated = said.columns("label")
    if stated is not None and stated[0] != stated[1]:
        numbers = way.table.numbers_of(stated[1])
        if numbers is None:
            return None
        return Answer(read.file, way.table, way.link, numbers)
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
    return Answer(read.file, way.table, way.link, tuple(found))


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


def _why_not(
    gold: FoundTable, labels: Numbers, read: ReadFile, linked: Sequence[LinkedTable]
) -> tuple[str, str]:
    """Why a file is no submission, and what the reason is about."""
    if read.is_gold_copy:
        return _COPY, "copy"
    if read.defect:
        return read.defect, "unreadable"
    if not read.tables:
        return "no table", "table"
    has_cells = any(way.table.layout.format != "lines" for way in linked)
    if has_cells or (linked and len(read.tables) == 1):
        names = listed([quoted(gold.names[number]) for number in labels], limit=3)
        if labels:
            return f"no column with labels of gold's {names}", "labels"
        return "no column with gold's labels", "labels"
    return _why_not_matched(gold, read)


def _why_not_matched(gold: FoundTable, read: ReadFile) -> tuple[str, str]:
    """Why the rows of a file cannot be matched with gold's, and what the reason is about."""
    alike = next((table for table in read.tables if table.n_rows == gold.n_rows), None)
    if alike is not None:
        if (number := other_ids(gold, alike)) is not None:
            return f"as many rows as gold, but {_few_ids(gold, alike, number)}", "ids"
        if (name := differing_text(gold, alike, set())) is not None:
            order = f"in another order by {quoted(name, 40)}, and without ids"
            return f"as many rows as gold, but {order}", "order"
    rows = _n_rows_beside(gold, read)
    if gold.layout.format in {"tokens", "lines"}:
        return rows, "rows"
    for table in read.tables:
        if (number := other_ids(gold, table)) is not None and _n_shared(gold, table, number):
            return f"{rows}, and {_few_ids(gold, table, number)}", "rows"
    return f"{rows}, and no column holds gold's ids", "rows"


def _n_shared(gold: FoundTable, table: FoundTable, number: int) -> int:
    """How many cells of a column are ids of gold."""
    return max((len(table.values[number] & gold.values[key]) for key in gold.keys), default=0)


def _few_ids(gold: FoundTable, table: FoundTable, number: int) -> str:
    """That the ids of a column are not gold's, or how many are."""
    name = quoted(table.names[number], 40)
    n_shared = _n_shared(gold, table, number)
    if n_shared:
        return f"only {n_shared:,} of its ids in {name} {agreeing(n_shared, 'is', 'are')} gold's"
    return f"its ids in {name} are not gold's"


def _n_rows_beside(gold: FoundTable, read: ReadFile) -> str:
    """How many rows a file has as the likeliest of its tables, and gold."""
    n_rows = read.tables[0].n_rows or max(table.n_rows for table in read.tables)
    return f"{plural(n_rows, 'row')} for {gold.n_rows:,} of gold"


def why_far(gold: FoundTable, read: ReadFile) -> tuple[str, str]:
    """Why a file was not tried as an answer: it has not nearly as many rows as gold."""
    if read.defect:
        return read.defect, "unreadable"
    if not read.tables:
        return "no table", "table"
    return _n_rows_beside(gold, read), "rows"


def _is_meant(
    gold: FoundTable, stray: Stray, files: Sequence[ReadFile], answers: Sequence[Answer]
) -> bool:
    """Whether a file is meant as a submission: named by itself, or laid out or placed as those that are read."""
    read = next(each for each in files if each.file.path == stray.path)
    if stray.about == "copy":
        return False
    if read.file.is_named:
        return True
    if stray.about == "labels":
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


# Labels in another case


def folded_in(decision: Decision) -> dict[str, tuple[str, int]]:
    """The labels that files write in another case than gold does, each with gold's and the number of files."""
    found: dict[str, tuple[str, int]] = {}
    for answer in decision.answers:
        for own, other in zip(decision.labels, answer.labels, strict=True):
            known = decision.gold.values[own]
            values = answer.table.values[other]
            if decision.kind == "spans":
                known, values = frozenset(types_of(known)), frozenset(types_of(values))
            for spelling, label in folded_labels(known, values).items():
                _, n_files = found.get(spelling, (label, 0))
                found[spelling] = label, n_files + 1
    return found
