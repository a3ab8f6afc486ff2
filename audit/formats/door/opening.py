"""The plain door: gold and submissions as they were named → task.toml and files.csv, held in memory."""

import csv
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from audit.errors import MANIFEST, SETTINGS_FILE, InputError, Issue, UsageError
from audit.formats.align.things import with_lists_as_text
from audit.formats.campaign.all_files import read_gold, read_score_files
from audit.formats.campaign.claims import read_settings
from audit.formats.campaign.conventions import WORD, stem
from audit.formats.campaign.single_file import AnswerKey
from audit.formats.door.decision import Decision, ReadFile, Stray, decide, folded_in
from audit.formats.door.files import GivenFile, GivenFiles, GivenTree, campaign_name, given_files
from audit.formats.door.said import Said
from audit.formats.door.tables import FoundTable, tables_of
from audit.formats.door.teams import (
    Named,
    how_platform_tells,
    named_by_difference,
    named_by_pattern,
    named_by_platform,
)
from audit.formats.door.told import told_lines
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.settings.answers import number_of
from audit.formats.settings.layout import Layout, toml_list, toml_text
from audit.formats.settings.manifest import COLUMNS, FURTHER_COLUMNS, FileRow
from audit.text import listed, quoted, visible

GOLD_WORDS = frozenset(
    {
        "gold",
        "golden",
        "truth",
        "gt",
        "ref",
        "reference",
        "key",
        "labels",
        "solution",
        "qrel",
        "qrels",
        "relevancy",
    }
)
_ORDER = ("gold", "submission", "ignore")
_FORMULA = "=+-@"  # what a spreadsheet takes for the beginning of a formula


@dataclass(frozen=True, eq=False)
class Opening:
    """Gold and submissions as they are read: the two files that say so, and what is told of them."""

    root: Path
    paths: tuple[str, ...]  # of gold and the submissions, below the root
    settings: bytes  # task.toml
    manifest: bytes  # files.csv
    told: tuple[str, ...]  # what was taken for what, a line each
    rows: tuple[FileRow, ...]  # the lines of files.csv
    title: str
    meant: tuple[Stray, ...] = ()  # files that are meant as submissions and are left out
    said: tuple[str, ...] = ()  # the options of a command, as its words

    @property
    def folder(self) -> Path | None:
        """The folder whose own settings these are; none of what was named, or found out."""
        return None

    def tree(self) -> GivenTree:
        """The files, with task.toml and files.csv beside them."""
        held = {SETTINGS_FILE: self.settings, MANIFEST: self.manifest}
        tree = GivenTree(self.root, self.title, self.paths, held)
        tree.said = self.said
        return tree

    def key(self) -> AnswerKey:
        """What a single file is checked against: gold as it is read here, and each submission by its own layout."""
        with self.tree() as tree:
            (settings,) = read_settings(tree)
            if settings.toml.gives_columns:
                gold = read_score_files(tree, settings, None).gold
            else:
                gold = read_gold(tree, self.paths[0], settings).gold
        rows = () if settings.manifest is None else settings.manifest.of_kind("submission")
        return AnswerKey(gold, self.settings, claims=tuple(rows), folder=self.root)


def open_door(
    gold: Path,
    submissions: Sequence[Path],
    said: Said | None = None,
    *,
    skip_rejected: bool = False,
) -> Opening:
    """Decide what gold and the submissions are.

    Raises
    ------
    UsageError
        Where one question has to be answered first.
    InputError
        Where a file that is meant as a submission cannot be read, unless those are skipped.
    """
    return open_files(given_files(gold, submissions), said or Said(), skip_rejected=skip_rejected)


@dataclass(frozen=True, eq=False)
class Track:
    """One test set: its gold file, and the decision on the files that answer it."""

    gold: str
    decision: Decision
    lists: tuple[str, ...] = ()  # files that may be a platform's list of uploads


def open_files(given: GivenFiles, said: Said, *, skip_rejected: bool = False) -> Opening:
    """The opening of files that are known by their paths."""
    with Tree(given.root) as tree:
        gold_bytes = tree.read(given.gold)
        golds = _tables(given.gold, gold_bytes, said)
        files = [read_file(tree, file, gold_bytes, said) for file in given.files]
        decision = decide(golds, files, said)
        meant = [stray for stray in decision.strays if stray.is_meant]
        if meant and not skip_rejected:
            raise InputError([not_scored(stray) for stray in meant])
        return opening_of_tracks(tree, [Track(given.gold, decision, platform_lists(files))], said)


_OWNERS = frozenset({"owner", "team name"})  # columns of a platform's list of uploads


def platform_lists(files: Sequence[ReadFile]) -> tuple[str, ...]:
    """The files that may be a platform's list of uploads, by the names of their columns."""
    found = []
    for read in files:
        names = {name.casefold() for table in read.tables for name in table.layout.names}
        if names & _OWNERS:
            found.append(read.file.path)
    return tuple(found)


