"""Files of several labels or of spans: every set read, and pooled into items of one label each."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from unicodedata import normalize

import numpy as np

from audit.domain import (
    Campaign,
    Feature,
    Gold,
    JournalEntry,
    Kind,
    LabelSet,
    PackedCodes,
    SliceColumn,
    SourceFile,
    code_dtype,
)
from audit.domain.arrays import Ints
from audit.domain.sets import NOTHING, OTHER, GivenSets, Place, Pool, Thing
from audit.domain.tags import NO_TAG, STANDARD, are_tags, mark_ends, scheme_of
from audit.errors import InputError, Issue
from audit.formats.align.alignment import Checked, Target, in_gold_sequences
from audit.formats.align.gold import slices_of, sorted_labels, summary_lines
from audit.formats.align.groups import SEQUENCE, Groups, groups_of
from audit.formats.align.label_cells import (
    UnclearSeparatorError,
    has_known_piece,
    separator_of,
    trimmed,
)
from audit.formats.align.things import (
    SetReader,
    fields_of,
    other_texts,
    shifted,
    with_lists_as_text,
)
from audit.formats.campaign import conventions
from audit.formats.campaign.submission import GoldFile, checked, decided, refuse_copy, with_ways_out
from audit.formats.files.content import Content, decode, unpacked
from audit.formats.files.limits import MOST_LABELS
from audit.formats.recognise import read_table
from audit.formats.settings.answers import AS_IT_STANDS, FORMS, REPAIRS, Spelling
from audit.formats.settings.layout import GroupFile, StatedLayout, toml_text
from audit.formats.settings.parsing import TrackSettings, parse_settings
from audit.formats.table.parsed import Table, TaskFacts, capped
from audit.text import did_you_mean, listed, plural, quoted

_STRAYS_SHOWN = 8  # labels that only teams use
_ONE = "thing"  # what stands for any set while units are aligned


@dataclass(frozen=True, eq=False, kw_only=True)
class GoldSets(GoldFile):
    """Gold with a set for each unit, and how those of submissions are read; its target has a row for each unit."""

    reader: SetReader
    units: Table  # a row for each unit
    sets: Sequence[Sequence[Thing]]
    texts: Sequence[dict[Place, str]]
    """Of the spans of each unit, beside their offsets, where gold gives them."""
    slices: tuple[SliceColumn, ...] = ()
    """The value of each unit in the columns that cut the test set."""
    of_published: bool = False
    """Whether these are published units, whose empty sets are nobody's answer."""

    @property
    def tells_labels(self) -> bool:
        """Whether it is known which labels there are; of published units only where they are declared."""
        return not self.of_published or self.settings.toml.labels is not None

    @property
    def labels(self) -> list[str]:
        """The labels that are known: those that are declared, or gold's."""
        declared = self.settings.toml.labels
        if declared is None:
            return sorted({label for things in self.sets for label, _ in things})
        return list(declared)

    @cached_property
    def facts(self) -> TaskFacts:
        """Facts that gold gives about the submissions."""
        labels = frozenset((*self.table.labels, *(NO_TAG if self.reader.form == "tags" else {""})))
        return TaskFacts(
            labels, self.target.position_of, self.target.gold.n_items, self.table.layout
        )

    def read(self, path: str, data: bytes, settings: TrackSettings) -> Checked:
        """The sets of one submission, whatever is wrong with it; its codes are those of units until they are pooled."""
        return _read_sets(path, data, self, settings)


def check_set_file(
    path: str, data: bytes, gold: SourceFile, settings: TrackSettings, *, of_published: bool = False
) -> Checked:
    """One submission, read as a load would, its codes being those of gold's labels."""
    sets = gold_sets(gold.path, gold.content, settings, of_published=of_published)
    read = sets.read(path, data, settings)
    if not read.is_accepted:
        return read
    if not sets.tells_labels:  # then labels are not counted either
        return replace(read, codes=np.full(sets.gold.n_items, np.iinfo(np.uint16).max, np.uint16))
    pool = Pooled.of(sets, [read]).pool
    n_labels = len(sets.labels)
    codes = pool.codes(read.sets)
    as_gold = codes - pool.nothing + n_labels  # nothing, and missing
    unknown = np.where(codes < pool.nothing, n_labels + 2, as_gold)
    return replace(
        read, codes=np.where(codes < n_labels, codes, unknown).astype(code_dtype(n_labels + 1))
    )


