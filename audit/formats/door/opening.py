"""The plain door: gold and submissions as they were named → task.toml and files.csv, held in memory."""

import csv
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from audit.errors import MANIFEST, SETTINGS_FILE, InputError, Issue, UsageError
from audit.formats.align.things import with_lists_as_text
from audit.formats.campaign.all_files import read_gold
from audit.formats.campaign.claims import read_settings
from audit.formats.campaign.conventions import stem
from audit.formats.campaign.single_file import AnswerKey
from audit.formats.door.decision import Answer, Decision, ReadFile, Stray, decide
from audit.formats.door.files import GivenFile, GivenFiles, GivenTree, campaign_name, given_files
from audit.formats.door.items import PATTERNS
from audit.formats.door.said import Said
from audit.formats.door.tables import FoundTable, tables_of
from audit.formats.door.teams import Named, named_by_difference, named_by_pattern, shown_teams
from audit.formats.files.content import decode, unpacked
from audit.formats.files.tree import Tree
from audit.formats.settings.answers import number_of
from audit.formats.settings.layout import Layout, toml_list, toml_text
from audit.text import agreeing, listed, plural, quoted

_MOST_SHOWN = 3  # reasons why files are no submissions


@dataclass(frozen=True, eq=False)
class Opening:
    """Gold and submissions as they are read: the two files that say so, and what is told of them."""

    root: Path
    paths: tuple[str, ...]  # of gold and the submissions, below the root
    settings: bytes  # task.toml
    manifest: bytes  # files.csv
    told: tuple[str, ...]  # what was taken for what, a line each
    left_out: tuple[Stray, ...]  # files meant as submissions that are not read
    title: str

    def tree(self) -> GivenTree:
        """The files, with task.toml and files.csv beside them."""
        return GivenTree(self.root, self.title, self.paths, {SETTINGS_FILE: self.settings, MANIFEST: self.manifest})

    def key(self) -> AnswerKey:
        """What a single file is checked against: gold as it is read here, and each submission by its own layout."""
        with self.tree() as tree:
            (settings,) = read_settings(tree)
            gold = read_gold(tree, self.paths[0], settings).gold
        rows = () if settings.manifest is None else settings.manifest.of_kind("submission")
        return AnswerKey(gold, self.settings, claims=tuple(rows), folder=self.root)