def _tables(path: str, data: bytes, said: Said) -> list[FoundTable]:
    """The tables that the bytes of a file can be."""
    content = decode(path, data)
    if said.kind == "sets":
        content = with_lists_as_text(content)
    return tables_of(content)


def read_file(tree: Tree, file: GivenFile, gold: bytes, said: Said) -> ReadFile:
    """A file with the tables that it can be, or why it cannot be read."""
    try:
        data = tree.read(file.path)
        is_copy = bool(gold) and data == gold
        return ReadFile(file, tuple(_tables(file.path, data, said)), is_gold_copy=is_copy)
    except InputError as error:
        return ReadFile(file, defect=error.issues[0].found)


def not_scored(stray: Stray) -> Issue:
    """The issue for a file that is meant as a submission, and is none."""
    remedy = "correct it, or go on without it: --skip-rejected"
    return Issue.of(
        "unrecognised", stray.path, stray.reason, expected="a team's answers to gold", remedy=remedy
    )


# What is written


def opening_of_tracks(tree: Tree, tracks: Sequence[Track], said: Said) -> Opening:
    """The two files that say how the test sets are read, and what is told of each."""
    parts = part_names([track.gold for track in tracks])
    title = title_of(tree.root, tracks, said)
    rows: list[FileRow] = []
    told: list[str] = []
    for track, part in zip(tracks, parts, strict=True):
        named, how = _named(tree, track, said)
        rows += _rows(track, named, part)
        rows += [FileRow(stray.path, "ignore", why=stray.reason) for stray in track.decision.strays]
        told += told_lines(track.gold, track.decision, named, how)
    rows.sort(key=lambda row: (_ORDER.index(row.kind), row.part))
    meant = tuple(stray for track in tracks for stray in track.decision.strays if stray.is_meant)
    left_out = {stray.path for stray in meant}
    # What is meant as a submission and left out has no line in files.csv, so that the report names it as not loaded.
    paths = [row.file for row in rows if row.kind in {"gold", "submission"} or row.file in left_out]
    listed_rows = [row for row in rows if row.file not in left_out]
    settings = task_toml(tracks, parts, said, title)
    manifest = files_csv(listed_rows).encode()
    return Opening(
        tree.root, tuple(paths), settings.encode(), manifest, tuple(told), tuple(rows), title, meant
    )


def part_names(golds: Sequence[str]) -> list[str]:
    """The names of test sets: the words of each gold file's path that no other has; none of one alone."""
    if len(golds) == 1:
        return [""]
    words = [WORD.findall(stem(gold, keep_folders=True)) for gold in golds]
    names = []
    for number, gold in enumerate(golds):
        elsewhere = {
            word.casefold()
            for other, others in enumerate(words)
            if other != number
            for word in others
        }
        known = elsewhere | GOLD_WORDS
        own = [
            _own_word(token, known)
            for token in re.split(r"[/_. -]+", stem(gold, keep_folders=True))
        ]
        names.append("-".join(dict.fromkeys(filter(None, own))) or f"set {number + 1}")
    if len(set(names)) == len(names):
        return names
    return [stem(gold, keep_folders=True) for gold in golds]


def _own_word(token: str, known: AbstractSet[str]) -> str:
    """A part of a path without the words in it that are known: of subtaskA A; whole where none is."""
    words = WORD.findall(token)
    own = [word for word in words if word.casefold() not in known]
    if len(own) == len(words) and words:
        return token
    return "-".join(own)


def _named(tree: Tree, track: Track, said: Said) -> tuple[dict[str, Named], str]:
    """Whose each submission is, and what tells it: a pattern, a platform, else what differs in the paths."""
    paths = [answer.file.path for answer in track.decision.answers]
    if said.name is not None:
        return named_by_pattern(paths, said.name), "by --name"
    of_platform = named_by_platform(tree, paths, track.lists)
    if of_platform:
        return of_platform, how_platform_tells(of_platform)
    return named_by_difference(paths), "by what differs in the paths"


def _rows(track: Track, named: Mapping[str, Named], part: str) -> list[FileRow]:
    """The lines of files.csv: gold, and each submission with its role, team and run."""
    rows = [FileRow(track.gold, "gold", part=part)]
    for answer in track.decision.answers:
        whose = named[answer.file.path]
        if whose.is_ranked:
            kind = "submission"
        else:
            kind = "ignore"
        rows.append(
            FileRow(answer.file.path, kind, whose.role, whose.team, whose.run, part, whose.why)
        )
    return rows


def files_csv(rows: Sequence[FileRow]) -> str:
    """files.csv, in which no cell is a spreadsheet's formula."""
    columns = [
        *COLUMNS,
        *(name for name in FURTHER_COLUMNS if any(getattr(row, name) for row in rows)),
    ]
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row, column) for column in columns] for row in rows)
    return text.getvalue()