def by_other_repairs(campaign: Campaign) -> dict[str, Campaign]:
    """The campaign with broken tags read by each other rule; none where tags mark no spans. It holds its files."""
    source = campaign.gold.source
    toml = campaign.settings
    if source is None or not campaign.task.label_set.supports(Feature.BOUNDARIES):
        return {}
    if toml is None:
        settings = TrackSettings()
    else:
        settings = parse_settings(toml.content, campaign.task.part)
    try:
        gold = gold_sets(source.path, source.content, settings)
    except InputError:  # an earlier version read what is refused today
        return {}
    rules = REPAIRS if gold.reader.form == "tags" else ()
    repaired = {
        rule: _repaired(campaign, gold, rule) for rule in rules if rule != gold.reader.repair
    }
    return {rule: found for rule, found in repaired.items() if found is not None}


def _repaired(campaign: Campaign, gold: GoldSets, rule: str) -> Campaign | None:
    """The campaign with broken tags read by a rule; None where a file of it is refused today."""
    reader = replace(gold.reader, repair=rule)
    toml = gold.settings.toml
    gold = replace(
        gold,
        reader=reader,
        sets=_spelt(reader.sets(gold.table, gold.path), toml.spelling, toml.labels),
    )
    reads = [
        gold.read(each.path, each.content, gold.settings.of_submission(each.path, run, team))
        for each, run, team in ((one.source, one.run, one.team) for one in campaign.submissions)
        if each is not None
    ]
    if not all(read.is_accepted for read in reads):
        return None
    pooled = Pooled.of(gold, reads)
    given = map(pooled.items_of, reads)
    submissions = (
        replace(each, given=items) for each, items in zip(campaign.submissions, given, strict=True)
    )
    task = replace(campaign.task, label_set=pooled.gold.label_set)
    return replace(
        campaign, task=task, gold=pooled.gold, submissions=tuple(submissions), codes_file=None
    )


def gold_sets(
    path: str, data: bytes, settings: TrackSettings, *, of_published: bool = False
) -> GoldSets:
    """Gold's sets from the bytes of its file; or the empty sets of units that were published."""
    conventions.check_name(path)
    if isinstance(settings.gold_layout.group, GroupFile):
        defect = 'a second file of groups beside kind = "sets"'
        raise InputError(
            [
                settings.issue(
                    "bad-setting", defect, "gold", "group", expected="a column, or no group"
                )
            ]
        )
    _refuse_standoff(path)
    content = with_lists_as_text(decode(path, unpacked(path, data), settings.gold_layout.encoding))
    # cells are taken as they stand; labels are spelt below
    stated = replace(settings.gold_layout, spelling=AS_IT_STANDS)
    table = _gold_table(content, stated)
    reader = _reader_of(table, settings, path)
    reader.check_vectors(table, path)
    if reader.form == "tags" and table.sequences is None:
        defect = "tags, and no line says where a sequence ends"
        raise InputError(
            [Issue.of("bad-set", path, defect, expected="a blank line between sequences")]
        )
    if reader.form == "rows" and table.ids is None:
        defect = "a row for each label, and no ids"
        raise InputError([Issue.of("bad-set", path, defect, expected="a column of ids")])
    units, sets = _by_unit(table, reader, path)
    sets = _spelt(sets, settings.toml.spelling, settings.toml.labels)
    slices, slice_issues = _slices(table, reader, units)
    issues = [
        *units.issues,
        *_turned(sets, path, fatal=True),
        *slice_issues,
        *_unfit_labels(sets, path, settings),
    ]
    if settings.toml.labels is None and units.labels:
        issues += units.in_units(summary_lines(units))
    if units.ids is not None and len(set(units.ids)) < len(units.ids):
        twice = [item_id for item_id, count in Counter(units.ids).items() if count > 1]
        remedy = 'where an item has a row for each of its labels, write into task.toml, under [sets]: form = "rows"'
        defect = f"{plural(len(twice), 'id')} twice or more"
        issues.append(
            Issue.of("duplicate-item", path, defect, items=quoted(twice[0]), remedy=remedy)
        )
    if not any(sets) and not of_published:
        issues.append(Issue.of("gold-one-class", path, "no item has a label"))
    if issues:
        raise InputError(capped(issues))
    if reader.form == "tags":
        n_rows = len(table.labels)
    else:
        n_rows = len(sets)
    if units.ids is None:
        ids = None
    else:
        ids = tuple(units.ids)
    of_units = Gold(LabelSet((_ONE,)), np.zeros(n_rows, np.uint8), ids, SourceFile.of(path, data))
    found = GoldSets(
        path=path,
        gold=of_units,
        target=Target(of_units, table.sequences, settings.policies, table.tokens),
        table=table,
        settings=settings,
        reader=reader,
        units=units,
        sets=sets,
        texts=reader.texts(table, path),
        slices=slices,
        of_published=of_published,
    )
    return replace(
        found, gold=Pooled.of(found, ()).gold if found.tells_labels else _without_labels(of_units)
    )


