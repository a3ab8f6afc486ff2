"""The plain door for numbers: a scorer's output for each team, or gold and predictions that are numbers."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from audit.errors import InputError, Issue, UsageError
from audit.formats.campaign.number_files import wanted_tables
from audit.formats.door.files import GivenFiles, campaign_name, given_files, given_submissions
from audit.formats.door.opening import Opening, files_csv, open_door
from audit.formats.door.said import Said
from audit.formats.door.teams import Named, named_by_difference, named_by_pattern, shown_teams
from audit.formats.files.content import decode, unpacked
from audit.formats.files.tree import Tree
from audit.formats.numbers.rating_tables import number_table
from audit.formats.numbers.score_formats import ScoreTable
from audit.formats.settings.layout import toml_text
from audit.formats.settings.manifest import FileRow
from audit.formats.settings.parsing import TrackSettings, parse_settings
from audit.formats.table.parsed import TaskFacts
from audit.text import are_measurements, listed, plural, quoted

_SHOWN = 4


def open_any(
    gold: Path | None, submissions: Sequence[Path], said: Said, *, skip_rejected: bool = False
) -> Opening:
    """What gold and submissions are, whatever is scored."""
    if said.gives_numbers:
        opening = open_numbers(gold, submissions, said, skip_rejected=skip_rejected)
        return replace(opening, said=said.words())
    if said.columns_of_scores():
        raise UsageError("--better and --range are of a scorer's columns: say --kind scores, too.")
    if gold is None:
        raise UsageError("Which of these is gold? audit run --gold GOLD SUBMISSIONS…")
    try:
        return open_door(gold, submissions, said, skip_rejected=skip_rejected)
    except (InputError, UsageError):
        if said.kind is None and _holds_numbers(gold, submissions, said):
            raise UsageError(
                "Gold looks like numbers to be predicted, not classes. If it is, say so: --kind ratings"
            ) from None
        raise


def _holds_numbers(gold: Path, submissions: Sequence[Path], said: Said) -> bool:
    """Whether gold has so many different numbers that they are hardly classes."""
    given = given_files(gold, submissions)
    parsed = parse_settings(_settings(said, "").encode())
    with suppress(InputError), Tree(given.root) as tree:
        data = tree.original(given.gold)
        content = decode(given.gold, unpacked(given.gold, data))
        labels = number_table(content, parsed.gold_layout, TaskFacts(None)).labels
        return are_measurements(set(labels) - {""}, len(labels))
    return False


def open_numbers(
    gold: Path | None, submissions: Sequence[Path], said: Said, *, skip_rejected: bool = False
) -> Opening:
    """What gold and submissions of numbers are; of a scorer's output, gold is a list of items, and may be absent.

    Raises
    ------
    UsageError
        Where gold is needed, or no team's name is told.
    InputError
        Where a file is no scorer's output, unless those are skipped.
    """
    if gold is None:
        if not said.gives_columns:
            raise UsageError(
                "Ratings are compared with gold: audit run --gold GOLD SUBMISSIONS… --kind ratings"
            )
        given = given_submissions(submissions)
    else:
        given = given_files(gold, submissions)
    return _opening(given, said, skip_rejected=skip_rejected)


def _opening(given: GivenFiles, said: Said, *, skip_rejected: bool) -> Opening:
    paths = [file.path for file in given.files]
    if not paths:
        raise UsageError("No file is there: name the files of the teams.")
    title = _title(given, said)
    settings = _settings(said, title)
    lines = [_gold_line(given, said)]
    meant: list[Issue] = []
    kept = paths
    if said.gives_columns:
        parsed = parse_settings(settings.encode())
        of_files, meant, strays = _score_tables(given, paths, parsed)
        kept = list(of_files)
        named = _named(kept, said)
        lines += [_scores_line(of_files, named), _strays_line(strays)]
    else:
        named = _named(kept, said)
        shown = shown_teams([named[path] for path in kept])
        lines.append(f"{plural(len(kept), 'submission')}: {shown}.")
    if meant and not skip_rejected:
        raise InputError(meant)
    rows = []
    for path in kept:
        whose = named[path]
        rows.append(FileRow(path, "submission", whose.role, whose.team, whose.run))
    if given.gold:
        rows.insert(0, FileRow(given.gold, "gold"))
    lines += [f"Not scored: {issue.file}: {issue.found}." for issue in meant]
    left_out = [issue.file for issue in meant]
    every = tuple(path for path in (given.gold, *kept, *left_out) if path)
    manifest = files_csv(rows).encode()
    told = tuple(filter(None, lines))
    return Opening(given.root, every, settings.encode(), manifest, told, tuple(rows), title)


def _named(paths: Sequence[str], said: Said) -> Mapping[str, Named]:
    """Whose each file is."""
    if said.name is not None:
        return named_by_pattern(paths, said.name)
    return named_by_difference(paths)


def _strays_line(strays: Sequence[Issue]) -> str:
    """What is told of files in a folder that are no scorer's output."""
    if not strays:
        return ""
    shown = listed([quoted(issue.file, 60) for issue in strays], limit=_SHOWN)
    return f"Not a scorer's output: {shown}."