def _cell(row: FileRow, column: str) -> str:
    """A cell of files.csv; of a name, what a spreadsheet would take for a formula's beginning is left out."""
    cell: str = getattr(row, column)
    if column == "file":
        if cell[:1] in _FORMULA:
            return f"./{cell}"
        return cell
    if column == "why":
        return visible(cell, 200)
    return cell.lstrip(_FORMULA)


def task_toml(tracks: Sequence[Track], parts: Sequence[str], said: Said, title: str) -> str:
    """task.toml: how gold and each submission are read, and what the user said beside."""
    top, policies, aliases = said.toml()
    lines = [f"title = {toml_text(title)}", *top]
    if policies:
        policies = ["", "[policies]", *policies]
    if aliases:
        aliases = ["", "[aliases]", *aliases]
    if len(tracks) == 1:
        lines += _track_lines(tracks[0].decision, said, "")
    else:
        lines += [*policies, *aliases]
        for track, part in zip(tracks, parts, strict=True):
            lines += [
                "",
                f"[subtask.{toml_text(part)}]",
                *_track_lines(track.decision, said, f"subtask.{toml_text(part)}."),
            ]
        return "\n".join(lines) + "\n"
    return "\n".join([*lines, *policies, *aliases]) + "\n"


def _track_lines(decision: Decision, said: Said, place: str) -> list[str]:
    """The settings of one test set."""
    lines = []
    if decision.kind in {"sets", "spans"}:
        lines.append('kind = "sets"')
    elif decision.gold.layout.format == "tokens":
        lines.append('kind = "classes"')
    if folded_in(decision):
        lines.append("fold_case = true")
    if decision.pattern:
        lines.append(f"id_pattern = {toml_text(decision.pattern)}")
    lines += [*_scale_lines(decision, said), "", f"[{place}gold]"]
    lines += _layout_lines(decision.gold, decision.ids, decision.labels)
    lines += [*_group_lines(decision, said), "", f"[{place}submissions.layouts]"]
    for answer in decision.answers:
        layout = ", ".join(_layout_lines(answer.table, answer.link.columns, answer.labels))
        lines.append(f"{toml_text(answer.file.path)} = {{ {layout} }}")
    return lines


_PLAIN_STEMS = re.compile(
    r"(?:gold|truth|labels?|test|answers?|key|ref(?:erence)?|standard|data|set|\W|_)*",
    re.IGNORECASE,
)


def title_of(root: Path, tracks: Sequence[Track], said: Said) -> str:
    """The name of the campaign: of its folder, gold's own where that says more, and a label that was named."""
    name = campaign_name(root)
    own = stem(tracks[0].gold)
    says_nothing = (
        len(tracks) > 1 or _PLAIN_STEMS.fullmatch(own) or own.casefold() in name.casefold()
    )
    return " ".join(filter(None, [name, "" if says_nothing else own, said.label or ""]))


def _layout_lines(
    table: FoundTable, ids: tuple[int, ...] | None, labels: tuple[int, ...]
) -> list[str]:
    """The settings that state a layout, the columns of ids and labels among them."""
    layout: Layout = replace(
        table.layout, id=ids, label=labels, skip=table.layout.n_left_out, n_above=0
    )
    stated = layout.settings()
    if layout.format == "lines":
        stated = {key: stated[key] for key in ("format", "skip", "header") if key in stated}
    if layout.format == "delimited":
        stated["quote"] = f"quote = {toml_text(layout.quote)}"
    stated.pop("records", None) if layout.format != "json" else None
    return list(stated.values())


def _group_lines(decision: Decision, said: Said) -> list[str]:
    if said.group is None:
        return []
    if said.group.casefold() in {"none", "false"}:
        return ["group = false"]
    number = decision.gold.number_of(said.group)
    if number is None:
        names = listed([quoted(name) for name in decision.gold.names], limit=6)
        raise UsageError(
            f"--group {quoted(said.group)}: gold has no such column. Its columns are {names}."
        )
    return [f"group = {toml_text(said.group) if decision.gold.layout.names else number + 1}"]


def _scale_lines(decision: Decision, said: Said) -> list[str]:
    """The labels in their order, where they are said to be steps of a scale."""
    if not said.scale:
        return []
    values = set().union(*(decision.gold.values[number] for number in decision.labels))
    if isinstance(said.scale, tuple):
        if others := sorted(values - set(said.scale)):
            labels = listed([quoted(label, 40) for label in others], limit=4)
            steps = ",".join(said.scale)[:60]
            raise UsageError(
                f"--scale {steps} lacks gold’s {labels}. Name every step, lowest first."
            )
        return [f"labels = {toml_list(said.scale)}"]
    numbers = {value: number for value in values if (number := number_of(value)) is not None}
    if len(numbers) < len(values):
        words = listed([quoted(label, 40) for label in sorted(values - numbers.keys())], limit=4)
        raise UsageError(
            f"--scale true takes numbers, and gold has {words}. Name all steps, lowest first: --scale A,B,C"
        )
    return [f"labels = {toml_list(sorted(values, key=numbers.__getitem__))}"]