def _without_labels(units: Gold) -> Gold:
    """Units with an empty set each, of labels that nobody has declared: one stands for any."""
    label_set = LabelSet((_ONE, NOTHING), rest=NOTHING, kind=Kind.LABELS)
    return replace(
        units,
        label_set=label_set,
        codes=np.full(units.n_items, label_set.code_of[NOTHING], np.uint8),
    )


def _refuse_standoff(path: str) -> None:
    """Refuse files of brat, of which each is one document of a team."""
    if path.lower().endswith(".ann"):
        defect = "standoff annotation: each file is one document, and a submission is one file here"
        expected = (
            "the spans of all documents in one file: JSON lists of start, end and label by document"
        )
        raise InputError([Issue.of("bad-set", path, defect, expected=expected)])


def _gold_table(content: Content, stated: StatedLayout) -> Table:
    """Gold as a table; tags of tokens as such, even where tokens could be ids or open quotes."""
    table = None
    refusal = InputError([])
    try:
        table = read_table(content, stated, TaskFacts(None))
    except InputError as error:
        refusal = error
    if stated.format is None and (table is None or table.sequences is None):
        with suppress(InputError):
            tokens = read_table(content, replace(stated, format="tokens"), TaskFacts(None))
            are_alone = (
                table is None
                or tokens.sequences is not None
                or scheme_of(set(table.labels)) is not None
            )
            if are_alone and scheme_of(set(tokens.labels[1:])) is not None:
                table = tokens
    if table is None:
        raise refusal
    if (
        table.sequences is not None
        and are_tags(set(table.labels[1:]))
        and not are_tags(set(table.labels))
    ):
        defect = f"the tag {quoted(table.labels[0])} is like no other: is the line a header?"
        remedy = (
            "write into task.toml, under [gold] and [submissions]: skip = 1; or correct the tag"
        )
        raise InputError(
            [Issue.of("bad-set", content.path, defect, lines=table.lines[:1], remedy=remedy)]
        )
    return table


def _reader_of(table: Table, settings: TrackSettings, path: str) -> SetReader:
    """How gold's cells become sets, and those of submissions."""
    stated = settings.toml.sets
    label = table.layout.label_name or ""
    form = stated.form or (
        "tags"
        if table.sequences is not None
        else "columns"
        if len(table.layout.label) > 1
        else "list"
    )
    if form == "columns":
        read_as = "list"
    else:
        read_as = form
    if read_as == "tags":
        scheme = scheme_of(set(table.labels))
    else:
        scheme = STANDARD
    if scheme is None and stated.form is None and settings.gold_layout.format is None:
        shown = listed([quoted(tag) for tag in sorted(set(table.labels) - NO_TAG)], limit=3)
        defect = f"read as sequences of tags, and {shown} are none"
        expected = "tags such as B-PER, I-PER and O; or columns of ids and labels"
        remedy = 'write into task.toml, under [sets]: form = "tags", if each is a tag; else under [gold]: format = …'
        raise InputError([Issue.of("bad-set", path, defect, expected=expected, remedy=remedy)])
    spelling = settings.toml.spelling
    known = frozenset(
        (*(settings.toml.labels or ()), *spelling.aliases, *spelling.aliases.values())
    ) - {""}
    separator = stated.separator
    if separator is None:
        if read_as == "list":
            separator = _told_separator(table, known, path)
        else:
            separator = ","
    scheme = scheme or STANDARD
    closed = read_as == "tags" and mark_ends(map(scheme.standard, table.labels))
    return SetReader(
        read_as, separator, stated.repair, label or "thing", known, scheme, stated.triples, closed
    )