def open_door(
    gold: Path, submissions: Sequence[Path], said: Said | None = None, *, skip_rejected: bool = False
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


def open_files(given: GivenFiles, said: Said, *, skip_rejected: bool = False) -> Opening:
    """The opening of files that are known by their paths."""
    with Tree(given.root) as tree:
        golds = _gold_tables(tree, given.gold, said)
        gold_bytes = tree.read(given.gold)
        files = [_read(tree, file, gold_bytes, said) for file in given.files]
    decision = decide(golds, files, said)
    meant = [stray for stray in decision.strays if stray.is_meant]
    if meant and not skip_rejected:
        raise InputError([_not_scored(stray) for stray in meant])
    return _opening(given, decision, said, meant)


def _gold_tables(tree: Tree, path: str, said: Said) -> list[FoundTable]:
    return _tables(tree, path, said)


def _tables(tree: Tree, path: str, said: Said) -> list[FoundTable]:
    content = decode(path, unpacked(path, tree.original(path)))
    return tables_of(with_lists_as_text(content) if said.kind == "sets" else content)


def _read(tree: Tree, file: GivenFile, gold: bytes, said: Said) -> ReadFile:
    """A file with the tables that it can be, or why it cannot be read."""
    try:
        tables = _tables(tree, file.path, said)
        return ReadFile(file, tuple(tables), is_gold_copy=tree.read(file.path) == gold)
    except InputError as error:
        return ReadFile(file, defect=error.issues[0].found)


def _not_scored(stray: Stray) -> Issue:
    remedy = "correct it, or go on without it: --skip-rejected"
    return Issue.of("unrecognised", stray.path, stray.reason, expected="a team's answers to gold", remedy=remedy)


# What is written


def _opening(given: GivenFiles, decision: Decision, said: Said, meant: Sequence[Stray]) -> Opening:
    paths = [answer.file.path for answer in decision.answers]
    named = named_by_difference(paths) if said.name is None else named_by_pattern(paths, said.name)
    title = title_of(given, said)
    told = _told(given, decision, named, meant)
    return Opening(
        given.root,
        (given.gold, *paths),
        task_toml(decision, said, title).encode(),
        files_csv(given.gold, decision, named).encode(),
        tuple(told),
        tuple(meant),
        title,
    )


_PLAIN_STEMS = re.compile(
    r"(?:gold|truth|labels?|test|answers?|key|ref(?:erence)?|standard|data|set|\W|_)*", re.IGNORECASE
)


def title_of(given: GivenFiles, said: Said) -> str:
    """The name of the campaign: of its folder, gold's own where that says more, and a label that was named."""
    name, own = campaign_name(given.root), stem(given.gold)
    parts = [name, "" if _PLAIN_STEMS.fullmatch(own) or own.casefold() in name.casefold() else own, said.label or ""]
    return " ".join(filter(None, parts))


def files_csv(gold: str, decision: Decision, named: dict[str, Named]) -> str:
    """files.csv: gold, and each submission with its team, run and role."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("file", "kind", "role", "team", "run"))
    writer.writerow((gold, "gold", "", "", ""))
    for answer in decision.answers:
        whose = named[answer.file.path]
        writer.writerow((answer.file.path, "submission", whose.role, whose.team, whose.run))
    return text.getvalue()


def task_toml(decision: Decision, said: Said, title: str) -> str:
    """task.toml: how gold and each submission are read, and what the user said beside."""
    top, policies, aliases = said.toml()
    top.insert(0, f"title = {toml_text(title)}")
    if decision.kind in {"sets", "spans"}:
        top.append('kind = "sets"')
    if decision.pattern:
        top.append(f"id_pattern = {toml_text(decision.pattern)}")
    lines = [*top, *_scale_lines(decision, said), "", "[gold]"]
    lines += _layout_lines(decision.gold, decision.ids, decision.labels)
    lines += _group_lines(decision, said)
    layouts: defaultdict[str, list[str]] = defaultdict(list)
    for answer in decision.answers:
        stated = _layout_lines(answer.table, answer.link.columns, answer.labels)
        layouts[", ".join(stated)].append(answer.file.path)
    lines += ["", "[submissions.layouts]"]
    for layout, paths in layouts.items():
        lines += [f"{toml_text(path)} = {{ {layout} }}" for path in paths]
    if policies:
        lines += ["", "[policies]", *policies]
    if aliases:
        lines += ["", "[aliases]", *aliases]
    return "\n".join(lines).lstrip("\n") + "\n"


def _layout_lines(table: FoundTable, ids: tuple[int, ...] | None, labels: tuple[int, ...]) -> list[str]:
    """The settings that state a layout, the columns of ids and labels among them."""
    layout: Layout = replace(table.layout, id=ids, label=labels, skip=table.layout.n_left_out, n_above=0)
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
        raise UsageError(f"--group {quoted(said.group)}: gold has no such column. Its columns are {names}.")
    return [f"group = {toml_text(said.group) if decision.gold.layout.names else number + 1}"]


def _scale_lines(decision: Decision, said: Said) -> list[str]:
    """The labels in their order, where they are said to be steps of a scale."""
    if not said.scale:
        return []
    values = set().union(*(decision.gold.values[number] for number in decision.labels))
    numbers = {value: number for value in values if (number := number_of(value)) is not None}
    if len(numbers) < len(values):
        raise UsageError(
            "--scale takes labels that are numbers: state the order of others, labels = […], in task.toml."
        )
    return [f"labels = {toml_list(sorted(values, key=numbers.__getitem__))}"]


# What is told


def _told(given: GivenFiles, decision: Decision, named: dict[str, Named], meant: Sequence[Stray]) -> list[str]:
    """What was taken for what: gold, teams, other columns of labels, and files that are no submissions."""
    answers = decision.answers
    gold, labels = decision.gold, [quoted(decision.gold.names[number], 40) for number in decision.labels]
    columns = (
        f"labels from {listed(labels, limit=4)}" if gold.layout.names or len(gold.columns) > 1 else "one label a line"
    )
    how = {"labels": "", "sets": ", scored as sets", "spans": ", scored as spans (entities)"}[decision.kind]
    unit = "token" if gold.layout.format == "tokens" else "item"
    of_gold = f"Gold: {given.gold}, {plural(gold.n_rows, unit)}, {columns}{how}."
    of_answers = f"{plural(len(answers), 'submission')}, matched {_matched(decision)}."
    lines = [f"{of_gold} {of_answers}", _teams_line(answers, named)]
    for name, count in decision.other_labels:
        lines.append(
            f"{quoted(name)} holds labels, too, and {count:,} of the submissions {agreeing(count, 'has', 'have')} it: "
            f"--label {name} makes its report."
        )
    strays = [stray for stray in decision.strays if not stray.is_meant]
    if strays:
        lines.append(_strays_line(strays))
    lines += [f"Not scored: {stray.path}: {stray.reason}." for stray in meant]
    return lines


def _matched(decision: Decision) -> str:
    by_order = sum(answer.link.columns is None for answer in decision.answers)
    if by_order == len(decision.answers):
        return "by order"
    names = listed([quoted(decision.gold.names[number], 30) for number in decision.ids or ()])
    how = f"by id ({names})"
    if decision.pattern:
        words = next(words for words, pattern in PATTERNS.items() if pattern == decision.pattern)
        how += f", compared without {words}"
    return f"{how}, {by_order:,} by order" if by_order else how


def _teams_line(answers: Sequence[Answer], named: dict[str, Named]) -> str:
    names = [named[answer.file.path] for answer in answers]
    n_teams = len({name.team for name in names})
    longest = max(answers, key=lambda answer: len(answer.file.path)).file.path
    whose = named[longest]
    run = f", run {quoted(whose.run)}" if whose.run else ""
    return (
        f"{plural(n_teams, 'team')} by what differs in the paths: {shown_teams(names)}. For example {longest} is "
        f"{quoted(whose.team)}{run}. Otherwise: --name 'PATTERN' with {{team}} and {{run}}."
    )


def _strays_line(strays: Sequence[Stray]) -> str:
    """The files that are no submissions, by their reasons."""
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for stray in strays:
        by_reason[stray.reason].append(stray.path)
    parts = []
    in_order = sorted(by_reason.items(), key=lambda entry: -len(entry[1]))
    for reason, paths in in_order[:_MOST_SHOWN]:
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        parts.append(f"{plural(len(paths), 'file')} ({paths[0]}{more}): {reason}")
    if rest := sum(len(paths) for _, paths in in_order[_MOST_SHOWN:]):
        parts.append(f"{plural(rest, 'file')} for other reasons")
    return f"No submissions: {'; '.join(parts)}."