def _title(given: GivenFiles, said: Said) -> str:
    return " ".join(
        filter(None, [campaign_name(given.root), said.label if said.gives_columns else ""])
    )


def _settings(said: Said, title: str) -> str:
    """task.toml, as far as the user has said what stands there."""
    top, policies, _ = said.toml()
    lines = [f"title = {toml_text(title or 'Campaign')}", *top]
    if said.scored_as is not None:
        lines.insert(1, f"kind = {toml_text(said.scored_as)}")
    for section in ("gold", "submissions"):
        stated = _columns(said, section)
        if section == "gold":
            stated += _groups(said)
            if said.gives_columns:
                stated = [line for line in stated if not line.startswith("label = ")]
        if stated:
            lines += ["", f"[{section}]", *stated]
    if policies:
        lines += ["", "[policies]", *policies]
    for name, of_column in said.columns_of_scores().items():
        lines += ["", f"[columns.{toml_text(name)}]"]
        lines += [f"{key} = {json.dumps(value)}" for key, value in of_column.items()]
    return "\n".join(lines) + "\n"


def _columns(said: Said, section: str) -> list[str]:
    """The columns of ids and numbers that are named for gold or for submissions."""
    lines = []
    for setting in ("id", "label"):
        both = said.columns(setting)
        if both is not None:
            names = both[section == "submissions"]
            values = [name if name.isdigit() else toml_text(name) for name in names]
            text = values[0] if len(values) == 1 else f"[{', '.join(values)}]"
            lines.append(f"{setting} = {text}")
    return lines


def _groups(said: Said) -> list[str]:
    if said.group is None:
        return []
    if said.group.casefold() in {"none", "false"}:
        return ["group = false"]
    return [f"group = {said.group if said.group.isdigit() else toml_text(said.group)}"]


def _gold_line(given: GivenFiles, said: Said) -> str:
    """What is told of gold."""
    if not given.gold:
        return ""
    if said.gives_columns:
        return f"Items: {given.gold}."
    return f"Gold: {given.gold}, a number for each item, scored as ratings."


def _score_tables(
    given: GivenFiles, paths: Sequence[str], settings: TrackSettings
) -> tuple[dict[str, list[ScoreTable]], list[Issue], list[Issue]]:
    """What the files give, and why others are no scorer's output: those that were named, and those in folders."""
    found: dict[str, list[ScoreTable]] = {}
    meant: list[Issue] = []
    strays: list[Issue] = []
    named = {file.path: file.is_named for file in given.files}
    with Tree(given.root) as tree:
        for path in paths:
            try:
                found[path] = wanted_tables(path, tree.original(path), settings)
            except InputError as error:
                issues = meant if named[path] else strays
                issues.append(error.issues[0])
    if not found:
        raise InputError([*meant, *strays][:1])
    return found, meant, strays


def _scores_line(of_files: Mapping[str, Sequence[ScoreTable]], named: Mapping[str, Named]) -> str:
    """What is told of the scorer's output: its format, columns and teams."""
    tables = [table for of_file in of_files.values() for table in of_file]
    formats = dict.fromkeys(table.format for table in tables)
    columns = list(dict.fromkeys(column for table in tables for column in table.columns))
    teams = dict.fromkeys(
        table.team or named[path].team for path, of_file in of_files.items() for table in of_file
    )
    n_items = max(len(table.items) for table in tables)
    shown_columns = listed([quoted(column, 40) for column in columns], limit=_SHOWN)
    shown = listed([quoted(team, 40) for team in teams], limit=_SHOWN)
    files = plural(len(of_files), "file")
    how = listed(list(formats), limit=2)
    what = f"{plural(len(columns), 'column')} of numbers ({shown_columns}) for {plural(n_items, 'item')}"
    return f"{files} read as {how}: {what}. {plural(len(teams), 'team')}: {shown}."