def _told_separator(table: Table, known: Collection[str], path: str) -> str:
    """What parts the labels of gold's cells."""
    try:
        return separator_of(table.labels, known)
    except UnclearSeparatorError as error:
        settings = [f"separator = {toml_text(each)}" for each in error.separators]
        remedy = f"write into task.toml, under [sets]: {listed(settings, 'or')}; or declare all labels: labels = […]"
        expected = "one separator in all cells, or a stated one"
        raise InputError(
            [Issue.of("bad-set", path, str(error), expected=expected, remedy=remedy)]
        ) from None


def _by_unit(table: Table, reader: SetReader, path: str) -> tuple[Table, list[list[Thing]]]:
    """A row for each unit, and its things; rows of one label are put together by their ids."""
    sets = reader.sets(table, path)
    ids = table.ids or ()
    if reader.form != "rows":
        return table, sets
    table = replace(table, scores=())  # of a row for each label
    together: dict[str, list[Thing]] = {item_id: [] for item_id in ids}
    for item_id, things in zip(ids, sets, strict=True):
        together[item_id].extend(things)
    first_of = {item_id: row for row, item_id in reversed(list(enumerate(ids)))}
    rows = [first_of[item_id] for item_id in together]
    labels = [table.labels[row] for row in rows]
    lines = [table.lines[row] for row in rows]
    if table.groups is None:
        groups = None
    else:
        groups = [table.groups[row] for row in rows]
    return replace(table, ids=list(together), labels=labels, lines=lines, groups=groups), list(
        together.values()
    )


def _slices(
    table: Table, reader: SetReader, units: Table
) -> tuple[tuple[SliceColumn, ...], list[Issue]]:
    """The columns that cut the units, with the value of each unit; or why some cannot."""
    if not table.slices:
        return slices_of(units)
    unit_of_row = _unit_of_rows(table, reader)
    _, firsts = np.unique(unit_of_row, return_index=True)
    columns = []
    issues = []
    for number, cells in zip(table.layout.slices, table.slices, strict=True):
        of_units = [cells[row] for row in firsts.tolist()]
        columns.append(of_units)
        other = [
            row for row, unit in enumerate(unit_of_row.tolist()) if cells[row] != of_units[unit]
        ]
        if other:
            unit = "sequence" if reader.form == "tags" else "item"
            name = quoted(table.layout.column_name(number))
            defect = f"{plural(len(other), 'row')} with another value in {name} than the first of the {unit}"
            issues.append(
                table.issue("gold-bad-slices", defect, other, expected=f"one value for each {unit}")
            )
    lines = [table.lines[row] for row in firsts.tolist()]
    cut, further = slices_of(replace(units, slices=tuple(columns), lines=lines))
    return cut, [*issues, *further]


def _unit_of_rows(table: Table, reader: SetReader) -> Ints:
    """The unit of each row of a file of gold, from 0 on, in the order in which units begin."""
    if reader.form == "tags":
        return np.repeat(np.arange(len(table.sequences or ())), list(table.sequences or ()))
    if reader.form == "rows":
        number_of: dict[str, int] = {}
        numbers = [number_of.setdefault(item_id, len(number_of)) for item_id in table.ids or ()]
        return np.array(numbers, dtype=np.int64)
    return np.arange(len(table.labels))


def _read_sets(path: str, data: bytes, gold: GoldSets, settings: TrackSettings) -> Checked:
    try:
        _refuse_standoff(path)
        content = with_lists_as_text(
            decode(path, unpacked(path, data), settings.submission_layout.encoding)
        )
        table = _submitted_table(
            content, replace(settings.submission_layout, spelling=AS_IT_STANDS), gold
        )
        reader = replace(gold.reader, known=gold.reader.known.union(gold.labels))
        if reader.form == "tags":
            table = in_gold_sequences(table, gold.target, mark_spans=True)
            _check_sequences(table, gold.target)
        units, sets = _by_unit(table, reader, path)
        if any(gold.texts):
            texts = reader.texts(table, path)
        else:
            texts = []
        sets = _spelt(sets, gold.settings.toml.spelling, gold.labels)
        is_alike = (units.layout.names, units.ids) == (gold.units.layout.names, gold.units.ids)
        refuse_copy(
            path, settings, is_copy=not gold.of_published and is_alike and sets == gold.sets
        )
    except InputError as error:
        return Checked(path, None, issues=capped(error.issues))
    read = _aligned(path, units, sets, texts, gold, settings.submission_layout)
    if n_broken := gold.reader.count_broken(table):
        text = f"Dropped by repair = “strict”: {plural(n_broken, 'span')} of broken tags."
        read = replace(read, journal=(*read.journal, JournalEntry("decided", path, text, n_broken)))

    def units_by(stated: StatedLayout, facts: TaskFacts) -> Table:
        table = read_table(content, replace(stated, spelling=AS_IT_STANDS), facts)
        of_units, _ = _by_unit(table, reader, path)
        return replace(of_units, labels=[_ONE] * len(of_units.labels))

    return replace(
        read, issues=with_ways_out(read.issues, units_by, settings, gold.facts, gold.target)
    )


def _submitted_table(content: Content, stated: StatedLayout, gold: GoldSets) -> Table:
    """The table of a submission; tags that gold has not are read in gold's format, so that it is said what they are."""
    try:
        return read_table(content, stated, gold.facts)
    except InputError as refusal:
        is_strange = {issue.slug for issue in refusal.issues} == {"unrecognised"}
        if gold.reader.form != "tags" or stated.format is not None or not is_strange:
            raise
        with suppress(InputError):
            return read_table(content, replace(stated, format=gold.table.layout.format), gold.facts)
        raise


def _check_sequences(table: Table, target: Target) -> None:
    """Refuse tags that no blank line parts where they are of other tokens than gold's: whose spans they are is open."""
    if (
        table.sequences is None
        and target.sequences is not None
        and len(table.labels) == sum(target.sequences)
    ):
        defect = "no blank line says where a sequence ends, and the tokens are not gold’s"
        remedy = (
            "ask the team for gold’s tokens in gold’s order, or for blank lines where gold has them"
        )
        raise InputError([table.issue("line-count", defect, remedy=remedy)])


def _aligned(  # noqa: PLR0913, PLR0917 - a file, and gold
    path: str,
    units: Table,
    sets: list[list[Thing]],
    texts: Sequence[dict[Place, str]],
    gold: GoldSets,
    stated: StatedLayout,
) -> Checked:
    """The sets of a submission in gold order, and its scores where they are kept."""
    policies = gold.settings.policies
    as_one = replace(units, labels=[_ONE] * len(units.labels))
    found = checked(as_one, gold.target, stated, labels=gold.labels)
    is_broken = any(issue.fatal for issue in units.issues)  # what its labels are is then not known
    if is_broken:
        of_sets = []
    else:
        of_sets = list(_turned(sets, path, fatal=False))
    if gold.tells_labels and not is_broken:
        of_sets = [*_strangers(sets, gold, path), *of_sets]
    in_order: list[list[Thing] | None] = []
    if found.row_of is not None:
        if gold.reader.form == "tags":
            rows = range(len(sets))
        else:
            rows = found.row_of.tolist()
        in_order = [sets[row] if row >= 0 else None for row in rows]
        of_sets += _moved([things or [] for things in in_order], gold, path)
        of_sets += _of_other_texts(
            [texts[row] if row >= 0 else {} for row in rows] if texts else [], gold, path
        )
    if gold.tells_labels and not any(issue.fatal for issue in (*found.issues, *of_sets)):
        without_answer = list(_without_known_label(units, sets, gold))
        if without_answer:  # one cause, one message: that its labels are strays follows
            of_sets = [issue for issue in of_sets if issue.slug != "unusable-label"]
        of_sets += without_answer
    is_rejected = found.codes is None or any(issue.fatal for issue in of_sets)
    repeated = sum(len(things) - len(set(things)) for things in sets)
    text = f"{plural(repeated, 'thing')} that a set has twice count once."
    if repeated:
        again = [JournalEntry("repaired", path, text, repeated)]
    else:
        again = []
    known = set(gold.labels)
    of_answers = in_order if gold.tells_labels else []
    strays = Counter(
        label for things in of_answers for label, _ in set(things or ()) if label not in known
    )
    if strays:
        text = (
            f"{plural(strays.total(), 'thing')} with labels that the label set lacks: false alarms."
        )
        again.append(JournalEntry("decided", path, text, strays.total()))
    by_policy = [issue for issue in of_sets if issue.slug != "unusable-label"]
    return replace(
        found,
        codes=None if is_rejected else found.codes,
        unusable_labels=tuple(sorted(strays.items(), key=lambda entry: (-entry[1], entry[0]))),
        issues=(*found.issues, *of_sets),
        journal=(*found.journal, *decided(path, by_policy, policies), *again),
        scores=None if is_rejected else found.scores,
        row_of=None,
        sets=GivenSets.of(in_order),
    )


def _spelt(
    sets: list[list[Thing]], spelling: Spelling, labels: Collection[str] | None
) -> list[list[Thing]]:
    """Sets with labels in NFC, trimmed, and each accepted spelling replaced by its label; no text is no label."""
    counts = Counter(label for things in sets for label, _ in things)
    composed = {label: normalize("NFC", trimmed(label)) for label in counts}
    changes = spelling.changes(Counter(composed.values()), labels)
    meant = {label: changes.get(text, text) for label, text in composed.items()}
    return [[(meant[label], place) for label, place in things if meant[label]] for things in sets]


def _unfit_labels(
    sets: Sequence[Sequence[Thing]], path: str, settings: TrackSettings
) -> Iterator[Issue]:
    """The issues for labels of gold that the declared label set lacks, and for more than are scored."""
    counts = Counter(label for things in sets for label, _ in set(things))
    declared = settings.toml.labels
    unknown = () if declared is None else sorted(counts.keys() - set(declared))
    for label in unknown:
        defect = f"the label {quoted(label)}.{did_you_mean(label, declared or ())}"
        yield Issue.of("gold-unknown-label", path, defect, count=counts[label])
    if len(counts) > MOST_LABELS:
        defect = f"{len(counts):,} different labels, and at most {MOST_LABELS:,} are scored"
        yield Issue.of("too-large", path, defect, remedy="name the column of the labels: label = …")


def _turned(sets: Sequence[Sequence[Thing]], path: str, *, fatal: bool) -> Iterator[Issue]:
    """The issue for spans that end before they start, which can be no hit."""
    if spans := [
        at for things in sets for _, at in things if isinstance(at, tuple) and at[0] > at[1]
    ]:
        defect = f"{plural(len(spans), 'span')} that end before they start, like {spans[0][0]} to {spans[0][1]}"
        expected = (
            "a start that is not behind the end: such a span equals none, and is a false alarm"
        )
        remedy = "correct the numbers and load the file again"
        yield Issue.of(
            "bad-set", path, defect, count=len(spans), fatal=fatal, expected=expected, remedy=remedy
        )


def _strangers(sets: Sequence[Sequence[Thing]], gold: GoldSets, path: str) -> Iterator[Issue]:
    """What is odd about labels that are none of gold's, and about spans that hardly are."""
    toml = gold.settings.toml
    known = set(gold.labels)
    counts = Counter(label for things in sets for label, _ in set(things))
    strange = [label for label in counts if label not in known]
    folded = {label.casefold(): label for label in known}
    cased = [label for label in strange if label.casefold() in folded]
    if cased and "fold_case" not in toml.model_fields_set:
        defect = f"{quoted(cased[0])} is {quoted(folded[cased[0].casefold()])} of gold but for upper and lower case"
        remedy = (
            "write into task.toml: fold_case = true, if they are one label; else fold_case = false"
        )
        yield Issue.of(
            "ambiguous-reading", path, defect, count=len(cased), expected="a label", remedy=remedy
        )
    joined = [label for label in strange if has_known_piece(label, known)]
    if joined and gold.reader.form in {"list", "rows"}:
        shown = listed([quoted(label) for label in joined], limit=3)
        defect = f"{shown}: labels of gold, parted otherwise than by {gold.reader.separator}"
        remedy = (
            "ask the team for labels that are parted as gold’s are; or, where these are its errors, write into "
            'task.toml, under [policies]: unusable = "wrong"'
        )
        is_decided = "unusable" in toml.policies.model_fields_set
        yield Issue.of(
            "bad-set", path, defect, remedy=remedy, count=len(joined), fatal=not is_decided
        )
    if strange:
        shown = listed(list(map(quoted, strange)), limit=_STRAYS_SHOWN)
        n_things = sum(counts[label] for label in strange)
        if toml.labels is None:
            which = "that gold lacks"
        else:
            which = "outside the label set"
        defect = f"{plural(n_things, 'thing')} with labels {which}, false alarms: {shown}"
        fatal = gold.settings.policies.unusable == "reject"
        yield Issue.of("unusable-label", path, defect, count=n_things, fatal=fatal)


def _moved(sets: Sequence[Sequence[Thing]], gold: GoldSets, path: str) -> list[Issue]:
    """The issue for spans, in gold order, that are counted otherwise than gold's."""
    if gold.reader.form == "spans":
        found = shifted(sets, gold.sets)
    else:
        found = None
    if found is None:
        return []
    start, end, n_hits, n_moved = found
    remedy = (
        "count as gold does: the first character as 0 or as 1, and the end inclusive or not; or, where these are the "
        'team’s errors, write into task.toml, under [policies]: unusable = "wrong"'
    )
    fatal = "unusable" not in gold.settings.toml.policies.model_fields_set
    defect = f"{plural(n_hits, 'span')} as gold has them, and {n_moved:,} with starts {start:+d} and ends {end:+d}"
    return [
        Issue.of(
            "bad-set",
            path,
            defect,
            expected="spans that are counted as gold’s",
            remedy=remedy,
            fatal=fatal,
        )
    ]


def _of_other_texts(
    texts: Sequence[dict[Place, str]], gold: GoldSets, path: str
) -> Iterator[Issue]:
    """The issue for spans, in gold order, whose text is another than gold gives at the same offsets.

    Where most are, the file counts otherwise than gold or is of another version of the texts, and is refused.
    """
    if not texts:
        return
    n_both, different = other_texts(texts, gold.texts)
    if not different:
        return
    _, place, text, of_gold = different[0]
    defect = (
        f"{quoted(text, 30)} at {place[0]} to {place[1]}, where gold has {quoted(of_gold, 30)}: "
        f"{plural(len(different), 'span')} of {n_both:,} with another text"
    )
    fatal = (
        2 * len(different) > n_both
        and "unusable" not in gold.settings.toml.policies.model_fields_set
    )
    remedy = (
        "ask the team for offsets into gold’s texts, counted as gold does; or, where these are its errors, write into "
        'task.toml, under [policies]: unusable = "wrong"'
    )
    expected = "the text that stands at the offsets"
    yield Issue.of(
        "bad-set", path, defect, count=len(different), expected=expected, remedy=remedy, fatal=fatal
    )


def _without_known_label(
    units: Table, sets: Sequence[Sequence[Thing]], gold: GoldSets
) -> Iterator[Issue]:
    """The issue for a file none of whose labels gold has; one that answers with empty sets alone has an answer."""
    counts = Counter(label for things in sets for label, _ in things)
    if not counts:
        return
    if not counts.keys().isdisjoint(gold.labels):
        yield from _of_other_fields(units, sets, gold)
        return
    given = listed([f"{quoted(label)} ({count:,})" for label, count in counts.most_common(5)])
    expected = f"a label of the label set: {listed(list(map(quoted, gold.labels)), 'or', limit=12)}"
    remedy = "correct the labels, or accept their spelling in task.toml under [aliases]"
    if gold.reader.form == "tags":
        remedy = "ask the team for tags written as gold’s, such as B-PER and I-PER; or accept labels: [aliases]"
    defect = f"no label of gold in {plural(counts.total(), 'thing')}: {given}"
    yield units.issue("no-usable-answer", defect, expected=expected, remedy=remedy)


def _of_other_fields(
    units: Table, sets: Sequence[Sequence[Thing]], gold: GoldSets
) -> Iterator[Issue]:
    """The issue for objects of an open set none of which has the fields of one of gold's."""
    known = fields_of(gold.sets)
    given = fields_of(sets)
    if known and given and known.isdisjoint(given):
        shown, of_gold = (
            listed([quoted(name) for name in sorted(min(each))], limit=8) for each in (given, known)
        )
        expected = f"objects with the fields of gold’s: {of_gold}"
        remedy = "ask the team for objects that are written as gold’s"
        defect = f"no object has the fields of one of gold; one has {shown}"
        yield units.issue("no-usable-answer", defect, expected=expected, remedy=remedy)


@dataclass(frozen=True, eq=False)
class Pooled:
    """Gold and accepted submissions as items of one label each."""

    pool: Pool
    gold: Gold
    sentence: str

    @classmethod
    def of(cls, gold: GoldSets, reads: Sequence[Checked]) -> "Pooled":
        """The pool of gold and submissions."""
        of_all = [GivenSets.of(gold.sets), *(read.sets for read in reads)]
        every = {label for sets in of_all for label, _ in sets.distinct}
        declared = gold.settings.toml.labels
        if declared is None:
            labels = sorted_labels(gold.labels)
        else:
            labels = tuple(declared)
        strays = sorted_labels(every - set(labels))
        pool = Pool.of(of_all, (*labels, *strays), len(labels))
        is_of_spans = any(isinstance(place, tuple) for place in pool.places)
        nothing = _free_name(NOTHING, labels)
        other = _free_name(OTHER, labels)
        label_set = LabelSet(
            (*labels, other, nothing) if strays else (*labels, nothing),
            declared=declared is not None,
            rest=nothing,
            kind=Kind.SPANS if is_of_spans else Kind.LABELS,
            other=other if strays else None,
        )
        if gold.units.ids is not None and gold.reader.form != "tags":
            unit_ids = [text.replace("\t", ", ") for text in gold.units.ids or ()]
        else:
            unit_ids = [str(1 + unit) for unit in range(pool.n_units)]
        groups = _groups(gold)
        items = Gold(
            label_set,
            pool.codes(of_all[0]),
            pool.ids(unit_ids),
            gold.gold.source,
            pool.units if groups is None else groups.numbers[pool.units],
            _unit_word(gold) if groups is None else groups.unit,
            slices=tuple(replace(column, codes=column.codes[pool.units]) for column in gold.slices),
            own=pool.own,
        )
        n_empty = sum(not things for things in gold.sets)
        n_things = sum(len(set(things)) for things in gold.sets)
        units = plural(pool.n_units, _unit_word(gold))
        told = f"{plural(n_things, f'gold {label_set.kind[:-1]}')} in {units}; {n_empty:,} of these have none."
        sentence = f"Sets are scored: {FORMS[gold.reader.form]}. {told}"
        if gold.reader.form != "tags" and {len(set(things)) for things in gold.sets} == {1}:
            sentence += ' Each has one label: kind = "classes" scores it so.'
        if strays:
            used = plural(len(strays), label_set.noun)
            shown = listed(list(map(quoted, strays)), limit=_STRAYS_SHOWN)
            sentence += f" Teams use {used} that the label set lacks: {shown}. All are false alarms, {quoted(other)}."
        return cls(pool, items, sentence)

    def items_of(self, read: Checked) -> PackedCodes:
        """The codes of the pool's items by one accepted submission."""
        return PackedCodes.of(self.pool.codes(read.sets), self.pool.own)


def _free_name(name: str, labels: Collection[str]) -> str:
    """A name that no label has: the name itself, or with parentheses around it."""
    while name in labels:
        name = f"({name})"
    return name


def _unit_word(gold: GoldSets) -> str:
    return gold.settings.toml.sets.unit or (SEQUENCE if gold.reader.form == "tags" else "item")


def _groups(gold: GoldSets) -> Groups | None:
    """Which units belong together, as task.toml says."""
    if gold.settings.gold_layout.group in {None, False}:
        return None
    groups = groups_of(gold.units, gold.settings.gold_layout.group)
    if groups is None:
        return None
    if groups.issues:
        raise InputError(groups.issues)
    if gold.reader.form != "tags":
        return groups
    firsts = np.cumsum([0, *(gold.table.sequences or ())])[:-1]
    return replace(groups, of_items=[groups.of_items[first] for first in firsts.tolist()])
